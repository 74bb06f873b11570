/* fabrik.c: FABRIK as published, and with what it takes to get out of its dead ends, on any tree of joints.

   Purpose    turns, slides and balls inside their limits; goals that say where points, axes or frames should be (wish.h);
              joints that follow others (shared.h)
   Given      the start inside the limits
   Returned   q inside its limits, always
   Outcomes   converged, unreachable (a target proved out of reach), stalled, max_iter
   Notes      1 The passes are those of fabrik_tree.c; chains of free balls with one position go to fabrik_free.c.
              2 `fabrik` has the weights of the published method: no extrapolation, no chain aim, free turns. It
                dead-ends far more often on limited joints. `fabrik_fast` has all three.
              3 When the best error stands still the best pose is nudged, the same way every time (nudge.c), and then given
                up for another start; `remedies` counts both (solve/drive/pace.h).
              4 A pose that meets the goals is a fixed point of the passes whatever their weights are; one where point and
                orientation hold each other back is so for one weight only. So `fabrik_fast` weighs orientations
                otherwise after each remedy (`pose_spread`).
   Reference  A. Aristidou, J. Lasenby: FABRIK. Graphical Models 73 (2011), 243-260. A. Aristidou, Y.
              Chrysanthou, J. Lasenby: Extending FABRIK with model constraints. Comput. Animat. Virtual
              Worlds 27 (2016), 35-57. */
#include "solve/drive/pace.h"
#include "solve/points/balls.h"
#include "solve/points/fabrik_tree.h"

enum { NUDGES, STARTS, WEIGHTS, POSE_SPREAD = 10 };

HIK_COUNT_BYTES(static size_t tree_scratch(const hik_problem *p), hik_fabrik_lay_out(p, &block))

static size_t scratch_for(const hik_readied *ready) {
  return hik_balls_fit(ready->problem) ? hik_fabrik_free_scratch(ready) : tree_scratch(ready->problem);
}

static hik_status accepts(const hik_problem *p, const hik_options *o, const char *name, hik_error *error) {
  hik_status status = hik_wishes_accept(p, o, name, error);
  return status ? status : hik_fabrik_free_accepts(p, o, name, error);
}

static void begin(hik_run *run) {
  hik_block block = {run->scratch, 0, false};
  if (hik_balls_fit(run->problem))
    hik_fabrik_free_begin(run, false);
  else
    hik_fabrik_prepare(hik_fabrik_lay_out(run->problem, &block), run->problem, run->options->param + WEIGHTS);
}

/* The weight of orientations against points after so many remedies: 1, s, s^2, 1/s and so on. */
static double pose_factor(const hik_options *o, int32_t remedies) {
  double spread = o->param[POSE_SPREAD];
  const double factor[4] = {1, spread, spread * spread, 1 / spread};
  return factor[remedies % 4];
}

static bool iterate(hik_pace *pace) {
  hik_fabrik *tree = pace->work;
  if (pace->fresh) hik_fabrik_weigh_poses(tree, pose_factor(pace->run->options, pace->answer->remedies));
  hik_fabrik_iterate(tree, pace->fresh);
  if (HIK_UNLIKELY(pace->answer->path != NULL || pace->mix != NULL)) hik_fabrik_write(tree);
  return true;
}

static void keep(hik_pace *pace) { hik_fabrik_keep(pace->work); }
static void recall(hik_pace *pace) { hik_fabrik_recall(pace->work); }

static void one(hik_run *run, const double *target, hik_answer *answer) {
  /* poses that are combined are all in q */
  static const hik_method method = {.iterate = iterate, .keep = keep, .recall = recall},
                          mixed = {.iterate = iterate};
  bool mixes = hik_mix_of(run);
  const double *param = run->options->param;
  if (hik_balls_fit(run->problem)) {
    hik_fabrik_free_one(run, target, answer);
    return;
  }
  hik_fabrik *tree = run->scratch;
  hik_fabrik_begin(tree, target, run->world, answer->q);
  if (mixes) tree->beyond = false;
  hik_pace pace = hik_pace_of(mixes ? &mixed : &method, tree, run, target, answer, tree->best_q);
  pace.patience = HIK_PATIENCE;
  pace.nudges = (int32_t)param[NUDGES], pace.starts = (int32_t)param[STARTS];
  hik_pace_run(&pace);
  if (answer->claim == HIK_CONVERGED && answer->iterations > 0 && !mixes) hik_fabrik_write(tree);
}

static bool block(hik_run *run, const hik_claims *rows) {
  return hik_balls_fit(run->problem) && hik_fabrik_free_block(run, rows);
}

/* Their options, each with its range, by what is preset. */
#define FABRIK_REST(nudges, extrapolate, chain_aim, feasible_turn, frame, back, shared, pose_spread)         \
  .option = {HIK_NUDGES(nudges),                                                                             \
             HIK_STARTS(50),                                                                                 \
             {"extrapolate", extrapolate, 0, 1, true},                                                       \
             {"chain_aim", chain_aim, 0, 1e6},                                                               \
             {"feasible_turn", feasible_turn, 0, 1, true},                                                   \
             {"frame_weight", frame, 0, 1e6},                                                                \
             {"back_weight", back, 0, 1e6},                                                                  \
             {"pose_weight", 3, 0, 1e6},                                                                     \
             {"shared_weight", shared, 0, 1e6},                                                              \
             {"single", 0, 0, 1, true},                                                                      \
             {"pose_spread", pose_spread, 1, 1e3}},                                                          \
  .accepts = accepts, .compares_lengths = true, .max_iter = 300, .ftol = 1e-4, .scratch_for = scratch_for,   \
  .begin = begin, .one = one, .block = block

const hik_solver_class hik_solver_fabrik = {
    .name = "fabrik",
    .summary =
        "forward and backward reaching as published; free chains on points, real joints with frames inside "
        "their limits",
    .reference = "Aristidou and Lasenby 2011; Aristidou, Chrysanthou and Lasenby 2016",
    FABRIK_REST(2, 0, 0, 0, 1, 0.1, 0.1, 1)};

const hik_solver_class hik_solver_fabrik_fast = {
    .name = "fabrik_fast",
    .own = true,
    .summary =
        "the same with extrapolated aims, aimed chains and turns that the joints can make: fewer dead ends",
    .reference = "Aristidou, Chrysanthou and Lasenby 2016, with three additions",
    FABRIK_REST(1, 1, 10, 1, 0.3, 0.5, 16, 4)};
