/* core_maths.c: batch functions that need no model: rotations and poses to the columns of a target. */
#include "python/core.h"

#include "base/quat.h"

/* The last row of a transform: 0 0 0 1, or not finite, which is data. */
static bool good_bottom(const double *row) {
  return !hik_all_finite(row, 4) ||
         (fabs(row[0]) < 1e-9 && fabs(row[1]) < 1e-9 && fabs(row[2]) < 1e-9 && fabs(row[3] - 1) < 1e-9);
}

/* Rotation of a row-major matrix of the given row stride to q; false when it is none. Not finite: NaN and true. */
static bool to_quaternion(const double *r, int stride, double *q) {
  double m[9], mtm[9], c[3], x[3], y[3], z[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[3 * i + j] = r[i * stride + j];
  if (!hik_all_finite(m, 9)) {
    for (int i = 0; i < 4; i++) q[i] = NAN;
    return true;
  }
  hik_mat_tmul(m, m, mtm);
  for (int i = 0; i < 9; i++)
    if (!(fabs(mtm[i] - (i % 4 == 0)) < 1e-4)) return false;
  hik_mat_column(m, 0, x);
  hik_mat_column(m, 1, y);
  hik_mat_column(m, 2, z);
  hik_cross(x, y, c);
  if (hik_dot(c, z) < 0) return false;
  hik_quat_from_mat(m, q);
  return true;
}

bool core_pose_row(const double *from, double *to) {
  to[0] = from[3], to[1] = from[7], to[2] = from[11];
  if (!hik_all_finite(from + 12, 4)) to[0] = NAN;
  return good_bottom(from + 12) && to_quaternion(from, 4, to + 3);
}

typedef struct job {
  const double *from;
  double *to;
  int size;            /* 4: transforms; 3: rotations */
  npy_intp width, bad; /* the number of the first that is none, -1: all are; one thread alone looks for it */
} job;

static void convert_rows(void *context, int64_t first, int64_t n, void *scratch) {
  job *j = context;
  const double *from = j->from + first * j->size * j->size;
  double *to = j->to + first * j->width;
  (void)scratch;
  for (int64_t i = first; i < first + n && j->bad < 0; i++, from += j->size * j->size, to += j->width) {
    if (j->size == 4 ? !core_pose_row(from, to) : !to_quaternion(from, 3, to)) j->bad = (npy_intp)i;
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
    if (done && j.bad >= 0)
      PyErr_Format(state->argument_error,
                   size == 4 && !good_bottom(j.from + 16 * j.bad + 12)
                       ? "%s: the last row of item %zd is not 0 0 0 1"
                       : "%s: item %zd is not a rotation (its columns must be orthonormal and right-handed)",
                   name, (Py_ssize_t)j.bad);
    if (!done || j.bad >= 0) {
      core_drop(out);
      out = NULL;
    }
  }
  core_drop(a);
  return (PyObject *)out;
}

PyObject *core_pose_columns(PyObject *module, PyObject *object) { return columns(module, object, "pose", 4); }

PyObject *core_turn_columns(PyObject *module, PyObject *object) {
  return columns(module, object, "orientation", 3);
}
