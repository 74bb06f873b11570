/* reach_table.h: the support function of all that an arm reaches below its trunk, as a table that is filled when it is asked. */
#pragma once
#include "access/reach.h"

/* A table of a chain, which it keeps and frees; NULL: no memory. */
hik_reach_table *hik_reach_table_create(hik_reach *chain);
/* Of another's set wherever it is turned about z by an angle of this interval; the other is borrowed. */
hik_reach_table *hik_reach_table_turned(const hik_reach_table *still, double middle, double half);
void hik_reach_table_free(hik_reach_table *t);
/* The chain that the table is of. */
const hik_reach *hik_reach_table_chain(const hik_reach_table *t);
enum { HIK_TABLE_COARSE, HIK_TABLE_MIDDLE, HIK_TABLE_FINE };
/* A number that m . x never passes, x where the chain's frame may be; convex and homogeneous between the table's rays. point:
   m . point is that number, and no other point is asked for. level: HIK_TABLE_COARSE, quickly filled, to HIK_TABLE_FINE. */
double hik_reach_table_support(const hik_reach_table *t, int level, const double m[3], double point[3]);
/* The same of the set turned about z by any angle of an interval, all of it in the frame before the turn. No more than about
   a thousandth of the set's size is added. */
double hik_reach_table_swept(const hik_reach_table *t, int level, double middle, double half,
                             const double m[3], double point[3]);
/* The same for one direction, searched for: it is no more than `loose` too large, unless `budget` cells did not do. */
double hik_reach_farthest(const hik_reach *r, const double m[3], double loose, int64_t budget);
