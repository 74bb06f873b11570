/* pass_way.h: the graph of boxes of pass.c, and the ways through it with fewest boxes that are not free.

   Boxes come and go while ways are asked for. What is known of costs is kept from one question to the next: when a box is parted
   only what was reached through it is looked at again. Nor are boxes looked at from which the goal is known to be reached
   freely: a way ends at the first of them. */
#pragma once
#include "access/pass.h"
#include "base/parallel.h"

/* States of a box besides those of hik_pass_look: halved; mixed, and halved no more. */
enum { HIK_BOX_PARTED = 3, HIK_BOX_SMALL = 4 };
enum { HIK_WAY_FREELY, HIK_WAY_PERHAPS, HIK_WAY_NOT };
/* Costs that have a list of their own. */
enum { HIK_WAY_LISTS = 1024 };

/* What the search for a way needs of a box, close together. */
typedef struct hik_node {
  int32_t *near, nears, room; /* neighbors that are not stuck */
  int32_t cost, from;         /* boxes not free on the way to it, and whence; cost INT32_MAX: not met */
  int32_t next, last;         /* in its list, -1: none */
  int16_t stage;              /* of the door */
  int8_t state, start, goal, home, listed; /* home: it is free, and so is a way from it to the goal */
  int8_t hold[2], open[2]; /* hold: whether the leaf can be moved on, back; open: halving may tell */
} hik_node;

typedef struct hik_ways {
  hik_node *node;
  int32_t *lost, losts;                /* boxes whose cost is to be found anew */
  int32_t *stack;                      /* room for all boxes, as in `lost` */
  int32_t list[HIK_WAY_LISTS], lowest; /* first of the boxes to go on from, by cost; -1: none */
  int32_t last;                        /* where a way ended */
  int32_t nodes;
  int64_t work;   /* neighbors looked at */
  bool closer;    /* the leaf falls to by itself */
  hik_deal *deal; /* whose tick is asked; what is found after its stop means nothing */
} hik_ways;

/* Empty; the caller gives room for `most` boxes. */
void hik_way_begin(hik_ways *ways);

/* Whether a way leads from one box to its neighbor; through small ones, too, if asked. */
int32_t hik_way_leads(const hik_ways *ways, const hik_node *a, const hik_node *b, bool small);

/* Box i is about to be parted, its neighbors still know it: what was reached through it is lost. */
void hik_way_part(hik_ways *ways, int32_t i);

/* Box i is new, made with HIK_NODE_NEW; it and its neighbors know each other. */
#define HIK_NODE_NEW .cost = INT32_MAX, .from = -1
void hik_way_add(hik_ways *ways, int32_t i);

/* The way with fewest boxes that are not free, its end in ways->last and each box before it in `from`. Of boxes of one cost the
   last met goes first, so that one way is followed to its end. */
bool hik_way_find(hik_ways *ways);

/* Whether there is a way at all, small boxes allowed: from the beginning, without anything known. It ends what was known. */
bool hik_way_any(hik_ways *ways);

/* The way of free boxes with fewest of them; false: there is none, and what was known of homes is found anew. */
bool hik_way_free(hik_ways *ways);
