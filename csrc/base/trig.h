/* trig.h: own sine, cosine, arc tangent and decay, so that every machine, compiler and instruction set gives the same bytes
   (libm's differ from version to version). Only + - * / sqrt and rounding are used.

   hik_sincos  |error| <= 2e-16 for |x| <= 1.6e6, and <= 2.5 units in the last place (Cody and Waite in three
               parts); beyond that <= 2e-16 plus half the spacing of doubles at x, up to 1e300. A larger x, or one
               that is not finite, gives NaN.
   hik_atan2   |error| <= 4e-16 relative to the result, as for hik_asin and hik_acos. A zero of y or x counts as +0.
   hik_exp     |error| <= 4e-16 relative to the result for -700 <= x <= 0, which is where it is defined: a larger x
               counts as 0, below -700 the result is 0. NaN gives NaN.
   Each bound is checked against long double by tests/test_trig.c.
   Source: minimax polynomials of the Cephes library (Moshier 1989), published constants. */
#pragma once
#include "base/base.h"

/* The polynomials, for numbers and for lanes of them alike (simd/lanes.h): sine of |r| <= pi / 4 with z = r r, cosine
   likewise; atan x = x + x z P / Q for |x| <= 0.66 with z = x x. */
/* clang-format off */
#define HIK_SINE(r, z)                                                                                       \
  (((((((1.58962301576546568060e-10 * (z) - 2.50507477628578072866e-8) * (z) + 2.75573136213857245213e-6) * (z) - \
       1.98412698295895385996e-4) * (z) + 8.33333333332211858878e-3) * (z) - 1.66666666666666307295e-1) * (z)) * (r) + (r))
#define HIK_COSINE(z)                                                                                        \
  (((((((-1.13585365213876817300e-11 * (z) + 2.08757008419747316778e-9) * (z) - 2.75573141792967388112e-7) * (z) + \
       2.48015872888517045348e-5) * (z) - 1.38888888888730564116e-3) * (z) + 4.16666666666665929218e-2) * (z)) * (z) - \
   0.5 * (z) + 1)
#define HIK_ATAN_P(z)                                                                                        \
  ((((-8.750608600031904122785e-1 * (z) - 1.615753718733365076637e1) * (z) - 7.500855792314704667340e1) * (z) - \
    1.228866684490136173410e2) * (z) - 6.485021904942025371773e1)
#define HIK_ATAN_Q(z)                                                                                        \
  ((((((z) + 2.485846490142306297962e1) * (z) + 1.650270098316988542046e2) * (z) + 4.328810604912902668951e2) * (z) + \
    4.853903996359136964868e2) * (z) + 1.945506571482613964425e2)
/* clang-format on */

HIK_INLINE void hik_sincos(double x, double *sine, double *cosine) {
  /* round(x 2/pi) to the nearest even by the usual addition of 1.5 * 2^52 */
  const double shift = 6755399441055744.0;
  double k = (x * 0.63661977236758134308 + shift) - shift;
  if (HIK_UNLIKELY(!(fabs(x) < 1e9))) {
    if (!(fabs(x) < 1e300)) {
      *sine = *cosine = NAN;
      return;
    }
    x = fmod(x, 6.28318530717958647692); /* exact remainder of the rounded 2 pi */
    k = (x * 0.63661977236758134308 + shift) - shift;
  }
  double r = x - k * 1.57079632673412561417e+00; /* first 33 bits of pi/2: exact product for |k| < 2^20 */
  r -= k * 6.07710050630396597660e-11;
  r -= k * 2.02226624879595063154e-21;
  double z = r * r;
  double s = HIK_SINE(r, z), c = HIK_COSINE(z);
  int64_t quadrant = (int64_t)k & 3;
  double a = quadrant & 1 ? c : s, b = quadrant & 1 ? s : c;
  *sine = quadrant & 2 ? -a : a;
  *cosine = (quadrant == 1 || quadrant == 2) ? -b : b;
}

/* Two numbers side by side, as every machine has them. */
typedef double hik_two __attribute__((vector_size(16)));
typedef int64_t hik_two_bits __attribute__((vector_size(16)));

/* hik_sincos of both, by its operations in their order. */
HIK_INLINE void hik_sincos_two(hik_two x, hik_two *sine, hik_two *cosine) {
  const double shift = 6755399441055744.0;
  if (HIK_UNLIKELY(!(fabs(x[0]) < 1e9 && fabs(x[1]) < 1e9))) {
    for (int i = 0; i < 2; i++) {
      double s, c;
      hik_sincos(x[i], &s, &c);
      (*sine)[i] = s, (*cosine)[i] = c;
    }
    return;
  }
  hik_two t = x * 0.63661977236758134308 + shift, k = t - shift, r = x - k * 1.57079632673412561417e+00;
  r -= k * 6.07710050630396597660e-11;
  r -= k * 2.02226624879595063154e-21;
  hik_two z = r * r, s = HIK_SINE(r, z), c = HIK_COSINE(z);
  hik_two_bits bits = (hik_two_bits)t; /* the low bits of the shifted sum are those of the whole number k */
  hik_two_bits swap = -(bits & 1), change = ((hik_two_bits)s ^ (hik_two_bits)c) & swap;
  *sine = (hik_two)((hik_two_bits)s ^ change ^ ((bits & 2) << 62));
  *cosine = (hik_two)((hik_two_bits)c ^ change ^ (((bits + 1) & 2) << 62));
}

/* atan of x >= 0 (Cephes atan.c): reduction to |x| <= 0.66, rational P/Q of degree 4/5 in x^2. */
HIK_INLINE double hik_atan_positive(double x) {
  double base = 0, more = 0;
  if (x > 2.41421356237309504880) {
    base = 1.57079632679489661923, more = 6.123233995736765886130e-17, x = -1 / x;
  } else if (x > 0.66) {
    base = 0.78539816339744830962, more = 3.061616997868382943065e-17, x = (x - 1) / (x + 1);
  }
  double z = x * x;
  return base + (x * (z * HIK_ATAN_P(z) / HIK_ATAN_Q(z)) + x + more);
}

HIK_INLINE double hik_atan2(double y, double x) {
  double ax = fabs(x), ay = fabs(y), a;
  if (ax == 0 && ay == 0)
    a = 0;
  else if (ay <= 1.7976931348623157e308 && ax > 1.7976931348623157e308)
    a = 0;
  else
    a = ay == ax ? 0.78539816339744830962 : hik_atan_positive(ay / ax);
  if (x < 0) a = HIK_PI - a + 1.224646799147353177e-16;
  return y < 0 ? -a : a;
}

HIK_INLINE double hik_acos(double x) {
  x = hik_clip(x, -1, 1);
  return hik_atan2(sqrt((1 - x) * (1 + x)), x);
}

HIK_INLINE double hik_asin(double x) {
  x = hik_clip(x, -1, 1);
  return hik_atan2(x, sqrt((1 - x) * (1 + x)));
}

/* e^x of x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2 (in two parts, Cody and Waite), Taylor's series to r^13 (rest
   below 5e-18), scaled by 2^k through the bits of the exponent. */
HIK_INLINE double hik_exp(double x) {
  if (x != x) return x;
  if (x < -700) return 0;
  x = x > 0 ? 0 : x;
  const double shift = 6755399441055744.0;
  double k = (x * 1.44269504088896340736 + shift) - shift, r = x - k * 6.93147180369123816490e-01;
  r -= k * 1.90821492927058770002e-10;
  double sum = 1;
  for (int i = 13; i > 0; i--) sum = 1 + sum * r / i;
  uint64_t bits = (uint64_t)(1023 + (int64_t)k) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return sum * scale;
}
