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
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  v[1] = 0.25;
  hik_motion_sums(s.figure, v, sum);
  CHECK_NEAR(sum[0], 0.25, 1e-15);
  v[0] = 0.1;
  hik_motion_sums(s.figure, v, sum);
  CHECK(sum[0] == INFINITY);
  hik_figure_free(s.figure), hik_model_free(s.model);
}

/* The same figure, but stout; its pair k may overlap by amount k. */
static hik_figure *giving(const staged *s, const double *allowance) {
  int32_t frame[PARTS];
  double ends[PARTS][6] = {{0}}, radius[PARTS];
  hik_figure *out = NULL;
  hik_error error;
  for (int32_t c = 0; c < s->figure->n_capsule; c++) {
    frame[c] = c, radius[c] = 3 * s->figure->radius[c], ends[c][3] = 0.1, ends[c][4] = 0.02 * c;
  }
  const hik_figure_def def = {s->model, s->figure->n_capsule, s->figure->n_pair, frame, ends[0],
                              radius,   s->figure->pair,      allowance};
  CHECK(hik_figure_create(&def, &out, &error) == HIK_OK);
  return out;
}

/* Every distance of a pair is greater by its allowance, wherever it is measured. */
static void test_a_pair_may_overlap_by_its_allowance(void) {
  static hik_near hard[PARTS * PARTS], soft[PARTS * PARTS];
  staged s;
  stage(&s, NULL, 0);
  int32_t n = s.figure->n_pair;
  double allowance[PARTS * PARTS], deepest[PARTS * PARTS], q[16 * FIGURE_NQ];
  hik_rng rng = hik_rng_start(8, 0);
  for (int32_t k = 0; k < n; k++) allowance[k] = k % 3 ? 0.1 * hik_rng_uniform(&rng) : 0;
  hik_figure *figure = giving(&s, allowance), *hard_one = giving(&s, NULL);
  hik_check *check = hik_check_begin(hik_allocate(hik_check_size(figure, s.world)), figure, s.world);
  hik_check *hard_check = hik_check_begin(hik_allocate(hik_check_size(hard_one, s.world)), hard_one, s.world);
  int64_t given_way = 0, hits = 0;
  for (uint64_t turn = 0; turn < CHECK_REPEATS(200, 40); turn++) {
    for (uint64_t l = 0; l < 16; l++) hik_random_q(s.model, 9, 16 * turn + l, q + l * (size_t)s.model->nq);
    hik_check_place(hard_check, q, 16), hik_check_place(check, q, 16);
    CHECK(hik_check_near(hard_check, 1e6, 1e6, hard, n) == n &&
          hik_check_near(check, 1e6, 1e6, soft, n) == n);
    hik_touched found = hik_check_touch(check, NULL, false);
    hik_least least;
    hik_check_least(check, INFINITY, &least);
    for (int32_t l = 0; l < 16; l++) {
      double nearest = INFINITY;
      for (int32_t k = 0; k < n; k++) {
        CHECK_NEAR(soft[k].distance[l], hard[k].distance[l] + allowance[k], 1e-15);
        for (int i = 0; i < 3; i++) CHECK_NEAR(soft[k].other_axis[i][l], hard[k].other_axis[i][l], 1e-14);
        nearest = fmin(nearest, soft[k].distance[l]);
        given_way += hard[k].distance[l] <= 0 && soft[k].distance[l] > 0;
      }
      CHECK(least.distance[l] == nearest && (nearest <= 0) == (found.hit >> l & 1));
      CHECK((found.free >> l & 1) == !(found.hit >> l & 1));
      hits += found.hit >> l & 1;
      double gap[3]; /* the points lie on the surfaces, whatever may overlap */
      int32_t c = least.capsule[l], other = least.other[l], pair = 0;
      while (figure->pair[2 * pair] != c || figure->pair[2 * pair + 1] != other) pair++;
      for (int i = 0; i < 3; i++) gap[i] = least.on[i][l] - least.other_on[i][l];
      CHECK_NEAR(hik_norm(gap), fabs(nearest - allowance[pair]), 1e-13);
    }
    for (int32_t k = 0; k < n; k++) deepest[k] = 1e-6;
    hik_check_overlaps(check, q, 16, deepest);
    for (int32_t k = 0; k < n; k++) {
      double nearest = 1e-6;
      for (int32_t l = 0; l < 16; l++) nearest = fmin(nearest, soft[k].distance[l]);
      CHECK(deepest[k] == nearest);
    }
  }
  CHECK(given_way > 20 && hits > 20);
  hik_release(check), hik_release(hard_check);
  hik_figure_free(figure), hik_figure_free(hard_one);
  unstage(&s);
}

static void test_what_is_wrong_is_refused(void) {
  staged s;
  stage(&s, NULL, 0);
  int32_t frame = 99, pair[2] = {0, 0};
  double ends[6] = {0}, radius = 0.1;
  hik_figure *out = NULL;
  hik_error error;
  hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, pair, NULL};
  CHECK(hik_figure_create(&def, &out, &error) < 0 && strstr(error.text, "no frame 99"));
  frame = 0, radius = -1;
  CHECK(hik_figure_create(&def, &out, &error) < 0 && strstr(error.text, "radius"));
  radius = 0.1, ends[4] = NAN;
  CHECK(hik_figure_create(&def, &out, &error) < 0);
  ends[4] = 0, def.n_pair = 1;
  CHECK(hik_figure_create(&def, &out, &error) < 0 && strstr(error.text, "pair 0"));
  double allowance = -0.1;
  int32_t frames[2] = {0}, two[2] = {0, 1};
  double both[12] = {0}, radii[2] = {0.1, 0.1};
  hik_figure_def overlapping = {s.model, 2, 1, frames, both, radii, two, &allowance};
  CHECK(hik_figure_create(&overlapping, &out, &error) < 0 && strstr(error.text, "allowance"));
  allowance = INFINITY;
  CHECK(hik_figure_create(&overlapping, &out, &error) < 0 && out == NULL);
  def.n_capsule = -1;
  CHECK(hik_figure_create(&def, &out, &error) < 0 && out == NULL);
  unstage(&s);
}

static void test_what_moves_most_is_looked_at_first(void) {
  staged s;
  double v[FIGURE_NQ], sum[PARTS + PARTS * PARTS];
  stage(&s, NULL, 0);
  for (int32_t i = 0; i < s.model->nv; i++) v[i] = 1;
  hik_motion_sums(s.figure, v, sum);
  int32_t seen[PARTS] = {0}, n = s.figure->n_capsule, base = 0;
  for (int32_t k = 0; k < n; k++) {
    seen[s.figure->order[k]]++;
    base += k > 0 && s.figure->step[s.figure->order[k]] < s.figure->step[s.figure->order[k - 1]];
  }
  for (int32_t k = 0; k < n; k++) CHECK(seen[k] == 1);
  CHECK(base > 0 && sum[s.figure->order[0]] >= sum[s.figure->order[n - 1]]);
  unstage(&s);
}

/* A follower that stands still above a slide without an end: nothing by an infinite lever is no number. */
static void test_what_stands_still_moves_nothing(void) {
  figure f;
  figure_start(&f);
  for (int32_t j = 0; j < 4; j++)
    figure_joint(&f, j - 1, j == 0 ? HIK_BALL : j == 2 ? HIK_PRISMATIC : HIK_REVOLUTE);
  double swing[4 * HIK_FOLLOW_TERMS] = {NAN};
  swing[2 * HIK_FOLLOW_TERMS] = swing[3 * HIK_FOLLOW_TERMS] = NAN;
  f.mimic[1] = 0, f.def.mimic_swing = swing;
  for (int i = 0; i < FIGURE_NQ; i++) f.lower[i] = -INFINITY, f.upper[i] = INFINITY;
  hik_model *m = NULL;
  hik_figure *out = NULL;
  hik_error error;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  int32_t frame[3] = {3, 1, 2};
  double ends[3][6] = {{0}, {0.1, 0.2, 0, 0.1, 0.2, 0}, {0}}, radius[3] = {0.1, 0.1, 0.1};
  const hik_figure_def def = {m, 3, 0, frame, ends[0], radius, NULL, NULL};
  for (int32_t k = 0; k < 3; k++) CHECK(m->frame_step[frame[k]] == frame[k]);
  CHECK(hik_figure_create(&def, &out, &error) == HIK_OK);
  CHECK(out->slope[1] == 0 && out->lever[out->stride] == INFINITY);
  CHECK(out->order[2] == 1); /* what is below the slide goes without end, what is above it does not */
  hik_figure_free(out), hik_model_free(m);
}

/* What eight levers side by side and the rest behind them add is lever times motion of each step in turn, on every instruction set. */
static void test_sums_are_those_of_each_step(void) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  staged s;
  stage(&s, NULL, 0);
  const hik_figure *f = s.figure;
  CHECK(f->n_sum % HIK_EIGHT != 0 && f->n_sum > HIK_EIGHT);
  for (int set = 0; set < 3; set++) {
    if (!hik_simd_select(sets[set])) continue;
    for (uint64_t n = 0; n < 50; n++) {
      double v[FIGURE_NQ], sum[PARTS + PARTS * PARTS + 1], plain[PARTS + PARTS * PARTS] = {0};
      hik_rng rng = hik_rng_start(41, n);
      for (int32_t i = 0; i < s.model->nv; i++) v[i] = hik_rng_uniform(&rng) - 0.5;
      for (int32_t k = 0; k < s.model->n_step; k++) {
        const double *by = v + s.model->step_v[k];
        bool three = s.model->step_kind[k] == HIK_BALL_STEP || hik_step_follows(s.model, k);
        double motion = f->slope[k] * (three ? hik_norm(by) : fabs(*by));
        for (int32_t i = 0; i < f->n_sum && motion > 0; i++) {
          double lever = f->lever[(size_t)k * (size_t)f->stride + (size_t)i];
          if (lever > 0) plain[i] += motion * lever;
        }
      }
      sum[f->n_sum] = 7; /* not written */
      hik_motion_sums(f, v, sum);
      CHECK(memcmp(sum, plain, sizeof *sum * (size_t)f->n_sum) == 0 && sum[f->n_sum] == 7);
    }
  }
  hik_simd_select("auto");
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_sums_bound_the_motion);
  RUN(test_a_slide_without_limits_bounds_nothing);
  RUN(test_a_pair_may_overlap_by_its_allowance);
  RUN(test_what_is_wrong_is_refused);
  RUN(test_what_moves_most_is_looked_at_first);
  RUN(test_what_stands_still_moves_nothing);
  RUN(test_sums_are_those_of_each_step);
  CHECK_END();
}
