/* core_tape.c: what the fit of a surface asks of the core: _tapes(vertices, edges, ends, planes, girths, ways), _edges_near(heights,
   edges, free, ends, levels), _volume(vertices, faces),
   _normals(vertices, quads), _evened(vectors, open, beside, rounds), _next_to(points, cones) and _heights_place(at, z);
   core_rings.c has _whole. */
#include "python/core.h"

#include "skin/even.h"
#include "skin/heights.h"
#include "skin/rounded.h"
#include "skin/tape.h"

static void not_rows(const core_state *state, const char *name, int width, npy_intp vertices) {
  PyErr_Format(state->argument_error, "%s must be rows of %d of the %zd vertices", name, width,
               (Py_ssize_t)vertices);
}

/* Whether so many numbers are places of vertices; asked without the lock, for there are many. */
static bool there(const int32_t *row, int64_t count, int64_t vertices) {
  for (int64_t k = 0; k < count; k++)
    if (row[k] < 0 || row[k] >= vertices) return false;
  return true;
}

/* Rows of `width` numbers, which `there` says are places of vertices. */
static PyArrayObject *rows_of(const core_state *state, PyObject *object, const char *name, int width,
                              npy_intp vertices) {
  PyArrayObject *a = core_integers(object);
  if (!a || (PyArray_NDIM(a) == 2 && PyArray_DIM(a, 1) == width)) return a;
  not_rows(state, name, width, vertices);
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

/* Cuts of one surface: rows of the edges from one number of ends to the other, and planes as a point and three axes. */
typedef struct tape_cuts {
  hik_tape tape; /* vertices, edges and ways of all */
  const int32_t *ends;
  const double *planes;
  int64_t count, girths; /* of the first of them the widths are summed */
} tape_cuts;

enum { PLANE = 12, READ = 6 };

/* Read all cuts, [count][READ]; false where edges are not there. */
static bool read_cuts(const tape_cuts *cuts, npy_intp vertices, double *scratch, double *out) {
  if (!there(cuts->tape.edge, 2 * cuts->tape.edges, vertices)) return false;
  for (int64_t k = 0; k < cuts->count; k++, out += READ) {
    const int32_t *ends = cuts->ends + 2 * k;
    hik_tape one = cuts->tape;
    if (ends[0] < 0 || ends[1] < ends[0] || ends[1] > one.edges) return false;
    one.edge += 2 * (int64_t)ends[0], one.edges = ends[1] - ends[0];
    one.point = cuts->planes + PLANE * k, one.axes = one.point + 3;
    if (k >= cuts->girths) one.ways = 0;
    hik_tape_read read = hik_tape_cut(&one, scratch);
    const double row[READ] = {(double)read.points, read.widths, read.low[0],
                              read.high[0],        read.low[1], read.high[1]};
    memcpy(out, row, sizeof row);
  }
  return true;
}

static PyObject *read_out(const core_state *state, const tape_cuts *cuts, npy_intp vertices) {
  npy_intp shape[2] = {cuts->count, READ};
  double *scratch = PyMem_Malloc((size_t)(2 * cuts->tape.ways) * sizeof *scratch);
  PyObject *out = scratch ? PyArray_SimpleNew(2, shape, NPY_DOUBLE) : PyErr_NoMemory();
  bool good = true;
  if (out) {
    double *row = PyArray_DATA((PyArrayObject *)out);
    Py_BEGIN_ALLOW_THREADS good = read_cuts(cuts, vertices, scratch, row);
    Py_END_ALLOW_THREADS
  }
  PyMem_Free(scratch);
  if (good) return out;
  PyErr_Format(state->argument_error,
               "edges must be rows of 2 of the %zd vertices, ends rows of 2 of the edges",
               (Py_ssize_t)vertices);
  core_drop(out);
  return NULL;
}

PyObject *core_tapes(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const npy_intp plane[2] = {PLANE / 3, 3};
  npy_intp n, count;
  PyObject *out = NULL;
  if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_tapes takes 6 arguments");
  long girths = PyLong_AsLong(args[4]);
  if (girths == -1 && PyErr_Occurred()) return NULL;
  PyArrayObject *v = vertices_of(state, args[0], &n), *edges = NULL, *ends = NULL, *planes = NULL,
                *ways = NULL;
  if (v && (edges = rows_of(state, args[1], "edges", 2, n)) && (ends = core_integers(args[2])) &&
      (planes = core_array(state, args[3], "planes", plane, 2, &count)) &&
      (ways = (PyArrayObject *)PyArray_FROM_OTF(args[5], NPY_DOUBLE, NPY_ARRAY_IN_ARRAY))) {
    npy_intp many = PyArray_NDIM(ways) == 2 && PyArray_DIM(ways, 0) == 2 ? PyArray_DIM(ways, 1) : 0;
    if (PyArray_NDIM(planes) != 3 || PyArray_NDIM(ends) != 2 || PyArray_DIM(ends, 0) != count ||
        PyArray_DIM(ends, 1) != 2 || many < 1 || many > 1 << 20 || girths < 0)
      PyErr_SetString(state->argument_error,
                      "ends, planes and ways must have shapes (n, 2), (n, 4, 3) and (2, m), "
                      "girths must be 0 or more");
    else
      out = read_out(state,
                     &(tape_cuts){{PyArray_DATA(v), PyArray_DATA(edges), PyArray_DIM(edges, 0), NULL, NULL,
                                   PyArray_DATA(ways), many},
                                  PyArray_DATA(ends),
                                  PyArray_DATA(planes),
                                  count,
                                  girths},
                     n);
  }
  core_drop(v), core_drop(edges), core_drop(ends), core_drop(planes), core_drop(ways);
  return out;
}

/* Levels, and of which rows of the edges each one's are. */
typedef struct near_levels {
  const double *height, *level;
  const int32_t *edge, *ends;
  const bool *free;
  int64_t n, edges, count;
} near_levels;

/* How many edges may cross each level, to out_ends [count][2] from the first to the last; -1 where edges are not there. Edges go
   to out, unless that is NULL. */
static int64_t near_all(const near_levels *of, int32_t *out_ends, int32_t *out) {
  int64_t sum = 0;
  if (!out && !there(of->edge, 2 * of->edges, of->n)) return -1;
  for (int64_t k = 0; k < of->count; k++) {
    int64_t first = of->ends[2 * k], last = of->ends[2 * k + 1];
    if (first < 0 || last < first || last > of->edges) return -1;
    out_ends[2 * k] = (int32_t)sum;
    sum += hik_tape_near(of->height, of->edge + 2 * first, of->free + first, last - first, of->level[k],
                         out ? out + 2 * sum : NULL);
    if (sum > 1 << 30) return -1;
    out_ends[2 * k + 1] = (int32_t)sum;
  }
  return sum;
}

static PyObject *edges_near(const core_state *state, const near_levels *of) {
  npy_intp shape[2] = {of->count, 2};
  int64_t count = -1;
  PyObject *ends = PyArray_SimpleNew(2, shape, NPY_INT32), *edges = NULL, *out = NULL;
  if (!ends) return NULL;
  int32_t *of_ends = PyArray_DATA((PyArrayObject *)ends);
  Py_BEGIN_ALLOW_THREADS count = near_all(of, of_ends, NULL);
  Py_END_ALLOW_THREADS shape[0] = count;
  if (count < 0) {
    PyErr_SetString(state->argument_error,
                    "edges must be rows of 2 of the vertices, ends rows of 2 of the edges");
  } else if ((edges = PyArray_SimpleNew(2, shape, NPY_INT32))) {
    int32_t *of_edges = PyArray_DATA((PyArrayObject *)edges);
    Py_BEGIN_ALLOW_THREADS near_all(of, of_ends, of_edges);
    Py_END_ALLOW_THREADS out = PyTuple_Pack(2, edges, ends);
  }
  Py_XDECREF(edges), Py_DECREF(ends);
  return out;
}

PyObject *core_edges_near(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n, count;
  PyObject *out = NULL;
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_edges_near takes 5 arguments");
  PyArrayObject *heights = core_array(state, args[0], "heights", NULL, 0, &n), *edges = NULL, *free = NULL,
                *ends = NULL, *levels = NULL;
  if (heights && (edges = rows_of(state, args[1], "edges", 2, n)) &&
      (free = (PyArrayObject *)PyArray_FROM_OTF(args[2], NPY_BOOL, NPY_ARRAY_IN_ARRAY)) &&
      (ends = core_integers(args[3])) && (levels = core_array(state, args[4], "levels", NULL, 0, &count)) &&
      core_alone(&heights) && core_alone(&free) &&
      core_alone(&levels)) { /* edges are counted by them, then taken */
    if (PyArray_NDIM(heights) != 1 || PyArray_NDIM(levels) != 1 || PyArray_NDIM(free) != 1 ||
        PyArray_DIM(free, 0) != PyArray_DIM(edges, 0) || PyArray_NDIM(ends) != 2 ||
        PyArray_DIM(ends, 0) != count || PyArray_DIM(ends, 1) != 2)
      PyErr_SetString(state->argument_error,
                      "heights, free, ends and levels must have shapes (n,), (edges,), (m, 2) and (m,)");
    else
      out = edges_near(state, &(near_levels){PyArray_DATA(heights), PyArray_DATA(levels), PyArray_DATA(edges),
                                             PyArray_DATA(ends), PyArray_DATA(free), n, PyArray_DIM(edges, 0),
                                             count});
  }
  core_drop(heights), core_drop(edges), core_drop(free), core_drop(ends), core_drop(levels);
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
    double six = 0;
    bool good;
    Py_BEGIN_ALLOW_THREADS good = there(face, 3 * count, n);
    if (good) six = hik_volume(vertex, face, count);
    Py_END_ALLOW_THREADS if (good) out = PyFloat_FromDouble(six / 6);
    else not_rows(state, "faces", 3, n);
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
    bool good;
    Py_BEGIN_ALLOW_THREADS good = there(quad, 4 * count, n);
    if (good) hik_normals(vertex, n, quad, count, normal);
    Py_END_ALLOW_THREADS if (!good) {
      not_rows(state, "quads", 4, n);
      Py_CLEAR(out);
    }
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
      (beside = core_integers(args[2]))) {
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
