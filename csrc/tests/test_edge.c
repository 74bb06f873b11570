/* What is proved free is free wherever it is looked at, and a witness is in contact. */
#include "access_figures.h"
#include "scene_figures.h"

static bool hits(staged *s, const double *q0, const double *v, double t) {
  hik_check_between(s->check, q0, v, &t, 1);
  return hik_check_touch(s->check, NULL, false).hit;
}

static bool any_hit(staged *s, const double *q0, const double *v, double until, int steps) {
  for (int k = 0; k <= steps; k++)
    if (hits(s, q0, v, until * k / steps)) return true;
  return false;
}

static void test_edges_and_marches(void) {
  hik_shape shapes[24];
  staged s;
  double q[2][FIGURE_NQ], v[FIGURE_NQ];
  int seen[3] = {0, 0, 0}, parts = 0, whole = 0;
  for (uint64_t k = 0; k < CHECK_REPEATS(1500, 150); k++) {
    if (k % 50 == 0) stage(&s, shapes, cluttered(shapes, 50 + k) - 6);
    if (k % 2) s.figure->n_pair = 0, s.figure->n_sum = s.figure->n_capsule;
    hik_random_q(s.model, 21, 2 * k, q[0]), hik_random_q(s.model, 21, 2 * k + 1, q[1]);
    hik_difference(s.model, 1, q[0], q[1], v);
    for (int32_t i = 0; i < s.model->nv; i++) v[i] *= k % 3 ? 0.05 : 0.3;
    hik_edge_proof found = hik_check_edge(s.check, q[0], v, 0.001);
    seen[found.edge]++;
    if (found.edge == HIK_EDGE_FREE) CHECK(!any_hit(&s, q[0], v, 1, 200));
    if (found.edge == HIK_EDGE_HIT) CHECK(hits(&s, q[0], v, found.witness));
    hik_march march = hik_check_march(s.check, q[0], v, 0.001, 2);
    CHECK(march.proved >= 0 && march.proved <= 1);
    if (march.proved > 0) CHECK(!any_hit(&s, q[0], v, march.proved, 200));
    whole += found.edge == HIK_EDGE_FREE && march.proved == 1;
    if (found.edge == HIK_EDGE_HIT) CHECK(march.proved < 1);
    parts += march.proved > 0 && march.proved < 1;
    if (k % 50 == 49) unstage(&s);
  }
  CHECK(seen[0] > 10 && seen[1] > 10 && parts > 5);
  CHECK(whole > 0.9 * seen[0]); /* its pieces lie otherwise, and it may stick where the proof does not */
}

/* A wall too thin to be met by the middles of the first pieces is not passed. */
static void test_a_thin_wall(void) {
  hik_shape wall = shape_at(HIK_SHAPE_BOX, 0.2, 0.013, 0, 0.5, 0, 1);
  staged s;
  hik_error error;
  figure_start(&s.f);
  figure_joint(&s.f, -1, HIK_PRISMATIC);
  s.f.axis[0] = s.f.axis[2] = 0, s.f.axis[1] = 1;
  int32_t frame = 0;
  double ends[6] = {0}, radius = 1e-4, q0 = -1, v = 2;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(&wall, 1, &s.world, &error) == HIK_OK);
  s.check = hik_check_begin(hik_allocate(hik_check_size(s.figure, s.world)), s.figure, s.world);
  CHECK(hik_check_edge(s.check, &q0, &v, 0.001).edge != HIK_EDGE_FREE);
  CHECK(hik_check_edge(s.check, &q0, &v, 1e-5).edge == HIK_EDGE_HIT);
  v = 0.99;
  CHECK(hik_check_edge(s.check, &q0, &v, 0.001).edge == HIK_EDGE_FREE);
  v = 2;
  hik_march march = hik_check_march(s.check, &q0, &v, 0.001, 2);
  CHECK_NEAR(march.proved, 1.0029 / 2, 0.002); /* the frame is 0.01 ahead of the joint */
  CHECK(march.proved < 1.0029 / 2);
  CHECK(hik_check_march(s.check, &q0, &v, 1e-6, 0.1).proved > 0.4);
  v = 3.5; /* past the limit, farther than the levers count with: not proved */
  CHECK(hik_check_march(s.check, &q0, &v, 0.001, 2).proved == 0);
  unstage(&s);
}

/* Pieces side by side, as proofs have them; anywhere, two at one place; the last at the end of the edge, as marches have them. */
static void pieces_of(uint64_t k, hik_rng *rng, double *t, double *half) {
  for (int l = 0; l < HIK_GROUP; l++) {
    t[l] = (l + 0.5) / HIK_GROUP, half[l] = 0.5 / HIK_GROUP;
    if (k % 3 == 1)
      half[l] = 0.5 * hik_rng_uniform(rng), t[l] = half[l] + (1 - 2 * half[l]) * hik_rng_uniform(rng);
    if (k % 3 == 1 && l == 3) t[l] = t[l - 1], half[l] = half[l - 1];
    if (k % 3 == 2 && l > 10) t[l] = 1, half[l] = 0;
  }
}

typedef struct told {
  int32_t all, less, unbounded;
} told;

/* Within a piece of an edge no end of an axis leaves its place by more than what is told of it. */
static void look_at_moves(staged *s, uint64_t repeats, told *out) {
  enum { LOOKS = 9 };
  static const double scale[4] = {0.02, 0.1, 0.5, 1};
  for (uint64_t k = 0; k < repeats; k++) {
    double q[2][FIGURE_NQ], v[FIGURE_NQ], t[HIK_GROUP], at[HIK_GROUP], place[PARTS][6][HIK_GROUP];
    hik_rng rng = hik_rng_start(k, 8);
    hik_random_q(s->model, 22, 2 * k, q[0]), hik_random_q(s->model, 22, 2 * k + 1, q[1]);
    hik_difference(s->model, 1, q[0], q[1], v);
    for (int32_t i = 0; i < s->model->nv; i++) v[i] *= scale[k % 4] * (k % 5 == 4 ? i % 2 : 1);
    hik_check_edge(s->check, q[0], v, 1); /* leaves the sums of the edge */
    hik_growth growth = {.count = 1, .sum = {s->check->sum}, .turn = s->check->turn, .t = t};
    const double *half = growth.weight[0];
    pieces_of(k, &rng, t, growth.weight[0]);
    hik_check_between(s->check, q[0], v, t, HIK_GROUP);
    hik_check_touch(s->check, &growth, false);
    memcpy(place, s->check->axis, sizeof(double) * 6 * HIK_GROUP * (size_t)s->figure->n_capsule);
    for (int look = 0; look < LOOKS; look++) {
      for (int l = 0; l < HIK_GROUP; l++) at[l] = t[l] + half[l] * (2.0 * look / (LOOKS - 1) - 1);
      hik_check_between(s->check, q[0], v, at, HIK_GROUP);
      for (int32_t c = 0; c < s->figure->n_capsule; c++)
        for (int l = 0; l < HIK_GROUP; l++) {
          const double *is = s->check->axis + 6 * HIK_GROUP * c;
          double by = s->check->moved[HIK_GROUP * c + l], bound = half[l] * s->check->sum[c], start = 0,
                 end = 0;
          for (int i = 0; i < 3; i++) {
            double p = is[HIK_GROUP * i + l] - place[c][i][l],
                   u = is[HIK_GROUP * (3 + i) + l] - place[c][3 + i][l];
            start += p * p, end += (p + u) * (p + u);
          }
          CHECK(!(sqrt(fmax(start, end)) > by) && sqrt(fmax(start, end)) <= bound + 1e-9);
          out->all += bound > 0, out->less += by < 0.7 * bound,
              out->unbounded += bound > 0 && by > 1e20 && by < INFINITY;
        }
    }
  }
}

/* A bar of 0.1 m on each of the first frames of a model, none compared with another. */
static void with_bars(staged *s, int32_t n, const hik_shape *shape) {
  int32_t frame[PARTS];
  double ends[PARTS][6] = {{0}}, radius[PARTS];
  hik_error error;
  for (int32_t c = 0; c < n; c++) frame[c] = c, radius[c] = 0.01, ends[c][3] = 0.1;
  const hik_figure_def def = {s->model, n, 0, frame, ends[0], radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s->figure, &error) == HIK_OK);
  CHECK(hik_world_create(shape, 1, &s->world, &error) == HIK_OK);
  s->check = hik_check_begin(hik_allocate(hik_check_size(s->figure, s->world)), s->figure, s->world);
}

static void test_no_axis_moves_farther_than_told(void) {
  hik_shape shape = shape_at(HIK_SHAPE_PLANE, 0, 0, -50, 0, 0, 0);
  told every = {0}, ball = {0}, follows = {0};
  staged s;
  stage(&s, &shape, 1);
  look_at_moves(&s, CHECK_REPEATS(300, 60), &every);
  CHECK(every.less > 0.2 * every.all && every.unbounded == 0);
  unstage(&s);
  figure_start(&s.f);
  figure_joint(&s.f, -1, HIK_BALL);
  hik_error error;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  with_bars(&s, 1, &shape);
  look_at_moves(&s, CHECK_REPEATS(100, 20), &ball);
  CHECK(ball.less > 0 && ball.unbounded == 0);
  unstage(&s);
  access_figure arm;
  s.model = access_arm(&arm);
  with_bars(&s, ACCESS_JOINTS, &shape);
  look_at_moves(&s, CHECK_REPEATS(100, 20), &follows);
  CHECK(follows.unbounded > 0.5 * follows.all && follows.unbounded < follows.all);
  unstage(&s);
}

/* What moves little is cut in 8 pieces at first, else in 16, and what moves much in more: of an edge that touches all along, the
   first piece's middle is the witness. */
static void test_how_many_pieces_are_first(void) {
  static const struct {
    double moves, pieces;
  } said[] = {{0.3, 8}, {0.59, 8}, {0.61, 16}, {3.8, 16}, {3.88, 32}, {7.6, 32}, {7.8, 64}};
  hik_shape ball = shape_at(HIK_SHAPE_SPHERE, 0, 0, 0, 5, 0, 0);
  staged s;
  hik_error error;
  figure_start(&s.f);
  figure_joint(&s.f, -1, HIK_REVOLUTE);
  int32_t frame = 0;
  const double ends[6] = {0.5, 0, 0, 0.5, 0, 0}, radius = 0.1, q0 = 0;
  CHECK(hik_model_create(&s.f.def, &s.model, &error) == HIK_OK);
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(&ball, 1, &s.world, &error) == HIK_OK);
  s.check = hik_check_begin(hik_allocate(hik_check_size(s.figure, s.world)), s.figure, s.world);
  const double lever = s.figure->lever[0];
  for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
    const double v = said[k].moves / lever;
    hik_edge_proof found = hik_check_edge(s.check, &q0, &v, 1e-3);
    CHECK(found.edge == HIK_EDGE_HIT);
    CHECK_NEAR(found.witness, 0.5 / said[k].pieces, 1e-12);
  }
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_axis_moves_farther_than_told);
  RUN(test_how_many_pieces_are_first);
  RUN(test_edges_and_marches);
  RUN(test_a_thin_wall);
  CHECK_END();
}
