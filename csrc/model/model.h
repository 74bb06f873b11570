/* model.h: the frozen joint tree, as the rest of the core sees it.

   Every joint is compiled into *steps*, each with one of three motions about or along the z axis of its own frame:
   a turn, a slide, or a ball. A universal joint is two turns, a planar one two slides and a turn, a free one three
   slides and a ball; a fixed joint is folded into the placement of what hangs on it. So every algorithm knows three
   motions, not eight kinds, and the axis of a step is the third column of its rotation. Steps stand parents first. */
#pragma once
#include "base/rng.h"
#include "model/follow.h"
#include "model/swing.h"

enum { HIK_TURN, HIK_SLIDE, HIK_BALL_STEP };

struct hik_model {
  int32_t n_joint, n_frame, n_step, n_swing, n_follow, nq, nv;
  hik_swing *room; /* [n_swing] */
  /* as step_q, step_v and step_line where followers of a swing have coordinates of their own (spread.h); none without */
  int32_t *spread_q, *spread_v;
  double *spread_line;
  /* greatest distance of a frame from the world along the tree: sum of link lengths and of slides */
  double reach;
#define HIK_FIELD(letter, type, name, rows, columns, meaning) type *name;
#include "handik/fields.def"
#undef HIK_FIELD
};

/* Placements are stored as 12 numbers in the layout of hik_pose. */
HIK_INLINE const hik_pose *hik_step_place(const hik_model *m, int32_t s) {
  return (const hik_pose *)(const void *)(m->step_placement + 12 * (size_t)s);
}
HIK_INLINE const hik_pose *hik_frame_place(const hik_model *m, int32_t f) {
  return (const hik_pose *)(const void *)(m->frame_placement + 12 * (size_t)f);
}

/* Limits of a ball, NULL when it has none. */
HIK_INLINE const hik_swing *hik_step_cone(const hik_model *m, int32_t s) {
  return m->step_swing[s] < 0 ? NULL : m->room + m->step_swing[s];
}

/* A ball that is held still. */
HIK_INLINE bool hik_step_held(const hik_model *m, int32_t s) {
  return m->step_swing[s] >= 0 && m->room[m->step_swing[s]].held;
}

/* A joint that follows another: its steps share a coordinate. */
HIK_INLINE bool hik_has_mimic(const hik_model *m) {
  for (int32_t j = 0; j < m->n_joint; j++)
    if (m->joint_mimic[j] >= 0) return true;
  return false;
}

/* Bone and coefficients of a step that follows the swing of a ball, whose first coordinates step_q and step_v give; NULL:
   it follows none. */
HIK_INLINE const double *hik_step_follows(const hik_model *m, int32_t s) {
  return HIK_UNLIKELY(m->step_follow[s] >= 0) ? m->follow + HIK_FOLLOW_ROW * (size_t)m->step_follow[s] : NULL;
}

/* The coordinate (turn, slide) of a step that follows no swing. */
HIK_INLINE double hik_step_line_value(const hik_model *m, int32_t s, const double *q) {
  return m->step_line[2 * (size_t)s] * q[m->step_q[s]] + m->step_line[2 * (size_t)s + 1];
}
/* The step's own coordinate (turn, slide). */
HIK_INLINE double hik_step_value(const hik_model *m, int32_t s, const double *q) {
  const double *row = hik_step_follows(m, s);
  return row ? hik_follow_value(row, q + m->step_q[s]) : hik_step_line_value(m, s, q);
}

HIK_INLINE void hik_copy_q(const hik_model *m, const double *from, double *to) {
  memcpy(to, from, (size_t)m->nq * sizeof *to);
}

/* Moved frame of step s in the world, given that of its parent (ignored when it is the world). */
void hik_step_move(const hik_model *m, int32_t s, const double *q, const hik_pose *parent, hik_pose *out);
/* Moved frames of all steps, world [n_step]. */
void hik_step_poses(const hik_model *m, const double *q, hik_pose *world);
/* Moved frames of the listed steps, parents first, each with its parent in the list; others are not touched. */
void hik_list_poses(const hik_model *m, const int32_t *list, int32_t count, const double *q, hik_pose *world);
/* Pose of a frame from the moved frames of the steps. */
void hik_frame_pose(const hik_model *m, int32_t frame, const hik_pose *world, hik_pose *out);
/* Columns of a Jacobian that are not the coordinates of v one for one. */
typedef struct hik_column_map {
  const int32_t *first; /* [n_step] first column of a step, -1: it has none */
  const double *unit;   /* [columns] move of the coordinate for a step of 1 of the column */
} hik_column_map;
/* Adds to rows [6][stride] (linear above angular) the columns of every step above `step` for a point carried by it. map NULL:
   they are the coordinates of v. */
void hik_point_jacobian(const hik_model *m, int32_t step, const double point[3], const double *q,
                        const hik_pose *world, const hik_column_map *map, double *rows, int32_t stride);
/* The step of the ball whose swing step s follows. */
HIK_INLINE int32_t hik_step_leader(const hik_model *m, int32_t s) {
  return m->joint_step[m->joint_mimic[m->step_joint[s]]];
}
/* The motion that a turn or slide takes along with it, of a point carried by it: `move` of the point and `axis`, the
   angular velocity, for a coordinate that grows by one a second. */
void hik_step_motion(const hik_model *m, int32_t s, const double point[3], const hik_pose *world,
                     double move[3], double axis[3]);

/* q of the step set to a value inside its limits: turns and slides without mimic line only, that follow no swing. */
HIK_INLINE void hik_step_set(const hik_model *m, int32_t s, double value, double *q) {
  size_t i = (size_t)s;
  if (m->step_line[2 * i] == 1 && m->step_line[2 * i + 1] == 0)
    q[m->step_q[s]] = value;
  else
    q[m->step_q[s]] = hik_clip((value - m->step_line[2 * i + 1]) / m->step_line[2 * i],
                               m->lower[m->step_q[s]], m->upper[m->step_q[s]]);
}
/* True when every coordinate is within its limits to `slack` and every quaternion of unit length to 1e-9. */
bool hik_inside(const hik_model *m, const double *q, double slack);
/* Uniform random q inside the limits: draw number `draw` of `seed`. Turns without limits take (-pi, pi], slides
   without limits +-reach. */
void hik_random_q(const hik_model *m, uint64_t seed, uint64_t draw, double *q);
/* The same for one step, from the stream. */
void hik_random_step(const hik_model *m, int32_t s, hik_rng *rng, double *q);
