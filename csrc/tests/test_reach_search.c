#include <stdlib.h>

#include "access_figures.h"

static hik_reach_proof prove(const hik_reach *r, const double target[3], const double normal[3], double far,
                             int64_t budget, double *q) {
  void *scratch = malloc(hik_reach_scratch(r));
  hik_reach_proof p = hik_reach_prove(r, target, normal, far, budget, scratch, q);
  free(scratch);
  return p;
}

/* Two links of 0.3 and 0.2 m, free to turn: the ring from 0.1 to 0.5 m. */
static void test_the_ring_of_two_links(void) {
  figure f;
  hik_model *m = NULL;
  hik_reach *r = NULL;
  hik_error error;
  double q[2];
  figure_planar(&f, 2);
  for (int k = 0; k < 2; k++) f.lower[k] = -4, f.upper[k] = 4;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  CHECK(hik_reach_create(m, 1, HIK_REACH_ARM, &r, &error) == HIK_OK);
  const struct {
    double radius, gap;
  } row[] = {{0.6, 0.1}, {0.51, 0.01}, {0.05, 0.05}, {0, 0.1}};
  for (int k = 0; k < 4; k++) {
    const double target[3] = {0.8 * row[k].radius, 0.6 * row[k].radius, 0}, none[3] = {0, 0, 0};
    CHECK(prove(r, target, none, row[k].gap - 0.0005, 100000, q).outcome == HIK_REACH_FAR);
    CHECK(prove(r, target, none, row[k].gap + 0.00001, 3000, q).outcome != HIK_REACH_FAR);
    hik_reach_proof near = prove(r, target, none, row[k].gap + 0.01, 100000, q);
    CHECK(near.outcome != HIK_REACH_FAR && near.nearest <= row[k].gap + 0.01001);
    if (k >= 2) CHECK(near.outcome == HIK_REACH_NEAR);
    double tip[3], off[3];
    access_tip(m, 1, q, tip);
    hik_sub3(target, tip, off);
    CHECK_NEAR(hik_norm(off), near.nearest, 1e-9); /* the posture is handed out */
  }
  const double target[3] = {0.4, 0.3, 0.2}, none[3] = {0, 0, 0}; /* above the ring's edge */
  CHECK(prove(r, target, none, 0.1995, 100000, q).outcome == HIK_REACH_FAR);
  CHECK(prove(r, target, none, 0.1995, 3, q).outcome == HIK_REACH_OPEN);
  CHECK(prove(r, target, none, 0.1995, 3, q).cells == 3);
  hik_reach_free(r), hik_model_free(m);
}

/* Targets beside postures of the arm on the trunk: nothing farther than they are is ever proved. */
static void nothing_false_is_proved(int32_t kind) {
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL;
  hik_error error;
  int32_t proved = 0;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, kind, &r, &error) == HIK_OK);
  for (uint64_t i = 0; i < CHECK_REPEATS(300, 20); i++) {
    double q[16], tip[3], off[3], target[3], n[3], away = 0.05 + 0.3 * (double)(i % 5);
    hik_random_q(m, 9, i, q);
    access_tip(m, ACCESS_JOINTS - 1, q, tip);
    hik_random_q(m, 10, i, q);
    access_tip(m, ACCESS_JOINTS - 1, q, off);
    hik_sub3(tip, off, n);
    hik_unit(n, n);
    hik_axpy3(tip, away, n, target);
    CHECK(prove(r, target, n, away + 1e-5, 2000, q).outcome != HIK_REACH_FAR);
    proved += prove(r, target, n, 0.001, 2000, q).outcome == HIK_REACH_FAR;
  }
  CHECK(proved > CHECK_REPEATS(30, 1));
  hik_reach_free(r), hik_model_free(m);
}

static void test_nothing_false_is_proved(void) { nothing_false_is_proved(HIK_REACH_ARM); }
static void test_nor_with_the_shoulder_below_the_trunk(void) { nothing_false_is_proved(HIK_REACH_NESTED); }

/* Whether the lines of a trace are one tree, and it is whole. */
static bool is_tree(const hik_reach_trace *trace) {
  int64_t open = 1;
  for (int64_t k = 0; k < trace->n; k++) {
    if (open == 0) return false;
    open += trace->how[k] < HIK_CLOSED_BY_PLANE ? 1 : -1;
  }
  return open == 0;
}

/* Beside the middle of the trunk no plane does: a search that took the last turn whole begins again, and its trace with it. */
static void test_a_search_that_begins_again_has_one_trace(void) {
  enum { LINES = 100000, BUDGET = 60000 };
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL;
  hik_error error;
  int32_t again = 0, once = 0;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
  CHECK(r->outer != NULL);
  hik_reach_trace trace = {malloc(LINES), malloc(3 * LINES * sizeof(double)), LINES, 0, NULL};
  void *scratch = malloc(hik_reach_scratch(r));
  for (int i = 0; i < CHECK_REPEATS(12, 3); i++) {
    double q[16], target[3], none[3] = {0, 0, 0}, low = 1e-3, high;
    hik_random_q(m, 31, (uint64_t)i, q);
    access_tip(m, ACCESS_JOINTS - 1, q, target);
    hik_scale3(1.8, target, target);
    hik_reach_proof p = hik_reach_prove(r, target, none, low, BUDGET, scratch, q);
    if (p.outcome != HIK_REACH_FAR) continue;
    high = 2;
    for (int k = 0; k < 14; k++) { /* the most that is proved */
      double far = 0.5 * (low + high);
      trace.n = 0;
      p = hik_reach_prove_traced(r, target, none, far, BUDGET, scratch, q, &trace);
      *(p.outcome == HIK_REACH_FAR ? &low : &high) = far;
      if (p.outcome != HIK_REACH_FAR) continue;
      CHECK(is_tree(&trace));
      *(p.cells > 2000 ? &again : &once) += 1;
    }
  }
  CHECK(once > 0 && CHECK_REPEATS(again > 0, true));
  free(scratch), free(trace.how), free(trace.normal);
  hik_reach_free(r), hik_model_free(m);
}

static bool stop(void *context, int64_t done, int64_t total) {
  (void)done, (void)total;
  ++*(int *)context;
  return false;
}

static void test_a_trace_can_be_stopped(void) {
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL;
  hik_error error;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
  int8_t how[100];
  double normal[300], none[3] = {0}, target[3] = {9, 0, 0}, q[16] = {0};
  void *scratch = malloc(hik_reach_scratch(r));
  int ticks = 0;
  hik_deal deal;
  hik_deal_begin(&deal, 1, 1, stop, &ticks);
  hik_reach_trace trace = {how, normal, 100, 0, &deal};
  CHECK(hik_reach_prove_traced(r, target, none, 0.1, 100, scratch, q, &trace).outcome == HIK_REACH_FAR);
  CHECK(ticks == 0 && is_tree(&trace)); /* a short one is not asked */
  deal.last_tick = 0, trace.n = 0;      /* long ago */
  CHECK(hik_reach_prove_traced(r, target, none, 0.1, 100, scratch, q, &trace).outcome == HIK_REACH_OPEN);
  CHECK(ticks == 1 && trace.n == 0);
  free(scratch);
  hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_ring_of_two_links);
  RUN(test_nothing_false_is_proved);
  RUN(test_nor_with_the_shoulder_below_the_trunk);
  RUN(test_a_search_that_begins_again_has_one_trace);
  RUN(test_a_trace_can_be_stopped);
  CHECK_END();
}
