/* shared.h: coordinates that several joints of a figure share because one follows the other, each moved as one.

   A coordinate that drives two turns or more bends a figure along a curve that is no circle, so that its best value has
   no closed form. hik_shared_move finds it by looking at a few places of its range and then by Gauss-Newton. */
#pragma once
#include "base/memory.h"
#include "solve/points/wish.h"

/* A wish as it moves along: where its point and axes are, and where they should be. */
typedef struct hik_aimed {
  double weight, turn_weight; /* of half the square of the distance; of 1 - cosine of every axis */
  double place[3], aim[3];
  int32_t axes;            /* 0, 1 or 3 */
  double have[9], want[9]; /* rows; those of want are as long as the axis weighs */
} hik_aimed;

/* What a coordinate does to one wish: `count` of its steps above it, in s->member from `first` on, tip to root. */
typedef struct hik_shared_row {
  int32_t wish, first, count;
  bool together; /* so it does to the other side of the pair: they stay as they are to each other */
} hik_shared_row;

typedef struct hik_shared_group {
  int32_t coordinate;  /* in q */
  int32_t first, last; /* places in the active list of its first and last step */
  int32_t row, n_row;
} hik_shared_group;

typedef struct hik_shared {
  const hik_problem *p;
  int32_t n; /* coordinates, the one whose last step is nearest to the root first */
  hik_shared_group *group;
  hik_shared_row *row;
  int32_t *member;
  int32_t *of; /* [n_step] group of a step, -1: it moves alone; NULL when n is 0 */
} hik_shared;

/* Counts, or with memory lays out. */
void hik_shared_lay_out(hik_shared *s, const hik_problem *p, hik_block *block);
/* Once a call, with the wishes of the problem. */
void hik_shared_set(hik_shared *s, const hik_problem *p, int32_t n_wish, const hik_wish *wishes);
HIK_INLINE int32_t hik_shared_of(const hik_shared *s, int32_t step) { return s->n > 0 ? s->of[step] : -1; }
/* Gives coordinate g the value that is best for the wishes, inside its limits, and carries them along. world is that of
   all steps before the coordinate's last one, and stays so for those before place `before` of the active list: it is moved
   where the coordinate moves it. around: the whole range is looked at; else a step is made from where it stands. */
void hik_shared_move(const hik_shared *s, int32_t g, bool around, int32_t before, hik_aimed *aimed, double *q,
                     hik_pose *world);
/* Whether a step of the coordinate is good: the sum falls from `lowest`; or it is flat to rounding, beside itself and its bend, and
   the slope falls from `before`. */
bool hik_shared_falls(double sum, double slope, double lowest, double before, double bend);
/* Axes of a wish as rows: all three columns of its rotation, its one axis, or none. */
int32_t hik_aimed_rows(const hik_wish *wish, const hik_stand *stand, double rows[9]);
/* The same of how it should stand, each as long as its weight. */
int32_t hik_aimed_wants(const hik_wish *wish, const hik_stand *stand, double rows[9]);
