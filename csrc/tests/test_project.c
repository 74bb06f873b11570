/* test_project.c: term/project.c: what is asked for holds, and nothing nearer does. */
#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "term/project.h"

static hik_goal goal_of(const char *kind, const double *param, int count) {
  hik_goal g = {.term = hik_term_default(hik_find(HIK_TERMS, kind))};
  memcpy(g.term.param, param, (size_t)count * sizeof *param);
  return g;
}

static void random_unit(hik_rng *rng, double *out) {
  double q[4];
  hik_rng_rotation(rng, q);
  double r[9];
  hik_quat_to_mat(q, r);
  hik_copy3(r, out);
}

static hik_stand random_stand(hik_rng *rng) {
  hik_stand s;
  double q[4];
  for (int k = 0; k < 3; k++) s.point[k] = 2 * hik_rng_uniform(rng) - 1;
  random_unit(rng, s.axis);
  hik_rng_rotation(rng, q);
  hik_quat_to_mat(q, s.rotation);
  return s;
}

static double apart(const double *a, const double *b) {
  double d[3];
  hik_sub3(a, b, d);
  return hik_norm(d);
}

static double turn_between(const double *a, const double *b) {
  double d[9], v[3];
  hik_mat_tmul(a, b, d);
  hik_mat_log(d, v);
  return hik_norm(v);
}

/* No direction at the angle is nearer to the axis than the one given. */
static void level_takes_the_nearest_direction(void) {
  hik_rng rng = hik_rng_start(1, 0);
  for (int i = 0; i < 200; i++) {
    double param[7] = {0, 0, 1}, u[3], other[3], across[3];
    random_unit(&rng, u);
    hik_scale3(2.5, u, param + 3);
    param[6] = HIK_PI * hik_rng_uniform(&rng);
    hik_goal g = goal_of("level", param, 7);
    hik_stand now[2] = {random_stand(&rng)}, out[2];
    if (i < 2) hik_scale3(i ? -1 : 1, u, now->axis);
    CHECK(hik_project_level(&g, NULL, now, 1, out));
    CHECK_NEAR(hik_norm(out->axis), 1, 1e-14);
    CHECK_NEAR(hik_dot(out->axis, u), cos(param[6]), 1e-14);
    for (int k = 0; k < 50; k++) {
      random_unit(&rng, across);
      hik_axpy3(across, -hik_dot(across, u), u, across);
      hik_unit(across, across);
      hik_scale3(cos(param[6]), u, other);
      hik_axpy3(other, sin(param[6]), across, other);
      CHECK(hik_dot(now->axis, out->axis) >= hik_dot(now->axis, other) - 1e-12);
    }
  }
}

static void look_at_points_there(void) {
  const double param[6] = {1, 2, 2, 0.1, 0.2, 0.3}, target[3] = {1, -2, 0.5};
  hik_goal g = goal_of("look_at", param, 6);
  hik_stand now[2] = {{{0.5, 0.5, 0.5}, {1, 0, 0}, {0}}}, out[2];
  double point[3], axis[3], way[3];
  hik_pulled_look_at(&g, 0, point, axis);
  CHECK_NEAR(apart(point, param + 3), 0, 0);
  CHECK_NEAR(axis[1], 2.0 / 3, 1e-15);
  CHECK(hik_project_look_at(&g, target, now, 1, out));
  hik_sub3(target, now->point, way);
  CHECK_NEAR(hik_dot(way, out->axis), hik_norm(way), 1e-14);
  CHECK(hik_project_look_at(&g, now->point, now, 1, out)); /* the point on the eye: as it looks */
  CHECK_NEAR(out->axis[0], 1, 0);
}

static void distance_moves_no_farther_than_it_must(void) {
  const double param[8] = {0, 0, 0, 0, 0, 0, 0.6, 0.9};
  hik_goal g = goal_of("distance", param, 8);
  hik_rng rng = hik_rng_start(2, 0);
  int held = 0;
  for (int i = 0; i < 300; i++) {
    hik_stand now[2] = {random_stand(&rng), random_stand(&rng)}, out[2];
    if (i == 0) hik_copy3(now[0].point, now[1].point);
    double share = i % 3 * 0.5, n = apart(now[0].point, now[1].point), miss = n - hik_clip(n, 0.6, 0.9);
    bool pulls = hik_project_distance(&g, NULL, now, share, out);
    CHECK(pulls == (miss != 0));
    held += !pulls;
    CHECK_NEAR(apart(out[0].point, out[1].point), hik_clip(n, 0.6, 0.9), 1e-14);
    CHECK_NEAR(apart(out[0].point, now[0].point), share * fabs(miss), 1e-14);
    CHECK_NEAR(apart(out[1].point, now[1].point), (1 - share) * fabs(miss), 1e-14);
  }
  CHECK(held > 20 && held < 280);
}

static void loops_meet_between(void) {
  const double param[12] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, 3, 4, 5, 0, 0};
  hik_goal hinge = goal_of("loop_hinge", param, 12), weld = goal_of("loop_pose", param, 6);
  hik_rng rng = hik_rng_start(3, 0);
  double point[3], axis[3];
  hik_pulled_hinge(&hinge, 1, point, axis);
  CHECK_NEAR(apart(point, param + 3), 0, 0);
  CHECK_NEAR(axis[0], 1, 0);
  for (int i = 0; i < 200; i++) {
    hik_stand now[2] = {random_stand(&rng), random_stand(&rng)}, out[2];
    double share = i % 5 * 0.25, whole = apart(now[0].point, now[1].point);
    CHECK(hik_project_hinge(&hinge, NULL, now, share, out));
    CHECK_NEAR(apart(out[0].point, now[0].point), share * whole, 1e-14);
    CHECK_NEAR(apart(out[0].point, out[1].point), 0, 0);
    CHECK_NEAR(apart(out[0].axis, out[1].axis), 0, 0);
    CHECK_NEAR(hik_norm(out[0].axis), 1, 1e-14);
    if (share == 0.5) CHECK_NEAR(hik_dot(out[0].axis, now[0].axis), hik_dot(out[0].axis, now[1].axis), 1e-12);
    if (share == 1) CHECK_NEAR(apart(out[0].axis, now[1].axis), 0, 1e-15);
    CHECK(hik_project_weld(&weld, NULL, now, share, out));
    double angle = turn_between(now[0].rotation, now[1].rotation);
    CHECK_NEAR(turn_between(now[0].rotation, out[0].rotation), share * angle, 1e-12);
    CHECK_NEAR(turn_between(now[1].rotation, out[1].rotation), (1 - share) * angle, 1e-12);
  }
  hik_stand now[2] = {random_stand(&rng), random_stand(&rng)}, out[2];
  hik_scale3(-1, now[0].axis, now[1].axis); /* opposite: any way between is as good */
  CHECK(hik_project_hinge(&hinge, NULL, now, 0.5, out));
  CHECK_NEAR(hik_norm(out[0].axis), 1, 1e-14);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(level_takes_the_nearest_direction);
  RUN(look_at_points_there);
  RUN(distance_moves_no_farther_than_it_must);
  RUN(loops_meet_between);
  CHECK_END();
}
