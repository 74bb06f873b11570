/* test_straight.c: solve/drive/straight.c through every solver that takes a chain of free balls: the nearest posture of a target
   out of reach, beyond it and inside it, alone and in a block; and what it leaves to the solvers. */
#include "solve/drive/plan.h"

#include "ball_figures.h"
#include "base/quat.h"
#include "solve/points/balls.h"

/* Links of 0.3, 1 and 0.2 m: the shell from 0.5 to 1.5 m about a root beside the origin. */
static void figure_shell(figure *f) {
  figure_balls(f, 3);
  figure_place(f->placement, 0.2, -0.1, 0.4, 0.8);
  figure_place(f->placement + 24, 0, 1, 0, 0.3);
}

static const double root[3] = {0.2, -0.1, 0.4}, line[3] = {0, 0.6, 0.8};

static void target_at(double far, double *target) {
  hik_copy3(root, target);
  hik_axpy3(target, far, line, target);
}

static void test_every_solver_knows_the_nearest_posture(void) {
  static ball_answers got;
  static double start[NQ * 8];
  figure f;
  figure_shell(&f);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  if (!p) return;
  int64_t stride = model->nq;
  for (int i = 0; i < 8; i++) hik_random_q(model, 3, (uint64_t)i, start + i * stride);
  const struct {
    double far, distance;
    int8_t outcome;
  } row[] = {{1.6, 0.1, HIK_UNREACHABLE},    {7, 5.5, HIK_UNREACHABLE},       {0.2, 0.3, HIK_UNREACHABLE},
             {0, 0.5, HIK_UNREACHABLE},      {1e200, 1e200, HIK_UNREACHABLE}, {1.50000001, 0, HIK_CONVERGED},
             {1.49999999, 0, HIK_CONVERGED}, {0.49999999, 0, HIK_CONVERGED}};
  double target[3 * HIK_COUNT_OF(row)];
  for (int i = 0; i < HIK_COUNT_OF(row); i++) target_at(row[i].far, target + 3 * i);
  int takers = 0;
  for (int32_t k = 0; k < hik_solver_class_count; k++) {
    const char *name = hik_solver_classes[k]->name;
    hik_options o = hik_options_default(k);
    if (ball_solve(name, &o, p, HIK_COUNT_OF(row), target, start, stride, &got) == HIK_UNSUPPORTED) continue;
    takers++;
    for (int i = 0; i < HIK_COUNT_OF(row); i++) {
      CHECK(got.outcome[i] == row[i].outcome && got.iterations[i] == 1 && got.remedies[i] == 0);
      CHECK_NEAR(got.distance[i], row[i].distance,
                 row[i].distance > 0 ? 1e-14 * (1 + row[i].distance) : 2e-8);
    }
  }
  CHECK(takers == hik_solver_class_count - 1); /* lm_lanes takes no balls */
  hik_problem_free(p), hik_model_free(model);
}

/* What was asked for as published is as published; FABRIK is with this. */
static void test_methods_as_published_are_left_alone(void) {
  static ball_answers got;
  figure f;
  figure_shell(&f);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  double target[3];
  if (!p) return;
  target_at(1.6, target);
  for (int32_t k = 0; k < hik_solver_class_count; k++) {
    const hik_solver_class *c = hik_solver_classes[k];
    hik_options o = hik_options_default(k);
    int32_t starts = hik_option_place(c, "max_restarts");
    if (starts < 0 || strcmp(c->name, "lm_batch") == 0) continue; /* it takes no balls */
    o.param[starts] = 0;
    CHECK(ball_solve(c->name, &o, p, 1, target, NULL, 0, &got) == HIK_OK);
    CHECK((got.iterations[0] == 1 && got.distance[0] < 0.1 + 1e-14) ==
          (c->own || strcmp(c->name, "fabrik") == 0));
    CHECK(got.outcome[0] == HIK_UNREACHABLE || got.outcome[0] == HIK_MAX_ITER);
  }
  hik_problem_free(p), hik_model_free(model);
}

/* Bones without length: their balls go with what they hang on, and the chain is as long as the others. */
static void test_bones_without_length(void) {
  static ball_answers got;
  figure f;
  double target[3] = {0.6, -0.8, 1}, q[NQ];
  for (int at = 0; at < LINKS; at++) {
    figure_balls(&f, LINKS);
    figure_place(at + 1 < LINKS ? f.placement + 12 * (at + 1) : f.frame_placement + 12 * (LINKS - 1), 0, 0, 0,
                 0.6);
    hik_model *model = NULL;
    hik_problem *p = ball_problem(&f, &model, 1e-6);
    if (!p) return;
    double reach = 0, far = hik_norm(target);
    for (int32_t k = 0; k < LINKS; k++) reach += hik_norm(hik_balls_bone(p, k));
    hik_random_q(model, 3, (uint64_t)at, q);
    hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
    CHECK(ball_solve("auto", &o, p, 1, target, q, 0, &got) == HIK_OK);
    CHECK(got.outcome[0] == HIK_UNREACHABLE && got.iterations[0] == 1);
    CHECK_NEAR(got.distance[0], far - reach, 1e-14);
    CHECK(memcmp(got.q + 4 * at, q + 4 * at, 4 * sizeof *q) == 0);
    hik_problem_free(p), hik_model_free(model);
  }
}

/* Every ball makes the smallest rotation in the world: what it turned about the bone by stays. */
static void test_balls_make_the_smallest_rotation(void) {
  static ball_answers got;
  figure f;
  figure_shell(&f);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  double q[NQ], target[3];
  if (!p) return;
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  for (int i = 0; i < 40; i++) {
    double was[4] = {1, 0, 0, 0}, is[4] = {1, 0, 0, 0};
    hik_random_q(model, 5, (uint64_t)i, q);
    target_at(i % 2 ? 2 : 0.1, target);
    CHECK(ball_solve("auto", &o, p, 1, target, q, 0, &got) == HIK_OK);
    for (int32_t k = 0; k < 3; k++) {
      double place[4], r[9], old[3], now[3], turn[4], whole[4];
      hik_quat_from_mat(hik_step_place(model, k)->r, place);
      hik_quat_mul(was, place, was), hik_quat_mul(was, q + 4 * k, was), hik_quat_normalize(was);
      hik_quat_mul(is, place, is), hik_quat_mul(is, got.q + 4 * k, is), hik_quat_normalize(is);
      hik_quat_to_mat(was, r), hik_mat_vec(r, hik_balls_bone(p, k), old), hik_unit(old, old);
      hik_quat_to_mat(is, r), hik_mat_vec(r, hik_balls_bone(p, k), now), hik_unit(now, now);
      for (int c = 0; c < 3; c++) CHECK_NEAR(now[c], (i % 2 || k == 1 ? 1 : -1) * line[c], 1e-14);
      hik_balls_turn(old, now, turn);
      hik_quat_mul(turn, was, whole);
      double dot = whole[0] * is[0] + whole[1] * is[1] + whole[2] * is[2] + whole[3] * is[3];
      CHECK_NEAR(fabs(dot), 1, 1e-13);
      CHECK(got.q[4 * k] * q[4 * k] + got.q[4 * k + 1] * q[4 * k + 1] + got.q[4 * k + 2] * q[4 * k + 2] +
                got.q[4 * k + 3] * q[4 * k + 3] >=
            0); /* the nearer of the two quaternions */
    }
  }
  hik_problem_free(p), hik_model_free(model);
}

static void test_what_is_in_reach_or_met_or_not_allowed_is_left(void) {
  static ball_answers got;
  figure f;
  figure_shell(&f);
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-6);
  double target[3], q[NQ];
  if (!p) return;
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  hik_problem *loose = NULL;
  hik_term term = p->goal->term;
  term.position_tolerance = 0.2;
  CHECK(hik_problem_create(model, &term, 1, &loose, &ball_error) == HIK_OK);
  target_at(1.6, target);
  CHECK(ball_solve("auto", &o, p, 1, target, NULL, 0, &got) == HIK_OK);
  memcpy(q, got.q, (size_t)model->nq * sizeof *q);
  CHECK(ball_solve("auto", &o, loose, 1, target, q, 0, &got) == HIK_OK); /* it meets the loose one already */
  CHECK(got.outcome[0] == HIK_CONVERGED && got.iterations[0] == 0);
  CHECK(memcmp(got.q, q, (size_t)model->nq * sizeof *q) == 0);
  o.max_iter = 0;
  CHECK(ball_solve("auto", &o, p, 1, target, NULL, 0, &got) == HIK_OK);
  CHECK(got.iterations[0] == 0 && got.outcome[0] != HIK_CONVERGED);
  o.max_iter = 3000;
  target_at(1.4, target);
  CHECK(ball_solve("auto", &o, p, 1, target, NULL, 0, &got) == HIK_OK);
  CHECK(got.outcome[0] == HIK_CONVERGED && got.iterations[0] > 1);
  hik_problem_free(loose), hik_problem_free(p), hik_model_free(model);
}

/* A ball that has limits, or none that moves, is for iterations. */
static void test_which_problems(void) {
  figure f;
  hik_readied part = {0};
  const hik_solver_class *c = hik_solver_classes[hik_find(HIK_SOLVERS, "auto")];
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  for (int way = 0; way < 4; way++) {
    hik_model *model = NULL;
    figure_balls(&f, 3);
    if (way == 1) f.kind[1] = HIK_REVOLUTE;
    if (way == 2) f.kind[0] = HIK_FREE;
    if (way == 3) /* no bone has a length */
      for (int k = 1; k <= 3; k++)
        figure_place(k < 3 ? f.placement + 12 * k : f.frame_placement + 24, 0, 0, 0, 0);
    part.problem = ball_problem(&f, &model, 1e-6), part.options = &o;
    if (!part.problem) return;
    hik_straight_ready(c, &part);
    CHECK(part.straight.takes == (way == 0));
    hik_problem_free((hik_problem *)part.problem), hik_model_free(model);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_solver_knows_the_nearest_posture);
  RUN(test_methods_as_published_are_left_alone);
  RUN(test_bones_without_length);
  RUN(test_balls_make_the_smallest_rotation);
  RUN(test_what_is_in_reach_or_met_or_not_allowed_is_left);
  RUN(test_which_problems);
  CHECK_END();
}
