/* grid_flood.h: what can be reached from outside, on the nodes of a grid of two levels.
   hik_flood_take hik_flood_run hik_flood_node */
#pragma once
#include "base/memory.h"
#include "scene/grid.h"

typedef struct hik_flood {
  uint8_t *reached; /* [bricks][125] */
  uint8_t *open;  /* [cells]: 1 where a cell without a brick is reached, as a whole; 2: waits in the queue */
  int32_t *queue; /* [cells] */
  int64_t head, length, turns; /* of the queue; cells taken from it so far */
  const hik_grid *grid;
  const int32_t *cell_of; /* [bricks]: the cell of each */
} hik_flood;

/* Lays out zeros for a grid whose counts and bricks are known. */
void hik_flood_take(hik_block *block, const hik_grid *grid, hik_flood *flood);

/* Goes on from where it stands for at most `turns` cells; the first call begins at cell 0, which has no brick. False when
   nothing is left to do. Distances in grid->fine are not negative yet. */
bool hik_flood_run(hik_flood *flood, int64_t turns);

/* Whether the coarse node x y z is reached. */
bool hik_flood_node(const hik_flood *flood, const int32_t at[3]);
