/* edges.h: what proves edges for planners, what it has cost, and when it is to end.
   hik_edges_room hik_edges_free hik_edges_proved hik_edges_march hik_edges_clear hik_edges_ended
   hik_edges_nearest */
#pragma once
#include "base/parallel.h"
#include "plan/nodes.h"
#include "scene/scene.h"

/* A search of several threads ends where its clock or its caller says so. */
typedef struct hik_halt {
  double end;     /* of hik_clock; infinite: none */
  hik_deal *deal; /* whose tick is asked, and whose stop ends all; NULL: none */
  bool main;      /* on the thread that may tick */
} hik_halt;

typedef struct hik_keep hik_keep;

/* What proves edges, and what it has cost. */
typedef struct hik_edges {
  const hik_model *model;
  hik_check *check;
  double tol;             /* metres: see hik_check_edge */
  double reach;           /* of a node's edge, in the norm of v */
  int64_t groups, budget; /* done; at most that many before a search gives up */
  double *room;           /* hik_edges_room doubles */
  /* postures in contact that were met last, for the report: [HIK_WITNESSES][nq], and how many were met */
  double *witness;
  int64_t witnesses;
  const hik_halt *halt; /* NULL: the budget alone */
  int64_t look;         /* groups at which the clock is looked at next */
  bool ended;           /* by the halt */
  hik_keep *keep;       /* what must hold along the way (plan/keep.h); NULL: nothing */
} hik_edges;
enum { HIK_WITNESSES = 64 };

HIK_INLINE size_t hik_edges_room(const hik_model *m) { return 4 * ((size_t)m->nv + (size_t)m->nq); }

/* Whether two trees have met. */
typedef enum hik_met { HIK_MET_NOT, HIK_MET, HIK_MET_MEMORY } hik_met;

/* Whether the budget is spent or the halt says stop. */
bool hik_edges_ended(hik_edges *edges);

/* Whether the edge q0 to q1 is proved free, and inside the limits of balls (plan/cones.h). */
bool hik_edges_free(hik_edges *edges, const double *q0, const double *q1);
/* The same of the edge from q0 along v. */
bool hik_edges_proved(hik_edges *edges, const double *q0, const double *v);
/* The share of the edge from q0 along v up to which that holds; where it is `least` or more nothing is refined at a contact. */
double hik_edges_march(hik_edges *edges, const double *q0, const double *v, double tol, double least);

/* A bit for each of the postures q [count][nq], count 1 to 16, that touches nothing. */
uint32_t hik_edges_clear(hik_edges *edges, const double *q, int32_t count);

/* Node of a tree nearest to q; the scan of many counts as groups too. */
HIK_INLINE int32_t hik_edges_nearest(hik_edges *e, const hik_nodes *t, const double *q) {
  double square;
  e->groups += (int64_t)t->count * e->model->nq / 16384;
  return hik_nodes_nearest(e->model, t, q, &square);
}

HIK_INLINE double hik_edges_norm(const double *v, int32_t n) {
  double sum = 0;
  for (int32_t k = 0; k < n; k++) sum += v[k] * v[k];
  return sqrt(sum);
}
