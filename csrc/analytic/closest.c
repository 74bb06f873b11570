/* closest.c: damped least squares with limits, from several starts.

   Purpose:  an honest answer for a pose that no posture reaches.
   Given:    a chain, a pose, a start inside the limits.
   Returned: the best posture met and its distance.
   Outcomes: a local least value, the best of 14 starts; no proof that it is the least of all.
   Notes:    a joint at a limit that the step would leave is held for that step.
   Reference: Levenberg 1944, Marquardt 1963; Nocedal and Wright, Numerical Optimization, section 10.3. */
#include "analytic/closest.h"

#include "base/eigen.h"
#include "base/quat.h"
#include "base/rng.h"

enum { STARTS = 14, STEPS = 200 };

/* Residual (turn, then shift over the scale) and its derivative [6][n] by the joint values. */
static double measure(const hik_chain *c, const hik_pose *target, bool orientation, const double *theta,
                      double *r, double *jacobian) {
  hik_pose at = c->base, moved;
  double axis[HIK_LOOP_MAX][3], origin[HIK_LOOP_MAX][3], turn[9], sum = 0;
  for (int i = 0; i < c->n; i++) {
    hik_mat_column(at.r, 2, axis[i]);
    hik_copy3(at.t, origin[i]);
    hik_loop_move(c->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  hik_mat_mult(at.r, target->r, turn);
  hik_mat_log(turn, r);
  for (int k = 0; k < 3; k++) {
    if (!orientation) r[k] = 0;
    r[3 + k] = at.t[k] - target->t[k];
  }
  for (int i = 0; i < c->n; i++) {
    double arm[3], v[3];
    hik_sub3(at.t, origin[i], arm);
    hik_cross(axis[i], arm, v);
    bool turns = c->kind[i] == HIK_TURN;
    for (int k = 0; k < 3; k++) {
      jacobian[k * c->n + i] = turns && orientation ? axis[i][k] : 0;
      jacobian[(3 + k) * c->n + i] = turns ? v[k] : axis[i][k];
    }
  }
  for (int k = 0; k < 6; k++) sum += r[k] * r[k];
  return sum;
}

static double descend(const hik_chain *c, const hik_pose *target, bool orientation, const double *low,
                      const double *high, double *theta) {
  double r[6], jacobian[6 * HIK_LOOP_MAX], next_r[6], next_jacobian[6 * HIK_LOOP_MAX], trial[HIK_LOOP_MAX];
  int n = c->n;
  double cost = measure(c, target, orientation, theta, r, jacobian), mu = 1e-3;
  for (int step = 0; step < STEPS && mu < 1e8; step++) {
    double a[HIK_LOOP_MAX * HIK_LOOP_MAX], g[HIK_LOOP_MAX], d[HIK_LOOP_MAX], slope = 0;
    int32_t order[HIK_LOOP_MAX];
    for (int i = 0; i < n; i++) {
      g[i] = 0;
      for (int k = 0; k < 6; k++) g[i] -= jacobian[k * n + i] * r[k];
      if ((theta[i] <= low[i] && g[i] < 0) || (theta[i] >= high[i] && g[i] > 0)) g[i] = 0;
      slope = fmax(slope, fabs(g[i]));
    }
    if (slope < 1e-13) break;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += jacobian[k * n + i] * jacobian[k * n + j];
        bool held = g[i] == 0 || g[j] == 0;
        a[i * n + j] = i == j ? (g[i] == 0 ? 1 : sum + mu) : held ? 0 : sum;
      }
    hik_lu_factor(n, a, n, order, 1e-30);
    hik_lu_solve(n, a, n, order, g, d);
    for (int i = 0; i < n; i++) trial[i] = hik_clip(theta[i] + hik_clip(d[i], -1, 1), low[i], high[i]);
    double next = measure(c, target, orientation, trial, next_r, next_jacobian);
    if (!(next < cost)) {
      mu *= 8;
      continue;
    }
    bool done = cost - next < 1e-16 * cost;
    memcpy(theta, trial, sizeof(double) * (size_t)n);
    memcpy(r, next_r, sizeof r);
    memcpy(jacobian, next_jacobian, sizeof jacobian);
    cost = next;
    mu = fmax(mu / 5, 1e-12);
    if (done) break;
  }
  return cost;
}

/* Limits of the joint values, scaled. */
static void limits(const hik_chain *c, double *low, double *high) {
  for (int i = 0; i < c->n; i++) {
    double unit = c->kind[i] == HIK_TURN ? 1 : 1 / c->scale;
    double x = (c->line[i][0] * c->lower[i] + c->line[i][1]) * unit,
           y = (c->line[i][0] * c->upper[i] + c->line[i][1]) * unit;
    low[i] = fmin(x, y), high[i] = fmax(x, y);
  }
}

double hik_closest_settle(const hik_chain *c, const hik_pose *scaled_target, bool orientation, bool limited,
                          double *theta) {
  double low[HIK_LOOP_MAX], high[HIK_LOOP_MAX];
  if (limited) limits(c, low, high);
  for (int i = 0; i < c->n && !limited; i++) low[i] = -INFINITY, high[i] = INFINITY;
  return sqrt(descend(c, scaled_target, orientation, low, high, theta));
}

double hik_closest(const hik_chain *c, const hik_pose *target, bool orientation, double *q) {
  double low[HIK_LOOP_MAX], high[HIK_LOOP_MAX], theta[HIK_LOOP_MAX], best[HIK_LOOP_MAX] = {0},
                                                                     least = INFINITY;
  hik_pose scaled = *target;
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  limits(c, low, high);
  hik_rng rng = hik_rng_start(6, 5);
  for (int start = 0; start < STARTS; start++) {
    for (int i = 0; i < c->n; i++) {
      double unit = c->kind[i] == HIK_TURN ? 1 : 1 / c->scale, wide = c->kind[i] == HIK_TURN ? HIK_PI : 2;
      double from = fmax(low[i], -wide), to = fmin(high[i], wide);
      if (!(from <= to)) from = to = hik_clip(0, low[i], high[i]);
      double drawn = from + (to - from) * hik_rng_uniform(&rng);
      theta[i] = start == 0 ? (c->line[i][0] * q[c->q[i]] + c->line[i][1]) * unit : start == 1 ? 0 : drawn;
      theta[i] = hik_clip(theta[i], low[i], high[i]);
    }
    double cost = descend(c, &scaled, orientation, low, high, theta);
    if (!(cost < least)) continue;
    least = cost;
    memcpy(best, theta, sizeof best);
    if (least < 1e-26) break;
  }
  for (int i = 0; i < c->n; i++) {
    double x = c->kind[i] == HIK_TURN ? best[i] : best[i] * c->scale;
    q[c->q[i]] = hik_clip((x - c->line[i][1]) / c->line[i][0], c->lower[i], c->upper[i]);
  }
  return sqrt(least);
}
