/* eigen.h: small dense systems and eigenvalues without LAPACK. Matrices are row-major, n rows of `stride` doubles. */
#pragma once
#include "base/base.h"

enum { HIK_EIGEN_MAX = 24 }; /* greatest order that hik_eigenvalues takes */

/* P a = L U in place with row exchanges, order[i] = row that came to place i. A pivot that is exactly zero is put at
   `tiny`, so that a solve stays finite (what inverse iteration wants). Returns |smallest| / |largest| pivot as met. */
double hik_lu_factor(int n, double *a, int stride, int32_t *order, double tiny);
/* x of a x = b, with what hik_lu_factor left; x may not be b. */
void hik_lu_solve(int n, const double *a, int stride, const int32_t *order, const double *b, double *x);
/* Makes row and column norms alike by powers of two (no rounding); eigenvalues do not change. */
void hik_balance(int n, double *a, int stride);
/* Householder similarity to upper Hessenberg form; what lies below the first subdiagonal is set to zero. */
void hik_hessenberg(int n, double *a, int stride);
/* Eigenvalues of an upper Hessenberg matrix, which is destroyed. Conjugate pairs stand together, positive imaginary
   part first. Returns how many were found: n, or fewer when an eigenvalue took more than 60 sweeps or the matrix is
   not finite; then the found ones are the last ones of re and im. */
int hik_eigenvalues(int n, double *a, int stride, double *re, double *im);
