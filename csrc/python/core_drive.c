/* core_drive.c: drives through doors. handik/scene/access is its only caller. */
#include "python/core.h"
/* after Python.h, which wants to be first */
#include <string.h>

#include "access/drive.h"
#include "base/memory.h"

enum { CORNER, WALL, PLACE, EDGE, SWEEP, GRIP, WAY, SHOULDER, REACHED, PARTS };

static PyObject *rows_of(const hik_driven *found) {
  npy_intp shape[2] = {(npy_intp)found->rows, 4};
  PyArrayObject *row = (PyArrayObject *)PyArray_SimpleNew(2, shape, NPY_DOUBLE);
  if (!row) return NULL;
  if (found->rows) memcpy(PyArray_DATA(row), found->row, (size_t)found->rows * 4 * sizeof *found->row);
  return Py_BuildValue("iLN", (int)found->outcome, (long long)found->looked, row);
}

/* Run without the lock, with a look at Ctrl-C. */
static PyObject *drive(const core_state *state, hik_drive *asked) {
  hik_driven found;
  hik_error error = {HIK_OK, -1, ""};
  core_tick_context context = {NULL, NULL};
  asked->tick = core_tick, asked->tick_context = &context;
  context.saved = PyEval_SaveThread();
  hik_status status = hik_drive_find(asked, &found, &error);
  PyEval_RestoreThread(context.saved);
  PyObject *out = status < 0 ? core_raise(state, &error) : rows_of(&found);
  hik_release(found.row);
  return out;
}

/* Shapes that go together, and what they say. */
static bool shaped(PyArrayObject *const of[PARTS], hik_drive *asked) {
  hik_drive_leaf *leaf = &asked->leaf;
  if (PyArray_NDIM(of[EDGE]) != 3 || PyArray_NDIM(of[SWEEP]) != 3 || PyArray_NDIM(of[GRIP]) != 4 ||
      PyArray_NDIM(of[WAY]) != 2 || PyArray_NDIM(of[PLACE]) != 2 || PyArray_DIM(of[PLACE], 0) != 3)
    return false;
  leaf->places = PyArray_DIM(of[EDGE], 0), leaf->edges = PyArray_DIM(of[EDGE], 1);
  leaf->grips = PyArray_DIM(of[GRIP], 1), leaf->hands = PyArray_DIM(of[SHOULDER], 0);
  leaf->rows = PyArray_DIM(of[REACHED], 1), leaf->columns = PyArray_DIM(of[REACHED], 2);
  return PyArray_DIM(of[SWEEP], 0) == leaf->places - 1 && PyArray_DIM(of[SWEEP], 1) == leaf->edges &&
         PyArray_DIM(of[GRIP], 0) == leaf->places - 1 && PyArray_DIM(of[GRIP], 2) == 3 &&
         PyArray_DIM(of[WAY], 0) == leaf->places - 1 && PyArray_DIM(of[WAY], 1) == leaf->grips &&
         PyArray_DIM(of[REACHED], 0) == leaf->hands && leaf->step > 0;
}

static void fill(PyArrayObject *const of[PARTS], hik_drive *asked) {
  hik_drive_leaf *leaf = &asked->leaf;
  const double *place = PyArray_DATA(of[PLACE]);
  asked->corner = PyArray_DATA(of[CORNER]), asked->corners = PyArray_DIM(of[CORNER], 0);
  asked->wall = PyArray_DATA(of[WALL]), asked->walls = PyArray_DIM(of[WALL], 0);
  memcpy(asked->low, place, sizeof asked->low), memcpy(asked->high, place + 2, sizeof asked->high);
  memcpy(asked->start, place + 4, sizeof asked->start), memcpy(asked->goal, place + 8, sizeof asked->goal);
  leaf->edge = PyArray_DATA(of[EDGE]), leaf->sweep = PyArray_DATA(of[SWEEP]);
  leaf->grip = PyArray_DATA(of[GRIP]), leaf->way = PyArray_DATA(of[WAY]);
  leaf->shoulder = PyArray_DATA(of[SHOULDER]), leaf->reached = PyArray_DATA(of[REACHED]);
}

/* drive_find((corner (n, 2), wall (m, 4), place (3, 4), edge (p, e, 9), sweep (p - 1, e, 9), grip (p - 1, g, 3, 4), way (p - 1, g),
   shoulder (h, 2), reached (h, rows, columns) of bytes), (cell, margin, headings, most, x, y, step, closer, shut))
   -> outcome, looked, rows */
PyObject *core_drive_find(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const int dims[PARTS][2] = {{2, 2}, {2, 2}, {2, 2}, {3, 3}, {3, 3}, {4, 4}, {2, 2}, {2, 2}, {3, 3}};
  static const npy_intp last[PARTS] = {2, 4, 4, 9, 9, 4, 0, 2, 0};
  PyArrayObject *of[PARTS] = {NULL};
  hik_drive asked = {0};
  long long most;
  int closer, shut, headings;
  if (nargs != 2 || !PyTuple_Check(args[0]) || PyTuple_Size(args[0]) != PARTS || !PyTuple_Check(args[1]))
    return PyErr_Format(PyExc_TypeError, "_drive_find takes two tuples");
  if (!PyArg_ParseTuple(args[1], "ddiLdddpp", &asked.cell, &asked.margin, &headings, &most, asked.leaf.corner,
                        asked.leaf.corner + 1, &asked.leaf.step, &closer, &shut))
    return NULL;
  asked.headings = headings, asked.most = most, asked.leaf.closer = closer != 0, asked.leaf.shut = shut != 0;
  PyObject *out = NULL;
  int k = 0;
  for (; k < PARTS; k++) {
    of[k] =
        (PyArrayObject *)PyArray_FROMANY(PyTuple_GetItem(args[0], k), k == REACHED ? NPY_UINT8 : NPY_DOUBLE,
                                         dims[k][0], dims[k][1], NPY_ARRAY_CARRAY_RO);
    if (!of[k]) break;
    if (last[k] && PyArray_DIM(of[k], dims[k][0] - 1) != last[k]) break;
  }
  if (k == PARTS && shaped(of, &asked)) {
    fill(of, &asked);
    out = drive(state, &asked);
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(state->argument_error, "the parts of a drive have shapes that do not go together");
  }
  for (k = 0; k < PARTS; k++) core_drop(of[k]);
  return out;
}
