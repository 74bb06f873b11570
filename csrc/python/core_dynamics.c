/* core_dynamics.c: the dynamics of type Model. handik/model/dynamics/__init__.py gives the arrays their shapes and its names; here
   they are checked once more, so that no call from Python can read outside them. */
#include "python/core.h"

enum { INVERSE, MASS_MATRIX, FORWARD, CENTER, CENTER_JACOBIAN, MOMENTUM, KINETIC, POTENTIAL, KINDS };

typedef struct arrays {
  PyArrayObject *q, *v, *x, *wrench_frame, *wrench, *payload_frame, *payload, *gravity;
} arrays;

static void drop(arrays *a) {
  core_drop(a->q);
  core_drop(a->v);
  core_drop(a->x);
  core_drop(a->wrench_frame);
  core_drop(a->wrench);
  core_drop(a->payload_frame);
  core_drop(a->payload);
  core_drop(a->gravity);
}

static PyArrayObject *frames_of(const core_state *state, PyObject *object, int32_t *count) {
  PyArrayObject *a = core_integers(object);
  if (!a) return NULL;
  if (PyArray_NDIM(a) != 1 || PyArray_SIZE(a) > 1 << 20) {
    PyErr_SetString(state->argument_error, "frames of loads must be one list, of at most a million");
    Py_DECREF(a);
    return NULL;
  }
  *count = (int32_t)PyArray_SIZE(a);
  return a;
}

/* (gravity, drives, coulomb width, wrench frames, wrenches, payload frames, payloads); wrenches are [k][6] or
   [n][k][6]. */
static bool take_loads(const core_state *state, ModelObject *self, PyObject *tuple, npy_intp n, arrays *a,
                       hik_loads *loads) {
  PyObject *gravity, *wrench_frame, *wrench, *payload_frame, *payload;
  int drives;
  double width;
  if (!PyArg_ParseTuple(tuple, "OpdOOOO", &gravity, &drives, &width, &wrench_frame, &wrench, &payload_frame,
                        &payload))
    return false;
  *loads = hik_loads_default();
  loads->motor = drives;
  loads->coulomb_width = width;
  npy_intp rows, three = 3;
  if (!(a->gravity = core_array(state, gravity, "gravity", &three, 1, &rows))) return false;
  if (rows != 1) {
    PyErr_SetString(state->argument_error, "gravity must have shape (3,)");
    return false;
  }
  for (int i = 0; i < 3; i++) loads->gravity[i] = ((const double *)PyArray_DATA(a->gravity))[i];
  if (!(a->wrench_frame = frames_of(state, wrench_frame, &loads->n_wrench))) return false;
  if (!(a->payload_frame = frames_of(state, payload_frame, &loads->n_payload))) return false;
  npy_intp six[2] = {loads->n_wrench, 6}, ten[2] = {loads->n_payload, 10};
  if (!(a->wrench = core_array(state, wrench, "wrenches", six, 2, &rows))) return false;
  if (PyArray_NDIM(a->wrench) > 3 || (PyArray_NDIM(a->wrench) == 3 && rows != n)) {
    PyErr_SetString(state->argument_error, "wrenches must be one row for all problems or one row for each");
    return false;
  }
  loads->wrench_stride = PyArray_NDIM(a->wrench) == 3 ? 6 * (int64_t)loads->n_wrench : 0;
  if (!(a->payload = core_array(state, payload, "payload", ten, 2, &rows))) return false;
  if (PyArray_NDIM(a->payload) != 2) {
    PyErr_SetString(state->argument_error, "payload must have shape (k, 10)");
    return false;
  }
  loads->wrench_frame = PyArray_DATA(a->wrench_frame), loads->wrench = PyArray_DATA(a->wrench);
  loads->payload_frame = PyArray_DATA(a->payload_frame), loads->payload = PyArray_DATA(a->payload);
  hik_error error = {HIK_OK, -1, ""};
  if (hik_loads_check(self->model, loads, n, &error)) return core_raise(state, &error), false;
  return true;
}

/* (n, width) or None; false with the exception set. */
static bool take_rows(const core_state *state, PyObject *object, const char *name, npy_intp width, npy_intp n,
                      PyArrayObject **out) {
  npy_intp rows;
  if (!object || object == Py_None) return true;
  if (!(*out = core_array(state, object, name, &width, 1, &rows))) return false;
  if (rows == n) return true;
  PyErr_Format(state->argument_error, "%s has %zd rows, q has %zd", name, (Py_ssize_t)rows, (Py_ssize_t)n);
  return false;
}

#define DATA(array) ((array) ? PyArray_DATA((PyArrayObject *)(array)) : NULL)

typedef struct job {
  const hik_model *model;
  const hik_loads *loads;
  long long kind;
  npy_intp nq, nv, width;
  const double *q, *v, *x;
  double *out;
} job;

static void dynamics_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_loads loads = *j->loads;
  loads.wrench += first * loads.wrench_stride;
  const double *q = j->q + first * j->nq, *v = j->v ? j->v + first * j->nv : NULL;
  const double *x = j->x ? j->x + first * j->nv : NULL;
  double *out = j->out + first * j->width;
  if (j->kind == INVERSE)
    hik_inverse_dynamics(j->model, &loads, n, q, v, x, out, scratch);
  else if (j->kind == MASS_MATRIX)
    hik_mass_matrix(j->model, &loads, n, q, out, scratch);
  else if (j->kind == FORWARD)
    hik_forward_dynamics(j->model, &loads, n, q, v, x, out, scratch);
  else
    hik_mass_state(j->model, &loads, n, q, v, j->kind == CENTER ? out : NULL,
                   j->kind == CENTER_JACOBIAN ? out : NULL, j->kind == MOMENTUM ? out : NULL,
                   j->kind == KINETIC ? out : NULL, j->kind == POTENTIAL ? out : NULL, scratch);
}

/* The answer's shape after the leading axes of q; how many axes. */
static int shape_of(long long kind, npy_intp nv, npy_intp *core) {
  core[0] = nv, core[1] = nv;
  if (kind == CENTER || kind == CENTER_JACOBIAN) core[0] = 3;
  if (kind == MOMENTUM) core[0] = 6;
  return kind == MASS_MATRIX || kind == CENTER_JACOBIAN ? 2 : kind == KINETIC || kind == POTENTIAL ? 0 : 1;
}

/* Zeros that look like an answer are none: false, with an exception set, where nothing has mass that the kind asks after.
   Wrenches have torques all the same; of FORWARD and the rest handik/dynamics asks more. */
static bool has_mass(const core_state *state, const ModelObject *self, long long kind,
                     const hik_loads *loads) {
  hik_error error = {HIK_OK, -1, ""};
  bool asked =
      kind == MASS_MATRIX || kind == KINETIC || kind == POTENTIAL || (kind == INVERSE && !loads->n_wrench);
  if (!asked || !hik_loads_check_mass(self->model, loads, &error)) return true;
  core_raise(state, &error);
  return false;
}

/* `given` NULL or None: a new array. */
static PyObject *run_kind(const core_state *state, ModelObject *self, long long kind, const hik_loads *loads,
                          npy_intp n, arrays *a, PyObject *given, long long threads, size_t size) {
  npy_intp core[2], nv = self->sizes.nv, width = 1;
  int axes = shape_of(kind, nv, core);
  PyArrayObject *out = core_output(state, given, a->q, 1, core, axes);
  if (!out) return NULL;
  if (!has_mass(state, self, kind, loads) || !core_apart(&a->q, out) || (a->v && !core_apart(&a->v, out)) ||
      (a->x && !core_apart(&a->x, out)) || !core_apart(&a->wrench, out)) {
    Py_DECREF(out);
    return NULL;
  }
  hik_loads apart = *loads;
  apart.wrench = PyArray_DATA(a->wrench);
  for (int k = 0; k < axes; k++) width *= core[k];
  job j = {self->model, &apart,     kind,       self->sizes.nq, nv,
           width,       DATA(a->q), DATA(a->v), DATA(a->x),     DATA(out)};
  const core_rows rows = {.n = n,
                          .cost = 8 * (npy_intp)(self->sizes.n_step + 1),
                          .threads = threads,
                          .scratch = size,
                          .work = dynamics_rows,
                          .context = &j};
  if (!core_run_rows(state, &rows)) {
    Py_DECREF(out);
    return NULL;
  }
  return (PyObject *)out;
}

PyObject *core_model_dynamics(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"kind", "q", "v", "x", "loads", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[7];
  if (!core_arguments("_dynamics", args, nargs, kwnames, names, 7, 5, slot)) return NULL;
  long long kind, threads;
  if (!core_int(state, slot[0], "kind", 0, KINDS - 1, &kind) || !core_threads(state, slot[6], &threads))
    return NULL;
  arrays a = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  hik_loads loads;
  npy_intp n, nq = self->sizes.nq, nv = self->sizes.nv;
  PyObject *out = NULL;
  a.q = core_array(state, slot[1], "q", &nq, 1, &n);
  if (a.q && take_rows(state, slot[2], "v", nv, n, &a.v) && take_rows(state, slot[3], "x", nv, n, &a.x) &&
      PyTuple_Check(slot[4]) && take_loads(state, self, slot[4], n, &a, &loads)) {
    size_t size = hik_dynamics_scratch_size(self->model, &loads);
    out = size < SIZE_MAX ? run_kind(state, self, kind, &loads, n, &a, slot[5], threads, size)
                          : PyErr_NoMemory();
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "loads must be a tuple");
  }
  drop(&a);
  return out;
}
