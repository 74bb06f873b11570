/* target.h: HIK_TARGET (names) .. HIK_TARGET_END: what stands between them is compiled for more than any x86-64. What is
   for any processor must have been included before: so this includes it. */
#pragma once
#include "base/trig.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>
#define HIK_PRAGMA(x) _Pragma(#x)
#ifdef __clang__
#define HIK_TARGET(names)                                                                                    \
  HIK_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define HIK_TARGET_END HIK_PRAGMA(clang attribute pop)
#else
#define HIK_TARGET(names)                                                                                    \
  HIK_PRAGMA(GCC push_options)                                                                               \
  HIK_PRAGMA(GCC target(names))
#define HIK_TARGET_END HIK_PRAGMA(GCC pop_options)
#endif
#endif
