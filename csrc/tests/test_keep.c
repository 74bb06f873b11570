/* What is kept along the way: postures are moved onto it, ways stay on it between their vertices, shortcuts too. */
#include "plan/keep.h"

#include "route_figures.h"

/* A planar arm of four turns whose tip stays on the line y = const: a position term with one axis. */
typedef struct kept {
  staged s;
  hik_problem *problem;
  double y;
} kept;

static void begin(kept *k) {
  enum { N = 4 };
  static const int32_t parent[N] = {-1, 0, 1, 2},
                       kind[N] = {HIK_REVOLUTE, HIK_REVOLUTE, HIK_REVOLUTE, HIK_REVOLUTE};
  static const double low[N] = {-3, -3, -3, -3}, high[N] = {3, 3, 3, 3};
  double axis[3 * N] = {0}, placement[12 * N] = {0}, frames[12 * (N + 1)] = {0}, ends[6 * N] = {0}, radius[N];
  int32_t joint[N + 1], frame[N];
  for (int i = 0; i <= N; i++) {
    double *f = frames + 12 * i;
    f[0] = f[4] = f[8] = 1, joint[i] = i < N ? i : N - 1;
    if (i == N) f[9] = 0.5;
    if (i == N) break;
    axis[3 * i + 2] = 1, frame[i] = i, ends[6 * i + 3] = 0.5, radius[i] = 0.02;
    double *p = placement + 12 * i;
    p[0] = p[4] = p[8] = 1, p[9] = i > 0 ? 0.5 : 0;
  }
  hik_model_def d = hik_model_def_default();
  d.n_joint = N, d.n_frame = N + 1, d.parent = parent, d.kind = kind, d.axis = axis, d.placement = placement;
  d.lower = low, d.upper = high, d.frame_joint = joint, d.frame_placement = frames;
  hik_error error;
  CHECK(hik_model_create(&d, &k->s.model, &error) == HIK_OK);
  const hik_figure_def def = {k->s.model, N, 0, frame, ends, radius, NULL, NULL};
  hik_shape post = shape_at(HIK_SHAPE_SPHERE, 0.9, 0.9, 0, 0.2, 0, 0);
  CHECK(hik_figure_create(&def, &k->s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(&post, 1, &k->s.world, &error) == HIK_OK);
  k->s.check =
      hik_check_begin(hik_allocate(hik_check_size(k->s.figure, k->s.world)), k->s.figure, k->s.world);
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "position_axes"));
  const double up[] = {0, 1, 0, 1};
  term.frame = N, term.position_tolerance = 1e-3, term.data = up, term.n_data = 4;
  CHECK(hik_problem_create(k->s.model, &term, 1, &k->problem, &error) == HIK_OK);
  k->y = 0.6;
}

static void end(kept *k) {
  hik_problem_free(k->problem);
  hik_release(k->s.check);
  hik_world_free(k->s.world), hik_figure_free(k->s.figure), hik_model_free(k->s.model);
}

static double height(const double *q) {
  double turn = 0, y = 0;
  for (int i = 0; i < 4; i++) turn += q[i], y += 0.5 * sin(turn);
  return y;
}

static void test_ways_stay_on_what_is_kept(void) {
  kept k;
  begin(&k);
  hik_keep *keep = hik_keep_create(k.problem, k.s.model, &k.y);
  hik_edges e = edges_on(&k.s, 200000);
  e.keep = keep;
  int32_t on = 0, found = 0, shorter = 0;
  double q[2][4], place[2][4];
  for (uint64_t n = 0; n < 40; n++) {
    bool good = true;
    for (uint64_t i = 0; i < 2; i++) {
      hik_random_q(k.s.model, 3, 2 * n + i, q[i]);
      good = good && hik_keep_project(keep, q[i]);
      CHECK(!good || fabs(height(q[i]) - k.y) < 1e-3);
      hik_check_place(k.s.check, q[i], 1);
      good = good && (hik_check_touch(k.s.check, NULL, false).free & 1);
    }
    if (!good) continue;
    on++;
    hik_route r = {NULL, 0, 0};
    e.groups = 0, e.budget = 20000;
    if (hik_connect(&e, q[0], q[1], 1, n, INFINITY, &r, NULL) == HIK_FOUND) {
      e.budget = INT64_MAX;
      double before = hik_route_length(&e, &r);
      CHECK(hik_keep_shorten(&e, &r, n, 30));
      double after = hik_route_length(&e, &r);
      CHECK(after <= before * (1 + 1e-12) && bad_points(&k.s, &r) == 0);
      for (int32_t i = 0; i + 1 < r.count; i++)
        for (int t = 0; t <= 20; t++) {
          for (int j = 0; j < 4; j++)
            place[0][j] = r.q[4 * i + j] + t / 20.0 * (r.q[4 * i + 4 + j] - r.q[4 * i + j]);
          CHECK(fabs(height(place[0]) - k.y) < 1.1e-3);
        }
      CHECK(memcmp(r.q, q[0], sizeof q[0]) == 0 && memcmp(r.q + 4 * (r.count - 1), q[1], sizeof q[1]) == 0);
      found++, shorter += after < 0.99 * before;
    }
    hik_route_end(&r);
  }
  CHECK(on > 10 && found > on / 2 && shorter > 0);
  hik_keep_free(keep);
  hik_release(e.room);
  end(&k);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_ways_stay_on_what_is_kept);
  CHECK_END();
}
