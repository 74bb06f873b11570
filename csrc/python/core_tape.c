/* core_tape.c: what the fit of a surface asks of the core: _tape(vertices, edges, point, axes, ways), _volume(vertices, faces),
   _normals(vertices, quads), _evened(vectors, open, beside, rounds), _next_to(points, cones) and _heights_place(at, z);
   core_rings.c has _rings. */
#include "python/core.h"

#include "skin/even.h"
#include "skin/heights.h"
#include "skin/rounded.h"
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

PyObject *core_normals(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n, shape[2] = {0, 3};
  PyObject *out = NULL;
  if (nargs != 2) return PyErr_Format(PyExc_TypeError, "_normals takes 2 arguments");
  PyArrayObject *v = vertices_of(state, args[0], &n), *quads = NULL;
  shape[0] = n;
  if (v && (quads = rows_of(state, args[1], "quads", 4, n)) &&
      (out = PyArray_SimpleNew(2, shape, NPY_DOUBLE))) {
    const double *vertex = PyArray_DATA(v);
    const int32_t *quad = PyArray_DATA(quads);
    double *normal = PyArray_DATA((PyArrayObject *)out);
    int64_t count = PyArray_DIM(quads, 0);
    Py_BEGIN_ALLOW_THREADS hik_normals(vertex, n, quad, count, normal);
    Py_END_ALLOW_THREADS
  }
  core_drop(v), core_drop(quads);
  return out;
}

/* A copy of vectors (n, 3), evened out. */
static PyObject *evened(PyArrayObject *v, npy_intp n, PyArrayObject *open, PyArrayObject *beside,
                        long rounds) {
  double *scratch = PyMem_Calloc((size_t)n + 1, 3 * sizeof *scratch);
  PyObject *out = scratch ? PyArray_NewCopy(v, NPY_CORDER) : PyErr_NoMemory();
  if (out) {
    double *vector = PyArray_DATA((PyArrayObject *)out);
    const bool *is_open = PyArray_DATA(open);
    const int32_t *row = PyArray_DATA(beside);
    int64_t near = PyArray_DIM(beside, 1);
    Py_BEGIN_ALLOW_THREADS hik_even(vector, is_open, row, n, near, rounds, scratch);
    Py_END_ALLOW_THREADS
  }
  PyMem_Free(scratch);
  return out;
}

PyObject *core_evened(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n;
  PyObject *out = NULL;
  if (nargs != 4) return PyErr_Format(PyExc_TypeError, "_evened takes 4 arguments");
  long rounds = PyLong_AsLong(args[3]);
  if (rounds == -1 && PyErr_Occurred()) return NULL;
  PyArrayObject *v = vertices_of(state, args[0], &n), *open = NULL, *beside = NULL;
  if (v && (open = (PyArrayObject *)PyArray_FROM_OTF(args[1], NPY_BOOL, NPY_ARRAY_IN_ARRAY)) &&
      (beside = (PyArrayObject *)PyArray_FROM_OTF(args[2], NPY_INT32, NPY_ARRAY_IN_ARRAY))) {
    bool good = rounds >= 0 && rounds < 1 << 20 && PyArray_NDIM(open) == 1 && PyArray_DIM(open, 0) == n &&
                PyArray_NDIM(beside) == 2 && PyArray_DIM(beside, 0) == n && PyArray_DIM(beside, 1) > 0;
    const int32_t *row = PyArray_DATA(beside);
    for (npy_intp k = 0; good && k < PyArray_SIZE(beside); k++) good = row[k] >= 0 && row[k] < n;
    if (good)
      out = evened(v, n, open, beside, rounds);
    else
      PyErr_SetString(state->argument_error,
                      "vectors, open and beside must have shapes (n, 3), (n,) and (n, m), beside rows of "
                      "the vectors; rounds must be 0 or more");
  }
  core_drop(v), core_drop(open), core_drop(beside);
  return out;
}

/* What is answered of n rows: a tuple of whole numbers (n) and of numbers (n), or (n, width) of a width above 0. */
static PyObject *answers(npy_intp n, npy_intp width, int32_t **whole, double **number) {
  npy_intp shape[2] = {n, width};
  PyObject *first = PyArray_SimpleNew(1, shape, NPY_INT32),
           *second = first ? PyArray_SimpleNew(width > 0 ? 2 : 1, shape, NPY_DOUBLE) : NULL,
           *out = second ? PyTuple_Pack(2, first, second) : NULL;
  if (out) {
    *whole = PyArray_DATA((PyArrayObject *)first);
    *number = PyArray_DATA((PyArrayObject *)second);
  }
  Py_XDECREF(first), Py_XDECREF(second);
  return out;
}

PyObject *core_next_to(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const npy_intp eight = 8;
  npy_intp n, m = 0;
  int32_t *own;
  double *least, *scratch = NULL;
  if (nargs != 2) return PyErr_Format(PyExc_TypeError, "_next_to takes 2 arguments");
  PyArrayObject *points = vertices_of(state, args[0], &n),
                *cones = points ? core_array(state, args[1], "cones", &eight, 1, &m) : NULL;
  PyObject *out = NULL;
  if (cones && (PyArray_NDIM(cones) != 2 || m < 1 || m > 1 << 20)) {
    PyErr_SetString(state->argument_error, "cones must have shape (m, 8)");
  } else if (cones && !(scratch = PyMem_Malloc((size_t)m * HIK_ROUNDED_SCRATCH * sizeof *scratch))) {
    PyErr_NoMemory();
  } else if (cones && (out = answers(n, 0, &own, &least))) {
    const double *point = PyArray_DATA(points);
    const hik_rounded *cone = PyArray_DATA(cones); /* eight numbers each */
    Py_BEGIN_ALLOW_THREADS hik_rounded_nearest(point, n, cone, m, scratch, own, least);
    Py_END_ALLOW_THREADS
  }
  PyMem_Free(scratch);
  core_drop(points), core_drop(cones);
  return out;
}

PyObject *core_heights_place(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  npy_intp levels, n;
  int32_t *below;
  double *weight;
  if (nargs != 2) return PyErr_Format(PyExc_TypeError, "_heights_place takes 2 arguments");
  PyArrayObject *at = core_array(state, args[0], "at", NULL, 0, &levels),
                *z = at ? core_array(state, args[1], "z", NULL, 0, &n) : NULL;
  PyObject *out = NULL;
  if (z && (PyArray_NDIM(at) != 1 || PyArray_NDIM(z) != 1 || levels < 2 || levels > 1 << 20)) {
    PyErr_SetString(state->argument_error, "at and z must be rows, at of two or more");
  } else if (z && (out = answers(n, 4, &below, &weight))) {
    const double *level = PyArray_DATA(at), *height = PyArray_DATA(z);
    Py_BEGIN_ALLOW_THREADS hik_heights_place(level, levels, height, n, below, weight);
    Py_END_ALLOW_THREADS
  }
  core_drop(at), core_drop(z);
  return out;
}
