/* grid_value.c: the distance at a point and along a segment, of a grid that is made.

   Purpose: a mesh as an obstacle: bounds for "free", estimates and slopes for solvers.
   Given: the grid; points in the frame of the mesh.
   Returned: distances, negative in the solid; NaN for a point that is not finite.
   Notes: see grid.h for the two bounds. Beyond the grid the larger of two certain bounds holds: the distance to the mesh's
     bounds, and what is known at the nearest place of the grid less the way there. */
#include "base/vec.h"
#include "scene/grid.h"

/* half of the diagonal of a cell: the mean distance to the corners by their weights is greatest in the middle */
static const double HALF_DIAGONAL = 0.8661;

typedef struct place {
  double d[8];           /* distances at the corners, x fastest */
  double t[3];           /* place in the cell */
  double side;           /* of the cell */
  double way[3], beyond; /* from the nearest place of the grid to x, and how long that is */
} place;

static void find(const hik_grid *g, const double *x, place *p) {
  const double coarse = HIK_GRID_FINE * g->cell;
  int64_t at[3];
  for (int j = 0; j < 3; j++) {
    double u = (x[j] - g->low[j]) / coarse, inside = hik_clip(u, 0, g->count[j]);
    if (!(inside >= 0)) inside = 0; /* NaN, which `way` keeps */
    p->way[j] = u == inside ? 0 : (u - inside) * coarse;
    at[j] = (int64_t)inside;
    if (at[j] >= g->count[j]) at[j] = g->count[j] - 1;
    p->t[j] = inside - (double)at[j];
  }
  p->beyond = hik_norm(p->way);
  int64_t brick = g->brick[(at[2] * g->count[1] + at[1]) * g->count[0] + at[0]], row, sheet;
  const float *from;
  p->side = coarse;
  if (brick < 0) {
    row = g->count[0] + 1, sheet = row * (g->count[1] + 1);
    from = g->coarse + at[2] * sheet + at[1] * row + at[0];
  } else {
    row = HIK_GRID_SIDE, sheet = row * row;
    from = g->fine + brick * HIK_GRID_BRICK;
    p->side = g->cell;
    for (int j = 0; j < 3; j++) {
      double fine = HIK_GRID_FINE * p->t[j];
      int64_t k = fine < HIK_GRID_FINE ? (int64_t)fine : HIK_GRID_FINE - 1;
      p->t[j] = fine - (double)k;
      from += k * (j == 0 ? 1 : j == 1 ? row : sheet);
    }
  }
  for (int k = 0; k < 8; k++) p->d[k] = from[(k & 1) + (k >> 1 & 1) * row + (k >> 2) * sheet];
}

static double mix(double a, double b, double t) { return a + (b - a) * t; }

static double trilinear(const double d[8], const double t[3]) {
  double near_low = mix(d[0], d[1], t[0]), near_high = mix(d[2], d[3], t[0]);
  double far_low = mix(d[4], d[5], t[0]), far_high = mix(d[6], d[7], t[0]);
  return mix(mix(near_low, near_high, t[1]), mix(far_low, far_high, t[1]), t[2]);
}

/* Distance to the bounds of the mesh. */
static double to_bounds(const hik_grid *g, const double *x, double way[3]) {
  for (int j = 0; j < 3; j++)
    way[j] = x[j] < g->bounds[0][j]   ? x[j] - g->bounds[0][j]
             : x[j] > g->bounds[1][j] ? x[j] - g->bounds[1][j]
                                      : 0;
  return hik_norm(way);
}

static double value_of(const hik_grid *g, const double *x, const place *p) {
  double value = trilinear(p->d, p->t), way[3];
  if (p->beyond == 0) return value;
  double bound = to_bounds(g, x, way);
  value -= p->beyond; /* NaN stays */
  return value < bound ? bound : value;
}

double hik_grid_value(const hik_grid *g, const double *x) {
  place p;
  find(g, x, &p);
  return value_of(g, x, &p);
}

double hik_grid_slope(const hik_grid *g, const double *x, double slope[3]) {
  place p;
  find(g, x, &p);
  const double *d = p.d, *t = p.t;
  if (p.beyond == 0) {
    for (int j = 0; j < 3; j++) {
      int a = 1 << j, b = 1 << (j + 1) % 3, c = 1 << (j + 2) % 3;
      double s = t[(j + 1) % 3], r = t[(j + 2) % 3];
      slope[j] =
          mix(mix(d[a] - d[0], d[a + b] - d[b], s), mix(d[a + c] - d[c], d[a + b + c] - d[b + c], s), r) /
          p.side;
    }
    return trilinear(d, t);
  }
  double bound = to_bounds(g, x, slope);
  for (int j = 0; j < 3; j++) slope[j] /= bound; /* beyond the grid it is longer than the margin */
  return value_of(g, x, &p);
}

static double lower_of(const hik_grid *g, const double *x, const place *p) {
  double squares[8], bulge = 0, way[3];
  double bound = trilinear(p->d, p->t) - HALF_DIAGONAL * p->side;
  bool outside = true;
  for (int k = 0; k < 8; k++) {
    outside &= p->d[k] > 0;
    squares[k] = p->d[k] * p->d[k];
  }
  if (outside) {
    for (int j = 0; j < 3; j++) bulge += p->t[j] * (1 - p->t[j]);
    double square = trilinear(squares, p->t) * (1 - 1e-12) - p->side * p->side * bulge;
    double least = HALF_DIAGONAL * p->side;
    if (square > least * least) {
      double root = sqrt(square);
      bound = root > bound ? root : bound;
    }
  }
  if (p->beyond == 0) return bound;
  bound -= p->beyond;
  double box = to_bounds(g, x, way);
  return bound < box ? box : bound;
}

double hik_grid_lower(const hik_grid *g, const double *x) {
  place p;
  find(g, x, &p);
  return lower_of(g, x, &p);
}

double hik_grid_capsule(const hik_grid *g, const double *p, const double *u, double eps, bool certain,
                        double *at) {
  double length = hik_norm(u), along = 0, best = INFINITY, x[3];
  *at = 0;
  if (!(length <= 1.7976931348623157e308)) return NAN;
  for (;;) {
    double share = length > 0 ? along / length : 0;
    hik_axpy3(p, share, u, x);
    double d = certain ? hik_grid_lower(g, x) : hik_grid_value(g, x);
    if (!(d >= best)) best = d, *at = share; /* NaN is kept, and ends the march */
    if (!(along < length) || d != d) return best;
    along += (d - best) + 2 * eps;
    along = along < length ? along : length;
  }
}
