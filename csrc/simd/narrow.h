/* narrow.h: registers of 16 bytes: what every x86-64 and 64-bit ARM has, and portable C elsewhere. */
#ifndef HIK_NARROW_H
#define HIK_NARROW_H
#define HIK_BYTES 16
#define HIK_CHAIN hik_chain_base
#if defined(__aarch64__)
#define HIK_NAME "neon" /* compiled, never run by us */
#else
#define HIK_NAME "base"
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#define ANY_BELOW(x, least)        _mm_movemask_pd((__m128d)((x) < (least)))
#define ANY_BELOW_SINGLE(x, least) _mm_movemask_ps((__m128)((x) < (least)))
#else
#define ANY_BELOW(x, least) (((x)[0] < (least)) | ((x)[1] < (least)))
#define ANY_BELOW_SINGLE(x, least)                                                                           \
  (((x)[0] < (least)) | ((x)[1] < (least)) | ((x)[2] < (least)) | ((x)[3] < (least)))
#endif
#endif
