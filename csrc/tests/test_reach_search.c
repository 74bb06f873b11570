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

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_ring_of_two_links);
  RUN(test_nothing_false_is_proved);
  RUN(test_nor_with_the_shoulder_below_the_trunk);
  CHECK_END();
}
