/* genes.c: see genes.h. */
#include "solve/sample/genes.h"

#include "base/quat.h"

int32_t hik_genes_most(const hik_problem *p) {
  int32_t n = 0;
  for (int32_t k = 0; k < p->n_active; k++) n += p->model->step_kind[p->active[k]] == HIK_BALL_STEP ? 4 : 1;
  return n;
}

void hik_genes_lay_out(hik_genes *g, const hik_problem *p, hik_block *block) {
  g->part = HIK_TAKE(block, hik_gene, (size_t)p->n_active + 1);
  g->span = HIK_TAKE(block, double, (size_t)hik_genes_most(p) + 1);
}

/* A column of its own: hinge or slide. A hinge that another joint follows at another rate is not the same after a turn. */
static void describe_line(const hik_descent *d, int32_t k, hik_gene *part) {
  const hik_model *m = d->p->model;
  double low = d->lower[k] / d->unit[k], high = d->upper[k] / d->unit[k], wide = HIK_PI;
  bool open = low == -INFINITY && high == INFINITY, circle = open;
  for (const int32_t *s = d->p->active; s < d->p->active + d->p->n_active; s++) {
    if (d->step_column[*s] != k || hik_step_follows(m, *s)) continue;
    if (m->step_kind[*s] == HIK_SLIDE) wide = 1;
    circle = circle && m->step_kind[*s] != HIK_SLIDE && m->step_line[2 * (size_t)*s] == 1;
  }
  part->kind = circle ? HIK_GENE_CIRCLE : HIK_GENE_LINE;
  part->width = 1;
  part->low = d->lower[k], part->high = d->upper[k];
  part->lower[0] = low > -INFINITY ? low : open ? -wide : high - 2 * wide;
  part->upper[0] = high < INFINITY ? high : part->lower[0] + 2 * wide;
}

static void describe_ball(const hik_swing *cone, hik_gene *part) {
  part->cone = cone;
  part->kind = cone ? HIK_GENE_SWING : HIK_GENE_QUATERNION;
  part->width = cone ? 3 : 4;
  if (!cone) return;
  for (int i = 0; i < 2; i++) {
    part->lower[i] = -fmin(cone->half[i + 2], HIK_SWING_MOST);
    part->upper[i] = fmin(cone->half[i], HIK_SWING_MOST);
  }
  part->lower[2] = cone->twist[0], part->upper[2] = cone->twist[1];
  for (int32_t k = 0; k < cone->knots; k++) {
    part->lower[2] = fmin(part->lower[2], cone->knot[3 * k + 1]);
    part->upper[2] = fmax(part->upper[2], cone->knot[3 * k + 2]);
  }
}

void hik_genes_prepare(hik_genes *g, const hik_descent *d) {
  g->n = g->parts = 0;
  for (int32_t k = 0; k < d->n; k++) {
    hik_gene *part = g->part + g->parts++;
    *part = (hik_gene){.q = d->column_q[k], .at = g->n, .unit = d->unit[k]};
    if (d->column_part[k] == HIK_NO_BALL) {
      describe_line(d, k, part);
    } else {
      describe_ball(d->chart[k].cone, part);
      k += 2;
    }
    for (int32_t i = 0; i < part->width; i++)
      g->span[g->n++] = part->kind == HIK_GENE_QUATERNION ? 2 : part->upper[i] - part->lower[i];
  }
}

void hik_genes_read(const hik_genes *g, const double *q, double *x) {
  for (int32_t k = 0; k < g->parts; k++) {
    const hik_gene *part = g->part + k;
    if (part->kind == HIK_GENE_SWING)
      hik_swing_split(part->cone, q + part->q, x + part->at);
    else if (part->kind == HIK_GENE_QUATERNION)
      memcpy(x + part->at, q + part->q, 4 * sizeof *x);
    else
      x[part->at] = q[part->q] / part->unit;
  }
}

void hik_genes_write(const hik_genes *g, const double *x, double *q) {
  for (int32_t k = 0; k < g->parts; k++) {
    const hik_gene *part = g->part + k;
    if (part->kind == HIK_GENE_SWING) {
      hik_swing_join(part->cone, x + part->at, q + part->q);
      hik_quat_normalize(q + part->q);
    } else if (part->kind == HIK_GENE_QUATERNION) {
      memcpy(q + part->q, x + part->at, 4 * sizeof *q);
    } else {
      q[part->q] = hik_clip(x[part->at] * part->unit, part->low, part->high);
    }
  }
}

void hik_genes_right(const hik_genes *g, double *x) {
  for (int32_t k = 0; k < g->parts; k++) {
    const hik_gene *part = g->part + k;
    if (part->kind == HIK_GENE_SWING)
      hik_swing_clamp(part->cone, x + part->at);
    else if (part->kind == HIK_GENE_QUATERNION)
      hik_quat_normalize(x + part->at);
    else
      x[part->at] = hik_clip(x[part->at], part->low / part->unit, part->high / part->unit);
  }
}

void hik_genes_draw(const hik_genes *g, hik_rng *rng, double *x) {
  for (int32_t k = 0; k < g->parts; k++) {
    const hik_gene *part = g->part + k;
    double *own = x + part->at, q[4];
    if (part->kind == HIK_GENE_QUATERNION) {
      hik_rng_rotation(rng, own);
    } else if (part->kind == HIK_GENE_SWING) {
      hik_swing_random(part->cone, rng, q);
      hik_swing_split(part->cone, q, own);
      hik_swing_clamp(part->cone, own);
    } else {
      own[0] = part->lower[0] + hik_rng_uniform(rng) * (part->upper[0] - part->lower[0]);
    }
  }
}

void hik_genes_way(const hik_genes *g, const double *a, const double *b, double *out) {
  for (int32_t k = 0; k < g->parts; k++) {
    const hik_gene *part = g->part + k;
    int32_t at = part->at;
    double sign = 1;
    if (part->kind == HIK_GENE_QUATERNION) {
      double dot = 0;
      for (int32_t i = at; i < at + 4; i++) dot += a[i] * b[i];
      sign = dot < 0 ? -1 : 1;
    }
    for (int32_t i = at; i < at + part->width; i++) out[i] = sign * b[i] - a[i];
    if (part->kind == HIK_GENE_CIRCLE) out[at] -= 2 * HIK_PI * floor(out[at] / (2 * HIK_PI) + 0.5);
  }
}

/* ---- one solve ---- */

void hik_sampler_prepare(hik_sampler *s, hik_descent *d, hik_run *run) {
  s->d = d;
  hik_descent_prepare(d, run, false);
  hik_genes_prepare(&s->genes, d);
}

bool hik_sampler_begin(hik_sampler *s, hik_run *run, const double *target, hik_answer *answer,
                       uint64_t stream, int32_t patience, int32_t renewals) {
  static const hik_method method = {HIK_DESCENT_METHOD};
  s->cut = false;
  s->rng = hik_rng_start(run->options->seed, hik_rng_mix(stream) + run->worker->attempt);
  s->pace = hik_descent_pace(s->d, &method, target, answer);
  s->pace.patience = patience, s->pace.nudges = renewals;
  return hik_pace_begin(&s->pace);
}

double hik_sampler_error(hik_sampler *s, double *x) {
  hik_genes_right(&s->genes, x);
  if (s->cut) return INFINITY;
  hik_genes_write(&s->genes, x, s->d->q);
  hik_descent_residual(s->d);
  s->cut = !hik_poll(s->d->run->worker, 1);
  return s->d->error;
}

bool hik_sampler_next(hik_sampler *s, double *x, double *error) {
  hik_pace *pace = &s->pace;
  int32_t renewed = pace->answer->remedies;
  if (s->cut) return hik_pace_end(pace, HIK_STALLED);
  (void)hik_sampler_error(s, x);
  if (!hik_pace_next(pace)) return false;
  if (!pace->fresh || pace->answer->remedies > renewed) return true;
  pace->fresh = false; /* a combination: whatever else there is stays */
  if (!(pace->error < *error)) return true;
  hik_genes_read(&s->genes, s->d->q, x);
  /* of the pose as the genes have it: if the next iteration finds no better one its error has not fallen by rounding */
  *error = pace->before = hik_sampler_error(s, x);
  return true;
}

/* Member a comes after member b. */
static bool after(const double *f, int32_t a, int32_t b) { return f[a] > f[b] || (!(f[a] < f[b]) && a > b); }

/* Lets the member at place `at` of a heap of `count`, the last in order on top, sink to where it belongs. */
static void sink(int32_t count, const double *f, int32_t at, int32_t *order) {
  int32_t member = order[at];
  for (int32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && after(f, order[child + 1], order[child])) child++;
    if (!after(f, order[child], member)) break;
    order[at] = order[child];
  }
  order[at] = member;
}

/* By a heap: populations may have ten thousand members. */
void hik_sampler_sort(int32_t count, const double *f, int32_t *order) {
  for (int32_t i = 0; i < count; i++) order[i] = i;
  for (int32_t at = count / 2 - 1; at >= 0; at--) sink(count, f, at, order);
  for (int32_t last = count - 1; last > 0; last--) {
    int32_t top = order[0];
    order[0] = order[last], order[last] = top;
    sink(last, f, 0, order);
  }
}
