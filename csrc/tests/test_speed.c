#include "base/rng.h"
#include "base/trig.h"
#include "check.h"
#include "plan/speed.h"

enum { MOST = 400, NV = 3, ROWS = 2 * NV };

typedef struct path {
  double s[MOST], first[MOST * NV], second[MOST * NV], velocity, acceleration, cap[MOST];
  double length[MOST], push[MOST * ROWS], pull[MOST * ROWS], rest[MOST * ROWS];
  double x[MOST], brake[MOST], up[MOST], even[MOST], scratch[MOST * (3 * ROWS + 1)];
  hik_speed_path path;
  hik_speed_found found;
  int32_t nv;
} path;

static void take(path *p, int64_t points, double length, int32_t nv) {
  for (int64_t k = 0; k < points; k++) p->s[k] = length * (double)k / (double)(points - 1), p->cap[k] = 1e300;
  for (int64_t k = 0; k + 1 < points; k++) p->length[k] = p->s[k + 1] - p->s[k];
  memset(p->rest, 0, sizeof p->rest);
  p->velocity = 2, p->acceleration = 3, p->nv = nv;
  p->path = (hik_speed_path){points, 2 * nv, p->length, p->push, p->pull, p->rest, p->cap};
  p->found = (hik_speed_found){p->x, p->brake, p->up, p->even};
}

/* Limits of acceleration at both ends of every interval, of velocity at its points. */
static hik_status run(path *p, hik_error *error) {
  int32_t nv = p->nv;
  for (int64_t k = 0; k < p->path.points; k++)
    for (int32_t j = 0; j < nv; j++) {
      double a = p->first[k * nv + j], b = p->second[k * nv + j], fast = p->velocity / fabs(a);
      if (a != 0) p->cap[k] = fmin(p->cap[k], fast * fast);
      if (k + 1 < p->path.points)
        p->push[(2 * k) * nv + j] = a / p->acceleration, p->pull[(2 * k) * nv + j] = b / p->acceleration;
      if (k > 0) {
        int64_t at = (2 * k - 1) * nv + j;
        p->push[at] = (a + 2 * p->length[k - 1] * b) / p->acceleration, p->pull[at] = b / p->acceleration;
      }
    }
  return hik_speed(&p->path, p->scratch, &p->found, error);
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
  CHECK(run(&p, &error) == HIK_OK);
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
  CHECK(run(&p, &error) == HIK_OK);
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
    CHECK(run(&p, &error) == HIK_OK);
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
  p.cap[50] = 0.25;
  for (int k = 0; k < 100; k++) p.first[k] = 1, p.second[k] = 0;
  CHECK(run(&p, &error) == HIK_OK);
  CHECK_NEAR(p.x[50], 0.25, 1e-12);
  CHECK(p.x[40] > 1 && p.x[60] > 1);
}

/* What u changes by on the interval is chosen before: its mean keeps the limits that are left. */
static void test_what_is_chosen_before_is_left_out_of_the_limits(void) {
  path p;
  hik_error error;
  take(&p, 3, 2, 1);
  for (int k = 0; k < 3; k++) p.first[k] = k == 0 ? 1 : -1, p.second[k] = 0;
  for (int k = 0; k < 4; k++) p.rest[k] = 0.25;
  CHECK(run(&p, &error) == HIK_OK);
  /* rows of the first interval: u / 3 + 1/4 and -u / 3 + 1/4; so |u| <= 9/4 on both */
  CHECK_NEAR(p.up[0], 2.25, 1e-12);
  CHECK_NEAR(p.x[1], 4, 1e-12);
  p.rest[0] = p.rest[1] = -0.25, p.push[1] = p.push[0];
  p.rest[2] = p.rest[3] = 0;
  CHECK(hik_speed(&p.path, p.scratch, &p.found, &error) == HIK_OK);
  CHECK_NEAR(p.up[0], 3.75, 1e-12);
}

/* From a speed that is above `brake` the end is not met at rest, from one below it is; x never is above. */
static void test_from_brake_the_end_is_met(void) {
  path p;
  hik_error error;
  take(&p, 101, 4, 1);
  for (int k = 0; k < 101; k++) p.first[k] = 1, p.second[k] = 0;
  CHECK(run(&p, &error) == HIK_OK);
  for (int k = 0; k < 101; k++) {
    CHECK_NEAR(p.brake[k], fmin(4, 6 * (4 - p.s[k])), 1e-9);
    CHECK(p.x[k] <= p.brake[k]);
    if (k < 100) CHECK_NEAR(p.even[k], (p.x[k + 1] - p.x[k]) / (2 * p.length[k]), 1e-12);
  }
  CHECK(p.up[100] == 0 && p.even[100] == 0);
}

/* A limit that u has hardly a part in is a cap of x, and at the cap says what u is by rounding alone:
   `even` keeps to the others, and to all where x changes by no more than rounding. */
static void test_a_nearly_upright_line_does_not_choose_u(void) {
  path p;
  hik_error error;
  hik_rng rng = hik_rng_start(12, 1);
  double worst = 0, bent = 0;
  for (int run = 0; run < 50; run++) {
    take(&p, 30, 1, 1);
    double slow = 1 + hik_rng_uniform(&rng), upright = 1e-5 * hik_rng_uniform(&rng);
    for (int k = 0; k < 29; k++) {
      const bool bends = k >= 10 && k < 20;
      p.length[k] = bends ? 1e-5 : k < 22 ? 1 : k < 25 ? 1e-7 : 0.1; /* it brakes from k = 21 on */
      p.push[2 * k] = bends ? 2e-5 * upright : 1, p.push[2 * k + 1] = bends ? -1 : 1;
      p.pull[2 * k] = p.pull[2 * k + 1] = bends ? slow : 0;
    }
    CHECK(hik_speed(&p.path, p.scratch, &p.found, &error) == HIK_OK);
    for (int k = 0; k < 29; k++)
      for (int j = 2 * k; j < 2 * k + 2; j++) {
        worst = fmax(worst, fabs(p.push[j] * p.even[k] + p.pull[j] * p.x[k]));
        bent = fmax(bent, p.pull[j] * p.x[k]);
      }
  }
  CHECK(worst <= 1 + 1e-12 && bent > 1 - 1e-9);
}

static void test_a_path_that_is_none_is_refused(void) {
  path p;
  hik_error error;
  take(&p, 10, 1, 1);
  for (int k = 0; k < 10; k++) p.first[k] = 1, p.second[k] = 0;
  p.path.points = 1;
  CHECK(run(&p, &error) == HIK_BAD_ARGUMENT);
  p.path.points = 10, p.length[3] = 0;
  CHECK(run(&p, &error) == HIK_BAD_ARGUMENT);
  take(&p, 10, 1, 1), p.cap[2] = NAN;
  CHECK(hik_speed(&p.path, p.scratch, &p.found, &error) == HIK_BAD_ARGUMENT);
  take(&p, 10, 1, 1), p.cap[2] = -1;
  CHECK(hik_speed(&p.path, p.scratch, &p.found, &error) == HIK_BAD_ARGUMENT);
  take(&p, 2, 1, 1);
  CHECK(run(&p, &error) == HIK_OK && p.x[0] == 0 && p.x[1] == 0);
  size_t doubles;
  CHECK(hik_speed_scratch(10, 3, &doubles) && doubles == 10 * 10);
  CHECK(!hik_speed_scratch(INT64_MAX, INT32_MAX, &doubles));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_straight_line_takes_the_time_of_the_book);
  RUN(test_a_circle_is_as_fast_as_its_bend_allows);
  RUN(test_limits_hold_and_nothing_is_given_away);
  RUN(test_a_cap_of_the_caller_holds);
  RUN(test_what_is_chosen_before_is_left_out_of_the_limits);
  RUN(test_from_brake_the_end_is_met);
  RUN(test_a_nearly_upright_line_does_not_choose_u);
  RUN(test_a_path_that_is_none_is_refused);
  CHECK_END();
}
