/* Nodes: the nearest is that of a scan one by one, turns of balls by their angle; ways from root to node and through both trees. */
#include "plan/nodes.h"

#include "scene_figures.h"

enum { MANY = 200 };

static void test_the_nearest_is_the_one_of_a_plain_search(void) {
  hik_shape shapes[24];
  staged s;
  stage(&s, shapes, cluttered(shapes, 5));
  hik_nodes t = {NULL, NULL, 0, 0};
  int32_t nq = s.model->nq, nv = s.model->nv;
  double q[FIGURE_NQ], v[FIGURE_NQ], wish[FIGURE_NQ], square;
  for (uint64_t k = 0; k < MANY; k++) {
    hik_random_q(s.model, 1, k, q);
    CHECK(hik_nodes_add(&t, nq, q, (int32_t)k - 1));
  }
  CHECK(t.count == MANY);
  for (uint64_t n = 0; n < 50; n++) {
    hik_random_q(s.model, 2, n, wish);
    int32_t found = hik_nodes_nearest(s.model, &t, wish, &square), near = 0;
    double best = INFINITY;
    for (int32_t i = 0; i < MANY;
         i++) { /* by the norm of v, which for balls is the angle, not the chord: close ones agree */
      double sum = 0;
      hik_nodes_at(&t, nq, i, q);
      hik_difference(s.model, 1, q, wish, v);
      for (int32_t k = 0; k < nv; k++) sum += v[k] * v[k];
      if (sum < best) best = sum, near = i;
    }
    double sum = 0;
    hik_nodes_at(&t, nq, found, q);
    hik_difference(s.model, 1, q, wish, v);
    for (int32_t k = 0; k < nv; k++) sum += v[k] * v[k];
    CHECK(found == near || sum < 1.5 * best);
    hik_nodes_at(&t, nq, near, q);
    CHECK(hik_nodes_nearest(s.model, &t, q, &square) == near && square < 1e-12);
  }
  hik_nodes_end(&t);
  CHECK(t.count == 0 && !t.q);
  unstage(&s);
}

static void test_ways_lead_from_root_to_node_and_through_both_trees(void) {
  hik_nodes both[2] = {{NULL, NULL, 0, 0}, {NULL, NULL, 0, 0}};
  hik_route r = {NULL, 0, 0};
  double q[1];
  for (int32_t k = 0; k < 4; k++) {
    double a = k, b = 13 - k;
    CHECK(hik_nodes_add(&both[0], 1, &a, k - 1) && hik_nodes_add(&both[1], 1, &b, k - 1));
  }
  CHECK(hik_nodes_trace(&both[0], 1, 2, true, q, &r) && r.count == 3 && r.q[0] == 0 && r.q[2] == 2);
  r.count = 0;
  CHECK(hik_nodes_join(both, 1, 3, 3, q, &r)); /* 0 1 2 3, then the parent of the other's node: 11 12 13 */
  CHECK(r.count == 7 && r.q[0] == 0 && r.q[3] == 3 && r.q[4] == 11 && r.q[6] == 13);
  hik_route_end(&r), hik_nodes_end(&both[0]), hik_nodes_end(&both[1]);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_nearest_is_the_one_of_a_plain_search);
  RUN(test_ways_lead_from_root_to_node_and_through_both_trees);
  CHECK_END();
}
