/* loop.c: residual, Newton polish and re-reading of a closed chain; see loop.h. */
#include "analytic/loop.h"

#include "base/eigen.h"
#include "base/quat.h"

double hik_loop_residual(const hik_loop *loop, const double *theta, double residual[6], double *jacobian) {
  hik_pose at = hik_pose_identity, moved;
  int n = loop->n;
  for (int i = 0; i < n; i++) {
    if (jacobian) {
      double z[3], v[3] = {0, 0, 0};
      hik_mat_column(at.r, 2, z);
      if (loop->kind[i] == 0) hik_cross(at.t, z, v);
      for (int k = 0; k < 3; k++) {
        jacobian[k * n + i] = loop->kind[i] == 0 ? z[k] : 0;
        jacobian[(3 + k) * n + i] = loop->kind[i] == 0 ? v[k] : z[k];
      }
    }
    hik_loop_move(loop->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &loop->g[i], &at);
  }
  residual[0] = 0.5 * (at.r[7] - at.r[5]);
  residual[1] = 0.5 * (at.r[2] - at.r[6]);
  residual[2] = 0.5 * (at.r[3] - at.r[1]);
  if (at.r[0] + at.r[4] + at.r[8] < 2.9)
    hik_mat_log(at.r, residual); /* far away the skew part is no measure */
  hik_copy3(at.t, residual + 3);
  double sum = 0;
  for (int i = 0; i < 6; i++) sum += residual[i] * residual[i];
  return sqrt(sum);
}

/* step = -(J'J + mu 1)^-1 J' r */
static void damped(int n, const double *jacobian, const double *residual, double mu, double *step) {
  double a[HIK_LOOP_MAX * HIK_LOOP_MAX], b[HIK_LOOP_MAX];
  int32_t order[HIK_LOOP_MAX];
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int k = 0; k < 6; k++) b[i] -= jacobian[k * n + i] * residual[k];
    for (int j = 0; j < n; j++) {
      double sum = i == j ? mu : 0;
      for (int k = 0; k < 6; k++) sum += jacobian[k * n + i] * jacobian[k * n + j];
      a[i * n + j] = sum;
    }
  }
  hik_lu_factor(n, a, n, order, 1e-30);
  hik_lu_solve(n, a, n, order, b, step);
}

enum { CUTS = 12 };

/* Newton's method at work. */
typedef struct polish {
  const hik_loop *loop;
  double residual[6], jacobian[6 * HIK_LOOP_MAX], size; /* at theta */
  double mu;                                            /* damping, 0: none needed so far */
  double trial[HIK_LOOP_MAX], trial_residual[6], trial_jacobian[6 * HIK_LOOP_MAX];
} polish;

/* Newton's own step for six joints, if the Jacobian lets it be. */
static bool square_step(const polish *p, double *step) {
  double lu[36], minus[6];
  int32_t order[6];
  memcpy(lu, p->jacobian, sizeof lu);
  for (int i = 0; i < 6; i++) minus[i] = -p->residual[i];
  if (!(hik_lu_factor(6, lu, 6, order, 1e-30) > 1e-13)) return false;
  hik_lu_solve(6, lu, 6, order, minus, step);
  return true;
}

/* The residual a share of a step away; what is there is kept for `accept`. */
static double look(polish *p, const double *theta, const double *step, double share) {
  for (int i = 0; i < p->loop->n; i++) p->trial[i] = theta[i] + share * step[i];
  return hik_loop_residual(p->loop, p->trial, p->trial_residual, p->trial_jacobian);
}

/* Goes to the trial; false: rounding is all that is left. */
static bool accept(polish *p, double *theta, double next) {
  bool slow = next > 0.5 * p->size;
  memcpy(theta, p->trial, sizeof(double) * (size_t)p->loop->n);
  memcpy(p->residual, p->trial_residual, sizeof p->residual);
  memcpy(p->jacobian, p->trial_jacobian, sizeof p->jacobian);
  p->size = next;
  if (p->mu > 0 && !slow) p->mu = p->mu < 1e-10 ? 0 : 0.1 * p->mu;
  return !(slow && p->size < 1e-14);
}

/* After a step that was no use: more damping. False: no more will help. */
static bool dampen(polish *p) {
  if (p->size < 1e-13 || p->mu > 1e3) return false;
  p->mu = p->mu == 0 ? fmax(1e-2 * p->size, 1e-12) : 10 * p->mu;
  return true;
}

double hik_loop_polish(const hik_loop *loop, double *theta, int iterations) {
  polish p;
  double step[HIK_LOOP_MAX];
  p.loop = loop, p.mu = 0;
  p.size = hik_loop_residual(loop, theta, p.residual, p.jacobian);
  for (int k = 0; k < iterations && p.size > 2e-15; k++) {
    bool square = loop->n == 6 && p.mu == 0 && square_step(&p, step);
    if (!square)
      damped(loop->n, p.jacobian, p.residual, p.mu > 0 ? p.mu : 1e-3 * p.size * p.size + 1e-22, step);
    double most = 0;
    for (int i = 0; i < loop->n; i++) most = fmax(most, fabs(step[i]));
    if (!(most < 1e6)) {
      p.mu = p.mu == 0 ? 1e-6 : 100 * p.mu;
      continue;
    }
    double shrink = most > 0.5 ? 0.5 / most : 1, next = look(&p, theta, step, shrink);
    /* near a double root Newton's step is right in direction and far too long */
    for (int cut = 0; cut < CUTS && square && !(next < p.size) && p.size >= 1e-14; cut++)
      next = look(&p, theta, step, shrink *= 0.25);
    if (!(next < p.size ? accept(&p, theta, next) : dampen(&p))) break;
  }
  return p.size;
}

/* Conjugation by a half turn about x, which keeps the sign of turns and slides about z when the loop is inverted. */
static void flip(const hik_pose *a, hik_pose *out) {
  hik_pose_inverse(a, out);
  out->r[1] = -out->r[1], out->r[2] = -out->r[2], out->r[3] = -out->r[3], out->r[6] = -out->r[6];
  out->t[1] = -out->t[1], out->t[2] = -out->t[2];
}

void hik_loop_turn(const hik_loop *loop, int shift, bool backward, hik_loop *out) {
  int n = loop->n;
  out->n = n;
  for (int i = 0; i < n; i++) {
    int k = (i + shift) % n;
    if (!backward) {
      out->kind[i] = loop->kind[k];
      out->g[i] = loop->g[k];
    } else {
      out->kind[i] = loop->kind[n - 1 - k];
      flip(&loop->g[(2 * n - 2 - k) % n], &out->g[i]);
    }
  }
}
