/* group.c: a check, and the group of postures it has in hand. */
#include "base/memory.h"
#include "base/quat.h"
#include "scene/inside.h"
#include "simd/kernels.h"

/* Beyond, squares and products of a distance no longer fit. */
#define FAR 1e12
/* Metres within which a pair counts as in contact when it is asked which ones ever are. */
#define TOUCHING 1e-6

static size_t lay_out(hik_check *c, void *memory) {
  hik_block block = {memory, 0, false};
  const hik_figure *f = c->figure;
  HIK_TAKE(&block, hik_check, 1);
  HIK_TAKE_DOUBLES(&block, HIK_GROUP * (int64_t)f->model->nq, &c->q);
  HIK_TAKE_DOUBLES(&block, 12 * HIK_GROUP * (int64_t)f->model->n_step, &c->pose);
  HIK_TAKE_DOUBLES(&block, 6 * HIK_GROUP * (int64_t)f->n_capsule, &c->axis);
  HIK_TAKE_DOUBLES(&block, (int64_t)f->n_sum, &c->sum);
  HIK_TAKE_DOUBLES(&block, (int64_t)f->n_capsule, &c->turn);
  HIK_TAKE_DOUBLES(&block, (int64_t)f->model->n_step, &c->turned);
  c->moved = HIK_TAKE(&block, float, HIK_GROUP *(int64_t)f->n_capsule);
  c->bent = HIK_TAKE(&block, float, HIK_GROUP *(int64_t)f->n_capsule);
  HIK_TAKE_DOUBLES(&block, 2 * (int64_t)HIK_STACK, &c->stack);
  c->middle = HIK_TAKE(&block, float, 3 * HIK_GROUP * (int64_t)f->n_capsule);
  c->line = HIK_TAKE(&block, float, 6 * HIK_GROUP * (int64_t)f->n_capsule + 2 * HIK_GROUP);
  if (memory) c->line += HIK_GROUP;
  c->box = HIK_TAKE(&block, float, 6 * HIK_GROUP * (int64_t)f->n_capsule);
  c->candidate = HIK_TAKE(&block, uint64_t, c->world->words);
  return block.bad ? SIZE_MAX : block.size;
}

size_t hik_check_size(const hik_figure *figure, const hik_world *world) {
  hik_check like = {.figure = figure, .world = world};
  return lay_out(&like, NULL);
}

hik_check *hik_check_begin(void *memory, const hik_figure *figure, const hik_world *world) {
  hik_check *c = memory;
  *c = (hik_check){.figure = figure, .world = world};
  lay_out(c, memory);
  return c;
}

const hik_world *hik_check_world(const hik_check *check) { return check->world; }

static const hik_scene_kernels *kernels(void) { return hik_kernels_in_use()->scene; }

/* More than all rounding of coordinates of the group: of the figure, the world, and slides. */
static void set_slack(hik_check *c) {
  const hik_model *m = c->figure->model;
  double far = hik_most(c->figure->extent, c->world->extent);
  for (int32_t s = 0; s < m->n_step; s++) {
    if (m->step_kind[s] != HIK_SLIDE || hik_step_follows(m, s)) continue;
    const double *at = c->q + HIK_GROUP * (size_t)m->step_q[s], *line = m->step_line + 2 * (size_t)s;
    double most = 0;
    for (int32_t l = 0; l < HIK_GROUP; l++)
      most = hik_most(most, c->usable >> l & 1 ? fabs(line[0] * at[l] + line[1]) : 0);
    far += most;
  }
  c->slack = HIK_SCENE_SLACK + HIK_SCENE_ROUNDING * far;
  c->thin = (float)(c->slack + HIK_SCENE_THIN * far);
}

/* Lanes past count repeat the last; those with a coordinate that is not finite, or out of all range, are of no use. */
static void settle(hik_check *c, int32_t count) {
  int32_t nq = c->figure->model->nq;
  int64_t out[HIK_GROUP] = {0};
  c->count = count, c->usable = 0;
  for (int32_t k = 0; k < nq; k++) {
    double *at = c->q + HIK_GROUP * (size_t)k;
    for (int32_t l = count; l < HIK_GROUP; l++) at[l] = at[count - 1];
    for (int32_t l = 0; l < HIK_GROUP; l++) out[l] |= !(fabs(at[l]) < FAR);
  }
  for (int32_t l = 0; l < HIK_GROUP; l++) c->usable |= (uint32_t)!out[l] << l;
  set_slack(c);
  kernels()->place(c);
}

void hik_check_place(hik_check *c, const double *q, int32_t count) {
  size_t nq = (size_t)c->figure->model->nq;
  for (size_t k = 0; k < nq; k++)
    for (int32_t l = 0; l < count; l++) c->q[HIK_GROUP * k + (size_t)l] = q[nq * (size_t)l + k];
  settle(c, count);
}

void hik_check_between(hik_check *c, const double *q0, const double *v, const double *t, int32_t count) {
  const hik_model *m = c->figure->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    if (m->joint_mimic[m->step_joint[s]] >= 0) continue;
    const double *from = q0 + m->step_q[s], *by = v + m->step_v[s];
    double *to = c->q + HIK_GROUP * (size_t)m->step_q[s];
    if (m->step_kind[s] != HIK_BALL_STEP) {
      for (int32_t l = 0; l < count; l++) to[l] = from[0] + t[l] * by[0];
      continue;
    }
    for (int32_t l = 0; l < count; l++) {
      double turned[3] = {t[l] * by[0], t[l] * by[1], t[l] * by[2]}, turn[4], q[4];
      hik_quat_exp(turned, turn);
      hik_quat_mul(from, turn, q);
      hik_quat_normalize(q);
      for (int i = 0; i < 4; i++) to[HIK_GROUP * i + l] = q[i];
    }
  }
  settle(c, count);
}

/* A way from x at t, whose second derivative is at most 2 b, is at t + s off the line from x to its place at t + d by at most
   b |s (d - s)|; the most of that from s = 0 to `half`, over b. */
static double bend_by(double d, double half) {
  double end = half * fabs(d - half);
  return d > 0 && d < 2 * half ? hik_most(d * d / 4, end) : end;
}

/* Of the point next and that before each end is told by the one that tells more, with the line to it gone on beyond the point where
   it is on the other side. */
void hik_beside_of(const double *t, const double *half, hik_beside *out) {
  memset(out->most, 0, sizeof out->most), memset(out->next, 0, sizeof out->next);
  memset(out->last, 0, sizeof out->last);
  for (int l = 0; l < HIK_GROUP; l++) {
    const double far[2] = {l + 1 < HIK_GROUP ? t[l + 1] - t[l] : 0, l > 0 ? t[l - 1] - t[l] : 0};
    double most = 0, low = -half[l], high = half[l];
    for (int end = 0; end < 2; end++) {
      double next = far[0] == 0 ? INFINITY : bend_by(end ? -far[0] : far[0], half[l]);
      double last = far[1] == 0 ? INFINITY : bend_by(end ? -far[1] : far[1], half[l]);
      const int by = last < next;
      most = hik_most(most, by ? last : next);
      if (far[by] == 0) continue;
      const float share = (float)(half[l] / far[by]), size = (share < 0 ? -share : share) * (1 + 1e-6f);
      (by ? out->last : out->next)[end][l] = end ? -share : share;
      if (size > out->most[by][l]) out->most[by][l] = size;
      if (far[by] < low) low = far[by];
      if (far[by] > high) high = far[by];
    }
    out->bend[l] = (float)(most * (1 + 1e-6)), out->low[l] = t[l] + low, out->high[l] = t[l] + high;
  }
}

hik_touched hik_check_touch(hik_check *c, const hik_growth *growth, bool stop) {
  return kernels()->touch(c, growth, stop);
}

void hik_check_least(hik_check *c, double cutoff, hik_least *out) {
  kernels()->least(c, cutoff, out);
  for (int32_t l = 0; l < HIK_GROUP; l++)
    if (!(c->usable >> l & 1)) out->distance[l] = NAN, out->capsule[l] = out->other[l] = -1;
}

void hik_check_distance(hik_check *c, double cutoff, double *out) {
  kernels()->distance(c, cutoff, out);
  for (int32_t l = 0; l < HIK_GROUP; l++)
    if (!(c->usable >> l & 1)) out[l] = NAN;
}

int32_t hik_check_near(hik_check *c, double cutoff, double self_cutoff, hik_near *out, int32_t most) {
  return kernels()->near(c, (const double[2]){cutoff, self_cutoff}, out, most);
}

/* Each step's coordinates from one of the postures that were made, another for each: they are drawn one by one, each apart from
   the others, so that what is costly to draw is drawn few times. */
static void mix_draw(const hik_figure *f, uint64_t seed, uint64_t number, const double *made, double *q) {
  const hik_model *m = f->model;
  hik_rng rng = hik_rng_start(seed + 1, number);
  for (int32_t s = 0; s < m->n_step; s++) {
    if (m->joint_mimic[m->step_joint[s]] >= 0) continue;
    int32_t width = m->step_kind[s] == HIK_BALL_STEP ? 4 : 1, at = m->step_q[s];
    size_t row = (size_t)(hik_rng_next(&rng) % HIK_MADE);
    for (int32_t i = 0; i < width; i++)
      q[HIK_GROUP * (at + i)] = made[row * (size_t)m->nq + (size_t)(at + i)];
  }
}

void hik_check_made(const hik_model *m, uint64_t seed, double *made) {
  for (uint64_t k = 0; k < HIK_MADE; k++) hik_random_q(m, seed, k, made + k * (size_t)m->nq);
}

void hik_check_draws(hik_check *c, uint64_t seed, int64_t first, int64_t n, const double *made,
                     int64_t *touched) {
  for (int64_t done = 0; done < n; done += HIK_GROUP) {
    int32_t count = n - done < HIK_GROUP ? (int32_t)(n - done) : HIK_GROUP;
    for (int32_t l = 0; l < count; l++)
      mix_draw(c->figure, seed, (uint64_t)(first + done + l), made, c->q + l);
    settle(c, count);
    kernels()->count(c, TOUCHING, touched);
  }
}

void hik_check_overlaps(hik_check *c, const double *q, int64_t n, double *nearest) {
  size_t nq = (size_t)c->figure->model->nq;
  for (int64_t i = 0; i < n; i += HIK_GROUP) {
    hik_check_place(c, q + nq * (size_t)i, n - i < HIK_GROUP ? (int32_t)(n - i) : HIK_GROUP);
    kernels()->overlaps(c, TOUCHING, nearest);
  }
}

void hik_check_row(const hik_check *c, const hik_near *near, double *row) { kernels()->row(c, near, row); }

double hik_row_push(const double *row, const double *inverse, const double *need, double *force, double *dq,
                    int32_t nv) {
  return kernels()->push(row, inverse, need, force, dq, nv);
}
