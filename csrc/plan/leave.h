/* leave.h: a way out for a posture that nearly touches. */
#pragma once
#include "plan/contact.h"
#include "plan/edges.h"

typedef struct hik_leave hik_leave;

/* NULL: no memory. */
hik_leave *hik_leave_create(const hik_model *model, const hik_world *world);
void hik_leave_free(hik_leave *leave);

/* Which of `count` postures q [count][nq], up to HIK_GROUP, are nearer to something than edges from there can be proved past, a bit
   each. */
uint32_t hik_leave_close(hik_edges *edges, const double *q, int32_t count);
/* A posture `to` that is not as close as q, by an edge that is proved; false: none was found. */
bool hik_leave_from(hik_edges *edges, hik_leave *leave, const double *q, double *to);
