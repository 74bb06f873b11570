/* free_starts.c: goals that keep clear of obstacles (term/obstacles.h): first without them, from free postures, for auto.

   A problem with such terms has its other ones as a problem of their own (hik_problem.plain). Its solutions come cheaply and
   from many starts; the first that keeps clear is an answer.

   The map is free postures of this scene, drawn by the seed: every other one is drawn inside the limits, the rest nearer to the
   rest of the figure, since a person's random postures are seldom free of the person. A start near the target and free is
   often in the same free region as an answer. */
#include "solve/drive/auto.h"
#include "term/obstacles.h"

enum { STARTS /* option of `auto` */ };
enum { DRAWS = 2048, KEPT = 512 };
/* of the way from the rest to a random posture */
static const double NEAR_REST = 0.35;

uint32_t hik_free_clear(const hik_problem *p, const double *q, int32_t count) {
  uint32_t free = (uint32_t)((1ull << count) - 1);
  for (int32_t i = 0; i < p->n_goal && free; i++)
    if (hik_goal_class(p->goal + i)->caps & HIK_IS_CLEARANCE)
      free &= hik_clear_group(&p->goal[i].term, q, count);
  return free;
}

void hik_free_look(const hik_problem *p, const double *q, int32_t count) {
  for (int32_t i = 0; i < p->n_goal && count > 1; i++)
    if (hik_goal_class(p->goal + i)->caps & HIK_IS_CLEARANCE)
      hik_clear_look(&p->goal[i].term, q, count, false);
}

static void draw(const hik_model *m, uint64_t seed, uint64_t number, double *v, double *q) {
  hik_random_q(m, seed, number, q);
  if (number % 2 == 0) return;
  hik_difference(m, 1, m->rest, q, v);
  for (int32_t k = 0; k < m->nv; k++) v[k] *= NEAR_REST;
  hik_integrate(m, 1, m->rest, v, q);
  hik_clamp(m, 1, q);
}

static bool has_point(const hik_goal *g) { return hik_goal_class(g)->caps & HIK_HAS_POSITION; }

static void note_points(const hik_free_map *map, const double *q, double *at) {
  const hik_problem *p = map->plain.problem;
  hik_list_poses(p->model, p->active, p->n_active, q, map->world);
  for (int32_t i = 0; i < p->n_goal; i++) {
    hik_pose frame;
    if (!has_point(p->goal + i)) continue;
    hik_goal_pose(p->goal + i, map->world, &frame);
    hik_copy3(frame.t, at);
    at += 3;
  }
}

static void fill(hik_free_map *map, const hik_problem *p, uint64_t seed) {
  const hik_model *m = p->model;
  size_t nq = (size_t)m->nq, points = 3 * (size_t)map->points;
  for (uint64_t first = 0; first < DRAWS && map->count < KEPT; first += HIK_GROUP) {
    for (uint64_t l = 0; l < HIK_GROUP; l++) draw(m, seed, first + l, map->v, map->group + l * nq);
    uint32_t free = hik_free_clear(p, map->group, HIK_GROUP);
    for (int32_t l = 0; l < HIK_GROUP && map->count < KEPT; l++) {
      if (!(free >> l & 1)) continue;
      double *q = map->q + (size_t)map->count * nq;
      memcpy(q, map->group + (size_t)l * nq, nq * sizeof *q);
      note_points(map, q, map->at + (size_t)map->count++ * points);
    }
  }
}

static hik_free_map *lay_out(const hik_problem *plain, int32_t points, hik_block *block) {
  hik_free_map *map = HIK_TAKE(block, hik_free_map, 1), spare, *into = map ? map : &spare;
  size_t row = (size_t)plain->model->nq * sizeof(double);
  into->points = points;
  into->q = hik_block_take(block, KEPT, row);
  into->at = HIK_TAKE(block, double, 3 * (int64_t)KEPT * points);
  into->group = hik_block_take(block, HIK_GROUP, row);
  into->v = HIK_TAKE(block, double, plain->model->nv);
  into->world = HIK_TAKE(block, hik_pose, plain->model->n_step);
  return map;
}

hik_free_map *hik_free_map_create(const hik_problem *problem, const hik_options *options, bool *bad) {
  const hik_problem *plain = problem->plain;
  int32_t points = 0;
  *bad = false;
  if (!plain) return NULL;
  for (int32_t i = 0; i < plain->n_goal; i++) points += has_point(plain->goal + i);
  hik_block block = {NULL, 0, false};
  lay_out(plain, points, &block);
  void *memory = block.bad ? NULL : hik_allocate(block.size);
  *bad = !memory;
  if (!memory) return NULL;
  block = (hik_block){memory, 0, false};
  hik_free_map *map = lay_out(plain, points, &block);
  map->options = *options;
  map->options.retries = 0;
  map->plain.problem = plain, map->plain.options = &map->options;
  if (options->param[STARTS] >= 1)
    fill(map, problem, options->seed); /* from the start given alone: none is asked for */
  return map;
}

void hik_free_ask(const hik_free_map *map, const double *target, hik_free_query *query) {
  const hik_problem *p = map->plain.problem;
  double far[HIK_FREE_ATTEMPTS];
  query->given = query->count = 0;
  for (int32_t k = 0; k < map->count; k++) {
    const double *at = map->at + 3 * (size_t)map->points * (size_t)k;
    double square = 0;
    for (int32_t i = 0; i < p->n_goal; i++) {
      if (!has_point(p->goal + i)) continue;
      const double *wanted = target + p->goal[i].column;
      for (int j = 0; j < 3; j++) square += (at[j] - wanted[j]) * (at[j] - wanted[j]);
      at += 3;
    }
    int32_t place = query->count;
    if (place == HIK_FREE_ATTEMPTS && !(square < far[place - 1])) continue;
    if (place == HIK_FREE_ATTEMPTS) place--;
    for (; place > 0 && square < far[place - 1]; place--)
      far[place] = far[place - 1], query->place[place] = query->place[place - 1];
    far[place] = square, query->place[place] = k;
    if (query->count < HIK_FREE_ATTEMPTS) query->count++;
  }
}

bool hik_free_take(const hik_free_map *map, hik_free_query *query, double *q) {
  if (query->given >= query->count) return false;
  size_t nq = (size_t)map->plain.problem->model->nq;
  memcpy(q, map->q + nq * (size_t)query->place[query->given++], nq * sizeof *q);
  return true;
}
