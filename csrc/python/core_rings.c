/* core_rings.c: what places the mesh in each round of the fit of a surface: _rings(vertices, below, weight, nodes, numbers). */
#include "python/core.h"

#include "skin/rings.h"

enum { VERTEX = (int)(sizeof(hik_rings_vertex) / sizeof(double)) };

/* Fields of each group's levels; whether all are there, and the least of the numbers of levels is above what `below` has. */
static bool nodes_of(const core_state *state, PyObject *object, hik_rings *rings,
                     PyArrayObject *held[HIK_RINGS_GROUPS]) {
  const npy_intp two = 2;
  npy_intp rows;
  if (!PyTuple_Check(object) || PyTuple_Size(object) != HIK_RINGS_GROUPS) {
    PyErr_Format(state->argument_error, "nodes must be a tuple of %d", HIK_RINGS_GROUPS);
    return false;
  }
  for (int g = 0; g < HIK_RINGS_GROUPS; g++) {
    PyArrayObject *a = held[g] = core_array(state, PyTuple_GetItem(object, g), "nodes", &two, 1, &rows);
    if (!a) return false;
    if (PyArray_NDIM(a) != 3 || PyArray_DIM(a, 0) != HIK_RINGS_FIELDS[g] || PyArray_DIM(a, 1) < 2) {
      PyErr_Format(state->argument_error, "nodes %d must have shape (%d, levels, 2)", g,
                   (int)HIK_RINGS_FIELDS[g]);
      return false;
    }
    rings->node[g] = PyArray_DATA(a), rings->levels[g] = PyArray_DIM(a, 1);
  }
  return true;
}

/* Whether each place is among its group's levels. */
static bool placed(const hik_rings *rings, const PyArrayObject *below, const PyArrayObject *weight) {
  bool good = PyArray_NDIM(below) == 2 && PyArray_DIM(below, 0) == HIK_RINGS_GROUPS &&
              PyArray_DIM(below, 1) == rings->n && PyArray_NDIM(weight) == 3 &&
              PyArray_DIM(weight, 0) == HIK_RINGS_GROUPS && PyArray_DIM(weight, 1) == rings->n;
  for (int g = 0; good && g < HIK_RINGS_GROUPS; g++) {
    const int32_t *k = rings->below + g * rings->n;
    for (int64_t i = 0; good && i < rings->n; i++) good = k[i] >= 0 && k[i] < rings->levels[g] - 1;
  }
  return good;
}

PyObject *core_rings(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const npy_intp nine = VERTEX, four = 4, six = HIK_RINGS_NUMBERS;
  npy_intp n, rows, one, shape[2];
  PyObject *out = NULL;
  hik_rings rings = {0};
  PyArrayObject *held[HIK_RINGS_GROUPS] = {NULL}, *below = NULL, *weight = NULL, *numbers = NULL;
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_rings takes 5 arguments");
  PyArrayObject *vertices = core_array(state, args[0], "vertices", &nine, 1, &n);
  if (vertices && (below = (PyArrayObject *)PyArray_FROM_OTF(args[1], NPY_INT32, NPY_ARRAY_IN_ARRAY)) &&
      (weight = core_array(state, args[2], "weight", &four, 1, &rows)) &&
      nodes_of(state, args[3], &rings, held) &&
      (numbers = core_array(state, args[4], "numbers", &six, 1, &one))) {
    rings.vertex = PyArray_DATA(vertices), rings.n = n;
    rings.below = PyArray_DATA(below), rings.weight = PyArray_DATA(weight);
    memcpy(&rings.numbers, PyArray_DATA(numbers), sizeof rings.numbers);
    shape[0] = n, shape[1] = 2;
    if (PyArray_NDIM(vertices) != 2 || PyArray_NDIM(numbers) != 1 || !placed(&rings, below, weight))
      PyErr_SetString(state->argument_error,
                      "vertices, below, weight and numbers must have shapes (n, 9), (6, n), (6, n, 4) and "
                      "(6,), below levels that are there");
    else if ((out = PyArray_SimpleNew(2, shape, NPY_DOUBLE))) {
      double *made = PyArray_DATA((PyArrayObject *)out);
      Py_BEGIN_ALLOW_THREADS hik_rings_made(&rings, made);
      Py_END_ALLOW_THREADS
    }
  }
  for (int g = 0; g < HIK_RINGS_GROUPS; g++) core_drop(held[g]);
  core_drop(vertices), core_drop(below), core_drop(weight), core_drop(numbers);
  return out;
}
