/* kept.h: how far terms are off at most, anywhere on an edge.
   hik_kept_create hik_kept_free hik_kept_known hik_kept_along */
#ifndef HIK_KEPT_H
#define HIK_KEPT_H
#include "term/term.h"

typedef struct hik_kept hik_kept;

/* The problem and its model are borrowed. NULL: no memory. */
hik_kept *hik_kept_create(const hik_problem *problem, const hik_model *model);
void hik_kept_free(hik_kept *kept);

/* Whether what is said holds between the places too: of terms about one frame where no slide without an end and no joint that
   follows a ball stands above it. Of other terms only the places are looked at. */
bool hik_kept_known(const hik_kept *kept);

/* The most of the terms' errors on the edge from q0 along v, as a share of their tolerances, from the ends of `pieces` pieces;
   what is more than `enough` is not looked for further. */
double hik_kept_along(hik_kept *kept, const double *target, const double *q0, const double *v, int32_t pieces,
                      double enough);
#endif
