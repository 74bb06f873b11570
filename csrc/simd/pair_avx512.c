/* pair_avx512.c: two starts at a time with the instructions of AVX-512. */
#include "simd/chain.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "simd/avx512_begin.h"
#define HIK_PAIR hik_pair_avx512
#include "simd/pair.inc.c"
#include "simd/target_end.h"
#endif
