/* slides.c: closed form for three turns and three slides in any order; a scan for four turns and two slides.

   Purpose:  every posture of arms such as PPPRRR, PPRPRR, PRPRPR, whose turns need not meet; starts for PPRRRR, PRPRRR.
   Given:    a loop of six joints, see slides.h.
   Returned: postures; `free` tells of families given by one representative. Of the scan: starts, not polished.
   Outcomes: none when the three turns cannot make the rotation, or slides in one plane cannot make the shift.
   Notes:    slides do not turn anything: the rotation of the loop is that of its three turns with the links between
             them, two answers at most. Then the slides' directions are known, and the shifts add up to a system of
             three linear equations. Where their directions lie in one plane one slide or two stay at 0 and are free.
             Where the outer turns turn as one, the first of them is free.
             With two slides one turn x is scanned. The other three close the rotation in two ways, and the two slides
             close the shift where it lies in the plane of their directions: det(shift, s1, s2) = 0, one function of x
             on each branch. Its changes of sign, its least sizes and the ends of the branches, where the two meet,
             are starts. Two roots closer than a step without a least size between them can be passed over; and where
             two of the three turn as one, a whole curve of rotations stands at a single x. So each of the four turns
             is scanned in its turn: on every curve one of them moves.
   Reference: Khalil and Dombre, Modeling, Identification and Control of Robots (2002), section 4.4.2. */
#include "analytic/slides.h"

enum { TURN, SLIDE };
#define FLAT 1e-10 /* share of the greatest pivot below which directions count as dependent */

bool hik_slides_test(const hik_loop *loop) {
  int slides = 0;
  for (int i = 0; i < 6; i++) slides += loop->kind[i] == SLIDE;
  return loop->n == 6 && slides == 3;
}

/* The places of turns and slides; how many turn. */
static int sort_joints(const hik_loop *loop, int turn[6], int slide[6]) {
  int turns = 0, slides = 0;
  for (int i = 0; i < 6; i++)
    if (loop->kind[i] == TURN)
      turn[turns++] = i;
    else
      slide[slides++] = i;
  return turns;
}

/* The product of the links from joint `from` to the one before joint `to`, cyclic; their rotations alone. */
static void between(const hik_loop *loop, int from, int to, double r[9]) {
  double next[9];
  memcpy(r, loop->g[from].r, 9 * sizeof *r);
  for (int i = (from + 1) % 6; i != to; i = (i + 1) % 6) {
    hik_mat_mul(r, loop->g[i].r, next);
    memcpy(r, next, sizeof next);
  }
}

static void exchange(double a[3][4], int x, int y) {
  for (int k = 0; k < 4; k++) {
    double keep = a[x][k];
    a[x][k] = a[y][k], a[y][k] = keep;
  }
}

/* Solves a[.][0..2] d = a[.][3] by complete pivoting; bits of `loose`: values that the equations leave open, at 0.
   Returns what dependent equations miss. */
static double shifts(double a[3][4], double d[3], uint8_t *loose) {
  int column[3] = {0, 1, 2}, rank = 0;
  double first = 0, miss = 0;
  for (int k = 0; k < 3; k++) {
    int row = k, at = k;
    double most = 0;
    for (int i = k; i < 3; i++)
      for (int j = k; j < 3; j++)
        if (fabs(a[i][column[j]]) > most) most = fabs(a[i][column[j]]), row = i, at = j;
    if (k == 0) first = most;
    if (!(most > FLAT * first)) break;
    rank++;
    exchange(a, k, row);
    int keep = column[k];
    column[k] = column[at], column[at] = keep;
    for (int i = 0; i < 3; i++) {
      if (i == k) continue;
      double ratio = a[i][column[k]] / a[k][column[k]];
      for (int j = 0; j < 4; j++) a[i][j] -= ratio * a[k][j];
    }
  }
  *loose = 0;
  for (int k = 0; k < 3; k++) {
    d[column[k]] = k < rank ? a[k][3] / a[k][column[k]] : 0;
    if (k < rank) continue;
    *loose |= (uint8_t)(1 << column[k]);
    miss += fabs(a[k][3]);
  }
  return miss;
}

/* Columns of a: directions of the slides, and what they have to bridge; theta: turns, and slides at 0. */
static void directions(const hik_loop *loop, const double *theta, double a[3][4]) {
  hik_pose at = hik_pose_identity, moved;
  for (int i = 0, s = 0; i < 6; i++) {
    for (int k = 0; k < 3 && loop->kind[i] == SLIDE; k++) a[k][s] = at.r[3 * k + 2];
    s += loop->kind[i] == SLIDE;
    hik_loop_move(loop->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &loop->g[i], &at);
  }
  for (int k = 0; k < 3; k++) a[k][3] = -at.t[k];
}

int hik_slides_solve(const hik_loop *loop, hik_posture *out, bool *hidden) {
  int turn[6], slide[6], count = 0;
  if (sort_joints(loop, turn, slide) != 3) return 0;
  double link[3][9], whole[9], angle[2][3], error[2];
  bool bound[2];
  for (int k = 0; k < 3; k++) between(loop, turn[k], turn[(k + 1) % 3], link[k]);
  for (int i = 0; i < 9; i++) whole[i] = link[2][3 * (i % 3) + i / 3];
  int n = hik_three_turns(link[0], link[1], whole, angle, error, bound);
  for (int j = 0; j < n; j++) {
    hik_posture *o = &out[count];
    double a[3][4], d[3];
    uint8_t loose;
    for (int k = 0; k < 3; k++) o->theta[turn[k]] = angle[j][k], o->theta[slide[k]] = 0;
    directions(loop, o->theta, a);
    double miss = shifts(a, d, &loose);
    if (!(miss < 1e-9)) {
      *hidden = *hidden || bound[j];
      continue;
    }
    o->free = bound[j] ? (uint8_t)(1 << turn[0]) : 0;
    for (int k = 0; k < 3; k++) {
      o->theta[slide[k]] = d[k];
      if (loose >> k & 1) o->free |= (uint8_t)(1 << slide[k]);
    }
    o->error = error[j] + miss;
    count++;
  }
  return count;
}

/* ---- two slides ---- */

enum { SCAN = 128 };

typedef struct scanner {
  const hik_loop *loop;
  int turn[4], slide[2]; /* turn[0] is scanned */
  double link[4][9];     /* rotations from each turn to the next */
} scanner;

/* Both postures with the scanned turn at x: values and how far the shift is from the slides' plane. */
static int look(const scanner *s, double x, double (*theta)[6], double *off) {
  double sine, cosine, r[9], m[9], whole[9], angle[2][3], error[2], a[3][4], d[3];
  bool bound[2];
  uint8_t loose;
  hik_sincos(x, &sine, &cosine);
  hik_mat_turn_z(s->link[3], cosine, sine, r);
  hik_mat_mul(r, s->link[0], m);
  for (int i = 0; i < 9; i++) whole[i] = m[3 * (i % 3) + i / 3];
  int n = hik_three_turns(s->link[1], s->link[2], whole, angle, error, bound);
  for (int j = 0; j < n; j++) {
    theta[j][s->turn[0]] = x;
    for (int k = 0; k < 3; k++) theta[j][s->turn[1 + k]] = angle[j][k];
    for (int k = 0; k < 2; k++) theta[j][s->slide[k]] = 0;
    directions(s->loop, theta[j], a);
    double first[3], second[3], across[3], bridge[3];
    for (int k = 0; k < 3; k++) first[k] = a[k][0], second[k] = a[k][1], bridge[k] = a[k][3], a[k][2] = 0;
    hik_cross(first, second, across);
    off[j] = hik_dot(across, bridge);
    shifts(a, d, &loose);
    for (int k = 0; k < 2; k++) theta[j][s->slide[k]] = d[k];
  }
  return n;
}

/* Makes turn k of the four the one to scan. False where the other three fix no rotation: their axes are in line. */
static bool choose(const hik_loop *loop, int k, scanner *s) {
  int turn[6], slide[6];
  if (sort_joints(loop, turn, slide) != 4) return false;
  s->loop = loop, s->slide[0] = slide[0], s->slide[1] = slide[1];
  for (int i = 0; i < 4; i++) {
    s->turn[i] = turn[(k + i) % 4];
    between(loop, s->turn[i], turn[(k + i + 1) % 4], s->link[i]);
  }
  const double *b = s->link[1], *c = s->link[2];
  return (1 - b[8] * b[8]) * (1 - c[8] * c[8]) > 1e-10;
}

static int scan(const scanner *s, double (*theta)[6]) {
  double off[SCAN][2], at[2][6], there[2];
  int ways[SCAN], count = 0;
  const double step = 2 * HIK_PI / SCAN;
  for (int i = 0; i < SCAN; i++) ways[i] = look(s, i * step, at, off[i]);
  for (int i = 0; i < SCAN; i++) {
    int before = (i + SCAN - 1) % SCAN, after = (i + 1) % SCAN;
    for (int j = 0; j < ways[i] && count < HIK_SCAN_MAX / 4; j++) {
      double here = off[i][j], x = i * step;
      bool next = j < ways[after], last = j < ways[before], wanted = !next || !last;
      if (next && (here < 0) != (off[after][j] < 0)) /* where the chord crosses zero */
        x += step * here / (here - off[after][j]), wanted = true;
      else if (next && last)
        wanted = fabs(here) <= fabs(off[after][j]) && fabs(here) < fabs(off[before][j]) &&
                 (here < 0) == (off[before][j] < 0);
      if (wanted && look(s, x, at, there) > j) memcpy(theta[count++], at[j], sizeof at[j]);
    }
  }
  return count;
}

int hik_slides_scan(const hik_loop *loop, double (*theta)[6]) {
  scanner s;
  int count = 0;
  for (int k = 0; k < 4; k++)
    if (choose(loop, k, &s)) count += scan(&s, theta + count);
  return count;
}
