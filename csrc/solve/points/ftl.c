/* ftl.c: "follow the leader": the end of the chain is dragged to the target, then the chain is carried back.

   Purpose    one position at the end of a chain of free balls
   Given      the start, a target
   Returned   q whose forward kinematics are the points that the drags found (balls.h)
   Outcomes   converged; stalled: the error has not fallen by the share `ftol` in HIK_FREE_PATIENCE iterations, after
              `perturbations` remedies; max_iter. Targets out of reach do not come here (solve/drive/straight.c)
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
              5 The drag stands in simd/fabrik.inc.c, and what is around it is that of FABRIK: fabrik_free.c.
              6 Twin: handik.study.twins.ftl_points.
   Reference  J. Brown, J.-C. Latombe, K. Montgomery: Real-time knot-tying simulation. The Visual Computer 20 (2004)
              165-179. For inverse kinematics listed in A. Aristidou, J. Lasenby: FABRIK. Graphical Models 73 (2011)
              243-260. */
#include "solve/points/balls.h"

static void begin(hik_run *run) { hik_fabrik_free_begin(run, true); }

const hik_solver_class hik_solver_ftl = {
    .name = "ftl",
    .summary =
        "follow the leader: drags a free chain by its end to the target and carries it back to its base",
    .reference = "Brown, Latombe and Montgomery 2004, as listed by Aristidou and Lasenby 2011",
    .max_iter = 300,
    .ftol = 1e-4,
    .option = {HIK_NUDGES(2)},
    .accepts = hik_balls_accept,
    .scratch_for = hik_fabrik_free_scratch,
    .begin = begin,
    .one = hik_fabrik_free_one,
    .block = hik_fabrik_free_block};
