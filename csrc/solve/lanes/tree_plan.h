/* tree_plan.h: a problem of several goals on a tree, prepared for the lanes (simd/tree.h). */
#pragma once
#include "simd/tree.h"
#include "solve/squares/descent.h"

enum { HIK_TREE_STEPS = 256, HIK_TREE_ROWS = 48 };

/* Where numbers of q stand in the rows of the lanes. */
typedef struct hik_tree_place {
  hik_tree_kind kind;
  int32_t slot, q;
  const hik_swing *cone;
  bool moves; /* it has a column */
} hik_tree_place;

typedef struct hik_tree_plan {
  hik_held held;
  hik_tree tree;
  hik_descent columns; /* prepared: its columns alone are used */
  hik_tree_place *place;
  int32_t places;
  int32_t *first_mover; /* [count + 1] of a step */
  int32_t *cell;        /* [columns][blocks] number of a cell, -1: there is none */
} hik_tree_plan;

/* Whether the lanes take the problem: positions, orientations, poses, axes, points looked at, angles to directions of the world
   and distances of points, HIK_TREE_ROWS rows at most and no more than there are coordinates, on HIK_TREE_STEPS steps at most. */
bool hik_tree_fits(const hik_problem *p);
/* For a plan: of a problem that fits, what the lanes need to know, unless it is there already. False: no memory. */
bool hik_tree_ready(hik_readied *ready);
/* q into a lane of rows of `width` numbers; what moves, from such a lane into q. */
void hik_tree_put(const hik_tree_plan *plan, const double *q, int32_t width, double *rows);
void hik_tree_get(const hik_tree_plan *plan, const double *rows, int32_t width, double *q);
/* The targets of all goals that have one, [goals][12]. */
void hik_tree_target(const hik_problem *p, const double *target, double *out);
