/* Straight edges: nodes hang on edges that touch nothing and are no longer than the reach; sixteen are tried together once two in
   a row have failed; what was met is in contact; only nodes that are of use are made. */
#include "plan/extend.h"

#include "route_figures.h"

static void check_tree(const staged *s, const hik_nodes *t, double reach) {
  size_t nq = (size_t)s->model->nq;
  double q[2 * FIGURE_NQ], v[FIGURE_NQ];
  for (int32_t i = 1; i < t->count; i++) {
    CHECK(t->parent[i] >= 0 && t->parent[i] < i);
    hik_nodes_at(t, (int32_t)nq, t->parent[i], q);
    hik_nodes_at(t, (int32_t)nq, i, q + nq);
    hik_route edge = {q, 2, 2};
    CHECK(bad_points(s, &edge) == 0);
    hik_difference(s->model, 1, q, q + nq, v);
    CHECK(hik_edges_norm(v, s->model->nv) <= reach * (1 + 1e-9));
  }
}

static void plant(const staged *s, hik_nodes *both, uint64_t n) {
  double q[FIGURE_NQ];
  for (uint64_t t = 0; t < 2; t++) {
    both[t] = (hik_nodes){NULL, NULL, 0, 0};
    free_posture(s, 2 * n + t, q);
    CHECK(hik_nodes_add(&both[t], s->model->nq, q, -1));
  }
}

static void end_trees(hik_nodes *both) { hik_nodes_end(&both[0]), hik_nodes_end(&both[1]); }

static void test_trees_grow_by_edges_that_touch_nothing(void) {
  hik_shape shapes[24];
  staged s;
  stage(&s, shapes, cluttered(shapes, 5));
  int32_t nq = s.model->nq, grown = 0, met = 0, sixteens = 0;
  double witness[HIK_WITNESSES * FIGURE_NQ];
  hik_edges e = edges_on(&s, INT64_MAX);
  e.witness = witness;
  for (uint64_t n = 0; n < CHECK_REPEATS(12, 4); n++) {
    hik_nodes both[2];
    uint64_t number = 0;
    int32_t failed = 0;
    hik_extend *x = hik_extend_create(s.model, NULL);
    plant(&s, both, n);
    for (int turn = 0; turn < 60; turn++) {
      uint64_t before = number;
      int32_t i = -1, j = -1, side = both[1].count < both[0].count, count = both[side].count;
      hik_met found = hik_extend_grow(&e, x, both, side, n, &number, &i, &j);
      CHECK(found != HIK_MET_MEMORY);
      CHECK(number - before == (failed < 2 ? 1 : HIK_GROUP));
      sixteens += failed >= 2;
      failed = both[side].count == count ? failed + 1 : 0;
      if (found != HIK_MET) continue;
      double one[FIGURE_NQ], other[FIGURE_NQ];
      hik_nodes_at(&both[side], nq, i, one), hik_nodes_at(&both[!side], nq, j, other);
      CHECK(memcmp(one, other, sizeof *one * (size_t)nq) == 0);
      met++;
      break;
    }
    for (int t = 0; t < 2; t++) check_tree(&s, &both[t], e.reach), grown += both[t].count;
    end_trees(both), hik_extend_free(x);
  }
  CHECK(grown > 50 && met > 0 && sixteens > 0 && e.witnesses > 0);
  for (int64_t k = 0; k < e.witnesses && k < HIK_WITNESSES; k++) {
    hik_check_place(s.check, witness + k * nq, 1);
    CHECK(hik_check_touch(s.check, NULL, false).hit & 1);
  }
  hik_release(e.room);
  unstage(&s);
}

static void test_nodes_lie_on_shorter_ways_alone(void) {
  hik_shape shapes[24];
  staged s;
  double q[2 * FIGURE_NQ], v[FIGURE_NQ], room[4 * FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  int32_t nq = s.model->nq, grown = 0;
  hik_edges e = edges_on(&s, INT64_MAX);
  for (uint64_t n = 0; n < CHECK_REPEATS(6, 2); n++) {
    hik_nodes both[2];
    uint64_t number = 0;
    int32_t i, j;
    plant(&s, both, n);
    hik_nodes_at(&both[0], nq, 0, q), hik_nodes_at(&both[1], nq, 0, q + nq);
    hik_difference(s.model, 1, q, q + nq, v);
    const hik_shorter shorter = {1.3 * hik_edges_norm(v, s.model->nv), q, q + nq, 1};
    hik_extend *x = hik_extend_create(s.model, &shorter);
    for (int turn = 0; turn < 40; turn++)
      if (hik_extend_grow(&e, x, both, turn % 2, n, &number, &i, &j) == HIK_MET) break;
    for (int t = 0; t < 2; t++)
      for (int32_t k = 1; k < both[t].count; k++) {
        double at[FIGURE_NQ];
        hik_nodes_at(&both[t], nq, k, at);
        CHECK(hik_within(s.model, &shorter, at, room));
        grown++;
      }
    end_trees(both), hik_extend_free(x);
  }
  CHECK(grown > 5);
  hik_release(e.room);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_trees_grow_by_edges_that_touch_nothing);
  RUN(test_nodes_lie_on_shorter_ways_alone);
  CHECK_END();
}
