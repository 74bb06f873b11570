/* test_trig.c: base/trig.h against the long double functions of libm, with the bounds its header states. */
#include "base/trig.h"

#include <float.h>

#include "check.h"

#define SINCOS_BOUND 2e-16L
#define SINCOS_ULPS  2.5L
#define ATAN_BOUND   4e-16L
#define REACH        1.6e6 /* up to here the reduction is exact enough for SINCOS_BOUND */

static uint64_t state = 88172645463325252u;

/* Uniform in [0, 1): xorshift, Marsaglia 2003. */
static double uniform(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static double spacing(double x) {
  x = fabs(x);
  return nextafter(x, INFINITY) - x;
}

/* The worst error of sine and cosine at x. */
static long double sincos_error(double x) {
  double s, c;
  hik_sincos(x, &s, &c);
  return fmaxl(fabsl(s - sinl(x)), fabsl(c - cosl(x)));
}

static void test_sincos_keeps_its_absolute_bound(void) {
  static const double reach[] = {1e-3, 0.7853981633974483, 3.2, 10, 1e2, 1e3, 1e4, 1e5, REACH};
  for (int i = 0; i < HIK_COUNT_OF(reach); i++) {
    long double worst = 0;
    for (int k = 0; k < CHECK_REPEATS(100000, 10000); k++)
      worst = fmaxl(worst, sincos_error((2 * uniform() - 1) * reach[i]));
    CHECK_NEAR((double)worst, 0, SINCOS_BOUND);
    CHECK(worst > 0); /* a reference that agrees to the last bit would be the function itself */
  }
}

static void test_sincos_keeps_its_bound_in_last_places(void) {
  long double worst = 0;
  for (int k = 0; k < CHECK_REPEATS(400000, 40000); k++) {
    double x = (2 * uniform() - 1) * (k & 1 ? REACH : 4), s, c;
    hik_sincos(x, &s, &c);
    worst = fmaxl(worst, fabsl(s - sinl(x)) / spacing((double)sinl(x)));
    worst = fmaxl(worst, fabsl(c - cosl(x)) / spacing((double)cosl(x)));
  }
  CHECK_NEAR((double)worst, 0, SINCOS_ULPS);
}

/* The hard arguments of any reduction: the doubles next to a multiple of pi/2, where one of the two is tiny. */
static void test_sincos_beside_multiples_of_a_quarter_turn(void) {
  long double worst = 0;
  for (int k = 1; k * 1.57079632679489661923 < REACH; k += k < 5000 ? 1 : CHECK_REPEATS(37, 370)) {
    double x = k * 1.57079632679489661923;
    for (int step = -2; step <= 2; step++) {
      double at = step < 0 ? nextafter(x, 0) : step > 0 ? nextafter(x, INFINITY) : x, s, c;
      hik_sincos(at, &s, &c);
      long double small = k & 1 ? cosl(at) : sinl(at);
      worst = fmaxl(worst, fabsl((k & 1 ? c : s) - small) / spacing((double)small));
    }
  }
  CHECK_NEAR((double)worst, 0, SINCOS_ULPS);
}

static void test_sincos_of_large_arguments_stays_within_their_spacing(void) {
  static const double reach[] = {1e7, 1e8, 9.99e8, 1e9, 1e10, 1e12, 1e15, 1e18};
  for (int i = 0; i < HIK_COUNT_OF(reach); i++)
    for (int k = 0; k < 20000; k++) {
      double x = reach[i] * (1 - 0.5 * uniform());
      CHECK_NEAR((double)sincos_error(x), 0, 2e-16 + spacing(x) / 2);
    }
  for (double x = 1e18; x < 1e300; x *= 1.7) {
    double s, c;
    hik_sincos(x, &s, &c);
    CHECK_NEAR(s * s + c * c, 1, 1e-15);
  }
}

static void test_sincos_special_values(void) {
  static const double none[] = {1e300, -1e300, 1.7e308, INFINITY, -INFINITY, NAN};
  double s, c;
  hik_sincos(0, &s, &c);
  CHECK(s == 0 && c == 1);
  hik_sincos(-0.0, &s, &c);
  CHECK(s == 0 && c == 1);
  hik_sincos(4.9406564584124654e-324, &s, &c);
  CHECK(s == 4.9406564584124654e-324 && c == 1);
  for (int i = 0; i < HIK_COUNT_OF(none); i++) {
    hik_sincos(none[i], &s, &c);
    CHECK(isnan(s) && isnan(c));
  }
}

static void test_sincos_is_odd_and_even_to_the_last_bit(void) {
  for (int k = 0; k < CHECK_REPEATS(100000, 10000); k++) {
    double x = uniform() * (k & 1 ? 1e6 : 7), s, c, t, d;
    hik_sincos(x, &s, &c);
    hik_sincos(-x, &t, &d);
    CHECK(s == -t && c == d);
  }
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Both numbers side by side have the bytes of one alone, large ones and those that have no sine beside small ones too. */
static void test_two_at_once_are_each_alone(void) {
  static const double none[] = {0, -0.0, 1e9, -1e9, 9.99999999e8, 1e299, 1e301, INFINITY, NAN};
  for (int k = 0; k < CHECK_REPEATS(100000, 10000); k++) {
    double s, c;
    hik_two x = {(2 * uniform() - 1) * (k & 1 ? 1e6 : 7), (2 * uniform() - 1) * (k & 2 ? 1e6 : 7)}, t, d;
    if (k % 16 == 0) x[k / 16 % 2] = none[k / 32 % HIK_COUNT_OF(none)];
    hik_sincos_two(x, &t, &d);
    for (int i = 0; i < 2; i++) {
      hik_sincos(x[i], &s, &c);
      CHECK(isnan(s) ? isnan(t[i]) && isnan(d[i]) : same_bits(s, t[i]) && same_bits(c, d[i]));
    }
  }
}

static void test_atan2_keeps_its_bound(void) {
  long double worst = 0;
  for (int k = 0; k < CHECK_REPEATS(600000, 60000); k++) {
    double y = 2 * uniform() - 1, x = 2 * uniform() - 1;
    if (k & 1) y *= exp2(-60 * uniform());
    if (k & 2) x *= exp2(-60 * uniform());
    if (k & 4) x *= 1e200, y *= 1e200;
    worst = fmaxl(worst, fabsl((hik_atan2(y, x) - atan2l(y, x)) / atan2l(y, x)));
  }
  CHECK_NEAR((double)worst, 0, ATAN_BOUND);
}

static void test_atan2_special_values(void) {
  static const double row[][2] = {
      {0, 1},
      {0, -1},
      {1, 0},
      {-1, 0},
      {INFINITY, 1},
      {-INFINITY, 1},
      {1, INFINITY},
      {1, -INFINITY},
      {-1, -INFINITY},
      {0, INFINITY},
      {INFINITY, INFINITY},
      {-INFINITY, INFINITY},
      {1e300, 1e-300},
      {-1e-300, -1e300},
      {5e-324, -1},
      {1e-320, 1e-320},
      {INFINITY, -INFINITY},
      {-INFINITY, -INFINITY},
  };
  for (int i = 0; i < HIK_COUNT_OF(row); i++) {
    double wanted = atan2(row[i][0], row[i][1]);
    CHECK_NEAR(hik_atan2(row[i][0], row[i][1]), wanted, 4e-16 * fabs(wanted));
  }
  CHECK(hik_atan2(0, 0) == 0);
  CHECK(hik_atan2(-0.0, -0.0) == 0); /* a zero counts as +0, unlike in libm */
  CHECK_NEAR(hik_atan2(-0.0, -1), HIK_PI, 0);
  CHECK(isnan(hik_atan2(NAN, 1)) && isnan(hik_atan2(1, NAN)) && isnan(hik_atan2(0, NAN)) &&
        isnan(hik_atan2(NAN, 0)));
}

static void test_acos_and_asin_keep_their_bound(void) {
  long double worst = 0;
  for (int k = 0; k < CHECK_REPEATS(400000, 40000); k++) {
    double x = 2 * uniform() - 1;
    if (k & 1) x = (x < 0 ? -1 : 1) * (1 - exp2(-50 * uniform())); /* next to +-1, where acos is steep */
    if ((k & 6) == 2) x *= exp2(-60 * uniform());
    if (x == 1 || x == 0) continue;
    worst = fmaxl(worst, fabsl((hik_acos(x) - acosl(x)) / acosl(x)));
    worst = fmaxl(worst, fabsl((hik_asin(x) - asinl(x)) / asinl(x)));
  }
  CHECK_NEAR((double)worst, 0, ATAN_BOUND);
}

static void test_acos_and_asin_clip_what_rounding_puts_outside(void) {
  CHECK(hik_acos(1) == 0 && hik_acos(1 + 1e-12) == 0 && hik_acos(INFINITY) == 0);
  CHECK_NEAR(hik_acos(-1), HIK_PI, 0);
  CHECK_NEAR(hik_acos(-1 - 1e-12), HIK_PI, 0);
  CHECK_NEAR(hik_asin(1.5), HIK_PI / 2, 0);
  CHECK_NEAR(hik_asin(-1.5), -HIK_PI / 2, 0);
  CHECK(hik_asin(0) == 0);
  CHECK(isnan(hik_acos(NAN)) && isnan(hik_asin(NAN)));
}

static void test_exp(void) {
  long double worst = 0;
  for (int k = 0; k < CHECK_REPEATS(400000, 40000); k++) {
    double x = -uniform() * (k & 1 ? 700 : k & 2 ? 1 : 1e-3);
    worst = fmaxl(worst, fabsl(hik_exp(x) - expl(x)) / expl(x));
  }
  CHECK_NEAR((double)worst, 0, 4e-16);
  CHECK(worst > 0);
  CHECK(hik_exp(0) == 1 && hik_exp(-0.0) == 1 && hik_exp(3) == 1 && hik_exp(INFINITY) == 1);
  CHECK(hik_exp(-700.1) == 0 && hik_exp(-INFINITY) == 0 && hik_exp(NAN) != hik_exp(NAN));
  for (double x = -699; x < 0; x += 0.37) CHECK(hik_exp(x) < hik_exp(x + 0.3));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_sincos_keeps_its_absolute_bound);
  RUN(test_sincos_keeps_its_bound_in_last_places);
  RUN(test_sincos_beside_multiples_of_a_quarter_turn);
  RUN(test_sincos_of_large_arguments_stays_within_their_spacing);
  RUN(test_sincos_special_values);
  RUN(test_sincos_is_odd_and_even_to_the_last_bit);
  RUN(test_two_at_once_are_each_alone);
  RUN(test_atan2_keeps_its_bound);
  RUN(test_atan2_special_values);
  RUN(test_acos_and_asin_keep_their_bound);
  RUN(test_acos_and_asin_clip_what_rounding_puts_outside);
  RUN(test_exp);
  CHECK_END();
}
