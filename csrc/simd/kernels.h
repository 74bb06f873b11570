/* kernels.h: the hot loops that work on several problems at once, one problem a lane.

   Lanes never exchange numbers, so the width is a matter of the machine alone and every instruction set gives the
   same bytes. Each kernel is written once, in a body (*.inc.c), and compiled once per instruction set: isa_<set>.c
   includes all bodies (table.inc.c) and fills one table. Those that a single problem uses too are compiled a second time
   for two lanes, by pair_<set>.c: half a register or less waits less for its divisions and square roots than a whole
   one. */
#pragma once
#include "scene/inside.h"
#include "simd/ccd.h"
#include "simd/descent.h"
#include "simd/dynamics.h"
#include "simd/postures.h"
#include "simd/tree.h"

/* Longest chain that cyclic coordinate descent works on in lanes; most steps, and widest v of a Jacobian, of poses in lanes
   (a person of spine, arms and hands has 159 and 73): their working memory is on the stack, at most 192 KiB. */
enum { HIK_CHAIN_STEPS = 64, HIK_POSE_STEPS = 192, HIK_POSE_COLUMNS = 96 };

enum { HIK_MOST_LANES = 24, HIK_MOST_SINGLE_LANES = 2 * HIK_MOST_LANES };

/* Rows of `lanes` numbers that go with the points. ERROR gets |tip - target|. An error below LIMIT takes its place times
   `share` and makes QUIET 0, any other adds 1 to QUIET; one within the tolerance makes QUIET HIK_FABRIK_DONE. */
typedef enum hik_fabrik_row {
  HIK_FABRIK_TARGET,
  HIK_FABRIK_ERROR = 3,
  HIK_FABRIK_LIMIT,
  HIK_FABRIK_QUIET,
  HIK_FABRIK_ROWS
} hik_fabrik_row;
#define HIK_FABRIK_DONE 1000000

typedef struct hik_fabrik_kernels {
  int32_t lanes, single_lanes; /* problems taken at a time, in doubles and in floats */
  /* One FABRIK iteration of `lanes` chains of n free links: tip to root, then root to tip.
     length [n]; points [n + 1][3][lanes], the first stays; rows: see hik_fabrik_row. A lane whose points coincide costs
     all of them time: idle lanes should hold some chain too. */
  void (*free)(int32_t n, const double *length, double tolerance, double share, double *points, double *rows);
  /* The same in floats, for lengths and coordinates about 1. */
  void (*single)(int32_t n, const float *length, float tolerance, float share, float *points, float *rows);
  /* An iteration of solve/points/ftl.c in its place. */
  void (*follow)(int32_t n, const double *length, double tolerance, double share, double *points,
                 double *rows);
} hik_fabrik_kernels;

/* Those that come in two widths. */
typedef struct hik_lane_kernels {
  int32_t lanes;
  hik_descent_kernel *descent;
  hik_scan_kernel *scan;
  hik_pick_kernel *pick;
  hik_stretch_kernel *stretch;
  hik_tree_kernel *tree;
  hik_postures_kernel *postures;
  hik_nearest_kernel *nearest;
} hik_lane_kernels;

typedef struct hik_kernels {
  const char *name;
  hik_lane_kernels wide;        /* a whole register */
  const hik_lane_kernels *pair; /* two lanes, for a single problem */
  hik_ccd_kernel *ccd;          /* wide.lanes problems a group */
  hik_fabrik_kernels fabrik;
  hik_nearest_found (*nearest_one)(const hik_arm_plan *arm, const double *T,
                                   double *q); /* hik_nearest_one, or NULL */
  /* Every kernel of a model gives the bytes of its scalar twin in model/frames.c. The steps of a chain are listed from
     the world to the frame.
     Pose of a frame, out [n][4][4]; list [count] are the steps above it, 1 .. HIK_POSE_STEPS. */
  void (*frame)(const hik_model *m, int32_t frame, const int32_t *list, int32_t count, int64_t n,
                const double *q, double *out);
  /* Poses of all frames, out [n][n_frame][4][4], of a model of at most HIK_POSE_STEPS steps. past: past the caches. */
  void (*frames)(const hik_model *m, int64_t n, const double *q, double *out, bool past);
  /* Jacobian of a frame, out [n][6][nv], nv at most HIK_POSE_COLUMNS. */
  void (*jacobian)(const hik_model *m, int32_t frame, const int32_t *list, int32_t count, int64_t n,
                   const double *q, double *out, bool past);
  /* Residuals of pose goals, and their targets from matrices: see residuals.inc.c. */
  uint32_t (*pose_residuals)(int64_t n, const double *pose, const double *target, double *out);
  uint32_t (*pose_columns)(int64_t n, const double *pose, double *out);
  /* See dynamics.inc.c. */
  void (*inverse_dynamics)(const hik_weighed *, int64_t n, const double *q, const double *v, const double *a,
                           double *tau);
  void (*mass_matrix)(const hik_weighed *, int64_t n, const double *q, double *out);
  void (*forward_dynamics)(const hik_weighed *, int64_t n, const double *q, const double *v,
                           const double *tau, double *a);
  void (*mass_state)(const hik_weighed *, int64_t n, const double *q, const double *v,
                     const hik_mass_out *out);
  const hik_scene_kernels *scene;
} hik_kernels;

extern const hik_kernels hik_kernels_base;
/* One narrow register, for fewer problems than the others have lanes: a single target would wait for more, and with many
   links a wide row of points is memory that is carried about for nothing. */
extern const hik_fabrik_kernels hik_fabrik_few;
#if defined(__x86_64__) && defined(__GNUC__)
#define HIK_HAVE_X86 1
extern const hik_kernels hik_kernels_avx2, hik_kernels_avx512;
extern const hik_lane_kernels hik_pair_avx2, hik_pair_avx512;
/* `nearest` for one pose, in four lanes. */
hik_nearest_found hik_nearest_one(const hik_arm_plan *arm, const double *T, double *q);
#endif

/* The set in use: the best this processor has, unless hik_simd_select said otherwise. */
const hik_kernels *hik_kernels_in_use(void);
