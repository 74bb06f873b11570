/* ccd.inc.c: the body of ccd.h. The operations and their order are those of solve/points/ccd.c, fit.h and
   base/trig.h, whose branches are choices here: the same bytes.

   Purpose   a sweep of cyclic coordinate descent for a position, an orientation, a pose or one axis
   Given     q inside the limits and the frames that go with it
   Returned  both after the sweep
   Notes     See solve/points/ccd.c for the method. */
#include "simd/ccd.h"

#include "simd/lanes.h"

/* A goal as the sweep carries it: where the frame is, where to, and its axes. */
typedef struct ccd_end {
  lane place[3], aim[3], e[9], d[9];
} ccd_end;

/* hik_wrap */
HIK_INLINE lane ccd_wrap(lane x) { return x - (2 * HIK_PI) * lane_floor(x / (2 * HIK_PI) + 0.5); }

/* hik_best_turn for old = 0 and limits about it; the caller clips what stays there. An arc tangent is half a turn from 0 at
   most: of floor((0 - q) / 2 pi + 0.5) is left 1 at -pi and at the next number, else 0. */
HIK_INLINE lane ccd_best_turn(lane c, lane s, lane lower, lane upper) {
  lane q = lane_atan2(s, c), none = lane_all(0);
  q += (lane)((q < -3.1415926535897924) & (lane_mask)lane_all((2 * HIK_PI)));
  lane_mask moves = c * c + s * s > 1e-24, out = moves & ((q < lower) | (q > upper));
  if (LANE_BITS(out) == 0) return lane_choose(moves, q, none); /* the caller clips */
  q = lane_choose(q < lower, q - (2 * HIK_PI) * lane_floor((q - lower) / (2 * HIK_PI)), q);
  q = lane_choose(q > upper, q + (2 * HIK_PI) * lane_floor((upper - q) / (2 * HIK_PI)), q);
  lane inside = lane_choose(q > upper, upper, q);
  lane_mask low = lane_abs(ccd_wrap(q - lower)) <= lane_abs(ccd_wrap(q - upper));
  lane best = lane_choose(q >= lower, inside, lane_choose(low, lower, upper));
  return lane_choose(moves, best, none);
}

/* hik_step_value */
HIK_INLINE lane ccd_value(const hik_model *m, int32_t s, const lane *q) {
  return m->step_line[2 * (size_t)s] * *q + m->step_line[2 * (size_t)s + 1];
}

/* hik_step_set where the lane moves */
HIK_INLINE void ccd_set(const hik_model *m, int32_t s, lane_mask moves, lane value, lane *q) {
  const double *line = m->step_line + 2 * (size_t)s;
  int32_t at = m->step_q[s];
  if (!(line[0] == 1 && line[1] == 0))
    value = lane_clip((value - line[1]) / line[0], m->lower[at], m->upper[at]);
  *q = lane_choose(moves, value, *q);
}

HIK_INLINE void ccd_slide(const hik_ccd_lanes *w, int32_t s, const lane *z, ccd_end *f, lane *q) {
  const double *limit = w->model->step_limit + 2 * (size_t)s, weight = w->position_weight;
  if (!(weight > 0)) return;
  lane old = ccd_value(w->model, s, q), gap[3];
  for (int i = 0; i < 3; i++) gap[i] = f->aim[i] - f->place[i];
  lane gain = 0 + weight * lane_dot(gap, z), to = lane_clip(old + gain / weight, limit[0], limit[1]);
  ccd_set(w->model, s, to == to, to, q);
  for (int i = 0; i < 3; i++) f->place[i] = f->place[i] + (to - old) * z[i];
}

/* x turned about the axis z through the origin where the lane moves. */
HIK_INLINE void ccd_carry(const lane *turn, lane_mask moves, const lane *origin, lane *x) {
  lane lever[3], out[3];
  for (int i = 0; i < 3; i++) lever[i] = origin ? x[i] - origin[i] : x[i];
  lane_rotate(turn, lever, out);
  for (int i = 0; i < 3; i++) x[i] = lane_choose(moves, origin ? origin[i] + out[i] : out[i], x[i]);
}

HIK_INLINE void ccd_add_pair(double weight, const lane *y, const lane *x, lane *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) b[3 * i + j] += weight * y[i] * x[j];
}

HIK_INLINE void ccd_turn(const hik_ccd_lanes *w, int32_t s, const lane *z, const lane *origin, ccd_end *f,
                         lane *q) {
  const double *limit = w->model->step_limit + 2 * (size_t)s;
  lane b[9], bz[3], size = lane_all(0), sine, cosine, old = ccd_value(w->model, s, q), have[3], goal[3],
                    turn[9];
  for (int i = 0; i < 9; i++) b[i] = lane_all(0);
  if (w->position_weight > 0) {
    for (int i = 0; i < 3; i++) have[i] = f->place[i] - origin[i], goal[i] = f->aim[i] - origin[i];
    ccd_add_pair(w->position_weight, goal, have, b);
  }
  for (int32_t k = 0; k < w->axes; k++) ccd_add_pair(w->orientation_weight, f->d + 3 * k, f->e + 3 * k, b);
  for (int i = 0; i < 9; i++) size += lane_abs(b[i]);
  lane_rotate(b, z, bz);
  lane c = b[0] + b[4] + b[8] - lane_dot(z, bz);
  lane k3 = z[0] * (b[7] - b[5]) + z[1] * (b[2] - b[6]) + z[2] * (b[3] - b[1]);
  lane_mask moves = c * c + k3 * k3 > 1e-24 * size * size;
  lane to = old + ccd_best_turn(c / size, k3 / size, limit[0] - old, limit[1] - old);
  to = lane_clip(to, limit[0], limit[1]);
  ccd_set(w->model, s, moves, to, q);
  lane by = lane_choose(moves, to - old, lane_all(0));
  lane_sincos(&by, &sine, &cosine);
  lane k = 1 - cosine;
  turn[0] = cosine + k * z[0] * z[0], turn[1] = k * z[0] * z[1] - sine * z[2],
  turn[2] = k * z[0] * z[2] + sine * z[1];
  turn[3] = k * z[0] * z[1] + sine * z[2], turn[4] = cosine + k * z[1] * z[1],
  turn[5] = k * z[1] * z[2] - sine * z[0];
  turn[6] = k * z[0] * z[2] - sine * z[1], turn[7] = k * z[1] * z[2] + sine * z[0],
  turn[8] = cosine + k * z[2] * z[2];
  ccd_carry(turn, moves, origin, f->place);
  for (int32_t i = 0; i < w->axes; i++) ccd_carry(turn, moves, NULL, f->e + 3 * i);
}

/* What a sweep begins with: hik_aim_beyond, and the axes as they are. */
HIK_INLINE void ccd_look(const hik_ccd_lanes *w, ccd_end *f) {
  const lane *wanted = LANE_ROWS(w->wanted), *turned = LANE_ROWS(w->turned);
  lane *last = LANE_ROWS(w->last), *history = LANE_ROWS(w->history), error[3], end[12];
  times_place(LANE_ROWS(w->end), w->place, end);
  for (int i = 0; i < 3; i++)
    f->place[i] = end[9 + i], f->aim[i] = wanted[i], error[i] = wanted[i] - end[9 + i];
  if (w->extrapolate) {
    lane size = lane_dot(last, last), ratio = lane_dot(error, last) / size, beyond = ratio / (1 - ratio);
    lane_mask on = (size > 0) & (ratio > 0) & (ratio < 1) & (*history > 0);
    beyond = lane_choose(beyond < 20, beyond, lane_all(20));
    for (int i = 0; i < 3; i++) f->aim[i] = lane_choose(on, f->aim[i] + beyond * error[i], f->aim[i]);
    for (int i = 0; i < 3; i++) last[i] = error[i];
    *history = lane_all(1);
  }
  for (int32_t i = 0; i < 3 * w->axes; i++) f->d[i] = turned[i];
  if (w->axes == 1)
    lane_carry(end, w->own_axis, f->e);
  else
    for (int k = 0; k < w->axes; k++)
      for (int i = 0; i < 3; i++) f->e[3 * k + i] = end[3 * i + k];
}

static void ccd_sweep(const hik_ccd_lanes *both) {
  const hik_ccd_lanes *const w = both;
  const hik_model *m = w->model;
  ccd_end f[HIK_CCD_GROUPS];
  for (int g = 0; g < HIK_CCD_GROUPS; g++) ccd_look(both + g, f + g);
  for (int32_t k = w->count - 1; k >= 0; k--)
    for (int g = 0; g < HIK_CCD_GROUPS; g++) {
      const lane *at = LANE_ROWS(both[g].joint) + 6 * (size_t)k;
      lane *q = LANE_ROWS(both[g].q) + k;
      if (m->step_kind[w->list[k]] == HIK_SLIDE)
        ccd_slide(both + g, w->list[k], at, f + g, q);
      else
        ccd_turn(both + g, w->list[k], at, at + 3, f + g, q);
    }
  lane pose[HIK_CCD_GROUPS][12];
  for (int g = 0; g < HIK_CCD_GROUPS; g++)
    for (int i = 0; i < 12; i++) pose[g][i] = lane_all(0);
  for (int32_t k = 0; k < w->count; k++)
    for (int g = 0; g < HIK_CCD_GROUPS; g++) {
      lane *joint = LANE_ROWS(both[g].joint) + 6 * (size_t)k;
      move_step(m, w->list[k], LANE_ROWS(both[g].q) + k, pose[g]);
      for (int i = 0; i < 3; i++) joint[i] = pose[g][3 * i + 2], joint[3 + i] = pose[g][9 + i];
    }
  for (int g = 0; g < HIK_CCD_GROUPS; g++) memcpy(both[g].end, pose[g], sizeof pose[g]);
}
