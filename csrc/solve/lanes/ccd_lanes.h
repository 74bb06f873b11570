/* ccd_lanes.h: CCD for one goal on a chain of turns and slides, several targets at a time. */
#pragma once
#include "solve/drive/solver.h"
#include "solve/points/wish.h"

/* The options of CCD. */
enum { HIK_CCD_NUDGES, HIK_CCD_POSITION, HIK_CCD_ORIENTATION, HIK_CCD_STARTS, HIK_CCD_EXTRAPOLATE };

typedef struct hik_ccd_job hik_ccd_job;

/* One goal about one frame above which there are 1 to HIK_CHAIN_STEPS turns and slides, no two with one coordinate. */
bool hik_ccd_lanes_fit(const hik_problem *problem);
/* Counts, or with memory lays out; NULL while counting. */
hik_ccd_job *hik_ccd_lanes_lay_out(const hik_problem *problem, hik_block *block);
/* Once a call, with the options and the weights of the goal as the sweep has them. */
void hik_ccd_lanes_begin(hik_ccd_job *job, const hik_problem *problem, const double *param, double position,
                         double orientation);
/* The bytes of one problem at a time; see hik_solver_class.block. */
void hik_ccd_lanes_block(hik_ccd_job *job, hik_run *run, const hik_claims *rows);
