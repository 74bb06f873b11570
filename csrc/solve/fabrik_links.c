/* fabrik_links.c: cuts the tree of a problem into the links of FABRIK and hangs the goals on them.

   Purpose    what fabrik_tree.c knows of a problem, worked out once a call
   Given      a problem of positions, orientations, poses, axes and ball loops without coupled joints
   Returned   links parents first; for each the goals at or below it
   Notes      1 Turns whose origins coincide and that nothing pulls at in between are one link: a universal joint, a
                wrist.
              2 A loop hangs an end on each of its two links; a side that nothing moves hangs none, it is a target. */
#include "solve/fabrik_links.h"

/* Share of the weight of a loop that each of its two ends has: they can meet anywhere, and must not hold back a goal that
   is wanted at one place. */
#define LOOP_WEIGHT 0.1

/* Frames that a goal pulls at. */
static int sides_of(const hik_goal *g) { return hik_goal_class(g)->caps & HIK_MEETS ? 2 : 1; }

static int32_t side_step(const hik_goal *g, int side) { return side == 0 ? g->step : g->other_step; }

static size_t count_below(const hik_problem *p) {
  size_t sum = 0;
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int side = 0; side < sides_of(p->goal + i); side++)
      for (int32_t s = side_step(p->goal + i, side); s >= 0; s = p->model->step_parent[s]) sum++;
  return sum;
}

static size_t count_ends(const hik_problem *p) {
  size_t sum = 0;
  for (int32_t i = 0; i < p->n_goal; i++) sum += (size_t)sides_of(p->goal + i);
  return sum;
}

hik_fabrik *hik_fabrik_lay_out(const hik_problem *p, hik_block *block) {
  hik_fabrik *f = HIK_TAKE(block, hik_fabrik, 1), spare, *into = f ? f : &spare;
  into->links = HIK_TAKE(block, hik_link, p->n_active);
  into->ends = HIK_TAKE(block, hik_end, count_ends(p));
  into->below = HIK_TAKE(block, int32_t, count_below(p));
  into->wanted = HIK_TAKE(block, hik_pose, p->n_active);
  into->arm = (double(*)[2])HIK_TAKE(block, double, 2 * (size_t)p->model->n_step);
  into->pulls = HIK_TAKE(block, int32_t, p->model->n_step);
  into->link_of = HIK_TAKE(block, int32_t, p->model->n_step);
  return f;
}

hik_status hik_fabrik_accepts(const hik_problem *p, const char *solver, hik_error *error) {
  const uint32_t known = HIK_HAS_POSITION | HIK_HAS_ORIENTATION | HIK_HAS_AXIS;
  for (int32_t i = 0; i < p->n_goal; i++) {
    uint32_t caps = hik_goal_class(p->goal + i)->caps;
    if (caps != (HIK_IS_PAIR | HIK_MEETS) && (!caps || caps & ~known))
      return hik_fail(error, HIK_UNSUPPORTED, i, "%s takes positions, orientations, poses, axes and ball loops, not term "
                      "%d (%s); auto takes it", solver, i, hik_goal_class(p->goal + i)->name);
  }
  return hik_refuse_coupled(p, solver, error);
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
  *l = (hik_link){.step = {s}, .count = 1, .kind = f->m->step_kind[s], .parent = parent, .only = -1, .first_child = -1,
              .next_child = -1, .first_goal = -1};
  l->carrier = l->kind != HIK_SLIDE ? i : parent < 0 ? -1 : f->links[parent].carrier;
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
  for (int32_t i = 0; i < f->n; i++) {
    f->links[i].below = sum;
    sum += f->links[i].n_below;
    f->links[i].n_below = 0;
  }
  for (int32_t e = 0; e < f->n_end; e++)
    for (int32_t i = f->ends[e].link; i >= 0; i = f->links[i].parent) {
      hik_link *l = f->links + i;
      f->below[l->below + l->n_below++] = e;
      l->frame_below = l->frame_below || f->ends[e].has_frame;
    }
}

/* Hangs a side of a goal on its link. */
static void put_end(hik_fabrik *f, const hik_goal *g, int side) {
  hik_end *e = f->ends + f->n_end;
  uint32_t caps = hik_goal_class(g)->caps;
  *e = (hik_end){.goal = g, .place = side == 0 ? g->place : g->other_place, .link = f->link_of[side_step(g, side)],
                 .next = -1, .mate = -1, .weight = g->term.weight};
  if (caps & HIK_MEETS) hik_pose_point(&e->place, g->term.param + 3 * side, e->place.t);
  e->has_position = caps & (HIK_HAS_POSITION | HIK_MEETS), e->has_axis = caps & HIK_HAS_AXIS;
  e->has_frame = caps & (HIK_HAS_ORIENTATION | HIK_HAS_AXIS);
  if (e->has_axis) hik_unit(g->term.param, e->axis);
  hik_link *l = f->links + e->link;
  e->next = l->first_goal;
  l->first_goal = f->n_end++;
  l->only = -1, l->pulls++;
}

/* The ends of a loop: each other's mates, or one with the point of the side that nothing moves for its target. */
static void join_ends(hik_fabrik *f, const hik_goal *g) {
  hik_end *e = f->ends + f->n_end - 1;
  if (g->step >= 0 && g->other_step >= 0) {
    e->mate = f->n_end - 2, e[-1].mate = f->n_end - 1;
    e->weight *= LOOP_WEIGHT, e[-1].weight *= LOOP_WEIGHT;
    f->loops = true;
  } else if (g->step >= 0) {
    hik_pose_point(&g->other_place, g->term.param + 3, e->position);
  } else if (g->other_step >= 0) {
    hik_pose_point(&g->place, g->term.param, e->position);
  }
}

static void put_ends(hik_fabrik *f) {
  double sum = 0;
  f->n_end = 0, f->loops = false;
  for (int32_t i = 0; i < f->p->n_goal; i++) {
    const hik_goal *g = f->p->goal + i;
    for (int side = 0; side < sides_of(g); side++)
      if (side_step(g, side) >= 0) put_end(f, g, side); /* else nothing moves it */
    if (sides_of(g) == 2) join_ends(f, g);
  }
  for (int32_t i = 0; i < f->n_end; i++) sum += f->ends[i].weight;
  for (int32_t i = 0; i < f->n_end; i++) f->ends[i].weight *= f->n_end / sum;
}

void hik_fabrik_prepare(hik_fabrik *f, const hik_problem *p, const double *weights) {
  const hik_model *m = f->m = p->model;
  f->p = p, f->param = weights, f->n = 0;
  f->length = hik_problem_length(p);
  f->tiny = HIK_FABRIK_TINY * f->length;
  memset(f->pulls, 0, (size_t)m->n_step * sizeof *f->pulls);
  for (int32_t k = 0; k < p->n_active; k++)
    if (m->step_parent[p->active[k]] >= 0) f->pulls[m->step_parent[p->active[k]]]++;
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int side = 0; side < sides_of(p->goal + i); side++)
      if (side_step(p->goal + i, side) >= 0) f->pulls[side_step(p->goal + i, side)]++;
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
  put_ends(f);
  list_below(f);
}

void hik_fabrik_begin(hik_fabrik *f, const double *target, hik_pose *world, double *q) {
  f->world = world, f->q = q;
  for (int32_t i = 0; i < f->n_end; i++) {
    hik_end *e = f->ends + i;
    if (hik_goal_class(e->goal)->caps & HIK_MEETS) continue;
    hik_goal_class(e->goal)->wanted(e->goal, target + e->goal->column, e->position, e->rotation);
    if (e->has_axis) hik_copy3(e->rotation, e->direction);
  }
}
