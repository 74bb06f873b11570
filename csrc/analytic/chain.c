/* chain.c: from a model's steps to a chain of links; see chain.h. */
#include "analytic/chain.h"

#define STILL                                                                                                \
  1e-12 /* limits no farther apart than this hold a joint: what is left of it does not show in a pose */

/* Whether the step can move; a joint that its limits hold is part of a link. */
static bool moves(const hik_model *m, int32_t s) {
  if (m->step_kind[s] == HIK_BALL_STEP) return !hik_step_held(m, s);
  if (hik_step_follows(m, s)) return !hik_step_held(m, hik_step_leader(m, s));
  double low = m->lower[m->step_q[s]], high = m->upper[m->step_q[s]];
  return !(high - low <= STILL);
}

/* The moving steps above the frame, world first, each with its place in the moved frame of the moving step before; *tip:
   the frame in that of the last. -1 when there are more than fit. */
static int path(const hik_model *m, int32_t frame, int32_t *step, hik_pose *place, hik_pose *tip) {
  hik_pose below = *hik_frame_place(m, frame), still, next;
  int n = 0;
  for (int32_t s = m->frame_step[frame]; s >= 0; s = m->step_parent[s]) {
    if (moves(m, s)) {
      if (n == HIK_LOOP_MAX) return -1;
      *(n > 0 ? &place[n - 1] : tip) = below;
      step[n++] = s;
      below = *hik_step_place(m, s);
    } else {
      hik_step_move(m, s, m->rest, &hik_pose_identity, &still); /* its rest is inside its limits */
      hik_pose_mul(&still, &below, &next);
      below = next;
    }
  }
  *(n > 0 ? &place[n - 1] : tip) = below;
  for (int i = 0; i < n / 2; i++) {
    int32_t s = step[i];
    step[i] = step[n - 1 - i], step[n - 1 - i] = s;
    next = place[i], place[i] = place[n - 1 - i], place[n - 1 - i] = next;
  }
  return n;
}

/* Moves origins along turning axes (anywhere for a slide) towards the joints before and after. */
static void shorten(const hik_chain *c, hik_pose *at) {
  for (int i = 0; i < c->n; i++) {
    const double *before = i > 0 ? at[i - 1].t : NULL;
    if (c->kind[i] == HIK_SLIDE) {
      if (before) hik_copy3(before, at[i].t);
      continue;
    }
    double z[3], d[3], y[3], n[3];
    hik_mat_column(at[i].r, 2, z);
    int j = i + 1 < c->n && c->kind[i + 1] == HIK_TURN ? i + 1
            : i > 0 && c->kind[i - 1] == HIK_TURN      ? i - 1
                                                       : -1;
    bool done = false;
    if (j >= 0) { /* foot of the common normal with the next axis, or with the one before */
      hik_mat_column(at[j].r, 2, y);
      hik_sub3(at[j].t, at[i].t, d);
      hik_cross(z, y, n);
      double square = hik_dot(n, n);
      if (square > 1e-6) {
        double w[3];
        hik_cross(d, y, w);
        hik_axpy3(at[i].t, hik_dot(w, n) / square, z, at[i].t);
        done = true;
      }
    }
    if (!done && before) { /* parallel: level with the one before */
      hik_sub3(before, at[i].t, d);
      hik_axpy3(at[i].t, hik_dot(d, z), z, at[i].t);
    }
  }
}

hik_status hik_chain_of(const hik_model *m, int32_t frame, hik_chain *c, hik_error *error) {
  int32_t step[HIK_LOOP_MAX];
  hik_pose at[HIK_LOOP_MAX], place[HIK_LOOP_MAX], now = hik_pose_identity, next, back, last, tip;
  memset(c, 0, sizeof *c);
  if (frame < 0 || frame >= m->n_frame)
    return hik_fail(error, HIK_NOT_FOUND, frame, "there is no frame %d", frame);
  int n = path(m, frame, step, place, &last);
  if (n < 0)
    return hik_fail(error, HIK_UNSUPPORTED, frame,
                    "closed forms take at most 7 joints that move between the world and the frame");
  c->n = n;
  for (int i = 0; i < n; i++) {
    int32_t s = step[i];
    if (hik_step_follows(m, s))
      return hik_fail(error, HIK_UNSUPPORTED, m->step_joint[s],
                      "a joint above the frame follows the swing of a ball; use an iterative solver");
    if (m->step_kind[s] != HIK_TURN && m->step_kind[s] != HIK_SLIDE)
      return hik_fail(
          error, HIK_UNSUPPORTED, m->step_joint[s],
          "closed forms take turns and slides only; use an iterative solver for ball and free joints");
    c->kind[i] = m->step_kind[s];
    c->q[i] = m->step_q[s];
    for (int j = 0; j < i; j++)
      if (c->q[j] == c->q[i])
        return hik_fail(error, HIK_UNSUPPORTED, m->step_joint[s],
                        "two joints above the frame share a coordinate (mimic); use an iterative solver");
    memcpy(c->line[i], m->step_line + 2 * (size_t)s, sizeof c->line[i]);
    c->lower[i] = m->lower[c->q[i]], c->upper[i] = m->upper[c->q[i]];
    hik_pose_mul(&now, &place[i], &next);
    at[i] = now = next;
  }
  hik_pose_mul(&now, &last, &tip);
  shorten(c, at);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    hik_pose_inverse(&at[i], &back);
    hik_pose_mul(&back, i + 1 < n ? &at[i + 1] : &tip, &c->link[i]);
    sum += hik_norm(c->link[i].t);
  }
  c->scale = sum > 1e-9 ? 0.4 * sum : 1;
  c->base = n > 0 ? at[0] : hik_pose_identity;
  hik_scale3(1 / c->scale, c->base.t, c->base.t);
  for (int i = 0; i < n; i++) hik_scale3(1 / c->scale, c->link[i].t, c->link[i].t);
  return HIK_OK;
}

void hik_chain_loop(const hik_chain *c, const hik_pose *pose, hik_loop *loop) {
  hik_pose back, rest, target = *pose;
  hik_scale3(1 / c->scale, target.t, target.t);
  hik_pose_inverse(&target, &back);
  hik_pose_mul(&back, &c->base, &rest);
  loop->n = c->n;
  memcpy(loop->kind, c->kind, sizeof loop->kind);
  for (int i = 0; i + 1 < c->n; i++) loop->g[i] = c->link[i];
  hik_pose_mul(&c->link[c->n - 1], &rest, &loop->g[c->n - 1]);
}

void hik_chain_row(const hik_chain *c, const double *theta, double *row) {
  for (int i = 0; i < c->n; i++) {
    double x = c->kind[i] == HIK_TURN ? theta[i] : theta[i] * c->scale;
    row[i] = c->line[i][0] != 1 || c->line[i][1] != 0 ? (x - c->line[i][1]) / c->line[i][0] : x;
  }
}

bool hik_chain_unwind(const hik_chain *c, const double *theta, double *row, double *moved) {
  hik_chain_row(c, theta, row);
  *moved = 0;
  for (int i = 0; i < c->n; i++) {
    bool turn = c->kind[i] == HIK_TURN;
    double unit = turn ? 1 : c->scale, slack = HIK_NEAR_LIMIT * unit;
    double lo = c->lower[i], hi = c->upper[i], x = row[i];
    if (x != x) return false;
    if (turn && !(x >= lo - slack && x <= hi + slack)) {
      double period = 2 * HIK_PI / fabs(c->line[i][0]);
      double first = ceil((lo - slack - x) / period), last = floor((hi + slack - x) / period);
      if (!(first <= last)) return false;
      x += period * (first > 0 ? first : last < 0 ? last : 0);
    }
    if (!(x >= lo - slack && x <= hi + slack)) return false;
    row[i] = hik_clip(x, lo, hi);
    *moved = fmax(*moved, fabs(row[i] - x) / unit);
  }
  return true;
}
