/* straight.c: one position out of reach at the end of free balls: the nearest posture by its closed form.

   Purpose    chains of balls without limits, whatever their bones; a target as far as all bones together, or nearer than
              the longest exceeds the others; for every solver, before it makes an attempt
   Given      the start, a target
   Returned   the chain straight on the line from its root to the target: all bones towards it, or the longest towards it
              and the others back. Each ball makes the smallest rotation in the world, so that it keeps its twist; the
              balls of bones without length go with what they hang on
   Outcomes   unreachable, in one iteration; converged where the target is within the tolerance of the edge, where iterations
              crawl because the way out is the square root of the way in. No answer: a target in reach, a start that meets
              it, no iteration allowed
   Notes      1 Nothing is nearer: the tip is as far from the root as all bones together at most, and no nearer than the
                longest exceeds the others.
              2 A target at the root itself has no line to it, and takes that of x.
              3 It is asked by the driver and not by solvers: it says what there is to find, whoever looks for it. Methods
                that are published as one attempt are left alone by it where that is asked for (`max_restarts` 0), unless the
                paper has it: FABRIK's first lines compare the lengths. It then is the method that is looked at.
              4 Twin: handik.study.twins.fabrik.nearest_line. */
#include "base/quat.h"
#include "solve/drive/plan.h"
#include "solve/points/balls.h"

void hik_straight_ready(const hik_solver_class *solver, hik_readied *part) {
  const hik_problem *p = part->problem;
  hik_straight *s = &part->straight;
  *s = (hik_straight){.takes = false};
  if (!hik_balls_alone(p) || part->options->max_iter < 1 ||
      (!solver->compares_lengths && hik_as_published(solver, part->options)))
    return;
  double reach = 0, longest = 0;
  for (int32_t k = 0; k < p->n_active; k++) {
    double length = hik_norm(hik_balls_bone(p, k));
    reach += length;
    if (length > longest) longest = length, s->longest_at = k;
  }
  double edge = fmax(0, hik_balls_slack(p, p->n_active, reach));
  s->takes = reach > 0 && reach < INFINITY && edge < INFINITY; /* any place meets a tolerance without end */
  s->outer = reach - edge, s->inner = 2 * longest - reach + edge;
  hik_copy3(hik_step_place(p->model, p->active[0])->t, s->root);
  s->most = s->outer > 0 ? s->outer * s->outer * (1 - 1e-9) : 0;
  s->least = s->inner > 0 ? s->inner * s->inner * (1 + 1e-9) : -1;
}

/* Turns the bones onto the line, root to tip. */
static void straighten(const hik_run *run, const double line[3], bool stretched, double *q) {
  const hik_problem *p = run->problem;
  const hik_model *m = p->model;
  double was[4] = {1, 0, 0, 0}, up[4] = {1, 0, 0, 0};
  for (int32_t k = 0; k < p->n_active; k++) {
    double place[4], turn[4], bone[3], wanted[3], r[9], *own = q + m->step_q[p->active[k]];
    bool plain = m->step_plain[p->active[k]];
    if (!plain) {
      hik_quat_from_mat(hik_step_place(m, p->active[k])->r, place);
      hik_quat_mul(was, place, was);
      hik_quat_mul(up, place, up);
    }
    hik_quat_mul(was, own, was);
    hik_quat_normalize(was);
    hik_quat_to_mat(was, r);
    hik_mat_vec(r, hik_balls_bone(p, k), bone);
    if (hik_unit(bone, bone) > 0) {
      hik_scale3(stretched || k == run->ready->straight.longest_at ? 1 : -1, line, wanted);
      hik_balls_turn(bone, wanted, turn);
      hik_quat_mul(turn, was, turn);
      hik_balls_place(turn, up, own);
    } else {
      hik_quat_mul(up, own, up);
      hik_quat_normalize(up);
    }
  }
}

bool hik_straight_one(hik_run *run, const double *target, hik_answer *answer) {
  const hik_straight *s = &run->ready->straight;
  const hik_problem *p = run->problem;
  hik_verdict v;
  double gap[3], line[3] = {1, 0, 0};
  if (hik_straight_near(run, target, gap)) return false;
  double far = hik_unit(gap, line);
  if ((!(far > s->outer) && !(far < s->inner)) || !hik_all_finite(gap, 3)) return false;
  hik_judge_one(p, target, answer->q, run->world, &v);
  if (v.met) return false;
  hik_note(answer, 0, v.error, answer->q, p->model->nq);
  straighten(run, line, far > s->outer, answer->q);
  hik_note_judged(run, target, answer, 1, answer->q);
  answer->iterations = 1;
  /* at the edge to rounding, where a pose may meet a tolerance of nothing, nothing is proved */
  answer->claim = hik_out_of_reach(p, target) ? HIK_UNREACHABLE : HIK_STALLED;
  answer->method = HIK_BY_CLOSED_FORM;
  hik_charge(run->worker, 2 * (int64_t)p->n_active);
  return true;
}
