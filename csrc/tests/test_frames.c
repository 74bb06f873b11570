/* test_frames.c: model/frames.c. */
#include <stdlib.h>

#include "check.h"
#include "figures.h"

static hik_model *model;
static void *scratch;
static hik_sizes size;

static bool make(const figure *f) {
  hik_error error;
  hik_status status = hik_model_create(&f->def, &model, &error);
  if (status) printf("%s\n", error.text);
  CHECK(status == HIK_OK);
  if (status) return false;
  size = hik_model_sizes(model);
  scratch = malloc(hik_scratch_size(model));
  return scratch != NULL;
}

static void drop(void) {
  free(scratch);
  hik_model_free(model);
}

/* Two hinges in the plane, by hand: the textbook's sums of angles. */
static void test_planar_chain_is_the_textbooks(void) {
  figure f;
  figure_planar(&f, 2);
  if (!make(&f)) return;
  for (int k = 0; k < 50; k++) {
    double q[2] = {0.1 * k - 2, 1.3 - 0.05 * k}, at[32], jac[12];
    hik_frames(model, 1, q, at, false, scratch);
    CHECK_NEAR(at[16 + 3], 0.3 * cos(q[0]) + 0.2 * cos(q[0] + q[1]), 1e-15);
    CHECK_NEAR(at[16 + 7], 0.3 * sin(q[0]) + 0.2 * sin(q[0] + q[1]), 1e-15);
    CHECK_NEAR(at[16 + 0], cos(q[0] + q[1]), 1e-15);
    CHECK_NEAR(at[16 + 4], sin(q[0] + q[1]), 1e-15);
    CHECK(at[16 + 11] == 0 && at[16 + 12] == 0 && at[16 + 15] == 1);
    hik_jacobian(model, 1, 1, q, jac, false, scratch);
    CHECK_NEAR(jac[0], -at[16 + 7], 1e-15);
    CHECK_NEAR(jac[1], -0.2 * sin(q[0] + q[1]), 1e-15);
    CHECK_NEAR(jac[2], at[16 + 3], 1e-15);
    CHECK_NEAR(jac[3], 0.2 * cos(q[0] + q[1]), 1e-15);
    CHECK(jac[4] == 0 && jac[5] == 0 && jac[6] == 0 && jac[8] == 0);
    CHECK_NEAR(jac[10], 1, 1e-15);
    CHECK_NEAR(jac[11], 1, 1e-15);
  }
  drop();
}

static void test_one_frame_is_the_same_bytes_as_all_of_them(void) {
  figure f;
  figure_of_every_kind(&f);
  if (!make(&f)) return;
  enum { N = 20 };
  double q[N * FIGURE_NQ] = {0}, all[N * FIGURE_JOINTS * 16], one[N * 16];
  for (int i = 0; i < N; i++) hik_random_q(model, 3, (uint64_t)i, q + i * size.nq);
  hik_frames(model, N, q, all, false, scratch);
  for (int32_t frame = 0; frame < size.n_frame; frame++) {
    hik_frame(model, frame, N, q, one, scratch);
    for (int i = 0; i < N; i++)
      CHECK(memcmp(one + 16 * i, all + (i * size.n_frame + frame) * 16, 16 * sizeof(double)) == 0);
  }
  drop();
}

static void test_every_frame_is_a_rigid_motion(void) {
  figure f;
  figure_of_every_kind(&f);
  if (!make(&f)) return;
  double q[FIGURE_NQ] = {0}, all[FIGURE_JOINTS * 16];
  for (int draw = 0; draw < 50; draw++) {
    hik_random_q(model, 5, (uint64_t)draw, q);
    hik_frames(model, 1, q, all, false, scratch);
    for (int32_t frame = 0; frame < size.n_frame; frame++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double *m = all + 16 * frame, sum = 0;
          for (int k = 0; k < 3; k++) sum += m[4 * i + k] * m[4 * j + k];
          CHECK_NEAR(sum, i == j, 1e-13);
        }
  }
  drop();
}

/* Column by column against central differences of the pose along v. */
static void test_jacobian_is_the_derivative_for_every_kind(void) {
  figure f;
  figure_of_every_kind(&f);
  if (!make(&f)) return;
  const double h = 1e-6;
  double q[FIGURE_NQ] = {0}, moved[FIGURE_NQ], v[FIGURE_NQ], jac[6 * FIGURE_NQ], a[16], b[16];
  for (int draw = 0; draw < 8; draw++) {
    hik_random_q(model, 11, (uint64_t)draw, q);
    for (int32_t frame = 0; frame < size.n_frame; frame++) {
      hik_jacobian(model, frame, 1, q, jac, false, scratch);
      for (int32_t k = 0; k < size.nv; k++) {
        memset(v, 0, sizeof v);
        v[k] = h;
        hik_integrate(model, 1, q, v, moved);
        hik_frame(model, frame, 1, moved, a, scratch);
        v[k] = -h;
        hik_integrate(model, 1, q, v, moved);
        hik_frame(model, frame, 1, moved, b, scratch);
        double ra[9], rb[9], turn[9], w[3];
        for (int i = 0; i < 9; i++) ra[i] = a[4 * (i / 3) + i % 3], rb[i] = b[4 * (i / 3) + i % 3];
        hik_mat_mult(ra, rb, turn);
        hik_mat_log(turn, w);
        for (int i = 0; i < 3; i++) {
          CHECK_NEAR(jac[i * size.nv + k], (a[4 * i + 3] - b[4 * i + 3]) / (2 * h), 1e-8);
          CHECK_NEAR(jac[(i + 3) * size.nv + k], w[i] / (2 * h), 1e-8);
        }
      }
    }
  }
  drop();
}

static void test_difference_undoes_integrate(void) {
  figure f;
  figure_of_every_kind(&f);
  if (!make(&f)) return;
  double q[FIGURE_NQ] = {0}, v[FIGURE_NQ], back[FIGURE_NQ], moved[FIGURE_NQ];
  hik_rng rng = hik_rng_start(1, 2);
  for (int draw = 0; draw < 100; draw++) {
    hik_random_q(model, 7, (uint64_t)draw, q);
    for (int32_t k = 0; k < size.nv; k++)
      v[k] = 3 * hik_rng_uniform(&rng) - 1.5; /* a ball turns by less than pi */
    hik_integrate(model, 1, q, v, moved);
    hik_difference(model, 1, q, moved, back);
    for (int32_t k = 0; k < size.nv; k++) CHECK_NEAR(back[k], v[k], 1e-12);
    hik_integrate(model, 1, q, v, q); /* in place */
    CHECK(memcmp(q, moved, (size_t)size.nq * sizeof(double)) == 0);
  }
  drop();
}

static void test_difference_takes_the_shorter_way_round(void) {
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_BALL);
  if (!make(&f)) return;
  double a[4] = {1, 0, 0, 0}, b[4], v[3], far[3] = {0, 0, 4};
  hik_integrate(model, 1, a, far, b);
  hik_difference(model, 1, a, b, v);
  CHECK_NEAR(v[2], 4 - 2 * HIK_PI, 1e-14);
  for (int i = 0; i < 4; i++) b[i] = -b[i]; /* the same rotation */
  hik_difference(model, 1, a, b, v);
  CHECK_NEAR(v[2], 4 - 2 * HIK_PI, 1e-14);
  drop();
}

static void test_a_batch_is_its_rows(void) {
  figure f;
  figure_of_every_kind(&f);
  if (!make(&f)) return;
  enum { N = 9 };
  double q[N * FIGURE_NQ] = {0}, all[N * 6 * FIGURE_NQ], one[6 * FIGURE_NQ];
  for (int i = 0; i < N; i++) hik_random_q(model, 13, (uint64_t)i, q + i * size.nq);
  hik_jacobian(model, size.n_frame - 1, N, q, all, false, scratch);
  double every[N * FIGURE_JOINTS * 16], own[FIGURE_JOINTS * 16];
  size_t row = 16 * (size_t)size.n_frame;
  hik_frames(model, N, q, every, false, scratch);
  for (int i = 0; i < N; i++) {
    hik_frames(model, 1, q + i * size.nq, own, false, scratch);
    CHECK(memcmp(own, every + (size_t)i * row, row * sizeof(double)) == 0);
    hik_jacobian(model, size.n_frame - 1, 1, q + i * size.nq, one, false, scratch);
    CHECK(memcmp(one, all + i * 6 * size.nv, 6 * (size_t)size.nv * sizeof(double)) == 0);
  }
  hik_jacobian(model, 0, 0, q, all, false, scratch); /* an empty batch touches nothing */
  drop();
}

/* More than the caches hold, one double off every boundary, the last group not full: neither the bytes nor what stands
   before and behind them change. */
static void test_past_the_caches_are_the_same_bytes(void) {
  static const char *const names[] = {"base", "avx2", "avx512"};
  figure f;
  figure_planar(&f, 7);
  if (!make(&f)) return;
  enum { N = 60001 };
  size_t row = 16 * (size_t)size.n_frame, wide = 6 * (size_t)size.nv, count = N * row;
  double *q = malloc(N * (size_t)size.nq * sizeof *q), *whole = malloc((count + 3) * sizeof *whole);
  double *expected = malloc(count * sizeof *expected);
  CHECK(q && whole && expected);
  for (int i = 0; q && i < N; i++) hik_random_q(model, 17, (uint64_t)i, q + i * size.nq);
  for (int set = 0; q && whole && expected && set < 3; set++) {
    if (!hik_simd_select(names[set])) continue;
    double *out = whole + 1 + (set == 1);
    out[-1] = out[count] = 5;
    hik_frames(model, N, q, out, true, scratch);
    hik_frames(model, N, q, expected, false, scratch);
    CHECK(memcmp(out, expected, count * sizeof *out) == 0 && out[-1] == 5 && out[count] == 5);
    count = N * wide;
    out[count] = 5;
    hik_jacobian(model, size.n_frame - 1, N, q, out, true, scratch);
    hik_jacobian(model, size.n_frame - 1, N, q, expected, false, scratch);
    CHECK(memcmp(out, expected, count * sizeof *out) == 0 && out[-1] == 5 && out[count] == 5);
    count = N * row;
  }
  hik_simd_select("auto");
  free(q);
  free(whole);
  free(expected);
  drop();
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_planar_chain_is_the_textbooks);
  RUN(test_one_frame_is_the_same_bytes_as_all_of_them);
  RUN(test_every_frame_is_a_rigid_motion);
  RUN(test_jacobian_is_the_derivative_for_every_kind);
  RUN(test_difference_undoes_integrate);
  RUN(test_difference_takes_the_shorter_way_round);
  RUN(test_a_batch_is_its_rows);
  RUN(test_past_the_caches_are_the_same_bytes);
  CHECK_END();
}
