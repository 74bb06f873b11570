/* pass_tree.h: the boxes of poses that pass.c halves and pass_try.c threads motions through. */
#pragma once
#include "access/pass_way.h"

typedef struct hik_pose_box {
  int32_t low[3], high[3];
  int32_t *wall, walls; /* of a mixed one: those not parted from it */
  int32_t cut;          /* direction to halve */
  int32_t part[2];      /* direction to halve to know whether the leaf can be moved, -1: none is left */
  int32_t doubtful;     /* as part: to be halved now, -1: no */
} hik_pose_box;

typedef struct hik_pose_tree {
  const hik_pass *in;
  hik_outline outline;
  hik_walls walls;
  hik_pose_box *box;
  hik_node *node; /* as of `ways` */
  hik_ways ways;
  int32_t *way, *kept, *which; /* room for `most` boxes and all walls; for all walls; for a leaf */
  int32_t boxes;
  double unit[3];
  bool starved;
  hik_deal deal; /* whose tick is asked, and whose stop ends all */
} hik_pose_tree;

/* Whether to go on; asked before each piece of work that may be long. */
static inline bool hik_pass_goes_on(hik_pose_tree *tree) {
  hik_deal_look(&tree->deal);
  return !tree->starved && !atomic_load(&tree->deal.stop);
}
