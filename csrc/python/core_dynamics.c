/* core_dynamics.c: the dynamics of type Model. handik/dynamics/__init__.py gives the arrays their shapes and its names; here
   they are checked once more, so that no call from Python can read outside them. */
#include "python/core.h"

#include <stdatomic.h>

#include "base/memory.h"
#include "base/parallel.h"

enum { INVERSE, MASS_MATRIX, FORWARD, STATE, SUMS, KINDS }; /* STATE: SUMS with the Jacobian */
enum { BLOCK = 256, MOST_THREADS = 256 };                   /* postures that a thread takes at a time */

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
  PyArrayObject *a = (PyArrayObject *)PyArray_FROM_OTF(object, NPY_INT32, NPY_ARRAY_IN_ARRAY);
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

static PyObject *new_array(int axes, npy_intp a, npy_intp b, npy_intp c) {
  npy_intp dims[3] = {a, b, c};
  return PyArray_SimpleNew(axes, dims, NPY_DOUBLE);
}

#define DATA(array) ((array) ? PyArray_DATA((PyArrayObject *)(array)) : NULL)

static PyObject *run_state(ModelObject *self, bool jacobian, const hik_loads *loads, npy_intp n,
                           const arrays *a, void *scratch) {
  npy_intp nv = jacobian ? self->sizes.nv : 0;
  PyObject *out[5] = {new_array(2, n, 3, 0), new_array(3, n, 3, nv), new_array(2, n, 6, 0),
                      new_array(1, n, 0, 0), new_array(1, n, 0, 0)};
  PyObject *tuple = NULL;
  if (out[0] && out[1] && out[2] && out[3] && out[4]) {
    const double *q = DATA(a->q), *v = DATA(a->v);
    double *to[5];
    for (int i = 0; i < 5; i++) to[i] = DATA(out[i]);
    Py_BEGIN_ALLOW_THREADS hik_mass_state(self->model, loads, n, q, v, to[0], jacobian ? to[1] : NULL, to[2],
                                          to[3], to[4], scratch);
    Py_END_ALLOW_THREADS tuple = PyTuple_Pack(5, out[0], out[1], out[2], out[3], out[4]);
  }
  for (int i = 0; i < 5; i++) Py_XDECREF(out[i]);
  return tuple;
}

/* A batch, dealt out in blocks to threads; each has working memory of its own. */
typedef struct job {
  const hik_model *model;
  const hik_loads *loads;
  long long kind;
  int64_t n, nq, nv, width;
  const double *q, *v, *x;
  double *out;
  char *scratch;
  size_t stride;
  atomic_llong next;
} job;

static void run_blocks(void *context, int32_t worker) {
  job *j = context;
  void *scratch = j->scratch + (size_t)worker * j->stride;
  for (;;) {
    int64_t first = atomic_fetch_add_explicit(&j->next, BLOCK, memory_order_relaxed);
    if (first >= j->n) return;
    int64_t n = j->n - first < BLOCK ? j->n - first : BLOCK;
    hik_loads loads = *j->loads;
    loads.wrench += first * loads.wrench_stride;
    const double *q = j->q + first * j->nq, *v = j->v ? j->v + first * j->nv : NULL;
    const double *x = j->x ? j->x + first * j->nv : NULL;
    double *out = j->out + first * j->width;
    if (j->kind == INVERSE) hik_inverse_dynamics(j->model, &loads, n, q, v, x, out, scratch);
    if (j->kind == MASS_MATRIX) hik_mass_matrix(j->model, &loads, n, q, out, scratch);
    if (j->kind == FORWARD) hik_forward_dynamics(j->model, &loads, n, q, v, x, out, scratch);
  }
}

/* `given` NULL or None: a new array. */
static PyObject *run_kind(const core_state *state, ModelObject *self, long long kind, const hik_loads *loads,
                          npy_intp n, arrays *a, PyObject *given, long long threads, size_t size) {
  npy_intp nv = self->sizes.nv, shape[2] = {nv, nv};
  PyArrayObject *out = core_output(state, given, a->q, 1, shape, kind == MASS_MATRIX ? 2 : 1);
  if (!out) return NULL;
  if (!core_apart(&a->q, out) || (a->v && !core_apart(&a->v, out)) || (a->x && !core_apart(&a->x, out)) ||
      !core_apart(&a->wrench, out)) {
    Py_DECREF(out);
    return NULL;
  }
  hik_loads apart = *loads;
  apart.wrench = PyArray_DATA(a->wrench);
  int64_t blocks = (n + BLOCK - 1) / BLOCK, most = threads ? threads : hik_core_count();
  most = most > blocks ? blocks : most;
  most = most < 1 ? 1 : most;
  job j = {self->model,
           &apart,
           kind,
           n,
           self->sizes.nq,
           nv,
           kind == MASS_MATRIX ? nv * nv : nv,
           DATA(a->q),
           DATA(a->v),
           DATA(a->x),
           DATA(out),
           NULL,
           size,
           0};
  atomic_init(&j.next, 0);
  size_t whole;
  if (hik_mul(size, (size_t)most, &whole)) j.scratch = hik_allocate(whole);
  if (!j.scratch) {
    Py_DECREF(out);
    return PyErr_NoMemory();
  }
  Py_BEGIN_ALLOW_THREADS hik_fork_join((int32_t)most, run_blocks, NULL, &j);
  Py_END_ALLOW_THREADS hik_release(j.scratch);
  return (PyObject *)out;
}

PyObject *core_model_dynamics(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"kind", "q", "v", "x", "loads", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[7];
  if (!core_arguments("_dynamics", args, nargs, kwnames, names, 7, 5, slot)) return NULL;
  long long kind, threads = 1;
  if (!core_int(state, slot[0], "kind", 0, KINDS - 1, &kind)) return NULL;
  if (slot[6] && !core_int(state, slot[6], "threads", 0, MOST_THREADS, &threads)) return NULL;
  arrays a = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  hik_loads loads;
  npy_intp n, nq = self->sizes.nq, nv = self->sizes.nv;
  PyObject *out = NULL;
  a.q = core_array(state, slot[1], "q", &nq, 1, &n);
  if (a.q && take_rows(state, slot[2], "v", nv, n, &a.v) && take_rows(state, slot[3], "x", nv, n, &a.x) &&
      PyTuple_Check(slot[4]) && take_loads(state, self, slot[4], n, &a, &loads)) {
    size_t size = hik_dynamics_scratch_size(self->model, &loads);
    if (size < SIZE_MAX && kind < STATE) {
      out = run_kind(state, self, kind, &loads, n, &a, slot[5], threads, size);
    } else {
      void *scratch = size < SIZE_MAX ? hik_allocate(size) : NULL;
      out = scratch ? run_state(self, kind == STATE, &loads, n, &a, scratch) : PyErr_NoMemory();
      hik_release(scratch);
    }
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "loads must be a tuple");
  }
  drop(&a);
  return out;
}
