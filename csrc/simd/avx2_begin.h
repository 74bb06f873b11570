/* avx2_begin.h: what follows is compiled for AVX2, up to simd/target_end.h. For a file's inside, not its head: no guard.
   What it includes comes first, because that is for any processor. */
#include <immintrin.h>

#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
