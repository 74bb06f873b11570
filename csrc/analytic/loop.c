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

double hik_loop_polish(const hik_loop *loop, double *theta, int iterations) {
  double residual[6], trial_residual[6], jacobian[6 * HIK_LOOP_MAX], next_jacobian[6 * HIK_LOOP_MAX];
  double trial[HIK_LOOP_MAX], step[HIK_LOOP_MAX], minus[6];
  int n = loop->n;
  double size = hik_loop_residual(loop, theta, residual, jacobian), mu = 0;
  for (int k = 0; k < iterations && size > 2e-15; k++) {
    bool square = n == 6 && mu == 0;
    if (square) {
      double lu[36];
      int32_t order[6];
      memcpy(lu, jacobian, sizeof lu);
      for (int i = 0; i < 6; i++) minus[i] = -residual[i];
      if (hik_lu_factor(6, lu, 6, order, 1e-30) > 1e-13)
        hik_lu_solve(6, lu, 6, order, minus, step);
      else
        square = false;
    }
    if (!square) damped(n, jacobian, residual, mu > 0 ? mu : 1e-3 * size * size + 1e-22, step);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(step[i]));
    if (!(most < 1e6)) {
      mu = mu == 0 ? 1e-6 : 100 * mu;
      continue;
    }
    double shrink = most > 0.5 ? 0.5 / most : 1;
    for (int i = 0; i < n; i++) trial[i] = theta[i] + shrink * step[i];
    double next = hik_loop_residual(loop, trial, trial_residual, next_jacobian);
    /* near a double root Newton's step is right in direction and far too long */
    for (int cut = 0; cut < CUTS && square && !(next < size) && size >= 1e-14; cut++) {
      shrink *= 0.25;
      for (int i = 0; i < n; i++) trial[i] = theta[i] + shrink * step[i];
      next = hik_loop_residual(loop, trial, trial_residual, next_jacobian);
    }
    if (!(next < size)) {
      if (size < 1e-13 || mu > 1e3) break;
      mu = mu == 0 ? fmax(1e-2 * size, 1e-12) : 10 * mu;
      continue;
    }
    memcpy(theta, trial, sizeof(double) * (size_t)n);
    memcpy(residual, trial_residual, sizeof residual);
    memcpy(jacobian, next_jacobian, sizeof jacobian);
    bool slow = next > 0.5 * size;
    size = next;
    mu = mu > 0 && !slow ? (mu < 1e-10 ? 0 : 0.1 * mu) : mu;
    if (slow && size < 1e-14) break;
  }
  return size;
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
