/* smooth.c: see smooth.h.

   Purpose   A polygon whose corners are rounded, also where the rounded parts overlap.
   Given     Times of the vertices, and half widths of what is rounded.
   Returned  Which edges are on their way, and the posture.
   Outcomes  None.
   Notes     With all densities of one shape, that of a corner is gone before that of the next is, where it begins and ends no
             later: then of every edge what is gone never falls. */
#include "plan/smooth.h"

void hik_smooth_edges(const hik_smooth *c, int32_t near, double low, double high, int32_t *first,
                      int32_t *last) {
  *first = near;
  while (*first > 0 && c->at[*first] + c->half[*first] > low) --*first;
  while (*first + 2 < c->count && c->at[*first + 1] + c->half[*first + 1] <= low) ++*first;
  *last = *first;
  while (*last + 2 < c->count && c->at[*last + 1] - c->half[*last + 1] < high) ++*last;
}

void hik_smooth_order(hik_smooth *c) {
  int32_t n = c->count;
  c->half[0] = c->half[n - 1] = 0;
  for (int32_t i = 1; i + 1 < n; i++) {
    double room =
        fmin(i > 2 ? c->at[i] - c->at[i - 3] : INFINITY, i + 3 < n ? c->at[i + 3] - c->at[i] : INFINITY);
    c->half[i] = fmin(c->half[i], 0.5 * room);
  }
  for (int32_t i = 1; i < n; i++) c->half[i] = fmin(c->half[i], c->half[i - 1] + (c->at[i] - c->at[i - 1]));
  for (int32_t i = n - 2; i > 0; i--)
    c->half[i] = fmin(c->half[i], c->half[i + 1] + (c->at[i + 1] - c->at[i]));
}

void hik_smooth_place(const hik_model *m, const hik_smooth *c, int32_t near, double s, double *move,
                      double *room, double *q) {
  int32_t first, last;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  hik_smooth_edges(c, near, s, s, &first, &last);
  const double *from = c->q + (size_t)first * nq;
  for (int32_t j = first; j <= last; j++) {
    double share = hik_smooth_share(c, j, s);
    for (size_t k = 0; k < nv; k++) move[k] = share * c->way[(size_t)j * nv + k];
    double *to = (last - j) & 1 ? room : q;
    hik_integrate(m, 1, from, move, to);
    from = to;
  }
}
