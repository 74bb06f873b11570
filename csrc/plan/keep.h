/* keep.h: terms that hold along the way: postures moved onto them, edges looked at, ways and shortcuts on them.
   hik_keep_create hik_keep_free hik_keep_spent hik_keep_step hik_keep_project hik_keep_holds hik_keep_way hik_keep_shorten */
#pragma once
#include "plan/edges.h"

/* The problem is borrowed, target [hik_problem_target_width] copied. NULL: no memory. */
hik_keep *hik_keep_create(const hik_problem *problem, const hik_model *model, const double *target);
void hik_keep_free(hik_keep *keep);

/* Work since it was asked last, in groups of postures: what projections and looks cost counts towards a budget too. */
int64_t hik_keep_spent(hik_keep *keep);

/* The norm of v of a step that the terms allow straight; it falls where they bend. */
double hik_keep_step(const hik_keep *keep);

/* Moves q to where all terms hold; false where it does not come there. */
bool hik_keep_project(hik_keep *keep, double *q);

/* Whether they hold all along the edge from q0 along v, as far as kept.h knows; the step is adapted. */
bool hik_keep_holds(hik_keep *keep, const double *q0, const double *v);

/* Adds vertices of a way from a to b on the terms, a left out, proved free and looked at; 1, 0: there is none straight ahead,
   -1: no memory. */
int hik_keep_way(hik_edges *edges, const double *a, const double *b, hik_route *route);

/* Joins random vertices of a route by such ways where that is shorter; the same ends. False: no memory. */
bool hik_keep_shorten(hik_edges *edges, hik_route *route, uint64_t seed, int32_t tries);
