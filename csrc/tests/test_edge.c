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
  double most; /* of what an axis is off its line, over what is told of that */
} told;

/* At `part` of a piece, -1 to 1, an axis whose places were `place` is off the line to where lanes beside are by no more than told. */
static void keep_to_line(const staged *s, const hik_beside *by, const double (*place)[HIK_GROUP], int32_t c,
                         int l, double part, told *out) {
  const double *is = s->check->axis + 6 * HIK_GROUP * c, bent = s->check->bent[HIK_GROUP * c + l];
  const int k = part < 0, next = l + 1 < HIK_GROUP ? l + 1 : l, last = l > 0 ? l - 1 : l;
  double off[2] = {0, 0};
  for (int i = 0; i < 3; i++) {
    double gone[2] = {0, 0};
    for (int e = 0; e < 2; e++) {
      const double *own = place[3 * e + i], one = own[l];
      gone[e] = is[HIK_GROUP * (3 * e + i) + l] - one -
                fabs(part) * (by->next[k][l] * (own[next] - one) + by->last[k][l] * (own[last] - one));
    }
    off[0] += gone[0] * gone[0], off[1] += (gone[0] + gone[1]) * (gone[0] + gone[1]);
  }
  const double far = sqrt(fmax(off[0], off[1]));
  CHECK(!(far > bent));
  if (far > 1e-4 && far / bent > out->most) out->most = far / bent;
}

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
    hik_beside beside;
    hik_growth growth = {.count = 1, .sum = {s->check->sum}, .turn = {s->check->turn}, .beside = &beside};
    const double *half = growth.weight[0];
    pieces_of(k, &rng, t, growth.weight[0]);
    if (k % 2)
      hik_beside_of(t, half, &beside);
    else
      hik_beside_partner(t, half, &beside);
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
          if (k % 2) keep_to_line(s, &beside, place[c], c, l, 2.0 * look / (LOOKS - 1) - 1, out);
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
  CHECK(every.less > 0.2 * every.all && every.unbounded == 0 && every.most > CHECK_REPEATS(0.85, 0.3));
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

/* An edge as a curve that is gone through steadily. */
static void as_curve(const double *t, const double *half, hik_beside *beside, hik_curving *steady) {
  memset(steady, 0, sizeof *steady);
  for (int l = 0; l < HIK_GROUP; l++) steady->rate[0][l] = 1;
  hik_beside_of(t, half, beside);
}

static void another_world(staged *s, const hik_shape *shape) {
  hik_error error;
  hik_world_free(s->world), hik_release(s->check);
  CHECK(hik_world_create(shape, 1, &s->world, &error) == HIK_OK);
  s->check = hik_check_begin(hik_allocate(hik_check_size(s->figure, s->world)), s->figure, s->world);
}

/* A ball, a bar or a box that touches capsule c in lane l by `deep`, at a random place of its axis: most often at its side and
   across its motion, where it does so for a moment alone. */
static hik_shape in_the_way(const staged *s, const double *q0, const double *v, double t, int32_t c,
                            double deep, hik_rng *rng) {
  const double share = hik_rng_uniform(rng), times[2] = {t, t + 1e-6};
  double x[2][3], u[3], way[3], n[3], side[3], up[3];
  hik_check_between(s->check, q0, v, times, 2);
  const double *axis = s->check->axis + 6 * HIK_GROUP * c;
  for (int l = 0; l < 2; l++)
    for (int i = 0; i < 3; i++) x[l][i] = axis[HIK_GROUP * i + l] + share * axis[HIK_GROUP * (3 + i) + l];
  for (int i = 0; i < 3; i++) u[i] = axis[HIK_GROUP * (3 + i)], way[i] = x[1][i] - x[0][i];
  hik_cross(u, way, n);
  if (hik_rng_uniform(rng) < 0.3 || !(hik_norm(n) > 0))
    for (int i = 0; i < 3; i++) n[i] = hik_rng_uniform(rng) - 0.5;
  hik_unit(n, n);
  hik_perpendicular(n, side), hik_cross(n, side, up);
  hik_shape out = shape_at((int32_t)(hik_rng_next(rng) % 3), 0, 0, 0, 0, 0, 0);
  double half = 0.02 + 0.2 * hik_rng_uniform(rng);
  out.size[0] = half;
  if (out.kind == HIK_SHAPE_CAPSULE) out.size[0] = 0.5 * hik_rng_uniform(rng), out.size[1] = half;
  if (out.kind == HIK_SHAPE_BOX) out.size[0] = 2 * half, out.size[1] = out.size[2] = 0.5;
  for (int i = 0; i < 3; i++)
    out.pose[3 * i] = n[i], out.pose[3 * i + 1] = side[i], out.pose[3 * i + 2] = up[i];
  for (int i = 0; i < 3; i++) out.pose[9 + i] = x[0][i] + n[i] * (s->figure->radius[c] + half - deep);
  return out;
}

/* One pair alone is compared, and touches at t by `deep`; false: its axes do already. */
static bool pair_in_the_way(const staged *s, const double *q0, const double *v, double t, int32_t pair,
                            double deep) {
  double apart[HIK_GROUP];
  for (int32_t k = 0; k < s->figure->n_pair; k++) s->figure->apart[k] = -10;
  s->figure->apart[pair] = 0, s->figure->reach[pair] = 10;
  hik_check_between(s->check, q0, v, &t, 1);
  hik_check_distance(s->check, 10, apart);
  s->figure->apart[pair] = apart[0] + deep;
  return apart[0] > 0;
}

/* What a capsule meets within a piece is not passed by, an obstacle or another capsule, however little it is in the way. */
static void test_what_is_in_the_way_of_a_piece_is_not_free(void) {
  hik_shape shape = shape_at(HIK_SHAPE_SPHERE, 0, 0, 50, 1, 0, 0);
  staged s;
  int32_t asked = 0;
  stage(&s, &shape, 1);
  const int32_t pairs = s.figure->n_pair;
  for (uint64_t k = 0; k < CHECK_REPEATS(20000, 1000); k++) {
    double q[2][FIGURE_NQ], v[FIGURE_NQ], t[HIK_GROUP];
    hik_rng rng = hik_rng_start(k, 31);
    hik_beside beside;
    hik_curving steady;
    hik_random_q(s.model, 23, 2 * k, q[0]), hik_random_q(s.model, 23, 2 * k + 1, q[1]);
    hik_difference(s.model, 1, q[0], q[1], v);
    for (int32_t i = 0; i < s.model->nv; i++) v[i] *= k % 4 ? 0.5 : 1;
    hik_growth growth = {.count = 1};
    pieces_of(k, &rng, t, growth.weight[0]);
    int l = (int)(hik_rng_next(&rng) % HIK_GROUP);
    int32_t c = (int32_t)(hik_rng_next(&rng) % (uint64_t)s.figure->n_capsule);
    const double at = t[l] + growth.weight[0][l] * (2 * hik_rng_uniform(&rng) - 1),
                 deep = s.figure->radius[c] * pow(10, -4 * hik_rng_uniform(&rng));
    const bool two = k / 3 % 2;
    s.figure->n_pair = two ? pairs : 0;
    if (two && !pair_in_the_way(&s, q[0], v, at, (int32_t)(hik_rng_next(&rng) % (uint64_t)pairs), deep))
      continue;
    shape = two ? shape_at(HIK_SHAPE_SPHERE, 0, 0, 50, 1, 0, 0) : in_the_way(&s, q[0], v, at, c, deep, &rng);
    another_world(&s, &shape);
    if (!hits(&s, q[0], v, at)) continue; /* that close, rounding has the last word */
    hik_motion_sums(s.figure, v, s.check->sum);
    hik_check_turns(s.check, v, s.check->turn);
    growth.sum[0] = s.check->sum, growth.turn[0] = s.check->turn, growth.beside = &beside,
    growth.curve = &steady;
    as_curve(t, growth.weight[0], &beside, &steady);
    hik_check_between(s.check, q[0], v, t, HIK_GROUP);
    CHECK(!(hik_check_touch(s.check, &growth, false).free >> l & 1));
    asked++;
  }
  CHECK(asked > CHECK_REPEATS(14000, 700));
  unstage(&s);
}

/* Where a posture is no number, those beside are free by what bounds motion alone. */
static void lost_beside(const staged *s, const hik_growth *growth, const double *q0, const double *v,
                        const double *t) {
  double rows[HIK_GROUP * FIGURE_NQ];
  hik_growth bounded = *growth;
  const size_t nq = (size_t)s->model->nq;
  hik_check_between(s->check, q0, v, t, HIK_GROUP);
  for (size_t i = 0; i < HIK_GROUP * nq; i++)
    rows[i] = i / nq == 5 ? NAN : s->check->q[HIK_GROUP * (i % nq) + i / nq];
  bounded.turn[0] = NULL, bounded.curve = NULL;
  hik_check_place(s->check, rows, HIK_GROUP);
  CHECK(hik_check_touch(s->check, growth, false).free == hik_check_touch(s->check, &bounded, false).free);
}

/* Whatever is free stays free in all of its piece, and of what is not by how far capsules move much is by where they move to. */
static void test_pieces_that_stay_apart(void) {
  enum { LOOKS = 33 };
  hik_shape shapes[24];
  int32_t more = 0, pairs = 0, all = 0;
  staged s;
  for (uint64_t k = 0; k < CHECK_REPEATS(600, 100); k++) {
    double q[2][FIGURE_NQ], v[FIGURE_NQ], t[HIK_GROUP], at[HIK_GROUP];
    hik_rng rng = hik_rng_start(k, 32);
    hik_beside beside;
    hik_curving steady;
    if (k % 20 == 0) stage(&s, shapes, k % 40 ? 0 : cluttered(shapes, 70 + k) - 6);
    hik_random_q(s.model, 24, 2 * k, q[0]), hik_random_q(s.model, 24, 2 * k + 1, q[1]);
    hik_difference(s.model, 1, q[0], q[1], v);
    for (int32_t i = 0; i < s.model->nv; i++) v[i] *= 0.2;
    hik_check_edge(s.check, q[0], v, 1);
    hik_growth growth = {.count = 1, .sum = {s.check->sum}, .turn = {s.check->turn}, .beside = &beside};
    pieces_of(k, &rng, t, growth.weight[0]);
    as_curve(t, growth.weight[0], &beside, &steady);
    hik_check_between(s.check, q[0], v, t, HIK_GROUP);
    uint32_t far = hik_check_touch(s.check, &growth, false).free, hit = 0;
    growth.curve = &steady;
    uint32_t free = hik_check_touch(s.check, &growth, false).free;
    CHECK((far & ~free) == 0);
    for (int look = 0; look < LOOKS; look++) {
      for (int l = 0; l < HIK_GROUP; l++) at[l] = t[l] + growth.weight[0][l] * (2.0 * look / (LOOKS - 1) - 1);
      hik_check_between(s.check, q[0], v, at, HIK_GROUP);
      hit |= hik_check_touch(s.check, NULL, false).hit;
    }
    CHECK((hit & free) == 0);
    if (k % 10 == 0) lost_beside(&s, &growth, q[0], v, t);
    *(k % 40 < 20 ? &more : &pairs) += __builtin_popcount(free & ~far);
    all += __builtin_popcount(~(hit | far) & 0xffff);
    if (k % 20 == 19) unstage(&s);
  }
  CHECK(more > CHECK_REPEATS(60, 4) && pairs > CHECK_REPEATS(40, 2) && all > 10 * more);
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
  RUN(test_what_is_in_the_way_of_a_piece_is_not_free);
  RUN(test_pieces_that_stay_apart);
  RUN(test_how_many_pieces_are_first);
  RUN(test_edges_and_marches);
  RUN(test_a_thin_wall);
  CHECK_END();
}
