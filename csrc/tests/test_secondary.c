/* test_secondary.c: the ways down are those of the costs, by differences. */
#include "base/dense.h"
#include "descent_figures.h"

typedef struct second {
  bench b;
  double *q, *square;
  void *memory;
} second;

static void start(second *t, hik_model *m) {
  start_bench(&t->b, m, "pose", false);
  size_t nq = (size_t)t->b.p->model->nq, square = hik_descent_sizes(t->b.p).square;
  t->memory = t->q = hik_allocate((nq + square) * sizeof *t->q);
  t->square = t->q + nq;
}

static void end(second *t) {
  hik_release(t->memory);
  end_bench(&t->b);
}

static double log_manipulability(second *t) {
  hik_descent *d = &t->b.d;
  double square[36], product = 1;
  hik_descent_residual(d);
  hik_descent_jacobian(d);
  hik_outer(d->m, d->n, d->j, square);
  for (int i = 0; i < 6; i++) square[7 * i] += 1e-9;
  CHECK(hik_cholesky(6, square, 0));
  for (int i = 0; i < 6; i++) product /= square[7 * i];
  return log(product);
}

static void test_manipulability(void) {
  second t;
  start(&t, hinge_arm());
  hik_descent *d = &t.b.d;
  for (uint64_t draw = 0; draw < 20; draw++) {
    double z[MOST], q[4 * MOST], kept[4 * MOST];
    pose_bench(&t.b, "pose", draw);
    memcpy(kept, t.b.q, sizeof kept);
    hik_secondary_step(d, 0, 0, 2, t.q, t.square, z);
    CHECK(memcmp(kept, t.b.q, sizeof kept) == 0);
    for (int32_t k = 0; k < d->n; k++) {
      const double h = 1e-4;
      double side[2];
      memcpy(q, t.b.q, sizeof q);
      for (int i = 0; i < 2; i++) {
        t.b.q[k] = q[k] + (i ? h : -h);
        side[i] = log_manipulability(&t);
      }
      memcpy(t.b.q, q, sizeof q);
      double slope = (side[1] - side[0]) / (2 * h);
      CHECK_NEAR(z[k], 2 * slope, 0.02 * (1 + fabs(slope)));
    }
  }
  end(&t);
}

/* A whole step of weight 1 towards rest is rest, balls with and without limits included. */
static void test_rest(void) {
  hik_model *models[] = {ball_arm(), cone_arm(), gantry()};
  for (int i = 0; i < 3; i++) {
    second t;
    start(&t, models[i]);
    for (uint64_t draw = 0; draw < 20; draw++) {
      double z[MOST], moved[4 * MOST], away[MOST];
      pose_bench(&t.b, "pose", draw);
      hik_secondary_step(&t.b.d, 1, 0, 0, t.q, t.square, z);
      hik_descent_charts(&t.b.d, t.b.q);
      hik_descent_move(&t.b.d, t.b.q, z, moved);
      hik_difference(t.b.m, 1, moved, t.b.m->rest, away);
      for (int32_t k = 0; k < t.b.m->nv; k++) CHECK_NEAR(away[k], 0, 1e-9);
    }
    end(&t);
  }
}

static void test_limit_avoidance(void) {
  second t;
  start(&t, hinge_arm());
  hik_descent *d = &t.b.d;
  pose_bench(&t.b, "pose", 3);
  double z[MOST], least = INFINITY;
  for (int32_t k = 0; k < d->n; k++) least = fmin(least, d->upper[k] - d->lower[k]);
  hik_secondary_step(d, 0, 0.5, 0, t.q, t.square, z);
  for (int32_t k = 0; k < d->n; k++) {
    double range = d->upper[k] - d->lower[k], middle = 0.5 * (d->upper[k] + d->lower[k]);
    CHECK_NEAR(z[k], -0.5 * least * least * (t.b.q[k] - middle) / (range * range), 1e-12);
  }
  end(&t);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_manipulability);
  RUN(test_rest);
  RUN(test_limit_avoidance);
  CHECK_END();
}
