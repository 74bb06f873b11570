#include "base/rng.h"
#include "base/vec.h"
#include "check.h"
#include "grid_meshes.h"

static const double CENTER[3] = {0.013, -0.2, 0.31}, HALF[3] = {0.21, 0.13, 0.087};

static hik_grid *boxed(double cell, double margin) {
  cube c;
  hik_grid *grid;
  make_cube(&c, CENTER, HALF);
  hik_grid_mesh mesh = cube_mesh(&c, 12, cell);
  mesh.margin = margin;
  CHECK(hik_grid_create(&mesh, &grid, NULL) == HIK_OK);
  return grid;
}

static void draw(hik_rng *rng, double reach, double x[3]) {
  for (int j = 0; j < 3; j++) x[j] = CENTER[j] + reach * (2 * hik_rng_uniform(rng) - 1);
}

static void values_and_bounds_of_a_box(void) {
  const double cell = 0.017;
  hik_grid *g = boxed(cell, 0.3);
  hik_rng rng = hik_rng_start(4, 1);
  double worst = 0, loss = 0;
  for (int n = 0; n < CHECK_REPEATS(40000, 4000); n++) {
    double x[3];
    draw(&rng, n % 2 ? 0.3 : 2, x);
    double d = cube_distance(x, CENTER, HALF), value = hik_grid_value(g, x), lower = hik_grid_lower(g, x);
    CHECK(lower <= d + 1e-9);
    CHECK(lower <= value + 1e-9 || d > 2 * cell);
    if (fabs(d) < 2 * cell) worst = fmax(worst, fabs(value - d));
    if (d > 3 * cell && d < 5 * cell) loss = fmax(loss, d - lower);
  }
  CHECK(worst < 0.45 * cell);
  CHECK(loss < 1.6 * cell);
  hik_grid_free(g);
}

/* Beyond the grid the distance to the mesh's bounds, here the box itself, is exact. */
static void beyond_the_grid(void) {
  hik_grid *g = boxed(0.02, 0);
  const double far[3] = {5, -4, 3}, nowhere[3] = {NAN, 0, 0};
  double slope[3], d = cube_distance(far, CENTER, HALF);
  CHECK_NEAR(hik_grid_value(g, far), d, 1e-12);
  CHECK_NEAR(hik_grid_lower(g, far), d, 1e-12);
  CHECK_NEAR(hik_grid_slope(g, far, slope), d, 1e-12);
  CHECK_NEAR(hik_norm(slope), 1, 1e-12);
  CHECK(slope[0] > 0 && slope[1] < 0 && slope[2] > 0);
  CHECK(isnan(hik_grid_value(g, nowhere)) && isnan(hik_grid_lower(g, nowhere)));
  hik_grid_free(g);
}

static void slopes_are_differences(void) {
  hik_grid *g = boxed(0.02, 0.1);
  hik_rng rng = hik_rng_start(6, 1);
  for (int n = 0; n < 300; n++) {
    double x[3], slope[3], step = 1e-7;
    draw(&rng, 0.25, x);
    CHECK(hik_grid_slope(g, x, slope) == hik_grid_value(g, x));
    for (int j = 0; j < 3; j++) {
      double place = fmod((x[j] - g->low[j]) / g->cell, 1), y[3] = {x[0], x[1], x[2]};
      if (place < 0.01 || place > 0.99) continue; /* it jumps there */
      y[j] += step;
      CHECK_NEAR((hik_grid_value(g, y) - hik_grid_value(g, x)) / step, slope[j], 1e-6);
    }
  }
  hik_grid_free(g);
}

static void a_march_misses_by_no_more_than_eps(void) {
  hik_grid *g = boxed(0.02, 0.1);
  hik_rng rng = hik_rng_start(7, 1);
  for (int n = 0; n < CHECK_REPEATS(2000, 200); n++) {
    double p[3], q[3], u[3], x[3], at, least = INFINITY, sampled = INFINITY, eps = n % 2 ? 0.02 : 0.004;
    draw(&rng, 0.5, p);
    draw(&rng, 0.5, q);
    hik_sub3(q, p, u);
    for (int i = 0; i <= 500; i++) {
      hik_axpy3(p, i / 500.0, u, x);
      double d = cube_distance(x, CENTER, HALF), v = hik_grid_value(g, x);
      least = d < least ? d : least, sampled = v < sampled ? v : sampled;
    }
    double lower = hik_grid_capsule(g, p, u, eps, true, &at);
    CHECK(least < 0 || lower - eps <= least + 1e-9);
    CHECK(at >= 0 && at <= 1);
    double value = hik_grid_capsule(g, p, u, eps, false, &at);
    hik_axpy3(p, at, u, x);
    CHECK(hik_grid_value(g, x) == value);
    CHECK(value <= sampled + eps + 0.87 * g->cell && value >= sampled - 0.01);
  }
  double at, point[3] = {0.4, 0, 0}, none[3] = {0}, bad[3] = {0, INFINITY, 0}, sick[3] = {0, NAN, 0};
  CHECK(hik_grid_capsule(g, point, none, 0.01, true, &at) == hik_grid_lower(g, point) && at == 0);
  CHECK(isnan(hik_grid_capsule(g, point, bad, 0.01, true, &at)));
  CHECK(isnan(hik_grid_capsule(g, sick, point, 0.01, false, &at)));
  hik_grid_free(g);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(values_and_bounds_of_a_box);
  RUN(beyond_the_grid);
  RUN(slopes_are_differences);
  RUN(a_march_misses_by_no_more_than_eps);
  CHECK_END();
}
