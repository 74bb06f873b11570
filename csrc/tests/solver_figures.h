/* solver_figures.h: small figures for the solver tests, and one call that solves. */
#pragma once
#include <stdlib.h>

#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "solve/drive/solver.h"

enum { MOST = 260 };

/* A figure in the making: joints with axes, offsets from the one above and limits; frames. */
typedef struct figure {
  int32_t n, frames, parent[MOST], kind[MOST], frame_joint[MOST], nq;
  double axis[MOST][3], place[MOST][12], frame_place[MOST][12], lower[4 * MOST], upper[4 * MOST];
} figure;

HIK_UNUSED static void set_place(double *place, double x, double y, double z) {
  memset(place, 0, 12 * sizeof *place);
  place[0] = place[4] = place[8] = 1;
  place[9] = x, place[10] = y, place[11] = z;
}

HIK_UNUSED static int32_t add_joint(figure *f, int32_t parent, int32_t kind, const char *axis,
                                    const double at[3], double lower, double upper) {
  int32_t i = f->n++;
  f->parent[i] = parent;
  f->kind[i] = kind;
  for (int k = 0; k < 3; k++) f->axis[i][k] = axis[0] == 'x' + k;
  set_place(f->place[i], at[0], at[1], at[2]);
  int32_t width = kind == HIK_BALL ? 4 : 1;
  for (int32_t k = 0; k < width; k++) {
    f->lower[f->nq] = kind == HIK_BALL ? -INFINITY : lower;
    f->upper[f->nq++] = kind == HIK_BALL ? INFINITY : upper;
  }
  return i;
}

HIK_UNUSED static int32_t add_frame_at(figure *f, int32_t joint, double x, double y, double z) {
  f->frame_joint[f->frames] = joint;
  set_place(f->frame_place[f->frames], x, y, z);
  return f->frames++;
}

HIK_UNUSED static hik_model *freeze_figure(const figure *f) {
  hik_model_def d = hik_model_def_default();
  d.n_joint = f->n, d.n_frame = f->frames;
  d.parent = f->parent, d.kind = f->kind, d.axis = f->axis[0], d.placement = f->place[0];
  d.lower = f->lower, d.upper = f->upper, d.frame_joint = f->frame_joint,
  d.frame_placement = f->frame_place[0];
  hik_model *m = NULL;
  hik_error error = {0};
  CHECK(hik_model_create(&d, &m, &error) == HIK_OK);
  if (!m) printf("%s\n", error.text), exit(1);
  return m;
}

/* n hinges about z, links of 1/n along x. */
HIK_UNUSED static hik_model *planar_chain(int32_t n, double limit) {
  figure f = {0};
  for (int32_t i = 0; i < n; i++)
    add_joint(&f, i - 1, HIK_REVOLUTE, "z", (double[3]){i ? 1.0 / n : 0, 0, 0}, -limit, limit);
  add_frame_at(&f, n - 1, 1.0 / n, 0, 0);
  return freeze_figure(&f);
}

/* A human arm of hinges: shoulder of three, elbow, forearm twist, wrist of two. */
HIK_UNUSED static hik_model *hinge_arm(void) {
  figure f = {0};
  const double o[3] = {0, 0, 0};
  add_joint(&f, -1, HIK_REVOLUTE, "z", (double[3]){0, 0, 0.2}, -2.6, 2.6);
  add_joint(&f, 0, HIK_REVOLUTE, "y", o, -1.7, 1.7);
  add_joint(&f, 1, HIK_REVOLUTE, "x", o, -1.5, 1.5);
  add_joint(&f, 2, HIK_REVOLUTE, "y", (double[3]){0.45, 0, 0}, 0, 2.5);
  add_joint(&f, 3, HIK_REVOLUTE, "x", o, -1.4, 1.4);
  add_joint(&f, 4, HIK_REVOLUTE, "y", (double[3]){0.4, 0, 0}, -1.2, 1.2);
  add_joint(&f, 5, HIK_REVOLUTE, "z", o, -0.4, 0.6);
  add_frame_at(&f, 6, 0.1, 0, 0);
  return freeze_figure(&f);
}

/* A ball shoulder, a hinge, a ball wrist. */
HIK_UNUSED static hik_model *ball_arm(void) {
  figure f = {0};
  add_joint(&f, -1, HIK_BALL, "z", (double[3]){0, 0, 0.2}, 0, 0);
  add_joint(&f, 0, HIK_REVOLUTE, "y", (double[3]){0.3, 0, 0}, 0, 2.5);
  add_joint(&f, 1, HIK_BALL, "z", (double[3]){0.25, 0, 0}, 0, 0);
  add_frame_at(&f, 2, 0.1, 0, 0.02);
  return freeze_figure(&f);
}

/* Three slides, then two hinges. */
HIK_UNUSED static hik_model *gantry(void) {
  figure f = {0};
  const double o[3] = {0, 0, 0};
  add_joint(&f, -1, HIK_PRISMATIC, "x", o, -0.5, 0.5);
  add_joint(&f, 0, HIK_PRISMATIC, "y", o, -0.5, 0.5);
  add_joint(&f, 1, HIK_PRISMATIC, "z", o, -0.5, 0.5);
  add_joint(&f, 2, HIK_REVOLUTE, "z", (double[3]){0, 0.1, 0}, -3, 3);
  add_joint(&f, 3, HIK_REVOLUTE, "y", (double[3]){0.2, 0, 0}, -2, 2);
  add_frame_at(&f, 4, 0.2, 0, 0);
  return freeze_figure(&f);
}

HIK_UNUSED static hik_problem *make_problem(const hik_model *m, const char *kind, double tolerance) {
  hik_term t = hik_term_default(hik_find(HIK_TERMS, kind));
  hik_problem *p = NULL;
  t.frame = 0;
  t.position_tolerance = tolerance, t.orientation_tolerance = 10 * tolerance;
  CHECK(hik_problem_create(m, &t, 1, &p, NULL) == HIK_OK);
  return p;
}

/* What a solve gave; trace holds at most 5000 iterations. */
typedef struct solved {
  hik_status status;
  int8_t outcome;
  int32_t iterations, remedies;
  double error, q[4 * MOST], trace[5001];
  hik_error message;
} solved;

HIK_UNUSED static solved solve_with(const char *solver, const hik_problem *p, const hik_options *options,
                                    const double *target, const double *q0) {
  solved s = {0};
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options o = options ? *options : hik_options_default(index);
  hik_batch b = {.n = 1,
                 .target = target,
                 .q0 = q0,
                 .q = s.q,
                 .outcome = &s.outcome,
                 .iterations = &s.iterations,
                 .n_restarts = &s.remedies,
                 .error = &s.error,
                 .trace = s.trace};
  s.status = hik_solve(index, p, &o, &b, &s.message);
  return s;
}

/* Target columns of a position or a pose that q gives frame 0. */
HIK_UNUSED static void target_of(const hik_model *m, const double *q, bool pose, double *target) {
  double pose44[16], r[9];
  void *scratch = malloc(hik_scratch_size(m));
  hik_frame(m, 0, 1, q, pose44, scratch);
  for (int i = 0; i < 3; i++) {
    target[i] = pose44[4 * i + 3];
    for (int j = 0; j < 3; j++) r[3 * i + j] = pose44[4 * i + j];
  }
  if (pose) hik_quat_from_mat(r, target + 3);
  free(scratch);
}

/* Of n targets made inside the limits, how many are solved from other random starts; checks that the limits
   hold. */
HIK_UNUSED static int count_solved(const char *solver, const hik_model *m, bool pose, int n) {
  hik_problem *p = make_problem(m, pose ? "pose" : "position", 1e-3 * m->reach);
  int good = 0;
  for (int i = 0; i < n; i++) {
    double q[4 * MOST], q0[4 * MOST], target[7];
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
    memcpy(q0, m->rest, (size_t)m->nq * sizeof *q);
    hik_random_q(m, 1, 2 * (uint64_t)i, q);
    hik_random_q(m, 1, 2 * (uint64_t)i + 1, q0);
    target_of(m, q, pose, target);
    solved s = solve_with(solver, p, NULL, target, q0);
    CHECK(s.status == HIK_OK);
    CHECK(hik_inside(m, s.q, m->n_swing ? 1e-13 : 0));
    CHECK(s.outcome == HIK_CONVERGED || s.outcome == HIK_STALLED || s.outcome == HIK_MAX_ITER ||
          s.outcome == HIK_LEAST_SQUARES);
    good += s.outcome == HIK_CONVERGED;
  }
  hik_problem_free(p);
  return good;
}
