/* core_path.c: paths; handik/scene/plan/ is the only caller. */
#include "python/core.h"

#include "plan/connect.h"
#include "plan/speed.h"

typedef struct speed_arrays {
  PyArrayObject *s, *first, *second, *velocity, *acceleration, *cap, *out;
} speed_arrays;

static void drop(speed_arrays *a) {
  core_drop(a->s);
  core_drop(a->first);
  core_drop(a->second);
  core_drop(a->velocity);
  core_drop(a->acceleration);
  core_drop(a->cap);
}

/* The arrays of one path, of the same number of points and coordinates. */
static bool take(const core_state *state, PyObject **given, speed_arrays *a) {
  npy_intp n;
  if (!(a->s = core_array(state, given[0], "s", NULL, 0, &n))) return false;
  if (!(a->velocity = core_array(state, given[3], "velocity", NULL, 0, &n))) return false;
  if (PyArray_NDIM(a->s) != 1 || PyArray_NDIM(a->velocity) != 1 || PyArray_DIM(a->velocity, 0) < 1 ||
      PyArray_DIM(a->velocity, 0) > INT32_MAX) {
    PyErr_SetString(state->argument_error, "s must have shape (points,), velocity (nv,)");
    return false;
  }
  const npy_intp shape[2] = {PyArray_DIM(a->s, 0), PyArray_DIM(a->velocity, 0)};
  if (!(a->first = core_array(state, given[1], "first", shape, 2, &n)) ||
      !(a->second = core_array(state, given[2], "second", shape, 2, &n)) ||
      !(a->acceleration = core_array(state, given[4], "acceleration", shape + 1, 1, &n)) ||
      !(a->cap = core_array(state, given[5], "cap", shape, 1, &n)))
    return false;
  if (PyArray_NDIM(a->first) != 2 || PyArray_NDIM(a->second) != 2 || PyArray_NDIM(a->acceleration) != 1 ||
      PyArray_NDIM(a->cap) != 1) {
    PyErr_SetString(state->argument_error, "first, second, acceleration and cap are of one path");
    return false;
  }
  return true;
}

PyObject *core_path_speed(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"s", "first", "second", "velocity", "acceleration", "cap"};
  const core_state *state = PyModule_GetState(module);
  PyObject *given[6];
  speed_arrays a = {0};
  hik_error error;
  size_t doubles = 0;
  if (!core_arguments("path_speed", args, nargs, kwnames, names, 6, 6, given)) return NULL;
  bool good = take(state, given, &a);
  if (good) a.out = core_new(state, a.s, 0, NULL, 0, NPY_DOUBLE, false);
  double *scratch = NULL;
  if (a.out) {
    const hik_speed_path path = {PyArray_DIM(a.s, 0),
                                 (int32_t)PyArray_DIM(a.velocity, 0),
                                 PyArray_DATA(a.s),
                                 PyArray_DATA(a.first),
                                 PyArray_DATA(a.second),
                                 PyArray_DATA(a.velocity),
                                 PyArray_DATA(a.acceleration),
                                 PyArray_DATA(a.cap)};
    if (hik_speed_scratch(path.points, path.nv, &doubles))
      scratch = hik_allocate_raw(doubles * sizeof(double));
    if (!scratch) {
      PyErr_NoMemory();
      good = false;
    } else {
      hik_status status;
      Py_BEGIN_ALLOW_THREADS;
      status = hik_speed(&path, scratch, PyArray_DATA(a.out), &error);
      Py_END_ALLOW_THREADS;
      hik_release(scratch);
      good = status >= 0;
      if (!good) core_raise(state, &error);
    }
  }
  drop(&a);
  if (good && a.out) return (PyObject *)a.out;
  core_drop(a.out);
  return NULL;
}

/* ---- searches ---- */

typedef struct run {
  hik_route route;
  hik_search found;
  int64_t groups, witnesses;
  double *witness;
  PyObject *met;    /* postures in contact, an array */
  hik_grown *trees; /* NULL: not asked for */
  hik_grown grown;
} run;

typedef struct search_job {
  const hik_world *world;
  const hik_figure *figure;
  const double *start, *goals;
  int32_t n_goal, tries;
  uint64_t seed;
  double reach, tol;
  int64_t budget;
  run *runs;
} search_job;

/* Working memory of one thread: a check, and room for edges. */
static bool scratch_of(const search_job *j, size_t *bytes) {
  hik_sizes sizes = hik_model_sizes(hik_figure_model(j->figure));
  size_t check = hik_check_size(j->figure, j->world), room = 0;
  return check != SIZE_MAX && hik_mul(4 * sizeof(double), (size_t)sizes.nq + (size_t)sizes.nv + 1, &room) &&
         hik_add(check, room, bytes);
}

static hik_edges edges_of(const search_job *j, void *scratch) {
  return (hik_edges){.model = hik_figure_model(j->figure),
                     .check = hik_check_begin(scratch, j->figure, j->world),
                     .tol = j->tol,
                     .reach = j->reach,
                     .budget = j->budget,
                     .room = (double *)(void *)((char *)scratch + hik_check_size(j->figure, j->world))};
}

static void search_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const search_job *j = context;
  for (int64_t i = first; i < first + n; i++) {
    hik_edges edges = edges_of(j, scratch);
    run *r = j->runs + i;
    uint64_t seed = j->seed + (uint64_t)i;
    edges.witness = r->witness, edges.grown = r->trees;
    r->found = hik_connect(&edges, j->start, j->goals, j->n_goal, seed, &r->route);
    if (r->found == HIK_FOUND && !hik_shorten(&edges, &r->route, seed, j->tries))
      r->found = HIK_SEARCH_MEMORY;
    r->groups = edges.groups, r->witnesses = edges.witnesses;
  }
}

/* World and figure of a call; false with an exception set. */
static bool take_scene(PyObject *const *args, search_job *j) {
  return (j->world = core_world(args[0])) && (j->figure = core_figure(args[1]));
}

static PyObject *rows_of(const double *q, int64_t count, npy_intp nq) {
  const npy_intp shape[2] = {(npy_intp)count, nq};
  PyObject *out = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
  if (out && count) memcpy(PyArray_DATA((PyArrayObject *)out), q, (size_t)(count * nq) * sizeof *q);
  return out;
}

/* (nodes, parents, how many are of the start's tree), or None */
static PyObject *trees_of(const run *r, npy_intp nq) {
  if (!r->trees) Py_RETURN_NONE;
  const npy_intp count = r->grown.nodes.count;
  PyObject *parents = PyArray_SimpleNew(1, &count, NPY_INT32);
  PyObject *nodes = parents ? rows_of(r->grown.nodes.q, count, nq) : NULL;
  if (!nodes) {
    Py_XDECREF(parents);
    return NULL;
  }
  memcpy(PyArray_DATA((PyArrayObject *)parents), r->grown.parent, (size_t)count * sizeof *r->grown.parent);
  return Py_BuildValue("(NNi)", nodes, parents, (int)r->grown.of_start);
}

/* [(found, vertices, groups, witnesses, trees), ..] */
static PyObject *list_of_runs(const run *runs, npy_intp n, npy_intp nq) {
  PyObject *out = PyList_New(n);
  for (npy_intp i = 0; out && i < n; i++) {
    const run *r = runs + i;
    PyObject *q = rows_of(r->route.q, r->route.count, nq);
    PyObject *trees = q ? trees_of(r, nq) : NULL;
    if (!trees) {
      Py_XDECREF(q);
      Py_CLEAR(out);
      break;
    }
    PyObject *row = Py_BuildValue("(iNLON)", r->found == HIK_FOUND, q, (long long)r->groups, r->met, trees);
    if (!row || PyList_SetItem(out, i, row) < 0) Py_CLEAR(out);
  }
  return out;
}

/* All searches of a call with room for what they met; false with an exception set. */
static bool run_searches(const core_state *state, core_rows *rows, search_job *j, npy_intp nq) {
  size_t met = (size_t)HIK_WITNESSES * (size_t)nq;
  double *witness = hik_allocate_raw((size_t)rows->n * met * sizeof *witness + 1);
  bool good = witness && scratch_of(j, &rows->scratch);
  if (!good) PyErr_NoMemory();
  for (npy_intp i = 0; good && i < rows->n; i++) j->runs[i].witness = witness + (size_t)i * met;
  good = good && core_run_rows(state, rows);
  for (npy_intp i = 0; good && i < rows->n; i++)
    if (j->runs[i].found == HIK_SEARCH_MEMORY) PyErr_NoMemory(), good = false;
  for (npy_intp i = 0; good && i < rows->n; i++) { /* what was met goes with the run */
    run *r = j->runs + i;
    r->met = rows_of(r->witness, r->witnesses < HIK_WITNESSES ? r->witnesses : HIK_WITNESSES, nq);
    good = r->met != NULL;
  }
  hik_release(witness);
  return good;
}

static void keep_trees(const search_job *j, npy_intp n) {
  for (npy_intp i = 0; i < n; i++) j->runs[i].trees = &j->runs[i].grown;
}

/* What the runs hold; not what they are in. */
static void end_runs(const search_job *j, npy_intp n) {
  for (npy_intp i = 0; i < n; i++) {
    hik_route_end(&j->runs[i].route), hik_grown_end(&j->runs[i].grown);
    Py_XDECREF(j->runs[i].met);
  }
}

/* path_search(world, figure, start, goals, seed, runs, budget, reach, tol, tries, threads, trees) */
PyObject *core_path_search(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  search_job j = {0};
  long long seed, count, budget, tries, threads;
  core_rows rows = {.work = search_rows, .context = &j, .cost = 1000000};
  npy_intp n = 0, one = 0;
  PyObject *out = NULL;
  if (nargs != 12) return PyErr_Format(PyExc_TypeError, "_path_search takes 12 arguments");
  const int trees = PyObject_IsTrue(args[11]);
  if (trees < 0 || !take_scene(args, &j) || !core_int(state, args[4], "seed", 0, INT64_MAX, &seed) ||
      !core_int(state, args[5], "paths", 1, 4096, &count) ||
      !core_int(state, args[6], "budget", 0, INT64_MAX / 2, &budget) ||
      !core_double(state, args[7], "reach", &j.reach) || !core_double(state, args[8], "tol", &j.tol) ||
      !core_int(state, args[9], "tries", 0, 1000000, &tries) || !core_threads(state, args[10], &threads))
    return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(j.figure)).nq;
  PyArrayObject *start = core_array(state, args[2], "start", &nq, 1, &one);
  PyArrayObject *goals = start ? core_array(state, args[3], "goals", &nq, 1, &n) : NULL;
  bool good = goals != NULL;
  if (good && (one != 1 || n >= 1 << 20)) {
    PyErr_SetString(state->argument_error, "one start, and less than a million goals");
    good = false;
  }
  if (good && !(j.runs = hik_allocate((size_t)count * sizeof *j.runs))) PyErr_NoMemory(), good = false;
  if (good) {
    j.start = PyArray_DATA(start), j.goals = PyArray_DATA(goals), j.n_goal = (int32_t)n,
    j.tries = (int32_t)tries;
    j.seed = (uint64_t)seed, j.budget = budget;
    rows.n = (npy_intp)count, rows.threads = threads;
    keep_trees(&j, trees ? rows.n : 0);
    if (run_searches(state, &rows, &j, nq)) out = list_of_runs(j.runs, rows.n, nq);
    end_runs(&j, rows.n);
  }
  hik_release(j.runs);
  core_drop(start), core_drop(goals);
  return out;
}

/* Vertices (n, nq), two or more; NULL with an exception set. */
static PyArrayObject *vertices(const core_state *state, PyObject *object, npy_intp nq, npy_intp *n) {
  PyArrayObject *q = core_array(state, object, "q", &nq, 1, n);
  if (q && PyArray_NDIM(q) == 2 && *n >= 2 && *n < 1 << 28) return q;
  if (q) PyErr_SetString(state->argument_error, "q must have shape (n, nq), n 2 or more");
  core_drop(q);
  return NULL;
}

/* path_tighten(world, figure, q, rounds, tol) -> vertices; the edges of q are proved */
PyObject *core_path_tighten(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  search_job j = {.reach = 1, .budget = INT64_MAX};
  long long rounds;
  npy_intp n;
  size_t bytes;
  if (nargs != 5) return PyErr_Format(PyExc_TypeError, "_path_tighten takes 5 arguments");
  if (!take_scene(args, &j) || !core_int(state, args[3], "rounds", 0, 100, &rounds) ||
      !core_double(state, args[4], "tol", &j.tol))
    return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(j.figure)).nq;
  PyArrayObject *q = vertices(state, args[2], nq, &n);
  void *scratch = q && scratch_of(&j, &bytes) ? hik_allocate(bytes) : NULL;
  hik_route route = {NULL, 0, 0};
  bool good = scratch != NULL;
  if (good) {
    const double *from = PyArray_DATA(q);
    Py_BEGIN_ALLOW_THREADS;
    hik_edges edges = edges_of(&j, scratch);
    for (npy_intp i = 0; good && i < n; i++) good = hik_route_add(&route, from + i * nq, (int32_t)nq);
    good = good && hik_tighten(&edges, &route, (int32_t)rounds);
    Py_END_ALLOW_THREADS;
  }
  if (q && !good) PyErr_NoMemory();
  PyObject *out = good ? rows_of(route.q, route.count, nq) : NULL;
  hik_route_end(&route);
  hik_release(scratch);
  core_drop(q);
  return out;
}

/* path_blends(world, figure, q, tol) -> (n - 2,); the edges of q are proved */
PyObject *core_path_blends(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  search_job j = {.reach = 1, .budget = INT64_MAX};
  npy_intp n;
  size_t bytes;
  if (nargs != 4) return PyErr_Format(PyExc_TypeError, "_path_blends takes 4 arguments");
  if (!take_scene(args, &j) || !core_double(state, args[3], "tol", &j.tol)) return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(j.figure)).nq;
  PyArrayObject *q = vertices(state, args[2], nq, &n);
  if (!q) return NULL;
  const npy_intp corners = n - 2;
  PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNew(1, &corners, NPY_DOUBLE);
  void *scratch = scratch_of(&j, &bytes) ? hik_allocate(bytes) : NULL;
  bool good = out && scratch;
  if (good) {
    const hik_route route = {PyArray_DATA(q), (int32_t)n, (int32_t)n};
    double *radius = PyArray_DATA(out);
    Py_BEGIN_ALLOW_THREADS;
    hik_edges edges = edges_of(&j, scratch);
    good = hik_blends(&edges, j.figure, &route, radius);
    Py_END_ALLOW_THREADS;
  }
  if (!good) PyErr_NoMemory();
  hik_release(scratch);
  core_drop(q);
  if (good) return (PyObject *)out;
  core_drop(out);
  return NULL;
}
