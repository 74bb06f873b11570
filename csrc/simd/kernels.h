/* kernels.h: the hot loops that work on several problems at once, one problem a lane.

   Lanes never exchange numbers, so the width is a matter of the machine alone and every instruction set gives the
   same bytes. Each kernel is written once (kernels.inc.c) and compiled once per instruction set. */
#ifndef HIK_KERNELS_H
#define HIK_KERNELS_H
#include "base/base.h"
#include "simd/chain.h"

enum { HIK_MOST_LANES = 24, HIK_MOST_SINGLE_LANES = 2 * HIK_MOST_LANES };

typedef struct hik_kernels {
  const char *name;
  int32_t lanes, single_lanes; /* problems taken at a time, in doubles and in floats */
  /* One FABRIK iteration of `lanes` chains of n free links: tip to root, then root to tip.
     length [n]; points [n + 1][3][lanes], the first stays; target [3][lanes]; error [lanes] gets |tip - target|.
     A lane whose points coincide costs all of them time: idle lanes should hold some chain too. */
  void (*fabrik_free)(int32_t n, const double *length, const double *target, double *points, double *error);
  /* The same in floats, for lengths and coordinates about 1. */
  void (*fabrik_single)(int32_t n, const float *length, const float *target, float *points, float *error);
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
