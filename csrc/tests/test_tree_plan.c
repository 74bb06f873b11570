/* test_tree_plan.c: what the lanes of a tree take, what they are told of it, and coordinates there and back. */
#include "solve/lanes/tree_plan.h"

#include "descent_figures.h"
#include "term/term.h"

static hik_problem *problem_of(const hik_model *m, const char *const *kinds, const int32_t *frames,
                               int32_t n) {
  hik_term t[20];
  hik_problem *p = NULL;
  for (int32_t i = 0; i < n; i++) {
    t[i] = hik_term_default(hik_find(HIK_TERMS, kinds[i]));
    t[i].frame = frames[i];
  }
  CHECK(hik_problem_create(m, t, n, &p, NULL) == HIK_OK);
  return p;
}

/* A ball that carries two arms of three hinges and a slide each; a frame on each and one on the ball. */
static hik_model *two_arms(void) {
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
  return freeze_figure(&f);
}

static void test_columns_cells_and_products(void) {
  hik_model *m = two_arms();
  const char *const kinds[] = {"pose", "position"};
  hik_problem *p = problem_of(m, kinds, (const int32_t[]){0, 1}, 2);
  hik_readied ready = {.problem = p};
  CHECK(hik_tree_fits(p) && hik_tree_ready(&ready));
  const hik_tree_plan *plan = ready.tree;
  const hik_tree *t = &plan->tree;
  CHECK(hik_tree_ready(&ready) && plan == ready.tree);
  CHECK(t->count == 9 && t->slots == 4 + 8 && t->columns == 3 + 2 * 3 && t->joints == 1 + 2 * 3);
  CHECK(t->blocks == 3 && t->goals == 2 && t->movers == 9);
  /* point: ball, two turns, slide; rotation: the same without the slide; the other point */
  CHECK(t->cells == 6 + 5 + 6);
  CHECK(t->block[0].kind == HIK_TREE_POINT && t->block[1].kind == HIK_TREE_ROTATION);
  CHECK(t->block[1].last_entry - t->block[1].first_entry == 5);
  /* with itself 6, 5, 6; rotation with its own point 5; each with the other's 3, the ball's */
  CHECK(t->pairs == 6 && t->pair[5].last == 6 + 5 + 6 + 5 + 3 + 3);
  hik_release(ready.tree);
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_coordinates_there_and_back(void) {
  hik_model *models[] = {two_arms(), cone_arm(), held_arm(), gantry()};
  for (int k = 0; k < HIK_COUNT_OF(models); k++) {
    const hik_model *m = models[k];
    hik_problem *p = make_problem(m, "position", 1e-6);
    hik_readied ready = {.problem = p};
    CHECK(hik_tree_ready(&ready));
    const hik_tree_plan *plan = ready.tree;
    double q[4 * MOST], back[4 * MOST], rows[3 * 4 * MOST];
    for (uint64_t draw = 0; draw < 20; draw++) {
      memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
      hik_random_q(m, 2, draw, q);
      hik_tree_put(plan, q, 3, rows + 1);
      memcpy(back, q, sizeof back);
      for (int32_t i = 0; i < plan->places; i++) /* spoil what is to be written */
        if (plan->place[i].moves) back[plan->place[i].q] = 7;
      hik_tree_get(plan, rows + 1, 3, back);
      for (int32_t i = 0; i < m->nq; i++) CHECK_NEAR(back[i], q[i], 1e-14);
    }
    hik_release(ready.tree);
    hik_problem_free(p);
    hik_model_free(models[k]);
  }
}

static void test_what_does_not_fit(void) {
  hik_model *m = room_arm();
  hik_problem *p = make_problem(m, "position", 1e-6);
  CHECK(!hik_tree_fits(p)); /* a polygon, and a twist that goes with the swing */
  hik_problem_free(p);
  hik_model_free(m);
  m = two_arms();
  const char *const look[] = {"level", "position"}, *const many[] = {"pose", "pose", "pose"};
  p = problem_of(m, look, (const int32_t[]){2, 0}, 2);
  CHECK(!hik_tree_fits(p)); /* a kind without a wanted pose */
  hik_problem_free(p);
  p = problem_of(m, many, (const int32_t[]){0, 1, 2}, 3);
  CHECK(!hik_tree_fits(p)); /* 18 rows, 9 columns */
  hik_problem_free(p);
  hik_model_free(m);
  m = planar_chain(40, 1);
  p = make_problem(m, "position", 1e-6);
  CHECK(hik_tree_fits(p));
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_columns_cells_and_products);
  RUN(test_coordinates_there_and_back);
  RUN(test_what_does_not_fit);
  CHECK_END();
}
