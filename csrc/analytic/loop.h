/* loop.h: a closed chain of joints and links, J1 G1 J2 G2 ... Jn Gn = 1.

   Every joint turns about or slides along the z axis of its own frame; every link is a rigid motion. An arm that must
   reach a pose is such a loop with the pose inside its last link, and then any cyclic shift, or the loop read
   backwards, is the same problem. Lengths are divided by one scale, so that metres and radians weigh alike. */
#pragma once
#include "base/pose.h"
#include "base/trig.h"

enum { HIK_LOOP_MAX = 8 };
/* Residual, radians and lengths of the arm's size, up to which a posture reaches a pose: the one word for exact. */
#define HIK_REACHED 1e-10

typedef struct hik_loop {
  int32_t n;
  int32_t kind[HIK_LOOP_MAX]; /* HIK_TURN or HIK_SLIDE */
  hik_pose g[HIK_LOOP_MAX];
} hik_loop;

/* out = pose J(value) */
HIK_INLINE void hik_loop_move(int32_t kind, double value, const hik_pose *pose, hik_pose *out) {
  if (kind == 0) {
    double s, c;
    hik_sincos(value, &s, &c);
    hik_mat_turn_z(pose->r, c, s, out->r);
    hik_copy3(pose->t, out->t);
  } else {
    *out = *pose;
    for (int i = 0; i < 3; i++) out->t[i] += value * pose->r[3 * i + 2];
  }
}

/* Residual of the loop: turn (as half the skew part when small, else the rotation vector) and shift of
   J1 G1 ... Jn Gn, and, when `jacobian` [6][n] is not NULL, its derivative. Returns the norm of the residual. */
double hik_loop_residual(const hik_loop *loop, const double *theta, double residual[6], double *jacobian);

/* Newton's method on the loop from theta, at most `iterations` steps; n = 6: square steps by LU, else (or when that
   is near singular) damped least squares. Stops when the residual no longer falls. Returns the last residual, whose
   theta is the best one met. */
double hik_loop_polish(const hik_loop *loop, double *theta, int iterations);

/* As if shifted by `shift` joints, after being read backwards when `backward`; joint i of the result is joint
   hik_loop_source(n, shift, backward, i) of the loop, at the same value. */
void hik_loop_turn(const hik_loop *loop, int shift, bool backward, hik_loop *out);
HIK_INLINE int hik_loop_source(int n, int shift, bool backward, int i) {
  int k = (i + shift) % n;
  return backward ? n - 1 - k : k;
}

/* Angle in (-pi, pi]. */
HIK_INLINE double hik_wrap(double x) {
  if (x > -HIK_PI && x <= HIK_PI) return x;
  double k = floor((x + HIK_PI) / (2 * HIK_PI));
  x -= k * (2 * HIK_PI);
  return x <= -HIK_PI ? x + 2 * HIK_PI : x;
}

/* Greatest difference of two postures: angles modulo a full turn. */
HIK_INLINE double hik_loop_distance(const hik_loop *loop, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < loop->n; i++) {
    double d = fabs(loop->kind[i] == 0 ? hik_wrap(a[i] - b[i]) : a[i] - b[i]);
    most = d > most ? d : most;
  }
  return most;
}
