/* cones.c: see cones.h.

   Purpose   Limits of balls are no box: an edge between two postures inside them may leave them.
   Given     An edge, or a corner's curve.
   Returned  The part of it, from its begin, on which every ball is proved inside.
   Outcomes  None. What is not proved in MOST looks at a ball is taken for outside.
   Notes     A piece is inside where hik_swing_between says that its ends and its turn leave no room for more than the slack;
             else it is halved, the left half first, down to FINE radians. A place that is looked at must be inside to
             rounding: then no piece that ends there is taken. al'' of a corner is at most 4 and al' at most 2, so with U =
             |u1| + |u2| of the ball the curve turns by 2 r U a unit of t, and the angular acceleration, J x'' + J' x' with
             |J| <= 1 and |J'| <= |x'| / 2, is at most 4 r U + 2 (r U)^2.
   Reference own */
#include "plan/cones.h"

#include "base/memory.h"

enum { STACK = 64, MOST = 2000 };

static const double FINE = 1e-5;   /* radians of a piece that is not halved further */
static const double COARSE = 1e-3; /* the same where the piece ends outside */

/* How one ball turns: from `from` by t w; or by r (be(t) two - al(t) w). */
typedef struct turning {
  const hik_swing *room;
  const double *from, *w, *two;
  double r, turn, bend; /* of t from 0 to 1: see hik_swing_between */
} turning;

typedef struct place {
  double t, x[3];
  bool inside;
} place;

static place look(const turning *b, double t) {
  double move[3], step[4], q[4];
  double al = b->two ? -b->r * hik_corner_falling(t) : t, be = b->two ? b->r * hik_corner_falling(1 - t) : 0;
  for (int i = 0; i < 3; i++) move[i] = al * b->w[i] + (b->two ? be * b->two[i] : 0);
  hik_quat_exp(move, step);
  hik_quat_mul(b->from, step, q);
  hik_quat_make_unit(q);
  place out = {.t = t};
  hik_swing_split(b->room, q, out.x);
  out.inside = hik_swing_within(out.x, hik_swing_excess(b->room, out.x), HIK_CONES_LOOK);
  return out;
}

static double along(const turning *b, bool whole, int64_t *looks) {
  place stack[STACK], from = look(b, 0);
  int32_t depth = 0, count = 2;
  stack[depth++] = look(b, 1);
  bool hopeless = !from.inside || (whole && !stack[0].inside);
  while (!hopeless && depth > 0) {
    const place *to = stack + depth - 1;
    double part = to->t - from.t, turn = b->turn * part;
    if (to->inside &&
        hik_swing_between(b->room, from.x, to->x, turn, b->bend * part * part) <= HIK_CONES_SLACK) {
      from = *to, depth--;
      continue;
    }
    if (turn < (to->inside ? FINE : COARSE) || count >= MOST || depth == STACK) break;
    stack[depth++] = look(b, 0.5 * (from.t + to->t)), count++;
    hopeless = whole && !stack[depth - 1].inside;
  }
  *looks += count;
  return from.t;
}

static double length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* The room of step s, where it is a ball that may move and has limits; NULL: nothing to look at. */
static const hik_swing *room_of(const hik_model *m, int32_t s) {
  const hik_swing *room = hik_step_cone(m, s);
  return m->step_kind[s] == HIK_BALL_STEP && room && !room->held ? room : NULL;
}

double hik_cones_edge(const hik_model *m, const double *q0, const double *v, bool whole, int64_t *looks) {
  double share = 1;
  for (int32_t s = 0; s < m->n_step && share > 0; s++) {
    const hik_swing *room = room_of(m, s);
    if (!room) continue;
    turning b = {.room = room, .from = q0 + m->step_q[s], .w = v + m->step_v[s]};
    b.turn = length(b.w);
    share = fmin(share, along(&b, whole, looks));
    if (whole && share < 1) return 0;
  }
  return share;
}

bool hik_cones_edges(const hik_model *m, int64_t n, const double *q0, const double *q1, bool *inside) {
  double *v = hik_allocate_raw(((size_t)m->nv + 1) * sizeof *v);
  int64_t looks = 0;
  for (int64_t i = 0; v && i < n; i++, q0 += m->nq, q1 += m->nq) {
    hik_difference(m, 1, q0, q1, v);
    inside[i] = hik_cones_edge(m, q0, v, true, &looks) >= 1;
  }
  hik_release(v);
  return v != NULL;
}

bool hik_cones_curve(const hik_model *m, const double *q, const double *u1, const double *u2, double r,
                     int64_t *looks) {
  for (int32_t s = 0; s < m->n_step; s++) {
    const hik_swing *room = room_of(m, s);
    if (!room) continue;
    turning b = {
        .room = room, .from = q + m->step_q[s], .w = u1 + m->step_v[s], .two = u2 + m->step_v[s], .r = r};
    double most = 2 * r * (length(b.w) + length(b.two));
    b.turn = most, b.bend = 2 * most + 0.5 * most * most;
    if (along(&b, true, looks) < 1) return false;
  }
  return true;
}
