/* figure.c: capsules on the links of a model, and how far their points may be from each joint above. */
#include "scene/inside.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "simd/kernels.h"

static size_t lay_out(hik_figure *f, void *memory) {
  hik_block block = {memory, 0, false};
  int64_t n = f->n_capsule, steps = f->model->n_step;
  HIK_TAKE(&block, hik_figure, 1);
  f->step = HIK_TAKE(&block, int32_t, n);
  f->order = HIK_TAKE(&block, int32_t, n);
  f->pair = HIK_TAKE(&block, int32_t, 2 * (int64_t)f->n_pair);
  f->ball = HIK_TAKE(&block, float, n);
  f->size = HIK_TAKE(&block, float, HIK_SIZES *(int64_t)n);
  f->reach = HIK_TAKE(&block, float, f->n_pair);
  HIK_TAKE_DOUBLES(&block, 6 * n, &f->axis);
  HIK_TAKE_DOUBLES(&block, n, &f->radius, &f->square, &f->inverse, &f->half);
  HIK_TAKE_DOUBLES(&block, f->n_pair, &f->apart, &f->give);
  HIK_TAKE_DOUBLES(&block, steps, &f->slope, &f->along);
  size_t levers, bits;
  bool fits =
      hik_mul((size_t)steps, (size_t)f->stride, &levers) && hik_mul((size_t)steps, (size_t)f->words, &bits);
  if (fits) HIK_TAKE_DOUBLES(&block, levers, &f->lever);
  if (fits) f->some = HIK_TAKE(&block, uint64_t, bits);
  return block.bad || !fits ? SIZE_MAX : block.size;
}

static hik_status check_pairs(const hik_figure_def *d, hik_error *error) {
  for (int32_t k = 0; k < d->n_pair; k++) {
    const int32_t *pair = d->pair + 2 * (size_t)k;
    if (pair[0] < 0 || pair[1] < 0 || pair[0] >= d->n_capsule || pair[1] >= d->n_capsule ||
        pair[0] == pair[1])
      return hik_fail(error, HIK_BAD_ARGUMENT, k, "pair %d is not of two capsules", (int)k);
    if (d->allowance && !(d->allowance[k] >= 0 && d->allowance[k] < 1e12))
      return hik_fail(error, HIK_BAD_ARGUMENT, k, "pair %d: its allowance is negative or not finite", (int)k);
  }
  return HIK_OK;
}

static hik_status check_def(const hik_figure_def *d, hik_error *error) {
  if (d->n_capsule < 0 || d->n_capsule > 100000 || d->n_pair < 0 || d->n_pair > 100000000)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a figure has at most 100000 capsules and 100000000 pairs");
  for (int32_t c = 0; c < d->n_capsule; c++) {
    if (d->frame[c] < 0 || d->frame[c] >= d->model->n_frame)
      return hik_fail(error, HIK_BAD_ARGUMENT, c, "capsule %d: its model has no frame %d", (int)c,
                      (int)d->frame[c]);
    bool good = hik_all_finite(d->ends + 6 * (size_t)c, 6) && d->radius[c] >= 0 && d->radius[c] < 1e12;
    for (int i = 0; good && i < 6; i++) good = fabs(d->ends[6 * (size_t)c + (size_t)i]) < 1e12;
    if (!good)
      return hik_fail(error, HIK_BAD_ARGUMENT, c, "capsule %d: its ends or radius are out of range", (int)c);
  }
  return check_pairs(d, error);
}

/* How far a slide may stand from its own zero, infinite where nothing limits it; and what the coordinate of a step grows by at
   most when its coordinate of v (a follower: its ball) moves by one. */
static void set_steps(hik_figure *f) {
  const hik_model *m = f->model;
  for (int32_t s = 0; s < m->n_step; s++) {
    const double *row = hik_step_follows(m, s);
    double range[2] = {m->step_limit[2 * (size_t)s], m->step_limit[2 * (size_t)s + 1]};
    f->slope[s] = m->step_kind[s] == HIK_BALL_STEP ? 1
                  : row                            ? hik_follow_steepest(row)
                                                   : fabs(m->step_line[2 * (size_t)s]);
    f->along[s] = m->step_kind[s] == HIK_SLIDE ? fmax(fabs(range[0]), fabs(range[1])) + HIK_SCENE_SLACK : 0;
  }
}

static void set_levers(hik_figure *f, int32_t c) {
  const hik_model *m = f->model;
  const double *axis = f->axis + 6 * (size_t)c;
  double end[3];
  hik_add3(axis, axis + 3, end);
  double far = fmax(hik_norm(axis), hik_norm(end)) + HIK_SCENE_SLACK;
  for (int32_t s = f->step[c]; s >= 0; s = m->step_parent[s]) {
    f->lever[(size_t)s * (size_t)f->stride + (size_t)c] = m->step_kind[s] == HIK_SLIDE ? 1 : far;
    far += hik_norm(m->step_placement + 12 * (size_t)s + 9) + f->along[s];
  }
}

/* Two axes are no nearer than their middles less both halves. */
static void set_apart(hik_figure *f, const hik_figure_def *d, int32_t k) {
  int32_t a = f->pair[2 * (size_t)k], b = f->pair[2 * (size_t)k + 1];
  f->give[k] = d->allowance ? d->allowance[k] : 0;
  f->apart[k] = f->radius[a] + f->radius[b] - f->give[k];
  f->reach[k] = (float)(fmax(f->half[a] + f->half[b] + f->apart[k], 0) * (1 + 1e-6));
}

/* Only what moves one of the two moves them apart. */
static void set_pair_levers(hik_figure *f, int32_t k) {
  for (int32_t s = 0; s < f->model->n_step; s++) {
    double *row = f->lever + (size_t)s * (size_t)f->stride;
    double a = row[f->pair[2 * (size_t)k]], b = row[f->pair[2 * (size_t)k + 1]];
    row[f->n_capsule + k] = (a > 0) == (b > 0) ? 0 : a + b;
  }
}

static void set_bits(hik_figure *f) {
  for (int32_t s = 0; s < f->model->n_step; s++) {
    const double *lever = f->lever + (size_t)s * (size_t)f->stride;
    uint64_t *some = f->some + (size_t)s * (size_t)f->words;
    for (int32_t k = 0; k < f->n_sum; k++)
      if (lever[k] > 0) some[k / (HIK_EIGHT * 64)] |= UINT64_C(1) << (k / HIK_EIGHT % 64);
  }
}

static void set_capsule(hik_figure *f, const hik_figure_def *d, int32_t c) {
  const hik_model *m = d->model;
  const hik_pose *place = hik_frame_place(m, d->frame[c]);
  const double *ends = d->ends + 6 * (size_t)c;
  double *axis = f->axis + 6 * (size_t)c, end[3];
  hik_pose_point(place, ends, axis);
  hik_pose_point(place, ends + 3, end);
  hik_sub3(end, axis, axis + 3);
  f->step[c] = m->frame_step[d->frame[c]];
  f->radius[c] = d->radius[c];
  f->square[c] = hik_dot(axis + 3, axis + 3);
  f->inverse[c] = f->square[c] > 1e-200 ? 1 / f->square[c] : 0;
  f->half[c] = 0.5 * sqrt(f->square[c]);
  float *size = f->size + HIK_SIZES * (size_t)c;
  size[0] = (float)f->radius[c], size[1] = (float)f->square[c], size[2] = hik_thin_inverse(f->square[c]);
  size[3] = 0;
  f->ball[c] = (float)((f->half[c] + f->radius[c]) * (1 + 1e-6));
}

static void set_extent(hik_figure *f) {
  double far = 0;
  for (int32_t c = 0; c < f->n_capsule; c++) {
    const double *axis = f->axis + 6 * (size_t)c;
    far = hik_most(far, hik_norm(axis) + hik_norm(axis + 3) + f->radius[c]);
  }
  for (int32_t s = 0; s < f->model->n_step; s++) {
    far += hik_norm(f->model->step_placement + 12 * (size_t)s + 9);
    if (f->along[s] < INFINITY) far += f->along[s];
  }
  f->extent = far;
}

typedef struct moved {
  double by;
  int32_t capsule;
} moved;

static int more_moved(const void *a, const void *b) {
  const moved *one = a, *two = b;
  return one->by != two->by ? (one->by < two->by) - (one->by > two->by) : one->capsule - two->capsule;
}

/* false: no memory */
static bool set_order(hik_figure *f) {
  moved *all = hik_allocate(((size_t)f->n_capsule + 1) * sizeof *all);
  for (int32_t c = 0; all && c < f->n_capsule; c++) {
    all[c].capsule = c;
    for (int32_t s = f->step[c]; s >= 0; s = f->model->step_parent[s]) {
      if (!(f->slope[s] > 0)) continue; /* it stands still, and its lever may be infinite */
      all[c].by += f->slope[s] * f->lever[(size_t)s * (size_t)f->stride + (size_t)c];
    }
  }
  if (all) qsort(all, (size_t)f->n_capsule, sizeof *all, more_moved);
  for (int32_t c = 0; all && c < f->n_capsule; c++) f->order[c] = all[c].capsule;
  hik_release(all);
  return all != NULL;
}

hik_status hik_figure_create(const hik_figure_def *def, hik_figure **out, hik_error *error) {
  hik_status status = check_def(def, error);
  if (status < 0) return status;
  hik_figure like = {.model = def->model, .n_capsule = def->n_capsule, .n_pair = def->n_pair};
  like.n_sum = like.n_capsule + like.n_pair;
  like.stride = (like.n_sum + HIK_EIGHT - 1) / HIK_EIGHT * HIK_EIGHT;
  like.words = (like.stride / HIK_EIGHT + 63) / 64;
  size_t size = lay_out(&like, NULL);
  hik_figure *f = size == SIZE_MAX ? NULL : hik_allocate(size);
  if (!f) return hik_fail_memory(error, size);
  *f = like;
  lay_out(f, f);
  if (def->n_pair) memcpy(f->pair, def->pair, 2 * sizeof *f->pair * (size_t)def->n_pair);
  set_steps(f);
  for (int32_t c = 0; c < f->n_capsule; c++) set_capsule(f, def, c), set_levers(f, c);
  for (int32_t k = 0; k < f->n_pair; k++) set_apart(f, def, k), set_pair_levers(f, k);
  if (!set_order(f)) {
    hik_figure_free(f);
    return hik_fail_memory(error, size);
  }
  set_bits(f);
  set_extent(f);
  *out = f;
  return HIK_OK;
}

void hik_figure_free(hik_figure *figure) { hik_release(figure); }
const hik_model *hik_figure_model(const hik_figure *figure) { return figure->model; }
int32_t hik_figure_capsules(const hik_figure *figure) { return figure->n_capsule; }
int32_t hik_figure_step(const hik_figure *figure, int32_t capsule) { return figure->step[capsule]; }
int32_t hik_figure_pairs(const hik_figure *figure) { return figure->n_pair; }
int32_t hik_figure_sums(const hik_figure *figure) { return figure->n_sum; }

void hik_motion_sums(const hik_figure *f, const double *v, double *sum) {
  const hik_model *m = f->model;
  void (*motions)(const double *, const uint64_t *, int32_t, double, double *) =
      hik_kernels_in_use()->scene->motions;
  memset(sum, 0, sizeof *sum * (size_t)f->n_sum);
  for (int32_t s = 0; s < m->n_step; s++) {
    const double *by = v + m->step_v[s];
    bool three = m->step_kind[s] == HIK_BALL_STEP || hik_step_follows(m, s);
    double motion = f->slope[s] * (three ? hik_norm(by) : fabs(*by));
    if (!(motion > 0)) continue; /* nothing moves by it, even where the lever is infinite */
    motions(f->lever + (size_t)s * (size_t)f->stride, f->some + (size_t)s * (size_t)f->words, f->n_sum,
            motion, sum);
  }
}
