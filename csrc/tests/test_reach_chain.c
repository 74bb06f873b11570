#include "access_figures.h"

static hik_error error;

static void test_the_arm_is_found(void) {
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL, *whole = NULL, *elbow = NULL;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_ARM, &r, &error) == HIK_OK);
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_WHOLE, &whole, &error) == HIK_OK);
  CHECK(hik_reach_create(m, 5, HIK_REACH_ARM, &elbow, &error) == HIK_OK);
  CHECK(r->n == 5 && r->variables == 4); /* trunk, two followers, swing; two hinges, u, v */
  CHECK(whole->n == 10 && whole->variables == 9 && !whole->tail.arm);
  CHECK_NEAR(r->tail.upper, 0.3, 1e-12);
  CHECK_NEAR(r->tail.fore, 0.25, 1e-12);
  CHECK_NEAR(r->tail.hand, sqrt(0.08 * 0.08 + 0.02 * 0.02), 1e-12);
  CHECK(r->tail.bent > 1.2 && r->tail.bent < 1.6);
  CHECK(!elbow->tail.arm && elbow->n == 7); /* its frame is beside the plane in which the elbow moves it */
  hik_reach_free(r), hik_reach_free(whole), hik_reach_free(elbow), hik_model_free(m);
}

/* Every posture's variables lie in the root, and the pose of the elements is that of the model. */
static void test_the_span_holds_every_posture(void) {
  access_figure a;
  hik_model *m = access_arm(&a);
  hik_reach *r = NULL;
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_ARM, &r, &error) == HIK_OK);
  double far = 0;
  for (uint64_t i = 0; i < 2000; i++) {
    double q[16], tip[3];
    hik_random_q(m, 5, i, q);
    access_tip(m, ACCESS_JOINTS - 1, q, tip);
    far = fmax(far, hik_norm(tip));
  }
  CHECK(far < r->span && far > 0.6 * r->span);
  hik_reach_free(r), hik_model_free(m);
}

/* Joints that follow a ball which is held stand with it: the end is where the model has it. */
static void test_what_follows_a_held_ball_stands(void) {
  access_figure a;
  hik_model *m = access_arm(&a), *still = NULL;
  double hold[4 * ACCESS_JOINTS], q[16], tip[3];
  hik_reach *r = NULL;
  for (int i = 0; i < 4 * ACCESS_JOINTS; i++) hold[i] = i % 4 ? 0 : NAN;
  memcpy(hold + 4 * ACCESS_BALL, (double[4]){0.8, 0.36, -0.48, 0}, 4 * sizeof(double));
  a.f.def.hold = hold;
  CHECK(hik_model_create(&a.f.def, &still, &error) == HIK_OK);
  CHECK(hik_reach_create(still, ACCESS_JOINTS - 1, HIK_REACH_WHOLE, &r, &error) == HIK_OK);
  if (!r) printf("%s\n", error.text);
  CHECK(r && r->n == 6 && r->variables == 6); /* no follower, no ball */
  for (uint64_t i = 0; i < 100; i++) {
    hik_pose at = hik_pose_identity, next;
    double s, c, end[3];
    hik_random_q(still, 7, i, q);
    for (int k = 0; k < r->n; k++) {
      hik_pose moved = hik_pose_identity;
      hik_sincos(q[r->variable[r->element[k].variable].q], &s, &c);
      hik_mat_turn_z(hik_pose_identity.r, c, s, moved.r);
      hik_pose_mul(&at, &r->element[k].place, &next);
      hik_pose_mul(&next, &moved, &at);
    }
    hik_pose_point(&at, r->tail.point, end);
    access_tip(still, ACCESS_JOINTS - 1, q, tip);
    for (int k = 0; k < 3; k++) CHECK_NEAR(end[k], tip[k], 1e-12);
  }
  hik_reach_free(r), hik_model_free(still), hik_model_free(m);
}

static void test_what_has_no_end_is_refused(void) {
  figure f;
  hik_model *m = NULL;
  hik_reach *r = NULL;
  figure_planar(&f, 3);
  f.kind[1] = HIK_PRISMATIC, f.lower[1] = -INFINITY;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  CHECK(hik_reach_create(m, 2, HIK_REACH_ARM, &r, &error) == HIK_UNSUPPORTED && !r);
  CHECK(strstr(error.text, "without limits") != NULL);
  hik_model_free(m);
  figure_planar(&f, 3);
  f.lower[1] = -INFINITY, f.upper[1] = INFINITY, f.lower[2] = -10, f.upper[2] = 10;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  CHECK(hik_reach_create(m, 2, HIK_REACH_ARM, &r, &error) == HIK_OK);
  for (int k = 1; k < 3; k++) CHECK_NEAR(r->variable[k].half, HIK_PI, 1e-9);
  hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_arm_is_found);
  RUN(test_the_span_holds_every_posture);
  RUN(test_what_follows_a_held_ball_stands);
  RUN(test_what_has_no_end_is_refused);
  CHECK_END();
}
