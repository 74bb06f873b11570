/* pairs.inc.c: the distance of a segment to each kind of obstacle, in lanes: one posture a lane, the obstacle the same in all.

   Purpose   nearest points and signed distance of an axis, p + s u, 0 <= s <= 1, and an obstacle
   Given     p, u; a = u.u and ia = 1 / a (0: a point) of the capsule; the obstacle's numbers
   Returned  distance (negative inside), x on the axis, n from the obstacle to x
   Notes     No branch changes the answer of a lane. What is asked is a constant where it is compiled, so that what is not asked
             costs nothing: see asked. */
#include "base/vec.h"
#include "scene/grid.h"
#include "scene/inside.h"
#include "simd/lanes.h"

/* TOUCHING: the distance alone, which inside a solid with faces may be 0; FAR: the distance, signed; WHERE: x and n too. */
typedef enum asked { ASKED_TOUCHING, ASKED_FAR, ASKED_WHERE } asked;

typedef struct pair_found {
  lane d, x[3], n[3];
} pair_found;

typedef struct axis_lanes {
  lane p[3], u[3], a, ia;
} axis_lanes;

#define NUMBER        lane
#define NUMBER_ONE    double
#define NUMBER_MASK   lane_mask
#define NUMBER_CHOOSE LANE_CHOOSE
#define NUMBER_MAX    LANE_MAX
#define NUMBER_MIN    LANE_MIN
#define NUMBER_SIZE   INT64_MAX
#define LITTLE        1e-200
#define NAMED(name)   name
#include "scene/place.inc.c"

HIK_INLINE void along(const axis_lanes *c, lane s, lane *x) {
  for (int i = 0; i < 3; i++) x[i] = c->p[i] + s * c->u[i];
}

/* n = v / |v|, and `other` where v is next to nothing; returns |v| */
HIK_INLINE lane unit_or(const lane *v, const lane *other, lane *n) {
  lane length = lane_root(lane_dot(v, v));
  lane_mask none = length < 1e-150;
  lane inverse = 1 / lane_choose(none, lane_all(1), length);
  for (int i = 0; i < 3; i++) n[i] = lane_choose(none, other[i], v[i] * inverse);
  return length;
}

/* A direction square to u: u x e of the axis e that it is least along; x where u is nothing. */
HIK_INLINE void square_to(const lane *u, lane *n) {
  lane ax = lane_abs(u[0]), ay = lane_abs(u[1]), az = lane_abs(u[2]), v[3], other[3];
  lane_mask x = (ax <= ay) & (ax <= az), y = ~x & (ay <= az);
  v[0] = lane_choose(x, lane_all(0), lane_choose(y, -u[2], u[1]));
  v[1] = lane_choose(x, u[2], lane_choose(y, lane_all(0), -u[0]));
  v[2] = lane_choose(x, -u[1], lane_choose(y, u[0], lane_all(0)));
  other[0] = lane_all(1), other[1] = lane_all(0), other[2] = lane_all(0);
  unit_or(v, other, n);
}

HIK_INLINE void to_point(const axis_lanes *c, const double *center, asked what, pair_found *out) {
  lane w[3], v[3], side[3];
  for (int i = 0; i < 3; i++) w[i] = center[i] - c->p[i];
  along(c, unit_clip(lane_dot(w, c->u) * c->ia), out->x);
  for (int i = 0; i < 3; i++) v[i] = out->x[i] - center[i];
  if (what != ASKED_WHERE) {
    out->d = lane_root(lane_dot(v, v));
    return;
  }
  square_to(c->u, side);
  out->d = unit_or(v, side, out->n);
}

/* y: the point of the other axis. Where the lines are not parallel the determinant is |u x d|^2, and what stands against it is
   made of cross products too: no digits are lost at small angles. The steps behind it are projections, which repair clamped and
   parallel cases (Eberly, Robust Computation of Distance Between Line Segments, has the cases one by one). */
HIK_INLINE void to_segment(const axis_lanes *c, const axis_lanes *o, asked what, pair_found *out, lane *y) {
  lane w[3], cross[3], turn[3], v[3], other[3];
  for (int i = 0; i < 3; i++) w[i] = c->p[i] - o->p[i];
  lane b = lane_dot(c->u, o->u), e = lane_dot(c->u, w), f = lane_dot(o->u, w);
  lane_cross(c->u, o->u, cross);
  lane_cross(w, o->u, turn);
  lane det = lane_dot(cross, cross), above = -lane_dot(turn, cross);
  lane s = unit_clip(above / lane_choose(det > 1e-200, det, lane_all(1)));
  lane t = unit_clip((b * s + f) * o->ia);
  s = unit_clip((b * t - e) * c->ia);
  t = unit_clip((b * s + f) * o->ia);
  along(c, s, out->x);
  along(o, t, y);
  for (int i = 0; i < 3; i++) v[i] = out->x[i] - y[i];
  if (what != ASKED_WHERE) {
    out->d = lane_root(lane_dot(v, v));
    return;
  }
  square_to(c->u, other);
  lane_mask cut = det > 1e-200; /* axes that cross: away along both */
  lane inverse = 1 / lane_root(lane_choose(cut, det, lane_all(1)));
  for (int i = 0; i < 3; i++) other[i] = lane_choose(cut, cross[i] * inverse, other[i]);
  out->d = unit_or(v, other, out->n);
}

/* The least way out of a solid so far: how far, which way, and the place on the axis that leaves last. */
typedef struct deepest {
  lane depth, n[3], s;
} deepest;

HIK_INLINE void offer(deepest *best, lane depth, const lane *n, lane s) {
  lane_mask less = depth < best->depth;
  best->depth = lane_choose(less, depth, best->depth);
  best->s = lane_choose(less, s, best->s);
  for (int i = 0; i < 3; i++) best->n[i] = lane_choose(less, n[i], best->n[i]);
}

/* The faces of the sum of box and segment, a zonotope: normals e_i and e_i x u. */
HIK_INLINE void box_depth(const lane *p, const lane *u, const lane *h, deepest *best) {
  lane middle[3], n[3];
  for (int i = 0; i < 3; i++) middle[i] = p[i] + 0.5 * u[i];
  best->depth = lane_all(INFINITY), best->s = lane_all(0);
  for (int i = 0; i < 3; i++) best->n[i] = lane_all(0);
  for (int i = 0; i < 3; i++) {
    lane sign = lane_choose(middle[i] < 0, lane_all(-1), lane_all(1));
    for (int k = 0; k < 3; k++) n[k] = k == i ? sign : lane_all(0);
    /* the end that leaves last */
    offer(best, h[i] + 0.5 * lane_abs(u[i]) - lane_abs(middle[i]), n,
          lane_choose(sign * u[i] > 0, lane_all(0), lane_choose(u[i] == 0, lane_all(0.5), lane_all(1))));
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    lane square = u[j] * u[j] + u[k] * u[k];
    lane_mask some = square > 1e-200;
    lane inverse = 1 / lane_root(lane_choose(some, square, lane_all(1)));
    lane nj = -u[k] * inverse, nk = u[j] * inverse, at = nj * middle[j] + nk * middle[k];
    lane sign = lane_choose(at < 0, lane_all(-1), lane_all(1));
    nj *= sign, nk *= sign;
    lane depth = h[j] * lane_abs(nj) + h[k] * lane_abs(nk) - lane_abs(at);
    /* the edge along e_i that is left last, and where the axis passes it */
    lane cj = lane_choose(nj < 0, -h[j], h[j]), ck = lane_choose(nk < 0, -h[k], h[k]);
    lane s = unit_clip(((cj - p[j]) * u[j] + (ck - p[k]) * u[k]) * inverse * inverse);
    n[i] = lane_all(0), n[j] = nj, n[k] = nk;
    offer(best, lane_choose(some, depth, lane_all(INFINITY)), n, s);
  }
}

HIK_INLINE void out_of_frame(const double *pose, const lane *n, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = pose[3 * i] * n[0] + pose[3 * i + 1] * n[1] + pose[3 * i + 2] * n[2];
}

HIK_INLINE void to_box(const axis_lanes *c, const double *row, asked what, double slack, pair_found *out) {
  lane p[3], u[3], h[3], v[3], n[3];
  into_frame(c->p, c->u, row, p, u);
  for (int i = 0; i < 3; i++) h[i] = lane_all(row[12 + i]);
  lane s = box_place(p, u, h);
  for (int i = 0; i < 3; i++) {
    lane x = p[i] + s * u[i];
    v[i] = beyond(x, h[i]);
  }
  lane square = lane_dot(v, v);
  /* what is apart by more than rounding has no depth */
  bool apart = what == ASKED_TOUCHING || !LANE_BITS(square <= slack * slack);
  if (what != ASKED_WHERE && apart) {
    out->d = lane_root(square);
    return;
  }
  deepest best = {0};
  best.n[2] = lane_all(1);
  if (!apart) box_depth(p, u, h, &best);
  lane_mask inside = best.depth > 0;
  if (what != ASKED_WHERE) {
    out->d = lane_choose(inside, -best.depth, lane_root(square));
    return;
  }
  lane d = unit_or(v, best.n, n);
  out->d = lane_choose(inside, -best.depth, d);
  for (int i = 0; i < 3; i++) n[i] = lane_choose(inside, best.n[i], n[i]);
  along(c, lane_choose(inside, best.s, s), out->x);
  out_of_frame(row, n, out->n);
}

HIK_INLINE void to_plane(const axis_lanes *c, const double *row, pair_found *out) {
  lane start = c->p[0] * row[0] + c->p[1] * row[1] + c->p[2] * row[2] - row[3];
  lane rise = c->u[0] * row[0] + c->u[1] * row[1] + c->u[2] * row[2];
  lane s = lane_choose(rise < 0, lane_all(1), lane_choose(rise == 0, lane_all(0.5), lane_all(0)));
  along(c, s, out->x);
  out->d = start + lane_choose(rise < 0, rise, lane_all(0));
  for (int i = 0; i < 3; i++) out->n[i] = lane_all(row[i]);
}

/* ---- prisms ---- */

typedef struct prism {
  const double *corner; /* rows of HIK_CORNER */
  int32_t corners;
  double half; /* of the height */
} prism;

/* A nearest pair so far: square of the distance, place on the axis, from the prism to the axis. */
typedef struct nearest {
  lane square, s, v[3];
} nearest;

HIK_INLINE void take_nearer(nearest *best, lane s, const lane *v) {
  lane square = lane_dot(v, v);
  lane_mask less = square < best->square;
  best->square = lane_choose(less, square, best->square);
  best->s = lane_choose(less, s, best->s);
  for (int i = 0; i < 3; i++) best->v[i] = lane_choose(less, v[i], best->v[i]);
}

/* The end x, at s, to the solid prism: 0 inside. */
HIK_INLINE void end_to_prism(const prism *k, const lane *x, double s, nearest *best) {
  lane flat[2] = {lane_all(INFINITY), lane_all(0)}, square = lane_all(INFINITY), v[3];
  lane_mask inside = lane_all(0) == 0;
  for (int32_t i = 0; i < k->corners; i++) {
    const double *e = k->corner + HIK_CORNER * i;
    lane wx = x[0] - e[0], wy = x[1] - e[1], t = unit_clip((wx * e[4] + wy * e[5]) * e[6]);
    lane dx = wx - t * e[4], dy = wy - t * e[5], q = dx * dx + dy * dy;
    lane_mask less = q < square;
    square = lane_choose(less, q, square);
    flat[0] = lane_choose(less, dx, flat[0]), flat[1] = lane_choose(less, dy, flat[1]);
    inside &= wx * e[2] + wy * e[3] <= 0;
  }
  for (int i = 0; i < 2; i++) v[i] = lane_choose(inside, lane_all(0), flat[i]);
  v[2] = x[2] - lane_clip(x[2], -k->half, k->half);
  take_nearer(best, lane_all(s), v);
}

/* The axis to an edge of the prism. */
static void edge_to_prism(const axis_lanes *c, const double *start, const double *way, double inverse,
                          nearest *best) {
  axis_lanes o;
  pair_found found;
  lane y[3], v[3], w[3];
  for (int i = 0; i < 3; i++) o.p[i] = lane_all(start[i]), o.u[i] = lane_all(way[i]);
  o.a = lane_all(0), o.ia = lane_all(inverse);
  to_segment(c, &o, ASKED_TOUCHING, &found, y);
  for (int i = 0; i < 3; i++) v[i] = found.x[i] - y[i], w[i] = found.x[i] - c->p[i];
  take_nearer(best, lane_dot(w, c->u) * c->ia, v);
}

/* Half width of the prism along n. */
HIK_INLINE lane prism_width(const prism *k, const lane *n) {
  lane most = lane_all(-INFINITY);
  for (int32_t i = 0; i < k->corners; i++) {
    lane at = n[0] * k->corner[HIK_CORNER * i] + n[1] * k->corner[HIK_CORNER * i + 1];
    most = lane_choose(at > most, at, most);
  }
  return most + k->half * lane_abs(n[2]);
}

/* Out along +-v, v = edge x u, where that edge (from a corner, along way) is what the axis leaves last. */
static void leave_by(const prism *k, const lane *p, const lane *u, const lane *v, const double *corner,
                     const double *way, deepest *best) {
  lane square = lane_dot(v, v), n[3], m[3], edge[3];
  lane_mask some = square > 1e-200;
  lane inverse = 1 / lane_root(lane_choose(some, square, lane_all(1)));
  for (int i = 0; i < 3; i++) edge[i] = lane_all(way[i]);
  for (int sign = -1; sign < 2; sign += 2) {
    for (int i = 0; i < 3; i++) n[i] = sign * v[i] * inverse;
    lane width = prism_width(k, n), own = n[0] * corner[0] + n[1] * corner[1] + k->half * lane_abs(n[2]);
    lane_mask last = some & (own >= width - 1e-12 * (1 + lane_abs(width)));
    lane_cross(edge, n, m);
    lane level = lane_choose(n[2] < 0, lane_all(-k->half), lane_all(k->half)), slope = lane_dot(u, m);
    lane off = (corner[0] - p[0]) * m[0] + (corner[1] - p[1]) * m[1] + (level - p[2]) * m[2];
    lane_mask passes = lane_abs(slope) > 1e-200;
    lane s = unit_clip(off / lane_choose(passes, slope, lane_all(1)));
    offer(best, lane_choose(last, width - lane_dot(n, p), lane_all(INFINITY)), n, s);
  }
}

/* The faces of the sum of prism and segment: those of the prism, and edge x u. */
static void prism_depth(const prism *k, const lane *p, const lane *u, deepest *best) {
  lane v[3], n[3], zero = lane_all(0), one = lane_all(1), half = lane_all(0.5);
  best->depth = lane_all(INFINITY), best->s = zero;
  for (int i = 0; i < 3; i++) best->n[i] = zero;
  lane last = lane_choose(u[2] > 0, zero, lane_choose(u[2] == 0, half, one));
  n[0] = n[1] = zero, n[2] = one;
  offer(best, k->half - p[2] - lane_choose(u[2] < 0, u[2], zero), n, last);
  n[2] = -one;
  offer(best, k->half + p[2] + lane_choose(u[2] > 0, u[2], zero), n, 1 - last);
  v[0] = -u[1], v[1] = u[0], v[2] = zero;
  for (int32_t i = 0; i < k->corners; i++) {
    const double *e = k->corner + HIK_CORNER * i;
    lane slope = u[0] * e[2] + u[1] * e[3], wx = p[0] - e[0], wy = p[1] - e[1];
    n[0] = lane_all(e[2]), n[1] = lane_all(e[3]), n[2] = zero;
    offer(best, -(wx * e[2] + wy * e[3]) - lane_choose(slope < 0, slope, zero), n,
          lane_choose(slope > 0, zero, lane_choose(slope == 0, half, one)));
  }
  if (!LANE_BITS(best->depth > 0)) return; /* apart, whatever else */
  for (int32_t i = 0; i < k->corners; i++) {
    const double *e = k->corner + HIK_CORNER * i;
    const double upright[3] = {0, 0, 1}, level[3] = {e[4], e[5], 0};
    leave_by(k, p, u, v, e, upright, best);
    lane w[3] = {e[5] * u[2], -e[4] * u[2], e[4] * u[1] - e[5] * u[0]};
    leave_by(k, p, u, w, e, level, best);
  }
}

static void to_prism(const axis_lanes *c, const prism *k, const double *pose, pair_found *out) {
  axis_lanes own = *c;
  nearest best = {lane_all(INFINITY), lane_all(0), {lane_all(0), lane_all(0), lane_all(0)}};
  lane end[3], n[3];
  into_frame(c->p, c->u, pose, own.p, own.u);
  for (int i = 0; i < 3; i++) end[i] = own.p[i] + own.u[i];
  end_to_prism(k, own.p, 0, &best);
  end_to_prism(k, end, 1, &best);
  for (int32_t i = 0; i < k->corners; i++) {
    const double *e = k->corner + HIK_CORNER * i;
    double start[3] = {e[0], e[1], -k->half}, up[3] = {0, 0, 2 * k->half}, way[3] = {e[4], e[5], 0};
    edge_to_prism(&own, start, up, k->half > 0 ? 1 / (4 * k->half * k->half) : 0, &best);
    edge_to_prism(&own, start, way, e[6], &best);
    start[2] = k->half;
    edge_to_prism(&own, start, way, e[6], &best);
  }
  deepest hold;
  prism_depth(k, own.p, own.u, &hold);
  lane_mask inside = hold.depth > 0;
  lane d = unit_or(best.v, hold.n, n);
  out->d = lane_choose(inside, -hold.depth, d);
  for (int i = 0; i < 3; i++) n[i] = lane_choose(inside, hold.n[i], n[i]);
  along(c, lane_choose(inside, hold.s, best.s), out->x);
  out_of_frame(pose, n, out->n);
}

/* ---- grids ---- */

/* A lower bound of the distance that no truth is below, lane by lane. */
static void to_grid(const axis_lanes *c, const hik_grid *grid, const double *pose, pair_found *out) {
  lane p[3], u[3], n[3], s = lane_all(0);
  into_frame(c->p, c->u, pose, p, u);
  for (int l = 0; l < LANES; l++) {
    double start[3], way[3], x[3], slope[3], at;
    for (int i = 0; i < 3; i++) start[i] = p[i][l], way[i] = u[i][l];
    out->d[l] = hik_grid_capsule(grid, start, way, 0.5 * grid->cell, true, &at) - 0.5 * grid->cell;
    s[l] = at;
    for (int i = 0; i < 3; i++) x[i] = start[i] + at * way[i];
    hik_grid_slope(grid, x, slope);
    if (!(hik_unit(slope, slope) > 0)) slope[0] = slope[1] = 0, slope[2] = 1;
    for (int i = 0; i < 3; i++) n[i][l] = slope[i];
  }
  along(c, s, out->x);
  out_of_frame(pose, n, out->n);
}
