/* Rounded polygons: the density's integrals by sums, shares that never fall, places that begin and end where edges do. */
#include "plan/smooth.h"

#include "base/rng.h"
#include "check.h"
#include "figures.h"

enum { VERTICES = 9, PARTS_OF_1 = 20000 };

/* The density itself, of half a width 1: rises over a quarter of its width, stays, falls. */
static double density(double x) {
  double side = 1 - fabs(x);
  return side <= 0 ? 0 : fmin(side / 0.5, 1) / 1.5;
}

static void test_the_ramp_is_the_density_twice_integrated(void) {
  double once = 0, twice = 0, step = 2.0 / PARTS_OF_1;
  for (int k = 0; k <= PARTS_OF_1; k++) {
    double x = -1 + k * step;
    if (k % 100 == 0) CHECK_NEAR(hik_smooth_ramp(3 * x, 3), 3 * twice, 1e-7);
    twice += step * (once + 0.5 * step * density(x + 0.5 * step)), once += step * density(x + 0.5 * step);
  }
  CHECK_NEAR(once, 1, 1e-8);
  CHECK(hik_smooth_ramp(-1e-9, 0) == 0 && hik_smooth_ramp(1e-9, 0) == 1e-9 && hik_smooth_ramp(0, 0) == 0);
  CHECK(hik_smooth_ramp(-2, 2) == 0 && hik_smooth_ramp(2, 2) == 2);
}

/* Random times, among them short ones, and wishes. */
static void draw(hik_rng *rng, double *at, double *half) {
  at[0] = 0;
  for (int i = 0; i < VERTICES; i++) {
    half[i] = 2 * hik_rng_uniform(rng) * (hik_rng_uniform(rng) < 0.8);
    if (i > 0) at[i] = at[i - 1] + pow(10, -3 * hik_rng_uniform(rng) * (hik_rng_uniform(rng) < 0.3));
  }
}

static void test_ordered_shares_never_fall_and_few_overlap(void) {
  hik_rng rng = hik_rng_start(4, 1);
  int kept = 0, lessened = 0, overlapping = 0;
  for (int n = 0; n < CHECK_REPEATS(300, 30); n++) {
    double at[VERTICES], half[VERTICES], wish[VERTICES], before[VERTICES] = {0};
    draw(&rng, at, half), memcpy(wish, half, sizeof wish);
    hik_smooth c = {VERTICES, at, half, NULL, NULL};
    hik_smooth_order(&c);
    CHECK(half[0] == 0 && half[VERTICES - 1] == 0);
    for (int i = 1; i < VERTICES; i++) {
      CHECK(half[i] >= 0 && half[i] <= wish[i] && fabs(half[i] - half[i - 1]) <= at[i] - at[i - 1] + 1e-12);
      if (i >= 3) CHECK(at[i] - half[i] >= at[i - 3] + half[i - 3] - 1e-12);
      if (i > 0) overlapping += at[i] - half[i] < at[i - 1] + half[i - 1] - 1e-9;
      kept += half[i] > 0 && half[i] == wish[i], lessened += half[i] > 0 && half[i] < wish[i];
    }
    for (int k = 0; k <= 400; k++) {
      double s = at[VERTICES - 1] * k / 400, gone = 0;
      int32_t first, last, other, end;
      hik_smooth_edges(&c, 0, s, s, &first, &last);
      hik_smooth_edges(&c, VERTICES - 2, s, s, &other, &end);
      CHECK(first == other && last == end && last - first < 4);
      for (int j = 0; j + 1 < VERTICES; j++) {
        double share = hik_smooth_share(&c, j, s);
        CHECK(share >= before[j] - 1e-12 && share >= 0 && share <= 1);
        if (j < first) CHECK_NEAR(share, 1, 1e-9);
        if (j > last) CHECK_NEAR(share, 0, 1e-9);
        before[j] = share, gone += share * (at[j + 1] - at[j]);
      }
      if (half[1] == 0 && s <= at[1]) CHECK_NEAR(gone, s, 1e-9);
    }
  }
  CHECK(kept > CHECK_REPEATS(200, 20) && lessened > CHECK_REPEATS(200, 20) &&
        overlapping > CHECK_REPEATS(200, 20));
}

/* On every kind of joint: at corners that stay the curve is there, elsewhere its second difference is bounded as the
   density is, which a jump of velocity would be over. */
static void test_places_follow_the_polygon_without_a_jump(void) {
  figure f;
  hik_model *m = NULL;
  hik_error error;
  figure_of_every_kind(&f);
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  double q[VERTICES][FIGURE_NQ], way[VERTICES][FIGURE_NQ], at[VERTICES], half[VERTICES];
  double move[FIGURE_NQ], room[FIGURE_NQ], place[3][FIGURE_NQ], d[2][FIGURE_NQ], all[VERTICES * FIGURE_NQ],
      ways[VERTICES * FIGURE_NQ];
  hik_rng rng = hik_rng_start(9, 1);
  for (int i = 0; i < VERTICES; i++) {
    hik_random_q(m, 3, (uint64_t)i, q[i]), at[i] = i, half[i] = i == 4 ? 0 : 0.3 + hik_rng_uniform(&rng);
    memcpy(all + i * m->nq, q[i], (size_t)m->nq * sizeof(double));
    if (i > 0) hik_difference(m, 1, q[i - 1], q[i], way[i - 1]);
    if (i > 0) memcpy(ways + (i - 1) * m->nv, way[i - 1], (size_t)m->nv * sizeof(double));
  }
  hik_smooth c = {VERTICES, at, half, all, ways};
  hik_smooth_order(&c);
  for (int i = 0; i < VERTICES; i += 4) {
    hik_smooth_place(m, &c, 3, at[i], move, room, place[0]);
    hik_difference(m, 1, q[i], place[0], d[0]);
    for (int k = 0; k < m->nv; k++) CHECK_NEAR(d[0][k], 0, 1e-9);
  }
  const double h = 1e-3;
  double most = 0;
  for (int n = 2; n < 8000 - 1; n++) {
    double s = n * h, bend = 0;
    if (fabs(s - 4) < 2 * h) continue; /* that corner is one */
    for (int k = 0; k < 3; k++) hik_smooth_place(m, &c, n / 1000, s + (k - 1) * h, move, room, place[k]);
    for (int k = 0; k < 2; k++) hik_difference(m, 1, place[k], place[k + 1], d[k]);
    for (int k = 0; k < m->nv; k++) bend = fmax(bend, fabs(d[1][k] - d[0][k]) / (h * h));
    most = fmax(most, bend);
  }
  CHECK(most > 1 && most < 200); /* a jump of 1 would be 1000 */
  hik_model_free(m);
}

/* Slopes are the ramp's, and they grow by no more than the peak says. */
static void test_slopes_are_those_of_the_ramp(void) {
  const double d = 1e-6;
  hik_rng rng = hik_rng_start(10, 1);
  for (int n = 0; n < 300; n++) {
    double h = 0.2 + hik_rng_uniform(&rng), x = 4 * hik_rng_uniform(&rng) - 2;
    double slope = (hik_smooth_ramp(x + d, h) - hik_smooth_ramp(x - d, h)) / (2 * d);
    CHECK_NEAR(hik_smooth_slope(x, h), slope, 1e-5);
    double more = hik_smooth_slope(x + 1e-3, h) - hik_smooth_slope(x, h);
    CHECK(more >= -1e-15 && more <= 1e-3 * hik_smooth_peak(h) * (1 + 1e-9));
  }
  CHECK_NEAR((hik_smooth_slope(1e-3, 1) - hik_smooth_slope(0, 1)) / 1e-3, hik_smooth_peak(1), 1e-9);
  CHECK(hik_smooth_slope(-1, 0) == 0 && hik_smooth_slope(0, 0) == 1 && hik_smooth_slope(1, 0) == 1);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_ramp_is_the_density_twice_integrated);
  RUN(test_ordered_shares_never_fall_and_few_overlap);
  RUN(test_places_follow_the_polygon_without_a_jump);
  RUN(test_slopes_are_those_of_the_ramp);
  CHECK_END();
}
