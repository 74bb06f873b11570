/* core_batch.c: how every batch call runs: rows in blocks, on threads, without the GIL, with a look at Ctrl-C. */
#include "python/core.h"

/* Small steps, of 10 to 20 ns, that a call may take without giving the GIL up; of a block; that threads=0 wants before it
   starts a thread. */
enum { SHORT = 2000, BLOCK_STEPS = 1 << 14, WORTH_THREADS = 100000 };
/* rows of a block are a multiple of it, so that no lane is empty but in the last one */
enum { LANES = 16 };

bool core_tick(void *context, int64_t done, int64_t total) {
  core_tick_context *t = context;
  if (done == total && !t->progress) return true; /* the interpreter looks at signals next */
  bool kept = !t->saved;
  if (!kept) PyEval_RestoreThread(t->saved);
  bool go_on = !PyErr_Occurred() && PyErr_CheckSignals() == 0;
  if (go_on && t->progress) {
    PyObject *r = PyObject_CallFunction(t->progress, "LL", (long long)done, (long long)total);
    go_on = r != NULL;
    Py_XDECREF(r);
  }
  if (!kept) t->saved = PyEval_SaveThread();
  return go_on;
}

bool core_threads(const core_state *state, PyObject *object, long long *threads) {
  *threads = 1;
  return !object || object == Py_None || core_int(state, object, "threads", 0, 1000000, threads);
}

/* In one piece, by this thread, which keeps the GIL. */
static bool run_short(const core_rows *rows) {
  void *scratch = rows->scratch ? hik_allocate(rows->scratch) : NULL;
  if (rows->scratch && !scratch) {
    PyErr_NoMemory();
    return false;
  }
  rows->work(rows->context, 0, rows->n, scratch);
  hik_release(scratch);
  return !(rows->keep && PyErr_Occurred());
}

bool core_run_rows(const core_state *state, const core_rows *rows) {
  if (rows->n <= SHORT / rows->cost) return run_short(rows);
  int64_t block = BLOCK_STEPS / rows->cost;
  block = block >= LANES ? block - block % LANES : block < 1 ? 1 : block;
  core_tick_context context = {NULL, NULL};
  hik_rows whole = {.n = rows->n,
                    .block = block,
                    .threads = rows->threads,
                    .scratch = rows->scratch,
                    .work = rows->work,
                    .context = rows->context,
                    .tick = core_tick,
                    .tick_context = &context};
  if (rows->keep || (!rows->threads && rows->n < WORTH_THREADS / rows->cost)) whole.threads = 1;
  if (rows->keep) whole.block = 1;
  hik_error error = {HIK_OK, -1, ""};
  if (!rows->keep) context.saved = PyEval_SaveThread();
  hik_status status = hik_rows_run(&whole, &error);
  if (!rows->keep) PyEval_RestoreThread(context.saved);
  if (status) core_raise(state, &error);
  return !status && !(rows->keep && PyErr_Occurred());
}
