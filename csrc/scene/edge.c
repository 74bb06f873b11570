/* edge.c: edges proved free by growing the capsules by their motion.

   Purpose   is every posture of an edge free, and how far is the first part of it
   Given     q0, v; the motion sums of v, and by how much it turns what carries each capsule
   Returned  FREE, HIT with a posture in contact, UNDECIDED
   Notes     A piece of half width h about t is free if, at t, nothing is nearer than each capsule moves within h. Free bubbles:
             Quinlan 1994; adaptive checks of edges: Schwarzer, Saha and Latombe 2005. Each group of sixteen pieces is one check.
             The order of pieces is fixed, so the answer and its cost are the same on every machine. */
#include "scene/inside.h"

enum { PIECES = 16, MOST_PIECES = 1024, CUT = 4, MOST_GROUPS = 1 << 16 };

/* A turn that no way is kept to by: so much that what is told by it counts for nothing. */
#define UNBOUNDED 1e30

/* Metres that a piece of the first cut may move at most each way, where that many pieces do. */
#define FIRST 0.12

/* Metres an edge moves at most that begins with half as many pieces: its groups are half as dear, and hardly more. */
#define SHORT 0.6

/* Slides within what their levers count with, at both ends (and so between). */
static bool within_levers(const hik_figure *f, const double *q0, const double *v) {
  const hik_model *m = f->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    if (m->step_kind[s] != HIK_SLIDE || hik_step_follows(m, s) || f->along[s] == INFINITY) continue;
    const double *line = m->step_line + 2 * (size_t)s;
    double from = q0[m->step_q[s]], to = from + v[m->step_v[s]];
    if (!(fabs(line[0] * from + line[1]) <= f->along[s]) || !(fabs(line[0] * to + line[1]) <= f->along[s]))
      return false;
  }
  return true;
}

/* Where a follower of a swing moves a capsule, nothing bounds how its way bends. */
void hik_check_turns(hik_check *c, const double *v, double *turn) {
  const hik_figure *f = c->figure;
  const hik_model *m = f->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    const double *by = v + m->step_v[s];
    bool follows = hik_step_follows(m, s), ball = m->step_kind[s] == HIK_BALL_STEP;
    double own = m->step_kind[s] == HIK_SLIDE ? 0 : ball ? hik_norm(by) : f->slope[s] * fabs(*by);
    if (follows) own = hik_norm(by) > 0 ? UNBOUNDED : 0;
    c->turned[s] = own + (m->step_parent[s] < 0 ? 0 : c->turned[m->step_parent[s]]);
  }
  for (int32_t k = 0; k < f->n_capsule; k++) turn[k] = f->step[k] < 0 ? 0 : c->turned[f->step[k]];
}

static double most_of(const hik_figure *f, const double *sum) {
  double most = 0;
  for (int32_t k = 0; k < f->n_sum; k++) most = hik_most(most, sum[k]);
  return most;
}

static int first_bit(uint32_t bits) {
  int k = 0;
  while (!(bits >> k & 1)) k++;
  return k;
}

/* Both ends of a piece are told by one lane, its partner, and how far they are alone: where all are, as curves have it, the first
   path is found no sooner, and the whole of a call takes a twentieth less. */
void hik_beside_partner(const double *t, const double *half, hik_beside *out) {
  for (int l = 0; l < HIK_GROUP; l++) {
    double apart = fabs(t[l ^ 1] - t[l]);
    out->most[l & 1][l] = apart > 0 ? (float)(half[l] / apart * (1 + 1e-6)) : 0, out->most[~l & 1][l] = 0;
    out->bend[l] = apart > 0 ? (float)(half[l] * (half[l] + apart) * (1 + 1e-6)) : INFINITY;
  }
}

typedef struct proof {
  hik_check *check;
  const double *q0, *v;
  double most, tol; /* metres the whole edge moves something at most */
  hik_edge_proof out;
} proof;

/* Contact at the ends, or beside what was stuck? */
static void look_again(proof *p, double stuck, double half) {
  double t[4] = {0, 1, stuck - half, stuck + half};
  p->out.edge = HIK_EDGE_UNDECIDED, p->out.witness = stuck;
  hik_check_between(p->check, p->q0, p->v, t, 4);
  p->out.groups++;
  uint32_t hit = hik_check_touch(p->check, NULL, false).hit;
  if (hit) p->out.edge = HIK_EDGE_HIT, p->out.witness = t[first_bit(hit)];
}

/* Takes up to 16 pieces from the stack; true: the edge is decided. */
static bool prove_group(proof *p, int32_t *depth) {
  double t[HIK_GROUP], half[HIK_GROUP], *stack = p->check->stack;
  hik_beside beside;
  hik_growth growth = {.count = 1, .sum = {p->check->sum}, .turn = {p->check->turn}, .beside = &beside};
  int32_t n = 0;
  for (; n < HIK_GROUP && *depth > 0; n++) {
    --*depth;
    t[n] = stack[2 * *depth], half[n] = growth.weight[0][n] = stack[2 * *depth + 1];
  }
  for (int32_t l = n; l < HIK_GROUP; l++) growth.weight[0][l] = half[n - 1], t[l] = t[n - 1];
  if (p->most == INFINITY) growth.turn[0] = NULL;
  hik_beside_partner(t, growth.weight[0], &beside);
  hik_check_between(p->check, p->q0, p->v, t, n);
  hik_touched found = hik_check_touch(p->check, &growth, true);
  p->out.groups++;
  if (found.hit) {
    p->out.edge = HIK_EDGE_HIT, p->out.witness = t[first_bit(found.hit)];
    return true;
  }
  for (int32_t l = 0; l < n; l++) {
    if (found.free >> l & 1) continue;
    if (!(half[l] * p->most >= p->tol) || p->most == INFINITY || *depth + CUT > HIK_STACK ||
        p->out.groups >= MOST_GROUPS) {
      look_again(p, t[l], half[l]);
      return true;
    }
    for (int k = 0; k < CUT; k++) {
      double *to = stack + 2 * (*depth)++;
      to[0] = t[l] + half[l] * (2 * k + 1 - CUT) / CUT, to[1] = half[l] / CUT;
    }
  }
  return false;
}

hik_edge_proof hik_check_edge(hik_check *check, const double *q0, const double *v, double tol) {
  proof p = {.check = check, .q0 = q0, .v = v, .tol = tol, .out = {HIK_EDGE_FREE, 0, 0}};
  hik_motion_sums(check->figure, v, check->sum);
  hik_check_turns(check, v, check->turn);
  p.most = within_levers(check->figure, q0, v) ? most_of(check->figure, check->sum) : INFINITY;
  if (p.most == INFINITY)
    for (int32_t k = 0; k < check->figure->n_sum; k++) check->sum[k] = INFINITY;
  double pieces = p.most > SHORT ? PIECES : PIECES / 2;
  while (pieces < MOST_PIECES && p.most < INFINITY && p.most > 2 * FIRST * pieces) pieces *= 2;
  int32_t depth = 0;
  for (double k = pieces - 1; k >= 0; k--) {
    double *to = check->stack + 2 * depth++;
    to[0] = (k + 0.5) / pieces, to[1] = 0.5 / pieces;
  }
  while (depth > 0)
    if (prove_group(&p, &depth)) break;
  return p.out;
}

hik_march hik_check_march(hik_check *check, const double *q0, const double *v, double tol, double least) {
  hik_march out = {0, false, 0};
  double t[HIK_GROUP];
  hik_beside beside;
  hik_growth growth = {.count = 1, .sum = {check->sum}, .turn = {check->turn}, .beside = &beside};
  hik_motion_sums(check->figure, v, check->sum);
  hik_check_turns(check, v, check->turn);
  double most = within_levers(check->figure, q0, v) ? most_of(check->figure, check->sum) : INFINITY;
  double width = 1.0 / PIECES;
  while (out.groups < MOST_GROUPS && most < INFINITY && 0.5 * width * most > FIRST) width /= 2;
  while (out.groups < MOST_GROUPS && most < INFINITY) {
    for (int l = 0; l < HIK_GROUP; l++) {
      double from = out.proved + l * width, to = fmin(from + width, 1);
      if (from >= 1) from = to = 1;
      t[l] = 0.5 * (from + to), growth.weight[0][l] = 0.5 * (to - from);
    }
    hik_check_between(check, q0, v, t, HIK_GROUP);
    hik_beside_partner(t, growth.weight[0], &beside);
    hik_touched found = hik_check_touch(check, &growth, false);
    out.groups++;
    uint32_t bad = ~found.free & ((1u << HIK_GROUP) - 1);
    int lead = bad ? first_bit(bad) : HIK_GROUP;
    out.proved = fmin(out.proved + lead * width, 1);
    if (out.proved >= 1 - 1e-15) {
      out.proved = 1;
      break;
    }
    bool hit = bad && (found.hit >> lead & 1);
    if (!bad)
      width = fmin(4 * width, 1.0 / PIECES);
    else
      out.hit = hit || out.hit, width /= hit ? 32 : 4;
    if (bad && ((hit && out.proved >= least) || 0.5 * width * most < tol)) break;
  }
  return out;
}
