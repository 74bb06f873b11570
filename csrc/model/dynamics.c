/* dynamics.c: checks loads, works payloads into the bodies, and hands batches to the lane kernels of csrc/simd.

   The mathematics is in simd/dynamics.inc.c. Nothing here depends on the instruction set but the choice of the table,
   and every table gives the same bytes. */
#include "base/dense.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/inertia.h"
#include "model/spread.h"
#include "simd/kernels.h"

enum { COOKIE = 0x68696b6c, MAX_LOADS = 1 << 20 };

hik_loads hik_loads_default(void) {
  hik_loads loads;
  memset(&loads, 0, sizeof loads);
  loads.gravity[2] = -9.81;
  loads.motor = true;
  loads.cookie = COOKIE;
  return loads;
}

/* ---- checks ---- */

static hik_status check_frames(const hik_model *m, const char *what, const int32_t *frame, int32_t n,
                               hik_error *error) {
  for (int32_t i = 0; i < n; i++)
    if (frame[i] < 0 || frame[i] >= m->n_frame)
      return hik_fail(error, HIK_NOT_FOUND, i, "%s %d is at frame %d, the model has %d frames", what, i,
                      frame[i], m->n_frame);
  return HIK_OK;
}

static hik_status check_wrenches(const hik_loads *loads, int64_t n, hik_error *error) {
  int64_t rows = loads->wrench_stride ? n : 1;
  if (loads->wrench_stride && loads->wrench_stride < 6 * (int64_t)loads->n_wrench)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1,
                    "the wrench stride %lld is shorter than a row of %d wrenches",
                    (long long)loads->wrench_stride, loads->n_wrench);
  for (int64_t i = 0; i < rows; i++)
    if (!hik_all_finite(loads->wrench + i * loads->wrench_stride, 6 * (int64_t)loads->n_wrench))
      return hik_fail(error, HIK_BAD_ARGUMENT, (int32_t)(i & 0x7fffffff),
                      "a wrench of problem %lld is not finite", (long long)i);
  return HIK_OK;
}

hik_status hik_loads_check(const hik_model *m, const hik_loads *loads, int64_t n, hik_error *error) {
  if (!loads || loads->cookie != COOKIE)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the loads were not made by hik_loads_default");
  if (!hik_all_finite(loads->gravity, 3))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "gravity is not finite");
  if (!(loads->coulomb_width >= 0 && loads->coulomb_width < INFINITY))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the Coulomb width %g is negative or not finite",
                    loads->coulomb_width);
  if (loads->n_wrench < 0 || loads->n_payload < 0 || loads->n_wrench > MAX_LOADS ||
      loads->n_payload > MAX_LOADS)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "%d wrenches and %d payloads; at most %d of each are taken",
                    loads->n_wrench, loads->n_payload, MAX_LOADS);
  hik_status status = check_frames(m, "wrench", loads->wrench_frame, loads->n_wrench, error);
  if (!status) status = check_frames(m, "payload", loads->payload_frame, loads->n_payload, error);
  if (!status && loads->n_wrench) status = check_wrenches(loads, n, error);
  for (int32_t i = 0; !status && i < loads->n_payload; i++) {
    const double *body = loads->payload + 10 * (size_t)i;
    if (!(hik_all_finite(body, 10) && body[0] >= 0))
      status = hik_fail(error, HIK_BAD_ARGUMENT, i,
                        "payload %d: its mass is negative or its inertia is not finite", i);
  }
  return status;
}

static bool any_of(const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (x[i] != 0) return true;
  return false;
}

hik_status hik_loads_check_mass(const hik_model *m, const hik_loads *loads, hik_error *error) {
  bool some = m->n_step == 0;
  for (int32_t s = 0; s < m->n_step && !some; s++)
    some = any_of(m->step_inertial + 10 * (size_t)s, 10) ||
           (loads->motor && any_of(m->step_motor + 3 * (size_t)s, 3));
  for (int32_t i = 0; i < loads->n_payload && !some; i++)
    some = m->frame_step[loads->payload_frame[i]] >= 0 && any_of(loads->payload + 10 * (size_t)i, 10);
  if (some) return HIK_OK;
  return hik_fail(
      error, HIK_BAD_MODEL, -1,
      "no link that moves has mass, so its weight and inertia are not known: give the links masses, "
      "or a payload");
}

/* ---- working memory ---- */

/* Rows that are spread at once where joints follow a swing: as many as the widest kernel takes. */
enum { SPREAD = HIK_DYNAMICS_LANES };

/* Rows of the figure with coordinates for the followers of a swing, and what comes of them. */
typedef struct spread {
  double *q, *v, *a, *tau; /* [SPREAD][nq or nv] */
  double *rates;           /* [SPREAD][n_follow][3] */
  double *wide;            /* a mass matrix, or [SPREAD] Jacobians of the centre */
  double *narrow;          /* a mass matrix of the model's own coordinates, and a row of torques */
} spread;

typedef struct layout {
  double *body;
  hik_push *push;
  void *lanes;
  spread spread;
} layout;

/* The most lanes any kernel uses: rows of q, v, a, tau and one of zeros or a centre Jacobian; per step a node and its
   rotation in the world, and one node for the world; a mass matrix where it is small or joints mimic others. */
static void lay_out_for(const hik_model *m, const hik_loads *loads, hik_block *block, layout *out) {
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, n_step = (size_t)m->n_step, square = 0, lanes;
  out->body = HIK_TAKE(block, double, 10 * n_step);
  out->push = HIK_TAKE(block, hik_push, loads->n_wrench);
  bool kept = hik_has_mimic(m) || m->nv <= HIK_DYNAMICS_SMALL;
  if ((kept && !hik_mul(nv, nv, &square)) || !hik_add(square, nq + 8 * nv, &lanes) ||
      !hik_add(lanes, (n_step + 1) * (HIK_DYNAMICS_NODE + 9), &lanes)) {
    block->bad = true;
    return;
  }
  out->lanes = hik_block_take(block, lanes, HIK_DYNAMICS_LANES * sizeof(double));
}

static void lay_out_spread(const hik_model *m, hik_block *block, spread *out) {
  size_t nq = (size_t)m->nq + (size_t)m->n_follow, nv = (size_t)m->nv + (size_t)m->n_follow, wide = 0,
         narrow = 0;
  if (!hik_mul(nv, nv, &wide) || !hik_mul((size_t)m->nv, (size_t)m->nv + 1, &narrow)) block->bad = true;
  out->q = HIK_TAKE(block, double, SPREAD *nq);
  HIK_TAKE_DOUBLES(block, SPREAD * nv, &out->v, &out->a, &out->tau);
  out->rates = HIK_TAKE(block, double, SPREAD * 3 * (size_t)m->n_follow);
  out->wide = HIK_TAKE(block, double, wide > 3 * SPREAD * nv ? wide : 3 * SPREAD * nv);
  out->narrow = HIK_TAKE(block, double, narrow);
}

static void lay_out(const hik_model *m, const hik_loads *loads, hik_block *block, layout *out) {
  if (m->n_follow == 0) {
    lay_out_for(m, loads, block, out);
    return;
  }
  hik_model free = hik_spread_model(m);
  lay_out_for(&free, loads, block, out);
  lay_out_spread(m, block, &out->spread);
}

size_t hik_dynamics_scratch_size(const hik_model *m, const hik_loads *loads) {
  hik_block block = {NULL, 0, false};
  layout at = {.body = NULL};
  size_t size;
  lay_out(m, loads, &block, &at);
  return block.bad || !hik_add(block.size, 64, &size) ? SIZE_MAX : size;
}

/* ---- a call ---- */

/* Bodies with their payloads, as mass, first and second moments. */
static void weigh_bodies(const hik_model *m, const hik_loads *loads, double *body) {
  memcpy(body, m->step_inertial, 10 * (size_t)m->n_step * sizeof *body);
  for (int32_t i = 0; i < loads->n_payload; i++) {
    int32_t frame = loads->payload_frame[i], step = m->frame_step[frame];
    if (step >= 0)
      hik_inertial_add(loads->payload + 10 * (size_t)i, hik_frame_place(m, frame), body + 10 * (size_t)step);
  }
  for (int32_t s = 0; s < m->n_step; s++) {
    double moments[10];
    hik_inertial_moments(body + 10 * (size_t)s, moments);
    memcpy(body + 10 * (size_t)s, moments, sizeof moments);
  }
}

/* Loads, bodies and memory of a call. free: becomes the spread figure where joints follow a swing. */
static hik_weighed weigh(const hik_model *m, const hik_loads *loads, void *scratch, layout *laid,
                         hik_model *free) {
  uintptr_t base = ((uintptr_t)scratch + 63) & ~(uintptr_t)63;
  hik_block block = {(char *)base, 0, false};
  layout at = {.body = NULL};
  lay_out(m, loads, &block, &at);
  *laid = at;
  weigh_bodies(m, loads, at.body);
  if (m->n_follow > 0) *free = hik_spread_model(m);
  hik_weighed c = {m->n_follow > 0 ? free : m, at.body, NULL,    {0, 0, 0},
                   loads->coulomb_width,       0,       at.push, at.lanes};
  for (int i = 0; i < 3; i++) c.gravity[i] = loads->gravity[i];
  if (loads->motor)
    for (size_t i = 0; i < 3 * (size_t)m->n_step; i++)
      if (m->step_motor[i] != 0) c.motor = m->step_motor;
  for (int32_t i = 0; i < loads->n_wrench; i++) {
    int32_t frame = loads->wrench_frame[i];
    if (m->frame_step[frame] < 0) continue; /* the world holds still */
    hik_push *push = at.push + c.n_push++;
    push->step = m->frame_step[frame];
    hik_copy3(hik_frame_place(m, frame)->t, push->arm);
    push->value = loads->wrench + 6 * (size_t)i;
    push->stride = loads->wrench_stride;
  }
  return c;
}

/* ---- joints that follow a swing ---- */

/* Rows first .. of a call, at most SPREAD, in the coordinates of the spread figure. */
static int64_t spread_rows(const hik_model *m, const spread *w, int64_t first, int64_t n, const double *q,
                           const double *v, const double *a) {
  int64_t count = n - first < SPREAD ? n - first : SPREAD;
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv, k = (size_t)m->n_follow;
  for (size_t i = 0, row = (size_t)first; i < (size_t)count; i++, row++) {
    hik_spread_q(m, q + row * nq, w->q + i * (nq + k));
    hik_spread_rates(m, q + row * nq, v ? v + row * nv : NULL, a ? a + row * nv : NULL, w->rates + 3 * i * k,
                     w->v + i * (nv + k), w->a + i * (nv + k));
  }
  return count;
}

/* The pushes of the rows after `count` more. */
static void next_pushes(const hik_weighed *c, const layout *at, int64_t count) {
  for (int32_t i = 0; i < c->n_push; i++) at->push[i].value += count * at->push[i].stride;
}

static void spread_inverse(const hik_model *m, hik_weighed *c, const layout *at, int64_t n, const double *q,
                           const double *v, const double *a, double *tau) {
  const spread *w = &at->spread;
  size_t nv = (size_t)m->nv, k = (size_t)m->n_follow;
  for (int64_t first = 0, count; first < n; first += count) {
    count = spread_rows(m, w, first, n, q, v, a);
    hik_kernels_in_use()->inverse_dynamics(c, count, w->q, w->v, w->a, w->tau);
    memset(tau + (size_t)first * nv, 0, (size_t)count * nv * sizeof *tau);
    for (size_t i = 0; i < (size_t)count; i++)
      hik_gather(m, w->rates + 3 * i * k, w->tau + i * (nv + k), 1, tau + ((size_t)first + i) * nv, 1);
    next_pushes(c, at, count);
  }
}

/* M = transpose(G) M' G at one q. */
static void spread_mass(const hik_model *m, hik_weighed *c, const spread *w, const double *q, double *out) {
  size_t nv = (size_t)m->nv, all = nv + (size_t)m->n_follow;
  spread_rows(m, w, 0, 1, q, NULL, NULL);
  hik_kernels_in_use()->mass_matrix(c, 1, w->q, w->wide);
  memset(out, 0, nv * nv * sizeof *out);
  for (size_t row = 0; row < all; row++) { /* M' G in place: a row has room for its own, shorter one */
    memset(w->v, 0, nv * sizeof *w->v);
    hik_gather(m, w->rates, w->wide + row * all, 1, w->v, 1);
    memcpy(w->wide + row * all, w->v, nv * sizeof *w->v);
  }
  for (size_t column = 0; column < nv; column++)
    hik_gather(m, w->rates, w->wide + column, all, out + column, nv);
}

/* a = M^-1 (tau - what it takes to keep still). NaN where M is singular. */
static void spread_forward(const hik_model *m, hik_weighed *c, const layout *at, int64_t n, const double *q,
                           const double *v, const double *tau, double *a) {
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  double *M = at->spread.narrow, *still = M + nv * nv;
  for (size_t i = 0; i < (size_t)n; i++) {
    double *x = a + i * nv;
    spread_inverse(m, c, at, 1, q + i * nq, v ? v + i * nv : NULL, NULL, still);
    for (size_t k = 0; k < nv; k++) x[k] = (tau ? tau[i * nv + k] : 0) - still[k];
    spread_mass(m, c, &at->spread, q + i * nq, M);
    bool good = hik_cholesky(m->nv, M, 0);
    if (good) hik_cholesky_solve(m->nv, M, x);
    for (size_t k = 0; k < nv && !good; k++) x[k] = NAN;
  }
}

static double *row_of(double *x, int64_t i, int32_t width) {
  return x ? x + (size_t)i * (size_t)width : NULL;
}

static void spread_state(const hik_model *m, hik_weighed *c, const spread *w, int64_t n, const double *q,
                         const double *v, const hik_mass_out *out) {
  size_t nv = (size_t)m->nv, all = nv + (size_t)m->n_follow;
  for (int64_t first = 0, count; first < n; first += count) {
    count = spread_rows(m, w, first, n, q, v, NULL);
    double *jacobian = row_of(out->center_jacobian, first, 3 * m->nv);
    hik_mass_out part = {row_of(out->center, first, 3), jacobian ? w->wide : NULL,
                         row_of(out->momentum, first, 6), row_of(out->kinetic, first, 1),
                         row_of(out->potential, first, 1)};
    hik_kernels_in_use()->mass_state(c, count, w->q, w->v, &part);
    if (!jacobian) continue;
    memset(jacobian, 0, (size_t)count * 3 * nv * sizeof *jacobian);
    for (size_t r = 0; r < 3 * (size_t)count; r++)
      hik_gather(m, w->rates + r / 3 * 3 * (size_t)m->n_follow, w->wide + r * all, 1, jacobian + r * nv, 1);
  }
}

/* ---- the calls ---- */

void hik_inverse_dynamics(const hik_model *m, const hik_loads *loads, int64_t n, const double *q,
                          const double *v, const double *a, double *tau, void *scratch) {
  layout at;
  hik_model free;
  hik_weighed c = weigh(m, loads, scratch, &at, &free);
  if (m->n_follow > 0)
    spread_inverse(m, &c, &at, n, q, v, a, tau);
  else
    hik_kernels_in_use()->inverse_dynamics(&c, n, q, v, a, tau);
}

void hik_mass_matrix(const hik_model *m, const hik_loads *loads, int64_t n, const double *q, double *out,
                     void *scratch) {
  layout at;
  hik_model free;
  hik_weighed c = weigh(m, loads, scratch, &at, &free);
  size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
  for (size_t i = 0; i < (size_t)n && m->n_follow > 0; i++)
    spread_mass(m, &c, &at.spread, q + i * nq, out + i * nv * nv);
  if (m->n_follow == 0) hik_kernels_in_use()->mass_matrix(&c, n, q, out);
}

void hik_forward_dynamics(const hik_model *m, const hik_loads *loads, int64_t n, const double *q,
                          const double *v, const double *tau, double *a, void *scratch) {
  layout at;
  hik_model free;
  hik_weighed c = weigh(m, loads, scratch, &at, &free);
  if (m->n_follow > 0)
    spread_forward(m, &c, &at, n, q, v, tau, a);
  else
    hik_kernels_in_use()->forward_dynamics(&c, n, q, v, tau, a);
}

void hik_mass_state(const hik_model *m, const hik_loads *loads, int64_t n, const double *q, const double *v,
                    double *center, double *center_jacobian, double *momentum, double *kinetic,
                    double *potential, void *scratch) {
  layout at;
  hik_model free;
  hik_weighed c = weigh(m, loads, scratch, &at, &free);
  hik_mass_out out = {center, center_jacobian, momentum, kinetic, potential};
  if (m->n_follow > 0)
    spread_state(m, &c, &at.spread, n, q, v, &out);
  else
    hik_kernels_in_use()->mass_state(&c, n, q, v, &out);
}
