#include "base/quat.h"
#include "base/rng.h"
#include "base/vec.h"
#include "check.h"
#include "skin/skin.h"

enum { BONES = 3, VERTICES = 40, SHARES = 2 };

typedef struct figure {
  double rest[VERTICES][3], share[VERTICES][SHARES], mix[VERTICES], poses[BONES][7];
  int32_t bone[VERTICES][SHARES];
  hik_skin skin;
} figure;

static void draw(figure *f, uint64_t seed) {
  hik_rng rng = hik_rng_start(seed, 1);
  for (int i = 0; i < VERTICES; i++) {
    for (int k = 0; k < 3; k++) f->rest[i][k] = 2 * hik_rng_uniform(&rng) - 1;
    f->share[i][0] = 0.5 + 0.5 * hik_rng_uniform(&rng), f->share[i][1] = 1 - f->share[i][0];
    f->bone[i][0] = i % BONES, f->bone[i][1] = (i + 1) % BONES;
    f->mix[i] = hik_rng_uniform(&rng);
  }
  for (int b = 0; b < BONES; b++) {
    for (int k = 0; k < 3; k++) f->poses[b][k] = 4 * hik_rng_uniform(&rng) - 2;
    hik_rng_rotation(&rng, f->poses[b] + 3);
  }
  f->skin = (hik_skin){VERTICES, BONES, SHARES, f->rest[0], f->bone[0], f->share[0], f->mix};
}

static void moved(const double pose[7], const double v[3], double out[3]) {
  double r[9];
  hik_quat_to_mat(pose + 3, r);
  for (int i = 0; i < 3; i++) out[i] = r[3 * i] * v[0] + r[3 * i + 1] * v[1] + r[3 * i + 2] * v[2] + pose[i];
}

/* A vertex of one bone, and a body whose bones move alike, are rigid whatever shares and mix. */
static void one_motion_is_rigid(void) {
  figure f;
  double made[BONES * HIK_SKIN_BONE], out[VERTICES][3], want[3];
  for (uint64_t seed = 1; seed < 30; seed++) {
    draw(&f, seed);
    for (int b = 1; b < BONES; b++) memcpy(f.poses[b], f.poses[0], sizeof f.poses[0]);
    for (int k = 3; k < 7; k++) f.poses[1][k] = -f.poses[1][k]; /* the other quaternion of the same turn */
    hik_skin_bones(f.poses[0], BONES, made);
    hik_skin_row(&f.skin, made, out[0]);
    for (int i = 0; i < VERTICES; i++) {
      moved(f.poses[0], f.rest[i], want);
      for (int k = 0; k < 3; k++) CHECK_NEAR(out[i][k], want[k], 1e-13);
    }
  }
}

/* Two bones about a common axis, half and half: the screw turns by half the angle, the blend is the middle. */
static void half_a_turn(void) {
  const double c = sqrt(0.5);
  double rest[2][3] = {{1, 0, 0.3}, {1, 0, 0.3}}, share[2][2] = {{0.5, 0.5}, {0.5, 0.5}}, mix[2] = {0, 1};
  int32_t bone[2][2] = {{0, 1}, {0, 1}};
  double poses[2][7] = {{0, 0, 0, 1, 0, 0, 0}, {0, 0, 0.4, c, 0, 0, c}}, made[2 * HIK_SKIN_BONE], out[2][3];
  hik_skin skin = {2, 2, 2, rest[0], bone[0], share[0], mix};
  hik_skin_bones(poses[0], 2, made);
  hik_skin_row(&skin, made, out[0]);
  CHECK_NEAR(out[0][0], c, 1e-15);
  CHECK_NEAR(out[0][1], c, 1e-15);
  CHECK_NEAR(out[0][2], 0.5, 1e-15);
  CHECK_NEAR(out[1][0], 0.5, 1e-15);
  CHECK_NEAR(out[1][1], 0.5, 1e-15);
  CHECK_NEAR(out[1][2], 0.5, 1e-15);
}

static void what_is_wrong_is_refused(void) {
  figure f;
  hik_error error;
  draw(&f, 3);
  CHECK(hik_skin_check(&f.skin, &error) == HIK_OK);
  f.bone[7][1] = BONES;
  CHECK(hik_skin_check(&f.skin, &error) < 0 && strstr(error.text, "vertex 7: there is no bone 3"));
  f.bone[7][1] = -1;
  CHECK(hik_skin_check(&f.skin, &error) < 0);
  f.bone[7][1] = 0;
  f.mix[39] = 1.01;
  CHECK(hik_skin_check(&f.skin, &error) < 0 && strstr(error.text, "vertex 39: its mix"));
  f.mix[39] = -0.01;
  CHECK(hik_skin_check(&f.skin, &error) < 0);
  f.mix[39] = NAN;
  CHECK(hik_skin_check(&f.skin, &error) < 0);
  f.mix[39] = 1;
  f.share[0][0] += 2e-6;
  CHECK(hik_skin_check(&f.skin, &error) < 0 && strstr(error.text, "vertex 0: its shares"));
  f.share[0][0] -= 1.5e-6;
  CHECK(hik_skin_check(&f.skin, &error) == HIK_OK);
  f.share[0][0] = 1.2, f.share[0][1] = -0.2;
  CHECK(hik_skin_check(&f.skin, &error) < 0);
  f.share[0][0] = 0.4, f.share[0][1] = 0.6; /* the largest is not the first */
  CHECK(hik_skin_check(&f.skin, &error) < 0);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(one_motion_is_rigid);
  RUN(half_a_turn);
  RUN(what_is_wrong_is_refused);
  CHECK_END();
}
