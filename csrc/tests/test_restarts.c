/* test_restarts.c: descents that stop wherever a residual is wanted: side by side they end as they do alone. */
#include "solve/drive/restarts.h"

#include "descent_figures.h"

enum { SIDE = 5 };

/* Several of one problem, each with a world of its own. */
typedef struct beside {
  bench b;
  hik_readied ready;
  hik_restarts r[SIDE];
  hik_pose *world;
  hik_answer answer[SIDE];
  double q[SIDE][7], target[SIDE][7], start[SIDE][7];
  void *memory;
} beside;

static void lay_out(beside *s, hik_block *block) {
  s->world = HIK_TAKE(block, hik_pose, SIDE * s->b.m->n_step);
  for (int i = 0; i < SIDE; i++) hik_restarts_lay_out(s->r + i, s->b.p, block);
}

static void open(beside *s, double starts, double solutions, uint64_t seed) {
  memset(s, 0, sizeof *s);
  start_bench(&s->b, hinge_arm(), "pose", true);
  s->b.options = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  s->b.options.param[0] = starts, s->b.options.param[1] = solutions;
  s->ready = (hik_readied){.problem = s->b.p, .options = &s->b.options};
  s->b.run.ready = &s->ready;
  s->b.starts.n = -1;
  hik_block block = {NULL, 0, false};
  lay_out(s, &block);
  s->memory = hik_allocate(block.size);
  block = (hik_block){s->memory, 0, false};
  lay_out(s, &block);
  for (int i = 0; i < SIDE; i++) {
    hik_restarts_prepare(s->r + i, &s->b.run, s->world + i * s->b.m->n_step);
    pose_bench(&s->b, "pose", seed + (uint64_t)i);
    memcpy(s->start[i], s->b.q, sizeof s->q[i]), memcpy(s->q[i], s->b.q, sizeof s->q[i]);
    memcpy(s->target[i], s->b.target, sizeof s->target[i]);
    s->answer[i] = (hik_answer){.q = s->q[i]};
  }
}

static void shut(beside *s) {
  hik_release(s->memory);
  end_bench(&s->b);
}

static bool residual(hik_restarts *r) {
  hik_descent_residual(&r->search->d);
  return true;
}

static void run(hik_restarts *r, int32_t first, const double *known, const double *target, hik_answer *a) {
  hik_restarts_begin(r, first, known, target, a);
  while (hik_restarts_go_on(r)) residual(r);
}

static void test_side_by_side_is_one_after_another(void) {
  int met = 0, tried = 0;
  for (uint64_t seed = 0; seed < 8; seed++) {
    beside alone, both;
    open(&alone, 3, 1, 20 * seed), open(&both, 3, 1, 20 * seed);
    if (seed % 2) alone.target[2][0] = both.target[2][0] = 40; /* out of reach: polished */
    bool on[SIDE];
    for (int i = 0; i < SIDE; i++) run(alone.r, 1, NULL, alone.target[i], alone.answer + i);
    for (int i = 0; i < SIDE; i++) hik_restarts_begin(both.r + i, 1, NULL, both.target[i], both.answer + i);
    for (int i = 0; i < SIDE; i++) on[i] = hik_restarts_go_on(both.r + i);
    for (bool some = true; some;) {
      some = false;
      for (int i = SIDE; i-- > 0;) on[i] = on[i] && residual(both.r + i) && hik_restarts_go_on(both.r + i);
      for (int i = 0; i < SIDE; i++) some = some || on[i];
    }
    for (int i = 0; i < SIDE; i++) {
      const hik_answer *a = alone.answer + i, *b = both.answer + i;
      CHECK(memcmp(a->q, b->q, sizeof alone.q[i]) == 0 && a->claim == b->claim);
      CHECK(a->iterations == b->iterations && a->remedies == b->remedies);
      CHECK(a->remedies <= 3 && hik_inside(both.b.m, b->q, 1e-12));
      met += a->claim == HIK_CONVERGED, tried += a->remedies;
    }
    CHECK(alone.answer[2].claim == HIK_UNREACHABLE || seed % 2 == 0);
    shut(&alone), shut(&both);
  }
  CHECK(met > 20 && tried > 10);
}

/* A claim of the lanes that holds is an answer; one that does not is none. */
static void test_what_is_known_is_looked_at(void) {
  beside s;
  double known[7];
  open(&s, 5, 1, 3);
  run(s.r, 1, NULL, s.target[0], s.answer);
  CHECK(s.answer->claim == HIK_CONVERGED);
  memcpy(known, s.q[0], sizeof known);
  memcpy(s.q[0], s.start[0], sizeof known);
  s.answer[0] = (hik_answer){.q = s.q[0], .remedies = 7};
  run(s.r, 1, known, s.target[0], s.answer);
  CHECK(s.answer->claim == HIK_CONVERGED && s.answer->iterations == 0 && s.answer->remedies == 7);
  CHECK(memcmp(s.q[0], known, sizeof known) == 0);
  memcpy(s.q[0], s.start[0], sizeof known);
  s.answer[0] = (hik_answer){.q = s.q[0]};
  run(s.r, 1, s.start[0], s.target[0], s.answer);
  CHECK(s.answer->claim == HIK_CONVERGED && s.answer->iterations > 0);
  shut(&s);
}

/* Of two that are wanted the one nearer to the start; starts are counted from `first`, and the last of them is polished. */
static void test_counts_and_candidates(void) {
  int nearer = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    beside one, two;
    open(&one, 60, 1, seed), open(&two, 60, 2, seed);
    run(one.r, 1, NULL, one.target[0], one.answer), run(two.r, 1, NULL, two.target[0], two.answer);
    CHECK(two.r->found <= 2 && two.answer->remedies >= one.answer->remedies);
    double most[2] = {0, 0};
    for (int k = 0; k < 7; k++) {
      most[0] = fmax(most[0], fabs(one.q[0][k] - one.start[0][k]));
      most[1] = fmax(most[1], fabs(two.q[0][k] - two.start[0][k]));
    }
    CHECK(most[1] <= most[0] + 1e-9 || one.answer->claim != HIK_CONVERGED);
    nearer += most[1] < most[0] - 1e-3;
    memcpy(one.q[0], one.start[0], sizeof one.q[0]);
    one.answer[0] = (hik_answer){.q = one.q[0]};
    run(one.r, 59, NULL, one.target[0], one.answer);
    CHECK(one.answer->remedies <= 2);
    if (one.answer->claim != HIK_CONVERGED) CHECK(one.answer->remedies == 2);
    shut(&one), shut(&two);
  }
  CHECK(nearer > 2);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_side_by_side_is_one_after_another);
  RUN(test_what_is_known_is_looked_at);
  RUN(test_counts_and_candidates);
  CHECK_END();
}
