/* fabrik_tree.c: both passes of FABRIK on a tree of real joints, with frames instead of points.

   Purpose    turns, slides and balls inside their limits; any number of goals on any link that say where points, axes
              or frames should be (wish.h), also by where others stand; joints that follow others
   Given      q inside the limits and its frames
   Returned   q inside its limits, always: the pass from the root builds it joint by joint and its frames with it
   Notes      1 The tree is cut into links: a ball, a slide, or up to three turns with one origin. Tip to root:
                link i-1 is placed so that joint i is inside its limits and the link points to where its own origin
                stands now. Root to tip: every joint turns so that its link points to the wanted place of the next
                one, as far as its limits let it.
              2 A sub-base, a link that several links or goals pull at, is placed by the rigid motion that fits the
                points they want best, its own origin being one of the points (the published method takes the
                centroid of the origins that the branches ask for: the same, but for a link with no orientation).
                Sub-bases nest. The root of the tree stays; a free root joint makes it a link like others.
              3 All rotations are fitted by one routine, fit.h; turns are kept as cosine and sine, and so are the best
                ones met: their angles are written into q when the answer, a nudge or a shared coordinate asks for them.
              4 Weights: `frame_weight` weighs the wanted frame against the wanted direction root to tip,
                `back_weight` the turned frame tip to root, where the problem has several goals `shared_weight` does:
                links that several goals pull at then follow them together instead of chasing each in turn.
                `pose_weight` weighs the frame of a link whose goal has an orientation or an axis, a third of it the
                frames of the links above. `extrapolate` (0 or 1) aims beyond the target, its point and its rotation
                each by what its last two errors promise, `chain_aim` also points the wanted chain at the target root to tip, `feasible_turn` (0 or 1)
                lets a link turn on the way to the root only as its own joint can.
              5 At a sub-base the wanted frames do not fit together: the origin that a branch asks for is not where
                the sub-base carries it. The chain that is aimed root to tip is the one with these gaps closed.
              6 An axis is a frame that is wanted anew in every iteration: the present one after the least turn that
                lays the axis where it should be.
              7 Terms that depend on where the figure stands (looks, distances, loops) are projected anew in every
                iteration; the two sides of a pair both give way by a half. What the rotations of a pair should be moves
                with both, so no aim beyond it is taken, and a problem with pairs keeps to one weight: both were worse
                (docs/fabrik.md).
              8 Joints that share a coordinate are bone in the passes; after them each such coordinate takes the value
                that is best for all ends, its joints moving at once.
   Reference  A. Aristidou, J. Lasenby: FABRIK. Graphical Models 73 (2011), 243-260, section 5 (several ends).
              A. Aristidou, Y. Chrysanthou, J. Lasenby: Extending FABRIK with model constraints. Comput. Animat.
              Virtual Worlds 27 (2016), 35-57. */
#include "solve/points/fabrik_tree.h"

/* Most links looked past in search of one with a direction. */
enum { LOOK = 8 };

/* Moved frame of link i. */
static const hik_pose *frame_of(const hik_fabrik *f, int32_t i) {
  return f->world + hik_link_last(f->links + i);
}

/* Unmoved frame of link i. */
static void base_of(const hik_fabrik *f, int32_t i, hik_pose *out) {
  int32_t s = f->links[i].step[0], above = f->m->step_parent[s];
  if (above < 0)
    *out = *hik_step_place(f->m, s);
  else
    hik_pose_mul(f->world + above, hik_step_place(f->m, s), out);
}

/* How far the slide of step s goes along its axis, the third column of r, of the way d; z gets the axis. */
static double slid(const hik_fabrik *f, int32_t s, const double *r, const double *d, double *z) {
  const double *limit = f->m->step_limit + 2 * (size_t)s,
               here = f->held[s] ? hik_step_value(f->m, s, f->q) : 0;
  hik_mat_column(r, 2, z);
  return f->held[s] ? here : hik_clip(hik_dot(z, d), limit[0], limit[1]);
}

/* ---- fits ---- */

/* A sum of pairs, and the sum of their weights, which no rotation's gain exceeds. */
typedef struct pull {
  double b[9], bound;
} pull;

/* Adds weight (rb^T y)(w^T x)^T for the units of y and x; false when x, in the link, has no direction. With `by_length`
   the lengths of both over it weigh too. */
static bool add_pair(const hik_fabrik *f, pull *b, double weight, const double *rb, const double *w,
                     const double *x, const double *y, double by_length) {
  double a[3], d[3], nx = hik_norm(x), ny = hik_norm(y);
  if (!(nx > f->tiny)) return false;
  if (!(ny > f->tiny)) return true;
  hik_mat_tvec(w, x, a);
  hik_mat_tvec(rb, y, d);
  if (by_length > 0) {
    weight /= by_length * by_length;
    hik_add_pair(b->b, weight, d, a);
    b->bound += weight * nx * ny;
  } else {
    hik_add_pair(b->b, weight / (nx * ny), d, a);
    b->bound += weight;
  }
  return true;
}

/* Adds weight a^T w. */
static void add_frame(pull *b, double weight, const double *a, const double *w) {
  double t[9];
  hik_mat_tmul(a, w, t);
  for (int k = 0; k < 9; k++) b->b[k] += weight * t[k];
  b->bound += 3 * weight;
}

/* True when a quaternion is surely inside a cone, which is told without an arc tangent. */
static bool surely_inside(const hik_link *l, const double *quat) {
  double d[3];
  hik_mat_tvec(l->cone->axes, quat + 1, d);
  double whole = quat[0] * quat[0] + d[2] * d[2], twice = 2 * quat[0] * d[2];
  if (!(2 * whole - 1 > l->round + 1e-9)) return false;
  const hik_range *r = l->range;
  return r->whole ||
         (quat[0] * quat[0] - d[2] * d[2]) * r->mid[0] + twice * r->mid[1] > (r->half + 1e-9) * whole;
}

/* Best rotation of the ball of link l inside its limits. */
static void fit_ball(const hik_fabrik *f, const hik_link *l, const pull *b, double *quat, double *j) {
  double old[9];
  hik_quat_to_mat(f->q + f->m->step_q[l->step[0]], old);
  double free[9];
  hik_fit_ball_below(b->b, b->bound, old, free);
  hik_quat_from_mat(free, quat);
  if (!l->cone || surely_inside(l, quat))
    hik_quat_to_mat(quat, j);
  else
    hik_fit_swing(b->b, l->cone, quat, j);
}

/* Best directions of the turns of link l. */
static void fit_turns(const hik_fabrik *f, const hik_link *l, const pull *b, double (*arm)[2]) {
  const double *between[HIK_MOST_TURNS - 1];
  for (int k = 1; k < l->count; k++) between[k - 1] = hik_step_place(f->m, l->step[k])->r;
  for (int k = 0; k < l->count; k++) memcpy(arm[k], f->arm[l->step[k]], sizeof *arm);
  if (!l->stands) hik_fit_turns(b->b, l->count, between, l->range, arm);
}

/* Weight of the frames tip to root. */
static double back_weight(const hik_fabrik *f) {
  return f->param[f->n_end > 1 ? HIK_FABRIK_SHARED : HIK_FABRIK_BACK_FRAME];
}

/* J = best rotation of link l for b, inside the limits. */
static void fit(const hik_fabrik *f, const hik_link *l, const pull *b, double *j) {
  if (l->kind == HIK_BALL_STEP) {
    double quat[4];
    fit_ball(f, l, b, quat, j);
    return;
  }
  double arm[HIK_MOST_TURNS][2], t[9];
  fit_turns(f, l, b, arm);
  hik_mat_turn_z(hik_pose_identity.r, arm[0][0], arm[0][1], j);
  for (int k = 1; k < l->count; k++) {
    hik_mat_mul(j, hik_step_place(f->m, l->step[k])->r, t);
    hik_mat_turn_z(t, arm[k][0], arm[k][1], j);
  }
}

/* Turns of link l that share their coordinate with others stand still in the passes. */
static void hold(hik_fabrik *f, hik_link *l) {
  for (int k = 0; k < l->count && l->kind == HIK_TURN; k++) {
    int32_t s = l->step[k];
    if (!f->held[s]) continue;
    hik_range_hold(hik_step_value(f->m, s, f->q), l->range + k);
    memcpy(f->arm[s], l->range[k].low, sizeof *f->arm);
  }
}

/* ---- tip to root ---- */

/* out = G, the rotation in the world by which turning link k takes its point `from` towards `to`. */
static void turn_of(const hik_fabrik *f, int32_t k, const double *from, const double *to, double *out) {
  const hik_pose *at = frame_of(f, k);
  const hik_link *l = f->links + k;
  double x[3], y[3], nx, ny;
  hik_sub3(from, at->t, x);
  hik_sub3(to, at->t, y);
  nx = hik_norm(x), ny = hik_norm(y);
  if (!(nx > f->tiny && ny > f->tiny)) {
    memcpy(out, hik_pose_identity.r, 9 * sizeof *out);
    return;
  }
  if (f->param[HIK_FABRIK_FEASIBLE_TURN] > 0 && (l->kind == HIK_TURN || l->cone)) {
    hik_pose base;
    pull b = {{0}, 0};
    double j[9], t[9];
    base_of(f, k, &base);
    add_frame(&b, 1e-3, base.r, at->r);
    add_pair(f, &b, 1, base.r, at->r, x, y, 0);
    fit(f, l, &b, j);
    hik_mat_mul(base.r, j, t);
    hik_mat_mult(t, at->r, out);
    return;
  }
  hik_scale3(1 / nx, x, x);
  hik_scale3(1 / ny, y, y);
  hik_mat_minimal(x, y, out);
}

/* Rotation of link i when its point `from` is turned towards `to`: about its own joint, a slide about the
   last joint above that turns. */
static void turned(const hik_fabrik *f, int32_t i, const double *from, const double *to, double *out) {
  double turn[9];
  int32_t k = f->links[i].carrier;
  if (k < 0) {
    memcpy(out, frame_of(f, i)->r, 9 * sizeof *out);
    return;
  }
  turn_of(f, k, from, to, turn);
  hik_mat_mul(turn, frame_of(f, i)->r, out);
}

/* Origin of the first turning link from i up whose origin is not where `attach` is; NULL: none, nothing there
   turns. */
static const double *anchor_of(const hik_fabrik *f, int32_t i, const double *attach) {
  const double *anchor = NULL;
  for (int32_t k = f->links[i].carrier, n = 0; k >= 0 && n < LOOK; n++) {
    double d[3];
    anchor = frame_of(f, k)->t;
    hik_sub3(attach, anchor, d);
    if (hik_norm(d) > f->tiny) break;
    k = f->links[k].parent;
    if (k >= 0) k = f->links[k].carrier;
  }
  return anchor;
}

/* What pulls at the turn or ball of link c, tip to root; i: the link above. */
static void back_pull(const hik_fabrik *f, int32_t i, int32_t c, pull *b) {
  const hik_pose *place = hik_step_place(f->m, f->links[c].step[0]), *w = f->wanted + c,
                 *here = frame_of(f, i);
  double attach[3], free[9], ff[9], x[3], y[3], t[9];
  hik_pose_point(here, place->t, attach);
  const double *anchor = anchor_of(f, i, attach);
  turned(f, i, attach, w->t, free);
  hik_mat_mul(free, place->r, ff);
  add_frame(b, back_weight(f), ff, w->r);
  if (anchor) {
    hik_sub3(w->t, anchor, x);
    hik_sub3(attach, anchor, y);
    hik_mat_mul(here->r, place->r, t);
    add_pair(f, b, 1, t, w->r, x, y, 0);
  }
}

/* Wanted frame of link i above the joint of link c. */
static void back_over(hik_fabrik *f, int32_t i, int32_t c) {
  const hik_link *l = f->links + c;
  const hik_pose *place = hik_step_place(f->m, l->step[0]), *w = f->wanted + c;
  hik_pose *up = f->wanted + i;
  pull b = {{0}, 0};
  double j[9], t[9], offset[3], d[3], z[3];
  bool slides = l->kind == HIK_SLIDE;
  if (!slides) {
    if (!l->stands) back_pull(f, i, c, &b);
    fit(f, l, &b, j);
    hik_mat_mult(w->r, j, t);
  }
  hik_mat_mult(slides ? w->r : t, place->r, up->r);
  hik_mat_vec(up->r, place->t, offset);
  hik_sub3(w->t, offset, up->t);
  if (!slides) return;
  hik_sub3(up->t, frame_of(f, i)->t, d);
  double slide = slid(f, l->step[0], w->r, d, z);
  for (int k = 0; k < 3; k++) up->t[k] = w->t[k] - z[k] * slide - offset[k];
}

/* Wanted frame of a link at which one goal pulls and nothing else. */
static void back_from_goal(hik_fabrik *f, int32_t i, const hik_link_end *e) {
  const hik_pose *place = &e->place;
  hik_pose *leaf = f->wanted + i;
  double offset[3];
  if (e->has_frame)
    hik_mat_mult(e->rotation, place->r, leaf->r);
  else
    turned(f, i, e->tip, e->aim, leaf->r);
  hik_mat_vec(leaf->r, place->t, offset);
  hik_sub3(e->aim, offset, leaf->t);
}

/* What pulls at a link, one after the other: child links, then goals. */
typedef struct puller {
  int32_t child, goal;
} puller;

static puller first_puller(const hik_link *l) { return (puller){l->first_child, l->first_goal}; }

/* The next one's point in the link, where it is wanted in the world, and its weight; false: no more. */
static bool next_puller(const hik_fabrik *f, int32_t i, puller *at, double *point, double *wanted,
                        double *weight) {
  if (at->child >= 0) {
    const hik_link *l = f->links + at->child;
    const hik_pose *place = hik_step_place(f->m, l->step[0]), *w = f->wanted + at->child;
    hik_copy3(place->t, point);
    hik_copy3(w->t, wanted);
    if (l->kind == HIK_SLIDE) { /* from where it would slide the least */
      double z[3], attach[3], d[3];
      hik_pose_point(frame_of(f, i), place->t, attach);
      hik_sub3(w->t, attach, d);
      double by = slid(f, l->step[0], w->r, d, z);
      hik_axpy3(w->t, -by, z, wanted);
    }
    *weight = 0;
    for (int32_t k = 0; k < l->n_below; k++) *weight += f->ends[f->below[l->below + k]].square;
    *weight /= l->n_below;
    at->child = l->next_child;
    return true;
  }
  if (at->goal < 0) return false;
  const hik_link_end *e = f->ends + at->goal;
  hik_copy3(e->place.t, point);
  hik_copy3(e->aim, wanted);
  *weight = e->has_position ? e->square : 1e-3 * e->square;
  at->goal = e->next;
  return true;
}

/* Wanted frame of a sub-base: the rigid motion that takes the points of all that pull, and its own origin to where it
   stands, nearest to where they are wanted. */
static void fit_sub_base(hik_fabrik *f, int32_t i) {
  const hik_pose *here = frame_of(f, i);
  hik_pose *out = f->wanted + i;
  double sum = 1, middle[3] = {0, 0, 0}, aim[3], x[3], y[3], w, size = 0;
  hik_copy3(here->t, aim);
  for (puller at = first_puller(f->links + i); next_puller(f, i, &at, x, y, &w); sum += w) {
    hik_axpy3(middle, w, x, middle);
    hik_axpy3(aim, w, y, aim);
  }
  hik_scale3(1 / sum, middle, middle);
  hik_scale3(1 / sum, aim, aim);
  pull b = {{0}, 0};
  hik_sub3(here->t, aim, y);
  hik_scale3(-1, middle, x);
  hik_add_pair(b.b, 1, y, x);
  size += hik_dot(x, x);
  for (puller at = first_puller(f->links + i); next_puller(f, i, &at, x, y, &w);) {
    hik_sub3(x, middle, x);
    hik_sub3(y, aim, y);
    hik_add_pair(b.b, w, y, x);
    size += w * hik_dot(x, x);
  }
  double scale = size > f->tiny * f->tiny ? 1 / size : 0, quat[4];
  for (int k = 0; k < 9; k++) b.b[k] = scale * b.b[k] + 0.1 * back_weight(f) * here->r[k];
  for (int32_t k = f->links[i].first_goal; k >= 0; k = f->ends[k].next) {
    const hik_link_end *e = f->ends + k;
    double t[9];
    if (!e->has_frame) continue;
    hik_mat_mult(e->rotation, e->place.r, t);
    for (int a = 0; a < 9; a++) b.b[a] += f->pose_weight * e->square * t[a];
  }
  hik_fit_ball(b.b, here->r, out->r);
  hik_quat_from_mat(out->r, quat);
  hik_quat_to_mat(quat, out->r);
  hik_mat_vec(out->r, middle, x);
  hik_sub3(aim, x, out->t);
}

static void to_root(hik_fabrik *f) {
  for (int32_t i = f->n - 1; i >= 0; i--) {
    const hik_link *l = f->links + i;
    if (l->pulls > 1)
      fit_sub_base(f, i);
    else if (l->only < 0)
      back_from_goal(f, i, f->ends + l->first_goal);
    else
      back_over(f, i, l->only);
  }
}

/* ---- root to tip ---- */

/* Pair of the only thing that pulls: the next wanted origin that is not this one's, at last the aim. */
static void add_only(const hik_fabrik *f, int32_t i, const hik_pose *base, pull *b) {
  const hik_pose *w = f->wanted + i;
  double x[3], y[3];
  for (int32_t k = i, n = 0; n < LOOK; n++) {
    const hik_link *l = f->links + k;
    k = l->only;
    if (k < 0 && l->pulls > 1) return; /* a sub-base with the same origin */
    const double *point = k >= 0 ? f->wanted[k].t : f->ends[l->first_goal].aim;
    hik_sub3(point, w->t, x);
    hik_sub3(point, base->t, y);
    if (add_pair(f, b, 1, base->r, w->r, x, y, 0) || k < 0) return;
  }
}

/* Pairs of all that pulls at a sub-base, by their lengths, their weights one in sum. */
static void add_all(const hik_fabrik *f, int32_t i, const hik_pose *base, pull *b) {
  const hik_pose *w = f->wanted + i;
  double point[3], wanted[3], weight, x[3], y[3], sum = 0;
  for (puller at = first_puller(f->links + i); next_puller(f, i, &at, point, wanted, &weight);)
    sum += weight * hik_dot(point, point);
  if (!(sum > f->tiny * f->tiny)) return;
  for (puller at = first_puller(f->links + i); next_puller(f, i, &at, point, wanted, &weight);) {
    hik_mat_vec(w->r, point, x);
    hik_sub3(wanted, base->t, y);
    add_pair(f, b, weight, base->r, w->r, x, y, sqrt(sum));
  }
}

/* The gap of a link is one of those of all ends below it, or once it is above what is aimed (-1) no longer. */
static void add_gap(hik_fabrik *f, const hik_link *l, double sign) {
  for (const int32_t *k = f->below + l->below; k < f->below + l->below + l->n_below; k++)
    hik_axpy3(f->ends[*k].gap, sign, l->gap, f->ends[*k].gap);
}

/* Gaps of the links, and their sums from the root to the goals. */
static void find_gaps(hik_fabrik *f) {
  for (int32_t k = 0; k < f->n_end; k++) {
    hik_link_end *e = f->ends + k;
    hik_pose_point(f->wanted + e->link, e->place.t, e->gap);
    hik_sub3(e->aim, e->gap, e->gap);
  }
  for (int32_t i = 0; i < f->n; i++) {
    hik_link *l = f->links + i;
    const hik_pose *w = f->wanted + i;
    memset(l->gap, 0, sizeof l->gap);
    if (l->parent < 0) continue;
    hik_pose_point(f->wanted + l->parent, hik_step_place(f->m, l->step[0])->t, l->gap);
    hik_sub3(w->t, l->gap, l->gap);
    if (l->kind == HIK_SLIDE) { /* what it cannot slide */
      double z[3], by = slid(f, l->step[0], w->r, l->gap, z);
      hik_axpy3(l->gap, -by, z, l->gap);
    }
    add_gap(f, l, 1);
  }
}

/* The wanted chain, which is on target, aimed at the targets from here. */
static void add_chain_aim(const hik_fabrik *f, int32_t i, const hik_pose *base, pull *b) {
  const hik_link *l = f->links + i;
  const hik_pose *w = f->wanted + i;
  double x[3], y[3], weight = f->param[HIK_FABRIK_CHAIN_AIM], by = l->n_below > 1 ? f->length / 3 : 0;
  for (int32_t k = 0; k < l->n_below; k++) {
    const hik_link_end *e = f->ends + f->below[l->below + k];
    if (!e->has_position) continue;
    hik_sub3(e->aim, w->t, x);
    if (f->n_end > 1) hik_sub3(x, e->gap, x);
    hik_sub3(e->aim, base->t, y);
    add_pair(f, b, weight * e->square, base->r, w->r, x, y, by);
  }
}

/* What pulls at the joint of link i, root to tip. */
static void forth_pull(const hik_fabrik *f, int32_t i, const hik_pose *base, pull *b) {
  const hik_link *l = f->links + i;
  double frame = l->frame_below ? f->pose_weight / 3 : f->param[HIK_FABRIK_FRAME];
  add_frame(b, frame, base->r, f->wanted[i].r);
  if (l->pulls > 1)
    add_all(f, i, base, b);
  else
    add_only(f, i, base, b);
  if (f->param[HIK_FABRIK_CHAIN_AIM] > 0) add_chain_aim(f, i, base, b);
  for (int32_t k = l->first_goal; k >= 0; k = f->ends[k].next)
    if (f->ends[k].has_frame) add_frame(b, f->pose_weight * f->ends[k].square, base->r, f->wanted[i].r);
}

/* Turns the joint of link i, and its frames with it. */
static void turn_joint(hik_fabrik *f, int32_t i, const hik_pose *base) {
  const hik_link *l = f->links + i;
  pull b = {{0}, 0};
  if (!l->stands) forth_pull(f, i, base, &b);
  if (l->kind == HIK_BALL_STEP) {
    double quat[4], j[9];
    hik_pose *at = f->world + l->step[0];
    fit_ball(f, l, &b, quat, j);
    memcpy(f->q + f->m->step_q[l->step[0]], quat, sizeof quat);
    hik_mat_mul(base->r, j, at->r);
    hik_copy3(base->t, at->t);
    return;
  }
  double arm[HIK_MOST_TURNS][2];
  hik_pose at = *base;
  fit_turns(f, l, &b, arm);
  for (int k = 0; k < l->count; k++) {
    int32_t s = l->step[k];
    if (k > 0)
      hik_pose_mul(f->world + l->step[k - 1], hik_step_place(f->m, s), &at); /* origins differ a little */
    memcpy(f->arm[s], arm[k], sizeof *arm);
    hik_mat_turn_z(at.r, arm[k][0], arm[k][1], f->world[s].r);
    hik_copy3(at.t, f->world[s].t);
  }
}

static void slide_joint(hik_fabrik *f, int32_t i, const hik_pose *base) {
  int32_t s = f->links[i].step[0];
  hik_pose *at = f->world + s;
  double z[3], d[3];
  hik_sub3(f->wanted[i].t, base->t, d);
  double x = slid(f, s, base->r, d, z);
  if (!f->held[s]) hik_step_set(f->m, s, x, f->q);
  *at = *base;
  hik_axpy3(base->t, x, z, at->t);
}

static void to_tip(hik_fabrik *f) {
  bool gaps = f->n_end > 1 && f->param[HIK_FABRIK_CHAIN_AIM] > 0;
  if (gaps) find_gaps(f);
  for (int32_t i = 0; i < f->n; i++) {
    hik_pose base;
    if (gaps) add_gap(f, f->links + i, -1);
    base_of(f, i, &base);
    if (f->links[i].kind == HIK_SLIDE)
      slide_joint(f, i, &base);
    else
      turn_joint(f, i, &base);
  }
}

/* ---- the iteration ---- */

/* Aims the wanted rotation of an end beyond the target, as hik_aim_beyond does its point: the error is the vector part of
   the quaternion that leads there, and so is what is added, no more than a third of a half turn. */
static void turn_beyond(const double *now, hik_link_end *e) {
  double turn[9], quat[4], none[3] = {0, 0, 0}, way[3];
  hik_mat_mult(e->rotation, now, turn);
  hik_quat_from_mat(turn, quat);
  if (quat[0] < 0) hik_scale3(-1, quat + 1, quat + 1);
  hik_aim_beyond(quat + 1, none, true, e->last_turn, way);
  hik_sub3(way, quat + 1, quat + 1);
  double size = hik_norm(quat + 1), most = 0.5;
  if (!(size > 0)) return;
  if (size > most) hik_scale3(most / size, quat + 1, quat + 1), size = most;
  quat[0] = sqrt(1 - size * size);
  double target[9];
  memcpy(target, e->rotation, sizeof target);
  hik_quat_to_mat(quat, turn);
  hik_mat_mul(turn, target, e->rotation);
}

/* Where the end is, and what the passes aim at. */
static void set_aim(const hik_fabrik *f, hik_link_end *e, bool fresh) {
  const hik_wish *w = e->wish;
  hik_pose frame;
  hik_pose_mul(frame_of(f, e->link), &e->place, &frame);
  hik_copy3(frame.t, e->tip);
  /* also of an end that is idle now: what it meets next must not follow from another target */
  for (int k = 0; k < 3 && fresh; k++) e->last[k] = e->last_turn[k] = 0;
  e->has_position = w->point && !w->idle;
  if (e->has_axis) {
    double now[3], turn[9];
    hik_mat_vec(frame.r, w->own, now);
    hik_mat_minimal(now, w->want.axis, turn);
    hik_mat_mul(turn, frame.r, e->rotation);
  } else if (e->has_frame) {
    memcpy(e->rotation, w->want.rotation, sizeof e->rotation);
  }
  if (e->has_frame && w->mate < 0 && f->beyond) turn_beyond(frame.r, e);
  if (!e->has_position) {
    hik_copy3(e->tip, e->aim);
    return;
  }
  hik_aim_beyond(w->want.point, e->tip, f->beyond, e->last, e->aim);
}

/* Coordinates that several joints share take their best values, from the tips to the root; unless `fresh` near by. */
static void settle_shared(hik_fabrik *f, bool fresh) {
  hik_fabrik_write(f); /* shared.c moves the frames by q */
  if (f->changes) hik_wishes_look(f->target, f->world, f->n_end, f->wishes);
  for (int32_t k = 0; k < f->n_end; k++) {
    const hik_link_end *e = f->ends + k;
    const hik_wish *w = e->wish;
    hik_aimed *a = f->aimed + k;
    hik_stand now, want = w->want;
    hik_wish_stand(w, f->world, &now);
    a->weight = w->point && !w->idle ? e->weight * e->weight : 0;
    a->turn_weight = 0.5 * HIK_TURN_SHARE * w->turn_weight * e->weight * e->weight * f->length * f->length;
    hik_copy3(now.point, a->place);
    hik_copy3(w->changes ? w->want.point : e->aim, a->aim);
    a->axes = hik_aimed_rows(w, &now, a->have);
    if (!w->changes && w->frame) memcpy(want.rotation, e->rotation, sizeof want.rotation);
    hik_aimed_wants(w, &want, a->want);
  }
  for (int32_t g = f->shared.n - 1; g >= 0; g--) /* the next ones ask for no frame behind their last step */
    hik_shared_move(&f->shared, g, fresh, g > 0 ? f->shared.group[g - 1].last + 1 : 0, f->aimed, f->q,
                    f->world);
  hik_list_poses(f->m, f->p->active, f->p->n_active, f->q, f->world);
}

void hik_fabrik_iterate(hik_fabrik *f, bool fresh) {
  if (fresh) hik_fabrik_read(f);
  for (int32_t i = 0; i < f->n && f->holds; i++) hold(f, f->links + i);
  if (f->changes) hik_wishes_look(f->target, f->world, f->n_end, f->wishes);
  for (int32_t i = 0; i < f->n_end; i++) set_aim(f, f->ends + i, fresh);
  to_root(f);
  to_tip(f);
  if (f->holds) settle_shared(f, fresh);
}
