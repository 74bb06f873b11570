/* tree.h: damped least squares for several goals on a tree of turns, slides and balls, a problem a lane. */
#pragma once
#include "model/model.h"
#include "simd/descent.h"

typedef enum hik_tree_kind {
  HIK_TREE_LINE, /* one coordinate */
  HIK_TREE_BALL, /* a quaternion without limits */
  HIK_TREE_CONE, /* swing (u, v) inside a cone of half-axes by quadrant, and a twist between two bounds */
  HIK_TREE_REACH /* the same inside a polygon, or with bounds of the twist that go with the swing: model/chart.h */
} hik_tree_kind;

/* What has columns: a coordinate (whoever shares it), or a ball. Its numbers stand in the rows of the state from `slot` on:
   the coordinate, the quaternion, or (u, v, twist). */
typedef struct hik_tree_joint {
  hik_tree_kind kind;
  int32_t slot, column;
  int32_t step, mover;       /* of a ball: its place in the list, its first mover */
  double lower, upper, unit; /* of a coordinate: limits, and its move for a step of 1 */
  const hik_swing *cone;
  int32_t room; /* of a ball with limits: its number among those */
} hik_tree_joint;

/* A ball whose swing steps follow. */
typedef struct hik_tree_lead {
  int32_t room,
      slot; /* its number among the balls with limits (-1: it is none), and where its quaternion stands then */
  const double *bone;
} hik_tree_lead;

/* An axis about or along which a column moves what lies beyond a step. */
typedef struct hik_tree_mover {
  int32_t step, axis; /* in the list; 0 to 2, of turns and slides 2 */
  int32_t column;
  double scale; /* of the column, in the step's own coordinate */
  bool slide;
  int32_t
      part; /* of a step that follows a swing: which column of the ball it is, 0 to 2 one after another; else -1 */
} hik_tree_mover;

/* Rows of the residual: three of a goal, or one by itself. */
typedef enum hik_tree_rows {
  HIK_TREE_POINT,
  HIK_TREE_ROTATION,
  HIK_TREE_AXIS,
  HIK_TREE_SIGHT,   /* an axis, from a point of the frame, through a point of the world */
  HIK_TREE_ANGLE,   /* one row: between an axis and a direction of the world */
  HIK_TREE_DISTANCE /* one row: between points of two steps */
} hik_tree_rows;

typedef struct hik_tree_block {
  hik_tree_rows kind;
  int32_t goal;
  double scale,
      near; /* scale of the rows; the square of the unscaled residual within which the goal may be met */
  int32_t first_entry, last_entry;
} hik_tree_block;

/* One row, which shares a block with two others: an angle or a distance is to be from `least` to `most`. It has two ends, and
   the entries of the first come before those of the other. Steps above both ends move nothing between them: no entries. */
typedef struct hik_tree_row {
  hik_tree_rows kind;
  int32_t step[2];  /* that carry the ends, in the list; -1: the world */
  double end[2][3]; /* points in the frames of the steps; of an angle the axis and the direction, unit */
  double aside[3];  /* unit: the way in which what is between grows where the ends do not tell */
  double least, most, scale, near;
  int32_t row; /* of the residual */
  int32_t first_entry, first_other, last_entry;
} hik_tree_row;

/* A mover's part in a block: it makes the cell, or adds to what is there. */
typedef struct hik_tree_entry {
  int32_t mover, cell;
  bool adds;
} hik_tree_entry;

typedef struct hik_tree_goal {
  int32_t step;                      /* in the list */
  double place[12], axis[3], eye[3]; /* axis: unit */
} hik_tree_goal;

/* The rows of J J' of two blocks: over the columns that move both. */
typedef struct hik_tree_pair {
  int32_t a, b, first, last; /* blocks, b <= a; products */
} hik_tree_pair;
typedef struct hik_tree_product {
  int32_t a, b, column; /* cells */
} hik_tree_product;

typedef struct hik_tree {
  const hik_model *model;
  /* blocks of three rows of J, of which the first `whole` are in the list `block`, and the others gather what is in `row` */
  int32_t count, slots, columns, blocks, whole, rows, goals, joints, movers, cells, pairs, leads,
      rooms; /* rooms: balls with limits */
  /* steps, parents first: of each its number, its parent's place in the list (-1: the world), its slot, its joint if that is
     a ball with limits (-1: it is not), the ball whose swing it follows (-1: it follows none) */
  int32_t *step, *parent, *slot, *cone, *follow;
  hik_tree_lead *lead;
  hik_tree_joint *joint;
  hik_tree_mover *mover;
  hik_tree_goal *goal;
  hik_tree_block *block;
  hik_tree_row *row;
  hik_tree_entry *entry;
  hik_tree_pair *pair;
  hik_tree_product *product;
  int32_t *cell_block; /* [cells], the cells of a column one after another */
  int32_t *first_cell; /* [columns + 1] */
} hik_tree;

/* Bits of lanes: those at whose `now` every goal may be met, and those that are given up there. */
typedef struct hik_tree_end {
  uint32_t near, given_up;
} hik_tree_end;

/* One step of every lane. The state's rows: [slots] (what has no column stands in both `now` and `next`), targets
   [goals][12] rotation row-major (its first three: the direction for an axis), position or the point looked at. */
typedef hik_tree_end hik_tree_kernel(const hik_tree *tree, const hik_descent_state *s);

enum {
  HIK_TREE_BETWEEN = 10, /* numbers of a row: the ends in the world, the way, and how much too wide */
  HIK_TREE_ROOM = 25,    /* of a ball with limits: see room_work in tree_cone.h */
  HIK_TREE_LED = 12      /* of a ball that others follow: its rotation, and where its bone points */
};

/* Arrays of `lanes` numbers that a step works in. */
HIK_INLINE size_t hik_tree_work(const hik_tree *t) {
  size_t m = 3 * (size_t)t->blocks, n = (size_t)t->columns;
  return 12 * ((size_t)t->count + (size_t)t->goals) + HIK_TREE_ROOM * (size_t)t->rooms +
         HIK_TREE_LED * (size_t)t->leads + 3 * (size_t)t->movers + 3 * (size_t)t->cells + m * (m + 1) +
         2 * m + 5 * n + HIK_TREE_BETWEEN * (size_t)t->rows;
}
