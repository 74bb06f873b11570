#include "base/rng.h"
#include "base/trig.h"
#include "check.h"
#include "plan/speed.h"

enum { MOST = 400, NV = 3 };

typedef struct path {
  double s[MOST], first[MOST * NV], second[MOST * NV], velocity[NV], acceleration[NV], x[MOST], cap[MOST];
  double scratch[MOST * (4 * NV + 2)];
  hik_speed_path path;
} path;

static void take(path *p, int64_t points, double length, int32_t nv) {
  for (int64_t k = 0; k < points; k++) p->s[k] = length * (double)k / (double)(points - 1), p->cap[k] = 1e300;
  for (int32_t j = 0; j < nv; j++) p->velocity[j] = 2, p->acceleration[j] = 3;
  p->path = (hik_speed_path){points, nv, p->s, p->first, p->second, p->velocity, p->acceleration, NULL};
}

static double duration(const path *p) {
  double t = 0;
  for (int64_t k = 0; k + 1 < p->path.points; k++)
    t += 2 * (p->s[k + 1] - p->s[k]) / (sqrt(p->x[k]) + sqrt(p->x[k + 1]));
  return t;
}

/* One coordinate, straight: full acceleration, full speed, full brake; the time is known. */
static void test_a_straight_line_takes_the_time_of_the_book(void) {
  path p;
  hik_error error;
  take(&p, 301, 6, 1);
  for (int k = 0; k < 301; k++) p.first[k] = 1, p.second[k] = 0;
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_OK);
  /* v / a = 2/3 s up and down, (6 - v^2 / a) / v between */
  CHECK_NEAR(duration(&p), 2 * 2.0 / 3 + (6 - 4.0 / 3) / 2, 1e-4);
  CHECK(p.x[0] == 0 && p.x[300] == 0);
  CHECK_NEAR(p.x[150], 4, 1e-12);
}

/* On a circle the pull towards the middle takes the whole acceleration: x <= A / |q''| where q' has no part. */
static void test_a_circle_is_as_fast_as_its_bend_allows(void) {
  path p;
  hik_error error;
  take(&p, 400, 12, 2);
  for (int k = 0; k < 400; k++) {
    double c, s;
    hik_sincos(p.s[k], &s, &c);
    double *a = p.first + 2 * k, *b = p.second + 2 * k;
    a[0] = c, a[1] = s, b[0] = -s, b[1] = c;
  }
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_OK);
  /* at quarter turns one coordinate bears the whole bend: x <= 3 there, more between */
  double most = 0;
  for (int k = 0; k < 400; k++) most = fmax(most, p.x[k]);
  CHECK(p.x[209] <= 3.01 && p.x[209] > 2.5); /* s = 6.285, a whole turn */
  CHECK(most <= 3 * sqrt(2) + 1e-9);
}

/* Whatever the path: limits hold at both ends of every interval, and one x alone cannot be raised. */
static void test_limits_hold_and_nothing_is_given_away(void) {
  path p;
  hik_error error;
  for (uint64_t seed = 0; seed < 40; seed++) {
    hik_rng rng = hik_rng_start(seed, 3);
    take(&p, 60, 3, NV);
    double phase[NV], rate[NV];
    for (int j = 0; j < NV; j++) phase[j] = 6 * hik_rng_uniform(&rng), rate[j] = 4 * hik_rng_uniform(&rng);
    for (int k = 0; k < 60; k++)
      for (int j = 0; j < NV; j++) {
        double c, s;
        hik_sincos(rate[j] * p.s[k] + phase[j], &s, &c);
        p.first[k * NV + j] = c, p.second[k * NV + j] = -rate[j] * s;
      }
    CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_OK);
    double worst = 0;
    for (int k = 0; k + 1 < 60; k++) {
      double u = (p.x[k + 1] - p.x[k]) / (2 * (p.s[k + 1] - p.s[k])), tight = 0;
      for (int j = 0; j < NV; j++) {
        double begin = fabs(p.first[k * NV + j] * u + p.second[k * NV + j] * p.x[k]) / 3,
               end = fabs(p.first[(k + 1) * NV + j] * u + p.second[(k + 1) * NV + j] * p.x[k + 1]) / 3,
               fast = fabs(p.first[(k + 1) * NV + j]) * sqrt(p.x[k + 1]) / 2;
        tight = fmax(tight, fmax(fast, fmax(begin, end)));
      }
      worst = fmax(worst, tight);
    }
    CHECK(worst <= 1 + 1e-7);
    CHECK(worst > 1 - 1e-6);
  }
}

static void test_a_cap_of_the_caller_holds(void) {
  path p;
  hik_error error;
  take(&p, 100, 6, 1);
  p.path.cap = p.cap, p.cap[50] = 0.25;
  for (int k = 0; k < 100; k++) p.first[k] = 1, p.second[k] = 0;
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_OK);
  CHECK_NEAR(p.x[50], 0.25, 1e-12);
  CHECK(p.x[40] > 1 && p.x[60] > 1);
}

static void test_a_path_that_is_none_is_refused(void) {
  path p;
  hik_error error;
  take(&p, 10, 1, 1);
  for (int k = 0; k < 10; k++) p.first[k] = 1, p.second[k] = 0;
  p.path.points = 2;
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_BAD_ARGUMENT);
  p.path.points = 10, p.s[4] = p.s[3];
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_BAD_ARGUMENT);
  take(&p, 10, 1, 1), p.acceleration[0] = 0;
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_BAD_ARGUMENT);
  take(&p, 10, 1, 1), p.velocity[0] = NAN;
  CHECK(hik_speed(&p.path, p.scratch, p.x, &error) == HIK_BAD_ARGUMENT);
  size_t doubles;
  CHECK(hik_speed_scratch(10, 3, &doubles) && doubles == 10 * 14);
  CHECK(!hik_speed_scratch(INT64_MAX, INT32_MAX, &doubles));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_straight_line_takes_the_time_of_the_book);
  RUN(test_a_circle_is_as_fast_as_its_bend_allows);
  RUN(test_limits_hold_and_nothing_is_given_away);
  RUN(test_a_cap_of_the_caller_holds);
  RUN(test_a_path_that_is_none_is_refused);
  CHECK_END();
}
