/* test_damped.c: a damped descent falls to the goals or is given up by its share; the attempts of a round. */
#include "solve/squares/damped.h"

#include "descent_figures.h"

typedef struct round_bench {
  bench b;
  hik_damped w;
  hik_answer answer;
  double trace[200];
  void *memory;
} round_bench;

static void start_round(round_bench *r, hik_model *m, const char *kind, uint64_t draw) {
  memset(r, 0, sizeof *r);
  start_bench(&r->b, m, kind, true);
  r->b.options.max_iter = 150;
  pose_bench(&r->b, kind, draw);
  hik_block block = {NULL, 0, false};
  hik_damped_lay_out(&r->w, r->b.p, &block);
  r->memory = hik_allocate(block.size);
  block = (hik_block){r->memory, 0, false};
  hik_damped_lay_out(&r->w, r->b.p, &block);
  r->w.d = &r->b.d;
  r->answer = (hik_answer){.q = r->b.q, .trace = r->trace};
}

static void end_round(round_bench *r) {
  hik_release(r->memory);
  end_bench(&r->b);
}

/* It ends at the goals or where the square of the error has not fallen by the share in three iterations; both happen. */
static void test_a_descent_ends_by_its_share(void) {
  int met = 0, given_up = 0;
  for (uint64_t draw = 0; draw < 60; draw++) {
    round_bench r;
    start_round(&r, hinge_arm(), "pose", draw);
    hik_damped_begin(&r.w, r.b.target, 5, &r.answer);
    double square[200] = {r.b.d.error * r.b.d.error};
    CHECK(hik_damped_again(&r.w, 0));
    hik_end end = hik_damped_descend(&r.w, &r.answer, 60, 0.5);
    CHECK(end == r.w.last && (end == HIK_MET || end == HIK_GIVEN_UP));
    CHECK(r.answer.iterations <= 60 && hik_inside(r.b.m, r.b.q, 0));
    int32_t n = r.answer.iterations;
    met += end == HIK_MET, given_up += end == HIK_GIVEN_UP && n < 60;
    square[n] = r.b.d.error * r.b.d.error;
    if (end == HIK_MET) CHECK(hik_descent_met(&r.b.d) && square[n] < 1e-9);
    if (end == HIK_GIVEN_UP && n < 60) CHECK(n >= 3 && r.trace[n] > 0.3 * r.trace[n - 3]);
    if (end == HIK_GIVEN_UP) CHECK(r.b.d.best <= r.b.d.error);
    end_round(&r);
  }
  CHECK(met > 15 && given_up > 5);
}

/* The cap on iterations spends the round, a poll that says so stops it; then there is no other attempt. */
static void test_rounds_end(void) {
  round_bench r;
  start_round(&r, hinge_arm(), "pose", 3);
  r.b.options.max_iter = 2;
  hik_damped_begin(&r.w, r.b.target, 5, &r.answer);
  CHECK(hik_damped_descend(&r.w, &r.answer, 60, 0.5) == HIK_SPENT && r.answer.iterations == 2);
  CHECK(!hik_damped_again(&r.w, 1));
  hik_damped_end(&r.w, false, &r.answer);
  CHECK(r.answer.claim == HIK_MAX_ITER);
  r.w.last = HIK_GIVEN_UP;
  CHECK(hik_damped_again(&r.w, 5) && !hik_damped_again(&r.w, 6));
  CHECK(memcmp(r.b.q, r.w.start, sizeof(double[7])) == 0);
  hik_damped_end(&r.w, false, &r.answer);
  CHECK(r.answer.claim == HIK_STALLED);
  end_round(&r);
}

/* Out of reach a few starts are made at most; of all poses kept the lowest is the answer. */
static void test_out_of_reach_few_starts_and_the_nearest(void) {
  round_bench r;
  start_round(&r, planar_chain(5, 2), "position", 1);
  const double far[3] = {3, 0, 0}, one[5] = {1, 0, 0, 0, 0}, two[5] = {2, 0, 0, 0, 0};
  hik_damped_begin(&r.w, far, 200, &r.answer);
  CHECK(r.w.away && r.w.starts == 4);
  hik_damped_keep(&r.w, 2, two);
  hik_damped_keep(&r.w, 1, one);
  hik_damped_keep(&r.w, 1.5, two);
  hik_damped_end(&r.w, false, &r.answer);
  CHECK(r.answer.claim == HIK_UNREACHABLE && memcmp(r.b.q, one, sizeof one) == 0);
  hik_damped_end(&r.w, true, &r.answer);
  CHECK(r.answer.claim == HIK_CONVERGED);
  CHECK(hik_damped_ratio(1) == 0.5 && hik_damped_ratio(8) == 0.5 && hik_damped_ratio(9) == 0.9);
  end_round(&r);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_descent_ends_by_its_share);
  RUN(test_rounds_end);
  RUN(test_out_of_reach_few_starts_and_the_nearest);
  CHECK_END();
}
