/* heights.c: numbers given at some heights of a body, smoothly between them.

   Purpose: the fit of a surface asks a dozen such fields at each vertex in each of its rounds.
   Given: rising levels, the heights of vertices, and at each level a number and its slope.
   Returned: the numbers at the vertices, cubic between levels, constant beyond the first and the last.
   Notes: a level that a height lies on is the upper one. Sums go in the order given: the same bytes on every machine. */
#include "skin/heights.h"

void hik_heights_place(const double *at, int64_t levels, const double *z, int64_t n, int32_t *below,
                       double *weight) {
  int64_t k = 0;
  for (int64_t i = 0; i < n; i++) {
    while (k > 0 && !(at[k] < z[i])) k--;
    while (k < levels - 2 && at[k + 1] < z[i]) k++;
    double wide = at[k + 1] - at[k], t = hik_clip((z[i] - at[k]) / wide, 0, 1), s = 1 - t;
    double *w = weight + 4 * i;
    below[i] = (int32_t)k;
    w[0] = s * s * (1 + 2 * t), w[1] = t * t * (3 - 2 * t);
    w[2] = wide * t * s * s, w[3] = -wide * t * t * s;
  }
}
