/* test_population.c: the draw of the members, what is carried to the next generation, renewals, the options' checks. */
#include "solve/sample/population.h"

#include "descent_figures.h"

enum { COUNT = 12, CALLS = 64 };

/* What the generations of the test saw. */
static int settled, generations;
static double first_genes[CALLS][4 * MOST];

/* A generation that changes nothing. */
static double *stand(hik_population *w, double **error) {
  if (generations < CALLS) memcpy(first_genes[generations], w->x[0], hik_member_bytes(w));
  generations++;
  *error = w->f[0] + w->order[0];
  return hik_member(w, w->x[0], w->order[0]);
}

static void settle(hik_population *w) {
  settled++;
  CHECK(w->now == 0);
}

enum { SIZE, BEST, PATIENCE, RENEWALS };
static const hik_population_kind standing = {
    .patience = PATIENCE, .renewals = RENEWALS, .stream = 1, .settle = settle, .generation = stand};

/* A bench whose run holds a population. */
typedef struct population_bench {
  bench b;
  hik_population *w;
  hik_answer answer;
  void *memory;
} population_bench;

static void start_population(population_bench *t, hik_model *m) {
  settled = generations = 0;
  start_bench(&t->b, m, "pose", false);
  pose_bench(&t->b, "pose", 1);
  t->b.options.param[SIZE] = COUNT, t->b.options.param[BEST] = 2;
  t->b.options.param[PATIENCE] = 2, t->b.options.param[RENEWALS] = 3;
  t->b.options.max_iter = 40;
  size_t size = hik_population_scratch(&(hik_readied){.problem = t->b.p, .options = &t->b.options});
  CHECK(size < (size_t)1 << 24);
  t->w = t->memory = t->b.run.scratch = hik_allocate(size);
  t->answer = (hik_answer){.q = t->b.q};
  hik_population_prepare(&t->b.run);
}

static void end_population(population_bench *t) {
  hik_release(t->memory);
  end_bench(&t->b);
}

/* The first member is the start, the errors are those of the genes, the order is theirs, who does not move has no
   momentum; with patience 2 and 3 renewals a population that stands still is drawn four times and gives up. */
static void test_draws_and_renewals(void) {
  population_bench t;
  start_population(&t, cone_arm());
  double start[4 * MOST], best[4 * MOST];
  hik_genes_read(&t.w->s.genes, t.b.q, start);
  hik_population_solve(&standing, &t.b.run, t.b.target, &t.answer);
  CHECK(t.answer.claim == HIK_STALLED && t.answer.remedies == 3);
  CHECK(settled == 4 && generations == t.answer.iterations && generations >= 8 && generations < 40);
  int32_t n = t.w->s.genes.n;
  CHECK(n > 0 && n <= 4 * MOST);
  for (int32_t k = 0; k < n; k++) CHECK_NEAR(first_genes[0][k], start[k], 1e-12);
  CHECK(memcmp(first_genes[0], first_genes[generations - 1], hik_member_bytes(t.w)) !=
        0); /* renewed: all are drawn */
  for (int32_t i = 0; i < COUNT; i++) {
    memcpy(best, hik_member(t.w, t.w->x[0], i), hik_member_bytes(t.w));
    CHECK(hik_sampler_error(&t.w->s, best) == t.w->f[0][i]);
    CHECK(i == 0 || t.w->f[0][t.w->order[i - 1]] <= t.w->f[0][t.w->order[i]]);
    for (int32_t k = 0; k < n; k++) CHECK(hik_member(t.w, t.w->v[0], i)[k] == 0);
  }
  end_population(&t);
}

/* Members that move set out half the way to a place inside the limits. */
static void test_momentum(void) {
  population_bench t;
  start_population(&t, hinge_arm());
  hik_population_kind moving = standing;
  moving.moving = true;
  t.b.options.max_iter = 1;
  hik_population_solve(&moving, &t.b.run, t.b.target, &t.answer);
  bool any = false;
  for (int32_t i = 0; i < COUNT; i++) {
    double there[4 * MOST], right[4 * MOST];
    const double *x = hik_member(t.w, t.w->x[0], i), *v = hik_member(t.w, t.w->v[0], i);
    for (int32_t k = 0; k < t.w->s.genes.n; k++) there[k] = x[k] + 2 * v[k], any = any || v[k] != 0;
    memcpy(right, there, sizeof right);
    hik_genes_right(&t.w->s.genes, right);
    for (int32_t k = 0; k < t.w->s.genes.n; k++) CHECK_NEAR(right[k], there[k], 1e-12);
  }
  CHECK(any);
  end_population(&t);
}

/* Kinds of generations whose every part leaves a mark. */
static void note(hik_population *w) {
  hik_member(w, w->v[w->now], w->order[1])[0] = 0.25;
  generations++;
}
static void improve(hik_population *w, int32_t i) { hik_member(w, w->v[1 - w->now], i)[0] += 1 + i; }
static void bear(hik_population *w, int32_t i) {
  CHECK(i >= 2);
  memcpy(hik_member(w, w->x[1 - w->now], i), hik_member(w, w->x[w->now], w->order[i]), hik_member_bytes(w));
  w->f[1 - w->now][i] = 1e9 + i;
}

/* The elites live on whole, first, in their order, and are made better; the others are made by `child`; then the other side
   is the present one, in order. */
static void test_elites_and_children(void) {
  population_bench t;
  start_population(&t, ball_arm());
  t.b.options.max_iter = 1;
  hik_population_kind kind = {.patience = PATIENCE,
                              .renewals = RENEWALS,
                              .stream = 1,
                              .elites = BEST,
                              .look = note,
                              .improve = improve,
                              .child = bear};
  hik_population_solve(&kind, &t.b.run, t.b.target, &t.answer);
  CHECK(t.w->now == 1 && generations == 1);
  CHECK(hik_member(t.w, t.w->v[1], 0)[0] == 1 && hik_member(t.w, t.w->v[1], 1)[0] == 2.25);
  for (int32_t i = 0; i < 2; i++) CHECK(t.w->order[i] == i && t.w->f[1][i] < 1e9);
  CHECK(t.w->f[1][0] <= t.w->f[1][1]);
  for (int32_t i = 2; i < COUNT; i++) CHECK(t.w->order[i] == i && t.w->f[1][i] == 1e9 + i);
  for (int32_t i = 0; i < 2; i++) {
    int32_t same = 0;
    for (int32_t k = 0; k < COUNT; k++)
      same +=
          memcmp(hik_member(t.w, t.w->x[1], i), hik_member(t.w, t.w->x[0], k), hik_member_bytes(t.w)) == 0 &&
          t.w->f[1][i] == t.w->f[0][k];
    CHECK(same == 1);
  }
  end_population(&t);
}

static void test_options(void) {
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "genetic"));
  hik_error error = {0};
  o.param[0] = 8, o.param[1] = 8;
  CHECK(hik_population_accepts(NULL, &o, "genetic", &error) == HIK_BAD_ARGUMENT && error.index == 1 &&
        strstr(error.text, "elites must be fewer"));
  CHECK(hik_population_accepts(NULL, &o, "particle_swarm", &error) == HIK_OK);
  o.param[1] = 7;
  CHECK(hik_population_accepts(NULL, &o, "genetic", &error) == HIK_OK);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_draws_and_renewals);
  RUN(test_momentum);
  RUN(test_elites_and_children);
  RUN(test_options);
  CHECK_END();
}
