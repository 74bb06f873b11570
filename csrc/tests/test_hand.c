/* test_hand.c: access/hand.c: rooms that are just too small and just large enough, and the bounds of a cell against draws. */
#include "access/hand.h"

#include "base/pose.h"
#include "scene_figures.h"

static hik_hand_proof asked(const hik_shape *shape, int32_t n, const double *ball, int32_t balls, double z,
                            double give, double tolerance, int64_t budget) {
  hik_world *w;
  hik_error error;
  int32_t near[8];
  int64_t used[8] = {0}, sum = 0;
  const double gives[8] = {give, give, give, give, give, give, give, give}, target[3] = {0, 0, z};
  CHECK(hik_world_create(shape, n, &w, &error) == HIK_OK);
  hik_hand hand = {w, gives, ball, balls};
  hik_hand_proof p = hik_hand_prove(&hand, target, tolerance, budget, near, used);
  for (int k = 0; k < 8; k++) sum += used[k];
  CHECK(p.outcome != HIK_HAND_BLOCKED ||
        sum == (p.cells + 6) / 2); /* of a full tree with six roots half are leaves */
  if (p.outcome == HIK_HAND_CLEAR) {
    CHECK(hik_mat_off(p.turn) < 1e-12);
    for (int32_t b = 0; b < balls; b++)
      for (int32_t k = 0; k < n; k++) {
        double at[3];
        hik_mat_vec(p.turn, ball + 4 * b, at);
        hik_add3(at, target, at);
        CHECK(hik_solid_distance(w, k, at) > ball[4 * b + 3] - give);
      }
  }
  hik_world_free(w);
  return p;
}

/* A ball of 20 mm that is 100 mm from the tip, below a floor: out of it where the tip is less than 80 mm deep. */
static void test_below_a_floor(void) {
  const double ball[4] = {0, 0, 0.1, 0.02};
  hik_shape floor = shape_at(HIK_SHAPE_PLANE, 0, 0, 0, 0, 0, 0);
  CHECK(asked(&floor, 1, ball, 1, -0.082, 0, 1e-3, 100000).outcome == HIK_HAND_BLOCKED);
  CHECK(asked(&floor, 1, ball, 1, -0.0805, 0, 1e-3, 100000).outcome !=
        HIK_HAND_BLOCKED); /* the tip may be higher */
  CHECK(asked(&floor, 1, ball, 1, -0.079, 0, 1e-3, 100000).outcome == HIK_HAND_CLEAR);
  /* all gives way by 10 mm */
  CHECK(asked(&floor, 1, ball, 1, -0.092, 0.01, 1e-3, 100000).outcome == HIK_HAND_BLOCKED);
  CHECK(asked(&floor, 1, ball, 1, -0.089, 0.01, 1e-3, 100000).outcome == HIK_HAND_CLEAR);
  CHECK(asked(&floor, 1, ball, 1, -0.082, 0, 1e-3, 3).outcome == HIK_HAND_OPEN);
  CHECK(asked(&floor, 1, ball, 1, -0.2, INFINITY, 1e-3, 1000).outcome == HIK_HAND_CLEAR);
  CHECK(asked(&floor, 1, ball, 0, -0.2, 0, 1e-3, 1000).outcome == HIK_HAND_CLEAR);
  CHECK(asked(&floor, 0, ball, 1, -0.2, 0, 1e-3, 1000).outcome == HIK_HAND_CLEAR);
}

/* A gap between two slabs that only a flat hand fits in, and no hand whose thumb stands out: the roll counts. */
static void test_between_slabs(void) {
  const double hand[12] = {0, 0, 0.1, 0.02, 0, 0.04, 0.05, 0.01, 0.04, 0, 0.05, 0.01};
  hik_shape slab[2] = {shape_at(HIK_SHAPE_BOX, 0, 0, 0.57, 2, 2, 1),
                       shape_at(HIK_SHAPE_BOX, 0, 0, -0.57, 2, 2, 1)};
  CHECK(asked(slab, 2, hand, 2, 0, 0, 1e-3, 200000).outcome == HIK_HAND_CLEAR);
  for (int i = 0; i < 2; i++) slab[i].pose[11] = i ? -0.53 : 0.53; /* 60 mm */
  CHECK(asked(slab, 2, hand, 2, 0, 0, 1e-3, 200000).outcome == HIK_HAND_CLEAR);
  /* two thumbs at right angles slant by 23 mm at best, and 10 mm stand out */
  CHECK(asked(slab, 2, hand, 3, 0, 0, 1e-3, 200000).outcome == HIK_HAND_BLOCKED);
  for (int i = 0; i < 2; i++) slab[i].pose[11] = i ? -0.535 : 0.535;
  CHECK(asked(slab, 2, hand, 3, 0, 0, 1e-3, 200000).outcome != HIK_HAND_BLOCKED);
  for (int i = 0; i < 2; i++) slab[i].pose[11] = i ? -0.517 : 0.517; /* 34 mm: less than the ball */
  CHECK(asked(slab, 2, hand, 1, 0, 0, 1e-3, 200000).outcome == HIK_HAND_BLOCKED);
}

/* A ball that is known to touch nothing in a cell is not asked in its halves, if it is one of the first 64: behind as many points at
   the tip none is, and each search looks at the same cells and ends the same. */
static void test_what_is_left_out_decides_nothing(void) {
  hik_rng rng = hik_rng_start(5, 1);
  int outcomes[3] = {0};
  for (int i = 0; i < CHECK_REPEATS(400, 12); i++) {
    double ball[4 * 72] = {0};
    hik_shape shape[7];
    for (int k = 0; k < 64; k++) ball[4 * k + 3] = 1e-6;
    for (int k = 64; k < 72; k++) {
      for (int j = 0; j < 3; j++) ball[4 * k + j] = 0.16 * (hik_rng_uniform(&rng) - (j < 2 ? 0.5 : 0));
      ball[4 * k + 3] = 0.005 + 0.015 * hik_rng_uniform(&rng);
    }
    for (int k = 0; k < 4; k++) {
      double at[3],
          far = 0.5 + 0.02 + 0.06 * hik_rng_uniform(&rng); /* a slab before the tip, 2 to 8 cm off */
      for (int j = 0; j < 3; j++) at[j] = hik_rng_uniform(&rng) - 0.5;
      hik_unit(at, at);
      const double z[3] = {0, 0, 1};
      shape[k] = shape_at(HIK_SHAPE_BOX, far * at[0], far * at[1], far * at[2], 1, 1, 1);
      hik_mat_minimal(z, at, shape[k].pose);
    }
    for (int k = 4; k < 7; k++) { /* and what is as round as its bound */
      double at[3];
      for (int j = 0; j < 3; j++) at[j] = hik_rng_uniform(&rng) - 0.5;
      hik_scale3(0.1 / hik_norm(at), at, at);
      shape[k] = shape_at(HIK_SHAPE_SPHERE, at[0], at[1], at[2], 0.06, 0, 0);
    }
    hik_hand_proof with = asked(shape, 7, ball + 4 * 64, 8, 0, 0, 1e-3, 30000),
                   without = asked(shape, 7, ball, 72, 0, 0, 1e-3, 30000);
    CHECK(with.outcome == without.outcome && with.cells == without.cells);
    outcomes[with.outcome]++;
  }
  CHECK(outcomes[HIK_HAND_BLOCKED] > 0 && outcomes[HIK_HAND_CLEAR] > 0);
}

static void test_no_place_of_a_cell_is_farther_than_its_bounds(void) {
  hik_rng rng = hik_rng_start(9, 1);
  double widest = 0, twisted = 0;
  for (int i = 0; i < CHECK_REPEATS(200000, 2000); i++) {
    double at[2], half[2], to[2], first[9], second[9], change[9], w[2][3];
    for (int k = 0; k < 2; k++) {
      half[k] = 0.5 * hik_rng_uniform(&rng) * (i % 3 ? 0.05 : 1);
      at[k] = (2 * hik_rng_uniform(&rng) - 1) * (1 - half[k]);
      to[k] = at[k] + half[k] * (i % 2 ? 1 : 2 * hik_rng_uniform(&rng) - 1);
    }
    int32_t face = i % 6;
    hik_cube_turn(face, at, first), hik_cube_turn(face, to, second);
    CHECK(hik_mat_off(first) < 1e-12);
    hik_mat_column(first, 2, w[0]), hik_mat_column(second, 2, w[1]);
    double across[3], spread = hik_cube_spread(at, half);
    hik_cross(w[0], w[1], across);
    double way = hik_atan2(hik_norm(across), hik_dot(w[0], w[1]));
    CHECK(way <= spread * (1 + 1e-12));
    widest = fmax(widest, way / spread);
    /* a point beside the axis */
    double x[3] = {hik_rng_uniform(&rng) - 0.5, hik_rng_uniform(&rng) - 0.5, hik_rng_uniform(&rng) - 0.5},
           a[3], b[3];
    double side = sqrt(x[0] * x[0] + x[1] * x[1]);
    hik_mat_vec(first, x, a), hik_mat_vec(second, x, b);
    hik_sub3(a, b, a);
    CHECK(hik_norm(a) <= hik_norm(x) * spread + side * HIK_CUBE_TWIST * spread + 1e-12);
    /* the turn about the axis itself: what is left when the axis has gone by its shortest way */
    hik_mat_minimal(w[0], w[1], change);
    double carried[9], left[9];
    hik_mat_mul(change, first, carried), hik_mat_tmul(carried, second, left);
    double about = fabs(hik_atan2(left[3], left[0]));
    CHECK(about <= HIK_CUBE_TWIST * way + 1e-9);
    if (way > 1e-3) twisted = fmax(twisted, about / way);
  }
  CHECK(widest > 0.95 && twisted > 0.4);
}

static void test_each_face_points_its_own_way(void) {
  const double middle[2] = {0, 0};
  for (int32_t face = 0; face < 6; face++) {
    double turn[9], z[3];
    hik_cube_turn(face, middle, turn);
    hik_mat_column(turn, 2, z);
    for (int k = 0; k < 3; k++) CHECK_NEAR(z[k], k != face % 3 ? 0 : face < 3 ? 1 : -1, 0);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_below_a_floor);
  RUN(test_between_slabs);
  RUN(test_what_is_left_out_decides_nothing);
  RUN(test_no_place_of_a_cell_is_farther_than_its_bounds);
  RUN(test_each_face_points_its_own_way);
  CHECK_END();
}
