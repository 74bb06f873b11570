/* core_skin.c: skin(rest, bone, share, mix, poses): the vertices of a surface from the poses of its bones. */
#include "python/core.h"
#include "skin/skin.h"

typedef struct skin_arrays {
  PyArrayObject *rest, *bone, *share, *mix, *poses, *out;
} skin_arrays;

static void drop(skin_arrays *a) {
  core_drop(a->rest);
  core_drop(a->bone);
  core_drop(a->share);
  core_drop(a->mix);
  core_drop(a->poses);
}

typedef struct job {
  const hik_skin *skin;
  const double *poses;
  double *out;
} job;

static void skin_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  int64_t bones = j->skin->bones, vertices = j->skin->vertices;
  for (int64_t i = first; i < first + n; i++) {
    hik_skin_bones(j->poses + 7 * bones * i, (int32_t)bones, scratch);
    hik_skin_row(j->skin, scratch, j->out + 3 * vertices * i);
  }
}

/* The arrays of the mesh at rest; sizes agree and fit. */
static bool take(const core_state *state, PyObject **given, skin_arrays *a, hik_skin *skin) {
  npy_intp three = 3, n = 0, shares = 0, rows = 0;
  a->bone = core_integers(given[1]);
  if (!a->bone) return false;
  if (PyArray_NDIM(a->bone) != 2 || PyArray_DIM(a->bone, 1) < 1 || PyArray_DIM(a->bone, 1) > 64) {
    PyErr_SetString(state->argument_error, "bone must have shape (vertices, shares), 1 to 64 shares");
    return false;
  }
  n = PyArray_DIM(a->bone, 0), shares = PyArray_DIM(a->bone, 1);
  if (!(a->rest = core_array(state, given[0], "rest", &three, 1, &rows))) return false;
  if (PyArray_NDIM(a->rest) != 2 || rows != n) {
    PyErr_SetString(state->argument_error, "rest must have shape (vertices, 3), as many as bone has rows");
    return false;
  }
  const npy_intp table[2] = {n, shares};
  if (!(a->share = core_array(state, given[2], "share", table, 2, &rows))) return false;
  if (!(a->mix = core_array(state, given[3], "mix", &n, 1, &rows))) return false;
  if (PyArray_NDIM(a->share) != 2 || PyArray_NDIM(a->mix) != 1) {
    PyErr_SetString(state->argument_error, "share and mix are of one mesh, without further axes");
    return false;
  }
  *skin = (hik_skin){n,
                     0,
                     (int32_t)shares,
                     PyArray_DATA(a->rest),
                     PyArray_DATA(a->bone),
                     PyArray_DATA(a->share),
                     PyArray_DATA(a->mix)};
  return true;
}

static PyArrayObject *poses_of(const core_state *state, PyObject *object, hik_skin *skin, npy_intp *n) {
  npy_intp all;
  PyArrayObject *T = core_poses(state, object, &all);
  if (!T) return NULL;
  int axes = PyArray_NDIM(T);
  npy_intp bones = axes > 2 ? PyArray_DIM(T, axes - 3) : 0, seven[2] = {bones, 7};
  PyArrayObject *out = NULL;
  if (bones < 1 || bones > 4096)
    PyErr_SetString(state->argument_error, "T must have shape (..., bones, 4, 4), 1 to 4096 bones");
  else
    out = core_new(state, T, 3, seven, 2, NPY_DOUBLE, false);
  if (out) {
    const double *from = PyArray_DATA(T);
    double *to = PyArray_DATA(out);
    for (npy_intp i = 0; i < all; i++) core_pose_row(from + 16 * i, to + 7 * i);
    skin->bones = (int32_t)bones;
    *n = all / bones;
  }
  core_drop(T);
  return out;
}

PyObject *core_skin(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"rest", "bone", "share", "mix", "T", "threads", "out"};
  const core_state *state = PyModule_GetState(module);
  PyObject *given[7];
  skin_arrays a = {0};
  hik_skin skin;
  hik_error error;
  long long threads;
  npy_intp n;
  if (!core_arguments("skin", args, nargs, kwnames, names, 7, 5, given)) return NULL;
  if (!core_threads(state, given[5], &threads)) return NULL;
  bool good = take(state, given, &a, &skin) && (a.poses = poses_of(state, given[4], &skin, &n));
  if (good && hik_skin_check(&skin, &error) < 0) {
    core_raise(state, &error);
    good = false;
  }
  const npy_intp row[2] = {good ? (npy_intp)skin.vertices : 0, 3};
  a.out = good ? core_output(state, given[6], a.poses, 2, row, 2) : NULL;
  if (a.out && !core_apart(&a.rest, a.out)) good = false;
  if (a.out && good) {
    skin.rest = PyArray_DATA(a.rest);
    job j = {&skin, PyArray_DATA(a.poses), PyArray_DATA(a.out)};
    const core_rows rows = {.n = n,
                            .cost = (npy_intp)(1 + 4 * skin.vertices),
                            .threads = threads,
                            .scratch = (size_t)skin.bones * HIK_SKIN_BONE * sizeof(double),
                            .work = skin_rows,
                            .context = &j};
    good = core_run_rows(state, &rows);
  }
  drop(&a);
  if (good) return (PyObject *)a.out;
  core_drop(a.out);
  return NULL;
}
