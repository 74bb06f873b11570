/* scene_base.c: distances of figures, two doubles a register. */
#include "simd/kernels.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#define LANES 2
#include "scene/group.inc.c"
const hik_scene_kernels hik_scene_base = SCENE_KERNELS;
