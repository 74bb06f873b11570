/* world.c: obstacles compiled to numbers that are broadcast, with boxes and balls that hold them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/vec.h"
#include "scene/grid.h"
#include "scene/inside.h"

/* Cells of an axis: fewer where the rows of bits would be too large. */
enum { MOST_CELLS = 128, FEWEST_CELLS = 4, MOST_ROWS = 1 << 22 };

static double at(const double *pose, const double x[3], int i) {
  return pose[3 * i] * x[0] + pose[3 * i + 1] * x[1] + pose[3 * i + 2] * x[2] + pose[9 + i];
}

static hik_status check_prism(const hik_shape *s, int32_t k, hik_error *error) {
  if (s->corners < 3 || s->corners > 65536 || !s->corner)
    return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: a prism has 3 to 65536 corners", (int)k);
  if (!hik_all_finite(s->corner, 2 * (int64_t)s->corners))
    return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: a corner is not finite", (int)k);
  double turned = 0;
  for (int32_t i = 0; i < s->corners; i++) {
    const double *a = s->corner + 2 * i, *b = s->corner + 2 * ((i + 1) % s->corners),
                 *c = s->corner + 2 * ((i + 2) % s->corners);
    double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - b[0], c[1] - b[1]},
           cross = u[0] * v[1] - u[1] * v[0];
    double size = sqrt((u[0] * u[0] + u[1] * u[1]) * (v[0] * v[0] + v[1] * v[1]));
    if (!(size > 0)) return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: two corners are one", (int)k);
    if (cross < -1e-9 * size)
      return hik_fail(error, HIK_BAD_ARGUMENT, k,
                      "obstacle %d: the polygon is not convex and counterclockwise", (int)k);
    turned += hik_atan2(cross, u[0] * v[0] + u[1] * v[1]);
  }
  if (turned > 3 * HIK_PI) /* a convex polygon turns once */
    return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: the polygon goes round more than once", (int)k);
  return HIK_OK;
}

static hik_status check_shape(const hik_shape *s, int32_t k, hik_error *error) {
  if (s->kind < 0 || s->kind >= HIK_SHAPE_KINDS || (s->kind == HIK_SHAPE_GRID && !s->grid))
    return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: no kind of obstacle has the number %d", (int)k,
                    (int)s->kind);
  if (!hik_all_finite(s->pose, 12) || !(hik_mat_off(s->pose) <= 1e-6))
    return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: its pose is none", (int)k);
  for (int i = 0; i < 3; i++)
    if (!(s->size[i] >= 0 && s->size[i] < 1e12))
      return hik_fail(error, HIK_BAD_ARGUMENT, k, "obstacle %d: a size is negative or not finite", (int)k);
  return s->kind == HIK_SHAPE_PRISM ? check_prism(s, k, error) : HIK_OK;
}

/* A rotation that is off by more than rounding is made orthonormal: else a shape would be another in its own frame than in the
   world, where its bounds are. */
static void set_rigid(hik_shape *s) {
  if (!(hik_mat_off(s->pose) > 1e-13)) return;
  double q[4];
  hik_quat_from_mat(s->pose, q);
  hik_quat_to_mat(q, s->pose);
}

static size_t lay_out(hik_world *w, void *memory, int64_t corners) {
  hik_block block = {memory, 0, false};
  HIK_TAKE(&block, hik_world, 1);
  w->kind = HIK_TAKE(&block, int32_t, w->n);
  w->first = HIK_TAKE(&block, int32_t, w->n);
  w->corners = HIK_TAKE(&block, int32_t, w->n);
  w->grid = HIK_TAKE(&block, const hik_grid *, w->n);
  HIK_TAKE_DOUBLES(&block, HIK_OBSTACLE * (int64_t)w->n, &w->row);
  w->thin_row = HIK_TAKE(&block, float, HIK_OBSTACLE *(int64_t)w->n);
  w->ball = HIK_TAKE(&block, float, 4 * (int64_t)w->n);
  w->box = HIK_TAKE(&block, float, 6 * (int64_t)w->n);
  w->bits = HIK_TAKE(&block, uint64_t, 6 * (int64_t)w->cells * w->words);
  HIK_TAKE_DOUBLES(&block, HIK_CORNER * corners, &w->corner);
  return block.bad ? SIZE_MAX : block.size;
}

/* A box, in the frame of the pose, that holds the shape: middle and half sizes; false: nothing does. */
static bool hold(const hik_shape *s, double middle[3], double half[3]) {
  for (int i = 0; i < 3; i++) middle[i] = 0;
  switch (s->kind) {
  case HIK_SHAPE_SPHERE: half[0] = half[1] = half[2] = s->size[0]; return true;
  case HIK_SHAPE_CAPSULE: half[0] = half[1] = s->size[1], half[2] = s->size[1] + s->size[0] / 2; return true;
  case HIK_SHAPE_BOX:
    for (int i = 0; i < 3; i++) half[i] = s->size[i] / 2;
    return true;
  case HIK_SHAPE_PLANE: return false;
  case HIK_SHAPE_GRID:
    /* its bound may be that much less than the truth: see grid.h */
    for (int i = 0; i < 3; i++) {
      middle[i] = 0.5 * (s->grid->bounds[0][i] + s->grid->bounds[1][i]);
      half[i] = 0.5 * (s->grid->bounds[1][i] - s->grid->bounds[0][i]) + 5 * s->grid->cell;
    }
    return true;
  default:
    for (int i = 0; i < 2; i++) {
      double low = INFINITY, high = -INFINITY;
      for (int32_t k = 0; k < s->corners; k++) {
        low = fmin(low, s->corner[2 * k + i]), high = fmax(high, s->corner[2 * k + i]);
      }
      middle[i] = (low + high) / 2, half[i] = (high - low) / 2;
    }
    middle[2] = half[2] = s->size[0] / 2;
    return true;
  }
}

static void set_bounds(hik_world *w, int32_t k, const hik_shape *s, double *bound) {
  double middle[3], half[3], ball[4];
  bool held = hold(s, middle, half);
  for (int i = 0; i < 3; i++) {
    double center = held ? at(s->pose, middle, i) : 0, reach = INFINITY;
    if (held) {
      reach = 0;
      for (int j = 0; j < 3; j++) reach += fabs(s->pose[3 * i + j]) * half[j];
      reach += HIK_SCENE_SLACK;
    }
    ball[i] = center;
    bound[6 * (size_t)k + (size_t)i] = center - reach, bound[6 * (size_t)k + 3 + (size_t)i] = center + reach;
  }
  for (size_t i = 6 * (size_t)k; i < 6 * ((size_t)k + 1); i++) w->box[i] = (float)bound[i];
  w->extent = hik_most(w->extent, fabs(ball[0]) + fabs(ball[1]) + fabs(ball[2]));
  for (int i = 0; i < 3; i++) w->extent = hik_most(w->extent, held ? half[i] : fabs(s->pose[9 + i]));
  ball[3] = !held ? INFINITY
            : s->kind == HIK_SHAPE_SPHERE || s->kind == HIK_SHAPE_CAPSULE
                ? fmax(half[2], half[0])
                : sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
  ball[3] *= 1 + 1e-6;
  for (int i = 0; i < 4; i++) w->ball[4 * (size_t)k + (size_t)i] = (float)ball[i];
}

static void set_corners(hik_world *w, int32_t first, const hik_shape *s) {
  for (int32_t i = 0; i < s->corners; i++) {
    const double *a = s->corner + 2 * i, *b = s->corner + 2 * ((i + 1) % s->corners);
    double *out = w->corner + HIK_CORNER * ((size_t)first + (size_t)i), x = b[0] - a[0], y = b[1] - a[1];
    double square = x * x + y * y, length = sqrt(square);
    out[0] = a[0], out[1] = a[1], out[2] = y / length, out[3] = -x / length;
    out[4] = x, out[5] = y, out[6] = 1 / square, out[7] = 0;
  }
}

static void set_row(hik_world *w, int32_t k, const hik_shape *s) {
  double *row = w->row + HIK_OBSTACLE * (size_t)k;
  const double *pose = s->pose;
  if (s->kind == HIK_SHAPE_SPHERE) {
    memcpy(row, pose + 9, 3 * sizeof *row);
    row[3] = s->size[0];
  } else if (s->kind == HIK_SHAPE_CAPSULE) {
    double square = s->size[0] * s->size[0];
    for (int i = 0; i < 3; i++) {
      row[3 + i] = pose[3 * i + 2] * s->size[0];
      row[i] = pose[9 + i] - row[3 + i] / 2;
    }
    row[6] = s->size[1], row[7] = square, row[8] = square > 1e-200 ? 1 / square : 0;
  } else if (s->kind == HIK_SHAPE_PLANE) {
    for (int i = 0; i < 3; i++) row[i] = pose[3 * i + 2];
    row[3] = hik_dot(row, pose + 9);
  } else {
    memcpy(row, pose, 12 * sizeof *row);
    w->grid[k] = s->grid;
    if (s->kind == HIK_SHAPE_BOX)
      for (int i = 0; i < 3; i++) row[12 + i] = s->size[i] / 2;
    else if (s->kind == HIK_SHAPE_PRISM)
      for (int i = 0; i < 3; i++) row[9 + i] += pose[3 * i + 2] * s->size[0] / 2, row[12] = s->size[0] / 2;
  }
}

/* What bounds.inc.c reads, of the kinds that it knows. */
static void set_thin_row(hik_world *w, int32_t k, const hik_shape *s) {
  const double *row = w->row + HIK_OBSTACLE * (size_t)k;
  double wide[HIK_OBSTACLE] = {0};
  memcpy(wide, s->pose, sizeof s->pose);
  if (s->kind == HIK_SHAPE_SPHERE) {
    wide[15] = s->size[0];
  } else if (s->kind == HIK_SHAPE_CAPSULE) {
    memcpy(wide, row, 9 * sizeof *row);
    wide[6] = row[7], wide[7] = hik_thin_inverse(row[7]), wide[15] = s->size[1];
  } else if (s->kind == HIK_SHAPE_BOX) {
    memcpy(wide + 12, row + 12, 3 * sizeof *row);
  }
  for (int i = 0; i < HIK_OBSTACLE; i++) w->thin_row[HIK_OBSTACLE * (size_t)k + (size_t)i] = (float)wide[i];
}

/* Cells as in filter.inc.c: the same operations, so that what begins before a place has no later cell than it. */
static int32_t cell_of(const hik_world *w, int i, float x) {
  float at = (x - w->low[i]) * w->scale[i];
  return !(at > 0) ? 0 : at >= (float)(w->cells - 1) ? w->cells - 1 : (int32_t)at;
}

/* Rows of bits from the bounds [n][6]. */
static void set_bits(hik_world *w, const double *bound) {
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t k = 0; k < w->n; k++) {
      const double *b = bound + 6 * (size_t)k;
      if (b[i] > -INFINITY) low = fmin(low, b[i]), high = fmax(high, b[3 + i]);
    }
    w->low[i] = low < high ? (float)low : 0;
    w->scale[i] = low < high ? (float)(w->cells / (high - low)) : 1;
    uint64_t *begins = w->bits + (size_t)i * (size_t)w->cells * (size_t)w->words,
             *ends = begins + 3 * (size_t)w->cells * (size_t)w->words;
    for (int32_t k = 0; k < w->n; k++) {
      const double *b = bound + 6 * (size_t)k;
      size_t word = (size_t)k / 64, first = (size_t)cell_of(w, i, (float)b[i]),
             last = (size_t)cell_of(w, i, (float)b[3 + i]);
      uint64_t bit = (uint64_t)1 << k % 64;
      begins[first * (size_t)w->words + word] |= bit, ends[last * (size_t)w->words + word] |= bit;
    }
    size_t words = (size_t)w->words, all = (size_t)w->cells * words;
    for (size_t k = words; k < all; k++) begins[k] |= begins[k - words];
    for (size_t k = all - words; k-- > 0;) ends[k] |= ends[k + words];
  }
}

hik_status hik_world_create(const hik_shape *shape, int32_t n, hik_world **out, hik_error *error) {
  int64_t corners = 0;
  if (n < 0 || n > 10000000)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a world has at most 10000000 obstacles");
  for (int32_t k = 0; k < n; k++) {
    hik_status status = check_shape(shape + k, k, error);
    if (status < 0) return status;
    if (shape[k].kind == HIK_SHAPE_PRISM) corners += shape[k].corners;
  }
  if (corners > 100000000)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a world has at most 100000000 corners");
  hik_world like = {.n = n, .words = (n + 63) / 64};
  like.cells = (int32_t)hik_clip(MOST_ROWS / (6.0 * like.words + 1), FEWEST_CELLS, MOST_CELLS);
  size_t size = lay_out(&like, NULL, corners);
  hik_world *w = size == SIZE_MAX ? NULL : hik_allocate(size);
  double *bound = w ? hik_allocate(6 * sizeof *bound * ((size_t)n + 1)) : NULL;
  if (!bound) {
    hik_release(w);
    return hik_fail_memory(error, size);
  }
  *w = like;
  lay_out(w, w, corners);
  memset(w->bits, 0, 6 * sizeof *w->bits * (size_t)w->cells * (size_t)w->words);
  int32_t first = 0;
  for (int32_t k = 0; k < n; k++) {
    hik_shape one = shape[k];
    set_rigid(&one);
    w->kind[k] = one.kind, w->first[k] = first;
    set_row(w, k, &one);
    set_thin_row(w, k, &one);
    set_bounds(w, k, &one, bound);
    if (one.kind != HIK_SHAPE_PRISM) continue;
    set_corners(w, first, &one);
    w->corners[k] = one.corners, first += one.corners;
  }
  set_bits(w, bound);
  hik_release(bound);
  *out = w;
  return HIK_OK;
}

void hik_world_free(hik_world *world) { hik_release(world); }

int32_t hik_world_count(const hik_world *world) { return world->n; }
