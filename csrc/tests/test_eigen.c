/* test_eigen.c: solves against products, eigenvalues against matrices whose spectrum is known by construction. */
#include "base/eigen.h"
#include "tests/check.h"

static uint64_t state = 88172645463325252u;
static double draw(void) { /* uniform in (-1, 1), xorshift */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void test_lu_solves(void) {
  for (int n = 1; n <= 24; n++) {
    double a[24 * 24], f[24 * 24], x[24], b[24], y[24];
    int32_t order[24];
    for (int i = 0; i < n * n; i++) f[i] = a[i] = draw();
    for (int i = 0; i < n; i++) x[i] = draw();
    for (int i = 0; i < n; i++) {
      b[i] = 0;
      for (int j = 0; j < n; j++) b[i] += a[i * n + j] * x[j];
    }
    CHECK(hik_lu_factor(n, f, n, order, 1e-300) > 0);
    hik_lu_solve(n, f, n, order, b, y);
    for (int i = 0; i < n; i++) CHECK_NEAR(y[i], x[i], 1e-9);
  }
}

static void test_lu_of_singular_stays_finite(void) {
  double a[9] = {1, 2, 3, 2, 4, 6, 1, 1, 1}, b[3] = {1, 2, 3}, x[3];
  int32_t order[3];
  CHECK(hik_lu_factor(3, a, 3, order, 1e-200) < 1e-15);
  hik_lu_solve(3, a, 3, order, b, x);
  for (int i = 0; i < 3; i++) CHECK(x[i] == x[i]);
}

/* a := S a S^-1 by random plane shears, exactly invertible, so that the spectrum stays. */
static void mix(int n, double *a) {
  for (int k = 0; k < 3 * n; k++) {
    int i = (int)((draw() + 1) / 2 * n) % n, j = (i + 1 + (int)((draw() + 1) / 2 * (n - 1)) % (n - 1)) % n;
    if (i == j) continue;
    double f = draw();
    for (int c = 0; c < n; c++) a[i * n + c] += f * a[j * n + c];
    for (int r = 0; r < n; r++) a[r * n + j] -= f * a[r * n + i];
  }
}

static void test_eigenvalues_of_known_spectrum(void) {
  for (int round = 0; round < 200; round++) {
    int n = 2 + round % 23, pairs = round % (n / 2 + 1);
    double a[24 * 24] = {0}, re[24], im[24], want_re[24], want_im[24];
    for (int i = 0; i < n; i++) {
      want_re[i] = 4 * draw(), want_im[i] = 0;
      if (i < 2 * pairs) {
        if (i % 2) {
          want_re[i] = want_re[i - 1], want_im[i] = -want_im[i - 1];
        } else {
          want_im[i] = 0.2 + fabs(3 * draw());
          a[i * n + i + 1] = want_im[i], a[(i + 1) * n + i] = -want_im[i];
        }
      }
      a[i * n + i] = want_re[i];
    }
    mix(n, a);
    hik_balance(n, a, n);
    hik_hessenberg(n, a, n);
    for (int i = 2; i < n; i++)
      for (int j = 0; j < i - 1; j++) CHECK(a[i * n + j] == 0);
    CHECK(hik_eigenvalues(n, a, n, re, im) == n);
    for (int i = 0; i < n; i++) { /* nearest match, each found one used once */
      int best = -1;
      double least = 1e9;
      for (int j = 0; j < n; j++) {
        double d = fabs(re[j] - want_re[i]) + fabs(im[j] - want_im[i]);
        if (d < least) least = d, best = j;
      }
      CHECK(least < 1e-6);
      if (best >= 0) re[best] = 1e12;
    }
  }
}

static void
test_eigenvalues_of_rotation_block(void) { /* a cyclic shift: the plain shifts would stall for ever */
  enum { N = 16 };
  double a[N * N] = {0}, re[N], im[N];
  for (int i = 0; i < N; i++) a[((i + 1) % N) * N + i] = 1;
  hik_hessenberg(N, a, N);
  CHECK(hik_eigenvalues(N, a, N, re, im) == N);
  for (int i = 0; i < N; i++) CHECK_NEAR(re[i] * re[i] + im[i] * im[i], 1, 1e-12);
}

static void test_balance_tames_bad_scaling(void) {
  double a[16], re[4], im[4], d[4] = {1, 1e6, 1e-6, 1e3};
  double plain[16] = {4, 1, 0.5, 0.2, 1, 3, 0.3, 0.1, 0.5, 0.3, 2, 0.4, 0.2, 0.1, 0.4, 1};
  double want[4], unused[4];
  for (int i = 0; i < 16; i++) a[i] = plain[i];
  hik_hessenberg(4, a, 4);
  CHECK(hik_eigenvalues(4, a, 4, want, unused) == 4);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) a[4 * i + j] = plain[4 * i + j] * d[i] / d[j];
  hik_balance(4, a, 4);
  hik_hessenberg(4, a, 4);
  CHECK(hik_eigenvalues(4, a, 4, re, im) == 4);
  for (int i = 0; i < 4; i++) {
    double least = 1;
    for (int j = 0; j < 4; j++) least = fmin(least, fabs(re[i] - want[j]));
    CHECK(least < 1e-12);
  }
}

static void test_not_finite_gives_none(void) {
  double a[9] = {1, NAN, 2, 3, 4, 5, 6, 7, INFINITY}, re[3], im[3];
  hik_balance(3, a, 3);
  CHECK(hik_eigenvalues(3, a, 3, re, im) == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_lu_solves);
  RUN(test_lu_of_singular_stays_finite);
  RUN(test_eigenvalues_of_known_spectrum);
  RUN(test_eigenvalues_of_rotation_block);
  RUN(test_balance_tames_bad_scaling);
  RUN(test_not_finite_gives_none);
  CHECK_END();
}
