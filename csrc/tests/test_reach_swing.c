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
    double most = hik_swing_cell_most(s, &cell, n, INFINITY, &center), half;
    double enough = most - 0.2 * hik_rng_uniform(&rng),
           some = hik_swing_cell_most(s, &cell, n, enough, &half);
    CHECK(some >= enough && some <= most && half == center); /* no work beyond what is asked, no less */
    CHECK(hik_swing_cell_most(s, &cell, n, most + 1e-9, &half) == most);
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

/* The arm of access_figures.h with another room of its swing, a cone or a polygon with or without a table of twists, and other
   lengths, limits and followers. */
typedef struct other_arm {
  access_figure a;
  double knot[24], corner[20];
  int32_t corners[ACCESS_JOINTS];
} other_arm;

static double between(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

static void other_room(other_arm *o, hik_rng *rng) {
  access_figure *a = &o->a;
  double *swing = a->swing + 6 * ACCESS_BALL, step, azimuth;
  for (int i = 0; i < 4; i++) swing[i] = between(rng, 0.25, 2.8);
  swing[4] = -between(rng, 0.05, 2), swing[5] = between(rng, 0.1, 2);
  int32_t corners = hik_rng_uniform(rng) < 0.5 ? 3 + (int32_t)between(rng, 0, 6) : 0,
          knots = hik_rng_uniform(rng) < 0.7 ? 1 + (int32_t)between(rng, 0, 7) : 0;
  for (int32_t i = 0; i < corners; i++) {
    step = 6.0 / corners, azimuth = -3 + step * (i + 0.5 * hik_rng_uniform(rng));
    o->corner[2 * i] = azimuth, o->corner[2 * i + 1] = between(rng, 0.3, 2.4);
  }
  for (int32_t i = 0; i < knots; i++) {
    double *k = o->knot + 3 * (size_t)i;
    step = 6.0 / knots, k[0] = -3 + step * (i + 0.5 * hik_rng_uniform(rng));
    k[1] = -between(rng, 0.1, 2), k[2] = k[1] + between(rng, 0.05, 2.5);
  }
  o->corners[ACCESS_BALL] = corners, a->knots[ACCESS_BALL] = knots;
  a->full[ACCESS_BALL] = between(rng, 0.2, 2);
}

static hik_model *other(other_arm *o, hik_rng *rng) {
  figure *f = &o->a.f;
  hik_model *m = access_arm(&o->a), *out = NULL;
  hik_error error;
  hik_model_free(m);
  memset(o->corners, 0, sizeof o->corners);
  other_room(o, rng);
  double size = between(rng, 0.002, 0.06);
  for (int32_t j = 2; j < 4; j++) {
    for (int i = 0; i < 3; i++) f->axis[3 * j + i] = between(rng, -1, 1);
    for (int i = 0; i < HIK_FOLLOW_TERMS; i++)
      o->a.follow[HIK_FOLLOW_TERMS * j + i] = between(rng, -size, size);
  }
  figure_place(f->placement + 12 * 5, between(rng, 0.05, 0.5), 0, 0, 0);
  figure_place(f->placement + 12 * 7, between(rng, 0.05, 0.4), 0, 0, 0);
  f->upper[6] = between(rng, 0.1, 2.9);
  for (int32_t q = 8; q < 10; q++)
    f->lower[q] = -between(rng, 0.05, 1.2), f->upper[q] = between(rng, 0.05, 1.2);
  f->def.knot = o->knot, f->def.corner = o->corner, f->def.corner_count = o->corners;
  CHECK(hik_model_create(&f->def, &out, &error) == HIK_OK);
  return out;
}

/* Somewhere in a cell, often on its edge. */
static void inside_cell(const double place[4], hik_rng *rng, double in[4]) {
  for (int j = 0; j < 2; j++) {
    double u = hik_rng_uniform(rng);
    in[j] = place[j] + (u < 0.35 ? -1 : u < 0.7 ? 1 : 2 * hik_rng_uniform(rng) - 1) * place[2 + j];
  }
  in[2] = in[3] = 0;
}

/* Against hands drawn, and against the farthest that the arm reaches at swings drawn: of one swing that is known in closed form. */
static void check_cell(const hik_reach *r, const hik_shoulder *s, hik_rng *rng, uint64_t seed) {
  hik_swing_cell cell, one;
  double place[4], in[4], n[3], x[3], center, hand[10][3];
  int32_t sector;
  some_cell(s, rng, place, &sector);
  hik_swing_cell_make(s, sector, place, &cell);
  for (uint64_t k = 0; k < 10; k++) {
    double angles[3];
    inside_cell(place, rng, in);
    hik_swing_cell_angles(s, sector, in, angles);
    hand_at(r, s, angles, k % 3 == 0 ? 0 : k % 3 == 1 ? 1 : hik_rng_uniform(rng), k + 10 * seed, hand[k]);
  }
  if (seed % 3 == 0)
    unit_of(rng, n);
  else
    hik_sub3(hand[0], cell.elbow, n); /* along the arm, where the bounds are tight */
  if (!(hik_unit(n, n) > 0)) return;
  hik_axpy3(hand[1], between(rng, 0, 0.5), n, x);
  double most = hik_swing_cell_most(s, &cell, n, INFINITY, &center),
         ball = hik_swing_cell_ball_most(s, &cell, n);
  double least = hik_swing_cell_least(s, &cell, x, hik_rng_uniform(rng), &center);
  double apart = hik_swing_cell_ball_least(s, &cell, x);
  for (int k = 0; k < 10; k++) {
    double off[3], along = hik_dot(n, hand[k]);
    hik_sub3(hand[k], x, off);
    CHECK(along <= most + 1e-9 && along <= ball + 1e-9);
    CHECK(hik_norm(off) >= least - 1e-9 && hik_norm(off) >= apart - 1e-9);
  }
  for (int k = 0; k < 20; k++) {
    inside_cell(place, rng, in);
    hik_swing_cell_make(s, sector, in, &one);
    hik_swing_cell_most(s, &one, n, INFINITY, &center);
    CHECK(center <= most + 1e-8);
    double off[3], y[3], away[3], point[3];
    hik_sub3(x, one.at, off);
    hik_mat_tvec(one.turn, off, y);
    hik_copy3(y, away);
    for (int i = 0; i < 5; i++) { /* points of the arm ever nearer to x */
      hik_tail_support(s->tail, &one.here, away, point);
      hik_sub3(y, point, away);
      CHECK(hik_norm(away) >= least - 1e-8 && hik_norm(away) >= apart - 1e-8);
    }
  }
}

static void test_the_cells_of_any_room_hold_the_arm(void) {
  hik_rng rng = hik_rng_start(8, 1);
  int32_t rooms = 0;
  for (int i = 0; i < CHECK_REPEATS(60, 6); i++) {
    other_arm o;
    hik_model *m = other(&o, &rng);
    hik_reach *r = NULL;
    hik_error error;
    if (!m) return;
    CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_NESTED, &r, &error) == HIK_OK);
    const hik_shoulder *s = r->tail.set ? hik_reach_table_chain(r->tail.set)->shoulder : NULL;
    for (uint64_t k = 0; s && k < CHECK_REPEATS(100, 20); k++) check_cell(r, s, &rng, k);
    rooms += s != NULL;
    hik_reach_free(r), hik_model_free(m);
  }
  CHECK(rooms > CHECK_REPEATS(50, 4));
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
      double most = hik_swing_cell_most(s, &cell, n, INFINITY, &center), cross[3], p[3], x[3], mm[3],
             slope = 0;
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
  RUN(test_the_cells_of_any_room_hold_the_arm);
  RUN(test_the_bounds_are_of_second_order);
  RUN(test_the_sectors_cover_the_room);
  CHECK_END();
}
