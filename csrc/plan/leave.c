/* leave.c: see leave.h.

   Purpose   Goals of inverse kinematics among obstacles, and people at rest, are often in all but contact. An edge from there is
             proved only where its pieces near the end are cut finer than that room, and where it leads away at once: of random
             directions hardly one does.
   Given     A posture nearer to something than the tolerance of proofs.
   Returned  One with more room, the edge to it proved.
   Outcomes  False: none was found, and the posture is a root like any other.
   Notes     Sixteen moves, none at first and then random ones, are bent by the rows of what is near so that each distance
             grows to what is wanted, to first order (Hildreth's method). The roomiest of their ends are tried first, their
             edges cut down to an eighth of the room that there was.
   Reference C. Hildreth: A quadratic programming procedure (1957). */
#include "plan/leave.h"

#include "base/rng.h"

enum { W = HIK_GROUP, SWEEPS = 32 };

static const double WANTED = 0.008,
                    PUSH = 0.03;   /* metres: room that is wanted, and that a row is moved by at most */
static const double FIRST = 0.02;  /* norm of v: of the random moves, times their number */
static const double FINEST = 1e-7; /* metres: pieces are not cut finer */
/* of the tolerance of proofs, which is what the last pieces of an edge may move by */
static const double CLOSE = 0.25;

struct hik_leave {
  hik_contacts near;
  double *q, *to;   /* [16][nq] */
  double *dq, *v;   /* [nv][16], [nv] */
  hik_bound *bound; /* [HIK_CONTACTS] */
};

static size_t lay_out(hik_leave *s, void *memory, const hik_model *m, int32_t obstacles) {
  hik_block block = {memory, 0, false};
  HIK_TAKE(&block, hik_leave, 1);
  hik_contacts_take(&s->near, &block, m->nv, obstacles);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)m->nq, &s->q, &s->to);
  HIK_TAKE_DOUBLES(&block, W * (int64_t)m->nv, &s->dq);
  HIK_TAKE_DOUBLES(&block, m->nv, &s->v);
  s->bound = HIK_TAKE(&block, hik_bound, HIK_CONTACTS);
  return block.bad ? SIZE_MAX : block.size;
}

hik_leave *hik_leave_create(const hik_model *m, const hik_world *world) {
  hik_leave like = {0};
  size_t size = lay_out(&like, NULL, m, hik_world_count(world));
  hik_leave *s = size == SIZE_MAX ? NULL : hik_allocate_raw(size);
  if (!s) return NULL;
  *s = like;
  lay_out(s, s, m, hik_world_count(world));
  return s;
}

void hik_leave_free(hik_leave *s) { hik_release(s); }

uint32_t hik_leave_close(hik_edges *e, const double *q, int32_t count) {
  double far[W];
  uint32_t close = 0;
  hik_check_place(e->check, q, count);
  hik_check_distance(e->check, CLOSE * e->tol, far);
  e->groups++;
  for (int32_t l = 0; l < count; l++) close |= (uint32_t)(far[l] < CLOSE * e->tol) << l;
  return close;
}

/* Sixteen moves from q, bent. */
static void bend(hik_edges *e, hik_leave *s, const double *q) {
  size_t nq = (size_t)e->model->nq, nv = (size_t)e->model->nv;
  double want[W], length[W];
  int32_t n = 0;
  for (size_t l = 0; l < W; l++) {
    memcpy(s->q + l * nq, q, nq * sizeof *q);
    hik_rng rng = hik_rng_start(0x6c65617665, l);
    double square = 0;
    for (size_t k = 0; k < nv; k++) {
      double x = hik_rng_uniform(&rng) - 0.5;
      s->dq[W * k + l] = x, square += x * x;
    }
    double scale = square > 0 ? FIRST * (double)l / sqrt(square) : 0;
    for (size_t k = 0; k < nv; k++) s->dq[W * k + l] *= scale;
    want[l] = WANTED, length[l] = 1e3;
  }
  hik_check_place(e->check, s->q, W);
  hik_contacts_gather(&s->near, e->check, WANTED + PUSH);
  for (int32_t k = 0; k < s->near.count; k++)
    n += hik_contacts_bound(&s->near, k, want, PUSH, length, s->bound + n);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double most = 0;
    for (int32_t k = 0; k < n; k++) most = fmax(most, hik_contacts_push(&s->near, s->bound + k, s->dq));
    if (most < 0.1 * WANTED) break;
  }
  e->groups += 1 + s->near.count / 8;
}

bool hik_leave_from(hik_edges *e, hik_leave *s, const double *q, double *to) {
  const hik_model *m = e->model;
  size_t nq = (size_t)m->nq;
  double room[W], had, tol = e->tol;
  bool found = false;
  bend(e, s, q);
  for (size_t l = 0; l < W; l++) {
    for (int32_t k = 0; k < m->nv; k++) s->v[k] = s->dq[W * k + (int32_t)l];
    hik_integrate(m, 1, q, s->v, s->to + l * nq);
    hik_clamp(m, 1, s->to + l * nq);
  }
  hik_check_distance(e->check, WANTED, room); /* of q, which is placed */
  had = room[0];
  hik_check_place(e->check, s->to, W);
  hik_check_distance(e->check, WANTED, room);
  e->groups += 2;
  e->tol = hik_most(had / 8, FINEST);
  for (int turn = 0; turn < W && !found; turn++) {
    size_t best = 0;
    for (size_t l = 1; l < W; l++)
      if (room[l] > room[best]) best = l;
    if (!(room[best] > 2 * had) || !(room[best] > 0)) break;
    room[best] = -1;
    found = hik_edges_free(e, q, s->to + best * nq);
    if (found) memcpy(to, s->to + best * nq, nq * sizeof *to);
  }
  e->tol = tol;
  return found;
}
