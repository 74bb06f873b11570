/* test_arm.c: access/arm.c: an arm in a plane of walls whose answers are known, its bodies on the bones, and postures that are free. */
#include "access/arm.h"

#include "access_figures.h"
#include "base/memory.h"
#include "scene/inside.h"

enum { ARM_BALL, ARM_ELBOW, ARM_TURN, ARM_FLEX, ARM_ASIDE, ARM_JOINTS };
static const double UPPER = 0.3, FORE = 0.25, HAND = 0.1;
static hik_error error;

typedef struct standing {
  figure f;
  double swing[6 * ARM_JOINTS];
  hik_model *model;
  hik_reach *chain;
  hik_figure *body;
  hik_arm *arm;
} standing;

/* A ball at the origin whose bone is x, elbow, forearm's turn, two turns of the wrist; capsules along the bones. */
static void stand(standing *s, double thick, double bent) {
  static const double axis[ARM_JOINTS][3] = {{1, 0, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double along[ARM_JOINTS] = {0, UPPER, 0, FORE, 0};
  int32_t frame[4] = {ARM_BALL, ARM_ELBOW, ARM_TURN, ARM_ASIDE};
  double ends[4][6] = {{0, 0, 0, UPPER, 0, 0},
                       {0, 0, 0, 0.4 * FORE, 0.01, 0},
                       {0.4 * FORE, 0, 0, FORE, 0, 0},
                       {0, 0, 0, HAND, 0, 0}};
  double radius[4] = {thick, thick, thick, thick};
  memset(s, 0, sizeof *s);
  figure_start(&s->f);
  for (int32_t j = 0, q = 0; j < ARM_JOINTS; j++) {
    figure_joint(&s->f, j - 1, j == ARM_BALL ? HIK_BALL : HIK_REVOLUTE);
    memcpy(s->f.axis + 3 * j, axis[j], sizeof axis[j]);
    figure_place(s->f.placement + 12 * j, along[j], 0, 0, 0);
    figure_place(s->f.frame_placement + 12 * j, j == ARM_ASIDE ? HAND : 0, 0, 0, 0);
    s->swing[6 * j] = NAN;
    if (j == ARM_BALL) {
      memcpy(s->f.axis2 + 3 * j, (double[3]){0, 0, 1}, 3 * sizeof(double));
      memcpy(s->swing + 6 * j, (double[6]){1.9, 1.4, 1.2, 1.1, -1, 1.5}, 6 * sizeof(double));
      q += 4;
    } else {
      s->f.lower[q] = j == ARM_ELBOW ? 0 : j == ARM_TURN ? -1.3 : -bent;
      s->f.upper[q] = j == ARM_ELBOW ? 2.9 : j == ARM_TURN ? 1.4 : bent;
      q++;
    }
  }
  s->f.def.swing = s->swing;
  CHECK(hik_model_create(&s->f.def, &s->model, &error) == HIK_OK);
  CHECK(hik_reach_create(s->model, ARM_ASIDE, HIK_REACH_ARM, &s->chain, &error) == HIK_OK);
  /* the capsule of the hand is given in its frame, whose origin is the tip */
  for (int i = 0; i < 2; i++) ends[3][3 * i] -= HAND;
  hik_figure_def def = {s->model, 4, 0, frame, ends[0], radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &s->body, &error) == HIK_OK);
  CHECK(hik_arm_create(s->chain, s->body, &s->arm, &error) == HIK_OK);
}

static void leave(standing *s) {
  hik_arm_free(s->arm), hik_figure_free(s->body), hik_reach_free(s->chain), hik_model_free(s->model);
}

static hik_shape box(double x, double y, double z, double a, double b, double c) {
  return (hik_shape){.kind = HIK_SHAPE_BOX, .pose = {1, 0, 0, 0, 1, 0, 0, 0, 1, x, y, z}, .size = {a, b, c}};
}

static hik_arm_proof asked(const standing *s, const hik_shape *shape, int32_t n, double give,
                           const double target[3], int64_t budget) {
  hik_world *w;
  int32_t near[32];
  double gives[32];
  for (int32_t k = 0; k < 32; k++) gives[k] = give;
  CHECK(hik_world_create(shape, n, &w, &error) == HIK_OK);
  hik_arm_proof p = hik_arm_prove(s->arm, w, gives, target, 1e-3, budget, near, NULL);
  hik_world_free(w);
  return p;
}

static void test_bodies_lie_on_their_bones(void) {
  standing s;
  stand(&s, 0.03, 1.0);
  const hik_bone *b = s.arm->bone;
  CHECK(b[HIK_ARM_HAND].balls == 9 && b[HIK_ARM_FORE].balls == 18 && b[HIK_ARM_UPPER].balls == 9);
  for (int k = 0; k < 9; k++) {
    CHECK_NEAR(b[HIK_ARM_HAND].along[k], HAND * (k / 8.0 - 1), 1e-12);
    CHECK_NEAR(b[HIK_ARM_UPPER].along[k], k / 8.0, 1e-12);
    CHECK_NEAR(b[HIK_ARM_FORE].along[k], 0.4 * k / 8.0, 1e-12); /* beside the bone by up to 10 mm */
    CHECK_NEAR(b[HIK_ARM_FORE].radius[k], 0.03 - 0.01 * k / 8.0, 1e-12);
    CHECK_NEAR(b[HIK_ARM_FORE].along[9 + k], 0.4 + 0.6 * k / 8.0, 1e-12);
    CHECK_NEAR(b[HIK_ARM_FORE].radius[9 + k], 0.03, 1e-12);
  }
  CHECK_NEAR(s.arm->length[1], UPPER + FORE, 1e-9);
  CHECK_NEAR(s.arm->length[0], sqrt(UPPER * UPPER + FORE * FORE + 2 * UPPER * FORE * cos(2.9)), 1e-9);
  leave(&s);
}

/* A wall that stands between: with a hole in it that the forearm just passes, and just does not. */
static int32_t wall(hik_shape *out, double wide) {
  for (int k = 0; k < 4; k++) {
    double side = k % 2 ? 1 : -1, off = side * (1 + wide / 2);
    out[k] = k < 2 ? box(0.4, off, 0, 0.04, 2, 4) : box(0.4, 0, off, 0.04, wide, 2);
  }
  return 4;
}

static void test_a_hole_in_a_wall(void) {
  standing s;
  hik_shape shape[4];
  const double target[3] = {0.6, 0, 0}; /* nearly straight: hand and half of the forearm are through */
  stand(&s, 0.03, 1.0);
  CHECK(asked(&s, shape, wall(shape, 0.04), 0, target, 100000).outcome == HIK_ARM_BLOCKED);
  CHECK(asked(&s, shape, wall(shape, 0.055), 0, target, 100000).outcome == HIK_ARM_BLOCKED);
  CHECK(asked(&s, shape, wall(shape, 0.055), 0.01, target, 100000).outcome != HIK_ARM_BLOCKED);
  CHECK(asked(&s, shape, wall(shape, 0.2), 0, target, 100000).outcome == HIK_ARM_CLEAR);
  CHECK(asked(&s, shape, wall(shape, 0.04), 0, target, 50).outcome == HIK_ARM_OPEN);
  CHECK(asked(&s, shape, 0, 0, target, 100000).outcome == HIK_ARM_CLEAR);
  const double far[3] = {0.7, 0, 0}; /* nobody gets there */
  CHECK(asked(&s, shape, 0, 0, far, 100000).outcome == HIK_ARM_BLOCKED);
  leave(&s);
}

/* A hand that hardly bends does not come round a corner; one that bends does. */
static void test_the_wrist_counts(void) {
  standing s;
  const double target[3] = {0.35, 0, 0.25}, back[3] = {-0.3, 0.25, 0};
  hik_shape shelf =
      box(0.35, 0, 0.2, 0.5, 1, 0.02); /* the target is over it, the hand may not come from below */
  hik_shape cover = box(0.35, 0, 0.31, 0.3, 1, 0.02);
  hik_shape both[2] = {shelf, cover};
  stand(&s, 0.02, 0.05);
  CHECK(asked(&s, both, 2, 0, target, 200000).outcome == HIK_ARM_BLOCKED);
  CHECK(asked(&s, NULL, 0, 0, back, 200000).outcome == HIK_ARM_BLOCKED); /* the ball's room ends */
  leave(&s);
}

/* A drawn posture as a place of a cell: its hand's axis, wrist, elbow and bone; the face, and the coordinates on it. */
static void posture_of(const standing *s, const double *q, const hik_arm_search *search, double tip[3],
                       double w[3], double wrist[3], double elbow[3], int32_t *face, double at[3]) {
  hik_pose pose[ARM_JOINTS], world[32];
  hik_step_poses(s->model, q, world);
  for (int j = 0; j < ARM_JOINTS; j++) hik_frame_pose(s->model, j, world, &pose[j]);
  hik_mat_column(pose[ARM_ASIDE].r, 0, w);
  hik_copy3(pose[ARM_ASIDE].t, tip);
  hik_axpy3(tip, -HAND, w, wrist);
  hik_copy3(pose[ARM_ELBOW].t, elbow);
  int axis = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(w[i]) > fabs(w[axis])) axis = i;
  double sign = w[axis] > 0 ? 1 : -1;
  *face = axis + (sign > 0 ? 0 : 3);
  at[0] = w[(axis + 1) % 3] / fabs(w[axis]), at[1] = sign * w[(axis + 2) % 3] / fabs(w[axis]);
  double n[3], frame[9], x[3], y[3], e[3];
  hik_sub3(wrist, s->arm->shoulder, n);
  hik_unit(n, n);
  hik_mat_minimal(search->start, n, frame);
  hik_mat_vec(frame, search->x, x), hik_mat_vec(frame, search->y, y);
  hik_sub3(elbow, s->arm->shoulder, e);
  at[2] = hik_atan2(hik_dot(e, y), hik_dot(e, x)) / HIK_PI;
}

/* Cells that hold a drawn posture: wrist, elbow and balls are no farther from the middle's than is said, and no limit closes it. */
static void test_no_posture_of_a_cell_is_farther_than_its_bounds(void) {
  standing s;
  stand(&s, 0.03, 1.0);
  hik_rng rng = hik_rng_start(3, 1);
  double most[4] = {0};
  int open = 0, looked = 0;
  for (uint64_t i = 0; i < CHECK_REPEATS(60000, 300); i++) {
    double q[16], tip[3], w[3], wrist[3], elbow[3], to[3], off[3], target[3], give[1];
    int32_t near[1];
    hik_random_q(s.model, 7, i / 20, q);
    if (i % 3 == 0) q[4] = i % 2 ? 0 : 1e-3 * hik_rng_uniform(&rng); /* straight */
    if (i % 3 == 1)
      q[4] = 2.3 + 0.5 * hik_rng_uniform(&rng); /* where the angle at the shoulder is greatest */
    access_tip(s.model, ARM_ASIDE, q, tip);
    double tolerance = i % 2 ? 1e-3 : 1e-5, wide = exp2(-12 * hik_rng_uniform(&rng)) * 0.6;
    for (int k = 0; k < 3; k++) off[k] = hik_rng_uniform(&rng) - 0.5;
    hik_axpy3(tip, 0.999 * tolerance / hik_norm(off), off, target);
    hik_world *world;
    CHECK(hik_world_create(NULL, 0, &world, &error) == HIK_OK);
    hik_arm_search search = hik_arm_begin(s.arm, world, give, target, tolerance, near);
    hik_arm_cell c = {.obstacle = -1};
    posture_of(&s, q, &search, tip, w, wrist, elbow, &c.face, to);
    for (int k = 0; k < 3; k++) {
      c.half[k] = wide * (i % 5 ? hik_rng_uniform(&rng) : 1);
      c.at[k] = to[k] + c.half[k] * (2 * hik_rng_uniform(&rng) - 1);
      if (k < 2) c.at[k] = hik_clip(c.at[k], -1 + c.half[k], 1 - c.half[k]);
    }
    hik_arm_place p;
    hik_arm_place_hand(&search, &c, &p);
    hik_sub3(wrist, p.wrist, off);
    CHECK(hik_norm(off) <= p.mw + 1e-9);
    CHECK(hik_arm_place_elbow(&search, &c, &p));
    looked++;
    if (p.open) {
      open++;
    } else {
      most[0] = fmax(most[0], hik_norm(off) / p.mw);
      hik_sub3(elbow, p.elbow, off);
      CHECK(hik_norm(off) <= p.me + 1e-9);
      most[1] = fmax(most[1], hik_norm(off) / p.me);
      CHECK(!hik_arm_beyond(&search, &p));
      for (int b = 0; b < HIK_ARM_BONES; b++)
        for (int k = 0; k < s.arm->bone[b].balls; k += 4) {
          double along = s.arm->bone[b].along[k], mine[3], at[3],
                 moves = hik_arm_ball(&search, &p, b, along, at);
          if (b == HIK_ARM_HAND)
            hik_axpy3(tip, along, w, mine);
          else
            for (int j = 0; j < 3; j++)
              mine[j] = b == HIK_ARM_FORE ? elbow[j] + along * (wrist[j] - elbow[j])
                                          : s.arm->shoulder[j] + along * (elbow[j] - s.arm->shoulder[j]);
          hik_sub3(mine, at, off);
          CHECK(hik_norm(off) <= moves + 1e-9);
          most[2] = fmax(most[2], hik_norm(off) / moves);
        }
    }
    hik_world_free(world);
  }
  CHECK(open < looked / 2);
  CHECK(most[0] > 0.95 && most[1] > 0.7 && most[2] > 0.9); /* and they are no idle bounds */
  leave(&s);
}

/* Free postures among obstacles that they all but touch: whatever is asked of their hands' places, it is no "blocked". */
static void test_no_free_posture_is_denied(void) {
  standing s;
  stand(&s, 0.03, 1.0);
  hik_rng rng = hik_rng_start(11, 1);
  for (uint64_t i = 0; i < CHECK_REPEATS(150, 4); i++) {
    double q[16], tip[3], gives[12] = {0}, near[12];
    hik_shape shape[12];
    int32_t list[12];
    hik_world *w;
    hik_random_q(s.model, 5, i, q);
    access_tip(s.model, ARM_ASIDE, q, tip);
    for (int k = 0; k < 12; k++) {
      double *p = shape[k].pose;
      shape[k] =
          box(0, 0, 0, 0.3 * hik_rng_uniform(&rng), 0.3 * hik_rng_uniform(&rng), 0.3 * hik_rng_uniform(&rng));
      double turn[4];
      hik_rng_rotation(&rng, turn);
      hik_quat_to_mat(turn, p);
      for (int j = 0; j < 3; j++) p[9 + j] = (hik_rng_uniform(&rng) - 0.5) * 0.8;
    }
    CHECK(hik_world_create(shape, 12, &w, &error) == HIK_OK);
    hik_check *check = hik_check_begin(hik_allocate(hik_check_size(s.body, w)), s.body, w);
    hik_check_place(check, q, 1);
    /* what the posture overlaps gives way by a hair more than that */
    hik_near pair[12 * 4];
    int32_t n = hik_check_near(check, 0.0005, 0, pair, 12 * 4);
    for (int k = 0; k < 12; k++) near[k] = 1;
    for (int32_t k = 0; k < n; k++) near[pair[k].other] = fmin(near[pair[k].other], pair[k].distance[0]);
    for (int k = 0; k < 12; k++) gives[k] = near[k] < 0 ? -near[k] + 1e-5 : 0;
    hik_arm_proof p = hik_arm_prove(s.arm, w, gives, tip, 1e-4, 20000, list, NULL);
    CHECK(p.outcome != HIK_ARM_BLOCKED);
    hik_release(check), hik_world_free(w);
  }
  leave(&s);
}

static void test_what_is_no_arm_is_refused(void) {
  access_figure a;
  hik_model *m = access_arm(&a); /* on a trunk */
  hik_reach *r = NULL;
  hik_arm *arm = NULL;
  hik_figure *body = NULL;
  int32_t frame = 0;
  double ends[6] = {0}, radius = 0.1;
  hik_figure_def def = {m, 1, 0, &frame, ends, &radius, NULL, NULL};
  CHECK(hik_figure_create(&def, &body, &error) == HIK_OK);
  CHECK(hik_reach_create(m, ACCESS_JOINTS - 1, HIK_REACH_ARM, &r, &error) == HIK_OK);
  CHECK(hik_arm_create(r, body, &arm, &error) == HIK_UNSUPPORTED && !arm);
  CHECK(strstr(error.text, "stands still") != NULL);
  hik_figure_free(body), hik_reach_free(r), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_bodies_lie_on_their_bones);
  RUN(test_a_hole_in_a_wall);
  RUN(test_the_wrist_counts);
  RUN(test_no_posture_of_a_cell_is_farther_than_its_bounds);
  RUN(test_no_free_posture_is_denied);
  RUN(test_what_is_no_arm_is_refused);
  CHECK_END();
}
