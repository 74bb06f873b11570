/* extend.h: trees that grow by straight edges.
   hik_extend_create hik_extend_free hik_extend_grow */
#pragma once
#include "plan/edges.h"
#include "plan/within.h"

typedef struct hik_extend hik_extend;

/* shorter: ways that are of use (it is borrowed); NULL: all are. NULL: no memory. */
hik_extend *hik_extend_create(const hik_model *model, const hik_shorter *shorter);
void hik_extend_free(hik_extend *extend);

/* Tree `side` grows towards one random posture, or, where the last ones led nowhere, towards sixteen; and the other towards each
   new node. Draws *number, *number + 1, .. which is counted on. MET: node *i of that tree and *j of the other stand on one place. */
hik_met hik_extend_grow(hik_edges *edges, hik_extend *extend, hik_nodes both[2], int32_t side, uint64_t seed,
                        uint64_t *number, int32_t *i, int32_t *j);
