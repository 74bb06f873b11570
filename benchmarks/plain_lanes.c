/* plain_lanes.c: the loop of plain_fabrik.c with as many chains side by side as two registers hold, in intrinsics: what
   a programmer of this processor would write for one iteration, and nothing else. All chains make the same number of
   iterations; nothing is loaded, refilled, judged or turned into joints. benchmarks/chains.py compiles it once for each
   of LANES_D4 (AVX2, 4 doubles), LANES_D8 (AVX-512, 8 doubles), LANES_F8 and LANES_F16 (floats, reciprocal square root
   as the processor guesses it, one Newton step). */
#include <immintrin.h>

#if defined(LANES_D4)
typedef double real;
typedef __m256d reg;
#define WIDTH    4
#define OP(name) _mm256_##name##_pd
#elif defined(LANES_D8)
typedef double real;
typedef __m512d reg;
#define WIDTH    8
#define OP(name) _mm512_##name##_pd
#elif defined(LANES_F8)
typedef float real;
typedef __m256 reg;
#define WIDTH    8
#define OP(name) _mm256_##name##_ps
#define GUESS    _mm256_rsqrt_ps
#else
typedef float real;
typedef __m512 reg;
#define WIDTH    16
#define OP(name) _mm512_##name##_ps
#define GUESS    _mm512_rsqrt14_ps
#endif
enum { PAIR = 2, LANES = PAIR * WIDTH };

int plain_width(void) { return LANES; }

/* length / sqrt(square) */
static inline reg share(reg length, reg square) {
#ifdef GUESS
  reg y = GUESS(square), half = OP(mul)(OP(mul)(square, OP(set1)((real)0.5)), y);
  return OP(mul)(length, OP(mul)(y, OP(sub)(OP(set1)((real)1.5), OP(mul)(half, y))));
#else
  return OP(div)(length, OP(sqrt)(square));
#endif
}

/* Brings `to` to the distance `length` from `from`. */
static inline void pull(const reg from[3], reg length, real *to, reg out[3]) {
  reg d[3];
  for (int c = 0; c < 3; c++) d[c] = OP(sub)(OP(loadu)(to + c * LANES), from[c]);
  reg s = share(length, OP(add)(OP(add)(OP(mul)(d[0], d[0]), OP(mul)(d[1], d[1])), OP(mul)(d[2], d[2])));
  for (int c = 0; c < 3; c++) {
    out[c] = OP(add)(from[c], OP(mul)(s, d[c]));
    OP(storeu)(to + c * LANES, out[c]);
  }
}

/* n links; `groups` groups of LANES chains: points [n + 1][3][LANES], targets [3][LANES], error [LANES]. */
void plain_lanes(int n, const double *length, long groups, const real *targets, real *points, real *error,
                 int iterations) {
  for (long k = 0; k < groups; k++, targets += 3 * LANES, points += 3 * (n + 1) * LANES, error += LANES)
    for (int iteration = 0; iteration < iterations; iteration++) {
      reg at[PAIR][3];
      for (int g = 0; g < PAIR; g++)
        for (int c = 0; c < 3; c++) at[g][c] = OP(loadu)(targets + c * LANES + g * WIDTH);
      for (int i = n - 1; i > 0; i--)
        for (int g = 0; g < PAIR; g++)
          pull(at[g], OP(set1)((real)length[i]), points + 3 * i * LANES + g * WIDTH, at[g]);
      for (int g = 0; g < PAIR; g++)
        for (int c = 0; c < 3; c++) {
          OP(storeu)(points + (3 * n + c) * LANES + g * WIDTH, OP(loadu)(targets + c * LANES + g * WIDTH));
          at[g][c] = OP(loadu)(points + c * LANES + g * WIDTH);
        }
      for (int i = 0; i < n; i++)
        for (int g = 0; g < PAIR; g++)
          pull(at[g], OP(set1)((real)length[i]), points + 3 * (i + 1) * LANES + g * WIDTH, at[g]);
      for (int g = 0; g < PAIR; g++) {
        reg d[3];
        for (int c = 0; c < 3; c++) d[c] = OP(sub)(at[g][c], OP(loadu)(targets + c * LANES + g * WIDTH));
        OP(storeu)
        (error + g * WIDTH,
         OP(sqrt)(OP(add)(OP(add)(OP(mul)(d[0], d[0]), OP(mul)(d[1], d[1])), OP(mul)(d[2], d[2]))));
      }
    }
}
