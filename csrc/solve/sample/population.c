/* population.c: see population.h. */
#include "solve/sample/population.h"

static hik_population *lay_out(const hik_problem *p, const hik_options *o, hik_block *block) {
  hik_population *w = HIK_TAKE(block, hik_population, 1), spare, *into = w ? w : &spare;
  uint64_t n = (uint64_t)hik_genes_most(p) + 1, count = (uint64_t)o->param[0];
  into->search = hik_search_lay_out(p, block);
  hik_genes_lay_out(&into->s.genes, p, block);
  into->count = (int32_t)count;
  HIK_TAKE_DOUBLES(block, n * count, into->x, into->x + 1, into->v, into->v + 1);
  HIK_TAKE_DOUBLES(block, count, into->f, into->f + 1, &into->extinction);
  HIK_TAKE_DOUBLES(block, n, into->way, into->way + 1, &into->first, &into->sum);
  HIK_TAKE_INTS(block, count, &into->order, &into->pool);
  return w;
}

HIK_COUNT_BYTES(size_t hik_population_scratch(const hik_readied *ready),
                lay_out(ready->problem, ready->options, &block))

void hik_population_prepare(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  hik_population *w = lay_out(run->problem, run->options, &block);
  hik_sampler_prepare(&w->s, &w->search->d, run);
}

hik_status hik_population_accepts(const hik_problem *p, const hik_options *o, const char *name,
                                  hik_error *error) {
  (void)p;
  int32_t elites = hik_option_place(hik_solver_classes[hik_find(HIK_SOLVERS, name)], "elites");
  if (elites < 0 || o->param[elites] < o->param[0]) return HIK_OK;
  return hik_fail(error, HIK_BAD_ARGUMENT, elites, "elites must be fewer than the population of %g, got %g",
                  o->param[0], o->param[elites]);
}

/* A generation: those that live on, and their children, on the other side, which then is the present one. */
static double *breed(const hik_population_kind *kind, hik_population *w, double **error) {
  int now = w->now, next = 1 - now;
  int32_t elites = kind->elites > 0 ? (int32_t)hik_population_option(w, kind->elites) : 1;
  if (kind->look) kind->look(w);
  for (int32_t i = 0; i < elites; i++) {
    int32_t from = w->order[i];
    memcpy(hik_member(w, w->x[next], i), hik_member(w, w->x[now], from), hik_member_bytes(w));
    memcpy(hik_member(w, w->v[next], i), hik_member(w, w->v[now], from), hik_member_bytes(w));
    w->f[next][i] = w->f[now][from];
    if (kind->improve) kind->improve(w, i);
  }
  for (int32_t i = elites; i < w->count && !w->s.cut; i++) kind->child(w, i);
  if (!w->s.cut) hik_sampler_sort(w->count, w->f[next], w->order), w->now = next;
  *error = w->f[w->now] + w->order[0];
  return hik_member(w, w->x[w->now], w->order[0]);
}

/* A member's momentum from its place to the one drawn in `first`, or none. */
static void start_moving(hik_population *w, bool moving, const double *x, double *v) {
  memset(v, 0, hik_member_bytes(w));
  if (!moving) return;
  hik_genes_way(&w->s.genes, x, w->first, v);
  for (int32_t k = 0; k < w->s.genes.n; k++) v[k] *= 0.5;
}

/* A member that another target left, moved on; false: there is none. */
static bool carry_on(hik_population *w, const double *cloud, int32_t i, double noise, double *x) {
  hik_sampler *s = &w->s;
  size_t nq = (size_t)s->d->p->model->nq;
  if (!cloud || !hik_all_finite(cloud + (size_t)i * nq, (int64_t)nq)) return false;
  hik_genes_read(&s->genes, cloud + (size_t)i * nq, x);
  for (int32_t k = 0; k < s->genes.n; k++)
    x[k] += noise * s->genes.span[k] * (hik_rng_uniform(&s->rng) - 0.5);
  return true;
}

/* The members as postures, whose coordinates that are no genes are those of the answer. */
static void leave(const hik_population *w, const double *q, double *cloud) {
  size_t nq = (size_t)w->s.d->p->model->nq;
  for (int32_t i = 0; i < w->count; i++) {
    memcpy(cloud + (size_t)i * nq, q, nq * sizeof *q);
    hik_genes_write(&w->s.genes, hik_member(w, w->x[w->now], i), cloud + (size_t)i * nq);
  }
}

/* All members out of the cloud, if there is one, or at random; the first is the posture in d->q if it is kept. */
static void populate(hik_population *w, const hik_population_kind *kind, bool keep_first,
                     const double *cloud) {
  hik_sampler *s = &w->s;
  for (int32_t i = 0; i < w->count; i++) {
    double *x = hik_member(w, w->x[w->now], i);
    w->f[w->now][i] = INFINITY;
    if (s->cut) continue; /* drawing alone takes its time */
    if (!carry_on(w, cloud, i, hik_population_option(w, kind->process_noise), x))
      hik_genes_draw(&s->genes, &s->rng, x);
    if (kind->moving) hik_genes_draw(&s->genes, &s->rng, w->first);
    if (i == 0 && keep_first) hik_genes_read(&s->genes, s->d->q, x);
    start_moving(w, kind->moving, x, hik_member(w, w->v[w->now], i));
    w->f[w->now][i] = hik_sampler_error(s, x);
  }
  hik_sampler_sort(w->count, w->f[w->now], w->order);
  if (kind->settle) kind->settle(w);
}

void hik_population_solve(const hik_population_kind *kind, hik_run *run, const double *target,
                          hik_answer *answer) {
  hik_population *w = run->scratch;
  const double *param = run->options->param;
  int32_t patience = (int32_t)param[kind->patience], renewals = (int32_t)param[kind->renewals];
  if (!hik_sampler_begin(&w->s, run, target, answer, kind->stream, patience, renewals)) return;
  double *cloud = kind->process_noise > 0 ? answer->cloud : NULL;
  w->now = 0;
  populate(w, kind, true, cloud);
  for (;;) {
    double *error, *x = kind->generation ? kind->generation(w, &error) : breed(kind, w, &error);
    if (!hik_sampler_next(&w->s, x, error)) break;
    if (w->s.pace.fresh) populate(w, kind, false, NULL);
  }
  if (cloud && !w->s.cut) leave(w, answer->q, cloud);
}
