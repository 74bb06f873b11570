/* chart.h: the columns of a ball with limits, for solvers with Jacobians. */
#pragma once
#include "model/swing.h"

/* A ball with limits moves in the plane of angles of its room, so that the edge is one column and the twist another:
   column 0 goes along the normal of the edge through or next to the present swing (u, v), column 1 along the edge (in a
   convex corner of a polygon both go along its edges), column 2 is the twist. Where the limits of the twist depend on the
   swing, the first two carry it along. Only valid for the pose it was made for. */
typedef struct hik_chart {
  const hik_swing *cone; /* NULL: no limits, the columns are the rotation vector */
  double x[3];           /* u, v, twist */
  double way[2][2];      /* moves of (u, v) by columns 0 and 1, of unit length */
  double carried[2];     /* twist that they take along */
  double share;          /* place of the twist in a range that depends on the swing, 0 to 1 */
  double down[3], up[3]; /* room of the columns */
} hik_chart;

/* The chart at the quaternion q; chart->cone is set. */
void hik_chart_make(hik_chart *chart, const double q[4]);
/* The chart at x; chart->cone and chart->x are set. */
void hik_chart_here(hik_chart *chart);
/* (u, v, twist) of the chart's pose moved by x along its three columns; still to be clamped. */
void hik_chart_move(const hik_chart *chart, const double x[3], double in[3]);
/* Rotation vectors in the ball's moved frame of unit moves of its three columns, as the rows of out. */
void hik_chart_turns(const hik_chart *chart, double out[3][3]);
