/* balls.c: a chain of free balls as points, shared by FABRIK on free chains, "follow the leader" and triangulation.

   Given     a problem that hik_balls_fit takes
   Returned  the chain's links; poses as points, and points as poses
   Notes     Points become a pose joint by joint from the root: in the world each bone makes the smallest rotation from
             its start, so that its twist is kept. Bones of the same points are the same whatever the twist. */
#include "solve/points/balls.h"

/* 1 + the cosine below which the quaternion of the smallest rotation loses digits. */
#define NEARLY_OPPOSITE 1e-4

int32_t hik_balls_count(const hik_problem *p) {
  return hik_norm(p->goal->place.t) > 0 ? p->n_active : p->n_active - 1;
}

const double *hik_balls_bone(const hik_problem *p, int32_t k) {
  return k + 1 < p->n_active ? hik_step_place(p->model, p->active[k + 1])->t : p->goal->place.t;
}

bool hik_balls_alone(const hik_problem *p) {
  if (p->n_goal != 1 || hik_goal_class(p->goal)->caps != HIK_HAS_POSITION) return false;
  for (int32_t k = 0; k < p->n_active; k++)
    if (p->model->step_kind[p->active[k]] != HIK_BALL_STEP || hik_step_cone(p->model, p->active[k]))
      return false;
  return p->n_active > 0;
}

bool hik_balls_fit(const hik_problem *p) {
  if (!hik_balls_alone(p)) return false;
  for (int32_t k = 1; k < p->n_active; k++)
    if (!(hik_norm(hik_balls_bone(p, k - 1)) > 0)) return false;
  return hik_balls_count(p) >= 1;
}

hik_status hik_balls_accept(const hik_problem *p, const hik_options *o, const char *solver,
                            hik_error *error) {
  (void)o;
  if (hik_balls_fit(p)) return HIK_OK;
  return hik_fail(
      error, HIK_UNSUPPORTED, -1,
      "%s takes one position at the end of a chain of free balls alone; fabrik takes other joints, limits "
      "and goals, auto any",
      solver);
}

hik_bones hik_bones_lay_out(hik_block *block, size_t n) {
  hik_bones s;
  s.point = HIK_TAKE(block, double, 3 * (n + 1));
  s.bone = HIK_TAKE(block, double, 3 * n);
  s.turn = HIK_TAKE(block, double, 4 * n);
  return s;
}

void hik_balls_lay_out(const hik_problem *p, hik_block *block, hik_balls *into) {
  size_t n = (size_t)hik_balls_count(p);
  into->length = HIK_TAKE(block, double, n);
  into->offset = HIK_TAKE(block, double, 3 * n);
  into->place = hik_block_take(block, n, sizeof *into->place);
  into->plain = HIK_TAKE(block, bool, n);
}

void hik_balls_prepare(const hik_problem *p, hik_balls *b) {
  const hik_model *m = p->model;
  b->n = hik_balls_count(p);
  b->step = p->active;
  b->reach = 0;
  hik_copy3(hik_step_place(m, b->step[0])->t, b->root);
  for (int32_t k = 0; k < b->n; k++) {
    const double *bone = hik_balls_bone(p, k);
    hik_copy3(bone, b->offset + 3 * (size_t)k);
    b->length[k] = hik_norm(bone);
    b->reach += b->length[k];
    hik_quat_from_mat(hik_step_place(m, b->step[k])->r, b->place[k]);
    b->plain[k] = m->step_plain[b->step[k]];
  }
}

void hik_balls_trace(const hik_balls *b, const double *q, const hik_model *m, hik_bones *s) {
  double up[4] = {1, 0, 0, 0};
  hik_copy3(b->root, s->point);
  for (int32_t k = 0; k < b->n; k++) {
    double *turn = s->turn + 4 * (size_t)k, r[9], bone[3];
    hik_quat_mul(up, b->place[k], up);
    hik_quat_mul(up, q + m->step_q[b->step[k]], turn);
    hik_quat_normalize(turn);
    memcpy(up, turn, sizeof up);
    hik_quat_to_mat(turn, r);
    hik_mat_vec(r, b->offset + 3 * (size_t)k, bone);
    hik_add3(s->point + 3 * (size_t)k, bone, s->point + 3 * (size_t)k + 3);
    hik_scale3(1 / b->length[k], bone, s->bone + 3 * (size_t)k);
  }
}

/* The smallest rotation from a to b, c = 1 + a.b being far from 0. */
HIK_INLINE void turn_to(const double a[3], const double b[3], double c, double turn[4]) {
  double s = 1 / sqrt(2 * c), axis[3];
  hik_cross(a, b, axis);
  turn[0] = c * s;
  hik_scale3(s, axis, turn + 1);
}

/* The same for a and b nearly opposite: half a turn, and the small rest, which no cancellation spoils. */
static void __attribute__((noinline)) turn_back(const double a[3], const double b[3], double c,
                                                double turn[4]) {
  double half[4] = {0}, r[9], met[3], rest[4];
  hik_cross(a, b, half + 1);
  if (!(c > 1e-12 && hik_unit(half + 1, half + 1) > 0)) hik_perpendicular(a, half + 1);
  hik_quat_to_mat(half, r);
  hik_mat_vec(r, a, met);
  turn_to(met, b, 1 + hik_dot(met, b), rest);
  hik_quat_mul(rest, half, turn);
}

HIK_INLINE void turn_bone(const double a[3], const double b[3], double turn[4]) {
  double c = 1 + hik_dot(a, b);
  if (HIK_LIKELY(c > NEARLY_OPPOSITE))
    turn_to(a, b, c, turn);
  else
    turn_back(a, b, c, turn);
}

void hik_balls_turn(const double a[3], const double b[3], double turn[4]) { turn_bone(a, b, turn); }

/* Direction and length of bone k, carefully. */
static double short_bone(int32_t k, const double *point, double *bone) {
  hik_sub3(point + 3 * (size_t)k + 3, point + 3 * (size_t)k, bone);
  return hik_unit(bone, bone);
}

void hik_balls_to_q(const hik_balls *b, const hik_model *m, const hik_bones *from, const double *point,
                    bool rough, double *q) {
  const double tiny = 1e-4 * b->reach;
  double up[4] = {1, 0, 0, 0};
  for (int32_t k = 0; k < b->n; k++) {
    const double *old = from->bone + 3 * (size_t)k, *turn = from->turn + 4 * (size_t)k;
    double bone[3], smallest[4], whole[4];
    hik_sub3(point + 3 * (size_t)k + 3, point + 3 * (size_t)k, bone);
    /* floats give a length of few digits, and so do points of a short bone: its direction must still be of unit length */
    hik_scale3(1 / (rough ? sqrt(hik_dot(bone, bone)) : b->length[k]), bone, bone);
    if (HIK_UNLIKELY(b->length[k] < tiny) && short_bone(k, point, bone) == 0) hik_copy3(old, bone);
    turn_bone(old, bone, smallest);
    hik_quat_mul(smallest, turn, whole);
    hik_balls_set(b, m, k, whole, up, q);
  }
}

double hik_balls_slack(const hik_problem *p, int32_t n, double reach) {
  return p->goal->term.position_tolerance * (1 - 1e-9) - 4e-16 * (n + 4) * reach;
}
