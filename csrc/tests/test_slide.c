/* Sliding: every node hangs on an earlier one by an edge that touches nothing, and a slit is passed where straight edges are not. */
#include "plan/slide.h"

#include "route_figures.h"

static const hik_slide_pace pace = {{0.008, 0.008, 0.008, 0.008}, 0.006, 0.25};

static void check_tree(const staged *s, const hik_nodes *t) {
  size_t nq = (size_t)s->model->nq;
  double q[2 * FIGURE_NQ];
  for (int32_t i = 0; i < t->count; i++) {
    CHECK(t->parent[i] < i);
    if (t->parent[i] < 0) continue;
    hik_nodes_at(t, (int32_t)nq, i, q);
    hik_nodes_at(t, (int32_t)nq, t->parent[i], q + nq);
    hik_route edge = {q, 2, 2};
    CHECK(bad_points(s, &edge) == 0);
  }
}

static void test_nodes_hang_on_edges_that_touch_nothing(void) {
  hik_shape shapes[24];
  staged s;
  double q[FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  int32_t nq = s.model->nq, grown = 0, met = 0;
  hik_edges e = edges_on(&s, INT64_MAX);
  hik_slide *slide = hik_slide_create(s.model, s.world);
  for (uint64_t n = 0; n < CHECK_REPEATS(6, 2); n++) {
    hik_nodes both[2] = {{NULL, NULL, 0, 0}, {NULL, NULL, 0, 0}};
    int32_t i, j;
    for (uint64_t t = 0; t < 2; t++) {
      free_posture(&s, 2 * n + t, q);
      CHECK(hik_nodes_add(&both[t], nq, q, -1));
    }
    hik_met found = hik_slide_batch(&e, slide, &pace, both, 0, n, 0, &i, &j);
    CHECK(found != HIK_MET_MEMORY);
    if (found == HIK_MET) { /* both stand on one place */
      double other[FIGURE_NQ];
      hik_nodes_at(&both[0], nq, i, q), hik_nodes_at(&both[1], nq, j, other);
      CHECK(memcmp(q, other, sizeof *q * (size_t)nq) == 0);
      met++;
    }
    for (int t = 0; t < 2; t++) check_tree(&s, &both[t]), grown += both[t].count, hik_nodes_end(&both[t]);
  }
  CHECK(grown > 50 && met > 0);
  hik_slide_free(slide);
  hik_release(e.room);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_nodes_hang_on_edges_that_touch_nothing);
  CHECK_END();
}
