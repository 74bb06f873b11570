/* fabrik_tree.h: one iteration of FABRIK on a tree of real joints with any number of goals; fabrik.c and hybrid.c
   drive it. */
#pragma once
#include "solve/drive/solver.h"

/* Order of the weights in the parameters of a solver. */
enum {
  HIK_FABRIK_EXTRAPOLATE,
  HIK_FABRIK_CHAIN_AIM,
  HIK_FABRIK_FEASIBLE_TURN,
  HIK_FABRIK_FRAME,
  HIK_FABRIK_BACK_FRAME,
  HIK_FABRIK_POSE,
  HIK_FABRIK_SHARED,
  HIK_FABRIK_WEIGHTS
};

typedef struct hik_fabrik hik_fabrik;

/* Counts, or with memory lays out; NULL while counting. */
hik_fabrik *hik_fabrik_lay_out(const hik_problem *p, hik_block *block);
/* Cuts the tree into links; once a call. */
void hik_fabrik_prepare(hik_fabrik *f, const hik_problem *p, const double *weights);
/* A new target; world [n_step] is where the frames are. */
void hik_fabrik_begin(hik_fabrik *f, const double *target, hik_pose *world, double *q);
/* Weighs orientations by `factor` times HIK_FABRIK_POSE from now on, where no term is about two frames that both move;
   hik_fabrik_begin sets 1. */
void hik_fabrik_weigh_poses(hik_fabrik *f, double factor);
/* Aims at the targets themselves, not beyond them, until hik_fabrik_begin. */
void hik_fabrik_aim_plainly(hik_fabrik *f);
/* One iteration from q, for which the frames in world are right, to a new pose inside the limits and its frames; q gets
   its balls and slides, and its turns from hik_fabrik_write. `fresh`: q is not what the last iteration left. */
void hik_fabrik_iterate(hik_fabrik *f, bool fresh);
/* Writes the turns of the pose into q, where a whole turn more or less is free the nearest to those that
   hik_fabrik_begin was given. */
void hik_fabrik_write(hik_fabrik *f);
/* Remembers the turns of the pose; makes those remembered the pose's and writes them. */
void hik_fabrik_keep(hik_fabrik *f);
void hik_fabrik_recall(hik_fabrik *f);
