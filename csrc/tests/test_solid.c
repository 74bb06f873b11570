/* test_solid.c: scene/solid.c: signed distances of points, against places that are known, and that none changes faster than the
   point moves. */
#include "scene/solid.h"

#include "scene_figures.h"

static const double square[8] = {0, 0, 0.4, 0, 0.4, 0.2, 0, 0.2};

static double one(hik_shape s, double x, double y, double z) {
  hik_world *w;
  hik_error error;
  const double p[3] = {x, y, z};
  CHECK(hik_world_create(&s, 1, &w, &error) == HIK_OK);
  double d = hik_solid_distance(w, 0, p);
  CHECK(hik_solid_beyond(w, 0, p) <= d + 1e-9);
  hik_world_free(w);
  return d;
}

static void test_known_places(void) {
  hik_shape ball = shape_at(HIK_SHAPE_SPHERE, 1, 0, 0, 0.5, 0, 0);
  CHECK_NEAR(one(ball, 1, 0, 0), -0.5, 1e-15);
  CHECK_NEAR(one(ball, 1, 3, 4), 4.5, 1e-15);
  hik_shape pill = shape_at(HIK_SHAPE_CAPSULE, 0, 0, 0, 2, 0.1, 0); /* from z = -1 to 1 */
  CHECK_NEAR(one(pill, 0, 0.3, 0.9), 0.2, 1e-15);
  CHECK_NEAR(one(pill, 0, 0.3, 1.4), 0.4, 1e-15);
  CHECK_NEAR(one(pill, 0, 0, -1), -0.1, 1e-15);
  hik_shape box = shape_at(HIK_SHAPE_BOX, 0, 0, 1, 2, 4, 6);
  CHECK_NEAR(one(box, 0.7, 0, 1), -0.3, 1e-15);
  CHECK_NEAR(one(box, 1.3, 2.4, 1), 0.5, 1e-15);
  CHECK_NEAR(one(box, 0, 0, 4.5), 0.5, 1e-15);
  hik_shape floor = shape_at(HIK_SHAPE_PLANE, 0, 0, 0.2, 0, 0, 0);
  CHECK_NEAR(one(floor, 5, 5, 0), -0.2, 1e-15);
  CHECK_NEAR(one(floor, 5, 5, 1), 0.8, 1e-15);
  hik_shape prism = shape_at(HIK_SHAPE_PRISM, 0, 0, 1, 2, 0, 0); /* z from 1 to 3 */
  prism.corners = 4, prism.corner = square;
  CHECK_NEAR(one(prism, 0.1, 0.15, 2), -0.05, 1e-15);
  CHECK_NEAR(one(prism, 0.1, 0.1, 1.02), -0.02, 1e-15);
  CHECK_NEAR(one(prism, 0.7, 0.6, 2), 0.5, 1e-15);
  CHECK_NEAR(one(prism, 0.1, 0.1, 3.5), 0.5, 1e-15);
  CHECK_NEAR(one(prism, 0.7, 0.2, 3.4), 0.5, 1e-15);
  CHECK_NEAR(one(prism, -0.3, 0.1, 0.6), 0.5, 1e-15);
}

static void test_it_changes_no_faster_than_the_point_moves(void) {
  hik_shape shape[20];
  hik_world *w;
  hik_error error;
  int32_t n = cluttered(shape, 7);
  hik_rng rng = hik_rng_start(5, 1);
  double steepest = 0;
  CHECK(hik_world_create(shape, n, &w, &error) == HIK_OK);
  for (int32_t k = 0; k < n; k++)
    for (int i = 0; i < CHECK_REPEATS(4000, 200); i++) {
      double a[3], b[3], off[3], step = i % 2 ? 0.3 : 1e-3;
      for (int j = 0; j < 3; j++) {
        a[j] = w->kind[k] == HIK_SHAPE_PLANE ? 0 : (double)w->ball[4 * k + j];
        a[j] += 0.8 * hik_rng_uniform(&rng) - 0.4;
        b[j] = a[j] + step * (hik_rng_uniform(&rng) - 0.5);
      }
      hik_sub3(b, a, off);
      double change = fabs(hik_solid_distance(w, k, b) - hik_solid_distance(w, k, a));
      CHECK(change <= hik_norm(off) + 1e-12);
      CHECK(hik_solid_beyond(w, k, a) <= hik_solid_distance(w, k, a));
      steepest = fmax(steepest, change / hik_norm(off));
    }
  CHECK(steepest > 0.99);
  hik_world_free(w);
}

static void test_a_grid_proves_nothing(void) {
  hik_world w = {.n = 1};
  int32_t kind = HIK_SHAPE_GRID;
  double row[HIK_OBSTACLE] = {0};
  const double p[3] = {0, 0, 0};
  w.kind = &kind, w.row = row;
  CHECK(hik_solid_distance(&w, 0, p) > 1e300);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_known_places);
  RUN(test_it_changes_no_faster_than_the_point_moves);
  RUN(test_a_grid_proves_nothing);
  CHECK_END();
}
