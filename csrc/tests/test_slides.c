/* test_slides.c: three slides in every place, their singular poses, and the scan that two slides are started from. */
#include "analytic/slides.h"
#include "base/eigen.h"
#include "tests/arms.h"
#include "tests/check.h"

/* A slide of a DH row moves in the plane that the slide before it spans with x: `turn` brings it out of that. */
static hik_loop with_slides(hik_loop arm, int bits, bool turn) {
  static const hik_pose out = {{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}, {0, 0, 0}};
  for (int i = 0; i < 6; i++) {
    hik_pose link = arm.g[i];
    arm.kind[i] = bits >> i & 1;
    if (turn) hik_pose_mul(&out, &link, &arm.g[i]);
  }
  return arm;
}

static int ones(int bits) {
  int n = 0;
  for (; bits; bits &= bits - 1) n++;
  return n;
}

static bool hidden;

static void test_three_slides_anywhere(void) {
  hik_rng rng = hik_rng_start(71, 0);
  for (int bits = 0; bits < 64; bits++) {
    hik_loop any = with_slides(random_arm(&rng), bits, true);
    CHECK(hik_slides_test(&any) == (ones(bits) == 3));
    for (int round = 0; ones(bits) == 3 && round < 20; round++) {
      hik_loop loop = with_slides(random_arm(&rng), bits, true);
      hik_posture found[HIK_SLIDES_MAX];
      double q[6], theta[HIK_SLIDES_MAX][6], residual[6];
      random_posture(&loop, &rng, q);
      close_at(&loop, q);
      int n = hik_slides_solve(&loop, found, &hidden);
      CHECK(n == 2);
      for (int k = 0; k < n; k++) {
        memcpy(theta[k], found[k].theta, sizeof theta[k]);
        CHECK(hik_loop_residual(&loop, theta[k], residual, NULL) < 1e-9 && found[k].free == 0);
      }
      CHECK(among(&loop, q, theta, n, 1e-7));
    }
  }
}

static void test_slides_in_one_plane_are_free(void) {
  hik_rng rng = hik_rng_start(73, 0);
  for (int round = 0; round < 20; round++) {
    hik_loop loop = with_slides(random_arm(&rng), 7, false);
    hik_posture found[HIK_SLIDES_MAX];
    double q[6], residual[6], normal[3], along[3];
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    int n = hik_slides_solve(&loop, found, &hidden);
    CHECK(n == 1 || n == 2); /* the other way to turn may want a shift that leaves the plane */
    for (int k = 0; k < n; k++) {
      CHECK(ones(found[k].free & 7) == 1);
      CHECK(hik_loop_residual(&loop, found[k].theta, residual, NULL) < 1e-9);
    }
    hik_mat_column(loop.g[0].r, 2, along);
    hik_cross((double[3]){0, 0, 1}, along, normal);
    hik_unit(normal, normal);
    for (int i = 0; i < 3; i++) q[i] = 0;
    close_at(&loop, q);
    hik_pose last = loop.g[5], away = hik_pose_identity;
    hik_scale3(0.3, normal, away.t);
    hik_pose_mul(&last, &away, &loop.g[5]);
    n = hik_slides_solve(&loop, found, &hidden);
    for (int k = 0; k < n; k++) CHECK(hik_loop_residual(&loop, found[k].theta, residual, NULL) < 1e-9);
    CHECK(n < 2); /* q's own way to turn cannot bridge a shift across the plane */
  }
}

/* Slides along z, x and out of their plane by `out`, which is the share of the last pivot: from FLAT on it is a direction. */
static void test_a_plane_is_told_to_ten_digits(void) {
  static const double out[2] = {2e-10, 5e-11};
  hik_rng rng = hik_rng_start(74, 0);
  for (int round = 0; round < 20; round++)
    for (int free = 0; free < 2; free++) {
      hik_loop loop = with_slides(random_arm(&rng), 7, false);
      const double third[3] = {out[free], sqrt(0.5), sqrt(0.5)}, first[3] = {1, 0, -out[free] / sqrt(0.5)};
      double second[3], q[6];
      hik_posture found[HIK_SLIDES_MAX];
      hik_cross(third, first, second);
      memcpy(loop.g[0].r, (double[9]){0, 0, 1, 1, 0, 0, 0, 1, 0}, sizeof loop.g[0].r);
      for (int i = 0; i < 3; i++)
        loop.g[1].r[3 * i] = first[i], loop.g[1].r[3 * i + 1] = second[i], loop.g[1].r[3 * i + 2] = third[i];
      random_posture(&loop, &rng, q);
      close_at(&loop, q);
      int n = hik_slides_solve(&loop, found, &hidden);
      CHECK(n >= 1);
      for (int k = 0; k < n; k++) CHECK(ones(found[k].free & 7) == free);
    }
}

/* Links of right angles and lengths of few values, where the far axes of the general method lose answers. */
static void test_scan_starts_reach_the_posture(void) {
  static const double length[4] = {0, 0.3, 0.5, 0.2};
  hik_rng rng = hik_rng_start(72, 0);
  int lost = 0, looked = 0;
  for (int round = 0; round < 300; round++) {
    hik_loop loop = {.n = 6};
    int first = round % 6, second = (first + 1 + round / 6 % 5) % 6;
    for (int i = 0; i < 6; i++)
      loop.g[i] = dh_link(length[(int)(4 * hik_rng_uniform(&rng))], length[(int)(4 * hik_rng_uniform(&rng))],
                          HIK_PI / 2 * (int)(3 * hik_rng_uniform(&rng)));
    loop.kind[first] = loop.kind[second] = 1;
    double q[6], theta[HIK_SCAN_MAX][6], residual[6], jacobian[36];
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    hik_loop_residual(&loop, q, residual, jacobian);
    int n = hik_slides_scan(&loop, theta), count = 0;
    for (int k = 0; k < n; k++)
      if (hik_loop_polish(&loop, theta[k], 40) < 1e-10) memmove(theta[count++], theta[k], sizeof theta[k]);
    int32_t order[6];
    if (n == 0 || hik_lu_factor(6, jacobian, 6, order, 1e-30) < 1e-2) continue; /* no place of its own */
    looked++;
    lost += !among(&loop, q, theta, count, 1e-5);
  }
  CHECK(looked > 30);
  CHECK(lost == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_three_slides_anywhere);
  RUN(test_slides_in_one_plane_are_free);
  RUN(test_a_plane_is_told_to_ten_digits);
  RUN(test_scan_starts_reach_the_posture);
  CHECK_END();
}
