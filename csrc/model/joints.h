/* joints.h: the joint table: one row a kind. */
#pragma once
#include "model/model.h"

/* A step of a kind: its motion and which axis it uses. */
enum { HIK_AXIS_1, HIK_AXIS_2, HIK_AXIS_12, HIK_AXIS_X, HIK_AXIS_Y, HIK_AXIS_Z };

typedef struct hik_joint_class {
  const char *name, *summary;
  int32_t nq, nv, n_step;
  struct {
    int32_t kind, axis;
  } step[4];
} hik_joint_class;

extern const hik_joint_class hik_joint_classes[HIK_JOINT_KINDS];
