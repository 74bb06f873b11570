/* core_analytic.c: type Analytic: closed forms for one frame of a model. */
#include "python/core.h"

#include "analytic/analytic.h"

typedef struct AnalyticObject {
  PyObject_HEAD hik_analytic *analytic; /* holds what it needs of the model */
  int32_t nq;
  npy_intp cost; /* of one pose, in the small steps of core_run_rows */
} AnalyticObject;

/* Small steps of one pose by a closed form, an eigenproblem, all eliminations, and of a search for the nearest. */
enum { CLOSED = 64, GENERAL = 4096, THOROUGH = 1 << 20, NEAREST = 1 << 17 };

static PyObject *analytic_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *keywords[] = {"model", "frame", "position", "lock", "thorough", NULL};
  core_state *state = core_state_of_type(type);
  PyObject *model, *frame_object;
  int position = 0, lock = -1, thorough = 0;
  if (!state || !PyArg_ParseTupleAndKeywords(args, kwargs, "O!O|pip:Analytic", keywords, state->model_type,
                                             &model, &frame_object, &position, &lock, &thorough))
    return NULL;
  int32_t frame = core_frame(state, (ModelObject *)model, frame_object);
  if (frame < 0) return NULL;
  hik_analytic *analytic;
  hik_error error = {HIK_OK, -1, ""};
  if (hik_analytic_create(((ModelObject *)model)->model, frame, position ? HIK_TASK_POSITION : HIK_TASK_POSE,
                          lock, thorough, &analytic, &error))
    return core_raise(state, &error);
  AnalyticObject *self = (AnalyticObject *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) {
    hik_analytic_free(analytic);
    return NULL;
  }
  self->analytic = analytic;
  self->nq = ((ModelObject *)model)->sizes.nq;
  bool general = strcmp(hik_analytic_about(analytic).method, "general") == 0;
  self->cost = thorough ? THOROUGH : general ? GENERAL : CLOSED;
  return (PyObject *)self;
}

static void analytic_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  hik_analytic_free(((AnalyticObject *)self)->analytic);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *analytic_method(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(hik_analytic_about(((AnalyticObject *)self)->analytic).method);
}

static PyObject *analytic_why(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(hik_analytic_about(((AnalyticObject *)self)->analytic).why);
}

static PyObject *analytic_locked(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(hik_analytic_about(((AnalyticObject *)self)->analytic).locked);
}

static PyObject *analytic_coordinates(PyObject *self, void *closure) {
  (void)closure;
  hik_analytic_info about = hik_analytic_about(((AnalyticObject *)self)->analytic);
  PyObject *list = PyList_New(about.joints);
  for (int32_t k = 0; list && k < about.joints; k++) {
    PyObject *at = PyLong_FromLong(about.q[k]);
    if (!at || PyList_SetItem(list, k, at) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *analytic_has_arm_angle(PyObject *self, void *closure) {
  (void)closure;
  return PyBool_FromLong(hik_analytic_has_arm_angle(((AnalyticObject *)self)->analytic));
}

static PyGetSetDef analytic_getset[] = {
    {"method", analytic_method, NULL, "wrist, parallel, slides, general, planar or two.", NULL},
    {"why", analytic_why, NULL, "One sentence: what was recognised.", NULL},
    {"locked", analytic_locked, NULL, "Coordinate of q that must be given, -1: none.", NULL},
    {"coordinates", analytic_coordinates, NULL, "Coordinates of q that move the frame, world first.", NULL},
    {"has_arm_angle", analytic_has_arm_angle, NULL, "Whether shoulder and wrist are spherical.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- batches ---- */

typedef struct job {
  const hik_analytic *analytic;
  npy_intp nq;
  const double *from,
      *given; /* poses or postures, and one number a row: values of the locked joint, angles */
  double *to, *far, scale;
  int32_t *count;
  uint8_t *is_free;
  bool *sure;
} job;

static void solve_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  hik_analytic_solve(j->analytic, n, j->from + 16 * first, j->given ? j->given + first : NULL,
                     j->to + first * HIK_ANALYTIC_MOST * j->nq, j->count + first,
                     j->is_free + first * HIK_ANALYTIC_MOST, j->sure + first, scratch);
}

static void closest_rows(void *context, int64_t first, int64_t n, void *scratch) {
  job *j = context;
  for (int64_t k = first; k < first + n; k++) {
    double scale = 1; /* that of the arm: the same for every pose */
    j->far[k] = hik_analytic_closest(j->analytic, j->from + 16 * k, j->given ? j->given[k] : NAN,
                                     j->to + j->nq * k, &scale, scratch);
    if (k == 0) j->scale = scale;
  }
}

static void swivel_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  hik_analytic_swivel(j->analytic, n, j->from + 16 * first, j->given + first, j->to + 8 * j->nq * first);
}

static void arm_angle_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  (void)scratch;
  hik_analytic_arm_angle(j->analytic, n, j->from + j->nq * first, j->to + first);
}

static bool run(const core_state *state, const AnalyticObject *self, hik_rows_fn *work, job *j, npy_intp n,
                npy_intp cost, PyObject *threads) {
  bool scratch = work == solve_rows || work == closest_rows;
  core_rows rows = {.n = n, .cost = cost, .work = work, .context = j};
  if (scratch) rows.scratch = hik_analytic_scratch_size(self->analytic);
  return core_threads(state, threads, &rows.threads) && core_run_rows(state, &rows);
}

/* Replaces *a, unless it is NULL, where it shares memory with `out`. */
static bool apart(PyArrayObject **a, PyArrayObject *out) { return !*a || core_apart(a, out); }

static PyObject *analytic_solve(PyObject *self_object, PyTypeObject *defining, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"T", "locked", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  AnalyticObject *self = (AnalyticObject *)self_object;
  PyObject *slot[4], *result = NULL;
  if (!core_arguments("solve", args, nargs, kwnames, names, 4, 1, slot)) return NULL;
  npy_intp n, m, core[2] = {HIK_ANALYTIC_MOST, self->nq};
  bool with_lock = hik_analytic_about(self->analytic).locked >= 0;
  PyArrayObject *T = core_poses(state, slot[0], &n), *locked = NULL;
  if (!T) return NULL;
  if (with_lock != (slot[1] && slot[1] != Py_None))
    PyErr_SetString(state->argument_error,
                    with_lock ? "locked must be given" : "this arm has no joint to lock");
  else if (with_lock && (locked = core_array(state, slot[1], "locked", NULL, 0, &m)) && m != n)
    PyErr_SetString(state->argument_error, "T and locked must have the same leading axes");
  PyArrayObject *q = NULL, *count = NULL, *is_free = NULL, *sure = NULL;
  if (!PyErr_Occurred()) {
    q = core_output(state, slot[2], T, 2, core, 2);
    count = q ? core_new(state, T, 2, NULL, 0, NPY_INT32, false) : NULL;
    is_free = count ? core_new(state, T, 2, core, 1, NPY_UINT8, false) : NULL;
    sure = is_free ? core_new(state, T, 2, NULL, 0, NPY_BOOL, false) : NULL;
  }
  if (sure && apart(&T, q) && apart(&locked, q)) {
    job j = {.analytic = self->analytic,
             .nq = self->nq,
             .from = PyArray_DATA(T),
             .given = locked ? PyArray_DATA(locked) : NULL,
             .to = PyArray_DATA(q),
             .count = PyArray_DATA(count),
             .is_free = PyArray_DATA(is_free),
             .sure = PyArray_DATA(sure)};
    if (run(state, self, solve_rows, &j, n, self->cost, slot[3]))
      result = PyTuple_Pack(4, q, count, is_free, sure);
  }
  core_drop(T);
  core_drop(locked);
  core_drop(q);
  core_drop(count);
  core_drop(is_free);
  core_drop(sure);
  return result;
}

/* ---- one pose ---- */

enum { MOST_NQ = 64, SMALL = 64 }; /* of a model, and bytes of scratch, for the short way */

PyObject *core_analytic_postures(PyObject *object, const double *T, bool *sure) {
  AnalyticObject *self = (AnalyticObject *)object;
  double row[HIK_ANALYTIC_MOST * MOST_NQ], small[SMALL / sizeof(double)];
  int32_t count;
  uint8_t is_free[HIK_ANALYTIC_MOST], bits = 0;
  size_t size = hik_analytic_scratch_size(self->analytic);
  if (self->nq > MOST_NQ) return NULL;
  void *scratch = size > sizeof small ? hik_allocate(size) : small;
  if (!scratch) return PyErr_NoMemory();
  hik_analytic_solve(self->analytic, 1, T, NULL, row, &count, is_free, sure, scratch);
  if (scratch != small) hik_release(scratch);
  for (int k = 0; k < HIK_ANALYTIC_MOST; k++) bits |= is_free[k];
  if (bits) return NULL;
  npy_intp dims[2] = {count, self->nq};
  PyObject *q = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
  if (q) memcpy(PyArray_DATA((PyArrayObject *)q), row, (size_t)count * (size_t)self->nq * sizeof *row);
  return q;
}

static PyObject *analytic_closest(PyObject *self_object, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"T", "locked", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  AnalyticObject *self = (AnalyticObject *)self_object;
  PyObject *slot[3], *result = NULL;
  if (!core_arguments("closest", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  npy_intp n, m, core = self->nq;
  PyArrayObject *T = core_poses(state, slot[0], &n), *locked = NULL, *q = NULL, *error = NULL;
  if (T && slot[1] && slot[1] != Py_None && (locked = core_array(state, slot[1], "locked", NULL, 0, &m)) &&
      m != n)
    PyErr_SetString(state->argument_error, "T and locked must have the same leading axes");
  if (T && !PyErr_Occurred()) {
    q = core_new(state, T, 2, &core, 1, NPY_DOUBLE, false);
    error = q ? core_new(state, T, 2, NULL, 0, NPY_DOUBLE, false) : NULL;
  }
  if (error) {
    job j = {.analytic = self->analytic,
             .nq = self->nq,
             .from = PyArray_DATA(T),
             .given = locked ? PyArray_DATA(locked) : NULL,
             .to = PyArray_DATA(q),
             .far = PyArray_DATA(error),
             .scale = 1};
    if (run(state, self, closest_rows, &j, n, self->cost + NEAREST, slot[2]))
      result = Py_BuildValue("(OOd)", q, error, j.scale);
  }
  core_drop(T);
  core_drop(locked);
  core_drop(q);
  core_drop(error);
  return result;
}

static PyObject *analytic_swivel(PyObject *self_object, PyTypeObject *defining, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"T", "angle", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  AnalyticObject *self = (AnalyticObject *)self_object;
  PyObject *slot[4];
  if (!core_arguments("swivel", args, nargs, kwnames, names, 4, 2, slot)) return NULL;
  npy_intp n, m, core[2] = {8, self->nq};
  PyArrayObject *T = core_poses(state, slot[0], &n), *q = NULL;
  PyArrayObject *angle = T ? core_array(state, slot[1], "angle", NULL, 0, &m) : NULL;
  if (angle && n != m)
    PyErr_SetString(state->argument_error, "T and angle must have the same leading axes");
  else if (angle)
    q = core_output(state, slot[2], T, 2, core, 2);
  if (q) {
    bool good = apart(&T, q) && apart(&angle, q);
    job j = {.analytic = self->analytic,
             .nq = self->nq,
             .from = PyArray_DATA(T),
             .given = PyArray_DATA(angle),
             .to = PyArray_DATA(q)};
    if (!good || !run(state, self, swivel_rows, &j, n, CLOSED, slot[3])) {
      core_drop(q);
      q = NULL;
    }
  }
  core_drop(T);
  core_drop(angle);
  return (PyObject *)q;
}

static PyObject *analytic_arm_angle(PyObject *self_object, PyTypeObject *defining, PyObject *const *args,
                                    Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  AnalyticObject *self = (AnalyticObject *)self_object;
  PyObject *slot[3];
  if (!core_arguments("arm_angle", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  npy_intp n, core = self->nq;
  PyArrayObject *q = core_array(state, slot[0], "q", &core, 1, &n);
  PyArrayObject *angle = q ? core_output(state, slot[1], q, 1, NULL, 0) : NULL;
  if (angle) {
    bool good = apart(&q, angle);
    job j = {.analytic = self->analytic, .nq = self->nq, .from = PyArray_DATA(q), .to = PyArray_DATA(angle)};
    if (!good || !run(state, self, arm_angle_rows, &j, n, CLOSED, slot[2])) {
      core_drop(angle);
      angle = NULL;
    }
  }
  core_drop(q);
  return (PyObject *)angle;
}

#define METHOD(name, doc)                                                                                    \
  {#name, (PyCFunction)(void (*)(void))analytic_##name, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef analytic_methods[] = {
    METHOD(solve, "solve($self, T, /, *, locked=None, out=None, threads=1)\n--\n\nPoses (..., 4, 4) to q "
                  "(..., 16, nq) padded "
                  "with NaN, count "
                  "(...), free (..., 16) bits by joint of the chain, sure (...)."),
    METHOD(closest,
           "closest($self, T, /, *, locked=None, threads=1)\n--\n\nNearest q (..., nq), error (...), and the "
           "length that a radian "
           "weighs as."),
    METHOD(swivel, "swivel($self, T, angle, /, *, out=None, threads=1)\n--\n\nPoses (..., 4, 4) and arm "
                   "angles (...) to q (..., 8, nq): one "
                   "slot a branch, NaN where it has no posture."),
    METHOD(arm_angle,
           "arm_angle($self, q, /, *, out=None, threads=1)\n--\n\nArm angle (...) of postures (..., nq)."),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot analytic_slots[] = {
    {Py_tp_doc, "Closed forms for one frame of a model; `handik.Model.solutions` is what to use."},
    {Py_tp_new, analytic_new},
    {Py_tp_dealloc, analytic_dealloc},
    {Py_tp_methods, analytic_methods},
    {Py_tp_getset, analytic_getset},
    {0, NULL},
};

PyType_Spec core_analytic_spec = {
    .name = "handik._core.Analytic",
    .basicsize = sizeof(AnalyticObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = analytic_slots,
};
