/* Places that a way shorter than a known one may lead through: all draws are such, all of the spheroid is drawn, and a search kept
   to it makes no other nodes. */
#include "plan/within.h"

#include "route_figures.h"

static void test_draws_lie_where_a_shorter_way_may_lead(void) {
  hik_shape shapes[24];
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ], q[FIGURE_NQ], room[3 * FIGURE_NQ], v[FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  int32_t nv = s.model->nv, ahead = 0, many = CHECK_REPEATS(4000, 400);
  CHECK(hik_within_room(s.model) <= HIK_COUNT_OF(room));
  free_posture(&s, 0, start), free_posture(&s, 1, goal);
  hik_difference(s.model, 1, start, goal, v);
  double straight = hik_edges_norm(v, nv), most = 0;
  const hik_shorter what = {1.2 * straight, start, goal, 1};
  CHECK(hik_within(s.model, &what, start, room) && hik_within(s.model, &what, goal, room));
  for (int32_t n = 0; n < many; n++) {
    hik_within_draw(s.model, &what, 3, (uint64_t)n, q, room);
    CHECK(hik_inside(s.model, q, 1e-9));
    hik_difference(s.model, 1, start, q, v);
    double before = hik_edges_norm(v, nv);
    hik_difference(s.model, 1, q, goal, v);
    double after = hik_edges_norm(v, nv);
    CHECK(before + after < what.bound * (1 + 1e-9) || s.model->nq != nv);
    CHECK(hik_within(s.model, &what, q, room) == (before + after < what.bound));
    ahead += before < after, most = fmax(most, (before + after) / straight);
  }
  CHECK(ahead > many / 3 && ahead < 2 * many / 3); /* as many before the middle as behind it */
  CHECK(most > 1.15);                              /* to the rim */
  const hik_shorter none = {0.5 * straight, start, goal, 1};
  hik_within_draw(s.model, &none, 3, 0, q, room);
  CHECK(!hik_within(s.model, &none, q, room) && hik_inside(s.model, q, 1e-9));
  unstage(&s);
}

static void test_a_search_with_a_bound_makes_no_node_beyond_it(void) {
  hik_shape shapes[24];
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ], room[3 * FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 400);
  int32_t found = 0, nodes = 0;
  for (uint64_t n = 0; n < CHECK_REPEATS(12, 4); n++) {
    hik_route r = {NULL, 0, 0};
    hik_grown grown = {{NULL, 0, 0}, NULL, 0};
    free_posture(&s, 2 * n, start), free_posture(&s, 2 * n + 1, goal);
    hik_difference(s.model, 1, start, goal, room);
    const hik_shorter what = {1.5 * hik_edges_norm(room, s.model->nv), start, goal, 1};
    e.groups = 0;
    found += hik_connect(&e, start, goal, 1, n, what.bound, &r, &grown) == HIK_FOUND;
    CHECK(bad_points(&s, &r) == 0);
    for (int32_t i = 0; i < grown.nodes.count; i++, nodes++)
      CHECK(hik_within(s.model, &what, grown.nodes.q + (size_t)i * nq, room));
    hik_route_end(&r), hik_grown_end(&grown);
  }
  CHECK(found > 0 && nodes > 20);
  hik_release(e.room);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_draws_lie_where_a_shorter_way_may_lead);
  RUN(test_a_search_with_a_bound_makes_no_node_beyond_it);
  CHECK_END();
}
