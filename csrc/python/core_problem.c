/* core_problem.c: type Problem: terms resolved against a model. */
#include "python/core.h"

enum { MOST_TERMS = 4096 };

/* Numbers of a tuple into `to` [most]; -1 with an exception. */
static Py_ssize_t take_numbers(PyObject *tuple, double *to, Py_ssize_t most) {
  Py_ssize_t count = PyTuple_Size(tuple);
  for (Py_ssize_t k = 0; k < count && k < most; k++) {
    to[k] = PyFloat_AsDouble(PyTuple_GetItem(tuple, k));
    if (PyErr_Occurred()) return -1;
  }
  return count;
}

/* Where the data and the functions of the next term go. */
typedef struct supply {
  double *data;
  core_own *own;
} supply;

/* One term from a tuple (kind name, frame index, weight, position tolerance, orientation tolerance, params tuple, and
   if need be other frame index, data tuple, level, row of core_own_take, what it keeps clear of). */
static bool take_term(const core_state *state, PyObject *row, hik_term *term, supply *to) {
  const char *kind;
  double weight, position, orientation;
  int frame, other = -1, level = 0;
  PyObject *params, *numbers = NULL, *own = NULL, *clear = NULL;
  if (!PyTuple_Check(row)) {
    PyErr_SetString(PyExc_TypeError, "each term must be a tuple");
    return false;
  }
  if (!PyArg_ParseTuple(row, "sidddO!|iO!iOO:term", &kind, &frame, &weight, &position, &orientation,
                        &PyTuple_Type, &params, &other, &PyTuple_Type, &numbers, &level, &own, &clear))
    return false;
  int32_t index = hik_find(HIK_TERMS, kind);
  if (index < 0) {
    PyErr_Format(state->not_found_error, "there is no term '%s'", kind);
    return false;
  }
  *term = hik_term_default(index);
  term->frame = frame;
  term->other = other;
  term->level = level;
  term->weight = weight;
  term->position_tolerance = position;
  term->orientation_tolerance = orientation;
  Py_ssize_t count = take_numbers(params, term->param, hik_row(HIK_TERMS, index).n_param);
  if (count > hik_row(HIK_TERMS, index).n_param)
    PyErr_Format(state->argument_error, "term '%s' takes no more than %d constants", kind,
                 (int)hik_row(HIK_TERMS, index).n_param);
  if (PyErr_Occurred()) return false;
  term->data = to->data;
  term->n_data = numbers ? (int32_t)take_numbers(numbers, to->data, PyTuple_Size(numbers)) : 0;
  to->data += term->n_data > 0 ? term->n_data : 0;
  if (clear && clear != Py_None && !(term->clear = core_clear_of(clear))) return false;
  if (term->n_data < 0 || !own || own == Py_None) return term->n_data >= 0;
  term->own = &to->own->own;
  return core_own_take(state, own, to->own++);
}

/* How many numbers the rows have as data; -1 with an exception. */
static Py_ssize_t count_data(const core_state *state, PyObject *rows) {
  Py_ssize_t sum = 0;
  for (Py_ssize_t k = 0, n = PyTuple_Size(rows); k < n; k++) {
    PyObject *row = PyTuple_GetItem(rows, k);
    if (!PyTuple_Check(row) || PyTuple_Size(row) < 8 || !PyTuple_Check(PyTuple_GetItem(row, 7))) continue;
    sum += PyTuple_Size(PyTuple_GetItem(row, 7));
    if (sum > INT32_MAX) {
      PyErr_SetString(state->argument_error, "the terms have too many data");
      return -1;
    }
  }
  return sum;
}

/* How many rows are functions of Python; what is no row is told of elsewhere. */
static Py_ssize_t count_own(PyObject *rows) {
  Py_ssize_t sum = 0;
  for (Py_ssize_t k = 0, n = PyTuple_Size(rows); k < n; k++) {
    PyObject *row = PyTuple_GetItem(rows, k);
    sum += PyTuple_Check(row) && PyTuple_Size(row) > 9 && PyTuple_GetItem(row, 9) != Py_None;
  }
  return sum;
}

/* What the rows keep clear of, to be kept alive: a tuple, or NULL, with an exception only where there is no memory. */
static PyObject *take_clear(PyObject *rows) {
  Py_ssize_t n = PyTuple_Size(rows), count = 0;
  PyObject *list = NULL, *kept = NULL;
  for (Py_ssize_t k = 0; k < n; k++) {
    PyObject *row = PyTuple_GetItem(rows, k);
    PyObject *clear = PyTuple_Check(row) && PyTuple_Size(row) > 10 ? PyTuple_GetItem(row, 10) : Py_None;
    if (clear == Py_None) continue;
    if (!list && !(list = PyList_New(0))) return NULL;
    if (PyList_Append(list, clear) < 0) break;
    count++;
  }
  if (list && PyList_Size(list) == count) kept = PyList_AsTuple(list);
  Py_XDECREF(list);
  return kept;
}

/* The problem, and the terms of Python's that it points to into *own, the caller's to drop and release in any case. */
static hik_problem *build(const core_state *state, const ModelObject *model, PyObject *rows, core_own **own) {
  Py_ssize_t count = PyTuple_Size(rows), n_data;
  hik_problem *problem = NULL;
  hik_error error = {HIK_OK, -1, ""};
  if (count > MOST_TERMS) {
    PyErr_Format(state->argument_error, "a problem takes at most %d terms", MOST_TERMS);
    return NULL;
  }
  if ((n_data = count_data(state, rows)) < 0) return NULL;
  hik_term *terms = hik_allocate(((size_t)count + 1) * sizeof *terms);
  double *data = terms ? hik_allocate(((size_t)n_data + 1) * sizeof *data) : NULL;
  Py_ssize_t n_own = count_own(rows);
  *own = data && n_own ? hik_allocate((size_t)n_own * sizeof **own) : NULL;
  if (data && (*own || !n_own)) {
    supply to = {data, *own};
    Py_ssize_t k = 0;
    while (k < count && take_term(state, PyTuple_GetItem(rows, k), terms + k, &to)) k++;
    if (k == count && hik_problem_create(model->model, terms, (int32_t)count, &problem, &error))
      core_raise(state, &error);
  } else {
    PyErr_NoMemory();
  }
  hik_release(data);
  hik_release(terms);
  return problem;
}

static PyObject *problem_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *keywords[] = {"model", "terms", NULL};
  core_state *state = core_state_of_type(type);
  PyObject *model, *rows;
  if (!state || !PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!:Problem", keywords, state->model_type,
                                             &model, &PyTuple_Type, &rows))
    return NULL;
  core_own *own = NULL;
  Py_ssize_t n_own = count_own(rows);
  PyObject *clear = take_clear(rows);
  if (PyErr_Occurred()) {
    Py_XDECREF(clear);
    return NULL;
  }
  hik_problem *problem = build(state, (ModelObject *)model, rows, &own);
  ProblemObject *self =
      problem ? (ProblemObject *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0) : NULL;
  if (!self) {
    hik_problem_free(problem);
    if (own) core_own_drop(own, n_own);
    hik_release(own);
    Py_XDECREF(clear);
    return NULL;
  }
  self->problem = problem;
  self->clear = clear;
  self->own = own, self->n_own = n_own;
  self->model = (ModelObject *)Py_NewRef(model);
  return (PyObject *)self;
}

static int problem_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  const ProblemObject *p = (ProblemObject *)self;
  Py_VISIT((PyObject *)p->model);
  for (Py_ssize_t k = 0; k < p->n_own; k++) {
    Py_VISIT(p->own[k].residual);
    Py_VISIT(p->own[k].jacobian);
  }
  return 0;
}

/* No tp_clear: a problem must never outlive its model, and it cannot be part of a cycle by itself: a term of Python's that
   holds it has a dict, which can be cleared. */
static void problem_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  hik_plan_free(((ProblemObject *)self)->like);
  hik_problem_free(((ProblemObject *)self)->problem);
  core_own_drop(((ProblemObject *)self)->own, ((ProblemObject *)self)->n_own);
  hik_release(((ProblemObject *)self)->own);
  Py_XDECREF(((ProblemObject *)self)->clear);
  Py_XDECREF((PyObject *)((ProblemObject *)self)->model);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *problem_width(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(hik_problem_target_width(((ProblemObject *)self)->problem));
}

static PyObject *problem_rows(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(hik_problem_residual_width(((ProblemObject *)self)->problem));
}

static PyGetSetDef problem_getset[] = {
    {"width", problem_width, NULL, "Numbers in one target row.", NULL},
    {"rows", problem_rows, NULL, "Numbers in one residual row.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- batches ---- */

typedef struct job {
  const hik_problem *problem;
  npy_intp width, nq, rows, nv, terms; /* numbers of one target, of q, of a residual; ..; terms of the core */
  const double *target, *q;
  double *to, *far, *turned;
  bool *met;
} job;

static void residual_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_residual(j->problem, n, j->target + first * j->width, j->q + first * j->nq, j->to + first * j->rows,
               scratch);
}

static void jacobian_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_residual_jacobian(j->problem, n, j->target + first * j->width, j->q + first * j->nq,
                        j->to + first * j->rows * j->nv, scratch);
}

static void judge_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_judge(j->problem, n, j->target + first * j->width, j->q + first * j->nq, j->to + first, j->far + first,
            j->turned + first, j->met + first, scratch);
}

static void measure_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_measure_terms(j->problem, n, j->target + first * j->width, j->q + first * j->nq,
                    j->far + first * j->terms, j->turned + first * j->terms, j->met + first * j->terms,
                    scratch);
}

static void floor_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  hik_floor_terms(j->problem, n, j->target + first * j->width, j->to + first * j->terms);
}

static job job_of(const ProblemObject *self) {
  return (job){.problem = self->problem,
               .width = hik_problem_target_width(self->problem),
               .nq = self->model->sizes.nq,
               .rows = hik_problem_residual_width(self->problem),
               .nv = self->model->sizes.nv,
               .terms = hik_problem_term_count(self->problem)};
}

static bool run(const core_state *state, const ProblemObject *self, hik_rows_fn *work, job *j, npy_intp n,
                PyObject *threads) {
  core_rows rows = {.n = n,
                    .cost = self->model->sizes.n_step + hik_problem_term_count(self->problem) + 1,
                    .scratch = work == floor_rows ? 0 : hik_scratch_size(self->model->model),
                    .work = work,
                    .context = j,
                    .keep = self->n_own > 0};
  return core_threads(state, threads, &rows.threads) && core_run_rows(state, &rows);
}

/* Targets (..., width) and q (..., nq), broadcast together; false with an exception set. Both are the caller's to drop. */
static bool take_both(const core_state *state, PyObject **slot, const job *j, PyArrayObject **target,
                      PyArrayObject **q, npy_intp *n) {
  npy_intp m;
  *q = NULL;
  *target = core_array(state, slot[0], "targets", &j->width, 1, n);
  if (*target) *q = core_array(state, slot[1], "q", &j->nq, 1, &m);
  return *q && core_broadcast(state, target, "targets", q, "q", n);
}

/* Residual and its Jacobian: one array. */
static PyObject *evaluate(PyObject *object, PyTypeObject *defining, hik_rows_fn *work, const char *function,
                          PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"targets", "q", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ProblemObject *self = (ProblemObject *)object;
  PyObject *slot[4];
  if (!core_arguments(function, args, nargs, kwnames, names, 4, 2, slot)) return NULL;
  job j = job_of(self);
  npy_intp n, core[2] = {j.rows, j.nv};
  PyArrayObject *target, *q, *out = NULL;
  if (take_both(state, slot, &j, &target, &q, &n))
    out = core_output(state, slot[2], q, 1, core, work == residual_rows ? 1 : 2);
  bool good = out && core_apart(&target, out) && core_apart(&q, out);
  if (good) {
    j.target = PyArray_DATA(target), j.q = PyArray_DATA(q), j.to = PyArray_DATA(out);
    good = run(state, self, work, &j, n, slot[3]);
  }
  if (!good && out) {
    core_drop(out);
    out = NULL;
  }
  core_drop(target);
  core_drop(q);
  return (PyObject *)out;
}

/* The judge's word, on the whole (four arrays) or on every row of the core (three). */
static PyObject *judged(PyObject *object, PyTypeObject *defining, hik_rows_fn *work, const char *function,
                        PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"targets", "q", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ProblemObject *self = (ProblemObject *)object;
  PyObject *slot[3], *result = NULL;
  if (!core_arguments(function, args, nargs, kwnames, names, 3, 2, slot)) return NULL;
  job j = job_of(self);
  bool whole = work == judge_rows;
  int axes = whole ? 0 : 1, count = whole ? 4 : 3;
  npy_intp n;
  PyArrayObject *target, *q, *to[4] = {NULL};
  if (take_both(state, slot, &j, &target, &q, &n)) {
    to[0] = core_new(state, q, 1, &j.terms, axes, NPY_BOOL, false);
    for (int k = 1; k < count && to[k - 1]; k++)
      to[k] = core_new(state, q, 1, &j.terms, axes, NPY_DOUBLE, false);
  }
  if (to[count - 1]) {
    j.target = PyArray_DATA(target), j.q = PyArray_DATA(q), j.met = PyArray_DATA(to[0]);
    j.far = PyArray_DATA(to[1]), j.turned = PyArray_DATA(to[2]), j.to = whole ? PyArray_DATA(to[3]) : NULL;
    if (run(state, self, work, &j, n, slot[2]))
      result = whole ? PyTuple_Pack(4, to[0], to[3], to[1], to[2]) : PyTuple_Pack(3, to[0], to[1], to[2]);
  }
  for (int k = 0; k < 4; k++) core_drop(to[k]);
  core_drop(target);
  core_drop(q);
  return result;
}

static PyObject *problem_residual(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  return evaluate(self, defining, residual_rows, "residual", args, nargs, kwnames);
}

static PyObject *problem_jacobian(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  return evaluate(self, defining, jacobian_rows, "jacobian", args, nargs, kwnames);
}

static PyObject *problem__judge(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames) {
  return judged(self, defining, judge_rows, "_judge", args, nargs, kwnames);
}

static PyObject *problem__measure(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  return judged(self, defining, measure_rows, "_measure", args, nargs, kwnames);
}

/* floor(targets): [..., terms of the core]. */
static PyObject *problem__floor(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"targets", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ProblemObject *self = (ProblemObject *)object;
  PyObject *slot[3];
  if (!core_arguments("_floor", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  job j = job_of(self);
  npy_intp n;
  PyArrayObject *target = core_array(state, slot[0], "targets", &j.width, 1, &n);
  PyArrayObject *out = target ? core_output(state, slot[1], target, 1, &j.terms, 1) : NULL;
  bool good = out && core_apart(&target, out);
  if (good) {
    j.target = PyArray_DATA(target), j.to = PyArray_DATA(out);
    good = run(state, self, floor_rows, &j, n, slot[2]);
  }
  if (!good && out) {
    core_drop(out);
    out = NULL;
  }
  core_drop(target);
  return (PyObject *)out;
}

#define METHOD(name, doc)                                                                                    \
  {#name, (PyCFunction)(void (*)(void))problem_##name, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, doc}

#define GIVEN                                                                                                \
  "Parameters\n----------\ntargets : array_like, shape (..., width)\n    A row for each problem.\n"          \
  "q : array_like, shape (..., nq)\n    Joint coordinates, radians and metres.\n"
#define THREADS "threads : int, optional\n    Threads over the batch; 0: all cores.\n\n"

static PyMethodDef problem_methods[] = {
    METHOD(
        residual,
        "residual($self, targets, q, /, *, out=None, threads=1)\n--\n\n"
        "Weighted residual, zero when all terms are met.\n\n" GIVEN
        "out : ndarray, shape (..., rows), optional\n    Where to write.\n" THREADS
        "Returns\n-------\nndarray, shape (..., rows)\n    Metres and radians times the terms' weights.\n\n"
        "Raises\n------\nArgumentError\n    Wrong shapes.\n"),
    METHOD(jacobian, "jacobian($self, targets, q, /, *, out=None, threads=1)\n--\n\n"
                     "Derivative of the residual by v.\n\n" GIVEN
                     "out : ndarray, shape (..., rows, nv), optional\n    Where to write.\n" THREADS
                     "Returns\n-------\nndarray, shape (..., rows, nv)\n    Residual per radian or metre.\n\n"
                     "Raises\n------\nArgumentError\n    Wrong shapes.\n"),
    METHOD(_judge, "_judge($self, targets, q, /, *, threads=1)\n--\n\nThe judge's word: met (bool), error, "
                   "position error (m), "
                   "orientation error (rad), each (...)."),
    METHOD(_floor, "_floor($self, targets, /, *, out=None, threads=1)\n--\n\nMetres by which the lengths of "
                   "the links alone put the point of "
                   "every row of the core out of reach (..., terms); 0: not proved."),
    METHOD(_measure,
           "_measure($self, targets, q, /, *, threads=1)\n--\n\nThe judge's word on every row of the "
           "core by itself: met "
           "(bool), distance (m), angle (rad), each (..., terms)."),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot problem_slots[] = {
    {Py_tp_doc, "Terms resolved against a model by the C core; `handik.Problem` is what to use."},
    {Py_tp_new, problem_new},
    {Py_tp_dealloc, problem_dealloc},
    {Py_tp_traverse, problem_traverse},
    {Py_tp_methods, problem_methods},
    {Py_tp_getset, problem_getset},
    {0, NULL},
};

PyType_Spec core_problem_spec = {
    .name = "handik._core.Problem",
    .basicsize = sizeof(ProblemObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = problem_slots,
};
