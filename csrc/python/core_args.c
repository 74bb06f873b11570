/* core_args.c: from Python objects to C numbers and arrays, and from statuses to exceptions. */
#include "python/core.h"

core_state *core_state_of_type(PyTypeObject *type) {
  for (; type; type = (PyTypeObject *)PyType_GetSlot(type, Py_tp_base)) {
    core_state *state = PyType_GetModuleState(type);
    if (state) return state;
    PyErr_Clear();
  }
  PyErr_SetString(PyExc_SystemError, "a handik type without its module");
  return NULL;
}

PyObject *core_raise(const core_state *state, const hik_error *error) {
  switch (error->status) {
  case HIK_NO_MEMORY: return PyErr_NoMemory();
  case HIK_BAD_ARGUMENT: PyErr_SetString(state->argument_error, error->text); break;
  case HIK_BAD_MODEL: PyErr_SetString(state->model_error, error->text); break;
  case HIK_NOT_FOUND: PyErr_SetString(state->not_found_error, error->text); break;
  case HIK_UNSUPPORTED: PyErr_SetString(state->unsupported_error, error->text); break;
  case HIK_INTERRUPTED:
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_KeyboardInterrupt, error->text);
    break;
  default: PyErr_Format(state->internal_error, "%s (please report; handik %s)", error->text, hik_version());
  }
  return NULL;
}

bool core_arguments(const char *function, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                    const char *const *names, int count, int positional, PyObject **slots) {
  for (int i = 0; i < count; i++) slots[i] = i < nargs && i < positional ? args[i] : NULL;
  if (nargs > positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional argument%s; the rest are named", function,
                 positional, positional == 1 ? "" : "s");
    return false;
  }
  Py_ssize_t named = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t k = 0; k < named; k++) {
    PyObject *name = PyTuple_GetItem(kwnames, k);
    int at = 0;
    while (at < count && PyUnicode_CompareWithASCIIString(name, names[at]) != 0) at++;
    if (at == count) {
      PyErr_Format(PyExc_TypeError, "%s() has no argument %R", function, name);
      return false;
    }
    if (slots[at]) {
      PyErr_Format(PyExc_TypeError, "%s() got %s twice", function, names[at]);
      return false;
    }
    slots[at] = args[nargs + k];
  }
  for (int i = 0; i < positional; i++)
    if (!slots[i]) {
      PyErr_Format(PyExc_TypeError, "%s() needs %s", function, names[i]);
      return false;
    }
  return true;
}

/* Its shape; no attribute by a fresh text, which would stay in the cache of types. */
static PyObject *shape_of(PyArrayObject *a) {
  return PyArray_IntTupleFromIntp(PyArray_NDIM(a), PyArray_DIMS(a));
}

/* "(..., 7)" */
static PyObject *core_text(const npy_intp *core, int count) {
  if (count == 1) return PyUnicode_FromFormat("(..., %zd)", (Py_ssize_t)core[0]);
  return PyUnicode_FromFormat("(..., %zd, %zd)", (Py_ssize_t)core[0], (Py_ssize_t)core[1]);
}

static void wrong_shape(const core_state *state, const char *name, const npy_intp *core, int count,
                        PyArrayObject *got) {
  PyObject *want = core_text(core, count), *shape = shape_of(got);
  if (want && shape) PyErr_Format(state->argument_error, "%s must have shape %U, got %S", name, want, shape);
  Py_XDECREF(want);
  Py_XDECREF(shape);
}

/* Whether a subclass of ndarray, as only numpy.ma.MaskedArray, has a mask. */
static bool has_mask(PyArrayObject *a) {
  return !PyArray_CheckExact(a) && PyObject_HasAttrString((PyObject *)a, "mask");
}

/* Whether anything is hidden under the array's mask, whose numbers mean nothing; -1 with an exception set. */
static int is_masked(PyArrayObject *a) {
  PyObject *mask = PyObject_GetAttrString((PyObject *)a, "mask");
  PyArrayObject *bits = mask ? (PyArrayObject *)PyArray_FROM_OTF(mask, NPY_BOOL, NPY_ARRAY_IN_ARRAY) : NULL;
  int found = bits ? 0 : -1;
  for (npy_intp k = 0, n = bits ? PyArray_SIZE(bits) : 0; k < n && !found; k++)
    found = ((const npy_bool *)PyArray_DATA(bits))[k];
  Py_XDECREF(mask);
  core_drop(bits);
  return found;
}

/* Whether an array of objects has None among them, which NumPy would make a NaN; -1 with an exception set. */
static int has_none(PyArrayObject *a) {
  PyArrayObject *row = (PyArrayObject *)PyArray_FROM_OTF((PyObject *)a, NPY_OBJECT, NPY_ARRAY_IN_ARRAY);
  int found = row ? 0 : -1;
  for (npy_intp k = 0, n = row ? PyArray_SIZE(row) : 0; k < n && !found; k++)
    found = ((PyObject *const *)PyArray_DATA(row))[k] == Py_None;
  core_drop(row);
  return found;
}

/* As an array of whatever type it has; NULL with an exception set where it holds no real numbers, or hides some. */
static PyArrayObject *real_array(const core_state *state, PyObject *object, const char *name) {
  PyArrayObject *found = (PyArrayObject *)PyArray_FROM_O(object);
  if (!found) return NULL;
  int type = PyArray_TYPE(found), masked = has_mask(found) ? is_masked(found) : 0;
  bool real =
      PyTypeNum_ISBOOL(type) || PyTypeNum_ISINTEGER(type) || PyTypeNum_ISFLOAT(type) || type == NPY_OBJECT;
  int none = type == NPY_OBJECT && !masked ? has_none(found) : 0;
  if (real && !masked && !none) return found;
  if (none > 0)
    PyErr_Format(state->argument_error, "%s has None among its numbers", name);
  else if (masked > 0)
    PyErr_Format(state->argument_error, "%s has numbers under a mask: give them a value first (filled)",
                 name);
  else if (!masked && !none)
    PyErr_SetString(PyExc_TypeError, "");
  core_drop(found);
  return NULL;
}

PyArrayObject *core_array(const core_state *state, PyObject *object, const char *name, const npy_intp *core,
                          int core_count, npy_intp *n) {
  PyArrayObject *found = real_array(state, object, name), *a = NULL;
  if (found) {
    a = (PyArrayObject *)PyArray_FROM_OTF((PyObject *)found, NPY_DOUBLE,
                                          NPY_ARRAY_IN_ARRAY | NPY_ARRAY_FORCECAST);
    core_drop(found);
  }
  if (!a) {
    if (PyErr_ExceptionMatches(state->argument_error)) return NULL;
    if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyErr_Clear();
      PyErr_Format(state->argument_error, "%s must be a regular array of real numbers", name);
    } else if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
      PyErr_Clear();
      PyErr_Format(state->argument_error, "%s holds a whole number beyond all floats", name);
    }
    return NULL;
  }
  int nd = PyArray_NDIM(a);
  bool good = nd >= core_count;
  for (int k = 0; good && k < core_count; k++) good = PyArray_DIM(a, nd - core_count + k) == core[k];
  if (!good) {
    wrong_shape(state, name, core, core_count, a);
    core_drop(a);
    return NULL;
  }
  *n = 1;
  for (int k = 0; k < nd - core_count; k++) *n *= PyArray_DIM(a, k);
  return a;
}

/* The axes of core_new and core_output into `dims` [CORE_MOST_AXES]: how many, -1 with an exception set. */
static int axes_of(const core_state *state, PyArrayObject *like, int core_in, const npy_intp *core,
                   int core_count, npy_intp *dims) {
  int lead = PyArray_NDIM(like) - core_in, nd = lead + core_count;
  if (nd > CORE_MOST_AXES) {
    PyErr_Format(state->argument_error, "too many axes: %d", nd);
    return -1;
  }
  for (int k = 0; k < lead; k++) dims[k] = PyArray_DIM(like, k);
  for (int k = 0; k < core_count; k++) dims[lead + k] = core[k];
  return nd;
}

PyArrayObject *core_new(const core_state *state, PyArrayObject *like, int core_in, const npy_intp *core,
                        int core_count, int type, bool zeros) {
  npy_intp dims[CORE_MOST_AXES];
  int nd = axes_of(state, like, core_in, core, core_count, dims);
  if (nd < 0) return NULL;
  return (PyArrayObject *)(zeros ? PyArray_ZEROS(nd, dims, type, 0) : PyArray_SimpleNew(nd, dims, type));
}

/* The array `out`, which is to take an answer of this shape: checked, new reference; NULL with an exception set. */
static PyArrayObject *take_output(const core_state *state, PyObject *out, int type, const npy_intp *dims,
                                  int nd) {
  if (!PyArray_Check(out)) {
    PyErr_SetString(PyExc_TypeError, "out must be an ndarray");
    return NULL;
  }
  PyArrayObject *a = (PyArrayObject *)out;
  bool good = PyArray_NDIM(a) == nd;
  for (int k = 0; good && k < nd; k++) good = PyArray_DIM(a, k) == dims[k];
  if (!good) {
    PyObject *want = PyArray_IntTupleFromIntp(nd, dims), *shape = shape_of(a);
    if (want && shape) PyErr_Format(state->argument_error, "out must have shape %S, got %S", want, shape);
    Py_XDECREF(want);
    Py_XDECREF(shape);
    return NULL;
  }
  if (PyArray_TYPE(a) != type || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a) ||
      !PyArray_ISNOTSWAPPED(a) || !PyArray_ISWRITEABLE(a) || has_mask(a)) {
    PyErr_Format(state->argument_error, "out must be a writeable C-contiguous %s array without a mask",
                 type == NPY_BOOL ? "bool" : "float64");
    return NULL;
  }
  return (PyArrayObject *)Py_NewRef(out);
}

PyArrayObject *core_output_of(const core_state *state, PyObject *out, int type, PyArrayObject *like,
                              int core_in, const npy_intp *core, int core_count) {
  npy_intp dims[CORE_MOST_AXES];
  int nd = axes_of(state, like, core_in, core, core_count, dims);
  if (nd < 0) return NULL;
  if (!out || out == Py_None) return (PyArrayObject *)PyArray_SimpleNew(nd, dims, type);
  return take_output(state, out, type, dims, nd);
}

PyArrayObject *core_output(const core_state *state, PyObject *out, PyArrayObject *like, int core_in,
                           const npy_intp *core, int core_count) {
  return core_output_of(state, out, NPY_DOUBLE, like, core_in, core, core_count);
}

PyObject *core_check_output(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  npy_intp dims[CORE_MOST_AXES];
  if (nargs != 2 || !PyTuple_Check(args[1]) || PyTuple_Size(args[1]) > CORE_MOST_AXES) {
    PyErr_SetString(PyExc_TypeError, "check_output() takes an array and a shape");
    return NULL;
  }
  int nd = (int)PyTuple_Size(args[1]);
  for (int k = 0; k < nd; k++) dims[k] = PyLong_AsSsize_t(PyTuple_GetItem(args[1], k));
  return PyErr_Occurred() ? NULL
                          : (PyObject *)take_output(PyModule_GetState(module), args[0], NPY_DOUBLE, dims, nd);
}

/* The array with these leading axes and its own last one, by NumPy's own broadcast_to; steals nothing. */
static PyArrayObject *spread(PyArrayObject *a, const npy_intp *lead, int count) {
  PyObject *shape = PyTuple_New(count + 1), *numpy = shape ? PyImport_ImportModule("numpy") : NULL,
           *wide = NULL;
  bool good = numpy != NULL;
  for (int k = 0; good && k <= count; k++) {
    npy_intp size = k < count ? lead[k] : PyArray_DIM(a, PyArray_NDIM(a) - 1);
    PyObject *item = PyLong_FromSsize_t((Py_ssize_t)size);
    good = item && PyTuple_SetItem(shape, k, item) == 0;
  }
  if (good) wide = PyObject_CallMethod(numpy, "broadcast_to", "OO", (PyObject *)a, shape);
  PyArrayObject *out = wide ? (PyArrayObject *)PyArray_FROM_OTF(wide, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY) : NULL;
  Py_XDECREF(wide);
  Py_XDECREF(numpy);
  Py_XDECREF(shape);
  return out;
}

bool core_broadcast(const core_state *state, PyArrayObject **a, const char *a_name, PyArrayObject **b,
                    const char *b_name, npy_intp *n) {
  npy_intp lead[CORE_MOST_AXES + 1];
  int na = PyArray_NDIM(*a) - 1, nb = PyArray_NDIM(*b) - 1, count = na > nb ? na : nb;
  bool good = count < CORE_MOST_AXES, wide_a = na != count, wide_b = nb != count;
  *n = 1;
  for (int k = 0; good && k < count; k++) {
    npy_intp x = k < count - na ? 1 : PyArray_DIM(*a, k - (count - na));
    npy_intp y = k < count - nb ? 1 : PyArray_DIM(*b, k - (count - nb));
    good = x == y || x == 1 || y == 1;
    lead[k] = x == 1 ? y : x;
    wide_a = wide_a || x != lead[k];
    wide_b = wide_b || y != lead[k];
    *n *= lead[k];
  }
  if (!good) {
    PyObject *x = shape_of(*a), *y = shape_of(*b);
    if (x && y)
      PyErr_Format(state->argument_error, "%s %S and %s %S cannot be broadcast together", a_name, x, b_name,
                   y);
    Py_XDECREF(x);
    Py_XDECREF(y);
    return false;
  }
  PyArrayObject **both[2] = {a, b};
  bool wide[2] = {wide_a, wide_b};
  for (int k = 0; k < 2; k++) {
    if (!wide[k]) continue;
    PyArrayObject *out = spread(*both[k], lead, count);
    if (!out) return false;
    core_drop(*both[k]);
    *both[k] = out;
  }
  return true;
}

bool core_apart(PyArrayObject **a, PyArrayObject *out) {
  const char *x = PyArray_DATA(*a), *y = PyArray_DATA(out);
  if (x >= y + PyArray_NBYTES(out) || y >= x + PyArray_NBYTES(*a)) return true;
  PyArrayObject *copy = (PyArrayObject *)PyArray_NewCopy(*a, NPY_CORDER);
  if (!copy) return false;
  core_drop(*a);
  *a = copy;
  return true;
}

bool core_alone(PyArrayObject **a) {
  if (!*a) return false;
  if (Py_REFCNT((PyObject *)*a) == 1 && PyArray_CHKFLAGS(*a, NPY_ARRAY_OWNDATA)) return true;
  PyArrayObject *copy = (PyArrayObject *)PyArray_NewCopy(*a, NPY_CORDER);
  if (!copy) return false;
  core_drop(*a);
  *a = copy;
  return true;
}

PyArrayObject *core_integers(PyObject *object) {
  PyArrayObject *a = (PyArrayObject *)PyArray_FROM_OTF(object, NPY_INT32, NPY_ARRAY_IN_ARRAY);
  if (!a || core_alone(&a)) return a;
  core_drop(a);
  return NULL;
}

const char *core_name(PyObject *object) {
  Py_ssize_t size;
  const char *text = object && PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : NULL;
  if (!text) {
    PyErr_Clear();
    return NULL;
  }
  return strlen(text) == (size_t)size ? text : NULL;
}

bool core_int(const core_state *state, PyObject *object, const char *name, long long low, long long high,
              long long *value) {
  // A bool is an int to Python: where a number is asked for it is a slip.
  PyObject *index = PyBool_Check(object) ? NULL : PyNumber_Index(object);
  if (!index) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be an integer", name);
    return false;
  }
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (overflow || *value < low || *value > high) {
    PyErr_Format(state->argument_error, "%s must be between %lld and %lld, got %S", name, low, high, object);
    return false;
  }
  return true;
}

bool core_double(const core_state *state, PyObject *object, const char *name, double *value) {
  bool word = PyBool_Check(object) || PyArray_IsScalar(object, Bool);
  *value = word ? -1 : PyFloat_AsDouble(object);
  if (word || (*value == -1 && PyErr_Occurred())) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be a number", name);
    return false;
  }
  if (*value != *value) {
    PyErr_Format(state->argument_error, "%s is not a number (NaN)", name);
    return false;
  }
  return true;
}

bool core_flag(PyObject *object, const char *name, bool *value) {
  PyObject *number = object && !PyArray_Check(object) ? PyNumber_Index(object) : NULL;
  long word = number ? PyLong_AsLong(number) : -1;
  if (object && !number && PyArray_IsScalar(object, Bool)) word = PyObject_IsTrue(object);
  Py_XDECREF(number);
  PyErr_Clear();
  *value = word == 1;
  if (!object || word == 0 || word == 1) return true;
  PyErr_Format(PyExc_TypeError, "%s must be True or False, got %R", name, object);
  return false;
}

int32_t core_frame(const core_state *state, ModelObject *self, PyObject *object) {
  if (!object || object == Py_None) {
    if (self->tip < 0)
      PyErr_SetString(state->argument_error, "the model has several tips: say which frame= you mean");
    return self->tip;
  }
  if (PyUnicode_Check(object)) {
    PyObject *found = self->frame_index ? PyDict_GetItemWithError(self->frame_index, object) : NULL;
    if (found) {
      long at = PyLong_AsLong(found);
      if (at >= 0 && at < self->sizes.n_frame) return (int32_t)at;
      if (!PyErr_Occurred()) PyErr_Format(state->internal_error, "frame %R has the number %ld", object, at);
      return -1;
    }
    if (PyErr_Occurred()) return -1;
    /* the Python layer knows how to list near names */
    PyObject *text = PyObject_CallMethod((PyObject *)self, "_unknown_frame", "O", object);
    if (text) PyErr_SetObject(state->not_found_error, text);
    Py_XDECREF(text);
    return -1;
  }
  long long value;
  if (PyBool_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "frame must be a name or a number, got a bool");
    return -1;
  }
  if (!core_int(state, object, "frame", 0, (long long)self->sizes.n_frame - 1, &value)) return -1;
  return (int32_t)value;
}
