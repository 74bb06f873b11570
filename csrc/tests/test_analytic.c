/* test_analytic.c: whole arms through hik_analytic: which method each gets, that the posture that made a pose is always
   found, that every answer reaches the pose by the model's own forward kinematics, limits, and the nearest posture. */
#include "analytic/analytic.h"
#include "base/memory.h"
#include "model/model.h"
#include "tests/arms.h"
#include "tests/check.h"

enum { SIZE = 8 };

typedef struct arm {
  const char *name, *method;
  int n;
  double d[SIZE], a[SIZE], alpha[SIZE];
  int slide; /* bits */
  int task;
  double theta; /* added turn at every joint */
} arm;

/* A model of classical DH rows: fixed parts become placements of the next joint. */
static hik_model *build(const arm *arm, double limit) {
  hik_model_def def = hik_model_def_default();
  int32_t parent[SIZE], kind[SIZE], frame_joint = arm->n - 1;
  double axis[3 * SIZE], place[12 * SIZE], lower[SIZE], upper[SIZE], tool[12];
  hik_pose now = hik_pose_identity;
  for (int i = 0; i < arm->n; i++) {
    parent[i] = i - 1;
    kind[i] = arm->slide >> i & 1 ? HIK_PRISMATIC : HIK_REVOLUTE;
    axis[3 * i] = axis[3 * i + 1] = 0, axis[3 * i + 2] = 1;
    memcpy(place + 12 * i, &now, sizeof now);
    lower[i] = kind[i] == HIK_PRISMATIC ? -1 : -limit, upper[i] = -lower[i];
    hik_pose link = dh_link(arm->d[i], arm->a[i], arm->alpha[i]), turn = hik_pose_identity;
    double s, c;
    hik_sincos(arm->theta, &s, &c);
    hik_mat_turn_z(hik_pose_identity.r, c, s, turn.r);
    hik_pose_mul(&turn, &link, &now);
  }
  memcpy(tool, &now, sizeof now);
  def.n_joint = arm->n, def.n_frame = 1, def.parent = parent, def.kind = kind, def.axis = axis;
  def.placement = place, def.lower = lower, def.upper = upper, def.frame_joint = &frame_joint;
  def.frame_placement = tool;
  hik_model *model = NULL;
  hik_error error;
  CHECK(hik_model_create(&def, &model, &error) == HIK_OK);
  return model;
}

static double frame_gap(const double *x, const double *y, int task) {
  double most = 0;
  for (int i = 0; i < 12; i++)
    if (task == HIK_TASK_POSE || i % 4 == 3) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

#define Q (HIK_PI / 2)
static const arm arms[] = {
    {"puma",
     "wrist",
     6,
     {0.67, 0, 0.15, 0.43, 0, 0.06},
     {0, 0.43, 0.02, 0, 0, 0},
     {Q, 0, -Q, Q, -Q, 0},
     0,
     0,
     0},
    {"first three meet",
     "wrist",
     6,
     {0, 0, 0.4, 0.1, 0.2, 0.1},
     {0, 0, 0.3, 0.2, 0.1, 0},
     {Q, -Q, 0.4, 1, 0.7, 0},
     0,
     0,
     0},
    {"stanford", "wrist", 6, {0.4, 0.15, 0, 0, 0, 0.2}, {0, 0, 0, 0, 0, 0}, {-Q, Q, 0, -Q, Q, 0}, 4, 0, 0},
    {"gantry", "wrist", 6, {0, 0, 0, 0, 0, 0.1}, {0, 0, 0, 0, 0, 0}, {Q, Q - 0.2, 0.3, Q, -Q, 0}, 7, 0, 0.8},
    {"ur5",
     "parallel",
     6,
     {0.089, 0, 0, 0.109, 0.095, 0.082},
     {0, -0.425, -0.392, 0, 0, 0},
     {Q, 0, 0, Q, -Q, 0},
     0,
     0,
     0},
    {"crx",
     "general",
     6,
     {0, 0, 0, 0.54, -0.15, 0.16},
     {0, 0.54, 0, 0, 0, 0},
     {-Q, 0, -Q, Q, -Q, 0},
     0,
     0,
     0},
    {"5R1P",
     "general",
     6,
     {0.1, 0.3, 0.2, -0.2, 0.3, 0.1},
     {0.2, -0.3, 0.4, 0.2, 0.1, 0.3},
     {1, 2, -1, 0.5, 1.3, 0.4},
     8,
     0,
     0},
    {"4R2P",
     "general",
     6,
     {0.1, 0.3, 0.2, -0.2, 0.3, 0.1},
     {0.2, -0.3, 0.4, 0.2, 0.1, 0.3},
     {1, 2, -1, 0.5, 1.3, 0.4},
     10,
     0,
     0.5},
    {"3R3P",
     "slides",
     6,
     {0.1, 0.3, 0.2, -0.2, 0.3, 0.1},
     {0.2, -0.3, 0.4, 0.2, 0.1, 0.3},
     {1, 2, -1, 0.5, 1.3, 0.4},
     21,
     0,
     0.5},
    {"denso vp5243", "wrist", 5, {0.28, 0, 0, 0, 0.12}, {0, 0.21, 0.22, 0, 0}, {Q, 0, 0, Q, 0}, 0, 0, 0},
    {"5R general",
     "general",
     5,
     {0.1, 0.3, 0.2, -0.2, 0.3},
     {0.2, -0.3, 0.4, 0.2, 0.1},
     {1, 2, -1, 0.5, 1.3},
     0,
     0,
     0},
    {"scara", "wrist", 4, {0.3, 0, 0, 0.1}, {0.4, 0.3, 0, 0}, {0, HIK_PI, 0, 0}, 4, 0, 0},
    {"waist and three pitches", "wrist", 4, {0.3, 0, 0, 0}, {0, 0.3, 0.25, 0.1}, {Q, 0, 0, 0}, 0, 0, 0},
    {"4R general", "wrist", 4, {0.1, 0.3, 0.2, -0.2}, {0.2, -0.3, 0.4, 0.2}, {1, 2, -1, 0.5}, 0, 0, 0},
    {"3R position", "wrist", 3, {0.4, 0.1, 0}, {0.1, 0.5, 0.4}, {Q, 0, 0}, 0, 1, 0},
    {"3R skew position", "wrist", 3, {0.4, 0.1, 0.2}, {0.1, 0.5, 0.4}, {1, 0.4, 0.3}, 0, 1, 0},
    {"RRP position", "wrist", 3, {0.4, 0.1, 0}, {0.1, 0, 0}, {Q, Q, 0}, 4, 1, 0},
    {"planar 3R", "planar", 3, {0, 0, 0}, {0.5, 0.4, 0.2}, {0, HIK_PI, 0}, 0, 0, 0},
    {"planar 2R", "planar", 2, {0, 0}, {0.5, 0.4}, {0, 0}, 0, 1, 0},
};

/* Solves poses of random postures; counts postures that were not found. */
static void trial_run(const arm *arm, int poses) {
  hik_model *model = build(arm, HIK_PI);
  hik_analytic *object = NULL;
  hik_error error = {0};
  CHECK(hik_analytic_create(model, 0, arm->task, -1, false, &object, &error) == HIK_OK);
  if (!object) {
    printf("%s: %s\n", arm->name, error.text);
    return;
  }
  hik_analytic_info info = hik_analytic_about(object);
  CHECK(strcmp(info.method, arm->method) == 0);
  if (strcmp(info.method, arm->method)) printf("%s is %s: %s\n", arm->name, info.method, info.why);
  void *scratch = hik_allocate(hik_analytic_scratch_size(object)),
       *more = hik_allocate(hik_scratch_size(model));
  hik_rng rng = hik_rng_start(31, 0);
  int missing = 0, far = 0;
  for (int k = 0; k < poses; k++) {
    double q[SIZE], T[16], S[16], found[HIK_ANALYTIC_MOST * SIZE];
    uint8_t is_free[HIK_ANALYTIC_MOST];
    int32_t count;
    bool sure, there = false;
    for (int i = 0; i < arm->n; i++)
      q[i] = arm->slide >> i & 1 ? draw(&rng, -1, 1) : draw(&rng, -HIK_PI, HIK_PI);
    hik_frame(model, 0, 1, q, T, more);
    hik_analytic_solve(object, 1, T, NULL, found, &count, is_free, &sure, scratch);
    for (int j = 0; j < count; j++) {
      const double *x = found + j * arm->n;
      double gap = 0;
      hik_frame(model, 0, 1, x, S, more);
      far += frame_gap(S, T, arm->task) > 1e-9;
      for (int i = 0; i < arm->n; i++)
        gap = fmax(gap, fabs(arm->slide >> i & 1 ? x[i] - q[i] : hik_wrap(x[i] - q[i])));
      there = there || gap < 1e-5;
    }
    for (int j = count; j < HIK_ANALYTIC_MOST; j++) CHECK(found[j * arm->n] != found[j * arm->n]);
    missing += !there;
  }
  CHECK(missing == 0 && far == 0);
  if (missing || far)
    printf("%s (%s): %d of %d not found, %d far\n", arm->name, info.method, missing, poses, far);
  hik_release(scratch);
  hik_release(more);
  hik_analytic_free(object);
  hik_model_free(model);
}

static void test_every_class(void) {
  for (int k = 0; k < HIK_COUNT_OF(arms); k++) trial_run(&arms[k], CHECK_REPEATS(200, 40));
}

/* The general method on every exact arm, all its eliminations united, finds neither more nor fewer postures. */
static void test_second_opinion(void) {
  static const int who[] = {0, 1, 4, 5, 6, 7};
  for (int w = 0; w < HIK_COUNT_OF(who); w++) {
    hik_model *model = build(&arms[who[w]], HIK_PI);
    hik_analytic *object, *other;
    hik_error error;
    CHECK(hik_analytic_create(model, 0, 0, -1, false, &object, &error) == HIK_OK);
    CHECK(hik_analytic_create(model, 0, 0, -1, true, &other, &error) == HIK_OK);
    void *scratch = hik_allocate(hik_analytic_scratch_size(other)),
         *more = hik_allocate(hik_scratch_size(model));
    hik_rng rng = hik_rng_start(34, (uint64_t)w);
    int differ = 0;
    for (int k = 0; k < CHECK_REPEATS(40, 4); k++) {
      double q[6], T[16], a[HIK_ANALYTIC_MOST * 6], b[HIK_ANALYTIC_MOST * 6];
      uint8_t is_free[HIK_ANALYTIC_MOST];
      int32_t n, m;
      bool sure;
      for (int i = 0; i < 6; i++) q[i] = arms[who[w]].slide >> i & 1 ? draw(&rng, -1, 1) : draw(&rng, -3, 3);
      hik_frame(model, 0, 1, q, T, more);
      hik_analytic_solve(object, 1, T, NULL, a, &n, is_free, &sure, scratch);
      hik_analytic_solve(other, 1, T, NULL, b, &m, is_free, &sure, scratch);
      differ += n != m;
      for (int j = 0; j < 6 * n && n == m; j++) differ += !(fabs(a[j] - b[j]) < 1e-6);
    }
    CHECK(differ == 0);
    if (differ) printf("%s: %d differ\n", arms[who[w]].name, differ);
    hik_release(scratch);
    hik_release(more);
    hik_analytic_free(object);
    hik_analytic_free(other);
    hik_model_free(model);
  }
}

static void test_denso_has_four(void) {
  hik_model *model = build(&arms[9], HIK_PI);
  hik_analytic *object;
  hik_error error;
  CHECK(hik_analytic_create(model, 0, HIK_TASK_POSE, -1, false, &object, &error) == HIK_OK);
  void *scratch = hik_allocate(hik_analytic_scratch_size(object)),
       *more = hik_allocate(hik_scratch_size(model));
  double q[5] = {0.4, 0.9, -1.1, 0.3, 0.7}, T[16], found[HIK_ANALYTIC_MOST * 5];
  uint8_t is_free[HIK_ANALYTIC_MOST];
  int32_t count;
  bool sure;
  hik_frame(model, 0, 1, q, T, more);
  hik_analytic_solve(object, 1, T, NULL, found, &count, is_free, &sure, scratch);
  CHECK(count == 4);
  hik_release(scratch);
  hik_release(more);
  hik_analytic_free(object);
  hik_model_free(model);
}

static void test_seven_joints(void) {
  arm srs = {"srs", "wrist", 7, {0.36, 0, 0.42, 0, 0.4, 0, 0.126}, {0}, {-Q, Q, Q, -Q, -Q, Q, 0}, 0, 0, 0};
  hik_model *model = build(&srs, HIK_PI);
  hik_analytic *object;
  hik_error error;
  CHECK(hik_analytic_create(model, 0, HIK_TASK_POSE, -1, false, &object, &error) == HIK_OK);
  hik_analytic_info info = hik_analytic_about(object);
  CHECK(strcmp(info.method, "wrist") == 0 && info.locked == 2);
  void *scratch = hik_allocate(hik_analytic_scratch_size(object)),
       *more = hik_allocate(hik_scratch_size(model));
  hik_rng rng = hik_rng_start(32, 0);
  for (int k = 0; k < 200; k++) {
    double q[7], T[16], S[16], found[HIK_ANALYTIC_MOST * 7];
    uint8_t is_free[HIK_ANALYTIC_MOST];
    int32_t count;
    bool sure, there = false;
    for (int i = 0; i < 7; i++) q[i] = draw(&rng, -3, 3);
    hik_frame(model, 0, 1, q, T, more);
    hik_analytic_solve(object, 1, T, &q[2], found, &count, is_free, &sure, scratch);
    for (int j = 0; j < count; j++) {
      hik_frame(model, 0, 1, found + 7 * j, S, more);
      CHECK(frame_gap(S, T, 0) < 1e-10);
      double gap = 0;
      for (int i = 0; i < 7; i++) gap = fmax(gap, fabs(hik_wrap(found[7 * j + i] - q[i])));
      there = there || gap < 1e-5;
    }
    CHECK(there && count == 8);
  }
  hik_release(scratch);
  hik_release(more);
  hik_analytic_free(object);
  hik_model_free(model);
}

static void test_limits_and_bad_poses(void) {
  hik_model *model = build(&arms[4], 2 * HIK_PI), *tight = build(&arms[4], 1.0);
  hik_analytic *wide_object, *tight_object;
  hik_error error;
  CHECK(hik_analytic_create(model, 0, 0, -1, false, &wide_object, &error) == HIK_OK);
  CHECK(hik_analytic_create(tight, 0, 0, -1, false, &tight_object, &error) == HIK_OK);
  void *scratch = hik_allocate(hik_analytic_scratch_size(wide_object)),
       *more = hik_allocate(hik_scratch_size(model));
  double q[6] = {0.3, -0.8, 0.9, -0.4, 0.7, 0.2}, T[16], found[HIK_ANALYTIC_MOST * 6];
  uint8_t is_free[HIK_ANALYTIC_MOST];
  int32_t all, some;
  bool sure;
  hik_frame(model, 0, 1, q, T, more);
  hik_analytic_solve(wide_object, 1, T, NULL, found, &all, is_free, &sure, scratch);
  for (int j = 1; j < all; j++) CHECK(found[6 * j] >= found[6 * (j - 1)] - 1e-9);
  hik_analytic_solve(tight_object, 1, T, NULL, found, &some, is_free, &sure, scratch);
  CHECK(some >= 1 && some < all);
  for (int j = 0; j < some; j++)
    for (int i = 0; i < 6; i++) CHECK(fabs(found[6 * j + i]) <= 1.0);
  T[3] = NAN;
  hik_analytic_solve(wide_object, 1, T, NULL, found, &all, is_free, &sure, scratch);
  CHECK(all == 0);
  memset(T, 0, sizeof T);
  hik_analytic_solve(wide_object, 1, T, NULL, found, &all, is_free, &sure, scratch);
  CHECK(all == 0);
  hik_release(scratch);
  hik_release(more);
  hik_analytic_free(wide_object);
  hik_analytic_free(tight_object);
  hik_model_free(model);
  hik_model_free(tight);
}

/* What hik_analytic_closest lowers, from two matrices. */
static double distance(const double *S, const double *T, double scale) {
  double trace = 0, shift = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) trace += S[4 * i + j] * T[4 * i + j];
    shift += (S[4 * i + 3] - T[4 * i + 3]) * (S[4 * i + 3] - T[4 * i + 3]);
  }
  double angle = hik_acos(0.5 * (trace - 1));
  return sqrt(angle * angle + shift / (scale * scale));
}

/* Out of reach: straight towards the target is the nearest a planar arm comes. */
static void test_closest(void) {
  arm two = {"planar 2R", "planar", 2, {0}, {0.5, 0.4}, {0}, 0, HIK_TASK_POSITION, 0};
  hik_model *model = build(&two, HIK_PI);
  hik_analytic *object;
  hik_error error;
  CHECK(hik_analytic_create(model, 0, HIK_TASK_POSITION, -1, false, &object, &error) == HIK_OK);
  void *scratch = hik_allocate(hik_analytic_scratch_size(object));
  double T[16] = {1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 0, 0, 0, 0, 1}, q[2], scale;
  double far = hik_analytic_closest(object, T, NAN, q, &scale, scratch);
  CHECK_NEAR(far * scale, 5 - 0.9, 1e-9);
  CHECK_NEAR(q[0], 0.92729521800161219, 1e-6);
  CHECK_NEAR(q[1], 0, 1e-6);
  hik_analytic_free(object);
  hik_release(scratch);
  hik_model_free(model);
  hik_model *puma = build(&arms[0], HIK_PI);
  CHECK(hik_analytic_create(puma, 0, HIK_TASK_POSE, -1, false, &object, &error) == HIK_OK);
  scratch = hik_allocate(hik_analytic_scratch_size(object));
  void *more = hik_allocate(hik_scratch_size(puma));
  hik_rng rng = hik_rng_start(33, 0);
  for (int k = 0; k < 20; k++) { /* inside the reach the nearest is the pose itself */
    double x[6], y[6], S[16];
    for (int i = 0; i < 6; i++) x[i] = draw(&rng, -3, 3);
    hik_frame(puma, 0, 1, x, T, more);
    CHECK(hik_analytic_closest(object, T, NAN, y, &scale, scratch) < 1e-6);
    hik_frame(puma, 0, 1, y, S, more);
    CHECK(frame_gap(S, T, 0) < 1e-6);
  }
  for (int k = 0; k < 10; k++) { /* beyond it, no posture of a scan beats the answer */
    double T2[16], y[6], S[16], x[6];
    for (int i = 0; i < 6; i++) x[i] = draw(&rng, -3, 3);
    hik_frame(puma, 0, 1, x, T2, more);
    T2[3] += 2, T2[7] -= 1;
    double far = hik_analytic_closest(object, T2, NAN, y, &scale, scratch);
    hik_frame(puma, 0, 1, y, S, more);
    CHECK(far > 0.5);
    CHECK_NEAR(distance(S, T2, scale), far, 1e-9);
    for (int s = 0; s < 2000; s++) {
      for (int i = 0; i < 6; i++) x[i] = draw(&rng, -HIK_PI, HIK_PI);
      hik_frame(puma, 0, 1, x, S, more);
      CHECK(distance(S, T2, scale) >= far);
    }
  }
  hik_release(more);
  hik_release(scratch);
  hik_analytic_free(object);
  hik_model_free(puma);
}

static void test_refusals_say_why(void) {
  static const arm none[] = {
      {"2R in space", "", 2, {0.1, 0.2}, {0.3, 0.4}, {1, 0}, 0, 0, 0},
      {"four slides",
       "",
       6,
       {0.1, 0.3, 0.2, -0.2, 0.3, 0.1},
       {0.2, -0.3, 0.4, 0.2, 0.1, 0.3},
       {1, 2, -1, 0.5, 1.3, 0.4},
       0x35,
       0,
       0},
      {"planar 3R position", "", 3, {0}, {0.5, 0.4, 0.2}, {0}, 0, 1, 0},
      {"6R position",
       "",
       6,
       {0.1, 0.3, 0.2, -0.2, 0.3, 0.1},
       {0.2, -0.3, 0.4, 0.2, 0.1, 0.3},
       {1, 2, -1, 0.5, 1.3, 0.4},
       0,
       1,
       0},
  };
  for (int k = 0; k < HIK_COUNT_OF(none); k++) {
    hik_model *model = build(&none[k], HIK_PI);
    hik_analytic *object = (hik_analytic *)1;
    hik_error error = {0};
    CHECK(hik_analytic_create(model, 0, none[k].task, -1, false, &object, &error) == HIK_UNSUPPORTED);
    CHECK(object == NULL && strlen(error.text) > 20);
    hik_model_free(model);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_class);
  RUN(test_second_opinion);
  RUN(test_denso_has_four);
  RUN(test_seven_joints);
  RUN(test_limits_and_bad_poses);
  RUN(test_closest);
  RUN(test_refusals_say_why);
  CHECK_END();
}
