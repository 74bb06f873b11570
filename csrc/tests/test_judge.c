/* test_judge.c: term/judge.c: the only place that says "met". */
#include "term/term.h"

#include <stdlib.h>

#include "check.h"
#include "figures.h"

static hik_error error;
static hik_model *model;
static hik_problem *problem;
static void *scratch;

static hik_term term_of(const char *name, int32_t frame) {
  hik_term t = hik_term_default(hik_find(HIK_TERMS, name));
  t.frame = frame;
  return t;
}

static bool start(const figure *f, const hik_term *term, int32_t n) {
  model = NULL, problem = NULL;
  bool good = hik_model_create(&f->def, &model, &error) == HIK_OK &&
              hik_problem_create(model, term, n, &problem, &error) == HIK_OK;
  if (!good) printf("%s\n", error.text);
  CHECK(good);
  scratch = good ? malloc(hik_scratch_size(model)) : NULL;
  return good && scratch;
}

static void stop(void) {
  free(scratch);
  hik_problem_free(problem);
  hik_model_free(model);
}

static void test_met_within_the_tolerance_and_not_beyond(void) {
  figure f;
  figure_planar(&f, 3);
  hik_term t = term_of("position", 2);
  t.position_tolerance = 1e-3;
  if (!start(&f, &t, 1)) return;
  double q[3] = {0.3, -0.7, 1.1}, pose[16], e, position, orientation;
  bool met;
  hik_frame(model, 2, 1, q, pose, scratch);
  static const double off[] = {0, 0.5e-3, 0.999e-3, 1.001e-3, 1, 1e150};
  for (int i = 0; i < HIK_COUNT_OF(off); i++) {
    double target[3] = {pose[3], pose[7], pose[11] + off[i]};
    hik_judge(problem, 1, target, q, &e, &position, &orientation, &met, scratch);
    CHECK_NEAR(position, off[i], 1e-12 * off[i] + 1e-15);
    CHECK_NEAR(e, off[i], 1e-12 * off[i] + 1e-15);
    CHECK(orientation == 0);
    CHECK(met == (off[i] <= 1e-3));
  }
  stop();
}

static void test_outside_the_limits_is_not_met(void) {
  figure f;
  figure_planar(&f, 2);
  hik_term t = term_of("position", 1);
  if (!start(&f, &t, 1)) return;
  double q[2] = {2 + 1e-9, 0}, pose[16];
  bool met;
  hik_frame(model, 1, 1, q, pose, scratch);
  double target[3] = {pose[3], pose[7], pose[11]};
  hik_judge(problem, 1, target, q, NULL, NULL, NULL, &met, scratch);
  CHECK(!met);
  q[0] = 2;
  hik_judge(problem, 1, target, q, NULL, NULL, NULL, &met, scratch);
  CHECK(met);
  stop();
}

static void test_a_quaternion_off_its_length_is_not_met(void) {
  figure f;
  figure_start(&f);
  figure_joint(&f, -1, HIK_BALL);
  hik_term t = term_of("position", 0);
  t.position_tolerance = 10; /* met by any rotation */
  if (!start(&f, &t, 1)) return;
  double target[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};
  bool met;
  hik_judge(problem, 1, target, q, NULL, NULL, NULL, &met, scratch);
  CHECK(met);
  q[0] = 1.001;
  hik_judge(problem, 1, target, q, NULL, NULL, NULL, &met, scratch);
  CHECK(!met);
  stop();
}

static void test_what_is_not_a_number_is_never_met(void) {
  figure f;
  figure_planar(&f, 2);
  hik_term t = term_of("position", 1);
  t.position_tolerance = INFINITY;
  if (!start(&f, &t, 1)) return;
  double q[2] = {NAN, 0}, target[3] = {NAN, 0, 0};
  bool met;
  hik_judge(problem, 1, (double[3]){0, 0, 0}, q, NULL, NULL, NULL, &met, scratch);
  CHECK(!met);
  q[0] = 0;
  hik_judge(problem, 1, target, q, NULL, NULL, NULL, &met, scratch);
  CHECK(!met);
  stop();
}

/* Neither is an error whose square is no number any more, though the distance is one. */
static void test_what_squares_to_infinity_is_not_met(void) {
  figure f;
  figure_planar(&f, 2);
  hik_term t = term_of("position", 1);
  t.position_tolerance = INFINITY;
  if (!start(&f, &t, 1)) return;
  double q[2] = {0, 0}, error, distance, target[3] = {0, 1e150, 0};
  bool met;
  hik_judge(problem, 1, target, q, &error, &distance, NULL, &met, scratch);
  CHECK(met && error == 1e150);
  target[1] = 1e160;
  hik_judge(problem, 1, target, q, &error, &distance, NULL, &met, scratch);
  CHECK(!met && error == INFINITY && distance == 1e160);
  stop();
}

/* Of a term of the caller's: the frame's origin. */
static bool where(void *context, const double *target, const double *poses, double *out) {
  (void)context, (void)target;
  for (int i = 0; i < 3; i++) out[i] = poses[4 * i + 3];
  return true;
}

/* Two carriages on two slides each, whose positions overflow, and a hinge that no sine is known of: every kind of term,
   however wide its tolerance, says that it is not met, and that nobody knows how far it is off. */
static void test_no_kind_of_term_takes_nan_for_met(void) {
  static const double corners[] = {0, 0, 1, 0, 0, 1}, axes[] = {1, 0, 0, 1, 0, 1, 0, 2},
                      inertial[50] = {1, [10] = 1, [20] = 1, [30] = 1, [40] = 1};
  for (int32_t kind = 0; kind < hik_count(HIK_TERMS); kind++) {
    figure f;
    figure_planar(&f, 5);
    for (int k = 0; k < 4; k++) f.kind[k] = HIK_PRISMATIC;
    f.parent[2] = -1, f.parent[4] = 1;
    for (int k = 0; k < 5; k++) f.lower[k] = -INFINITY, f.upper[k] = INFINITY;
    f.def.inertial = inertial;
    hik_term t = hik_term_default(kind);
    const hik_term_class *c = hik_term_classes[kind];
    const hik_own own = {.n_frame = 1, .frame = {4}, .rows = 3, .metric = 3, .residual = where};
    if (c->caps & HIK_IS_SOFT || strcmp(c->name, "obstacles") == 0)
      continue; /* test_obstacles.c has that kind */
    t.frame = c->caps & (HIK_IS_WHOLE | HIK_IS_OWN) ? -1 : 4, t.other = 3, t.own = &own;
    t.position_tolerance = t.orientation_tolerance = INFINITY;
    if (strcmp(c->name, "support") == 0) t.data = corners, t.n_data = HIK_COUNT_OF(corners);
    if (c->rows == HIK_AS_AXES) t.data = axes, t.n_data = HIK_COUNT_OF(axes);
    if (!start(&f, &t, 1)) return;
    double q[5] = {1.7e308, 1.7e308, -1.7e308, -1.7e308, 1e301}, target[7] = {0, 0, 1, 1, 0, 0, 0}, e,
           position, orientation, distance, angle, row[HIK_MOST_ROWS];
    bool met, term_met;
    if (problem->width == 4) memcpy(target, (double[4]){1, 0, 0, 0}, 4 * sizeof *target);
    hik_judge(problem, 1, target, q, &e, &position, &orientation, &met, scratch);
    CHECK(!met && isnan(e) && isnan(position) && isnan(orientation));
    hik_measure_terms(problem, 1, target, q, &distance, &angle, &term_met, scratch);
    CHECK(!term_met && !(distance + angle < INFINITY));
    for (int k = 0; k < HIK_MOST_ROWS; k++) row[k] = 42; /* what the memory held */
    hik_residual(problem, 1, target, q, row, scratch);
    for (int32_t k = 0; k < problem->rows; k++) CHECK(row[k] != 42);
    stop();
  }
}

static void test_all_terms_must_hold_and_the_worst_is_told(void) {
  figure f;
  figure_planar(&f, 4);
  hik_term t[] = {term_of("position", 3), term_of("position", 1), term_of("orientation", 3)};
  t[0].position_tolerance = t[1].position_tolerance = 0.05;
  t[2].orientation_tolerance = 0.2;
  t[1].weight = 10;
  if (!start(&f, t, 3)) return;
  double q[4] = {0.1, 0.2, 0.3, 0.4}, a[16], b[16], e, position, orientation, turned = 1.0 + 0.15;
  bool met;
  hik_frame(model, 3, 1, q, a, scratch);
  hik_frame(model, 1, 1, q, b, scratch);
  double target[10] = {a[3] + 0.01, a[7], 0, b[3], b[7] + 0.03, 0, cos(turned / 2), 0, 0, sin(turned / 2)};
  hik_judge(problem, 1, target, q, &e, &position, &orientation, &met, scratch);
  CHECK(met);
  CHECK_NEAR(position, 0.03, 1e-14);
  CHECK_NEAR(orientation, 0.15, 1e-14);
  CHECK_NEAR(e, sqrt(0.01 * 0.01 + 0.3 * 0.3 + 0.15 * 0.15), 1e-13); /* weights scale the residual */
  target[4] += 0.03;                                                 /* the second one fails alone */
  hik_judge(problem, 1, target, q, NULL, NULL, NULL, &met, scratch);
  CHECK(!met);
  stop();
}

static void test_the_jacobian_of_the_residual_is_its_derivative(void) {
  const double h = 1e-6;
  figure f;
  figure_of_every_kind(&f);
  hik_term t[] = {term_of("pose", HIK_FREE), term_of("axis", 9), term_of("position", 8)};
  t[1].weight = 3;
  if (!start(&f, t, 3)) return;
  int32_t nv = model->nv, rows = problem->rows;
  double q[FIGURE_NQ] = {0}, v[FIGURE_NQ], moved[FIGURE_NQ], a[12], b[12];
  double *jac = malloc((size_t)(rows * nv) * sizeof *jac);
  double target[13] = {0.5, 0.2, -0.1, 0.9, 0.1, 0.3, 0.2, 0, 1, 1, 0.4, 0.1, 0};
  for (int draw = 0; jac && draw < 10; draw++) {
    hik_random_q(model, 31, (uint64_t)draw, q);
    hik_residual_jacobian(problem, 1, target, q, jac, scratch);
    for (int32_t k = 0; k < nv; k++) {
      memset(v, 0, sizeof v);
      v[k] = h;
      hik_integrate(model, 1, q, v, moved);
      hik_residual(problem, 1, target, moved, a, scratch);
      v[k] = -h;
      hik_integrate(model, 1, q, v, moved);
      hik_residual(problem, 1, target, moved, b, scratch);
      for (int32_t i = 0; i < rows; i++) CHECK_NEAR(jac[i * nv + k], (a[i] - b[i]) / (2 * h), 1e-7);
    }
  }
  free(jac);
  stop();
}

static void test_a_batch_is_its_rows(void) {
  enum { N = 7 };
  figure f;
  figure_of_every_kind(&f);
  hik_term t = term_of("pose", HIK_FREE);
  if (!start(&f, &t, 1)) return;
  double q[N * FIGURE_NQ] = {0}, target[N * 7], e[N], one;
  bool met[N];
  hik_rng rng = hik_rng_start(6, 1);
  for (int i = 0; i < N; i++) {
    hik_random_q(model, 41, (uint64_t)i, q + i * model->nq);
    for (int k = 0; k < 7; k++) target[7 * i + k] = hik_rng_uniform(&rng);
  }
  hik_judge(problem, N, target, q, e, NULL, NULL, met, scratch);
  for (int i = 0; i < N; i++) {
    hik_judge(problem, 1, target + 7 * i, q + i * model->nq, &one, NULL, NULL, NULL, scratch);
    CHECK(memcmp(&one, e + i, sizeof one) == 0);
  }
  stop();
}

/* Targets of every other row at turns of 1, 0.1, .. 1e-17 from where it stands, and the first where it stands. */
static void draw_near(int32_t frame, int n, int32_t nq, const double *q, double *target) {
  hik_rng rng = hik_rng_start(8, 1);
  for (int i = 0; i < n; i += 2) {
    double pose[16], r[9], turn[3], size = pow(10, -0.5 * i), *to = target + 7 * i;
    hik_frame(model, frame, 1, q + i * nq, pose, scratch);
    for (int k = 0; k < 9; k++) r[k] = pose[4 * (k / 3) + k % 3];
    hik_quat_from_mat(r, to + 3);
    for (int k = 0; k < 3; k++) {
      turn[k] = i == 0 ? 0 : size * hik_rng_uniform(&rng);
      to[k] = pose[4 * k + 3] + turn[k];
    }
    hik_quat_exp(turn, r);
    hik_quat_mul(r, to + 3, to + 3);
  }
}

/* Row by row and some at a time: the same bytes, whatever else is in the batch and whichever instruction set. */
static void test_some_at_a_time_are_judged_like_one(void) {
  enum { N = HIK_JUDGE_LANES + 5, NQ = 6, WIDTH = 7 };
  static const char *const sets[] = {"base", "avx2", "avx512"};
  static const char *const kinds[] = {"pose", "position", "axis"};
  for (int k = 0; k < HIK_COUNT_OF(kinds); k++) {
    figure f;
    figure_planar(&f, NQ);
    hik_term t = term_of(kinds[k], NQ - 1);
    if (!start(&f, &t, 1)) return;
    double q[N * NQ], target[N * WIDTH], e[N], position[N], orientation[N];
    bool met[N];
    hik_rng rng = hik_rng_start(7, 1);
    size_t width = (size_t)hik_problem_target_width(problem);
    for (int i = 0; i < N * NQ; i++) q[i] = 4 * hik_rng_uniform(&rng) - 2;
    for (int i = 0; i < N * WIDTH; i++) target[i] = hik_rng_uniform(&rng);
    if (width == WIDTH) draw_near(t.frame, N, NQ, q, target);
    q[NQ] = NAN;
    for (int set = 0; set < HIK_COUNT_OF(sets); set++) {
      if (!hik_simd_select(sets[set])) continue;
      hik_judge(problem, N, target, q, e, position, orientation, met, scratch);
      for (size_t i = 0; i < N; i++) {
        hik_verdict v;
        hik_judge_one(problem, target + i * width, q + i * NQ, scratch, &v);
        CHECK(i == 1 ||
              (e[i] == v.error && position[i] == v.position_error && orientation[i] == v.orientation_error));
        CHECK(met[i] == v.met && (i != 1 || !met[i]));
      }
    }
    CHECK(hik_simd_select("auto"));
    stop();
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_met_within_the_tolerance_and_not_beyond);
  RUN(test_outside_the_limits_is_not_met);
  RUN(test_a_quaternion_off_its_length_is_not_met);
  RUN(test_what_is_not_a_number_is_never_met);
  RUN(test_what_squares_to_infinity_is_not_met);
  RUN(test_no_kind_of_term_takes_nan_for_met);
  RUN(test_all_terms_must_hold_and_the_worst_is_told);
  RUN(test_the_jacobian_of_the_residual_is_its_derivative);
  RUN(test_a_batch_is_its_rows);
  RUN(test_some_at_a_time_are_judged_like_one);
  CHECK_END();
}
