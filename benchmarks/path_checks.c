/* path_checks.c: handik's proofs of edges for a planner of another's, called from C.

   benchmarks/_ompl_loop.py builds it with the core as a library; the functions' addresses go to ompl_loop.cpp. Hinges and slides
   alone, among boxes and capsules. */
#include <stdlib.h>

#include "scene/scene.h"

#define DOOR __attribute__((visibility("default")))

typedef struct checks {
  hik_model *model;
  hik_figure *figure;
  hik_world *world;
  hik_check *check;
  void *memory, *scratch;
  double tol, *v;
} checks;

DOOR void checks_end(checks *c) {
  if (!c) return;
  hik_figure_free(c->figure);
  hik_world_free(c->world);
  hik_model_free(c->model);
  free(c->memory), free(c->scratch), free(c->v);
  free(c);
}

static void *room(size_t size) { return aligned_alloc(64, (size + 63) & ~(size_t)63); }

/* count: joints, frames, capsules, pairs, obstacles. kind of obstacle [n]: as in scene.h, pose [n][12], size [n][3]. NULL:
   refused. */
DOOR checks *checks_make(const int32_t *count, const int32_t *parent, const int32_t *joint_kind,
                         const double *axis, const double *placement, const double *lower,
                         const double *upper, const int32_t *frame_joint, const double *frame_placement,
                         const int32_t *frame, const double *ends, const double *radius, const int32_t *pair,
                         const double *allowance, const int32_t *kind, const double *pose, const double *size,
                         double tol) {
  hik_error error;
  checks *c = calloc(1, sizeof *c);
  hik_shape *shape = c ? calloc((size_t)count[4] + 1, sizeof *shape) : NULL;
  if (!shape) return free(c), NULL;
  hik_model_def def = hik_model_def_default();
  def.n_joint = count[0], def.n_frame = count[1], def.parent = parent, def.kind = joint_kind, def.axis = axis;
  def.placement = placement, def.lower = lower, def.upper = upper, def.frame_joint = frame_joint;
  def.frame_placement = frame_placement;
  for (int32_t i = 0; i < count[4]; i++) {
    shape[i].kind = kind[i];
    for (int k = 0; k < 12; k++) shape[i].pose[k] = pose[12 * i + k];
    for (int k = 0; k < 3; k++) shape[i].size[k] = size[3 * i + k];
  }
  bool good = !hik_model_create(&def, &c->model, &error);
  hik_figure_def figure = {c->model, count[2], count[3], frame, ends, radius, pair, allowance};
  good = good && !hik_figure_create(&figure, &c->figure, &error) &&
         !hik_world_create(shape, count[4], &c->world, &error) &&
         (c->memory = room(hik_check_size(c->figure, c->world))) &&
         (c->scratch = room(hik_scratch_size(c->model))) &&
         (c->v = room(sizeof(double) * (size_t)hik_model_sizes(c->model).nv));
  free(shape);
  if (!good) return checks_end(c), NULL;
  c->check = hik_check_begin(c->memory, c->figure, c->world);
  c->tol = tol;
  return c;
}

DOOR int checks_free(checks *c, const double *q) {
  hik_check_place(c->check, q, 1);
  return !(hik_check_touch(c->check, NULL, false).hit & 1);
}

DOOR int checks_edge(checks *c, const double *q0, const double *q1) {
  hik_difference(c->model, 1, q0, q1, c->v);
  return hik_check_edge(c->check, q0, c->v, c->tol).edge == HIK_EDGE_FREE;
}

/* out [frames][4][4] */
DOOR void checks_frames(checks *c, const double *q, double *out) {
  hik_frames(c->model, 1, q, out, true, c->scratch);
}
