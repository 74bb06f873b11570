/* test_general6.c: one elimination: each of the 12 variants finds the posture that closed the loop before any polish. */
#include "analytic/general6.h"
#include "tests/arms.h"
#include "tests/check.h"

#include <stdlib.h>

static hik_general6_work *work;

static void test_every_variant_alone(void) {
  hik_rng rng = hik_rng_start(12, 0);
  int lost = 0, off = 0;
  for (int k = 0; k < 30; k++) {
    hik_loop loop = random_arm(&rng);
    double q[6];
    random_posture(&loop, &rng, q);
    close_at(&loop, q);
    for (int v = 0; v < HIK_VARIANTS; v++) {
      hik_general6_found found;
      CHECK(hik_general6_variant(&loop, v, 1e-3, work, &found));
      CHECK(found.count >= found.real && found.real % 2 == 0);
      lost += !among(&loop, q, found.theta, found.count, 1e-3);
      off += !among(&loop, q, found.theta, found.count, 1e-7);
    }
  }
  CHECK(lost == 0);
  CHECK(off <= 3); /* ill-conditioned now and then */
}

static void test_the_last_joint_must_turn(void) {
  hik_rng rng = hik_rng_start(12, 1);
  hik_loop loop = random_arm(&rng);
  double q[6];
  loop.kind[2] = 1;
  random_posture(&loop, &rng, q);
  close_at(&loop, q);
  int refused = 0;
  for (int v = 0; v < HIK_VARIANTS; v++) {
    hik_general6_found found;
    bool usable = hik_general6_variant(&loop, v, 1e-3, work, &found);
    refused += !usable;
    CHECK(usable ? among(&loop, q, found.theta, found.count, 1e-3) : found.count == 0);
  }
  CHECK(refused == 2);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  work = malloc(hik_general6_work_size());
  RUN(test_every_variant_alone);
  RUN(test_the_last_joint_must_turn);
  free(work);
  CHECK_END();
}
