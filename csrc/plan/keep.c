/* keep.c: see keep.h.

   Purpose   A cup stays level, an eye on its goal, a foot on its place, along the whole way.
   Given     A problem of such terms with their targets.
   Returned  Postures on it by Gauss-Newton's step of least norm; ways made of short straight edges whose ends are on it.
   Outcomes  A way that does not come nearer, or bends too much for its step, is none.
   Notes     Between the ends of a short edge terms are off by the square of its length over 8, so an edge is cut into 8 pieces
             and bounded (kept.h), and halved where that is beyond a tolerance.
   Reference D. Berenson, S. Srinivasa, D. Ferguson, J. Kuffner: Manipulation planning on constraint manifolds (2009). */
#include "plan/keep.h"

#include "base/dense.h"
#include "base/memory.h"
#include "plan/kept.h"

enum { TURNS = 15, PIECES = 8, MOST_STEPS = 4000 };

static const double LONGEST = 0.2, SHORTEST = 0.02; /* norm of v */

struct hik_keep {
  const hik_problem *problem;
  const hik_model *model;
  int32_t rows;
  int64_t spent;
  double step;
  double *target, *residual, *jac, *move, *work, *q;
  hik_kept *kept;
  void *scratch;
};

static size_t lay_out(hik_keep *k, void *memory, const hik_model *m) {
  hik_block block = {memory, 0, false};
  int64_t nq = m->nq, nv = m->nv, rows = k->rows, least = rows < nv ? rows : nv;
  HIK_TAKE(&block, hik_keep, 1);
  HIK_TAKE_DOUBLES(&block, hik_problem_target_width(k->problem), &k->target);
  HIK_TAKE_DOUBLES(&block, rows, &k->residual);
  HIK_TAKE_DOUBLES(&block, rows * nv, &k->jac);
  HIK_TAKE_DOUBLES(&block, nv, &k->move);
  HIK_TAKE_DOUBLES(&block, least * least + least, &k->work);
  HIK_TAKE_DOUBLES(&block, 3 * nq, &k->q);
  k->scratch = HIK_TAKE(&block, char, hik_scratch_size(m));
  return block.bad ? SIZE_MAX : block.size;
}

hik_keep *hik_keep_create(const hik_problem *problem, const hik_model *model, const double *target) {
  hik_keep like = {.problem = problem, .model = model, .rows = hik_problem_residual_width(problem)};
  like.step = LONGEST;
  size_t size = lay_out(&like, NULL, model);
  hik_keep *k = size == SIZE_MAX ? NULL : hik_allocate_raw(size);
  if (!k) return NULL;
  *k = like;
  lay_out(k, k, model);
  if (!(k->kept = hik_kept_create(problem, model))) {
    hik_release(k);
    return NULL;
  }
  memcpy(k->target, target, sizeof *target * (size_t)hik_problem_target_width(problem));
  return k;
}

void hik_keep_free(hik_keep *keep) {
  if (!keep) return;
  hik_kept_free(keep->kept);
  hik_release(keep);
}

int64_t hik_keep_spent(hik_keep *keep) {
  int64_t spent = keep->spent;
  keep->spent = 0;
  return spent;
}

double hik_keep_step(const hik_keep *keep) { return keep->step; }

bool hik_keep_project(hik_keep *k, double *q) {
  bool met = false;
  double last = INFINITY;
  for (int turn = 0; turn < TURNS; turn++) {
    k->spent++;
    hik_residual(k->problem, 1, k->target, q, k->residual, k->scratch);
    double size = hik_edges_norm(k->residual, k->rows);
    if (!(size > 1e-10) || !(size < 0.9 * last || turn < 3)) break;
    last = size;
    hik_residual_jacobian(k->problem, 1, k->target, q, k->jac, k->scratch);
    if (!hik_damped_solve(k->rows, k->model->nv, k->jac, 1e-12, k->residual, k->move, k->work)) break;
    for (int32_t i = 0; i < k->model->nv; i++) k->move[i] = -k->move[i];
    hik_integrate(k->model, 1, q, k->move, q);
    hik_clamp(k->model, 1, q);
  }
  hik_judge(k->problem, 1, k->target, q, NULL, NULL, NULL, &met, k->scratch);
  return met;
}

bool hik_keep_holds(hik_keep *k, const double *q0, const double *v) {
  k->spent++;
  bool good = hik_kept_along(k->kept, k->target, q0, v, PIECES, 1) <= 1;
  k->step = good ? fmin(1.05 * k->step, LONGEST) : fmax(0.8 * k->step, SHORTEST);
  return good;
}

/* One edge of a way from x towards b: *to. 1: at b; 0: on the way; -1: there is none. */
static int advance(hik_edges *e, const double *x, const double *b, double *to) {
  hik_keep *k = e->keep;
  int32_t nq = e->model->nq, nv = e->model->nv;
  double *v = e->room + nv;
  double step = k->step;
  for (int turn = 0; turn < 5; turn++, step *= 0.5) {
    hik_difference(e->model, 1, x, b, v);
    double away = hik_edges_norm(v, nv);
    bool last = away <= step;
    memcpy(to, b, (size_t)nq * sizeof *to);
    if (!last) {
      for (int32_t i = 0; i < nv; i++) v[i] *= step / away;
      hik_integrate(e->model, 1, x, v, to);
      if (!hik_keep_project(k, to)) return -1;
      hik_difference(e->model, 1, to, b, v);
      if (hik_edges_norm(v, nv) > away - 0.2 * step) return -1;
      hik_difference(e->model, 1, x, to, v);
      if (hik_edges_norm(v, nv) > 2 * step) return -1;
    }
    if (!hik_keep_holds(k, x, v)) continue;
    return hik_edges_free(e, x, to) ? last : -1;
  }
  return -1;
}

int hik_keep_way(hik_edges *e, const double *a, const double *b, hik_route *route) {
  int32_t nq = e->model->nq;
  double *x = e->keep->q, *to = x + nq, *goal = to + nq;
  memcpy(x, a, (size_t)nq * sizeof *x), memcpy(goal, b, (size_t)nq * sizeof *goal);
  for (int turn = 0; turn < MOST_STEPS && !hik_edges_ended(e); turn++) {
    int there = advance(e, x, goal, to);
    if (there < 0) return 0;
    if (!hik_route_add(route, to, nq)) return -1;
    if (there) return 1;
    memcpy(x, to, (size_t)nq * sizeof *x);
  }
  return 0;
}

static double length_of(hik_edges *e, const double *q, int32_t count) {
  double sum = 0, *v = e->room;
  for (int32_t i = 0; i + 1 < count; i++) {
    hik_difference(e->model, 1, q + (size_t)i * (size_t)e->model->nq,
                   q + (size_t)(i + 1) * (size_t)e->model->nq, v);
    sum += hik_edges_norm(v, e->model->nv);
  }
  return sum;
}

/* Puts `made` in the place of the vertices from i + 1 to j. */
static bool put(hik_route *r, int32_t nq, int32_t i, int32_t j, const hik_route *made) {
  hik_route out = {NULL, 0, 0};
  bool good = true;
  for (int32_t k = 0; good && k <= i; k++) good = hik_route_add(&out, r->q + (size_t)k * (size_t)nq, nq);
  for (int32_t k = 0; good && k < made->count; k++)
    good = hik_route_add(&out, made->q + (size_t)k * (size_t)nq, nq);
  for (int32_t k = j + 1; good && k < r->count; k++)
    good = hik_route_add(&out, r->q + (size_t)k * (size_t)nq, nq);
  if (!good) {
    hik_route_end(&out);
    return false;
  }
  hik_route_end(r);
  *r = out;
  return true;
}

bool hik_keep_shorten(hik_edges *e, hik_route *r, uint64_t seed, int32_t tries) {
  size_t nq = (size_t)e->model->nq;
  hik_rng rng = hik_rng_start(seed, 78);
  bool good = true;
  for (int32_t n = 0; good && n <= tries && r->count > 2 && !hik_edges_ended(e); n++) {
    int32_t a = (int32_t)(hik_rng_uniform(&rng) * r->count), b = (int32_t)(hik_rng_uniform(&rng) * r->count);
    int32_t i = a < b ? a : b, j = a < b ? b : a;
    if (n == 0) i = 0, j = r->count - 1;
    if (j < i + 2) continue;
    hik_route made = {NULL, 0, 0};
    int found = hik_keep_way(e, r->q + (size_t)i * nq, r->q + (size_t)j * nq, &made);
    good = found >= 0;
    double before = length_of(e, r->q + (size_t)i * nq, j - i + 1), after = 0;
    if (found > 0) {
      hik_difference(e->model, 1, r->q + (size_t)i * nq, made.q, e->room);
      after = hik_edges_norm(e->room, e->model->nv) + length_of(e, made.q, made.count);
      if (after < before * (1 - 1e-4)) good = put(r, (int32_t)nq, i, j, &made);
    }
    hik_route_end(&made);
  }
  return good;
}
