/* swing.h: limits of a ball joint: a swing cone of four half-axes and a range of twist, inline.

   A rotation is a swing after a twist: R = S(u, v) Rz(twist), z the bone's axis at rest; S turns z by the angle
   |(u, v)| towards the direction (u, v) of the joint's own x and y. The cone is the region
   (u / a)^2 + (v / b)^2 <= 1, a the half-axis of the side u is on and b that of v: an ellipse by quadrant, in angles,
   so that it is convex with a smooth edge and holds up to 180 degrees (a cross-section of tangents ends at 90).

   A half-axis beyond 180 degrees reaches past the direction opposite to the bone at rest. Every room ends 1e-5 rad short
   of that direction, HIK_SWING_MOST: at it the twist has no meaning.

   hik_swing_split hik_swing_join hik_swing_excess
   hik_swing_clamp       nearest in the plane of angles, inline
   hik_swing_nearest     nearest direction on the sphere, in swing.c
   hik_swing_clamp_quat  the same on a quaternion */
#ifndef HIK_SWING_H
#define HIK_SWING_H
#include "base/quat.h"

#define HIK_SWING_MOST (HIK_PI - 1e-5)

/* One row of hik_model.swing. */
typedef struct hik_swing {
  double axes[9];  /* columns: x towards half[0], y towards half[1], z the bone at rest; in the joint frame */
  double half[4];  /* angles towards +x, +y, -x, -y */
  double twist[2]; /* lower, upper */
} hik_swing;

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

/* Radians that (u, v) is beyond the cone along its own ray, and the twist beyond its range; 0 inside. */
HIK_INLINE double hik_swing_excess(const hik_swing *s, const double in[3]) {
  double ab[2];
  hik_swing_axes(s, in, ab);
  double x = in[0] / ab[0], y = in[1] / ab[1], r = sqrt(x * x + y * y), angle = sqrt(in[0] * in[0] + in[1] * in[1]);
  double swing = r > 1 ? angle * (1 - 1 / r) : 0;
  swing = fmax(swing, angle - HIK_SWING_MOST);
  double twist = fmax(s->twist[0] - in[2], in[2] - s->twist[1]);
  return fmax(swing, fmax(twist, 0));
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

/* (u, v, twist) to the nearest inside, in the plane of angles; true when it moved. */
HIK_INLINE bool hik_swing_clamp(const hik_swing *s, double in[3]) {
  double ab[2], near[2];
  bool moved = false;
  hik_swing_axes(s, in, ab);
  double x = in[0] / ab[0], y = in[1] / ab[1];
  if (x * x + y * y > 1) {
    hik_ellipse_nearest(ab[0], ab[1], fabs(in[0]), fabs(in[1]), near);
    in[0] = (in[0] < 0 ? -near[0] : near[0]) * (1 - 1e-14);
    in[1] = (in[1] < 0 ? -near[1] : near[1]) * (1 - 1e-14);
    moved = true;
  }
  double square = in[0] * in[0] + in[1] * in[1];
  if (square > HIK_SWING_MOST * HIK_SWING_MOST) {
    double k = HIK_SWING_MOST / sqrt(square) * (1 - 1e-14);
    in[0] *= k, in[1] *= k;
    moved = true;
  }
  double twist = hik_clip(in[2], s->twist[0], s->twist[1]);
  moved = moved || twist != in[2];
  in[2] = twist;
  return moved;
}

/* The same with the swing to the nearest direction, on the sphere. */
HIK_INLINE void hik_swing_project(const hik_swing *s, double in[3]) {
  double ab[2];
  hik_swing_axes(s, in, ab);
  double x = in[0] / ab[0], y = in[1] / ab[1];
  if (x * x + y * y > 1) hik_swing_nearest(s->half, in);
  hik_swing_clamp(s, in);
}

/* On the quaternion of the joint; one that is inside keeps its bytes. */
HIK_INLINE void hik_swing_clamp_quat(const hik_swing *s, double q[4]) {
  double x[3];
  hik_swing_split(s, q, x);
  double excess = hik_swing_excess(s, x);
  if (!(excess > 1e-13)) return;
  if (excess > 1e-9)
    hik_swing_project(s, x);
  else
    hik_swing_clamp(s, x); /* whatever is that near is near enough */
  hik_swing_join(s, x, q);
}
#endif
