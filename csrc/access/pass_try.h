/* pass_try.h: a motion threaded along a way of boxes that are not all free. */
#pragma once
#include "access/pass_tree.h"

/* Look for a motion from start to goal along the way with fewest boxes that are not free, and along others where that fails,
   so many `ways` at most; there is no door. True: found->pose has it, each straight piece proved clear of all walls. */
bool hik_pass_try(hik_pose_tree *tree, int32_t ways, hik_passed *found);
