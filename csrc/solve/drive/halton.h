/* halton.h: starts spread evenly inside the limits. */
#ifndef HIK_HALTON_H
#define HIK_HALTON_H
#include "solve/squares/descent.h"

/* Point `index` >= 1 of the Halton sequence in base `prime`, in (0, 1). */
double hik_halton(uint32_t index, uint32_t prime);
/* Sets the columns of q to start number `index` >= 1: a Halton point shifted by the seed (modulo 1), column k in the
   k-th prime; from the 17th column on uniform random numbers. Turns without limits take (-pi, pi] and slides without
   limits +-length; a ball takes a rotation by Shoemake's map, which is uniform, one with limits a point of
   its cone. Other coordinates stay. */
void hik_halton_start(const hik_descent *d, uint32_t index, double *q);
#endif
