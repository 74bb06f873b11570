/* swing.c: see swing.h. The nearest direction of a quadrant cone.

   Purpose    the point of the cone's edge that is nearest on the sphere to a direction outside of it
   Given      the half-axes, at most 2 pi, and (u, v) of the direction
   Returned   (u, v) of the nearest direction, a little inside
   Notes      The edge is p(phi), the direction of (u, v) = (a cos phi, b sin phi), by quadrant. Beyond 90 degrees the
              short way round the sphere may lead over the back into another quadrant, and the distance has several
              minima, so that no descent from one start is safe. d . p(phi) is maximised by branch and bound instead:
              its second and third derivatives are bounded by the half-axes alone, so that a piece of the edge is
              dropped when it cannot hold the best, or when it has no maximum inside, and a piece where the function is
              concave has one, which Newton finds. The answer is the best to 1e-10 rad. A half-axis beyond pi reaches
              past the direction opposite to rest; there the edge ends in that direction.
   Reference  own; the bounds follow from sin(r)/r and cos(r) as functions of r^2. */
#include "model/swing.h"

enum { MOST_PIECES = 4000, STACK = 96 };

/* A quadrant's piece of the edge, the direction folded into the quadrant. */
typedef struct arc {
  double a, b, d[3], m2, m3;
} arc;

typedef struct best {
  double gain, chord, uv[2]; /* gain: d . p; chord: |p - d|^2, which tells near ones apart */
} best;

typedef struct piece {
  double low, high;
} piece;

/* F = sin(r)/r, F', F'' as functions of z = r^2, given sine and cosine of r. */
static void sinc_of(double z, double r, double sine, double cosine, double out[3]) {
  if (z < 0.09) {
    out[0] = 1 + z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 - z / 39916800))));
    out[1] = -1.0 / 6 + z * (1.0 / 60 + z * (-1.0 / 1680 + z * (1.0 / 90720 - z / 7983360)));
    out[2] = 1.0 / 60 + z * (-1.0 / 840 + z * (1.0 / 30240 - z / 1995840));
    return;
  }
  out[0] = sine / r;
  out[1] = (cosine - out[0]) / (2 * z);
  out[2] = (-0.5 * out[0] - 3 * out[1]) / (2 * z);
}

/* d . p and its first two derivatives at phi; `found` takes it when it is the best. */
static void look(const arc *e, double phi, const double sign[2], double f[3], best *found) {
  double s, c, sine, cosine, k[3];
  hik_sincos(phi, &s, &c);
  double x = e->a * c, y = e->b * s, z = x * x + y * y, r = sqrt(z), wide = e->b * e->b - e->a * e->a;
  double dz = 2 * wide * s * c, ddz = 2 * wide * (c * c - s * s);
  hik_sincos(r, &sine, &cosine);
  sinc_of(z, r, sine, cosine, k);
  double p = e->d[0] * x + e->d[1] * y, dp = e->b * c * e->d[1] - e->a * s * e->d[0];
  f[0] = p * k[0] + e->d[2] * cosine;
  f[1] = dp * k[0] + p * k[1] * dz - 0.5 * e->d[2] * k[0] * dz;
  f[2] = -p * k[0] + 2 * dp * k[1] * dz + p * (k[2] * dz * dz + k[1] * ddz) -
         0.5 * e->d[2] * (k[1] * dz * dz + k[0] * ddz);
  double off[3] = {x * k[0] - e->d[0], y * k[0] - e->d[1], cosine - e->d[2]}, chord = hik_dot(off, off);
  if (!(chord < found->chord)) return;
  *found = (best){fmax(f[0], found->gain), chord, {sign[0] * x, sign[1] * y}};
}

/* The one maximum in a piece where the function is concave. */
static void climb(const arc *e, double low, double high, double phi, const double sign[2], best *found) {
  double f[3];
  for (int i = 0; i < 60; i++) {
    look(e, phi, sign, f, found);
    if (f[1] > 0) low = phi;
    if (f[1] < 0) high = phi;
    double next = f[2] < 0 ? phi - f[1] / f[2] : low;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    double step = fabs(next - phi);
    phi = next;
    if (step <= 1e-8) break; /* the next is as good as rounding lets it be */
  }
  look(e, phi, sign, f, found);
}

/* No point of the quadrant gains more: its azimuths are those between the two axes, its swings those between the
   half-axes. */
static double most_gain(const arc *e) {
  double low = fmin(fmin(e->a, e->b), HIK_PI), high = fmin(fmax(e->a, e->b), HIK_PI), s[2], c[2];
  double across =
      e->d[0] > 0 && e->d[1] > 0 ? sqrt(e->d[0] * e->d[0] + e->d[1] * e->d[1]) : fmax(e->d[0], e->d[1]);
  hik_sincos(low, s, c);
  hik_sincos(high, s + 1, c + 1);
  double at_low = e->d[2] * c[0] + across * s[0], at_high = e->d[2] * c[1] + across * s[1];
  /* slopes along the swing: rising at the low end and falling at the high end, or the other way round with a range of
     more than half a circle, which there is not */
  bool peak = across * c[0] - e->d[2] * s[0] > 0 && across * c[1] - e->d[2] * s[1] < 0;
  return peak ? sqrt(e->d[2] * e->d[2] + across * across) : fmax(at_low, at_high);
}

/* Bounds of the derivatives of d . p over the whole quadrant: |F| <= 1, |F'| <= 1/6, |F''| <= 1/60, |F'''| <= 1/840, and
   those of z = r^2 by w = |a^2 - b^2|: |z'| <= w, |z''| <= 2 w, |z'''| <= 4 w. */
static void bound(arc *e) {
  double w = fabs(e->a * e->a - e->b * e->b), f1 = w / 6, f2 = w * w / 60 + w / 3;
  double f3 = w * w * w / 840 + w * w / 10 + 2 * w / 3;
  double p = sqrt(e->a * e->d[0] * (e->a * e->d[0]) + e->b * e->d[1] * (e->b * e->d[1])), z = fabs(e->d[2]);
  e->m2 = p * (1 + 2 * f1 + f2) + z * (w * w / 12 + w);
  e->m3 = p * (1 + 3 * f1 + 3 * f2 + f3) + z * (w * w * w / 120 + 0.5 * w * w + 2 * w);
}

/* The part of the quadrant's edge that is no farther than the back of the sphere; false: none is. */
static bool within(double a, double b, piece *out) {
  *out = (piece){0, 0.5 * HIK_PI};
  if (a <= HIK_SWING_MOST && b <= HIK_SWING_MOST) return true;
  if (a >= HIK_SWING_MOST && b >= HIK_SWING_MOST) return false;
  /* a^2 c^2 + b^2 s^2 = most^2 */
  double long_ = fmax(a, b), short_ = fmin(a, b);
  double share =
      sqrt((long_ - HIK_SWING_MOST) * (long_ + HIK_SWING_MOST) / ((long_ - short_) * (long_ + short_)));
  double phi = hik_asin(fmin(share, 1));
  if (a > b)
    out->low = fmin(phi, out->high);
  else
    out->high -= fmin(phi, out->high);
  return true;
}

static void search(const arc *e, piece whole, const double sign[2], best *found) {
  piece stack[STACK];
  int count = 0;
  double f[3];
  if (most_gain(e) < found->gain - 1e-15) return;
  look(e, whole.low, sign, f, found);
  look(e, whole.high, sign, f, found);
  stack[count++] = whole;
  for (int seen = 0; count > 0 && seen < MOST_PIECES; seen++) {
    piece at = stack[--count];
    double h = at.high - at.low, mid = 0.5 * (at.low + at.high);
    look(e, mid, sign, f, found);
    double slope = fabs(f[1]), bend = fabs(f[2]), third = e->m3 * h,
           slack = 1e-10 * sqrt(fmax(0, 1 - found->gain * found->gain));
    double above = fmin(slope * h / 2 + e->m2 * h * h / 8,
                        slope * h / 2 + fmax(f[2], 0) * h * h / 8 + third * h * h / 48);
    if (f[0] + above <= found->gain + slack || h < 1e-7) continue;
    if (slope > fmin(e->m2 * h / 2, bend * h / 2 + third * h / 8)) continue; /* no stationary point inside */
    if (f[2] > third / 2) continue;                                          /* convex: no maximum inside */
    if (f[2] < -third / 2) {
      climb(e, at.low, at.high, mid, sign, found);
      continue;
    }
    if (count + 2 > STACK) continue; /* cannot be: pieces halve down to 1e-7 */
    bool up = f[1] > 0;
    stack[count++] = up ? (piece){at.low, mid} : (piece){mid, at.high};
    stack[count++] = up ? (piece){mid, at.high} : (piece){at.low, mid};
  }
}

void hik_swing_nearest(const double half[4], double uv[2]) {
  double d[3];
  hik_swing_direction(uv, d);
  best found = {-2, INFINITY, {0, 0}};
  int own = (uv[0] < 0 ? 1 : 0) + (uv[1] < 0 ? 2 : 0);
  for (int i = 0; i < 4; i++) {
    int quadrant = own ^ i;
    const double sign[2] = {quadrant & 1 ? -1 : 1, quadrant & 2 ? -1 : 1};
    arc e = {.a = fmax(half[sign[0] > 0 ? 0 : 2], 1e-9),
             .b = fmax(half[sign[1] > 0 ? 1 : 3], 1e-9),
             .d = {sign[0] * d[0], sign[1] * d[1], d[2]}};
    piece whole;
    if (!within(e.a, e.b, &whole)) continue;
    bound(&e);
    if (i == 0) { /* the plane's nearest is a good start */
      double near[2];
      hik_ellipse_nearest(e.a, e.b, fabs(uv[0]), fabs(uv[1]), near);
      double phi = hik_atan2(near[1] * e.a, near[0] * e.b);
      climb(&e, whole.low, whole.high, hik_clip(phi, whole.low, whole.high), sign, &found);
    }
    search(&e, whole, sign, &found);
  }
  if (!(found.chord < INFINITY)) return; /* all directions are inside */
  uv[0] = found.uv[0] * (1 - 1e-14), uv[1] = found.uv[1] * (1 - 1e-14);
}
