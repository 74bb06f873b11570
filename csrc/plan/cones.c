/* cones.c: see cones.h.

   Purpose   Limits of balls are no box: an edge between two postures inside them may leave them.
   Given     An edge, or a part of a rounded polygon.
   Returned  The part of it, from its begin, on which every ball is proved inside.
   Outcomes  None. What is not proved in MOST looks at a ball is taken for outside.
   Notes     A piece is inside where hik_swing_between says that its ends and its turn leave no room for more than the slack;
             else it is halved, the left half first, down to FINE radians. A place that is looked at must be inside to
             rounding: then no piece that ends there is taken. A rounded polygon turns no faster than its fastest edge on the
             way, U. Its angular velocity is a sum of those of edges, each turned by what is gone of the later ones: it changes
             by the densities of corners times the sum of both edges' speeds, and by the edges turning each other, U^2 / 2.
   Reference own */
#include "plan/cones.h"

#include "base/memory.h"

enum { STACK = 64, MOST = 2000 };

static const double FINE = 1e-5;   /* radians of a piece that is not halved further */
static const double COARSE = 1e-3; /* the same where the piece ends outside */

/* How one ball turns: from `from` by t w; or with a rounded polygon, t its s. */
typedef struct turning {
  const hik_swing *room;
  const double *from, *w;
  const hik_smooth *way; /* NULL: an edge */
  size_t at_q, at_v, nq, nv;
  double turn; /* of an edge, for t from 0 to 1 */
  int32_t near;
} turning;

typedef struct place {
  double t, x[3];
  bool inside;
} place;

static double length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* What edge j of a rounded polygon turns the ball by, and at which speed. */
static const double *way_of(const turning *b, int32_t j) { return b->way->way + (size_t)j * b->nv + b->at_v; }
static double speed_of(const turning *b, int32_t j) {
  return length(way_of(b, j)) / (b->way->at[j + 1] - b->way->at[j]);
}

static place look(const turning *b, double t) {
  double move[3], step[4], q[4], next[4];
  int32_t first = 0, last = 0;
  if (b->way) hik_smooth_edges(b->way, b->near, t, t, &first, &last);
  memcpy(q, b->way ? b->way->q + (size_t)first * b->nq + b->at_q : b->from, sizeof q);
  for (int32_t j = first; j <= last; j++) {
    double share = b->way ? hik_smooth_share(b->way, j, t) : t;
    const double *w = b->way ? way_of(b, j) : b->w;
    for (int i = 0; i < 3; i++) move[i] = share * w[i];
    hik_quat_exp(move, step);
    hik_quat_mul(q, step, next);
    memcpy(q, next, sizeof q);
  }
  hik_quat_make_unit(q);
  place out = {.t = t};
  hik_swing_split(b->room, q, out.x);
  out.inside = hik_swing_within(out.x, hik_swing_excess(b->room, out.x), HIK_CONES_LOOK);
  return out;
}

/* By how much the ball turns from `low` to `high` at most, and its angular acceleration times the square of the time. */
static double turns(const turning *b, double low, double high, double *bend) {
  double part = high - low, most = 0, push = 0;
  int32_t first, last;
  *bend = 0;
  if (!b->way) return b->turn * part;
  hik_smooth_edges(b->way, b->near, low, high, &first, &last);
  for (int32_t j = first; j <= last; j++) {
    double speed = speed_of(b, j);
    most = fmax(most, speed);
    if (j > first && b->way->half[j] > 0)
      push += (speed_of(b, j - 1) + speed) / ((2 - 2 * HIK_SMOOTH_RISE) * b->way->half[j]);
  }
  if (last > first) *bend = (push + 0.5 * most * most) * part * part;
  return most * part;
}

/* How far from `low` the way is proved inside; `whole`: nothing less than all of it is of any use. */
static double along(const turning *b, double low, double high, bool whole, int64_t *looks) {
  place stack[STACK], from = look(b, low);
  int32_t depth = 0, count = 2;
  stack[depth++] = look(b, high);
  bool hopeless = !from.inside || (whole && !stack[0].inside);
  while (!hopeless && depth > 0) {
    const place *to = stack + depth - 1;
    double bend, turn = turns(b, from.t, to->t, &bend);
    if (to->inside && hik_swing_between(b->room, from.x, to->x, turn, bend) <= HIK_CONES_SLACK) {
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
    share = fmin(share, along(&b, 0, 1, whole, looks));
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

double hik_cones_smooth(const hik_model *m, const hik_smooth *way, int32_t near, double low, double high,
                        int64_t *looks) {
  double proved = high;
  for (int32_t s = 0; s < m->n_step && proved > low; s++) {
    const hik_swing *room = room_of(m, s);
    if (!room) continue;
    turning b = {.room = room,
                 .way = way,
                 .at_q = (size_t)m->step_q[s],
                 .at_v = (size_t)m->step_v[s],
                 .nq = (size_t)m->nq,
                 .nv = (size_t)m->nv,
                 .near = near};
    proved = along(&b, low, proved, false, looks);
  }
  return proved;
}
