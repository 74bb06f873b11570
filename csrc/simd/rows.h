/* rows.h: what a kernel has worked out in lanes, on its way to the rows of an array.

   Rows that shall go past the caches are first laid out in the first of them, a group at a time, and then written in
   whole lines: memory need not be read before it is written, and no store crosses from one line into the next. Without
   LANE_STREAMS they are written as ever: two doubles a store are slower past the caches than through them. */
#pragma once
#include "simd/lanes.h"

enum { STAGED = 3072, LINE = 64 }; /* doubles of a group in the first cache, 24 KiB; bytes of a line */

typedef struct sink {
  double *out;
  size_t width; /* of a problem's row */
  int64_t n;
  bool past;
  double stage[STAGED] __attribute__((aligned(64)));
} sink;

HIK_INLINE void sink_begin(sink *to, double *out, size_t width, int64_t n, bool past) {
  to->out = out, to->width = width, to->n = n;
  to->past = past && LANE_STREAMS && width <= STAGED / LANES;
}

/* Lanes in [width] to the columns `at` .. of the rows of the group whose first problem is `first`. */
HIK_INLINE void sink_put(sink *to, const lane *in, size_t width, size_t at, int64_t first) {
  if (to->past)
    lane_store_part(in, width, to->width, 0, to->n - first, to->stage + at);
  else
    lane_store_part(in, width, to->width, first, to->n, to->out + at);
}

/* After all columns of a group. */
HIK_INLINE void sink_flush(sink *to, int64_t first) {
  if (!to->past) return;
  size_t total = (size_t)(to->n - first < LANES ? to->n - first : LANES) * to->width, done = 0;
  double *out = to->out + (size_t)first * to->width;
  for (; done < total && ((uintptr_t)(out + done) & (LINE - 1)) != 0; done++) out[done] = to->stage[done];
  for (; done + LANES <= total; done += LANES) LANE_STREAM(out + done, LANE_OF(to->stage + done));
  for (; done < total; done++) out[done] = to->stage[done];
}

/* After all groups: what went past the caches is there before anything that other threads are told later. */
HIK_INLINE void sink_end(const sink *to) {
  if (to->past) LANE_FENCE();
}
