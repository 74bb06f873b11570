/* rings.c: trunk, head and legs of a body with rings at some heights that are widened.

   Purpose: the fit of a surface places the whole mesh in each of its rounds.
   Given: the vertices of a shape; at some heights centers, widenings, fullness; by how much each vertex is a leg's.
   Returned: x and y of the vertices.
   Notes: a ring of the trunk widens forward and aside by factors of its own, and more at its corners, midway between
     the two, and the front of a trunk alone by one more; a leg's widens about its middle line. What is both is blended. Sums go in the order given: the same bytes on
     every machine. */
#include "skin/rings.h"

#include "skin/heights.h"

const int64_t HIK_RINGS_FIELDS[HIK_RINGS_GROUPS] = {1, 1, 5, 3, 2, 1};

enum { FORWARD, LINE, TRUNK, LEG, TRUNK_FULL, LEG_FULL };

/* The fields of a group at a vertex. */
static void fields(const hik_rings *r, int group, int64_t i, double *out) {
  const double *w = r->weight + 4 * (group * r->n + i);
  int64_t k = r->below[group * r->n + i];
  for (int64_t f = 0; f < HIK_RINGS_FIELDS[group]; f++)
    out[f] = hik_heights_at(w, r->node[group] + 2 * (r->levels[group] * f + k));
}

static void add_trunk(const hik_rings *r, int64_t i, double x, double y, double out[2]) {
  const hik_rings_vertex *v = r->vertex + i;
  const hik_rings_numbers *n = &r->numbers;
  double f[5], wide[2], share = 1 - v->blend;
  fields(r, TRUNK, i, f);
  fields(r, TRUNK_FULL, i, wide);
  double full = wide[0] * (1 + n->upper * v->upper) * (1 + n->hips * v->hips);
  double c = x - f[0], both = c * y, far = c * c + y * y;
  far = far > 1e-9 ? far : 1e-9;
  double corner = (1 + f[1] * (4 * (both * both) / (far * far))) * full;
  double taper = 1 - n->taper * f[4] * hik_clip(c / n->deep, -1, 1);
  out[0] += share * (f[0] + f[2] * (c > 0 ? wide[1] : 1) * corner * c);
  out[1] += share * f[3] * corner * taper * y;
}

/* The distance from the middle is that on the vertex's own side. */
static void add_leg(const hik_rings *r, int64_t i, double x, double side, double aside, double line,
                    double out[2]) {
  const hik_rings_vertex *v = r->vertex + i;
  double f[3], full;
  fields(r, LEG, i, f);
  fields(r, LEG_FULL, i, &full);
  double wide = f[1] * full * (1 + r->numbers.hips * v->hips);
  out[0] += v->blend * (f[0] + wide / f[2] * (x - f[0]));
  out[1] += v->blend * side * (line + wide * f[2] * (fabs(aside) - line));
}

void hik_rings_made(const hik_rings *r, double *out) {
  const hik_rings_numbers *n = &r->numbers;
  for (int64_t i = 0; i < r->n; i++, out += 2) {
    const hik_rings_vertex *v = r->vertex + i;
    double forward, line, aside, y = v->own[1] + n->back * v->back[1];
    fields(r, FORWARD, i, &forward);
    fields(r, LINE, i, &line);
    double x = n->scale * (v->own[0] + n->back * v->back[0]) + forward;
    double side = (y > 0) - (y < 0); /* what lies in the middle stays there */
    aside = n->scale * fabs(y) + v->leg * (line - v->line);
    out[0] = out[1] = 0;
    if (v->blend < 1) add_trunk(r, i, x, side * aside, out);
    if (v->blend > 0) add_leg(r, i, x, side, aside, line, out);
  }
}
