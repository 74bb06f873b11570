/* tree.inc.c: the body of tree.h.

   Purpose   a step of damped least squares for points, rotations, axes, angles and distances of any frames of a tree
   Given     coordinates inside their limits, targets
   Returned  those after the step, inside their limits; squared error of those before it; which lanes have ended
   Notes     The method is that of solve/squares/descent.c (hik_descent_damped_step): what is pushed out of its limits is held,
             what would leave them is put on the edge and its part taken from the residual, and the rest is solved again.
             Only the blocks of 3 rows that a column moves are kept of J; single rows stand three in a block, and what is
             left of one is zero, which the damping keeps from mattering. */
#include "base/tuning.h"
#include "simd/tree_cone.h"

/* What is between the ends of a row: how they stand in the world, the way in which it grows (unit; of an angle, about which the
   axis turns), and how much too much it is. */
typedef struct tree_between {
  lane end[2][3], way[3], excess;
} tree_between;

typedef struct tree_work {
  lane *pose, *frame;     /* [count][12], [goals][12] */
  room_work *room;        /* [rooms] */
  lane *led;              /* [leads][12] rotations of balls that others follow, and where their bones point */
  lane *axis, *cell;      /* [movers][3], [cells][3] */
  lane *square, *solved;  /* J J' of the free columns; the same with damping, being solved */
  lane *e, *y;            /* [3 blocks] what is still to be moved, scaled; its multipliers */
  lane *move, *down, *up; /* [columns] */
  lane *d;                /* [columns] the step */
  tree_between *between;  /* [rows] */
  lane_mask *on;          /* [columns] free */
} tree_work;

HIK_INLINE void tree_lay_out(const hik_tree *t, const hik_descent_state *s, tree_work *w) {
  size_t m = 3 * (size_t)t->blocks, n = (size_t)t->columns, triangle = m * (m + 1) / 2;
  lane *at = LANE_ROWS(s->work);
  w->pose = at, at += 12 * (size_t)t->count;
  w->frame = at, at += 12 * (size_t)t->goals;
  w->room = (room_work *)(void *)at, at += HIK_TREE_ROOM * (size_t)t->rooms;
  w->led = at, at += HIK_TREE_LED * (size_t)t->leads;
  w->axis = at, at += 3 * (size_t)t->movers;
  w->cell = at, at += 3 * (size_t)t->cells;
  w->square = at, at += triangle;
  w->solved = at, at += triangle;
  w->e = at, at += m;
  w->y = at, at += m;
  w->move = at, at += n;
  w->down = at, at += n;
  w->up = at, at += n;
  w->d = at, at += n;
  w->between = (tree_between *)(void *)at, at += HIK_TREE_BETWEEN * (size_t)t->rows;
  w->on = (lane_mask *)(void *)at;
}

static void tree_forward(const hik_tree *t, const lane *now, tree_work *w) {
  for (const hik_tree_joint *j = t->joint; j < t->joint + t->joints; j++)
    if (j->cone) tree_cone_quat(j->cone, now + j->slot, w->room + j->room);
  for (int32_t k = 0; k < t->leads; k++) {
    const hik_tree_lead *l = t->lead + k;
    lane *r = w->led + HIK_TREE_LED * (size_t)k;
    ball_rotation(l->room < 0 ? now + l->slot : w->room[l->room].quat, r);
    lane_carry(r, l->bone, r + 9);
  }
  for (int32_t k = 0; k < t->count; k++) {
    lane *pose = w->pose + 12 * (size_t)k;
    int32_t s = t->step[k], lead = t->follow[k];
    const lane *value = t->cone[k] < 0 ? now + t->slot[k] : w->room[t->joint[t->cone[k]].room].quat;
    if (t->parent[k] >= 0) memcpy(pose, w->pose + 12 * (size_t)t->parent[k], 12 * sizeof *pose);
    if (lead < 0)
      move_step(t->model, s, value, pose);
    else
      move_step_to(t->model, s,
                   follow_value_at(hik_step_follows(t->model, s), w->led + HIK_TREE_LED * (size_t)lead + 9),
                   NULL, pose);
  }
  for (int32_t g = 0; g < t->goals; g++)
    times_place(w->pose + 12 * (size_t)t->goal[g].step, t->goal[g].place, w->frame + 12 * (size_t)g);
}

/* An axis of a goal and the point it is seen from; the way from there to the point looked at, unit, and one over how far
   that is. 0: the eye stands on it and there is no way. */
typedef struct tree_look {
  lane axis[3], eye[3], way[3], nearer;
} tree_look;

static void tree_look_from(const hik_tree_goal *g, const lane *frame, const lane *point, tree_look *l) {
  lane from[3];
  lane_carry(frame, g->axis, l->axis);
  lane_carry(frame, g->eye, l->eye);
  for (int i = 0; i < 3; i++) {
    l->eye[i] = frame[9 + i] + l->eye[i];
    from[i] = point[i] - l->eye[i];
  }
  lane far = lane_root(lane_dot(from, from));
  l->nearer = lane_choose(far > 0, 1 / far, lane_all(0));
  for (int i = 0; i < 3; i++) l->way[i] = l->nearer * from[i];
}

/* What a motion about (for a slide: along) `axis` through `at` gives the axis that looks, less the way it should. */
HIK_INLINE void tree_look_column(const tree_look *l, const lane *axis, const lane *at, bool slide,
                                 lane *out) {
  lane lever[3], moved[3], turned[3];
  for (int i = 0; i < 3; i++) lever[i] = l->eye[i] - at[i];
  lane_cross(axis, lever, moved);
  lane_cross(axis, l->axis, turned);
  for (int i = 0; slide && i < 3; i++) moved[i] = axis[i], turned[i] = lane_all(0);
  lane along = lane_dot(moved, l->way);
  for (int i = 0; i < 3; i++) out[i] = turned[i] + l->nearer * (moved[i] - along * l->way[i]);
}

/* Unscaled residual e [3] of a block; returns its square. */
HIK_INLINE lane tree_block_residual(const hik_tree *t, const hik_tree_block *b, const tree_work *w,
                                    const lane *target, lane *e) {
  const lane *frame = w->frame + 12 * (size_t)b->goal, *want = target + 12 * (size_t)b->goal;
  if (b->kind == HIK_TREE_POINT) return straight_residual(frame + 9, want + 9, e);
  if (b->kind != HIK_TREE_ROTATION) {
    tree_look l;
    tree_look_from(t->goal + b->goal, frame, want + 9, &l);
    return straight_residual(l.axis, b->kind == HIK_TREE_AXIS ? want : l.way, e);
  }
  lane columns[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) columns[j][i] = frame[3 * i + j];
  return turn_residual(columns[0], columns[1], columns[2], want, e);
}

static void tree_between_of(const hik_tree_row *r, const tree_work *w, tree_between *b) {
  bool distance = r->kind == HIK_TREE_DISTANCE;
  lane apart[3];
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < 3; i++) b->end[side][i] = lane_all(r->end[side][i]);
    if (r->step[side] < 0) continue;
    const lane *pose = w->pose + 12 * (size_t)r->step[side];
    lane_carry(pose, r->end[side], b->end[side]);
    for (int i = 0; i < 3 && distance; i++) b->end[side][i] += pose[9 + i];
  }
  if (distance)
    for (int i = 0; i < 3; i++) apart[i] = b->end[0][i] - b->end[1][i];
  else
    lane_cross(b->end[1], b->end[0], apart);
  lane size = lane_root(lane_dot(apart, apart)), inverse = 1 / size;
  lane n = distance ? size : lane_atan2(size, lane_dot(b->end[0], b->end[1]));
  lane_mask tells = size > (distance ? 1e-100 : 1e-12);
  for (int i = 0; i < 3; i++) b->way[i] = lane_choose(tells, inverse * apart[i], lane_all(r->aside[i]));
  /* n - n: zero, or no number where n is none */
  b->excess = lane_choose(n > r->most, n - r->most, lane_choose(n < r->least, n - r->least, n - n));
}

/* w->e; returns the square, and in `near` the lanes where every goal may be met. */
static lane tree_residual(const hik_tree *t, const lane *target, tree_work *w, lane_mask *near) {
  lane sum = lane_all(0);
  *near = sum == 0;
  for (int32_t i = 3 * t->whole; i < 3 * t->blocks; i++) w->e[i] = lane_all(0);
  for (int32_t i = 0; i < t->rows; i++) {
    const hik_tree_row *r = t->row + i;
    tree_between *b = w->between + i;
    tree_between_of(r, w, b);
    *near &= b->excess * b->excess <= r->near;
    w->e[r->row] = -r->scale * b->excess;
    sum += w->e[r->row] * w->e[r->row];
  }
  for (int32_t i = 0; i < t->whole; i++) {
    const hik_tree_block *b = t->block + i;
    lane *e = w->e + 3 * (size_t)i, square = tree_block_residual(t, b, w, target, e);
    *near &= square <= b->near;
    for (int k = 0; k < 3; k++) e[k] *= b->scale;
    sum += b->scale * b->scale * square;
  }
  return sum;
}

/* Room of the columns; axes of the movers of balls with limits. */
static void tree_room(const hik_tree *t, const lane *now, tree_work *w) {
  for (const hik_tree_joint *j = t->joint; j < t->joint + t->joints; j++) {
    lane *down = w->down + j->column, *up = w->up + j->column;
    if (j->kind == HIK_TREE_LINE) {
      double inverse = 1 / j->unit;
      *down = (j->lower - now[j->slot]) * inverse, *up = (j->upper - now[j->slot]) * inverse;
    } else if (j->kind == HIK_TREE_BALL) {
      for (int i = 0; i < 3; i++) down[i] = lane_all(-INFINITY), up[i] = lane_all(INFINITY);
    } else {
      room_work *room = w->room + j->room;
      if (j->kind == HIK_TREE_CONE)
        tree_cone_room(j->cone, now + j->slot, room, down, up);
      else
        tree_reach_room(j->cone, now + j->slot, room, down, up);
      tree_cone_turns(j->cone, now + j->slot, room);
      for (size_t i = 0; i < 3; i++)
        lane_rotate(w->pose + 12 * (size_t)j->step, room->turned[i], w->axis + 3 * ((size_t)j->mover + i));
    }
  }
}

/* What the columns of the ball do to the coordinate of step k of the list, which follows its swing. */
static void tree_follow_rates(const hik_tree *t, int32_t k, const tree_work *w, lane *rate) {
  const hik_tree_lead *l = t->lead + t->follow[k];
  const lane *r = w->led + HIK_TREE_LED * (size_t)t->follow[k];
  lane own[3];
  follow_rates(hik_step_follows(t->model, t->step[k]), r, r + 9, own);
  for (int i = 0; i < 3; i++) rate[i] = l->room < 0 ? own[i] : lane_dot(w->room[l->room].turned[i], own);
}

/* World axes of the other movers. */
static void tree_axes(const hik_tree *t, tree_work *w) {
  lane rate[3];
  for (int i = 0; i < 3; i++) rate[i] = lane_all(0);
  for (int32_t k = 0; k < t->movers; k++) {
    const hik_tree_mover *m = t->mover + k;
    const lane *pose = w->pose + 12 * (size_t)m->step;
    lane *axis = w->axis + 3 * (size_t)k;
    if (m->part == 0) tree_follow_rates(t, m->step, w, rate);
    if (m->part >= 0)
      for (int i = 0; i < 3; i++) axis[i] = rate[m->part] * pose[3 * i + 2];
    else if (t->cone[m->step] < 0)
      for (int i = 0; i < 3; i++) axis[i] = m->scale * pose[3 * i + m->axis];
  }
}

/* Column of a mover in a block, unscaled; l: of blocks about axes. */
HIK_INLINE void tree_column(const hik_tree_block *b, const hik_tree_mover *m, const tree_look *l,
                            const lane *axis, const lane *at, const lane *point, lane *out) {
  lane lever[3];
  if (b->kind == HIK_TREE_ROTATION || (b->kind == HIK_TREE_POINT && m->slide)) {
    for (int i = 0; i < 3; i++) out[i] = axis[i];
  } else if (b->kind == HIK_TREE_SIGHT) {
    tree_look_column(l, axis, at, m->slide, out);
  } else {
    for (int i = 0; i < 3; i++) lever[i] = b->kind == HIK_TREE_AXIS ? l->axis[i] : point[i] - at[i];
    lane_cross(axis, lever, out);
  }
}

/* The part of a row in the cells of its block. */
static void tree_row_columns(const hik_tree *t, const hik_tree_row *r, const tree_between *b, tree_work *w) {
  /* inside its room nothing pulls */
  lane scale = lane_all(r->scale);
  if (r->least < r->most) scale = lane_choose(b->excess == 0, lane_all(0), scale);
  for (int32_t k = r->first_entry; k < r->last_entry; k++) {
    const hik_tree_entry *from = t->entry + k;
    const hik_tree_mover *m = t->mover + from->mover;
    const lane *axis = w->axis + 3 * (size_t)from->mover, *at = w->pose + 12 * (size_t)m->step + 9;
    lane *cell = w->cell + 3 * (size_t)from->cell, lever[3], moved[3];
    bool other = k >= r->first_other;
    for (int i = 0; i < 3; i++) lever[i] = b->end[other][i] - at[i], moved[i] = axis[i];
    if (r->kind == HIK_TREE_DISTANCE && !m->slide) lane_cross(axis, lever, moved);
    for (int i = 0; i < 3 && !from->adds; i++) cell[i] = lane_all(0);
    lane grows = scale * lane_dot(moved, b->way);
    cell[r->row % 3] += other ? -grows : grows;
  }
}

/* The cells of J. */
static void tree_columns(const hik_tree *t, const lane *target, tree_work *w) {
  for (int32_t i = 0; i < t->rows; i++) tree_row_columns(t, t->row + i, w->between + i, w);
  for (int32_t i = 0; i < t->whole; i++) {
    const hik_tree_block *b = t->block + i;
    const lane *frame = w->frame + 12 * (size_t)b->goal;
    tree_look l;
    if (b->kind == HIK_TREE_AXIS || b->kind == HIK_TREE_SIGHT)
      tree_look_from(t->goal + b->goal, frame, target + 12 * (size_t)b->goal + 9, &l);
    for (int32_t k = b->first_entry; k < b->last_entry; k++) {
      const hik_tree_entry *from = t->entry + k;
      const hik_tree_mover *m = t->mover + from->mover;
      const lane *at = w->pose + 12 * (size_t)m->step + 9;
      lane *cell = w->cell + 3 * (size_t)from->cell, made[3];
      tree_column(b, m, &l, w->axis + 3 * (size_t)from->mover, at, frame + 9, made);
      for (int r = 0; r < 3; r++) cell[r] = from->adds ? cell[r] + b->scale * made[r] : b->scale * made[r];
    }
  }
}

/* out = J'y */
HIK_INLINE void tree_pull_back(const hik_tree *t, const tree_work *w, const lane *y, lane *out) {
  for (int32_t c = 0; c < t->columns; c++) {
    lane sum = lane_all(0);
    for (int32_t k = t->first_cell[c]; k < t->first_cell[c + 1]; k++)
      sum += lane_dot(w->cell + 3 * (size_t)k, y + 3 * (size_t)t->cell_block[k]);
    out[c] = sum;
  }
}

/* J J' of the columns that are on. */
static void tree_square(const hik_tree *t, tree_work *w) {
  for (const hik_tree_pair *p = t->pair; p < t->pair + t->pairs; p++) {
    lane sum[9], u[3];
    for (int i = 0; i < 9; i++) sum[i] = lane_all(0);
    for (const hik_tree_product *f = t->product + p->first; f < t->product + p->last; f++) {
      const lane *a = w->cell + 3 * (size_t)f->a, *b = w->cell + 3 * (size_t)f->b;
      for (int i = 0; i < 3; i++) u[i] = (lane)((lane_mask)a[i] & w->on[f->column]);
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum[3 * i + k] += u[i] * b[k];
    }
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < (p->a == p->b ? i + 1 : 3); k++)
        w->square[AT(3 * p->a + i, 3 * p->b + k)] = sum[3 * i + k];
  }
}

/* Takes a column's part out of the square where `out` says. */
static void tree_take_out(const hik_tree *t, int32_t column, lane_mask out, tree_work *w) {
  for (int32_t k = t->first_cell[column]; k < t->first_cell[column + 1]; k++) {
    const lane *a = w->cell + 3 * (size_t)k;
    for (int32_t l = t->first_cell[column]; l <= k; l++) {
      const lane *b = w->cell + 3 * (size_t)l;
      for (int i = 0; i < 3; i++) {
        lane u = (lane)((lane_mask)a[i] & out);
        for (int r = 0; r < (k == l ? i + 1 : 3); r++)
          w->square[AT(3 * t->cell_block[k] + i, 3 * t->cell_block[l] + r)] -= u * b[r];
      }
    }
  }
}

/* L D L' of the block of three on the diagonal at c, in its place: the entries of L below, those of D inverted. */
HIK_INLINE void tree_factor(lane *h, int32_t c) {
  lane *x = h + AT(c, c), *y = h + AT(c + 1, c), *z = h + AT(c + 2, c), b = y[0], e = z[0];
  x[0] = 1 / x[0];
  y[0] = b * x[0], z[0] = e * x[0];
  y[1] = 1 / (y[1] - y[0] * b);
  lane f = z[1] - z[0] * b;
  z[1] = f * y[1];
  z[2] = 1 / (z[2] - z[0] * e - z[1] * f);
}

/* out = (L D L')^-1 x; out may be x */
HIK_INLINE void tree_factor_solve(const lane *h, int32_t c, const lane *x, lane *out) {
  const lane *over = h + AT(c, c), *l = h + AT(c + 1, c), *k = h + AT(c + 2, c);
  lane a = x[0], b = x[1] - l[0] * a, d = x[2] - k[0] * a - k[1] * b;
  d *= k[2];
  b = b * l[1] - k[1] * d;
  out[0] = a * over[0] - l[0] * b - k[0] * d, out[1] = b, out[2] = d;
}

/* y of (square + damping I) y = e, by L D L' of blocks of three: a block's part in what is right of it is taken out of
   registers. */
static void tree_solve(int32_t blocks, lane damping, tree_work *w) {
  lane *h = w->solved, *y = w->y;
  memcpy(h, w->square, AT(3 * blocks, 0) * sizeof *h);
  for (int32_t r = 0; r < 3 * blocks; r++) h[AT(r, r)] += damping, y[r] = w->e[r];
  for (int32_t c = 0; c < 3 * blocks; c += 3) {
    tree_factor(h, c);
    /* from below: the rows above still have what they are divided by */
    for (int32_t a = 3 * blocks - 3; a > c; a -= 3) {
      lane l[9];
      for (int i = 0; i < 3; i++) tree_factor_solve(h, c, h + AT(a + i, c), l + 3 * i);
      for (int32_t b = c + 3; b <= a; b += 3)
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < (a == b ? i + 1 : 3); k++)
            h[AT(a + i, b + k)] -= lane_dot(l + 3 * i, h + AT(b + k, c));
      for (int i = 0; i < 3; i++) {
        y[a + i] -= lane_dot(l + 3 * i, y + c);
        for (int k = 0; k < 3; k++) h[AT(a + i, c + k)] = l[3 * i + k];
      }
    }
  }
  for (int32_t c = 3 * blocks - 3; c >= 0; c -= 3) {
    tree_factor_solve(h, c, y + c, y + c);
    for (int32_t a = c + 3; a < 3 * blocks; a++)
      for (int k = 0; k < 3; k++) y[c + k] -= h[AT(a, c + k)] * y[a];
  }
}

/* What shrinks the moves so that no joint goes farther than 1. */
HIK_INLINE lane tree_share(const hik_tree *t, const tree_work *w) {
  lane most = lane_all(1);
  for (const hik_tree_joint *j = t->joint; j < t->joint + t->joints; j++) {
    const lane *x = w->move + j->column;
    lane square = j->kind == HIK_TREE_LINE ? x[0] * x[0] : lane_dot(x, x);
    most = lane_choose(square > most, square, most);
  }
  return 1 / lane_root(most);
}

/* Puts the columns that leave their room on its edge and takes them out; true when any lane has one. */
static bool tree_hold_crossing(const hik_tree *t, lane share, tree_work *w) {
  uint32_t any = 0;
  for (int32_t c = 0; c < t->columns; c++) {
    lane to = share * w->move[c];
    lane_mask below = (to < w->down[c]) & w->on[c], above = (to > w->up[c]) & w->on[c], out = below | above;
    to = lane_choose(below, w->down[c], lane_choose(above, w->up[c], to));
    w->d[c] = lane_choose(w->on[c], to, w->d[c]);
    uint32_t here = LANE_BITS(out);
    if (!here) continue;
    any |= here;
    w->on[c] &= ~out;
    tree_take_out(t, c, out, w);
    for (int32_t k = t->first_cell[c]; k < t->first_cell[c + 1]; k++)
      for (int i = 0; i < 3; i++) {
        lane part = w->cell[3 * (size_t)k + (size_t)i] * w->d[c];
        w->e[3 * (size_t)t->cell_block[k] + (size_t)i] -= (lane)((lane_mask)part & out);
      }
  }
  return any != 0;
}

static void tree_find_step(const hik_tree *t, lane damping, tree_work *w) {
  size_t m = 3 * (size_t)t->blocks;
  tree_pull_back(t, w, w->e, w->move);
  for (int32_t c = 0; c < t->columns; c++) {
    lane g = w->move[c];
    w->on[c] = ~(((w->down[c] >= 0) & (g < 0)) | ((w->up[c] <= 0) & (g > 0)));
    w->d[c] = lane_all(0);
  }
  tree_square(t, w);
  for (int pass = 1;; pass++) {
    if (m == 3)
      dual_solve(3, w->square, damping, w->e, w->y);
    else if (m == 6)
      dual_solve(6, w->square, damping, w->e, w->y);
    else
      tree_solve(t->blocks, damping, w);
    tree_pull_back(t, w, w->y, w->move);
    for (int32_t c = 0; c < t->columns; c++) w->move[c] = (lane)((lane_mask)w->move[c] & w->on[c]);
    if (!tree_hold_crossing(t, tree_share(t, w), w) || pass == HIK_TREE_PASSES) return;
  }
}

static void tree_move(const hik_tree *t, const tree_work *w, const lane *now, lane *next) {
  for (int32_t k = 0; k < t->joints; k++) {
    const hik_tree_joint *j = t->joint + k;
    const lane *x = now + j->slot, *d = w->d + j->column;
    if (j->kind == HIK_TREE_LINE)
      next[j->slot] = lane_clip(*x + j->unit * *d, j->lower, j->upper);
    else if (j->kind == HIK_TREE_BALL)
      tree_ball_move(x, d, next + j->slot);
    else if (j->kind == HIK_TREE_CONE)
      tree_cone_move(j->cone, x, w->room[j->room].way, d, next + j->slot);
    else
      tree_reach_move(j->cone, x, w->room + j->room, d, next + j->slot);
  }
}

static hik_tree_end tree_step(const hik_tree *t, const hik_descent_state *s) {
  tree_work w;
  const lane *now = LANE_ROWS(s->now), *target = LANE_ROWS(s->target);
  lane *past = LANE_ROWS(s->past), *left = LANE_ROWS(s->left);
  lane_mask near;
  tree_lay_out(t, s, &w);
  tree_forward(t, now, &w);
  lane error = tree_residual(t, target, &w, &near);
  lane_mask go_on = (error < INFINITY) & (error <= *LANE_ROWS(s->ratio) * past[2]) & (*left > 0.0);
  *LANE_ROWS(s->error) = error;
  past[2] = past[1], past[1] = past[0], past[0] = error;
  *left -= 1;
  tree_room(t, now, &w);
  tree_axes(t, &w);
  tree_columns(t, target, &w);
  tree_find_step(t, HIK_TREE_DAMPING_RATE * error + HIK_TREE_DAMPING_LEAST, &w);
  tree_move(t, &w, now, LANE_ROWS(s->next));
  return (hik_tree_end){LANE_BITS(near), LANE_BITS(~go_on)};
}
