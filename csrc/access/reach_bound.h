/* reach_bound.h: one cell of the search: the posture at its center, and what its joints can do at most within it. */
#pragma once
#include "access/reach.h"

/* The chain at the center of a cell. Arrays have an entry an element. */
typedef struct hik_reach_at {
  const double *middle, *half; /* of the cell, by variable */
  hik_pose *base, *moved;      /* before and after each motion */
  double *move;                /* how far each coordinate moves at most from its value at the center */
  double *part, *lever;        /* working memory of the second bound */
  double *slope;               /* by variable */
  hik_twist twist, here;       /* range of the tail's twist in the cell; at its center */
  double turn;                 /* sum of all turns */
  int32_t level, finest;       /* of a set's table: the one asked in the cell, and in narrow cells */
} hik_reach_at;

size_t hik_reach_at_size(const hik_reach *r);
hik_reach_at hik_reach_at_begin(const hik_reach *r, void *scratch);
/* Places all elements; false: no posture of the cell is inside the limits. *inside: that of the center is. */
bool hik_reach_place(const hik_reach *r, hik_reach_at *at, const double *middle, const double *half,
                     bool *inside);
/* Distance of the target from the tail at the center, and (may be NULL) the direction from there; `here`: with the twists that
   the center allows instead of the cell's. */
double hik_reach_distance(const hik_reach *r, const hik_reach_at *at, const double target[3], bool here,
                          double normal[3]);
/* What the distance can lose within the cell, first order; share [variables] by variable. */
double hik_reach_loss(const hik_reach *r, const hik_reach_at *at, const double target[3], double *share);
/* A bound of the distance by the plane with this normal, second order; share as above. */
double hik_reach_plane(const hik_reach *r, hik_reach_at *at, const double target[3], const double normal[3],
                       double *share);
/* Of a chain without its last turn: the same cell; and what that turn's width costs the plane at its center. */
hik_reach_at hik_reach_at_outer(const hik_reach *r, const hik_reach_at *at);
double hik_reach_plane_turn(const hik_reach *outer, const hik_reach_at *at, const double normal[3]);
