#include "coupled_figures.h"
#include "solve/points/fabrik_tree.h"

static hik_fabrik *cut(const hik_problem *p, char **memory) {
  static const double weights[HIK_FABRIK_WEIGHTS] = {1, 10, 1, 0.3, 0.5, 3, 16};
  hik_block block = {NULL, 0, false};
  hik_fabrik_lay_out(p, &block);
  CHECK(!block.bad);
  *memory = hik_allocate(block.size);
  block = (hik_block){*memory, 0, false};
  hik_fabrik *f = hik_fabrik_lay_out(p, &block);
  hik_fabrik_prepare(f, p, weights);
  return f;
}

/* Two turns with one origin are one link, a slide and a bone between make others. */
static hik_model *wrist(bool frame_between) {
  figure f = {0};
  const double none[3] = {0, 0, 0}, bone[3] = {0.3, 0, 0};
  int32_t a = add_joint(&f, -1, HIK_REVOLUTE, "z", none, -1, 1);
  int32_t b = add_joint(&f, a, HIK_REVOLUTE, "y", none, -1, 1);
  int32_t c = add_joint(&f, b, HIK_PRISMATIC, "x", none, 0, 0.2);
  int32_t d = add_joint(&f, c, HIK_REVOLUTE, "y", bone, -1, 1);
  add_frame_at(&f, d, 0.2, 0, 0);
  if (frame_between) add_frame_at(&f, a, 0.1, 0, 0);
  return freeze_figure(&f);
}

static hik_problem *positions(const hik_model *m, int32_t count) {
  hik_term term[2];
  hik_problem *p = NULL;
  for (int32_t i = 0; i < count; i++) {
    term[i] = hik_term_default(hik_find(HIK_TERMS, "position"));
    term[i].frame = i;
  }
  CHECK(hik_problem_create(m, term, count, &p, NULL) == HIK_OK);
  return p;
}

static void turns_with_one_origin_are_a_link(void) {
  char *memory;
  hik_model *m = wrist(false);
  hik_problem *p = positions(m, 1);
  hik_fabrik *f = cut(p, &memory);
  CHECK(f->n == 3 && f->n_end == 1);
  CHECK(f->links[0].count == 2 && f->links[1].count == 1 && f->links[2].count == 1);
  CHECK(f->links[1].kind == HIK_SLIDE && f->links[1].carrier == 0);
  CHECK(f->links[0].only == 1 && f->links[1].only == 2 && f->links[2].only == -1);
  for (int32_t i = 0; i < 3; i++) CHECK(f->links[i].n_below == 1 && f->links[i].parent == i - 1);
  hik_release(memory), hik_problem_free(p), hik_model_free(m);
}

static void a_goal_between_cuts_the_link(void) {
  char *memory;
  hik_model *m = wrist(true);
  hik_problem *p = positions(m, 2);
  hik_fabrik *f = cut(p, &memory);
  CHECK(f->n == 4 && f->n_end == 2);
  CHECK(f->links[0].count == 1 && f->links[0].pulls == 2 && f->links[0].only == -1);
  CHECK(f->links[0].n_below == 2 && f->links[1].n_below == 1);
  CHECK_NEAR(f->ends[0].weight + f->ends[1].weight, 2, 1e-15);
  hik_release(memory), hik_problem_free(p), hik_model_free(m);
}

/* A loop of the second hinge's tip with a point of the first, and with the world. */
static void a_loop_hangs_an_end_on_every_side_that_moves(void) {
  char *memory;
  hik_model *m = wrist(true);
  for (int world = 0; world < 2; world++) {
    hik_term term[2] = {hik_term_default(hik_find(HIK_TERMS, "position")),
                        hik_term_default(hik_find(HIK_TERMS, "loop"))};
    hik_problem *p = NULL;
    term[0].frame = 0, term[1].frame = 0, term[1].other = world ? -1 : 1;
    term[1].param[0] = 0.3, term[1].param[4] = 0.5;
    CHECK(hik_problem_create(m, term, 2, &p, NULL) == HIK_OK);
    hik_fabrik *f = cut(p, &memory);
    CHECK(f->n_end == (world ? 2 : 3) && f->changes);
    CHECK_NEAR(f->ends[1].place.t[0], f->ends[0].place.t[0] + 0.3, 1e-15);
    CHECK(f->ends[0].wish->mate == -1 && f->ends[1].wish->mate == (world ? -1 : 2) &&
          f->ends[1].has_position);
    if (world) {
      CHECK_NEAR(f->ends[1].weight, f->ends[0].weight, 1e-15);
    } else {
      CHECK(f->ends[2].wish->mate == 1 && f->ends[2].link == 0 && f->links[0].pulls == 2 &&
            f->links[0].n_below == 3);
      CHECK_NEAR(f->ends[2].place.t[1], 0.5, 1e-15);
      CHECK(f->ends[1].weight == f->ends[2].weight && f->ends[1].weight < f->ends[0].weight);
    }
    hik_release(memory), hik_problem_free(p);
  }
  hik_model_free(m);
}

/* The first hinge and the third, which follows it, stand still in the passes, as do the second and its slide. */
static void joints_that_share_a_coordinate_are_held(void) {
  char *memory;
  hik_model *m = coupled_tree();
  hik_problem *p = coupled_problem(m, false);
  hik_fabrik *f = cut(p, &memory);
  for (int32_t s = 0; s < 5; s++) CHECK(f->held[s] == (s < 4));
  for (int32_t i = 0; i < f->n; i++) CHECK(f->links[i].carrier == (f->links[i].step[0] == 4 ? i : -1));
  hik_release(memory), hik_problem_free(p), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(turns_with_one_origin_are_a_link);
  RUN(a_goal_between_cuts_the_link);
  RUN(a_loop_hangs_an_end_on_every_side_that_moves);
  RUN(joints_that_share_a_coordinate_are_held);
  CHECK_END();
}
