/* hashes.c: one hash for each solver on each figure, and for kinematics, dynamics and the analytic methods: what must
   come out as the same bytes on every machine. tests/machines/hashes.csv has what is expected of it.

   hashes          every hash, with the instruction set this processor is best at
   hashes SET      with that set (base, avx2, avx512); exit status 4: the processor has none
   hashes SET NAME only those entries whose name begins so

   All inputs are counted draws. Each entry is computed as a batch, as a batch on threads, and one by one: where these are
   not the same bytes the program says so and exits with 1. A hash takes all bytes of q, outcomes, iterations, remedies and
   errors, those of NaN too. */
#include "hash_figures.h"
#include "hash_obstacles.h"
#include "hash_paths.h"

enum { TARGETS = 9, COLUMNS = 64, MOST_TERMS = 4 };

/* ---- problems ---- */

typedef struct wish {
  const char *term;
  int32_t frame, other, level;
  double param[12];
} wish;

static const struct {
  const char *name;
  void (*make)(figure *f);
  int32_t kinds; /* how many of the problems below */
  struct {
    const char *name;
    wish wish[MOST_TERMS];
  } problem[5];
} shapes[] = {
    {"planar9",
     make_planar,
     3,
     {{"position", {{.term = "position"}}},
      {"two_levels", {{.term = "position"}, {.term = "position", .frame = 1, .other = -1, .level = 1}}},
      {"rest", {{.term = "position"}, {.term = "rest"}}}}},
    {"balls10", make_balls, 2, {{"position", {{.term = "position"}}}, {"pose", {{.term = "pose"}}}}},
    {"cones10", make_cones, 1, {{"position", {{.term = "position"}}}}},
    {"ball_tree",
     make_ball_tree,
     1,
     {{"two_hands", {{.term = "position"}, {.term = "position", .frame = 1}}}}},
    {"arm7",
     make_arm,
     5,
     {{"pose", {{.term = "pose"}}},
      {"position_axis", {{.term = "position"}, {.term = "axis", .other = -1, .param = {1, 0, 0}}}},
      {"position_level",
       {{.term = "position"}, {.term = "level", .other = -1, .param = {0, 0, 1, 0, 0, 1, 0.2}}}},
      {"look_distance",
       {{.term = "look_at", .frame = 1, .other = -1, .param = {1, 0, 0}},
        {.term = "distance", .other = -1, .param = {0, 0, 0, 0, 0, 0, 0.3, 0.5}}}},
      {"change", {{.term = "position"}, {.term = "change"}}}}},
    {"body",
     make_body,
     2,
     {{"two_hands", {{.term = "position"}, {.term = "position", .frame = 1}}},
      {"hand_and_pose", {{.term = "pose"}, {.term = "position", .frame = 1, .other = -1, .level = 1}}}}},
    {"gantry", make_gantry, 2, {{"pose", {{.term = "pose"}}}, {"position", {{.term = "position"}}}}},
    {"room",
     make_room,
     2,
     {{"position", {{.term = "position"}}},
      {"loop", {{.term = "orientation"}, {.term = "loop", .other = 1}}}}},
    {"kinds",
     make_kinds,
     2,
     {{"pose", {{.term = "pose"}}},
      {"centre", {{.term = "centre_of_mass", .frame = -1}, {.term = "orientation"}}}}},
    {"puma", make_puma, 2, {{"pose", {{.term = "pose"}}}, {"position", {{.term = "position"}}}}},
    {"ur5", make_ur5, 1, {{"pose", {{.term = "pose"}}}}},
    {"offset_wrist", make_offset_wrist, 1, {{"pose", {{.term = "pose"}}}}},
    {"seven", make_seven, 2, {{"pose", {{.term = "pose"}}}, {"orientation", {{.term = "orientation"}}}}},
};

/* Among obstacles, from which the whole figure keeps away, and from itself. */
static const wish keep_clear = {.term = "obstacles", .frame = -1, .other = -1, .param = {0.01, 0.005}};
static const struct {
  const char *name;
  void (*make)(figure *f);
  const char *problem;
  wish wish[MOST_TERMS - 1];
} crowded[] = {
    {"planar9", make_planar, "position_obstacles", {{.term = "position"}}},
    {"balls10", make_balls, "position_obstacles", {{.term = "position"}}},
    {"arm7", make_arm, "pose_obstacles", {{.term = "pose"}}},
    {"body", make_body, "two_hands_obstacles", {{.term = "position"}, {.term = "position", .frame = 1}}},
};

enum { DRAWN = 6 }; /* figures from draws, each with a position, or a position and an orientation */

static hik_problem *pose_problem(const char *name, const hik_model *m, const wish *wishes, hik_term *terms,
                                 hik_clear *clear, int32_t *count) {
  hik_error error = {0};
  hik_problem *p = NULL;
  static double data[2 * HASH_NQ]; /* a posture and weights, or weights alone */
  const int32_t nq = hik_model_sizes(m).nq, nv = hik_model_sizes(m).nv;
  for (int32_t k = 0; k < nq + nv; k++) data[k] = k < nq ? 0.1 : 0.5 + 0.1 * (k - nq);
  for (*count = 0; *count < MOST_TERMS && wishes[*count].term; (*count)++) {
    const wish *w = &wishes[*count];
    hik_term *t = &terms[*count];
    *t = hik_term_default(hik_find(HIK_TERMS, w->term));
    t->frame = w->frame, t->other = w->other, t->level = w->level, t->weight = 1 + 0.5 * *count;
    if (strcmp(w->term, "rest") == 0) t->data = data, t->n_data = nq + nv, t->weight = 0.1;
    if (strcmp(w->term, "change") == 0) t->data = data + nq, t->n_data = nv, t->weight = 0.1;
    if (strcmp(w->term, "obstacles") == 0) t->clear = clear, t->position_tolerance = 0;
    for (int k = 0; k < 12; k++)
      if (w->param[k] != 0) t->param[k] = w->param[k];
    if (strcmp(w->term, "position") == 0 || strcmp(w->term, "pose") == 0) t->position_tolerance = 1e-5;
  }
  if (hik_problem_create(m, terms, *count, &p, &error)) hash_stop(name, &error);
  return p;
}

/* What target rows a posture meets, in the order of the terms. */
static void target_row(const hik_model *m, const hik_term *terms, int32_t count, const double *q,
                       hik_rng *rng, void *scratch, double *row) {
  const int32_t nq = hik_model_sizes(m).nq;
  for (int32_t k = 0; k < count; k++) {
    const char *name = hik_row(HIK_TERMS, terms[k].kind).name;
    double pose[16] = {0}, r[9], at[4];
    if (terms[k].frame >= 0) hik_frame(m, terms[k].frame, 1, q, pose, scratch);
    for (int i = 0; i < 9; i++) r[i] = pose[4 * (i / 3) + i % 3];
    hik_quat_from_mat(r, at);
    bool whole = strcmp(name, "pose") == 0;
    if (whole || strcmp(name, "position") == 0)
      for (int i = 0; i < 3; i++) *row++ = pose[4 * i + 3];
    if (whole || strcmp(name, "orientation") == 0)
      for (int i = 0; i < 4; i++) *row++ = at[i];
    if (strcmp(name, "axis") == 0)
      for (int i = 0; i < 3; i++) *row++ = pose[4 * i];
    if (strcmp(name, "look_at") == 0 || strcmp(name, "centre_of_mass") == 0)
      for (int i = 0; i < 3; i++) *row++ = draw_in(rng, -0.5, 0.8);
    if (strcmp(name, "change") == 0)
      for (int32_t i = 0; i < nq; i++) *row++ = q[i];
  }
}

/* ---- solving ---- */

typedef struct answers {
  double q[TARGETS * HASH_NQ], error[TARGETS], position[TARGETS], orientation[TARGETS];
  int8_t outcome[TARGETS];
  int32_t iterations[TARGETS], remedies[TARGETS];
} answers;

typedef struct task {
  const hik_model *model;
  const hik_problem *problem;
  int32_t nq, width;
  bool among; /* obstacles */
  double target[TARGETS * COLUMNS], start[TARGETS * HASH_NQ];
} task;

/* Most targets are met by some posture; then some far away, some too near, some that are not numbers. */
static void draw_task(task *t, const hik_term *terms, int32_t count, uint64_t seed) {
  double q[HASH_NQ];
  void *scratch = malloc(hik_scratch_size(t->model));
  hik_rng rng = hik_rng_start(seed, 3);
  t->nq = hik_model_sizes(t->model).nq, t->width = hik_problem_target_width(t->problem);
  hik_view rest;
  if (!scratch || t->width > COLUMNS || hik_model_view(t->model, "rest", &rest)) exit(3);
  for (int32_t i = 0; i < TARGETS; i++) {
    double *row = t->target + i * t->width, *q0 = t->start + i * t->nq;
    memcpy(q, rest.data, (size_t)t->nq * sizeof *q), memcpy(q0, q, (size_t)t->nq * sizeof *q);
    hik_random_q(t->model, seed, 2 * (uint64_t)i, q);
    hik_random_q(t->model, seed, 2 * (uint64_t)i + 1, q0);
    target_row(t->model, terms, count, i == 2 ? q0 : q, &rng, scratch, row);
    if (!t->width) continue;
    if (i == 3) row[0] = NAN;
    if (i == 5) row[0] = 1e300;
    if (i == 7) row[t->width - 1] = -INFINITY;
    if (t->width >= 3 && (i == 4 || i == 8))
      for (int k = 0; k < 3; k++) row[k] *= i == 8 ? 5 : 1.4;
    if (i == 6) row[0] = 5e-324;
  }
  free(scratch);
}

static hik_status solve_rows(const task *t, int32_t solver, const hik_options *o, bool own_start,
                             int32_t from, int32_t n, answers *a, hik_error *error) {
  hik_batch b = {.n = n, .target = t->target + from * t->width, .target_stride = t->width};
  if (own_start) b.q0 = t->start + from * t->nq, b.q0_stride = t->nq;
  b.q = a->q + from * t->nq, b.outcome = a->outcome + from, b.iterations = a->iterations + from;
  b.n_restarts = a->remedies + from, b.error = a->error + from, b.position_error = a->position + from;
  b.orientation_error = a->orientation + from;
  return hik_solve(solver, t->problem, o, &b, error);
}

static void hash_answers(const task *t, const answers *a, int32_t n, hash *h) {
  hash_doubles(h, a->q, n * t->nq), hash_doubles(h, a->error, n);
  hash_doubles(h, a->position, n), hash_doubles(h, a->orientation, n);
  hash_bytes(h, a->outcome, (size_t)n), hash_bytes(h, a->iterations, (size_t)n * sizeof *a->iterations);
  hash_bytes(h, a->remedies, (size_t)n * sizeof *a->remedies);
}

/* How much of a problem a solver does. Those that draw populations take long: few targets, few iterations. */
typedef struct effort {
  int32_t targets, most_iterations, restarts;
  bool own_start, alone, threads;
} effort;

static effort effort_of(const hik_entry *row, int way, bool among) {
  bool draws = false;
  for (int32_t k = 0; k < row->n_param; k++)
    draws |= strcmp(row->option[k].name, "population") == 0 ||
             strcmp(row->option[k].name, "particles") == 0 || strcmp(row->option[k].name, "cooling") == 0;
  effort e = {TARGETS, way == 2 ? 3 : 20, way == 1 ? 1 : 0, way > 0, way == 1, way == 1};
  if (draws) e.targets = 4, e.most_iterations = way == 2 ? 1 : 4;
  if (among && !draws)
    e.targets = 5, e.most_iterations = way == 2 ? 3 : 10; /* each look at obstacles takes long */
  if (among && draws) e.targets = 2, e.most_iterations = way == 2 ? 1 : 2;
  return e;
}

/* One solver, three ways: from the rest; begun anew, from starts of its own; cut short. False: it does not take the
   problem. */
static bool hash_solver(const task *t, int32_t solver, const char *name, hash *all) {
  static answers batch, single;
  hik_entry row = hik_row(HIK_SOLVERS, solver);
  for (int way = 0; way < 3; way++) {
    const effort e = effort_of(&row, way, t->among);
    hik_options o = hik_options_default(solver);
    hik_error error = {0};
    hash one = hash_start(), other = one;
    if (o.max_iter > e.most_iterations) o.max_iter = e.most_iterations;
    o.retries = e.restarts, o.seed = 5 + (uint64_t)way, o.threads = 1;
    hik_status status = solve_rows(t, solver, &o, e.own_start, 0, e.targets, &batch, &error);
    if (status == HIK_UNSUPPORTED) return false;
    if (status) hash_stop(name, &error);
    hash_answers(t, &batch, e.targets, &one);
    for (int32_t i = 0; i < e.targets && e.alone; i++)
      if (solve_rows(t, solver, &o, e.own_start, i, 1, &single, &error)) hash_stop(name, &error);
    if (e.alone) hash_answers(t, &single, e.targets, &other), hash_same(name, "one by one", &one, &other);
    if (e.threads) { /* three threads claim blocks of the batch */
      o.threads = 3, other = hash_start();
      if (solve_rows(t, solver, &o, e.own_start, 0, e.targets, &single, &error)) hash_stop(name, &error);
      hash_answers(t, &single, e.targets, &other), hash_same(name, "threads", &one, &other);
    }
    hash_bytes(all, &one, sizeof one);
  }
  return true;
}

static void solve_all(const char *shape, const char *kind, const hik_model *m, const wish *wishes,
                      hik_clear *clear, uint64_t seed) {
  static task t;
  hik_term terms[MOST_TERMS];
  int32_t count;
  char name[160];
  hik_problem *p = pose_problem(shape, m, wishes, terms, clear, &count);
  t.model = m, t.problem = p, t.among = clear != NULL;
  draw_task(&t, terms, count, seed);
  for (int32_t s = 0; s < hik_count(HIK_SOLVERS); s++) {
    snprintf(name, sizeof name, "solve/%s/%s/%s", hik_row(HIK_SOLVERS, s).name, shape, kind);
    hash all = hash_start();
    if (hash_wanted(name) && hash_solver(&t, s, name, &all)) hash_show(name, &all);
  }
  snprintf(name, sizeof name, "judge/%s/%s", shape, kind);
  if (hash_wanted(name)) hash_judge(name, m, p, TARGETS, t.target, t.start);
  hik_problem_free(p);
}

static void run_figure(const char *name, figure *f, bool bodies) {
  char entry[160];
  if (bodies) add_bodies(f, 9);
  hik_model *m = freeze(name, f);
  snprintf(entry, sizeof entry, "kinematics/%s", name);
  if (hash_wanted(entry)) hash_kinematics(entry, m);
  snprintf(entry, sizeof entry, "dynamics/%s", name);
  if (bodies && hash_wanted(entry)) hash_dynamics(entry, m);
  hik_model_free(m);
}

static void run_crowded(int s, figure *f) {
  wish wishes[MOST_TERMS] = {{0}};
  int32_t count = 0;
  memset(f, 0, sizeof *f);
  crowded[s].make(f);
  int32_t first = f->frames;
  add_joint_frames(f);
  hik_model *m = freeze(crowded[s].name, f);
  among a = stand_among(crowded[s].name, m, f, first);
  for (; count < MOST_TERMS - 1 && crowded[s].wish[count].term; count++)
    wishes[count] = crowded[s].wish[count];
  wishes[count] = keep_clear;
  solve_all(crowded[s].name, crowded[s].problem, m, wishes, a.clear, 300 + (uint64_t)s);
  stand_free(&a), hik_model_free(m);
}

int main(int argc, char **argv) {
  static figure f;
  char name[32];
  if (argc > 1 && !hik_simd_select(argv[1])) return 4;
  hash_only = argc > 2 ? argv[2] : "";
  for (int s = 0; s < HIK_COUNT_OF(shapes); s++) {
    memset(&f, 0, sizeof f);
    shapes[s].make(&f);
    run_figure(shapes[s].name, &f, true);
    hik_model *m = freeze(shapes[s].name, &f);
    for (int k = 0; k < shapes[s].kinds; k++)
      solve_all(shapes[s].name, shapes[s].problem[k].name, m, shapes[s].problem[k].wish, NULL,
                100 + 10 * (uint64_t)s + (uint64_t)k);
    hik_model_free(m);
  }
  for (int s = 0; s < HIK_COUNT_OF(crowded); s++) run_crowded(s, &f);
  for (int s = 0; s < DRAWN; s++) {
    static const wish one[MOST_TERMS] = {{.term = "position"}},
                      two[MOST_TERMS] = {{.term = "pose"}, {.term = "position", .frame = 1}};
    memset(&f, 0, sizeof f);
    make_drawn(&f, (uint64_t)s);
    snprintf(name, sizeof name, "drawn%d", s);
    run_figure(name, &f, true);
    hik_model *m = freeze(name, &f);
    solve_all(name, s % 2 ? "pose_position" : "position", m, s % 2 ? two : one, NULL, 500 + (uint64_t)s);
    hik_model_free(m);
  }
  hash_analytics();
  return hash_faults != 0;
}
