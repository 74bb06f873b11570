/* pass_clear.c: whether an outline is clear of walls and a leaf all along straight motions in (x, y, heading).

   Given     poses two and two, walls, a leaf with what it moves meanwhile.
   Returned  for each pair whether it is clear, proved.
   Notes     A piece of a motion lies in the box of its ends; boxes that are mixed are halved in time, DEEP times at most: what
             grazes counts as not clear. */
#include "access/pass.h"
#include "base/error.h"
#include "base/memory.h"

enum { DEEP = 16, OFTEN = 64 }; /* boxes that are looked at from one look at the tick to the next */

typedef struct piece {
  int32_t at, deep; /* which of the 2^deep pieces */
} piece;

bool hik_pass_is_clear(hik_outline *o, const hik_walls *walls, const int32_t *all, int32_t n,
                       const double pose[6], int32_t *kept, hik_deal *deal) {
  piece stack[DEEP + 2];
  int32_t count = 1, boxes = 0;
  stack[0] = (piece){0, 0};
  while (count) {
    if (deal && boxes++ % OFTEN == 0) {
      hik_deal_look(deal);
      if (atomic_load(&deal->stop)) return false;
    }
    piece one = stack[--count];
    double middle[3], half[3], size = ldexp(1, -one.deep), share = ((double)one.at + 0.5) * size;
    for (int k = 0; k < 3; k++) {
      double way = pose[3 + k] - pose[k];
      middle[k] = pose[k] + share * way, half[k] = 0.5 * size * fabs(way) * (1 + 1e-9) + 1e-12;
    }
    int32_t state = hik_pass_look(o, walls, all, n, middle, half, kept).state;
    if (state == HIK_BOX_FREE) continue;
    if (state == HIK_BOX_STUCK || one.deep == DEEP) return false;
    for (int32_t side = 0; side < 2; side++) stack[count++] = (piece){2 * one.at + side, one.deep + 1};
  }
  return true;
}

hik_status hik_pass_clear(const double *corner, int64_t corners, const double *wall, int64_t walls,
                          const hik_leaf *leaf, int64_t leaves, const double *pose, int64_t n, bool *clear,
                          hik_deal *deal, hik_error *error) {
  if (corners < 3 || walls < 0 || leaves < 0 || walls + leaves > INT32_MAX - 1)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "an outline needs 3 corners or more");
  hik_outline o = {.n = corners, .corner = corner};
  int32_t *all = NULL, *kept = NULL;
  hik_block block = {0};
  void *memory = NULL;
  for (int pass = 0; pass < 2; pass++) {
    HIK_TAKE_DOUBLES(&block, corners, &o.out, &o.far);
    HIK_TAKE_DOUBLES(&block, 2 * corners, &o.normal, &o.turned, &o.faced);
    all = HIK_TAKE(&block, int32_t, walls + leaves + 1);
    kept = HIK_TAKE(&block, int32_t, walls + leaves + 1);
    if (pass) break;
    if (block.bad || !(memory = hik_allocate_raw(block.size))) return hik_fail_memory(error, block.size);
    block = (hik_block){.base = memory};
  }
  hik_pass_outline(&o);
  hik_walls here = {wall, leaf, (int32_t)walls};
  for (int64_t k = 0; k < walls + leaves; k++) all[k] = (int32_t)k;
  for (int64_t k = 0; k < n; k++)
    clear[k] = hik_pass_is_clear(&o, &here, all, (int32_t)(walls + leaves), pose + 6 * k, kept, deal);
  hik_release(memory);
  if (deal && atomic_load(&deal->stop)) return hik_fail(error, HIK_INTERRUPTED, -1, "the call was cancelled");
  return HIK_OK;
}
