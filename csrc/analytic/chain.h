/* chain.h: the serial chain from the world to one frame, in the form the analytic solvers want. */
#pragma once
#include "analytic/loop.h"
#include "base/error.h"
#include "model/model.h"

/* Joints whose limits are equal, and balls that are held, are links like any other.
   T = base J1 link[0] J2 ... Jn link[n - 1], every joint about or along z, lengths divided by `scale`. Origins are
   slid along the axes to the feet of the common normals, which keeps the joints' values and shortens the links. */
typedef struct hik_chain {
  int32_t n;
  int32_t kind[HIK_LOOP_MAX];                      /* HIK_TURN, HIK_SLIDE */
  int32_t q[HIK_LOOP_MAX];                         /* coordinate of q */
  double line[HIK_LOOP_MAX][2];                    /* joint value = line[0] q + line[1]; metres for a slide */
  double lower[HIK_LOOP_MAX], upper[HIK_LOOP_MAX]; /* of q */
  hik_pose base, link[HIK_LOOP_MAX];
  double scale;
} hik_chain;

hik_status hik_chain_of(const hik_model *model, int32_t frame, hik_chain *chain, hik_error *error);

/* The loop that the chain closes when its frame is at `pose` (metres). */
void hik_chain_loop(const hik_chain *chain, const hik_pose *pose, hik_loop *loop);

/* Coordinate of q of each joint of the chain, as it is. */
void hik_chain_row(const hik_chain *chain, const double *theta, double *row);

/* Coordinate of q of each joint of the chain, from joint values (scaled, turns in [-pi, pi]), by whole turns into the
   limits; false when that cannot be. A value that is outside by no more than HIK_NEAR_LIMIT is brought to the limit, and
   *moved is the most that was done so: above HIK_AT_LIMIT, which is rounding, the pose may be lost, and the caller looks.
   (Where two postures meet a value is known to 1e-8 only.) */
#define HIK_NEAR_LIMIT 1e-5
bool hik_chain_unwind(const hik_chain *chain, const double *theta, double *row, double *moved);
