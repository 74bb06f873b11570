/* core_dynamics.c: the dynamics of type Model. handik/dynamics.py gives the arrays their shapes and its names; here
   they are checked once more, so that no call from Python can read outside them. */
#include "python/core.h"

#include "base/memory.h"

enum { INVERSE, MASS_MATRIX, FORWARD, STATE, SUMS, KINDS }; /* STATE: SUMS with the Jacobian */

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
  if (!PyArg_ParseTuple(tuple, "OpdOOOO", &gravity, &drives, &width, &wrench_frame, &wrench, &payload_frame, &payload))
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

static PyObject *run_state(ModelObject *self, bool jacobian, const hik_loads *loads, npy_intp n, const arrays *a,
                           void *scratch) {
  npy_intp nv = jacobian ? self->sizes.nv : 0;
  PyObject *out[5] = {new_array(2, n, 3, 0), new_array(3, n, 3, nv), new_array(2, n, 6, 0), new_array(1, n, 0, 0),
                      new_array(1, n, 0, 0)};
  PyObject *tuple = NULL;
  if (out[0] && out[1] && out[2] && out[3] && out[4]) {
    const double *q = DATA(a->q), *v = DATA(a->v);
    double *to[5];
    for (int i = 0; i < 5; i++) to[i] = DATA(out[i]);
    Py_BEGIN_ALLOW_THREADS
    hik_mass_state(self->model, loads, n, q, v, to[0], jacobian ? to[1] : NULL, to[2], to[3], to[4], scratch);
    Py_END_ALLOW_THREADS
    tuple = PyTuple_Pack(5, out[0], out[1], out[2], out[3], out[4]);
  }
  for (int i = 0; i < 5; i++) Py_XDECREF(out[i]);
  return tuple;
}

static PyObject *run_kind(ModelObject *self, long long kind, const hik_loads *loads, npy_intp n, const arrays *a,
                          void *scratch) {
  if (kind >= STATE) return run_state(self, kind == STATE, loads, n, a, scratch);
  npy_intp nv = self->sizes.nv;
  PyObject *out = kind == MASS_MATRIX ? new_array(3, n, nv, nv) : new_array(2, n, nv, 0);
  if (!out) return NULL;
  const double *q = DATA(a->q), *v = DATA(a->v), *x = DATA(a->x);
  double *to = DATA(out);
  Py_BEGIN_ALLOW_THREADS
  if (kind == INVERSE) hik_inverse_dynamics(self->model, loads, n, q, v, x, to, scratch);
  if (kind == MASS_MATRIX) hik_mass_matrix(self->model, loads, n, q, to, scratch);
  if (kind == FORWARD) hik_forward_dynamics(self->model, loads, n, q, v, x, to, scratch);
  Py_END_ALLOW_THREADS
  return out;
}

PyObject *core_model_dynamics(PyObject *object, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames) {
  static const char *const names[] = {"kind", "q", "v", "x", "loads"};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[5];
  if (!core_arguments("_dynamics", args, nargs, kwnames, names, 5, 5, slot)) return NULL;
  long long kind;
  if (!core_int(state, slot[0], "kind", 0, KINDS - 1, &kind)) return NULL;
  arrays a = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  hik_loads loads;
  npy_intp n, nq = self->sizes.nq, nv = self->sizes.nv;
  PyObject *out = NULL;
  a.q = core_array(state, slot[1], "q", &nq, 1, &n);
  if (a.q && take_rows(state, slot[2], "v", nv, n, &a.v) && take_rows(state, slot[3], "x", nv, n, &a.x) &&
      PyTuple_Check(slot[4]) && take_loads(state, self, slot[4], n, &a, &loads)) {
    size_t size = hik_dynamics_scratch_size(self->model, &loads);
    void *scratch = size < SIZE_MAX ? hik_allocate(size) : NULL;
    out = scratch ? run_kind(self, kind, &loads, n, &a, scratch) : PyErr_NoMemory();
    hik_release(scratch);
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_TypeError, "loads must be a tuple");
  }
  drop(&a);
  return out;
}
