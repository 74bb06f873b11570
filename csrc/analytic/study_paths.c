/* study_paths.c: follows the points in which six moving hyperplanes meet the variety of rigid motions.

   Given:    six planes at both ends of a straight line, a point that lies on those at the start.
   Returned: the point on the planes at the end, or that the path runs to infinity (x.x = 0: no motion), or fails.
   Outcomes: every loop is bounded; a path that needs more than MOST_STEPS steps failed.
   Notes:    the equations are quadratic in z and linear in s, so the coefficients of the power series of z(s) come one
             after the other from ONE factorised Jacobian: with G_k the coefficient of v(z(s)),
               J z_k = -(H (G_k without z_k) + H' G_(k-1)) / 2,
             beside Study's row (y, x) and the patch conj(z0) . z_k = 0. The last two terms are summed as a vector Pade
             approximant. Complex numbers are pairs of arrays of eight: products are written out, so that no flag of the
             compiler changes a bit.
   Reference: Husty, "An algorithm for solving the direct kinematics of general Stewart-Gough platforms", Mechanism and
             Machine Theory 31 (1996) 365-380; Wampler, "Forward displacement analysis of general six-in-parallel SPS
             (Stewart) platform manipulators using soma coordinates", ibid. 331-337; Sommese and Wampler, The Numerical
             Solution of Systems of Polynomials (2005), chapters 2, 7 and 15; Telen, Van Barel and Verschelde, "A robust
             numerical path tracking algorithm for polynomial homotopy continuation", SIAM J. Sci. Comput. 42 (2020). */
#include "analytic/study_paths.h"

enum { MOST_STEPS = 400, HALVINGS = 30, POLISH = 8, ROUNDS = 6, PAIRS = 6 };

#define FAR_BEND    0.6  /* greatest |beta h|: the pole of the approximant stays beyond the step */
#define NEAR_MOTION 2e-2 /* greatest correction of a prediction */
#define CONTRACTION 0.05
#define ROUNDING                                                                                             \
  1e-10 /* corrections below this need not contract: a Jacobian near singular makes noise of them */
#define SHORTEST 1e-11
/* Paths to infinity: their end points are singular, so they are not led there. Where x.x is below SUSPECT of |z|^2 the
   last step goes by hundredths; at CLOSE it is asked whether x.x fell with 1 - s, at least with its square root. */
#define SUSPECT   1e-2
#define HUNDREDTH 0.99
#define CLOSE     1e-5
#define FALLING   0.5 /* for ten times nearer */
#define NEAR                                                                                                 \
  1e-3 /* from here on x.x below TINY decides without waiting: the Jacobian is singular to rounding */
#define TINY      1e-6
#define NEARBY    2e-2
#define POLISHED  1e-9
#define NO_MOTION 1e-9 /* x.x over |z|^2 of an end point at infinity; a posture has more */

static const int minor_of[PAIRS][2] = {{0, 1}, {0, 2}, {0, 3}, {2, 3}, {3, 1}, {1, 2}};

/* out -= (mr + i mi) (r + i i), eight at once */
HIK_INLINE void subtract(double *HIK_RESTRICT re, double *HIK_RESTRICT im, const double *HIK_RESTRICT mr,
                         const double *HIK_RESTRICT mi, double r, double i) {
  for (int k = 0; k < 8; k++) {
    re[k] -= mr[k] * r - mi[k] * i;
    im[k] -= mr[k] * i + mi[k] * r;
  }
}

HIK_INLINE void add(double *HIK_RESTRICT re, double *HIK_RESTRICT im, const double *HIK_RESTRICT mr,
                    const double *HIK_RESTRICT mi, double r, double i) {
  for (int k = 0; k < 8; k++) {
    re[k] += mr[k] * r - mi[k] * i;
    im[k] += mr[k] * i + mi[k] * r;
  }
}

static double size2(const hik_study_point *z) {
  double sum = 0;
  for (int i = 0; i < 8; i++) sum += z->re[i] * z->re[i] + z->im[i] * z->im[i];
  return sum;
}

/* The fifth root, by Newton's method from a power of two. */
static double fifth_root(double x) {
  int exponent;
  if (!(x > 0) || x > 1e300) return x > 0 ? 1e60 : 0;
  (void)frexp(x, &exponent);
  double y = ldexp(1.2, exponent >= 0 ? exponent / 5 : -((4 - exponent) / 5));
  for (int k = 0; k < 8; k++) {
    double y2 = y * y;
    y -= (y - x / (y2 * y2)) / 5;
  }
  return y;
}

/* g += scale B(z, w): the 17 quadrics polarised. */
static void quadrics(const hik_study_point *z, const hik_study_point *w, double scale,
                     double *HIK_RESTRICT gr, double *HIK_RESTRICT gi) {
  const double *a = z->re, *b = z->im, *c = w->re, *d = w->im;
  int at = 0;
  for (int i = 0; i < 4; i++) {
    gr[at] += scale * (a[i] * c[i] - b[i] * d[i]);
    gi[at++] += scale * (a[i] * d[i] + b[i] * c[i]);
    for (int j = i + 1; j < 4; j++) {
      gr[at] += scale * (a[i] * c[j] - b[i] * d[j] + (a[j] * c[i] - b[j] * d[i]));
      gi[at++] += scale * (a[i] * d[j] + b[i] * c[j] + (a[j] * d[i] + b[j] * c[i]));
    }
  }
  double re = 0, im = 0;
  for (int i = 4; i < 8; i++) re += a[i] * c[i] - b[i] * d[i], im += a[i] * d[i] + b[i] * c[i];
  gr[at] += scale * re, gi[at++] += scale * im;
  for (int p = 0; p < PAIRS; p++, at++) {
    int i = minor_of[p][0], j = minor_of[p][1], k = i + 4, m = j + 4;
    gr[at] += scale * ((a[i] * c[m] - b[i] * d[m]) + (c[i] * a[m] - d[i] * b[m]) -
                       (a[j] * c[k] - b[j] * d[k]) - (c[j] * a[k] - d[j] * b[k]));
    gi[at] += scale * ((a[i] * d[m] + b[i] * c[m]) + (c[i] * b[m] + d[i] * a[m]) -
                       (a[j] * d[k] + b[j] * c[k]) - (c[j] * b[k] + d[j] * a[k]));
  }
}

/* r -= planes . g / 2 */
static void apply(const hik_study_planes *planes, const double *gr, const double *gi, hik_study_point *r) {
  double re[8] = {0}, im[8] = {0};
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++) add(re, im, planes->re[k], planes->im[k], gr[k], gi[k]);
  for (int k = 0; k < 8; k++) r->re[k] -= 0.5 * re[k], r->im[k] -= 0.5 * im[k];
}

static void planes_at(hik_study_work *w, double s) {
  const double *a = w->start.re[0], *b = w->start.im[0], *c = w->change.re[0], *d = w->change.im[0];
  double *x = w->here.re[0], *y = w->here.im[0];
  for (int k = 0; k < HIK_STUDY_QUADRICS * HIK_STUDY_LANES; k++)
    x[k] = a[k] + s * c[k], y[k] = b[k] + s * d[k];
}

/* Half the derivative of the six planes at z by columns, Study's row and the patch below it. */
static void jacobian(hik_study_work *w, const hik_study_point *z) {
  static const int sym[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
  const hik_study_planes *h = &w->here;
  memset(w->jr, 0, sizeof w->jr), memset(w->ji, 0, sizeof w->ji);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      add(w->jr[i], w->ji[i], h->re[sym[i][j]], h->im[sym[i][j]], z->re[j], z->im[j]);
    add(w->jr[4 + i], w->ji[4 + i], h->re[10], h->im[10], z->re[4 + i], z->im[4 + i]);
  }
  for (int p = 0; p < PAIRS; p++) { /* x' A y + ... with A antisymmetric */
    int i = minor_of[p][0], j = minor_of[p][1];
    const double *re = h->re[11 + p], *im = h->im[11 + p];
    add(w->jr[i], w->ji[i], re, im, z->re[4 + j], z->im[4 + j]);
    subtract(w->jr[j], w->ji[j], re, im, z->re[4 + i], z->im[4 + i]);
    add(w->jr[4 + j], w->ji[4 + j], re, im, z->re[i], z->im[i]);
    subtract(w->jr[4 + i], w->ji[4 + i], re, im, z->re[j], z->im[j]);
  }
  for (int i = 0; i < 8; i++) {
    w->jr[i][6] = z->re[(i + 4) % 8], w->ji[i][6] = z->im[(i + 4) % 8];
    w->jr[i][7] = z->re[i], w->ji[i][7] = -z->im[i];
  }
}

/* L U of the Jacobian with row exchanges. False: singular. */
static bool factor(hik_study_work *w) {
  for (int i = 0; i < 8; i++) w->order[i] = i;
  memset(w->lr, 0, sizeof w->lr), memset(w->li, 0, sizeof w->li);
  for (int k = 0; k < 8; k++) {
    double most = -1;
    int best = k;
    for (int i = k; i < 8; i++) {
      double size = fabs(w->jr[k][i]) + fabs(w->ji[k][i]);
      if (size > most) most = size, best = i;
    }
    if (!(most > 1e-280)) return false;
    if (best != k) {
      int32_t o = w->order[k];
      w->order[k] = w->order[best], w->order[best] = o;
      for (int j = 0; j < 8; j++) {
        double x = w->jr[j][k], y = w->ji[j][k];
        w->jr[j][k] = w->jr[j][best], w->jr[j][best] = x;
        w->ji[j][k] = w->ji[j][best], w->ji[j][best] = y;
      }
      for (int j = 0; j < k; j++) {
        double x = w->lr[j][k], y = w->li[j][k];
        w->lr[j][k] = w->lr[j][best], w->lr[j][best] = x;
        w->li[j][k] = w->li[j][best], w->li[j][best] = y;
      }
    }
    double a = w->jr[k][k], b = w->ji[k][k], n = 1 / (a * a + b * b), p = a * n, q = -b * n;
    w->pr[k] = p, w->pi[k] = q;
    double *lr = w->lr[k], *li = w->li[k];
    for (int i = k + 1; i < 8; i++) {
      double x = w->jr[k][i], y = w->ji[k][i];
      lr[i] = x * p - y * q, li[i] = x * q + y * p;
    }
    for (int j = k + 1; j < 8; j++) subtract(w->jr[j], w->ji[j], lr, li, w->jr[j][k], w->ji[j][k]);
  }
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 8; i++) {
      bool above = i < k;
      w->ur[k][i] = above ? w->jr[k][i] : 0, w->ui[k][i] = above ? w->ji[k][i] : 0;
    }
  w->solves++;
  return true;
}

static void solve(const hik_study_work *w, hik_study_point *b) {
  double re[8], im[8];
  for (int i = 0; i < 8; i++) re[i] = b->re[w->order[i]], im[i] = b->im[w->order[i]];
  for (int k = 0; k < 7; k++) subtract(re, im, w->lr[k], w->li[k], re[k], im[k]);
  for (int k = 7; k >= 0; k--) {
    double x = re[k] * w->pr[k] - im[k] * w->pi[k], y = re[k] * w->pi[k] + im[k] * w->pr[k];
    re[k] = x, im[k] = y;
    subtract(re, im, w->ur[k], w->ui[k], x, y);
  }
  memcpy(b->re, re, sizeof re), memcpy(b->im, im, sizeof im);
}

/* r = what Newton's method must correct at z. */
static void residual(const hik_study_work *w, const hik_study_point *z, hik_study_point *r) {
  double gr[HIK_STUDY_QUADRICS] = {0}, gi[HIK_STUDY_QUADRICS] = {0};
  memset(r, 0, sizeof *r);
  quadrics(z, z, 1, gr, gi);
  apply(&w->here, gr, gi, r);
  for (int i = 0; i < 4; i++) {
    r->re[6] -= z->re[i] * z->re[4 + i] - z->im[i] * z->im[4 + i];
    r->im[6] -= z->re[i] * z->im[4 + i] + z->im[i] * z->re[4 + i];
  }
}

static void step_by(hik_study_point *z, const hik_study_point *d) {
  for (int i = 0; i < 8; i++) z->re[i] += d->re[i], z->im[i] += d->im[i];
}

static void normalise(hik_study_point *z) {
  double k = 1 / sqrt(size2(z));
  for (int i = 0; i < 8; i++) z->re[i] *= k, z->im[i] *= k;
}

bool hik_study_series(hik_study_work *w, const hik_study_point *z, int order) {
  jacobian(w, z);
  if (!factor(w)) return false;
  memset(w->gr, 0, sizeof w->gr), memset(w->gi, 0, sizeof w->gi);
  w->series[0] = *z;
  quadrics(z, z, 1, w->gr[0], w->gi[0]);
  for (int k = 1; k <= order; k++) {
    hik_study_point *r = &w->series[k];
    double *gr = w->gr[k], *gi = w->gi[k];
    memset(r, 0, sizeof *r);
    for (int i = 1; 2 * i <= k; i++) {
      const hik_study_point *a = &w->series[i], *b = &w->series[k - i];
      double twice = 2 * i == k ? 1 : 2;
      if (i == k) continue;
      quadrics(a, b, twice, gr, gi);
      for (int m = 0; m < 4; m++) {
        double re = a->re[m] * b->re[4 + m] - a->im[m] * b->im[4 + m];
        double im = a->re[m] * b->im[4 + m] + a->im[m] * b->re[4 + m];
        if (2 * i != k) {
          re += b->re[m] * a->re[4 + m] - b->im[m] * a->im[4 + m];
          im += b->re[m] * a->im[4 + m] + b->im[m] * a->re[4 + m];
        }
        r->re[6] -= re, r->im[6] -= im;
      }
    }
    double study_re = r->re[6], study_im = r->im[6];
    if (k > 1) apply(&w->here, gr, gi, r);
    apply(&w->change, w->gr[k - 1], w->gi[k - 1], r);
    r->re[6] = study_re, r->im[6] = study_im, r->re[7] = r->im[7] = 0;
    solve(w, r);
    if (k < order) quadrics(z, r, 2, gr, gi);
  }
  return true;
}

/* The length of step that the last two terms allow, and beta = <z4, z5> / |z4|^2. */
static double reach(const hik_study_work *w, double tolerance, double *br, double *bi) {
  const hik_study_point *a = &w->series[HIK_STUDY_ORDER - 1], *b = &w->series[HIK_STUDY_ORDER];
  double n = size2(a), re = 0, im = 0, last = 0;
  for (int i = 0; i < 8; i++) {
    re += a->re[i] * b->re[i] + a->im[i] * b->im[i];
    im += a->re[i] * b->im[i] - a->im[i] * b->re[i];
  }
  *br = n > 1e-250 ? re / n : 0, *bi = n > 1e-250 ? im / n : 0;
  for (int i = 0; i < 8; i++) {
    double x = b->re[i] - (*br * a->re[i] - *bi * a->im[i]), y = b->im[i] - (*br * a->im[i] + *bi * a->re[i]);
    last += x * x + y * y;
  }
  double bend = sqrt(*br * *br + *bi * *bi);
  double h = last > 0 ? fifth_root(tolerance / sqrt(last)) : 1;
  return bend * h > FAR_BEND ? FAR_BEND / bend : h;
}

/* The series at h, its last two terms as z4 h^4 / (1 - beta h) + (z5 - beta z4) h^5. */
static void predict(const hik_study_work *w, double h, double br, double bi, hik_study_point *z) {
  double a = 1 - br * h, b = -bi * h, n = 1 / (a * a + b * b), h4 = h * h * h * h;
  double cr = h4 * (a * n - br * h), ci = h4 * (-b * n - bi * h), h5 = h4 * h;
  const hik_study_point *c = w->series;
  for (int i = 0; i < 8; i++) {
    z->re[i] = c[0].re[i] + h * (c[1].re[i] + h * (c[2].re[i] + h * c[3].re[i])) +
               (cr * c[4].re[i] - ci * c[4].im[i]) + h5 * c[5].re[i];
    z->im[i] = c[0].im[i] + h * (c[1].im[i] + h * (c[2].im[i] + h * c[3].im[i])) +
               (cr * c[4].im[i] + ci * c[4].re[i]) + h5 * c[5].im[i];
  }
}

/* One Newton step and one with the same Jacobian; false when they do not contract. *gain: how fast they did. */
static bool correct(hik_study_work *w, hik_study_point *z, double *gain) {
  hik_study_point d;
  jacobian(w, z);
  if (!factor(w)) return false;
  residual(w, z, &d);
  solve(w, &d);
  double first = sqrt(size2(&d) / size2(z));
  if (!(first < NEAR_MOTION)) return false;
  step_by(z, &d);
  residual(w, z, &d);
  solve(w, &d);
  double second = sqrt(size2(&d) / size2(z));
  if (!(second < CONTRACTION * first || second < ROUNDING)) return false;
  step_by(z, &d);
  normalise(z);
  *gain = first;
  return true;
}

double hik_study_polish(hik_study_work *w, hik_study_point *z) {
  double before = 1, size = 1;
  for (int k = 0; k < POLISH; k++) {
    hik_study_point d;
    jacobian(w, z);
    if (!factor(w)) return 1;
    residual(w, z, &d);
    solve(w, &d);
    size = sqrt(size2(&d) / size2(z));
    if (!(size < 1)) return 1;
    step_by(z, &d);
    normalise(z);
    if (size < 1e-15 || (size < 1e-9 && size > 0.5 * before)) break;
    before = size;
  }
  return size;
}

void hik_study_between(const hik_study_planes *from, const hik_study_planes *to, hik_study_work *w) {
  w->start = *from;
  const double *a = from->re[0], *b = from->im[0], *c = to->re[0], *d = to->im[0];
  double *x = w->change.re[0], *y = w->change.im[0];
  for (int k = 0; k < HIK_STUDY_QUADRICS * HIK_STUDY_LANES; k++) x[k] = c[k] - a[k], y[k] = d[k] - b[k];
}

double hik_study_norm(const hik_study_point *z) {
  double re = 0, im = 0;
  for (int i = 0; i < 4; i++) re += z->re[i] * z->re[i] - z->im[i] * z->im[i], im += 2 * z->re[i] * z->im[i];
  return sqrt(re * re + im * im) / size2(z);
}

/* Takes a step of at most h from s, halved until the corrections contract; the step taken, or 0. */
static double advance(hik_study_work *w, double s, double h, double br, double bi, hik_study_point *z,
                      double *gain) {
  for (int tries = 0; tries < HALVINGS && h > SHORTEST * (1 - s); tries++, h /= 2) {
    hik_study_point p;
    predict(w, h, br, bi, &p);
    planes_at(w, h < 1 - s ? s + h : 1);
    w->steps++;
    if (correct(w, &p, gain)) {
      *z = p;
      return h;
    }
  }
  return 0;
}

/* What is at s = 1 when the path comes near it: polished there, or at infinity. */
static hik_study_end arrive(hik_study_work *w, hik_study_point *z) {
  planes_at(w, 1);
  if (!(hik_study_polish(w, z) < POLISHED)) return HIK_STUDY_FAILED;
  return hik_study_norm(z) > NO_MOTION ? HIK_STUDY_FINITE : HIK_STUDY_INFINITE;
}

/* A point with small and falling x.x close to s = 1: a posture far away, when Newton's method finds it nearby; infinity,
   where it leaves or x.x vanishes; else nobody knows. It is given time: a pair far away is all but double, and eight
   steps are too few. */
static hik_study_end decide(hik_study_work *w, hik_study_point *z) {
  hik_study_point p = *z;
  double miss = 1;
  planes_at(w, 1);
  for (int k = 0; k < ROUNDS && !(miss < POLISHED); k++) {
    miss = hik_study_polish(w, &p);
    if (!(hik_study_norm(&p) > NO_MOTION)) return HIK_STUDY_INFINITE;
    if (hik_study_distance(z, &p, false) > NEARBY)
      return miss < POLISHED ? HIK_STUDY_FAILED : HIK_STUDY_INFINITE;
  }
  *z = p;
  return miss < POLISHED ? HIK_STUDY_FINITE : HIK_STUDY_FAILED;
}

hik_study_end hik_study_follow(hik_study_work *w, double tolerance, hik_study_point *z) {
  double s = 0, caution = 1, mark = 1, mark_norm = 1;
  normalise(z);
  planes_at(w, 0);
  for (int step = 0; step < MOST_STEPS; step++) {
    double br, bi, gain;
    if (!hik_study_series(w, z, HIK_STUDY_ORDER)) return HIK_STUDY_FAILED;
    double h = caution * reach(w, tolerance, &br, &bi);
    if (!(h < 1 - s)) {
      hik_study_point p;
      predict(w, h = 1 - s, br, bi, &p);
      if (hik_study_norm(&p) < SUSPECT && 1 - s > CLOSE) h *= HUNDREDTH;
    }
    double taken = advance(w, s, h, br, bi, z, &gain);
    if (taken == 0) return 1 - s < NEAR && hik_study_norm(z) < TINY ? decide(w, z) : HIK_STUDY_FAILED;
    if (taken < h) caution *= taken / h;
    if (gain < 1e-3) caution = fmin(1.5, caution * 1.3);
    if (!(taken < 1 - s)) return arrive(w, z);
    s += taken;
    double norm = hik_study_norm(z);
    if (1 - s < NEAR && norm < TINY) return decide(w, z);
    if (1 - s > 0.1 * mark) continue;
    if (1 - s <= CLOSE && norm < SUSPECT && norm < FALLING * mark_norm) return decide(w, z);
    mark = 1 - s, mark_norm = norm;
  }
  return HIK_STUDY_FAILED;
}

double hik_study_distance(const hik_study_point *z, const hik_study_point *v, bool conjugate) {
  /* |v - <z, v> z|: exact for near points, where 1 - |<z, v>|^2 is not */
  double sign = conjugate ? -1 : 1, re = 0, im = 0, n = 1 / size2(z), far = 0;
  for (int i = 0; i < 8; i++) {
    re += z->re[i] * v->re[i] + z->im[i] * sign * v->im[i];
    im += z->re[i] * sign * v->im[i] - z->im[i] * v->re[i];
  }
  re *= n, im *= n;
  for (int i = 0; i < 8; i++) {
    double x = v->re[i] - (re * z->re[i] - im * z->im[i]),
           y = sign * v->im[i] - (re * z->im[i] + im * z->re[i]);
    far += x * x + y * y;
  }
  return sqrt(far / size2(v));
}

bool hik_study_orthonormal(hik_study_planes *h) {
  for (int i = 0; i < 6; i++) {
    double before = 0, after = 0;
    for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
      before += h->re[k][i] * h->re[k][i] + h->im[k][i] * h->im[k][i];
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < i; j++) {
        double re = 0, im = 0;
        for (int k = 0; k < HIK_STUDY_QUADRICS; k++) {
          re += h->re[k][j] * h->re[k][i] + h->im[k][j] * h->im[k][i];
          im += h->re[k][j] * h->im[k][i] - h->im[k][j] * h->re[k][i];
        }
        for (int k = 0; k < HIK_STUDY_QUADRICS; k++) {
          double x = h->re[k][j], y = h->im[k][j];
          h->re[k][i] -= re * x - im * y, h->im[k][i] -= re * y + im * x;
        }
      }
    for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
      after += h->re[k][i] * h->re[k][i] + h->im[k][i] * h->im[k][i];
    if (!(after > 1e-20 * before) || !(after > 0)) return false;
    double scale = 1 / sqrt(after);
    for (int k = 0; k < HIK_STUDY_QUADRICS; k++) h->re[k][i] *= scale, h->im[k][i] *= scale;
  }
  return true;
}
