/* stewart_figures.h: platforms the tests share. */
#pragma once
#include "analytic/stewart.h"
#include "base/quat.h"
#include "base/rng.h"

/* Dietmaier (1998): with these legs all 40 postures are real. */
static const hik_stewart dietmaier HIK_UNUSED = {{{0, 0, 0},
                                                  {1.107915, 0, 0},
                                                  {.549094, .756063, 0},
                                                  {.735077, -.223935, .525991},
                                                  {.514188, -.526063, -.368418},
                                                  {.590473, .094733, -.205018}},
                                                 {{0, 0, 0},
                                                  {.542805, 0, 0},
                                                  {.956919, -.528915, 0},
                                                  {.665885, -.353482, 1.402538},
                                                  {.478359, 1.158742, .107672},
                                                  {-.137087, -.235121, .353913}}};
static const double dietmaier_lengths[6] HIK_UNUSED = {1, .645275, 1.086284, 1.503439, 1.281933, .771071};

HIK_INLINE double stewart_draw(hik_rng *rng) { return 2 * hik_rng_uniform(rng) - 1; }

HIK_INLINE void stewart_random(hik_rng *rng, hik_stewart *s) {
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 3; k++) s->base[i][k] = stewart_draw(rng), s->platform[i][k] = stewart_draw(rng);
}

HIK_INLINE void stewart_pose(hik_rng *rng, double turn, hik_pose *pose) {
  double v[3], q[4];
  for (int k = 0; k < 3; k++) v[k] = turn * stewart_draw(rng), pose->t[k] = stewart_draw(rng) + (k == 2);
  hik_quat_exp(v, q);
  hik_quat_to_mat(q, pose->r);
}

/* Six points on a circle in three pairs. */
HIK_INLINE void stewart_ring(double points[6][3], double radius, double half, double turn) {
  for (int i = 0; i < 6; i++) {
    double s, c;
    hik_sincos(2 * HIK_PI / 3 * (i / 2) + (i % 2 ? half : -half) + turn, &s, &c);
    points[i][0] = radius * c, points[i][1] = radius * s, points[i][2] = 0;
  }
}

HIK_INLINE double stewart_gap(const hik_pose *a, const hik_pose *b) {
  double most = 0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(a->r[i] - b->r[i]));
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(a->t[i] - b->t[i]));
  return most;
}
