/* stretch.c: towards a target out of reach.

   Purpose    one pose or position that the lengths of a serial chain put out of reach
   Given      the start; the target
   Returned   q inside its limits, the nearest of what HIK_STRETCH_STARTS starts come to
   Outcomes   unreachable
   Notes      1 The starts: the one given (or rest); for a pose the best samples of the map, which is asked about the
                point of the sphere of reach towards the target; then draws inside the limits by the seed.
              2 Each makes at most STEPS steps of simd/stretch.inc.c; a cap on iterations leaves fewer starts. They
                stand side by side in lanes that never meet, so every instruction set gives the same bytes.
              3 Beyond HIK_STRETCH_FAR times the reach the nearest pose no longer changes: such a target is pulled in.
   Reference  see simd/stretch.inc.c */
#include "base/quat.h"
#include "base/tuning.h"
#include "solve/lanes/queue.h"
#include "solve/lanes/serial.h"

enum { MOST_COLUMNS = 7 }; /* of a kind that the lanes take: those of a pose */

struct hik_stretch {
  const hik_lane_kernels *kernels;
  hik_stretch_state state;
  double *memory;                 /* of the state */
  double *best;                   /* [HIK_STRETCH_BEST][n], nearest first */
  double value[HIK_STRETCH_BEST]; /* of these */
  int32_t place[HIK_STRETCH_BEST],
      number[HIK_DESCENT_LANES]; /* of which start these are, and those in the lanes */
  double *q;                     /* [nq] the start */
  double aim[12];
  hik_map_query map;
};
typedef hik_stretch work;

hik_stretch *hik_stretch_lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  into->memory = HIK_TAKE(block, double, (3 * (size_t)p->n_active + 16) * HIK_DESCENT_LANES);
  into->best = HIK_TAKE(block, double, HIK_STRETCH_BEST *(size_t)p->n_active);
  into->q = HIK_TAKE(block, double, p->model->nq);
  return w;
}

static void use(work *w, int32_t n, const hik_lane_kernels *kernels) {
  hik_block block = {(char *)w->memory, 0, false};
  hik_stretch_state *s = &w->state;
  int32_t width = kernels->lanes;
  w->kernels = kernels;
  HIK_TAKE_DOUBLES(&block, n * width, &s->t, &s->base, &s->move);
  HIK_TAKE_DOUBLES(&block, 12 * width, &s->target);
  HIK_TAKE_DOUBLES(&block, width, &s->value, &s->share, &s->bound, &s->left);
}

/* The target of the chain, pulled in if need be, about the goal's point. */
static void take_target(work *w, const hik_prepared *s, const hik_problem *p, const double *target) {
  const hik_goal *g = p->goal;
  double row[MOST_COLUMNS], d[3], arm[3];
  memcpy(row, target + g->column,
         (size_t)g->width * sizeof *row); /* soft terms have columns beside the goal's */
  hik_sub3(row, g->root, d);
  double far = HIK_STRETCH_FAR * p->scale, n = hik_norm_safe(d);
  if (!(n < INFINITY)) {
    hik_scale3(0.25, d, d);
    n = hik_norm_safe(d);
  }
  if (n > far)
    for (int i = 0; i < 3; i++) row[i] = g->root[i] + d[i] / n * far;
  hik_serial_target(s, g, row, w->aim);
  hik_copy3(s->arm, w->state.arm);
  hik_mat_vec(w->aim, s->arm, arm);
  hik_add3(w->aim + 9, arm, w->aim + 9);
  w->state.weight = s->weight;
  w->state.little = HIK_STRETCH_LITTLE;
}

/* The map is asked about the point of the sphere of reach towards the target. */
static void ask(work *w, const hik_prepared *s) {
  double near[12], arm[3];
  memcpy(near, w->aim, sizeof near);
  hik_mat_vec(w->aim, s->arm, arm);
  hik_sub3(near + 9, arm, near + 9);
  double n = hik_norm(near + 9);
  if (n > HIK_STRETCH_SPHERE) hik_scale3(HIK_STRETCH_SPHERE / n, near + 9, near + 9);
  hik_map_ask(s, near, &w->map);
}

static void start(work *w, const hik_run *run, const hik_prepared *s, int32_t number, double *t) {
  if (number == 0) {
    hik_serial_from_q(s, w->q, t);
  } else if (s->chain.goal == HIK_END_POSE && number <= HIK_STRETCH_MAPPED) {
    if (number == 1) ask(w, s);
    hik_map_take(s, &w->map, t);
  } else {
    hik_serial_draw(s, run->options->seed, (uint64_t)number, t);
  }
}

/* Whether a start that ended at this value comes before the kept one `k`. Of equal ones that of the smaller number does:
   which lane ends first goes with how many there are. */
static bool before(const work *w, double value, int32_t number, int32_t k) {
  return value < w->value[k] || (value == w->value[k] && value < INFINITY && number < w->place[k]);
}

/* Where the lane ended, if it is among the HIK_STRETCH_BEST. */
static void keep(work *w, int32_t n, int32_t lane) {
  double value = w->state.value[lane];
  int32_t width = w->kernels->lanes, at = HIK_STRETCH_BEST;
  while (at > 0 && before(w, value, w->number[lane], at - 1)) at--;
  if (at == HIK_STRETCH_BEST) return;
  for (int32_t k = HIK_STRETCH_BEST - 1; k > at; k--) {
    w->value[k] = w->value[k - 1], w->place[k] = w->place[k - 1];
    memcpy(w->best + k * n, w->best + (k - 1) * n, (size_t)n * sizeof *w->best);
  }
  w->value[at] = value, w->place[at] = w->number[lane];
  hik_lane_get(w->state.base, width, lane, w->best + at * n, n);
}

static void put(const work *w, const hik_prepared *s, const double *t, const hik_run *run,
                hik_answer *answer) {
  memcpy(answer->q, w->q, (size_t)run->problem->model->nq * sizeof *w->q);
  hik_serial_to_q(s, t, answer->q);
}

/* Of the start in the first lane, alone. */
static void note(hik_run *run, const work *w, const hik_prepared *s, const double *target, int32_t iteration,
                 hik_answer *answer) {
  double t[HIK_SERIAL_JOINTS];
  hik_lane_get(w->state.base, w->kernels->lanes, 0, t, s->chain.n);
  put(w, s, t, run, answer);
  hik_note_judged(run, target, answer, iteration, answer->q);
}

/* Puts t into a lane. */
static void load(work *w, int32_t n, int32_t lane, const double *t, int32_t steps) {
  int32_t width = w->kernels->lanes;
  hik_lane_put(w->state.t, width, lane, t, n);
  hik_lane_put(w->state.base, width, lane, t, n);
  hik_lane_set(w->state.move, width, lane, 0, n);
  hik_lane_put(w->state.target, width, lane, w->aim, 12);
  w->state.value[lane] = INFINITY;
  w->state.share[lane] = w->state.bound[lane] = 1;
  w->state.left[lane] = steps;
}

/* Runs the first `count` lanes to their ends and keeps the best; false: the call was stopped. */
static bool descend(hik_run *run, work *w, const hik_prepared *s, const double *target, int32_t count,
                    hik_answer *answer) {
  uint32_t busy = (1u << count) - 1;
  bool first = answer->iterations == 0, stop = false;
  for (int32_t step = 0; busy; step++) {
    uint32_t ended = w->kernels->stretch(&s->chain, &w->state) & busy;
    /* a further start takes no place of its own in the trace from what came before */
    if (answer->trace && (step > 0 || first)) note(run, w, s, target, answer->iterations + step, answer);
    stop = !hik_poll(run->worker, (int64_t)s->chain.n * w->kernels->lanes);
    if (stop) ended = busy;
    busy &= ~ended;
    for (int32_t lane = 0; ended >> lane; lane++) {
      if (!(ended >> lane & 1)) continue;
      keep(w, s->chain.n, lane);
      answer->iterations += step;
    }
  }
  return !stop;
}

/* All starts, or of the best what is left of them; as many at once as there are lanes. False: the call was stopped. */
static bool run_all(hik_run *run, work *w, const hik_prepared *s, const double *target, int32_t number,
                    int32_t steps, const double *from, hik_answer *answer) {
  int32_t n = s->chain.n, at_once = answer->trace ? 1 : w->kernels->lanes;
  for (int32_t next = 0; next < number;) {
    double t[HIK_SERIAL_JOINTS];
    int32_t count = 0;
    for (int32_t lane = 0; lane < w->kernels->lanes; lane++) { /* spare lanes repeat the last */
      if (lane < at_once && next < number) {
        if (from)
          memcpy(t, from + next * n, (size_t)n * sizeof *t);
        else
          start(w, run, s, next, t), answer->remedies = next;
        w->number[lane] = next++, count++;
      }
      load(w, n, lane, t, steps);
    }
    if (!descend(run, w, s, target, count, answer)) return false;
  }
  return true;
}

void hik_stretch_one(hik_run *run, const hik_prepared *s, hik_stretch *w, const double *target,
                     hik_answer *answer) {
  const hik_kernels *kernels = hik_kernels_in_use();
  int32_t n = s->chain.n, most = run->options->max_iter;
  /* a cap on iterations leaves fewer starts, or fewer steps */
  int32_t starts = most >= HIK_STRETCH_STARTS * HIK_STRETCH_FIRST + HIK_STRETCH_BEST * HIK_STRETCH_LAST
                       ? HIK_STRETCH_STARTS
                       : 1,
          first = most < HIK_STRETCH_FIRST ? most : HIK_STRETCH_FIRST;
  int32_t last = starts > 1 || most - first > HIK_STRETCH_LAST ? HIK_STRETCH_LAST : most - first;
  memcpy(w->q, answer->q, (size_t)run->problem->model->nq * sizeof *w->q);
  take_target(w, s, run->problem, target);
  answer->iterations = 0;
  answer->claim = HIK_UNREACHABLE;
  answer->method = HIK_BY_SECOND_ORDER;
  for (int32_t k = 0; k < HIK_STRETCH_BEST; k++) w->value[k] = INFINITY;
  hik_serial_from_q(s, w->q, w->best);
  use(w, n, &kernels->wide);
  if (run_all(run, w, s, target, starts, first, NULL, answer)) {
    double from[HIK_STRETCH_BEST * HIK_SERIAL_JOINTS];
    int32_t found = 0;
    while (found < HIK_STRETCH_BEST && w->value[found] < INFINITY) w->value[found++] = INFINITY;
    memcpy(from, w->best, (size_t)found * (size_t)n * sizeof *from);
    use(w, n, kernels->pair);
    run_all(run, w, s, target, found, last, from, answer);
  }
  put(w, s, w->best, run, answer);
}
