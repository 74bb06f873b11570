/* stewart.c: leg lengths of a Gough-Stewart platform, and Newton's method for its pose.

   Given:    six base and six platform points, a pose or lengths and a guess.
   Returned: lengths and Jacobian; the pose nearby with these lengths.
   Outcomes: not converged when the iterations are spent or the Jacobian is singular: the best pose found is left.
   Notes:    the rate of a length is the leg's unit vector u on the velocity of its platform end:
             dL = u . (dt + w x R b) = u . dt + (R b x u) . w. A turn counts in the step cap and in the singularity
             distance by the platform's radius (root mean square about its centroid), about which it is taken. The step
             is halved while the residual grows.
   Reference: Merlet, Parallel Robots, 2nd edition (2006), sections 3.1 (inverse kinematics), 4.9 (Newton), 5.2 and 6
             (Jacobian, singularities). */
#include "analytic/stewart.h"

#include "base/eigen.h"
#include "base/quat.h"

#define GREATEST_TURN 0.5 /* radians a step */
enum { HALVINGS = 6, SQUARINGS = 4 };

static void leg(const hik_stewart *s, const hik_pose *pose, int i, double arm[3], double d[3]) {
  hik_mat_vec(pose->r, s->platform[i], arm);
  for (int k = 0; k < 3; k++) d[k] = pose->t[k] + arm[k] - s->base[i][k];
}

void hik_stewart_lengths(const hik_stewart *s, const hik_pose *pose, double *lengths, double *jacobian) {
  for (int i = 0; i < HIK_LEGS; i++) {
    double arm[3], d[3];
    leg(s, pose, i, arm, d);
    double length = hik_norm(d), inverse = length > 0 ? 1 / length : 0;
    lengths[i] = length;
    if (!jacobian) continue;
    double *row = jacobian + 6 * i;
    hik_scale3(inverse, d, row);
    hik_cross(arm, row, row + 3);
  }
}

/* Centroid of the platform points and their root mean square distance from it (1 when all coincide). */
static double radius(const hik_stewart *s, double centre[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    centre[k] = 0;
    for (int i = 0; i < HIK_LEGS; i++) centre[k] += s->platform[i][k] / HIK_LEGS;
    for (int i = 0; i < HIK_LEGS; i++) {
      double x = s->platform[i][k] - centre[k];
      sum += x * x;
    }
  }
  return sum > 0 ? sqrt(sum / HIK_LEGS) : 1;
}

/* Lengths and Jacobian for (velocity of the centroid, radius times angular velocity). */
static void scaled(const hik_stewart *s, const hik_pose *pose, const double centre[3], double size,
                   double *lengths, double *j) {
  double c[3], inverse = 1 / size;
  hik_mat_vec(pose->r, centre, c);
  for (int i = 0; i < HIK_LEGS; i++) {
    double arm[3], d[3], *row = j + 6 * i;
    leg(s, pose, i, arm, d);
    lengths[i] = hik_norm(d);
    hik_scale3(lengths[i] > 0 ? 1 / lengths[i] : 0, d, row);
    hik_sub3(arm, c, arm);
    hik_cross(arm, row, row + 3);
    hik_scale3(inverse, row + 3, row + 3);
  }
}

/* out = a a' scaled so that its greatest entry is 1; a' a when a is symmetric. Returns the scale, 0: not finite. */
static double squared(const double *a, double *out) {
  double most = 0;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k <= i; k++) {
      double sum = 0;
      for (int m = 0; m < 6; m++) sum += a[6 * i + m] * a[6 * k + m];
      out[6 * i + k] = out[6 * k + i] = sum;
      most = fmax(most, fabs(sum));
    }
  if (!(most > 0 && most < 1e300)) return 0;
  for (int i = 0; i < 36; i++) out[i] /= most;
  return most;
}

/* Least singular value of A from its factors. A^-1 makes B = A^-T A^-1 (in some order), whose greatest
   eigenvalue is wanted; powers of B by squaring leave its eigenvector, no start needed; its Rayleigh quotient is exact to
   the square of what is left of the others, (ratio of values)^-32. */
static double least_value(const double *lu, const int32_t *order) {
  double inverse[36], b[36], power[2][36], unit[6] = {0};
  for (int k = 0; k < 6; k++) {
    unit[k] = 1;
    hik_lu_solve(6, lu, 6, order, unit, inverse + 6 * k);
    unit[k] = 0;
  }
  double scale = squared(inverse, b);
  if (scale == 0) return 0;
  const double *now = b;
  for (int k = 0; k < SQUARINGS; k++, now = power[(k + 1) % 2])
    if (squared(now, power[k % 2]) == 0) return 0;
  int best = 0;
  for (int i = 1; i < 6; i++)
    if (now[7 * i] > now[7 * best]) best = i;
  const double *v = now + 6 * best;
  double top = 0, size = 0;
  for (int i = 0; i < 6; i++) {
    size += v[i] * v[i];
    for (int k = 0; k < 6; k++) top += v[i] * b[6 * i + k] * v[k];
  }
  return top > 0 ? 1 / sqrt(scale * (top / size)) : 0;
}

double hik_stewart_singularity(const hik_stewart *s, const hik_pose *pose) {
  double centre[3], lengths[6], j[36], size = radius(s, centre);
  int32_t order[6];
  scaled(s, pose, centre, size, lengths, j);
  return hik_lu_factor(6, j, 6, order, 1e-300) > 1e-15 ? least_value(j, order) : 0;
}

/* Moves a pose by `by` times a step of (centroid, size times turn). */
static void move(const hik_pose *from, const double centre[3], double size, const double *step, double by,
                 hik_pose *to) {
  double w[3], q[4], turn[9], before[3], after[3];
  hik_scale3(by / size, step + 3, w);
  hik_quat_exp(w, q);
  hik_quat_to_mat(q, turn);
  hik_mat_mul(turn, from->r, to->r);
  hik_mat_vec(from->r, centre, before);
  hik_mat_vec(to->r, centre, after);
  for (int k = 0; k < 3; k++) to->t[k] = from->t[k] + by * step[k] + before[k] - after[k];
}

/* Rotations drift by rounding: back to an orthonormal matrix. */
static void straighten(hik_pose *pose) {
  double q[4];
  hik_quat_from_mat(pose->r, q);
  hik_quat_to_mat(q, pose->r);
}

static double differences(const double *lengths, const double *wanted, double *e, double *most) {
  double sum = 0;
  *most = 0;
  for (int i = 0; i < HIK_LEGS; i++) {
    e[i] = wanted[i] - lengths[i];
    sum += e[i] * e[i];
    *most = fabs(e[i]) <= *most ? *most : fabs(e[i]); /* what is not a number stays */
  }
  return sum;
}

hik_stewart_step hik_stewart_newton(const hik_stewart *s, const double *wanted, int32_t most,
                                    hik_pose *pose) {
  hik_stewart_step out = {false, 0, 0, 0};
  double centre[3], size = radius(s, centre), lengths[6], j[36], e[6], step[6], reach = size;
  int32_t order[6];
  straighten(pose);
  for (int i = 0; i < HIK_LEGS; i++) reach = fmax(reach, wanted[i]);
  scaled(s, pose, centre, size, lengths, j);
  double sum = differences(lengths, wanted, e, &out.residual);
  bool regular = hik_lu_factor(6, j, 6, order, 1e-300) > 1e-14;
  for (; regular; out.iterations++) {
    /* the first test is the goal; the second stops where rounding does not let the residual shrink */
    out.converged = out.residual <= 1e-15 * reach;
    if (out.converged || out.iterations == most) break;
    hik_lu_solve(6, j, 6, order, e, step);
    double turn = hik_norm(step + 3) / size, by = turn > GREATEST_TURN ? GREATEST_TURN / turn : 1;
    bool better = false;
    for (int k = 0; k < HALVINGS && !better; k++, by /= 2) {
      hik_pose next;
      double far, e2[6], j2[36];
      move(pose, centre, size, step, by, &next);
      scaled(s, &next, centre, size, lengths, j2);
      double now = differences(lengths, wanted, e2, &far);
      better = now < sum;
      if (!better) {
        if (out.residual <= 1e-12 * reach) break;
        continue;
      }
      *pose = next, sum = now, out.residual = far;
      memcpy(e, e2, sizeof e), memcpy(j, j2, sizeof j);
    }
    if (!better) break;
    regular = hik_lu_factor(6, j, 6, order, 1e-300) > 1e-14;
  }
  out.converged = out.residual <= 1e-12 * reach && out.residual < INFINITY;
  out.singularity = regular ? least_value(j, order) : 0;
  straighten(pose);
  return out;
}
