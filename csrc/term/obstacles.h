/* obstacles.h: what a term of kind "obstacles" looks at: a figure of capsules among obstacles (scene/scene.h). */
#pragma once
#include "base/error.h"
#include "scene/scene.h"

/* A figure and a world, which are borrowed, and the memory of the threads that look: any number may at once. */
hik_status hik_clear_create(const hik_figure *figure, const hik_world *world, hik_clear **out,
                            hik_error *error);
void hik_clear_free(hik_clear *clear);
const hik_figure *hik_clear_figure(const hik_clear *clear);
const hik_world *hik_clear_world(const hik_clear *clear);

/* Which of `count` (up to HIK_GROUP) postures q [count][nq] keep the distances, a bit each: the word of the judge. */
uint32_t hik_clear_group(const hik_term *term, const double *q, int32_t count);

/* Looks at up to HIK_GROUP postures ahead, together: what is asked of one of them next, on this thread, costs nothing more.
   likely: they may well be clear. */
void hik_clear_look(const hik_term *term, const double *q, int32_t count, bool likely);
