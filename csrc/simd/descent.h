/* descent.h: damped least squares on serial chains, a start a lane, and the scan of a cell of the map of starts. */
#pragma once
#include "base/base.h"

enum { HIK_SERIAL_JOINTS = 32, HIK_CELL = 32, HIK_DESCENT_LANES = 8, HIK_DESCENT_PAST = 3 };

/* What is wanted of the chain's end. */
typedef enum hik_serial_goal {
  HIK_END_POSE,
  HIK_END_POSITION,
  HIK_END_ORIENTATION,
  HIK_END_AXIS
} hik_serial_goal;

/* Tilts by whole quarters, the rule on robots, move and negate what is there. */
typedef enum hik_tilt {
  HIK_TILT_NONE,
  HIK_TILT_QUARTER,
  HIK_TILT_BACK,
  HIK_TILT_HALF,
  HIK_TILT_ANY
} hik_tilt;

/* A chain from which everything constant at its two ends has been taken off; lengths over `scale`. Joint i: motion by
   t[i] about or along z, for a slide then a constant turn about z, then a shift, then a tilt about x. The last one has
   no tilt, and a shift only for the goal of a position. */
typedef struct hik_serial {
  int32_t n;
  hik_serial_goal goal;
  double axis[3]; /* of the end, for the goal of an axis; unit */
  bool slide[HIK_SERIAL_JOINTS];
  double low[HIK_SERIAL_JOINTS], high[HIK_SERIAL_JOINTS]; /* of t; infinite where a whole turn is free */
  double turn[HIK_SERIAL_JOINTS][2]; /* cosine and sine of the constant turn of a slide */
  double shift[HIK_SERIAL_JOINTS][3];
  double tilt[HIK_SERIAL_JOINTS][2];  /* cosine and sine */
  uint8_t tilted[HIK_SERIAL_JOINTS];  /* a hik_tilt: what they are */
  uint8_t shifted[HIK_SERIAL_JOINTS]; /* bits: which numbers of the shift are not 0 */
  double square;                      /* a start is done when its error is below this */
} hik_serial;

/* The state of descents in lanes, on chains and on trees (simd/tree.h): arrays of `lanes` doubles each. */
typedef struct hik_descent_state {
  double *now, *next; /* [n] before and after the step: for a chain t */
  double *
      target; /* [12] for a chain: rotation row-major (its first three: the direction for an axis), position */
  double *error; /* squared residual at `now` */
  double *past;  /* [HIK_DESCENT_PAST] errors one, two and three steps ago; infinity: none */
  double *ratio; /* given up when the error is above this share of that three steps ago */
  double *left;  /* steps it may still make */
  double *work;  /* for a tree: [hik_tree_work] */
  /* bits of lanes, for a chain: once one of these arrives the others need no step, and `next` is not written */
  uint32_t enough;
} hik_descent_state;

/* Ranges of the two end turns as the scan wants them: cosine and sine of the middle and of the half-width, a half-width
   of pi or more free; or held at 1, 0 for an end that is no turn of its own. */
typedef struct hik_end_turn {
  float middle[2], half[2];
  bool free, held;
} hik_end_turn;

/* One step of every lane. Bit k of the result: lane k has ended at `now` (its error is below chain->square, has fallen
   too little, is not a number, or it has no step left). */
typedef uint32_t hik_descent_kernel(const hik_serial *chain, const hik_descent_state *s);
/* Distance (squared, less a constant) of each of the HIK_CELL samples of a cell [9][HIK_CELL] (columns x and y of the
   rotation, position) from the target (all three columns, position), both end turns at their best: score [HIK_CELL], and
   cosine and sine of both turns from the middle of their ranges, turns [4][HIK_CELL]. */
typedef void hik_scan_kernel(const float *cell, const float *target, const hik_end_turn *first,
                             const hik_end_turn *last, float *score, float *turns);
/* Which of these scores is the least, the first of equal ones; angle [2] gets its turns, to 1e-5. */
typedef int32_t hik_pick_kernel(const float *score, const float *turns, float *angle);

/* ---- the pose nearest to a target that the chain cannot reach, a start a lane ---- */

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
