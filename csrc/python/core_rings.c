/* core_rings.c: what places the mesh in each round of the fit of a surface: _whole(vertices, below, weight, nodes, numbers, rows,
   heights, feet, limbs). */
#include "python/core.h"

#include "skin/whole.h"

enum {
  VERTEX = (int)(sizeof(hik_rings_vertex) / sizeof(double)),
  LIMB = (int)(sizeof(hik_limb_vertex) / sizeof(double))
};

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

/* Whether places and their weights are those of the vertices. */
static bool shaped(const hik_rings *rings, const PyArrayObject *below, const PyArrayObject *weight) {
  return PyArray_NDIM(below) == 2 && PyArray_DIM(below, 0) == HIK_RINGS_GROUPS &&
         PyArray_DIM(below, 1) == rings->n && PyArray_NDIM(weight) == 3 &&
         PyArray_DIM(weight, 0) == HIK_RINGS_GROUPS && PyArray_DIM(weight, 1) == rings->n;
}

/* Whether each place is among its group's levels. */
static bool placed(const hik_rings *rings) {
  for (int g = 0; g < HIK_RINGS_GROUPS; g++) {
    const int32_t *k = rings->below + g * rings->n;
    for (int64_t i = 0; i < rings->n; i++)
      if (k[i] < 0 || k[i] >= rings->levels[g] - 1) return false;
  }
  return true;
}

/* The rows of a foot's or an arm's vertices, and arrays beside them of this width and of so many numbers; of a tuple of three. */
static bool side_of(const core_state *state, PyObject *object, const char *name, npy_intp width,
                    npy_intp count, PyArrayObject *held[3]) {
  npy_intp rows, one;
  if (!PyTuple_Check(object) || PyTuple_Size(object) != 3) {
    PyErr_Format(state->argument_error, "%s must be tuples of rows, vertices and numbers", name);
    return false;
  }
  held[0] = core_integers(PyTuple_GetItem(object, 0));
  if (!held[0] || !(held[1] = core_array(state, PyTuple_GetItem(object, 1), name, &width, 1, &rows)) ||
      !(held[2] = core_array(state, PyTuple_GetItem(object, 2), name, &count, 1, &one)))
    return false;
  if (PyArray_NDIM(held[0]) == 1 && PyArray_NDIM(held[1]) == 2 && PyArray_NDIM(held[2]) == 1 &&
      PyArray_DIM(held[0], 0) == rows)
    return true;
  PyErr_Format(state->argument_error, "%s must have rows (n,), vertices (n, %zd) and %zd numbers", name,
               (Py_ssize_t)width, (Py_ssize_t)count);
  return false;
}

/* How many feet or arms there are, -1 with an exception set. */
static int64_t sides_of(const core_state *state, PyObject *object, const char *name) {
  if (PyTuple_Check(object) && PyTuple_Size(object) <= HIK_WHOLE_SIDES) return PyTuple_Size(object);
  PyErr_Format(state->argument_error, "%s must be a tuple of %d at most", name, HIK_WHOLE_SIDES);
  return -1;
}

typedef struct whole_arrays {
  PyArrayObject *vertices, *below, *weight, *node[HIK_RINGS_GROUPS], *numbers, *rows, *heights;
  PyArrayObject *foot[HIK_WHOLE_SIDES][3], *limb[HIK_WHOLE_SIDES][3];
} whole_arrays;

static void drop(whole_arrays *a) {
  core_drop(a->vertices), core_drop(a->below), core_drop(a->weight), core_drop(a->numbers);
  core_drop(a->rows), core_drop(a->heights);
  for (int g = 0; g < HIK_RINGS_GROUPS; g++) core_drop(a->node[g]);
  for (int k = 0; k < 3 * HIK_WHOLE_SIDES; k++)
    core_drop(a->foot[k / 3][k % 3]), core_drop(a->limb[k / 3][k % 3]);
}

static bool take_rings(const core_state *state, PyObject *const *args, whole_arrays *a, hik_rings *rings) {
  const npy_intp nine = VERTEX, four = 4, six = HIK_RINGS_NUMBERS;
  npy_intp n, some;
  if (!(a->vertices = core_array(state, args[0], "vertices", &nine, 1, &n)) ||
      !(a->below = core_integers(args[1])) ||
      !(a->weight = core_array(state, args[2], "weight", &four, 1, &some)) ||
      !nodes_of(state, args[3], rings, a->node) ||
      !(a->numbers = core_array(state, args[4], "numbers", &six, 1, &some)))
    return false;
  rings->vertex = PyArray_DATA(a->vertices), rings->n = n;
  rings->below = PyArray_DATA(a->below), rings->weight = PyArray_DATA(a->weight);
  memcpy(&rings->numbers, PyArray_DATA(a->numbers), sizeof rings->numbers);
  if (PyArray_NDIM(a->vertices) == 2 && PyArray_NDIM(a->numbers) == 1 && shaped(rings, a->below, a->weight))
    return true;
  PyErr_SetString(state->argument_error,
                  "vertices, below, weight and numbers must have shapes (n, 9), (6, n), (6, n, 4) and (6,)");
  return false;
}

static bool take_sides(const core_state *state, PyObject *const *args, whole_arrays *a, hik_whole *w) {
  if ((w->feet = sides_of(state, args[0], "feet")) < 0 || (w->limbs = sides_of(state, args[1], "limbs")) < 0)
    return false;
  for (int64_t k = 0; k < w->feet; k++) {
    hik_foot *f = w->foot + k;
    if (!side_of(state, PyTuple_GetItem(args[0], k), "feet", 1, 6, a->foot[k])) return false;
    f->row = PyArray_DATA(a->foot[k][0]), f->share = PyArray_DATA(a->foot[k][1]);
    f->n = PyArray_DIM(a->foot[k][0], 0);
    memcpy(&f->numbers, PyArray_DATA(a->foot[k][2]), sizeof f->numbers);
  }
  for (int64_t k = 0; k < w->limbs; k++) {
    hik_limb *arm = w->limb + k;
    if (!side_of(state, PyTuple_GetItem(args[1], k), "limbs", LIMB, 4, a->limb[k])) return false;
    arm->row = PyArray_DATA(a->limb[k][0]), arm->vertex = PyArray_DATA(a->limb[k][1]);
    arm->n = PyArray_DIM(a->limb[k][0], 0);
    memcpy(&arm->numbers, PyArray_DATA(a->limb[k][2]), sizeof arm->numbers);
  }
  return true;
}

/* The vertices of a body whose arrays have their shapes. */
static PyObject *made(const core_state *state, const hik_whole *w) {
  npy_intp shape[2] = {w->n, 3};
  double *scratch = PyMem_Malloc((size_t)(hik_whole_scratch(w) + 1) * sizeof *scratch);
  PyObject *out = scratch ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : PyErr_NoMemory();
  bool good = true;
  if (out) {
    double *vertex = PyArray_DATA((PyArrayObject *)out);
    Py_BEGIN_ALLOW_THREADS good = placed(&w->rings) && hik_whole_rows(w);
    if (good) hik_whole_made(w, scratch, vertex);
    Py_END_ALLOW_THREADS
  }
  PyMem_Free(scratch);
  if (good) return out;
  PyErr_SetString(state->argument_error, "below must be levels, and rows vertices, that are there");
  core_drop(out);
  return NULL;
}

PyObject *core_whole(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  PyObject *out = NULL;
  hik_whole w = {0};
  whole_arrays a = {0};
  npy_intp n;
  if (nargs != 9) return PyErr_Format(PyExc_TypeError, "_whole takes 9 arguments");
  if (take_rings(state, args, &a, &w.rings) && (a.rows = core_integers(args[5])) &&
      (a.heights = core_array(state, args[6], "heights", NULL, 0, &n)) &&
      take_sides(state, args + 7, &a, &w)) {
    w.row = PyArray_DATA(a.rows), w.height = PyArray_DATA(a.heights), w.n = n;
    if (PyArray_NDIM(a.rows) == 1 && PyArray_DIM(a.rows, 0) == w.rings.n && PyArray_NDIM(a.heights) == 1)
      out = made(state, &w);
    else
      PyErr_SetString(state->argument_error, "rows must be one for each of the vertices, heights a row");
  }
  drop(&a);
  return out;
}
