/* test_nearest.c: analytic/nearest.c: of all postures the nearest to a start, where the lanes leave a pose too; what is left
   to others, and then as it was; against a search among the postures of the object itself. */
#include "analytic/arm.h"
#include "dh_figures.h"

enum { MANY = CHECK_REPEATS(60, 20) };
static const double Q = HIK_PI / 2;

typedef struct arm {
  hik_model *m;
  hik_analytic *a;
  void *scratch;
} arm;

/* The first `joints` turn. */
static arm begin_short(const double (*dh)[6], double limit, int joints) {
  arm s = {.m = dh_model(dh, limit, 0)};
  for (int i = joints; i < 6; i++) s.m->lower[i] = s.m->upper[i] = s.m->rest[i] = 0;
  CHECK(hik_analytic_create(s.m, 0, HIK_TASK_POSE, -1, false, &s.a, NULL) == HIK_OK);
  CHECK(hik_analytic_has_nearest(s.a));
  s.scratch = hik_allocate(hik_analytic_scratch_size(s.a));
  return s;
}

static arm begin(const double (*dh)[6], double limit) { return begin_short(dh, limit, 6); }

static void end(arm *s) {
  hik_release(s->scratch);
  hik_analytic_free(s->a);
  hik_model_free(s->m);
}

static void pose_of(const arm *s, const double *q, double *T) {
  double place[7];
  hik_pose pose;
  target_of(s->m, q, true, place);
  hik_copy3(place, pose.t);
  hik_quat_to_mat(place + 3, pose.r);
  hik_pose_to_mat4(&pose, T);
}

/* The coordinate whole turns apart from x that stands nearest to the start, inside +-limit. */
static double turned(double x, double start, double limit) {
  double best = NAN;
  for (int k = -4; k <= 4; k++) {
    double y = x + 2 * HIK_PI * k;
    if (fabs(y) <= limit + 1e-12 && !(fabs(best - start) <= fabs(y - start))) best = y;
  }
  return best;
}

static void check_nearest(const arm *s, const double *T, const double *start, double limit, const double *q) {
  double rows[HIK_ANALYTIC_MOST * 6], least = INFINITY, sum = INFINITY, best[6] = {0}, gap = 0;
  int32_t count;
  uint8_t bits[HIK_ANALYTIC_MOST];
  bool sure;
  hik_analytic_solve(s->a, 1, T, NULL, rows, &count, bits, &sure, s->scratch);
  for (int j = 0; j < count; j++) {
    double x[6], most = 0, square = 0;
    for (int i = 0; i < 6; i++) {
      x[i] = turned(rows[6 * j + i], start[i], limit);
      most = fmax(most, fabs(x[i] - start[i])), square += (x[i] - start[i]) * (x[i] - start[i]);
    }
    if (most < least - 1e-9 || (most < least + 1e-9 && square < sum))
      least = most, sum = square, memcpy(best, x, sizeof best);
  }
  for (int i = 0; i < 6; i++) gap = fmax(gap, fabs(best[i] - q[i]));
  CHECK(count > 0 && gap < 1e-7);
}

/* A wrist bent by 1e-5: the lanes leave it. */
static void test_what_the_lanes_leave(void) {
  static const double limits[] = {2.9, 8};
  for (int wide = 0; wide < 2; wide++) {
    double limit = limits[wide];
    arm s = begin(arm_puma, limit);
    for (int k = 0; k < MANY; k++) {
      double made[6], start[6], q[6], T[16];
      hik_nearest_found found;
      hik_random_q(s.m, 1, (uint64_t)k, made);
      hik_random_q(s.m, 2, (uint64_t)k, start);
      made[4] = k % 2 ? 1e-5 : -1e-5;
      pose_of(&s, made, T);
      memcpy(q, start, sizeof q);
      hik_arm_plan_nearest(&s.a->plan, 1, T, q, &found);
      CHECK(found == HIK_NEAREST_LEFT && memcmp(q, start, sizeof q) == 0);
      hik_analytic_nearest(s.a, 1, T, q, &found, s.scratch);
      CHECK(found == HIK_NEAREST_FOUND);
      check_nearest(&s, T, start, limit, q);
    }
    end(&s);
  }
}

/* Straight tools: both unknowns of the pair come apart, which is no special case. */
static void test_a_tool_that_points_down(void) {
  arm s = begin(arm_ur5, 8);
  for (int k = 0; k < MANY; k++) {
    double made[6], start[6], q[6], T[16];
    hik_nearest_found found;
    hik_random_q(s.m, 3, (uint64_t)k, made);
    hik_random_q(s.m, 4, (uint64_t)k, start);
    made[4] = -Q;
    made[3] = -Q - made[1] - made[2];
    while (fabs(made[3]) > HIK_PI) made[3] -= copysign(2 * HIK_PI, made[3]);
    pose_of(&s, made, T);
    memcpy(q, start, sizeof q);
    hik_arm_plan_nearest(&s.a->plan, 1, T, q, &found);
    CHECK(found == HIK_NEAREST_FOUND);
    check_nearest(&s, T, start, 8, q);
  }
  end(&s);
}

/* A start beyond the limits by several turns: the answer is inside them, reaches the pose and is the nearest still. */
static void test_a_start_outside(void) {
  static const double limits[] = {2.9, 8};
  for (int k = 0; k < 4 * MANY; k++) {
    double limit = limits[k % 2], made[6], start[6], q[6], T[16];
    arm s = begin(arm_puma, limit);
    hik_nearest_found found;
    hik_random_q(s.m, 5, (uint64_t)k, made);
    hik_random_q(s.m, 6, (uint64_t)k, start);
    if (k % 4 < 2) made[4] = 1e-5; /* what the lanes leave */
    for (int i = k / 4 % 2; i < 6; i += 2) start[i] *= 10;
    pose_of(&s, made, T);
    memcpy(q, start, sizeof q);
    hik_analytic_nearest(s.a, 1, T, q, &found, s.scratch);
    CHECK(found == HIK_NEAREST_FOUND);
    for (int i = 0; i < 6; i++) CHECK(fabs(q[i]) <= limit);
    check_nearest(&s, T, start, limit, q);
    end(&s);
  }
}

static void test_what_is_left_to_others(void) {
  arm s = begin(arm_puma, INFINITY);
  double made[6] = {0.3, 0.2, 0.1, 0.4, 0, 0.5}, T[16], q[6] = {0, 0.1, 0.2, 0.3, 0.4, 0.5}, start[6];
  hik_nearest_found found;
  memcpy(start, q, sizeof q);
  pose_of(&s, made, T); /* two axes in line: a family */
  hik_analytic_nearest(s.a, 1, T, q, &found, s.scratch);
  CHECK(found == HIK_NEAREST_LEFT && memcmp(q, start, sizeof q) == 0);
  made[4] = 1e-5;
  pose_of(&s, made, T);
  q[3] = start[3] = 2e6; /* so far out that whole turns take digits */
  hik_analytic_nearest(s.a, 1, T, q, &found, s.scratch);
  CHECK(found == HIK_NEAREST_LEFT && memcmp(q, start, sizeof q) == 0);
  q[3] = start[3] = 0;
  T[3] = NAN;
  hik_analytic_nearest(s.a, 1, T, q, &found, s.scratch);
  CHECK(found == HIK_NEAREST_NONE && memcmp(q, start, sizeof q) == 0);
  T[3] = 9;
  hik_analytic_nearest(s.a, 1, T, q, &found, s.scratch);
  CHECK(found == HIK_NEAREST_NONE);
  end(&s);
}

/* About an axis that is no joint's. */
static void turn_askew(double angle, double *T) {
  static const double axis[3] = {0.48, 0.6, 0.64};
  double sine, cosine, r[9], at[3];
  hik_sincos(angle, &sine, &cosine);
  hik_mat_axis(axis, cosine, sine, r);
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 3; i++) at[i] = T[4 * i + j];
    hik_mat_vec(r, at, at);
    for (int i = 0; i < 3; i++) T[4 * i + j] = at[i];
  }
  T[3] += angle;
}

/* Four and five turns: most poses go through the lanes, to what the careful way finds; what is not theirs stays. */
static void test_short_arms(void) {
  for (int kind = 0; kind < 4; kind++) {
    int joints = 4 + kind % 2, left = 0;
    arm s = begin_short(kind < 2 ? arm_ur5 : arm_puma, 2.9, joints);
    CHECK(s.a->has_plan && s.a->plan.joints == joints);
    for (int k = 0; k < MANY; k++) {
      double made[6], start[6], q[6], careful[6], T[16], gap = 0;
      hik_nearest_found found, other;
      hik_random_q(s.m, 7, (uint64_t)k, made);
      hik_random_q(s.m, 8, (uint64_t)k, start);
      pose_of(&s, made, T);
      for (int i = joints; i < 6; i++) start[i] = 7;
      memcpy(q, start, sizeof q), memcpy(careful, start, sizeof q);
      hik_arm_plan_nearest(&s.a->plan, 1, T, q, &found);
      s.a->has_plan = false;
      hik_analytic_nearest(s.a, 1, T, careful, &other, s.scratch);
      s.a->has_plan = true;
      left += found == HIK_NEAREST_LEFT;
      if (found == HIK_NEAREST_LEFT) memcpy(q, careful, sizeof q), found = other;
      for (int i = 0; i < 6; i++) gap = fmax(gap, fabs(q[i] - careful[i]));
      CHECK(found == other && gap < 1e-9);
      for (int i = joints; i < 6; i++) CHECK(q[i] == 7);
      /* turned out of what its joints can do, or nearly there: no posture of the lanes' */
      turn_askew(k % 2 ? 1e-3 : 1e-9, T);
      hik_arm_plan_nearest(&s.a->plan, 1, T, q, &found);
      CHECK(found != HIK_NEAREST_FOUND);
    }
    CHECK(left < MANY / 2);
    end(&s);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_what_the_lanes_leave);
  RUN(test_a_tool_that_points_down);
  RUN(test_a_start_outside);
  RUN(test_what_is_left_to_others);
  RUN(test_short_arms);
  CHECK_END();
}
