/* core_route.c: searches for paths; handik/scene/plan/ is the only caller. */
#include "python/core.h"

#include "plan/cones.h"
#include "plan/connect.h"
#include "plan/keep.h"
#include "plan/kept.h"

/* A call in hand: what is asked, on how many threads, until when. */
typedef struct crew {
  const hik_world *world;
  const hik_figure *figure;
  const hik_problem *keep; /* what must hold along the way, and its targets; NULL: nothing */
  const double *kept;
  double reach, tol, seconds; /* seconds: infinite, no end */
  int64_t budget;
  void (*work)(struct crew *crew, int64_t row, hik_edges *edges);
  int64_t rows;
  long long threads;
  size_t stride; /* of scratch, for each thread */
  char *scratch;
  hik_deal deal;
  double end;
  /* of searches */
  const double *start, *goals;
  int32_t n_goal, tries;
  uint64_t seed;
  double bound; /* infinite: none */
  struct run *runs;
  /* of one route */
  hik_route *route;
  int32_t rounds;
  const double *at; /* of blends */
  double *half, *vertex;
  bool moves;
  atomic_bool memory; /* there was none */
} crew;

typedef struct run {
  hik_route route;
  hik_search found;
  int64_t groups, witnesses;
  double *witness;
  PyObject *met;    /* postures in contact, an array */
  hik_grown *trees; /* NULL: not asked for */
  hik_grown grown;
} run;

/* ---- what threads do ---- */

/* Working memory of one thread: a check, and room for edges. */
static bool scratch_of(crew *c) {
  hik_sizes sizes = hik_model_sizes(hik_figure_model(c->figure));
  size_t check = hik_check_size(c->figure, c->world), room = 0, whole;
  if (check == SIZE_MAX || !hik_mul(4 * sizeof(double), (size_t)sizes.nq + (size_t)sizes.nv + 1, &room) ||
      !hik_add(check, room + 63, &whole))
    return false;
  c->stride = whole & ~(size_t)63;
  return true;
}

static void run_row(crew *c, int64_t row, const hik_halt *halt, char *scratch) {
  const hik_model *model = hik_figure_model(c->figure);
  hik_edges edges = {.model = model,
                     .check = hik_check_begin(scratch, c->figure, c->world),
                     .tol = c->tol,
                     .reach = c->reach,
                     .budget = c->budget,
                     .room = (double *)(void *)(scratch + hik_check_size(c->figure, c->world)),
                     .halt = halt};
  if (c->keep && !(edges.keep = hik_keep_create(c->keep, model, c->kept)))
    atomic_store(&c->memory, true);
  else
    c->work(c, row, &edges);
  hik_keep_free(edges.keep);
}

static void run_rows(void *context, int32_t worker) {
  crew *c = context;
  const hik_halt halt = {c->end, &c->deal, worker == 0};
  int64_t first, last;
  while (!atomic_load(&c->deal.stop) && hik_deal_claim(&c->deal, &first, &last)) {
    run_row(c, first, &halt, c->scratch + (size_t)worker * c->stride);
    atomic_fetch_add(&c->deal.done, 1);
    if (worker == 0) hik_deal_look(&c->deal);
  }
}

static void idle(void *context) { hik_deal_look(&((crew *)context)->deal); }

/* All rows without the GIL, with a look at signals every 20 ms; false with an exception set. */
static bool run_crew(crew *c) {
  core_tick_context tick = {NULL, NULL};
  int32_t threads = hik_thread_count(c->threads, c->rows);
  size_t whole;
  if (!scratch_of(c) || !hik_mul(c->stride, (size_t)threads, &whole) ||
      !(c->scratch = hik_allocate_raw(whole))) {
    PyErr_NoMemory();
    return false;
  }
  atomic_init(&c->memory, false);
  tick.saved = PyEval_SaveThread();
  c->end = c->seconds < INFINITY ? hik_clock() + c->seconds : INFINITY;
  hik_deal_begin(&c->deal, c->rows, 1, core_tick, &tick);
  hik_fork_join(threads, run_rows, idle, c);
  PyEval_RestoreThread(tick.saved);
  hik_release(c->scratch);
  if (atomic_load(&c->deal.stop)) return false; /* the tick has set it */
  if (atomic_load(&c->memory)) PyErr_NoMemory();
  return !atomic_load(&c->memory);
}

static void search_row(crew *c, int64_t row, hik_edges *edges) {
  run *r = c->runs + row;
  uint64_t seed = c->seed + (uint64_t)row;
  edges->witness = r->witness;
  r->found = hik_connect(edges, c->start, c->goals, c->n_goal, seed, c->bound, &r->route, r->trees);
  edges->budget = INT64_MAX;
  if (r->found == HIK_FOUND && c->tries > 0 &&
      !(c->keep ? hik_keep_shorten(edges, &r->route, seed, c->tries)
                : hik_shorten(edges, &r->route, seed, c->tries)))
    r->found = HIK_SEARCH_MEMORY;
  if (r->found == HIK_SEARCH_MEMORY) atomic_store(&c->memory, true);
  r->groups = edges->groups, r->witnesses = edges->witnesses;
}

static void tighten_row(crew *c, int64_t row, hik_edges *edges) {
  (void)row;
  if (!hik_tighten(edges, c->route, c->rounds)) atomic_store(&c->memory, true);
}

static void blends_row(crew *c, int64_t row, hik_edges *edges) {
  (void)row;
  if (!hik_blends(edges, c->figure, c->route, c->at, c->moves, c->half, c->vertex))
    atomic_store(&c->memory, true);
}

/* ---- arguments ---- */

/* World and figure of a call; false with an exception set. */
static bool take_scene(PyObject *const *args, crew *c) {
  return (c->world = core_world(args[0])) && (c->figure = core_figure(args[1]));
}

/* Seconds or None. */
static bool take_seconds(const core_state *state, PyObject *object, crew *c) {
  c->seconds = INFINITY;
  return object == Py_None || core_double(state, object, "seconds", &c->seconds);
}

/* None, or (Problem, row of targets): *targets is to be dropped. */
static bool take_keep(const core_state *state, PyObject *object, crew *c, PyArrayObject **targets) {
  PyObject *problem, *row;
  npy_intp n;
  if (object == Py_None) return true;
  if (!PyArg_ParseTuple(object, "O!O", state->problem_type, &problem, &row)) return false;
  const ProblemObject *p = (ProblemObject *)problem;
  npy_intp width = hik_problem_target_width(p->problem);
  if (p->n_own || p->clear ||
      hik_figure_model(c->figure) != (const hik_model *)((ProblemObject *)problem)->model->model) {
    PyErr_SetString(state->argument_error, "what is kept is of the figure's model and the core's own terms");
    return false;
  }
  if (!(*targets = core_array(state, row, "targets", &width, 1, &n))) return false;
  c->keep = p->problem, c->kept = PyArray_DATA(*targets);
  return true;
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
static bool run_searches(crew *c, npy_intp nq) {
  size_t met = (size_t)HIK_WITNESSES * (size_t)nq;
  double *witness = hik_allocate_raw((size_t)c->rows * met * sizeof *witness + 1);
  bool good = witness != NULL;
  if (!good) PyErr_NoMemory();
  for (int64_t i = 0; good && i < c->rows; i++) c->runs[i].witness = witness + (size_t)i * met;
  good = good && run_crew(c);
  for (int64_t i = 0; good && i < c->rows; i++) { /* what was met goes with the run */
    run *r = c->runs + i;
    r->met = rows_of(r->witness, r->witnesses < HIK_WITNESSES ? r->witnesses : HIK_WITNESSES, nq);
    good = r->met != NULL;
  }
  hik_release(witness);
  return good;
}

/* What the runs hold; not what they are in. */
static void end_runs(const crew *c) {
  for (int64_t i = 0; i < c->rows; i++) {
    hik_route_end(&c->runs[i].route), hik_grown_end(&c->runs[i].grown);
    Py_XDECREF(c->runs[i].met);
  }
}

/* The numbers of a search; false with an exception set. */
static bool take_numbers(const core_state *state, PyObject *const *args, crew *c, int *trees) {
  long long seed, count, budget, tries;
  if ((*trees = PyObject_IsTrue(args[11])) < 0 || !core_int(state, args[4], "seed", 0, INT64_MAX, &seed) ||
      !core_int(state, args[5], "paths", 1, 4096, &count) ||
      !core_int(state, args[6], "budget", 0, INT64_MAX / 2, &budget) ||
      !core_double(state, args[7], "reach", &c->reach) || !core_double(state, args[8], "tol", &c->tol) ||
      !core_int(state, args[9], "tries", 0, 1000000, &tries) || !core_threads(state, args[10], &c->threads))
    return false;
  c->seed = (uint64_t)seed, c->rows = count, c->budget = budget, c->tries = (int32_t)tries;
  c->bound = INFINITY;
  return take_seconds(state, args[13], c) &&
         (args[14] == Py_None || core_double(state, args[14], "bound", &c->bound));
}

/* path_search(world, figure, start, goals, seed, runs, budget, reach, tol, tries, threads, trees, keep, seconds, bound) */
PyObject *core_path_search(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  crew c = {.work = search_row};
  int trees;
  npy_intp n = 0, one = 0;
  PyObject *out = NULL;
  PyArrayObject *kept = NULL;
  if (nargs != 15) return PyErr_Format(PyExc_TypeError, "_path_search takes 15 arguments");
  if (!take_scene(args, &c) || !take_numbers(state, args, &c, &trees) ||
      !take_keep(state, args[12], &c, &kept))
    return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(c.figure)).nq;
  PyArrayObject *start = core_array(state, args[2], "start", &nq, 1, &one);
  PyArrayObject *goals = start ? core_array(state, args[3], "goals", &nq, 1, &n) : NULL;
  bool good = goals != NULL;
  if (good && (one != 1 || n >= 1 << 20)) {
    PyErr_SetString(state->argument_error, "one start, and less than a million goals");
    good = false;
  }
  if (good && !(c.runs = hik_allocate((size_t)c.rows * sizeof *c.runs))) PyErr_NoMemory(), good = false;
  if (good) {
    c.start = PyArray_DATA(start), c.goals = PyArray_DATA(goals), c.n_goal = (int32_t)n;
    for (int64_t i = 0; trees && i < c.rows; i++) c.runs[i].trees = &c.runs[i].grown;
    if (run_searches(&c, nq)) out = list_of_runs(c.runs, (npy_intp)c.rows, nq);
    end_runs(&c);
  }
  hik_release(c.runs);
  core_drop(start), core_drop(goals), core_drop(kept);
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

/* path_tighten(world, figure, q, rounds, tol, seconds) -> vertices; the edges of q are proved */
PyObject *core_path_tighten(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  hik_route route = {NULL, 0, 0};
  crew c = {.work = tighten_row, .reach = 1, .budget = INT64_MAX, .rows = 1, .threads = 1, .route = &route};
  long long rounds;
  npy_intp n;
  if (nargs != 6) return PyErr_Format(PyExc_TypeError, "_path_tighten takes 6 arguments");
  if (!take_scene(args, &c) || !core_int(state, args[3], "rounds", 0, 100, &rounds) ||
      !core_double(state, args[4], "tol", &c.tol) || !take_seconds(state, args[5], &c))
    return NULL;
  npy_intp nq = hik_model_sizes(hik_figure_model(c.figure)).nq;
  PyArrayObject *q = vertices(state, args[2], nq, &n);
  if (!q) return NULL;
  c.rounds = (int32_t)rounds;
  const double *from = PyArray_DATA(q);
  bool good = true;
  for (npy_intp i = 0; good && i < n; i++) good = hik_route_add(&route, from + i * nq, (int32_t)nq);
  if (!good) PyErr_NoMemory();
  PyObject *out = good && run_crew(&c) ? rows_of(route.q, route.count, nq) : NULL;
  hik_route_end(&route);
  core_drop(q);
  return out;
}

/* Times of n vertices that grow, and half widths; nobody else's. */
static bool take_widths(const core_state *state, PyObject *const *args, npy_intp n, PyArrayObject **at,
                        PyArrayObject **half) {
  npy_intp times = 0, halves = 0;
  if (!(*at = core_array(state, args[0], "at", NULL, 0, &times)) ||
      !(*half = core_array(state, args[1], "half", NULL, 0, &halves)) || !core_alone(at) || !core_alone(half))
    return false;
  const double *when = PyArray_DATA(*at), *wide = PyArray_DATA(*half);
  bool good = times == n && halves == n;
  for (npy_intp i = 0; good && i < n; i++)
    good = fabs(when[i]) < 1e300 && wide[i] >= 0 && wide[i] < 1e300 && (i == 0 || when[i] > when[i - 1]);
  if (!good)
    PyErr_SetString(state->argument_error, "q, at and half are as many; at grows, half is 0 or more");
  return good;
}

/* path_blends(world, figure, q, at, half, moves, tol) -> (half, vertices); the edges of q are proved; as hik_blends has it */
PyObject *core_path_blends(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  crew c = {.work = blends_row, .reach = 1, .budget = INT64_MAX, .rows = 1, .threads = 1};
  npy_intp n;
  c.seconds = INFINITY;
  if (nargs != 7) return PyErr_Format(PyExc_TypeError, "_path_blends takes 7 arguments");
  if (!take_scene(args, &c) || !core_double(state, args[6], "tol", &c.tol)) return NULL;
  PyArrayObject *q = vertices(state, args[2], hik_model_sizes(hik_figure_model(c.figure)).nq, &n);
  PyArrayObject *at = NULL, *half = NULL, *out = NULL, *vertex = NULL;
  if (core_alone(&q) && take_widths(state, args + 3, n, &at, &half)) {
    out = (PyArrayObject *)PyArray_NewCopy(half, NPY_CORDER);
    vertex = (PyArrayObject *)PyArray_SimpleNew(2, PyArray_DIMS(q), NPY_DOUBLE);
  }
  bool good = out && vertex;
  if (good) {
    hik_route route = {PyArray_DATA(q), (int32_t)n, (int32_t)n};
    c.route = &route, c.moves = PyObject_IsTrue(args[5]) == 1;
    c.at = PyArray_DATA(at), c.half = PyArray_DATA(out), c.vertex = PyArray_DATA(vertex);
    good = run_crew(&c);
  }
  core_drop(q), core_drop(at), core_drop(half);
  if (good) return Py_BuildValue("NN", out, vertex);
  core_drop(out), core_drop(vertex);
  return NULL;
}

/* path_inside(figure, q0, q1) -> (n,) bool: edges inside the limits of balls all along; q0 and q1 of one shape (n, nq) */
PyObject *core_path_inside(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  const hik_figure *figure;
  npy_intp n = 0, m = 0;
  if (nargs != 3) return PyErr_Format(PyExc_TypeError, "_path_inside takes 3 arguments");
  if (!(figure = core_figure(args[0]))) return NULL;
  const hik_model *model = hik_figure_model(figure);
  npy_intp nq = hik_model_sizes(model).nq;
  PyArrayObject *q0 = core_array(state, args[1], "q0", &nq, 1, &n);
  PyArrayObject *q1 = q0 ? core_array(state, args[2], "q1", &nq, 1, &m) : NULL;
  PyObject *out = NULL;
  if (q1 && n != m)
    PyErr_SetString(state->argument_error, "q0 and q1 are as many");
  else if (q1 && (out = PyArray_SimpleNew(1, &n, NPY_BOOL)) &&
           !hik_cones_edges(model, n, PyArray_DATA(q0), PyArray_DATA(q1),
                            PyArray_DATA((PyArrayObject *)out))) {
    Py_CLEAR(out);
    PyErr_NoMemory();
  }
  core_drop(q0), core_drop(q1);
  return out;
}

/* Terms along the edges of vertices q: into share [n - 1]; false: no memory. */
static bool kept_along(const hik_problem *problem, const hik_model *model, const double *target,
                       const double *q, npy_intp edges, int pieces, double *share, bool *known) {
  hik_sizes sizes = hik_model_sizes(model);
  hik_kept *kept = hik_kept_create(problem, model);
  double *v = kept ? hik_allocate_raw(((size_t)sizes.nv + 1) * sizeof *v) : NULL;
  for (npy_intp i = 0; v && i < edges; i++, q += sizes.nq) {
    hik_difference(model, 1, q, q + sizes.nq, v);
    share[i] = hik_kept_along(kept, target, q, v, pieces, INFINITY);
  }
  *known = kept && hik_kept_known(kept);
  hik_kept_free(kept), hik_release(v);
  return v != NULL;
}

/* path_kept(problem, targets, q, pieces) -> (n - 1,) greatest errors of terms as shares of tolerances, whether they are bounds */
PyObject *core_path_kept(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n = 0, one = 0;
  long long pieces;
  bool known = false;
  if (nargs != 4) return PyErr_Format(PyExc_TypeError, "_path_kept takes 4 arguments");
  if (!PyObject_TypeCheck(args[0], state->problem_type))
    return PyErr_Format(PyExc_TypeError, "problem must be a Problem");
  const ProblemObject *p = (ProblemObject *)args[0];
  const hik_model *model = p->model->model;
  npy_intp width = hik_problem_target_width(p->problem), nq = hik_model_sizes(model).nq;
  if (p->n_own || p->clear || !core_int(state, args[3], "pieces", 1, 1 << 20, &pieces)) {
    if (!PyErr_Occurred()) PyErr_SetString(state->argument_error, "terms of the core's own alone");
    return NULL;
  }
  PyArrayObject *targets = core_array(state, args[1], "targets", &width, 1, &one);
  PyArrayObject *q = targets ? vertices(state, args[2], nq, &n) : NULL;
  const npy_intp edges = n - 1;
  PyObject *share = q ? PyArray_SimpleNew(1, &edges, NPY_DOUBLE) : NULL, *out = NULL;
  if (share) {
    if (kept_along(p->problem, model, PyArray_DATA(targets), PyArray_DATA(q), edges, (int)pieces,
                   PyArray_DATA((PyArrayObject *)share), &known))
      out = Py_BuildValue("(Oi)", share, known);
    else
      PyErr_NoMemory();
  }
  Py_XDECREF(share);
  core_drop(targets), core_drop(q);
  return out;
}
