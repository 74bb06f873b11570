/* fabrik_tree.h: one iteration of FABRIK on a tree of real joints with any number of goals; fabrik.c and hybrid.c
   drive it. The tree is cut into links (fabrik_links.c): a ball, a slide, or up to three turns with one origin that nothing
   else pulls at. */
#pragma once
#include "solve/points/fit.h"
#include "solve/points/shared.h"

/* Order of the weights in the parameters of a solver. */
enum {
  HIK_FABRIK_EXTRAPOLATE,
  HIK_FABRIK_CHAIN_AIM,
  HIK_FABRIK_FEASIBLE_TURN,
  HIK_FABRIK_FRAME,
  HIK_FABRIK_BACK_FRAME,
  HIK_FABRIK_POSE,
  HIK_FABRIK_SHARED,
  HIK_FABRIK_WEIGHTS
};

/* `carrier`: the last link up to this one that turns by itself, -1 none. `only`: the single link that pulls at this one, -1
   when there are several or a goal does. */
typedef struct hik_link {
  int32_t step[HIK_MOST_TURNS], count, kind, parent, carrier, only, first_child, next_child, first_goal,
      pulls;
  int32_t below, n_below; /* goals at or below it, in f->below */
  bool frame_below;       /* some of them with an orientation or an axis */
  double gap[3];          /* from where the wanted link above carries it to its wanted origin */
  const hik_swing *cone;
  double round; /* cosine of the widest swing that is inside the cone whichever way it goes */
  hik_range range[HIK_MOST_TURNS]; /* of the turns; of a limited ball the twist */
  bool stands; /* turns alone, all of which follow others: it turns by itself in no pass */
} hik_link;

/* An end is a wish of the problem: of a goal about two frames there are two that want to be where the other is. */
typedef struct hik_link_end {
  hik_wish *wish;
  hik_pose place;     /* in the moved frame of the link */
  int32_t link, next; /* the next one at the same link, -1 none */
  bool has_position;  /* as the figure stands */
  bool has_frame, has_axis;
  double weight, square; /* over the mean weight; its square likewise */
  double rotation[9], tip[3], aim[3], last[3], last_turn[3];
  double gap[3]; /* sum of the gaps from the link in hand down to it */
} hik_link_end;

typedef struct hik_fabrik {
  const hik_problem *p;
  const hik_model *m;
  const double *param;
  double pose_weight; /* HIK_FABRIK_POSE, by the remedy in hand */
  hik_pose *world;
  double *q;
  const double *target;
  int32_t n, n_end;
  hik_link *links;
  hik_link_end *ends;
  hik_wish *wishes; /* [n_end] */
  bool beyond;      /* aims go beyond the targets; hik_fabrik_begin sets it, whoever wants may unset it */
  bool changes;     /* some are wanted anew by where the figure stands */
  bool pairs;       /* some are the two sides of one goal */
  hik_shared shared;
  hik_aimed *aimed; /* [n_end] */
  bool *held; /* [n_step] shares its coordinate with others, or follows a swing: stands still in the passes */
  bool holds; /* there are such */
  int32_t *below;
  hik_pose *wanted;  /* [n] */
  double (*arm)[2];  /* [n_step] cosine and sine of the turns */
  double (*kept)[2]; /* [n_step] of those of the best pose */
  double *from;      /* [n_step] the turns of the start */
  bool has_kept;
  int32_t *pulls, *link_of; /* [n_step] goals and active children; link */
  double *best_q;           /* [nq] for who drives it */
  double tiny, length;
} hik_fabrik;

/* Counts, or with memory lays out; NULL while counting. */
hik_fabrik *hik_fabrik_lay_out(const hik_problem *p, hik_block *block);
/* Cuts the tree into links; once a call. */
void hik_fabrik_prepare(hik_fabrik *f, const hik_problem *p, const double *weights);
/* A new target; world [n_step] is where the frames are. */
void hik_fabrik_begin(hik_fabrik *f, const double *target, hik_pose *world, double *q);
/* Weighs orientations by `factor` times HIK_FABRIK_POSE from now on, where no term is about two frames that both move;
   hik_fabrik_begin sets 1. */
void hik_fabrik_weigh_poses(hik_fabrik *f, double factor);
/* One iteration from q, for which the frames in world are right, to a new pose inside the limits and its frames; q gets
   its balls and slides, and its turns from hik_fabrik_write. `fresh`: q is not what the last iteration left. */
void hik_fabrik_iterate(hik_fabrik *f, bool fresh);
/* Turns of q as directions: f->arm. */
void hik_fabrik_read(hik_fabrik *f);
/* Writes the turns of the pose into q, where a whole turn more or less is free the nearest to those that
   hik_fabrik_begin was given. */
void hik_fabrik_write(hik_fabrik *f);
/* Remembers the turns of the pose; makes those remembered the pose's and writes them. */
void hik_fabrik_keep(hik_fabrik *f);
void hik_fabrik_recall(hik_fabrik *f);
HIK_INLINE int32_t hik_link_last(const hik_link *l) { return l->step[l->count - 1]; }
