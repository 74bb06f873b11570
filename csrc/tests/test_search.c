/* test_search.c: methods that look before they leap never raise the error, and end where nothing falls any more. */
#include "solve/squares/search.h"

#include "descent_figures.h"

static const char *const methods[] = {"gradient_descent", "lbfgs", "gauss_newton", "lm"};

/* Gradient norm over the columns that may follow it: zero at a stationary point with limits. */
static double slope(const hik_descent *d) {
  double sum = 0;
  for (int32_t k = 0; k < d->n; k++)
    if (!hik_descent_pushed_out(d, k)) sum += d->g[k] * d->g[k];
  return sqrt(sum);
}

static void test_error_never_rises(void) {
  hik_model *models[] = {hinge_arm(), cone_arm(), gantry(), ball_arm()};
  for (int k = 0; k < 4; k++) {
    bench b;
    start_bench(&b, models[k], "position", false);
    for (int i = 0; i < 4; i++) {
      hik_options o = hik_options_default(hik_find(HIK_SOLVERS, methods[i]));
      o.param[1] = o.param[2] = 0, o.max_iter = 60; /* no nudges and no new starts, which may raise it */
      for (uint64_t draw = 0; draw < 20; draw++) {
        pose_bench(&b, "position", draw);
        solved s = solve_with(methods[i], b.p, &o, b.target, b.q);
        CHECK(hik_inside(b.m, s.q, 1e-13));
        for (int32_t j = 0; j < s.iterations; j++) CHECK(s.trace[j + 1] <= s.trace[j] * (1 + 1e-12));
      }
    }
    end_bench(&b);
  }
}

/* Without nudges and new starts, what is not converged is stationary: no way down inside the limits. */
static void test_ends_are_stationary(void) {
  bench b;
  start_bench(&b, hinge_arm(), "pose", false);
  for (int i = 1; i < 4; i += 2) { /* lbfgs, lm */
    hik_options o = hik_options_default(hik_find(HIK_SOLVERS, methods[i]));
    o.param[1] = o.param[2] = 0, o.max_iter = 1000, o.ftol = 1e-9;
    int ends = 0;
    for (uint64_t draw = 0; draw < 40; draw++) {
      pose_bench(&b, "pose", draw);
      solved s = solve_with(methods[i], b.p, &o, b.target, b.q);
      if (s.outcome == HIK_CONVERGED) continue;
      memcpy(b.q, s.q, (size_t)b.m->nq * sizeof *b.q);
      hik_descent_residual(&b.d);
      hik_descent_jacobian(&b.d);
      CHECK(slope(&b.d) < 2e-3 * b.d.error);
      ends++;
    }
    CHECK(ends > 3);
  }
  end_bench(&b);
}

static void test_shares(void) {
  for (int i = 0; i < 4; i++) {
    hik_model *m = ball_arm();
    CHECK(count_solved(methods[i], m, false, 100) >= 90);
    hik_model_free(m);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_error_never_rises);
  RUN(test_ends_are_stationary);
  RUN(test_shares);
  CHECK_END();
}
