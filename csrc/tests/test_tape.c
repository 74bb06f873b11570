#include "check.h"
#include "skin/tape.h"

enum { WAYS = 180, SIDES = 64 };

static const double PI = 3.14159265358979323846;

typedef struct prism {
  double vertex[2 * SIDES][3], way[2 * WAYS], axes[9], point[3];
  int32_t edge[SIDES][2];
  hik_tape tape;
} prism;

/* An elliptic cylinder about z, its edges from z = 0 to z = 1; levels are cut. */
static void make(prism *p, double a, double b) {
  for (int k = 0; k < SIDES; k++) {
    double t = 2 * PI * k / SIDES;
    for (int top = 0; top < 2; top++) {
      double *v = p->vertex[k + SIDES * top];
      v[0] = a * cos(t), v[1] = b * sin(t), v[2] = top;
    }
    p->edge[k][0] = k, p->edge[k][1] = k + SIDES;
  }
  for (int k = 0; k < WAYS; k++) p->way[k] = cos(PI * k / WAYS), p->way[WAYS + k] = sin(PI * k / WAYS);
  const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, point[3] = {0, 0, 0.25};
  memcpy(p->axes, axes, sizeof axes), memcpy(p->point, point, sizeof point);
  p->tape = (hik_tape){p->vertex[0], p->edge[0], SIDES, p->point, p->axes, p->way, WAYS};
}

static void girth_and_extents(void) {
  prism p;
  double scratch[2 * WAYS];
  make(&p, 0.2, 0.2);
  hik_tape_read read = hik_tape_cut(&p.tape, scratch);
  CHECK(read.points == SIDES);
  CHECK_NEAR(read.widths * PI / WAYS, 2 * SIDES * 0.2 * sin(PI / SIDES), 1e-4); /* the polygon's length */
  make(&p, 0.2, 0.1);
  read = hik_tape_cut(&p.tape, scratch);
  CHECK_NEAR(read.high[0] - read.low[0], 0.4, 1e-15);
  CHECK_NEAR(read.high[1] - read.low[1], 0.2, 1e-15);
}

/* A vertex on the plane is above it; a plane beyond all edges has no points. */
static void on_the_plane_and_beyond(void) {
  prism p;
  double scratch[2 * WAYS];
  make(&p, 0.2, 0.1);
  p.point[2] = 1;
  CHECK(hik_tape_cut(&p.tape, scratch).points == SIDES);
  p.point[2] = 0;
  hik_tape_read read = hik_tape_cut(&p.tape, scratch);
  CHECK(read.points == 0 && read.widths == 0 && read.low[0] == INFINITY && read.high[1] == -INFINITY);
}

/* Edges whose ends are on both sides of a level, one on it above, and those that are free. */
static void edges_near_a_level(void) {
  const double height[4] = {0, 1, 2, 3};
  const int32_t edge[5][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {2, 3}};
  bool open[5] = {false, false, false, false, true};
  int32_t out[5][2];
  CHECK(hik_tape_near(height, edge[0], open, 5, 2, NULL) == 3);
  CHECK(hik_tape_near(height, edge[0], open, 5, 2, out[0]) == 3);
  CHECK(out[0][0] == 1 && out[0][1] == 2 && out[1][0] == 0 && out[1][1] == 3 && out[2][0] == 2);
  CHECK(hik_tape_near(height, edge[0], open, 4, 3.5, out[0]) == 0);
}

static void volume_of_a_tetrahedron(void) {
  const double vertex[4][3] = {{1, 1, 1}, {3, 1, 1}, {1, 4, 1}, {1, 1, 6}};
  const int32_t face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  CHECK_NEAR(hik_volume(vertex[0], face[0], 4), 30, 1e-12);
  CHECK(hik_volume(vertex[0], face[0], 0) == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(girth_and_extents);
  RUN(on_the_plane_and_beyond);
  RUN(edges_near_a_level);
  RUN(volume_of_a_tetrahedron);
  CHECK_END();
}
