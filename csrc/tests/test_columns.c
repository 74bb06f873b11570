/* test_columns.c: term/columns.c: the columns of v give the frame's Jacobian; other columns are those, gathered. */
#include "term_figures.h"

static void test_rows_of_v_are_the_point_jacobian(void) {
  static const double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      none[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  figure shape;
  figure_of_every_kind(&shape);
  term_figure f;
  hik_term term = term_named("position", HIK_FREE, -1);
  if (!term_figure_open(&f, &shape, &term, 1)) return;
  int32_t nv = f.model->nv;
  double got[6 * FIGURE_NQ], want[6 * FIGURE_NQ];
  hik_pose world[FIGURE_NQ];
  const hik_sight sight = {f.model, f.q, world};
  const hik_columns columns = {.count = nv};
  for (uint64_t draw = 0; draw < 5; draw++) {
    hik_random_q(f.model, 3, draw, f.q);
    hik_step_poses(f.model, f.q, world);
    for (int32_t frame = 0; frame < f.model->n_frame; frame++) {
      int32_t step = f.model->frame_step[frame];
      const double point[3] = {0.3, -0.2, 0.5 + (double)frame};
      memset(got, 0, sizeof got), memset(want, 0, sizeof want);
      hik_point_jacobian(f.model, step, point, f.q, world, NULL, want, nv);
      hik_columns_add(&columns, &sight, step, point, 3, e, NULL, got);
      hik_columns_add(&columns, &sight, step, point, 3, none, e, got + 3 * nv);
      for (int32_t i = 0; i < 6 * nv; i++) CHECK_NEAR(got[i], want[i], 1e-15);
    }
  }
  term_figure_close(&f);
}

static void test_other_columns_are_gathered_and_scaled(void) {
  static const double along[1][3] = {{0.2, -0.5, 0.9}}, about[1][3] = {{0.4, 0.1, -0.3}};
  figure shape;
  figure_of_every_kind(&shape);
  term_figure f;
  hik_term term = term_named("position", HIK_FREE, -1);
  if (!term_figure_open(&f, &shape, &term, 1)) return;
  int32_t nv = f.model->nv, of[FIGURE_NQ], count = 0;
  double all[FIGURE_NQ] = {0}, some[FIGURE_NQ] = {0}, unit[FIGURE_NQ];
  hik_pose world[FIGURE_NQ];
  for (int32_t v = 0; v < nv; v++) of[v] = -1;
  for (int32_t s = 0; s < f.model->n_step; s += 2) { /* every other step has columns */
    int32_t v = f.model->step_v[s];
    if (of[v] < 0) of[v] = count, count += f.model->step_kind[s] == HIK_BALL_STEP ? 3 : 1;
  }
  for (int32_t k = 0; k < count; k++) unit[k] = 1 + k;
  hik_random_q(f.model, 4, 0, f.q);
  hik_step_poses(f.model, f.q, world);
  const hik_sight sight = {f.model, f.q, world};
  const hik_columns every = {.count = nv}, chosen = {.count = count, .of = of, .unit = unit};
  int32_t step = f.model->frame_step[HIK_FREE];
  const double point[3] = {1, 2, 3};
  hik_columns_add(&every, &sight, step, point, 1, along, about, all);
  hik_columns_add(&chosen, &sight, step, point, 1, along, about, some);
  for (int32_t s = 0; s < f.model->n_step; s++) {
    int32_t v = f.model->step_v[s], k = of[v];
    if (k >= 0) CHECK_NEAR(some[k], all[v] * unit[k], 1e-13);
  }
  CHECK(count > 3 && count < nv);
  term_figure_close(&f);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_rows_of_v_are_the_point_jacobian);
  RUN(test_other_columns_are_gathered_and_scaled);
  CHECK_END();
}
