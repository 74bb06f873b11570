/* test_dynamics.c: the dynamics against each other and against numbers worked out by hand. */
#include "base/memory.h"
#include "base/quat.h"
#include "base/rng.h"
#include "check.h"
#include "model/inertia.h"
#include "model/model.h"

enum { JOINTS = 9, BATCH = 11, MOST = 40 };

/* A tree with every kind of joint that moves, bodies and drives; with `follow` the second slide follows the first. */
typedef struct figure {
  int32_t parent[JOINTS], kind[JOINTS], mimic[JOINTS], frame_joint[2];
  double axis[3 * JOINTS], axis2[3 * JOINTS], placement[12 * JOINTS], lower[MOST], upper[MOST],
      line[2 * JOINTS];
  double inertial[10 * JOINTS], motor[4 * JOINTS], frame_placement[24];
} figure;

static double between(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

static void random_pose(hik_rng *rng, double out[12]) {
  double q[4];
  hik_rng_rotation(rng, q);
  hik_quat_to_mat(q, out);
  for (int i = 0; i < 3; i++) out[9 + i] = between(rng, -0.5, 0.5);
}

/* A body of a few points, so that its numbers are those of something that can exist. */
static void random_body(hik_rng *rng, double out[10]) {
  memset(out, 0, 10 * sizeof *out);
  for (int k = 0; k < 5; k++) {
    double m = between(rng, 0.1, 1), p[3];
    for (int i = 0; i < 3; i++) p[i] = between(rng, -0.3, 0.3);
    double point[10] = {m, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    hik_pose at = hik_pose_identity;
    hik_copy3(p, at.t);
    hik_inertial_add(point, &at, out);
  }
}

static hik_model *make(figure *f, bool follow, bool drives) {
  static const int32_t kinds[JOINTS] = {HIK_FREE,   HIK_REVOLUTE,  HIK_PRISMATIC, HIK_FIXED,      HIK_BALL,
                                        HIK_PLANAR, HIK_UNIVERSAL, HIK_PRISMATIC, HIK_CYLINDRICAL};
  static const int32_t parents[JOINTS] = {-1, 0, 1, 2, 3, 1, 0, 2, 7};
  hik_rng rng = hik_rng_start(7, 1);
  memset(f, 0, sizeof *f);
  for (int j = 0; j < JOINTS; j++) {
    f->parent[j] = parents[j], f->kind[j] = kinds[j], f->mimic[j] = -1;
    for (int i = 0; i < 3; i++) f->axis[3 * j + i] = between(&rng, -1, 1);
    double e[3] = {1, 0, 0};
    hik_cross(f->axis + 3 * j, e, f->axis2 + 3 * j);
    random_pose(&rng, f->placement + 12 * j);
    random_body(&rng, f->inertial + 10 * j);
    double motor[4] = {1e-4, 30, 2e-4, 3e-3};
    memcpy(f->motor + 4 * j, motor, sizeof motor);
  }
  for (int i = 0; i < MOST; i++) f->lower[i] = -INFINITY, f->upper[i] = INFINITY;
  if (follow) f->mimic[7] = 2, f->line[14] = -0.7, f->line[15] = 0.1;
  f->frame_joint[0] = 4, f->frame_joint[1] = -1;
  random_pose(&rng, f->frame_placement);
  random_pose(&rng, f->frame_placement + 12);
  hik_model_def def = hik_model_def_default();
  def.n_joint = JOINTS, def.n_frame = 2;
  def.parent = f->parent, def.kind = f->kind, def.axis = f->axis, def.axis2 = f->axis2,
  def.placement = f->placement;
  def.lower = f->lower, def.upper = f->upper, def.frame_joint = f->frame_joint;
  def.frame_placement = f->frame_placement, def.inertial = f->inertial;
  if (follow) def.mimic = f->mimic, def.mimic_line = f->line;
  if (drives) def.motor = f->motor;
  hik_model *model;
  hik_error error;
  CHECK(hik_model_create(&def, &model, &error) == HIK_OK);
  return model;
}

typedef struct rows {
  double q[BATCH * MOST], v[BATCH * MOST], a[BATCH * MOST], tau[BATCH * MOST], back[BATCH * MOST];
  double M[BATCH * MOST * MOST];
} rows;

static rows x;

static void draw(const hik_model *m) {
  hik_rng rng = hik_rng_start(3, 5);
  hik_sizes n = hik_model_sizes(m);
  for (int i = 0; i < BATCH; i++) hik_random_q(m, 11, (uint64_t)i, x.q + i * n.nq);
  for (int i = 0; i < BATCH * n.nv; i++) x.v[i] = between(&rng, -1, 1), x.a[i] = between(&rng, -1, 1);
}

static double largest_gap(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, isfinite(a[i]) && isfinite(b[i]) ? fabs(a[i] - b[i]) : INFINITY);
  return most;
}

/* a -> tau -> a, and tau = M a + bias: with and without mimic joints, drives and loads. */
static void check_round(bool follow, bool drives) {
  static figure f;
  hik_model *m = make(&f, follow, drives);
  hik_sizes n = hik_model_sizes(m);
  int32_t at[2] = {0, 1};
  double wrench[12] = {3, -2, 5, 0.4, 0.1, -0.3, 1, 1, 1, 1, 1, 1}, payload[10];
  hik_rng rng = hik_rng_start(1, 2);
  random_body(&rng, payload);
  hik_loads loads = hik_loads_default();
  hik_error error;
  loads.n_wrench = 2, loads.wrench_frame = at, loads.wrench = wrench;
  loads.n_payload = 1, loads.payload_frame = at, loads.payload = payload;
  loads.gravity[0] = 1;
  CHECK(hik_loads_check(m, &loads, BATCH, &error) == HIK_OK);
  size_t size = hik_dynamics_scratch_size(m, &loads);
  char *scratch = hik_allocate(size + 1);
  draw(m);
  hik_inverse_dynamics(m, &loads, BATCH, x.q, x.v, x.a, x.tau, scratch + 1); /* any alignment */
  hik_forward_dynamics(m, &loads, BATCH, x.q, x.v, x.tau, x.back, scratch);
  CHECK_NEAR(largest_gap(x.a, x.back, BATCH * n.nv), 0, 1e-9);
  hik_inverse_dynamics(m, &loads, BATCH, x.q, x.v, NULL, x.back, scratch);
  hik_mass_matrix(m, &loads, BATCH, x.q, x.M, scratch);
  for (int i = 0; i < BATCH; i++)
    for (int j = 0; j < n.nv; j++)
      for (int k = 0; k < n.nv; k++)
        x.back[i * n.nv + j] += x.M[(i * n.nv + j) * n.nv + k] * x.a[i * n.nv + k];
  CHECK_NEAR(largest_gap(x.tau, x.back, BATCH * n.nv), 0, 1e-10);
  hik_release(scratch);
  hik_model_free(m);
}

static void test_round_trip(void) {
  check_round(false, false);
  check_round(false, true);
  check_round(true, false);
  check_round(true, true);
}

/* One problem alone gives the bytes it gives in a batch, on every instruction set there is. */
static void test_same_bytes(void) {
  static figure f;
  static double other[BATCH * MOST];
  hik_model *m = make(&f, false, true);
  hik_sizes n = hik_model_sizes(m);
  hik_loads loads = hik_loads_default();
  void *scratch = hik_allocate(hik_dynamics_scratch_size(m, &loads));
  draw(m);
  x.q[7] = 1e12; /* the slow branch of the sine in one lane must not touch the others */
  hik_inverse_dynamics(m, &loads, BATCH, x.q, x.v, x.a, x.tau, scratch);
  hik_forward_dynamics(m, &loads, BATCH, x.q, x.v, x.tau, x.back, scratch);
  static const char *const names[] = {"base", "avx2", "avx512", "neon"};
  for (int k = 0; k < 4; k++) {
    if (!hik_simd_select(names[k])) continue;
    for (int i = 0; i < BATCH; i++)
      hik_inverse_dynamics(m, &loads, 1, x.q + i * n.nq, x.v + i * n.nv, x.a + i * n.nv, other + i * n.nv,
                           scratch);
    CHECK(memcmp(other, x.tau, sizeof(double) * (size_t)(BATCH * n.nv)) == 0);
    hik_forward_dynamics(m, &loads, BATCH, x.q, x.v, x.tau, other, scratch);
    CHECK(memcmp(other, x.back, sizeof(double) * (size_t)(BATCH * n.nv)) == 0);
  }
  hik_simd_select("auto");
  hik_release(scratch);
  hik_model_free(m);
}

/* A rod on a pin: tau = I a + m g l cos q, with I about the pin; and its energies. */
static void test_pendulum(void) {
  int32_t parent = -1, kind = HIK_REVOLUTE;
  double axis[3] = {0, -1, 0}, place[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, none[1] = {INFINITY},
         low[1] = {-INFINITY};
  double body[10] = {2, 1, 0, 0, 0, 0, 0, 0.7, 0, 0.7}, motor[4] = {0.01, -5, 0.02, 0.3};
  hik_model_def def = hik_model_def_default();
  def.n_joint = 1, def.parent = &parent, def.kind = &kind, def.axis = axis, def.placement = place;
  def.lower = low, def.upper = none, def.inertial = body, def.motor = motor;
  hik_model *m;
  hik_error error;
  CHECK(hik_model_create(&def, &m, &error) == HIK_OK);
  hik_loads loads = hik_loads_default();
  void *scratch = hik_allocate(hik_dynamics_scratch_size(m, &loads));
  double q = 0.3, v = -2, a = 1.5, tau, s, c, center[3], jacobian[3], momentum[6], kinetic, potential;
  hik_sincos(q, &s, &c);
  double weight = 2 * 9.81 * 0.5 * c;
  hik_inverse_dynamics(m, &loads, 1, &q, &v, &a, &tau, scratch);
  CHECK_NEAR(tau, 0.7 * a + weight + 0.25 * a + 0.5 * v - 1.5, 1e-14);
  loads.coulomb_width = 0.5;
  hik_inverse_dynamics(m, &loads, 1, &q, &v, &a, &tau, scratch);
  CHECK_NEAR(tau, 0.7 * a + weight + 0.25 * a + 0.5 * v + 1.5 * v / sqrt(v * v + 0.25), 1e-14);
  loads.motor = false;
  hik_inverse_dynamics(m, &loads, 1, &q, &v, &a, &tau, scratch);
  CHECK_NEAR(tau, 0.7 * a + weight, 1e-14);
  loads.motor = true;
  hik_mass_state(m, &loads, 1, &q, &v, center, jacobian, momentum, &kinetic, &potential, scratch);
  CHECK_NEAR(center[0], 0.5 * c, 1e-15);
  CHECK_NEAR(center[2], 0.5 * s, 1e-15);
  CHECK_NEAR(jacobian[2], 0.5 * c, 1e-15);
  CHECK_NEAR(momentum[2], 2 * 0.5 * c * v, 1e-14);
  CHECK_NEAR(momentum[4], -(0.7 - 2 * 0.25) * v, 1e-14);
  CHECK_NEAR(kinetic, 0.5 * (0.7 + 0.25) * v * v, 1e-14);
  CHECK_NEAR(potential, 2 * 9.81 * 0.5 * s, 1e-14);
  hik_release(scratch);
  hik_model_free(m);
}

static void test_refused(void) {
  static figure f;
  hik_model *m = make(&f, false, false);
  hik_error error;
  hik_loads loads = hik_loads_default();
  int32_t at = 2;
  double bad[10] = {-1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nan[6] = {NAN, 0, 0, 0, 0, 0};
  loads.cookie = 0;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_BAD_ARGUMENT);
  loads = hik_loads_default();
  loads.n_wrench = 1, loads.wrench_frame = &at, loads.wrench = bad;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_NOT_FOUND && error.index == 0);
  at = 0, loads.wrench = nan;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_BAD_ARGUMENT);
  loads.wrench = bad, loads.wrench_stride = 3;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_BAD_ARGUMENT);
  loads = hik_loads_default();
  loads.n_payload = 1, loads.payload_frame = &at, loads.payload = bad;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_BAD_ARGUMENT);
  loads = hik_loads_default();
  loads.gravity[1] = NAN;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_BAD_ARGUMENT);
  loads = hik_loads_default();
  loads.coulomb_width = -1;
  CHECK(hik_loads_check(m, &loads, 1, &error) == HIK_BAD_ARGUMENT);
  hik_model_free(m);
}

static void test_zeros_are_no_answer(void) {
  double axis[6] = {0, 0, 1, 0, 1, 0}, placement[24], inertial[20] = {0}, motor[8] = {0};
  int32_t parent[2] = {-1, 0}, kind[2] = {HIK_REVOLUTE, HIK_REVOLUTE}, frame_joint[2] = {-1, 1};
  double frames[24], body[10] = {0};
  static const double unit[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  for (int k = 0; k < 24; k++) placement[k] = frames[k] = unit[k % 12];
  hik_model_def def = hik_model_def_default();
  double lower[2] = {-1, -1}, upper[2] = {1, 1};
  def.n_joint = 2, def.n_frame = 2, def.parent = parent, def.kind = kind, def.axis = axis;
  def.placement = placement, def.lower = lower, def.upper = upper;
  def.frame_joint = frame_joint, def.frame_placement = frames, def.inertial = inertial, def.motor = motor;
  hik_error error;
  for (int k = 0; k < 5;
       k++) { /* nothing; the last link has inertia; a drive has friction; a payload; on the world */
    hik_model *m;
    memset(inertial, 0, sizeof inertial), memset(motor, 0, sizeof motor), memset(body, 0, sizeof body);
    if (k == 1) inertial[19] = 1e-9;
    motor[1] = motor[5] = 1;
    if (k == 2) motor[6] = 0.1;
    CHECK(hik_model_create(&def, &m, &error) == HIK_OK);
    hik_loads loads = hik_loads_default();
    int32_t at = k == 3;
    if (k > 2) body[0] = 1, loads.n_payload = 1, loads.payload_frame = &at, loads.payload = body;
    hik_status want = k == 1 || k == 2 || k == 3 ? HIK_OK : HIK_BAD_MODEL;
    CHECK(hik_loads_check_mass(m, &loads, &error) == want);
    loads.motor = false;
    CHECK(hik_loads_check_mass(m, &loads, &error) == (k == 2 ? HIK_BAD_MODEL : want));
    hik_model_free(m);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_round_trip);
  RUN(test_same_bytes);
  RUN(test_pendulum);
  RUN(test_refused);
  RUN(test_zeros_are_no_answer);
  CHECK_END();
}
