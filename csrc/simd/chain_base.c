/* chain_base.c: two doubles a register. */
#include "base/trig.h"
#include "simd/chain.h"
#include "simd/kernels.h"
#if defined(__SSE2__)
#include "simd/sse2_lanes.h"
#else
#define LANES          2
#define LANE_SQRT(x)   lane_sqrt(&(x))
#define LANE_MAX(x, y) lane_choose((x) > (y), x, y)
#define LANE_MIN(x, y) lane_choose((x) < (y), x, y)
#define THIN_SQRT(x)                                                                                         \
  do                                                                                                         \
    for (int lane_ = 0; lane_ < THIN; lane_++) (x)[lane_] = sqrtf((x)[lane_]);                               \
  while (0)
#define LANE_BITS(m) ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1))
#define THIN_BITS(m)                                                                                         \
  ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1 | ((m)[2] != 0) << 2 | ((m)[3] != 0) << 3))
#endif
#define KERNELS hik_chain_base
#include "simd/chain.inc.c"
