/* core_tape.c: what the fit of a surface asks of the core: _tape(vertices, edges, point, axes, ways), _volume(vertices, faces),
   _next_to(points, cones), _heights_place(at, z) and _heights_fields(below, weight, node). */
#include "python/core.h"

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

PyObject *core_heights_fields(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const npy_intp four = 4, two = 2;
  npy_intp n, rows, shape[2];
  PyObject *out = NULL;
  if (nargs != 3) return PyErr_Format(PyExc_TypeError, "_heights_fields takes 3 arguments");
  PyArrayObject *below = (PyArrayObject *)PyArray_FROM_OTF(args[0], NPY_INT32, NPY_ARRAY_IN_ARRAY),
                *weight = below ? core_array(state, args[1], "weight", &four, 1, &n) : NULL,
                *node = weight ? core_array(state, args[2], "node", &two, 1, &rows) : NULL;
  bool good = node && PyArray_NDIM(below) == 1 && PyArray_NDIM(weight) == 2 && PyArray_NDIM(node) == 3 &&
              PyArray_DIM(below, 0) == n;
  if (good) {
    const int32_t *level = PyArray_DATA(below);
    npy_intp levels = PyArray_DIM(node, 1);
    shape[0] = PyArray_DIM(node, 0), shape[1] = n;
    for (npy_intp k = 0; good && k < n; k++) good = level[k] >= 0 && level[k] < levels - 1;
    if (good && (out = PyArray_SimpleNew(2, shape, NPY_DOUBLE))) {
      const double *share = PyArray_DATA(weight), *of = PyArray_DATA(node);
      double *field = PyArray_DATA((PyArrayObject *)out);
      Py_BEGIN_ALLOW_THREADS hik_heights_fields(level, share, n, of, levels, shape[0], field);
      Py_END_ALLOW_THREADS
    }
  }
  if (node && !good)
    PyErr_SetString(state->argument_error,
                    "below, weight and node must have shapes (n,), (n, 4) and (m, levels, 2)");
  core_drop(below), core_drop(weight), core_drop(node);
  return out;
}
