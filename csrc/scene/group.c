/* group.c: a check, and the group of postures it has in hand. */
#include "base/memory.h"
#include "base/quat.h"
#include "scene/inside.h"
#include "simd/kernels.h"

/* Beyond, squares and products of a distance no longer fit. */
#define FAR 1e12

static size_t lay_out(hik_check *c, void *memory) {
  hik_block block = {memory, 0, false};
  const hik_figure *f = c->figure;
  HIK_TAKE(&block, hik_check, 1);
  HIK_TAKE_DOUBLES(&block, HIK_GROUP * (int64_t)f->model->nq, &c->q);
  HIK_TAKE_DOUBLES(&block, 12 * HIK_GROUP * (int64_t)f->model->n_step, &c->pose);
  HIK_TAKE_DOUBLES(&block, 6 * HIK_GROUP * (int64_t)f->n_capsule, &c->axis);
  HIK_TAKE_DOUBLES(&block, (int64_t)f->n_sum, &c->sum);
  HIK_TAKE_DOUBLES(&block, (int64_t)f->model->nq, &c->draw);
  HIK_TAKE_DOUBLES(&block, 2 * (int64_t)HIK_STACK, &c->stack);
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

static const hik_scene_kernels *kernels(void) { return hik_kernels_in_use()->scene; }

/* More than all rounding of coordinates of the group: of the figure, the world, and slides. */
static void set_slack(hik_check *c) {
  const hik_model *m = c->figure->model;
  double far = hik_most(c->figure->extent, c->world->extent);
  for (int32_t s = 0; s < m->n_step; s++) {
    if (m->step_kind[s] != HIK_SLIDE || hik_step_follows(m, s)) continue;
    const double *at = c->q + HIK_GROUP * (size_t)m->step_q[s], *line = m->step_line + 2 * (size_t)s;
    double most = 0;
    for (int32_t l = 0; l < HIK_GROUP; l++) most = hik_most(most, c->usable >> l & 1 ? fabs(line[0] * at[l] + line[1]) : 0);
    far += most;
  }
  c->slack = HIK_SCENE_SLACK + HIK_SCENE_ROUNDING * far;
}

/* Lanes past count repeat the last; those with a coordinate that is not finite, or out of all range, are of no use. */
static void settle(hik_check *c, int32_t count) {
  int32_t nq = c->figure->model->nq;
  c->count = count, c->usable = (1u << HIK_GROUP) - 1;
  for (int32_t k = 0; k < nq; k++)
    for (int32_t l = 0; l < HIK_GROUP; l++) {
      double *at = c->q + HIK_GROUP * (size_t)k;
      if (l >= count) at[l] = at[count - 1];
      if (!(fabs(at[l]) < FAR)) c->usable &= ~(1u << l);
    }
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

hik_touched hik_check_touch(hik_check *c, const hik_growth *growth, bool stop) {
  return kernels()->touch(c, growth, stop);
}

void hik_check_least(hik_check *c, double cutoff, hik_least *out) {
  kernels()->least(c, cutoff, out);
  for (int32_t l = 0; l < HIK_GROUP; l++)
    if (!(c->usable >> l & 1)) out->distance[l] = NAN, out->capsule[l] = out->other[l] = -1;
}

int32_t hik_check_near(hik_check *c, double cutoff, hik_near *out, int32_t most) {
  return kernels()->near(c, cutoff, out, most);
}

void hik_check_draws(hik_check *c, uint64_t seed, int64_t first, int64_t n, hik_near *room, int64_t *touched) {
  const hik_figure *f = c->figure;
  size_t nq = (size_t)f->model->nq;
  for (int64_t done = 0; done < n; done += HIK_GROUP) {
    int32_t count = n - done < HIK_GROUP ? (int32_t)(n - done) : HIK_GROUP;
    for (int32_t l = 0; l < count; l++) {
      double *q = c->draw;
      hik_random_q(f->model, seed, (uint64_t)(first + done + l), q);
      for (size_t k = 0; k < nq; k++) c->q[HIK_GROUP * k + (size_t)l] = q[k];
    }
    settle(c, count);
    int32_t found = hik_check_near(c, 1e-6, room, f->n_pair), k = 0;
    for (int32_t i = 0; i < found; i++) {
      if (room[i].other < c->world->n) continue;
      /* in the order of the pairs */
      while (f->pair[2 * k] != room[i].capsule || f->pair[2 * k + 1] != room[i].other - c->world->n) k++;
      for (int32_t l = 0; l < count; l++) touched[k] += room[i].distance[l] < 1e-6;
    }
  }
}

void hik_check_row(const hik_check *c, const hik_near *near, double *row) { kernels()->row(c, near, row); }
