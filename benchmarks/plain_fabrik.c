/* plain_fabrik.c: the loop a reader of the FABRIK paper would write in C: points only, no joints, no limits, one target
   after the other. The measure that handik's FABRIK on free chains is held against (benchmarks/chains.py). */
#include <math.h>
#include <string.h>

enum { MOST = 1024 };

/* n links, start [n + 1][3], targets [count][3]; out [count][n + 1][3] (may be NULL). Returns the iterations made. */
long plain_fabrik(int n, const double *start, const double *targets, long count, double tolerance,
                  int max_iter, double *out) {
  double p[MOST + 1][3], d[MOST];
  long total = 0;
  if (n < 1 || n > MOST) return -1;
  for (int i = 0; i < n; i++) {
    double x = start[3 * i + 3] - start[3 * i], y = start[3 * i + 4] - start[3 * i + 1],
           z = start[3 * i + 5] - start[3 * i + 2];
    d[i] = sqrt(x * x + y * y + z * z);
  }
  for (long k = 0; k < count; k++) {
    const double *t = targets + 3 * k;
    memcpy(p, start, (size_t)(n + 1) * sizeof p[0]);
    for (int iteration = 0; iteration < max_iter; iteration++) {
      double ex = p[n][0] - t[0], ey = p[n][1] - t[1], ez = p[n][2] - t[2];
      if (sqrt(ex * ex + ey * ey + ez * ez) <= tolerance) break;
      total++;
      memcpy(p[n], t, sizeof p[n]);
      for (int i = n - 1; i >= 0; i--) {
        double x = p[i][0] - p[i + 1][0], y = p[i][1] - p[i + 1][1], z = p[i][2] - p[i + 1][2];
        double s = d[i] / sqrt(x * x + y * y + z * z);
        p[i][0] = p[i + 1][0] + s * x, p[i][1] = p[i + 1][1] + s * y, p[i][2] = p[i + 1][2] + s * z;
      }
      memcpy(p[0], start, sizeof p[0]);
      for (int i = 0; i < n; i++) {
        double x = p[i + 1][0] - p[i][0], y = p[i + 1][1] - p[i][1], z = p[i + 1][2] - p[i][2];
        double s = d[i] / sqrt(x * x + y * y + z * z);
        p[i + 1][0] = p[i][0] + s * x, p[i + 1][1] = p[i][1] + s * y, p[i + 1][2] = p[i][2] + s * z;
      }
    }
    if (out) memcpy(out + 3 * (n + 1) * k, p, (size_t)(n + 1) * sizeof p[0]);
  }
  return total;
}
