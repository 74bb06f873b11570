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

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_no_point_of_an_edge_is_beyond_the_bound);
  CHECK_END();
}
