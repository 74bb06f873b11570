/* connect.h: a polygon of proved edges from a start to one of several goals, and shorter ones.
   hik_grown_end hik_connect hik_shorten hik_tighten hik_route_length hik_blends */
#pragma once
#include "base/rng.h"
#include "plan/edges.h"
#include "plan/within.h"

/* What two trees had grown to: the nodes of the start's, then those of the goals', and the node each hangs on, -1 a root. */
typedef struct hik_grown {
  hik_route nodes;
  int32_t *parent, of_start;
} hik_grown;

void hik_grown_end(hik_grown *grown);

typedef enum hik_search { HIK_FOUND, HIK_NOT_IN_BUDGET, HIK_SEARCH_MEMORY } hik_search;

/* From start to one of goals [n][nq], which are free, inside the limits and on what is kept. Where nothing is found in the
   budget, the route leads to the node of the start's tree that is nearest to a goal. grown NULL: the trees are not kept; else it
   is empty before, and to be ended after. bound: what a way that is of use is shorter than, infinite: any; nodes that no such way
   leads over are not made. */
hik_search hik_connect(hik_edges *edges, const double *start, const double *goals, int32_t n, uint64_t seed,
                       double bound, hik_route *route, hik_grown *grown);

/* Leaves out vertices, then joins random points by straight edges, `tries` times; never longer. */
bool hik_shorten(hik_edges *edges, hik_route *route, uint64_t seed, int32_t tries);

/* Pulls vertices towards the chord of their neighbours until a sweep gains less than 0.5 %, then halves long edges and goes
   again, `rounds` times; never longer. */
bool hik_tighten(hik_edges *edges, hik_route *route, int32_t rounds);

double hik_route_length(hik_edges *edges, const hik_route *route);

/* Rounds the corners of a route (plan/smooth.h) so that all of it is proved free: half [count] begins as what is wished for,
   and ends at most that, 0 where the corner stays; vertex [count][nq]: the route's, some of them moved if they may be.
   at [count]: times of the vertices, growing. False: no memory. */
bool hik_blends(hik_edges *edges, const hik_figure *figure, const hik_route *route, const double *at,
                bool moves, double *half, double *vertex);
