/* core_problem.c: type Problem: terms resolved against a model. */
#include "python/core.h"

#include "base/memory.h"

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

/* One term from a tuple (kind name, frame index, weight, position tolerance, orientation tolerance, params tuple, and
   if need be other frame index, data tuple). Its data go to *data, which is moved on. */
static bool take_term(const core_state *state, PyObject *row, hik_term *term, double **data) {
  const char *kind;
  double weight, position, orientation;
  int frame, other = -1, level = 0;
  PyObject *params, *numbers = NULL;
  if (!PyTuple_Check(row)) {
    PyErr_SetString(PyExc_TypeError, "each term must be a tuple");
    return false;
  }
  if (!PyArg_ParseTuple(row, "sidddO!|iO!i:term", &kind, &frame, &weight, &position, &orientation,
                        &PyTuple_Type, &params, &other, &PyTuple_Type, &numbers, &level))
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
  term->data = *data;
  term->n_data = numbers ? (int32_t)take_numbers(numbers, *data, PyTuple_Size(numbers)) : 0;
  *data += term->n_data > 0 ? term->n_data : 0;
  return term->n_data >= 0;
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

static hik_problem *build(const core_state *state, const ModelObject *model, PyObject *rows) {
  Py_ssize_t count = PyTuple_Size(rows), n_data;
  hik_problem *problem = NULL;
  hik_error error = {HIK_OK, -1, ""};
  if (count > MOST_TERMS) {
    PyErr_Format(state->argument_error, "a problem takes at most %d terms", MOST_TERMS);
    return NULL;
  }
  if ((n_data = count_data(state, rows)) < 0) return NULL;
  hik_term *terms = hik_allocate(((size_t)count + 1) * sizeof *terms);
  double *data = terms ? hik_allocate(((size_t)n_data + 1) * sizeof *data) : NULL, *at = data;
  if (data) {
    Py_ssize_t k = 0;
    while (k < count && take_term(state, PyTuple_GetItem(rows, k), terms + k, &at)) k++;
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
  hik_problem *problem = build(state, (ModelObject *)model, rows);
  if (!problem) return NULL;
  ProblemObject *self = (ProblemObject *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    hik_problem_free(problem);
    return NULL;
  }
  self->problem = problem;
  self->model = (ModelObject *)Py_NewRef(model);
  return (PyObject *)self;
}

static int problem_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT((PyObject *)((ProblemObject *)self)->model);
  return 0;
}

/* No tp_clear: a problem must never outlive its model, and it cannot be part of a cycle by itself. */
static void problem_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  hik_problem_free(((ProblemObject *)self)->problem);
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

/* Small steps of one pass over n postures and all rows. */
static npy_intp cost_of(const ProblemObject *self, npy_intp n) {
  return n * (self->model->sizes.n_step + hik_problem_term_count(self->problem));
}

static PyObject *measured(const core_state *state, ProblemObject *self, PyArrayObject *target,
                          PyArrayObject *q, npy_intp n, void *scratch);

/* Targets (..., width) and q (..., nq), broadcast together; which: 0 residual, 1 jacobian, 2 judge, 3 measure. */
static PyObject *evaluate(PyObject *self_object, PyTypeObject *defining, int which, const char *function,
                          PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"targets", "q"};
  const core_state *state = PyType_GetModuleState(defining);
  ProblemObject *self = (ProblemObject *)self_object;
  PyObject *slot[2], *result = NULL;
  if (!core_arguments(function, args, nargs, kwnames, names, 2, 2, slot)) return NULL;
  npy_intp n, m, width = hik_problem_target_width(self->problem), nq = self->model->sizes.nq;
  npy_intp core[2] = {hik_problem_residual_width(self->problem), self->model->sizes.nv};
  PyArrayObject *target = core_array(state, slot[0], "targets", &width, 1, &n), *a = NULL, *b = NULL,
                *c = NULL;
  PyArrayObject *q = target ? core_array(state, slot[1], "q", &nq, 1, &m) : NULL;
  void *scratch = q ? hik_allocate(hik_scratch_size(self->model->model)) : NULL;
  if (q && !scratch) PyErr_NoMemory();
  const hik_problem *p = self->problem;
  if (scratch && !core_broadcast(state, &target, "targets", &q, "q", &n)) {
    result = NULL;
  } else if (scratch && which < 2) {
    a = core_output(state, NULL, q, 1, core, which == 0 ? 1 : 2);
    const double *t = PyArray_DATA(target), *at = PyArray_DATA(q);
    double *to = a ? PyArray_DATA(a) : NULL;
    if (a && which == 0)
      CORE_RUN(cost_of(self, n), hik_residual(p, n, t, at, to, scratch));
    else if (a)
      CORE_RUN(cost_of(self, n), hik_residual_jacobian(p, n, t, at, to, scratch));
    result = (PyObject *)a;
  } else if (scratch && which == 3) {
    result = measured(state, self, target, q, n, scratch);
  } else if (scratch) {
    a = core_output(state, NULL, q, 1, NULL, 0);
    b = core_output(state, NULL, q, 1, NULL, 0);
    c = core_output(state, NULL, q, 1, NULL, 0);
    PyArrayObject *met =
        a ? (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), NPY_BOOL) : NULL;
    if (a && b && c && met) {
      const double *t = PyArray_DATA(target), *at = PyArray_DATA(q);
      double *error = PyArray_DATA(a), *far = PyArray_DATA(b), *turned = PyArray_DATA(c);
      bool *good = PyArray_DATA(met);
      CORE_RUN(cost_of(self, n), hik_judge(p, n, t, at, error, far, turned, good, scratch));
      result = PyTuple_Pack(4, met, a, b, c);
    }
    core_drop(met);
    core_drop(a);
    core_drop(b);
    core_drop(c);
  }
  hik_release(scratch);
  core_drop(target);
  core_drop(q);
  return result;
}

static PyObject *problem_residual(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  return evaluate(self, defining, 0, "residual", args, nargs, kwnames);
}

static PyObject *problem_jacobian(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  return evaluate(self, defining, 1, "jacobian", args, nargs, kwnames);
}

static PyObject *problem_judge(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames) {
  return evaluate(self, defining, 2, "judge", args, nargs, kwnames);
}

static PyObject *problem_measure(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames) {
  return evaluate(self, defining, 3, "measure", args, nargs, kwnames);
}

/* Three arrays (..., terms). */
static PyObject *measured(const core_state *state, ProblemObject *self, PyArrayObject *target,
                          PyArrayObject *q, npy_intp n, void *scratch) {
  npy_intp count = hik_problem_term_count(self->problem);
  PyArrayObject *distance = core_output(state, NULL, q, 1, &count, 1);
  PyArrayObject *angle = core_output(state, NULL, q, 1, &count, 1), *met = NULL;
  if (angle) met = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(angle), PyArray_DIMS(angle), NPY_BOOL);
  PyObject *result = NULL;
  if (met && distance) {
    const double *t = PyArray_DATA(target), *at = PyArray_DATA(q);
    double *far = PyArray_DATA(distance), *turned = PyArray_DATA(angle);
    bool *good = PyArray_DATA(met);
    CORE_RUN(cost_of(self, n), hik_measure_terms(self->problem, n, t, at, far, turned, good, scratch));
    result = PyTuple_Pack(3, met, distance, angle);
  }
  core_drop(met);
  core_drop(distance);
  core_drop(angle);
  return result;
}

/* floor(targets): [..., terms of the core]. */
static PyObject *problem_floor(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"targets"};
  const core_state *state = PyType_GetModuleState(defining);
  ProblemObject *self = (ProblemObject *)object;
  PyObject *slot[1];
  if (!core_arguments("floor", args, nargs, kwnames, names, 1, 1, slot)) return NULL;
  npy_intp n, width = hik_problem_target_width(self->problem), count = hik_problem_term_count(self->problem);
  PyArrayObject *target = core_array(state, slot[0], "targets", &width, 1, &n);
  PyArrayObject *out = target ? core_output(state, NULL, target, 1, &count, 1) : NULL;
  if (out) {
    const double *from = PyArray_DATA(target);
    double *to = PyArray_DATA(out);
    CORE_RUN(n * count, hik_floor_terms(self->problem, n, from, to));
  }
  core_drop(target);
  return (PyObject *)out;
}

#define METHOD(name, doc)                                                                                    \
  {#name, (PyCFunction)(void (*)(void))problem_##name, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef problem_methods[] = {
    METHOD(residual,
           "residual($self, targets, q, /)\n--\n\nWeighted residual (..., rows) of targets (..., width) at q "
           "(..., nq): zero when all terms are met."),
    METHOD(jacobian,
           "jacobian($self, targets, q, /)\n--\n\nDerivative of the residual by v, (..., rows, nv)."),
    METHOD(judge,
           "judge($self, targets, q, /)\n--\n\nThe judge's word: met (bool), error, position error (m), "
           "orientation error (rad), each (...)."),
    METHOD(floor,
           "floor($self, targets, /)\n--\n\nMetres by which the lengths of the links alone put the point of "
           "every row of the core out of reach (..., terms); 0: not proved."),
    METHOD(measure,
           "measure($self, targets, q, /)\n--\n\nThe judge's word on every row of the core by itself: met "
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
