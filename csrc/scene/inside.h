/* inside.h: what worlds, figures and groups are made of; for this folder and its kernels alone. */
#pragma once
#include "scene/grid_near.h"
#include "scene/scene.h"

/* What may be left out by a bound must be farther than what counts by this (metres, and metres a metre of the lengths and
   coordinates at hand): more than all rounding, so that bounds never change a byte of what is answered; and what is proved is
   proved with as much to spare. */
#define HIK_SCENE_SLACK    1e-9
#define HIK_SCENE_ROUNDING 1e-14
#define HIK_SCENE_THIN     1e-6

/* An obstacle, to be broadcast: numbers by kind.
   sphere 0 center, 3 radius; capsule 0 start, 3 along, 6 radius, 7 square of the length, 8 its inverse or 0;
   box 0 pose, 12 half sizes; plane 0 normal, 3 offset; prism 0 pose, 12 half height, 13 half height again of its bound */
enum { HIK_OBSTACLE = 16, HIK_CORNER = 8 };
enum { HIK_SIZES = 4 };
enum { HIK_EIGHT = 8 }; /* levers that are looked at together */

/* Of the square of a length, for bounds: 0 where floats have no room for it. */
static inline float hik_thin_inverse(double square) { return square > 1e-30 ? (float)(1 / square) : 0; }

struct hik_world {
  int32_t n;
  double extent; /* greatest coordinate of what is bounded */
  int32_t *kind; /* [n] */
  double *row;   /* [n][HIK_OBSTACLE] */
  float *
      thin_row; /* [n][HIK_OBSTACLE] for bounds: sphere 9 center; capsule 0 start, 3 along, 6 square of the length, 7 its
                      inverse or 0; box as above; 15 radius */
  float *ball;            /* [n][4] a ball that holds it, its radius rounded up; infinite: none */
  float *box;             /* [n][6] least, greatest coordinates */
  float low[3], scale[3]; /* of the cells of each axis */
  int32_t cells, words;   /* of an axis; of a row of bits, one an obstacle */
  uint64_t *
      bits; /* [6][cells][words] by axis: what begins in or before the cell; then: what ends in or after it */
  int32_t *first, *corners; /* [n] of prisms: rows of `corner` */
  double *
      corner; /* [HIK_CORNER]: x y, outward normal x y of the edge to the next, the edge x y, its inverse square, offset */
  const hik_grid **grid; /* [n] */
};

struct hik_figure {
  const hik_model *model;
  int32_t n_capsule, n_pair, n_sum, stride; /* stride of levers */
  int32_t *step;                            /* [n_capsule] that carries it, -1 the world */
  int32_t *order; /* [n_capsule] capsules by how much all joints move them, most first: these hit most */
  double *axis;   /* [n_capsule][6] start and start-to-end in the step's moved frame */
  double *radius, *square, *inverse; /* [n_capsule]; square of the length, its inverse or 0 */
  double *half;                      /* [n_capsule] half the length */
  float *size;                       /* [n_capsule][HIK_SIZES] radius, square, inverse */
  float *ball;    /* [n_capsule] radius of a ball about its middle that holds it, rounded up */
  int32_t *pair;  /* [n_pair][2] */
  double *apart;  /* [n_pair] how far the two axes must be from each other: the radii less the allowance */
  double *give;   /* [n_pair] the allowance */
  float *reach;   /* [n_pair] middles farther from each other are apart, rounded up */
  double *lever;  /* [n_step][stride] metres a radian or a metre */
  int32_t words;  /* of a row of bits, one for eight levers side by side */
  uint64_t *some; /* [n_step][words] where any of the eight is above 0: most joints move few pairs apart */
  double *slope;  /* [n_step] greatest slope of a step that follows a swing, else |scale| */
  double *along;  /* [n_step] of slides: greatest distance that the levers count with */
  double
      extent; /* lengths of all links and axes, radii too: no point is farther from the world but by slides */
};

struct hik_check {
  const hik_figure *figure;
  const hik_world *world;
  int32_t count;
  uint32_t usable; /* lanes with finite coordinates */
  double slack;    /* of the group in hand: see HIK_SCENE_SLACK */
  float thin;      /* the same for floats */
  double *q;       /* [nq][16] */
  double *pose;    /* [n_step][12][16] */
  double *axis;    /* [n_capsule][6][16] start, start-to-end in the world */
  float *middle;   /* [n_capsule][3][16] of the axes */
  float *line;     /* [n_capsule][6][16] the axes once more; 16 numbers before and after them may be read */
  float *box;      /* [n_capsule][6][16] least, greatest coordinates of the capsule */
  uint64_t *candidate; /* [words] */
  double *sum;         /* [n_sum] of the edge in hand */
  double *turn;        /* [n_capsule] of the edge in hand: see hik_growth */
  double *turned;      /* [n_step] the same of steps */
  float *moved;  /* [n_capsule][16] metres that each may move, where the growth is of an edge or a curve */
  float *bent;   /* [n_capsule][16] by how much of that its way may leave the line to the lanes beside */
  double *stack; /* [HIK_STACK][2] */
};
enum { HIK_STACK = 4096 };

/* As hik_beside_of, of an edge. */
void hik_beside_partner(const double *t, const double *half, hik_beside *out);

typedef struct hik_scene_kernels {
  hik_near_fn *points;
  void (*place)(hik_check *check);
  hik_touched (*touch)(const hik_check *check, const hik_growth *growth, bool stop);
  void (*distance)(const hik_check *check, double cutoff, double *out);
  void (*least)(const hik_check *check, double cutoff, hik_least *out);
  int32_t (*near)(const hik_check *check, const double cutoff[2], hik_near *out, int32_t most);
  void (*count)(const hik_check *check, double within, int64_t *touched);
  void (*overlaps)(const hik_check *check, double within, double *nearest);
  void (*row)(const hik_check *check, const hik_near *near, double *row);
  double (*push)(const double *row, const double *inverse, const double *need, double *force, double *dq,
                 int32_t nv);
  void (*motions)(const double *lever, const uint64_t *some, int32_t n, double motion, double *sum);
} hik_scene_kernels;
