/* wish.h: the goals of a problem as points and axes that should be somewhere: what FABRIK and CCD see of them.

   A goal about one frame is one wish, one about two frames a wish for every frame that something moves. */
#pragma once
#include "base/error.h"
#include "term/term.h"

typedef struct hik_wish {
  const hik_goal *goal;
  int32_t side, step;      /* 0 the frame, 1 the other; the step that carries it */
  int32_t mate;            /* the wish of the other side, -1: none */
  hik_pose place;          /* in the moved frame of the step; its origin is the point meant */
  bool point, axis, frame; /* what is wanted: the point, one axis, all axes */
  bool changes;            /* wanted anew by where the figure stands */
  bool idle;               /* nothing is wanted as the figure stands */
  bool seen;               /* how its axes stand says where the other side of its pair is wanted */
  double own[3];           /* the axis in the frame, unit */
  double axis_weight[3];   /* of the three axes of a frame against each other, the largest 1 */
  double turn_weight;      /* of all of them, 0: nothing is wanted of any */
  hik_stand want;
} hik_wish;

/* HIK_OK when every goal is one of these, else HIK_UNSUPPORTED. */
hik_status hik_wishes_accept(const hik_problem *p, const hik_options *o, const char *solver,
                             hik_error *error);
int32_t hik_wish_count(const hik_problem *p);
/* Sum over the wishes of the steps above them; UINT64_MAX, which no block takes, when an int32_t cannot count them. */
uint64_t hik_wish_count_above(const hik_problem *p);
/* What does not depend on the target, in order of the goals; once a call. */
void hik_wishes_set(const hik_problem *p, hik_wish *out);
/* A new target. */
void hik_wishes_begin(const double *target, int32_t n, hik_wish *wishes);
/* Sets those that change by the moved frames of the steps, both sides of a pair giving way. */
void hik_wishes_look(const double *target, const hik_pose *world, int32_t n, hik_wish *wishes);
/* How the side of a wish stands. */
void hik_wish_stand(const hik_wish *wish, const hik_pose *world, hik_stand *out);
/* How the sides of the goal of a wish that changes should stand, which stand as `now` says; that of one which nothing moves is
   filled in. `both`: each goes half of the way there, else this side goes all of it. True: nothing is wanted. */
bool hik_wish_want(const hik_wish *wish, const double *target, bool both, hik_stand now[2],
                   hik_stand want[2]);

/* ---- nudge.c: the deterministic nudge, and the aim beyond the target ---- */

enum { HIK_PATIENCE = 4 };
#define HIK_GOLDEN_ANGLE 2.399963229728653

/* Moves every listed step a little, the same way every time, inside the limits. A turn or slide goes a
   quarter of the way to the middle of its range; one that is in the middle (to 5 % of the range), or has no
   range, goes 7.5 % of the range (2 pi, or `reach`) to one side, sides alternating by place in the list and
   by round. A ball turns by 0.3 rad about (cos a, sin a, 0.5), a = the golden angle times its place. A
   joint that follows one of the list is left to it. */
void hik_nudge(const hik_model *m, const int32_t *list, int32_t count, int32_t round, double reach,
               double *q);

/* Where to aim from `place`: at the target or, when `beyond`, past it by min(r / (1 - r), 20) of the error, r in (0, 1)
   being the ratio of this error and the last one, which is replaced. */
HIK_INLINE void hik_aim_beyond(const double *target, const double *place, bool beyond, double last[3],
                               double aim[3]) {
  double error[3];
  hik_sub3(target, place, error);
  hik_copy3(target, aim);
  if (beyond) {
    double size = hik_dot(last, last), ratio = size > 0 ? hik_dot(error, last) / size : 0;
    if (ratio > 0 && ratio < 1) hik_axpy3(aim, fmin(ratio / (1 - ratio), 20), error, aim);
  }
  hik_copy3(error, last);
}
