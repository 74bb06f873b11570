/* core_parallel.c: functions of parallel mechanisms; handik/closed/parallel/__init__.py is their only caller. */
#include "python/core.h"

#include "analytic/stewart.h"

/* Base and platform points (6, 3) into *s; false with an exception set. */
static bool take_platform(const core_state *state, PyObject *base, PyObject *platform, hik_stewart *s) {
  npy_intp n, shape[2] = {6, 3};
  PyArrayObject *a = core_array(state, base, "base", shape, 2, &n);
  PyArrayObject *b = a ? core_array(state, platform, "platform", shape, 2, &n) : NULL;
  bool good = b && PyArray_NDIM(a) == 2 && PyArray_NDIM(b) == 2;
  if (b && !good) PyErr_SetString(state->argument_error, "base and platform must have shape (6, 3)");
  if (good) {
    memcpy(s->base, PyArray_DATA(a), sizeof s->base);
    memcpy(s->platform, PyArray_DATA(b), sizeof s->platform);
  }
  core_drop(a);
  core_drop(b);
  return good;
}

static void take_pose(const double *t, hik_pose *pose) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) pose->r[3 * i + j] = t[4 * i + j];
    pose->t[i] = t[4 * i + 3];
  }
}

/* ---- batches ---- */

/* bytes for a hik_stewart_found, so that what follows is aligned */
enum { FOUND_SIZE = (sizeof(hik_stewart_found) + 63) / 64 * 64 };

typedef struct job {
  const hik_stewart *stewart;
  int32_t most;               /* steps of Newton */
  const double *from, *given; /* poses; lengths */
  double *to[4];              /* arrays of the answer, in its order */
  int32_t *count;
  npy_bool *flag;
} job;

static void lengths_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  for (int64_t k = first; k < first + n; k++) {
    hik_pose pose;
    take_pose(j->from + 16 * k, &pose);
    hik_stewart_lengths(j->stewart, &pose, j->to[0] + 6 * k, j->to[1] + 36 * k);
    j->to[2][k] = hik_stewart_singularity(j->stewart, &pose);
  }
}

static void newton_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  for (int64_t k = first; k < first + n; k++) {
    hik_pose pose;
    take_pose(j->from + 16 * k, &pose);
    hik_stewart_step step = hik_stewart_newton(j->stewart, j->given + 6 * k, j->most, &pose);
    hik_pose_to_mat4(&pose, j->to[0] + 16 * k);
    j->flag[k] = step.converged, j->count[k] = step.iterations;
    j->to[1][k] = step.residual, j->to[2][k] = step.singularity;
  }
}

/* Row k of the outputs from one answer; dependent equations are four times -1. */
static void put(const hik_stewart_found *found, bool ok, npy_intp k, double *T, int32_t *counts,
                npy_bool *paired, double *trace, double *residual) {
  int32_t *c = counts + 6 * k;
  for (int p = 0; p < HIK_STUDY_POINTS; p++) {
    double *to = T + 16 * (HIK_STUDY_POINTS * k + p);
    if (p < found->count)
      hik_pose_to_mat4(&found->pose[p], to);
    else
      for (int i = 0; i < 16; i++) to[i] = NAN;
  }
  c[0] = found->count, c[1] = ok ? found->finite : -1, c[2] = ok ? found->infinite : -1;
  c[3] = ok ? found->failed : -1, c[4] = found->runs, c[5] = ok && found->complete;
  paired[k] = found->paired, trace[k] = found->trace, residual[k] = found->residual;
}

static void postures_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_stewart_found *found = scratch;
  hik_stewart_work *work = (hik_stewart_work *)((char *)scratch + FOUND_SIZE);
  for (int64_t k = first; k < first + n; k++) {
    bool ok = hik_stewart_postures(j->stewart, j->given + 6 * k, work, found);
    put(found, ok, (npy_intp)k, j->to[0], j->count, j->flag, j->to[1], j->to[2]);
  }
}

PyObject *core_stewart_lengths(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"base", "platform", "T", "threads"};
  const core_state *state = PyModule_GetState(module);
  PyObject *slot[4], *result = NULL;
  hik_stewart s;
  if (!core_arguments("stewart_lengths", args, nargs, kwnames, names, 4, 3, slot) ||
      !take_platform(state, slot[0], slot[1], &s))
    return NULL;
  npy_intp n, four[2] = {4, 4}, six[2] = {6, 6};
  PyArrayObject *T = core_array(state, slot[2], "T", four, 2, &n);
  PyArrayObject *lengths = T ? core_new(state, T, 2, six, 1, NPY_DOUBLE, false) : NULL;
  PyArrayObject *jacobian = lengths ? core_new(state, T, 2, six, 2, NPY_DOUBLE, false) : NULL;
  PyArrayObject *distance = jacobian ? core_new(state, T, 2, NULL, 0, NPY_DOUBLE, false) : NULL;
  if (distance) {
    job j = {.stewart = &s,
             .from = PyArray_DATA(T),
             .to = {PyArray_DATA(lengths), PyArray_DATA(jacobian), PyArray_DATA(distance)}};
    core_rows rows = {.n = n, .cost = 256, .work = lengths_rows, .context = &j};
    if (core_threads(state, slot[3], &rows.threads) && core_run_rows(state, &rows))
      result = PyTuple_Pack(3, lengths, jacobian, distance);
  }
  core_drop(T);
  core_drop(lengths);
  core_drop(jacobian);
  core_drop(distance);
  return result;
}

PyObject *core_stewart_newton(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"base", "platform", "lengths", "T", "most", "threads"};
  const core_state *state = PyModule_GetState(module);
  PyObject *slot[6], *result = NULL;
  hik_stewart s;
  long long most;
  if (!core_arguments("stewart_newton", args, nargs, kwnames, names, 6, 5, slot) ||
      !core_int(state, slot[4], "iterations", 0, 10000, &most) || !take_platform(state, slot[0], slot[1], &s))
    return NULL;
  npy_intp n, m, six = 6, four[2] = {4, 4};
  PyArrayObject *lengths = core_array(state, slot[2], "lengths", &six, 1, &n), *out[5] = {NULL};
  PyArrayObject *guess = lengths ? core_array(state, slot[3], "guess", four, 2, &m) : NULL;
  static const int types[5] = {NPY_DOUBLE, NPY_BOOL, NPY_INT32, NPY_DOUBLE, NPY_DOUBLE};
  bool good = guess != NULL;
  if (good && m != n) {
    PyErr_SetString(state->argument_error, "lengths and guess must have the same leading axes");
    good = false;
  }
  for (int k = 0; good && k < 5; k++) {
    out[k] = core_new(state, lengths, 1, four, k == 0 ? 2 : 0, types[k], false);
    good = out[k] != NULL;
  }
  if (good) {
    job j = {.stewart = &s,
             .most = (int32_t)most,
             .from = PyArray_DATA(guess),
             .given = PyArray_DATA(lengths),
             .to = {PyArray_DATA(out[0]), PyArray_DATA(out[3]), PyArray_DATA(out[4])},
             .count = PyArray_DATA(out[2]),
             .flag = PyArray_DATA(out[1])};
    core_rows rows = {.n = n, .cost = 1024, .work = newton_rows, .context = &j};
    if (core_threads(state, slot[5], &rows.threads) && core_run_rows(state, &rows))
      result = PyTuple_Pack(5, out[0], out[1], out[2], out[3], out[4]);
  }
  core_drop(lengths);
  core_drop(guess);
  for (int k = 0; k < 5; k++) core_drop(out[k]);
  return result;
}

PyObject *core_stewart_postures(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *kwnames) {
  static const char *const names[] = {"base", "platform", "lengths", "threads"};
  const core_state *state = PyModule_GetState(module);
  PyObject *slot[4], *result = NULL;
  hik_stewart s;
  if (!core_arguments("stewart_postures", args, nargs, kwnames, names, 4, 3, slot) ||
      !take_platform(state, slot[0], slot[1], &s))
    return NULL;
  npy_intp n, six = 6, rows[3] = {HIK_STUDY_POINTS, 4, 4}, numbers = 6;
  PyArrayObject *lengths = core_array(state, slot[2], "lengths", &six, 1, &n);
  PyArrayObject *T = lengths ? core_new(state, lengths, 1, rows, 3, NPY_DOUBLE, false) : NULL;
  PyArrayObject *counts = T ? core_new(state, lengths, 1, &numbers, 1, NPY_INT32, false) : NULL;
  PyArrayObject *paired = counts ? core_new(state, lengths, 1, NULL, 0, NPY_BOOL, false) : NULL;
  PyArrayObject *trace = paired ? core_new(state, lengths, 1, NULL, 0, NPY_DOUBLE, false) : NULL;
  PyArrayObject *residual = trace ? core_new(state, lengths, 1, NULL, 0, NPY_DOUBLE, false) : NULL;
  if (residual) {
    job j = {.stewart = &s,
             .given = PyArray_DATA(lengths),
             .to = {PyArray_DATA(T), PyArray_DATA(trace), PyArray_DATA(residual)},
             .count = PyArray_DATA(counts),
             .flag = PyArray_DATA(paired)};
    core_rows rows = {.n = n,
                      .cost = 1 << 20,
                      .scratch = FOUND_SIZE + hik_stewart_work_size(),
                      .work = postures_rows,
                      .context = &j};
    if (core_threads(state, slot[3], &rows.threads) && core_run_rows(state, &rows))
      result = PyTuple_Pack(5, T, counts, paired, trace, residual);
  }
  core_drop(lengths);
  core_drop(T);
  core_drop(counts);
  core_drop(paired);
  core_drop(trace);
  core_drop(residual);
  return result;
}
