/* Sixteen postures at once: each as if alone, on every instruction set; filters change nothing; rows are derivatives. */
#include "scene_figures.h"
#include "simd/kernels.h"

enum { MANY = 16 };

static void drawn(const staged *s, uint64_t seed, double (*q)[FIGURE_NQ], double *rows) {
  for (uint64_t l = 0; l < MANY; l++) {
    hik_random_q(s->model, seed, l, q[l]);
    memcpy(rows + l * (size_t)s->model->nq, q[l], sizeof(double) * (size_t)s->model->nq);
  }
}

static void test_a_posture_alone_has_the_same_bytes(void) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  hik_shape shapes[24];
  staged s;
  double q[MANY][FIGURE_NQ], rows[MANY * FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  for (uint64_t seed = 0; seed < CHECK_REPEATS(30, 6); seed++) {
    hik_least all, one;
    drawn(&s, seed, q, rows);
    hik_simd_select("base");
    hik_check_place(s.check, rows, MANY);
    hik_check_least(s.check, 0.3, &all);
    uint32_t free = hik_check_touch(s.check, NULL, false).free;
    for (int k = 0; k < 3; k++) {
      if (!hik_simd_select(sets[k])) continue;
      for (int l = 0; l < MANY; l++) {
        hik_check_place(s.check, q[l], 1);
        double alone[HIK_GROUP];
        hik_check_least(s.check, 0.3, &one), hik_check_distance(s.check, 0.3, alone);
        CHECK(memcmp(alone, one.distance, sizeof alone) == 0);
        CHECK(memcmp(&one.distance[0], &all.distance[l], sizeof(double)) == 0);
        CHECK(one.capsule[0] == all.capsule[l] && one.other[0] == all.other[l]);
        for (int i = 0; i < 3; i++) CHECK(memcmp(&one.on[i][0], &all.on[i][l], sizeof(double)) == 0);
        hik_touched found = hik_check_touch(s.check, NULL, false);
        CHECK(found.free == (free >> l & 1) && found.hit == !found.free);
        CHECK(found.free == (all.distance[l] > 0));
      }
    }
  }
  hik_simd_select("auto");
  unstage(&s);
}

/* All pairs, one after another, without a filter: `near` with no bound. */
static void test_filters_leave_nothing_out(void) {
  hik_shape shapes[24];
  hik_near *near = hik_allocate(sizeof *near * 4000);
  staged s;
  double q[MANY][FIGURE_NQ], rows[MANY * FIGURE_NQ];
  int32_t n = cluttered(shapes, 6), hits = 0;
  stage(&s, shapes, n);
  for (uint64_t seed = 0; seed < CHECK_REPEATS(30, 5); seed++) {
    hik_least found;
    drawn(&s, 100 + seed, q, rows);
    hik_check_place(s.check, rows, MANY);
    int32_t count = hik_check_near(s.check, INFINITY, INFINITY, near, 4000);
    CHECK(count == n * s.figure->n_capsule + s.figure->n_pair);
    hik_check_least(s.check, 0.2, &found);
    uint32_t hit = hik_check_touch(s.check, NULL, false).hit;
    hik_touched first = hik_check_touch(s.check, NULL, true); /* leaves early: says less, and nothing else */
    CHECK((first.hit & ~hit) == 0 && (first.hit != 0) == (hit != 0) && (first.free & hit) == 0);
    for (int l = 0; l < MANY; l++) {
      double least = 0.2;
      for (int32_t k = 0; k < count; k++) least = fmin(least, near[k].distance[l]);
      CHECK(least == found.distance[l]);
      CHECK((hit >> l & 1) == (least <= 0));
      CHECK((found.capsule[l] < 0) == (least == 0.2));
      hits += least <= 0;
    }
    for (int l = 0; l < 3; l++) { /* alone: the same distances, and rows */
      static double many[FIGURE_NQ * HIK_GROUP], alone[FIGURE_NQ * HIK_GROUP];
      hik_check_row(s.check, near + 7 * l, many);
      hik_check_place(s.check, q[l], 1);
      double far = near[7 * l].distance[l];
      CHECK(hik_check_near(s.check, INFINITY, INFINITY, near, 4000) == count &&
            near[7 * l].distance[0] == far);
      hik_check_row(s.check, near + 7 * l, alone);
      for (int32_t k = 0; k < s.model->nv; k++) CHECK(alone[HIK_GROUP * k] == many[HIK_GROUP * k + l]);
      hik_check_place(s.check, rows, MANY);
      hik_check_near(s.check, INFINITY, INFINITY, near, 4000);
    }
    int32_t some = hik_check_near(s.check, 0.1, 0.1, near, 0), within = 0;
    count = hik_check_near(s.check, INFINITY, INFINITY, near, 4000);
    for (int32_t k = 0; k < count; k++) {
      bool in = false;
      for (int l = 0; l < MANY; l++) in = in || near[k].distance[l] < 0.1;
      within += in;
    }
    CHECK(some == within);
  }
  CHECK(hits > 5);
  hik_release(near);
  unstage(&s);
}

static void test_growth(void) {
  hik_shape shape = shape_at(HIK_SHAPE_PLANE, 0, 0, -5, 0, 0, 0);
  staged s;
  hik_least found;
  double q[FIGURE_NQ], sum[PARTS + PARTS * PARTS], none[PARTS + PARTS * PARTS] = {0};
  stage(&s, &shape, 1);
  s.figure->n_pair = 0;
  hik_random_q(s.model, 1, 1, q);
  hik_check_place(s.check, q, 1);
  hik_check_least(s.check, 100, &found);
  for (int k = 0; k < PARTS; k++) sum[k] = found.distance[0];
  hik_growth growth = {.count = 2, .sum = {sum, none}};
  growth.weight[1][0] = 1;
  growth.weight[0][0] = 0.999999;
  CHECK(hik_check_touch(s.check, &growth, false).free == 1);
  growth.weight[0][0] = 1;
  hik_touched t = hik_check_touch(s.check, &growth, false);
  CHECK(t.free == 0 && t.hit == 0);
  growth.sum[1] = sum, growth.weight[0][0] = 0.5, growth.weight[1][0] = 0.5;
  CHECK(hik_check_touch(s.check, &growth, false).free == 0);
  q[0] = NAN;
  hik_check_place(s.check, q, 1);
  t = hik_check_touch(s.check, NULL, false);
  CHECK(t.free == 0 && t.hit == 0);
  unstage(&s);
}

static void test_rows_are_derivatives(void) {
  hik_shape shapes[24];
  hik_near *near = hik_allocate(sizeof *near * 4000), *ahead = hik_allocate(sizeof *near * 4000);
  staged s;
  double q[MANY][FIGURE_NQ], rows[MANY * FIGURE_NQ], row[FIGURE_NQ * 16], v[FIGURE_NQ], moved[FIGURE_NQ];
  int32_t good = 0, all = 0;
  stage(&s, shapes, cluttered(shapes, 7));
  drawn(&s, 9, q, rows);
  for (int l = 0; l < CHECK_REPEATS(MANY, 3); l++) {
    hik_check_place(s.check, q[l], 1);
    int32_t count = hik_check_near(s.check, INFINITY, INFINITY, near, 4000);
    for (int32_t i = 0; i < s.model->nv; i++) {
      memset(v, 0, sizeof v);
      v[i] = 1e-6;
      hik_integrate(s.model, 1, q[l], v, moved);
      hik_check_place(s.check, moved, 1);
      hik_check_near(s.check, INFINITY, INFINITY, ahead, 4000);
      hik_check_place(s.check, q[l], 1);
      for (int32_t k = 0; k < count; k++) {
        hik_check_row(s.check, near + k, row);
        double slope = (ahead[k].distance[0] - near[k].distance[0]) / 1e-6;
        good += fabs(slope - row[16 * i]) < 1e-4, all++;
      }
    }
  }
  CHECK(good > 0.995 * all); /* but where the nearest points jump */
  CHECK(all > 10000);
  hik_release(near), hik_release(ahead);
  unstage(&s);
}

/* Of postures q [n][nq]. */
static void count_contacts(hik_check *check, const double *q, int64_t n, int64_t *touched) {
  size_t nq = (size_t)hik_figure_model(check->figure)->nq;
  for (int64_t i = 0; i < n; i += HIK_GROUP) {
    hik_check_place(check, q + nq * (size_t)i, n - i < HIK_GROUP ? (int32_t)(n - i) : HIK_GROUP);
    hik_kernels_in_use()->scene->count(check, 1e-6, touched);
  }
}

static void test_draws_count_contacts(void) {
  enum { DRAWS = 500 };
  staged s;
  int64_t touched[PARTS * PARTS] = {0}, counted[PARTS * PARTS] = {0};
  hik_near *near = hik_allocate(sizeof *near * PARTS * PARTS);
  stage(&s, NULL, 0);
  size_t nq = (size_t)s.model->nq;
  double *made = hik_allocate(HIK_MADE * nq * sizeof *made), *q = hik_allocate(DRAWS * nq * sizeof *q);
  for (uint64_t d = 0; d < DRAWS; d++) hik_random_q(s.model, 1, 5 + d, q + d * nq);
  count_contacts(s.check, q, DRAWS, touched);
  int64_t sum = 0;
  for (uint64_t d = 0; d < DRAWS; d++) {
    hik_check_place(s.check, q + d * nq, 1);
    CHECK(hik_check_near(s.check, INFINITY, INFINITY, near, PARTS * PARTS) == s.figure->n_pair);
    for (int32_t k = 0; k < s.figure->n_pair; k++) counted[k] += near[k].distance[0] < 1e-6;
  }
  for (int32_t k = 0; k < s.figure->n_pair; k++) {
    CHECK(touched[k] == counted[k]);
    sum += touched[k];
  }
  CHECK(sum > 2);
  /* as often, within four deviations, where the draws are put together joint by joint; in two parts the same */
  hik_check_made(s.model, 1, made);
  memset(touched, 0, sizeof touched), memset(counted, 0, sizeof counted);
  count_contacts(s.check, made, HIK_MADE, counted);
  hik_check_draws(s.check, 1, 0, 1000, made, touched);
  hik_check_draws(s.check, 1, 1000, HIK_MADE - 1000, made, touched);
  for (int32_t k = 0; k < s.figure->n_pair; k++)
    CHECK(fabs((double)(touched[k] - counted[k])) <= 4 * sqrt(2.0 * (double)counted[k] + 4));
  int64_t whole[PARTS * PARTS] = {0};
  hik_check_draws(s.check, 1, 0, HIK_MADE, made, whole);
  CHECK(memcmp(whole, touched, sizeof whole[0] * (size_t)s.figure->n_pair) == 0);
  hik_release(near), hik_release(made), hik_release(q);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_posture_alone_has_the_same_bytes);
  RUN(test_filters_leave_nothing_out);
  RUN(test_growth);
  RUN(test_rows_are_derivatives);
  RUN(test_draws_count_contacts);
  CHECK_END();
}
