/* pass.h: whether a rigid convex outline can be moved from one place to another among walls, by any motion in (x, y, heading),
   and through a door that a hand has to move on the way.

   Poses are held by a tree of boxes in (x, y, heading), whole numbers of 2^-20 of the room and of a turn. A box is *free* when
   each wall has an axis that parts it from the outline in all poses of the box, *stuck* when some wall touches it in all of them,
   else *mixed*. Mixed boxes are halved only along the way that has fewest of them.

   A door is a row of stages, from shut to open: in each its leaf stands anywhere between two places. Every stage has a tree of
   its own, whose boxes are free of the leaf wherever in the stage it stands. A way goes on to the next stage or back where the
   hand can hold the leaf in both. */
#pragma once
#include "base/parallel.h"

enum { HIK_PASS_NO, HIK_PASS_YES, HIK_PASS_OPEN, HIK_PASS_SPENT };
#define HIK_PASS_WHOLE 1048576

/* How a point or a wall moves within a stage: by up to `turn` either way about a pivot, or by up to `slide` either way. */
typedef struct hik_sway {
  double pivot[2], turn, slide[2];
} hik_sway;

/* Where a hand may move the leaf: a point in the middle of the stage, which way its face looks, and whether to the next stage
   (above 0), to the one before (below 0) or both (0). */
typedef struct hik_grip {
  double at[2], face[2];
  hik_sway sway;
  double way;
} hik_grip;

/* A wall of the leaf in the middle of a stage. */
typedef struct hik_leaf {
  double wall[4];
  hik_sway sway;
} hik_leaf;

typedef struct hik_door {
  const hik_leaf *leaf;   /* (stages, leaves) */
  const hik_grip *grip;   /* (stages, grips) */
  const double *shoulder; /* (hands, 2) about the middle of the outline */
  const double
      *field; /* (hands, 2, rows, columns): meters to the places that a hand may get to; to those not sure */
  double corner[2],
      step; /* of the fields: where the first node is, about the middle of the outline; from node to node */
  int64_t stages, leaves, grips, hands, rows, columns; /* hands 0: the hand is not asked */
  bool closer; /* the leaf falls to unless it is held or rests on the outline */
  bool shut;   /* at the goal the leaf is in the first stage */
} hik_door;

typedef struct hik_pass {
  const double *corner; /* (corners, 2) of the outline about its middle, counterclockwise */
  const double *wall;   /* (walls, 4) ends of segments */
  int64_t corners, walls;
  double low[2], high[2];   /* of the room: every pose of its rim is clear of the walls */
  double start[4], goal[4]; /* x, y in meters; first heading in units, and how many units on */
  double least;             /* meters: a box whose poses differ by less is halved no more */
  int64_t most;             /* boxes */
  const hik_door *door;     /* NULL: none */
  hik_tick_fn *tick;        /* asked every 20 ms; NULL: none */
  void *tick_context;
} hik_pass;

typedef struct hik_passed {
  int32_t outcome;
  int64_t boxes, steps;
  int32_t *
      step; /* (steps, 7) lows, highs and stages of the free boxes of a way, for HIK_PASS_YES; free it with hik_release */
  int64_t poses;
  double *
      pose; /* (poses, 3) in place of `step`, where a motion was found through boxes that are not free; likewise */
} hik_passed;

/* Decide. HIK_OK, or a status with its sentence in *error; HIK_INTERRUPTED: the tick said stop, and nothing was found. */
hik_status hik_pass_decide(const hik_pass *room, hik_passed *found, hik_error *error);

/* Whether an outline is clear of walls and of one stage's leaf while x, y and heading change evenly from one pose to another:
   clear[0..n) for poses (n, 2, 3). deal: whose tick is asked, and whose stop ends all: HIK_INTERRUPTED; NULL: none. */
hik_status hik_pass_clear(const double *corner, int64_t corners, const double *wall, int64_t walls,
                          const hik_leaf *leaf, int64_t leaves, const double *pose, int64_t n, bool *clear,
                          hik_deal *deal, hik_error *error);

/* ---- one box; pass_box.c ---- */

/* The outline, turned: corners, outward normals of the edges (of the edge that starts at a corner) and how far out they are. */
typedef struct hik_outline {
  int64_t n;
  const double *corner;
  double *normal, *out, *far, *turned, *faced; /* (n, 2), (n), (n) distance from the middle, (n, 2), (n, 2) */
  double reach;                                /* greatest of `far` */
} hik_outline;

enum { HIK_BOX_MIXED, HIK_BOX_FREE, HIK_BOX_STUCK };

/* The walls that boxes are looked at with: those from `still` on are of leaves. */
typedef struct hik_walls {
  const double *wall;   /* (still, 4) */
  const hik_leaf *leaf; /* wall number still + k is of leaf[k] */
  int32_t still;
} hik_walls;

/* Fill in normals and distances; the caller gives the room and `n`, `corner`. */
void hik_pass_outline(hik_outline *outline);

/* Turn corners and normals to a heading. */
void hik_pass_turn(hik_outline *outline, double heading);

/* All about one box by the walls of which[0..n): its state, in `kept` (room for n) those that are not parted from it, how
   much each direction spoils the best axes, in meters, and how much it spoils that walls together leave no room (as of
   hik_pass_wedged). */
typedef struct hik_look {
  int32_t state, kept;
  double share[3], wedge[3];
} hik_look;
hik_look hik_pass_look(hik_outline *outline, const hik_walls *walls, const int32_t *which, int32_t n,
                       const double middle[3], const double half[3], int32_t *kept);

/* Whether the outline is clear of the walls which[0..n) along one straight motion: pose (2, 3); kept has room for n. Once the
   deal (NULL: none) is stopped nothing is clear. */
bool hik_pass_is_clear(hik_outline *outline, const hik_walls *walls, const int32_t *which, int32_t n,
                       const double pose[6], int32_t *kept, hik_deal *deal);

/* ---- the hand; pass_hold.c ---- */

enum { HIK_HOLD_NEVER, HIK_HOLD_PERHAPS, HIK_HOLD_ALWAYS };

/* Whether a hand can move the leaf of a stage one way (1 on, -1 back) in the poses of a box, wherever in the stage the leaf is: in
   none, in some perhaps, or in all, its arm clear of `wall`. In share how much each direction keeps the question open, meters. */
int32_t hik_pass_hold(const hik_door *door, int64_t stage, double way, const double *wall, int64_t walls,
                      const double middle[3], const double half[3], double share[3]);
