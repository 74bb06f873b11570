/* Edges of planners: parts that are proved touch nothing, what was met is kept, the budget and the clock end a search. */
#include "plan/cones.h"
#include "route_figures.h"

static void test_the_proved_part_touches_nothing_and_what_ends_it_does(void) {
  hik_shape shapes[24];
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ], v[FIGURE_NQ], part[FIGURE_NQ], q[FIGURE_NQ];
  double witness[HIK_WITNESSES * FIGURE_NQ];
  int32_t cut = 0, whole = 0;
  stage(&s, shapes, cluttered(shapes, 5));
  hik_edges e = edges_on(&s, INT64_MAX);
  e.witness = witness;
  for (uint64_t n = 0; n < CHECK_REPEATS(60, 10); n++) {
    free_posture(&s, 2 * n, start), free_posture(&s, 2 * n + 1, goal);
    hik_difference(s.model, 1, start, goal, v);
    double share = hik_edges_march(&e, start, v, 2e-3, 1e-3);
    CHECK(share >= 0 && share <= 1);
    cut += share < 1, whole += share == 1;
    for (int k = 0; k <= 100; k++) {
      for (int32_t j = 0; j < s.model->nv; j++) part[j] = v[j] * share * k / 100;
      hik_integrate(s.model, 1, start, part, q);
      hik_check_place(s.check, q, 1);
      CHECK((hik_check_touch(s.check, NULL, false).free & 1) && hik_inside(s.model, q, 1e-3));
    }
    int64_t met = e.witnesses;
    bool free = hik_edges_free(&e, start, goal);
    CHECK(free == hik_edges_proved(&e, start, v) || share > 0.999);
    if (e.witnesses > met) {
      hik_check_place(s.check, witness + (size_t)(met % HIK_WITNESSES) * (size_t)s.model->nq, 1);
      CHECK(!free && (hik_check_touch(s.check, NULL, false).hit & 1));
    }
  }
  CHECK(cut > 0 && whole > 0 && e.witnesses > 0);
  hik_release(e.room);
  unstage(&s);
}

static bool no(void *context, int64_t done, int64_t total) {
  (void)context, (void)done, (void)total;
  return false;
}

static void test_budget_clock_and_tick_end_it(void) {
  hik_edges e = {.budget = 100};
  CHECK(!hik_edges_ended(&e));
  e.groups = 100;
  CHECK(hik_edges_ended(&e));
  hik_deal deal;
  hik_deal_begin(&deal, 1, 1, no, NULL);
  hik_halt halt = {INFINITY, &deal, true};
  e = (hik_edges){.budget = INT64_MAX, .halt = &halt};
  CHECK(!hik_edges_ended(&e));
  for (double begun = hik_clock(); hik_clock() < begun + 0.03;) {
  } /* ticks are 20 ms apart */
  e.groups = 1000;
  CHECK(hik_edges_ended(&e) && e.ended);
  hik_deal_begin(&deal, 1, 1, NULL, NULL);
  halt.end = hik_clock() - 1;
  e = (hik_edges){.budget = INT64_MAX, .halt = &halt};
  CHECK(hik_edges_ended(&e));
}

/* A ball in a thin cone, and nothing that touches: what ends an edge is the limit. */
static void test_an_edge_ends_where_a_ball_leaves_its_limits(void) {
  static const double swing[6] = {1.2, 0.3, 1.2, 0.3, -HIK_PI, HIK_PI};
  staged s;
  hik_error error;
  int32_t frame = 0, cut = 0, whole = 0;
  double ends[6] = {0}, radius = 0.05, start[4], goal[4], v[3], part[3], q[4];
  figure_start(&s.f);
  figure_joint(&s.f, -1, HIK_BALL);
  s.f.def.swing = swing;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(NULL, 0, &s.world, &error) == HIK_OK);
  s.check = hik_check_begin(hik_allocate(hik_check_size(s.figure, s.world)), s.figure, s.world);
  hik_edges e = edges_on(&s, INT64_MAX);
  for (uint64_t n = 0; n < 200; n++) {
    hik_random_q(s.model, 3, 2 * n, start), hik_random_q(s.model, 3, 2 * n + 1, goal);
    hik_difference(s.model, 1, start, goal, v);
    double share = hik_edges_march(&e, start, v, 2e-3, 1e-3);
    cut += share < 1, whole += share == 1;
    for (int k = 0; k <= 100; k++) {
      for (int32_t j = 0; j < 3; j++) part[j] = v[j] * share * k / 100;
      hik_integrate(s.model, 1, start, part, q);
      CHECK(hik_inside(s.model, q, 2e-4)); /* what is proved to 1e-4 along the cone's normal */
    }
    CHECK(hik_edges_free(&e, start, goal) == (share == 1));
  }
  CHECK(cut > 20 && whole > 20);
  hik_release(e.room);
  unstage(&s);
}

/* What is enough counts of the whole edge: one that leaves a ball's limits ends where its part inside does, among posts. */
static void test_what_is_enough_counts_of_the_whole_edge(void) {
  static const double swing[6] = {1.2, 0.6, 1.2, 0.6, -HIK_PI, HIK_PI};
  staged s;
  hik_error error;
  int32_t frame = 0, told = 0;
  double ends[6] = {0, 0, 0, 0, 0, 0.4}, radius = 0.03, start[4], goal[4], v[3], part[3];
  hik_shape posts[40];
  for (int k = 0; k < 40; k++) { /* round the bone, spread by the golden angle */
    double z = 1 - (k + 0.5) / 20, side = sqrt(1 - z * z), turn = 2.399963 * k;
    posts[k] =
        shape_at(HIK_SHAPE_SPHERE, 0.3 + 0.4 * side * cos(turn), 0.4 * side * sin(turn), 0.4 * z, 0.03, 0, 0);
  }
  figure_start(&s.f);
  figure_joint(&s.f, -1, HIK_BALL);
  s.f.def.swing = swing;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(posts, 40, &s.world, &error) == HIK_OK);
  s.check = hik_check_begin(hik_allocate(hik_check_size(s.figure, s.world)), s.figure, s.world);
  hik_edges e = edges_on(&s, INT64_MAX);
  for (uint64_t n = 0; n < 300; n++) {
    int64_t looks = 0;
    free_posture(&s, 2 * n, start), hik_random_q(s.model, 3, 2 * n + 1, goal);
    hik_difference(s.model, 1, start, goal, v);
    for (int k = 0; k < 3; k++) v[k] *= 1.5;
    double share = hik_cones_edge(s.model, start, v, false, &looks);
    for (int k = 0; k < 3; k++) part[k] = share * v[k];
    if (!(share > 0.02 && share < 0.95)) continue;
    for (int k = 1; k < 8; k++) {
      double least = 0.1 * k * share, whole = hik_edges_march(&e, start, v, 1e-4, least);
      double alone = share * hik_check_march(s.check, start, part, 1e-4, 0.1 * k).proved;
      CHECK(fabs(whole - alone) < 1e-9);
      told += alone < share;
    }
  }
  CHECK(told > 50);
  hik_release(e.room);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_proved_part_touches_nothing_and_what_ends_it_does);
  RUN(test_an_edge_ends_where_a_ball_leaves_its_limits);
  RUN(test_what_is_enough_counts_of_the_whole_edge);
  RUN(test_budget_clock_and_tick_end_it);
  CHECK_END();
}
