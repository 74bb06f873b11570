/* postures.inc.c: postures of an arm of six turns, several poses side by side in the lanes of a vector.

   Only + - * / sqrt and comparisons are used, and lanes never meet, so every width gives the same bytes.

   Purpose   the closed forms of analytic/pieper.c for poses in batches; the nearest posture also of arms of fewer turns,
             completed to six by joints that stay at rest (analytic/scheme.h)
   Given     hik_arm_plan; poses
   Returned  see postures.h
   Notes     The equations are those of pieper.c. Cosines and sines are carried to the end; each angle costs one arc
             tangent. Rows of rotations are carried through the loop instead of whole rotations: of the wrist's
             rotation two rows are used, of the far side of three parallel axes a row and a point.
             Postures are put in order by counting, of each, how many come before it: no branch depends on the data.
   Reference Pieper, "The kinematics of manipulators under computer control", Stanford AIM-72, 1968. */
#include "simd/postures_lanes.h"

enum { BRANCHES = HIK_ARM_BRANCHES };

/* The poses of one round. */
typedef struct lane_case {
  lane g[6][12];           /* links of the loop: rotation by rows, translation */
  lane theta[BRANCHES][8]; /* angles of the chain's six joints; the others are no numbers of anything */
  lane_mask there[BRANCHES], odd;
  int answers; /* of the pair of equations, one after the other: 4, or 1 where a pose has the lanes for itself */
} lane_case;

/* ---- reading ---- */

/* The nearest rotation where r is one to 1e-5; the lanes where it is none, or not finite. */
static lane_mask make_rotation(lane *r) {
  lane e[9], worst = lane_all(0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      e[3 * i + j] = e[3 * j + i] = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j] - (i == j);
      worst = lane_larger(lane_abs(e[3 * i + j]), worst);
    }
  lane_mask rough = worst > 4e-15, bad = ~(worst < 1e-5);
  for (int i = 0; i < 9; i++) bad |= ~(lane_abs(r[i]) < 2);
  if (LANE_BITS(rough)) { /* r (1 - e / 2 + 3/8 e e): the polar factor to third order */
    lane f[9], next[9];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        f[3 * i + j] = (i == j) - 0.5 * e[3 * i + j] +
                       0.375 * (e[3 * i] * e[j] + e[3 * i + 1] * e[3 + j] + e[3 * i + 2] * e[6 + j]);
    lane_times(r, f, next);
    for (int i = 0; i < 9; i++) r[i] = lane_choose(rough, next[i], r[i]);
  }
  lane volume = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                r[2] * (r[3] * r[7] - r[4] * r[6]);
  return bad | ~(volume > 0);
}

/* The link of the pose, last inverse(T) base. */
static void read_poses(const hik_arm_plan *arm, const double *T, int64_t first, int64_t n, lane_case *s) {
  lane at[12], r[9], back[12], last[12], base[12], x[12];
  if (n == 1) /* every lane has the one pose */
    lane_spread(T, 12, at);
  else
    lane_load_part(T, 12, 16, first, n, at);
  for (int i = 0; i < 9; i++) r[i] = at[4 * (i / 3) + i % 3];
  lane t[3] = {at[3] * (1 / arm->scale), at[7] * (1 / arm->scale), at[11] * (1 / arm->scale)};
  s->odd = make_rotation(r) | ~(lane_abs(t[0]) + lane_abs(t[1]) + lane_abs(t[2]) < 1e6);
  for (int i = 0; i < 9; i++) back[i] = r[3 * (i % 3) + i / 3];
  lane_rotate_back(r, t, x);
  for (int i = 0; i < 3; i++) back[9 + i] = -x[i];
  lane_spread((const double *)&arm->last, 12, last);
  lane_spread((const double *)&arm->base, 12, base);
  times_pose(back, base, x);
  times_pose(last, x, s->g[arm->at]);
}

/* ---- one pose ---- */

/* The answers of the pair of equations for one pose, which fills all lanes, become one answer a lane. */
static void side_by_side(lane_turn *first, lane_turn *second, lane_mask *there, lane *x, lane *y) {
  for (int k = 1; k < 4 && k < LANES; k++) {
    first->x[k] = first[k].x[k], first->y[k] = first[k].y[k];
    second->x[k] = second[k].x[k], second->y[k] = second[k].y[k];
    there[0][k] = there[k][k], x[0][k] = x[k][k], y[0][k] = y[k][k];
  }
}

/* ---- three axes that meet ---- */

HIK_INLINE void column_of(const lane *r, int j, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = r[3 * i + j];
}

/* (0, 0, p2), the part of cosine, the part of sine of a point that joint 1 moves backwards (sign -1) or joint 3 forwards. */
HIK_INLINE void moved_parts(double sign, const lane *p, lane v[3][3]) {
  const lane none = lane_all(0);
  v[0][0] = none, v[0][1] = none, v[0][2] = p[2];
  v[1][0] = p[0], v[1][1] = p[1], v[1][2] = none;
  v[2][0] = -sign * p[1], v[2][1] = sign * p[0], v[2][2] = none;
}

/* position_pair of pieper.c for turns. */
static void wrist_pair(const lane_case *s, const lane *p, const lane *g, lane_pair *pair) {
  const lane *t1 = s->g[0] + 9, *t2 = s->g[1] + 9, *z2 = s->g[1] + 6;
  lane w[3][3], v[3][3], back[3], z1[3];
  moved_parts(-1, p, w);
  moved_parts(1, g, v);
  lane_rotate_back(s->g[1], t2, back);
  column_of(s->g[0], 2, z1);
  for (int k = 0; k < 3; k++) pair->a[0][k] = lane_dot(z1, w[k]), pair->a[1][k] = -lane_dot(t1, w[k]);
  pair->a[0][0] -= lane_dot(z1, t1) + z2[2] * g[2] + t2[2];
  pair->a[1][0] +=
      0.5 * (lane_dot(p, p) + lane_dot(t1, t1) - lane_dot(g, g) - lane_dot(t2, t2)) - back[2] * g[2];
  for (int k = 0; k < 2; k++)
    pair->b[0][k] = -lane_dot(z2, v[1 + k]), pair->b[1][k] = -lane_dot(back, v[1 + k]);
}

/* What hik_three_turns does: the angles of the two answers. */
typedef struct lane_wrist {
  lane_mask there;
  lane turn[2][3], error;
} lane_wrist;

/* The two turns beside a middle one that is known, of J G1 J G2 J: the first brings `far`, carried through the middle turn and
   G1 (with its shift, or turned alone), onto `to`; of what all three make `x` is the first row that they undo. */
HIK_INLINE void outer_turns(const lane *g1, const lane *g2, bool shifted, const lane *far, const lane *to,
                            const lane *x, lane_turn middle, int i, lane_mask *odd, lane_wrist *out) {
  lane v[3], y[3];
  turn_by(middle, far, v);
  if (shifted)
    lane_point(g1, v, y);
  else
    lane_rotate(g1, v, y);
  lane_turn first = turn_onto(y, to, out->there, odd);
  lane error = turned_off(first, y, to);
  turn_back(first, x, v);
  lane_rotate_back(g1, v, y);
  turn_back(middle, y, v);
  lane_rotate_back(g2, v, y);
  error = lane_larger(error, lane_abs(y[0] * y[0] + y[1] * y[1] - 1));
  out->error = i ? lane_larger(error, out->error) : error;
  out->turn[i][0] = lane_angle(first);
  out->turn[i][1] = lane_angle(middle);
  out->turn[i][2] = lane_angle((lane_turn){y[0], y[1]});
}

/* `z` and `x` are rows 2 and 0 of what the wrist must undo. */
static void wrist_turns(const lane_case *s, bool square, double mean, const lane *z, const lane *x,
                        lane_mask there, lane_mask *odd, lane_wrist *out) {
  const lane *g4 = s->g[3], *g5 = s->g[4], *u = g4 + 6;
  lane w[3];
  lane_turn middle[2];
  column_of(g5, 2, w);
  out->there =
      two_turns(u[2] * w[2] - z[2], u[0] * w[0] + u[1] * w[1], u[1] * w[0] - u[0] * w[1], there, odd, middle);
  for (int i = 0; i < 2; i++) {
    if (i == 1 && square) { /* right angles: the other answer is the wrist flipped over */
      lane turned = 2 * mean - out->turn[0][1];
      turned = lane_choose(turned > HIK_PI, turned - 2 * HIK_PI, turned);
      out->turn[1][1] = lane_choose(turned <= -HIK_PI, turned + 2 * HIK_PI, turned);
      for (int k = 0; k < 3; k += 2)
        out->turn[1][k] =
            lane_choose(out->turn[0][k] > 0, out->turn[0][k] - HIK_PI, out->turn[0][k] + HIK_PI);
      return;
    }
    outer_turns(g4, g5, false, w, z, x, middle[i], i, odd, out);
  }
}

/* Two postures of answer k: three joints of the loop from `at` on as told, the other three by `turns`. */
static void keep_two(const hik_arm_plan *arm, int at, const lane angle[3], const lane_wrist *turns, int k,
                     lane_case *s) {
  for (int j = 0; j < 2; j++) {
    lane *theta = s->theta[2 * k + j];
    s->there[2 * k + j] = turns->there;
    for (int i = 0; i < 3; i++) {
      theta[(arm->shift + at + i) % 6] = angle[i];
      theta[(arm->shift + 3 - at + i) % 6] = turns->turn[j][i];
    }
  }
}

/* A row carried through a turn and a link's rotation. */
HIK_INLINE void carry_row(lane_turn u, const lane *r, lane *row) {
  lane v[3];
  turn_back(u, row, v);
  lane_rotate_back(r, v, row);
}

static void solve_wrist(const hik_arm_plan *arm, lane_case *s) {
  const double *u = arm->g[3].r + 6, *g5 = arm->g[4].r;
  bool square = fabs(u[2]) < 1e-15 && fabs(g5[8]) < 1e-15;
  double mean = hik_atan2(u[1] * g5[2] - u[0] * g5[5], u[0] * g5[2] + u[1] * g5[5]);
  const lane *g6 = s->g[5];
  lane p[3], g[3], v[3], x1[4], x3[4];
  lane_turn first[4], third[4];
  lane_mask there[4];
  lane_pair pair;
  lane_wrist wrist;
  v[0] = -g6[9], v[1] = -g6[10], v[2] = arm->there - g6[11];
  lane_rotate_back(g6, v, p);
  for (int i = 0; i < 3; i++) g[i] = s->g[2][3 * i + 2] * arm->here + s->g[2][9 + i];
  wrist_pair(s, p, g, &pair);
  pair_solve(arm->pair, &pair, &s->odd, first, third, there, x1, x3);
  if (s->answers == 1) side_by_side(first, third, there, x1, x3);
  for (int k = 0; k < s->answers; k++) {
    lane a[3], b[3], row[2][3];
    turn_back(first[k], p, v);
    for (int i = 0; i < 3; i++) v[i] -= s->g[0][9 + i];
    lane_rotate_back(s->g[0], v, a);
    turn_by(third[k], g, v);
    lane_point(s->g[1], v, b);
    lane_turn second = turn_onto(b, a, there[k], &s->odd);
    lane gap = turned_off(second, b, a);
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 3; j++) row[i][j] = g6[6 * i + j];
      carry_row(first[k], s->g[0], row[i]);
      carry_row(second, s->g[1], row[i]);
      carry_row(third[k], s->g[2], row[i]);
    }
    wrist_turns(s, square, mean, row[1], row[0], there[k], &s->odd, &wrist);
    s->odd |= wrist.there & ~(lane_larger(gap, wrist.error) < HIK_POSTURE_GOOD);
    const lane angle[3] = {x1[k], lane_angle(second), x3[k]};
    keep_two(arm, 0, angle, &wrist, k, s);
  }
}

/* ---- three parallel axes ---- */

/* The pair of hik_parallel_solve; e and u as there. */
static void parallel_pair(const lane_case *s, lane *e, lane *u, lane_pair *pair) {
  const lane one = lane_all(1);
  lane a = lane_choose(s->g[0][8] < 0, -one, one), sign = lane_choose(s->g[0][8] * s->g[1][8] < 0, -one, one);
  lane along = s->g[0][11] + a * s->g[1][11], z4[3], back5[3], w[3][3], v[3][3];
  const lane *z5 = s->g[4] + 6, *t4 = s->g[3] + 9;
  for (int i = 0; i < 3; i++) e[i] = sign * s->g[2][6 + i];
  column_of(s->g[5], 2, u);
  column_of(s->g[3], 2, z4);
  lane_rotate_back(s->g[4], s->g[4] + 9, back5);
  moved_parts(-1, e, w);
  moved_parts(1, u, v);
  for (int k = 0; k < 3; k++) pair->a[0][k] = lane_dot(z4, w[k]), pair->a[1][k] = lane_dot(t4, w[k]);
  pair->a[0][0] -= z5[2] * u[2];
  pair->a[1][0] += back5[2] * u[2] + sign * s->g[2][11] + lane_dot(u, s->g[5] + 9) + along;
  for (int k = 0; k < 2; k++)
    pair->b[0][k] = -lane_dot(z5, v[1 + k]), pair->b[1][k] = lane_dot(back5, v[1 + k]);
}

/* Three joints in a plane: J1 G1 J2 G2 J3 = goal, of which `x` is the first column and `t` the shift. */
static void plane_turns(const lane_case *s, const lane *x, const lane *t, lane_mask there, lane_mask *odd,
                        lane_wrist *out) {
  const lane *g1 = s->g[0], *g2 = s->g[1], *t1 = g1 + 9, *t2 = g2 + 9;
  lane back[3];
  lane_turn second[2];
  lane_rotate_back(g1, t1, back);
  lane a = 0.5 * (t1[0] * t1[0] + t1[1] * t1[1] + t2[0] * t2[0] + t2[1] * t2[1] - t[0] * t[0] - t[1] * t[1]);
  out->there =
      two_turns(a, back[0] * t2[0] + back[1] * t2[1], back[1] * t2[0] - back[0] * t2[1], there, odd, second);
  for (int i = 0; i < 2; i++) outer_turns(g1, g2, true, t2, t, x, second[i], i, odd, out);
}

static void solve_parallel(const hik_arm_plan *arm, lane_case *s) {
  lane e[3], u[3], x4[4], x6[4];
  lane_turn fourth[4], sixth[4];
  lane_mask there[4];
  lane_pair pair;
  lane_wrist plane;
  parallel_pair(s, e, u, &pair);
  pair_solve(arm->pair, &pair, &s->odd, fourth, sixth, there, x4, x6);
  if (s->answers == 1) side_by_side(fourth, sixth, there, x4, x6);
  for (int k = 0; k < s->answers; k++) {
    lane from[3], to[3], v[3], row[3], t[3];
    turn_back(fourth[k], e, v);
    lane_rotate_back(s->g[3], v, to);
    turn_by(sixth[k], u, v);
    lane_rotate(s->g[4], v, from);
    lane_turn fifth = turn_onto(from, to, there[k], &s->odd);
    /* what joints 1 2 3 must do, (G3 J4 G4 J5 G5 J6 G6)^-1: its first column, and its shift */
    const lane_turn *const turns[3] = {&fourth[k], &fifth, &sixth[k]};
    for (int j = 0; j < 3; j++) row[j] = s->g[2][j];
    for (int j = 0; j < 3; j++) carry_row(*turns[j], s->g[3 + j], row);
    for (int i = 0; i < 3; i++) v[i] = -s->g[2][9 + i];
    lane_rotate_back(s->g[2], v, t);
    for (int j = 0; j < 3; j++) {
      turn_back(*turns[j], t, v);
      for (int i = 0; i < 3; i++) v[i] -= s->g[3 + j][9 + i];
      lane_rotate_back(s->g[3 + j], v, t);
    }
    plane_turns(s, row, t, there[k], &s->odd, &plane);
    s->odd |= plane.there & ~(lane_larger(turned_off(fifth, from, to), plane.error) < HIK_POSTURE_GOOD);
    const lane angle[3] = {x4[k], lane_angle(fifth), x6[k]};
    keep_two(arm, 3, angle, &plane, k, s);
  }
}

/* ---- coordinates, order, writing ---- */

/* lane_floor of numbers of any size */
HIK_INLINE lane any_floor(lane x) { return lane_choose(lane_abs(x) < 1e15, lane_floor(x), x); }

/* Turns joint i of one branch into the limits where that can be, and into them by rounding. */
static lane_mask turn_into(const hik_arm_plan *arm, int i, lane *angle) {
  double period = 2 * HIK_PI / fabs(arm->line[i][0]), low = arm->lower[i], high = arm->upper[i];
  const lane least = lane_all(low - HIK_AT_LIMIT), most = lane_all(high + HIK_AT_LIMIT);
  lane x = *angle;
  lane_mask out = ~((x >= least) & (x <= most));
  lane first = -any_floor((x - least) / period), last = any_floor((most - x) / period);
  lane turns = lane_choose(first > 0, first, lane_choose(last < 0, last, lane_all(0)));
  lane_mask fits = first <= last;
  x = lane_choose(out & fits, x + period * turns, x);
  lane_mask good = ~out | (fits & (x >= least) & (x <= most));
  *angle = lane_clip(x, low, high);
  return good;
}

/* Angles to coordinates inside the limits, as hik_chain_unwind; a posture that cannot be turned into them is lost. */
static void unwind(const hik_arm_plan *arm, lane_case *s) {
  for (int i = 0; i < 6; i++) {
    double factor = arm->line[i][0], offset = arm->line[i][1];
    const lane low = lane_all(arm->lower[i]), high = lane_all(arm->upper[i]);
    lane_mask out = {0};
    if (factor != 1 || offset != 0)
      for (int b = 0; b < BRANCHES; b++) s->theta[b][i] = (s->theta[b][i] - offset) / factor;
    for (int b = 0; b < BRANCHES; b++)
      out |= s->there[b] & ~((s->theta[b][i] >= low) & (s->theta[b][i] <= high));
    for (int b = 0; b < BRANCHES && LANE_BITS(out); b++) s->there[b] &= turn_into(arm, i, &s->theta[b][i]);
  }
}

/* How many of a lane's postures come before each: by the first coordinate that differs by more than 1e-9. Where that
   is not clear the lane is odd. Returns the numbers of postures. */
static lane_mask put_in_order(lane_case *s, lane_mask rank[BRANCHES]) {
  lane_mask count = {0};
  for (int b = 0; b < BRANCHES; b++) rank[b] = (lane_mask){0}, count -= s->there[b];
  for (int b = 1; b < BRANCHES; b++)
    for (int a = 0; a < b; a++) {
      lane_mask open = s->there[a] & s->there[b], before = {0};
      for (int i = 0; i < 6 && LANE_BITS(open); i++) {
        lane d = s->theta[b][i] - s->theta[a][i], size = lane_abs(d);
        lane_mask apart = size > 1e-8;
        s->odd |= open & ~apart & (size > 1e-10);
        before |= open & apart & (d > 0);
        open &= ~apart;
      }
      s->odd |= open; /* the same posture twice */
      rank[b] -= before;
      rank[a] -= s->there[a] & s->there[b] & ~before;
    }
  return count;
}

/* Writes LANES poses, or fewer. What a lane does not have goes to the last row, which is filled afterwards. */
static void write_poses(const hik_arm_plan *arm, bool straight, const lane_case *s, const lane_mask *rank,
                        const lane_mask *count, int poses, double *q, int32_t *counts) {
  size_t nq = (size_t)arm->nq, all = (size_t)arm->rows, block = all * nq;
  for (int b = 0; b < BRANCHES; b++) {
    double rows[LANES][8];
    lane_mask at = (rank[b] & s->there[b]) | (~s->there[b] & (arm->rows - 1));
    lane_store(s->theta[b], 8, 0, LANES, rows[0]);
    for (int l = 0; l < poses; l++) {
      double *row = q + (size_t)l * block + (size_t)at[l] * nq;
      if (straight) {
        memcpy(row, rows[l], 6 * sizeof *row);
      } else {
        memcpy(row, arm->rest, nq * sizeof *row);
        for (int i = 0; i < 6; i++) row[arm->q[i]] = rows[l][i];
      }
    }
  }
  for (int l = 0; l < poses; l++, q += block) {
    size_t n = (size_t)(*count)[l];
    counts[l] = s->odd[l] ? -1 : (int32_t)n;
    for (; n < BRANCHES; n++)
      for (size_t i = 0; i < nq; i++) q[n * nq + i] = NAN;
    for (size_t i = n * nq; i < block; i++) q[i] = NAN;
  }
}

/* The links; whether the coordinates are the joints in their order. */
static bool set_up(const hik_arm_plan *arm, int answers, lane_case *s) {
  bool straight = arm->nq == arm->joints;
  s->answers = answers;
  for (int i = 0; i < 6; i++) {
    straight = straight && (i >= arm->joints || arm->q[i] == i);
    lane_spread((const double *)&arm->g[i], 12, s->g[i]);
  }
  return straight;
}

static void solve_poses(const hik_arm_plan *arm, const double *T, int64_t first, int64_t n, lane_case *s) {
  read_poses(arm, T, first, n, s);
  (arm->wrist ? solve_wrist : solve_parallel)(arm, s);
}

static void all_postures(const hik_arm_plan *arm, int64_t n, const double *T, double *q, int32_t *count,
                         uint8_t *free, bool *sure) {
  lane_case s;
  bool straight = set_up(arm, 4, &s);
  memset(free, 0, (size_t)n * (size_t)arm->rows);
  memset(sure, 1, (size_t)n * sizeof *sure);
  for (int64_t first = 0; first < n; first += LANES) {
    lane_mask rank[BRANCHES], many;
    solve_poses(arm, T, first, n, &s);
    unwind(arm, &s);
    many = put_in_order(&s, rank);
    write_poses(arm, straight, &s, rank, &many, n - first < LANES ? (int)(n - first) : LANES,
                q + (size_t)first * (size_t)arm->rows * (size_t)arm->nq, count + first);
  }
}

/* ---- the nearest ---- */

/* How far the postures are from the start: the largest move of a joint, the sum of all squares. */
typedef struct lane_moves {
  lane most[BRANCHES], sum[BRANCHES];
} lane_moves;

/* Joint i of every branch: its coordinate, by whole turns as near to the start as the limits let it be. Of a start inside
   them the nearest turn is inside too, or the next one towards the start; one beyond a limit stands for that limit. */
static void turn_near(const hik_arm_plan *arm, int i, lane start, lane_case *s, lane_moves *moves) {
  const int branches = 2 * s->answers;
  const double round = 6755399441055744.0; /* added and taken off: the nearest whole number */
  double factor = arm->line[i][0], offset = arm->line[i][1], low = arm->lower[i], high = arm->upper[i];
  double period = 2 * HIK_PI / fabs(factor), rate = 1 / period;
  bool plain = factor == 1 && offset == 0, narrow = plain && low > 1e-8 - HIK_PI && high < HIK_PI - 1e-8;
  const lane least = lane_all(low - HIK_AT_LIMIT), most = lane_all(high + HIK_AT_LIMIT),
             turn = lane_all(period), inside = LANE_MIN(LANE_MAX(start, lane_all(low)), lane_all(high));
  for (int b = 0; b < branches; b++) {
    lane x = s->theta[b][i];
    if (!plain) x = (x - offset) / factor;
    if (!narrow) {
      x += period * (((inside - x) * rate + round) - round);
      x -= (lane)((x > most) & (lane_mask)turn);
      x += (lane)((x < least) & (lane_mask)turn);
    }
    s->there[b] &= (x >= least) & (x <= most);
    x = lane_choose(x < low, lane_all(low), x);
    x = lane_choose(x > high, lane_all(high), x);
    s->theta[b][i] = x;
    lane move = x - start;
    moves->most[b] = lane_larger(lane_abs(move), moves->most[b]);
    moves->sum[b] += move * move;
  }
}

/* The starts into lanes [6], and the answers back. */
static void load_starts(const hik_arm_plan *arm, bool straight, int64_t first, int64_t n, const double *q,
                        lane *start) {
  if (straight && arm->joints == 6) {
    lane_load(q, 6, first, n, start);
    return;
  }
  for (int l = 0; l < LANES; l++) {
    const double *row = q + (size_t)(first + l < n ? first + l : n - 1) * (size_t)arm->nq;
    for (int i = 0; i < arm->joints; i++) start[i][l] = row[arm->q[i]];
  }
}

static void store_answers(const hik_arm_plan *arm, bool straight, const lane *answer, int64_t first,
                          int64_t n, double *q) {
  if (straight && arm->joints == 6) {
    lane_store(answer, 6, first, n, q);
    return;
  }
  for (int l = 0; l < LANES && first + l < n; l++)
    for (int i = 0; i < arm->joints; i++)
      q[(size_t)(first + l) * (size_t)arm->nq + (size_t)arm->q[i]] = answer[i][l];
}

/* A posture of a short arm leaves the joints added to it at rest; what is near that is for Newton's method. */
static void leave_added(const hik_arm_plan *arm, lane_case *s) {
  for (int b = 0; b < 2 * s->answers; b++) {
    lane idle = lane_all(0);
    for (int i = arm->joints; i < 6; i++) idle += lane_abs(s->theta[b][i]);
    s->there[b] &= ~(idle > HIK_ADDED_IDLE);
    s->odd |= s->there[b] & ~(idle < HIK_POSTURE_GOOD);
  }
}

/* Turns all joints near to the start. */
static void turn_all(const hik_arm_plan *arm, const lane *start, lane_case *s, lane_moves *moves) {
  if (arm->joints < 6) leave_added(arm, s);
  for (int i = 0; i < arm->joints; i++) {
    s->odd |= ~(lane_abs(start[i]) < 1e6); /* beyond, whole turns take digits from the answer */
    turn_near(arm, i, start[i], s, moves);
  }
}

static bool nearest_postures(const hik_arm_plan *arm, int64_t n, const double *T, double *q,
                             hik_nearest_found *found) {
  lane_case s;
  bool straight = set_up(arm, 4, &s);
  uint32_t left = 0;
  for (int64_t first = 0; first < n; first += LANES) {
    lane start[6], answer[6], least = lane_all(INFINITY), sum = least;
    lane_moves moves = {0};
    load_starts(arm, straight, first, n, q, start);
    solve_poses(arm, T, first, n, &s);
    turn_all(arm, start, &s, &moves);
    for (int i = 0; i < arm->joints; i++) answer[i] = start[i];
    for (int b = 0; b < BRANCHES; b++) {
      lane move = moves.most[b];
      lane_mask nearer = s.there[b] & ((move < least - HIK_NEAREST_TIE) |
                                       ((move < least + HIK_NEAREST_TIE) & (moves.sum[b] < sum)));
      least = lane_choose(nearer, move, least), sum = lane_choose(nearer, moves.sum[b], sum);
      for (int i = 0; i < arm->joints; i++) answer[i] = lane_choose(nearer, s.theta[b][i], answer[i]);
    }
    uint32_t odd = LANE_BITS(s.odd);
    left |= odd;
    for (int i = 0; i < arm->joints && odd; i++) answer[i] = lane_choose(s.odd, start[i], answer[i]);
    store_answers(arm, straight, answer, first, n, q);
    lane_mask said = (s.odd & HIK_NEAREST_LEFT) | (~s.odd & (least < INFINITY) & HIK_NEAREST_FOUND);
    for (int l = 0; l < LANES && first + l < n; l++) found[first + l] = (hik_nearest_found)said[l];
  }
  return left != 0;
}

#if LANES == 4
/* The same for one pose, an answer of the pair of equations a lane. */
hik_nearest_found hik_nearest_one(const hik_arm_plan *arm, const double *T, double *q) {
  lane_case s;
  bool straight = set_up(arm, 1, &s);
  lane start[6];
  lane_moves moves = {0};
  double least = INFINITY, sum = INFINITY;
  int best = -1;
  load_starts(arm, straight, 0, 1, q, start);
  solve_poses(arm, T, 0, 1, &s);
  turn_all(arm, start, &s, &moves);
  for (int b = 0; b < BRANCHES; b++) {
    double move = moves.most[b % 2][b / 2], square = moves.sum[b % 2][b / 2];
    if (!s.there[b % 2][b / 2] ||
        !(move < least - HIK_NEAREST_TIE || (move < least + HIK_NEAREST_TIE && square < sum)))
      continue;
    least = move, sum = square, best = b;
  }
  if (LANE_BITS(s.odd)) return HIK_NEAREST_LEFT;
  if (best < 0) return HIK_NEAREST_NONE;
  for (int i = 0; i < arm->joints; i++) q[arm->q[i]] = s.theta[best % 2][i][best / 2];
  return HIK_NEAREST_FOUND;
}
#endif
