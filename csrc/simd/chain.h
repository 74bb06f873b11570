/* chain.h: the lane kernels of one serial chain, a problem a lane: poses and Jacobians of a frame; poses of all frames of a tree.

   The steps of the chain are listed from the world to the frame. Every kernel gives the bytes of its scalar twin in
   model/frames.c, whatever the instruction set. */
#ifndef HIK_SIMD_CHAIN_H
#define HIK_SIMD_CHAIN_H
#include "model/model.h"
#include "simd/ccd.h"
#include "simd/descent.h"
#include "simd/tree.h"

/* Longest chain, and widest v of a Jacobian, that is worked on in lanes: their working memory is on the stack. */
enum { HIK_CHAIN_STEPS = 64, HIK_CHAIN_COLUMNS = 64 };

typedef struct hik_chain_kernels {
  /* Pose of a frame, out [n][4][4]; list [count] are the steps above it, 1 .. HIK_CHAIN_STEPS. */
  void (*frame)(const hik_model *m, int32_t frame, const int32_t *list, int32_t count, int64_t n,
                const double *q, double *out);
  /* Poses of all frames, out [n][n_frame][4][4], of a model of at most HIK_CHAIN_STEPS steps. past: past the caches. */
  void (*frames)(const hik_model *m, int64_t n, const double *q, double *out, bool past);
  /* Jacobian of a frame, out [n][6][nv], nv at most HIK_CHAIN_COLUMNS. */
  void (*jacobian)(const hik_model *m, int32_t frame, const int32_t *list, int32_t count, int64_t n,
                   const double *q, double *out, bool past);
  hik_descent_kernels descent;
  const hik_descent_kernels *pair; /* the same two at a time */
  hik_ccd_kernel *ccd;             /* descent.lanes problems at a time */
  hik_tree_kernel *tree;           /* likewise */
  /* Residuals of pose goals, see residual.inc.c. */
  uint32_t (*pose_residuals)(int64_t n, const double *pose, const double *target, double *out);
} hik_chain_kernels;

extern const hik_chain_kernels hik_chain_base, hik_chain_avx2, hik_chain_avx512;
extern const hik_descent_kernels hik_pair_avx2, hik_pair_avx512;
#endif
