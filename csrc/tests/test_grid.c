#include "base/vec.h"
#include "check.h"
#include "grid_meshes.h"

static const double ZERO[3] = {0, 0, 0}, HALF[3] = {0.2, 0.15, 0.1};

static double at(const hik_grid *g, double x, double y, double z) {
  return hik_grid_value(g, (double[]){x, y, z});
}

/* Every node has the exact distance, and its sign but for a rim of one cell on which it may be solid. */
static void nodes_are_exact(void) {
  cube c;
  hik_grid *g;
  make_cube(&c, ZERO, HALF);
  hik_grid_mesh mesh = cube_mesh(&c, 12, 0.013);
  mesh.threads = 3;
  CHECK(hik_grid_create(&mesh, &g, NULL) == HIK_OK);
  const float *coarse = g->coarse;
  int64_t cells = 0;
  for (int32_t z = 0; z <= g->count[2]; z++)
    for (int32_t y = 0; y <= g->count[1]; y++)
      for (int32_t x = 0; x <= g->count[0]; x++, coarse++) {
        double p[3] = {g->low[0] + 4 * g->cell * x, g->low[1] + 4 * g->cell * y, g->low[2] + 4 * g->cell * z};
        double d = cube_distance(p, ZERO, HALF);
        CHECK_NEAR(fabs(*coarse), fabs(d), 1e-6 * fabs(d) + 1e-12);
        CHECK((*coarse < 0) == (d < 0) || (*coarse < 0 && d < 0.6 * g->cell));
        CHECK(*coarse <= d + 1e-12);
      }
  for (int32_t z = 0; z < g->count[2]; z++)
    for (int32_t y = 0; y < g->count[1]; y++)
      for (int32_t x = 0; x < g->count[0]; x++) {
        int32_t b = g->brick[(z * g->count[1] + y) * g->count[0] + x];
        for (int i = 0; b >= 0 && i < HIK_GRID_BRICK; i++) {
          double p[3] = {g->low[0] + g->cell * (4 * x + i % 5), g->low[1] + g->cell * (4 * y + i / 5 % 5),
                         g->low[2] + g->cell * (4 * z + i / 25)};
          double d = cube_distance(p, ZERO, HALF), v = g->fine[b * HIK_GRID_BRICK + i];
          CHECK_NEAR(fabs(v), fabs(d), 1e-6 * fabs(d) + 1e-12);
          CHECK(v <= d + 1e-12 && (v < 0) >= (d < 0));
          CHECK(!(v < 0 && d > 0.6 * g->cell));
        }
        double middle[3] = {g->low[0] + g->cell * (4 * x + 2), g->low[1] + g->cell * (4 * y + 2),
                            g->low[2] + g->cell * (4 * z + 2)};
        if (b < 0) CHECK(fabs(cube_distance(middle, ZERO, HALF)) > 2 * g->cell);
        cells++;
      }
  CHECK(cells > g->bricks && g->bricks > 100);
  CHECK_NEAR(g->volume, 0.024, 0.8 * 0.013 * 0.26);
  hik_grid_free(g);
}

/* A side is missing: nothing is enclosed; a slit narrower than a cell closes. */
static void holes(void) {
  cube c;
  hik_grid *g;
  make_cube(&c, ZERO, HALF);
  hik_grid_mesh mesh = cube_mesh(&c, 10, 0.013);
  CHECK(hik_grid_create(&mesh, &g, NULL) == HIK_OK);
  CHECK(at(g, 0, 0, 0) > 0.09 && at(g, 0, 0, 0.12) > 0);
  CHECK_NEAR(at(g, 0, 0, -0.095), 0.005, 0.013);
  hik_grid_free(g);
  double vertex[10][3];
  int32_t triangle[12][3];
  memcpy(vertex, c.vertex, sizeof c.vertex), memcpy(triangle, c.triangle, sizeof triangle);
  for (int k = 0; k < 2; k++) memcpy(vertex[8 + k], c.vertex[4 + k], sizeof vertex[0]);
  for (int side = 0; side < 2; side++) {
    double slit = side ? 0.05 : 0.006;
    for (int k = 0; k < 2; k++)
      vertex[8 + k][1] = c.vertex[4 + k][1] + slit; /* the lid ends before the edge */
    for (int i = 10; i < 12; i++)
      for (int k = 0; k < 3; k++)
        triangle[i][k] = c.triangle[i][k] == 4 ? 8 : c.triangle[i][k] == 5 ? 9 : c.triangle[i][k];
    mesh.vertex = vertex[0], mesh.vertices = 10, mesh.triangle = triangle[0], mesh.triangles = 12;
    CHECK(hik_grid_create(&mesh, &g, NULL) == HIK_OK);
    CHECK((at(g, 0, 0, 0) < -0.09) == (side == 0));
    hik_grid_free(g);
  }
}

/* A box in a box counts for nothing; one that stands out does. */
static void what_is_hidden_is_left_out(void) {
  struct {
    double vertex[16][3];
    int32_t triangle[24][3];
  } two;
  cube c;
  hik_grid *g;
  for (int apart = 0; apart < 2; apart++) {
    for (int k = 0; k < 2; k++) {
      make_cube(&c, (double[]){k && apart ? 0.6 : 0, 0, 0}, k ? (double[]){0.05, 0.05, 0.05} : HALF);
      memcpy(two.vertex[8 * k], c.vertex, sizeof c.vertex);
      for (int i = 0; i < 12; i++)
        for (int j = 0; j < 3; j++) two.triangle[12 * k + i][j] = 8 * k + c.triangle[i][j];
    }
    hik_grid_mesh mesh = cube_mesh(&c, 24, 0.01);
    mesh.vertex = two.vertex[0], mesh.vertices = 16, mesh.triangle = two.triangle[0];
    CHECK(hik_grid_create(&mesh, &g, NULL) == HIK_OK);
    CHECK(g->hidden == (apart ? 0 : 12));
    CHECK(at(g, 0, 0, 0) < -0.07 &&
          at(g, 0.05, 0, 0) < -0.07); /* the walls of the one inside would give 0 there */
    if (apart) CHECK(at(g, 0.6, 0, 0) < -0.03);
    hik_grid_free(g);
  }
}

static void what_is_wrong_is_refused(void) {
  cube c;
  hik_grid *g;
  hik_error error;
  make_cube(&c, ZERO, HALF);
  const hik_grid_mesh good = cube_mesh(&c, 12, 0.02);
  hik_grid_mesh bad = good;
#define REFUSED(words)                                                                                       \
  CHECK(hik_grid_create(&bad, &g, &error) == HIK_BAD_ARGUMENT && !g && strstr(error.text, words))
  bad.cell = 0;
  REFUSED("the cell");
  bad.cell = NAN;
  REFUSED("the cell");
  bad = good, bad.margin = -1;
  REFUSED("the margin");
  bad = good, bad.triangles = 0;
  REFUSED("1 to 20000000 triangles");
  bad = good, bad.cell = 1e-11;
  REFUSED("lost in the rounding");
  bad = good, bad.cell = 1e-4;
  REFUSED("more than the 268 MB allowed; cells of about");
  bad = good, bad.most_bytes = 30000; /* the coarse level fits, the bricks do not */
  REFUSED("allowed; cells of about");
  bad = good, bad.most_bytes = 300;
  REFUSED("allowed; cells of about");
  bad = good;
  c.triangle[7][1] = 8;
  REFUSED("triangle 7: there is no vertex 8, only 8");
  c.triangle[7][1] = -1;
  REFUSED("triangle 7");
  c.triangle[7][1] = 0;
  c.vertex[3][1] = NAN;
  REFUSED("not finite");
  c.vertex[3][1] = 1.1e9;
  REFUSED("farther than 1e+09 m");
}

static bool stop(void *context, int64_t done, int64_t total) {
  (void)done, (void)total;
  ++*(int *)context;
  return false;
}

static void a_call_can_be_stopped(void) {
  cube c;
  hik_grid *g;
  hik_error error;
  int ticks = 0;
  make_cube(&c, ZERO, HALF);
  hik_grid_mesh mesh = cube_mesh(&c, 12, 0.002);
  mesh.tick = stop, mesh.tick_context = &ticks;
  CHECK(hik_grid_create(&mesh, &g, &error) == HIK_INTERRUPTED && !g && ticks == 1);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(nodes_are_exact);
  RUN(holes);
  RUN(what_is_hidden_is_left_out);
  RUN(what_is_wrong_is_refused);
  RUN(a_call_can_be_stopped);
  CHECK_END();
}
