/* reach_swing.h: the swings of an arm's shoulder as cells, with what bounds the arm in each.

   A swing is an azimuth phi about the bone at rest and a share t of the way from there to the edge of its room: the room is
   phi in [-pi, pi], t in [0, 1], cut into sectors where its edge or the table of its twist changes form, so that within one all
   is smooth. The arm moves with R = Rz(phi) Ry(r) Rz(middle - phi), r = t edge(phi), middle the middle of the twists that the
   swing allows: what is left of the twist is a range about 0 that hardly changes. */
#pragma once
#include "access/reach.h"

enum { HIK_ROUND, HIK_ELLIPSE, HIK_CIRCLE };

/* Azimuths in which the room's edge and the twist's table have one form. */
typedef struct hik_sector {
  double from, to;
  int32_t edge;        /* HIK_ROUND: half a turn all round; HIK_ELLIPSE, HIK_CIRCLE: by `form` */
  double form[3];      /* 1/a^2 and 1/b^2; inward normal of the great circle, its z above 0 */
  double begin, width; /* of the row of the table */
  double row[2][2];    /* middle and half of the twists at both of its ends */
} hik_sector;

typedef struct hik_swing_cell {
  double place[4];                /* middle of azimuth and share, half widths */
  int32_t sector, axis;           /* axis: which of the two is to be halved */
  double turn[9], at[3];          /* of the arm at the middle, in the axes of the swing at rest */
  double spin[2][3], slide[2][3]; /* its angular velocity and velocity by each coordinate */
  hik_twist here, wide;           /* twists at the middle, and in all of the cell */
  double loss
      [3]; /* the distance of a target is less at most by: this, a meter from the shoulder, a meter from the bone */
  double around;               /* greatest way of the bone's direction in the cell, radians */
  double elbow[3], lift[2][3]; /* end of the bone and its velocities */
  double by[9];                /* motion of the shoulder by the bone's direction */
  double bend
      [4]; /* half the greatest second derivatives: of the shoulder, but for `by` times that of the bone's direction; of
                      that direction along itself, and across; of what turns with it */
  double turned; /* half the greatest second derivative of the rotation */
} hik_swing_cell;

typedef struct hik_shoulder {
  const hik_swing *room;
  const hik_tail *tail;
  double at[3], turn[9]; /* place of the swing at rest in the frame before the chain */
  double axes[9];        /* of the swing, in its joint's frame */
  int32_t follows, sectors;
  const double *follow[3];
  double axis[3][3];     /* of what follows, in the axes of the swing */
  double stretch, third; /* greatest norm of the three axes as a map; of the third derivatives */
  hik_sector *sector;
  hik_swing_cell *cell; /* of each sector some generations, filled in as they are asked for */
  _Atomic(char) *made;  /* what is known of each */
} hik_shoulder;

/* Of a chain that is only what follows a swing, the swing and an arm; NULL: it is another, or there is no memory. */
hik_shoulder *hik_shoulder_create(const hik_reach *chain);
void hik_shoulder_free(hik_shoulder *s);
void hik_swing_cell_make(const hik_shoulder *s, int32_t sector, const double place[4], hik_swing_cell *out);
/* No point of the arm gets farther along the unit vector n, as long as the swing keeps to the cell; *center: what the middle gets.
   Where that is no less than `enough`, it may be any number that is not. */
double hik_swing_cell_most(const hik_shoulder *s, const hik_swing_cell *c, const double n[3], double enough,
                           double *center);
/* No point of the arm comes nearer to x; *center: how near it comes at the middle. By a plane too, where `wanted` is more than what
   the distance alone shows. */
double hik_swing_cell_least(const hik_shoulder *s, const hik_swing_cell *c, const double x[3], double wanted,
                            double *center);
/* The direction of x from where the arm is next to it at the middle; false: none. */
bool hik_swing_cell_normal(const hik_shoulder *s, const hik_swing_cell *c, const double x[3],
                           double normal[3]);
/* Quick bounds of both, of the ball about the elbow that holds forearm and hand. */
double hik_swing_cell_ball_most(const hik_shoulder *s, const hik_swing_cell *c, const double n[3]);
double hik_swing_cell_ball_least(const hik_shoulder *s, const hik_swing_cell *c, const double x[3]);
/* Azimuth and share to the swing's angles (u, v) and the middle of its twists. */
void hik_swing_cell_angles(const hik_shoulder *s, int32_t sector, const double place[2], double out[3]);

/* No more than `loose` above the greatest way of the arm along n, unless `budget` cells did not do; all in the frame before the
   chain, n of any length. scratch: hik_shoulder_scratch of budget. */
size_t hik_shoulder_scratch(const hik_shoulder *s, int64_t budget);
double hik_shoulder_farthest(const hik_shoulder *s, const double n[3], double loose, int64_t budget,
                             void *scratch);
/* That the arm stays farther than `far` from x. swing: the angles where it comes nearest, as above. */
hik_reach_proof hik_shoulder_prove(const hik_shoulder *s, const double x[3], double far, double slack,
                                   int64_t budget, void *scratch, double swing[3]);
