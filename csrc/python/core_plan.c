/* core_plan.c: type Plan: a problem, a solver and its settings, as a Solver keeps them. */
#include "python/core.h"

/* The plan of one solver; what is worked out of the problem alone is shared with the last plan made of it. NULL: *error. */
static hik_plan *create(ProblemObject *problem, int32_t solver, const hik_options *options,
                        hik_error *error) {
  hik_plan *plan, *like;
  CORE_LOCK(problem->lock);
  like = hik_plan_hold(problem->like);
  CORE_UNLOCK(problem->lock);
  Py_BEGIN_ALLOW_THREADS hik_plan_create(solver, problem->problem, options, like, &plan, error);
  Py_END_ALLOW_THREADS hik_plan_free(like);
  if (!plan) return NULL;
  CORE_LOCK(problem->lock);
  like = problem->like;
  problem->like = hik_plan_hold(plan);
  CORE_UNLOCK(problem->lock);
  hik_plan_free(like);
  return plan;
}

static PlanObject *wrap(const core_state *state, ProblemObject *problem, int32_t solver, hik_plan *plan,
                        const hik_options *options) {
  PlanObject *self = (PlanObject *)PyType_GenericAlloc(state->plan_type, 0);
  if (!self) {
    hik_plan_free(plan);
    return NULL;
  }
  self->plan = plan;
  self->problem = (ProblemObject *)Py_NewRef((PyObject *)problem);
  self->trace_rows = hik_trace_rows(problem->problem, options);
  self->solver = PyUnicode_InternFromString(hik_row(HIK_SOLVERS, solver).name);
  if (!self->solver) Py_CLEAR(self);
  return self;
}

PlanObject *core_plan_make(const core_state *state, ProblemObject *problem, PyObject *name,
                           PyObject *settings) {
  int32_t solver = 0, last = hik_count(HIK_SOLVERS) - 1;
  if (name != Py_None && (solver = last = core_find_solver(state, name)) < 0) return NULL;
  for (; solver <= last; solver++) {
    hik_options options;
    hik_error error = {HIK_OK, -1, ""};
    if (!core_settings(state, settings, solver, &options)) return NULL;
    hik_plan *plan = create(problem, solver, &options, &error);
    if (plan) return wrap(state, problem, solver, plan, &options);
    if (error.status == HIK_UNSUPPORTED && solver < last) continue;
    core_raise(state, &error);
    break;
  }
  return NULL;
}

static int plan_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT((PyObject *)((PlanObject *)self)->problem);
  return 0;
}

/* No tp_clear: a plan must never outlive its problem, and every cycle it can be in goes through a model's last call. */
static void plan_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PlanObject *self = (PlanObject *)object;
  PyObject_GC_UnTrack(object);
  hik_plan_free(self->plan);
  core_drop(self->problem);
  Py_XDECREF(self->solver);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject *plan_solver(PyObject *self, void *closure) {
  (void)closure;
  return Py_NewRef(((PlanObject *)self)->solver);
}

static PyObject *plan_problem(PyObject *self, void *closure) {
  (void)closure;
  return Py_NewRef((PyObject *)((PlanObject *)self)->problem);
}

static PyObject *plan_cloud(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(hik_plan_cloud(((PlanObject *)self)->plan));
}

static PyGetSetDef plan_getset[] = {
    {"solver", plan_solver, NULL, "Name of the solver that took the problem.", NULL},
    {"problem", plan_problem, NULL, "What it solves.", NULL},
    {"cloud", plan_cloud, NULL,
     "Postures that the solver carries from one target of a motion to the next; 0: none.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef plan_methods[] = {
    {"solve", (PyCFunction)(void (*)(void))core_plan_solve, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     core_plan_solve_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_doc, "A problem, a solver and its settings, made ready; a `handik.Solver` makes and keeps them."},
    {Py_tp_dealloc, plan_dealloc},
    {Py_tp_traverse, plan_traverse},
    {Py_tp_methods, plan_methods},
    {Py_tp_getset, plan_getset},
    {0, NULL},
};

PyType_Spec core_plan_spec = {
    .name = "handik._core.Plan",
    .basicsize = sizeof(PlanObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = plan_slots,
};
