/* test_stewart_postures.c: all postures of published, random and special platforms. */
#include <stdlib.h>

#include "analytic/stewart.h"
#include "tests/check.h"
#include "tests/stewart_figures.h"

static hik_stewart_work *work;
static hik_stewart_found found;

static bool holds(const hik_pose *pose, double tolerance) {
  for (int k = 0; k < found.count; k++)
    if (stewart_gap(&found.pose[k], pose) < tolerance) return true;
  return false;
}

/* Solves for the lengths at a pose and says whether it is among the answers, each of which has these lengths. */
static void solve_at(const hik_stewart *s, const hik_pose *pose) {
  double l[6], back[6];
  hik_stewart_lengths(s, pose, l, NULL);
  CHECK(hik_stewart_postures(s, l, work, &found));
  CHECK(found.failed == 0 && found.paired && found.residual < 1e-12);
  CHECK(found.finite + found.infinite == 40 && found.count % 2 == 0);
  CHECK(holds(pose, 1e-9));
  for (int k = 0; k < found.count; k++) {
    hik_stewart_lengths(s, &found.pose[k], back, NULL);
    for (int i = 0; i < 6; i++) CHECK_NEAR(back[i], l[i], 1e-12);
    for (int m = 0; m < k; m++) CHECK(stewart_gap(&found.pose[k], &found.pose[m]) > 1e-6);
  }
}

static void test_dietmaier_has_forty(void) {
  CHECK(hik_stewart_postures(&dietmaier, dietmaier_lengths, work, &found));
  CHECK(found.count == 40 && found.finite == 40 && found.runs == 1 && found.paired);
  CHECK(found.trace < 1e-8 && found.residual < 1e-14);
}

static void test_random_platforms_have_forty(void) {
  hik_rng rng = hik_rng_start(11, 0);
  for (int round = 0; round < 25; round++) {
    hik_stewart s;
    hik_pose pose;
    stewart_random(&rng, &s);
    if (round % 5 >= 3)
      for (int i = 0; i < 6; i++) s.base[i][2] = 0;
    if (round % 5 == 4)
      for (int i = 0; i < 6; i++) s.platform[i][2] = 0;
    stewart_pose(&rng, 2, &pose);
    solve_at(&s, &pose);
    CHECK(found.finite == 40 && found.trace < 1e-6);
  }
}

static void test_coinciding_points_have_sixteen(void) {
  hik_rng rng = hik_rng_start(12, 0);
  for (int round = 0; round < 12; round++) {
    hik_stewart s;
    hik_pose pose;
    stewart_random(&rng, &s);
    for (int i = 0; i < 6; i += 2) hik_copy3(s.platform[i], s.platform[i + 1]);
    if (round % 2)
      for (int i = 0; i < 6; i += 2) hik_copy3(s.base[i + 1], s.base[(i + 2) % 6]);
    stewart_pose(&rng, 2, &pose);
    solve_at(&s, &pose);
    CHECK(found.finite == 16 && isnan(found.trace));
  }
}

static void test_hexagons_have_twenty_eight(void) {
  hik_rng rng = hik_rng_start(13, 0);
  for (int round = 0; round < 12; round++) {
    hik_stewart s;
    hik_pose pose;
    double ring[6][3];
    stewart_ring(s.base, 1, 0.2 + 0.1 * stewart_draw(&rng), 0);
    stewart_ring(ring, 0.7, 0.25 + 0.1 * stewart_draw(&rng), HIK_PI / 3);
    for (int i = 0; i < 6; i++) hik_copy3(ring[(i + 5) % 6], s.platform[i]);
    stewart_pose(&rng, 0.3, &pose);
    solve_at(&s, &pose);
    CHECK(found.finite == 28);
  }
}

static void test_same_bytes_again_and_scaled(void) {
  hik_stewart_found first;
  CHECK(hik_stewart_postures(&dietmaier, dietmaier_lengths, work, &found));
  first = found;
  memset(work, 0xa5, hik_stewart_work_size());
  CHECK(hik_stewart_postures(&dietmaier, dietmaier_lengths, work, &found));
  CHECK(memcmp(first.pose, found.pose, sizeof first.pose) == 0);
  hik_stewart big = dietmaier;
  double l[6];
  for (int i = 0; i < 6; i++) {
    l[i] = 1024 * dietmaier_lengths[i];
    for (int k = 0; k < 3; k++) big.base[i][k] *= 1024, big.platform[i][k] *= 1024;
  }
  CHECK(hik_stewart_postures(&big, l, work, &found));
  CHECK(found.count == 40);
}

static void test_dependent_legs_are_said(void) {
  hik_stewart s = dietmaier;
  double l[6];
  memcpy(l, dietmaier_lengths, sizeof l);
  hik_copy3(s.base[0], s.base[1]), hik_copy3(s.platform[0], s.platform[1]);
  l[1] = l[0];
  CHECK(!hik_stewart_postures(&s, l, work, &found));
  CHECK(found.count == 0);
}

static void test_unreachable_has_none(void) {
  double l[6] = {0.01, 5, 0.01, 5, 0.01, 5};
  CHECK(hik_stewart_postures(&dietmaier, l, work, &found));
  CHECK(found.count == 0 && found.finite == 40 && found.paired);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  work = calloc(1, hik_stewart_work_size());
  if (!work) return 1;
  RUN(test_dietmaier_has_forty);
  RUN(test_random_platforms_have_forty);
  RUN(test_coinciding_points_have_sixteen);
  RUN(test_hexagons_have_twenty_eight);
  RUN(test_same_bytes_again_and_scaled);
  RUN(test_dependent_legs_are_said);
  RUN(test_unreachable_has_none);
  free(work);
  CHECK_END();
}
