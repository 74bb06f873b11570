/* scheme.h: one way to solve a chain as a loop of six: as it stands, with a joint locked, or completed by added joints. */
#pragma once
#include "analytic/arm_plan.h"
#include "analytic/chain.h"
#include "analytic/general6.h"
#include "analytic/pieper.h"

typedef struct hik_scheme {
  hik_arm_method method;
  int32_t shift;   /* brings the loop to where the closed form wants it */
  int32_t kind[3]; /* of the added joints */
  hik_pose
      added[4]; /* links from the last joint on: to the first added joint, between them, then to the frame */
  hik_loop turned; /* closed forms without a locked joint: the loop in place, all but the link of the pose */
  hik_pose last;   /* what stands before the pose in that link */
  double here, there; /* where the axes of a wrist meet */
  hik_general6_plan plan;
} hik_scheme;

/* The joints of the loop of six for one pose, not yet judged. `free` of a posture: bits of the loop's joints. */
typedef struct hik_answers {
  int32_t count;
  bool
      sure; /* nothing stands in the way of these being all: no family that could hide one, no doubt of the method */
  hik_posture posture[HIK_GENERAL6_MAX];
} hik_answers;

/* What a chain is solved for. */
typedef struct hik_wish {
  bool pose;     /* else the frame's origin alone */
  bool thorough; /* the union of all eliminations, no closed form */
  bool closed;   /* closed forms alone, for the pose: of some poses none is sure */
  int32_t lock;  /* joint of the chain, -1: none */
} hik_wish;

enum { HIK_MOST_SCHEMES = 3 };

/* The class that a chain of six, or of seven with one locked, has whatever the locked joint does. */
hik_arm_method hik_scheme_class(const hik_chain *chain, const hik_wish *wish, double tolerance,
                                int32_t *shift);

/* Sets up the ways to solve a chain of 3 to 7 joints, best first, at most HIK_MOST_SCHEMES; returns how many: 0 only where
   closed forms alone are wished for. A way after
   the first is for poses where the one before is not sure. */
int hik_schemes_make(const hik_chain *chain, const hik_wish *wish, hik_scheme *schemes,
                     hik_general6_work *work);

/* The answers for the pose whose inverse, times the chain's base, is `rest` (scaled); `locked`: value of that joint. */
void hik_scheme_run(const hik_chain *chain, const hik_wish *wish, const hik_scheme *scheme,
                    const hik_pose *rest, double locked, hik_general6_work *work, hik_answers *answers);

/* Loop of six, or of the chain's own joints, that the chain closes at `rest`. */
void hik_scheme_loop(const hik_chain *chain, const hik_pose *rest, hik_loop *loop);
