/* project.h: where a term wants its frames, seen from where they stand; the functions are those of the term table. */
#pragma once
#include "term/term.h"

/* Places of the constants of terms about one axis and about two frames. */
enum {
  HIK_AXIS = 0,
  HIK_LEVEL_DIRECTION = 3,
  HIK_LEVEL_ANGLE = 6,
  HIK_LOOK_EYE = 3,
  HIK_PAIR_POINT = 0,
  HIK_PAIR_OTHER_POINT = 3,
  HIK_PAIR_LEAST = 6,
  HIK_PAIR_MOST = 7,
  HIK_PAIR_AXIS = 6
};

void hik_pulled_level(const hik_goal *goal, int side, double point[3], double axis[3]);
void hik_pulled_look_at(const hik_goal *goal, int side, double point[3], double axis[3]);
void hik_pulled_pair(const hik_goal *goal, int side, double point[3], double axis[3]);
void hik_pulled_hinge(const hik_goal *goal, int side, double point[3], double axis[3]);

bool hik_project_level(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                       hik_stand out[2]);
bool hik_project_look_at(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                         hik_stand out[2]);
bool hik_project_distance(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                          hik_stand out[2]);
bool hik_project_loop(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                      hik_stand out[2]);
bool hik_project_hinge(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                       hik_stand out[2]);
bool hik_project_weld(const hik_goal *goal, const double *target, const hik_stand now[2], double share,
                      hik_stand out[2]);
