/* serial.c: chains cut out of trees, and the map of starts.

   Purpose   the constant transform between two joints is Rz T Rx Rz: both Rz go into the joints beside it, the first
             and the last transform into the target
   Given     a problem that hik_serial_fits
   Returned  hik_prepared
   Notes     1 Rz commutes with the motion of either kind; at a slide, which has no angle to add it to, it stays as a
               constant turn.
             2 The map, for poses alone: Halton points of the inner joints, in 8 slabs of equal count by z, each in 8 cells of equal
               count by the distance from the first axis: neither changes under the first turn. Building it takes
               2048 forward kinematics and sorts.
   Reference J. Halton, On the efficiency of certain quasi-random sequences of points, Numer. Math. 2 (1960) 84-90. */
#include "solve/lanes/serial.h"

#include <stddef.h>
#include <stdlib.h>

#include "analytic/arm_plan.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/rng.h"
#include "simd/kernels.h"
#include "solve/drive/starts.h"
#include "solve/points/wish.h"

/* ---- the chain ---- */

static bool own_coordinate(const hik_problem *p, int32_t k) {
  const hik_model *m = p->model;
  int32_t s = p->active[k];
  if (m->step_kind[s] == HIK_BALL_STEP || !(fabs(m->step_line[2 * (size_t)s]) > 1e-6)) return false;
  for (int32_t i = 0; i < k; i++)
    if (m->step_q[p->active[i]] == m->step_q[s]) return false;
  return true;
}

/* What the goal wants of the chain's end; false: none of what the lanes know. */
static bool end_goal(const hik_goal *g, hik_serial_goal *goal) {
  switch (hik_goal_class(g)->caps) {
  case HIK_HAS_POSITION: *goal = HIK_END_POSITION; return true;
  case HIK_HAS_ORIENTATION: *goal = HIK_END_ORIENTATION; return true;
  case HIK_HAS_AXIS: *goal = HIK_END_AXIS; return true;
  case HIK_HAS_POSITION | HIK_HAS_ORIENTATION: *goal = HIK_END_POSE; return true;
  default: return false;
  }
}

bool hik_serial_fits(const hik_problem *p) {
  hik_serial_goal goal;
  if (p->n_goal != 1 || p->n_active < 2 || p->n_active > HIK_SERIAL_JOINTS || !end_goal(p->goal, &goal))
    return false;
  if (goal == HIK_END_POSE && p->n_active < 3) return false;
  for (int32_t k = 0; k < p->n_active; k++)
    if (!own_coordinate(p, k)) return false;
  return true;
}

/* a = Rz(first) T(shift) Rx(tilt) Rz(second). With next to no tilt the first angle is any, and the second what is left
   to it: their sum stays exact. */
static void split(const hik_pose *a, double *first, double *second, double *shift, double *tilt) {
  const double *r = a->r;
  double s = sqrt(r[2] * r[2] + r[5] * r[5]), c, d;
  *first = s > 1e-12 ? hik_atan2(r[2], -r[5]) : 0;
  hik_sincos(*first, &d, &c);
  *second = hik_atan2(-(c * r[1] + d * r[4]), c * r[0] + d * r[3]);
  shift[0] = c * a->t[0] + d * a->t[1], shift[1] = c * a->t[1] - d * a->t[0], shift[2] = a->t[2];
  tilt[0] = r[8], tilt[1] = s;
  if (!(s > 1e-12)) tilt[0] = r[8] > 0 ? 1 : -1, tilt[1] = 0;
  if (!(fabs(r[8]) > 1e-15)) tilt[0] = 0, tilt[1] = 1; /* the lanes are quicker at whole quarter turns */
}

/* Coordinates, limits and kinds; the lines still without the constant angles. */
static void take_joints(const hik_problem *p, hik_prepared *s) {
  const hik_model *m = p->model;
  s->chain.n = p->n_active;
  for (int32_t k = 0; k < s->chain.n; k++) {
    size_t step = (size_t)p->active[k];
    s->q[k] = m->step_q[step];
    s->line[k][0] = m->step_line[2 * step], s->line[k][1] = m->step_line[2 * step + 1];
    s->lower[k] = m->lower[s->q[k]], s->upper[k] = m->upper[s->q[k]];
    s->chain.slide[k] = m->step_kind[step] == HIK_SLIDE;
  }
}

static void take_links(const hik_problem *p, hik_prepared *s) {
  const hik_model *m = p->model;
  hik_serial *c = &s->chain;
  hik_pose base = *hik_step_place(m, p->active[0]), tool = p->goal->place;
  double carried = 0; /* angle of the Rz left by the transform before */
  for (int32_t k = 0; k < c->n; k++) {
    double first = 0, second = 0;
    bool end = k == c->n - 1;
    if (!end) {
      split(hik_step_place(m, p->active[k + 1]), &first, &second, c->shift[k], c->tilt[k]);
    } else {
      c->tilt[k][0] = 1;
      if (c->goal == HIK_END_POSITION) hik_copy3(tool.t, c->shift[k]);
    }
    if (c->slide[k])
      hik_sincos(carried + first, &c->turn[k][1], &c->turn[k][0]);
    else
      s->line[k][1] += carried + first;
    carried = second;
  }
  /* from the end: T = base J .. J tool, so base' T tool' is what the joints must make */
  hik_pose_inverse(&base, &s->before);
  s->after = hik_pose_identity;
  if (c->goal == HIK_END_POSE || c->goal == HIK_END_ORIENTATION) hik_pose_inverse(&tool, &s->after);
  if (c->goal == HIK_END_AXIS) {
    double unit[3] = {0, 0, 1};
    hik_unit(p->goal->term.param, unit);
    hik_mat_vec(tool.r, unit, c->axis);
  }
  if (!c->slide[0]) { /* a shift along the first axis belongs to the base */
    s->before.t[2] -= c->shift[0][2];
    c->shift[0][2] = 0;
  }
}

/* What the kernels need not find out at every step. */
static void take_forms(hik_serial *c) {
  for (int32_t k = 0; k < c->n; k++) {
    double cosine = c->tilt[k][0], sine = c->tilt[k][1];
    c->tilted[k] = cosine == 1                ? HIK_TILT_NONE
                   : cosine != 0 && sine != 0 ? HIK_TILT_ANY
                   : cosine != 0              ? HIK_TILT_HALF
                   : sine > 0                 ? HIK_TILT_QUARTER
                                              : HIK_TILT_BACK;
    for (int i = 0; i < 3; i++) c->shifted[k] |= (uint8_t)((c->shift[k][i] != 0) << i);
  }
}

/* Lengths over their sum, so that they compare with angles. */
static void take_scale(const hik_problem *p, hik_prepared *s) {
  hik_serial *c = &s->chain;
  double length = 0;
  for (int32_t k = 0; k < c->n; k++) {
    length += hik_norm(c->shift[k]);
    double far = fmax(fabs(s->line[k][0] * s->lower[k] + s->line[k][1]),
                      fabs(s->line[k][0] * s->upper[k] + s->line[k][1]));
    if (c->slide[k] && far < INFINITY) length += far;
  }
  if (!(length > 1e-9)) length = p->scale;
  s->inverse = 1 / length;
  for (int32_t k = 0; k < c->n; k++) {
    for (int i = 0; i < 3; i++) c->shift[k][i] *= s->inverse;
    if (c->slide[k]) s->line[k][0] *= s->inverse, s->line[k][1] *= s->inverse;
  }
  hik_scale3(c->goal == HIK_END_POSE ? s->inverse : 0, p->goal->place.t, s->arm);
  s->weight = length / p->scale;
}

static void take_limits(hik_prepared *s) {
  hik_serial *c = &s->chain;
  for (int32_t k = 0; k < c->n; k++) {
    double a = s->line[k][0] * s->lower[k] + s->line[k][1], b = s->line[k][0] * s->upper[k] + s->line[k][1];
    double low = fmin(a, b), high = fmax(a, b), free = c->slide[k] ? 1 : HIK_PI;
    s->whole[k] = !c->slide[k] && high - low >= 2 * HIK_PI;
    c->low[k] = s->whole[k] ? -INFINITY : low;
    c->high[k] = s->whole[k] ? INFINITY : high;
    if (s->whole[k]) low = -HIK_PI, high = HIK_PI;
    if (!(low > -INFINITY)) low = high < INFINITY ? high - 2 * free : -free;
    if (!(high < INFINITY)) high = low + 2 * free;
    s->range[k][0] = low, s->range[k][1] = high;
  }
}

static void take_end(const hik_prepared *s, int32_t k, bool held, hik_end_turn *end, double *range) {
  double c, d;
  range[0] = 0.5 * (s->range[k][0] + s->range[k][1]), range[1] = 0.5 * (s->range[k][1] - s->range[k][0]);
  end->held = held;
  end->free = s->whole[k] || range[1] >= HIK_PI;
  hik_sincos(range[0], &d, &c);
  end->middle[0] = (float)c, end->middle[1] = (float)d;
  hik_sincos(fmin(range[1], HIK_PI), &d, &c);
  end->half[0] = (float)c, end->half[1] = (float)d;
}

/* An error in the chain's end is at most this much at the goal's frame: what the lanes call done, the judge must too. */
static void take_tolerance(const hik_problem *p, hik_prepared *s) {
  const hik_term *term = &p->goal->term;
  double arm = 1 / s->inverse + hik_norm(p->goal->place.t);
  double least = fmin(term->position_tolerance / arm, term->orientation_tolerance);
  if (s->chain.goal == HIK_END_POSITION) least = term->position_tolerance * s->inverse;
  if (s->chain.goal == HIK_END_ORIENTATION || s->chain.goal == HIK_END_AXIS)
    least = term->orientation_tolerance;
  least = fmin(0.98 * least, 0.1);
  s->chain.square = least * least;
}

/* ---- the map ---- */

static void sample(const hik_prepared *s, uint32_t index, double *t) {
  static const uint32_t prime[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const hik_serial *c = &s->chain;
  hik_rng rng = hik_rng_start(0, index);
  int32_t dimension = 0;
  for (int32_t k = 0; k < c->n; k++) {
    if ((k == 0 && !s->first.held) || (k == c->n - 1 && !s->last.held)) {
      t[k] = 0;
      continue;
    }
    double u =
        dimension < HIK_COUNT_OF(prime) ? hik_halton(index + 1, prime[dimension]) : hik_rng_uniform(&rng);
    dimension++;
    t[k] = s->range[k][0] + u * (s->range[k][1] - s->range[k][0]);
  }
}

/* Pose of the chain's end, and what it is sorted by: first its height, then its radius. */
typedef struct sampled {
  hik_pose pose;
  double key;
  uint32_t index;
} sampled;

static void end_pose(const hik_serial *c, const double *t, hik_pose *out) {
  *out = hik_pose_identity;
  for (int32_t k = 0; k < c->n; k++) {
    double cosine = c->turn[k][0], sine = c->turn[k][1], shift[3], r[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0},
           turned[9];
    if (c->slide[k])
      for (int i = 0; i < 3; i++) out->t[i] += t[k] * out->r[3 * i + 2];
    else
      hik_sincos(t[k], &sine, &cosine);
    hik_mat_turn_z(out->r, cosine, sine, out->r);
    hik_mat_vec(out->r, c->shift[k], shift);
    hik_add3(out->t, shift, out->t);
    r[4] = r[8] = c->tilt[k][0], r[7] = c->tilt[k][1], r[5] = -r[7];
    hik_mat_mul(out->r, r, turned);
    memcpy(out->r, turned, sizeof turned);
  }
}

/* Ties by index, so that every machine gives the same map. */
static int compare(const void *a, const void *b) {
  const sampled *x = a, *y = b;
  if (x->key == y->key) return x->index < y->index ? -1 : x->index > y->index;
  return x->key < y->key ? -1 : 1;
}

/* No NaN, which has no place in an order. */
static double key_of(double x) { return x == x ? x : INFINITY; }

static double radius_of(const hik_prepared *s, const double *p) {
  return s->first.held ? p[0] : sqrt(p[0] * p[0] + p[1] * p[1]);
}

static void fill_cell(hik_prepared *s, int32_t cell, const sampled *from) {
  double t[HIK_SERIAL_JOINTS];
  for (int32_t k = 0; k < HIK_CELL; k++) {
    for (int column = 0; column < 2; column++)
      for (int i = 0; i < 3; i++)
        s->map.cell[cell][3 * column + i][k] = (float)from[k].pose.r[3 * i + column];
    for (int i = 0; i < 3; i++) s->map.cell[cell][6 + i][k] = (float)from[k].pose.t[i];
    sample(s, from[k].index, t);
    for (int32_t j = 0; j < s->chain.n; j++) s->map.t[(cell * HIK_CELL + k) * s->chain.n + j] = (float)t[j];
  }
}

static void draw_map(hik_prepared *s, sampled *all) {
  enum { SLAB = HIK_MAP_SAMPLES / HIK_MAP_SLABS };
  double t[HIK_SERIAL_JOINTS];
  for (uint32_t i = 0; i < HIK_MAP_SAMPLES; i++) {
    sample(s, i, t);
    end_pose(&s->chain, t, &all[i].pose);
    all[i].key = key_of(all[i].pose.t[2]);
    all[i].index = i;
  }
  qsort(all, HIK_MAP_SAMPLES, sizeof *all, compare);
  for (int32_t slab = 0; slab < HIK_MAP_SLABS; slab++) {
    sampled *from = all + slab * SLAB;
    if (slab > 0) s->map.slab[slab - 1] = 0.5 * (from[-1].pose.t[2] + from[0].pose.t[2]);
  }
  for (int32_t slab = 0; slab < HIK_MAP_SLABS; slab++) {
    sampled *from = all + slab * SLAB;
    for (int32_t k = 0; k < SLAB; k++) from[k].key = key_of(radius_of(s, from[k].pose.t));
    qsort(from, SLAB, sizeof *from, compare);
    for (int32_t k = 0; k < HIK_MAP_SLABS; k++) {
      if (k > 0) s->map.radius[slab][k - 1] = 0.5 * (from[k * HIK_CELL - 1].key + from[k * HIK_CELL].key);
      fill_cell(s, slab * HIK_MAP_SLABS + k, from + k * HIK_CELL);
    }
  }
}

int32_t hik_map_cell(const hik_prepared *s, const double *target) {
  int32_t slab = 0, k = 0;
  double radius = radius_of(s, target + 9);
  for (int i = 0; i < HIK_MAP_SLABS - 1; i++) slab += target[11] > s->map.slab[i];
  for (int i = 0; i < HIK_MAP_SLABS - 1; i++) k += radius > s->map.radius[slab][i];
  return slab * HIK_MAP_SLABS + k;
}

void hik_map_ask(const hik_prepared *s, const double *target, hik_map_query *query) {
  float aim[12];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) aim[3 * c + i] = (float)target[3 * i + c];
  for (int i = 9; i < 12; i++) aim[i] = (float)target[i];
  query->cell = hik_map_cell(s, target);
  hik_kernels_in_use()->wide.scan(&s->map.cell[query->cell][0][0], aim, &s->first, &s->last, query->score,
                                  query->turns);
}

void hik_map_take(const hik_prepared *s, hik_map_query *query, double *t) {
  float angle[2];
  int32_t n = s->chain.n, sample = hik_kernels_in_use()->wide.pick(query->score, query->turns, angle);
  const float *row = s->map.t + (query->cell * HIK_CELL + sample) * n;
  const double *first = s->first_range, *last = s->last_range;
  query->score[sample] = INFINITY;
  for (int32_t i = 0; i < n; i++) t[i] = (double)row[i];
  if (!s->first.held) t[0] = first[0] + hik_clip((double)angle[0], -first[1], first[1]);
  if (!s->last.held) t[n - 1] = last[0] + hik_clip((double)angle[1], -last[1], last[1]);
}

void hik_serial_draw(const hik_prepared *s, uint64_t seed, uint64_t number, double *t) {
  hik_rng rng = hik_rng_start(seed, number);
  for (int32_t i = 0; i < s->chain.n; i++)
    t[i] = s->range[i][0] + hik_rng_uniform(&rng) * (s->range[i][1] - s->range[i][0]);
}

/* ---- for the solver ---- */

/* False: no memory. */
static bool take_closed_form(const hik_problem *p, hik_prepared *s) {
  hik_status status = hik_analytic_create_nearest(p->model, p->goal->term.frame, &s->closed, NULL);
  s->held.also = s->closed;
  return status != HIK_NO_MEMORY;
}

bool hik_serial_ready(hik_readied *ready) {
  const hik_problem *p = ready->problem;
  hik_serial_goal goal;
  if (ready->serial || !end_goal(p->goal, &goal)) return true;
  bool map = goal == HIK_END_POSE;
  hik_prepared *s = hik_allocate(map ? sizeof *s : offsetof(hik_prepared, map));
  sampled *all = map ? hik_allocate(HIK_MAP_SAMPLES * sizeof *all) : NULL;
  if (s && (all || !map) && (!map || take_closed_form(p, s))) {
    atomic_init(&s->held.holders, 1);
    s->chain.goal = goal;
    take_joints(p, s);
    take_links(p, s);
    take_scale(p, s);
    take_forms(&s->chain);
    take_limits(s);
    take_end(s, 0, s->chain.slide[0], &s->first, s->first_range);
    take_end(s, s->chain.n - 1, s->chain.slide[s->chain.n - 1], &s->last, s->last_range);
    take_tolerance(p, s);
    if (map) draw_map(s, all);
    ready->serial = s;
  } else {
    hik_release(s);
  }
  hik_release(all);
  return ready->serial != NULL;
}

void hik_serial_target(const hik_prepared *s, const hik_goal *goal, const double *target, double *out) {
  hik_pose wanted = hik_pose_identity, half, whole;
  hik_goal_class(goal)->wanted(goal, target, wanted.t, wanted.r);
  if (s->chain.goal == HIK_END_AXIS) {
    memset(out, 0, 12 * sizeof *out);
    hik_mat_vec(s->before.r, wanted.r, out);
    return;
  }
  if (s->chain.goal == HIK_END_POSITION) { /* nothing is after it, and no turn is wanted */
    memcpy(out, s->before.r, sizeof s->before.r);
    hik_pose_point(&s->before, wanted.t, out + 9);
    hik_scale3(s->inverse, out + 9, out + 9);
    return;
  }
  hik_pose_mul(&s->before, &wanted, &half);
  hik_pose_mul(&half, &s->after, &whole);
  memcpy(out, whole.r, sizeof whole.r);
  hik_scale3(s->inverse, whole.t, out + 9);
}

void hik_serial_from_q(const hik_prepared *s, const double *q, double *t) {
  for (int32_t k = 0; k < s->chain.n; k++) t[k] = s->line[k][0] * q[s->q[k]] + s->line[k][1];
}

void hik_serial_to_q(const hik_prepared *s, const double *t, double *q) {
  const double whole = 2 * HIK_PI;
  for (int32_t k = 0; k < s->chain.n; k++) {
    double *to = q + s->q[k], rate = s->line[k][0], x = t[k] - s->line[k][1], turn = whole;
    if (rate != 1) x /= rate, turn /= fabs(rate);
    if (s->whole[k]) {
      double off = *to - x;
      x += fabs(off) < 0.49 * turn ? 0 : turn * floor(off / turn + 0.5);
      if (x > s->upper[k]) x -= turn * ceil((x - s->upper[k]) / turn);
      if (x < s->lower[k]) x += turn * ceil((s->lower[k] - x) / turn);
    }
    *to = hik_clip(x, s->lower[k], s->upper[k]);
  }
}
