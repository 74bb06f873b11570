/* restarts.c: see restarts.h. */
#include "solve/drive/restarts.h"

#include "base/trig.h"
#include "solve/drive/starts.h"

enum { STARTS, SOLUTIONS }; /* options of `auto` */
enum { POLISH_PATIENCE = 8 };

void hik_restarts_lay_out(hik_restarts *r, const hik_problem *p, hik_block *block) {
  r->search = hik_search_lay_out(p, block);
  hik_damped_lay_out(&r->damped, p, block);
}

void hik_restarts_prepare(hik_restarts *r, const hik_run *run, hik_pose *world) {
  r->run = *run;
  r->run.world = world;
  r->damped.d = &r->search->d;
  hik_descent_prepare(&r->search->d, &r->run, true);
}

/* Runs from the best pose until nothing falls any more: Levenberg-Marquardt, which never rises. */
static void polish(hik_restarts *r) {
  hik_search *s = r->search;
  hik_descent *d = &s->d;
  hik_descent_restore(d);
  hik_descent_residual(d);
  hik_search_forget(s);
  double mark = d->error;
  for (int32_t i = 0, quiet = 0; i < HIK_POLISH && quiet < POLISH_PATIENCE; i++) {
    if (!hik_damped_goes_on(&r->damped, r->answer)) return;
    bool moved = hik_lm_iteration(s, 1);
    if (hik_damped_arrives(&r->damped, r->answer) || !moved) return;
    quiet = d->error < 0.9999 * mark ? 0 : quiet + 1;
    if (quiet == 0) mark = d->error;
  }
}

/* Largest move of a column from the start, radians or lengths. */
static double largest_move(const hik_restarts *r) {
  const hik_descent *d = &r->search->d;
  double most = 0;
  for (int32_t k = 0; k < d->n; k++) {
    int32_t q = d->column_q[k];
    if (d->column_part[k] == HIK_NO_BALL) {
      most = fmax(most, fabs(d->q[q] - r->damped.start[q]) / d->unit[k]);
    } else if (d->column_part[k] == 0) {
      double dot = 0;
      for (int i = 0; i < 4; i++) dot += d->q[q + i] * r->damped.start[q + i];
      most = fmax(most, 2 * hik_acos(fabs(dot)));
    }
  }
  return most;
}

/* The pose in d->q is one more that meets the goals. */
static void keep_found(hik_restarts *r, const double *q) {
  hik_damped_keep(&r->damped, largest_move(r), q);
  r->found++;
}

static void end_attempt(hik_restarts *r) {
  hik_damped *t = &r->damped;
  hik_descent *d = t->d;
  r->under_way = false;
  if (t->last == HIK_GIVEN_UP && (t->away || r->k == t->starts)) polish(r);
  if (t->last == HIK_MET) {
    hik_unwrap(d->p, t->start, d->q);
    keep_found(r, d->q);
  } else if (t->away) {
    hik_damped_keep(t, d->best, d->best_q);
  }
}

/* True: the attempt in hand wants the residual of d->q. */
static bool attempt_goes_on(hik_restarts *r) {
  hik_damped *t = &r->damped;
  bool on;
  if (r->under_way) {
    on = !hik_damped_arrives(t, r->answer);
  } else {
    if (t->away) t->d->best = INFINITY;
    r->under_way = true;
    on = hik_damped_set_out(t, r->k == 0 ? HIK_DAMPED_FIRST : HIK_DAMPED_CAP + r->k / 4,
                            r->k == 0 ? 0.8 : hik_damped_ratio(r->k));
  }
  if (on && hik_damped_step(t, r->answer)) return true;
  end_attempt(r);
  return false;
}

void hik_restarts_begin(hik_restarts *r, int32_t first, const double *known, const double *target,
                        hik_answer *answer) {
  hik_damped *t = &r->damped;
  hik_descent *d = t->d;
  const hik_run *run = &r->run;
  int32_t starts = (int32_t)run->options->param[STARTS];
  r->target = target, r->answer = answer;
  r->first = first, r->k = 0, r->before = answer->remedies, r->found = 0;
  r->wanted = (int32_t)run->options->param[SOLUTIONS];
  r->under_way = false;
  r->from_map = run->ready->free && run->worker->attempt == 0;
  if (r->from_map) hik_free_ask(run->ready->free, target, &r->query);
  hik_damped_begin(t, target, first > starts ? 0 : starts, answer);
  if (!known) return;
  hik_copy_q(run->problem->model, known, d->q);
  hik_descent_residual(d);
  if (hik_descent_met(d)) keep_found(r, known);
  hik_copy_q(run->problem->model, t->start, d->q);
  hik_descent_residual(d);
}

bool hik_restarts_go_on(hik_restarts *r) {
  hik_damped *t = &r->damped;
  hik_descent *d = t->d;
  const hik_run *run = &r->run;
  if (r->found < r->wanted && hik_damped_again(t, 0) && attempt_goes_on(r)) return true;
  r->k = r->k == 0 ? r->first : r->k + 1;
  if (r->found >= r->wanted || !hik_damped_again(t, r->k)) {
    if (!(t->lowest < INFINITY)) hik_descent_restore(d);
    hik_damped_end(t, r->found > 0, r->answer);
    return false;
  }
  if (!r->from_map || !hik_free_take(run->ready->free, &r->query, d->q))
    hik_start_near(run, run->worker->attempt + (uint64_t)r->k, r->target, d->q);
  r->answer->remedies = r->before + r->k - r->first + 1;
  return true;
}
