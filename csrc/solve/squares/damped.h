/* damped.h: attempts of damped descents from spread starts, what `auto` and `hybrid` share.

   A descent: residual with positions over the length of the figure and orientations as 2 sin(angle / 2) u; damping
   0.02 |e|^2 + 1e-9, limits as an active set, no step rejected, no joint moving more than 1 rad an iteration. It is given up
   when |e|^2 has not fallen to the share `ratio` in three iterations (from further starts a half, from the ninth on 0.9): a
   new start costs less than patience. */
#pragma once
#include "solve/squares/descent.h"

enum { HIK_DAMPED_CAP = 30, HIK_DAMPED_FIRST = 60, HIK_DAMPED_EAGER = 8, HIK_DAMPED_WINDOW = 3 };

typedef enum hik_end { HIK_MET, HIK_GIVEN_UP, HIK_SPENT, HIK_STOPPED } hik_end;

/* A round of attempts; its descent is set by the caller. */
typedef struct hik_damped {
  hik_descent *d;
  double *start;   /* [nq] as given, inside the limits */
  double *nearest; /* [nq] the best pose of all attempts, */
  double lowest;   /* and what it is the best by: an error, or how far joints moved */
  double damping;
  double *square; /* of the damped systems */
  int32_t starts; /* last start to be made: fewer for a target proved out of reach */
  bool away;
  hik_end last;      /* how the last attempt ended */
  int32_t done, cap; /* iterations of the attempt in hand, and how many it may make */
  double ratio,
      past[HIK_DAMPED_WINDOW]; /* |e|^2 of the last ones, and to which share of the oldest it must fall */
} hik_damped;

void hik_damped_lay_out(hik_damped *w, const hik_problem *p, hik_block *block);
/* Begins on a target at answer->q, whose residual it evaluates and notes. */
void hik_damped_begin(hik_damped *w, const double *target, int32_t starts, hik_answer *answer);
/* Whether attempt k of the round is to be made; for k > 0 d->q is then what does not depend on the start. */
bool hik_damped_again(const hik_damped *w, int32_t k);
/* An iteration may be made. */
bool hik_damped_goes_on(hik_damped *w, const hik_answer *a);
/* Counts and notes an iteration whose residual is evaluated; true when it meets the goals, which ends the attempt. */
bool hik_damped_arrives(hik_damped *w, hik_answer *a);
/* A descent from the pose in d->q, residual evaluated, in two parts, the second as often as it is true; the residual of d->q and
   hik_damped_arrives come behind each. False: it has ended (`last`). */
bool hik_damped_set_out(hik_damped *w, int32_t cap, double ratio);
bool hik_damped_step(hik_damped *w, const hik_answer *a);
/* The whole of it. */
hik_end hik_damped_descend(hik_damped *w, hik_answer *a, int32_t cap, double ratio);
/* The share of attempt k but the first. */
HIK_INLINE double hik_damped_ratio(int32_t k) { return k <= HIK_DAMPED_EAGER ? 0.5 : 0.9; }
void hik_damped_keep(hik_damped *w, double value, const double *q);
/* Writes the best pose and the claim. */
void hik_damped_end(const hik_damped *w, bool met, hik_answer *answer);
