/* target_end.h: ends what simd/avx2_begin.h or simd/avx512_begin.h began. */
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
