/* connect.h: a polygon of proved edges from a start to one of several goals (RRT-Connect), and shorter ones.
   hik_edges_free hik_route_add hik_route_end hik_grown_end hik_connect hik_shorten hik_tighten hik_route_length hik_blends */
#ifndef HIK_CONNECT_H
#define HIK_CONNECT_H
#include "base/rng.h"
#include "scene/scene.h"

/* Vertices [count][nq]. */
typedef struct hik_route {
  double *q;
  int32_t count, room;
} hik_route;

/* What two trees had grown to: the nodes of the start's, then those of the goals', and the node each hangs on, -1 a root. */
typedef struct hik_grown {
  hik_route nodes;
  int32_t *parent, of_start;
} hik_grown;

/* What proves edges, and what it has cost. */
typedef struct hik_edges {
  const hik_model *model;
  hik_check *check;
  double tol;             /* metres: see hik_check_edge */
  double reach;           /* of a node's edge, in the norm of v */
  int64_t groups, budget; /* done; at most that many before a search gives up */
  double *room;           /* 4 * nv + 4 * nq doubles */
  /* postures in contact that were met last, for the report: [HIK_WITNESSES][nq], and how many were met */
  double *witness;
  int64_t witnesses;
  hik_grown *grown; /* NULL: the trees of a search are not kept */
} hik_edges;
enum { HIK_WITNESSES = 64 };

void hik_route_end(hik_route *route);
void hik_grown_end(hik_grown *grown);
/* Adds a vertex; false where there is no memory. */
bool hik_route_add(hik_route *route, const double *q, int32_t nq);

typedef enum hik_search { HIK_FOUND, HIK_NOT_IN_BUDGET, HIK_SEARCH_MEMORY } hik_search;

/* Whether the edge q0 to q1 is proved free, and inside the limits: those of balls in cones at points at most 0.02 rad apart. */
bool hik_edges_free(hik_edges *edges, const double *q0, const double *q1);

/* From start to one of goals [n][nq], which are free and inside the limits. Where nothing is found in the budget, the route
   leads to the node of the start's tree that is nearest to a goal. edges->grown is empty before, and to be ended after. */
hik_search hik_connect(hik_edges *edges, const double *start, const double *goals, int32_t n, uint64_t seed,
                       hik_route *route);

/* Leaves out vertices, then joins random points by straight edges, `tries` times; never longer. */
bool hik_shorten(hik_edges *edges, hik_route *route, uint64_t seed, int32_t tries);

/* Pulls vertices towards the chord of their neighbours until a sweep gains less than 0.1 %, then halves long edges and goes
   again, `rounds` times; never longer. */
bool hik_tighten(hik_edges *edges, hik_route *route, int32_t rounds);

double hik_route_length(hik_edges *edges, const hik_route *route);

/* For each inner vertex the greatest distance from it, at most largest, 0.6 of it, 0.36 .. at which its corner may be cut by
   the curve of docs/paths.md, proved free; 0 where none is. radius [count - 2]; false: no memory. */
bool hik_blends(hik_edges *edges, const hik_figure *figure, const hik_route *route, double *radius);
#endif
