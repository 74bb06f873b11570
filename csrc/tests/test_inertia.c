/* test_inertia.c: bodies moved and welded, against sums over points. */
#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "model/inertia.h"

enum { POINTS = 6 };

static void sum_points(const double mass[POINTS], double p[POINTS][3], double out[10]) {
  memset(out, 0, 10 * sizeof *out);
  for (int k = 0; k < POINTS; k++) {
    double m = mass[k], x = p[k][0], y = p[k][1], z = p[k][2];
    double add[10] = {m,
                      m * x,
                      m * y,
                      m * z,
                      m * (y * y + z * z),
                      -m * x * y,
                      -m * x * z,
                      m * (x * x + z * z),
                      -m * y * z,
                      m * (x * x + y * y)};
    for (int i = 0; i < 10; i++) out[i] += add[i];
  }
}

static void test_move(void) {
  hik_rng rng = hik_rng_start(4, 2);
  double mass[POINTS], p[POINTS][3], moved[POINTS][3], body[10], want[10], got[10] = {0}, quat[4];
  hik_pose place;
  hik_rng_rotation(&rng, quat);
  hik_quat_to_mat(quat, place.r);
  for (int i = 0; i < 3; i++) place.t[i] = hik_rng_uniform(&rng);
  for (int k = 0; k < POINTS; k++) {
    mass[k] = hik_rng_uniform(&rng);
    for (int i = 0; i < 3; i++) p[k][i] = hik_rng_uniform(&rng) - 0.5;
    hik_pose_point(&place, p[k], moved[k]);
  }
  sum_points(mass, p, body);
  sum_points(mass, moved, want);
  hik_inertial_add(body, &place, got);
  for (int i = 0; i < 10; i++) CHECK_NEAR(got[i], want[i], 1e-14);
  hik_inertial_add(body, &place, got);
  for (int i = 0; i < 10; i++) CHECK_NEAR(got[i], 2 * want[i], 1e-14);
}

static void test_moments(void) {
  double mass[POINTS] = {1, 2, 3, 0.5, 0.1, 4},
         p[POINTS][3] = {{1, 2, 3}, {0, 1, -1}, {2, 0, 1}, {-1, -1, 0}}, body[10];
  double got[10], xx = 0, yz = 0;
  sum_points(mass, p, body);
  hik_inertial_moments(body, got);
  for (int k = 0; k < POINTS; k++) xx += mass[k] * p[k][0] * p[k][0], yz += mass[k] * p[k][1] * p[k][2];
  CHECK_NEAR(got[0], body[0], 0);
  CHECK_NEAR(got[4], xx, 1e-14);
  CHECK_NEAR(got[8], yz, 1e-14);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_move);
  RUN(test_moments);
  CHECK_END();
}
