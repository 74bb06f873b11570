/* spread.h: a figure whose joints that follow a swing have coordinates of their own, for the dynamics.

   Its coordinates are those of the model, then one for each row of `follow`. Velocities go over by G, the rates of the
   followers: V = G v, A = G a + G' v; torques come back by its transpose. So the dynamics of a tree know nothing of swings. */
#pragma once
#include "model/model.h"

/* The figure; it borrows all arrays of the model. */
hik_model hik_spread_model(const hik_model *m);
/* Q [nq + n_follow] of q. */
void hik_spread_q(const hik_model *m, const double *q, double *Q);
/* V and A [nv + n_follow] at q; v, a NULL: zeros. rates [n_follow][3] are those of the followers. */
void hik_spread_rates(const hik_model *m, const double *q, const double *v, const double *a, double *rates,
                      double *V, double *A);
/* out [nv] += transpose(G) x, x [nv + n_follow] with entries `stride` apart, which are `out_stride` apart in out. */
void hik_gather(const hik_model *m, const double *rates, const double *x, size_t stride, double *out,
                size_t out_stride);
