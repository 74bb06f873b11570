/* auto.c: the solver for those who do not want to choose: a closed form where there is one; else damped descents with
   the limits as an active set, from the start given and then from starts spread inside the limits, until one meets the
   goals.

   Purpose    any joint tree, any mix of goals
   Given      the start inside the limits; for each problem a target
   Returned   q inside its limits
   Outcomes   converged: the first pose that meets all goals, or of the first `n_candidates` such poses the one whose
              largest joint move from the start is smallest. unreachable: the target is proved out of reach, and q is the
              nearest pose of a few descents run to their end. stalled: none of `max_restarts` further starts led to the goals;
              q is the nearest pose found, run to its end. max_iter, diverged
   Notes      1 A descent: squares/damped.h. The start given is given up when |e|^2 has not fallen by a fifth in three
                iterations.
              2 remedies counts the further starts. They depend on the seed, the limits and their number alone.
              3 One pose on an arm of up to six turns with a spherical wrist or shoulder or three parallel axes: the nearest of
                all postures (solve/drive/closed.c), one iteration, whatever `n_candidates`. What is singular, has no
                posture inside the limits or asks for less than 1e-8 goes on as any other chain.
              4 One pose, position, orientation or axis on a serial chain of turns and slides is tried in lanes first
                (solve/lanes/lm_lanes.c): a pose from the start if the caller gave one, then from a map of starts; the others
                from the start, given or at rest, then from draws. Other positions, orientations, poses, axes, points
                looked at, levels and distances of a tree go through the lanes of solve/lanes/tree_lanes.c: the descents of note 1 by the same rule,
                a problem a lane. What is out of reach, more than one solution and other kinds of terms are
                left to the descents here.
              5 Goals among obstacles are solved without them first (solve/drive/free_starts.c): an attempt of what stands above
                from the start given, then from the free postures of the map nearest to the target; the first answer that
                keeps clear is taken. Where none does, descents with the rows of the obstacles begin at the same starts.
   Reference  Y. Nakamura, H. Hanafusa (1986), damping; T. Sugihara, Solvability-unconcerned inverse kinematics by the
              Levenberg-Marquardt method, IEEE Trans. Robotics 27 (2011) 984-991, damping by the error; P. Beeson,
              B. Ames, TRAC-IK (2015), restarts under limits. */
#include "solve/drive/auto.h"
#include "scene/scene.h"
#include "solve/drive/restarts.h"
#include "solve/drive/starts.h"
#include "solve/lanes/queue.h"
#include "solve/lanes/serial.h"
#include "solve/lanes/tree_plan.h"

enum { STARTS, SOLUTIONS };
enum { TOGETHER = 8 /* descents among obstacles side by side: a glance at the world is for all of them */ };

/* A goal among obstacles in hand. */
typedef struct tried {
  int64_t index; /* in the batch */
  const double *target;
  hik_answer answer; /* counts are those of all attempts */
  hik_free_query query;
} tried;

typedef struct work {
  hik_restarts *descents; /* [TOGETHER] among obstacles, else one */
  double *together;       /* [TOGETHER][nq] where these want residuals */
  hik_pose *world;        /* [TOGETHER - 1][n_step] of all but the first */
  double *given, *known;  /* [nq] the start and the lanes' answer, when more solutions are wanted */
  void *closed;           /* scratch of the closed form, NULL: not for this problem or these options */
  bool begun;             /* all but `closed` has been laid out, and the lanes begun */
  size_t lanes_at; /* where in the scratch that of the lanes begins; after it what only `generally` uses */
  bool ready;
  /* goals among obstacles: */
  void *plain;        /* scratch of the goals alone; NULL: there are no obstacles */
  hik_starts starts;  /* of the goals alone, which fewer coordinates move */
  hik_batch batch;    /* of one of these, or of those of a block that are open */
  double *try_q;      /* [block][nq] */
  double *try_target; /* [block][width] */
  tried *task;        /* [block] */
  int32_t *open;      /* [block] those of them without an answer */
  hik_claims rows;    /* [block] of them */
} work;

enum { FREE_BLOCK = 256 };

static size_t scratch_for(const hik_readied *ready);

static void lay_out_free(work *w, const hik_readied *r, hik_block *block) {
  const hik_problem *p = r->problem;
  w->plain = NULL;
  if (!r->free) return;
  size_t plain = scratch_for(&r->free->plain);
  if (plain == SIZE_MAX) block->bad = true;
  w->plain = HIK_TAKE(block, char, plain == SIZE_MAX ? 0 : plain);
  hik_starts_lay_out(&w->starts, r->free->plain.problem, block);
  w->try_q = hik_block_take(block, FREE_BLOCK, (size_t)p->model->nq * sizeof *w->try_q);
  w->try_target = hik_block_take(block, FREE_BLOCK, (size_t)p->width * sizeof *w->try_target);
  w->task = HIK_TAKE(block, tried, FREE_BLOCK);
  HIK_TAKE_INTS(block, FREE_BLOCK, &w->open, &w->rows.iterations, &w->rows.remedies);
  w->rows.claim = HIK_TAKE(block, int8_t, FREE_BLOCK), w->rows.method = HIK_TAKE(block, int8_t, FREE_BLOCK);
}

/* What stands before the lanes, which lay themselves out. */
static work *lay_out(const hik_readied *r, hik_block *block) {
  const hik_problem *p = r->problem;
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  into->closed = HIK_TAKE(block, char, r->serial && r->serial->closed ? hik_closed_scratch(r) : 0);
  into->given = HIK_TAKE(block, double, p->model->nq);
  into->known = HIK_TAKE(block, double, p->model->nq);
  lay_out_free(into, r, block);
  into->lanes_at = block->size;
  return w;
}

/* The lanes of a problem: those of a chain, those of a tree, or NULL. */
static const hik_lane_solver *lanes_of(const hik_readied *r) {
  return r->serial ? &hik_chain_lanes : r->tree ? &hik_tree_lanes : NULL;
}

/* Passes over them. */
static void pass_lanes(const hik_readied *r, hik_block *block) {
  HIK_TAKE(block, char, lanes_of(r) ? lanes_of(r)->scratch_for(r) : 0);
}

/* What `generally` needs besides. */
static void lay_out_rest(work *w, const hik_readied *ready, hik_block *block) {
  const hik_problem *p = ready->problem;
  int32_t n = ready->free ? TOGETHER : 1;
  hik_restarts spare;
  w->descents = HIK_TAKE(block, hik_restarts, n);
  w->world = HIK_TAKE(block, hik_pose, (int64_t)(n - 1) * p->model->n_step);
  w->together = HIK_TAKE(block, double, (int64_t)n * p->model->nq);
  for (int32_t i = 0; i < n; i++) hik_restarts_lay_out(w->descents ? w->descents + i : &spare, p, block);
}

static size_t scratch_for(const hik_readied *ready) {
  hik_block block = {NULL, 0, false};
  work spare;
  lay_out(ready, &block);
  pass_lanes(ready, &block);
  lay_out_rest(&spare, ready, &block);
  return block.bad ? SIZE_MAX : block.size;
}

static void begin(hik_run *run);

static hik_run lanes_run(const hik_run *run) {
  hik_run lanes = *run;
  lanes.scratch = (char *)run->scratch + ((const work *)run->scratch)->lanes_at;
  return lanes;
}

/* The goals without the obstacles, from one start that counts as given. */
static hik_run plain_run(const hik_run *run, work *w) {
  hik_run plain = *run;
  plain.scratch = w->plain;
  plain.starts = &w->starts;
  plain.ready = &run->ready->free->plain;
  plain.problem = plain.ready->problem, plain.options = plain.ready->options;
  w->batch = (hik_batch){.n = 1,
                         .target = w->try_target,
                         .q = w->try_q,
                         .q0 = w->try_q,
                         .target_stride = run->problem->width,
                         .q0_stride = run->problem->model->nq};
  plain.batch = &w->batch;
  return plain;
}

static void begin_lanes(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  work *w = lay_out(run->ready, &block);
  if (w->plain) {
    hik_run plain = plain_run(run, w);
    begin(&plain);
  }
  w->ready = false;
  w->begun = true;
  hik_run lanes = lanes_run(run);
  if (lanes_of(run->ready)) lanes_of(run->ready)->begin(&lanes);
}

/* Where a closed form may be all that is needed the lanes begin when they are. */
static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  work *w = HIK_TAKE(&block, work, 1);
  bool closed = hik_closed_takes(run->ready);
  if (!closed) begin_lanes(run);
  w->closed =
      closed ? HIK_TAKE(&block, char, 0) : NULL; /* where lay_out has it; its size is not asked each call */
  if (closed) w->begun = false;
}

/* The rest, once it is needed: what the lanes solve does not pay for it. */
static void begin_rest(hik_run *run) {
  work *w = run->scratch, spare;
  hik_block count = {NULL, 0, false}, block = {run->scratch, w->lanes_at, false};
  pass_lanes(run->ready, &block);
  lay_out_rest(&spare, run->ready, &count);
  memset(block.base + block.size, 0, count.size);
  lay_out_rest(w, run->ready, &block);
  size_t n_step = (size_t)run->problem->model->n_step;
  for (int32_t i = 0; i < (run->ready->free ? TOGETHER : 1); i++)
    hik_restarts_prepare(w->descents + i, run, i ? w->world + (size_t)(i - 1) * n_step : run->world);
  w->ready = true;
}

/* Descents from answer->q and then from start `first` on; `known` is a pose that lanes say meets the goals,
   NULL: none. */
static void generally(hik_run *run, int32_t first, const double *known, const double *target,
                      hik_answer *answer) {
  work *w = run->scratch;
  if (!w->ready) begin_rest(run);
  hik_restarts *r = w->descents;
  hik_restarts_begin(r, first, known, target, answer);
  while (hik_restarts_go_on(r)) hik_descent_residual(&r->search->d);
  if (!known || memcmp(answer->q, known, (size_t)run->problem->model->nq * sizeof *known) != 0)
    answer->method = HIK_BY_DESCENT;
}

/* ---- the lanes first ---- */

/* Attempts in lanes, 0: not for this problem. */
static int32_t lane_starts(const hik_run *run) {
  const hik_lane_solver *lanes = lanes_of(run->ready);
  double starts = run->options->param[STARTS] + 1;
  if (!lanes || (lanes == &hik_tree_lanes && run->options->param[SOLUTIONS] > 1)) return 0;
  return starts < lanes->most ? (int32_t)starts : lanes->most;
}

/* What the lanes could not solve goes on from the best they found, down to where nothing falls any more, and then from the
   starts that they did not make; what they did not try is done here. */
static void finish(hik_run *run, const double *target, hik_answer *answer) {
  const work *w = run->scratch;
  if (!w->begun) begin_lanes(run);
  if (run->ready->free && answer->claim == HIK_CONVERGED) /* of a plain goal nearly met */
    generally(run, 1, NULL, target, answer);
  if (lane_starts(run) == 0 || (answer->claim == HIK_UNREACHABLE && lanes_of(run->ready) != &hik_tree_lanes))
    return;
  generally(run, answer->claim == HIK_STALLED ? lane_starts(run) : 1, NULL, target, answer);
}

static void one_plain(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  bool more = run->options->param[SOLUTIONS] > 1;
  if (w->closed && hik_closed_one(run, w->closed, target, answer)) return;
  if (!w->begun) begin_lanes(run);
  int32_t starts = lane_starts(run);
  hik_run lanes = lanes_run(run);
  if (starts == 0) {
    generally(run, 1, NULL, target, answer);
    return;
  }
  if (more) hik_copy_q(run->problem->model, answer->q, w->given);
  lanes_of(run->ready)->one(&lanes, starts, target, answer);
  if (!more || answer->claim != HIK_CONVERGED || run->worker->stopped || run->worker->late) return;
  hik_copy_q(run->problem->model, answer->q, w->known);
  hik_copy_q(run->problem->model, w->given, answer->q);
  generally(run, 1, w->known, target, answer);
}

static bool block_plain(hik_run *run, const hik_claims *rows) {
  work *w = run->scratch;
  if (run->options->param[SOLUTIONS] > 1) return false;
  if (w->closed) hik_closed_block(run, w->closed, rows);
  if (w->closed && !memchr(rows->claim, HIK_NO_CLAIM, (size_t)(rows->last - rows->first))) return true;
  if (!w->begun) begin_lanes(run);
  int32_t starts = lane_starts(run);
  hik_run lanes = lanes_run(run);
  if (starts > 0) lanes_of(run->ready)->block(&lanes, starts, rows);
  return starts > 0;
}

/* ---- goals among obstacles ---- */

/* One attempt of the `n` goals in try_target from try_q; claims and counts are written. */
static void attempt_plain(hik_run *plain, work *w, int32_t n) {
  hik_claims *rows = &w->rows;
  w->batch.n = rows->last = n, rows->first = 0;
  memset(rows->claim, HIK_NO_CLAIM, (size_t)n);
  memset(rows->iterations, 0, (size_t)n * sizeof *rows->iterations);
  if (n > 1 && block_plain(plain, rows)) return;
  for (int32_t i = 0; i < n; i++) {
    hik_answer a = hik_answer_row(plain->problem, 0, &w->batch, i);
    one_plain(plain, w->try_target + i * w->batch.target_stride, &a);
    hik_report(rows, i, &a);
  }
}

/* Attempts without obstacles are made where one answer is wanted, in the first round. */
static bool frees(const hik_run *run) {
  return run->worker->attempt == 0 && !(run->options->param[SOLUTIONS] > 1);
}

/* Start `number` of a task: that given, or the next of the map. False: there is none, or its steps may not fit under the
   cap. */
static bool start_free(const hik_run *run, tried *t, int32_t number, double *q) {
  if (t->answer.iterations + HIK_POLISH + HIK_DAMPED_FIRST > run->options->max_iter ||
      number > run->options->param[STARTS])
    return false;
  if (number == 1) hik_free_ask(run->ready->free, t->target, &t->query);
  if (number > 0) return number < HIK_FREE_ATTEMPTS && hik_free_take(run->ready->free, &t->query, q);
  hik_copy_q(run->problem->model, t->answer.q, q);
  return true;
}

/* Counts attempt `number` of a task, which was made in place i; its end is the answer if it keeps clear. */
static void settle_free(hik_run *run, const work *w, int32_t i, int32_t number, bool clear, tried *t) {
  int32_t nq = run->problem->model->nq;
  const double *q = w->try_q + (size_t)i * (size_t)nq;
  hik_answer *a = &t->answer;
  if (number == 0) hik_note_judged(run, t->target, a, 0, a->q);
  for (int32_t k = 0; k < w->rows.iterations[i]; k++) hik_note_judged(run, t->target, a, ++a->iterations, q);
  a->remedies = number;
  if (!clear) return;
  hik_copy_q(run->problem->model, q, a->q);
  a->claim = HIK_CONVERGED;
  a->method = (hik_method_used)w->rows.method[i];
}

/* Descents with the rows of the obstacles for those of the first `n` tasks that are open, some side by side. */
static void descend_together(hik_run *run, work *w, int32_t n) {
  size_t nq = (size_t)run->problem->model->nq;
  hik_restarts *at[TOGETHER];
  int32_t count = 0, next = 0;
  if (!w->ready) begin_rest(run);
  for (int32_t i = 0; i < TOGETHER; i++) at[i] = w->descents + i;
  for (;;) {
    while (count < TOGETHER && next < n && !run->worker->stopped && !run->worker->late) {
      tried *t = w->task + next++;
      if (t->answer.claim == HIK_CONVERGED) continue;
      hik_restarts_begin(at[count], 1, NULL, t->target, &t->answer);
      t->answer.method = HIK_BY_DESCENT;
      count += hik_restarts_go_on(at[count]);
    }
    if (count == 0) return;
    for (int32_t i = 0; i < count; i++)
      memcpy(w->together + (size_t)i * nq, at[i]->search->d.q, nq * sizeof *w->together);
    hik_free_look(run->problem, w->together, count);
    for (int32_t i = count; i-- > 0;) {
      hik_restarts *r = at[i];
      hik_descent_residual(&r->search->d);
      if (hik_restarts_go_on(r)) continue;
      at[i] = at[--count], at[count] = r;
    }
  }
}

/* Attempt by attempt for all of the first `n` tasks that are open, and what is left one by one. */
static void solve_free(hik_run *run, work *w, int32_t n) {
  hik_run plain = plain_run(run, w);
  size_t nq = (size_t)run->problem->model->nq, width = (size_t)run->problem->width;
  int32_t open = 0;
  for (int32_t k = 0; k < n; k++)
    if (!hik_out_of_reach(plain.problem, w->task[k].target)) w->open[open++] = k;
  for (int32_t number = 0; !run->worker->stopped && !run->worker->late; number++) {
    int32_t kept = 0;
    uint32_t bits = 0;
    for (int32_t j = 0; j < open; j++) {
      tried *t = w->task + w->open[j];
      if (!start_free(run, t, number, w->try_q + (size_t)kept * nq)) continue;
      memcpy(w->try_target + (size_t)kept * width, t->target, width * sizeof *t->target);
      w->open[kept++] = w->open[j];
    }
    if (kept == 0) break;
    attempt_plain(&plain, w, kept);
    open = 0;
    for (int32_t j = 0; j < kept; j++) {
      tried *t = w->task + w->open[j];
      int32_t at = j % HIK_GROUP, some = kept - j < HIK_GROUP ? kept - j : HIK_GROUP;
      if (at == 0) bits = hik_free_clear(run->problem, w->try_q + (size_t)j * nq, some);
      settle_free(run, w, j, number, w->rows.claim[j] == HIK_CONVERGED && (bits >> at & 1), t);
      if (t->answer.claim != HIK_CONVERGED) w->open[open++] = w->open[j];
    }
  }
  descend_together(run, w, n);
}

static void block_free(hik_run *run, const hik_claims *rows) {
  work *w = run->scratch;
  const hik_batch *b = run->batch;
  for (int64_t i = rows->first; i < rows->last;) {
    int32_t n = 0;
    for (; i < rows->last && n < FREE_BLOCK; i++) {
      hik_answer a = hik_answer_row(run->problem, (int64_t)run->options->max_iter + 1, b, i);
      if (hik_target_usable(run->problem, b->target + i * b->target_stride))
        w->task[n++] = (tried){.index = i, .target = b->target + i * b->target_stride, .answer = a};
    }
    solve_free(run, w, n);
    for (const tried *t = w->task; t < w->task + n; t++) hik_report(rows, t->index, &t->answer);
  }
}

/* ---- the solver ---- */

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  if (!run->ready->free) {
    one_plain(run, target, answer);
  } else if (!frees(run)) {
    generally(run, 1, NULL, target, answer);
  } else {
    w->task[0] = (tried){.target = target, .answer = *answer};
    solve_free(run, w, 1);
    *answer = w->task[0].answer;
  }
}

static bool block(hik_run *run, const hik_claims *rows) {
  if (!run->ready->free) return block_plain(run, rows);
  if (!frees(run)) return false;
  block_free(run, rows);
  return true;
}

static bool ready(hik_readied *r) {
  if (r->serial || hik_serial_fits(r->problem)) return hik_serial_ready(r);
  return r->tree || hik_tree_fits(r->problem) ? hik_tree_ready(r) : true;
}

const hik_solver_class hik_solver_auto = {
    .name = "auto",
    .own = true,
    .summary =
        "a closed form, or damped descents with limits, from the start given and then from spread starts",
    .reference = "Pieper 1968; Nakamura and Hanafusa 1986; Sugihara 2011",
    .max_iter = 3000,
    .ftol = 0,
    .option = {HIK_STARTS(200), {"n_candidates", 1, 1, 1e9, true}},
    .ready = ready,
    .scratch_for = scratch_for,
    .frees = true,
    .raw_scratch = true,
    .begin = begin,
    .one = one,
    .finish = finish,
    .block = block,
    .block_least = 2};
