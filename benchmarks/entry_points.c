/* entry_points.c: the hottest calls of the core, one at a time, for a counter of instructions.

   entry_points          lists them; entry_points compiler: what this program was compiled by
   entry_points NAME N   prepares, then runs `measured` once: N problems on an arm of seven turns with limits (for closed,
   of six with a spherical wrist; for fabrik, chains of ten free balls; for tree, two arms with cones on a spine and a
   goal for each hand; for cup, the same with a cup held level in one hand and the other at a distance from it; for crowd, the
   distance of the arm's hand to 64 balls in one place, all of which are near, for room, to 200 in a room). benchmarks/instructions.py builds it and runs it under callgrind. The kernels are those of AVX2
   wherever it runs, so that counts of two machines compare; exit status 4: the processor has none. With -DHIK_TWICE all
   is done twice: a growth that the check must find. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/quat.h"
#include "base/rng.h"
#include "model/model.h"
#include "scene/scene.h"

enum { JOINTS = 7, LINKS = 10, BODY = 10, HANDS = 2 };

typedef struct work {
  hik_model *model;
  hik_problem *problem,
      *held; /* held: what random postures are to meet before goals are drawn; NULL: nothing */
  hik_plan *plan;
  int32_t solver;
  int64_t n;
  int32_t goals;
  double *q, *target, *out, *more;
  int8_t *outcome;
  void *scratch;
  hik_check *check;
} work;

static hik_error error;

static void stop(void) {
  fprintf(stderr, "%s\n", error.text);
  exit(1);
}

/* Turns by modified Denavit-Hartenberg rows a, alpha (in quarters), d, and their limits. */
static void make_turns(work *w, const char *term_name, int32_t joints, const double (*row)[3],
                       const double *low, const double *high) {
  int32_t parent[JOINTS], kind[JOINTS], last = joints - 1;
  double axis[JOINTS][3] = {{0}}, place[JOINTS][12], tool[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.107};
  for (int k = 0; k < joints; k++) {
    double s = row[k][1], c = s == 0, d = row[k][2];
    const double at[12] = {1, 0, 0, 0, c, -s, 0, s, c, row[k][0], -s * d, c * d};
    memcpy(place[k], at, sizeof at);
    parent[k] = k - 1, kind[k] = hik_find(HIK_JOINTS, "revolute"), axis[k][2] = 1;
  }
  hik_model_def def = hik_model_def_default();
  def.n_joint = joints, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = &axis[0][0];
  def.placement = &place[0][0], def.lower = low, def.upper = high, def.frame_joint = &last;
  def.frame_placement = tool;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, term_name));
  term.frame = 0;
  w->goals = 1;
  term.position_tolerance = term.orientation_tolerance = 1e-5;
  if (hik_model_create(&def, &w->model, &error) ||
      hik_problem_create(w->model, &term, 1, &w->problem, &error))
    stop();
}

/* An arm with an offset elbow and a wrist with an offset. */
static void make_arm(work *w, const char *term_name) {
  static const double row[JOINTS][3] = {{0, 0, 0.333},        {0, -1, 0}, {0, 1, 0.316}, {0.0825, 1, 0},
                                        {-0.0825, -1, 0.384}, {0, 1, 0},  {0.088, 1, 0}};
  static const double low[] = {-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973};
  static const double high[] = {2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973};
  make_turns(w, term_name, JOINTS, row, low, high);
}

/* A Puma 560, whose last three axes meet. */
static void make_puma(work *w, const char *term_name) {
  static const double row[6][3] = {{0, 0, 0.672},      {0, -1, 0}, {0.432, 0, 0.150},
                                   {0.020, -1, 0.432}, {0, 1, 0},  {0, -1, 0}};
  static const double low[] = {-2.9, -2.9, -2.9, -2.9, -2.9, -2.9}, high[] = {2.9, 2.9, 2.9, 2.9, 2.9, 2.9};
  make_turns(w, term_name, 6, row, low, high);
}

static void make_chain(work *w, const char *term_name) {
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
  hik_term term = hik_term_default(hik_find(HIK_TERMS, term_name));
  term.frame = 0;
  w->goals = 1;
  if (hik_model_create(&def, &w->model, &error) ||
      hik_problem_create(w->model, &term, 1, &w->problem, &error))
    stop();
}

/* Two balls of a spine in cones; on them two arms: a shoulder in a cone, an elbow, a turn of the forearm, a wrist. */
static void make_figure(work *w) {
  static const int32_t parent[BODY] = {-1, 0, 1, 2, 3, 4, 1, 6, 7, 8},
                       along[BODY] = {2, 2, 0, 2, 0, 1, 0, 2, 0, 1};
  static const int32_t across[BODY] = {0, 0, 2, 0, 2, 2, 2, 0, 2, 2}, hand[HANDS] = {5, 9};
  static const double at[BODY][3] = {{0, 0, 0.2},  {0, 0, 0.2},    {0, 0.2, 0.2}, {0.3, 0, 0}, {0, 0, 0},
                                     {0.25, 0, 0}, {0, -0.2, 0.2}, {0.3, 0, 0},   {0, 0, 0},   {0.25, 0, 0}};
  static const double range[BODY][2] = {{0},     {0}, {0},      {0, 2.5},    {-1.2, 1.2},
                                        {-1, 1}, {0}, {0, 2.5}, {-1.2, 1.2}, {-1, 1}};
  static const double spine[6] = {0.4, 0.3, 0.2, 0.3, -0.5, 0.5}, shoulder[6] = {1.9, 1.7, 0.7, 1, -1, 1};
  double axis[BODY][3] = {{0}}, axis2[BODY][3] = {{0}}, place[BODY][12], swing[BODY][6], low[4 * BODY],
         high[4 * BODY], tool[HANDS][12];
  int32_t kind[BODY], nq = 0;
  for (int k = 0; k < BODY; k++) {
    const double here[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, at[k][0], at[k][1], at[k][2]};
    bool ball = range[k][1] == 0;
    memcpy(place[k], here, sizeof here);
    memcpy(swing[k], k < 2 ? spine : shoulder, sizeof spine);
    if (!ball) swing[k][0] = NAN;
    kind[k] = hik_find(HIK_JOINTS, ball ? "ball" : "revolute");
    axis[k][along[k]] = axis2[k][across[k]] = 1;
    for (int c = 0; c < (ball ? 4 : 1); c++, nq++)
      low[nq] = ball ? -INFINITY : range[k][0], high[nq] = ball ? INFINITY : range[k][1];
  }
  for (int k = 0; k < HANDS; k++) memcpy(tool[k], place[4], sizeof place[4]), tool[k][9] = 0.1;
  hik_model_def def = hik_model_def_default();
  def.n_joint = BODY, def.n_frame = HANDS, def.parent = parent, def.kind = kind, def.axis = axis[0];
  def.axis2 = axis2[0], def.placement = place[0], def.lower = low, def.upper = high, def.swing = swing[0];
  def.frame_joint = hand, def.frame_placement = tool[0];
  if (hik_model_create(&def, &w->model, &error)) stop();
}

static hik_term hand_term(const char *name, int32_t frame) {
  hik_term term = hik_term_default(hik_find(HIK_TERMS, name));
  term.frame = frame, term.position_tolerance = term.orientation_tolerance = 1e-5;
  return term;
}

static void make_body(work *w, const char *term_name) {
  hik_term term[HANDS];
  make_figure(w);
  for (int32_t k = 0; k < HANDS; k++) term[k] = hand_term(term_name, k);
  w->goals = HANDS;
  if (hik_problem_create(w->model, term, HANDS, &w->problem, &error)) stop();
}

/* The first hand somewhere and level, the other 0.3 to 0.4 m from it. */
static void make_cup(work *w, const char *term_name) {
  hik_term term[] = {hand_term("level", 0), hand_term("distance", 1), hand_term(term_name, 0)};
  make_figure(w);
  term[1].other = 0, term[1].param[6] = 0.3, term[1].param[7] = 0.4;
  w->goals = 1;
  if (hik_problem_create(w->model, term, 2, &w->held, &error) ||
      hik_problem_create(w->model, term, 3, &w->problem, &error))
    stop();
}

/* The arm with a capsule at its hand, among balls drawn in a cube. */
static void make_hand(work *w, int32_t balls, double edge, double radius) {
  static const double ends[6] = {0, 0, -0.1, 0, 0, 0.1}, thick = 0.05;
  static const int32_t hand = 0;
  static hik_shape shape[200];
  hik_rng rng = hik_rng_start(1, 0);
  for (int32_t k = 0; k < balls; k++) {
    hik_shape ball = {.kind = HIK_SHAPE_SPHERE, .pose = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {radius}};
    for (int c = 0; c < 3; c++) ball.pose[9 + c] = edge * (hik_rng_uniform(&rng) - 0.5);
    ball.pose[11] += 0.4;
    shape[k] = ball;
  }
  make_arm(w, "position");
  hik_figure_def def = {.model = w->model, .n_capsule = 1, .frame = &hand, .ends = ends, .radius = &thick};
  hik_figure *figure;
  hik_world *world;
  if (hik_figure_create(&def, &figure, &error) || hik_world_create(shape, balls, &world, &error)) stop();
  void *memory = hik_allocate(hik_check_size(figure, world));
  if (!memory) exit(3);
  w->check = hik_check_begin(memory, figure, world);
}

static void make_crowd(work *w, const char *term_name) {
  (void)term_name;
  make_hand(w, 64, 0.1, 0.1);
}

static void make_room(work *w, const char *term_name) {
  (void)term_name;
  make_hand(w, 200, 2, 0.05);
}

static void draw_goal(work *w, int32_t frame, const double *q, bool whole, double *to) {
  double pose[16], r[9];
  hik_frame(w->model, frame, 1, q, pose, w->scratch);
  for (int k = 0; k < 3; k++) {
    to[k] = pose[4 * k + 3];
    for (int c = 0; c < 3; c++) r[3 * k + c] = pose[4 * k + c];
  }
  if (whole) hik_quat_from_mat(r, to + 3);
}

/* The postures brought to where they meet what is held. */
static void hold(work *w) {
  const int32_t nq = hik_model_sizes(w->model).nq;
  hik_batch b = {
      .n = w->n, .target = w->target, .q0 = w->q, .q0_stride = nq, .q = w->out, .outcome = w->outcome};
  hik_options o = hik_options_default(hik_find(HIK_SOLVERS, "auto"));
  if (hik_solve(hik_find(HIK_SOLVERS, "auto"), w->held, &o, &b, &error)) stop();
  memcpy(w->q, w->out, (size_t)w->n * (size_t)nq * sizeof *w->q);
}

static void draw(work *w) {
  const int32_t nq = hik_model_sizes(w->model).nq, width = hik_problem_target_width(w->problem);
  for (int64_t i = 0; i < w->n; i++) hik_random_q(w->model, 1, (uint64_t)i, w->q + i * nq);
  if (w->held) hold(w);
  for (int64_t i = 0; i < w->n; i++) {
    for (int32_t g = 0; g < w->goals; g++)
      draw_goal(w, g, w->q + i * nq, width == 7, w->target + i * width + 3 * g);
  }
}

/* Published methods make one attempt of 300 iterations: how long some hard targets take says nothing of the cost of an
   iteration. */
static hik_options options_of(int32_t solver) {
  hik_options o = hik_options_default(solver);
  hik_entry row = hik_row(HIK_SOLVERS, solver);
  for (int32_t k = 0; k < row.n_param && !row.own; k++)
    if (strcmp(row.option[k].name, "max_restarts") == 0) o.param[k] = 0, o.max_iter = 300;
  return o;
}

static void solve(work *w, int64_t first, int64_t n) {
  const int32_t nq = hik_model_sizes(w->model).nq, width = hik_problem_target_width(w->problem);
  hik_batch b = {.n = n,
                 .target = w->target + first * width,
                 .target_stride = width,
                 .q = w->out + first * nq,
                 .outcome = w->outcome + first};
  if (hik_plan_solve(w->plan, &b, &error)) stop();
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

static void distance(work *w) {
  const int32_t nq = hik_model_sizes(w->model).nq;
  double out[HIK_GROUP];
  for (int64_t i = 0; i < w->n; i += HIK_GROUP) {
    int64_t left = w->n - i;
    hik_check_place(w->check, w->q + i * nq, (int32_t)(left < HIK_GROUP ? left : HIK_GROUP));
    hik_check_distance(w->check, 10, out);
  }
}

static const struct {
  const char *name;
  void (*make)(work *w, const char *term_name);
  const char *term, *solver;
  void (*run)(work *w);
} entry[] = {
    {"pose_one", make_arm, "pose", "auto", one_by_one},
    {"pose_batch", make_arm, "pose", "auto", all},
    {"closed_one", make_puma, "pose", "auto", one_by_one},
    {"closed_batch", make_puma, "pose", "auto", all},
    {"position_one", make_arm, "position", "auto", one_by_one},
    {"position_batch", make_arm, "position", "auto", all},
    {"lm_one", make_arm, "pose", "lm", one_by_one},
    {"tree_one", make_body, "position", "auto", one_by_one},
    {"tree_batch", make_body, "position", "auto", all},
    {"cup_one", make_cup, "position", "auto", one_by_one},
    {"cup_batch", make_cup, "position", "auto", all},
    {"ccd_batch", make_arm, "position", "ccd", all},
    {"fabrik_batch", make_chain, "position", "fabrik", all},
    {"fabrik_tree", make_arm, "position", "fabrik_fast", all},
    {"frame_batch", make_arm, "pose", "auto", frame},
    {"jacobian_batch", make_arm, "pose", "auto", jacobian},
    {"judge_batch", make_arm, "pose", "auto", judge},
    {"crowd_batch", make_crowd, "position", "auto", distance},
    {"room_batch", make_room, "position", "auto", distance},
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
  entry[k].make(&w, entry[k].term);
  size_t n = (size_t)w.n, wide = 8 * sizeof(double);
  w.scratch = malloc(hik_scratch_size(w.model));
  w.q = malloc(n * LINKS * wide), w.target = malloc(n * wide), w.out = malloc(n * LINKS * wide);
  w.more = malloc(n * 6 * wide), w.outcome = malloc(n);
  if (!w.scratch || !w.q || !w.target || !w.out || !w.more || !w.outcome) return 3;
  draw(&w);
  hik_options options = options_of(w.solver);
  if (hik_plan_create(w.solver, w.problem, &options, NULL, &w.plan, &error)) stop();
  void (*volatile run)(work *) = entry[k].run;
  measured(&run, &w);
  return 0;
}
