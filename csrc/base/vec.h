/* vec.h: 3-vectors, inline.
   hik_dot hik_norm hik_cross hik_sub3 hik_add3 hik_axpy3 hik_copy3 hik_scale3 hik_unit hik_perpendicular */
#pragma once
#include "base/base.h"

HIK_INLINE double hik_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

HIK_INLINE double hik_norm(const double a[3]) { return sqrt(hik_dot(a, a)); }

/* Length without overflow or underflow of the squares. */
HIK_INLINE double hik_norm_safe(const double a[3]) {
  double square = hik_dot(a, a);
  if (HIK_LIKELY(square > 1e-280 && square < 1e280)) return sqrt(square);
  double m = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
  if (square != square) return square; /* NaN, which fmax passes over */
  if (m > 1.7e308 || m == 0) return m;
  double s[3] = {a[0] / m, a[1] / m, a[2] / m};
  return m * hik_norm(s);
}

HIK_INLINE void hik_cross(const double a[3], const double b[3], double out[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  out[0] = x, out[1] = y, out[2] = z;
}

HIK_INLINE void hik_sub3(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

HIK_INLINE void hik_add3(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] + b[i];
}

/* out = a + s b */
HIK_INLINE void hik_axpy3(const double a[3], double s, const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = a[i] + s * b[i];
}

HIK_INLINE void hik_scale3(double s, const double a[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = s * a[i];
}

/* Two numbers and one: a pair that is loaded after three single stores would wait until they have left the processor. out
   may be a. */
HIK_INLINE void hik_copy3(const double a[3], double out[3]) {
  double pair[2], last = a[2];
  memcpy(pair, a, sizeof pair);
  memcpy(out, pair, sizeof pair);
  out[2] = last;
}

/* a / |a| into out and |a| back; when it is 0 or not finite, out is untouched and 0 comes back. A length beyond the
   largest double comes back as that one. */
HIK_INLINE double hik_unit(const double a[3], double out[3]) {
  double n = hik_norm_safe(a);
  if (n > 1.7e308 && hik_all_finite(a, 3)) {
    double b[3] = {a[0] / 4, a[1] / 4, a[2] / 4}, quarter = hik_norm_safe(b);
    for (int i = 0; i < 3; i++) out[i] = b[i] / quarter;
    return 1.7976931348623157e308;
  }
  if (!(n > 0) || n > 1.7e308) return 0;
  if (HIK_UNLIKELY(n < 1e-290)) { /* numbers of few digits: their quotients would be no unit vector */
    double b[3] = {a[0] * 0x1p600, a[1] * 0x1p600, a[2] * 0x1p600}, larger = hik_norm_safe(b);
    for (int i = 0; i < 3; i++) out[i] = b[i] / larger;
    return n;
  }
  for (int i = 0; i < 3; i++) out[i] = a[i] / n;
  return n;
}

/* A unit vector at right angles to the unit vector a, the same for the same a on every machine. */
HIK_INLINE void hik_perpendicular(const double a[3], double out[3]) {
  double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  double e[3] = {x <= y && x <= z, y < x && y <= z, z < x && z < y}, c[3];
  hik_cross(a, e, c);
  double n = hik_norm(c);
  for (int i = 0; i < 3; i++) out[i] = c[i] / n;
}
