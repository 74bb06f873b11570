/* test_subproblem.c: every subproblem against angles that made its numbers, and against a fine scan of its equation. */
#include "analytic/subproblem.h"
#include "tests/arms.h"
#include "tests/check.h"

static hik_rng rng;

static void vector(double v[3]) {
  for (int i = 0; i < 3; i++) v[i] = draw(&rng, -1, 1);
}

static void axis(double v[3]) {
  do vector(v);
  while (hik_norm(v) < 0.1);
  hik_unit(v, v);
}

static void turned(const double k[3], double x, const double p[3], double out[3]) {
  double r[9], s, c;
  hik_sincos(x, &s, &c);
  hik_mat_axis(k, c, s, r);
  hik_mat_vec(r, p, out);
}

static bool holds(double x, const double *found, int n) {
  for (int i = 0; i < n; i++)
    if (fabs(hik_wrap(x - found[i])) < 1e-6) return true;
  return false;
}

static double gap(const double a[3], const double b[3]) {
  double d[3];
  hik_sub3(a, b, d);
  return hik_norm(d);
}

static void test_roots_by_construction(void) {
  for (int round = 0; round < 3000; round++) {
    int real = 2 * (round % 3), count;
    double c[5] = {draw(&rng, 0.5, 2)}, root[4], want[4];
    int degree = 0;
    for (int k = 0; k < 4; k += 2) {
      double a, b; /* x^2 + a x + b */
      if (k < real) {
        want[k] = draw(&rng, -3, 3), want[k + 1] = draw(&rng, -3, 3);
        a = -want[k] - want[k + 1], b = want[k] * want[k + 1];
      } else {
        double u = draw(&rng, -2, 2), v = draw(&rng, 0.1, 2);
        a = 2 * u, b = u * u + v * v;
      }
      for (int i = degree + 2; i >= 0; i--)
        c[i] = (i >= 2 ? c[i - 2] : 0) + (i >= 1 && i <= degree + 1 ? a * c[i - 1] : 0) +
               (i <= degree ? b * c[i] : 0);
      degree += 2;
    }
    bool close = false;
    for (int i = 0; i < real; i++)
      for (int j = 0; j < i; j++) close = close || fabs(want[i] - want[j]) < 1e-3;
    if (close) continue;
    count = hik_real_roots(4, c, 1e-12, root);
    CHECK(count == real);
    for (int i = 0; i < real; i++) {
      double least = 1;
      for (int j = 0; j < count; j++) least = fmin(least, fabs(want[i] - root[j]));
      CHECK(least < 1e-9);
    }
  }
}

static void test_roots_that_meet(void) {
  double two[5] = {4, 0, -4, 0, 1}, root[4]; /* (x^2 - 2)^2 */
  CHECK(hik_real_roots(4, two, 1e-12, root) == 2);
  CHECK_NEAR(root[1], sqrt(2), 1e-7);
  double four[5] = {1, -4, 6, -4, 1}; /* (x - 1)^4 */
  CHECK(hik_real_roots(4, four, 1e-12, root) >= 1);
  CHECK_NEAR(root[0], 1, 1e-3);
  double none[5] = {1.001, 0, -2, 0, 1};
  CHECK(hik_real_roots(4, none, 1e-9, root) == 0);
  double near[5] = {1 + 1e-11, 0, -2, 0, 1};
  CHECK(hik_real_roots(4, near, 1e-9, root) == 2);
  double line[5] = {3, -1, 0, 0, 0};
  CHECK(hik_real_roots(4, line, 1e-9, root) == 1);
  CHECK_NEAR(root[0], 3, 1e-15);
  double nothing[5] = {0};
  CHECK(hik_real_roots(4, nothing, 1e-9, root) == 0);
  CHECK(hik_real_roots(1, (const double[2]){0, 0}, 1e-9, root) == 0);
}

/* Near 0 a polynomial is no larger than the rounding of its coefficients: two roots that meet there. */
static void test_roots_that_meet_at_zero(void) {
  double root[4], above[3] = {8e-16, -4e-16, 1}, clear[3] = {1e-10, 0, 1}, just[3] = {0.9e-12, 0, 1};
  CHECK(hik_real_roots(2, above, 1e-9, root) == 1 && fabs(root[0]) < 1e-15);
  CHECK(hik_real_roots(2, just, 1e-9, root) == 1);
  CHECK(hik_real_roots(2, clear, 1e-9, root) == 0);
}

/* x1 = x2 and y1 = y2 of two turns, or of two slides: any value will do, and one is given. */
static void test_a_conic_over_again_is_free(void) {
  for (int kind = 0; kind < 2; kind++) {
    hik_pair pair = {kind, kind, {{0, 1, 0}, {0, 0, 1}}, {{-1, 0}, {0, -1}}};
    hik_unknown first[4], second[4];
    bool is_free[4];
    CHECK(hik_pair_solve(&pair, first, second, is_free) == 1 && is_free[0]);
    CHECK(first[0].x == second[0].x && first[0].y == second[0].y);
    pair.a[0][0] = 1e-4; /* no longer */
    int n = hik_pair_solve(&pair, first, second, is_free);
    for (int k = 0; k < n; k++) CHECK(!is_free[k]);
  }
}

/* An unknown that is in neither equation is free whichever of the two binds the other. */
static void test_an_unknown_that_is_not_there(void) {
  for (int row = 0; row < 2; row++)
    for (int swap = 0; swap < 2; swap++) {
      hik_pair pair = {0, 0, {{0}}, {{0}}};
      hik_unknown first[4], second[4];
      bool is_free[4];
      pair.a[row][0] = 0.5;
      if (swap)
        pair.b[row][0] = 1;
      else
        pair.a[row][1] = 1;
      int n = hik_pair_solve(&pair, first, second, is_free);
      CHECK(n == 2);
      for (int k = 0; k < n; k++) CHECK(is_free[k] && fabs((swap ? second : first)[k].x + 0.5) < 1e-14);
    }
}

/* Both equations are about one unknown: where they cross counts, not a root of one that rounding puts 1e-8 beside the
   other's. */
static void test_two_lines_about_one_unknown(void) {
  for (int swap = 0; swap < 2; swap++)
    for (int k = 0; k < 40; k++) {
      double off = (k - 20) * 1e-17; /* sin = 0, cos = -1, in the size of rounding */
      hik_pair pair = {0, 0, {{off, 0, 0}, {-0.3, 0, 0}}, {{0}}};
      double *first = swap ? pair.b[0] : &pair.a[0][1], *second = swap ? pair.b[1] : &pair.a[1][1];
      first[1] = 1, second[0] = -0.3 * (1 + k * 1e-16), second[1] = 1e-17;
      hik_unknown one[4], two[4];
      bool is_free[4];
      CHECK(hik_pair_solve(&pair, one, two, is_free) == 1 && is_free[0]);
      CHECK(fabs((swap ? two : one)[0].x + 1) < 1e-14);
    }
}

/* Unknown 1 is free in one equation, but the other has room for few of its values: representatives are among them, and
   where there are two ranges of such values there is one of each. */
static void test_a_free_unknown_stays_where_the_other_can_follow(void) {
  hik_pair pair = {0, 0, {{0, 0, 0}, {0.3, 0.4, 0.1}}, {{0, 0}, {0, -0.6}}};
  hik_unknown one[4], two[4];
  bool is_free[4];
  for (int k = 0; k < 3; k++) {
    pair.b[1][1] = k == 0 ? -0.6 : -0.1; /* cos = 1 of unknown 1 would take 0.7 */
    if (k == 2) pair.a[1][0] = 0.45;     /* above what unknown 1 brings to 0 */
    int n = hik_pair_solve(&pair, one, two, is_free), sides = 0;
    CHECK(n >= 2);
    for (int i = 0; i < n; i++) {
      double left = pair.a[1][0] + 0.4 * one[i].x + 0.1 * one[i].y + pair.b[1][1] * two[i].y;
      CHECK(is_free[i] && fabs(left) < 1e-12);
      sides |= one[i].y - 0.25 * one[i].x > 0 ? 1 : 2;
    }
    CHECK(k != 1 || 0.1 + 0.3 >= hypot(0.4, 0.1) || sides == 3);
  }
}

static void test_one_to_four(void) {
  for (int round = 0; round < 2000; round++) {
    double p[3], q[3], k[3], k2[3], h[3], v[3], w[3], x[4], y[4], want = draw(&rng, -3, 3),
                                                                  also = draw(&rng, -3, 3);
    bool exact;
    vector(p), vector(q), axis(k), axis(k2), vector(h);
    turned(k, want, p, v);
    CHECK(hik_subproblem1(p, v, k, x, &exact) == 1 && exact && holds(want, x, 1));
    turned(k2, -also, v, w); /* R(k, want) p = R(k2, also) w */
    int n = hik_subproblem2(p, w, k, k2, x, y, &exact);
    CHECK(exact && holds(want, x, n) && holds(also, y, n));
    n = hik_subproblem3(p, q, k, gap(v, q), x, &exact);
    CHECK(exact && holds(want, x, n));
    n = hik_subproblem4(h, p, k, hik_dot(h, v), x, &exact);
    CHECK(exact && holds(want, x, n));
  }
}

static void test_least_squares_is_least(void) { /* the flagged answer beats every angle of a scan */
  for (int round = 0; round < 200; round++) {
    double p[3], q[3], k[3], v[3], x[2];
    bool exact;
    vector(p), vector(q), axis(k);
    CHECK(hik_subproblem1(p, q, k, x, &exact) == 1 && !exact);
    turned(k, x[0], p, v);
    double least = gap(v, q);
    for (int i = 0; i < 100; i++) {
      turned(k, i * 0.0628, p, v);
      CHECK(gap(v, q) >= least - 1e-12);
    }
    CHECK(hik_subproblem4(q, p, k, 100, x, &exact) == 1 && !exact);
    turned(k, x[0], p, v);
    double most = hik_dot(q, v);
    for (int i = 0; i < 100; i++) {
      turned(k, i * 0.0628, p, v);
      CHECK(hik_dot(q, v) <= most + 1e-12);
    }
  }
}

static void test_five_and_six(void) {
  for (int round = 0; round < 3000; round++) {
    double p[4][3], h[4][3], k[4][3], u[3], v[3], w[3], x[4], y[4], z[4];
    double a = draw(&rng, -3, 3), b = draw(&rng, -3, 3), c = draw(&rng, -3, 3);
    bool exact;
    for (int i = 0; i < 4; i++) vector(p[i]), vector(h[i]), axis(k[i]);
    if (round % 3 == 0) hik_copy3(k[1], k[2]); /* parallel axes */
    /* p0 + R(k0,a) p1 = R(k1,b) (p2 + R(k2,c) p3): p0 is what closes it */
    turned(k[2], c, p[3], u);
    hik_add3(u, p[2], u);
    turned(k[1], b, u, v);
    turned(k[0], a, p[1], u);
    hik_sub3(v, u, p[0]);
    int n = hik_subproblem5(p[0], p[1], p[2], p[3], k[0], k[1], k[2], x, y, z, &exact);
    bool found = false;
    for (int i = 0; i < n; i++) {
      found = found || (fabs(hik_wrap(a - x[i])) < 1e-5 && fabs(hik_wrap(c - z[i])) < 1e-5 &&
                        fabs(hik_wrap(b - y[i])) < 1e-5);
      turned(k[2], z[i], p[3], u);
      hik_add3(u, p[2], u);
      turned(k[1], y[i], u, v);
      turned(k[0], x[i], p[1], u);
      hik_add3(u, p[0], w);
      CHECK(gap(v, w) < 1e-6);
    }
    CHECK(found);
    double d[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
      turned(k[i], i % 2 ? b : a, p[i], u);
      d[i / 2] += hik_dot(h[i], u);
    }
    n = hik_subproblem6(h, k, p, d[0], d[1], x, y, &exact);
    found = false;
    for (int i = 0; i < n; i++)
      found = found || (fabs(hik_wrap(a - x[i])) < 1e-5 && fabs(hik_wrap(b - y[i])) < 1e-5);
    CHECK(found && exact);
  }
}

/* The number of answers of subproblem 6 against sign changes of its closing equation on a fine grid of x. */
static void test_six_is_complete(void) {
  int differ = 0;
  for (int round = 0; round < CHECK_REPEATS(300, 30); round++) {
    double p[4][3], h[4][3], k[4][3], u[3], x[4], y[4];
    bool exact;
    for (int i = 0; i < 4; i++) vector(p[i]), vector(h[i]), axis(k[i]);
    double d[2] = {draw(&rng, -0.7, 0.7), draw(&rng, -0.7, 0.7)};
    int n = hik_subproblem6(h, k, p, d[0], d[1], x, y, &exact), scanned = 0;
    /* for each x equation 1 gives two y; follow equation 2 on each */
    for (int branch = 0; branch < 2; branch++) {
      double old = 0;
      bool alive = false;
      for (int i = 0; i <= 40000; i++) {
        double at = -HIK_PI + i * (2 * HIK_PI / 40000), answer[2];
        turned(k[0], at, p[0], u);
        int m = hik_subproblem4(h[1], p[1], k[1], d[0] - hik_dot(h[0], u), answer, &exact);
        if (m < 2) {
          alive = false;
          continue;
        }
        turned(k[2], at, p[2], u);
        double f = hik_dot(h[2], u) - d[1];
        turned(k[3], answer[branch], p[3], u);
        f += hik_dot(h[3], u);
        if (alive && (f < 0) != (old < 0)) scanned++;
        old = f, alive = true;
      }
    }
    differ += n < scanned; /* a scan may pass over what it cannot see, never the other way round */
  }
  CHECK(differ == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  rng = hik_rng_start(11, 0);
  RUN(test_roots_by_construction);
  RUN(test_roots_that_meet);
  RUN(test_roots_that_meet_at_zero);
  RUN(test_a_conic_over_again_is_free);
  RUN(test_an_unknown_that_is_not_there);
  RUN(test_two_lines_about_one_unknown);
  RUN(test_a_free_unknown_stays_where_the_other_can_follow);
  RUN(test_one_to_four);
  RUN(test_least_squares_is_least);
  RUN(test_five_and_six);
  RUN(test_six_is_complete);
  CHECK_END();
}
