/* test_chart.c: columns of balls with limits. That they are what moves the figure is tested in test_descent.c. */
#include "descent_figures.h"

/* Each column of a ball may go just as far as its room says, one at a time. */
static void test_room_of_a_cone(void) {
  bench b;
  start_bench(&b, cone_arm(), "pose", false);
  hik_descent *d = &b.d;
  const hik_swing *cone = d->chart[0].cone;
  for (uint64_t draw = 0; draw < 300; draw++) {
    pose_bench(&b, "pose", draw);
    for (int32_t k = 0; k < 2; k++) {
      double room[2], in[3], sine = d->chart[0].way[0][1], cosine = d->chart[0].way[0][0];
      hik_descent_room(d, b.q, k, room, room + 1);
      for (int side = 0; side < 2; side++) {
        CHECK(fabs(room[side]) > 1e-9); /* random poses stand inside */
        for (int beyond = 0; beyond < 2; beyond++) {
          double t = room[side] * (beyond ? 1 + 1e-6 : 1 - 1e-6);
          memcpy(in, d->chart[0].x, sizeof in);
          in[0] += t * (k ? -sine : cosine), in[1] += t * (k ? cosine : sine);
          CHECK((hik_swing_excess(cone, in) > 0) == beyond);
        }
      }
    }
  }
  end_bench(&b);
}

/* In a convex corner of a polygon the columns go along its two edges, both held below, and lead along the edge. */
static void test_chart_of_a_corner(void) {
  bench b;
  start_bench(&b, room_arm(), "pose", false);
  hik_descent *d = &b.d;
  const hik_swing *s = d->chart[0].cone;
  for (int32_t k = 0; k < s->corners; k++) {
    double x[3] = {0, 0, 0.05}, e[6] = {0};
    hik_swing_of_direction(s->corner + 3 * (size_t)k, x);
    hik_swing_clamp(s, x);
    hik_swing_join(s, x, b.q);
    hik_descent_charts(d, b.q);
    const hik_chart *c = d->chart;
    if (k == 3) { /* the corner that points inwards has one wall */
      CHECK(c->up[0] == 0 && c->down[1] == -INFINITY && c->up[1] == INFINITY);
      continue;
    }
    CHECK(c->down[0] == 0 && c->down[1] == 0);
    for (int side = 0; side < 2; side++) {
      double in[2], direction[3];
      hik_nearest near;
      e[0] = side ? 0 : 1e-4, e[1] = side ? 1e-4 : 0;
      for (int i = 0; i < 2; i++) in[i] = c->x[i] + c->way[0][i] * e[0] + c->way[1][i] * e[1];
      hik_swing_direction(in, direction);
      hik_polygon_nearest(s, direction, &near);
      CHECK_NEAR(near.distance, 0, 1e-7); /* the edge bends in the plane of angles: 1e-8 */
      CHECK(near.edge == (side ? (k + s->corners - 1) % s->corners : k));
    }
  }
  end_bench(&b);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_room_of_a_cone);
  RUN(test_chart_of_a_corner);
  CHECK_END();
}
