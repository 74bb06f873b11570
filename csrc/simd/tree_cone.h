/* tree_cone.h: balls in lanes. The state of a ball with a cone is (u, v, twist) itself, so that no
   angle has to be found from a quaternion, and each limit stands where it can be read. */
#pragma once
#include "model/chart.h"
#include "simd/lanes.h"
#include "simd/tree.h"

/* Sine and cosine of half the swing, those of half the twist, and the square of the swing. */
enum { CONE_SINE, CONE_COSINE, CONE_TWIST_SINE, CONE_TWIST_COSINE, CONE_SQUARE, CONE_TURNS };

/* What is known of a ball with limits in a step: hik_chart in lanes. */
typedef struct room_work {
  lane quat[4], turn[CONE_TURNS];
  lane way[4], carried[2], share; /* the ways of columns 0 and 1 */
  lane turned[3][3];              /* rotation vectors of the three columns, in the ball's moved frame */
} room_work;
_Static_assert(sizeof(room_work) == HIK_TREE_ROOM * sizeof(lane), "HIK_TREE_ROOM");

/* out = a x for a constant matrix */
HIK_INLINE void tree_in_axes(const double *a, const lane *x, lane *out) {
  for (int i = 0; i < 3; i++) out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

/* hik_swing_join, which also leaves what tree_cone_turns needs */
HIK_INLINE void tree_cone_quat(const hik_swing *s, const lane *x, room_work *w) {
  lane *turn = w->turn, *q = w->quat;
  lane square = x[0] * x[0] + x[1] * x[1], angle = lane_root(square), half, sine, whole, ts, tc, d[3];
  half = 0.5 * angle;
  lane_sincos(&half, &sine, &whole);
  half = 0.5 * x[2];
  lane_sincos(&half, &ts, &tc);
  lane k = lane_choose(angle > 1e-8, sine / angle, lane_all(0.5)), a = -k * x[1], b = k * x[0];
  d[0] = a * tc + b * ts, d[1] = b * tc - a * ts, d[2] = whole * ts;
  q[0] = whole * tc;
  tree_in_axes(s->axes, d, q + 1);
  turn[CONE_SINE] = sine, turn[CONE_COSINE] = whole;
  turn[CONE_TWIST_SINE] = ts, turn[CONE_TWIST_COSINE] = tc, turn[CONE_SQUARE] = square;
}

/* hik_chart_turns: rotation vectors in the ball's moved frame of unit moves of its three columns, as rows of room->turned. */
HIK_INLINE void tree_cone_turns(const hik_swing *cone, const lane *x, room_work *room) {
  const lane *turn = room->turn, *way = room->way;
  lane(*out)[3] = room->turned;
  lane square = turn[CONE_SQUARE], angle = lane_root(square), f[3] = {-x[1], x[0], lane_all(0)};
  lane sine = turn[CONE_SINE], inverse = 1 / square;
  lane_mask wide = angle > 1e-4;
  lane a = lane_choose(wide, 2 * sine * sine * inverse, lane_all(0.5));
  lane b = lane_choose(wide, (angle - 2 * sine * turn[CONE_COSINE]) / angle * inverse, lane_all(1.0 / 6));
  lane ts = 2 * turn[CONE_TWIST_SINE] * turn[CONE_TWIST_COSINE],
       tc = 1 - 2 * turn[CONE_TWIST_SINE] * turn[CONE_TWIST_SINE];
  for (int k = 0; k < 2; k++) {
    const lane rate[3] = {-way[2 * k + 1], way[2 * k], lane_all(0)};
    lane once[3], twice[3], w[3];
    lane_cross(f, rate, once);
    lane_cross(f, once, twice);
    for (int i = 0; i < 3; i++) w[i] = rate[i] - a * once[i] + b * twice[i];
    const lane turned[3] = {tc * w[0] + ts * w[1], tc * w[1] - ts * w[0], w[2] + room->carried[k]};
    tree_in_axes(cone->axes, turned, out[k]);
  }
  for (int i = 0; i < 3; i++) out[2][i] = lane_all(cone->axes[3 * i + 2]);
}

/* Half-axes of the quadrant of uv: hik_swing_axes, whose fmax is a call. */
HIK_INLINE void tree_half_axes(const hik_swing *s, const lane *uv, lane *ab) {
  double half[4];
  for (int i = 0; i < 4; i++) half[i] = s->half[i] > 1e-9 ? s->half[i] : 1e-9;
  for (int i = 0; i < 2; i++) ab[i] = lane_choose(uv[i] >= 0, lane_all(half[i]), lane_all(half[i + 2]));
}

/* How far up and down the line x + t w stays inside the ellipse of half-axes ab that holds x. */
HIK_INLINE void tree_ellipse_room(const lane *ab, const lane *x, const lane *w, lane *down, lane *up) {
  lane p = x[0] / ab[0], q = x[1] / ab[1], r = w[0] / ab[0], s = w[1] / ab[1];
  lane a = r * r + s * s, b = p * r + q * s, c = p * p + q * q - 1, root = b * b - a * c, none = lane_all(0);
  root = lane_root(lane_choose(root > 0, root, none));
  lane forth = (root - b) / a, back = (root + b) / a;
  *up = lane_choose(forth > 0, forth, none);
  *down = -lane_choose(back > 0, back, none);
}

/* The way of column 0 (that of column 1 is a quarter turn on) and the room of the three: along the normal of the cone
   through x, and along its edge. The room is that of the ellipse of the quadrant; where another quadrant's is smaller the
   move is brought back, where it is larger the next step goes on. */
HIK_INLINE void tree_cone_room(const hik_swing *s, const lane *x, room_work *w, lane *down, lane *up) {
  lane ab[2], none = lane_all(0), endless = lane_all(INFINITY);
  tree_half_axes(s, x, ab);
  lane p = x[0] / ab[0], q = x[1] / ab[1], n[2] = {p / ab[0], q / ab[1]};
  lane size = lane_root(n[0] * n[0] + n[1] * n[1]);
  lane_mask some = size > 1e-9, edge = p * p + q * q > 1 - 1e-9;
  lane inverse = 1 / lane_choose(some, size, lane_all(1));
  n[0] = lane_choose(some, n[0] * inverse, lane_all(1));
  n[1] = lane_choose(some, n[1] * inverse, none);
  lane far = lane_root(x[0] * x[0] + x[1] * x[1]);
  lane_mask beyond = (far > HIK_SWING_MOST * (1 - 1e-9)) & ~edge;
  if (LANE_BITS(beyond)) {
    for (int i = 0; i < 2; i++) n[i] = lane_choose(beyond, x[i] / far, n[i]);
    edge |= beyond;
  }
  const lane along[2] = {-n[1], n[0]};
  tree_ellipse_room(ab, x, n, down, up);
  tree_ellipse_room(ab, x, along, down + 1, up + 1);
  up[0] = lane_choose(edge, none, up[0]);
  /* along the edge the room curves away at once: the move slides round it */
  up[1] = lane_choose(edge, endless, up[1]), down[1] = lane_choose(edge, -endless, down[1]);
  w->way[0] = n[0], w->way[1] = n[1], w->way[2] = along[0], w->way[3] = along[1];
  w->carried[0] = w->carried[1] = none;
  lane least = s->twist[0] - x[2], most = s->twist[1] - x[2];
  down[2] = lane_choose(least < 0, least, none), up[2] = lane_choose(most > 0, most, none);
}

/* hik_chart_here, lane by lane. */
static void tree_reach_room(const hik_swing *s, const lane *x, room_work *w, lane *down, lane *up) {
  for (int i = 0; i < LANES; i++) {
    hik_chart c = {.cone = s, .x = {x[0][i], x[1][i], x[2][i]}};
    hik_chart_here(&c);
    for (int k = 0; k < 2; k++) {
      w->way[2 * k][i] = c.way[k][0], w->way[2 * k + 1][i] = c.way[k][1];
      w->carried[k][i] = c.carried[k];
    }
    w->share[i] = c.share;
    for (int k = 0; k < 3; k++) down[k][i] = c.down[k], up[k][i] = c.up[k];
  }
}

/* hik_chart_move and hik_swing_clamp, lane by lane. */
static void tree_reach_move(const hik_swing *s, const lane *x, const room_work *w, const lane *d, lane *out) {
  for (int i = 0; i < LANES; i++) {
    const lane *way = w->way;
    const hik_chart c = {.cone = s,
                         .x = {x[0][i], x[1][i], x[2][i]},
                         .way = {{way[0][i], way[1][i]}, {way[2][i], way[3][i]}},
                         .share = w->share[i]};
    const double by[3] = {d[0][i], d[1][i], d[2][i]};
    double in[3];
    hik_chart_move(&c, by, in);
    hik_swing_clamp(s, in);
    for (int k = 0; k < 3; k++) out[k][i] = in[k];
  }
}

/* x moved by d along the ways, to the nearest inside: hik_swing_clamp. */
HIK_INLINE void tree_cone_move(const hik_swing *s, const lane *x, const lane *way, const lane *d, lane *out) {
  lane ab[2], in[2];
  in[0] = x[0] + way[0] * d[0] - way[1] * d[1], in[1] = x[1] + way[1] * d[0] + way[0] * d[1];
  tree_half_axes(s, in, ab);
  lane p = in[0] / ab[0], q = in[1] / ab[1];
  lane_mask outside = (p * p + q * q > 1) | (in[0] * in[0] + in[1] * in[1] > HIK_SWING_MOST * HIK_SWING_MOST);
  for (uint32_t left = LANE_BITS(outside), i = 0; left; left >>= 1, i++) {
    if (!(left & 1)) continue;
    double uv[3] = {in[0][i], in[1][i], 0};
    hik_swing_clamp_swing(s, uv);
    in[0][i] = uv[0], in[1][i] = uv[1];
  }
  out[0] = in[0], out[1] = in[1];
  out[2] = lane_clip(x[2] + d[2], s->twist[0], s->twist[1]);
}

/* The quaternion q turned by the rotation vector d of its moved frame: hik_quat_exp, hik_quat_mul, hik_quat_normalize. */
HIK_INLINE void tree_ball_move(const lane *q, const lane *d, lane *out) {
  lane angle = lane_root(lane_dot(d, d)), half, sine, cosine, b[4], to[4];
  half = 0.5 * angle;
  lane_sincos(&half, &sine, &cosine);
  lane k = lane_choose(angle > 1e-8, sine / angle, 0.5 - angle * angle / 48);
  b[0] = cosine;
  for (int i = 0; i < 3; i++) b[i + 1] = k * d[i];
  to[0] = q[0] * b[0] - q[1] * b[1] - q[2] * b[2] - q[3] * b[3];
  to[1] = q[0] * b[1] + q[1] * b[0] + q[2] * b[3] - q[3] * b[2];
  to[2] = q[0] * b[2] - q[1] * b[3] + q[2] * b[0] + q[3] * b[1];
  to[3] = q[0] * b[3] + q[1] * b[2] - q[2] * b[1] + q[3] * b[0];
  lane size = lane_root(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3]);
  for (int i = 0; i < 4; i++) out[i] = to[i] / size;
}
