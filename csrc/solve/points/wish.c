/* wish.c: see wish.h. */
#include "solve/points/wish.h"

/* -1: nothing moves that side, or there is none. */
static int32_t step_of(const hik_goal *g, int side) { return side == 0 ? g->step : g->other_step; }

/* Some goal's frame hangs below the step. */
static bool carries(const hik_problem *p, int32_t step) {
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int side = 0; side < 2; side++)
      for (int32_t s = step_of(p->goal + i, side); s >= step; s = p->model->step_parent[s])
        if (s == step) return true;
  return false;
}

/* A ball that moves a goal by its followers alone has nothing to point. */
static hik_status accept_followers(const hik_problem *p, const char *solver, hik_error *error) {
  const hik_model *m = p->model;
  for (int32_t k = 0; k < p->n_active && m->n_follow > 0; k++) {
    int32_t s = p->active[k];
    if (hik_step_follows(m, s) && !carries(p, hik_step_leader(m, s)))
      return hik_fail(
          error, HIK_UNSUPPORTED, m->step_joint[s],
          "%s moves balls above a goal, not joint %d, which moves one only by joint %d that follows "
          "it; auto does",
          solver, m->joint_mimic[m->step_joint[s]], m->step_joint[s]);
  }
  return HIK_OK;
}

hik_status hik_wishes_accept(const hik_problem *p, const hik_options *o, const char *solver,
                             hik_error *error) {
  (void)o;
  const uint32_t known = HIK_HAS_POSITION | HIK_HAS_ORIENTATION | HIK_HAS_AXIS;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_term_class *c = hik_goal_class(p->goal + i);
    if (!(c->caps & known) && !c->project)
      return hik_fail(error, HIK_UNSUPPORTED, i,
                      "%s takes terms that say where points and axes of one or two frames should "
                      "be, not term %d (%s); auto takes it",
                      solver, i, c->name);
  }
  return accept_followers(p, solver, error);
}

int32_t hik_wish_count(const hik_problem *p) {
  int32_t n = 0;
  for (int32_t i = 0; i < p->n_goal; i++) n += (p->goal[i].step >= 0) + (p->goal[i].other_step >= 0);
  return n;
}

uint64_t hik_wish_count_above(const hik_problem *p) {
  uint64_t n = 0;
  for (int32_t i = 0; i < p->n_goal; i++)
    for (int side = 0; side < 2; side++)
      for (int32_t s = step_of(p->goal + i, side); s >= 0; s = p->model->step_parent[s]) n++;
  return n > INT32_MAX ? UINT64_MAX : n;
}

static void weigh_axes(const hik_goal *g, hik_wish *w) {
  double most = 0, *x = w->axis_weight;
  x[0] = x[1] = x[2] = w->turn_weight = 1;
  if (w->seen) w->turn_weight = 0;
  if (!hik_goal_class(g)->axis_weights) return;
  hik_goal_class(g)->axis_weights(g, x);
  for (int k = 0; k < 3; k++) most = fmax(most, x[k]);
  for (int k = 0; k < 3; k++) x[k] /= most;
  w->turn_weight = most;
}

static void set_side(const hik_goal *g, int side, hik_wish *w) {
  const hik_term_class *c = hik_goal_class(g);
  double point[3] = {0, 0, 0};
  *w = (hik_wish){.goal = g,
                  .side = side,
                  .step = step_of(g, side),
                  .mate = -1,
                  .own = {0, 0, 1},
                  .place = side == 0 ? g->place : g->other_place,
                  .changes = c->project != NULL};
  w->point = c->caps & (HIK_HAS_POSITION | HIK_PULLS_POINT);
  w->axis = c->caps & (HIK_HAS_AXIS | HIK_PULLS_AXIS);
  w->frame = c->caps & (HIK_HAS_ORIENTATION | HIK_PULLS_FRAME);
  w->seen = side == 1 && c->caps & HIK_SEES_FRAME;
  weigh_axes(g, w);
  if (c->caps & HIK_HAS_AXIS) hik_unit(g->term.param, w->own);
  if (c->pulled) c->pulled(g, side, point, w->own);
  hik_pose_point(&w->place, point, w->place.t);
}

void hik_wishes_set(const hik_problem *p, hik_wish *out) {
  int32_t n = 0;
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    int32_t first = n;
    for (int side = 0; side < 2; side++)
      if (step_of(g, side) >= 0) set_side(g, side, out + n++);
    if (n == first + 2) out[first].mate = first + 1, out[first + 1].mate = first;
  }
}

void hik_wishes_begin(const double *target, int32_t n, hik_wish *wishes) {
  for (hik_wish *w = wishes; w < wishes + n; w++) {
    const hik_term_class *c = hik_goal_class(w->goal);
    if (!c->wanted) continue;
    c->wanted(w->goal, target + w->goal->column, w->want.point, w->want.rotation);
    if (w->axis) hik_copy3(w->want.rotation, w->want.axis);
  }
}

static void stand_at(const hik_pose *frame, const double *own, hik_stand *out) {
  hik_copy3(frame->t, out->point);
  hik_mat_vec(frame->r, own, out->axis);
  memcpy(out->rotation, frame->r, sizeof out->rotation);
}

void hik_wish_stand(const hik_wish *w, const hik_pose *world, hik_stand *out) {
  hik_pose frame;
  hik_pose_mul(world + w->step, &w->place, &frame);
  stand_at(&frame, w->own, out);
}

bool hik_wish_want(const hik_wish *w, const double *target, bool both, hik_stand now[2], hik_stand want[2]) {
  const hik_term_class *c = hik_goal_class(w->goal);
  hik_wish other;
  if (w->mate < 0 && c->caps & HIK_IS_PAIR) {
    set_side(w->goal, 1 - w->side, &other);
    stand_at(&other.place, other.own, now + 1 - w->side);
  }
  memcpy(want, now, 2 * sizeof *want); /* where it stands, of what a kind says nothing about */
  return !c->project(w->goal, target + w->goal->column, now, both ? 0.5 : w->side == 0, want);
}

void hik_wishes_look(const double *target, const hik_pose *world, int32_t n, hik_wish *wishes) {
  for (hik_wish *w = wishes; w < wishes + n; w++) {
    if (!w->changes || (w->mate >= 0 && w->side == 1)) continue;
    hik_stand now[2] = {{.point = {0}}}, want[2];
    hik_wish_stand(w, world, now + w->side);
    if (w->mate >= 0) hik_wish_stand(wishes + w->mate, world, now + 1);
    bool holds = hik_wish_want(w, target, w->mate >= 0, now, want);
    w->want = want[w->side], w->idle = holds;
    if (w->mate >= 0) wishes[w->mate].want = want[1], wishes[w->mate].idle = holds;
  }
}
