/* subproblem.c: the canonical subproblems 1 to 6.

   Purpose:  the small equations that arms with special geometry fall into.
   Given:    unit axes, points or directions of size about 1.
   Returned: all answers; see subproblem.h.
   Outcomes: no answer is data: `exact` false and the answer of least squares where it is one formula.
   Notes:    subproblems 5 and 6, and the position of any three joints, are two equations, each linear in (1, cos, sin)
             of one joint and of another, or in (1, d, d^2) of a slide: two conics in a plane. Where one of them is flat
             (parallel axes, axes that meet) the equations separate and no quartic is formed.
   Reference: Paden, "Kinematics and Control of Robot Manipulators", PhD thesis, Berkeley 1986; Elias and Wen,
             "IK-Geo: Unified robot inverse kinematics using subproblem decomposition", Mechanism and Machine Theory
             209 (2025) 105971. */
#include "analytic/subproblem.h"

enum { TURN, SLIDE };
#define TOUCH 1e-9 /* what still counts as touching, on numbers of size about 1 */
#define NOISE                                                                                                \
  1e-12 /* what coefficients may be off by, the greatest being 1: near 0 a polynomial is no larger */
#define NOTHING 1e-12 /* coefficients that are all below this are those of an equation that says nothing */

/* ---- real roots ---- */

static double horner(int degree, const double *c, double x) {
  double y = c[degree];
  for (int i = degree - 1; i >= 0; i--) y = y * x + c[i];
  return y;
}

/* The root between low and high, where the signs differ: Newton's steps, halving when they leave the bracket. */
static double bracketed(int degree, const double *c, const double *derivative, double low, double high,
                        double at_low) {
  double x = 0.5 * (low + high), before = high - low, width = before;
  for (int k = 0; k < 100; k++) {
    double f = horner(degree, c, x);
    if (f == 0) return x;
    if ((f < 0) == (at_low < 0))
      low = x;
    else
      high = x;
    double step = f / horner(degree - 1, derivative, x), next = x - step;
    if (!(next > low && next < high) || fabs(step) > 0.5 * before) next = 0.5 * (low + high);
    before = width, width = fabs(next - x);
    if (width <= 1e-16 * (fabs(x) + fabs(next)) || next == x) return next;
    x = next;
  }
  return x;
}

/* Whether a polynomial that is y at x all but touches the axis there. */
static bool touches(int d, const double *p, double x, double y, double touch, double noise) {
  double within = 0, power = 1;
  for (int k = 0; k <= d; k++) within += (touch * fabs(p[k]) + noise) * power, power *= fabs(x);
  return fabs(y) <= within;
}

/* Roots of one polynomial, given the roots `stop` of its derivative: between two of them there is one at most. */
static int between(int d, const double *p, const double *derivative, const double *stop, int stops,
                   double bound, double touch, double noise, double *root) {
  double low = -bound, at_low = d % 2 ? -p[d] : p[d];
  int count = 0;
  bool met = false; /* the last stop all but touched the axis */
  for (int i = 0; i <= stops; i++) {
    bool last = i == stops;
    double high = last ? bound : stop[i], at_high = last ? p[d] : horner(d, p, high);
    if (!last && !(high > low && high < bound)) continue;
    bool crossed = at_low != 0 && at_high != 0 && (at_low < 0) != (at_high < 0);
    if (met && !crossed && count < d) root[count++] = low; /* two roots met there, or all but */
    if (crossed && count < d) root[count++] = bracketed(d, p, derivative, low, high, at_low);
    if (at_high == 0 && count < d) root[count++] = high;
    met = !last && !crossed && at_high != 0 && touches(d, p, high, at_high, touch, noise);
    low = high, at_low = at_high;
  }
  return count;
}

int hik_real_roots(int degree, const double *c_in, double touch, double *root) {
  double chain[5][5], stop[4], most = 0, bound = 0;
  for (int i = 0; i <= degree; i++) most = fmax(most, fabs(c_in[i]));
  if (!(most > 0 && most < INFINITY)) return 0;
  while (degree > 0 && fabs(c_in[degree]) < 1e-14 * most) degree--;
  if (degree == 0) return 0;
  for (int i = 0; i <= degree; i++) chain[degree][i] = c_in[i] / most;
  for (int d = degree - 1; d >= 1; d--)
    for (int i = 0; i <= d; i++) chain[d][i] = (i + 1) * chain[d + 1][i + 1];
  for (int i = 0; i < degree; i++) bound = fmax(bound, fabs(chain[degree][i] / chain[degree][degree]));
  bound += 1; /* Cauchy; the roots of the derivatives lie inside the hull of the roots */
  int count = 1;
  root[0] = -chain[1][0] / chain[1][1];
  for (int d = 2; d <= degree; d++) {
    int stops = count;
    memcpy(stop, root, sizeof(double) * (size_t)stops);
    count = between(d, chain[d], chain[d - 1], stop, stops, bound, d == degree ? touch : 1e-15,
                    d == degree ? NOISE : 0, root);
  }
  return count;
}

/* ---- one and two equations ---- */

static double length2(const double b[2]) { return sqrt(b[0] * b[0] + b[1] * b[1]); }

int hik_one_equation(int32_t kind, double a, const double b[2], double touch, hik_unknown answer[2],
                     bool *is_free) {
  double size = sqrt(b[0] * b[0] + b[1] * b[1]);
  *is_free = false;
  if (size < 1e-10) {
    if (!(fabs(a) < 1e-9)) return 0;
    *is_free = true;
    answer[0] = kind == TURN ? (hik_unknown){1, 0} : (hik_unknown){0, 0};
    return 1;
  }
  if (kind == SLIDE) {
    double root[2], c[3] = {a, b[0], b[1]};
    int n = hik_real_roots(2, c, touch, root);
    for (int i = 0; i < n; i++) answer[i] = (hik_unknown){root[i], root[i] * root[i]};
    return n;
  }
  /* (x, y) on the unit circle with b.(x, y) = -a: the foot of the line and half the chord */
  double foot = -a / size, ux = b[0] / size, uy = b[1] / size, square = (1 - foot) * (1 + foot);
  if (square <= 0) {
    if (!(fabs(foot) - 1 <= touch / size + 1e-15)) return 0;
    double sign = foot < 0 ? -1 : 1;
    answer[0] = (hik_unknown){sign * ux, sign * uy};
    return 1;
  }
  double chord = sqrt(square);
  answer[0] = (hik_unknown){foot * ux - chord * uy, foot * uy + chord * ux};
  answer[1] = (hik_unknown){foot * ux + chord * uy, foot * uy - chord * ux};
  return 2;
}

/* Of an unknown that the first equation leaves free the values to go on with, `a` and `b` being what the other makes of
   them and `reach` how far from 0 that may be: 0 where it will do; else where the other is 0, or least. Where it is too
   far on both sides the unknown has two ranges, one about each of its zeros: a value of each. */
static int members(int32_t kind, double a, const double b[2], double reach, hik_unknown one[2]) {
  double size = length2(b), sign = a > 0 ? -1 : 1;
  bool is_free, turn = kind == TURN;
  one[0] = turn ? (hik_unknown){1, 0} : (hik_unknown){0, 0};
  if (turn && size > fabs(a) + reach) return hik_one_equation(kind, a, b, 0, one, &is_free);
  if (fabs(a + (turn ? b[0] : 0)) <= reach || size == 0) return 1;
  if (hik_one_equation(kind, a, b, 0, one, &is_free) > 0) return 1;
  double x = !turn && b[1] != 0 ? -0.5 * b[0] / b[1] : 0;
  one[0] = turn ? (hik_unknown){sign * b[0] / size, sign * b[1] / size} : (hik_unknown){x, x * x};
  return 1;
}

/* The part of the pair that binds unknown 1 alone, `null` being what removes unknown 2, then unknown 2 by the rest. */
static int separated(const hik_pair *p, const double null[2], hik_unknown *first, hik_unknown *second,
                     bool *is_free) {
  double a0 = null[0] * p->a[0][0] + null[1] * p->a[1][0];
  double b0[2] = {null[0] * p->a[0][1] + null[1] * p->a[1][1], null[0] * p->a[0][2] + null[1] * p->a[1][2]};
  double other[2] = {-null[1], null[0]}, rest[3], b[2];
  hik_unknown one[2], two[2];
  bool free1, free2;
  for (int k = 0; k < 3; k++) rest[k] = other[0] * p->a[0][k] + other[1] * p->a[1][k];
  for (int k = 0; k < 2; k++) b[k] = other[0] * p->b[0][k] + other[1] * p->b[1][k];
  int n = hik_one_equation(p->kind1, a0, b0, TOUCH, one, &free1), count = 0;
  if (free1) n = members(p->kind1, rest[0], rest + 1, p->kind2 == TURN ? length2(b) : INFINITY, one);
  for (int i = 0; i < n; i++) {
    double a = rest[0] + rest[1] * one[i].x + rest[2] * one[i].y;
    int m = hik_one_equation(p->kind2, a, b, HIK_NEAR, two, &free2);
    for (int j = 0; j < m; j++) {
      first[count] = one[i], second[count] = two[j];
      is_free[count++] = free1 || free2;
    }
  }
  return count;
}

/* Unknown 2 is in neither equation: unknown 1 by both. Where they are independent they are two lines, and unknown 1 is
   where these cross, not on one of them and a root of rounding off the other. */
static int alone(const hik_pair *p, double determinant, double size, hik_unknown *first, hik_unknown *second,
                 bool *is_free) {
  static const double one[2] = {1, 0}, two[2] = {0, 1};
  if (!(fabs(determinant) > 1e-10 * size * size)) {
    bool lower = fabs(p->a[1][1]) + fabs(p->a[1][2]) > fabs(p->a[0][1]) + fabs(p->a[0][2]);
    return separated(p, lower ? two : one, first, second, is_free);
  }
  double x = (p->a[0][2] * p->a[1][0] - p->a[1][2] * p->a[0][0]) / determinant;
  double y = (p->a[1][1] * p->a[0][0] - p->a[0][1] * p->a[1][0]) / determinant;
  double n = sqrt(x * x + y * y);
  bool turn = p->kind1 == TURN;
  if (!(turn ? fabs(n - 1) <= HIK_NEAR : fabs(y - x * x) <= HIK_NEAR * (1 + x * x))) return 0;
  first[0] = turn ? (hik_unknown){x / n, y / n} : (hik_unknown){x, x * x};
  second[0] = p->kind2 == TURN ? (hik_unknown){1, 0} : (hik_unknown){0, 0};
  is_free[0] = true;
  return 1;
}

/* Unknown 2 as (e.u, f.u) with u = (1, x1, y1), put into its conic: a quadratic form in u, and a quartic. Where that
   is the conic of unknown 1 over again (as for two equal cranks) unknown 1 is free. */
static int quartic(const hik_pair *p, double determinant, hik_unknown *first, hik_unknown *second,
                   bool *is_free) {
  double e[3], f[3], s[3][3], size = 0;
  for (int k = 0; k < 3; k++) {
    e[k] = -(p->b[1][1] * p->a[0][k] - p->b[0][1] * p->a[1][k]) / determinant;
    f[k] = -(p->b[0][0] * p->a[1][k] - p->b[1][0] * p->a[0][k]) / determinant;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (p->kind2 == TURN)
        s[i][j] = e[i] * e[j] + f[i] * f[j] - (i == 0 && j == 0);
      else
        s[i][j] = e[i] * e[j] - 0.5 * ((i == 0) * f[j] + (j == 0) * f[i]);
      size += fabs(s[i][j]);
    }
  double c[5], root[4], c0 = 1, s0 = 0;
  int count;
  if (p->kind1 == SLIDE) {
    c[0] = s[0][0], c[1] = 2 * s[0][1], c[2] = s[1][1] + 2 * s[0][2], c[3] = 2 * s[1][2], c[4] = s[2][2];
    count = hik_real_roots(4, c, TOUCH, root);
    for (int k = 0; k < count; k++) first[k] = (hik_unknown){root[k], root[k] * root[k]};
  } else {
    /* tangent of half the angle from the direction (c0, s0) that is farthest from a solution on its far side */
    static const double way[5][2] = {{1, 0},
                                     {0.30901699437494742, 0.95105651629515357},
                                     {-0.80901699437494742, 0.58778525229247313},
                                     {-0.80901699437494742, -0.58778525229247313},
                                     {0.30901699437494742, -0.95105651629515357}};
    double farthest = -1;
    for (int k = 0; k < 5; k++) {
      double x = -way[k][0], y = -way[k][1];
      double far = fabs(s[0][0] + 2 * (s[0][1] * x + s[0][2] * y) + s[1][1] * x * x + 2 * s[1][2] * x * y +
                        s[2][2] * y * y);
      if (far > farthest) farthest = far, c0 = way[k][0], s0 = way[k][1];
    }
    double s01 = c0 * s[0][1] + s0 * s[0][2], s02 = c0 * s[0][2] - s0 * s[0][1];
    double s11 = c0 * c0 * s[1][1] + 2 * c0 * s0 * s[1][2] + s0 * s0 * s[2][2];
    double s22 = s0 * s0 * s[1][1] - 2 * c0 * s0 * s[1][2] + c0 * c0 * s[2][2];
    double s12 = (c0 * c0 - s0 * s0) * s[1][2] + c0 * s0 * (s[2][2] - s[1][1]);
    c[4] = s[0][0] - 2 * s01 + s11, c[3] = 4 * (s02 - s12), c[2] = 2 * (s[0][0] - s11) + 4 * s22;
    c[1] = 4 * (s02 + s12), c[0] = s[0][0] + 2 * s01 + s11;
    count = hik_real_roots(4, c, TOUCH, root);
    for (int k = 0; k < count; k++) {
      double t = root[k], w = 1 / (1 + t * t), x = (1 - t * t) * w, y = 2 * t * w;
      first[k] = (hik_unknown){c0 * x - s0 * y, s0 * x + c0 * y};
    }
  }
  double most = 0;
  for (int k = 0; k < 5; k++) most = fmax(most, fabs(c[k]));
  *is_free = most <= NOTHING * size;
  if (*is_free) count = 1, first[0] = p->kind1 == TURN ? (hik_unknown){1, 0} : (hik_unknown){0, 0};
  for (int k = 0; k < count; k++) {
    double x = e[0] + e[1] * first[k].x + e[2] * first[k].y, y = f[0] + f[1] * first[k].x + f[2] * first[k].y;
    if (p->kind2 == TURN) {
      double n = sqrt(x * x + y * y);
      second[k] = n > 0 ? (hik_unknown){x / n, y / n} : (hik_unknown){1, 0};
    } else {
      second[k] = (hik_unknown){x, x * x};
    }
  }
  return count;
}

/* The numbers of both unknowns at a size of 1 in each equation, but for one that says nothing. */
static void even_out(hik_pair *p) {
  for (int i = 0; i < 2; i++) {
    double most = 0;
    for (int k = 1; k < 3; k++) most = fmax(most, fabs(p->a[i][k]));
    for (int k = 0; k < 2; k++) most = fmax(most, fabs(p->b[i][k]));
    if (!(most > 1e-10)) continue;
    for (int k = 0; k < 3; k++) p->a[i][k] /= most;
    for (int k = 0; k < 2; k++) p->b[i][k] /= most;
  }
}

/* What removes unknown 2, whose two columns are dependent: left null vector of the larger. */
static int one_after_the_other(const hik_pair *p, double determinant, double size, hik_unknown *first,
                               hik_unknown *second, bool *is_free) {
  double c0 = fabs(p->b[0][0]) + fabs(p->b[1][0]), c1 = fabs(p->b[0][1]) + fabs(p->b[1][1]);
  int k = c0 >= c1 ? 0 : 1;
  double n = sqrt(p->b[0][k] * p->b[0][k] + p->b[1][k] * p->b[1][k]);
  if (n < 1e-10) return alone(p, determinant, size, first, second, is_free);
  return separated(p, (double[2]){-p->b[1][k] / n, p->b[0][k] / n}, first, second, is_free);
}

/* The other unknown first. */
static void exchange(const hik_pair *p, hik_pair *q) {
  *q = (hik_pair){p->kind2, p->kind1, {{0}}, {{0}}};
  for (int i = 0; i < 2; i++) {
    q->a[i][0] = p->a[i][0];
    for (int k = 0; k < 2; k++) q->a[i][1 + k] = p->b[i][k], q->b[i][k] = p->a[i][1 + k];
  }
}

int hik_pair_solve(const hik_pair *pair, hik_unknown first[4], hik_unknown second[4], bool is_free[4]) {
  hik_pair p = *pair, q;
  double na = 0, nb = 0;
  even_out(&p);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) na = fmax(na, fabs(p.a[i][1 + k])), nb = fmax(nb, fabs(p.b[i][k]));
  double da = p.a[0][1] * p.a[1][2] - p.a[0][2] * p.a[1][1],
         db = p.b[0][0] * p.b[1][1] - p.b[0][1] * p.b[1][0];
  bool flat_a = fabs(da) <= 1e-10 * na * na || na < 1e-10, flat_b = fabs(db) <= 1e-10 * nb * nb || nb < 1e-10;
  for (int k = 0; k < 4; k++) is_free[k] = false;
  if (flat_b) return one_after_the_other(&p, da, na, first, second, is_free);
  if (!flat_a && !(fabs(da) * nb * nb > 10 * fabs(db) * na * na))
    return quartic(&p, db, first, second, is_free);
  exchange(&p, &q);
  return flat_a ? one_after_the_other(&q, db, nb, second, first, is_free)
                : quartic(&q, da, second, first, is_free);
}

/* ---- the canonical six ---- */

/* R(k, x) p = along + cos x across + sin x aside */
static void split(const double k[3], const double p[3], double along[3], double across[3], double aside[3]) {
  hik_scale3(hik_dot(k, p), k, along);
  hik_sub3(p, along, across);
  hik_cross(k, p, aside);
}

int hik_subproblem1(const double p[3], const double q[3], const double k[3], double *x, bool *exact) {
  double along[3], across[3], aside[3];
  split(k, p, along, across, aside);
  double c = hik_dot(across, q), s = hik_dot(aside, q), a = hik_dot(across, across);
  double b = hik_dot(q, q) - hik_dot(k, q) * hik_dot(k, q);
  *x = c * c + s * s > 1e-24 ? hik_atan2(s, c) : 0;
  *exact = fabs(hik_dot(k, p) - hik_dot(k, q)) < TOUCH && fabs(sqrt(a) - sqrt(fmax(b, 0))) < TOUCH;
  return 1;
}

int hik_subproblem4(const double h[3], const double p[3], const double k[3], double d, double x[2],
                    bool *exact) {
  double along[3], across[3], aside[3], b[2];
  hik_unknown answer[2];
  bool is_free;
  split(k, p, along, across, aside);
  b[0] = hik_dot(h, across), b[1] = hik_dot(h, aside);
  double a = hik_dot(h, along) - d;
  int n = hik_one_equation(TURN, a, b, TOUCH, answer, &is_free);
  *exact = n > 0;
  if (n == 0) {
    x[0] = fabs(b[0]) + fabs(b[1]) > 1e-10 ? hik_atan2(a > 0 ? -b[1] : b[1], a > 0 ? -b[0] : b[0]) : 0;
    return 1;
  }
  for (int i = 0; i < n; i++) x[i] = hik_atan2(answer[i].y, answer[i].x);
  return n;
}

int hik_subproblem3(const double p[3], const double q[3], const double k[3], double d, double x[2],
                    bool *exact) {
  return hik_subproblem4(q, p, k, 0.5 * (hik_dot(p, p) + hik_dot(q, q) - d * d), x, exact);
}

int hik_subproblem2(const double p[3], const double q[3], const double k1[3], const double k2[3], double x[2],
                    double y[2], bool *exact) {
  /* k2 . R(k1, x) p = k2 . q, then y by subproblem 1 */
  bool first, second;
  int n = hik_subproblem4(k2, p, k1, hik_dot(k2, q), x, &first);
  *exact = first;
  for (int i = 0; i < n; i++) {
    double r[9], v[3], s, c;
    hik_sincos(x[i], &s, &c);
    hik_mat_axis(k1, c, s, r);
    hik_mat_vec(r, p, v);
    hik_subproblem1(q, v, k2, y + i, &second);
    *exact = *exact && second;
  }
  return n;
}

int hik_subproblem5(const double p0[3], const double p1[3], const double p2[3], const double p3[3],
                    const double k1[3], const double k2[3], const double k3[3], double x[4], double y[4],
                    double z[4], bool *exact) {
  double l1[3], c1[3], s1[3], l3[3], c3[3], s3[3], left[3], right[3];
  hik_unknown first[4], second[4];
  bool is_free[4], good;
  split(k1, p1, l1, c1, s1);
  split(k3, p3, l3, c3, s3);
  hik_add3(l1, p0, l1);
  hik_add3(l3, p2, l3);
  /* what a turn about k2 keeps: the share along k2, and the length */
  hik_pair pair = {TURN,
                   TURN,
                   {{hik_dot(k2, l1) - hik_dot(k2, l3), hik_dot(k2, c1), hik_dot(k2, s1)},
                    {0.5 * (hik_dot(l1, l1) + hik_dot(c1, c1) - hik_dot(l3, l3) - hik_dot(c3, c3)),
                     hik_dot(l1, c1), hik_dot(l1, s1)}},
                   {{-hik_dot(k2, c3), -hik_dot(k2, s3)}, {-hik_dot(l3, c3), -hik_dot(l3, s3)}}};
  int n = hik_pair_solve(&pair, first, second, is_free);
  *exact = n > 0;
  for (int i = 0; i < n; i++) {
    x[i] = hik_atan2(first[i].y, first[i].x), z[i] = hik_atan2(second[i].y, second[i].x);
    for (int j = 0; j < 3; j++) {
      left[j] = l1[j] + first[i].x * c1[j] + first[i].y * s1[j];
      right[j] = l3[j] + second[i].x * c3[j] + second[i].y * s3[j];
    }
    hik_subproblem1(right, left, k2, y + i, &good);
    *exact = *exact && good;
  }
  return n;
}

int hik_subproblem6(const double (*h)[3], const double (*k)[3], const double (*p)[3], double d1, double d2,
                    double x[4], double y[4], bool *exact) {
  double along[3], across[3], aside[3];
  hik_unknown first[4], second[4];
  bool is_free[4];
  hik_pair pair = {TURN, TURN, {{-d1, 0, 0}, {-d2, 0, 0}}, {{0}}};
  for (int i = 0; i < 4; i++) {
    split(k[i], p[i], along, across, aside);
    pair.a[i / 2][0] += hik_dot(h[i], along);
    double *to = i % 2 ? pair.b[i / 2] : pair.a[i / 2] + 1;
    to[0] = hik_dot(h[i], across), to[1] = hik_dot(h[i], aside);
  }
  int n = hik_pair_solve(&pair, first, second, is_free);
  *exact = n > 0;
  for (int i = 0; i < n; i++) {
    x[i] = hik_atan2(first[i].y, first[i].x);
    y[i] = hik_atan2(second[i].y, second[i].x);
  }
  return n;
}
