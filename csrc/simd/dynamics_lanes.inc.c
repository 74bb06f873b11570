/* dynamics_lanes.inc.c: lanes, what the dynamics do with them, and the motion of a step. Part of dynamics.inc.c. */

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
  int64_t all = -1;
  for (int i = 0; i < LANES; i++) all &= plain[i];
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
  lane s = ((((((1.58962301576546568060e-10 * z - 2.50507477628578072866e-8) * z + 2.75573136213857245213e-6) * z -
               1.98412698295895385996e-4) * z + 8.33333333332211858878e-3) * z - 1.66666666666666307295e-1) * z) * r + r;
  lane c = ((((((-1.13585365213876817300e-11 * z + 2.08757008419747316778e-9) * z - 2.75573141792967388112e-7) * z +
               2.48015872888517045348e-5) * z - 1.38888888888730564116e-3) * z + 4.16666666666665929218e-2) * z) * z -
           0.5 * z + 1;
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
  *x = *x > 1e-200 ? 2 / *x : 0;
#else
  *x = (lane)((lane_mask)(2 / *x) & (*x > 1e-200));
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

/* out = h x b for a body constant h */
HIK_INLINE void lane_arm_cross(const double *h, const lane *b, lane *out) {
  out[0] = h[1] * b[2] - h[2] * b[1];
  out[1] = h[2] * b[0] - h[0] * b[2];
  out[2] = h[0] * b[1] - h[1] * b[0];
}

/* Rows first .. of x [n][width] into lanes out [width]; rows past n repeat the last. x NULL: zeros. */
HIK_INLINE void lane_load(const double *x, int32_t width, int64_t first, int64_t n, lane *out) {
  if (!x) {
    for (int32_t j = 0; j < width; j++) out[j] = lane_all(0);
    return;
  }
  double *at = (double *)out;
  for (int i = 0; i < LANES; i++) {
    const double *row = x + (size_t)(first + i < n ? first + i : n - 1) * (size_t)width;
    for (int32_t j = 0; j < width; j++) at[(size_t)j * LANES + (size_t)i] = row[j];
  }
}

#if LANES == 8 || LANES == 4
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

/* Lanes in [width] to the rows first .. of x [n][width]; x NULL: nowhere. */
HIK_INLINE void lane_store(const lane *in, size_t width, int64_t first, int64_t n, double *x) {
  if (!x) return;
  const double *at = (const double *)in;
  double *row = x + (size_t)first * width;
  size_t done = 0;
  int count = n - first < LANES ? (int)(n - first) : LANES;
#if LANES == 8 || LANES == 4
  for (; count == LANES && done + LANES <= width; done += LANES) {
    lane out[LANES];
    lane_transpose(in + done, out);
    for (int i = 0; i < LANES; i++) memcpy(row + (size_t)i * width + done, out + i, sizeof out[i]);
  }
#endif
  for (int i = 0; i < count; i++, row += width)
    for (size_t j = done; j < width; j++) row[j] = at[j * LANES + (size_t)i];
}

/* ---- the motion of a step ---- */

/* Rotation and origin of the moved frame in the moved frame above. */
static void step_place(const hik_model *m, int32_t s, const lane *q, lane *r, lane *p) {
  const double *place = m->step_placement + 12 * (size_t)s, *line = m->step_line + 2 * (size_t)s;
  const lane *at = q + m->step_q[s];
  for (int i = 0; i < 3; i++) p[i] = lane_all(place[9 + i]);
  if (m->step_kind[s] == HIK_TURN) {
    lane angle = line[0] * at[0] + line[1], sine, cosine;
    lane_sincos(&angle, &sine, &cosine);
    for (int i = 0; i < 3; i++) {
      double x = place[3 * i], y = place[3 * i + 1];
      r[3 * i] = cosine * x + sine * y;
      r[3 * i + 1] = cosine * y - sine * x;
      r[3 * i + 2] = lane_all(place[3 * i + 2]);
    }
  } else if (m->step_kind[s] == HIK_SLIDE) {
    lane along = line[0] * at[0] + line[1];
    for (int i = 0; i < 9; i++) r[i] = lane_all(place[i]);
    for (int i = 0; i < 3; i++) p[i] += place[3 * i + 2] * along;
  } else {
    lane w = at[0], x = at[1], y = at[2], z = at[3], two = w * w + x * x + y * y + z * z;
    lane_twice_inverse(&two);
    lane a = two * x, b = two * y, c = two * z, t[9];
    t[0] = 1 - (b * y + c * z), t[1] = b * x - w * c, t[2] = c * x + w * b;
    t[3] = b * x + w * c, t[4] = 1 - (a * x + c * z), t[5] = c * y - w * a;
    t[6] = c * x - w * b, t[7] = c * y + w * a, t[8] = 1 - (a * x + b * y);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        r[3 * i + j] = place[3 * i] * t[j] + place[3 * i + 1] * t[3 + j] + place[3 * i + 2] * t[6 + j];
  }
}

/* First of the six numbers of a wrench (force, moment) that the step's coordinates feel, and how many. */
HIK_INLINE int step_axis(int32_t kind) { return kind == HIK_TURN ? 5 : kind == HIK_SLIDE ? 2 : 3; }
HIK_INLINE int step_freedom(int32_t kind) { return kind == HIK_BALL_STEP ? 3 : 1; }

/* Rate of change of the step's own coordinate: v scaled by the mimic line. */
HIK_INLINE lane step_rate(const hik_model *m, int32_t s, const lane *v, int k) {
  return m->step_kind[s] == HIK_BALL_STEP ? v[m->step_v[s] + k] : m->step_line[2 * (size_t)s] * v[m->step_v[s]];
}

/* Viscous and Coulomb torque of a motor at this rate. */
HIK_INLINE lane motor_friction(const double *motor, double width, const lane *rate) {
  lane x = *rate, out = motor[1] * x;
  if (motor[2] == 0) return out;
  if (width > 0) {
    lane size = x * x + width * width;
    lane_sqrt(&size);
    return out + motor[2] * (x / size);
  }
#if LANES == 1
  return out + motor[2] * (double)((x > 0) - (x < 0));
#else
  lane_mask one = (lane_mask)lane_all(motor[2]);
  return out + ((lane)(one & (x > 0)) - (lane)(one & (x < 0)));
#endif
}

/* What the pushes on steps subtract: force and moment about each step's origin, in its moved frame. world [n_step][9]
   are the rotations of the steps in the world. */
HIK_INLINE void push_local(const hik_push *push, const lane *world, int64_t first, int64_t n, lane *force,
                           lane *moment) {
  lane given[6], turned[3];
  double *at = (double *)given;
  for (int i = 0; i < LANES; i++) {
    const double *row = push->value + (first + i < n ? first + i : n - 1) * push->stride;
    for (int j = 0; j < 6; j++) at[j * LANES + i] = row[j];
  }
  lane_rotate_back(world, given, force);
  lane_rotate_back(world, given + 3, moment);
  lane_arm_cross(push->arm, force, turned);
  for (int j = 0; j < 3; j++) moment[j] += turned[j];
}

HIK_INLINE void world_rotation(const lane *above, const lane *r, lane *out) {
  if (!above) {
    for (int i = 0; i < 9; i++) out[i] = r[i];
    return;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = above[3 * i] * r[j] + above[3 * i + 1] * r[3 + j] + above[3 * i + 2] * r[6 + j];
}

HIK_INLINE bool body_empty(const double *b) {
  for (int i = 0; i < 10; i++)
    if (b[i] != 0) return false;
  return true;
}

/* A = [alpha]x + [w]x[w]x */
HIK_INLINE void point_field(const lane *w, const lane *alpha, lane *A) {
  lane xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  lane xy = w[0] * w[1], xz = w[0] * w[2], yz = w[1] * w[2];
  A[0] = -(yy + zz), A[1] = xy - alpha[2], A[2] = xz + alpha[1];
  A[3] = xy + alpha[2], A[4] = -(xx + zz), A[5] = yz - alpha[0];
  A[6] = xz - alpha[1], A[7] = yz + alpha[0], A[8] = -(xx + yy);
}

/* f = m a + A h and n = h x a + vee(A S - (A S)^T): what moves the body. */
HIK_INLINE void body_force(const double *b, const lane *A, const lane *a, lane *f, lane *n) {
  const double *h = b + 1, *S = b + 4; /* xx xy xz yy yz zz */
  for (int i = 0; i < 3; i++) f[i] = b[0] * a[i] + (A[3 * i] * h[0] + A[3 * i + 1] * h[1] + A[3 * i + 2] * h[2]);
  lane_arm_cross(h, a, n);
  n[0] += (A[6] * S[1] + A[7] * S[3] + A[8] * S[4]) - (A[3] * S[2] + A[4] * S[4] + A[5] * S[5]);
  n[1] += (A[0] * S[2] + A[1] * S[4] + A[2] * S[5]) - (A[6] * S[0] + A[7] * S[1] + A[8] * S[2]);
  n[2] += (A[3] * S[0] + A[4] * S[1] + A[5] * S[2]) - (A[0] * S[1] + A[1] * S[3] + A[2] * S[4]);
}
