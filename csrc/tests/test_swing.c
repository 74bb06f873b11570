#include "base/rng.h"
#include "check.h"
#include "model/swing.h"

enum { EDGE = 20000 };

static double uniform(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

static void direction(const double uv[2], double out[3]) {
  double r = sqrt(uv[0] * uv[0] + uv[1] * uv[1]), s, c;
  hik_sincos(r, &s, &c);
  double k = r > 1e-8 ? s / r : 1;
  out[0] = k * uv[0], out[1] = k * uv[1], out[2] = c;
}

static double angle_of(const double a[3], const double b[3]) {
  double off[3];
  hik_sub3(a, b, off);
  return 2 * hik_asin(0.5 * hik_norm(off));
}

/* Points of the edge, by quadrant; those behind the back of the sphere are left out. */
static int edge_of(const double half[4], double (*out)[3]) {
  int n = 0;
  for (int i = 0; i < EDGE; i++) {
    double s, c;
    hik_sincos(2 * HIK_PI * i / EDGE, &s, &c);
    const double uv[2] = {c * half[c >= 0 ? 0 : 2], s * half[s >= 0 ? 1 : 3]};
    if (uv[0] * uv[0] + uv[1] * uv[1] <= HIK_SWING_MOST * HIK_SWING_MOST * (1 + 1e-15))
      direction(uv, out[n++]);
  }
  return n;
}

static double radius(const double half[4], const double uv[2]) {
  double x = uv[0] / fmax(half[uv[0] >= 0 ? 0 : 2], 1e-9), y = uv[1] / fmax(half[uv[1] >= 0 ? 1 : 3], 1e-9);
  return sqrt(x * x + y * y);
}

static void draw_outside(hik_rng *rng, const double half[4], int i, double uv[2]) {
  do {
    double r = HIK_PI * sqrt(hik_rng_uniform(rng)), s, c;
    if (i % 5 == 4) r = HIK_PI - 1e-3 * hik_rng_uniform(rng);
    hik_sincos(uniform(rng, 0, 2 * HIK_PI), &s, &c);
    uv[0] = r * c, uv[1] = r * s;
  } while (radius(half, uv) <= 1);
}

/* Against every point of a fine edge, narrow and wide cones, needles, and those that reach past the back. */
static void nearest_direction_is_the_best(void) {
  static double edge[EDGE][3];
  static const double hard[][4] = {{1.92, 1.75, 0.7, 1.05},
                                   {2.97, 1.57, 0.35, 1.57},
                                   {3.05, 3.05, 0.17, 0.17},
                                   {3.7, 1, 2, 1.2},
                                   {6, 0.3, 0.2, 2.9},
                                   {2.5, 1e-9, 0, 2},
                                   {1, 1, 1, 1},
                                   {2, 2, 2, 2.0000001},
                                   {0.3, HIK_PI, 0.3, HIK_PI}};
  hik_rng rng = hik_rng_start(3, 1);
  for (int k = 0; k < HIK_COUNT_OF(hard) + 15; k++) {
    double half[4], uv[2], near[2], d[3], p[3];
    for (int i = 0; i < 4; i++) half[i] = k < HIK_COUNT_OF(hard) ? hard[k][i] : uniform(&rng, 0.01, 3.1);
    int n = edge_of(half, edge);
    for (int i = 0; i < 20; i++) {
      draw_outside(&rng, half, i, uv);
      memcpy(near, uv, sizeof near);
      hik_swing_nearest(half, near);
      CHECK(radius(half, near) <= 1 + 1e-12 &&
            near[0] * near[0] + near[1] * near[1] <= HIK_SWING_MOST * HIK_SWING_MOST);
      direction(uv, d);
      direction(near, p);
      double best = 4;
      for (int e = 0; e < n; e++) best = fmin(best, angle_of(edge[e], d));
      CHECK(angle_of(p, d) <= best + 1e-9);
    }
  }
}

/* The plane's nearest in the far field of a wide cone is far from the best: the reason for the search. */
static void plane_of_angles_is_no_substitute(void) {
  const double half[4] = {2.97, 1.57, 0.35, 1.57}, uv[2] = {-2.6, 0.3};
  hik_swing s = {.half = {2.97, 1.57, 0.35, 1.57}, .twist = {-1, 1}};
  double plane[3] = {uv[0], uv[1], 0}, sphere[2] = {uv[0], uv[1]}, d[3], p[3], q[3];
  CHECK(hik_swing_clamp(&s, plane));
  hik_swing_nearest(half, sphere);
  direction(uv, d), direction(plane, p), direction(sphere, q);
  CHECK(angle_of(q, d) < angle_of(p, d) - 0.5);
}

/* All around open, nothing is outside; a half-axis past the back opens a wedge that ends there. */
static void past_the_back(void) {
  double all[4] = {7, 7, 7, 7}, uv[2] = {3, 0.5};
  hik_swing_nearest(all, uv);
  CHECK(uv[0] == 3 && uv[1] == 0.5);
  hik_swing s = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {4, 1, 1, 1}, .twist = {-1, 1}};
  double back[3] = {HIK_SWING_MOST, 0, 0.5}, beyond[3] = {3.5, 0, 0.5};
  CHECK(hik_swing_excess(&s, back) == 0);
  CHECK(hik_swing_clamp(&s, beyond));
  CHECK_NEAR(beyond[0], HIK_SWING_MOST, 1e-12);
}

static void clamp_of_a_quaternion(void) {
  hik_rng rng = hik_rng_start(9, 1);
  for (int i = 0; i < 300; i++) {
    hik_swing s = {.axes = {0, 0, 1, 1, 0, 0, 0, 1, 0}, .twist = {-0.5, 0.7}};
    double q[4], x[3];
    for (int k = 0; k < 4; k++) s.half[k] = uniform(&rng, 0.05, 3.1);
    hik_rng_rotation(&rng, q);
    hik_swing_clamp_quat(&s, q);
    hik_swing_split(&s, q, x);
    CHECK(hik_swing_excess(&s, x) < 1e-12);
    double again[4] = {q[0], q[1], q[2], q[3]};
    hik_swing_clamp_quat(&s, again);
    for (int k = 0; k < 4; k++) CHECK_NEAR(again[k], q[k], 1e-12);
  }
}

/* Rounds a quaternion's numbers cannot tell apart: beside needles and near the back, where azimuth and twist turn about
   nearly one line. The bytes stay, and what a clamp made counts as inside. */
static void clamped_twice_is_clamped_once(void) {
  static const double half[][4] = {{3.1, 1e-9, HIK_PI, 1e-3},
                                   {6, 6, 6, 6},
                                   {HIK_PI, 6, 1e-3, 6},
                                   {0, 0, 0, 0}},
                      twist[][2] = {{0.2, 0.2}, {-0.3, 0.4}, {-HIK_PI, HIK_PI}};
  hik_rng rng = hik_rng_start(17, 1);
  int moved = 0;
  for (int i = 0; i < CHECK_REPEATS(200000, 5000); i++) {
    hik_swing s = {.axes = {0, 0, 1, 1, 0, 0, 0, 1, 0}};
    double q[4], again[4], x[3];
    memcpy(s.half, half[i % HIK_COUNT_OF(half)], sizeof s.half);
    memcpy(s.twist, twist[i / HIK_COUNT_OF(half) % HIK_COUNT_OF(twist)], sizeof s.twist);
    hik_rng_rotation(&rng, q);
    if (i % 3) q[0] *= pow(10, -uniform(&rng, 0, 9)), q[3] *= pow(10, -uniform(&rng, 0, 9));
    hik_quat_normalize(q);
    memcpy(again, q, sizeof q);
    hik_swing_clamp_quat(&s, q);
    moved += memcmp(again, q, sizeof q) != 0;
    memcpy(again, q, sizeof q);
    hik_swing_clamp_quat(&s, again);
    CHECK(memcmp(again, q, sizeof q) == 0);
    hik_swing_split(&s, q, x);
    CHECK(hik_swing_excess(&s, x) <= 1e-13 + hik_swing_rounding(x));
    CHECK(hik_swing_rounding(x) <= 2.1e-10);
  }
  CHECK(moved > 1000);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(nearest_direction_is_the_best);
  RUN(plane_of_angles_is_no_substitute);
  RUN(past_the_back);
  RUN(clamp_of_a_quaternion);
  RUN(clamped_twice_is_clamped_once);
  CHECK_END();
}
