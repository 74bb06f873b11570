/* handik.h: the whole public C interface.

   Units: metres, radians, kilograms. Quaternions are w x y z. Arrays are row-major, batch axes first.
   A model, a problem and a plan are created whole or not at all, never change, and may be read by any number of threads.
   Everything in a *_def, hik_term or hik_batch is borrowed for the duration of the call. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#ifndef HIK_API
#define HIK_API
#endif

/* ---- 1. words every call shares ------------------------------------- */

/* How a call ended. Negative: nothing was written, *error says why. */
typedef enum hik_status {
  HIK_OK = 0,
  HIK_NO_MEMORY = -1,    /* MemoryError */
  HIK_BAD_ARGUMENT = -2, /* ArgumentError: sizes, not finite, bad option */
  HIK_BAD_MODEL = -3,    /* ModelError: order of joints, axes, empty limits */
  HIK_NOT_FOUND = -4,    /* NotFoundError: unknown joint, frame, solver */
  HIK_UNSUPPORTED = -5,  /* UnsupportedError: the solver cannot take this term or figure */
  HIK_INTERRUPTED = -6,  /* tick() said stop */
  HIK_INTERNAL = -7      /* InternalError: a broken invariant, please report */
} hik_status;

/* How one problem of a batch ended. Data, never an error. */
typedef enum hik_outcome {
  HIK_INVALID = 0,     /* a target that is not finite, or has no direction where one is needed; q is NaN */
  HIK_CONVERGED = 1,   /* every term within its tolerance and q inside its limits, as the judge measured */
  HIK_UNREACHABLE = 2, /* target proved out of reach; the closest pose found is returned */
  HIK_STALLED = 3,     /* no progress, not within tolerance */
  HIK_MAX_ITER = 4,    /* the iteration cap */
  HIK_TIME_LIMIT = 5,  /* the time limit */
  HIK_DIVERGED =
      6, /* a number that is not finite was met; q is the nearest pose before it, if only the start */
  HIK_CANCELLED = 7, /* the call was interrupted before its turn or its end; q is NaN */
  HIK_LEAST_SQUARES =
      8, /* not within tolerance: q is a local minimum of the weighted squares inside the limits, a compromise */
  HIK_OUTCOME_COUNT
} hik_outcome;

/* By which method one problem of a batch was answered. Data; which ones `auto` chooses from. */
typedef enum hik_method_used {
  HIK_BY_NONE = 0,         /* unsolved */
  HIK_BY_ITERATION = 1,    /* the iteration that gives the solver its name */
  HIK_BY_CLOSED_FORM = 2,  /* the nearest posture of an arm of six turns, or of free balls out of reach */
  HIK_BY_CHAIN = 3,        /* damped least squares on a serial chain */
  HIK_BY_TREE = 4,         /* damped least squares on a tree */
  HIK_BY_SECOND_ORDER = 5, /* Newton's method for the nearest pose to a target out of reach */
  HIK_BY_DESCENT = 6,      /* damped least squares for any figure and terms */
  HIK_METHOD_COUNT
} hik_method_used;

typedef struct hik_error {
  hik_status status;
  int32_t index;  /* joint, term or batch item at fault; -1 if none */
  char text[240]; /* one English sentence with the names in it */
} hik_error;

typedef struct hik_model hik_model;     /* immutable once built */
typedef struct hik_problem hik_problem; /* immutable once built */
typedef struct hik_plan hik_plan;       /* immutable once made */

/* ---- 2. model -------------------------------------------------------- */

/* Joint kinds; coordinates of each in q, and of each in v where they differ:
   fixed        none
   revolute     angle about axis
   prismatic    slide along axis
   cylindrical  angle about axis, slide along axis
   universal    angle about axis, then angle about axis2
   planar       slide along axis2, slide along axis x axis2, then angle about axis
   ball         unit quaternion w x y z;                     v: rotation vector in the moved frame
   free         x y z in the unmoved frame, then quaternion; v: x y z in the unmoved frame, then as a ball */
typedef enum hik_joint {
  HIK_FIXED,
  HIK_REVOLUTE,
  HIK_PRISMATIC,
  HIK_CYLINDRICAL,
  HIK_UNIVERSAL,
  HIK_PLANAR,
  HIK_BALL,
  HIK_FREE,
  HIK_JOINT_KINDS
} hik_joint;

/* Coefficients of a joint that follows the swing of a ball. */
enum { HIK_FOLLOW_TERMS = 20 };

/* Borrowed arrays describing a tree; hik_model_create copies them.
   Joint i hangs below joint parent[i] < i; -1 is the world. */
typedef struct hik_model_def {
  int32_t n_joint, n_frame;
  const int32_t *parent; /* [n_joint] */
  const int32_t *kind;   /* [n_joint] hik_joint */
  /* [n_joint][3] in the joint frame, any length but zero; not read for fixed, free, unlimited balls */
  const double *axis;
  /* [n_joint][3] not read but for universal, planar and limited balls; NULL: none is present */
  const double *axis2;
  /* Limits of ball j, [n_joint][6]: half-axes (radians, at most 2 pi) of its swing cone towards +axis2, +axis x axis2,
     -axis2, -axis x axis2, then lower and upper twist about `axis`, which is the bone at rest. The first is NaN where
     a joint has none. NULL: no ball is limited. */
  const double *swing;
  /* More of the room of a ball that has a row of `swing`. corner_count[j] > 0: the bone swings inside a spherical polygon
     instead of the cone; its directions are the next rows of corner [..][2], azimuth from axis2 and swing from `axis`,
     in radians, the room on the left of each edge as seen from outside. knot_count[j] > 0: the limits of the twist
     change with the swing; the next rows of knot [..][3] are azimuth (rising, in [-pi, pi)), lower and upper twist, which
     hold at swings of knot_full[j] and beyond; `swing` has those at rest. NULL: no ball has such. */
  const int32_t *corner_count, *knot_count; /* [n_joint] */
  const double *corner, *knot, *knot_full;
  /* [n_joint][4] rotation that ball (or free joint) j is held at, NaN first: free to move; NULL: all are */
  const double *hold;
  /* [n_joint][12] rotation row-major then x y z: joint frame in the parent's moved frame */
  const double *placement;
  /* [nq] of every joint that is no mimic; -inf allowed; quaternion entries are not read */
  const double *lower;
  const double *upper;      /* [nq] */
  const double *rest;       /* [nq], NULL: zero (identity) clipped to the limits */
  const int32_t *mimic;     /* [n_joint], -1 none; NULL: no mimic joints. q = scale * q[mimic] + offset */
  const double *mimic_line; /* [n_joint][2] scale, offset */
  /* [n_joint][20] A turn or slide whose mimic[j] is a ball follows its swing: the value is this polynomial of the direction
     that the ball's `axis` points in, of unit length, in the ball's joint frame: the coefficients of 1, x y z,
     xx xy xz yy yz zz, xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz. Such a joint has no limits; its mimic_line is not read.
     The first is NaN where a joint has none. NULL: none has. */
  const double *mimic_swing;
  const int32_t *frame_joint;    /* [n_frame] -1: the world */
  const double *frame_placement; /* [n_frame][12] in the joint's moved frame */
  /* The body that joint i carries, in its moved frame, [n_joint][10]: mass, first moment x y z (mass times centre of
     mass), inertia xx xy xz yy yz zz about the frame's origin (entries of the matrix). Bodies on fixed joints are
     welded to what carries them; one that hangs on the world is dropped. NULL: nothing has mass. */
  const double *inertial;
  /* The drive of joint i, [n_joint][4]: rotor inertia Im, gear ratio Gr, viscous friction B and Coulomb friction Cf,
     all but Gr on the motor's side. Each coordinate v of the joint then takes
     Im Gr^2 a + Gr^2 B v + |Gr| Cf sign(v). NULL: no drives. */
  const double *motor;
  const char *const *joint_name; /* [n_joint], for the error texts only; NULL: numbers are used */
  uint32_t cookie;               /* set by hik_model_def_default */
} hik_model_def;

typedef struct hik_sizes {
  int32_t n_joint, n_frame, n_step, n_swing;
  int32_t nq, nv; /* q may hold quaternions; v never does */
  /* metres from the world to the farthest frame along the tree, slides at their finite limits */
  double reach;
} hik_sizes;

/* Read-only view of one array of the model, by its name in fields.def. */
typedef struct hik_view {
  const void *data;
  char type; /* 'd' or 'i' */
  int32_t ndim, shape[3];
} hik_view;

/* A definition with every pointer NULL and the cookie planted. */
HIK_API hik_model_def hik_model_def_default(void);
/* Checks the tree and freezes it into one block. On failure *model is NULL and *error names the joint. */
HIK_API hik_status hik_model_create(const hik_model_def *def, hik_model **model, hik_error *error);
/* Frees the model; NULL is allowed. No problem made from it may be used afterwards. */
HIK_API void hik_model_free(hik_model *model);
/* The sizes a caller needs to lay out q, v and the poses of the frames. */
HIK_API hik_sizes hik_model_sizes(const hik_model *model);
/* Looks at one array of the model by its name in fields.def, without copying it. */
HIK_API hik_status hik_model_view(const hik_model *model, const char *field, hik_view *view);
/* Number of fields that hik_model_view knows, and the name of each. */
HIK_API int32_t hik_model_field_count(void);
HIK_API const char *hik_model_field_name(int32_t i);

/* ---- 3. kinematics: batch first, row-major, no allocation ------------ */

/* Bytes of working memory that the functions of this section need in `scratch`. */
HIK_API size_t hik_scratch_size(const hik_model *model);
/* q_out [n][nq] = q [n][nq] moved by v [n][nv]; quaternions stay of unit length. q_out may be q. */
HIK_API void hik_integrate(const hik_model *model, int64_t n, const double *q, const double *v,
                           double *q_out);
/* v [n][nv] such that integrate(q0, v) = q1, the shorter way round for ball joints. */
HIK_API void hik_difference(const hik_model *model, int64_t n, const double *q0, const double *q1, double *v);
/* Clips q [n][nq] into the limits and makes quaternions of unit length, in place. */
HIK_API void hik_clamp(const hik_model *model, int64_t n, double *q);
/* Poses of all frames, out [n][n_frame][4][4] in the world. written: `out` has been written to before, so that more than
   the caches hold goes past them to memory; new pages are cleared into the caches first, and better written there. */
HIK_API void hik_frames(const hik_model *model, int64_t n, const double *q, double *out, bool written,
                        void *scratch);
/* Pose of one frame, out [n][4][4]; only the joints above it are visited. */
HIK_API void hik_frame(const hik_model *model, int32_t frame, int64_t n, const double *q, double *out,
                       void *scratch);
/* Jacobian of one frame, out [n][6][nv]: linear rows above angular, world axes, at the frame's origin. written: as above. */
HIK_API void hik_jacobian(const hik_model *model, int32_t frame, int64_t n, const double *q, double *out,
                          bool written, void *scratch);

/* ---- 4. problem: what must hold -------------------------------------- */

enum { HIK_OWN_FRAMES = 16, HIK_OWN_ROWS = 32 };

/* A term of the caller's own, kind "own": functions of the poses of some frames. They are called on the thread that makes
   the call, one after another: a problem with such a term is solved, and must be measured, on one thread. Asked twice with the
   same numbers they must say the same. */
typedef struct hik_own {
  int32_t n_frame; /* 1 to HIK_OWN_FRAMES */
  int32_t frame[HIK_OWN_FRAMES];
  int32_t width; /* columns of the target row, 0 or more */
  int32_t rows;  /* of the residual, 1 to HIK_OWN_ROWS */
  int32_t
      metric; /* leading rows that are metres, the others are radians; met when the norm of each is in its tolerance */
  /* Residual out [rows], zero when met, from target [width] and poses [n_frame][4][4]. False: there is none, which
     counts as not a number. */
  bool (*residual)(void *context, const double *target, const double *poses, double *out);
  /* Its derivative out [rows][n_frame][6] by the twists of the frames: linear above angular velocity, world axes, at the
     frame's origin. NULL: by central differences, 12 calls of `residual` a frame. */
  bool (*jacobian)(void *context, const double *target, const double *poses, double *out);
  void *context;
} hik_own;

/* Obstacles, and the figure that keeps clear of them. */
typedef struct hik_clear hik_clear;

/* One goal or rule. Numbers that change from target to target are not here: they are columns of the target
   array, width given by the kind. */
typedef struct hik_term {
  int32_t kind;                 /* index into the term table, hik_find(HIK_TERMS, ...) */
  int32_t frame;                /* frame it acts on; -1 for kinds about the whole figure */
  int32_t other;                /* kinds about two frames: the other one, -1 the world; else not read */
  double weight;                /* > 0, scales its residual in the error that solvers lower */
  double position_tolerance;    /* met when the distance is at most this, metres */
  double orientation_tolerance; /* met when the angle is at most this, radians */
  double param[16];             /* the kind's own constants, named in the table */
  /* >= 0; a term never costs those of a lower number anything. Those of one level share by weight */
  int32_t level;
  const double *data; /* [n_data] constants whose number depends on the figure; copied. NULL: none */
  int32_t n_data;
  const hik_own *own; /* of kind "own", else not read. Not copied: it must live as long as the problem */
  hik_clear *clear;   /* likewise, of kind "obstacles" (csrc/term/obstacles.h) */
} hik_term;

/* A term of this kind with weight 1, tolerances 1e-4 and its table's parameters. */
HIK_API hik_term hik_term_default(int32_t kind);
/* Resolves the terms against the model. On failure *problem is NULL and *error names the term. */
HIK_API hik_status hik_problem_create(const hik_model *model, const hik_term *term, int32_t n_term,
                                      hik_problem **problem, hik_error *error);
/* Frees the problem; NULL is allowed. */
HIK_API void hik_problem_free(hik_problem *problem);
/* Numbers in one target row. */
HIK_API int32_t hik_problem_target_width(const hik_problem *problem);
/* Terms of the problem. */
HIK_API int32_t hik_problem_term_count(const hik_problem *problem);
/* Numbers in one residual row. */
HIK_API int32_t hik_problem_residual_width(const hik_problem *problem);
/* Weighted residual [n][rows] of each problem: zero when all terms are met exactly. */
HIK_API void hik_residual(const hik_problem *problem, int64_t n, const double *target, const double *q,
                          double *residual, void *scratch);
/* d residual / d v, [n][rows][nv]. */
HIK_API void hik_residual_jacobian(const hik_problem *problem, int64_t n, const double *target,
                                   const double *q, double *out, void *scratch);
/* The judge, independent of every solver. For each problem: position error (largest distance of a term, metres),
   orientation error (largest angle, radians), error (norm of the residual) and whether all terms are met with q
   inside its limits. Any output may be NULL. */
HIK_API void hik_judge(const hik_problem *problem, int64_t n, const double *target, const double *q,
                       double *error, double *position_error, double *orientation_error, bool *met,
                       void *scratch);

/* What the judge measures of every term by itself: distance and angle [n][n_term] by which it is missed (0 where the kind
   has none) and whether it is met, [n][n_term]; terms that never decide (rest, change) count as met. Any output may be
   NULL. */
HIK_API void hik_measure_terms(const hik_problem *problem, int64_t n, const double *target, const double *q,
                               double *distance, double *angle, bool *met, void *scratch);

/* Metres by which the lengths of the links alone put each term's point out of reach, [n][terms]; 0: not proved. */
HIK_API void hik_floor_terms(const hik_problem *problem, int64_t n, const double *target, double *out);

/* ---- 5. solve -------------------------------------------------------- */

typedef enum hik_table { HIK_JOINTS, HIK_TERMS, HIK_SOLVERS, HIK_OUTCOMES, HIK_METHODS } hik_table;
/* One option of a solver: its value where nothing is said, and which it may have, both ends included. */
typedef struct hik_option {
  const char *name;
  double preset, least, most;
  bool whole; /* a whole number */
} hik_option;
typedef struct hik_entry { /* one row of a table, for Python and the docs */
  const char *name, *summary, *reference;
  int32_t width; /* joints: nq; terms: columns of the target; solvers: default iteration cap */
  int32_t n_param;
  const char *const *param_name; /* terms: [n_param], else NULL */
  const double *param_default;   /* terms: [n_param], else NULL */
  const hik_option *option;      /* solvers: [n_param], else NULL */
  bool own; /* solvers: more than one published method, so that no single attempt of it is published */
} hik_entry;

/* Number of rows of a table. */
HIK_API int32_t hik_count(hik_table table);
/* Row i of a table. */
HIK_API hik_entry hik_row(hik_table table, int32_t i);
/* Index of the row with this name, -1 if there is none. */
HIK_API int32_t hik_find(hik_table table, const char *name);

/* Called now and then on the calling thread with the number of problems done; false: stop. */
typedef bool hik_tick_fn(void *context, int64_t done, int64_t total);

typedef struct hik_options {
  int32_t max_iter;  /* >= 0 */
  int32_t retries;   /* the whole solve again from poses drawn inside the limits, where it did not converge */
  int32_t threads;   /* 0: all cores */
  double ftol;       /* an iteration that lowers the error by less than this share is no progress */
  double time_limit; /* seconds for each problem; infinity: none */
  uint64_t seed;
  double param[16]; /* the solver's own, named in its row */
  uint32_t cookie;
} hik_options;

/* n problems. A zero stride repeats one row for all: one q0, one target. */
typedef struct hik_batch {
  int64_t n;
  const double *target;
  int64_t target_stride; /* in doubles */
  const double *q0;
  int64_t q0_stride;         /* NULL: the model's rest */
  double *q;                 /* [n][nq] */
  int8_t *outcome;           /* [n] */
  int32_t *iterations;       /* [n]            any of the following may be NULL: not wanted */
  int32_t *n_restarts;       /* [n] pushes away from a dead end and new starts that were made */
  int8_t *method;            /* [n] hik_method_used */
  double *error;             /* [n] */
  double *position_error;    /* [n] */
  double *orientation_error; /* [n] */
  /* [n][hik_trace_rows] error by iteration, NaN after the last: of the start whose answer is kept */
  double *trace;
  double *path; /* [n][hik_trace_rows][nq] the pose of each error in `trace`, without which it is not written;
                                nothing is written after the last */
  hik_tick_fn *tick; /* NULL: none */
  void *tick_context;
  /* [n][hik_plan_cloud][nq] postures that a solver carries from one target of a motion to the next: in, those that the
     target before left, where they are finite; out, those for the next. NULL: each target begins anew. */
  double *cloud;
  int64_t cloud_stride; /* in doubles */
} hik_batch;

/* The solver's defaults. */
HIK_API hik_options hik_options_default(int32_t solver);
/* Rows of hik_batch.trace for one problem: max_iter + 1, and more where a problem with levels is solved in stages. Of
   those the second, where the first level is solved alone, is only noted with a path. */
HIK_API int64_t hik_trace_rows(const hik_problem *problem, const hik_options *options);

/* Checks the options against the solver's ranges, asks the solver whether it takes the problem, and works out all that does
   not depend on targets (for an arm about a millisecond). The options are copied; the problem is borrowed, and must outlive
   the plan. What is worked out of the problem alone is shared with `like`, a plan of the same problem whatever its solver and
   options, NULL: none; it may be freed before this one. On failure *plan is NULL and *error says why. */
HIK_API hik_status hik_plan_create(int32_t solver, const hik_problem *problem, const hik_options *options,
                                   const hik_plan *like, hik_plan **plan, hik_error *error);
/* One more owner of the plan, which is returned: each frees it. From any thread. */
HIK_API hik_plan *hik_plan_hold(hik_plan *plan);
/* Gives the plan up; the last owner frees it. NULL is allowed. From any thread. */
HIK_API void hik_plan_free(hik_plan *plan);
/* Postures that its solver carries from target to target (hik_batch.cloud); 0: none. */
HIK_API int32_t hik_plan_cloud(const hik_plan *plan);
/* Solves n problems. Any number of threads may do so by one plan at once. Checks the batch first; on a negative status other
   than HIK_INTERRUPTED nothing is written but *error. After HIK_INTERRUPTED the rows that were not reached have outcome
   HIK_CANCELLED. */
HIK_API hik_status hik_plan_solve(const hik_plan *plan, const hik_batch *batch, hik_error *error);
/* The same by a plan that is made for this call alone. */
HIK_API hik_status hik_solve(int32_t solver, const hik_problem *problem, const hik_options *options,
                             const hik_batch *batch, hik_error *error);

/* ---- 6. dynamics: batch first, no allocation ------------------------- */

/* What acts on a figure besides its own weight and drives. */
typedef struct hik_loads {
  double gravity[3]; /* acceleration of a free fall, world axes; (0, 0, -9.81) by default */
  int32_t n_wrench, n_payload;
  const int32_t
      *wrench_frame;     /* [n_wrench] frame at whose origin the world pushes; on the world: no effect */
  const double *wrench;  /* [n_wrench][6] force, then moment about that origin, world axes */
  int64_t wrench_stride; /* doubles from problem to problem; 0: the same for all */
  const int32_t *payload_frame; /* [n_payload] frame the payload is fixed to */
  const double *payload;        /* [n_payload][10] as hik_model_def.inertial, in the frame's axes */
  bool motor;                   /* rotor inertia and friction of the drives; true by default */
  double coulomb_width; /* > 0: sign(v) becomes v / sqrt(v^2 + width^2), smooth; 0 (default): sign(v) */
  uint32_t cookie;      /* set by hik_loads_default */
} hik_loads;

/* Gravity downwards along z, nothing else. */
HIK_API hik_loads hik_loads_default(void);
/* Checks the loads against the model: frames that exist, finite numbers, masses >= 0. The functions below rely on it:
   call it first. n problems are read when wrench_stride is not 0. */
HIK_API hik_status hik_loads_check(const hik_model *model, const hik_loads *loads, int64_t n,
                                   hik_error *error);
/* HIK_BAD_MODEL where no step has mass, inertia or, with `motor`, a drive, and no payload brings some to what moves: all
   torques without a wrench, and all energies, would be 0. A figure that cannot move has nothing to ask after: HIK_OK. */
HIK_API hik_status hik_loads_check_mass(const hik_model *model, const hik_loads *loads, hik_error *error);
/* Bytes of working memory that the functions below need in `scratch` (any alignment); SIZE_MAX: does not fit. */
HIK_API size_t hik_dynamics_scratch_size(const hik_model *model, const hik_loads *loads);
/* tau [n][nv] that gives the accelerations a at q and v. v NULL: at rest; a NULL: none. */
HIK_API void hik_inverse_dynamics(const hik_model *model, const hik_loads *loads, int64_t n, const double *q,
                                  const double *v, const double *a, double *tau, void *scratch);
/* Mass matrix [n][nv][nv], rotor inertias on its diagonal. */
HIK_API void hik_mass_matrix(const hik_model *model, const hik_loads *loads, int64_t n, const double *q,
                             double *out, void *scratch);
/* Accelerations a [n][nv] under tau (NULL: none). NaN or infinite where a coordinate moves nothing that has mass. */
HIK_API void hik_forward_dynamics(const hik_model *model, const hik_loads *loads, int64_t n, const double *q,
                                  const double *v, const double *tau, double *a, void *scratch);
/* Sums over the bodies, each output may be NULL: centre of mass [n][3] in the world and its Jacobian [n][3][nv],
   momentum [n][6] (linear, then angular about the centre of mass), kinetic energy [n] with the rotors, potential
   energy [n], zero at the world's origin. v NULL: at rest. */
HIK_API void hik_mass_state(const hik_model *model, const hik_loads *loads, int64_t n, const double *q,
                            const double *v, double *center, double *center_jacobian, double *momentum,
                            double *kinetic, double *potential, void *scratch);

/* ---- 7. the rest of the library -------------------------------------- */

/* Version of the library, as in pyproject.toml. */
HIK_API const char *hik_version(void);
/* The instruction set the lane kernels use: "base", "avx2", "avx512" or "neon". */
HIK_API const char *hik_simd(void);
/* Chooses it by name ("auto": the best this processor has, "base": the narrowest); false when it is not available. Not
   while a solve runs. */
HIK_API bool hik_simd_select(const char *name);
typedef void *hik_alloc_fn(void *context, size_t size);
typedef void hik_free_fn(void *context, void *memory, size_t size);
/* Replaces malloc and free; call it before any other function. */
HIK_API void hik_set_allocator(hik_alloc_fn *alloc, hik_free_fn *free_fn, void *context);

#ifdef __cplusplus
}
#endif
