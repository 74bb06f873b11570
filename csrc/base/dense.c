/* dense.c: see dense.h. */
#include "base/dense.h"

/* Largest absolute diagonal entry. */
static double largest_diagonal(int32_t n, const double *a) {
  double most = 0;
  for (size_t i = 0, w = (size_t)n; i < w; i++) most = fmax(most, fabs(a[i * w + i]));
  return most;
}

bool hik_cholesky(int32_t n, double *a, double least) {
  size_t w = (size_t)n;
  double floor = least * largest_diagonal(n, a);
  for (size_t j = 0; j < w; j++) {
    double *row = a + j * w, d = row[j];
    for (size_t k = 0; k < j; k++) d -= row[k] * row[k];
    if (!(d > floor) || !(d > 0)) return false;
    double inverse = 1 / sqrt(d);
    row[j] = inverse;
    for (size_t i = j + 1; i < w; i++) {
      double *below = a + i * w, x = below[j];
      for (size_t k = 0; k < j; k++) x -= below[k] * row[k];
      below[j] = x * inverse;
    }
  }
  return true;
}

void hik_cholesky_solve(int32_t n, const double *l, double *x) {
  size_t w = (size_t)n;
  for (size_t i = 0; i < w; i++) {
    double y = x[i];
    for (size_t k = 0; k < i; k++) y -= l[i * w + k] * x[k];
    x[i] = y * l[i * w + i];
  }
  /* column by column: no entry waits for the whole sum of the one below */
  for (size_t i = w; i-- > 0;) {
    double y = x[i] *= l[i * w + i];
    for (size_t k = 0; k < i; k++) x[k] -= l[i * w + k] * y;
  }
}

bool hik_ldlt(int32_t n, double *a) {
  size_t w = (size_t)n;
  double floor = 1e-15 * largest_diagonal(n, a);
  for (size_t j = 0; j < w; j++) {
    double *row = a + j * w, d = row[j];
    for (size_t k = 0; k < j; k++) d -= row[k] * row[k] * a[k * w + k];
    if (!(fabs(d) > floor)) return false;
    row[j] = d;
    for (size_t i = j + 1; i < w; i++) {
      double *below = a + i * w, x = below[j];
      for (size_t k = 0; k < j; k++) x -= below[k] * row[k] * a[k * w + k];
      below[j] = x / d;
    }
  }
  return true;
}

void hik_ldlt_solve(int32_t n, const double *ld, double *x) {
  size_t w = (size_t)n;
  for (size_t i = 0; i < w; i++)
    for (size_t k = 0; k < i; k++) x[i] -= ld[i * w + k] * x[k];
  for (size_t i = 0; i < w; i++) x[i] /= ld[i * w + i];
  for (size_t i = w; i-- > 0;)
    for (size_t k = i + 1; k < w; k++) x[i] -= ld[k * w + i] * x[k];
}

/* b[from..m) -= tau v (v'b), v being column `j` of a from the diagonal on with 1 on top; b has the stride `step`. */
static void reflect(size_t m, size_t n, const double *a, size_t j, double tau, double *b, size_t step) {
  double dot = b[j * step];
  for (size_t i = j + 1; i < m; i++) dot += a[i * n + j] * b[i * step];
  dot *= tau;
  b[j * step] -= dot;
  for (size_t i = j + 1; i < m; i++) b[i * step] -= dot * a[i * n + j];
}

void hik_qr(int32_t rows, int32_t columns, double *a, double *tau) {
  size_t m = (size_t)rows, n = (size_t)columns;
  for (size_t j = 0; j < n; j++) {
    double below = 0, top = a[j * n + j];
    for (size_t i = j + 1; i < m; i++) below += a[i * n + j] * a[i * n + j];
    tau[j] = 0;
    if (below == 0) continue;
    double length = sqrt(top * top + below), head = top > 0 ? -below / (top + length) : top - length;
    tau[j] = 2 * head * head / (below + head * head);
    for (size_t i = j + 1; i < m; i++) a[i * n + j] /= head;
    a[j * n + j] = length;
    for (size_t k = j + 1; k < n; k++) reflect(m, n, a, j, tau[j], a + k, n);
  }
}

void hik_qr_turn(int32_t m, int32_t n, const double *a, const double *tau, double *b) {
  for (size_t j = 0; j < (size_t)n; j++) reflect((size_t)m, (size_t)n, a, j, tau[j], b, 1);
}

void hik_qr_turn_back(int32_t m, int32_t n, const double *a, const double *tau, double *b) {
  for (size_t j = (size_t)n; j-- > 0;) reflect((size_t)m, (size_t)n, a, j, tau[j], b, 1);
}

double hik_qr_rank(int32_t n, const double *a) {
  double least = INFINITY, most = 0;
  for (size_t i = 0, w = (size_t)n; i < w; i++) {
    double d = fabs(a[i * w + i]);
    least = fmin(least, d), most = fmax(most, d);
  }
  return most > 0 ? least / most : 0;
}

void hik_qr_back(int32_t n, const double *a, double *b) {
  size_t w = (size_t)n;
  for (size_t i = w; i-- > 0;) {
    for (size_t k = i + 1; k < w; k++) b[i] -= a[i * w + k] * b[k];
    b[i] /= a[i * w + i];
  }
}

void hik_qr_forward(int32_t n, const double *a, double *b) {
  size_t w = (size_t)n;
  for (size_t i = 0; i < w; i++) {
    for (size_t k = 0; k < i; k++) b[i] -= a[k * w + i] * b[k];
    b[i] /= a[i * w + i];
  }
}

/* ---- singular values ---- */

static double dot(size_t n, const double *x, const double *y, size_t step) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += x[k * step] * y[k * step];
  return sum;
}

/* x, y = c x - s y, s x + c y */
static void turn_rows(size_t n, double *x, double *y, size_t step, double c, double s) {
  for (size_t k = 0; k < n; k++) {
    double p = x[k * step], q = y[k * step];
    x[k * step] = c * p - s * q;
    y[k * step] = s * p + c * q;
  }
}

typedef enum jacobi { TURNED, DONE, LEFT } jacobi;

/* One sweep over all pairs of rows; DONE when every pair was at right angles already. */
static jacobi jacobi_sweep(size_t m, size_t n, double *a, double *u, bool (*go_on)(void *context),
                           void *context) {
  jacobi done = DONE;
  for (size_t p = 0; p + 1 < m; p++) {
    if (go_on && !go_on(context)) return LEFT;
    for (size_t q = p + 1; q < m; q++) {
      double *x = a + p * n, *y = a + q * n;
      double alpha = dot(n, x, x, 1), beta = dot(n, y, y, 1), gamma = dot(n, x, y, 1);
      if (!(fabs(gamma) > 1e-15 * sqrt(alpha * beta)) || fabs(gamma) < 1e-290) continue;
      done = TURNED;
      double zeta = (beta - alpha) / (2 * gamma);
      double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta)), c = 1 / sqrt(1 + t * t);
      turn_rows(n, x, y, 1, c, c * t);
      turn_rows(m, u + p, u + q, m, c, c * t);
    }
  }
  return done;
}

static void swap_vectors(size_t n, double *x, double *y, size_t step) {
  for (size_t k = 0; k < n; k++) {
    double t = x[k * step];
    x[k * step] = y[k * step];
    y[k * step] = t;
  }
}

void hik_svd(int32_t m, int32_t n, double *a, double *u, double *s) {
  (void)hik_svd_while(m, n, a, u, s, NULL, NULL);
}

bool hik_svd_while(int32_t rows, int32_t columns, double *a, double *u, double *s,
                   bool (*go_on)(void *context), void *context) {
  size_t m = (size_t)rows, n = (size_t)columns;
  enum { MOST_SWEEPS = 40 };
  jacobi state = TURNED;
  memset(u, 0, m * m * sizeof *u);
  for (size_t i = 0; i < m; i++) u[i * m + i] = 1;
  for (int k = 0; k < MOST_SWEEPS && state == TURNED; k++) state = jacobi_sweep(m, n, a, u, go_on, context);
  if (state == LEFT) return false;
  for (size_t i = 0; i < m; i++) s[i] = sqrt(dot(n, a + i * n, a + i * n, 1));
  for (size_t i = 0; i < m; i++) {
    size_t most = i;
    for (size_t k = i + 1; k < m; k++)
      if (s[k] > s[most]) most = k;
    if (most == i) continue;
    double t = s[i];
    s[i] = s[most], s[most] = t;
    swap_vectors(n, a + i * n, a + most * n, 1);
    swap_vectors(m, u + i, u + most, m);
  }
  for (size_t i = 0; i < m; i++) {
    /* what is left of a zero value is rounding: no direction */
    bool nothing = !(s[i] > 4e-16 * s[0]) || s[i] < 1e-290;
    if (nothing) s[i] = 0;
    for (size_t k = 0; k < n; k++) a[i * n + k] = nothing ? 0 : a[i * n + k] / s[i];
  }
  return true;
}

/* ---- products ---- */

double hik_square_sum(int32_t m, int32_t n, const double *a) { return dot((size_t)m * (size_t)n, a, a, 1); }

void hik_outer(int32_t rows, int32_t columns, const double *j, double *out) {
  size_t m = (size_t)rows, n = (size_t)columns;
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k <= i; k++) out[i * m + k] = out[k * m + i] = dot(n, j + i * n, j + k * n, 1);
}

/* Row by row, so that neighboring sums go on side by side; each adds up its terms in order, as one alone would. */
void hik_inner(int32_t rows, int32_t columns, const double *j, double *HIK_RESTRICT out) {
  size_t m = (size_t)rows, n = (size_t)columns;
  memset(out, 0, n * n * sizeof *out);
  for (size_t r = 0; r < m; r++) {
    const double *row = j + r * n;
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k <= i; k++) out[i * n + k] += row[i] * row[k];
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) out[k * n + i] = out[i * n + k];
}

void hik_times(int32_t m, int32_t n, const double *j, const double *x, double *out) {
  for (size_t i = 0; i < (size_t)m; i++) out[i] = dot((size_t)n, j + i * (size_t)n, x, 1);
}

void hik_transposed_times(int32_t m, int32_t n, const double *j, const double *x, double *out) {
  memset(out, 0, (size_t)n * sizeof *out);
  for (size_t i = 0; i < (size_t)m; i++)
    for (size_t k = 0; k < (size_t)n; k++) out[k] += x[i] * j[i * (size_t)n + k];
}

bool hik_damped_solve(int32_t m, int32_t n, const double *j, double damping, const double *e, double *x,
                      double *work) {
  int32_t k = m < n ? m : n;
  double *y = work + (size_t)k * (size_t)k;
  if (m <= n) {
    hik_outer(m, n, j, work);
    memcpy(y, e, (size_t)m * sizeof *y);
  } else {
    hik_inner(m, n, j, work);
    hik_transposed_times(m, n, j, e, y);
  }
  for (size_t i = 0; i < (size_t)k; i++) work[i * (size_t)k + i] += damping;
  /* without interchanges the pivots of a singular system are rounding times the condition of what stands above them */
  if (!hik_cholesky(k, work, damping > 0 ? 1e-15 : 1e-10)) return false;
  hik_cholesky_solve(k, work, y);
  if (m <= n)
    hik_transposed_times(m, n, j, y, x);
  else
    memcpy(x, y, (size_t)n * sizeof *x);
  return true;
}
