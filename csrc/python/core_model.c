/* core_model.c: type Model: the frozen C model, its arrays as read-only views, and its batch methods. */

#include "python/core.h"

#include "base/memory.h"

/* ---- making ---- */

/* An array argument of exactly this type and number of items; NULL object gives NULL and true. */
static bool flat(const core_state *state, PyObject *object, const char *name, int type, npy_intp items,
                 PyArrayObject **out) {
  *out = NULL;
  if (!object || object == Py_None) return true;
  *out = (PyArrayObject *)PyArray_FROM_OTF(object, type, NPY_ARRAY_IN_ARRAY);
  if (!*out) return false;
  if (items >= 0 && PyArray_SIZE(*out) != items) {
    PyErr_Format(state->argument_error, "%s must hold %zd numbers, got %zd", name, (Py_ssize_t)items,
                 (Py_ssize_t)PyArray_SIZE(*out));
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
  ARRAYS
};

static const struct {
  const char *name;
  int type;
  int per;
} arrays[ARRAYS] = {
    {"parent", NPY_INT32, 1},       {"kind", NPY_INT32, 1},        {"axis", NPY_DOUBLE, 3},
    {"axis2", NPY_DOUBLE, 3},       {"placement", NPY_DOUBLE, 12}, {"lower", NPY_DOUBLE, 0},
    {"upper", NPY_DOUBLE, 0},       {"rest", NPY_DOUBLE, 0},       {"mimic", NPY_INT32, 1},
    {"mimic_line", NPY_DOUBLE, 2},  {"frame_joint", NPY_INT32, 1}, {"frame_placement", NPY_DOUBLE, 12},
    {"inertial", NPY_DOUBLE, 10},   {"motor", NPY_DOUBLE, 4},      {"swing", NPY_DOUBLE, 6},
    {"corner_count", NPY_INT32, 1}, {"corner", NPY_DOUBLE, 0},     {"knot_count", NPY_INT32, 1},
    {"knot", NPY_DOUBLE, 0},        {"knot_full", NPY_DOUBLE, 1},  {"hold", NPY_DOUBLE, 4},
};

#define DATA(i) (a[i] ? PyArray_DATA(a[i]) : NULL)

static hik_model_def definition(PyArrayObject **a, const char **names) {
  hik_model_def def = hik_model_def_default();
  def.n_joint = (int32_t)PyArray_SIZE(a[PARENT]);
  def.n_frame = (int32_t)PyArray_SIZE(a[FRAME_JOINT]);
  def.parent = DATA(PARENT), def.kind = DATA(KIND), def.axis = DATA(AXIS), def.axis2 = DATA(AXIS2);
  def.placement = DATA(PLACEMENT), def.lower = DATA(LOWER), def.upper = DATA(UPPER), def.rest = DATA(REST);
  def.mimic = DATA(MIMIC), def.mimic_line = DATA(MIMIC_LINE);
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
static bool take_rows(const core_state *state, PyObject **objects, int counts, int rows, npy_intp per,
                      PyArrayObject **a) {
  npy_intp sum = 0;
  const int32_t *count = DATA(counts);
  for (npy_intp j = 0; count && j < PyArray_SIZE(a[counts]); j++) sum += count[j] > 0 ? count[j] : 0;
  return sum == 0 || flat(state, objects[rows], arrays[rows].name, NPY_DOUBLE, per * sum, &a[rows]);
}

static bool take_arrays(const core_state *state, PyObject **objects, PyArrayObject **a) {
  if (!flat(state, objects[PARENT], "parent", NPY_INT32, -1, &a[PARENT])) return false;
  if (!flat(state, objects[FRAME_JOINT], "frame_joint", NPY_INT32, -1, &a[FRAME_JOINT])) return false;
  if (!a[PARENT] || !a[FRAME_JOINT]) {
    PyErr_SetString(PyExc_TypeError, "Model() needs parent and frame_joint");
    return false;
  }
  npy_intp joints = PyArray_SIZE(a[PARENT]), frames = PyArray_SIZE(a[FRAME_JOINT]);
  if (joints > INT32_MAX / 16 || frames > INT32_MAX / 16) {
    PyErr_SetString(state->argument_error, "the model is too large");
    return false;
  }
  for (int i = 0; i < ARRAYS; i++) {
    if (i == PARENT || i == FRAME_JOINT || i == LOWER || i == UPPER || i == REST || i == CORNER || i == KNOT)
      continue;
    npy_intp items = arrays[i].per * (i == FRAME_PLACEMENT ? frames : joints);
    if (!flat(state, objects[i], arrays[i].name, arrays[i].type, items, &a[i])) return false;
  }
  if (!a[KIND] || !a[AXIS] || !a[PLACEMENT] || !a[FRAME_PLACEMENT] || (a[MIMIC] && !a[MIMIC_LINE])) {
    PyErr_SetString(PyExc_TypeError,
                    "Model() needs kind, axis, placement, frame_placement, and mimic_line with mimic");
    return false;
  }
  if (!take_rows(state, objects, CORNER_COUNT, CORNER, 2, a) ||
      !take_rows(state, objects, KNOT_COUNT, KNOT, 3, a))
    return false;
  npy_intp nq = coordinates(a);
  for (int i = LOWER; i <= REST; i++)
    if (!flat(state, objects[i], arrays[i].name, NPY_DOUBLE, nq, &a[i])) return false;
  if (!a[LOWER] || !a[UPPER]) {
    PyErr_SetString(PyExc_TypeError, "Model() needs lower and upper");
    return false;
  }
  return true;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *keywords[] = {
      "parent", "kind",      "axis",       "axis2",       "placement",       "lower",       "upper",
      "rest",   "mimic",     "mimic_line", "frame_joint", "frame_placement", "joint_names", "frame_index",
      "tip",    "inertial",  "motor",      "swing",       "corner_count",    "corner",      "knot_count",
      "knot",   "knot_full", "hold",       NULL};
  PyObject *objects[ARRAYS] = {NULL}, *joint_names = NULL, *frame_index = NULL;
  int tip = -1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OOOOOOOOOOOOO!O!i|OOOOOOOOO:Model", keywords, &objects[PARENT], &objects[KIND],
          &objects[AXIS], &objects[AXIS2], &objects[PLACEMENT], &objects[LOWER], &objects[UPPER],
          &objects[REST], &objects[MIMIC], &objects[MIMIC_LINE], &objects[FRAME_JOINT],
          &objects[FRAME_PLACEMENT], &PyTuple_Type, &joint_names, &PyDict_Type, &frame_index, &tip,
          &objects[INERTIAL], &objects[MOTOR], &objects[SWING], &objects[CORNER_COUNT], &objects[CORNER],
          &objects[KNOT_COUNT], &objects[KNOT], &objects[KNOT_FULL], &objects[HOLD]))
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
    {"reach", model_reach, NULL, "Metres from the world to the farthest frame along the tree.", NULL},
    {"nq", model_nq, NULL, "Number of coordinates of q.", NULL},
    {"nv", model_nv, NULL, "Number of coordinates of a motion v (a ball joint has 4 in q and 3 in v).", NULL},
#define HIK_FIELD(letter, type, name, rows, columns, meaning)                                                \
  {#name, model_field, NULL, meaning, (void *)#name},
#include "handik/fields.def"
#undef HIK_FIELD
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- batch methods ---- */

static PyArrayObject *take_q(const core_state *state, ModelObject *self, PyObject *object, const char *name,
                             npy_intp *n) {
  npy_intp core = self->sizes.nq;
  return core_array(state, object, name, &core, 1, n);
}

/* One pass over q: shape of the result, scratch, call. kind: 0 fk, 1 frames, 2 jacobian. */
static PyObject *kinematics(const core_state *state, ModelObject *self, int kind, int32_t frame,
                            PyObject *q_object, PyObject *out_object) {
  npy_intp n, core[3] = {4, 4, 0};
  int core_count = 2;
  if (kind == 1) core[0] = self->sizes.n_frame, core[1] = core[2] = 4, core_count = 3;
  if (kind == 2) core[0] = 6, core[1] = self->sizes.nv;
  PyArrayObject *q = take_q(state, self, q_object, "q", &n);
  if (!q) return NULL;
  PyArrayObject *out = core_output(state, out_object, q, 1, core, core_count);
  if (out && !core_apart(&q, out)) Py_CLEAR(out);
  void *scratch = out ? hik_allocate(hik_scratch_size(self->model)) : NULL;
  if (out && !scratch) {
    Py_CLEAR(out);
    PyErr_NoMemory();
  }
  if (out) {
    const double *from = PyArray_DATA(q);
    double *to = PyArray_DATA(out);
    npy_intp cost = n * (self->sizes.n_step + 1);
    bool written = out_object && out_object != Py_None;
    if (kind == 0) CORE_RUN(cost, hik_frame(self->model, frame, n, from, to, scratch));
    if (kind == 1) CORE_RUN(cost, hik_frames(self->model, n, from, to, written, scratch));
    if (kind == 2) CORE_RUN(cost, hik_jacobian(self->model, frame, n, from, to, written, scratch));
  }
  hik_release(scratch);
  core_drop(q);
  return (PyObject *)out;
}

static PyObject *model_fk(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames) {
  static const char *const names[] = {"q", "frame", "out"};
  const core_state *state = PyType_GetModuleState(defining);
  PyObject *slot[3];
  if (!core_arguments("fk", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  int32_t frame = core_frame(state, (ModelObject *)self, slot[1]);
  return frame < 0 ? NULL : kinematics(state, (ModelObject *)self, 0, frame, slot[0], slot[2]);
}

static PyObject *model_frames(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames) {
  static const char *const names[] = {"q", "out"};
  PyObject *slot[2];
  if (!core_arguments("frames", args, nargs, kwnames, names, 2, 1, slot)) return NULL;
  return kinematics(PyType_GetModuleState(defining), (ModelObject *)self, 1, -1, slot[0], slot[1]);
}

static PyObject *model_jacobian(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q", "frame", "out"};
  const core_state *state = PyType_GetModuleState(defining);
  PyObject *slot[3];
  if (!core_arguments("jacobian", args, nargs, kwnames, names, 3, 1, slot)) return NULL;
  int32_t frame = core_frame(state, (ModelObject *)self, slot[1]);
  return frame < 0 ? NULL : kinematics(state, (ModelObject *)self, 2, frame, slot[0], slot[2]);
}

/* Two inputs, broadcast together, one output. difference: v from two q. */
static PyObject *motion(const core_state *state, ModelObject *self, bool difference, PyObject *first,
                        PyObject *second, PyObject *out_object) {
  npy_intp n, m, nq = self->sizes.nq, nv = self->sizes.nv;
  PyArrayObject *a = core_array(state, first, difference ? "q0" : "q", &nq, 1, &n), *out = NULL;
  PyArrayObject *b =
      a ? core_array(state, second, difference ? "q1" : "v", difference ? &nq : &nv, 1, &m) : NULL;
  if (b && core_broadcast(state, &a, difference ? "q0" : "q", &b, difference ? "q1" : "v", &n))
    out = core_output(state, out_object, a, 1, difference ? &nv : &nq, 1);
  if (out && (!core_apart(&a, out) || !core_apart(&b, out))) Py_CLEAR(out);
  if (out) {
    const double *x = PyArray_DATA(a), *y = PyArray_DATA(b);
    double *to = PyArray_DATA(out);
    npy_intp cost = n * (self->sizes.n_step + 1);
    if (difference)
      CORE_RUN(cost, hik_difference(self->model, n, x, y, to));
    else
      CORE_RUN(cost, hik_integrate(self->model, n, x, y, to));
  }
  core_drop(a);
  core_drop(b);
  return (PyObject *)out;
}

static PyObject *model_integrate(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q", "v", "out"};
  PyObject *slot[3];
  if (!core_arguments("integrate", args, nargs, kwnames, names, 3, 2, slot)) return NULL;
  return motion(PyType_GetModuleState(defining), (ModelObject *)self, false, slot[0], slot[1], slot[2]);
}

static PyObject *model_difference(PyObject *self, PyTypeObject *defining, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"q0", "q1", "out"};
  PyObject *slot[3];
  if (!core_arguments("difference", args, nargs, kwnames, names, 3, 2, slot)) return NULL;
  return motion(PyType_GetModuleState(defining), (ModelObject *)self, true, slot[0], slot[1], slot[2]);
}

static PyObject *model_clamp(PyObject *self, PyTypeObject *defining, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames) {
  static const char *const names[] = {"q"};
  PyObject *slot[1];
  npy_intp n;
  if (!core_arguments("clamp", args, nargs, kwnames, names, 1, 1, slot)) return NULL;
  PyArrayObject *q = take_q(PyType_GetModuleState(defining), (ModelObject *)self, slot[0], "q", &n);
  if (!q) return NULL;
  PyObject *out = PyArray_NewCopy(q, NPY_CORDER);
  core_drop(q);
  if (out) {
    double *to = PyArray_DATA((PyArrayObject *)out);
    CORE_RUN(n * ((ModelObject *)self)->sizes.n_step, hik_clamp(((ModelObject *)self)->model, n, to));
  }
  return out;
}

#define METHOD(name, doc)                                                                                    \
  {#name, (PyCFunction)(void (*)(void))model_##name, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, doc}

static PyMethodDef model_methods[] = {
    METHOD(fk, "fk($self, q, /, *, frame=None, out=None)\n--\n\n"
               "Pose of one frame in the world.\n\n"
               "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates, radians and "
               "metres.\n"
               "frame : str or int, optional\n    The frame; the model's tip if not given.\n"
               "out : ndarray, shape (..., 4, 4), optional\n    Where to write.\n\n"
               "Returns\n-------\nndarray, shape (..., 4, 4)\n    Homogeneous transforms, metres.\n\n"
               "Raises\n------\nArgumentError\n    Wrong shape of q or out, or no frame named where there "
               "are several "
               "tips.\nNotFoundError\n    No such frame.\n"),
    METHOD(frames,
           "frames($self, q, /, *, out=None)\n--\n\n"
           "Poses of all frames in the world, in the order of `frame_names`.\n\n"
           "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates.\n"
           "out : ndarray, shape (..., n_frame, 4, 4), optional\n    Where to write.\n\n"
           "Returns\n-------\nndarray, shape (..., n_frame, 4, 4)\n    Homogeneous transforms, metres.\n\n"
           "Raises\n------\nArgumentError\n    Wrong shape of q or out.\n"),
    METHOD(
        jacobian,
        "jacobian($self, q, /, *, frame=None, out=None)\n--\n\n"
        "Jacobian of one frame: its velocity in world axes at its origin is J v.\n\n"
        "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates.\n"
        "frame : str or int, optional\n    The frame; the model's tip if not given.\n"
        "out : ndarray, shape (..., 6, nv), optional\n    Where to write.\n\n"
        "Returns\n-------\nndarray, shape (..., 6, nv)\n    Linear rows (m/s) above angular rows (rad/s).\n\n"
        "Raises\n------\nArgumentError, NotFoundError\n    As for `fk`.\n"),
    METHOD(integrate,
           "integrate($self, q, v, /, *, out=None)\n--\n\n"
           "q moved by v; quaternions stay of unit length.\n\n"
           "Parameters\n----------\nq : array_like, shape (..., nq)\n    From here.\n"
           "v : array_like, shape (..., nv)\n    The motion: metres, radians; a ball joint takes a rotation "
           "vector in its moved frame.\nout : ndarray, shape (..., nq), optional\n    Where to write.\n\n"
           "Returns\n-------\nndarray, shape (..., nq)\n    There. Limits are not applied.\n\n"
           "Raises\n------\nArgumentError\n    Wrong shapes.\n"),
    METHOD(difference,
           "difference($self, q0, q1, /, *, out=None)\n--\n\n"
           "The motion v with ``integrate(q0, v) = q1``, the shorter way round for ball joints.\n\n"
           "Parameters\n----------\nq0, q1 : array_like, shape (..., nq)\n    From and to.\n"
           "out : ndarray, shape (..., nv), optional\n    Where to write.\n\n"
           "Returns\n-------\nndarray, shape (..., nv)\n    The motion.\n\n"
           "Raises\n------\nArgumentError\n    Wrong shapes.\n"),
    METHOD(clamp, "clamp($self, q, /)\n--\n\n"
                  "q clipped into the limits, quaternions made of unit length.\n\n"
                  "Parameters\n----------\nq : array_like, shape (..., nq)\n    Joint coordinates.\n\n"
                  "Returns\n-------\nndarray, shape (..., nq)\n    A new array.\n\n"
                  "Raises\n------\nArgumentError\n    Wrong shape.\n"),
    {"solve", (PyCFunction)(void (*)(void))core_model_solve, METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "solve($self, /, **wishes)\n--\n\n"
     "Find coordinates that meet one goal of one frame; see `handik.solve.solve_goal`."},
    {"solutions", (PyCFunction)(void (*)(void))core_model_solutions,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "solutions($self, T, **wishes)\n--\n\n"
     "Find every posture that puts a frame at a pose; see `handik.analytic.solutions`."},
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
