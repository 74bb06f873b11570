/* memetic.c: memetic evolution: a population that breeds with momentum, its best members descend by themselves.

   Purpose    any joint tree, any number and kind of goals
   Given      the start inside the limits, the first member of the population; for each problem a target
   Returned   q inside its limits, the best met
   Outcomes   converged, unreachable (target proved out of reach), stalled (no progress, `wipeouts` used), max_iter, diverged
   Notes      1 An iteration is a generation of `population` members, in the order of their errors f_0 <= f_1 <= ...
              2 Exploitation: the `elites` best live on, each after `polish` iterations of Levenberg-Marquardt with
                limits as an active set (solver `lm`) if these lower its error.
              3 Exploration: the other members are children of parents a and b and a prototype c, drawn by rank from a
                pool that holds all members at first. With r1 ... r6 uniform in [0, 1) for each gene (see genes.h), v the
                momentum of a member, and the extinction e of the parents (below):
                  x = a + r3 (b - a) + r1 v_a + r2 v_b
                  with probability (e (n - 1) + 1) / n:  x <- x + e span (2 r4 - 1)
                  x <- x + r5/2 ((a + b)/2 - x) + r6/2 (c - x)
                Its own momentum is the way from its first line to its last, plus what its parents gave. A parent that
                its child outdoes leaves the pool, so that one optimum does not take the population; with an empty pool
                members are drawn at random.
              4 Extinction of member i: (f_i + f_0 (i / (count - 1) - 1)) / f_last, 0 for the best and 1 for the last; e
                is the mean of the two parents'.
              5 When the best error has not fallen by the share `ftol` in `patience` generations the population is
                wiped out and drawn anew, `wipeouts` times.
              6 The published method (BioIK) descends by L-BFGS-B; its fitness and weights are others. What is the same
                is the structure: extinction, momentum, adoption, pool, exploited elites, wipeout.
   Reference  S. Starke, N. Hendrich, S. Magg, J. Zhang, An efficient hybridization of genetic algorithms and particle
              swarm optimization for inverse kinematics, IEEE ROBIO (2016); S. Starke, N. Hendrich, J. Zhang, Memetic
              evolution for generic full-body inverse kinematics in robotics and animation, IEEE Trans. Evol. Comp. 23
              (2019) 406-420. */
#include "solve/sample/population.h"

enum { POPULATION, ELITES, POLISH, PATIENCE, WIPEOUTS };

/* How far each member is from living on; all of them may breed. */
static void look(hik_population *w) {
  const double *f = w->f[w->now];
  const int32_t count = w->count, *order = w->order;
  double least = f[order[0]], most = f[order[count - 1]];
  for (int32_t i = 0; i < count; i++)
    w->extinction[order[i]] =
        most > 0 && most < INFINITY ? (f[order[i]] + least * ((double)i / (count - 1) - 1)) / most : 0;
  memcpy(w->pool, order, (size_t)count * sizeof *w->pool);
  w->in_pool = count;
}

/* ---- exploitation ---- */

/* An elite, member i of the next generation, becomes what its descent comes to if that helped. */
static void exploit(hik_population *w, int32_t i) {
  hik_sampler *s = &w->s;
  hik_descent *d = s->d;
  int next = 1 - w->now;
  double *x = hik_member(w, w->x[next], i);
  int32_t polish = (int32_t)hik_population_option(w, POLISH);
  if (polish == 0 || s->cut) return;
  hik_genes_write(&s->genes, x, d->q);
  hik_descent_residual(d);
  hik_search_forget(w->search); /* no Jacobian is known here */
  for (int32_t k = 0; k < polish && !s->cut; k++) {
    if (!hik_lm_iteration(w->search, 0)) break;
    s->cut = !hik_poll(d->run->worker, 1);
  }
  if (!(d->error < w->f[next][i])) return;
  w->f[next][i] = d->error;
  hik_genes_read(&s->genes, d->q, x);
}

/* ---- exploration ---- */

/* Place in the pool, by rank: the best of m has m chances, the last one. */
static int32_t select_place(hik_population *w) {
  int32_t m = w->in_pool, at = 0;
  double left = hik_rng_uniform(&w->s.rng) * (0.5 * m * (m + 1.0));
  while (at < m - 1 && left >= m - at) left -= m - at++;
  return at;
}

static void leave_pool(hik_population *w, int32_t member) {
  for (int32_t at = 0; at < w->in_pool; at++) {
    if (w->pool[at] != member) continue;
    w->in_pool--;
    memmove(w->pool + at, w->pool + at + 1, (size_t)(w->in_pool - at) * sizeof *w->pool);
    return;
  }
}

/* Genes x and momentum v of a child of the members a and b with prototype c. */
static void breed(hik_population *w, const int32_t parent[3], double *x, double *v) {
  hik_sampler *s = &w->s;
  const hik_genes *g = &s->genes;
  double *x0 = w->x[w->now], *v0 = w->v[w->now],
         e = 0.5 * (w->extinction[parent[0]] + w->extinction[parent[1]]);
  const double *a = hik_member(w, x0, parent[0]), *va = hik_member(w, v0, parent[0]),
               *vb = hik_member(w, v0, parent[1]);
  double rate = (e * (g->n - 1) + 1) / g->n, *middle = w->sum;
  hik_genes_way(g, a, hik_member(w, x0, parent[1]), w->way[0]);
  for (int32_t k = 0; k < g->n; k++) {
    double of_a = hik_rng_uniform(&s->rng), of_b = hik_rng_uniform(&s->rng), mix = hik_rng_uniform(&s->rng);
    double given = of_a * va[k] + of_b * vb[k];
    x[k] = a[k] + mix * w->way[0][k] + given;
    middle[k] = a[k] + 0.5 * w->way[0][k];
    w->first[k] = x[k];
    v[k] = given;
  }
  for (int32_t k = 0; k < g->n; k++)
    if (hik_rng_uniform(&s->rng) < rate) x[k] += e * g->span[k] * (2 * hik_rng_uniform(&s->rng) - 1);
  hik_genes_way(g, x, middle, w->way[0]);
  hik_genes_way(g, x, hik_member(w, x0, parent[2]), w->way[1]);
  for (int32_t k = 0; k < g->n; k++) {
    double to_middle = 0.5 * hik_rng_uniform(&s->rng), to_prototype = 0.5 * hik_rng_uniform(&s->rng);
    x[k] += to_middle * w->way[0][k] + to_prototype * w->way[1][k];
    v[k] += x[k] - w->first[k];
  }
}

/* Child i of the next generation. */
static void explore(hik_population *w, int32_t i) {
  int next = 1 - w->now;
  double *x = hik_member(w, w->x[next], i);
  if (w->in_pool == 0) {
    hik_genes_draw(&w->s.genes, &w->s.rng, x);
    memset(hik_member(w, w->v[next], i), 0, hik_member_bytes(w));
    w->f[next][i] = hik_sampler_error(&w->s, x);
    return;
  }
  int32_t parent[3];
  for (int k = 0; k < 3; k++) parent[k] = w->pool[select_place(w)];
  breed(w, parent, x, hik_member(w, w->v[next], i));
  double error = w->f[next][i] = hik_sampler_error(&w->s, x);
  for (int k = 0; k < 2; k++)
    if (error < w->f[w->now][parent[k]]) leave_pool(w, parent[k]);
}

HIK_POPULATION_ONE(.patience = PATIENCE, .renewals = WIPEOUTS, .stream = 0x6d656d65u, .elites = ELITES,
                   .look = look, .improve = exploit, .child = explore)

const hik_solver_class hik_solver_memetic = {
    .name = "memetic",
    .summary = "memetic evolution: breeding with momentum, the best descend by Levenberg-Marquardt",
    .reference = "Starke, Hendrich, Magg and Zhang 2016; Starke, Hendrich and Zhang 2019",
    .max_iter = 300,
    .ftol = 1e-2,
    .option = {{"population", 24, 4, 10000, true},
               {"elites", 2, 1, 9999, true},
               {"polish", 8, 0, 10000, true},
               {"patience", 3, 1, 1e9, true},
               {"wipeouts", 50, 0, 1e6, true}},
    HIK_POPULATION_CLASS,
};
