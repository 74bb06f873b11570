/* levels.c: strict priorities.

   Purpose    terms of several levels: a lower one takes only what freedom the higher ones leave
   Given      q inside its limits, where a solver has brought the first level
   Returned   q inside its limits: no level above has grown by more than rounding (1e-9 scaled), and no term that
              decides is lost
   Outcomes   none of its own: the judge decides
   Notes      1 Stages: the levels of the terms that decide, by their number, then those of the terms that never do (rest,
                change).
              2 Stage k takes damped Gauss-Newton steps on its rows projected onto what the rows above leave:
                  x = sum over j < k of (J_j N_j)^+ (-e_j - J_j x), then N_k y,  y = -(A'A + d I)^-1 A'(e_k + J_k x),
                A = J_k N_k, N_j the projector off the row space of all rows above j, by singular values. Limits are an
                active set, as in every descent.
              3 A step is followed by up to CORRECTIONS steps of the rows above alone, which bring the figure back onto
                what they ask for; rows that only count on one side come in there. It is taken if then none above is worse
                than it was when the stage began, and this one is better; else it is halved.
              4 A level above that is not met stands at its least; there its rows alone do not say what keeps it, and the
                test of note 3 does. The step is then often short.
   Reference  Y. Nakamura, H. Hanafusa, T. Yoshikawa, Task-priority based redundancy control of robot manipulators, Int. J.
              Robotics Research 6 (1987) 3-15; B. Siciliano, J.-J. E. Slotine, A general framework for managing multiple
              tasks in highly redundant robotic systems, ICAR (1991) 1211-1216. */
#include "base/dense.h"
#include "solve/drive/plan.h"
#include "solve/squares/descent.h"

enum { CAP = 100, CORRECTIONS = 4, HALVINGS = 8 };

/* An iteration that lowers a level by less than this share ends it: one that decides may yet be met, a soft one not. */
static const double crawl = 1e-6, soft_crawl = 1e-4;
static const double floor_error = 1e-9, rank_share = 1e-6;

struct hik_levels {
  hik_descent d;
  int32_t upto;          /* stages [0, upto) are asked for by the step in hand */
  bool correcting;       /* only those, no stage below them */
  double *error, *bound; /* [n_stage] */
  double *basis;         /* [n][n] orthonormal rows: what is spoken for */
  int32_t spoken;
  double *a, *u, *s, *b; /* of one stage, which has m rows at most: [m][n], [m][m], [m], [m] */
  double *y, *square;    /* [n], of the damped system */
  double *from, *step;   /* [nq], [n] */
  double damping;        /* as a share of the mean square of a column */
};

hik_levels *hik_levels_lay_out(const hik_problem *p, hik_block *block) {
  hik_levels *l = HIK_TAKE(block, hik_levels, 1), spare, *into = l ? l : &spare;
  hik_descent_size size = hik_descent_sizes(p);
  uint64_t rows = size.m, n = size.n;
  hik_descent_lay_out(&into->d, p, block);
  HIK_TAKE_DOUBLES(block, p->n_stage, &into->error, &into->bound);
  HIK_TAKE_DOUBLES(block, rows, &into->s, &into->b);
  HIK_TAKE_DOUBLES(block, n, &into->y, &into->step);
  into->basis = HIK_TAKE(block, double, n *n);
  into->a = HIK_TAKE(block, double, rows *n);
  into->u = HIK_TAKE(block, double, rows *rows);
  into->square = HIK_TAKE(block, double, size.square);
  into->from = HIK_TAKE(block, double, p->model->nq);
  return l;
}

int64_t hik_levels_most(const hik_problem *p, int32_t max_iter) {
  return (int64_t)p->n_stage * (max_iter < CAP ? max_iter : CAP);
}

void hik_levels_begin(hik_levels *l, hik_run *run) { hik_descent_prepare(&l->d, run, false); }

/* ---- one step ---- */

/* Rows of stage k less what is spoken for into a, b - J x into l->b; how many. */
static int32_t gather(hik_levels *l, int32_t k, int32_t n, const double *j, const double *b,
                      const double *x) {
  const hik_problem *p = l->d.p;
  size_t count = (size_t)n;
  int32_t rows = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    for (int32_t r = g->row; g->stage == k && r < g->row + g->rows; r++, rows++) {
      const double *from = j + (size_t)r * count;
      double *to = l->a + (size_t)rows * count, moved = 0;
      for (size_t c = 0; c < count; c++) moved += from[c] * x[c];
      l->b[rows] = b[r] - moved;
      memcpy(to, from, count * sizeof *to);
      for (int32_t s = 0; s < l->spoken; s++) {
        const double *v = l->basis + (size_t)s * count;
        double along = 0;
        for (size_t c = 0; c < count; c++) along += to[c] * v[c];
        for (size_t c = 0; c < count; c++) to[c] -= along * v[c];
      }
    }
  }
  return rows;
}

/* What stage k asks for, exactly; its row space is spoken for from now on. */
static void ask(hik_levels *l, int32_t k, int32_t n, const double *j, const double *b, double *x) {
  size_t count = (size_t)n;
  int32_t m = gather(l, k, n, j, b, x);
  double whole = 0;
  for (int32_t i = 0; i < l->d.p->n_goal; i++) {
    const hik_goal *g = l->d.p->goal + i;
    if (g->stage == k) whole += hik_square_sum(g->rows, n, j + (size_t)g->row * count);
  }
  hik_descent_charge(&l->d, m, n, l->spoken);
  if (!hik_descent_svd(&l->d, m, n, l->a, l->u, l->s)) return;
  for (int32_t i = 0; i < m && i < n && l->s[i] > rank_share * sqrt(whole) && l->spoken < n;
       i++, l->spoken++) {
    const double *v = l->a + (size_t)i * count;
    double along = 0;
    for (int32_t r = 0; r < m; r++) along += l->u[(size_t)r * (size_t)m + (size_t)i] * l->b[r];
    for (size_t c = 0; c < count; c++) x[c] += along / l->s[i] * v[c];
    memcpy(l->basis + (size_t)l->spoken * count, v, count * sizeof *v);
  }
}

static bool rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  hik_levels *l = context;
  (void)m;
  memset(x, 0, (size_t)n * sizeof *x);
  l->spoken = 0;
  for (int32_t k = 0; k < l->upto; k++) ask(l, k, n, j, b, x);
  if (l->correcting || l->spoken >= n) return true;
  int32_t rows = gather(l, l->upto, n, j, b, x);
  double damping = l->damping * hik_square_sum(rows, n, l->a) / n;
  if (!(damping > 0) || !hik_damped_solve(rows, n, l->a, damping, l->b, l->y, l->square)) return true;
  for (int32_t c = 0; c < n; c++) x[c] += l->y[c];
  return true;
}

/* A step of the stages above `upto`, and with `own` of that one, from d->q; residual evaluated before and not after. */
static bool take_step(hik_levels *l, int32_t upto, bool own) {
  hik_descent *d = &l->d;
  l->upto = upto, l->correcting = !own;
  hik_descent_jacobian(d);
  memset(d->g, 0, (size_t)d->n * sizeof *d->g); /* nothing is held before the step shows where it leads */
  return hik_descent_step(d, rule, l, 1);
}

static void look(hik_levels *l) {
  const hik_problem *p = l->d.p;
  hik_descent_residual(&l->d);
  for (int32_t k = 0; k < p->n_stage; k++) l->error[k] = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    for (int32_t r = g->row; r < g->row + g->rows; r++) l->error[g->stage] += l->d.e[r] * l->d.e[r];
  }
  for (int32_t k = 0; k < p->n_stage; k++) l->error[k] = sqrt(l->error[k]);
}

static bool holds(const hik_levels *l, int32_t stage) {
  for (int32_t k = 0; k < stage; k++)
    if (!(l->error[k] <= l->bound[k])) return false;
  return true;
}

static bool met(hik_levels *l) {
  hik_verdict v;
  hik_judge_world(l->d.p, l->d.target, l->d.q, l->d.run->world, &v);
  return v.met;
}

/* Back to what the stages above ask for. */
static void correct(hik_levels *l, int32_t stage) {
  hik_descent *d = &l->d;
  for (int i = 0; i < CORRECTIONS && !holds(l, stage) && take_step(l, stage, false); i++) {
    hik_descent_move(d, d->q, d->d, d->q);
    look(l);
  }
}

/* ---- one stage ---- */

/* One iteration of a stage. False: no step makes it better. */
static bool iterate(hik_levels *l, int32_t stage, bool keep_met) {
  hik_descent *d = &l->d;
  double before = l->error[stage], t = 1;
  if (!take_step(l, stage, true)) return false;
  hik_copy_q(d->p->model, d->q, l->from);
  memcpy(l->step, d->d, (size_t)d->n * sizeof *d->d);
  for (int i = 0; i < HALVINGS; i++, t *= 0.5) {
    hik_descent_charts(d, l->from);
    for (int32_t c = 0; c < d->n; c++) d->d[c] = t * l->step[c];
    hik_descent_move(d, l->from, d->d, d->q);
    look(l);
    correct(l, stage);
    if (holds(l, stage) && l->error[stage] < before && (!keep_met || met(l))) {
      l->damping = fmax(i == 0 ? 0.1 * l->damping : l->damping, 1e-9);
      return true;
    }
  }
  hik_copy_q(d->p->model, l->from, d->q);
  look(l);
  return false;
}

static void lower(hik_levels *l, int32_t stage, bool keep_met, hik_answer *answer) {
  hik_descent *d = &l->d;
  int32_t failed = 0;
  double least_share = hik_stage_decides(d->p, stage) ? crawl : soft_crawl;
  for (int32_t k = 0; k < stage; k++) l->bound[k] = fmax(l->error[k], floor_error);
  l->damping = 1e-3;
  for (int32_t i = 0; i < CAP && i < d->run->options->max_iter && l->error[stage] > 1e-12 && failed < 2;
       i++) {
    double before = l->error[stage];
    if (!hik_poll(d->run->worker, 1)) return;
    answer->iterations++;
    bool better = iterate(l, stage, keep_met);
    hik_note_judged(d->run, d->target, answer, answer->iterations, d->q);
    if (!better) {
      failed++;
      l->damping = fmin(1e3, 100 * fmax(l->damping, 1e-3));
      continue;
    }
    if (l->error[stage] > (1 - least_share) * before) return;
  }
}

void hik_levels_descend(hik_levels *l, const double *target, bool all_met, hik_answer *answer) {
  hik_descent *d = &l->d;
  const hik_problem *p = d->p;
  hik_descent_begin(d, target, answer->q);
  if (d->n == 0) return;
  look(l);
  for (int32_t k = hik_stage_decides(p, 0) ? 1 : 0; k < p->n_stage; k++)
    if (!all_met || !hik_stage_decides(p, k)) lower(l, k, all_met, answer);
}
