/* auto.h: what `auto` asks besides descents and lanes. */
#pragma once
#include "solve/drive/solver.h"

/* ---- closed.c: the nearest posture of an arm of up to six turns by its closed form ---- */

/* Bytes for one thread. */
size_t hik_closed_scratch(const hik_readied *ready);
/* Whether problem and options are for the closed form. */
bool hik_closed_takes(const hik_readied *ready);
/* False: no answer, and `answer` is as it was. */
bool hik_closed_one(hik_run *run, void *scratch, const double *target, hik_answer *answer);
/* As hik_solver_class.block, but problems without an answer are left alone. */
void hik_closed_block(hik_run *run, void *scratch, const hik_claims *rows);

/* ---- free_starts.c: goals that keep clear of obstacles, first without them, from free postures ---- */

/* Attempts that are made without the obstacles: from the start given, then from the nearest of the map. */
enum { HIK_FREE_ATTEMPTS = 24 };

/* A map of free postures, of a plan; `plain` is the problem without the obstacles, as its lanes have it. */
typedef struct hik_free_map {
  hik_readied plain;
  hik_options options; /* of plain: one start */
  int32_t count, points;
  double *q;         /* [count][nq] */
  double *at;        /* [count][points][3] where the goals with a position stand */
  double *group, *v; /* [HIK_GROUP][nq], [nv], */
  hik_pose *world;   /* [n_step] used while it is made */
} hik_free_map;

/* To be released. NULL with *bad false: the problem has no plain one. */
hik_free_map *hik_free_map_create(const hik_problem *problem, const hik_options *options, bool *bad);

/* The places of the map nearest to a target, nearest first, each call the next: at most HIK_FREE_ATTEMPTS. */
typedef struct hik_free_query {
  int32_t given, count;
  int32_t place[HIK_FREE_ATTEMPTS];
} hik_free_query;
void hik_free_ask(const hik_free_map *map, const double *target, hik_free_query *query);
/* False: there is no more; q is as it was. */
bool hik_free_take(const hik_free_map *map, hik_free_query *query, double *q);

/* Which of `count` postures, up to HIK_GROUP, keep clear as all terms of the problem ask, a bit each. */
uint32_t hik_free_clear(const hik_problem *problem, const double *q, int32_t count);
/* Looks at as many ahead: their residuals cost little then. */
void hik_free_look(const hik_problem *problem, const double *q, int32_t count);
