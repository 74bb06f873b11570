/* reach_bound.c: bounds of one cell; see reach_bound.h.

   Purpose    how much nearer than at a cell's center the frame may come to the target within the cell
   Given      the chain, the middle and the half widths of the cell's variables
   Returned   two lower bounds of the distance, each with its shares by variable
   Notes      First order: if the coordinates are changed from the last to the first, each change moves the target, as seen from
              below, by no more than its distance from that axis *at the center*, and what follows moves nothing by more: the
              bound is exact in form, no derivative is rounded off. A swing turns by no more than |(du, dv)|, as the exponential
              map makes nothing longer.
              Second order: of n . tip along the straight line in the cell from the center, tip the point of the tail that is
              farthest along n at the center. Its second derivative is a sum over pairs of elements, each at most the lever of the
              later one; for a swing along a straight line of (u, v) that is |(du, dv)|^2 times the lever too, since
              d2/dt2 exp(w) p = 2 int int_{a < b} h_a x (h_b x p), h_s = exp(s w) dw. What other points of the tail add is convex
              and homogeneous in the direction as the tail sees it, so four corners around all such directions bound it.
   Reference  own; the Jacobian of the exponential map as in Chirikjian 2012, eq. 10.86. */
#include "access/reach_bound.h"
#include "access/reach_table.h"

#include "base/memory.h"

/* Sum of turns from which on a table need not be fine. */
static const double WIDE = 0.25;

static void lay_out(const hik_reach *r, hik_block *block, hik_reach_at *at) {
  at->base = HIK_TAKE(block, hik_pose, r->n + 1);
  at->moved = HIK_TAKE(block, hik_pose, r->n + 1);
  HIK_TAKE_DOUBLES(block, r->n + 1, &at->move, &at->part, &at->lever);
  HIK_TAKE_DOUBLES(block, r->variables + 1, &at->slope);
}

size_t hik_reach_at_size(const hik_reach *r) {
  hik_block block = {0};
  hik_reach_at at;
  lay_out(r, &block, &at);
  return block.bad ? SIZE_MAX : block.size;
}

hik_reach_at hik_reach_at_begin(const hik_reach *r, void *scratch) {
  hik_block block = {.base = scratch};
  hik_reach_at at = {.finest = HIK_TABLE_FINE};
  lay_out(r, &block, &at);
  return at;
}

/* Whether it turns what comes after it. */
static bool turns(const hik_element *e) { return e->kind == HIK_TURN || e->kind == HIK_BALL_STEP; }

/* ---- limits ---- */

static double swing_of(const hik_reach_at *at, const hik_element *e) {
  const double *d = at->half + e->variable;
  return sqrt(d[0] * d[0] + d[1] * d[1]);
}

/* Least size of a variable in its cell. */
static double least_of(double middle, double half) { return fmax(fabs(middle) - half, 0); }

/* Whether some swing of the cell may be inside the room; *inside: its center is. */
static bool swing_meets(const hik_reach_at *at, const hik_element *e, bool *inside) {
  const double *c = at->middle + e->variable, *d = at->half + e->variable;
  double u = least_of(c[0], d[0]), v = least_of(c[1], d[1]), ab[2];
  if (u * u + v * v > HIK_PI * HIK_PI) return false;
  if (c[0] * c[0] + c[1] * c[1] > HIK_SWING_MOST * HIK_SWING_MOST) *inside = false;
  if (e->room->corners > 0) {
    double beyond = hik_polygon_excess(e->room, c);
    if (beyond > 1e-9) *inside = false;
    return beyond <= swing_of(at, e) + 1e-9;
  }
  hik_swing_axes(e->room, c, ab);
  double x = c[0] / ab[0], y = c[1] / ab[1];
  if (x * x + y * y > 1 + 1e-9) *inside = false;
  u /= ab[0], v /= ab[1];
  return u * u + v * v <= 1 + 1e-9;
}

/* Greatest change of a twist's limits, a radian of the swing, within `swing` of the swing uv: as hik_element.slope, of the table's
   rows about that azimuth alone. */
static double slope_at(const hik_element *twist, const double uv[2], double swing) {
  const hik_swing *s = twist->room;
  double r = sqrt(uv[0] * uv[0] + uv[1] * uv[1]), radial = 0, round = 0;
  if (s->knots == 0 || !(r > 1.01 * swing)) return twist->slope;
  double azimuth = hik_atan2(uv[1], uv[0]), wide = hik_asin(swing / r) + 1e-9;
  for (int32_t k = 0; k < s->knots; k++) {
    const double *a = s->knot + 3 * (size_t)k, *b = s->knot + 3 * (size_t)((k + 1) % s->knots);
    double width = b[0] - a[0] + (k + 1 == s->knots ? 2 * HIK_PI : 0), off = azimuth - a[0] - 0.5 * width;
    off = fabs(off) > HIK_PI ? 2 * HIK_PI - fabs(off) : fabs(off);
    if (off > 0.5 * width + wide) continue;
    for (int i = 1; i < 3; i++) {
      radial = fmax(radial, fmax(fabs(a[i] - s->twist[i - 1]), fabs(b[i] - s->twist[i - 1])));
      round = fmax(round, fabs(b[i] - a[i]) / width);
    }
  }
  double near = r - swing;
  return (near >= s->full ? 0 : 1.5 / s->full * radial) + fmin(1.125 / s->full, 1 / near) * 1.5 * round;
}

/* Range of a twist at the cell's center, middle and half. */
static void twist_of(const hik_element *swing, const hik_reach_at *at, double out[2]) {
  double limit[2];
  hik_swing_twist(swing->room, at->middle + swing->variable, limit);
  out[0] = 0.5 * (limit[0] + limit[1]);
  out[1] = fmin(0.5 * (limit[1] - limit[0]) + 1e-9, HIK_PI);
}

/* ---- the center ---- */

/* Angular velocities, in the axes before the swing, of u and of v growing by one: J h, J = 1 + a [w] + b [w]^2, w = (-v, u, 0). */
static void swing_rates(const double uv[2], double rate[2][3]) {
  const double w[3] = {-uv[1], uv[0], 0}, ahead[2][3] = {{0, 1, 0}, {-1, 0, 0}};
  double r2 = uv[0] * uv[0] + uv[1] * uv[1], r = sqrt(r2), s, c, a = 0.5 - r2 / 24, b = 1.0 / 6 - r2 / 120;
  if (r > 1e-3) {
    hik_sincos(r, &s, &c);
    a = (1 - c) / r2, b = (r - s) / (r2 * r);
  }
  for (int i = 0; i < 2; i++) {
    double once[3], twice[3];
    hik_cross(w, ahead[i], once);
    hik_cross(w, once, twice);
    for (int k = 0; k < 3; k++) rate[i][k] = ahead[i][k] + a * once[k] + b * twice[k];
  }
}

static void swing_turn(const double uv[2], double out[9]) {
  double s, c, angle = sqrt(uv[0] * uv[0] + uv[1] * uv[1]), axis[3] = {0, 1, 0};
  if (angle > 0) axis[0] = -uv[1] / angle, axis[1] = uv[0] / angle;
  hik_sincos(angle, &s, &c);
  hik_mat_axis(axis, c, s, out);
}

/* Where the bone of a follower's ball points, in the axes of its swing and in its joint's frame. */
static void bone_at(const hik_reach_at *at, const hik_element *swing, double own[3], double d[3]) {
  hik_swing_direction(at->middle + swing->variable, own);
  hik_mat_vec(swing->axes, own, d);
}

static double coordinate(const hik_reach *r, const hik_reach_at *at, const hik_element *e) {
  if (!e->follow) return e->scale * at->middle[e->variable] + e->offset;
  double own[3], d[3];
  bone_at(at, r->element + e->leader, own, d);
  return HIK_FOLLOW_VALUE(e->follow + 3, d[0], d[1], d[2]);
}

/* Changes of what follows by u and by v. */
static void follow_rates(const hik_reach *r, const hik_reach_at *at, const hik_element *e, double out[2]) {
  const hik_element *swing = r->element + e->leader;
  const double *c = e->follow + 3;
  double own[3], d[3], rate[2][3], moved[3], up[3];
  bone_at(at, swing, own, d);
  up[0] = HIK_FOLLOW_BY_X(c, d[0], d[1], d[2]);
  up[1] = HIK_FOLLOW_BY_Y(c, d[0], d[1], d[2]);
  up[2] = HIK_FOLLOW_BY_Z(c, d[0], d[1], d[2]);
  hik_mat_tvec(swing->axes, up, up);
  swing_rates(at->middle + swing->variable, rate);
  for (int i = 0; i < 2; i++) {
    hik_cross(rate[i], own, moved);
    out[i] = hik_dot(up, moved);
  }
}

static double crank_radius(const hik_element *e) {
  return sqrt(e->crank[0] * e->crank[0] + e->crank[1] * e->crank[1]);
}

/* Where a crank has its end, and how that moves, in the axes before it. */
static void crank_at(const hik_element *e, double angle, double out[3], double rate[3]) {
  double s, c;
  hik_sincos(angle, &s, &c);
  out[0] = c * e->crank[0] - s * e->crank[1], out[1] = s * e->crank[0] + c * e->crank[1];
  out[2] = e->crank[2];
  rate[0] = -out[1], rate[1] = out[0], rate[2] = 0;
}

/* Whether some posture of the cell keeps the limits of the turn after a crank; *inside: that of the center does. */
static bool pair_meets(const hik_reach_at *at, const hik_element *e, bool *inside) {
  int32_t k = e->variable;
  double off = fabs(at->middle[k] - e->sign * at->middle[k - 1] - e->own[0]) - e->own[1];
  if (off > 0) *inside = false;
  return off <= at->half[k] + at->half[k - 1] + 1e-12;
}

/* Motion of element k within the cell. */
static double motion_of(const hik_reach *r, const hik_reach_at *at, const hik_element *e) {
  if (e->kind == HIK_CRANK) return crank_radius(e) * at->half[e->variable];
  if (e->kind == HIK_BALL_STEP) return swing_of(at, e);
  if (e->follow) return e->steep * swing_of(at, r->element + e->leader);
  return fabs(e->scale) * at->half[e->variable];
}

/* Whether the cell's twists are allowed at one of its swings; *inside: those of its center. */
static bool twist_meets(const hik_reach *r, const hik_reach_at *at, const hik_element *e, bool *inside) {
  const hik_element *swing = r->element + e->leader;
  double range[2], off;
  twist_of(swing, at, range);
  off = fabs(at->middle[e->variable] - range[0]) - range[1];
  if (off > 1e-9) *inside = false;
  return off <= at->half[e->variable] +
                    slope_at(e, at->middle + swing->variable, swing_of(at, swing)) * swing_of(at, swing);
}

static void place_one(const hik_reach *r, hik_reach_at *at, int32_t k) {
  const hik_element *e = r->element + k;
  const double *uv = at->middle + (e->variable < 0 ? 0 : e->variable);
  hik_pose *base = at->base + k, *moved = at->moved + k;
  if (k == 0)
    *base = e->place;
  else
    hik_pose_mul(at->moved + k - 1, &e->place, base);
  *moved = *base;
  if (e->kind == HIK_BALL_STEP) {
    double turn[9];
    swing_turn(uv, turn);
    hik_mat_mul(base->r, turn, moved->r);
  } else if (e->kind == HIK_CRANK) {
    double end[3], rate[3], x[3];
    crank_at(e, at->middle[e->variable], end, rate);
    hik_mat_vec(base->r, end, x);
    hik_add3(base->t, x, moved->t);
  } else if (e->kind == HIK_TURN) {
    double s, c;
    hik_sincos(coordinate(r, at, e), &s, &c);
    hik_mat_turn_z(base->r, c, s, moved->r);
  } else {
    double x = coordinate(r, at, e);
    for (int i = 0; i < 3; i++) moved->t[i] += x * base->r[3 * i + 2];
  }
}

bool hik_reach_place(const hik_reach *r, hik_reach_at *at, const double *middle, const double *half,
                     bool *inside) {
  at->middle = middle, at->half = half, at->turn = 0;
  *inside = true;
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *e = r->element + k;
    if (e->kind == HIK_BALL_STEP) {
      if (!swing_meets(at, e, inside)) return false;
    } else if (e->kind == HIK_TURN && e->leader >= 0 && !e->follow && !twist_meets(r, at, e, inside)) {
      return false;
    }
    if (e->paired && !pair_meets(at, e, inside)) return false;
    at->move[k] = motion_of(r, at, e);
    if (turns(e)) at->turn += at->move[k];
  }
  at->level = at->turn > WIDE ? HIK_TABLE_COARSE : at->finest;
  for (int32_t k = 0; k < r->n; k++) place_one(r, at, k);
  if (r->tail.arm) {
    const hik_element *twist = r->element + r->tail.twist, *swing = r->element + twist->leader;
    double swung = swing_of(at, swing);
    double range[2];
    twist_of(swing, at, range);
    if (at->here.middle != range[0] || at->here.half != range[1])
      at->here = hik_twist_make(range[0], range[1]);
    at->twist = at->here;
    if (twist->slope > 0)
      at->twist = hik_twist_make(
          range[0], fmin(range[1] + slope_at(twist, at->middle + swing->variable, swung) * swung, HIK_PI));
  }
  return true;
}

/* ---- first order ---- */

static const hik_pose *last_pose(const hik_reach *r, const hik_reach_at *at) {
  return r->n > 0 ? at->moved + r->n - 1 : &hik_pose_identity;
}

double hik_reach_distance(const hik_reach *r, const hik_reach_at *at, const double target[3], bool here,
                          double normal[3]) {
  const hik_pose *pose = last_pose(r, at);
  const hik_twist *twist = here ? &at->here : &at->twist;
  double y[3], point[3], away[3];
  hik_sub3(target, pose->t, point);
  hik_mat_tvec(pose->r, point, y);
  double distance = hik_tail_distance(&r->tail, twist, y);
  if (!normal) return distance;
  /* from the tail's point that is farthest towards the target, and once more from there: a hint is all that is asked */
  hik_copy3(y, away);
  if (r->tail.arm) away[2] -= r->tail.upper;
  for (int i = 0; i < 3; i++) {
    hik_tail_support(&r->tail, twist, away, point);
    hik_sub3(y, point, away);
  }
  if (!(hik_unit(away, away) > 0)) away[0] = away[1] = 0, away[2] = 1;
  hik_mat_vec(pose->r, away, normal);
  return distance;
}

/* Of a set that is turned by as much about the middle of the cell's turns. */
static double swept_support(const hik_reach *r, const hik_reach_at *at, const double m[3], double half,
                            double point[3]) {
  const hik_sweep *w = r->tail.sweep;
  double own[3], p[3], middle = w->scale * at->middle[w->variable] + w->offset;
  hik_mat_tvec(w->place.r, m, own);
  double value = half == w->half ? hik_reach_table_support(w->whole, at->level, own, p)
                                 : hik_reach_table_swept(r->tail.set, at->level, middle, half, own, p);
  hik_pose_point(&w->place, p, point);
  return value + hik_dot(m, w->place.t);
}

/* Of the tail; of a set by the cell's level. */
static double support_of(const hik_reach *r, const hik_reach_at *at, const double m[3], double point[3]) {
  if (!r->tail.set) return hik_tail_support(&r->tail, &at->twist, m, point);
  if (r->tail.sweep) return swept_support(r, at, m, at->half[r->tail.sweep->variable], point);
  return hik_reach_table_support(r->tail.set, at->level, m, point);
}

static double lever_of(const hik_element *e, const hik_pose *pose, const double point[3]) {
  double off[3], axis[3], across[3];
  if (!turns(e)) return 1;
  hik_sub3(point, pose->t, off);
  if (e->kind == HIK_BALL_STEP) return hik_norm(off);
  hik_mat_column(pose->r, 2, axis);
  hik_cross(axis, off, across);
  return hik_norm(across);
}

/* A share of element k, given to its variables; a swing's to both by their widths. */
static void give(const hik_reach *r, const hik_reach_at *at, int32_t k, double amount, double *share) {
  const hik_element *e = r->element + k;
  if (e->follow) e = r->element + e->leader;
  if (e->kind != HIK_BALL_STEP) {
    share[e->variable] += amount;
    return;
  }
  const double *d = at->half + e->variable;
  double sum = d[0] + d[1];
  for (int i = 0; i < 2; i++) share[e->variable + i] += sum > 0 ? amount * d[i] / sum : 0;
}

double hik_reach_loss(const hik_reach *r, const hik_reach_at *at, const double target[3], double *share) {
  double sum = 0;
  memset(share, 0, sizeof *share * (size_t)r->variables);
  for (int32_t k = 0; k < r->n; k++) {
    double loss = at->move[k] * lever_of(r->element + k, at->base + k, target);
    give(r, at, k, loss, share);
    sum += loss;
  }
  return sum;
}

/* ---- second order ---- */

/* Rates of n . point by the element's coordinate; of a swing by u and v. */
static void rates_of(const hik_reach *r, const hik_reach_at *at, int32_t k, const double point[3],
                     const double n[3], double out[2]) {
  const hik_element *e = r->element + k;
  double off[3], across[3], axis[3];
  hik_sub3(point, at->base[k].t, off);
  hik_cross(off, n, across);
  if (e->kind == HIK_BALL_STEP) {
    double rate[2][3];
    swing_rates(at->middle + e->variable, rate);
    hik_mat_tvec(at->base[k].r, across, across);
    for (int i = 0; i < 2; i++) out[i] = hik_dot(rate[i], across);
    return;
  }
  if (e->kind == HIK_CRANK) {
    crank_at(e, at->middle[e->variable], off, across);
    hik_mat_vec(at->base[k].r, across, axis);
    out[0] = hik_dot(axis, n);
    return;
  }
  hik_mat_column(at->base[k].r, 2, axis);
  out[0] = hik_dot(axis, e->kind == HIK_TURN ? across : n);
}

static void add_rates(const hik_reach *r, hik_reach_at *at, int32_t k, const double point[3],
                      const double n[3]) {
  const hik_element *e = r->element + k;
  double rate[2], follows[2];
  rates_of(r, at, k, point, n, rate);
  if (e->kind == HIK_BALL_STEP) {
    for (int i = 0; i < 2; i++) at->slope[e->variable + i] += rate[i];
  } else if (e->follow) {
    follow_rates(r, at, e, follows);
    for (int i = 0; i < 2; i++) at->slope[r->element[e->leader].variable + i] += rate[0] * follows[i];
  } else {
    at->slope[e->variable] += rate[0] * e->scale;
  }
}

/* Half the greatest second derivative of n . point over the cell, and what of it stands in whose share. */
static double bend_of(const hik_reach *r, const hik_reach_at *at, const double point[3], double *share) {
  double sum = 0, before = at->turn, later = 0;
  for (int32_t k = r->n - 1; k >= 0; k--) {
    const hik_element *e = r->element + k;
    double move = at->move[k], lever = lever_of(e, at->base + k, point), bend;
    if (!turns(e)) {
      bend = move * before;
      if (e->kind == HIK_CRANK) bend += 0.5 * move * at->half[e->variable];
    } else {
      before -= move;
      lever += later;
      bend = lever * move * (0.5 * move + before);
    }
    later += lever * move;
    if (e->follow) {
      double swing = swing_of(at, r->element + e->leader);
      bend += 0.5 * lever * e->bend * swing * swing;
    }
    give(r, at, k, bend, share);
    sum += bend;
  }
  return sum;
}

/* What the tail's other points add at most: the largest of four corners around the directions in which it may see n. */
static double tail_adds(const hik_reach *r, const hik_reach_at *at, const double n[3], const double m[3],
                        const double point[3]) {
  const hik_pose *pose = last_pose(r, at);
  double e[2][3], side[2][3], reach[2] = {0, 0}, turn = at->turn, square = 0.5 * turn * turn, most = 0,
                              skipped[3];
  if (!r->tail.arm && !r->tail.set) return 0;
  if (!(square < 0.9)) return INFINITY;
  hik_perpendicular(m, e[0]);
  hik_cross(m, e[0], e[1]);
  for (int i = 0; i < 2; i++) hik_mat_vec(pose->r, e[i], side[i]);
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *element = r->element + k;
    double axis[3], across[3], rate[2][3];
    if (!turns(element)) continue;
    if (element->kind == HIK_TURN) {
      hik_mat_column(at->base[k].r, 2, axis);
      hik_cross(n, axis, across); /* m turns against the joints */
      for (int i = 0; i < 2; i++) reach[i] += at->move[k] * fabs(hik_dot(across, side[i]));
      continue;
    }
    swing_rates(at->middle + element->variable, rate);
    for (int j = 0; j < 2; j++) {
      hik_mat_vec(at->base[k].r, rate[j], axis);
      hik_cross(n, axis, across);
      for (int i = 0; i < 2; i++)
        reach[i] += at->half[element->variable + j] * fabs(hik_dot(across, side[i]));
    }
  }
  for (int i = 0; i < 2; i++) reach[i] = (reach[i] + square) / (1 - square);
  for (int c = 0; c < 4; c++) {
    double other[3];
    for (int i = 0; i < 3; i++)
      other[i] = m[i] + (c & 1 ? reach[0] : -reach[0]) * e[0][i] + (c & 2 ? reach[1] : -reach[1]) * e[1][i];
    most = fmax(most, support_of(r, at, other, skipped) - hik_dot(point, other));
  }
  return most;
}

/* What n . tip gains at most by the crank, the first element. */
static double crank_bound(const hik_reach *r, const hik_reach_at *at, const double n[3], double slope) {
  const hik_element *e = r->element;
  double end[3], rate[3], way[3], d = at->half[e->variable], x = d;
  crank_at(e, at->middle[e->variable], end, rate);
  end[2] = 0;
  hik_mat_vec(at->base[0].r, end, way);
  double bend = -hik_dot(n, way);
  if (bend < 0 && slope < -bend * d) x = slope / -bend;
  return slope * x + 0.5 * bend * x * x + crank_radius(e) * d * d * d / 6;
}

/* A trunk of turns alone, with a set below it: second derivatives at the center in the place of levers, a third order above them,
   and coordinate by coordinate the largest of what is left, in which the set's own bend may not be more than the trunk's.

   Of n . tip at x from the center: g . x + x' H x / 2, H by Gershgorin no more than its diagonal and the sizes beside it, and at
   most a sixth of the greatest third derivative. What the set's other points add is convex along each ray and 0 at the center, so
   it is at most `adds` times how far out the direction is, of which `still` needs no motion (second order) and part[i] |x_i|. */
static double trunk_bound(const hik_reach *r, const hik_reach_at *at, const double n[3],
                          const double point[3], double adds, double still, const double *part,
                          double *share) {
  double sum = adds * still, turned = 0, later = 0;
  for (int32_t k = r->n - 1; k >= 0;
       k--) { /* in the cell: at the center, and what the later joints move it */
    at->lever[k] = lever_of(r->element + k, at->base + k, point) + later;
    later += at->lever[k] * at->move[k];
  }
  for (int32_t k = 0; k < r->n; k++) {
    double axis[3], off[3], bend = 0;
    if (r->element[k].kind ==
        HIK_CRANK) { /* the first: moves what comes after it and bends nothing but its own way */
      sum += share[k] = crank_bound(r, at, n, fabs(at->slope[k]));
      continue;
    }
    hik_mat_column(at->base[k].r, 2, axis);
    for (int32_t j = r->element[0].kind == HIK_CRANK; j < r->n; j++) {
      const hik_pose *last = at->base + (j > k ? j : k);
      double other[3], a = 0;
      hik_mat_column(at->base[j].r, 2, other);
      hik_sub3(point, last->t, off);
      const double *outer = j > k ? axis : other, *inner = j > k ? other : axis; /* outer x (inner x off) */
      a = hik_dot(n, inner) * hik_dot(outer, off) - hik_dot(n, off) * hik_dot(outer, inner);
      bend += j == k ? a : fabs(a);
    }
    double d = at->move[k], slope = fabs(at->slope[k]) + adds * part[k], x = d;
    if (bend < 0 && slope < -bend * d) x = slope / -bend;
    double most = slope * x + 0.5 * bend * x * x, before = turned;
    turned += d;
    most += at->lever[k] * (turned * turned * turned - before * before * before) / 6;
    share[k] = most + adds * still * d / at->turn;
    sum += most;
  }
  return sum;
}

/* How far out the set sees n: see tail_adds; in still and part what trunk_bound asks for. False: too far to tell. */
static bool seen_apart(const hik_reach *r, const hik_reach_at *at, const double n[3], const double m[3],
                       const double point[3], double *adds, double *still, double *part) {
  const hik_pose *pose = last_pose(r, at);
  double e[2][3], side[2][3], reach[2] = {0, 0}, square = 0.5 * at->turn * at->turn, skipped[3];
  if (!(square < 0.9)) return false;
  hik_perpendicular(m, e[0]);
  hik_cross(m, e[0], e[1]);
  for (int i = 0; i < 2; i++) hik_mat_vec(pose->r, e[i], side[i]);
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; k < r->n; k++) {
      double axis[3], across[3];
      if (pass == 1) part[k] = 0;
      if (!turns(r->element + k)) continue;
      hik_mat_column(at->base[k].r, 2, axis);
      hik_cross(n, axis, across);
      for (int i = 0; i < 2; i++) {
        double rate = fabs(hik_dot(across, side[i]));
        if (pass == 0)
          reach[i] += rate * at->move[k];
        else
          part[k] = fmax(part[k], rate / (reach[i] + square));
      }
    }
  *still = fmax(square / (reach[0] + square), square / (reach[1] + square));
  *adds = 0;
  for (int c = 0; c < 4; c++) {
    double other[3];
    for (int i = 0; i < 3; i++)
      other[i] = m[i] + ((c & 1 ? 1 : -1) * (reach[0] + square) * e[0][i] +
                         (c & 2 ? 1 : -1) * (reach[1] + square) * e[1][i]) /
                            (1 - square);
    *adds = fmax(*adds, support_of(r, at, other, skipped) - hik_dot(point, other));
  }
  return true;
}

/* The same of any tail but an arm: a point adds nothing. */
static bool seen_of(const hik_reach *r, const hik_reach_at *at, const double n[3], const double m[3],
                    const double point[3], double *adds, double *still, double *part) {
  if (r->tail.set) return seen_apart(r, at, n, m, point, adds, still, part);
  *adds = *still = 0;
  memset(part, 0, sizeof *part * (size_t)r->n);
  return at->turn < 1.3;
}

/* Every element is a turn with a variable of its own, its coordinate itself. */
static bool plain_trunk(const hik_reach *r) {
  if (r->tail.arm || r->n != r->variables) return false;
  for (int32_t k = 0; k < r->n; k++)
    if ((r->element[k].kind != HIK_TURN && (k > 0 || r->element[k].kind != HIK_CRANK)) ||
        r->element[k].variable != k || fabs(r->element[k].scale) != 1)
      return false;
  return true;
}

double hik_reach_plane(const hik_reach *r, hik_reach_at *at, const double target[3], const double normal[3],
                       double *share) {
  const hik_pose *pose = last_pose(r, at);
  double m[3], p[3], point[3], off[3], adds;
  hik_mat_tvec(pose->r, normal, m);
  support_of(r, at, m, p);
  hik_pose_point(pose, p, point);
  hik_sub3(target, point, off);
  double bound = hik_dot(normal, off), still, *part = at->part;
  memset(share, 0, sizeof *share * (size_t)r->variables);
  memset(at->slope, 0, sizeof *at->slope * (size_t)r->variables);
  for (int32_t k = 0; k < r->n; k++) add_rates(r, at, k, point, normal);
  if (at->turn > 0 && plain_trunk(r) && seen_of(r, at, normal, m, p, &adds, &still, part))
    return bound - trunk_bound(r, at, normal, point, adds, still, part, share);
  for (int32_t i = 0; i < r->variables; i++) {
    share[i] = fabs(at->slope[i]) * at->half[i];
    bound -= share[i];
  }
  bound -= bend_of(r, at, point, share);
  adds = tail_adds(r, at, normal, m, p);
  for (int32_t k = 0; k < r->n; k++)
    if (turns(r->element + k) && at->turn > 0 && adds < 1e300)
      give(r, at, k, adds * at->move[k] / at->turn, share);
  return bound - adds;
}

hik_reach_at hik_reach_at_outer(const hik_reach *r, const hik_reach_at *at) {
  hik_reach_at out = *at;
  out.turn = 0;
  for (int32_t k = 0; k < r->n - 1; k++)
    if (turns(r->element + k)) out.turn += at->move[k];
  out.level = out.turn > WIDE ? HIK_TABLE_COARSE : at->finest;
  return out;
}

double hik_reach_plane_turn(const hik_reach *outer, const hik_reach_at *at, const double normal[3]) {
  double m[3], skipped[3];
  hik_mat_tvec(last_pose(outer, at)->r, normal, m);
  return fmax(support_of(outer, at, m, skipped) - swept_support(outer, at, m, 0, skipped), 0);
}
