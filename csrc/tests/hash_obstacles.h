/* hash_obstacles.h: what the figures of hashes.c stand among, and the capsules on their joints. */
#pragma once
#include "grid_meshes.h"
#include "hash_figures.h"
#include "term/obstacles.h"

enum { HASH_SHAPES = 12 };

typedef struct among {
  hik_figure *figure;
  hik_world *world;
  hik_grid *grid;
  hik_clear *clear;
} among;

/* A frame on every joint, after those that are there. */
static inline void add_joint_frames(figure *f) {
  for (int32_t j = 0; j < f->n && f->frames < HASH_JOINTS; j++) add_frame(f, j, 0, 0, 0);
}

/* Shapes of every kind about a figure that reaches `far`, none nearer to its root than a fifth of that; a floor below. */
static inline int32_t draw_shapes(double far, const hik_grid *grid, hik_shape *out) {
  static const double corner[10] = {-0.2, -0.1, 0.2, -0.15, 0.3, 0.1, 0, 0.2, -0.2, 0.1};
  hik_rng rng = hik_rng_start(3000, 1);
  int32_t n = 0;
  for (; n + 1 < HASH_SHAPES; n++) {
    hik_shape s = {.kind = n % 6 == HIK_SHAPE_PLANE ? HIK_SHAPE_GRID : n % 6};
    double turn[4], away;
    do {
      for (int k = 0; k < 3; k++) s.pose[9 + k] = far * draw_in(&rng, -0.8, 0.8);
      away = hik_norm(s.pose + 9);
    } while (away < 0.45 * far);
    hik_rng_rotation(&rng, turn), hik_quat_to_mat(turn, s.pose);
    for (int k = 0; k < 3; k++) s.size[k] = far * draw_in(&rng, 0.05, 0.2);
    s.corners = 5, s.corner = corner, s.grid = grid;
    out[n] = s;
  }
  out[n++] = (hik_shape){.kind = HIK_SHAPE_PLANE, .pose = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -0.9 * far}};
  return n;
}

/* The joint nearest to the world on the way up from `joint` that has a capsule, -1: none. */
static inline int32_t above(const figure *f, const bool *has, int32_t joint) {
  for (joint = f->parent[joint]; joint >= 0 && !has[joint]; joint = f->parent[joint]) {
  }
  return joint;
}

/* A capsule from each joint to the last of those on it, where that stands away from it; joint frames begin at `first`. All
   pairs are compared but those that meet at a joint. */
static inline hik_figure *draw_capsules(const char *name, const hik_model *m, const figure *f,
                                        int32_t first) {
  int32_t frame[HASH_JOINTS], joint[HASH_JOINTS], pair[HASH_JOINTS * HASH_JOINTS][2];
  double ends[HASH_JOINTS][6] = {{0}}, radius[HASH_JOINTS];
  bool has[HASH_JOINTS] = {false};
  hik_figure *out = NULL;
  hik_error error = {0};
  hik_figure_def def = {m, 0, 0, frame, ends[0], radius, pair[0], NULL};
  for (int32_t j = 0; j < f->n; j++) {
    int32_t c = def.n_capsule;
    for (int32_t k = j + 1; k < f->n; k++)
      if (f->parent[k] == j) memcpy(ends[c] + 3, f->place[k] + 9, 3 * sizeof(double));
    if (!(hik_norm(ends[c] + 3) > 0.04)) continue;
    frame[c] = first + j, joint[c] = j, radius[c] = 0.03, has[j] = true, def.n_capsule++;
    for (int32_t b = 0; b < c; b++)
      if (above(f, has, j) != joint[b] && above(f, has, j) != above(f, has, joint[b]))
        pair[def.n_pair][0] = b, pair[def.n_pair++][1] = c;
  }
  if (hik_figure_create(&def, &out, &error)) hash_stop(name, &error);
  return out;
}

static inline among stand_among(const char *name, const hik_model *m, const figure *f, int32_t first) {
  static const double center[3] = {0, 0, 0}, half[3] = {0.1, 0.15, 0.2};
  among a = {0};
  hik_error error = {0};
  hik_shape shape[HASH_SHAPES];
  cube c;
  make_cube(&c, center, half);
  hik_grid_mesh mesh = cube_mesh(&c, 12, 0.05);
  if (hik_grid_create(&mesh, &a.grid, &error)) hash_stop(name, &error);
  int32_t n = draw_shapes(m->reach, a.grid, shape);
  if (hik_world_create(shape, n, &a.world, &error)) hash_stop(name, &error);
  a.figure = draw_capsules(name, m, f, first);
  if (hik_clear_create(a.figure, a.world, &a.clear, &error)) hash_stop(name, &error);
  return a;
}

static inline void stand_free(among *a) {
  hik_clear_free(a->clear), hik_figure_free(a->figure), hik_world_free(a->world), hik_grid_free(a->grid);
}
