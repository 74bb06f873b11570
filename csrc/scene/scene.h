/* scene.h: distances of a figure made of capsules to what stands about it and to itself; certain answers for edges.

   Sixteen postures are looked at together, a group, one a lane, on every instruction set: what is answered for a posture
   depends neither on the others nor on the width of a register.

   hik_world    obstacles, compiled; immutable, of any number of threads
   hik_figure   capsules on the links of a model, the pairs of them that are compared, and levers; immutable; it borrows the model
   hik_check    the working memory of one thread: a world, a figure, and the group in hand

   An edge is the way from q0 by v in tangent space, q(t) = integrate(q0, t v), t from 0 to 1: balls turn steadily. It is
   proved by growing the capsules by what they move within a piece of it. */
#pragma once
#include "model/model.h"

enum { HIK_GROUP = 16 };

typedef enum hik_shape_kind {
  HIK_SHAPE_SPHERE,  /* size: radius */
  HIK_SHAPE_CAPSULE, /* along z; size: length without its caps, radius */
  HIK_SHAPE_BOX,     /* size: edges along x y z */
  HIK_SHAPE_PLANE,   /* solid where z <= 0 */
  HIK_SHAPE_PRISM,   /* a convex polygon in x y, counterclockwise, from z = 0 up to size: height */
  HIK_SHAPE_GRID,    /* see scene/grid.h */
  HIK_SHAPE_KINDS
} hik_shape_kind;

typedef struct hik_grid hik_grid;

typedef struct hik_shape {
  int32_t kind;
  double pose[12]; /* rotation by rows, x y z: the layout of hik_pose */
  double size[3];
  int32_t corners; /* of a prism */
  const double *corner;
  const hik_grid *grid;
} hik_shape;

typedef struct hik_world hik_world;
typedef struct hik_figure hik_figure;
typedef struct hik_check hik_check;

/* Shapes are copied (a grid is borrowed). */
hik_status hik_world_create(const hik_shape *shape, int32_t n, hik_world **out, hik_error *error);
void hik_world_free(hik_world *world);
int32_t hik_world_count(const hik_world *world);

typedef struct hik_figure_def {
  const hik_model *model;
  int32_t n_capsule, n_pair;
  const int32_t *frame;    /* [n_capsule] */
  const double *ends;      /* [n_capsule][6] start and end of the axis in the frame */
  const double *radius;    /* [n_capsule] */
  const int32_t *pair;     /* [n_pair][2] places of capsules */
  const double *allowance; /* [n_pair] metres by which a pair may overlap, as flesh does; NULL: none may */
} hik_figure_def;

hik_status hik_figure_create(const hik_figure_def *def, hik_figure **out, hik_error *error);
void hik_figure_free(hik_figure *figure);
const hik_model *hik_figure_model(const hik_figure *figure);
int32_t hik_figure_capsules(const hik_figure *figure);
/* That carries a capsule; -1: the world. */
int32_t hik_figure_step(const hik_figure *figure, int32_t capsule);
int32_t hik_figure_pairs(const hik_figure *figure);
/* Capsules, then pairs: how many sums a direction has. */
int32_t hik_figure_sums(const hik_figure *figure);

/* Memory of a check, which it begins in: aligned to 64 bytes, at least hik_check_size bytes (SIZE_MAX: too many). Nothing
   is to be freed but the memory. */
size_t hik_check_size(const hik_figure *figure, const hik_world *world);
hik_check *hik_check_begin(void *memory, const hik_figure *figure, const hik_world *world);
const hik_world *hik_check_world(const hik_check *check);

/* ---- the group ---- */

/* Postures q [count][nq], count 1 to 16. Lanes past count repeat the last. */
void hik_check_place(hik_check *check, const double *q, int32_t count);
/* Points t [count] of an edge. */
void hik_check_between(hik_check *check, const double *q0, const double *v, const double *t, int32_t count);

/* sum [hik_figure_sums]: metres by which each capsule's axis (each pair, one seen from the other) moves at most along v
   from t = 0 to 1; in a part of an edge by that share. Infinite where nothing bounds it. */
void hik_motion_sums(const hik_figure *figure, const double *v, double *sum);

enum { HIK_DIRECTIONS = 6 };
/* Of a curve, from low to high of what is told by lanes beside: how fast at most direction j is gone, and how fast that changes.
   Rounded up. */
typedef struct hik_curving {
  float rate[HIK_DIRECTIONS][HIK_GROUP], pace[HIK_DIRECTIONS][HIK_GROUP];
} hik_curving;

/* Of points of an edge or a curve, and pieces that reach as far from them to both sides: what is told of their ends by the points
   in the lanes next to theirs and before it. */
typedef struct hik_beside {
  float most
      [2]
      [HIK_GROUP]; /* the greatest share of the way to the next point, and to the one before, that may be gone; rounded up */
  float bend
      [HIK_GROUP]; /* times half of what bounds the second derivative: how far off; infinite: nothing is told */
  /* of curves alone */
  float next[2][HIK_GROUP],
      last[2][HIK_GROUP]; /* the shares of the two ways that lead to the later end, and to the earlier one */
  double low[HIK_GROUP], high[HIK_GROUP]; /* the piece, and the points that it is told by */
} hik_beside;

/* What the pieces of a curve about points t, as long to both sides as half [16], are told by. */
void hik_beside_of(const double *t, const double *half, hik_beside *out);

/* Metres that capsule or pair k may move in lane l: the sum over j of weight[j][l] sum[j][k]. Where the group is points of an
   edge, and its pieces reach weight[0][l] from these, or of a curve, less is told by where the places of lanes side by side are. */
typedef struct hik_growth {
  int32_t count; /* directions, 1 or more */
  const double *sum[HIK_DIRECTIONS];
  double weight[HIK_DIRECTIONS][HIK_GROUP];
  const double *turn[HIK_DIRECTIONS]; /* [capsules] radians by which each turns at most along a direction;
                                         the first NULL: nothing is told */
  const hik_beside *beside;
  const hik_curving *curve; /* NULL: an edge, of one direction */
} hik_growth;

/* Radians by which each capsule turns at most along v [capsules]; where nothing bounds how its way bends more than any way tells. */
void hik_check_turns(hik_check *check, const double *v, double *turn);

/* A bit a lane. Neither free nor hit: nearer than the growth, and not known to touch. */
typedef struct hik_touched {
  uint32_t free, hit;
} hik_touched;

/* growth NULL: none, and free is what is not hit. stop: leave at the first lane that hits; what is then neither is open. */
hik_touched hik_check_touch(hik_check *check, const hik_growth *growth, bool stop);

/* NaN where a coordinate is not finite or beyond 1e12. The nearest pair of each posture; a capsule and an obstacle, or (other =
   obstacles + capsule) two capsules. Signed: below 0 in contact. Of two capsules: what lies between their surfaces, and their
   allowance; here and below. capsule -1: nothing within the cutoff, which is then the distance. */
typedef struct hik_least {
  double distance[HIK_GROUP], normal[3][HIK_GROUP]; /* normal: from the other to the capsule */
  double on[3][HIK_GROUP], other_on[3][HIK_GROUP];  /* the points of the two surfaces */
  int32_t capsule[HIK_GROUP], other[HIK_GROUP];
} hik_least;
void hik_check_least(hik_check *check, double cutoff, hik_least *out);
/* The distances alone, [16]: the same numbers, sooner. */
void hik_check_distance(hik_check *check, double cutoff, double *out);

/* A pair nearer than its cutoff in some lane in use, one for obstacles and one for two capsules: its signed distance in all of
   these. */
typedef struct hik_near {
  int32_t capsule, other; /* as in hik_least */
  double distance[HIK_GROUP], normal[3][HIK_GROUP];
  double axis[3][HIK_GROUP],
      other_axis[3][HIK_GROUP]; /* points carried by the capsule, and by the other's capsule */
} hik_near;
/* Writes at most `most`; returns how many there are. */
int32_t hik_check_near(hik_check *check, double cutoff, double self_cutoff, hik_near *out, int32_t most);
/* row [nv][16]: how the distance grows by each coordinate of v, for the lanes in use of the group placed last. */
void hik_check_row(const hik_check *check, const hik_near *near, double *row);

/* One step of Hildreth's method in each lane: dq [nv][16] moved along a row [nv][16] so that it grows by at least `need`, or back
   as far as the row has moved it: `force` is its multiplier, `inverse` that of its square, 0 where nothing is to be moved. Returns the
   greatest move along the row. All [16]. */
double hik_row_push(const double *row, const double *inverse, const double *need, double *force, double *dq,
                    int32_t nv);

/* Adds to touched [pairs] how many of the random postures of a seed with the numbers first .. first + n - 1 have the pair in
   contact (nearer than 1e-6 m); the postures are put together joint by joint from those of `made`. */
enum { HIK_MADE = 16384 };
void hik_check_made(const hik_model *model, uint64_t seed, double *made); /* [HIK_MADE][nq] */
void hik_check_draws(hik_check *check, uint64_t seed, int64_t first, int64_t n, const double *made,
                     int64_t *touched);
/* Lowers nearest [pairs] to the least signed distance of each pair in postures q [n][nq]; none may be above 1e-6. */
void hik_check_overlaps(hik_check *check, const double *q, int64_t n, double *nearest);

/* ---- edges ---- */

typedef enum hik_edge { HIK_EDGE_FREE, HIK_EDGE_HIT, HIK_EDGE_UNDECIDED } hik_edge;

typedef struct hik_edge_proof {
  hik_edge edge;
  double witness; /* HIT: t of a posture in contact; UNDECIDED: where it stuck */
  int64_t groups; /* of postures looked at */
} hik_edge_proof;

/* Pieces whose half moves less than tol (metres) are not cut further. */
hik_edge_proof hik_check_edge(hik_check *check, const double *q0, const double *v, double tol);

typedef struct hik_march {
  double proved; /* t up to which the edge is proved free */
  bool hit;      /* a posture in contact was met behind it */
  int64_t groups;
} hik_march;
/* The greatest part from q0 that is proved. Where it is at least `least` and a contact is met, it does not refine. */
hik_march hik_check_march(hik_check *check, const double *q0, const double *v, double tol, double least);
