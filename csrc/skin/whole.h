/* whole.h: the whole mesh of a body in the making: trunk, head and legs by rings, feet turned, arms with their girths.
   hik_whole_rows hik_whole_scratch hik_whole_made */
#pragma once
#include "base/base.h"
#include "skin/rings.h"

enum { HIK_WHOLE_SIDES = 2 };

/* A foot: its vertices, its share in each, the ankle's x and y, and what places from there are multiplied by from the right. */
typedef struct hik_foot {
  const int32_t *row;  /* [n] */
  const double *share; /* [n] */
  int64_t n;
  struct {
    double ankle[2], turn[2][2];
  } numbers;
} hik_foot;

/* What a vertex of an arm has: the share of the arm; how far down each bone the next tape counts, 0 to 1; and, by the shares, what
   no girth changes and how far off the axes of both bones it lies. */
typedef struct hik_limb_vertex {
  double share, upper_along, fore_along, fixed[3], upper[3], fore[3];
} hik_limb_vertex;

/* An arm: its vertices, the size of the mesh and by how much wider the arm is at its tapes. */
typedef struct hik_limb {
  const int32_t *row;            /* [n] */
  const hik_limb_vertex *vertex; /* [n] */
  int64_t n;
  struct {
    double scale, biceps, forearm, wrist;
  } numbers;
} hik_limb;

/* A body: rings of the vertices `row`, heights of all, feet and arms. Arrays are the caller's; no vertex comes twice in a row. */
typedef struct hik_whole {
  hik_rings rings;
  const int32_t *row;   /* [rings.n] */
  const double *height; /* [n] */
  int64_t n, feet, limbs;
  hik_foot foot[HIK_WHOLE_SIDES];
  hik_limb limb[HIK_WHOLE_SIDES];
} hik_whole;

/* Whether all rows are among the vertices. */
bool hik_whole_rows(const hik_whole *whole);

/* Doubles of scratch. */
int64_t hik_whole_scratch(const hik_whole *whole);

/* The vertices, out [n][3]; x and y of what is all an arm's are the arms' alone. */
void hik_whole_made(const hik_whole *whole, double *scratch, double *out);
