/* slide.c: see slide.h.

   Purpose   A narrow passage is a tube some degrees wide: straight edges out of it are nearly all in contact, so trees must
             follow what they touch.
   Given     Two trees; 16 random targets.
   Returned  The trees with more nodes, every edge proved free.
   Outcomes  They met, or not yet.
   Notes     A step goes straight for the target, shorter where something is near, and is bent by rows: for every pair near
             the posture the distance must not fall below what is kept from obstacles, to first order. A posture nearer than
             that is pushed out, which centres the figure in a gap. Of the bent step the proved part is kept. A lane ends where
             it comes hardly nearer to its target. Rows of the figure's own pairs keep less, for parts of a body are always near.
   Reference docs/paths.md. Sliding along constraints as in the projected extensions of D. Berenson, S. Srinivasa, D. Ferguson,
             J. Kuffner: Manipulation planning on constraint manifolds (2009), here on the boundary of what is free. */
#include "plan/slide.h"

#include "plan/contact.h"
#include "plan/keep.h"

enum { W = HIK_GROUP, SWEEPS = 32, STEPS = 8, LONG = 32 };

static const double NEAR = 0.1, CLOSE = 0.03; /* metres: what has a row; where steps are shortest */
static const double FREE_STEP = 1;            /* where nothing is near; norm of v */
static const double SHORTEST = 0.02;          /* of what is kept of a step, and of what it must come nearer */
static const double PUSH = 0.03;              /* metres that a row moves a step at most */
static const double OWN = 0.002;              /* metres kept from the figure's own parts */
static const double EVEN = 1e-3;              /* metres of a sweep that ends the sweeps */

/* Steps on what is kept are short where it bends. */
static double shortest(const hik_edges *e) { return e->keep ? 0.1 * SHORTEST : SHORTEST; }

struct hik_slide {
  hik_contacts near;
  double *x, *target, *dq, *v; /* [16][nq], [16][nq], [nv][16], [3 nv] */
  double *to;                  /* [nq] */
  double away[W], length[W];   /* from the target; of the step */
  hik_bound *bound;            /* [HIK_CONTACTS] */
  int32_t node[W];             /* where a lane stands */
  int32_t lane[W], count;      /* those that go on */
  uint32_t arrived;
};

static size_t lay_out(hik_slide *s, void *memory, int32_t nq, int32_t nv, int32_t obstacles) {
  hik_block block = {memory, 0, false};
  HIK_TAKE(&block, hik_slide, 1);
  hik_contacts_take(&s->near, &block, nv, obstacles);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)nq, &s->x, &s->target);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)nv, &s->dq);
  HIK_TAKE_DOUBLES(&block, 3 * (int64_t)nv, &s->v);
  HIK_TAKE_DOUBLES(&block, nq, &s->to);
  s->bound = HIK_TAKE(&block, hik_bound, HIK_CONTACTS);
  return block.bad ? SIZE_MAX : block.size;
}

hik_slide *hik_slide_create(const hik_model *m, const hik_world *world) {
  hik_slide like = {0};
  size_t size = lay_out(&like, NULL, m->nq, m->nv, hik_world_count(world));
  hik_slide *s = size == SIZE_MAX ? NULL : hik_allocate_raw(size);
  if (!s) return NULL;
  *s = like;
  lay_out(s, s, m->nq, m->nv, hik_world_count(world));
  return s;
}

void hik_slide_free(hik_slide *s) { hik_release(s); }

/* The way of every lane that goes on, cut to its step: dq. */
static void aim(hik_edges *e, hik_slide *s, const hik_slide_pace *pace) {
  int32_t nq = e->model->nq, nv = e->model->nv;
  double least[W];
  for (int l = 0; l < W; l++) least[l] = NEAR;
  for (int32_t k = 0; k < s->near.count; k++)
    if (hik_contacts_outside(&s->near, k))
      for (int l = 0; l < W; l++) least[l] = fmin(least[l], s->near.near[k].distance[l]);
  memset(s->dq, 0, sizeof(double) * W * (size_t)nv);
  for (int32_t c = 0; c < s->count; c++) {
    int32_t l = s->lane[c];
    hik_difference(e->model, 1, s->x + (size_t)c * (size_t)nq, s->target + (size_t)l * (size_t)nq, s->v);
    s->away[l] = hik_edges_norm(s->v, nv);
    double room = hik_clip((least[c] - CLOSE) / (NEAR - CLOSE), 0, 1),
           step = pace->step + room * (FREE_STEP - pace->step);
    step = e->keep ? fmin(step, hik_keep_step(e->keep)) : step;
    double share = s->away[l] > step ? step / s->away[l] : 1;
    s->length[l] = share * s->away[l];
    for (int32_t k = 0; k < nv; k++) s->dq[W * k + c] = share * s->v[k];
  }
}

/* Not nearer to anything than is kept, to first order. Returns how many rows were pushed along. */
static int64_t bend(hik_slide *s, const hik_slide_pace *pace) {
  double clear[W], own[W], length[W];
  int32_t n = 0;
  int64_t pushed = 0;
  for (int c = 0; c < W; c++) {
    int32_t l = s->lane[c < s->count ? c : s->count - 1];
    clear[c] = pace->clear[l % 4], own[c] = fmin(clear[c], OWN), length[c] = 1.5 * s->length[l];
  }
  for (int32_t k = 0; k < s->near.count; k++)
    n += hik_contacts_bound(&s->near, k, hik_contacts_outside(&s->near, k) ? clear : own, PUSH, length,
                            s->bound + n);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double most = 0;
    for (int32_t k = 0; k < n; k++) most = fmax(most, hik_contacts_push(&s->near, s->bound + k, s->dq));
    pushed += n;
    if (most < EVEN) break;
  }
  return pushed;
}

/* The bent step of lane c as v, inside the limits and on what is kept; true: nothing bent it, and it leads to the target. */
static bool step_of(hik_edges *e, hik_slide *s, int32_t c, double *v) {
  int32_t nq = e->model->nq, nv = e->model->nv, l = s->lane[c];
  const double *x = s->x + (size_t)c * (size_t)nq, *target = s->target + (size_t)l * (size_t)nq;
  double off = 0;
  hik_difference(e->model, 1, x, target, s->v);
  for (int32_t k = 0; k < nv; k++) v[k] = s->dq[W * k + c], off = fmax(off, fabs(v[k] - s->v[k]));
  if (off == 0) return true;
  hik_integrate(e->model, 1, x, v, s->to);
  hik_clamp(e->model, 1, s->to);
  if (e->keep && !hik_keep_project(e->keep, s->to)) return memset(v, 0, sizeof *v * (size_t)nv), false;
  hik_difference(e->model, 1, x, s->to, v);
  return false;
}

/* A part of a step ends beside what is kept: its end is moved back and the edge looked at anew. */
static bool back_on(hik_edges *e, const double *x, double *to, double *v) {
  if (!hik_keep_project(e->keep, to)) return false;
  hik_difference(e->model, 1, x, to, v);
  return hik_keep_holds(e->keep, x, v) && hik_edges_proved(e, x, v);
}

/* The step halved until what is kept holds along it; false: it does not. */
static bool bent_less(hik_edges *e, hik_slide *s, const double *x, double *v, bool *straight) {
  for (int turn = 0; turn < 4; turn++) {
    if (hik_keep_holds(e->keep, x, v)) return true;
    *straight = false;
    for (int32_t k = 0; k < e->model->nv; k++) v[k] *= 0.5;
    hik_integrate(e->model, 1, x, v, s->to);
    if (!hik_keep_project(e->keep, s->to)) return false;
    hik_difference(e->model, 1, x, s->to, v);
  }
  return false;
}

/* Where lane c comes to: s->to. False: no step of any worth. */
static bool go(hik_edges *e, hik_slide *s, int32_t c, const hik_slide_pace *pace) {
  int32_t nq = e->model->nq, nv = e->model->nv, l = s->lane[c];
  const double *x = s->x + (size_t)c * (size_t)nq;
  double *v = s->v + nv, *part = v + nv;
  bool straight = step_of(e, s, c, v);
  double length = hik_edges_norm(v, nv);
  if (!(length >= shortest(e)) && !straight) return false;
  if (e->keep && !bent_less(e, s, x, v, &straight)) return false;
  length = hik_edges_norm(v, nv);
  double share = hik_edges_march(e, x, v, pace->tol, fmin(shortest(e) / length, 1));
  if (share >= 1 && straight) {
    memcpy(s->to, s->target + (size_t)l * (size_t)nq, (size_t)nq * sizeof *s->to);
    s->arrived |= 1u << l;
    return true;
  }
  if (share * length < shortest(e)) return false;
  for (int32_t k = 0; k < nv; k++) part[k] = share * v[k];
  hik_integrate(e->model, 1, x, part, s->to);
  return !e->keep || share >= 1 || back_on(e, x, s->to, v);
}

/* One step of lane c: 1 it goes on, 0 it ends, -1 no memory. */
static int step(hik_edges *e, hik_slide *s, int32_t c, const hik_slide_pace *pace, hik_nodes *t) {
  int32_t nq = e->model->nq, l = s->lane[c];
  if (!go(e, s, c, pace)) return 0;
  if (!hik_nodes_add(t, nq, s->to, s->node[l])) return -1;
  s->node[l] = t->count - 1;
  hik_difference(e->model, 1, s->to, s->target + (size_t)l * (size_t)nq, s->v);
  return !(s->arrived >> l & 1) && hik_edges_norm(s->v, e->model->nv) < s->away[l] - shortest(e);
}

/* All lanes walk together from their nodes towards their targets, `steps` at most; until one arrives. */
static bool walk(hik_edges *e, hik_slide *s, const hik_slide_pace *pace, hik_nodes *t, int32_t steps) {
  size_t nq = (size_t)e->model->nq;
  s->arrived = 0;
  for (int32_t k = 0; k < steps && s->count > 0 && !s->arrived && !hik_edges_ended(e); k++) {
    for (int32_t c = 0; c < s->count; c++)
      hik_nodes_at(t, e->model->nq, s->node[s->lane[c]], s->x + (size_t)c * nq);
    for (int32_t c = s->count; c < HIK_GROUP; c++) /* contacts are of all lanes */
      memcpy(s->x + (size_t)c * nq, s->x + (size_t)(s->count - 1) * nq, nq * sizeof *s->x);
    hik_check_place(e->check, s->x, HIK_GROUP);
    hik_contacts_gather(&s->near, e->check, NEAR);
    e->groups += 1 + s->near.count / 8;
    aim(e, s, pace);
    e->groups += bend(s, pace) * e->model->nv / 512;
    int32_t left = 0;
    for (int32_t c = 0; c < s->count; c++) {
      int on = step(e, s, c, pace, t);
      if (on < 0) return false;
      if (on) s->lane[left++] = s->lane[c];
    }
    s->count = left;
  }
  return true;
}

/* Lane l walks next, from the node of a tree that is nearest to its target. */
static void set_out(hik_edges *e, hik_slide *s, int32_t l, const hik_nodes *t) {
  s->node[l] = hik_edges_nearest(e, t, s->target + (size_t)l * (size_t)e->model->nq);
  s->lane[s->count++] = l;
}

hik_met hik_slide_batch(hik_edges *e, hik_slide *s, const hik_slide_pace *pace, hik_nodes both[2],
                        int32_t side, uint64_t seed, uint64_t number, int32_t *i, int32_t *j) {
  size_t nq = (size_t)e->model->nq;
  int32_t first[W], end[W];
  s->count = 0;
  for (int32_t l = 0; l < W; l++) {
    hik_random_q(e->model, seed, number + (uint64_t)l, s->target + (size_t)l * nq);
    set_out(e, s, l, &both[side]);
    first[l] = s->node[l];
  }
  if (!walk(e, s, pace, &both[side], STEPS)) return HIK_MET_MEMORY;
  s->count = 0;
  for (int32_t l = 0; l < W; l++) {
    end[l] = s->node[l];
    if (end[l] == first[l]) continue;
    hik_nodes_at(&both[side], e->model->nq, end[l], s->target + (size_t)l * nq);
    set_out(e, s, l, &both[!side]);
  }
  if (!walk(e, s, pace, &both[!side], LONG)) return HIK_MET_MEMORY;
  for (int32_t l = 0; l < W; l++)
    if (s->arrived >> l & 1) {
      *i = end[l], *j = s->node[l];
      return HIK_MET;
    }
  return HIK_MET_NOT;
}
