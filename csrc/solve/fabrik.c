/* fabrik.c: FABRIK on a chain of real joints.

   Purpose    turns, slides and balls inside their limits; one goal of position or of position and orientation
   Given      the start inside the limits
   Returned   q inside its limits, always: the pass from the root builds it joint by joint and its frames
              with it
   Outcomes   converged, closest (target proved out of reach), stalled, max_iter
   Notes      The chain is cut into links: a ball, a slide, or up to three turns with one origin. Both passes
              carry frames, not points. Tip to root: link i-1 is placed so that joint i is inside its limits
              and the link points to where its own origin stands now. Root to tip: every joint turns so that
              its link points to the wanted place of the next one, as far as its limits let it.
              Options: `frame_weight` weighs the wanted frame against the wanted direction root to tip,
              `back_weight` the turned frame tip to root, `pose_weight` the frame of the last link when the
              goal has an orientation. `extrapolate` (0 or 1) aims beyond the target by what the last two
              errors promise, `chain_aim` also points the wanted chain at the target root to tip,
              `feasible_turn` (0 or 1) lets a link turn on the way to the root only as its own joint can. The
              published method has extrapolate = chain_aim = feasible_turn = 0, frame_weight = 1, back_weight
              = 0.1; it dead-ends far more often on limited joints. A chain of free balls and one position
              goal goes to fabrik_free.c.
   Reference  A. Aristidou, J. Lasenby: FABRIK. Graphical Models 73 (2011), 243-260. A. Aristidou, Y.
              Chrysanthou, J. Lasenby: Extending FABRIK with model constraints. Comput. Animat. Virtual
              Worlds 27 (2016), 35-57. */
#include "solve/fabrik_free.h"
#include "solve/fit.h"
#include "solve/nudge.h"

/* Share of the length of the problem below which a bone has no direction; most links looked past. */
#define TINY 1e-12
enum { LOOK = 8 };

enum { NUDGES, EXTRAPOLATE, CHAIN_AIM, FEASIBLE_TURN, FRAME, BACK_FRAME, POSE };

/* steps[first .. first + count) of the active list; carrier: the last link up to this one that turns, -1
   none */
typedef struct link {
  int32_t first, count, kind, carrier;
} link;

typedef struct chain {
  const hik_problem *p;
  const hik_model *m;
  const double *param;
  hik_pose *world;
  double *q;
  int32_t n;
  link *links;
  hik_pose *wanted; /* [n] */
  double *best_q;   /* [nq] */
  double tiny;
  bool has_frame;
  double position[3], rotation[9];
  double last[3]; /* error of the iteration before */
  bool has_last;
} chain;

static chain lay_out(const hik_problem *p, hik_block *block) {
  chain c = {.p = p, .m = p->model};
  c.links = HIK_TAKE(block, link, p->n_active);
  c.wanted = HIK_TAKE(block, hik_pose, p->n_active);
  c.best_q = HIK_TAKE(block, double, p->model->nq);
  return c;
}

static size_t scratch_size(const hik_problem *p, const hik_options *o) {
  (void)o;
  if (hik_fabrik_free_fits(p)) return hik_fabrik_free_scratch(p);
  hik_block block = {NULL, 0, false};
  lay_out(p, &block);
  return block.bad ? SIZE_MAX : block.size;
}

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  (void)o;
  if (p->n_goal != 1)
    return hik_fail(error, HIK_UNSUPPORTED, -1, "fabrik takes one term, got %d; ccd takes any number",
                    p->n_goal);
  if (!(hik_goal_class(p->goal)->caps & HIK_HAS_POSITION))
    return hik_fail(error, HIK_UNSUPPORTED, 0,
                    "fabrik takes a position or a pose, not a term of kind %s; ccd takes it",
                    hik_goal_class(p->goal)->name);
  return hik_refuse_coupled(p, "fabrik", error);
}

/* ---- links ---- */

static bool joins(const chain *c, int32_t s) {
  const link *l = c->links + c->n - 1;
  return c->n > 0 && c->m->step_kind[s] == HIK_TURN && l->kind == HIK_TURN && l->count < HIK_MOST_TURNS &&
         hik_norm(hik_step_place(c->m, s)->t) <= c->tiny;
}

static void add_link(chain *c, int32_t k, int32_t kind) {
  int32_t above = c->n > 0 ? c->links[c->n - 1].carrier : -1;
  c->links[c->n] = (link){k, 1, kind, kind == HIK_SLIDE ? above : c->n};
  c->n++;
}

static void cut(chain *c) {
  c->n = 0;
  for (int32_t k = 0; k < c->p->n_active; k++) {
    int32_t s = c->p->active[k];
    if (joins(c, s))
      c->links[c->n - 1].count++;
    else
      add_link(c, k, c->m->step_kind[s]);
  }
}

static int32_t first_step(const chain *c, int32_t i) { return c->p->active[c->links[i].first]; }

/* Moved frame of link i. */
static const hik_pose *frame_of(const chain *c, int32_t i) {
  return c->world + c->p->active[c->links[i].first + c->links[i].count - 1];
}

/* Unmoved frame of link i. */
static void base_of(const chain *c, int32_t i, hik_pose *out) {
  int32_t s = first_step(c, i), above = c->m->step_parent[s];
  if (above < 0)
    *out = *hik_step_place(c->m, s);
  else
    hik_pose_mul(c->world + above, hik_step_place(c->m, s), out);
}

/* Best rotation J of link i for B, inside the limits. With `q`, it is written there; J comes out in any
   case. */
static void fit(const chain *c, int32_t i, const double *b, double *q, double *j) {
  const link *l = c->links + i;
  const hik_model *m = c->m;
  if (l->kind == HIK_BALL_STEP) {
    double old[9], quat[4];
    hik_quat_to_mat(c->q + m->step_q[first_step(c, i)], old);
    const hik_swing *cone = hik_step_cone(m, first_step(c, i));
    if (cone) {
      hik_fit_swing(b, cone, old, quat, j);
    } else {
      hik_fit_ball(b, old, j);
      hik_quat_from_mat(j, quat);
      hik_quat_to_mat(quat, j);
    }
    if (q) memcpy(q + m->step_q[first_step(c, i)], quat, sizeof quat);
    return;
  }
  const double *between[HIK_MOST_TURNS - 1];
  double limit[2 * HIK_MOST_TURNS], angle[HIK_MOST_TURNS], s, co, t[9];
  for (int k = 0; k < l->count; k++) {
    int32_t step = c->p->active[l->first + k];
    if (k) between[k - 1] = hik_step_place(m, step)->r;
    limit[2 * k] = m->step_limit[2 * (size_t)step], limit[2 * k + 1] = m->step_limit[2 * (size_t)step + 1];
    angle[k] = hik_step_value(m, step, c->q);
  }
  hik_fit_turns(b, l->count, between, limit, angle);
  for (int k = 0; k < l->count; k++) {
    if (q) hik_step_set(m, c->p->active[l->first + k], angle[k], q);
    if (!j) continue;
    hik_sincos(angle[k], &s, &co);
    if (k == 0) {
      hik_mat_turn_z(hik_pose_identity.r, co, s, j);
    } else {
      hik_mat_mul(j, between[k - 1], t);
      hik_mat_turn_z(t, co, s, j);
    }
  }
}

/* b += weight (rb^T y)(w^T x)^T for the units of y and x; false when x, in the link, has no direction. */
static bool add_pair(const chain *c, double *b, double weight, const double *rb, const double *w,
                     const double *x, const double *y) {
  double a[3], d[3], nx = hik_norm(x), ny = hik_norm(y);
  if (!(nx > c->tiny)) return false;
  if (!(ny > c->tiny)) return true;
  hik_mat_tvec(w, x, a);
  hik_mat_tvec(rb, y, d);
  hik_add_pair(b, weight / (nx * ny), d, a);
  return true;
}

/* b += weight a^T w */
static void add_frame(double *b, double weight, const double *a, const double *w) {
  double t[9];
  hik_mat_tmul(a, w, t);
  for (int k = 0; k < 9; k++) b[k] += weight * t[k];
}

/* ---- tip to root ---- */

/* out = G, the rotation in the world by which turning link k takes its point `from` towards `to`. */
static void turn_of(const chain *c, int32_t k, const double *from, const double *to, double *out) {
  const hik_pose *at = frame_of(c, k);
  double x[3], y[3], nx, ny;
  memcpy(out, hik_pose_identity.r, 9 * sizeof *out);
  hik_sub3(from, at->t, x);
  hik_sub3(to, at->t, y);
  nx = hik_norm(x), ny = hik_norm(y);
  if (!(nx > c->tiny && ny > c->tiny)) return;
  if (c->param[FEASIBLE_TURN] > 0 && c->links[k].kind == HIK_TURN) {
    hik_pose base;
    double b[9] = {0}, j[9], t[9];
    base_of(c, k, &base);
    add_frame(b, 1e-3, base.r, at->r);
    add_pair(c, b, 1, base.r, at->r, x, y);
    fit(c, k, b, NULL, j);
    hik_mat_mul(base.r, j, t);
    hik_mat_mult(t, at->r, out);
    return;
  }
  hik_scale3(1 / nx, x, x);
  hik_scale3(1 / ny, y, y);
  hik_mat_minimal(x, y, out);
}

/* Rotation of link i when its point `from` is turned towards `to`: about its own joint, a slide about the
   last joint above that turns. */
static void turned(const chain *c, int32_t i, const double *from, const double *to, double *out) {
  double turn[9];
  int32_t k = c->links[i].carrier;
  if (k < 0) {
    memcpy(out, frame_of(c, i)->r, 9 * sizeof *out);
    return;
  }
  turn_of(c, k, from, to, turn);
  hik_mat_mul(turn, frame_of(c, i)->r, out);
}

/* Origin of the first turning link above i whose origin is not where `attach` is; NULL: none, nothing above
   turns. */
static const double *anchor_of(const chain *c, int32_t i, const double *attach) {
  const double *anchor = NULL;
  for (int32_t k = c->links[i - 1].carrier, n = 0; k >= 0 && n < LOOK;
       n++, k = k > 0 ? c->links[k - 1].carrier : -1) {
    double d[3];
    anchor = frame_of(c, k)->t;
    hik_sub3(attach, anchor, d);
    if (hik_norm(d) > c->tiny) break;
  }
  return anchor;
}

/* at = origin of the link above, its rotation being up. */
static void step_back(const hik_pose *w, const hik_pose *place, const double *up, double slide, double *at) {
  double offset[3], z[3];
  hik_mat_vec(up, place->t, offset);
  hik_mat_column(w->r, 2, z);
  for (int k = 0; k < 3; k++) at[k] = w->t[k] - z[k] * slide - offset[k];
}

/* Wanted frame of link i - 1 behind a slide. */
static void back_over_slide(chain *c, int32_t i) {
  const hik_pose *place = hik_step_place(c->m, first_step(c, i)), *w = c->wanted + i;
  const double *limit = c->m->step_limit + 2 * (size_t)first_step(c, i);
  hik_pose *up = c->wanted + i - 1;
  double offset[3], z[3], d[3];
  hik_mat_mult(w->r, place->r, up->r);
  hik_mat_vec(up->r, place->t, offset);
  hik_mat_column(w->r, 2, z);
  for (int k = 0; k < 3; k++) d[k] = w->t[k] - offset[k] - frame_of(c, i - 1)->t[k];
  step_back(w, place, up->r, hik_clip(hik_dot(z, d), limit[0], limit[1]), up->t);
}

/* Wanted frame of link i - 1 behind a turn or a ball. */
static void back_over_joint(chain *c, int32_t i) {
  const hik_pose *place = hik_step_place(c->m, first_step(c, i)), *w = c->wanted + i,
                 *here = frame_of(c, i - 1);
  hik_pose *up = c->wanted + i - 1;
  double attach[3], free[9], ff[9], b[9] = {0}, j[9], x[3], y[3], t[9];
  hik_pose_point(here, place->t, attach);
  const double *anchor = anchor_of(c, i, attach);
  turned(c, i - 1, attach, w->t, free);
  hik_mat_mul(free, place->r, ff);
  add_frame(b, c->param[BACK_FRAME], ff, w->r);
  if (anchor) {
    hik_sub3(w->t, anchor, x);
    hik_sub3(attach, anchor, y);
    hik_mat_mul(here->r, place->r, t);
    add_pair(c, b, 1, t, w->r, x, y);
  }
  fit(c, i, b, NULL, j);
  hik_mat_mult(w->r, j, t);
  hik_mat_mult(t, place->r, up->r);
  step_back(w, place, up->r, 0, up->t);
}

static void to_root(chain *c, const double *tip, const double *aim) {
  const hik_pose *e = &c->p->goal->place;
  hik_pose *leaf = c->wanted + c->n - 1;
  double offset[3];
  if (c->has_frame)
    hik_mat_mult(c->rotation, e->r, leaf->r);
  else
    turned(c, c->n - 1, tip, aim, leaf->r);
  hik_mat_vec(leaf->r, e->t, offset);
  hik_sub3(aim, offset, leaf->t);
  for (int32_t i = c->n - 1; i > 0; i--)
    if (c->links[i].kind == HIK_SLIDE)
      back_over_slide(c, i);
    else
      back_over_joint(c, i);
}

/* ---- root to tip ---- */

static void place_joint(chain *c, int32_t i, const hik_pose *base, const double *aim) {
  const hik_pose *w = c->wanted + i;
  double b[9] = {0}, x[3], y[3];
  add_frame(b, c->param[FRAME], base->r, w->r);
  for (int32_t k = i + 1; k <= c->n && k <= i + LOOK; k++) {
    const double *point = k < c->n ? c->wanted[k].t : aim;
    hik_sub3(point, w->t, x);
    hik_sub3(point, base->t, y);
    if (add_pair(c, b, 1, base->r, w->r, x, y)) break;
  }
  if (c->param[CHAIN_AIM] > 0) {
    hik_sub3(aim, w->t, x);
    hik_sub3(aim, base->t, y);
    add_pair(c, b, c->param[CHAIN_AIM], base->r, w->r, x, y);
  }
  if (c->has_frame && i == c->n - 1) add_frame(b, c->param[POSE], base->r, w->r);
  double j[9];
  fit(c, i, b, c->q, c->links[i].kind == HIK_BALL_STEP ? j : NULL);
}

static void to_tip(chain *c, const double *aim) {
  for (int32_t i = 0; i < c->n; i++) {
    hik_pose base;
    const link *l = c->links + i;
    base_of(c, i, &base);
    if (l->kind == HIK_SLIDE) {
      const double *limit = c->m->step_limit + 2 * (size_t)first_step(c, i);
      double z[3], d[3];
      hik_mat_column(base.r, 2, z);
      hik_sub3(c->wanted[i].t, base.t, d);
      hik_step_set(c->m, first_step(c, i), hik_clip(hik_dot(z, d), limit[0], limit[1]), c->q);
    } else {
      place_joint(c, i, &base, aim);
    }
    hik_list_poses(c->m, c->p->active + l->first, l->count, c->q, c->world);
  }
}

/* ---- the iteration ---- */

/* Target, or beyond it by min(r / (1 - r), 20) of the error, r the ratio of the last two errors. */
static void set_aim(chain *c, const double *tip, bool fresh, double *aim) {
  double error[3];
  hik_sub3(c->position, tip, error);
  hik_copy3(c->position, aim);
  if (c->param[EXTRAPOLATE] > 0 && c->has_last && !fresh) {
    double size = hik_dot(c->last, c->last), ratio = size > 0 ? hik_dot(error, c->last) / size : 0;
    if (ratio > 0 && ratio < 1) hik_axpy3(aim, fmin(ratio / (1 - ratio), 20), error, aim);
  }
  hik_copy3(error, c->last);
  c->has_last = true;
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  const hik_problem *p = run->problem;
  if (hik_fabrik_free_fits(p)) {
    hik_fabrik_free_one(run, target, answer);
    return;
  }
  hik_block block = {run->scratch, 0, false};
  chain c = lay_out(p, &block);
  hik_watch watch;
  c.param = run->options->param, c.world = run->world, c.q = answer->q;
  c.tiny = TINY * hik_problem_length(p);
  c.has_frame = hik_goal_class(p->goal)->caps & HIK_HAS_ORIENTATION;
  c.has_last = false;
  hik_goal_class(p->goal)->wanted(p->goal, target, c.position, c.rotation);
  if (!hik_watch_begin(&watch, run, target, answer, c.best_q, (int32_t)hik_clip(c.param[NUDGES], 0, 1e6)))
    return;
  cut(&c);
  if (c.n == 0) return;
  do {
    hik_pose tip;
    double aim[3];
    hik_goal_pose(p->goal, c.world, &tip);
    set_aim(&c, tip.t, watch.fresh, aim);
    to_root(&c, tip.t, aim);
    to_tip(&c, aim);
  } while (hik_watch_next(&watch));
}

static void begin(hik_run *run) {
  if (hik_fabrik_free_fits(run->problem)) hik_fabrik_free_begin(run);
}

static bool block(hik_run *run, int64_t first, int64_t last, int8_t *claim, int32_t *iterations,
                  int32_t *remedies) {
  if (!hik_fabrik_free_fits(run->problem)) return false;
  hik_fabrik_free_block(run, first, last, claim, iterations, remedies);
  return true;
}

const hik_solver_class hik_solver_fabrik = {
    .name = "fabrik",
    .summary =
        "forward and backward reaching; free chains on points, real joints with frames inside their limits",
    .reference = "Aristidou and Lasenby 2011, algorithm 1; Aristidou, Chrysanthou and Lasenby 2016",
    .max_iter = 300,
    .stall = 1e-4,
    .n_param = 7,
    .param_name = {"nudges", "extrapolate", "chain_aim", "feasible_turn", "frame_weight", "back_weight",
                   "pose_weight"},
    .param_default = {2, 1, 10, 1, 0.1, 1, 3},
    .accepts = accepts,
    .scratch_size = scratch_size,
    .begin = begin,
    .one = one,
    .block = block};
