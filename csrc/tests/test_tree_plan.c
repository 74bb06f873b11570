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

static void test_columns_cells_and_products(void) {
  hik_model *m = two_arms(false);
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

/* Rows by themselves stand behind those of three, three of them in a block. */
static void test_single_rows_share_a_block(void) {
  hik_model *m = two_arms(true);
  const want w[] = {{"level", 0, -1, {0}},
                    {"position", 0, -1, {0}},
                    {"distance", 1, 0, {0, 0, 0, 0, 0, 0, 0.3, 0.5}},
                    {"level", 1, -1, {0}},
                    {"distance", 2, 2, {0, 0, 0, 0, 0, 0, 0.3, 0.5}}};
  hik_problem *p = problem_with(m, w, 5, 1e-6);
  hik_readied ready = {.problem = p};
  CHECK(hik_tree_fits(p) && hik_tree_ready(&ready));
  const hik_tree_plan *plan = ready.tree;
  const hik_tree *t = &plan->tree;
  CHECK(t->blocks == 3 && t->whole == 1 && t->rows == 4 && t->goals == 1 && t->columns == 3 + 2 * 2 + 1);
  for (int i = 0; i < 4; i++) CHECK(t->row[i].row == 3 + i);
  CHECK(t->row[0].kind == HIK_TREE_ANGLE && t->row[1].kind == HIK_TREE_DISTANCE);
  CHECK(t->row[2].kind == HIK_TREE_ANGLE && t->row[3].kind == HIK_TREE_DISTANCE);
  /* the ball and two hinges turn an axis, a slide does not; both arms lie between the hands, the ball below does not */
  CHECK(t->row[0].last_entry - t->row[0].first_entry == 5 && t->row[0].first_other == t->row[0].last_entry);
  CHECK(t->row[1].first_other - t->row[1].first_entry == 3 &&
        t->row[1].last_entry - t->row[1].first_other == 3);
  /* two points of one link: nothing moves the one against the other */
  CHECK(t->row[3].first_entry == t->row[3].last_entry);
  /* the point: 6 columns; the block of three: ball, four hinges and the slide they share; nothing of the last */
  CHECK(t->cells == 6 + 8);
  /* each of three rows that a column moves but the first adds to its cell */
  int32_t makes = 0;
  for (int32_t k = t->row[0].first_entry; k < t->row[3].last_entry; k++) makes += !t->entry[k].adds;
  CHECK(makes == 8);
  CHECK(t->row[1].scale != t->row[2].scale && t->row[1].near < t->row[2].near); /* metres and radians */
  CHECK(t->row[2].least == t->row[2].most && t->row[1].least == 0.3 && t->row[1].most == 0.5);
  hik_release(ready.tree);
  hik_problem_free(p);
  hik_model_free(m);
}

/* A distance from what stands still is one, and the lanes take it whichever side that is; two such points are none. */
static void test_distances_from_the_world(void) {
  hik_model *m = two_arms(false);
  const want w[] = {{"distance", 0, -1, {0, 0, 0, 0, 0, 0, 0.3, 0.5}}};
  hik_problem *p = problem_with(m, w, 1, 1e-6);
  hik_readied ready = {.problem = p};
  CHECK(hik_tree_fits(p) && hik_tree_ready(&ready));
  const hik_tree *t = &((const hik_tree_plan *)ready.tree)->tree;
  CHECK(t->goals == 0 && t->blocks == 1 && t->row[0].step[1] == -1 &&
        t->row[0].first_other == t->row[0].last_entry);
  hik_release(ready.tree);
  hik_goal swapped = *p->goal;
  p->goal->step = -1, p->goal->other_step = swapped.step;
  ready = (hik_readied){.problem = p};
  CHECK(hik_tree_fits(p) && hik_tree_ready(&ready));
  t = &((const hik_tree_plan *)ready.tree)->tree;
  CHECK(t->row[0].step[0] == -1 && t->row[0].first_other == t->row[0].first_entry && t->cells == 6);
  hik_release(ready.tree);
  p->goal->other_step = -1;
  CHECK(!hik_tree_fits(p));
  *p->goal = swapped;
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_coordinates_there_and_back(void) {
  hik_model *models[] = {two_arms(false), cone_arm(), held_arm(), gantry()};
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

static void test_what_fits_and_what_does_not(void) {
  hik_model *m = room_arm();
  hik_problem *p = make_problem(m, "position", 1e-6);
  CHECK(hik_tree_fits(p)); /* a polygon, and a twist that goes with the swing */
  hik_problem_free(p);
  hik_model_free(m);
  m = two_arms(false);
  const char *const closed[] = {"loop", "position"}, *const many[] = {"pose", "pose", "pose"};
  p = problem_of(m, closed, (const int32_t[]){2, 0}, 2);
  CHECK(!hik_tree_fits(p)); /* a kind that the lanes do not know */
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

/* As much as the lanes take, and one more of each. */
static void test_the_most_that_fits(void) {
  const char *kinds[17];
  int32_t tip[17] = {0};
  for (int k = 0; k < 17; k++) kinds[k] = "position";
  hik_model *m = planar_chain(60, 1);
  for (int n = 16; n <= 17; n++) {
    hik_problem *p = problem_of(m, kinds, tip, n);
    CHECK(p->rows == 3 * n && hik_tree_fits(p) == (n == 16));
    hik_problem_free(p);
  }
  hik_model_free(m);
  for (int32_t n = 256; n <= 257; n++) {
    m = planar_chain(n, 1);
    hik_problem *p = make_problem(m, "position", 1e-6);
    CHECK(p->n_active == n && hik_tree_fits(p) == (n == 256));
    hik_problem_free(p);
    hik_model_free(m);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_columns_cells_and_products);
  RUN(test_single_rows_share_a_block);
  RUN(test_distances_from_the_world);
  RUN(test_coordinates_there_and_back);
  RUN(test_what_fits_and_what_does_not);
  RUN(test_the_most_that_fits);
  CHECK_END();
}
