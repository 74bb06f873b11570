/* test_mix.c: combinations of poses against what is known of linear residuals, and where rounds make them. */
#include "solve/drive/pace.h"

#include "descent_figures.h"
#include "solve/drive/pace.h"

/* A bench and its memory for combinations. */
static void *mix_memory;

static void start_mix(bench *b) {
  hik_block block = {NULL, 0, false};
  hik_mix_lay_out(b->p, &block);
  mix_memory = hik_allocate(block.size);
  block = (hik_block){mix_memory, 0, false};
  b->run.mix = hik_mix_lay_out(b->p, &block);
}

static void end_mix(bench *b) {
  hik_release(mix_memory);
  end_bench(b);
}

static void remember(bench *b, hik_mix *mix, const double *slides) {
  memcpy(b->q, slides, 3 * sizeof *slides);
  hik_list_poses(b->m, b->p->active, b->p->n_active, b->q, b->run.world);
  hik_mix_remember(mix, &b->run, b->target, b->q);
}

/* The position of a gantry is linear in its slides: any four poses that span the room lead to the target, as does what is
   left of nine. Poses on a line lead to the point of the line that is nearest to it. */
static void test_linear_residuals_are_met_at_once(void) {
  const double to[3] = {0.31, -0.22, 0.17};
  bench b;
  start_bench(&b, gantry(), "position", false);
  start_mix(&b);
  memcpy(b.q, to, sizeof to);
  double whole[7];
  target_of(b.m, b.q, true, whole);
  memcpy(b.target, whole, 3 * sizeof *whole);
  b.worker.attempt = 1;
  for (int count = 4; count <= 9; count += 5) {
    hik_mix *mix = hik_mix_of(&b.run);
    hik_rng rng = hik_rng_start(7, 1);
    for (int i = 0; i < count; i++) {
      double slides[3];
      for (int k = 0; k < 3; k++) slides[k] = 0.4 * hik_rng_uniform(&rng) - 0.2;
      remember(&b, mix, slides);
    }
    CHECK(mix->count == (count < HIK_MIX_DEPTH ? count : HIK_MIX_DEPTH) && hik_mix_find(mix, b.p));
    for (int k = 0; k < 3; k++) CHECK_NEAR(b.q[k] + mix->way[k], to[k], 1e-9);
    for (int k = 3; k < b.m->nq; k++) CHECK(mix->way[k] == 0);
  }
  hik_mix *mix = hik_mix_of(&b.run);
  CHECK(mix->count == 0);
  remember(&b, mix, (double[3]){0, 0.1, 0});
  CHECK(!hik_mix_find(mix, b.p)); /* one alone says nothing, nor does the same again */
  remember(&b, mix, (double[3]){0, 0.1, 0});
  CHECK(mix->count == 1 && !hik_mix_find(mix, b.p));
  remember(&b, mix, (double[3]){0.01, 0.1, 0});
  CHECK(hik_mix_find(mix, b.p));
  CHECK_NEAR(mix->way[0], to[0] - 0.01, 1e-9);
  CHECK(mix->way[1] == 0 && mix->way[2] == 0);
  end_mix(&b);
}

/* Poses whose residuals differ by rounding alone, or lie on a line with the target far beyond: no way is long. */
static void test_ways_are_short(void) {
  bench b;
  start_bench(&b, planar_chain(3, 3), "position", false);
  start_mix(&b);
  b.worker.attempt = 1;
  b.target[0] = 3e6, b.target[1] = 1e6;
  for (int i = 0; i < 40; i++) {
    double tiny = ldexp(1e-3, -i);
    hik_mix *mix = hik_mix_of(&b.run);
    remember(&b, mix, (double[3]){0.3, 0.2, 0.1});
    remember(&b, mix, (double[3]){0.3 + tiny, 0.2, 0.1});
    remember(&b, mix, (double[3]){0.3 + 2 * tiny, 0.2 - 0.5 * tiny, 0.1});
    if (!hik_mix_find(mix, b.p)) continue;
    for (int k = 0; k < 3; k++) CHECK(fabs(mix->way[k]) <= 1 + 1e-15);
  }
  end_mix(&b);
}

/* ---- rounds ---- */

/* Every slide goes a hundredth of what it has left. */
static bool crawl(hik_pace *pace) {
  const double *to = pace->work;
  for (int k = 0; k < 3; k++) pace->answer->q[k] += 0.01 * (k + 1) * (to[k] - pace->answer->q[k]);
  const hik_problem *p = pace->run->problem;
  hik_list_poses(p->model, p->active, p->n_active, pace->answer->q, pace->run->world);
  return true;
}

/* The first round is the method alone, a further one combines; either ends at the target. Moves that are farther away are not
   made: the error of the trace falls from pose to pose. */
static void test_further_rounds_combine_poses(void) {
  static const hik_method method = {.iterate = crawl};
  double to[3] = {0.31, -0.22, 0.17}, best_q[8], trace[4000], whole[7];
  int32_t iterations[2];
  bench b;
  start_bench(&b, gantry(), "position", false);
  start_mix(&b);
  memcpy(b.q, to, sizeof to);
  target_of(b.m, b.q, true, whole);
  b.options.max_iter = 3000, b.options.ftol = 1e-4;
  for (int attempt = 0; attempt < 2; attempt++) {
    memset(b.q, 0, 8 * sizeof *b.q);
    hik_answer a = {.q = b.q, .trace = trace};
    b.worker.attempt = (uint64_t)attempt;
    hik_pace pace = {.method = &method,
                     .work = to,
                     .run = &b.run,
                     .target = whole,
                     .answer = &a,
                     .best_q = best_q,
                     .patience = 4};
    hik_pace_run(&pace);
    CHECK(a.claim == HIK_CONVERGED && (pace.mix != NULL) == (attempt > 0));
    for (int32_t i = 1; i <= a.iterations; i++) CHECK(trace[i] < trace[i - 1]);
    iterations[attempt] = a.iterations;
    pace.patience = INT32_MAX; /* that of a method without a stall test, which no round can double */
    hik_pace_begin(&pace);
    CHECK(pace.patience == INT32_MAX);
  }
  CHECK(iterations[0] > 500 && iterations[1] < 12);
  b.run.mix = NULL; /* no retries were asked for */
  CHECK(hik_mix_of(&b.run) == NULL);
  end_mix(&b);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_linear_residuals_are_met_at_once);
  RUN(test_ways_are_short);
  RUN(test_further_rounds_combine_poses);
  CHECK_END();
}
