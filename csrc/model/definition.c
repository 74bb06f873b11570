/* definition.c: what is wrong with a definition, in a sentence. */
#include "model/definition.h"

#include "base/error.h"
#include "base/pose.h"

enum { COOKIE = 0x68696b6d, MAX_JOINTS = 1 << 26, MAX_CORNERS = 2048 };

hik_model_def hik_model_def_default(void) {
  hik_model_def def;
  memset(&def, 0, sizeof def);
  def.cookie = COOKIE;
  return def;
}

hik_label hik_def_name(const hik_model_def *def, int32_t j) {
  hik_label l = {{0}};
  const char *name = def->joint_name ? def->joint_name[j] : NULL;
  size_t at = 0;
  if (name) {
    l.text[at++] = '\'';
    for (; *name && at < sizeof l.text - 5; name++) l.text[at++] = (unsigned char)*name < 32 ? '?' : *name;
    if (*name) l.text[at++] = '.', l.text[at++] = '.';
    l.text[at++] = '\'';
  } else {
    char digits[12];
    int n = 0;
    do digits[n++] = (char)('0' + j % 10);
    while (j /= 10);
    while (n) l.text[at++] = digits[--n];
  }
  return l;
}

/* ---- joints ---- */

/* Placement i is finite, and its rotation one. */
static bool rigid(const double *placements, int32_t i) {
  const double *place = placements + 12 * (size_t)i;
  return hik_all_finite(place, 12) && hik_mat_off(place) <= HIK_RIGID;
}

/* Axis j made of unit length; false: there are none, or it has no length. */
static bool take_axis(const double *axes, int32_t j, double unit[3]) {
  return axes && hik_all_finite(axes + 3 * (size_t)j, 3) && hik_unit(axes + 3 * (size_t)j, unit) > 0;
}

static hik_status check_swing(const hik_model_def *def, int32_t j, hik_error *error) {
  const double *x = def->swing + 6 * (size_t)j;
  for (int k = 0; k < 4; k++)
    if (!(x[k] >= 0 && x[k] <= 2 * HIK_PI))
      return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its swing limit %g rad is not between 0 and 2 pi",
                      hik_def_name(def, j).text, x[k]);
  if (!(x[4] <= x[5] && x[4] >= -HIK_PI && x[5] <= HIK_PI))
    return hik_fail(error, HIK_BAD_MODEL, j,
                    "joint %s: its twist limits %g to %g rad are no range inside +-pi",
                    hik_def_name(def, j).text, x[4], x[5]);
  int32_t corners = hik_def_corners(def, j), knots = hik_def_knots(def, j);
  if (corners < 0 || corners > MAX_CORNERS || knots < 0 || knots > MAX_CORNERS)
    return hik_fail(error, HIK_BAD_MODEL, j,
                    "joint %s: its room has %d directions and %d rows of twist; at most %d of "
                    "each are taken",
                    hik_def_name(def, j).text, corners, knots, MAX_CORNERS);
  if ((corners > 0 && !def->corner) || (knots > 0 && !(def->knot && def->knot_full)))
    return hik_fail(error, HIK_BAD_ARGUMENT, j, "joint %s: the numbers of its room are missing",
                    hik_def_name(def, j).text);
  return HIK_OK;
}

static hik_status check_hold(const hik_model_def *def, int32_t j, hik_error *error) {
  if (!hik_def_held(def, j)) return HIK_OK;
  const double *h = def->hold + 4 * (size_t)j;
  if (hik_all_finite(h, 4) && fabs(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3] - 1) < 1e-6)
    return HIK_OK;
  return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: the rotation it is held at is no unit quaternion",
                  hik_def_name(def, j).text);
}

/* The axes that the kind of joint j asks for, those of its room among them. */
static hik_status check_axes(const hik_model_def *def, int32_t j, hik_error *error) {
  int32_t kind = def->kind[j];
  bool room = hik_def_limited(def, j), two = kind == HIK_UNIVERSAL || kind == HIK_PLANAR || room;
  if (kind == HIK_FIXED || kind == HIK_FREE || (kind == HIK_BALL && !room)) return HIK_OK;
  double a[3], b[3];
  if (!take_axis(def->axis, j, a))
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its axis is zero or not finite",
                    hik_def_name(def, j).text);
  if (!two) return HIK_OK;
  if (!take_axis(def->axis2, j, b))
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its second axis is zero or not finite",
                    hik_def_name(def, j).text);
  double along = fabs(hik_dot(a, b));
  if (kind == HIK_UNIVERSAL && along > 1 - 1e-9)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its two axes are parallel",
                    hik_def_name(def, j).text);
  if (kind != HIK_UNIVERSAL && along > 1e-6)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its second axis must be at right angles to the first",
                    hik_def_name(def, j).text);
  return HIK_OK;
}

/* One joint's own numbers, without its limits. */
static hik_status check_joint(const hik_model_def *def, int32_t j, hik_error *error) {
  int32_t kind = def->kind[j];
  if (kind < 0 || kind >= HIK_JOINT_KINDS)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: %d is not a joint kind", hik_def_name(def, j).text,
                    kind);
  if (def->parent[j] < -1 || def->parent[j] >= j)
    return hik_fail(error, HIK_BAD_MODEL, j,
                    "joint %s: its parent must be an earlier joint or the world (-1), got %d",
                    hik_def_name(def, j).text, def->parent[j]);
  if (!rigid(def->placement, j))
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its placement is not a rigid motion",
                    hik_def_name(def, j).text);
  hik_status status = check_axes(def, j, error);
  if (!status && hik_def_limited(def, j)) status = check_swing(def, j, error);
  return status;
}

/* Body and drive of one joint. */
static hik_status check_weight(const hik_model_def *def, int32_t j, hik_error *error) {
  const double *body = def->inertial ? def->inertial + 10 * (size_t)j : NULL;
  const double *motor = def->motor ? def->motor + 4 * (size_t)j : NULL;
  if (body && !(hik_all_finite(body, 10) && body[0] >= 0))
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its mass is negative or its inertia is not finite",
                    hik_def_name(def, j).text);
  if (motor && !(hik_all_finite(motor, 4) && motor[0] >= 0 && motor[2] >= 0 && motor[3] >= 0))
    return hik_fail(
        error, HIK_BAD_MODEL, j,
        "joint %s: its rotor inertia or friction is negative, or a number of its drive is not finite",
        hik_def_name(def, j).text);
  return HIK_OK;
}

/* The rest of joint j, whose ball (if it has one) begins at its coordinate `plain`. */
static bool good_rest(const double *rest, int32_t nq, int32_t plain) {
  const double *b = rest + plain;
  if (!hik_all_finite(rest, nq)) return false;
  if (nq - plain < 4) return true;
  double n = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3];
  return n > 1e-200 && n < 1e200;
}

/* Limits and rest of every coordinate; NaN and empty ranges are refused, infinite limits allowed. */
static hik_status check_limits(const hik_model_def *def, hik_error *error) {
  size_t at = 0;
  for (int32_t j = 0; j < def->n_joint; j++) {
    if (hik_def_follows(def, j)) continue;
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    int32_t plain = hik_def_plain(def, j);
    for (int32_t k = 0; k < plain; k++) {
      double lo = def->lower[at + (size_t)k], hi = def->upper[at + (size_t)k];
      if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY)
        return hik_fail(error, HIK_BAD_MODEL, j,
                        "joint %s: its lower limit %g is not below its upper limit %g",
                        hik_def_name(def, j).text, lo, hi);
    }
    if (def->rest && !good_rest(def->rest + at, c->nq, plain))
      return hik_fail(error, HIK_BAD_MODEL, j,
                      "joint %s: its rest is not finite, or a quaternion of it has no length",
                      hik_def_name(def, j).text);
    at += (size_t)c->nq;
  }
  return HIK_OK;
}

/* Greatest coefficient of a joint that follows a swing: squares of values must stay finite. */
static const double MOST_COEFFICIENT = 1e100;

static hik_status check_follower(const hik_model_def *def, int32_t j, hik_error *error) {
  int32_t ball = def->mimic[j];
  double unit[3];
  if (ball >= def->n_joint)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: it follows joint %d, which does not exist",
                    hik_def_name(def, j).text, ball);
  if (hik_joint_classes[def->kind[j]].nq != 1 || def->kind[ball] != HIK_BALL || hik_def_follows(def, ball))
    return hik_fail(
        error, HIK_BAD_MODEL, j,
        "joint %s: only a revolute or prismatic joint can follow a swing, and only that of a ball "
        "that follows nothing itself",
        hik_def_name(def, j).text);
  for (int32_t k = 0; k < HIK_FOLLOW_TERMS; k++)
    if (!(fabs(def->mimic_swing[HIK_FOLLOW_TERMS * (size_t)j + (size_t)k]) <= MOST_COEFFICIENT))
      return hik_fail(error, HIK_BAD_MODEL, j,
                      "joint %s: coefficient %d of the swing it follows is %g: not finite, or beyond %g",
                      hik_def_name(def, j).text, k,
                      def->mimic_swing[HIK_FOLLOW_TERMS * (size_t)j + (size_t)k], MOST_COEFFICIENT);
  if (!take_axis(def->axis, ball, unit))
    return hik_fail(error, HIK_BAD_MODEL, ball,
                    "joint %s: its axis, whose swing another joint follows, is zero or not finite",
                    hik_def_name(def, ball).text);
  return HIK_OK;
}

/* Joints that follow a swing stand at the end of their path; -1 stands for "not one of these". */
static hik_status settle_followers(const hik_model_def *def, int32_t *master, double *line,
                                   hik_error *error) {
  for (int32_t j = 0; j < def->n_joint; j++) {
    if (!hik_def_swings(def, j)) continue;
    hik_status status = check_follower(def, j, error);
    if (status) return status;
    master[j] = def->mimic[j];
    line[2 * (size_t)j] = line[2 * (size_t)j + 1] = 0;
  }
  return HIK_OK;
}

hik_status hik_def_mimics(const hik_model_def *def, int32_t *master, double *line, int32_t *path,
                          hik_error *error) {
  for (int32_t j = 0; j < def->n_joint; j++) master[j] = -2; /* -2 unseen, -3 on the path */
  hik_status status = settle_followers(def, master, line, error);
  if (status) return status;
  for (int32_t start = 0; start < def->n_joint; start++) {
    int32_t depth = 0, j = start;
    while (master[j] == -2 && hik_def_follows(def, j)) {
      int32_t next = def->mimic[j];
      const double *own = def->mimic_line + 2 * (size_t)j;
      if (next >= def->n_joint)
        return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: it mimics joint %d, which does not exist",
                        hik_def_name(def, j).text, next);
      if (hik_joint_classes[def->kind[j]].nq != 1 || hik_joint_classes[def->kind[next]].nq != 1)
        return hik_fail(error, HIK_BAD_MODEL, j,
                        "joint %s: only revolute and prismatic joints can mimic each other",
                        hik_def_name(def, j).text);
      if (hik_def_swings(def, next))
        return hik_fail(
            error, HIK_BAD_MODEL, j,
            "joint %s: it mimics joint %s, which follows the swing of a ball: give it coefficients of "
            "its own",
            hik_def_name(def, j).text, hik_def_name(def, next).text);
      if (!hik_all_finite(own, 2) || own[0] == 0)
        return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its mimic scale is zero or not finite",
                        hik_def_name(def, j).text);
      master[j] = -3;
      path[depth++] = j;
      j = next;
    }
    if (master[j] == -3)
      return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: it mimics itself by way of others",
                      hik_def_name(def, j).text);
    if (master[j] == -2) master[j] = j, line[2 * (size_t)j] = 1, line[2 * (size_t)j + 1] = 0;
    while (depth--) {
      int32_t k = path[depth], m = def->mimic[k];
      const double *own = def->mimic_line + 2 * (size_t)k, *up = line + 2 * (size_t)m;
      master[k] = master[m];
      line[2 * (size_t)k] = own[0] * up[0];
      line[2 * (size_t)k + 1] = own[0] * up[1] + own[1];
      if (!hik_all_finite(line + 2 * (size_t)k, 2) || line[2 * (size_t)k] == 0)
        return hik_fail(
            error, HIK_BAD_MODEL, k,
            "joint %s: the scales or offsets of the joints it mimics by way of others make %g and %g",
            hik_def_name(def, k).text, line[2 * (size_t)k], line[2 * (size_t)k + 1]);
    }
  }
  return HIK_OK;
}

static hik_status check_frames(const hik_model_def *def, hik_error *error) {
  for (int32_t f = 0; f < def->n_frame; f++) {
    if (def->frame_joint[f] < -1 || def->frame_joint[f] >= def->n_joint)
      return hik_fail(error, HIK_BAD_MODEL, f, "frame %d: it sits on joint %d, which does not exist", f,
                      def->frame_joint[f]);
    if (!rigid(def->frame_placement, f))
      return hik_fail(error, HIK_BAD_MODEL, f, "frame %d: its placement is not a rigid motion", f);
  }
  return HIK_OK;
}

hik_status hik_def_check(const hik_model_def *def, hik_error *error) {
  if (!def || def->cookie != COOKIE)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1,
                    "the model definition was not made by hik_model_def_default");
  if (def->n_joint < 0 || def->n_frame < 0 || def->n_joint > MAX_JOINTS || def->n_frame > MAX_JOINTS)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1,
                    "the model has %d joints and %d frames; at most %d of each are taken", def->n_joint,
                    def->n_frame, MAX_JOINTS);
  for (int32_t j = 0; j < def->n_joint; j++) {
    hik_status status = check_joint(def, j, error);
    if (!status) status = check_weight(def, j, error);
    if (!status) status = check_hold(def, j, error);
    if (status) return status;
  }
  hik_status status = check_frames(def, error);
  return status ? status : check_limits(def, error);
}
