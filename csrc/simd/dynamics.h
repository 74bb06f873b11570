/* dynamics.h: what the lane kernels of the dynamics share with model/dynamics.c. */
#pragma once
#include "model/model.h"

/* One external wrench, resolved against the model. */
typedef struct hik_push {
  int32_t step;        /* that carries the frame; never the world */
  double arm[3];       /* the frame's origin in the step's moved frame */
  const double *value; /* force, then moment about the frame's origin, in world axes */
  int64_t stride;      /* doubles from problem to problem, 0: the same for all */
} hik_push;

/* A call: the model with its payloads and pushes worked in. */
typedef struct hik_weighed {
  const hik_model *model;
  /* [n_step][10] mass, first moment x y z, second moments xx xy xz yy yz zz (integrals of r r^T dm) about the origin
     of the step's moved frame, in its axes. */
  const double *body;
  const double *motor; /* [n_step][3] as the field step_motor; NULL: no motor terms */
  double gravity[3];
  double coulomb_width; /* see hik_loads */
  int32_t n_push;
  const hik_push *push;
  void *lanes; /* working memory of the kernel, aligned to 64 bytes */
} hik_weighed;

/* What hik_mass_state writes, any pointer may be NULL. */
typedef struct hik_mass_out {
  double *center, *center_jacobian, *momentum, *kinetic, *potential;
} hik_mass_out;

/* Most lanes of a kernel; most numbers of a step, in lanes; largest nv whose mass matrix is kept in lanes. */
enum { HIK_DYNAMICS_LANES = 8, HIK_DYNAMICS_NODE = 128, HIK_DYNAMICS_SMALL = 64 };
