/* descent.inc.c: the body of descent.h.

   Purpose   one step of damped least squares with limits, for a pose, a position, an orientation or an axis at the end
             of a serial chain
   Notes     1 Residual: position over the chain's length, and 2 sin(angle / 2) about the axis of turning, from the sum
               of r_j x t_j over the columns: no arc function; of an axis the chord. Damping 0.01 |e|^2 + 1e-11.
             2 A joint at a limit that the gradient pushes outwards is left out; should the step push further joints
               out of theirs, these are left out too and the step is taken once more.
             3 The dual form: (J J' + d I) y = e, 6 x 6 or 3 x 3 for every n, step J' y, no joint more than 1.
   Reference T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE Trans.
             Robotics 27 (2011) 984-991, damping by the error. */
#include "base/tuning.h"
#include "simd/serial.h"

/* The axis of the end in the world. */
HIK_INLINE void end_axis(const hik_serial *chain, const sweep *w, lane *out) {
  for (int i = 0; i < 3; i++)
    out[i] = chain->axis[0] * w->x[i] + chain->axis[1] * w->y[i] + chain->axis[2] * w->z[i];
}

/* e [rows], position above rotation; returns its square. */
HIK_INLINE lane residual(const hik_serial *chain, hik_serial_goal goal, const sweep *w, const lane *target,
                         lane *e) {
  if (goal == HIK_END_POSITION) return straight_residual(w->p, target + 9, e);
  if (goal == HIK_END_ORIENTATION) return turn_residual(w->x, w->y, w->z, target, e);
  if (goal == HIK_END_AXIS) {
    lane axis[3];
    end_axis(chain, w, axis);
    return straight_residual(axis, target, e);
  }
  lane square = straight_residual(w->p, target + 9, e);
  return square + turn_residual(w->x, w->y, w->z, target, e + 3);
}

/* Makes the columns of J, [n][6] of which the first rows count: position above rotation, or one of them. */
HIK_INLINE lane (*columns_of(const hik_serial *chain, hik_serial_goal goal, sweep *w))[6] {
  lane axis[3];
  if (goal == HIK_END_AXIS) end_axis(chain, w, axis);
  for (int32_t k = 0; k < chain->n; k++) {
    lane d[3], *column = w->column[k], *z = column + 3;
    if (chain->slide[k]) {
      for (int i = 0; i < 3; i++) {
        column[i] = goal == HIK_END_AXIS ? lane_all(0) : z[i];
        z[i] = lane_all(0);
      }
    } else if (goal != HIK_END_ORIENTATION) {
      for (int i = 0; i < 3; i++) d[i] = goal == HIK_END_AXIS ? axis[i] : w->p[i] - w->origin[k][i];
      lane_cross(z, d, column);
    }
  }
  return (lane(*)[6])(w->column[0] + (goal == HIK_END_ORIENTATION ? 3 : 0));
}

/* h = J J' of the columns that are on; 6 rows or 3. */
HIK_INLINE void square_of(int rows, int32_t n, lane j[][6], const lane_mask *on, lane *h) {
  lane sum[21], u[6];
#pragma GCC unroll 6
  for (int a = 0; a < rows; a++) u[a] = (lane)((lane_mask)j[0][a] & on[0]);
#pragma GCC unroll 6
  for (int a = 0; a < rows; a++)
#pragma GCC unroll 6
    for (int b = 0; b <= a; b++) sum[AT(a, b)] = u[a] * u[b];
  for (int32_t k = 1; k < n; k++) {
#pragma GCC unroll 6
    for (int a = 0; a < rows; a++) u[a] = (lane)((lane_mask)j[k][a] & on[k]);
#pragma GCC unroll 6
    for (int a = 0; a < rows; a++)
#pragma GCC unroll 6
      for (int b = 0; b <= a; b++) sum[AT(a, b)] += u[a] * u[b];
  }
#pragma GCC unroll 21
  for (int i = 0; i < (int)AT(rows, 0); i++) h[i] = sum[i];
}

HIK_INLINE uint32_t step_for(hik_serial_goal goal, const hik_serial *chain, const hik_descent_state *s) {
  const int rows = goal == HIK_END_POSE ? 6 : 3;
  sweep w;
  lane move[HIK_SERIAL_JOINTS], e[6], y[6], square[21];
  lane_mask on[HIK_SERIAL_JOINTS];
  const lane *t = LANE_ROWS(s->now), *target = LANE_ROWS(s->target);
  lane *past = LANE_ROWS(s->past), *left = LANE_ROWS(s->left), *next = LANE_ROWS(s->next);
  serial_forward(chain, t, &w);
  lane error = residual(chain, goal, &w, target, e);
  lane_mask go_on = (error >= chain->square) & (error <= *LANE_ROWS(s->ratio) * past[2]) & (*left > 0.0);
  uint32_t ended = LANE_BITS(~go_on);
  *LANE_ROWS(s->error) = error;
  past[2] = past[1], past[1] = past[0], past[0] = error;
  *left -= 1;
  if (ended & s->enough && LANE_BITS(error < chain->square) & s->enough) return ended;
  lane(*j)[6] = columns_of(chain, goal, &w);
  for (int32_t k = 0; k < chain->n; k++) move[k] = inner(rows, j[k], e);
  leave_out(rows, chain, t, move, j, true, on, NULL);
  lane damping = HIK_CHAIN_DAMPING_RATE * error + HIK_CHAIN_DAMPING_LEAST, most = lane_all(1);
  square_of(rows, chain->n, j, on, square);
  for (int pass = 0;; pass++) {
    dual_solve(rows, square, damping, e, y);
    for (int32_t k = 0; k < chain->n; k++) move[k] = (lane)((lane_mask)inner(rows, j[k], y) & on[k]);
    if (pass == 1 || !leave_out(rows, chain, t, move, j, false, on, square)) break;
  }
  for (int32_t k = 0; k < chain->n; k++) most = LANE_MAX(lane_abs(move[k]), most);
  lane share = 1 / most;
  for (int32_t k = 0; k < chain->n; k++) {
    lane to = LANE_MAX(lane_all(chain->low[k]), t[k] + share * move[k]);
    next[k] = LANE_MIN(lane_all(chain->high[k]), to);
  }
  return ended;
}

static uint32_t descent_step(const hik_serial *chain, const hik_descent_state *s) {
  switch (chain->goal) {
  case HIK_END_POSITION: return step_for(HIK_END_POSITION, chain, s);
  case HIK_END_ORIENTATION: return step_for(HIK_END_ORIENTATION, chain, s);
  case HIK_END_AXIS: return step_for(HIK_END_AXIS, chain, s);
  default: return step_for(HIK_END_POSE, chain, s);
  }
}

/* ---- the scan, in single precision ---- */

/* The best turn (cosine, sine) towards direction (x, y), inside its range; from: the same from the middle of the range. */
HIK_INLINE void best_turn(const hik_end_turn *end, thin x, thin y, thin *c, thin *s, thin *from) {
  if (end->held) {
    *c = from[0] = 1 + (thin){0}, *s = from[1] = (thin){0};
    return;
  }
  thin size = 1 / thin_root(x * x + y * y + 1e-30f);
  x *= size, y *= size;
  float mc = end->middle[0], ms = end->middle[1];
  thin u = x * mc + y * ms, v = y * mc - x * ms;
  if (!end->free) {
    thin_mask inside = u >= end->half[0];
    thin edge = thin_choose(v < 0.0f, -end->half[1] + (thin){0}, end->half[1] + (thin){0});
    u = thin_choose(inside, u, end->half[0] + (thin){0}), v = thin_choose(inside, v, edge);
    x = u * mc - v * ms, y = v * mc + u * ms;
  }
  *c = x, *s = y, from[0] = u, from[1] = v;
}

static void map_scan(const float *cell, const float *target, const hik_end_turn *first,
                     const hik_end_turn *last, float *score, float *turns) {
  const float tx = target[0], ty = target[1], tz = target[2], ux = target[3], uy = target[4], uz = target[5];
  const float wx = target[6], wy = target[7], wz = target[8], px = target[9], py = target[10],
              pz = target[11];
  for (int k = 0; k < HIK_CELL; k += THIN) {
    thin at[9], z[3], ca, sa, cb, sb, sum, from[4];
    for (int i = 0; i < 9; i++) at[i] = THIN_OF(cell + i * HIK_CELL + k);
    const thin *x = at, *y = at + 3, *p = at + 6;
    z[0] = x[1] * y[2] - x[2] * y[1], z[1] = x[2] * y[0] - x[0] * y[2], z[2] = x[0] * y[1] - x[1] * y[0];
    thin a = 4 * (p[0] * px + p[1] * py) + z[0] * wx + z[1] * wy;
    thin b = 4 * (p[0] * py - p[1] * px) + z[0] * wy - z[1] * wx;
    best_turn(first, a, b, &ca, &sa, from);
    thin kr = x[0] * tx + x[1] * ty + y[0] * ux + y[1] * uy,
         ki = x[0] * ty - x[1] * tx + y[0] * uy - y[1] * ux;
    thin mr = y[0] * tx + y[1] * ty - x[0] * ux - x[1] * uy,
         mi = y[0] * ty - y[1] * tx - x[0] * uy + x[1] * ux;
    thin c = ca * kr + sa * ki + x[2] * tz + y[2] * uz, d = ca * mr + sa * mi + y[2] * tz - x[2] * uz;
    best_turn(last, c, d, &cb, &sb, from + 2);
    sum = 4 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) -
          2 * (ca * a + sa * b + 4 * p[2] * pz + z[2] * wz + cb * c + sb * d);
    THIN_AT(score + k) = sum;
    for (int i = 0; i < 4; i++) THIN_AT(turns + i * HIK_CELL + k) = from[i];
  }
}

/* Angle of a unit vector, to 1e-5; 0 of the zero vector. Abramowitz and Stegun (1964), 4.4.49. */
HIK_INLINE thin thin_angle(thin x, thin y) {
  thin across = (thin)((thin_mask)x & INT32_MAX), up = (thin)((thin_mask)y & INT32_MAX);
  thin_mask steep = up > across;
  thin r = thin_choose(steep, across, up) / (thin_choose(steep, up, across) + 1e-30f), z = r * r;
  thin a = r * ((((0.0208351f * z - 0.085133f) * z + 0.180141f) * z - 0.3302995f) * z + 0.999866f);
  a = thin_choose(steep, 1.57079633f - a, a);
  a = thin_choose(x < 0.0f, 3.14159265f - a, a);
  return thin_choose(y < 0.0f, -a, a);
}

static int32_t map_nearest(const float *score, const float *turns, float *angle) {
  thin part, least, x = (thin){0}, y = (thin){0};
  float each[THIN];
  uint32_t is_least = 0;
  least = THIN_OF(score);
  for (int k = THIN; k < HIK_CELL; k += THIN) {
    part = THIN_OF(score + k);
    least = thin_choose(part < least, part, least);
  }
  THIN_AT(each) = least;
  for (int some = THIN / 2; some > 0; some /= 2)
    for (int i = 0; i < some; i++) each[i] = each[i + some] < each[i] ? each[i + some] : each[i];
  for (int k = 0; k < HIK_CELL; k += THIN) {
    part = THIN_OF(score + k);
    is_least |= THIN_BITS(part == each[0]) << k;
  }
  int32_t at = is_least ? __builtin_ctz(is_least) : 0; /* numbers too large have no least */
  x[0] = turns[at], y[0] = turns[HIK_CELL + at];
  x[1] = turns[2 * HIK_CELL + at], y[1] = turns[3 * HIK_CELL + at];
  part = thin_angle(x, y);
  angle[0] = part[0], angle[1] = part[1];
  return at;
}
