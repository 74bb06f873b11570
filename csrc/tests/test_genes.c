/* test_genes.c: postures as genes and back, mixtures, limits, the draw, the order. */
#include "solve/sample/genes.h"

#include "descent_figures.h"
#include "solve/points/wish.h"

enum { WIDE = 4 * MOST };

typedef struct gene_bench {
  bench b;
  hik_genes g;
  void *memory;
} gene_bench;

static void start_genes(gene_bench *t, hik_model *m) {
  start_bench(&t->b, m, "pose", false);
  hik_block block = {NULL, 0, false};
  hik_genes_lay_out(&t->g, t->b.p, &block);
  t->memory = hik_allocate(block.size);
  block = (hik_block){t->memory, 0, false};
  hik_genes_lay_out(&t->g, t->b.p, &block);
  hik_genes_prepare(&t->g, &t->b.d);
  CHECK(t->g.n <= hik_genes_most(t->b.p));
  memcpy(t->b.q, m->rest, (size_t)m->nq * sizeof *t->b.q);
}

static void end_genes(gene_bench *t) {
  hik_release(t->memory);
  end_bench(&t->b);
}

static hik_model *figure_number(int i) {
  return i == 0   ? cone_arm()
         : i == 1 ? ball_arm()
         : i == 2 ? gantry()
         : i == 3 ? hinge_arm()
                  : planar_chain(5, INFINITY);
}

/* The tip is where it was after q -> genes -> q; the genes of an inside posture are right already. */
static void test_there_and_back(void) {
  for (int i = 0; i < 5; i++) {
    gene_bench t;
    start_genes(&t, figure_number(i));
    for (uint64_t draw = 0; draw < 200; draw++) {
      double x[WIDE], y[WIDE], before[7], after[7], q[4 * MOST];
      hik_random_q(t.b.m, 6, draw, t.b.q);
      target_of(t.b.m, t.b.q, true, before);
      memcpy(q, t.b.q, sizeof q);
      hik_genes_read(&t.g, q, x);
      memcpy(y, x, sizeof y);
      hik_genes_right(&t.g, y);
      for (int32_t k = 0; k < t.g.n; k++) CHECK_NEAR(x[k], y[k], 1e-12);
      hik_genes_write(&t.g, x, q);
      CHECK(hik_inside(t.b.m, q, 1e-13));
      target_of(t.b.m, q, true, after);
      for (int k = 0; k < 3; k++) CHECK_NEAR(before[k], after[k], 1e-12);
    }
    end_genes(&t);
  }
}

/* Whatever genes are made of, the posture is inside; what is drawn is, and fills its ranges. */
static void test_all_genes_are_put_inside(void) {
  for (int i = 0; i < 5; i++) {
    gene_bench t;
    start_genes(&t, figure_number(i));
    hik_rng rng = hik_rng_start(1, 2);
    double least[WIDE], most[WIDE];
    for (int32_t k = 0; k < t.g.n; k++) least[k] = INFINITY, most[k] = -INFINITY;
    for (int draw = 0; draw < 600; draw++) {
      double x[WIDE];
      hik_genes_draw(&t.g, &rng, x);
      for (int32_t k = 0; k < t.g.n; k++) least[k] = fmin(least[k], x[k]), most[k] = fmax(most[k], x[k]);
      hik_genes_write(&t.g, x, t.b.q);
      CHECK(hik_inside(t.b.m, t.b.q, 1e-13));
      for (int32_t k = 0; k < t.g.n; k++) x[k] += 3 * t.g.span[k] * (2 * hik_rng_uniform(&rng) - 1);
      hik_genes_right(&t.g, x);
      hik_genes_write(&t.g, x, t.b.q);
      CHECK(hik_inside(t.b.m, t.b.q, 1e-13));
    }
    for (int32_t k = 0; k < t.g.n; k++) CHECK(most[k] - least[k] > 0.8 * t.g.span[k]);
    end_genes(&t);
  }
}

/* a + way(a, b) is the posture b; the way is never longer round a circle than half of it, nor between quaternions. */
static void test_the_way_leads_there(void) {
  for (int i = 0; i < 5; i++) {
    gene_bench t;
    start_genes(&t, figure_number(i));
    hik_rng rng = hik_rng_start(4, 4);
    for (int draw = 0; draw < 200; draw++) {
      double a[WIDE], b[WIDE], way[WIDE], there[7], wanted[7];
      hik_genes_draw(&t.g, &rng, a);
      hik_genes_draw(&t.g, &rng, b);
      hik_genes_way(&t.g, a, b, way);
      hik_genes_write(&t.g, b, t.b.q);
      target_of(t.b.m, t.b.q, true, wanted);
      for (int32_t k = 0; k < t.g.parts; k++) {
        const hik_gene *part = t.g.part + k;
        double square = 0;
        for (int32_t c = part->at; c < part->at + part->width; c++) square += way[c] * way[c];
        if (part->kind == HIK_GENE_CIRCLE) CHECK(square <= HIK_PI * HIK_PI * (1 + 1e-12));
        if (part->kind == HIK_GENE_QUATERNION) CHECK(square <= 2 * (1 + 1e-12));
      }
      for (int32_t k = 0; k < t.g.n; k++) a[k] += way[k];
      hik_genes_right(&t.g, a);
      hik_genes_write(&t.g, a, t.b.q);
      target_of(t.b.m, t.b.q, true, there);
      for (int k = 0; k < 3; k++) CHECK_NEAR(there[k], wanted[k], 1e-12);
    }
    end_genes(&t);
  }
}

/* What the parts are: a cone, a line that another joint follows, a slide in lengths, a circle. */
static void test_kinds(void) {
  gene_bench t;
  start_genes(&t, cone_arm());
  CHECK(t.g.n == 6 && t.g.parts == 4); /* cone 3, elbow, slide, the wrist that leads another */
  CHECK(t.g.part[0].kind == HIK_GENE_SWING && t.g.part[0].cone);
  CHECK(t.g.part[2].kind == HIK_GENE_LINE);
  CHECK_NEAR(t.g.span[4], 0.1 / t.b.p->scale, 1e-15);
  end_genes(&t);
  start_genes(&t, planar_chain(3, INFINITY));
  CHECK(t.g.part[0].kind == HIK_GENE_CIRCLE);
  CHECK_NEAR(t.g.span[0], 2 * HIK_PI, 1e-15);
  end_genes(&t);
  start_genes(&t, ball_arm());
  CHECK(t.g.n == 9 && t.g.part[0].kind == HIK_GENE_QUATERNION && t.g.span[0] == 2);
  end_genes(&t);
  figure f = {0};
  add_joint(&f, -1, HIK_PRISMATIC, "x", (double[3]){0, 0, 0}, -INFINITY, INFINITY);
  add_joint(&f, 0, HIK_REVOLUTE, "z", (double[3]){0, 0, 0}, 1, INFINITY);
  add_joint(&f, 1, HIK_PRISMATIC, "y", (double[3]){0.2, 0, 0}, -INFINITY, INFINITY);
  add_frame_at(&f, 2, 0.5, 0, 0);
  start_genes(&t, freeze_figure(&f));
  for (int k = 0; k < 3; k += 2) /* a length to either side, whichever column the slide has */
    CHECK(t.g.part[k].kind == HIK_GENE_LINE && t.g.span[k] == 2);
  CHECK(t.g.part[1].lower[0] == 1);
  CHECK_NEAR(t.g.part[1].upper[0], 1 + 2 * HIK_PI, 1e-15);
  end_genes(&t);
}

static void test_order(void) {
  const double f[6] = {3, 1, INFINITY, 1, 0, 3};
  int32_t order[6];
  hik_sampler_sort(6, f, order);
  CHECK(memcmp(order, (int32_t[6]){4, 1, 3, 0, 5, 2}, sizeof order) == 0);
  enum { MANY = 1000 };
  double many[MANY];
  int32_t ranks[MANY], wrong = 0;
  hik_rng rng = hik_rng_start(1, 2);
  for (int32_t count = 0; count <= MANY; count = 2 * count + 1) {
    for (int32_t i = 0; i < count; i++) many[i] = hik_rng_below(&rng, 1 + count / 3); /* many are equal */
    hik_sampler_sort(count, many, ranks);
    for (int32_t i = 1; i < count; i++) {
      double one = many[ranks[i - 1]], next = many[ranks[i]];
      wrong += !(one < next || (one == next && ranks[i - 1] < ranks[i]));
    }
  }
  CHECK(wrong == 0);
}

static void test_whole_numbers_below(void) {
  hik_rng rng = hik_rng_start(1, 1);
  int seen[7] = {0};
  for (int i = 0; i < 7000; i++) {
    int32_t k = hik_rng_below(&rng, 7);
    CHECK(k >= 0 && k < 7);
    if (k >= 0 && k < 7) seen[k]++;
  }
  for (int k = 0; k < 7; k++) CHECK(seen[k] > 850 && seen[k] < 1150); /* 1000 expected, deviation 29 */
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_there_and_back);
  RUN(test_all_genes_are_put_inside);
  RUN(test_the_way_leads_there);
  RUN(test_kinds);
  RUN(test_order);
  RUN(test_whole_numbers_below);
  CHECK_END();
}
