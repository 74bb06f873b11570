/* make_stewart_start.c: writes csrc/analytic/stewart_start.h, the 40 points of six random complex hyperplanes.

   Monodromy: from one point on planes H0, made by choosing the planes through it, all known points are led along
   triangles H0 -> H1 -> H2 -> H0 of random planes; each time round permutes the 40 points, and what is new is kept.
   Build and run from the top of the source tree:
     cc -std=c11 -O3 -ffp-contract=off -Icsrc -Icsrc/include csrc/tests/make_stewart_start.c \
        csrc/analytic/study_paths.c -lm -o make_start && ./make_start 1 > csrc/analytic/stewart_start.h */
#include <stdio.h>
#include <stdlib.h>

#include "analytic/study_paths.h"
#include "base/rng.h"

static hik_rng rng;
static hik_study_work work;

static double bell(void) { /* sum of uniforms: near enough to normal */
  double sum = -6;
  for (int i = 0; i < 12; i++) sum += hik_rng_uniform(&rng);
  return sum;
}

static void random_planes(hik_study_planes *h) {
  memset(h, 0, sizeof *h);
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
    for (int i = 0; i < 6; i++) h->re[k][i] = bell(), h->im[k][i] = bell();
}

/* A random point with x.y = 0 and planes turned to go through it. */
static void seed(hik_study_planes *h, hik_study_point *z) {
  hik_study_planes v = {{{0}}, {{0}}};
  for (int i = 0; i < 8; i++) z->re[i] = bell(), z->im[i] = bell();
  double n = 0, re = 0, im = 0; /* y -= conj(x) (x.y) / |x|^2 */
  for (int i = 0; i < 4; i++) {
    n += z->re[i] * z->re[i] + z->im[i] * z->im[i];
    re += z->re[i] * z->re[4 + i] - z->im[i] * z->im[4 + i];
    im += z->re[i] * z->im[4 + i] + z->im[i] * z->re[4 + i];
  }
  for (int i = 0; i < 4; i++) {
    double x = z->re[i], y = -z->im[i];
    z->re[4 + i] -= (x * re - y * im) / n, z->im[4 + i] -= (x * im + y * re) / n;
  }
  (void)v;
  random_planes(h);
  /* h_i . v = 0 with v the quadrics: subtract conj(v) (h_i . v) / |v|^2 */
  double gr[17] = {0}, gi[17] = {0}, size = 0;
  int at = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++, at++) {
      double f = i == j ? 1 : 2;
      gr[at] = f * (z->re[i] * z->re[j] - z->im[i] * z->im[j]);
      gi[at] = f * (z->re[i] * z->im[j] + z->im[i] * z->re[j]);
    }
  for (int i = 4; i < 8; i++) {
    gr[10] += z->re[i] * z->re[i] - z->im[i] * z->im[i];
    gi[10] += 2 * z->re[i] * z->im[i];
  }
  static const int pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {2, 3}, {3, 1}, {1, 2}};
  for (int p = 0; p < 6; p++) {
    int i = pair[p][0], j = pair[p][1];
    gr[11 + p] = 2 * (z->re[i] * z->re[4 + j] - z->im[i] * z->im[4 + j] - z->re[j] * z->re[4 + i] +
                      z->im[j] * z->im[4 + i]);
    gi[11 + p] = 2 * (z->re[i] * z->im[4 + j] + z->im[i] * z->re[4 + j] - z->re[j] * z->im[4 + i] -
                      z->im[j] * z->re[4 + i]);
  }
  for (int k = 0; k < 17; k++) size += gr[k] * gr[k] + gi[k] * gi[k];
  for (int i = 0; i < 6; i++) {
    double a = 0, b = 0;
    for (int k = 0; k < 17; k++) {
      a += h->re[k][i] * gr[k] - h->im[k][i] * gi[k];
      b += h->re[k][i] * gi[k] + h->im[k][i] * gr[k];
    }
    for (int k = 0; k < 17; k++) {
      h->re[k][i] -= (gr[k] * a + gi[k] * b) / size;
      h->im[k][i] -= (gr[k] * b - gi[k] * a) / size;
    }
  }
  hik_study_orthonormal(h);
}

static void numbers(const char *name, const double *x, int n) {
  printf("static const double %s[%d] = {", name, n);
  for (int k = 0; k < n; k++) printf("%s%.17g,", k % 4 ? " " : "\n  ", x[k]);
  printf("\n};\n");
}

int main(int count, char **arguments) {
  hik_study_planes h[3];
  hik_study_point z[HIK_STUDY_POINTS];
  int known = 1, loops = 0;
  rng = hik_rng_start(count > 1 ? strtoull(arguments[1], NULL, 10) : 1, 0);
  seed(&h[0], &z[0]);
  for (; known < HIK_STUDY_POINTS && loops < 60; loops++) {
    for (int k = 1; k < 3; k++) random_planes(&h[k]), hik_study_orthonormal(&h[k]);
    int before = known;
    for (int p = 0; p < before; p++) {
      hik_study_point w = z[p];
      bool good = true;
      for (int leg = 0; leg < 3 && good; leg++) {
        hik_study_between(&h[leg], &h[(leg + 1) % 3], &work);
        good = hik_study_follow(&work, 1e-4, &w) == HIK_STUDY_FINITE;
      }
      for (int k = 0; good && k < known; k++) good = hik_study_distance(&z[k], &w, false) > 1e-7;
      if (good && known < HIK_STUDY_POINTS) z[known++] = w;
    }
    fprintf(stderr, "loop %d: %d points\n", loops + 1, known);
  }
  if (known < HIK_STUDY_POINTS) return 1;
  printf("/* stewart_start.h: six random complex hyperplanes and the 40 points in which they meet the rigid "
         "motions.\n"
         "   Written by csrc/tests/make_stewart_start.c, which says how; csrc/tests/test_study_paths.c "
         "checks it. */\n"
         "#pragma once\n\n"
         "/* clang-format off */\n"
         "/* [17][6]: coefficient k of plane i, real and imaginary parts apart */\n");
  double a[102], b[102], c[320], d[320];
  for (int k = 0; k < 17; k++)
    for (int i = 0; i < 6; i++) a[6 * k + i] = h[0].re[k][i], b[6 * k + i] = h[0].im[k][i];
  numbers("start_planes_re", a, 102), numbers("start_planes_im", b, 102);
  printf("/* [40][8] */\n");
  for (int p = 0; p < HIK_STUDY_POINTS; p++)
    for (int i = 0; i < 8; i++) c[8 * p + i] = z[p].re[i], d[8 * p + i] = z[p].im[i];
  numbers("start_points_re", c, 320), numbers("start_points_im", d, 320);
  printf("/* clang-format on */\n");
  return 0;
}
