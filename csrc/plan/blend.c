/* blend.c: corners rounded by curves that are proved free.

   Purpose   A corner of a polygon is a stop; a curve with a steady second derivative is none.
   Given     A polygon whose edges are proved, times of its vertices, and how long before and after each it may be rounded.
   Returned  How long each is rounded, and vertices, some of them moved.
   Outcomes  0: no curve was proved, and the corner stays, where it was; all do where it is ended before.
   Notes     Of every edge what is gone never falls (smooth.h). So on a piece of s the share of edge j is off that at its
             middle by no more than d[j], to both sides, and a capsule moves by no more than the sum of d[j] M[j], M the motion
             sums of the edges (a ball's chart does not widen motions): the proof is that of an edge with these growths. Of turns and
             slides alone less is told by how far places of pieces side by side are apart, and by how fast that way can bend
             (group.inc.c): the shares' rates and what these grow by are known in closed form. Each edge
             is looked at in CELLS pieces; those that are not proved are cut in two. Where one is in contact, the corner whose
             rounding leads away most there takes its next form: as wide, with its vertex moved outward by half of what the
             rounding leads inward, by all of it, by three halves, then over SHRINK of the time, and so on. Forms of one width are
             looked at together, at PLACES places each, and the first that is free is taken: what goes with
             a form is made for that alone. What that changes is looked at again.
             Before, three places of each corner are: most of what fails does so there.
   Reference docs/paths.md has the derivation. */
#include "base/memory.h"
#include "plan/cones.h"
#include "plan/connect.h"

enum { CELLS = 12, ROOM = 256, SHIFTS = 4, FORMS = 11 * SHIFTS, PLACES = 4 };
static const double SHRINK = 0.75, OUTWARD = 0.5, FINEST = 1.0 / 4096 /* half of a piece, of its edge */;

typedef struct piece {
  double s, half;
  int32_t cell;
} piece;

typedef struct corner {
  double jump, wish;  /* of velocity, in the norm of motions; half a width */
  int32_t form;       /* its number */
  bool shifted, laid; /* its vertex is moved; sums of its edges are of where it was */
  bool seen, swung;   /* three places are free; balls are inside */
} corner;

typedef struct blending {
  hik_edges *e;
  const hik_figure *figure;
  const double *given;      /* vertices [count][nq] */
  hik_smooth way;           /* of `vertex` and `ways` */
  double *vertex, *ways;    /* [count][nq], [count][nv] */
  double *bend;             /* [count][nv]: jumps of velocity of the polygon that was given */
  corner *corner;           /* [count] */
  double *sum, *before;     /* motion sums of the edges; half widths as they were */
  double *turn;             /* [count][capsules]: by how much the edges turn them */
  double *q, *move, *room;  /* [16][nq], [nv], [nq] */
  bool *tight, plain, more; /* [n_step]: limits that are looked at; no balls; vertices may be moved */
  char *proved;             /* [cells] */
  int32_t *open;            /* [cells]: pieces of it that are still to be proved */
  size_t sums, capsules;
  piece todo[ROOM];
  int32_t count, cell; /* of todo; before this cell all are proved, or in todo */
} blending;

static int32_t cells_of(const blending *b) { return (b->way.count - 1) * CELLS; }

static piece cell_piece(const blending *b, int32_t cell) {
  int32_t edge = cell / CELLS;
  double size = (b->way.at[edge + 1] - b->way.at[edge]) / CELLS;
  return (piece){b->way.at[edge] + (cell % CELLS + 0.5) * size, 0.5 * size, cell};
}

/* Cells between low and high, where corner i is, are to be proved. */
static void ask_again(blending *b, int32_t i, double low, double high) {
  for (int32_t step = -1; step <= 1; step += 2)
    for (int32_t cell = i * CELLS - (step < 0); cell >= 0 && cell < cells_of(b); cell += step) {
      piece p = cell_piece(b, cell);
      if (p.s + p.half <= low || p.s - p.half >= high) break;
      b->proved[cell] = 0;
      if (cell < b->cell) b->cell = cell;
    }
}

/* Of what its rounding leads inward, by how much corner i has its vertex moved outward. */
static double outward(const blending *b, int32_t i) {
  return OUTWARD * (b->corner[i].form % SHIFTS) * hik_smooth_ramp(0, b->way.half[i]);
}

/* How far corner i leads from the polygon that was given at s, inward by its rounding or outward by its vertex, which takes both
   its edges along; in the norm of motions. */
static double away(const blending *b, int32_t i, double s) {
  const double *at = b->way.at + i;
  double x = s - at[0], hat = x < 0 ? 1 + x / (at[0] - at[-1]) : 1 - x / (at[1] - at[0]);
  double rounding = hik_smooth_ramp(x, b->way.half[i]) - fmax(x, 0);
  return b->corner[i].jump * fmax(rounding, outward(b, i) * hat);
}

/* Motion of edge j. */
static void way_of(blending *b, int32_t j) {
  size_t nv = (size_t)b->e->model->nv, nq = (size_t)b->e->model->nq;
  const double *from = b->way.q + (size_t)j * nq;
  hik_difference(b->e->model, 1, from, from + nq, b->ways + (size_t)j * nv);
}

/* Motion sums of edge j. */
static void sums_of(blending *b, int32_t j) {
  const double *now = b->ways + (size_t)j * (size_t)b->e->model->nv;
  hik_motion_sums(b->figure, now, b->sum + (size_t)j * b->sums);
  hik_check_turns(b->e->check, now, b->turn + (size_t)j * b->capsules);
}

static const double SLACK = 1e-9; /* of limits */

/* Whether step s keeps to its limits on edges first to last even with all ways of one sign from any vertex. */
static bool stays_within(const blending *b, int32_t s, int32_t first, int32_t last) {
  const hik_model *m = b->e->model;
  const double *q = b->way.q + m->step_q[s], *way = b->ways + m->step_v[s];
  double least = INFINITY, most = -INFINITY, back = 0, ahead = 0;
  for (int32_t i = first > 0 ? first : 0; i < last + HIK_DIRECTIONS && i + 1 < b->way.count; i++) {
    const double now = q[(size_t)i * (size_t)m->nq], by = way[(size_t)i * (size_t)m->nv];
    if (now < least) least = now;
    if (now > most) most = now;
    back += by < 0 ? by : 0, ahead += by > 0 ? by : 0;
  }
  return least + back >= m->lower[m->step_q[s]] && most + ahead <= m->upper[m->step_q[s]];
}

/* Notes turns and slides, also those that follow another and so its limits, that might pass a limit on edges first to last, where
   as many overlap as may. */
static void find_tight(blending *b, int32_t first, int32_t last) {
  const hik_model *m = b->e->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t k = m->step_q[s], v = m->step_v[s];
    if (m->step_kind[s] == HIK_BALL_STEP || hik_step_follows(m, s)) continue;
    if (b->tight[s] || stays_within(b, s, first, last)) continue;
    for (int32_t i = first > 0 ? first : 0; i <= last && !b->tight[s]; i++) {
      double low = b->way.q[(size_t)i * (size_t)m->nq + (size_t)k], high = low;
      for (int32_t j = i; j < i + HIK_DIRECTIONS && j + 1 < b->way.count; j++) {
        double way = b->ways[(size_t)j * (size_t)m->nv + (size_t)v];
        low += way < 0 ? way : 0, high += way > 0 ? way : 0;
      }
      b->tight[s] = low < m->lower[k] - SLACK || high > m->upper[k] + SLACK;
    }
  }
}

/* Where a corner is looked at before all else: at its vertex, and at this share of its half width before and after it. */
static const double ASIDE = 0.4;

/* What is no longer known of corners near i, which has changed the way between low and high: at most three overlap. */
static void forget(blending *b, int32_t i, double low, double high) {
  for (int32_t k = i > 3 ? i - 3 : 0; k <= i + 3 && k < b->way.count; k++) {
    const double at = b->way.at[k], aside = ASIDE * b->way.half[k];
    b->corner[k].swung = false;
    if (at + aside > low && at - aside < high) b->corner[k].seen = false;
  }
}

/* Lays vertex i and its edges to where the form of its corner has them. */
static void lay(blending *b, int32_t i) {
  size_t nv = (size_t)b->e->model->nv, nq = (size_t)b->e->model->nq;
  double far = -outward(b, i);
  if (far == 0 && !b->corner[i].shifted) return;
  b->corner[i].shifted = far != 0, b->corner[i].laid = true;
  for (size_t k = 0; k < nv; k++) b->move[k] = far * b->bend[(size_t)i * nv + k];
  hik_integrate(b->e->model, 1, b->given + (size_t)i * nq, b->move, b->vertex + (size_t)i * nq);
  way_of(b, i - 1), way_of(b, i);
}

/* What vertices that were laid elsewhere have changed is to be looked at. */
static void settle(blending *b) {
  for (int32_t i = 1; i + 1 < b->way.count; i++) {
    if (!b->corner[i].laid) continue;
    sums_of(b, i - 1), sums_of(b, i);
    find_tight(b, i - HIK_DIRECTIONS, i);
    const double low = b->way.at[i - 1] - b->before[i - 1], high = b->way.at[i + 1] + b->before[i + 1];
    ask_again(b, i, low, high), forget(b, i, low, high);
    b->corner[i].laid = false;
  }
}

/* Corner i is as wide as its form has it, and the others no wider than they may be beside it. */
static void narrow(blending *b, int32_t i) {
  const corner *one = b->corner + i;
  double wide = one->form < FORMS ? one->wish : 0;
  for (int32_t k = 0; k < one->form / SHIFTS; k++) wide *= k < 4 ? SHRINK : 0.5;
  b->way.half[i] = fmin(b->way.half[i], wide);
  hik_smooth_order(&b->way);
  for (int32_t k = 1; k + 1 < b->way.count; k++) {
    if (b->way.half[k] >= b->before[k]) continue;
    const double low = b->way.at[k] - b->before[k], high = b->way.at[k] + b->before[k];
    ask_again(b, k, low, high), forget(b, k, low, high), lay(b, k);
  }
}

/* The corner that leads away most at s; 0: none is rounded. */
static int32_t foremost(const blending *b, double s) {
  int32_t most = 0;
  double best = -INFINITY;
  for (int32_t i = 1; i + 1 < b->way.count; i++) {
    double far = away(b, i, s), off = fabs(s - b->way.at[i]) - b->way.half[i];
    if (b->way.half[i] > 0 && (far > 0 ? far : -off) > best) best = far > 0 ? far : -off, most = i;
  }
  return most;
}

/* Of pieces: parts of an edge, which is proved; outside their limits; not known to be inside. */
typedef struct known {
  uint32_t edge, outside, unknown;
} known;

/* Edges of a piece, what is gone of them at its middle, and by how much more or less at its ends. */
typedef struct spread {
  int32_t first, last;
  double share[HIK_DIRECTIONS], less[HIK_DIRECTIONS], more[HIK_DIRECTIONS];
} spread;

static double within(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* As hik_smooth_share three times; each vertex counts for two edges. */
static void spread_at(const hik_smooth *c, const piece *p, spread *out) {
  double begun[3] = {0, 0, 0}, s[3] = {p->s - p->half, p->s, p->s + p->half};
  for (int32_t j = out->first; j <= out->last + 1; j++) {
    double gone[3], size = 0;
    for (int k = 0; k < 3; k++) gone[k] = hik_smooth_ramp(s[k] - c->at[j], c->half[j]);
    if (j > out->first) {
      int32_t at = j - 1 - out->first;
      size = 1 / (c->at[j] - c->at[j - 1]);
      double mid = within((begun[1] - gone[1]) * size);
      out->share[at] = mid;
      out->less[at] = within(mid - (begun[0] - gone[0]) * size);
      out->more[at] = within((begun[2] - gone[2]) * size - mid);
    }
    memcpy(begun, gone, sizeof begun);
  }
}

/* How fast the edges from `first` on are gone at most, and how fast that changes, all over low to high. */
static void curve_at(const blending *b, double low, double high, int32_t first, int32_t count, int l,
                     hik_curving *out) {
  const hik_smooth *c = &b->way;
  double fast = 0, dense = 0;
  for (int32_t j = 0; j <= count; j++) {
    const double at = c->at[first + j], h = c->half[first + j];
    const bool end = first + j == 0 || first + j == c->count - 1, on = low < at + h && at - h < high;
    double slow = hik_smooth_slope(low - at, h), peak = end || !on ? 0
                                                        : h > 0    ? hik_smooth_peak(h)
                                                                   : INFINITY;
    if (j > 0) {
      double size = (1 + 1e-6) / (at - c->at[first + j - 1]);
      out->rate[j - 1][l] = (float)(((fast > slow ? fast - slow : 0) + 1e-9) * size);
      out->pace[j - 1][l] = (float)((dense > peak ? dense : peak) * size);
    }
    fast = hik_smooth_slope(high - at, h), dense = peak;
  }
}

/* The posture at a piece's middle. */
static void posture(blending *b, const piece *p, const spread *at, double *q) {
  const hik_model *m = b->e->model;
  size_t nv = (size_t)m->nv;
  if (!b->plain) {
    hik_smooth_place(m, &b->way, p->cell / CELLS, p->s, b->move, b->room, q);
    return;
  }
  memcpy(q, b->way.q + (size_t)at->first * nv, nv * sizeof *q);
  for (int32_t j = 0; j <= at->last - at->first; j++) {
    const double *way = b->ways + (size_t)(at->first + j) * nv;
    double share = at->share[j];
    for (size_t k = 0; k < nv; k++) q[k] += share * way[k];
  }
}

/* Room of turns and slides on a piece: 1 inside all along, 0 not known, -1 outside in the middle. */
static int32_t limits(const blending *b, const spread *at, const double *q) {
  const hik_model *m = b->e->model;
  int32_t sure = 1;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t k = m->step_q[s], v = m->step_v[s];
    double low = q[k], high = q[k];
    if (!b->tight[s]) continue;
    if (low < m->lower[k] - SLACK || high > m->upper[k] + SLACK) return -1;
    for (int32_t j = 0; j <= at->last - at->first; j++) {
      double way = b->ways[(size_t)(at->first + j) * (size_t)m->nv + (size_t)v];
      low += way < 0 ? way * at->more[j] : -way * at->less[j];
      high += way < 0 ? -way * at->less[j] : way * at->more[j];
    }
    if (low < m->lower[k] - SLACK || high > m->upper[k] + SLACK) sure = 0;
  }
  return sure;
}

/* Whether slides keep to their limits, and so to what their levers count with, also between pieces. */
static bool within_levers(const blending *b) {
  const hik_model *m = b->e->model;
  for (int32_t s = 0; s < m->n_step; s++)
    if (b->tight[s] && m->step_kind[s] == HIK_SLIDE) return false;
  return true;
}

typedef struct told_by {
  hik_beside beside;
  hik_curving curve;
} told_by;

/* What is told by places side by side: of turns and slides alone, for no way is known to be as smooth where balls are. */
static void set_curve(const blending *b, int32_t taken, int32_t first, hik_growth *growth, told_by *by) {
  const piece *last = b->todo + b->count - 1;
  double t[HIK_GROUP], half[HIK_GROUP];
  for (int32_t l = 0; l < HIK_GROUP; l++) {
    const piece *p = last - (l < taken ? l : taken - 1);
    t[l] = p->s, half[l] = p->half;
  }
  hik_beside_of(t, half, &by->beside);
  for (int32_t l = 0; l < HIK_GROUP; l++)
    curve_at(b, by->beside.low[l], by->beside.high[l], first, growth->count, l, &by->curve);
  for (int32_t j = 0; j < growth->count; j++) growth->turn[j] = b->turn + (size_t)(first + j) * b->capsules;
  growth->beside = &by->beside, growth->curve = &by->curve;
}

/* The edges of a piece that are on their way. */
static void edges_of(const blending *b, const piece *p, spread *out) {
  const hik_smooth *way = &b->way;
  int32_t own = p->cell / CELLS; /* a piece that ends with its edge does not reach another's by rounding */
  hik_smooth_edges(way, own, fmax(p->s - p->half, way->at[own]), fmin(p->s + p->half, way->at[own + 1]),
                   &out->first, &out->last);
}

/* The growth of pieces from edge `first` on. */
static void set_weights(const blending *b, const spread *at, int32_t taken, int32_t first,
                        hik_growth *growth) {
  for (int32_t j = 0; j < growth->count; j++) {
    growth->sum[j] = b->sum + (size_t)(first + j) * b->sums;
    for (int32_t l = 0; l < HIK_GROUP; l++) {
      const spread *one = at + (l < taken ? l : taken - 1);
      int32_t k = first + j - one->first;
      bool on = first + j >= one->first && first + j <= one->last;
      growth->weight[j][l] = !on ? 0 : one->less[k] > one->more[k] ? one->less[k] : one->more[k];
    }
  }
}

/* Places up to 16 pieces, the last of todo; how many there are whose edges are not more than directions, and their growth. */
static int32_t set_out(blending *b, hik_growth *growth, known *bits, told_by *by) {
  const hik_smooth *way = &b->way;
  int32_t n = b->count < HIK_GROUP ? b->count : HIK_GROUP, first = INT32_MAX, last = -1, taken = 0;
  spread at[HIK_GROUP];
  size_t nq = (size_t)b->e->model->nq;
  bool wide = false; /* else places alone, which nothing moves within */
  for (; taken < n; taken++) {
    const piece *p = b->todo + b->count - 1 - taken;
    wide = wide || p->half > 0;
    spread *one = at + taken;
    edges_of(b, p, one);
    int32_t low = one->first < first ? one->first : first, high = one->last > last ? one->last : last;
    if (high - low >= HIK_DIRECTIONS) break;
    first = low, last = high;
    spread_at(way, p, one);
  }
  *bits = (known){0, 0, 0};
  growth->count = 0;
  if (taken == 0) return 0;
  if (wide) growth->count = last - first + 1, set_weights(b, at, taken, first, growth);
  if (wide && b->plain && within_levers(b)) set_curve(b, taken, first, growth, by);
  for (int32_t l = 0; l < taken; l++) {
    double *q = b->q + (size_t)l * nq;
    posture(b, b->todo + b->count - 1 - l, at + l, q);
    const corner *one = b->corner + at[l].first;
    bool edge = at[l].first == at[l].last && !one[0].shifted && !one[1].shifted;
    int32_t room = edge ? 1 : limits(b, at + l, q);
    bits->edge |= (uint32_t)edge << l;
    bits->outside |= (uint32_t)(room < 0) << l, bits->unknown |= (uint32_t)(room == 0) << l;
  }
  return taken;
}

/* Looks at the last pieces of todo; false: at `where` one is in contact, or too short to be cut. */
static bool look(blending *b, double *where) {
  hik_growth growth = {0};
  told_by by;
  known bits;
  int32_t n = set_out(b, &growth, &bits, &by), bad = -1;
  if (n == 0) return *where = b->todo[b->count - 1].s, false; /* too many edges for one piece */
  piece now[HIK_GROUP];
  for (int32_t l = 0; l < n; l++) now[l] = b->todo[b->count - 1 - l];
  hik_check_place(b->e->check, b->q, n);
  hik_touched touched = hik_check_touch(b->e->check, growth.count > 0 ? &growth : NULL, true);
  uint32_t out = (touched.hit & ~bits.edge) | bits.outside, free = (touched.free & ~bits.unknown) | bits.edge;
  b->e->groups++, b->count -= n;
  for (int32_t l = n - 1; l >= 0; l--)
    if (out >> l & 1) bad = l;
  for (int32_t l = n - 1; l >= 0 && bad < 0; l--) { /* so that todo ends with what comes first */
    const piece *p = now + l;
    double edge = b->way.at[p->cell / CELLS + 1] - b->way.at[p->cell / CELLS];
    if (free >> l & 1) {
      if (p->half > 0 && --b->open[p->cell] == 0) b->proved[p->cell] = 1;
    } else if (p->half < FINEST * edge || b->count + 4 > ROOM) {
      bad = l;
    } else {
      for (int32_t k = 1; k >= 0; k--)
        b->todo[b->count++] = (piece){p->s + p->half * (2 * k - 1) / 2, p->half / 2, p->cell};
      b->open[p->cell] += 1;
    }
  }
  if (bad < 0) return true;
  for (int32_t l = 0; l < n; l++)
    if (now[l].cell < b->cell) b->cell = now[l].cell;
  return *where = now[bad].s, false;
}

/* A place s, looked for from corner i on. */
static piece place_at(const blending *b, int32_t i, double s) {
  while (i > 0 && s < b->way.at[i]) i--;
  while (i + 2 < b->way.count && s >= b->way.at[i + 1]) i++;
  return (piece){s, 0, i * CELLS};
}

/* Place k of corner i, -1, 0 or 1, which are looked at before all others. */
static piece place_of(const blending *b, int32_t i, int32_t k) {
  return place_at(b, i, b->way.at[i] + ASIDE * k * b->way.half[i]);
}

/* Looks at corner i in its form and in those as wide whose vertex is farther out, all at once: the first whose three places and
   s are free is laid; false: none is, and the last of them is laid. */
static bool try_shifts(blending *b, int32_t i, double s) {
  corner *one = b->corner + i;
  const int32_t from = one->form, n = b->more ? SHIFTS - from % SHIFTS : 1;
  size_t nq = (size_t)b->e->model->nq;
  int32_t found = 0;
  uint32_t own = 8; /* s, and places where no other corner leads away more */
  piece p[PLACES];
  spread at[PLACES];
  for (int32_t l = 0; l < PLACES; l++) {
    p[l] = l < 3 ? place_of(b, i, l - 1) : place_at(b, i, s);
    edges_of(b, p + l, at + l), spread_at(&b->way, p + l, at + l);
    if (l < 3) own |= (uint32_t)(foremost(b, p[l].s) == i) << l;
  }
  for (int32_t k = 0; k < n; k++) {
    one->form = from + k, lay(b, i);
    for (int32_t l = 0; l < PLACES; l++) posture(b, p + l, at + l, b->q + (size_t)(k * PLACES + l) * nq);
  }
  hik_check_place(b->e->check, b->q, n * PLACES);
  uint32_t hit = hik_check_touch(b->e->check, NULL, false).hit;
  b->e->groups++;
  while (found < n && hit >> found * PLACES & own) found++;
  one->form = from + (found < n ? found : n - 1), lay(b, i);
  one->seen = found < n && !(hit >> found * PLACES & 15);
  return found < n;
}

/* At s a piece is in contact, or too short: the corner that leads away most there takes the next of its forms that is not in
   contact, as wide or narrower, as long as it is that corner: after that it is to be seen anew where contact is.
   False: no corner is rounded, so what is left is the polygon. */
static bool change(blending *b, double s) {
  const int32_t i = foremost(b, s);
  bool free;
  if (i == 0) return false;
  memcpy(b->before, b->way.half, (size_t)b->way.count * sizeof *b->before);
  do {
    b->corner[i].form += b->more ? 1 : SHIFTS;
    if (b->corner[i].form % SHIFTS == 0) narrow(b, i);
    free = b->way.half[i] > 0 && try_shifts(b, i, s);
  } while (!free && foremost(b, s) == i); /* which no corner is that is not rounded */
  bool seen = b->corner[i].seen;
  settle(b);
  b->corner[i].seen = seen;
  return true;
}

/* Whether three places of each corner that has moved are free. */
static bool probe(blending *b, double *where) {
  int32_t n = b->way.count;
  for (int32_t i = 1; i + 1 < n;) {
    int32_t from = i;
    b->count = 0;
    for (; i + 1 < n && b->count + 3 <= HIK_GROUP; i++)
      for (int32_t k = -1; k <= 1 && !b->corner[i].seen && b->way.half[i] > 0; k++)
        b->todo[b->count++] = place_of(b, i, k);
    while (b->count > 0)
      if (!look(b, where)) return false;
    for (; from < i; from++) b->corner[from].seen = true;
  }
  return true;
}

/* Whether balls keep to their limits. */
static bool swing(blending *b, double *where) {
  for (int32_t i = 1; b->e->model->n_swing && i + 1 < b->way.count; i++) {
    double half = b->way.half[i], low = b->way.at[i] - half, high = b->way.at[i] + half;
    int64_t looks = 0;
    if (b->corner[i].shifted) low = fmin(low, b->way.at[i - 1]), high = fmax(high, b->way.at[i + 1]);
    if (half == 0 || b->corner[i].swung) continue;
    *where = hik_cones_smooth(b->e->model, &b->way, i, low, high, &looks);
    b->e->groups += looks / 16;
    if (*where < high) return *where = fmax(*where, low + 0.01 * half), false;
    b->corner[i].swung = true;
  }
  return true;
}

/* Whether all cells are proved. */
static bool prove(blending *b, double *where) {
  for (b->count = 0;;) {
    int32_t add = 0, begin = b->cell;
    for (; b->count + add < HIK_GROUP && b->cell < cells_of(b); b->cell++) add += !b->proved[b->cell];
    memmove(b->todo + add, b->todo, (size_t)b->count * sizeof *b->todo);
    b->count += add;
    for (int32_t cell = begin; cell < b->cell; cell++)
      if (!b->proved[cell]) b->todo[--add] = cell_piece(b, cell), b->open[cell] = 1;
    if (b->count == 0) return true;
    if (look(b, where)) continue;
    for (int32_t i = 0; i < b->count; i++)
      if (b->todo[i].cell < b->cell) b->cell = b->todo[i].cell;
    return false;
  }
}

/* Motions of the edges, and by how much velocity jumps at corners. */
static void begin(blending *b) {
  size_t nv = (size_t)b->e->model->nv;
  const hik_smooth *c = &b->way;
  hik_smooth_order(&b->way); /* narrower forms are so of what there is room for */
  for (int32_t j = 0; j + 1 < c->count; j++) {
    double *now = b->ways + (size_t)j * nv, jump = 0;
    way_of(b, j), sums_of(b, j);
    for (size_t k = 0; k < nv && j > 0; k++) {
      double one = now[k] / (c->at[j + 1] - c->at[j]) - (now - nv)[k] / (c->at[j] - c->at[j - 1]);
      jump += one * one, b->bend[(size_t)j * nv + k] = one;
    }
    b->corner[j].jump = sqrt(jump), b->corner[j].wish = c->half[j];
  }
  find_tight(b, 0, c->count - 2);
  memset(b->proved, 1, (size_t)cells_of(b));
  for (int32_t i = 1; i + 1 < c->count; i++) ask_again(b, i, c->at[i] - c->half[i], c->at[i] + c->half[i]);
}

bool hik_blends(hik_edges *e, const hik_figure *figure, const hik_route *r, const double *at, bool moves,
                double *half, double *vertex) {
  const hik_model *m = e->model;
  size_t nv = (size_t)m->nv, nq = (size_t)m->nq, n = (size_t)r->count, steps = (size_t)m->n_step;
  blending b = {.e = e, .figure = figure, .given = r->q, .vertex = vertex, .plain = nq == nv, .more = moves};
  hik_block block = {NULL, 0, false};
  b.sums = (size_t)hik_figure_sums(figure) + 16, b.capsules = (size_t)hik_figure_capsules(figure);
  for (int32_t pass = 0; pass < 2; pass++) {
    HIK_TAKE_DOUBLES(&block, n * nv, &b.ways, &b.bend);
    b.sum = HIK_TAKE(&block, double, n *b.sums), b.turn = HIK_TAKE(&block, double, n *b.capsules);
    b.before = HIK_TAKE(&block, double, n);
    b.q = HIK_TAKE(&block, double, HIK_GROUP *nq), b.move = HIK_TAKE(&block, double, nv);
    b.room = HIK_TAKE(&block, double, nq), b.tight = HIK_TAKE(&block, bool, steps);
    b.corner = HIK_TAKE(&block, corner, n), b.proved = HIK_TAKE(&block, char, n *CELLS);
    b.open = HIK_TAKE(&block, int32_t, n * CELLS);
    if (pass == 0 && (block.bad || !(block.base = hik_allocate(block.size)))) return false;
    if (pass == 0) block.size = 0;
  }
  memcpy(vertex, r->q, n * nq * sizeof *vertex);
  b.way = (hik_smooth){r->count, at, half, vertex, b.ways};
  for (size_t s = 0; s < steps; s++) b.plain &= m->step_q[s] == m->step_v[s];
  begin(&b);
  double where;
  while (!probe(&b, &where) || !swing(&b, &where) || !prove(&b, &where)) {
    if (hik_edges_ended(e)) { /* nothing is proved: all corners stay */
      memset(half, 0, n * sizeof *half), memcpy(vertex, r->q, n * nq * sizeof *vertex);
      break;
    }
    if (!change(&b, where)) break;
  }
  hik_release(block.base);
  return true;
}
