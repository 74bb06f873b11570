/* model.c: freezes a definition into one block of steps. */
#include "model/model.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "model/definition.h"
#include "model/inertia.h"

/* Squares of lengths must stay finite everywhere. */
static const double MAX_REACH = 1e140;

/* ---- layout ---- */

/* Corners and rows of twist of all rooms. */
typedef struct pools {
  int64_t corners, knots;
} pools;

static pools count_pools(const hik_model_def *def) {
  pools p = {0, 0};
  for (int32_t j = 0; j < def->n_joint; j++)
    p.corners += hik_def_corners(def, j), p.knots += hik_def_knots(def, j);
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
  size_t spread = m->n_follow > 0 ? (size_t)m->n_step : 0;
  m->spread_q = HIK_TAKE(block, int32_t, spread);
  m->spread_v = HIK_TAKE(block, int32_t, spread);
  m->spread_line = HIK_TAKE(block, double, 2 * spread);
  pool_memory memory;
  memory.corner = HIK_TAKE(block, double, 3 * p.corners);
  memory.edge = HIK_TAKE(block, double, 3 * p.corners);
  memory.knot = HIK_TAKE(block, double, 3 * p.knots);
  return memory;
}

static void count(const hik_model_def *def, hik_model *m) {
  m->n_joint = def->n_joint;
  m->n_frame = def->n_frame;
  for (int32_t j = 0; j < def->n_joint; j++) {
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    m->n_step += c->n_step;
    m->n_swing += hik_def_limited(def, j) || hik_def_held(def, j);
    m->n_follow += hik_def_swings(def, j);
    if (hik_def_follows(def, j)) continue;
    m->nq += c->nq;
    m->nv += c->nv;
  }
}

/* ---- freezing ---- */

/* 12 numbers to a pose; a rotation that is off by more than rounding is made orthonormal. */
static hik_pose pose_of(const double *x) {
  hik_pose p;
  memcpy(&p, x, sizeof p);
  if (hik_mat_off(p.r) > 1e-13) {
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
    int32_t corners = hik_def_corners(def, j), knots = hik_def_knots(def, j);
    const char *wrong = NULL;
    if (!hik_def_limited(def, j) && !hik_def_held(def, j)) continue;
    hik_swing *out = m->room + row;
    *out = (hik_swing){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                       .half = {HIK_PI, HIK_PI, HIK_PI, HIK_PI},
                       .twist = {-HIK_PI, HIK_PI},
                       .held = hik_def_held(def, j)};
    if (hik_def_limited(def, j)) fill_swing(def, j, out);
    if (out->held)
      memcpy(out->hold, def->hold + 4 * (size_t)j, sizeof out->hold), hik_quat_normalize(out->hold);
    if (corners > 0) wrong = hik_polygon_set(out, corner, corners, memory.corner, memory.edge);
    if (knots > 0 && !wrong) wrong = hik_twists_set(out, knot, knots, def->knot_full[j], memory.knot);
    if (wrong) return hik_fail(error, HIK_BAD_MODEL, j, "joint %s: %s", hik_def_name(def, j).text, wrong);
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

/* The next row of those that follow a swing: the bone of the ball, and the coefficients. */
static int32_t add_follow(const hik_model_def *def, hik_model *m, int32_t j, int32_t *next) {
  if (!hik_def_swings(def, j)) return -1;
  double *row = m->follow + HIK_FOLLOW_ROW * (size_t)*next;
  hik_unit(def->axis + 3 * (size_t)def->mimic[j], row);
  memcpy(row + 3, def->mimic_swing + HIK_FOLLOW_TERMS * (size_t)j, HIK_FOLLOW_TERMS * sizeof *row);
  return (*next)++;
}

/* Appends the steps of joint j below `above`; returns what its children hang on. */
static carry add_steps(const hik_model_def *def, hik_model *m, int32_t j, carry above, int32_t *next,
                       int32_t follow, const double *line) {
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
    m->step_follow[s] = follow;
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

/* Places and lines of the steps where followers of a swing have coordinates of their own. */
static void spread_steps(hik_model *m) {
  for (int32_t s = 0; s < m->n_step && m->n_follow > 0; s++) {
    int32_t row = m->step_follow[s];
    m->spread_q[s] = row < 0 ? m->step_q[s] : m->nq + row;
    m->spread_v[s] = row < 0 ? m->step_v[s] : m->nv + row;
    m->spread_line[2 * (size_t)s] = row < 0 ? m->step_line[2 * (size_t)s] : 1;
    m->spread_line[2 * (size_t)s + 1] = row < 0 ? m->step_line[2 * (size_t)s + 1] : 0;
  }
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
    if (hik_def_follows(def, j)) continue;
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    int32_t plain = hik_def_plain(def, j);
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
    if (hik_step_follows(m, s)) {
      hik_follow_range(hik_step_follows(m, s), limit);
      continue;
    }
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
  int32_t q = 0, v = 0, next = 0, follow = 0;
  for (int32_t j = 0; j < def->n_joint; j++) {
    const hik_joint_class *c = &hik_joint_classes[def->kind[j]];
    m->joint_parent[j] = def->parent[j];
    m->joint_kind[j] = def->kind[j];
    m->joint_mimic[j] = hik_def_follows(def, j) ? w->master[j] : -1;
    if (hik_def_follows(def, j)) continue;
    m->joint_q[j] = q, m->joint_v[j] = v;
    q += c->nq, v += c->nv;
  }
  static const carry world = {-1, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}}};
  for (int32_t j = 0; j < def->n_joint; j++) {
    if (hik_def_follows(def, j)) {
      m->joint_q[j] = m->joint_q[w->master[j]];
      m->joint_v[j] = m->joint_v[w->master[j]];
    }
    carry above = def->parent[j] < 0 ? world : w->at[def->parent[j]];
    w->at[j] = add_steps(def, m, j, above, &next, add_follow(def, m, j, &follow), w->line + 2 * (size_t)j);
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
  spread_steps(m);
  copy_limits(def, m);
  m->reach = measure_reach(m, w->far);
  return HIK_OK;
}

hik_status hik_model_create(const hik_model_def *def, hik_model **model, hik_error *error) {
  *model = NULL;
  hik_status status = hik_def_check(def, error);
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
  status = hik_def_mimics(def, w.master, w.line, w.path, error);
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
