/* frames.c: forward kinematics: moved frames of the steps, poses of the frames; motion of q by v. */
#include "base/memory.h"
#include "base/quat.h"
#include "model/model.h"
#include "simd/kernels.h"

typedef double pair __attribute__((vector_size(16)));
typedef double pair_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
#define PAIR_AT(p) (*(pair_anywhere *)(void *)(p))
#define PAIR_OF(p) (*(const pair_anywhere *)(const void *)(p))

/* A turn, row by row and two columns at a time: the operations of hik_pose_mul and hik_mat_turn_z. */
static void turn(const hik_pose *parent, const hik_pose *place, double angle, hik_pose *out) {
  const double *b = place->r, *t = place->t;
  double s, c;
  hik_sincos(angle, &s, &c);
  const pair x = PAIR_OF(b), y = PAIR_OF(b + 3), z = PAIR_OF(b + 6), cosine = {c, c}, sine = {s, -s};
  const pair u = {b[2], t[0]}, v = {b[5], t[1]}, w = {b[8], t[2]};
  for (int i = 0; i < 3; i++) {
    const double *a = parent->r + 3 * i;
    pair at = a[0] * x + a[1] * y + a[2] * z, more = a[0] * u + a[1] * v + a[2] * w, back = {at[1], at[0]};
    PAIR_AT(out->r + 3 * i) = cosine * at + sine * back;
    out->r[3 * i + 2] = more[0];
    out->t[i] = parent->t[i] + more[1];
  }
}

/* A ball likewise: out = at (r, t), the operations of hik_mat_mul and hik_pose_point. */
static void times(const hik_pose *HIK_RESTRICT at, const double *HIK_RESTRICT b, const double *HIK_RESTRICT t,
                  hik_pose *HIK_RESTRICT out) {
  const pair x = PAIR_OF(b), y = PAIR_OF(b + 3), z = PAIR_OF(b + 6);
  const pair u = {b[2], t[0]}, v = {b[5], t[1]}, w = {b[8], t[2]};
  for (int i = 0; i < 3; i++) {
    const double *a = at->r + 3 * i;
    pair more = a[0] * u + a[1] * v + a[2] * w;
    PAIR_AT(out->r + 3 * i) = a[0] * x + a[1] * y + a[2] * z;
    out->r[3 * i + 2] = more[0];
    out->t[i] = at->t[i] + more[1];
  }
}

static void ball(const hik_model *m, int32_t s, const double *q, const hik_pose *parent, hik_pose *out) {
  const hik_pose *place = hik_step_place(m, s);
  hik_pose at;
  double r[9];
  hik_quat_to_mat(q + m->step_q[s], r);
  if (m->step_parent[s] < 0) {
    hik_mat_mul(place->r, r, out->r);
    hik_copy3(place->t, out->t);
  } else if (m->step_plain[s]) { /* the product with ones and zeros, left out: the same bytes */
    times(parent, r, place->t, out);
  } else {
    times(parent, place->r, place->t, &at);
    hik_mat_mul(at.r, r, out->r);
    hik_copy3(at.t, out->t);
  }
}

/* `follows`: the step may follow a swing. */
HIK_INLINE void move(const hik_model *m, int32_t s, const double *q, const hik_pose *parent, bool follows,
                     hik_pose *out) {
  const hik_pose *place = hik_step_place(m, s);
  hik_pose at;
  if (m->step_parent[s] >= 0 && !m->step_plain[s] && m->step_kind[s] == HIK_TURN) {
    turn(parent, place, follows ? hik_step_value(m, s, q) : hik_step_line_value(m, s, q), out);
    return;
  }
  if (m->step_kind[s] == HIK_BALL_STEP) {
    ball(m, s, q, parent, out);
    return;
  }
  if (m->step_parent[s] < 0) {
    at = *place;
  } else if (m->step_plain[s]) { /* the product with ones and zeros, left out: the same bytes */
    memcpy(at.r, parent->r, sizeof at.r);
    hik_pose_point(parent, place->t, at.t);
  } else {
    hik_pose_mul(parent, place, &at);
  }
  if (m->step_kind[s] == HIK_TURN) {
    double sine, cosine;
    hik_sincos(follows ? hik_step_value(m, s, q) : hik_step_line_value(m, s, q), &sine, &cosine);
    hik_mat_turn_z(at.r, cosine, sine, out->r);
    hik_copy3(at.t, out->t);
  } else {
    double x = follows ? hik_step_value(m, s, q) : hik_step_line_value(m, s, q);
    for (int i = 0; i < 3; i++) at.t[i] += x * at.r[3 * i + 2];
    *out = at;
  }
}

void hik_step_move(const hik_model *m, int32_t s, const double *q, const hik_pose *parent, hik_pose *out) {
  move(m, s, q, parent, true, out);
}

void hik_step_poses(const hik_model *m, const double *q, hik_pose *world) {
  for (int32_t s = 0; s < m->n_step; s++)
    hik_step_move(m, s, q, world + (m->step_parent[s] < 0 ? 0 : m->step_parent[s]), world + s);
}

void hik_list_poses(const hik_model *m, const int32_t *list, int32_t count, const double *q,
                    hik_pose *world) {
  if (HIK_UNLIKELY(m->n_follow > 0)) {
    for (int32_t k = 0; k < count; k++) {
      int32_t s = list[k], parent = m->step_parent[s];
      hik_step_move(m, s, q, world + (parent < 0 ? 0 : parent), world + s);
    }
    return;
  }
  for (int32_t k = 0; k < count; k++) {
    int32_t s = list[k], parent = m->step_parent[s];
    move(m, s, q, world + (parent < 0 ? 0 : parent), false, world + s);
  }
}

void hik_frame_pose(const hik_model *m, int32_t frame, const hik_pose *world, hik_pose *out) {
  const hik_pose *place = hik_frame_place(m, frame);
  if (m->frame_step[frame] < 0)
    *out = *place;
  else
    hik_pose_mul(world + m->frame_step[frame], place, out);
}

size_t hik_scratch_size(const hik_model *m) {
  hik_block block = {NULL, 0, false};
  HIK_TAKE(&block, hik_pose, m->n_step);
  HIK_TAKE(&block, int32_t, m->n_step);
  HIK_TAKE(&block, double, 6 * (size_t)m->nv);
  HIK_TAKE(&block, double, 4 * (size_t)m->n_step); /* of the terms: see hik_residual_jacobian */
  return block.bad ? SIZE_MAX : block.size;
}

/* Bytes that may stay in the caches of a core: beyond, writing through them costs more than it may spare a reader. */
enum { CACHED = 16 << 20 };

static bool past_caches(int64_t n, size_t width, bool written) {
  return written && (double)n * (double)width > CACHED / sizeof(double);
}

void hik_frames(const hik_model *m, int64_t n, const double *q, double *out, bool written, void *scratch) {
  hik_pose *world = scratch, p;
  if (n > 1 && m->n_step > 0 && m->n_step <= HIK_POSE_STEPS && m->n_frame > 0) {
    bool past = past_caches(n, 16 * (size_t)m->n_frame, written);
    hik_kernels_in_use()->frames(m, n, q, out, past);
    return;
  }
  for (int64_t i = 0; i < n; i++, q += m->nq) {
    hik_step_poses(m, q, world);
    for (int32_t f = 0; f < m->n_frame; f++, out += 16) {
      hik_frame_pose(m, f, world, &p);
      hik_pose_to_mat4(&p, out);
    }
  }
}

/* The steps above `step`, itself the last, parents first; returns how many. */
static int32_t path_to(const hik_model *m, int32_t step, int32_t *list) {
  int32_t n = 0;
  for (int32_t s = step; s >= 0; s = m->step_parent[s]) n++;
  int32_t k = n;
  for (int32_t s = step; s >= 0; s = m->step_parent[s]) list[--k] = s;
  return n;
}

static int32_t *scratch_list(const hik_model *m, void *scratch) {
  hik_block block = {scratch, 0, false};
  HIK_TAKE(&block, hik_pose, m->n_step);
  return HIK_TAKE(&block, int32_t, m->n_step);
}

/* In lanes: a chain that is neither a single problem nor too long for the kernels. Same bytes either way. */
static bool in_lanes(const hik_model *m, int32_t count, int64_t n) {
  return n > 1 && count > 0 && count <= HIK_POSE_STEPS && m->nv <= HIK_POSE_COLUMNS;
}

void hik_frame(const hik_model *m, int32_t frame, int64_t n, const double *q, double *out, void *scratch) {
  hik_pose *world = scratch, p;
  int32_t *list = scratch_list(m, scratch), count = path_to(m, m->frame_step[frame], list);
  if (in_lanes(m, count, n)) {
    hik_kernels_in_use()->frame(m, frame, list, count, n, q, out);
    return;
  }
  for (int64_t i = 0; i < n; i++, q += m->nq, out += 16) {
    hik_list_poses(m, list, count, q, world);
    hik_frame_pose(m, frame, world, &p);
    hik_pose_to_mat4(&p, out);
  }
}

void hik_jacobian(const hik_model *m, int32_t frame, int64_t n, const double *q, double *out, bool written,
                  void *scratch) {
  hik_pose *world = scratch, p;
  int32_t step = m->frame_step[frame];
  int32_t *list = scratch_list(m, scratch), count = path_to(m, step, list);
  if (in_lanes(m, count, n)) {
    hik_kernels_in_use()->jacobian(m, frame, list, count, n, q, out,
                                   past_caches(n, 6 * (size_t)m->nv, written));
    return;
  }
  for (int64_t i = 0; i < n; i++, q += m->nq, out += 6 * (size_t)m->nv) {
    memset(out, 0, 6 * (size_t)m->nv * sizeof *out);
    hik_list_poses(m, list, count, q, world);
    hik_frame_pose(m, frame, world, &p);
    hik_point_jacobian(m, step, p.t, q, world, NULL, out, m->nv);
  }
}

void hik_step_motion(const hik_model *m, int32_t s, const double point[3], const hik_pose *world,
                     double move[3], double axis[3]) {
  const hik_pose *at = world + s;
  double lever[3];
  hik_mat_column(at->r, 2, axis);
  hik_sub3(point, at->t, lever);
  if (m->step_kind[s] == HIK_SLIDE) {
    hik_copy3(axis, move);
    axis[0] = axis[1] = axis[2] = 0;
  } else {
    hik_cross(axis, lever, move);
  }
}

/* Columns of the ball that step s follows. */
static void follow_columns(const hik_model *m, int32_t s, const double *row, const double point[3],
                           const double *q, const hik_pose *world, double *column, int32_t stride) {
  double rate[3], move[3], axis[3];
  hik_follow_rates(row, q + m->step_q[s], rate);
  hik_step_motion(m, s, point, world, move, axis);
  for (int k = 0; k < 3; k++, column++)
    for (int i = 0; i < 3; i++) {
      column[i * (size_t)stride] += rate[k] * move[i];
      column[(i + 3) * (size_t)stride] += rate[k] * axis[i];
    }
}

void hik_point_jacobian(const hik_model *m, int32_t step, const double point[3], const double *q,
                        const hik_pose *world, const hik_column_map *map, double *rows, int32_t stride) {
  for (int32_t s = step; s >= 0; s = m->step_parent[s]) {
    int32_t first = map ? map->first[s] : m->step_v[s];
    if (first < 0) continue;
    const hik_pose *at = world + s;
    const double *follows = hik_step_follows(m, s);
    if (follows) {
      follow_columns(m, s, follows, point, q, world, rows + first, stride);
      continue;
    }
    double *column = rows + first, scale = m->step_line[2 * (size_t)s], lever[3], axis[3], move[3];
    if (map) scale *= map->unit[first];
    hik_sub3(point, at->t, lever);
    if (m->step_kind[s] == HIK_SLIDE) {
      hik_mat_column(at->r, 2, axis);
      for (int i = 0; i < 3; i++) column[i * (size_t)stride] += scale * axis[i];
      continue;
    }
    bool ball = m->step_kind[s] == HIK_BALL_STEP;
    for (int k = ball ? 0 : 2; k < 3; k++, column++) {
      hik_mat_column(at->r, k, axis);
      hik_cross(axis, lever, move);
      for (int i = 0; i < 3; i++) {
        column[i * (size_t)stride] += scale * move[i];
        column[(i + 3) * (size_t)stride] += scale * axis[i];
      }
    }
  }
}

void hik_integrate(const hik_model *m, int64_t n, const double *q, const double *v, double *q_out) {
  for (int64_t i = 0; i < n; i++, q += m->nq, v += m->nv, q_out += m->nq)
    for (int32_t s = 0; s < m->n_step; s++) {
      if (m->joint_mimic[m->step_joint[s]] >= 0) continue;
      const double *from = q + m->step_q[s], *by = v + m->step_v[s];
      double *to = q_out + m->step_q[s], turn[4];
      if (m->step_kind[s] != HIK_BALL_STEP) {
        *to = *from + *by;
        continue;
      }
      hik_quat_exp(by, turn);
      hik_quat_mul(from, turn, to);
      hik_quat_normalize(to);
    }
}

void hik_difference(const hik_model *m, int64_t n, const double *q0, const double *q1, double *v) {
  for (int64_t i = 0; i < n; i++, q0 += m->nq, q1 += m->nq, v += m->nv)
    for (int32_t s = 0; s < m->n_step; s++) {
      if (m->joint_mimic[m->step_joint[s]] >= 0) continue;
      const double *from = q0 + m->step_q[s], *to = q1 + m->step_q[s];
      if (m->step_kind[s] != HIK_BALL_STEP) {
        v[m->step_v[s]] = *to - *from;
        continue;
      }
      double turn[4];
      hik_quat_cmul(from, to, turn);
      hik_quat_normalize(turn);
      hik_quat_log(turn, v + m->step_v[s]);
    }
}
