/* core_pass.c: ways of an outline among walls. handik/scene/access is its only caller. */
#include "python/core.h"
/* after Python.h, which wants to be first */
#include <string.h>

#include "access/pass.h"
#include "base/memory.h"

static PyObject *rows_of(const hik_passed *found) {
  npy_intp shape[2] = {(npy_intp)found->steps, 6};
  PyArrayObject *step = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_INT32);
  if (!step) return NULL;
  if (found->steps) memcpy(PyArray_DATA(step), found->step, (size_t)found->steps * 6 * sizeof *found->step);
  return Py_BuildValue("iLN", (int)found->outcome, (long long)found->boxes, step);
}

/* pass_decide(corner (n, 2), wall (m, 4), place (3, 4): low and high, start, goal; least, most) -> outcome, boxes, steps */
PyObject *core_pass_decide(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp two = 2, four = 4;
  npy_intp n[3];
  long long most;
  hik_pass room = {0};
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_pass_decide takes 5 arguments");
  if (!core_double(state, args[3], "least", &room.least) ||
      !core_int(state, args[4], "most", 8, 1 << 28, &most))
    return NULL;
  PyArrayObject *corner = core_array(state, args[0], "corner", &two, 1, n), *wall = NULL, *place = NULL;
  PyObject *out = NULL;
  if (corner && (wall = core_array(state, args[1], "wall", &four, 1, n + 1)) &&
      (place = core_array(state, args[2], "place", &four, 1, n + 2))) {
    if (n[2] != 3) {
      PyErr_SetString(state->argument_error, "place must have 3 rows");
    } else {
      const double *at = PyArray_DATA(place);
      room.corner = PyArray_DATA(corner), room.wall = PyArray_DATA(wall);
      room.corners = n[0], room.walls = n[1], room.most = most;
      memcpy(room.low, at, sizeof room.low), memcpy(room.high, at + 2, sizeof room.high);
      memcpy(room.start, at + 4, sizeof room.start), memcpy(room.goal, at + 8, sizeof room.goal);
      hik_passed found;
      hik_error error = {HIK_OK, -1, ""};
      PyThreadState *saved = PyEval_SaveThread();
      hik_status status = hik_pass_decide(&room, &found, &error);
      PyEval_RestoreThread(saved);
      out = status < 0 ? core_raise(state, &error) : rows_of(&found);
      hik_release(found.step);
    }
  }
  core_drop(corner);
  core_drop(wall);
  core_drop(place);
  return out;
}
