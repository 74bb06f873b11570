/* swarm.c: particle swarm with constriction.

   Purpose    any joint tree, any number and kind of goals; needs no derivative
   Given      the start inside the limits, where the first particle begins; for each problem a target
   Returned   q inside its limits, the best met
   Outcomes   converged, unreachable (target proved out of reach), stalled (no progress, `renewals` used), max_iter, diverged
   Notes      1 An iteration moves every particle once. Each gene x (see genes.h) with speed v, the particle's own best
                posture b and the best posture l of its neighbours, r and s uniform in [0, 1), different for each gene:
                  v <- chi (v + phi/2 r (b - x) + phi/2 s (l - x)),  x <- x + v
                chi = 2 / (phi - 2 + sqrt(phi^2 - 4 phi)), which keeps the swarm from flying apart for phi > 4.
              2 Neighbours: `neighbors` particles to either side in a ring, or with 0 all of them.
              3 A gene that would leave its limits stays there with the speed it really had.
              4 When the best error has not fallen by the share `ftol` in `patience` iterations all particles are
                scattered anew, `renewals` times.
   Reference  J. Kennedy, R. Eberhart, Particle swarm optimization (1995); M. Clerc, J. Kennedy, The particle swarm:
              explosion, stability, and convergence in a multidimensional complex space, IEEE Trans. Evol. Comp. 6
              (2002) 58-73; J. Kennedy, R. Mendes, Population structure and particle swarm performance (2002), rings. */
#include "solve/sample/population.h"

enum { PARTICLES, PHI, NEIGHBOURS, PATIENCE, RENEWALS };

/* Of the two sides the first holds where the particles are and how fast, with the errors of their best places; the
   second holds these. */
enum { HERE, BEST };

static void settle(hik_population *w) {
  memcpy(w->x[BEST], w->x[HERE], (size_t)w->count * hik_member_bytes(w));
}

/* The particle with the best place among the neighbours of particle i. */
static int32_t leader(const hik_population *w, int32_t i, int32_t reach) {
  int32_t best = i;
  if (reach == 0 || 2 * reach + 1 >= w->count) {
    for (int32_t k = 0; k < w->count; k++)
      if (w->f[HERE][k] < w->f[HERE][best]) best = k;
    return best;
  }
  for (int32_t k = -reach; k <= reach; k++) {
    int32_t at = (i + k + w->count) % w->count;
    if (w->f[HERE][at] < w->f[HERE][best]) best = at;
  }
  return best;
}

static void fly(hik_population *w, int32_t i, double phi, int32_t reach) {
  hik_sampler *s = &w->s;
  double *x = hik_member(w, w->x[HERE], i), *v = hik_member(w, w->v[HERE], i),
         chi = 2 / (phi - 2 + sqrt(phi * phi - 4 * phi));
  memcpy(w->first, x, hik_member_bytes(w));
  hik_genes_way(&s->genes, x, hik_member(w, w->x[BEST], i), w->way[0]);
  hik_genes_way(&s->genes, x, hik_member(w, w->x[BEST], leader(w, i, reach)), w->way[1]);
  for (int32_t k = 0; k < s->genes.n; k++) {
    double a = hik_rng_uniform(&s->rng), b = hik_rng_uniform(&s->rng);
    x[k] += chi * (v[k] + 0.5 * phi * (a * w->way[0][k] + b * w->way[1][k]));
  }
  double error = hik_sampler_error(s, x);
  hik_genes_way(&s->genes, w->first, x, v);
  if (!(error < w->f[HERE][i])) return;
  w->f[HERE][i] = error;
  memcpy(hik_member(w, w->x[BEST], i), x, hik_member_bytes(w));
}

static double *generation(hik_population *w, double **error) {
  double phi = hik_population_option(w, PHI);
  int32_t reach = (int32_t)hik_population_option(w, NEIGHBOURS);
  for (int32_t i = 0; i < w->count && !w->s.cut; i++) fly(w, i, phi, reach);
  int32_t best = leader(w, 0, 0);
  *error = w->f[HERE] + best;
  return hik_member(w, w->x[BEST], best);
}

HIK_POPULATION_ONE(.patience = PATIENCE, .renewals = RENEWALS, .stream = 0x737761726du, .moving = true,
                   .settle = settle, .generation = generation)

const hik_solver_class hik_solver_swarm = {
    .name = "particle_swarm",
    .summary = "particle swarm with constriction",
    .reference = "Kennedy and Eberhart 1995; Clerc and Kennedy 2002",
    .max_iter = 1000,
    .ftol = 1e-2,
    .option = {{"particles", 40, 2, 10000, true},
               {"phi", 4.1, 4.0001, 100},
               {"neighbors", 3, 0, 10000, true},
               {"patience", 60, 1, 1e9, true},
               {"renewals", 8, 0, 1e6, true}},
    HIK_POPULATION_CLASS,
};
