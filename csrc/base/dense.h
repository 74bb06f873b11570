/* dense.h: small dense linear algebra without LAPACK: Cholesky, LDL', Householder QR, one-sided Jacobi SVD.

   Matrices are row-major and tightly packed; [m][n] has m rows. Every function works in place or in what it is given:
   nothing is allocated. Sizes are those of Jacobians (a few to a few hundred); there is no blocking.

   Reference: G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed. (2013): algorithms 4.2.2 (Cholesky), 4.1.2
   (LDL'), 5.2.1 (Householder QR), 8.6.3 (one-sided Jacobi). */
#pragma once
#include "base/base.h"

/* a [n][n] symmetric, lower triangle read, becomes L with a = L L', the diagonal of L as
   its reciprocals. False: not positive definite (a pivot was not above `least` times the largest diagonal entry); a is
   then spoilt. */
bool hik_cholesky(int32_t n, double *a, double least);
/* x = a^-1 x from the factor. */
void hik_cholesky_solve(int32_t n, const double *l, double *x);
/* a [n][n] symmetric, lower triangle read, becomes L (unit diagonal not stored) and D on the diagonal, a = L D L'.
   False: a pivot is zero to rounding. Without interchanges: for matrices known to be well-behaved, such as KKT blocks
   with damping, definite or not. */
bool hik_ldlt(int32_t n, double *a);
void hik_ldlt_solve(int32_t n, const double *ld, double *x);
/* a [m][n], m >= n, becomes R above the diagonal and the Householder vectors below it; tau [n]. */
void hik_qr(int32_t m, int32_t n, double *a, double *tau);
/* b [m] becomes Q' b, and Q b. */
void hik_qr_turn(int32_t m, int32_t n, const double *a, const double *tau, double *b);
void hik_qr_turn_back(int32_t m, int32_t n, const double *a, const double *tau, double *b);
/* Ratio of the smallest to the largest |R_ii|: 0 when the columns are dependent. */
double hik_qr_rank(int32_t n, const double *a);
/* R x = b and R' x = b; b [n] becomes x. R has n columns of a. */
void hik_qr_back(int32_t n, const double *a, double *b);
void hik_qr_forward(int32_t n, const double *a, double *b);
/* a [m][n] = u diag(s) v': u [m][m] gets the left vectors as columns, s [m] the values, largest first, and row i of a
   becomes the right vector i (zero where s_i is). Best with m <= n; with m > n the last m - n values are zero. */
void hik_svd(int32_t m, int32_t n, double *a, double *u, double *s);
/* The same, asking every m n 6 operations whether to go on. False: it was told not to, and a, u and s hold nothing. */
bool hik_svd_while(int32_t m, int32_t n, double *a, double *u, double *s, bool (*go_on)(void *context),
                   void *context);
/* Sum of the squares of all entries of a [m][n]. */
double hik_square_sum(int32_t m, int32_t n, const double *a);
/* out [m][m] = j j' (lower triangle and its mirror) of j [m][n]. */
void hik_outer(int32_t m, int32_t n, const double *j, double *out);
/* out [n][n] = j' j. */
void hik_inner(int32_t m, int32_t n, const double *j, double *out);
/* out [m] = j x. */
void hik_times(int32_t m, int32_t n, const double *j, const double *x, double *out);
/* out [n] = j' x. */
void hik_transposed_times(int32_t m, int32_t n, const double *j, const double *x, double *out);
/* x [n] = j' (j j' + damping I)^-1 e = (j' j + damping I)^-1 j' e, by the smaller of the two systems; work
   [k k + k], k = min(m, n). False: the system is singular (a pivot below
   1e-10 of the largest with no damping, below 1e-15 with some). */
bool hik_damped_solve(int32_t m, int32_t n, const double *j, double damping, const double *e, double *x,
                      double *work);
