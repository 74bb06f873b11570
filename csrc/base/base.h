/* base.h: the few things every file needs: attributes, checked sizes. */
#pragma once
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "handik/handik.h"

#if defined(__GNUC__)
#define HIK_RESTRICT                    __restrict__
#define HIK_UNUSED                      __attribute__((unused))
#define HIK_INLINE                      static inline __attribute__((always_inline, unused))
#define HIK_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#define HIK_LIKELY(x)                   __builtin_expect(!!(x), 1)
#define HIK_UNLIKELY(x)                 __builtin_expect(!!(x), 0)
#else
#define HIK_RESTRICT
#define HIK_UNUSED
#define HIK_INLINE static inline
#define HIK_PRINTF(format_at, first_at)
#define HIK_LIKELY(x)   (x)
#define HIK_UNLIKELY(x) (x)
#endif

#define HIK_PI              3.14159265358979323846
#define HIK_COUNT_OF(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

/* a * b, or false when it does not fit in size_t. */
HIK_INLINE bool hik_mul(size_t a, size_t b, size_t *out) {
#ifdef __GNUC__
  return !__builtin_mul_overflow(a, b, out);
#else
  if (b != 0 && a > SIZE_MAX / b) return false;
  *out = a * b;
  return true;
#endif
}

HIK_INLINE bool hik_add(size_t a, size_t b, size_t *out) {
  if (a > SIZE_MAX - b) return false;
  *out = a + b;
  return true;
}

HIK_INLINE double hik_clip(double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

/* The larger; NaN where one is NaN, which fmax passes over. */
HIK_INLINE double hik_most(double a, double b) { return a < b || b != b ? b : a; }

HIK_INLINE bool hik_all_finite(const double *x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    if (!(fabs(x[i]) <= 1.7976931348623157e308)) return false;
  return true;
}
