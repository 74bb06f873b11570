/* test_dispatch.c: simd/dispatch.c and the lane kernels: names, and the same bytes from every instruction set. */
#include "base/rng.h"
#include "check.h"
#include "simd/kernels.h"

static void test_names_are_checked(void) {
  CHECK(!hik_simd_select("") && !hik_simd_select("sse9") && !hik_simd_select("AVX2"));
  CHECK(hik_simd_select("auto"));
  const hik_kernels *best = hik_kernels_in_use();
  CHECK(strcmp(best->name, hik_simd()) == 0);
  CHECK(hik_simd_select(hik_kernels_base.name) && hik_kernels_in_use() == &hik_kernels_base);
  CHECK(hik_simd_select("base") &&
        hik_kernels_in_use() == &hik_kernels_base); /* whatever it is called here */
  CHECK(hik_simd_select(best->name) && hik_kernels_in_use() == best);
  const hik_fabrik_kernels *f = &best->fabrik;
  CHECK(f->lanes >= hik_kernels_base.fabrik.lanes && f->lanes <= HIK_MOST_LANES);
  CHECK(f->single_lanes == 2 * f->lanes && hik_fabrik_few.lanes < hik_kernels_base.fabrik.lanes);
  CHECK(best->pair->lanes == 2 && best->wide.lanes >= 2 && best->wide.lanes <= HIK_DESCENT_LANES);
}

enum { LINKS = 7, POINTS = 3 * (LINKS + 1), KEPT = POINTS + HIK_FABRIK_ROWS, PROBLEMS = 48 };

/* Problem k: points, then its rows. All points of problem 3 are in one place: no direction to take. */
static void draw(int k, double *problem) {
  hik_rng own = hik_rng_start(9, (uint64_t)k);
  for (int i = 0; i < KEPT; i++) problem[i] = 2 * hik_rng_uniform(&own) - 1;
  for (int i = 0; i < POINTS; i++)
    if (i < 3 || k == 3) problem[i] = 0;
  problem[POINTS + HIK_FABRIK_LIMIT] = 1;
  problem[POINTS + HIK_FABRIK_QUIET] = 0;
}

/* Problems at .. of a set, three rounds; back into problem [PROBLEMS][KEPT]. */
#define RUN_LANES(name, real, member, width)                                                                 \
  static void name(const hik_fabrik_kernels *set, int at, double(*problem)[KEPT]) {                          \
    static real lane[KEPT * HIK_MOST_SINGLE_LANES] __attribute__((aligned(64)));                             \
    real length[LINKS];                                                                                      \
    for (int i = 0; i < LINKS; i++) length[i] = (real)(0.2 + 0.1 * i);                                       \
    for (int i = 0; i < KEPT; i++)                                                                           \
      for (int k = 0; k < set->width; k++) lane[i * set->width + k] = (real)problem[(at + k) % PROBLEMS][i]; \
    for (int round = 0; round < 3; round++)                                                                  \
      set->member(LINKS, length, (real)1e-2, (real)0.9, lane, lane + POINTS * set->width);                   \
    for (int i = 0; i < KEPT; i++)                                                                           \
      for (int k = 0; k < set->width && at + k < PROBLEMS; k++)                                              \
        problem[at + k][i] = lane[i * set->width + k];                                                       \
  }
RUN_LANES(run_doubles, double, free, lanes)
RUN_LANES(run_floats, float, single, single_lanes)

/* Lengths are kept, the root stays, and the stop rule says of the last error what it should. */
static void check_problem(const double *before, const double *now, double slack) {
  double gap = 0;
  const double *row = now + POINTS;
  for (int i = 0; i < LINKS; i++) {
    double square = 0;
    for (int c = 0; c < 3; c++) square += pow(now[3 * i + 3 + c] - now[3 * i + c], 2);
    CHECK_NEAR(sqrt(square), 0.2 + 0.1 * i, slack);
  }
  for (int c = 0; c < 3; c++) {
    gap += pow(now[3 * LINKS + c] - row[c], 2);
    CHECK(now[c] == 0 && fabs(row[c] - before[POINTS + c]) <= slack);
  }
  CHECK_NEAR(sqrt(gap), row[HIK_FABRIK_ERROR], slack);
  CHECK(row[HIK_FABRIK_LIMIT] <= 1);
  if (row[HIK_FABRIK_ERROR] <= 1e-2)
    CHECK(row[HIK_FABRIK_QUIET] == HIK_FABRIK_DONE);
  else
    CHECK(row[HIK_FABRIK_QUIET] >= 0 && row[HIK_FABRIK_QUIET] <= 3);
  if (row[HIK_FABRIK_QUIET] == 0) CHECK_NEAR(row[HIK_FABRIK_LIMIT], 0.9 * row[HIK_FABRIK_ERROR], slack);
}

/* Every set, and the narrow one for few problems, against the narrowest. */
static void test_every_set_gives_the_same_bytes(void) {
  static const char *const names[] = {"few", "base", "neon", "avx2", "avx512"};
  static double before[PROBLEMS][KEPT], problem[PROBLEMS][KEPT], first[2][PROBLEMS][KEPT];
  int sets = 0;
  for (int k = 0; k < PROBLEMS; k++) draw(k, before[k]);
  for (int s = 0; s < HIK_COUNT_OF(names); s++) {
    if (s > 0 && !hik_simd_select(names[s])) continue;
    const hik_fabrik_kernels *set = s > 0 ? &hik_kernels_in_use()->fabrik : &hik_fabrik_few;
    for (int single = 0; single < 2; single++) {
      memcpy(problem, before, sizeof problem);
      for (int at = 0; at < PROBLEMS; at += single ? set->single_lanes : set->lanes)
        (single ? run_floats : run_doubles)(set, at, problem);
      if (sets == 0) memcpy(first[single], problem, sizeof problem);
      CHECK(memcmp(first[single], problem, sizeof problem) == 0);
      for (int k = 0; k < PROBLEMS; k++) check_problem(before[k], problem[k], single ? 2e-6 : 1e-14);
    }
    sets++;
  }
  CHECK(sets >= 2);
  hik_simd_select("auto");
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_names_are_checked);
  RUN(test_every_set_gives_the_same_bytes);
  CHECK_END();
}
