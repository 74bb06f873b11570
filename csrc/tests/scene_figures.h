/* scene_figures.h: a figure with capsules and a world that the tests of scene/ share. */
#pragma once
#include "base/memory.h"
#include "check.h"
#include "figures.h"
#include "scene/inside.h"

enum { PARTS = HIK_JOINT_KINDS + 2 };

typedef struct staged {
  figure f;
  hik_model *model;
  hik_figure *figure;
  hik_world *world;
  hik_check *check;
} staged;

static inline hik_shape shape_at(int32_t kind, double x, double y, double z, double a, double b, double c) {
  hik_shape s = {.kind = kind, .pose = {1, 0, 0, 0, 1, 0, 0, 0, 1, x, y, z}, .size = {a, b, c}};
  return s;
}

static inline hik_shape shape_turned(hik_shape s, hik_rng *rng) {
  double q[4];
  hik_rng_rotation(rng, q);
  hik_quat_to_mat(q, s.pose);
  return s;
}

/* Every kind of joint, a branch and a follower, a capsule on each; all pairs but neighbours. */
static inline void stage(staged *s, const hik_shape *shape, int32_t n) {
  int32_t frame[PARTS], pair[PARTS * PARTS][2];
  double ends[PARTS][6] = {{0}}, radius[PARTS];
  hik_error error;
  figure_of_every_kind(&s->f);
  CHECK(hik_model_create(&s->f.def, &s->model, &error) == HIK_OK);
  hik_figure_def def = {s->model, s->f.def.n_joint, 0, frame, ends[0], radius, pair[0], NULL};
  for (int32_t c = 0; c < def.n_capsule; c++) {
    frame[c] = c, radius[c] = 0.02 + 0.005 * c, ends[c][3] = 0.1, ends[c][4] = 0.02 * c;
    for (int32_t b = 0; b + 2 < c; b++) pair[def.n_pair][0] = b, pair[def.n_pair++][1] = c;
  }
  CHECK(hik_figure_create(&def, &s->figure, &error) == HIK_OK);
  CHECK(hik_world_create(shape, n, &s->world, &error) == HIK_OK);
  s->check = hik_check_begin(hik_allocate(hik_check_size(s->figure, s->world)), s->figure, s->world);
}

static inline void unstage(staged *s) {
  hik_release(s->check);
  hik_world_free(s->world);
  hik_figure_free(s->figure);
  hik_model_free(s->model);
}

/* One of each kind, turned, about the figure. */
static inline int32_t cluttered(hik_shape *out, uint64_t seed) {
  static const double corner[10] = {-0.2, -0.1, 0.2, -0.15, 0.3, 0.1, 0, 0.2, -0.2, 0.1};
  hik_rng rng = hik_rng_start(seed, 3);
  int32_t n = 0;
  for (; n < 19; n++) {
    double x[6];
    for (int i = 0; i < 6; i++) x[i] = hik_rng_uniform(&rng);
    int32_t kind = n % 5 == 3 ? HIK_SHAPE_SPHERE : n % 5;
    out[n] = shape_turned(
        shape_at(kind, 4 * x[0] - 2, 4 * x[1] - 2, 4 * x[2] - 2, 0.3 * x[3], 0.3 * x[4], 0.3 * x[5]), &rng);
    out[n].corners = 5, out[n].corner = corner;
  }
  out[n++] = shape_at(HIK_SHAPE_PLANE, 0, 0, -2, 0, 0, 0);
  return n;
}
