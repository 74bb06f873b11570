/* triangulation.c: the law of cosines joint by joint from the base, the rest of the chain taken as one straight bone.

   Purpose    one position at the end of a chain of free balls
   Given      the start, a target
   Returned   q; joints below one that turns are carried with it, as they hang on it
   Outcomes   converged: in exact arithmetic there is nothing else, so that the one iteration, a sweep from the base, is all
              there is. Targets out of reach do not come here (solve/drive/straight.c)
   Notes      1 At a joint, a is the length of its bone, b that of all bones after it together, c the distance to the target.
                They close a triangle: the bone turns, in the plane of bone and target, to the angle of the law of cosines
                off the line to the target, on the side where it is, and the rest lies straight. c >= a + b: the bone
                points at the target. b >= a + c: the rest is too long to close, and the bone points away. A bone on the
                line to the target turns about any axis at right angles to it.
              2 a >= b + c, a bone too long for the rest: the published rule treats it as b >= a + c and finds no
                solution. There is none but at equality; here the bone points at the target, which is the nearest pose.
              3 Why one sweep meets every target in reach: there c is at most the bones left, and no bone left exceeds c
                and the others together. Pointing away keeps both, c becoming c + a, at most b; and at the last joint,
                where b = 0, both together leave c = a.
              4 The published treatment of limits clamps each angle and may then miss targets in reach; here a joint with
                limits is refused.
              5 Twin: handik.study.twins.triangulation.
   Reference  R. Mueller-Cajar, R. Mukundan: Triangulation: a new algorithm for inverse kinematics. Proc. Image and Vision
              Computing New Zealand (2007) 181-186. */
#include "base/quat.h"
#include "solve/points/balls.h"

/* Sine of the angle between bone and target below which any plane is as good. */
#define ON_LINE 1e-9

typedef struct work {
  hik_balls balls;
  hik_bones start;
  double *rest; /* [n] length of all bones after each */
} work;

static work *lay_out(const hik_problem *p, hik_block *block) {
  work *w = HIK_TAKE(block, work, 1), spare, *into = w ? w : &spare;
  size_t n = (size_t)hik_balls_count(p);
  hik_balls_lay_out(p, block, &into->balls);
  into->start = hik_bones_lay_out(block, n);
  into->rest = HIK_TAKE(block, double, n);
  return w;
}

HIK_LAID_OUT(work, lay_out)

static void begin(hik_run *run) {
  work *w = laid_out(run);
  const hik_balls *b = &w->balls;
  hik_balls_prepare(run->problem, &w->balls);
  w->rest[b->n - 1] = 0;
  for (int32_t k = b->n - 2; k >= 0; k--) w->rest[k] = w->rest[k + 1] + b->length[k + 1];
}

/* Where a bone of length a goes that points along `bone`, the target being c along `to` and b the rest. True: the triangle
   is closed. */
static bool place_bone(double a, double b, double c, const double bone[3], const double to[3],
                       double out[3]) {
  bool closes = c < a + b && a < b + c && b < a + c;
  hik_scale3(b >= a + c ? -1 : 1, to, out);
  if (!closes) return false;
  double cosine = hik_clip(0.5 * (a / c + (c - b) / a * ((c + b) / c)), -1, 1), axis[3], side[3];
  hik_cross(to, bone, axis);
  if (hik_norm(axis) > ON_LINE)
    hik_scale3(1 / hik_norm(axis), axis, axis);
  else
    hik_perpendicular(to, axis);
  hik_cross(axis, to, side);
  hik_scale3(cosine, to, out);
  hik_axpy3(out, sqrt((1 - cosine) * (1 + cosine)), side, out);
  return true;
}

/* From the base to the end; writes q. */
static void sweep(const hik_model *m, const work *w, const double aim[3], double *q) {
  const hik_balls *b = &w->balls;
  double carried[4] = {1, 0, 0, 0}, up[4] = {1, 0, 0, 0}, at[3];
  bool closed = false;
  hik_copy3(b->root, at);
  for (int32_t k = 0; k < b->n; k++) {
    double r[9], to[3], bone[3], wanted[3], turn[4];
    hik_quat_to_mat(carried, r);
    hik_mat_vec(r, w->start.bone + 3 * (size_t)k, bone);
    hik_sub3(aim, at, to);
    double c = hik_unit(to, to);
    if (!(c > 0)) hik_copy3(bone, to);
    /* behind a closed triangle rounding must not bend the rest */
    if (closed)
      hik_copy3(to, wanted);
    else
      closed = place_bone(b->length[k], w->rest[k], c, bone, to, wanted);
    hik_balls_turn(bone, wanted, turn);
    hik_quat_mul(turn, carried, carried);
    hik_quat_normalize(carried);
    hik_quat_mul(carried, w->start.turn + 4 * (size_t)k, turn);
    hik_balls_set(b, m, k, turn, up, q);
    hik_axpy3(at, b->length[k], wanted, at);
  }
}

static void one(hik_run *run, const double *target, hik_answer *answer) {
  work *w = run->scratch;
  const hik_problem *p = run->problem;
  const hik_term *term = &p->goal->term;
  double gap[3];
  hik_balls_trace(&w->balls, answer->q, p->model, &w->start);
  hik_sub3(w->start.point + 3 * (size_t)w->balls.n, target + p->goal->column, gap);
  double error = hik_norm_safe(gap);
  hik_note(answer, 0, term->weight * error, answer->q, p->model->nq);
  answer->claim = error <= term->position_tolerance ? HIK_CONVERGED : HIK_MAX_ITER;
  if (answer->claim == HIK_CONVERGED || run->options->max_iter == 0) return;
  sweep(p->model, w, target + p->goal->column, answer->q);
  answer->iterations = 1;
  hik_note_judged(run, target, answer, 1, answer->q);
  answer->claim = HIK_CONVERGED;
}

const hik_solver_class hik_solver_triangulation = {.name = "triangulation",
                                                   .summary =
                                                       "the law of cosines joint by joint from the base: one "
                                                       "sweep meets any target in reach of a free chain",
                                                   .reference = "Mueller-Cajar and Mukundan 2007",
                                                   .max_iter = 1,
                                                   .accepts = hik_balls_accept,
                                                   .scratch_for = scratch_for,
                                                   .begin = begin,
                                                   .one = one};
