/* kernels.h: the hot loops that work on several problems at once, one problem a lane.

   Lanes never exchange numbers, so the width is a matter of the machine alone and every instruction set gives the
   same bytes. Each kernel is written once (kernels.inc.c) and compiled once per instruction set. */
#ifndef HIK_KERNELS_H
#define HIK_KERNELS_H
#include "base/base.h"
#include "simd/chain.h"

enum { HIK_MOST_LANES = 24, HIK_MOST_SINGLE_LANES = 2 * HIK_MOST_LANES };

/* Rows of `lanes` numbers that go with the points. ERROR gets |tip - target|. An error below LIMIT takes its place times
   `share` and makes QUIET 0, any other adds 1 to QUIET; one within the tolerance makes QUIET HIK_FABRIK_DONE. */
typedef enum hik_fabrik_row {
  HIK_FABRIK_TARGET,
  HIK_FABRIK_ERROR = 3,
  HIK_FABRIK_LIMIT,
  HIK_FABRIK_QUIET,
  HIK_FABRIK_ROWS
} hik_fabrik_row;
#define HIK_FABRIK_DONE 1000000

typedef struct hik_kernels {
  const char *name;
  int32_t lanes, single_lanes; /* problems taken at a time, in doubles and in floats */
  /* One FABRIK iteration of `lanes` chains of n free links: tip to root, then root to tip.
     length [n]; points [n + 1][3][lanes], the first stays; rows: see hik_fabrik_row. A lane whose points coincide costs
     all of them time: idle lanes should hold some chain too. */
  void (*fabrik_free)(int32_t n, const double *length, double tolerance, double share, double *points,
                      double *rows);
  /* The same in floats, for lengths and coordinates about 1. */
  void (*fabrik_single)(int32_t n, const float *length, float tolerance, float share, float *points,
                        float *rows);
  const hik_chain_kernels *chain; /* of the same instruction set */
} hik_kernels;

/* hik_kernels_few: one narrow register, for fewer problems than the others have lanes. */
extern const hik_kernels hik_kernels_base, hik_kernels_few;
#if defined(__x86_64__) && defined(__GNUC__)
#define HIK_HAVE_X86 1
extern const hik_kernels hik_kernels_avx2, hik_kernels_avx512;
#endif

/* The set in use: the best this processor has, unless hik_simd_select said otherwise. */
const hik_kernels *hik_kernels_in_use(void);
#endif
