/* eigen.c: LU with row exchanges, balancing, Hessenberg form, eigenvalues by the double-shift QR method.

   Given:    small real matrices, at most HIK_EIGEN_MAX rows for the eigenvalues.
   Returned: see eigen.h.
   Outcomes: every loop is bounded; a matrix that is not finite gives 0 eigenvalues, never a hang.
   Notes:    the bulge is chased by 3-vector Householder reflections inside the active block only, since no
             eigenvectors are wanted.
   Reference: Francis, "The QR transformation", Computer Journal 4 (1961/62) 265-271 and 332-345; Parlett and
             Reinsch, "Balancing a matrix for calculation of eigenvalues and eigenvectors", Numerische Mathematik 13
             (1969) 293-304; Golub and Van Loan, Matrix Computations, 4th edition, sections 7.4 and 7.5. */
#include "base/eigen.h"

#include <float.h>

double hik_lu_factor(int n, double *a, int stride, int32_t *order, double tiny) {
  double least = INFINITY, most = 0;
  for (int i = 0; i < n; i++) order[i] = i;
  for (int k = 0; k < n; k++) {
    int best = k;
    double size = fabs(a[k * stride + k]);
    for (int i = k + 1; i < n; i++) {
      double x = fabs(a[i * stride + k]);
      if (x > size) size = x, best = i;
    }
    if (best != k) {
      for (int j = 0; j < n; j++) {
        double x = a[k * stride + j];
        a[k * stride + j] = a[best * stride + j], a[best * stride + j] = x;
      }
      int32_t o = order[k];
      order[k] = order[best], order[best] = o;
    }
    least = size < least ? size : least, most = size > most ? size : most;
    if (size == 0) a[k * stride + k] = tiny;
    const double *HIK_RESTRICT pivot = a + k * stride;
    double inverse = 1 / pivot[k];
    for (int i = k + 1; i < n; i++) {
      double *HIK_RESTRICT row = a + i * stride;
      double m = row[k] * inverse;
      row[k] = m;
      for (int j = k + 1; j < n; j++) row[j] -= m * pivot[j];
    }
  }
  return most > 0 ? least / most : 0;
}

void hik_lu_solve(int n, const double *a, int stride, const int32_t *order, const double *b, double *x) {
  for (int i = 0; i < n; i++) {
    double sum = b[order[i]];
    for (int j = 0; j < i; j++) sum -= a[i * stride + j] * x[j];
    x[i] = sum;
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    for (int j = i + 1; j < n; j++) sum -= a[i * stride + j] * x[j];
    x[i] = sum / a[i * stride + i];
  }
}

void hik_balance(int n, double *a, int stride) {
  for (int sweep = 0, changed = 1; changed && sweep < 12; sweep++) {
    changed = 0;
    for (int i = 0; i < n; i++) {
      double row = 0, column = 0;
      for (int j = 0; j < n; j++)
        if (j != i) row += fabs(a[i * stride + j]), column += fabs(a[j * stride + i]);
      if (!(row > 0 && column > 0 && row < 1e300 && column < 1e300)) continue;
      double f = 1, c = column, r = row;
      for (int k = 0; k < 100 && c < r / 2; k++) c *= 2, r /= 2, f *= 2;
      for (int k = 0; k < 100 && c >= 2 * r; k++) c /= 2, r *= 2, f /= 2;
      if (f == 1 || c + r >= 0.95 * (column + row)) continue;
      changed = 1;
      double g = 1 / f;
      for (int j = 0; j < n; j++) a[i * stride + j] *= g;
      for (int j = 0; j < n; j++) a[j * stride + i] *= f;
    }
  }
}

void hik_hessenberg(int n, double *a, int stride) {
  double v[HIK_EIGEN_MAX], w[HIK_EIGEN_MAX];
  for (int k = 0; k + 2 < n; k++) {
    double tail = 0;
    for (int i = k + 2; i < n; i++) tail += a[i * stride + k] * a[i * stride + k];
    if (tail == 0) continue;
    double head = a[(k + 1) * stride + k], norm = sqrt(head * head + tail);
    double alpha = head > 0 ? -norm : norm;
    /* v = x - alpha e, H = I - beta v v' */
    for (int i = k + 1; i < n; i++) v[i] = a[i * stride + k];
    v[k + 1] = head - alpha;
    double beta = 1 / (norm * (norm + fabs(head)));
    for (int j = k; j < n; j++) w[j] = 0;
    for (int i = k + 1; i < n; i++) {
      const double *HIK_RESTRICT row = a + i * stride;
      double f = v[i];
      for (int j = k; j < n; j++) w[j] += f * row[j];
    }
    for (int j = k; j < n; j++) w[j] *= beta;
    for (int i = k + 1; i < n; i++) {
      double *HIK_RESTRICT row = a + i * stride;
      double f = v[i];
      for (int j = k; j < n; j++) row[j] -= f * w[j];
    }
    for (int i = 0; i < n; i++) {
      double *HIK_RESTRICT row = a + i * stride;
      double s = 0;
      for (int j = k + 1; j < n; j++) s += row[j] * v[j];
      s *= beta;
      for (int j = k + 1; j < n; j++) row[j] -= s * v[j];
    }
    a[(k + 1) * stride + k] = alpha;
    for (int i = k + 2; i < n; i++) a[i * stride + k] = 0;
  }
}

/* Eigenvalues of the 2x2 matrix (a b; c d). */
static void two(double a, double b, double c, double d, double *re, double *im) {
  double half = 0.5 * (a - d), disc = half * half + b * c, mean = 0.5 * (a + d);
  if (disc >= 0) {
    /* larger shift first, the other from the product, so that neither is lost to cancellation */
    double root = sqrt(disc), x = half >= 0 ? half + root : half - root;
    re[0] = d + x;
    re[1] = x != 0 ? d - b * c / x : d;
    im[0] = im[1] = 0;
  } else {
    re[0] = re[1] = mean;
    im[0] = sqrt(-disc), im[1] = -im[0];
  }
}

/* One double-shift sweep on rows and columns low..high. */
static void sweep(double *a, int stride, int low, int high, double sum, double product) {
  const double *h = a;
  double x = h[low * stride + low], y = h[(low + 1) * stride + low];
  double p[3] = {
      x * (x - sum) + product + h[low * stride + low + 1] * y,
      y * (x + h[(low + 1) * stride + low + 1] - sum),
      y * h[(low + 2) * stride + low + 1],
  };
  for (int k = low; k < high; k++) {
    int size = k + 2 <= high ? 3 : 2;
    if (k > low)
      for (int i = 0; i < 3; i++) p[i] = i < size ? a[(k + i) * stride + k - 1] : 0;
    else if (size == 2)
      p[2] = 0;
    double scale = fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
    if (scale == 0) continue;
    for (int i = 0; i < 3; i++) p[i] /= scale;
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (p[0] > 0) norm = -norm;
    /* H = I - v v' / (norm (norm - p0)) with v = p - norm e: kept as u = v / (p0 - norm), f = u scaled */
    double v0 = p[0] - norm, u1 = p[1] / v0, u2 = p[2] / v0, beta = -v0 / norm;
    double f0 = beta, f1 = beta * u1, f2 = beta * u2;
    if (k > low) {
      a[k * stride + k - 1] = norm * scale;
      for (int i = 1; i < size; i++) a[(k + i) * stride + k - 1] = 0;
    }
    if (size == 3) {
      double *HIK_RESTRICT r0 = a + k * stride, *HIK_RESTRICT r1 = r0 + stride,
                           *HIK_RESTRICT r2 = r1 + stride;
      for (int j = k; j <= high; j++) {
        double s = r0[j] + u1 * r1[j] + u2 * r2[j];
        r0[j] -= f0 * s, r1[j] -= f1 * s, r2[j] -= f2 * s;
      }
      int last = k + 3 < high ? k + 3 : high;
      for (int i = low; i <= last; i++) {
        double *row = a + i * stride + k;
        double s = row[0] + u1 * row[1] + u2 * row[2];
        row[0] -= f0 * s, row[1] -= f1 * s, row[2] -= f2 * s;
      }
    } else {
      double *HIK_RESTRICT r0 = a + k * stride, *HIK_RESTRICT r1 = r0 + stride;
      for (int j = k; j <= high; j++) {
        double s = r0[j] + u1 * r1[j];
        r0[j] -= f0 * s, r1[j] -= f1 * s;
      }
      for (int i = low; i <= high; i++) {
        double *row = a + i * stride + k;
        double s = row[0] + u1 * row[1];
        row[0] -= f0 * s, row[1] -= f1 * s;
      }
    }
  }
}

enum { PATIENCE = 25 }; /* sweeps for one value before it may be off by rounding of the whole matrix */

int hik_eigenvalues(int n, double *a, int stride, double *re, double *im) {
  double norm = 0;
  for (int i = 0; i < n; i++)
    for (int j = i > 0 ? i - 1 : 0; j < n; j++) norm += fabs(a[i * stride + j]);
  if (!(norm <= DBL_MAX)) return 0;
  int high = n - 1, count = 0;
  while (high >= 0) {
    int low = 0, tries = 0;
    for (;; tries++) {
      for (low = high; low > 0; low--) {
        double s = fabs(a[(low - 1) * stride + low - 1]) + fabs(a[low * stride + low]);
        if (s == 0) s = norm;
        /* repeated values without vectors of their own: rounding keeps what stands beside them above their size */
        if (tries >= PATIENCE) s = norm;
        if (fabs(a[low * stride + low - 1]) <= DBL_EPSILON * s) {
          a[low * stride + low - 1] = 0;
          break;
        }
      }
      if (low >= high - 1) break;
      if (tries >= 60) return count;
      double x = a[high * stride + high], y = a[(high - 1) * stride + high - 1];
      double w = a[high * stride + high - 1] * a[(high - 1) * stride + high];
      if (tries % 10 == 9) { /* a shift from elsewhere breaks a cycle */
        double s = fabs(a[high * stride + high - 1]) + fabs(a[(high - 1) * stride + high - 2]);
        sweep(a, stride, low, high, 1.5 * s + 2 * x, s * s + 1.5 * s * x + x * x);
      } else {
        sweep(a, stride, low, high, x + y, x * y - w);
      }
    }
    if (low == high) {
      re[high] = a[high * stride + high], im[high] = 0;
      high--, count++;
    } else {
      two(a[(high - 1) * stride + high - 1], a[(high - 1) * stride + high], a[high * stride + high - 1],
          a[high * stride + high], re + high - 1, im + high - 1);
      high -= 2, count += 2;
    }
  }
  return count;
}
