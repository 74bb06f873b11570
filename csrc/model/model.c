/* model.c: checks a definition and freezes it into one block of steps. */
#include "model/model.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/rng.h"
#include "model/inertia.h"
#include "model/joints.h"

enum { COOKIE = 0x68696b6d, MAX_JOINTS = 1 << 26, MAX_CORNERS = 2048 };

/* Squares of lengths must stay finite everywhere. */
static const double MAX_REACH = 1e140;

hik_model_def hik_model_def_default(void) {
  hik_model_def def;
  memset(&def, 0, sizeof def);
  def.cookie = COOKIE;
  return def;
}

/* ---- names for the sentences ---- */

typedef struct label {
  char text[80];
} label;

static label name_of(const hik_model_def *def, int32_t j) {
  label l = {{0}};
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

/* ---- checks ---- */

static bool is_mimic(const hik_model_def *def, int32_t j) { return def->mimic && def->mimic[j] >= 0; }

static bool needs_axis(int32_t kind) { return kind != HIK_FIXED && kind != HIK_BALL && kind != HIK_FREE; }

static bool good_rotation(const double *r) {
  double rtr[9];
  hik_mat_tmul(r, r, rtr);
  for (int i = 0; i < 9; i++)
    if (!(fabs(rtr[i] - (i % 4 == 0)) < 1e-6)) return false;
  double c[3], x[3] = {r[0], r[3], r[6]}, y[3] = {r[1], r[4], r[7]}, z[3] = {r[2], r[5], r[8]};
  hik_cross(x, y, c);
  return hik_dot(c, z) > 0;
}

static bool is_held(const hik_model_def *def, int32_t j) {
  return def->hold && (def->kind[j] == HIK_BALL || def->kind[j] == HIK_FREE) &&
         !isnan(def->hold[4 * (size_t)j]);
}

/* A ball with a room of its own. */
static bool limited(const hik_model_def *def, int32_t j) {
  return def->swing && def->kind[j] == HIK_BALL && !isnan(def->swing[6 * (size_t)j]);
}

static int32_t corners_of(const hik_model_def *def, int32_t j) {
  return limited(def, j) && def->corner_count ? def->corner_count[j] : 0;
}

static int32_t knots_of(const hik_model_def *def, int32_t j) {
  return limited(def, j) && def->knot_count ? def->knot_count[j] : 0;
}

static hik_status check_swing(const hik_model_def *def, int32_t j, hik_error *error) {
  const double *x = def->swing + 6 * (size_t)j;
  for (int k = 0; k < 4; k++)
    if (!(x[k] >= 0 && x[k] <= 2 * HIK_PI))
      return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its swing limit %g rad is not between 0 and 2 pi",
                      name_of(def, j).text, x[k]);
  if (!(x[4] <= x[5] && x[4] >= -HIK_PI && x[5] <= HIK_PI))
    return hik_fail(error, HIK_BAD_MODEL, j,
                    "joint %s: its twist limits %g to %g rad are no range inside +-pi", name_of(def, j).text,
                    x[4], x[5]);
  int32_t corners = corners_of(def, j), knots = knots_of(def, j);
  if (corners < 0 || corners > MAX_CORNERS || knots < 0 || knots > MAX_CORNERS)
    return hik_fail(error, HIK_BAD_MODEL, j,
                    "joint %s: its room has %d directions and %d rows of twist; at most %d of "
                    "each are taken",
                    name_of(def, j).text, corners, knots, MAX_CORNERS);
  if ((corners > 0 && !def->corner) || (knots > 0 && !(def->knot && def->knot_full)))
    return hik_fail(error, HIK_BAD_ARGUMENT, j, "joint %s: the numbers of its room are missing",
                    name_of(def, j).text);
  return HIK_OK;
}

static hik_status check_hold(const hik_model_def *def, int32_t j, hik_error *error) {
  if (!is_held(def, j)) return HIK_OK;
  const double *h = def->hold + 4 * (size_t)j;
  if (hik_all_finite(h, 4) && fabs(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3] - 1) < 1e-6)
    return HIK_OK;
  return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: the rotation it is held at is no unit quaternion",
                  name_of(def, j).text);
}

/* One joint's own numbers, without its limits. */
static hik_status check_joint(const hik_model_def *def, int32_t j, hik_error *error) {
  int32_t kind = def->kind[j];
  if (kind < 0 || kind >= HIK_JOINT_KINDS)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: %d is not a joint kind", name_of(def, j).text, kind);
  if (def->parent[j] < -1 || def->parent[j] >= j)
    return hik_fail(error, HIK_BAD_MODEL, j,
                    "joint %s: its parent must be an earlier joint or the world (-1), got %d",
                    name_of(def, j).text, def->parent[j]);
  const double *place = def->placement + 12 * (size_t)j;
  if (!hik_all_finite(place, 12) || !good_rotation(place))
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its placement is not a rigid motion",
                    name_of(def, j).text);
  if (!needs_axis(kind) && !limited(def, j)) return HIK_OK;
  double a[3], b[3];
  if (!hik_all_finite(def->axis + 3 * (size_t)j, 3) || hik_unit(def->axis + 3 * (size_t)j, a) == 0)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its axis is zero or not finite",
                    name_of(def, j).text);
  if (kind != HIK_UNIVERSAL && kind != HIK_PLANAR && !limited(def, j)) return HIK_OK;
  if (!def->axis2 || !hik_all_finite(def->axis2 + 3 * (size_t)j, 3) ||
      hik_unit(def->axis2 + 3 * (size_t)j, b) == 0)
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its second axis is zero or not finite",
                    name_of(def, j).text);
  double along = fabs(hik_dot(a, b));
  if (kind != HIK_UNIVERSAL ? along > 1e-6 : along > 1 - 1e-9)
    return hik_fail(error, HIK_BAD_MODEL, j,
                    kind != HIK_UNIVERSAL ? "joint %s: its second axis must be at right angles to the first"
                                          : "joint %s: its two axes are parallel",
                    name_of(def, j).text);
  return limited(def, j) ? check_swing(def, j, error) : HIK_OK;
}

/* Body and drive of one joint. */
static hik_status check_weight(const hik_model_def *def, int32_t j, hik_error *error) {
  const double *body = def->inertial ? def->inertial + 10 * (size_t)j : NULL;
  const double *motor = def->motor ? def->motor + 4 * (size_t)j : NULL;
  if (body && !(hik_all_finite(body, 10) && body[0] >= 0))
    return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its mass is negative or its inertia is not finite",
                    name_of(def, j).text);
  if (motor && !(hik_all_finite(motor, 4) && motor[0] >= 0 && motor[2] >= 0 && motor[3] >= 0))
    return hik_fail(
        error, HIK_BAD_MODEL, j,
        "joint %s: its rotor inertia or friction is negative, or a number of its drive is not finite",
        name_of(def, j).text);
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
    if (is_mimic(def, j)) continue;
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    int32_t plain = def->kind[j] == HIK_BALL ? 0 : def->kind[j] == HIK_FREE ? 3 : c->nq;
    for (int32_t k = 0; k < plain; k++) {
      double lo = def->lower[at + (size_t)k], hi = def->upper[at + (size_t)k];
      if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY)
        return hik_fail(error, HIK_BAD_MODEL, j,
                        "joint %s: its lower limit %g is not below its upper limit %g", name_of(def, j).text,
                        lo, hi);
    }
    if (def->rest && !good_rest(def->rest + at, c->nq, plain))
      return hik_fail(error, HIK_BAD_MODEL, j,
                      "joint %s: its rest is not finite, or a quaternion of it has no length",
                      name_of(def, j).text);
    at += (size_t)c->nq;
  }
  return HIK_OK;
}

/* Follows mimic chains to a joint that moves by itself: master[j], line[j] with q_j = line[0] q_master + line[1].
   path is scratch [n_joint]. Linear in the joints: a resolved joint ends the walk. */
static hik_status resolve_mimics(const hik_model_def *def, int32_t *master, double *line, int32_t *path,
                                 hik_error *error) {
  for (int32_t j = 0; j < def->n_joint; j++) master[j] = -2; /* -2 unseen, -3 on the path */
  for (int32_t start = 0; start < def->n_joint; start++) {
    int32_t depth = 0, j = start;
    while (master[j] == -2 && is_mimic(def, j)) {
      int32_t next = def->mimic[j];
      const double *own = def->mimic_line + 2 * (size_t)j;
      if (next >= def->n_joint)
        return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: it mimics joint %d, which does not exist",
                        name_of(def, j).text, next);
      if (hik_joint_classes[def->kind[j]].nq != 1 || hik_joint_classes[def->kind[next]].nq != 1)
        return hik_fail(error, HIK_BAD_MODEL, j,
                        "joint %s: only revolute and prismatic joints can mimic each other",
                        name_of(def, j).text);
      if (!hik_all_finite(own, 2) || own[0] == 0)
        return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: its mimic scale is zero or not finite",
                        name_of(def, j).text);
      master[j] = -3;
      path[depth++] = j;
      j = next;
    }
    if (master[j] == -3)
      return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: it mimics itself by way of others",
                      name_of(def, j).text);
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
            name_of(def, k).text, line[2 * (size_t)k], line[2 * (size_t)k + 1]);
    }
  }
  return HIK_OK;
}

static hik_status check_frames(const hik_model_def *def, hik_error *error) {
  for (int32_t f = 0; f < def->n_frame; f++) {
    if (def->frame_joint[f] < -1 || def->frame_joint[f] >= def->n_joint)
      return hik_fail(error, HIK_BAD_MODEL, f, "frame %d: it sits on joint %d, which does not exist", f,
                      def->frame_joint[f]);
    const double *place = def->frame_placement + 12 * (size_t)f;
    if (!hik_all_finite(place, 12) || !good_rotation(place))
      return hik_fail(error, HIK_BAD_MODEL, f, "frame %d: its placement is not a rigid motion", f);
  }
  return HIK_OK;
}

static hik_status check_def(const hik_model_def *def, hik_error *error) {
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

/* ---- layout ---- */

/* Corners and rows of twist of all rooms. */
typedef struct pools {
  int64_t corners, knots;
} pools;

static pools count_pools(const hik_model_def *def) {
  pools p = {0, 0};
  for (int32_t j = 0; j < def->n_joint; j++) p.corners += corners_of(def, j), p.knots += knots_of(def, j);
  return p;
}

typedef struct pool_memory {
  double *corner, *edge, *knot;
} pool_memory;

static pool_memory lay_out(hik_model *m, pools p, hik_block *block) {
  m->room = HIK_TAKE(block, hik_swing, m->n_swing);
#define HIK_FIELD(letter, type, name, rows, columns, meaning)                                                \
  m->name = (type *)hik_block_take(block, (size_t)m->rows, sizeof(type) * (columns));
#include "handik/fields.def"
#undef HIK_FIELD
  pool_memory memory;
  memory.corner = HIK_TAKE(block, double, 3 * (size_t)p.corners);
  memory.edge = HIK_TAKE(block, double, 3 * (size_t)p.corners);
  memory.knot = HIK_TAKE(block, double, 3 * (size_t)p.knots);
  return memory;
}

static void count(const hik_model_def *def, hik_model *m) {
  m->n_joint = def->n_joint;
  m->n_frame = def->n_frame;
  for (int32_t j = 0; j < def->n_joint; j++) {
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    m->n_step += c->n_step;
    m->n_swing += limited(def, j) || is_held(def, j);
    if (is_mimic(def, j)) continue;
    m->nq += c->nq;
    m->nv += c->nv;
  }
}

/* ---- freezing ---- */

/* 12 numbers to a pose; a rotation that is off by more than rounding is made orthonormal. */
static hik_pose pose_of(const double *x) {
  hik_pose p;
  memcpy(&p, x, sizeof p);
  double rtr[9], off = 0;
  hik_mat_tmul(p.r, p.r, rtr);
  for (int i = 0; i < 9; i++) off = fmax(off, fabs(rtr[i] - (i % 4 == 0)));
  if (off > 1e-13) {
    double q[4];
    hik_quat_from_mat(p.r, q);
    hik_quat_to_mat(q, p.r);
  }
  return p;
}

/* Rotation that takes z onto the axis a step of this joint uses. */
static void axis_frame(const hik_model_def *def, int32_t j, int32_t which, double *r) {
  static const double z[3] = {0, 0, 1};
  double a[3] = {0, 0, 0}, b[3] = {0, 0, 0}, c[3];
  if (which >= HIK_AXIS_X) {
    a[which - HIK_AXIS_X] = 1;
  } else if (which == HIK_AXIS_1) {
    hik_unit(def->axis + 3 * (size_t)j, a);
  } else {
    hik_unit(def->axis2 + 3 * (size_t)j, a);
    if (which == HIK_AXIS_12) {
      hik_unit(def->axis + 3 * (size_t)j, b);
      hik_cross(b, a, c);
      hik_unit(c, a);
    }
  }
  if (a[2] > -0.9 || (a[0] == 0 && a[1] == 0)) {
    hik_mat_minimal(z, a, r);
    return;
  }
  /* Nearly opposite z the smallest turn loses digits: half a turn about x first, then the little that is left. */
  static const double down[3] = {0, 0, -1};
  hik_mat_minimal(down, a, r);
  for (int i = 0; i < 9; i++)
    if (i % 3) r[i] = -r[i];
}

/* Pose from the moved frame of the last step above to what is asked, carried along the tree. */
typedef struct carry {
  int32_t step;
  hik_pose after;
} carry;

/* Cone of ball j into its row: axes from the bone at rest and the direction of the first half-axis. */
static void fill_swing(const hik_model_def *def, int32_t j, hik_swing *out) {
  double x[3] = {1, 0, 0}, y[3], z[3] = {0, 0, 1}, square[3];
  hik_unit(def->axis + 3 * (size_t)j, z);
  hik_unit(def->axis2 + 3 * (size_t)j, x);
  hik_axpy3(x, -hik_dot(x, z), z, square);
  hik_unit(square, x);
  hik_cross(z, x, y);
  for (int i = 0; i < 3; i++)
    out->axes[3 * i] = x[i], out->axes[3 * i + 1] = y[i], out->axes[3 * i + 2] = z[i];
  memcpy(out->half, def->swing + 6 * (size_t)j, sizeof out->half);
  memcpy(out->twist, def->swing + 6 * (size_t)j + 4, sizeof out->twist);
}

/* Rooms of all balls that have one, and their rows for looking at. */
static hik_status fill_rooms(const hik_model_def *def, hik_model *m, pool_memory memory, hik_error *error) {
  const double *corner = def->corner, *knot = def->knot;
  for (int32_t j = 0, row = 0; j < def->n_joint; j++) {
    int32_t corners = corners_of(def, j), knots = knots_of(def, j);
    const char *wrong = NULL;
    if (!limited(def, j) && !is_held(def, j)) continue;
    hik_swing *out = m->room + row;
    *out = (hik_swing){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                       .half = {HIK_PI, HIK_PI, HIK_PI, HIK_PI},
                       .twist = {-HIK_PI, HIK_PI},
                       .held = is_held(def, j)};
    if (limited(def, j)) fill_swing(def, j, out);
    if (out->held)
      memcpy(out->hold, def->hold + 4 * (size_t)j, sizeof out->hold), hik_quat_normalize(out->hold);
    if (corners > 0) wrong = hik_polygon_set(out, corner, corners, memory.corner, memory.edge);
    if (knots > 0 && !wrong) wrong = hik_twists_set(out, knot, knots, def->knot_full[j], memory.knot);
    if (wrong) return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: %s", name_of(def, j).text, wrong);
    if (corners > 0)
      corner += 2 * (size_t)corners, memory.corner += 3 * (size_t)corners, memory.edge += 3 * (size_t)corners;
    if (knots > 0) knot += 3 * (size_t)knots, memory.knot += 3 * (size_t)knots;
    double *shown = m->swing + 15 * (size_t)row;
    memcpy(shown, out->axes, sizeof out->axes);
    memcpy(shown + 9, out->half, sizeof out->half);
    memcpy(shown + 13, out->twist, sizeof out->twist);
    m->step_swing[m->joint_step[j]] = row++;
  }
  return HIK_OK;
}

/* Appends the steps of joint j below `above`; returns what its children hang on. */
static carry add_steps(const hik_model_def *def, hik_model *m, int32_t j, carry above, int32_t *next,
                       const double *line) {
  const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
  hik_pose own = pose_of(def->placement + 12 * (size_t)j);
  carry at = {above.step, hik_pose_identity};
  hik_pose_mul(&above.after, &own, &at.after);
  int32_t q = 0, v = 0;
  for (int32_t k = 0; k < c->n_step; k++) {
    int32_t s = (*next)++;
    hik_pose *place = (hik_pose *)(void *)(m->step_placement + 12 * (size_t)s);
    hik_pose turn = hik_pose_identity;
    bool ball = c->step[k].kind == HIK_BALL_STEP;
    if (!ball) axis_frame(def, j, c->step[k].axis, turn.r);
    hik_pose_mul(&at.after, &turn, place);
    m->step_plain[s] = memcmp(place->r, hik_pose_identity.r, sizeof place->r) == 0;
    m->step_parent[s] = at.step;
    m->step_swing[s] = -1;
    m->step_kind[s] = c->step[k].kind;
    m->step_joint[s] = j;
    m->step_q[s] = m->joint_q[j] + q;
    m->step_v[s] = m->joint_v[j] + v;
    m->step_line[2 * (size_t)s] = line[0];
    m->step_line[2 * (size_t)s + 1] = line[1];
    q += ball ? 4 : 1, v += ball ? 3 : 1;
    at.step = s;
    hik_pose_inverse(&turn, &at.after);
  }
  return at;
}

/* Welds the body of joint j to the step that carries it, and gives its drive to its steps. */
static void add_weight(const hik_model_def *def, hik_model *m, int32_t j, const carry *at) {
  if (def->inertial && at->step >= 0)
    hik_inertial_add(def->inertial + 10 * (size_t)j, &at->after, m->step_inertial + 10 * (size_t)at->step);
  if (!def->motor || at->step < 0) return;
  const double *motor = def->motor + 4 * (size_t)j;
  for (int32_t s = at->step; s >= 0 && m->step_joint[s] == j; s--) {
    double *out = m->step_motor + 3 * (size_t)s, gear = motor[1];
    out[0] = motor[0] * gear * gear, out[1] = motor[2] * gear * gear, out[2] = motor[3] * fabs(gear);
  }
}

/* Limits of masters, narrowed so that the joints that follow them stay inside their own; those have no room in
   lower/upper, so they come by the caller's spec: here only what the definition holds. */
static void copy_limits(const hik_model_def *def, hik_model *m) {
  size_t at = 0;
  for (int32_t j = 0; j < def->n_joint; j++) {
    if (is_mimic(def, j)) continue;
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    int32_t plain = def->kind[j] == HIK_BALL ? 0 : def->kind[j] == HIK_FREE ? 3 : c->nq;
    for (int32_t k = 0; k < c->nq; k++, at++) {
      m->lower[at] = k < plain ? def->lower[at] : -INFINITY;
      m->upper[at] = k < plain ? def->upper[at] : INFINITY;
      m->rest[at] = def->rest ? def->rest[at] : k == plain && plain < c->nq ? 1 : 0;
    }
  }
  for (int32_t s = 0; s < m->n_step; s++) {
    double *limit = m->step_limit + 2 * (size_t)s, scale = m->step_line[2 * (size_t)s];
    limit[0] = -INFINITY, limit[1] = INFINITY;
    if (m->step_kind[s] == HIK_BALL_STEP) continue;
    double a = hik_step_value(m, s, m->lower), b = hik_step_value(m, s, m->upper);
    limit[0] = scale > 0 ? a : b;
    limit[1] = scale > 0 ? b : a;
  }
  hik_clamp(m, 1, m->rest);
}

/* Sum of link lengths and of finite slide ranges along the longest branch; far [n_step] is scratch. */
static double measure_reach(const hik_model *m, double *far) {
  double most = 0;
  for (int32_t s = 0; s < m->n_step; s++) {
    double up = m->step_parent[s] < 0 ? 0 : far[m->step_parent[s]];
    far[s] = up + hik_norm(hik_step_place(m, s)->t);
    if (m->step_kind[s] == HIK_SLIDE) {
      double slide = fmax(fabs(m->step_limit[2 * (size_t)s]), fabs(m->step_limit[2 * (size_t)s + 1]));
      if (slide < INFINITY) far[s] += slide;
    }
    most = fmax(most, far[s]);
  }
  for (int32_t f = 0; f < m->n_frame; f++) {
    double up = m->frame_step[f] < 0 ? 0 : far[m->frame_step[f]];
    most = fmax(most, up + hik_norm(hik_frame_place(m, f)->t));
  }
  return most;
}

typedef struct workspace {
  int32_t *master, *path;
  double *line, *far;
  carry *at;
} workspace;

static void lay_out_workspace(workspace *w, const hik_model *m, hik_block *block) {
  w->master = HIK_TAKE(block, int32_t, m->n_joint);
  w->path = HIK_TAKE(block, int32_t, m->n_joint);
  w->line = HIK_TAKE(block, double, 2 * (size_t)m->n_joint);
  w->far = HIK_TAKE(block, double, m->n_step);
  w->at = HIK_TAKE(block, carry, m->n_joint);
}

static hik_status freeze(const hik_model_def *def, hik_model *m, workspace *w, pool_memory memory,
                         hik_error *error) {
  int32_t q = 0, v = 0, next = 0;
  for (int32_t j = 0; j < def->n_joint; j++) {
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    m->joint_parent[j] = def->parent[j];
    m->joint_kind[j] = def->kind[j];
    m->joint_mimic[j] = is_mimic(def, j) ? w->master[j] : -1;
    if (is_mimic(def, j)) continue;
    m->joint_q[j] = q, m->joint_v[j] = v;
    q += c->nq, v += c->nv;
  }
  static const carry world = {-1, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}};
  for (int32_t j = 0; j < def->n_joint; j++) {
    if (is_mimic(def, j)) {
      m->joint_q[j] = m->joint_q[w->master[j]];
      m->joint_v[j] = m->joint_v[w->master[j]];
    }
    carry above = def->parent[j] < 0 ? world : w->at[def->parent[j]];
    w->at[j] = add_steps(def, m, j, above, &next, w->line + 2 * (size_t)j);
    m->joint_step[j] = w->at[j].step;
    add_weight(def, m, j, &w->at[j]);
  }
  for (int32_t f = 0; f < def->n_frame; f++) {
    carry above = def->frame_joint[f] < 0 ? world : w->at[def->frame_joint[f]];
    hik_pose own = pose_of(def->frame_placement + 12 * (size_t)f);
    m->frame_step[f] = above.step;
    hik_pose_mul(&above.after, &own, (hik_pose *)(void *)(m->frame_placement + 12 * (size_t)f));
  }
  hik_status status = fill_rooms(def, m, memory, error);
  if (status) return status;
  copy_limits(def, m);
  m->reach = measure_reach(m, w->far);
  return HIK_OK;
}

hik_status hik_model_create(const hik_model_def *def, hik_model **model, hik_error *error) {
  *model = NULL;
  hik_status status = check_def(def, error);
  if (status) return status;
  hik_model sizes;
  memset(&sizes, 0, sizeof sizes);
  count(def, &sizes);

  workspace w;
  hik_block work = {NULL, 0, false}, block = {NULL, 0, false};
  lay_out_workspace(&w, &sizes, &work);
  HIK_TAKE(&block, hik_model, 1);
  pools pool = count_pools(def);
  lay_out(&sizes, pool, &block);
  if (work.bad || block.bad) return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the model is too large");

  void *working = hik_allocate(work.size);
  if (!working) return hik_fail_memory(error, work.size);
  work = (hik_block){working, 0, false};
  lay_out_workspace(&w, &sizes, &work);
  status = resolve_mimics(def, w.master, w.line, w.path, error);
  hik_model *m = status ? NULL : hik_allocate(block.size);
  if (m) {
    *m = sizes;
    block = (hik_block){(char *)m, 0, false};
    HIK_TAKE(&block, hik_model, 1);
    pool_memory memory = lay_out(m, pool, &block);
    status = freeze(def, m, &w, memory, error);
    if (!status && m->reach < MAX_REACH)
      *model = m;
    else if (!status)
      status = hik_fail(error, HIK_BAD_MODEL, -1, "its lengths add up to more than %g m", MAX_REACH);
    if (status) hik_release(m);
  } else if (!status) {
    status = hik_fail_memory(error, block.size);
  }
  hik_release(working);
  return status;
}

void hik_model_free(hik_model *model) { hik_release(model); }

/* ---- looking ---- */

hik_sizes hik_model_sizes(const hik_model *m) {
  return (hik_sizes){m->n_joint, m->n_frame, m->n_step, m->n_swing, m->nq, m->nv, m->reach};
}

static const char *const field_names[] = {
#define HIK_FIELD(letter, type, name, rows, columns, meaning) #name,
#include "handik/fields.def"
#undef HIK_FIELD
};

int32_t hik_model_field_count(void) { return HIK_COUNT_OF(field_names); }

const char *hik_model_field_name(int32_t i) {
  return i >= 0 && i < HIK_COUNT_OF(field_names) ? field_names[i] : NULL;
}

hik_status hik_model_view(const hik_model *m, const char *field, hik_view *view) {
#define HIK_FIELD(letter, type, name, rows, columns, meaning)                                                \
  if (strcmp(field, #name) == 0) {                                                                           \
    *view =                                                                                                  \
        (hik_view){m->name, letter, (columns) == 1 ? 1 : 2, {m->rows, (columns) == 1 ? 0 : (columns), 0}};   \
    return HIK_OK;                                                                                           \
  }
#include "handik/fields.def"
#undef HIK_FIELD
  return HIK_NOT_FOUND;
}

/* ---- q ---- */

void hik_clamp(const hik_model *m, int64_t n, double *q) {
  for (int64_t i = 0; i < n; i++, q += m->nq)
    for (int32_t s = 0; s < m->n_step; s++) {
      int32_t k = m->step_q[s];
      const hik_swing *cone = hik_step_cone(m, s);
      if (m->step_kind[s] == HIK_BALL_STEP) hik_quat_make_unit(q + k);
      if (cone)
        hik_swing_clamp_quat(cone, q + k);
      else if (m->step_kind[s] != HIK_BALL_STEP)
        q[k] = hik_clip(q[k], m->lower[k], m->upper[k]);
    }
}

bool hik_inside(const hik_model *m, const double *q, double slack) {
  for (int32_t s = 0; s < m->n_step; s++) {
    int32_t k = m->step_q[s];
    const double *b = q + k;
    if (m->step_kind[s] == HIK_BALL_STEP
            ? !(fabs(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3] - 1) <= 1e-9)
            : !(*b >= m->lower[k] - slack && *b <= m->upper[k] + slack))
      return false;
    const hik_swing *cone = hik_step_cone(m, s);
    double x[3];
    if (!cone) continue;
    if (cone->held) {
      double turn[4];
      hik_quat_cmul(cone->hold, b, turn);
      if (!(2 * sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]) <= slack + 1e-14))
        return false;
      continue;
    }
    hik_swing_split(cone, b, x);
    if (!hik_swing_within(x, hik_swing_excess(cone, x), slack)) return false;
  }
  return true;
}

void hik_random_step(const hik_model *m, int32_t s, hik_rng *rng, double *q) {
  size_t i = (size_t)m->step_q[s];
  if (m->step_kind[s] == HIK_BALL_STEP) {
    const hik_swing *cone = hik_step_cone(m, s);
    if (cone)
      hik_swing_random(cone, rng, q + i);
    else
      hik_rng_rotation(rng, q + i);
    return;
  }
  double u = hik_rng_uniform(rng);
  if (m->joint_mimic[m->step_joint[s]] >= 0) return;
  double wide = m->step_kind[s] == HIK_TURN ? HIK_PI : m->reach > 0 ? m->reach : 1;
  double lo = m->lower[i], hi = m->upper[i];
  if (lo == -INFINITY) lo = hi == INFINITY ? -wide : hi - 2 * wide;
  if (hi == INFINITY) hi = lo + 2 * wide;
  q[i] = hik_clip(lo + u * (hi - lo), lo, hi);
}

void hik_random_q(const hik_model *m, uint64_t seed, uint64_t draw, double *q) {
  hik_rng rng = hik_rng_start(seed, draw);
  for (int32_t s = 0; s < m->n_step; s++) hik_random_step(m, s, &rng, q);
}
