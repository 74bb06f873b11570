/* test_reach.c: term/reach.c: each kind's residual, derivative and measure. */
#include "term/term.h"

#include "check.h"
#include "figures.h"

enum { NV = 6 };

/* A pose, and where a motion with velocity v (linear above angular, world axes) takes it. */
static hik_pose random_pose(hik_rng *rng) {
  hik_pose p;
  double q[4];
  hik_rng_rotation(rng, q);
  hik_quat_to_mat(q, p.r);
  for (int i = 0; i < 3; i++) p.t[i] = 2 * hik_rng_uniform(rng) - 1;
  return p;
}

static hik_pose moved(const hik_pose *p, int32_t k, double h) {
  hik_pose out = *p;
  if (k < 3) {
    out.t[k] += h;
    return out;
  }
  double v[3] = {0, 0, 0}, q[4], r[9];
  v[k - 3] = h;
  hik_quat_exp(v, q);
  hik_quat_to_mat(q, r);
  hik_mat_mul(r, p->r, out.r);
  return out;
}

static hik_goal goal_of(int32_t kind) {
  hik_goal g;
  memset(&g, 0, sizeof g);
  g.term = hik_term_default(kind);
  return g;
}

static void random_target(hik_rng *rng, const hik_term_class *c, double *target) {
  double *x = target;
  if (c->caps & HIK_HAS_POSITION)
    for (int i = 0; i < 3; i++) *x++ = 2 * hik_rng_uniform(rng) - 1;
  if (c->caps & HIK_HAS_ORIENTATION) hik_rng_rotation(rng, x);
  if (c->caps & HIK_HAS_AXIS)
    for (int i = 0; i < 3; i++) *x++ = 2 * hik_rng_uniform(rng) - 1;
}

/* The target that this pose meets. */
static void own_target(const hik_term_class *c, const hik_goal *g, const hik_pose *p, double *target) {
  double *x = target;
  if (c->caps & HIK_HAS_POSITION) {
    hik_copy3(p->t, x);
    x += 3;
  }
  if (c->caps & HIK_HAS_ORIENTATION) hik_quat_from_mat(p->r, x);
  if (c->caps & HIK_HAS_AXIS) hik_mat_vec(p->r, g->term.param, x);
}

static void test_residual_and_measure_are_zero_when_met(void) {
  hik_rng rng = hik_rng_start(1, 1);
  for (int32_t kind = 0; kind < hik_term_class_count && hik_term_classes[kind]->wanted; kind++)
    for (int draw = 0; draw < 100; draw++) {
      const hik_term_class *c = hik_term_classes[kind];
      hik_goal g = goal_of(kind);
      hik_pose p = random_pose(&rng);
      double target[7], out[6];
      hik_measure m = {0, 0};
      own_target(c, &g, &p, target);
      c->residual(&g, target, &p, out);
      for (int32_t i = 0; i < c->rows; i++) CHECK_NEAR(out[i], 0, 1e-14);
      c->measure(&g, target, &p, out, &m);
      CHECK_NEAR(m.distance, 0, 1e-14);
      CHECK_NEAR(m.angle, 0, 1e-14);
    }
}

static void test_measure_is_the_length_of_its_part_of_the_residual(void) {
  hik_rng rng = hik_rng_start(2, 1);
  for (int32_t kind = 0; kind < hik_term_class_count && hik_term_classes[kind]->wanted; kind++)
    for (int draw = 0; draw < 100; draw++) {
      const hik_term_class *c = hik_term_classes[kind];
      hik_goal g = goal_of(kind);
      hik_pose p = random_pose(&rng);
      double target[7], out[6];
      hik_measure m = {0, 0};
      random_target(&rng, c, target);
      c->residual(&g, target, &p, out);
      c->measure(&g, target, &p, out, &m);
      bool position = c->caps & HIK_HAS_POSITION;
      CHECK_NEAR(m.distance, position ? hik_norm(out) : 0, 1e-14);
      if (c->caps & HIK_HAS_ORIENTATION) CHECK_NEAR(m.angle, hik_norm(out + (position ? 3 : 0)), 1e-13);
      if (c->caps & HIK_HAS_AXIS) CHECK_NEAR(2 * sin(m.angle / 2), hik_norm(out), 1e-13); /* the chord */
    }
}

static void test_jacobian_is_the_derivative_of_the_residual(void) {
  const double h = 1e-6;
  hik_rng rng = hik_rng_start(3, 1);
  double jac[6 * NV] = {0};
  for (int i = 0; i < 6; i++) jac[i * NV + i] = 1; /* v is the frame's own velocity */
  for (int32_t kind = 0; kind < hik_term_class_count && hik_term_classes[kind]->wanted; kind++)
    for (int draw = 0; draw < 100; draw++) {
      const hik_term_class *c = hik_term_classes[kind];
      hik_goal g = goal_of(kind);
      hik_pose p = random_pose(&rng);
      double target[7], rows[6 * NV], a[6], b[6], out[6];
      hik_measure m = {0, 0};
      random_target(&rng, c, target);
      c->residual(&g, target, &p, out);
      c->measure(&g, target, &p, out, &m);
      if (m.angle > 3.1) continue; /* beside the half turn the rotation vector jumps */
      c->jacobian(&g, target, &p, jac, NV, rows);
      for (int32_t k = 0; k < NV; k++) {
        hik_pose more = moved(&p, k, h), less = moved(&p, k, -h);
        c->residual(&g, target, &more, a);
        c->residual(&g, target, &less, b);
        for (int32_t i = 0; i < c->rows; i++) CHECK_NEAR(rows[i * NV + k], (a[i] - b[i]) / (2 * h), 2e-8);
      }
    }
}

static void test_wanted_is_what_the_target_says(void) {
  hik_rng rng = hik_rng_start(4, 1);
  for (int32_t kind = 0; kind < hik_term_class_count && hik_term_classes[kind]->wanted; kind++) {
    const hik_term_class *c = hik_term_classes[kind];
    hik_goal g = goal_of(kind);
    hik_pose p = random_pose(&rng), wanted = random_pose(&rng);
    double target[7], out[6];
    random_target(&rng, c, target);
    c->wanted(&g, target, wanted.t, wanted.r);
    if (c->caps & HIK_HAS_AXIS) {
      CHECK_NEAR(hik_norm(wanted.r), 1, 1e-15);
      continue;
    }
    if (!(c->caps & HIK_HAS_POSITION)) hik_copy3(p.t, wanted.t);
    c->residual(&g, target, &wanted, out);
    for (int32_t i = 0; i < c->rows; i++) CHECK_NEAR(out[i], 0, 1e-14);
  }
}

static void test_a_quaternion_and_its_negative_are_the_same_wish(void) {
  hik_rng rng = hik_rng_start(5, 1);
  const hik_term_class *c = hik_term_classes[hik_find(HIK_TERMS, "orientation")];
  hik_goal g = goal_of(hik_find(HIK_TERMS, "orientation"));
  for (int draw = 0; draw < 50; draw++) {
    hik_pose p = random_pose(&rng);
    double target[4], other[4], a[3], b[3];
    random_target(&rng, c, target);
    for (int i = 0; i < 4; i++) other[i] = -3 * target[i]; /* of any length */
    c->residual(&g, target, &p, a);
    c->residual(&g, other, &p, b);
    for (int i = 0; i < 3; i++) CHECK_NEAR(a[i], b[i], 1e-13);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_residual_and_measure_are_zero_when_met);
  RUN(test_measure_is_the_length_of_its_part_of_the_residual);
  RUN(test_jacobian_is_the_derivative_of_the_residual);
  RUN(test_wanted_is_what_the_target_says);
  RUN(test_a_quaternion_and_its_negative_are_the_same_wish);
  CHECK_END();
}
