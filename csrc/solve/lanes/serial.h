/* serial.h: one goal on a serial chain of turns and slides, cut out of its tree and prepared for the lanes. */
#pragma once
#include "analytic/analytic.h"
#include "simd/descent.h"
#include "solve/drive/solver.h"
#include "term/term.h"

enum {
  HIK_MAP_SLABS = 8,
  HIK_MAP_CELLS = HIK_MAP_SLABS * HIK_MAP_SLABS,
  HIK_MAP_SAMPLES = HIK_MAP_CELLS * HIK_CELL
};

/* Starts spread over what the chain reaches. The first and the last turn are zero in all of them: a scan finds their
   best values in closed form, so that a sample stands for a torus of poses. */
typedef struct hik_map {
  double slab[HIK_MAP_SLABS - 1];                  /* bounds by z */
  double radius[HIK_MAP_SLABS][HIK_MAP_SLABS - 1]; /* bounds by the distance from the z axis */
  float cell[HIK_MAP_CELLS][9][HIK_CELL];          /* columns x and y of the rotation, position */
  float t[HIK_MAP_SAMPLES *
          HIK_SERIAL_JOINTS]; /* [HIK_MAP_SAMPLES][n]: close together, they stay in the cache */
} hik_map;

typedef struct hik_prepared {
  hik_held held;
  hik_serial chain;
  int32_t q[HIK_SERIAL_JOINTS];                              /* coordinate of q */
  double line[HIK_SERIAL_JOINTS][2];                         /* t = line[0] q + line[1] */
  double lower[HIK_SERIAL_JOINTS], upper[HIK_SERIAL_JOINTS]; /* of q */
  bool whole[HIK_SERIAL_JOINTS];                             /* a turn free of limits up to whole turns */
  double range[HIK_SERIAL_JOINTS][2];                        /* of t, where starts are drawn */
  hik_end_turn first, last;
  double first_range[2], last_range[2]; /* of the end turns: middle, half-width */
  hik_pose before, after;               /* a target becomes before target after, */
  double inverse;                       /* its position times this */
  double arm[3], weight;                /* see hik_stretch_state */
  hik_analytic *closed;                 /* of an arm of up to six turns that has one, else NULL */
  hik_map map;                          /* last: only poses have one */
} hik_prepared;

/* Whether the problem is one pose on 3 to HIK_SERIAL_JOINTS turns and slides, or one position, orientation or axis on 2
   or more, each joint with a coordinate of its own. */
bool hik_serial_fits(const hik_problem *p);
/* For a plan: of a problem that fits, what the lanes need to know, unless it is there already (about a millisecond). False:
   no memory. */
bool hik_serial_ready(hik_readied *ready);
/* The target of the chain from the goal's: rotation row-major, position. */
void hik_serial_target(const hik_prepared *s, const hik_goal *goal, const double *target, double *out);
/* t from q and back. Where a whole turn is free the angle nearest to the one in q is taken. */
void hik_serial_from_q(const hik_prepared *s, const double *q, double *t);
void hik_serial_to_q(const hik_prepared *s, const double *t, double *q);
/* The cell of the map for a target. */
int32_t hik_map_cell(const hik_prepared *s, const double *target);

/* How near the samples of a target's cell are, and the best end turns of each. */
typedef struct hik_map_query {
  int32_t cell;
  float score[HIK_CELL], turns[4 * HIK_CELL];
} hik_map_query;

void hik_map_ask(const hik_prepared *s, const double *target, hik_map_query *query);
/* The nearest sample that has not been taken yet. */
void hik_map_take(const hik_prepared *s, hik_map_query *query, double *t);
/* Start `number` drawn inside the limits. */
void hik_serial_draw(const hik_prepared *s, uint64_t seed, uint64_t number, double *t);

/* ---- the answer to a target that the lengths put out of reach ---- */

typedef struct hik_stretch hik_stretch;

/* Counts, or with memory lays out; NULL while counting. */
hik_stretch *hik_stretch_lay_out(const hik_problem *p, hik_block *block);
/* For a pose or a position and the prepared problem; answer->q holds the start. Leaves the nearest pose found, its iterations
   and remedies, and the claim HIK_UNREACHABLE. */
void hik_stretch_one(hik_run *run, const hik_prepared *s, hik_stretch *w, const double *target,
                     hik_answer *answer);
