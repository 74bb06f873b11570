/* Levers: no point of a capsule, seen from the other of a pair, moves farther than the sums say. */
#include "scene_figures.h"

/* Positions of both ends of all capsules. */
static void ends_of(staged *s, const double *q, double (*out)[6]) {
  hik_check_place(s->check, q, 1);
  for (int32_t c = 0; c < s->figure->n_capsule; c++)
    for (int i = 0; i < 3; i++) {
      out[c][i] = s->check->axis[16 * (6 * c + i)];
      out[c][3 + i] = out[c][i] + s->check->axis[16 * (6 * c + 3 + i)];
    }
}

static double way(const double *a, const double *b) {
  double d[3];
  hik_sub3(a, b, d);
  return hik_norm(d);
}

static void test_sums_bound_the_motion(void) {
  staged s;
  double q[2][FIGURE_NQ], v[FIGURE_NQ], sum[PARTS + PARTS * PARTS], before[PARTS][6], after[PARTS][6],
      tight = 0;
  stage(&s, NULL, 0);
  for (uint64_t k = 0; k < CHECK_REPEATS(2000, 300); k++) {
    hik_random_q(s.model, 3, k, q[0]);
    hik_rng rng = hik_rng_start(4, k);
    for (int32_t i = 0; i < s.model->nv; i++)
      v[i] = (hik_rng_uniform(&rng) - 0.5) * (k % 7 == (uint64_t)i % 7 ? 0.3 : 0);
    hik_integrate(s.model, 1, q[0], v, q[1]);
    hik_clamp(s.model, 1, q[1]);
    hik_difference(s.model, 1, q[0], q[1], v);
    hik_motion_sums(s.figure, v, sum);
    ends_of(&s, q[0], before), ends_of(&s, q[1], after);
    for (int32_t c = 0; c < s.figure->n_capsule; c++)
      for (int e = 0; e < 6; e += 3) {
        double moved = way(before[c] + e, after[c] + e);
        CHECK(moved <= sum[c] + 1e-12);
        if (sum[c] > 0) tight = fmax(tight, moved / sum[c]);
      }
    for (int32_t p = 0; p < s.figure->n_pair; p++) {
      const int32_t *pair = s.figure->pair + 2 * p;
      double change = way(before[pair[0]], before[pair[1]]) - way(after[pair[0]], after[pair[1]]);
      CHECK(fabs(change) <= sum[s.figure->n_capsule + p] + 1e-12);
    }
  }
  CHECK(tight > 0.9); /* a bound that is worth its name */
  unstage(&s);
}

static void test_a_slide_without_limits_bounds_nothing(void) {
  staged s;
  double sum[PARTS + PARTS * PARTS], v[FIGURE_NQ] = {0};
  figure_start(&s.f);
  figure_joint(&s.f, figure_joint(&s.f, -1, HIK_REVOLUTE), HIK_PRISMATIC);
  s.f.lower[1] = -INFINITY, s.f.upper[1] = INFINITY;
  hik_error error;
  int32_t frame = 1;
  double ends[6] = {0}, radius = 0.1;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  v[1] = 0.25;
  hik_motion_sums(s.figure, v, sum);
  CHECK_NEAR(sum[0], 0.25, 1e-15);
  v[0] = 0.1;
  hik_motion_sums(s.figure, v, sum);
  CHECK(sum[0] == INFINITY);
  hik_figure_free(s.figure), hik_model_free(s.model);
}

static void test_what_is_wrong_is_refused(void) {
  staged s;
  stage(&s, NULL, 0);
  int32_t frame = 99, pair[2] = {0, 0};
  double ends[6] = {0}, radius = 0.1;
  hik_figure *out = NULL;
  hik_error error;
  hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, pair};
  CHECK(hik_figure_create(&def, &out, &error) < 0 && strstr(error.text, "no frame 99"));
  frame = 0, radius = -1;
  CHECK(hik_figure_create(&def, &out, &error) < 0 && strstr(error.text, "radius"));
  radius = 0.1, ends[4] = NAN;
  CHECK(hik_figure_create(&def, &out, &error) < 0);
  ends[4] = 0, def.n_pair = 1;
  CHECK(hik_figure_create(&def, &out, &error) < 0 && strstr(error.text, "pair 0"));
  def.n_capsule = -1;
  CHECK(hik_figure_create(&def, &out, &error) < 0 && out == NULL);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_sums_bound_the_motion);
  RUN(test_a_slide_without_limits_bounds_nothing);
  RUN(test_what_is_wrong_is_refused);
  CHECK_END();
}
