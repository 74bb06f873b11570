/* core.h: what the files of the binding share. Only this folder includes Python.h, and it never computes. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h> /* numpy/arrayobject.h uses FILE */

#define PY_ARRAY_UNIQUE_SYMBOL handik_array_api
#ifndef HIK_CORE_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "handik/handik.h"

enum { CORE_MOST_AXES = 32 }; /* what the oldest supported NumPy takes */

typedef struct core_state {
  PyObject *argument_error, *model_error, *not_found_error, *unsupported_error, *internal_error;
  PyTypeObject *model_type, *problem_type, *plan_type, *analytic_type, *solver_type, *postures_type,
      *grid_type;
  /* What core_bind was handed, all NULL until then; the core imports nothing that stands above it. The class
     Result, the slots of its fields and what sets them, the members of Outcome and of Method: */
  PyTypeObject *result_type;
  PyObject *result_members, *outcomes, *methods;
  descrsetfunc result_set;
  PyObject *q0_name, *keep_name,
      *call_name;          /* "q0", "_keep", "_call": a fresh text would stay in the cache of types */
  PyObject *solve_goal;    /* the long way of Model.solve */
  PyObject *every_posture; /* that of Model.solutions, and the class Solutions */
  PyTypeObject *solutions_type;
} core_state;

typedef struct core_recalled core_recalled; /* see core_fast.c */

/* Guards what an object keeps from call to call; with the GIL that is guard enough. */
#ifdef Py_GIL_DISABLED
typedef PyMutex core_lock;
#define CORE_LOCK(lock)   PyMutex_Lock(&(lock))
#define CORE_UNLOCK(lock) PyMutex_Unlock(&(lock))
#else
typedef char core_lock;
#define CORE_LOCK(lock)   ((void)(lock))
#define CORE_UNLOCK(lock) ((void)(lock))
#endif

typedef struct ModelObject {
  PyObject_HEAD hik_model *model;
  hik_sizes sizes;
  PyObject *frame_index;       /* dict: name -> int */
  int32_t tip;                 /* frame used when none is named, -1: none */
  core_recalled *recalled;     /* the last call of solve, NULL: none */
  PyObject *analytic, *origin; /* what solutions needs for a pose of the tip, NULL: not yet known */
} ModelObject;

/* A term that is a function of Python; see core_own.c. Its place must not change while a problem points to it. */
typedef struct core_own {
  hik_own own;
  PyObject *residual, *jacobian; /* what is called; jacobian NULL: by differences */
  const core_state *state;
  char name[88]; /* of its class, for sentences */
} core_own;

typedef struct ProblemObject {
  PyObject_HEAD hik_problem *problem;
  core_own *own; /* [n_own] */
  Py_ssize_t n_own;
  PyObject *clear;    /* a tuple of what its terms keep clear of; NULL: nothing */
  ModelObject *model; /* kept alive: the problem points into it */
  hik_plan *like;     /* the last plan made, for what the next one shares with it; NULL: none */
  core_lock lock;     /* of `like` */
} ProblemObject;

/* A problem, a solver and its settings: what a Solver keeps, and all that a call needs but its targets. */
typedef struct PlanObject {
  PyObject_HEAD hik_plan *plan;
  ProblemObject *problem; /* kept alive: the plan points into it */
  PyObject *solver;       /* the name of the one that took the problem */
  int64_t trace_rows;
} PlanObject;

/* The signed distance grid of a mesh; see scene/grid.h. */
typedef struct GridObject {
  PyObject_HEAD struct hik_grid *grid;
} GridObject;

/* Drops a reference held by a pointer of any object type; NULL is allowed. */
#define core_drop(object) Py_XDECREF((PyObject *)(object))

/* Whether a model remembers its last call of solve, and of solutions: guarded by the GIL alone. */
#ifdef Py_GIL_DISABLED
enum { CORE_REMEMBER = 0 };
#else
enum { CORE_REMEMBER = 1 };
#endif

/* A batch for core_run_rows. */
typedef struct core_rows {
  npy_intp n;
  npy_intp cost; /* of one row, in small steps of some 15 ns; 1 or more */
  long long threads;
  size_t scratch; /* bytes for each thread, 0: none */
  hik_rows_fn *work;
  void *context;
  bool keep; /* the GIL, and to this thread: `work` calls Python, and may leave an exception */
} core_rows;

/* Does all rows in blocks: on threads, without the GIL, with a look at signals every 20 ms; a short batch in one piece
   under the GIL. False with an exception set: rows whose block nobody had begun are as they were. */
bool core_run_rows(const core_state *state, const core_rows *rows);
/* The wish threads= (NULL, None: 1); false with an exception set. */
bool core_threads(const core_state *state, PyObject *object, long long *threads);

/* Signals, then progress (borrowed; NULL: none). `saved` is what PyEval_SaveThread gave; NULL: the call kept the GIL. */
typedef struct core_tick_context {
  PyThreadState *saved;
  PyObject *progress;
} core_tick_context;
bool core_tick(void *context, int64_t done, int64_t total);

/* A term's own row (name, frames, width, rows, metric, residual, jacobian or None) into a place that is zeros where it is
   false with an exception set, or to be dropped. */
bool core_own_take(const core_state *state, PyObject *row, core_own *own);
void core_own_drop(core_own *own, Py_ssize_t count);

extern PyModuleDef core_module;
extern PyType_Spec core_model_spec, core_problem_spec, core_plan_spec, core_analytic_spec, core_solver_spec,
    core_postures_spec, core_grid_spec;

/* State of the module that defines this type or a base of it (Python subclasses have none of their own). */
core_state *core_state_of_type(PyTypeObject *type);

/* Raises the exception that belongs to a failed status; returns NULL. */
PyObject *core_raise(const core_state *state, const hik_error *error);

/* Sorts a FASTCALL|KEYWORDS call into `count` named slots (NULL where not given); false with TypeError set. The first
   `positional` may be given by place. */
bool core_arguments(const char *function, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                    const char *const *names, int count, int positional, PyObject **slots);

/* A float64 C-contiguous array (new reference) whose last axes are `core[core_count]`; *n gets the product of the
   leading axes. NULL with ArgumentError set. Texts and complex numbers are no real numbers, those under a mask no numbers. */
PyArrayObject *core_array(const core_state *state, PyObject *object, const char *name, const npy_intp *core,
                          int core_count, npy_intp *n);

/* A new array of a NumPy type, of shape: the leading axes of `like` (its last `core_in` dropped), then
   `core[core_count]`. `zeros`: filled, at no cost until it is written; else its numbers are anything. */
PyArrayObject *core_new(const core_state *state, PyArrayObject *like, int core_in, const npy_intp *core,
                        int core_count, int type, bool zeros);

/* A new array, or `out` (checked, new reference) if it is neither NULL nor None, of shape: the leading axes of `like`
   (its last `core_in` dropped) then `core[core_count]`. */
PyArrayObject *core_output(const core_state *state, PyObject *out, PyArrayObject *like, int core_in,
                           const npy_intp *core, int core_count);

/* The same of another type of numbers, double or bool. */
PyArrayObject *core_output_of(const core_state *state, PyObject *out, int type, PyArrayObject *like,
                              int core_in, const npy_intp *core, int core_count);

/* Gives two arrays whose last axis is their own the same leading axes by broadcasting (replaces what *a and *b hold);
   *n gets their product. False with an exception set; *a and *b stay the caller's to drop. */
bool core_broadcast(const core_state *state, PyArrayObject **a, const char *a_name, PyArrayObject **b,
                    const char *b_name, npy_intp *n);

/* Replaces *a by a copy when it shares memory with `out`, which is about to be written; false when that fails. */
bool core_apart(PyArrayObject **a, PyArrayObject *out);

/* Replaces *a (NULL: false) by a copy unless it is nobody else's: what is checked of it, or counted by it, then holds while the
   lock is released, whoever writes to his own array. False when that fails; *a stays the caller's to drop. */
bool core_alone(PyArrayObject **a);

/* An int32 C-contiguous array (new reference) that is nobody else's: its numbers say where something lies, and are looked at
   once. NULL with an exception set. */
PyArrayObject *core_integers(PyObject *object);

/* The UTF-8 text of a name, NULL when it is no text or holds what no name of ours does (a zero, half a surrogate). */
const char *core_name(PyObject *object);

/* int32 in [low, high] from a Python integer; false with an exception that names it. */
bool core_int(const core_state *state, PyObject *object, const char *name, long long low, long long high,
              long long *value);
/* True or False, of Python or of NumPy, 1 or 0; NULL: false. An array is none. False with TypeError set. */
bool core_flag(PyObject *object, const char *name, bool *value);
bool core_double(const core_state *state, PyObject *object, const char *name, double *value);

/* Index of a frame given as None (the tip), a name or an index; -1 with an exception set. */
int32_t core_frame(const core_state *state, ModelObject *self, PyObject *object);

/* check_output(array, shape): the array, checked as by core_output. */
/* Whether something that core_bind is to be handed is there; false with an exception set. */
bool core_bound(const core_state *state, const void *what);
bool core_bind_result(core_state *state, PyObject *type, PyObject *words, PyObject *kinds);
PyObject *core_check_output(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_pose_columns(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_turn_columns(PyObject *module, PyObject *object);
PyObject *core_skin(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_tapes(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_edges_near(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_volume(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_normals(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_evened(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_whole(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_next_to(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_heights_place(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
/* Of core_path.c; handik/scene/plan/ is its only caller. */
PyObject *core_path_search(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_path_tighten(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_path_inside(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_path_kept(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_path_blends(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_path_speed(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* Of core_scene.c; handik/scene/check is their only caller. What a capsule holds is NULL, with an exception set, for any other. */
const struct hik_world *core_world(PyObject *object);
const struct hik_figure *core_figure(PyObject *object);
hik_clear *core_clear_of(PyObject *object);
PyObject *core_scene_clear(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_world(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_figure(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_free(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_distance(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_edges(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_overlaps(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_motions(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_scene_draws(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
/* Of core_access.c; handik/scene/access is their only caller. */
PyObject *core_reach_chain(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_reach_trace(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_solid_distance(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_arm_chain(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_arm_prove(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_hand_prove(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_reach_prove(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
/* Of core_pass.c; handik/scene/access/_passing.py is its only caller. */
PyObject *core_pass_decide(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_drive_find(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_pass_clear(PyObject *module, PyObject *const *args, Py_ssize_t nargs);
/* Method _dynamics of Model; handik/model/dynamics/__init__.py is its only caller. */
PyObject *core_model_dynamics(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames);

/* x y z and quaternion of one 4x4 transform; false when it is none. */
bool core_pose_row(const double *transform, double *columns);
/* Whether a 4x4 transform is a pose, or not finite. */
bool core_is_pose(const double *transform);
/* core_array of transforms "T", (..., 4, 4); NULL with an ArgumentError that says how far the first that is no pose is off. */
PyArrayObject *core_poses(const core_state *state, PyObject *object, npy_intp *n);
/* Index of a solver by its name, -1 with an exception set. */
int32_t core_find_solver(const core_state *state, PyObject *name);
/* Options of a solver from the dict that handik.Solver keeps; false with an exception set. */
bool core_settings(const core_state *state, PyObject *settings, int32_t solver, hik_options *options);
/* hik_plan_solve without the GIL (with it where a term is a function of Python), with Ctrl-C and progress (NULL: none); false with an exception set. */
bool core_run(const core_state *state, const PlanObject *plan, PyObject *progress, hik_batch *batch);
/* A new plan of the solver with this name (None: the first that takes the problem) and the settings of a handik.Solver. */
PlanObject *core_plan_make(const core_state *state, ProblemObject *problem, PyObject *name,
                           PyObject *settings);

/* Method solve of Model, and what it remembers. */
PyObject *core_model_solve(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames);
int core_visit_recalled(const core_recalled *recalled, visitproc visit, void *arg);
void core_drop_recalled(core_recalled *recalled);
/* Of core_subproblem.c; handik/closed/subproblems.py is its only caller. */
PyObject *core_subproblem(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
/* The numbers of a float64 array of this shape, read as they lie; NULL: take the long way. */
const double *core_plain(PyObject *object, int axes, npy_intp rows, npy_intp columns);
/* Method solutions of Model, and how the long way tells it what to remember. */
PyObject *core_model_solutions(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_model_remember_solutions(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                        Py_ssize_t nargs, PyObject *kwnames);
/* Postures of one pose by an Analytic, an array, or NULL, without an exception when the long way must do it. */
PyObject *core_analytic_postures(PyObject *analytic, const double *T, bool *sure);
/* Of core_parallel.c; handik/closed/parallel/__init__.py is their only caller. */
PyObject *core_stewart_lengths(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_stewart_newton(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_stewart_postures(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* Method solve of Plan: arrays in, arrays out. */
PyObject *core_plan_solve(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
extern const char core_plan_solve_doc[];
