/* pair_avx2.c: two starts at a time with the instructions of AVX2. */
#include "simd/chain.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "simd/avx2_begin.h"
#define HIK_PAIR hik_pair_avx2
#include "simd/pair.inc.c"
#include "simd/target_end.h"
#endif
