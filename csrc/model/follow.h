/* follow.h: joints that follow the swing of a ball.

   Such a joint is a turn or a slide whose coordinate is a polynomial of where the bone of a ball points: of the unit vector
   d = R bone, R being the ball's rotation and `bone` its axis, both in the ball's joint frame before its motion. The twist of
   the ball does not move it, and the joint has no coordinate of its own. */
#pragma once
#include "base/quat.h"
#include "handik/handik.h"

/* Monomials up to the third degree: 1, x y z, xx xy xz yy yz zz, xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz. */
enum { HIK_FOLLOW_ROW = 3 + HIK_FOLLOW_TERMS };

/* The polynomial and its derivatives, for doubles and for lanes: the same operations in one order. */
#define HIK_FOLLOW_VALUE(c, x, y, z)                                                                         \
  ((c)[0] +                                                                                                  \
   (x) * ((c)[1] + (x) * ((c)[4] + (x) * (c)[10] + (y) * (c)[11] + (z) * (c)[12]) +                          \
          (y) * ((c)[5] + (y) * (c)[13] + (z) * (c)[14]) + (z) * ((c)[6] + (z) * (c)[15])) +                 \
   (y) * ((c)[2] + (y) * ((c)[7] + (y) * (c)[16] + (z) * (c)[17]) + (z) * ((c)[8] + (z) * (c)[18])) +        \
   (z) * ((c)[3] + (z) * ((c)[9] + (z) * (c)[19])))
#define HIK_FOLLOW_BY_X(c, x, y, z)                                                                          \
  ((c)[1] + (x) * (2 * (c)[4] + 3 * (c)[10] * (x) + 2 * ((y) * (c)[11] + (z) * (c)[12])) +                   \
   (y) * ((c)[5] + (y) * (c)[13] + (z) * (c)[14]) + (z) * ((c)[6] + (z) * (c)[15]))
#define HIK_FOLLOW_BY_Y(c, x, y, z)                                                                          \
  ((c)[2] + (x) * ((c)[5] + (x) * (c)[11] + 2 * (c)[13] * (y) + (z) * (c)[14]) +                             \
   (y) * (2 * (c)[7] + 3 * (c)[16] * (y) + 2 * (c)[17] * (z)) + (z) * ((c)[8] + (z) * (c)[18]))
#define HIK_FOLLOW_BY_Z(c, x, y, z)                                                                          \
  ((c)[3] + (x) * ((c)[6] + (x) * (c)[12] + (y) * (c)[14] + 2 * (c)[15] * (z)) +                             \
   (y) * ((c)[8] + (y) * (c)[17] + 2 * (c)[18] * (z)) + (z) * (2 * (c)[9] + 3 * (c)[19] * (z)))

/* Coordinate of the joint of a row (bone, coefficients) for the ball's quaternion, of any length but zero. */
double hik_follow_value(const double *row, const double *quat);
/* Its rates of change when the ball turns about the axes of its own moved frame. */
void hik_follow_rates(const double *row, const double *quat, double rate[3]);
/* Its second derivative by time when the ball turns steadily by w about its own axes. */
double hik_follow_bend(const double *row, const double *quat, const double w[3]);
/* What it grows by at most for a radian that the bone turns. */
double hik_follow_steepest(const double *row);
/* Numbers it never leaves, whichever way the bone points; near the least and the greatest. */
void hik_follow_range(const double *row, double range[2]);
