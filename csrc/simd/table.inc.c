/* table.inc.c: every lane kernel of one instruction set, and the table of them. Each body stands alone; their order is
   that of the alphabet.

   The including file sets the target, LANES and either
     HIK_PAIR_KERNELS   the name of a table of two lanes: what a single problem uses, or
     HIK_KERNELS        the name of the whole table, with HIK_NAME (of the set), HIK_SCENE (its distances), HIK_REGISTERS (that FABRIK works on side
                        by side), HIK_PAIR (the set's kernels of two lanes; not set: these have two lanes themselves) and,
                        in one of the sets, HIK_FEW_KERNELS (a name for FABRIK in one register). */
#include "simd/kernels.h"

#include "simd/descent.inc.c"
#include "simd/postures.inc.c"
#include "simd/stretch.inc.c"
#include "simd/tree.inc.c"

#define LANE_KERNELS                                                                                         \
  {LANES, descent_step, map_scan, map_nearest, stretch_step, tree_step, all_postures, nearest_postures}

#ifdef HIK_PAIR_KERNELS
const hik_lane_kernels HIK_PAIR_KERNELS = LANE_KERNELS;
#else

#include "simd/ccd.inc.c"
#include "simd/dynamics.inc.c"
#include "simd/frames.inc.c"
#include "simd/residuals.inc.c"

#define FABRIK_IN(of_doubles, of_floats) of_doubles
#include "simd/fabrik.inc.c"
#undef FABRIK_IN
#define FABRIK_IN(of_doubles, of_floats) of_floats
#include "simd/fabrik.inc.c"

static void follow(int32_t n, const double *length, double tolerance, double share, double *points,
                   double *rows) {
  fabrik_iterate(HIK_REGISTERS, true, n, length, tolerance, share, points, rows);
}

#ifdef HIK_FEW_KERNELS
static void follow_few(int32_t n, const double *length, double tolerance, double share, double *points,
                       double *rows) {
  fabrik_iterate(1, true, n, length, tolerance, share, points, rows);
}

const hik_fabrik_kernels HIK_FEW_KERNELS = {LANES, THIN, fabrik_few, single_few, follow_few};
#endif

#ifndef HIK_PAIR
static const hik_lane_kernels pair = LANE_KERNELS;
#define HIK_PAIR pair
#endif

const hik_kernels HIK_KERNELS = {
    .name = HIK_NAME,
    .wide = LANE_KERNELS,
    .pair = &HIK_PAIR,
#ifdef HIK_NEAREST_ONE
    .nearest_one = HIK_NEAREST_ONE,
#endif
    .ccd = ccd_sweep,
    .fabrik = {HIK_REGISTERS * LANES, HIK_REGISTERS *THIN, fabrik_free, single_free, follow},
    .frame = frame_pose,
    .frames = frame_poses,
    .jacobian = jacobian,
    .pose_residuals = pose_residuals,
    .inverse_dynamics = dynamics_inverse,
    .mass_matrix = dynamics_mass,
    .forward_dynamics = dynamics_forward,
    .mass_state = dynamics_state,
    .scene = &HIK_SCENE};
#endif
