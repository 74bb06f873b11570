/* general6_solve.c: all solutions of six joints, by as many eliminations as it takes to be sure.

   Purpose:  one variant of the eigenproblem (general6.c) can be singular on an arm, or lose a pair that all but meets.
   Given:    a loop and a plan made once for the arm.
   Returned: the real solutions, polished on the true loop and told apart at 1e-6.
   Outcomes: never fails to end; `sure` is false when no variant passed every check.
   Notes:    see notes 4 and 5 of general6.c. */
#include "analytic/general6.h"
#include "analytic/slides.h"
#include "base/eigen.h"
#include "base/quat.h"
#include "base/rng.h"

enum { TURN, SLIDE };
#define SINGULAR 1e-9 /* pivots of a solution's Jacobian, least over greatest */

/* ---- several variants together ---- */

#define FAR 3e4 /* scanned from 30 to 1e6: complete on 400 poses from 1e4 to 1e6 */

/* Slides of the set `far` as turns about axes FAR away, along y through (FAR, 0, 0): value / FAR turns. */
static void stretch(const hik_loop *loop, uint8_t far, hik_loop *out) {
  static const hik_pose axis = {{1, 0, 0, 0, 0, 1, 0, -1, 0}, {FAR, 0, 0}};
  hik_pose back, link;
  *out = *loop;
  hik_pose_inverse(&axis, &back);
  for (int i = 0; i < 6; i++) {
    if (!(far >> i & 1)) continue;
    hik_pose *before = &out->g[(i + 5) % 6], *after = &out->g[i];
    hik_pose_mul(before, &axis, &link);
    *before = link;
    hik_pose_mul(&back, after, &link);
    *after = link;
    out->kind[i] = TURN;
  }
}

/* Two answers that are one: closer than 1e-6, or stuck on the way to the same double root, so that half way between
   them is as good an answer as they are. Two true ones near a double root are both better than what lies between. */
static bool alike(const hik_loop *loop, const double *a, const double *b) {
  double gap = hik_loop_distance(loop, a, b), middle[6], residual[6];
  if (gap < 1e-6 || gap > 1e-3) return gap < 1e-6;
  for (int i = 0; i < 6; i++)
    middle[i] = b[i] + 0.5 * (loop->kind[i] == TURN ? hik_wrap(a[i] - b[i]) : a[i] - b[i]);
  double own = fmax(hik_loop_residual(loop, a, residual, NULL), hik_loop_residual(loop, b, residual, NULL));
  return hik_loop_residual(loop, middle, residual, NULL) < fmax(4 * own, 1e-14);
}

/* Whether the loop moves at a solution, to first order: a double solution, or a member of a family. */
static bool singular(const hik_loop *loop, const double *x) {
  double residual[6], jacobian[6 * HIK_LOOP_MAX];
  int32_t order[6];
  hik_loop_residual(loop, x, residual, jacobian);
  return !(hik_lu_factor(6, jacobian, 6, order, 1e-300) > SINGULAR);
}

/* Adds a solution to theta[0..count) unless it is there; how many there are then. Where all places are taken one that
   stands alone drives out a member of a family. */
static int unite(const hik_loop *loop, double *x, double (*theta)[6], int count) {
  for (int i = 0; i < 6; i++)
    if (loop->kind[i] == TURN) x[i] = hik_wrap(x[i]);
  for (int j = 0; j < count; j++)
    if (alike(loop, x, theta[j])) return count;
  if (count < HIK_GENERAL6_MAX) {
    memcpy(theta[count++], x, sizeof(double) * 6);
    return count;
  }
  for (int j = 0; j < count && !singular(loop, x); j++)
    if (singular(loop, theta[j])) {
      memcpy(theta[j], x, sizeof(double) * 6);
      break;
    }
  return count;
}

/* Every solution stands alone: no family, whose other members nobody counts. */
static bool all_alone(const hik_loop *loop, double (*theta)[6], int count) {
  for (int k = 0; k < count; k++)
    if (singular(loop, theta[k])) return false;
  return true;
}

/* Polishes candidates on the loop and adds the new ones to theta[0..count). *clean turns false at a candidate that is
   no solution: a sign that the pencil has more null vectors than solutions, and so may hide some; or that two solutions
   share the hidden joint's value, and neither has an eigenvector of its own. */
static int gather(const hik_loop *loop, uint8_t far, hik_general6_found *found, double (*theta)[6], int count,
                  bool *clean) {
  *clean = found->pivot > 1e-7;
  for (int k = 0; k < found->count; k++) {
    double *x = found->theta[k], start[6];
    bool absurd = false;
    for (int i = 0; i < 6; i++)
      if (far >> i & 1) absurd = absurd || fabs(x[i]) > 0.01, x[i] *= FAR;
    if (absurd) continue;
    memcpy(start, x, sizeof start);
    if (!(hik_loop_polish(loop, x, 40) < HIK_REACHED)) {
      *clean = *clean && found->real != found->count && !found->near[k];
      continue;
    }
    *clean = *clean && hik_loop_distance(loop, start, x) < 1e-2;
    count = unite(loop, x, theta, count);
  }
  return count;
}

/* The loop with each link disturbed. */
static void disturbed_loop(const hik_loop *loop, const hik_pose *disturb, hik_loop *out) {
  *out = *loop;
  for (int i = 0; i < 6; i++) hik_pose_mul(&loop->g[i], &disturb[i], &out->g[i]);
}

enum { MOST_VARIANTS = 4 };
#define REGULAR 1e-12 /* pivots of a pencil on disturbed links that is not singular */

/* Two slides: the scan, then variants until one brings nothing new; that there is none takes all to say, and disturbed
   links too, where other pencils are singular. */
static int slides(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *w,
                  double (*theta)[6], bool *sure) {
  hik_loop other;
  bool clean;
  double start[HIK_SCAN_MAX][6];
  hik_general6_found found;
  int count = 0, starts = hik_slides_scan(loop, start);
  for (int k = 0; k < starts; k++)
    if (hik_loop_polish(loop, start[k], 40) < HIK_REACHED) count = unite(loop, start[k], theta, count);
  stretch(loop, plan->far, &other);
  for (int k = 0; k < plan->usable; k++) {
    int before = count;
    hik_general6_variant(&other, plan->rank[k], 3e-2, w, &found);
    count = gather(loop, plan->far, &found, theta, count, &clean);
    *sure = count > 0 && (k > 0 || starts > 0) && before == count && count % 2 == 0 &&
            all_alone(loop, theta, count);
    if (*sure) return count;
  }
  hik_loop plain = other;
  for (int k = 0; k < plan->usable && count == 0; k++) {
    disturbed_loop(&plain, plan->disturb[k % 2], &other);
    hik_general6_variant(&other, plan->rank[k], 3e-2, w, &found);
    count = gather(loop, plan->far, &found, theta, count, &clean);
  }
  *sure = count == 0;
  return count;
}

/* Every pencil of the arm is singular: its disturbed copies in turn, each by another variant, until one alone finds
   all that is known. One variant asked twice proves nothing: two postures of nearly the same hidden joint become a
   complex pair in both copies, and both lose them. That there is none takes all variants to say. */
static int disturbed(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *w,
                     double (*theta)[6], bool *sure) {
  double own[HIK_GENERAL6_MAX][6];
  hik_general6_found found;
  hik_loop other;
  bool clean;
  int count = 0;
  for (int k = 0, regular = 0; k < plan->usable && (k < MOST_VARIANTS || count == 0) && !*sure; k++) {
    disturbed_loop(loop, plan->disturb[k % 2], &other);
    hik_general6_variant(&other, plan->rank[k], 3e-2, w, &found);
    regular += found.pivot > REGULAR;
    int before = count, alone = gather(loop, 0, &found, own, 0, &clean);
    for (int i = 0; i < alone; i++) count = unite(loop, own[i], theta, count);
    if (regular < 2 || count % 2 != 0) continue;
    *sure = count > 0
                ? found.pivot > REGULAR && before == count && alone == count && all_alone(loop, theta, count)
                : k + 1 == plan->usable;
  }
  return count;
}

/* Where no variant is sure: good ones of both disturbed copies, united with what is known. */
static int unite_disturbed(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *w,
                           double (*theta)[6], int count) {
  hik_loop other;
  hik_general6_found found;
  bool clean;
  for (int k = 0; k < 2; k++) {
    disturbed_loop(loop, plan->disturb[k], &other);
    for (int v = 0; v < 2 && v < plan->usable; v++) {
      hik_general6_variant(&other, plan->rank[v], 3e-2, w, &found);
      bool regular = found.pivot > REGULAR;
      int before = count;
      count = gather(loop, 0, &found, theta, count, &clean);
      if (k == 1 && regular && before == count) return count;
      if (k == 0 && regular) break; /* one good one of each copy */
    }
  }
  return count;
}

int hik_general6_solve(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *w,
                       double (*theta)[6], bool *sure) {
  int count = 0;
  hik_general6_found found;
  *sure = false;
  bool clean;
  if (plan->far) return slides(loop, plan, w, theta, sure);
  if (plan->disturbed) return disturbed(loop, plan, w, theta, sure);
  for (int k = 0, none = 0; k < plan->usable && k < MOST_VARIANTS; k++) {
    hik_general6_variant(loop, plan->rank[k], 1e-3, w, &found);
    int before = count;
    count = gather(loop, 0, &found, theta, count, &clean);
    if (!clean || count != found.real || count % 2 != 0 || (count == 0 && found.count > 0)) continue;
    if (count == 0)
      *sure = ++none == 2; /* that there is none takes two to say */
    else
      *sure = (k == 0 || before == count) && all_alone(loop, theta, count);
    if (*sure) return count;
  }
  return unite_disturbed(loop, plan, w, theta, count);
}

int hik_general6_union(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *w,
                       double (*theta)[6], bool *sure) {
  double own[HIK_GENERAL6_MAX][6];
  hik_general6_found found;
  int count = 0, most = -1;
  uint8_t far = plan->far;
  bool clean;
  hik_loop plain, other;
  stretch(loop, far, &plain);
  for (int k = 0; k < 3; k++) {
    if (k > 0) disturbed_loop(&plain, plan->disturb[k - 1], &other);
    for (int v = 0; v < HIK_VARIANTS; v++) {
      if (!hik_general6_variant(k ? &other : &plain, v, k || far ? 3e-2 : 1e-3, w, &found)) continue;
      int alone = gather(loop, far, &found, own, 0, &clean);
      for (int i = 0; i < alone; i++) count = unite(loop, own[i], theta, count);
      if (found.pivot > REGULAR && alone > most) most = alone;
    }
  }
  *sure = count % 2 == 0 && most == count && all_alone(loop, theta, count);
  return count;
}

/* ---- once per arm ---- */

static double uniform(hik_rng *rng) { return 2 * hik_rng_uniform(rng) - 1; }

/* A loop that the arm closes at a random posture. */
static void random_loop(const hik_loop *arm, hik_rng *rng, hik_loop *out) {
  hik_pose at = hik_pose_identity, moved;
  *out = *arm;
  for (int i = 0; i < 6; i++) {
    hik_loop_move(arm->kind[i], arm->kind[i] == TURN ? HIK_PI * uniform(rng) : uniform(rng), &at, &moved);
    if (i < 5) hik_pose_mul(&moved, &arm->g[i], &at);
  }
  hik_pose_inverse(&moved, &out->g[5]);
}

enum { TRIALS = 8 };

/* What the trials of an arm tell of its variants. */
typedef struct merits {
  bool usable[HIK_VARIANTS];
  double found[HIK_VARIANTS]; /* solutions, all trials together */
  double least[HIK_VARIANTS]; /* pivot */
  double tidy[HIK_VARIANTS];  /* trials that passed every check */
  double known;               /* solutions that any variant found */
} merits;

/* Asks the variants for the solutions of one pose. Once half the trials are over what has found less than half of what is
   known is left out: it will not come near the best. */
static void try_variants(const hik_loop *loop, const hik_general6_plan *plan, const hik_pose *disturb,
                         bool late, hik_general6_work *w, merits *m) {
  double all[HIK_GENERAL6_MAX][6], own[HIK_GENERAL6_MAX][6];
  double nearly = disturb || plan->far ? 3e-2 : 1e-3;
  hik_general6_found found;
  hik_loop plain, other;
  int united = 0;
  stretch(loop, plan->far, &plain);
  if (disturb) disturbed_loop(&plain, disturb, &other);
  for (int v = 0; v < HIK_VARIANTS; v++) {
    bool clean;
    if (late && 2 * m->found[v] < m->known) continue;
    m->usable[v] = hik_general6_variant(disturb ? &other : &plain, v, nearly, w, &found);
    if (!m->usable[v]) continue;
    int alone = gather(loop, plan->far, &found, own, 0, &clean);
    m->found[v] += alone;
    m->least[v] = fmin(m->least[v], found.pivot);
    m->tidy[v] += clean && alone == found.real && alone % 2 == 0;
    for (int j = 0; j < alone; j++) united = unite(loop, own[j], all, united);
  }
  m->known += united;
}

/* Usable variants by what they found, then by how often they passed, then by their pivots. */
static void sort_variants(const merits *m, hik_general6_plan *plan) {
  double score[HIK_VARIANTS];
  plan->usable = 0;
  for (int v = 0; v < HIK_VARIANTS; v++) {
    if (!m->usable[v]) continue;
    double share = m->known > 0 ? m->found[v] / m->known : 0;
    score[v] = 1000 * share + 10 * m->tidy[v] / TRIALS + sqrt(sqrt(m->least[v]));
    int at = plan->usable++;
    for (; at > 0 && score[plan->rank[at - 1]] < score[v]; at--) plan->rank[at] = plan->rank[at - 1];
    plan->rank[at] = v;
  }
}

static void rank_variants(const hik_loop *arm, hik_general6_plan *plan, hik_general6_work *w,
                          const hik_pose *disturb) {
  merits m = {0};
  hik_loop loop;
  hik_rng rng = hik_rng_start(6, 1);
  for (int v = 0; v < HIK_VARIANTS; v++) m.least[v] = 1;
  for (int trial = 0; trial < TRIALS; trial++) {
    random_loop(arm, &rng, &loop);
    try_variants(&loop, plan, disturb, trial >= TRIALS / 2, w, &m);
  }
  sort_variants(&m, plan);
  int best = plan->rank[0];
  plan->disturbed = disturb != NULL || !(m.known > 0) || m.found[best] < m.known || m.tidy[best] < TRIALS - 1;
}

void hik_general6_prepare(const hik_loop *arm, hik_general6_plan *plan, hik_general6_work *w) {
  hik_rng rng = hik_rng_start(6, 2);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) {
      double turn[3], quat[4];
      for (int j = 0; j < 3; j++) turn[j] = 1e-7 * uniform(&rng);
      quat[0] = 1;
      for (int j = 0; j < 3; j++) quat[1 + j] = 0.5 * turn[j];
      hik_quat_to_mat(quat, plan->disturb[k][i].r);
      for (int j = 0; j < 3; j++) plan->disturb[k][i].t[j] = 1e-7 * uniform(&rng);
    }
  plan->far = 0;
  for (int i = 0, slide = 0; i < 6; i++)
    if (arm->kind[i] == SLIDE && slide++ > 0) plan->far |= (uint8_t)(1 << i);
  rank_variants(arm, plan, w, NULL);
  if (plan->disturbed && !plan->far) rank_variants(arm, plan, w, plan->disturb[0]);
}
