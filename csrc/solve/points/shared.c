/* shared.c: the best value of a coordinate that several joints follow.

   Purpose    a step of coordinate descent for turns and slides whose values are lines in one coordinate
   Given      where the wishes are and should be, the frames of the steps, q inside its limits
   Returned   q, wishes and frames moved; the sum of weight |place - aim|^2 / 2 + turn_weight sum (1 - have . want) is
              never raised by more than rounding
   Notes      1 The steps are applied tip to root about the axes as they stand: what is above one has not moved then.
              2 PLACES values of the range (of the turn of half a circle to either side, if that is less) are looked at,
                then Gauss-Newton goes on from the best, halving steps that do not descend (see hik_shared_falls): each costs one pass over the
                steps of the coordinate above every wish. With slides alone the sum is a parabola and the first step
                exact.
              3 Where an iteration goes on from the one before, ONWARD steps of Gauss-Newton from where the coordinate stands
                do: what they leave the next iteration finds, and other dips have been looked for at the start.
   Reference  own; Wang and Chen 1991 for coordinate descent in closed form */
#include "solve/points/shared.h"

#include "base/quat.h"

enum { PLACES = 8, PASSES = 6, ONWARD = 1, HALVES = 6 };

/* Share of the sum and its bend that rounding makes of the sum. */
static const double FLAT = 1e-14;

/* ---- layout ---- */

void hik_shared_lay_out(hik_shared *s, const hik_problem *p, hik_block *block) {
  uint64_t some = hik_has_mimic(p->model), above = some ? hik_wish_count_above(p) : 0;
  s->group = HIK_TAKE(block, hik_shared_group, some * (uint64_t)p->n_active);
  s->row = HIK_TAKE(block, hik_shared_row, above);
  s->member = HIK_TAKE(block, int32_t, above);
  s->of = HIK_TAKE(block, int32_t, some * ((uint64_t)p->model->n_step + 2 * (uint64_t)p->model->nq));
}

/* Groups in the order of their last steps; first, last [nq]: places in the list of the steps of a coordinate. */
static void find_groups(hik_shared *s, int32_t *first, int32_t *last) {
  const hik_problem *p = s->p;
  const hik_model *m = p->model;
  for (int32_t i = 0; i < m->nq; i++) first[i] = last[i] = -1;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t at = m->step_q[p->active[k]];
    s->of[p->active[k]] = -1;
    if (hik_step_follows(m, p->active[k])) continue;
    last[at] = k;
    if (first[at] < 0) first[at] = k;
  }
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t at = m->step_q[p->active[k]];
    if (last[at] != k || first[at] == k) continue;
    for (int32_t i = first[at]; i <= k; i++)
      if (m->step_q[p->active[i]] == at) s->of[p->active[i]] = s->n;
    s->group[s->n++] = (hik_shared_group){.coordinate = at, .first = first[at], .last = k};
  }
}

/* Rows of all groups, wish by wish, and their steps; marks pairs whose sides have the same steps above them. */
static void fill_rows(hik_shared *s, int32_t n_wish, const hik_wish *wishes) {
  hik_shared_row *next = s->row;
  int32_t members = 0;
  for (int32_t g = 0; g < s->n; g++) {
    hik_shared_group *group = s->group + g;
    group->row = (int32_t)(next - s->row);
    for (int32_t w = 0; w < n_wish; w++) {
      hik_shared_row row = {.wish = w, .first = members}, *before = next - (group->n_row > 0);
      for (int32_t step = wishes[w].step; step >= 0; step = s->p->model->step_parent[step])
        if (s->of[step] == g) s->member[members++] = step;
      row.count = members - row.first;
      if (row.count == 0) continue;
      if (group->n_row > 0 && wishes[w].mate == before->wish && row.count == before->count &&
          s->member[row.first] == s->member[before->first])
        row.together = before->together = true;
      group->n_row++, *next++ = row;
    }
  }
}

void hik_shared_set(hik_shared *s, const hik_problem *p, int32_t n_wish, const hik_wish *wishes) {
  s->p = p, s->n = 0;
  if (!hik_has_mimic(p->model)) return;
  int32_t *of_q = s->of + p->model->n_step;
  find_groups(s, of_q, of_q + p->model->nq);
  fill_rows(s, n_wish, wishes);
}

/* ---- moving ---- */

/* A wish on its way, and how fast it goes with the coordinate. */
typedef struct moving {
  double place[3], have[9], speed[3], spin[3];
} moving;

/* The rotations by which two members of a row turn, a lane each: hik_mat_axis of both. */
static void turns_of_two(const hik_model *m, int32_t one, int32_t other, const hik_pose *world, double by,
                         hik_two turn[9]) {
  const double *a = world[one].r + 2, *b = world[other].r + 2;
  const hik_two x = {a[0], b[0]}, y = {a[3], b[3]}, z = {a[6], b[6]};
  const hik_two angle = {m->step_line[2 * (size_t)one] * by, m->step_line[2 * (size_t)other] * by};
  hik_two s, c;
  hik_sincos_two(angle, &s, &c);
  const hik_two k = 1 - c, kx = k * x, ky = k * y, kz = k * z, xy = kx * y, xz = kx * z, yz = ky * z;
  turn[0] = c + kx * x, turn[1] = xy - s * z, turn[2] = xz + s * y;
  turn[3] = xy + s * z, turn[4] = c + ky * y, turn[5] = yz - s * x;
  turn[6] = xz - s * y, turn[7] = yz + s * x, turn[8] = c + kz * z;
}

/* The lever of a wish and its speed turned at once, and its axes and their spin. */
static void turn_wish(const hik_two turn[9], int lane, int32_t axes, double lever[3], moving *w) {
  const hik_two x = {lever[0], w->speed[0]}, y = {lever[1], w->speed[1]}, z = {lever[2], w->speed[2]};
  double r[9];
  for (int i = 0; i < 9; i++) r[i] = turn[i][lane];
  for (int i = 0; i < 3; i++) {
    hik_two at = r[3 * i] * x + r[3 * i + 1] * y + r[3 * i + 2] * z;
    lever[i] = at[0], w->speed[i] = at[1];
  }
  for (int32_t a = 0; a < axes; a++) hik_mat_vec(r, w->have + 3 * a, w->have + 3 * a);
  if (axes > 0) hik_mat_vec(r, w->spin, w->spin);
}

/* rates: with its speed, and its spin where it has axes. */
static void carry(const hik_shared *s, const hik_shared_row *row, const hik_pose *world, double by,
                  int32_t axes, bool rates, moving *w) {
  const hik_model *m = s->p->model;
  const int32_t *member = s->member + row->first;
  hik_two turn[9];
  for (int32_t k = 0; k < row->count; k++) {
    int32_t step = member[k];
    double rate = m->step_line[2 * (size_t)step], z[3], lever[3], along[3];
    if (by != 0 && k % 2 == 0) turns_of_two(m, step, member[k + (k + 1 < row->count)], world, by, turn);
    hik_mat_column(world[step].r, 2, z);
    if (m->step_kind[step] == HIK_SLIDE) {
      hik_axpy3(w->place, rate * by, z, w->place);
      hik_axpy3(w->speed, rate, z, w->speed);
      continue;
    }
    hik_sub3(w->place, world[step].t, lever);
    if (by != 0) {
      turn_wish(turn, k % 2, axes, lever, w);
      hik_add3(world[step].t, lever, w->place);
    }
    if (!rates) continue;
    hik_cross(z, lever, along);
    hik_axpy3(w->speed, rate, along, w->speed);
    if (axes > 0) hik_axpy3(w->spin, rate, z, w->spin);
  }
}

static moving start_of(const hik_aimed *a) {
  moving w = {.speed = {0, 0, 0}, .spin = {0, 0, 0}};
  hik_copy3(a->place, w.place);
  memcpy(w.have, a->have, sizeof w.have);
  return w;
}

/* The sum with the coordinate moved `by`; with `rates` its slope and about its second derivative. */
static double sum_at(const hik_shared *s, const hik_shared_group *group, const hik_pose *world,
                     const hik_aimed *aimed, double by, bool rates, double *slope, double *bend) {
  double sum = 0, gap[3], go[3];
  *slope = *bend = 0;
  for (int32_t r = group->row; r < group->row + group->n_row; r++) {
    const hik_aimed *a = aimed + s->row[r].wish;
    if (s->row[r].together) continue;
    moving w = start_of(a);
    carry(s, s->row + r, world, by, a->axes, rates, &w);
    hik_sub3(w.place, a->aim, gap);
    sum += 0.5 * a->weight * hik_dot(gap, gap);
    *slope += a->weight * hik_dot(gap, w.speed), *bend += a->weight * hik_dot(w.speed, w.speed);
    for (int32_t k = 0; k < a->axes; k++) {
      hik_cross(w.spin, w.have + 3 * k, go);
      sum += a->turn_weight * (1 - hik_dot(w.have + 3 * k, a->want + 3 * k));
      *slope -= a->turn_weight * hik_dot(go, a->want + 3 * k), *bend += a->turn_weight * hik_dot(go, go);
    }
  }
  return sum;
}

/* Fastest of the coordinate's turns, 0 when it only slides. */
static double fastest_turn(const hik_shared *s, const hik_shared_group *group) {
  const hik_model *m = s->p->model;
  double most = 0;
  for (int32_t k = group->first; k <= group->last; k++) {
    int32_t step = s->p->active[k];
    if (m->step_q[step] == group->coordinate && m->step_kind[step] == HIK_TURN)
      most = fmax(most, fabs(m->step_line[2 * (size_t)step]));
  }
  return most;
}

/* A minimum is known by its sum to half the digits alone, and which of them would go with the last bits of everything before. */
bool hik_shared_falls(double sum, double slope, double lowest, double before, double bend) {
  return sum < lowest || (sum <= lowest + FLAT * (lowest + bend) && fabs(slope) < fabs(before));
}

/* The best move in [down, up]; `around`: of all the range, not the nearest dip alone. */
static double best_move(const hik_shared *s, const hik_shared_group *group, const hik_pose *world,
                        const hik_aimed *aimed, bool around, double down, double up) {
  double slope, bend, best = 0, fast = fastest_turn(s, group);
  double lowest = sum_at(s, group, world, aimed, 0, true, &slope, &bend), half = fast > 0 ? HIK_PI / fast : 0;
  double low = fmax(down, -half), high = fmin(up, half);
  for (int k = 0; k < PLACES && fast > 0 && around; k++) {
    double a, b, by = low + (high - low) * (k + 0.5) / PLACES,
                 sum = sum_at(s, group, world, aimed, by, false, &a, &b);
    if (sum < lowest) lowest = sum, best = by;
  }
  if (best != 0) sum_at(s, group, world, aimed, best, true, &slope, &bend);
  for (int pass = 0; pass < (around ? PASSES : ONWARD) && bend > 0; pass++) {
    double step = hik_clip(best - slope / bend, down, up) - best;
    int halves = 0;
    for (; halves < HALVES && best + step != best; halves++, step *= 0.5) {
      double a, b, sum = sum_at(s, group, world, aimed, best + step, true, &a, &b);
      if (!hik_shared_falls(sum, a, lowest, slope, bend)) continue;
      lowest = sum, best += step, slope = a, bend = b;
      break;
    }
    if (halves == HALVES || !(fabs(step) > 1e-9 * (1 + fabs(best)))) break;
  }
  return best;
}

void hik_shared_move(const hik_shared *s, int32_t g, bool around, int32_t before, hik_aimed *aimed, double *q,
                     hik_pose *world) {
  const hik_model *m = s->p->model;
  const hik_shared_group *group = s->group + g;
  double *mine = q + group->coordinate, low = m->lower[group->coordinate], high = m->upper[group->coordinate];
  if (group->n_row == 0 || !(low < high)) return;
  double old = *mine, by = best_move(s, group, world, aimed, around, low - old, high - old);
  *mine = hik_clip(old + by, low, high);
  by = *mine - old;
  if (by == 0) return;
  for (int32_t r = group->row; r < group->row + group->n_row; r++) {
    hik_aimed *a = aimed + s->row[r].wish;
    moving w = start_of(a);
    carry(s, s->row + r, world, by, a->axes, false, &w);
    hik_copy3(w.place, a->place);
    memcpy(a->have, w.have, sizeof a->have);
  }
  if (before > group->last) before = group->last;
  if (before > group->first) hik_list_poses(m, s->p->active + group->first, before - group->first, q, world);
}

int32_t hik_aimed_rows(const hik_wish *wish, const hik_stand *stand, double rows[9]) {
  bool all = wish->frame || wish->seen;
  if (wish->axis) hik_copy3(stand->axis, rows);
  for (int k = 0; k < 3 && all; k++) hik_mat_column(stand->rotation, k, rows + 3 * k);
  return all ? 3 : wish->axis;
}

int32_t hik_aimed_wants(const hik_wish *wish, const hik_stand *stand, double rows[9]) {
  int32_t n = hik_aimed_rows(wish, stand, rows);
  for (int32_t k = 0; k < 3 && n == 3; k++) hik_scale3(wish->axis_weight[k], rows + 3 * k, rows + 3 * k);
  return n;
}
