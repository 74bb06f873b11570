/* halton.c: see halton.h.

   Reference  J. H. Halton (1960); R. Cranley, T. N. L. Patterson (1976), random shift; K. Shoemake, Uniform random
              rotations, Graphics Gems III (1992); E. Braaten, G. Weller, J. Computational Physics 33 (1979) 249-258, what
              the coordinates of large primes are worth. */
#include "solve/drive/halton.h"

#include "base/rng.h"

/* In a base larger than the number of points the sequence only counts up: two such columns go side by side. */
enum { PRIMES = 16 };
static const uint16_t primes[PRIMES] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

double hik_halton(uint32_t index, uint32_t prime) {
  double x = 0, step = 1.0 / prime;
  for (double size = step; index > 0; index /= prime, size *= step) x += (double)(index % prime) * size;
  return x;
}

/* Coordinate k of the point, shifted by the seed. */
static double coordinate(uint64_t seed, uint32_t index, int32_t k) {
  hik_rng rng = hik_rng_start(seed, 0x68616c746f6eu + (uint64_t)k);
  double shift = hik_rng_uniform(&rng);
  if (k >= PRIMES) {
    rng = hik_rng_start(seed + index, 0x68616c746f6eu + (uint64_t)k);
    return hik_rng_uniform(&rng);
  }
  double x = hik_halton(index, primes[k]) + shift;
  return x < 1 ? x : x - 1;
}

static void rotation(const double u[3], double *q) {
  double s, c, a = sqrt(1 - u[0]), b = sqrt(u[0]);
  hik_sincos(2 * HIK_PI * u[1], &s, &c);
  q[1] = a * s, q[2] = a * c;
  hik_sincos(2 * HIK_PI * u[2], &s, &c);
  q[3] = b * s, q[0] = b * c;
}

void hik_halton_start(const hik_descent *d, uint32_t index, double *q) {
  uint64_t seed = d->run->options->seed;
  for (int32_t k = 0; k < d->n; k++) {
    int32_t at = d->column_q[k];
    if (d->column_part[k] != HIK_NO_BALL) {
      double u[3];
      for (int i = 0; i < 3; i++) u[i] = coordinate(seed, index, k + i);
      if (d->chart[k].cone)
        hik_swing_spread(d->chart[k].cone, u, q + at);
      else
        rotation(u, q + at);
      k += 2;
      continue;
    }
    /* a turn's unit is 1, a slide's the length of the figure */
    double wide = d->unit[k] == 1 ? HIK_PI : d->unit[k], low = d->lower[k], high = d->upper[k];
    if (low == -INFINITY) low = high == INFINITY ? -wide : high - 2 * wide;
    if (high == INFINITY) high = low + 2 * wide;
    q[at] = hik_clip(low + coordinate(seed, index, k) * (high - low), d->lower[k], d->upper[k]);
  }
}
