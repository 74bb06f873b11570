/* table.inc.c: every lane kernel of one instruction set, and the table of them. Each body stands alone; their order is
   that of the alphabet.

   The including file sets the target, LANES and either
     HIK_PAIR_KERNELS   the name of a table of two lanes: what a single problem uses, or
     HIK_SET            the end of the names of the set's tables: hik_kernels_SET, hik_pair_SET (in `base`, which has two lanes
                        itself, there is none); with HIK_NAME, what users call it, and HIK_REGISTERS that FABRIK works on side
                        by side. */
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

#include "scene/grid_near.inc.c"
#include "scene/group.inc.c"

#define FABRIK_IN(of_doubles, of_floats) of_doubles
#include "simd/fabrik.inc.c"
#undef FABRIK_IN
#define FABRIK_IN(of_doubles, of_floats) of_floats
#include "simd/fabrik.inc.c"

#define FABRIK_KERNEL(name, real, iterate, registers, follows)                                               \
  static void name(int32_t n, const real *length, real tolerance, real share, real *points, real *rows) {    \
    iterate(registers, follows, n, length, tolerance, share, points, rows);                                  \
  }
FABRIK_KERNEL(links, double, fabrik_iterate, HIK_REGISTERS, false)
FABRIK_KERNEL(single_links, float, single_iterate, HIK_REGISTERS, false)
FABRIK_KERNEL(follow, double, fabrik_iterate, HIK_REGISTERS, true)

#define HIK_JOIN(a, b)     a##b
#define HIK_TABLE(of, set) HIK_JOIN(of, set)
#if LANES > 2
#define HIK_PAIR HIK_TABLE(hik_pair_, HIK_SET)
#else
FABRIK_KERNEL(few_links, double, fabrik_iterate, 1, false)
FABRIK_KERNEL(few_single_links, float, single_iterate, 1, false)
FABRIK_KERNEL(follow_few, double, fabrik_iterate, 1, true)
const hik_fabrik_kernels hik_fabrik_few = {LANES, THIN, few_links, few_single_links, follow_few};
static const hik_lane_kernels pair = LANE_KERNELS;
#define HIK_PAIR pair
#endif

const hik_kernels HIK_TABLE(hik_kernels_, HIK_SET) = {
    .name = HIK_NAME,
    .wide = LANE_KERNELS,
    .pair = &HIK_PAIR,
#if LANES > 2
    .nearest_one = hik_nearest_one,
#endif
    .ccd = ccd_sweep,
    .fabrik = {HIK_REGISTERS * LANES, HIK_REGISTERS *THIN, links, single_links, follow},
    .frame = frame_pose,
    .frames = frame_poses,
    .jacobian = jacobian,
    .pose_residuals = pose_residuals,
    .pose_columns = pose_columns,
    .inverse_dynamics = dynamics_inverse,
    .mass_matrix = dynamics_mass,
    .forward_dynamics = dynamics_forward,
    .mass_state = dynamics_state,
    .scene = &(const hik_scene_kernels)SCENE_KERNELS};
#endif
