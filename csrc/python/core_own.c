/* core_own.c: terms that are functions of Python, as the core calls them.

   A call about a problem that has one keeps the GIL (core_run, core_run_rows), so these are called with it, on the thread that
   made the call. An exception stays set: nothing of Python is called any more, what is asked for is not a number, and the
   call ends at the next tick. */
#include "python/core.h"

/* A new array of these numbers, for the caller's function to keep. */
static PyObject *copied(const double *from, int axes, const npy_intp *dims) {
  PyObject *a = PyArray_SimpleNew(axes, dims, NPY_DOUBLE);
  if (a) memcpy(PyArray_DATA((PyArrayObject *)a), from, (size_t)PyArray_NBYTES((PyArrayObject *)a));
  return a;
}

/* function(poses, target) into out, of this shape. */
static bool call(const core_own *own, PyObject *function, const char *name, const double *target,
                 const double *poses, const npy_intp *dims, int axes, double *out) {
  if (PyErr_Occurred()) return false;
  const npy_intp frames[3] = {own->own.n_frame, 4, 4}, width = own->own.width;
  PyObject *p = copied(poses, 3, frames), *t = p ? copied(target, 1, &width) : NULL, *found = NULL;
  PyArrayObject *a = NULL;
  char said[128];
  npy_intp n;
  if (t) found = PyObject_CallFunctionObjArgs(function, p, t, NULL);
  snprintf(said, sizeof said, "%s of term %.80s", name, own->name);
  if (found) a = core_array(own->state, found, said, dims, axes, &n);
  bool good = a && PyArray_NDIM(a) == axes;
  if (good)
    memcpy(out, PyArray_DATA(a), (size_t)PyArray_NBYTES(a));
  else if (a)
    PyErr_Format(own->state->argument_error, "%s is for one row: it must have %d axes, got %d", said, axes,
                 PyArray_NDIM(a));
  core_drop(a);
  core_drop(found);
  core_drop(t);
  core_drop(p);
  return good;
}

static bool residual(void *context, const double *target, const double *poses, double *out) {
  const core_own *own = context;
  const npy_intp dims[1] = {own->own.rows};
  return call(own, own->residual, "residual", target, poses, dims, 1, out);
}

static bool jacobian(void *context, const double *target, const double *poses, double *out) {
  const core_own *own = context;
  const npy_intp dims[3] = {own->own.rows, own->own.n_frame, 6};
  return call(own, own->jacobian, "jacobian", target, poses, dims, 3, out);
}

bool core_own_take(const core_state *state, PyObject *row, core_own *own) {
  PyObject *frames, *derivative;
  const char *name;
  memset(own, 0, sizeof *own);
  if (!PyTuple_Check(row)) {
    PyErr_SetString(PyExc_TypeError, "a term of one's own must be a tuple");
    return false;
  }
  if (!PyArg_ParseTuple(row, "sO!iiiOO:own", &name, &PyTuple_Type, &frames, &own->own.width, &own->own.rows,
                        &own->own.metric, &own->residual, &derivative))
    return false;
  Py_INCREF(own->residual);
  own->jacobian = derivative == Py_None ? NULL : Py_NewRef(derivative);
  own->state = state;
  snprintf(own->name, sizeof own->name, "%.80s", name);
  own->own.residual = residual;
  own->own.jacobian = own->jacobian ? jacobian : NULL;
  own->own.context = own;
  Py_ssize_t count = PyTuple_Size(frames);
  own->own.n_frame = count > HIK_OWN_FRAMES ? HIK_OWN_FRAMES + 1 : (int32_t)count;
  for (int32_t k = 0; k < own->own.n_frame && k < HIK_OWN_FRAMES; k++) {
    own->own.frame[k] = (int32_t)PyLong_AsLong(PyTuple_GetItem(frames, k));
    if (PyErr_Occurred()) return false;
  }
  return true;
}

void core_own_drop(core_own *own, Py_ssize_t count) {
  for (Py_ssize_t k = 0; k < count; k++) {
    Py_CLEAR(own[k].residual);
    Py_CLEAR(own[k].jacobian);
  }
}
