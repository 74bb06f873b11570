/* search.h: the iterations of search.c that other solvers borrow. */
#pragma once
#include "solve/squares/descent.h"

enum { HIK_PAIRS = 8 };

typedef struct hik_search {
  hik_descent d;
  double *square;                           /* for the damped systems */
  double *old_q, *old_e, *old_g, old_error; /* where an iteration set out */
  double *step;                             /* [n] */
  double *je;                               /* [m] */
  double *s, *y; /* [HIK_PAIRS][n] moves and changes of the gradient, oldest at `first` */
  int32_t pairs, first;
  bool have_g;            /* J and g belong to the present pose */
  double damping, growth; /* of Levenberg-Marquardt */
} hik_search;

/* Counts, or with memory lays out; NULL while counting. */
hik_search *hik_search_lay_out(const hik_problem *p, hik_block *block);
/* From another place what was learnt says nothing. */
void hik_search_forget(hik_search *w);
/* One iteration from a pose whose residual is evaluated. False: there is no way down from here. */
bool hik_lm_iteration(hik_search *w, double clamp);
/* Square of the residual that the linear model has after the step in d. */
double hik_search_model(hik_search *w);
