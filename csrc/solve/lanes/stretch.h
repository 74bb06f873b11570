/* stretch.h: the answer to a target that the lengths of a serial chain put out of reach. */
#ifndef HIK_STRETCH_H
#define HIK_STRETCH_H
#include "solve/drive/solver.h"
#include "solve/lanes/serial.h"

/* For a pose or a position, the prepared problem and hik_stretch_scratch bytes of memory aligned to 64; answer->q holds
   the start. Leaves the nearest pose found, its iterations and remedies, and the claim HIK_CLOSEST. */
size_t hik_stretch_scratch(const hik_problem *p);
void hik_stretch_one(hik_run *run, const hik_prepared *s, void *scratch, const double *target,
                     hik_answer *answer);
#endif
