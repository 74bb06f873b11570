/* two.c: two joints, turning or sliding, with axes in any place: RR, RP, PR, PP out of one plane.

   Purpose:  the postures of a two-joint arm whose tip must stand at a point.
   Given:    kinds, the motion between the joints, the tip and the goal.
   Returned: candidates; see two.h.
   Outcomes: none where a point off the surface that the tip sweeps is asked for.
   Notes:    what joint 1 cannot change gives two equations in joint 2 alone: height and squared radius about its axis
             when it turns, the two shares across when it slides. Each is solved by itself, as either can be empty
             (parallel axes, a tip on the axis); joint 1 then follows from the tip's place.
   Reference: Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, section 3.3. */
#include "analytic/two.h"

#include "analytic/subproblem.h"

enum { TURN, SLIDE };
#define TOUCH   1e-9
#define ON_AXIS 1e-10 /* distance of the goal from axis 1 at which any turn about it will do */

/* Tip in joint 1's frame: at[0] + x at[1] + y at[2] with (x, y) the second joint's pair. */
static void sweep(int32_t kind, const hik_pose *link, const double tip[3], double (*at)[3]) {
  double z[3], turned[3] = {-tip[1], tip[0], 0}, across[3] = {tip[0], tip[1], 0}, height[3] = {0, 0, tip[2]};
  if (kind == TURN) {
    hik_mat_vec(link->r, height, at[0]);
    hik_mat_vec(link->r, across, at[1]);
    hik_mat_vec(link->r, turned, at[2]);
  } else {
    hik_mat_column(link->r, 2, z);
    hik_mat_vec(link->r, tip, at[0]);
    hik_copy3(z, at[1]);
    at[2][0] = at[2][1] = at[2][2] = 0;
  }
  hik_add3(at[0], link->t, at[0]);
}

int hik_two_solve(const int32_t kind[2], const hik_pose *link, const double tip[3], const double goal[3],
                  double (*theta)[2], uint8_t swings[HIK_TWO_MAX]) {
  double at[3][3], a[2], b[2][2];
  sweep(kind[1], link, tip, at);
  if (kind[0] == TURN) { /* height, and half the squared length */
    a[0] = at[0][2] - goal[2], b[0][0] = at[1][2], b[0][1] = at[2][2];
    a[1] = 0.5 * (hik_dot(at[0], at[0]) - hik_dot(goal, goal)) +
           (kind[1] == TURN ? 0.5 * hik_dot(at[1], at[1]) : 0);
    b[1][0] = hik_dot(at[0], at[1]), b[1][1] = kind[1] == TURN ? hik_dot(at[0], at[2]) : 0.5;
  } else {
    for (int k = 0; k < 2; k++) a[k] = at[0][k] - goal[k], b[k][0] = at[1][k], b[k][1] = at[2][k];
  }
  bool on_axis = kind[0] == TURN && goal[0] * goal[0] + goal[1] * goal[1] < ON_AXIS * ON_AXIS;
  int count = 0;
  for (int k = 0; k < 2; k++) {
    hik_unknown answer[2];
    bool is_free;
    int n = hik_one_equation(kind[1], a[k], b[k], TOUCH, answer, &is_free);
    for (int i = 0; i < n && !is_free && count < HIK_TWO_MAX; i++) {
      double w[3], x = answer[i].x, y = kind[1] == TURN ? answer[i].y : 0;
      for (int j = 0; j < 3; j++) w[j] = at[0][j] + x * at[1][j] + y * at[2][j];
      double c = w[0] * goal[0] + w[1] * goal[1], s = w[0] * goal[1] - w[1] * goal[0];
      theta[count][0] = kind[0] == SLIDE ? goal[2] - w[2] : on_axis ? 0 : hik_atan2(s, c);
      swings[count] = on_axis;
      theta[count][1] = kind[1] == SLIDE ? x : hik_atan2(y, x);
      count++;
    }
  }
  return count;
}
