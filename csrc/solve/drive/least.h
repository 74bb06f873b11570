/* least.h: whether a pose that does not meet its goals is the best compromise around: a least-squares minimum inside the
   limits.

   Minimum    of the sum of squares that descents lower (squares/descent.h): weighted residuals, lengths over the length of
              the figure, orientations by angle or by chord, whichever holds. A local one: nothing is said of other poses
   Told by    1 the Gauss-Newton step inside the limits, damped by the share FLOOR of the trace of J'J, which promises no
                more than the share SHARE of the sum of squares: the relative offset of D. M. Bates, D. G. Watts: A
                relative offset orthogonality convergence criterion for nonlinear least squares. Technometrics 23 (1981)
                179-183. Columns one by one would miss a narrow valley, where several together have what none has alone,
                and mistake rounding for a slope: a ball's turn about its own bone;
              2 a few iterations of Levenberg-Marquardt from a pose pushed off it, which lower the sum by no more than
                SHARE either: the criterion alone holds on a saddle too, such as a straight chain whose target lies on
                its own line. */
#pragma once
#include "solve/drive/plan.h"

/* Bytes for a problem, whose scratch need not be zeroes; SIZE_MAX: too many. */
size_t hik_least_bytes(const hik_problem *problem);
/* Of a pose q [nq], which is left as it is, and what the judge says of it. run->world is overwritten. */
bool hik_least_squares(hik_run *run, void *memory, const double *target, const double *q,
                       const hik_verdict *verdict);
