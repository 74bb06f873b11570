/* Shorter routes: never longer, the same ends, nothing touched; in the open a straight line is left. */
#include "route_figures.h"

static void shorter(const hik_shape *shape, int32_t n_shape, int32_t runs, int32_t *gained) {
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ];
  stage(&s, shape, n_shape);
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 20000);
  for (int32_t n = 0; n < runs; n++) {
    hik_route r = {NULL, 0, 0};
    free_posture(&s, 2 * (uint64_t)n, start), free_posture(&s, 2 * (uint64_t)n + 1, goal);
    e.groups = 0;
    if (hik_connect(&e, start, goal, 1, (uint64_t)n, INFINITY, &r, NULL) == HIK_FOUND) {
      double before = hik_route_length(&e, &r);
      CHECK(hik_shorten(&e, &r, 1, 40));
      double between = hik_route_length(&e, &r);
      CHECK(hik_tighten(&e, &r, 1));
      double after = hik_route_length(&e, &r);
      CHECK(between <= before * (1 + 1e-12) && after <= between * (1 + 1e-12));
      CHECK(bad_points(&s, &r) == 0);
      CHECK(memcmp(r.q, start, nq * sizeof *start) == 0);
      CHECK(memcmp(r.q + ((size_t)r.count - 1) * nq, goal, nq * sizeof *goal) == 0);
      gained[0] += between < before * 0.99, gained[1] += after < between * 0.99;
    }
    hik_route_end(&r);
  }
  hik_release(e.room);
  unstage(&s);
}

static void test_routes_become_shorter_and_touch_nothing(void) {
  hik_shape shapes[24];
  int32_t gained[2] = {0, 0};
  shorter(shapes, cluttered(shapes, 5), CHECK_REPEATS(12, 4), gained);
  CHECK(gained[0] > 0 && gained[1] > 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_routes_become_shorter_and_touch_nothing);
  CHECK_END();
}
