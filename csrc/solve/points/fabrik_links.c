/* fabrik_links.c: cuts the tree of a problem into the links of FABRIK and hangs the goals on them.

   Purpose    what fabrik_tree.c knows of a problem, worked out once a call
   Given      a problem that wish.c accepts
   Returned   links parents first; for each the goals at or below it
   Notes      1 Turns whose origins coincide and that nothing pulls at in between are one link: a universal joint, a
                wrist.
              2 A goal about two frames hangs an end on each of its two links; a side that nothing moves hangs none, it is a
                target.
              3 Joints that share a coordinate are held where they stand in the passes; shared.c moves them after. Those that
                follow a swing are held too, and stand anew at the end of an iteration. */
#include "solve/points/fabrik_tree.h"

/* Share of the length of the problem below which a bone has no direction. */
#define TINY 1e-12

/* Share of the weight of a pair that each of its two ends has: they can meet anywhere, and must not hold back a goal that
   is wanted at one place. */
#define PAIR_WEIGHT 0.1

hik_fabrik *hik_fabrik_lay_out(const hik_problem *p, hik_block *block) {
  hik_fabrik *f = HIK_TAKE(block, hik_fabrik, 1), spare, *into = f ? f : &spare;
  into->links = HIK_TAKE(block, hik_link, p->n_active);
  into->ends = HIK_TAKE(block, hik_link_end, hik_wish_count(p));
  into->wishes = HIK_TAKE(block, hik_wish, hik_wish_count(p));
  into->aimed = HIK_TAKE(block, hik_aimed, hik_wish_count(p));
  hik_shared_lay_out(&into->shared, p, block);
  into->held = HIK_TAKE(block, bool, p->model->n_step);
  into->below = HIK_TAKE(block, int32_t, hik_wish_count_above(p));
  into->wanted = HIK_TAKE(block, hik_pose, p->n_active);
  into->arm = (double(*)[2])HIK_TAKE(block, double, 2 * (size_t)p->model->n_step);
  into->kept = (double(*)[2])HIK_TAKE(block, double, 2 * (size_t)p->model->n_step);
  into->from = HIK_TAKE(block, double, p->model->n_step);
  into->best_q = HIK_TAKE(block, double, p->model->nq);
  HIK_TAKE_INTS(block, p->model->n_step, &into->pulls, &into->link_of);
  return f;
}

static bool joins(const hik_fabrik *f, const hik_link *l, int32_t s) {
  return f->m->step_kind[s] == HIK_TURN && l->kind == HIK_TURN && l->count < HIK_MOST_TURNS &&
         hik_link_last(l) == f->m->step_parent[s] && f->pulls[hik_link_last(l)] == 1 &&
         hik_norm(hik_step_place(f->m, s)->t) <= f->tiny;
}

static void set_ranges(const hik_fabrik *f, hik_link *l) {
  for (int k = 0; k < l->count && l->kind == HIK_TURN; k++) {
    const double *limit = f->m->step_limit + 2 * (size_t)l->step[k];
    hik_range_set(limit[0], limit[1], l->range + k);
  }
  l->cone = l->kind == HIK_BALL_STEP ? hik_step_cone(f->m, l->step[0]) : NULL;
  if (!l->cone) return;
  double twist[2];
  hik_swing_core(l->cone, &l->round, twist);
  hik_range_set(twist[0], twist[1], l->range);
}

static void add_link(hik_fabrik *f, int32_t s) {
  int32_t i = f->n++, above = f->m->step_parent[s], parent = above < 0 ? -1 : f->link_of[above];
  hik_link *l = f->links + i;
  *l = (hik_link){.step = {s},
                  .count = 1,
                  .kind = f->m->step_kind[s],
                  .parent = parent,
                  .only = -1,
                  .first_child = -1,
                  .next_child = -1,
                  .first_goal = -1};
  if (parent >= 0) {
    hik_link *up = f->links + parent;
    l->next_child = up->first_child;
    up->first_child = i;
    up->only = up->pulls++ == 0 ? i : -1;
  }
}

/* Lists for every link the goals at or below it. */
static void list_below(hik_fabrik *f) {
  int32_t sum = 0;
  for (int32_t e = 0; e < f->n_end; e++)
    for (int32_t i = f->ends[e].link; i >= 0; i = f->links[i].parent) f->links[i].n_below++;
  for (int32_t i = 0; i < f->n; i++)
    f->links[i].below = sum += f->links[i].n_below; /* where they end, as yet */
  for (int32_t e = f->n_end - 1; e >= 0; e--)
    for (int32_t i = f->ends[e].link; i >= 0; i = f->links[i].parent) {
      f->below[--f->links[i].below] = e;
      f->links[i].frame_below |= f->ends[e].has_frame;
    }
}

/* Hangs a wish on its link. */
static void put_end(hik_fabrik *f, hik_wish *wish) {
  hik_link_end *e = f->ends + f->n_end;
  *e = (hik_link_end){.wish = wish,
                      .place = wish->place,
                      .link = f->link_of[wish->step],
                      .next = -1,
                      .weight = wish->goal->term.weight * (wish->mate >= 0 ? PAIR_WEIGHT : 1)};
  e->square = wish->goal->term.weight * e->weight;
  e->has_position = wish->point, e->has_axis = wish->axis, e->has_frame = wish->axis || wish->frame;
  f->changes = f->changes || wish->changes, f->pairs = f->pairs || wish->mate >= 0;
  hik_link *l = f->links + e->link;
  e->next = l->first_goal;
  l->first_goal = f->n_end++;
  l->only = -1, l->pulls++;
}

static void put_ends(hik_fabrik *f, int32_t count) {
  double sum = 0, squares = 0;
  f->n_end = 0, f->changes = f->pairs = false;
  for (int32_t i = 0; i < count; i++) put_end(f, f->wishes + i);
  for (int32_t i = 0; i < f->n_end; i++) sum += f->ends[i].weight, squares += f->ends[i].square;
  for (int32_t i = 0; i < f->n_end; i++)
    f->ends[i].weight *= f->n_end / sum, f->ends[i].square *= f->n_end / squares;
}

/* Which steps share their coordinate with others, and which links turn by themselves. */
static void find_held(hik_fabrik *f, int32_t count) {
  const hik_problem *p = f->p;
  hik_shared_set(&f->shared, p, count, f->wishes);
  f->holds = f->shared.n > 0;
  for (int32_t k = 0; k < p->n_active; k++) {
    bool follows = hik_step_follows(p->model, p->active[k]);
    f->held[p->active[k]] = follows || hik_shared_of(&f->shared, p->active[k]) >= 0;
    f->holds = f->holds || follows;
  }
  for (int32_t i = 0; i < f->n; i++) {
    hik_link *l = f->links + i;
    bool turns = false;
    for (int k = 0; k < l->count; k++) turns = turns || (l->kind != HIK_SLIDE && !f->held[l->step[k]]);
    l->stands = l->kind == HIK_TURN && !turns;
    l->carrier = turns ? i : l->parent < 0 ? -1 : f->links[l->parent].carrier;
  }
}

void hik_fabrik_prepare(hik_fabrik *f, const hik_problem *p, const double *weights) {
  const hik_model *m = f->m = p->model;
  f->p = p, f->param = weights, f->n = 0;
  f->length = p->scale;
  f->tiny = TINY * f->length;
  memset(f->pulls, 0, (size_t)m->n_step * sizeof *f->pulls);
  for (int32_t k = 0; k < p->n_active; k++)
    if (m->step_parent[p->active[k]] >= 0) f->pulls[m->step_parent[p->active[k]]]++;
  int32_t count = hik_wish_count(p);
  hik_wishes_set(p, f->wishes);
  for (int32_t i = 0; i < count; i++) f->pulls[f->wishes[i].step]++;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t s = p->active[k], above = m->step_parent[s];
    hik_link *l = above < 0 ? NULL : f->links + f->link_of[above];
    if (l && joins(f, l, s))
      l->step[l->count++] = s;
    else
      add_link(f, s);
    f->link_of[s] = l && hik_link_last(l) == s ? f->link_of[above] : f->n - 1;
  }
  for (int32_t i = 0; i < f->n; i++) set_ranges(f, f->links + i);
  put_ends(f, count);
  list_below(f);
  find_held(f, count);
}

/* ---- the pose in hand ---- */

void hik_fabrik_read(hik_fabrik *f) {
  for (int32_t k = 0; k < f->p->n_active; k++) {
    int32_t s = f->p->active[k];
    if (f->m->step_kind[s] == HIK_TURN) hik_sincos(hik_step_value(f->m, s, f->q), f->arm[s] + 1, f->arm[s]);
  }
}

void hik_fabrik_weigh_poses(hik_fabrik *f, double factor) {
  f->pose_weight = (f->pairs ? 1 : factor) * f->param[HIK_FABRIK_POSE];
}

void hik_fabrik_write(hik_fabrik *f) {
  for (int32_t i = 0; i < f->n; i++) {
    const hik_link *l = f->links + i;
    for (int k = 0; k < l->count && l->kind == HIK_TURN; k++) {
      int32_t s = l->step[k];
      const double *limit = f->m->step_limit + 2 * (size_t)s, *arm = f->arm[s];
      if (!f->held[s])
        hik_step_set(f->m, s, hik_best_turn(arm[0], arm[1], limit[0], limit[1], f->from[s]), f->q);
    }
  }
}

void hik_fabrik_keep(hik_fabrik *f) {
  memcpy(f->kept, f->arm, 2 * (size_t)f->m->n_step * sizeof(double));
  f->has_kept = true;
}

void hik_fabrik_recall(hik_fabrik *f) {
  if (!f->has_kept) return; /* the start is the best: q has its turns */
  memcpy(f->arm, f->kept, 2 * (size_t)f->m->n_step * sizeof(double));
  hik_fabrik_write(f);
}

void hik_fabrik_begin(hik_fabrik *f, const double *target, hik_pose *world, double *q) {
  f->target = target, f->world = world, f->q = q, f->has_kept = false;
  hik_fabrik_weigh_poses(f, 1);
  f->beyond = f->param[HIK_FABRIK_EXTRAPOLATE] > 0;
  for (int32_t k = 0; k < f->p->n_active; k++) {
    int32_t s = f->p->active[k];
    if (f->m->step_kind[s] == HIK_TURN) f->from[s] = hik_step_value(f->m, s, q);
  }
  hik_wishes_begin(target, f->n_end, f->wishes);
}
