/* scene_avx512.c: distances of figures, eight doubles a register. */
#include "scene/inside.h"
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx512f,avx512dq,avx512vl")
#define LANES 8
#include "scene/group.inc.c"
const hik_scene_kernels hik_scene_avx512 = SCENE_KERNELS;
HIK_TARGET_END
#endif
