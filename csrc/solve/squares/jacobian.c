/* jacobian.c: solvers that take one step of the linear model J d = -e an iteration, limits as an active set.

   Purpose    any joint tree, any number and kind of goals
   Given      the start inside the limits; for each problem a target
   Returned   q inside its limits
   Outcomes   converged, unreachable (target proved out of reach), stalled (no progress, all remedies used), max_iter,
              diverged
   Notes      1 J, e: see descent.h. The rules, x being the step on the columns that are free:
                  transpose  x = -a J'e,  a = <e, JJ'e> / <JJ'e, JJ'e>
                  pinv       x = -J'(JJ')^-1 e; with more rows than columns -(J'J)^-1 J'e; where that has no inverse,
                             or with `use_svd`, the pseudo-inverse without the singular values below 1e-6 of the largest
                  dls        x = -J'(JJ' + d I)^-1 e, d = damping^2, or with damping 0 d = 0.5 |e|^2 + 1e-6: far from
                             the goal cautious, near it as quick as Newton
                  sdls       every singular direction with a clamp of its own, smaller where a small change of the
                             goals would need a large move (`step_fraction` clamps the error asked for at once)
                  newton     J x = -e by QR: the shortest solution, or that of least squares (by singular values where
                             the rank is short); nothing holds it back, so that its sensitivity to the start shows
              2 Redundant figures: `posture` (towards the rest posture), `limit_avoidance` (away from the limits) and
                `manipulability` add z - J^+ J z to the step, z being the way down their cost. With any of them the
                solver goes on once the goals are met, until z moves nothing. Until then no column goes farther by z than half
                sqrt |e|: what z does to the goals is of second order, and must not undo what x gains.
              3 At a singular pose (J'e = 0) and after a stall the best pose is pushed at random inside the limits,
                `perturbations` times; then the method begins anew from a spread start (starts.h), `max_restarts` times, and the
                best pose of all is kept. Both depend on the seed alone. starts = 0: one attempt, the published method.
   Reference  W. A. Wolovich, H. Elliott (1984), transpose; D. E. Whitney (1969), pseudo-inverse; Y. Nakamura, H. Hanafusa
              (1986) and C. W. Wampler (1986), damping; S. R. Buss, Introduction to inverse kinematics with Jacobian
              transpose, pseudoinverse and damped least squares methods (2004), eq. for a; S. R. Buss, J.-S. Kim,
              Selectively damped least squares for inverse kinematics, J. Graphics Tools 10 (2005) 37-49; A. Liegeois,
              Automatic supervisory control of multibody mechanisms (1977), limit avoidance in the null space;
              T. Yoshikawa, Manipulability of robotic mechanisms (1985). */
#include "base/dense.h"
#include "solve/squares/descent.h"

enum { REST = HIK_DESCENT_OWN, AVOID, MANIPULABILITY, OWN };
enum { PATIENCE = 8 };

typedef struct work {
  hik_descent d;
  hik_rule *rule;
  double *square, *u, *s, *v, *tau, *y; /* what the rules need */
  double *jz, *beside;                  /* [m]; [nq] a pose beside the present one */
  double *z;                            /* [n] step of the secondary goals on all columns */
  double drift;                         /* longest move of a column by the secondary goals in the last step */
  bool second;
  bool meeting; /* the best pose meets the goals */
} work;

static work *lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  hik_descent_size size = hik_descent_sizes(p);
  hik_descent_lay_out(&into->d, p, block);
  into->square = HIK_TAKE(block, double, size.square);
  into->u = HIK_TAKE(block, double, size.m *size.m);
  HIK_TAKE_DOUBLES(block, size.m, &into->s, &into->jz);
  into->v = HIK_TAKE(block, double, size.m *size.n);
  into->tau = HIK_TAKE(block, double, size.least);
  into->y = HIK_TAKE(block, double, size.m + 2 * size.n);
  into->z = HIK_TAKE(block, double, size.n);
  into->beside = HIK_TAKE(block, double, p->model->nq);
  return w;
}

HIK_LAID_OUT(work, lay_out)

static void begin(hik_run *run) { hik_descent_prepare(&laid_out(run)->d, run, false); }

/* ---- rules ---- */

static bool transpose_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  work *w = context;
  hik_transposed_times(m, n, j, b, x);
  hik_times(m, n, j, x, w->y);
  double up = 0, down = 0;
  for (int32_t r = 0; r < m; r++) up += b[r] * w->y[r], down += w->y[r] * w->y[r];
  if (!(down > 1e-30 * w->d.error * w->d.error)) return false;
  for (int32_t k = 0; k < n; k++) x[k] *= up / down;
  return true;
}

/* Singular values of J; x = 0. False: the call is stopped or late. */
static bool decompose(work *w, int32_t m, int32_t n, const double *j, double *x) {
  memcpy(w->v, j, (size_t)m * (size_t)n * sizeof *j);
  memset(x, 0, (size_t)n * sizeof *x);
  return hik_descent_svd(&w->d, m, n, w->v, w->u, w->s);
}

/* Pseudo-inverse by singular values. */
static bool by_svd(work *w, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  if (!decompose(w, m, n, j, x)) return false;
  for (int32_t i = 0; i < m && w->s[i] > 1e-6 * w->s[0]; i++) {
    double a = 0;
    for (int32_t r = 0; r < m; r++) a += w->u[(size_t)r * (size_t)m + (size_t)i] * b[r];
    for (int32_t k = 0; k < n; k++) x[k] += a / w->s[i] * w->v[(size_t)i * (size_t)n + (size_t)k];
  }
  return w->s[0] > 0;
}

static bool pinv_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  work *w = context;
  return (!(w->d.run->options->param[OWN] > 0) && hik_damped_solve(m, n, j, 0, b, x, w->square)) ||
         by_svd(w, m, n, j, b, x);
}

static bool dls_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  work *w = context;
  double fixed = w->d.run->options->param[OWN], error = w->d.error;
  return hik_damped_solve(m, n, j, fixed > 0 ? fixed * fixed : 0.5 * error * error + 1e-6, b, x, w->square);
}

static bool newton_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  work *w = context;
  double *a = w->v, *y = w->y;
  if (m > n) {
    memcpy(a, j, (size_t)m * (size_t)n * sizeof *a);
    hik_qr(m, n, a, w->tau);
    if (!(hik_qr_rank(n, a) > 1e-9)) return by_svd(w, m, n, j, b, x);
    memcpy(y, b, (size_t)m * sizeof *y);
    hik_qr_turn(m, n, a, w->tau, y);
    hik_qr_back(n, a, y);
    memcpy(x, y, (size_t)n * sizeof *x);
    return true;
  }
  for (size_t r = 0; r < (size_t)m; r++)
    for (size_t k = 0; k < (size_t)n; k++) a[k * (size_t)m + r] = j[r * (size_t)n + k];
  hik_qr(n, m, a, w->tau);
  if (!(hik_qr_rank(m, a) > 1e-9)) return by_svd(w, m, n, j, b, x);
  for (int32_t k = 0; k < n; k++) x[k] = k < m ? b[k] : 0;
  hik_qr_forward(m, a, x);
  hik_qr_turn_back(n, m, a, w->tau, x);
  return true;
}

/* Shrinks x so that no entry exceeds `most`. */
static void clamp_entries(int32_t n, double most, double *x) {
  double largest = 0;
  for (int32_t k = 0; k < n; k++) largest = fmax(largest, fabs(x[k]));
  if (largest > most)
    for (int32_t k = 0; k < n; k++) x[k] *= most / largest;
}

/* Length of rows [first, first + 3) of a column of a [m][stride]. */
static double block_length(int32_t m, size_t stride, int32_t first, const double *column) {
  double sum = 0;
  for (int32_t r = first; r < m && r < first + 3; r++)
    sum += column[(size_t)r * stride] * column[(size_t)r * stride];
  return sqrt(sum);
}

static bool sdls_rule(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  work *w = context;
  const double *param = w->d.run->options->param;
  double most = param[HIK_DESCENT_CLAMP] > 0 ? param[HIK_DESCENT_CLAMP] : HIK_PI / 4, aim = param[OWN];
  double *ask = w->y, *phi = w->y + m;
  for (int32_t first = 0; first < m; first += 3) {
    double length = block_length(m, 1, first, b), shrink = aim > 0 && length > aim ? aim / length : 1;
    for (int32_t r = first; r < m && r < first + 3; r++) ask[r] = shrink * b[r];
  }
  if (!decompose(w, m, n, j, x) || !(w->s[0] > 0)) return false;
  for (int32_t i = 0; i < m && w->s[i] > 1e-10 * w->s[0]; i++) {
    const double *v = w->v + (size_t)i * (size_t)n;
    double a = 0, gain = 0, cost = 0;
    if (!hik_poll(w->d.run->worker, (int64_t)m * n / HIK_WORK)) return false;
    for (int32_t r = 0; r < m; r++) a += w->u[(size_t)r * (size_t)m + (size_t)i] * ask[r];
    for (int32_t first = 0; first < m; first += 3) gain += block_length(m, (size_t)m, first, w->u + i);
    for (int32_t k = 0; k < n; k++)
      for (int32_t first = 0; first < m; first += 3)
        cost += fabs(v[k]) * block_length(m, (size_t)n, first, j + k);
    cost /= w->s[i];
    for (int32_t k = 0; k < n; k++) phi[k] = a / w->s[i] * v[k];
    clamp_entries(n, most * fmin(1, gain / cost), phi);
    for (int32_t k = 0; k < n; k++) x[k] += phi[k];
  }
  clamp_entries(n, most, x);
  return true;
}

/* The rule, then what the secondary goals may do without touching the goals. */
static bool both_rules(void *context, int32_t m, int32_t n, const double *j, const double *b, double *x) {
  work *w = context;
  if (!w->rule(w, m, n, j, b, x)) return false;
  if (!w->second) return true;
  double *z = w->y, *back = w->y + n, trace = hik_square_sum(m, n, j);
  for (int32_t k = 0; k < n; k++) z[k] = w->z[w->d.free[k]];
  hik_times(m, n, j, z, w->jz);
  if (!hik_damped_solve(m, n, j, 1e-12 * trace, w->jz, back, w->square)) return true;
  for (int32_t k = 0; k < n; k++) {
    z[k] -= back[k];
    w->drift = fmax(w->drift, fabs(z[k]));
  }
  double most = w->meeting ? INFINITY : 0.5 * sqrt(w->d.error),
         shrink = w->drift > most ? most / w->drift : 1;
  for (int32_t k = 0; k < n; k++) x[k] += shrink * z[k];
  w->drift *= shrink;
  return true;
}

/* ---- the loop ---- */

static bool iterate(hik_pace *pace) {
  work *w = pace->work; /* whose first member is the descent */
  hik_descent *d = &w->d;
  const double *param = pace->run->options->param;
  w->meeting = pace->meeting;
  w->drift = 0; /* where no step of theirs can be had, as for a Jacobian of zeros, they move nothing */
  hik_descent_jacobian(d);
  if (w->second)
    hik_secondary_step(d, param[REST], param[AVOID], param[MANIPULABILITY], w->beside, w->square, w->z);
  if (!hik_descent_step(d, both_rules, w, param[HIK_DESCENT_CLAMP])) return false;
  hik_descent_move(d, d->q, d->d, d->q);
  hik_descent_residual(d);
  pace->settled = w->drift < 1e-4;
  return true;
}

static const hik_method method = {.iterate = iterate, HIK_DESCENT_METHOD};

static void solve(hik_run *run, const double *target, hik_answer *answer, hik_rule *rule, bool secondary) {
  work *w = run->scratch;
  const double *param = run->options->param;
  w->rule = rule;
  w->second = secondary && (param[REST] > 0 || param[AVOID] > 0 || param[MANIPULABILITY] > 0);
  hik_descent_run(&w->d, &method, PATIENCE, w->second, target, answer);
}

#define NULL_SPACE                                                                                           \
  {"posture", 0, 0, 1e9}, {"limit_avoidance", 0, 0, 1e9}, { "manipulability", 0, 0, 1e9 }

/* A solver of a rule; `second`: it has secondary goals. */
#define HIK_JACOBIAN(key, label, second, ...)                                                                \
  static void one_##key(hik_run *run, const double *target, hik_answer *answer) {                            \
    solve(run, target, answer, key##_rule, second);                                                          \
  }                                                                                                          \
  HIK_DESCENT_SOLVER(key, label, __VA_ARGS__)

HIK_JACOBIAN(transpose, "jacobian_transpose", false,
             "Jacobian transpose with the step that is best for the linear model",
             "Wolovich and Elliott 1984; Buss 2004", 1000, 1e-4, HIK_DESCENT_OPTIONS(0.5));
HIK_JACOBIAN(pinv, "pinv", true, "pseudo-inverse of the Jacobian", "Whitney 1969", 2000, 1e-3,
             HIK_DESCENT_OPTIONS(0.5), NULL_SPACE, {"use_svd", 0, 0, 1, true});
HIK_JACOBIAN(dls, "dls", true, "damped least squares, fixed or adaptive damping",
             "Nakamura and Hanafusa 1986; Wampler 1986", 2000, 1e-3, HIK_DESCENT_OPTIONS(0.6), NULL_SPACE,
             {"damping", 0, 0, 1e9});
HIK_JACOBIAN(sdls, "sdls", true, "selectively damped least squares", "Buss and Kim 2005", 4000, 1e-3,
             HIK_DESCENT_OPTIONS(HIK_PI / 4), NULL_SPACE, {"step_fraction", 0.5, 0, 1e9});
HIK_JACOBIAN(newton, "newton", false, "Newton-Raphson by QR, nothing holding it back",
             "Goldenberg, Benhabib and Fenton 1985", 1000, 1e-3, HIK_DESCENT_OPTIONS(0));
