/* serial.h: a serial chain in lanes: its forward kinematics and its limits; see simd/descent.h. */
#pragma once
#include "simd/descent.h"
#include "simd/lanes.h"

/* What a sweep finds of every joint: rows 3 to 5 of its column are its axis, the others wait for columns_of. */
typedef struct sweep {
  lane column[HIK_SERIAL_JOINTS][6], origin[HIK_SERIAL_JOINTS][3];
  lane x[3], y[3], z[3], p[3]; /* the end */
} sweep;

/* Columns x, y turned within their plane. */
HIK_INLINE void turn_pair(lane c, lane s, lane *x, lane *y) {
  for (int i = 0; i < 3; i++) {
    lane a = x[i], b = y[i];
    x[i] = c * a + s * b;
    y[i] = c * b - s * a;
  }
}

/* The same by a constant angle. */
HIK_INLINE void tilt_pair(int tilted, const double *tilt, lane *y, lane *z) {
  lane a[3];
  for (int i = 0; i < 3; i++) a[i] = y[i];
  switch (tilted) {
  case HIK_TILT_NONE: return;
  case HIK_TILT_QUARTER:
    for (int i = 0; i < 3; i++) y[i] = z[i], z[i] = -a[i];
    return;
  case HIK_TILT_BACK:
    for (int i = 0; i < 3; i++) y[i] = -z[i], z[i] = a[i];
    return;
  case HIK_TILT_HALF:
    for (int i = 0; i < 3; i++) y[i] = -a[i], z[i] = -z[i];
    return;
  default: turn_pair(lane_all(tilt[0]), lane_all(tilt[1]), y, z);
  }
}

HIK_INLINE void serial_forward(const hik_serial *chain, const lane *t, sweep *w) {
  for (int i = 0; i < 3; i++) {
    w->x[i] = lane_all(i == 0), w->y[i] = lane_all(i == 1), w->z[i] = lane_all(i == 2);
    w->p[i] = lane_all(0);
  }
  for (int32_t k = 0; k < chain->n; k++) {
    lane c, s;
    for (int i = 0; i < 3; i++) w->column[k][3 + i] = w->z[i], w->origin[k][i] = w->p[i];
    if (chain->slide[k]) {
      for (int i = 0; i < 3; i++) w->p[i] += t[k] * w->z[i];
      c = lane_all(chain->turn[k][0]), s = lane_all(chain->turn[k][1]);
    } else {
      lane_sincos(&t[k], &s, &c);
    }
    turn_pair(c, s, w->x, w->y);
    const double *d = chain->shift[k];
    const int shifted = chain->shifted[k];
    if (shifted & 1)
      for (int i = 0; i < 3; i++) w->p[i] += d[0] * w->x[i];
    if (shifted & 2)
      for (int i = 0; i < 3; i++) w->p[i] += d[1] * w->y[i];
    if (shifted & 4)
      for (int i = 0; i < 3; i++) w->p[i] += d[2] * w->z[i];
    tilt_pair(chain->tilted[k], chain->tilt[k], w->y, w->z);
  }
}

HIK_INLINE lane inner(int rows, const lane *a, const lane *b) {
  lane sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  return rows == 3 ? sum : sum + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* Leaves out the joints at a limit that `move` would push outwards; true when any lane has one. `on`: those that are in,
   all of them the first time. With a square of J, what they gave to it is taken out again. */
HIK_INLINE bool leave_out(int rows, const hik_serial *chain, const lane *t, const lane *move, lane j[][6],
                          bool first, lane_mask *on, lane *square) {
  lane_mask out[HIK_SERIAL_JOINTS], any = lane_all(0) != lane_all(0);
  for (int32_t k = 0; k < chain->n; k++) {
    lane_mask here =
        ((t[k] <= chain->low[k]) & (move[k] < 0.0)) | ((t[k] >= chain->high[k]) & (move[k] > 0.0));
    if (!first) here &= on[k];
    on[k] = first ? ~here : on[k] & ~here;
    any |= here, out[k] = here;
  }
  if (!LANE_BITS(any)) return false;
  for (int32_t k = 0; square && k < chain->n; k++) {
    lane u[6];
    if (!LANE_BITS(out[k])) continue;
    for (int a = 0; a < rows; a++) u[a] = (lane)((lane_mask)j[k][a] & out[k]);
    for (int a = 0; a < rows; a++)
      for (int b = 0; b <= a; b++) square[AT(a, b)] -= u[a] * u[b];
  }
  return true;
}
