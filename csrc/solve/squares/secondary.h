/* secondary.h: what a redundant figure does with the freedom its goals leave: rest posture, limit avoidance,
   manipulability. Each is a cost with a gradient; the solver projects the way down into the null space. */
#pragma once
#include "solve/squares/descent.h"

typedef struct hik_secondary {
  double *q;      /* [nq] a pose beside the present one */
  double *square; /* [k][k], k = min(m, n) */
} hik_secondary;

void hik_secondary_lay_out(hik_secondary *s, const hik_problem *p, hik_block *block);
/* z [n]: the way down of
     rest           1/2 |q - rest|^2 (balls by their rotation vector),
     avoid          1/2 R^2 sum ((q - middle) / range)^2 over the columns that have a range, R the smallest range,
     manipulability -log sqrt det (J J' + 1e-9 I) (J'J with more rows than columns), by central differences of
                    1e-5,
   each times its weight. With weights to 1 the first two settle without overshoot. J is evaluated beside the present
   pose and left as it was. */
void hik_secondary_step(hik_secondary *s, hik_descent *d, double rest, double avoid, double manipulability,
                        double *z);
