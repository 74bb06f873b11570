/* pass_clearest.c: a pose near another that is as clear of walls as can be.

   Given     an outline, walls, a pose.
   Returned  a pose no farther than `pull` away.
   Notes     The distance to a wall along the best of the axes that part it from the outline is the least of a few numbers, one
             a corner or an end; each is made linear in the pose. The greatest least of these, less |way|^2 / (2 pull), is found
             by its dual: weights on the simplex, of which two are changed at a time. Then all is made linear at the new pose;
             the way counts from the first, so that poses along a slot stay beside each other.
   Reference J. Platt, Fast training of support vector machines using sequential minimal optimization, 1998, for the dual. */
#include "access/pass_clearest.h"

#include "base/trig.h"

enum { PIECES = 24, ROUNDS = 6, CHANGES = 80 };
static const double STILL = 1e-7; /* meters: a way so short is none */

/* A distance, and how it changes with x, y and the way of the farthest corner. */
typedef struct piece {
  double value, rise[3];
} piece;

typedef struct pieces {
  piece one[PIECES];
  int n;
} pieces;

/* Keep the least ones. */
static void add(pieces *all, piece more) {
  int at = all->n;
  if (all->n < PIECES) {
    all->one[all->n++] = more;
    return;
  }
  for (int k = 0; k < PIECES; k++)
    if (at == PIECES || all->one[k].value > all->one[at].value) at = k;
  if (all->one[at].value > more.value) all->one[at] = more;
}

/* A corner's distance along the normal of a wall. */
static piece of_corner(const hik_outline *o, const double pose[3], int64_t k, const double wall[4], double nx,
                       double ny) {
  double x = o->turned[2 * k], y = o->turned[2 * k + 1];
  return (piece){nx * (pose[0] + x - wall[0]) + ny * (pose[1] + y - wall[1]),
                 {nx, ny, (ny * x - nx * y) / o->reach}};
}

/* The distance of a wall's end from an edge. */
static piece of_end(const hik_outline *o, const double pose[3], int64_t k, const double end[2]) {
  double nx = o->faced[2 * k], ny = o->faced[2 * k + 1], x = end[0] - pose[0], y = end[1] - pose[1];
  return (piece){nx * x + ny * y - o->out[k], {-nx, -ny, (nx * y - ny * x) / o->reach}};
}

/* The axis that parts a wall from the turned outline best: a side of the wall, or 2 + an edge. */
static int32_t axis_of(const hik_outline *o, const double pose[3], const double wall[4], double ux,
                       double uy) {
  double best = -INFINITY;
  int32_t axis = 0;
  for (int32_t side = 0; side < 2; side++) {
    double s = side ? -1 : 1, least = INFINITY;
    for (int64_t k = 0; k < o->n; k++) {
      double value = of_corner(o, pose, k, wall, -s * uy, s * ux).value;
      if (value < least) least = value;
    }
    if (least > best) best = least, axis = side;
  }
  for (int32_t k = 0; k < o->n; k++) {
    double first = of_end(o, pose, k, wall).value, last = of_end(o, pose, k, wall + 2).value;
    double least = first < last ? first : last;
    if (least > best) best = least, axis = 2 + k;
  }
  return axis;
}

/* The numbers of a wall along an axis. */
static void add_axis(const hik_outline *o, const double pose[3], const double wall[4], double ux, double uy,
                     int32_t axis, pieces *all) {
  if (axis >= 2) {
    add(all, of_end(o, pose, axis - 2, wall)), add(all, of_end(o, pose, axis - 2, wall + 2));
    return;
  }
  for (int64_t k = 0; k < o->n; k++) add(all, of_corner(o, pose, k, wall, axis ? uy : -uy, axis ? -ux : ux));
}

static void along(const double wall[4], double *ux, double *uy) {
  double x = wall[2] - wall[0], y = wall[3] - wall[1], length = sqrt(x * x + y * y);
  *ux = x / length, *uy = y / length;
}

void hik_pass_axes(hik_outline *o, const hik_walls *walls, const int32_t *which, int32_t n,
                   const double pose[3], int32_t *axis) {
  hik_pass_turn(o, pose[2]);
  for (int32_t i = 0; i < n; i++) {
    const double *wall = walls->wall + 4 * (int64_t)which[i];
    double ux, uy;
    along(wall, &ux, &uy);
    axis[i] = axis_of(o, pose, wall, ux, uy);
  }
}

/* The way at which the least of the pieces, less its square over twice `pull`, is greatest. */
static void best_way(const pieces *all, double pull, double way[3]) {
  double weight[PIECES] = {1}, sum[3];
  for (int k = 0; k < 3; k++) sum[k] = all->one[0].rise[k];
  for (int change = 0; change < CHANGES; change++) {
    int more = 0, less = -1;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < all->n; i++) {
      const double *rise = all->one[i].rise;
      double slope = all->one[i].value + pull * (rise[0] * sum[0] + rise[1] * sum[1] + rise[2] * sum[2]);
      if (slope < low) low = slope, more = i;
      if (weight[i] > 0 && slope > high) high = slope, less = i;
    }
    if (less < 0 || high - low < STILL) break;
    double turn[3], size = 0;
    for (int k = 0; k < 3; k++) {
      turn[k] = all->one[more].rise[k] - all->one[less].rise[k];
      size += turn[k] * turn[k];
    }
    double by = weight[less];
    if (pull * size * by > high - low) by = (high - low) / (pull * size);
    weight[more] += by, weight[less] = by < weight[less] ? weight[less] - by : 0;
    for (int k = 0; k < 3; k++) sum[k] += by * turn[k];
  }
  for (int k = 0; k < 3; k++) way[k] = pull * sum[k];
}

double hik_pass_clearest(hik_outline *o, const hik_walls *walls, const int32_t *which, int32_t n,
                         const int32_t *axes, double pull, double pose[3]) {
  double first[3], at[3], most = -INFINITY;
  for (int k = 0; k < 3; k++) first[k] = at[k] = pose[k];
  if (!n) return INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    pieces all = {.n = 0};
    double least = INFINITY, way[3], gone[3], moved = 0;
    hik_pass_turn(o, at[2]);
    for (int32_t i = 0; i < n; i++) {
      const double *wall = walls->wall + 4 * (int64_t)which[i];
      double ux, uy;
      along(wall, &ux, &uy);
      int32_t first_axis = axes ? axes[i] : axis_of(o, at, wall, ux, uy);
      add_axis(o, at, wall, ux, uy, first_axis, &all);
      if (axes && axes[n + i] != first_axis) add_axis(o, at, wall, ux, uy, axes[n + i], &all);
    }
    for (int k = 0; k < 3; k++) gone[k] = (at[k] - first[k]) * (k == 2 ? o->reach : 1);
    for (int i = 0; i < all.n; i++) {
      piece *one = all.one + i;
      if (one->value < least) least = one->value;
      one->value -= one->rise[0] * gone[0] + one->rise[1] * gone[1] + one->rise[2] * gone[2];
    }
    if (least > most) {
      most = least;
      for (int k = 0; k < 3; k++) pose[k] = at[k];
    }
    best_way(&all, pull, way);
    for (int k = 0; k < 3; k++) {
      moved += (way[k] - gone[k]) * (way[k] - gone[k]);
      at[k] = first[k] + way[k] / (k == 2 ? o->reach : 1);
    }
    if (moved < STILL * STILL) break;
  }
  return most;
}

int32_t hik_pass_near(const hik_outline *o, const hik_walls *walls, const double at[2], double more,
                      int32_t *which) {
  int32_t n = 0;
  double reach = o->reach + more;
  for (int32_t i = 0; i < walls->still; i++) {
    const double *w = walls->wall + 4 * (int64_t)i;
    double ux = w[2] - w[0], uy = w[3] - w[1], x = at[0] - w[0], y = at[1] - w[1];
    double share = hik_clip((ux * x + uy * y) / (ux * ux + uy * uy), 0, 1);
    x -= share * ux, y -= share * uy;
    if (x * x + y * y <= reach * reach) which[n++] = i;
  }
  return n;
}
