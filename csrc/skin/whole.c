/* whole.c: the whole mesh of a body in the making.

   Purpose: the fit of a surface places the mesh in each of its rounds.
   Given: rings, and what no round changes of feet and arms, with what it does.
   Returned: the vertices.
   Notes: a foot is turned and brought to length about the ankle, by its share in each vertex. An arm's girths widen what lies
     off the axes of its bones. In the middle both arms have a share: each takes it of what was there before either. Sums go in
     the order given: the same bytes on every machine. */
#include "skin/whole.h"

static bool among(const int32_t *row, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; i++)
    if (row[i] < 0 || row[i] >= n) return false;
  return true;
}

bool hik_whole_rows(const hik_whole *w) {
  bool good = among(w->row, w->rings.n, w->n);
  for (int64_t k = 0; k < w->feet; k++) good = good && among(w->foot[k].row, w->foot[k].n, w->n);
  for (int64_t k = 0; k < w->limbs; k++) good = good && among(w->limb[k].row, w->limb[k].n, w->n);
  return good;
}

int64_t hik_whole_scratch(const hik_whole *w) {
  int64_t most = 2 * w->rings.n, arms = 0;
  for (int64_t k = 0; k < w->limbs; k++) arms += 3 * w->limb[k].n;
  return most > arms ? most : arms;
}

static void turn(const hik_foot *f, double *vertex) {
  const double *ankle = f->numbers.ankle;
  for (int64_t i = 0; i < f->n; i++) {
    double *v = vertex + 3 * (int64_t)f->row[i], x = v[0] - ankle[0], y = v[1] - ankle[1];
    double ahead = x * f->numbers.turn[0][0] + y * f->numbers.turn[1][0];
    double aside = x * f->numbers.turn[0][1] + y * f->numbers.turn[1][1];
    v[0] = ankle[0] + (x + f->share[i] * (ahead - x));
    v[1] = ankle[1] + (y + f->share[i] * (aside - y));
  }
}

static void add(const hik_limb *arm, const double *start, double *vertex) {
  double scale = arm->numbers.scale, wrist = arm->numbers.wrist, forearm = arm->numbers.forearm;
  for (int64_t i = 0; i < arm->n; i++, start += 3) {
    const hik_limb_vertex *of = arm->vertex + i;
    double *v = vertex + 3 * (int64_t)arm->row[i];
    double upper = scale * (1 + (arm->numbers.biceps - 1) * (0.3 + 0.7 * of->upper_along));
    double fore = scale * (forearm * (1 - of->fore_along) + wrist * of->fore_along);
    for (int j = 0; j < 3; j++)
      v[j] += of->fixed[j] + upper * of->upper[j] + fore * of->fore[j] - of->share * start[j];
  }
}

void hik_whole_made(const hik_whole *w, double *scratch, double *out) {
  hik_rings_made(&w->rings, scratch);
  for (int64_t i = 0; i < w->n; i++) out[3 * i] = out[3 * i + 1] = 0, out[3 * i + 2] = w->height[i];
  for (int64_t i = 0; i < w->rings.n; i++)
    memcpy(out + 3 * (int64_t)w->row[i], scratch + 2 * i, 2 * sizeof *out);
  for (int64_t k = 0; k < w->feet; k++) turn(w->foot + k, out);
  double *start = scratch;
  for (int64_t k = 0; k < w->limbs; k++)
    for (int64_t i = 0; i < w->limb[k].n; i++, start += 3)
      memcpy(start, out + 3 * (int64_t)w->limb[k].row[i], 3 * sizeof *out);
  start = scratch;
  for (int64_t k = 0; k < w->limbs; start += 3 * w->limb[k].n, k++) add(w->limb + k, start, out);
}
