/* test_pace.c: the stall test, pushes, further starts and ends of a round, with methods made for the purpose. */
#include "solve/drive/pace.h"

#include "solve/drive/starts.h"
#include "solver_figures.h"

/* A round on a planar chain whose poses are scripted: iteration i has the error script[i], and meets nothing below 0. */
typedef struct scripted {
  const double *script;
  int calls, pushes;
  int32_t fresh[64]; /* iterations before which the pose was set anew */
  int n_fresh;
} scripted;

static bool iterate(hik_pace *pace) {
  scripted *s = pace->work;
  if (pace->fresh) s->fresh[s->n_fresh++] = pace->answer->iterations;
  s->calls++;
  return s->script[pace->answer->iterations + 1] < 90;
}

static bool look(hik_pace *pace) {
  scripted *s = pace->work;
  double error = s->script[pace->answer->iterations];
  pace->error = error >= 90 ? error - 90 : fabs(error);
  return error < 0;
}

static void push(hik_pace *pace, int32_t round) {
  CHECK(round == ((scripted *)pace->work)->pushes);
  ((scripted *)pace->work)->pushes++;
}

static const hik_method method = {.iterate = iterate, .look = look, .push = push};

static hik_answer answer;
static double q[3], best_q[3], trace[64];

/* Runs a script; 100 + e: no step led to an error of e. */
static scripted play(const double *script, int32_t nudges, int32_t starts, int32_t max_iter, double stall,
                     bool polish) {
  scripted s = {.script = script};
  hik_model *m = planar_chain(3, 2);
  hik_problem *p = make_problem(m, "position", 1e-6);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "dls"));
  o.max_iter = max_iter, o.ftol = stall;
  hik_worker worker = {.budget = INT64_MAX, .deadline = INFINITY};
  hik_pose world[4];
  hik_start_column column[3];
  hik_starts generator = {-1, column};
  const hik_readied ready = {.problem = p, .options = &o};
  hik_run run = {
      .problem = p, .options = &o, .ready = &ready, .worker = &worker, .world = world, .starts = &generator};
  const double target[3] = {0.3, 0.2, 0};
  memset(q, 0, sizeof q);
  for (int k = 0; k < HIK_COUNT_OF(trace); k++) trace[k] = -1;
  answer = (hik_answer){.q = q, .trace = trace};
  hik_pace_run(&(hik_pace){.method = &method,
                           .work = &s,
                           .run = &run,
                           .target = target,
                           .answer = &answer,
                           .best_q = best_q,
                           .patience = 3,
                           .nudges = nudges,
                           .starts = starts,
                           .polish = polish});
  hik_problem_free(p);
  hik_model_free(m);
  return s;
}

/* Three iterations that do not lower the error by the share end an attempt: pushes come first, then starts. */
static void test_attempts_end_where_nothing_falls(void) {
  const double slow[40] = {5, 4, 3, 2.99, 2.98, 2.97, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
  scripted s = play(slow, 1, 2, 30, 0.1, false);
  CHECK(answer.claim == HIK_STALLED && answer.remedies == 3 && s.pushes == 1);
  /* 3 fell by a fourth at the second; each further attempt begins with a mark of its own */
  CHECK(s.n_fresh == 4 && s.fresh[0] == 0 && s.fresh[1] == 5 && s.fresh[2] == 9 && s.fresh[3] == 13);
  /* what is noted is the judge's error, of a pose that nothing moved until the first start */
  CHECK(answer.iterations == 17 && trace[0] > 0 && trace[9] == trace[0] && trace[10] != trace[0]);
  CHECK(trace[17] > 0 && trace[18] == -1);
  s = play(slow, 1, 2, 30, 0.001, false); /* what falls by more than the share goes on */
  CHECK(s.fresh[1] == 8);
  s = play(slow, 0, 0, 30, 0.1, false);
  CHECK(answer.claim == HIK_STALLED && answer.iterations == 5 && answer.remedies == 0);
  s = play(slow, 9, 9, 5, 0.1, false); /* the cap comes first */
  CHECK(answer.claim == HIK_MAX_ITER && answer.iterations == 5 && answer.remedies == 0);
  s = play(slow, 1, 1, 0, 0.1, false);
  CHECK(answer.claim == HIK_MAX_ITER && s.calls == 0);
}

/* No step ends the attempt at once, a number that is none the round; a pose that meets the goals both. */
static void test_ends(void) {
  const double stuck[40] = {5, 104, 3, 2, 102, 101, 3, 3, 3, 3}, stray[] = {5, 4, NAN}, met[] = {5, 4, 3, -1};
  scripted s = play(stuck, 1, 1, 30, 0.1, false);
  CHECK(answer.remedies == 2 && s.fresh[1] == 1 && s.fresh[2] == 4);
  play(stray, 1, 1, 30, 0.1, false);
  CHECK(answer.claim == HIK_DIVERGED && answer.iterations == 2);
  play(met, 1, 1, 30, 0.1, false);
  CHECK(answer.claim == HIK_CONVERGED && answer.iterations == 3);
  const double at_once[] = {-1};
  s = play(at_once, 1, 1, 30, 0.1, false);
  CHECK(answer.claim == HIK_CONVERGED && answer.iterations == 0 && s.calls == 0);
}

/* With a wish besides it goes on once the goals are met: then no pose that misses them is the answer, and no start helps. */
static void test_polish_keeps_what_meets_the_goals(void) {
  const double script[40] = {5, -1, 0.5, 0.4, 0.4, 0.4, 0.4, 0.4};
  scripted s = play(script, 0, 5, 30, 0.1, true);
  CHECK(answer.claim == HIK_CONVERGED && answer.remedies == 0 && s.n_fresh == 1 && answer.iterations > 3);
}

/* Far beyond the reach the error that is left over the least one is what progress is measured by: the rest, a thousand
   lengths here, would hide it and end the first sweeps. */
static void test_far_targets_are_neared_to_the_end(void) {
  hik_model *m = planar_chain(9, 1);
  hik_problem *p = make_problem(m, "position", 1e-6);
  const char *const names[] = {"ccd", "ccd_fast", "fabrik", "fabrik_fast"};
  for (int k = 0; k < HIK_COUNT_OF(names); k++)
    for (int i = -2; i <= 2; i++) {
      double s, c, start[9] = {0.9, -0.8, 0.7, 0.9, -0.9, 0.8, -0.7, 0.6, 0.9};
      hik_sincos(0.4 * i, &s, &c);
      solved a = solve_with(names[k], p, NULL, (double[3]){1000 * c, 1000 * s, 0}, start);
      CHECK(a.outcome == HIK_UNREACHABLE && a.error - 999 < 1e-3);
    }
  hik_problem_free(p);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_attempts_end_where_nothing_falls);
  RUN(test_ends);
  RUN(test_polish_keeps_what_meets_the_goals);
  RUN(test_far_targets_are_neared_to_the_end);
  CHECK_END();
}
