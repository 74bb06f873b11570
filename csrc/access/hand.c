/* hand.c: all turns of a hand about its tip searched; see hand.h.

   Purpose    a no to "is there room for the hand here?"
   Given      balls fixed to the tip, obstacles, a target
   Returned   a proof that each turn has a ball in an obstacle; or a turn that has none
   Notes      A cell is a square of a cube's face times an interval of roll. Along a face the middle of a cell and any other place
              of it are joined by an arc inside it, along which the hand turns by the arc's length, and about its own axis by
              tan(t / 2) as much at most, t <= 54.74 degrees from the face's middle, and by the roll. A ball at x moves by at most
              |x| times the one and its distance from the axis times the other. Signed distances change by no more than that.
   Reference  own. */
#include "access/hand.h"

#include "base/pose.h"
#include "base/trig.h"

/* More than the rounding of all that is added up, in meters; a cell whose halves are no wider on any side is not cut. */
static const double SLACK = 1e-7, FINEST = 1e-4;
/* A cell is halved some 3 * 20 times until it is FINEST, and each time one half waits. */
enum { DEEPEST = 256, PROBED = 8 };

typedef struct turns {
  int32_t face, ball, obstacle; /* the pair that was deepest in the cell it comes from */
  double at[3], half[3];        /* on the face, and roll in half turns */
  uint64_t away;                /* a bit for each of the first balls that nothing in the cell can touch */
} turns;

typedef struct search {
  const hik_hand *hand;
  const double *target;
  const int32_t *near;
  int32_t nears;
  double tolerance, arm, side; /* greatest distance from tip and from axis */
} search;

double hik_cube_spread(const double at[2], const double half[2]) {
  double square = 1;
  for (int i = 0; i < 2; i++) {
    double least = fmax(fabs(at[i]) - half[i], 0);
    square += least * least;
  }
  return sqrt((half[0] * half[0] + half[1] * half[1]) / square);
}

void hik_cube_turn(int32_t face, const double at[2], double out[9]) {
  static const double z[3] = {0, 0, 1};
  double w[3] = {at[0], at[1], 1}, turn[9], sign = face < 3 ? 1 : -1;
  hik_scale3(1 / hik_norm(w), w, w);
  hik_mat_minimal(z, w, turn);
  int axis = face % 3;
  for (int j = 0; j < 3; j++) { /* z of the face to its axis, x to the next, and y as that makes a rotation */
    out[3 * axis + j] = sign * turn[6 + j];
    out[3 * ((axis + 1) % 3) + j] = turn[j];
    out[3 * ((axis + 2) % 3) + j] = sign * turn[3 + j];
  }
}

/* No ball counts, of those that were drawn on the axes of capsules. */
static bool clear(const search *s, const double turn[9]) {
  for (int32_t b = 0; b < s->hand->balls; b++) {
    const double *ball = s->hand->ball + 4 * (size_t)b;
    double at[3];
    hik_mat_vec(turn, ball, at);
    hik_add3(at, s->target, at);
    for (int32_t j = 0; j < s->nears; j++) {
      double most = ball[3] - s->hand->give[s->near[j]];
      if (hik_solid_beyond(s->hand->world, s->near[j], at) > most) continue;
      if (!(hik_solid_distance(s->hand->world, s->near[j], at) > most)) return false;
    }
  }
  return true;
}

static void turn_of(const turns *cell, double turn[9]) {
  double c, s;
  hik_cube_turn(cell->face, cell->at, turn);
  hik_sincos(HIK_PI * cell->at[2], &s, &c);
  hik_mat_turn_z(turn, c, s, turn);
}

/* Some turns all around: most hands that have room are clear in one of them. */
static bool probe(const search *s, double turn[9]) {
  for (int32_t k = 0; k < 6 * 4 * PROBED; k++) {
    const turns at = {.face = k % 6,
                      .at = {(k / 6) % 2 - 0.5, (k / 12) % 2 - 0.5, 2.0 * (k / 24) / PROBED - 1}};
    turn_of(&at, turn);
    if (clear(s, turn)) return true;
  }
  return false;
}

/* Closes the cell, or tells in `deepest` how deep a ball is at least at its middle. */
static bool closes(const search *s, turns *cell, double turn[9], double *deepest) {
  double spread = hik_cube_spread(cell->at, cell->half), roll = HIK_PI * cell->half[2], best = -INFINITY;
  turn_of(cell, turn);
  *deepest = -INFINITY;
  const int32_t first = cell->ball;
  for (int32_t k = -1; k < s->hand->balls; k++) {
    int32_t b = k < 0 ? first : k;
    if (k >= 0 && k < 64 && (cell->away >> k & 1)) continue;
    double high = -INFINITY; /* no depth of the ball at the middle is above it */
    const double *ball = s->hand->ball + 4 * (size_t)b;
    double at[3], arm = hik_norm(ball), side = sqrt(ball[0] * ball[0] + ball[1] * ball[1]);
    double moves = fmin(arm * spread + side * (HIK_CUBE_TWIST * spread + roll), 2 * arm) + s->tolerance;
    hik_mat_vec(turn, ball, at);
    hik_add3(at, s->target, at);
    for (int32_t j = 0; j < (k < 0 ? 1 : s->nears); j++) {
      int32_t obstacle = k < 0 ? cell->obstacle : s->near[j];
      double most = ball[3] - s->hand->give[obstacle];
      double bound = most - hik_solid_beyond(s->hand->world, obstacle, at);
      if (bound < fmin(0, best + moves)) {
        high = fmax(high, bound);
        continue;
      }
      double depth = most - hik_solid_distance(s->hand->world, obstacle, at);
      high = fmax(high, depth);
      *deepest = fmax(*deepest, depth);
      if (depth - moves > best) best = depth - moves, cell->ball = b, cell->obstacle = obstacle;
      if (best > SLACK) return true;
    }
    if (k >= 0 && k < 64 && high + moves < 0) cell->away |= (uint64_t)1 << k;
  }
  return false;
}

/* The half to come, and the cell made the other; false: too fine. */
static bool halve(const search *s, turns *cell, turns *other) {
  double spread = hik_cube_spread(cell->at, cell->half) /
                  sqrt(cell->half[0] * cell->half[0] + cell->half[1] * cell->half[1]);
  double share[3] = {s->arm * spread * cell->half[0], s->arm * spread * cell->half[1],
                     s->side * HIK_PI * cell->half[2]};
  int i = share[1] > share[0];
  if (share[2] > share[i]) i = 2;
  if (!(share[i] > FINEST)) return false;
  cell->half[i] *= 0.5;
  *other = *cell;
  cell->at[i] -= cell->half[i], other->at[i] += cell->half[i];
  return true;
}

static search begin(const hik_hand *hand, const double target[3], double tolerance, int32_t *near) {
  search s = {.hand = hand, .target = target, .near = near, .tolerance = tolerance};
  double thick = 0;
  for (int32_t k = 0; k < hand->balls; k++) {
    const double *b = hand->ball + 4 * (size_t)k;
    s.arm = fmax(s.arm, hik_norm(b));
    s.side = fmax(s.side, sqrt(b[0] * b[0] + b[1] * b[1]));
    thick = fmax(thick, b[3]);
  }
  for (int32_t k = 0; k < hik_world_count(hand->world); k++)
    if (hik_solid_distance(hand->world, k, target) < s.arm + thick - hand->give[k] + tolerance)
      near[s.nears++] = k;
  return s;
}

hik_hand_proof hik_hand_prove(const hik_hand *hand, const double target[3], double tolerance, int64_t budget,
                              int32_t *near, int64_t *used) {
  hik_hand_proof out = {.outcome = HIK_HAND_OPEN};
  turns waiting[DEEPEST];
  int32_t n = 0;
  search s = begin(hand, target, tolerance, near);
  if (probe(&s, out.turn)) {
    out.outcome = HIK_HAND_CLEAR;
    return out;
  }
  for (int32_t face = 0; face < 6; face++)
    waiting[n++] = (turns){.face = face, .obstacle = near[0], .half = {1, 1, 1}};
  while (n > 0) {
    turns *cell = waiting + n - 1;
    double deepest = -INFINITY;
    if (out.cells >= budget) return out;
    out.cells++;
    if (closes(&s, cell, out.turn, &deepest)) {
      if (used) used[cell->obstacle]++;
      n--;
      continue;
    }
    if (deepest < 0) {
      out.outcome = HIK_HAND_CLEAR;
      return out;
    }
    if (n >= DEEPEST || !halve(&s, cell, cell + 1)) return out;
    n++;
  }
  out.outcome = HIK_HAND_BLOCKED;
  return out;
}
