/* Balls inside their limits all along edges and curves: what is proved is looked at point by point, and is not little. */
#include "plan/cones.h"

#include "check.h"

enum { BALLS = 4, POINTS = 400 };

/* Balls one after another: two cones, one of them thin, a held one, one without limits. */
static hik_model *model_of_balls(void) {
  static const int32_t parent[BALLS] = {-1, 0, 1, 2}, kind[BALLS] = {HIK_BALL, HIK_BALL, HIK_BALL, HIK_BALL};
  static const double swing[6 * BALLS] = {0.8, 0.5, 0.3, 0.6, -0.4, 0.7, 1.4, 0.05, 0.9, 0.04, -0.2, 0.2,
                                          NAN, NAN, NAN, NAN, NAN,  NAN, NAN, NAN,  NAN, NAN,  NAN,  NAN};
  static const double hold[4 * BALLS] = {NAN, 0, 0, 0, NAN, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, NAN, 0, 0, 0};
  double axis[3 * BALLS] = {0}, axis2[3 * BALLS] = {0}, placement[12 * BALLS] = {0};
  for (int i = 0; i < BALLS; i++) {
    axis[3 * i + 2] = 1, axis2[3 * i] = 1;
    double *p = placement + 12 * i;
    p[0] = p[4] = p[8] = 1, p[9] = 0.3;
  }
  hik_model_def d = hik_model_def_default();
  d.n_joint = BALLS, d.parent = parent, d.kind = kind, d.axis = axis, d.axis2 = axis2, d.hold = hold,
  d.placement = placement, d.swing = swing;
  hik_error error;
  hik_model *m = NULL;
  CHECK(hik_model_create(&d, &m, &error) == HIK_OK);
  return m;
}

/* Most slack that some point of the edge's part needs: 1e-9, or 2e-4, or 1. */
static double worst_of(const hik_model *m, const double *q0, const double *v, double share) {
  double worst = 1e-9, part[3 * BALLS], q[4 * BALLS];
  for (int i = 0; i <= POINTS; i++) {
    for (int k = 0; k < m->nv; k++) part[k] = v[k] * share * i / POINTS;
    hik_integrate(m, 1, q0, part, q);
    if (!hik_inside(m, q, worst)) worst = hik_inside(m, q, HIK_CONES_SLACK) ? HIK_CONES_SLACK : 1;
  }
  return worst;
}

static void test_what_is_proved_is_inside_and_what_is_not_leaves(void) {
  hik_model *m = model_of_balls();
  int whole = 0, part = 0, needless = 0;
  double q0[4 * BALLS], q1[4 * BALLS], v[3 * BALLS];
  for (uint64_t n = 0; n < CHECK_REPEATS(2000, 200); n++) {
    hik_random_q(m, 5, 2 * n, q0), hik_random_q(m, 5, 2 * n + 1, q1);
    hik_difference(m, 1, q0, q1, v);
    int64_t looks = 0, more = 0;
    bool inside = false;
    double share = hik_cones_edge(m, q0, v, false, &looks);
    bool all = hik_cones_edge(m, q0, v, true, &more) == 1;
    CHECK(share >= 0 && share <= 1 && all == (share == 1) && looks > 0 && looks <= 2 * 2001);
    CHECK(hik_cones_edges(m, 1, q0, q1, &inside) && inside == all);
    CHECK(worst_of(m, q0, v, share) < 1);
    double seen = worst_of(m, q0, v, 1), behind = worst_of(m, q0, v, fmin(1, share + 0.01));
    whole += all, part += !all && share > 0;
    needless += (!all && seen == 1e-9) || (share > 0 && share < 1 && behind == 1e-9);
  }
  CHECK(whole > CHECK_REPEATS(1500, 120) && part > CHECK_REPEATS(100, 5));
  CHECK(needless <= 2); /* those that leave by less than the points tell */
  hik_model_free(m);
}

static void test_corners_are_cut_inside(void) {
  hik_model *m = model_of_balls();
  int good = 0, bad = 0;
  double q[4 * BALLS], ends[2][4 * BALLS], u[2][3 * BALLS], move[3 * BALLS], at[4 * BALLS];
  for (uint64_t n = 0; n < CHECK_REPEATS(2000, 200); n++) {
    hik_random_q(m, 7, 3 * n, q);
    for (int side = 0; side < 2; side++) {
      hik_random_q(m, 7, 3 * n + 1 + (uint64_t)side, ends[side]);
      hik_difference(m, 1, side ? q : ends[0], side ? ends[1] : q, u[side]);
    }
    hik_difference(m, 1, q, ends[0], u[0]); /* in the chart at the corner */
    for (int k = 0; k < m->nv; k++) u[0][k] = -u[0][k];
    double r = 0.5;
    int64_t looks = 0;
    bool proved = hik_cones_curve(m, q, u[0], u[1], r, &looks), inside = true;
    for (int i = 0; i <= POINTS; i++) {
      double al = hik_corner_falling((double)i / POINTS), be = hik_corner_falling(1 - (double)i / POINTS);
      for (int k = 0; k < m->nv; k++) move[k] = r * (be * u[1][k] - al * u[0][k]);
      hik_integrate(m, 1, q, move, at);
      inside = inside && hik_inside(m, at, HIK_CONES_SLACK);
    }
    CHECK(!proved || inside);
    good += proved, bad += !proved && inside;
  }
  CHECK(good > CHECK_REPEATS(1500, 120) && bad < CHECK_REPEATS(20, 4));
  hik_model_free(m);
}

/* Out over the edge of a thin cone and back, so short that what it turns tells next to nothing: how it bends does. */
static void test_a_short_bulge_is_seen(void) {
  hik_model *m = model_of_balls();
  const hik_swing *thin = hik_step_cone(m, 1);
  for (int inside = 0; inside < 2; inside++) {
    double q[4 * BALLS], end[4 * BALLS], u1[3 * BALLS], u2[3 * BALLS], r;
    const double at[3] = {0, inside ? 0.047 : 0.052, 0}, back[3] = {0, inside ? 0.043 : 0.048, 0};
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q), memcpy(end, q, sizeof q);
    hik_swing_join(thin, at, q + m->step_q[1]), hik_swing_join(thin, back, end + m->step_q[1]);
    hik_difference(m, 1, q, end, u2);
    r = hik_norm(u2 + m->step_v[1]);
    for (int k = 0; k < m->nv; k++) u2[k] /= r, u1[k] = -u2[k];
    CHECK(hik_inside(m, end, 1e-12) && hik_inside(m, q, 1e-12) == inside && r < 0.005);
    int64_t looks = 0;
    CHECK(hik_cones_curve(m, q, u1, u2, r, &looks) == inside);
  }
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_what_is_proved_is_inside_and_what_is_not_leaves);
  RUN(test_corners_are_cut_inside);
  RUN(test_a_short_bulge_is_seen);
  CHECK_END();
}
