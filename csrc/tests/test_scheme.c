/* test_scheme.c: chains of three to seven joints as loops of six: the posture that made a pose stands alone among the
   answers, on right angles too, and what could hide one is told. */
#include "analytic/scheme.h"
#include "tests/arms.h"
#include "tests/check.h"

#include <stdlib.h>

static hik_general6_work *work;
static hik_scheme schemes[HIK_MOST_SCHEMES];
static const hik_wish pose_wish = {.pose = true, .lock = -1};

static hik_chain chain_of(int n, const double *d, const double *a, const double *alpha, int slides) {
  hik_chain c = {.n = n, .base = hik_pose_identity, .scale = 1};
  for (int i = 0; i < n; i++) {
    c.kind[i] = slides >> i & 1, c.q[i] = i, c.line[i][0] = 1;
    c.lower[i] = -INFINITY, c.upper[i] = INFINITY;
    c.link[i] = dh_link(d[i], a[i], alpha[i]);
  }
  return c;
}

/* What closes the loop at theta. */
static hik_pose rest_at(const hik_chain *c, const double *theta) {
  hik_pose at = hik_pose_identity, moved, rest;
  for (int i = 0; i < c->n; i++) {
    hik_loop_move(c->kind[i], theta[i], &at, &moved);
    hik_pose_mul(&moved, &c->link[i], &at);
  }
  hik_pose_inverse(&at, &rest);
  return rest;
}

/* Whether some answer has the chain's joints at theta and the added ones at rest; *sure as the scheme says. */
static bool finds(const hik_chain *c, const hik_wish *wish, const hik_scheme *s, const double *theta,
                  bool *sure) {
  hik_answers found;
  hik_pose rest = rest_at(c, theta);
  hik_scheme_run(c, wish, s, &rest, wish->lock < 0 ? 0 : theta[wish->lock], work, &found);
  *sure = found.sure;
  for (int k = 0; k < found.count; k++) {
    double most = 0;
    for (int i = 0, j = 0; i < c->n; i++) {
      if (i == wish->lock) continue;
      double gap = found.posture[k].theta[j++] - theta[i];
      most = fmax(most, fabs(c->kind[i] ? gap : hik_wrap(gap)));
    }
    for (int i = c->n; i < 6; i++) most = fmax(most, fabs(found.posture[k].theta[i]));
    if (most < 1e-6) return true;
  }
  return false;
}

#define Q (HIK_PI / 2)
/* d, a, alpha */
static const double shoulder[3][5] = {{0.1, 0, 0.3, 0}, {0, 0, 0, 0.2}, {Q, -Q, Q, 0}};
static const double planar_first[3][5] = {{0, 0, 0.3, 0.3, 0.3}, {0.4, 0.4, 0, 0, 0}, {0, 0, Q, 1, 1}};
static const double scara[3][5] = {{0.3, 0, 0, 0.1}, {0.4, 0.3, 0, 0}, {0, HIK_PI, 0, 0}};
static const double skew[3][5] = {
    {0.1, 0.3, 0.2, -0.2, 0.3}, {0.2, -0.3, 0.4, 0.2, 0.1}, {1, 2, -1, 0.5, 1.3}};

static void test_first_scheme_of_short_arms(void) {
  static const struct {
    const double (*dh)[5];
    int n, slides;
    hik_arm_method method;
  } arms[] = {{shoulder, 4, 0, HIK_ARM_WRIST},       {planar_first, 5, 0, HIK_ARM_PARALLEL},
              {scara, 4, 4, HIK_ARM_WRIST},          {skew, 5, 0, HIK_ARM_GENERAL},
              {skew, 5, 3, HIK_ARM_SLIDES},          {skew, 4, 8, HIK_ARM_SLIDES},
              {planar_first, 4, 0, HIK_ARM_PARALLEL}};
  hik_rng rng = hik_rng_start(81, 0);
  for (size_t k = 0; k < HIK_COUNT_OF(arms); k++) {
    const double(*dh)[5] = arms[k].dh;
    hik_chain c = chain_of(arms[k].n, dh[0], dh[1], dh[2], arms[k].slides);
    int count = hik_schemes_make(&c, &pose_wish, schemes, work), lost = 0;
    CHECK(schemes[0].method == arms[k].method);
    if (schemes[0].method != arms[k].method) printf("arm %d: method %d\n", (int)k, (int)schemes[0].method);
    CHECK(count >= 2 && schemes[count - 1].method == HIK_ARM_GENERAL);
    for (int trial = 0; trial < 50; trial++) {
      double theta[HIK_LOOP_MAX];
      bool sure;
      for (int i = 0; i < c.n; i++) theta[i] = draw(&rng, -3, 3);
      for (int s = 0; s < count; s++) {
        bool found = finds(&c, &pose_wish, &schemes[s], theta, &sure);
        lost += sure && !found;
        CHECK(s > 0 || (sure && found));
      }
    }
    CHECK(lost == 0);
  }
}

static void test_a_family_is_no_certainty(void) {
  hik_chain c = chain_of(4, shoulder[0], shoulder[1], shoulder[2], 0);
  double theta[4] = {0.4, 0, 0.9, 0.2}; /* the first and the third axis in line: one turn too many */
  bool sure;
  int count = hik_schemes_make(&c, &pose_wish, schemes, work);
  finds(&c, &pose_wish, &schemes[0], theta, &sure);
  CHECK(count > 1 && !sure);
}

static void test_thorough_has_no_closed_form(void) {
  hik_wish thorough = {.pose = true, .thorough = true, .lock = -1};
  hik_chain c = chain_of(4, shoulder[0], shoulder[1], shoulder[2], 0);
  double theta[4] = {0.4, -0.5, 0.9, 0.2};
  bool sure;
  CHECK(hik_schemes_make(&c, &thorough, schemes, work) == 2);
  for (int s = 0; s < 2; s++)
    CHECK(schemes[s].method == HIK_ARM_GENERAL && finds(&c, &thorough, &schemes[s], theta, &sure) && sure);
}

static void test_six_joints_have_one_scheme(void) {
  hik_chain c = chain_of(6, arm_puma[0], arm_puma[1], arm_puma[2], 0);
  double theta[6] = {0.3, -0.8, 0.5, 0.9, 1.2, -0.7};
  bool sure;
  CHECK(hik_schemes_make(&c, &pose_wish, schemes, work) == 1);
  CHECK(schemes[0].method == HIK_ARM_WRIST && finds(&c, &pose_wish, schemes, theta, &sure) && sure);
}

/* With the fourth of five axes that meet locked at 0 the wrist's own are in line, and nothing can be said. */
static void test_a_locked_joint_that_spoils_the_wrist(void) {
  double d[7] = {0.3, 0, 0.4, 0, 0, 0, 0.1}, a[7] = {0, 0.2, 0.3, 0, 0, 0, 0},
         alpha[7] = {Q, Q, Q, Q, -Q, Q, 0};
  hik_chain c = chain_of(7, d, a, alpha, 0);
  hik_wish wish = {.pose = true, .lock = 4};
  int32_t shift;
  CHECK(hik_scheme_class(&c, &wish, HIK_CLASS_TOLERANCE, &shift) == HIK_ARM_WRIST);
  CHECK(hik_schemes_make(&c, &wish, schemes, work) == 1 && schemes[0].method == HIK_ARM_WRIST);
  double theta[7] = {0.3, -0.8, 0.5, 0.9, 0.7, -0.7, 0.2};
  bool sure;
  CHECK(finds(&c, &wish, schemes, theta, &sure) && sure);
  theta[4] = 0;
  finds(&c, &wish, schemes, theta, &sure);
  CHECK(!sure);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  work = malloc(hik_general6_work_size());
  RUN(test_first_scheme_of_short_arms);
  RUN(test_a_family_is_no_certainty);
  RUN(test_thorough_has_no_closed_form);
  RUN(test_six_joints_have_one_scheme);
  RUN(test_a_locked_joint_that_spoils_the_wrist);
  free(work);
  CHECK_END();
}
