/* What is proved free is free wherever it is looked at, and a witness is in contact. */
#include "scene_figures.h"

static bool hits(staged *s, const double *q0, const double *v, double t) {
  hik_check_between(s->check, q0, v, &t, 1);
  return hik_check_touch(s->check, NULL, false).hit;
}

static bool any_hit(staged *s, const double *q0, const double *v, double until, int steps) {
  for (int k = 0; k <= steps; k++)
    if (hits(s, q0, v, until * k / steps)) return true;
  return false;
}

static void test_edges_and_marches(void) {
  hik_shape shapes[24];
  staged s;
  double q[2][FIGURE_NQ], v[FIGURE_NQ];
  int seen[3] = {0, 0, 0}, parts = 0, whole = 0;
  for (uint64_t k = 0; k < CHECK_REPEATS(1500, 150); k++) {
    if (k % 50 == 0) stage(&s, shapes, cluttered(shapes, 50 + k) - 6);
    if (k % 2) s.figure->n_pair = 0, s.figure->n_sum = s.figure->n_capsule;
    hik_random_q(s.model, 21, 2 * k, q[0]), hik_random_q(s.model, 21, 2 * k + 1, q[1]);
    hik_difference(s.model, 1, q[0], q[1], v);
    for (int32_t i = 0; i < s.model->nv; i++) v[i] *= k % 3 ? 0.05 : 0.3;
    hik_edge_proof found = hik_check_edge(s.check, q[0], v, 0.001);
    seen[found.edge]++;
    if (found.edge == HIK_EDGE_FREE) CHECK(!any_hit(&s, q[0], v, 1, 200));
    if (found.edge == HIK_EDGE_HIT) CHECK(hits(&s, q[0], v, found.witness));
    hik_march march = hik_check_march(s.check, q[0], v, 0.001, 2);
    CHECK(march.proved >= 0 && march.proved <= 1);
    if (march.proved > 0) CHECK(!any_hit(&s, q[0], v, march.proved, 200));
    whole += found.edge == HIK_EDGE_FREE && march.proved == 1;
    if (found.edge == HIK_EDGE_HIT) CHECK(march.proved < 1);
    parts += march.proved > 0 && march.proved < 1;
    if (k % 50 == 49) unstage(&s);
  }
  CHECK(seen[0] > 10 && seen[1] > 10 && parts > 5);
  CHECK(whole > 0.9 * seen[0]); /* its pieces lie otherwise, and it may stick where the proof does not */
}

/* A wall too thin to be met by the middles of the first pieces is not passed. */
static void test_a_thin_wall(void) {
  hik_shape wall = shape_at(HIK_SHAPE_BOX, 0.2, 0.013, 0, 0.5, 0, 1);
  staged s;
  hik_error error;
  figure_start(&s.f);
  figure_joint(&s.f, -1, HIK_PRISMATIC);
  s.f.axis[0] = s.f.axis[2] = 0, s.f.axis[1] = 1;
  int32_t frame = 0;
  double ends[6] = {0}, radius = 1e-4, q0 = -1, v = 2;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(&wall, 1, &s.world, &error) == HIK_OK);
  s.check = hik_check_begin(hik_allocate(hik_check_size(s.figure, s.world)), s.figure, s.world);
  CHECK(hik_check_edge(s.check, &q0, &v, 0.001).edge != HIK_EDGE_FREE);
  CHECK(hik_check_edge(s.check, &q0, &v, 1e-5).edge == HIK_EDGE_HIT);
  v = 0.99;
  CHECK(hik_check_edge(s.check, &q0, &v, 0.001).edge == HIK_EDGE_FREE);
  v = 2;
  hik_march march = hik_check_march(s.check, &q0, &v, 0.001, 2);
  CHECK_NEAR(march.proved, 1.0029 / 2, 0.002); /* the frame is 0.01 ahead of the joint */
  CHECK(march.proved < 1.0029 / 2);
  CHECK(hik_check_march(s.check, &q0, &v, 1e-6, 0.1).proved > 0.4);
  v = 3.5; /* past the limit, farther than the levers count with: not proved */
  CHECK(hik_check_march(s.check, &q0, &v, 0.001, 2).proved == 0);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_edges_and_marches);
  RUN(test_a_thin_wall);
  CHECK_END();
}
