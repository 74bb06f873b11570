/* planar.h: arms that move in one plane: turns about its normal, slides within it, two or three joints. */
#pragma once
#include "analytic/loop.h"

typedef struct hik_planar {
  int32_t n; /* 2 or 3 joints of the arm */
  int32_t kind[3];
  double at[3][2];  /* where a turn's axis meets the plane, or a slide's direction, at zero */
  double sign[3];   /* -1: the turn's axis points down */
  double tip[2];    /* of the frame, at zero */
  double turn[9];   /* of the frame, at zero */
  double normal[3]; /* frame of the plane in joint 1's frame: rows x y z */
  double across[2][3];
} hik_planar;

/* Whether all joints of the loop (n = 2 or 3; its last link is not read) stay in one plane, to `tolerance`; `tip` is
   the frame in the last joint's frame. */
bool hik_planar_test(const hik_loop *loop, const hik_pose *tip, double tolerance, hik_planar *planar);

/* Postures whose tip, seen in joint 1's unmoved frame, stands at `goal` (its shadow on the plane; its turn too when
   n = 3, or `whole`: then a joint that the shadow leaves open follows from the turn, and the caller looks whether it is met). Up to 2; *exact: the shadow was reached. Out of reach: the stretched or folded posture that comes nearest
   with the wanted turn. *swings: bits of the joints that any value will do for (the last turn of three following the
   first, one of two parallel slides the other), as where the tip stands on the first axis. */
int hik_planar_solve(const hik_planar *planar, const hik_pose *goal, bool whole, double (*theta)[3],
                     bool *exact, uint8_t *swings);
