/* restarts.h: damped descents of a target from start to start (squares/damped.h), polished in the end: what `auto` does where
   lanes do not help. It stops wherever a residual is wanted, so that several can go on side by side. */
#pragma once
#include "solve/drive/auto.h"
#include "solve/squares/damped.h"
#include "solve/squares/search.h"

enum { HIK_POLISH = 60 /* iterations of the last descent, where nothing arrived */ };

typedef struct hik_restarts {
  hik_run run;        /* the thread's; where several go on side by side each has a world of its own */
  hik_damped damped;  /* its best pose is the nearest to the start of those that meet the goals */
  hik_search *search; /* with the descent in use */
  const double *target;
  hik_answer *answer;
  hik_free_query query;
  bool from_map, under_way; /* starts come from the map of free postures; an attempt has been begun */
  int32_t k, first, before, found, wanted; /* attempt in hand; remedies before; poses */
} hik_restarts;

void hik_restarts_lay_out(hik_restarts *r, const hik_problem *p, hik_block *block);
/* Once a thread and call; run->world is what `world` says. */
void hik_restarts_prepare(hik_restarts *r, const hik_run *run, hik_pose *world);
/* From answer->q, then from start `first` on, `starts` at most, until `wanted` poses meet the goals; `known` is a pose that
   lanes say does, NULL: none. The residual at search->d.q is evaluated. */
void hik_restarts_begin(hik_restarts *r, int32_t first, const double *known, const double *target,
                        hik_answer *answer);
/* Goes on from a pose whose residual is evaluated. True: it wants that of search->d.q; false: the answer is written. */
bool hik_restarts_go_on(hik_restarts *r);
