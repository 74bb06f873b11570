/* test_definition.c: model/definition.c: what is refused, and with which sentence. */
#include "model/definition.h"

#include "check.h"
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

static void test_bad_followers_of_a_swing_are_refused(void) {
  figure f;
  double swing[4 * HIK_FOLLOW_TERMS];
#define SWINGS()                                                                                             \
  figure_planar(&f, 4), f.kind[2] = HIK_BALL, f.mimic[1] = 2, f.def.mimic_swing = swing;                     \
  for (int k = 0; k < HIK_COUNT_OF(swing); k++) swing[k] = k / HIK_FOLLOW_TERMS == 1 ? 0.1 : NAN
  SWINGS();
  hik_model *model = create(&f);
  CHECK(model != NULL);
  hik_model_free(model);
  SWINGS(), f.mimic[1] = 4;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "follows joint 4, which does not exist"));
  SWINGS(), f.mimic[1] = 0;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "only that of a ball"));
  SWINGS(), f.kind[1] = HIK_CYLINDRICAL;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "only a revolute or prismatic"));
  SWINGS(), f.kind[2] = HIK_FREE;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "only that of a ball"));
  SWINGS(), f.mimic[2] = 0;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "follows nothing itself"));
  SWINGS(), swing[HIK_FOLLOW_TERMS + 19] = NAN;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "coefficient 19"));
  SWINGS(), swing[HIK_FOLLOW_TERMS + 7] = 1e300;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "coefficient 7"));
  SWINGS(), swing[HIK_FOLLOW_TERMS + 7] = -1.01e100;
  CHECK(refused(&f, HIK_BAD_MODEL, 1, "coefficient 7"));
  SWINGS(), memset(f.axis + 6, 0, 3 * sizeof *f.axis);
  CHECK(refused(&f, HIK_BAD_MODEL, 2, "whose swing another joint follows"));
  SWINGS(), FOLLOW(3, 1);
  CHECK(refused(&f, HIK_BAD_MODEL, 3, "coefficients of its own"));
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
  for (int length = 70; length < 80; length++) { /* a name is written whole, or cut to 74 and two dots */
    memset(name, 'n', sizeof name);
    name[length] = 0;
    size_t written = strlen(hik_def_name(&f.def, 0).text);
    CHECK(written == (size_t)(length <= 74 ? length + 2 : 78));
  }
}

static void test_a_rotation_may_be_off_by_a_millionth(void) {
  for (int sign = -1; sign <= 1; sign += 2)
    for (int bad = 0; bad < 2; bad++) {
      double stretch = sqrt(1 + sign * (bad ? 1.001e-6 : 0.999e-6)); /* of one column */
      figure f;
      figure_planar(&f, 3);
      for (int i = 0; i < 3; i++) f.placement[12 + 3 * i] *= stretch;
      if (bad) {
        CHECK(refused(&f, HIK_BAD_MODEL, 1, "rigid"));
        continue;
      }
      hik_model *model = create(&f);
      CHECK(model != NULL);
      if (model) CHECK(hik_mat_off(hik_step_place(model, 1)->r) < 1e-14); /* made orthonormal */
      hik_model_free(model);
    }
}

static void test_a_held_ball_is_held_at_a_turn(void) {
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_BALL);
  double hold[4] = {1, 0, 0, 0};
  f.def.hold = hold;
  hik_model *model = create(&f);
  CHECK(model != NULL);
  hik_model_free(model);
  hold[0] = sqrt(1 + 0.9e-6);
  model = create(&f);
  CHECK(model != NULL);
  hik_model_free(model);
  hold[0] = sqrt(1 + 1.1e-6);
  CHECK(refused(&f, HIK_BAD_MODEL, 0, "held"));
  hold[0] = 1, hold[1] = NAN;
  CHECK(refused(&f, HIK_BAD_MODEL, 0, "held"));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_bad_joints_are_named);
  RUN(test_bad_mimics_are_refused);
  RUN(test_bad_followers_of_a_swing_are_refused);
  RUN(test_mimics_whose_product_is_no_number_are_refused);
  RUN(test_a_rest_that_is_none_is_refused);
  RUN(test_long_and_odd_names_are_cut_and_cleaned);
  RUN(test_a_rotation_may_be_off_by_a_millionth);
  RUN(test_a_held_ball_is_held_at_a_turn);
  CHECK_END();
}
