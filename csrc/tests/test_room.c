#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "model/swing.h"

enum { CORNERS = 6, EDGE = 3000, STAR = 24 };

/* An L, not convex; a triangle without the bone at rest; all but a triangle. */
static const double bent[CORNERS][2] = {{-2.6, 0.9}, {-0.7, 1.3}, {0.2, 1.2},
                                        {0.6, 0.35}, {1.6, 1},    {2.8, 0.7}};
static const double aside[3][2] = {{0.9, 1.3}, {0.5, 0.7}, {0.2, 1.2}};
static const double outside_in[3][2] = {{0.2, 1.2}, {0.5, 0.7}, {0.9, 1.3}};

static double memory[3][3 * STAR];

static const char *make(hik_swing *s, const double (*angles)[2], int32_t n) {
  *s = (hik_swing){
      .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {HIK_PI, HIK_PI, HIK_PI, HIK_PI}, .twist = {-1, 1}};
  return hik_polygon_set(s, angles[0], n, memory[0], memory[1]);
}

static void random_direction(hik_rng *rng, double d[3]) {
  double q[4];
  hik_rng_rotation(rng, q);
  d[0] = 2 * (q[1] * q[3] + q[0] * q[2]), d[1] = 2 * (q[2] * q[3] - q[0] * q[1]);
  d[2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

static double angle_of(const double a[3], const double b[3]) {
  double off[3];
  hik_sub3(a, b, off);
  return 2 * hik_asin(fmin(0.5 * hik_norm(off), 1));
}

/* Crossings of the great circle arc from d to a point inside with the edges: even means inside. */
static bool inside_by_crossings(const hik_swing *s, const double within[3], const double d[3]) {
  double n[3];
  int crossings = 0;
  hik_cross(d, within, n);
  for (int32_t k = 0; k < s->corners; k++) {
    const double *a = s->corner + 3 * k, *b = s->corner + 3 * ((k + 1) % s->corners), *m = s->edge + 3 * k;
    double p[3], mid[3], way[3];
    if ((hik_dot(n, a) > 0) == (hik_dot(n, b) > 0) || (hik_dot(m, d) > 0) == (hik_dot(m, within) > 0))
      continue;
    hik_cross(n, m, p);
    hik_add3(a, b, mid);
    hik_add3(d, within, way);
    crossings += (hik_dot(p, mid) > 0) == (hik_dot(p, way) > 0);
  }
  return crossings % 2 == 0;
}

static void check_polygon(const double (*angles)[2], int32_t n, const double within[3]) {
  static double edge[8 * EDGE][3];
  hik_swing s;
  hik_rng rng = hik_rng_start(5, (uint64_t)n);
  const int count = 6 * EDGE / n < EDGE ? 6 * EDGE / n : EDGE;
  CHECK(make(&s, angles, n) == NULL);
  for (int32_t k = 0; k < n; k++)
    for (int i = 0; i < count; i++) {
      double t = (double)i / count, *out = edge[k * count + i];
      for (int c = 0; c < 3; c++)
        out[c] = (1 - t) * s.corner[3 * k + c] + t * s.corner[3 * ((k + 1) % n) + c];
      hik_unit(out, out);
    }
  for (int i = 0; i < 200; i++) {
    double d[3], best = 4, uv[2], p[3];
    hik_nearest near;
    random_direction(&rng, d);
    hik_polygon_nearest(&s, d, &near);
    for (int32_t e = 0; e < n * count; e++) best = fmin(best, angle_of(edge[e], d));
    CHECK(fabs(near.distance) <= best + 1e-12 && fabs(near.distance) >= best - 1e-3);
    CHECK((near.distance <= 0) == inside_by_crossings(&s, within, d));
    hik_swing_of_direction(d, uv);
    bool moved = hik_polygon_clamp(&s, uv);
    CHECK(moved == (near.distance > 1e-14));
    hik_swing_direction(uv, p);
    CHECK_NEAR(angle_of(p, d), fmax(near.distance, 0), 1e-12);
    hik_polygon_nearest(&s, p, &near);
    CHECK(near.distance < 1e-14);
  }
}

static void polygons_against_points_of_their_edges(void) {
  const double rest[3] = {0, 0, 1};
  double within[3] = {0, 0, 0}, far[3];
  hik_swing s;
  check_polygon(bent, CORNERS, rest);
  CHECK(make(&s, aside, 3) == NULL);
  for (int k = 0; k < 3; k++) hik_add3(within, s.corner + 3 * k, within);
  hik_unit(within, within);
  check_polygon(aside, 3, within);
  hik_scale3(-1, within, far);
  far[0] += 0.1, far[1] -= 0.2; /* the crossings want no opposite points */
  hik_unit(far, far);
  check_polygon(outside_in, 3, far);
  /* of many corners, long edges beside short ones, the far ones are passed over */
  double star[STAR][2];
  for (int k = 0; k < STAR; k++) {
    star[k][0] = -3 + 0.25 * k, star[k][1] = k % 2 ? 0.4 : 1 + 0.02 * k;
    if (k > 16) star[k][0] = 1 + 0.06 * (k - 16), star[k][1] = 1.1;
  }
  star[STAR - 1][0] = 2.9;
  check_polygon(star, STAR, rest);
}

static void bad_polygons_are_refused(void) {
  hik_swing s;
  CHECK(make(&s, bent, 2) != NULL);
  CHECK(make(&s, (const double[4][2]){{0, 1}, {2, 1}, {1, 1}, {3, 1}}, 4) != NULL); /* crosses itself */
  CHECK(make(&s, (const double[4][2]){{0, 1}, {0, 1}, {2, 1}, {4, 1}}, 4) != NULL); /* a side of no length */
  CHECK(make(&s, (const double[3][2]){{0, 1}, {HIK_PI, HIK_PI - 1}, {1, 1}}, 3) != NULL); /* opposite */
  CHECK(make(&s, (const double[4][2]){{0, 1}, {0, 0.5}, {0, 0.8}, {2, 1}}, 4) != NULL);   /* folds back */
  CHECK(make(&s, (const double[3][2]){{0, 3}, {HIK_PI, 3}, {2, 1}}, 3) != NULL); /* through the back */
  CHECK(make(&s, (const double[3][2]){{0, NAN}, {1, 1}, {2, 1}}, 3) != NULL);
  const char *numbers = make(&s, (const double[3][2]){{0, -1e-9}, {2, 1}, {4, 1}}, 3);
  CHECK(numbers != NULL);
  CHECK(make(&s, (const double[3][2]){{0, 1}, {2, 1}, {4, 1}}, 3) == NULL);
  CHECK(make(&s, (const double[3][2]){{1e3, 1}, {1e3 + 2, 1}, {1e3 + 4, 1}}, 3) == numbers);
  CHECK(make(&s, (const double[3][2]){{1e3, 1}, {1e3 - 2, 1}, {1e3 - 4, 1}}, 3) !=
        numbers); /* the last that counts */
  CHECK(make(&s, (const double[3][2]){{0, nextafter(HIK_PI, 4)}, {2, 1}, {4, 1}}, 3) == numbers);
  CHECK(make(&s, (const double[3][2]){{0, HIK_PI}, {2, 1}, {4, 1}}, 3) != numbers);
  CHECK(make(&s, (const double[3][2]){{0, 0}, {2, 1}, {4, 1}}, 3) != numbers);
  double knots[6] = {0, -1, 1, -1, -1, 1};
  CHECK(hik_twists_set(&s, knots, 2, 1, memory[2]) != NULL); /* azimuths fall */
  knots[3] = 1, knots[4] = 2;
  CHECK(hik_twists_set(&s, knots, 2, 1, memory[2]) != NULL); /* reversed */
  knots[5] = 2.5;
  CHECK(hik_twists_set(&s, knots, 2, 0, memory[2]) != NULL);
  CHECK(hik_twists_set(&s, knots, 2, 1, memory[2]) == NULL);
}

/* Periodic, within what was given, with the slopes that differences show. */
static void twists_are_smooth(void) {
  const double knots[12] = {-2.5, -0.3, 0.2, -0.5, -1, 0.9, 1, -0.2, 1.4, 2.2, 0.1, 0.6};
  hik_swing s;
  CHECK(make(&s, bent, CORNERS) == NULL);
  CHECK(hik_twists_set(&s, knots, 4, 1.2, memory[2]) == NULL);
  hik_rng rng = hik_rng_start(6, 1);
  for (int i = 0; i < 2000; i++) {
    double uv[2], limit[2], slope[2][2], side[2][2];
    for (int k = 0; k < 2; k++) uv[k] = (i % 3 ? 2 : 0.01) * (2 * hik_rng_uniform(&rng) - 1);
    hik_twist_at(&s, uv, limit, slope);
    CHECK(limit[0] <= limit[1] && limit[0] >= -1 && limit[1] <= 1.4);
    for (int k = 0; k < 2; k++) {
      for (int j = 0; j < 2; j++) {
        double at[2] = {uv[0], uv[1]};
        at[k] += j ? 1e-6 : -1e-6;
        hik_twist_at(&s, at, side[j], NULL);
      }
      for (int e = 0; e < 2; e++) CHECK_NEAR(slope[e][k], (side[1][e] - side[0][e]) / 2e-6, 2e-5);
    }
  }
  double seam[2][2], limits[2][2];
  for (int k = 0; k < 2; k++) {
    seam[k][0] = -1.5, seam[k][1] = k ? 1e-9 : -1e-9;
    hik_twist_at(&s, seam[k], limits[k], NULL);
  }
  for (int e = 0; e < 2; e++) CHECK_NEAR(limits[0][e], limits[1][e], 1e-8);
}

/* Drawn points are inside, and fill the area evenly: each octant of a cap as its share says. */
static void points_inside(void) {
  const double knots[6] = {-1, -0.3, 0.2, 1, -1, 0.9};
  hik_swing s;
  hik_rng rng = hik_rng_start(8, 1);
  const double(*shapes[3])[2] = {bent, aside, outside_in};
  for (int shape = 0; shape < 3; shape++) {
    CHECK(make(&s, shapes[shape], shape ? 3 : CORNERS) == NULL);
    CHECK(hik_twists_set(&s, knots, 2, 1, memory[2]) == NULL);
    int drawn = 0, of = 0;
    for (int i = 0; i < 4000; i++) {
      double q[4], x[3], d[3];
      const double u[3] = {hik_rng_uniform(&rng), hik_rng_uniform(&rng), hik_rng_uniform(&rng)};
      hik_swing_spread(&s, u, q);
      hik_swing_split(&s, q, x);
      CHECK(hik_swing_excess(&s, x) < 1e-12);
      hik_swing_random(&s, &rng, q);
      hik_swing_split(&s, q, x);
      CHECK(hik_swing_excess(&s, x) < 1e-12);
      hik_swing_direction(x, d);
      drawn += d[0] > 0.4;
    }
    double area = 0, all = 0;
    for (int i = 0; i < 40000; i++) {
      double d[3];
      hik_nearest near;
      random_direction(&rng, d);
      hik_polygon_nearest(&s, d, &near);
      if (near.distance > 0) continue;
      all++, area += d[0] > 0.4;
    }
    of = (int)(4000 * area / all);
    CHECK(abs(drawn - of) < 4000 * 0.05);
  }
}

static void nan_is_nearest_to_nothing(void) {
  hik_swing s;
  hik_nearest near;
  double d[3] = {NAN, 0, 1}, uv[2] = {NAN, 0.1};
  CHECK(make(&s, bent, CORNERS) == NULL);
  hik_polygon_nearest(&s, d, &near);
  CHECK(isnan(near.distance) && isnan(near.point[0]) && near.corner == -1 && near.edge == 0);
  CHECK(!hik_polygon_clamp(&s, uv) && isnan(uv[0]));
}

/* A step as long as an undamped solver may make it: its direction alone, beyond the back of the sphere, says nothing. */
static void any_step_is_brought_inside(void) {
  static const struct figure {
    const double (*angles)[2];
    int32_t n;
  } figures[] = {{bent, CORNERS}, {aside, 3}, {outside_in, 3}};
  hik_rng rng = hik_rng_start(9, 1);
  for (int k = 0; k < 3; k++) {
    hik_swing s;
    CHECK(make(&s, figures[k].angles, figures[k].n) == NULL);
    for (int i = 0; i < 3000; i++) {
      double size = pow(10, 6 * hik_rng_uniform(&rng) - 1), phi = 2 * HIK_PI * hik_rng_uniform(&rng);
      double in[3] = {size * cos(phi), size * sin(phi), 0};
      hik_swing_clamp_swing(&s, in);
      CHECK(hik_swing_excess(&s, in) < 1e-9);
    }
  }
}

/* Who starts and ends at the tip of a sharp corner may have been beyond both of its edges, and then farther from the room by
   the sine of half the corner; of a way of more than 1 rad nothing is said. */
static void a_way_may_bulge_beyond_a_sharp_corner(void) {
  static const double sharp[3][2] = {{0, 1.2}, {0.12, 1.1}, {3.1, 1}};
  hik_swing s;
  CHECK(make(&s, sharp, 3) == NULL);
  double least = HIK_PI;
  const double *tip = NULL;
  for (int k = 0; k < 3; k++) {
    const double *at = s.corner + 3 * k;
    double side[2][3];
    for (int i = 0; i < 2; i++) { /* towards the two others, along the sphere */
      hik_sub3(s.corner + 3 * ((k + 1 + i) % 3), at, side[i]);
      double along = hik_dot(side[i], at);
      for (int j = 0; j < 3; j++) side[i][j] -= along * at[j];
      hik_unit(side[i], side[i]);
    }
    double corner = angle_of(side[0], side[1]);
    if (corner < least) least = corner, tip = at;
  }
  CHECK(least < 0.3);
  for (int k = 0; k < 4; k++) {
    double turn = 0.1 / (1 << k), off = turn * turn / 8, far = asin(off / sin(0.5 * least));
    double bound = hik_polygon_between(&s, tip, tip, turn, 0);
    CHECK(bound >= far * (1 - 1e-9) && bound <= far * (1 + 1e-9));
    double curved = hik_polygon_between(&s, tip, tip, turn, turn * turn), more = asin(2 * sin(far));
    CHECK(curved >= more * (1 - 1e-9) && curved <= more * (1 + 1e-9));
  }
  CHECK(hik_polygon_between(&s, tip, tip, 1, 0) < INFINITY);
  CHECK(hik_polygon_between(&s, tip, tip, 1.001, 0) == INFINITY);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(polygons_against_points_of_their_edges);
  RUN(bad_polygons_are_refused);
  RUN(twists_are_smooth);
  RUN(points_inside);
  RUN(nan_is_nearest_to_nothing);
  RUN(any_step_is_brought_inside);
  RUN(a_way_may_bulge_beyond_a_sharp_corner);
  CHECK_END();
}
