#include <stdlib.h>

#include "access/reach_swing.h"
#include "access/reach_table.h"
#include "access_figures.h"

static hik_reach *trunk(access_figure *a, hik_model **m, const hik_shoulder **s) {
  hik_reach *r = NULL;
  hik_error error;
  *m = access_arm(a);
  CHECK(hik_reach_create(*m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
  *s = hik_reach_table_chain(r->tail.set)->shoulder;
  CHECK(*s != NULL);
  return r;
}

/* Where the hand is in a posture, as the trunk's last joint sees it. */
static void hand_of(const hik_reach *r, uint64_t i, double out[3]) {
  double q[16], tip[3], off[3];
  hik_pose at;
  hik_random_q(r->model, 41, i, q);
  q[0] = q[1] = 0;
  access_tip(r->model, ACCESS_JOINTS - 1, q, tip);
  hik_pose_mul(&r->element[0].place, &r->element[1].place, &at);
  hik_sub3(tip, at.t, off);
  hik_mat_tvec(at.r, off, out);
}

static void test_no_hand_gets_farther(void) {
  access_figure a;
  hik_model *m;
  const hik_shoulder *s;
  hik_reach *r = trunk(&a, &m, &s);
  void *scratch = malloc(hik_shoulder_scratch(s, 20000));
  hik_rng rng = hik_rng_start(3, 1);
  for (int i = 0; i < CHECK_REPEATS(40, 6); i++) {
    double n[3], hand[3], best = -INFINITY;
    for (int k = 0; k < 3; k++) n[k] = 2 * hik_rng_uniform(&rng) - 1;
    double fine = hik_shoulder_farthest(s, n, 1e-5, 20000, scratch),
           coarse = hik_shoulder_farthest(s, n, 1e-3, 20000, scratch);
    CHECK(coarse >= fine - 1e-5 * hik_norm(n) - 1e-12 && coarse <= fine + 1e-3 * hik_norm(n) + 1e-12);
    for (int64_t budget = 1; budget < 600; budget *= 3)
      CHECK(hik_shoulder_farthest(s, n, 1e-5, budget, scratch) >= fine - 1e-5 * hik_norm(n));
    for (uint64_t k = 0; k < CHECK_REPEATS(20000, 2000); k++) {
      hand_of(r, k, hand);
      best = fmax(best, hik_dot(n, hand));
    }
    CHECK(best <= fine + 1e-9 && CHECK_REPEATS(fine - best < 0.15 * hik_norm(n), true));
  }
  free(scratch);
  hik_reach_free(r), hik_model_free(m);
}

/* What is proved no hand contradicts; what is near has its swing; a proof grows no weaker with the budget. */
static void test_no_hand_comes_nearer(void) {
  access_figure a;
  hik_model *m;
  const hik_shoulder *s;
  hik_reach *r = trunk(&a, &m, &s);
  void *scratch = malloc(hik_shoulder_scratch(s, 5000));
  hik_rng rng = hik_rng_start(4, 1);
  int32_t count[3] = {0, 0, 0};
  for (uint64_t i = 0; i < CHECK_REPEATS(300, 30); i++) {
    double x[3], hand[3], off[3], swing[3] = {9, 9, 9}, far = 0.3 * hik_rng_uniform(&rng), least = INFINITY;
    for (int k = 0; k < 3; k++) x[k] = 0.8 * (2 * hik_rng_uniform(&rng) - 1);
    hik_reach_proof p = hik_shoulder_prove(s, x, far, 1e-7, 5000, scratch, swing);
    count[p.outcome]++;
    for (uint64_t k = 0; k < CHECK_REPEATS(4000, 500); k++) {
      hand_of(r, k, hand);
      hik_sub3(hand, x, off);
      least = fmin(least, hik_norm(off));
    }
    if (p.outcome == HIK_REACH_FAR) CHECK(least > far && p.nearest > far);
    if (p.outcome == HIK_REACH_NEAR) {
      CHECK(p.nearest <= far && swing[0] < 9);
      CHECK(hik_swing_excess(s->room, swing) < 1e-9);
      CHECK(hik_shoulder_prove(s, x, p.nearest + 1e-6, 1e-7, 5000, scratch, swing).outcome != HIK_REACH_FAR);
    }
    if (least > far + 0.1) continue;
    CHECK(least > far || p.outcome != HIK_REACH_FAR);
  }
  CHECK(count[HIK_REACH_FAR] > CHECK_REPEATS(50, 5) && count[HIK_REACH_NEAR] > CHECK_REPEATS(50, 5));
  CHECK(count[HIK_REACH_OPEN] < CHECK_REPEATS(30, 5));
  free(scratch);
  hik_reach_free(r), hik_model_free(m);
}

/* The same arm whose trunk has turns about parallel axes: the first then turns nothing. */
static void test_parallel_turns_are_one_and_a_crank(void) {
  access_figure a;
  hik_model *m;
  hik_reach *r = NULL;
  hik_error error;
  hik_model_free(access_arm(&a));
  memcpy(a.f.axis + 3, (double[3]){0, -1, 0}, 3 * sizeof(double));
  CHECK(hik_model_create(&a.f.def, &m, &error) == HIK_OK);
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
  CHECK(r->element[0].kind == HIK_CRANK && r->element[1].paired && r->element[1].sign == -1);
  void *scratch = malloc(hik_reach_scratch(r));
  int32_t proved = 0;
  for (uint64_t i = 0; i < CHECK_REPEATS(200, 10); i++) {
    double q[16], tip[3], other[3], n[3], target[3], away = 0.02 + 0.2 * (double)(i % 4);
    hik_random_q(m, 9, i, q);
    access_tip(m, ACCESS_JOINTS - 1, q, tip);
    hik_random_q(m, 10, i, q);
    access_tip(m, ACCESS_JOINTS - 1, q, other);
    hik_sub3(tip, other, n);
    hik_unit(n, n);
    hik_axpy3(tip, away, n, target);
    CHECK(hik_reach_prove(r, target, n, away + 1e-5, 2000, scratch, q).outcome != HIK_REACH_FAR);
    hik_reach_proof p = hik_reach_prove(r, target, n, 0.001, 20000, scratch, q);
    proved += p.outcome == HIK_REACH_FAR;
    if (p.outcome == HIK_REACH_NEAR)
      for (int32_t k = 0; k < 2; k++) CHECK(q[k] >= a.f.lower[k] && q[k] <= a.f.upper[k]);
  }
  CHECK(proved > CHECK_REPEATS(20, 0));
  free(scratch);
  hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_hand_gets_farther);
  RUN(test_no_hand_comes_nearer);
  RUN(test_parallel_turns_are_one_and_a_crank);
  CHECK_END();
}
