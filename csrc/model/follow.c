/* follow.c: see follow.h. */
#include "model/follow.h"

double hik_follow_value(const double *row, const double *quat) {
  const double *c = row + 3;
  double r[9], d[3];
  hik_quat_to_mat(quat, r);
  hik_mat_vec(r, row, d);
  return HIK_FOLLOW_VALUE(c, d[0], d[1], d[2]);
}

/* The slope of the polynomial at d. */
static void slope(const double *c, const double d[3], double out[3]) {
  out[0] = HIK_FOLLOW_BY_X(c, d[0], d[1], d[2]);
  out[1] = HIK_FOLLOW_BY_Y(c, d[0], d[1], d[2]);
  out[2] = HIK_FOLLOW_BY_Z(c, d[0], d[1], d[2]);
}

/* d changes by R (w x bone) where the ball turns by w about its own axes: p by w . (bone x R' grad p). */
void hik_follow_rates(const double *row, const double *quat, double rate[3]) {
  const double *c = row + 3;
  double r[9], d[3], up[3], own[3];
  hik_quat_to_mat(quat, r);
  hik_mat_vec(r, row, d);
  slope(c, d, up);
  hik_mat_tvec(r, up, own);
  hik_cross(row, own, rate);
}

/* p'' = slope . d'' + d' . bend d', where the slope, of the second degree, changes by bend x as half of what it differs by on
   either side. */
double hik_follow_bend(const double *row, const double *quat, const double w[3]) {
  const double *c = row + 3;
  double r[9], d[3], own[3], twice[3], speed[3], gain[3], at[3], ahead[3], behind[3];
  hik_quat_to_mat(quat, r);
  hik_mat_vec(r, row, d);
  hik_cross(w, row, own);
  hik_cross(w, own, twice);
  hik_mat_vec(r, own, speed);
  hik_mat_vec(r, twice, gain);
  slope(c, d, at);
  hik_add3(d, speed, own);
  slope(c, own, ahead);
  hik_sub3(d, speed, own);
  slope(c, own, behind);
  hik_sub3(ahead, behind, own);
  return hik_dot(at, gain) + 0.5 * hik_dot(own, speed);
}

/* Places of the grid along an edge of the cube. */
enum { PLACES = 24 };

/* The greatest slope on the ball of radius one is at most the sum over the degrees k of k times the norm of the coefficients
   as a symmetric tensor. */
double hik_follow_steepest(const double *row) {
  const double *c = row + 3;
  static const int of[20] = {0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
  static const int orders[20] = {1, 1, 1, 1, 1, 2, 2, 1, 2, 1, 1, 3, 3, 3, 6, 3, 1, 3, 3, 1};
  double norm[4] = {0, 0, 0, 0};
  for (int i = 0; i < HIK_FOLLOW_TERMS; i++) norm[of[i]] += c[i] * c[i] / orders[i];
  return sqrt(norm[1]) + 2 * sqrt(norm[2]) + 3 * sqrt(norm[3]);
}

/* The polynomial in a row of the grid: face, and the place along its first edge. A loop without calls, for the compiler's lanes. */
static void in_row(const double *c, int face, double first, double value[PLACES]) {
  double d[3][PLACES];
  for (int j = 0; j < PLACES; j++) {
    d[face % 3][j] = face < 3 ? 1 : -1;
    d[(face + 1) % 3][j] = first;
    d[(face + 2) % 3][j] = (2 * j + 1 - PLACES) / (double)PLACES;
  }
  for (int j = 0; j < PLACES; j++) {
    double x = d[0][j], y = d[1][j], z = d[2][j], norm = sqrt(x * x + y * y + z * z);
    x /= norm, y /= norm, z /= norm;
    value[j] = HIK_FOLLOW_VALUE(c, x, y, z);
  }
}

/* Directions through the middles of a grid on the faces of a cube: every other is nearer to one of them than half the diagonal
   of a cell, as the way from the cube in to the sphere makes nothing longer. */
void hik_follow_range(const double *row, double range[2]) {
  double slack = hik_follow_steepest(row) * sqrt(2) / PLACES;
  range[0] = INFINITY, range[1] = -INFINITY;
  for (int face = 0; face < 6; face++)
    for (int i = 0; i < PLACES; i++) {
      double value[PLACES];
      in_row(row + 3, face, (2 * i + 1 - PLACES) / (double)PLACES, value);
      for (int j = 0; j < PLACES; j++) {
        if (value[j] < range[0]) range[0] = value[j];
        if (value[j] > range[1]) range[1] = value[j];
      }
    }
  range[0] -= slack, range[1] += slack;
}
