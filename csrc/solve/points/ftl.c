/* ftl.c: "follow the leader": the end of the chain is dragged to the target, then the chain is carried back.

   Purpose    one position at the end of a chain of free balls
   Given      the start, a target
   Returned   q whose forward kinematics are the points that the drags found (balls.h)
   Outcomes   converged; stalled: the error has not fallen by the share `stall` in HIK_PATIENCE iterations, after `nudges`
              remedies; max_iter. Targets out of reach do not come here (solve/drive/straight.c)
   Notes      1 The drag is the published rule of a rope of which one node is held: the held node goes to where it is
                wanted and leads; each node after it goes to the point nearest to where it was at the length of their link
                from its leader.
              2 How the base is kept is our reading, for the rope has none, and what else applies the rule to inverse
                kinematics was not to be had: the drag goes through to the base, which leaves its place, and the whole
                chain is then carried back by what the base is off. So the directions of the bones are those of the drag,
                and an iteration is one pass. A second pass from the base outwards instead is FABRIK (fabrik_free.c).
              3 The error never rises: a follower moves by no more than its leader, the point nearest to its old place
                being the nearest of all at that length and its old one being at that length from the leader's old place.
                So the base is dragged off by no more than the end was, and what it was off is the error left.
              4 A straight chain with its target on its own line is a fixed line of the drag; the nudge is that of FABRIK.
              5 Twin: handik.reference.ftl_points.
   Reference  J. Brown, J.-C. Latombe, K. Montgomery: Real-time knot-tying simulation. The Visual Computer 20 (2004)
              165-179. For inverse kinematics listed in A. Aristidou, J. Lasenby: FABRIK. Graphical Models 73 (2011)
              243-260. */
#include "solve/points/balls.h"
#include "solve/points/nudge.h"

enum { NUDGES };

typedef struct work {
  hik_balls_job job;
  double *kept; /* [n + 1][3] points before a nudge */
  double best;  /* error of these, infinity: none */
} work;

static work *lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  hik_balls_job_lay_out(p, block, &into->job);
  into->kept = HIK_TAKE(block, double, 3 * ((size_t)hik_balls_count(p) + 1));
  return w;
}

HIK_SCRATCH_SIZE(lay_out)

static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  hik_balls_prepare(run->problem, &lay_out(run->problem, &block)->job.balls);
}

/* The end at the target, every joint after the one that leads it. */
static void drag(hik_balls_job *job) {
  const hik_balls *b = &job->balls;
  double along[3]; /* of the last bone that had a direction, from leader to follower */
  hik_scale3(-1, job->line, along);
  hik_copy3(job->aim, job->point + 3 * (size_t)b->n);
  for (int32_t i = b->n - 1; i >= 0; i--) {
    double *follower = job->point + 3 * (size_t)i, *leader = follower + 3, bone[3];
    hik_sub3(follower, leader, bone);
    hik_unit(bone, along);
    hik_axpy3(leader, b->length[i], along, follower);
  }
}

static void carry_back(hik_balls_job *job) {
  double off[3];
  hik_sub3(job->balls.root, job->point, off);
  hik_copy3(job->balls.root, job->point);
  for (int32_t i = 1; i <= job->balls.n; i++)
    hik_add3(job->point + 3 * (size_t)i, off, job->point + 3 * (size_t)i);
}

static void nudge(work *w, int32_t round) {
  hik_balls_job *job = &w->job;
  const hik_balls *b = &job->balls;
  double side[3], size = hik_balls_nudge(round);
  if (job->error < w->best) {
    memcpy(w->kept, job->point, 3 * ((size_t)b->n + 1) * sizeof *w->kept);
    w->best = job->error;
  }
  hik_perpendicular(job->line, side);
  for (int32_t i = 1; i < b->n; i++)
    hik_axpy3(job->point + 3 * (size_t)i, size * b->length[i], side, job->point + 3 * (size_t)i);
}

/* Iterations until one of them is the last. */
static hik_outcome iterate(hik_run *run, work *w, hik_answer *answer) {
  hik_balls_job *job = &w->job;
  const hik_options *o = run->options;
  double mark = job->error, nudges = o->param[NUDGES];
  for (int32_t quiet = 0;;) {
    drag(job);
    carry_back(job);
    hik_balls_note(run, job, answer);
    if (job->error <= job->tolerance) return HIK_CONVERGED;
    if (job->error < (1 - o->stall) * mark)
      mark = job->error, quiet = 0;
    else
      quiet++;
    if (quiet >= HIK_PATIENCE && !(answer->remedies < nudges)) return HIK_STALLED;
    if (answer->iterations >= o->max_iter) return HIK_MAX_ITER;
    if (!hik_poll(run->worker, job->balls.n)) return HIK_STALLED;
    if (quiet < HIK_PATIENCE) continue;
    nudge(w, answer->remedies++);
    mark = INFINITY, quiet = 0;
  }
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  hik_balls_job *job = &w->job;
  if (!hik_balls_begin(run, job, target, answer)) return;
  w->best = INFINITY;
  hik_outcome claim = iterate(run, w, answer);
  bool earlier = claim != HIK_CONVERGED && w->best < job->error;
  hik_balls_end(run, job, earlier ? w->kept : job->point, claim, answer);
}

const hik_solver_class hik_solver_ftl = {
    .name = "ftl",
    .summary =
        "follow the leader: drags a free chain by its end to the target and carries it back to its base",
    .reference = "Brown, Latombe and Montgomery 2004, as listed by Aristidou and Lasenby 2011",
    .max_iter = 300,
    .stall = 1e-4,
    .option = {HIK_NUDGES(2)},
    .accepts = hik_balls_accept,
    .scratch_size = scratch_size,
    .begin = begin,
    .one = one};
