/* test_plan.c: plans answer as hik_solve does, keep copies of their options, share what is worked out of one problem, and are
   used by several threads at once. */
#include "solve/drive/plan.h"

#include "base/parallel.h"
#include "solver_figures.h"

enum { N = 24, THREADS = 4 };

static hik_error error;

static hik_plan *plan_of(const char *solver, const hik_problem *p, const hik_plan *like) {
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options o = hik_options_default(index);
  hik_plan *plan = NULL;
  CHECK(hik_plan_create(index, p, &o, like, &plan, &error) == HIK_OK && plan);
  return plan;
}

typedef struct rows {
  double target[7 * N], q[4 * MOST * N];
  int8_t outcome[N];
} rows;

static void draw_targets(const hik_model *m, bool pose, rows *r) {
  for (int i = 0; i < N; i++) {
    double q[4 * MOST];
    memcpy(q, m->rest, (size_t)m->nq * sizeof *q);
    hik_random_q(m, 3, (uint64_t)i, q);
    target_of(m, q, pose, r->target + 7 * i);
  }
}

static hik_batch batch_of(rows *r) {
  return (hik_batch){.n = N, .target = r->target, .target_stride = 7, .q = r->q, .outcome = r->outcome};
}

/* Whether a run of the plan has the bytes that `want` has. */
static bool same(const hik_plan *plan, const rows *want) {
  rows *r = malloc(sizeof *r);
  *r = *want;
  memset(r->q, 0, sizeof r->q), memset(r->outcome, 0, sizeof r->outcome);
  hik_batch b = batch_of(r);
  hik_error own;
  bool good = hik_plan_solve(plan, &b, &own) == HIK_OK;
  good = good && memcmp(r->q, want->q, sizeof r->q) == 0 && memcmp(r->outcome, want->outcome, N) == 0;
  free(r);
  return good;
}

/* What hik_solve gives. */
static rows *solved_rows(const char *solver, const hik_model *m, const hik_problem *p, bool pose) {
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options o = hik_options_default(index);
  rows *r = calloc(1, sizeof *r);
  draw_targets(m, pose, r);
  hik_batch b = batch_of(r);
  CHECK(hik_solve(index, p, &o, &b, &error) == HIK_OK);
  return r;
}

static const char *const solvers[] = {"auto", "lm_batch", "dls", "ccd", "fabrik_fast", "genetic"};

static void test_a_plan_answers_as_solve_does(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-4);
  for (int s = 0; s < HIK_COUNT_OF(solvers); s++) {
    rows *want = solved_rows(solvers[s], m, p, true);
    hik_plan *plan = plan_of(solvers[s], p, NULL);
    CHECK(same(plan, want) && same(plan, want));
    hik_plan_free(plan);
    free(want);
  }
  hik_problem_free(p);
  hik_model_free(m);
}

static void test_options_are_copied(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "pose", 1e-4);
  int32_t index = hik_find(HIK_SOLVERS, "dls");
  hik_options o = hik_options_default(index);
  rows *want = solved_rows("dls", m, p, true);
  hik_plan *plan = NULL;
  CHECK(hik_plan_create(index, p, &o, NULL, &plan, &error) == HIK_OK);
  memset(&o, 0xff, sizeof o);
  CHECK(same(plan, want));
  hik_plan_free(plan);
  free(want);
  hik_problem_free(p);
  hik_model_free(m);
}

/* In whatever order they are freed; a solver that needs nothing of it hands it on. */
static void test_what_is_worked_out_is_shared(void) {
  hik_model *arm = hinge_arm(), *body = ball_arm();
  hik_problem *one = make_problem(arm, "pose", 1e-4), *tree = make_problem(body, "pose", 1e-4);
  hik_plan *first = plan_of("auto", one, NULL), *hands = plan_of("dls", one, first),
           *lanes = plan_of("lm_batch", one, hands), *apart = plan_of("auto", one, NULL);
  CHECK(first->part[0].serial && !first->part[0].tree && !first->part[1].serial);
  CHECK(hands->part[0].serial == first->part[0].serial && lanes->part[0].serial == first->part[0].serial);
  CHECK(apart->part[0].serial != first->part[0].serial);
  rows *want = solved_rows("lm_batch", arm, one, true);
  hik_plan_free(first);
  hik_plan_free(hands);
  CHECK(same(lanes, want));
  hik_plan_free(lanes);
  hik_plan_free(apart);
  free(want);

  first = plan_of("auto", tree, NULL), lanes = plan_of("auto", tree, first);
  CHECK(first->part[0].tree && !first->part[0].serial && lanes->part[0].tree == first->part[0].tree);
  hik_plan *refused = lanes;
  hik_options o = hik_options_default(0);
  CHECK(hik_plan_create(0, one, &o, first, &refused, &error) == HIK_BAD_ARGUMENT && !refused);
  CHECK(strstr(error.text, "one problem"));
  hik_plan_free(lanes);
  hik_plan_free(first);
  hik_problem_free(tree);
  hik_problem_free(one);
  hik_model_free(body);
  hik_model_free(arm);
}

static void test_what_is_refused(void) {
  hik_model *m = hinge_arm();
  hik_problem *p = make_problem(m, "position", 1e-4);
  hik_plan *plan = NULL;
  hik_options o = hik_options_default(0);
  CHECK(hik_plan_create(-1, p, &o, NULL, &plan, &error) == HIK_NOT_FOUND && !plan);
  CHECK(hik_plan_create(hik_solver_class_count, p, &o, NULL, &plan, &error) == HIK_NOT_FOUND && !plan);
  o.param[0] = -1;
  CHECK(hik_plan_create(0, p, &o, NULL, &plan, &error) == HIK_BAD_ARGUMENT && !plan);
  int32_t ftl = hik_find(HIK_SOLVERS, "ftl");
  o = hik_options_default(ftl);
  CHECK(hik_plan_create(ftl, p, &o, NULL, &plan, &error) == HIK_UNSUPPORTED && !plan);
  hik_plan_free(NULL);
  CHECK(hik_plan_hold(NULL) == NULL);
  hik_problem_free(p);
  hik_model_free(m);
}

typedef struct crowd {
  hik_plan *plan;
  const rows *want;
  atomic_int good;
} crowd;

static void one_of_many(void *context, int32_t worker) {
  crowd *c = context;
  (void)worker;
  hik_plan *mine = hik_plan_hold(c->plan);
  for (int i = 0; i < CHECK_REPEATS(20, 3); i++) atomic_fetch_add(&c->good, same(mine, c->want));
  hik_plan_free(mine);
}

/* Each with its own hold, as they come. */
static void test_one_plan_by_several_threads(void) {
  hik_model *models[] = {hinge_arm(), gantry(), ball_arm()};
  for (int k = 0; k < HIK_COUNT_OF(models); k++) {
    hik_problem *p = make_problem(models[k], "pose", 1e-4);
    rows *want = solved_rows("auto", models[k], p, true);
    crowd c = {.plan = plan_of("auto", p, NULL), .want = want};
    atomic_init(&c.good, 0);
    hik_fork_join(THREADS, one_of_many, NULL, &c);
    CHECK(atomic_load(&c.good) == THREADS * CHECK_REPEATS(20, 3));
    CHECK(atomic_load(&c.plan->held.holders) == 1);
    hik_plan_free(c.plan);
    free(want);
    hik_problem_free(p);
    hik_model_free(models[k]);
  }
}

typedef struct counter {
  int calls, fail, live;
} counter;

static void *count_allocate(void *context, size_t size) {
  counter *c = context;
  if (c->calls++ == c->fail) return NULL;
  c->live++;
  return malloc(size);
}

static void count_free(void *context, void *memory, size_t size) {
  (void)size;
  ((counter *)context)->live--;
  free(memory);
}

/* Whichever allocation fails, the sentence says so and nothing stays behind. */
static void test_without_memory(void) {
  for (int fail = 0, done = 0; !done; fail++) {
    counter c = {.fail = INT32_MAX};
    hik_set_allocator(count_allocate, count_free, &c);
    hik_model *arm = hinge_arm(), *body = ball_arm();
    hik_problem *p = make_problem(fail % 2 ? arm : body, "pose", 1e-4);
    hik_plan *plan = NULL;
    int32_t before = c.live;
    hik_options o = hik_options_default(0);
    c.calls = 0, c.fail = fail / 2;
    hik_status status = hik_plan_create(0, p, &o, NULL, &plan, &error);
    CHECK(status == HIK_OK || status == HIK_NO_MEMORY);
    CHECK((status == HIK_OK) == (plan != NULL));
    if (!plan) CHECK(c.live == before);
    done = plan && fail > 9;
    hik_plan_free(plan);
    CHECK(c.live == before);
    hik_problem_free(p);
    hik_model_free(arm);
    hik_model_free(body);
    CHECK(c.live == 0);
    hik_set_allocator(NULL, NULL, NULL);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_plan_answers_as_solve_does);
  RUN(test_options_are_copied);
  RUN(test_what_is_worked_out_is_shared);
  RUN(test_what_is_refused);
  RUN(test_one_plan_by_several_threads);
  RUN(test_without_memory);
  CHECK_END();
}
