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

/* Three vertices, the corner between them rounded over `half` of both edges' time. */
typedef struct bent {
  double q[3 * 4 * BALLS], way[2 * 3 * BALLS], at[3], half[3];
  hik_smooth c;
} bent;

static void bend(const hik_model *m, bent *b, double half) {
  b->c = (hik_smooth){3, b->at, b->half, b->q, b->way};
  for (int i = 0; i < 3; i++) b->at[i] = i, b->half[i] = i == 1 ? half : 0;
  for (int i = 0; i < 2; i++)
    hik_difference(m, 1, b->q + i * m->nq, b->q + (i + 1) * m->nq, b->way + i * m->nv);
}

static void test_corners_are_rounded_inside(void) {
  hik_model *m = model_of_balls();
  int good = 0, part = 0, needless = 0;
  double move[3 * BALLS], room[4 * BALLS], at[4 * BALLS];
  for (uint64_t n = 0; n < CHECK_REPEATS(2000, 200); n++) {
    bent b;
    for (int i = 0; i < 3; i++) hik_random_q(m, 7, 3 * n + (uint64_t)i, b.q + i * m->nq);
    bend(m, &b, n % 2 ? 1 : 0.5);
    int64_t looks = 0;
    double low = 1 - b.half[1], high = 1 + b.half[1],
           proved = hik_cones_smooth(m, &b.c, 1, low, high, &looks);
    bool inside = true;
    CHECK(proved >= low && proved <= high && looks > 0);
    for (int i = 0; i <= POINTS; i++) {
      double s = low + (high - low) * i / POINTS;
      hik_smooth_place(m, &b.c, 0, s, move, room, at);
      bool in = hik_inside(m, at, HIK_CONES_SLACK);
      CHECK(in || s > proved || proved == low);
      inside = inside && in;
    }
    good += proved == high, part += proved > low && proved < high, needless += proved < high && inside;
  }
  CHECK(good > CHECK_REPEATS(1400, 120) && part > CHECK_REPEATS(50, 4) && needless < CHECK_REPEATS(20, 4));
  hik_model_free(m);
}

/* Out over the edge of a thin cone and back, so short that what it turns tells next to nothing: how it bends does. */
static void test_a_short_bulge_is_seen(void) {
  hik_model *m = model_of_balls();
  const hik_swing *thin = hik_step_cone(m, 1);
  for (int inside = 0; inside < 2; inside++) {
    bent b;
    const double at[3] = {0, inside ? 0.047 : 0.053, 0}, back[3] = {0, inside ? 0.043 : 0.049, 0};
    for (int i = 0; i < 3; i++) {
      memcpy(b.q + i * m->nq, m->rest, (size_t)m->nq * sizeof(double));
      hik_swing_join(thin, i == 1 ? at : back, b.q + i * m->nq + m->step_q[1]);
    }
    bend(m, &b, 0.5);
    CHECK(hik_inside(m, b.q, 1e-12) && hik_inside(m, b.q + m->nq, 1e-12) == inside);
    int64_t looks = 0;
    CHECK((hik_cones_smooth(m, &b.c, 1, 0.5, 1.5, &looks) == 1.5) == inside);
  }
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_what_is_proved_is_inside_and_what_is_not_leaves);
  RUN(test_corners_are_rounded_inside);
  RUN(test_a_short_bulge_is_seen);
  CHECK_END();
}
