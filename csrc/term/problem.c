/* problem.c: terms resolved against a model: columns, rows, the steps that matter, what lengths allow. */
#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "term/term.h"

enum { MAX_TERMS = 4096 };

/* metres; what is shorter is taken for the rounding of origins that should coincide */
static const double LEAST_LENGTH = 1e-9;

hik_term hik_term_default(int32_t kind) {
  hik_term term;
  memset(&term, 0, sizeof term);
  term.kind = kind;
  term.frame = term.other = -1;
  term.weight = 1;
  term.position_tolerance = term.orientation_tolerance = 1e-4;
  if (kind >= 0 && kind < hik_term_class_count)
    memcpy(term.param, hik_term_classes[kind]->param_default, sizeof term.param);
  return term;
}

static hik_status check_term(const hik_model *m, const hik_term *t, int32_t i, hik_error *error) {
  if (t->kind < 0 || t->kind >= hik_term_class_count)
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: %d is not a kind of term", i, t->kind);
  const hik_term_class *c = hik_term_classes[t->kind];
  if ((t->frame < 0 && !(c->caps & (HIK_IS_WHOLE | HIK_IS_OWN))) || t->frame >= m->n_frame)
    return hik_fail(error, HIK_NOT_FOUND, i, "term %d: the model has no frame %d", i, t->frame);
  if (c->caps & HIK_IS_PAIR && (t->other < -1 || t->other >= m->n_frame))
    return hik_fail(error, HIK_NOT_FOUND, i, "term %d: the model has no frame %d", i, t->other);
  if (!(t->weight > 0 && t->weight < 1e100))
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: its weight must be positive and finite, got %g", i,
                    t->weight);
  if (!(t->position_tolerance >= 0 && t->orientation_tolerance >= 0))
    return hik_fail(error, HIK_BAD_ARGUMENT, i,
                    "term %d: its tolerances must be zero or more, got %g m and %g rad", i,
                    t->position_tolerance, t->orientation_tolerance);
  if (t->n_data < 0 || (t->n_data > 0 && !t->data) || !hik_all_finite(t->data, t->n_data))
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: its data are missing or not finite", i);
  if (t->level < 0)
    return hik_fail(error, HIK_BAD_ARGUMENT, i, "term %d: its level must be 0 or more, got %d", i, t->level);
  return c->check && !c->check(m, t, i, error) ? HIK_BAD_ARGUMENT : HIK_OK;
}

/* Lengths from the root of the goal's chain to the goal. A slide without an end takes the goal anywhere, but has no length
   that would compare with angles. */
static void measure_arm(const hik_model *m, hik_goal *g) {
  double longest = hik_norm(g->place.t), sum = longest, endless = 0;
  bool slides = false;
  hik_copy3(g->place.t, g->root);
  for (int32_t s = g->step; s >= 0; s = m->step_parent[s]) {
    double length = hik_norm(hik_step_place(m, s)->t);
    if (m->step_kind[s] == HIK_SLIDE) {
      double far = fmax(fabs(m->step_limit[2 * (size_t)s]), fabs(m->step_limit[2 * (size_t)s + 1]));
      slides = true;
      *(far < INFINITY ? &sum : &endless) += far;
    }
    if (m->step_parent[s] < 0) {
      hik_copy3(hik_step_place(m, s)->t, g->root);
      break;
    }
    sum += length;
    longest = fmax(longest, length);
  }
  g->length = g->step < 0 ? 0 : sum;
  g->arm = g->step < 0 ? 0 : sum + endless;
  g->inner = slides || g->step < 0 ? 0 : fmax(0, 2 * longest - sum);
}

static void lay_out(hik_problem *p, hik_block *block) {
  p->goal = HIK_TAKE(block, hik_goal, p->n_goal);
  p->active = HIK_TAKE(block, int32_t, p->n_active);
  p->metric = HIK_TAKE(block, char, p->rows);
  p->data = HIK_TAKE(block, double, p->n_data);
}

/* Marks the steps from this one up; returns how many are new. */
static int32_t mark_above(const hik_model *m, int32_t step, char *seen) {
  int32_t n = 0;
  for (int32_t s = step; s >= 0 && !seen[s]; s = m->step_parent[s]) seen[s] = 1, n++;
  return n;
}

/* Marks the balls that marked steps follow, and what is above them, whose followers may be new in their turn. */
static int32_t mark_leaders(const hik_model *m, char *seen) {
  int32_t n = 0, before;
  do {
    before = n;
    for (int32_t s = 0; s < m->n_step && m->n_follow > 0; s++)
      if (seen[s] && hik_step_follows(m, s)) n += mark_above(m, hik_step_leader(m, s), seen);
  } while (n > before);
  return n;
}

/* Marks the steps that move some goal; returns how many. */
static int32_t mark_active(const hik_model *m, const hik_term *term, int32_t n_term, char *seen) {
  int32_t n = 0;
  for (int32_t i = 0; i < n_term; i++) {
    uint32_t caps = hik_term_classes[term[i].kind]->caps;
    if (caps & HIK_IS_WHOLE)
      for (int32_t s = 0; s < m->n_step; s++) n += mark_above(m, s, seen);
    else if (caps & HIK_IS_OWN)
      for (int32_t k = 0; k < term[i].own->n_frame; k++)
        n += mark_above(m, m->frame_step[term[i].own->frame[k]], seen);
    else
      n += mark_above(m, m->frame_step[term[i].frame], seen);
    if (caps & HIK_IS_PAIR && term[i].other >= 0) n += mark_above(m, m->frame_step[term[i].other], seen);
  }
  return n + mark_leaders(m, seen);
}

static int32_t count_of(const hik_model *m, const hik_term *t, int32_t count) {
  if (count == HIK_AS_AXES) return t->n_data / HIK_AXIS_NUMBERS;
  return count == HIK_AS_Q ? m->nq : count == HIK_AS_V ? m->nv : count;
}

static int32_t width_of(const hik_model *m, const hik_term *t) {
  int32_t width = hik_term_classes[t->kind]->width;
  return width == HIK_AS_OWN ? t->own->width : count_of(m, t, width);
}

static int32_t rows_of(const hik_model *m, const hik_term *t) {
  int32_t rows = hik_term_classes[t->kind]->rows;
  return rows == HIK_AS_OWN ? t->own->rows : count_of(m, t, rows);
}

static void place_frames(const hik_model *m, hik_goal *g) {
  bool other = hik_goal_class(g)->caps & HIK_IS_PAIR && g->term.other >= 0, whole = g->term.frame < 0;
  g->step = whole ? -1 : m->frame_step[g->term.frame];
  g->place = whole ? hik_pose_identity : *hik_frame_place(m, g->term.frame);
  g->other_step = other ? m->frame_step[g->term.other] : -1;
  g->other_place = other ? *hik_frame_place(m, g->term.other) : hik_pose_identity;
}

/* Which rows are in metres: the leading ones, or those of slides. */
static void mark_metric(const hik_model *m, const hik_goal *g, char *metric) {
  int32_t leading = hik_goal_class(g)->metric;
  if (leading == HIK_AS_OWN) leading = g->term.own->metric;
  for (int32_t r = 0; r < g->rows; r++) metric[r] = r < leading;
  for (int32_t s = 0; leading < 0 && s < m->n_step; s++)
    if (m->step_kind[s] == HIK_SLIDE && m->joint_mimic[m->step_joint[s]] < 0) metric[m->step_v[s]] = 1;
}

/* The longest of the paths to the frames of a term of the caller's. */
static void measure_arms(const hik_model *m, hik_goal *g) {
  hik_goal one = *g;
  for (int32_t k = 0; k < g->term.own->n_frame; k++) {
    one.step = m->frame_step[g->term.own->frame[k]];
    one.place = *hik_frame_place(m, g->term.own->frame[k]);
    measure_arm(m, &one);
    g->arm = fmax(g->arm, one.arm);
    g->length = fmax(g->length, one.length);
  }
}

static void fill(hik_problem *p, const hik_term *term, const char *seen) {
  const hik_model *m = p->model;
  double *data = p->data;
  p->width = p->rows = 0;
  for (int32_t s = 0, k = 0; s < m->n_step; s++)
    if (seen[s]) p->active[k++] = s;
  p->scale = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    hik_goal *g = p->goal + i;
    memset(g, 0, sizeof *g);
    g->term = term[i];
    place_frames(m, g);
    g->width = width_of(m, term + i), g->rows = rows_of(m, term + i);
    g->column = p->width, g->row = p->rows;
    p->width += g->width, p->rows += g->rows;
    mark_metric(m, g, p->metric + g->row);
    if (term[i].n_data) memcpy(data, term[i].data, (size_t)term[i].n_data * sizeof *data);
    g->data = g->term.data = data;
    data += term[i].n_data;
    bool own = hik_goal_class(g)->caps & HIK_IS_OWN;
    p->one_thread = p->one_thread || own;
    measure_arm(m, g);
    if (own)
      measure_arms(m, g);
    else if (g->term.frame < 0)
      p->scale = fmax(p->scale, m->reach);
    p->scale = fmax(p->scale, g->length);
  }
  /* goals of a root that nothing but slides and turns without a length carry: the rest of the figure says how large it is */
  if (!(p->scale > LEAST_LENGTH)) p->scale = m->reach;
  if (!(p->scale > LEAST_LENGTH)) p->scale = 1;
}

/* Adds up rows and data; false when they are too many. */
static bool add_up(hik_problem *p, const hik_term *term) {
  int64_t width = 0, rows = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    width += width_of(p->model, term + i);
    rows += rows_of(p->model, term + i);
    if (!hik_add(p->n_data, (size_t)term[i].n_data, &p->n_data)) return false;
  }
  p->rows = (int32_t)rows;
  return width < INT32_MAX && rows < INT32_MAX;
}

/* ---- stages ---- */

/* Order of a goal's stage: its level; soft terms come after all that decide. */
static int64_t order_of(const hik_goal *g) {
  return (int64_t)g->term.level + (hik_goal_is_soft(g) ? (int64_t)1 << 32 : 0);
}

/* Numbers the stages in place; how many. Quadratic in the terms' levels, of which there are few. */
static int32_t number_stages(hik_problem *p) {
  int32_t n = 0;
  int64_t last = -1;
  for (;; n++) {
    int64_t next = INT64_MAX;
    for (int32_t i = 0; i < p->n_goal; i++) {
      int64_t order = order_of(p->goal + i);
      if (order > last && order < next) next = order;
    }
    if (next == INT64_MAX) return n;
    for (int32_t i = 0; i < p->n_goal; i++)
      if (order_of(p->goal + i) == next) p->goal[i].stage = n;
    last = next;
  }
}

static hik_status create(const hik_model *model, const hik_term *term, int32_t n_term, hik_problem **problem,
                         hik_error *error) {
  hik_problem sizes = {.model = model, .n_goal = n_term};
  if (!add_up(&sizes, term))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the terms have too many rows or columns");
  char *seen = hik_allocate((size_t)model->n_step + 1);
  if (!seen) return hik_fail_memory(error, (size_t)model->n_step + 1);
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

typedef bool goal_test(const hik_goal *goal, int32_t stages);

static bool decides_before(const hik_goal *g, int32_t stages) {
  return !hik_goal_is_soft(g) && g->stage < stages;
}

static bool sees_no_obstacle(const hik_goal *g, int32_t stages) {
  (void)stages;
  return !(hik_goal_class(g)->caps & HIK_IS_CLEARANCE);
}

/* The terms that pass the test as a problem of one level about the whole's target rows. */
static hik_status create_part(const hik_problem *whole, goal_test *takes, int32_t stages, hik_problem **part,
                              hik_error *error) {
  hik_term *term = hik_allocate((size_t)whole->n_goal * sizeof *term);
  int32_t n = 0;
  if (!term) return hik_fail_memory(error, (size_t)whole->n_goal * sizeof *term);
  for (int32_t i = 0; i < whole->n_goal; i++)
    if (takes(whole->goal + i, stages)) term[n++] = whole->goal[i].term;
  hik_status status = n == 0 ? HIK_OK : create(whole->model, term, n, part, error);
  hik_release(term);
  if (status || n == 0) return status;
  (*part)->width = whole->width;
  for (int32_t i = 0, k = 0; i < whole->n_goal; i++)
    if (takes(whole->goal + i, stages)) (*part)->goal[k++].column = whole->goal[i].column;
  return HIK_OK;
}

bool hik_stage_decides(const hik_problem *p, int32_t stage) {
  for (int32_t i = 0; i < p->n_goal; i++)
    if (p->goal[i].stage == stage) return !hik_goal_is_soft(p->goal + i);
  return false;
}

static hik_status create_plain(hik_problem *p, hik_error *error) {
  int32_t clear = 0;
  for (int32_t i = 0; i < p->n_goal; i++) clear += !sees_no_obstacle(p->goal + i, 0);
  return clear && clear < p->n_goal ? create_part(p, sees_no_obstacle, 0, &p->plain, error) : HIK_OK;
}

static hik_status create_stages(hik_problem *p, hik_error *error) {
  int32_t n = number_stages(p), deciding = 0;
  while (deciding < n && hik_stage_decides(p, deciding)) deciding++;
  if (n == 1 && deciding == 1) return create_plain(p, error);
  p->n_stage = n;
  hik_status status = create_part(p, decides_before, deciding, &p->first, error);
  if (!status && p->first) status = create_plain(p->first, error);
  return status || deciding < 2 ? status : create_part(p, decides_before, 1, &p->top, error);
}

hik_status hik_problem_create(const hik_model *model, const hik_term *term, int32_t n_term,
                              hik_problem **problem, hik_error *error) {
  *problem = NULL;
  if (n_term < 1 || n_term > MAX_TERMS)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a problem takes 1 to %d terms, got %d", MAX_TERMS, n_term);
  for (int32_t i = 0; i < n_term; i++) {
    hik_status status = check_term(model, term + i, i, error);
    if (status) return status;
  }
  hik_status status = create(model, term, n_term, problem, error);
  if (!status) status = create_stages(*problem, error);
  if (!status) return status;
  hik_problem_free(*problem);
  *problem = NULL;
  return status;
}

void hik_problem_free(hik_problem *problem) {
  if (!problem) return;
  hik_problem *first = problem->first;
  hik_problem *const parts[] = {first ? first->plain : NULL, first, problem->top, problem->plain, problem};
  for (int i = 0; i < HIK_COUNT_OF(parts); i++) hik_release(parts[i]);
}

int32_t hik_problem_term_count(const hik_problem *p) { return p->n_goal; }

int32_t hik_problem_target_width(const hik_problem *p) { return p->width; }

int32_t hik_problem_residual_width(const hik_problem *p) { return p->rows; }

bool hik_target_usable(const hik_problem *p, const double *target) {
  if (!hik_all_finite(target, p->width)) return false;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const double *x = target + p->goal[i].column;
    const hik_term_class *c = hik_goal_class(p->goal + i);
    uint32_t caps = c->caps;
    double unit[3];
    if (c->usable && !c->usable(p->model, x)) return false;
    if (caps & HIK_HAS_POSITION) x += 3;
    if (caps & HIK_HAS_ORIENTATION && !hik_quat_usable(x)) return false;
    if (caps & HIK_HAS_AXIS && hik_unit(x, unit) == 0) return false;
  }
  return true;
}

/* How far from its root the goal's frame is wanted; false: nothing is known. `target` is the whole row. */
HIK_INLINE bool span_of(const hik_goal *g, const double *target, hik_span *out) {
  const hik_term_class *c = hik_goal_class(g);
  if (!(c->caps & HIK_HAS_POSITION)) return c->span && c->span(g, target + g->column, out);
  double d[3];
  hik_sub3(target + g->column, g->root, d);
  out->nearest = out->farthest = hik_norm_safe(d);
  out->weight = 1;
  return true;
}

bool hik_out_of_reach(const hik_problem *p, const double *target) {
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    hik_span span;
    if (!span_of(g, target, &span)) continue;
    /* 25 frames far from the origin round off some 1e-14 of where they are, which a short arm does not have to spare */
    double at = 0;
    for (int k = 0; k < 3; k++) at += fabs(g->root[k]) + fabs(g->other_place.t[k]);
    double slack = g->term.position_tolerance + 1e-12 * g->arm + 1e-14 * at;
    if (span.nearest > g->arm + slack || span.farthest < g->inner - slack) return true;
  }
  return false;
}

/* 0 where nothing is known; `weight`: of the row that may be missed by it. */
static double floor_of(const hik_goal *g, const double *target, double *weight) {
  hik_span span;
  if (!span_of(g, target, &span)) return *weight = 0;
  *weight = span.weight;
  return fmax(0, fmax(span.nearest - g->arm, g->inner - span.farthest));
}

double hik_error_floor(const hik_problem *p, const double *target) {
  double sum = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    double weight, short_by = floor_of(p->goal + i, target, &weight);
    short_by *= p->goal[i].term.weight * weight;
    sum += short_by * short_by;
  }
  return sqrt(sum);
}

void hik_floor_terms(const hik_problem *p, int64_t n, const double *target, double *out) {
  for (int64_t i = 0; i < n; i++, target += p->width)
    for (int32_t k = 0; k < p->n_goal; k++) {
      double weight;
      *out++ = floor_of(p->goal + k, target, &weight);
    }
}

void hik_goal_pose(const hik_goal *g, const hik_pose *world, hik_pose *out) {
  if (g->step < 0)
    *out = g->place;
  else if (hik_goal_class(g)->caps == HIK_HAS_POSITION)
    hik_pose_point(world + g->step, g->place.t, out->t);
  else
    hik_pose_mul(world + g->step, &g->place, out);
}

void hik_goal_other_pose(const hik_goal *g, const hik_pose *world, hik_pose *out) {
  if (g->other_step < 0)
    *out = g->other_place;
  else
    hik_pose_mul(world + g->other_step, &g->other_place, out);
}
