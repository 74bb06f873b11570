/* ccd.c: cyclic coordinate descent in closed form.

   Purpose    any number of goals that say where points and axes of one or two frames should be; turns, slides, balls;
              limits; joints that follow others
   Given      the start inside the limits
   Returned   q inside its limits
   Outcomes   converged, unreachable (target proved out of reach), stalled, max_iter
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
              axes of an orientation unless the term weighs them. The joints above a step have not moved yet in its
              sweep, so their frames are those of its start and only the effectors are carried along: a sweep takes
              time proportional to the steps.
              Of a batch with one goal on turns and slides several targets are swept side by side (ccd_lanes.c).
              A goal about two frames draws each side to where the other one stands at that step of the sweep, the turns
              and slides that carry both leave it as it is. Joints that follow another take their turn together, at the
              place of the one nearest to the tip, and the steps between them are placed anew (shared.c).
              Where sweeps crawl the step of the last one is made again and doubled (solve/drive/pace.h), but not where
              `max_restarts` is 0: that is the method as published.
   Reference  L.-C. T. Wang, C. C. Chen: A combined optimization method for solving the inverse kinematics
              problem of mechanical manipulators. IEEE Trans. Robotics and Automation 7 (1991), 489-499. */
#include "solve/drive/pace.h"
#include "solve/lanes/ccd_lanes.h"
#include "solve/points/fit.h"
#include "solve/points/shared.h"

typedef struct sweep {
  const hik_problem *p;
  const double *target, *param;
  int32_t n;         /* wishes */
  bool beyond;       /* aims go beyond the targets */
  bool changes;      /* some are wanted anew by where the figure stands */
  hik_wish *wish;    /* [n] */
  hik_aimed *aimed;  /* [n] as the sweep carries them */
  double (*last)[3]; /* [n] error before the sweep before */
  int32_t *first;    /* [n_active + 1] into below */
  int32_t *below;    /* wishes below each active step */
  int32_t *rank;     /* [n_step] place in the active list; only for begin */
  double *best_q, *trail;
  hik_shared shared;
  hik_ccd_job *lanes; /* NULL: not for this problem */
} sweep;

static sweep *lay_out(const hik_problem *p, hik_block *block) {
  sweep *w = HIK_TAKE(block, sweep, 1), spare, *into = w ? w : &spare;
  int32_t n = hik_wish_count(p);
  into->wish = HIK_TAKE(block, hik_wish, n);
  into->aimed = HIK_TAKE(block, hik_aimed, n);
  into->last = (double(*)[3])HIK_TAKE(block, double, 3 * (size_t)n);
  into->first = HIK_TAKE(block, int32_t, (size_t)p->n_active + 1);
  into->rank = HIK_TAKE(block, int32_t, (size_t)p->model->n_step + 1);
  into->best_q = HIK_TAKE(block, double, p->model->nq);
  into->trail = HIK_TAKE(block, double, 2 * (size_t)p->model->nq);
  into->below = HIK_TAKE(block, int32_t, hik_wish_count_above(p));
  hik_shared_lay_out(&into->shared, p, block);
  into->lanes = hik_ccd_lanes_fit(p) ? hik_ccd_lanes_lay_out(p, block) : NULL;
  return w;
}

HIK_LAID_OUT(sweep, lay_out)

static double point_weight(const sweep *w, int32_t i) {
  double weight = w->wish[i].goal->term.weight;
  return w->wish[i].point ? weight * weight * w->param[HIK_CCD_POSITION] : 0;
}

/* Half the square of the length of the problem, that turns are given over. */
static double turn_weight(const sweep *w, int32_t i) {
  double length = w->p->scale, weight = w->wish[i].goal->term.weight;
  return weight * weight * w->wish[i].turn_weight * w->param[HIK_CCD_ORIENTATION] * 0.5 * length * length;
}

/* Wishes below each step, in their order: a counting sort. */
static void begin(hik_run *run) {
  const hik_problem *p = run->problem;
  const int32_t *parent = p->model->step_parent;
  sweep *w = laid_out(run);
  w->p = p, w->param = run->options->param, w->n = hik_wish_count(p);
  hik_wishes_set(p, w->wish);
  w->changes = false;
  for (int32_t i = 0; i < w->n; i++) w->changes = w->changes || w->wish[i].changes;
  hik_shared_set(&w->shared, p, w->n, w->wish);
  for (int32_t k = 0; k < p->n_active; k++) w->rank[p->active[k]] = k;
  memset(w->first, 0, ((size_t)p->n_active + 1) * sizeof *w->first);
  for (int32_t i = 0; i < w->n; i++)
    for (int32_t s = w->wish[i].step; s >= 0; s = parent[s]) w->first[w->rank[s]]++;
  for (int32_t k = 0; k < p->n_active; k++) w->first[k + 1] += w->first[k]; /* where they end, as yet */
  for (int32_t i = w->n - 1; i >= 0; i--)
    for (int32_t s = w->wish[i].step; s >= 0; s = parent[s]) w->below[--w->first[w->rank[s]]] = i;
  if (w->lanes) hik_ccd_lanes_begin(w->lanes, p, w->param, point_weight(w, 0), turn_weight(w, 0));
}

static void want(sweep *w, const double *target) {
  w->target = target;
  hik_wishes_begin(target, w->n, w->wish);
  for (int32_t i = 0; i < w->n; i++) {
    hik_aimed *f = w->aimed + i;
    f->weight = point_weight(w, i);
    f->turn_weight = turn_weight(w, i);
    f->axes = hik_aimed_wants(w->wish + i, &w->wish[i].want, f->want);
  }
}

static void look(sweep *w, bool fresh, const hik_pose *world) {
  for (int32_t i = 0; i < w->n; i++) {
    hik_aimed *f = w->aimed + i;
    if (f->axes > 0) {
      hik_stand now;
      hik_wish_stand(w->wish + i, world, &now);
      hik_aimed_rows(w->wish + i, &now, f->have);
    }
    hik_pose_point(world + w->wish[i].step, w->wish[i].place.t, f->place);
    if (f->weight > 0 && !w->wish[i].changes)
      hik_aim_beyond(w->wish[i].want.point, f->place, w->beyond && !fresh, w->last[i], f->aim);
  }
}

/* How a wish that is carried stands. */
static void stand_of(const hik_aimed *f, hik_stand *out) {
  hik_copy3(f->place, out->point);
  hik_copy3(f->have, out->axis);
  for (int k = 0; k < 9; k++) out->rotation[k] = f->have[3 * (k % 3) + k / 3];
}

/* Aims a wish that changes: at where the other side of its pair stands now, or, both being moved, at the middle. */
static void aim_wish(sweep *w, int32_t i, bool both) {
  const hik_wish *wish = w->wish + i;
  hik_aimed *f = w->aimed + i;
  hik_stand now[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}}, to[2];
  stand_of(f, now + wish->side);
  if (wish->mate >= 0) stand_of(w->aimed + wish->mate, now + 1 - wish->side);
  f->weight = hik_wish_want(wish, w->target, both, now, to) ? 0 : point_weight(w, i);
  if (wish->point) hik_copy3(to[wish->side].point, f->aim);
  hik_aimed_wants(wish, to + wish->side, f->want);
}

/* True when both sides of a pair are in the list, where they are neighbours. */
static bool both_listed(const sweep *w, const int32_t *list, int32_t n, int32_t i) {
  int32_t mate = w->wish[list[i]].mate;
  return mate >= 0 && ((i > 0 && list[i - 1] == mate) || (i + 1 < n && list[i + 1] == mate));
}

/* Aims the wishes below a step; false: this one is a side of a pair that moves as one. */
static bool aim_below(sweep *w, const int32_t *list, int32_t n, int32_t i) {
  if (!w->changes || !w->wish[list[i]].changes) return true;
  if (both_listed(w, list, n, i)) return false;
  aim_wish(w, list[i], false);
  return true;
}

/* b += B of the wish seen from x. */
static void add_wish(const hik_aimed *f, const double *x, double *b) {
  if (f->weight > 0) {
    double have[3], goal[3];
    hik_sub3(f->place, x, have);
    hik_sub3(f->aim, x, goal);
    hik_add_pair(b, f->weight, goal, have);
  }
  for (int32_t k = 0; k < f->axes; k++) hik_add_pair(b, f->turn_weight, f->want + 3 * k, f->have + 3 * k);
}

static void carry(hik_aimed *f, const double *turn, const double *x) {
  double lever[3];
  hik_sub3(f->place, x, lever);
  hik_mat_vec(turn, lever, lever);
  hik_add3(x, lever, f->place);
  for (int32_t k = 0; k < f->axes; k++) hik_mat_vec(turn, f->have + 3 * k, f->have + 3 * k);
}

/* ---- one step ---- */

static void do_slide(sweep *w, int32_t s, const double *z, const int32_t *goals, int32_t n, double *q) {
  const double *limit = w->p->model->step_limit + 2 * (size_t)s;
  double weight = 0, gain = 0, old = hik_step_value(w->p->model, s, q), gap[3];
  for (int32_t i = 0; i < n; i++) {
    const hik_aimed *f = w->aimed + goals[i];
    if (!aim_below(w, goals, n, i) || !(f->weight > 0)) continue;
    hik_sub3(f->aim, f->place, gap);
    weight += f->weight, gain += f->weight * hik_dot(gap, z);
  }
  if (!(weight > 0)) return;
  double to = hik_clip(old + gain / weight, limit[0], limit[1]);
  hik_step_set(w->p->model, s, to, q);
  for (int32_t i = 0; i < n; i++) hik_axpy3(w->aimed[goals[i]].place, to - old, z, w->aimed[goals[i]].place);
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
static bool lone_pair(const hik_aimed *f, const double *x, double *turn) {
  double have[3], goal[3];
  if (f->axes + (f->weight > 0) != 1) return false;
  if (f->axes == 1) {
    hik_mat_minimal(f->have, f->want, turn);
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
  hik_fit_ball(local, old, fresh);
  hik_quat_from_mat(fresh, mine);
  hik_fit_swing(local, cone, mine, fresh);
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
  if (n != 1 || !lone_pair(w->aimed + goals[0], at->t, turn)) {
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

/* Joints that share coordinate g, at the place of the last of them. */
static void do_shared(sweep *w, int32_t g, double *q, hik_pose *world) {
  const hik_shared_group *group = w->shared.group + g;
  const hik_shared_row *row = w->shared.row + group->row;
  for (int32_t r = 0; r < group->n_row; r++) {
    int32_t i = row[r].wish, mate = w->wish[i].mate;
    if (!w->wish[i].changes || row[r].together) continue;
    bool both = mate >= 0 &&
                ((r > 0 && row[r - 1].wish == mate) || (r + 1 < group->n_row && row[r + 1].wish == mate));
    aim_wish(w, i, both);
  }
  hik_shared_move(&w->shared, g, true, group->last, w->aimed, q, world);
}

static void do_step(sweep *w, int32_t k, hik_pose *world, double *q) {
  int32_t s = w->p->active[k], kind = w->p->model->step_kind[s], n = w->first[k + 1] - w->first[k];
  const int32_t *goals = w->below + w->first[k];
  const hik_pose *at = world + s;
  double z[3], b[9] = {0}, turn[9];
  int32_t g = hik_shared_of(&w->shared, s);
  if (hik_step_follows(w->p->model, s)) return; /* it stands anew after the sweep */
  if (g >= 0) {
    if (w->shared.group[g].last == k) do_shared(w, g, q, world);
    return;
  }
  hik_mat_column(at->r, 2, z);
  if (kind == HIK_SLIDE) {
    do_slide(w, s, z, goals, n, q);
    return;
  }
  for (int32_t i = 0; i < n; i++)
    if (aim_below(w, goals, n, i)) add_wish(w->aimed + goals[i], at->t, b);
  if (kind == HIK_BALL_STEP)
    do_ball(w, s, at, b, goals, n, q, turn);
  else if (!do_turn(w->p->model, s, z, b, q, turn))
    return;
  for (int32_t i = 0; i < n; i++) carry(w->aimed + goals[i], turn, at->t);
}

static bool iterate(hik_pace *pace) {
  hik_run *run = pace->run;
  const hik_problem *p = run->problem;
  sweep *w = pace->work;
  look(w, pace->fresh, run->world);
  /* every wish is carried by every step above it; a shared coordinate looks at some places of its range */
  hik_charge(run->worker, (int64_t)w->first[p->n_active] * (w->shared.n > 0 ? 16 : 1));
  for (int32_t k = p->n_active - 1; k >= 0; k--) do_step(w, k, run->world, pace->answer->q);
  hik_list_poses(p->model, p->active, p->n_active, pace->answer->q, run->world);
  return true;
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  static const hik_method method = {.iterate = iterate};
  sweep *w = run->scratch;
  /* not in rounds that combine poses: either hides from the other where the sweeps lead */
  w->beyond = w->param[HIK_CCD_EXTRAPOLATE] > 0 && !hik_mix_of(run);
  want(w, target);
  hik_pace pace = hik_pace_of(&method, w, run, target, answer, w->best_q);
  pace.trail = w->param[HIK_CCD_STARTS] > 0 ? w->trail : NULL;
  pace.patience = HIK_PATIENCE;
  pace.nudges = (int32_t)w->param[HIK_CCD_NUDGES], pace.starts = (int32_t)w->param[HIK_CCD_STARTS];
  hik_pace_run(&pace);
}

static bool block(hik_run *run, const hik_claims *rows) {
  sweep *w = run->scratch;
  if (!w->lanes) return false;
  hik_ccd_lanes_block(w->lanes, run, rows);
  return true;
}

#define CCD_REST(nudges, beyond)                                                                             \
  .option = {HIK_NUDGES(nudges),                                                                             \
             {"position_weight", 1, 1e-9, 1e9},                                                              \
             {"orientation_weight", 0.03, 1e-9, 1e9},                                                        \
             HIK_STARTS(50),                                                                                 \
             {"extrapolate", beyond, 0, 1, true}},                                                           \
  .ftol = 1e-4, .accepts = hik_wishes_accept, .scratch_for = scratch_for, .begin = begin, .one = one,        \
  .block = block, .block_least = 2

const hik_solver_class hik_solver_ccd = {
    .name = "ccd",
    .summary = "cyclic coordinate descent, tip to root, each joint in closed form inside its limits",
    .reference = "Wang and Chen 1991",
    .max_iter = 1000,
    CCD_REST(2, 0)};

const hik_solver_class hik_solver_ccd_fast = {
    .name = "ccd_fast",
    .own = true,
    .summary = "the same towards extrapolated aims: a few sweeps instead of many",
    .reference = "Wang and Chen 1991, with an addition",
    .max_iter = 300,
    CCD_REST(1, 1)};
