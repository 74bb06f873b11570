/* postures.c: times every posture of arms of six turns, from C, on one thread.

   postures SET ROUNDS POSES < ARMS   SET: base, avx2, avx512 or auto. Each line of ARMS: a name and six rows theta, d,
   a, alpha. Prints, for each arm, its method, milliseconds to set it up, and microseconds a pose in a batch and one a
   call (least and median of the rounds, processor time), and postures a pose. "-" for a SET the processor lacks.
   With "count" as a fourth argument one batch alone is solved, inside `measured`, for callgrind. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analytic/analytic.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/trig.h"
#include "model/model.h"

enum { MOST = 20000, MOST_ROUNDS = 200 };

static double T[16 * MOST], q[6 * MOST], rows[MOST * HIK_ANALYTIC_MOST * 6];
static int32_t count[MOST];
static uint8_t bits[MOST * HIK_ANALYTIC_MOST];
static bool sure[MOST];

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A row (theta, d, a, alpha) as a motion. */
static void motion(const double *row, hik_pose *out) {
  double st, ct, sa, ca;
  hik_sincos(row[0], &st, &ct);
  hik_sincos(row[3], &sa, &ca);
  *out = (hik_pose){{ct, -st * ca, st * sa, st, ct * ca, -ct * sa, 0, sa, ca},
                    {row[2] * ct, row[2] * st, row[1]}};
}

static hik_model *build(double (*row)[4]) {
  hik_model_def def = hik_model_def_default();
  int32_t parent[6], kind[6], last = 5;
  double axis[18] = {0}, place[6][12] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}, lower[6], upper[6], tool[12];
  for (int i = 0; i < 6; i++) {
    hik_pose link;
    motion(row[i], &link);
    memcpy(i < 5 ? place[i + 1] : tool, &link, sizeof link);
    parent[i] = i - 1, kind[i] = HIK_REVOLUTE, axis[3 * i + 2] = 1, lower[i] = -HIK_PI, upper[i] = HIK_PI;
  }
  def.n_joint = 6, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = axis,
  def.placement = place[0];
  def.lower = lower, def.upper = upper, def.frame_joint = &last, def.frame_placement = tool;
  hik_model *model = NULL;
  hik_error error;
  if (hik_model_create(&def, &model, &error)) fprintf(stderr, "%s\n", error.text), exit(1);
  return model;
}

__attribute__((noinline)) void measured(const hik_analytic *a, int64_t n, void *scratch) {
  hik_analytic_solve(a, n, T, NULL, rows, count, bits, sure, scratch);
}

static double median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, by_size);
  return x[n / 2];
}

static void one_arm(const char *name, double (*row)[4], int rounds, int poses, bool alone) {
  hik_model *model = build(row);
  hik_analytic *a = NULL;
  hik_error error;
  double setup = 1e9, batch[MOST_ROUNDS], single[MOST_ROUNDS];
  for (int k = 0; k < (alone ? 1 : 3); k++) {
    double start = now();
    hik_analytic_free(a);
    if (hik_analytic_create(model, 0, HIK_TASK_POSE, -1, false, &a, &error))
      fprintf(stderr, "%s\n", error.text), exit(1);
    setup = fmin(setup, now() - start);
  }
  void *scratch = hik_allocate(hik_analytic_scratch_size(a)), *more = hik_allocate(hik_scratch_size(model));
  hik_rng rng = hik_rng_start(1, 1);
  for (int i = 0; i < 6 * poses; i++) q[i] = HIK_PI * (2 * hik_rng_uniform(&rng) - 1);
  hik_frame(model, 0, poses, q, T, more);
  if (alone) {
    measured(a, poses, scratch);
  } else {
    int64_t found = 0;
    for (int r = 0; r < rounds; r++) {
      double start = now();
      measured(a, poses, scratch);
      batch[r] = 1e6 * (now() - start) / poses;
      for (int k = 0; r == 0 && k < poses; k++) found += count[k];
      start = now();
      for (int k = 0; k < poses; k++)
        hik_analytic_solve(a, 1, T + 16 * k, NULL, rows, count, bits, sure, scratch);
      single[r] = 1e6 * (now() - start) / poses;
    }
    double middle = median(batch, rounds), middle_single = median(single, rounds);
    printf("%s %s %.2f %.3f %.3f %.3f %.3f %.2f\n", name, hik_analytic_about(a).method, 1e3 * setup, batch[0],
           middle, single[0], middle_single, (double)found / poses);
  }
  hik_release(scratch);
  hik_release(more);
  hik_analytic_free(a);
  hik_model_free(model);
}

int main(int argc, char **argv) {
  int rounds = argc > 2 ? atoi(argv[2]) : 0, poses = argc > 3 ? atoi(argv[3]) : 0;
  if (rounds < 1 || rounds > MOST_ROUNDS || poses < 1 || poses > MOST) {
    fprintf(stderr, "postures SET ROUNDS POSES [count] < ARMS\n");
    return 2;
  }
  if (!hik_simd_select(argv[1])) {
    printf("-\n");
    return 0;
  }
  char name[64];
  double row[6][4];
  while (scanf("%63s", name) == 1) {
    for (int i = 0; i < 24; i++)
      if (scanf("%lf", &row[i / 4][i % 4]) != 1) return 2;
    one_arm(name, row, rounds, poses, argc > 4);
  }
  return 0;
}
