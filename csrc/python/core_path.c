/* core_path.c: times along a path; handik/scene/plan/ is the only caller. */
#include "python/core.h"

#include "plan/speed.h"

typedef struct speed_arrays {
  PyArrayObject *length, *push, *pull, *rest, *cap, *out;
} speed_arrays;

static void drop(speed_arrays *a) {
  core_drop(a->length);
  core_drop(a->push);
  core_drop(a->pull);
  core_drop(a->rest);
  core_drop(a->cap);
}

/* The arrays of one path, of the same number of points. */
static bool take(const core_state *state, PyObject **given, speed_arrays *a) {
  npy_intp n;
  if (!(a->length = core_array(state, given[0], "length", NULL, 0, &n))) return false;
  if (!(a->push = core_array(state, given[1], "push", NULL, 0, &n))) return false;
  if (PyArray_NDIM(a->length) != 1 || PyArray_NDIM(a->push) != 2 || PyArray_DIM(a->length, 0) < 1 ||
      PyArray_DIM(a->push, 0) != PyArray_DIM(a->length, 0) || PyArray_DIM(a->push, 1) < 1 ||
      PyArray_DIM(a->push, 1) > INT32_MAX) {
    PyErr_SetString(state->argument_error, "length must have shape (intervals,), push (intervals, rows)");
    return false;
  }
  const npy_intp points = PyArray_DIM(a->length, 0) + 1;
  if (!(a->pull = core_array(state, given[2], "pull", PyArray_DIMS(a->push), 2, &n)) ||
      !(a->rest = core_array(state, given[3], "rest", PyArray_DIMS(a->push), 2, &n)) ||
      !(a->cap = core_array(state, given[4], "cap", &points, 1, &n)))
    return false;
  if (PyArray_NDIM(a->pull) != 2 || PyArray_NDIM(a->rest) != 2 || PyArray_NDIM(a->cap) != 1) {
    PyErr_SetString(state->argument_error, "push, pull, rest and cap are of one path");
    return false;
  }
  return true;
}

/* The pass itself, into out (4, points). */
static bool pass(const core_state *state, const speed_arrays *a) {
  const hik_speed_path path = {PyArray_DIM(a->length, 0) + 1, (int32_t)PyArray_DIM(a->push, 1),
                               PyArray_DATA(a->length),       PyArray_DATA(a->push),
                               PyArray_DATA(a->pull),         PyArray_DATA(a->rest),
                               PyArray_DATA(a->cap)};
  double *x = PyArray_DATA(a->out);
  const hik_speed_found found = {x, x + path.points, x + 2 * path.points, x + 3 * path.points};
  hik_error error;
  hik_status status;
  size_t doubles;
  double *scratch =
      hik_speed_scratch(path.points, path.rows, &doubles) ? hik_allocate_raw(doubles * sizeof(double)) : NULL;
  if (!scratch) {
    PyErr_NoMemory();
    return false;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = hik_speed(&path, scratch, &found, &error);
  Py_END_ALLOW_THREADS;
  hik_release(scratch);
  if (status < 0) core_raise(state, &error);
  return status >= 0;
}

PyObject *core_path_speed(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"length", "push", "pull", "rest", "cap"};
  const core_state *state = PyModule_GetState(module);
  PyObject *given[5];
  speed_arrays a = {0};
  if (!core_arguments("path_speed", args, nargs, kwnames, names, 5, 5, given)) return NULL;
  bool good = take(state, given, &a);
  if (good) {
    npy_intp shape[2] = {4, PyArray_DIM(a.length, 0) + 1};
    a.out = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    good = a.out && pass(state, &a);
  }
  drop(&a);
  if (good) return (PyObject *)a.out;
  core_drop(a.out);
  return NULL;
}
