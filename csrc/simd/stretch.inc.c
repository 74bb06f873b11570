/* stretch.inc.c: the kernel of hik_stretch_state (descent.h).

   Purpose   one step of Newton's method towards the pose of a serial chain that is nearest to a target out of its reach
   Notes     1 What falls is |k (p* - p)|^2 / 2 + 1 - cos(angle), less what no joint changes. Out of reach it stays large,
               and least squares, which drop its second derivatives, creep; here they are exact: of the end's point
               z_i x (z_j x r), of the rotation z_i' M z_j - z_i' z_j tr M with M the sum of r_c t_c' over the columns.
             2 H, with 0.03 (1 + |e|) on its diagonal, is L D L' with |D| for D: the step leads down where H is not
               positive, too.
             3 A joint at a limit that the gradient pushes outwards is left out; what the step takes beyond is cut off.
             4 A step that does not fall is cut to a quarter, and the next ones are bound to less.
   Reference J. Nocedal, S. Wright, Numerical Optimization (2006), 3.4 and 16.7; J. Zhao, N. Badler, Inverse kinematics
             positioning using nonlinear programming, ACM Trans. Graphics 13 (1994) 313-336, the derivatives. */
#include "base/tuning.h"
#include "simd/serial.h"

/* Point of the end, with the arm that the chain leaves out. */
HIK_INLINE void stretched_point(const hik_stretch_state *s, const sweep *w, lane *point) {
  for (int i = 0; i < 3; i++)
    point[i] = w->p[i] + (s->arm[0] * w->x[i] + s->arm[1] * w->y[i] + s->arm[2] * w->z[i]);
}

/* M [a][b] = sum over the columns of r_c[a] t_c[b]. */
HIK_INLINE void turn_moments(const sweep *w, const lane *target, lane m[3][3]) {
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      m[a][b] = w->x[a] * target[3 * b] + w->y[a] * target[3 * b + 1] + w->z[a] * target[3 * b + 2];
}

/* Half of what falls, less what no joint changes. */
HIK_INLINE lane stretch_value(const hik_stretch_state *s, const lane *point, const lane *target, lane trace) {
  lane near = lane_all(0);
  for (int i = 0; i < 3; i++) near += point[i] * (0.5 * point[i] - target[9 + i]);
  return s->weight * s->weight * near - 0.5 * trace;
}

/* Gradient [n], and the lower triangle of the damped H, row by row. */
HIK_INLINE void stretch_derivatives(const hik_serial *chain, const hik_stretch_state *s, const sweep *w,
                                    const lane *target, const lane *point, lane m[3][3], lane trace, lane *g,
                                    lane *h) {
  lane column[HIK_SERIAL_JOINTS][3], e[3];
  const lane v[3] = {m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]};
  bool turns = chain->goal == HIK_END_POSE;
  lane damping = lane_all(HIK_STRETCH_DAMPING);
  for (int i = 0; i < 3; i++) {
    e[i] = s->weight * (target[9 + i] - point[i]);
    damping += HIK_STRETCH_DAMPING * lane_abs(e[i]);
  }
  for (int32_t j = 0; j < chain->n; j++) {
    const lane *z = w->column[j] + 3;
    lane d[3], c[3], *row = h + (size_t)j * (size_t)(j + 1) / 2;
    if (chain->slide[j]) {
      for (int i = 0; i < 3; i++) column[j][i] = s->weight * z[i];
    } else {
      for (int i = 0; i < 3; i++) d[i] = s->weight * (point[i] - w->origin[j][i]);
      lane_cross(z, d, column[j]);
    }
    lane_cross(column[j], e, c);
    g[j] = -inner(3, column[j], e);
    if (turns && !chain->slide[j]) {
      g[j] -= 0.5 * inner(3, z, v);
      for (int i = 0; i < 3; i++) c[i] += 0.5 * (inner(3, m[i], z) - trace * z[i]);
    }
    for (int32_t i = 0; i <= j; i++) {
      row[i] = inner(3, column[i], column[j]);
      if (!chain->slide[i]) row[i] -= inner(3, w->column[i] + 3, c);
    }
    row[j] += damping;
  }
}

/* move = -H^-1 g on the joints that are on, 0 on the others; h stays. */
HIK_INLINE void stretch_solve(int32_t n, const lane *h, const lane *g, const lane_mask *on, lane *move) {
  lane l[HIK_SERIAL_JOINTS * (HIK_SERIAL_JOINTS + 1) / 2], over[HIK_SERIAL_JOINTS];
  for (int32_t i = 0; i < n; i++) {
    const lane *from = h + (size_t)i * (size_t)(i + 1) / 2;
    lane *row = l + (size_t)i * (size_t)(i + 1) / 2, x = -g[i];
    lane own = lane_choose(on[i], from[i], lane_all(1)), pivot = own;
    for (int32_t k = 0; k < i; k++) {
      const lane *other = l + (size_t)k * (size_t)(k + 1) / 2;
      lane sum = (lane)((lane_mask)from[k] & on[i] & on[k]);
      for (int32_t c = 0; c < k; c++) sum -= row[c] * other[c]; /* row[c] still times its pivot */
      row[k] = sum;
    }
    for (int32_t k = 0; k < i; k++) {
      lane scaled = row[k] * over[k];
      pivot -= row[k] * scaled;
      x -= scaled * move[k];
      row[k] = scaled;
    }
    lane least = 1e-3 * lane_abs(own) + 1e-9;
    pivot = lane_choose(lane_abs(pivot) > least, lane_abs(pivot), least);
    over[i] = 1 / pivot;
    move[i] = (lane)((lane_mask)x & on[i]);
  }
  for (int32_t i = 0; i < n; i++) move[i] *= over[i];
  for (int32_t i = n - 1; i >= 0; i--) {
    const lane *row = l + (size_t)i * (size_t)(i + 1) / 2;
    for (int32_t k = 0; k < i; k++) move[k] -= row[k] * move[i];
  }
}

/* A step from `t`, none of its joints more than `bound`; returns what the whole of it promises to fall by. */
HIK_INLINE lane stretch_move(const hik_serial *chain, const lane *t, const lane *g, const lane *h, lane bound,
                             lane *move) {
  lane_mask on[HIK_SERIAL_JOINTS];
  lane down[HIK_SERIAL_JOINTS], most = bound, promise = lane_all(0);
  for (int32_t k = 0; k < chain->n; k++) {
    down[k] = -g[k];
    on[k] = most > 0.0;
  }
  leave_out(3, chain, t, down, NULL, false, on, NULL);
  stretch_solve(chain->n, h, g, on, move);
  for (int32_t k = 0; k < chain->n; k++) {
    most = lane_choose(lane_abs(move[k]) > most, lane_abs(move[k]), most);
    promise -= g[k] * move[k];
  }
  lane share = bound / most;
  for (int32_t k = 0; k < chain->n; k++) move[k] *= share;
  return promise;
}

static uint32_t stretch_step(const hik_serial *chain, const hik_stretch_state *s) {
  sweep w;
  lane *t = LANE_ROWS(s->t), *base = LANE_ROWS(s->base), *move = LANE_ROWS(s->move),
       *left = LANE_ROWS(s->left);
  lane *value = LANE_ROWS(s->value), *share = LANE_ROWS(s->share), *bound = LANE_ROWS(s->bound);
  const lane *target = LANE_ROWS(s->target);
  lane point[3], m[3][3], trace = lane_all(0), fresh[HIK_SERIAL_JOINTS], g[HIK_SERIAL_JOINTS];
  lane h[HIK_SERIAL_JOINTS * (HIK_SERIAL_JOINTS + 1) / 2], size = lane_all(0);
  serial_forward(chain, t, &w);
  stretched_point(s, &w, point);
  if (chain->goal == HIK_END_POSE) {
    turn_moments(&w, target, m);
    trace = m[0][0] + m[1][1] + m[2][2];
  }
  lane now = stretch_value(s, point, target, trace);
  lane_mask fell = now < *value, goes_on = *left > 0.0;
  *value = lane_choose(fell, now, *value);
  lane wider = lane_choose(*bound < 0.5, 2 * *bound, lane_all(1));
  *bound = lane_choose(fell, lane_choose(*share < 1.0, *bound, wider), 0.5 * *bound);
  *share = lane_choose(fell, lane_all(1), 0.25 * *share);
  *left -= 1;
  for (int32_t k = 0; k < chain->n; k++) base[k] = lane_choose(fell, t[k], base[k]);
  goes_on &= *share > 1e-3;
  if (LANE_BITS(fell)) {
    stretch_derivatives(chain, s, &w, target, point, m, trace, g, h);
    lane promise = stretch_move(chain, t, g, h, *bound, fresh);
    for (int i = 0; i < 3; i++) size += lane_abs(s->weight * target[9 + i]);
    goes_on &= ~fell | (promise > s->little * (1 + size));
    for (int32_t k = 0; k < chain->n; k++) move[k] = lane_choose(fell, fresh[k], move[k]);
  }
  for (int32_t k = 0; k < chain->n; k++)
    t[k] = lane_clip(base[k] + *share * move[k], chain->low[k], chain->high[k]);
  return LANE_BITS(~goes_on);
}
