/* grid_meshes.h: small meshes for the tests of grids. */
#pragma once
#include "scene/grid.h"

typedef struct cube {
  double vertex[8][3];
  int32_t triangle[12][3];
} cube;

/* A box about a center, of half sizes h; its triangles 10 and 11 are the side at +z. */
static HIK_UNUSED void make_cube(cube *c, const double center[3], const double h[3]) {
  static const int32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 3; j++) c->vertex[i][j] = center[j] + ((i >> j) & 1 ? h[j] : -h[j]);
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 3; k++) c->triangle[i][k] = sides[i / 2][k == 0 ? 0 : k + i % 2];
}

/* Signed distance to that box, by the usual formula. */
static HIK_UNUSED double cube_distance(const double x[3], const double center[3], const double h[3]) {
  double out = 0, in = -INFINITY;
  for (int j = 0; j < 3; j++) {
    double q = fabs(x[j] - center[j]) - h[j];
    out += q > 0 ? q * q : 0, in = q > in ? q : in;
  }
  return out > 0 ? sqrt(out) : in;
}

static HIK_UNUSED hik_grid_mesh cube_mesh(const cube *c, int triangles, double cell) {
  return (hik_grid_mesh){.vertex = c->vertex[0],
                         .vertices = 8,
                         .triangle = c->triangle[0],
                         .triangles = triangles,
                         .cell = cell,
                         .most_bytes = 1 << 28,
                         .threads = 1};
}
