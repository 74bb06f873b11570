/* test_model.c: model/model.c: what is refused and with which sentence, layout, limits, size, memory. */
#include "base/memory.h"

#include <stdlib.h>

#include "check.h"
#include "failing.h"
#include "figures.h"

static hik_error error;

static hik_model *create(const figure *f) {
  hik_model *model = NULL;
  memset(&error, 0, sizeof error);
  if (hik_model_create(&f->def, &model, &error) != HIK_OK) printf("%s\n", error.text);
  return model;
}

/* True when the figure is refused with this status, at this joint, in a sentence that holds the word. */
static bool refused(const figure *f, hik_status status, int32_t index, const char *word) {
  hik_model *model = (hik_model *)(void *)&error;
  memset(&error, 0, sizeof error);
  hik_status got = hik_model_create(&f->def, &model, &error);
  if (got == HIK_OK) hik_model_free(model);
  bool good = got == status && model == NULL && error.status == status && error.index == index &&
              strstr(error.text, word) != NULL;
  if (!good) printf("got %d at %d: %s\n", got, error.index, error.text);
  return good;
}

static void test_every_kind_freezes_with_the_sizes_it_says(void) {
  figure f;
  figure_of_every_kind(&f);
  hik_model *model = create(&f);
  CHECK(model != NULL);
  if (!model) return;
  hik_sizes s = hik_model_sizes(model);
  /* fixed 0, revolute 1, prismatic 1, cylindrical 2, universal 2, planar 3, ball 4/3, free 7/6, one hinge more, and
     a hinge that follows, with a step but no coordinate */
  CHECK(s.n_joint == 10 && s.n_frame == 10);
  CHECK(s.nq == 21 && s.nv == 19);
  CHECK(s.n_step == 1 + 1 + 2 + 2 + 3 + 1 + 4 + 1 + 1);
  hik_model_free(model);
  hik_model_free(NULL);
}

static void test_an_empty_tree_is_a_model(void) {
  figure f;
  figure_start(&f);
  hik_model *model = create(&f);
  CHECK(model != NULL);
  if (!model) return;
  hik_sizes s = hik_model_sizes(model);
  CHECK(s.n_joint == 0 && s.nq == 0 && s.nv == 0 && s.n_step == 0);
  hik_model_free(model);
}

static void test_bad_joints_are_named(void) {
  static const char *const names[] = {"hip", "knee", "ankle"};
  figure f;
#define FRESH() figure_planar(&f, 3), f.def.joint_name = names
  FRESH(), f.def.cookie = 1;
  CHECK(refused(&f, HIK_BAD_ARGUMENT, -1, "hik_model_def_default"));
  FRESH(), f.kind[1] = 99;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "'knee'"));
  FRESH(), f.parent[1] = 2;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "earlier joint"));
  FRESH(), f.parent[2] = 2;
  CHECK(refused(&f, HIK_BAD_MODEL, 2, "'ankle'"));
  FRESH(), f.parent[0] = -2;
  CHECK(refused(&f, HIK_BAD_MODEL, 0, "'hip'"));
  FRESH(), f.axis[3 + 2] = 0;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "axis"));
  FRESH(), f.axis[3] = NAN;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "axis"));
  FRESH(), f.placement[12 + 9] = INFINITY;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "rigid"));
  FRESH(), f.placement[12] = 1.5;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "rigid"));
  FRESH(), f.placement[12 + 8] = -1; /* a mirror */
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "rigid"));
  FRESH(), f.lower[1] = 1, f.upper[1] = 0.5;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "'knee'"));
  FRESH(), f.upper[2] = NAN;
  CHECK(refused(&f, HIK_BAD_MODEL, 2, "limit"));
  FRESH(), f.frame_joint[2] = 3;
  CHECK(refused(&f, HIK_BAD_MODEL, 2, "frame 2"));
  FRESH(), f.frame_placement[24] = 0;
  CHECK(refused(&f, HIK_BAD_MODEL, 2, "rigid"));
  FRESH(), f.def.n_joint = -1;
  CHECK(refused(&f, HIK_BAD_ARGUMENT, -1, "-1 joints"));
  FRESH(), f.def.n_joint = INT32_MAX;
  CHECK(refused(&f, HIK_BAD_ARGUMENT, -1, "at most"));
  FRESH(), f.kind[1] = HIK_UNIVERSAL, f.def.axis2 = NULL;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "second axis"));
  FRESH(), f.kind[1] = HIK_UNIVERSAL, memcpy(f.axis2 + 3, (double[3]){0, 0, -3}, 24);
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "parallel"));
  FRESH(), f.kind[1] = HIK_PLANAR, memcpy(f.axis2 + 3, (double[3]){1, 0, 1}, 24);
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "right angles"));
}

static void test_bad_mimics_are_refused(void) {
  figure f;
#define FOLLOW(j, m) f.mimic[j] = (m), f.mimic_line[2 * (j)] = 1
  figure_planar(&f, 3), FOLLOW(1, 3);
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "does not exist"));
  figure_planar(&f, 3), FOLLOW(1, 1);
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "mimics itself"));
  figure_planar(&f, 3), FOLLOW(0, 1), FOLLOW(1, 2), FOLLOW(2, 0);
  CHECK(refused(&f, HIK_BAD_MODEL, 0, "mimics itself"));
  figure_planar(&f, 3), FOLLOW(1, 0), f.mimic_line[2] = 0;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "scale"));
  figure_planar(&f, 3), FOLLOW(1, 0), f.kind[0] = HIK_BALL;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "mimic"));
}

static void test_mimics_whose_product_is_no_number_are_refused(void) {
  static const double lines[][4] = {{1e200, 0, 1e200, 0}, {1e-200, 0, 1e-200, 0}, {1e200, 0, 1, 1e200}};
  for (int i = 0; i < HIK_COUNT_OF(lines); i++) {
    figure f;
    figure_planar(&f, 3), FOLLOW(2, 1), FOLLOW(1, 0);
    memcpy(f.mimic_line + 4, lines[i], 2 * sizeof(double));
    memcpy(f.mimic_line + 2, lines[i] + 2, 2 * sizeof(double));
    CHECK(refused(&f, HIK_BAD_MODEL, 2, "by way of others"));
  }
}

static void test_a_rest_that_is_none_is_refused(void) {
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_REVOLUTE);
  figure_joint(&f, 0, HIK_FREE); /* q 1 to 3, then the quaternion 4 to 7 */
  double rest[8] = {0, 0, 0, 0, 1, 0, 0, 0};
  f.def.rest = rest;
  hik_model *model = create(&f);
  CHECK(model != NULL);
  hik_model_free(model);
  for (int k = 0; k < 8; k++) {
    double good = rest[k];
    rest[k] = NAN;
    CHECK(refused(&f, HIK_BAD_MODEL, k > 0, "rest"));
    rest[k] = INFINITY;
    CHECK(refused(&f, HIK_BAD_MODEL, k > 0, "rest"));
    rest[k] = good;
  }
  rest[4] = 0;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "no length"));
}

static void test_a_chain_of_mimics_multiplies_out(void) {
  figure f;
  figure_planar(&f, 3);
  FOLLOW(0, 1), f.mimic_line[0] = 2, f.mimic_line[1] = 0.1;    /* q0 = 2 q1 + 0.1 */
  FOLLOW(1, 2), f.mimic_line[2] = -0.5, f.mimic_line[3] = 0.2; /* q1 = -0.5 q2 + 0.2 */
  hik_model *model = create(&f);
  CHECK(model != NULL);
  if (!model) return;
  CHECK(model->nq == 1 && model->nv == 1 && model->n_step == 3);
  double q = 0.7;
  CHECK_NEAR(hik_step_value(model, 0, &q), 2 * (-0.5 * q + 0.2) + 0.1, 1e-15);
  CHECK_NEAR(hik_step_value(model, 1, &q), -0.5 * q + 0.2, 1e-15);
  CHECK_NEAR(hik_step_value(model, 2, &q), q, 0);
  CHECK(model->joint_mimic[0] == 2 && model->joint_mimic[1] == 2 && model->joint_mimic[2] == -1);
  hik_model_free(model);
}

static void test_long_and_odd_names_are_cut_and_cleaned(void) {
  char name[600];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  name[1] = '\n';
  name[2] = 27; /* a terminal's escape */
  const char *names[] = {name};
  figure f;
  figure_planar(&f, 1);
  f.def.joint_name = names;
  f.kind[0] = -1;
  CHECK(refused(&f, HIK_BAD_MODEL, 0, "n??nnn"));
  CHECK(strstr(error.text, "..'") != NULL);
}

static void test_views_cover_every_field(void) {
  figure f;
  figure_of_every_kind(&f);
  hik_model *model = create(&f);
  if (!model) return;
  hik_view view;
  CHECK(hik_model_field_count() > 10);
  for (int32_t i = 0; i < hik_model_field_count(); i++) {
    const char *name = hik_model_field_name(i);
    CHECK(hik_model_view(model, name, &view) == HIK_OK);
    CHECK(view.data != NULL && (view.type == 'd' || view.type == 'i'));
    CHECK((uintptr_t)view.data % 64 == 0);
    CHECK(view.ndim == 1 || (view.ndim == 2 && view.shape[1] > 1));
  }
  CHECK(hik_model_view(model, "no such field", &view) == HIK_NOT_FOUND);
  CHECK(hik_model_field_name(-1) == NULL && hik_model_field_name(hik_model_field_count()) == NULL);
  hik_model_free(model);
}

static void test_clamp_puts_q_inside_and_is_idempotent(void) {
  figure f;
  figure_of_every_kind(&f);
  hik_model *model = create(&f);
  if (!model) return;
  hik_rng rng = hik_rng_start(9, 9);
  double q[FIGURE_NQ], again[FIGURE_NQ];
  for (int draw = 0; draw < 50; draw++) {
    for (int32_t k = 0; k < model->nq; k++) q[k] = 20 * hik_rng_uniform(&rng) - 10;
    if (draw == 0) memset(q, 0, sizeof q); /* quaternions of length zero */
    hik_clamp(model, 1, q);
    CHECK(hik_inside(model, q, 0));
    memcpy(again, q, sizeof q);
    hik_clamp(model, 1, again);
    CHECK(memcmp(q, again, (size_t)model->nq * sizeof *q) == 0);
    hik_random_q(model, 1, (uint64_t)draw, q);
    CHECK(hik_inside(model, q, 0));
    hik_random_q(model, 1, (uint64_t)draw, again);
    CHECK(memcmp(q, again, (size_t)model->nq * sizeof(double)) == 0);
  }
  CHECK(hik_inside(model, model->rest, 0));
  hik_model_free(model);
}

/* Deep enough for recursion to run out of stack and for quadratic time to be noticed by the test's limit. */
static void test_a_million_joints_in_a_chain(void) {
  enum { N = 1000000 };
  hik_model_def def = hik_model_def_default();
  int32_t *parent = malloc(N * sizeof *parent), *kind = malloc(N * sizeof *kind), tip = N - 1;
  double *axis = calloc(N, 3 * sizeof *axis), *place = calloc(N, 12 * sizeof *place),
         *limit = malloc(N * sizeof *limit);
  double *lower = malloc(N * sizeof *lower), *q = calloc(N, sizeof *q), end[16];
  for (int32_t j = 0; j < N; j++) {
    parent[j] = j - 1, kind[j] = HIK_REVOLUTE, axis[3 * j + 2] = 1, limit[j] = 1, lower[j] = -1;
    figure_place(place + 12 * j, 1e-6, 0, 0, 0);
  }
  def.n_joint = N, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = axis,
  def.placement = place;
  def.lower = lower, def.upper = limit, def.frame_joint = &tip, def.frame_placement = place;
  hik_model *model;
  CHECK(hik_model_create(&def, &model, &error) == HIK_OK);
  void *scratch = model ? malloc(hik_scratch_size(model)) : NULL;
  if (scratch) {
    hik_frame(model, 0, 1, q, end, scratch);
    CHECK_NEAR(end[3], 1 + 1e-6, 1e-9);
  }
  free(scratch), hik_model_free(model);
  free(parent), free(kind), free(axis), free(place), free(limit), free(lower), free(q);
}

/* ---- memory ---- */

static void test_any_allocation_may_fail(void) {
  figure f;
  figure_of_every_kind(&f);
  int failures = 0;
  for (int n = 0;; n++) {
    counter c = {0, n};
    hik_set_allocator(failing_alloc, failing_free, &c);
    hik_model *model;
    hik_status status = hik_model_create(&f.def, &model, &error);
    if (status == HIK_OK) {
      CHECK(c.live == 1); /* one block */
      hik_model_free(model);
      CHECK(c.live == 0);
      break;
    }
    CHECK(status == HIK_NO_MEMORY && model == NULL && c.live == 0);
    if (++failures > 100) break;
  }
  CHECK(failures >= 1 && failures <= 100);
  hik_set_allocator(NULL, NULL, NULL);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_kind_freezes_with_the_sizes_it_says);
  RUN(test_an_empty_tree_is_a_model);
  RUN(test_bad_joints_are_named);
  RUN(test_bad_mimics_are_refused);
  RUN(test_mimics_whose_product_is_no_number_are_refused);
  RUN(test_a_rest_that_is_none_is_refused);
  RUN(test_a_chain_of_mimics_multiplies_out);
  RUN(test_long_and_odd_names_are_cut_and_cleaned);
  RUN(test_views_cover_every_field);
  RUN(test_clamp_puts_q_inside_and_is_idempotent);
  RUN(test_a_million_joints_in_a_chain);
  RUN(test_any_allocation_may_fail);
  CHECK_END();
}
