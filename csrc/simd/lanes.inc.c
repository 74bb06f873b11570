/* lanes.inc.c: several doubles side by side, and what every lane kernel does with them.

   The including file sets LANES (1, 2, 4 or 8) and the target. Lanes never meet. lane_sincos has the error bound of
   hik_sincos (base/trig.h), whose operations it repeats in their order: the same bytes. */

#if LANES == 1
typedef double lane;
typedef int64_t lane_mask;
#else
typedef double lane __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_mask __attribute__((vector_size(8 * LANES)));
#endif

HIK_INLINE lane lane_all(double x) {
#if LANES == 1
  return x;
#else
  return x - (lane){0};
#endif
}

/* Sine and cosine, by the operations of hik_sincos in their order. */
HIK_INLINE void lane_sincos(const lane *angle, lane *sine, lane *cosine) {
#if LANES == 1
  hik_sincos(*angle, sine, cosine);
#else
  const double shift = 6755399441055744.0;
  lane x = *angle, t = x * 0.63661977236758134308 + shift, k = t - shift;
  lane_mask plain = (x < 1e9) & (x > -1e9);
#ifdef LANE_BITS
  bool all = LANE_BITS(plain) == (1u << LANES) - 1;
#else
  int64_t all = -1;
  for (int i = 0; i < LANES; i++) all &= plain[i];
#endif
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
  /* clang-format off */
  lane s = ((((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z + 2.75573136213857245213e-6) * z -
               1.98412698295895385996e-4) * z + 8.33333333332211858878e-3) * z - 1.66666666666666307295e-1) * z) * r + r;
  lane c = ((((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z - 2.75573141792967388112e-7) * z +
               2.48015872888517045348e-5) * z - 1.38888888888730564116e-3) * z + 4.16666666666665929218e-2) * z) * z -
           0.5 * z + 1;
  /* clang-format on */
  lane_mask bits = (lane_mask)t; /* the low bits of the shifted sum are those of the whole number k */
  lane_mask swap = -(bits & 1), sb = (lane_mask)s, cb = (lane_mask)c;
  lane_mask a = (swap & cb) | (~swap & sb), b = (swap & sb) | (~swap & cb);
  lane_mask minus_sine = (bits & 2) << 62, minus_cosine = ((bits + 1) & 2) << 62;
  *sine = (lane)(a ^ minus_sine), *cosine = (lane)(b ^ minus_cosine);
#endif
}

HIK_INLINE void lane_sqrt(lane *x) {
#if LANES == 1
  *x = sqrt(*x);
#else
  for (int i = 0; i < LANES; i++) (*x)[i] = sqrt((*x)[i]);
#endif
}

/* x = 2 / x, and 0 where x is no length (as hik_quat_to_mat) */
HIK_INLINE void lane_twice_inverse(lane *x) {
#if LANES == 1
  *x = *x <= 1e-200 ? 0 : 2 / *x;
#else
  *x = (lane)((lane_mask)(2 / *x) & ~(*x <= 1e-200));
#endif
}

/* out = r x; out is neither */
HIK_INLINE void lane_rotate(const lane *r, const lane *x, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

/* out = transpose(r) x; out is neither */
HIK_INLINE void lane_rotate_back(const lane *r, const lane *x, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
}

/* out += a x b */
HIK_INLINE void lane_add_cross(const lane *a, const lane *b, lane *out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

#if LANES > 1
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
#endif

#if LANES > 1
/* lane_load by whole registers; false: not for this group, which is not full or whose last row ends too near the end. */
HIK_INLINE bool lane_load_whole(const double *x, size_t width, int64_t first, int64_t n, lane *out) {
  const double *row = x + (size_t)first * width;
  lane in[LANES], turned[LANES];
  if (n - first < LANES || (size_t)(n - first) * width < (LANES - 1) * width + LANES) return false;
  for (size_t j = 0; j < width; j += LANES) {
    if (width >= LANES && j + LANES > width) j = width - LANES; /* what overlaps is read twice */
    for (int i = 0; i < LANES; i++) memcpy(in + i, row + (size_t)i * width + j, sizeof in[i]);
    lane_transpose(in, turned);
    for (size_t k = 0; k < LANES && j + k < width; k++) out[j + k] = turned[k];
  }
  return true;
}
#endif

/* Rows first .. of x [n][width] into lanes out [width]; rows past n repeat the last. x NULL: zeros. */
HIK_INLINE void lane_load(const double *x, int32_t width, int64_t first, int64_t n, lane *out) {
  if (!x) {
    for (int32_t j = 0; j < width; j++) out[j] = lane_all(0);
    return;
  }
#if LANES > 1
  if (lane_load_whole(x, (size_t)width, first, n, out)) return;
#endif
  double *at = (double *)out;
  for (int i = 0; i < LANES; i++) {
    const double *row = x + (size_t)(first + i < n ? first + i : n - 1) * (size_t)width;
    for (int32_t j = 0; j < width; j++) at[(size_t)j * LANES + (size_t)i] = row[j];
  }
}

/* Lanes in [width] to the rows first .. of x, n rows that begin `stride` doubles apart. */
HIK_INLINE void lane_store_part(const lane *in, size_t width, size_t stride, int64_t first, int64_t n,
                                double *x) {
  const double *at = (const double *)in;
  double *row = x + (size_t)first * stride;
  size_t done = 0;
  int count = n - first < LANES ? (int)(n - first) : LANES;
#if LANES > 1
  for (; count == LANES && width >= LANES && done < width; done += LANES) {
    lane out[LANES];
    if (done + LANES > width) done = width - LANES; /* what overlaps is written twice */
    lane_transpose(in + done, out);
    for (int i = 0; i < LANES; i++) memcpy(row + (size_t)i * stride + done, out + i, sizeof out[i]);
  }
#endif
  for (int i = 0; i < count; i++, row += stride)
    for (size_t j = done; j < width; j++) row[j] = at[j * LANES + (size_t)i];
}

/* Lanes in [width] to the rows first .. of x [n][width]; x NULL: nowhere. */
HIK_INLINE void lane_store(const lane *in, size_t width, int64_t first, int64_t n, double *x) {
  if (x) lane_store_part(in, width, width, first, n, x);
}
