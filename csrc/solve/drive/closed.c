/* closed.c: one pose goal on an arm of three to six turns by its closed form.

   Purpose    arms with a spherical wrist or shoulder, or three parallel axes, or completed to such, wherever in a tree they stand
   Given      targets; starts, given or at rest
   Returned   of all postures inside the limits the one whose largest joint move from the start is smallest, where some
              share that joint the one with the least sum of squares; of several whole turns of a joint the nearest
   Outcomes   converged, in one iteration; or no answer: no posture lies inside the limits, or the pose is singular or so near
              it that postures may be missing, and numeric solvers must say what there is
   Notes      1 The equations are those of simd/postures.inc.c, which keeps an answer only when it closes the loop to
                1e-12; what comes near a special case there is done with care (analytic/nearest.c), to 1e-10. A joint
                up to 1e-9 beyond a limit is put on it, so tolerances below 1e-8 are not for this.
              2 Lanes never meet: the same bytes alone, in any batch and by every instruction set.
   Reference  see simd/postures.inc.c */
#include "base/tuning.h"
#include "solve/drive/auto.h"
#include "solve/lanes/serial.h"

static const double TIGHT = 1e-8;

typedef struct work {
  double T[16 * HIK_CLOSED_AT_ONCE];
  hik_nearest_found found[HIK_CLOSED_AT_ONCE];
  double *q; /* [HIK_CLOSED_AT_ONCE][nq] starts, then answers */
  void *own; /* of the analytic object: what follows the rest */
} work;

/* `own`: bytes of the analytic object, which only who counts needs to know. */
static work *lay_out(const hik_problem *p, size_t own, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  into->q = hik_block_take(block, HIK_CLOSED_AT_ONCE, (size_t)p->model->nq * sizeof *into->q);
  into->own = HIK_TAKE(block, char, own);
  return w;
}

HIK_COUNT_BYTES(size_t hik_closed_scratch(const hik_readied *r),
                lay_out(r->problem, hik_analytic_scratch_size(r->serial->closed), &block))

bool hik_closed_takes(const hik_readied *ready) {
  const hik_prepared *s = ready->serial;
  return s && s->closed && s->chain.square >= TIGHT * TIGHT && ready->options->max_iter >= 1;
}

static void read_target(const hik_problem *p, const double *target, double *T) {
  hik_pose wanted;
  hik_goal_class(p->goal)->wanted(p->goal, target + p->goal->column, wanted.t, wanted.r);
  hik_pose_to_mat4(&wanted, T);
}

/* The answer takes the place of the start. */
static void take(hik_run *run, const double *target, const double *q, hik_answer *answer) {
  hik_note_judged(run, target, answer, 0, answer->q);
  hik_note_judged(run, target, answer, 1, q);
  hik_copy_q(run->problem->model, q, answer->q);
  answer->iterations = 1;
  answer->claim = HIK_CONVERGED;
  answer->method = HIK_BY_CLOSED_FORM;
}

bool hik_closed_one(hik_run *run, void *scratch, const double *target, hik_answer *answer) {
  hik_block block = {scratch, 0, false};
  work *w = lay_out(run->problem, 0, &block);
  hik_copy_q(run->problem->model, answer->q, w->q);
  read_target(run->problem, target, w->T);
  hik_analytic_nearest(run->ready->serial->closed, 1, w->T, w->q, w->found, w->own);
  if (w->found[0] == HIK_NEAREST_FOUND) take(run, target, w->q, answer);
  return w->found[0] == HIK_NEAREST_FOUND;
}

void hik_closed_block(hik_run *run, void *scratch, const hik_claims *rows) {
  const hik_batch *b = run->batch;
  const hik_analytic *arm = run->ready->serial->closed;
  int64_t nq = run->problem->model->nq, noted = (int64_t)run->options->max_iter + 1;
  hik_block block = {scratch, 0, false};
  work *w = lay_out(run->problem, 0, &block);
  for (int64_t at = rows->first; at < rows->last; at += HIK_CLOSED_AT_ONCE) {
    int64_t n = rows->last - at < HIK_CLOSED_AT_ONCE ? rows->last - at : HIK_CLOSED_AT_ONCE;
    memcpy(w->q, b->q + at * nq, (size_t)(n * nq) * sizeof *w->q);
    for (int64_t k = 0; k < n; k++)
      read_target(run->problem, b->target + (at + k) * b->target_stride, w->T + 16 * k);
    hik_analytic_nearest(arm, n, w->T, w->q, w->found, w->own);
    for (int64_t k = 0; k < n; k++) {
      int64_t i = at + k;
      const double *target = b->target + i * b->target_stride;
      if (w->found[k] != HIK_NEAREST_FOUND || !hik_target_usable(run->problem, target)) continue;
      hik_answer a = hik_answer_row(run->problem, noted, b, i);
      take(run, target, w->q + k * nq, &a);
      hik_report(rows, i, &a);
    }
    if (!hik_poll(run->worker, n * HIK_CLOSED_COST)) return;
  }
}
