/* core_grid.c: type Grid: the signed distance grid of a triangle mesh. */
#include "python/core.h"

#include "scene/grid.h"

/* Small steps of one point, and of one step along a capsule (a guess of how many it takes). */
enum { POINT = 4, CAPSULE = 64 };

static bool take_mesh(const core_state *state, PyObject *const *given, PyArrayObject **vertex,
                      PyArrayObject **triangle, hik_grid_mesh *mesh) {
  npy_intp three = 3, n;
  *vertex = core_array(state, given[0], "vertices", &three, 1, &n);
  if (!core_alone(vertex)) return false;
  if (PyArray_NDIM(*vertex) != 2) {
    PyErr_SetString(state->argument_error, "vertices must have shape (n, 3)");
    return false;
  }
  *triangle = core_integers(given[1]);
  if (!*triangle) return false;
  if (PyArray_NDIM(*triangle) != 2 || PyArray_DIM(*triangle, 1) != 3) {
    PyErr_SetString(state->argument_error, "triangles must have shape (n, 3)");
    return false;
  }
  mesh->vertices = n;
  mesh->triangles = PyArray_DIM(*triangle, 0);
  mesh->vertex = PyArray_DATA(*vertex);
  mesh->triangle = PyArray_DATA(*triangle);
  return true;
}

static bool take_wishes(const core_state *state, PyObject *const *given, hik_grid_mesh *mesh) {
  long long most = 1LL << 30, threads;
  if (!core_double(state, given[2], "cell", &mesh->cell)) return false;
  if (given[3] && given[3] != Py_None && !core_double(state, given[3], "margin", &mesh->margin)) return false;
  if (given[4] && given[4] != Py_None && !core_int(state, given[4], "most_bytes", 1, 1LL << 46, &most))
    return false;
  if (!core_threads(state, given[5], &threads)) return false;
  mesh->most_bytes = (unsigned long long)most > SIZE_MAX ? SIZE_MAX : (size_t)most;
  mesh->threads = threads;
  return true;
}

static PyObject *grid_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"vertices", "triangles", "cell", "margin", "most_bytes", "threads", NULL};
  core_state *state = core_state_of_type(type);
  PyObject *given[6] = {0};
  PyArrayObject *vertex = NULL, *triangle = NULL;
  hik_grid_mesh mesh = {.tick = core_tick};
  hik_grid *grid = NULL;
  hik_error error = {HIK_OK, -1, ""};
  if (!state || !PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$OOO:Grid", names, given, given + 1,
                                             given + 2, given + 3, given + 4, given + 5))
    return NULL;
  hik_status status = HIK_BAD_ARGUMENT;
  if (take_mesh(state, given, &vertex, &triangle, &mesh) && take_wishes(state, given, &mesh)) {
    core_tick_context context = {NULL, NULL};
    mesh.tick_context = &context;
    context.saved = PyEval_SaveThread();
    status = hik_grid_create(&mesh, &grid, &error);
    PyEval_RestoreThread(context.saved);
    if (status < 0) core_raise(state, &error);
  }
  core_drop(vertex);
  core_drop(triangle);
  GridObject *self =
      status < 0 ? NULL : (GridObject *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (self)
    self->grid = grid;
  else
    hik_grid_free(grid);
  return (PyObject *)self;
}

static void grid_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  hik_grid_free(((GridObject *)self)->grid);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* ---- points and capsules ---- */

typedef struct job {
  const hik_grid *grid;
  const double *x, *u;
  double *value, *lower, *slope, *at, eps;
  bool certain;
} job;

static void point_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  for (int64_t i = first; i < first + n; i++) {
    j->value[i] = hik_grid_slope(j->grid, j->x + 3 * i, j->slope + 3 * i);
    j->lower[i] = hik_grid_lower(j->grid, j->x + 3 * i);
  }
}

static void capsule_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  for (int64_t i = first; i < first + n; i++)
    j->value[i] = hik_grid_capsule(j->grid, j->x + 3 * i, j->u + 3 * i, j->eps, j->certain, j->at + i);
}

static PyObject *grid_points(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames) {
  static const char *const names[] = {"x", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  PyObject *slot[2], *result = NULL;
  npy_intp n, three = 3;
  core_rows rows = {.cost = POINT, .work = point_rows};
  if (!core_arguments("points", args, nargs, kwnames, names, 2, 1, slot)) return NULL;
  if (!core_threads(state, slot[1], &rows.threads)) return NULL;
  PyArrayObject *x = core_array(state, slot[0], "x", &three, 1, &n);
  PyArrayObject *value = x ? core_new(state, x, 1, NULL, 0, NPY_DOUBLE, false) : NULL;
  PyArrayObject *lower = value ? core_new(state, x, 1, NULL, 0, NPY_DOUBLE, false) : NULL;
  PyArrayObject *slope = lower ? core_new(state, x, 1, &three, 1, NPY_DOUBLE, false) : NULL;
  if (slope) {
    job j = {.grid = ((GridObject *)self)->grid,
             .x = PyArray_DATA(x),
             .value = PyArray_DATA(value),
             .lower = PyArray_DATA(lower),
             .slope = PyArray_DATA(slope)};
    rows.n = n, rows.context = &j;
    if (core_run_rows(state, &rows)) result = PyTuple_Pack(3, value, lower, slope);
  }
  core_drop(x);
  core_drop(value);
  core_drop(lower);
  core_drop(slope);
  return result;
}

static PyObject *grid_capsules(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"p", "u", "eps", "certain", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  const hik_grid *grid = ((GridObject *)self)->grid;
  PyObject *slot[5], *result = NULL;
  npy_intp n, m, three = 3;
  bool certain = true;
  double eps = grid->cell;
  core_rows rows = {.cost = CAPSULE, .work = capsule_rows};
  if (!core_arguments("capsules", args, nargs, kwnames, names, 5, 2, slot)) return NULL;
  if (slot[2] && slot[2] != Py_None && !core_double(state, slot[2], "eps", &eps)) return NULL;
  if (!core_flag(slot[3], "certain", &certain) || !core_threads(state, slot[4], &rows.threads)) return NULL;
  if (!slot[3]) certain = true;
  if (!(eps >= grid->cell / 1000)) {
    PyErr_SetString(state->argument_error, "eps must be at least a thousandth of the cell");
    return NULL;
  }
  PyArrayObject *p = core_array(state, slot[0], "p", &three, 1, &n);
  PyArrayObject *u = p ? core_array(state, slot[1], "u", &three, 1, &m) : NULL;
  if (u && n != m) PyErr_SetString(state->argument_error, "p and u must have the same leading axes");
  PyArrayObject *value = u && n == m ? core_new(state, p, 1, NULL, 0, NPY_DOUBLE, false) : NULL;
  PyArrayObject *at = value ? core_new(state, p, 1, NULL, 0, NPY_DOUBLE, false) : NULL;
  if (at) {
    job j = {.grid = grid,
             .x = PyArray_DATA(p),
             .u = PyArray_DATA(u),
             .value = PyArray_DATA(value),
             .at = PyArray_DATA(at),
             .eps = eps,
             .certain = certain};
    rows.n = n, rows.context = &j;
    if (core_run_rows(state, &rows)) result = PyTuple_Pack(2, value, at);
  }
  core_drop(p);
  core_drop(u);
  core_drop(value);
  core_drop(at);
  return result;
}

/* ---- what it is ---- */

static PyObject *grid_about(PyObject *self, void *closure) {
  const hik_grid *g = ((GridObject *)self)->grid;
  (void)closure;
  return Py_BuildValue("{s:d,s:(ddd),s:(iii),s:L,s:L,s:L,s:d,s:n,s:((ddd)(ddd))}", "cell", g->cell, "low",
                       g->low[0], g->low[1], g->low[2], "count", (int)g->count[0], (int)g->count[1],
                       (int)g->count[2], "bricks", (long long)g->bricks, "triangles", (long long)g->triangles,
                       "hidden", (long long)g->hidden, "volume", g->volume, "bytes", (Py_ssize_t)g->bytes,
                       "bounds", g->bounds[0][0], g->bounds[0][1], g->bounds[0][2], g->bounds[1][0],
                       g->bounds[1][1], g->bounds[1][2]);
}

static PyObject *copy_of(int axes, npy_intp *dims, int type, const void *from, size_t item) {
  PyObject *array = PyArray_SimpleNew(axes, dims, type);
  size_t bytes = item;
  for (int k = 0; k < axes; k++) bytes *= (size_t)dims[k];
  if (array) memcpy(PyArray_DATA((PyArrayObject *)array), from, bytes);
  return array;
}

static PyObject *grid_arrays(PyObject *self, PyObject *unused) {
  const hik_grid *g = ((GridObject *)self)->grid;
  (void)unused;
  npy_intp nodes[3], cells[3], fine[4] = {(npy_intp)g->bricks, HIK_GRID_SIDE, HIK_GRID_SIDE, HIK_GRID_SIDE};
  for (int j = 0; j < 3; j++) cells[j] = g->count[2 - j], nodes[j] = cells[j] + 1;
  PyObject *one = copy_of(3, nodes, NPY_FLOAT, g->coarse, sizeof *g->coarse);
  PyObject *two = one ? copy_of(3, cells, NPY_INT32, g->brick, sizeof *g->brick) : NULL;
  PyObject *three = two ? copy_of(4, fine, NPY_FLOAT, g->fine, sizeof *g->fine) : NULL;
  PyObject *all = three ? PyTuple_Pack(3, one, two, three) : NULL;
  Py_XDECREF(one);
  Py_XDECREF(two);
  Py_XDECREF(three);
  return all;
}

static PyGetSetDef grid_getset[] = {
    {"about", grid_about, NULL, "What it is, by name.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define METHOD(name, doc)                                                                                    \
  {#name, (PyCFunction)(void (*)(void))grid_##name, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef grid_methods[] = {
    METHOD(points, "points($self, x, /, *, threads=1)\n--\n\nPoints (..., 3) to value (...), lower (...), "
                   "slope (..., 3)."),
    METHOD(capsules, "capsules($self, p, u, /, *, eps=None, certain=True, threads=1)\n--\n\nSegments from p "
                     "(..., 3) to p + u: "
                     "least distance (...) and where, 0 to 1."),
    {"arrays", grid_arrays, METH_NOARGS,
     "arrays($self, /)\n--\n\nCopies: coarse nodes and bricks by z y x, fine nodes by brick z y x."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot grid_slots[] = {
    {Py_tp_doc,
     "Grid(vertices, triangles, cell, *, margin=None, most_bytes=None, threads=1)\n--\n\nThe signed "
     "distance to a triangle mesh; handik/scene/check/_grid.py is its caller."},
    {Py_tp_new, grid_new},
    {Py_tp_dealloc, grid_dealloc},
    {Py_tp_methods, grid_methods},
    {Py_tp_getset, grid_getset},
    {0, NULL},
};

PyType_Spec core_grid_spec = {
    .name = "handik._core.Grid",
    .basicsize = sizeof(GridObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = grid_slots,
};
