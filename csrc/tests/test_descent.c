/* test_descent.c: columns, charts, Jacobian, limits as an active set. */
#include "base/dense.h"
#include "descent_figures.h"
#include "solve/drive/pace.h"

/* J against differences of the residual along the moves it stands for. */
static void check_jacobian(hik_model *m, const char *kind, bool chordal) {
  bench b;
  start_bench(&b, m, kind, chordal);
  hik_descent *d = &b.d;
  for (uint64_t draw = 0; draw < 40; draw++) {
    pose_bench(&b, kind, draw);
    double q[4 * MOST], e[2][6], x[MOST] = {0}, jacobian[6 * MOST];
    memcpy(q, b.q, sizeof q);
    memcpy(jacobian, d->j, (size_t)(d->m * d->n) * sizeof *jacobian);
    const double h = 1e-6;
    for (int32_t k = 0; k < d->n; k++) {
      double down, up;
      hik_descent_charts(d, q);
      hik_descent_room(d, q, k, &down, &up);
      if (down > -2 * h || up < 2 * h) continue;
      for (int side = 0; side < 2; side++) {
        hik_descent_charts(d, q);
        x[k] = side ? h : -h;
        hik_descent_move(d, q, x, b.q);
        hik_descent_residual(d);
        memcpy(e[side], d->e, (size_t)d->m * sizeof(double));
      }
      x[k] = 0;
      /* chordal goals have the columns of the angular velocity, exact only at the goal: positions alone are checked */
      int32_t rows = chordal ? 3 : d->m;
      for (int32_t r = 0; r < rows; r++)
        CHECK_NEAR(jacobian[r * d->n + k], (e[1][r] - e[0][r]) / (2 * h),
                   3e-8 * (1 + fabs(jacobian[r * d->n + k])));
    }
    memcpy(b.q, q, sizeof q);
  }
  end_bench(&b);
}

static void test_jacobian_by_differences(void) {
  check_jacobian(cone_arm(), "pose", false);
  check_jacobian(cone_arm(), "position", true);
  check_jacobian(room_arm(), "pose", false);
  check_jacobian(room_arm(), "position", true);
  check_jacobian(held_arm(), "pose", false);
  check_jacobian(hinge_arm(), "orientation", false);
  check_jacobian(gantry(), "pose", false);
  check_jacobian(ball_arm(), "axis", false);
}

static void test_columns(void) {
  bench b;
  start_bench(&b, cone_arm(), "pose", false);
  /* ball 3, elbow, slide, wrist; the joint that follows shares the wrist's */
  CHECK(b.d.n == 6 && b.d.m == 6);
  CHECK(b.d.unit[4] == b.d.length && b.d.unit[3] == 1);
  CHECK(b.d.step_column[3] == b.d.step_column[4]);
  CHECK(b.d.chart[0].cone != NULL);
  end_bench(&b);
  figure f = {0};
  add_joint(&f, -1, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, 0.5, 0.5); /* locked */
  add_joint(&f, 0, HIK_REVOLUTE, "z", (double[3]){1, 0, 0}, -1, 1);
  add_frame_at(&f, 1, 1, 0, 0);
  start_bench(&b, freeze_figure(&f), "position", false);
  CHECK(b.d.n == 1 && b.d.step_column[0] == -1);
  end_bench(&b);
}

/* Wherever a step leads, the pose stays inside, and on a room's edge to the last bits. */
static void moves_stay_inside(hik_model *m) {
  bench b;
  start_bench(&b, m, "pose", false);
  hik_descent *d = &b.d;
  hik_rng rng = hik_rng_start(9, 0);
  for (uint64_t draw = 0; draw < 500; draw++) {
    pose_bench(&b, "pose", draw);
    for (int step = 0; step < 4; step++) {
      hik_descent_charts(d, b.q);
      for (int32_t k = 0; k < d->n; k++) d->d[k] = 6 * hik_rng_uniform(&rng) - 3;
      hik_descent_move(d, b.q, d->d, b.q);
      CHECK(hik_inside(b.m, b.q, 1e-13));
    }
  }
  end_bench(&b);
}

static void test_moves_stay_inside(void) {
  moves_stay_inside(cone_arm());
  moves_stay_inside(room_arm());
}

/* A ball that is held has no columns, and keeps its rotation whatever is asked. */
static void test_held_ball(void) {
  bench b;
  start_bench(&b, held_arm(), "pose", false);
  CHECK(b.d.n == 3 && b.d.step_column[0] == -1);
  double q[7] = {1, 0, 0, 0, 0.5, 0.05, 0.1};
  CHECK(!hik_inside(b.m, q, 1e-9));
  hik_clamp(b.m, 1, q);
  CHECK_NEAR(q[0], 0.8, 1e-15);
  CHECK_NEAR(q[2], 0.6, 1e-15);
  CHECK(hik_inside(b.m, q, 0));
  end_bench(&b);
}

static bool damped(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  static double work[200];
  return hik_damped_solve(m, n, j, *(double *)context, b, x, work);
}

/* The step stays in its box, keeps to the clamp, and never makes the linear model worse than standing still. */
static void test_bounded_step(void) {
  bench b;
  start_bench(&b, hinge_arm(), "pose", true);
  hik_descent *d = &b.d;
  double damping = 0.05;
  int at_limit = 0;
  for (uint64_t draw = 0; draw < 500; draw++) {
    pose_bench(&b, "pose", draw);
    CHECK(hik_descent_step(d, damped, &damping, 0.7));
    double before = 0, after = 0, e[6];
    hik_times(d->m, d->n, d->j, d->d, e);
    for (int32_t r = 0; r < d->m; r++) {
      before += d->e[r] * d->e[r];
      after += (d->e[r] + e[r]) * (d->e[r] + e[r]);
    }
    CHECK(after <= before);
    for (int32_t k = 0; k < d->n; k++) {
      double down, up;
      hik_descent_room(d, b.q, k, &down, &up);
      CHECK(d->d[k] >= down && d->d[k] <= up);
      CHECK(fabs(d->d[k]) <= 0.7 * (1 + 1e-12));
      at_limit += d->d[k] == down || d->d[k] == up;
    }
  }
  CHECK(at_limit > 100);
  end_bench(&b);
}

/* The step that takes columns out of JJ' is the step of the rule. */
static void test_damped_step(void) {
  hik_model *models[] = {hinge_arm(), cone_arm(), planar_chain(9, 1)};
  for (int i = 0; i < 3; i++) {
    bench b;
    start_bench(&b, models[i], "pose", true);
    hik_descent *d = &b.d;
    for (uint64_t draw = 0; draw < 200; draw++) {
      double damping = draw % 2 ? 0.05 : 1e-4, work[2 * 36 + 6], x[MOST];
      pose_bench(&b, "pose", draw);
      CHECK(hik_descent_step(d, damped, &damping, 1));
      memcpy(x, d->d, (size_t)d->n * sizeof *x);
      CHECK(hik_descent_damped_step(d, damping, 1, work));
      for (int32_t k = 0; k < d->n; k++) CHECK_NEAR(d->d[k], x[k], 1e-8);
    }
    end_bench(&b);
  }
}

static void test_columns_pushed_out_stay(void) {
  bench b;
  start_bench(&b, planar_chain(2, 1), "position", false);
  double damping = 1e-9;
  memcpy(b.target, (double[3]){0, 1, 0}, 3 * sizeof(double));
  b.q[0] = 1, b.q[1] = 0.2; /* the first hinge at its limit, the target beyond it */
  hik_descent_begin(&b.d, b.target, b.q);
  hik_descent_residual(&b.d);
  hik_descent_jacobian(&b.d);
  CHECK(b.d.g[0] < 0);
  CHECK(hik_descent_step(&b.d, damped, &damping, 0));
  CHECK(b.d.d[0] == 0 && b.d.d[1] > 0);
  CHECK(hik_descent_pushed_out(&b.d, 0) && !hik_descent_pushed_out(&b.d, 1));
  end_bench(&b);
}

static void test_nudge_depends_on_seed_and_round(void) {
  bench b;
  start_bench(&b, cone_arm(), "pose", false);
  double q[3][4 * MOST];
  for (int i = 0; i < 3; i++) {
    pose_bench(&b, "pose", 1);
    hik_descent_nudge(&b.d, i == 2, 0.1);
    CHECK(hik_inside(b.m, b.q, 1e-13));
    memcpy(q[i], b.q, sizeof q[i]);
  }
  size_t bytes = (size_t)b.m->nq * sizeof(double);
  CHECK(memcmp(q[0], q[1], bytes) == 0);
  CHECK(memcmp(q[0], q[2], bytes) != 0);
  end_bench(&b);
}

/* The error of the trace is the judge's, whatever the residual inside. */
static void test_judged_error(void) {
  for (int chordal = 0; chordal < 2; chordal++) {
    bench b;
    start_bench(&b, cone_arm(), "pose", chordal);
    for (uint64_t draw = 0; draw < 50; draw++) {
      pose_bench(&b, "pose", draw);
      static const hik_method method = {HIK_DESCENT_METHOD};
      const hik_readied ready = {.problem = b.p, .options = &b.options};
      hik_verdict v;
      double noted = -1;
      hik_answer answer = {.q = b.q, .trace = &noted};
      b.run.ready = &ready;
      hik_pace pace = hik_descent_pace(&b.d, &method, b.target, &answer);
      hik_judge_one(b.p, b.target, b.q, b.run.world, &v);
      CHECK(hik_pace_begin(&pace) == !v.met && noted == v.error);
      CHECK(hik_descent_met(&b.d) == v.met);
    }
    end_bench(&b);
  }
}

/* After a step that was taken back the frames are still those of the pose it led to: what is combined with others is looked at
   where it stands. */
static void test_what_is_combined_is_looked_at_where_it_stands(void) {
  static const hik_method method = {HIK_DESCENT_METHOD};
  bench b;
  start_bench(&b, hinge_arm(), "pose", true);
  pose_bench(&b, "pose", 3);
  double elsewhere[MOST];
  hik_answer a = {.q = b.q};
  hik_mix mix = {0};
  hik_pace pace = hik_descent_pace(&b.d, &method, b.target, &a);
  hik_descent_place(&pace);
  const hik_pose before = b.run.world[b.m->n_step - 1];
  memcpy(elsewhere, b.m->rest, (size_t)b.m->nq * sizeof *elsewhere);
  pace.mix = &mix;
  hik_list_poses(b.m, b.p->active, b.p->n_active, elsewhere, b.run.world);
  CHECK(memcmp(&before, &b.run.world[b.m->n_step - 1], sizeof before) != 0);
  hik_descent_look(&pace);
  CHECK(memcmp(&before, &b.run.world[b.m->n_step - 1], sizeof before) == 0);
  end_bench(&b);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_jacobian_by_differences);
  RUN(test_columns);
  RUN(test_moves_stay_inside);
  RUN(test_held_ball);
  RUN(test_bounded_step);
  RUN(test_damped_step);
  RUN(test_columns_pushed_out_stay);
  RUN(test_nudge_depends_on_seed_and_round);
  RUN(test_judged_error);
  RUN(test_what_is_combined_is_looked_at_where_it_stands);
  CHECK_END();
}
