/* test_closed.c: solve/drive/closed.c through auto: which problems it takes, that the answer is the nearest of all postures,
   alone, in a block and by every set of kernels; and that what it leaves goes the numeric way. */
#include "solve/drive/auto.h"

#include "analytic/analytic.h"
#include "dh_figures.h"
#include "solve/lanes/serial.h"

enum { MANY = CHECK_REPEATS(150, 40), WIDTH = 7 };

typedef struct trial {
  hik_model *m;
  hik_problem *p;
  double target[MANY * WIDTH], T[MANY * 16], start[MANY * 9], q[MANY * 9];
  int8_t outcome[MANY];
  int32_t iterations[MANY], remedies[MANY];
} trial;

static void begin(trial *t, hik_model *m) {
  memset(t, 0, sizeof *t);
  t->m = m;
  t->p = make_problem(m, "pose", 1e-6);
  for (int i = 0; i < MANY; i++) {
    double q[9];
    hik_pose pose;
    hik_random_q(m, 3, (uint64_t)i, q);
    hik_random_q(m, 4, (uint64_t)i, t->start + i * m->nq);
    target_of(m, q, true, t->target + WIDTH * i);
    hik_copy3(t->target + WIDTH * i, pose.t);
    hik_quat_to_mat(t->target + WIDTH * i + 3, pose.r);
    hik_pose_to_mat4(&pose, t->T + 16 * i);
  }
}

static void end(trial *t) {
  hik_problem_free(t->p);
  hik_model_free(t->m);
}

static void run(trial *t, const char *solver, bool starts, int64_t first, int64_t n,
                const hik_options *options) {
  int32_t index = hik_find(HIK_SOLVERS, solver);
  hik_options o = options ? *options : hik_options_default(index);
  hik_batch b = {.n = n,
                 .target = t->target + WIDTH * first,
                 .target_stride = WIDTH,
                 .q0 = starts ? t->start + t->m->nq * first : NULL,
                 .q0_stride = t->m->nq,
                 .q = t->q + t->m->nq * first,
                 .outcome = t->outcome + first,
                 .iterations = t->iterations + first,
                 .n_restarts = t->remedies + first};
  CHECK(hik_solve(index, t->p, &o, &b, NULL) == HIK_OK);
}

/* Limits of +-2.9, so that whole turns leave no choice. */
static void check_nearest(const trial *t, bool starts, int more) {
  hik_analytic *a = NULL;
  CHECK(hik_analytic_create(t->m, 0, HIK_TASK_POSE, -1, false, &a, NULL) == HIK_OK);
  void *scratch = hik_allocate(hik_analytic_scratch_size(a));
  for (int k = 0; k < MANY; k++) {
    double rows[HIK_ANALYTIC_MOST * 9], least = INFINITY, sum = INFINITY, gap = 0;
    const double *q = t->q + k * t->m->nq, *from = starts ? t->start + k * t->m->nq : t->m->rest,
                 *best = from;
    int32_t count;
    uint8_t bits[HIK_ANALYTIC_MOST];
    bool sure;
    hik_analytic_solve(a, 1, t->T + 16 * k, NULL, rows, &count, bits, &sure, scratch);
    for (int j = 0; j < count; j++) {
      double move = 0, square = 0;
      for (int i = more; i < t->m->nq; i++) {
        double d = rows[j * t->m->nq + i] - from[i];
        move = fmax(move, fabs(d)), square += d * d;
      }
      if (move < least - 1e-9 || (move < least + 1e-9 && square < sum))
        least = move, sum = square, best = rows + j * t->m->nq;
    }
    for (int i = more; i < t->m->nq; i++) gap = fmax(gap, fabs(best[i] - q[i]));
    for (int i = 0; i < more; i++) CHECK(q[i] == from[i]);
    CHECK(count > 0 && t->outcome[k] == HIK_CONVERGED && gap < 1e-8);
    CHECK(t->iterations[k] == 1 && t->remedies[k] == 0);
  }
  hik_release(scratch);
  hik_analytic_free(a);
}

static void try_arm(const double (*dh)[6], int32_t more) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  static trial t;
  begin(&t, dh_model(dh, 2.9, more));
  for (int starts = 0; starts < 2; starts++) {
    double whole[MANY * 9];
    CHECK(hik_simd_select("base"));
    run(&t, "auto", starts, 0, MANY, NULL);
    check_nearest(&t, starts, more);
    memcpy(whole, t.q, sizeof whole);
    for (int s = 0; s < HIK_COUNT_OF(sets); s++) {
      if (!hik_simd_select(sets[s])) continue;
      for (int64_t step = 1; step < 2 * MANY; step = 3 * step + 2) {
        memset(t.q, 0, sizeof t.q);
        for (int64_t k = 0; k < MANY; k += step)
          run(&t, "auto", starts, k, k + step < MANY ? step : MANY - k, NULL);
        CHECK(memcmp(whole, t.q, sizeof(double) * MANY * (size_t)t.m->nq) == 0);
      }
    }
    CHECK(hik_simd_select("auto"));
  }
  end(&t);
}

static void test_the_nearest_posture(void) {
  try_arm(arm_ur5, 0);
  try_arm(arm_puma, 0);
  try_arm(arm_irb120, 3);
}

static bool taken(const hik_model *m, const char *kind, double tolerance, int32_t max_iter) {
  hik_problem *p = make_problem(m, kind, tolerance);
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  o.max_iter = max_iter;
  hik_readied ready = {.problem = p, .options = &o};
  bool yes = hik_serial_fits(p) && hik_serial_ready(&ready) && hik_closed_takes(&ready);
  if (ready.serial) hik_analytic_free(ready.serial->closed);
  hik_release(ready.serial);
  hik_problem_free(p);
  return yes;
}

static void test_which_problems(void) {
  hik_model *ur5 = dh_model(arm_ur5, 3, 0), *crx = dh_model(arm_crx, 3, 0), *seven = hinge_arm();
  CHECK(taken(ur5, "pose", 1e-6, 10));
  CHECK(!taken(ur5, "pose", 1e-6, 0));
  CHECK(!taken(ur5, "pose", 1e-9, 10));
  CHECK(!taken(ur5, "position", 1e-6, 10));
  CHECK(!taken(ur5, "orientation", 1e-6, 10));
  CHECK(!taken(crx, "pose", 1e-6, 10));
  CHECK(!taken(seven, "pose", 1e-6, 10));
  hik_model_free(ur5);
  hik_model_free(crx);
  hik_model_free(seven);
}

/* Singular postures, what is out of reach or no number, and what stands outside the limits: as lm_lanes, or better. */
static void test_what_it_leaves_goes_the_numeric_way(void) {
  static trial t, other;
  hik_model *wide = dh_model(arm_puma, 3.1, 0);
  begin(&t, dh_model(arm_puma, 2.9, 0));
  for (int i = 0; i < MANY; i++) {
    double q[6], *row = t.target + WIDTH * i;
    hik_random_q(t.m, 9, (uint64_t)i, q);
    if (i % 5 == 0) q[4] = 0;
    if (i % 5 == 1) q[0] = 3.05;
    target_of(wide, q, true, row);
    if (i % 5 == 2) row[0] += 30;
    if (i == 3) row[0] = NAN;
  }
  other = t;
  run(&t, "auto", true, 0, MANY, NULL);
  run(&other, "lm_batch", true, 0, MANY, NULL);
  int left = 0;
  for (int i = 0; i < MANY; i++) {
    bool solved = t.outcome[i] == HIK_CONVERGED;
    CHECK(t.outcome[i] == other.outcome[i]);
    CHECK(i % 5 > 0 || solved);
    CHECK(i % 5 != 2 || t.outcome[i] == HIK_UNREACHABLE);
    CHECK(i != 3 || (t.outcome[i] == HIK_INVALID && isnan(t.q[6 * i])));
    if (!solved || t.iterations[i] == 1) continue;
    CHECK(memcmp(t.q + 6 * i, other.q + 6 * i, 6 * sizeof *t.q) == 0);
    left++;
  }
  CHECK(left >= MANY / 5 - 2);
  hik_model_free(wide);
  end(&t);
}

/* The start, then the answer; the answers are the same bytes with and without. */
static void test_trace(void) {
  static trial t;
  static double trace[MANY * 6], path[MANY * 6 * 6], plain[MANY * 9];
  begin(&t, dh_model(arm_ur5, 2.9, 0));
  int32_t solver = hik_find(HIK_SOLVERS, "auto");
  hik_options o = hik_options_default(solver);
  o.max_iter = 5;
  run(&t, "auto", true, 0, MANY, &o);
  memcpy(plain, t.q, sizeof plain);
  for (int64_t step = 1; step <= MANY; step += MANY - 1) {
    for (int64_t k = 0; k < MANY; k += step) {
      hik_batch b = {.n = step,
                     .target = t.target + WIDTH * k,
                     .target_stride = WIDTH,
                     .q0 = t.start + 6 * k,
                     .q0_stride = 6,
                     .q = t.q + 6 * k,
                     .outcome = t.outcome + k,
                     .trace = trace + 6 * k,
                     .path = path + 36 * k};
      CHECK(hik_solve(solver, t.p, &o, &b, NULL) == HIK_OK);
    }
    CHECK(memcmp(plain, t.q, sizeof(double) * MANY * 6) == 0);
    for (int i = 0; i < MANY; i++) {
      CHECK(t.outcome[i] == HIK_CONVERGED && trace[6 * i] > 1e-3 && trace[6 * i + 1] < 1e-9);
      CHECK(isnan(trace[6 * i + 2]) && memcmp(path + 36 * i, t.start + 6 * i, 6 * sizeof *path) == 0);
      CHECK(memcmp(path + 36 * i + 6, t.q + 6 * i, 6 * sizeof *path) == 0);
    }
  }
  end(&t);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_nearest_posture);
  RUN(test_which_problems);
  RUN(test_what_it_leaves_goes_the_numeric_way);
  RUN(test_trace);
  CHECK_END();
}
