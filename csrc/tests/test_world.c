/* The distance of one capsule to one obstacle of each kind, against a search of the axis in plain C. */
#include "scene/grid.h"
#include "scene_figures.h"

enum { STEPS = 400 };

/* Signed distance of a point outside (0 inside) to a shape in its own frame. */
static double outside(const hik_shape *s, const double x[3]) {
  double d[3], pose[3], best = INFINITY;
  for (int i = 0; i < 3; i++) d[i] = x[i] - s->pose[9 + i];
  hik_mat_tvec(s->pose, d, pose);
  switch (s->kind) {
  case HIK_SHAPE_SPHERE: return fmax(hik_norm(pose) - s->size[0], 0);
  case HIK_SHAPE_CAPSULE:
    pose[2] -= hik_clip(pose[2], -s->size[0] / 2, s->size[0] / 2);
    return fmax(hik_norm(pose) - s->size[1], 0);
  case HIK_SHAPE_BOX:
    for (int i = 0; i < 3; i++) pose[i] -= hik_clip(pose[i], -s->size[i] / 2, s->size[i] / 2);
    return hik_norm(pose);
  case HIK_SHAPE_PLANE: return fmax(pose[2], 0);
  default: break;
  }
  bool in = true;
  for (int32_t k = 0; k < s->corners; k++) {
    const double *a = s->corner + 2 * k, *b = s->corner + 2 * ((k + 1) % s->corners);
    double u[2] = {b[0] - a[0], b[1] - a[1]}, w[2] = {pose[0] - a[0], pose[1] - a[1]};
    double t = hik_clip((u[0] * w[0] + u[1] * w[1]) / (u[0] * u[0] + u[1] * u[1]), 0, 1);
    in = in && u[0] * w[1] - u[1] * w[0] >= 0;
    best = fmin(best, hypot(w[0] - t * u[0], w[1] - t * u[1]));
  }
  return hypot(in ? 0 : best, pose[2] - hik_clip(pose[2], 0, s->size[0]));
}

/* Least over the axis: the distance of convex shapes is convex along it, so thirds close in. */
static double searched(const hik_shape *s, const double a[3], const double b[3]) {
  double low = 0, high = 1, x[3], y[3];
  for (int k = 0; k < STEPS; k++) {
    double t = low + (high - low) / 3, u = high - (high - low) / 3;
    for (int i = 0; i < 3; i++) x[i] = a[i] + t * (b[i] - a[i]), y[i] = a[i] + u * (b[i] - a[i]);
    if (outside(s, x) <= outside(s, y))
      high = u;
    else
      low = t;
  }
  return outside(s, x);
}

static void test_every_kind_against_a_search(void) {
  hik_shape shapes[24];
  staged s;
  hik_least found;
  int32_t seen = 0;
  for (uint64_t seed = 1; seed < CHECK_REPEATS(40, 8); seed++) {
    int32_t n = cluttered(shapes, seed);
    for (int32_t k = 0; k < n; k++) {
      stage(&s, shapes + k, 1);
      s.figure->n_pair = 0;
      double q[FIGURE_NQ];
      hik_random_q(s.model, seed, (uint64_t)k, q);
      hik_check_place(s.check, q, 1);
      hik_check_least(s.check, 1e3, &found);
      double best = INFINITY;
      for (int32_t c = 0; c < s.figure->n_capsule; c++) {
        double a[3], b[3];
        for (int i = 0; i < 3; i++)
          a[i] = s.check->axis[16 * (6 * c + i)], b[i] = a[i] + s.check->axis[16 * (6 * c + 3 + i)];
        best = fmin(best, searched(shapes + k, a, b) - s.figure->radius[c]);
      }
      if (found.distance[0] > -0.02) { /* no deeper than the thinnest capsule: the axis itself is outside */
        CHECK_NEAR(found.distance[0], best, 1e-7);
        seen++;
      }
      /* the points are that far apart, along the normal */
      double along = 0;
      for (int i = 0; i < 3; i++) along += found.normal[i][0] * (found.on[i][0] - found.other_on[i][0]);
      CHECK_NEAR(along, found.distance[0], 1e-12);
      unstage(&s);
    }
  }
  CHECK(seen > 80);
}

/* A cube of triangles: never nearer than the truth says, and not much less. */
static void test_a_grid(void) {
  double vertex[8][3];
  int32_t triangle[12][3];
  for (int v = 0; v < 8; v++)
    for (int i = 0; i < 3; i++) vertex[v][i] = (v >> i & 1) ? 0.2 : -0.2;
  for (int face = 0, n = 0; face < 6; face++) {
    int i = face / 2, a = face % 2 << i, j = 1 << (i + 1) % 3, k = 1 << (i + 2) % 3;
    int32_t corner[4] = {a, a + j, a + j + k, a + k};
    for (int t = 0; t < 2; t++, n++)
      triangle[n][0] = corner[0], triangle[n][1] = corner[1 + t], triangle[n][2] = corner[2 + t];
  }
  const hik_grid_mesh mesh = {vertex[0], 8, triangle[0], 12, 0.02, 0.3, 1 << 28, 1, NULL, NULL};
  hik_grid *grid;
  hik_error error;
  CHECK(hik_grid_create(&mesh, &grid, &error) == HIK_OK);
  hik_rng rng = hik_rng_start(8, 8);
  hik_shape shape[2] = {shape_turned(shape_at(HIK_SHAPE_GRID, 0.1, 0.2, 0.3, 0, 0, 0), &rng)}, box;
  shape[0].grid = grid, shape[1] = shape[0];
  box = shape[0], box.kind = HIK_SHAPE_BOX, box.size[0] = box.size[1] = box.size[2] = 0.4;
  staged one, other;
  stage(&one, shape, 1), stage(&other, &box, 1);
  int32_t seen = 0;
  for (uint64_t k = 0; k < 200; k++) {
    double q[FIGURE_NQ];
    hik_least a, b;
    hik_random_q(one.model, 2, k, q);
    hik_check_place(one.check, q, 1), hik_check_place(other.check, q, 1);
    hik_check_least(one.check, 100, &a), hik_check_least(other.check, 100, &b);
    if (b.distance[0] < 0.01 || a.other[0] != 0 || b.other[0] != 0) continue;
    seen++;
    CHECK(a.distance[0] <= b.distance[0] + 1e-9);
    CHECK(a.distance[0] > b.distance[0] - 0.1);
  }
  CHECK(seen > 20);
  unstage(&one), unstage(&other);
  hik_grid_free(grid);
}

static void test_what_is_wrong_is_refused(void) {
  const double inward[8] = {0, 0, 1, 0, 0.2, 0.2, 0, 1},
               star[10] = {0, 1, -0.6, -0.8, 0.95, 0.3, -0.95, 0.3, 0.6, -0.8};
  hik_world *world = NULL;
  hik_error error;
  hik_shape s = shape_at(HIK_SHAPE_BOX, 0, 0, 0, 1, 1, 1);
  s.size[1] = -1;
  CHECK(hik_world_create(&s, 1, &world, &error) < 0 && strstr(error.text, "obstacle 0"));
  s.size[1] = 1, s.pose[0] = 1.1;
  CHECK(hik_world_create(&s, 1, &world, &error) < 0 && strstr(error.text, "pose"));
  s = shape_at(HIK_SHAPE_GRID, 0, 0, 0, 1, 1, 1);
  CHECK(hik_world_create(&s, 1, &world, &error) < 0);
  s = shape_at(HIK_SHAPE_PRISM, 0, 0, 0, 1, 0, 0);
  s.corners = 4, s.corner = inward;
  CHECK(hik_world_create(&s, 1, &world, &error) < 0 && strstr(error.text, "convex"));
  s.corners = 5, s.corner = star;
  CHECK(hik_world_create(&s, 1, &world, &error) < 0 && strstr(error.text, "once"));
  s.corners = 2;
  CHECK(hik_world_create(&s, 1, &world, &error) < 0 && strstr(error.text, "corners"));
  CHECK(hik_world_create(&s, -1, &world, &error) < 0 && world == NULL);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_kind_against_a_search);
  RUN(test_a_grid);
  RUN(test_what_is_wrong_is_refused);
  CHECK_END();
}
