/* problem.c: terms resolved against a model: columns, rows, the steps that matter, what lengths allow. */
#include "base/error.h"
#include "base/memory.h"
#include "term/term.h"

enum { MAX_TERMS = 4096 };

hik_term hik_term_default(int32_t kind) {
  hik_term term;
  memset(&term, 0, sizeof term);
  term.kind = kind;
  term.frame = -1;
  term.weight = 1;
  term.position_tolerance = term.orientation_tolerance = 1e-4;
  if (kind >= 0 && kind < hik_term_class_count)
    memcpy(term.param, hik_term_classes[kind]->param_default, sizeof term.param);
  return term;
}

static hik_status check_term(const hik_model *m, const hik_term *t, int32_t i, hik_error *error) {
  if (t->kind < 0 || t->kind >= hik_term_class_count)
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: %d is not a kind of term", i, t->kind);
  if (t->frame < 0 || t->frame >= m->n_frame)
    return hik_fail(error, HIK_NOT_FOUND, i, "term %d: the model has no frame %d", i, t->frame);
  if (!(t->weight > 0 && t->weight < 1e100))
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: its weight must be positive and finite, got %g", i, t->weight);
  if (!(t->position_tolerance >= 0 && t->orientation_tolerance >= 0))
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: its tolerances must be zero or more, got %g m and %g rad", i,
                    t->position_tolerance, t->orientation_tolerance);
  const hik_term_class *c = hik_term_classes[t->kind];
  return c->check && !c->check(t, i, error) ? HIK_BAD_ARGUMENT : HIK_OK;
}

/* Lengths from the root of the goal's chain to the goal. */
static void measure_arm(const hik_model *m, hik_goal *g) {
  double longest = hik_norm(g->place.t), sum = longest;
  bool slides = false;
  hik_copy3(g->place.t, g->root);
  for (int32_t s = g->step; s >= 0; s = m->step_parent[s]) {
    double length = hik_norm(hik_step_place(m, s)->t);
    if (m->step_kind[s] == HIK_SLIDE) {
      slides = true;
      sum += fmax(fabs(m->step_limit[2 * (size_t)s]), fabs(m->step_limit[2 * (size_t)s + 1]));
    }
    if (m->step_parent[s] < 0) {
      hik_copy3(hik_step_place(m, s)->t, g->root);
      break;
    }
    sum += length;
    longest = fmax(longest, length);
  }
  g->arm = g->step < 0 ? 0 : sum;
  g->inner = slides || g->step < 0 ? 0 : fmax(0, 2 * longest - sum);
}

static void lay_out(hik_problem *p, hik_block *block) {
  p->goal = HIK_TAKE(block, hik_goal, p->n_goal);
  p->active = HIK_TAKE(block, int32_t, p->n_active);
}

/* Marks the steps above every goal; returns how many. */
static int32_t mark_active(const hik_model *m, const hik_term *term, int32_t n_term, char *seen) {
  int32_t n = 0;
  for (int32_t i = 0; i < n_term; i++)
    for (int32_t s = m->frame_step[term[i].frame]; s >= 0 && !seen[s]; s = m->step_parent[s]) seen[s] = 1, n++;
  return n;
}

static void fill(hik_problem *p, const hik_term *term, const char *seen) {
  const hik_model *m = p->model;
  for (int32_t s = 0, k = 0; s < m->n_step; s++)
    if (seen[s]) p->active[k++] = s;
  p->scale = 1e-9;
  for (int32_t i = 0; i < p->n_goal; i++) {
    hik_goal *g = p->goal + i;
    g->term = term[i];
    g->step = m->frame_step[term[i].frame];
    g->place = *hik_frame_place(m, term[i].frame);
    g->column = p->width;
    g->row = p->rows;
    p->width += hik_goal_class(g)->width;
    p->rows += hik_goal_class(g)->rows;
    measure_arm(m, g);
    if (g->arm < INFINITY) p->scale = fmax(p->scale, g->arm);
  }
}

hik_status hik_problem_create(const hik_model *model, const hik_term *term, int32_t n_term, hik_problem **problem,
                              hik_error *error) {
  *problem = NULL;
  if (n_term < 1 || n_term > MAX_TERMS)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a problem takes 1 to %d terms, got %d", MAX_TERMS, n_term);
  for (int32_t i = 0; i < n_term; i++) {
    hik_status status = check_term(model, term + i, i, error);
    if (status) return status;
  }
  char *seen = hik_allocate((size_t)model->n_step + 1);
  if (!seen) return hik_fail_memory(error, (size_t)model->n_step + 1);
  hik_problem sizes = {.model = model, .n_goal = n_term};
  sizes.n_active = mark_active(model, term, n_term, seen);
  hik_block block = {NULL, 0, false};
  HIK_TAKE(&block, hik_problem, 1);
  lay_out(&sizes, &block);
  hik_problem *p = block.bad ? NULL : hik_allocate(block.size);
  if (p) {
    *p = sizes;
    block = (hik_block){(char *)p, 0, false};
    HIK_TAKE(&block, hik_problem, 1);
    lay_out(p, &block);
    fill(p, term, seen);
    *problem = p;
  }
  hik_release(seen);
  return p ? HIK_OK : hik_fail_memory(error, block.size);
}

void hik_problem_free(hik_problem *problem) {
  if (problem) hik_release(atomic_load(&problem->prepared));
  hik_release(problem);
}

int32_t hik_problem_target_width(const hik_problem *p) { return p->width; }

int32_t hik_problem_residual_width(const hik_problem *p) { return p->rows; }

bool hik_target_usable(const hik_problem *p, const double *target) {
  if (!hik_all_finite(target, p->width)) return false;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const double *x = target + p->goal[i].column;
    uint32_t caps = hik_goal_class(p->goal + i)->caps;
    double unit[3];
    if (caps & HIK_HAS_POSITION) x += 3;
    if (caps & HIK_HAS_ORIENTATION) {
      double n = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
      if (!(n > 1e-200 && n < 1e200)) return false;
    }
    if (caps & HIK_HAS_AXIS && hik_unit(x, unit) == 0) return false;
  }
  return true;
}

bool hik_out_of_reach(const hik_problem *p, const double *target) {
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (!(hik_goal_class(g)->caps & HIK_HAS_POSITION)) continue;
    double d[3], n, slack = g->term.position_tolerance + 1e-12 * g->arm;
    hik_sub3(target + g->column, g->root, d);
    n = hik_norm_safe(d);
    if (n > g->arm + slack || n < g->inner - slack) return true;
  }
  return false;
}

double hik_error_floor(const hik_problem *p, const double *target) {
  double sum = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (!(hik_goal_class(g)->caps & HIK_HAS_POSITION)) continue;
    double d[3];
    hik_sub3(target + g->column, g->root, d);
    double n = hik_norm_safe(d), short_by = g->term.weight * fmax(0, fmax(n - g->arm, g->inner - n));
    sum += short_by * short_by;
  }
  return sqrt(sum);
}

void hik_goal_pose(const hik_goal *g, const hik_pose *world, hik_pose *out) {
  if (g->step < 0)
    *out = g->place;
  else
    hik_pose_mul(world + g->step, &g->place, out);
}
