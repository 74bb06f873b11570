/* pair.inc.c: the descent two starts at a time, for a single problem: half a register or less waits less for its
   divisions and square roots than a whole one. Same bytes. The including file defines HIK_PAIR (name of the table)
   and sets the target. */
#include "simd/sse2_lanes.h"

#include "simd/lanes.inc.c"

#include "simd/descent.inc.c"

#include "simd/stretch.inc.c"

const hik_descent_kernels HIK_PAIR = {LANES, descent_step, map_scan, map_nearest, stretch_step};
