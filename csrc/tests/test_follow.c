/* test_follow.c: model/follow.c. */
#include "model/follow.h"

#include <stdlib.h>

#include "check.h"
#include "figures.h"

/* A row with a bone in general position and coefficients of about `size`. */
static void random_row(uint64_t seed, double size, double *row) {
  hik_rng rng = hik_rng_start(seed, 1);
  for (int i = 0; i < 3; i++) row[i] = hik_rng_uniform(&rng) - 0.5;
  hik_unit(row, row);
  for (int i = 0; i < HIK_FOLLOW_TERMS; i++) row[3 + i] = size * (2 * hik_rng_uniform(&rng) - 1);
}

static void random_quat(uint64_t draw, double *q) {
  hik_rng rng = hik_rng_start(5, draw);
  hik_rng_rotation(&rng, q);
}

/* The sum of the terms, one by one, in the order that handik.h gives. */
static double by_terms(const double *c, const double *d) {
  static const int power[HIK_FOLLOW_TERMS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                                 {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2},
                                                 {3, 0, 0}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 1, 1},
                                                 {1, 0, 2}, {0, 3, 0}, {0, 2, 1}, {0, 1, 2}, {0, 0, 3}};
  double sum = 0;
  for (int i = 0; i < HIK_FOLLOW_TERMS; i++) {
    double term = c[i];
    for (int k = 0; k < 3; k++)
      for (int n = 0; n < power[i][k]; n++) term *= d[k];
    sum += term;
  }
  return sum;
}

static void test_value_is_the_sum_of_the_terms(void) {
  double row[HIK_FOLLOW_ROW], q[4], r[9], d[3];
  for (uint64_t k = 0; k < 50; k++) {
    random_row(k, 1, row);
    random_quat(k, q);
    hik_quat_to_mat(q, r);
    hik_mat_vec(r, row, d);
    CHECK_NEAR(hik_follow_value(row, q), by_terms(row + 3, d), 1e-14);
  }
}

static void test_twist_and_the_length_of_the_quaternion_do_not_matter(void) {
  double row[HIK_FOLLOW_ROW], q[4], twist[4], turned[4], turn[3];
  for (uint64_t k = 0; k < 50; k++) {
    random_row(k, 1, row);
    random_quat(k, q);
    hik_scale3(0.3 * (double)k, row, turn);
    hik_quat_exp(turn, twist);
    hik_quat_mul(q, twist, turned);
    CHECK_NEAR(hik_follow_value(row, turned), hik_follow_value(row, q), 1e-13);
    for (int i = 0; i < 4; i++) turned[i] = -3e5 * q[i];
    CHECK_NEAR(hik_follow_value(row, turned), hik_follow_value(row, q), 1e-13);
  }
}

/* Also where the bone points opposite to its rest, and at rest. */
static void test_rates_are_differences(void) {
  double row[HIK_FOLLOW_ROW], q[4], rate[3], turn[4], to[4], back[4];
  for (uint64_t k = 0; k < 60; k++) {
    random_row(k, 1, row);
    random_quat(k, q);
    if (k == 0) memcpy(q, (double[4]){1, 0, 0, 0}, sizeof q);
    if (k == 1) { /* half a turn about an axis at right angles to the bone */
      double side[3] = {row[1], -row[0], 0};
      hik_unit(side, side);
      q[0] = 0, q[1] = side[0], q[2] = side[1], q[3] = side[2];
    }
    hik_follow_rates(row, q, rate);
    CHECK_NEAR(hik_dot(rate, row), 0, 1e-13); /* the twist moves nothing */
    for (int i = 0; i < 3; i++) {
      double by[3] = {0, 0, 0};
      by[i] = 1e-5;
      hik_quat_exp(by, turn);
      hik_quat_mul(q, turn, to);
      by[i] = -1e-5;
      hik_quat_exp(by, turn);
      hik_quat_mul(q, turn, back);
      CHECK_NEAR((hik_follow_value(row, to) - hik_follow_value(row, back)) / 2e-5, rate[i], 1e-8);
    }
  }
}

static void test_bend_is_the_second_difference(void) {
  double row[HIK_FOLLOW_ROW], q[4], turn[4], at[4], w[3];
  for (uint64_t k = 0; k < 40; k++) {
    hik_rng rng = hik_rng_start(9, k);
    random_row(k, 1, row);
    random_quat(k, q);
    for (int i = 0; i < 3; i++) w[i] = 2 * hik_rng_uniform(&rng) - 1;
    double value[3];
    for (int i = -1; i <= 1; i++) {
      double by[3];
      hik_scale3(1e-4 * i, w, by);
      hik_quat_exp(by, turn);
      hik_quat_mul(q, turn, at);
      value[i + 1] = hik_follow_value(row, at);
    }
    CHECK_NEAR((value[2] - 2 * value[1] + value[0]) * 1e8, hik_follow_bend(row, q, w), 2e-6);
  }
}

static void test_range_holds_every_value_and_is_near(void) {
  double row[HIK_FOLLOW_ROW], q[4], range[2];
  for (uint64_t k = 0; k < 20; k++) {
    double least = INFINITY, most = -INFINITY;
    random_row(k, 1, row);
    hik_follow_range(row, range);
    for (uint64_t i = 0; i < CHECK_REPEATS(4000, 400); i++) {
      random_quat(i, q);
      least = fmin(least, hik_follow_value(row, q)), most = fmax(most, hik_follow_value(row, q));
    }
    CHECK(range[0] < least && most < range[1]);
    CHECK(range[1] - range[0] < 1.5 * (most - least) || CHECK_REPEATS(0, 1));
  }
  memset(row + 3, 0, HIK_FOLLOW_TERMS * sizeof *row);
  row[3] = 0.7;
  hik_follow_range(row, range);
  CHECK_NEAR(range[0], 0.7, 1e-15);
  CHECK_NEAR(range[1], 0.7, 1e-15);
  row[3 + 12] = 1; /* x x z: its extremes lie between the places of the grid */
  hik_follow_range(row, range);
  CHECK(range[1] >= 0.7 + 2 / sqrt(27) && range[1] < 0.7 + 2 / sqrt(27) + 0.12);
}

/* A hinge; a slide and a hinge that follow; a ball; a hinge that follows below it. */
static hik_model *follower(double *swing) {
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_REVOLUTE);
  figure_joint(&f, 0, HIK_PRISMATIC);
  figure_joint(&f, 1, HIK_REVOLUTE);
  figure_joint(&f, 2, HIK_BALL);
  figure_joint(&f, 3, HIK_REVOLUTE);
  f.mimic[1] = f.mimic[2] = f.mimic[4] = 3;
  for (int j = 0; j < 5; j++) {
    double row[HIK_FOLLOW_ROW];
    random_row((uint64_t)j, 0.1, row);
    memcpy(swing + HIK_FOLLOW_TERMS * j, row + 3, HIK_FOLLOW_TERMS * sizeof *swing);
  }
  swing[0] = swing[3 * HIK_FOLLOW_TERMS] = NAN;
  f.def.mimic_swing = swing;
  hik_model *m = NULL;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  if (!m) printf("%s\n", error.text);
  return m;
}

static void test_model_has_no_coordinate_for_it(void) {
  double swing[5 * HIK_FOLLOW_TERMS];
  hik_model *m = follower(swing);
  if (!m) return;
  hik_sizes size = hik_model_sizes(m);
  CHECK(size.nq == 5 && size.nv == 4 && m->n_follow == 3);
  CHECK(m->joint_q[1] == 1 && m->joint_v[2] == 1 && m->joint_mimic[4] == 3 && m->step_follow[0] == -1);
  CHECK(hik_step_leader(m, 1) == 3 && hik_step_leader(m, 4) == 3);
  double q[5] = {0.3, 0.5, 0.5, -0.5, 0.5}, lone = hik_step_value(m, 1, q);
  q[0] = 1.2;
  CHECK(hik_step_value(m, 1, q) == lone);
  CHECK(m->step_limit[2] < lone && lone < m->step_limit[3]);
  double low = INFINITY;
  for (int s = 0; s < 5; s++) low = fmin(low, hik_norm(hik_step_place(m, s)->t));
  CHECK(size.reach > 4 * low && size.reach < 10);
  hik_model_free(m);
}

/* Poses are the product of the placements and of what each joint does; one row alone and in a batch has the same bytes. */
static void test_poses_and_jacobians(void) {
  double swing[5 * HIK_FOLLOW_TERMS], jac[6 * 4], ahead[16], behind[16], q[9 * 5], all[9 * 16], one[16];
  hik_model *m = follower(swing);
  if (!m) return;
  void *scratch = malloc(hik_scratch_size(m));
  if (!scratch) return;
  for (uint64_t k = 0; k < 9; k++) hik_random_q(m, 2, k, q + 5 * k);
  hik_frame(m, 4, 9, q, all, scratch);
  for (int k = 0; k < 9; k++) {
    hik_frame(m, 4, 1, q + 5 * k, one, scratch);
    CHECK(memcmp(one, all + 16 * k, sizeof one) == 0);
    hik_jacobian(m, 4, 1, q + 5 * k, jac, false, scratch);
    for (int i = 0; i < 4; i++) {
      double v[4] = {0, 0, 0, 0}, to[5];
      v[i] = 1e-6;
      hik_integrate(m, 1, q + 5 * k, v, to);
      hik_frame(m, 4, 1, to, ahead, scratch);
      v[i] = -1e-6;
      hik_integrate(m, 1, q + 5 * k, v, to);
      hik_frame(m, 4, 1, to, behind, scratch);
      for (int r = 0; r < 3; r++)
        CHECK_NEAR((ahead[4 * r + 3] - behind[4 * r + 3]) / 2e-6, jac[4 * r + i], 1e-8);
      /* skew part of ahead behind^T */
      for (int r = 0; r < 3; r++) {
        int a = (r + 2) % 3, b = (r + 1) % 3;
        double spin = 0;
        for (int c = 0; c < 3; c++)
          spin += ahead[4 * a + c] * behind[4 * b + c] - ahead[4 * b + c] * behind[4 * a + c];
        CHECK_NEAR(spin / 4e-6, jac[4 * (3 + r) + i], 1e-8);
      }
    }
  }
  free(scratch);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_value_is_the_sum_of_the_terms);
  RUN(test_twist_and_the_length_of_the_quaternion_do_not_matter);
  RUN(test_rates_are_differences);
  RUN(test_bend_is_the_second_difference);
  RUN(test_range_holds_every_value_and_is_near);
  RUN(test_model_has_no_coordinate_for_it);
  RUN(test_poses_and_jacobians);
  CHECK_END();
}
