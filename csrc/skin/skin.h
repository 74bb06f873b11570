/* skin.h: vertices carried by bones: a mix of linear blend and dual quaternions.
   hik_skin_check hik_skin_bones hik_skin_row */
#pragma once
#include "base/base.h"

/* A mesh at rest. Arrays are the caller's. */
typedef struct hik_skin {
  int64_t vertices;
  int32_t bones, shares; /* bones in all; bones of one vertex */
  const double *rest;    /* [vertices][3] */
  const int32_t *bone;   /* [vertices][shares] */
  const double *share;   /* [vertices][shares], not negative, the largest first; they sum to 1 */
  const double *mix;     /* [vertices], from 0, dual quaternions alone, to 1, the linear blend alone */
} hik_skin;

/* Doubles that one bone takes in `made` below: its rotation and place by rows, then its dual quaternion. */
enum { HIK_SKIN_BONE = 20 };

/* Whether all bones exist, shares and mixes are in range, and the largest share comes first. */
hik_status hik_skin_check(const hik_skin *skin, hik_error *error);

/* Poses of the bones as rows x y z, w x y z [count][7] to made [count][HIK_SKIN_BONE]. The quaternions are of unit length. */
void hik_skin_bones(const double *poses, int32_t count, double *made);

/* One posture: out [vertices][3]. Not finite where a bone of the vertex is not. */
void hik_skin_row(const hik_skin *skin, const double *made, double *out);
