/* test_least.c: what is called a least-squares minimum is one, and how near to it a pose must be. */
#include "solve/drive/plan.h"

#include "base/trig.h"
#include "descent_figures.h"
#include "solve/drive/driver.h"

typedef struct asked {
  bench b;
  void *memory;
} asked;

/* n hinges about z in a row, one length in all, their tip to be at (x, 0, 0). */
static void start(asked *a, int32_t n, double limit, double x) {
  start_bench(&a->b, planar_chain(n, limit), "position", false);
  a->b.target[0] = x, a->b.target[1] = a->b.target[2] = 0;
  a->memory = malloc(hik_least_bytes(a->b.p)); /* not zeroes */
  memset(a->memory, 0xff, hik_least_bytes(a->b.p));
}

static void stop(asked *a) {
  free(a->memory);
  end_bench(&a->b);
}

static bool ask(asked *a, const double *q) {
  hik_verdict v;
  double kept[MOST];
  memcpy(kept, q, (size_t)a->b.m->nq * sizeof *q);
  hik_judge_one(a->b.p, a->b.target, q, a->b.run.world, &v);
  bool said = hik_least_squares(&a->b.run, a->memory, a->b.target, q, &v);
  CHECK(memcmp(kept, q, (size_t)a->b.m->nq * sizeof *q) == 0);
  return said;
}

/* One hinge, its tip on the unit circle: by a the square of the error is d^2 (1 + t a^2), t = r / d^2 for a target at r and
   d from the circle, and the cosine r a / d. Inside, at 1/2: t = 2 and cosine a. Outside, at 2: t = 2, cosine 2 a. */
static void test_how_near(void) {
  asked a;
  start(&a, 1, INFINITY, 0.5); /* the share: 2 a^2 <= 1e-4 */
  CHECK(ask(&a, (double[1]){0}) && ask(&a, (double[1]){0.0068}) && ask(&a, (double[1]){-0.0068}));
  CHECK(!ask(&a, (double[1]){0.0078}) && !ask(&a, (double[1]){-0.0078}) && !ask(&a, (double[1]){0.3}));
  stop(&a);
  start(&a, 1, INFINITY, 2); /* the cosine: 2 a <= 1e-2 */
  CHECK(ask(&a, (double[1]){0}) && ask(&a, (double[1]){0.0049}));
  CHECK(!ask(&a, (double[1]){0.0052}));
  stop(&a);
}

/* Where the slope is nothing and yet no minimum: the far side of the circle, a chain folded or straight. */
static void test_saddles(void) {
  asked a;
  start(&a, 1, INFINITY, 0.5);
  CHECK(!ask(&a, (double[1]){HIK_PI}));
  stop(&a);
  for (int32_t n = 2; n <= 6; n++) {
    double q[6] = {0};
    start(&a, n, INFINITY, 0.4);
    CHECK(!ask(&a, q));
    a.b.target[0] = -0.4;
    CHECK(!ask(&a, q));
    a.b.target[0] = 1.2;
    CHECK(ask(&a, q)); /* straight towards what is too far is the minimum */
    q[0] = HIK_PI;
    CHECK(!ask(&a, q));
    stop(&a);
  }
}

/* At a limit only what leads back inside counts. */
static void test_limits(void) {
  asked a;
  start(&a, 1, 1, 0.5);
  a.b.target[0] = 0, a.b.target[1] = 0.5; /* a quarter turn away */
  CHECK(ask(&a, (double[1]){1}) && !ask(&a, (double[1]){-1}) && !ask(&a, (double[1]){0.9}));
  stop(&a);
  start(&a, 1, 0, 0.5); /* nothing can move: nothing is least */
  CHECK(!ask(&a, (double[1]){0}));
  stop(&a);
}

/* What misses its goal by rounding, or is no number, is no compromise. */
static void test_rounding(void) {
  asked a;
  start(&a, 1, INFINITY, 1 + 5e-10);
  CHECK(!ask(&a, (double[1]){0}));
  a.b.target[0] = 1 + 2e-9;
  CHECK(ask(&a, (double[1]){0}));
  a.b.target[0] = 1;
  CHECK(!ask(&a, (double[1]){0}));
  const double bad[] = {NAN, INFINITY};
  for (int i = 0; i < 2; i++) {
    a.b.target[0] = bad[i];
    CHECK(!ask(&a, (double[1]){0}));
  }
  a.b.target[0] = 2;
  CHECK(!ask(&a, (double[1]){NAN}));
  stop(&a);
}

/* An orientation counts by its angle or by its chord: two hinges about z that should be turned about x as well. */
static void test_orientations(void) {
  bench b;
  start_bench(&b, planar_chain(2, INFINITY), "orientation", false);
  void *memory = malloc(hik_least_bytes(b.p));
  double s, c;
  hik_sincos(0.6, &s, &c);
  memcpy(b.target, (double[4]){c, s, 0, 0}, 4 * sizeof *b.target);
  const struct {
    double q;
    bool least;
  } row[] = {{0, true}, {0.3, false}, {HIK_PI, false}};
  for (int i = 0; i < HIK_COUNT_OF(row); i++) {
    double q[2] = {row[i].q, 0};
    hik_verdict v;
    hik_judge_one(b.p, b.target, q, b.run.world, &v);
    CHECK(hik_least_squares(&b.run, memory, b.target, q, &v) == row[i].least);
  }
  free(memory);
  end_bench(&b);
}

/* No time, no answer. */
static void test_the_clock_is_looked_at(void) {
  asked a;
  start(&a, 3, INFINITY, 1.2);
  CHECK(ask(&a, (double[3]){0}));
  hik_call call = {.scratch = NULL};
  a.b.worker.call = &call;
  a.b.worker.budget = 1, a.b.worker.late = true;
  CHECK(!ask(&a, (double[3]){0}));
  stop(&a);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_how_near);
  RUN(test_saddles);
  RUN(test_limits);
  RUN(test_rounding);
  RUN(test_orientations);
  RUN(test_the_clock_is_looked_at);
  CHECK_END();
}
