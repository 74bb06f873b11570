/* test_families.c: arms that move while their frame stays, told from arms that do not. */
#include "analytic/families.h"
#include "tests/arms.h"
#include "tests/check.h"

static hik_chain chain_of(int n, const double *d, const double *a, const double *alpha) {
  hik_chain c = {.n = n, .base = hik_pose_identity, .scale = 1};
  for (int i = 0; i < n; i++) {
    c.q[i] = i, c.line[i][0] = 1, c.lower[i] = -3, c.upper[i] = 3;
    c.link[i] = dh_link(d[i], a[i], alpha[i]);
  }
  return c;
}

static const double none[7] = {0}, links[7] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};

static hik_pose forward(const hik_chain *c, const double *q) {
  hik_pose at = c->base, moved;
  for (int i = 0; i < c->n; i++) {
    hik_loop_move(c->kind[i], q[i], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  return at;
}

static void test_planar_chains(void) {
  for (int n = 2; n <= 7; n++) {
    hik_chain c = chain_of(n, none, links, none);
    CHECK(hik_families_everywhere(&c, true, -1) == (n > 3));
    CHECK(hik_families_everywhere(&c, false, -1) == (n > 2));
    CHECK(hik_families_everywhere(&c, true, 0) == (n > 4));
  }
  hik_chain four = chain_of(4, none, links, none);
  const double q[4] = {0.3, 0.5, -0.7, 0.4};
  CHECK(hik_families_free(&four, true, -1, q) == 15);
  CHECK(hik_families_free(&four, true, 1, q) == 0);
}

static void test_usual_arms(void) {
  const double(*arms[3])[6] = {arm_ur5, arm_puma, arm_crx};
  for (int k = 0; k < 3; k++) {
    hik_chain c = chain_of(6, arms[k][0], arms[k][1], arms[k][2]);
    CHECK(!hik_families_everywhere(&c, true, -1));
  }
  hik_chain puma = chain_of(6, arm_puma[0], arm_puma[1], arm_puma[2]);
  const double q[6] = {0.3, 0.4, 0.5, 0.6, 0, 0.2}; /* wrist in line */
  CHECK(hik_families_free(&puma, true, -1, q) == (8 | 32));
  const double near[6] = {0.3, 0.4, 0.5, 0.6, 1e-5, 0.2}; /* not there */
  CHECK(hik_families_free(&puma, true, -1, near) == 0);
}

static void test_one_of_a_family(void) {
  hik_chain c = chain_of(5, none, links, none);
  const double q[5] = {0.3, 0.5, -0.7, 0.4, 0.1}, rest[5] = {0};
  double row[HIK_LOOP_MAX];
  hik_pose goal = forward(&c, q);
  CHECK(hik_families_one(&c, true, -1, 0, &goal, rest, row));
  hik_pose at = forward(&c, row);
  for (int i = 0; i < 3; i++) CHECK_NEAR(at.t[i], goal.t[i], 1e-9);
  CHECK(hik_families_one(&c, true, 2, 0.25, &goal, rest, row));
  CHECK(row[2] == 0.25);
  goal.t[0] = 9;
  CHECK(!hik_families_one(&c, true, -1, 0, &goal, rest, row));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_planar_chains);
  RUN(test_usual_arms);
  RUN(test_one_of_a_family);
  CHECK_END();
}
