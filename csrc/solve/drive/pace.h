/* pace.h: the round of attempts of a method that iterates: stall test, pushes, further starts, notes, best pose, end.

   Most maps have fixed points that are no answers: a straight chain whose target lies on its own line, a joint at a limit
   on the wrong side. When the error has not fallen by the share options->ftol in `patience` iterations the best pose is
   pushed, so many times, and then given up for another start (starts.h), so many times; both count as remedies.

   Methods that go coordinate by coordinate crawl along narrow valleys of the error in small steps that are all alike: a
   chain that is nearly straight, its target near the edge of its reach. Where an iteration lowers the error by less than a
   fifth the same step is made again, doubled as long as the error falls: the pattern move of Hooke and Jeeves. It is part of
   the iteration. In the rounds of `retries` every method goes instead to the combination of its last poses (mix.c), or a part
   of the way, where that lowers the judge's error, and is given up later: attempts that ended crawling had come near and
   gained little from another start. Those that draw poses give the combination the place of their best one.

   Reference  R. Hooke, T. A. Jeeves: "Direct search" solution of numerical and statistical problems. J. ACM 8 (1961)
              212-229. */
#pragma once
#include "solve/drive/solver.h"

typedef struct hik_pace hik_pace;

/* A method as its round sees it; NULL: what stands behind the colon. */
typedef struct hik_method {
  /* One iteration from answer->q, whose frames in run->world are right, to the next. False: no step leads on from here. */
  bool (*iterate)(hik_pace *pace);
  /* answer->q has been set anew: poses, and what else `look` needs; the frames alone */
  void (*place)(hik_pace *pace);
  /* Error of the pose into pace->error; true when the goals are met: the judge's word, and its error */
  bool (*look)(hik_pace *pace);
  /* Pushes answer->q inside the limits, the same way every time: hik_nudge */
  void (*push)(hik_pace *pace, int32_t round);
  /* A part of the pose that is kept elsewhere than in q: remembers that of the best pose, brings it back; q is all */
  void (*keep)(hik_pace *pace), (*recall)(hik_pace *pace);
} hik_method;

struct hik_pace {
  const hik_method *method; /* these the caller sets, the others are zero, */
  void *work;               /* the method's own memory */
  hik_run *run;
  const double *target;
  hik_answer *answer;
  double *best_q; /* [nq] */
  double *trail;  /* [2][nq] pattern moves are made, in this memory; NULL: none but in further rounds */
  int32_t patience, nudges, starts;
  bool polish;         /* go on once the goals are met, until the method says it has settled; */
  double error;        /* of the present pose */
  double best, mark;   /* lowest error; error above `least` that must be beaten by the share */
  double least, stall; /* error that no pose can beat; the share */
  int32_t quiet;       /* iterations since it was */
  hik_mix *mix;        /* combinations are made in it; NULL: none */
  bool trails;         /* trail[0] is the pose one iteration ago, */
  double before;       /* and this its error */
  int32_t rest, tried; /* iterations until the next pattern move, and how often none was found in a row */
  bool away;           /* the target is proved out of reach: no error ever meets it */
  bool fresh;          /* the iteration to come follows a start, a push or a pattern move: no history */
  bool over, settled, meeting; /* no step from here; nothing moves any more; best_q meets the goals */
};

/* One with the members that it cannot do without. */
HIK_INLINE hik_pace hik_pace_of(const hik_method *method, void *work, hik_run *run, const double *target,
                                hik_answer *answer, double *best_q) {
  return (hik_pace){
      .method = method, .work = work, .run = run, .target = target, .answer = answer, .best_q = best_q};
}
/* All of it. */
void hik_pace_run(hik_pace *pace);
/* The same by pieces, for methods that iterate several problems at once: evaluates the start; after an iteration. False: the
   answer is complete. */
bool hik_pace_begin(hik_pace *pace);
bool hik_pace_next(hik_pace *pace);
/* Ends with the best pose. Returns false. */
bool hik_pace_end(hik_pace *pace, hik_outcome claim);

/* ---- mix.c: the combination of the last poses whose residual is least, for methods that crawl ---- */

enum { HIK_MIX_DEPTH = 6 }; /* poses remembered */

struct hik_mix {
  int32_t count, at; /* poses remembered; the place of the last one */
  double *q;         /* [HIK_MIX_DEPTH][nq] */
  double *e;         /* [HIK_MIX_DEPTH][rows] weighted residuals */
  double *off;       /* [HIK_MIX_DEPTH][rows] how the others differ from the last */
  double *way;       /* [nq] from the last pose to the combination */
  double *trail;     /* [2][nq] for hik_pace.trail */
};

/* Counts, or with memory lays out, for this problem and its parts. */
hik_mix *hik_mix_lay_out(const hik_problem *p, hik_block *block);
/* What the round in hand combines poses in, emptied; NULL: it does not. */
hik_mix *hik_mix_of(const hik_run *run);
/* Remembers q, whose frames are in run->world, if it is not the last one again. */
void hik_mix_remember(hik_mix *mix, const hik_run *run, const double *target, const double *q);
/* Writes mix->way, no turn by more than a radian, no slide by more than the problem's length. False: the poses say nothing. */
bool hik_mix_find(hik_mix *mix, const hik_problem *p);
