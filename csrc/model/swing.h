/* swing.h: the room of a ball joint: where its bone may swing, and how far it may twist there.

   A rotation is a swing after a twist: R = S(u, v) Rz(twist), z the bone's axis at rest; S turns z by the angle
   |(u, v)| towards the direction (u, v) of the joint's own x and y. The cone is the region
   (u / a)^2 + (v / b)^2 <= 1, a the half-axis of the side u is on and b that of v: an ellipse by quadrant, in angles,
   so that it is convex with a smooth edge and holds up to 180 degrees (a cross-section of tangents ends at 90).

   Or the swing keeps to a spherical polygon, directions joined by great circles with the room on the left of each edge as
   seen from outside; and the limits of the twist may change with the swing (room.c). Or the ball is held still.
   A half-axis beyond 180 degrees reaches past the direction opposite to the bone at rest. Every room ends 1e-5 rad short
   of that direction, HIK_SWING_MOST: at it the twist has no meaning.

   hik_swing_split hik_swing_join hik_swing_excess hik_swing_between
   hik_swing_clamp       nearest in the plane of angles (of a polygon: on the sphere), then the twist
   hik_swing_project     nearest direction on the sphere, then the twist
   hik_swing_clamp_quat  the same on a quaternion */
#pragma once
#include "base/quat.h"
#include "base/rng.h"

#define HIK_SWING_MOST (HIK_PI - 1e-5)

/* The first 15 numbers are one row of hik_model.swing. */
typedef struct hik_swing {
  double axes[9];  /* columns: x towards half[0], y towards half[1], z the bone at rest; in the joint frame */
  double half[4];  /* angles towards +x, +y, -x, -y */
  double twist[2]; /* lower, upper; with a table: at rest */
  int32_t corners, knots; /* 0: a cone; a constant twist */
  const double *corner,
      *edge;          /* [corners][3] unit directions in the axes; inward normal of the edge to the next */
  const double *knot; /* [knots][3] azimuth in [-pi, pi), lower, upper */
  double full;        /* swing from which on the table holds whole */
  double cap[4];      /* a cap that holds the polygon: middle, cosine of its radius */
  double longest;     /* chord of its longest edge */
  bool held;
  double hold[4]; /* the rotation of a ball that is held */
} hik_swing;

/* The point of a polygon's edge nearest to a direction. */
typedef struct hik_nearest {
  double distance; /* radians, negative inside */
  double point[3];
  double inward[3];     /* normal of the edge there, of a corner the middle one */
  int32_t edge, corner; /* corner -1: none */
} hik_nearest;

void hik_polygon_nearest(const hik_swing *s, const double direction[3], hik_nearest *out);
double hik_polygon_excess(const hik_swing *s, const double uv[2]);
/* The same at most, anywhere on a way from one direction to another that is at most `turn` long; `bend`: the most of its second
   derivative, times the square of its time. Infinite: not known. */
double hik_polygon_between(const hik_swing *s, const double from[3], const double to[3], double turn,
                           double bend);
/* Radians that a ball is beyond its room at most, anywhere on a way from a to b (u, v, twist) that turns by at most `turn`, its
   angular acceleration, times the square of its time, at most `bend` (0: it turns steadily about one axis). Infinite: not known;
   then halves of the way may tell. */
double hik_swing_between(const hik_swing *s, const double a[3], const double b[3], double turn, double bend);
bool hik_polygon_clamp(const hik_swing *s, double uv[2]);
/* Limits of the twist at a swing by the table, and their derivatives (may be NULL). */
void hik_twist_at(const hik_swing *s, const double uv[2], double limit[2], double slope[2][2]);
/* Set up a polygon and a table in the memory given ([n][3] each); a sentence's end says what is wrong, NULL: nothing. */
const char *hik_polygon_set(hik_swing *s, const double *angles, int32_t n, double *corner, double *edge);
const char *hik_twists_set(hik_swing *s, const double *rows, int32_t n, double full, double *knot);
/* Cosine of a swing that is inside whichever way it goes (2: there is none), and twists allowed at every swing. */
void hik_swing_core(const hik_swing *s, double *round, double twist[2]);
/* A random rotation inside: uniform in the plane of angles of a cone, or in the area of a polygon; uniform in the twist
   there. Spread: from a point of the unit cube. */
void hik_swing_random(const hik_swing *s, hik_rng *rng, double q[4]);
void hik_swing_spread(const hik_swing *s, const double u[3], double q[4]);

/* Where the swing (u, v) takes the bone, in the axes; and back. */
HIK_INLINE void hik_swing_direction(const double uv[2], double d[3]) {
  double angle = sqrt(uv[0] * uv[0] + uv[1] * uv[1]), s, c;
  hik_sincos(angle, &s, &c);
  double k = angle > 1e-8 ? s / angle : 1;
  d[0] = k * uv[0], d[1] = k * uv[1], d[2] = c;
}
HIK_INLINE void hik_swing_of_direction(const double d[3], double uv[2]) {
  double flat = sqrt(d[0] * d[0] + d[1] * d[1]), k = flat > 1e-12 ? hik_atan2(flat, d[2]) / flat : 1;
  uv[0] = k * d[0], uv[1] = k * d[1];
}

HIK_INLINE void hik_swing_twist(const hik_swing *s, const double uv[2], double limit[2]) {
  limit[0] = s->twist[0], limit[1] = s->twist[1];
  if (s->knots > 0) hik_twist_at(s, uv, limit, NULL);
}

/* Quaternion in the joint frame to (u, v, twist). At a swing of 180 degrees the twist is taken as 0. */
HIK_INLINE void hik_swing_split(const hik_swing *s, const double q[4], double out[3]) {
  double w = q[0], d[3], sign = w < 0 ? -1 : 1;
  hik_mat_tvec(s->axes, q + 1, d);
  w *= sign;
  for (int i = 0; i < 3; i++) d[i] *= sign;
  double whole = sqrt(w * w + d[2] * d[2]), cosine = 1, sine = 0;
  if (whole > 1e-12) cosine = w / whole, sine = d[2] / whole;
  double x = d[0] * cosine - d[1] * sine, y = d[1] * cosine + d[0] * sine, half = sqrt(x * x + y * y);
  double k = half > 1e-8 ? 2 * hik_atan2(half, whole) / half : 2 / (whole > 0.5 ? whole : 1);
  out[0] = k * y;
  out[1] = -k * x;
  out[2] = whole > 1e-12 ? 2 * hik_atan2(sine, cosine) : 0;
}

/* (u, v, twist) to a unit quaternion in the joint frame. */
HIK_INLINE void hik_swing_join(const hik_swing *s, const double in[3], double q[4]) {
  double angle = sqrt(in[0] * in[0] + in[1] * in[1]), sine, whole, ts, tc;
  hik_sincos(0.5 * angle, &sine, &whole);
  hik_sincos(0.5 * in[2], &ts, &tc);
  double k = angle > 1e-8 ? sine / angle : 0.5, x = -k * in[1], y = k * in[0];
  double d[3] = {x * tc + y * ts, y * tc - x * ts, whole * ts};
  q[0] = whole * tc;
  hik_mat_vec(s->axes, d, q + 1);
}

HIK_INLINE void hik_swing_axes(const hik_swing *s, const double uv[2], double ab[2]) {
  ab[0] = fmax(uv[0] >= 0 ? s->half[0] : s->half[2], 1e-9);
  ab[1] = fmax(uv[1] >= 0 ? s->half[1] : s->half[3], 1e-9);
}

/* Radians that (u, v) is beyond the cone, or beyond the polygon, and the twist beyond its range; 0 inside. Beyond the cone:
   along its own ray or, if that is less, in a line with the slope of the edge's equation, which beside a thin cone is the
   distance that rounding makes. */
HIK_INLINE double hik_swing_excess(const hik_swing *s, const double in[3]) {
  double ab[2], limit[2];
  hik_swing_axes(s, in, ab);
  double x = in[0] / ab[0], y = in[1] / ab[1], r = sqrt(x * x + y * y),
         angle = sqrt(in[0] * in[0] + in[1] * in[1]), swing = 0;
  if (r > 1) {
    double slope = sqrt(x / ab[0] * (x / ab[0]) + y / ab[1] * (y / ab[1]));
    swing = fmin(angle * (1 - 1 / r), 0.5 * (r - 1) * (r + 1) / slope);
  }
  if (s->corners > 0) swing = hik_polygon_excess(s, in);
  swing = fmax(swing, angle - HIK_SWING_MOST);
  hik_swing_twist(s, in, limit);
  double twist = fmax(limit[0] - in[2], in[2] - limit[1]);
  return fmax(swing, fmax(twist, 0));
}

/* Radians by which the angles of a unit quaternion may be off by its own rounding: towards the back of the sphere, where
   azimuth and twist turn about nearly the same line, without bound but for HIK_SWING_MOST. */
HIK_INLINE double hik_swing_rounding(const double in[3]) {
  return 2e-15 / fmax(HIK_PI - sqrt(in[0] * in[0] + in[1] * in[1]), 1e-5);
}

/* True when an excess is no more than that, and rounding. */
HIK_INLINE bool hik_swing_within(const double in[3], double excess, double slack) {
  return excess <= slack || excess <= slack + hik_swing_rounding(in);
}

/* Nearest point of the ellipse x^2/a^2 + y^2/b^2 = 1 to an outside point of the first quadrant: the root t >= 0 of
   (a x/(t + a^2))^2 + (b y/(t + b^2))^2 = 1, by Newton. The function is convex and falls, and the start is where one
   of its two terms is 1 already, so that the steps go one way and need no safeguard (Eberly 2013 has the same root by
   bisection). */
HIK_INLINE void hik_ellipse_nearest(double a, double b, double x, double y, double out[2]) {
  double t = fmax(0, fmax(a * x - a * a, b * y - b * b));
  for (int i = 0; i < 100; i++) {
    double p = a * x / (t + a * a), r = b * y / (t + b * b), g = p * p + r * r - 1;
    double slope = -2 * (p * p / (t + a * a) + r * r / (t + b * b));
    if (!(slope < 0)) break;
    double step = -g / slope;
    t += step;
    if (!(step > 1e-16 * (t + a * a + b * b))) break;
  }
  double u = a * a * x / (t + a * a), v = b * b * y / (t + b * b);
  double size = sqrt(u / a * (u / a) + v / b * (v / b));
  out[0] = u / size, out[1] = v / size;
}

/* (u, v) outside a cone of these half-axes, at most pi long, to the nearest direction inside, on the sphere. */
void hik_swing_nearest(const double half[4], double uv[2]);

/* (u, v) to HIK_SWING_MOST along its own ray; true when it was longer. */
HIK_INLINE bool hik_swing_cut(double uv[2]) {
  double square = uv[0] * uv[0] + uv[1] * uv[1];
  if (!(square > HIK_SWING_MOST * HIK_SWING_MOST)) return false;
  double k = HIK_SWING_MOST / sqrt(square) * (1 - 1e-14);
  uv[0] *= k, uv[1] *= k;
  return true;
}

/* The swing alone of (u, v, twist) to the nearest inside, in the plane of angles; true when it moved. */
HIK_INLINE bool hik_swing_clamp_swing(const hik_swing *s, double in[3]) {
  double ab[2], near[2];
  /* before a polygon, which sees the direction alone: beyond the back of the sphere that is another one */
  bool moved = s->corners > 0 && hik_swing_cut(in);
  hik_swing_axes(s, in, ab);
  double x = in[0] / ab[0], y = in[1] / ab[1];
  if (s->corners > 0) {
    moved = hik_polygon_clamp(s, in) || moved;
  } else if (x * x + y * y > 1) {
    hik_ellipse_nearest(ab[0], ab[1], fabs(in[0]), fabs(in[1]), near);
    in[0] = (in[0] < 0 ? -near[0] : near[0]) * (1 - 1e-14);
    in[1] = (in[1] < 0 ? -near[1] : near[1]) * (1 - 1e-14);
    moved = true;
  }
  return hik_swing_cut(in) || moved;
}

/* (u, v, twist) to the nearest swing inside, in the plane of angles, and the twist in its range there; true when it
   moved. */
HIK_INLINE bool hik_swing_clamp(const hik_swing *s, double in[3]) {
  double limit[2];
  bool moved = hik_swing_clamp_swing(s, in);
  hik_swing_twist(s, in, limit);
  double twist = hik_clip(in[2], limit[0], limit[1]);
  moved = moved || twist != in[2];
  in[2] = twist;
  return moved;
}

/* The same with the swing to the nearest direction, on the sphere. */
HIK_INLINE void hik_swing_project(const hik_swing *s, double in[3]) {
  double ab[2];
  hik_swing_axes(s, in, ab);
  double x = in[0] / ab[0], y = in[1] / ab[1];
  if (s->corners == 0 && x * x + y * y > 1) hik_swing_nearest(s->half, in);
  hik_swing_clamp(s, in);
}

/* On the unit quaternion of the joint; one that is inside to rounding keeps its bytes, so that twice is once. */
HIK_INLINE void hik_swing_clamp_quat(const hik_swing *s, double q[4]) {
  double x[3];
  if (s->held) {
    memcpy(q, s->hold, sizeof s->hold);
    return;
  }
  hik_swing_split(s, q, x);
  double excess = hik_swing_excess(s, x);
  if (hik_swing_within(x, excess, 1e-13)) return;
  if (excess > 1e-9)
    hik_swing_project(s, x);
  else
    hik_swing_clamp(s, x); /* whatever is that near is near enough */
  hik_swing_join(s, x, q);
  hik_quat_make_unit(q);
}
