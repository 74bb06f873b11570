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

/* Group of every coordinate of q into of_q [nq], -1 none; how many there are. */
static int32_t number_groups(const hik_problem *p, int32_t *of_q) {
  int32_t n = 0;
  for (int32_t i = 0; i < p->model->nq; i++) of_q[i] = -1;
  for (int32_t k = 0; k < p->n_active; k++)
    if (!hik_step_follows(p->model, p->active[k])) of_q[p->model->step_q[p->active[k]]]--;
  for (int32_t k = 0; k < p->n_active; k++) { /* -3 and less: two steps or more */
    int32_t *of = of_q + p->model->step_q[p->active[k]];
    if (*of < -2) *of = n++;
  }
  for (int32_t i = 0; i < p->model->nq; i++)
    if (of_q[i] < 0) of_q[i] = -1;
  return n;
}

void hik_shared_lay_out(hik_shared *s, const hik_problem *p, hik_block *block) {
  uint64_t some = hik_has_mimic(p->model), above = some ? hik_wish_count_above(p) : 0;
  s->group = HIK_TAKE(block, hik_shared_group, some * (uint64_t)p->n_active);
  s->row = HIK_TAKE(block, hik_shared_row, above);
  s->member = HIK_TAKE(block, int32_t, above);
  s->of = HIK_TAKE(block, int32_t, some * ((uint64_t)p->model->n_step + (uint64_t)p->model->nq));
}

/* Where the groups begin and end, ordered by their last steps. */
static void order_groups(hik_shared *s, int32_t *of_q) {
  const hik_problem *p = s->p;
  int32_t n = s->n;
  for (int32_t k = 0; k < p->n_active; k++) s->of[p->active[k]] = -1;
  for (int32_t k = p->n_active - 1; k >= 0; k--) { /* the last steps, tip to root */
    int32_t at = p->model->step_q[p->active[k]];
    if (of_q[at] < 0) continue;
    if (of_q[at] < s->n) { /* not met yet: its new number, above all the old ones */
      s->group[--n] = (hik_shared_group){.coordinate = at, .last = k};
      of_q[at] = s->n + n;
    }
    s->group[of_q[at] - s->n].first = k;
    s->of[p->active[k]] = of_q[at] - s->n;
  }
}

/* The row of wish w in a group, a new one when it has none yet: rows are made wish by wish. */
static hik_shared_row *row_of(hik_shared *s, hik_shared_group *group, int32_t w) {
  hik_shared_row *next = s->row + group->row + group->n_row;
  if (group->n_row > 0 && next[-1].wish == w) return next - 1;
  group->n_row++;
  next->wish = w;
  return next;
}

/* Makes room for the rows of every group: how many wishes it moves. */
static void count_rows(hik_shared *s, int32_t n_wish, const hik_wish *wishes) {
  for (int32_t w = 0; w < n_wish; w++)
    for (int32_t step = wishes[w].step; step >= 0; step = s->p->model->step_parent[step]) {
      if (s->of[step] < 0) continue;
      hik_shared_group *group = s->group + s->of[step];
      group->n_row += group->row != w + 1; /* row: the wish met last, and one */
      group->row = w + 1;
    }
  int32_t sum = 0;
  for (int32_t g = 0; g < s->n; g++) {
    s->group[g].row = sum;
    sum += s->group[g].n_row;
    s->group[g].n_row = 0;
  }
  memset(s->row, 0, (size_t)sum * sizeof *s->row);
}

/* Marks pairs whose sides have the same steps above them. */
static void mark_together(hik_shared *s, const hik_shared_group *group, const hik_wish *wishes) {
  for (int32_t r = group->row + 1; r < group->row + group->n_row; r++) {
    hik_shared_row *a = s->row + r - 1, *b = s->row + r;
    if (wishes[b->wish].mate != a->wish || a->count != b->count || s->member[a->first] != s->member[b->first])
      continue;
    a->together = b->together = true;
  }
}

/* Rows of all groups and their steps: a walk to count, a walk to fill. */
static void fill_rows(hik_shared *s, int32_t n_wish, const hik_wish *wishes) {
  const int32_t *parent = s->p->model->step_parent;
  count_rows(s, n_wish, wishes);
  for (int32_t w = 0; w < n_wish; w++)
    for (int32_t step = wishes[w].step; step >= 0; step = parent[step])
      if (s->of[step] >= 0) row_of(s, s->group + s->of[step], w)->count++;
  int32_t sum = 0;
  for (int32_t g = 0; g < s->n; g++) {
    for (int32_t r = s->group[g].row; r < s->group[g].row + s->group[g].n_row; r++) {
      s->row[r].first = sum;
      sum += s->row[r].count;
      s->row[r].count = 0;
    }
    s->group[g].n_row = 0;
  }
  for (int32_t w = 0; w < n_wish; w++)
    for (int32_t step = wishes[w].step; step >= 0; step = parent[step]) {
      if (s->of[step] < 0) continue;
      hik_shared_row *row = row_of(s, s->group + s->of[step], w);
      s->member[row->first + row->count++] = step;
    }
  for (int32_t g = 0; g < s->n; g++) mark_together(s, s->group + g, wishes);
}

void hik_shared_set(hik_shared *s, const hik_problem *p, int32_t n_wish, const hik_wish *wishes) {
  s->p = p, s->n = 0;
  if (!hik_has_mimic(p->model)) return;
  int32_t *of_q = s->of + p->model->n_step;
  s->n = number_groups(p, of_q);
  if (s->n == 0) return;
  order_groups(s, of_q);
  fill_rows(s, n_wish, wishes);
}

/* ---- moving ---- */

/* A wish on its way, and how fast it goes with the coordinate. */
typedef struct moving {
  double place[3], have[9], speed[3], spin[3];
} moving;

static void add_scaled(double *v, double s, const double *x) { hik_axpy3(v, s, x, v); }

/* rates: with its speed, and its spin where it has axes. */
static void carry(const hik_shared *s, const hik_shared_row *row, const hik_pose *world, double by,
                  int32_t axes, bool rates, moving *w) {
  const hik_model *m = s->p->model;
  for (int32_t k = 0; k < row->count; k++) {
    int32_t step = s->member[row->first + k];
    double rate = m->step_line[2 * (size_t)step], z[3], turn[9], lever[3], along[3], sine, cosine;
    hik_mat_column(world[step].r, 2, z);
    if (m->step_kind[step] == HIK_SLIDE) {
      add_scaled(w->place, rate * by, z);
      add_scaled(w->speed, rate, z);
      continue;
    }
    hik_sub3(w->place, world[step].t, lever);
    if (by != 0) {
      hik_sincos(rate * by, &sine, &cosine);
      hik_mat_axis(z, cosine, sine, turn);
      hik_mat_vec(turn, lever, lever);
      hik_add3(world[step].t, lever, w->place);
      for (int32_t a = 0; a < axes; a++) hik_mat_vec(turn, w->have + 3 * a, w->have + 3 * a);
      if (rates) hik_mat_vec(turn, w->speed, w->speed);
      if (rates && axes > 0) hik_mat_vec(turn, w->spin, w->spin);
    }
    if (!rates) continue;
    hik_cross(z, lever, along);
    add_scaled(w->speed, rate, along);
    if (axes > 0) add_scaled(w->spin, rate, z);
  }
}

static moving start_of(const hik_aimed *a) {
  moving w = {.speed = {0, 0, 0}, .spin = {0, 0, 0}};
  hik_copy3(a->place, w.place);
  memcpy(w.have, a->have, sizeof w.have);
  return w;
}

/* The sum with the coordinate moved `by`; its slope and about its second derivative. */
static double sum_at(const hik_shared *s, const hik_shared_group *group, const hik_pose *world,
                     const hik_aimed *aimed, double by, double *slope, double *bend) {
  double sum = 0, gap[3], go[3];
  *slope = *bend = 0;
  for (int32_t r = group->row; r < group->row + group->n_row; r++) {
    const hik_aimed *a = aimed + s->row[r].wish;
    if (s->row[r].together) continue;
    moving w = start_of(a);
    carry(s, s->row + r, world, by, a->axes, true, &w);
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
  double lowest = sum_at(s, group, world, aimed, 0, &slope, &bend), half = fast > 0 ? HIK_PI / fast : 0;
  double low = fmax(down, -half), high = fmin(up, half);
  for (int k = 0; k < PLACES && fast > 0 && around; k++) {
    double a, b, by = low + (high - low) * (k + 0.5) / PLACES,
                 sum = sum_at(s, group, world, aimed, by, &a, &b);
    if (sum < lowest) lowest = sum, best = by, slope = a, bend = b;
  }
  for (int pass = 0; pass < (around ? PASSES : ONWARD) && bend > 0; pass++) {
    double step = hik_clip(best - slope / bend, down, up) - best;
    int halves = 0;
    for (; halves < HALVES; halves++, step *= 0.5) {
      double a, b, sum = sum_at(s, group, world, aimed, best + step, &a, &b);
      if (!hik_shared_falls(sum, a, lowest, slope, bend)) continue;
      lowest = sum, best += step, slope = a, bend = b;
      break;
    }
    if (halves == HALVES || !(fabs(step) > 1e-9 * (1 + fabs(best)))) break;
  }
  return best;
}

void hik_shared_move(const hik_shared *s, int32_t g, bool around, hik_aimed *aimed, double *q,
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
  hik_list_poses(m, s->p->active + group->first, group->last - group->first, q, world);
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
