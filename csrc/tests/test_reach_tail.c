#include "access_figures.h"

/* The tail of the figure, and points of its arm in the axes of the swing, drawn by themselves. */
static hik_reach *arm_chain(access_figure *a, hik_model **m) {
  hik_reach *r = NULL;
  hik_error error;
  *m = access_arm(a);
  CHECK(hik_reach_create(*m, ACCESS_JOINTS - 1, HIK_REACH_ARM, &r, &error) == HIK_OK && r->tail.arm);
  return r;
}

/* x along the bone in the joint's frame; y of the swing's axes is z x axis2 of it. */
static void arm_point(hik_rng *rng, double twist, double out[3]) {
  double turn[4], lower[4] = {0, -1.2, -1.1, -0.4}, upper[4] = {2.5, 1.3, 1.2, 0.5};
  hik_pose at = hik_pose_identity, next;
  static const double axes[5][3] = {{1, 0, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      along[5] = {0, 0.3, 0, 0.25, 0};
  for (int k = 0; k < 4; k++) {
    double share = hik_rng_uniform(rng);
    turn[k] = lower[k] + (upper[k] - lower[k]) * (share < 0.1 ? 0 : share > 0.9 ? 1 : share);
  }
  for (int k = 0; k < 5; k++) {
    double s, c;
    hik_pose place = hik_pose_identity;
    hik_sincos(k ? turn[k - 1] : twist, &s, &c);
    hik_mat_axis(axes[k], c, s, place.r);
    place.t[0] = along[k];
    hik_pose_mul(&at, &place, &next);
    at = next;
  }
  double p[3];
  const double hand[3] = {0.08, 0.02, 0};
  hik_pose_point(&at, hand, p);
  out[2] = p[0], out[0] = p[2], out[1] = -p[1]; /* bone x, axis2 z: the third is x cross z = -y */
}

static void test_no_posture_of_the_arm_is_nearer_or_farther_along(void) {
  access_figure a;
  hik_model *m;
  hik_reach *r = arm_chain(&a, &m);
  hik_rng rng = hik_rng_start(3, 1);
  double least = 1, closest = 1;
  for (int i = 0; i < CHECK_REPEATS(40000, 2000); i++) {
    double p[3], y[3], d[3], q[3], range[2] = {0.4, 0.3};
    const hik_twist twist = hik_twist_make(range[0], range[1]);
    arm_point(&rng, range[0] + range[1] * (2 * hik_rng_uniform(&rng) - 1), p);
    for (int k = 0; k < 3; k++) y[k] = 1.4 * hik_rng_uniform(&rng) - 0.7, d[k] = hik_rng_uniform(&rng) - 0.5;
    hik_sub3(y, p, q);
    double gap = hik_norm(q) - hik_tail_distance(&r->tail, &twist, y);
    double room = hik_tail_support(&r->tail, &twist, d, q) - hik_dot(d, p);
    CHECK(gap > -1e-9 && room > -1e-9);
    CHECK(hik_tail_distance(&r->tail, &twist, p) < 1e-7);
    CHECK_NEAR(hik_dot(q, d), hik_dot(q, d), 0);
    least = fmin(least, gap), closest = fmin(closest, room / hik_norm(d));
  }
  CHECK(least < 0.05 && closest < 0.02); /* and it is no idle bound */
  hik_reach_free(r), hik_model_free(m);
}

/* Straight ahead the distance is that of the length, whatever the rest; of a bent hand that of its rim. */
static void test_closed_values(void) {
  hik_tail t = {.arm = true,
                .upper = 0.3,
                .fore = 0.25,
                .hand = 0.1,
                .bent = 0,
                .cosine = 1,
                .sine = 0,
                .least = 0.35,
                .rim = {0.35, 0}};
  t.patches = 1;
  t.patch[0] = (hik_patch){{1, 0}, {0, 1}, {1, 0}}; /* elbow 0 to 90 degrees */
  const hik_twist whole = hik_twist_make(0, HIK_PI), narrow = hik_twist_make(0, 0.1), *full = &whole,
                  *ahead = &narrow;
  double point[3];
  CHECK_NEAR(hik_tail_distance(&t, full, (double[3]){0, 0, 1}), 0.35, 1e-12);
  CHECK_NEAR(hik_tail_distance(&t, full, (double[3]){0.6, 0, 0.3}), 0.25, 1e-12);
  CHECK_NEAR(hik_tail_distance(&t, full, (double[3]){0, 0, 0.3}), 0.35, 1e-12);
  CHECK_NEAR(hik_tail_distance(&t, ahead, (double[3]){-0.35, 0, 0.3}), sqrt(2) * 0.35,
             1e-9); /* the straight arm is nearest */
  CHECK_NEAR(hik_tail_support(&t, full, (double[3]){0, 0, 2}, point), 2 * 0.65, 1e-12);
  CHECK_NEAR(hik_tail_support(&t, full, (double[3]){0, 0, -1}, point), -0.3, 1e-12); /* bent by 90 degrees */
  CHECK_NEAR(point[0] * point[0] + point[1] * point[1], 0.35 * 0.35, 1e-12);
  hik_tail dot = {.point = {1, 2, 3}};
  CHECK_NEAR(hik_tail_distance(&dot, full, (double[3]){1, 2, 5}), 2, 1e-12);
  CHECK_NEAR(hik_tail_support(&dot, full, (double[3]){1, 1, 1}, point), 6, 1e-12);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_posture_of_the_arm_is_nearer_or_farther_along);
  RUN(test_closed_values);
  CHECK_END();
}
