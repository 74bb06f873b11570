/* pass.h: whether a rigid convex outline can be moved from one place to another among walls, by any motion in (x, y, heading).

   Poses are held by a tree of boxes in (x, y, heading), whole numbers of 2^-20 of the room and of a turn. A box is *free* when
   each wall has an axis that parts it from the outline in all poses of the box, *stuck* when some wall touches it in all of them,
   else *mixed*. Mixed boxes are halved only along the way that has fewest of them. */
#pragma once
#include "base/base.h"

enum { HIK_PASS_NO, HIK_PASS_YES, HIK_PASS_OPEN, HIK_PASS_SPENT };
#define HIK_PASS_WHOLE 1048576

typedef struct hik_pass {
  const double *corner; /* (corners, 2) of the outline about its middle, counterclockwise */
  const double *wall;   /* (walls, 4) ends of segments */
  int64_t corners, walls;
  double low[2], high[2];   /* of the room: every pose of its rim is clear of the walls */
  double start[4], goal[4]; /* x, y in meters; first heading in units, and how many units on */
  double least;             /* meters: a box whose poses differ by less is halved no more */
  int64_t most;             /* boxes */
} hik_pass;

typedef struct hik_passed {
  int32_t outcome;
  int64_t boxes, steps;
  int32_t *
      step; /* (steps, 6) lows and highs of the free boxes of a way, for HIK_PASS_YES; free it with hik_release */
} hik_passed;

/* Decide. HIK_OK, or a status with its sentence in *error. */
hik_status hik_pass_decide(const hik_pass *room, hik_passed *found, hik_error *error);

/* ---- one box; pass_box.c ---- */

/* The outline, turned: corners, outward normals of the edges (of the edge that starts at a corner) and how far out they are. */
typedef struct hik_outline {
  int64_t n;
  const double *corner;
  double *normal, *out, *far, *turned, *faced; /* (n, 2), (n), (n) distance from the middle, (n, 2), (n, 2) */
  double reach;                                /* greatest of `far` */
} hik_outline;

enum { HIK_BOX_MIXED, HIK_BOX_FREE, HIK_BOX_STUCK };

/* All about one box by the walls of which[0..n): its state, in `kept` (room for n) those that are not parted from it, and how
   much each direction spoils the best axes, in meters. */
typedef struct hik_look {
  int32_t state, kept;
  double share[3];
} hik_look;
hik_look hik_pass_look(hik_outline *outline, const double *wall, const int32_t *which, int32_t n,
                       const double middle[3], const double half[3], int32_t *kept);
