/* families.c: tells which joints move while the frame stays, from the Jacobian's null space.

   Purpose:  arms whose postures are families for every pose, as four joints in one plane: there a posture given stands
             for its family, and the closed forms, made for isolated ones, may give none.
   Given:    the chain; coordinates of q in chain order.
   Returned: see families.h.
   Notes:    singular values below 1e-8 of the greatest count as zero. At a single posture this is first order only: at
             an elbow stretched a joint may move to first order and yet not at all. Everywhere means at three postures
             drawn at random, where it is no accident. */
#include "analytic/families.h"

#include "analytic/closest.h"
#include "base/dense.h"
#include "base/rng.h"

uint8_t hik_families_free(const hik_chain *c, bool orientation, int lock, const double *row) {
  hik_pose at = c->base, moved;
  double axis[HIK_LOOP_MAX][3], origin[HIK_LOOP_MAX][3], column[6 * HIK_LOOP_MAX] = {0};
  double u[HIK_LOOP_MAX * HIK_LOOP_MAX], size[HIK_LOOP_MAX];
  int n = c->n, rows = 0, joint[HIK_LOOP_MAX];
  for (int i = 0; i < n; i++) {
    hik_mat_column(at.r, 2, axis[i]);
    hik_copy3(at.t, origin[i]);
    double value = c->line[i][0] * row[i] + c->line[i][1];
    hik_loop_move(c->kind[i], c->kind[i] == HIK_TURN ? value : value / c->scale, &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  for (int i = 0; i < n; i++) {
    if (i == lock) continue;
    double arm[3], v[3], *to = column + 6 * rows;
    bool turns = c->kind[i] == HIK_TURN;
    hik_sub3(at.t, origin[i], arm);
    hik_cross(axis[i], arm, v);
    hik_copy3(turns ? v : axis[i], to);
    if (turns && orientation) hik_copy3(axis[i], to + 3);
    joint[rows++] = i;
  }
  uint8_t bits = 0;
  if (rows == 0) return 0;
  hik_svd(rows, 6, column, u, size);
  for (int k = 0; k < rows; k++) {
    if (size[k] > 1e-8 * size[0]) continue;
    for (int i = 0; i < rows; i++)
      if (fabs(u[i * rows + k]) > 1e-6) bits |= (uint8_t)(1 << joint[i]);
  }
  return bits;
}

bool hik_families_everywhere(const hik_chain *c, bool orientation, int lock) {
  hik_rng rng = hik_rng_start(6, 6);
  double row[HIK_LOOP_MAX];
  for (int trial = 0; trial < 3; trial++) {
    for (int i = 0; i < c->n; i++)
      row[i] = (c->kind[i] == HIK_TURN ? HIK_PI : c->scale) * (2 * hik_rng_uniform(&rng) - 1);
    if (!hik_families_free(c, orientation, lock, row)) return false;
  }
  return c->n > 0;
}

bool hik_families_one(const hik_chain *chain, bool orientation, int lock, double locked,
                      const hik_pose *target, const double *rest, double *row) {
  hik_chain c = *chain;
  double q[HIK_LOOP_MAX] = {0};
  if (lock >= 0) {
    if (!(locked >= c.lower[lock] && locked <= c.upper[lock])) return false;
    c.lower[lock] = c.upper[lock] = locked;
  }
  for (int i = 0; i < c.n; i++) {
    q[i] = rest[c.q[i]];
    c.q[i] = i;
  }
  if (!(hik_closest(&c, target, orientation, q) < HIK_REACHED)) return false;
  memcpy(row, q, sizeof q);
  return true;
}
