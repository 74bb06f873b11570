/* heights.h: numbers given at some heights of a body, smoothly between them.
   hik_heights_place hik_heights_fields */
#pragma once
#include "base/base.h"

/* Places heights z [n] among rising levels at [levels], levels > 1: the level below each, the first and the last but one beyond
   them, and the weights [n][4] of the numbers at that level and at the next, and of their slopes there. */
void hik_heights_place(const double *at, int64_t levels, const double *z, int64_t n, int32_t *below,
                       double *weight);

/* Fields of numbers and slopes node [fields][levels][2] at places, out [fields][n]. */
void hik_heights_fields(const int32_t *below, const double *weight, int64_t n, const double *node,
                        int64_t levels, int64_t fields, double *out);
