/* Rows of what is near: distances grow along them as they do, and a move that is pushed keeps every bound, nearest first. */
#include "plan/contact.h"

#include "scene_figures.h"

static void begin(hik_contacts *c, staged *s, hik_block *block) {
  for (int pass = 0; pass < 2; pass++) {
    hik_contacts_take(c, block, s->model->nv, hik_world_count(s->world));
    if (pass == 0) block->base = hik_allocate(block->size), block->size = 0;
  }
}

static void test_a_pushed_move_keeps_its_bounds(void) {
  enum { W = HIK_GROUP };
  hik_shape shapes[24];
  staged s;
  hik_contacts c;
  hik_block block = {NULL, 0, false};
  double q[W * FIGURE_NQ], dq[FIGURE_NQ * W], plain[FIGURE_NQ * W], want[W], length[W];
  int32_t bounds = 0, rows = 0;
  stage(&s, shapes, cluttered(shapes, 5));
  begin(&c, &s, &block);
  static hik_bound bound[HIK_CONTACTS];
  int32_t nv = s.model->nv;
  for (uint64_t n = 0; n < CHECK_REPEATS(40, 8); n++) {
    for (uint64_t l = 0; l < W; l++) hik_random_q(s.model, 5, W * n + l, q + l * (size_t)s.model->nq);
    hik_check_place(s.check, q, W);
    hik_contacts_gather(&c, s.check, 0.1);
    hik_rng rng = hik_rng_start(9, n);
    for (int32_t k = 0; k < nv * W; k++) plain[k] = dq[k] = 0.2 * hik_rng_uniform(&rng) - 0.1;
    for (int l = 0; l < W; l++) {
      double sum = 0;
      for (int32_t k = 0; k < nv; k++) sum += dq[W * k + l] * dq[W * k + l];
      want[l] = 0.01, length[l] = 10 * sqrt(sum);
    }
    int32_t count = 0;
    for (int32_t k = 0; k < c.count; k++)
      count += hik_contacts_bound(&c, k, want, 0.02, length, bound + count);
    rows += c.count, bounds += count;
    for (int sweep = 0; sweep < 3000; sweep++) {
      double most = 0;
      for (int32_t k = 0; k < count; k++) most = fmax(most, hik_contacts_push(&c, bound + k, dq));
      if (most < 1e-9) break;
    }
    for (int l = 0; l < W; l++) {
      double
          moved = 0,
          held =
              0; /* dq - plain is the sum of rows times forces of 0 or more: the nearest move that keeps them */
      for (int32_t k = 0; k < nv; k++) {
        double sum = plain[W * k + l];
        for (int32_t i = 0; i < count; i++)
          sum += bound[i].force[l] * c.row[(size_t)(bound[i].row * nv + k) * W + l];
        CHECK_NEAR(dq[W * k + l], sum, 1e-9 * (1 + fabs(sum)));
        moved = fmax(moved, fabs(dq[W * k + l] - plain[W * k + l]));
      }
      for (int32_t i = 0; i < count; i++) held += bound[i].force[l];
      CHECK((moved > 0) == (held > 0));
    }
  }
  CHECK(rows > 100 && bounds > 50 && bounds <= rows);
  hik_release(block.base);
  unstage(&s);
}

/* Lane by lane the step of a number alone, to the byte, on every instruction set; where no lane moves nothing is touched. */
static void test_a_push_is_that_of_each_lane(void) {
  enum { W = HIK_GROUP, NV = 5 };
  static const char *const sets[] = {"base", "avx2", "avx512"};
  int32_t moved = 0, still = 0;
  for (int set = 0; set < 3; set++) {
    if (!hik_simd_select(sets[set])) continue;
    for (uint64_t n = 0; n < 200; n++) {
      hik_rng rng = hik_rng_start(31, n);
      double row[NV * W], dq[NV * W], plain[NV * W], inverse[W], need[W], force[W], after[W], most = 0;
      bool some = false;
      for (int k = 0; k < NV * W; k++)
        row[k] = hik_rng_uniform(&rng) - 0.5, dq[k] = hik_rng_uniform(&rng) - 0.5;
      for (int l = 0; l < W; l++) {
        inverse[l] = hik_rng_uniform(&rng) < 0.1 ? 0 : 2 * hik_rng_uniform(&rng);
        need[l] = n % 3 == 0 ? -3 : hik_rng_uniform(&rng) - 0.5;
        force[l] = n % 3 == 0 || hik_rng_uniform(&rng) < 0.5 ? 0 : hik_rng_uniform(&rng);
        double by = 0;
        for (int k = 0; k < NV; k++) by += row[W * k + l] * dq[W * k + l];
        double lacks = need[l] - by;
        after[l] = force[l] + lacks * inverse[l];
        after[l] = after[l] > 0 ? after[l] : 0;
        if (after[l] > 0 && fabs(lacks) > most) most = fabs(lacks);
        some |= after[l] != force[l];
        for (int k = 0; k < NV; k++)
          plain[W * k + l] = dq[W * k + l] + (after[l] - force[l]) * row[W * k + l];
      }
      if (!some) memcpy(plain, dq, sizeof dq);
      CHECK(hik_row_push(row, inverse, need, force, dq, NV) == most);
      CHECK(memcmp(dq, plain, sizeof dq) == 0 && memcmp(force, after, sizeof force) == 0);
      moved += some, still += !some;
    }
  }
  hik_simd_select("auto");
  CHECK(moved > 50 && still > 50);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_pushed_move_keeps_its_bounds);
  RUN(test_a_push_is_that_of_each_lane);
  CHECK_END();
}
