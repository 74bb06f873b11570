/* test_arm_plan.c: arms in lanes: which have a plan, that the posture that made a pose is found and every posture given
   reaches it, the same bytes for any split and instruction set, and special poses left to the careful way; the nearest posture is the
   one that a search among all of them gives. */
#include "analytic/arm_plan.h"

#include "analytic/pieper.h"
#include "tests/arms.h"
#include "tests/check.h"

enum { POSES = 203, ROWS = 9 }; /* an odd number fills the last group in part */

#define Q (HIK_PI / 2)
static const double skew[3][6] = {
    {0.2, -0.1, 0.15, 0.4, 0, 0.1}, {0.3, 0.5, 0.2, 0, 0, 0.05}, {0.9, -0.5, 1.1, 1.2, -0.8, 0.3}};
static const double shoulder[3][6] = {
    {0, 0, 0.4, 0.1, 0.2, 0.1}, {0, 0, 0.3, 0.2, 0.1, 0}, {Q, -Q, 0.4, 1, 0.7, 0}};
static const double elbow[3][6] = {
    {0.3, 0.2, 0, 0, 0.4, 0.1}, {0.2, 0.3, 0, 0, 0.3, 0}, {1, 0.6, Q, -Q, 0.8, 0.2}};
static const double in_line[3][6] = {{0.3, 0.1, 0.2, 0.4, 0, 0.1}, {0, 0, 0, 0, 0, 0}, {0, 0, Q, Q, -Q, 0}};

typedef struct sample {
  hik_chain chain;
  hik_loop turned;
  hik_arm_plan plan;
  double rest[8];
  bool good;
} sample;

static hik_chain chain_of(const double (*dh)[6], double limit) {
  hik_chain c = {.n = 6, .base = hik_pose_identity, .scale = 1.25};
  c.base.t[0] = 0.1;
  for (int i = 0; i < 6; i++) {
    c.link[i] = dh_link(dh[0][i], dh[1][i], dh[2][i]);
    c.q[i] = i, c.line[i][0] = 1, c.lower[i] = -limit, c.upper[i] = limit;
  }
  return c;
}

/* The closed form of a chain, as hik_analytic_create finds it: `shift` joints on. */
static void prepare(sample *s, bool wrist, int shift) {
  hik_loop six = {.n = 6};
  memcpy(six.kind, s->chain.kind, sizeof six.kind);
  memcpy(six.g, s->chain.link, sizeof six.g);
  hik_loop_turn(&six, shift, false, &s->turned);
  hik_arm_class form = {wrist, shift, &s->turned, &six.g[5], 0, 0};
  if (wrist)
    CHECK(hik_wrist_test(&s->turned, 1e-9, &form.here, &form.there));
  else
    CHECK(hik_parallel_test(&s->turned, 1e-9));
  memset(s->rest, 0, sizeof s->rest);
  s->good = hik_arm_plan_make(&s->chain, &form, 6, ROWS, s->rest, &s->plan);
}

static void place(const hik_chain *c, const double *q, double *T) {
  hik_pose at = c->base, moved;
  for (int i = 0; i < 6; i++) {
    hik_loop_move(0, c->line[i][0] * q[i] + c->line[i][1], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  hik_scale3(c->scale, at.t, at.t);
  hik_pose_to_mat4(&at, T);
}

static void random_poses(const hik_chain *c, double *q, double *T) {
  hik_rng rng = hik_rng_start(41, 1);
  for (int k = 0; k < POSES; k++) {
    for (int i = 0; i < 6; i++)
      q[6 * k + i] = draw(&rng, fmax(c->lower[i], -HIK_PI), fmin(c->upper[i], HIK_PI));
    place(c, q + 6 * k, T + 16 * k);
  }
}

typedef struct answer {
  double q[POSES * ROWS * 6];
  int32_t count[POSES];
  uint8_t free[POSES * ROWS];
  bool sure[POSES];
} answer;

static void solve(const sample *s, const double *T, int64_t first, int64_t n, answer *a) {
  hik_arm_plan_solve(&s->plan, n, T + 16 * first, a->q + first * ROWS * 6, a->count + first,
                     a->free + first * ROWS, a->sure + first);
}

/* Postures reach, hold the one that made the pose, stand in order and inside the limits; NaN after them. */
static void check_answers(const sample *s, const double *q, const double *T, const answer *a) {
  int odd = 0;
  for (int k = 0; k < POSES; k++) {
    bool there = false;
    if (a->count[k] < 0) odd++;
    for (int j = 0; j < a->count[k]; j++) {
      const double *x = a->q + (k * ROWS + j) * 6;
      double S[16], far = 0, gap = 0;
      place(&s->chain, x, S);
      for (int i = 0; i < 16; i++) far = fmax(far, fabs(S[i] - T[16 * k + i]));
      for (int i = 0; i < 6; i++) gap = fmax(gap, fabs(hik_wrap(x[i] - q[6 * k + i])));
      for (int i = 0; i < 6; i++) CHECK(x[i] >= s->chain.lower[i] && x[i] <= s->chain.upper[i]);
      CHECK(far < 1e-10 && (j == 0 || x[0] >= x[-6] - 1e-9));
      there = there || gap < 1e-6;
    }
    CHECK(there || a->count[k] < 0);
    for (int i = 6 * a->count[k]; i < 6 * ROWS && a->count[k] >= 0; i++) CHECK(isnan(a->q[k * ROWS * 6 + i]));
    CHECK(a->sure[k] && a->free[k * ROWS] == 0);
  }
  CHECK(odd < POSES / 50);
}

static void try_arm(const double (*dh)[6], bool wrist, int shift, int32_t pair) {
  static double q[6 * POSES], T[16 * POSES];
  static answer whole, parts;
  static const char *const sets[] = {"base", "avx2", "avx512"};
  for (int limited = 0; limited < 3; limited++) {
    sample s = {.chain = chain_of(dh, limited == 1 ? 2 : 8)};
    if (limited == 2) s.chain.line[2][0] = -0.5, s.chain.line[2][1] = 0.3, s.chain.upper[4] = INFINITY;
    prepare(&s, wrist, shift);
    CHECK(s.good && s.plan.pair == pair);
    random_poses(&s.chain, q, T);
    CHECK(hik_simd_select("base"));
    solve(&s, T, 0, POSES, &whole);
    check_answers(&s, q, T, &whole);
    for (int set = 0; set < HIK_COUNT_OF(sets); set++) {
      if (!hik_simd_select(sets[set])) continue;
      for (int64_t step = 1; step < POSES; step = 3 * step + 2) {
        for (int64_t k = 0; k < POSES; k += step)
          solve(&s, T, k, k + step < POSES ? step : POSES - k, &parts);
        for (int k = 0; k < POSES; k++) {
          size_t size = whole.count[k] < 0 ? 0 : sizeof(double) * ROWS * 6;
          CHECK(parts.count[k] == whole.count[k] &&
                !memcmp(parts.q + k * ROWS * 6, whole.q + k * ROWS * 6, size));
        }
      }
    }
    hik_simd_select("auto");
  }
}

/* The coordinate that stands nearest to the start, whole turns apart from x and inside the limits. */
static double turned_near(const hik_chain *c, int i, double x, double start) {
  double period = 2 * HIK_PI / fabs(c->line[i][0]), best = NAN;
  for (int k = -9; k <= 9; k++) {
    double y = x + period * k;
    if (!(y >= c->lower[i] - 1e-12 && y <= c->upper[i] + 1e-12)) continue;
    if (!(fabs(best - start) <= fabs(y - start))) best = y;
  }
  return best;
}

/* `found` against a search among all postures; how many there are. */
static int check_nearest(const sample *s, const answer *all, const double *start, const double *q,
                         const hik_nearest_found *found) {
  int some = 0;
  for (int k = 0; k < POSES; k++) {
    double least = INFINITY, sum = INFINITY, gap = 0, best[6] = {0};
    if (all->count[k] < 0) continue;
    for (int j = 0; j < all->count[k]; j++) {
      double x[6], move = 0, square = 0;
      for (int i = 0; i < 6; i++) {
        x[i] = turned_near(&s->chain, i, all->q[(k * ROWS + j) * 6 + i], start[6 * k + i]);
        move = fmax(move, fabs(x[i] - start[6 * k + i]));
        square += (x[i] - start[6 * k + i]) * (x[i] - start[6 * k + i]);
      }
      if (move < least - 1e-9 || (move < least + 1e-9 && square < sum))
        least = move, sum = square, memcpy(best, x, sizeof best);
    }
    CHECK(found[k] == (all->count[k] > 0 ? HIK_NEAREST_FOUND : HIK_NEAREST_NONE));
    if (found[k] != HIK_NEAREST_FOUND) continue;
    for (int i = 0; i < 6; i++) gap = fmax(gap, fabs(best[i] - q[6 * k + i]));
    CHECK(gap < 1e-9);
    some++;
  }
  return some;
}

static void try_nearest(const double (*dh)[6], bool wrist, int shift) {
  static double made[6 * POSES], T[16 * POSES], start[6 * POSES], q[6 * POSES], again[6 * POSES];
  static hik_nearest_found found[POSES], found_again[POSES];
  static answer all;
  static const char *const sets[] = {"base", "avx2", "avx512"};
  for (int limited = 0; limited < 3; limited++) {
    sample s = {.chain = chain_of(dh, limited == 1 ? 2 : 8)};
    if (limited == 2) s.chain.line[2][0] = -0.5, s.chain.line[2][1] = 0.3, s.chain.upper[4] = INFINITY;
    prepare(&s, wrist, shift);
    random_poses(&s.chain, made, T);
    hik_rng rng = hik_rng_start(42, 1);
    for (int i = 0; i < 6 * POSES; i++)
      start[i] = draw(&rng, s.chain.lower[i % 6], fmin(s.chain.upper[i % 6], 20));
    CHECK(hik_simd_select("base"));
    solve(&s, T, 0, POSES, &all);
    memcpy(q, start, sizeof q);
    hik_arm_plan_nearest(&s.plan, POSES, T, q, found);
    CHECK(check_nearest(&s, &all, start, q, found) > POSES / 2);
    for (int set = 0; set < HIK_COUNT_OF(sets); set++) {
      if (!hik_simd_select(sets[set])) continue;
      for (int64_t step = 1; step < POSES; step = 3 * step + 2) {
        memcpy(again, start, sizeof again);
        for (int64_t k = 0; k < POSES; k += step)
          hik_arm_plan_nearest(&s.plan, k + step < POSES ? step : POSES - k, T + 16 * k, again + 6 * k,
                               found_again + k);
        for (int k = 0; k < POSES; k++)
          CHECK(found_again[k] == found[k] &&
                (found[k] != HIK_NEAREST_FOUND || !memcmp(again + 6 * k, q + 6 * k, 6 * sizeof *q)));
      }
    }
    hik_simd_select("auto");
  }
}

static void test_nearest(void) {
  try_nearest(arm_puma, true, 0);
  try_nearest(skew, true, 0);
  try_nearest(elbow, true, 5);
  try_nearest(arm_ur5, false, 1);
}

/* So far out that whole turns take digits: left to others. */
static void test_nearest_to_a_start_far_away(void) {
  sample s = {.chain = chain_of(arm_puma, INFINITY)};
  double made[6] = {1, 1, 1, 1, 1, 1}, T[16], q[6] = {1, 1, 1, 1, 1, 1};
  hik_nearest_found found;
  prepare(&s, true, 0);
  place(&s.chain, made, T);
  q[3] = 9e5;
  hik_arm_plan_nearest(&s.plan, 1, T, q, &found);
  CHECK(found == HIK_NEAREST_FOUND && fabs(q[3] - 9e5) < 4);
  q[3] = 1e7;
  hik_arm_plan_nearest(&s.plan, 1, T, q, &found);
  CHECK(found == HIK_NEAREST_LEFT);
}

static void test_three_axes_that_meet(void) {
  try_arm(arm_puma, true, 0, HIK_PAIR_SECOND);
  try_arm(arm_irb120, true, 0, HIK_PAIR_SECOND);
  try_arm(skew, true, 0, HIK_PAIR_QUARTIC);
  try_arm(shoulder, true, 3, HIK_PAIR_QUARTIC);
  try_arm(elbow, true, 5, HIK_PAIR_QUARTIC);
}

static void test_three_parallel_axes(void) { try_arm(arm_ur5, false, 1, HIK_PAIR_FIRST); }

/* Right angles, a stretched elbow, a wrist in line, and what is no pose. */
static void test_special_poses_are_left(void) {
  sample s = {.chain = chain_of(arm_puma, 4)};
  prepare(&s, true, 0);
  double T[16 * 6], q[6][6] = {{0.1, 0.2, 0.3, 0.4, 0, 0.6},   {Q, Q, 0, -Q, 0, 0},
                               {0.3, 0.1, 0, 0.2, 0.7, 0.4},   {0.2, 0.4, 0.7, 0.1, 0.3, 0.2},
                               {0.2, 0.4, 0.7, 0.1, 0.3, 0.2}, {1, 1, 1, 1, 1, 1}};
  q[2][2] = Q + atan2(0.0203, 0.4318);
  static answer a;
  for (int k = 0; k < 6; k++) place(&s.chain, q[k], T + 16 * k);
  T[16 * 3] = NAN, T[16 * 4 + 1] += 0.1;
  solve(&s, T, 0, 6, &a);
  for (int k = 0; k < 5; k++) CHECK(a.count[k] == -1);
  CHECK(a.count[5] == 8);
}

static void test_rotations_written_roughly(void) {
  static double q[6 * POSES], T[16 * POSES], rough[16 * POSES];
  static answer a, b;
  sample s = {.chain = chain_of(arm_puma, 4)};
  hik_rng rng = hik_rng_start(41, 2);
  prepare(&s, true, 0);
  random_poses(&s.chain, q, T);
  for (int i = 0; i < 16 * POSES; i++)
    rough[i] = T[i] + (i % 4 == 3 || i % 16 > 11 ? 0 : draw(&rng, -1e-7, 1e-7));
  solve(&s, T, 0, POSES, &a);
  solve(&s, rough, 0, POSES, &b);
  for (int k = 0; k < POSES; k++) {
    if (a.count[k] < 8 || b.count[k] < 8) continue;
    double S[16], r[9];
    place(&s.chain, b.q + k * ROWS * 6, S);
    for (int i = 0; i < 9; i++) r[i] = S[4 * (i / 3) + i % 3] - T[16 * k + 4 * (i / 3) + i % 3];
    for (int i = 0; i < 9; i++) CHECK(fabs(r[i]) < 4e-7);
  }
}

static void test_arms_without_a_plan(void) {
  sample slide = {.chain = chain_of(arm_puma, 4)};
  slide.chain.kind[1] = 1;
  prepare(&slide, true, 0);
  CHECK(!slide.good);
  sample straight = {.chain = chain_of(in_line, 4)}; /* two axes in one line: every pose is singular */
  prepare(&straight, true, 0);
  CHECK(!straight.good);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_three_axes_that_meet);
  RUN(test_three_parallel_axes);
  RUN(test_nearest);
  RUN(test_nearest_to_a_start_far_away);
  RUN(test_special_poses_are_left);
  RUN(test_rotations_written_roughly);
  RUN(test_arms_without_a_plan);
  CHECK_END();
}
