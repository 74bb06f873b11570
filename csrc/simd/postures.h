/* postures.h: closed forms of arms with six turns, several poses of one arm side by side. */
#pragma once
#include "base/pose.h"

/* What a value may be outside a limit and yet counts as at it: rounding, half of what a posture may be off (HIK_REACHED). */
#define HIK_AT_LIMIT 5e-11

/* How the two equations of a closed form (hik_pair of analytic/subproblem.h) come apart: the second unknown can be
   removed, or the first, or a quartic is left. */
enum { HIK_PAIR_SECOND, HIK_PAIR_FIRST, HIK_PAIR_QUARTIC, HIK_PAIR_KINDS };

enum { HIK_ARM_BRANCHES = 8 }; /* postures of a pose that a lane can hold */
#define HIK_ADDED_IDLE                                                                                       \
  0.1 /* radians, lengths: of joints added to a short arm; what is less may come to rest by Newton's method */
#define HIK_POSTURE_GOOD 1e-12 /* error of a closed form below which nobody looks again */

/* An arm for the lanes: the loop of its class (analytic/pieper.h), and what its angles mean. */
typedef struct hik_arm_plan {
  bool wrist; /* three axes that meet, else three parallel ones */
  int32_t pair, shift,
      at; /* HIK_PAIR_*; joint i of the loop is joint (i + shift) % 6 of the chain; link `at` holds
                               the pose: last inverse(T) base */
  double here, there; /* where the axes of a wrist meet */
  hik_pose g[6], last, base;
  double scale;                          /* metres of a length 1 */
  double line[6][2], lower[6], upper[6]; /* of the chain's joints: angle = line[0] q + line[1] */
  int32_t joints; /* of the chain; the others were added to a short arm, and of a posture they are at rest */
  int32_t q[6], nq, rows; /* coordinate of each joint; rows of q for a pose */
  const double *rest;     /* [nq] */
} hik_arm_plan;

/* What hik_analytic_solve writes for n poses of an arm of six joints, or count -1 for a pose that the lanes leave to the careful way: no rigid
   motion to 1e-5, a singular or double posture near by, an error of 1e-12 or more. */
typedef void hik_postures_kernel(const hik_arm_plan *arm, int64_t n, const double *T, double *q,
                                 int32_t *count, uint8_t *free, bool *sure);

/* What became of a pose whose nearest posture is asked for: `left` to the careful way, as where the count is -1. */
typedef enum hik_nearest_found { HIK_NEAREST_NONE, HIK_NEAREST_FOUND, HIK_NEAREST_LEFT } hik_nearest_found;

/* Largest moves of postures, which share joints, that are this near to each other are the same. */
#define HIK_NEAREST_TIE 1e-9

/* Of each of n poses the posture inside the limits whose largest joint move from the start is smallest; where postures
   share that joint, the least sum of squares of all moves. q [n][nq]: in, starts inside the limits; out, the chain's
   coordinates of the answer where it is found, all else as it was. Returns whether any pose is left. */
typedef bool hik_nearest_kernel(const hik_arm_plan *arm, int64_t n, const double *T, double *q,
                                hik_nearest_found *found);
