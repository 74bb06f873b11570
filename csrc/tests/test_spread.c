/* test_spread.c: model/spread.c, and the dynamics that stand on it. */
#include "model/spread.h"

#include <stdlib.h>

#include "check.h"
#include "figures.h"

enum { ROWS = 19, NQ = 5, NV = 4, FOLLOWERS = 3 };

/* A hinge; a slide and a hinge that follow the ball below them; that ball; a hinge that follows below it. All have mass. */
static hik_model *follower(void) {
  figure f;
  double swing[5 * HIK_FOLLOW_TERMS], body[50] = {0};
  hik_rng rng = hik_rng_start(4, 4);
  figure_start(&f);
  for (int32_t j = 0; j < 5; j++) {
    figure_joint(&f, j - 1, j == 1 ? HIK_PRISMATIC : j == 3 ? HIK_BALL : HIK_REVOLUTE);
    for (int k = 0; k < HIK_FOLLOW_TERMS; k++)
      swing[HIK_FOLLOW_TERMS * j + k] = 0.4 * hik_rng_uniform(&rng) - 0.2;
    if (j == 0 || j == 3)
      swing[HIK_FOLLOW_TERMS * j] = NAN;
    else
      f.mimic[j] = 3;
    body[10 * j] = 1 + j, body[10 * j + 1] = 0.1, body[10 * j + 3] = -0.2;
    body[10 * j + 4] = body[10 * j + 7] = body[10 * j + 9] = 0.5;
  }
  f.def.mimic_swing = swing, f.def.inertial = body;
  hik_model *m = NULL;
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  if (!m) printf("%s\n", error.text), exit(1);
  return m;
}

static void draw(const hik_model *m, double *q, double *v, double *a) {
  hik_rng rng = hik_rng_start(6, 6);
  for (int i = 0; i < ROWS; i++) hik_random_q(m, 8, (uint64_t)i, q + NQ * i);
  for (int i = 0; i < ROWS * NV; i++)
    v[i] = 2 * hik_rng_uniform(&rng) - 1, a[i] = 2 * hik_rng_uniform(&rng) - 1;
}

static void test_rates_are_differences_and_gather_is_their_transpose(void) {
  hik_model *m = follower();
  double q[ROWS * NQ], v[ROWS * NV], a[ROWS * NV];
  draw(m, q, v, a);
  hik_model free = hik_spread_model(m);
  CHECK(free.nq == NQ + FOLLOWERS && free.nv == NV + FOLLOWERS && free.n_follow == 0 &&
        m->n_follow == FOLLOWERS);
  for (int i = 0; i < ROWS; i++) {
    double at[3][NQ + FOLLOWERS], V[NV + FOLLOWERS], A[NV + FOLLOWERS], rates[3 * FOLLOWERS],
        x[NV + FOLLOWERS];
    for (int k = -1; k <= 1; k++) {
      double to[NQ], by[NV], t = 1e-4 * k;
      for (int j = 0; j < NV; j++) by[j] = v[NV * i + j] * t + 0.5 * a[NV * i + j] * t * t;
      hik_integrate(m, 1, q + NQ * i, by, to);
      hik_spread_q(m, to, at[k + 1]);
    }
    hik_spread_rates(m, q + NQ * i, v + NV * i, a + NV * i, rates, V, A);
    for (int k = 0; k < FOLLOWERS; k++) {
      CHECK_NEAR((at[2][NQ + k] - at[0][NQ + k]) / 2e-4, V[NV + k], 1e-6);
      CHECK_NEAR((at[2][NQ + k] - 2 * at[1][NQ + k] + at[0][NQ + k]) * 1e8, A[NV + k], 2e-6);
    }
    double back[2 * NV] = {0}, there = 0, here = 0;
    for (int k = 0; k < NV + FOLLOWERS; k++) x[k] = 0.3 * k - 1, there += x[k] * V[k];
    hik_gather(m, rates, x, 1, back, 2);
    for (int k = 0; k < NV; k++) here += back[2 * k] * v[NV * i + k];
    CHECK_NEAR(here, there, 1e-12);
    hik_spread_rates(m, q + NQ * i, NULL, NULL, rates, V, A);
    for (int k = 0; k < NV + FOLLOWERS; k++) CHECK(V[k] == 0 && A[k] == 0);
  }
  hik_model_free(m);
}

/* What moves a figure is M a and what keeps it still; forward dynamics find a again; a row alone has the bytes of the batch.
   A push differs from row to row. */
static void test_dynamics(void) {
  hik_model *m = follower();
  double q[ROWS * NQ], v[ROWS * NV], a[ROWS * NV], tau[ROWS * NV], still[ROWS * NV], M[ROWS * NV * NV],
      back[ROWS * NV];
  double push[ROWS * 6], one[NV];
  const int32_t frame = 4;
  draw(m, q, v, a);
  for (int i = 0; i < ROWS * 6; i++) push[i] = 0.1 * (i % 17) - 0.7;
  hik_loads loads = hik_loads_default();
  loads.n_wrench = 1, loads.wrench_frame = &frame, loads.wrench = push, loads.wrench_stride = 6;
  void *scratch = malloc(hik_dynamics_scratch_size(m, &loads));
  if (!scratch) return;
  CHECK(hik_loads_check(m, &loads, ROWS, NULL) == HIK_OK);
  hik_inverse_dynamics(m, &loads, ROWS, q, v, a, tau, scratch);
  hik_inverse_dynamics(m, &loads, ROWS, q, v, NULL, still, scratch);
  hik_mass_matrix(m, &loads, ROWS, q, M, scratch);
  hik_forward_dynamics(m, &loads, ROWS, q, v, tau, back, scratch);
  for (int i = 0; i < ROWS; i++) {
    for (int r = 0; r < NV; r++) {
      double sum = still[NV * i + r];
      for (int c = 0; c < NV; c++) {
        sum += M[(NV * i + r) * NV + c] * a[NV * i + c];
        CHECK_NEAR(M[(NV * i + r) * NV + c], M[(NV * i + c) * NV + r], 1e-13);
      }
      CHECK_NEAR(sum, tau[NV * i + r], 1e-11);
      CHECK_NEAR(back[NV * i + r], a[NV * i + r], 1e-9);
    }
    loads.wrench = push + 6 * i;
    hik_inverse_dynamics(m, &loads, 1, q + NQ * i, v + NV * i, a + NV * i, one, scratch);
    CHECK(memcmp(one, tau + NV * i, sizeof one) == 0);
  }
  loads.wrench = push;
  memcpy(back, tau, sizeof back); /* what comes may be where it is written */
  hik_forward_dynamics(m, &loads, ROWS, q, v, back, back, scratch);
  for (int i = 0; i < ROWS * NV; i++) CHECK_NEAR(back[i], a[i], 1e-9);
  free(scratch);
  hik_model_free(m);
}

/* Power is the rate of energy: kinetic and potential along a motion; the centre's Jacobian against differences. */
static void test_state(void) {
  hik_model *m = follower();
  double q[ROWS * NQ], v[ROWS * NV], a[ROWS * NV], center[ROWS * 3], jacobian[ROWS * 3 * NV], kinetic[ROWS],
      M[ROWS * NV * NV];
  draw(m, q, v, a);
  hik_loads loads = hik_loads_default();
  void *scratch = malloc(hik_dynamics_scratch_size(m, &loads));
  if (!scratch) return;
  hik_mass_state(m, &loads, ROWS, q, v, center, jacobian, NULL, kinetic, NULL, scratch);
  hik_mass_matrix(m, &loads, ROWS, q, M, scratch);
  for (int i = 0; i < ROWS; i++) {
    double sum = 0, ahead[3], behind[3], to[NQ];
    for (int r = 0; r < NV; r++)
      for (int c = 0; c < NV; c++) sum += 0.5 * v[NV * i + r] * M[(NV * i + r) * NV + c] * v[NV * i + c];
    CHECK_NEAR(kinetic[i], sum, 1e-12);
    for (int c = 0; c < NV; c++) {
      double by[NV] = {0};
      by[c] = 1e-5;
      hik_integrate(m, 1, q + NQ * i, by, to);
      hik_mass_state(m, &loads, 1, to, NULL, ahead, NULL, NULL, NULL, NULL, scratch);
      by[c] = -1e-5;
      hik_integrate(m, 1, q + NQ * i, by, to);
      hik_mass_state(m, &loads, 1, to, NULL, behind, NULL, NULL, NULL, NULL, scratch);
      for (int r = 0; r < 3; r++)
        CHECK_NEAR((ahead[r] - behind[r]) / 2e-5, jacobian[(3 * i + r) * NV + c], 1e-9);
    }
  }
  free(scratch);
  hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_rates_are_differences_and_gather_is_their_transpose);
  RUN(test_dynamics);
  RUN(test_state);
  CHECK_END();
}
