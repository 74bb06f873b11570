#include "access/reach_swing.h"

#include "access/reach_table.h"
#include "access_figures.h"

static hik_reach *trunk(access_figure *a, hik_model **m, const hik_shoulder **s) {
  hik_reach *r = NULL;
  hik_error error;
  *m = access_arm(a);
  CHECK(hik_reach_create(*m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
  *s = hik_reach_table_chain(r->tail.set)->shoulder;
  CHECK(*s != NULL);
  return r;
}

/* A posture of the arm with this swing (and the twist at `share` of its range), as the shoulder sees it. */
static void hand_at(const hik_reach *r, const hik_shoulder *s, const double uv[2], double share, uint64_t i,
                    double out[3]) {
  const hik_model *m = r->model;
  double q[16], tip[3], limit[2], in[3] = {uv[0], uv[1], 0};
  hik_random_q(m, 31, i, q);
  q[0] = q[1] = 0;
  hik_swing_twist(s->room, uv, limit);
  in[2] = limit[0] + share * (limit[1] - limit[0]);
  hik_swing_join(s->room, in, q + 2);
  access_tip(m, ACCESS_JOINTS - 1, q, tip);
  hik_pose at;
  hik_pose_mul(&r->element[0].place, &r->element[1].place, &at);
  double off[3], own[3];
  hik_sub3(tip, at.t, off);
  hik_mat_tvec(at.r, off, own);
  hik_sub3(own, s->at, off);
  hik_mat_tvec(s->turn, off, out);
}

/* A cell of a sector: as wide as 2^-depth. */
static void some_cell(const hik_shoulder *s, hik_rng *rng, double place[4], int32_t *sector) {
  *sector = (int32_t)(hik_rng_uniform(rng) * s->sectors);
  const hik_sector *e = s->sector + *sector;
  double wide = 0.5 * (e->to - e->from), size[2];
  for (int i = 0; i < 2; i++) size[i] = pow(0.5, floor(6 * hik_rng_uniform(rng)));
  place[2] = wide * size[0], place[3] = 0.5 * size[1];
  place[0] = e->from + place[2] + hik_rng_uniform(rng) * 2 * (wide - place[2]);
  place[1] = place[3] + hik_rng_uniform(rng) * (1 - 2 * place[3]);
}

static void unit_of(hik_rng *rng, double n[3]) {
  for (int i = 0; i < 3; i++) n[i] = hik_rng_uniform(rng) * 2 - 1;
  hik_unit(n, n);
}

static void test_the_cells_hold_the_arm(void) {
  access_figure a;
  hik_model *m;
  const hik_shoulder *s;
  hik_reach *r = trunk(&a, &m, &s);
  hik_rng rng = hik_rng_start(5, 1);
  int32_t told = 0;
  for (int i = 0; i < CHECK_REPEATS(3000, 60); i++) {
    hik_swing_cell cell;
    double place[4], n[3], x[3], far = 3 * hik_rng_uniform(&rng), center;
    int32_t sector;
    some_cell(s, &rng, place, &sector);
    hik_swing_cell_make(s, sector, place, &cell);
    unit_of(&rng, n), unit_of(&rng, x);
    for (int k = 0; k < 3; k++) x[k] *= far;
    double most = hik_swing_cell_most(s, &cell, n, &center);
    double least = hik_swing_cell_least(s, &cell, x, hik_rng_uniform(&rng), &center);
    double ball = hik_swing_cell_ball_most(s, &cell, n), apart = hik_swing_cell_ball_least(s, &cell, x);
    told += least > 0;
    for (uint64_t k = 0; k < CHECK_REPEATS(60, 20); k++) {
      double in[2], angles[3], hand[3], off[3];
      for (int j = 0; j < 2; j++) in[j] = place[j] + (2 * hik_rng_uniform(&rng) - 1) * place[2 + j];
      if (k < 4)
        in[0] = place[0] + (k & 1 ? 1 : -1) * place[2], in[1] = place[1] + (k & 2 ? 1 : -1) * place[3];
      hik_swing_cell_angles(s, sector, in, angles);
      double limit[2];
      hik_swing_twist(s->room, angles, limit);
      CHECK_NEAR(angles[2], 0.5 * (limit[0] + limit[1]), 1e-9);
      hand_at(r, s, angles, k % 3 == 0 ? 0 : hik_rng_uniform(&rng), k + 100 * (uint64_t)i, hand);
      CHECK(hik_dot(n, hand) <= most + 1e-9);
      hik_sub3(hand, x, off);
      CHECK(hik_norm(off) >= least - 1e-9 && hik_norm(off) >= apart - 1e-9);
      CHECK(hik_dot(n, hand) <= ball + 1e-9);
    }
  }
  CHECK(told > CHECK_REPEATS(300, 5));
  hik_reach_free(r), hik_model_free(m);
}

/* A small cell's bounds are off by the square of its size. */
static void test_the_bounds_are_of_second_order(void) {
  access_figure a;
  hik_model *m;
  const hik_shoulder *s;
  hik_reach *r = trunk(&a, &m, &s);
  hik_rng rng = hik_rng_start(6, 1);
  for (int i = 0; i < CHECK_REPEATS(300, 20); i++) {
    double place[4], n[3], center, gap[2];
    int32_t sector;
    some_cell(s, &rng, place, &sector);
    unit_of(&rng, n);
    for (int k = 0; k < 2; k++) {
      hik_swing_cell cell;
      place[2] = k ? 1e-4 : 1e-3, place[3] = k ? 1e-4 : 1e-3;
      hik_swing_cell_make(s, sector, place, &cell);
      double most = hik_swing_cell_most(s, &cell, n, &center), cross[3], p[3], x[3], mm[3], slope = 0;
      hik_mat_tvec(cell.turn, n, mm);
      hik_tail_support(s->tail, &cell.wide, mm, p);
      hik_mat_vec(cell.turn, p, x);
      hik_cross(x, n, cross);
      for (int j = 0; j < 2; j++)
        slope += fabs(hik_dot(cell.spin[j], cross) + hik_dot(n, cell.slide[j])) * place[2 + j];
      gap[k] = most - center - slope;
    }
    CHECK(gap[0] < 0.02 && gap[1] < 0.02 * gap[0] + 0.006); /* the range of the twists grows in first order */
  }
  hik_reach_free(r), hik_model_free(m);
}

/* Sums of sectors and shares cover the room: every allowed swing is in one of the cells. */
static void test_the_sectors_cover_the_room(void) {
  access_figure a;
  hik_model *m;
  const hik_shoulder *s;
  hik_reach *r = trunk(&a, &m, &s);
  double wide = 0;
  for (int32_t k = 0; k < s->sectors; k++) {
    const hik_sector *e = s->sector + k;
    CHECK(e->to > e->from && (k == 0 || s->sector[k - 1].to == e->from));
    wide += e->to - e->from;
    for (int i = 0; i <= 4; i++) {
      double place[2] = {e->from + 0.25 * i * (e->to - e->from), 1}, angles[3];
      hik_swing_cell_angles(s, k, place, angles);
      CHECK(hik_swing_excess(s->room, angles) < 1e-9);
      for (int j = 0; j < 2; j++) angles[j] *= 1.001;
      CHECK(hik_swing_excess(s->room, angles) > 1e-5);
    }
  }
  CHECK_NEAR(wide, 2 * HIK_PI, 1e-12);
  hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_cells_hold_the_arm);
  RUN(test_the_bounds_are_of_second_order);
  RUN(test_the_sectors_cover_the_room);
  CHECK_END();
}
