/* Bounds of how far a ball leaves its room on a way, against points of the way. */
#include "base/rng.h"
#include "check.h"
#include "model/swing.h"

enum { ROOMS = 11, POINTS = 100 };

static double memory[3][3 * 8];

/* Cones narrow, wide, thin and past the back; polygons, one not convex, one sharp; twists of a table. */
static void room_of(int kind, hik_swing *s) {
  static const double half[][4] = {{1.9, 1.7, 0.7, 1},  {0.3, 0.5, 0.2, 0.4},   {2.9, 3.1, 2.5, 2.8},
                                   {1.2, 1e-9, 0.4, 0}, {HIK_PI, HIK_PI, 4, 5}, {0.02, 1.5, 0.03, 1.2}};
  static const double bent[6][2] = {{-2.6, 0.9}, {-0.7, 1.3}, {0.2, 1.2}, {0.6, 0.35}, {1.6, 1}, {2.8, 0.7}};
  static const double sharp[3][2] = {{0, 1.2}, {0.12, 1.1}, {3.1, 1}};
  static const double knots[4][3] = {{-3, -0.3, 0.4}, {-1, -1, 1.2}, {0.4, -0.2, 0.1}, {2, -0.9, 0.5}};
  *s = (hik_swing){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .twist = {-0.8, 1.1}};
  for (int i = 0; i < 4; i++) s->half[i] = kind < 6 ? half[kind][i] : HIK_PI;
  if (kind == 4) s->twist[0] = -HIK_PI, s->twist[1] = HIK_PI;
  if (kind == 6 || kind == 9) CHECK(!hik_polygon_set(s, bent[0], 6, memory[0], memory[1]));
  if (kind == 7) CHECK(!hik_polygon_set(s, sharp[0], 3, memory[0], memory[1]));
  if (kind == 8 || kind == 10) memcpy(s->half, half[kind == 8 ? 0 : 5], sizeof s->half);
  if (kind >= 8) CHECK(!hik_twists_set(s, knots[0], 4, 0.9, memory[2]));
}

/* Steadily by w; or along v t + (t^2 - t) bow, whose second derivative 2 bow bounds its angular acceleration (plan/cones.c). */
typedef struct way {
  double from[4], w[3], bow[3];
} way;

static void at(const way *y, double t, double q[4]) {
  double x[3], step[4];
  for (int i = 0; i < 3; i++) x[i] = t * y->w[i] + (t * t - t) * y->bow[i];
  hik_quat_exp(x, step);
  hik_quat_mul(y->from, step, q);
  hik_quat_make_unit(q);
}

/* What of the tangent's motion a ball makes: turn and bend of hik_swing_between, on a part `wide` of t. */
static void rates(const way *y, double wide, double *turn, double *bend) {
  double bow = hik_norm(y->bow), fast = hik_norm(y->w) + bow;
  *turn = wide * fast, *bend = bow > 0 ? wide * wide * (2 * bow + 0.5 * fast * fast) : 0;
}

static double sided(hik_rng *rng) { return 2 * hik_rng_uniform(rng) - 1; }

static void draw(hik_rng *rng, const hik_swing *s, bool curved, double long_, way *y) {
  hik_swing_random(s, rng, y->from);
  double axis[3] = {sided(rng), sided(rng), sided(rng)};
  hik_unit(axis, axis);
  for (int i = 0; i < 3; i++) y->w[i] = long_ * axis[i], y->bow[i] = 0;
  if (!curved) return;
  for (int i = 0; i < 3; i++) y->bow[i] = 0.3 * long_ * sided(rng);
}

static void test_nothing_on_a_way_is_beyond_the_bound(void) {
  static const double longs[] = {1.5, 0.5, 0.2, 0.05, 0.01};
  hik_rng rng = hik_rng_start(3, 1);
  for (int kind = 0; kind < ROOMS; kind++) {
    hik_swing s;
    int known = 0, tight = 0, touched = 0;
    room_of(kind, &s);
    for (int n = 0; n < CHECK_REPEATS(4000, 300); n++) {
      double long_ = longs[n % 5], turn, bend, q[4], x[3], a[3], b[3], most = 0;
      way y;
      draw(&rng, &s, n % 2, long_, &y);
      rates(&y, 1, &turn, &bend);
      hik_swing_split(&s, y.from, a), at(&y, 1, q), hik_swing_split(&s, q, b);
      double bound = hik_swing_between(&s, a, b, turn, bend);
      for (int i = 0; i <= POINTS; i++) {
        at(&y, (double)i / POINTS, q), hik_swing_split(&s, q, x);
        most = fmax(most, hik_swing_excess(&s, x));
      }
      CHECK(most <= bound + 1e-9 + hik_swing_rounding(a));
      known += bound < INFINITY, touched += most > 1e-9;
      double ends = fmax(hik_swing_excess(&s, a), hik_swing_excess(&s, b));
      tight += long_ <= 0.01 && bound - ends < 2e-3;
    }
    CHECK(known > CHECK_REPEATS(1500, 100) && tight > CHECK_REPEATS(150, 8) && (touched > 0 || kind == 4));
  }
}

/* Of halves of a way that is well inside everything becomes known; of one along the edge the bound falls with the square. */
static void test_it_falls_with_the_square_of_the_turn(void) {
  hik_swing s;
  room_of(1, &s);
  double last = 0;
  for (int k = 0; k < 4; k++) {
    double turn = 0.1 / (1 << k), a[3] = {0.3, 0, 0}, q[4], b[3], from[4];
    way y = {.w = {turn, 0, 0}}; /* at the tip of the cone, the bone moves along the edge */
    hik_swing_join(&s, a, from);
    memcpy(y.from, from, sizeof from);
    at(&y, 1, q), hik_swing_split(&s, q, b);
    double bound = hik_swing_between(&s, a, b, turn, 0) - hik_swing_excess(&s, b);
    CHECK(bound > 0 && bound < turn * turn && (k == 0 || (bound > last / 6 && bound < last / 3)));
    last = bound;
  }
}

/* A twist that passes half a turn comes out on the other side: nothing is known of it. */
static void test_half_a_turn_of_twist_is_not_passed(void) {
  hik_swing s;
  room_of(0, &s);
  s.twist[0] = -HIK_PI + 0.1, s.twist[1] = HIK_PI - 0.1;
  const double a[3] = {0.1, 0, HIK_PI - 0.2}, b[3] = {0.1, 0, -HIK_PI + 0.2};
  CHECK(hik_swing_between(&s, a, b, 0.4, 0) == INFINITY);
  CHECK(hik_swing_between(&s, a, a, 0.05, 0) <= 0);
  s.twist[0] = -HIK_PI, s.twist[1] = HIK_PI;
  CHECK(hik_swing_between(&s, a, b, 0.4, 0) <= 0);
}

/* Limits of the twist that close in between two ends where they are wide: at one azimuth, across the line where azimuths begin
   anew, and at rest. */
static void test_a_twist_may_be_too_much_between_its_ends(void) {
  static const double spike[2][4][3] = {{{-2, -1, 1}, {-0.01, -1, 1}, {0, -1, 0.98}, {0.01, -1, 1}},
                                        {{-3.1415, -1, 0.98}, {-3.1315, -1, 1}, {0, -1, 1}, {3.1317, -1, 1}}};
  static const double one[1][3] = {{0, -1.5, 1.5}};
  for (int kind = 0; kind < 3; kind++) {
    hik_swing s;
    room_of(4, &s);
    s.twist[0] = -1, s.twist[1] = kind == 2 ? 0.1 : 1;
    CHECK(!hik_twists_set(&s, kind == 2 ? one[0] : spike[kind][0], kind == 2 ? 1 : 4, kind == 2 ? 0.3 : 1.4,
                          memory[2]));
    const double side = kind == 0 ? 1 : -1, wide = 0.016, swing = 1.5;
    double a[3] = {side * swing * cos(wide), -swing * sin(wide), 0.9995}, b[3] = {a[0], -a[1], 0.9995}, q[4],
           x[3];
    if (kind == 2) a[0] = 0.3, a[1] = 0, b[0] = -0.3, a[2] = b[2] = 0.5, b[1] = 0;
    double from[4], to[4], back[4], step[4], most = 0;
    hik_swing_join(&s, a, from), hik_swing_join(&s, b, to);
    back[0] = from[0];
    for (int i = 1; i < 4; i++) back[i] = -from[i];
    hik_quat_mul(back, to, step);
    way y = {.bow = {0}};
    memcpy(y.from, from, sizeof from), hik_quat_log(step, y.w);
    for (int i = 0; i <= POINTS; i++) {
      at(&y, (double)i / POINTS, q), hik_swing_split(&s, q, x);
      most = fmax(most, hik_swing_excess(&s, x));
    }
    CHECK(hik_swing_excess(&s, a) <= 0 && hik_swing_excess(&s, b) <= 0 && most > 0.01);
    CHECK(hik_swing_between(&s, a, b, hik_norm(y.w), 0) >= most);
  }
}

/* Where azimuths begin anew is a place like any other: a table and a way turned about the bone have the same bound. */
static void test_azimuths_may_begin_anywhere(void) {
  static const double rows[4][3] = {{-2.8, -0.3, 0.4}, {-1, -1, 1.2}, {-0.7, -0.2, 0.1}, {2, -0.9, 0.5}};
  double first = 0;
  for (int k = 0; k < 4; k++) {
    double knots[4][3], by = k == 0 ? 0 : HIK_PI - 0.1 - rows[3 - k][0]; /* another row is the last one */
    hik_swing s;
    room_of(4, &s);
    s.twist[0] = -0.8, s.twist[1] = 1.1;
    for (int i = 0; i < 4; i++) {
      memcpy(knots[i], rows[(i + 4 - k) % 4], sizeof *knots);
      knots[i][0] += by - (i < k && k > 0 ? 2 * HIK_PI : 0);
    }
    CHECK(!hik_twists_set(&s, knots[0], 4, 0.9, memory[2]));
    const double a[3] = {0.9 * cos(0.3 + by), 0.9 * sin(0.3 + by), 0.3},
                 b[3] = {0.9 * cos(0.35 + by), 0.9 * sin(0.35 + by), 0.3};
    double bound = hik_swing_between(&s, a, b, 0.06, 0);
    if (k == 0) first = bound;
    CHECK(bound > 0 && fabs(bound - first) < 1e-9 * first);
  }
}

/* Swing, azimuth and the table's share at one place of a way. */
static void polar(const hik_swing *s, const way *y, double t, double *r, double *azimuth) {
  double q[4], x[3];
  at(y, t, q), hik_swing_split(s, q, x);
  *r = sqrt(x[0] * x[0] + x[1] * x[1]), *azimuth = hik_atan2(x[1], x[0]);
}

/* The upper limit of the table itself at an azimuth. */
static double table_at(const hik_swing *s, double azimuth) {
  const double uv[2] = {s->full * cos(azimuth), s->full * sin(azimuth)};
  double limit[2];
  hik_twist_at(s, uv, limit, NULL);
  return limit[1];
}

/* The limit of the twist is rest + S(r) (T(azimuth) - rest): its second derivative along a way has five parts, and the bound
   has the most that each can be. Each part is measured on ways and kept by its own share, which some ways come near to; and
   the bound is the sum of the shares, none left out. */
static void test_each_part_of_a_table_has_its_share(void) {
  static const double rows[2][3] = {{-1.6, -0.2, 0.3}, {1.5, -1.4, 1.5}};
  hik_rng rng = hik_rng_start(5, 1);
  hik_swing s;
  double used[4] = {0}, limit[2];
  room_of(4, &s);
  s.twist[0] = -0.8, s.twist[1] = 0.9;
  CHECK(!hik_twists_set(&s, rows[0], 2, 1.6, memory[2]));
  const double jump = 1.2, narrow = 3.1, off = 0.6, full = s.full * s.full;
  const double first = 1.5 * jump / narrow, second = 6 * jump / (narrow * narrow);
  for (int n = 0; n < CHECK_REPEATS(20000, 2000); n++) {
    const double turn = 1e-3, h = 0.1, swing = 0.06 + 1.5 * hik_rng_uniform(&rng),
                 round = HIK_PI * sided(&rng);
    double a[3] = {swing * cos(round), swing * sin(round), 0}, b[3], q[4], r[3], azimuth[3];
    double axis[3] = {sided(&rng), sided(&rng), sided(&rng)};
    way y = {.bow = {0}};
    hik_unit(axis, axis), hik_swing_join(&s, a, y.from);
    for (int i = 0; i < 3; i++) y.w[i] = turn * axis[i];
    at(&y, 1, q), hik_swing_split(&s, q, b);
    for (int i = 0; i < 3; i++) polar(&s, &y, 0.5 + h * (i - 1), r + i, azimuth + i);
    if (fabs(azimuth[2] - azimuth[0]) > 1) continue; /* azimuths begin anew between them */
    double wider = 0.5 * (swing + sqrt(b[0] * b[0] + b[1] * b[1]) + turn), p = wider / sin(wider);
    double square = turn * turn, bent = 0.5 * square, share[4], part[4];
    share[0] = 6 * off / full * (square + p * square + wider * bent);
    share[1] = 6 * first / full * p * square;
    share[2] = 3 * second / full * p * p * square;
    share[3] = 3 * first / full * (p * p * square + wider * p * bent);
    /* the parts in the middle, by differences */
    double dr = (r[2] - r[0]) / (2 * h), ddr = (r[2] - 2 * r[1] + r[0]) / (h * h), t = r[1] / s.full,
           k = 1e-4;
    double da = (azimuth[2] - azimuth[0]) / (2 * h),
           dda = (azimuth[2] - 2 * azimuth[1] + azimuth[0]) / (h * h);
    double low = table_at(&s, azimuth[1] - k), mid = table_at(&s, azimuth[1]),
           high = table_at(&s, azimuth[1] + k);
    double slope = (high - low) / (2 * k), bend = (high - 2 * mid + low) / (k * k);
    if (t >= 1) t = 1; /* the table alone */
    double S = t * t * (3 - 2 * t), dS = 6 * t * (1 - t) / s.full, ddS = t < 1 ? 6 * (1 - 2 * t) / full : 0;
    part[0] = (ddS * dr * dr + dS * ddr) * (mid - s.twist[1]);
    part[1] = 2 * dS * slope * dr * da, part[2] = S * bend * da * da, part[3] = S * slope * dda;
    for (int i = 0; i < 4; i++) {
      CHECK(fabs(part[i]) <= share[i] * (1 + 1e-3) + 1e-11);
      used[i] = fmax(used[i], fabs(part[i]) / share[i]);
    }
    /* the bound: what the ends are beyond their limits, and an eighth of all shares and of the twist's own bend */
    double c = cos(0.5 * wider), beyond = 0, own = square / (c * c) + 0.5 * square / c;
    double expected = 0;
    for (int i = 0; i < 4; i++) expected += share[i];
    /* twists well beyond both ends' limits, so that the bound is more than 0 */
    a[2] = b[2] = 2;
    for (int i = 0; i < 2; i++) {
      hik_twist_at(&s, i ? b : a, limit, NULL);
      beyond = fmax(beyond, 2 - limit[1]);
    }
    CHECK_NEAR(hik_swing_between(&s, a, b, turn, 0), beyond + (expected + own) / 8, 1e-12);
  }
  for (int i = 0; i < 4; i++) CHECK(used[i] > 0.4);
}

/* Nothing passes the direction opposite to the bone at rest, nor ends nearer to it than all rooms do. */
static void test_the_back_is_not_passed(void) {
  hik_swing s;
  room_of(4, &s);
  const double a[3] = {HIK_PI - 2e-5, 0, 0};
  CHECK(hik_swing_between(&s, a, a, 1e-6, 0) <= 0);
  double near = hik_swing_between(&s, a, a, 2.4e-5, 0);
  CHECK(near > 1.9e-6 && near < 2.1e-6);
  CHECK(hik_swing_between(&s, a, a, 5e-5, 0) == INFINITY);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_nothing_on_a_way_is_beyond_the_bound);
  RUN(test_it_falls_with_the_square_of_the_turn);
  RUN(test_half_a_turn_of_twist_is_not_passed);
  RUN(test_a_twist_may_be_too_much_between_its_ends);
  RUN(test_azimuths_may_begin_anywhere);
  RUN(test_each_part_of_a_table_has_its_share);
  RUN(test_the_back_is_not_passed);
  CHECK_END();
}
