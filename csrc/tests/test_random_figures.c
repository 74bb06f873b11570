/* test_random_figures.c: random trees, terms, solvers and options: a batch is its single problems, twice, from memory that
   held something else each time. Built with clang's -fsanitize=memory it also finds what is read before it is written. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "figures.h"
#include "solve/drive/solver.h"
#include "term/term.h"

enum { ROWS = 3, WIDTH = 64 };

typedef struct outcome {
  double q[ROWS * FIGURE_NQ], error[ROWS];
  int8_t end[ROWS];
  int32_t iterations[ROWS], remedies[ROWS];
} outcome;

static int32_t below(hik_rng *rng, int32_t n) { return (int32_t)(hik_rng_uniform(rng) * n); }

static hik_model *draw_tree(hik_rng *rng) {
  static const int32_t kinds[] = {HIK_REVOLUTE, HIK_REVOLUTE, HIK_PRISMATIC, HIK_BALL, HIK_UNIVERSAL};
  figure f;
  hik_model *m = NULL;
  hik_error error;
  figure_start(&f);
  int32_t joints = 2 + below(rng, 5);
  for (int32_t j = 0; j < joints; j++)
    figure_joint(&f, j == 0 ? -1 : j - 1 - below(rng, j < 3 ? 1 : 2), kinds[below(rng, HIK_COUNT_OF(kinds))]);
  for (int k = 0; k < FIGURE_NQ; k++) f.lower[k] = -1 - hik_rng_uniform(rng), f.upper[k] = 1.5;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  return m;
}

static hik_problem *draw_problem(hik_rng *rng, const hik_model *m) {
  static const char *const names[] = {"position", "orientation", "pose",    "axis",
                                      "look_at",  "level",       "distance"};
  hik_term term[2];
  hik_problem *p = NULL;
  hik_error error;
  int32_t n = 1 + below(rng, 2);
  for (int32_t i = 0; i < n; i++) {
    term[i] = hik_term_default(hik_find(HIK_TERMS, names[below(rng, HIK_COUNT_OF(names))]));
    term[i].frame = i == 0 ? m->n_frame - 1 : below(rng, m->n_frame);
    term[i].other = term[i].frame > 0 ? 0 : -1;
    if (term[i].kind == hik_find(HIK_TERMS, "distance")) term[i].param[6] = 0.2, term[i].param[7] = 0.4;
  }
  return hik_problem_create(m, term, n, &p, &error) == HIK_OK ? p : NULL;
}

/* Rows `first` to `last` into out. False: not for this solver. */
static bool solve(int32_t solver, const hik_problem *p, const hik_options *o, const double *target,
                  const double *q0, int32_t first, int32_t last, outcome *out) {
  hik_error error;
  int32_t nq = p->model->nq;
  const hik_batch b = {.n = last - first,
                       .target = target + first * p->width,
                       .target_stride = p->width,
                       .q0 = q0 + first * nq,
                       .q0_stride = nq,
                       .q = out->q + first * nq,
                       .outcome = out->end + first,
                       .iterations = out->iterations + first,
                       .n_restarts = out->remedies + first,
                       .error = out->error + first};
  return hik_solve(solver, p, o, &b, &error) == HIK_OK;
}

static bool same(const outcome *a, const outcome *b, int32_t nq) {
  for (int32_t i = 0; i < ROWS; i++) {
    if (a->end[i] != b->end[i] || a->iterations[i] != b->iterations[i] || a->remedies[i] != b->remedies[i])
      return false;
    if (a->end[i] == HIK_INVALID) continue;
    if (memcmp(a->error + i, b->error + i, sizeof(double)) != 0) return false;
    if (memcmp(a->q + i * nq, b->q + i * nq, (size_t)nq * sizeof(double)) != 0) return false;
  }
  return true;
}

static void one_figure(uint64_t draw, int *solved) {
  hik_rng rng = hik_rng_start(60000, draw);
  hik_model *m = draw_tree(&rng);
  hik_problem *p = m ? draw_problem(&rng, m) : NULL;
  double target[ROWS * WIDTH], q0[ROWS * FIGURE_NQ];
  static const int32_t most[] = {0, 1, 7, 40, 150};
  for (int32_t s = 0; p && s < hik_count(HIK_SOLVERS); s++) {
    hik_options o = hik_options_default(s);
    o.max_iter = most[below(&rng, HIK_COUNT_OF(most))];
    for (int k = 0; k < ROWS * p->width; k++) target[k] = 1.4 * hik_rng_uniform(&rng) - 0.7;
    if (p->width > 0 && draw % 3 == 0) target[0] = NAN, target[p->width] = INFINITY;
    for (int i = 0; i < ROWS; i++) {
      memcpy(q0 + i * m->nq, m->rest, (size_t)m->nq * sizeof *q0);
      hik_random_q(m, 3, 10 * draw + (uint64_t)i, q0 + i * m->nq);
    }
    outcome *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (a && b && solve(s, p, &o, target, q0, 0, ROWS, a)) {
      for (int32_t i = 0; i < ROWS; i++) CHECK(solve(s, p, &o, target, q0, i, i + 1, b));
      bool alike = same(a, b, m->nq);
      if (!alike) printf("figure %d, solver %s\n", (int)draw, hik_row(HIK_SOLVERS, s).name);
      CHECK(alike);
      ++*solved;
    }
    free(a), free(b);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_a_batch_is_its_singles_whatever_the_memory_held(void) {
  int solved = 0;
  for (uint64_t draw = 0; draw < CHECK_REPEATS(60, 12); draw++) one_figure(draw, &solved);
  CHECK(solved > CHECK_REPEATS(300, 60));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_batch_is_its_singles_whatever_the_memory_held);
  CHECK_END();
}
