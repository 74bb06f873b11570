/* reach_swing.c: see reach_swing.h.

   Purpose    what an arm reaches while its swing keeps to a cell of azimuth and share of the way to the edge
   Given      the room of the swing, what follows it, the arm below it
   Returned   bounds of how far the arm gets along a direction, and how near it comes to a point
   Notes      Along a straight way in the cell, from its middle at time 0 to anywhere at time 1, let r be the swing, m the middle
              of the twists, d the bone's direction, e = z x d / |z x d|. All below are bounds of absolute values over the cell:
              r' <= r1, r'' <= r2, m' <= m1, m'' <= m2; |d'| <= a = |(r1, sin r phi')|; d'' has the parts
              r'' - sin r cos r phi'^2 across e, 2 cos r r' phi' along e, and -|d'|^2 along d. The arm turns by
              W = (z - d) phi' + e r' + d m', |W|^2 = |d'|^2 + ((1 - cos r) phi' - m')^2, and
              W' = -d' phi' + e' r' + e r'' + d' m' + d m''. A point of the arm p = z d + q, q square to the bone and turning with
              it, has p'' = z d'' + W x (W x q) + W' x q. What follows the swing is a polynomial c of d:
              c'' = C2 [d', d'] + C1 d''. What other points of the arm add is convex in the direction in which the arm sees n, so
              four corners about all such directions bound it; where the arm points along n it is a ball about the elbow.
              First order: the shoulder moves, then the swing turns, then the arm about its bone; each moves the target, as seen
              from below, by its distance from that axis at the middle.
   Reference  own. */
#include "access/reach_swing.h"

#include "base/memory.h"
#include "model/follow.h"

/* ---- the edge of the room ---- */

/* Swing at the edge and its slope at an azimuth; the greatest, steepest and most bent within `half` of it. */
typedef struct edge {
  double at, slope, most, steep, bent;
} edge;

static edge ellipse_at(const double form[2], double c, double s, double half) {
  double wide = form[1] - form[0], q = c * c * form[0] + s * s * form[1], q1 = 2 * s * c * wide;
  double steep = fmin(fabs(wide), fabs(q1) + 2 * fabs(wide) * half);
  double least = fmax(q - steep * half, fmin(form[0], form[1])), root = 1 / sqrt(least), cube = root / least;
  return (edge){1 / sqrt(q), -0.5 * q1 / (q * sqrt(q)), root, 0.5 * steep * cube,
                0.75 * steep * steep * cube / least + fabs(wide) * cube};
}

static edge circle_at(const double n[3], double c, double s, double half) {
  double flat = sqrt(n[0] * n[0] + n[1] * n[1]), w = n[0] * c + n[1] * s, w1 = n[1] * c - n[0] * s;
  double off = fmin(flat, fabs(w) + flat * half), least = fmax(fabs(w) - flat * half, 0);
  double sine2 = n[2] * n[2] / (n[2] * n[2] + least * least);
  double steep = fmin(flat, fabs(w1) + flat * half) * sine2 / n[2];
  return (edge){hik_atan2(n[2], -w), w1 * n[2] / (n[2] * n[2] + w * w),
                hik_atan2(n[2], -fmin(flat, w + flat * half)), steep,
                off / n[2] * (2 * steep * steep + sine2)};
}

static edge edge_at(const hik_sector *s, double azimuth, double half) {
  double sine, cosine;
  if (s->edge == HIK_ROUND) return (edge){HIK_PI, 0, HIK_PI, 0, 0};
  hik_sincos(azimuth, &sine, &cosine);
  return s->edge == HIK_ELLIPSE ? ellipse_at(s->form, cosine, sine, half)
                                : circle_at(s->form, cosine, sine, half);
}

/* ---- the middle of the twists ---- */

/* 3 x^2 - 2 x^3 and its slope at x; the greatest of it, of its slope and of its second derivative in [low, high]. */
typedef struct ramp {
  double at, slope, most, steep, bent;
} ramp;

static ramp ramp_at(double x, double low, double high) {
  double a = hik_clip(low, 0, 1), b = hik_clip(high, 0, 1), c = hik_clip(x, 0, 1);
  ramp out = {c * c * (3 - 2 * c), 6 * c * (1 - c), b * b * (3 - 2 * b), 1.5, 0};
  if (b < 0.5 || a > 0.5) out.steep = fmax(6 * a * (1 - a), 6 * b * (1 - b));
  if (low < 1) out.bent = fmax(fabs(6 - 12 * a), fabs(6 - 12 * b));
  return out;
}

/* Middle of the twists, its slopes by azimuth and swing; greatest first and second derivative on the way to anywhere in the cell;
   half the range, and what it grows by at most. */
typedef struct middle {
  double at, slope[2], first, second, half, grows;
} middle;

/* r: swing; r1, r2: bounds of its derivatives; phi: half the cell's azimuths. */
static middle middle_at(const hik_shoulder *s, const hik_sector *sector, double azimuth, double phi, double r,
                        double r1, double r2) {
  const hik_swing *room = s->room;
  double rest[2] = {0.5 * (room->twist[0] + room->twist[1]), 0.5 * (room->twist[1] - room->twist[0])};
  if (room->knots == 0) return (middle){.at = rest[0], .half = rest[1]};
  double full = room->full, x = (azimuth - sector->begin) / sector->width, dx = phi / sector->width;
  ramp out = ramp_at(r / full, (r - r1) / full, (r + r1) / full), in = ramp_at(x, x - dx, x + dx);
  middle m = {0};
  for (int i = 0; i < 2; i++) {
    double a = sector->row[0][i], step = sector->row[1][i] - a, off = a + step * in.at - rest[i];
    double far = fabs(off) + fabs(step) * in.steep * dx, round = fabs(step) * in.steep * dx;
    double first = out.steep / full * r1 * far + out.most * round;
    if (i == 1) {
      m.half = rest[1] + out.at * off, m.grows = first;
      continue;
    }
    m.at = rest[0] + out.at * off;
    m.slope[0] = out.at * step * in.slope / sector->width, m.slope[1] = out.slope / full * off;
    m.first = first;
    m.second = (out.bent / full * r1 * r1 / full + out.steep / full * r2) * far +
               2 * out.steep / full * r1 * round + out.most * fabs(step) * in.bent * dx * dx;
  }
  return m;
}

/* ---- what follows the swing ---- */

/* Where the shoulder is and how it moves with the bone's direction; sizes of its first and second derivative there. */
typedef struct followed {
  double at[3], by[9], first, second;
} followed;

static void gradient(const double *c, const double d[3], double out[3]) {
  out[0] = HIK_FOLLOW_BY_X(c, d[0], d[1], d[2]);
  out[1] = HIK_FOLLOW_BY_Y(c, d[0], d[1], d[2]);
  out[2] = HIK_FOLLOW_BY_Z(c, d[0], d[1], d[2]);
}

/* Squared norm of the second derivative: of the second degree's slope the half of what it differs by on either side. */
static double bent2(const double *c, const double d[3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double ahead[3], behind[3], on[3], off[3];
    hik_copy3(d, on), hik_copy3(d, off);
    on[i] += 1, off[i] -= 1;
    gradient(c, on, ahead), gradient(c, off, behind);
    for (int k = 0; k < 3; k++) sum += 0.25 * (ahead[k] - behind[k]) * (ahead[k] - behind[k]);
  }
  return sum;
}

static followed follow_at(const hik_shoulder *s, const double own[3]) {
  followed f = {0};
  double d[3], first = 0, second = 0;
  if (s->follows == 0) return f;
  hik_mat_vec(s->axes, own, d);
  for (int32_t k = 0; k < s->follows; k++) {
    const double *c = s->follow[k] + 3;
    double g[3], up[3], value = HIK_FOLLOW_VALUE(c, d[0], d[1], d[2]);
    gradient(c, d, g);
    hik_mat_tvec(s->axes, g, up);
    first += hik_dot(g, g), second += bent2(c, d);
    for (int i = 0; i < 3; i++) {
      f.at[i] += value * s->axis[k][i];
      for (int j = 0; j < 3; j++) f.by[3 * i + j] += s->axis[k][i] * up[j];
    }
  }
  f.first = s->stretch * sqrt(first), f.second = s->stretch * sqrt(second);
  return f;
}

/* ---- a cell ---- */

void hik_swing_cell_angles(const hik_shoulder *s, int32_t sector, const double place[2], double out[3]) {
  double sine, cosine, r = place[1] * edge_at(s->sector + sector, place[0], 0).at;
  hik_sincos(place[0], &sine, &cosine);
  out[0] = r * cosine, out[1] = r * sine;
  out[2] = middle_at(s, s->sector + sector, place[0], 0, r, 0, 0).at;
}

static hik_twist twists(double half) {
  hik_twist out = {.half = fmin(half + 1e-9, HIK_PI), .turn = {1, 0}};
  hik_sincos(out.half, out.wide + 1, out.wide);
  return out;
}

/* Poses and velocities at the middle. */
static void place_cell(hik_swing_cell *c, const edge *e, const middle *m, const double angle[4],
                       const followed *f, double upper) {
  double cp = angle[0], sp = angle[1], cr = angle[2], sr = angle[3], t = c->place[1];
  const double d[3] = {sr * cp, sr * sp, cr}, side[3] = {-sp, cp, 0}, ahead[3] = {cr * cp, cr * sp, -sr};
  double ct, st;
  hik_sincos(m->at - c->place[0], &st, &ct);
  for (int i = 0; i < 3; i++) {
    double by[2] = {t * e->slope, e->at}, turn[2] = {m->slope[0] + m->slope[1] * by[0], m->slope[1] * by[1]};
    c->turn[3 * i] = ct * ahead[i] + st * side[i];
    c->turn[3 * i + 1] = ct * side[i] - st * ahead[i];
    c->turn[3 * i + 2] = d[i];
    c->at[i] = f->at[i];
    for (int k = 0; k < 2; k++) {
      c->spin[k][i] = by[k] * side[i] + turn[k] * d[i];
      if (k == 0) c->spin[k][i] += (i == 2) - d[i];
      c->slide[k][i] = 0;
      for (int j = 0; j < 3; j++)
        c->slide[k][i] += f->by[3 * i + j] * (by[k] * ahead[j] + (k == 0 ? sr * side[j] : 0));
      c->lift[k][i] = c->slide[k][i] + upper * (by[k] * ahead[i] + (k == 0 ? sr * side[i] : 0));
    }
    c->elbow[i] = c->at[i] + upper * d[i];
  }
}

void hik_swing_cell_make(const hik_shoulder *s, int32_t sector, const double place[4], hik_swing_cell *c) {
  double phi = place[2], share = place[3], far = place[1] + share, angle[4];
  edge e = edge_at(s->sector + sector, place[0], phi);
  double r = place[1] * e.at, r1 = far * e.steep * phi + e.most * share,
         r2 = 2 * e.steep * phi * share + far * e.bent * phi * phi;
  memcpy(c->place, place, sizeof c->place);
  c->sector = sector;
  hik_sincos(place[0], angle + 1, angle);
  hik_sincos(r, angle + 3, angle + 2);
  const double d[3] = {angle[3] * angle[0], angle[3] * angle[1], angle[2]};
  middle m = middle_at(s, s->sector + sector, place[0], phi, r, r1, r2);
  followed f = follow_at(s, d);
  place_cell(c, &e, &m, angle, &f, s->tail->upper);
  memcpy(c->by, f.by, sizeof c->by);
  c->here = twists(m.half), c->wide = m.grows > 0 ? twists(m.half + m.grows) : c->here;
  /* sizes over the cell; sine and half sine of the swing change by no more than r1 and r1 / 2 */
  double sine = fmin(1, fabs(angle[3]) + r1), chord = fmin(2, sqrt(fmax(0, 2 - 2 * angle[2])) + r1);
  double a2 = r1 * r1 + sine * phi * sine * phi, a = sqrt(a2);
  double ahead = r2 + 0.5 * fmin(1, 2 * fabs(angle[3] * angle[2]) + 2 * r1) * phi * phi,
         aside = 2 * r1 * phi * fmin(1, fabs(angle[2]) + r1);
  double across = sqrt(ahead * ahead + aside * aside), gone = sqrt(across * across + a2 * a2);
  double roll = 0.5 * chord * chord * phi + m.first, w2 = a2 + roll * roll;
  double w1 = a * phi + phi * r1 + r2 + a * m.first + m.second;
  double second = f.second + s->third * a, first = f.first + second * a;
  c->around = a;
  c->bend[0] = 0.5 * second * (a2 + a * gone);
  c->bend[1] = 0.5 * a2, c->bend[2] = 0.5 * across, c->bend[3] = 0.5 * (w2 + w1);
  c->turned = c->bend[3];
  c->loss[0] = first * a, c->loss[1] = sqrt(chord * phi * chord * phi + r1 * r1), c->loss[2] = m.first;
  c->axis = hik_norm(c->spin[0]) * phi < hik_norm(c->spin[1]) * share;
}

/* What n . (c + z d) may gain by its second derivatives, c the shoulder. */
static double bone_bends(const hik_swing_cell *c, const double n[3], double z) {
  double w[3], d[3];
  hik_mat_tvec(c->by, n, w);
  hik_axpy3(w, z, n, w);
  hik_mat_column(c->turn, 2, d);
  double along = hik_dot(w, d), square = hik_dot(w, w), size = sqrt(square);
  double aside = fmin(size, sqrt(fmax(0, square - along * along)) + size * c->around);
  return c->bend[0] + aside * c->bend[2] + hik_clip(size * c->around - along, 0, size) * c->bend[1];
}

double hik_swing_cell_ball_most(const hik_shoulder *s, const hik_swing_cell *c, const double n[3]) {
  double sum = hik_dot(n, c->elbow) + s->tail->fore + s->tail->hand + bone_bends(c, n, s->tail->upper);
  for (int k = 0; k < 2; k++) sum += fabs(hik_dot(n, c->lift[k])) * c->place[2 + k];
  return sum;
}

double hik_swing_cell_ball_least(const hik_shoulder *s, const hik_swing_cell *c, const double x[3]) {
  double off[3], n[3];
  hik_sub3(x, c->elbow, off);
  double far = hik_unit(off, n), ball = s->tail->fore + s->tail->hand;
  if (!(far > 0)) return -ball;
  double first = far - c->loss[0] - s->tail->upper * c->around - ball;
  for (int k = 0; k < 2; k++) far -= fabs(hik_dot(n, c->lift[k])) * c->place[2 + k];
  return fmax(first, far - ball - bone_bends(c, n, s->tail->upper));
}

/* What other points of the arm add to p along n anywhere in the cell. */
static double others_add(const hik_shoulder *s, const hik_swing_cell *c, const double n[3], const double m[3],
                         const double p[3]) {
  double square = c->turned, ball = s->tail->fore + s->tail->hand, move[2][3], most = 0, skipped[3];
  if (!(square < 0.9)) return INFINITY;
  for (int k = 0; k < 2; k++) hik_cross(n, c->spin[k], move[k]);
  const double off[3] = {ball * m[0] - p[0], ball * m[1] - p[1], ball * m[2] - p[2] + s->tail->upper};
  double missed = hik_norm(off);
  if (missed <
      1e-6) { /* p is on the ball of the forearm and the hand about the elbow, which holds all others */
    double r = (hik_norm(move[0]) * c->place[2] + hik_norm(move[1]) * c->place[3] + square) / (1 - square);
    return (ball + missed) * sqrt(1 + r * r) - ball;
  }
  double e[2][3], reach[2];
  hik_perpendicular(m, e[0]);
  hik_cross(m, e[0], e[1]);
  for (int i = 0; i < 2; i++) {
    double side[3];
    hik_mat_vec(c->turn, e[i], side);
    reach[i] =
        (fabs(hik_dot(move[0], side)) * c->place[2] + fabs(hik_dot(move[1], side)) * c->place[3] + square) /
        (1 - square);
  }
  for (int k = 0; k < 4; k++) {
    double other[3];
    for (int i = 0; i < 3; i++)
      other[i] = m[i] + (k & 1 ? reach[0] : -reach[0]) * e[0][i] + (k & 2 ? reach[1] : -reach[1]) * e[1][i];
    most = fmax(most, hik_tail_support(s->tail, &c->wide, other, skipped) - hik_dot(p, other));
  }
  return most;
}

double hik_swing_cell_most(const hik_shoulder *s, const hik_swing_cell *c, const double n[3], double enough,
                           double *center) {
  double m[3], p[3], x[3], cross[3], skipped[3];
  hik_mat_tvec(c->turn, n, m);
  double support = hik_tail_support(s->tail, &c->wide, m, p), at = hik_dot(n, c->at), sum = at + support;
  *center = c->wide.half > c->here.half ? at + hik_tail_support(s->tail, &c->here, m, skipped) : sum;
  sum += bone_bends(c, n, p[2]);
  sum += sqrt(p[0] * p[0] + p[1] * p[1]) * c->bend[3];
  if (!(sum < enough)) return sum;
  hik_mat_vec(c->turn, p, x);
  hik_cross(x, n, cross);
  for (int k = 0; k < 2; k++)
    sum += fabs(hik_dot(c->spin[k], cross) + hik_dot(n, c->slide[k])) * c->place[2 + k];
  return sum < enough ? sum + others_add(s, c, n, m, p) : sum;
}

bool hik_swing_cell_normal(const hik_shoulder *s, const hik_swing_cell *c, const double x[3],
                           double normal[3]) {
  double off[3], y[3], away[3], p[3];
  hik_sub3(x, c->at, off);
  hik_mat_tvec(c->turn, off, y);
  hik_copy3(y, away);
  away[2] -= s->tail->upper;
  for (int i = 0; i < 3; i++) { /* from the farthest point that way, and again from there */
    hik_tail_support(s->tail, &c->wide, away, p);
    hik_sub3(y, p, away);
  }
  if (!(hik_unit(away, away) > 0)) return false;
  hik_mat_vec(c->turn, away, normal);
  return true;
}

double hik_swing_cell_least(const hik_shoulder *s, const hik_swing_cell *c, const double x[3], double wanted,
                            double *center) {
  double off[3], y[3], normal[3], unused;
  hik_sub3(x, c->at, off);
  hik_mat_tvec(c->turn, off, y);
  double wide = hik_tail_distance(s->tail, &c->wide, y);
  *center = c->wide.half > c->here.half ? hik_tail_distance(s->tail, &c->here, y) : wide;
  double loss = c->loss[0] + hik_norm(y) * c->loss[1] + sqrt(y[0] * y[0] + y[1] * y[1]) * c->loss[2];
  double least = wide - loss;
  if (least > wanted || *center <= wanted || loss * c->loss[1] > 2 * (wide - wanted)) return least;
  if (!hik_swing_cell_normal(s, c, x, normal)) return least;
  double along = hik_dot(normal, x);
  return fmax(least, along - hik_swing_cell_most(s, c, normal, along - least, &unused));
}
