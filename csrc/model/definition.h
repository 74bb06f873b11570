/* definition.h: what a definition says of a joint, and whether it is sound. Everything here reads a definition; model.c makes
   the model of it. */
#pragma once
#include "model/joints.h"

/* The joint follows another. */
HIK_INLINE bool hik_def_follows(const hik_model_def *def, int32_t j) {
  return def->mimic && def->mimic[j] >= 0;
}

/* The joint follows the swing of a ball. */
HIK_INLINE bool hik_def_swings(const hik_model_def *def, int32_t j) {
  return hik_def_follows(def, j) && def->mimic_swing &&
         !isnan(def->mimic_swing[HIK_FOLLOW_TERMS * (size_t)j]);
}

/* A ball, or the ball of a free joint, that is held at a rotation. */
HIK_INLINE bool hik_def_held(const hik_model_def *def, int32_t j) {
  return def->hold && (def->kind[j] == HIK_BALL || def->kind[j] == HIK_FREE) &&
         !isnan(def->hold[4 * (size_t)j]);
}

/* A ball with a room of its own; its corners and its rows of twist. */
HIK_INLINE bool hik_def_limited(const hik_model_def *def, int32_t j) {
  return def->swing && def->kind[j] == HIK_BALL && !isnan(def->swing[6 * (size_t)j]);
}
HIK_INLINE int32_t hik_def_corners(const hik_model_def *def, int32_t j) {
  return hik_def_limited(def, j) && def->corner_count ? def->corner_count[j] : 0;
}
HIK_INLINE int32_t hik_def_knots(const hik_model_def *def, int32_t j) {
  return hik_def_limited(def, j) && def->knot_count ? def->knot_count[j] : 0;
}

/* Coordinates of joint j before its quaternion; all of them, if it has none. */
HIK_INLINE int32_t hik_def_plain(const hik_model_def *def, int32_t j) {
  return def->kind[j] == HIK_BALL ? 0 : def->kind[j] == HIK_FREE ? 3 : hik_joint_classes[def->kind[j]].nq;
}

/* The joint in a sentence: its name in quotes, without what a terminal would obey and not too long, or its number. */
typedef struct hik_label {
  char text[80];
} hik_label;
hik_label hik_def_name(const hik_model_def *def, int32_t j);

/* All but the mimics and what is inside a room. */
hik_status hik_def_check(const hik_model_def *def, hik_error *error);
/* Follows mimic chains to a joint that moves by itself: master[j], line[j] with q_j = line[0] q_master + line[1].
   Of a joint that follows a swing the master is the ball, and the line zeros. path is scratch [n_joint]. Linear in the joints: a resolved joint ends the walk. */
hik_status hik_def_mimics(const hik_model_def *def, int32_t *master, double *line, int32_t *path,
                          hik_error *error);
