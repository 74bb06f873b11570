/* analytic.h: every posture of a serial arm that puts a frame at a pose.

   An object is made once for a model and a frame: it recognises the arm's class from its geometry, chooses the method
   and says why. It never changes and may be used by any number of threads, each with scratch of its own. */
#pragma once
#include "base/error.h"
#include "simd/postures.h"

typedef struct hik_analytic hik_analytic;

/* What must be met: the whole pose, or the position of the frame's origin alone (arms of two or three joints). */
enum { HIK_TASK_POSE, HIK_TASK_POSITION };

enum { HIK_ANALYTIC_MOST = 16 }; /* postures a pose can have, for one value of the locked joint */
typedef struct hik_analytic_info {
  const char *method; /* "wrist", "parallel", "general", "planar", "two" */
  const char *why;    /* one sentence */
  int32_t joints;     /* that move, between the world and the frame */
  const int32_t *q;   /* [joints] coordinate of each, world first */
  int32_t locked;     /* coordinate of q that must be given (arms of seven joints), -1 none */
} hik_analytic_info;

/* `lock`: coordinate of q to lock on an arm of seven joints, -1: choose. `thorough`: no closed form, but the union of
   all 36 eliminations of the general method, about a hundred times slower: a second opinion on any six joints.
   On failure *analytic is NULL. */
HIK_API hik_status hik_analytic_create(const hik_model *model, int32_t frame, int32_t task, int32_t lock,
                                       bool thorough, hik_analytic **analytic, hik_error *error);
HIK_API void hik_analytic_free(hik_analytic *analytic);
HIK_API hik_analytic_info hik_analytic_about(const hik_analytic *analytic);
/* Bytes of scratch for one thread. */
HIK_API size_t hik_analytic_scratch_size(const hik_analytic *analytic);

/* All postures of n poses. T [n][4][4]; locked [n] or NULL; q [n][HIK_ANALYTIC_MOST][nq], rows past the count are NaN;
   coordinates that do not move the frame take their rest. count [n]: postures inside the limits, in order of q, each a
   true solution (residual at most 1e-10 of the arm's size). free [n][HIK_ANALYTIC_MOST]: bit i set when joint i of the
   chain may take any value of a range (the others following): a singular posture, of which one representative is
   given. sure [n]: false when the method met its own doubt that all were found (double solutions). Poses that are not
   finite or no rigid motion give none. */
HIK_API void hik_analytic_solve(const hik_analytic *analytic, int64_t n, const double *T,
                                const double *locked, double *q, int32_t *count, uint8_t *free, bool *sure,
                                void *scratch);

/* An object for the nearest alone, quick to make: HIK_UNSUPPORTED where an arm is no arm of up to six turns with a closed form. */
hik_status hik_analytic_create_nearest(const hik_model *model, int32_t frame, hik_analytic **analytic,
                                       hik_error *error);

/* Whether it is an arm of turns with a closed form for whole poses, and for one the posture nearest to the start of each of n
   poses, see hik_nearest_kernel. They go through the lanes (simd/postures.h), fewer than six turns completed to six; what
   these leave is done with care, and what is still left is singular or in doubt. */
bool hik_analytic_has_nearest(const hik_analytic *analytic);
void hik_analytic_nearest(const hik_analytic *analytic, int64_t n, const double *T, double *q,
                          hik_nearest_found *found, void *scratch);

/* Arms of seven turns with a spherical shoulder and wrist: whether this is one, its postures at given arm angles (q
   [n][8][nq]: each slot follows one branch as the angle changes, and is NaN where it has no posture inside the limits),
   and the arm angle of a posture; see srs.h. */
HIK_API bool hik_analytic_has_arm_angle(const hik_analytic *analytic);
HIK_API void hik_analytic_swivel(const hik_analytic *analytic, int64_t n, const double *T,
                                 const double *angle, double *q);
HIK_API void hik_analytic_arm_angle(const hik_analytic *analytic, int64_t n, const double *q, double *angle);

/* The posture nearest to one pose: least sum of squares of angle (radians) and of distance over `*scale` (metres),
   inside the limits. Where the pose can be reached that is an exact posture, the one nearest to the model's rest, and 0
   comes back; else the best of 14 local searches and the square root of the sum. `locked`: value that the locked joint
   keeps, NaN: it moves like the others. NaN for a pose that is none, or a value outside the limits. */
HIK_API double hik_analytic_closest(const hik_analytic *analytic, const double *T, double locked, double *q,
                                    double *scale, void *scratch);
