/* heights.h: numbers given at some heights of a body, smoothly between them.
   hik_heights_place hik_heights_at */
#pragma once
#include "base/base.h"

/* Places heights z [n] among rising levels at [levels], levels > 1: the level below each, the first and the last but one beyond
   them, and the weights [n][4] of the numbers at that level and at the next, and of their slopes there. */
void hik_heights_place(const double *at, int64_t levels, const double *z, int64_t n, int32_t *below,
                       double *weight);

/* What a place has, of its weights [4] and of numbers and slopes at the level below and at the next, node [2][2]. */
static inline double hik_heights_at(const double *weight, const double *node) {
  return weight[0] * node[0] + weight[1] * node[2] + weight[2] * node[1] + weight[3] * node[3];
}
