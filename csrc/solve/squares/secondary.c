/* secondary.c: what a redundant figure does with the freedom its goals leave: rest posture, limit avoidance,
   manipulability. Each is a cost with a gradient; the solver projects the way down into the null space. */
#include "base/dense.h"
#include "base/quat.h"
#include "solve/squares/descent.h"

static void towards_rest(const hik_descent *d, double weight, double *z) {
  const double *rest = d->p->model->rest;
  for (int32_t k = 0; k < d->n; k++) {
    int32_t q = d->column_q[k];
    if (d->column_part[k] == HIK_NO_BALL) {
      z[k] += weight * (rest[q] - d->q[q]) / d->unit[k];
      continue;
    }
    const hik_chart *chart = d->chart + k;
    double turn[4], v[3];
    if (chart->cone) {
      const double(*w)[2] = chart->way;
      double turned = w[0][0] * w[1][1] - w[0][1] * w[1][0], first, second;
      hik_swing_split(chart->cone, rest + q, v);
      hik_sub3(v, chart->x, v);
      first = (v[0] * w[1][1] - v[1] * w[1][0]) / turned, second = (w[0][0] * v[1] - w[0][1] * v[0]) / turned;
      z[k] += weight * first;
      z[k + 1] += weight * second;
      z[k + 2] += weight * (v[2] - chart->carried[0] * first - chart->carried[1] * second);
      k += 2;
      continue;
    }
    hik_quat_cmul(d->q + q, rest + q, turn);
    hik_quat_normalize(turn);
    hik_quat_log(turn, v);
    for (int i = 0; i < 3; i++) z[k + i] += weight * v[i];
    k += 2;
  }
}

static void away_from_limits(const hik_descent *d, double weight, double *z) {
  double least = INFINITY;
  for (int32_t k = 0; k < d->n; k++) least = fmin(least, (d->upper[k] - d->lower[k]) / d->unit[k]);
  for (int32_t k = 0; k < d->n; k++) {
    double range = (d->upper[k] - d->lower[k]) / d->unit[k];
    if (!(range < INFINITY)) continue;
    double middle = 0.5 * (d->lower[k] + d->upper[k]), ratio = least / range;
    z[k] += weight * ratio * ratio * (middle - d->q[d->column_q[k]]) / d->unit[k];
  }
}

/* sqrt det of J J' + 1e-9 I at the pose d->q as a mantissa and an exponent of 2; false where that is not a number. */
static bool manipulability_at(hik_descent *d, double *square, double *mantissa, int *exponent) {
  hik_descent_residual(d);
  hik_descent_jacobian(d);
  int32_t k = d->m < d->n ? d->m : d->n;
  hik_descent_charge(d, d->m, d->n, k);
  if (d->m <= d->n)
    hik_outer(d->m, d->n, d->j, square);
  else
    hik_inner(d->m, d->n, d->j, square);
  /* rows or columns that never move (the third axis of a planar chain) then count as a constant factor */
  for (size_t i = 0; i < (size_t)k; i++) square[i * (size_t)k + i] += 1e-9;
  if (!hik_cholesky(k, square, 0)) return false;
  *mantissa = 1, *exponent = 0;
  for (size_t i = 0; i < (size_t)k; i++) {
    int more;
    *mantissa = frexp(*mantissa / square[i * (size_t)k + i], &more);
    *exponent += more;
  }
  return true;
}

static void towards_manipulability(hik_descent *d, double weight, double *here, double *square, double *z) {
  const double h = 1e-5;
  hik_copy_q(d->p->model, d->q, here);
  for (int32_t k = 0; k < d->n && hik_poll(d->run->worker, 1); k++) {
    double size[2];
    int power[2];
    bool known = true;
    for (int i = 0; i < 2; i++) {
      memset(d->d, 0, (size_t)d->n * sizeof *d->d);
      d->d[k] = i ? h : -h;
      hik_descent_charts(d, here);
      hik_descent_move(d, here, d->d, d->q);
      known = manipulability_at(d, square, size + i, power + i) && known;
    }
    if (!known) continue;
    /* log of a ratio close to 1 by its series; at a limit one side is the pose itself: half the slope, the right way */
    double ratio = ldexp(size[1] / size[0], power[1] - power[0]), x = (ratio - 1) / (ratio + 1);
    if (fabs(x) < 0.1) z[k] += weight * (x + x * x * x / 3) / h;
  }
  hik_copy_q(d->p->model, here, d->q);
  hik_descent_residual(d);
  hik_descent_jacobian(d);
}

void hik_secondary_step(hik_descent *d, double rest, double avoid, double manipulability, double *q,
                        double *square, double *z) {
  memset(z, 0, (size_t)d->n * sizeof *z);
  if (rest > 0) towards_rest(d, rest, z);
  if (avoid > 0) away_from_limits(d, avoid, z);
  if (manipulability > 0) towards_manipulability(d, manipulability, q, square, z);
}
