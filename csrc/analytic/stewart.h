/* stewart.h: the Gough-Stewart platform (6-UPS): leg lengths of a pose, the pose near a guess, all poses.

   Leg i joins base point a_i to platform point b_i: L_i = |t + R b_i - a_i|. */
#pragma once
#include "analytic/study_paths.h"
#include "base/pose.h"

enum { HIK_LEGS = 6 };

typedef struct hik_stewart {
  double base[HIK_LEGS][3], platform[HIK_LEGS][3];
} hik_stewart;

/* lengths [6] of a pose, and jacobian [6][6] or NULL: rate of each length by (velocity of the platform's origin, angular
   velocity), both in the base. */
void hik_stewart_lengths(const hik_stewart *s, const hik_pose *pose, double *lengths, double *jacobian);

typedef struct hik_stewart_step {
  bool converged;
  int32_t iterations;
  double residual; /* greatest difference of a length, m */
  double
      singularity; /* least singular value of the Jacobian at the pose, a turn weighed by the platform's radius: 0 at
                         a singular pose, never above 2.5 */
} hik_stewart_step;

/* Newton's method from the pose given, which it moves. */
hik_stewart_step hik_stewart_newton(const hik_stewart *s, const double *lengths, int32_t most,
                                    hik_pose *pose);
double hik_stewart_singularity(const hik_stewart *s, const hik_pose *pose);

typedef struct hik_stewart_found {
  int32_t count;    /* real postures */
  int32_t finite;   /* distinct finite complex postures, the real ones among them */
  int32_t infinite; /* paths that ran to infinity */
  int32_t failed;   /* paths neither of both: 0, or postures may be missing */
  int32_t runs;     /* 1, or more when a first run left doubts */
  bool complete;    /* no path failed, all are paired; 40 with no trace, or two runs that found the same */
  bool paired;      /* every finite point has its complex conjugate among them */
  double trace;    /* relative trace of the 40 points: 0 to rounding when none is missing or doubled; NaN when
                         fewer than 40 are finite */
  double residual; /* greatest difference of a length of a real posture, m */
  hik_pose pose[HIK_STUDY_POINTS];
} hik_stewart_found;

typedef struct hik_stewart_work hik_stewart_work;
size_t hik_stewart_work_size(void);

/* All poses with these leg lengths. False: the six equations are dependent (lengths or points that do not fix a
   pose). */
bool hik_stewart_postures(const hik_stewart *s, const double *lengths, hik_stewart_work *work,
                          hik_stewart_found *found);
/* Work counted since the last call of hik_stewart_postures began: steps and factorised Jacobians. */
void hik_stewart_effort(const hik_stewart_work *work, int64_t *steps, int64_t *solves);
