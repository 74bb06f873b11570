/* coupled_figures.h: a small figure whose joints follow others, for the tests of what moves them. */
#pragma once
#include "solver_figures.h"

/* A hinge, a hinge that follows it at half its value, a slide that follows the third hinge, a branch: two frames. */
HIK_UNUSED static hik_model *coupled_tree(void) {
  figure f = {0};
  add_joint(&f, -1, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, -2, 2);
  add_joint(&f, 0, HIK_REVOLUTE, "y", (double[3]){0.3, 0, 0}, -1.5, 1.5);
  add_joint(&f, 1, HIK_REVOLUTE, "z", (double[3]){0.3, 0, 0}, 0, 0);
  add_joint(&f, 2, HIK_PRISMATIC, "x", (double[3]){0.1, 0, 0}, 0, 0);
  add_joint(&f, 1, HIK_REVOLUTE, "x", (double[3]){0, 0.2, 0}, -1, 1);
  add_frame_at(&f, 3, 0.2, 0.05, 0);
  add_frame_at(&f, 4, 0, 0.3, 0.1);
  hik_model_def d = hik_model_def_default();
  const int32_t mimic[5] = {-1, -1, 0, 1, -1};
  const double line[10] = {1, 0, 1, 0, 0.5, 0.1, 0.05, 0.1, 1, 0}, lower[3] = {-2, -1.5, -1},
               upper[3] = {2, 1.5, 1};
  d.n_joint = f.n, d.n_frame = f.frames;
  d.parent = f.parent, d.kind = f.kind, d.axis = f.axis[0], d.placement = f.place[0];
  d.lower = lower, d.upper = upper, d.frame_joint = f.frame_joint, d.frame_placement = f.frame_place[0];
  d.mimic = mimic, d.mimic_line = line;
  hik_model *m = NULL;
  CHECK(hik_model_create(&d, &m, NULL) == HIK_OK);
  return m;
}

/* Positions of both frames, the second with a pair between the two after it. */
HIK_UNUSED static hik_problem *coupled_problem(const hik_model *m, bool pair) {
  hik_term term[3] = {hik_term_default(hik_find(HIK_TERMS, "pose")),
                      hik_term_default(hik_find(HIK_TERMS, "position")),
                      hik_term_default(hik_find(HIK_TERMS, "loop"))};
  hik_problem *p = NULL;
  term[0].frame = 0, term[1].frame = 1, term[2].frame = 0, term[2].other = 1;
  CHECK(hik_problem_create(m, term, pair ? 3 : 2, &p, NULL) == HIK_OK);
  return p;
}
