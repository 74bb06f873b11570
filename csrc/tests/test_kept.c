/* Bounds of terms along edges, against points of the edge. */
#include "plan/kept.h"

#include "check.h"
#include "figures.h"

enum { POINTS = 500 };

typedef struct kind {
  const char *name;
  bool known;
  double param[8];
  int32_t n_param;
} kind;

static double sampled(hik_kept *kept, const double *target, const double *q0, const double *v, int32_t nv) {
  double most = 0, part[16], none[16] = {0}, at[16];
  for (int i = 0; i <= POINTS; i++) {
    for (int32_t k = 0; k < nv; k++) part[k] = v[k] * i / POINTS, at[k] = q0[k] + part[k];
    most = fmax(most, hik_kept_along(kept, target, at, none, 1, INFINITY));
  }
  return most;
}

static void test_no_point_of_an_edge_is_beyond_the_bound(void) {
  static const kind kinds[] = {{"position", true, {0}, 0},
                               {"orientation", true, {0}, 0},
                               {"pose", true, {0}, 0},
                               {"axis", true, {0}, 0},
                               {"level", true, {0, 1, 0, 0, 0, 1, 1.1}, 7},
                               {"level", true, {0, 1, 0, 0, 0, 1, 0}, 7},
                               {"look_at", true, {1, 0, 0, 0.1, 0, 0.2}, 6},
                               {"distance", false, {0}, 0}};
  figure f;
  figure_planar(&f, 5);
  static const double across[3] = {0, 1, 0};
  for (int j = 1; j < 5; j += 2) memcpy(f.axis + 3 * j, across, sizeof across); /* out of the plane */
  hik_model *m = NULL;
  hik_error error;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  hik_rng rng = hik_rng_start(1, 2);
  for (size_t k = 0; k < HIK_COUNT_OF(kinds); k++) {
    hik_problem *p = NULL;
    hik_term term = hik_term_default(hik_find(HIK_TERMS, kinds[k].name));
    term.frame = f.def.n_frame - 1, term.position_tolerance = 1e-2, term.orientation_tolerance = 1e-2;
    if (kinds[k].n_param) memcpy(term.param, kinds[k].param, sizeof(double) * (size_t)kinds[k].n_param);
    if (!kinds[k].known) term.other = 0;
    CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
    hik_kept *kept = hik_kept_create(p, m);
    CHECK(kept && hik_kept_known(kept) == kinds[k].known);
    int near = 0;
    for (int n = 0; n < CHECK_REPEATS(100, 10); n++) {
      double q0[5], v[5], target[8] = {0.6, 0.3, 0.2, 1, 0, 0, 0}, long_ = n % 2 ? 0.05 : 0.5;
      if (kinds[k].name[0] == 'o' || kinds[k].name[0] == 'a') target[0] = 1, target[1] = target[2] = 0;
      for (int i = 0; i < 5; i++)
        q0[i] = 4 * hik_rng_uniform(&rng) - 2, v[i] = long_ * (2 * hik_rng_uniform(&rng) - 1);
      double most = sampled(kept, target, q0, v, 5), few = hik_kept_along(kept, target, q0, v, 2, INFINITY),
             many = hik_kept_along(kept, target, q0, v, 64, INFINITY);
      if (kinds[k].known) CHECK(most <= few * (1 + 1e-12) + 1e-12 && most <= many * (1 + 1e-12) + 1e-12);
      near += many <= most * 1.01 + 0.1;
    }
    CHECK(near >= CHECK_REPEATS(80, 8) || k == 4 ||
          k == 6); /* what is far off its level or gaze is not known */
    hik_kept_free(kept);
    hik_problem_free(p);
  }
  hik_model_free(m);
}

/* One joint, and one that follows it: a hinge, a slide, a ball, a hinge that another goes with three times as fast. */
static hik_model *simple(int which) {
  static const int32_t kinds[] = {HIK_REVOLUTE, HIK_PRISMATIC, HIK_BALL, HIK_REVOLUTE};
  static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, kinds[which]);
  memcpy(f.axis, which == 1 ? along : up, sizeof up), memcpy(f.axis2, which == 1 ? up : along, sizeof up);
  if (which == 3) {
    figure_joint(&f, 0, HIK_REVOLUTE);
    memcpy(f.axis + 3, up, sizeof up), memcpy(f.axis2 + 3, along, sizeof along);
    f.mimic[1] = 0, f.mimic_line[2] = 3;
  }
  hik_model *m = NULL;
  hik_error error;
  CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
  return m;
}

/* Targets that the way bulges away from: far behind, half a turn about the hinge, close beside the eye. */
static void draw_term(hik_rng *rng, int kind, hik_term *term, double target[7]) {
  static const char *const names[] = {"position", "orientation", "axis", "level", "look_at"};
  double x[3], turn = 2 * HIK_PI * hik_rng_uniform(rng), far = pow(10, 3 * hik_rng_uniform(rng) - 1.5);
  for (int i = 0; i < 3; i++) x[i] = 2 * hik_rng_uniform(rng) - 1;
  hik_unit(x, x);
  *term = hik_term_default(hik_find(HIK_TERMS, names[kind]));
  term->position_tolerance = term->orientation_tolerance = 1;
  for (int i = 0; i < 3; i++) target[i] = far * x[i];
  if (kind == 1) target[0] = cos(turn), target[1] = target[2] = 0, target[3] = sin(turn);
  if (kind == 2 && hik_rng_uniform(rng) < 0.5) target[2] = 0;
  if (kind == 3) {
    const double tilt = 0.2 + hik_rng_uniform(rng);
    const double level[7] = {sin(tilt), 0, cos(tilt), x[0], x[1], x[2], HIK_PI * hik_rng_uniform(rng)};
    memcpy(term->param, level, sizeof level);
  }
  if (kind == 4) {
    const double eye[6] = {cos(turn), sin(turn), 0, 3 * hik_rng_uniform(rng), 0, 0};
    memcpy(term->param, eye, sizeof eye);
    for (int i = 0; i < 3; i++) target[i] = eye[3] * (i == 0) + 0.3 + 0.7 * x[i];
  }
}

/* Long edges in one piece or a few, where all that is said of a piece is what its ends lack. */
static void test_a_piece_is_bounded_by_more_than_its_ends(void) {
  hik_rng rng = hik_rng_start(5, 1);
  int beyond[5] = {0}; /* the ends alone would have said too little */
  for (int n = 0; n < CHECK_REPEATS(40000, 4000); n++) {
    hik_model *m = simple(n % 4);
    int kind = n / 4 % 5;
    hik_term term;
    hik_problem *p = NULL;
    hik_error error;
    double target[7] = {0}, q[4] = {1, 0, 0, 0}, v[3] = {0}, at[4], part[3], none[3] = {0}, most = 0;
    draw_term(&rng, kind, &term, target);
    term.frame = n % 4 == 3;
    CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
    hik_kept *kept = hik_kept_create(p, m);
    CHECK(kept && hik_kept_known(kept));
    if (m->nq < 4) q[0] = 0;
    for (int i = 0; i < m->nv; i++) v[i] = (n % 4 == 3 ? 0.4 : 1.5) * (2 * hik_rng_uniform(&rng) - 1);
    int32_t pieces = 1 + n % 3;
    double bound = hik_kept_along(kept, target, q, v, pieces, INFINITY), ends = 0;
    for (int i = 0; i <= 60; i++) {
      for (int k = 0; k < m->nv; k++) part[k] = v[k] * i / 60;
      hik_integrate(m, 1, q, part, at);
      double here = hik_kept_along(kept, target, at, none, 1, INFINITY);
      most = fmax(most, here);
      if (i * pieces % 60 == 0) ends = fmax(ends, here);
    }
    CHECK(most <= bound * (1 + 1e-12) + 1e-12);
    beyond[kind] += most > ends * (1 + 1e-3);
    hik_kept_free(kept), hik_problem_free(p), hik_model_free(m);
  }
  for (int k = 0; k < 5; k++) CHECK(beyond[k] > CHECK_REPEATS(200, 20));
}

/* Where a joint follows a ball, or a slide has no end, or the other frame moves, only places are looked at. */
static void test_of_some_ways_nothing_is_known(void) {
  for (int which = 0; which < 4; which++) {
    figure f;
    double swing[3 * HIK_FOLLOW_TERMS] = {0}, target[4] = {0.1, 0.2, 0.3}, q[8] = {1}, v[8] = {0};
    const double up[4] = {0, 0, 1, 1};
    figure_start(&f);
    figure_joint(&f, -1, HIK_BALL);
    figure_joint(&f, 0, HIK_REVOLUTE);
    figure_joint(&f, 1, which == 1 ? HIK_PRISMATIC : HIK_REVOLUTE);
    for (int i = 0; i < FIGURE_NQ; i++) f.lower[i] = -INFINITY, f.upper[i] = INFINITY;
    swing[0] = swing[2 * HIK_FOLLOW_TERMS] = NAN, swing[HIK_FOLLOW_TERMS + 1] = 0.3;
    if (which == 0) f.mimic[1] = 0, f.def.mimic_swing = swing;
    hik_model *m = NULL;
    hik_problem *p = NULL;
    hik_error error;
    CHECK(hik_model_create(&f.def, &m, &error) == HIK_OK);
    hik_term term = hik_term_default(hik_find(HIK_TERMS, which == 2 ? "position_axes" : "position"));
    term.frame = 2, term.other = which == 2 ? 0 : -1;
    if (which == 2) term.data = up, term.n_data = 4;
    CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
    hik_kept *kept = hik_kept_create(p, m);
    CHECK(kept && hik_kept_known(kept) == (which == 3));
    q[m->step_q[0] + 0] = 1, target[0] = NAN;
    CHECK(hik_kept_along(kept, target, q, v, 1, INFINITY) == INFINITY);
    hik_kept_free(kept), hik_problem_free(p), hik_model_free(m);
  }
}

/* An eye that passes the point it looks at, between the places, sees it in any direction. */
static void test_an_eye_may_pass_its_point(void) {
  hik_model *m = simple(1);
  hik_problem *p = NULL;
  hik_error error;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "look_at"));
  term.frame = 0;
  CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
  hik_kept *kept = hik_kept_create(p, m);
  const double q = 0, v = 0.6, on[3] = {0.5, 0.01, 0}, beside[3] = {0.5, 0.01, 4};
  CHECK(hik_kept_along(kept, on, &q, &v, 1, INFINITY) == INFINITY);
  CHECK(hik_kept_along(kept, beside, &q, &v, 1, INFINITY) < INFINITY);
  hik_kept_free(kept), hik_problem_free(p), hik_model_free(m);
}

/* An eye out of all numbers at one end sees nothing there, whatever it saw at the other. */
static void test_what_is_no_number_at_one_end_is_not_kept(void) {
  hik_model *m = simple(1);
  hik_problem *p = NULL;
  hik_error error;
  hik_term term = hik_term_default(hik_find(HIK_TERMS, "look_at"));
  term.frame = 0;
  CHECK(hik_problem_create(m, &term, 1, &p, &error) == HIK_OK);
  hik_kept *kept = hik_kept_create(p, m);
  const double on[3] = {0, 0, 5}, q = 1e308, still = 0, beyond = 1.5e308;
  CHECK(hik_kept_along(kept, on, &q, &still, 1, INFINITY) < INFINITY);
  CHECK(hik_kept_along(kept, on, &q, &beyond, 1, INFINITY) == INFINITY);
  hik_kept_free(kept), hik_problem_free(p), hik_model_free(m);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_point_of_an_edge_is_beyond_the_bound);
  RUN(test_a_piece_is_bounded_by_more_than_its_ends);
  RUN(test_of_some_ways_nothing_is_known);
  RUN(test_an_eye_may_pass_its_point);
  RUN(test_what_is_no_number_at_one_end_is_not_kept);
  CHECK_END();
}
