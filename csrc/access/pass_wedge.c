/* pass_wedge.c: walls that together leave an outline no room.

   Given     a box of poses, an outline and walls that do not touch it in all poses of the box.
   Returned  whether in each pose at least one of them does.
   Notes     A *push* is a function of the pose that, where it is above 0, means that a wall touches the outline: how far a corner
             is beyond a wall's line, while another corner is before it and both are beside the wall; or how far inside of one
             edge a wall's end is, while it is inside of all others. If pushes, weighted by numbers above 0, have a sum above 0
             in a pose, one of them is above 0 there. Two or three whose directions cancel out have a sum that a shift of the
             outline does not change: a corridor narrower than the outline is then proved for all places at once, and a
             corner with two outer walls and an inner edge likewise.
             Bounds are of second order in the heading, as in pass_box.c. */
#include "access/pass_wedge.h"

static const double SLACK = 1e-9;
enum { PUSHES = 10 };

/* In the middle; how it changes with x and y, with the heading; what it may lose besides. */
typedef struct push {
  double value, way[2], turn, loss;
} push;

typedef struct box {
  const hik_outline *outline;
  const double *middle, *half;
  double slide;
} box;

/* A corner's place along a wall and beyond it, seen from its first end, and how far off each may be. */
typedef struct placed {
  double u, v, du, dv, bend;
} placed;

static placed place(const box *b, int64_t k, const double wall[4], const double u[2], const hik_sway *sway) {
  const hik_outline *o = b->outline;
  double x = o->turned[2 * k], y = o->turned[2 * k + 1], d = b->half[2];
  double px = b->middle[0] + x - wall[0], py = b->middle[1] + y - wall[1];
  double bend = 0.5 * o->far[k] * d * d + SLACK, own = bend;
  placed at = {.u = u[0] * px + u[1] * py, .v = u[0] * py - u[1] * px, .bend = bend};
  if (sway) {
    double vx = b->middle[0] + x - sway->pivot[0], vy = b->middle[1] + y - sway->pivot[1];
    double loose = b->slide + o->far[k] * d;
    own += hik_swayed_wall(sway, u[0], u[1], vx, vy, loose);
    at.bend += hik_swayed_wall(sway, -u[1], u[0], vx, vy, loose);
  }
  at.du = fabs(u[0]) * b->half[0] + fabs(u[1]) * b->half[1] + fabs(u[0] * y - u[1] * x) * d + own;
  at.dv = fabs(u[1]) * b->half[0] + fabs(u[0]) * b->half[1] + fabs(u[0] * x + u[1] * y) * d + at.bend;
  return at;
}

/* The pushes of a wall's line, to either side of it; how many were added. */
static int by_line(const box *b, const double wall[4], const double u[2], double length, const hik_sway *sway,
                   push *found) {
  const hik_outline *o = b->outline;
  int64_t high = -1, low = -1;
  placed top = {0}, bottom = {0};
  for (int64_t k = 0; k < o->n; k++) {
    placed at = place(b, k, wall, u, sway);
    if (at.u - at.du < 0 || at.u + at.du > length) continue;
    if (high < 0 || at.v > top.v) high = k, top = at;
    if (low < 0 || at.v < bottom.v) low = k, bottom = at;
  }
  int n = 0;
  if (high < 0) return 0;
  for (int side = 1; side >= -1; side -= 2) {
    const placed *beyond = side > 0 ? &top : &bottom, *before = side > 0 ? &bottom : &top;
    int64_t k = side > 0 ? high : low;
    if (side * before->v + before->dv >= 0 || side * beyond->v + beyond->dv <= 0) continue;
    double x = o->turned[2 * k], y = o->turned[2 * k + 1], nx = -side * u[1], ny = side * u[0];
    found[n++] = (push){side * beyond->v, {nx, ny}, ny * x - nx * y, beyond->bend};
  }
  return n;
}

/* The push of a wall's end against the edge that it is least inside of. */
static int by_end(const box *b, const double point[2], const hik_sway *sway, push *found) {
  const hik_outline *o = b->outline;
  double d = b->half[2], x = point[0] - b->middle[0], y = point[1] - b->middle[1], far = sqrt(x * x + y * y);
  double least = INFINITY;
  int64_t at = -1;
  if (far - b->slide > o->reach) return 0;
  for (int64_t k = 0; k < o->n; k++) {
    double in = o->out[k] - o->faced[2 * k] * x - o->faced[2 * k + 1] * y;
    if (in < least) least = in, at = k;
  }
  for (int64_t k = 0; k < o->n; k++) {
    double nx = o->faced[2 * k], ny = o->faced[2 * k + 1], in = o->out[k] - nx * x - ny * y;
    double turn = nx * y - ny * x, loss = 0.5 * far * d * d + d * b->slide + SLACK;
    if (sway) loss += hik_swayed_point(sway, nx, ny, point, d);
    double off = fabs(nx) * b->half[0] + fabs(ny) * b->half[1] + fabs(turn) * d + loss;
    if (k == at) {
      if (in + off <= 0) return 0;
      *found = (push){in, {nx, ny}, -turn, loss};
    } else if (in - off <= 0)
      return 0;
  }
  return 1;
}

/* Keep those that are greatest in the middle, each once. */
static int keep(push *kept, int n, const push *found, int more) {
  for (int i = 0; i < more; i++) {
    int at = n, least = 0;
    bool known = false;
    for (int k = 0; k < n; k++) {
      known |= kept[k].value == found[i].value && kept[k].way[0] == found[i].way[0] &&
               kept[k].way[1] == found[i].way[1];
      if (kept[k].value < kept[least].value) least = k;
    }
    if (known) continue;
    if (n == PUSHES) {
      if (kept[least].value >= found[i].value) continue;
      at = least;
    } else
      n++;
    kept[at] = found[i];
  }
  return n;
}

/* The weighted sum's least value over the box; in share what each direction takes of it, in *middle what it is there. */
static double sum(const box *b, push *const which[3], const double weight[3], double share[3],
                  double *middle) {
  push all = {0};
  for (int k = 0; k < 3; k++) {
    double w = weight[k];
    if (!(w > 0)) continue;
    all.value += w * which[k]->value, all.loss += w * which[k]->loss, all.turn += w * which[k]->turn;
    all.way[0] += w * which[k]->way[0], all.way[1] += w * which[k]->way[1];
  }
  share[0] = fabs(all.way[0]) * b->half[0], share[1] = fabs(all.way[1]) * b->half[1];
  share[2] = fabs(all.turn) * b->half[2] + all.loss, *middle = all.value;
  return all.value - share[0] - share[1] - share[2];
}

static double cross(const push *a, const push *b) { return a->way[0] * b->way[1] - a->way[1] * b->way[0]; }

/* Weights above 0 that cancel the directions out, their sum 1; false: none do. Of two: the same for both. */
static bool weights(push *const which[3], double weight[3]) {
  if (!which[2]) {
    weight[0] = weight[1] = 0.5, weight[2] = 0;
    return which[0]->way[0] * which[1]->way[0] + which[0]->way[1] * which[1]->way[1] < -0.9;
  }
  double total = 0;
  for (int k = 0; k < 3; k++) {
    weight[k] = cross(which[(k + 1) % 3], which[(k + 2) % 3]);
    total += weight[k];
  }
  if (fabs(total) < 1e-6) return false;
  for (int k = 0; k < 3; k++) {
    weight[k] /= total;
    if (!(weight[k] > 0)) return false;
  }
  return true;
}

bool hik_pass_wedged(const hik_outline *o, const hik_walls *walls, const int32_t *kept, int32_t n,
                     const double middle[3], const double half[3], double share[3]) {
  box b = {o, middle, half, sqrt(half[0] * half[0] + half[1] * half[1])};
  push all[PUSHES];
  int pushes = 0;
  for (int32_t i = 0; i < n; i++) {
    const hik_leaf *leaf = kept[i] < walls->still ? NULL : walls->leaf + (kept[i] - walls->still);
    const double *w = leaf ? leaf->wall : walls->wall + 4 * (int64_t)kept[i];
    const hik_sway *sway = leaf ? &leaf->sway : NULL;
    double u[2] = {w[2] - w[0], w[3] - w[1]}, length = sqrt(u[0] * u[0] + u[1] * u[1]);
    u[0] /= length, u[1] /= length;
    push found[4];
    int more = by_line(&b, w, u, length, sway, found);
    more += by_end(&b, w, sway, found + more);
    more += by_end(&b, w + 2, sway, found + more);
    pushes = keep(all, pushes, found, more);
  }
  double best = -INFINITY;
  for (int i = 0; i < pushes; i++)
    for (int j = i + 1; j < pushes; j++)
      for (int k = j + 1; k <= pushes; k++) {
        push *which[3] = {all + i, all + j, k < pushes ? all + k : NULL};
        double weight[3], spoilt[3], here;
        if (!weights(which, weight)) continue;
        double least = sum(&b, which, weight, spoilt, &here);
        if (least > SLACK) return true;
        if (!(here > 0) || least <= best) continue;
        best = least;
        for (int d = 0; d < 3; d++) share[d] = spoilt[d];
      }
  return false;
}
