/* core_pass.c: ways of an outline among walls. handik/scene/access is its only caller. */
#include "python/core.h"
/* after Python.h, which wants to be first */
#include <string.h>

#include "access/pass.h"
#include "base/memory.h"

static PyObject *rows_of(const hik_passed *found) {
  npy_intp shape[2] = {(npy_intp)found->steps, 7};
  PyArrayObject *step = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_INT32);
  if (!step) return NULL;
  if (found->steps) memcpy(PyArray_DATA(step), found->step, (size_t)found->steps * 7 * sizeof *found->step);
  npy_intp poses[2] = {(npy_intp)found->poses, 3};
  PyArrayObject *pose = (PyArrayObject *)PyArray_SimpleNew(2, poses, NPY_DOUBLE);
  if (!pose) {
    Py_DECREF(step);
    return NULL;
  }
  if (found->poses) memcpy(PyArray_DATA(pose), found->pose, (size_t)found->poses * 3 * sizeof *found->pose);
  return Py_BuildValue("iLNN", (int)found->outcome, (long long)found->boxes, step, pose);
}

/* Run without the lock, with a look at Ctrl-C. */
static PyObject *decide(const core_state *state, hik_pass *room) {
  hik_passed found;
  hik_error error = {HIK_OK, -1, ""};
  core_tick_context context = {NULL, NULL};
  room->tick = core_tick, room->tick_context = &context;
  context.saved = PyEval_SaveThread();
  hik_status status = hik_pass_decide(room, &found, &error);
  PyEval_RestoreThread(context.saved);
  PyObject *out = status < 0 ? core_raise(state, &error) : rows_of(&found);
  hik_release(found.step);
  hik_release(found.pose);
  return out;
}

typedef struct arrays {
  PyArrayObject *leaf, *grip, *shoulder, *field;
} arrays;

static void drop(arrays *a) {
  core_drop(a->leaf);
  core_drop(a->grip);
  core_drop(a->shoulder);
  core_drop(a->field);
}

/* door: (leaf (stages, leaves, 9), grip (stages, grips, 10), shoulder (hands, 2), field (hands, 2, rows, columns), x, y, step,
   closer, shut) */
static bool door_of(const core_state *state, PyObject *given, hik_door *door, arrays *a) {
  static const npy_intp nine = 9, ten = 10, two = 2;
  PyObject *part[4];
  int closer, shut;
  if (!PyTuple_Check(given)) {
    PyErr_SetString(PyExc_TypeError, "door must be a tuple");
    return false;
  }
  if (!PyArg_ParseTuple(given, "OOOOdddpp", part, part + 1, part + 2, part + 3, door->corner,
                        door->corner + 1, &door->step, &closer, &shut))
    return false;
  npy_intp n;
  if (!(a->leaf = core_array(state, part[0], "leaf", &nine, 1, &n)) ||
      !(a->grip = core_array(state, part[1], "grip", &ten, 1, &n)) ||
      !(a->shoulder = core_array(state, part[2], "shoulder", &two, 1, &n)))
    return false;
  a->field = (PyArrayObject *)PyArray_FROMANY(part[3], NPY_DOUBLE, 4, 4, NPY_ARRAY_CARRAY_RO);
  if (!a->field) return false;
  const npy_intp *f = PyArray_DIMS(a->field);
  if (PyArray_NDIM(a->leaf) != 3 || PyArray_NDIM(a->grip) != 3 || PyArray_NDIM(a->shoulder) != 2 ||
      PyArray_DIM(a->leaf, 0) != PyArray_DIM(a->grip, 0) || f[0] != PyArray_DIM(a->shoulder, 0) ||
      f[1] != 2 || !(door->step > 0)) {
    PyErr_SetString(state->argument_error, "the parts of a door have shapes that do not go together");
    return false;
  }
  door->leaf = PyArray_DATA(a->leaf), door->grip = PyArray_DATA(a->grip);
  door->shoulder = PyArray_DATA(a->shoulder), door->field = PyArray_DATA(a->field);
  door->stages = PyArray_DIM(a->leaf, 0), door->leaves = PyArray_DIM(a->leaf, 1);
  door->grips = PyArray_DIM(a->grip, 1), door->hands = f[0];
  door->rows = f[2], door->columns = f[3], door->closer = closer != 0, door->shut = shut != 0;
  return true;
}

/* pass_decide(corner (n, 2), wall (m, 4), place (3, 4): low and high, start, goal; least, most[, door]) -> outcome, boxes, steps,
   poses */
PyObject *core_pass_decide(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp two = 2, four = 4;
  npy_intp n[3];
  long long most;
  hik_pass room = {0};
  hik_door door = {0};
  arrays parts = {0};
  if (nargs != 5 && nargs != 6) return PyErr_Format(PyExc_TypeError, "_pass_decide takes 5 or 6 arguments");
  if (!core_double(state, args[3], "least", &room.least) ||
      !core_int(state, args[4], "most", 8, 1 << 28, &most))
    return NULL;
  PyArrayObject *corner = core_array(state, args[0], "corner", &two, 1, n), *wall = NULL, *place = NULL;
  PyObject *out = NULL;
  if (corner && (wall = core_array(state, args[1], "wall", &four, 1, n + 1)) &&
      (place = core_array(state, args[2], "place", &four, 1, n + 2)) &&
      (nargs == 5 || door_of(state, args[5], &door, &parts))) {
    if (n[2] != 3) {
      PyErr_SetString(state->argument_error, "place must have 3 rows");
    } else {
      const double *at = PyArray_DATA(place);
      room.corner = PyArray_DATA(corner), room.wall = PyArray_DATA(wall);
      room.corners = n[0], room.walls = n[1], room.most = most;
      room.door = nargs == 6 ? &door : NULL;
      memcpy(room.low, at, sizeof room.low), memcpy(room.high, at + 2, sizeof room.high);
      memcpy(room.start, at + 4, sizeof room.start), memcpy(room.goal, at + 8, sizeof room.goal);
      out = decide(state, &room);
    }
  }
  core_drop(corner);
  core_drop(wall);
  core_drop(place);
  drop(&parts);
  return out;
}

static PyObject *clear_of(const core_state *state, const PyArrayObject *of[4], const npy_intp n[4][2]) {
  npy_intp count = n[3][0];
  PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(1, &count, NPY_BOOL);
  if (!out) return NULL;
  hik_error error = {HIK_OK, -1, ""};
  core_tick_context context = {NULL, NULL};
  hik_deal deal;
  hik_deal_begin(&deal, 1, 1, core_tick, &context);
  context.saved = PyEval_SaveThread();
  hik_status status =
      hik_pass_clear(PyArray_DATA((PyArrayObject *)of[0]), n[0][0], PyArray_DATA((PyArrayObject *)of[1]),
                     n[1][0], PyArray_DATA((PyArrayObject *)of[2]), n[2][0],
                     PyArray_DATA((PyArrayObject *)of[3]), count, PyArray_DATA(out), &deal, &error);
  PyEval_RestoreThread(context.saved);
  if (status >= 0) return (PyObject *)out;
  Py_DECREF(out);
  return core_raise(state, &error);
}

/* pass_clear(corner (n, 2), wall (m, 4), leaf (k, 9), pose (p, 6)) -> clear (p,) */
PyObject *core_pass_clear(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  static const npy_intp width[4] = {2, 4, 9, 6};
  static const char *const name[4] = {"corner", "wall", "leaf", "pose"};
  const core_state *state = PyModule_GetState(module);
  PyArrayObject *of[4] = {NULL};
  npy_intp n[4][2] = {{0}};
  PyObject *out = NULL;
  if (nargs != 4) return PyErr_Format(PyExc_TypeError, "_pass_clear takes 4 arguments");
  int k = 0;
  while (k < 4 && (of[k] = core_array(state, args[k], name[k], width + k, 1, n[k]))) k++;
  if (k == 4) out = clear_of(state, (const PyArrayObject **)of, (const npy_intp(*)[2])n);
  for (k = 0; k < 4; k++) core_drop(of[k]);
  return out;
}
