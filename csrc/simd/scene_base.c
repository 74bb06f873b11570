/* scene_base.c: what scenes need in lanes, two doubles a register: distances of figures, points against triangles. */
#include "simd/target.h"
#define LANES     2
#define NEAR_NAME hik_near_base
#include "scene/grid_near.inc.c"
#include "scene/group.inc.c"
const hik_scene_kernels hik_scene_base = SCENE_KERNELS;

hik_near_fn *hik_near_points(void) {
#ifdef HIK_HAVE_X86
  if (hik_kernels_in_use() != &hik_kernels_base) return hik_near_avx2;
#endif
  return hik_near_base;
}
