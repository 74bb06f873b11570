/* postures_lanes.inc.c: comparisons, angles and the small equations of analytic/subproblem.c in lanes. Part of
   postures.inc.c.

   A branch that a lane has is told by a mask, `there`; a lane in which anything comes near a special case is marked
   `odd`, and its pose is done again by the careful way. So the lanes need no special case of their own. */

#include "simd/lanes.inc.c"

/* Cosine and sine of a turn. */
typedef struct lane_turn {
  lane x, y;
} lane_turn;

HIK_INLINE lane lane_pick(lane_mask m, lane a, lane b) { return (lane)((m & (lane_mask)a) | (~m & (lane_mask)b)); }

HIK_INLINE lane lane_abs(lane x) { return (lane)((lane_mask)x & INT64_MAX); }

HIK_INLINE lane lane_larger(lane a, lane b) { return lane_pick(a > b, a, b); }

HIK_INLINE lane lane_root(lane x) {
  LANE_SQRT(x);
  return x;
}

HIK_INLINE lane lane_dot(const lane *a, const lane *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The angle in [-pi, pi] of a direction, by the polynomials of hik_atan_positive (base/trig.h) with one division less;
   |error| <= 5e-16 relative. */
HIK_INLINE lane lane_angle(lane_turn u) {
  lane ax = lane_abs(u.x), ay = lane_abs(u.y);
  lane_mask steep = ay > 2.41421356237309504880 * ax, middle = (ay > 0.66 * ax) & ~steep;
  lane base = (lane)((steep & (lane_mask)lane_all(1.57079632679489661923)) |
                     (middle & (lane_mask)lane_all(0.78539816339744830962)));
  lane more = (lane)((steep & (lane_mask)lane_all(6.123233995736765886130e-17)) |
                     (middle & (lane_mask)lane_all(3.061616997868382943065e-17)));
  lane x = lane_pick(steep, -ax, ay - (lane)(middle & (lane_mask)ax)) /
           lane_pick(steep, ay, ax + (lane)(middle & (lane_mask)ay));
  lane z = x * x;
  lane p = (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z -
            1.228866684490136173410e2) * z - 6.485021904942025371773e1;
  lane q = ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z +
            4.853903996359136964868e2) * z + 1.945506571482613964425e2;
  lane a = base + (x * (z * p / q) + x + more);
  a = lane_pick(u.x < 0, HIK_PI - a + 1.224646799147353177e-16, a);
  return lane_pick(u.y < 0, -a, a);
}

/* ---- one and two equations ---- */

/* a + b . (cos, sin) = 0, as hik_one_equation; returns the lanes of `there` that have (two) answers. */
HIK_INLINE lane_mask two_turns(lane a, lane b0, lane b1, lane_mask there, lane_mask *odd, lane_turn out[2]) {
  lane inverse = 1 / lane_root(b0 * b0 + b1 * b1), foot = -a * inverse, ux = b0 * inverse, uy = b1 * inverse;
  lane square = (1 - foot) * (1 + foot);
  lane_mask some = square > 0;
  *odd |= there & ~(lane_abs(square) > 1e-8 * inverse + 1e-8); /* touching, or an equation without its unknown */
  lane chord = lane_root((lane)(some & (lane_mask)square));
  out[0] = (lane_turn){foot * ux - chord * uy, foot * uy + chord * ux};
  out[1] = (lane_turn){foot * ux + chord * uy, foot * uy - chord * ux};
  return there & some;
}

/* The turn about z that takes the shadow of `from` onto that of `to`. */
HIK_INLINE lane_turn turn_onto(const lane *from, const lane *to, lane_mask there, lane_mask *odd) {
  lane c = from[0] * to[0] + from[1] * to[1], s = from[0] * to[1] - from[1] * to[0], n = lane_root(c * c + s * s);
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
    lane factor = 1 / lane_pick(most > 1e-10, most, lane_all(1));
    for (int k = 0; k < 3; k++) p->a[i][k] *= factor;
    for (int k = 0; k < 2; k++) p->b[i][k] *= factor;
    na = lane_larger(na, ma * factor), nb = lane_larger(nb, mb * factor);
  }
  lane da = p->a[0][1] * p->a[1][2] - p->a[0][2] * p->a[1][1], db = p->b[0][0] * p->b[1][1] - p->b[0][1] * p->b[1][0];
  lane_mask flat_a = (lane_abs(da) <= 1e-10 * na * na) | (na < 1e-10);
  lane_mask flat_b = (lane_abs(db) <= 1e-10 * nb * nb) | (nb < 1e-10);
  *odd |= kind == HIK_PAIR_SECOND ? ~flat_b : kind == HIK_PAIR_FIRST ? flat_b | ~flat_a : flat_a | flat_b;
}

HIK_INLINE void pair_exchange(lane_pair *p) {
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      lane x = p->a[i][1 + k];
      p->a[i][1 + k] = p->b[i][k], p->b[i][k] = x;
    }
}

/* The part of the pair that binds unknown 1 alone, then unknown 2 by the rest; answers 2 i + j. */
static void separated(const lane_pair *p, lane_mask *odd, lane_turn *first, lane_turn *second, lane_mask *there) {
  lane_mask left = lane_abs(p->b[0][0]) + lane_abs(p->b[1][0]) >= lane_abs(p->b[0][1]) + lane_abs(p->b[1][1]);
  lane x = lane_pick(left, p->b[0][0], p->b[0][1]), y = lane_pick(left, p->b[1][0], p->b[1][1]);
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
    there[2 * i] = there[2 * i + 1] = two_turns(null[0] * a[1] - null[1] * a[0], b[0], b[1], all, odd, second + 2 * i);
    first[2 * i] = first[2 * i + 1] = one[i];
  }
}

/* As hik_pair_solve: four answers, and their angles. */
static void pair_solve(int32_t kind, lane_pair *p, lane_mask *odd, lane_turn first[4], lane_turn second[4],
                       lane_mask there[4], lane x[4], lane y[4]) {
  pair_scale(kind, p, odd);
  if (kind == HIK_PAIR_FIRST) {
    pair_exchange(p);
    separated(p, odd, second, first, there);
  } else {
    separated(p, odd, first, second, there);
  }
  for (int k = 0; k < 4; k++) { /* the answer found first is shared by two */
    x[k] = kind == HIK_PAIR_SECOND && k % 2 ? x[k - 1] : lane_angle(first[k]);
    y[k] = kind == HIK_PAIR_FIRST && k % 2 ? y[k - 1] : lane_angle(second[k]);
  }
}
