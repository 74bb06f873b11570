/* descent_figures.h: a descent of its own on a figure, for the tests of what stands on it. */
#pragma once
#include "solve/drive/starts.h"
#include "solve/squares/descent.h"
#include "solver_figures.h"

/* Shoulder with a room, elbow, a slide in the forearm, wrist; the wrist's second hinge follows its first. led: it and the
   slide follow the swing of the shoulder instead; free: that has no limits. */
HIK_UNUSED static hik_model *arm_led(const double (*corner)[2], int32_t corners, const double (*knot)[3],
                                     int32_t knots, const double *hold, bool led, bool free_ball) {
  figure f = {0};
  add_joint(&f, -1, HIK_BALL, "x", (double[3]){0, 0, 0.1}, 0, 0);
  add_joint(&f, 0, HIK_REVOLUTE, "z", (double[3]){0.3, 0, 0}, 0, 2.5);
  add_joint(&f, 1, HIK_PRISMATIC, "x", (double[3]){0.1, 0, 0}, 0, 0.1);
  add_joint(&f, 2, HIK_REVOLUTE, "y", (double[3]){0.1, 0, 0}, -1.2, 1.2);
  add_joint(&f, 3, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, -0.4, 0.6);
  f.nq--; /* the last follows: no coordinate of its own */
  add_frame_at(&f, 4, 0.1, 0, 0.02);
  static const double axis2[5][3] = {{0, 0, 1}};
  double swing[5][6] = {{1.9, 1.7, 0.7, 1.0, -1.5, 1.5}}, line[5][2] = {{0, 0}};
  int32_t mimic[5] = {-1, -1, -1, -1, 3};
  for (int j = 1; j < 5; j++) swing[j][0] = NAN;
  line[4][0] = 0.5;
  double terms[5][HIK_FOLLOW_TERMS];
  for (int j = 0; j < 5; j++)
    for (int k = 0; k < HIK_FOLLOW_TERMS; k++)
      terms[j][k] = j == 2 || j == 4 ? 0.02 * (1 + (7 * j + 5 * k) % 9) - 0.1 : NAN;
  if (free_ball) swing[0][0] = NAN;
  if (led) {
    mimic[2] = mimic[4] = 0, f.nq--;
    f.lower[2] = f.lower[4] = -9, f.upper[2] = f.upper[4] = 9;
  }
  hik_model_def d = hik_model_def_default();
  d.n_joint = f.n, d.n_frame = f.frames;
  d.parent = f.parent, d.kind = f.kind, d.axis = f.axis[0], d.axis2 = axis2[0], d.placement = f.place[0];
  d.lower = f.lower, d.upper = f.upper, d.frame_joint = f.frame_joint, d.frame_placement = f.frame_place[0];
  d.mimic_swing = led ? terms[0] : NULL;
  d.swing = swing[0], d.mimic = mimic, d.mimic_line = line[0];
  const int32_t corner_count[5] = {corners}, knot_count[5] = {knots};
  const double full[5] = {1.2};
  d.corner_count = corner_count, d.corner = corner ? corner[0] : NULL;
  d.knot_count = knot_count, d.knot = knot ? knot[0] : NULL, d.knot_full = full, d.hold = hold;
  hik_model *m = NULL;
  hik_error error = {0};
  CHECK(hik_model_create(&d, &m, &error) == HIK_OK);
  if (!m) printf("%s\n", error.text), exit(1);
  return m;
}

HIK_UNUSED static hik_model *arm_with(const double (*corner)[2], int32_t corners, const double (*knot)[3],
                                      int32_t knots, const double *hold) {
  return arm_led(corner, corners, knot, knots, hold, false, false);
}

/* The shoulder in a cone; in a polygon that is not convex, with a twist that depends on the swing; held still. */
HIK_UNUSED static hik_model *cone_arm(void) { return arm_with(NULL, 0, NULL, 0, NULL); }

HIK_UNUSED static hik_model *room_arm_led(bool led) {
  static const double corner[6][2] = {{-2.6, 0.9}, {-0.7, 1.3}, {0.2, 1.2},
                                      {0.6, 0.35}, {1.6, 1},    {2.8, 0.7}};
  static const double knot[4][3] = {{-2.5, -0.3, 0.2}, {-0.5, -1, 0.9}, {1, -0.2, 1.4}, {2.2, 0.1, 0.6}};
  return arm_led(corner, 6, knot, 4, NULL, led, false);
}

HIK_UNUSED static hik_model *room_arm(void) { return room_arm_led(false); }

HIK_UNUSED static hik_model *held_arm(void) {
  static const double hold[20] = {0.8, 0, 0.6, 0, NAN, 0, 0, 0, NAN, 0, 0, 0, NAN, 0, 0, 0, NAN};
  return arm_with(NULL, 0, NULL, 0, hold);
}

/* A ball that carries two arms of three hinges and a slide each; a frame on each (0, 1) and one on the ball. `linked`: the
   last slide follows the other one. */
HIK_UNUSED static hik_model *two_arms(bool linked) {
  figure f = {0};
  const double o[3] = {0, 0, 0};
  add_joint(&f, -1, HIK_BALL, "z", (double[3]){0, 0, 1}, 0, 0);
  for (int side = -1; side <= 1; side += 2) {
    int32_t at = add_joint(&f, 0, HIK_REVOLUTE, "z", (double[3]){0, 0.2 * side, 0.5}, -2, 2);
    at = add_joint(&f, at, HIK_REVOLUTE, "y", o, -1, 1);
    at = add_joint(&f, at, HIK_REVOLUTE, "x", (double[3]){0.3, 0, 0}, 0.5, 0.5); /* no room */
    at = add_joint(&f, at, HIK_PRISMATIC, "x", (double[3]){0.1, 0, 0}, 0, 0.2);
    add_frame_at(&f, at, 0.3, 0, 0);
  }
  add_frame_at(&f, 0, 0, 0, 0.7);
  if (!linked) return freeze_figure(&f);
  int32_t mimic[9] = {-1, -1, -1, -1, -1, -1, -1, -1, 4};
  double line[9][2] = {{0}};
  line[8][0] = 0.7;
  f.nq--;
  hik_model_def d = hik_model_def_default();
  d.n_joint = f.n, d.n_frame = f.frames;
  d.parent = f.parent, d.kind = f.kind, d.axis = f.axis[0], d.placement = f.place[0];
  d.lower = f.lower, d.upper = f.upper, d.frame_joint = f.frame_joint, d.frame_placement = f.frame_place[0];
  d.mimic = mimic, d.mimic_line = line[0];
  hik_model *m = NULL;
  CHECK(hik_model_create(&d, &m, NULL) == HIK_OK);
  return m;
}

/* A term as a row of a table: constants are those of the kind where none is given. */
typedef struct want {
  const char *kind;
  int32_t frame, other;
  double param[8];
} want;

HIK_UNUSED static hik_problem *problem_with(const hik_model *m, const want *w, int32_t n, double tolerance) {
  hik_term t[20];
  hik_problem *p = NULL;
  for (int32_t i = 0; i < n; i++) {
    t[i] = hik_term_default(hik_find(HIK_TERMS, w[i].kind));
    t[i].frame = w[i].frame, t[i].other = w[i].other;
    t[i].position_tolerance = tolerance, t[i].orientation_tolerance = 10 * tolerance;
    t[i].weight = 1 + 0.5 * i;
    bool own = false;
    for (int k = 0; k < 8; k++) own = own || w[i].param[k] != 0;
    for (int k = 0; own && k < 8; k++) t[i].param[k] = w[i].param[k];
  }
  CHECK(hik_problem_create(m, t, n, &p, NULL) == HIK_OK);
  return p;
}

/* A descent with memory of its own, on terms about its problem. */
typedef struct bench {
  hik_model *m;
  hik_problem *p;
  hik_options options;
  hik_worker worker;
  hik_run run;
  hik_starts starts;
  hik_descent d;
  void *memory;
  double q[4 * MOST], target[3 * 7];
} bench;

HIK_UNUSED static void start_bench_on(bench *b, hik_model *m, hik_problem *p, bool chordal) {
  memset(b, 0, sizeof *b);
  b->m = m;
  b->p = p;
  b->options = hik_options_default(hik_find(HIK_SOLVERS, "dls"));
  b->worker.budget = INT64_MAX, b->worker.deadline = INFINITY;
  hik_block block = {NULL, 0, false};
  HIK_TAKE(&block, hik_pose, m->n_step);
  hik_starts_lay_out(&b->starts, b->p, &block);
  hik_descent_lay_out(&b->d, b->p, &block);
  b->memory = hik_allocate(block.size);
  block = (hik_block){b->memory, 0, false};
  hik_pose *world = HIK_TAKE(&block, hik_pose, m->n_step);
  hik_starts_lay_out(&b->starts, b->p, &block);
  hik_descent_lay_out(&b->d, b->p, &block);
  b->run = (hik_run){
      .problem = b->p, .options = &b->options, .worker = &b->worker, .world = world, .starts = &b->starts};
  hik_descent_prepare(&b->d, &b->run, chordal);
}

/* The same on one term about frame 0. */
HIK_UNUSED static void start_bench(bench *b, hik_model *m, const char *kind, bool chordal) {
  start_bench_on(b, m, make_problem(m, kind, 1e-6), chordal);
}

/* Random pose, and a target that another random pose meets. */
HIK_UNUSED static void pose_bench(bench *b, const char *kind, uint64_t draw) {
  double other[4 * MOST], whole[7];
  memcpy(b->q, b->m->rest, (size_t)b->m->nq * sizeof *b->q);
  memcpy(other, b->q, sizeof other);
  hik_random_q(b->m, 5, 2 * draw, b->q);
  hik_random_q(b->m, 5, 2 * draw + 1, other);
  target_of(b->m, other, true, whole);
  memcpy(b->target, whole + (strcmp(kind, "orientation") == 0 ? 3 : 0),
         7 * sizeof(double) - (strcmp(kind, "orientation") == 0 ? 3 * sizeof(double) : 0));
  hik_descent_begin(&b->d, b->target, b->q);
  hik_descent_residual(&b->d);
  hik_descent_jacobian(&b->d);
}

HIK_UNUSED static void end_bench(bench *b) {
  hik_release(b->memory);
  hik_problem_free(b->p);
  hik_model_free(b->m);
}
