/* arm.h: proofs that obstacles leave no posture of an arm with its tip at a target.

   The arm hangs on a ball whose place is known: upper arm, elbow, forearm, wrist, hand. It is searched from the hand: with the tip
   known, the way of the hand's axis (2) tells the wrist, and the swivel (1) about the line from shoulder to wrist the elbow. The
   bodies are balls on the bones, those that stay in their capsules whatever a bone's roll. */
#pragma once
#include "access/reach.h"
#include "scene/solid.h"

enum { HIK_ARM_HAND, HIK_ARM_FORE, HIK_ARM_UPPER, HIK_ARM_BONES };

/* Balls of a bone: `along` is meters from the tip on the hand's axis, else the share of the way from the bone's upper end. */
typedef struct hik_bone {
  int32_t balls;
  double *along, *radius;
} hik_bone;
typedef struct hik_arm {
  const hik_reach *chain;
  double shoulder[3], turn[9]; /* place of the swing at rest, in the world */
  double length[2];            /* least and greatest from shoulder to wrist, by the elbow */
  hik_twist twist;             /* all that it may be */
  hik_tail fore;               /* the tail that ends at the wrist */
  hik_bone bone[HIK_ARM_BONES];
} hik_arm;

/* The chain is one of HIK_REACH_ARM and the figure of the same model; both are borrowed. UNSUPPORTED: the chain is another. */
hik_status hik_arm_create(const hik_reach *chain, const hik_figure *figure, hik_arm **out, hik_error *error);
void hik_arm_free(hik_arm *arm);

/* BLOCKED: proved. CLEAR: at the middle of a cell nothing counts, and elbow, swing and wrist are as they may be: a place to look
   for a posture. GRAZED: what could not be closed are places in which nothing moves by more than a millimeter or so. OPEN: the
   budget is spent. */
enum { HIK_ARM_BLOCKED, HIK_ARM_CLEAR, HIK_ARM_GRAZED, HIK_ARM_OPEN };
typedef struct hik_arm_proof {
  int32_t outcome;
  int64_t cells;
  double wrist[3], elbow[3]; /* of the first place that was not closed */
} hik_arm_proof;

/* That each posture with the tip within `tolerance` of the target has a ball deeper in an obstacle than it gives, give [obstacles],
   or is beyond a limit. near, used: as of hik_hand_prove, used of what obstacles alone closed. */
hik_arm_proof hik_arm_prove(const hik_arm *arm, const hik_world *world, const double *give,
                            const double target[3], double tolerance, int64_t budget, int32_t *near,
                            int64_t *used);

/* ---- cells, for arm.c and its test ---- */

/* A square of a face of a cube about the tip, and an interval of swivel in half turns. */
typedef struct hik_arm_cell {
  int32_t face, bone, ball, obstacle; /* what was deepest in the cell it comes from; obstacle -1: none yet */
  int32_t skipped;                    /* generations since all pairs were looked at */
  double at[3], half[3];
  uint64_t away; /* a bit for each of the first balls that nothing in the cell can touch */
} hik_arm_cell;

/* The middle of a cell, and how far all else in it is from there. */
typedef struct hik_arm_place {
  double w[3], wrist[3], elbow[3], bone[3]; /* unit bone: from shoulder to elbow */
  double dw, mw, me;                        /* movements */
  double sine;                              /* greatest of the angle at the shoulder */
  bool open; /* the wrist may be at the shoulder: nothing is known of the elbow */
} hik_arm_place;

typedef struct hik_arm_search {
  const hik_arm *arm;
  const hik_world *world;
  const double *give, *target;
  const int32_t *near;
  int32_t nears;
  double tolerance, reach, about, lean; /* |t - S|; sine of b, tan(b / 2) */
  double start[3], x[3], y[3];          /* t - S as a unit vector, and the frame about it */
} hik_arm_search;

hik_arm_search hik_arm_begin(const hik_arm *arm, const hik_world *world, const double *give,
                             const double target[3], double tolerance, int32_t *near);
void hik_arm_place_hand(const hik_arm_search *s, const hik_arm_cell *c, hik_arm_place *p);
/* false: no length from shoulder to wrist within the cell is one of the arm's. */
bool hik_arm_place_elbow(const hik_arm_search *s, const hik_arm_cell *c, hik_arm_place *p);
/* Beyond a limit of the joints everywhere in the cell. */
bool hik_arm_beyond(const hik_arm_search *s, const hik_arm_place *p);
/* Where a ball is, and how far it moves. */
double hik_arm_ball(const hik_arm_search *s, const hik_arm_place *p, int32_t bone, double along,
                    double at[3]);
