/* arm.h: what the parts of an analytic object share. */
#pragma once
#include "analytic/analytic.h"
#include "analytic/planar.h"
#include "analytic/scheme.h"
#include "analytic/srs.h"

struct hik_analytic {
  hik_chain chain;
  int32_t nq, task;
  hik_arm_method method;
  hik_wish wish;
  int32_t n_scheme;
  hik_scheme
      schemes[HIK_MOST_SCHEMES]; /* n_scheme of them: for what is neither HIK_ARM_PLANAR nor HIK_ARM_TWO */
  hik_planar planar;
  bool has_plan, has_arm_angle;
  bool families;     /* every posture is one of a family */
  hik_arm_plan plan; /* six turns in a closed form: most poses go several at a time */
  hik_srs srs;
  char why[280];
  double *rest; /* [nq] */
};

/* Postures that reach a pose, wherever the limits are. */
typedef struct hik_bag {
  int32_t count;
  double theta[2 * HIK_ANALYTIC_MOST][HIK_LOOP_MAX]; /* joints of the chain */
  uint8_t free[2 * HIK_ANALYTIC_MOST];
} hik_bag;

/* All postures of a target, in metres; *sure: the method has no doubt that they are all. */
void hik_postures_gather(const hik_analytic *a, const hik_pose *target, double locked,
                         hik_general6_work *work, hik_bag *b, bool *sure);
/* Coordinates of q of joint values, inside the limits; *moved as of hik_chain_unwind. What was brought to a limit by more
   than rounding is a posture if, kept inside the limits, it reaches the pose again from there. */
bool hik_posture_inside(const hik_analytic *a, const hik_pose *target, const double *joints, double *row,
                        double *moved);
