/* hash_figures.h: the figures of hashes.c, each from a few lines or from counted draws. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "base/quat.h"
#include "base/rng.h"
#include "model/model.h"

enum { HASH_JOINTS = 16, HASH_NQ = 7 * HASH_JOINTS };

typedef struct figure {
  int32_t n, frames, nq, corners, knots;
  int32_t parent[HASH_JOINTS], kind[HASH_JOINTS], mimic[HASH_JOINTS], frame_joint[HASH_JOINTS];
  int32_t corner_count[HASH_JOINTS], knot_count[HASH_JOINTS];
  double axis[HASH_JOINTS][3], axis2[HASH_JOINTS][3], place[HASH_JOINTS][12], frame_place[HASH_JOINTS][12];
  double swing[HASH_JOINTS][6], line[HASH_JOINTS][2], hold[HASH_JOINTS][4], knot_full[HASH_JOINTS];
  double inertial[HASH_JOINTS][10], motor[HASH_JOINTS][4];
  double corner[HASH_JOINTS][2], knot[HASH_JOINTS][3], lower[HASH_NQ], upper[HASH_NQ];
  bool heavy; /* bodies and drives are there */
} figure;

static inline void hash_stop(const char *what, const hik_error *error) {
  printf("%s: %s\n", what, error->text);
  exit(1);
}

static inline double draw_in(hik_rng *rng, double low, double high) {
  return low + (high - low) * hik_rng_uniform(rng);
}

static inline void set_place(double *place, double x, double y, double z) {
  const double at[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, x, y, z};
  memcpy(place, at, sizeof at);
}

/* A joint whose axis is x, y or z, axis2 the next of them; limits of every coordinate that has some. */
static inline int32_t add_joint(figure *f, int32_t parent, int32_t kind, char axis, const double at[3],
                                double low, double high) {
  static const int32_t width[HIK_JOINT_KINDS] = {0, 1, 1, 2, 2, 3, 4, 7};
  int32_t j = f->n++;
  f->parent[j] = parent, f->kind[j] = kind, f->mimic[j] = -1;
  f->axis[j][axis - 'x'] = 1, f->axis2[j][(axis - 'x' + 1) % 3] = 1;
  set_place(f->place[j], at[0], at[1], at[2]);
  f->swing[j][0] = f->hold[j][0] = NAN;
  for (int32_t c = 0; c < width[kind]; c++, f->nq++) {
    bool turns = kind == HIK_BALL || (kind == HIK_FREE && c > 2);
    f->lower[f->nq] = turns ? -INFINITY : low, f->upper[f->nq] = turns ? INFINITY : high;
  }
  return j;
}

static inline void add_cone(figure *f, int32_t joint, const double cone[6]) {
  memcpy(f->swing[joint], cone, 6 * sizeof *cone);
}

/* The joint above, which is the last one made, follows another: it has no coordinate of its own. */
static inline void follow(figure *f, int32_t other, double scale, double offset) {
  int32_t j = f->n - 1;
  f->mimic[j] = other, f->line[j][0] = scale, f->line[j][1] = offset;
  f->nq--;
}

static inline void add_frame(figure *f, int32_t joint, double x, double y, double z) {
  f->frame_joint[f->frames] = joint;
  set_place(f->frame_place[f->frames++], x, y, z);
}

/* Every joint gets a body and a drive. */
static inline void add_bodies(figure *f, uint64_t seed) {
  hik_rng rng = hik_rng_start(seed, 77);
  for (int32_t j = 0; j < f->n; j++) {
    double *b = f->inertial[j], mass = draw_in(&rng, 0.5, 3), c[3];
    for (int k = 0; k < 3; k++) c[k] = draw_in(&rng, -0.2, 0.2);
    b[0] = mass;
    for (int k = 0; k < 3; k++) b[1 + k] = mass * c[k];
    b[4] = mass * (c[1] * c[1] + c[2] * c[2]) + 0.01, b[5] = -mass * c[0] * c[1], b[6] = -mass * c[0] * c[2];
    b[7] = mass * (c[0] * c[0] + c[2] * c[2]) + 0.02, b[8] = -mass * c[1] * c[2];
    b[9] = mass * (c[0] * c[0] + c[1] * c[1]) + 0.03;
    f->motor[j][0] = draw_in(&rng, 0, 1e-4), f->motor[j][1] = draw_in(&rng, 1, 80);
    f->motor[j][2] = draw_in(&rng, 0, 1e-3), f->motor[j][3] = draw_in(&rng, 0, 1e-2);
  }
  f->heavy = true;
}

static inline hik_model *freeze(const char *name, const figure *f) {
  hik_model_def d = hik_model_def_default();
  d.n_joint = f->n, d.n_frame = f->frames, d.parent = f->parent, d.kind = f->kind;
  d.axis = f->axis[0], d.axis2 = f->axis2[0], d.placement = f->place[0], d.swing = f->swing[0];
  d.hold = f->hold[0], d.corner_count = f->corner_count, d.corner = f->corner[0];
  d.knot_count = f->knot_count, d.knot = f->knot[0], d.knot_full = f->knot_full;
  d.lower = f->lower, d.upper = f->upper, d.mimic = f->mimic, d.mimic_line = f->line[0];
  d.frame_joint = f->frame_joint, d.frame_placement = f->frame_place[0];
  if (f->heavy) d.inertial = f->inertial[0], d.motor = f->motor[0];
  hik_model *m = NULL;
  hik_error error = {0};
  if (hik_model_create(&d, &m, &error)) hash_stop(name, &error);
  return m;
}

static const double no_offset[3] = {0, 0, 0};

/* Nine hinges about z, as in the study. */
static void make_planar(figure *f) {
  for (int32_t j = 0; j < 9; j++)
    add_joint(f, j - 1, HIK_REVOLUTE, 'z', (double[3]){j ? 0.3 : 0, 0, 0}, -2, 2);
  add_frame(f, 8, 0.2, 0, 0), add_frame(f, 4, 0.1, 0.02, 0);
}

/* A chain of ten balls, free; then with cones. */
static void make_balls(figure *f) {
  for (int32_t j = 0; j < 10; j++) add_joint(f, j - 1, HIK_BALL, 'x', (double[3]){j ? 0.1 : 0, 0, 0}, 0, 0);
  add_frame(f, 9, 0.1, 0, 0);
}

static void make_cones(figure *f) {
  make_balls(f);
  for (int32_t j = 0; j < 10; j++)
    add_cone(f, j, (double[6]){0.3 + 0.05 * j, 0.6, 0.4, 0.5, -0.5, 0.3 + 0.1 * j});
}

static void make_ball_tree(figure *f) {
  static const int32_t parent[8] = {-1, 0, 1, 2, 3, 1, 5, 6};
  for (int32_t j = 0; j < 8; j++)
    add_joint(f, parent[j], HIK_BALL, 'x', (double[3]){0.2, j > 4 ? 0.05 : 0, 0}, 0, 0);
  add_frame(f, 4, 0.2, 0, 0), add_frame(f, 7, 0.2, 0, 0);
}

/* A human arm of hinges. */
static void make_arm(figure *f) {
  add_joint(f, -1, HIK_REVOLUTE, 'z', (double[3]){0, 0, 0.2}, -2.6, 2.6);
  add_joint(f, 0, HIK_REVOLUTE, 'y', no_offset, -1.7, 1.7);
  add_joint(f, 1, HIK_REVOLUTE, 'x', no_offset, -1.5, 1.5);
  add_joint(f, 2, HIK_REVOLUTE, 'y', (double[3]){0.45, 0, 0}, 0, 2.5);
  add_joint(f, 3, HIK_REVOLUTE, 'x', no_offset, -1.4, 1.4);
  add_joint(f, 4, HIK_REVOLUTE, 'y', (double[3]){0.4, 0, 0}, -1.2, 1.2);
  add_joint(f, 5, HIK_REVOLUTE, 'z', no_offset, -0.4, 0.6);
  add_frame(f, 6, 0.1, 0, 0), add_frame(f, 3, 0.2, 0, 0.05);
}

/* Two balls of a spine in cones, two arms on it, a hand each, and a knuckle that follows. */
static void make_body(figure *f) {
  static const double spine[6] = {0.4, 0.3, 0.2, 0.3, -0.5, 0.5}, shoulder[6] = {1.9, 1.7, 0.7, 1, -1, 1};
  add_joint(f, -1, HIK_BALL, 'z', (double[3]){0, 0, 0.2}, 0, 0), add_cone(f, 0, spine);
  add_joint(f, 0, HIK_BALL, 'z', (double[3]){0, 0, 0.2}, 0, 0), add_cone(f, 1, spine);
  for (int32_t side = 0; side < 2; side++) {
    int32_t j = add_joint(f, 1, HIK_BALL, 'x', (double[3]){0, side ? -0.2 : 0.2, 0.2}, 0, 0);
    add_cone(f, j, shoulder);
    add_joint(f, j, HIK_REVOLUTE, 'z', (double[3]){0.3, 0, 0}, 0, 2.5);
    add_joint(f, j + 1, HIK_REVOLUTE, 'x', no_offset, -1.2, 1.2);
    add_joint(f, j + 2, HIK_REVOLUTE, 'y', (double[3]){0.25, 0, 0}, -1, 1);
    add_joint(f, j + 3, HIK_REVOLUTE, 'y', (double[3]){0.05, 0, 0}, 0, 0);
    follow(f, j + 3, 0.5, 0.1);
    add_frame(f, j + 4, 0.1, 0, 0);
  }
}

/* Slides and hinges in turn, one slide following another. */
static void make_gantry(figure *f) {
  add_joint(f, -1, HIK_PRISMATIC, 'x', no_offset, -0.5, 0.5);
  add_joint(f, 0, HIK_PRISMATIC, 'y', no_offset, -0.5, 0.5);
  add_joint(f, 1, HIK_REVOLUTE, 'z', (double[3]){0, 0.1, 0}, -3, 3);
  add_joint(f, 2, HIK_PRISMATIC, 'z', (double[3]){0.1, 0, 0}, -0.3, 0.5);
  add_joint(f, 3, HIK_PRISMATIC, 'z', (double[3]){0.1, 0, 0}, 0, 0);
  follow(f, 3, 0.5, 0);
  add_joint(f, 4, HIK_REVOLUTE, 'y', (double[3]){0.2, 0, 0}, -2, 2);
  add_joint(f, 5, HIK_REVOLUTE, 'x', (double[3]){0.05, 0, 0}, -2, 2);
  add_frame(f, 6, 0.2, 0, 0), add_frame(f, 2, 0, 0.1, 0);
}

/* A shoulder in a polygon that is not convex, its twist following the swing; elbow, slide, wrist; a ball held still. */
static void make_room(figure *f) {
  static const double corner[6][2] = {{-2.6, 0.9}, {-0.7, 1.3}, {0.2, 1.2},
                                      {0.6, 0.35}, {1.6, 1},    {2.8, 0.7}};
  static const double knot[4][3] = {{-2.5, -0.3, 0.2}, {-0.5, -1, 0.9}, {1, -0.2, 1.4}, {2.2, 0.1, 0.6}};
  add_joint(f, -1, HIK_BALL, 'x', (double[3]){0, 0, 0.1}, 0, 0);
  add_cone(f, 0, (double[6]){1.9, 1.7, 0.7, 1.0, -1.5, 1.5});
  f->corner_count[0] = 6, f->knot_count[0] = 4, f->knot_full[0] = 1.2;
  memcpy(f->corner, corner, sizeof corner), memcpy(f->knot, knot, sizeof knot);
  add_joint(f, 0, HIK_REVOLUTE, 'z', (double[3]){0.3, 0, 0}, 0, 2.5);
  add_joint(f, 1, HIK_BALL, 'x', (double[3]){0.1, 0, 0}, 0, 0);
  f->hold[2][0] = 0.8, f->hold[2][2] = 0.6;
  add_joint(f, 2, HIK_PRISMATIC, 'x', (double[3]){0.1, 0, 0}, 0, 0.1);
  add_joint(f, 3, HIK_BALL, 'x', (double[3]){0.1, 0, 0}, 0, 0);
  add_cone(f, 4, (double[6]){0.8, 0.9, 0.7, 1.0, -0.4, 0.4});
  add_frame(f, 4, 0.1, 0, 0.02), add_frame(f, 1, 0, 0.2, 0);
}

/* Every kind of joint in a row. */
static void make_kinds(figure *f) {
  for (int32_t kind = 0; kind < HIK_JOINT_KINDS; kind++)
    add_joint(f, kind - 1, kind, (char)('x' + kind % 3), (double[3]){kind ? 0.2 : 0, 0.03 * kind, -0.02},
              -1.5, 1.5);
  add_frame(f, 7, 0.2, 0.01, 0), add_frame(f, 4, 0, 0.1, 0.1);
}

/* A Puma 560 (a spherical wrist), a UR5 (parallel axes), an arm with an offset wrist; limits on the first. */
static void make_turns(figure *f, int32_t joints, const double (*row)[3], double limit) {
  for (int32_t k = 0; k < joints; k++) {
    int32_t j = add_joint(f, k - 1, HIK_REVOLUTE, 'z', no_offset, -limit, limit);
    double s, c;
    hik_sincos(row[k][1], &s, &c);
    const double at[12] = {1, 0, 0, 0, c, -s, 0, s, c, row[k][0], -s * row[k][2], c * row[k][2]};
    memcpy(f->place[j], at, sizeof at);
  }
  add_frame(f, f->n - 1, 0, 0, 0.107), add_frame(f, f->n / 2, 0.1, 0, 0);
}

static const double quarter = HIK_PI / 2;

static void make_puma(figure *f) {
  const double row[6][3] = {{0, 0, 0.672},   {0, -quarter, 0}, {0.432, 0, 0.150}, {0.020, -quarter, 0.432},
                            {0, quarter, 0}, {0, -quarter, 0}};
  make_turns(f, 6, row, 2.9);
}

static void make_ur5(figure *f) {
  const double row[6][3] = {{0, 0, 0.0892},      {0, quarter, 0},      {-0.425, 0, 0},
                            {-0.3922, 0, 0.109}, {0, quarter, 0.0947}, {0, -quarter, 0.0823}};
  make_turns(f, 6, row, INFINITY);
}

static void make_offset_wrist(figure *f) {
  const double row[6][3] = {{0, 0, 0},           {0, -quarter, 0},    {0.54, 0, 0},
                            {0, -quarter, 0.54}, {0, quarter, -0.15}, {0, -quarter, 0.16}};
  make_turns(f, 6, row, 3.1);
}

static void make_seven(figure *f) {
  const double row[7][3] = {{0, 0, 0.333},        {0, -quarter, 0},           {0, quarter, 0.316},
                            {0.0825, quarter, 0}, {-0.0825, -quarter, 0.384}, {0, quarter, 0},
                            {0.088, quarter, 0}};
  make_turns(f, 7, row, 2.9);
}

/* Shoulder, elbow, wrist: the arm angle is defined. */
static void make_swivel(figure *f) {
  const double row[7][3] = {{0, 0, 0.34},       {0, -quarter, 0}, {0, quarter, 0.4}, {0, quarter, 0},
                            {0, -quarter, 0.4}, {0, -quarter, 0}, {0, quarter, 0}};
  make_turns(f, 7, row, 2.9);
}

/* Joints and places from draws: trees of every kind, some axes on right angles, some limits, some cones. */
static void make_drawn(figure *f, uint64_t seed) {
  hik_rng rng = hik_rng_start(1000, seed);
  int32_t n = 4 + (int32_t)(hik_rng_next(&rng) % 8);
  for (int32_t j = 0; j < n; j++) {
    uint64_t pick = hik_rng_next(&rng);
    int32_t kind = pick % 3 ? HIK_REVOLUTE : (int32_t)(pick / 3 % HIK_JOINT_KINDS);
    int32_t parent = hik_rng_next(&rng) % 4 ? j - 1 : (int32_t)(hik_rng_next(&rng) % (uint64_t)(j + 1)) - 1;
    double at[3], low, high, turn[4];
    for (int k = 0; k < 3; k++) at[k] = draw_in(&rng, -0.2, 0.3);
    low = draw_in(&rng, -3, 0), high = draw_in(&rng, 0.1, 3);
    add_joint(f, parent, kind, (char)('x' + pick / 100 % 3), at, low, high);
    hik_rng_rotation(&rng, turn);
    if (seed % 2) hik_quat_to_mat(turn, f->place[j]);
    double reach = draw_in(&rng, 0.2, 1.5);
    if (kind == HIK_BALL && pick / 1000 % 2)
      add_cone(f, j, (double[6]){reach, 0.4 + reach / 2, reach, 0.3, low / 2, high / 2});
  }
  add_frame(f, n - 1, 0.1, 0.05, 0), add_frame(f, n / 2, 0, 0.1, 0.02);
}

/* Serial arms of `joints` turns and slides, axes drawn (or on right angles); bit i of `slides`: joint i slides. */
static void make_serial(figure *f, uint64_t seed, int32_t joints, int32_t slides, bool right) {
  hik_rng rng = hik_rng_start(2000, seed);
  for (int32_t j = 0; j < joints; j++) {
    double at[3], turn[4];
    for (int k = 0; k < 3; k++) at[k] = right && hik_rng_next(&rng) % 2 ? 0 : draw_in(&rng, -0.4, 0.4);
    int32_t kind = slides >> j & 1 ? HIK_PRISMATIC : HIK_REVOLUTE;
    char axis = right ? (char)('x' + hik_rng_next(&rng) % 3) : 'z';
    add_joint(f, j - 1, kind, axis, at, -3.1, 3.1);
    hik_rng_rotation(&rng, turn);
    if (!right) hik_quat_to_mat(turn, f->place[j]);
  }
  add_frame(f, joints - 1, 0.1, 0.05, 0.2);
}

static void make_planar3(figure *f) {
  for (int32_t j = 0; j < 3; j++)
    add_joint(f, j - 1, HIK_REVOLUTE, 'z', (double[3]){j ? 0.3 : 0, 0.02, 0}, -2.8, 2.8);
  add_frame(f, 2, 0.2, 0, 0);
}
