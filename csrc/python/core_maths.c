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

/* Rows of `to` from n transforms (size 4) or rotations (size 3); the number of the first that is none, or n. */
static npy_intp convert(const double *from, npy_intp n, int size, double *to, npy_intp out_size) {
  for (npy_intp i = 0; i < n; i++, from += size * size, to += out_size) {
    if (size == 4) {
      to[0] = from[3], to[1] = from[7], to[2] = from[11];
      if (!hik_all_finite(from + 12, 4)) to[0] = NAN;
      if (!good_bottom(from + 12)) return i;
    }
    if (!to_quaternion(from, size, to + out_size - 4)) return i;
  }
  return n;
}

/* size 4: poses to 7 columns; size 3: rotations to 4. */
static PyObject *columns(PyObject *module, PyObject *object, const char *name, int size) {
  const core_state *state = PyModule_GetState(module);
  npy_intp n, i, in[2] = {size, size}, out_size = size == 4 ? 7 : 4;
  PyArrayObject *a = core_array(state, object, name, in, 2, &n);
  PyArrayObject *out = a ? core_output(state, NULL, a, 2, &out_size, 1) : NULL;
  if (out) {
    const double *from = PyArray_DATA(a);
    double *to = PyArray_DATA(out);
    CORE_RUN(8 * n, i = convert(from, n, size, to, out_size));
    if (i < n) {
      PyErr_Format(state->argument_error,
                   size == 4 && !good_bottom(from + 16 * i + 12)
                       ? "%s: the last row of item %zd is not 0 0 0 1"
                       : "%s: item %zd is not a rotation (its columns must be orthonormal and right-handed)",
                   name, (Py_ssize_t)i);
      core_drop(out);
      out = NULL;
    }
  }
  core_drop(a);
  return (PyObject *)out;
}

bool core_pose_row(const double *from, double *to) {
  to[0] = from[3], to[1] = from[7], to[2] = from[11];
  if (!hik_all_finite(from + 12, 4)) to[0] = NAN;
  return good_bottom(from + 12) && to_quaternion(from, 4, to + 3);
}

PyObject *core_pose_columns(PyObject *module, PyObject *object) { return columns(module, object, "pose", 4); }

PyObject *core_turn_columns(PyObject *module, PyObject *object) {
  return columns(module, object, "orientation", 3);
}
