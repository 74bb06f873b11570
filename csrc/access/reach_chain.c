/* reach_chain.c: a chain compiled for proofs of reach; see reach.h.

   Purpose    elements and variables of the steps from the world to a frame, and its tail
   Given      a model and a frame
   Returned   the chain, or a sentence that says why it has none
   Notes      An arm is found by its geometry: after the twist a turn whose axis is square to the bone and meets it (the elbow),
              then turns whose axes pass through one point (the wrist) that lies square to the elbow's axis. The hand then is within
              a cap about the forearm, whatever turns there are, and whether the forearm's own turn lets it be everywhere in it is
              not asked: the set only grows. */
#include "access/reach_swing.h"
#include "access/reach_table.h"
#include "base/error.h"
#include "base/memory.h"

/* Axes that meet or are square to this, in meters and radians, count as such. */
static const double TRUE_TO = 1e-9;

static int32_t path_of(const hik_model *m, int32_t frame, int32_t *path) {
  int32_t n = 0;
  for (int32_t s = m->frame_step[frame]; s >= 0; s = m->step_parent[s]) {
    if (path) path[n] = s;
    n++;
  }
  return n;
}

/* Greatest norms of gradient and of second derivative of what follows, on the unit ball: those of its coefficients as symmetric
   tensors; the bone moves by 1 and bends by 1 at most for a radian along a line of the plane of angles. */
static void follow_bounds(const double *row, hik_element *e) {
  const double *c = row + 3;
  static const int orders[16] = {1, 2, 2, 1, 2, 1, 1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
  double two = 0, three = 0;
  for (int i = 0; i < 16; i++)
    (i < 6 ? (two += c[4 + i] * c[4 + i] / orders[i]) : (three += c[4 + i] * c[4 + i] / orders[i]));
  e->steep = hik_follow_steepest(row);
  e->bend = e->steep + 2 * sqrt(two) + 6 * sqrt(three);
}

/* Greatest change of the limits of a twist by a table, a radian of the swing: out(r) (table - rest) + the table's own; s' <= 3/2,
   s(t) / t <= 9/8. */
static double twist_slope(const hik_swing *s) {
  double radial = 0, round = 0;
  for (int32_t k = 0; k < s->knots; k++) {
    const double *a = s->knot + 3 * (size_t)k, *b = s->knot + 3 * (size_t)((k + 1) % s->knots);
    double width = b[0] - a[0] + (k + 1 == s->knots ? 2 * HIK_PI : 0);
    for (int i = 1; i < 3; i++) {
      radial = fmax(radial, fabs(a[i] - s->twist[i - 1]));
      round = fmax(round, fabs(b[i] - a[i]) / width);
    }
  }
  if (s->knots == 0) return 0;
  return 1.5 / s->full * radial + 1.125 / s->full * 1.5 * round;
}

/* Twists that some swing allows. */
static void twist_range(const hik_swing *s, double range[2]) {
  range[0] = s->twist[0], range[1] = s->twist[1];
  for (int32_t k = 0; k < s->knots; k++) {
    range[0] = fmin(range[0], s->knot[3 * (size_t)k + 1]);
    range[1] = fmax(range[1], s->knot[3 * (size_t)k + 2]);
  }
}

static int32_t add_variable(hik_reach *r, double low, double high, int32_t q) {
  hik_variable *v = r->variable + r->variables;
  v->middle = 0.5 * (low + high);
  v->half = 0.5 * (high - low);
  v->half += 1e-12 * (1 + fabs(v->middle) + v->half); /* above the rounding of both */
  v->q = q;
  return r->variables++;
}

/* The variable of coordinate q, new or known; -1: it has no end. */
static int32_t variable_of(hik_reach *r, int32_t q, int32_t kind, double scale) {
  const hik_model *m = r->model;
  double low = m->lower[q], high = m->upper[q];
  bool open = !(fabs(low) <= 1e300 && fabs(high) <= 1e300), round = kind == HIK_TURN && fabs(scale) == 1;
  for (int32_t k = 0; k < r->variables; k++)
    if (r->variable[k].q == q) return r->variable[k].round && !round ? -1 : k;
  if (open && !round) return -1;
  bool whole = round && (open || high - low > 2 * HIK_PI);
  if (whole) low = -HIK_PI, high = HIK_PI;
  int32_t made = add_variable(r, low, high, q);
  r->variable[made].round = whole;
  return made;
}

/* The axes of a ball without limits: z along the bone of what follows it, or of the joint's own frame. */
static void open_axes(const hik_model *m, int32_t step, hik_swing *out) {
  static const double z[3] = {0, 0, 1};
  *out = (hik_swing){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {4, 4, 4, 4}, .twist = {-HIK_PI, HIK_PI}};
  for (int32_t s = 0; s < m->n_step; s++) {
    const double *row = hik_step_follows(m, s);
    double bone[3];
    if (!row || hik_step_leader(m, s) != step || !(hik_unit(row, bone) > 0)) continue;
    if (bone[2] > -0.5) {
      hik_mat_minimal(z, bone, out->axes);
    } else { /* half a turn about x first */
      const double back[3] = {-bone[0], -bone[1], -bone[2]};
      hik_mat_minimal(z, back, out->axes);
      for (int i = 0; i < 3; i++) out->axes[3 * i + 1] *= -1, out->axes[3 * i + 2] *= -1;
    }
  }
}

static void add_ball(hik_reach *r, int32_t step, const hik_pose *place, hik_pose *rest) {
  const hik_swing *room = hik_step_cone(r->model, step);
  hik_element *swing = r->element + r->n, *twist = swing + 1;
  double most[4], range[2];
  if (!room) {
    open_axes(r->model, step, r->open + r->n);
    room = r->open + r->n;
  }
  *swing = (hik_element){.kind = HIK_BALL_STEP, .leader = -1, .step = step, .room = room, .scale = 1};
  hik_mat_mul(place->r, room->axes, swing->place.r);
  hik_copy3(place->t, swing->place.t);
  memcpy(swing->axes, room->axes, sizeof swing->axes);
  for (int i = 0; i < 4; i++) most[i] = room->corners > 0 ? HIK_PI : fmin(room->half[i], HIK_PI);
  swing->variable = add_variable(r, -most[2], most[0], -1);
  add_variable(r, -most[3], most[1], -1);
  twist_range(room, range);
  *twist = (hik_element){
      .place = hik_pose_identity, .kind = HIK_TURN, .leader = r->n, .step = step, .room = room, .scale = 1};
  twist->slope = twist_slope(room);
  twist->variable = add_variable(r, range[0], range[1], -1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) rest->r[3 * i + j] = room->axes[3 * j + i];
  rest->t[0] = rest->t[1] = rest->t[2] = 0;
  r->n += 2;
}

/* The element of a turn or slide that stands by itself. */
static hik_status add_plain(hik_reach *r, int32_t step, const hik_pose *place, hik_error *error) {
  const hik_model *m = r->model;
  const double *row = hik_step_follows(m, step);
  hik_element *e = r->element + r->n;
  *e = (hik_element){.place = *place, .kind = m->step_kind[step], .variable = -1, .leader = -1, .step = step};
  e->scale = m->step_line[2 * (size_t)step], e->offset = m->step_line[2 * (size_t)step + 1];
  e->follow = row;
  if (row) {
    follow_bounds(row, e);
  } else if ((e->variable = variable_of(r, m->step_q[step], e->kind, e->scale)) < 0) {
    return hik_fail(error, HIK_UNSUPPORTED, m->step_joint[step],
                    "the way to the frame has a joint without limits that is no plain turn");
  }
  r->n++;
  return HIK_OK;
}

/* The elements of what leads a follower; false where its ball is not on the way, or does not bear the bone. */
static bool find_leaders(hik_reach *r) {
  for (int32_t k = 0; k < r->n; k++) {
    hik_element *e = r->element + k;
    if (!e->follow) continue;
    int32_t leader = hik_step_leader(r->model, e->step);
    for (int32_t j = 0; j < r->n; j++)
      if (r->element[j].kind == HIK_BALL_STEP && r->element[j].step == leader) e->leader = j;
    if (e->leader < 0) return false;
    double z[3], bone[3], off[3];
    hik_mat_column(r->element[e->leader].axes, 2, z);
    hik_copy3(e->follow, bone);
    hik_sub3(z, bone, off);
    if (!(hik_norm(off) < TRUE_TO)) return false;
  }
  return true;
}

/* False unless a step follows a ball that is held: then it stands, as far as the ball's one swing takes it. */
static bool stands(const hik_model *m, int32_t step, const hik_pose *place, hik_pose *rest) {
  const double *row = hik_step_follows(m, step);
  if (!row || !hik_step_held(m, hik_step_leader(m, step))) return false;
  double s, c, value = hik_follow_value(row, hik_step_cone(m, hik_step_leader(m, step))->hold);
  hik_pose moved = hik_pose_identity;
  if (m->step_kind[step] == HIK_SLIDE) {
    moved.t[2] = value;
  } else {
    hik_sincos(value, &s, &c);
    hik_mat_turn_z(hik_pose_identity.r, c, s, moved.r);
  }
  hik_pose_mul(place, &moved, rest);
  return true;
}

static hik_status add_steps(hik_reach *r, const int32_t *path, int32_t count, const hik_pose *end,
                            hik_error *error) {
  const hik_model *m = r->model;
  hik_pose rest = hik_pose_identity, place;
  for (int32_t k = count - 1; k >= 0; k--) {
    int32_t s = path[k];
    hik_pose_mul(&rest, hik_step_place(m, s), &place);
    rest = hik_pose_identity;
    if (stands(m, s, &place, &rest)) continue;
    if (m->step_kind[s] != HIK_BALL_STEP) {
      hik_status status = add_plain(r, s, &place, error);
      if (status < 0) return status;
    } else if (hik_step_held(m, s)) {
      hik_pose hold = hik_pose_identity;
      hik_quat_to_mat(hik_step_cone(m, s)->hold, hold.r);
      hik_pose_mul(&place, &hold, &rest);
    } else {
      add_ball(r, s, &place, &rest);
    }
  }
  if (!find_leaders(r))
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "a joint on the way to the frame follows the swing of a ball that is not");
  hik_pose_mul(&rest, end, &place);
  hik_copy3(place.t, r->tail.point);
  return HIK_OK;
}

/* ---- the tail ---- */

/* Unmoved frame of element `to` in the moved frame of `from`, all between at zero. */
static void chain_at_zero(const hik_reach *r, int32_t from, int32_t to, hik_pose *out) {
  *out = hik_pose_identity;
  for (int32_t k = from + 1; k <= to; k++) {
    hik_pose so_far = *out;
    hik_pose_mul(&so_far, &r->element[k].place, out);
  }
}

static double interval(const hik_reach *r, int32_t k, double side) {
  const hik_element *e = r->element + k;
  const hik_variable *v = r->variable + e->variable;
  return e->scale * v->middle + e->offset + side * fabs(e->scale) * v->half;
}

/* Element k turned to the middle of part `part` of `parts` of its range. */
static void turn_to(const hik_reach *r, int32_t k, int32_t part, int32_t parts, const hik_pose *unmoved,
                    hik_pose *out) {
  double low = interval(r, k, -1), width = interval(r, k, 1) - low, s, c;
  hik_sincos(low + width * ((double)part + 0.5) / parts, &s, &c);
  *out = *unmoved;
  hik_mat_turn_z(unmoved->r, c, s, out->r);
}

/* The sine and the cosine of the angle between u and v, times their lengths, into `most` where it is larger. */
static void keep_larger(const double u[3], const double v[3], double most[2]) {
  double across[3];
  hik_cross(u, v, across);
  double s = hik_norm(across), c = hik_dot(u, v);
  if (s * most[1] > c * most[0] || (s == 0 && c < 0)) most[0] = s, most[1] = c;
}

/* Greatest angle that the hand makes with the forearm: a grid of each turn, and half its cells. All turns after `elbow`. */
static double most_bent(const hik_reach *r, int32_t elbow, const double fore[3], const double hand[3]) {
  int32_t turns[3], n = 0;
  double slack = 0, most[2] = {0, 1};
  int64_t outer = 1;
  hik_pose first;
  for (int32_t k = elbow + 1; k < r->n; k++) {
    double z[3], across[3];
    chain_at_zero(r, elbow, k, &first);
    hik_mat_column(first.r, 2, z);
    hik_cross(z, fore, across);
    if (k == elbow + 1 && hik_norm(across) < TRUE_TO) continue; /* the forearm's own turn */
    turns[n++] = k;
  }
  static const int32_t places[] = {1, 4000, 90, 24};
  for (int32_t i = 0; i < n; i++) {
    if (i > 0) outer *= places[n];
    slack += (interval(r, turns[i], 1) - interval(r, turns[i], -1)) / (2 * places[n]);
  }
  int32_t last = n > 0 ? turns[n - 1] : r->n - 1;
  for (int64_t g = 0; g < outer; g++) { /* places of all turns but the last, then of that one */
    int64_t rest = g;
    hik_pose base = hik_pose_identity, at, moved;
    for (int32_t k = elbow + 1, i = 0; k <= last; k++) {
      hik_pose_mul(&base, &r->element[k].place, &moved);
      base = moved;
      if (i + 1 >= n || turns[i] != k) continue;
      turn_to(r, k, (int32_t)(rest % places[n]), places[n], &moved, &base);
      rest /= places[n], i++;
    }
    for (int32_t j = 0; j < places[n]; j++) {
      double v[3];
      at = base;
      if (n > 0) turn_to(r, last, j, places[n], &base, &at);
      for (int32_t k = last + 1; k < r->n; k++) {
        hik_pose_mul(&at, &r->element[k].place, &moved);
        at = moved;
      }
      hik_mat_vec(at.r, hand, v);
      keep_larger(fore, v, most);
    }
  }
  return fmin(hik_atan2(most[0], most[1]) + slack + 1e-9, HIK_PI);
}

/* Polar angles of the forearm, and the azimuths on either side of the bone. */
static bool set_patches(hik_tail *t, double from, double to, double azimuth) {
  if (!(from > -HIK_PI && to < HIK_PI)) return false;
  t->patches = 0;
  for (int side = 0; side < 2; side++) {
    double low = side ? -to : from, high = side ? -from : to;
    if (high < 0 || (high == 0 && t->patches > 0)) continue;
    hik_patch *p = t->patch + t->patches++;
    hik_sincos(fmax(low, 0), &p->from[1], &p->from[0]);
    hik_sincos(fmin(high + 1e-12, HIK_PI), &p->to[1], &p->to[0]);
    hik_sincos(azimuth + (side ? HIK_PI : 0), &p->azimuth[1], &p->azimuth[0]);
  }
  return t->patches > 0;
}

/* No variable of the tail moves anything else, and none is a swing. */
static bool tail_apart(const hik_reach *r, int32_t first) {
  for (int32_t k = first; k < r->n; k++) {
    const hik_element *e = r->element + k;
    if (e->kind != HIK_TURN || e->variable < 0) return false;
    for (int32_t j = 0; j < r->n; j++)
      if (j != k && r->element[j].variable == e->variable) return false;
  }
  return true;
}

/* The wrist in the elbow's moved frame, and the hand's vector in the last one; false: the turns have no common point. */
static bool find_wrist(const hik_reach *r, int32_t elbow, double wrist[3], double hand[3]) {
  hik_pose at;
  if (elbow == r->n - 1) {
    hik_copy3(r->tail.point, wrist);
    hand[0] = hand[1] = hand[2] = 0;
    return true;
  }
  chain_at_zero(r, elbow, r->n - 1, &at);
  hik_copy3(r->tail.point, hand);
  hik_copy3(at.t, wrist);
  if (elbow + 1 == r->n - 1) { /* one turn: the point of its axis next to the frame */
    double z[3];
    hik_mat_column(at.r, 2, z);
    hik_axpy3(wrist, hand[2], z, wrist);
    hand[2] = 0;
  }
  for (int32_t k = elbow + 1; k < r->n; k++) {
    double z[3], to[3], across[3];
    chain_at_zero(r, elbow, k, &at);
    hik_mat_column(at.r, 2, z);
    hik_sub3(wrist, at.t, to);
    hik_cross(z, to, across);
    if (!(hik_norm(across) < TRUE_TO)) return false;
  }
  return true;
}

/* The last elements as an arm, taken off the chain; where they are none nothing happens. */
static void take_tail(hik_reach *r) {
  hik_tail t = r->tail;
  int32_t swing = -1;
  for (int32_t k = 0; k < r->n; k++)
    if (r->element[k].kind == HIK_BALL_STEP) swing = k;
  int32_t twist = swing + 1, elbow = swing + 2;
  if (swing < 0 || elbow >= r->n || r->n - elbow > 4 || !tail_apart(r, twist)) return;
  const hik_pose *place = &r->element[elbow].place;
  double axis[3], ahead[3], wrist[3], hand[3], start[3];
  static const double z[3] = {0, 0, 1};
  hik_mat_column(place->r, 2, axis);
  if (!(place->t[0] * place->t[0] + place->t[1] * place->t[1] < TRUE_TO * TRUE_TO && place->t[2] >= 0 &&
        fabs(axis[2]) < TRUE_TO))
    return;
  if (!find_wrist(r, elbow, wrist, hand) || !(fabs(wrist[2]) < TRUE_TO)) return;
  t.arm = true, t.twist = twist, t.last = r->n - 1;
  hik_copy3(wrist, t.wrist), hik_copy3(hand, t.palm);
  t.upper = place->t[2], t.fore = hik_norm(wrist), t.hand = hik_norm(hand);
  if (!(t.fore > 1e-6)) return;
  hik_cross(axis, z, ahead);
  hik_mat_vec(place->r, wrist, start);
  double zero = hik_atan2(hik_dot(start, ahead), start[2]), fore[3];
  hik_unit(wrist, fore);
  t.bent = t.hand > 0 ? most_bent(r, elbow, fore, hand) : 0;
  hik_sincos(t.bent, &t.sine, &t.cosine);
  t.rim[0] = t.fore + t.hand * t.cosine, t.rim[1] = t.hand * t.sine;
  t.least = sqrt(t.rim[0] * t.rim[0] + t.rim[1] * t.rim[1]);
  if (!set_patches(&t, zero + interval(r, elbow, -1), zero + interval(r, elbow, 1),
                   hik_atan2(ahead[1], ahead[0])))
    return;
  r->tail = t;
  r->n = twist;
  r->variables = r->element[twist].variable;
}

/* Greatest distance from the world, sum of all lengths. */
static double span_of(const hik_reach *r) {
  double sum = r->tail.arm ? r->tail.upper + r->tail.fore + r->tail.hand : hik_norm(r->tail.point);
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *e = r->element + k;
    sum += hik_norm(e->place.t);
    if (e->kind != HIK_SLIDE) continue;
    if (e->follow) {
      double range[2];
      hik_follow_range(e->follow, range);
      sum += fmax(fabs(range[0]), fabs(range[1]));
    } else {
      sum += fmax(fabs(interval(r, k, -1)), fabs(interval(r, k, 1)));
    }
  }
  return sum;
}

/* An empty chain with room for so many steps; path [count]. */
static hik_reach *chain_of(const hik_model *m, int32_t count, int32_t **path) {
  size_t room = 2 * (size_t)count + 1;
  hik_block block = {0};
  hik_reach *r = NULL;
  for (int pass = 0; pass < 2; pass++) {
    r = HIK_TAKE(&block, hik_reach, 1);
    hik_element *element = HIK_TAKE(&block, hik_element, room);
    hik_variable *variable = HIK_TAKE(&block, hik_variable, 3 * (size_t)count + 1);
    hik_swing *open = HIK_TAKE(&block, hik_swing, room);
    *path = HIK_TAKE(&block, int32_t, room);
    if (pass == 1) {
      *r = (hik_reach){.model = m, .element = element, .variable = variable, .open = open};
      break;
    }
    if (block.bad || !(block.base = hik_allocate(block.size))) return NULL;
    block.size = 0;
  }
  return r;
}

/* The first element of the shoulder: what follows the swing, or the swing. 0: what stands before is no trunk of plain joints, or
   there is none. */
static int32_t shoulder_of(const hik_reach *r) {
  int32_t first = 0;
  if (!r->tail.arm) return 0;
  while (first < r->n && !r->element[first].follow && r->element[first].kind != HIK_BALL_STEP) first++;
  for (int32_t k = first; k < r->n; k++)
    if (!r->element[k].follow && k != r->n - 1) return 0;
  return first;
}

/* The shoulder and what is below it as a set of its own, taken off the chain; without memory nothing happens. */
static void take_set(hik_reach *r) {
  int32_t first = shoulder_of(r), *unused, count = r->n - first;
  if (first == 0) return;
  hik_reach *arm = chain_of(r->model, count + 1, &unused);
  if (!arm) return;
  memcpy(arm->element, r->element + first, ((size_t)count + 1) * sizeof *arm->element);
  arm->n = count, arm->variables = 2, arm->tail = r->tail;
  arm->tail.twist -= first;
  for (int32_t k = 0; k <= count; k++) {
    hik_element *e = arm->element + k;
    if (e->leader >= 0) e->leader -= first;
    if (e->room >= r->open && e->room < r->open + first + count + 1) { /* limits of the chain's own */
      arm->open[k] = *e->room;
      e->room = arm->open + k;
    }
    if (e->kind == HIK_BALL_STEP) {
      memcpy(arm->variable, r->variable + e->variable, 2 * sizeof *arm->variable);
      e->variable = 0;
    }
  }
  arm->span = span_of(arm);
  arm->shoulder = hik_shoulder_create(arm);
  hik_reach_table *set = hik_reach_table_create(arm);
  if (!set) {
    hik_reach_free(arm);
    return;
  }
  r->variables = r->element[r->n - 1].variable;
  r->n = first;
  r->tail = (hik_tail){.set = set};
}

/* A trunk whose first two turns have parallel axes: what counts is their sum, and how it is shared out counts for little. */
static void pair_turns(hik_reach *r) {
  hik_element *first = r->element, *second = first + 1;
  if (!r->tail.set || r->n < 2 || r->n != r->variables) return;
  for (int32_t k = 0; k < r->n; k++) {
    const hik_element *e = r->element + k;
    if (e->kind != HIK_TURN || e->variable != k || e->scale != 1 || r->variable[k].round) return;
  }
  double z[3];
  hik_mat_column(second->place.r, 2, z);
  if (first->offset != 0 || second->offset != 0 || !(z[0] * z[0] + z[1] * z[1] < 1e-24)) return;
  first->kind = HIK_CRANK;
  hik_copy3(second->place.t, first->crank);
  second->place.t[0] = second->place.t[1] = second->place.t[2] = 0;
  second->paired = true, second->sign = z[2] > 0 ? 1 : -1;
  hik_variable *v = r->variable;
  second->own[0] = v[1].middle, second->own[1] = v[1].half;
  v[1].middle += second->sign * v[0].middle;
  v[1].half += v[0].half;
}

/* The same trunk without its last turn, which sweeps the set: a plane then need not be asked for each part of that turn. */
static void take_sweep(hik_reach *r) {
  if (!r->tail.set || r->n < 1) return;
  const hik_element *last = r->element + r->n - 1;
  if (last->kind != HIK_TURN || last->follow || last->paired || last->variable != r->variables - 1 ||
      fabs(last->scale) != 1)
    return;
  for (int32_t k = 0; k < r->n - 1; k++)
    if (r->element[k].variable == last->variable) return;
  hik_reach *outer = hik_allocate(sizeof *outer);
  if (!outer) return;
  *outer = *r;
  outer->outer = NULL, outer->shoulder = NULL;
  outer->n = r->n - 1, outer->variables = r->variables - 1;
  const hik_variable *v = r->variable + last->variable;
  outer->sweep = (hik_sweep){last->place, last->scale, last->offset, v->half, last->variable, NULL};
  outer->sweep.whole = hik_reach_table_turned(r->tail.set, last->scale * v->middle + last->offset, v->half);
  if (!outer->sweep.whole) {
    hik_release(outer);
    return;
  }
  outer->tail.sweep = &outer->sweep;
  r->outer = outer;
}

hik_status hik_reach_create(const hik_model *m, int32_t frame, int32_t kind, hik_reach **out,
                            hik_error *error) {
  int32_t count = path_of(m, frame, NULL), *path;
  hik_reach *r = chain_of(m, count, &path);
  if (!r) return hik_fail(error, HIK_NO_MEMORY, -1, "no memory for a chain of %d steps", count);
  path_of(m, frame, path);
  hik_status status = add_steps(r, path, count, hik_frame_place(m, frame), error);
  if (status < 0) {
    hik_reach_free(r);
    return status;
  }
  if (kind != HIK_REACH_WHOLE) take_tail(r);
  r->span = span_of(r);
  if (kind == HIK_REACH_NESTED) take_set(r), pair_turns(r), take_sweep(r);
  if (kind == HIK_REACH_NESTED && !r->tail.set) r->shoulder = hik_shoulder_create(r);
  *out = r;
  return HIK_OK;
}

void hik_reach_free(hik_reach *r) {
  if (r) hik_reach_table_free(r->tail.set);
  if (r && r->outer) hik_reach_table_free(r->outer->sweep.whole);
  if (r) hik_shoulder_free(r->shoulder), hik_release(r->outer);
  hik_release(r);
}
