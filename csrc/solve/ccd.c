/* ccd.c: cyclic coordinate descent in closed form.

   Purpose    any number of goals of position, orientation, pose or one axis; turns, slides, balls; limits
   Given      the start inside the limits
   Returned   q inside its limits
   Outcomes   converged, closest (target proved out of reach), stalled, max_iter
   Notes      An iteration is a sweep tip to root. Each step takes the value that is best while the others
              stand still. A turn by phi about z maximises
                G(phi) = K1 (1 - cos phi) + K2 cos phi + K3 sin phi
                K1 = Wp (Pd.z)(Pe.z) + Wo sum s_j (d_j.z)(e_j.z)
                K2 = Wp Pd.Pe + Wo sum s_j d_j.e_j
                K3 = z.(Wp Pe x Pd + Wo sum s_j e_j x d_j)
              Pe and Pd being the effector and its target seen from the joint, e_j and d_j its axes and the
              wanted ones; that is C = tr B - z.B z and S = z.axial(B) of B = Wp Pd Pe^T + Wo sum s_j d_j
              e_j^T, summed over the goals below. Outside the limits the better end is taken. A slide goes by
              the mean of (Pd - Pe).z. A ball takes the best rotation of B, for one position or one axis the
              smallest one. Wo is given over half the square of the problem's length: with 1 (and Wp 1) no
              sweep raises the sum of distance^2 + (length angle)^2 (small angles). s_j is 1 for the three
              axes of an orientation. The joints above a step have not moved yet in its sweep, so their
              frames are those of its start and only the effectors are carried along: a sweep takes time
              proportional to the steps.
   Reference  L.-C. T. Wang, C. C. Chen: A combined optimization method for solving the inverse kinematics
              problem of mechanical manipulators. IEEE Trans. Robotics and Automation 7 (1991), 489-499. */
#include "solve/fit.h"
#include "solve/nudge.h"

enum { NUDGES, POSITION_WEIGHT, ORIENTATION_WEIGHT, SEEDS, EXTRAPOLATE };

/* A goal as the sweep carries it. */
typedef struct effector {
  const hik_goal *goal;
  uint32_t caps;
  double wp, wo;
  double place[3]; /* Pe + joint origin: where the frame is */
  double wanted[3], aim[3], last[3]; /* aim: what the sweep goes for; last: error before the sweep before */
  int32_t axes;      /* 0, 1 or 3 */
  double e[9], d[9]; /* rows: present and wanted axes */
} effector;

typedef struct sweep {
  const hik_problem *p;
  effector *effector;
  int32_t *first; /* [n_active + 1] into below */
  int32_t *below; /* goals below each active step */
  int32_t *rank;  /* [n_step] place in the active list; only for begin */
  double *best_q;
} sweep;

/* Sum over the goals of the steps above them. */
static size_t count_below(const hik_problem *p) {
  size_t n = 0;
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int32_t s = p->goal[i].step; s >= 0; s = p->model->step_parent[s]) n++;
  return n;
}

static sweep lay_out(const hik_problem *p, size_t below, hik_block *block) {
  sweep w = {.p = p};
  w.effector = HIK_TAKE(block, effector, p->n_goal);
  w.first = HIK_TAKE(block, int32_t, (size_t)p->n_active + 1);
  w.rank = HIK_TAKE(block, int32_t, (size_t)p->model->n_step + 1);
  w.best_q = HIK_TAKE(block, double, p->model->nq);
  w.below = HIK_TAKE(block, int32_t, below);
  return w;
}

static size_t scratch_size(const hik_problem *p) {
  size_t below = count_below(p);
  hik_block block = {NULL, 0, false};
  lay_out(p, below, &block);
  return block.bad || below > INT32_MAX ? SIZE_MAX : block.size;
}

static hik_status accepts_as(const char *name, const hik_problem *p, const hik_options *o, hik_error *error) {
  const uint32_t known = HIK_HAS_POSITION | HIK_HAS_ORIENTATION | HIK_HAS_AXIS;
  for (int32_t i = 0; i < p->n_goal; i++) {
    uint32_t caps = hik_goal_class(p->goal + i)->caps;
    if (!caps || caps & ~known)
      return hik_fail(error, HIK_UNSUPPORTED, i,
                      "%s takes position, orientation, pose and axis, not term %d (%s); auto takes it", name, i,
                      hik_goal_class(p->goal + i)->name);
  }
  if (!(o->param[POSITION_WEIGHT] > 0 && o->param[ORIENTATION_WEIGHT] > 0))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the weights of %s must be positive, got %g and %g", name,
                    o->param[POSITION_WEIGHT], o->param[ORIENTATION_WEIGHT]);
  return hik_refuse_coupled(p, name, error);
}

static hik_status accepts(const hik_problem *p, const hik_options *o, hik_error *error) {
  return accepts_as("ccd", p, o, error);
}

static hik_status accepts_fast(const hik_problem *p, const hik_options *o, hik_error *error) {
  return accepts_as("ccd_fast", p, o, error);
}

/* Goals below each step, in order of the goals: a counting sort. */
static void begin(hik_run *run) {
  const hik_problem *p = run->problem;
  hik_block block = {run->scratch, 0, false};
  sweep w = lay_out(p, count_below(p), &block);
  for (int32_t k = 0; k < p->n_active; k++) w.rank[p->active[k]] = k;
  memset(w.first, 0, ((size_t)p->n_active + 1) * sizeof *w.first);
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int32_t s = p->goal[i].step; s >= 0; s = p->model->step_parent[s]) w.first[w.rank[s] + 1]++;
  for (int32_t k = 0; k < p->n_active; k++) w.first[k + 1] += w.first[k];
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int32_t s = p->goal[i].step; s >= 0; s = p->model->step_parent[s]) w.below[w.first[w.rank[s]]++] = i;
  for (int32_t k = p->n_active; k > 0; k--) w.first[k] = w.first[k - 1];
  w.first[0] = 0;
}

static void want(sweep *w, const hik_options *o, const double *target) {
  double length = hik_problem_length(w->p);
  for (int32_t i = 0; i < w->p->n_goal; i++) {
    effector *f = w->effector + i;
    const hik_goal *g = w->p->goal + i;
    double r[9], square = g->term.weight * g->term.weight;
    *f = (effector){.goal = g, .caps = hik_goal_class(g)->caps};
    hik_goal_class(g)->wanted(g, target + g->column, f->wanted, r);
    f->wp = f->caps & HIK_HAS_POSITION ? square * o->param[POSITION_WEIGHT] : 0;
    f->wo = square * o->param[ORIENTATION_WEIGHT] * 0.5 * length * length;
    f->axes = f->caps & HIK_HAS_ORIENTATION ? 3 : f->caps & HIK_HAS_AXIS ? 1 : 0;
    if (f->axes == 1) hik_copy3(r, f->d);
    if (f->axes == 3)
      for (int k = 0; k < 3; k++) hik_mat_column(r, k, f->d + 3 * k);
  }
}

static void look(sweep *w, const hik_options *o, bool fresh, const hik_pose *world) {
  for (int32_t i = 0; i < w->p->n_goal; i++) {
    effector *f = w->effector + i;
    hik_pose frame;
    hik_goal_pose(f->goal, world, &frame);
    hik_copy3(frame.t, f->place);
    if (f->wp > 0) hik_aim_beyond(f->wanted, f->place, o->param[EXTRAPOLATE] > 0 && !fresh, f->last, f->aim);
    if (f->axes == 1) {
      double axis[3] = {0, 0, 1};
      hik_unit(f->goal->term.param, axis);
      hik_mat_vec(frame.r, axis, f->e);
    } else if (f->axes == 3) {
      for (int k = 0; k < 3; k++) hik_mat_column(frame.r, k, f->e + 3 * k);
    }
  }
}

/* b += B of the goal seen from x. */
static void add_goal(const effector *f, const double *x, double *b) {
  if (f->wp > 0) {
    double have[3], goal[3];
    hik_sub3(f->place, x, have);
    hik_sub3(f->aim, x, goal);
    hik_add_pair(b, f->wp, goal, have);
  }
  for (int32_t k = 0; k < f->axes; k++) hik_add_pair(b, f->wo, f->d + 3 * k, f->e + 3 * k);
}

static void carry(effector *f, const double *turn, const double *x) {
  double lever[3];
  hik_sub3(f->place, x, lever);
  hik_mat_vec(turn, lever, lever);
  hik_add3(x, lever, f->place);
  for (int32_t k = 0; k < f->axes; k++) hik_mat_vec(turn, f->e + 3 * k, f->e + 3 * k);
}

/* ---- one step ---- */

static void do_slide(sweep *w, int32_t s, const double *z, const int32_t *goals, int32_t n, double *q) {
  const double *limit = w->p->model->step_limit + 2 * (size_t)s;
  double weight = 0, gain = 0, old = hik_step_value(w->p->model, s, q), gap[3];
  for (int32_t i = 0; i < n; i++) {
    const effector *f = w->effector + goals[i];
    if (!(f->wp > 0)) continue;
    hik_sub3(f->aim, f->place, gap);
    weight += f->wp, gain += f->wp * hik_dot(gap, z);
  }
  if (!(weight > 0)) return;
  double to = hik_clip(old + gain / weight, limit[0], limit[1]);
  hik_step_set(w->p->model, s, to, q);
  for (int32_t i = 0; i < n; i++)
    hik_axpy3(w->effector[goals[i]].place, to - old, z, w->effector[goals[i]].place);
}

/* The turn that step s made, into out; false when it stands still. */
static bool do_turn(const hik_model *m, int32_t s, const double *z, const double *b, double *q, double *out) {
  const double *limit = m->step_limit + 2 * (size_t)s;
  double bz[3], size = 0, old = hik_step_value(m, s, q), sine, cosine;
  for (int k = 0; k < 9; k++) size += fabs(b[k]);
  hik_mat_vec(b, z, bz);
  double c = b[0] + b[4] + b[8] - hik_dot(z, bz);
  double k3 = z[0] * (b[7] - b[5]) + z[1] * (b[2] - b[6]) + z[2] * (b[3] - b[1]);
  if (!(c * c + k3 * k3 > 1e-24 * size * size)) return false;
  double to = old + hik_best_turn(c / size, k3 / size, limit[0] - old, limit[1] - old, 0);
  to = hik_clip(to, limit[0], limit[1]);
  hik_step_set(m, s, to, q);
  hik_sincos(to - old, &sine, &cosine);
  hik_mat_axis(z, cosine, sine, out);
  return true;
}

/* The smallest rotation when one position or one axis is all there is. */
static bool lone_pair(const effector *f, const double *x, double *turn) {
  double have[3], goal[3];
  if (f->axes + (f->wp > 0) != 1) return false;
  if (f->axes == 1) {
    hik_mat_minimal(f->e, f->d, turn);
    return true;
  }
  hik_sub3(f->place, x, have);
  hik_sub3(f->aim, x, goal);
  if (hik_unit(have, have) > 0 && hik_unit(goal, goal) > 0)
    hik_mat_minimal(have, goal, turn);
  else
    memcpy(turn, hik_pose_identity.r, 9 * sizeof *turn);
  return true;
}

/* A limited ball: the best rotation in its own frame, and the turn in the world that leads there. */
static void do_cone(const hik_swing *cone, const hik_pose *at, const double *b, double *mine, double *turn) {
  double old[9], unmoved[9], left[9], local[9], fresh[9], moved[9];
  hik_quat_to_mat(mine, old);
  hik_mat_mult(at->r, old, unmoved); /* at = unmoved old */
  /* tr(turn^T b) with turn = unmoved J at^T is tr(J^T (unmoved^T b at)) */
  hik_mat_tmul(unmoved, b, left);
  hik_mat_mul(left, at->r, local);
  hik_fit_swing(local, cone, old, mine, fresh);
  hik_mat_mul(unmoved, fresh, moved);
  hik_mat_mult(moved, at->r, turn);
}

static void do_ball(sweep *w, int32_t s, const hik_pose *at, const double *b, const int32_t *goals, int32_t n,
                    double *q, double *turn) {
  double a[9], local[9], done[4], *mine = q + w->p->model->step_q[s];
  const hik_swing *cone = hik_step_cone(w->p->model, s);
  if (cone) {
    do_cone(cone, at, b, mine, turn);
    return;
  }
  if (n != 1 || !lone_pair(w->effector + goals[0], at->t, turn)) {
    hik_fit_ball(b, hik_pose_identity.r, a);
    hik_quat_from_mat(a, done);
    hik_quat_to_mat(done, turn);
  }
  hik_mat_tmul(at->r, turn, a);
  hik_mat_mul(a, at->r, local);
  hik_quat_from_mat(local, done);
  hik_quat_mul(mine, done, mine);
  hik_quat_normalize(mine);
}

static void do_step(sweep *w, int32_t k, const hik_pose *at, double *q) {
  int32_t s = w->p->active[k], kind = w->p->model->step_kind[s], n = w->first[k + 1] - w->first[k];
  const int32_t *goals = w->below + w->first[k];
  double z[3], b[9] = {0}, turn[9];
  hik_mat_column(at->r, 2, z);
  if (kind == HIK_SLIDE) {
    do_slide(w, s, z, goals, n, q);
    return;
  }
  for (int32_t i = 0; i < n; i++) add_goal(w->effector + goals[i], at->t, b);
  if (kind == HIK_BALL_STEP)
    do_ball(w, s, at, b, goals, n, q, turn);
  else if (!do_turn(w->p->model, s, z, b, q, turn))
    return;
  for (int32_t i = 0; i < n; i++) carry(w->effector + goals[i], turn, at->t);
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  const hik_problem *p = run->problem;
  hik_block block = {run->scratch, 0, false};
  sweep w = lay_out(p, 0, &block); /* the last array begins at the same place whatever its length */
  hik_watch watch;
  const double *param = run->options->param;
  if (!hik_watch_begin(&watch, run, target, answer, w.best_q, (int32_t)hik_clip(param[NUDGES], 0, 1e6),
                       (int32_t)hik_clip(param[SEEDS], 0, 1e6)))
    return;
  want(&w, run->options, target);
  do {
    look(&w, run->options, watch.fresh, run->world);
    for (int32_t k = p->n_active - 1; k >= 0; k--) do_step(&w, k, run->world + p->active[k], answer->q);
    hik_list_poses(p->model, p->active, p->n_active, answer->q, run->world);
  } while (hik_watch_next(&watch));
}

#define CCD_PARAM {"nudges", "position_weight", "orientation_weight", "seeds", "extrapolate"}
#define CCD_REST                                                                                                 \
  .max_iter = 300, .stall = 1e-4, .n_param = 5, .param_name = CCD_PARAM,                                          \
  .scratch_size = scratch_size, .begin = begin, .one = one

const hik_solver_class hik_solver_ccd = {
    .name = "ccd",
    .summary = "cyclic coordinate descent, tip to root, each joint in closed form inside its limits",
    .reference = "Wang and Chen 1991",
    .param_default = {2, 1, 0.03, 0, 0}, .accepts = accepts, CCD_REST};

const hik_solver_class hik_solver_ccd_fast = {
    .name = "ccd_fast",
    .summary = "the same towards extrapolated aims, and from new starts when it stands still",
    .reference = "Wang and Chen 1991, with two additions",
    .param_default = {1, 1, 0.03, 50, 1}, .accepts = accepts_fast, CCD_REST};
