#include "access/reach_table.h"
#include "access_figures.h"

static hik_reach *trunk(access_figure *a, hik_model **m) {
  hik_reach *r = NULL;
  hik_error error;
  *m = access_arm(a);
  CHECK(hik_reach_create(*m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
  CHECK(r->n == 2 && r->variables == 2 && r->tail.set && !r->tail.arm);
  return r;
}

/* Where the hand is as the trunk sees it: the first two hinges at zero, whose frames lie 0.1 m along x. */
static void of_the_trunk(const hik_model *m, uint64_t i, double out[3]) {
  double q[16];
  hik_random_q(m, 21, i, q);
  q[0] = q[1] = 0;
  access_tip(m, ACCESS_JOINTS - 1, q, out);
  out[0] -= 0.1;
}

static void test_no_posture_gets_farther(void) {
  access_figure a;
  hik_model *m;
  hik_reach *r = trunk(&a, &m);
  hik_pose at; /* the moved frame of the second hinge, whose z is its axis */
  hik_pose_mul(&r->element[0].place, &r->element[1].place, &at);
  for (int k = 0; k < 8; k++) {
    double d[3] = {k & 1 ? 1 : -0.8, k & 2 ? 0.7 : -0.9, k & 4 ? 0.5 : -1.1}, in[3], point[3], x[3],
           best = -1;
    hik_mat_tvec(at.r, d, in);
    double table = hik_reach_table_support(r->tail.set, HIK_TABLE_FINE, in, point);
    double alone = hik_reach_farthest(hik_reach_table_chain(r->tail.set), in, 1e-3, 100000);
    CHECK_NEAR(hik_dot(point, in), table, 1e-9);
    for (int i = 0; i < CHECK_REPEATS(60000, 2000); i++) {
      of_the_trunk(m, (uint64_t)i, x);
      best = fmax(best, hik_dot(d, x));
    }
    CHECK(best <= table + 1e-9 && best <= alone + 1e-9);
    CHECK(table - alone < 0.01 && table - alone > -0.004);
    CHECK(CHECK_REPEATS(table - best < 0.1, true));
    CHECK_NEAR(hik_reach_table_support(r->tail.set, HIK_TABLE_FINE,
                                       (double[3]){2 * in[0], 2 * in[1], 2 * in[2]}, point),
               2 * table, 1e-9);
  }
  double none[3];
  CHECK(hik_reach_table_support(r->tail.set, HIK_TABLE_FINE, (double[3]){0, 0, 0}, none) == 0);
  hik_reach_free(r), hik_model_free(m);
}

/* Coarser tables are no tighter but for what their nodes may be too large by, and none is below what single searches find. */
static void test_coarser_tables_claim_less(void) {
  access_figure a;
  hik_model *m;
  hik_reach *r = trunk(&a, &m);
  const hik_reach *arm = hik_reach_table_chain(r->tail.set);
  hik_rng rng = hik_rng_start(3, 0);
  double sum[3] = {0, 0, 0};
  for (int k = 0; k < CHECK_REPEATS(200, 20); k++) {
    double d[3], point[3];
    for (int i = 0; i < 3; i++) d[i] = 2 * hik_rng_uniform(&rng) - 1;
    if (!(hik_unit(d, d) > 0.1)) continue;
    double alone = hik_reach_farthest(arm, d, 1e-4, 100000) - 1e-4;
    for (int level = HIK_TABLE_COARSE; level <= HIK_TABLE_FINE; level++) {
      double table = hik_reach_table_support(r->tail.set, level, d, point);
      CHECK(table >= alone - 1e-9);
      CHECK_NEAR(hik_dot(point, d), table, 1e-9);
      sum[level] += table - alone;
    }
  }
  CHECK(sum[0] > sum[1] && sum[1] > sum[2] && sum[2] > 0);
  /* what two faces share is one node */
  for (int level = HIK_TABLE_COARSE; level <= HIK_TABLE_FINE; level++)
    for (int k = 0; k < 12; k++) {
      double side = k & 1 ? 1 : -1, other = k & 2 ? 1 : -1, d[3], e[3], point[3];
      int i = k / 4;
      d[i] = side, d[(i + 1) % 3] = other * (1 - 1e-12), d[(i + 2) % 3] = 0.3;
      e[i] = side * (1 - 1e-12), e[(i + 1) % 3] = other, e[(i + 2) % 3] = 0.3;
      CHECK_NEAR(hik_reach_table_support(r->tail.set, level, d, point),
                 hik_reach_table_support(r->tail.set, level, e, point), 1e-9);
    }
  hik_reach_free(r), hik_model_free(m);
}

/* A set that is turned: no turn of it gets farther, and the bound is near what the farthest turn gets; whole and in parts. */
static void test_a_set_that_is_turned(void) {
  access_figure a;
  hik_model *m;
  hik_reach *r = trunk(&a, &m);
  const hik_reach_table *set = r->tail.set;
  hik_rng rng = hik_rng_start(4, 0);
  double loose = 0;
  for (int k = 0; k < CHECK_REPEATS(300, 20); k++) {
    double d[3], point[3], p[3], best = -1, middle = 6 * hik_rng_uniform(&rng) - 3;
    double half = k % 3 == 0 ? HIK_PI : k % 3 == 1 ? 1.2 * hik_rng_uniform(&rng) : 0;
    for (int i = 0; i < 3; i++) d[i] = 2 * hik_rng_uniform(&rng) - 1;
    if (!(hik_unit(d, d) > 0.1)) continue;
    double swept = hik_reach_table_swept(set, HIK_TABLE_FINE, middle, half, d, point);
    CHECK_NEAR(hik_dot(point, d), swept, 1e-9);
    for (int j = 0; j <= 400; j++) {
      double s, c, angle = middle + half * (j / 200.0 - 1);
      hik_sincos(angle, &s, &c);
      const double seen[3] = {c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]};
      best = fmax(best, hik_reach_table_support(set, HIK_TABLE_FINE, seen, p));
    }
    CHECK(swept >= best - 1e-9);
    loose = fmax(loose, swept - best);
    if (half == 0) CHECK_NEAR(swept, best, 1e-9);
  }
  CHECK(loose < 2e-3 && CHECK_REPEATS(loose > 1e-5, true));
  hik_reach_table *turned = hik_reach_table_turned(set, 0.3, 0.7);
  for (int k = 0; k < CHECK_REPEATS(100, 10); k++) {
    double d[3], p[3];
    for (int i = 0; i < 3; i++) d[i] = 2 * hik_rng_uniform(&rng) - 1;
    if (!(hik_unit(d, d) > 0.1)) continue;
    for (int level = HIK_TABLE_COARSE; level <= HIK_TABLE_FINE; level++) {
      double whole = hik_reach_table_support(turned, level, d, p);
      CHECK_NEAR(hik_dot(p, d), whole, 1e-9);
      for (int j = -1; j <= 1; j++) { /* against searches that know no table */
        double s, c;
        hik_sincos(0.3 + 0.7 * j, &s, &c);
        const double seen[3] = {c * d[0] + s * d[1], c * d[1] - s * d[0], d[2]};
        CHECK(whole >= hik_reach_farthest(hik_reach_table_chain(set), seen, 1e-4, 100000) - 1e-4);
      }
    }
  }
  hik_reach_table_free(turned);
  hik_reach_free(r), hik_model_free(m);
}

/* A budget that does not do gives the bound of what is left, never the best so far. */
static void test_a_spent_budget_claims_nothing(void) {
  access_figure a;
  hik_model *m;
  hik_reach *r = trunk(&a, &m);
  const hik_reach *arm = hik_reach_table_chain(r->tail.set);
  const double d[3] = {0, 0.6, 0.8};
  double before = arm->span, sure = hik_reach_farthest(arm, d, 1e-6, 100000);
  CHECK_NEAR(hik_reach_farthest(arm, d, 1e-3, 1), before, 1e-12);
  for (int64_t budget = 2; budget < 2000; budget *= 2) {
    double now = hik_reach_farthest(arm, d, 1e-6, budget);
    CHECK(now <= before && now >= sure);
    before = now;
  }
  CHECK(sure < 0.95 * arm->span && before - sure < 1e-3);
  hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_posture_gets_farther);
  RUN(test_coarser_tables_claim_less);
  RUN(test_a_set_that_is_turned);
  RUN(test_a_spent_budget_claims_nothing);
  CHECK_END();
}
