/* entry_points.c: the hottest calls of the core, one at a time, for a counter of instructions.

   entry_points          lists them; entry_points compiler: what this program was compiled by
   entry_points NAME N   prepares, then runs `measured` once: N problems on an arm of seven turns with limits (or, for
   fabrik, chains of ten free balls). benchmarks/instructions.py builds it and runs it under callgrind. The kernels are
   those of AVX2 wherever it runs, so that counts of two machines compare; exit status 4: the processor has none. With
   -DHIK_TWICE all is done twice: a growth that the check must find. */
#include <stdio.h>
#include <stdlib.h>

#include "base/quat.h"
#include "base/rng.h"
#include "model/model.h"

enum { JOINTS = 7, LINKS = 10 };

typedef struct work {
  hik_model *model;
  hik_problem *problem;
  int32_t solver;
  int64_t n;
  double *q, *target, *out, *more;
  int8_t *outcome;
  void *scratch;
} work;

static hik_error error;

static void stop(void) {
  fprintf(stderr, "%s\n", error.text);
  exit(1);
}

/* An arm with an offset elbow and a wrist with an offset, modified Denavit-Hartenberg: a, alpha, d. */
static void make_arm(work *w, const char *term_name) {
  static const double row[JOINTS][3] = {{0, 0, 0.333},        {0, -1, 0}, {0, 1, 0.316}, {0.0825, 1, 0},
                                        {-0.0825, -1, 0.384}, {0, 1, 0},  {0.088, 1, 0}};
  static double low[] = {-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973};
  static double high[] = {2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973};
  int32_t parent[JOINTS], kind[JOINTS], last = JOINTS - 1;
  double axis[JOINTS][3] = {{0}}, place[JOINTS][12], tool[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.107};
  for (int k = 0; k < JOINTS; k++) {
    double s = row[k][1], c = s == 0, d = row[k][2];
    const double at[12] = {1, 0, 0, 0, c, -s, 0, s, c, row[k][0], -s * d, c * d};
    memcpy(place[k], at, sizeof at);
    parent[k] = k - 1, kind[k] = hik_find(HIK_JOINTS, "revolute"), axis[k][2] = 1;
  }
  hik_model_def def = hik_model_def_default();
  def.n_joint = JOINTS, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = &axis[0][0];
  def.placement = &place[0][0], def.lower = low, def.upper = high, def.frame_joint = &last;
  def.frame_placement = tool;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, term_name));
  term.frame = 0;
  term.position_tolerance = term.orientation_tolerance = 1e-5;
  if (hik_model_create(&def, &w->model, &error) ||
      hik_problem_create(w->model, &term, 1, &w->problem, &error))
    stop();
}

static void make_chain(work *w) {
  int32_t parent[LINKS], kind[LINKS], last = LINKS - 1;
  double place[LINKS][12], tool[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0, 0};
  for (int k = 0; k < LINKS; k++) {
    memcpy(place[k], tool, sizeof tool);
    if (k == 0) place[k][9] = 0;
    parent[k] = k - 1, kind[k] = hik_find(HIK_JOINTS, "ball");
  }
  hik_model_def def = hik_model_def_default();
  def.n_joint = LINKS, def.n_frame = 1, def.parent = parent, def.kind = kind, def.placement = &place[0][0];
  def.frame_joint = &last, def.frame_placement = tool;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "position"));
  term.frame = 0;
  if (hik_model_create(&def, &w->model, &error) ||
      hik_problem_create(w->model, &term, 1, &w->problem, &error))
    stop();
}

static void draw(work *w) {
  const int32_t nq = hik_model_sizes(w->model).nq, width = hik_problem_target_width(w->problem);
  for (int64_t i = 0; i < w->n; i++) {
    double pose[16], r[9], *to = w->target + i * width;
    hik_random_q(w->model, 1, (uint64_t)i, w->q + i * nq);
    hik_frame(w->model, 0, 1, w->q + i * nq, pose, w->scratch);
    for (int k = 0; k < 3; k++) {
      to[k] = pose[4 * k + 3];
      for (int c = 0; c < 3; c++) r[3 * k + c] = pose[4 * k + c];
    }
    if (width == 7) hik_quat_from_mat(r, to + 3);
  }
}

static void solve(work *w, int64_t first, int64_t n) {
  const int32_t nq = hik_model_sizes(w->model).nq, width = hik_problem_target_width(w->problem);
  hik_options o = hik_options_default(w->solver);
  hik_batch b = {.n = n,
                 .target = w->target + first * width,
                 .target_stride = width,
                 .q = w->out + first * nq,
                 .outcome = w->outcome + first};
  if (hik_solve(w->solver, w->problem, &o, &b, &error)) stop();
}

static void one_by_one(work *w) {
  for (int64_t i = 0; i < w->n; i++) solve(w, i, 1);
}
static void all(work *w) { solve(w, 0, w->n); }
static void frame(work *w) { hik_frame(w->model, 0, w->n, w->q, w->more, w->scratch); }
static void jacobian(work *w) { hik_jacobian(w->model, 0, w->n, w->q, w->more, false, w->scratch); }
static void judge(work *w) {
  hik_judge(w->problem, w->n, w->target, w->q, w->more, NULL, NULL, NULL, w->scratch);
}

static const struct {
  const char *name, *term, *solver;
  void (*run)(work *w);
} entry[] = {
    {"pose_one", "pose", "auto", one_by_one},
    {"pose_batch", "pose", "auto", all},
    {"position_one", "position", "auto", one_by_one},
    {"position_batch", "position", "auto", all},
    {"lm_one", "pose", "lm", one_by_one},
    {"ccd_batch", "position", "ccd", all},
    {"fabrik_batch", NULL, "fabrik", all},
    {"fabrik_tree", "position", "fabrik_fast", all},
    {"frame_batch", "pose", "auto", frame},
    {"jacobian_batch", "pose", "auto", jacobian},
    {"judge_batch", "pose", "auto", judge},
};

static volatile int runs;

/* What is counted: a call that stays one. */
__attribute__((noinline)) void measured(void (*volatile *run)(work *w), work *w) {
  (*run)(w);
#ifdef HIK_TWICE
  (*run)(w);
#endif
  runs++;
}

static void print_compiler(void) {
#ifdef __clang__
  printf("clang %d\n", __clang_major__);
#else
  printf("gcc %d\n", __GNUC__);
#endif
}

int main(int argc, char **argv) {
  int k = 0, most = HIK_COUNT_OF(entry);
  if (argc == 1)
    for (int i = 0; i < most; i++) puts(entry[i].name);
  if (argc == 2) print_compiler();
  if (argc != 3) return 0;
  while (k < most && strcmp(argv[1], entry[k].name) != 0) k++;
  if (k == most) return 2;
  if (!hik_simd_select("avx2")) return 4;
  work w = {.n = atoi(argv[2]), .solver = hik_find(HIK_SOLVERS, entry[k].solver)};
  if (entry[k].term)
    make_arm(&w, entry[k].term);
  else
    make_chain(&w);
  size_t n = (size_t)w.n, wide = 8 * sizeof(double);
  w.scratch = malloc(hik_scratch_size(w.model));
  w.q = malloc(n * LINKS * wide), w.target = malloc(n * wide), w.out = malloc(n * LINKS * wide);
  w.more = malloc(n * 6 * wide), w.outcome = malloc(n);
  if (!w.scratch || !w.q || !w.target || !w.out || !w.more || !w.outcome) return 3;
  draw(&w);
  if (entry[k].run == one_by_one || entry[k].run == all)
    solve(&w, 0, 2); /* what is prepared once is not counted */
  void (*volatile run)(work *) = entry[k].run;
  measured(&run, &w);
  return 0;
}
