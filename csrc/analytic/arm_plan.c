/* arm_plan.c: an arm's constants for the lanes.

   Purpose:  most poses of an arm of six turns, or of fewer completed to six, meet no special case; those are solved several at a time.
   Given:    the chain and its class.
   Returned: the plan. How its two equations come apart is tried on poses of the arm itself.
   Outcomes: an arm that slides, or whose every pose is special (two axes in one line), has no plan and is solved by the
             careful way alone. */
#include "analytic/arm_plan.h"

#include "analytic/pieper.h"
#include "analytic/slides.h"
#include "base/rng.h"
#include "simd/kernels.h"

enum { TRIALS = 16 };

hik_postures_kernel hik_arm_plan_solve;
hik_nearest_kernel hik_arm_plan_nearest;

hik_arm_method hik_arm_classify(const hik_loop *loop, double tolerance, int32_t *shift) {
  static const int8_t wrists[4] = {0, 3, 4, 5};
  hik_loop turned;
  double here, there;
  for (int k = 0; k < 4; k++) {
    hik_loop_turn(loop, wrists[k], false, &turned);
    *shift = wrists[k];
    if (hik_wrist_test(&turned, tolerance, &here, &there)) return HIK_ARM_WRIST;
  }
  for (int k = 0; k < 4; k++) {
    hik_loop_turn(loop, k, false, &turned);
    *shift = k;
    if (hik_parallel_test(&turned, tolerance)) return HIK_ARM_PARALLEL;
  }
  *shift = 0;
  return hik_slides_test(loop) ? HIK_ARM_SLIDES : HIK_ARM_GENERAL;
}

void hik_arm_plan_solve(const hik_arm_plan *plan, int64_t n, const double *T, double *q, int32_t *count,
                        uint8_t *free, bool *sure) {
  const hik_kernels *k = hik_kernels_in_use();
  (n <= 2 ? k->pair : &k->wide)->postures(plan, n, T, q, count, free, sure);
}

bool hik_arm_plan_nearest(const hik_arm_plan *plan, int64_t n, const double *T, double *q,
                          hik_nearest_found *found) {
  const hik_kernels *k = hik_kernels_in_use();
  if (n != 1 || !k->nearest_one) return (n <= 2 ? k->pair : &k->wide)->nearest(plan, n, T, q, found);
  *found = k->nearest_one(plan, T, q);
  return *found == HIK_NEAREST_LEFT;
}

/* Poses of random postures, in metres. */
static void trial_poses(const hik_chain *c, double *T) {
  hik_rng rng = hik_rng_start(6, 7);
  for (int k = 0; k < TRIALS; k++) {
    hik_pose at = c->base, moved;
    for (int i = 0; i < c->n; i++) {
      hik_loop_move(HIK_TURN, HIK_PI * (2 * hik_rng_uniform(&rng) - 1), &at, &moved);
      hik_pose_mul(&moved, &c->link[i], &at);
    }
    hik_scale3(c->scale, at.t, at.t);
    hik_pose_to_mat4(&at, T + 16 * k);
  }
}

/* How its two equations come apart: as fewest poses are left to the careful way by. False: most are, whichever. */
static bool try_pairs(const hik_chain *c, hik_arm_plan *plan) {
  static const double rest[6] = {0};
  double T[16 * TRIALS], q[TRIALS * HIK_ARM_BRANCHES * 6];
  int32_t count[TRIALS], least = TRIALS;
  uint8_t bits[TRIALS * HIK_ARM_BRANCHES];
  bool sure[TRIALS];
  hik_arm_plan loop = *plan; /* six joints, whichever the model has beside them */
  loop.joints = loop.nq = 6, loop.rows = HIK_ARM_BRANCHES, loop.rest = rest;
  for (int32_t i = 0; i < 6; i++) loop.q[i] = i;
  trial_poses(c, T);
  for (int32_t kind = 0; kind < HIK_PAIR_KINDS; kind++) {
    int32_t odd = 0;
    loop.pair = kind;
    hik_arm_plan_solve(&loop, TRIALS, T, q, count, bits, sure);
    for (int k = 0; k < TRIALS; k++) odd += count[k] < 0;
    if (odd < least) least = odd, plan->pair = kind;
  }
  return least < TRIALS / 2;
}

bool hik_arm_plan_make(const hik_chain *c, const hik_arm_class *form, int32_t nq, int32_t rows,
                       const double *rest, hik_arm_plan *plan) {
  if (c->n > 6) return false;
  *plan = (hik_arm_plan){.wrist = form->wrist,
                         .shift = form->shift,
                         .at = (11 - form->shift) % 6,
                         .here = form->here,
                         .there = form->there,
                         .last = *form->last,
                         .base = c->base,
                         .scale = c->scale,
                         .joints = c->n,
                         .nq = nq,
                         .rows = rows,
                         .rest = rest};
  for (int i = 0; i < 6; i++) {
    if (form->turned->kind[i] != HIK_TURN) return false;
    plan->g[i] = form->turned->g[i];
    if (i >= c->n) {
      plan->line[i][0] = 1, plan->lower[i] = -HIK_PI, plan->upper[i] = HIK_PI, plan->q[i] = -1;
      continue;
    }
    memcpy(plan->line[i], c->line[i], sizeof plan->line[i]);
    plan->lower[i] = c->lower[i], plan->upper[i] = c->upper[i], plan->q[i] = c->q[i];
  }
  return try_pairs(c, plan);
}
