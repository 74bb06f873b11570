/* A way out for a posture that nearly touches: more room at its end, and nothing touches along it, however finely it is sampled. */
#include "plan/leave.h"

#include "route_figures.h"

static double room_at(staged *s, const double *q) {
  double far[HIK_GROUP];
  hik_check_place(s->check, q, 1);
  hik_check_distance(s->check, 1, far);
  return far[0];
}

/* Towards a posture in contact until less than `least` is left. */
static bool brush(staged *s, uint64_t number, double least, double *q) {
  double hit[FIGURE_NQ], v[FIGURE_NQ], part[FIGURE_NQ], from[FIGURE_NQ], low = 0, high = 1;
  int32_t nv = s->model->nv;
  free_posture(s, number, from);
  uint64_t k = 0;
  do hik_random_q(s->model, 2000 + number, k++, hit);
  while (room_at(s, hit) > 0 && k < 1000);
  hik_difference(s->model, 1, from, hit, v);
  for (int turn = 0; turn < 60; turn++) {
    double t = 0.5 * (low + high);
    for (int32_t i = 0; i < nv; i++) part[i] = t * v[i];
    hik_integrate(s->model, 1, from, part, q);
    double room = room_at(s, q);
    if (room > 0.1 * least && room < least) return true;
    *(room > 0 ? &low : &high) = t;
  }
  return false;
}

static void test_what_nearly_touches_is_led_out(void) {
  static const double near[3] = {4e-4, 1e-5, 2e-6};
  hik_shape shapes[24];
  staged s;
  double q[FIGURE_NQ], to[FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  hik_edges e = edges_on(&s, 1000000);
  hik_leave *leave = hik_leave_create(s.model, s.world);
  int32_t met = 0, led = 0, plain = 0;
  for (uint64_t n = 0; n < CHECK_REPEATS(60, 9); n++) {
    if (!brush(&s, n, near[n % 3], q)) continue;
    met++;
    CHECK(hik_leave_close(&e, q, 1) == 1);
    double had = room_at(&s, q), tol = e.tol;
    e.groups = 0;
    bool found = hik_leave_from(&e, leave, q, to);
    CHECK(e.tol == tol && e.groups > 0);
    if (!found) continue;
    led++;
    CHECK(room_at(&s, to) > 2 * had && hik_inside(s.model, to, 1e-12));
    hik_route r = {NULL, 0, 0};
    CHECK(hik_route_add(&r, q, s.model->nq) && hik_route_add(&r, to, s.model->nq));
    CHECK(bad_points(&s, &r) == 0);
    plain += hik_edges_free(&e, q, to);
    hik_route_end(&r);
  }
  CHECK(3 * led > 2 * met && met > 0 && 2 * plain < met);
  hik_leave_free(leave);
  hik_release(e.room);
  unstage(&s);
}

static void test_only_what_is_close_is_led_out(void) {
  hik_shape shapes[24];
  staged s;
  double q[HIK_GROUP * FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 6));
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 1000);
  uint32_t close = 0;
  for (uint64_t l = 0; l < HIK_GROUP; l++) {
    if (l % 4 != 1 || !brush(&s, 50 + l, 4e-4, q + l * nq)) free_posture(&s, 50 + l, q + l * nq);
    double room = room_at(&s, q + l * nq);
    close |= (uint32_t)(room < 5e-4) << l;
  }
  CHECK(hik_leave_close(&e, q, HIK_GROUP) == close && close && close != 0xffff);
  CHECK(hik_leave_close(&e, q, 6) == (close & 63));
  hik_release(e.room);
  unstage(&s);
}

/* A ball on a slide between two walls a hair's breadth away: there is no way out. */
static void test_where_there_is_no_way_out_none_is_told(void) {
  const hik_shape walls[2] = {shape_at(HIK_SHAPE_BOX, 0.5501, 0, 0, 1, 4, 4),
                              shape_at(HIK_SHAPE_BOX, -0.5501, 0, 0, 1, 4, 4)};
  hik_error error;
  hik_model *model = NULL;
  hik_figure *ball = NULL;
  hik_world *world = NULL;
  const int32_t parent = -1, kind = HIK_PRISMATIC, frame_joint = 0, frame = 0;
  const double axis[3] = {1, 0, 0}, place[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, low = -1, high = 1;
  const double ends[6] = {0}, radius = 0.05, q[1] = {0};
  hik_model_def d = hik_model_def_default();
  d.n_joint = d.n_frame = 1, d.parent = &parent, d.kind = &kind, d.axis = axis, d.placement = place;
  d.lower = &low, d.upper = &high, d.frame_joint = &frame_joint, d.frame_placement = place;
  CHECK(hik_model_create(&d, &model, &error) == HIK_OK);
  hik_figure_def made = {model, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&made, &ball, &error) == HIK_OK);
  CHECK(hik_world_create(walls, 2, &world, &error) == HIK_OK);
  hik_check *check = hik_check_begin(hik_allocate(hik_check_size(ball, world)), ball, world);
  double room[32], to[1] = {7};
  hik_edges e = {.model = model, .check = check, .tol = 2e-3, .reach = 1.5, .budget = 1000, .room = room};
  hik_leave *leave = hik_leave_create(model, world);
  CHECK(hik_leave_close(&e, q, 1) == 1);
  CHECK(!hik_leave_from(&e, leave, q, to) && to[0] == 7 && e.groups < 200);
  hik_leave_free(leave);
  hik_release(check);
  hik_world_free(world);
  hik_figure_free(ball);
  hik_model_free(model);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_what_nearly_touches_is_led_out);
  RUN(test_only_what_is_close_is_led_out);
  RUN(test_where_there_is_no_way_out_none_is_told);
  CHECK_END();
}
