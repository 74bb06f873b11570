/* solid.c: signed distances of points to convex obstacles; see solid.h. */
#include "scene/solid.h"

#include "scene/inside.h"

/* As fmax, but inline: of a proof's time most goes by here. */
static double larger(double a, double b) { return b > a ? b : a; }

/* From what a solid is a product of: signed distances across and along. */
static double product(double across, double along) {
  if (across <= 0 || along <= 0) return fmax(across, along);
  return sqrt(across * across + along * along);
}

static double to_capsule(const double *row, const double point[3]) {
  double off[3];
  hik_sub3(point, row, off);
  double share = hik_clip(hik_dot(off, row + 3) * row[8], 0, 1);
  hik_axpy3(off, -share, row + 3, off);
  return hik_norm(off) - row[6];
}

static double to_box(const double *half, const double x[3]) {
  double out[3], most = -INFINITY;
  for (int i = 0; i < 3; i++) {
    double d = fabs(x[i]) - half[i];
    most = larger(most, d);
    out[i] = larger(0, d);
  }
  return most <= 0 ? most : hik_norm(out);
}

/* Of a convex polygon: inside the nearest line's, outside the nearest edge's. */
static double to_polygon(const double *corner, int32_t corners, const double x[3]) {
  double most = -INFINITY, square = INFINITY;
  for (int32_t k = 0; k < corners; k++) {
    const double *c = corner + HIK_CORNER * (size_t)k;
    double d[2] = {x[0] - c[0], x[1] - c[1]};
    most = larger(most, d[0] * c[2] + d[1] * c[3]);
    double share = hik_clip((d[0] * c[4] + d[1] * c[5]) * c[6], 0, 1);
    d[0] -= share * c[4], d[1] -= share * c[5];
    square = fmin(square, d[0] * d[0] + d[1] * d[1]);
  }
  return most <= 0 ? most : sqrt(square);
}

double hik_solid_distance(const hik_world *world, int32_t k, const double point[3]) {
  const double *row = world->row + HIK_OBSTACLE * (size_t)k;
  double off[3];
  switch (world->kind[k]) {
  case HIK_SHAPE_SPHERE: hik_sub3(point, row, off); return hik_norm(off) - row[3];
  case HIK_SHAPE_CAPSULE: return to_capsule(row, point);
  case HIK_SHAPE_PLANE: return hik_dot(row, point) - row[3];
  case HIK_SHAPE_GRID: return INFINITY;
  default: break;
  }
  hik_sub3(point, row + 9, off);
  hik_mat_tvec(row, off, off);
  if (world->kind[k] == HIK_SHAPE_BOX) return to_box(row + 12, off);
  const double *corner = world->corner + HIK_CORNER * (size_t)world->first[k];
  return product(to_polygon(corner, world->corners[k], off), fabs(off[2]) - row[12]);
}

double hik_solid_beyond(const hik_world *world, int32_t k, const double point[3]) {
  const float *ball = world->ball + 4 * (size_t)k;
  double off[3];
  for (int i = 0; i < 3; i++) off[i] = point[i] - (double)ball[i];
  return hik_norm(off) - (double)ball[3] - HIK_SCENE_THIN * (1 + world->extent);
}
