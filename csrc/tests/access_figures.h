/* access_figures.h: an arm on a trunk for the tests of proofs of reach. */
#pragma once
#include "access/reach.h"
#include "check.h"
#include "figures.h"

enum { ACCESS_BALL = 4, ACCESS_JOINTS = 9 };

typedef struct access_figure {
  figure f;
  double swing[6 * ACCESS_JOINTS], follow[HIK_FOLLOW_TERMS * ACCESS_JOINTS], knot[9], full[ACCESS_JOINTS];
  int32_t knots[ACCESS_JOINTS];
} access_figure;

/* Two hinges of a trunk, two slides that follow the swing, a ball with a quadrant cone (its twist changes with the swing), an
   elbow, and a wrist of three turns. The bone is x. */
HIK_UNUSED static hik_model *access_arm(access_figure *a) {
  figure *f = &a->f;
  hik_model *m = NULL;
  hik_error error;
  static const double axis[ACCESS_JOINTS][3] = {{0, 1, 0},  {0, 0, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0},
                                                {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const double along[ACCESS_JOINTS] = {0.1, 0, 0.2, 0, 0, 0.3, 0, 0.25, 0};
  static const double range[ACCESS_JOINTS][2] = {{-0.3, 0.8}, {-0.5, 0.4}, {0},         {0},        {0},
                                                 {0, 2.5},    {-1.2, 1.3}, {-1.1, 1.2}, {-0.4, 0.5}};
  memset(a, 0, sizeof *a);
  figure_start(f);
  for (int32_t j = 0, q = 0; j < ACCESS_JOINTS; j++) {
    bool follows = j == 2 || j == 3;
    figure_joint(f, j - 1, j == ACCESS_BALL ? HIK_BALL : follows ? HIK_PRISMATIC : HIK_REVOLUTE);
    memcpy(f->axis + 3 * j, axis[j], sizeof axis[j]);
    figure_place(f->placement + 12 * j, along[j], 0, 0, 0);
    figure_place(f->frame_placement + 12 * j, 0.08, 0.02, 0, 0);
    a->swing[6 * j] = a->follow[HIK_FOLLOW_TERMS * j] = NAN;
    if (follows) {
      f->mimic[j] = ACCESS_BALL;
      for (int i = 0; i < HIK_FOLLOW_TERMS; i++)
        a->follow[HIK_FOLLOW_TERMS * j + i] = 0.02 * ((i * 7 + j) % 5 - 2) / (1 + i / 4);
    } else if (j == ACCESS_BALL) {
      memcpy(f->axis2 + 3 * j, (double[3]){0, 0, 1}, 3 * sizeof(double));
      memcpy(a->swing + 6 * j, (double[6]){1.9, 1.4, 1, 1.1, -1, 1.5}, 6 * sizeof(double));
      memcpy(a->knot, (double[9]){-2, -0.8, 1.2, 0.2, -1.4, 0.9, 1.9, -0.6, 1.6}, sizeof a->knot);
      a->knots[j] = 3, a->full[j] = 1.2;
      q += 4;
    } else {
      f->lower[q] = range[j][0], f->upper[q] = range[j][1];
      q++;
    }
  }
  f->def.swing = a->swing, f->def.mimic_swing = a->follow;
  f->def.knot_count = a->knots, f->def.knot = a->knot, f->def.knot_full = a->full;
  CHECK(hik_model_create(&f->def, &m, &error) == HIK_OK);
  if (!m) printf("%s\n", error.text);
  return m;
}

/* Where a frame is. */
HIK_UNUSED static void access_tip(const hik_model *m, int32_t frame, const double *q, double out[3]) {
  hik_pose world[32], pose;
  hik_step_poses(m, q, world);
  hik_frame_pose(m, frame, world, &pose);
  hik_copy3(pose.t, out);
}
