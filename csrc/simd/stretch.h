/* stretch.h: the pose of a serial chain nearest to a target that it cannot reach, a start a lane. */
#pragma once
#include "simd/descent.h"

/* The state of the lanes: arrays of as many doubles as the kernels have lanes, [n] of them where said. */
typedef struct hik_stretch_state {
  double *t;           /* [n] to be tried; first the start */
  double *base, *move; /* [n] the best so far, and the step from it */
  double *target;      /* [12] rotation row-major, position of the goal's point */
  double *value;       /* at `base`; first infinity */
  double *share;       /* of the step that is tried */
  double *bound;       /* on the largest move of a joint; first 1 */
  double *left;        /* steps it may still make */
  double arm[3];       /* from the chain's end to the goal's point */
  double weight;       /* of a length of the chain against a radian */
  double little;       /* a promise of less than this share of the target's distance is none */
} hik_stretch_state;

/* One step towards a target out of reach, of every lane of a chain for a pose or a position. Bit k of the result: lane k
   has ended at `base`. */
typedef uint32_t hik_stretch_kernel(const hik_serial *chain, const hik_stretch_state *s);
