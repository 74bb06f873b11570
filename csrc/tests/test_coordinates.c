/* test_coordinates.c: model/coordinates.c: clamped, inside, drawn. */
#include "model/model.h"

#include "check.h"
#include "figures.h"

static hik_model *create(const figure *f) {
  hik_model *model = NULL;
  hik_error error;
  CHECK(hik_model_create(&f->def, &model, &error) == HIK_OK);
  return model;
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

/* Turns without limits take half a turn either way, slides without them the reach of the figure; one limit alone is kept. */
static void test_what_has_no_limit_is_drawn_from_a_range(void) {
  static const double lower[4] = {-INFINITY, -INFINITY, 1.5, -INFINITY},
                      upper[4] = {INFINITY, INFINITY, INFINITY, -0.5};
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_REVOLUTE);
  figure_joint(&f, 0, HIK_PRISMATIC);
  figure_joint(&f, 1, HIK_REVOLUTE);
  figure_joint(&f, 2, HIK_REVOLUTE);
  memcpy(f.lower, lower, sizeof lower), memcpy(f.upper, upper, sizeof upper);
  hik_model *model = create(&f);
  if (!model) return;
  double reach = model->reach, from[4] = {-HIK_PI, -reach, 1.5, -0.5 - 2 * HIK_PI},
         to[4] = {HIK_PI, reach, 1.5 + 2 * HIK_PI, -0.5}, least[4], most[4], q[4];
  for (int k = 0; k < 4; k++) least[k] = INFINITY, most[k] = -INFINITY;
  for (uint64_t draw = 0; draw < 2000; draw++) {
    hik_random_q(model, 3, draw, q);
    for (int k = 0; k < 4; k++) least[k] = fmin(least[k], q[k]), most[k] = fmax(most[k], q[k]);
  }
  for (int k = 0; k < 4; k++) {
    double slack = 0.02 * (to[k] - from[k]);
    CHECK(least[k] >= from[k] && least[k] < from[k] + slack);
    CHECK(most[k] <= to[k] && most[k] > to[k] - slack);
  }
  hik_model_free(model);
}

/* Beyond a limit by less than the slack is inside; a quaternion may be off unit length by 1e-9 in its square. */
static void test_inside_keeps_its_slack(void) {
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_REVOLUTE);
  figure_joint(&f, 0, HIK_BALL);
  hik_model *model = create(&f);
  if (!model) return;
  double q[5] = {2, 1, 0, 0, 0};
  CHECK(hik_inside(model, q, 0));
  q[0] = nextafter(2, 3);
  CHECK(!hik_inside(model, q, 0));
  q[0] = 2 + 0.9e-3;
  CHECK(hik_inside(model, q, 1e-3));
  q[0] = -2 - 1.1e-3;
  CHECK(!hik_inside(model, q, 1e-3));
  q[0] = NAN;
  CHECK(!hik_inside(model, q, 1e-3));
  q[0] = 0, q[1] = sqrt(1 + 0.9e-9);
  CHECK(hik_inside(model, q, 0));
  q[1] = sqrt(1 - 1.1e-9);
  CHECK(!hik_inside(model, q, 0));
  hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_clamp_puts_q_inside_and_is_idempotent);
  RUN(test_what_has_no_limit_is_drawn_from_a_range);
  RUN(test_inside_keeps_its_slack);
  CHECK_END();
}
