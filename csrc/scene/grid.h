/* grid.h: the signed distance to a triangle mesh, kept at the nodes of a grid of two levels.
   hik_grid_create hik_grid_free hik_grid_value hik_grid_slope hik_grid_lower hik_grid_capsule

   Space is cut into coarse cells of side 4 h. A cell that comes near the mesh holds a brick of 4 x 4 x 4 fine cells of side h;
   elsewhere the cell's own eight corners are enough. Every node holds the exact distance to the nearest triangle (rounded
   down to a float), negative in the solid. *Solid is what cannot be reached from outside*: no watertight mesh is needed; a
   hole, a gap or a crevice narrower than about a cell closes, and a sheet that closes nothing in is solid nowhere but keeps
   its distance. In the solid the distance is that to the nearest triangle that something outside comes near to, so inner walls
   count only where they are part of a triangle that also stands outside. */
#pragma once
#include "base/base.h"

enum {
  HIK_GRID_FINE = 4,    /* fine cells along a coarse one */
  HIK_GRID_SIDE = 5,    /* nodes along a brick */
  HIK_GRID_BRICK = 125, /* nodes of a brick */
  HIK_GRID_MOST_TRIANGLES = 20 * 1000 * 1000
};

/* Immutable once made. Lengths in the frame of the mesh; the arrays are one allocation's. */
typedef struct hik_grid {
  double low[3];       /* the first node */
  double cell;         /* h */
  double bounds[2][3]; /* of the mesh: least, greatest */
  int32_t count[3];    /* coarse cells along x y z; one node more */
  int64_t bricks;
  const float *coarse;  /* [z][y][x] of the coarse nodes */
  const int32_t *brick; /* [z][y][x] of the coarse cells: number of its brick, -1: none */
  const float *fine;    /* [bricks][z][y][x], 5 x 5 x 5 */
  int64_t triangles,
      hidden;    /* triangles; those of them that nothing outside comes near, left out in the solid */
  double volume; /* of the solid, by counting its nodes: to a few h times its surface */
  size_t bytes;  /* of the arrays */
} hik_grid;

/* What a grid is made of. Arrays are the caller's, for the call. */
typedef struct hik_grid_mesh {
  const double *vertex; /* [vertices][3], finite */
  int64_t vertices;
  const int32_t *triangle; /* [triangles][3], 0 to vertices - 1 */
  int64_t triangles;
  double cell, margin; /* h; how far the grid goes beyond the mesh, at least 12 h is taken */
  size_t most_bytes;   /* refused, with the cell that would do, where the arrays would be larger */
  int64_t threads;     /* 0: all cores; the bytes made do not depend on it */
  hik_tick_fn *tick;   /* NULL: none */
  void *tick_context;
} hik_grid_mesh;

hik_status hik_grid_create(const hik_grid_mesh *mesh, hik_grid **grid, hik_error *error);
/* NULL is allowed. */
void hik_grid_free(hik_grid *grid);

/* The signed distance at x [3], by the eight nodes around: linear along each axis. Off by 0.87 h at most where fine cells are,
   and mostly by a few per cent of h; within 1 h of the surface it may be as if the solid stood out by 0.4 h. Beyond the grid
   it is a certain lower bound. */
double hik_grid_value(const hik_grid *grid, const double *x);
/* The same, and its derivative by x: not of unit length, and it jumps between cells. Beyond the grid it is the direction away
   from the mesh's bounds. */
double hik_grid_slope(const hik_grid *grid, const double *x, double slope[3]);

/* A number that the distance of a point outside is never below (in the solid: less its distance to the triangles). Two bounds, the better of which holds: the value less 0.8661 s, s the
   side of the cell (a distance changes by no more than one moves), and sqrt(sum w d^2 - s^2 sum t (1 - t)), w and t the
   weights of the nodes and the place in the cell: d^2(x) - |x|^2 = min over p of |p|^2 - 2 p x is concave, so it is nowhere
   below what its nodes say. At a distance D that costs s^2 / D and not s. The second is left aside where it is no more than
   0.8661 s, for a solid smaller than that may hide between the nodes. */
double hik_grid_lower(const hik_grid *grid, const double *x);

/* Least of hik_grid_lower (certain) or hik_grid_value along the segment from p to p + u, less nothing: the least over the whole
   segment is not below it by more than eps (and, for values, by what the values are off). eps > 0; about (|u| / eps) steps at
   the very most, few where the mesh is far. *at gets the place, 0 to 1. A point: u = 0. */
double hik_grid_capsule(const hik_grid *grid, const double *p, const double *u, double eps, bool certain,
                        double *at);
