/* ccd.h: one sweep of cyclic coordinate descent for one goal on a chain of turns and slides, a problem a lane. */
#pragma once
#include "model/model.h"

/* What the lanes share, and rows of `lanes` numbers that they own. */
typedef struct hik_ccd_lanes {
  const hik_model *model;
  const int32_t *list; /* [count] steps above the goal's frame, parents first */
  int32_t count;
  const double *place;                        /* [12] the frame in the last step */
  double position_weight, orientation_weight; /* 0 position: none */
  int32_t axes;                               /* 0, 1 or 3 that are to be turned */
  const double *own_axis;                     /* [3] when it is 1: in the frame, unit */
  bool extrapolate;
  double *q;               /* [count] coordinate of each step, inside the limits */
  double *joint;           /* [count][6] axis and origin of each step in the world */
  double *end;             /* [12] moved frame of the last step */
  double *wanted, *turned; /* [3] point; [axes][3] directions */
  double *last;            /* [3] error before the sweep before */
  double *history;         /* [1] 0: `last` is of another pose */
} hik_ccd_lanes;

/* Groups of lanes that are swept together: each waits for the joint before, and the other fills the wait. */
enum { HIK_CCD_GROUPS = 2 };

/* A sweep tip to root of each group, then the frames of the new q: the bytes of solve/points/ccd.c. The groups differ in their
   rows alone. */
typedef void hik_ccd_kernel(const hik_ccd_lanes *groups);
