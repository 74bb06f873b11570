/* dynamics.inc.c: the dynamics of a tree, several problems side by side in the lanes of a vector.

   Compiled once per instruction set by dynamics_<isa>.c, which sets LANES (1, 2, 4 or 8) and KERNELS (the name of the
   table). Only + - * / sqrt and comparisons are used, and lanes never meet, so every width gives the same bytes.

   Purpose   inverse dynamics, mass matrix, forward dynamics, and the sums over bodies (centre of mass, momentum,
             energy) of a frozen tree.
   Given     hik_weighed: the model, its bodies with payloads added, motors, gravity and pushes; q, v, a or tau.
   Returned  tau, M, a or the sums, one row a problem.
   Notes     Everything is told in the moved frame of each step. Accelerations are those of points, not spatial ones:
             the field x -> A x with A = [alpha]x + [w]x[w]x is the acceleration of a body point against the origin, so
             that f = m a + A h and n = integral r x (A r) dm = vee(A S - (A S)^T) with the second moments S. This
             needs no linear velocity and fewer products than the usual I alpha + w x I w.
             A ball is three turns about x, y, z of one frame, eliminated one after another.
   Reference R. Featherstone, Rigid Body Dynamics Algorithms (2008), tables 5.1, 6.2, 7.1 and section 9.4;
             J. Luh, M. Walker, R. Paul, On-line computational scheme for mechanical manipulators (1980). */

#if LANES == 1
typedef double lane;
typedef int64_t lane_mask;
#else
typedef double lane __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_mask __attribute__((vector_size(8 * LANES)));
#endif

/* ---- lanes: small pieces ---- */

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

HIK_INLINE void lane_store(const lane *in, size_t width, int64_t first, int64_t n, double *x) {
  if (!x) return;
  const double *at = (const double *)in;
  for (int i = 0; i < LANES && first + i < n; i++) {
    double *row = x + (size_t)(first + i) * width;
    for (size_t j = 0; j < width; j++) row[j] = at[j * LANES + (size_t)i];
  }
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

/* ---- inverse dynamics ---- */

typedef struct moving {
  lane r[9], p[3];        /* the moved frame in the one above */
  lane w[3], alpha[3], a[3]; /* of the moved frame: angular velocity, its derivative, acceleration of the origin */
  lane A[9];
  lane f[3], n[3];        /* on the step by what is above it, about its origin */
} moving;

/* Velocity and acceleration of a step from those of the one above (node[0] is the world). */
HIK_INLINE void move_on(const hik_model *m, int32_t s, const lane *v, const lane *acc, const moving *above,
                        moving *at) {
  lane x[3], *w = at->w, *alpha = at->alpha, *a = at->a;
  lane_rotate_back(at->r, above->w, w);
  lane_rotate_back(at->r, above->alpha, alpha);
  lane_rotate(above->A, at->p, x);
  for (int i = 0; i < 3; i++) x[i] += above->a[i];
  lane_rotate_back(at->r, x, a);
  if (m->step_kind[s] == HIK_TURN) {
    lane rate = step_rate(m, s, v, 0);
    alpha[0] += w[1] * rate, alpha[1] -= w[0] * rate, alpha[2] += step_rate(m, s, acc, 0);
    w[2] += rate;
  } else if (m->step_kind[s] == HIK_SLIDE) {
    lane twice = 2 * step_rate(m, s, v, 0);
    a[0] += w[1] * twice, a[1] -= w[0] * twice, a[2] += step_rate(m, s, acc, 0);
  } else {
    const lane *rate = v + m->step_v[s], *gain = acc + m->step_v[s];
    lane_add_cross(w, rate, alpha);
    for (int i = 0; i < 3; i++) alpha[i] += gain[i], w[i] += rate[i];
  }
  point_field(w, alpha, at->A);
}

/* Takes the pushes off the forces of the steps; world [n_step][9] is scratch. */
static void take_pushes(const hik_weighed *c, moving *node, lane *world, int64_t first, int64_t n) {
  const hik_model *m = c->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t up = m->step_parent[s];
    world_rotation(up < 0 ? NULL : world + 9 * (size_t)up, node[s + 1].r, world + 9 * (size_t)s);
  }
  for (int32_t i = 0; i < c->n_push; i++) {
    lane f[3], t[3];
    moving *at = node + c->push[i].step + 1;
    push_local(c->push + i, world + 9 * (size_t)c->push[i].step, first, n, f, t);
    for (int j = 0; j < 3; j++) at->f[j] -= f[j], at->n[j] -= t[j];
  }
}

/* Hands the force of a step to its coordinates and to the step above. */
HIK_INLINE void feel(const hik_weighed *c, int32_t s, const lane *v, const lane *acc, moving *node, lane *tau) {
  const hik_model *m = c->model;
  moving *at = node + s + 1, *above = node + m->step_parent[s] + 1;
  int32_t kind = m->step_kind[s];
  for (int k = 0; k < step_freedom(kind); k++) {
    lane felt = kind == HIK_SLIDE ? at->f[2] : kind == HIK_TURN ? at->n[2] : at->n[k];
    if (c->motor) {
      const double *motor = c->motor + 3 * (size_t)s;
      lane rate = step_rate(m, s, v, k);
      felt += motor[0] * step_rate(m, s, acc, k) + motor_friction(motor, c->coulomb_width, &rate);
    }
    if (kind == HIK_BALL_STEP)
      tau[m->step_v[s] + k] += felt;
    else
      tau[m->step_v[s]] += m->step_line[2 * (size_t)s] * felt;
  }
  if (m->step_parent[s] < 0) return;
  lane f[3], t[3];
  lane_rotate(at->r, at->f, f);
  lane_rotate(at->r, at->n, t);
  lane_add_cross(at->p, f, t);
  for (int i = 0; i < 3; i++) above->f[i] += f[i], above->n[i] += t[i];
}

static void inverse_block(const hik_weighed *c, int64_t first, int64_t n, const lane *q, const lane *v,
                          const lane *acc, moving *node, lane *world, lane *tau) {
  const hik_model *m = c->model;
  for (int i = 0; i < 9; i++) node->A[i] = lane_all(0);
  for (int i = 0; i < 3; i++) node->w[i] = node->alpha[i] = lane_all(0), node->a[i] = lane_all(-c->gravity[i]);
  for (int32_t s = 0; s < m->n_step; s++) {
    moving *at = node + s + 1;
    const double *body = c->body + 10 * (size_t)s;
    step_place(m, s, q, at->r, at->p);
    move_on(m, s, v, acc, node + m->step_parent[s] + 1, at);
    if (body_empty(body))
      for (int i = 0; i < 3; i++) at->f[i] = at->n[i] = lane_all(0);
    else
      body_force(body, at->A, at->a, at->f, at->n);
  }
  if (c->n_push) take_pushes(c, node, world, first, n);
  for (int32_t j = 0; j < m->nv; j++) tau[j] = lane_all(0);
  for (int32_t s = m->n_step - 1; s >= 0; s--) feel(c, s, v, acc, node, tau);
}

static void inverse(const hik_weighed *c, int64_t n, const double *q, const double *v, const double *a, double *tau) {
  const hik_model *m = c->model;
  lane *lq = c->lanes, *lv = lq + m->nq, *la = lv + m->nv, *lt = la + m->nv, *world = lt + m->nv;
  moving *node = (moving *)(void *)(world + 9 * (size_t)m->n_step);
  for (int64_t first = 0; first < n; first += LANES) {
    lane_load(q, m->nq, first, n, lq);
    lane_load(v, m->nv, first, n, lv);
    lane_load(a, m->nv, first, n, la);
    inverse_block(c, first, n, lq, lv, la, node, world, lt);
    lane_store(lt, (size_t)m->nv, first, n, tau);
  }
}

/* ---- mass matrix: composite bodies ---- */

typedef struct composite {
  lane r[9], p[3];
  lane mass, h[3], S[6];
} composite;

/* Adds the composite of a step to that above: r' = R r + p. */
HIK_INLINE void add_composite(const composite *at, composite *above) {
  lane Rh[3], RS[9], sum;
  const lane *r = at->r, *p = at->p, *S = at->S;
  lane_rotate(r, at->h, Rh);
  const int full[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      RS[3 * i + j] = r[3 * i] * S[full[j]] + r[3 * i + 1] * S[full[3 + j]] + r[3 * i + 2] * S[full[6 + j]];
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++) {
      sum = RS[3 * i] * r[3 * j] + RS[3 * i + 1] * r[3 * j + 1] + RS[3 * i + 2] * r[3 * j + 2];
      above->S[k] += sum + (Rh[i] * p[j] + p[i] * Rh[j]) + at->mass * p[i] * p[j];
    }
  for (int i = 0; i < 3; i++) above->h[i] += Rh[i] + at->mass * p[i];
  above->mass += at->mass;
}

/* Force and moment that give the composite a unit acceleration along coordinate `axis` of the six. */
HIK_INLINE void composite_force(const composite *at, int axis, lane *f, lane *n) {
  const lane *h = at->h, *S = at->S, zero = lane_all(0);
  if (axis == 2) {
    f[0] = f[1] = zero, f[2] = at->mass;
    n[0] = h[1], n[1] = -h[0], n[2] = zero;
  } else if (axis == 3) {
    f[0] = zero, f[1] = -h[2], f[2] = h[1];
    n[0] = S[3] + S[5], n[1] = -S[1], n[2] = -S[2];
  } else if (axis == 4) {
    f[0] = h[2], f[1] = zero, f[2] = -h[0];
    n[0] = -S[1], n[1] = S[0] + S[5], n[2] = -S[4];
  } else {
    f[0] = -h[1], f[1] = h[0], f[2] = zero;
    n[0] = -S[2], n[1] = -S[4], n[2] = S[0] + S[3];
  }
}

/* Where a mass matrix goes: lane i of entry e is at[e * entry + i * lane], for `count` lanes. */
typedef struct square {
  double *at;
  size_t entry, lane;
  int count;
} square;

HIK_INLINE void square_add(const square *M, size_t entry, const lane *x) {
  const double *value = (const double *)x;
  for (int i = 0; i < M->count; i++) M->at[entry * M->entry + (size_t)i * M->lane] += value[i];
}

/* Column of coordinate k of step s: carries its unit force up the tree. */
static void mass_column(const hik_weighed *c, int32_t s, int k, const composite *node, const square *M) {
  const hik_model *m = c->model;
  size_t nv = (size_t)m->nv, column = (size_t)(m->step_v[s] + k);
  int32_t kind = m->step_kind[s], t = s;
  double scale = kind == HIK_BALL_STEP ? 1 : m->step_line[2 * (size_t)s];
  lane f[6], up[6];
  composite_force(node + s, step_axis(kind) + k, f, f + 3);
  if (c->motor) {
    lane rotor = lane_all(scale * scale * c->motor[3 * (size_t)s]);
    square_add(M, column * nv + column, &rotor);
  }
  for (;;) {
    int32_t at = m->step_kind[t];
    double other = at == HIK_BALL_STEP ? 1 : m->step_line[2 * (size_t)t];
    for (int j = 0; j < step_freedom(at); j++) {
      if (t == s && j > k) break; /* the other half of a ball's own block comes by symmetry */
      size_t row = (size_t)(m->step_v[t] + j);
      lane x = scale * other * f[step_axis(at) + j];
      square_add(M, row * nv + column, &x);
      if (t != s || j != k) square_add(M, column * nv + row, &x); /* a mimic of its own ancestor: twice */
    }
    int32_t above = m->step_parent[t];
    if (above < 0) return;
    lane_rotate(node[t].r, f, up);
    lane_rotate(node[t].r, f + 3, up + 3);
    lane_add_cross(node[t].p, up, up + 3);
    for (int j = 0; j < 6; j++) f[j] = up[j];
    t = above;
  }
}

/* M must be zero. */
static void mass_block(const hik_weighed *c, const lane *q, composite *node, const square *M) {
  const hik_model *m = c->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    const double *body = c->body + 10 * (size_t)s;
    step_place(m, s, q, node[s].r, node[s].p);
    node[s].mass = lane_all(body[0]);
    for (int i = 0; i < 3; i++) node[s].h[i] = lane_all(body[1 + i]);
    for (int i = 0; i < 6; i++) node[s].S[i] = lane_all(body[4 + i]);
  }
  for (int32_t s = m->n_step - 1; s >= 0; s--) {
    if (m->step_parent[s] >= 0) add_composite(node + s, node + m->step_parent[s]);
    for (int k = 0; k < step_freedom(m->step_kind[s]); k++) mass_column(c, s, k, node, M);
  }
}

/* Small matrices are summed in lanes and then dealt out; large ones go straight to their rows. */
static void mass_matrix(const hik_weighed *c, int64_t n, const double *q, double *out) {
  const hik_model *m = c->model;
  size_t entries = (size_t)m->nv * (size_t)m->nv;
  bool small = m->nv <= HIK_DYNAMICS_SMALL;
  lane *lq = c->lanes, *lM = lq + m->nq;
  composite *node = (composite *)(void *)(lM + (small ? entries : 0));
  if (!small) memset(out, 0, entries * (size_t)n * sizeof *out);
  for (int64_t first = 0; first < n; first += LANES) {
    square direct = {out + entries * (size_t)first, 1, entries, n - first < LANES ? (int)(n - first) : LANES};
    square inside = {(double *)lM, LANES, 1, LANES};
    lane_load(q, m->nq, first, n, lq);
    if (small) memset(lM, 0, entries * sizeof *lM);
    mass_block(c, lq, node, small ? &inside : &direct);
    if (small) lane_store(lM, entries, first, n, out);
  }
}

/* ---- forward dynamics: articulated bodies ---- */

enum { PACKED = 21 }; /* lower triangle of a symmetric 6 x 6, rows first */
HIK_INLINE int packed(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

typedef struct articulated {
  lane r[9], p[3], w[3];
  lane gain[6];           /* acceleration against the one above when the coordinates keep their rates */
  lane I[PACKED], force[6]; /* wrench = I acceleration + force: force above moment */
  lane U[3][6], inverse[3], rest[3];
  lane a[6];
} articulated;

/* Takes coordinate `axis` of the six out of the body: what is left is what the step above feels. */
HIK_INLINE void eliminate(articulated *at, int axis, int k, const lane *drive, double rotor) {
  lane *U = at->U[k], inverse, share[6];
  for (int i = 0; i < 6; i++) U[i] = at->I[packed(i, axis)];
  inverse = 1 / (U[axis] + rotor);
  at->inverse[k] = inverse;
  at->rest[k] = *drive - at->force[axis];
  lane pull = at->rest[k] * inverse;
  for (int i = 0; i < 6; i++) share[i] = U[i] * inverse, at->force[i] += U[i] * pull;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) at->I[packed(i, j)] -= U[i] * share[j];
}

/* out = R X transpose(R), 3x3 full */
HIK_INLINE void turn_block(const lane *r, const lane *x, lane *out) {
  lane t[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) t[3 * i + j] = r[3 * i] * x[j] + r[3 * i + 1] * x[3 + j] + r[3 * i + 2] * x[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = t[3 * i] * r[3 * j] + t[3 * i + 1] * r[3 * j + 1] + t[3 * i + 2] * r[3 * j + 2];
}

/* out += [p]x X, 3x3 full */
HIK_INLINE void add_cross_block(const lane *p, const lane *x, lane *out) {
  for (int j = 0; j < 3; j++) {
    out[j] += p[1] * x[6 + j] - p[2] * x[3 + j];
    out[3 + j] += p[2] * x[j] - p[0] * x[6 + j];
    out[6 + j] += p[0] * x[3 + j] - p[1] * x[j];
  }
}

/* Adds the articulated body of a step to that above. With a = a' + alpha x p and n' = n + p x f the blocks of
   (f, n) = (M a + H alpha, H^T a + J alpha) become M, H' = H - M [p]x, J' = J + [p]x H - H'^T [p]x. */
HIK_INLINE void add_articulated(const articulated *at, articulated *above) {
  lane x[9], M[9], H[9], J[9], Ht[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[3 * i + j] = at->I[packed(i, j)];
  turn_block(at->r, x, M);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[3 * i + j] = at->I[packed(i, 3 + j)];
  turn_block(at->r, x, H);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) x[3 * i + j] = at->I[packed(3 + i, 3 + j)];
  turn_block(at->r, x, J);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Ht[3 * i + j] = H[3 * j + i];
  add_cross_block(at->p, H, J);
  add_cross_block(at->p, M, Ht); /* H'^T = H^T + [p]x M, as M is symmetric */
  for (int i = 0; i < 3; i++) {  /* - H'^T [p]x: its rows crossed with p */
    const lane *row = Ht + 3 * i, *p = at->p;
    J[3 * i] -= row[1] * p[2] - row[2] * p[1];
    J[3 * i + 1] -= row[2] * p[0] - row[0] * p[2];
    J[3 * i + 2] -= row[0] * p[1] - row[1] * p[0];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (j <= i) above->I[packed(i, j)] += M[3 * i + j], above->I[packed(3 + i, 3 + j)] += J[3 * i + j];
      above->I[packed(3 + i, j)] += Ht[3 * i + j];
    }
}

HIK_INLINE void add_articulated_force(const articulated *at, articulated *above) {
  lane f[3], n[3], w[6];
  for (int i = 0; i < 6; i++) {
    w[i] = at->force[i];
    for (int j = 0; j < 6; j++) w[i] += at->I[packed(i, j)] * at->gain[j];
  }
  lane_rotate(at->r, w, f);
  lane_rotate(at->r, w + 3, n);
  lane_add_cross(at->p, f, n);
  for (int i = 0; i < 3; i++) above->force[i] += f[i], above->force[3 + i] += n[i];
}

/* Velocity of a step, the acceleration its rates alone cause, and the body's own inertia and force. */
HIK_INLINE void ready_articulated(const hik_weighed *c, int32_t s, const lane *v, const articulated *above,
                                  articulated *at) {
  const hik_model *m = c->model;
  const double *b = c->body + 10 * (size_t)s, *h = b + 1, *S = b + 4;
  lane zero = lane_all(0), A[9], x[3], none[3] = {zero, zero, zero};
  for (int i = 0; i < 3; i++) at->w[i] = zero, at->gain[i] = at->gain[3 + i] = zero;
  if (above) {
    lane_rotate_back(at->r, above->w, at->w);
    point_field(above->w, none, A);
    lane_rotate(A, at->p, x);
    lane_rotate_back(at->r, x, at->gain);
  }
  if (m->step_kind[s] == HIK_SLIDE) {
    lane twice = 2 * step_rate(m, s, v, 0);
    at->gain[0] += at->w[1] * twice, at->gain[1] -= at->w[0] * twice;
  } else {
    lane rate[3] = {zero, zero, zero};
    if (m->step_kind[s] == HIK_TURN)
      rate[2] = step_rate(m, s, v, 0);
    else
      for (int i = 0; i < 3; i++) rate[i] = v[m->step_v[s] + i];
    lane_add_cross(at->w, rate, at->gain + 3);
    for (int i = 0; i < 3; i++) at->w[i] += rate[i];
  }
  point_field(at->w, none, A);
  body_force(b, A, none, at->force, at->force + 3);
  for (int i = 0; i < PACKED; i++) at->I[i] = zero;
  for (int i = 0; i < 3; i++) at->I[packed(i, i)] = lane_all(b[0]);
  /* moment of a pure acceleration: h x a */
  at->I[packed(3, 1)] = lane_all(-h[2]), at->I[packed(3, 2)] = lane_all(h[1]);
  at->I[packed(4, 0)] = lane_all(h[2]), at->I[packed(4, 2)] = lane_all(-h[0]);
  at->I[packed(5, 0)] = lane_all(-h[1]), at->I[packed(5, 1)] = lane_all(h[0]);
  at->I[packed(3, 3)] = lane_all(S[3] + S[5]), at->I[packed(4, 4)] = lane_all(S[0] + S[5]);
  at->I[packed(5, 5)] = lane_all(S[0] + S[3]);
  at->I[packed(4, 3)] = lane_all(-S[1]), at->I[packed(5, 3)] = lane_all(-S[2]), at->I[packed(5, 4)] = lane_all(-S[4]);
}

static void push_articulated(const hik_weighed *c, articulated *node, lane *world, int64_t first, int64_t n) {
  const hik_model *m = c->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t up = m->step_parent[s];
    world_rotation(up < 0 ? NULL : world + 9 * (size_t)up, node[s].r, world + 9 * (size_t)s);
  }
  for (int32_t i = 0; i < c->n_push; i++) {
    lane w[6];
    push_local(c->push + i, world + 9 * (size_t)c->push[i].step, first, n, w, w + 3);
    for (int j = 0; j < 6; j++) node[c->push[i].step].force[j] -= w[j];
  }
}

/* Accelerations of a step's coordinates from the acceleration of the step above. */
HIK_INLINE void fall_on(const hik_weighed *c, int32_t s, const lane *above, articulated *at, lane *out) {
  const hik_model *m = c->model;
  lane x[3] = {above[0], above[1], above[2]};
  int axis = step_axis(m->step_kind[s]);
  lane_add_cross(above + 3, at->p, x);
  lane_rotate_back(at->r, x, at->a);
  lane_rotate_back(at->r, above + 3, at->a + 3);
  for (int i = 0; i < 6; i++) at->a[i] += at->gain[i];
  for (int k = step_freedom(m->step_kind[s]) - 1; k >= 0; k--) {
    lane sum = at->rest[k];
    for (int i = 0; i < 6; i++) sum -= at->U[k][i] * at->a[i];
    sum *= at->inverse[k];
    at->a[axis + k] += sum;
    out[m->step_v[s] + k] = sum;
  }
}

static void forward_block(const hik_weighed *c, int64_t first, int64_t n, const lane *q, const lane *v,
                          const lane *tau, articulated *node, lane *world, lane *out) {
  const hik_model *m = c->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    step_place(m, s, q, node[s].r, node[s].p);
    ready_articulated(c, s, v, m->step_parent[s] < 0 ? NULL : node + m->step_parent[s], node + s);
  }
  if (c->n_push) push_articulated(c, node, world, first, n);
  for (int32_t s = m->n_step - 1; s >= 0; s--) {
    int axis = step_axis(m->step_kind[s]);
    for (int k = 0; k < step_freedom(m->step_kind[s]); k++) {
      lane drive = tau[m->step_v[s] + k], rate = v[m->step_v[s] + k];
      if (c->motor) drive -= motor_friction(c->motor + 3 * (size_t)s, c->coulomb_width, &rate);
      eliminate(node + s, axis + k, k, &drive, c->motor ? c->motor[3 * (size_t)s] : 0);
    }
    if (m->step_parent[s] < 0) continue;
    add_articulated(node + s, node + m->step_parent[s]);
    add_articulated_force(node + s, node + m->step_parent[s]);
  }
  lane ground[6];
  for (int i = 0; i < 3; i++) ground[i] = lane_all(-c->gravity[i]), ground[3 + i] = lane_all(0);
  for (int32_t s = 0; s < m->n_step; s++)
    fall_on(c, s, m->step_parent[s] < 0 ? ground : node[m->step_parent[s]].a, node + s, out);
}

/* With mimic joints the steps do not move one by one: M a = tau - bias by Cholesky (L D L^T, in place). */
static void solve_mass(size_t nv, lane *M, lane *x) {
  for (size_t j = 0; j < nv; j++) {
    for (size_t k = 0; k < j; k++) {
      lane l = M[j * nv + k] * M[k * nv + k];
      M[k * nv + j] = l; /* L D, kept in the upper half */
    }
    for (size_t k = 0; k < j; k++) M[j * nv + j] -= M[j * nv + k] * M[k * nv + j];
    for (size_t i = j + 1; i < nv; i++) {
      for (size_t k = 0; k < j; k++) M[i * nv + j] -= M[i * nv + k] * M[k * nv + j];
      M[i * nv + j] /= M[j * nv + j];
    }
  }
  for (size_t i = 0; i < nv; i++)
    for (size_t k = 0; k < i; k++) x[i] -= M[i * nv + k] * x[k];
  for (size_t i = 0; i < nv; i++) x[i] /= M[i * nv + i];
  for (size_t i = nv; i-- > 0;)
    for (size_t k = i + 1; k < nv; k++) x[i] -= M[k * nv + i] * x[k];
}

static void forward(const hik_weighed *c, int64_t n, const double *q, const double *v, const double *tau, double *a) {
  const hik_model *m = c->model;
  size_t nv = (size_t)m->nv;
  bool mimic = hik_has_mimic(m);
  lane *lq = c->lanes, *lv = lq + m->nq, *lt = lv + nv, *la = lt + nv, *zero = la + nv, *world = zero + nv;
  lane *M = world + 9 * (size_t)m->n_step;
  void *node = M + (mimic ? nv * nv : 0);
  for (int64_t first = 0; first < n; first += LANES) {
    lane_load(q, m->nq, first, n, lq);
    lane_load(v, m->nv, first, n, lv);
    lane_load(tau, m->nv, first, n, lt);
    if (mimic) {
      lane_load(NULL, m->nv, first, n, zero);
      inverse_block(c, first, n, lq, lv, zero, node, world, la);
      for (size_t i = 0; i < nv; i++) la[i] = lt[i] - la[i];
      square block = {(double *)M, LANES, 1, LANES};
      memset(M, 0, nv * nv * sizeof *M);
      mass_block(c, lq, node, &block);
      solve_mass(nv, M, la);
    } else {
      forward_block(c, first, n, lq, lv, lt, node, world, la);
    }
    lane_store(la, nv, first, n, a);
  }
}

/* ---- sums over the bodies ---- */

typedef struct carried {
  lane r[9], o[3];       /* the moved frame in the world */
  lane w[3], v[3];       /* velocity of the moved frame, in its own axes */
  lane mass, first[3];   /* of all that the step carries: mass, first moment about the world's origin */
} carried;

typedef struct sums {
  lane center[3], linear[3], angular[3], kinetic, potential;
} sums;

HIK_INLINE void carry(const hik_model *m, int32_t s, const lane *q, const lane *v, const carried *above, carried *at) {
  lane r[9], p[3], x[3];
  step_place(m, s, q, r, p);
  world_rotation(above ? above->r : NULL, r, at->r);
  if (above) {
    lane_rotate(above->r, p, at->o);
    for (int i = 0; i < 3; i++) at->o[i] += above->o[i], x[i] = above->v[i];
    lane_add_cross(above->w, p, x);
    lane_rotate_back(r, x, at->v);
    lane_rotate_back(r, above->w, at->w);
  } else {
    for (int i = 0; i < 3; i++) at->o[i] = p[i], at->v[i] = at->w[i] = lane_all(0);
  }
  if (m->step_kind[s] == HIK_TURN)
    at->w[2] += step_rate(m, s, v, 0);
  else if (m->step_kind[s] == HIK_SLIDE)
    at->v[2] += step_rate(m, s, v, 0);
  else
    for (int i = 0; i < 3; i++) at->w[i] += v[m->step_v[s] + i];
}

/* Adds the body of a step to the sums (angular momentum about the world's origin). */
HIK_INLINE void weigh(const double *b, const double gravity[3], carried *at, sums *sum) {
  const double *h = b + 1, *S = b + 4;
  const lane *w = at->w, *v = at->v;
  lane f[3], n[3], F[3], N[3], arm[3] = {lane_all(h[0]), lane_all(h[1]), lane_all(h[2])};
  for (int i = 0; i < 3; i++) f[i] = b[0] * v[i];
  lane_add_cross(w, arm, f);
  lane_arm_cross(h, v, n);
  n[0] += (S[3] + S[5]) * w[0] - S[1] * w[1] - S[2] * w[2];
  n[1] += (S[0] + S[5]) * w[1] - S[1] * w[0] - S[4] * w[2];
  n[2] += (S[0] + S[3]) * w[2] - S[2] * w[0] - S[4] * w[1];
  for (int i = 0; i < 3; i++) sum->kinetic += 0.5 * (f[i] * v[i] + n[i] * w[i]);
  lane_rotate(at->r, f, F);
  lane_rotate(at->r, n, N);
  lane_add_cross(at->o, F, N);
  lane_rotate(at->r, arm, at->first);
  at->mass = lane_all(b[0]);
  for (int i = 0; i < 3; i++) {
    at->first[i] += b[0] * at->o[i];
    sum->center[i] += at->first[i], sum->linear[i] += F[i], sum->angular[i] += N[i];
    sum->potential -= gravity[i] * at->first[i];
  }
}

/* Columns of one step, jacobian [3][nv], divided by the whole mass. */
HIK_INLINE void center_columns(const hik_model *m, int32_t s, const carried *at, const lane *mass, lane *jacobian) {
  size_t nv = (size_t)m->nv;
  int32_t kind = m->step_kind[s];
  lane arm[3];
  for (int i = 0; i < 3; i++) arm[i] = (at->first[i] - at->mass * at->o[i]) / *mass;
  for (int k = 0; k < step_freedom(kind); k++) {
    int column = kind == HIK_BALL_STEP ? k : 2;
    double scale = kind == HIK_BALL_STEP ? 1 : m->step_line[2 * (size_t)s];
    lane axis[3] = {at->r[column], at->r[3 + column], at->r[6 + column]}, x[3];
    for (int i = 0; i < 3; i++) x[i] = kind == HIK_SLIDE ? axis[i] * (at->mass / *mass) : lane_all(0);
    if (kind != HIK_SLIDE) lane_add_cross(axis, arm, x);
    for (size_t i = 0; i < 3; i++) jacobian[i * nv + (size_t)(m->step_v[s] + k)] += scale * x[i];
  }
}

static void center_jacobian(const hik_model *m, carried *node, const lane *mass, lane *jacobian) {
  for (size_t j = 0; j < 3 * (size_t)m->nv; j++) jacobian[j] = lane_all(0);
  for (int32_t s = m->n_step - 1; s >= 0; s--) {
    center_columns(m, s, node + s, mass, jacobian);
    if (m->step_parent[s] < 0) continue;
    carried *above = node + m->step_parent[s];
    above->mass += node[s].mass;
    for (int i = 0; i < 3; i++) above->first[i] += node[s].first[i];
  }
}

static void state(const hik_weighed *c, int64_t n, const double *q, const double *v, const hik_mass_out *out) {
  const hik_model *m = c->model;
  lane *lq = c->lanes, *lv = lq + m->nq, *jacobian = lv + m->nv;
  carried *node = (carried *)(void *)(jacobian + 3 * (size_t)m->nv);
  double whole = 0;
  for (int32_t s = 0; s < m->n_step; s++) whole += c->body[10 * (size_t)s];
  lane mass = lane_all(whole);
  for (int64_t first = 0; first < n; first += LANES) {
    sums sum;
    lane momentum[6];
    for (int i = 0; i < 3; i++) sum.center[i] = sum.linear[i] = sum.angular[i] = lane_all(0);
    sum.kinetic = sum.potential = lane_all(0);
    lane_load(q, m->nq, first, n, lq);
    lane_load(v, m->nv, first, n, lv);
    for (int32_t s = 0; s < m->n_step; s++) {
      carry(m, s, lq, lv, m->step_parent[s] < 0 ? NULL : node + m->step_parent[s], node + s);
      weigh(c->body + 10 * (size_t)s, c->gravity, node + s, &sum);
      if (c->motor)
        for (int k = 0; k < step_freedom(m->step_kind[s]); k++) {
          lane rate = step_rate(m, s, lv, k);
          sum.kinetic += 0.5 * c->motor[3 * (size_t)s] * rate * rate;
        }
    }
    for (int i = 0; i < 3; i++) sum.center[i] /= mass, momentum[i] = sum.linear[i], momentum[3 + i] = -sum.angular[i];
    lane_add_cross(sum.center, sum.linear, momentum + 3);
    for (int i = 3; i < 6; i++) momentum[i] = -momentum[i]; /* about the centre of mass */
    lane_store(sum.center, 3, first, n, out->center);
    lane_store(momentum, 6, first, n, out->momentum);
    lane_store(&sum.kinetic, 1, first, n, out->kinetic);
    lane_store(&sum.potential, 1, first, n, out->potential);
    if (out->center_jacobian) {
      center_jacobian(m, node, &mass, jacobian);
      lane_store(jacobian, 3 * (size_t)m->nv, first, n, out->center_jacobian);
    }
  }
}

_Static_assert(sizeof(moving) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the inverse dynamics");
_Static_assert(sizeof(composite) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the mass matrix");
_Static_assert(sizeof(articulated) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the forward dynamics");
_Static_assert(sizeof(carried) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the sums");

const hik_dynamics_kernels KERNELS = {inverse, mass_matrix, forward, state};
