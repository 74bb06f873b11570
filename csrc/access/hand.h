/* hand.h: proofs that a hand whose tip is at a target touches something, whichever way it points.

   The tip is known, so that all that is left of what is fixed to it are its turns: the way of its axis (2) and the roll about it (1).
   The body is balls on the axes of its capsules. What holds the hand is not asked. */
#pragma once
#include "scene/solid.h"

typedef struct hik_hand {
  const hik_world *world;
  const double *give; /* [obstacles] meters: only a ball deeper in an obstacle counts; infinite: none does */
  const double *ball; /* [balls][4] from the tip, z along the axis, and radius */
  int32_t balls;
} hik_hand;

enum { HIK_HAND_BLOCKED, HIK_HAND_CLEAR, HIK_HAND_OPEN };
typedef struct hik_hand_proof {
  int32_t
      outcome; /* BLOCKED: proved. CLEAR: in the turn `turn` no ball counts. OPEN: budget spent, or contact within rounding */
  int64_t cells;
  double turn[9]; /* of a hand that is CLEAR, into the world */
} hik_hand_proof;

/* How far the ends of a cell of directions are from its middle, seen from the center, radians: of a face of a cube at `at`, half
   sizes `half`. */
double hik_cube_spread(const double at[2], const double half[2]);
/* Rotation that takes z to a direction of a face, 0 to 5: x y z and their opposites. No turn of w is more than its own way and,
   about w, HIK_CUBE_TWIST times it. */
#define HIK_CUBE_TWIST 0.5177
void hik_cube_turn(int32_t face, const double at[2], double out[9]);

/* That wherever within `tolerance` of the target the tip is, some ball is deeper in some obstacle than it gives.
   near: working memory of as many numbers as there are obstacles; used [obstacles], may be NULL: how many cells each closed. */
hik_hand_proof hik_hand_prove(const hik_hand *hand, const double target[3], double tolerance, int64_t budget,
                              int32_t *near, int64_t *used);
