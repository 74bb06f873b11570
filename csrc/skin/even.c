/* even.c: vectors at the vertices of a mesh evened out, and its normals.

   Purpose: what sitting does to the flesh of a body is evened out over the skin in many rounds.
   Given: the mesh by the neighbors of each vertex, or by its quads; vectors at the vertices, or their places.
   Returned: the vectors after some rounds; unit normals.
   Notes: a round reads what the last one left, never what it has just written, so that the order of vertices is none of
     its business. Sums go in the order given: the same bytes on every machine. */
#include "skin/even.h"

/* The mean of what the neighbors of a vertex have, times half. */
static void half_mean(const double *vector, const int32_t *beside, int64_t near, double out[3]) {
  double share = 0.5 / (double)near, x = 0, y = 0, z = 0;
  for (int64_t k = 0; k < near; k++) {
    const double *v = vector + 3 * (int64_t)beside[k];
    x += v[0], y += v[1], z += v[2];
  }
  out[0] = share * x, out[1] = share * y, out[2] = share * z;
}

void hik_even(double *vector, const bool *open, const int32_t *beside, int64_t n, int64_t near,
              int64_t rounds, double *scratch) {
  for (int64_t k = 0; k < rounds; k++) {
    for (int64_t i = 0; i < n; i++)
      if (open[i]) half_mean(vector, beside + near * i, near, scratch + 3 * i);
    for (int64_t i = 0; i < n; i++)
      for (int j = 0; open[i] && j < 3; j++) vector[3 * i + j] = 0.5 * vector[3 * i + j] + scratch[3 * i + j];
  }
}

void hik_normals(const double *vertex, int64_t n, const int32_t *quad, int64_t quads, double *out) {
  for (int64_t i = 0; i < 3 * n; i++) out[i] = 0;
  for (int64_t q = 0; q < quads; q++, quad += 4) {
    const double *v[4];
    double a[3], b[3];
    for (int k = 0; k < 4; k++) v[k] = vertex + 3 * (int64_t)quad[k];
    for (int j = 0; j < 3; j++) a[j] = v[2][j] - v[0][j], b[j] = v[3][j] - v[1][j];
    const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < 3; j++) out[3 * (int64_t)quad[k] + j] += cross[j];
  }
  for (int64_t i = 0; i < n; i++, out += 3) {
    double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    for (int j = 0; j < 3; j++) out[j] /= length > 1e-15 ? length : 1e-15;
  }
}
