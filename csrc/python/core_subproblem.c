/* core_subproblem.c: function subproblem; handik/closed/subproblems.py is its only caller. */
#include "python/core.h"

#include <math.h>

#include "analytic/subproblem.h"

enum { MOST = 4 };
/* Numbers that a problem is given by, and unknown angles of an answer; by number of the problem. */
static const npy_intp width[7] = {0, 9, 12, 10, 10, 21, 38}, unknowns[7] = {0, 1, 2, 1, 1, 3, 2};

static int solve(int number, const double *v, double x[3][MOST], bool *exact) {
  const double(*rows)[3] = (const double(*)[3])v;
  switch (number) {
  case 1: return hik_subproblem1(v, v + 3, v + 6, x[0], exact);
  case 2: return hik_subproblem2(v, v + 3, v + 6, v + 9, x[0], x[1], exact);
  case 3: return hik_subproblem3(v, v + 3, v + 6, v[9], x[0], exact);
  case 4: return hik_subproblem4(v, v + 3, v + 6, v[9], x[0], exact);
  case 5: return hik_subproblem5(v, v + 3, v + 6, v + 9, v + 12, v + 15, v + 18, x[0], x[1], x[2], exact);
  default: return hik_subproblem6(rows, rows + 4, rows + 8, v[36], v[37], x[0], x[1], exact);
  }
}

typedef struct job {
  int number;
  const double *from;
  double *to;
  int32_t *count;
  bool *exact;
} job;

static void subproblem_rows(void *context, int64_t first, int64_t n, void *scratch) {
  const job *j = context;
  npy_intp each = unknowns[j->number];
  double *to = j->to + first * MOST * each;
  (void)scratch;
  for (int64_t k = first; k < first + n; k++) {
    double x[3][MOST];
    j->count[k] = solve(j->number, j->from + k * width[j->number], x, j->exact + k);
    for (int i = 0; i < MOST; i++)
      for (int u = 0; u < each; u++) *to++ = i < j->count[k] ? x[u][i] : NAN;
  }
}

PyObject *core_subproblem(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  static const char *const names[] = {"number", "given", "threads"};
  const core_state *state = PyModule_GetState(module);
  PyObject *slot[3], *result = NULL;
  long long number;
  npy_intp n;
  if (!core_arguments("subproblem", args, nargs, kwnames, names, 3, 2, slot) ||
      !core_int(state, slot[0], "number", 1, 6, &number))
    return NULL;
  PyArrayObject *given = core_array(state, slot[1], "given", &width[number], 1, &n);
  if (!given) return NULL;
  npy_intp most[2] = {n, MOST}, all[3] = {n, MOST, unknowns[number]};
  PyArrayObject *angles = (PyArrayObject *)PyArray_SimpleNew(3, all, NPY_DOUBLE);
  PyArrayObject *count = angles ? (PyArrayObject *)PyArray_SimpleNew(1, most, NPY_INT32) : NULL;
  PyArrayObject *exact = count ? (PyArrayObject *)PyArray_SimpleNew(1, most, NPY_BOOL) : NULL;
  if (exact) {
    job j = {(int)number, PyArray_DATA(given), PyArray_DATA(angles), PyArray_DATA(count),
             PyArray_DATA(exact)};
    core_rows rows = {.n = n, .cost = 64, .work = subproblem_rows, .context = &j};
    if (core_threads(state, slot[2], &rows.threads) && core_run_rows(state, &rows))
      result = PyTuple_Pack(3, angles, count, exact);
  }
  core_drop(given);
  core_drop(angles);
  core_drop(count);
  core_drop(exact);
  return result;
}
