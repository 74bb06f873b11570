/* core_model.c: type Model: the frozen C model, its arrays as read-only views, and its batch methods. */

#include "python/core.h"
#include "python/core_docs.h"

/* ---- making ---- */

/* An array argument of exactly this type and number of items (negative: any); NULL object gives NULL and true. */
static bool flat(const core_state *state, PyObject *object, const char *name, int type, int64_t items,
                 PyArrayObject **out) {
  *out = NULL;
  if (!object || object == Py_None) return true;
  *out = (PyArrayObject *)PyArray_FROM_OTF(object, type, NPY_ARRAY_IN_ARRAY);
  if (!*out) return false;
  if (items >= 0 && PyArray_SIZE(*out) != items) {
    PyErr_Format(state->argument_error, "%s must hold %lld numbers, got %lld", name, (long long)items,
                 (long long)PyArray_SIZE(*out));
    return false;
  }
  return true;
}

/* UTF-8 of each name, borrowed from the tuple; NULL array when there are none or memory is short (names are for
   sentences only). */
static const char **names_of(PyObject *tuple, npy_intp count) {
  if (!tuple || !PyTuple_Check(tuple) || PyTuple_Size(tuple) != count || count == 0) return NULL;
  const char **names = PyMem_Malloc((size_t)count * sizeof *names);
  for (npy_intp i = 0; names && i < count; i++) {
    Py_ssize_t size;
    names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), &size);
    if (!names[i]) {
      PyErr_Clear();
      names[i] = "?";
    }
  }
  return names;
}

enum {
  PARENT,
  KIND,
  AXIS,
  AXIS2,
  PLACEMENT,
  LOWER,
  UPPER,
  REST,
  MIMIC,
  MIMIC_LINE,
  FRAME_JOINT,
  FRAME_PLACEMENT,
  INERTIAL,
  MOTOR,
  SWING,
  CORNER_COUNT,
  CORNER,
  KNOT_COUNT,
  KNOT,
  KNOT_FULL,
  HOLD,
  MIMIC_SWING,
  ARRAYS
};

/* Their numbers for each joint, or frame; 0: as many as other arrays say. */
static const struct {
  const char *name;
  int type;
  int per;
} arrays[ARRAYS] = {
    {"parent", NPY_INT32, 1},      {"kind", NPY_INT32, 1},
    {"axis", NPY_DOUBLE, 3},       {"axis2", NPY_DOUBLE, 3},
    {"placement", NPY_DOUBLE, 12}, {"lower", NPY_DOUBLE, 0},
    {"upper", NPY_DOUBLE, 0},      {"rest", NPY_DOUBLE, 0},
    {"mimic", NPY_INT32, 1},       {"mimic_line", NPY_DOUBLE, 2},
    {"frame_joint", NPY_INT32, 1}, {"frame_placement", NPY_DOUBLE, 12},
    {"inertial", NPY_DOUBLE, 10},  {"motor", NPY_DOUBLE, 4},
    {"swing", NPY_DOUBLE, 6},      {"corner_count", NPY_INT32, 1},
    {"corner", NPY_DOUBLE, 0},     {"knot_count", NPY_INT32, 1},
    {"knot", NPY_DOUBLE, 0},       {"knot_full", NPY_DOUBLE, 1},
    {"hold", NPY_DOUBLE, 4},       {"mimic_swing", NPY_DOUBLE, HIK_FOLLOW_TERMS},
};

#define DATA(i) (a[i] ? PyArray_DATA(a[i]) : NULL)

static hik_model_def definition(PyArrayObject **a, const char **names) {
  hik_model_def def = hik_model_def_default();
  def.n_joint = (int32_t)PyArray_SIZE(a[PARENT]);
  def.n_frame = (int32_t)PyArray_SIZE(a[FRAME_JOINT]);
  def.parent = DATA(PARENT), def.kind = DATA(KIND), def.axis = DATA(AXIS), def.axis2 = DATA(AXIS2);
  def.placement = DATA(PLACEMENT), def.lower = DATA(LOWER), def.upper = DATA(UPPER), def.rest = DATA(REST);
  def.mimic = DATA(MIMIC), def.mimic_line = DATA(MIMIC_LINE), def.mimic_swing = DATA(MIMIC_SWING);
  def.frame_joint = DATA(FRAME_JOINT), def.frame_placement = DATA(FRAME_PLACEMENT);
  def.swing = DATA(SWING), def.hold = DATA(HOLD);
  def.corner_count = DATA(CORNER_COUNT), def.corner = DATA(CORNER);
  def.knot_count = DATA(KNOT_COUNT), def.knot = DATA(KNOT), def.knot_full = DATA(KNOT_FULL);
  def.inertial = DATA(INERTIAL), def.motor = DATA(MOTOR);
  def.joint_name = names;
  return def;
}

/* Number of coordinates the limits must have; -1 when a kind is unknown, which the core reports before it reads them. */
static npy_intp coordinates(PyArrayObject **a) {
  const int32_t *kind = PyArray_DATA(a[KIND]), *mimic = DATA(MIMIC);
  npy_intp n = 0;
  for (npy_intp j = 0; j < PyArray_SIZE(a[KIND]); j++) {
    if (kind[j] < 0 || kind[j] >= hik_count(HIK_JOINTS)) return -1;
    if (!(mimic && mimic[j] >= 0)) n += hik_row(HIK_JOINTS, kind[j]).width;
  }
  return n;
}

/* Rows of a length told by counts, one for each joint; without counts there are none. */
static bool take_rows(const core_state *state, PyObject **objects, int counts, int rows, int per,
                      PyArrayObject **a) {
  int64_t sum = 0;
  const int32_t *count = DATA(counts);
  for (npy_intp j = 0; count && j < PyArray_SIZE(a[counts]); j++) sum += count[j] > 0 ? count[j] : 0;
  return sum == 0 || flat(state, objects[rows], arrays[rows].name, NPY_DOUBLE, per * sum, &a[rows]);
}

/* The arrays whose length tells the sizes of the others. */
static bool take_sizes(const core_state *state, PyObject **objects, PyArrayObject **a) {
  if (!flat(state, objects[PARENT], "parent", NPY_INT32, -1, &a[PARENT])) return false;
  if (!flat(state, objects[FRAME_JOINT], "frame_joint", NPY_INT32, -1, &a[FRAME_JOINT])) return false;
  if (!a[PARENT] || !a[FRAME_JOINT]) {
    PyErr_SetString(PyExc_TypeError, "Model() needs parent and frame_joint");
    return false;
  }
  if (PyArray_SIZE(a[PARENT]) > INT32_MAX / 16 || PyArray_SIZE(a[FRAME_JOINT]) > INT32_MAX / 16) {
    PyErr_SetString(state->argument_error, "the model is too large");
    return false;
  }
  return true;
}

/* Those with so many numbers a joint or a frame. */
static bool take_rowwise(const core_state *state, PyObject **objects, PyArrayObject **a) {
  for (int i = 0; i < ARRAYS; i++) {
    if (a[i] || arrays[i].per == 0) continue;
    int64_t rows = PyArray_SIZE(a[i == FRAME_PLACEMENT ? FRAME_JOINT : PARENT]);
    if (!flat(state, objects[i], arrays[i].name, arrays[i].type, arrays[i].per * rows, &a[i])) return false;
  }
  if (a[KIND] && a[AXIS] && a[PLACEMENT] && a[FRAME_PLACEMENT] && (!a[MIMIC] || a[MIMIC_LINE])) return true;
  PyErr_SetString(PyExc_TypeError,
                  "Model() needs kind, axis, placement, frame_placement, and mimic_line with mimic");
  return false;
}

/* Those with a number for each coordinate. */
static bool take_coordinates(const core_state *state, PyObject **objects, PyArrayObject **a) {
  npy_intp nq = coordinates(a);
  for (int i = LOWER; i <= REST; i++)
    if (!flat(state, objects[i], arrays[i].name, NPY_DOUBLE, nq, &a[i])) return false;
  if (a[LOWER] && a[UPPER]) return true;
  PyErr_SetString(PyExc_TypeError, "Model() needs lower and upper");
  return false;
}

static bool take_arrays(const core_state *state, PyObject **objects, PyArrayObject **a) {
  return take_sizes(state, objects, a) && take_rowwise(state, objects, a) &&
         take_rows(state, objects, CORNER_COUNT, CORNER, 2, a) &&
         take_rows(state, objects, KNOT_COUNT, KNOT, 3, a) && take_coordinates(state, objects, a);
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *keywords[] = {
      "parent",       "kind",        "axis",       "axis2",      "placement",   "lower",
      "upper",        "rest",        "mimic",      "mimic_line", "frame_joint", "frame_placement",
      "joint_names",  "frame_index", "tip",        "inertial",   "motor",       "swing",
      "corner_count", "corner",      "knot_count", "knot",       "knot_full",   "hold",
      "mimic_swing",  NULL};
  PyObject *objects[ARRAYS] = {NULL}, *joint_names = NULL, *frame_index = NULL;
  int tip = -1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OOOOOOOOOOOOO!O!i|OOOOOOOOOO:Model", keywords, &objects[PARENT], &objects[KIND],
          &objects[AXIS], &objects[AXIS2], &objects[PLACEMENT], &objects[LOWER], &objects[UPPER],
          &objects[REST], &objects[MIMIC], &objects[MIMIC_LINE], &objects[FRAME_JOINT],
          &objects[FRAME_PLACEMENT], &PyTuple_Type, &joint_names, &PyDict_Type, &frame_index, &tip,
          &objects[INERTIAL], &objects[MOTOR], &objects[SWING], &objects[CORNER_COUNT], &objects[CORNER],
          &objects[KNOT_COUNT], &objects[KNOT], &objects[KNOT_FULL], &objects[HOLD], &objects[MIMIC_SWING]))
    return NULL;
  core_state *state = core_state_of_type(type);
  if (!state) return NULL;
  PyArrayObject *a[ARRAYS] = {NULL};
  const char **names = NULL;
  ModelObject *self = NULL;
  if (take_arrays(state, objects, a)) {
    names = names_of(joint_names, PyArray_SIZE(a[PARENT]));
    hik_model_def def = definition(a, names);
    hik_error error = {HIK_OK, -1, ""};
    hik_model *model = NULL;
    if (tip < -1 || tip >= def.n_frame) {
      PyErr_SetString(state->argument_error, "tip is not a frame");
    } else if (hik_model_create(&def, &model, &error)) {
      core_raise(state, &error);
    } else {
      allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
      self = (ModelObject *)alloc(type, 0);
      if (self) {
        self->model = model;
        self->sizes = hik_model_sizes(model);
        self->tip = tip;
        self->frame_index = Py_NewRef(frame_index);
      } else {
        hik_model_free(model);
      }
    }
  }
  PyMem_Free(names);
  for (int i = 0; i < ARRAYS; i++) core_drop(a[i]);
  return (PyObject *)self;
}

static int model_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((ModelObject *)self)->frame_index);
  Py_VISIT(((ModelObject *)self)->analytic);
  Py_VISIT(((ModelObject *)self)->origin);
  core_recalled *recalled = ((ModelObject *)self)->recalled;
  return recalled ? core_visit_recalled(recalled, visit, arg) : 0;
}

static int model_clear(PyObject *self) {
  core_recalled *recalled = ((ModelObject *)self)->recalled;
  ((ModelObject *)self)->recalled = NULL;
  core_drop_recalled(recalled);
  Py_CLEAR(((ModelObject *)self)->frame_index);
  Py_CLEAR(((ModelObject *)self)->analytic);
  Py_CLEAR(((ModelObject *)self)->origin);
  return 0;
}

static void model_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  model_clear(self);
  hik_model_free(((ModelObject *)self)->model);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* ---- arrays ---- */

static PyObject *model_field(PyObject *self, void *closure) {
  hik_view view;
  if (hik_model_view(((ModelObject *)self)->model, closure, &view)) {
    PyErr_SetString(PyExc_AttributeError, closure);
    return NULL;
  }
  npy_intp dims[2] = {view.shape[0], view.shape[1]};
  PyArray_Descr *type = PyArray_DescrFromType(view.type == 'd' ? NPY_DOUBLE : NPY_INT32);
  if (!type) return NULL;
  PyObject *array = PyArray_NewFromDescr(&PyArray_Type, type, view.ndim, dims, NULL, (void *)view.data,
                                         NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, NULL);
  if (!array) return NULL;
  if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(self)) < 0) {
    Py_DECREF(array);
    return NULL;
  }
  return array;
}

static PyObject *model_nq(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(((ModelObject *)self)->sizes.nq);
}

static PyObject *model_nv(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(((ModelObject *)self)->sizes.nv);
}

static PyObject *model_reach(PyObject *self, void *closure) {
  (void)closure;
  return PyFloat_FromDouble(((ModelObject *)self)->sizes.reach);
}

static PyGetSetDef model_getset[] = {
    {"max_reach", model_reach, NULL, "Metres from the world to the farthest frame along the tree.", NULL},
    {"nq", model_nq, NULL, "Number of coordinates of q.", NULL},
    {"nv", model_nv, NULL, "Number of coordinates of a motion v (a ball joint has 4 in q and 3 in v).", NULL},
#define HIK_FIELD(letter, type, name, rows, columns, meaning)                                                \
  {#name, model_field, NULL, meaning, (void *)#name},
#include "handik/fields.def"
#undef HIK_FIELD
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- batch methods ---- */

/* What a batch method of the model works on. */
typedef struct motion_job {
  const hik_model *model;
  int32_t frame;
  bool written;           /* the answer's memory was given, so it has its pages */
  npy_intp na, nb, width; /* numbers of one row: of a, of b, of the answer */
  const double *a, *b;
  double *to;
} motion_job;

static void fk_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const motion_job *j = context;
  hik_frame(j->model, j->frame, n, j->a + first * j->na, j->to + first * j->width, scratch);
}

static void frames_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const motion_job *j = context;
  hik_frames(j->model, n, j->a + first * j->na, j->to + first * j->width, j->written, scratch);
}

static void jacobian_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const motion_job *j = context;
  hik_jacobian(j->model, j->frame, n, j->a + first * j->na, j->to + first * j->width, j->written, scratch);
}

static void integrate_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const motion_job *j = context;
  (void)scratch;
  hik_integrate(j->model, n, j->a + first * j->na, j->b + first * j->nb, j->to + first * j->width);
}

static void difference_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const motion_job *j = context;
  (void)scratch;
  hik_difference(j->model, n, j->a + first * j->na, j->b + first * j->nb, j->to + first * j->width);
}

static void clamp_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const motion_job *j = context;
  (void)scratch;
  memcpy(j->to + first * j->width, j->a + first * j->na, (size_t)(n * j->na) * sizeof *j->to);
  hik_clamp(j->model, n, j->to + first * j->width);
}

/* The answer of `rows`, whose n, work and scratch are set, of *a and, unless NULL, *b; `core` is the shape of one. Replaces what *a
   and *b hold where they share memory with `out`. */
static PyObject *run_motion(const core_state *state, ModelObject *self, core_rows *rows, motion_job *job,
                            PyArrayObject **a, PyArrayObject **b, const npy_intp *core, int core_count,
                            PyObject *out_object, PyObject *threads) {
  rows->cost = self->sizes.n_step + 1, rows->context = job;
  if (!core_threads(state, threads, &rows->threads)) return NULL;
  PyArrayObject *out = core_output(state, out_object, *a, 1, core, core_count);
  if (!out) return NULL;
  if (!core_apart(a, out) || (b && !core_apart(b, out))) {
    core_drop(out);
    return NULL;
  }
  job->model = self->model;
  job->written = out_object && out_object != Py_None;
  job->na = PyArray_DIM(*a, PyArray_NDIM(*a) - 1);
  job->nb = b ? PyArray_DIM(*b, PyArray_NDIM(*b) - 1) : 0;
  job->width = 1;
  for (int k = 0; k < core_count; k++) job->width *= core[k];
  job->a = PyArray_DATA(*a), job->b = b ? PyArray_DATA(*b) : NULL, job->to = PyArray_DATA(out);
  if (!core_run_rows(state, rows)) {
    core_drop(out);
    return NULL;
  }
  return (PyObject *)out;
}

/* One input. */
static PyObject *kinematics(const core_state *state, ModelObject *self, hik_rows_fn *work, int32_t frame,
                            const npy_intp *core, int core_count, PyObject *q_object, PyObject *out_object,
                            PyObject *threads) {
  npy_intp n, nq = self->sizes.nq;
  PyArrayObject *q = core_array(state, q_object, "q", &nq, 1, &n);
  if (!q) return NULL;
  motion_job job = {.frame = frame};
  core_rows rows = {.n = n, .work = work};
  if (work != clamp_rows) rows.scratch = hik_scratch_size(self->model);
  PyObject *out = run_motion(state, self, &rows, &job, &q, NULL, core, core_count, out_object, threads);
  core_drop(q);
  return out;
}

static PyObject *model_fk(PyObject *object, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames) {
  static const char *const names[] = {"q", "frame", "out", "threads"};
  static const npy_intp core[2] = {4, 4};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[4];
  if (!core_arguments("fk", args, nargs, kwnames, names, 4, 1, slot)) return NULL;
  int32_t frame = core_frame(state, self, slot[1]);
  if (frame < 0) return NULL;
  return kinematics(state, self, fk_rows, frame, core, 2, slot[0], slot[2], slot[3]);
}

static PyObject *model_frames(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[3];
  if (!core_arguments("frames", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  const npy_intp core[3] = {self->sizes.n_frame, 4, 4};
  return kinematics(state, self, frames_rows, -1, core, 3, slot[0], slot[1], slot[2]);
}

static PyObject *model_jacobian(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q", "frame", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[4];
  if (!core_arguments("jacobian", args, nargs, kwnames, names, 4, 1, slot)) return NULL;
  int32_t frame = core_frame(state, self, slot[1]);
  if (frame < 0) return NULL;
  const npy_intp core[2] = {6, self->sizes.nv};
  return kinematics(state, self, jacobian_rows, frame, core, 2, slot[0], slot[2], slot[3]);
}

static PyObject *model_clip(PyObject *object, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames) {
  static const char *const names[] = {"q", "out", "threads"};
  const core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[3];
  if (!core_arguments("clip", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  const npy_intp core = self->sizes.nq;
  return kinematics(state, self, clamp_rows, -1, &core, 1, slot[0], slot[1], slot[2]);
}

/* Two inputs, broadcast together: slot holds both, out and threads. */
static PyObject *motion(const core_state *state, ModelObject *self, hik_rows_fn *work,
                        const char *const *names, const npy_intp *widths, npy_intp core, PyObject **slot) {
  npy_intp n, m;
  PyObject *out = NULL;
  PyArrayObject *a = core_array(state, slot[0], names[0], &widths[0], 1, &n);
  PyArrayObject *b = a ? core_array(state, slot[1], names[1], &widths[1], 1, &m) : NULL;
  motion_job job = {.frame = -1};
  if (b && core_broadcast(state, &a, names[0], &b, names[1], &n)) {
    core_rows rows = {.n = n, .work = work};
    out = run_motion(state, self, &rows, &job, &a, &b, &core, 1, slot[2], slot[3]);
  }
  core_drop(a);
  core_drop(b);
  return out;
}

static PyObject *model_integrate(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q", "v", "out", "threads"};
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[4];
  if (!core_arguments("integrate", args, nargs, kwnames, names, 4, 2, slot)) return NULL;
  const npy_intp widths[2] = {self->sizes.nq, self->sizes.nv};
  return motion(PyType_GetModuleState(defining), self, integrate_rows, names, widths, widths[0], slot);
}

static PyObject *model_difference(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q0", "q1", "out", "threads"};
  ModelObject *self = (ModelObject *)object;
  PyObject *slot[4];
  if (!core_arguments("difference", args, nargs, kwnames, names, 4, 2, slot)) return NULL;
  const npy_intp widths[2] = {self->sizes.nq, self->sizes.nq};
  return motion(PyType_GetModuleState(defining), self, difference_rows, names, widths, self->sizes.nv, slot);
}

#define THREADS                                                                                              \
  "threads : int, optional\n    Threads over the batch, 1 if not given; 0: all cores. The bytes of the "     \
  "answer "                                                                                                  \
  "do not depend on it.\n\n"

#define METHOD(name, doc)                                                                                    \
  {#name, (PyCFunction)(void (*)(void))model_##name, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef model_methods[] = {
    METHOD(fk, "fk($self, q, /, *, frame=None, out=None, threads=1)\n--\n\n"
               "Pose of one frame in the world.\n\n"
               "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates, radians and "
               "metres.\n"
               "frame : str or int, optional\n    The frame; the model's tip if not given.\n"
               "out : ndarray, shape (..., 4, 4), optional\n    Where to write.\n" THREADS
               "Returns\n-------\nndarray, shape (..., 4, 4)\n    Homogeneous transforms, metres.\n\n"
               "Raises\n------\nArgumentError\n    Wrong shape of q or out, or no frame named where there "
               "are several "
               "tips.\nNotFoundError\n    No such frame.\n"),
    METHOD(frames,
           "frames($self, q, /, *, out=None, threads=1)\n--\n\n"
           "Poses of all frames in the world, in the order of `frame_names`.\n\n"
           "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates.\n"
           "out : ndarray, shape (..., n_frame, 4, 4), optional\n    Where to write.\n" THREADS
           "Returns\n-------\nndarray, shape (..., n_frame, 4, 4)\n    Homogeneous transforms, metres.\n\n"
           "Raises\n------\nArgumentError\n    Wrong shape of q or out.\n"),
    METHOD(
        jacobian,
        "jacobian($self, q, /, *, frame=None, out=None, threads=1)\n--\n\n"
        "Jacobian of one frame: its velocity in world axes at its origin is J v.\n\n"
        "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates.\n"
        "frame : str or int, optional\n    The frame; the model's tip if not given.\n"
        "out : ndarray, shape (..., 6, nv), optional\n    Where to write.\n" THREADS
        "Returns\n-------\nndarray, shape (..., 6, nv)\n    Linear rows (m/s) above angular rows (rad/s).\n\n"
        "Raises\n------\nArgumentError, NotFoundError\n    As for `fk`.\n"),
    METHOD(
        integrate,
        "integrate($self, q, v, /, *, out=None, threads=1)\n--\n\n"
        "q moved by v; quaternions stay of unit length.\n\n"
        "Parameters\n----------\nq : array_like, shape (..., nq)\n    From here.\n"
        "v : array_like, shape (..., nv)\n    The motion: metres, radians; a ball joint takes a rotation "
        "vector in its moved frame.\nout : ndarray, shape (..., nq), optional\n    Where to write.\n" THREADS
        "Returns\n-------\nndarray, shape (..., nq)\n    There. Limits are not applied.\n\n"
        "Raises\n------\nArgumentError\n    Wrong shapes.\n"),
    METHOD(difference, "difference($self, q0, q1, /, *, out=None, threads=1)\n--\n\n"
                       "The motion v with ``integrate(q0, v) = q1``, the shorter way round for ball joints: "
                       "their quaternion "
                       "may come back as -q1, which is the same turn.\n\n"
                       "Parameters\n----------\nq0, q1 : array_like, shape (..., nq)\n    From and to.\n"
                       "out : ndarray, shape (..., nv), optional\n    Where to write.\n" THREADS
                       "Returns\n-------\nndarray, shape (..., nv)\n    The motion.\n\n"
                       "Raises\n------\nArgumentError\n    Wrong shapes.\n"),
    METHOD(clip, "clip($self, q, /, *, out=None, threads=1)\n--\n\n"
                 "q clipped into the limits, quaternions made of unit length.\n\n"
                 "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates.\n"
                 "out : ndarray, shape (..., nq), optional\n    Where to write; it may be q.\n" THREADS
                 "Returns\n-------\nndarray, shape (..., nq)\n    Inside the limits.\n\n"
                 "Raises\n------\nArgumentError\n    Wrong shape of q or out.\n"),
    {"solve", (PyCFunction)(void (*)(void))core_model_solve, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     core_solve_doc},
    {"solutions", (PyCFunction)(void (*)(void))core_model_solutions,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, core_solutions_doc},
    {"_remember_solutions", (PyCFunction)(void (*)(void))core_model_remember_solutions,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_dynamics", (PyCFunction)(void (*)(void))core_model_dynamics,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_doc, "The frozen joint tree of the C core; `handik.Model` is what to use."},
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_traverse, model_traverse},
    {Py_tp_clear, model_clear},
    {Py_tp_methods, model_methods},
    {Py_tp_getset, model_getset},
    {0, NULL},
};

PyType_Spec core_model_spec = {
    .name = "handik._core.Model",
    .basicsize = sizeof(ModelObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = model_slots,
};
