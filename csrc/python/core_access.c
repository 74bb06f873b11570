/* core_access.c: chains compiled for proofs of reach, as capsules of Python, and batches of proofs. handik/scene/access is their
   only caller. */
#include "python/core.h"
/* after Python.h, which wants to be first */
#include "access/arm.h"
#include "access/hand.h"
#include "access/reach.h"

static const char CHAIN[] = "handik.reach";

static void drop_chain(PyObject *capsule) {
  hik_reach_free(PyCapsule_GetPointer(capsule, CHAIN));
  Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

/* reach_chain(model, frame, whole) */
PyObject *core_reach_chain(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  hik_reach *chain;
  hik_error error;
  bool whole;
  if (nargs != 3 || !PyObject_TypeCheck(args[0], state->model_type))
    return PyErr_Format(PyExc_TypeError, "_reach_chain takes a model, a frame and a flag");
  ModelObject *model = (ModelObject *)args[0];
  int32_t frame = core_frame(state, model, args[1]);
  if (frame < 0 || !core_flag(args[2], "whole", &whole)) return NULL;
  hik_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = hik_reach_create(model->model, frame, whole ? HIK_REACH_WHOLE : HIK_REACH_NESTED, &chain, &error);
  Py_END_ALLOW_THREADS;
  if (status < 0) return core_raise(state, &error);
  PyObject *out = PyCapsule_New(chain, CHAIN, drop_chain);
  if (out)
    PyCapsule_SetContext(out, Py_NewRef(args[0])); /* the chain points into it */
  else
    hik_reach_free(chain);
  return out;
}

typedef struct job {
  const hik_reach *chain;
  const double *target, *normal, *far;
  double *nearest, *q;
  int32_t *outcome;
  int64_t *cells;
  int64_t budget;
} job;

static void prove_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  int64_t nq = hik_model_sizes(j->chain->model).nq;
  for (int64_t i = first; i < first + n; i++) {
    hik_reach_proof p = hik_reach_prove(j->chain, j->target + 3 * i, j->normal + 3 * i, j->far[i], j->budget,
                                        scratch, j->q + nq * i);
    j->outcome[i] = p.outcome, j->cells[i] = p.cells, j->nearest[i] = p.nearest;
  }
}

/* A copy of q that may be written. */
static PyArrayObject *copy_of(PyArrayObject *q) {
  return q ? (PyArrayObject *)PyArray_NewCopy(q, NPY_CORDER) : NULL;
}

/* reach_prove(chain, target (n, 3), normal (n, 3), far (n), q (n, nq), budget, threads) -> outcome, cells, nearest, q */
PyObject *core_reach_prove(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp three = 3;
  job j = {0};
  long long threads, budget;
  core_rows rows = {.work = prove_rows, .context = &j, .cost = 100000};
  npy_intp n[4] = {0};
  if (nargs != 7) return PyErr_Format(PyExc_TypeError, "_reach_prove takes 7 arguments");
  if (!(j.chain = PyCapsule_GetPointer(args[0], CHAIN)) ||
      !core_int(state, args[5], "budget", 1, INT64_MAX, &budget) || !core_threads(state, args[6], &threads))
    return NULL;
  npy_intp nq = hik_model_sizes(j.chain->model).nq;
  PyArrayObject *target = core_array(state, args[1], "target", &three, 1, n), *normal = NULL, *far = NULL,
                *q = NULL, *at = NULL, *outcome = NULL, *cells = NULL, *nearest = NULL;
  bool good = target && (normal = core_array(state, args[2], "normal", &three, 1, n + 1)) &&
              (far = core_array(state, args[3], "far", NULL, 0, n + 2)) &&
              (q = core_array(state, args[4], "q", &nq, 1, n + 3));
  if (good && (n[1] != n[0] || n[2] != n[0] || n[3] != n[0])) {
    PyErr_SetString(state->argument_error, "target, normal, far and q must have as many rows");
    good = false;
  }
  if (good && (rows.scratch = hik_reach_scratch(j.chain)) == SIZE_MAX) PyErr_NoMemory(), good = false;
  good = good && (at = copy_of(q)) && (outcome = core_new(state, target, 1, NULL, 0, NPY_INT32, true)) &&
         (cells = core_new(state, target, 1, NULL, 0, NPY_INT64, true)) &&
         (nearest = core_new(state, target, 1, NULL, 0, NPY_DOUBLE, true));
  if (good) {
    j.target = PyArray_DATA(target), j.normal = PyArray_DATA(normal), j.far = PyArray_DATA(far),
    j.q = PyArray_DATA(at);
    j.outcome = PyArray_DATA(outcome), j.cells = PyArray_DATA(cells), j.nearest = PyArray_DATA(nearest);
    j.budget = budget, rows.n = n[0], rows.threads = threads;
    good = core_run_rows(state, &rows);
  }
  core_drop(target), core_drop(normal), core_drop(far), core_drop(q);
  if (good) return Py_BuildValue("(NNNN)", outcome, cells, nearest, at);
  core_drop(outcome), core_drop(cells), core_drop(nearest), core_drop(at);
  return NULL;
}

/* reach_trace(chain, target (3), normal (3), far, budget) -> outcome, how, normals */
PyObject *core_reach_trace(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp three = 3;
  const hik_reach *chain;
  long long budget;
  double far;
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_reach_trace takes 5 arguments");
  if (!(chain = PyCapsule_GetPointer(args[0], CHAIN)) ||
      !core_int(state, args[4], "budget", 1, 10000000, &budget))
    return NULL;
  far = PyFloat_AsDouble(args[3]);
  if (PyErr_Occurred()) return NULL;
  npy_intp rows = 1;
  PyArrayObject *target = core_array(state, args[1], "target", &three, 1, &rows),
                *normal = target ? core_array(state, args[2], "normal", &three, 1, &rows) : NULL;
  size_t size = hik_reach_scratch(chain);
  void *scratch = normal && size != SIZE_MAX ? PyMem_Malloc(size) : NULL;
  hik_reach_trace trace = {.room = budget};
  if (scratch) {
    trace.how = PyMem_Malloc((size_t)budget);
    trace.normal = PyMem_Malloc((size_t)budget * 3 * sizeof(double));
  }
  PyObject *out = NULL;
  if (trace.how && trace.normal) {
    hik_reach_proof p;
    hik_deal deal;
    core_tick_context context = {NULL, NULL};
    hik_deal_begin(&deal, 1, 1, core_tick, &context);
    trace.deal = &deal;
    context.saved = PyEval_SaveThread();
    p = hik_reach_prove_traced(chain, PyArray_DATA(target), PyArray_DATA(normal), far, budget, scratch, NULL,
                               &trace);
    PyEval_RestoreThread(context.saved);
    npy_intp n[2] = {(npy_intp)trace.n, 3};
    PyObject *how = NULL, *normals = NULL;
    if (!atomic_load(&deal.stop))
      how = PyArray_SimpleNew(1, n, NPY_INT8), normals = PyArray_SimpleNew(2, n, NPY_DOUBLE);
    if (how && normals) {
      memcpy(PyArray_DATA((PyArrayObject *)how), trace.how, (size_t)trace.n);
      memcpy(PyArray_DATA((PyArrayObject *)normals), trace.normal, (size_t)trace.n * 3 * sizeof(double));
      out = Py_BuildValue("(iNN)", (int)p.outcome, how, normals);
    } else {
      Py_XDECREF(how), Py_XDECREF(normals);
    }
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  PyMem_Free(trace.normal), PyMem_Free(trace.how), PyMem_Free(scratch);
  core_drop(target), core_drop(normal);
  return out;
}

typedef struct hand_job {
  hik_hand hand;
  const double *target;
  double tolerance, *turn;
  int32_t *outcome;
  int64_t *cells, *used;
  int64_t budget;
} hand_job;

static void hand_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const hand_job *j = context;
  int64_t obstacles = hik_world_count(j->hand.world);
  for (int64_t i = first; i < first + n; i++) {
    hik_hand_proof p = hik_hand_prove(&j->hand, j->target + 3 * i, j->tolerance, j->budget, scratch,
                                      j->used + obstacles * i);
    j->outcome[i] = p.outcome, j->cells[i] = p.cells;
    memcpy(j->turn + 9 * i, p.turn, sizeof p.turn);
  }
}

/* hand_prove(world, give (obstacles), ball (balls, 4), target (n, 3), tolerance, budget) -> outcome, cells, turn, used */
PyObject *core_hand_prove(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp three = 3, four = 4, square[2] = {3, 3};
  hand_job j = {.tolerance = 0};
  long long budget;
  core_rows rows = {.work = hand_rows, .context = &j, .cost = 10000};
  if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_hand_prove takes 6 arguments");
  if (!(j.hand.world = core_world(args[0])) || !core_double(state, args[4], "tolerance", &j.tolerance) ||
      !core_int(state, args[5], "budget", 1, INT64_MAX, &budget))
    return NULL;
  npy_intp n = hik_world_count(j.hand.world), one, balls, count;
  PyArrayObject *give = core_array(state, args[1], "give", &n, 1, &one), *ball = NULL, *target = NULL,
                *outcome = NULL, *cells = NULL, *turn = NULL, *used = NULL;
  bool good = give && (ball = core_array(state, args[2], "ball", &four, 1, &balls)) &&
              (target = core_array(state, args[3], "target", &three, 1, &count));
  if (good && (one != 1 || balls > 1000000)) {
    PyErr_SetString(state->argument_error, "give is one row, and a hand has at most 1000000 balls");
    good = false;
  }
  good = good && (outcome = core_new(state, target, 1, NULL, 0, NPY_INT32, true)) &&
         (cells = core_new(state, target, 1, NULL, 0, NPY_INT64, true)) &&
         (turn = core_new(state, target, 1, square, 2, NPY_DOUBLE, true)) &&
         (used = core_new(state, target, 1, &n, 1, NPY_INT64, true));
  if (good) {
    j.hand.give = PyArray_DATA(give), j.hand.ball = PyArray_DATA(ball), j.hand.balls = (int32_t)balls;
    j.target = PyArray_DATA(target), j.turn = PyArray_DATA(turn), j.outcome = PyArray_DATA(outcome);
    j.cells = PyArray_DATA(cells), j.used = PyArray_DATA(used), j.budget = budget;
    rows.n = count, rows.scratch = sizeof(int32_t) * (size_t)(n + 1), rows.threads = 1;
    good = core_run_rows(state, &rows);
  }
  core_drop(give), core_drop(ball), core_drop(target);
  if (good) return Py_BuildValue("(NNNN)", outcome, cells, turn, used);
  core_drop(outcome), core_drop(cells), core_drop(turn), core_drop(used);
  return NULL;
}

/* solid_distance(world, point (n, 3)) -> (n, obstacles) */
PyObject *core_solid_distance(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp three = 3;
  const hik_world *world;
  npy_intp rows;
  if (nargs != 2) return PyErr_Format(PyExc_TypeError, "_solid_distance takes a world and points");
  if (!(world = core_world(args[0]))) return NULL;
  npy_intp n = hik_world_count(world);
  PyArrayObject *point = core_array(state, args[1], "point", &three, 1, &rows),
                *out = point ? core_new(state, point, 1, &n, 1, NPY_DOUBLE, true) : NULL;
  for (npy_intp i = 0; out && i < rows; i++)
    for (npy_intp k = 0; k < n; k++)
      ((double *)PyArray_DATA(out))[n * i + k] =
          hik_solid_distance(world, (int32_t)k, (const double *)PyArray_DATA(point) + 3 * i);
  core_drop(point);
  return (PyObject *)out;
}

static const char ARM[] = "handik.arm";
typedef struct arm_capsule {
  hik_arm *arm;
  hik_reach *chain;
} arm_capsule;

static void drop_arm(PyObject *capsule) {
  arm_capsule *own = PyCapsule_GetPointer(capsule, ARM);
  if (own) hik_arm_free(own->arm), hik_reach_free(own->chain);
  PyMem_Free(own);
  Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

/* arm_chain(model, frame, figure) -> capsule */
PyObject *core_arm_chain(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const hik_figure *figure;
  hik_error error;
  if (nargs != 3 || !PyObject_TypeCheck(args[0], state->model_type))
    return PyErr_Format(PyExc_TypeError, "_arm_chain takes a model, a frame and a figure");
  const hik_model *model = ((ModelObject *)args[0])->model;
  int32_t frame = core_frame(state, (ModelObject *)args[0], args[1]);
  if (frame < 0 || !(figure = core_figure(args[2]))) return NULL;
  arm_capsule *own = PyMem_Calloc(1, sizeof *own);
  if (!own) return PyErr_NoMemory();
  PyObject *both = NULL, *out = NULL;
  hik_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = hik_reach_create(model, frame, HIK_REACH_ARM, &own->chain, &error);
  if (status >= 0) status = hik_arm_create(own->chain, figure, &own->arm, &error);
  Py_END_ALLOW_THREADS;
  if (status < 0)
    core_raise(state, &error);
  else if ((both = PyTuple_Pack(2, args[0], args[2])))
    out = PyCapsule_New(own, ARM, drop_arm);
  if (out && PyCapsule_SetContext(out, both) == 0) return out;
  if (!out) hik_arm_free(own->arm), hik_reach_free(own->chain), PyMem_Free(own);
  Py_XDECREF(out), Py_XDECREF(both);
  return NULL;
}

typedef struct arm_job {
  const hik_arm *arm;
  const hik_world *world;
  const double *give, *target;
  double tolerance, *place;
  int32_t *outcome;
  int64_t *cells, *used, budget;
} arm_job;

static void arm_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const arm_job *j = context;
  int64_t obstacles = hik_world_count(j->world);
  for (int64_t i = first; i < first + n; i++) {
    hik_arm_proof p = hik_arm_prove(j->arm, j->world, j->give, j->target + 3 * i, j->tolerance, j->budget,
                                    scratch, j->used + obstacles * i);
    j->outcome[i] = p.outcome, j->cells[i] = p.cells;
    memcpy(j->place + 6 * i, p.wrist, sizeof p.wrist);
    memcpy(j->place + 6 * i + 3, p.elbow, sizeof p.elbow);
  }
}

/* arm_prove(arm, world, give (obstacles), target (n, 3), tolerance, budget) -> outcome, cells, (n, 2, 3), used */
PyObject *core_arm_prove(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp three = 3, two[2] = {2, 3};
  arm_job j = {.tolerance = 0};
  long long budget;
  core_rows rows = {.work = arm_rows, .context = &j, .cost = 100000};
  if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_arm_prove takes 6 arguments");
  const arm_capsule *own = PyCapsule_GetPointer(args[0], ARM);
  if (!own || !(j.world = core_world(args[1])) || !core_double(state, args[4], "tolerance", &j.tolerance) ||
      !core_int(state, args[5], "budget", 1, INT64_MAX, &budget))
    return NULL;
  npy_intp n = hik_world_count(j.world), one, count;
  PyArrayObject *give = core_array(state, args[2], "give", &n, 1, &one), *target = NULL, *outcome = NULL,
                *cells = NULL, *place = NULL, *used = NULL;
  bool good = give && (target = core_array(state, args[3], "target", &three, 1, &count));
  if (good && one != 1) PyErr_SetString(state->argument_error, "give is one row"), good = false;
  good = good && (outcome = core_new(state, target, 1, NULL, 0, NPY_INT32, true)) &&
         (cells = core_new(state, target, 1, NULL, 0, NPY_INT64, true)) &&
         (place = core_new(state, target, 1, two, 2, NPY_DOUBLE, true)) &&
         (used = core_new(state, target, 1, &n, 1, NPY_INT64, true));
  if (good) {
    j.arm = own->arm, j.give = PyArray_DATA(give), j.target = PyArray_DATA(target), j.budget = budget;
    j.outcome = PyArray_DATA(outcome), j.cells = PyArray_DATA(cells), j.place = PyArray_DATA(place),
    j.used = PyArray_DATA(used);
    rows.n = count, rows.scratch = sizeof(int32_t) * (size_t)(n + 1), rows.threads = 1;
    good = core_run_rows(state, &rows);
  }
  core_drop(give), core_drop(target);
  if (good) return Py_BuildValue("(NNNN)", outcome, cells, place, used);
  core_drop(outcome), core_drop(cells), core_drop(place), core_drop(used);
  return NULL;
}
