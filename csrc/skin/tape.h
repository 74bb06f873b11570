/* tape.h: what a tape reads on plane cuts of a surface, and the volume in it.
   hik_tape_cut hik_tape_near hik_volume */
#pragma once
#include "base/base.h"

/* Some edges of a surface, and the plane that cuts them. Arrays are the caller's. */
typedef struct hik_tape {
  const double *vertex; /* [...][3] */
  const int32_t *edge;  /* [edges][2], rows of vertex */
  int64_t edges;
  const double *point; /* [3], on the plane */
  const double *axes;  /* [3][3]: two directions in the plane, and the one square to it */
  const double *way;   /* [2][ways]: unit vectors in the plane, by their parts along the two directions */
  int64_t ways;
} hik_tape;

/* What a cut has: the number of its points, their widths summed over the ways, least and most along each direction. */
typedef struct hik_tape_read {
  int64_t points;
  double widths, low[2], high[2];
} hik_tape_read;

/* Read a cut. scratch [2 ways]. With no point low and high are infinite, the widths 0. */
hik_tape_read hik_tape_cut(const hik_tape *tape, double *scratch);

/* The edges [edges][2] that may cross a level z: `free` ones, and those whose ends' heights are on both sides of it. How many; they
   go to out, unless that is NULL. */
int64_t hik_tape_near(const double *height, const int32_t *edge, const bool *free, int64_t edges, double z,
                      int32_t *out);

/* Six times the signed volume in closed triangles face [faces][3]. */
double hik_volume(const double *vertex, const int32_t *face, int64_t faces);
