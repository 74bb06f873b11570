/* test_dense.c: factors put back together, on random and on singular matrices. */
#include "base/dense.h"

#include "base/rng.h"
#include "tests/check.h"

enum { MOST = 12 };

static void fill(hik_rng *rng, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = 2 * hik_rng_uniform(rng) - 1;
}

static void test_cholesky(void) {
  hik_rng rng = hik_rng_start(1, 0);
  for (int n = 1; n <= MOST; n++) {
    double j[MOST * MOST], a[MOST * MOST], l[MOST * MOST], x[MOST], b[MOST];
    fill(&rng, n * n, j);
    hik_outer(n, n, j, a);
    for (int i = 0; i < n; i++) a[i * n + i] += 0.1;
    memcpy(l, a, sizeof a);
    CHECK(hik_cholesky(n, l, 0));
    fill(&rng, n, x);
    hik_times(n, n, a, x, b);
    hik_cholesky_solve(n, l, b);
    for (int i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-12);
  }
  double flat[4] = {1, 1, 1, 1}, minus[4] = {1, 2, 2, 1};
  CHECK(!hik_cholesky(2, flat, 1e-14));
  CHECK(!hik_cholesky(2, minus, 0));
  double nan[1] = {NAN};
  CHECK(!hik_cholesky(1, nan, 0));
}

static void test_ldlt_takes_indefinite_matrices(void) {
  hik_rng rng = hik_rng_start(2, 0);
  for (int n = 1; n <= MOST; n++) {
    double a[MOST * MOST], l[MOST * MOST], x[MOST], b[MOST];
    fill(&rng, n * n, a);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < i; k++) a[k * n + i] = a[i * n + k];
      a[i * n + i] += i % 2 ? -4 : 4; /* strong diagonal of both signs */
    }
    memcpy(l, a, sizeof a);
    CHECK(hik_ldlt(n, l));
    fill(&rng, n, x);
    hik_times(n, n, a, x, b);
    hik_ldlt_solve(n, l, b);
    for (int i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-11);
  }
  double flat[4] = {1, 1, 1, 1};
  CHECK(!hik_ldlt(2, flat));
}

static void test_qr_solves_least_squares(void) {
  hik_rng rng = hik_rng_start(3, 0);
  for (int n = 1; n <= 8; n++)
    for (int m = n; m <= MOST; m++) {
      double a[MOST * MOST], r[MOST * MOST], tau[MOST], b[MOST], y[MOST], x[MOST], left[MOST], g[MOST];
      fill(&rng, m * n, a);
      fill(&rng, m, b);
      memcpy(r, a, sizeof a);
      memcpy(y, b, sizeof b);
      hik_qr(m, n, r, tau);
      CHECK(hik_qr_rank(n, r) > 1e-9);
      hik_qr_turn(m, n, r, tau, y);
      double kept[MOST];
      memcpy(kept, y, sizeof kept);
      hik_qr_turn_back(m, n, r, tau, kept);
      for (int i = 0; i < m; i++) CHECK_NEAR(kept[i], b[i], 1e-13);
      memcpy(x, y, sizeof x);
      hik_qr_back(n, r, x);
      /* the residual of a least-squares solution is at right angles to the columns */
      hik_times(m, n, a, x, left);
      for (int i = 0; i < m; i++) left[i] -= b[i];
      hik_transposed_times(m, n, a, left, g);
      for (int i = 0; i < n; i++) CHECK_NEAR(g[i], 0, 1e-11);
      /* R' x = c against A'A = R'R */
      double c[MOST], z[MOST], inner[MOST * MOST];
      fill(&rng, n, c);
      memcpy(z, c, sizeof z);
      hik_qr_forward(n, r, z);
      hik_qr_back(n, r, z);
      hik_inner(m, n, a, inner);
      hik_times(n, n, inner, z, g);
      for (int i = 0; i < n; i++) CHECK_NEAR(g[i], c[i], 1e-8);
    }
  double dependent[6] = {1, 2, 1, 2, 1, 2}, tau[2];
  hik_qr(3, 2, dependent, tau);
  CHECK(hik_qr_rank(2, dependent) < 1e-15);
}

static void check_svd(int m, int n, const double *a) {
  double v[MOST * MOST], u[MOST * MOST], s[MOST], most = 0;
  memcpy(v, a, (size_t)(m * n) * sizeof *v);
  hik_svd(m, n, v, u, s);
  for (int i = 0; i + 1 < m; i++) CHECK(s[i] >= s[i + 1]);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) {
      double sum = 0;
      for (int l = 0; l < m; l++) sum += u[i * m + l] * s[l] * v[l * n + k];
      most = fmax(most, fabs(sum - a[i * n + k]));
    }
  CHECK(most < 1e-13 * (1 + s[0]));
  for (int i = 0; i < m; i++)
    for (int k = 0; k < m; k++) {
      double left = 0, right = 0;
      for (int l = 0; l < m; l++) left += u[l * m + i] * u[l * m + k];
      for (int l = 0; l < n; l++) right += v[i * n + l] * v[k * n + l];
      CHECK_NEAR(left, i == k, 1e-13);
      CHECK_NEAR(right, i == k && s[i] > 0, 1e-12);
    }
}

static void test_svd(void) {
  hik_rng rng = hik_rng_start(4, 0);
  for (int m = 1; m <= 8; m++)
    for (int n = 1; n <= MOST; n++) {
      double a[MOST * MOST];
      fill(&rng, m * n, a);
      if (n >= m) check_svd(m, n, a);
      for (int k = 0; k < n && m > 1; k++) a[(m - 1) * n + k] = a[k]; /* two equal rows */
      if (n >= m) check_svd(m, n, a);
    }
  double zero[12] = {0};
  check_svd(3, 4, zero);
  double tall[3 * 2] = {1, 2, 3, 4, 5, 6}, u[9], s[3];
  hik_svd(3, 2, tall, u, s);
  CHECK_NEAR(s[0], 9.525518091565104, 1e-13);
  CHECK_NEAR(s[1], 0.514300580658644, 1e-13);
  CHECK_NEAR(s[2], 0, 0);
}

static void test_damped_solve_is_the_same_both_ways(void) {
  hik_rng rng = hik_rng_start(5, 0);
  for (int m = 1; m <= 8; m++)
    for (int n = 1; n <= 8; n++) {
      double j[64], e[8], x[8], work[80], lhs[64], rhs[8], got[8];
      fill(&rng, m * n, j);
      fill(&rng, m, e);
      CHECK(hik_damped_solve(m, n, j, 0.01, e, x, work));
      hik_inner(m, n, j, lhs); /* (J'J + d I) x = J'e whatever system was solved */
      for (int i = 0; i < n; i++) lhs[i * n + i] += 0.01;
      hik_times(n, n, lhs, x, got);
      hik_transposed_times(m, n, j, e, rhs);
      for (int i = 0; i < n; i++) CHECK_NEAR(got[i], rhs[i], 1e-12);
    }
  double zero[6] = {0}, e[2] = {1, 1}, x[3], work[20];
  CHECK(!hik_damped_solve(2, 3, zero, 0, e, x, work));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_cholesky);
  RUN(test_ldlt_takes_indefinite_matrices);
  RUN(test_qr_solves_least_squares);
  RUN(test_svd);
  RUN(test_damped_solve_is_the_same_both_ways);
  CHECK_END();
}
