/* slide.h: trees that grow along what they touch, sixteen lanes at a time.
   hik_slide_create hik_slide_free hik_slide_batch */
#pragma once
#include "plan/edges.h"

typedef struct hik_slide hik_slide;

/* How finely: metres that are kept from obstacles, of the proof; length of a step beside one. */
typedef struct hik_slide_pace {
  double clear[4]; /* of the lanes in turn */
  double tol, step;
} hik_slide_pace;

/* NULL: no memory. */
hik_slide *hik_slide_create(const hik_model *model, const hik_world *world);
void hik_slide_free(hik_slide *slide);

/* Tree `side` grows towards 16 random postures (draws number, number + 1, ..), and the other towards each new end. MET: node
   *i of that tree and *j of the other stand on one place. */
hik_met hik_slide_batch(hik_edges *edges, hik_slide *slide, const hik_slide_pace *pace, hik_nodes both[2],
                        int32_t side, uint64_t seed, uint64_t number, int32_t *i, int32_t *j);
