/* analytic.c: recognises an arm's class, and finds every posture for a pose by the method of its class.

   Purpose:  model.solutions: all postures, exact ones only, for arms of two to seven joints.
   Given:    a model and a frame, once; then poses.
   Returned: see analytic.h.
   Outcomes: an arm outside every class is HIK_UNSUPPORTED at creation, with what would work; a pose out of reach
             gives no posture.
   Notes:    An arm of four or five joints (or three, for a position) is completed to six by turns of its own at the
             last joint, and of the answers those are kept that leave the added turns at rest, as the true loop's
             residual tells. An arm of seven is solved with one joint locked.
             Three axes that meet go first, then three parallel ones, three slides, then the general method. */
#include "analytic/analytic.h"

#include <stdio.h>

#include "analytic/arm_plan.h"
#include "analytic/closest.h"
#include "analytic/families.h"
#include "analytic/general6.h"
#include "analytic/pieper.h"
#include "analytic/planar.h"
#include "analytic/slides.h"
#include "analytic/srs.h"
#include "analytic/target.h"
#include "analytic/two.h"
#include "base/memory.h"
#include "base/rng.h"

enum {
  WRIST = HIK_ARM_WRIST,
  PARALLEL = HIK_ARM_PARALLEL,
  SLIDES = HIK_ARM_SLIDES,
  GENERAL = HIK_ARM_GENERAL,
  PLANAR,
  TWO,
  METHODS
};
static const char *const method_name[METHODS] = {"wrist", "parallel", "slides", "general", "planar", "two"};

enum { MOST_SCHEMES = 2 };

/* One way to complete the arm to six joints, and how that is solved. */
typedef struct scheme {
  int32_t method, shift;
  hik_pose
      added[6]; /* links from the last joint on: to the first added turn, between them, then to the frame */
  hik_loop turned; /* closed forms without a locked joint: the loop in place, all but the link of the pose */
  hik_pose last;   /* what stands before the pose in that link */
  double here, there; /* where the axes of a wrist meet */
  hik_general6_plan plan;
} scheme;

struct hik_analytic {
  hik_chain chain;
  int32_t nq, task, lock; /* lock: joint of the chain, -1 */
  int32_t n_scheme;
  bool thorough;
  scheme schemes[MOST_SCHEMES];
  hik_planar planar;
  bool has_plan, has_arm_angle;
  bool families;     /* every posture is one of a family */
  hik_arm_plan plan; /* six turns in a closed form: most poses go several at a time */
  hik_srs srs;
  char why[280];
  double *rest; /* [nq] */
};

void hik_analytic_free(hik_analytic *a) { hik_release(a); }

size_t hik_analytic_scratch_size(const hik_analytic *a) {
  for (int k = 0; k < a->n_scheme; k++)
    if (a->schemes[k].method == GENERAL) return hik_general6_work_size();
  return 64;
}

hik_analytic_info hik_analytic_about(const hik_analytic *a) {
  int32_t method = a->schemes[0].method;
  return (hik_analytic_info){method_name[method], a->why, a->chain.n, a->lock < 0 ? -1 : a->chain.q[a->lock]};
}

/* ---- loops of six ---- */

/* The loop without joint k, which stands at `value`. */
static void lock_joint(const hik_loop *loop, int k, double value, hik_loop *out) {
  int n = loop->n, before = (k + n - 1) % n;
  hik_pose moved, joined;
  hik_loop_move(loop->kind[k], value, &loop->g[before], &moved);
  hik_pose_mul(&moved, &loop->g[k], &joined);
  out->n = n - 1;
  for (int i = 0, j = 0; i < n; i++) {
    if (i == k) continue;
    out->kind[j] = loop->kind[i];
    out->g[j] = i == before ? joined : loop->g[i];
    j++;
  }
}

/* The loop with its added turns; the chain's own last link (in g[n - 1]) becomes `added`. `rest`: from the frame on. */
static void complete(const hik_chain *c, const scheme *s, const hik_pose *rest, hik_loop *loop) {
  int extra = 6 - c->n;
  loop->n = 6;
  for (int i = 0; i < 6; i++) loop->kind[i] = i < c->n ? c->kind[i] : HIK_TURN;
  for (int i = 0; i + 1 < c->n; i++) loop->g[i] = c->link[i];
  for (int i = 0; i < extra; i++) loop->g[c->n - 1 + i] = s->added[i];
  hik_pose_mul(&s->added[extra], rest, &loop->g[5]);
}

static void six_joints(const hik_analytic *a, const scheme *s, const hik_loop *whole, const hik_pose *rest,
                       double locked, hik_loop *six) {
  if (a->lock >= 0)
    lock_joint(whole, a->lock, locked, six);
  else if (a->chain.n == 6)
    *six = *whole;
  else
    complete(&a->chain, s, rest, six);
}

/* ---- recognising ---- */

/* A pose well inside the arm's reach, for trials. */
static void trial(const hik_chain *c, hik_rng *rng, hik_pose *rest, hik_loop *loop) {
  hik_pose at = hik_pose_identity, moved;
  for (int i = 0; i < c->n; i++) {
    double u = 2 * hik_rng_uniform(rng) - 1;
    hik_loop_move(c->kind[i], c->kind[i] == HIK_TURN ? HIK_PI * u : u, &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  hik_pose_inverse(&at, rest);
  loop->n = c->n;
  memcpy(loop->kind, c->kind, sizeof loop->kind);
  for (int i = 0; i < c->n; i++) loop->g[i] = c->link[i];
  hik_pose_mul(&c->link[c->n - 1], rest, &loop->g[c->n - 1]);
}

/* Class that holds whatever the locked joint does: the same at three of its values. */
static int32_t classify_all(const hik_analytic *a, const scheme *s, double tolerance, int32_t *shift) {
  hik_rng rng = hik_rng_start(6, 3);
  hik_loop whole, six;
  hik_pose rest;
  int32_t method = GENERAL;
  *shift = 0;
  if (a->thorough) return GENERAL;
  for (int k = 0; k < 3; k++) {
    int32_t where;
    trial(&a->chain, &rng, &rest, &whole);
    six_joints(a, s, &whole, &rest, 0.7 * k - 0.4, &six);
    int32_t found = hik_arm_classify(&six, tolerance, &where);
    if (k > 0 && (found != method || where != *shift)) {
      *shift = 0;
      return GENERAL;
    }
    method = found, *shift = where;
  }
  return method;
}

/* Chooses method and plan of one scheme. */
static void settle(hik_analytic *a, scheme *s, hik_general6_work *work) {
  s->method = classify_all(a, s, HIK_CLASS_TOLERANCE, &s->shift);
  if (s->method != GENERAL) {
    const hik_chain *c = &a->chain;
    hik_loop six;
    if (a->lock >= 0) return;
    if (c->n == 6) {
      six.n = 6;
      memcpy(six.kind, c->kind, sizeof six.kind);
      memcpy(six.g, c->link, sizeof six.g);
    } else {
      complete(c, s, &hik_pose_identity, &six);
    }
    s->last = six.g[5];
    hik_loop_turn(&six, s->shift, false, &s->turned);
    hik_wrist_test(&s->turned, HIK_CLASS_TOLERANCE, &s->here, &s->there);
    return;
  }
  hik_rng rng = hik_rng_start(6, 4);
  hik_loop whole, six;
  hik_pose rest;
  trial(&a->chain, &rng, &rest, &whole);
  six_joints(a, s, &whole, &rest, 0.5, &six);
  hik_general6_prepare(&six, &s->plan, work);
}

/* Added turns: axes through one point of the last joint's axis (through the frame's origin when three are added), the
   first across that axis along `first` (0: x, 1: y of the last joint). */
static void add_turns(const hik_chain *c, int first, scheme *s) {
  static const double about[2][3][9] = {
      /* frames whose z axes are x, y, z (or y, x, z) of the last joint's frame */
      {{0, 0, 1, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 1, 0, -1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      {{1, 0, 0, 0, 0, 1, 0, -1, 0}, {0, 0, 1, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  const hik_pose *tool = &c->link[c->n - 1];
  int extra = 6 - c->n;
  double at[3];
  hik_copy3(tool->t, at);
  /* its origin is the foot of the common normal with the axis before: where the two meet, should they */
  if (extra < 3 && c->kind[c->n - 1] == HIK_TURN) at[0] = at[1] = at[2] = 0;
  hik_pose before = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {at[0], at[1], at[2]}}, frame = before, back;
  for (int i = 0; i < extra; i++) {
    memcpy(frame.r, about[first][i], sizeof frame.r);
    if (i == 0) {
      s->added[0] = frame;
    } else {
      hik_pose_inverse(&before, &back);
      hik_pose_mul(&back, &frame, &s->added[i]);
    }
    before = frame;
  }
  hik_pose_inverse(&before, &back);
  hik_pose_mul(&back, tool, &s->added[extra]);
}

/* Seven joints: which to lock. The first whose locking leaves a closed form, else the third. */
static void choose_lock(hik_analytic *a, int32_t wanted) {
  static const int8_t order[7] = {2, 1, 3, 0, 4, 5, 6};
  int32_t shift;
  for (int k = 0; k < 7 && wanted < 0; k++) {
    a->lock = order[k];
    if (classify_all(a, &a->schemes[0], HIK_CLASS_TOLERANCE, &shift) != GENERAL) return;
  }
  a->lock = wanted >= 0 ? wanted : 2;
}

static const char *ordinal(int k) {
  static const char *const words[7] = {"1", "2", "3", "4", "5", "6", "7"};
  return words[k % 7];
}

static void explain(hik_analytic *a) {
  const scheme *s = &a->schemes[0];
  int n = a->chain.n, turns = 0;
  char head[80] = "";
  for (int i = 0; i < n; i++) turns += a->chain.kind[i] == HIK_TURN;
  if (a->lock >= 0) snprintf(head, sizeof head, "seven joints, joint %d of the chain locked; ", a->lock + 1);
  if (n < 6 && s->method != PLANAR && s->method != TWO)
    snprintf(head, sizeof head, "%d joints, completed by %d turns that must stay at rest; ", n, 6 - n);
  int first = (s->shift + (s->method == WRIST ? 3 : 0)) % 6;
  if (s->method == WRIST)
    snprintf(a->why, sizeof a->why, "%sthe axes of joints %s %s %s meet in one point (to %g)", head,
             ordinal(first), ordinal((first + 1) % 6), ordinal((first + 2) % 6), HIK_CLASS_TOLERANCE);
  else if (s->method == PARALLEL)
    snprintf(a->why, sizeof a->why, "%sthe axes of joints %s %s %s are parallel (to %g)", head,
             ordinal(first), ordinal((first + 1) % 6), ordinal((first + 2) % 6), HIK_CLASS_TOLERANCE);
  else if (s->method == SLIDES)
    snprintf(a->why, sizeof a->why,
             "%sthree joints slide: the three turns make the frame's turn, the slides its place", head);
  else if (s->method == PLANAR)
    snprintf(a->why, sizeof a->why, "%d joints, all moving in one plane (to %g)", n, HIK_CLASS_TOLERANCE);
  else if (s->method == TWO)
    snprintf(a->why, sizeof a->why, "two joints, and the position of the frame's origin");
  else if (a->thorough)
    snprintf(a->why, sizeof a->why, "%sthorough: the union of all eliminations of the general method", head);
  else {
    int32_t shift = 0, kind = classify_all(a, s, 1e-3, &shift);
    snprintf(a->why, sizeof a->why, "%sno three axes meet or are parallel to %g%s: 16 x 16 eigenproblem%s",
             head, HIK_CLASS_TOLERANCE, kind == GENERAL ? "" : ", though they nearly do (to 0.001)",
             s->plan.far         ? ", slides but one as turns far away"
             : s->plan.disturbed ? " on links disturbed by 1e-7, as the exact one is singular"
                                 : "");
  }
}

/* Adds to the sentence what holds for every class. */
static void explain_families(hik_analytic *a) {
  size_t used = strlen(a->why);
  if (a->families)
    snprintf(a->why + used, sizeof a->why - used,
             "; its joints can move while the frame stays: one posture of each "
             "family met");
}

/* Sets up the schemes of an arm; `work` is scratch of the general method. */
static hik_status set_up(hik_analytic *a, int32_t lock, hik_general6_work *work, hik_error *error) {
  hik_chain *c = &a->chain;
  int slides = 0;
  for (int i = 0; i < c->n; i++) slides += c->kind[i] == HIK_SLIDE;
  a->lock = -1;
  if (c->n == 2 || c->n == 3) {
    hik_loop loop = {.n = c->n};
    memcpy(loop.kind, c->kind, sizeof loop.kind);
    for (int i = 0; i + 1 < c->n; i++) loop.g[i] = c->link[i];
    if (hik_planar_test(&loop, &c->link[c->n - 1], HIK_CLASS_TOLERANCE, &a->planar)) {
      if (c->n == 3 && a->task == HIK_TASK_POSITION)
        return hik_fail(
            error, HIK_UNSUPPORTED, -1,
            "three joints in one plane reach a position in infinitely many ways: ask for the pose");
      a->n_scheme = 1;
      a->schemes[0].method = PLANAR;
      return HIK_OK;
    }
  }
  if (c->n == 2 && a->task == HIK_TASK_POSITION) {
    a->n_scheme = 1;
    a->schemes[0].method = TWO;
    return HIK_OK;
  }
  if (c->n < 3 || c->n > 7)
    return hik_fail(
        error, HIK_UNSUPPORTED, -1,
        "%d joint%s between the world and the frame: closed forms take 3 to 7, or 2 for a position", c->n,
        c->n == 1 ? "" : "s");
  if (a->task == HIK_TASK_POSITION && c->n > 3)
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "%d joints reach a position in infinitely many ways: ask for the pose", c->n);
  if (c->n == 7) {
    int32_t wanted = -1;
    for (int i = 0; i < 7; i++)
      if (lock >= 0 && c->q[i] == lock) wanted = i;
    if (lock >= 0 && wanted < 0)
      return hik_fail(error, HIK_BAD_ARGUMENT, lock,
                      "coordinate %d does not move the frame: it cannot be locked", lock);
    choose_lock(a, wanted);
  }
  a->n_scheme = c->n == 4 || c->n == 5 ? 2 : 1;
  int left = slides - (a->lock >= 0 && c->kind[a->lock] == HIK_SLIDE);
  for (int k = 0; k < a->n_scheme; k++) {
    scheme *s = &a->schemes[k];
    if (c->n < 6) add_turns(c, k, s);
    if (left > 3)
      return hik_fail(error, HIK_UNSUPPORTED, -1,
                      "%d sliding joints leave fewer than three turns: no arm of that kind meets a pose",
                      left);
    settle(a, s, work);
  }
  return HIK_OK;
}

static void plan_lanes(hik_analytic *a) {
  const scheme *s = &a->schemes[0];
  if (a->families || a->chain.n != 6 || a->task != HIK_TASK_POSE ||
      (s->method != WRIST && s->method != PARALLEL))
    return;
  hik_arm_class form = {s->method == WRIST, s->shift, &s->turned, &s->last, s->here, s->there};
  a->has_plan = hik_arm_plan_make(&a->chain, &form, a->nq, HIK_ANALYTIC_MOST, a->rest, &a->plan);
}

hik_status hik_analytic_create(const hik_model *model, int32_t frame, int32_t task, int32_t lock,
                               bool thorough, hik_analytic **out, hik_error *error) {
  hik_block block = {0};
  *out = NULL;
  if (task != HIK_TASK_POSE && task != HIK_TASK_POSITION)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the task must be the pose or the position");
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
  a->thorough = thorough;
  hik_status status = hik_chain_of(model, frame, &a->chain, error);
  if (!status) status = set_up(a, lock, work, error);
  if (!status) a->has_arm_angle = hik_srs_test(&a->chain, 100 * HIK_CLASS_TOLERANCE, &a->srs);
  if (!status) {
    a->families = hik_families_everywhere(&a->chain, task == HIK_TASK_POSE, a->lock);
    explain(a);
    explain_families(a);
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

/* ---- solving ---- */

typedef struct bag {
  int32_t count;
  double theta[2 * HIK_ANALYTIC_MOST][HIK_LOOP_MAX]; /* joints of the chain */
  uint8_t free[2 * HIK_ANALYTIC_MOST];
} bag;

/* For a position the loop's own turn is of no interest: the distance of the frame's origin. */
static double position_miss(const hik_analytic *a, const hik_pose *target, const double *theta) {
  hik_pose at = a->chain.base, moved;
  for (int i = 0; i < a->chain.n; i++) {
    hik_loop_move(a->chain.kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &a->chain.link[i], &at);
  }
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = at.t[i] - target->t[i] / a->chain.scale;
  return hik_norm(d);
}

static bool same(const hik_chain *c, const double *a, const double *b) {
  for (int i = 0; i < c->n; i++) {
    double d = fabs(a[i] - b[i]);
    if (c->kind[i] == HIK_TURN && d > HIK_PI) d = fabs(d - 2 * HIK_PI);
    if (d >= 1e-6) return false;
  }
  return true;
}

/* Adds a candidate of the chain's joints (turns in (-pi, pi]) if it is a solution and not yet there. `error`: what its
   maker knows, infinity when nothing. */
static void put(const hik_analytic *a, const hik_pose *target, double *theta, double error, uint8_t free,
                bag *b) {
  const hik_chain *c = &a->chain;
  if (a->task == HIK_TASK_POSITION) {
    if (!(position_miss(a, target, theta) < 1e-10)) return;
  } else if (!(error < HIK_POSTURE_GOOD)) {
    hik_loop whole;
    double residual[6];
    hik_chain_loop(c, target, &whole);
    double far = hik_loop_residual(&whole, theta, residual, NULL);
    if (!(far < 0.1)) return;
    if (far > 1e-13 && a->lock < 0) far = hik_loop_polish(&whole, theta, far < 1e-10 ? 2 : 30);
    if (!(far < 1e-10)) return;
    for (int i = 0; i < c->n; i++)
      if (c->kind[i] == HIK_TURN) theta[i] = hik_wrap(theta[i]);
  }
  for (int k = 0; k < b->count; k++)
    if (same(c, theta, b->theta[k])) {
      b->free[k] |= free;
      return;
    }
  if (b->count >= HIK_COUNT_OF(b->theta)) return;
  memcpy(b->theta[b->count], theta, sizeof b->theta[0]);
  b->free[b->count++] = free;
}

/* Closed forms: six joints in the order of `turned`, back to the chain's. */
static void take(const hik_analytic *a, const scheme *s, const hik_posture *found, int count,
                 const hik_pose *target, bag *b) {
  int n = a->chain.n;
  double theta[HIK_LOOP_MAX];
  for (int k = 0; k < count; k++) {
    double idle = 0;
    uint8_t free = 0;
    for (int i = 0; i < 6; i++) {
      int at = (i + s->shift) % 6;
      if (at < n)
        theta[at] = found[k].theta[i];
      else
        idle += fabs(found[k].theta[i]); /* an added turn must not be needed */
      if (at < n && found[k].free >> i & 1) free |= (uint8_t)(1 << at);
    }
    if (a->task == HIK_TASK_POSE && idle > 1e-3) continue;
    put(a, target, theta, found[k].error + idle, free, b);
  }
}

/* A loop shifted to where the closed form of `method` wants it. */
static int closed_form(int32_t method, const hik_loop *turned, double here, double there,
                       hik_posture *found) {
  if (method == WRIST) return hik_wrist_solve(turned, here, there, found);
  return method == SLIDES ? hik_slides_solve(turned, found) : hik_parallel_solve(turned, found);
}

/* Six joints without a lock, or completed, by a closed form. */
static void run_closed(const hik_analytic *a, const scheme *s, const hik_pose *target, const hik_pose *rest,
                       bag *b) {
  hik_posture found[HIK_PARALLEL_MAX];
  hik_loop turned = s->turned;
  hik_pose_mul(&s->last, rest, &turned.g[(5 + 6 - s->shift) % 6]);
  int count = closed_form(s->method, &turned, s->here, s->there, found);
  take(a, s, found, count, target, b);
}

/* Any scheme's answers for one pose, the slow way: the general method, or a locked joint. */
static void run_scheme(const hik_analytic *a, const scheme *s, const hik_pose *target, const hik_pose *rest,
                       double locked, hik_general6_work *work, bag *b, bool *sure) {
  hik_loop whole, six, turned;
  hik_posture found[HIK_PARALLEL_MAX];
  double general[HIK_GENERAL6_MAX][6], theta[HIK_LOOP_MAX], here = 0, there = 0;
  int count = 0, n = a->chain.n;
  hik_chain_loop(&a->chain, target, &whole);
  six_joints(a, s, &whole, rest, locked, &six);
  if (s->method == GENERAL) {
    bool good;
    if (a->thorough)
      count = hik_general6_union(&six, &s->plan, work, general), good = count % 2 == 0;
    else
      count = hik_general6_solve(&six, &s->plan, work, general, &good);
    *sure = *sure && good;
  } else {
    hik_loop_turn(&six, s->shift, false, &turned);
    if (s->method != WRIST || hik_wrist_test(&turned, 10 * HIK_CLASS_TOLERANCE, &here, &there))
      count = closed_form(s->method, &turned, here, there, found);
  }
  for (int k = 0; k < count; k++) {
    double x[6], error = 0;
    uint8_t bits = 0, free = 0;
    for (int i = 0; i < 6; i++) {
      int at = s->method == GENERAL ? i : (i + s->shift) % 6;
      x[at] = s->method == GENERAL ? general[k][i] : found[k].theta[i];
      if (s->method != GENERAL && found[k].free >> i & 1) bits |= (uint8_t)(1 << at);
    }
    if (s->method != GENERAL) error = found[k].error;
    if (a->lock >= 0 && error >= HIK_POSTURE_GOOD) hik_loop_polish(&six, x, 30);
    for (int i = 0, j = 0; i < n; i++) {
      theta[i] = i == a->lock ? locked : x[j];
      if (i == a->lock) continue;
      if (bits >> j & 1) free |= (uint8_t)(1 << i);
      j++;
    }
    put(a, target, theta, n < 6 ? INFINITY : error, free, b);
  }
}

static void run_planar(const hik_analytic *a, const hik_pose *target, bag *b) {
  const hik_chain *c = &a->chain;
  hik_pose scaled = *target, back, goal;
  double found[2][3], theta[HIK_LOOP_MAX];
  bool exact;
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  hik_pose_inverse(&c->base, &back);
  hik_pose_mul(&back, &scaled, &goal);
  uint8_t swings;
  int n = hik_planar_solve(&a->planar, &goal, found, &exact, &swings);
  for (int k = 0; k < n; k++) {
    memcpy(theta, found[k], sizeof found[k]);
    put(a, target, theta, INFINITY, swings, b);
  }
}

static void run_two(const hik_analytic *a, const hik_pose *target, bag *b) {
  const hik_chain *c = &a->chain;
  double found[HIK_TWO_MAX][2], goal[3], theta[HIK_LOOP_MAX];
  for (int i = 0; i < 3; i++) goal[i] = target->t[i] / c->scale - c->base.t[i];
  hik_mat_tvec(c->base.r, goal, goal);
  int n = hik_two_solve(c->kind, &c->link[0], c->link[1].t, goal, found);
  for (int k = 0; k < n; k++) {
    memcpy(theta, found[k], sizeof found[k]);
    put(a, target, theta, INFINITY, 0, b);
  }
}

static void gather(const hik_analytic *a, const hik_pose *target, double locked, hik_general6_work *work,
                   bag *b, bool *sure) {
  const hik_chain *c = &a->chain;
  hik_pose scaled = *target, back, rest;
  b->count = 0;
  *sure = true;
  if (a->schemes[0].method == PLANAR || a->schemes[0].method == TWO) {
    (a->schemes[0].method == PLANAR ? run_planar : run_two)(a, target, b);
    return;
  }
  hik_scale3(1 / c->scale, scaled.t, scaled.t);
  hik_pose_inverse(&scaled, &back);
  hik_pose_mul(&back, &c->base, &rest);
  if (a->lock >= 0 && c->kind[a->lock] == HIK_SLIDE) locked /= c->scale;
  for (int k = 0; k < a->n_scheme; k++) {
    const scheme *s = &a->schemes[k];
    if (s->method == GENERAL || a->lock >= 0)
      run_scheme(a, s, target, &rest, locked, work, b, sure);
    else
      run_closed(a, s, target, &rest, b);
  }
}

/* Order of two postures by their coordinates, chain order; what agrees to 1e-9 counts as equal. */
static bool earlier(int n, const double *a, const double *b) {
  for (int i = 0; i < n; i++)
    if (fabs(a[i] - b[i]) > 1e-9) return a[i] < b[i];
  return false;
}

static void solve_one(const hik_analytic *a, const double *T, double locked, double *q, int32_t *count,
                      uint8_t *free, bool *sure, hik_general6_work *work) {
  const hik_chain *c = &a->chain;
  size_t nq = (size_t)a->nq;
  hik_pose target;
  bag b;
  double row[2 * HIK_ANALYTIC_MOST][HIK_LOOP_MAX];
  int order[2 * HIK_ANALYTIC_MOST], n = 0;
  *count = 0;
  *sure = true;
  b.count = 0;
  bool asked = hik_target_read(T, &target) && !(a->lock >= 0 && !(fabs(locked) < 1e6));
  if (asked) {
    double value = a->lock >= 0 ? c->line[a->lock][0] * locked + c->line[a->lock][1] : 0;
    gather(a, &target, value, work, &b, sure);
  }
  for (int k = 0; k < b.count; k++) {
    if (!hik_chain_unwind(c, b.theta[k], row[k])) continue;
    int at = n++;
    for (; at > 0 && earlier(c->n, row[k], row[order[at - 1]]); at--) order[at] = order[at - 1];
    order[at] = k;
  }
  bool pose = a->task == HIK_TASK_POSE;
  if (asked && n == 0 && (a->families || !*sure)) { /* what the method may well have missed */
    n = hik_families_one(c, pose, a->lock, locked, &target, a->rest, row[0]);
    order[0] = 0, b.free[0] = 0, *sure = false;
  }
  if (a->families) *sure = false;
  for (int k = 0; k < n && a->families; k++)
    b.free[order[k]] |= hik_families_free(c, pose, a->lock, row[order[k]]);
  if (n > HIK_ANALYTIC_MOST) n = HIK_ANALYTIC_MOST, *sure = false;
  *count = n;
  for (int k = 0; k < n; k++, q += nq) {
    memcpy(q, a->rest, sizeof(double) * nq);
    for (int i = 0; i < c->n; i++) q[c->q[i]] = row[order[k]][i];
    free[k] = b.free[order[k]];
  }
  for (size_t i = 0; i < (size_t)(HIK_ANALYTIC_MOST - n) * nq; i++) q[i] = NAN;
  memset(free + n, 0, (size_t)(HIK_ANALYTIC_MOST - n));
}

void hik_analytic_solve(const hik_analytic *a, int64_t n, const double *T, const double *locked, double *q,
                        int32_t *count, uint8_t *free, bool *sure, void *scratch) {
  if (a->has_plan) hik_arm_plan_solve(&a->plan, n, T, q, count, free, sure);
  for (int64_t k = 0; k < n; k++)
    if (!a->has_plan || count[k] < 0)
      solve_one(a, T + 16 * k, locked ? locked[k] : 0, q + k * HIK_ANALYTIC_MOST * a->nq, count + k,
                free + k * HIK_ANALYTIC_MOST, sure + k, scratch);
}

/* Of the exact postures the one with the least sum of squares of q from `q`, into q; false when there is none. */
static bool nearest_exact(const hik_analytic *a, const hik_pose *target, double *q, hik_general6_work *work) {
  const hik_chain *c = &a->chain;
  bag b;
  bool sure;
  double least = INFINITY, row[HIK_LOOP_MAX], best[HIK_LOOP_MAX] = {0};
  if (a->lock >= 0) return false;
  gather(a, target, 0, work, &b, &sure);
  for (int k = 0; k < b.count; k++) {
    double sum = 0;
    if (!hik_chain_unwind(c, b.theta[k], row)) continue;
    for (int i = 0; i < c->n; i++) sum += (row[i] - q[c->q[i]]) * (row[i] - q[c->q[i]]);
    if (!(sum < least)) continue;
    least = sum;
    memcpy(best, row, sizeof best);
  }
  if (least == INFINITY) return false;
  for (int i = 0; i < c->n; i++) q[c->q[i]] = best[i];
  return true;
}

double hik_analytic_closest(const hik_analytic *a, const double *T, double *q, double *scale, void *scratch) {
  hik_pose target;
  *scale = a->chain.scale;
  memcpy(q, a->rest, sizeof(double) * (size_t)a->nq);
  if (!hik_target_read(T, &target)) return NAN;
  if (nearest_exact(a, &target, q, scratch)) return 0;
  return hik_closest(&a->chain, &target, a->task == HIK_TASK_POSE, q);
}

bool hik_analytic_has_arm_angle(const hik_analytic *a) { return a->has_arm_angle; }

void hik_analytic_swivel(const hik_analytic *a, int64_t n, const double *T, const double *angle, double *q) {
  size_t nq = (size_t)a->nq;
  const hik_chain *c = &a->chain;
  for (int64_t k = 0; k < n; k++) {
    double theta[HIK_SRS_SLOTS][HIK_LOOP_MAX], row[HIK_LOOP_MAX];
    hik_pose target;
    bool good = a->has_arm_angle && hik_target_read(T + 16 * k, &target) && fabs(angle[k]) < 1e6;
    if (good) hik_srs_solve(c, &a->srs, &target, angle[k], theta);
    for (int s = 0; s < HIK_SRS_SLOTS; s++, q += nq) {
      if (good && hik_chain_unwind(c, theta[s], row)) {
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
