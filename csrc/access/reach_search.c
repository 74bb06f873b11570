/* reach_search.c: cells split until each is proved far; see reach.h.

   Purpose    a proof that no posture brings the frame as near to the target as `far`
   Given      the chain, the target, a hint where the frame comes nearest, a budget of cells
   Returned   FAR: every cell of a cover of the joint space was shown to stay farther. NEAR: at some center inside the limits the
              distance is no more. OPEN: the budget is spent
   Notes      Depth first, the half first whose center is nearer is not sought: a proof must do all. The halves of a cell share
              their face and the root is wider than the limits by more than all rounding of middles (1e-12 relative, against some
              1e-16 a halving), so that the cover has no gaps. A bound counts only if it is above `far` by a slack of 1e-7 times the
              greatest distance in play, some 1e6 roundings of a bound. */
#include "access/reach_bound.h"

#include "base/memory.h"

/* Cells waiting: each split leaves one behind, so that as many as there may be halvings do. */
enum { WAITING = 600 };
/* A cell none of whose widths is more than this is split no further. */
static const double SMALLEST = 1e-7;

typedef struct search {
  const hik_reach *r;
  hik_reach_at at;
  double *cells, *first, *second;
  const double *target, *normal;
  double far, slack;
} search;

static void lay_out(const hik_reach *r, hik_block *block, search *s) {
  size_t width = 2 * (size_t)r->variables;
  s->cells = HIK_TAKE(block, double, (WAITING + 2) * (uint64_t)width + 1);
  HIK_TAKE_DOUBLES(block, r->variables + 1, &s->first, &s->second);
}

size_t hik_reach_scratch(const hik_reach *r) {
  hik_block block = {0};
  search s;
  size_t size, at = hik_reach_at_size(r);
  lay_out(r, &block, &s);
  return block.bad || at == SIZE_MAX || !hik_add(block.size, at, &size) ? SIZE_MAX : size;
}

/* q of a center: coordinates, and the rotations of balls; those of the tail stay as they are but for its twist. */
static void put_center(const search *s, double *q) {
  const hik_reach *r = s->r;
  for (int32_t i = 0; i < r->variables; i++) {
    int32_t k = r->variable[i].q;
    if (k >= 0) q[k] = hik_clip(s->at.middle[i], r->model->lower[k], r->model->upper[k]);
  }
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *e = r->element + k;
    if (e->kind != HIK_BALL_STEP) continue;
    const double *uv = s->at.middle + e->variable;
    bool in_tail = r->tail.arm && r->tail.twist == k + 1;
    double in[3] = {uv[0], uv[1], in_tail ? s->at.here[0] : uv[2]};
    hik_swing_join(e->room, in, q + r->model->step_q[e->step]);
  }
}

typedef enum { CLOSED, SPLIT, NEAR } judged;

/* The cell of the place: proved, or to be split by the shares that s->first then holds, or as near as `far`. */
static judged judge(search *s, hik_reach_proof *proof, double *q) {
  const hik_reach *r = s->r;
  bool inside;
  double local[3], plane, bound;
  if (!hik_reach_place(r, &s->at, s->at.middle, s->at.half, &inside)) return CLOSED;
  double distance = hik_reach_distance(r, &s->at, s->target, false, NULL);
  bound = distance - hik_reach_loss(r, &s->at, s->target, s->first);
  if (bound > s->far + s->slack) return CLOSED;
  if (inside) {
    double here = r->tail.arm ? hik_reach_distance(r, &s->at, s->target, true, NULL) : distance;
    if (here < proof->nearest) {
      proof->nearest = here;
      if (q) put_center(s, q);
    }
    if (here <= s->far) return NEAR;
  }
  if (distance <= s->far + s->slack) return SPLIT;
  if (hik_dot(s->normal, s->normal) > 0.5) {
    plane = hik_reach_plane(r, &s->at, s->target, s->normal, s->second);
    if (plane > s->far + s->slack) return CLOSED;
    if (plane > bound) {
      double *swap = s->first;
      bound = plane, s->first = s->second, s->second = swap;
    }
  }
  hik_reach_distance(r, &s->at, s->target, false, local);
  plane = hik_reach_plane(r, &s->at, s->target, local, s->second);
  if (plane > s->far + s->slack) return CLOSED;
  if (plane > bound) {
    double *swap = s->first;
    s->first = s->second, s->second = swap;
  }
  return SPLIT;
}

/* The variable with the largest share; the widest where none has any; -1: all are too small. */
static int32_t widest_share(const search *s, const double *half) {
  int32_t best = -1;
  double most = 0, wide = SMALLEST;
  for (int32_t i = 0; i < s->r->variables; i++)
    if (half[i] > SMALLEST && s->first[i] > most) most = s->first[i], best = i;
  for (int32_t i = 0; best < 0 && i < s->r->variables; i++)
    if (half[i] > wide) wide = half[i], best = i;
  return best;
}

static void root(const search *s, double *cell) {
  int32_t n = s->r->variables;
  for (int32_t i = 0; i < n; i++) {
    const hik_variable *v = s->r->variable + i;
    cell[i] = v->middle, cell[n + i] = v->half;
  }
}

/* The last waiting cell into its two halves, the second in its place and the first after it. */
static void halve(const search *s, double *cell, int32_t variable) {
  int32_t n = s->r->variables;
  double *next = cell + 2 * (size_t)n, half = 0.5 * cell[n + variable];
  memcpy(next, cell, 2 * (size_t)n * sizeof *cell);
  cell[n + variable] = next[n + variable] = half;
  next[variable] = cell[variable] - half;
  cell[variable] += half;
}

hik_reach_proof hik_reach_prove(const hik_reach *r, const double target[3], const double normal[3], double far,
                                int64_t budget, void *scratch, double *q) {
  hik_reach_proof proof = {HIK_REACH_OPEN, 0, INFINITY};
  search s = {.r = r, .target = target, .normal = normal, .far = far, .slack = 1e-7 * (r->span + hik_norm(target))};
  hik_block block = {.base = scratch};
  lay_out(r, &block, &s);
  s.at = hik_reach_at_begin(r, (char *)scratch + block.size);
  size_t width = 2 * (size_t)r->variables;
  int32_t waiting = 1;
  root(&s, s.cells);
  while (waiting > 0 && proof.cells < budget) {
    double *cell = s.cells + width * (size_t)(waiting - 1);
    s.at.middle = cell, s.at.half = cell + r->variables;
    proof.cells++;
    judged found = judge(&s, &proof, q);
    if (found == NEAR) {
      proof.outcome = HIK_REACH_NEAR;
      return proof;
    }
    if (found == CLOSED) {
      waiting--;
      continue;
    }
    int32_t variable = widest_share(&s, s.at.half);
    if (variable < 0 || waiting == WAITING) return proof;
    halve(&s, cell, variable);
    waiting++;
  }
  if (waiting == 0) proof.outcome = HIK_REACH_FAR;
  return proof;
}
