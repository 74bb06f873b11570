/* core_fast.c: the short way for one target: type Solver, and Model.solve.

   A call that repeats an earlier one with another target needs no Python: a Solver keeps the plan of the problem it solved
   last, a model the plan of its last call of solve. The target goes straight to hik_plan_solve, and the Result is filled in
   from here. Everything else, and the first call, takes the long way in handik/solve/call.py, which is also the only place that
   says what is wrong with an argument. */
#include "python/core.h"

#include "base/base.h"

/* It does not change: only the plan, which follows from the rest and a problem, is another after a call with another. */
typedef struct SolverObject {
  PyObject_HEAD core_state *state; /* of the module, which the class keeps */
  PyObject *name, *settings;       /* a text or None; a dict that nobody else holds */
  PlanObject *plan;                /* of the last problem, NULL: none */
  core_lock lock;                  /* of `plan` */
} SolverObject;

/* ---- results ---- */

enum {
  F_Q,
  F_OUTCOME,
  F_ERROR,
  F_POSITION,
  F_ORIENTATION,
  F_ITERATIONS,
  F_REMEDIES,
  F_TRACE,
  F_SOLVER,
  F_PROBLEM,
  F_TARGETS,
  F_METHOD,
  FIELDS
};

static const char *const field_names[FIELDS] = {
    "q",          "outcome", "error",  "position_error", "orientation_error", "iterations",
    "n_restarts", "trace",   "solver", "problem",        "targets",           "method"};

/* The members of the class Result, in the order of the fields, and how all of them are set. */
static PyObject *members_of(PyObject *type, descrsetfunc *set) {
  PyObject *members = PyTuple_New(FIELDS);
  for (int k = 0; members && k < FIELDS; k++) {
    PyObject *member = PyObject_GetAttrString(type, field_names[k]);
    descrsetfunc own = member ? (descrsetfunc)PyType_GetSlot(Py_TYPE(member), Py_tp_descr_set) : NULL;
    if (k == 0) *set = own;
    if (member && (!own || own != *set)) {
      PyErr_Format(PyExc_TypeError, "field %s of handik.Result is no slot", field_names[k]);
      Py_CLEAR(member);
    }
    if (!member || PyTuple_SetItem(members, k, member) < 0) Py_CLEAR(members);
  }
  return members;
}

/* The class Result and the enumerations of its outcomes and methods, in order of their values 0, 1, .. */
bool core_bind_result(core_state *state, PyObject *type, PyObject *words, PyObject *kinds) {
  if (!PyType_Check(type)) {
    PyErr_SetString(PyExc_TypeError, "Result must be a class");
    return false;
  }
  descrsetfunc set;
  PyObject *outcomes = PySequence_Tuple(words), *methods = outcomes ? PySequence_Tuple(kinds) : NULL;
  PyObject *members = methods ? members_of(type, &set) : NULL;
  if (!members) {
    Py_XDECREF(outcomes);
    Py_XDECREF(methods);
    return false;
  }
  PyObject *old[] = {(PyObject *)state->result_type, state->result_members, state->outcomes, state->methods};
  state->result_type = (PyTypeObject *)Py_NewRef(type), state->result_members = members;
  state->outcomes = outcomes, state->methods = methods, state->result_set = set;
  for (int k = 0; k < 4; k++) Py_XDECREF(old[k]);
  return true;
}

/* A Result with these fields (stolen); it is frozen to everyone else. By its slots: names would be looked up each time. */
static PyObject *new_result(const core_state *state, PyObject **value) {
  PyObject *result = PyType_GenericAlloc(state->result_type, 0);
  for (int k = 0; k < FIELDS; k++) {
    PyObject *member = PyTuple_GetItem(state->result_members, k);
    if (result && !(value[k] && state->result_set(member, result, value[k]) == 0)) Py_CLEAR(result);
    Py_XDECREF(value[k]);
  }
  return result;
}

/* ---- one target ---- */

enum { FEW = 64 };

/* q0 where nobody else writes to it: in `few`, or in *kept, which is the caller's to drop. NULL: no memory. */
static const double *own_start(const double *q0, npy_intp nq, double few[FEW], PyArrayObject **kept) {
  *kept = nq > FEW ? (PyArrayObject *)PyArray_SimpleNew(1, &nq, NPY_DOUBLE) : NULL;
  double *to = nq > FEW ? (*kept ? PyArray_DATA(*kept) : NULL) : few;
  if (to) memcpy(to, q0, (size_t)nq * sizeof *q0);
  return to;
}

/* Target and start are copied before the GIL goes: what is solved is what the Result shows, whoever writes meanwhile. */
static PyObject *solve_one(core_state *state, PlanObject *plan, const double *target, const double *q0) {
  npy_intp nq = plan->problem->model->sizes.nq, width = hik_problem_target_width(plan->problem->problem);
  double few[FEW];
  PyArrayObject *kept = NULL;
  if (q0 && !(q0 = own_start(q0, nq, few, &kept))) return NULL;
  PyArrayObject *q =
      core_bound(state, state->result_type) ? (PyArrayObject *)PyArray_SimpleNew(1, &nq, NPY_DOUBLE) : NULL;
  PyArrayObject *row = q ? (PyArrayObject *)PyArray_SimpleNew(1, &width, NPY_DOUBLE) : NULL;
  PyObject *value[FIELDS] = {(PyObject *)q};
  int8_t outcome = 0, method = 0;
  int32_t iterations = 0, remedies = 0;
  double error = 0, position = 0, orientation = 0;
  if (row) {
    memcpy(PyArray_DATA(row), target, (size_t)width * sizeof *target);
    hik_batch batch = {.n = 1,
                       .target = PyArray_DATA(row),
                       .q0 = q0,
                       .q = PyArray_DATA(q),
                       .outcome = &outcome,
                       .iterations = &iterations,
                       .n_restarts = &remedies,
                       .method = &method,
                       .error = &error,
                       .position_error = &position,
                       .orientation_error = &orientation};
    if (core_run(state, plan, NULL, &batch)) {
      value[F_OUTCOME] = Py_XNewRef(PyTuple_GetItem(state->outcomes, outcome));
      value[F_ERROR] = PyFloat_FromDouble(error);
      value[F_POSITION] = PyFloat_FromDouble(position);
      value[F_ORIENTATION] = PyFloat_FromDouble(orientation);
      value[F_ITERATIONS] = PyLong_FromLong(iterations);
      value[F_REMEDIES] = PyLong_FromLong(remedies);
      value[F_TRACE] = Py_NewRef(Py_None);
      value[F_SOLVER] = Py_NewRef(plan->solver);
      value[F_PROBLEM] = Py_NewRef((PyObject *)plan->problem);
      value[F_TARGETS] = (PyObject *)row;
      value[F_METHOD] = Py_XNewRef(PyTuple_GetItem(state->methods, method));
      core_drop(kept);
      return new_result(state, value);
    }
  }
  core_drop(row);
  core_drop(q);
  core_drop(kept);
  return NULL;
}

/* An array of doubles of this shape, aligned and of this machine's order, however its numbers are apart; or NULL. */
static PyArrayObject *doubles_of(PyObject *object, int axes, npy_intp rows, npy_intp columns) {
  if (!object || !PyArray_CheckExact(object)) return NULL;
  PyArrayObject *a = (PyArrayObject *)object;
  bool fits = PyArray_TYPE(a) == NPY_DOUBLE && PyArray_NDIM(a) == axes && PyArray_DIM(a, 0) == rows &&
              (axes == 1 || PyArray_DIM(a, 1) == columns) && PyArray_ISBEHAVED_RO(a);
  return fits ? a : NULL;
}

const double *core_plain(PyObject *object, int axes, npy_intp rows, npy_intp columns) {
  PyArrayObject *a = doubles_of(object, axes, rows, columns);
  return a && PyArray_ISCARRAY_RO(a) ? PyArray_DATA(a) : NULL;
}

/* As core_plain; numbers that lie apart, as those of T[:3, 3] do, are copied to `room`. */
static const double *gathered(PyObject *object, int axes, npy_intp rows, npy_intp columns, double *room) {
  PyArrayObject *a = doubles_of(object, axes, rows, columns);
  if (!a || PyArray_ISCARRAY_RO(a)) return a ? PyArray_DATA(a) : NULL;
  for (npy_intp i = 0; i < rows; i++)
    for (npy_intp j = 0; j < (axes == 1 ? 1 : columns); j++)
      *room++ = *(const double *)(axes == 1 ? PyArray_GETPTR1(a, i) : PyArray_GETPTR2(a, i, j));
  return room - rows * (axes == 1 ? 1 : columns);
}

/* ---- Solver ---- */

/* Solver(name, settings), of handik/solve/call.py: settings is a dict that is kept, and not touched by anyone from then on. */
static PyObject *solver_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *keywords[] = {"name", "settings", NULL};
  PyObject *name, *settings;
  core_state *state = core_state_of_type(type);
  if (!state ||
      !PyArg_ParseTupleAndKeywords(args, kwargs, "OO!:Solver", keywords, &name, &PyDict_Type, &settings))
    return NULL;
  SolverObject *self = (SolverObject *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) return NULL;
  self->state = state;
  self->name = Py_NewRef(name);
  self->settings = Py_NewRef(settings);
  return (PyObject *)self;
}

static int solver_traverse(PyObject *object, visitproc visit, void *arg) {
  SolverObject *self = (SolverObject *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->name);
  Py_VISIT(self->settings);
  Py_VISIT((PyObject *)self->plan);
  return 0;
}

static int solver_clear(PyObject *object) {
  SolverObject *self = (SolverObject *)object;
  PlanObject *plan = self->plan;
  self->plan = NULL;
  core_drop(plan);
  return 0;
}

static void solver_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  SolverObject *self = (SolverObject *)object;
  PyObject_GC_UnTrack(object);
  solver_clear(object);
  Py_XDECREF(self->name);
  Py_XDECREF(self->settings);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/* The plan kept, if it is of this problem (new reference); NULL, without an exception: it is not. */
static PlanObject *kept_plan(SolverObject *self, const PyObject *problem) {
  CORE_LOCK(self->lock);
  PlanObject *plan = self->plan && (PyObject *)self->plan->problem == problem ? self->plan : NULL;
  Py_XINCREF((PyObject *)plan);
  CORE_UNLOCK(self->lock);
  return plan;
}

/* _plan(problem): the plan kept, or a new one, which is kept from then on. */
static PyObject *solver_plan(PyObject *object, PyObject *problem) {
  SolverObject *self = (SolverObject *)object;
  if (!PyObject_TypeCheck(problem, self->state->problem_type)) {
    PyErr_Format(PyExc_TypeError, "problem must be a handik Problem, got %R", problem);
    return NULL;
  }
  PlanObject *plan = kept_plan(self, problem), *old;
  if (plan) return (PyObject *)plan;
  plan = core_plan_make(self->state, (ProblemObject *)problem, self->name, self->settings);
  if (!plan) return NULL;
  CORE_LOCK(self->lock);
  old = self->plan;
  self->plan = (PlanObject *)Py_NewRef((PyObject *)plan);
  CORE_UNLOCK(self->lock);
  core_drop(old);
  return (PyObject *)plan;
}

/* solver(problem, targets, q0=None): for the problem of its plan and one plain target; else self._call(...). */
static PyObject *solver_call(PyObject *object, PyObject *args, PyObject *kwargs) {
  SolverObject *self = (SolverObject *)object;
  core_state *state = self->state;
  Py_ssize_t named = kwargs ? PyDict_Size(kwargs) : 0;
  PlanObject *plan = named <= 1 && PyTuple_Size(args) == 2 ? kept_plan(self, PyTuple_GetItem(args, 0)) : NULL;
  if (plan) {
    const double *target =
        core_plain(PyTuple_GetItem(args, 1), 1, hik_problem_target_width(plan->problem->problem), 0);
    PyObject *given = named ? PyDict_GetItemWithError(kwargs, state->q0_name) : NULL, *result = NULL;
    const double *q0 = given ? core_plain(given, 1, plan->problem->model->sizes.nq, 0) : NULL;
    bool plain = target && (!named || q0);
    if (plain) result = solve_one(state, plan, target, q0);
    core_drop(plan);
    if (plain) return result;
  }
  if (PyErr_Occurred()) return NULL;
  PyObject *method = PyObject_GetAttr(object, state->call_name), *result = NULL;
  if (method) result = PyObject_Call(method, args, kwargs);
  Py_XDECREF(method);
  return result;
}

static PyObject *solver_name(PyObject *self, void *closure) {
  (void)closure;
  return Py_NewRef(((SolverObject *)self)->name);
}

static PyObject *solver_settings(PyObject *self, void *closure) {
  (void)closure;
  return PyDictProxy_New(((SolverObject *)self)->settings);
}

static PyGetSetDef solver_getset[] = {
    {"name", solver_name, NULL, "Of the solver; None: the first that takes the problem.", NULL},
    {"settings", solver_settings, NULL, "What it was made with, to be read.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef solver_methods[] = {
    {"_plan", solver_plan, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot solver_slots[] = {
    {Py_tp_doc, "A solver's name, settings and plan; `handik.Solver` is what to use."},
    {Py_tp_new, solver_new},
    {Py_tp_dealloc, solver_dealloc},
    {Py_tp_traverse, solver_traverse},
    {Py_tp_clear, solver_clear},
    {Py_tp_call, solver_call},
    {Py_tp_methods, solver_methods},
    {Py_tp_getset, solver_getset},
    {0, NULL},
};

PyType_Spec core_solver_spec = {
    .name = "handik._core.Solver",
    .basicsize = sizeof(SolverObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = solver_slots,
};

/* ---- Model.solve ---- */

enum { POSE, POSITION, NEITHER };

/* A call of Model.solve that may come again: the names given, and the settings among the values. */
struct core_recalled {
  PyObject *names;  /* tuple */
  PyObject *values; /* tuple as long: a setting, or None where the target or q0 stands */
  PlanObject *plan;
  int kind;
  Py_ssize_t target, q0; /* places, q0 -1: not given */
};

int core_visit_recalled(const core_recalled *r, visitproc visit, void *arg) {
  Py_VISIT(r->names);
  Py_VISIT(r->values);
  Py_VISIT((PyObject *)r->plan);
  return 0;
}

void core_drop_recalled(core_recalled *r) {
  if (!r) return;
  Py_XDECREF(r->names);
  Py_XDECREF(r->values);
  Py_XDECREF((PyObject *)r->plan);
  PyMem_Free(r);
}

static bool simple(PyObject *x) {
  return x == Py_None || PyBool_Check(x) || PyFloat_CheckExact(x) || PyLong_CheckExact(x) ||
         PyUnicode_CheckExact(x);
}

static bool same_setting(PyObject *a, PyObject *b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  int equal = PyObject_RichCompareBool(a, b, Py_EQ); /* simple: no code of others runs */
  return equal == 1;
}

/* Plain texts alone: the comparison of any other could run code that makes this model forget what is compared. */
static bool same_name(PyObject *a, PyObject *b) {
  return a == b || (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b) && PyUnicode_Compare(a, b) == 0);
}

static bool same_names(PyObject *a, PyObject *b) {
  Py_ssize_t n = PyTuple_Size(a);
  if (a == b) return true;
  if (PyTuple_Size(b) != n) return false;
  for (Py_ssize_t k = 0; k < n; k++)
    if (!same_name(PyTuple_GetItem(a, k), PyTuple_GetItem(b, k))) return false;
  return true;
}

static bool recalls(const core_recalled *r, PyObject *const *args, PyObject *kwnames) {
  if (!same_names(kwnames, r->names)) return false;
  for (Py_ssize_t k = 0, n = PyTuple_Size(kwnames); k < n; k++)
    if (k != r->target && k != r->q0 && !same_setting(args[k], PyTuple_GetItem(r->values, k))) return false;
  return true;
}

static bool is_word(PyObject *name, const char *word) {
  return PyUnicode_CompareWithASCIIString(name, word) == 0;
}

/* Notes argument k of a call; false: it is more than the short way takes. */
static bool note_argument(core_recalled *r, PyObject *name, PyObject *value, Py_ssize_t k) {
  static const char *const never[] = {"out", "progress", "orientation", "axis"};
  bool pose = is_word(name, "pose");
  if (pose || is_word(name, "position")) {
    bool first = r->kind == NEITHER;
    r->kind = pose ? POSE : POSITION;
    r->target = k;
    return first && value != Py_None;
  }
  if (is_word(name, "q0")) {
    r->q0 = k;
    return value != Py_None;
  }
  for (int i = 0; i < HIK_COUNT_OF(never) && value != Py_None; i++)
    if (is_word(name, never[i])) return false;
  return simple(value) && (value == Py_False || !is_word(name, "trace"));
}

/* The target of a call and its start, as the short way reads them; NULL: it cannot. */
static const double *plain_target(const core_recalled *r, PyObject *const *args, double room[16]) {
  return r->kind == POSE ? gathered(args[r->target], 2, 4, 4, room)
                         : gathered(args[r->target], 1, 3, 0, room);
}

static const double *plain_start(const core_recalled *r, const ModelObject *self, PyObject *const *args) {
  return r->q0 >= 0 ? core_plain(args[r->q0], 1, self->sizes.nq, 0) : NULL;
}

/* The result, or NULL without an exception: take the long way. */
static PyObject *short_way(core_state *state, ModelObject *self, PyObject *const *args, PyObject *kwnames) {
  const core_recalled *r = self->recalled;
  if (!r || !kwnames || !recalls(r, args, kwnames)) return NULL;
  double columns[7], room[16];
  const double *target = plain_target(r, args, room), *q0 = plain_start(r, self, args);
  if (!target || (r->q0 >= 0 && !q0)) return NULL;
  if (r->kind == POSE) {
    if (!core_pose_row(target, columns)) return NULL;
    target = columns;
  }
  PlanObject *plan = (PlanObject *)Py_NewRef((PyObject *)r->plan); /* another call may replace it */
  PyObject *result = solve_one(state, plan, target, q0);
  core_drop(plan);
  return result;
}

/* Remembers a call whose settings are simple and whose one goal is a pose or a position, as the short way can take it. */
static void recall(ModelObject *self, PyObject *const *args, PyObject *kwnames, PyObject *plan) {
  Py_ssize_t n = kwnames ? PyTuple_Size(kwnames) : 0;
  core_recalled r = {.kind = NEITHER, .target = -1, .q0 = -1};
  for (Py_ssize_t k = 0; k < n; k++)
    if (!note_argument(&r, PyTuple_GetItem(kwnames, k), args[k], k)) return;
  double room[16];
  if (!CORE_REMEMBER || r.kind == NEITHER || !plain_target(&r, args, room)) return;
  if (r.q0 >= 0 && !plain_start(&r, self, args)) return;
  PyObject *values = PyTuple_New(n);
  core_recalled *made = values ? PyMem_Calloc(1, sizeof *made) : NULL;
  for (Py_ssize_t k = 0; made && k < n; k++)
    PyTuple_SetItem(values, k, Py_NewRef(k == r.target || k == r.q0 ? Py_None : args[k]));
  if (!made) { /* without memory nothing is remembered */
    Py_XDECREF(values);
    PyErr_Clear();
    return;
  }
  r.names = Py_NewRef(kwnames), r.values = values, r.plan = (PlanObject *)Py_NewRef(plan);
  *made = r;
  core_recalled *old = self->recalled;
  self->recalled = made;
  core_drop_recalled(old);
}

PyObject *core_model_solve(PyObject *object, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames) {
  core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  if (nargs > 0) {
    PyErr_SetString(PyExc_TypeError,
                    "solve() takes named arguments only: pose=, position=, orientation= or axis=");
    return NULL;
  }
  PyObject *result = short_way(state, self, args, kwnames);
  if (result || PyErr_Occurred()) return result;
  if (!core_bound(state, state->solve_goal)) return NULL;
  PyObject *wishes = PyDict_New(), *keep = PyList_New(0), *positional = PyTuple_Pack(1, object);
  bool good = wishes && keep && positional;
  for (Py_ssize_t k = 0; good && kwnames && k < PyTuple_Size(kwnames); k++)
    good = PyDict_SetItem(wishes, PyTuple_GetItem(kwnames, k), args[k]) == 0;
  good = good && PyDict_SetItem(wishes, state->keep_name, keep) == 0;
  if (good) result = PyObject_Call(state->solve_goal, positional, wishes);
  if (result && PyList_Size(keep) == 1 && PyObject_TypeCheck(PyList_GetItem(keep, 0), state->plan_type))
    recall(self, args, kwnames, PyList_GetItem(keep, 0));
  Py_XDECREF(wishes);
  Py_XDECREF(keep);
  Py_XDECREF(positional);
  return result;
}
