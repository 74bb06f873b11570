/* core_scene.c: worlds and figures as capsules of Python; free, distance and edges of batches; draws for the table of pairs.
   handik/scene/check is their only caller. */
#include "python/core.h"
#include "scene/scene.h"
#include "term/obstacles.h"

static const char WORLD[] = "handik.world", FIGURE[] = "handik.figure";

static void drop_world(PyObject *capsule) {
  hik_world_free(PyCapsule_GetPointer(capsule, WORLD));
  Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

static void drop_figure(PyObject *capsule) {
  hik_figure_free(PyCapsule_GetPointer(capsule, FIGURE));
  Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

const hik_world *core_world(PyObject *object) { return PyCapsule_GetPointer(object, WORLD); }
const hik_figure *core_figure(PyObject *object) { return PyCapsule_GetPointer(object, FIGURE); }

static const char CLEAR[] = "handik.clear";

static void drop_clear(PyObject *capsule) {
  hik_clear_free(PyCapsule_GetPointer(capsule, CLEAR));
  Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

hik_clear *core_clear_of(PyObject *object) { return PyCapsule_GetPointer(object, CLEAR); }

PyObject *core_scene_clear(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const hik_world *world;
  const hik_figure *figure;
  hik_clear *clear;
  hik_error error = {HIK_OK, -1, ""};
  if (nargs != 2) {
    PyErr_SetString(PyExc_TypeError, "_scene_clear takes a world and a figure");
    return NULL;
  }
  if (!(world = core_world(args[0])) || !(figure = core_figure(args[1]))) return NULL;
  if (hik_clear_create(figure, world, &clear, &error)) return core_raise(state, &error), NULL;
  PyObject *both = PyTuple_Pack(2, args[0], args[1]),
           *out = both ? PyCapsule_New(clear, CLEAR, drop_clear) : NULL;
  if (out && PyCapsule_SetContext(out, both) == 0) return out;
  if (!out) hik_clear_free(clear);
  Py_XDECREF(out);
  Py_XDECREF(both);
  return NULL;
}

/* Whole numbers (rows[, columns]); NULL with an exception set. */
static PyArrayObject *whole(const core_state *state, PyObject *object, const char *name, int axes,
                            npy_intp rows, npy_intp columns) {
  PyArrayObject *a = core_integers(object);
  if (!a) return NULL;
  if (PyArray_NDIM(a) == axes && (rows < 0 || PyArray_DIM(a, 0) == rows) &&
      (axes < 2 || PyArray_DIM(a, 1) == columns))
    return a;
  PyErr_Format(state->argument_error, "%s has another shape than the other arrays ask for", name);
  Py_DECREF(a);
  return NULL;
}

/* Rows of `width` numbers, `rows` of them (-1: any). */
static PyArrayObject *table(const core_state *state, PyObject *object, const char *name, npy_intp width,
                            npy_intp rows, npy_intp *n) {
  PyArrayObject *a = core_array(state, object, name, &width, 1, n);
  if (a && PyArray_NDIM(a) == 2 && (rows < 0 || *n == rows)) return a;
  if (a) PyErr_Format(state->argument_error, "%s has another shape than the other arrays ask for", name);
  core_drop(a);
  return NULL;
}

/* The grid of obstacle k, from a tuple with None where there is none; false with an exception set. */
static bool take_grid(const core_state *state, PyObject *grids, npy_intp k, hik_shape *shape) {
  PyObject *grid = PyTuple_GetItem(grids, k);
  if (!grid) return false;
  if (grid == Py_None) return true;
  if (!PyObject_TypeCheck(grid, state->grid_type)) {
    PyErr_SetString(PyExc_TypeError, "grids must be Grids or None");
    return false;
  }
  shape->grid = ((GridObject *)grid)->grid;
  return true;
}

/* world(kind, pose, size, corners, corner, grids) */
PyObject *core_scene_world(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  PyArrayObject *kind = NULL, *pose = NULL, *size = NULL, *corners = NULL, *corner = NULL;
  PyObject *out = NULL;
  hik_shape *shape = NULL;
  hik_world *world = NULL;
  hik_error error;
  npy_intp n, rows, all = 0, first = 0;
  if (nargs != 6 || !PyTuple_Check(args[5]))
    return PyErr_Format(PyExc_TypeError, "_scene_world takes 5 arrays and a tuple");
  bool good = (kind = whole(state, args[0], "kind", 1, -1, 0)) != NULL;
  n = good ? PyArray_DIM(kind, 0) : 0;
  good = good && (pose = table(state, args[1], "pose", 12, n, &rows)) &&
         (size = table(state, args[2], "size", 3, n, &rows)) &&
         (corners = whole(state, args[3], "corners", 1, n, 0)) &&
         (corner = table(state, args[4], "corner", 2, -1, &all));
  if (good && !(shape = hik_allocate(sizeof *shape * (size_t)(n + 1)))) PyErr_NoMemory(), good = false;
  for (npy_intp k = 0; good && k < n; k++) {
    hik_shape *s = shape + k;
    s->kind = ((const int32_t *)PyArray_DATA(kind))[k];
    memcpy(s->pose, (const double *)PyArray_DATA(pose) + 12 * k, sizeof s->pose);
    memcpy(s->size, (const double *)PyArray_DATA(size) + 3 * k, sizeof s->size);
    s->corners = ((const int32_t *)PyArray_DATA(corners))[k];
    s->corner = (const double *)PyArray_DATA(corner) + 2 * first;
    if (s->corners < 0 || s->corners > all - first) {
      PyErr_SetString(state->argument_error, "corners count more rows than corner has");
      good = false;
    } else {
      first += s->corners;
      good = take_grid(state, args[5], k, s);
    }
  }
  if (good && hik_world_create(shape, (int32_t)n, &world, &error) < 0)
    core_raise(state, &error), good = false;
  if (good && !(out = PyCapsule_New(world, WORLD, drop_world))) hik_world_free(world);
  if (out) PyCapsule_SetContext(out, Py_NewRef(args[5])); /* the world points into them */
  hik_release(shape);
  core_drop(kind), core_drop(pose), core_drop(size), core_drop(corners), core_drop(corner);
  return out;
}

/* figure(model, frame, ends, radius, pair, allowance) */
PyObject *core_scene_figure(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  PyArrayObject *frame = NULL, *ends = NULL, *radius = NULL, *pair = NULL, *allowance = NULL;
  PyObject *out = NULL;
  hik_figure *figure = NULL;
  hik_error error;
  npy_intp n, pairs, rows;
  if (nargs != 6 || !PyObject_TypeCheck(args[0], state->model_type))
    return PyErr_Format(PyExc_TypeError, "_scene_figure takes a Model and 5 arrays");
  bool good = (frame = whole(state, args[1], "frame", 1, -1, 0)) != NULL;
  n = good ? PyArray_DIM(frame, 0) : 0;
  good = good && (ends = table(state, args[2], "ends", 6, n, &rows)) &&
         (radius = core_array(state, args[3], "radius", &n, 1, &rows)) &&
         (pair = whole(state, args[4], "pair", 2, -1, 2));
  pairs = good ? PyArray_DIM(pair, 0) : 0;
  good = good && (allowance = core_array(state, args[5], "allowance", &pairs, 1, &rows));
  if (good) {
    const hik_figure_def def = {((ModelObject *)args[0])->model,
                                (int32_t)n,
                                (int32_t)pairs,
                                PyArray_DATA(frame),
                                PyArray_DATA(ends),
                                PyArray_DATA(radius),
                                PyArray_DATA(pair),
                                PyArray_DATA(allowance)};
    hik_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = hik_figure_create(&def, &figure, &error);
    Py_END_ALLOW_THREADS;
    if (status < 0) core_raise(state, &error), good = false;
  }
  if (good && !(out = PyCapsule_New(figure, FIGURE, drop_figure))) hik_figure_free(figure);
  if (out) PyCapsule_SetContext(out, Py_NewRef(args[0])); /* the figure points into it */
  core_drop(frame), core_drop(ends), core_drop(radius), core_drop(pair), core_drop(allowance);
  return out;
}

/* ---- batches ---- */

typedef struct scene_job {
  const hik_world *world;
  const hik_figure *figure;
  const double *q, *q1;
  double cutoff;
  npy_bool *free;
  double *distance, *points, *normal, *witness;
  int32_t *which, *edge;
  int64_t *groups;
} scene_job;

/* World and figure of a call, and what a posture costs in small steps. */
static bool take_pair(PyObject *const *args, scene_job *j, npy_intp *cost, size_t *scratch) {
  if (!(j->world = core_world(args[0])) || !(j->figure = core_figure(args[1]))) return false;
  *cost = 20 + 3 * (npy_intp)hik_figure_capsules(j->figure) + hik_figure_pairs(j->figure) / 2;
  *scratch = hik_check_size(j->figure, j->world);
  if (*scratch == SIZE_MAX) {
    PyErr_NoMemory();
    return false;
  }
  return true;
}

static void free_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const scene_job *j = context;
  hik_check *check = hik_check_begin(scratch, j->figure, j->world);
  size_t nq = (size_t)hik_model_sizes(hik_figure_model(j->figure)).nq;
  for (int64_t i = first; i < first + n; i += HIK_GROUP) {
    int32_t count = first + n - i < HIK_GROUP ? (int32_t)(first + n - i) : HIK_GROUP;
    hik_check_place(check, j->q + nq * (size_t)i, count);
    uint32_t free = hik_check_touch(check, NULL, false).free;
    for (int32_t l = 0; l < count; l++) j->free[i + l] = free >> l & 1;
  }
}

static void put_details(const scene_job *j, const hik_least *found, int64_t i, int32_t l) {
  j->which[2 * i] = found->capsule[l], j->which[2 * i + 1] = found->other[l];
  for (int k = 0; k < 3; k++) {
    j->points[6 * i + k] = found->on[k][l], j->points[6 * i + 3 + k] = found->other_on[k][l];
    j->normal[3 * i + k] = found->normal[k][l];
  }
}

static void distance_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const scene_job *j = context;
  hik_check *check = hik_check_begin(scratch, j->figure, j->world);
  size_t nq = (size_t)hik_model_sizes(hik_figure_model(j->figure)).nq;
  hik_least found;
  for (int64_t i = first; i < first + n; i += HIK_GROUP) {
    int32_t count = first + n - i < HIK_GROUP ? (int32_t)(first + n - i) : HIK_GROUP;
    hik_check_place(check, j->q + nq * (size_t)i, count);
    if (j->which)
      hik_check_least(check, j->cutoff, &found);
    else
      hik_check_distance(check, j->cutoff, found.distance);
    for (int32_t l = 0; l < count; l++) {
      j->distance[i + l] = found.distance[l];
      if (j->which) put_details(j, &found, i + l, l);
    }
  }
}

/* free(world, figure, q, threads, out) */
PyObject *core_scene_free(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  scene_job j = {0};
  long long threads;
  core_rows rows = {.work = free_rows, .context = &j};
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_scene_free takes 5 arguments");
  if (!take_pair(args, &j, &rows.cost, &rows.scratch) || !core_threads(state, args[3], &threads)) return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(j.figure)).nq;
  PyArrayObject *q = core_array(state, args[2], "q", &nq, 1, &rows.n);
  PyArrayObject *out = q ? core_output_of(state, args[4], NPY_BOOL, q, 1, NULL, 0) : NULL;
  bool good = out && core_apart(&q, out);
  if (good) {
    j.q = PyArray_DATA(q), j.free = PyArray_DATA(out), rows.threads = threads;
    good = core_run_rows(state, &rows);
  }
  core_drop(q);
  if (good) return (PyObject *)out;
  core_drop(out);
  return NULL;
}

/* distance(world, figure, q, cutoff, details, threads, out) */
PyObject *core_scene_distance(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  static const npy_intp two = 2, three = 3, points[2] = {2, 3};
  scene_job j = {0};
  long long threads;
  bool details;
  core_rows rows = {.work = distance_rows, .context = &j};
  if (nargs != 7) return PyErr_Format(PyExc_TypeError, "_scene_distance takes 7 arguments");
  if (!take_pair(args, &j, &rows.cost, &rows.scratch) || !core_double(state, args[3], "cutoff", &j.cutoff) ||
      !core_flag(args[4], "details", &details) || !core_threads(state, args[5], &threads))
    return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(j.figure)).nq;
  PyArrayObject *which = NULL, *at = NULL, *normal = NULL,
                *q = core_array(state, args[2], "q", &nq, 1, &rows.n);
  PyArrayObject *out = q ? core_output(state, args[6], q, 1, NULL, 0) : NULL;
  bool good = out && core_apart(&q, out);
  if (good && details)
    good = (which = core_new(state, q, 1, &two, 1, NPY_INT32, false)) &&
           (at = core_new(state, q, 1, points, 2, NPY_DOUBLE, false)) &&
           (normal = core_new(state, q, 1, &three, 1, NPY_DOUBLE, false));
  if (good) {
    j.q = PyArray_DATA(q), j.distance = PyArray_DATA(out), rows.threads = threads;
    if (details) j.which = PyArray_DATA(which), j.points = PyArray_DATA(at), j.normal = PyArray_DATA(normal);
    good = core_run_rows(state, &rows);
  }
  core_drop(q);
  if (good && details) return Py_BuildValue("(NNNN)", out, which, at, normal);
  if (good) return (PyObject *)out;
  core_drop(out), core_drop(which), core_drop(at), core_drop(normal);
  return NULL;
}

static void edge_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const scene_job *j = context;
  hik_check *check = hik_check_begin(scratch, j->figure, j->world);
  const hik_model *m = hik_figure_model(j->figure);
  size_t nq = (size_t)m->nq;
  double *v = (double *)((char *)scratch + hik_check_size(j->figure, j->world));
  for (int64_t i = first; i < first + n; i++) {
    hik_difference(m, 1, j->q + nq * (size_t)i, j->q1 + nq * (size_t)i, v);
    hik_edge_proof found = hik_check_edge(check, j->q + nq * (size_t)i, v, j->cutoff);
    j->edge[i] = found.edge, j->witness[i] = found.witness, j->groups[i] = found.groups;
  }
}

/* edges(world, figure, q0, q1, tol, threads) -> outcome, witness, groups */
PyObject *core_scene_edges(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  scene_job j = {0};
  long long threads;
  npy_intp n;
  core_rows rows = {.work = edge_rows, .context = &j};
  if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_scene_edges takes 6 arguments");
  if (!take_pair(args, &j, &rows.cost, &rows.scratch) || !core_double(state, args[4], "tol", &j.cutoff) ||
      !core_threads(state, args[5], &threads))
    return NULL;
  hik_sizes sizes = hik_model_sizes(hik_figure_model(j.figure));
  npy_intp nq = sizes.nq;
  PyArrayObject *a = core_array(state, args[2], "q0", &nq, 1, &n),
                *b = a ? core_array(state, args[3], "q1", &nq, 1, &n) : NULL;
  PyArrayObject *edge = NULL, *witness = NULL, *groups = NULL;
  bool good = b && core_broadcast(state, &a, "q0", &b, "q1", &rows.n) &&
              (edge = core_new(state, a, 1, NULL, 0, NPY_INT32, false)) &&
              (witness = core_new(state, a, 1, NULL, 0, NPY_DOUBLE, false)) &&
              (groups = core_new(state, a, 1, NULL, 0, NPY_INT64, false));
  if (good) {
    j.q = PyArray_DATA(a), j.q1 = PyArray_DATA(b), rows.threads = threads;
    j.edge = PyArray_DATA(edge), j.witness = PyArray_DATA(witness), j.groups = PyArray_DATA(groups);
    rows.cost *= 32, rows.scratch += sizeof(double) * ((size_t)sizes.nv + 1);
    good = core_run_rows(state, &rows);
  }
  core_drop(a), core_drop(b);
  if (good) return Py_BuildValue("(NNN)", edge, witness, groups);
  core_drop(edge), core_drop(witness), core_drop(groups);
  return NULL;
}

static void motion_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const scene_job *j = context;
  const hik_model *m = hik_figure_model(j->figure);
  size_t nq = (size_t)m->nq;
  double *v = scratch, *sum = v + m->nv;
  for (int64_t i = first; i < first + n; i++) {
    hik_difference(m, 1, j->q + nq * (size_t)i, j->q1 + nq * (size_t)i, v);
    hik_motion_sums(j->figure, v, sum);
    double most = 0;
    for (int32_t k = 0; k < hik_figure_sums(j->figure); k++) most = sum[k] > most ? sum[k] : most;
    j->distance[i] = most;
  }
}

/* motions(figure, q0, q1) -> metres that something moves at most */
PyObject *core_scene_motions(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  scene_job j = {0};
  npy_intp n;
  core_rows rows = {.work = motion_rows, .context = &j, .cost = 20, .threads = 1};
  if (nargs != 3) return PyErr_Format(PyExc_TypeError, "_scene_motions takes 3 arguments");
  if (!(j.figure = core_figure(args[0]))) return NULL;
  hik_sizes sizes = hik_model_sizes(hik_figure_model(j.figure));
  npy_intp nq = sizes.nq;
  PyArrayObject *a = core_array(state, args[1], "q0", &nq, 1, &n),
                *b = a ? core_array(state, args[2], "q1", &nq, 1, &n) : NULL;
  PyArrayObject *out = NULL;
  bool good = b && core_broadcast(state, &a, "q0", &b, "q1", &rows.n) &&
              (out = core_new(state, a, 1, NULL, 0, NPY_DOUBLE, false));
  if (good) {
    j.q = PyArray_DATA(a), j.q1 = PyArray_DATA(b), j.distance = PyArray_DATA(out);
    rows.scratch = sizeof(double) * ((size_t)sizes.nv + (size_t)hik_figure_sums(j.figure) + 1);
    good = core_run_rows(state, &rows);
  }
  core_drop(a), core_drop(b);
  if (good) return (PyObject *)out;
  core_drop(out);
  return NULL;
}

/* ---- draws ---- */

typedef struct draws_job {
  scene_job scene;
  int64_t first;
  uint64_t seed;
  const double *made;
  _Atomic(int64_t) *total;
} draws_job;

enum { DRAWS = 256 }; /* postures of a row */

static void add_up(const draws_job *j, const int64_t *touched) {
  for (int32_t k = 0; k < hik_figure_pairs(j->scene.figure); k++) atomic_fetch_add(j->total + k, touched[k]);
}

static void draw_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const draws_job *j = context;
  hik_check *check = hik_check_begin(scratch, j->scene.figure, j->scene.world);
  int64_t *touched = (int64_t *)((char *)scratch + hik_check_size(j->scene.figure, j->scene.world));
  memset(touched, 0, sizeof *touched * (size_t)hik_figure_pairs(j->scene.figure));
  hik_check_draws(check, j->seed, j->first + DRAWS * first, DRAWS * n, j->made, touched);
  add_up(j, touched);
}

/* Runs rows that count; what they found. */
static PyObject *count_rows(const core_state *state, core_rows *rows, draws_job *j) {
  npy_intp pairs = hik_figure_pairs(j->scene.figure);
  PyArrayObject *out = (PyArrayObject *)PyArray_ZEROS(1, &pairs, NPY_INT64, 0);
  if (!out) return NULL;
  j->total = PyArray_DATA(out);
  rows->scratch += (size_t)pairs * sizeof(int64_t);
  if (core_run_rows(state, rows)) return (PyObject *)out;
  Py_DECREF(out);
  return NULL;
}

/* draws(world, figure, seed, first, blocks of 256, threads) -> how often each pair was in contact */
PyObject *core_scene_draws(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  draws_job j = {0};
  long long threads, seed, first, blocks;
  core_rows rows = {.work = draw_rows, .context = &j};
  if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_scene_draws takes 6 arguments");
  if (!take_pair(args, &j.scene, &rows.cost, &rows.scratch) ||
      !core_int(state, args[2], "seed", 0, INT64_MAX, &seed) ||
      !core_int(state, args[3], "first", 0, INT64_MAX / 2, &first) ||
      !core_int(state, args[4], "blocks", 0, 1 << 30, &blocks) || !core_threads(state, args[5], &threads))
    return NULL;
  const hik_model *m = hik_figure_model(j.scene.figure);
  size_t size;
  double *made = hik_mul(HIK_MADE * sizeof *made, (size_t)m->nq + 1, &size) ? hik_allocate(size) : NULL;
  if (!made) return PyErr_NoMemory();
  hik_check_made(m, (uint64_t)seed, made);
  j.made = made, j.seed = (uint64_t)seed, j.first = first;
  rows.n = blocks, rows.cost *= DRAWS, rows.threads = threads;
  PyObject *out = count_rows(state, &rows, &j);
  hik_release(made);
  return out;
}

/* ---- overlaps ---- */

static void overlap_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const scene_job *j = context;
  hik_check *check = hik_check_begin(scratch, j->figure, j->world);
  hik_check_overlaps(check, j->q + (size_t)hik_figure_model(j->figure)->nq * (size_t)first, n, j->distance);
}

/* overlaps(world, figure, q) -> least signed distance of each pair in the postures, 1e-6 where none is less */
PyObject *core_scene_overlaps(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  scene_job j = {0};
  core_rows rows = {.work = overlap_rows, .context = &j, .threads = 1};
  if (nargs != 3) return PyErr_Format(PyExc_TypeError, "_scene_overlaps takes 3 arguments");
  if (!take_pair(args, &j, &rows.cost, &rows.scratch)) return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(j.figure)).nq, pairs = hik_figure_pairs(j.figure);
  PyArrayObject *q = core_array(state, args[2], "q", &nq, 1, &rows.n), *out = NULL;
  bool good = q && (out = (PyArrayObject *)PyArray_SimpleNew(1, &pairs, NPY_DOUBLE));
  if (good) {
    j.q = PyArray_DATA(q), j.distance = PyArray_DATA(out);
    for (npy_intp k = 0; k < pairs; k++) j.distance[k] = 1e-6;
    good = core_run_rows(state, &rows);
  }
  core_drop(q);
  if (good) return (PyObject *)out;
  core_drop(out);
  return NULL;
}
