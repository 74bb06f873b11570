/* kernels.inc.c: the bodies. The including file defines HIK_WIDTH (doubles in a register), HIK_SQRT (of a register),
   HIK_KERNELS (name of the table) and HIK_NAME (of the instruction set), and sets the target.

   Two registers are worked on side by side: the chain of square root and division in each link is bound by latency,
   and the second one hides in the first one's wait. */
#include "simd/kernels.h"

typedef double lane __attribute__((vector_size(8 * HIK_WIDTH)));
typedef int64_t lane_mask __attribute__((vector_size(8 * HIK_WIDTH)));
enum { PAIR = 2, LANES = PAIR * HIK_WIDTH };

static inline lane splat(double x) { return (lane){0} + x; }

static inline lane choose(lane_mask mask, lane a, lane b) {
  return (lane)((mask & (lane_mask)a) | (~mask & (lane_mask)b));
}

/* Moves `to` to the distance `length` from `from`, along the line between them; where they coincide along `last`,
   which is left as the direction taken. */
static inline void pull(const lane from[3], double length, const lane *to, lane last[3], lane out[3]) {
  lane d[3] = {to[0] - from[0], to[PAIR] - from[1], to[2 * PAIR] - from[2]};
  lane square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  lane_mask apart = square > splat(1e-290);
  lane inverse = splat(1.0) / HIK_SQRT(choose(apart, square, splat(1.0)));
  for (int c = 0; c < 3; c++) {
    last[c] = choose(apart, d[c] * inverse, last[c]);
    out[c] = from[c] + splat(length) * last[c];
  }
}

static void fabrik_free(int32_t n, const double *length, const double *target_, double *points_, double *error_) {
  lane *points = (lane *)(void *)points_, *error = (lane *)(void *)error_; /* [n + 1][3][PAIR] */
  const lane *target = (const lane *)(const void *)target_;                /* [3][PAIR] */
  lane at[PAIR][3], last[PAIR][3], next[3];
  for (int g = 0; g < PAIR; g++) {
    lane d[3], square = splat(0);
    for (int c = 0; c < 3; c++) {
      at[g][c] = target[c * PAIR + g];
      d[c] = target[c * PAIR + g] - points[c * PAIR + g];
      square += d[c] * d[c];
    }
    lane_mask apart = square > splat(1e-290);
    lane inverse = splat(1.0) / HIK_SQRT(choose(apart, square, splat(1.0)));
    for (int c = 0; c < 3; c++) last[g][c] = choose(apart, -d[c] * inverse, splat(c == 0 ? -1.0 : 0.0));
  }
  /* tip to root: the root itself is put back at once, so it is not computed */
  for (int32_t i = n - 1; i > 0; i--) {
    lane *p = points + (size_t)i * 3 * PAIR;
    for (int g = 0; g < PAIR; g++) {
      pull(at[g], length[i], p + g, last[g], next);
      for (int c = 0; c < 3; c++) p[c * PAIR + g] = at[g][c] = next[c];
    }
  }
  lane *tip = points + (size_t)n * 3 * PAIR;
  for (int g = 0; g < PAIR; g++)
    for (int c = 0; c < 3; c++) {
      tip[c * PAIR + g] = target[c * PAIR + g];
      at[g][c] = points[c * PAIR + g];
    }
  /* root to tip */
  for (int g = 0; g < PAIR; g++)
    for (int c = 0; c < 3; c++) last[g][c] = -last[g][c];
  for (int32_t i = 0; i < n; i++) {
    lane *p = points + (size_t)(i + 1) * 3 * PAIR;
    for (int g = 0; g < PAIR; g++) {
      pull(at[g], length[i], p + g, last[g], next);
      for (int c = 0; c < 3; c++) p[c * PAIR + g] = at[g][c] = next[c];
    }
  }
  for (int g = 0; g < PAIR; g++) {
    lane square = splat(0);
    for (int c = 0; c < 3; c++) {
      lane d = at[g][c] - target[c * PAIR + g];
      square += d * d;
    }
    error[g] = HIK_SQRT(square);
  }
}

const hik_kernels HIK_KERNELS = {.name = HIK_NAME, .lanes = LANES, .fabrik_free = fabrik_free,
                                .chain = &HIK_CHAIN};
