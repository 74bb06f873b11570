/* dh_figures.h: models of arms by Denavit-Hartenberg numbers, for the tests. */
#pragma once
#include "arms.h"
#include "solver_figures.h"

/* Six hinges by Denavit-Hartenberg numbers, `more` joints that move nothing of it first. */
HIK_UNUSED static hik_model *dh_model(const double (*dh)[6], double limit, int32_t more) {
  figure f = {0};
  for (int32_t i = 0; i < more; i++) add_joint(&f, -1, HIK_REVOLUTE, "x", (double[3]){0, 0, 0}, -1, 1);
  for (int32_t i = 0; i < 6; i++) {
    int32_t at =
        add_joint(&f, i ? more + i - 1 : -1, HIK_REVOLUTE, "z", (double[3]){0.1, 0, 0.2}, -limit, limit);
    hik_pose link = dh_link(dh[0][i ? i - 1 : 0], dh[1][i ? i - 1 : 0], dh[2][i ? i - 1 : 0]);
    if (i) memcpy(f.place[at], &link, sizeof link);
  }
  hik_pose tool = dh_link(dh[0][5], dh[1][5], dh[2][5]);
  int32_t frame = add_frame_at(&f, more + 5, 0, 0, 0);
  memcpy(f.frame_place[frame], &tool, sizeof tool);
  return freeze_figure(&f);
}
