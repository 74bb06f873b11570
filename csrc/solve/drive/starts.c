/* starts.c: see starts.h.

   Reference  J. H. Halton (1960); R. Cranley, T. N. L. Patterson (1976), random shift; K. Shoemake, Uniform random
              rotations, Graphics Gems III (1992); E. Braaten, G. Weller, J. Computational Physics 33 (1979) 249-258, what
              the coordinates of large primes are worth. */
#include "solve/drive/starts.h"

#include "base/rng.h"

/* In a base larger than the number of points the sequence only counts up: two such columns go side by side. */
enum { PRIMES = 16 };
/* radians: whole turns to a start farther out would cost the answer its last digits */
static const double FARTHEST = 1e5;
static const uint16_t primes[PRIMES] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

double hik_halton(uint64_t index, uint32_t prime) {
  double x = 0, step = 1.0 / prime;
  for (double size = step; index > 0; index /= prime, size *= step)
    x += (double)(int32_t)(index % prime) * size;
  return x;
}

/* Coordinate k of the point, shifted by the seed. */
static double coordinate(uint64_t seed, uint64_t index, int32_t k) {
  hik_rng rng = hik_rng_start(seed, 0x68616c746f6eu + (uint64_t)k);
  double shift = hik_rng_uniform(&rng);
  if (k >= PRIMES) {
    rng = hik_rng_start(seed + index, 0x68616c746f6eu + (uint64_t)k);
    return hik_rng_uniform(&rng);
  }
  double x = hik_halton(index, primes[k]) + shift;
  return x < 1 ? x : x - 1;
}

static void rotation(const double u[3], double *q) {
  double s, c, a = sqrt(1 - u[0]), b = sqrt(u[0]);
  hik_sincos(2 * HIK_PI * u[1], &s, &c);
  q[1] = a * s, q[2] = a * c;
  hik_sincos(2 * HIK_PI * u[2], &s, &c);
  q[3] = b * s, q[0] = b * c;
}

/* ---- columns ---- */

void hik_starts_lay_out(hik_starts *s, const hik_problem *p, hik_block *block) {
  *s = (hik_starts){-1, HIK_TAKE(block, hik_start_column, p->n_active)};
}

/* Has an earlier step of the list this coordinate? */
static bool taken(const hik_starts *s, int32_t q) {
  for (int32_t k = 0; k < s->n; k++)
    if (s->column[k].q == q) return true;
  return false;
}

static hik_start_column column_of(const hik_problem *p, int32_t step) {
  const hik_model *m = p->model;
  int32_t q = m->step_q[step];
  if (m->step_kind[step] == HIK_BALL_STEP)
    return (hik_start_column){.q = q, .ball = true, .cone = hik_step_cone(m, step)};
  hik_start_column c = {.q = q, .lower = m->lower[q], .upper = m->upper[q]};
  double wide = m->step_kind[step] == HIK_SLIDE ? p->scale : HIK_PI;
  c.low = c.lower > -INFINITY ? c.lower : c.upper < INFINITY ? c.upper - 2 * wide : -wide;
  c.high = c.upper < INFINITY ? c.upper : c.low + 2 * wide;
  return c;
}

/* At the first start that is wanted: most problems are solved from the one given. */
static const hik_starts *columns(const hik_run *run) {
  const hik_problem *p = run->problem;
  hik_starts *s = run->starts;
  if (s->n >= 0) return s;
  bool shared = hik_has_mimic(p->model);
  s->n = 0;
  for (int32_t k = 0; k < p->n_active; k++)
    if (hik_step_free(p->model, p->active[k]) && !(shared && taken(s, p->model->step_q[p->active[k]])))
      s->column[s->n++] = column_of(p, p->active[k]);
  return s;
}

bool hik_starts_move(const hik_run *run) { return columns(run)->n > 0; }

void hik_start(const hik_run *run, uint64_t number, double *q) {
  const hik_starts *s = columns(run);
  uint64_t seed = run->options->seed;
  int32_t k = 0; /* coordinates of the point used so far */
  for (const hik_start_column *c = s->column; c < s->column + s->n; c++) {
    double u[3];
    if (!c->ball) {
      q[c->q] = hik_clip(c->low + coordinate(seed, number, k++) * (c->high - c->low), c->lower, c->upper);
      continue;
    }
    for (int i = 0; i < 3; i++) u[i] = coordinate(seed, number, k++);
    if (c->cone)
      hik_swing_spread(c->cone, u, q + c->q);
    else
      rotation(u, q + c->q);
  }
}

/* ---- whole turns ---- */

/* Every step of coordinate q is a turn, and turns by whole ones with it. An entry of a quaternion is no step's own, but
   for the first, and a start's may be of any length. */
static bool turns_whole(const hik_model *m, int32_t q) {
  bool turns = false;
  for (int32_t s = 0; s < m->n_step; s++) {
    double rate = m->step_line[2 * (size_t)s];
    if (m->step_q[s] != q) continue;
    if (m->step_kind[s] != HIK_TURN || rate != floor(rate)) return false;
    turns = true;
  }
  return turns;
}

void hik_unwrap(const hik_problem *p, const double *from, double *q) {
  const hik_model *m = p->model;
  const double turn = 2 * HIK_PI;
  for (int32_t k = 0; k < m->nq; k++) {
    double off = from[k] - q[k];
    if (!(fabs(off) > HIK_PI) || !(fabs(off) < FARTHEST) || !turns_whole(m, k)) continue;
    if (hik_has_goal(p, HIK_IS_SOFT)) return; /* it reads the coordinates themselves */
    double turns = floor(off / turn + 0.5);
    if (q[k] + turns * turn > m->upper[k]) turns = floor((m->upper[k] - q[k]) / turn);
    if (q[k] + turns * turn < m->lower[k]) turns = ceil((m->lower[k] - q[k]) / turn);
    q[k] = hik_clip(q[k] + turns * turn, m->lower[k], m->upper[k]);
  }
}
