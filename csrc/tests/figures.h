/* figures.h: definitions that several C tests start from. A figure owns its arrays; change them, then create. */
#pragma once
#include "base/quat.h"
#include "base/rng.h"
#include "model/model.h"

enum { FIGURE_JOINTS = 16, FIGURE_NQ = 40 };

typedef struct figure {
  hik_model_def def;
  int32_t parent[FIGURE_JOINTS], kind[FIGURE_JOINTS], mimic[FIGURE_JOINTS], frame_joint[FIGURE_JOINTS];
  double axis[FIGURE_JOINTS * 3], axis2[FIGURE_JOINTS * 3], placement[FIGURE_JOINTS * 12];
  double frame_placement[FIGURE_JOINTS * 12], mimic_line[FIGURE_JOINTS * 2];
  double lower[FIGURE_NQ], upper[FIGURE_NQ];
  const char *name[FIGURE_JOINTS];
} figure;

static inline void figure_place(double *place, double x, double y, double z, double turn) {
  double s, c;
  hik_sincos(turn, &s, &c);
  double r[12] = {c, -s, 0, s, c, 0, 0, 0, 1, x, y, z};
  memcpy(place, r, sizeof r);
}

/* An empty figure whose pointers are set; fill it in with figure_joint. */
static inline void figure_start(figure *f) {
  memset(f, 0, sizeof *f);
  f->def = hik_model_def_default();
  f->def.parent = f->parent, f->def.kind = f->kind, f->def.axis = f->axis, f->def.axis2 = f->axis2;
  f->def.placement = f->placement, f->def.lower = f->lower, f->def.upper = f->upper;
  f->def.mimic = f->mimic, f->def.mimic_line = f->mimic_line;
  f->def.frame_joint = f->frame_joint, f->def.frame_placement = f->frame_placement;
  for (int i = 0; i < FIGURE_NQ; i++) f->lower[i] = -2, f->upper[i] = 2;
}

/* Adds a joint 0.3 m along x from its parent, and a frame 0.2 m beyond it; returns its number. */
static inline int32_t figure_joint(figure *f, int32_t parent, int32_t kind) {
  int32_t j = f->def.n_joint++;
  f->def.n_frame = f->def.n_joint;
  f->parent[j] = parent, f->kind[j] = kind, f->mimic[j] = -1;
  f->axis[3 * j + j % 3] = 2; /* any length but zero */
  f->axis2[3 * j + (j + 1) % 3] = 0.5;
  figure_place(f->placement + 12 * j, j ? 0.3 : 0, 0.05 * j, -0.02 * j, 0.2 * j);
  f->frame_joint[j] = j;
  figure_place(f->frame_placement + 12 * j, 0.2, 0.01, 0, -0.3);
  return j;
}

/* One joint of each kind in a row, a branch of hinges, and a hinge that follows the first one. */
static inline void figure_of_every_kind(figure *f) {
  figure_start(f);
  for (int32_t kind = 0; kind < HIK_JOINT_KINDS; kind++) figure_joint(f, f->def.n_joint - 1, kind);
  int32_t branch = figure_joint(f, HIK_PRISMATIC, HIK_REVOLUTE);
  int32_t follower = figure_joint(f, branch, HIK_REVOLUTE);
  f->mimic[follower] = HIK_REVOLUTE; /* the joint of that kind has its number */
  f->mimic_line[2 * follower] = -0.5, f->mimic_line[2 * follower + 1] = 0.1;
}

/* `count` hinges about z, links of 0.3 m, the last frame 0.2 m beyond the last hinge. */
static inline void figure_planar(figure *f, int32_t count) {
  figure_start(f);
  for (int32_t j = 0; j < count; j++) {
    figure_joint(f, j - 1, HIK_REVOLUTE);
    memcpy(f->axis + 3 * j, (double[3]){0, 0, 1}, 3 * sizeof(double));
    figure_place(f->placement + 12 * j, j ? 0.3 : 0, 0, 0, 0);
    figure_place(f->frame_placement + 12 * j, 0.2, 0, 0, 0);
  }
}
