/* grid_brick.h: the distances of the nodes of one brick, many at a time.
   hik_brick_distances */
#pragma once
#include "scene/grid.h"
#include "scene/grid_tree.h"

/* Squared distances of nodes of a brick to the nearest facet. low: the first node of the grid; first: the number of
   the brick's node 0 from there, along x y z; wanted [HIK_GRID_BRICK]: which
   nodes; square [HIK_GRID_BRICK] gets those, the others stay. *near: a facet looked at first, as in hik_tree_nearest. What
   hik_tree_nearest would say of each, in less time. */
void hik_brick_distances(const hik_tree *tree, const double low[3], const int64_t first[3], double cell,
                         const bool wanted[HIK_GRID_BRICK], double square[HIK_GRID_BRICK], int32_t *near);
