/* genes.h: a posture as a row of numbers that may be mixed, and what the sampling solvers share.

   The *genes* of a posture are numbers whose straight-line mixtures are postures again: the coordinate of a hinge
   (radians), of a slide (in lengths of the figure), the swing and twist (u, v, twist) of a ball with limits, and the
   quaternion of a ball without. Only coordinates that move some goal and have room to move are genes, so that a locked
   joint keeps its place. What a solver makes of genes is *put right* before it is used: hinges and slides into their
   ranges, a swing to the nearest point of its cone, a quaternion to unit length. */
#pragma once
#include "base/rng.h"
#include "solve/squares/descent.h"

typedef enum hik_gene_kind {
  HIK_GENE_LINE,      /* a hinge or slide with limits, or a slide without: 1 gene */
  HIK_GENE_CIRCLE,    /* a hinge without limits: 1 gene, differences go the shorter way round */
  HIK_GENE_SWING,     /* a ball with limits: 3 genes */
  HIK_GENE_QUATERNION /* a ball without: 4 genes; both signs are one posture */
} hik_gene_kind;

/* The genes of one coordinate or ball. */
typedef struct hik_gene {
  hik_gene_kind kind;
  int32_t q;         /* coordinate in q, of a ball its first */
  int32_t at, width; /* genes [at, at + width) */
  double unit;       /* of q for a gene of 1 */
  double lower[3],
      upper[3];     /* where random genes are drawn: the limits, or a turn, or a length to either side */
  double low, high; /* limits of a line in q, not scaled; may be infinite */
  const hik_swing *cone;
} hik_gene;

typedef struct hik_genes {
  int32_t n, parts;
  hik_gene *part; /* [parts] */
  double *span;   /* [n] width of the place where they are drawn */
} hik_genes;

/* An upper bound of n that needs no memory. */
int32_t hik_genes_most(const hik_problem *p);
void hik_genes_lay_out(hik_genes *g, const hik_problem *p, hik_block *block);
/* From a descent that is prepared. */
void hik_genes_prepare(hik_genes *g, const hik_descent *d);
/* Genes of q, and back; other coordinates of q stay. */
void hik_genes_read(const hik_genes *g, const double *q, double *x);
void hik_genes_write(const hik_genes *g, const double *x, double *q);
/* Puts x right, in place. */
void hik_genes_right(const hik_genes *g, double *x);
/* Random genes inside the limits: uniform, balls without limits uniform over the rotations, others in their room. */
void hik_genes_draw(const hik_genes *g, hik_rng *rng, double *x);
/* out = the straight way from a to b, such that a + out, put right, is b. */
void hik_genes_way(const hik_genes *g, const double *a, const double *b, double *out);

/* ---- one solve ---- */

/* A solver's memory begins with it. */
typedef struct hik_sampler {
  hik_descent *d;
  hik_genes genes;
  hik_pace pace;
  hik_rng rng; /* numbers by (seed, restart, draw) */
  bool cut;    /* cancelled or out of time amid an iteration */
} hik_sampler;

/* Prepares the descent that the sampler judges by, and the genes. */
void hik_sampler_prepare(hik_sampler *s, hik_descent *d, hik_run *run);
/* Begins on a target. False: the answer is complete. `stream` tells the solvers' numbers apart. When the error has
   not fallen by the share options->ftol in `patience` iterations the solver is to renew itself, so many times. */
bool hik_sampler_begin(hik_sampler *s, hik_run *run, const double *target, hik_answer *answer,
                       uint64_t stream, int32_t patience, int32_t renewals);
/* Error of genes, which are put right; infinite once the call is cut. Leaves them in d->q. */
double hik_sampler_error(hik_sampler *s, double *x);
/* Ends an iteration whose best genes are x, and their error. Further rounds may put a combination of the last poses in their
   place, if its error is lower. False: the answer is complete. s->pace.fresh: it ended without progress, start anew from
   elsewhere. */
bool hik_sampler_next(hik_sampler *s, double *x, double *error);
/* Member numbers 0 to count - 1 in the order of their errors f; of equal ones the first comes first. */
void hik_sampler_sort(int32_t count, const double *f, int32_t *order);
/* A whole number in [0, count). */
HIK_INLINE int32_t hik_rng_below(hik_rng *rng, int32_t count) {
  int32_t i = (int32_t)(hik_rng_uniform(rng) * count);
  return i < count ? i : count - 1;
}
