/* core_solve.c: Plan.solve(): arrays in, arrays out, the GIL released, Ctrl-C and progress by the tick. */

#include "python/core.h"

const char core_plan_solve_doc[] =
    "solve($self, targets, /, *, q0=None, progress=None, trace=False, out=None, cloud=None)\n--\n\n"
    "One batch. targets (..., width); q0 (nq,) or of the same leading axes; cloud (..., Plan.cloud, nq), of "
    "which "
    "rows that are finite are read, and which is written. Returns the tuple (targets as "
    "they were "
    "solved, q, outcome, iterations, n_restarts, error, position_error, orientation_error, method, trace or "
    "None, path "
    "or None).";

/* ---- arguments ---- */

/* Of a call, and those that are settings of a Solver. */
enum { TARGETS_, Q0, PROGRESS, TRACE, OUT, CLOUD, SLOTS };
enum { MAX_ITER, RESTARTS, THREADS, STALL, TIME_LIMIT, SEED, OPTIONS, SETTINGS };

static bool given(PyObject *object) { return object && object != Py_None; }

/* The solver's own options, from a dict. */
static bool take_own(const core_state *state, PyObject *options, int32_t solver, hik_options *o) {
  hik_entry row = hik_row(HIK_SOLVERS, solver);
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(options, &at, &name, &value)) {
    int32_t k = 0;
    while (k < row.n_param &&
           !(PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, row.option[k].name) == 0))
      k++;
    if (k == row.n_param) {
      char known[16 * 24] = "none";
      for (int32_t i = 0, n = 0; i < row.n_param && n < (int32_t)sizeof known; i++)
        n += snprintf(known + n, sizeof known - (size_t)n, "%s%s", i ? ", " : "", row.option[i].name);
      PyErr_Format(state->argument_error, "solver '%s' has no option %R; it has %s", row.name, name, known);
      return false;
    }
    if (!core_double(state, value, row.option[k].name, &o->param[k])) return false;
  }
  return true;
}

static bool take_options(const core_state *state, PyObject **slot, int32_t solver, hik_options *o) {
  long long x;
  *o = hik_options_default(solver);
  if (given(slot[MAX_ITER])) {
    if (!core_int(state, slot[MAX_ITER], "max_iter", 0, 1000000000, &x)) return false;
    o->max_iter = (int32_t)x;
  }
  if (given(slot[RESTARTS])) {
    if (!core_int(state, slot[RESTARTS], "retries", 0, 1000000000, &x)) return false;
    o->retries = (int32_t)x;
  }
  if (given(slot[THREADS])) {
    if (!core_int(state, slot[THREADS], "threads", 0, 1000000, &x)) return false;
    o->threads = (int32_t)x;
  }
  if (given(slot[SEED])) {
    if (!core_int(state, slot[SEED], "seed", 0, INT64_MAX, &x)) return false;
    o->seed = (uint64_t)x;
  }
  if (given(slot[STALL]) && !core_double(state, slot[STALL], "ftol", &o->ftol)) return false;
  if (given(slot[TIME_LIMIT]) && !core_double(state, slot[TIME_LIMIT], "time_limit", &o->time_limit))
    return false;
  return !given(slot[OPTIONS]) || take_own(state, slot[OPTIONS], solver, o);
}

bool core_settings(const core_state *state, PyObject *settings, int32_t solver, hik_options *o) {
  static const char *const names[SETTINGS] = {"max_iter",   "retries", "threads", "ftol",
                                              "time_limit", "seed",    "options"};
  PyObject *slot[SETTINGS], *own = NULL;
  for (int k = 0; k < SETTINGS; k++) slot[k] = PyDict_GetItemString(settings, names[k]);
  if (given(slot[OPTIONS])) { /* a read-only view of a dict */
    own = PyDict_New();
    if (!own || PyDict_Update(own, slot[OPTIONS]) < 0) {
      Py_XDECREF(own);
      return false;
    }
    slot[OPTIONS] = own;
  }
  bool good = take_options(state, slot, solver, o);
  Py_XDECREF(own);
  return good;
}

int32_t core_find_solver(const core_state *state, PyObject *object) {
  if (!object || !PyUnicode_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "solver must be the name of a solver");
    return -1;
  }
  const char *name = core_name(object);
  int32_t solver = name ? hik_find(HIK_SOLVERS, name) : -1;
  if (solver >= 0) return solver;
  PyObject *list = PyList_New(0);
  for (int32_t i = 0; list && i < hik_count(HIK_SOLVERS); i++) {
    PyObject *text = PyUnicode_FromString(hik_row(HIK_SOLVERS, i).name);
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  if (list) PyErr_Format(state->not_found_error, "there is no solver %R; there are %R", object, list);
  Py_XDECREF(list);
  return -1;
}

/* ---- results ---- */

/* numbers of all poses that a trace may keep: 512 MiB */
enum { MOST_TRACED = 1 << 26 };

enum {
  R_Q,
  R_OUTCOME,
  R_ITERATIONS,
  R_REMEDIES,
  R_ERROR,
  R_POSITION,
  R_ORIENTATION,
  R_METHOD,
  R_TRACE,
  R_PATH,
  RESULTS
};

/* A trace of n problems fits: nothing is asked of the memory that a person did not mean. */
static bool trace_fits(const core_state *state, npy_intp n, int64_t rows, npy_intp nq) {
  double numbers = (double)n * (double)rows * ((double)nq + 1);
  if (numbers <= MOST_TRACED) return true;
  char text[256];
  snprintf(text, sizeof text,
           "trace=True keeps the pose of every iteration: %lld problems of up to %lld iterations and %lld "
           "coordinates "
           "are %.2g numbers, more than %.2g; solve fewer at once, or lower max_iter",
           (long long)n, (long long)rows - 1, (long long)nq, numbers, (double)MOST_TRACED);
  PyErr_SetString(state->argument_error, text);
  return false;
}

static bool make_results(const core_state *state, PyArrayObject *targets, npy_intp n, PyObject **slot,
                         npy_intp nq, int64_t rows, PyArrayObject **r) {
  static const int types[RESULTS] = {NPY_DOUBLE, NPY_INT8,   NPY_INT32, NPY_INT32,  NPY_DOUBLE,
                                     NPY_DOUBLE, NPY_DOUBLE, NPY_INT8,  NPY_DOUBLE, NPY_DOUBLE};
  const npy_intp core[2] = {(npy_intp)rows, nq};
  bool want_trace;
  if (!core_flag(slot[TRACE], "trace", &want_trace) || (want_trace && !trace_fits(state, n, rows, nq)))
    return false;
  r[R_Q] = core_output(state, slot[OUT], targets, 1, &nq, 1);
  for (int k = R_OUTCOME; k < RESULTS; k++) {
    if (!r[k - 1]) return false;
    if (k == R_TRACE && !want_trace) break;
    r[k] = core_new(state, targets, 1, core, k == R_PATH ? 2 : k == R_TRACE ? 1 : 0, types[k], true);
    if (!r[k]) return false;
  }
  return true;
}

static hik_batch batch_of(npy_intp n, npy_intp width, npy_intp nq, PyArrayObject *targets, PyArrayObject *q0,
                          bool many_q0, PyArrayObject **r) {
  hik_batch b = {.n = n, .target = PyArray_DATA(targets), .target_stride = width};
  b.q0 = q0 ? PyArray_DATA(q0) : NULL;
  b.q0_stride = many_q0 ? nq : 0;
  b.q = PyArray_DATA(r[R_Q]), b.outcome = PyArray_DATA(r[R_OUTCOME]);
  b.iterations = PyArray_DATA(r[R_ITERATIONS]), b.n_restarts = PyArray_DATA(r[R_REMEDIES]);
  b.error = PyArray_DATA(r[R_ERROR]), b.position_error = PyArray_DATA(r[R_POSITION]);
  b.orientation_error = PyArray_DATA(r[R_ORIENTATION]);
  b.method = PyArray_DATA(r[R_METHOD]);
  b.trace = r[R_TRACE] ? PyArray_DATA(r[R_TRACE]) : NULL;
  b.path = r[R_PATH] ? PyArray_DATA(r[R_PATH]) : NULL;
  return b;
}

/* q0: none, one row for all, or one row a target. */
static bool take_q0(const core_state *state, PyObject *object, PyArrayObject *targets, npy_intp nq,
                    PyArrayObject **q0, bool *many) {
  npy_intp m;
  *q0 = NULL, *many = false;
  if (!given(object)) return true;
  *q0 = core_array(state, object, "q0", &nq, 1, &m);
  if (!*q0) return false;
  if (PyArray_NDIM(*q0) == 1) return true;
  bool same = PyArray_NDIM(*q0) == PyArray_NDIM(targets);
  for (int k = 0; same && k < PyArray_NDIM(targets) - 1; k++)
    same = PyArray_DIM(*q0, k) == PyArray_DIM(targets, k);
  if (!same)
    PyErr_SetString(state->argument_error, "q0 must be one row, or have the leading axes of the targets");
  *many = true;
  return same;
}

/* The postures that are carried, read and written in place. */
static bool take_cloud(const core_state *state, PyObject *object, const PlanObject *plan, npy_intp n,
                       npy_intp nq, hik_batch *batch) {
  npy_intp each = hik_plan_cloud(plan->plan) * nq;
  if (!given(object)) return true;
  PyArrayObject *cloud = (PyArrayObject *)object;
  if (!each || !PyArray_Check(object) || PyArray_TYPE(cloud) != NPY_DOUBLE || !PyArray_ISCARRAY(cloud) ||
      PyArray_SIZE(cloud) / each != n || PyArray_SIZE(cloud) % each) {
    PyErr_Format(state->argument_error,
                 "cloud must be a C-contiguous array of floats (..., %d, %d), for a solver that has one",
                 (int)hik_plan_cloud(plan->plan), (int)nq);
    return false;
  }
  batch->cloud = PyArray_DATA(cloud);
  batch->cloud_stride = each;
  return true;
}

bool core_run(const core_state *state, const PlanObject *plan, PyObject *progress, hik_batch *batch) {
  hik_error error = {HIK_OK, -1, ""};
  core_tick_context context = {NULL, given(progress) ? progress : NULL};
  batch->tick = core_tick;
  batch->tick_context = &context;
  bool keep = plan->problem->n_own > 0;
  if (!keep) context.saved = PyEval_SaveThread();
  hik_status status = hik_plan_solve(plan->plan, batch, &error);
  if (!keep) PyEval_RestoreThread(context.saved);
  if (status) core_raise(state, &error);
  return !PyErr_Occurred();
}

/* The targets as an array that nobody else can write to while they are solved; it goes into the Result. */
static PyArrayObject *take_targets(const core_state *state, PyObject *object, npy_intp width, npy_intp *n) {
  PyArrayObject *targets = core_array(state, object, "targets", &width, 1, n);
  if (core_alone(&targets)) return targets;
  core_drop(targets);
  return NULL;
}

PyObject *core_plan_solve(PyObject *object, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames) {
  static const char *const names[SLOTS] = {"targets", "q0", "progress", "trace", "out", "cloud"};
  const core_state *state = PyType_GetModuleState(defining);
  PlanObject *plan = (PlanObject *)object;
  PyObject *slot[SLOTS], *result = NULL;
  if (!core_arguments("solve", args, nargs, kwnames, names, SLOTS, 1, slot)) return NULL;
  npy_intp n, width = hik_problem_target_width(plan->problem->problem), nq = plan->problem->model->sizes.nq;
  if (given(slot[PROGRESS]) && !PyCallable_Check(slot[PROGRESS])) {
    PyErr_SetString(PyExc_TypeError, "progress must be callable as progress(done, total)");
    return NULL;
  }
  PyArrayObject *targets = take_targets(state, slot[TARGETS_], width, &n), *q0 = NULL, *r[RESULTS] = {NULL};
  bool many_q0;
  if (targets && take_q0(state, slot[Q0], targets, nq, &q0, &many_q0) &&
      make_results(state, targets, n, slot, nq, plan->trace_rows, r) && (!q0 || core_apart(&q0, r[R_Q]))) {
    hik_batch batch = batch_of(n, width, nq, targets, q0, many_q0, r);
    if (take_cloud(state, slot[CLOUD], plan, n, nq, &batch) && core_run(state, plan, slot[PROGRESS], &batch))
      result = PyTuple_Pack(1 + RESULTS, targets, r[R_Q], r[R_OUTCOME], r[R_ITERATIONS], r[R_REMEDIES],
                            r[R_ERROR], r[R_POSITION], r[R_ORIENTATION], r[R_METHOD],
                            r[R_TRACE] ? (PyObject *)r[R_TRACE] : Py_None,
                            r[R_PATH] ? (PyObject *)r[R_PATH] : Py_None);
  }
  for (int k = 0; k < RESULTS; k++) core_drop(r[k]);
  core_drop(q0);
  core_drop(targets);
  return result;
}
