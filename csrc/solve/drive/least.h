/* least.h: whether a pose that does not meet its goals is the best compromise around: a least-squares minimum inside the
   limits.

   Minimum    of the sum of squares that descents lower (squares/descent.h): weighted residuals, lengths over the length of
              the figure, orientations by angle or by chord, whichever holds. A local one: nothing is said of other poses
   Told by    1 the cosine between the residual and each column that no limit holds, which is nowhere above COSINE (J. J.
                More, B. S. Garbow, K. E. Hillstrom: User guide for MINPACK-1, ANL-80-74 (1980): info = 4);
              2 a few iterations of Levenberg-Marquardt, from the pose and from one pushed off it, which lower the sum by
                no more than the share SHARE: the criterion alone holds on a saddle too, such as a straight chain whose
                target lies on its own line. */
#ifndef HIK_LEAST_H
#define HIK_LEAST_H
#include "solve/drive/plan.h"

/* Bytes for a problem, whose scratch need not be zeroes; SIZE_MAX: too many. */
size_t hik_least_bytes(const hik_problem *problem);
/* Of a pose q [nq], which is left as it is, and what the judge says of it. run->world is overwritten. */
bool hik_least_squares(hik_run *run, void *memory, const double *target, const double *q,
                       const hik_verdict *verdict);
#endif
