/* general6.h: all solutions of a closed loop of six joints, at most three of them slides. */
#pragma once
#include "analytic/loop.h"

enum { HIK_VARIANTS = 12, HIK_GENERAL6_MAX = 16 };

typedef struct hik_general6_work hik_general6_work;
size_t hik_general6_work_size(void);

/* One elimination: what it found and how far it may be trusted. */
typedef struct hik_general6_found {
  int32_t count; /* candidates in theta */
  int32_t real;  /* real eigenvalues */
  double pivot;  /* least over greatest pivot of the pencil: small is ill conditioned */
  double theta[HIK_GENERAL6_MAX + 8][6];
  bool near[HIK_GENERAL6_MAX + 8]; /* of a complex pair as near to real as rounding makes a double root */
} hik_general6_found;
#define HIK_DOUBLE_ROOT 1e-4 /* |im| <= this (1 + |t|^2): rounding moves a root of multiplicity four so far */

/* Candidates of one of the 12 variants, in the joints of `loop` (at most one a slide), not polished. False when this variant cannot be used
   (its last joint slides). Complex eigenvalues with |im| <= nearly (1 + |t|^2) count as near-double real ones. */
bool hik_general6_variant(const hik_loop *loop, int variant, double nearly, hik_general6_work *work,
                          hik_general6_found *found);

/* What is chosen once for an arm. */
typedef struct hik_general6_plan {
  int32_t rank[HIK_VARIANTS]; /* best first */
  int32_t usable;             /* how many of them may be used */
  uint8_t far;                /* bit i: joint i, a slide, is solved as a turn about an axis far away */
  bool disturbed; /* every variant is singular on this arm: the eigenproblem runs on disturbed links */
  hik_pose disturb[2][6]; /* two small random motions a link */
} hik_general6_plan;

/* Ranks the variants on poses of the arm given by its links (the last one is replaced). */
void hik_general6_prepare(const hik_loop *arm, hik_general6_plan *plan, hik_general6_work *work);

/* All real solutions, polished on the true loop and told apart at 1e-6; at most HIK_GENERAL6_MAX.
   *sure: a variant passed every check; otherwise the union of several is returned. */
int hik_general6_solve(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *work,
                       double (*theta)[6], bool *sure);

/* Union of all variants and both disturbed copies: slow. *sure: an even number, and one elimination alone finds all. */
int hik_general6_union(const hik_loop *loop, const hik_general6_plan *plan, hik_general6_work *work,
                       double (*theta)[6], bool *sure);
