/* test_study_paths.c: the stored start lies on its planes, series and distances are what they say, paths arrive. */
#include "analytic/stewart_start.h"
#include "analytic/study_paths.h"
#include "base/rng.h"
#include "tests/check.h"

static hik_study_work work;
static hik_rng rng;

static double draw1(void) { return 2 * hik_rng_uniform(&rng) - 1; }

static void stored(hik_study_planes *h, hik_study_point *z) {
  memset(h, 0, sizeof *h);
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
    for (int i = 0; i < 6; i++)
      h->re[k][i] = start_planes_re[6 * k + i], h->im[k][i] = start_planes_im[6 * k + i];
  for (int p = 0; p < HIK_STUDY_POINTS; p++)
    for (int i = 0; i < 8; i++)
      z[p].re[i] = start_points_re[8 * p + i], z[p].im[i] = start_points_im[8 * p + i];
}

static void random_planes(hik_study_planes *h) {
  memset(h, 0, sizeof *h);
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
    for (int i = 0; i < 6; i++) h->re[k][i] = draw1(), h->im[k][i] = draw1();
  CHECK(hik_study_orthonormal(h));
}

static void test_start_is_forty_points(void) {
  hik_study_planes h;
  hik_study_point z[HIK_STUDY_POINTS], before;
  stored(&h, z);
  hik_study_between(&h, &h, &work);
  work.here = h;
  for (int p = 0; p < HIK_STUDY_POINTS; p++) {
    before = z[p];
    CHECK(hik_study_polish(&work, &z[p]) < 1e-12);
    CHECK(hik_study_distance(&before, &z[p], false) < 1e-12);
    CHECK(hik_study_norm(&z[p]) > 1e-6);
    for (int k = 0; k < p; k++) CHECK(hik_study_distance(&z[p], &z[k], false) > 1e-3);
  }
}

static void test_there_and_back(void) {
  hik_study_planes h, g;
  hik_study_point z[HIK_STUDY_POINTS];
  stored(&h, z);
  rng = hik_rng_start(3, 0);
  random_planes(&g);
  for (int p = 0; p < HIK_STUDY_POINTS; p += 3) {
    hik_study_point w = z[p];
    hik_study_between(&h, &g, &work);
    CHECK(hik_study_follow(&work, 1e-3, &w) == HIK_STUDY_FINITE);
    CHECK(hik_study_distance(&w, &z[p], false) > 1e-3);
    hik_study_between(&g, &h, &work);
    CHECK(hik_study_follow(&work, 1e-3, &w) == HIK_STUDY_FINITE);
    CHECK(hik_study_distance(&w, &z[p], false) < 1e-10);
  }
}

/* The series against points led there by Newton's method: the error of order k falls with h^(k + 1). */
static void test_series_order(void) {
  hik_study_planes h, g;
  hik_study_point z[HIK_STUDY_POINTS];
  stored(&h, z);
  rng = hik_rng_start(4, 0);
  random_planes(&g);
  hik_study_between(&h, &g, &work);
  work.here = h;
  hik_study_polish(&work, &z[0]);
  CHECK(hik_study_series(&work, &z[0], HIK_STUDY_ORDER));
  hik_study_point c[HIK_STUDY_ORDER + 1];
  memcpy(c, work.series, sizeof c);
  double error[2], step[2], last[2] = {0, 0};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 8; i++) last[k] += c[4 + k].re[i] * c[4 + k].re[i] + c[4 + k].im[i] * c[4 + k].im[i];
  step[0] = 0.1 * sqrt(last[0] / last[1]), step[1] = step[0] / 2; /* a tenth of the radius of convergence */
  for (int m = 0; m < 2; m++) {
    hik_study_point w = c[HIK_STUDY_ORDER], exact;
    for (int k = HIK_STUDY_ORDER - 1; k >= 0; k--)
      for (int i = 0; i < 8; i++)
        w.re[i] = w.re[i] * step[m] + c[k].re[i], w.im[i] = w.im[i] * step[m] + c[k].im[i];
    for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
      for (int i = 0; i < 6; i++) {
        work.here.re[k][i] = h.re[k][i] + step[m] * (g.re[k][i] - h.re[k][i]);
        work.here.im[k][i] = h.im[k][i] + step[m] * (g.im[k][i] - h.im[k][i]);
      }
    exact = w;
    CHECK(hik_study_polish(&work, &exact) < 1e-12);
    error[m] = hik_study_distance(&exact, &w, false);
  }
  CHECK(error[0] < 1e-4);
  CHECK(error[1] > 1e-13 && error[0] > 50 * error[1] && error[0] < 100 * error[1]); /* 2^6 */
}

static void test_distance_ignores_a_factor(void) {
  rng = hik_rng_start(5, 0);
  for (int round = 0; round < 50; round++) {
    hik_study_point z, w, conjugate;
    double a = draw1(), b = draw1();
    for (int i = 0; i < 8; i++) {
      z.re[i] = draw1(), z.im[i] = draw1();
      w.re[i] = a * z.re[i] - b * z.im[i], w.im[i] = a * z.im[i] + b * z.re[i];
      conjugate.re[i] = w.re[i], conjugate.im[i] = -w.im[i];
    }
    CHECK(hik_study_distance(&z, &w, false) < 1e-14);
    CHECK(hik_study_distance(&z, &conjugate, true) < 1e-14);
    CHECK(hik_study_distance(&z, &conjugate, false) > 1e-3);
  }
}

static void test_dependent_planes_are_said(void) {
  hik_study_planes h;
  rng = hik_rng_start(6, 0);
  random_planes(&h);
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++) h.re[k][4] = 2 * h.re[k][1], h.im[k][4] = 2 * h.im[k][1];
  CHECK(!hik_study_orthonormal(&h));
}

/* Rows that nearly lie in one another's span come out as square to them as others. */
static void test_planes_that_nearly_depend_come_out_square(void) {
  hik_study_planes h;
  rng = hik_rng_start(7, 0);
  for (int trial = 0; trial < 20; trial++) {
    random_planes(&h);
    for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
      for (int i = 3; i < 6; i++) {
        h.re[k][i] = h.re[k][i - 2] + h.re[k][i - 3] + 1e-8 * draw1();
        h.im[k][i] = h.im[k][i - 2] + h.im[k][i - 3] + 1e-8 * draw1();
      }
    CHECK(hik_study_orthonormal(&h));
    for (int i = 0; i < 6; i++)
      for (int j = 0; j <= i; j++) {
        double re = 0, im = 0;
        for (int k = 0; k < HIK_STUDY_QUADRICS; k++) {
          re += h.re[k][j] * h.re[k][i] + h.im[k][j] * h.im[k][i];
          im += h.re[k][j] * h.im[k][i] - h.im[k][j] * h.re[k][i];
        }
        CHECK_NEAR(re, i == j, 1e-14);
        CHECK_NEAR(im, 0, 1e-14);
      }
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_start_is_forty_points);
  RUN(test_there_and_back);
  RUN(test_series_order);
  RUN(test_distance_ignores_a_factor);
  RUN(test_dependent_planes_are_said);
  RUN(test_planes_that_nearly_depend_come_out_square);
  CHECK_END();
}
