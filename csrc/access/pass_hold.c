/* pass_hold.c: whether a hand can hold a leaf in all poses of a box, in some perhaps, or in none.

   Given     places on the leaf, each hand's fields: how far a place beside the outline is from those that the hand may get to (a
             proof that it does not), and from those of which it is not sure that it does.
   Returned  never, perhaps, always.
   Notes     A place on the leaf, seen from the outline, stays within a disc over the box; the fields change by no more than the
             way, so the nearest node tells. "Always" asks more: the place looks at the shoulder, and the line between them is
             clear of walls, both with their discs. "Never" does not: an arm may go round the leaf's edge. */
#include "access/pass.h"
#include "base/trig.h"

enum { PIECES = 4 };
static const double SLACK = 1e-9;

typedef struct seen {
  double at[2], loose; /* about the outline's middle in its axes; how far off over the box */
  double moves;        /* of `loose`: what the leaf moves */
  double away;         /* from the outline's middle */
} seen;

static double length(double x, double y) { return sqrt(x * x + y * y); }

static double moves(const hik_sway *sway, const double at[2]) {
  return length(at[0] - sway->pivot[0], at[1] - sway->pivot[1]) * sway->turn +
         length(sway->slide[0], sway->slide[1]);
}

static seen see(const hik_grip *grip, const double middle[3], const double half[3], double s, double c) {
  double x = grip->at[0] - middle[0], y = grip->at[1] - middle[1];
  seen out = {{c * x + s * y, -s * x + c * y}, 0, moves(&grip->sway, grip->at), length(x, y)};
  out.loose = out.moves + length(half[0], half[1]) + out.away * half[2] + SLACK;
  return out;
}

/* The least that a field has within `loose` of a place. Beyond its rim nothing is reached. */
static double least_of(const hik_door *door, const double *field, const seen *place, double beyond) {
  double node[2], rest[2];
  int64_t index[2], most[2] = {door->columns - 1, door->rows - 1};
  for (int k = 0; k < 2; k++) {
    double at = (place->at[k] - door->corner[k]) / door->step;
    double whole = floor(hik_clip(at, 0, (double)most[k]) + 0.5);
    index[k] = (int64_t)hik_clip(whole, 0, (double)most[k]);
    node[k] = door->corner[k] + (double)index[k] * door->step;
    double last = door->corner[k] + (double)most[k] * door->step;
    rest[k] = place->at[k] - hik_clip(place->at[k], door->corner[k], last);
  }
  double outside = length(rest[0], rest[1]) * beyond;
  double inner =
      field[index[1] * door->columns + index[0]] - length(place->at[0] - node[0], place->at[1] - node[1]);
  return (outside > inner ? outside : inner) - place->loose;
}

static double apart(const double a[2], const double b[2], const double wall[4]) {
  double ux = b[0] - a[0], uy = b[1] - a[1], vx = wall[2] - wall[0], vy = wall[3] - wall[1];
  double wx = wall[0] - a[0], wy = wall[1] - a[1], cross = ux * vy - uy * vx, least = INFINITY;
  if (cross != 0) {
    double s = (wx * vy - wy * vx) / cross, t = (wx * uy - wy * ux) / cross;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return 0;
  }
  const double *from[4] = {a, b, wall, wall + 2},
               *line[4][2] = {{wall, wall + 2}, {wall, wall + 2}, {a, b}, {a, b}};
  for (int k = 0; k < 4; k++) {
    const double *p = line[k][0], *q = line[k][1];
    double dx = q[0] - p[0], dy = q[1] - p[1], size = dx * dx + dy * dy;
    double share = size > 0 ? ((from[k][0] - p[0]) * dx + (from[k][1] - p[1]) * dy) / size : 0;
    share = hik_clip(share, 0, 1);
    double gap = length(from[k][0] - p[0] - share * dx, from[k][1] - p[1] - share * dy);
    if (gap < least) least = gap;
  }
  return least;
}

/* Whether the arm is on the leaf's side that the place is on, and clear of walls. */
static bool sees(const hik_door *door, int64_t hand, const hik_grip *grip, const seen *place,
                 const double *wall, int64_t walls, const double middle[3], const double half[3],
                 const double turned[2]) {
  const double *from = door->shoulder + 2 * hand;
  double s = turned[0], c = turned[1];
  double at[2] = {middle[0] + c * from[0] - s * from[1], middle[1] + s * from[0] + c * from[1]};
  double loose = length(half[0], half[1]) + length(from[0], from[1]) * half[2] + SLACK;
  double x = at[0] - grip->at[0], y = at[1] - grip->at[1], way = length(x, y);
  double before = x * grip->face[0] + y * grip->face[1];
  if (!(before > (way + loose + place->moves) * grip->sway.turn + loose + place->moves)) return false;
  for (int k = 0; k < PIECES; k++) {
    double ends[2][2], wide = 0;
    for (int e = 0; e < 2; e++) {
      double share = (double)(k + e) / PIECES, disc = loose + share * (place->moves + SLACK - loose);
      ends[e][0] = at[0] - share * x, ends[e][1] = at[1] - share * y;
      if (disc > wide) wide = disc;
    }
    for (int64_t i = 0; i < walls; i++)
      if (!(apart(ends[0], ends[1], wall + 4 * i) > wide)) return false;
  }
  return true;
}

int32_t hik_pass_hold(const hik_door *door, int64_t stage, double way, const double *wall, int64_t walls,
                      const double middle[3], const double half[3], double share[3]) {
  const hik_grip *grip = door->grip + stage * door->grips;
  int64_t field = door->rows * door->columns;
  int32_t found = HIK_HOLD_NEVER;
  double turned[2], nearest = INFINITY;
  hik_sincos(middle[2], turned, turned + 1);
  share[0] = half[0], share[1] = half[1], share[2] = 0;
  if (!door->hands) return HIK_HOLD_ALWAYS;
  for (int64_t k = 0; k < door->grips; k++) {
    if (grip[k].way * way < 0) continue;
    seen place = see(grip + k, middle, half, turned[0], turned[1]);
    for (int64_t hand = 0; hand < door->hands; hand++) {
      const double *fields = door->field + 2 * hand * field;
      if (least_of(door, fields, &place, 1) > 0) continue;
      if (least_of(door, fields + field, &place, 0) > 0 &&
          sees(door, hand, grip + k, &place, wall, walls, middle, half, turned))
        return HIK_HOLD_ALWAYS;
      found = HIK_HOLD_PERHAPS;
      if (place.away < nearest) nearest = place.away, share[2] = place.away * half[2];
    }
  }
  return found;
}
