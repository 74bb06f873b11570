/* core_path.c: times along a path; handik/scene/plan/ is the only caller. */
#include "python/core.h"

#include "plan/speed.h"

typedef struct speed_arrays {
  PyArrayObject *s, *first, *second, *velocity, *acceleration, *cap, *out;
} speed_arrays;

static void drop(speed_arrays *a) {
  core_drop(a->s);
  core_drop(a->first);
  core_drop(a->second);
  core_drop(a->velocity);
  core_drop(a->acceleration);
  core_drop(a->cap);
}

/* The arrays of one path, of the same number of points and coordinates. */
static bool take(const core_state *state, PyObject **given, speed_arrays *a) {
  npy_intp n;
  if (!(a->s = core_array(state, given[0], "s", NULL, 0, &n))) return false;
  if (!(a->velocity = core_array(state, given[3], "velocity", NULL, 0, &n))) return false;
  if (PyArray_NDIM(a->s) != 1 || PyArray_NDIM(a->velocity) != 1 || PyArray_DIM(a->velocity, 0) < 1 ||
      PyArray_DIM(a->velocity, 0) > INT32_MAX) {
    PyErr_SetString(state->argument_error, "s must have shape (points,), velocity (nv,)");
    return false;
  }
  const npy_intp shape[2] = {PyArray_DIM(a->s, 0), PyArray_DIM(a->velocity, 0)};
  if (!(a->first = core_array(state, given[1], "first", shape, 2, &n)) ||
      !(a->second = core_array(state, given[2], "second", shape, 2, &n)) ||
      !(a->acceleration = core_array(state, given[4], "acceleration", shape + 1, 1, &n)) ||
      !(a->cap = core_array(state, given[5], "cap", shape, 1, &n)))
    return false;
  if (PyArray_NDIM(a->first) != 2 || PyArray_NDIM(a->second) != 2 || PyArray_NDIM(a->acceleration) != 1 ||
      PyArray_NDIM(a->cap) != 1) {
    PyErr_SetString(state->argument_error, "first, second, acceleration and cap are of one path");
    return false;
  }
  return true;
}

PyObject *core_path_speed(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"s", "first", "second", "velocity", "acceleration", "cap"};
  const core_state *state = PyModule_GetState(module);
  PyObject *given[6];
  speed_arrays a = {0};
  hik_error error;
  size_t doubles = 0;
  if (!core_arguments("path_speed", args, nargs, kwnames, names, 6, 6, given)) return NULL;
  bool good = take(state, given, &a);
  if (good) a.out = core_new(state, a.s, 0, NULL, 0, NPY_DOUBLE, false);
  double *scratch = NULL;
  if (a.out) {
    const hik_speed_path path = {PyArray_DIM(a.s, 0),
                                 (int32_t)PyArray_DIM(a.velocity, 0),
                                 PyArray_DATA(a.s),
                                 PyArray_DATA(a.first),
                                 PyArray_DATA(a.second),
                                 PyArray_DATA(a.velocity),
                                 PyArray_DATA(a.acceleration),
                                 PyArray_DATA(a.cap)};
    if (hik_speed_scratch(path.points, path.nv, &doubles))
      scratch = hik_allocate_raw(doubles * sizeof(double));
    if (!scratch) {
      PyErr_NoMemory();
      good = false;
    } else {
      hik_status status;
      Py_BEGIN_ALLOW_THREADS;
      status = hik_speed(&path, scratch, PyArray_DATA(a.out), &error);
      Py_END_ALLOW_THREADS;
      hik_release(scratch);
      good = status >= 0;
      if (!good) core_raise(state, &error);
    }
  }
  drop(&a);
  if (good && a.out) return (PyObject *)a.out;
  core_drop(a.out);
  return NULL;
}
