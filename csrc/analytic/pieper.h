/* pieper.h: loops of six joints whose special geometry splits the problem: three axes that meet, or are parallel. */
#pragma once
#include "analytic/loop.h"
#include "analytic/subproblem.h"

enum { HIK_PIEPER_MAX = 8 };

typedef struct hik_posture {
  double theta[6]; /* angles in (-pi, pi] */
  double
      error; /* how far the equations are from being met, on lengths of about 1: rounding, unless two solutions
                      all but meet */
  uint8_t free; /* bit i: joint i may take any value (others follow); the one given is a representative */
} hik_posture;

/* All three solvers set *hidden to true (and never to false) where they met a family, and its representative, at 0 in
   the free joint, gave no posture: another of its members may.

   Joints 4 5 6 (counted from 1) turn about axes that meet in one point, `here` along z in frame 4 and `there` along z in
   frame 6; joints 1 2 3 turn or slide. Up to 8. */
int hik_wrist_solve(const hik_loop *loop, double here, double there, hik_posture *out, bool *hidden);
/* Whether they do meet, to `tolerance`, and where. */
bool hik_wrist_test(const hik_loop *loop, double tolerance, double *here, double *there);

/* Joints 1 2 3 turn about parallel axes, 4 5 6 turn about any, or one of these slides. Up to 16. */
enum { HIK_PARALLEL_MAX = 16 };
int hik_parallel_solve(const hik_loop *loop, hik_posture *out, bool *hidden);
bool hik_parallel_test(const hik_loop *loop, double tolerance);

/* R4 G4 R5 G5 R6 = m for three turns: up to 2 answers, angles and (cos, sin) of the middle one; free: the outer two
   turn as one. */
int hik_three_turns(const double *g4, const double *g5, const double *m, double (*turn)[3], double *error,
                    bool *is_free);
