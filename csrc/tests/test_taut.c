/* A polygon pulled taut: never longer, the same ends, nothing touched; round one post it comes near the shortest way there is. */
#include "plan/cones.h"
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

/* Two slides carry a ball past a post; the third joint, a ball within a round cone of 0.5 rad, carries nothing. */
static void past_a_post(staged *s, hik_edges *e) {
  static const int32_t parent[] = {-1, 0, 1}, kind[] = {HIK_PRISMATIC, HIK_PRISMATIC, HIK_BALL},
                       frame_joint[] = {1};
  static const double axis[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, axis2[] = {0, 1, 0, 1, 0, 0, 1, 0, 0},
                      line[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
                      low[] = {-3, -3, -INFINITY, -INFINITY, -INFINITY, -INFINITY},
                      high[] = {3, 3, INFINITY, INFINITY, INFINITY, INFINITY},
                      swing[] = {NAN, 0, 0, 0, 0, 0, NAN, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, -1, 1};
  double placement[36];
  for (int i = 0; i < 3; i++) memcpy(placement + 12 * (size_t)i, line, sizeof line);
  hik_model_def d = hik_model_def_default();
  d.n_joint = 3, d.n_frame = 1, d.parent = parent, d.kind = kind, d.axis = axis, d.placement = placement;
  d.axis2 = axis2, d.lower = low, d.upper = high, d.swing = swing;
  d.frame_joint = frame_joint, d.frame_placement = line;
  hik_error error;
  CHECK(hik_model_create(&d, &s->model, &error) == HIK_OK);
  const int32_t frame = 0;
  const double ends[6] = {0}, radius = 0.1;
  const hik_figure_def def = {s->model, 1, 0, &frame, ends, &radius, NULL, NULL};
  hik_shape post = shape_at(HIK_SHAPE_CAPSULE, 0, 0, 0, 4, 0.4, 0);
  CHECK(hik_figure_create(&def, &s->figure, &error) == HIK_OK);
  CHECK(hik_world_create(&post, 1, &s->world, &error) == HIK_OK);
  s->check = hik_check_begin(hik_allocate(hik_check_size(s->figure, s->world)), s->figure, s->world);
  *e = edges_on(s, INT64_MAX);
}

static void leave_the_post(staged *s, hik_edges *e) {
  hik_release(e->room);
  hik_release(s->check);
  hik_world_free(s->world), hik_figure_free(s->figure), hik_model_free(s->model);
}

/* The shortest way is two tangents and an arc. */
static void test_round_a_post_it_comes_near_the_shortest_way(void) {
  staged s;
  hik_edges e;
  past_a_post(&s, &e);
  hik_route r = {NULL, 0, 0};
  const double way[][6] = {{-1, 0, 1}, {-0.8, 1.2, 1}, {0.9, 1, 1}, {1, 0, 1}};
  for (int i = 0; i < 4; i++) CHECK(hik_route_add(&r, way[i], 6));
  CHECK(hik_tighten(&e, &r, 3));
  double shortest = 2 * sqrt(0.75) + 0.5 * (HIK_PI - 2 * acos(0.5)), found = hik_route_length(&e, &r);
  CHECK(found > shortest && found < 1.02 * shortest);
  hik_route_end(&r);
  leave_the_post(&s, &e);
}

/* The bone turns on a circle narrower than the cone and bulges out of it by less than a proof allows: halves of such an edge are
   outside of the limits, and no vertex is put there. */
static void test_no_vertex_is_put_outside_of_a_cone(void) {
  staged s;
  hik_edges e;
  past_a_post(&s, &e);
  const hik_swing *cone = hik_step_cone(s.model, 2);
  const double tip[3] = {0.5 + 3e-6, 0, 0}, way[][2] = {{-1, 0}, {-0.8, 1.2}, {0.9, 1}, {1, 0}}, wide = 0.01;
  double top[4], axis[3] = {sin(0.4), 0, cos(0.4)}, ball[2][4], x[3];
  hik_swing_join(cone, tip, top);
  for (int i = 0; i < 2; i++) { /* about a direction 0.1 rad from the tip's, inside */
    double turn[3], step[4];
    for (int k = 0; k < 3; k++) turn[k] = (i ? wide : -wide) * axis[k];
    hik_quat_exp(turn, step);
    hik_quat_mul(step, top, ball[i]);
    hik_swing_split(cone, ball[i], x);
    CHECK(hik_swing_excess(cone, x) <= 1e-12);
  }
  double start[4 * 6] = {0}, half[6] = {-0.9, 0.6};
  for (int i = 0; i < 4; i++) {
    memcpy(start + 6 * i, way[i], sizeof way[i]), memcpy(start + 6 * i + 2, ball[i > 0], sizeof ball[0]);
    CHECK(hik_inside(s.model, start + 6 * i, HIK_CONES_LOOK));
  }
  memcpy(half + 2, top, sizeof top);
  CHECK(hik_edges_free(&e, start, start + 6) && hik_inside(s.model, half, HIK_CONES_SLACK));
  CHECK(!hik_inside(s.model, half, HIK_CONES_LOOK));
  for (int64_t budget = 1; budget < 200; budget += 3) { /* whenever it has to end */
    hik_route r = {NULL, 0, 0};
    for (int i = 0; i < 4; i++) CHECK(hik_route_add(&r, start + 6 * i, 6));
    e.groups = 0, e.budget = budget;
    CHECK(hik_tighten(&e, &r, 1) && r.count > 2);
    for (int32_t i = 0; i < r.count; i++) CHECK(hik_inside(s.model, r.q + 6 * (size_t)i, HIK_CONES_LOOK));
    hik_route_end(&r);
  }
  leave_the_post(&s, &e);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_polygons_become_shorter_and_touch_nothing);
  RUN(test_round_a_post_it_comes_near_the_shortest_way);
  RUN(test_no_vertex_is_put_outside_of_a_cone);
  CHECK_END();
}
