/* test_tree_cone.c: balls in lanes (simd/tree_cone.h) against the same in scalars (model/swing.h, base/quat.h,
   model/chart.c), with draws close to each threshold, so that none can be moved. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#define LANES 2
#include "simd/tree_cone.h"

#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "model/chart.h"

enum { MANY = CHECK_REPEATS(20000, 2000) };

static double between(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

/* From 10^low to 10^high, each size as likely. */
static double sized(hik_rng *rng, double low, double high) { return pow(10, between(rng, low, high)); }

static hik_swing cone_of(hik_rng *rng) {
  hik_swing s = {.twist = {between(rng, -2, -0.1), between(rng, 0.1, 2)}};
  double quat[4];
  hik_rng_rotation(rng, quat);
  hik_quat_to_mat(quat, s.axes);
  for (int i = 0; i < 4; i++) s.half[i] = between(rng, 0.2, 1.5);
  return s;
}

static void fill(const double *x, int n, lane *out) {
  for (int i = 0; i < n; i++) out[i] = lane_all(x[i]);
}

/* A swing of this size, whichever way it goes. */
static void swing_of(hik_rng *rng, double size, double *x) {
  double way = between(rng, -HIK_PI, HIK_PI);
  x[0] = size * cos(way), x[1] = size * sin(way), x[2] = between(rng, -1, 1);
}

static bool same_bytes(const lane *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < LANES; k++) {
      double x = a[i][k];
      if (memcmp(&x, b + i, sizeof x) != 0 && x != b[i]) return false; /* zeros of both signs are one */
    }
  return true;
}

static void angles_make_a_quaternion(void) {
  hik_rng rng = hik_rng_start(1, 1);
  for (int k = 0; k < MANY; k++) {
    hik_swing s = cone_of(&rng);
    double x[3], q[4];
    lane at[3];
    room_work w;
    swing_of(&rng, k % 100 == 0 ? 0 : k % 2 ? sized(&rng, -10, -6) : between(&rng, 0, 3), x);
    if (k % 4 == 1) x[2] = 0; /* beside a twist the digits of a small swing are lost */
    hik_swing_join(&s, x, q);
    fill(x, 3, at);
    tree_cone_quat(&s, at, &w);
    CHECK(same_bytes(w.quat, q, 4));
    CHECK_NEAR(w.turn[CONE_SINE][0], sin(0.5 * hypot(x[0], x[1])), 1e-15);
    CHECK_NEAR(w.turn[CONE_TWIST_COSINE][0], cos(0.5 * x[2]), 1e-15);
  }
}

/* A rotation vector in the ball's frame: what hik_chart_turns says of a move along `rate`, its two coefficients by series. */
static void turned_by(const hik_swing *s, const double *x, const double *rate, double *out) {
  double square = x[0] * x[0] + x[1] * x[1], w[3], once[3], twice[3];
  const double f[3] = {-x[1], x[0], 0};
  double a = 0.5 - square / 24 + square * square / 720, b = 1.0 / 6 - square / 120 + square * square / 5040;
  hik_cross(f, rate, once);
  hik_cross(f, once, twice);
  for (int i = 0; i < 3; i++) w[i] = rate[i] - a * once[i] + b * twice[i];
  const double turned[3] = {cos(x[2]) * w[0] + sin(x[2]) * w[1], cos(x[2]) * w[1] - sin(x[2]) * w[0], w[2]};
  hik_mat_vec(s->axes, turned, out);
}

/* The columns' turns: above 1e-4 what the series says, below what the scalars say, which leave the series at its first terms;
   far out what they say as well. */
static void columns_turn_the_ball(void) {
  hik_rng rng = hik_rng_start(1, 2);
  double small = 0, middle = 0, large = 0;
  for (int k = 0; k < MANY; k++) {
    hik_swing s = cone_of(&rng);
    double x[3], size = k % 3 == 0   ? (k % 100 ? sized(&rng, -7, -4.001) : 0)
                        : k % 3 == 1 ? sized(&rng, -4, -2.5)
                                     : between(&rng, 0.1, 3);
    swing_of(&rng, size, x);
    hik_chart chart = {.cone = &s};
    double way[3], out[3][3], want[3];
    lane at[3];
    room_work w = {.carried = {lane_all(0), lane_all(0)}};
    swing_of(&rng, 1, way);
    for (int i = 0; i < 2; i++) chart.x[i] = x[i], chart.way[0][i] = way[i];
    chart.x[2] = x[2], chart.way[1][0] = -way[1], chart.way[1][1] = way[0];
    hik_chart_turns(&chart, out);
    fill(x, 3, at), fill(way, 2, w.way), fill(chart.way[1], 2, w.way + 2);
    tree_cone_quat(&s, at, &w);
    tree_cone_turns(&s, at, &w);
    for (int column = 0; column < 3; column++) {
      const double rate[3] = {-chart.way[column & 1][1], chart.way[column & 1][0], 0};
      turned_by(&s, x, rate, want);
      for (int i = 0; i < 3; i++) {
        double got = w.turned[column][i][0], gap = fabs(got - out[column][i]);
        if (size < 1e-4 || column == 2)
          small = !(gap <= small) ? gap : small;
        else if (size < 0.01)
          middle = !(fabs(got - want[i]) <= middle) ? fabs(got - want[i]) : middle;
        else
          large = !(gap <= large) ? gap : large;
      }
    }
  }
  CHECK(small < 1e-15 && middle < 1e-13 && large < 1e-13);
  if (!(small < 1e-15 && middle < 1e-13 && large < 1e-13))
    printf("off by %g, %g, %g\n", small, middle, large);
}

static void half_axes_are_never_nothing(void) {
  static const double half[] = {0, 1e-10, 9.9e-10, 1.1e-9, 5e-9, 1e-8, 1};
  static const double sign[] = {-1, 0, 1};
  for (int k = 0; k < 7; k++)
    for (int i = 0; i < 9; i++) {
      hik_swing s = {.half = {half[k], half[(k + 1) % 7], half[(k + 2) % 7], half[(k + 3) % 7]}};
      double uv[2] = {sign[i % 3], sign[i / 3]}, ab[2];
      lane at[2], out[2];
      hik_swing_axes(&s, uv, ab);
      fill(uv, 2, at);
      tree_half_axes(&s, at, out);
      CHECK(same_bytes(out, ab, 2));
    }
}

/* Nearly unmoved, nearly at the edge, nearly at the back of the sphere, and anywhere: column 0 goes where the scalars' goes, and
   is held where theirs is. Its room is theirs where the cone is an ellipse, whose quadrants are alike. */
static void columns_have_their_room(void) {
  hik_rng rng = hik_rng_start(1, 3);
  int held = 0, unmoved = 0, back = 0;
  for (int k = 0; k < MANY; k++) {
    hik_swing s = cone_of(&rng);
    double x[3], q[4];
    swing_of(&rng, 1, x);
    if (k % 4 == 3) s.half[0] = s.half[1] = 4; /* half of the axes go round the back */
    s.half[2] = s.half[0], s.half[3] = s.half[1];
    double rim = 1 / hypot(x[0] / s.half[0], x[1] / s.half[1]);
    double to = k % 4 == 0   ? sized(&rng, -11, -8)
                : k % 4 == 1 ? rim * (1 - sized(&rng, -11, -7))
                : k % 4 == 2 ? rim * between(&rng, 0.01, 0.99)
                             : HIK_SWING_MOST * (1 - sized(&rng, -11, -7));
    x[0] *= to, x[1] *= to;
    hik_chart c = {.cone = &s};
    hik_swing_join(&s, x, q);
    hik_chart_make(&c, q);
    lane at[3], down[3], up[3];
    room_work w;
    fill(c.x, 3, at);
    tree_cone_room(&s, at, &w, down, up);
    CHECK_NEAR(w.way[0][0], c.way[0][0], 1e-12);
    CHECK_NEAR(w.way[1][1], c.way[0][1], 1e-12);
    bool edge = c.up[0] == 0;
    CHECK((up[0][0] == 0) == edge && (up[1][0] == INFINITY) == edge && (down[1][1] == -INFINITY) == edge);
    for (int i = 0; i < 3; i++) {
      if (k % 4 == 3 && i < 2) continue; /* the scalars' room ends at the back */
      double near_root =
          2e-7; /* at a thousand-millionth from the edge half the digits of the root are left */
      if (c.up[i] < INFINITY) CHECK_NEAR(up[i][0], c.up[i], near_root);
      if (c.down[i] > -INFINITY) CHECK_NEAR(down[i][1], c.down[i], near_root);
    }
    held += edge && k % 4 == 1, back += edge && k % 4 == 3;
    unmoved += k % 4 == 0 && c.way[0][0] == 1 && c.way[0][1] == 0;
  }
  CHECK(held > MANY / 20 && back > MANY / 20 && unmoved > MANY / 20);
}

/* A cone that ends just at the back of the sphere: its own normal is the one that counts. */
static void an_edge_at_the_back_is_the_cones_own(void) {
  hik_swing s = {
      .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {HIK_SWING_MOST, 4, HIK_SWING_MOST, 4}, .twist = {-1, 1}};
  double x[3] = {HIK_SWING_MOST * cos(0.002), HIK_SWING_MOST * sin(0.002), 0}, q[4];
  hik_chart c = {.cone = &s};
  x[0] *= 1 + 1e-7, x[1] *= 1 + 1e-7; /* to the edge, and beyond */
  double rim = hypot(x[0] / s.half[0], x[1] / s.half[1]);
  for (int i = 0; i < 2; i++) x[i] *= (1 - 1e-10) / rim;
  hik_swing_join(&s, x, q);
  hik_chart_make(&c, q);
  lane at[3], down[3], up[3];
  room_work w;
  fill(c.x, 3, at);
  tree_cone_room(&s, at, &w, down, up);
  CHECK(fabs(c.way[0][1] / c.way[0][0] - c.x[1] / c.x[0]) > 1e-4); /* that of the ray would show */
  CHECK_NEAR(w.way[1][0], c.way[0][1], 1e-9);
  CHECK(up[0][0] == 0 && c.up[0] == 0);
}

/* Moved along its ways a ball stands where the scalars' clamp puts it, to the byte. */
static void moves_end_inside(void) {
  hik_rng rng = hik_rng_start(1, 4);
  int brought_back = 0;
  for (int k = 0; k < MANY; k++) {
    hik_swing s = cone_of(&rng);
    double x[3], way[3], d[3], in[3];
    if (k % 4 == 0)
      for (int i = 0; i < 4; i++) s.half[i] = 4;
    swing_of(&rng, k % 4 ? between(&rng, 0, 0.2) : HIK_SWING_MOST * between(&rng, 0.9, 1), x);
    swing_of(&rng, 1, way);
    for (int i = 0; i < 3; i++) d[i] = between(&rng, -1, 1) * (k % 3 ? 1 : 0.01);
    if (k % 4 == 1) { /* to hardly beyond the edge, or the back */
      double to = k % 8 == 1 ? 1 / hypot(x[0] / s.half[x[0] < 0 ? 2 : 0], x[1] / s.half[x[1] < 0 ? 3 : 1])
                             : HIK_SWING_MOST / hypot(x[0], x[1]);
      if (k % 8 != 1)
        for (int i = 0; i < 4; i++) s.half[i] = 4;
      to *= 1 + sized(&rng, -9, -5);
      x[0] *= to, x[1] *= to, d[0] = d[1] = 0;
    }
    in[0] = x[0] + way[0] * d[0] - way[1] * d[1], in[1] = x[1] + way[1] * d[0] + way[0] * d[1],
    in[2] = x[2] + d[2];
    brought_back += hik_swing_clamp(&s, in);
    lane at[3], ways[2], by[3], out[3];
    fill(x, 3, at), fill(way, 2, ways), fill(d, 3, by);
    tree_cone_move(&s, at, ways, by, out);
    CHECK(same_bytes(out, in, 3));
  }
  CHECK(brought_back > MANY / 4 && brought_back < MANY);
}

/* What goes lane by lane, as polygons do: each lane is its own chart and its own move, to the byte. */
static void lanes_stand_for_themselves(void) {
  hik_rng rng = hik_rng_start(1, 6);
  for (int k = 0; k < MANY / 10; k++) {
    hik_swing s = cone_of(&rng);
    double x[LANES][3], d[3], in[3];
    lane at[3], by[3], down[3], up[3], out[3];
    room_work w;
    for (int i = 0; i < LANES; i++) {
      swing_of(&rng, between(&rng, 0, 0.2), x[i]);
      for (int j = 0; j < 3; j++) at[j][i] = x[i][j];
    }
    for (int j = 0; j < 3; j++) d[j] = between(&rng, -1, 1);
    fill(d, 3, by);
    tree_reach_room(&s, at, &w, down, up);
    tree_reach_move(&s, at, &w, by, out);
    for (int i = 0; i < LANES; i++) {
      hik_chart c = {.cone = &s, .x = {x[i][0], x[i][1], x[i][2]}};
      hik_chart_here(&c);
      hik_chart_move(&c, d, in);
      hik_swing_clamp(&s, in);
      CHECK(w.way[0][i] == c.way[0][0] && w.way[1][i] == c.way[0][1] && w.way[2][i] == c.way[1][0]);
      for (int j = 0; j < 3; j++) CHECK(out[j][i] == in[j] && down[j][i] == c.down[j] && up[j][i] == c.up[j]);
    }
  }
}

static void free_balls_turn(void) {
  hik_rng rng = hik_rng_start(1, 5);
  for (int k = 0; k < MANY; k++) {
    double q[4], d[3], by[4], axis[4],
        size = k % 100 == 0 ? 0
               : k % 2      ? sized(&rng, -10, -6)
                            : between(&rng, 0, 3);
    lane from[4], move[3], out[4];
    hik_rng_rotation(&rng, q);
    hik_rng_rotation(&rng, axis);
    hik_scale3(size, axis, d);
    hik_quat_exp(d, by);
    fill(q, 4, from), fill(d, 3, move);
    tree_ball_move(from, move, out);
    hik_quat_mul(q, by, q);
    hik_quat_normalize(q);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i][0], q[i], 4e-16);
    /* of a small turn all digits of the vector are there, not only those beside 1 */
    const double still[4] = {1, 0, 0, 0};
    fill(still, 4, from);
    tree_ball_move(from, move, out);
    for (int i = 1; i < 4; i++) CHECK_NEAR(out[i][1], by[i], 1e-15 * size);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(angles_make_a_quaternion);
  RUN(columns_turn_the_ball);
  RUN(half_axes_are_never_nothing);
  RUN(columns_have_their_room);
  RUN(an_edge_at_the_back_is_the_cones_own);
  RUN(moves_end_inside);
  RUN(lanes_stand_for_themselves);
  RUN(free_balls_turn);
  CHECK_END();
}
