/* nudge.c: see nudge.h. */
#include "solve/points/nudge.h"

#include "base/quat.h"
#include "solve/drive/starts.h"

static void nudge_ball(double *q, int32_t place) {
  double s, c, axis[3], turn[4], size = 0.3 / sqrt(1.25);
  hik_sincos(HIK_GOLDEN_ANGLE * place, &s, &c);
  axis[0] = size * c, axis[1] = size * s, axis[2] = size * 0.5;
  hik_quat_exp(axis, turn);
  hik_quat_mul(q, turn, q);
  hik_quat_normalize(q);
}

/* The joint that this step's joint follows, if the list moves it; -1: the step moves by itself. */
static int32_t leader_of(const hik_model *m, int32_t s) {
  int32_t j = m->joint_mimic[m->step_joint[s]];
  return j < 0 ? -1 : m->joint_step[j];
}

/* The list ascends. */
static bool listed(const int32_t *list, int32_t count, int32_t s) {
  int32_t low = 0, high = count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (list[middle] < s)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && list[low] == s;
}

void hik_nudge(const hik_model *m, const int32_t *list, int32_t count, int32_t round, double reach,
               double *q) {
  for (int32_t k = 0; k < count; k++) {
    int32_t s = list[k], leader = leader_of(m, s);
    if (leader >= 0 && listed(list, count, leader)) continue; /* it follows */
    if (m->step_kind[s] == HIK_BALL_STEP) {
      nudge_ball(q + m->step_q[s], k + 1 + round);
      if (hik_step_cone(m, s)) hik_swing_clamp_quat(hik_step_cone(m, s), q + m->step_q[s]);
      continue;
    }
    const double *limit = m->step_limit + 2 * (size_t)s;
    double x = hik_step_value(m, s, q), wide = m->step_kind[s] == HIK_TURN ? 2 * HIK_PI : reach, middle = x;
    if (limit[1] - limit[0] < 2 * wide) wide = limit[1] - limit[0], middle = 0.5 * (limit[0] + limit[1]);
    if (fabs(x - middle) > 0.05 * wide)
      x += 0.25 * (middle - x);
    else
      x += 0.075 * wide * ((k + round) % 2 == 0 ? 1 : -1);
    hik_step_set(m, s, hik_clip(x, limit[0], limit[1]), q);
  }
}

static size_t q_bytes(const hik_watch *w) { return (size_t)w->run->problem->model->nq * sizeof(double); }

static void recall_best(hik_watch *w) {
  memcpy(w->answer->q, w->best_q, q_bytes(w));
  if (w->recall) w->recall(w->pose);
}

/* Gives up with the best pose. */
static bool finish(hik_watch *w, hik_outcome claim) {
  recall_best(w);
  w->answer->claim = w->away ? HIK_CLOSEST : claim;
  return false;
}

bool hik_watch_begin(hik_watch *w, hik_run *run, const double *target, hik_answer *answer, double *best_q,
                     int32_t nudges, int32_t starts) {
  *w = (hik_watch){.run = run,
                   .target = target,
                   .answer = answer,
                   .best_q = best_q,
                   .nudges = nudges,
                   .starts = starts,
                   .fresh = true};
  hik_verdict v;
  hik_judge_one(run->problem, target, answer->q, run->world, &v);
  hik_note(answer, 0, v.error, answer->q, run->problem->model->nq);
  w->best = w->mark = v.error;
  memcpy(best_q, answer->q, q_bytes(w));
  if (v.met) answer->claim = HIK_CONVERGED;
  if (v.met) return false;
  w->away = hik_out_of_reach(run->problem, target);
  w->least = w->away ? hik_error_floor(run->problem, target) : 0;
  w->mark = fmax(0, w->mark - w->least);
  w->stall = w->away ? fmax(run->options->stall, 1e-4) : run->options->stall;
  return run->options->max_iter > 0 || finish(w, HIK_MAX_ITER);
}

static void nudge(hik_watch *w) {
  const hik_problem *p = w->run->problem;
  hik_answer *a = w->answer;
  recall_best(w);
  if (a->remedies < w->nudges)
    hik_nudge(p->model, p->active, p->n_active, a->remedies, hik_problem_length(p), a->q);
  else
    hik_start(w->run, w->run->worker->attempt + 1 + (uint64_t)(a->remedies - w->nudges), a->q);
  hik_list_poses(p->model, p->active, p->n_active, a->q, w->run->world);
  a->remedies++;
  w->mark = INFINITY;
  w->quiet = 0;
  w->fresh = true;
}

bool hik_watch_next(hik_watch *w) {
  const hik_problem *p = w->run->problem;
  const hik_options *o = w->run->options;
  hik_answer *a = w->answer;
  hik_verdict v;
  w->fresh = false;
  a->iterations++;
  hik_judge_world(p, w->target, a->q, w->run->world, &v);
  hik_note(a, a->iterations, v.error, a->q, p->model->nq);
  if (v.met) {
    a->claim = HIK_CONVERGED;
    return false;
  }
  if (v.error < w->best) {
    w->best = v.error;
    memcpy(w->best_q, a->q, q_bytes(w));
    if (w->keep) w->keep(w->pose);
  }
  /* progress is what is left above the least: far away the rest would hide it */
  double above = fmax(0, v.error - w->least);
  if (above < (1 - w->stall) * w->mark)
    w->mark = above, w->quiet = 0;
  else
    w->quiet++;
  if (w->quiet >= HIK_PATIENCE) {
    if (a->remedies >= w->nudges + (w->away ? 0 : w->starts)) return finish(w, HIK_STALLED);
    if (a->iterations < o->max_iter) nudge(w);
  }
  if (a->iterations >= o->max_iter) return finish(w, HIK_MAX_ITER);
  return hik_poll(w->run->worker, (int64_t)p->n_active + 1) || finish(w, HIK_STALLED);
}
