/* nodes.h: postures, each joined to an earlier one: what a search grows, in blocks of 16 for a scan for the nearest.
   hik_nodes_add hik_nodes_at hik_nodes_nearest hik_nodes_end hik_nodes_join hik_nodes_trace */
#pragma once
#include "model/model.h"

enum { HIK_NODES_BLOCK = 16 };

/* Vertices [count][nq]. */
typedef struct hik_route {
  double *q;
  int32_t count, room;
} hik_route;

typedef struct hik_nodes {
  double *q;       /* blocks of 16: [block][nq][16] */
  int32_t *parent; /* -1: a root */
  int32_t count, room;
} hik_nodes;

void hik_route_end(hik_route *route);
/* Adds a vertex; false where there is no memory. */
bool hik_route_add(hik_route *route, const double *q, int32_t nq);

/* A node more, numbered count - 1; false where there is no memory. */
bool hik_nodes_add(hik_nodes *t, int32_t nq, const double *q, int32_t parent);
void hik_nodes_at(const hik_nodes *t, int32_t nq, int32_t i, double *q);
/* Of one node or more. A ball counts by 8 (1 - |q.q'|), the square of its angle where that is small. */
int32_t hik_nodes_nearest(const hik_model *m, const hik_nodes *t, const double *q, double *square);
void hik_nodes_end(hik_nodes *t);

/* Adds the nodes from i to its root; `turned`: from the root to i. q [nq] is scratch. */
bool hik_nodes_trace(const hik_nodes *t, int32_t nq, int32_t i, bool turned, double *q, hik_route *route);
/* The way through node i of the first tree and node j of the second, which stand on one place. */
bool hik_nodes_join(const hik_nodes both[2], int32_t nq, int32_t i, int32_t j, double *q, hik_route *route);
