/* term.h: what must hold. One row of the term table a kind; all that the solvers and the judge know of a kind is
   its functions here. */
#ifndef HIK_TERM_H
#define HIK_TERM_H
#include <stdatomic.h>

#include "model/model.h"

/* A term resolved against a model. */
typedef struct hik_goal {
  hik_term term;
  int32_t step;     /* that carries the frame, -1 the world */
  hik_pose place;   /* of the frame in the step's moved frame */
  int32_t column;   /* first column of the target row */
  int32_t row;      /* first row of the residual */
  double root[3];   /* origin of the first step above it, which never moves; the frame itself when nothing moves it */
  double arm;       /* the frame is never farther from root than this (sum of links and slides, infinity allowed) */
  double inner;     /* nor nearer than this (longest link less the others) */
} hik_goal;

struct hik_problem {
  const hik_model *model;
  int32_t n_goal, width, rows; /* columns of the target, rows of the residual */
  hik_goal *goal;
  int32_t n_active;
  int32_t *active;  /* [n_active] steps that move some goal, parents first */
  _Atomic(void *) prepared; /* one block a solver worked out at its first call (solve/serial.c); NULL: none yet */
  double scale;     /* length that makes positions comparable with angles: the longest path to a goal, >= 1e-9 */
};

/* What the judge measures of one term. */
typedef struct hik_measure {
  double distance, angle; /* metres, radians; 0 where the kind has none */
} hik_measure;

enum { HIK_HAS_POSITION = 1, HIK_HAS_ORIENTATION = 2, HIK_HAS_AXIS = 4 };

typedef struct hik_term_class {
  const char *name, *summary, *reference;
  int32_t width, rows;
  uint32_t caps; /* HIK_HAS_*: what it fixes of its frame */
  int32_t n_param;
  const char *param_name[8];
  double param_default[8];
  /* Checks the constants; false with the sentence written. NULL: nothing to check. */
  bool (*check)(const hik_term *term, int32_t index, hik_error *error);
  /* Wanted pose from the target columns: position into p, rotation into r (caps say which are written; HIK_HAS_AXIS
     writes the wanted direction into r[0..2]). */
  void (*wanted)(const hik_goal *goal, const double *target, double *p, double *r);
  /* Unweighted residual [rows], zero when met: world axes, metres above radians. */
  void (*residual)(const hik_goal *goal, const double *target, const hik_pose *frame, double *out);
  /* Its derivative by v, [rows][nv], from the frame's Jacobian jac [6][nv]. */
  void (*jacobian)(const hik_goal *goal, const double *target, const hik_pose *frame, const double *jac, int32_t nv,
                   double *out);
  void (*measure)(const hik_goal *goal, const double *target, const hik_pose *frame, hik_measure *out);
} hik_term_class;

extern const hik_term_class *const hik_term_classes[];
extern const int32_t hik_term_class_count;

HIK_INLINE const hik_term_class *hik_goal_class(const hik_goal *goal) { return hik_term_classes[goal->term.kind]; }

/* False when a number of the row is not finite, or a quaternion or direction has no length. */
bool hik_target_usable(const hik_problem *p, const double *target);
/* True when the lengths alone prove that no q reaches some position of the target row. */
bool hik_out_of_reach(const hik_problem *p, const double *target);
/* What the error cannot fall below: the norm of the weighted distances from the targets to the spheres of reach. */
double hik_error_floor(const hik_problem *p, const double *target);
/* Pose of a goal's frame from the moved frames of the steps. */
void hik_goal_pose(const hik_goal *goal, const hik_pose *world, hik_pose *out);

/* The judge's word on one q. */
typedef struct hik_verdict {
  double error, position_error, orientation_error;
  bool met;
} hik_verdict;

/* Moves the active steps for q (world [n_step] is scratch that it fills) and measures. */
void hik_judge_one(const hik_problem *p, const double *target, const double *q, hik_pose *world, hik_verdict *out);
/* The same from moved frames that are already right for q. */
void hik_judge_world(const hik_problem *p, const double *target, const double *q, const hik_pose *world,
                     hik_verdict *out);
/* Weighted residual [rows] from moved frames. */
void hik_residual_world(const hik_problem *p, const double *target, const hik_pose *world, double *out);
/* Weighted derivative [rows][nv]; jac [6][nv] is scratch. */
void hik_jacobian_world(const hik_problem *p, const double *target, const hik_pose *world, double *jac, double *out);
#endif
