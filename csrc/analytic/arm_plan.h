/* arm_plan.h: whether the lanes of simd/postures.h take an arm, and the constants they need. */
#pragma once
#include "analytic/chain.h"
#include "simd/postures.h"

/* Axes that meet, or are parallel: radians, and lengths over 0.4 of all link lengths. What is wider would show in the
   answers, and equations that all but separate lose roots: the general method has neither fault. */
#define HIK_CLASS_TOLERANCE 1e-11

typedef enum hik_arm_method {
  HIK_ARM_WRIST,
  HIK_ARM_PARALLEL,
  HIK_ARM_SLIDES,
  HIK_ARM_GENERAL,
  HIK_ARM_PLANAR, /* arms of two and three joints, which are no loop of six */
  HIK_ARM_TWO,
  HIK_ARM_METHODS
} hik_arm_method;

/* The class of a loop of six whose last link holds the pose; *shift brings the special joints to their place. */
hik_arm_method hik_arm_classify(const hik_loop *loop, double tolerance, int32_t *shift);

/* What a closed form has found out about six joints: the loop turned by `shift`, its last link of the chain before the
   pose, and for a wrist where its axes meet. */
typedef struct hik_arm_class {
  bool wrist;
  int32_t shift;
  const hik_loop *turned;
  const hik_pose *last;
  double here, there;
} hik_arm_class;

/* A chain of fewer than six turns comes as what completes it: hik_arm_plan_nearest alone is for it. False when a joint slides, or when the lanes would leave most poses to the careful way. `rest` [nq] must outlive the
   plan; `rows`: of q for a pose, at least HIK_ARM_BRANCHES. */
bool hik_arm_plan_make(const hik_chain *chain, const hik_arm_class *form, int32_t nq, int32_t rows,
                       const double *rest, hik_arm_plan *plan);

/* Solves n poses by the lanes of the instruction set in use; see hik_postures_kernel. One or two go by the narrowest. */
hik_postures_kernel hik_arm_plan_solve;
hik_nearest_kernel hik_arm_plan_nearest;
