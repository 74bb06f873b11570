/* test_target.c: poses with rounding are mended, what is no pose is refused. */
#include "analytic/target.h"
#include "tests/arms.h"
#include "tests/check.h"

static void matrix(hik_rng *rng, double T[16]) {
  double axis[3] = {draw(rng, -1, 1), draw(rng, -1, 1), draw(rng, 0.1, 1)}, r[9], s, c;
  hik_unit(axis, axis);
  hik_sincos(draw(rng, -3, 3), &s, &c);
  hik_mat_axis(axis, c, s, r);
  for (int i = 0; i < 16; i++) T[i] = i == 15;
  for (int i = 0; i < 9; i++) T[4 * (i / 3) + i % 3] = r[i];
  for (int i = 0; i < 3; i++) T[4 * i + 3] = draw(rng, -1, 1);
}

static void test_rounding_is_mended(void) {
  hik_rng rng = hik_rng_start(81, 0);
  for (int round = 0; round < 200; round++) {
    double T[16], rtr[9], size = round % 2 ? 1e-4 : 1e-9;
    hik_pose pose;
    matrix(&rng, T);
    for (int i = 0; i < 11; i++) T[i] += i % 4 < 3 ? size * draw(&rng, -1, 1) : 0;
    CHECK(hik_target_read(T, &pose));
    hik_mat_tmul(pose.r, pose.r, rtr);
    for (int i = 0; i < 9; i++) CHECK_NEAR(rtr[i], i % 4 == 0, 1e-14);
    for (int i = 0; i < 9; i++) CHECK_NEAR(pose.r[i], T[4 * (i / 3) + i % 3], 4 * size);
    for (int i = 0; i < 3; i++) CHECK(pose.t[i] == T[4 * i + 3]);
  }
}

static void test_what_is_none_is_refused(void) {
  hik_rng rng = hik_rng_start(82, 0);
  hik_pose pose;
  double T[16], bad[16];
  matrix(&rng, T);
  CHECK(hik_target_read(T, &pose));
  for (int i = 0; i < 16; i++) {
    memcpy(bad, T, sizeof bad);
    bad[i] = NAN;
    CHECK(!hik_target_read(bad, &pose));
    memcpy(bad, T, sizeof bad);
    bad[i] += 0.1;
    CHECK(hik_target_read(bad, &pose) == (i < 12 && i % 4 == 3));
  }
  memcpy(bad, T, sizeof bad);
  for (int i = 0; i < 3; i++) bad[4 * i] = -bad[4 * i]; /* a mirror image */
  CHECK(!hik_target_read(bad, &pose));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_rounding_is_mended);
  RUN(test_what_is_none_is_refused);
  CHECK_END();
}
