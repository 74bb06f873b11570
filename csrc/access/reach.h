/* reach.h: proofs that a frame's origin stays farther from a target than a distance, whatever the joints do within their limits.

   The steps from the world to the frame are compiled into *elements*: a turn about z, a slide along z, or a swing (u, v) of a
   ball, whose twist is a turn of its own. Their coordinates are numbered as *variables*; a cell is a box of them. Where the
   last ones are an arm (twist, elbow, and turns about one point beyond) they are a *tail*: a set in the axes of the swing, with
   its distance and its support function in closed form, and no variables. The search splits cells until each is proved far. */
#pragma once
#include "base/parallel.h"
#include "model/model.h"

/* One motion of the chain. */
typedef struct hik_element {
  hik_pose place;   /* unmoved frame in the moved frame of the element before */
  int32_t kind;     /* HIK_TURN, HIK_SLIDE; HIK_BALL_STEP: a swing; HIK_CRANK */
  int32_t variable; /* first one; -1: it follows the swing of element `leader` */
  int32_t leader;   /* of a twist and of a follower: the element of the swing; else -1 */
  int32_t step;     /* of the model */
  double scale, offset;
  const double *follow;
  double steep, bend;    /* greatest first and second derivative of what follows, a radian of the bone */
  const hik_swing *room; /* of a swing and its twist, NULL: no limits */
  double axes[9];        /* of a swing: its axes in the joint's frame */
  double slope;          /* of a twist: greatest change of its limits, a radian of the swing */
  double crank[3];       /* of a crank: the way to the next axis, unmoved */
  bool paired;           /* the turn after a crank: its coordinate is `sign` times the crank's and its own */
  double sign, own[2];   /* middle and half of its own */
} hik_element;
/* Of two turns about parallel axes the first: it carries the second axis around and turns nothing; the second turns by both. */
enum { HIK_CRANK = 100 };

/* Where a variable is in a cell, and what it is. */
typedef struct hik_variable {
  double middle, half; /* of the whole range */
  int32_t q;           /* coordinate of the model; -1: of a ball */
  bool round;          /* a whole turn stands for more */
} hik_variable;

/* An arm below a swing: forearm directions u at polar angles [from, to] and azimuths within `wide` of `azimuth` plus those of the
   twist; its end within a cap about u. */
typedef struct hik_patch {
  double from[2], to[2]; /* cosine and sine of the polar angles */
  double azimuth[2];     /* cosine and sine */
} hik_patch;
/* Twists from `middle` - `half` to `middle` + `half`, with cosines and sines of both. */
typedef struct hik_twist {
  double middle, half, turn[2], wide[2];
} hik_twist;
/* A turn that the set below it makes: by variable `variable` of the cell, not by one of the search's chain. */
typedef struct hik_sweep {
  hik_pose place;             /* of the turn, in the last moved frame */
  double scale, offset, half; /* of its whole range */
  int32_t variable;
  struct hik_reach_table *whole; /* turned by all of it */
} hik_sweep;
typedef struct hik_tail {
  bool arm; /* false: the point `point` in the last moved frame */
  double point[3];
  double upper, fore, hand; /* lengths */
  double bent, cosine, sine,
      least;                /* greatest angle between hand and forearm; least distance from the elbow */
  double rim[2];            /* of the hand bent most, in the plane of elbow, forearm and hand */
  double wrist[3], palm[3]; /* the wrist in the elbow's moved frame, wrist to tip in the last one */
  int32_t last;             /* element */
  hik_patch patch[2];
  int32_t patches, twist;      /* element of the twist */
  struct hik_reach_table *set; /* not NULL: all that the chain of the shoulder and what is below reaches */
  const hik_sweep *sweep;      /* not NULL: of the set, wherever this turns it */
} hik_tail;
typedef struct hik_reach_table hik_reach_table;
struct hik_shoulder;

typedef struct hik_reach {
  const hik_model *model;
  int32_t n, variables; /* elements and variables of the search */
  hik_element *element;
  hik_variable *variable;
  hik_swing *open; /* axes and limits of balls without any */
  hik_tail tail;
  struct hik_reach *outer; /* not NULL: of a trunk, without its last turn, which sweeps the set */
  hik_sweep sweep;
  struct hik_shoulder *shoulder; /* all of it by azimuth and share of the swing; NULL: it is another chain */
  double span;                   /* greatest distance of the frame from the world */
} hik_reach;

enum { HIK_REACH_FAR, HIK_REACH_NEAR, HIK_REACH_OPEN };

typedef struct hik_reach_proof {
  int32_t
      outcome; /* FAR: proved. NEAR: a cell's center comes as near, a tail's set counting as reached. OPEN: budget spent */
  int64_t cells;
  double nearest;   /* least distance met at a center inside the limits */
  double normal[3]; /* from the frame there to the target; zeros where none was met */
} hik_reach_proof;

/* A chain without a tail, all joints are variables; with an arm as tail; with all below a trunk as tail, where there is one. */
enum { HIK_REACH_WHOLE, HIK_REACH_ARM, HIK_REACH_NESTED };
/* The chain to a frame. */
hik_status hik_reach_create(const hik_model *m, int32_t frame, int32_t kind, hik_reach **out,
                            hik_error *error);
void hik_reach_free(hik_reach *r);
/* Bytes of working memory of hik_reach_prove, SIZE_MAX: too many. */
size_t hik_reach_scratch(const hik_reach *r);
/* That the frame stays farther than `far` from the target. normal: a unit vector from where the frame comes near to the target,
   zeros: none known. q [nq]: the posture of the nearest center, untouched where none was met. */
hik_reach_proof hik_reach_prove(const hik_reach *r, const double target[3], const double normal[3],
                                double far, int64_t budget, void *scratch, double *q);

/* How each cell of a proof was closed or cut, in the order of the search: a cell, then its lower half with all in it, then the
   upper one. */
enum { HIK_CLOSED_BY_PLANE = 100, HIK_CLOSED_BY_DISTANCE, HIK_CLOSED_OUTSIDE };
typedef struct hik_reach_trace {
  int8_t *how;    /* [room] one of these, or the variable that was halved */
  double *normal; /* [room][3] of the plane, else zeros */
  int64_t room, n;
  hik_deal
      *deal; /* whose tick is asked, and whose stop ends the search: it then proves nothing; NULL: none */
} hik_reach_trace;
/* As hik_reach_prove, with what it did (trace may be NULL); at most as many cells of the search itself as there is room for. */
hik_reach_proof hik_reach_prove_traced(const hik_reach *r, const double target[3], const double normal[3],
                                       double far, int64_t budget, void *scratch, double *q,
                                       hik_reach_trace *trace);

hik_twist hik_twist_make(double middle, double half);
/* Of a tail, in the axes of the swing before the twist. */
double hik_tail_distance(const hik_tail *t, const hik_twist *twist, const double y[3]);
double hik_tail_support(const hik_tail *t, const hik_twist *twist, const double m[3], double point[3]);
