/* drive.h: drives of a chair through a door: it turns on the spot or rolls straight, and stands while a hand moves the leaf.

   First ways of any motion are flooded on a grid of (x, y, heading, place of the leaf), from the goal. How far each cell is from
   it then guides a search for a drive, whose places are not those of a grid and whose every move is clear of walls and leaf.
   What is found is a drive but for the hand, which is looked up in a map; what is not found proves nothing. */
#pragma once
#include "access/pass.h"

enum { HIK_DRIVE_FOUND, HIK_DRIVE_NONE, HIK_DRIVE_SPENT };

/* A leaf with its places from shut to open, and the hands. */
typedef struct hik_drive_leaf {
  const hik_leaf *edge;  /* (places, edges) */
  const hik_leaf *sweep; /* (places - 1, edges) on the way to the next place */
  const double *
      grip; /* (places - 1, grips, 3, 4) where a hand is at the beginning, in the middle and at the end of that way,
                            and which way the leaf's face looks there */
  const double *way;      /* (places - 1, grips) 1 on, -1 back, 0 not at all */
  const double *shoulder; /* (hands, 2) about the axle */
  const uint8_t *reached; /* (hands, rows, columns) whether a hand gets to a square */
  double corner[2], step; /* middle of the first square about the axle; from square to square */
  int64_t places, edges, grips, hands, rows, columns; /* hands 0: the hand is not asked */
  bool closer; /* the leaf falls to unless it is held or rests on the chair */
  bool shut;   /* at the goal the leaf is shut */
} hik_drive_leaf;

typedef struct hik_drive {
  const double *corner; /* (corners, 2) of the outline about the axle, counterclockwise */
  const double *wall;   /* (walls, 4) ends of segments */
  int64_t corners, walls;
  double low[2], high[2];   /* where the axle may be */
  double start[4], goal[4]; /* x, y, heading; last 1: any heading */
  double cell;              /* of the grid, meters */
  double margin;            /* of the grid, meters: what is nearer to a wall counts as blocked */
  int32_t headings;         /* of the grid, in a turn: a multiple of 4 */
  int64_t most;             /* places that the search may look at */
  hik_drive_leaf leaf;
  hik_tick_fn *tick; /* asked every 20 ms; NULL: none */
  void *tick_context;
} hik_drive;

typedef struct hik_driven {
  int32_t outcome;
  int64_t rows, looked;
  double *row; /* (rows, 4) x, y, heading, number of the leaf's place; free it with hik_release */
} hik_driven;

/* Look for a drive. HIK_OK, or a status with its sentence in *error; HIK_INTERRUPTED: the tick said stop, and nothing was found. */
hik_status hik_drive_find(const hik_drive *asked, hik_driven *found, hik_error *error);

/* ---- the grid; drive_grid.c ---- */

enum { HIK_FAR = 65535 };

typedef struct hik_grid {
  const hik_drive *in;
  hik_outline outline;           /* for the leaf's ways */
  int32_t nx, ny, words, places; /* words: of 64 cells, in a row */
  double *sine, *cosine;         /* (headings) */
  double *turned;                /* (headings, corners, 2) */
  uint64_t *still,
      *leaf; /* (headings, ny, words), (2 places - 1, headings, ny, words): blocked; of the leaf midway, too */
  uint16_t *level;       /* (places, headings, ny, nx) steps to the goal; HIK_FAR: none */
  int32_t *queue;        /* room for all cells */
  int32_t *which, *kept; /* (edges) */
  hik_deal *deal;        /* whose tick is asked (NULL: none); what is found after its stop means nothing */
} hik_grid;

/* Size of the room for a grid of `in`, and the grid in it (NULL: only count); 0: too large. */
size_t hik_grid_lay(hik_grid *grid, const hik_drive *in, void *memory);

/* Whether to go on; asked before each piece of work that may be long. */
bool hik_grid_goes_on(hik_grid *grid);

/* Block cells, then flood from the goal; whether the start was met. */
bool hik_grid_flood(hik_grid *grid);

/* Steps from a pose to the goal, by the nearest cell. */
int32_t hik_grid_level(const hik_grid *grid, double x, double y, int32_t heading, int32_t place);

/* Whether a hand moves the leaf from place p to the next (way 1) or from there to it (way -1); whether the chair is clear of what
   the leaf sweeps meanwhile; whether a hand holds it open at a place. turned: sine and cosine of the heading. */
bool hik_grid_moves(const hik_grid *grid, const double pose[3], const double turned[2], int32_t p,
                    int32_t way);
bool hik_grid_clears(hik_grid *grid, const double pose[3], int32_t p);
bool hik_grid_holds(const hik_grid *grid, const double pose[3], const double turned[2], int32_t place);
