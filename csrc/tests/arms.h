/* arms.h: arms by Denavit-Hartenberg numbers, and the loop that one closes at a posture, for the tests. */
#pragma once
#include "analytic/loop.h"
#include "base/rng.h"

/* Link of a classical DH row: turn about z by theta (left to the joint), then d along z, a along x, alpha about x. */
static HIK_UNUSED hik_pose dh_link(double d, double a, double alpha) {
  double s, c;
  hik_sincos(alpha, &s, &c);
  return (hik_pose){{1, 0, 0, 0, c, -s, 0, s, c}, {a, 0, d}};
}

static HIK_UNUSED hik_loop dh_loop(const double *d, const double *a, const double *alpha) {
  hik_loop loop = {.n = 6};
  for (int i = 0; i < 6; i++) loop.g[i] = dh_link(d[i], a[i], alpha[i]);
  return loop;
}

static HIK_UNUSED double draw(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

static HIK_UNUSED hik_loop random_arm(hik_rng *rng) {
  hik_loop loop = {.n = 6};
  for (int i = 0; i < 6; i++)
    loop.g[i] = dh_link(draw(rng, -1, 1), draw(rng, -1, 1), draw(rng, -HIK_PI, HIK_PI));
  return loop;
}

/* Puts the pose of posture q into the last link (which loses its own content), so that q closes the loop. */
static HIK_UNUSED void close_at(hik_loop *loop, const double *q) {
  hik_pose at = hik_pose_identity, moved = at;
  for (int i = 0; i < loop->n; i++) {
    hik_loop_move(loop->kind[i], q[i], &at, &moved);
    if (i + 1 < loop->n) hik_pose_mul(&moved, &loop->g[i], &at);
  }
  hik_pose_inverse(&moved, &loop->g[loop->n - 1]);
}

static HIK_UNUSED void random_posture(const hik_loop *loop, hik_rng *rng, double *q) {
  for (int i = 0; i < loop->n; i++) q[i] = loop->kind[i] == 0 ? draw(rng, -HIK_PI, HIK_PI) : draw(rng, -1, 1);
}

static HIK_UNUSED bool among(const hik_loop *loop, const double *q, double (*theta)[6], int count,
                             double tolerance) {
  for (int k = 0; k < count; k++)
    if (hik_loop_distance(loop, q, theta[k]) < tolerance) return true;
  return false;
}

/* Well known arms as {d, a, alpha}. */
static const double arm_ur5[3][6] HIK_UNUSED = {{0.089159, 0, 0, 0.10915, 0.09465, 0.0823},
                                                {0, -0.425, -0.39225, 0, 0, 0},
                                                {HIK_PI / 2, 0, 0, HIK_PI / 2, -HIK_PI / 2, 0}};
static const double arm_puma[3][6] HIK_UNUSED = {{0.6718, 0, 0.15005, 0.4318, 0, 0},
                                                 {0, 0.4318, 0.0203, 0, 0, 0},
                                                 {HIK_PI / 2, 0, -HIK_PI / 2, HIK_PI / 2, -HIK_PI / 2, 0}};
static const double arm_irb120[3][6] HIK_UNUSED = {{0.290, 0, 0, 0.302, 0, 0.072},
                                                   {0, 0.270, 0.070, 0, 0, 0},
                                                   {-HIK_PI / 2, 0, -HIK_PI / 2, HIK_PI / 2, -HIK_PI / 2, 0}};
/* An arm with an offset wrist, like Fanuc's CRX-10iA: up to 16 postures, no closed form of degree 4. */
static const double arm_crx[3][6] HIK_UNUSED = {{0, 0, 0, 0.540, -0.150, 0.160},
                                                {0, 0.540, 0, 0, 0, 0},
                                                {-HIK_PI / 2, 0, -HIK_PI / 2, HIK_PI / 2, -HIK_PI / 2, 0}};
