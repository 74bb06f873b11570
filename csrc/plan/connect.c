/* connect.c: two trees of proved edges that grow towards each other.

   Purpose   A way for a figure among obstacles, as a polygon whose every edge is proved free.
   Given     A figure in a world, a start, goals; a seed and a budget of groups of postures.
   Returned  Vertices from the start to a goal; without success those to the node nearest to a goal.
   Outcomes  Found, or not in the budget. That there is no way is never claimed.
   Notes     Nearest nodes by a plain scan over blocks of 16 in coordinate order: enough for some thousands of nodes. A
             ball counts by 8 (1 - |q.q'|), the square of its angle where that is small. The smaller tree grows. The budget
             counts groups of postures, not time: the answer is that of every machine.
   Reference J. J. Kuffner, S. M. LaValle: RRT-Connect (2000). */
#include "plan/connect.h"

#include "base/memory.h"

enum { BLOCK = 16 };

typedef struct tree {
  double *q;       /* blocks of 16: [block][nq][16] */
  int32_t *parent; /* -1: a root */
  int32_t count, room;
} tree;

static bool grow(tree *t, int32_t nq) {
  int32_t room = t->room ? 2 * t->room : 4 * BLOCK;
  if (t->room > INT32_MAX / 4) return false;
  size_t doubles, bytes;
  if (!hik_mul((size_t)room, (size_t)nq, &doubles) || !hik_mul(doubles, sizeof(double), &bytes)) return false;
  double *q = hik_allocate_raw(bytes);
  int32_t *parent = hik_allocate_raw((size_t)room * sizeof *parent);
  if (!q || !parent) {
    hik_release(q), hik_release(parent);
    return false;
  }
  if (t->room) {
    memcpy(q, t->q, (size_t)t->room * (size_t)nq * sizeof *q);
    memcpy(parent, t->parent, (size_t)t->room * sizeof *parent);
  }
  hik_release(t->q), hik_release(t->parent);
  t->q = q, t->parent = parent, t->room = room;
  return true;
}

static bool add(tree *t, int32_t nq, const double *q, int32_t parent) {
  if (t->count == t->room && !grow(t, nq)) return false;
  double *block = t->q + (size_t)(t->count / BLOCK) * BLOCK * (size_t)nq;
  if (t->count % BLOCK == 0) /* lanes that are not there are far */
    for (int32_t k = 0; k < nq * BLOCK; k++) block[k] = 1e150;
  for (int32_t k = 0; k < nq; k++) block[k * BLOCK + t->count % BLOCK] = q[k];
  t->parent[t->count++] = parent;
  return true;
}

static void node(const tree *t, int32_t nq, int32_t i, double *q) {
  const double *block = t->q + (size_t)(i / BLOCK) * BLOCK * (size_t)nq;
  for (int32_t k = 0; k < nq; k++) q[k] = block[k * BLOCK + i % BLOCK];
}

static void end_tree(tree *t) { hik_release(t->q), hik_release(t->parent); }

/* Squares of distances of the 16 nodes of a block to q. */
static void distances(const hik_model *m, const double *block, const double *q, double *out) {
  for (int32_t l = 0; l < BLOCK; l++) out[l] = 0;
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t at = m->step_q[s];
    if (at < 0 || m->step_follow[s] >= 0) continue;
    const double *x = block + (size_t)at * BLOCK;
    if (m->step_kind[s] != HIK_BALL_STEP) {
      for (int32_t l = 0; l < BLOCK; l++) out[l] += (x[l] - q[at]) * (x[l] - q[at]);
    } else {
      for (int32_t l = 0; l < BLOCK; l++) {
        double dot = x[l] * q[at] + x[BLOCK + l] * q[at + 1] + x[2 * BLOCK + l] * q[at + 2] +
                     x[3 * BLOCK + l] * q[at + 3];
        out[l] += 8 * fabs(1 - fabs(dot));
      }
    }
  }
}

static int32_t nearest(const hik_model *m, const tree *t, const double *q, double *square) {
  double best = 1e300, found[BLOCK];
  int32_t at = 0;
  for (int32_t b = 0; b * BLOCK < t->count; b++) {
    distances(m, t->q + (size_t)b * BLOCK * (size_t)m->nq, q, found);
    int32_t lanes = t->count - b * BLOCK < BLOCK ? t->count - b * BLOCK : BLOCK;
    for (int32_t l = 0; l < lanes; l++)
      if (found[l] < best) best = found[l], at = b * BLOCK + l;
  }
  *square = best;
  return at;
}

static double norm(const double *v, int32_t n) {
  double sum = 0;
  for (int32_t k = 0; k < n; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

/* Limits of balls are no box: an edge between two postures inside may leave them. */
static bool keeps_cones(hik_edges *e, const double *q0, const double *v, double *q, double *part) {
  const hik_model *m = e->model;
  if (m->n_swing == 0) return true;
  double pieces = norm(v, m->nv) / 0.02;
  int32_t count = pieces < 1 ? 1 : pieces < 100000 ? (int32_t)pieces + 1 : 100000;
  for (int32_t i = 1; i <= count; i++) {
    for (int32_t k = 0; k < m->nv; k++) part[k] = v[k] * i / count;
    hik_integrate(m, 1, q0, part, q);
    if (!hik_inside(m, q, 1e-9)) return false;
  }
  return true;
}

/* The edge from q0 along v; keeps what was met where it is not free. */
static bool proved(hik_edges *e, const double *q0, const double *v) {
  int32_t nv = e->model->nv, nq = e->model->nq;
  double *part = e->room + 2 * nv, *q = e->room + 4 * nv;
  if (!keeps_cones(e, q0, v, q, part)) return false;
  hik_edge_proof found = hik_check_edge(e->check, q0, v, e->tol);
  e->groups += found.groups;
  if (found.edge == HIK_EDGE_FREE) return true;
  if (found.edge == HIK_EDGE_HIT && e->witness) {
    for (int32_t k = 0; k < nv; k++) part[k] = v[k] * found.witness;
    hik_integrate(e->model, 1, q0, part, e->witness + (size_t)(e->witnesses++ % HIK_WITNESSES) * (size_t)nq);
  }
  return false;
}

bool hik_edges_free(hik_edges *e, const double *q0, const double *q1) {
  hik_difference(e->model, 1, q0, q1, e->room);
  return proved(e, q0, e->room);
}

/* One edge from node i towards q, at most as long as the reach; the new node, -1: none, -2: no memory. `arrived`: it is q. */
static int32_t extend(hik_edges *e, tree *t, int32_t i, const double *q, bool *arrived) {
  int32_t nq = e->model->nq, nv = e->model->nv;
  double *v = e->room, *from = e->room + 4 * nv + nq, *to = from + nq;
  node(t, nq, i, from);
  hik_difference(e->model, 1, from, q, v);
  double length = norm(v, nv);
  *arrived = length <= e->reach;
  if (!*arrived)
    for (int32_t k = 0; k < nv; k++) v[k] *= e->reach / length;
  if (length < 1e-9) return i;
  if (!proved(e, from, v)) return -1;
  if (*arrived)
    memcpy(to, q, (size_t)nq * sizeof *to);
  else
    hik_integrate(e->model, 1, from, v, to);
  return add(t, nq, to, i) ? t->count - 1 : -2;
}

void hik_route_end(hik_route *route) {
  hik_release(route->q);
  *route = (hik_route){NULL, 0, 0};
}

bool hik_route_add(hik_route *route, const double *q, int32_t nq) {
  if (route->count == route->room) {
    int32_t room = route->room ? 2 * route->room : 16;
    size_t doubles, bytes;
    if (route->room > INT32_MAX / 4 || !hik_mul((size_t)room, (size_t)nq, &doubles) ||
        !hik_mul(doubles, sizeof(double), &bytes))
      return false;
    double *more = hik_allocate_raw(bytes);
    if (!more) return false;
    if (route->q) memcpy(more, route->q, (size_t)route->count * (size_t)nq * sizeof *more);
    hik_release(route->q);
    route->q = more, route->room = room;
  }
  memcpy(route->q + (size_t)route->count++ * (size_t)nq, q, (size_t)nq * sizeof *q);
  return true;
}

/* Adds the nodes from i to its root; `turned`: from the root to i. */
static bool trace(const tree *t, int32_t nq, int32_t i, bool turned, double *q, hik_route *route) {
  int32_t begin = route->count;
  for (; i >= 0; i = t->parent[i]) {
    node(t, nq, i, q);
    if (!hik_route_add(route, q, nq)) return false;
  }
  for (int32_t a = begin, b = route->count - 1; turned && a < b; a++, b--)
    for (int32_t k = 0; k < nq; k++) {
      double *x = route->q + (size_t)a * (size_t)nq + k, *y = route->q + (size_t)b * (size_t)nq + k,
             keep = *x;
      *x = *y, *y = keep;
    }
  return true;
}

/* The way through node i of the tree of the start and node j of that of the goals, which stand on one place. */
static bool join(const tree *both, int32_t nq, int32_t i, int32_t j, double *q, hik_route *route) {
  return trace(&both[0], nq, i, true, q, route) &&
         (both[1].parent[j] < 0 || trace(&both[1], nq, both[1].parent[j], false, q, route));
}

/* A new node of tree `side`, then the other towards it: 1 both meet (at *i of the one, *j of the other), 0 not, -1 no memory. */
static int32_t try_once(hik_edges *e, tree *both, int32_t side, const double *draw, double *q, int32_t *i,
                        int32_t *j) {
  double square;
  bool arrived;
  tree *t = &both[side], *other = &both[!side];
  *i = extend(e, t, nearest(e->model, t, draw, &square), draw, &arrived);
  if (*i < 0) return *i + 1;
  node(t, e->model->nq, *i, q);
  *j = nearest(e->model, other, q, &square);
  do {
    *j = extend(e, other, *j, q, &arrived);
    if (*j < 0) return *j + 1;
  } while (!arrived && e->groups < e->budget);
  return arrived;
}

static hik_search search(hik_edges *e, tree *both, uint64_t seed, double *room, hik_route *route) {
  int32_t nq = e->model->nq, i, j;
  double *draw = room, *q = room + nq;
  for (uint64_t k = 0; e->groups < e->budget && k < 1u << 24; k++) {
    int32_t side = both[1].count < both[0].count;
    hik_random_q(e->model, seed, k, draw);
    int32_t met = try_once(e, both, side, draw, q, &i, &j);
    if (met < 0) return HIK_SEARCH_MEMORY;
    if (met) return join(both, nq, side ? j : i, side ? i : j, q, route) ? HIK_FOUND : HIK_SEARCH_MEMORY;
    e->groups += 1; /* so that a search without edges ends too */
  }
  return HIK_NOT_IN_BUDGET;
}

/* The way to the node of the start's tree that is nearest to a goal. */
static bool best_part(hik_edges *e, const tree *t, const double *goals, int32_t n, double *q,
                      hik_route *route) {
  double best = 1e300, square;
  int32_t at = 0;
  for (int32_t g = 0; g < n; g++) {
    int32_t i = nearest(e->model, t, goals + (size_t)g * (size_t)e->model->nq, &square);
    if (square < best) best = square, at = i;
  }
  return trace(t, e->model->nq, at, true, q, route);
}

void hik_grown_end(hik_grown *grown) {
  hik_route_end(&grown->nodes);
  hik_release(grown->parent);
  *grown = (hik_grown){{NULL, 0, 0}, NULL, 0};
}

/* Copies both trees; nodes of the second are counted on from those of the first. */
static bool keep_trees(const tree *both, int32_t nq, double *q, hik_grown *to) {
  size_t bytes, count = (size_t)both[0].count + (size_t)both[1].count;
  if (!hik_mul(count, sizeof *to->parent, &bytes) || !(to->parent = hik_allocate_raw(bytes))) return false;
  to->of_start = both[0].count;
  for (int32_t t = 0; t < 2; t++)
    for (int32_t i = 0; i < both[t].count; i++) {
      int32_t parent = both[t].parent[i];
      to->parent[to->nodes.count] = parent < 0 ? -1 : parent + (t ? to->of_start : 0);
      node(&both[t], nq, i, q);
      if (!hik_route_add(&to->nodes, q, nq)) return false;
    }
  return true;
}

hik_search hik_connect(hik_edges *e, const double *start, const double *goals, int32_t n, uint64_t seed,
                       hik_route *route) {
  int32_t nq = e->model->nq;
  tree both[2] = {{0}, {0}};
  double *room = hik_allocate_raw(2 * (size_t)nq * sizeof *room);
  bool good = room && add(&both[0], nq, start, -1);
  hik_search found = HIK_NOT_IN_BUDGET;
  for (int32_t g = 0; good && g < n; g++) {
    const double *goal = goals + (size_t)g * (size_t)nq;
    good = add(&both[1], nq, goal, -1);
    if (good && found != HIK_FOUND && hik_edges_free(e, start, goal)) {
      good = hik_route_add(route, start, nq) && hik_route_add(route, goal, nq);
      found = HIK_FOUND;
    }
  }
  if (good && found != HIK_FOUND) found = search(e, both, seed, room, route);
  if (good && found == HIK_NOT_IN_BUDGET) good = best_part(e, &both[0], goals, n, room, route);
  if (good && e->grown) good = keep_trees(both, nq, room, e->grown);
  end_tree(&both[0]), end_tree(&both[1]);
  hik_release(room);
  return good ? found : HIK_SEARCH_MEMORY;
}
