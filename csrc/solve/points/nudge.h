/* nudge.h: what FABRIK and CCD share: the aim beyond the target and the deterministic nudge. */
#pragma once
#include "solve/drive/solver.h"

enum { HIK_PATIENCE = 4 };
#define HIK_GOLDEN_ANGLE 2.399963229728653

/* Moves every listed step a little, the same way every time, inside the limits. A turn or slide goes a
   quarter of the way to the middle of its range; one that is in the middle (to 5 % of the range), or has no
   range, goes 7.5 % of the range (2 pi, or `reach`) to one side, sides alternating by place in the list and
   by round. A ball turns by 0.3 rad about (cos a, sin a, 0.5), a = the golden angle times its place. A
   joint that follows one of the list is left to it. */
void hik_nudge(const hik_model *m, const int32_t *list, int32_t count, int32_t round, double reach,
               double *q);

/* Where to aim from `place`: at the target or, when `beyond`, past it by min(r / (1 - r), 20) of the error, r in (0, 1)
   being the ratio of this error and the last one, which is replaced. */
HIK_INLINE void hik_aim_beyond(const double *target, const double *place, bool beyond, double last[3],
                               double aim[3]) {
  double error[3];
  hik_sub3(target, place, error);
  hik_copy3(target, aim);
  if (beyond) {
    double size = hik_dot(last, last), ratio = size > 0 ? hik_dot(error, last) / size : 0;
    if (ratio > 0 && ratio < 1) hik_axpy3(aim, fmin(ratio / (1 - ratio), 20), error, aim);
  }
  hik_copy3(error, last);
}
