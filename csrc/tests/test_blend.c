/* Corners cut by proved curves: points of the curves touch nothing, and a corner with room is cut as far as it can be. */
#include "route_figures.h"

static double al(double t) {
  double s = 1 - t; /* Bezier coefficients 1, 0.6, 0.2, 0, 0, 0 */
  return s * s * s * s * s + 5 * 0.6 * t * s * s * s * s + 10 * 0.2 * t * t * s * s * s;
}

static double unit(const staged *s, const double *a, const double *b, double *u) {
  double sum = 0;
  hik_difference(s->model, 1, a, b, u);
  for (int32_t k = 0; k < s->model->nv; k++) sum += u[k] * u[k];
  for (int32_t k = 0; k < s->model->nv; k++) u[k] /= sqrt(sum);
  return sqrt(sum);
}

static void cut_corners(const hik_shape *shape, int32_t n_shape, int32_t runs, double *least, double *most) {
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ], u[2][FIGURE_NQ], move[FIGURE_NQ], q[FIGURE_NQ], radius[100];
  stage(&s, shape, n_shape);
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 20000);
  *least = 1, *most = 0;
  for (int32_t n = 0; n < runs; n++) {
    hik_route r = {NULL, 0, 0};
    free_posture(&s, 2 * (uint64_t)n, start), free_posture(&s, 2 * (uint64_t)n + 1, goal);
    e.groups = 0;
    if (hik_connect(&e, start, goal, 1, (uint64_t)n, INFINITY, &r, NULL) == HIK_FOUND && r.count < 100 &&
        hik_blends(&e, s.figure, &r, radius))
      for (int32_t i = 1; i + 1 < r.count; i++) {
        const double *v = r.q + (size_t)i * nq;
        double before = unit(&s, v - nq, v, u[0]), after = unit(&s, v, v + nq, u[1]);
        double largest = fmin(i > 1 ? before / 2 : before, i + 2 < r.count ? after / 2 : after);
        double share = radius[i - 1] / largest;
        CHECK(share >= 0 && share <= 1 + 1e-12);
        *least = fmin(*least, share), *most = fmax(*most, share);
        for (int k = 0; k <= 300; k++) {
          double t = k / 300.0;
          for (int32_t j = 0; j < s.model->nv; j++)
            move[j] = radius[i - 1] * (al(1 - t) * u[1][j] - al(t) * u[0][j]);
          hik_integrate(s.model, 1, v, move, q);
          hik_check_place(s.check, q, 1);
          CHECK(hik_check_touch(s.check, NULL, false).free & 1);
        }
      }
    hik_route_end(&r);
  }
  hik_release(e.room);
  unstage(&s);
}

static void test_curves_touch_nothing(void) {
  hik_shape shapes[24];
  double least, most;
  cut_corners(shapes, cluttered(shapes, 5), CHECK_REPEATS(12, 4), &least, &most);
  CHECK(most > 0.99 && least < 0.7);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_curves_touch_nothing);
  CHECK_END();
}
