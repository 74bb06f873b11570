/* frames.inc.c: poses of one frame or all, and Jacobians of one, in lanes.

   Purpose   forward kinematics of one frame or of all, and the Jacobian of one
   Given     the steps above the frame, parents first; q [n][nq]
   Returned  what hik_frame, hik_frames and hik_jacobian give for one q at a time, by the same operations in the same order
   Notes     The lanes of the last, unfilled group repeat the last problem. */
#include "simd/kernels.h"
#include "simd/lanes.h"

/* ---- on the way to rows ----

   Rows that shall go past the caches are first laid out in the first of them, a group at a time, and then written in
   whole lines: memory need not be read before it is written, and no store crosses from one line into the next. Without
   LANE_STREAMS they are written as ever: two doubles a store are slower past the caches than through them. */

enum { STAGED = 3072, LINE = 64 }; /* doubles of a group in the first cache, 24 KiB; bytes of a line */

typedef struct sink {
  double *out;
  size_t width; /* of a problem's row */
  int64_t n;
  bool past;
  double stage[STAGED] __attribute__((aligned(64)));
} sink;

HIK_INLINE void sink_begin(sink *to, double *out, size_t width, int64_t n, bool past) {
  to->out = out, to->width = width, to->n = n;
  to->past = past && LANE_STREAMS && width <= STAGED / LANES;
}

/* Lanes in [width] to the columns `at` .. of the rows of the group whose first problem is `first`. */
HIK_INLINE void sink_put(sink *to, const lane *in, size_t width, size_t at, int64_t first) {
  if (to->past)
    lane_store_part(in, width, to->width, 0, to->n - first, to->stage + at);
  else
    lane_store_part(in, width, to->width, first, to->n, to->out + at);
}

/* After all columns of a group. */
HIK_INLINE void sink_flush(sink *to, int64_t first) {
  if (!to->past) return;
  size_t total = (size_t)(to->n - first < LANES ? to->n - first : LANES) * to->width, done = 0;
  double *out = to->out + (size_t)first * to->width;
  for (; done < total && ((uintptr_t)(out + done) & (LINE - 1)) != 0; done++) out[done] = to->stage[done];
  for (; done + LANES <= total; done += LANES) LANE_STREAM(out + done, LANE_OF(to->stage + done));
  for (; done < total; done++) out[done] = to->stage[done];
}

/* After all groups: what went past the caches is there before anything that other threads are told later. */
HIK_INLINE void sink_end(const sink *to) {
  if (to->past) LANE_FENCE();
}

/* Coordinates of LANES problems: all that q has, where that is not much more than the chain uses, turned in registers;
   else those of a step at a time. */
enum { COORDINATES = 2 * HIK_POSE_COLUMNS };

typedef struct gathered {
  const hik_model *m;
  const double *q;
  int64_t first, n;
  bool whole;
  lane all[COORDINATES], some[4];
} gathered;

HIK_INLINE void gather_begin(const hik_model *m, const double *q, int32_t count, int64_t n, gathered *from) {
  from->m = m, from->q = q, from->n = n;
  from->whole = m->nq <= 4 * count && m->nq <= COORDINATES;
}

HIK_INLINE void gather_group(gathered *from, int64_t first) {
  from->first = first;
  if (from->whole) lane_load(from->q, from->m->nq, first, from->n, from->all);
}

/* The coordinates of step s, or of the ball whose swing it follows. */
HIK_INLINE const lane *gather(gathered *from, int32_t s) {
  const hik_model *m = from->m;
  if (from->whole) return from->all + m->step_q[s];
  double *at = (double *)from->some;
  int width = m->step_kind[s] == HIK_BALL_STEP || hik_step_follows(m, s) ? 4 : 1;
  for (int i = 0; i < LANES; i++) {
    int64_t k = from->first + i < from->n ? from->first + i : from->n - 1;
    const double *row = from->q + (size_t)k * (size_t)m->nq + m->step_q[s];
    for (int c = 0; c < width; c++) at[c * LANES + i] = row[c];
  }
  return from->some;
}

/* hik_step_move: pose [12] holds the moved frame above on entry, that of step s on return. */
HIK_INLINE void move_next(const hik_model *m, int32_t s, const lane *value, lane *pose) {
  const double *row = hik_step_follows(m, s);
  if (HIK_UNLIKELY(row != NULL))
    move_step_to(m, s, follow_value(row, value), NULL, pose);
  else
    move_step(m, s, value, pose);
}

/* A pose as a matrix, rows [16]: hik_pose_to_mat4. */
HIK_INLINE void pose_rows(const lane *pose, lane *rows) {
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) rows[4 * r + c] = pose[3 * r + c];
    rows[4 * r + 3] = pose[9 + r];
  }
  for (int c = 0; c < 4; c++) rows[12 + c] = lane_all(c == 3);
}

static void frame_pose(const hik_model *m, int32_t frame, const int32_t *list, int32_t count, int64_t n,
                       const double *q, double *out) {
  const double *place = m->frame_placement + 12 * (size_t)frame;
  lane pose[12] = {{0}}, end[12], rows[16];
  gathered from;
  gather_begin(m, q, count, n, &from);
  for (int64_t first = 0; first < n; first += LANES) {
    gather_group(&from, first);
    for (int32_t k = 0; k < count; k++) move_next(m, list[k], gather(&from, list[k]), pose);
    times_place(pose, place, end);
    pose_rows(end, rows);
    lane_store(rows, 16, first, n, out);
  }
}

/* Poses of the steps of a group, pose [n_step]. */
HIK_INLINE void move_all(const hik_model *m, gathered *from, lane (*pose)[12]) {
  lane now[12] = {{0}};
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t parent = m->step_parent[s];
    if (parent >= 0 && parent != s - 1) /* else it is what `now` holds, or is not read */
      for (int i = 0; i < 12; i++) now[i] = pose[parent][i];
    move_next(m, s, gather(from, s), now);
    for (int i = 0; i < 12; i++) pose[s][i] = now[i];
  }
}

static void frame_poses(const hik_model *m, int64_t n, const double *q, double *out, bool past) {
  lane pose[HIK_POSE_STEPS][12], end[12], rows[16];
  gathered from;
  sink to;
  gather_begin(m, q, m->n_step, n, &from);
  sink_begin(&to, out, 16 * (size_t)m->n_frame, n, past);
  for (int64_t first = 0; first < n; first += LANES) {
    gather_group(&from, first);
    move_all(m, &from, pose);
    for (int32_t f = 0; f < m->n_frame; f++) {
      const double *place = m->frame_placement + 12 * (size_t)f;
      if (m->frame_step[f] < 0)
        lane_spread(place, 12, end);
      else
        times_place(pose[m->frame_step[f]], place, end);
      pose_rows(end, rows);
      sink_put(&to, rows, 16, 16 * (size_t)f, first);
    }
    sink_flush(&to, first);
  }
  sink_end(&to);
}

/* hik_point_jacobian, one step: adds its columns to rows [6][columns]. */
HIK_INLINE void add_columns(const hik_model *m, int32_t s, const lane *pose, const lane *point, lane *rows,
                            int32_t columns) {
  lane *column = rows + m->step_v[s], scale = lane_all(m->step_line[2 * (size_t)s]), lever[3];
  for (int i = 0; i < 3; i++) lever[i] = point[i] - pose[9 + i];
  if (m->step_kind[s] == HIK_SLIDE) {
    for (int i = 0; i < 3; i++) column[i * columns] += scale * pose[3 * i + 2];
    return;
  }
  for (int k = m->step_kind[s] == HIK_BALL_STEP ? 0 : 2; k < 3; k++, column++) {
    lane x = pose[k], y = pose[3 + k], z = pose[6 + k];
    column[0] += scale * (y * lever[2] - z * lever[1]);
    column[columns] += scale * (z * lever[0] - x * lever[2]);
    column[2 * columns] += scale * (x * lever[1] - y * lever[0]);
    column[3 * columns] += scale * x;
    column[4 * columns] += scale * y;
    column[5 * columns] += scale * z;
  }
}

/* The same of a step that follows a swing: the columns of the ball. */
HIK_INLINE void add_follow_columns(const hik_model *m, int32_t s, const double *row, const lane *quat,
                                   const lane *pose, const lane *point, lane *rows, int32_t columns) {
  lane *column = rows + m->step_v[s], turn[9], way[3], rate[3], lever[3], move[3];
  const lane axis[3] = {pose[2], pose[5], pose[8]};
  bool slide = m->step_kind[s] == HIK_SLIDE;
  ball_rotation(quat, turn);
  lane_carry(turn, row, way);
  follow_rates(row, turn, way, rate);
  for (int i = 0; i < 3; i++) lever[i] = point[i] - pose[9 + i];
  if (!slide) lane_cross(axis, lever, move);
  for (int k = 0; k < 3; k++, column++)
    for (int i = 0; i < 3; i++) {
      column[i * columns] += rate[k] * (slide ? axis : move)[i];
      if (!slide) column[(i + 3) * columns] += rate[k] * axis[i];
    }
}

static void jacobian(const hik_model *m, int32_t frame, const int32_t *list, int32_t count, int64_t n,
                     const double *q, double *out, bool past) {
  const double *place = m->frame_placement + 12 * (size_t)frame;
  lane pose[HIK_POSE_STEPS][12], rows[6 * HIK_POSE_COLUMNS];
  int32_t columns = m->nv;
  gathered from;
  sink to;
  gather_begin(m, q, count, n, &from);
  past = past && LANES == 8; /* narrower lanes take longer than memory */
  sink_begin(&to, out, 6 * (size_t)columns, n, past);
  for (int64_t first = 0; first < n; first += LANES) {
    lane now[12] = {{0}}, end[12];
    gather_group(&from, first);
    for (int32_t k = 0; k < count; k++) {
      move_next(m, list[k], gather(&from, list[k]), now);
      for (int i = 0; i < 12; i++) pose[k][i] = now[i];
    }
    times_place(now, place, end);
    for (int32_t k = 0; k < 6 * columns; k++) rows[k] = lane_all(0);
    for (int32_t k = count - 1; k >= 0; k--) {
      const double *row = hik_step_follows(m, list[k]);
      if (HIK_UNLIKELY(row != NULL))
        add_follow_columns(m, list[k], row, gather(&from, list[k]), pose[k], end + 9, rows, columns);
      else
        add_columns(m, list[k], pose[k], end + 9, rows, columns);
    }
    sink_put(&to, rows, 6 * (size_t)columns, 0, first);
    sink_flush(&to, first);
  }
  sink_end(&to);
}
