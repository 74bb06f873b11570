/* pace.c: see pace.h. */
#include "solve/drive/pace.h"

#include "solve/drive/starts.h"
#include "solve/points/wish.h"

/* A target that is proved out of reach is never met: do not crawl towards it. */
static const double AWAY_STALL = 1e-4;
/* An iteration that leaves more of the error than this crawls, so that a pattern move is tried, or a combination. */
static const double CRAWLS = 0.8, MIXES = 0.2;
/* Doublings of a pattern move, and of the iterations without one after none was found; parts of the way to a combination,
   each a quarter of the one before; how much more patience a round has that makes these. */
enum { DOUBLINGS = 12, RESTS = 5, PARTS = 4, PATIENCE = 2 };

static const hik_model *model_of(const hik_pace *p) { return p->run->problem->model; }

static void place(hik_pace *p) {
  const hik_problem *problem = p->run->problem;
  if (p->method->place)
    p->method->place(p);
  else
    hik_list_poses(problem->model, problem->active, problem->n_active, p->answer->q, p->run->world);
}

/* Measures the pose and notes it; true when it meets the goals. */
static bool look(hik_pace *p) {
  const hik_answer *a = p->answer;
  const hik_problem *problem = p->run->problem;
  if (p->method->look) {
    bool met = p->method->look(p);
    if (HIK_UNLIKELY(a->trace != NULL)) hik_note_judged(p->run, p->target, a, a->iterations, a->q);
    return met;
  }
  hik_verdict v;
  hik_judge_world(problem, p->target, a->q, p->run->world, &v);
  p->error = hik_even_error(problem, &v);
  if (HIK_UNLIKELY(a->trace != NULL)) hik_note(a, a->iterations, v.error, a->q, problem->model->nq);
  return v.met;
}

static void keep(hik_pace *p) {
  p->best = p->error;
  hik_copy_q(model_of(p), p->answer->q, p->best_q);
  if (p->method->keep) p->method->keep(p);
}

static void recall(hik_pace *p) {
  hik_copy_q(model_of(p), p->best_q, p->answer->q);
  if (p->method->recall) p->method->recall(p);
}

bool hik_pace_end(hik_pace *p, hik_outcome claim) {
  recall(p);
  if (p->meeting) claim = HIK_CONVERGED;
  p->answer->claim = p->away && claim != HIK_CONVERGED ? HIK_UNREACHABLE : claim;
  return false;
}

/* ---- pattern moves and combinations ---- */

/* Places the pose and asks the judge; its error. */
static double judge(hik_pace *p, hik_verdict *v) {
  const hik_problem *problem = p->run->problem;
  place(p);
  hik_judge_world(problem, p->target, p->answer->q, p->run->world, v);
  hik_charge(p->run->worker, problem->n_active);
  return hik_even_error(problem, v);
}

/* q = now + by (now - before), inside the limits. */
static void go_on(const hik_model *m, const double *before, const double *now, double by, double *q) {
  for (int32_t k = 0; k < m->nq; k++) q[k] = now[k] + by * (now[k] - before[k]);
  hik_clamp(m, 1, q);
}

/* Makes the step from the pose before once more, doubled as long as the error falls: q is the nearest of them, or as it was.
   Its frames are placed. True: it is another. */
static bool move_on(hik_pace *p) {
  const hik_problem *problem = p->run->problem;
  double *before = p->trail, *now = p->trail + problem->model->nq, *q = p->answer->q, least = p->error,
         by = 0;
  hik_verdict v = {.met = false};
  hik_copy_q(model_of(p), q, now);
  for (int32_t k = 0; k < DOUBLINGS && !v.met; k++) {
    double further = ldexp(1, k);
    go_on(problem->model, before, now, further, q);
    double error = judge(p, &v);
    if (!v.met && !(error < least)) break;
    least = error, by = further;
  }
  if (by > 0)
    go_on(problem->model, before, now, by, q);
  else
    hik_copy_q(model_of(p), now, q);
  place(p);
  return by > 0;
}

/* Goes to the combination of the last poses, or a part of the way, where that is nearer; likewise. */
static bool mix_on(hik_pace *p) {
  const hik_problem *problem = p->run->problem;
  double *q = p->answer->q, *left = p->trail + problem->model->nq, by = 1;
  hik_verdict now, v;
  hik_charge(p->run->worker, HIK_MIX_DEPTH * HIK_MIX_DEPTH * (int64_t)problem->rows / HIK_WORK);
  if (!hik_mix_find(p->mix, problem)) return false;
  hik_judge_world(problem, p->target, q, p->run->world, &now);
  hik_copy_q(model_of(p), q, left);
  for (int32_t part = 0; part < PARTS; part++, by *= 0.25) {
    for (int32_t k = 0; k < problem->model->nq; k++) q[k] = left[k] + by * p->mix->way[k];
    hik_clamp(problem->model, 1, q);
    if (judge(p, &v) < hik_even_error(problem, &now) || v.met) return true;
  }
  hik_copy_q(model_of(p), left, q);
  place(p);
  return false;
}

/* After an iteration that has been measured: where it crawled makes a pattern move, or combines the last poses, and
   remembers the pose. */
static bool follow(hik_pace *p, bool met) {
  double most = p->mix ? MIXES : CRAWLS;
  bool crawls = p->trails && !met && p->error < p->before && p->error > most * p->before;
  if (p->mix) hik_mix_remember(p->mix, p->run, p->target, p->answer->q);
  if (crawls && p->rest-- <= 0) {
    p->fresh = p->mix ? mix_on(p) : move_on(p);
    p->tried = p->fresh ? 0 : p->tried < RESTS ? p->tried + 1 : RESTS;
    p->rest = (1 << p->tried) - 1;
    if (p->fresh) met = look(p);
  }
  p->trails = true;
  p->before = p->error;
  hik_copy_q(model_of(p), p->answer->q, p->trail);
  return met;
}

bool hik_pace_begin(hik_pace *p) {
  const hik_options *o = p->run->options;
  p->fresh = true;
  p->mix = hik_mix_of(p->run);
  if (p->mix) p->trail = p->mix->trail;
  if (p->mix && p->patience <= INT32_MAX / PATIENCE) p->patience *= PATIENCE;
  place(p);
  bool met = look(p);
  p->best = p->error;
  hik_copy_q(model_of(p), p->answer->q, p->best_q);
  if (met && !p->polish) {
    p->answer->claim = HIK_CONVERGED;
    return false;
  }
  p->meeting = met;
  p->away = hik_out_of_reach(p->run->problem, p->target);
  p->least = p->away && !p->method->look ? hik_error_floor(p->run->problem, p->target) : 0;
  p->mark = fmax(0, p->error - p->least);
  p->stall = p->away ? fmax(o->ftol, AWAY_STALL) : o->ftol;
  if (!hik_starts_move(p->run)) return hik_pace_end(p, HIK_STALLED);
  return o->max_iter > 0 || hik_pace_end(p, HIK_MAX_ITER);
}

static bool poll(hik_pace *p) {
  return hik_poll(p->run->worker, p->run->problem->n_active + 1) || hik_pace_end(p, HIK_STALLED);
}

/* Leaves a pose from which nothing falls: by a push, later for another start. False: the remedies are used up. */
static bool leave(hik_pace *p) {
  const hik_problem *problem = p->run->problem;
  hik_answer *a = p->answer;
  int32_t started = a->remedies - p->nudges;
  /* another start helps no target that is proved out of reach, and one that was met is not given up */
  if (started >= 0 && (started >= p->starts || p->away || p->meeting)) return false;
  recall(p);
  if (started >= 0)
    hik_start_near(p->run, p->run->worker->attempt + 1 + (uint64_t)started, p->target, a->q);
  else if (p->method->push)
    p->method->push(p, a->remedies);
  else
    hik_nudge(problem->model, problem->active, problem->n_active, a->remedies, problem->scale, a->q);
  a->remedies++;
  p->mark = INFINITY;
  p->quiet = 0;
  p->fresh = true;
  p->trails = false;
  place(p);
  return true;
}

bool hik_pace_next(hik_pace *p) {
  int32_t most = p->run->options->max_iter;
  hik_answer *a = p->answer;
  p->fresh = false;
  a->iterations++;
  bool met = look(p);
  if (p->trail) met = follow(p, met);
  if (!(p->error < INFINITY)) return hik_pace_end(p, HIK_DIVERGED); /* a number went astray */
  if (met && (!p->polish || p->settled || a->iterations >= most)) {
    a->claim = HIK_CONVERGED;
    return false;
  }
  if (met) {
    keep(p); /* no pose that misses the goals takes its place */
    p->meeting = true;
    p->quiet = 0;
    return poll(p);
  }
  if (p->error < p->best && !p->meeting) keep(p);
  /* progress is what is left above the least: far away the rest would hide it */
  double above = p->error > p->least ? p->error - p->least : 0;
  p->quiet = above < (1 - p->stall) * p->mark ? 0 : p->quiet + 1;
  if (p->quiet == 0) p->mark = above;
  if (a->iterations >= most) return hik_pace_end(p, HIK_MAX_ITER);
  if ((p->over || p->quiet >= p->patience) && !leave(p)) return hik_pace_end(p, HIK_STALLED);
  p->over = false;
  return poll(p);
}

void hik_pace_run(hik_pace *p) {
  if (!hik_pace_begin(p)) return;
  do p->over = !p->method->iterate(p);
  while (hik_pace_next(p));
}
