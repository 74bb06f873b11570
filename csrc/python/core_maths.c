/* core_maths.c: batch functions that need no model: rotations and poses to the columns of a target; and the one place that
   says what a pose is, for every call that takes one: the columns of its rotation are of unit length and at right angles to
   HIK_RIGID (base/pose.h), right-handed, and its last row is 0 0 0 1. A pose that is not finite is data: no posture reaches
   it. */
#include "python/core.h"

#include "base/quat.h"
#include "simd/kernels.h"

static const double BOTTOM = 1e-9;

/* The last row of a transform: 0 0 0 1, or not finite. */
static bool plain_bottom(const double *row) {
  return row[0] == 0 && row[1] == 0 && row[2] == 0 && row[3] == 1;
}

static bool good_bottom(const double *row) {
  return plain_bottom(row) || !hik_all_finite(row, 4) ||
         (fabs(row[0]) <= BOTTOM && fabs(row[1]) <= BOTTOM && fabs(row[2]) <= BOTTOM &&
          fabs(row[3] - 1) <= BOTTOM);
}

static void take_rotation(const double *r, int stride, double *m) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[3 * i + j] = r[i * stride + j];
}

/* Rotation of a row-major matrix of the given row stride to q; false when it is none. Not finite: NaN and true. */
static bool to_quaternion(const double *r, int stride, double *q) {
  double m[9];
  take_rotation(r, stride, m);
  if (hik_mat_rigid(m)) {
    hik_quat_from_mat(m, q);
    return true;
  }
  for (int i = 0; i < 4; i++) q[i] = NAN;
  return !hik_all_finite(m, 9);
}

bool core_is_pose(const double *T) {
  double m[9];
  take_rotation(T, 4, m);
  return good_bottom(T + 12) && (!hik_all_finite(m, 9) || hik_mat_rigid(m));
}

/* Says what is wrong with item i, of `size` rows and columns. */
static void refuse(const core_state *state, const char *name, Py_ssize_t i, const double *from, int size) {
  double m[9];
  char far[24];
  if (size == 4 && !good_bottom(from + 12)) {
    PyErr_Format(state->argument_error, "%s: the last row of item %zd is not 0 0 0 1", name, i);
    return;
  }
  take_rotation(from, size, m);
  double off = hik_mat_off(m);
  snprintf(far, sizeof far, "%.2g", off);
  if (off < INFINITY)
    PyErr_Format(
        state->argument_error,
        "%s: item %zd is not a rotation: its columns are off unit length or right angles by %s, more than "
        "1e-6; if it was rounded, u @ vt of u, _, vt = numpy.linalg.svd(R) is the nearest",
        name, i, far);
  else
    PyErr_Format(state->argument_error,
                 "%s: item %zd is not a rotation but a reflection, or beyond all numbers", name, i);
}

PyArrayObject *core_poses(const core_state *state, PyObject *object, npy_intp *n) {
  const npy_intp four[2] = {4, 4};
  PyArrayObject *a = core_array(state, object, "T", four, 2, n);
  const double *T = a ? PyArray_DATA(a) : NULL;
  for (npy_intp i = 0; a && i < *n; i++, T += 16)
    if (!core_is_pose(T)) {
      refuse(state, "T", (Py_ssize_t)i, T, 4);
      core_drop(a);
      a = NULL;
    }
  return a;
}

bool core_pose_row(const double *from, double *to) {
  to[0] = from[3], to[1] = from[7], to[2] = from[11];
  if (HIK_UNLIKELY(!plain_bottom(from + 12))) {
    if (!good_bottom(from + 12)) return false;
    if (!hik_all_finite(from + 12, 4)) to[0] = NAN;
  }
  return to_quaternion(from, 4, to + 3);
}

typedef struct job {
  const double *from;
  double *to;
  int size;            /* 4: transforms; 3: rotations */
  npy_intp width, bad; /* the number of the first that is none, -1: all are; one thread alone looks for it */
} job;

enum { AT_ONCE = 32 }; /* poses that the kernel takes */

static void convert_rows(void *context, int64_t first, int64_t n, void *scratch) {
  job *j = context;
  const double *from = j->from + first * j->size * j->size;
  double *to = j->to + first * j->width;
  uint32_t done = 0;
  (void)scratch;
  for (int64_t k = 0; k < n && j->bad < 0; k++, from += j->size * j->size, to += j->width, done >>= 1) {
    int64_t left = n - k;
    if (k % AT_ONCE == 0 && left > 1 && j->size == 4)
      done = hik_kernels_in_use()->pose_columns(left < AT_ONCE ? left : AT_ONCE, from, to);
    if (!(done & 1) && (j->size == 4 ? !core_pose_row(from, to) : !to_quaternion(from, 3, to)))
      j->bad = (npy_intp)(first + k);
  }
}

/* size 4: poses to 7 columns; size 3: rotations to 4. */
static PyObject *columns(PyObject *module, PyObject *object, const char *name, int size) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n, in[2] = {size, size}, width = size == 4 ? 7 : 4;
  PyArrayObject *a = core_array(state, object, name, in, 2, &n);
  PyArrayObject *out = a ? core_output(state, NULL, a, 2, &width, 1) : NULL;
  if (out) {
    job j = {PyArray_DATA(a), PyArray_DATA(out), size, width, -1};
    const core_rows rows = {.n = n, .cost = 8, .threads = 1, .work = convert_rows, .context = &j};
    bool done = core_run_rows(state, &rows);
    if (done && j.bad >= 0) refuse(state, name, (Py_ssize_t)j.bad, j.from + size * size * j.bad, size);
    if (!done || j.bad >= 0) {
      core_drop(out);
      out = NULL;
    }
  }
  core_drop(a);
  return (PyObject *)out;
}

PyObject *core_pose_columns(PyObject *module, PyObject *const *args, Py_ssize_t nargs) {
  if (nargs == 2 && PyUnicode_Check(args[1])) {
    const char *name = PyUnicode_AsUTF8AndSize(args[1], NULL);
    return name ? columns(module, args[0], name, 4) : NULL;
  }
  if (nargs == 1) return columns(module, args[0], "pose", 4);
  PyErr_SetString(PyExc_TypeError, "pose_columns(transforms, name='pose')");
  return NULL;
}

PyObject *core_turn_columns(PyObject *module, PyObject *object) {
  return columns(module, object, "orientation", 3);
}
