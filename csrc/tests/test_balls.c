/* test_balls.c: solve/points/balls.c: which problems are chains of free balls; poses as points and back. */
#include "solve/points/balls.h"

#include "ball_figures.h"
#include "base/quat.h"

static bool fits(const figure *f) {
  hik_model *model = NULL;
  hik_problem *problem = ball_problem(f, &model, 1e-4);
  bool answer = problem && hik_balls_fit(problem);
  hik_problem_free(problem), hik_model_free(model);
  return answer;
}

static void test_only_free_balls_fit(void) {
  figure f;
  figure_balls(&f, LINKS);
  CHECK(fits(&f));
  figure_balls(&f, LINKS), f.kind[2] = HIK_REVOLUTE;
  CHECK(!fits(&f));
  figure_balls(&f, LINKS), f.kind[0] = HIK_FREE;
  CHECK(!fits(&f));
  figure_balls(&f, LINKS), f.kind[2] = HIK_FIXED;
  CHECK(fits(&f)); /* folded away */
  figure_balls(&f, LINKS), figure_place(f.placement + 24, 0, 0, 0, 0);
  CHECK(!fits(&f)); /* a bone without length */
  figure_balls(&f, LINKS), figure_place(f.frame_placement + 12 * (LINKS - 1), 0, 0, 0, 0);
  CHECK(fits(&f)); /* but for the last one, which is left out */
  figure_balls(&f, 1), figure_place(f.frame_placement, 0, 0, 0, 0);
  CHECK(!fits(&f));
}

static void test_others_are_refused_by_name(void) {
  figure f;
  figure_balls(&f, LINKS), f.kind[2] = HIK_REVOLUTE;
  hik_model *model = NULL;
  hik_problem *p = ball_problem(&f, &model, 1e-4);
  if (!p) return;
  CHECK(hik_balls_accept(p, NULL, "ftl", &ball_error) == HIK_UNSUPPORTED);
  CHECK(strstr(ball_error.text, "ftl takes one position") &&
        strstr(ball_error.text, "fabrik takes other joints"));
  hik_problem_free(p), hik_model_free(model);
}

/* The chain of a problem, prepared, and a pose of it. */
typedef struct chain {
  hik_model *model;
  hik_problem *problem;
  hik_balls balls;
  hik_bones pose, other;
  void *memory;
} chain;

static void lay_out(chain *c, hik_block *block) {
  size_t n = (size_t)hik_balls_count(c->problem);
  hik_balls_lay_out(c->problem, block, &c->balls);
  c->pose = hik_bones_lay_out(block, n);
  c->other = hik_bones_lay_out(block, n);
}

static bool make(chain *c, const figure *f) {
  *c = (chain){0};
  c->problem = ball_problem(f, &c->model, 1e-6);
  if (!c->problem) return false;
  hik_block count = {NULL, 0, false};
  lay_out(c, &count);
  c->memory = calloc(1, count.size);
  CHECK(!count.bad && c->memory);
  if (!c->memory) return false;
  hik_block block = {c->memory, 0, false};
  lay_out(c, &block);
  hik_balls_prepare(c->problem, &c->balls);
  return true;
}

static void drop(chain *c) {
  free(c->memory);
  hik_problem_free(c->problem), hik_model_free(c->model);
}

static void figure_crooked(figure *f) {
  figure_balls(f, LINKS);
  figure_place(f->placement, 0.4, -0.1, 0.3, 0.5);
  figure_place(f->placement + 12, 0.3, 0.1, 0.2, 0.7);
  figure_place(f->placement + 36, 2e-5, 0, 0, -0.4); /* a bone short beside the others */
}

static void test_points_are_those_of_the_forward_kinematics(void) {
  figure f;
  chain c;
  figure_crooked(&f);
  if (!make(&c, &f)) return;
  double q[NQ], pose[16], *scratch = malloc(hik_scratch_size(c.model));
  for (int i = 0; i < 20 && scratch; i++) {
    hik_random_q(c.model, 1, (uint64_t)i, q);
    hik_balls_trace(&c.balls, q, c.model, &c.pose);
    hik_frame(c.model, LINKS - 1, 1, q, pose, scratch);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(c.pose.point[3 * LINKS + k], pose[4 * k + 3], 1e-14);
      CHECK_NEAR(c.pose.point[k], c.balls.root[k], 0);
    }
    for (int k = 0; k < LINKS; k++) CHECK_NEAR(hik_norm(c.pose.bone + 3 * k), 1, 1e-14);
  }
  free(scratch);
  drop(&c);
}

static void test_points_become_a_pose_and_again_points(void) {
  figure f;
  chain c;
  figure_crooked(&f);
  if (!make(&c, &f)) return;
  double q[NQ], wanted[NQ], turned[9], bone[3], smallest[9], back[9], want[9];
  for (int i = 0; i < 40; i++) {
    hik_random_q(c.model, 2, (uint64_t)i, q);
    hik_random_q(c.model, 3, (uint64_t)i, wanted);
    hik_balls_trace(&c.balls, wanted, c.model, &c.other);
    hik_balls_trace(&c.balls, q, c.model, &c.pose);
    hik_balls_to_q(&c.balls, c.model, &c.pose, c.other.point, i % 2, q);
    double *start = malloc(4 * LINKS * sizeof *start), *old = malloc(3 * LINKS * sizeof *old);
    if (start && old) {
      memcpy(start, c.pose.turn, 4 * LINKS * sizeof *start),
          memcpy(old, c.pose.bone, 3 * LINKS * sizeof *old);
      hik_balls_trace(&c.balls, q, c.model, &c.pose);
      for (int k = 0; k <= 3 * LINKS + 2; k++) CHECK_NEAR(c.pose.point[k], c.other.point[k], 1e-14);
      for (int k = 0; k < LINKS; k++) { /* the smallest rotation in the world, so the twist is the start's */
        hik_copy3(c.pose.bone + 3 * k, bone);
        hik_mat_minimal(old + 3 * k, bone, smallest);
        hik_quat_to_mat(start + 4 * k, back);
        hik_mat_mul(smallest, back, want);
        hik_quat_to_mat(c.pose.turn + 4 * k, turned);
        for (int e = 0; e < 9; e++) CHECK_NEAR(turned[e], want[e], 1e-9);
      }
    }
    free(start), free(old);
  }
  drop(&c);
}

/* A bone turned to the opposite and a little off it, where the smallest rotation loses digits unless care is taken. */
static void test_a_bone_turned_round_is_where_its_points_are(void) {
  figure f;
  chain c;
  figure_balls(&f, 1);
  if (!make(&c, &f)) return;
  for (double off = 1; off > 1e-17; off *= 0.3) {
    double q[4] = {1, 0, 0, 0}, point[6] = {0, 0, 0, -0.2, 0, 0}, turned[4];
    point[4] = 0.2 * sin(off), point[3] = -0.2 * cos(off);
    hik_balls_trace(&c.balls, q, c.model, &c.pose);
    hik_balls_to_q(&c.balls, c.model, &c.pose, point, false, q);
    hik_balls_trace(&c.balls, q, c.model, &c.other);
    for (int k = 0; k < 3; k++) CHECK_NEAR(c.other.point[3 + k], point[3 + k], 4e-15);
    hik_balls_turn(c.pose.bone, c.other.bone, turned);
    CHECK_NEAR(2 * hik_acos(fmin(1, fabs(turned[0]))), HIK_PI - off, 1e-7); /* and it is the smallest */
  }
  drop(&c);
}

/* Targets a hair off the base: the line towards them still is a unit vector, or bones would shrink. */
static void test_directions_of_the_smallest_numbers_are_unit_vectors(void) {
  for (double size = 1e-280; size > 0; size *= 0.1) {
    double a[3] = {size, -2 * size, size}, unit[3] = {0, 0, 0};
    CHECK(hik_unit(a, unit) > 0);
    CHECK_NEAR(hik_norm(unit), 1, 1e-15);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_only_free_balls_fit);
  RUN(test_others_are_refused_by_name);
  RUN(test_points_are_those_of_the_forward_kinematics);
  RUN(test_points_become_a_pose_and_again_points);
  RUN(test_a_bone_turned_round_is_where_its_points_are);
  RUN(test_directions_of_the_smallest_numbers_are_unit_vectors);
  CHECK_END();
}
