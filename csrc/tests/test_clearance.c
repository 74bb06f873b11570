/* test_clearance.c: term/clearance.c: the gap of two capsules against a search over both axes. */
#include "term_figures.h"

/* Least distance of two segments by a grid that closes in. */
static double searched(double a[2][3], double b[2][3]) {
  double least = INFINITY, low[2] = {0, 0}, high[2] = {1, 1};
  for (int round = 0; round < 25; round++) {
    double best[2] = {0, 0};
    for (int i = 0; i <= 16; i++)
      for (int j = 0; j <= 16; j++) {
        double s = low[0] + (high[0] - low[0]) * i / 16, t = low[1] + (high[1] - low[1]) * j / 16, d[3];
        for (int k = 0; k < 3; k++)
          d[k] = a[0][k] + s * (a[1][k] - a[0][k]) - b[0][k] - t * (b[1][k] - b[0][k]);
        if (hik_norm(d) < least || (i == 0 && j == 0 && round == 0))
          least = hik_norm(d), best[0] = s, best[1] = t;
        else if (hik_norm(d) == least)
          best[0] = s, best[1] = t;
      }
    for (int k = 0; k < 2; k++) {
      double wide = (high[k] - low[k]) / 3;
      low[k] = fmax(0, best[k] - wide), high[k] = fmin(1, best[k] + wide);
    }
  }
  return least;
}

static void test_the_gap_is_the_least_distance(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_FREE);
  figure_place(shape.placement, 0, 0, 0, 0);
  figure_place(shape.frame_placement, 0, 0, 0, 0);
  hik_rng rng = hik_rng_start(13, 1);
  for (int draw = 0; draw < 60; draw++) {
    hik_term t = term_named("clearance", 0, -1);
    for (int k = 0; k < 15; k++) t.param[k] = 2 * hik_rng_uniform(&rng) - 1;
    t.param[6] = 3, t.param[13] = 2, t.param[14] = 0.5; /* wide enough that the gap is always short */
    double a[2][3], b[2][3], row;
    if (draw % 6 == 1) memcpy(t.param + 3, t.param, sizeof(double[3]));      /* a point */
    if (draw % 6 == 2) memcpy(t.param + 10, t.param + 7, sizeof(double[3])); /* the other a point */
    for (int k = 0; k < 3 && draw % 6 == 3; k++)
      t.param[10 + k] = t.param[7 + k] + 2 * (t.param[3 + k] - t.param[k]);
    memcpy(a, t.param, sizeof a), memcpy(b, t.param + 7, sizeof b);
    term_figure f;
    if (!term_figure_open(&f, &shape, &t, 1)) return;
    f.q[3] = 1;
    hik_residual(f.problem, 1, f.target, f.q, &row, f.scratch);
    /* it is the distance of two points of the axes, so not too small; the search, which may stop in a valley, bounds it */
    double bound = searched(a, b);
    CHECK(row + 5.5 <= bound + 1e-12);
    CHECK_NEAR(row + 5.5, bound, 1e-3);
    term_figure_close(&f);
  }
}

static void test_derivatives(void) {
  figure shape;
  figure_of_every_kind(&shape);
  hik_term t = term_named("clearance", HIK_FREE, 9);
  memcpy(t.param, (double[15]){0, 0, 0, 0.3, 0.1, 0, 1, 0.1, 0, 0, 0, 0.2, 0.4, 3, 9}, sizeof(double[15]));
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  for (uint64_t draw = 0; draw < 10; draw++) {
    hik_random_q(f.model, 14, draw, f.q);
    term_figure_differences(&f, 1e-6);
  }
  term_figure_close(&f);
}

static void test_clear_is_zero_and_crossed_axes_still_part(void) {
  figure shape;
  figure_start(&shape);
  figure_joint(&shape, -1, HIK_FREE);
  figure_place(shape.placement, 0, 0, 0, 0);
  figure_place(shape.frame_placement, 0, 0, 0, 0);
  hik_term t = term_named("clearance", 0, -1);
  memcpy(t.param, (double[15]){-1, 0, 0, 1, 0, 0, 0.1, 0, -1, 0, 0, 1, 0, 0.2, 0.05}, sizeof(double[15]));
  term_figure f;
  if (!term_figure_open(&f, &shape, &t, 1)) return;
  double row, jac[6], d;
  bool met;
  f.q[3] = 1;
  hik_residual(f.problem, 1, f.target, f.q, &row, f.scratch);
  hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
  CHECK_NEAR(row, -0.35, 1e-15);
  CHECK_NEAR(fabs(jac[2]), 1, 1e-15); /* out along the common perpendicular */
  f.q[2] = 0.36;
  hik_residual(f.problem, 1, f.target, f.q, &row, f.scratch);
  hik_residual_jacobian(f.problem, 1, f.target, f.q, jac, f.scratch);
  hik_measure_terms(f.problem, 1, f.target, f.q, &d, NULL, &met, f.scratch);
  CHECK(row == 0 && d == 0 && met);
  for (int k = 0; k < 6; k++) CHECK(jac[k] == 0);
  term_figure_close(&f);
  t.param[6] = -1;
  CHECK(term_refused(&shape, &t, HIK_BAD_ARGUMENT, "radii and clearance"));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_gap_is_the_least_distance);
  RUN(test_derivatives);
  RUN(test_clear_is_zero_and_crossed_axes_still_part);
  CHECK_END();
}
