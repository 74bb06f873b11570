/* Bounds of pairs in floats (scene/bounds.inc.c): they leave out nothing that counts and settle nothing wrongly, however the axes lie. */
#include "scene_figures.h"
#include "simd/kernels.h"

enum { MANY = 16, BARS = 5, THINGS = 60 };

/* A body that floats, with bars of several lengths, one of them a point; some pairs of them may overlap. */
typedef struct floating {
  hik_model *model;
  hik_figure *figure;
  hik_world *world;
  hik_check *check;
} floating;

static void begin(floating *s, const hik_shape *shape, double size) {
  static const int32_t pair[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 4}};
  const double give[4] = {0, 0.5 * size, 0.01 * size, 0};
  int32_t frame[BARS];
  double ends[BARS][6] = {{0}}, radius[BARS];
  figure f;
  hik_error error;
  figure_of_every_kind(&f);
  CHECK(hik_model_create(&f.def, &s->model, &error) == HIK_OK);
  hik_figure_def def = {s->model, BARS, 4, frame, ends[0], radius, pair[0], give};
  for (int c = 0; c < BARS; c++) {
    frame[c] = c, radius[c] = c == 2 ? 0 : 0.03 * c * size, ends[c][1] = 0.02 * c * size;
    for (int i = 0; i < 3; i++) ends[c][3 + i] = ends[c][i];
    ends[c][5] += (c == 1 ? 0 : 0.1 + 0.4 * c) * size;
  }
  CHECK(hik_figure_create(&def, &s->figure, &error) == HIK_OK);
  CHECK(hik_world_create(shape, THINGS, &s->world, &error) == HIK_OK);
  s->check = hik_check_begin(hik_allocate(hik_check_size(s->figure, s->world)), s->figure, s->world);
}

static void end(floating *s) {
  hik_release(s->check);
  hik_world_free(s->world);
  hik_figure_free(s->figure);
  hik_model_free(s->model);
}

/* Things about a bar of the figure as it stands in one posture: along it or across, nearly so, touching its surface but for a
   little, or all over; size: of the things, far: of the place from the origin. */
static void about(hik_shape *out, const double *pose, double size, hik_rng *rng) {
  static const double off[6] = {0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3};
  static const int32_t kind[3] = {HIK_SHAPE_SPHERE, HIK_SHAPE_CAPSULE, HIK_SHAPE_BOX};
  for (int k = 0; k < THINGS; k++) {
    double x[6], turn[9], small[4], step[3], way = off[k % 6] * size;
    for (int i = 0; i < 6; i++) x[i] = 2 * hik_rng_uniform(rng) - 1;
    hik_shape s =
        shape_at(kind[k % 3], 0, 0, 0, (k % 7 ? 0.3 : 1e-4) * size, (k % 5 ? 0.1 : 0) * size, 0.2 * size);
    memcpy(s.pose, pose, sizeof s.pose);
    const bool sheaf =
        k % 3 == 1 && k % 2; /* long, next to each other, at angles that floats can hardly tell from none */
    if (sheaf) s.size[0] = 2 * size, s.size[1] = 0.05 * size;
    if (sheaf) {
      const double little[3] = {8e-4 * x[0], 8e-4 * x[1], 0};
      hik_quat_exp(little, small);
      hik_quat_to_mat(small, turn);
      hik_mat_mul(pose, turn, s.pose);
    } else if (k % 4 == 3) {
      hik_rng_rotation(rng, small);
      hik_quat_to_mat(small, s.pose);
    } else {
      const double little[3] = {off[k / 2 % 6] * x[0], off[k / 3 % 6] * x[1], k % 4 == 2 ? HIK_PI / 2 : 0};
      hik_quat_exp(little, small);
      hik_quat_to_mat(small, turn);
      hik_mat_mul(pose, turn, s.pose);
    }
    for (int i = 0; i < 3; i++) step[i] = k % 3 ? x[3 + i] * size : (i == k % 2 ? 0.3 * size + way : 0);
    for (int i = 0; i < 3 && sheaf; i++) step[i] = ((i < 2 ? 2e-4 : 0.3) * x[3 + i] + (i ? 0 : 0.3)) * size;
    for (int i = 0; i < 3; i++)
      s.pose[9 + i] += pose[3 * i] * step[0] + pose[3 * i + 1] * step[1] + pose[3 * i + 2] * step[2];
    out[k] = s;
  }
}

/* A frame at the start of a bar, as it stands in the first lane, whose z is its axis; returns its length. */
static double along_bar(const hik_check *check, int32_t bar, double *pose) {
  const double *axis = check->axis + 6 * HIK_GROUP * bar;
  double length = 0, to[3] = {0, 0, 1};
  for (int i = 0; i < 3; i++) length += axis[HIK_GROUP * (3 + i)] * axis[HIK_GROUP * (3 + i)];
  for (int i = 0; i < 3; i++)
    to[i] = axis[HIK_GROUP * (3 + i)] / sqrt(length), pose[9 + i] = axis[HIK_GROUP * i];
  const double up = 1 / (1 + fabs(to[2])), sign = to[2] < 0 ? -1 : 1;
  const double turned[9] = {1 - to[0] * to[0] * up,
                            -sign * to[0] * to[1] * up,
                            to[0],
                            -to[0] * to[1] * up,
                            sign * (1 - to[1] * to[1] * up),
                            to[1],
                            -sign * to[0],
                            -to[1],
                            to[2]};
  memcpy(pose, turned, sizeof turned);
  return sqrt(length);
}

static int32_t settled, contacts;

/* All pairs, from `near` without a bound, against what bounds had a part in. */
static void compare(const floating *s, hik_near *near, int32_t most, double size, hik_rng *rng) {
  double sum[BARS + 4], least[MANY], wide[MANY];
  hik_growth growth = {.count = 1, .sum = {sum}};
  uint32_t hit = 0, near_bits = 0;
  int32_t count = hik_check_near(s->check, INFINITY, INFINITY, near, most);
  CHECK(count == BARS * THINGS + 4);
  for (int k = 0; k < BARS + 4; k++) sum[k] = size * hik_rng_uniform(rng);
  for (int l = 0; l < MANY; l++) growth.weight[0][l] = 0.3 * l / MANY, least[l] = wide[l] = 0.4 * size;
  for (int32_t k = 0; k < count; k++)
    for (int l = 0; l < MANY; l++) {
      const hik_near *n = near + k;
      int32_t at = n->capsule; /* a pair of bars: its place */
      for (int32_t p = 0; p < 4 && n->other >= THINGS; p++)
        if (s->figure->pair[2 * p] == n->capsule && s->figure->pair[2 * p + 1] == n->other - THINGS)
          at = BARS + p;
      double grown = growth.weight[0][l] > 0 ? growth.weight[0][l] * sum[at] : 0;
      least[l] = fmin(least[l], n->distance[l]);
      hit |= (uint32_t)(n->distance[l] <= 0) << l;
      near_bits |= (uint32_t)(n->distance[l] <= grown + s->check->slack) << l;
    }
  double found[HIK_GROUP];
  hik_check_distance(s->check, 0.4 * size, found);
  for (int l = 0; l < MANY; l++) CHECK(memcmp(found + l, least + l, sizeof *found) == 0);
  hik_touched t = hik_check_touch(s->check, NULL, false);
  CHECK(t.hit == hit && t.free == (uint32_t)(0xffff & ~hit));
  t = hik_check_touch(s->check, &growth, false);
  CHECK(t.hit == hit && t.free == (uint32_t)(0xffff & ~near_bits));
  settled += __builtin_popcount(near_bits & ~hit), contacts += __builtin_popcount(hit);
  int32_t within = 0;
  for (int32_t k = 0; k < count; k++) {
    bool in = false;
    for (int l = 0; l < MANY; l++) in = in || near[k].distance[l] < 0.05 * size;
    within += in;
  }
  CHECK(hik_check_near(s->check, 0.05 * size, 0.05 * size, near, 0) == within);
}

static void test_what_bounds_leave_out_is_farther(void) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  static const double sizes[5] = {1e-6, 1e-3, 0.3, 1, 1e3};
  enum { MOST = BARS * THINGS + 8 };
  hik_near *near = hik_allocate(sizeof *near * MOST);
  hik_shape shapes[THINGS];
  for (uint64_t seed = 0; seed < CHECK_REPEATS(60, 5); seed++) {
    double size = sizes[seed % 5], q[MANY][FIGURE_NQ], rows[MANY * FIGURE_NQ], pose[12];
    hik_rng rng = hik_rng_start(seed, 5);
    floating s;
    for (int k = 0; k < THINGS; k++) shapes[k] = shape_at(HIK_SHAPE_SPHERE, 0, 0, 0, 1, 0, 0);
    begin(&s, shapes, size);
    const int32_t nq = s.model->nq;
    hik_random_q(s.model, seed, 0, q[0]);
    for (int l = 0; l < MANY; l++) {
      hik_random_q(s.model, seed, (uint64_t)l, q[l]);
      for (int32_t i = 0; l < MANY / 2 && i < nq; i++) q[l][i] = q[0][i]; /* the half stand as the first */
      memcpy(rows + l * nq, q[l], sizeof(double) * (size_t)nq);
    }
    hik_check_place(s.check, rows, MANY);
    along_bar(s.check, seed % BARS == 1 ? 4 : (int32_t)(seed % BARS), pose);
    end(&s);
    about(shapes, pose, size, &rng);
    begin(&s, shapes, size);
    for (int k = 0; k < 3; k++) {
      if (!hik_simd_select(sets[k])) continue;
      hik_check_place(s.check, rows, MANY);
      hik_rng same = rng;
      compare(&s, near, MOST, size, &same);
    }
    end(&s);
  }
  hik_simd_select("auto");
  hik_release(near);
  CHECK(settled > CHECK_REPEATS(100, 5) && contacts > CHECK_REPEATS(300, 30));
}

/* Two axes that barely touch, or barely do not. In a plane, at an angle that floats hardly tell from none: by their products alone
   the ends that are farthest apart may be taken for the nearest, and only what the axes do beyond those tells that they touch. Or
   crossing, long and near each other: the products lose what is left. */
static void test_two_axes_that_barely_touch(void) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  enum { MOST = BARS * THINGS + 8 };
  hik_near *near = hik_allocate(sizeof *near * MOST);
  int32_t touching = 0;
  for (uint64_t seed = 0; seed < CHECK_REPEATS(600, 60); seed++) {
    hik_rng rng = hik_rng_start(seed, 6);
    const bool crossing = seed & 16;
    const int32_t bar = crossing ? 2 : 3 + (int32_t)(seed & 1);
    const double angle = (seed & 2 ? 1 : -1) * 4e-4 * hik_rng_uniform(&rng),
                 deep = 2e-5 * (seed & 4 ? 1 : -1);
    double q[FIGURE_NQ], pose[12], turn[9], small[4], round[9], step[3], y[3], z[3];
    hik_shape shape = shape_at(HIK_SHAPE_SPHERE, 0, 0, 0, 1, 0, 0), other[THINGS];
    for (int k = 0; k < THINGS; k++) other[k] = shape_at(HIK_SHAPE_SPHERE, 9, 0, 0.01 * k, 0.1, 0, 0);
    floating s;
    begin(&s, other, 1);
    hik_random_q(s.model, seed, 7, q);
    hik_check_place(s.check, q, 1);
    const double length = along_bar(s.check, bar, pose), radius = s.figure->radius[bar],
                 own = crossing   ? 1e-3
                       : seed & 8 ? 0.01
                                  : 1;
    end(&s);
    /* a plane through the axis, then the angle in it, or across; where they are nearest they are `deep` within each other */
    hik_mat_axis((double[3]){0, 0, 1}, cos(6.0 * (double)seed), sin(6.0 * (double)seed), turn);
    hik_mat_mul(pose, turn, round);
    hik_quat_exp((double[3]){crossing ? 0 : angle, crossing ? 3e3 * angle : 0, 0}, small);
    hik_quat_to_mat(small, turn);
    shape = shape_at(HIK_SHAPE_CAPSULE, 0, 0, 0, crossing ? 4 : length, own, 0);
    hik_mat_mul(round, turn, shape.pose);
    for (int i = 0; i < 3; i++) y[i] = round[3 * i + 1], z[i] = round[3 * i + 2];
    const double gap = radius + own - deep + (crossing ? 0 : 0.5 * length * fabs(sin(angle)));
    for (int i = 0; i < 3; i++) step[i] = 0.5 * length * z[i] + gap * y[i];
    for (int i = 0; i < 3; i++) shape.pose[9 + i] = pose[9 + i] + step[i];
    other[0] = shape;
    begin(&s, other, 1);
    for (int k = 0; k < 3; k++) {
      if (!hik_simd_select(sets[k])) continue;
      hik_check_place(s.check, q, 1);
      int32_t count = hik_check_near(s.check, INFINITY, INFINITY, near, MOST);
      double least = 50, found[HIK_GROUP];
      for (int32_t n = 0; n < count; n++) least = fmin(least, near[n].distance[0]);
      hik_check_distance(s.check, 50, found);
      CHECK(found[0] == least);
      CHECK((hik_check_touch(s.check, NULL, false).hit & 1) == (least <= 0));
      touching += least <= 0 && least > -1e-4;
    }
    end(&s);
  }
  hik_simd_select("auto");
  hik_release(near);
  CHECK(touching > CHECK_REPEATS(100, 10));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_what_bounds_leave_out_is_farther);
  RUN(test_two_axes_that_barely_touch);
  CHECK_END();
}
