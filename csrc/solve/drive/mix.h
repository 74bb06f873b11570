/* mix.h: the combination of the last poses whose residual is least, for methods that crawl.

   Near a pose that meets the goals residuals are almost linear in the pose. So the last poses of a method, with their
   residuals, say where it crawls to: q + sum b_i (q_i - q), b being what makes |e + sum b_i (e_i - e)| least. That asks for
   no derivative, and is the same for every method that shows pose after pose: Anderson's mixing. The rounds of `retries`
   make it (pace.h), which are this library's own; the first round of attempts does not. Twin: handik.study.twins.mixing.

   Reference  D. G. Anderson: Iterative procedures for nonlinear integral equations. J. ACM 12 (1965) 547-560.
              H. F. Walker, P. Ni: Anderson acceleration for fixed-point iterations. SIAM J. Numerical Analysis 49 (2011)
              1715-1735. T. Washio, C. W. Oosterlee: Krylov subspace acceleration for nonlinear multigrid schemes.
              Electronic Trans. Numerical Analysis 6 (1997) 271-290, of residuals instead of steps. */
#pragma once
#include "solve/drive/solver.h"

enum { HIK_MIX_DEPTH = 6 }; /* poses remembered */

struct hik_mix {
  int32_t count, at; /* poses remembered; the place of the last one */
  double *q;         /* [HIK_MIX_DEPTH][nq] */
  double *e;         /* [HIK_MIX_DEPTH][rows] weighted residuals */
  double *off;       /* [HIK_MIX_DEPTH][rows] how the others differ from the last */
  double *way;       /* [nq] from the last pose to the combination */
  double *now;       /* [nq] the pose that is left for it */
  double *trail;     /* [2][nq] for hik_pace.trail */
};

/* Counts, or with memory lays out, for this problem and its parts. */
hik_mix *hik_mix_lay_out(const hik_problem *p, hik_block *block);
/* What the round in hand combines poses in, emptied; NULL: it does not. */
hik_mix *hik_mix_of(const hik_run *run);
/* Remembers q, whose frames are in run->world, if it is not the last one again. */
void hik_mix_remember(hik_mix *mix, const hik_run *run, const double *target, const double *q);
/* Writes mix->way, no turn by more than a radian, no slide by more than the problem's length. False: the poses say nothing. */
bool hik_mix_find(hik_mix *mix, const hik_problem *p);
