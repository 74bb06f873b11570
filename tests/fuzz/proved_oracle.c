/* proved_oracle.c: how near a figure of capsules comes to solids and to itself along an edge. Nothing of it is handik's.

   Given     A tree of joints by the product of exponentials, capsules, solids, pairs of capsules; an edge q0, v.
   Returned  The least clearance over samples in which no end of a capsule moves more than `fine`, and where it is.
   Notes     A sample of a pair is left out where the pair is farther than the least found so far by more than it can come nearer
             in between: by 1.5 of the greatest speed of its ends seen at 65 places, which is checked at every sample looked at.
             Solids but spheres and capsules are functions of a point that grow by 1 a metre at most: the least along an axis is
             searched for by halves. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SPHERE, CAPSULE, BOX, PLANE, PRISM, CYLINDER };
enum { HINGE, SLIDE, BALL };
enum { COARSE = 64, DEEP = 250, MOST = 20000, JOINTS = 128, COORDINATES = 512 };

typedef struct solid {
  int kind;
  double turn[9], place[3]; /* rotation by rows */
  double size[3];           /* radius; half length, radius; half sizes; none; height; half length, radius */
  int first, corners;       /* of a prism */
  double bound;             /* from its place */
} solid;

typedef struct joint {
  int kind, parent, q, v;
  double axis[3], point[3], axes[9]; /* of the world at rest; of a ball its axes by columns */
  double scale;
} joint;

typedef struct scene {
  int solids;
  const solid *solid;
  const double *corner;
} scene;

typedef struct figure {
  int joints, nq, capsules, pairs;
  const joint *joint;
  const int *on, *pair;                    /* joint of a capsule, -1 the world; [pairs][2] */
  const double *ends, *radius, *allowance; /* [capsules][6] at rest */
} figure;

typedef struct least {
  double clearance, where;
  int one, other; /* a capsule, and a solid or -1 - a capsule */
  long samples, looked, fast;
} least;

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double norm(const double *a) { return sqrt(dot(a, a)); }
static double clip(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void turned(const double *turn, const double *place, const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] = place[i] + dot(turn + 3 * i, x);
}

static void product(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      out[3 * i + k] = a[3 * i] * b[k] + a[3 * i + 1] * b[3 + k] + a[3 * i + 2] * b[6 + k];
}

/* ---- distances ---- */

/* Places on two segments that are nearest, where neither is a point (Ericson, Real-Time Collision Detection, 5.1.9). */
static void nearest_places(double a, double e, double b, double c, double f, double *s, double *t) {
  double det = a * e - b * b;
  *s = det > 1e-14 * a * e ? clip((b * f - c * e) / det, 0, 1) : 0;
  *t = (b * *s + f) / e;
  if (*t < 0)
    *t = 0, *s = clip(-c / a, 0, 1);
  else if (*t > 1)
    *t = 1, *s = clip((b - c) / a, 0, 1);
}

static double segments(const double *p, const double *p_end, const double *q, const double *q_end) {
  double u[3], d[3], w[3], v[3], s = 0, t = 0;
  for (int i = 0; i < 3; i++) u[i] = p_end[i] - p[i], d[i] = q_end[i] - q[i], w[i] = p[i] - q[i];
  double a = dot(u, u), e = dot(d, d), c = dot(u, w), f = dot(d, w);
  if (a > 1e-300 && e > 1e-300)
    nearest_places(a, e, dot(u, d), c, f, &s, &t);
  else if (a > 1e-300)
    s = clip(-c / a, 0, 1);
  else if (e > 1e-300)
    t = clip(f / e, 0, 1);
  for (int i = 0; i < 3; i++) v[i] = w[i] + s * u[i] - t * d[i];
  return norm(v);
}

static double outside_of_two(double x, double y) {
  double square = (x > 0 ? x * x : 0) + (y > 0 ? y * y : 0);
  return square > 0 ? sqrt(square) : fmax(x, y);
}

static double to_box(const double *half, const double *p) {
  double most = -DBL_MAX, square = 0;
  for (int i = 0; i < 3; i++) {
    double x = fabs(p[i]) - half[i];
    most = fmax(most, x), square += x > 0 ? x * x : 0;
  }
  return square > 0 ? sqrt(square) : most;
}

static double to_prism(const solid *s, const double *corner, const double *p) {
  double best = DBL_MAX;
  int in = 0;
  corner += 2 * s->first;
  for (int i = 0, j = s->corners - 1; i < s->corners; j = i++) {
    const double *a = corner + 2 * i, *b = corner + 2 * j;
    double x = b[0] - a[0], y = b[1] - a[1], dx = p[0] - a[0], dy = p[1] - a[1], square = x * x + y * y;
    double t = square > 0 ? clip((dx * x + dy * y) / square, 0, 1) : 0;
    best = fmin(best, hypot(dx - x * t, dy - y * t));
    if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < x * dy / y + a[0]) in = !in;
  }
  return outside_of_two(in ? -best : best, fabs(p[2] - 0.5 * s->size[0]) - 0.5 * s->size[0]);
}

static double to_point(const solid *s, const double *corner, const double *p) {
  if (s->kind == BOX) return to_box(s->size, p);
  if (s->kind == PRISM) return to_prism(s, corner, p);
  return outside_of_two(hypot(p[0], p[1]) - s->size[1], fabs(p[2]) - s->size[0]); /* a cylinder */
}

/* The least of to_point along a segment, where it is below `limit`; else something of `limit` or more that it is not below. */
static double along(const solid *s, const double *corner, const double *a, const double *b, double limit) {
  double piece[DEEP + 2][2] = {{0, 1}}, d[3], length, best = limit, lower = DBL_MAX;
  for (int i = 0; i < 3; i++) d[i] = b[i] - a[i];
  length = norm(d);
  for (int n = 1, turn = 0; n > 0; turn++) {
    double low = piece[--n][0], high = piece[n][1], middle = 0.5 * (low + high), x[3];
    double half = 0.5 * (high - low) * length;
    for (int i = 0; i < 3; i++) x[i] = a[i] + middle * d[i];
    double here = to_point(s, corner, x);
    best = fmin(best, here);
    bool told = here - half >= best - 1e-9 && half <= 0.25 * (here - best) + 1e-9;
    if (told || half < 1e-10 || n > DEEP - 2 || turn > MOST) {
      lower = fmin(lower, here - half);
      continue;
    }
    piece[n][0] = low, piece[n++][1] = middle;
    piece[n][0] = middle, piece[n++][1] = high;
  }
  return best < limit ? best : fmax(limit, lower);
}

/* Clearance of a capsule and a solid where it is below `limit`; else something of limit or more that it is not below. */
static double to_solid(const scene *world, int k, const double *ends, double radius, double limit) {
  const solid *s = world->solid + k;
  double a[3], b[3], middle[3], half[3];
  for (int i = 0; i < 3; i++) {
    a[i] = b[i] = 0;
    for (int j = 0; j < 3; j++) {
      a[i] += s->turn[3 * j + i] * (ends[j] - s->place[j]);
      b[i] += s->turn[3 * j + i] * (ends[3 + j] - s->place[j]);
    }
    middle[i] = 0.5 * (a[i] + b[i]), half[i] = 0.5 * (b[i] - a[i]);
  }
  if (s->kind == PLANE) return fmin(a[2], b[2]) - radius;
  double far = norm(middle) - s->bound - norm(half) - radius;
  if (far >= limit) return far;
  if (s->kind == SPHERE || s->kind == CAPSULE) {
    double low[3] = {0, 0, s->kind == CAPSULE ? -s->size[0] : 0}, high[3] = {0, 0, -low[2]};
    return segments(a, b, low, high) - radius - s->size[1];
  }
  return along(s, world->corner, a, b, limit + radius) - radius;
}

/* ---- kinematics ---- */

static void quaternion(const double *q, double *turn) {
  double n = sqrt(q[0] * q[0] + dot(q + 1, q + 1)), w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
  const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(turn, out, sizeof out);
}

static void hinge(const double *w, double angle, double *turn) {
  double s = sin(angle), c = cos(angle), v = 1 - c;
  const double out[9] = {c + w[0] * w[0] * v,        w[0] * w[1] * v - w[2] * s, w[0] * w[2] * v + w[1] * s,
                         w[0] * w[1] * v + w[2] * s, c + w[1] * w[1] * v,        w[1] * w[2] * v - w[0] * s,
                         w[0] * w[2] * v - w[1] * s, w[1] * w[2] * v + w[0] * s, c + w[2] * w[2] * v};
  memcpy(turn, out, sizeof out);
}

/* Turn and place of each joint that carry what stood at rest; [joints][12]. */
static void poses(const figure *f, const double *q, double *out) {
  static const double none[3] = {0, 0, 0}, still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int j = 0; j < f->joints; j++) {
    const joint *g = f->joint + j;
    double turn[9], place[3], moved[3], inner[9], back[9], half[9], *to = out + 12 * j;
    memcpy(turn, still, sizeof still);
    if (g->kind == HINGE) hinge(g->axis, g->scale * q[g->q], turn);
    if (g->kind == BALL) {
      quaternion(q + g->q, inner);
      for (int i = 0; i < 9; i++) back[i] = g->axes[i % 3 * 3 + i / 3];
      product(g->axes, inner, half), product(half, back, turn);
    }
    turned(turn, none, g->point, moved);
    for (int i = 0; i < 3; i++)
      place[i] = g->kind == SLIDE ? g->scale * q[g->q] * g->axis[i] : g->point[i] - moved[i];
    if (g->parent < 0) {
      memcpy(to, turn, sizeof turn), memcpy(to + 9, place, sizeof place);
    } else {
      const double *above = out + 12 * g->parent;
      product(above, turn, to), turned(above, above + 9, place, to + 9);
    }
  }
}

/* The posture at t of the edge. */
void proved_between(const figure *f, const double *q0, const double *v, double t, double *q) {
  memcpy(q, q0, sizeof *q * (size_t)f->nq);
  for (int j = 0; j < f->joints; j++) {
    const joint *g = f->joint + j;
    if (g->kind != BALL) {
      q[g->q] = q0[g->q] + t * v[g->v];
      continue;
    }
    const double *a = q0 + g->q, *u = v + g->v;
    double angle = norm(u), s = angle > 1e-12 ? sin(0.5 * angle * t) / angle : 0.5 * t,
           w = cos(0.5 * angle * t), b[3] = {s * u[0], s * u[1], s * u[2]}, *to = q + g->q;
    to[0] = a[0] * w - dot(a + 1, b);
    to[1] = a[0] * b[0] + a[1] * w + a[2] * b[2] - a[3] * b[1];
    to[2] = a[0] * b[1] - a[1] * b[2] + a[2] * w + a[3] * b[0];
    to[3] = a[0] * b[2] + a[1] * b[1] - a[2] * b[0] + a[3] * w;
  }
}

/* Ends of the capsules, [capsules][6]. */
void proved_ends(const figure *f, const double *q, double *out) {
  double at[12 * JOINTS];
  poses(f, q, at);
  for (int k = 0; k < 2 * f->capsules; k++) {
    int on = f->on[k / 2];
    if (on < 0)
      memcpy(out + 3 * k, f->ends + 3 * k, 3 * sizeof *out);
    else
      turned(at + 12 * on, at + 12 * on + 9, f->ends + 3 * k, out + 3 * k);
  }
}

/* ---- an edge ---- */

typedef struct walk {
  const scene *world;
  const figure *f;
  double *ends, *before, *speed; /* [capsules][6], the same, [capsules]: metres a sample at most */
  long *next;                    /* sample at which a pair is looked at again */
  least *out;
} walk;

static double moved(const walk *w, int k) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = w->ends[3 * k + i] - w->before[3 * k + i];
  return norm(d);
}

static void place(const walk *w, const double *q0, const double *v, double t) {
  double q[COORDINATES];
  proved_between(w->f, q0, v, t, q);
  proved_ends(w->f, q, w->ends);
}

static void keep(const walk *w) { memcpy(w->before, w->ends, 6 * sizeof *w->ends * (size_t)w->f->capsules); }

/* Sets the speeds; returns how many samples there are. */
static long measure(const walk *w, const double *q0, const double *v, double fine) {
  double fastest = 0;
  for (int c = 0; c < w->f->capsules; c++) w->speed[c] = 0;
  for (int k = 0; k <= COARSE; k++) {
    place(w, q0, v, k / (double)COARSE);
    for (int i = 0; k && i < 2 * w->f->capsules; i++) w->speed[i / 2] = fmax(w->speed[i / 2], moved(w, i));
    keep(w);
  }
  for (int c = 0; c < w->f->capsules; c++) fastest = fmax(fastest, w->speed[c]);
  long n = (long)ceil(fastest * COARSE * 1.02 / fine) + 1;
  for (int c = 0; c < w->f->capsules; c++) w->speed[c] *= 1.5 * COARSE / (double)n;
  return n;
}

/* Looks at pair p of sample k, and says when it is to be looked at again. */
static void look(const walk *w, int p, long k, long n) {
  const figure *f = w->f;
  int with = f->capsules * w->world->solids, one, other;
  double clearance, by, best = w->out->clearance;
  if (p < with) {
    one = p / w->world->solids, other = p % w->world->solids;
    clearance = to_solid(w->world, other, w->ends + 6 * one, f->radius[one], best);
    by = w->speed[one];
  } else {
    const int *of = f->pair + 2 * (p - with);
    const double *a = w->ends + 6 * of[0], *b = w->ends + 6 * of[1];
    one = of[0], other = -1 - of[1];
    clearance = segments(a, a + 3, b, b + 3) - f->radius[of[0]] - f->radius[of[1]] + f->allowance[p - with];
    by = w->speed[of[0]] + w->speed[of[1]];
  }
  if (clearance < best) {
    w->out->clearance = clearance, w->out->where = (double)k / (double)n;
    w->out->one = one, w->out->other = other;
  }
  long jump = by > 0 ? (long)fmin((clearance - w->out->clearance) / by, 1e9) : 1000000000L;
  w->next[p] = k + (jump < 1 ? 1 : jump);
}

/* 0: no memory. */
int proved_edge(const scene *world, const figure *f, const double *q0, const double *v, double fine,
                least *out) {
  int all = f->capsules * world->solids + f->pairs;
  size_t ends = 6 * (size_t)f->capsules;
  walk w = {world,
            f,
            malloc(ends * sizeof(double)),
            malloc(ends * sizeof(double)),
            malloc((size_t)f->capsules * sizeof(double)),
            calloc((size_t)all + 1, sizeof(long)),
            out};
  *out = (least){.clearance = 1e6};
  int good = w.ends && w.before && w.speed && w.next;
  long n = good ? measure(&w, q0, v, fine) : -1, last = -1;
  for (long k = 0; k <= n;) {
    long due = n + 1;
    place(&w, q0, v, (double)k / (double)n);
    out->looked++;
    for (int i = 0; last >= 0 && i < 2 * f->capsules; i++)
      out->fast += moved(&w, i) > (double)(k - last) * w.speed[i / 2] + 1e-10;
    for (int p = 0; p < all; p++) {
      if (w.next[p] <= k) look(&w, p, k, n);
      due = w.next[p] < due ? w.next[p] : due;
    }
    keep(&w), last = k;
    k = due > n && last < n ? n : due;
  }
  out->samples = n + 1;
  free(w.ends), free(w.before), free(w.speed), free(w.next);
  return good;
}
