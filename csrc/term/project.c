/* project.c: the nearest places at which a term holds, for solvers that draw points and axes to where they should be.

   Purpose    level, look_at, distance and the three loops
   Given      how the point, the axis or the rotation of the frame and of the other frame stand in the world
   Returned   how they should stand: of a pair the frame goes `share` of the way and the other the rest, so that 1/2 lets
              both give way and 1 takes the other for fixed
   Outcomes   false when the term holds already (a distance inside its range): nothing is to be drawn
   Notes      1 Points go straight towards each other. An axis goes by the least turn, to the cone about the direction
                (level), to the line of sight as the eye stands (look_at), to the middle of both axes (hinge); rotations
                go along the shortest arc.
              2 Where every way is as good (an axis on the direction, points at distance zero, opposite axes) the one
                that hik_perpendicular or z gives is taken. */
#include "term/project.h"

#include "base/quat.h"

/* ---- which point and axis ---- */

static void no_point(double point[3]) { point[0] = point[1] = point[2] = 0; }

void hik_pulled_level(const hik_goal *g, int side, double point[3], double axis[3]) {
  (void)side;
  no_point(point);
  hik_unit(g->term.param + HIK_AXIS, axis);
}

void hik_pulled_look_at(const hik_goal *g, int side, double point[3], double axis[3]) {
  (void)side;
  hik_copy3(g->term.param + HIK_LOOK_EYE, point);
  hik_unit(g->term.param + HIK_AXIS, axis);
}

void hik_pulled_pair(const hik_goal *g, int side, double point[3], double axis[3]) {
  (void)axis;
  hik_copy3(g->term.param + HIK_PAIR_POINT + 3 * side, point);
}

void hik_pulled_hinge(const hik_goal *g, int side, double point[3], double axis[3]) {
  hik_pulled_pair(g, side, point, axis);
  hik_unit(g->term.param + HIK_PAIR_AXIS + 3 * side, axis);
}

/* ---- one axis ---- */

bool hik_project_level(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                       hik_stand out[2]) {
  (void)target, (void)share;
  double u[3] = {0, 0, 1}, across[3], sine, cosine;
  hik_unit(g->term.param + HIK_LEVEL_DIRECTION, u);
  hik_axpy3(now->axis, -hik_dot(now->axis, u), u, across);
  if (!(hik_norm(across) > 1e-12) || hik_unit(across, across) == 0) hik_perpendicular(u, across);
  hik_sincos(g->term.param[HIK_LEVEL_ANGLE], &sine, &cosine);
  hik_scale3(cosine, u, out->axis);
  hik_axpy3(out->axis, sine, across, out->axis);
  return true;
}

bool hik_project_look_at(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                         hik_stand out[2]) {
  (void)g, (void)share;
  double way[3];
  hik_sub3(target, now->point, way);
  hik_copy3(now->axis, out->axis);
  hik_unit(way, out->axis);
  return true;
}

/* ---- two frames ---- */

/* From a to b; the ends are exact. */
static void between(const double a[3], const double b[3], double share, double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = (1 - share) * a[k] + share * b[k];
}

bool hik_project_distance(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                          hik_stand out[2]) {
  (void)target;
  const double *room = g->term.param + HIK_PAIR_LEAST;
  double way[3] = {0, 0, 1}, d[3];
  hik_sub3(now[0].point, now[1].point, d);
  double n = hik_norm_safe(d), excess = n - hik_clip(n, room[0], room[1]);
  hik_unit(d, way);
  hik_axpy3(now[0].point, -share * excess, way, out[0].point);
  hik_axpy3(now[1].point, (1 - share) * excess, way, out[1].point);
  return excess != 0;
}

bool hik_project_loop(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                      hik_stand out[2]) {
  (void)g, (void)target;
  between(now[0].point, now[1].point, share, out[0].point);
  hik_copy3(out[0].point, out[1].point);
  return true;
}

bool hik_project_hinge(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                       hik_stand out[2]) {
  double middle[3];
  hik_project_loop(g, target, now, share, out);
  between(now[0].axis, now[1].axis, share, middle);
  if (!(hik_norm(middle) > 1e-9) || hik_unit(middle, middle) == 0) hik_perpendicular(now[0].axis, middle);
  hik_copy3(middle, out[0].axis);
  hik_copy3(middle, out[1].axis);
  return true;
}

bool hik_project_weld(const hik_goal *g, const double *target, const hik_stand now[2], double share,
                      hik_stand out[2]) {
  double apart[9], way[3], q[4], part[9];
  hik_project_loop(g, target, now, share, out);
  hik_mat_tmul(now[0].rotation, now[1].rotation, apart);
  hik_mat_log(apart, way);
  hik_scale3(share, way, way);
  hik_quat_exp(way, q);
  hik_quat_to_mat(q, part);
  hik_mat_mul(now[0].rotation, part, out[0].rotation);
  memcpy(out[1].rotation, out[0].rotation, sizeof out[1].rotation);
  return true;
}
