/* grid_tree.h: triangles in a tree of boxes, and the exact distance of a point to the nearest.
   hik_tree_size hik_tree_make hik_tree_nearest hik_tree_mark */
#pragma once
#include "base/base.h"
#include "base/memory.h"
#include "scene/grid_facet.h"

typedef struct hik_box_node {
  double low[3], high[3];
  int32_t right;       /* of a branch: its second child, the first follows it; of a leaf: -1 */
  int32_t first, last; /* of a leaf: its facets */
} hik_box_node;

/* A ball that holds a facet, its middle on the facet. */
typedef struct hik_facet_ball {
  double middle[3], radius;
} hik_facet_ball;

typedef struct hik_tree {
  int64_t facets, nodes;
  hik_facet *facet;          /* [facets], in the order of the leaves */
  hik_facet_ball *ball;      /* [facets] */
  int32_t *source;           /* [facets]: the number of its triangle */
  hik_box_node *node;        /* [nodes], a parent before its children */
  uint32_t *key, *spare_key; /* for the making alone */
  int32_t *spare;
  uint8_t *done; /* [nodes] whether all facets of a node are marked */
} hik_tree;

/* Lays the arrays out for at most that many facets. */
void hik_tree_take(hik_block *block, int64_t facets, hik_tree *tree);

/* Makes the tree of the triangles that `keep` [triangles] names (NULL: all), at least one. Vertices are finite and indices
   in range: the caller has looked. */
void hik_tree_make(hik_tree *tree, const double *vertex, const int32_t *triangle, int64_t triangles,
                   const uint8_t *keep);

/* Squared distance to one facet. */
double hik_facet_square(const hik_facet *facet, const double *x);

/* Squared distance of x to the nearest facet. *near: the facet looked at first, 0 if nothing is known, which changes the time
   and not the answer; it gets one that is as near. */
double hik_tree_nearest(const hik_tree *tree, const double *x, int32_t *near);

/* Sets marked[source] = 1 for each facet whose squared distance from x is at most `square`. What is below a node all of whose
   facets are marked is passed over from then on, so `marked` is the same from call to call of one tree. */
void hik_tree_mark(const hik_tree *tree, const double *x, double square, uint8_t *marked);
