/* population.h: many postures at once, what the solvers that keep a population share (genetic, memetic, swarm,
   particle filter).

   Members are rows of genes (genes.h), each with a momentum and an error. The first option of such a solver is how many
   there are. */
#pragma once
#include "solve/sample/genes.h"
#include "solve/squares/search.h"

typedef struct hik_population {
  hik_sampler s;
  hik_search *search; /* its descent is the sampler's, so that a member may descend by itself */
  int32_t count, in_pool;
  int now;                      /* which of the two sides this generation is */
  double *x[2], *v[2], *f[2];   /* [count][n] genes, [count][n] momentum, [count] error, of each side */
  int32_t *order;               /* [count] best first */
  int32_t *pool;                /* [count] members that may breed */
  double *extinction;           /* [count] by member */
  double *way[2], *first, *sum; /* [n] */
} hik_population;

/* How one solver differs from the others; options by their numbers, 0 being the population. */
typedef struct hik_population_kind {
  int32_t patience, renewals;
  uint64_t stream; /* tells its numbers apart */
  bool moving;     /* members are drawn with a momentum: half the way to another random place */
  int32_t
      process_noise; /* members are carried from target to target, moved on by this option; 0: they are not */
  void (*settle)(hik_population *w); /* after all members were drawn and judged, or NULL */
  /* An iteration: the best, so many as this option says (0: one), live on as the first of the next generation, each then
     made better by `improve` if it is given; the others are made by `child`, with their errors. `look` comes before. */
  int32_t elites;
  void (*look)(hik_population *w), (*improve)(hik_population *w, int32_t i);
  void (*child)(hik_population *w, int32_t i);
  /* Instead of all these; returns its best genes, and in `error` where theirs stands. */
  double *(*generation)(hik_population *w, double **error);
} hik_population_kind;

/* For the class: memory, preparation, checks of the options (not all members may be `elites`) and the loop. */
size_t hik_population_scratch(const hik_readied *ready);
void hik_population_prepare(hik_run *run);
hik_status hik_population_accepts(const hik_problem *p, const hik_options *o, const char *name,
                                  hik_error *error);
void hik_population_solve(const hik_population_kind *kind, hik_run *run, const double *target,
                          hik_answer *answer);
/* `one` of the class of a kind with these members, and what the class holds of it and of the above. */
#define HIK_POPULATION_ONE(...)                                                                              \
  static void one(hik_run *run, const double *target, hik_answer *answer) {                                  \
    static const hik_population_kind kind = {__VA_ARGS__};                                                   \
    hik_population_solve(&kind, run, target, answer);                                                        \
  }
#define HIK_POPULATION_CLASS                                                                                 \
  .accepts = hik_population_accepts, .scratch_for = hik_population_scratch, .begin = hik_population_prepare, \
  .one = one

/* A member's row of x or v. */
HIK_INLINE double *hik_member(const hik_population *w, double *of, int32_t i) {
  return of + (size_t)i * (size_t)w->s.genes.n;
}
HIK_INLINE size_t hik_member_bytes(const hik_population *w) { return (size_t)w->s.genes.n * sizeof(double); }
HIK_INLINE double hik_population_option(const hik_population *w, int32_t k) {
  return w->s.d->run->options->param[k];
}
