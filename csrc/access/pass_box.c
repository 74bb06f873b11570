/* pass_box.c: whether an outline clears, or always touches, walls in all poses of a box of (x, y, heading).

   All bounds are of second order in the heading: a function g of it with |g''| <= r stays within |g'| d + r d^2 / 2 of its
   value in the middle, and of second order in the turn of a leaf likewise. 1e-9 m is above all rounding for rooms of kilometers
   less. */
#include "access/pass_wedge.h"
#include "base/trig.h"

static const double SLACK = 1e-9;

typedef struct axis {
  double gap, share[3]; /* least slack over the box; what x, y and heading take of it */
} axis;

typedef struct box {
  const double *middle, *half;
  double slide;         /* greatest way from the middle in x and y */
  const hik_sway *sway; /* of the wall that is looked at; NULL: it stands still */
} box;

void hik_pass_turn(hik_outline *o, double heading) {
  double s, c;
  hik_sincos(heading, &s, &c);
  for (int64_t k = 0; k < o->n; k++) {
    const double *p = o->corner + 2 * k, *m = o->normal + 2 * k;
    o->turned[2 * k] = c * p[0] - s * p[1], o->turned[2 * k + 1] = s * p[0] + c * p[1];
    o->faced[2 * k] = c * m[0] - s * m[1], o->faced[2 * k + 1] = s * m[0] + c * m[1];
  }
}

/* Whether an axis parts wall and outline in the middle pose. */
static bool parts(const axis *a) { return a->gap + a->share[0] + a->share[1] + a->share[2] > 0; }

static void keep_best(axis *best, const axis *found) {
  if (found->gap > best->gap) *best = *found;
}

/* The normal of the wall, on one side of it. */
static axis by_wall(const hik_outline *o, const box *b, const double wall[4], double nx, double ny) {
  double base = nx * (b->middle[0] - wall[0]) + ny * (b->middle[1] - wall[1]), d = b->half[2];
  axis found = {INFINITY, {fabs(nx) * b->half[0], fabs(ny) * b->half[1], 0}};
  for (int64_t k = 0; k < o->n; k++) {
    double x = o->turned[2 * k], y = o->turned[2 * k + 1];
    double lost = fabs(ny * x - nx * y) * d + 0.5 * o->far[k] * d * d;
    if (b->sway)
      lost += hik_swayed_wall(b->sway, nx, ny, b->middle[0] + x - b->sway->pivot[0],
                              b->middle[1] + y - b->sway->pivot[1], b->slide + o->far[k] * d);
    double gap = base + nx * x + ny * y - lost;
    if (gap < found.gap) found.gap = gap, found.share[2] = lost;
  }
  found.gap -= found.share[0] + found.share[1];
  return found;
}

/* An edge of the outline: how far outside of it (side 1) or inside (-1) a point stays. */
static axis by_edge(const hik_outline *o, const box *b, int64_t k, const double point[2], double side) {
  double nx = o->faced[2 * k], ny = o->faced[2 * k + 1], d = b->half[2];
  double x = point[0] - b->middle[0], y = point[1] - b->middle[1];
  double lost = fabs(nx * y - ny * x) * d + 0.5 * sqrt(x * x + y * y) * d * d + d * b->slide;
  if (b->sway) lost += hik_swayed_point(b->sway, nx, ny, point, d);
  axis found = {0, {fabs(nx) * b->half[0], fabs(ny) * b->half[1], lost}};
  found.gap = side * (nx * x + ny * y - o->out[k]) - found.share[0] - found.share[1] - lost;
  return found;
}

static axis best_axis(const hik_outline *o, const box *b, const double wall[4], double nx, double ny) {
  axis best = by_wall(o, b, wall, nx, ny), other = by_wall(o, b, wall, -nx, -ny);
  keep_best(&best, &other);
  for (int64_t k = 0; k < o->n; k++) {
    axis first = by_edge(o, b, k, wall, 1), last = by_edge(o, b, k, wall + 2, 1);
    keep_best(&best, first.gap < last.gap ? &first : &last);
  }
  return best;
}

static bool inside(const hik_outline *o, const box *b, const double point[2]) {
  for (int64_t k = 0; k < o->n; k++)
    if (!(by_edge(o, b, k, point, -1).gap > SLACK)) return false;
  return true;
}

/* One corner always beyond the wall's line and one always before it, both always beside the wall: the outline is convex, so it
   crosses the wall between them. */
static bool crossed(const hik_outline *o, const box *b, const double wall[4], double ux, double uy,
                    double length) {
  bool beyond = false, before = false;
  double x0 = b->middle[0] - wall[0], y0 = b->middle[1] - wall[1], d = b->half[2];
  double along = fabs(ux) * b->half[0] + fabs(uy) * b->half[1],
         off = fabs(uy) * b->half[0] + fabs(ux) * b->half[1];
  for (int64_t k = 0; k < o->n; k++) {
    double x = o->turned[2 * k], y = o->turned[2 * k + 1], bend = 0.5 * o->far[k] * d * d;
    double u = ux * (x0 + x) + uy * (y0 + y), v = ux * (y0 + y) - uy * (x0 + x);
    double du = along + fabs(ux * y - uy * x) * d + bend + SLACK,
           dv = off + fabs(ux * x + uy * y) * d + bend + SLACK;
    if (b->sway) {
      double vx = b->middle[0] + x - b->sway->pivot[0], vy = b->middle[1] + y - b->sway->pivot[1],
             loose = b->slide + o->far[k] * d;
      du += hik_swayed_wall(b->sway, ux, uy, vx, vy, loose),
          dv += hik_swayed_wall(b->sway, -uy, ux, vx, vy, loose);
    }
    if (u - du < 0 || u + du > length) continue;
    beyond |= v - dv > 0, before |= v + dv < 0;
  }
  return beyond && before;
}

/* The middle of what lies of the wall in the outline of the middle pose; false: nothing. */
static bool chord(const hik_outline *o, const box *b, const double wall[4], double ux, double uy,
                  double length, double at[2]) {
  double from = 0, to = length;
  for (int64_t k = 0; k < o->n; k++) {
    double nx = o->faced[2 * k], ny = o->faced[2 * k + 1], rise = nx * ux + ny * uy;
    double left = o->out[k] - nx * (wall[0] - b->middle[0]) - ny * (wall[1] - b->middle[1]);
    if (rise > 0 && left / rise < to) to = left / rise;
    if (rise < 0 && left / rise > from) from = left / rise;
    if (rise == 0 && left < 0) return false;
  }
  at[0] = wall[0] + 0.5 * (from + to) * ux, at[1] = wall[1] + 0.5 * (from + to) * uy;
  return from < to;
}

static bool stuck(const hik_outline *o, const box *b, const double wall[4], double ux, double uy,
                  double length) {
  double at[2];
  return crossed(o, b, wall, ux, uy, length) || (chord(o, b, wall, ux, uy, length, at) && inside(o, b, at)) ||
         inside(o, b, wall) || inside(o, b, wall + 2);
}

void hik_pass_outline(hik_outline *o) {
  for (int64_t k = 0; k < o->n; k++) {
    const double *p = o->corner + 2 * k, *q = o->corner + 2 * ((k + 1) % o->n);
    double x = q[0] - p[0], y = q[1] - p[1], length = sqrt(x * x + y * y);
    o->normal[2 * k] = y / length, o->normal[2 * k + 1] = -x / length;
    o->out[k] = o->normal[2 * k] * p[0] + o->normal[2 * k + 1] * p[1];
    o->far[k] = sqrt(p[0] * p[0] + p[1] * p[1]);
    if (o->far[k] > o->reach) o->reach = o->far[k];
  }
}

hik_look hik_pass_look(hik_outline *o, const hik_walls *walls, const int32_t *which, int32_t n,
                       const double middle[3], const double half[3], int32_t *kept) {
  hik_look look = {HIK_BOX_FREE, 0, {0}, {0}};
  box b = {middle, half, sqrt(half[0] * half[0] + half[1] * half[1]), NULL};
  hik_pass_turn(o, middle[2]);
  for (int32_t i = 0; i < n; i++) {
    const hik_leaf *leaf = which[i] < walls->still ? NULL : walls->leaf + (which[i] - walls->still);
    const double *w = leaf ? leaf->wall : walls->wall + 4 * (int64_t)which[i];
    b.sway = leaf ? &leaf->sway : NULL;
    double ux = w[2] - w[0], uy = w[3] - w[1], length = sqrt(ux * ux + uy * uy);
    ux /= length, uy /= length;
    axis best = best_axis(o, &b, w, -uy, ux);
    if (best.gap > SLACK) continue;
    if (stuck(o, &b, w, ux, uy, length)) {
      look.state = HIK_BOX_STUCK;
      return look;
    }
    look.state = HIK_BOX_MIXED;
    kept[look.kept++] = which[i];
    /* an axis that does not part them in the middle says nothing of how to halve */
    if (!parts(&best)) best.share[0] = half[0], best.share[1] = half[1], best.share[2] = o->reach * half[2];
    for (int k = 0; k < 3; k++)
      if (best.share[k] > look.share[k]) look.share[k] = best.share[k];
  }
  if (look.kept && hik_pass_wedged(o, walls, kept, look.kept, middle, half, look.wedge))
    look.state = HIK_BOX_STUCK;
  return look;
}
