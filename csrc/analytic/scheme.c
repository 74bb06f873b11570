/* scheme.c: a chain of three to seven joints as loops of six.

   Purpose:  the closed forms and the general method take six joints; this brings any chain to that.
   Given:    the chain, once; then poses.
   Returned: postures of the loop of six; the caller takes the chain's own joints and judges them by the chain's loop.
   Outcomes: `sure` false where an answer may hide: see note 2.
   Notes:    1. Seven joints: one is locked. Fewer than six: joints are added at the last one, and what leaves them at
                rest is a posture of the arm.
             2. A posture that stands alone on the arm need not on the completed arm. There it is one of a family where
                an added axis depends on the arm's own, and of a family one representative is given, at which the added
                joints are not at rest: the posture is lost. So axes are added askew, and a way to add them counts only
                if it finds the posture that made a pose, alone, for all of a few poses. Where some pose meets a family
                all the same, the next way is asked, whose axes are others; the last is the general method with turns
                whose axes share no point.
             3. Ways to add joints: turns through one point of the last axis, where a wrist arises; what makes it three
                turns and three slides; turns nowhere near each other, for a shoulder or three parallel axes of the
                arm's own; the first parallel to the last axis; the first through the foot of the last common
                normal. */
#include "analytic/scheme.h"

#include "analytic/families.h"
#include "analytic/slides.h"
#include "base/quat.h"
#include "base/rng.h"

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

/* The chain with the added joints of a scheme, closed by `rest`. */
static void complete(const hik_chain *c, const hik_scheme *s, const hik_pose *rest, hik_loop *loop) {
  int extra = 6 - c->n;
  loop->n = 6;
  for (int i = 0; i < 6; i++) loop->kind[i] = i < c->n ? c->kind[i] : s->kind[i - c->n];
  for (int i = 0; i + 1 < c->n; i++) loop->g[i] = c->link[i];
  for (int i = 0; i < extra; i++) loop->g[c->n - 1 + i] = s->added[i];
  hik_pose_mul(&s->added[extra], rest, &loop->g[5]);
}

void hik_scheme_loop(const hik_chain *c, const hik_pose *rest, hik_loop *loop) {
  loop->n = c->n;
  memcpy(loop->kind, c->kind, sizeof loop->kind);
  for (int i = 0; i + 1 < c->n; i++) loop->g[i] = c->link[i];
  hik_pose_mul(&c->link[c->n - 1], rest, &loop->g[c->n - 1]);
}

static void six_joints(const hik_chain *c, const hik_wish *wish, const hik_scheme *s, const hik_pose *rest,
                       double locked, hik_loop *six) {
  hik_loop whole;
  if (c->n < 6) {
    complete(c, s, rest, six);
  } else if (wish->lock < 0) {
    hik_scheme_loop(c, rest, six);
  } else {
    hik_scheme_loop(c, rest, &whole);
    lock_joint(&whole, wish->lock, locked, six);
  }
}

/* ---- recognising ---- */

/* A posture for trials, and what closes the loop there: a pose well inside the arm's reach. */
static void trial(const hik_chain *c, hik_rng *rng, double *theta, hik_pose *rest) {
  hik_pose at = hik_pose_identity, moved;
  for (int i = 0; i < c->n; i++) {
    double u = 2 * hik_rng_uniform(rng) - 1;
    theta[i] = c->kind[i] == HIK_TURN ? HIK_PI * u : u;
    hik_loop_move(c->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  hik_pose_inverse(&at, rest);
}

/* The class that holds whatever the locked joint does: the same at three of its values. */
static hik_arm_method class_of(const hik_chain *c, const hik_wish *wish, const hik_scheme *s,
                               double tolerance, int32_t *shift) {
  hik_rng rng = hik_rng_start(6, 3);
  hik_arm_method method = HIK_ARM_GENERAL;
  *shift = 0;
  if (wish->thorough) return HIK_ARM_GENERAL;
  for (int k = 0; k < 3; k++) {
    double theta[HIK_LOOP_MAX];
    hik_pose rest;
    hik_loop six;
    int32_t where;
    trial(c, &rng, theta, &rest);
    six_joints(c, wish, s, &rest, 0.7 * k - 0.4, &six);
    hik_arm_method found = hik_arm_classify(&six, tolerance, &where);
    if (k > 0 && (found != method || where != *shift)) {
      *shift = 0;
      return HIK_ARM_GENERAL;
    }
    method = found, *shift = where;
  }
  return method;
}

hik_arm_method hik_scheme_class(const hik_chain *c, const hik_wish *wish, double tolerance, int32_t *shift) {
  return class_of(c, wish, NULL, tolerance, shift);
}

/* A closed form's loop in place, once for all poses; a locked joint moves it, so there it waits. */
static void settle_closed(const hik_chain *c, const hik_wish *wish, hik_scheme *s) {
  hik_loop six;
  if (wish->lock >= 0) return;
  six_joints(c, wish, s, &hik_pose_identity, 0, &six);
  s->last = six.g[5];
  hik_loop_turn(&six, s->shift, false, &s->turned);
  hik_wrist_test(&s->turned, HIK_CLASS_TOLERANCE, &s->here, &s->there);
}

static void settle_general(const hik_chain *c, const hik_wish *wish, hik_scheme *s, hik_general6_work *work) {
  hik_rng rng = hik_rng_start(6, 4);
  double theta[HIK_LOOP_MAX];
  hik_pose rest;
  hik_loop six;
  s->method = HIK_ARM_GENERAL, s->shift = 0;
  trial(c, &rng, theta, &rest);
  six_joints(c, wish, s, &rest, 0.5, &six);
  hik_general6_prepare(&six, &s->plan, work);
}

/* ---- adding joints ---- */

typedef enum way { POINT, SLIDING, APART, PARALLEL, FOOT, WAYS } way;

/* Frames of the added joints in the last joint's frame, z along each axis. Two draws of a way have no axis in common. */
static void draw_axes(const hik_chain *c, bool pose, way how, int draw, hik_pose axes[3]) {
  const double *tool = c->link[c->n - 1].t;
  bool turns = c->kind[c->n - 1] == HIK_TURN;
  int extra = 6 - c->n;
  hik_rng rng = hik_rng_start(6, 20 + (uint64_t)(WAYS * draw + how));
  double at[3] = {0, 0, 0}, quat[4], own[9], turn[9];
  if (extra == 3) hik_copy3(tool, at);
  if (how == POINT && pose && (extra == 3 || !turns)) /* a point that is no other's */
    for (int k = 0; k < 3; k++) at[k] += 0.5 + 0.4 * hik_rng_uniform(&rng) - draw;
  if (how == POINT && extra == 2 && turns) at[2] = 0.4 + 0.4 * hik_rng_uniform(&rng) - 1.1 * draw;
  /* across the last axis, across each other, and in no direction that an arm on right angles has */
  static const double basis[3][9] = {
      {0, 0, 1, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 1, 0, -1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double angle = 0.65 + 1.2 * draw, s, c0;
  hik_sincos(angle, &s, &c0);
  hik_mat_turn_z(basis[2], c0, s, own);
  if (how != POINT) {
    hik_rng_rotation(&rng, quat);
    hik_quat_to_mat(quat, own);
  }
  for (int i = 0; i < extra; i++) {
    hik_mat_mul(own, basis[i], turn);
    memcpy(axes[i].r, turn, sizeof axes[i].r);
    hik_copy3(at, axes[i].t);
    if (how == POINT || (how == FOOT && i == 0)) continue;
    for (int k = 0; k < 3; k++) axes[i].t[k] = at[k] + 1.2 * hik_rng_uniform(&rng) - 0.6;
    if (how == PARALLEL && i == 0) memcpy(axes[0].r, basis[2], sizeof axes[0].r);
  }
}

/* False: the chain has too many turns or slides for this way. */
static bool add_joints(const hik_chain *c, bool pose, way how, int draw, hik_scheme *s) {
  hik_pose axes[3], back;
  int extra = 6 - c->n, turns = 0;
  for (int i = 0; i < c->n; i++) turns += c->kind[i] == HIK_TURN;
  if (how == SLIDING && (turns > 3 || c->n - turns > 3)) return false;
  for (int i = 0; i < extra; i++) s->kind[i] = how == SLIDING && i >= 3 - turns ? HIK_SLIDE : HIK_TURN;
  draw_axes(c, pose, how, draw, axes);
  s->added[0] = axes[0];
  for (int i = 1; i < extra; i++) {
    hik_pose_inverse(&axes[i - 1], &back);
    hik_pose_mul(&back, &axes[i], &s->added[i]);
  }
  hik_pose_inverse(&axes[extra - 1], &back);
  hik_pose_mul(&back, &c->link[c->n - 1], &s->added[extra]);
  return true;
}

enum { TRIALS = 12 };

/* Whether the scheme finds the posture that made a pose, and without doubt, for all of a few that stand alone. */
static bool proves_itself(const hik_chain *c, const hik_wish *wish, const hik_scheme *s) {
  hik_rng rng = hik_rng_start(6, 8);
  for (int k = 0; k < TRIALS; k++) {
    double theta[HIK_LOOP_MAX], row[HIK_LOOP_MAX], least = INFINITY;
    hik_pose rest;
    hik_answers found;
    trial(c, &rng, theta, &rest);
    hik_chain_row(c, theta, row);
    if (hik_families_free(c, wish->pose, -1, row)) continue;
    hik_scheme_run(c, wish, s, &rest, 0, NULL, &found);
    if (!found.sure) return false;
    for (int j = 0; j < found.count; j++) {
      double far = 0;
      for (int i = 0; i < 6; i++) {
        double d = i < c->n     ? found.posture[j].theta[i] - theta[i]
                   : wish->pose ? found.posture[j].theta[i]
                                : 0;
        far = fmax(far, fabs(i < c->n && c->kind[i] == HIK_TURN ? hik_wrap(d) : d));
      }
      least = fmin(least, far);
    }
    if (!(least < 1e-6)) return false;
  }
  return true;
}

/* The first closed forms that prove themselves, each way in its first draw before any in its second; at the end the
   general method. */
static int complete_in_ways(const hik_chain *c, const hik_wish *wish, hik_scheme *schemes,
                            hik_general6_work *work) {
  int count = 0;
  for (int draw = 0; draw < 2; draw++)
    for (int how = 0; how < WAYS && count < HIK_MOST_SCHEMES - 1 && !wish->thorough; how++) {
      hik_scheme *s = &schemes[count];
      if (!add_joints(c, wish->pose, (way)how, draw, s)) continue;
      s->method = class_of(c, wish, s, HIK_CLASS_TOLERANCE, &s->shift);
      if (s->method == HIK_ARM_GENERAL) continue;
      settle_closed(c, wish, s);
      count += proves_itself(c, wish, s);
    }
  for (int draw = count > 0; draw < 2 && !wish->closed; draw++) {
    add_joints(c, wish->pose, APART, draw, &schemes[count]);
    settle_general(c, wish, &schemes[count++], work);
  }
  return count;
}

int hik_schemes_make(const hik_chain *c, const hik_wish *wish, hik_scheme *schemes, hik_general6_work *work) {
  if (c->n < 6 && wish->pose) return complete_in_ways(c, wish, schemes, work);
  hik_scheme *s = &schemes[0];
  if (c->n < 6) add_joints(c, false, POINT, 0, s);
  s->method = class_of(c, wish, s, HIK_CLASS_TOLERANCE, &s->shift);
  if (s->method == HIK_ARM_GENERAL && wish->closed) return 0;
  if (s->method == HIK_ARM_GENERAL)
    settle_general(c, wish, s, work);
  else
    settle_closed(c, wish, s);
  return 1;
}

/* ---- solving ---- */

/* A loop shifted to where the closed form wants it. */
static int closed_form(hik_arm_method method, const hik_loop *turned, double here, double there,
                       hik_posture *found, bool *hidden) {
  if (method == HIK_ARM_WRIST) return hik_wrist_solve(turned, here, there, found, hidden);
  return method == HIK_ARM_SLIDES ? hik_slides_solve(turned, found, hidden)
                                  : hik_parallel_solve(turned, found, hidden);
}

/* Postures from the order of the shifted loop to the loop's own. */
static void unshift(int32_t shift, const hik_posture *found, int count, hik_posture *out) {
  for (int k = 0; k < count; k++) {
    out[k].error = found[k].error;
    out[k].free = (uint8_t)((found[k].free << shift | found[k].free >> (6 - shift)) & 63);
    for (int i = 0; i < 6; i++) out[k].theta[(i + shift) % 6] = found[k].theta[i];
  }
}

static void run_general(const hik_wish *wish, const hik_scheme *s, const hik_loop *six,
                        hik_general6_work *work, hik_answers *answers) {
  double theta[HIK_GENERAL6_MAX][6];
  if (wish->thorough)
    answers->count = hik_general6_union(six, &s->plan, work, theta, &answers->sure);
  else
    answers->count = hik_general6_solve(six, &s->plan, work, theta, &answers->sure);
  for (int k = 0; k < answers->count; k++) {
    memcpy(answers->posture[k].theta, theta[k], sizeof theta[k]);
    answers->posture[k].error = 0, answers->posture[k].free = 0;
  }
}

/* A closed form of seven joints with one locked: where the axes of its wrist meet moves with that joint. */
static int run_locked(const hik_scheme *s, const hik_loop *six, hik_posture *found, bool *hidden) {
  hik_loop turned;
  double here = 0, there = 0;
  hik_loop_turn(six, s->shift, false, &turned);
  if (s->method == HIK_ARM_WRIST && !hik_wrist_test(&turned, 10 * HIK_CLASS_TOLERANCE, &here, &there)) {
    *hidden = true; /* two of its axes are in line for this value */
    return 0;
  }
  return closed_form(s->method, &turned, here, there, found, hidden);
}

void hik_scheme_run(const hik_chain *c, const hik_wish *wish, const hik_scheme *s, const hik_pose *rest,
                    double locked, hik_general6_work *work, hik_answers *answers) {
  hik_posture found[HIK_PARALLEL_MAX];
  hik_loop six;
  bool hidden = false;
  if (s->method == HIK_ARM_GENERAL) {
    six_joints(c, wish, s, rest, locked, &six);
    run_general(wish, s, &six, work, answers);
    return;
  }
  if (wish->lock >= 0) {
    six_joints(c, wish, s, rest, locked, &six);
    answers->count = run_locked(s, &six, found, &hidden);
  } else {
    six = s->turned;
    hik_pose_mul(&s->last, rest, &six.g[(5 + 6 - s->shift) % 6]);
    answers->count = closed_form(s->method, &six, s->here, s->there, found, &hidden);
  }
  answers->sure = !hidden;
  unshift(s->shift, found, answers->count, answers->posture);
  for (int k = 0; k < answers->count; k++) {
    hik_posture *p = &answers->posture[k];
    if (c->n < 6 && wish->pose && p->free) answers->sure = false;
    if (wish->lock >= 0 && p->error >= HIK_POSTURE_GOOD) hik_loop_polish(&six, p->theta, 30);
  }
}
