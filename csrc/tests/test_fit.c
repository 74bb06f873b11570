#include "base/rng.h"
#include "check.h"
#include "solve/points/fit.h"

static double uniform(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

static double gain(double c, double s, double angle) {
  double sine, cosine;
  hik_sincos(angle, &sine, &cosine);
  return c * cosine + s * sine;
}

/* Against 2,000 angles between the limits. */
static void one_turn_is_the_best_inside(void) {
  hik_rng rng = hik_rng_start(1, 1);
  for (int i = 0; i < 300; i++) {
    double c = uniform(&rng, -1, 1), s = uniform(&rng, -1, 1), low = uniform(&rng, -7, 6);
    double high = low + uniform(&rng, 0, 4), best = -9;
    double q = hik_best_turn(c, s, low, high, uniform(&rng, low, high));
    CHECK(q >= low && q <= high);
    for (int k = 0; k <= 2000; k++) best = fmax(best, gain(c, s, low + (high - low) * k / 2000));
    CHECK(gain(c, s, q) >= best - 1e-12);
  }
}

static void one_turn_stays_near_the_old_angle(void) {
  CHECK_NEAR(hik_best_turn(1, 0, -INFINITY, INFINITY, 6), HIK_TWO_PI, 1e-12);
  CHECK_NEAR(hik_best_turn(1, 0, -10, 10, -5), -HIK_TWO_PI, 1e-12);
  CHECK(hik_best_turn(0, 0, -1, 1, 0.3) == 0.3);
  CHECK(hik_best_turn(0, 0, -1, 1, 3) == 1);
}

/* The direction form says what the angle form says, near the ends and where they coincide too. */
static void directions_agree_with_angles(void) {
  hik_rng rng = hik_rng_start(5, 1);
  for (int i = 0; i < 3000; i++) {
    double c = uniform(&rng, -1, 1), s = uniform(&rng, -1, 1), low = uniform(&rng, -3, 3);
    double high = low + (i % 7 == 0 ? 0 : uniform(&rng, 0, 7)), old = uniform(&rng, low, high), arm[2];
    hik_range range;
    hik_range_set(low, high, &range);
    CHECK(range.whole == !(high - low < HIK_TWO_PI));
    hik_sincos(old, arm + 1, arm);
    hik_best_arm(c, s, &range, arm);
    double q = hik_best_turn(arm[0], arm[1], low, high, old), back[2];
    CHECK(q >= low && q <= high);
    CHECK_NEAR(gain(c, s, q), gain(c, s, hik_best_turn(c, s, low, high, old)), 1e-12);
    hik_sincos(q, back + 1, back);
    CHECK_NEAR(back[0], arm[0], 1e-14);
    CHECK_NEAR(back[1], arm[1], 1e-14);
    double kept[2] = {arm[0], arm[1]};
    hik_best_arm(0, 0, &range, arm);
    CHECK(arm[0] == kept[0] && arm[1] == kept[1]);
  }
  hik_range open;
  hik_range_set(-INFINITY, INFINITY, &open);
  double arm[2] = {0, 1};
  CHECK(open.whole);
  CHECK_NEAR(hik_best_turn(arm[0], arm[1], -INFINITY, INFINITY, 20), 0.5 * HIK_PI + 6 * HIK_PI, 1e-12);
}

/* A turn that is held has the range of its one value. */
static void one_value_is_a_range(void) {
  hik_rng rng = hik_rng_start(5, 2);
  for (int i = 0; i < 1000; i++) {
    double value = uniform(&rng, -10, 10);
    hik_range range, held;
    hik_range_set(value, value, &range);
    hik_range_hold(value, &held);
    CHECK(held.half == range.half && held.whole == range.whole);
    for (int k = 0; k < 2; k++)
      CHECK(held.mid[k] == range.mid[k] && held.low[k] == range.low[k] && held.high[k] == range.high[k]);
  }
}

static void random_rotation(hik_rng *rng, double *r) {
  double q[4];
  hik_rng_rotation(rng, q);
  hik_quat_to_mat(q, r);
}

static double trace_of(const double *j, const double *b) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += j[i] * b[i];
  return sum;
}

static void turns_of(int count, const double *const between[], double (*arm)[2], double *j) {
  double t[9];
  hik_mat_turn_z(hik_pose_identity.r, arm[0][0], arm[0][1], j);
  for (int k = 1; k < count; k++) {
    hik_mat_mul(j, between[k - 1], t);
    hik_mat_turn_z(t, arm[k][0], arm[k][1], j);
  }
}

static void three_turns(const double *const between[], const double *q, double *j) {
  double arm[3][2];
  for (int k = 0; k < 3; k++) hik_sincos(q[k], arm[k] + 1, arm[k]);
  turns_of(3, between, arm, j);
}

/* The gain with turn k at cosine c and sine s. */
static double gain_at(int count, const double *const between[], double (*arm)[2], int k, double c, double s,
                      const double *b) {
  double other[3][2], j[9];
  memcpy(other, arm, (size_t)count * sizeof *other);
  other[k][0] = c, other[k][1] = s;
  turns_of(count, between, other, j);
  return trace_of(j, b);
}

/* Two and three turns against coordinate ascent that multiplies the matrices out for each of them. */
static void several_turns_climb_as_matrices_do(void) {
  hik_rng rng = hik_rng_start(7, 1);
  for (int i = 0; i < 400; i++) {
    int count = 2 + i % 2;
    double place[2][9], b[9], arm[3][2], slow[3][2];
    const double *between[2] = {place[0], place[1]};
    hik_range range[3];
    for (int k = 0; k < 2; k++) random_rotation(&rng, place[k]);
    for (int k = 0; k < 9; k++) b[k] = uniform(&rng, -1, 1);
    for (int k = 0; k < count; k++) {
      double low = uniform(&rng, -3, 0), high = low + uniform(&rng, 0.1, 7), q = uniform(&rng, low, high);
      hik_range_set(low, high, range + k);
      hik_sincos(q, arm[k] + 1, arm[k]);
    }
    memcpy(slow, arm, sizeof slow);
    bool moved = true;
    for (int sweep = 0; sweep < HIK_FIT_SWEEPS && moved; sweep++) {
      moved = false;
      for (int k = 0; k < count; k++) {
        double old[2] = {slow[k][0], slow[k][1]}, g[4];
        for (int a = 0; a < 4; a++)
          g[a] = gain_at(count, between, slow, k, (a == 0) - (a == 1), (a == 2) - (a == 3), b);
        hik_best_arm(0.5 * (g[0] - g[1]), 0.5 * (g[2] - g[3]), range + k, slow[k]);
        moved = moved || fabs(slow[k][0] - old[0]) > 1e-7 || fabs(slow[k][1] - old[1]) > 1e-7;
      }
    }
    hik_fit_turns(b, count, between, range, arm);
    for (int k = 0; k < count; k++) {
      CHECK_NEAR(arm[k][0], slow[k][0], 1e-9);
      CHECK_NEAR(arm[k][1], slow[k][1], 1e-9);
    }
  }
}

/* Coordinate ascent never loses, never leaves the limits, and finds a rotation the turns can make. */
static void several_turns_climb(void) {
  hik_rng rng = hik_rng_start(2, 1);
  const double x_up[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}, y_up[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
  const double *between[2] = {x_up, y_up};
  for (int i = 0; i < 300; i++) {
    double limit[6] = {-1, 1, -1, 1, -1, 1}, made[3], q[3], b[9], j[9];
    double arm[3][2];
    hik_range range[3];
    for (int k = 0; k < 3; k++) {
      made[k] = uniform(&rng, -1, 1), q[k] = uniform(&rng, -1, 1);
      hik_range_set(limit[2 * k], limit[2 * k + 1], range + k);
      hik_sincos(q[k], arm[k] + 1, arm[k]);
    }
    three_turns(between, made, b);
    three_turns(between, q, j);
    double before = trace_of(j, b);
    for (int round = 0; round < 30; round++) {
      hik_fit_turns(b, 3, between, range, arm);
      for (int k = 0; k < 3; k++)
        q[k] = hik_best_turn(arm[k][0], arm[k][1], limit[2 * k], limit[2 * k + 1], q[k]);
      three_turns(between, q, j);
      CHECK(trace_of(j, b) >= before - 1e-12);
      before = trace_of(j, b);
      for (int k = 0; k < 3; k++) CHECK(q[k] >= -1 && q[k] <= 1);
    }
    CHECK_NEAR(before, 3, 1e-6);
  }
}

/* Against 200 rotations near the answer and 200 anywhere. */
static void ball_is_the_best_rotation(void) {
  hik_rng rng = hik_rng_start(3, 1);
  for (int i = 0; i < 200; i++) {
    double b[9], j[9], jj[9], r[9], near[9];
    for (int k = 0; k < 9; k++) b[k] = uniform(&rng, -1, 1);
    hik_fit_ball(b, hik_pose_identity.r, j);
    hik_mat_tmul(j, j, jj);
    for (int k = 0; k < 9; k++) CHECK_NEAR(jj[k], k % 4 == 0, 1e-8);
    for (int k = 0; k < 400; k++) {
      double v[3], quat[4];
      for (int a = 0; a < 3; a++) v[a] = uniform(&rng, -0.1, 0.1);
      hik_quat_exp(v, quat);
      hik_quat_to_mat(quat, r);
      hik_mat_mul(j, r, near);
      if (k % 2) random_rotation(&rng, near);
      CHECK(trace_of(near, b) <= trace_of(j, b) + 1e-5);
    }
  }
}

/* A bound that is no less than the gain changes nothing but the number of steps. */
static void ball_from_a_nearer_start(void) {
  hik_rng rng = hik_rng_start(6, 1);
  for (int i = 0; i < 200; i++) {
    double r[9], y[3], b[9] = {0}, near[9], far[9], bound = 0;
    for (int k = 0; k < 3; k++) {
      double x[3] = {uniform(&rng, -1, 1), uniform(&rng, -1, 1), uniform(&rng, -1, 1)},
             w = uniform(&rng, 0.1, 2);
      if (hik_unit(x, x) == 0) continue;
      random_rotation(&rng, r);
      hik_mat_vec(r, x, y);
      hik_add_pair(b, w, y, x);
      bound += w;
    }
    hik_fit_ball(b, hik_pose_identity.r, far);
    hik_fit_ball_below(b, bound, hik_pose_identity.r, near);
    for (int k = 0; k < 9; k++) CHECK_NEAR(near[k], far[k], 1e-6);
    CHECK(trace_of(near, b) <= bound + 1e-9);
  }
}

static void ball_with_one_pair_turns_it(void) {
  hik_rng rng = hik_rng_start(4, 1);
  for (int i = 0; i < 200; i++) {
    double r[9], old[9], b[9] = {0}, j[9], y[3], x[3] = {1, 0, 0};
    random_rotation(&rng, r);
    random_rotation(&rng, old);
    hik_mat_column(r, 1, y);
    hik_add_pair(b, 2, y, x);
    hik_fit_ball(b, old, j);
    hik_mat_vec(j, x, x);
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], y[k], 1e-5);
  }
  double b[9] = {0}, j[9];
  hik_fit_ball(b, hik_pose_identity.r, j);
  CHECK(memcmp(j, hik_pose_identity.r, sizeof j) == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(one_turn_is_the_best_inside);
  RUN(one_turn_stays_near_the_old_angle);
  RUN(directions_agree_with_angles);
  RUN(one_value_is_a_range);
  RUN(several_turns_climb);
  RUN(several_turns_climb_as_matrices_do);
  RUN(ball_is_the_best_rotation);
  RUN(ball_with_one_pair_turns_it);
  RUN(ball_from_a_nearer_start);
  CHECK_END();
}
