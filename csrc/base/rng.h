/* rng.h: a counter-based generator: every number is a function of (seed, stream, counter), so that the order of the
   work never changes it. SplitMix64 (Steele, Lea and Flood 2014) over a mixed key. */
#pragma once
#include "base/trig.h"

typedef struct hik_rng {
  uint64_t state;
} hik_rng;

HIK_INLINE uint64_t hik_rng_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

HIK_INLINE hik_rng hik_rng_start(uint64_t seed, uint64_t stream) {
  return (hik_rng){hik_rng_mix(seed + 0x9e3779b97f4a7c15u) ^
                   hik_rng_mix(stream * 0xd1342543de82ef95u + 0x632be59bd9b4e019u)};
}

HIK_INLINE uint64_t hik_rng_next(hik_rng *rng) { return hik_rng_mix(rng->state += 0x9e3779b97f4a7c15u); }

/* In [0, 1), 53 bits. */
HIK_INLINE double hik_rng_uniform(hik_rng *rng) { return (double)(hik_rng_next(rng) >> 11) * 0x1p-53; }

/* A rotation, uniform (Marsaglia 1972: two points in unit discs). */
HIK_INLINE void hik_rng_rotation(hik_rng *rng, double q[4]) {
  double a, b, c, d, s, t;
  do a = 2 * hik_rng_uniform(rng) - 1, b = 2 * hik_rng_uniform(rng) - 1, s = a * a + b * b;
  while (s >= 1);
  do c = 2 * hik_rng_uniform(rng) - 1, d = 2 * hik_rng_uniform(rng) - 1, t = c * c + d * d;
  while (t >= 1 || t < 1e-30);
  double k = sqrt((1 - s) / t);
  q[0] = a, q[1] = b, q[2] = c * k, q[3] = d * k;
}
