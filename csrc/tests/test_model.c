/* test_model.c: model/model.c: layout, what follows from mimics, size, memory. */
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

static void test_a_chain_of_mimics_multiplies_out(void) {
  figure f;
  figure_planar(&f, 3);
  f.mimic[0] = 1, f.mimic_line[0] = 2, f.mimic_line[1] = 0.1;    /* q0 = 2 q1 + 0.1 */
  f.mimic[1] = 2, f.mimic_line[2] = -0.5, f.mimic_line[3] = 0.2; /* q1 = -0.5 q2 + 0.2 */
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

/* Deep enough for recursion to run out of stack and for quadratic time to be noticed by the test's limit. */
static void test_a_million_joints_in_a_chain(void) {
  enum { N = CHECK_REPEATS(1000000, 200000) };
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
    CHECK_NEAR(end[3], 1e-6 * (N + 1), 1e-9);
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
  RUN(test_a_chain_of_mimics_multiplies_out);
  RUN(test_views_cover_every_field);
  RUN(test_a_million_joints_in_a_chain);
  RUN(test_any_allocation_may_fail);
  CHECK_END();
}
