/* analytic.c: recognises an arm's class, and finds every posture for a pose by the method of its class.

   Purpose:  model.solutions: all postures, exact ones only, for arms of two to seven joints.
   Given:    a model and a frame, once; then poses.
   Returned: see analytic.h.
   Outcomes: an arm outside every class is HIK_UNSUPPORTED at creation, with what would work; a pose out of reach
             gives no posture.
   Notes:    An arm of four or five joints (or three) is completed to six by joints of its own (scheme.c), and of the
             answers those are kept that leave these at rest, as the true loop's residual tells. An arm of seven is
             solved with one joint locked; joints that their limits hold are links (chain.c).
             Three axes that meet go first, then three parallel ones, three slides, then the general method. */
#include <float.h>
#include <stdio.h>

#include "analytic/arm.h"
#include "analytic/closest.h"
#include "analytic/families.h"
#include "analytic/target.h"
#include "analytic/two.h"
#include "base/memory.h"

static const char *const method_name[HIK_ARM_METHODS] = {"wrist",   "parallel", "slides",
                                                         "general", "planar",   "two"};

void hik_analytic_free(hik_analytic *a) { hik_release(a); }

size_t hik_analytic_scratch_size(const hik_analytic *a) {
  for (int k = 0; k < a->n_scheme; k++)
    if (a->schemes[k].method == HIK_ARM_GENERAL) return hik_general6_work_size();
  return 64;
}

hik_analytic_info hik_analytic_about(const hik_analytic *a) {
  int32_t lock = a->wish.lock < 0 ? -1 : a->chain.q[a->wish.lock];
  return (hik_analytic_info){method_name[a->method], a->why, a->chain.n, a->chain.q, lock};
}

/* ---- recognising ---- */

/* Seven joints: which to lock. The first whose locking leaves a closed form, else the third. */
static void choose_lock(hik_analytic *a, int32_t wanted) {
  static const int8_t order[7] = {2, 1, 3, 0, 4, 5, 6};
  int32_t shift;
  for (int k = 0; k < 7 && wanted < 0; k++) {
    a->wish.lock = order[k];
    if (hik_scheme_class(&a->chain, &a->wish, HIK_CLASS_TOLERANCE, &shift) != HIK_ARM_GENERAL) return;
  }
  a->wish.lock = wanted >= 0 ? wanted : 2;
}

static const char *ordinal(int k) {
  static const char *const words[7] = {"1", "2", "3", "4", "5", "6", "7"};
  return words[k % 7];
}

/* The sentence of a closed form: which three joints, or which slides. */
static void explain_closed(hik_analytic *a, const char *head) {
  const hik_scheme *s = &a->schemes[0];
  int first = (s->shift + (s->method == HIK_ARM_WRIST ? 3 : 0)) % 6;
  if (s->method == HIK_ARM_SLIDES)
    snprintf(a->why, sizeof a->why,
             "%sthree joints slide: the three turns make the frame's turn, the slides its place", head);
  else
    snprintf(a->why, sizeof a->why, "%sthe axes of joints %s %s %s %s (to %g)", head, ordinal(first),
             ordinal((first + 1) % 6), ordinal((first + 2) % 6),
             s->method == HIK_ARM_WRIST ? "meet in one point" : "are parallel", HIK_CLASS_TOLERANCE);
}

static void explain_general(hik_analytic *a, const char *head) {
  const hik_general6_plan *plan = &a->schemes[0].plan;
  int32_t shift = 0;
  bool nearly = a->chain.n >= 6 && hik_scheme_class(&a->chain, &a->wish, 1e-3, &shift) != HIK_ARM_GENERAL;
  snprintf(a->why, sizeof a->why, "%sno three axes meet or are parallel to %g%s: 16 x 16 eigenproblem%s",
           head, HIK_CLASS_TOLERANCE, nearly ? ", though they nearly do (to 0.001)" : "",
           plan->far         ? ", slides but one as turns far away"
           : plan->disturbed ? " on links disturbed by 1e-7, as the exact one is singular"
                             : "");
}

static void explain(hik_analytic *a) {
  int n = a->chain.n;
  char head[96] = "";
  if (a->wish.lock >= 0)
    snprintf(head, sizeof head, "seven joints, joint %d of the chain locked; ", a->wish.lock + 1);
  if (n < 6) snprintf(head, sizeof head, "%d joints, completed by %d that must stay at rest; ", n, 6 - n);
  if (a->method == HIK_ARM_PLANAR)
    snprintf(a->why, sizeof a->why, "%d joints, all moving in one plane (to %g)", n, HIK_CLASS_TOLERANCE);
  else if (a->method == HIK_ARM_TWO)
    snprintf(a->why, sizeof a->why, "two joints, and the position of the frame's origin");
  else if (a->method != HIK_ARM_GENERAL)
    explain_closed(a, head);
  else if (a->wish.thorough)
    snprintf(a->why, sizeof a->why, "%sthorough: the union of all eliminations of the general method", head);
  else
    explain_general(a, head);
  size_t used = strlen(a->why);
  if (a->families)
    snprintf(a->why + used, sizeof a->why - used,
             "; its joints can move while the frame stays: one posture of each "
             "family met");
}

/* Two or three joints in one plane. */
static bool is_planar(hik_analytic *a) {
  const hik_chain *c = &a->chain;
  hik_loop loop = {.n = c->n};
  if (c->n != 2 && c->n != 3) return false;
  memcpy(loop.kind, c->kind, sizeof loop.kind);
  for (int i = 0; i + 1 < c->n; i++) loop.g[i] = c->link[i];
  return hik_planar_test(&loop, &c->link[c->n - 1], HIK_CLASS_TOLERANCE, &a->planar);
}

/* Refuses numbers of joints that no method takes. */
static hik_status refuse(int n, bool position, hik_error *error) {
  if (n < 3 || n > 7)
    return hik_fail(
        error, HIK_UNSUPPORTED, -1,
        "%d joint%s between the world and the frame: closed forms take 3 to 7, or 2 for a position", n,
        n == 1 ? "" : "s");
  if (position && n > 3)
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "%d joints reach a position in infinitely many ways: ask for the pose", n);
  return HIK_OK;
}

/* Of seven joints the one to lock: that of coordinate `lock`, or where it is -1 a good one. */
static hik_status lock_one(hik_analytic *a, int32_t lock, hik_error *error) {
  int32_t wanted = -1;
  for (int i = 0; i < 7; i++)
    if (lock >= 0 && a->chain.q[i] == lock) wanted = i;
  if (lock >= 0 && wanted < 0)
    return hik_fail(error, HIK_BAD_ARGUMENT, lock,
                    "coordinate %d does not move the frame: it cannot be locked", lock);
  choose_lock(a, wanted);
  return HIK_OK;
}

/* Sets up the schemes of an arm; `work` is scratch of the general method. */
static hik_status set_up(hik_analytic *a, int32_t lock, hik_general6_work *work, hik_error *error) {
  const hik_chain *c = &a->chain;
  bool position = a->task == HIK_TASK_POSITION;
  if (is_planar(a)) {
    if (c->n == 3 && position)
      return hik_fail(error, HIK_UNSUPPORTED, -1,
                      "three joints in one plane reach a position in infinitely many ways: ask for the pose");
    a->method = HIK_ARM_PLANAR;
    return HIK_OK;
  }
  if (c->n == 2 && position) {
    a->method = HIK_ARM_TWO;
    return HIK_OK;
  }
  hik_status status = refuse(c->n, position, error);
  if (!status && c->n == 7) status = lock_one(a, lock, error);
  if (status) return status;
  int left = 0; /* slides */
  for (int i = 0; i < c->n; i++) left += c->kind[i] == HIK_SLIDE && i != a->wish.lock;
  if (left > 3)
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "%d sliding joints leave fewer than three turns: no arm of that kind meets a pose", left);
  a->n_scheme = hik_schemes_make(c, &a->wish, a->schemes, work);
  if (a->n_scheme == 0) return hik_fail(error, HIK_UNSUPPORTED, -1, "no three axes meet or are parallel");
  a->method = a->schemes[0].method;
  return HIK_OK;
}

static void plan_lanes(hik_analytic *a) {
  const hik_scheme *s = &a->schemes[0];
  if (a->families || a->chain.n > 6 || a->n_scheme == 0 || a->task != HIK_TASK_POSE ||
      (s->method != HIK_ARM_WRIST && s->method != HIK_ARM_PARALLEL))
    return;
  hik_arm_class form = {s->method == HIK_ARM_WRIST, s->shift, &s->turned, &s->last, s->here, s->there};
  a->has_plan = hik_arm_plan_make(&a->chain, &form, a->nq, HIK_ANALYTIC_MOST, a->rest, &a->plan);
}

static hik_status create(const hik_model *model, int32_t frame, const hik_wish *wish, int32_t lock,
                         hik_analytic **out, hik_error *error) {
  hik_block block = {0};
  int32_t task = wish->pose ? HIK_TASK_POSE : HIK_TASK_POSITION;
  *out = NULL;
  HIK_TAKE(&block, hik_analytic, 1);
  HIK_TAKE(&block, double, model->nq);
  hik_analytic *a = block.bad ? NULL : hik_allocate(block.size);
  void *work = a ? hik_allocate(hik_general6_work_size()) : NULL;
  if (!work) {
    hik_release(a);
    return hik_fail_memory(error, block.size);
  }
  block.base = (char *)a, block.size = 0;
  HIK_TAKE(&block, hik_analytic, 1);
  a->rest = HIK_TAKE(&block, double, model->nq);
  memcpy(a->rest, model->rest, sizeof(double) * (size_t)model->nq);
  a->nq = model->nq;
  a->task = task;
  a->wish = *wish;
  hik_status status = hik_chain_of(model, frame, &a->chain, error);
  if (!status) status = set_up(a, lock, work, error);
  if (!status) a->has_arm_angle = hik_srs_test(&a->chain, 100 * HIK_CLASS_TOLERANCE, &a->srs);
  if (!status) {
    a->families = hik_families_everywhere(&a->chain, task == HIK_TASK_POSE, a->wish.lock);
    explain(a);
    plan_lanes(a);
  }
  hik_release(work);
  if (status) {
    hik_release(a);
    return status;
  }
  *out = a;
  return HIK_OK;
}

hik_status hik_analytic_create(const hik_model *model, int32_t frame, int32_t task, int32_t lock,
                               bool thorough, hik_analytic **out, hik_error *error) {
  *out = NULL;
  if (task != HIK_TASK_POSE && task != HIK_TASK_POSITION)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the task must be the pose or the position");
  hik_wish wish = {.pose = task == HIK_TASK_POSE, .thorough = thorough, .lock = -1};
  return create(model, frame, &wish, lock, out, error);
}

hik_status hik_analytic_create_nearest(const hik_model *model, int32_t frame, hik_analytic **out,
                                       hik_error *error) {
  hik_wish wish = {.pose = true, .closed = true, .lock = -1};
  hik_status status = create(model, frame, &wish, -1, out, error);
  if (status || hik_analytic_has_nearest(*out)) return status;
  hik_analytic_free(*out);
  *out = NULL;
  return hik_fail(error, HIK_UNSUPPORTED, -1, "no closed form for an arm of turns");
}

/* ---- solving ---- */

/* in place of bits: the completed arm has a family here, and whether the arm itself has is to be seen */
#define HELPED 0x80

/* How far the frame's origin is from the (scaled) target's: for a position its turn is of no interest. */
static double position_miss(const hik_chain *c, const hik_pose *scaled, const double *theta) {
  hik_pose at = c->base, moved;
  for (int i = 0; i < c->n; i++) {
    hik_loop_move(c->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  double d[3];
  hik_sub3(at.t, scaled->t, d);
  return hik_norm(d);
}

/* Moves joint values onto a position; the distance that is left. Nothing is done from far away: such a candidate met one
   equation of two. */
static double settle_position(const hik_chain *c, const hik_pose *target, double *theta) {
  hik_pose scaled = *target;
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  double far = position_miss(c, &scaled, theta);
  return far > 1e-13 && far < 1e-3 ? hik_closest_settle(c, &scaled, false, false, theta) : far;
}

/* What joint values leave of the pose or the position: the one judge of what reaches it. */
static double left_of(const hik_analytic *a, const hik_pose *target, const double *theta) {
  double residual[6];
  hik_pose scaled = *target;
  hik_loop whole;
  if (a->task == HIK_TASK_POSITION) {
    hik_scale3(1 / a->chain.scale, scaled.t, scaled.t);
    return position_miss(&a->chain, &scaled, theta);
  }
  hik_chain_loop(&a->chain, target, &whole);
  return hik_loop_residual(&whole, theta, residual, NULL);
}

bool hik_posture_inside(const hik_analytic *a, const hik_pose *target, const double *joints, double *row,
                        double *moved) {
  const hik_chain *c = &a->chain;
  hik_pose scaled = *target;
  double theta[HIK_LOOP_MAX], before[HIK_LOOP_MAX], far = 0;
  if (!hik_chain_unwind(c, joints, row, moved)) return false;
  if (*moved <= HIK_AT_LIMIT) return true;
  for (int i = 0; i < c->n; i++) {
    double x = c->line[i][0] * row[i] + c->line[i][1];
    theta[i] = before[i] = c->kind[i] == HIK_TURN ? x : x / c->scale;
  }
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  hik_closest_settle(c, &scaled, a->task == HIK_TASK_POSE, true, theta);
  for (int i = 0; i < c->n; i++) far = fmax(far, fabs(theta[i] - before[i]));
  if (!(far <= 2 * HIK_NEAR_LIMIT) || !(left_of(a, target, theta) < HIK_REACHED)) return false;
  hik_chain_row(c, theta, row);
  for (int i = 0; i < c->n; i++) row[i] = hik_clip(row[i], c->lower[i], c->upper[i]);
  return true;
}

static bool same(const hik_chain *c, const double *a, const double *b) {
  for (int i = 0; i < c->n; i++) {
    double d = fabs(a[i] - b[i]);
    if (c->kind[i] == HIK_TURN && d > HIK_PI) d = fabs(d - 2 * HIK_PI);
    if (d >= 1e-6) return false;
  }
  return true;
}

/* Adds a candidate of the chain's joints (turns in (-pi, pi]) if it is a solution and not yet there; false: it is none.
   `error`: what its maker knows, infinity when nothing. */
static bool put(const hik_analytic *a, const hik_pose *target, double *theta, double error, uint8_t free,
                hik_bag *b) {
  const hik_chain *c = &a->chain;
  if (a->task == HIK_TASK_POSITION) {
    if (!(settle_position(c, target, theta) < HIK_REACHED)) return false;
    for (int i = 0; i < c->n; i++)
      if (c->kind[i] == HIK_TURN) theta[i] = hik_wrap(theta[i]);
  } else if (!(error < HIK_POSTURE_GOOD)) {
    hik_loop whole;
    double residual[6];
    hik_chain_loop(c, target, &whole);
    double far = hik_loop_residual(&whole, theta, residual, NULL);
    if (!(far < 0.1)) return false;
    if (far > 1e-13 && a->wish.lock < 0) far = hik_loop_polish(&whole, theta, far < HIK_REACHED ? 2 : 30);
    if (!(far < HIK_REACHED)) return false;
    for (int i = 0; i < c->n; i++)
      if (c->kind[i] == HIK_TURN) theta[i] = hik_wrap(theta[i]);
  }
  for (int k = 0; k < b->count; k++)
    if (same(c, theta, b->theta[k])) {
      b->free[k] |= free;
      return true;
    }
  if (b->count >= HIK_COUNT_OF(b->theta)) return true;
  memcpy(b->theta[b->count], theta, sizeof b->theta[0]);
  b->free[b->count++] = free;
  return true;
}

/* Of the answers to a loop of six the chain's own joints. False when a family's representative is no posture. `again`:
   from a second scheme on; of a family that was met already its answers are any members. */
static bool take(const hik_analytic *a, const hik_answers *answers, bool again, double locked,
                 const hik_pose *target, hik_bag *b) {
  int n = a->chain.n, lock = a->wish.lock;
  bool whole = true, completed = n < 6 && a->task == HIK_TASK_POSE;
  for (int k = 0; k < answers->count; k++) {
    const hik_posture *p = &answers->posture[k];
    double theta[HIK_LOOP_MAX], row[HIK_LOOP_MAX], idle = 0;
    uint8_t free = 0;
    int j = 0; /* of the loop of six */
    for (int i = 0; i < n; i++) {
      theta[i] = i == lock ? locked : p->theta[j];
      if (i == lock) continue;
      if (p->free >> j & 1) free |= (uint8_t)(1 << i);
      j++;
    }
    for (; j < 6; j++) idle += fabs(p->theta[j]); /* an added joint must not be needed */
    if (a->task == HIK_TASK_POSE && idle > HIK_ADDED_IDLE) continue;
    if (completed && (p->free || again)) free = HELPED;
    hik_chain_row(&a->chain, theta, row);
    if (again && b->count > 0 && hik_families_free(&a->chain, true, -1, row)) continue;
    if (!put(a, target, theta, p->error + idle, free, b) && p->free) whole = false;
  }
  return whole;
}

static void run_planar(const hik_analytic *a, const hik_pose *target, hik_bag *b) {
  const hik_chain *c = &a->chain;
  hik_pose scaled = *target, back, goal;
  double found[2][3], theta[HIK_LOOP_MAX];
  bool exact;
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  hik_pose_inverse(&c->base, &back);
  hik_pose_mul(&back, &scaled, &goal);
  uint8_t swings;
  int n = hik_planar_solve(&a->planar, &goal, a->task == HIK_TASK_POSE, found, &exact, &swings);
  for (int k = 0; k < n; k++) {
    memcpy(theta, found[k], sizeof found[k]);
    put(a, target, theta, INFINITY, swings, b);
  }
}

static void run_two(const hik_analytic *a, const hik_pose *target, hik_bag *b) {
  const hik_chain *c = &a->chain;
  double found[HIK_TWO_MAX][2], goal[3], theta[HIK_LOOP_MAX];
  for (int i = 0; i < 3; i++) goal[i] = target->t[i] / c->scale - c->base.t[i];
  hik_mat_tvec(c->base.r, goal, goal);
  uint8_t swings[HIK_TWO_MAX];
  int n = hik_two_solve(c->kind, &c->link[0], c->link[1].t, goal, found, swings);
  for (int k = 0; k < n; k++) {
    memcpy(theta, found[k], sizeof found[k]);
    put(a, target, theta, INFINITY, swings[k], b);
  }
}

void hik_postures_gather(const hik_analytic *a, const hik_pose *target, double locked,
                         hik_general6_work *work, hik_bag *b, bool *sure) {
  const hik_chain *c = &a->chain;
  hik_pose scaled = *target, back, rest;
  b->count = 0;
  *sure = true;
  if (a->n_scheme == 0) {
    (a->method == HIK_ARM_PLANAR ? run_planar : run_two)(a, target, b);
    return;
  }
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  hik_pose_inverse(&scaled, &back);
  hik_pose_mul(&back, &c->base, &rest);
  if (a->wish.lock >= 0 && c->kind[a->wish.lock] == HIK_SLIDE) locked /= c->scale;
  for (int k = 0; k < a->n_scheme; k++) { /* one that is sure will do */
    hik_answers answers;
    hik_scheme_run(c, &a->wish, &a->schemes[k], &rest, locked, work, &answers);
    bool whole = take(a, &answers, k > 0, locked, target, b);
    /* two slides and a family at once are too much for the general method's word */
    bool heard = k == 0 || a->schemes[k].method != HIK_ARM_GENERAL || a->schemes[k].plan.far == 0;
    *sure = answers.sure && whole && heard;
    if (*sure) break;
  }
}

/* Order of two postures by their coordinates, chain order; what agrees to 1e-9 counts as equal. */
static bool earlier(int n, const double *a, const double *b) {
  for (int i = 0; i < n; i++)
    if (fabs(a[i] - b[i]) > 1e-9) return a[i] < b[i];
  return false;
}

/* Joints that are free where the chain's own Jacobian must say so. */
static void note_families(const hik_analytic *a, const double *row, uint8_t *bits) {
  if (!a->families && *bits != HELPED) return;
  *bits = (*bits == HELPED ? 0 : *bits) |
          hik_families_free(&a->chain, a->task == HIK_TASK_POSE, a->wish.lock, row);
}

/* Postures of a bag inside the limits, and where each came from, in order of q. */
typedef struct kept {
  int n;
  double row[2 * HIK_ANALYTIC_MOST][HIK_LOOP_MAX];
  int from[2 * HIK_ANALYTIC_MOST]; /* of row k: place in the bag */
  int order[2 * HIK_ANALYTIC_MOST];
} kept;

static bool there_already(const kept *p, int n, const double *row) {
  for (int k = 0; k < p->n; k++) {
    double gap = 0;
    for (int i = 0; i < n; i++) gap = fmax(gap, fabs(p->row[k][i] - row[i]));
    if (gap <= 2 * HIK_NEAR_LIMIT) return true;
  }
  return false;
}

/* Those inside the limits first, then those that were brought to one and are no other's neighbour. A family whose
   representative is outside may have members inside: then nobody is sure. */
static void keep_inside(const hik_analytic *a, const hik_pose *target, const hik_bag *b, kept *p,
                        bool *sure) {
  int n = a->chain.n;
  double moved;
  p->n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < b->count; k++) {
      double row[HIK_LOOP_MAX];
      bool in = hik_posture_inside(a, target, b->theta[k], row, &moved);
      if (!in && b->free[k]) *sure = false;
      if (!in || (moved > HIK_AT_LIMIT) != (pass == 1)) continue;
      if (pass == 1 && there_already(p, n, row)) continue;
      int at = p->n;
      for (; at > 0 && earlier(n, row, p->row[p->order[at - 1]]); at--) p->order[at] = p->order[at - 1];
      p->order[at] = p->n;
      memcpy(p->row[p->n], row, sizeof row);
      p->from[p->n++] = k;
    }
}

/* An arm that slides may reach so far that rounding alone is more than a posture may be off: then none is no answer. */
static bool far_away(const hik_chain *c, const hik_pose *target) {
  bool slides = false;
  for (int i = 0; i < c->n; i++) slides = slides || c->kind[i] == HIK_SLIDE;
  return slides && !(hik_norm(target->t) < 1e-2 * HIK_REACHED / DBL_EPSILON * c->scale);
}

static void solve_one(const hik_analytic *a, const double *T, double locked, double *q, int32_t *count,
                      uint8_t *free, bool *sure, hik_general6_work *work) {
  const hik_chain *c = &a->chain;
  size_t nq = (size_t)a->nq;
  int lock = a->wish.lock;
  hik_pose target;
  hik_bag b;
  kept p;
  bool held = lock < 0 || fabs(locked) < 1e6, asked = hik_target_read(T, &target) && held;
  b.count = p.n = 0;
  *sure = held ||
          !(fabs(locked) < INFINITY); /* a locked joint that far is nobody's wish, and was not looked at */
  if (asked) {
    hik_postures_gather(a, &target, lock >= 0 ? c->line[lock][0] * locked + c->line[lock][1] : 0, work, &b,
                        sure);
    if (b.count == 0 && far_away(c, &target)) *sure = false;
    keep_inside(a, &target, &b, &p, sure);
  }
  if (asked && p.n == 0 && (a->families || !*sure)) { /* what the method may well have missed */
    p.n = hik_families_one(c, a->task == HIK_TASK_POSE, lock, locked, &target, a->rest, p.row[0]);
    p.order[0] = p.from[0] = 0, b.free[0] = 0, *sure = false;
  }
  if (a->families) *sure = false;
  for (int k = 0; k < p.n; k++) note_families(a, p.row[k], &b.free[p.from[k]]);
  if (p.n > HIK_ANALYTIC_MOST) p.n = HIK_ANALYTIC_MOST, *sure = false;
  *count = p.n;
  for (int k = 0; k < p.n; k++, q += nq) {
    memcpy(q, a->rest, sizeof(double) * nq);
    for (int i = 0; i < c->n; i++) q[c->q[i]] = p.row[p.order[k]][i];
    free[k] = b.free[p.from[p.order[k]]];
  }
  for (size_t i = 0; i < (size_t)(HIK_ANALYTIC_MOST - p.n) * nq; i++) q[i] = NAN;
  memset(free + p.n, 0, (size_t)(HIK_ANALYTIC_MOST - p.n));
}

void hik_analytic_solve(const hik_analytic *a, int64_t n, const double *T, const double *locked, double *q,
                        int32_t *count, uint8_t *free, bool *sure, void *scratch) {
  bool in_lanes = a->has_plan && a->plan.joints == 6;
  if (in_lanes) hik_arm_plan_solve(&a->plan, n, T, q, count, free, sure);
  for (int64_t k = 0; k < n; k++)
    if (!in_lanes || count[k] < 0)
      solve_one(a, T + 16 * k, locked ? locked[k] : 0, q + k * HIK_ANALYTIC_MOST * a->nq, count + k,
                free + k * HIK_ANALYTIC_MOST, sure + k, scratch);
}

bool hik_analytic_has_arm_angle(const hik_analytic *a) { return a->has_arm_angle; }

void hik_analytic_swivel(const hik_analytic *a, int64_t n, const double *T, const double *angle, double *q) {
  size_t nq = (size_t)a->nq;
  const hik_chain *c = &a->chain;
  for (int64_t k = 0; k < n; k++) {
    double theta[HIK_SRS_SLOTS][HIK_LOOP_MAX], row[HIK_LOOP_MAX], moved;
    hik_pose target;
    bool good = a->has_arm_angle && hik_target_read(T + 16 * k, &target) && fabs(angle[k]) < 1e6;
    if (good) hik_srs_solve(c, &a->srs, &target, angle[k], theta);
    for (int s = 0; s < HIK_SRS_SLOTS; s++, q += nq) {
      if (good && left_of(a, &target, theta[s]) < HIK_REACHED &&
          hik_posture_inside(a, &target, theta[s], row, &moved)) {
        memcpy(q, a->rest, sizeof(double) * nq);
        for (int i = 0; i < c->n; i++) q[c->q[i]] = row[i];
      } else {
        for (size_t i = 0; i < nq; i++) q[i] = NAN;
      }
    }
  }
}

void hik_analytic_arm_angle(const hik_analytic *a, int64_t n, const double *q, double *angle) {
  const hik_chain *c = &a->chain;
  for (int64_t k = 0; k < n; k++, q += a->nq) {
    double theta[HIK_LOOP_MAX] = {0};
    for (int i = 0; i < c->n; i++) theta[i] = c->line[i][0] * q[c->q[i]] + c->line[i][1];
    angle[k] =
        a->has_arm_angle && hik_all_finite(theta, HIK_LOOP_MAX) ? hik_srs_angle(c, &a->srs, theta) : NAN;
  }
}
