/* nearest.c: of the postures of a pose the one that is nearest to where the arm stands.

   Purpose:  the answer wanted of all that there are; for a pose out of reach, that which comes nearest to it.
   Given:    poses; starts, as a rule inside the limits.
   Returned: the posture whose largest joint move is smallest, each joint turned by whole turns towards its start; or the one
             with the least sum of squares of all coordinates from the rest.
   Outcomes: no posture lies inside the limits; or the method doubts that it has them all, or some are one of a family,
             whose nearest member it does not know: then nothing is said. */
#include "analytic/arm.h"
#include "analytic/closest.h"
#include "analytic/target.h"

/* Beyond, whole turns take digits from the answer. */
static const double FARTHEST = 1e6;

bool hik_analytic_has_nearest(const hik_analytic *a) {
  const hik_chain *c = &a->chain;
  for (int i = 0; i < c->n; i++)
    if (c->kind[i] != HIK_TURN) return false;
  return a->has_plan ||
         (c->n < 6 && a->task == HIK_TASK_POSE && !a->families && a->method != HIK_ARM_GENERAL);
}

/* The row's turns towards `start`, as near as the limits let them be: towards the limit that it is beyond. */
static void turn_towards(const hik_chain *c, const double *start, double *row) {
  for (int i = 0; i < c->n; i++) {
    double period = 2 * HIK_PI / fabs(c->line[i][0]), x = row[i];
    if (c->kind[i] != HIK_TURN) continue;
    x += period * floor((hik_clip(start[i], c->lower[i], c->upper[i]) - x) / period + 0.5);
    if (x > c->upper[i] + HIK_AT_LIMIT) x -= period;
    if (x < c->lower[i] - HIK_AT_LIMIT) x += period;
    row[i] = hik_clip(x, c->lower[i], c->upper[i]);
  }
}

/* The careful way, for what the lanes leave or do not know. */
static hik_nearest_found nearest_with_care(const hik_analytic *a, const double *T, double *q,
                                           hik_general6_work *work) {
  const hik_chain *c = &a->chain;
  hik_pose target;
  hik_bag b;
  bool sure;
  double least = INFINITY, total = INFINITY, start[HIK_LOOP_MAX], row[HIK_LOOP_MAX], best[HIK_LOOP_MAX] = {0},
         moved;
  for (int i = 0; i < c->n; i++) {
    start[i] = q[c->q[i]];
    if (!(fabs(start[i]) < FARTHEST)) return HIK_NEAREST_LEFT;
  }
  if (!hik_target_read(T, &target)) return HIK_NEAREST_NONE;
  hik_postures_gather(a, &target, 0, work, &b, &sure);
  if (!sure) return HIK_NEAREST_LEFT;
  for (int k = 0; k < b.count; k++) {
    double most = 0, sum = 0;
    if (b.free[k]) return HIK_NEAREST_LEFT;
    if (!hik_posture_inside(a, &target, b.theta[k], row, &moved)) continue;
    turn_towards(c, start, row);
    for (int i = 0; i < c->n; i++) {
      double move = fabs(row[i] - start[i]);
      most = fmax(most, move), sum += move * move;
    }
    if (!(most < least - HIK_NEAREST_TIE || (most < least + HIK_NEAREST_TIE && sum < total))) continue;
    least = most, total = sum;
    memcpy(best, row, sizeof best);
  }
  if (least == INFINITY) return HIK_NEAREST_NONE;
  for (int i = 0; i < c->n; i++) q[c->q[i]] = best[i];
  return HIK_NEAREST_FOUND;
}

void hik_analytic_nearest(const hik_analytic *a, int64_t n, const double *T, double *q,
                          hik_nearest_found *found, void *scratch) {
  if (!a->has_plan)
    for (int64_t k = 0; k < n; k++) found[k] = HIK_NEAREST_LEFT;
  else if (!hik_arm_plan_nearest(&a->plan, n, T, q, found))
    return;
  for (int64_t k = 0; k < n; k++)
    if (found[k] == HIK_NEAREST_LEFT) found[k] = nearest_with_care(a, T + 16 * k, q + k * a->nq, scratch);
}

/* ---- out of reach ---- */

/* Of the exact postures the one with the least sum of squares of q from `q`, into q; false when there is none. */
static bool nearest_exact(const hik_analytic *a, const hik_pose *target, double *q, hik_general6_work *work) {
  const hik_chain *c = &a->chain;
  hik_bag b;
  bool sure;
  double least = INFINITY, row[HIK_LOOP_MAX], best[HIK_LOOP_MAX] = {0}, moved;
  if (a->wish.lock >= 0) return false;
  hik_postures_gather(a, target, 0, work, &b, &sure);
  for (int k = 0; k < b.count; k++) {
    double sum = 0;
    if (!hik_posture_inside(a, target, b.theta[k], row, &moved)) continue;
    for (int i = 0; i < c->n; i++) sum += (row[i] - q[c->q[i]]) * (row[i] - q[c->q[i]]);
    if (!(sum < least)) continue;
    least = sum;
    memcpy(best, row, sizeof best);
  }
  if (least == INFINITY) return false;
  for (int i = 0; i < c->n; i++) q[c->q[i]] = best[i];
  return true;
}

double hik_analytic_closest(const hik_analytic *a, const double *T, double locked, double *q, double *scale,
                            void *scratch) {
  hik_chain c = a->chain;
  hik_pose target;
  int lock = a->wish.lock;
  *scale = c.scale;
  memcpy(q, a->rest, sizeof(double) * (size_t)a->nq);
  if (!hik_target_read(T, &target)) return NAN;
  if (nearest_exact(a, &target, q, scratch)) return 0;
  if (lock >= 0 && locked == locked) {
    if (!(locked >= c.lower[lock] && locked <= c.upper[lock])) return NAN;
    c.lower[lock] = c.upper[lock] = locked;
  }
  return hik_closest(&c, &target, a->task == HIK_TASK_POSE, q);
}
