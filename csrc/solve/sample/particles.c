/* particles.c: particle filter, sequential Monte Carlo: a cloud of postures that is carried along a motion.

   Purpose    any joint tree, any number and kind of goals; needs no derivative
   Given      the start inside the limits, where the first particle begins; for each problem a target; the cloud that the
              target before left, if there is one (hik_batch.cloud)
   Returned   q inside its limits, the best met, and the cloud
   Outcomes   converged, unreachable (target proved out of reach), stalled (no progress, `renewals` used), max_iter, diverged
   Notes      1 The cloud is drawn inside the limits; one that is carried is moved on instead: each gene (see genes.h) of
                each particle but the first, the start, by a uniform number in +-1/2 `process_noise` spans.
              2 An iteration weighs, resamples and roughens. Particle i with error E_i has the weight
                  exp(-(E_i^2 - E_0^2) / (2 s^2)),  s^2 = E_k^2 - E_0^2,
                E_0 the least error and E_k the one at the share `survival` of the ranks: a likelihood that narrows with
                the cloud, as in annealed filters. Systematic resampling by one number picks a parent for each particle;
                the best goes on as it is, the others move by
                  `mixing` times the way between two parents drawn at random, and
                  a uniform number in +-1/2 `roughening` E_0 spans for each gene, E_0 at most 1.
                The first is noise with the cloud's own covariance, the second keeps the cloud from falling into the plane of
                its parents.
              3 When the best error has not fallen by the share `ftol` in `patience` iterations the cloud is drawn anew,
                `renewals` times.
   Reference  N. Gordon, D. Salmond, A. Smith, Novel approach to nonlinear/non-Gaussian Bayesian state estimation, IEE
              Proc. F 140 (1993) 107-113 (roughening); G. Kitagawa, J. Comput. Graph. Statist. 5 (1996) 1-25 (systematic
              resampling); J. Deutscher, A. Blake, I. Reid, Articulated body motion capture by annealed particle
              filtering, CVPR 2000; N. Courty, E. Arnaud, Inverse kinematics using sequential Monte Carlo methods, AMDO
              2008; C. ter Braak, A Markov chain Monte Carlo version of the genetic algorithm differential evolution,
              Statistics and Computing 16 (2006) 239-249 (the difference of two members as noise). */
#include "solve/sample/population.h"

enum { PARTICLES, SURVIVAL, MIXING, ROUGHENING, PROCESS_NOISE, PATIENCE, RENEWALS };

/* The running sum of the weights, in the order of the members. */
static void weigh(hik_population *w) {
  double *sum = w->extinction, survival = hik_population_option(w, SURVIVAL);
  const double *f = w->f[w->now];
  int32_t rank = (int32_t)(survival * w->count);
  rank = rank < 1 ? 1 : rank >= w->count ? w->count - 1 : rank;
  double least = f[w->order[0]], at = f[w->order[rank]], width = at * at - least * least, total = 0;
  for (int32_t i = 0; i < w->count; i++) {
    double beyond = f[i] * f[i] - least * least;
    /* those as near as the best count whole, whatever the width */
    total += beyond > 0 ? hik_exp(fmax(-700, -0.5 * beyond / fmax(width, 1e-300))) : 1;
    sum[i] = total;
  }
}

/* A parent for each member of the next cloud: equal steps along the sum of the weights, begun at one random place. */
static void resample(hik_population *w) {
  const double *sum = w->extinction;
  weigh(w);
  double begin = hik_rng_uniform(&w->s.rng), total = sum[w->count - 1];
  for (int32_t i = 0, at = 0; i < w->count; i++) {
    while (at < w->count - 1 && sum[at] < (begin + i) / w->count * total) at++;
    w->pool[i] = at;
  }
}

static void move(hik_population *w, int32_t i) {
  hik_sampler *s = &w->s;
  double mixing = hik_population_option(w, MIXING),
         noise = hik_population_option(w, ROUGHENING) * fmin(w->f[w->now][w->order[0]], 1);
  double *from = w->x[w->now], *to = hik_member(w, w->x[1 - w->now], i);
  const int32_t *parent = w->pool;
  int32_t a = parent[hik_rng_below(&s->rng, w->count)], b = parent[hik_rng_below(&s->rng, w->count)];
  memcpy(to, hik_member(w, from, parent[i]), hik_member_bytes(w));
  hik_genes_way(&s->genes, hik_member(w, from, a), hik_member(w, from, b), w->way[0]);
  for (int32_t k = 0; k < s->genes.n; k++)
    to[k] += mixing * w->way[0][k] + noise * s->genes.span[k] * (hik_rng_uniform(&s->rng) - 0.5);
  w->f[1 - w->now][i] = hik_sampler_error(s, to);
}

HIK_POPULATION_ONE(.patience = PATIENCE, .renewals = RENEWALS, .process_noise = PROCESS_NOISE,
                   .stream = 0x70617274u, .look = resample, .child = move)

const hik_solver_class hik_solver_particles = {
    .name = "particle_filter",
    .summary = "particle filter (sequential Monte Carlo): a cloud of postures, carried along a track",
    .reference = "Gordon, Salmond and Smith 1993; Courty and Arnaud 2008",
    .max_iter = 1000,
    .ftol = 1e-2,
    .option = {{"particles", 100, 4, 10000, true},
               {"survival", 0.03, 0, 1},
               {"mixing", 0.6, 0, 10},
               {"roughening", 0.1, 0, 10},
               {"process_noise", 0.01, 0, 10},
               {"patience", 60, 1, 1e9, true},
               {"renewals", 8, 0, 1e6, true}},
    .carries = true,
    HIK_POPULATION_CLASS,
};
