/* reach_tail.c: an arm below a swing as a set: its distance and its support function; see reach.h.

   Purpose    closed forms in the place of up to five joints
   Given      a tail, the range of its twist, a point or a direction in the axes of the swing
   Returned   a number that the set's distance to the point never is below; the set's support, and a point that has it
   Notes      The forearm's direction keeps to a patch of the sphere, a rectangle of polar angle and azimuth; the hand to a cap of
              radius `hand` and half-angle `bent` about it. Distance: psi, the angle from the point to the patch as seen from the
              elbow, is all that counts; in the plane of forearm and point the hand's circle is at (fore, 0). Outside that circle
              the distance grows with psi; beyond the rim it is that of the rim. Within it nothing is claimed but the least
              distance from the elbow. */
#include "access/reach_table.h"

hik_twist hik_twist_make(double middle, double half) {
  hik_twist out = {.middle = middle, .half = half};
  hik_sincos(middle, out.turn + 1, out.turn);
  hik_sincos(half, out.wide + 1, out.wide);
  return out;
}

/* The largest of A cos t + B sin t over polar angles of the patch; with it the place of the largest. */
static double most_on(const hik_patch *p, double A, double B, double at[2]) {
  double best = A * p->from[0] + B * p->from[1], end = A * p->to[0] + B * p->to[1];
  at[0] = p->from[0], at[1] = p->from[1];
  if (end > best) best = end, at[0] = p->to[0], at[1] = p->to[1];
  if (B * p->from[0] - A * p->from[1] >= 0 && A * p->to[1] - B * p->to[0] >= 0) {
    double foot = sqrt(A * A + B * B);
    if (foot > best) best = foot, at[0] = A / foot, at[1] = B / foot;
  }
  return best;
}

/* The direction of the patch nearest to v, and |v| times the cosine of the angle between them. */
static double nearest_in(const hik_patch *p, const hik_twist *twist, const double v[3], double u[3]) {
  double flat = sqrt(v[0] * v[0] + v[1] * v[1]), at[2], x[2];
  double c = p->azimuth[0] * twist->turn[0] - p->azimuth[1] * twist->turn[1],
         s = p->azimuth[1] * twist->turn[0] + p->azimuth[0] * twist->turn[1];
  x[0] = c * v[0] + s * v[1], x[1] = c * v[1] - s * v[0];
  double along = flat, way[2] = {1, 0};
  if (flat > 0) way[0] = x[0] / flat, way[1] = x[1] / flat;
  if (twist->half < HIK_PI && !(way[0] >= twist->wide[0])) {
    way[0] = twist->wide[0], way[1] = x[1] < 0 ? -twist->wide[1] : twist->wide[1];
    along = way[0] * x[0] + way[1] * x[1];
  }
  double most = most_on(p, v[2], along, at);
  u[0] = at[1] * (c * way[0] - s * way[1]), u[1] = at[1] * (s * way[0] + c * way[1]), u[2] = at[0];
  return most;
}

/* The best patch: its direction, and |v| cos psi. */
static double nearest(const hik_tail *t, const hik_twist *twist, const double v[3], double u[3]) {
  double best = nearest_in(t->patch, twist, v, u);
  for (int32_t k = 1; k < t->patches; k++) {
    double other[3], most = nearest_in(t->patch + k, twist, v, other);
    if (most > best) best = most, hik_copy3(other, u);
  }
  return best;
}

double hik_tail_distance(const hik_tail *t, const hik_twist *twist, const double y[3]) {
  if (!t->arm) {
    double off[3];
    hik_sub3(y, t->point, off);
    return hik_norm(off);
  }
  const double v[3] = {y[0], y[1], y[2] - t->upper};
  double u[3], e = hik_norm(v), x = nearest(t, twist, v, u), z = sqrt(fmax(0, (e - x) * (e + x)));
  double c[2] = {x - t->fore, z}, far = sqrt(c[0] * c[0] + c[1] * c[1]);
  double best = fmax(far - t->hand, t->least - e);
  bool past = c[1] * t->cosine - c[0] * t->sine > 0 && t->rim[0] * z - t->rim[1] * x >= 0;
  if (far > t->hand && past)
    best = fmax(best, sqrt((x - t->rim[0]) * (x - t->rim[0]) + (z - t->rim[1]) * (z - t->rim[1])));
  return fmax(best, 0);
}

double hik_tail_support(const hik_tail *t, const hik_twist *twist, const double m[3], double point[3]) {
  if (t->set) return hik_reach_table_support(t->set, HIK_TABLE_FINE, m, point);
  if (!t->arm) {
    hik_copy3(t->point, point);
    return hik_dot(t->point, m);
  }
  double u[3], side[3], v[3], length = hik_norm(m), x = nearest(t, twist, m, u);
  hik_axpy3(m, -x, u, side);
  double z = hik_norm(side);
  hik_copy3(u, v);
  if (x * t->sine - z * t->cosine >= 0 && length > 0) { /* psi <= bent: the hand points along m */
    hik_scale3(1 / length, m, v);
  } else if (z > 0) {
    for (int i = 0; i < 3; i++) v[i] = t->cosine * u[i] + t->sine / z * side[i];
  }
  for (int i = 0; i < 3; i++) point[i] = t->fore * u[i] + t->hand * v[i];
  point[2] += t->upper;
  return hik_dot(point, m);
}
