/* dynamics.c: checks loads, works payloads into the bodies, and hands batches to the lane kernels of csrc/simd.

   The mathematics is in simd/dynamics.inc.c. Nothing here depends on the instruction set but the choice of the table,
   and every table gives the same bytes. */
#include "base/error.h"
#include "base/memory.h"
#include "model/inertia.h"
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
  if (m->n_follow > 0)
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "the dynamics of joints that follow the swing of a ball are not known here");
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

typedef struct layout {
  double *body;
  hik_push *push;
  void *lanes;
} layout;

/* The most lanes any kernel uses: rows of q, v, a, tau and one of zeros or a centre Jacobian; per step a node and its
   rotation in the world, and one node for the world; a mass matrix where it is small or joints mimic others. */
static void lay_out(const hik_model *m, const hik_loads *loads, hik_block *block, layout *out) {
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

size_t hik_dynamics_scratch_size(const hik_model *m, const hik_loads *loads) {
  hik_block block = {NULL, 0, false};
  layout at = {NULL, NULL, NULL};
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

static hik_weighed weigh(const hik_model *m, const hik_loads *loads, void *scratch) {
  uintptr_t base = ((uintptr_t)scratch + 63) & ~(uintptr_t)63;
  hik_block block = {(char *)base, 0, false};
  layout at = {NULL, NULL, NULL};
  lay_out(m, loads, &block, &at);
  weigh_bodies(m, loads, at.body);
  hik_weighed c = {m, at.body, NULL, {0, 0, 0}, loads->coulomb_width, 0, at.push, at.lanes};
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

void hik_inverse_dynamics(const hik_model *m, const hik_loads *loads, int64_t n, const double *q,
                          const double *v, const double *a, double *tau, void *scratch) {
  hik_weighed c = weigh(m, loads, scratch);
  hik_kernels_in_use()->inverse_dynamics(&c, n, q, v, a, tau);
}

void hik_mass_matrix(const hik_model *m, const hik_loads *loads, int64_t n, const double *q, double *out,
                     void *scratch) {
  hik_weighed c = weigh(m, loads, scratch);
  hik_kernels_in_use()->mass_matrix(&c, n, q, out);
}

void hik_forward_dynamics(const hik_model *m, const hik_loads *loads, int64_t n, const double *q,
                          const double *v, const double *tau, double *a, void *scratch) {
  hik_weighed c = weigh(m, loads, scratch);
  hik_kernels_in_use()->forward_dynamics(&c, n, q, v, tau, a);
}

void hik_mass_state(const hik_model *m, const hik_loads *loads, int64_t n, const double *q, const double *v,
                    double *center, double *center_jacobian, double *momentum, double *kinetic,
                    double *potential, void *scratch) {
  hik_weighed c = weigh(m, loads, scratch);
  hik_mass_out out = {center, center_jacobian, momentum, kinetic, potential};
  hik_kernels_in_use()->mass_state(&c, n, q, v, &out);
}
