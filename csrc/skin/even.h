/* even.h: vectors at the vertices of a mesh evened out, and its normals.
   hik_even hik_normals */
#pragma once
#include "base/base.h"

/* Rounds in each of which half of a vertex's vector is the mean of those of its neighbors, given by beside [n][near]. Vertices that
   are not `open` keep theirs. In place: vector [n][3]. scratch [n][3]. */
void hik_even(double *vector, const bool *open, const int32_t *beside, int64_t n, int64_t near,
              int64_t rounds, double *scratch);

/* The unit normals [n][3] at vertices [n][3] of quads [quads][4], weighted by area; 0 where there is none. */
void hik_normals(const double *vertex, int64_t n, const int32_t *quad, int64_t quads, double *out);
