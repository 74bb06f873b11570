/* A polygon pulled taut: never longer, the same ends, nothing touched; round one post it comes near the shortest way there is. */
#include "route_figures.h"

static void test_polygons_become_shorter_and_touch_nothing(void) {
  hik_shape shapes[24];
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ];
  int32_t gained = 0;
  stage(&s, shapes, cluttered(shapes, 5));
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 20000);
  for (uint64_t n = 0; n < CHECK_REPEATS(12, 4); n++) {
    hik_route r = {NULL, 0, 0};
    free_posture(&s, 2 * n, start), free_posture(&s, 2 * n + 1, goal);
    e.groups = 0, e.budget = 20000;
    if (hik_connect(&e, start, goal, 1, n, INFINITY, &r, NULL) == HIK_FOUND) {
      e.budget = INT64_MAX;
      double before = hik_route_length(&e, &r);
      CHECK(hik_tighten(&e, &r, 1));
      double after = hik_route_length(&e, &r);
      CHECK(after <= before * (1 + 1e-12) && bad_points(&s, &r) == 0);
      CHECK(memcmp(r.q, start, nq * sizeof *start) == 0);
      CHECK(memcmp(r.q + ((size_t)r.count - 1) * nq, goal, nq * sizeof *goal) == 0);
      gained += after < before * 0.98;
    }
    hik_route_end(&r);
  }
  CHECK(gained > 0);
  hik_release(e.room);
  unstage(&s);
}

/* Two slides carry a ball past a post: the shortest way is two tangents and an arc. */
static void test_round_a_post_it_comes_near_the_shortest_way(void) {
  const int32_t parent[] = {-1, 0}, kind[] = {HIK_PRISMATIC, HIK_PRISMATIC}, frame_joint[] = {1};
  const double axis[] = {1, 0, 0, 0, 1, 0}, line[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, low[] = {-3, -3},
               high[] = {3, 3};
  double placement[24];
  memcpy(placement, line, sizeof line), memcpy(placement + 12, line, sizeof line);
  hik_model_def d = hik_model_def_default();
  d.n_joint = 2, d.n_frame = 1, d.parent = parent, d.kind = kind, d.axis = axis, d.placement = placement;
  d.lower = low, d.upper = high, d.frame_joint = frame_joint, d.frame_placement = line;
  hik_error error;
  staged s;
  CHECK(hik_model_create(&d, &s.model, &error) == HIK_OK);
  const int32_t frame = 0;
  const double ends[6] = {0}, radius = 0.1;
  const hik_figure_def def = {s.model, 1, 0, &frame, ends, &radius, NULL, NULL};
  hik_shape post = shape_at(HIK_SHAPE_CAPSULE, 0, 0, 0, 4, 0.4, 0);
  CHECK(hik_figure_create(&def, &s.figure, &error) == HIK_OK);
  CHECK(hik_world_create(&post, 1, &s.world, &error) == HIK_OK);
  s.check = hik_check_begin(hik_allocate(hik_check_size(s.figure, s.world)), s.figure, s.world);
  hik_edges e = edges_on(&s, INT64_MAX);
  hik_route r = {NULL, 0, 0};
  const double way[][2] = {{-1, 0}, {-0.8, 1.2}, {0.9, 1}, {1, 0}};
  for (int i = 0; i < 4; i++) CHECK(hik_route_add(&r, way[i], 2));
  CHECK(hik_tighten(&e, &r, 3));
  double shortest = 2 * sqrt(0.75) + 0.5 * (HIK_PI - 2 * acos(0.5)), found = hik_route_length(&e, &r);
  CHECK(found > shortest && found < 1.02 * shortest);
  hik_route_end(&r);
  hik_release(e.room);
  hik_release(s.check);
  hik_world_free(s.world), hik_figure_free(s.figure), hik_model_free(s.model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_polygons_become_shorter_and_touch_nothing);
  RUN(test_round_a_post_it_comes_near_the_shortest_way);
  CHECK_END();
}
