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
  CHECK(hik_simd_select(best->name) && hik_kernels_in_use() == best);
  CHECK(best->lanes >= hik_kernels_base.lanes && best->lanes <= HIK_MOST_LANES && best->lanes % 2 == 0);
}

enum { LINKS = 7 };

/* One lane of each set, padded with other problems, against the narrowest set. */
static void test_every_set_gives_the_same_bytes(void) {
  static const char *const names[] = {"base", "neon", "avx2", "avx512"};
  double length[LINKS], error[HIK_MOST_LANES] __attribute__((aligned(64)));
  double points[(LINKS + 1) * 3 * HIK_MOST_LANES] __attribute__((aligned(64)));
  double target[3 * HIK_MOST_LANES] __attribute__((aligned(64)));
  double first[HIK_MOST_LANES][(LINKS + 1) * 3 + 1];
  int sets = 0;
  hik_rng rng = hik_rng_start(1, 2);
  for (int i = 0; i < LINKS; i++) length[i] = 0.2 + hik_rng_uniform(&rng);
  for (int k = 0; k < 4; k++) {
    if (!hik_simd_select(names[k])) continue;
    const hik_kernels *set = hik_kernels_in_use();
    int32_t lanes = set->lanes;
    for (int32_t at = 0; at < HIK_MOST_LANES; at += lanes) {
      for (int lane = 0; lane < lanes; lane++) {
        hik_rng own = hik_rng_start(9, (uint64_t)(at + lane));
        for (int i = 0; i < 3 * (LINKS + 1); i++)
          points[i * lanes + lane] = i < 3 ? 0 : 2 * hik_rng_uniform(&own) - 1;
        for (int c = 0; c < 3; c++) target[c * lanes + lane] = 2 * hik_rng_uniform(&own) - 1;
        if (at + lane == 3) /* all points in one place: no direction to take */
          for (int i = 0; i < 3 * (LINKS + 1); i++) points[i * lanes + lane] = 0;
      }
      for (int round = 0; round < 3; round++) set->fabrik_free(LINKS, length, target, points, error);
      for (int lane = 0; lane < lanes; lane++) {
        double *want = first[at + lane], mine[(LINKS + 1) * 3 + 1];
        for (int i = 0; i < 3 * (LINKS + 1); i++) mine[i] = points[i * lanes + lane];
        mine[3 * (LINKS + 1)] = error[lane];
        if (sets == 0) memcpy(want, mine, sizeof mine);
        CHECK(memcmp(want, mine, sizeof mine) == 0);
        double gap = 0;
        for (int i = 0; i < LINKS; i++) {
          double square = 0;
          for (int c = 0; c < 3; c++) square += pow(mine[3 * i + 3 + c] - mine[3 * i + c], 2);
          CHECK_NEAR(sqrt(square), length[i], 1e-14);
        }
        for (int c = 0; c < 3; c++) gap += pow(mine[3 * LINKS + c] - target[c * lanes + lane], 2);
        CHECK_NEAR(sqrt(gap), mine[3 * (LINKS + 1)], 1e-14);
        CHECK(mine[0] == 0 && mine[1] == 0 && mine[2] == 0);
      }
    }
    sets++;
  }
  CHECK(sets >= 1);
  hik_simd_select("auto");
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_names_are_checked);
  RUN(test_every_set_gives_the_same_bytes);
  CHECK_END();
}
