/* srs.h: arms of seven turns whose first three axes meet, and last three: a shoulder, an elbow, a wrist. */
#pragma once
#include "analytic/chain.h"

enum { HIK_SRS_SLOTS = 8 };

typedef struct hik_srs {
  double shoulder1, shoulder3; /* the shoulder point along axis 1 in frame 1, along axis 3 in frame 3 */
  double wrist5, wrist7;       /* the wrist point along axis 5 in frame 5, along axis 7 in frame 7 */
} hik_srs;

/* Whether the chain is one, to `tolerance`. */
bool hik_srs_test(const hik_chain *chain, double tolerance, hik_srs *srs);

/* Postures for a pose (metres) with the elbow at `angle` about the line from shoulder to wrist, counted from the plane
   of that line and the first axis (the x axis of the first joint's frame when they coincide). Slot 4 a + 2 b + c:
   a elbow, b shoulder, c wrist, each 0 or 1; a slot without a posture has NaN. Turns in (-pi, pi]. */
void hik_srs_solve(const hik_chain *chain, const hik_srs *srs, const hik_pose *target, double angle,
                   double (*theta)[HIK_LOOP_MAX]);

/* The arm angle of a posture, in (-pi, pi]. */
double hik_srs_angle(const hik_chain *chain, const hik_srs *srs, const double *theta);
