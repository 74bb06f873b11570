/* damped.c: see damped.h.

   Reference  Y. Nakamura, H. Hanafusa (1986), damping; T. Sugihara, Solvability-unconcerned inverse kinematics by the
              Levenberg-Marquardt method, IEEE Trans. Robotics 27 (2011) 984-991, damping by the error. */
#include "solve/squares/damped.h"

#include "base/dense.h"

enum { WINDOW = HIK_DAMPED_WINDOW, AWAY_STARTS = 4 };

void hik_damped_lay_out(hik_damped *w, const hik_problem *p, hik_block *block) {
  hik_descent_size size = hik_descent_sizes(p);
  HIK_TAKE_DOUBLES(block, p->model->nq, &w->start, &w->nearest);
  w->square = HIK_TAKE(block, double, (2 * size.m + 1) * size.m); /* no less than size.square */
}

void hik_damped_begin(hik_damped *w, const double *target, int32_t starts, hik_answer *answer) {
  hik_descent *d = w->d;
  w->away = hik_out_of_reach(d->p, target);
  w->starts = w->away && starts > AWAY_STARTS ? AWAY_STARTS : starts;
  w->lowest = INFINITY;
  w->last = HIK_GIVEN_UP;
  hik_copy_q(d->p->model, answer->q, w->start);
  hik_descent_begin(d, target, answer->q);
  hik_descent_residual(d);
  hik_note_judged(d->run, target, answer, answer->iterations, d->q);
}

bool hik_damped_again(const hik_damped *w, int32_t k) {
  if (k == 0) return w->d->n > 0;
  if (k > w->starts || w->d->n == 0 || w->last == HIK_SPENT || w->last == HIK_STOPPED) return false;
  hik_copy_q(w->d->p->model, w->start, w->d->q);
  return true;
}

bool hik_damped_goes_on(hik_damped *w, const hik_answer *a) {
  const hik_run *run = w->d->run;
  if (a->iterations >= run->options->max_iter)
    w->last = HIK_SPENT;
  else if (!hik_poll(run->worker, 1))
    w->last = HIK_STOPPED;
  else
    return true;
  return false;
}

static bool rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  hik_damped *w = context;
  return hik_damped_solve(m, n, j, w->damping, b, x, w->square);
}

bool hik_damped_arrives(hik_damped *w, hik_answer *a) {
  a->iterations++;
  hik_note_judged(w->d->run, w->d->target, a, a->iterations, w->d->q);
  if (!hik_descent_met(w->d)) {
    hik_descent_keep(w->d);
    return false;
  }
  w->last = HIK_MET;
  return true;
}

bool hik_damped_set_out(hik_damped *w, int32_t cap, double ratio) {
  w->done = 0, w->cap = cap, w->ratio = ratio;
  w->last = HIK_MET;
  if (hik_descent_met(w->d)) return false;
  hik_descent_keep(w->d);
  return true;
}

bool hik_damped_step(hik_damped *w, const hik_answer *a) {
  hik_descent *d = w->d;
  double square = d->error * d->error, *past = w->past + w->done % WINDOW;
  w->last = HIK_GIVEN_UP;
  if (!(square < INFINITY) || w->done >= w->cap || (w->done >= WINDOW && square > w->ratio * *past))
    return false;
  if (!hik_damped_goes_on(w, a)) return false;
  *past = square;
  w->done++;
  w->damping = 0.02 * square + 1e-9;
  hik_descent_jacobian(d);
  bool stepped = d->m <= d->n && hik_descent_damped_step(d, w->damping, 1, w->square);
  if (!stepped && !hik_descent_step(d, rule, w, 1)) return false;
  hik_descent_move(d, d->q, d->d, d->q);
  return true;
}

hik_end hik_damped_descend(hik_damped *w, hik_answer *a, int32_t cap, double ratio) {
  if (!hik_damped_set_out(w, cap, ratio)) return w->last;
  while (hik_damped_step(w, a)) {
    hik_descent_residual(w->d);
    if (hik_damped_arrives(w, a)) break;
  }
  return w->last;
}

void hik_damped_keep(hik_damped *w, double value, const double *q) {
  if (!(value < w->lowest)) return;
  w->lowest = value;
  hik_copy_q(w->d->p->model, q, w->nearest);
}

void hik_damped_end(const hik_damped *w, bool met, hik_answer *answer) {
  if (w->lowest < INFINITY) hik_copy_q(w->d->p->model, w->nearest, answer->q);
  answer->claim = met                    ? HIK_CONVERGED
                  : w->away              ? HIK_UNREACHABLE
                  : w->last == HIK_SPENT ? HIK_MAX_ITER
                                         : HIK_STALLED;
}
