/* test_quat.c: base/quat.h: what is not a number stays so; making a quaternion unit twice is making it so once. */
#include "base/quat.h"
#include "base/rng.h"
#include "check.h"

static int nans(const double *x, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) found += isnan(x[i]);
  return found;
}

static void test_one_nan_makes_all_nan(void) {
  for (int k = 0; k < 4; k++) {
    double q[4] = {0.5, -0.5, 0.5, 0.5}, unit[4], r[9], v[3];
    q[k] = NAN;
    memcpy(unit, q, sizeof unit);
    hik_quat_normalize(unit);
    CHECK(nans(unit, 4) == 4);
    memcpy(unit, q, sizeof unit);
    hik_quat_make_unit(unit);
    CHECK(nans(unit, 4) == 4);
    hik_quat_to_mat(q, r);
    CHECK(nans(r, 9) == 9);
    hik_quat_log(unit, v);
    CHECK(nans(v, 3) == 3);
  }
  for (int turn = 0; turn < 4; turn++) /* each of Shepperd's four branches */
    for (int k = 0; k < 9; k++) {
      static const double at[4][4] = {{1, 0, 0, 0}, {0.1, 1, 0, 0}, {0.1, 0, 1, 0}, {0.1, 0, 0, 1}};
      double r[9], q[4], v[3];
      hik_quat_to_mat(at[turn], r);
      r[k] = NAN;
      hik_quat_from_mat(r, q);
      CHECK(nans(q, 4) == 4);
      hik_mat_log(r, v);
      CHECK(nans(v, 3) == 3);
    }
}

static void test_no_length_is_the_identity(void) {
  static const double none[][4] = {{0, 0, 0, 0}, {1e-101, 0, 0, 0}, {0, 1e101, 0, 0}, {0, INFINITY, 0, 0}};
  for (int i = 0; i < HIK_COUNT_OF(none); i++) {
    double q[4];
    memcpy(q, none[i], sizeof q);
    hik_quat_make_unit(q);
    CHECK(q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0);
  }
}

/* Also where every rounding falls the same way; what is farther off than rounding makes it is made unit. */
static void test_unit_twice_is_unit_once(void) {
  hik_rng rng = hik_rng_start(5, 1);
  double worst = 0;
  for (int i = 0; i < CHECK_REPEATS(2000000, 20000); i++) {
    double q[4], again[4], n;
    for (int k = 0; k < 4; k++) q[k] = (2 * hik_rng_uniform(&rng) - 1) * (i % 7 == k ? 1e-3 : 1);
    hik_quat_normalize(q);
    n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    worst = fmax(worst, fabs(n - 1));
    memcpy(again, q, sizeof q);
    hik_quat_make_unit(again);
    CHECK(memcmp(again, q, sizeof q) == 0);
    for (int k = 0; k < 4; k++) again[k] *= 1 + 2e-15;
    hik_quat_make_unit(again);
    n = again[0] * again[0] + again[1] * again[1] + again[2] * again[2] + again[3] * again[3];
    CHECK(fabs(n - 1) <= 1.5e-15);
  }
  CHECK(worst > 2e-16); /* or the bound would be for nothing */
}

static void test_length_and_the_larger_keep_nan(void) {
  for (int k = 0; k < 3; k++) {
    double a[3] = {1, 0, INFINITY};
    a[k] = NAN;
    CHECK(isnan(hik_norm_safe(a)));
  }
  CHECK(isnan(hik_most(NAN, 1)) && isnan(hik_most(1, NAN)) && hik_most(1, 2) == 2 && hik_most(2, 1) == 2);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_one_nan_makes_all_nan);
  RUN(test_no_length_is_the_identity);
  RUN(test_unit_twice_is_unit_once);
  RUN(test_length_and_the_larger_keep_nan);
  CHECK_END();
}
