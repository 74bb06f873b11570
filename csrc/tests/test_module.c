/* test_module.c: the calls of the WebAssembly module, here on this machine: names, refusals, the answers of hik_plan_solve. */
#include "wasm/module.c"

#include "check.h"

/* Three hinges about z in a row, 0.5 m each, and a frame at the tip. */
static hik_model *row(void) {
  static const int32_t parent[3] = {-1, 0, 1}, kind[3] = {HIK_REVOLUTE, HIK_REVOLUTE, HIK_REVOLUTE};
  static const int32_t frame_joint[1] = {2};
  static const double axis[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, lower[3] = {-3, -3, -3}, upper[3] = {3, 3, 3};
  static const double tip[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0, 0};
  double placement[36] = {0};
  for (int j = 0; j < 3; j++) {
    for (int k = 0; k < 3; k++) placement[12 * j + 4 * k] = 1;
    placement[12 * j + 9] = j ? 0.5 : 0;
  }
  page_begin(3, 1);
  CHECK(page_array("parent", parent) == HIK_OK && page_array("kind", kind) == HIK_OK);
  CHECK(page_array("axis", axis) == HIK_OK && page_array("placement", placement) == HIK_OK);
  CHECK(page_array("lower", lower) == HIK_OK && page_array("upper", upper) == HIK_OK);
  CHECK(page_array("frame_joint", frame_joint) == HIK_OK && page_array("frame_placement", tip) == HIK_OK);
  return page_model();
}

static hik_problem *reach(const hik_model *m) {
  page_terms();
  CHECK(page_term("position", 0, -1, 1, 1e-6, 1e-6) == HIK_OK);
  return page_problem(m);
}

static void test_names(void) {
  CHECK(strcmp(page_release(), hik_version()) == 0);
  CHECK(page_rows(HIK_OUTCOMES) == HIK_OUTCOME_COUNT);
  CHECK(strcmp(page_name(HIK_OUTCOMES, HIK_CONVERGED), "converged") == 0);
  CHECK(page_find(HIK_SOLVERS, "fabrik") >= 0 && page_find(HIK_SOLVERS, "nobody") == -1);
}

static void test_refusals(void) {
  CHECK(page_array("no_such_array", NULL) == HIK_NOT_FOUND);
  CHECK(strcmp(page_sentence(), "a model has no such array") == 0);
  page_begin(1, 0);
  CHECK(page_model() == NULL && page_sentence()[0] != 0); /* without arrays */
  hik_model *m = row();
  page_terms();
  CHECK(page_term("no_such_term", 0, -1, 1, 1e-6, 1e-6) == HIK_NOT_FOUND);
  CHECK(page_term("position", 7, -1, 1, 1e-6, 1e-6) == HIK_OK && page_problem(m) == NULL);
  hik_problem *p = reach(m);
  CHECK(page_plan(p, "no_such_solver", -1, -1) == NULL);
  CHECK(strcmp(page_sentence(), "there is no such solver") == 0);
  CHECK(page_plan(p, "ftl", -1, -1) == NULL && strlen(page_sentence()) > 20); /* for free balls alone */
  hik_plan *plan = page_plan(p, "lm", -1, -1);
  CHECK(page_answer(plan, p, MOST_TARGETS + 1, NULL, NULL, NULL, NULL, NULL) == HIK_BAD_ARGUMENT);
  CHECK(page_answer(plan, p, -1, NULL, NULL, NULL, NULL, NULL) == HIK_BAD_ARGUMENT);
  page_plan_drop(plan), page_problem_drop(p), page_model_drop(m);
}

/* As the public interface answers with the same options, and the options are heard. */
static void test_answers(void) {
  hik_model *m = row();
  CHECK(m != NULL && page_nq(m) == 3);
  hik_problem *p = reach(m);
  CHECK(page_width(p) == 3);
  const double target[9] = {0.7, 0.6, 0, 9, 9, 0, NAN, 0, 0}, q0[3] = {0.1, 0.2, 0.3};
  double q[9], missed[6], direct[9], poses[16];
  int32_t whole[9];
  int8_t outcome[3];
  hik_plan *plan = page_plan(p, "dls", -1, -1);
  CHECK(page_answer(plan, p, 3, target, q0, q, whole, missed) == HIK_OK);
  hik_options options = hik_options_default(hik_find(HIK_SOLVERS, "dls"));
  hik_batch batch = {.n = 3, .target = target, .target_stride = 3, .q0 = q0, .q = direct, .outcome = outcome};
  CHECK(hik_solve(hik_find(HIK_SOLVERS, "dls"), p, &options, &batch, &error) == HIK_OK);
  CHECK(memcmp(q, direct, 6 * sizeof *q) == 0 && q[6] != q[6]);
  for (int i = 0; i < 3; i++) CHECK(whole[3 * i] == outcome[i]);
  CHECK(outcome[0] == HIK_CONVERGED && outcome[2] == HIK_INVALID && missed[0] < 1e-6 && missed[2] > 10);
  CHECK(page_poses(m, 1, q, poses) == HIK_OK && fabs(poses[3] - 0.7) < 1e-6 && fabs(poses[7] - 0.6) < 1e-6);
  page_plan_drop(plan);
  plan = page_plan(p, "dls", 1, 0);
  CHECK(page_answer(plan, p, 1, target, q0, q, whole, missed) == HIK_OK);
  CHECK(whole[0] == HIK_MAX_ITER && whole[1] == 1 && whole[2] == 0);
  double far[3] = {9, -9, 0};
  page_clip(m, 1, far);
  CHECK(far[0] == 3 && far[1] == -3 && far[2] == 0);
  page_plan_drop(plan), page_problem_drop(p), page_model_drop(m);
}

static void test_room(void) {
  void *memory = page_room(0);
  CHECK(memory != NULL);
  page_drop(memory);
  hik_model *m = row();
  page_terms();
  for (int k = 0; k < 40; k++) CHECK(page_term("position", 0, -1, 1, 1e-6, 1e-6) == HIK_OK);
  hik_problem *p = page_problem(m);
  CHECK(p != NULL && page_width(p) == 120);
  page_problem_drop(p), page_model_drop(m);
  free(terms), terms = NULL, room_for_terms = n_term = 0;
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_names);
  RUN(test_refusals);
  RUN(test_answers);
  RUN(test_room);
  CHECK_END();
}
