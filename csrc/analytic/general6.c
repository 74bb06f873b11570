/* general6.c: every solution of six joints in a loop, by one real 16 x 16 eigenproblem.

   Purpose:  all postures (up to 16) of any arm of six joints, of which up to three slide.
   Given:    a loop J1 G1 ... J6 G6 = 1 (the pose stands in one of the links), lengths already near 1; a plan made
             once for the arm.
   Returned: the real solutions, polished by Newton's method and told apart at 1e-6.
   Outcomes: never fails to end; `sure` is false when no variant passed every check (real eigenvalues, distinct
             solutions and pivots agree), as happens at and near double solutions; then several variants are united.
   Notes:    1. A point p and a direction l are carried as F = (1, p, p.p ; l, p.l, p x l, (p.p) l - 2 (p.l) p), which
                rigid motions change linearly. F of the last axis does not feel the last joint, so
                F seen through joints 3 4 5 = F seen through joints 2 1: Raghavan and Roth's 14 equations, kept linear.
             2. The hidden joint 3 enters by its Cayley form, linear in t = tan(theta3 / 2): for each pair (x, y) of F,
                left - right = t J (left + right). A slide has a nilpotent generator of order 3, so its Cayley form
                with t = d / 2 is exact too.
             3. Doubling the 14 equations by cos and sin of theta4 / 2 (1 and d for a slide) and removing the 12 rows
                without t leaves a 16 x 16 pencil cos(psi) A - sin(psi) B with exactly the 16 solutions: none spurious,
                and no special case at 180 degrees. Turning psi makes B well conditioned (Moebius).
             4. Any cyclic shift of the loop and its reversal are as good: 12 variants. Which is best conditioned
                depends on the arm and is found by trying. If all are singular (special arms), the eigenproblem runs
                on links disturbed by 1e-7 and Newton's method brings its answers to the true arm (see `disturbed`).
             5. With two or three slides the pencil is singular in every variant (fewer than 16 solutions). All slides
                but the first then become turns about axes 3e4 arm lengths away, which differ from them by 1e-4 of the
                way, and Newton's method brings the answers back. Arms of right angles lose answers so; with two
                slides the scan of slides.c comes first. (Three slides have a closed form there.)
   Reference: Raghavan and Roth, "Inverse kinematics of the general 6R manipulator and related linkages", Journal of
             Mechanical Design 115 (1993) 502-508; Manocha and Canny, "Efficient inverse kinematics for general 6R
             manipulators", IEEE Transactions on Robotics and Automation 10 (1994) 648-657. */
#include "analytic/general6.h"

#include <float.h>

#include "base/eigen.h"
#include "base/quat.h"

enum { TURN, SLIDE };
enum { N = 16, ALL = 28, GONE = 12 };
#define NOISE 1e-12 /* of a row on lengths about 1; links disturbed on purpose are so by 1e-7 */

struct hik_general6_work {
  double f[15 * 9], g[15 * 9], left[15 * 9], right[15 * 9];
  double fixed[GONE * ALL];          /* rows without t */
  double a28[N * ALL], b28[N * ALL]; /* rows with t */
  double a[N * N], b[N * N], x[N * N], lu[N * N];
  hik_loop turned;
};

size_t hik_general6_work_size(void) { return (sizeof(hik_general6_work) + 63) & ~(size_t)63; }

/* ---- motions of F = (1, p, p.p; l, p.l, m, K), rows 0 | 1-3 | 4 | 5-7 | 8 | 9-11 | 12-14, several columns at once ---- */

/* f := rho(pose) f for `k` columns; `out` may not be `f`. */
static inline void carry(const hik_pose *pose, int k, const double *HIK_RESTRICT f,
                         double *HIK_RESTRICT out) {
  const double *r = pose->r, *o = pose->t;
  double oo = hik_dot(o, o);
  for (int j = 0; j < k; j++) {
    const double *c = f + j;
    double q[3], n[3], m[3], w[3];
    for (int i = 0; i < 3; i++) {
      q[i] = r[3 * i] * c[k] + r[3 * i + 1] * c[2 * k] + r[3 * i + 2] * c[3 * k];
      n[i] = r[3 * i] * c[5 * k] + r[3 * i + 1] * c[6 * k] + r[3 * i + 2] * c[7 * k];
      m[i] = r[3 * i] * c[9 * k] + r[3 * i + 1] * c[10 * k] + r[3 * i + 2] * c[11 * k];
      w[i] = r[3 * i] * c[12 * k] + r[3 * i + 1] * c[13 * k] + r[3 * i + 2] * c[14 * k];
    }
    double one = c[0], pl = c[8 * k], on = o[0] * n[0] + o[1] * n[1] + o[2] * n[2], s = 2 * (on + pl);
    double *d = out + j;
    d[0] = one;
    for (int i = 0; i < 3; i++) d[(1 + i) * k] = q[i] + o[i] * one, d[(5 + i) * k] = n[i];
    d[4 * k] = c[4 * k] + 2 * (o[0] * q[0] + o[1] * q[1] + o[2] * q[2]) + oo * one;
    d[8 * k] = pl + on;
    d[9 * k] = m[0] + o[1] * n[2] - o[2] * n[1];
    d[10 * k] = m[1] + o[2] * n[0] - o[0] * n[2];
    d[11 * k] = m[2] + o[0] * n[1] - o[1] * n[0];
    d[12 * k] = w[0] + oo * n[0] - s * o[0] - 2 * (o[1] * m[2] - o[2] * m[1]);
    d[13 * k] = w[1] + oo * n[1] - s * o[1] - 2 * (o[2] * m[0] - o[0] * m[2]);
    d[14 * k] = w[2] + oo * n[2] - s * o[2] - 2 * (o[0] * m[1] - o[1] * m[0]);
  }
}

/* Generator of a slide: row i of N f is SLIDE_BY * row SLIDE_FROM. */
static const int8_t slide_from[15] = {-1, -1, -1, 0, 3, -1, -1, -1, 7, 6, 5, -1, 10, 9, 8};
static const double slide_by[15] = {0, 0, 0, 1, 2, 0, 0, 0, 1, -1, 1, 0, 2, -2, -2};

/* Columns of f times (1, cos, sin) of a turn, or (1, d, d^2) of a slide; sign -1: of its inverse.
   Monomial m of the new joint stands in columns m k ... m k + k - 1. */
static inline void expand(int32_t kind, double sign, int k, const double *HIK_RESTRICT f,
                          double *HIK_RESTRICT out) {
  static const int8_t pair[15] = {0, 1, -1, 0, 0, 1, -1, 0, 0, 1, -1, 0, 1, -1, 0};
  for (int i = 0; i < 15; i++) {
    double *d = out + 3 * k * i;
    const double *c = f + k * i;
    for (int j = 0; j < k; j++) {
      if (kind == SLIDE) {
        int s = slide_from[i], ss = s >= 0 ? slide_from[s] : -1;
        d[j] = c[j];
        d[k + j] = s >= 0 ? sign * slide_by[i] * f[k * s + j] : 0;
        d[2 * k + j] = ss >= 0 ? 0.5 * slide_by[i] * slide_by[s] * f[k * ss + j] : 0;
      } else if (pair[i]) {
        d[j] = 0;
        d[k + j] = c[j];
        d[2 * k + j] = -sign * pair[i] * f[k * (i + pair[i]) + j];
      } else {
        d[j] = c[j];
        d[k + j] = d[2 * k + j] = 0;
      }
    }
  }
}

/* left: F through joints 2 1 (inverse), right: through 4 5; 15 x 9 each. */
static void both_sides(const hik_loop *p, hik_general6_work *w) {
  static const double axis[15] = {[0] = 1, [7] = 1}; /* point 0, direction z */
  hik_pose back;
  hik_pose_inverse(&p->g[5], &back);
  carry(&back, 1, axis, w->f);
  expand(p->kind[0], -1, 1, w->f, w->g);
  hik_pose_inverse(&p->g[0], &back);
  carry(&back, 3, w->g, w->f);
  expand(p->kind[1], -1, 3, w->f, w->g);
  hik_pose_inverse(&p->g[1], &back);
  carry(&back, 9, w->g, w->left);
  carry(&p->g[4], 1, axis, w->f);
  expand(p->kind[4], 1, 1, w->f, w->g);
  carry(&p->g[3], 3, w->g, w->f);
  expand(p->kind[3], 1, 3, w->f, w->g);
  carry(&p->g[2], 9, w->g, w->right);
}

/* Adds to a row of 28 the combination `a` of row `i` of left and `b` of row `i` of right, times multiplier `mu`.
   Columns: monomials 1-8 of joints 1 2 times each multiplier, then (cos h, sin h, cos 3h, sin 3h) x (1, c5, s5). */
static void lay(const hik_general6_work *w, int32_t kind, int i, double a, double b, int mu, double *row) {
  const double *l = w->left + 9 * i, *r = w->right + 9 * i;
  for (int j = 1; j < 9; j++) row[8 * mu + j - 1] += a * l[j];
  double *c = row + 16;
  c[3 * mu] += a * l[0];
  for (int j = 0; j < 3; j++) {
    double one = b * r[j], two = b * r[3 + j], three = b * r[6 + j];
    c[3 * mu + j] += one;
    if (kind == SLIDE) {
      c[3 * (mu + 1) + j] += two;
      c[3 * (mu + 2) + j] += three;
    } else if (mu == 0) { /* cos(2h) cos h, sin(2h) cos h */
      c[j] += 0.5 * two, c[6 + j] += 0.5 * two;
      c[3 + j] += 0.5 * three, c[9 + j] += 0.5 * three;
    } else { /* cos(2h) sin h, sin(2h) sin h */
      c[3 + j] -= 0.5 * two, c[9 + j] += 0.5 * two;
      c[j] += 0.5 * three, c[6 + j] -= 0.5 * three;
    }
  }
}

static void lay_out(const hik_loop *p, hik_general6_work *w) {
  static const int8_t still_turn[6] = {3, 4, 7, 8, 11, 14}, still_slide[6] = {1, 2, 5, 6, 7, 11};
  static const int8_t move_turn[8] = {1, 2, 5, 6, 9, 10, 12, 13},
                      move_slide[8] = {3, 4, 8, 9, 10, 12, 13, 14};
  static const int8_t partner[8] = {2, 1, 6, 5, 10, 9, 13, 12};
  bool slide = p->kind[2] == SLIDE;
  both_sides(p, w);
  memset(w->fixed, 0, sizeof w->fixed);
  memset(w->a28, 0, sizeof w->a28);
  memset(w->b28, 0, sizeof w->b28);
  for (int mu = 0; mu < 2; mu++) {
    for (int i = 0; i < 6; i++)
      lay(w, p->kind[3], slide ? still_slide[i] : still_turn[i], 1, -1, mu, w->fixed + ALL * (2 * i + mu));
    for (int i = 0; i < 8; i++) {
      int row = slide ? move_slide[i] : move_turn[i];
      int from = slide ? slide_from[row] : partner[i];
      double by = slide ? slide_by[row] : i % 2 == 0 ? -1 : 1;
      lay(w, p->kind[3], row, 1, -1, mu, w->a28 + ALL * (2 * i + mu));
      lay(w, p->kind[3], from, by, by, mu, w->b28 + ALL * (2 * i + mu));
    }
  }
}

/* ---- from 28 unknowns to a 16 x 16 pencil ---- */

/* Rows of the 12 without t to a greatest entry of 1. On some arms a row is nothing but rounding: it stays below
   NOISE, or elimination would take it for an equation. */
static void scale_rows(double *e) {
  for (int i = 0; i < GONE; i++) {
    double most = 0;
    for (int j = 0; j < ALL; j++) most = fmax(most, fabs(e[ALL * i + j]));
    double f = most > NOISE ? 1 / most : 0;
    for (int j = 0; j < ALL; j++) e[ALL * i + j] *= f;
  }
}

/* Where the greatest entry stands from row k on, in a column not yet used; its size. */
static double greatest(const double *e, int k, const bool *used, int *row, int *column) {
  double most = -1;
  *row = k, *column = -1;
  for (int i = k; i < GONE; i++)
    for (int j = 0; j < ALL; j++)
      if (!used[j] && fabs(e[ALL * i + j]) > most) most = fabs(e[ALL * i + j]), *row = i, *column = j;
  if (*column < 0) /* not a number */
    for (*column = 0; used[*column];) ++*column;
  return most;
}

/* Gauss-Jordan with complete pivoting on the 12 rows without t; keep[16]: columns that stay, gone[12]: that went,
   in the order of the rows. Returns the least pivot over the greatest. */
static double eliminate(hik_general6_work *w, int8_t *keep, int8_t *gone) {
  double *e = w->fixed, least = INFINITY, most = 0;
  bool used[ALL] = {false};
  scale_rows(e);
  for (int k = 0; k < GONE; k++) {
    int row, column;
    double size = greatest(e, k, used, &row, &column);
    least = size < least ? size : least, most = size > most ? size : most;
    used[column] = true;
    gone[k] = (int8_t)column;
    for (int j = 0; j < ALL; j++) {
      double x = e[ALL * k + j];
      e[ALL * k + j] = e[ALL * row + j], e[ALL * row + j] = x;
    }
    double *HIK_RESTRICT pivot = e + ALL * k;
    double f = pivot[column] != 0 ? 1 / pivot[column] : 0;
    for (int j = 0; j < ALL; j++) pivot[j] *= f;
    for (int i = 0; i < GONE; i++) {
      if (i == k) continue;
      double *HIK_RESTRICT other = e + ALL * i;
      double m = other[column];
      if (m == 0) continue;
      for (int j = 0; j < ALL; j++) other[j] -= m * pivot[j];
      other[column] = 0;
    }
  }
  for (int j = 0, k = 0; j < ALL; j++)
    if (!used[j]) keep[k++] = (int8_t)j;
  return most > 0 ? least / most : 0;
}

/* a, b: the rows with t on the kept columns, scaled jointly. */
static void substitute(hik_general6_work *w, const int8_t *keep, const int8_t *gone) {
  double tight[GONE * N];
  for (int i = 0; i < GONE; i++)
    for (int j = 0; j < N; j++) tight[N * i + j] = w->fixed[ALL * i + keep[j]];
  for (int r = 0; r < N; r++) {
    double *HIK_RESTRICT a = w->a + N * r, *HIK_RESTRICT b = w->b + N * r;
    const double *ra = w->a28 + ALL * r, *rb = w->b28 + ALL * r;
    for (int j = 0; j < N; j++) a[j] = ra[keep[j]], b[j] = rb[keep[j]];
    for (int i = 0; i < GONE; i++) {
      double ma = ra[gone[i]], mb = rb[gone[i]];
      const double *HIK_RESTRICT t = tight + N * i;
      if (ma != 0)
        for (int j = 0; j < N; j++) a[j] -= ma * t[j];
      if (mb != 0)
        for (int j = 0; j < N; j++) b[j] -= mb * t[j];
    }
    double most = 0;
    for (int j = 0; j < N; j++) most = fmax(most, fmax(fabs(a[j]), fabs(b[j])));
    double f = most > 0 ? 1 / most : 0;
    for (int j = 0; j < N; j++) a[j] *= f, b[j] *= f;
  }
}

/* Turns the pencil by the first of five angles that leaves B well conditioned, and x := B^-1 A.
   The turned a and b replace the old ones; returns the pivot ratio, and the angle in *turn. */
static double condition(hik_general6_work *w, double *turn) {
  double best = -1, best_turn = 0;
  int32_t order[N];
  for (int k = 0; k <= 5; k++) {
    double angle = k < 5 ? k * (HIK_PI / 5) : best_turn, s, c;
    hik_sincos(angle, &s, &c);
    for (int i = 0; i < N * N; i++) w->lu[i] = s * w->a[i] + c * w->b[i];
    double ratio = hik_lu_factor(N, w->lu, N, order, 1e-300);
    if (ratio > best) best = ratio, best_turn = angle;
    if (k == 5 || ratio > 3e-3) {
      best = ratio, *turn = angle;
      for (int i = 0; i < N * N; i++) {
        double a = w->a[i], b = w->b[i];
        w->a[i] = c * a - s * b, w->b[i] = s * a + c * b;
      }
      break;
    }
  }
  for (int i = 0; i < N; i++) { /* forward, all right-hand sides at once */
    double *HIK_RESTRICT x = w->x + N * i;
    for (int j = 0; j < N; j++) x[j] = w->a[N * order[i] + j];
    for (int k = 0; k < i; k++) {
      double m = w->lu[N * i + k];
      const double *HIK_RESTRICT y = w->x + N * k;
      for (int j = 0; j < N; j++) x[j] -= m * y[j];
    }
  }
  for (int i = N - 1; i >= 0; i--) {
    double *HIK_RESTRICT x = w->x + N * i;
    for (int k = i + 1; k < N; k++) {
      double m = w->lu[N * i + k];
      const double *HIK_RESTRICT y = w->x + N * k;
      for (int j = 0; j < N; j++) x[j] -= m * y[j];
    }
    double f = 1 / w->lu[N * i + i];
    for (int j = 0; j < N; j++) x[j] *= f;
  }
  return best;
}

/* ---- back from an eigenvalue to six joints ---- */

/* Null vector of cos A - sin B by two steps of inverse iteration, laid out over the 28 unknowns. */
static void null_vector(hik_general6_work *w, double c, double s, const int8_t *keep, const int8_t *gone,
                        double *v) {
  double x[N], y[N];
  int32_t order[N];
  for (int i = 0; i < N * N; i++) w->lu[i] = c * w->a[i] - s * w->b[i];
  hik_lu_factor(N, w->lu, N, order, 1e-18);
  for (int i = 0; i < N; i++) x[i] = 1 + 0.1 * ((7 * i) % 5); /* any start that is not special */
  for (int k = 0; k < 2; k++) {
    hik_lu_solve(N, w->lu, N, order, x, y);
    double most = 0;
    for (int i = 0; i < N; i++) most = fmax(most, fabs(y[i]));
    for (int i = 0; i < N; i++) x[i] = most > 0 && most <= DBL_MAX ? y[i] / most : x[i];
  }
  for (int i = 0; i < N; i++) v[keep[i]] = x[i];
  for (int i = 0; i < GONE; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum -= w->fixed[ALL * i + keep[j]] * x[j];
    v[gone[i]] = sum;
  }
}

/* The value of a joint from its monomials (one, cos, sin) or (one, d, d^2). */
static double value(int32_t kind, double one, double first, double second) {
  return kind == TURN ? hik_atan2(second, first) : first / one;
}

static bool recover(const hik_loop *p, const double *v, double hidden, double theta[6]) {
  const double *c = v + 16;
  double norm = sqrt(c[0] * c[0] + c[3] * c[3]);
  if (!(norm > 0 && norm <= DBL_MAX)) return false;
  double m0, m1; /* the multipliers themselves */
  if (p->kind[3] == TURN) {
    m0 = c[0] / norm, m1 = c[3] / norm;
    theta[3] = 2 * hik_atan2(m1, m0);
  } else {
    if (c[0] == 0) return false;
    theta[3] = c[3] / c[0];
    m0 = 1 / sqrt(1 + theta[3] * theta[3]), m1 = theta[3] * m0;
  }
  double one = m0 * c[0] + m1 * c[3], m12[9];
  theta[2] = hidden;
  theta[4] = value(p->kind[4], one, m0 * c[1] + m1 * c[4], m0 * c[2] + m1 * c[5]);
  m12[0] = one;
  for (int j = 1; j < 9; j++) m12[j] = m0 * v[j - 1] + m1 * v[8 + j - 1];
  /* the sign of `one` is that of the whole vector: fix it before angles are taken */
  double sign = one < 0 ? -1 : 1;
  if (p->kind[4] == TURN)
    theta[4] = hik_atan2(sign * (m0 * c[2] + m1 * c[5]), sign * (m0 * c[1] + m1 * c[4]));
  theta[0] = value(p->kind[0], one, p->kind[0] == TURN ? sign * m12[1] : m12[1], sign * m12[2]);
  theta[1] = value(p->kind[1], one, p->kind[1] == TURN ? sign * m12[3] : m12[3], sign * m12[6]);
  /* Rz6 = (G6 J1 G1 ... J5 G5)^-1 */
  hik_pose at = p->g[5], moved, next;
  for (int i = 0; i < 5; i++) {
    if (!(fabs(theta[i]) < 1e6)) return false;
    hik_loop_move(p->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &p->g[i], &next);
    at = next;
  }
  theta[5] = hik_atan2(at.r[1] - at.r[3], at.r[0] + at.r[4]);
  return true;
}

bool hik_general6_variant(const hik_loop *loop, int variant, double nearly, hik_general6_work *w,
                          hik_general6_found *found) {
  hik_loop *p = &w->turned;
  int8_t keep[N], gone[GONE];
  double re[N], im[N], turn, v[ALL];
  int shift = variant % 6;
  bool backward = variant >= 6;
  found->count = found->real = 0, found->pivot = 0;
  hik_loop_turn(loop, shift, backward, p);
  if (p->kind[5] == SLIDE) return false;
  lay_out(p, w);
  double independent = eliminate(w, keep, gone);
  substitute(w, keep, gone);
  found->pivot = condition(w, &turn);
  if (independent < 1e-10) found->pivot = 0; /* fewer than 12 equations: other null vectors than solutions */
  hik_balance(N, w->x, N);
  hik_hessenberg(N, w->x, N);
  int known = hik_eigenvalues(N, w->x, N, re, im);
  if (known < N) found->pivot = 0; /* the others were never seen */
  for (int k = N - known; k < N; k++) {
    double t = re[k];
    if (im[k] == 0)
      found->real++;
    else if (im[k] < 0 || im[k] > nearly * (1 + t * t + im[k] * im[k]))
      continue;
    bool near = im[k] != 0 && im[k] <= HIK_DOUBLE_ROOT * (1 + t * t + im[k] * im[k]);
    if (found->count >= HIK_COUNT_OF(found->theta)) break;
    double c = 1 / sqrt(1 + t * t), s = c * t, theta[6];
    if (!(c > 0)) c = 0, s = 1; /* infinite t */
    null_vector(w, c, s, keep, gone, v);
    double psi = hik_atan2(s, c) + turn, sine, cosine;
    hik_sincos(psi, &sine, &cosine);
    if (!recover(p, v, p->kind[2] == TURN ? hik_wrap(2 * psi) : 2 * sine / cosine, theta)) continue;
    for (int i = 0; i < 6; i++)
      found->theta[found->count][hik_loop_source(6, shift, backward, i)] =
          p->kind[i] == TURN ? hik_wrap(theta[i]) : theta[i];
    found->near[found->count++] = near;
  }
  return true;
}
