/* tuning.h: numbers that steer the lanes' results or work: their units, what each is for, and the command that shows what it
   does. Tolerances, which only tell rounding from something, are not here. Where no study is named none was kept. */
#pragma once

/* ---- starts of damped least squares in lanes (solve/lanes/descents.h) ---- */

/* Share of the squared error of three steps ago (HIK_DESCENT_PAST) above which a start is given up. FIRST: one whose answer
   should stay near (a start given on a tree, or for less than a pose); EARLY: the next ones, since a new start costs less
   than patience; LATE: when that many have failed, the target is hard, and slow ones may be all there is.
   `python -m benchmarks arms`, `edges` */
#define HIK_SHARE_FIRST 0.8
#define HIK_SHARE_EARLY 0.5
#define HIK_SHARE_LATE  0.9

enum {
  /* Steps that a start on a serial chain may make: FEW, from number EAGER on number / 4 more, at most MANY; from there on
     shares are LATE. `python -m benchmarks arms` */
  HIK_LM_FEW = 20,
  HIK_LM_MANY = 40,
  HIK_LM_EAGER = 8,
  /* On a tree: the first, those after it (number / 4 more), and the last number that is not LATE.
     `python -m benchmarks goals`, `figures` */
  HIK_TREE_FIRST_CAP = 60,
  HIK_TREE_CAP = 30,
  HIK_TREE_EAGER = 8
};

/* Damping of a step, d I with d = RATE |e|^2 + LEAST. On a chain e is in lengths of the chain and radians (a turn counts
   2 sin of half its angle), on a tree it is weighted over the length of the problem: the two are not measured alike, so their
   numbers differ; those of trees are those of solve/squares. `python -m benchmarks arms`, `goals` */
#define HIK_CHAIN_DAMPING_RATE  0.01
#define HIK_CHAIN_DAMPING_LEAST 1e-11
#define HIK_TREE_DAMPING_RATE   0.02
#define HIK_TREE_DAMPING_LEAST  1e-9
enum { HIK_TREE_PASSES = 5 }; /* solutions of a step, each with fewer joints free; a chain has 2 */

/* ---- towards a target out of reach (solve/lanes/stretch.c, simd/stretch.inc.c) ---- */

enum {
  HIK_STRETCH_STARTS =
      8, /* one for each lane of the widest set: the start given, then of the map, then draws */
  HIK_STRETCH_MAPPED = 7, /* the last one from the map */
  HIK_STRETCH_FIRST = 7,  /* steps of each, after which the nearest BEST go on */
  HIK_STRETCH_BEST = 2,
  HIK_STRETCH_LAST = 16 /* for so many more */
}; /* `python -m benchmarks edges` */
/* In reaches: a target beyond FAR changes the nearest pose no more, and is pulled in; the map is asked about a point at
   SPHERE, which most arms can reach from all around. LITTLE: a promise to fall by less than this share of the target's
   distance is none. */
#define HIK_STRETCH_FAR     1e6
#define HIK_STRETCH_SPHERE  0.8
#define HIK_STRETCH_LITTLE  1e-7
#define HIK_STRETCH_DAMPING 0.03 /* on the diagonal of H: this times 1 + |e| */

/* ---- FABRIK on free balls (solve/points/fabrik_free.c) ---- */

enum {
  HIK_FREE_PATIENCE = 4, /* iterations without the fall that `ftol` asks for, before a nudge */
  HIK_FREE_FEW = 2       /* problems that are fewer than a register of the widest set pays for */
}; /* `python -m benchmarks chains`; docs/fabrik.md */

/* ---- work ---- */

enum {
  HIK_CLOSED_AT_ONCE = 32, /* poses a call of the closed form is given, `python -m benchmarks arms` */
  HIK_CLOSED_COST =
      40 /* steps of work that one counts for, for hik_poll: about its time over that of a step */
};
