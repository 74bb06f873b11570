/* Corners rounded by proved curves: points of the curves touch nothing and keep to limits, and what has room is as wide as is
   wished for. */
#include "plan/smooth.h"
#include "route_figures.h"

enum { MOST = 100 };

typedef struct tally {
  int32_t corners, whole, narrower, sharp, moved, ended;
} tally;

/* One of the widths that corners are tried with, or less where a neighbor leaves no more. */
static bool tried(double share) {
  for (int k = 0; k < 11; k++) /* by quarters, then by halves */
    if (fabs(share - pow(0.75, k < 4 ? k : 4) * pow(0.5, k < 4 ? 0 : k - 4)) < 1e-9) return true;
  return share == 0;
}

/* Whether every point of the curve is free and inside: by places of the curve, not by its proof. */
static int32_t bad_places(const staged *s, const hik_route *r, const double *at, double *half,
                          double *vertex) {
  size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
  double ways[MOST * FIGURE_NQ], move[FIGURE_NQ], room[FIGURE_NQ], q[FIGURE_NQ];
  int32_t bad = 0;
  for (int32_t i = 0; i + 1 < r->count; i++)
    hik_difference(s->model, 1, vertex + (size_t)i * nq, vertex + (size_t)(i + 1) * nq,
                   ways + (size_t)i * nv);
  hik_smooth c = {r->count, at, half, vertex, ways};
  for (int32_t i = 0; i + 1 < r->count; i++)
    for (int k = 0; k <= 200; k++) {
      hik_smooth_place(s->model, &c, i, at[i] + (at[i + 1] - at[i]) * k / 200, move, room, q);
      hik_check_place(s->check, q, 1);
      bad += !(hik_check_touch(s->check, NULL, false).free & 1) || !hik_inside(s->model, q, 1e-4);
    }
  return bad;
}

/* By how much of what its rounding leads inward vertex i was moved outward; NAN: it was moved in another way. */
static double moved_by(const staged *s, const hik_route *r, const double *at, const double *half,
                       const double *vertex, int32_t i) {
  size_t nq = (size_t)s->model->nq;
  double off[FIGURE_NQ], one[FIGURE_NQ], two[FIGURE_NQ], share = 0, all = 0, rest = 0;
  const double *q = r->q + (size_t)i * nq;
  hik_difference(s->model, 1, q, vertex + (size_t)i * nq, off);
  hik_difference(s->model, 1, q - nq, q, one), hik_difference(s->model, 1, q, q + nq, two);
  for (int32_t k = 0; k < s->model->nv; k++) {
    double bend = two[k] / (at[i + 1] - at[i]) - one[k] / (at[i] - at[i - 1]);
    one[k] = -bend * hik_smooth_ramp(0, half[i]), share += one[k] * off[k], all += one[k] * one[k];
  }
  share /= all;
  for (int32_t k = 0; k < s->model->nv; k++) rest = fmax(rest, fabs(off[k] - share * one[k]));
  return rest < 1e-9 ? share : NAN;
}

/* Whether corners all stay where the budget is spent at the first that is to change, and else are as they are with one. */
static int32_t ended_at_once(const staged *s, hik_edges *e, const hik_route *r, const double *at,
                             const double *wish, bool moves, const double *whole) {
  double half[MOST], vertex[MOST * FIGURE_NQ], most = 0;
  int64_t budget = e->budget;
  size_t size = (size_t)r->count * sizeof *half;
  memcpy(half, wish, size);
  e->budget = 0;
  CHECK(hik_blends(e, s->figure, r, at, moves, half, vertex));
  e->budget = budget;
  if (memcmp(half, whole, size) == 0) return 0;
  for (int32_t i = 0; i < r->count; i++) most = fmax(most, half[i]);
  CHECK(most == 0 && memcmp(vertex, r->q, (size_t)(r->count * s->model->nq) * sizeof *vertex) == 0);
  return 1;
}

/* Rounds the corners of paths; wishes are `wide` of half the shorter edge's time. */
static tally round_corners(const hik_shape *shape, int32_t n_shape, int32_t runs, double wide, bool moves) {
  staged s;
  tally out = {0};
  double start[FIGURE_NQ], goal[FIGURE_NQ], at[MOST], half[MOST], wish[MOST], vertex[MOST * FIGURE_NQ],
      d[FIGURE_NQ];
  stage(&s, shape, n_shape);
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 20000);
  for (int32_t n = 0; n < runs; n++) {
    hik_route r = {NULL, 0, 0};
    free_posture(&s, 2 * (uint64_t)n, start), free_posture(&s, 2 * (uint64_t)n + 1, goal);
    e.groups = 0, e.ended = false;
    bool found =
        hik_connect(&e, start, goal, 1, (uint64_t)n, INFINITY, &r, NULL) == HIK_FOUND && r.count < MOST;
    for (int32_t i = 0; found && i < r.count; i++) {
      double size = 0;
      if (i > 0) hik_difference(s.model, 1, r.q + (size_t)(i - 1) * nq, r.q + (size_t)i * nq, d);
      for (int32_t k = 0; i > 0 && k < s.model->nv; k++) size += d[k] * d[k];
      at[i] = i > 0 ? at[i - 1] + sqrt(size) : 0;
    }
    for (int32_t i = 0; found && i < r.count; i++)
      half[i] = wish[i] =
          i > 0 && i + 1 < r.count ? 0.5 * wide * fmin(at[i] - at[i - 1], at[i + 1] - at[i]) : 0;
    e.groups = 0; /* of the search */
    if (found && hik_blends(&e, s.figure, &r, at, moves, half, vertex)) {
      CHECK(bad_places(&s, &r, at, half, vertex) == 0);
      for (int32_t i = 1; i + 1 < r.count; i++) {
        bool moved = memcmp(vertex + (size_t)i * nq, r.q + (size_t)i * nq, nq * sizeof *vertex) != 0;
        CHECK(half[i] >= 0 && half[i] <= wish[i] && (wide > 1 || tried(half[i] / wish[i])));
        CHECK(!moved || (moves && half[i] > 0));
        double share = moved ? moved_by(&s, &r, at, half, vertex, i) : 1;
        CHECK(fabs(share - 1) < 1e-6 || fabs(fabs(share - 1) - 0.5) < 1e-6);
        out.corners++, out.whole += half[i] == wish[i], out.sharp += half[i] == 0, out.moved += moved;
        out.narrower += half[i] > 0 && half[i] < wish[i];
      }
      out.ended += ended_at_once(&s, &e, &r, at, wish, moves, half);
    }
    hik_route_end(&r);
  }
  hik_release(e.room);
  unstage(&s);
  return out;
}

static void test_curves_touch_nothing(void) {
  hik_shape shapes[24];
  int32_t n = cluttered(shapes, 5);
  tally half = round_corners(shapes, n, CHECK_REPEATS(12, 4), 1, false);
  CHECK(half.corners > 10 && half.whole > 0 && half.narrower > 0 && half.moved == 0 && half.ended > 0);
  tally moved = round_corners(shapes, n, CHECK_REPEATS(12, 4), 1, true);
  CHECK(moved.corners == half.corners && moved.moved > 0 && moved.whole >= half.whole);
}

/* Wider than half of an edge: rounded parts overlap. */
static void test_overlapping_curves_touch_nothing(void) {
  hik_shape shapes[24];
  tally wide = round_corners(shapes, cluttered(shapes, 5), CHECK_REPEATS(12, 4), 3, true);
  CHECK(wide.corners > 10 && wide.narrower > 0 && wide.moved > 0);
}

/* A ball on two slides goes 10 m along x, beside a wall, a box or a plane, that is `gap` beyond it (0: none), and 10 m on, a little to the side: one corner, which may
   be rounded all the way. Half of how wide it is, in s; *looks: groups of pieces that were looked at. */
static double beside_a_wall(double gap, bool plane, int64_t *looks) {
  figure f;
  hik_model *m;
  hik_figure *body;
  hik_world *world;
  hik_error error;
  figure_start(&f);
  for (int32_t j = 0; j < 2; j++) {
    figure_joint(&f, j - 1, HIK_PRISMATIC);
    memcpy(f.axis + 3 * j, (double[3]){j == 0, j == 1, 0}, 3 * sizeof(double));
    figure_place(f.placement + 12 * j, 0, 0, 0, 0);
    figure_place(f.frame_placement + 12 * j, 0, 0, 0, 0);
    f.lower[j] = -99, f.upper[j] = 99;
  }
  const int32_t frame[1] = {1};
  const double ends[6] = {0}, radius[1] = {0.3}, at[3] = {0, 1, 2};
  double q[6] = {-10, 0, 0, 0, 10, 1e-4}, half[3] = {0, 1, 0}, vertex[6];
  hik_shape wall =
      shape_at(plane ? HIK_SHAPE_PLANE : HIK_SHAPE_BOX, 0, (plane ? -0.3 : -0.8) - gap, 0, 300, 1, 3);
  const double up[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}; /* z along y */
  if (plane) memcpy(wall.pose, up, sizeof up);
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  hik_figure_def def = {m, 1, 0, frame, ends, radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &body, &error) == HIK_OK);
  CHECK(hik_world_create(&wall, gap > 0, &world, &error) == HIK_OK);
  staged s = {.model = m, .figure = body, .world = world};
  s.check = hik_check_begin(hik_allocate(hik_check_size(body, world)), body, world);
  hik_edges e = edges_on(&s, 1000000);
  hik_route r = {q, 3, 0};
  CHECK(hik_blends(&e, body, &r, at, false, half, vertex));
  *looks = e.groups;
  hik_release(e.room);
  unstage(&s);
  return half[1];
}

/* Where nothing is near, a corner is proved in a few looks, and along a box too. Of a plane it is not asked whether motion leads to it,
   and pieces near it are cut to about 1/4000 of an edge, every one of them if need be, and no finer: that far from it a corner is
   still rounded, and not nearer. */
static void test_pieces_are_cut_as_far_as_it_takes(void) {
  int64_t looks, free;
  CHECK(beside_a_wall(0, false, &free) == 1);
  CHECK(free == 3);
  CHECK(beside_a_wall(10.0 / 200, false, &looks) == 1 && looks == free);
  CHECK(beside_a_wall(10.0 / 8000, false, &looks) == 1 && looks < 40);
  CHECK(beside_a_wall(10.0 / 1500, true, &looks) == 1 && looks > 100);
  CHECK(beside_a_wall(10.0 / 8000, true, &looks) == 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_curves_touch_nothing);
  RUN(test_overlapping_curves_touch_nothing);
  RUN(test_pieces_are_cut_as_far_as_it_takes);
  CHECK_END();
}
