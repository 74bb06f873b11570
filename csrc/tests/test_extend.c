/* Straight edges: nodes hang on edges that touch nothing and are no longer than the reach; sixteen are tried together once two in
   a row have failed, at four places each, and what is clear there is proved, no more; what was met is in contact; only nodes that
   are of use are made; a spent budget ends it. */
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
  double q[3 * FIGURE_NQ], v[FIGURE_NQ], room[4 * FIGURE_NQ], far;
  stage(&s, shapes, cluttered(shapes, 5));
  int32_t nq = s.model->nq, grown = 0;
  hik_edges e = edges_on(&s, INT64_MAX);
  for (uint64_t n = 0; n < CHECK_REPEATS(6, 2); n++) {
    hik_nodes both[2];
    uint64_t number = 0;
    int32_t i, j;
    plant(&s, both, n);
    hik_nodes_at(&both[0], nq, 0, q), hik_nodes_at(&both[1], nq, 0, q + nq);
    /* of two goals the space of shorter ways is not convex: ends of edges inside it lie outside */
    free_posture(&s, 77 + n, q + 2 * nq);
    CHECK(hik_nodes_add(&both[1], nq, q + 2 * nq, -1));
    hik_difference(s.model, 1, q, q + nq, v), far = hik_edges_norm(v, s.model->nv);
    hik_difference(s.model, 1, q, q + 2 * nq, v);
    const hik_shorter shorter = {1.02 * fmax(far, hik_edges_norm(v, s.model->nv)), q, q + nq, 2};
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

/* What sixteen edges cost, one place after the other: groups of places and of proofs; the end of the first that is proved. */
static int64_t sixteen(const staged *s, const hik_edges *e, const hik_nodes *t, uint64_t seed,
                       uint64_t number, double *first, bool *some) {
  static const double share[4] = {1, 0.5, 0.25, 0.75};
  size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
  double from[HIK_GROUP][FIGURE_NQ], way[HIK_GROUP][FIGURE_NQ], end[HIK_GROUP][FIGURE_NQ], q[FIGURE_NQ],
      part[FIGURE_NQ], square;
  uint32_t open = (1u << HIK_GROUP) - 1;
  int64_t groups = 0;
  for (size_t l = 0; l < HIK_GROUP; l++) {
    hik_random_q(s->model, seed, number + l, end[l]);
    hik_nodes_at(t, (int32_t)nq, hik_nodes_nearest(s->model, t, end[l], &square), from[l]);
    hik_difference(s->model, 1, from[l], end[l], way[l]);
    double length = hik_edges_norm(way[l], (int32_t)nv);
    if (length <= e->reach) continue;
    for (size_t k = 0; k < nv; k++) way[l][k] *= e->reach / length;
    hik_integrate(s->model, 1, from[l], way[l], end[l]);
  }
  for (int next = 0, each; next < 4 && __builtin_popcount(open) > 1; next += each) {
    uint32_t clear = open;
    each = HIK_GROUP / __builtin_popcount(open);
    if (each > 4 - next) each = 4 - next;
    for (size_t l = 0; l < HIK_GROUP; l++)
      for (int k = next; k < next + each && open >> l & 1; k++) {
        for (size_t i = 0; i < nv; i++) part[i] = share[k] * way[l][i];
        hik_integrate(s->model, 1, from[l], part, q);
        hik_check_place(s->check, share[k] == 1 ? end[l] : q, 1);
        if (!(hik_check_touch(s->check, NULL, false).free & 1)) clear &= ~(1u << l);
      }
    open = clear, groups++;
  }
  *some = false;
  for (size_t l = 0; l < HIK_GROUP && !*some; l++) {
    if (!(open >> l & 1)) continue;
    hik_edge_proof found = hik_check_edge(s->check, from[l], way[l], e->tol);
    groups += found.groups, *some = found.edge == HIK_EDGE_FREE;
    memcpy(first, end[l], nq * sizeof *first);
  }
  return groups;
}

static void test_sixteen_cost_what_their_places_and_proofs_do(void) {
  hik_shape shapes[24];
  staged s;
  int32_t obstacles = cluttered(shapes, 5);
  for (int k = 0; k < 19; k++)
    for (int i = 9; i < 12; i++) shapes[k].pose[i] *= 0.6; /* about the figure: little is free */
  stage(&s, shapes, obstacles);
  int32_t proved = 0, none = 0;
  hik_edges e = edges_on(&s, INT64_MAX);
  e.reach = 3;
  for (uint64_t n = 0; n < CHECK_REPEATS(12, 4); n++) {
    hik_nodes both[2];
    uint64_t number = 0;
    int32_t failed = 0, i, j;
    hik_extend *x = hik_extend_create(s.model, NULL);
    plant(&s, both, n);
    for (int turn = 0; turn < 60; turn++) {
      int32_t side = turn % 2, count = both[side].count;
      double first[FIGURE_NQ], q[FIGURE_NQ];
      bool some = false;
      int64_t before = e.groups,
              cost = failed < 2 ? 0 : sixteen(&s, &e, &both[side], n, number, first, &some);
      hik_extend_grow(&e, x, both, side, n, &number, &i, &j);
      if (failed >= 2) {
        CHECK((both[side].count > count) == some);
        if (some) hik_nodes_at(&both[side], s.model->nq, count, q);
        CHECK(some ? memcmp(q, first, sizeof *q * (size_t)s.model->nq) == 0 : e.groups - before == cost);
        proved += some, none += !some;
      }
      failed = both[side].count == count ? failed + 1 : 0;
    }
    end_trees(both), hik_extend_free(x);
  }
  CHECK(proved > 5 && none > 5);
  hik_release(e.room);
  unstage(&s);
}

static void test_a_spent_budget_ends_it(void) {
  hik_shape shapes[24];
  staged s;
  stage(&s, shapes, cluttered(shapes, 5));
  int32_t i, j, sixteens = 0;
  for (uint64_t n = 0; n < CHECK_REPEATS(12, 4); n++) {
    hik_nodes both[2];
    uint64_t number = 0;
    hik_edges e = edges_on(&s, 0);
    hik_extend *x = hik_extend_create(s.model, NULL);
    e.reach = 0.02; /* far from each other */
    plant(&s, both, n);
    hik_extend_grow(&e, x, both, 0, n, &number, &i, &j);
    CHECK(both[0].count <= 2 && both[1].count <= 2);
    e.reach = 1.5, e.budget = INT64_MAX;
    for (int turn = 0, failed = 0; turn < 40; turn++) {
      int32_t count = both[0].count;
      if (failed >= 2) e.budget = e.groups + 1;
      hik_extend_grow(&e, x, both, 0, n, &number, &i, &j);
      if (failed >= 2) {
        CHECK(both[0].count == count);
        sixteens++;
        break;
      }
      failed = both[0].count == count ? failed + 1 : 0;
    }
    end_trees(both), hik_extend_free(x), hik_release(e.room);
  }
  CHECK(sixteens > 0);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_trees_grow_by_edges_that_touch_nothing);
  RUN(test_nodes_lie_on_shorter_ways_alone);
  RUN(test_sixteen_cost_what_their_places_and_proofs_do);
  RUN(test_a_spent_budget_ends_it);
  CHECK_END();
}
