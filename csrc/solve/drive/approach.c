/* approach.c: a root that can go anywhere goes to a far target before anything else, for every solver.

   A slide without an end moves what it carries in a straight line, so that no linear model of it is ever wrong. Steps of
   a descent are short for the sake of turns: it would walk a length of the figure an iteration, and not arrive.

   Purpose    trees with slides that have no end, a free root among them; goals with a position
   Given      a start inside the limits, a target
   Returned   the start with these slides moved; the turns, and slides with an end, are as they were
   Notes      1 Slides are moved one after another to the least of the sum of squares, until none moves any more (Gauss and
                Seidel inside the limits): once for slides at right angles, as those of a free root are.
              2 Of several goals the sum of their weighted squares counts, so that none of them is at its target in general.
              3 Not for methods that are published as one attempt, where that is asked for (`max_restarts` 0).
   Reference  M. J. D. Powell, On search directions for minimization algorithms, Math. Programming 4 (1973) 193-201: going
              coordinate by coordinate, which for a convex sum of squares ends at its least. */
#include "solve/drive/starts.h"

enum { SWEEPS = 20 };
static const double STILL =
    1e-3; /* lengths of the problem: a sweep that moves no slide farther is the last */

static bool has_point(const hik_goal *g) {
  uint32_t caps = hik_goal_class(g)->caps;
  return caps == HIK_HAS_POSITION || caps == (HIK_HAS_POSITION | HIK_HAS_ORIENTATION);
}

/* Every step of coordinate q is a slide, and it has room without an end. */
static bool endless(const hik_model *m, int32_t q) {
  if (m->lower[q] > -INFINITY && m->upper[q] < INFINITY) return false;
  for (int32_t s = 0; s < m->n_step; s++)
    if (m->step_q[s] == q && m->step_kind[s] != HIK_SLIDE) return false;
  return true;
}

/* Step k of the active ones is the first of a coordinate that goes to a target. */
static bool goes(const hik_problem *p, int32_t k) {
  const hik_model *m = p->model;
  int32_t s = p->active[k], q = m->step_q[s];
  if (m->step_kind[s] != HIK_SLIDE || !hik_step_free(m, s) || !endless(m, q)) return false;
  for (int32_t i = 0; i < k; i++)
    if (m->step_q[p->active[i]] == q) return false;
  return true;
}

void hik_approach_ready(const hik_solver_class *solver, hik_readied *part) {
  const hik_problem *p = part->problem;
  bool points = false, slides = false;
  part->approaches = false;
  if (hik_as_published(solver, part->options)) return;
  for (int32_t i = 0; i < p->n_goal; i++) points = points || has_point(p->goal + i);
  for (int32_t k = 0; k < p->n_active && points && !slides; k++) slides = goes(p, k);
  part->approaches = slides;
}

/* How far goal g is from its target. */
static void gap_of(const hik_run *run, const hik_goal *g, const double *target, double *gap) {
  double wanted[3], turn[9];
  hik_pose frame;
  hik_goal_class(g)->wanted(g, target + g->column, wanted, turn);
  hik_goal_pose(g, run->world, &frame);
  hik_sub3(wanted, frame.t, gap);
}

static bool is_far(const hik_run *run, const double *target) {
  const hik_problem *p = run->problem;
  double gap[3], most = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    if (!has_point(p->goal + i)) continue;
    gap_of(run, p->goal + i, target, gap);
    double far = hik_norm(gap);
    if (!(far < INFINITY)) return false;
    most = fmax(most, far);
  }
  return most > HIK_FAR * p->scale;
}

/* How a goal's frame moves with coordinate q. */
static void rate_of(const hik_run *run, const hik_goal *g, int32_t q, double *rate) {
  const hik_model *m = run->problem->model;
  double axis[3];
  memset(rate, 0, 3 * sizeof *rate);
  for (int32_t s = g->step; s >= 0; s = m->step_parent[s]) {
    if (m->step_q[s] != q || m->step_kind[s] != HIK_SLIDE) continue;
    hik_mat_column(run->world[s].r, 2, axis);
    hik_axpy3(rate, m->step_line[2 * (size_t)s], axis, rate);
  }
}

/* Moves coordinate k to the least of the sum; how far. The poses are those of q, before and after. */
static double move_slide(const hik_run *run, const double *target, int32_t k, double *q) {
  const hik_problem *p = run->problem;
  const hik_model *m = p->model;
  int32_t at = m->step_q[p->active[k]];
  double up = 0, down = 0, was = q[at], gap[3], rate[3];
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    if (!has_point(g)) continue;
    double square = g->term.weight * g->term.weight;
    gap_of(run, g, target, gap);
    rate_of(run, g, at, rate);
    up += square * hik_dot(rate, gap), down += square * hik_dot(rate, rate);
  }
  double to = was + up / down;
  if (!(fabs(to) < INFINITY)) return 0;
  q[at] = hik_clip(to, m->lower[at], m->upper[at]);
  hik_list_poses(m, p->active, p->n_active, q, run->world);
  return fabs(q[at] - was);
}

bool hik_approach(const hik_run *run, const double *target, double *q) {
  const hik_problem *p = run->problem;
  if (!run->ready->approaches) return false;
  hik_charge(run->worker, p->n_active);
  hik_list_poses(p->model, p->active, p->n_active, q, run->world);
  if (!is_far(run, target)) return false;
  double moved = INFINITY;
  for (int sweep = 0; sweep < SWEEPS && moved > STILL * p->scale; sweep++) {
    moved = 0;
    for (int32_t k = 0; k < p->n_active; k++) {
      if (!goes(p, k)) continue;
      if (!hik_poll(run->worker, 2 * (int64_t)p->n_active)) return true;
      moved = fmax(moved, move_slide(run, target, k, q));
    }
  }
  return true;
}
