/* lanes.h: several doubles side by side, and what lane kernels share: every body in this folder includes it itself.

   The file that is compiled (isa_<set>.c, pair_<set>.c) sets LANES (2, 4 or 8) and the target. Lanes never meet.
   Functions called like those of base/ and model/ repeat their operations in their order: the same bytes. */
#pragma once
#include "base/trig.h"
#include "model/model.h"

typedef double lane __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_mask __attribute__((vector_size(8 * LANES)));

enum { THIN = 2 * LANES };
typedef float thin __attribute__((vector_size(4 * THIN)));
typedef int32_t thin_mask __attribute__((vector_size(4 * THIN)));

/* A register at any address of doubles or floats. gcc turns a memcpy of 32 bytes into two halves, and a load of the whole
   soon after waits until both have left the processor. */
typedef double lane_anywhere __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef float thin_anywhere __attribute__((vector_size(4 * THIN), aligned(4), may_alias));
#define LANE_AT(p) (*(lane_anywhere *)(void *)(p))
#define LANE_OF(p) (*(const lane_anywhere *)(const void *)(p))
#define THIN_AT(p) (*(thin_anywhere *)(void *)(p))
#define THIN_OF(p) (*(const thin_anywhere *)(const void *)(p))
/* Rows of lanes, which are aligned. */
#define LANE_ROWS(p) ((lane *)(void *)(p))

/* What the compiler's vectors lack. LANE_BITS and THIN_BITS: of a mask, a bit a lane. LANE_MAX and LANE_MIN, THIN_MAX and
   THIN_MIN: the second where either is NaN. A bit a lane: LANE_BELOW, less than a number; LANE_LESS, x < y; THIN_UP_TO, x <= y.
   LANE_STREAM (to, x): stores past the caches, where a register is wide enough for that to pay (LANE_STREAMS); LANE_FENCE:
   after such. LANE_INTRINSIC: the name of an instruction for registers of this width. */
#if LANES == 8
#define LANE_INTRINSIC(name) _mm512_##name
typedef __m512d lane_pd;
typedef __m512 lane_ps;
#define LANE_BITS(m)         ((uint32_t)_mm512_movepi64_mask((__m512i)(m)))
#define THIN_BITS(m)         ((uint32_t)_mm512_movepi32_mask((__m512i)(m)))
#define LANE_BELOW(x, least) _mm512_cmp_pd_mask((__m512d)(x), _mm512_set1_pd(least), _CMP_LT_OQ)
#define THIN_BELOW(x, least) _mm512_cmp_ps_mask((__m512)(x), _mm512_set1_ps(least), _CMP_LT_OQ)
#define LANE_LESS(x, y)      _mm512_cmp_pd_mask((__m512d)(x), (__m512d)(y), _CMP_LT_OQ)
#define THIN_UP_TO(x, y)     _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_LE_OQ)
#else
#if LANES == 4
#define LANE_INTRINSIC(name) _mm256_##name
typedef __m256d lane_pd;
typedef __m256 lane_ps;
#elif defined(__SSE2__)
#define LANE_INTRINSIC(name) _mm_##name
typedef __m128d lane_pd;
typedef __m128 lane_ps;
#endif
#ifdef LANE_INTRINSIC
#define LANE_BITS(m) ((uint32_t)LANE_INTRINSIC(movemask_pd)((lane_pd)(m)))
#define THIN_BITS(m) ((uint32_t)LANE_INTRINSIC(movemask_ps)((lane_ps)(m)))
#else
#define LANE_BITS(m) ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1))
#define THIN_BITS(m)                                                                                         \
  ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1 | ((m)[2] != 0) << 2 | ((m)[3] != 0) << 3))
#endif
#define LANE_BELOW(x, least) LANE_BITS((x) < (least))
#define THIN_BELOW(x, least) THIN_BITS((x) < (least))
#define LANE_LESS(x, y)      LANE_BITS((x) < (y))
#define THIN_UP_TO(x, y)     THIN_BITS((x) <= (y))
#endif
#ifdef LANE_INTRINSIC
#define LANE_MAX(x, y) ((lane)LANE_INTRINSIC(max_pd)((lane_pd)(x), (lane_pd)(y)))
#define LANE_MIN(x, y) ((lane)LANE_INTRINSIC(min_pd)((lane_pd)(x), (lane_pd)(y)))
#define THIN_MAX(x, y) ((thin)LANE_INTRINSIC(max_ps)((lane_ps)(x), (lane_ps)(y)))
#define THIN_MIN(x, y) ((thin)LANE_INTRINSIC(min_ps)((lane_ps)(x), (lane_ps)(y)))
#else
#define LANE_MAX(x, y) lane_choose((x) > (y), x, y)
#define LANE_MIN(x, y) lane_choose((x) < (y), x, y)
#define THIN_MAX(x, y) thin_choose((x) > (y), x, y)
#define THIN_MIN(x, y) thin_choose((x) < (y), x, y)
#endif
/* The second where the mask is all zeros, the first where it is all ones; LANE_ODD: such a mask of the lowest bits. */
#if LANES == 4 || defined(HIK_PAIR_KERNELS)
#define LANE_CHOOSE(m, a, b) ((lane)LANE_INTRINSIC(blendv_pd)((lane_pd)(b), (lane_pd)(a), (lane_pd)(m)))
#define THIN_CHOOSE(m, a, b) ((thin)LANE_INTRINSIC(blendv_ps)((lane_ps)(b), (lane_ps)(a), (lane_ps)(m)))
#define LANE_ODD(m)          ((m) << 63) /* a blend asks the highest bit alone */
#else
#define LANE_CHOOSE(m, a, b) ((lane)(((m) & (lane_mask)(a)) | (~(m) & (lane_mask)(b))))
#define THIN_CHOOSE(m, a, b) ((thin)(((m) & (thin_mask)(a)) | (~(m) & (thin_mask)(b))))
#define LANE_ODD(m)          (-((m) & 1))
#endif
#define LANE_STREAMS (LANES > 2)
#if LANES > 2
#define LANE_STREAM(to, x) LANE_INTRINSIC(stream_pd)(to, (lane_pd)(x))
#define LANE_FENCE()       _mm_sfence()
#else
#define LANE_STREAM(to, x) (LANE_AT(to) = (x))
#define LANE_FENCE()       ((void)0)
#endif

HIK_INLINE lane lane_all(double x) { return x - (lane){0}; }

HIK_INLINE lane lane_choose(lane_mask mask, lane a, lane b) { return LANE_CHOOSE(mask, a, b); }

HIK_INLINE thin thin_choose(thin_mask mask, thin a, thin b) { return THIN_CHOOSE(mask, a, b); }

HIK_INLINE lane lane_abs(lane x) { return (lane)((lane_mask)x & INT64_MAX); }

/* The largest whole number not above x, for |x| < 2^51. */
HIK_INLINE lane lane_floor(lane x) {
  const double shift = 6755399441055744.0;
  lane t = (x + shift) - shift;
  return t - (lane)((t > x) & (lane_mask)lane_all(1));
}

/* NaN stays. */
HIK_INLINE lane lane_clip(lane x, double lower, double upper) {
  lane most = lane_all(upper), least = lane_all(lower), x_least = LANE_MAX(least, x);
  return LANE_MIN(most, x_least);
}

/* Sine and cosine, by the operations of hik_sincos in their order. */
HIK_INLINE void lane_sincos(const lane *angle, lane *sine, lane *cosine) {
  const double shift = 6755399441055744.0;
  lane x = *angle, t = x * 0.63661977236758134308 + shift, k = t - shift;
  lane_mask plain = lane_abs(x) < 1e9;
  bool all = LANE_BITS(plain) == (1u << LANES) - 1;
  if (HIK_UNLIKELY(!all)) {
    for (int i = 0; i < LANES; i++) {
      double s, c;
      hik_sincos(x[i], &s, &c);
      (*sine)[i] = s, (*cosine)[i] = c;
    }
    return;
  }
  lane r = x - k * 1.57079632673412561417e+00;
  r -= k * 6.07710050630396597660e-11;
  r -= k * 2.02226624879595063154e-21;
  lane z = r * r;
  lane s = HIK_SINE(r, z), c = HIK_COSINE(z);
  lane_mask bits = (lane_mask)t; /* the low bits of the shifted sum are those of the whole number k */
  lane_mask swap = LANE_ODD(bits), a = (lane_mask)lane_choose(swap, c, s),
            b = (lane_mask)lane_choose(swap, s, c);
  lane_mask minus_sine = (bits & 2) << 62, minus_cosine = ((bits + 1) & 2) << 62;
  *sine = (lane)(a ^ minus_sine), *cosine = (lane)(b ^ minus_cosine);
}

/* hik_atan2 of finite numbers */
HIK_INLINE lane lane_atan2(lane y, lane x) {
  lane ax = lane_abs(x), ay = lane_abs(y), t = ay / ax;
  lane_mask steep = t > 2.41421356237309504880, middle = (t > 0.66) & ~steep;
  lane base = lane_choose(steep, lane_all(1.57079632679489661923),
                          lane_choose(middle, lane_all(0.78539816339744830962), lane_all(0)));
  lane more = lane_choose(steep, lane_all(6.123233995736765886130e-17),
                          lane_choose(middle, lane_all(3.061616997868382943065e-17), lane_all(0)));
  lane u = lane_choose(steep, lane_all(-1), lane_choose(middle, t - 1, t)) /
           lane_choose(steep, t, lane_choose(middle, t + 1, lane_all(1)));
  lane z = u * u;
  lane a = base + (u * (z * HIK_ATAN_P(z) / HIK_ATAN_Q(z)) + u + more);
  a = lane_choose(ay == ax, lane_all(0.78539816339744830962), a);
  a = lane_choose((ax == 0) & (ay == 0), lane_all(0), a);
  a = lane_choose(x < 0, HIK_PI - a + 1.224646799147353177e-16, a);
  return lane_choose(y < 0, -a, a);
}

/* x = 2 / x, and 0 where x is no length (as hik_quat_to_mat) */
HIK_INLINE void lane_twice_inverse(lane *x) { *x = (lane)((lane_mask)(2 / *x) & ~(*x <= 1e-200)); }

#ifdef LANE_INTRINSIC
HIK_INLINE lane lane_root(lane x) { return (lane)LANE_INTRINSIC(sqrt_pd)((lane_pd)x); }
HIK_INLINE thin thin_root(thin x) { return (thin)LANE_INTRINSIC(sqrt_ps)((lane_ps)x); }
#else
HIK_INLINE lane lane_root(lane x) { return (lane){sqrt(x[0]), sqrt(x[1])}; }
HIK_INLINE thin thin_root(thin x) { return (thin){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])}; }
#endif

HIK_INLINE lane lane_dot(const lane *a, const lane *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* out = r x; out is neither */
HIK_INLINE void lane_rotate(const lane *r, const lane *x, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

/* out = r x for a constant x */
HIK_INLINE void lane_carry(const lane *r, const double *x, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

/* out = transpose(r) x; out is neither */
HIK_INLINE void lane_rotate_back(const lane *r, const lane *x, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
}

/* out = a b of matrices; out is neither */
HIK_INLINE void lane_times(const lane *a, const lane *b, lane *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

HIK_INLINE void lane_cross(const lane *a, const lane *b, lane *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = h x b for a constant h */
HIK_INLINE void lane_arm_cross(const double *h, const lane *b, lane *out) {
  const lane a[3] = {lane_all(h[0]), lane_all(h[1]), lane_all(h[2])};
  lane_cross(a, b, out);
}

/* out += a x b */
HIK_INLINE void lane_add_cross(const lane *a, const lane *b, lane *out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

#if defined(__clang__) || __GNUC__ >= 12
#define LANE_MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LANE_MIX(a, b, ...) __builtin_shuffle(a, b, (lane_mask){__VA_ARGS__})
#endif

/* Turns LANES columns of lanes into rows: after round k, blocks of 2^k x 2^k stand where they belong. */
HIK_INLINE void lane_transpose(const lane *in, lane *out) {
  lane t[LANES];
#if LANES == 8
  lane u[LANES];
  for (int i = 0; i < 8; i += 2) {
    t[i] = LANE_MIX(in[i], in[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[i + 1] = LANE_MIX(in[i], in[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = i; j < i + 2; j++) {
      u[j] = LANE_MIX(t[j], t[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      u[j + 2] = LANE_MIX(t[j], t[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int j = 0; j < 4; j++) {
    out[j] = LANE_MIX(u[j], u[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    out[j + 4] = LANE_MIX(u[j], u[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#elif LANES == 2
  t[0] = LANE_MIX(in[0], in[1], 0, 2), t[1] = LANE_MIX(in[0], in[1], 1, 3);
  out[0] = t[0], out[1] = t[1];
#else
  for (int i = 0; i < 4; i += 2) {
    t[i] = LANE_MIX(in[i], in[i + 1], 0, 4, 2, 6);
    t[i + 1] = LANE_MIX(in[i], in[i + 1], 1, 5, 3, 7);
  }
  for (int j = 0; j < 2; j++) {
    out[j] = LANE_MIX(t[j], t[j + 2], 0, 1, 4, 5);
    out[j + 2] = LANE_MIX(t[j], t[j + 2], 2, 3, 6, 7);
  }
#endif
}

/* lane_load by whole registers; false: not for this group, which is not full or whose last row ends too near the end. */
HIK_INLINE bool lane_load_whole(const double *x, size_t width, size_t stride, int64_t first, int64_t n,
                                lane *out) {
  const double *row = x + (size_t)first * stride;
  lane in[LANES], turned[LANES];
  if (n - first < LANES || (size_t)(n - first) * stride < (LANES - 1) * stride + LANES) return false;
  for (size_t j = 0; j < width; j += LANES) {
    if (width >= LANES && j + LANES > width) j = width - LANES; /* what overlaps is read twice */
    for (int i = 0; i < LANES; i++) in[i] = LANE_OF(row + (size_t)i * stride + j);
    lane_transpose(in, turned);
    for (size_t k = 0; k < LANES && j + k < width; k++) out[j + k] = turned[k];
  }
  return true;
}

/* The first columns of rows first .. of x [n][stride] into lanes out [width]; rows past n repeat the last. */
HIK_INLINE void lane_load_part(const double *x, size_t width, size_t stride, int64_t first, int64_t n,
                               lane *out) {
  if (lane_load_whole(x, width, stride, first, n, out)) return;
  double *at = (double *)out;
  for (int i = 0; i < LANES; i++) {
    const double *row = x + (size_t)(first + i < n ? first + i : n - 1) * stride;
    for (size_t j = 0; j < width; j++) at[j * LANES + (size_t)i] = row[j];
  }
}

/* Rows first .. of x [n][width] into lanes out [width]. x NULL: zeros. */
HIK_INLINE void lane_load(const double *x, int32_t width, int64_t first, int64_t n, lane *out) {
  if (x)
    lane_load_part(x, (size_t)width, (size_t)width, first, n, out);
  else
    for (int32_t j = 0; j < width; j++) out[j] = lane_all(0);
}

/* Lanes in [width] to the rows first .. of x, n rows that begin `stride` doubles apart. */
HIK_INLINE void lane_store_part(const lane *in, size_t width, size_t stride, int64_t first, int64_t n,
                                double *x) {
  const double *at = (const double *)in;
  double *row = x + (size_t)first * stride;
  size_t done = 0;
  int count = n - first < LANES ? (int)(n - first) : LANES;
  for (; count == LANES && width >= LANES && done < width; done += LANES) {
    lane out[LANES];
    if (done + LANES > width) done = width - LANES; /* what overlaps is written twice */
    lane_transpose(in + done, out);
    for (int i = 0; i < LANES; i++) LANE_AT(row + (size_t)i * stride + done) = out[i];
  }
  for (int i = 0; i < count; i++, row += stride)
    for (size_t j = done; j < width; j++) row[j] = at[j * LANES + (size_t)i];
}

/* Lanes in [width] to the rows first .. of x [n][width]; x NULL: nowhere. */
HIK_INLINE void lane_store(const lane *in, size_t width, int64_t first, int64_t n, double *x) {
  if (x) lane_store_part(in, width, width, first, n, x);
}

/* ---- steps of a model ---- */

/* The same numbers in every lane. */
HIK_INLINE void lane_spread(const double *x, int n, lane *out) {
  for (int i = 0; i < n; i++) out[i] = lane_all(x[i]);
}

/* Where a point of a frame is; out is not x */
HIK_INLINE void lane_point(const lane *pose, const lane *x, lane *out) {
  lane_rotate(pose, x, out);
  for (int i = 0; i < 3; i++) out[i] = pose[9 + i] + out[i];
}

/* out = a b of poses (12 numbers): hik_pose_mul; out is neither */
HIK_INLINE void times_pose(const lane *a, const lane *b, lane *out) {
  lane_times(a, b, out);
  lane_point(a, b + 9, out + 9);
}

HIK_INLINE void times_place(const lane *a, const double *b, lane *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  for (int i = 0; i < 3; i++)
    out[9 + i] = a[9 + i] + (a[3 * i] * b[9] + a[3 * i + 1] * b[10] + a[3 * i + 2] * b[11]);
}

/* Rotation of hik_quat_to_mat. */
HIK_INLINE void ball_rotation(const lane *q, lane *r) {
  lane w = q[0], x = q[1], y = q[2], z = q[3], two = w * w + x * x + y * y + z * z;
  lane_twice_inverse(&two);
  lane a = two * x, b = two * y, c = two * z;
  r[0] = 1 - (b * y + c * z), r[1] = b * x - w * c, r[2] = c * x + w * b;
  r[3] = b * x + w * c, r[4] = 1 - (a * x + c * z), r[5] = c * y - w * a;
  r[6] = c * x - w * b, r[7] = c * y + w * a, r[8] = 1 - (a * x + b * y);
}

/* Value of a row of `follow` where its bone points to d. */
HIK_INLINE lane follow_value_at(const double *row, const lane *d) {
  const double *c = row + 3;
  return HIK_FOLLOW_VALUE(c, d[0], d[1], d[2]);
}

/* hik_follow_value */
HIK_INLINE lane follow_value(const double *row, const lane *quat) {
  lane r[9], d[3];
  ball_rotation(quat, r);
  lane_carry(r, row, d);
  return follow_value_at(row, d);
}

/* hik_follow_rates, r being the rotation and d where the bone points. */
HIK_INLINE void follow_rates(const double *row, const lane *r, const lane *d, lane *rate) {
  const double *c = row + 3;
  lane own[3], up[3] = {HIK_FOLLOW_BY_X(c, d[0], d[1], d[2]), HIK_FOLLOW_BY_Y(c, d[0], d[1], d[2]),
                        HIK_FOLLOW_BY_Z(c, d[0], d[1], d[2])};
  lane_rotate_back(r, up, own);
  lane_arm_cross(row, own, rate);
}

/* Rotation and origin of a step that is placed in `at`, moved. own: of a turn or slide its own coordinate; quat: of a ball. */
HIK_INLINE void move_placed(int32_t kind, lane own, const lane *quat, const lane *at, lane *r, lane *p) {
  for (int i = 0; i < 3; i++) p[i] = at[9 + i];
  if (kind == HIK_TURN) {
    lane sine, cosine;
    lane_sincos(&own, &sine, &cosine);
    for (int i = 0; i < 3; i++) {
      lane x = at[3 * i], y = at[3 * i + 1];
      r[3 * i] = cosine * x + sine * y;
      r[3 * i + 1] = cosine * y - sine * x;
      r[3 * i + 2] = at[3 * i + 2];
    }
  } else if (kind == HIK_SLIDE) {
    for (int i = 0; i < 9; i++) r[i] = at[i];
    for (int i = 0; i < 3; i++) p[i] += own * at[3 * i + 2];
  } else {
    lane turn[9];
    ball_rotation(quat, turn);
    lane_times(at, turn, r);
  }
}

/* hik_step_move: pose [12] holds the moved frame above on entry, that of step s on return; own and quat as above. */
HIK_INLINE void move_step_to(const hik_model *m, int32_t s, lane own, const lane *quat, lane *pose) {
  const double *place = m->step_placement + 12 * (size_t)s;
  lane at[12];
  if (m->step_parent[s] < 0) {
    lane_spread(place, 12, at);
  } else if (m->step_plain[s]) {
    for (int i = 0; i < 9; i++) at[i] = pose[i];
    lane shift[3];
    lane_spread(place + 9, 3, shift);
    lane_point(pose, shift, at + 9);
  } else {
    times_place(pose, place, at);
  }
  move_placed(m->step_kind[s], own, quat, at, pose, pose + 9);
}

/* The same of a step that follows no swing; value: its coordinates in q. */
HIK_INLINE void move_step(const hik_model *m, int32_t s, const lane *value, lane *pose) {
  const double *line = m->step_line + 2 * (size_t)s;
  move_step_to(m, s, line[0] * value[0] + line[1], value, pose);
}

/* ---- least squares ---- */

/* e = wanted less present of what goes straight there; returns its square. */
HIK_INLINE lane straight_residual(const lane *present, const lane *target, lane *e) {
  for (int i = 0; i < 3; i++) e[i] = target[i] - present[i];
  return lane_dot(e, e);
}

/* e [3] of the rotation with columns x, y, z; returns its square. */
HIK_INLINE lane turn_residual(const lane *x, const lane *y, const lane *z, const lane *target, lane *e) {
  lane v[3] = {{0}}, trace = lane_all(0);
  const lane *column[3] = {x, y, z};
  for (int j = 0; j < 3; j++) {
    const lane *r = column[j];
    lane a = target[j], b = target[3 + j], c = target[6 + j];
    v[0] += r[1] * c - r[2] * b;
    v[1] += r[2] * a - r[0] * c;
    v[2] += r[0] * b - r[1] * a;
    trace += r[0] * a + r[1] * b + r[2] * c;
  }
  /* half a turn away v vanishes, and the root with it: 3 - trace still tells the angle */
  lane inverse = 1 / lane_root(lane_choose(trace > -0.9999999, 1 + trace, lane_all(1e-7)));
  for (int i = 0; i < 3; i++) e[i] = v[i] * inverse;
  return lane_choose(trace > 0.0, lane_dot(e, e), 3 - trace);
}

/* Lower triangle of a symmetric matrix, row by row: (a, b) stands at AT(a, b), b <= a. */
#define AT(a, b) ((size_t)(a) * ((size_t)(a) + 1) / 2 + (size_t)(b))

/* y of (h + damping I) y = e, by blocks of 2 x 2: three divisions one after another instead of six, two instead of
   three. */
HIK_INLINE void dual_solve(int rows, const lane *square, lane damping, const lane *e, lane *y) {
  lane h[21], inverse[3][3];
#pragma GCC unroll 21
  for (int i = 0; i < (int)AT(rows, 0); i++) h[i] = square[i];
#pragma GCC unroll 6
  for (int a = 0; a < rows; a++) h[AT(a, a)] += damping, y[a] = e[a];
#pragma GCC unroll 3
  for (int c = 0; c + 1 < rows; c += 2) {
    lane over = 1 / (h[AT(c, c)] * h[AT(c + 1, c + 1)] - h[AT(c + 1, c)] * h[AT(c + 1, c)]);
    lane p = h[AT(c + 1, c + 1)] * over, q = -h[AT(c + 1, c)] * over, r = h[AT(c, c)] * over;
    inverse[c / 2][0] = p, inverse[c / 2][1] = q, inverse[c / 2][2] = r;
#pragma GCC unroll 6
    for (int a = c + 2; a < rows; a++) {
      lane left = h[AT(a, c)] * p + h[AT(a, c + 1)] * q, right = h[AT(a, c)] * q + h[AT(a, c + 1)] * r;
#pragma GCC unroll 6
      for (int b = c + 2; b <= a; b++) h[AT(a, b)] -= left * h[AT(b, c)] + right * h[AT(b, c + 1)];
      y[a] -= left * y[c] + right * y[c + 1];
    }
  }
  if (rows % 2) y[rows - 1] /= h[AT(rows - 1, rows - 1)];
#pragma GCC unroll 3
  for (int c = rows - rows % 2 - 2; c >= 0; c -= 2) {
    const lane *in = inverse[c / 2];
    lane u = y[c], v = y[c + 1];
#pragma GCC unroll 6
    for (int a = c + 2; a < rows; a++) u -= h[AT(a, c)] * y[a], v -= h[AT(a, c + 1)] * y[a];
    y[c] = in[0] * u + in[1] * v;
    y[c + 1] = in[1] * u + in[2] * v;
  }
}
