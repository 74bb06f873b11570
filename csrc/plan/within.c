/* within.c: random places inside of the spheroid that a shorter way has to stay in.

   Purpose   Once a way is known, only what lies on a shorter one is worth a look.
   Given     Start, goals, the length that is known.
   Returned  Places whose distances from start and goal together are less.
   Outcomes  None. Where the goal is as far as that, places on the straight line.
   Notes     A point of the unit ball is drawn: the direction by sums of twelve even numbers, near to normal ones, the radius as
             the greatest of nv even numbers; then it is drawn out along the line from start to goal. Of balls the tangent at the
             start stands for the space. What is beyond the limits is moved back to them.
   Reference J. Gammell, S. Srinivasa, T. Barfoot: Informed RRT* (2014). */
#include "plan/within.h"

enum { LOOK = 64 /* goals that are looked at */, SUM = 12 };

bool hik_within(const hik_model *m, const hik_shorter *what, const double *q, double *room) {
  hik_difference(m, 1, what->start, q, room);
  double before = hik_edges_norm(room, m->nv), after = INFINITY;
  if (!(before < what->bound)) return false;
  for (int32_t g = 0; g < what->n && g < LOOK; g++) {
    hik_difference(m, 1, q, what->goals + (size_t)g * (size_t)m->nq, room);
    after = fmin(after, hik_edges_norm(room, m->nv));
  }
  return before + after < what->bound;
}

void hik_within_draw(const hik_model *m, const hik_shorter *what, uint64_t seed, uint64_t draw, double *q,
                     double *room) {
  int32_t nv = m->nv;
  double *way = room, *x = room + nv, square = 0, radius = 0, along = 0;
  hik_rng rng = hik_rng_start(seed, draw + (1ull << 41));
  int32_t goal = (int32_t)(hik_rng_next(&rng) % (uint64_t)(what->n < LOOK ? what->n : LOOK));
  hik_difference(m, 1, what->start, what->goals + (size_t)goal * (size_t)m->nq, way);
  for (int32_t k = 0; k < nv; k++) {
    x[k] = -0.5 * SUM;
    for (int i = 0; i < SUM; i++) x[k] += hik_rng_uniform(&rng);
    square += x[k] * x[k], radius = fmax(radius, hik_rng_uniform(&rng));
  }
  double length = hik_edges_norm(way, nv), least = length > 0 ? length : 1,
         flat = what->bound > length ? 0.5 * sqrt(what->bound * what->bound - length * length) : 0,
         long_ = 0.5 * fmax(what->bound, length), scale = square > 0 ? radius / sqrt(square) : 0;
  for (int32_t k = 0; k < nv; k++) along += scale * x[k] * way[k] / least;
  for (int32_t k = 0; k < nv; k++)
    x[k] = 0.5 * way[k] + flat * scale * x[k] + (long_ - flat) * along * way[k] / least;
  hik_integrate(m, 1, what->start, x, q);
  hik_clamp(m, 1, q);
}
