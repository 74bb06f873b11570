/* test_joints.c: model/joints.c: the rows of the joint table agree with themselves. */
#include "model/joints.h"

#include "check.h"

static void test_rows_are_named_and_distinct(void) {
  for (int i = 0; i < HIK_JOINT_KINDS; i++) {
    const hik_joint_class *c = hik_joint_classes + i;
    CHECK(c->name && c->name[0] && c->summary && c->summary[0]);
    for (int j = 0; j < i; j++) CHECK(strcmp(c->name, hik_joint_classes[j].name) != 0);
  }
}

static void test_coordinates_are_those_of_the_steps(void) {
  for (int i = 0; i < HIK_JOINT_KINDS; i++) {
    const hik_joint_class *c = hik_joint_classes + i;
    int32_t nq = 0, nv = 0;
    for (int k = 0; k < c->n_step; k++) {
      bool ball = c->step[k].kind == HIK_BALL_STEP;
      nq += ball ? 4 : 1, nv += ball ? 3 : 1;
      CHECK(c->step[k].kind >= HIK_TURN && c->step[k].kind <= HIK_BALL_STEP);
    }
    CHECK(nq == c->nq && nv == c->nv);
  }
}

static void test_the_kinds_have_the_freedoms_of_their_names(void) {
  static const int32_t nv[HIK_JOINT_KINDS] = {
      [HIK_FIXED] = 0,     [HIK_REVOLUTE] = 1, [HIK_PRISMATIC] = 1, [HIK_CYLINDRICAL] = 2,
      [HIK_UNIVERSAL] = 2, [HIK_PLANAR] = 3,   [HIK_BALL] = 3,      [HIK_FREE] = 6};
  for (int i = 0; i < HIK_JOINT_KINDS; i++) CHECK(hik_joint_classes[i].nv == nv[i]);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_rows_are_named_and_distinct);
  RUN(test_coordinates_are_those_of_the_steps);
  RUN(test_the_kinds_have_the_freedoms_of_their_names);
  CHECK_END();
}
