/* postures_lanes.h: comparisons, angles and the small equations of analytic/subproblem.c in lanes.

   A branch that a lane has is told by a mask, `there`; a lane in which anything comes near a special case is marked
   `odd`, and its pose is done again by the careful way. So the lanes need no special case of their own. */
#pragma once

#include "simd/lanes.h"
#include "simd/postures.h"

/* Cosine and sine of a turn. */
typedef struct lane_turn {
  lane x, y;
} lane_turn;

HIK_INLINE lane lane_larger(lane a, lane b) { return lane_choose(a > b, a, b); }

/* The angle in [-pi, pi] of a direction, by the polynomials of hik_atan_positive (base/trig.h) with one division less;
   |error| <= 5e-16 relative. */
HIK_INLINE lane lane_angle(lane_turn u) {
  lane ax = lane_abs(u.x), ay = lane_abs(u.y);
  lane_mask steep = ay > 2.41421356237309504880 * ax, middle = (ay > 0.66 * ax) & ~steep;
  lane base = (lane)((steep & (lane_mask)lane_all(1.57079632679489661923)) |
                     (middle & (lane_mask)lane_all(0.78539816339744830962)));
  lane more = (lane)((steep & (lane_mask)lane_all(6.123233995736765886130e-17)) |
                     (middle & (lane_mask)lane_all(3.061616997868382943065e-17)));
  lane x = lane_choose(steep, -ax, ay - (lane)(middle & (lane_mask)ax)) /
           lane_choose(steep, ay, ax + (lane)(middle & (lane_mask)ay));
  lane z = x * x;
  lane a = base + (x * (z * HIK_ATAN_P(z) / HIK_ATAN_Q(z)) + x + more);
  a = lane_choose(u.x < 0, HIK_PI - a + 1.224646799147353177e-16, a);
  return lane_choose(u.y < 0, -a, a);
}

/* ---- one and two equations ---- */

/* a + b . (cos, sin) = 0, as hik_one_equation; returns the lanes of `there` that have (two) answers. */
HIK_INLINE lane_mask two_turns(lane a, lane b0, lane b1, lane_mask there, lane_mask *odd, lane_turn out[2]) {
  lane inverse = 1 / lane_root(b0 * b0 + b1 * b1), foot = -a * inverse, ux = b0 * inverse, uy = b1 * inverse;
  lane square = (1 - foot) * (1 + foot);
  lane_mask some = square > 0;
  *odd |=
      there & ~(lane_abs(square) > 1e-8 * inverse + 1e-8); /* touching, or an equation without its unknown */
  lane chord = lane_root((lane)(some & (lane_mask)square));
  out[0] = (lane_turn){foot * ux - chord * uy, foot * uy + chord * ux};
  out[1] = (lane_turn){foot * ux + chord * uy, foot * uy - chord * ux};
  return there & some;
}

/* The turn about z that takes the shadow of `from` onto that of `to`. */
HIK_INLINE lane_turn turn_onto(const lane *from, const lane *to, lane_mask there, lane_mask *odd) {
  lane c = from[0] * to[0] + from[1] * to[1], s = from[0] * to[1] - from[1] * to[0],
       n = lane_root(c * c + s * s);
  *odd |= there & ~(n > 1e-7);
  n = 1 / n;
  return (lane_turn){c * n, s * n};
}

/* v turned forwards about z, and backwards. */
HIK_INLINE void turn_by(lane_turn u, const lane *v, lane *out) {
  lane x = u.x * v[0] - u.y * v[1], y = u.y * v[0] + u.x * v[1];
  out[0] = x, out[1] = y, out[2] = v[2];
}

HIK_INLINE void turn_back(lane_turn u, const lane *v, lane *out) {
  lane x = u.x * v[0] + u.y * v[1], y = u.x * v[1] - u.y * v[0];
  out[0] = x, out[1] = y, out[2] = v[2];
}

/* Greatest difference of the turned `from` to `to`. */
HIK_INLINE lane turned_off(lane_turn u, const lane *from, const lane *to) {
  lane v[3];
  turn_by(u, from, v);
  return lane_larger(lane_abs(v[0] - to[0]), lane_larger(lane_abs(v[1] - to[1]), lane_abs(v[2] - to[2])));
}

/* hik_pair in lanes: a[i][0] + a[i][1..2] . (cos, sin) + b[i] . (cos, sin) = 0. */
typedef struct lane_pair {
  lane a[2][3], b[2][2];
} lane_pair;

/* Rows scaled, and the lanes in which the pair comes apart otherwise than `kind` marked as odd. */
static void pair_scale(int32_t kind, lane_pair *p, lane_mask *odd) {
  lane na = lane_all(0), nb = lane_all(0);
  for (int i = 0; i < 2; i++) {
    lane ma = lane_larger(lane_abs(p->a[i][1]), lane_abs(p->a[i][2]));
    lane mb = lane_larger(lane_abs(p->b[i][0]), lane_abs(p->b[i][1])), most = lane_larger(ma, mb);
    lane factor = 1 / lane_choose(most > 1e-10, most, lane_all(1));
    for (int k = 0; k < 3; k++) p->a[i][k] *= factor;
    for (int k = 0; k < 2; k++) p->b[i][k] *= factor;
    na = lane_larger(na, ma * factor), nb = lane_larger(nb, mb * factor);
  }
  lane da = p->a[0][1] * p->a[1][2] - p->a[0][2] * p->a[1][1],
       db = p->b[0][0] * p->b[1][1] - p->b[0][1] * p->b[1][0];
  lane_mask flat_a = (lane_abs(da) <= 1e-10 * na * na) | (na < 1e-10);
  lane_mask flat_b = (lane_abs(db) <= 1e-10 * nb * nb) | (nb < 1e-10);
  *odd |= kind == HIK_PAIR_SECOND ? ~flat_b : kind == HIK_PAIR_FIRST ? ~flat_a : flat_a | flat_b;
}

/* Exchanges the two unknowns where told. */
HIK_INLINE void pair_exchange(lane_mask swap, lane_pair *p) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      lane x = p->a[i][1 + k], y = p->b[i][k];
      p->a[i][1 + k] = lane_choose(swap, y, x), p->b[i][k] = lane_choose(swap, x, y);
    }
}

/* The part of the pair that binds unknown 1 alone, then unknown 2 by the rest; answers 2 i + j. */
static void separated(const lane_pair *p, lane_mask *odd, lane_turn *first, lane_turn *second,
                      lane_mask *there) {
  lane_mask left = lane_abs(p->b[0][0]) + lane_abs(p->b[1][0]) >= lane_abs(p->b[0][1]) + lane_abs(p->b[1][1]);
  lane x = lane_choose(left, p->b[0][0], p->b[0][1]), y = lane_choose(left, p->b[1][0], p->b[1][1]);
  lane n = lane_root(x * x + y * y), null[2], e[3];
  lane_mask all = n > 1e-7;
  *odd |= ~all;
  n = 1 / n;
  null[0] = -y * n, null[1] = x * n;
  for (int k = 0; k < 3; k++) e[k] = null[0] * p->a[0][k] + null[1] * p->a[1][k];
  lane_turn one[2];
  all = two_turns(e[0], e[1], e[2], all, odd, one);
  for (int i = 0; i < 2; i++) {
    lane a[2], b[2];
    for (int k = 0; k < 2; k++) a[k] = p->a[k][0] + p->a[k][1] * one[i].x + p->a[k][2] * one[i].y;
    for (int k = 0; k < 2; k++) b[k] = null[0] * p->b[1][k] - null[1] * p->b[0][k];
    there[2 * i] = there[2 * i + 1] =
        two_turns(null[0] * a[1] - null[1] * a[0], b[0], b[1], all, odd, second + 2 * i);
    first[2 * i] = first[2 * i + 1] = one[i];
  }
}

/* ---- the quartic ---- */

HIK_INLINE lane lane_polynomial(int degree, const lane *c, lane x) {
  lane y = c[degree];
  for (int i = degree - 1; i >= 0; i--) y = y * x + c[i];
  return y;
}

/* The roots between neighbours of `stop` [count + 1] in the lanes where the values `at` there differ in sign, as
   bracketed() of subproblem.c, side by side; a lane stops by itself. Elsewhere some point between. x holds guesses, for
   which the middle stands in where they lie outside. */
HIK_INLINE void lane_bracketed(int degree, const lane *c, const lane *slope, const lane *stop, const lane *at,
                               int count, double fine, lane *x) {
  lane low[4], high[4], before[4];
  lane_mask below[4], open[4], any = {0};
  for (int i = 0; i < count; i++) {
    low[i] = stop[i], high[i] = stop[i + 1], below[i] = at[i] < 0, open[i] = below[i] ^ (at[i + 1] < 0);
    lane_mask inside = (x[i] > low[i]) & (x[i] < high[i]);
    x[i] = lane_choose(inside, x[i], 0.5 * (low[i] + high[i])), before[i] = high[i] - low[i];
    any |= open[i];
  }
  for (int k = 0; k < 100 && LANE_BITS(any); k++) {
    any = (lane_mask){0};
    for (int i = 0; i < count; i++) {
      lane f = lane_polynomial(degree, c, x[i]), step = f / lane_polynomial(degree - 1, slope, x[i]),
           next = x[i] - step;
      lane_mask left = ~((f < 0) ^ below[i]);
      low[i] = lane_choose(left, x[i], low[i]), high[i] = lane_choose(left, high[i], x[i]);
      lane_mask good = (next > low[i]) & (next < high[i]) & (lane_abs(step) <= 0.5 * before[i]);
      lane_mask more = (lane_abs(step) > fine * lane_abs(x[i])) & (f != 0);
      next = lane_choose(good | ~more, next, 0.5 * (low[i] + high[i]));
      before[i] = lane_abs(next - x[i]);
      x[i] = lane_choose(open[i], next, x[i]);
      open[i] &= more;
      any |= open[i];
    }
  }
}

/* Beyond an outermost extremum `at`, where a polynomial and all its derivatives grow: no less far than the root. */
HIK_INLINE void outer_guess(double sign, lane stop, lane at, lane curve, lane *x) {
  *x = stop + sign * lane_root(lane_abs(2 * at / curve));
}

/* Real roots of a quartic, ascending; lanes with two that all but meet are odd. Between the roots of a derivative a
   polynomial is monotonic, and a stop that is no root does no harm: so every lane has all the stops. */
static void four_roots(const lane *c4, lane_mask *odd, lane root[4], lane_mask there[4]) {
  lane c[5], c3[4], c2[3], c1[2], bound = lane_all(0), scale = lane_all(0);
  for (int i = 0; i < 5; i++) scale = lane_larger(lane_abs(c4[i]), scale);
  *odd |= ~(lane_abs(c4[4]) > 1e-6 * scale);
  scale = 1 / c4[4];
  for (int i = 0; i < 5; i++) c[i] = c4[i] * scale;
  for (int i = 0; i < 4; i++) bound = lane_larger(lane_abs(c[i]), bound), c3[i] = (i + 1) * c[i + 1];
  for (int i = 0; i < 3; i++) c2[i] = (i + 1) * c3[i + 1];
  for (int i = 0; i < 2; i++) c1[i] = (i + 1) * c2[i + 1];
  const lane last = lane_all(2) * c2[2];
  bound += 1; /* Cauchy; the roots of the derivatives lie inside the hull of the roots */
  lane middle = -c2[1] / last, square = middle * middle - 2 * c2[0] / last;
  lane half = lane_root((lane)((square > 0) & (lane_mask)square));
  lane stop[5] = {-bound, middle - half, middle + half, bound}, at[5], x[4];
  for (int i = 0; i < 4; i++) at[i] = lane_polynomial(3, c3, stop[i]);
  for (int i = 0; i < 3; i++) x[i] = middle;
  outer_guess(-1, stop[1], at[1], lane_polynomial(1, c1, stop[1]), x);
  outer_guess(1, stop[2], at[2], lane_polynomial(1, c1, stop[2]), x + 2);
  lane_bracketed(3, c3, c2, stop, at, 3, 1e-5, x);
  for (int i = 0; i < 3; i++) stop[i + 1] = x[i];
  stop[4] = bound;
  for (int i = 0; i < 5; i++) {
    lane size = lane_abs(c[4]);
    at[i] = lane_polynomial(4, c, stop[i]);
    for (int k = 3; k >= 0; k--) size = size * lane_abs(stop[i]) + lane_abs(c[k]);
    *odd |= ~(lane_abs(at[i]) > 1e-8 * size);
  }
  for (int i = 0; i < 4; i++) there[i] = (at[i] < 0) ^ (at[i + 1] < 0);
  root[1] = 0.5 * (stop[1] + stop[2]), root[2] = 0.5 * (stop[2] + stop[3]);
  outer_guess(-1, stop[1], at[1], lane_polynomial(2, c2, stop[1]), root);
  outer_guess(1, stop[3], at[3], lane_polynomial(2, c2, stop[3]), root + 3);
  lane_bracketed(4, c, c3, stop, at, 4, 1e-9, root);
}

/* quartic() of subproblem.c for two turns; where unknown 1 is the better one to remove, the two are exchanged. */
static void by_quartic(lane_pair *p, lane_mask *odd, lane_turn *first, lane_turn *second, lane_mask *there) {
  static const double way[5][2] = {{1, 0},
                                   {0.30901699437494742, 0.95105651629515357},
                                   {-0.80901699437494742, 0.58778525229247313},
                                   {-0.80901699437494742, -0.58778525229247313},
                                   {0.30901699437494742, -0.95105651629515357}};
  lane da = lane_abs(p->a[0][1] * p->a[1][2] - p->a[0][2] * p->a[1][1]);
  lane db = lane_abs(p->b[0][0] * p->b[1][1] - p->b[0][1] * p->b[1][0]);
  lane_mask swap = da > 10 * db;
  pair_exchange(swap, p);
  lane factor = -1 / (p->b[0][0] * p->b[1][1] - p->b[0][1] * p->b[1][0]), e[3], f[3], s[3][3], c[5], root[4];
  for (int k = 0; k < 3; k++) {
    e[k] = factor * (p->b[1][1] * p->a[0][k] - p->b[0][1] * p->a[1][k]);
    f[k] = factor * (p->b[0][0] * p->a[1][k] - p->b[1][0] * p->a[0][k]);
  }
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) s[i][j] = e[i] * e[j] + f[i] * f[j];
  s[0][0] -= 1;
  lane most = lane_all(-1), c0 = lane_all(1), s0 = lane_all(0);
  for (int k = 0; k < 5; k++) { /* tangent of half the angle from a direction that has no solution opposite */
    double x = -way[k][0], y = -way[k][1];
    lane far = lane_abs(s[0][0] + 2 * (s[0][1] * x + s[0][2] * y) + s[1][1] * (x * x) +
                        s[1][2] * (2 * x * y) + s[2][2] * (y * y));
    lane_mask better = far > most;
    most = lane_choose(better, far, most);
    c0 = lane_choose(better, lane_all(way[k][0]), c0), s0 = lane_choose(better, lane_all(way[k][1]), s0);
  }
  lane s01 = c0 * s[0][1] + s0 * s[0][2], s02 = c0 * s[0][2] - s0 * s[0][1];
  lane s11 = c0 * c0 * s[1][1] + 2 * c0 * s0 * s[1][2] + s0 * s0 * s[2][2];
  lane s22 = s0 * s0 * s[1][1] - 2 * c0 * s0 * s[1][2] + c0 * c0 * s[2][2];
  lane s12 = (c0 * c0 - s0 * s0) * s[1][2] + c0 * s0 * (s[2][2] - s[1][1]);
  c[4] = s[0][0] - 2 * s01 + s11, c[3] = 4 * (s02 - s12), c[2] = 2 * (s[0][0] - s11) + 4 * s22;
  c[1] = 4 * (s02 + s12), c[0] = s[0][0] + 2 * s01 + s11;
  four_roots(c, odd, root, there);
  for (int k = 0; k < 4; k++) {
    lane t = root[k], w = 1 / (1 + t * t), x = (1 - t * t) * w, y = 2 * t * w;
    lane_turn one = {c0 * x - s0 * y, s0 * x + c0 * y}, two;
    x = e[0] + e[1] * one.x + e[2] * one.y, y = f[0] + f[1] * one.x + f[2] * one.y;
    lane n = lane_root(x * x + y * y);
    *odd |= there[k] & ~(n > 1e-7);
    n = 1 / n;
    two = (lane_turn){x * n, y * n};
    first[k] = (lane_turn){lane_choose(swap, two.x, one.x), lane_choose(swap, two.y, one.y)};
    second[k] = (lane_turn){lane_choose(swap, one.x, two.x), lane_choose(swap, one.y, two.y)};
  }
}

/* As hik_pair_solve: four answers, and their angles. */
static void pair_solve(int32_t kind, lane_pair *p, lane_mask *odd, lane_turn first[4], lane_turn second[4],
                       lane_mask there[4], lane x[4], lane y[4]) {
  pair_scale(kind, p, odd);
  if (kind == HIK_PAIR_QUARTIC) {
    by_quartic(p, odd, first, second, there);
  } else if (kind == HIK_PAIR_FIRST) {
    pair_exchange(~(lane_mask){0}, p);
    separated(p, odd, second, first, there);
  } else {
    separated(p, odd, first, second, there);
  }
  for (int k = 0; k < 4; k++) { /* the answer found first is shared by two */
    x[k] = kind == HIK_PAIR_SECOND && k % 2 ? x[k - 1] : lane_angle(first[k]);
    y[k] = kind == HIK_PAIR_FIRST && k % 2 ? y[k - 1] : lane_angle(second[k]);
  }
}
