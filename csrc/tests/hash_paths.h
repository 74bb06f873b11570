/* hash_paths.h: hashes of everything but solvers, and the hash itself, for hashes.c. */
#pragma once
#include "analytic/analytic.h"
#include "analytic/stewart.h"
#include "analytic/subproblem.h"
#include "hash_figures.h"

/* ---- the hash: FNV-1a over bytes in the order of a little-endian machine, 64 bits ---- */

typedef struct hash {
  uint64_t state;
} hash;

static const char *hash_only = "";
static int hash_faults;

static inline hash hash_start(void) { return (hash){0xcbf29ce484222325u}; }

static inline void hash_bytes(hash *h, const void *bytes, size_t n) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < n; i++) h->state = (h->state ^ b[i]) * 0x100000001b3u;
}

static inline void hash_doubles(hash *h, const double *x, int64_t n) {
  hash_bytes(h, x, (size_t)n * sizeof *x);
}

static inline bool hash_wanted(const char *name) {
  size_t n = strlen(hash_only), m = strlen(name);
  return strncmp(name, hash_only, n < m ? n : m) == 0;
}

static inline void hash_show(const char *name, const hash *h) {
  printf("%s,%016llx\n", name, (unsigned long long)h->state);
}

static inline void hash_same(const char *name, const char *other_way, const hash *a, const hash *b) {
  if (a->state == b->state) return;
  printf("%s: a batch has other bytes than %s\n", name, other_way);
  hash_faults++;
}

/* ---- kinematics and dynamics ---- */

enum { ROWS = 19, NUMBERS = 40000 };

static double numbers[8][NUMBERS];

static inline void draw_rows(const hik_model *m, uint64_t seed, double *q, double *v) {
  hik_sizes size = hik_model_sizes(m);
  hik_view rest;
  hik_rng rng = hik_rng_start(seed, 11);
  if (hik_model_view(m, "rest", &rest)) exit(3);
  for (int32_t i = 0; i < ROWS; i++) {
    memcpy(q + i * size.nq, rest.data, (size_t)size.nq * sizeof *q);
    hik_random_q(m, seed, (uint64_t)i, q + i * size.nq);
  }
  for (int32_t i = 0; i < ROWS * size.nv; i++) v[i] = draw_in(&rng, -1.5, 1.5);
}

/* All of kinematics on rows [from, from + n) of the draws, into numbers[3..7] at their rows. */
static inline void run_kinematics(const hik_model *m, int32_t from, int32_t n, void *scratch) {
  hik_sizes z = hik_model_sizes(m);
  const double *q = numbers[0] + from * z.nq, *v = numbers[1] + from * z.nv, *far = numbers[2] + from * z.nq;
  double *moved = numbers[3] + from * z.nq, *back = numbers[3] + NUMBERS / 2 + from * z.nv;
  hik_integrate(m, n, q, v, moved);
  hik_difference(m, n, q, moved, back);
  double *inside = numbers[4] + from * z.nq;
  memcpy(inside, far, (size_t)(n * z.nq) * sizeof *inside);
  hik_clamp(m, n, inside);
  hik_frames(m, n, moved, numbers[5] + from * z.n_frame * 16, false, scratch);
  hik_frame(m, z.n_frame - 1, n, moved, numbers[6] + from * 16, scratch);
  hik_jacobian(m, 0, n, moved, numbers[7] + from * 6 * z.nv, false, scratch);
}

static inline void take_kinematics(const hik_model *m, hash *h) {
  hik_sizes z = hik_model_sizes(m);
  hash_doubles(h, numbers[3], ROWS * z.nq), hash_doubles(h, numbers[3] + NUMBERS / 2, ROWS * z.nv);
  hash_doubles(h, numbers[4], ROWS * z.nq), hash_doubles(h, numbers[5], ROWS * z.n_frame * 16);
  hash_doubles(h, numbers[6], ROWS * 16), hash_doubles(h, numbers[7], ROWS * 6 * z.nv);
}

static inline void hash_kinematics(const char *name, const hik_model *m) {
  hik_sizes z = hik_model_sizes(m);
  hash batch = hash_start(), single = batch;
  void *scratch = malloc(hik_scratch_size(m));
  if (!scratch) exit(3);
  draw_rows(m, 21, numbers[0], numbers[1]);
  for (int32_t i = 0; i < ROWS * z.nq; i++) numbers[2][i] = 3 * numbers[0][i] - 0.5;
  run_kinematics(m, 0, ROWS, scratch), take_kinematics(m, &batch);
  for (int32_t i = 0; i < ROWS; i++) run_kinematics(m, i, 1, scratch);
  take_kinematics(m, &single);
  hash_same(name, "one by one", &batch, &single), hash_show(name, &batch);
  free(scratch);
}

/* Residuals, their derivative, and what the judge says of starts. */
static inline void hash_judge(const char *name, const hik_model *m, const hik_problem *p, int32_t n,
                              const double *target, const double *q) {
  hik_sizes z = hik_model_sizes(m);
  int32_t rows = hik_problem_residual_width(p), terms = hik_problem_term_count(p);
  void *scratch = malloc(hik_scratch_size(m));
  bool met[64] = {0}, term_met[256] = {0};
  hash h = hash_start();
  if (!scratch || n * rows * z.nv > NUMBERS || n > 64 || n * terms > 256) exit(3);
  hik_residual(p, n, target, q, numbers[0], scratch), hash_doubles(&h, numbers[0], n * rows);
  hik_residual_jacobian(p, n, target, q, numbers[0], scratch), hash_doubles(&h, numbers[0], n * rows * z.nv);
  hik_judge(p, n, target, q, numbers[0], numbers[1], numbers[2], met, scratch);
  for (int k = 0; k < 3; k++) hash_doubles(&h, numbers[k], n);
  hik_measure_terms(p, n, target, q, numbers[0], numbers[1], term_met, scratch);
  for (int k = 0; k < 2; k++) hash_doubles(&h, numbers[k], n * terms);
  hik_floor_terms(p, n, target, numbers[0]), hash_doubles(&h, numbers[0], n * terms);
  for (int32_t i = 0; i < n; i++) hash_bytes(&h, met[i] ? "y" : "n", 1);
  for (int32_t i = 0; i < n * terms; i++) hash_bytes(&h, term_met[i] ? "y" : "n", 1);
  hash_show(name, &h);
  free(scratch);
}

enum { STATE = NUMBERS / 2 };

static inline void run_dynamics(const hik_model *m, const hik_loads *loads, int32_t from, int32_t n,
                                void *scratch) {
  hik_sizes z = hik_model_sizes(m);
  hik_loads own = *loads;
  const double *q = numbers[0] + from * z.nq, *v = numbers[1] + from * z.nv, *a = numbers[2] + from * z.nv;
  if (own.wrench_stride) own.wrench += from * own.wrench_stride;
  hik_inverse_dynamics(m, &own, n, q, v, a, numbers[3] + from * z.nv, scratch);
  hik_mass_matrix(m, &own, n, q, numbers[4] + from * z.nv * z.nv, scratch);
  hik_forward_dynamics(m, &own, n, q, v, a, numbers[5] + from * z.nv, scratch);
  hik_mass_state(m, &own, n, q, v, numbers[6] + from * 3, numbers[6] + STATE + from * 3 * z.nv,
                 numbers[7] + from * 6, numbers[7] + STATE + from, numbers[7] + STATE + ROWS + from, scratch);
}

static inline void take_dynamics(const hik_model *m, hash *h) {
  int32_t nv = hik_model_sizes(m).nv;
  hash_doubles(h, numbers[3], ROWS * nv), hash_doubles(h, numbers[4], ROWS * nv * nv);
  hash_doubles(h, numbers[5], ROWS * nv), hash_doubles(h, numbers[6], ROWS * 3);
  hash_doubles(h, numbers[6] + STATE, ROWS * 3 * nv), hash_doubles(h, numbers[7], ROWS * 6);
  hash_doubles(h, numbers[7] + STATE, 2 * ROWS);
}

static inline void hash_dynamics(const char *name, const hik_model *m) {
  static const double payload[10] = {0.7, 0.07, 0, 0.035, 0.01, 0, 0, 0.02, 0, 0.02};
  static const int32_t frame[1] = {0};
  double wrench[ROWS][6];
  hash all = hash_start();
  hik_error error = {0};
  draw_rows(m, 22, numbers[0], numbers[1]), draw_rows(m, 23, numbers[3], numbers[2]);
  hik_rng rng = hik_rng_start(24, 1);
  for (int i = 0; i < ROWS * 6; i++) wrench[i / 6][i % 6] = draw_in(&rng, -5, 5);
  for (int loaded = 0; loaded < 2; loaded++) {
    hik_loads loads = hik_loads_default();
    if (loaded) {
      loads.n_wrench = loads.n_payload = 1, loads.wrench_frame = loads.payload_frame = frame;
      loads.wrench = wrench[0], loads.wrench_stride = 6, loads.payload = payload, loads.coulomb_width = 0.01;
    }
    if (hik_loads_check(m, &loads, ROWS, &error)) hash_stop(name, &error);
    void *scratch = malloc(hik_dynamics_scratch_size(m, &loads));
    hash batch = hash_start(), single = batch;
    if (!scratch) exit(3);
    run_dynamics(m, &loads, 0, ROWS, scratch), take_dynamics(m, &batch);
    for (int32_t i = 0; i < ROWS; i++) run_dynamics(m, &loads, i, 1, scratch);
    take_dynamics(m, &single);
    hash_same(name, "one by one", &batch, &single), hash_bytes(&all, &batch, sizeof batch);
    free(scratch);
  }
  hash_show(name, &all);
}

/* ---- analytic methods ---- */

enum { POSES = 12 };

typedef struct postures {
  double q[POSES * HIK_ANALYTIC_MOST * 8];
  int32_t count[POSES];
  uint8_t free[POSES * HIK_ANALYTIC_MOST];
  bool sure[POSES];
} postures;

static inline void take_postures(const postures *found, int32_t nq, int32_t n, hash *h) {
  hash_doubles(h, found->q, (int64_t)n * HIK_ANALYTIC_MOST * nq);
  hash_bytes(h, found->count, (size_t)n * sizeof *found->count);
  for (int32_t i = 0; i < n; i++) {
    hash_bytes(h, found->sure[i] ? "y" : "n", 1);
    hash_bytes(h, found->free + i * HIK_ANALYTIC_MOST, (size_t)found->count[i]);
  }
}

static inline void hash_postures(const char *name, const hik_model *m, int32_t task, bool thorough,
                                 int32_t n) {
  static postures batch, single;
  hik_analytic *a = NULL;
  hik_error error = {0};
  int32_t nq = hik_model_sizes(m).nq;
  double T[POSES][16], q[8], locked[POSES], closest[8], scale, cost;
  hash h = hash_start(), alone = h;
  if (hik_analytic_create(m, 0, task, -1, thorough, &a, &error)) {
    hash_bytes(&h, error.text, strlen(error.text)), hash_show(name, &h);
    return;
  }
  hik_analytic_info about = hik_analytic_about(a);
  void *scratch = malloc(hik_analytic_scratch_size(a)), *own = malloc(hik_scratch_size(m));
  if (!scratch || !own) exit(3);
  for (int32_t i = 0; i < n; i++) {
    memset(q, 0, sizeof q);
    if (i != 3) hik_random_q(m, 31, (uint64_t)i, q); /* the fourth: all at zero, where arms are singular */
    hik_frame(m, 0, 1, q, T[i], own);
    locked[i] = about.locked >= 0 ? q[about.locked] : 0;
    if (i == 5) T[i][3] += 9;
    if (i == 6) T[i][0] = NAN;
  }
  const double *lock = about.locked >= 0 ? locked : NULL;
  hash_bytes(&h, about.method, strlen(about.method)), alone = h;
  hik_analytic_solve(a, n, T[0], lock, batch.q, batch.count, batch.free, batch.sure, scratch);
  for (int32_t i = 0; i < n; i++)
    hik_analytic_solve(a, 1, T[i], lock ? lock + i : NULL, single.q + i * HIK_ANALYTIC_MOST * nq,
                       single.count + i, single.free + i * HIK_ANALYTIC_MOST, single.sure + i, scratch);
  take_postures(&batch, nq, n, &h), take_postures(&single, nq, n, &alone);
  hash_same(name, "one by one", &h, &alone);
  if (hik_analytic_has_arm_angle(a)) {
    static double swivel[POSES * 8 * 8];
    double angle[POSES], back[8];
    for (int32_t i = 0; i < n; i++) angle[i] = 0.4 * i - 2;
    hik_analytic_swivel(a, n, T[0], angle, swivel), hash_doubles(&h, swivel, n * 8 * nq);
    hik_analytic_arm_angle(a, 8, swivel, back), hash_doubles(&h, back, 8);
  }
  for (int32_t i = 4; i < 6 && i < n && !thorough; i++) {
    cost = hik_analytic_closest(a, T[i], about.locked >= 0 ? locked[i] : NAN, closest, &scale, scratch);
    hash_doubles(&h, &cost, 1), hash_doubles(&h, closest, nq);
  }
  hash_show(name, &h);
  free(scratch), free(own), hik_analytic_free(a);
}

static inline void hash_arm(const char *name, void (*make)(figure *f), int32_t task) {
  static figure f;
  if (!hash_wanted(name)) return;
  memset(&f, 0, sizeof f);
  make(&f);
  hik_model *m = freeze(name, &f);
  hash_postures(name, m, task, false, POSES);
  hik_model_free(m);
}

static inline void hash_serial(const char *kind, uint64_t seed, int32_t joints, int32_t slides, bool right,
                               int32_t task, bool thorough) {
  static figure f;
  char name[80];
  snprintf(name, sizeof name, "analytic/%s_%d", kind, (int)seed);
  if (!hash_wanted(name)) return;
  memset(&f, 0, sizeof f);
  make_serial(&f, seed, joints, slides, right);
  hik_model *m = freeze(name, &f);
  hash_postures(name, m, task, thorough, thorough ? 2 : joints > 5 ? 8 : POSES);
  hik_model_free(m);
}

static inline void hash_stewart(int32_t seed) {
  char name[80];
  snprintf(name, sizeof name, "analytic/stewart_%d", (int)seed);
  if (!hash_wanted(name)) return;
  hik_rng rng = hik_rng_start(40, (uint64_t)seed);
  hik_stewart s;
  static hik_stewart_found found;
  hash h = hash_start();
  hik_pose at = hik_pose_identity;
  double turn[4], lengths[HIK_LEGS], slope[36];
  for (int i = 0; i < HIK_LEGS; i++)
    for (int k = 0; k < 3; k++) {
      s.base[i][k] = draw_in(&rng, -1, 1), s.platform[i][k] = draw_in(&rng, -1, 1);
      if (seed % 2 && k == 2) s.base[i][k] = s.platform[i][k] = 0; /* both plane */
    }
  hik_rng_rotation(&rng, turn), hik_quat_to_mat(turn, at.r);
  for (int k = 0; k < 3; k++) at.t[k] = draw_in(&rng, -0.5, 1);
  hik_stewart_lengths(&s, &at, lengths, slope);
  hash_doubles(&h, lengths, HIK_LEGS), hash_doubles(&h, slope, 36);
  for (int k = 0; k < 3; k++) at.t[k] += 0.1;
  hik_stewart_step step = hik_stewart_newton(&s, lengths, 30, &at);
  hash_bytes(&h, step.converged ? "y" : "n", 1), hash_bytes(&h, &step.iterations, sizeof step.iterations);
  hash_doubles(&h, &step.residual, 1), hash_doubles(&h, &step.singularity, 1);
  hash_doubles(&h, at.r, 9), hash_doubles(&h, at.t, 3);
  hik_stewart_work *work = malloc(hik_stewart_work_size());
  if (!work) exit(3);
  bool fine = hik_stewart_postures(&s, lengths, work, &found);
  hash_bytes(&h, fine ? "y" : "n", 1), hash_bytes(&h, &found.count, 5 * sizeof found.count);
  hash_bytes(&h, found.paired ? "y" : "n", 1), hash_doubles(&h, &found.trace, 1);
  hash_doubles(&h, &found.residual, 1);
  for (int32_t i = 0; i < found.count; i++)
    hash_doubles(&h, found.pose[i].r, 9), hash_doubles(&h, found.pose[i].t, 3);
  hash_show(name, &h);
  free(work);
}

static inline void hash_subproblems(void) {
  const char *name = "analytic/subproblems";
  hik_rng rng = hik_rng_start(50, 1);
  hash h = hash_start();
  if (!hash_wanted(name)) return;
  for (int i = 0; i < 200; i++) {
    double v[16][3], x[4] = {0}, y[4] = {0}, z[4] = {0}, length;
    bool exact[6] = {0};
    int n[6];
    for (int k = 0; k < 16; k++)
      for (int c = 0; c < 3; c++) v[k][c] = draw_in(&rng, -1, 1);
    for (int k = 8; k < 16; k++) {
      length = hik_norm(v[k]);
      for (int c = 0; c < 3; c++) v[k][c] /= length;
    }
    n[0] = hik_subproblem1(v[0], v[1], v[8], x, &exact[0]), hash_doubles(&h, x, 1);
    n[1] = hik_subproblem2(v[0], v[1], v[8], v[9], x, y, &exact[1]), hash_doubles(&h, x, n[1]);
    hash_doubles(&h, y, n[1]);
    n[2] = hik_subproblem3(v[0], v[1], v[8], 0.8, x, &exact[2]), hash_doubles(&h, x, n[2]);
    n[3] = hik_subproblem4(v[8], v[0], v[9], 0.3, x, &exact[3]), hash_doubles(&h, x, n[3]);
    n[4] = hik_subproblem5(v[0], v[1], v[2], v[3], v[8], v[9], v[10], x, y, z, &exact[4]);
    hash_doubles(&h, x, n[4]), hash_doubles(&h, y, n[4]), hash_doubles(&h, z, n[4]);
    n[5] = hik_subproblem6((const double(*)[3])v, (const double(*)[3])(v + 8), (const double(*)[3])(v + 4),
                           0.3, -0.2, x, y, &exact[5]);
    hash_doubles(&h, x, n[5]), hash_doubles(&h, y, n[5]), hash_bytes(&h, n, sizeof n);
    for (int k = 0; k < 6; k++) hash_bytes(&h, exact[k] ? "y" : "n", 1);
  }
  hash_show(name, &h);
}

/* Sine, cosine, arc tangent and the rest of base/trig.h at arguments of every size. */
static inline void hash_trig(void) {
  const char *name = "maths/trig";
  hik_rng rng = hik_rng_start(60, 1);
  hash h = hash_start();
  if (!hash_wanted(name)) return;
  for (int i = 0; i < 20000; i++) {
    double size = ldexp(1, (int)(hik_rng_next(&rng) % 80) - 50), x = size * draw_in(&rng, -1, 1);
    double y = draw_in(&rng, -1, 1), out[6];
    hik_sincos(x, &out[0], &out[1]);
    out[2] = hik_atan2(x, y), out[3] = hik_atan2(y, x), out[4] = hik_acos(y), out[5] = hik_asin(y);
    hash_doubles(&h, out, 6);
  }
  hash_show(name, &h);
}

static inline void hash_analytics(void) {
  hash_trig(), hash_subproblems();
  hash_arm("analytic/puma", make_puma, HIK_TASK_POSE);
  hash_arm("analytic/ur5", make_ur5, HIK_TASK_POSE);
  hash_arm("analytic/offset_wrist", make_offset_wrist, HIK_TASK_POSE);
  hash_arm("analytic/seven", make_seven, HIK_TASK_POSE);
  hash_arm("analytic/swivel", make_swivel, HIK_TASK_POSE);
  hash_arm("analytic/planar3", make_planar3, HIK_TASK_POSE);
  hash_arm("analytic/planar3_position", make_planar3, HIK_TASK_POSITION);
  for (uint64_t k = 0; k < 3; k++) {
    hash_serial("general_6r", k, 6, 0, false, HIK_TASK_POSE, false);
    hash_serial("right_6r", k, 6, 0, true, HIK_TASK_POSE, false);
    hash_serial("right_5r", k, 5, 0, true, HIK_TASK_POSE, false);
    hash_serial("right_4r", k, 4, 0, true, HIK_TASK_POSE, false);
    hash_serial("slide1", k, 6, 1 << (2 * k), false, HIK_TASK_POSE, false);
    hash_serial("slide2", k, 6, 3 << k, false, HIK_TASK_POSE, false);
    hash_serial("slide3", k, 6, 7 << k, false, HIK_TASK_POSE, false);
    hash_serial("general_7r", k, 7, 0, false, HIK_TASK_POSE, false);
    hash_serial("three_position", k, 3, k == 2 ? 2 : 0, false, HIK_TASK_POSITION, false);
    hash_serial("two_position", k, 2, k == 2 ? 1 : 0, false, HIK_TASK_POSITION, false);
  }
  hash_serial("thorough", 0, 6, 0, false, HIK_TASK_POSE, true);
  for (int32_t k = 0; k < 4; k++) hash_stewart(k);
}
