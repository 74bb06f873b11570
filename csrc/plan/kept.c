/* kept.c: see kept.h.

   Purpose   Between two places where a term holds it may not.
   Given     An edge, cut into pieces; the measures of the terms at their ends.
   Returned  The most that a term is off anywhere, as a share of its tolerance.
   Outcomes  None. Of terms that nothing is known of: the most at the places.
   Notes     A curve leaves the chord of its ends by at most an eighth of its second derivative, and a norm along a chord is most
             at an end. Let a frame's origin move by at most L along the edge and turn by at most W, sums over the joints
             above it. Then |p''| <= 2 W L, and since an axis that a joint turns about is turned by those above it alone |w'|
             <= W^2 / 2, so that an axis of the frame and, by the factor sqrt 2, its whole rotation R in Frobenius' norm have
             second derivatives of at most 1.5 W^2; that norm of R less another is sqrt 2 times 2 sin(angle / 2), the chord of
             the angle. The direction from an eye, which moves by E, to a point D away: at most 2 W E / D + 3 (E / D)^2.
             Level at an angle A: the second derivative of the angle is at most 2.5 W^2 over the least sine of angles that
             can come about.
   Reference own */
#include "plan/kept.h"

#include "base/memory.h"
#include "scene/scene.h"
#include "term/project.h"

extern const hik_term_class hik_term_level, hik_term_look_at, hik_term_position_axes;

/* Of one goal: what the whole edge moves it by, and what was measured last. */
typedef struct rates {
  bool known;
  double far, turn; /* L, W */
} rates;

typedef struct seen {
  hik_measure is;
  double away; /* of a gaze: from the eye to the point */
} seen;

struct hik_kept {
  const hik_problem *problem;
  const hik_model *model;
  hik_figure *levers; /* a point a goal: its frame's origin */
  rates *rate;        /* [n_goal] */
  seen *before, *now; /* [n_goal] */
  double *sum, *move, *q;
  hik_pose *world;
};

static bool is(const hik_goal *g, const hik_term_class *kind) { return hik_goal_class(g) == kind; }

static bool has_angle(const hik_goal *g) {
  return (hik_goal_class(g)->caps & (HIK_HAS_ORIENTATION | HIK_HAS_AXIS)) || is(g, &hik_term_level) ||
         is(g, &hik_term_look_at);
}

static bool has_place(const hik_goal *g) {
  return (hik_goal_class(g)->caps & HIK_HAS_POSITION) ||
         (is(g, &hik_term_position_axes) && g->other_step < 0);
}

/* Steps above a goal whose rates are steady, or 0. */
static bool steady(const hik_model *m, const hik_goal *g) {
  for (int32_t s = g->step; s >= 0; s = m->step_parent[s])
    if (hik_step_follows(m, s)) return false;
  return true;
}

static size_t lay_out(hik_kept *k, void *memory) {
  hik_block block = {memory, 0, false};
  const hik_model *m = k->model;
  int64_t n = k->problem->n_goal;
  HIK_TAKE(&block, hik_kept, 1);
  k->rate = HIK_TAKE(&block, rates, n);
  k->before = HIK_TAKE(&block, seen, n), k->now = HIK_TAKE(&block, seen, n);
  HIK_TAKE_DOUBLES(&block, n, &k->sum);
  HIK_TAKE_DOUBLES(&block, m->nv, &k->move);
  HIK_TAKE_DOUBLES(&block, m->nq, &k->q);
  k->world = HIK_TAKE(&block, hik_pose, m->n_step);
  return block.bad ? SIZE_MAX : block.size;
}

/* A point of no size at the frame of every goal, which has the levers of its frame. */
static hik_figure *points(const hik_kept *k) {
  const hik_problem *p = k->problem;
  size_t n = (size_t)p->n_goal;
  int32_t *frame = hik_allocate(n * sizeof *frame);
  double *zeros = hik_allocate(7 * n * sizeof *zeros);
  hik_figure *out = NULL;
  hik_error error;
  for (size_t i = 0; frame && i < n; i++)
    if (has_angle(p->goal + i) || has_place(p->goal + i)) frame[i] = p->goal[i].term.frame;
  const hik_figure_def def = {k->model, p->n_goal, 0, frame, zeros, zeros ? zeros + 6 * n : NULL, NULL, NULL};
  if (frame && zeros && hik_figure_create(&def, &out, &error) < 0) out = NULL;
  hik_release(frame), hik_release(zeros);
  return out;
}

hik_kept *hik_kept_create(const hik_problem *problem, const hik_model *model) {
  hik_kept like = {.problem = problem, .model = model};
  size_t size = lay_out(&like, NULL);
  hik_kept *k = size == SIZE_MAX ? NULL : hik_allocate(size);
  if (!k) return NULL;
  *k = like;
  lay_out(k, k);
  if (!(k->levers = points(k))) {
    hik_release(k);
    return NULL;
  }
  for (int32_t i = 0; i < model->nv; i++) k->move[i] = 1;
  hik_motion_sums(k->levers, k->move, k->sum); /* infinite below a slide without an end */
  for (int32_t i = 0; i < problem->n_goal; i++) {
    const hik_goal *g = problem->goal + i;
    k->rate[i].known = (has_angle(g) || has_place(g)) && steady(model, g) && k->sum[i] < INFINITY;
  }
  return k;
}

void hik_kept_free(hik_kept *k) {
  if (!k) return;
  hik_figure_free(k->levers);
  hik_release(k);
}

bool hik_kept_known(const hik_kept *k) {
  for (int32_t i = 0; i < k->problem->n_goal; i++)
    if (!k->rate[i].known && !hik_goal_is_soft(k->problem->goal + i)) return false;
  return true;
}

static void set_rates(hik_kept *k, const double *v) {
  const hik_model *m = k->model;
  hik_motion_sums(k->levers, v, k->sum);
  for (int32_t i = 0; i < k->problem->n_goal; i++) {
    rates *r = k->rate + i;
    r->far = k->sum[i], r->turn = 0;
    for (int32_t s = k->problem->goal[i].step; r->known && s >= 0; s = m->step_parent[s]) {
      const double *by = v + m->step_v[s];
      if (m->step_kind[s] == HIK_BALL_STEP) r->turn += sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
      if (m->step_kind[s] == HIK_TURN) r->turn += fabs(m->step_line[2 * (size_t)s] * *by);
    }
  }
}

static void measure(hik_kept *k, const double *target, const double *q0, const double *v, double t) {
  const hik_problem *p = k->problem;
  for (int32_t i = 0; i < k->model->nv; i++) k->move[i] = t * v[i];
  hik_integrate(k->model, 1, q0, k->move, k->q);
  hik_list_poses(k->model, p->active, p->n_active, k->q, k->world);
  const hik_sight sight = {k->model, k->q, k->world};
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (hik_goal_is_soft(g)) continue;
    hik_goal_measure(g, target, &sight, &k->now[i].is);
    if (!is(g, &hik_term_look_at)) continue;
    hik_pose frame;
    double eye[3];
    hik_goal_pose(g, k->world, &frame);
    hik_pose_point(&frame, g->term.param + HIK_LOOK_EYE, eye);
    hik_sub3(target + g->column, eye, eye);
    k->now[i].away = hik_norm(eye);
  }
}

/* The most of an angle that is to be 0 on a piece of the width h. */
static double widest(const hik_goal *g, const rates *r, const seen *a, const seen *b, double h) {
  double sine, unused, second = 1.5 * r->turn * r->turn, most = fmax(a->is.angle, b->is.angle);
  if (is(g, &hik_term_look_at)) {
    double moved = r->far + r->turn * hik_norm(g->term.param + HIK_LOOK_EYE),
           away = fmin(a->away, b->away) - 0.5 * h * moved;
    if (!(away > 0)) return INFINITY;
    second += 2 * r->turn * moved / away + 3 * moved / away * moved / away;
  }
  hik_sincos(0.5 * fmin(most, HIK_PI), &sine, &unused);
  return 2 * hik_asin(fmin(sine + second * h * h / 16, 1));
}

/* The same of Level, whose angle is to be another. */
static double widest_level(const hik_goal *g, const rates *r, const seen *a, const seen *b, double h) {
  double level = g->term.param[HIK_LEVEL_ANGLE], most = fmax(a->is.angle, b->is.angle);
  if (level < 1e-9 || level > HIK_PI - 1e-9) return widest(g, r, a, b, h);
  double sine, unused, off = fmin(level, HIK_PI - level) - most - 0.5 * h * r->turn;
  if (!(off > 0)) return INFINITY;
  hik_sincos(off, &sine, &unused);
  return most + 2.5 * r->turn * r->turn * h * h / 8 / sine;
}

static double over(double error, double tolerance) {
  return error > 0 ? error / tolerance : error == 0 ? 0 : INFINITY;
}

/* Of one goal on a piece of the width h of the edge. */
static double share_of(const hik_kept *k, int32_t i, double h) {
  const hik_goal *g = k->problem->goal + i;
  const rates *r = k->rate + i;
  const seen *a = k->before + i, *b = k->now + i;
  double far = fmax(a->is.distance, b->is.distance), angle = fmax(a->is.angle, b->is.angle);
  if (isnan(a->is.distance + b->is.distance + a->is.angle + b->is.angle)) return INFINITY;
  if (r->known && has_place(g)) far += r->turn * r->far * h * h / 4;
  if (r->known && has_angle(g) && r->turn + r->far > 0)
    angle = is(g, &hik_term_level) ? widest_level(g, r, a, b, h) : widest(g, r, a, b, h);
  return fmax(over(far, g->term.position_tolerance), over(angle, g->term.orientation_tolerance));
}

double hik_kept_along(hik_kept *k, const double *target, const double *q0, const double *v, int32_t pieces,
                      double enough) {
  double most = 0, h = 1.0 / pieces;
  set_rates(k, v);
  measure(k, target, q0, v, 0);
  for (int32_t n = 1; n <= pieces && most <= enough; n++) {
    memcpy(k->before, k->now, sizeof *k->now * (size_t)k->problem->n_goal);
    measure(k, target, q0, v, n * h);
    for (int32_t i = 0; i < k->problem->n_goal; i++)
      if (!hik_goal_is_soft(k->problem->goal + i)) most = fmax(most, share_of(k, i, h));
  }
  return most;
}
