/* module.c: what the core exports as a WebAssembly module: figures, terms, solvers and poses by name, so that no layout of a
   struct is known to its caller, which is JavaScript (handik/app/view/core.js) or, in the tests, Python under wasmtime.

   Given: pointers into the module's memory, from hik_room. Names are text with a zero at the end.
   Returned: handles, 0 or a negative status where something is refused; page_sentence then says why. One caller at a time. */
#include <stdlib.h>

#include "base/base.h"

#ifdef __wasm__
#define EXPORTED(name) __attribute__((export_name(#name)))
#else
#define EXPORTED(name)
#endif

enum { MOST_TARGETS = 1 << 20 }; /* of a call: their working memory fits into 32 bits */

static hik_error error;
static hik_model_def definition;
static hik_term *terms;
static int32_t n_term, room_for_terms;

EXPORTED(hik_room) void *page_room(size_t size) { return malloc(size ? size : 1); }
EXPORTED(hik_drop) void page_drop(void *memory) { free(memory); }
EXPORTED(hik_sentence) const char *page_sentence(void) { return error.text; }
EXPORTED(hik_release) const char *page_release(void) { return hik_version(); }
EXPORTED(hik_tells) int32_t page_find(int32_t table, const char *name) { return hik_find(table, name); }
EXPORTED(hik_name) const char *page_name(int32_t table, int32_t row) { return hik_row(table, row).name; }
EXPORTED(hik_rows) int32_t page_rows(int32_t table) { return hik_count(table); }

static int32_t refuse(hik_status status, const char *sentence) {
  error = (hik_error){.status = status, .index = -1};
  strncpy(error.text, sentence, sizeof error.text - 1);
  return status;
}

/* ---- a model, array by array ---- */

static const struct {
  const char *name;
  size_t at;
} arrays[] = {
#define ARRAY(name) {#name, offsetof(hik_model_def, name)}
    ARRAY(parent),      ARRAY(kind),
    ARRAY(axis),        ARRAY(axis2),
    ARRAY(swing),       ARRAY(placement),
    ARRAY(lower),       ARRAY(upper),
    ARRAY(rest),        ARRAY(mimic),
    ARRAY(mimic_line),  ARRAY(mimic_swing),
    ARRAY(frame_joint), ARRAY(inertial),
    ARRAY(motor),       ARRAY(corner_count),
    ARRAY(knot_count),  ARRAY(corner),
    ARRAY(knot),        ARRAY(knot_full),
    ARRAY(hold),        ARRAY(frame_placement),
#undef ARRAY
};

/* Begins a definition of so many joints and frames. Their arrays stay the caller's, and must live until page_model. */
EXPORTED(hik_begin) void page_begin(int32_t joints, int32_t frames) {
  definition = hik_model_def_default();
  definition.n_joint = joints, definition.n_frame = frames;
}

/* Hands over one array of hik_model_def by its name. */
EXPORTED(hik_array) int32_t page_array(const char *name, const void *data) {
  for (int32_t k = 0; k < HIK_COUNT_OF(arrays); k++)
    if (strcmp(arrays[k].name, name) == 0) {
      memcpy((char *)&definition + arrays[k].at, &data, sizeof data);
      return HIK_OK;
    }
  return refuse(HIK_NOT_FOUND, "a model has no such array");
}

EXPORTED(hik_model) hik_model *page_model(void) {
  const hik_model_def *d = &definition;
  const bool joints = d->parent && d->kind && d->axis && d->placement && d->lower && d->upper;
  hik_model *model = NULL;
  if ((d->n_joint && !joints) || (d->n_frame && !(d->frame_joint && d->frame_placement))) {
    refuse(HIK_BAD_MODEL,
           "a model has parent, kind, axis, placement, lower and upper, and frames their joint and place");
    return NULL;
  }
  hik_model_create(&definition, &model, &error);
  return model;
}

EXPORTED(hik_model_drop) void page_model_drop(hik_model *model) { hik_model_free(model); }
EXPORTED(hik_nq) int32_t page_nq(const hik_model *model) { return hik_model_sizes(model).nq; }

/* Poses of all frames of n configurations, out [n][n_frame][4][4]. */
EXPORTED(hik_poses) int32_t page_poses(const hik_model *model, int32_t n, const double *q, double *out) {
  void *scratch = malloc(hik_scratch_size(model));
  if (!scratch) return refuse(HIK_NO_MEMORY, "there is no memory for the poses");
  hik_frames(model, n, q, out, true, scratch);
  free(scratch);
  return HIK_OK;
}

/* Configurations into their limits, in place. */
EXPORTED(hik_clip) void page_clip(const hik_model *model, int32_t n, double *q) { hik_clamp(model, n, q); }

/* ---- a problem, term by term ---- */

EXPORTED(hik_terms) void page_terms(void) { n_term = 0; }

/* One more term; `other` is -1 but for kinds about two frames. */
EXPORTED(hik_term)
int32_t page_term(const char *kind, int32_t frame, int32_t other, double weight, double position_tolerance,
                  double orientation_tolerance) {
  const int32_t row = hik_find(HIK_TERMS, kind);
  if (row < 0) return refuse(HIK_NOT_FOUND, "there is no such term");
  if (n_term == room_for_terms) {
    const int32_t more = 2 * room_for_terms + 4;
    hik_term *all = realloc(terms, (size_t)more * sizeof *all);
    if (!all) return refuse(HIK_NO_MEMORY, "there is no memory for a term");
    terms = all, room_for_terms = more;
  }
  hik_term *term = &terms[n_term++];
  *term = hik_term_default(row);
  term->frame = frame, term->other = other, term->weight = weight;
  term->position_tolerance = position_tolerance, term->orientation_tolerance = orientation_tolerance;
  return HIK_OK;
}

EXPORTED(hik_problem) hik_problem *page_problem(const hik_model *model) {
  hik_problem *problem = NULL;
  hik_problem_create(model, terms, n_term, &problem, &error);
  return problem;
}

EXPORTED(hik_problem_drop) void page_problem_drop(hik_problem *problem) { hik_problem_free(problem); }
EXPORTED(hik_width) int32_t page_width(const hik_problem *problem) {
  return hik_problem_target_width(problem);
}

/* ---- solving ---- */

/* A solver by name, ready for targets of the problem. A negative number for iterations or restarts keeps the solver's own. */
EXPORTED(hik_plan)
hik_plan *page_plan(const hik_problem *problem, const char *solver, int32_t max_iter, int32_t restarts) {
  hik_plan *plan = NULL;
  const int32_t row = hik_find(HIK_SOLVERS, solver);
  if (row < 0) {
    refuse(HIK_NOT_FOUND, "there is no such solver");
    return NULL;
  }
  hik_options options = hik_options_default(row);
  const hik_entry entry = hik_row(HIK_SOLVERS, row);
  if (max_iter >= 0) options.max_iter = max_iter;
  for (int32_t k = 0; restarts >= 0 && k < entry.n_param; k++)
    if (strcmp(entry.option[k].name, "max_restarts") == 0) options.param[k] = restarts;
  options.threads = 1;
  hik_plan_create(row, problem, &options, NULL, &plan, &error);
  return plan;
}

EXPORTED(hik_plan_drop) void page_plan_drop(hik_plan *plan) { hik_plan_free(plan); }

/* n targets. q0: one start, or NULL for the model's rest. Out: q [n][nq], whole [n][3] outcome, iterations, restarts,
   missed [n][2] metres and radians. */
EXPORTED(hik_answer)
int32_t page_answer(const hik_plan *plan, const hik_problem *problem, int32_t n, const double *target,
                    const double *q0, double *q, int32_t *whole, double *missed) {
  if (n < 0 || n > MOST_TARGETS) return refuse(HIK_BAD_ARGUMENT, "0 to 1,048,576 targets in one call");
  const size_t rows = (size_t)n + 1;
  int8_t *outcome = malloc(rows);
  int32_t *counts = malloc(2 * rows * sizeof *counts);
  double *errors = malloc(2 * rows * sizeof *errors);
  int32_t status = HIK_NO_MEMORY;
  if (outcome && counts && errors) {
    hik_batch batch = {.n = n, .target = target, .target_stride = hik_problem_target_width(problem)};
    batch.q0 = q0, batch.q = q, batch.outcome = outcome;
    batch.iterations = counts, batch.n_restarts = counts + n;
    batch.position_error = errors, batch.orientation_error = errors + n;
    status = hik_plan_solve(plan, &batch, &error);
    for (int32_t i = 0; status == HIK_OK && i < n; i++) {
      whole[3 * i] = outcome[i], whole[3 * i + 1] = counts[i], whole[3 * i + 2] = counts[n + i];
      missed[2 * i] = errors[i], missed[2 * i + 1] = errors[n + i];
    }
  } else {
    refuse(HIK_NO_MEMORY, "there is no memory for the answers");
  }
  free(outcome), free(counts), free(errors);
  return status;
}
