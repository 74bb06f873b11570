/* balls.h: a chain of free balls with one position at its end, as the methods that move bare points see it. */
#pragma once
#include "base/quat.h"
#include "solve/drive/solver.h"

typedef struct hik_balls {
  int32_t n;           /* links */
  const int32_t *step; /* [n] the balls, root first */
  double *length;      /* [n] */
  double *offset;      /* [n][3] bone in its ball's moved frame */
  double (*place)[4];  /* [n] unmoved frame of each ball in the moved one above it, */
  bool *plain;         /* [n] which has the same axes */
  double root[3], reach;
} hik_balls;

/* A pose as points, bone directions and rotations in the world. */
typedef struct hik_bones {
  double *point; /* [n + 1][3] */
  double *bone;  /* [n][3] unit, world */
  double *turn;  /* [n][4] moved frame of each ball, world */
} hik_bones;

/* One position to reach by a chain of ball joints alone that have no limits. */
bool hik_balls_alone(const hik_problem *problem);
/* The same with no bone of length zero but the last, which is left out. */
bool hik_balls_fit(const hik_problem *problem);
/* HIK_OK, or a sentence that `solver` takes nothing else, and which does. */
hik_status hik_balls_accept(const hik_problem *problem, const hik_options *options, const char *solver,
                            hik_error *error);
/* Number of links of a problem that fits, and bone k in its ball's moved frame. */
int32_t hik_balls_count(const hik_problem *problem);
const double *hik_balls_bone(const hik_problem *problem, int32_t k);

/* Lays out the arrays; no array of the block is read. */
void hik_balls_lay_out(const hik_problem *problem, hik_block *block, hik_balls *balls);
hik_bones hik_bones_lay_out(hik_block *block, size_t n);
/* Fills what hik_balls_lay_out laid out. */
void hik_balls_prepare(const hik_problem *problem, hik_balls *balls);

/* The pose q. */
void hik_balls_trace(const hik_balls *balls, const double *q, const hik_model *model, hik_bones *pose);
/* q in, that of `from`; out, with the points `point` [n + 1][3]: in the world each ball makes the smallest rotation, so
   that it keeps its twist. `rough`: the bones have their lengths to a few digits only. */
void hik_balls_to_q(const hik_balls *balls, const hik_model *model, const hik_bones *from,
                    const double *point, bool rough, double *q);
/* The smallest rotation that takes the unit vector a to the unit vector b. */
void hik_balls_turn(const double a[3], const double b[3], double turn[4]);
/* A ball whose own quaternion is `own` gets the moved frame `turn` in the world, its unmoved one being `up`, which becomes
   `turn`; of the two quaternions the one nearer to the one that is there. */
HIK_INLINE void hik_balls_place(const double turn[4], double up[4], double own[4]) {
  double turned[4];
  /* of unit length to a few roundings: nothing accumulates from joint to joint */
  hik_quat_cmul(up, turn, turned);
  double sign = turned[0] * own[0] + turned[1] * own[1] + turned[2] * own[2] + turned[3] * own[3];
  for (int i = 0; i < 4; i++) own[i] = sign < 0 ? -turned[i] : turned[i];
  memcpy(up, turn, 4 * sizeof *up);
}
/* The same for the ball of link k of q, `up` being the moved frame of the ball above. */
HIK_INLINE void hik_balls_set(const hik_balls *b, const hik_model *m, int32_t k, const double turn[4],
                              double up[4], double *q) {
  if (!b->plain[k]) hik_quat_mul(up, b->place[k], up);
  hik_balls_place(turn, up, q + m->step_q[b->step[k]]);
}

/* Points of n balls that are so long together, and within this distance, are still within the tolerance after the round trip to
   q and back. */
double hik_balls_slack(const hik_problem *problem, int32_t n, double reach);

/* ---- fabrik_free.c: FABRIK and "follow the leader" on such a chain, several targets at a time ---- */

/* Places of FABRIK's option `single` (0: doubles, 1: floats), and of the pushes of both. */
enum { HIK_FABRIK_SINGLE = 9, HIK_FREE_NUDGES = 0 };

/* For problems that hik_balls_fit takes. HIK_OK when the option `single` of the solver `name` can be granted. */
hik_status hik_fabrik_free_accepts(const hik_problem *problem, const hik_options *options, const char *name,
                                   hik_error *error);
size_t hik_fabrik_free_scratch(const hik_readied *ready);
/* `follows`: the iteration is that of ftl.c. */
void hik_fabrik_free_begin(hik_run *run, bool follows);
/* See hik_solver_class.block; one problem, the same bytes. */
bool hik_fabrik_free_block(hik_run *run, const hik_claims *rows);
void hik_fabrik_free_one(hik_run *run, const double *target, hik_answer *answer);
