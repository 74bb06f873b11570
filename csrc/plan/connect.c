/* connect.c: two trees of proved edges that grow towards each other.

   Purpose   A way for a figure among obstacles, as a polygon whose every edge is proved free.
   Given     A figure in a world, a start, goals; a seed and a budget of groups of postures.
   Returned  Vertices from the start to a goal; without success those to the node nearest to a goal.
   Outcomes  Found, or not in the budget. That there is no way is never claimed.
   Notes     The smaller tree grows: by straight edges at first, which is best in the open; then in turn by those and by
             sliding along contacts (slide.h), which passes narrow gaps, each as many groups as the other. A start or goal that
             nearly touches is led out of there first (leave.h). What does not meet is
             begun anew, finer. The budget counts groups of postures, not time: the answer is that of every machine.
   Reference J. J. Kuffner, S. M. LaValle: RRT-Connect (2000). */
#include "plan/connect.h"

#include "base/memory.h"
#include "plan/extend.h"
#include "plan/keep.h"
#include "plan/leave.h"
#include "plan/slide.h"

enum { OUT = 3 /* moves that lead away from a root that nearly touches */ };

/* Groups before the trees slide, and of sliding before they begin anew, 1.5 times as many each time. */
enum { PLAIN = 600, ANEW = 5000 };
enum { STRAIGHT = 64 /* goals that a straight edge is tried to */ };

/* The first time, and later: thinner gaps, more care. */
static const hik_slide_pace coarse = {{0.008, 0.008, 0.008, 0.008}, 0.006, 0.25},
                            fine = {{0.006, 0.006, 0.006, 0.006}, 0.003, 0.15};

/* What a search holds. */
typedef struct search {
  hik_edges *e;
  hik_nodes both[2];
  hik_slide *slide; /* NULL: not yet; likewise */
  hik_leave *leave;
  const hik_world *world;
  double *draw, *q; /* [nq] */
  hik_extend *extend;
  uint64_t seed, plain_draws, slide_draws;
  int64_t plain, slid, anew; /* groups */
  int32_t i, j;              /* nodes that met, of the start's tree and of the goals' */
} search;

static hik_met try_once(search *s, int32_t side) {
  int32_t i, j;
  hik_met met = hik_extend_grow(s->e, s->extend, s->both, side, s->seed, &s->plain_draws, &i, &j);
  if (met == HIK_MET) s->i = side ? j : i, s->j = side ? i : j;
  return met;
}

static hik_met slide_once(search *s, const hik_slide_pace *pace, int32_t side) {
  int32_t i, j;
  if (!s->slide && !(s->slide = hik_slide_create(s->e->model, s->world))) return HIK_MET_MEMORY;
  hik_met met = hik_slide_batch(s->e, s->slide, pace, s->both, side, s->seed, s->slide_draws, &i, &j);
  s->slide_draws += HIK_GROUP;
  if (met == HIK_MET) s->i = side ? j : i, s->j = side ? i : j;
  return met;
}

/* Trees of the roots alone. */
static bool plant(search *s, const double *start, const double *goals, int32_t n) {
  size_t nq = (size_t)s->e->model->nq;
  for (int32_t t = 0; t < 2; t++) s->both[t].count = 0;
  bool good = hik_nodes_add(&s->both[0], (int32_t)nq, start, -1);
  for (int32_t g = 0; good && g < n; g++)
    good = hik_nodes_add(&s->both[1], (int32_t)nq, goals + (size_t)g * nq, -1);
  return good;
}

/* Nodes that lead away from the first roots of a tree where these nearly touch. */
static bool lead_out(search *s, hik_nodes *t, const double *roots, int32_t n) {
  hik_edges *e = s->e;
  int32_t nq = e->model->nq;
  if (n > HIK_GROUP) n = HIK_GROUP;
  for (uint32_t close = hik_leave_close(e, roots, n); close; close &= close - 1) {
    int32_t node = 0;
    while (!(close >> node & 1)) node++;
    memcpy(s->q, roots + (size_t)node * (size_t)nq, (size_t)nq * sizeof *s->q);
    for (int32_t turn = 0; turn < OUT && !hik_edges_ended(e); turn++) {
      if (!s->leave && !(s->leave = hik_leave_create(e->model, s->world))) return false;
      if (!hik_leave_from(e, s->leave, s->q, s->draw)) break;
      if (!hik_nodes_add(t, nq, s->draw, node)) return false;
      memcpy(s->q, s->draw, (size_t)nq * sizeof *s->q);
      node = t->count - 1;
      if (!hik_leave_close(e, s->q, 1)) break;
    }
  }
  return true;
}

/* Both trees anew. What is kept along the way allows no moves of other kinds. */
static bool plant_both(search *s, const double *start, const double *goals, int32_t n) {
  return plant(s, start, goals, n) &&
         (s->e->keep || (lead_out(s, &s->both[0], start, 1) && lead_out(s, &s->both[1], goals, n)));
}

static hik_search run(search *s, const double *start, const double *goals, int32_t n, hik_route *route) {
  hik_edges *e = s->e;
  int64_t most = e->keep ? 4 * ANEW : ANEW; /* what is kept costs most of its groups */
  const hik_slide_pace *pace = &coarse;
  if (!hik_edges_ended(e) && !plant_both(s, start, goals, n)) return HIK_SEARCH_MEMORY;
  while (!hik_edges_ended(e)) {
    int32_t side = s->both[1].count < s->both[0].count;
    int64_t before = e->groups;
    bool slides = e->keep || (s->plain >= PLAIN && s->slid < s->plain);
    hik_met met = slides ? slide_once(s, pace, side) : try_once(s, side);
    if (met == HIK_MET_MEMORY) return HIK_SEARCH_MEMORY;
    if (met == HIK_MET)
      return hik_nodes_join(s->both, e->model->nq, s->i, s->j, s->q, route) ? HIK_FOUND : HIK_SEARCH_MEMORY;
    e->groups += 1; /* so that a search without edges ends too */
    *(slides ? &s->slid : &s->plain) += e->groups - before;
    if (s->slid - s->anew < most) continue;
    most += most / 2, s->anew = s->slid, pace = &fine;
    if (!hik_edges_ended(e) && !plant_both(s, start, goals, n)) return HIK_SEARCH_MEMORY;
  }
  return HIK_NOT_IN_BUDGET;
}

/* The way to the node of the start's tree that is nearest to a goal. */
static bool best_part(search *s, const double *goals, int32_t n, hik_route *route) {
  const hik_model *m = s->e->model;
  double best = 1e300, square;
  int32_t at = 0;
  for (int32_t g = 0; g < n && (g < STRAIGHT || !s->e->ended);
       g++) { /* of many goals the first do, if the time is over */
    int32_t i = hik_nodes_nearest(m, &s->both[0], goals + (size_t)g * (size_t)m->nq, &square);
    if (square < best) best = square, at = i;
  }
  return hik_nodes_trace(&s->both[0], m->nq, at, true, s->q, route);
}

void hik_grown_end(hik_grown *grown) {
  hik_route_end(&grown->nodes);
  hik_release(grown->parent);
  *grown = (hik_grown){{NULL, 0, 0}, NULL, 0};
}

/* Copies both trees; nodes of the second are counted on from those of the first. */
static bool keep_trees(const hik_nodes *both, int32_t nq, double *q, hik_grown *to) {
  size_t bytes, count = (size_t)both[0].count + (size_t)both[1].count;
  if (!hik_mul(count, sizeof *to->parent, &bytes) || !(to->parent = hik_allocate_raw(bytes))) return false;
  to->of_start = both[0].count;
  for (int32_t t = 0; t < 2; t++)
    for (int32_t i = 0; i < both[t].count; i++) {
      int32_t parent = both[t].parent[i];
      to->parent[to->nodes.count] = parent < 0 ? -1 : parent + (t ? to->of_start : 0);
      hik_nodes_at(&both[t], nq, i, q);
      if (!hik_route_add(&to->nodes, q, nq)) return false;
    }
  return true;
}

/* The goal that is nearest of those behind *far, by distance and number; -1: there is none. */
static int32_t next_goal(search *s, const double *start, const double *goals, int32_t n, int32_t last,
                         double *far) {
  const hik_model *m = s->e->model;
  double best = INFINITY;
  int32_t at = -1;
  for (int32_t g = 0; g < n; g++) {
    hik_difference(m, 1, start, goals + (size_t)g * (size_t)m->nq, s->e->room);
    double away = hik_edges_norm(s->e->room, m->nv);
    if ((away > *far || (away == *far && g > last)) && away < best) best = away, at = g;
  }
  *far = best;
  return at;
}

/* Straight to the nearest goal that can be: FOUND, or NOT_IN_BUDGET where something stands in the way of the nearest. */
static hik_search straight(search *s, const double *start, const double *goals, int32_t n, hik_route *route) {
  int32_t nq = s->e->model->nq, g = -1;
  double far = -1;
  for (int32_t turn = 0; turn < STRAIGHT && (turn == 0 || !hik_edges_ended(s->e)); turn++) {
    if ((g = next_goal(s, start, goals, n, g, &far)) < 0) break;
    s->e->groups += (int64_t)n * nq / 1024; /* a scan of many goals takes its time too */
    const double *goal = goals + (size_t)g * (size_t)nq;
    if (!s->e->keep) {
      if (!hik_edges_free(s->e, start, goal)) continue;
      bool good = hik_route_add(route, start, nq) && hik_route_add(route, goal, nq);
      return good ? HIK_FOUND : HIK_SEARCH_MEMORY;
    }
    if (!hik_route_add(route, start, nq)) return HIK_SEARCH_MEMORY;
    int found = hik_keep_way(s->e, start, goal, route);
    if (found) return found > 0 ? HIK_FOUND : HIK_SEARCH_MEMORY;
    route->count = 0;
  }
  return HIK_NOT_IN_BUDGET;
}

hik_search hik_connect(hik_edges *e, const double *start, const double *goals, int32_t n, uint64_t seed,
                       double bound, hik_route *route, hik_grown *grown) {
  int32_t nq = e->model->nq;
  search s = {.e = e, .seed = seed, .slide_draws = 1ull << 40, .world = hik_check_world(e->check)};
  hik_shorter shorter = {bound, start, goals, n};
  s.draw = hik_allocate_raw(2 * (size_t)nq * sizeof *s.draw), s.q = s.draw + nq;
  s.extend = hik_extend_create(e->model, bound < INFINITY ? &shorter : NULL);
  bool good = s.draw && s.extend && plant(&s, start, goals, n);
  hik_search found = good ? straight(&s, start, goals, n, route) : HIK_SEARCH_MEMORY;
  if (found == HIK_NOT_IN_BUDGET) found = run(&s, start, goals, n, route);
  if (found == HIK_NOT_IN_BUDGET && !best_part(&s, goals, n, route)) found = HIK_SEARCH_MEMORY;
  if (found != HIK_SEARCH_MEMORY && grown && !keep_trees(s.both, nq, s.q, grown)) found = HIK_SEARCH_MEMORY;
  hik_nodes_end(&s.both[0]), hik_nodes_end(&s.both[1]);
  hik_slide_free(s.slide), hik_leave_free(s.leave), hik_extend_free(s.extend);
  hik_release(s.draw);
  return found;
}
