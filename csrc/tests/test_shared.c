/* test_shared.c: solve/points/shared.c: a coordinate that several joints share finds its best value and carries what it moves. */
#include "coupled_figures.h"
#include "solve/points/shared.h"

typedef struct bench {
  hik_model *m;
  hik_problem *p;
  hik_shared s;
  hik_wish wish[4];
  hik_aimed aimed[4];
  hik_pose world[8];
  double q[8];
  int32_t n;
  void *memory;
} bench;

static void open_bench(bench *b, bool pair) {
  *b = (bench){.m = coupled_tree()};
  b->p = coupled_problem(b->m, pair);
  hik_block block = {NULL, 0, false};
  hik_shared_lay_out(&b->s, b->p, &block);
  b->memory = hik_allocate(block.size);
  block = (hik_block){b->memory, 0, false};
  hik_shared_lay_out(&b->s, b->p, &block);
  b->n = hik_wish_count(b->p);
  hik_wishes_set(b->p, b->wish);
  hik_shared_set(&b->s, b->p, b->n, b->wish);
}

static void close_bench(bench *b) {
  hik_release(b->memory);
  hik_problem_free(b->p), hik_model_free(b->m);
}

/* Aims everything at where it stands for another posture. */
static void aim(bench *b, uint64_t draw) {
  double other[8];
  memcpy(b->q, b->m->rest, (size_t)b->m->nq * sizeof *b->q);
  memcpy(other, b->q, sizeof other);
  hik_random_q(b->m, 5, 2 * draw, b->q);
  hik_random_q(b->m, 5, 2 * draw + 1, other);
  hik_pose there[8];
  hik_step_poses(b->m, other, there);
  hik_step_poses(b->m, b->q, b->world);
  for (int32_t i = 0; i < b->n; i++) {
    hik_stand now, want;
    hik_wish_stand(b->wish + i, b->world, &now);
    hik_wish_stand(b->wish + i, there, &want);
    b->aimed[i] = (hik_aimed){.weight = 1 + i, .turn_weight = 0.1};
    hik_copy3(now.point, b->aimed[i].place);
    hik_copy3(want.point, b->aimed[i].aim);
    b->aimed[i].axes = hik_aimed_rows(b->wish + i, &now, b->aimed[i].have);
    hik_aimed_rows(b->wish + i, &want, b->aimed[i].want);
  }
}

/* The sum for q, by a forward pass. */
static double sum_of(const bench *b, const double *q) {
  hik_pose world[8];
  double sum = 0, d[3], rows[9];
  hik_step_poses(b->m, q, world);
  for (int32_t i = 0; i < b->n; i++) {
    const hik_aimed *a = b->aimed + i;
    hik_stand now;
    hik_wish_stand(b->wish + i, world, &now);
    hik_sub3(now.point, a->aim, d);
    sum += 0.5 * a->weight * hik_dot(d, d);
    int32_t axes = hik_aimed_rows(b->wish + i, &now, rows);
    for (int32_t k = 0; k < axes; k++) sum += a->turn_weight * (1 - hik_dot(rows + 3 * k, a->want + 3 * k));
  }
  return sum;
}

static void groups_are_found(void) {
  bench b;
  open_bench(&b, false);
  CHECK(b.s.n == 2 && b.n == 2);
  CHECK(b.s.group[0].coordinate == 0 && b.s.group[0].first == 0 && b.s.group[0].last == 2);
  CHECK(b.s.group[1].coordinate == 1 && b.s.group[1].first == 1 && b.s.group[1].last == 3);
  CHECK(hik_shared_of(&b.s, 0) == 0 && hik_shared_of(&b.s, 3) == 1 && hik_shared_of(&b.s, 4) == -1);
  CHECK(b.s.group[0].n_row == 2 && b.s.row[0].count == 2 && b.s.row[1].count == 1);
  CHECK(b.s.member[b.s.row[0].first] == 2 && b.s.member[b.s.row[0].first + 1] == 0);
  close_bench(&b);
}

/* Against a thousand places of the range: never above the start, and nearly always as low as the lowest of them. */
static void the_best_value_is_found(void) {
  bench b;
  open_bench(&b, false);
  int best = 0, all = 0;
  for (uint64_t draw = 0; draw < 200; draw++)
    for (int32_t g = 0; g < b.s.n; g++, all++) {
      aim(&b, draw);
      int32_t at = b.s.group[g].coordinate;
      double before = sum_of(&b, b.q), lowest = INFINITY, q[8];
      memcpy(q, b.q, sizeof q);
      for (int k = 0; k <= 1000; k++) {
        q[at] = b.m->lower[at] + (b.m->upper[at] - b.m->lower[at]) * k / 1000;
        lowest = fmin(lowest, sum_of(&b, q));
      }
      hik_shared_move(&b.s, g, true, INT32_MAX, b.aimed, b.q, b.world);
      double after = sum_of(&b, b.q);
      CHECK(after <= before + 1e-14 && hik_inside(b.m, b.q, 0));
      best += after <= lowest + 1e-6;
    }
  if (best < all * 95 / 100) printf("%d of %d best\n", best, all);
  CHECK(best >= all * 95 / 100);
  close_bench(&b);
}

/* From where it stands a step is one of descent, and several come to the dip that it stands in. */
static void a_step_onward_descends(void) {
  bench b;
  open_bench(&b, false);
  int flat = 0, all = 0, other = 0, worse = 0;
  for (uint64_t draw = 0; draw < 200; draw++)
    for (int32_t g = 0; g < b.s.n; g++, all++) {
      aim(&b, draw);
      int32_t at = b.s.group[g].coordinate;
      double before = sum_of(&b, b.q), after, last = 0;
      for (int k = 0; k < 40; k++, before = after) {
        last = b.q[at];
        hik_shared_move(&b.s, g, false, INT32_MAX, b.aimed, b.q, b.world);
        hik_step_poses(b.m, b.q, b.world);
        after = sum_of(&b, b.q);
        CHECK(after <= before + 1e-12 && hik_inside(b.m, b.q, 0));
      }
      flat += fabs(b.q[at] - last) < 1e-6;
      aim(&b, draw);
      hik_shared_move(&b.s, g, true, INT32_MAX, b.aimed, b.q, b.world);
      other += sum_of(&b, b.q) < after - 1e-6;
      worse += sum_of(&b, b.q) > after + 1e-6;
    }
  CHECK(flat >= all * 95 / 100);
  CHECK(other > worse &&
        worse <= all * 5 / 100); /* another dip may be lower, which no step from here finds */
  close_bench(&b);
}

/* The last bits of what it is given move the value by as little, though the sum is flat to rounding 1e-8 about it. */
static void last_bits_stay_last_bits(void) {
  bench b;
  open_bench(&b, false);
  int apart = 0, all = 0;
  for (uint64_t draw = 0; draw < 200; draw++)
    for (int32_t g = 0; g < b.s.n; g++, all++) {
      double q[2];
      for (int bits = 0; bits < 2; bits++) {
        aim(&b, draw);
        for (int32_t i = 0; i < b.n; i++) hik_scale3(1 + 1e-15 * bits, b.aimed[i].aim, b.aimed[i].aim);
        hik_shared_move(&b.s, g, true, INT32_MAX, b.aimed, b.q, b.world);
        q[bits] = b.q[b.s.group[g].coordinate];
      }
      apart += !(fabs(q[1] - q[0]) < 1e-12);
    }
  if (apart > 0) printf("%d of %d apart\n", apart, all);
  CHECK(apart == 0); /* 20 of 400 where a step must lower the sum, 3 where FLAT is 1e-16 */
  close_bench(&b);
}

static void what_it_moves_is_carried_along(void) {
  bench b;
  open_bench(&b, false);
  for (uint64_t draw = 0; draw < 20; draw++) {
    aim(&b, draw);
    for (int32_t g = b.s.n - 1; g >= 0; g--) {
      hik_shared_move(&b.s, g, true, INT32_MAX, b.aimed, b.q, b.world);
      hik_pose world[8];
      hik_step_poses(b.m, b.q, world);
      for (int32_t i = 0; i < b.n; i++) {
        hik_stand now;
        double rows[9];
        hik_wish_stand(b.wish + i, world, &now);
        for (int k = 0; k < 3; k++) CHECK_NEAR(b.aimed[i].place[k], now.point[k], 1e-14);
        int32_t axes = hik_aimed_rows(b.wish + i, &now, rows);
        for (int32_t k = 0; k < 3 * axes; k++) CHECK_NEAR(b.aimed[i].have[k], rows[k], 1e-14);
      }
      for (int32_t s = 0; s < b.p->active[b.s.group[g].last]; s++)
        for (int k = 0; k < 3; k++) CHECK_NEAR(b.world[s].t[k], world[s].t[k], 1e-14);
    }
  }
  close_bench(&b);
}

/* What counts as flat is rounding: at five times that a sum that rises is no step, at half of it one if the slope falls. */
static void flat_is_rounding(void) {
  CHECK(hik_shared_falls(1, 2, 1 + 1e-15, 1, 0) && !hik_shared_falls(1, 2, 1, 1, 0));
  CHECK(hik_shared_falls(1 + 5e-15, 0.5, 1, -1, 0) && !hik_shared_falls(1 + 5e-15, -1, 1, 1, 0));
  CHECK(!hik_shared_falls(1 + 5e-14, 0.5, 1, 1, 0));
  CHECK(hik_shared_falls(5e-15, 0.5, 0, 1, 1) && !hik_shared_falls(5e-14, 0.5, 0, 1, 1));
}

/* The first two hinges carry both sides of the pair; what follows them only one. */
static void sides_that_go_together_are_marked(void) {
  bench b;
  open_bench(&b, true);
  CHECK(b.n == 4 && b.wish[2].mate == 3 && b.wish[3].mate == 2);
  for (int32_t r = 0; r < b.s.group[0].n_row; r++) CHECK(!b.s.row[b.s.group[0].row + r].together);
  close_bench(&b);
  hik_model *m = coupled_tree();
  hik_term t = hik_term_default(hik_find(HIK_TERMS, "loop"));
  t.frame = t.other = 0, t.param[0] = 0.1;
  CHECK(hik_problem_create(m, &t, 1, &b.p, NULL) == HIK_OK);
  hik_block block = {NULL, 0, false};
  hik_shared_lay_out(&b.s, b.p, &block);
  block = (hik_block){b.memory = hik_allocate(block.size), 0, false};
  hik_shared_lay_out(&b.s, b.p, &block);
  hik_wishes_set(b.p, b.wish);
  hik_shared_set(&b.s, b.p, 2, b.wish);
  CHECK(b.s.n == 2 && b.s.group[0].n_row == 2 && b.s.row[0].together && b.s.row[1].together);
  b.m = m;
  close_bench(&b);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(groups_are_found);
  RUN(the_best_value_is_found);
  RUN(a_step_onward_descends);
  RUN(last_bits_stay_last_bits);
  RUN(flat_is_rounding);
  RUN(what_it_moves_is_carried_along);
  RUN(sides_that_go_together_are_marked);
  CHECK_END();
}
