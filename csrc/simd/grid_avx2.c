/* grid_avx2.c: points against the triangles of a mesh, four doubles a register. */
#include "scene/grid_near.h"
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx2")
#define LANES     4
#define NEAR_NAME hik_near_avx2
#include "scene/grid_near.inc.c"
HIK_TARGET_END
#endif
