/* core_tape.c: _tape(vertices, edges, point, axes, ways) and _volume(vertices, faces). */
#include "python/core.h"

#include "skin/tape.h"

/* Rows of `width` places of vertices, which must be there. */
static PyArrayObject *rows_of(const core_state *state, PyObject *object, const char *name, int width,
                              npy_intp vertices) {
  PyArrayObject *a = (PyArrayObject *)PyArray_FROM_OTF(object, NPY_INT32, NPY_ARRAY_IN_ARRAY);
  if (!a) return NULL;
  bool good = PyArray_NDIM(a) == 2 && PyArray_DIM(a, 1) == width;
  const int32_t *row = PyArray_DATA(a);
  for (npy_intp k = 0; good && k < PyArray_SIZE(a); k++) good = row[k] >= 0 && row[k] < vertices;
  if (good) return a;
  PyErr_Format(state->argument_error, "%s must be rows of %d of the %zd vertices", name, width,
               (Py_ssize_t)vertices);
  core_drop(a);
  return NULL;
}

/* The vertices, without further axes. */
static PyArrayObject *vertices_of(const core_state *state, PyObject *object, npy_intp *n) {
  npy_intp three = 3;
  PyArrayObject *v = core_array(state, object, "vertices", &three, 1, n);
  if (v && PyArray_NDIM(v) != 2) {
    PyErr_SetString(state->argument_error, "vertices must have shape (n, 3)");
    core_drop(v);
    return NULL;
  }
  return v;
}

static PyObject *read_out(const hik_tape *tape) {
  double *scratch = PyMem_Malloc((size_t)(2 * tape->ways) * sizeof *scratch);
  if (!scratch) return PyErr_NoMemory();
  hik_tape_read read;
  Py_BEGIN_ALLOW_THREADS read = hik_tape_cut(tape, scratch);
  Py_END_ALLOW_THREADS PyMem_Free(scratch);
  return Py_BuildValue("(Lddddd)", (long long)read.points, read.widths, read.low[0], read.high[0],
                       read.low[1], read.high[1]);
}

PyObject *core_tape(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const npy_intp three[2] = {3, 3};
  npy_intp n, one;
  PyObject *out = NULL;
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_tape takes 5 arguments");
  PyArrayObject *v = vertices_of(state, args[0], &n), *edges = NULL, *point = NULL, *axes = NULL,
                *ways = NULL;
  if (v && (edges = rows_of(state, args[1], "edges", 2, n)) &&
      (point = core_array(state, args[2], "point", three, 1, &one)) &&
      (axes = core_array(state, args[3], "axes", three, 2, &one)) &&
      (ways = (PyArrayObject *)PyArray_FROM_OTF(args[4], NPY_DOUBLE, NPY_ARRAY_IN_ARRAY))) {
    npy_intp count = PyArray_NDIM(ways) == 2 && PyArray_DIM(ways, 0) == 2 ? PyArray_DIM(ways, 1) : 0;
    if (PyArray_NDIM(point) != 1 || PyArray_NDIM(axes) != 2 || count < 1 || count > 1 << 20)
      PyErr_SetString(state->argument_error, "point, axes and ways must have shapes (3,), (3, 3) and (2, m)");
    else
      out = read_out(&(hik_tape){PyArray_DATA(v), PyArray_DATA(edges), PyArray_DIM(edges, 0),
                                 PyArray_DATA(point), PyArray_DATA(axes), PyArray_DATA(ways), count});
  }
  core_drop(v);
  core_drop(edges);
  core_drop(point);
  core_drop(axes);
  core_drop(ways);
  return out;
}

PyObject *core_volume(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n;
  PyObject *out = NULL;
  if (nargs != 2) return PyErr_Format(PyExc_TypeError, "_volume takes 2 arguments");
  PyArrayObject *v = vertices_of(state, args[0], &n), *faces = NULL;
  if (v && (faces = rows_of(state, args[1], "faces", 3, n))) {
    const double *vertex = PyArray_DATA(v);
    const int32_t *face = PyArray_DATA(faces);
    int64_t count = PyArray_DIM(faces, 0);
    double six;
    Py_BEGIN_ALLOW_THREADS six = hik_volume(vertex, face, count);
    Py_END_ALLOW_THREADS out = PyFloat_FromDouble(six / 6);
  }
  core_drop(v);
  core_drop(faces);
  return out;
}
