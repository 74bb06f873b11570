/* Routes between random free postures among clutter: ends, free points, the same bytes again, and what is said of failure. */
#include "route_figures.h"

static void test_routes_lead_from_start_to_goal_and_touch_nothing(void) {
  hik_shape shapes[24];
  staged s;
  double start[FIGURE_NQ], goals[2 * FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  size_t nq = (size_t)s.model->nq;
  hik_edges e = edges_on(&s, 20000);
  int32_t found = 0, turns = 0;
  for (uint64_t n = 0; n < CHECK_REPEATS(12, 3); n++) {
    hik_route r = {NULL, 0, 0}, again = {NULL, 0, 0};
    free_posture(&s, 3 * n, start), free_posture(&s, 3 * n + 1, goals),
        free_posture(&s, 3 * n + 2, goals + nq);
    e.groups = 0;
    hik_search first = hik_connect(&e, start, goals, 2, n, INFINITY, &r, NULL);
    CHECK(first != HIK_SEARCH_MEMORY && r.count >= 1);
    CHECK(memcmp(r.q, start, nq * sizeof *start) == 0);
    CHECK(bad_points(&s, &r) == 0);
    if (first == HIK_FOUND) {
      const double *last = r.q + ((size_t)r.count - 1) * nq;
      CHECK(memcmp(last, goals, nq * sizeof *last) == 0 || memcmp(last, goals + nq, nq * sizeof *last) == 0);
      found++, turns += r.count > 2;
    }
    e.groups = 0;
    CHECK(hik_connect(&e, start, goals, 2, n, INFINITY, &again, NULL) == first && again.count == r.count);
    CHECK(memcmp(r.q, again.q, (size_t)r.count * nq * sizeof *r.q) == 0);
    hik_route_end(&r), hik_route_end(&again);
  }
  CHECK(found > 0 && turns > 0);
  hik_release(e.room);
  unstage(&s);
}

/* Without a budget only the straight edges are looked at, and the start is all that is reached. */
static void test_a_budget_ends_the_search(void) {
  hik_shape shapes[24];
  staged s;
  double start[FIGURE_NQ], goal[FIGURE_NQ], witness[HIK_WITNESSES * FIGURE_NQ];
  stage(&s, shapes, cluttered(shapes, 5));
  hik_edges e = edges_on(&s, 0);
  int32_t ended = 0;
  e.witness = witness;
  for (uint64_t n = 0; n < 20; n++) {
    hik_route r = {NULL, 0, 0};
    free_posture(&s, 2 * n, start), free_posture(&s, 2 * n + 1, goal);
    e.groups = e.witnesses = 0;
    if (hik_connect(&e, start, goal, 1, n, INFINITY, &r, NULL) == HIK_NOT_IN_BUDGET) {
      CHECK(r.count == 1);
      if (e.witnesses) {
        hik_check_place(s.check, witness, 1);
        CHECK(hik_check_touch(s.check, NULL, false).hit & 1);
      }
      ended++;
    }
    hik_route_end(&r);
  }
  CHECK(ended > 0);
  hik_release(e.room);
  unstage(&s);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_routes_lead_from_start_to_goal_and_touch_nothing);
  RUN(test_a_budget_ends_the_search);
  CHECK_END();
}
