/* term.h: what must hold. One row of the term table a kind; all that the solvers and the judge know of a kind is
   its functions here. */
#pragma once
#include "model/model.h"

/* A term resolved against a model. */
typedef struct hik_goal {
  hik_term term;
  int32_t step;       /* that carries the frame, -1 the world */
  hik_pose place;     /* of the frame in the step's moved frame */
  int32_t other_step; /* the same of the other frame, of kinds that have one */
  hik_pose other_place;
  int32_t column, width; /* its columns of the target row */
  int32_t row, rows;     /* its rows of the residual */
  const double *data;    /* [term.n_data] the problem's own copy */
  int32_t stage;         /* its place among the stages of the problem */
  double root
      [3]; /* origin of the first step above it, which never moves; the frame itself when nothing moves it */
  double arm; /* the frame is never farther from root than this (sum of links and slides, infinity allowed) */
  double inner;  /* nor nearer than this (longest link less the others) */
  double length; /* as `arm`, without the slides that have no end */
} hik_goal;

struct hik_problem {
  const hik_model *model;
  int32_t n_goal, width, rows; /* columns of the target, rows of the residual */
  hik_goal *goal;
  int32_t n_active;
  int32_t *active; /* [n_active] steps that move some goal, parents first */
  char *metric;    /* [rows] 1 where a row of the residual is in metres */
  double *data;    /* of all goals */
  size_t n_data;
  bool one_thread; /* a term has functions of the caller's */
  /* Stages: the levels of the terms that decide, then those of the soft ones. With one stage that decides n_stage is 0,
     and the problem is solved as it stands; else by way of the two below, whose targets are rows of this problem. */
  int32_t n_stage;
  hik_problem *first; /* all terms that decide, as one level; NULL: there are none */
  hik_problem *top;   /* those of the first stage; NULL: the same as `first` */
  hik_problem *
      plain; /* of one level, some but not all of whose terms keep clear of obstacles: the others; else NULL */
  /* Length of the problem, which makes positions comparable with angles, and by which slides without an end, pushes and what
     counts as nothing are measured: the longest path to a goal, else the model's reach; 1 where both are nothing. */
  double scale;
};

/* What the judge measures of one term. */
typedef struct hik_measure {
  double distance, angle; /* metres, radians; 0 where the kind has none */
} hik_measure;

/* Distances from goal->root of the nearest and the farthest (infinity) of the points that a term wants its frame at, and the
   least weight of its rows. */
typedef struct hik_span {
  double nearest, farthest, weight;
} hik_span;

/* What a kind fixes of its frame (a position, a rotation, one axis: kinds with one of these have `wanted`), and what it
   is about: two frames, the whole figure and no frame, or the frames of a hik_own. A soft kind never decides whether a problem is solved. A kind that
   pulls at a point, an axis or the whole frame says by `project` where it should be, seen from where the figure stands; one
   that sees the frame does so by how the whole of its other frame stands. */
enum {
  HIK_HAS_POSITION = 1,
  HIK_HAS_ORIENTATION = 2,
  HIK_HAS_AXIS = 4,
  HIK_IS_PAIR = 8,
  HIK_IS_WHOLE = 16,
  HIK_IS_SOFT = 32,
  HIK_PULLS_POINT = 64,
  HIK_PULLS_AXIS = 128,
  HIK_PULLS_FRAME = 256,
  HIK_IS_OWN = 512,
  HIK_SEES_FRAME = 1024,
  HIK_IS_CLEARANCE = 2048
};

/* Width or rows of a kind that go with the figure, with its hik_own, or with its data: one for every axis of these, which
   has HIK_AXIS_NUMBERS numbers. */
enum {
  HIK_AS_Q = -1,
  HIK_AS_V = -2,
  HIK_AS_OWN = -3,
  HIK_AS_AXES = -4,
  HIK_AXIS_NUMBERS = 4 /* unit axis, weight */,
  HIK_MOST_ROWS = HIK_OWN_ROWS /* of a kind that is not soft */,
  HIK_CLEAR_ROWS = 12 /* of kind "obstacles" */,
  HIK_RESIDUAL_STRIDE = 8
};

/* A posture as terms see it. */
typedef struct hik_sight {
  const hik_model *model;
  const double *q;       /* [nq] */
  const hik_pose *world; /* [n_step] moved frames, right for the active steps */
} hik_sight;

/* How the point, the axis (unit) and the rotation of one side of a term stand in the world; what it does not pull at need
   not be there. */
typedef struct hik_stand {
  double point[3], axis[3], rotation[9];
} hik_stand;

/* The columns in which a derivative is wanted: the coordinates of v, or those a solver made of them. */
typedef struct hik_columns {
  int32_t count;
  /* [nv] column of a coordinate of v, of a ball its first; -1: it has none. NULL: the same number */
  const int32_t *of;
  const double *unit; /* [count] move of the coordinate for a unit of the column. NULL: 1 */
  double *jac;        /* [6][count] scratch of the caller's */
  double *mass;       /* [4][n_step] scratch */
} hik_columns;

typedef struct hik_term_class {
  const char *name, *summary, *reference;
  int32_t width, rows; /* of the target and of the residual, or HIK_AS_* */
  int32_t
      metric; /* leading rows in metres, the others are in radians; -1: as the coordinates of v; HIK_AS_OWN */
  uint32_t caps; /* HIK_HAS_*, HIK_IS_* */
  int32_t n_param;
  const char *param_name[16];
  double param_default[16];
  /* Checks the constants; false with the sentence written. NULL: nothing to check. */
  bool (*check)(const hik_model *model, const hik_term *term, int32_t index, hik_error *error);
  /* True when the target columns, all finite, mean something. NULL: always, or as `caps` say. */
  bool (*usable)(const hik_model *model, const double *target);
  /* Wanted pose from the target columns: position into p, rotation into r (caps say which are written; HIK_HAS_AXIS
     writes the wanted direction into r[0..2]). */
  void (*wanted)(const hik_goal *goal, const double *target, double *p, double *r);
  /* Unweighted residual [rows], zero when met: world axes, metres above radians. */
  void (*residual)(const hik_goal *goal, const double *target, const hik_pose *frame, double *out);
  /* Its derivative by v, [rows][nv], from the frame's Jacobian jac [6][nv]. */
  void (*jacobian)(const hik_goal *goal, const double *target, const hik_pose *frame, const double *jac,
                   int32_t nv, double *out);
  /* The same of n targets, `stride` numbers apart, and poses [n][4][4] of the frame, n at most HIK_JUDGE_LANES: rows
     out [n][HIK_RESIDUAL_STRIDE]; bit k of the result: row k was done, the others want `residual`. NULL: none are. */
  uint32_t (*residuals)(int64_t n, const double *target, int64_t stride, const double *poses, double *out);
  /* residual is what `residual` wrote for the same target and frame */
  void (*measure)(const hik_goal *goal, const double *target, const hik_pose *frame, const double *residual,
                  hik_measure *out);
  /* The same three for kinds about more than one frame, which have these instead; rows [rows][columns->count] come
     zeroed. */
  void (*sight_residual)(const hik_goal *goal, const double *target, const hik_sight *sight, double *out);
  void (*sight_jacobian)(const hik_goal *goal, const double *target, const hik_sight *sight,
                         const hik_columns *columns, double *out);
  void (*sight_measure)(const hik_goal *goal, const double *target, const hik_sight *sight, hik_measure *out);
  /* The last one from what sight_residual wrote, for kinds whose residual tells all. NULL: it does not. */
  void (*rows_measure)(const hik_goal *goal, const double *residual, hik_measure *out);
  /* What lengths say of where the frame is wanted. False: nothing for this goal. NULL: nothing, or HIK_HAS_POSITION. */
  bool (*span)(const hik_goal *goal, const double *target, hik_span *out);
  /* Weights of the frame's three axes in the sum of 1 - cosine. NULL: 1 each. */
  void (*axis_weights)(const hik_goal *goal, double out[3]);
  /* Kinds that pull: the point and the unit axis of a side (0 the frame, 1 the other), each in its frame. */
  void (*pulled)(const hik_goal *goal, int side, double point[3], double axis[3]);
  /* The nearest stands at which the term holds, the frame going `share` (0 to 1) of the way and the other the rest; kinds
     about one frame write out[0] alone. False: it holds as it stands. */
  bool (*project)(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                  hik_stand out[2]);
} hik_term_class;

extern const hik_term_class *const hik_term_classes[];
extern const int32_t hik_term_class_count;

HIK_INLINE const hik_term_class *hik_goal_class(const hik_goal *goal) {
  return hik_term_classes[goal->term.kind];
}

/* A problem has a goal of a kind with one of these. */
HIK_INLINE bool hik_has_goal(const hik_problem *p, uint32_t caps) {
  for (int32_t i = 0; i < p->n_goal; i++)
    if (hik_goal_class(p->goal + i)->caps & caps) return true;
  return false;
}
/* It never decides whether a problem is solved. */
HIK_INLINE bool hik_goal_is_soft(const hik_goal *goal) { return hik_goal_class(goal)->caps & HIK_IS_SOFT; }

/* The terms of this stage decide; those of any stage after one that does not never do. */
bool hik_stage_decides(const hik_problem *p, int32_t stage);

/* False when a number of the row is not finite, or a quaternion or direction has no length. */
bool hik_target_usable(const hik_problem *p, const double *target);
/* True when the lengths alone prove that no q reaches some position of the target row. */
bool hik_out_of_reach(const hik_problem *p, const double *target);
/* What the error cannot fall below: the norm of the weighted distances from the targets to the spheres of reach. */
double hik_error_floor(const hik_problem *p, const double *target);
/* Pose of a goal's frame, and of its other frame, from the moved frames of the steps. Of a frame that is wanted at a point and
   no more its place alone. */
void hik_goal_pose(const hik_goal *goal, const hik_pose *world, hik_pose *out);
void hik_goal_other_pose(const hik_goal *goal, const hik_pose *world, hik_pose *out);
/* Residual [rows], unweighted; what the judge measures. `target` is the whole row. */
void hik_goal_residual(const hik_goal *goal, const double *target, const hik_sight *sight, double *out);
void hik_goal_measure(const hik_goal *goal, const double *target, const hik_sight *sight, hik_measure *out);

/* Adds to out [rows][columns->count] what a motion of the columns gives `rows` quantities that change with the velocity
   of a point carried by `step` as linear[i] . velocity + angular[i] . angular velocity. angular NULL: not with that. */
void hik_columns_add(const hik_columns *columns, const hik_sight *sight, int32_t step, const double point[3],
                     int32_t rows, const double (*linear)[3], const double (*angular)[3], double *out);
/* Column of coordinate v and its unit; -1: none. */
HIK_INLINE int32_t hik_column_of(const hik_columns *c, int32_t v) { return c->of ? c->of[v] : v; }
HIK_INLINE double hik_column_unit(const hik_columns *c, int32_t column) {
  return c->unit ? c->unit[column] : 1;
}

/* The judge's word on one q. `lengths` and `turns` are the parts of the square of `error` in metres and in what has no unit. */
typedef struct hik_verdict {
  double error, position_error, orientation_error;
  bool met;
  double lengths, turns;
} hik_verdict;

/* The error in metres: a radian counts as 0.17 of the problem's length, the weights at which a sweep of CCD never rises. What
   one pose is compared with another by, so that it does not matter which unit of length the caller has. */
#define HIK_TURN_SHARE 0.03
HIK_INLINE double hik_even_error(const hik_problem *p, const hik_verdict *v) {
  return sqrt(v->lengths + HIK_TURN_SHARE * p->scale * p->scale * v->turns);
}

/* Moves the active steps for q (world [n_step] is scratch that it fills) and measures. */
void hik_judge_one(const hik_problem *p, const double *target, const double *q, hik_pose *world,
                   hik_verdict *out);
/* The same from moved frames that are already right for q. */
void hik_judge_world(const hik_problem *p, const double *target, const double *q, const hik_pose *world,
                     hik_verdict *out);
/* hik_even_error of the goals of one stage alone, in lengths of the problem, likewise. */
double hik_stage_error(const hik_problem *p, int32_t stage, const double *target, const double *q,
                       hik_pose *world);
/* hik_judge_one for n rows of q (and of targets, target_stride apart), at most HIK_JUDGE_LANES: same bytes, sooner. */
enum { HIK_JUDGE_LANES = 32 };
void hik_judge_some(const hik_problem *p, int32_t n, const double *target, int64_t target_stride,
                    const double *q, hik_pose *world, hik_verdict *out);
