/* descent.h: a problem as bounded least squares, the ground that every solver with Jacobians stands on.

   Unknowns are *columns*: the coordinates of v that move some goal and have room to move. A coordinate shared by
   several joints (mimic) is one column; one whose limits coincide (a locked joint) is none. All is scaled: lengths of
   the residual and slides of the columns are measured in units of `length`, so that a metre of a large arm and a
   radian weigh alike. Residual e is present less wanted, so a step d that solves J d = -e meets the goals to first
   order. */
#pragma once
#include "model/chart.h"
#include "solve/drive/pace.h"

enum { HIK_NO_BALL = -1, HIK_ACTIVE_SET_PASSES = 5 };

typedef struct hik_descent {
  const hik_problem *p;
  hik_run *run;
  const double *target;
  int32_t m, n;  /* rows of the residual, columns */
  bool chordal;  /* orientations by 2 sin(angle / 2) and plain angular columns instead of the logarithm */
  double length; /* metres that weigh as much as a radian */
  int32_t *step_column;  /* [n_step] first column of a step, -1: it does not move */
  int32_t *column_q;     /* [n] coordinate in q, of a ball its first */
  int32_t *column_part;  /* [n] 0 to 2: part of a ball; HIK_NO_BALL */
  hik_chart *chart;      /* [n] of a ball at its first column */
  bool charts;           /* there are any */
  double *lower, *upper; /* [n] of q; infinite for balls */
  double *unit;          /* [n] move of q for a scaled step of 1 */
  double *row_scale;     /* [m] weight, over length for rows in metres */
  hik_pose *wanted;      /* [n_goal] rows of the target, as the class says; only chordal goals */
  double *e, *j, *g;     /* [m], [m][n], [n] J' e */
  double *jac;           /* [6][n] */
  double *mass;          /* [4][n_step] scratch of the terms about masses */
  /* of the active set */
  int32_t *free;      /* [n] */
  int32_t *seen;      /* [nv] column of a coordinate of v, of a ball its first, -1: none */
  double *jf, *b, *x; /* [m][n], [m], [n]: what a rule sees */
  double *d;          /* [n] the step */
  double *q, *best_q; /* [nq] present pose (in answer->q) and best pose seen */
  double error, best; /* |e| of both */
} hik_descent;

/* Counts `times` passes over m rows and n columns as work. */
HIK_INLINE void hik_descent_charge(const hik_descent *d, int64_t m, int64_t n, int64_t times) {
  hik_charge(d->run->worker, m * n * times / HIK_WORK);
}

/* hik_svd, its work charged. False: the call is stopped or late, and there are no values. */
bool hik_descent_svd(hik_descent *d, int32_t m, int32_t n, double *a, double *u, double *s);

/* A rule: the step x [n] on the free columns that brings J x to b, given J [m][n] and b [m], which is -e less what held columns
   bring. False: singular, no step. */
typedef bool hik_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x);

/* Of a problem, for arrays: rows m; columns at most, and one, n; the smaller of the two; numbers of a damped system and its
   right side (hik_damped_solve). */
typedef struct hik_descent_size {
  uint64_t m, n, least, square;
} hik_descent_size;
hik_descent_size hik_descent_sizes(const hik_problem *p);
/* Lays out (and with memory fills in what does not depend on the target). */
void hik_descent_lay_out(hik_descent *d, const hik_problem *p, hik_block *block);
void hik_descent_prepare(hik_descent *d, hik_run *run, bool chordal);
/* Starts on a target at q, which is the answer's own memory. */
void hik_descent_begin(hik_descent *d, const double *target, double *q);
/* Poses, residual and error of d->q. */
void hik_descent_residual(hik_descent *d);
/* J and g at the poses of the last residual. */
void hik_descent_jacobian(hik_descent *d);
/* True when the goals are met at the poses of the last residual (asks the judge when it may be so). */
bool hik_descent_met(const hik_descent *d);
/* Makes the charts of the balls for q. hik_descent_jacobian does so for d->q. */
void hik_descent_charts(hik_descent *d, const double *q);
/* to = from moved by the scaled step x [n], inside the limits; the charts must be those of `from`. */
void hik_descent_move(const hik_descent *d, const double *from, const double *x, double *to);
/* Scaled room of column k from q: how far it may go down (<= 0) and up (>= 0). The charts must be those of q. */
HIK_INLINE void hik_descent_room(const hik_descent *d, const double *q, int32_t k, double *down, double *up) {
  if (HIK_LIKELY(d->column_part[k] == HIK_NO_BALL)) {
    double at = q[d->column_q[k]], inverse = 1 / d->unit[k];
    *down = (d->lower[k] - at) * inverse;
    *up = (d->upper[k] - at) * inverse;
    return;
  }
  const hik_chart *chart = d->chart + k - d->column_part[k];
  *down = chart->cone ? chart->down[d->column_part[k]] : -INFINITY;
  *up = chart->cone ? chart->up[d->column_part[k]] : INFINITY;
}

/* Whether column k is at a limit, with the way down the slope leading outwards. */
bool hik_descent_pushed_out(const hik_descent *d, int32_t k);
/* The step of a rule with the limits as an active set, into d->d. Columns at a limit which the gradient pushes
   outwards are held; those that the step takes beyond a limit are put on it, what they bring is taken from b, and
   the rest is solved again. No column moves more than `clamp` (0: no clamp). False: the rule found no step. */
bool hik_descent_step(hik_descent *d, hik_rule *rule, void *context, double clamp);
/* The same for the rule x = J'(JJ' + damping I)^-1 b, damping > 0, with columns taken out of JJ' instead of building it
   anew; work [2 m m + m]. False: the system is singular to rounding. */
bool hik_descent_damped_step(hik_descent *d, double damping, double clamp, double *work);
/* Remembers d->q as the best if it is. */
void hik_descent_keep(hik_descent *d);
/* d->q = best pose. */
void hik_descent_restore(hik_descent *d);
/* Random push of every column, seeded by the options' seed and `round` alone; `size` in radians or lengths. */
void hik_descent_nudge(hik_descent *d, int32_t round, double size);

/* A round of attempts of a descent, which pace->work points to: at its own error, pushed at random. */
void hik_descent_place(hik_pace *pace);
bool hik_descent_look(hik_pace *pace);
void hik_descent_push(hik_pace *pace, int32_t round);
#define HIK_DESCENT_METHOD .place = hik_descent_place, .look = hik_descent_look, .push = hik_descent_push
/* Begins on a target; the caller sets what is its own. */
hik_pace hik_descent_pace(hik_descent *d, const hik_method *method, const double *target, hik_answer *answer);

/* What solvers that are descents share: their first options, the round of attempts, and the row: its own options stand last,
   `one_key` is what it does. */
enum { HIK_DESCENT_CLAMP, HIK_DESCENT_NUDGES, HIK_DESCENT_STARTS, HIK_DESCENT_OWN };
#define HIK_DESCENT_OPTIONS(max_step) {"max_step", max_step, 0, 1e9}, HIK_NUDGES(2), HIK_STARTS(50)
void hik_descent_run(hik_descent *d, const hik_method *method, int32_t patience, bool polish,
                     const double *target, hik_answer *answer);
#define HIK_DESCENT_SOLVER(key, label, text, paper, cap, fall, ...)                                          \
  const hik_solver_class hik_solver_##key = {.name = label,                                                  \
                                             .summary = text,                                                \
                                             .reference = paper,                                             \
                                             .max_iter = cap,                                                \
                                             .ftol = fall,                                                   \
                                             .option = {__VA_ARGS__},                                        \
                                             .scratch_for = scratch_for,                                     \
                                             .raw_scratch = true,                                            \
                                             .begin = begin,                                                 \
                                             .one = one_##key}

/* ---- secondary.c: what a redundant figure does with the freedom its goals leave ---- */

/* z [n]: the way down of
     rest           1/2 |q - rest|^2 (balls by their rotation vector),
     avoid          1/2 R^2 sum ((q - middle) / range)^2 over the columns that have a range, R the smallest range,
     manipulability -log sqrt det (J J' + 1e-9 I) (J'J with more rows than columns), by central differences of
                    1e-5,
   each times its weight. With weights to 1 the first two settle without overshoot. J is evaluated beside the present
   pose and left as it was. Scratch: q [nq], square [k][k], k = min(m, n). */
void hik_secondary_step(hik_descent *d, double rest, double avoid, double manipulability, double *q,
                        double *square, double *z);
