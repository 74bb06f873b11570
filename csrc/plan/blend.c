/* blend.c: corners cut by curves that are proved free.

   Purpose   A corner of a polygon is a stop; a curve with a steady second derivative is none.
   Given     A polygon whose edges are proved.
   Returned  For each corner how far from it the curve leaves the edges.
   Outcomes  0: no curve was proved, and the corner stays.
   Notes     q(t) = v + r (be(t) u2 - al(t) u1), al of Bezier coefficients 1, 1 - c, 1 - 2c, 0, 0, 0, be(t) = al(1 - t). al
             falls and be rises, so on a piece about t no coordinate leaves its place by more than r (dal |u1| + dbe |u2|),
             and a capsule moves by no more than r (dal M1 + dbe M2), M1 and M2 the motion sums of the two unit edges (a
             ball's chart does not widen motions). So the proof is that of an edge with these growths.
   Reference docs/paths.md has the derivation. */
#include "base/memory.h"
#include "plan/cones.h"
#include "plan/connect.h"

enum { ROOM = 256 };
typedef struct corner {
  const double *v, *u1, *u2, *sum1, *sum2;
  double r;
} corner;

typedef struct piece {
  double t, half;
} piece;

/* Postures and growths of up to 16 pieces. */
static void set_out(hik_edges *e, const corner *c, const piece *p, int32_t n, double *q, double *move,
                    hik_growth *growth) {
  int32_t nv = e->model->nv, nq = e->model->nq;
  *growth = (hik_growth){.count = 2, .sum = {c->sum1, c->sum2}};
  for (int32_t l = 0; l < HIK_GROUP; l++) {
    const piece *one = p + (l < n ? l : n - 1);
    double low = one->t - one->half, high = one->t + one->half, al = hik_corner_falling(one->t),
           be = hik_corner_falling(1 - one->t);
    for (int32_t k = 0; k < nv; k++) move[k] = c->r * (be * c->u2[k] - al * c->u1[k]);
    hik_integrate(e->model, 1, c->v, move, q + (size_t)l * (size_t)nq);
    growth->weight[0][l] = c->r * fmax(hik_corner_falling(low) - al, al - hik_corner_falling(high));
    growth->weight[1][l] = c->r * fmax(be - hik_corner_falling(1 - low), hik_corner_falling(1 - high) - be);
  }
}

/* Whether the whole curve of a corner is free: 16 pieces, those not proved cut in four. */
static bool free_curve(hik_edges *e, const corner *c, double *q, double *move) {
  piece todo[ROOM];
  int32_t count = 0;
  int64_t looks = 0;
  bool inside = hik_cones_curve(e->model, c->v, c->u1, c->u2, c->r, &looks);
  e->groups += looks / 16;
  if (!inside) return false;
  for (int32_t k = 15; k >= 0; k--) todo[count++] = (piece){(k + 0.5) / 16, 0.5 / 16};
  while (count > 0) {
    int32_t n = count < HIK_GROUP ? count : HIK_GROUP;
    const piece *p = todo + count - n;
    piece now[HIK_GROUP];
    hik_growth growth;
    memcpy(now, p, (size_t)n * sizeof *p);
    set_out(e, c, now, n, q, move, &growth);
    hik_check_place(e->check, q, n);
    hik_touched touched = hik_check_touch(e->check, &growth, true);
    e->groups++, count -= n;
    if (touched.hit) return false;
    for (int32_t l = 0; l < n; l++) {
      if (touched.free >> l & 1) continue;
      if (now[l].half < 0.5 / 16 / 63 || count + 4 > ROOM) return false; /* cut in four three times */
      for (int32_t k = 0; k < 4; k++)
        todo[count++] = (piece){now[l].t + now[l].half * (2 * k - 3) / 4, now[l].half / 4};
    }
  }
  return true;
}

/* Unit direction and length of an edge. */
static double direction(hik_edges *e, const double *a, const double *b, double *u) {
  double sum = 0;
  hik_difference(e->model, 1, a, b, u);
  for (int32_t k = 0; k < e->model->nv; k++) sum += u[k] * u[k];
  sum = sqrt(sum);
  for (int32_t k = 0; k < e->model->nv; k++) u[k] = sum > 0 ? u[k] / sum : 0;
  return sum;
}

bool hik_blends(hik_edges *e, const hik_figure *figure, const hik_route *r, double *radius) {
  size_t nv = (size_t)e->model->nv, nq = (size_t)e->model->nq, sums = (size_t)hik_figure_sums(figure) + 16;
  hik_block block = {NULL, 0, false};
  double *u = NULL, *sum = NULL, *q = NULL, *move = NULL;
  for (int32_t pass = 0; pass < 2; pass++) {
    u = HIK_TAKE(&block, double, 2 * nv), sum = HIK_TAKE(&block, double, 2 * sums);
    q = HIK_TAKE(&block, double, HIK_GROUP *nq), move = HIK_TAKE(&block, double, nv);
    if (pass == 0 && (block.bad || !(block.base = hik_allocate(block.size)))) return false;
    if (pass == 0) block.size = 0;
  }
  for (int32_t i = 1; i + 1 < r->count; i++) {
    const double *v = r->q + (size_t)i * nq;
    double before = direction(e, v - nq, v, u), after = direction(e, v, v + nq, u + nv);
    if (i > 1) before *= 0.5;
    if (i + 2 < r->count) after *= 0.5;
    hik_motion_sums(figure, u, sum), hik_motion_sums(figure, u + nv, sum + sums);
    corner c = {v, u, u + nv, sum, sum + sums, fmin(before, after)};
    int32_t turn = 0;
    while (turn < 12 && !free_curve(e, &c, q, move)) c.r *= 0.6, turn++;
    radius[i - 1] = turn < 12 ? c.r : 0;
  }
  hik_release(block.base);
  return true;
}
