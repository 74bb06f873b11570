/* kernels_base.c: two doubles a register: what every x86-64 and 64-bit ARM has, and portable C elsewhere. */
#include <math.h>
#define HIK_WIDTH 2
#define HIK_KERNELS hik_kernels_base
#define HIK_CHAIN hik_chain_base
#if defined(__aarch64__)
#include <arm_neon.h>
#define HIK_NAME "neon" /* compiled, never run by us */
#define HIK_SQRT(x) ((lane)vsqrtq_f64((float64x2_t)(x)))
#else
#define HIK_NAME "base"
#if defined(__SSE2__)
#include <emmintrin.h>
#define HIK_SQRT(x) ((lane)_mm_sqrt_pd((__m128d)(x)))
#else
#define HIK_SQRT(x) ((lane){sqrt((x)[0]), sqrt((x)[1])})
#endif
#endif
#include "simd/kernels.inc.c"
