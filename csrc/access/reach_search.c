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
#include "access/reach_swing.h"
#include "access/reach_table.h"

#include "base/memory.h"

/* Cells waiting: each split leaves one behind, so that as many as there may be halvings do. */
enum { WAITING = 600 };
/* Numbers of a cell besides its variables' middles and half widths: see search.local and search.run. */
enum { EXTRA = 4 };
/* A cell none of whose widths is more than this is split no further. */
static const double SMALLEST = 1e-7;

/* Cells of the search below a trunk's cell; where it ends undecided and the trunk's cell is not what is large. */
static const int64_t FEW = 6, MORE = 300;
static const double WORTH = 0.6;
/* Cells of a search of an arm by itself. */
static const int64_t MANY = 3000;
/* A plane that parts the center from the target and loses no more than so many times by how much in the cell is left to close the
   cell's parts, generations of them at most. */
static const double SOON = 8;
static const double RUN = 8;
/* A plane parts a cell's center wherever the last turn is if it does so by this share of what that turn's width costs. */
static const double APART = 0.1;
/* With more cells than this a target is one that planes do not part from what is reached: then narrow turns are better. */
static const int64_t SWEPT = 2000;
/* With no more cells than the first a middle table does: what it leaves open is asked again with more, and fine nodes take long.
   With no more than the second they are asked where a plane is so near to what is wanted, meters. */
static const int64_t ROUGH[2] = {5000, 50000};
static const double FINER = 4e-3;

typedef struct search {
  const hik_reach *r, *arm; /* arm NULL: the tail is closed */
  void *below;              /* working memory of the search of the arm */
  hik_reach_at at;
  const hik_reach *parted; /* by planes: r, or r without its last turn */
  hik_reach_at apart;      /* of that */
  double *cells, *first, *second;
  double *local; /* [3] of the cell: the direction that its parent's nearest posture gave, zeros: none */
  double *run;   /* of the cell: for how many generations planes alone were tried */
  const double *target, *normal;
  double far, slack;
  bool parts;   /* s->first is of a plane that parts the center wherever the last turn is */
  bool finer;   /* a fine table is asked where a middle one does not do */
  int8_t how;   /* the last cell was closed */
  double by[3]; /* the normal of the plane that did */
  int64_t left; /* of the budget */
} search;

static void lay_out(const hik_reach *r, hik_block *block, search *s) {
  size_t width = 2 * (size_t)r->variables + EXTRA;
  s->cells = HIK_TAKE(block, double, (WAITING + 2) * (uint64_t)width + 1);
  HIK_TAKE_DOUBLES(block, r->variables + 1, &s->first, &s->second);
}

size_t hik_reach_scratch(const hik_reach *r) {
  hik_block block = {0};
  search s;
  size_t size, below = 0, at = hik_reach_at_size(r);
  lay_out(r, &block, &s);
  if (r->tail.set) below = hik_reach_scratch(hik_reach_table_chain(r->tail.set));
  if (r->shoulder) below = hik_shoulder_scratch(r->shoulder, MANY);
  if (block.bad || at == SIZE_MAX || below == SIZE_MAX || !hik_add(block.size, at, &size)) return SIZE_MAX;
  return hik_add(size, below, &size) ? size : SIZE_MAX;
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
    if (e->paired) {
      int32_t i = e->variable, at = r->variable[i].q;
      q[at] =
          hik_clip(s->at.middle[i] - e->sign * s->at.middle[i - 1], r->model->lower[at], r->model->upper[at]);
    }
    if (e->kind != HIK_BALL_STEP) continue;
    const double *uv = s->at.middle + e->variable;
    bool in_tail = r->tail.arm && r->tail.twist == k + 1;
    double in[3] = {uv[0], uv[1], in_tail ? s->at.here.middle : uv[2]};
    hik_swing_join(e->room, in, q + r->model->step_q[e->step]);
  }
}

typedef enum { CLOSED, SPLIT, NEAR } judged;

/* Whether a plane that does not close the cell by `bound`, less than 0, parts its center from the target wherever the last turn is,
   so that this need not be cut; else the last share becomes what its width costs. */
static bool parts_sooner(search *s, const hik_reach_at *at, const double normal[3], double bound) {
  int32_t last = s->r->variables - 1;
  double gap = bound;
  for (int32_t i = 0; i < last; i++) gap += s->second[i];
  double turn = hik_reach_plane_turn(s->parted, at, normal);
  bool apart = gap > 0 && gap >= APART * turn;
  s->second[last] = apart ? 0 : turn;
  return apart;
}

/* The plane with this normal: true, it closes the cell; else its shares become s->first where it is the better bound. */
static bool closes(search *s, const double normal[3], double *bound) {
  if (!(hik_dot(normal, normal) > 0.5)) return false;
  hik_reach_at *at = s->parted == s->r ? &s->at : &s->apart;
  double plane = hik_reach_plane(s->parted, at, s->target, normal, s->second), enough = s->far + s->slack;
  if (s->finer && at->level == HIK_TABLE_MIDDLE && plane <= enough && plane + FINER > enough) {
    at->level = HIK_TABLE_FINE;
    plane = hik_reach_plane(s->parted, at, s->target, normal, s->second);
    at->level = HIK_TABLE_MIDDLE;
  }
  if (plane > enough) {
    s->how = HIK_CLOSED_BY_PLANE;
    hik_copy3(normal, s->by);
    return true;
  }
  bool parts = s->parted != s->r && parts_sooner(s, at, normal, plane - enough);
  if (plane > *bound) {
    double *swap = s->first;
    *bound = plane, s->first = s->second, s->second = swap, s->parts = parts;
  }
  return false;
}

/* The cell of the place: proved, or to be split by the shares that s->first then holds, or as near as `far`. */
static judged judge(search *s, hik_reach_proof *proof, double *q) {
  const hik_reach *r = s->r;
  bool inside;
  double local[3], bound;
  if (!hik_reach_place(r, &s->at, s->at.middle, s->at.half, &inside)) {
    s->how = HIK_CLOSED_OUTSIDE;
    return CLOSED;
  }
  double distance = hik_reach_distance(r, &s->at, s->target, false, NULL);
  double loss = hik_reach_loss(r, &s->at, s->target, s->first);
  bound = distance - loss;
  if (bound > s->far + s->slack) return CLOSED;
  if (inside) {
    bool same = !r->tail.arm || s->at.twist.half == s->at.here.half;
    double here = !same ? hik_reach_distance(r, &s->at, s->target, true, NULL) : distance;
    if (here < proof->nearest) {
      proof->nearest = here;
      hik_reach_distance(r, &s->at, s->target, true, proof->normal);
      if (q) put_center(s, q);
    }
    if (here <= s->far) return NEAR;
  }
  /* what a plane loses at least is about half of the levers times the turns: where that is too much, none is tried */
  if (0.5 * loss * s->at.turn > distance - s->far) return SPLIT;
  if (closes(s, s->normal, &bound)) return CLOSED;
  hik_reach_distance(r, &s->at, s->target, false, local);
  return closes(s, local, &bound) ? CLOSED : SPLIT;
}

/* The search of the arm below the center of a trunk's cell: every posture of it stays farther than the cell can lose. */
static hik_reach_proof below(search *s, const hik_pose *pose, double loss, double *q) {
  double y[3], off[3], n[3];
  const double *hint = hik_dot(s->local, s->local) > 0.5 ? s->local : s->normal;
  hik_sub3(s->target, pose->t, off);
  hik_mat_tvec(pose->r, off, y);
  hik_mat_tvec(pose->r, hint, n);
  hik_reach_proof p =
      hik_reach_prove(s->arm, y, n, s->far + loss, FEW < s->left ? FEW : s->left, s->below, q);
  int64_t left = s->left - p.cells;
  if (p.outcome == HIK_REACH_OPEN && p.nearest - loss - s->far > WORTH * (p.nearest - s->far)) {
    int64_t spent = p.cells;
    p = hik_reach_prove(s->arm, y, n, s->far + loss, MORE < left ? MORE : left, s->below, q);
    p.cells += spent;
  }
  return p;
}

/* Whether a plane that parts the cell's center from the target loses so little within the cell that it may close its parts: `bound`
   is its, s->first its shares. A search of the arm would cost more than cutting on. Not for ever: where the center is hardly
   parted, all smaller cells look like that. */
static bool soon(const search *s, double bound) {
  double lost = 0;
  if (!(bound > -INFINITY)) return false;
  for (int32_t i = 0; i < s->r->variables; i++) lost += s->first[i];
  return *s->run < RUN && lost < SOON * (bound + lost - s->far - s->slack);
}

/* As judge, for a trunk whose tail is all that an arm reaches. */
static judged judge_trunk(search *s, hik_reach_proof *proof, double *q) {
  const hik_reach *r = s->r;
  bool inside;
  double bound = -INFINITY;
  if (!hik_reach_place(r, &s->at, s->at.middle, s->at.half, &inside)) {
    s->how = HIK_CLOSED_OUTSIDE;
    return CLOSED;
  }
  double loss = hik_reach_loss(r, &s->at, s->target, s->first);
  s->parts = false;
  if (s->parted != r) s->apart = hik_reach_at_outer(r, &s->at);
  if (closes(s, s->normal, &bound) || closes(s, s->local, &bound)) return CLOSED;
  if (soon(s, bound)) {
    *s->run += 1;
    return SPLIT;
  }
  bool wide =
      s->parts && *s->run < 1; /* what is lost is large because the cell is, not because the center is near */
  *s->run = 0;
  const hik_pose *pose = s->at.moved + r->n - 1;
  hik_reach_proof p = below(s, pose, loss, NULL);
  proof->cells += p.cells;
  if (p.outcome == HIK_REACH_FAR) return CLOSED;
  if (inside && p.nearest < proof->nearest) {
    proof->nearest = p.nearest;
    if (q) put_center(s, q), below(s, pose, loss, q);
  }
  if (inside && p.nearest <= s->far) return NEAR;
  if (p.nearest - loss > bound && !wide) { /* the shares of the loss stand in s->first or s->second */
    hik_reach_loss(r, &s->at, s->target, s->first);
    bound = p.nearest - loss;
  }
  if (hik_dot(p.normal, p.normal) > 0.5) hik_mat_vec(pose->r, p.normal, s->local);
  return closes(s, s->local, &bound) ? CLOSED : SPLIT;
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
  for (int32_t i = 0; i < EXTRA; i++) cell[2 * n + i] = 0;
}

/* The last waiting cell into its two halves, the second in its place and the first after it. */
static void halve(const search *s, double *cell, int32_t variable) {
  int32_t n = s->r->variables;
  double *next = cell + 2 * (size_t)n + EXTRA, half = 0.5 * cell[n + variable];
  memcpy(next, cell, (2 * (size_t)n + EXTRA) * sizeof *cell);
  cell[n + variable] = next[n + variable] = half;
  next[variable] = cell[variable] - half;
  cell[variable] += half;
}

/* By the cells of the shoulder alone. */
static hik_reach_proof prove_shoulder(const hik_reach *r, const double target[3], double far, double slack,
                                      int64_t budget, void *scratch, double *q) {
  double swing[3];
  hik_reach_proof p =
      hik_shoulder_prove(r->shoulder, target, far, slack, budget < MANY ? budget : MANY, scratch, swing);
  const hik_element *e = r->element + r->n - 1;
  if (q && p.nearest < INFINITY) hik_swing_join(e->room, swing, q + r->model->step_q[e->step]);
  return p;
}

/* The cell's line of the trace; false: there is no room. */
static bool note(const search *s, hik_reach_trace *trace, judged found, int32_t variable) {
  if (!trace) return true;
  if (trace->n == trace->room) return false;
  trace->how[trace->n] = found == CLOSED ? s->how : (int8_t)variable;
  double *out = trace->normal + 3 * trace->n++;
  bool plane = found == CLOSED && s->how == HIK_CLOSED_BY_PLANE;
  for (int i = 0; i < 3; i++) out[i] = plane ? s->by[i] : 0;
  return true;
}

hik_reach_proof hik_reach_prove(const hik_reach *r, const double target[3], const double normal[3],
                                double far, int64_t budget, void *scratch, double *q) {
  return hik_reach_prove_traced(r, target, normal, far, budget, scratch, q, NULL);
}

/* Whether to go on; asked of every cell. */
static bool goes_on(hik_reach_trace *trace) {
  if (!trace || !trace->deal) return true;
  hik_deal_look(trace->deal);
  return !atomic_load(&trace->deal->stop);
}

/* All cells from the root on, depth first; true: every one is closed. */
static bool search_cells(search *s, int64_t budget, hik_reach_proof *proof, double *q,
                         hik_reach_trace *trace) {
  const hik_reach *r = s->r;
  size_t width = 2 * (size_t)r->variables + EXTRA;
  int32_t waiting = 1;
  root(s, s->cells);
  while (waiting > 0 && proof->cells < budget && goes_on(trace)) {
    if (s->parted != r && proof->cells > SWEPT) { /* begin again */
      s->parted = r, waiting = 1;
      root(s, s->cells);
      if (trace) trace->n = 0;
    }
    double *cell = s->cells + width * (size_t)(waiting - 1);
    s->at.middle = cell, s->at.half = cell + r->variables, s->local = cell + 2 * r->variables;
    s->run = s->local + 3;
    s->left = budget - ++proof->cells;
    s->how = HIK_CLOSED_BY_DISTANCE;
    judged found = s->arm ? judge_trunk(s, proof, q) : judge(s, proof, q);
    if (found == NEAR) {
      proof->outcome = HIK_REACH_NEAR;
      return false;
    }
    int32_t variable = found == CLOSED ? -1 : widest_share(s, s->at.half);
    if (!note(s, trace, found, variable)) return false;
    if (found == CLOSED) {
      waiting--;
      continue;
    }
    if (variable < 0 || waiting == WAITING) return false;
    halve(s, cell, variable);
    waiting++;
  }
  return waiting == 0;
}

hik_reach_proof hik_reach_prove_traced(const hik_reach *r, const double target[3], const double normal[3],
                                       double far, int64_t budget, void *scratch, double *q,
                                       hik_reach_trace *trace) {
  hik_reach_proof proof = {HIK_REACH_OPEN, 0, INFINITY, {0, 0, 0}};
  if (r->shoulder) {
    proof = prove_shoulder(r, target, far, 1e-7 * (r->span + hik_norm(target)), budget, scratch, q);
    if (trace && trace->room > 0) /* one leaf */
      trace->how[0] = HIK_CLOSED_BY_DISTANCE, trace->n = proof.outcome == HIK_REACH_FAR;
    if (proof.outcome != HIK_REACH_OPEN || proof.cells >= budget || budget <= MANY || trace) return proof;
  }
  search s = {.r = r,
              .parted = r,
              .target = target,
              .normal = normal,
              .far = far,
              .slack = 1e-7 * (r->span + hik_norm(target))};
  hik_block block = {.base = scratch};
  lay_out(r, &block, &s);
  s.at = hik_reach_at_begin(r, (char *)scratch + block.size);
  if (r->tail.set) {
    if (budget <= ROUGH[1]) s.at.finest = HIK_TABLE_MIDDLE;
    s.finer = budget > ROUGH[0];
    s.arm = hik_reach_table_chain(r->tail.set);
    s.parted = r->outer ? r->outer : r;
    s.below = (char *)scratch + block.size + hik_reach_at_size(r);
  }
  if (search_cells(&s, budget, &proof, q, trace)) proof.outcome = HIK_REACH_FAR;
  return proof;
}
