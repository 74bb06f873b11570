/* test_problem.c: term/problem.c: what is refused, columns and rows, active steps, what lengths allow. */
#include "term/term.h"

#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "failing.h"
#include "figures.h"

static hik_error error;
static hik_model *model;

static void start(int32_t links) {
  figure f;
  figure_planar(&f, links);
  if (hik_model_create(&f.def, &model, &error)) printf("%s\n", error.text);
  CHECK(model != NULL);
}

static hik_term term_of(const char *name, int32_t frame) {
  hik_term t = hik_term_default(hik_find(HIK_TERMS, name));
  t.frame = frame;
  return t;
}

static bool refused(const hik_term *term, int32_t n, hik_status status, int32_t index, const char *word) {
  hik_problem *problem = (hik_problem *)(void *)&error;
  memset(&error, 0, sizeof error);
  hik_status got = hik_problem_create(model, term, n, &problem, &error);
  bool good = got == status && !problem && error.index == index && strstr(error.text, word);
  if (!good) printf("got %d at %d: %s\n", got, error.index, error.text);
  return good;
}

static void test_bad_terms_are_named(void) {
  start(3);
  hik_term t[2] = {term_of("position", 2), term_of("position", 1)};
  CHECK(refused(t, 0, HIK_BAD_ARGUMENT, -1, "got 0"));
  CHECK(refused(t, 1 << 20, HIK_BAD_ARGUMENT, -1, "terms"));
  t[1].kind = 1000;
  CHECK(refused(t, 2, HIK_BAD_ARGUMENT, 1, "1000"));
  t[1] = term_of("position", 3);
  CHECK(refused(t, 2, HIK_NOT_FOUND, 1, "no frame 3"));
  t[1] = term_of("position", -1);
  CHECK(refused(t, 2, HIK_NOT_FOUND, 1, "no frame -1"));
  static const double weight[] = {0, -1, NAN, INFINITY};
  for (int i = 0; i < HIK_COUNT_OF(weight); i++) {
    t[1] = term_of("position", 2), t[1].weight = weight[i];
    CHECK(refused(t, 2, HIK_BAD_ARGUMENT, 1, "weight"));
  }
  t[1] = term_of("position", 2), t[1].position_tolerance = -1e-9;
  CHECK(refused(t, 2, HIK_BAD_ARGUMENT, 1, "tolerances"));
  t[1] = term_of("orientation", 2), t[1].orientation_tolerance = NAN;
  CHECK(refused(t, 2, HIK_BAD_ARGUMENT, 1, "tolerances"));
  t[1] = term_of("axis", 2), t[1].param[2] = 0;
  CHECK(refused(t, 2, HIK_BAD_ARGUMENT, 1, "axis"));
  hik_model_free(model);
}

static void test_columns_and_rows_follow_each_other(void) {
  start(4);
  hik_term t[] = {term_of("pose", 3), term_of("axis", 1), term_of("position", 2), term_of("orientation", 0)};
  hik_problem *p;
  CHECK(hik_problem_create(model, t, 4, &p, &error) == HIK_OK);
  CHECK(hik_problem_target_width(p) == 7 + 3 + 3 + 4);
  CHECK(hik_problem_residual_width(p) == 6 + 3 + 3 + 3);
  static const int32_t column[] = {0, 7, 10, 13}, row[] = {0, 6, 9, 12};
  for (int i = 0; i < 4; i++) CHECK(p->goal[i].column == column[i] && p->goal[i].row == row[i]);
  hik_problem_free(p);
  hik_problem_free(NULL);
  hik_model_free(model);
}

static void test_only_the_steps_above_a_goal_are_active(void) {
  start(5);
  hik_term t[] = {term_of("position", 1), term_of("position", 3)};
  hik_problem *p;
  CHECK(hik_problem_create(model, t, 2, &p, &error) == HIK_OK);
  CHECK(p->n_active == 4);
  for (int32_t k = 0; k < p->n_active; k++) CHECK(p->active[k] == k);
  hik_problem_free(p);
  hik_model_free(model);
}

static void test_lengths_tell_what_is_out_of_reach(void) {
  start(2); /* links 0.3 and 0.2: from 0.1 to 0.5 */
  hik_term t = term_of("position", 1);
  t.position_tolerance = 1e-6;
  hik_problem *p;
  CHECK(hik_problem_create(model, &t, 1, &p, &error) == HIK_OK);
  CHECK_NEAR(p->goal[0].arm, 0.5, 1e-15);
  CHECK_NEAR(p->goal[0].inner, 0.1, 1e-15);
  static const struct {
    double distance;
    bool out;
  } row[] = {{0, true},    {0.09, true},       {0.1 - 2e-6, true}, {0.1, false}, {0.3, false},
             {0.5, false}, {0.5 + 2e-6, true}, {9, true},          {1e300, true}};
  for (int i = 0; i < HIK_COUNT_OF(row); i++) {
    double target[3] = {0.6 * row[i].distance, -0.8 * row[i].distance, 0};
    CHECK(hik_out_of_reach(p, target) == row[i].out);
  }
  hik_problem_free(p);
  hik_model_free(model);
}

/* A frame on the one axis that carries it has no arm at all: what its pose rounds off is not out of reach. */
static void test_a_point_that_only_turns_is_in_reach_of_itself(void) {
  figure f;
  figure_planar(&f, 1);
  figure_place(f.placement, 0.3, -0.7, 0.1, 0.4);
  figure_place(f.frame_placement, 0, 0, 0, 0);
  CHECK(hik_model_create(&f.def, &model, &error) == HIK_OK);
  hik_term t = term_of("position", 0);
  t.position_tolerance = 0;
  hik_problem *p;
  CHECK(hik_problem_create(model, &t, 1, &p, &error) == HIK_OK);
  CHECK(p->goal[0].arm == 0);
  CHECK(!hik_out_of_reach(p, (double[3]){0.3, nextafter(-0.7, 0), 0.1}));
  CHECK(hik_out_of_reach(p, (double[3]){0.3, -0.7 + 1e-12, 0.1}));
  hik_problem_free(p);
  hik_model_free(model);
}

/* No random pose is ever outside what the lengths allow, for every kind of joint but those without bounds. */
static void test_no_pose_is_said_to_be_out_of_reach(void) {
  figure f;
  figure_of_every_kind(&f);
  CHECK(hik_model_create(&f.def, &model, &error) == HIK_OK);
  void *scratch = malloc(hik_scratch_size(model));
  double q[FIGURE_NQ] = {0}, pose[16];
  for (int32_t frame = 0; frame < model->n_frame; frame++) {
    hik_term t = term_of("position", frame);
    t.position_tolerance = 0;
    hik_problem *p;
    CHECK(hik_problem_create(model, &t, 1, &p, &error) == HIK_OK);
    for (int draw = 0; draw < 200; draw++) {
      hik_random_q(model, 21, (uint64_t)draw, q);
      hik_frame(model, frame, 1, q, pose, scratch);
      CHECK(!hik_out_of_reach(p, (double[3]){pose[3], pose[7], pose[11]}));
    }
    hik_problem_free(p);
  }
  free(scratch);
  hik_model_free(model);
}

static void test_targets_that_mean_nothing_are_told(void) {
  start(2);
  hik_term t[] = {term_of("pose", 1), term_of("axis", 1)};
  hik_problem *p;
  CHECK(hik_problem_create(model, t, 2, &p, &error) == HIK_OK);
  double good[10] = {0.1, 0.2, 0.3, 1, 0, 0, 0, 0, 0, 2}, x[10];
  CHECK(hik_target_usable(p, good));
  for (int k = 0; k < 10; k++) {
    memcpy(x, good, sizeof x), x[k] = NAN;
    CHECK(!hik_target_usable(p, x));
    memcpy(x, good, sizeof x), x[k] = INFINITY;
    CHECK(!hik_target_usable(p, x));
  }
  memcpy(x, good, sizeof x), x[3] = 0; /* a quaternion of length zero */
  CHECK(!hik_target_usable(p, x));
  memcpy(x, good, sizeof x), x[9] = 0; /* a direction of length zero */
  CHECK(!hik_target_usable(p, x));
  memcpy(x, good, sizeof x), x[3] = 0.9e100; /* a square that can be divided by */
  CHECK(hik_target_usable(p, x));
  x[3] = 1.1e100;
  CHECK(!hik_target_usable(p, x));
  x[3] = 1.1e-100;
  CHECK(hik_target_usable(p, x));
  x[3] = 0.9e-100;
  CHECK(!hik_target_usable(p, x));
  hik_problem_free(p);
  hik_model_free(model);
}

static void test_any_allocation_may_fail(void) {
  start(4);
  hik_term t = term_of("pose", 3);
  hik_model *kept = model; /* made by the usual allocator, and freed by it */
  int n = 0;
  for (hik_status status = HIK_NO_MEMORY; status != HIK_OK && n < 100; n++) {
    counter c = {0, n};
    hik_problem *p;
    hik_set_allocator(failing_alloc, failing_free, &c);
    status = hik_problem_create(kept, &t, 1, &p, &error);
    CHECK(status == HIK_OK ? c.live == 1 : status == HIK_NO_MEMORY && !p && c.live == 0);
    hik_problem_free(p);
    CHECK(c.live == 0);
    hik_set_allocator(NULL, NULL, NULL);
  }
  CHECK(n >= 2 && n < 100);
  hik_model_free(kept);
}

static void test_any_allocation_of_stages_may_fail(void) {
  start(4);
  hik_term t[] = {term_of("pose", 3), term_of("position", 1), term_of("change", -1)};
  double weight[4] = {1, 1, 1, 1};
  t[1].level = 2, t[2].data = weight, t[2].n_data = 4;
  hik_model *kept = model;
  int n = 0;
  for (hik_status status = HIK_NO_MEMORY; status != HIK_OK && n < 100; n++) {
    counter c = {0, n};
    hik_problem *p;
    hik_set_allocator(failing_alloc, failing_free, &c);
    status = hik_problem_create(kept, t, 3, &p, &error);
    CHECK(status == HIK_OK ? p && p->n_stage == 3 && c.live == 3
                           : status == HIK_NO_MEMORY && !p && c.live == 0);
    hik_problem_free(p);
    CHECK(c.live == 0);
    hik_set_allocator(NULL, NULL, NULL);
  }
  CHECK(n >= 8 && n < 100);
  hik_model_free(kept);
}

static void test_stages_are_parts_of_the_whole(void) {
  start(4);
  hik_term t[] = {term_of("change", -1), term_of("pose", 3), term_of("position", 1), term_of("axis", 2)};
  double weight[4] = {1, 1, 1, 1};
  t[0].data = weight, t[0].n_data = 4, t[1].level = 5, t[3].level = 5, t[2].level = 9;
  hik_problem *p;
  CHECK(hik_problem_create(model, t, 4, &p, &error) == HIK_OK);
  CHECK(p->n_stage == 3 && p->first->n_goal == 3 && p->top->n_goal == 2);
  CHECK(p->goal[0].stage == 2 && p->goal[1].stage == 0 && p->goal[2].stage == 1 && p->goal[3].stage == 0);
  CHECK(hik_stage_decides(p, 0) && hik_stage_decides(p, 1) && !hik_stage_decides(p, 2));
  CHECK(p->first->width == p->width && p->top->width == p->width && p->first->rows == 6 + 3 + 3);
  CHECK(p->top->goal[0].column == p->goal[1].column && p->top->goal[1].column == p->goal[3].column);
  hik_problem_free(p);
  hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_bad_terms_are_named);
  RUN(test_columns_and_rows_follow_each_other);
  RUN(test_only_the_steps_above_a_goal_are_active);
  RUN(test_lengths_tell_what_is_out_of_reach);
  RUN(test_a_point_that_only_turns_is_in_reach_of_itself);
  RUN(test_no_pose_is_said_to_be_out_of_reach);
  RUN(test_targets_that_mean_nothing_are_told);
  RUN(test_any_allocation_may_fail);
  RUN(test_any_allocation_of_stages_may_fail);
  RUN(test_stages_are_parts_of_the_whole);
  CHECK_END();
}
