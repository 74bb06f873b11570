/* grid_base.c: points against the triangles of a mesh, two doubles a register; and which set is in use. */
#include "simd/kernels.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#define LANES     2
#define NEAR_NAME hik_near_base
#include "scene/grid_near.inc.c"

hik_near_fn *hik_near_points(void) {
#ifdef HIK_HAVE_X86
  if (hik_kernels_in_use() != &hik_kernels_base) return hik_near_avx2;
#endif
  return hik_near_base;
}
