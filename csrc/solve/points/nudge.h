/* nudge.h: what FABRIK and CCD share: the aim, the best pose, the stall test and the deterministic nudge.

   Both maps have fixed points that are no answers: a straight chain whose target lies on its own line, a
   joint at a limit on the wrong side. When the best error has not fallen by the share options->stall in
   HIK_PATIENCE iterations the best pose is nudged; after so many nudges it is given up for a random pose inside the
   limits, so many times, and then the solver gives up. Both count as remedies. */
#ifndef HIK_NUDGE_H
#define HIK_NUDGE_H
#include "solve/drive/solver.h"

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

/* One solve as the stall test sees it. */
typedef struct hik_watch {
  hik_run *run;
  const double *target;
  hik_answer *answer;
  double *best_q;    /* [nq] */
  double best, mark; /* lowest error; error above `least` that must be beaten by the share */
  double least;      /* error that no pose can beat, 0 for a target that is not proved out of reach */
  int32_t quiet;     /* iterations since it was */
  double stall; /* the share; not below 1e-4 for a target proved out of reach, which no error ever meets */
  bool away;    /* it is proved */
  int32_t nudges, starts; /* most nudges, and new starts after them */
  bool fresh;             /* the iteration to come follows the start or a nudge: no history */
  /* A solver that keeps part of its pose elsewhere than in q sets these after hik_watch_begin: `keep` remembers that part
     of a pose that is the best, `recall` writes what is remembered into q, whose rest is put back. NULL: q is all. */
  void *pose;
  void (*keep)(void *pose), (*recall)(void *pose);
} hik_watch;

/* Moves run->world to answer->q and judges it. False: nothing to do, the answer is complete. */
bool hik_watch_begin(hik_watch *w, hik_run *run, const double *target, hik_answer *answer, double *best_q,
                     int32_t nudges, int32_t starts);
/* After an iteration, run->world being right for answer->q: judges, remembers the best, nudges. False: done,
   the answer is complete. */
bool hik_watch_next(hik_watch *w);
#endif
