#include "base/rng.h"
#include "base/vec.h"
#include "check.h"
#include "skin/rounded.h"

enum { CONES = 12, POINTS = 200 };

/* The least of the distances from many balls between the two of a cone. */
static double by_balls(const hik_rounded *c, const double p[3]) {
  double least = INFINITY;
  for (int k = 0; k <= 4000; k++) {
    double t = k / 4000.0, at[3], off[3];
    for (int i = 0; i < 3; i++) at[i] = c->a[i] + t * (c->b[i] - c->a[i]);
    hik_sub3(p, at, off);
    least = fmin(least, hik_norm(off) - (c->radius[0] + t * (c->radius[1] - c->radius[0])));
  }
  return least;
}

static void draw(hik_rounded *cone, double (*point)[3], uint64_t seed) {
  hik_rng rng = hik_rng_start(seed, 1);
  for (int k = 0; k < CONES; k++) {
    for (int i = 0; i < 3; i++) {
      cone[k].a[i] = hik_rng_uniform(&rng);
      cone[k].b[i] = cone[k].a[i] + (k == 0 ? 0 : 0.3 * hik_rng_uniform(&rng));
    }
    /* some hold one ball in the other */
    for (int i = 0; i < 2; i++) cone[k].radius[i] = (k % 3 ? 0.1 : 0.6) * hik_rng_uniform(&rng);
  }
  for (int k = 0; k < POINTS; k++)
    for (int i = 0; i < 3; i++) point[k][i] = 2 * hik_rng_uniform(&rng) - 0.5;
}

static void the_nearest_of_balls(void) {
  hik_rounded cone[CONES];
  double point[POINTS][3], scratch[CONES * HIK_ROUNDED_SCRATCH], least[POINTS];
  int32_t own[POINTS];
  for (uint64_t seed = 1; seed < 6; seed++) {
    draw(cone, point, seed);
    hik_rounded_nearest(point[0], POINTS, cone, CONES, scratch, own, least);
    for (int i = 0; i < POINTS; i++) {
      double best = INFINITY;
      for (int k = 0; k < CONES; k++) best = fmin(best, by_balls(cone + k, point[i]));
      CHECK_NEAR(least[i], best, 1e-4);
      CHECK_NEAR(by_balls(cone + own[i], point[i]), least[i], 1e-4);
    }
  }
}

/* Of cones that are the same the first is named, whatever the point before lay next to. */
static void the_first_of_the_same(void) {
  hik_rounded cone[3] = {{{0, 0, 0}, {1, 0, 0}, {0.1, 0.1}}, {{0, 5, 0}, {1, 5, 0}, {0.1, 0.1}}};
  cone[2] = cone[1];
  const double point[4][3] = {{0.5, 5.2, 0}, {0.5, 0.2, 0}, {0.5, 5.2, 0}, {0.5, 5, 0}};
  double scratch[3 * HIK_ROUNDED_SCRATCH], least[4];
  int32_t own[4];
  hik_rounded_nearest(point[0], 4, cone, 3, scratch, own, least);
  CHECK(own[0] == 1 && own[1] == 0 && own[2] == 1 && own[3] == 1);
  CHECK_NEAR(least[0], 0.1, 1e-15);
  CHECK_NEAR(least[3], -0.1, 1e-15);
  hik_rounded_nearest(point[0], 0, cone, 3, scratch, own, least);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(the_nearest_of_balls);
  RUN(the_first_of_the_same);
  CHECK_END();
}
