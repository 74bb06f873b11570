/* stretch.h: the answer to a target that the lengths of a serial chain put out of reach. */
#pragma once
#include "solve/drive/solver.h"
#include "solve/lanes/serial.h"

typedef struct hik_stretch hik_stretch;

/* Counts, or with memory lays out; NULL while counting. */
hik_stretch *hik_stretch_lay_out(const hik_problem *p, hik_block *block);
/* For a pose or a position and the prepared problem; answer->q holds the start. Leaves the nearest pose found, its iterations
   and remedies, and the claim HIK_UNREACHABLE. */
void hik_stretch_one(hik_run *run, const hik_prepared *s, hik_stretch *w, const double *target,
                     hik_answer *answer);
