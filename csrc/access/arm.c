/* arm.c: postures of an arm searched from its hand; see arm.h.

   Purpose    a no that obstacles give
   Given      an arm whose shoulder stands still, obstacles, a target
   Returned   a proof that no posture with the tip there is free; or where it got stuck
   Notes      A cell is a square of a cube's face for the hand's axis w, and an interval of swivel. Within it
              - w turns by dw at most, the wrist W = t - h w moves by mw = h dw + tolerance;
              - n, from the shoulder S to W, turns by mw / (L - mw), L = |W - S|;
              - the frame about n, carried by the least turn from t - S, within b of which n keeps, sin b = (h + tolerance) /
                |t - S|, turns about n by tan(b / 2) as much;
              - the angle at the shoulder lies between those of L - mw and L + mw, and where L^2 = a^2 - b^2 between them;
              - so the elbow moves by me = a (turn (1 + tan(b / 2) sin) + half the range of that angle + sin dphi),
              and a point of a bone by its shares of what its ends move by. A cell is closed where the lengths do not allow L, the
              hand would be bent by more than it may, the bone swings out of its room, forearm and twist do not go together, or
              a ball is deeper in an obstacle than it moves. Cells in which nothing moves by GRAIN are counted, not cut.
   Reference  own. */
#include "access/arm.h"

#include "access/hand.h"
#include "base/error.h"
#include "base/memory.h"
#include "scene/inside.h"

static const double SLACK = 1e-7, GRAIN = 1e-3;
enum { WAITS = 256, GRAINS = 100, ON_BONE = 9 };
/* Generations in which no pair but the parent's is looked at, as long as it touches at the middle. */
enum { SKIPPED = 2 };

/* ---- the arm ---- */

/* Unmoved frame of element `to` in the moved one of `from`. */
static hik_pose between(const hik_reach *r, int32_t from, int32_t to) {
  hik_pose out = hik_pose_identity, next;
  for (int32_t k = from + 1; k <= to; k++) {
    hik_pose_mul(&out, &r->element[k].place, &next);
    out = next;
  }
  return out;
}

/* A point carried by a step as a place on a bone and its distance from it; -1: no bone carries it. */
static int32_t on_bone(const hik_reach *r, int32_t step, const double point[3], double *along, double *off) {
  const hik_tail *t = &r->tail;
  int32_t elbow = t->twist + 1;
  double x[3], axis[3];
  if (r->element[t->last].step == step) {
    hik_sub3(point, t->point, x);
    hik_scale3(1 / t->hand, t->palm, axis);
    *along = hik_dot(x, axis);
    hik_axpy3(x, -*along, axis, x);
    *off = hik_norm(x);
    return HIK_ARM_HAND;
  }
  if (r->element[t->twist].step == step) {
    hik_mat_tvec(r->element[t->twist - 1].axes, point, x);
    *along = x[2] / t->upper, *off = sqrt(x[0] * x[0] + x[1] * x[1]);
    return HIK_ARM_UPPER;
  }
  for (int32_t k = elbow; k < t->last && k <= elbow + 1; k++) {
    if (r->element[k].step != step) continue;
    hik_pose at = between(r, elbow, k);
    double z[3], across[3];
    hik_mat_column(at.r, 2, z);
    hik_cross(z, t->wrist, across);
    if (k > elbow && hik_norm(across) > 1e-9) return -1; /* a turn of the wrist */
    hik_pose_point(&at, point, x);
    *along = hik_dot(x, t->wrist) / (t->fore * t->fore);
    hik_axpy3(x, -*along, t->wrist, x);
    *off = hik_norm(x);
    return HIK_ARM_FORE;
  }
  return -1;
}

/* Balls of all capsules; NULL: how many each bone has at most. */
static void take_balls(const hik_reach *r, const hik_figure *figure, hik_bone *bone, bool count) {
  for (int32_t c = 0; c < figure->n_capsule; c++) {
    const double *axis = figure->axis + 6 * (size_t)c;
    double length = 2 * figure->half[c], radius = figure->radius[c];
    for (int k = 0; k < (length > 0 ? ON_BONE : 1); k++) {
      double point[3], along, off;
      hik_axpy3(axis, (double)k / (ON_BONE - 1), axis + 3, point);
      int32_t b = on_bone(r, figure->step[c], point, &along, &off);
      if (b < 0 || !(radius - off > 0)) continue;
      if (b != HIK_ARM_HAND && !(along >= 0 && along <= 1)) continue;
      if (!count) bone[b].along[bone[b].balls] = along, bone[b].radius[bone[b].balls] = radius - off;
      bone[b].balls++;
    }
  }
}

static void set_lengths(hik_arm *arm) {
  const hik_tail *t = &arm->chain->tail;
  double low = 1, high = -1; /* cosines of the polar angle of the forearm */
  for (int32_t k = 0; k < t->patches; k++) {
    low = fmin(low, t->patch[k].to[0]), high = fmax(high, t->patch[k].from[0]);
  }
  double squares = t->upper * t->upper + t->fore * t->fore, both = 2 * t->upper * t->fore;
  arm->length[0] = sqrt(fmax(0, squares + both * low)), arm->length[1] = sqrt(fmax(0, squares + both * high));
}

hik_status hik_arm_create(const hik_reach *chain, const hik_figure *figure, hik_arm **out, hik_error *error) {
  const hik_tail *t = &chain->tail;
  hik_bone bone[HIK_ARM_BONES] = {{0}};
  if (!t->arm || chain->n != 1 || t->twist != 1 || !(t->hand > 1e-6) || !(t->upper > 1e-6))
    return hik_fail(error, HIK_UNSUPPORTED, -1,
                    "the chain is no arm with a hand on a ball that stands still");
  take_balls(chain, figure, bone, true);
  size_t balls = 0;
  for (int b = 0; b < HIK_ARM_BONES; b++) balls += (size_t)bone[b].balls;
  hik_arm *arm = hik_allocate(sizeof *arm + 2 * sizeof(double) * balls);
  if (!arm) return hik_fail(error, HIK_NO_MEMORY, -1, "no memory for an arm");
  *arm = (hik_arm){.chain = chain, .fore = *t};
  double *at = (double *)(arm + 1);
  for (int b = 0; b < HIK_ARM_BONES; b++) {
    arm->bone[b].along = at, arm->bone[b].radius = at + bone[b].balls;
    at += 2 * bone[b].balls;
  }
  take_balls(chain, figure, arm->bone, false);
  hik_copy3(chain->element[0].place.t, arm->shoulder);
  memcpy(arm->turn, chain->element[0].place.r, sizeof arm->turn);
  const hik_variable *v = chain->variable + chain->element[t->twist].variable;
  arm->twist = hik_twist_make(v->middle, fmin(v->half, HIK_PI));
  arm->fore.hand = 0, arm->fore.bent = 0, arm->fore.cosine = 1, arm->fore.sine = 0;
  arm->fore.rim[0] = t->fore, arm->fore.rim[1] = 0, arm->fore.least = t->fore;
  set_lengths(arm);
  *out = arm;
  return HIK_OK;
}

void hik_arm_free(hik_arm *arm) { hik_release(arm); }

/* ---- a cell ---- */

static double clipped(double x) { return hik_clip(x, -1, 1); }

/* Cosine of the angle at the shoulder. */
static double cosine_at(const hik_tail *t, double length) {
  return clipped((t->upper * t->upper + length * length - t->fore * t->fore) / (2 * t->upper * length));
}

/* The angle at the shoulder for lengths from low to high: middle and half of its range, and its greatest sine. */
static void shoulder_range(const hik_tail *t, double low, double high, double *middle, double *half,
                           double *sine) {
  double a = cosine_at(t, low), b = cosine_at(t, high), turn = (t->upper - t->fore) * (t->upper + t->fore);
  double least = fmin(a, b), most = fmax(a, b);
  if (low * low < turn && turn < high * high) least = fmin(least, cosine_at(t, sqrt(turn)));
  double from = hik_acos(most), to = hik_acos(least);
  *middle = 0.5 * (from + to), *half = 0.5 * (to - from);
  *sine = least <= 0 && most >= 0 ? 1 : sqrt(fmax(0, 1 - fmin(least * least, most * most)));
}

/* The hand's axis, with the movements of the wrist. */
void hik_arm_place_hand(const hik_arm_search *s, const hik_arm_cell *c, hik_arm_place *p) {
  double turn[9], h = s->arm->chain->tail.hand;
  hik_cube_turn(c->face, c->at, turn);
  hik_mat_column(turn, 2, p->w);
  hik_axpy3(s->target, -h, p->w, p->wrist);
  p->dw = hik_cube_spread(c->at, c->half), p->mw = h * p->dw + s->tolerance;
}

/* The elbow, or false: no length from shoulder to wrist within the cell is one of the arm's. */
bool hik_arm_place_elbow(const hik_arm_search *s, const hik_arm_cell *c, hik_arm_place *p) {
  const hik_arm *arm = s->arm;
  const hik_tail *t = &arm->chain->tail;
  double off[3], n[3], frame[9], x[3], y[3], middle, half, sn, cs;
  hik_sub3(p->wrist, arm->shoulder, off);
  double length = hik_norm(off), low = fmax(length - p->mw, arm->length[0] - SLACK),
         high = fmin(length + p->mw, arm->length[1] + SLACK);
  if (low > high) return false;
  p->open = !(length > 1.01 * p->mw && s->about < 0.999 && low > 1e-3);
  if (p->open) {
    hik_copy3(p->wrist, p->elbow);
    return true;
  }
  hik_scale3(1 / length, off, n);
  shoulder_range(t, low, high, &middle, &half, &p->sine);
  hik_mat_minimal(s->start, n, frame);
  hik_mat_vec(frame, s->x, x), hik_mat_vec(frame, s->y, y);
  hik_sincos(HIK_PI * c->at[2], &sn, &cs);
  double sine, cosine;
  hik_sincos(middle, &sine, &cosine);
  for (int i = 0; i < 3; i++) p->bone[i] = cosine * n[i] + sine * (cs * x[i] + sn * y[i]);
  hik_axpy3(arm->shoulder, t->upper, p->bone, p->elbow);
  double turn = p->mw / (length - p->mw), swivel = HIK_PI * c->half[2];
  p->me = t->upper * fmin(2, turn * (1 + s->lean * p->sine) + half + p->sine * swivel);
  return true;
}

/* Radians by which a direction in the axes of the swing is out of the room; `turn`: it may be anywhere so near. */
static bool swings_out(const hik_swing *room, const double d[3], double turn) {
  if (room->corners > 0) {
    hik_nearest near;
    hik_polygon_nearest(room, d, &near);
    return near.distance > turn + SLACK;
  }
  double uv[2], ab[2], at[2];
  hik_swing_of_direction(d, uv);
  hik_swing_axes(room, uv, ab);
  if (!(uv[0] * uv[0] / (ab[0] * ab[0]) + uv[1] * uv[1] / (ab[1] * ab[1]) > 1)) return false;
  double angle = sqrt(uv[0] * uv[0] + uv[1] * uv[1]) + turn, sn, cs;
  if (!(angle < 3)) return false;
  hik_sincos(angle, &sn, &cs);
  hik_ellipse_nearest(ab[0], ab[1], fabs(uv[0]), fabs(uv[1]), at);
  double off[2] = {fabs(uv[0]) - at[0],
                   fabs(uv[1]) - at[1]}; /* angles grow by no more than angle / sin angle */
  return sqrt(off[0] * off[0] + off[1] * off[1]) > turn * fmax(angle / sn, 1) + SLACK;
}

/* Beyond a limit of the joints everywhere in the cell; movements of zero: at its middle. */
bool hik_arm_beyond(const hik_arm_search *s, const hik_arm_place *p) {
  const hik_arm *arm = s->arm;
  const hik_tail *t = &arm->chain->tail;
  double fore[3], off[3], d[3], y[3], back[9];
  hik_sub3(p->wrist, p->elbow, fore);
  if (hik_dot(fore, p->w) + p->mw + p->me + t->fore * p->dw < t->fore * t->cosine - SLACK) return true;
  hik_mat_tvec(arm->turn, p->bone, d);
  double chord = p->me / t->upper, turn = chord < 1.9 ? 2 * hik_asin(0.5 * chord) : HIK_PI;
  if (swings_out(arm->chain->element[0].room, d, turn)) return true;
  static const double z[3] = {0, 0, 1};
  double polar = hik_acos(clipped(d[2])) + turn, sn, cs;
  if (!(polar < 3)) return false;
  hik_sincos(0.5 * polar, &sn, &cs);
  hik_sub3(p->wrist, arm->shoulder, off);
  hik_mat_tvec(arm->turn, off, y);
  hik_mat_minimal(z, d, back);
  hik_mat_tvec(back, y, y);
  /* the least turn of the bone turns by so much, and about it by tan(polar / 2) as much */
  double wrong = p->mw + (hik_norm(off) + p->mw) * fmin(turn * sqrt(1 + sn / cs * (sn / cs)), 2);
  return hik_tail_distance(&arm->fore, &arm->twist, y) > wrong + SLACK;
}

/* Where a ball is, and how far it moves. */
double hik_arm_ball(const hik_arm_search *s, const hik_arm_place *p, int32_t bone, double along,
                    double at[3]) {
  if (bone == HIK_ARM_HAND) {
    hik_axpy3(s->target, along, p->w, at);
    return fabs(along) * p->dw + s->tolerance;
  }
  double way[3];
  const double *from = bone == HIK_ARM_FORE ? p->elbow : s->arm->shoulder,
               *to = bone == HIK_ARM_FORE ? p->wrist : p->elbow;
  hik_sub3(to, from, way);
  hik_axpy3(from, along, way, at);
  return bone == HIK_ARM_FORE ? (1 - along) * p->me + along * p->mw : along * p->me;
}

/* What a ball is in wherever in the cell, with how deep the deepest is at the middle; -1: in nothing. */
typedef struct touch {
  int32_t obstacle;
  double deepest, best;
} touch;

/* How deep the ball may be anywhere in the cell. */
static double touch_ball(const hik_arm_search *s, const hik_arm_place *p, hik_arm_cell *c, int32_t b,
                         int32_t k, const int32_t *near, int32_t nears, touch *out) {
  const hik_bone *bone = s->arm->bone + b;
  double at[3], moves = hik_arm_ball(s, p, b, bone->along[k], at), most = -INFINITY;
  for (int32_t j = 0; j < nears; j++) {
    double depth = bone->radius[k] - s->give[near[j]] - hik_solid_distance(s->world, near[j], at);
    most = fmax(most, depth);
    if (!(depth - moves > out->best)) continue;
    out->best = depth - moves, c->bone = b, c->ball = k, c->obstacle = near[j];
    if (!(out->best > SLACK)) continue;
    out->obstacle = near[j];
    break;
  }
  out->deepest = fmax(out->deepest, most);
  return most + moves;
}

/* By the pair that was deepest in the cell it comes from. */
static touch touches_again(const hik_arm_search *s, const hik_arm_place *p, hik_arm_cell *c) {
  touch found = {-1, -INFINITY, -INFINITY};
  if (c->obstacle < 0 || (p->open && c->bone != HIK_ARM_HAND)) return found;
  const int32_t only = c->obstacle;
  touch_ball(s, p, c, c->bone, c->ball, &only, 1, &found);
  return found;
}

static touch touches(const hik_arm_search *s, const hik_arm_place *p, hik_arm_cell *c) {
  touch out = {-1, -INFINITY, -INFINITY};
  int32_t bones = p->open ? 1 : HIK_ARM_BONES;
  for (int32_t b = 0, bit = 0; b < bones; b++)
    for (int32_t k = 0; k < s->arm->bone[b].balls; k++, bit++) {
      if (bit < 64 && (c->away >> bit & 1)) continue;
      double most = touch_ball(s, p, c, b, k, s->near, s->nears, &out);
      if (out.obstacle >= 0) return out;
      if (bit < 64 && most < 0) c->away |= (uint64_t)1 << bit;
    }
  return out;
}

/* ---- the search ---- */

static bool halve(const hik_arm_search *s, const hik_arm_place *p, hik_arm_cell *c, hik_arm_cell *other) {
  double swivel = p->open ? 0 : s->arm->chain->tail.upper * p->sine * HIK_PI * c->half[2];
  double turned = p->mw - s->tolerance; /* by the hand's axis; and with it the elbow */
  double rest = turned * (p->open ? 1 : 1 + fmax(p->me - swivel, 0) / p->mw);
  double across = rest / sqrt(c->half[0] * c->half[0] + c->half[1] * c->half[1]);
  double share[3] = {across * c->half[0], across * c->half[1], swivel};
  int i = share[1] > share[0];
  if (share[2] > share[i]) i = 2;
  if (!(share[i] > GRAIN)) return false;
  c->half[i] *= 0.5;
  *other = *c;
  c->at[i] -= c->half[i], other->at[i] += c->half[i];
  return true;
}

/* Whether the middle is a posture, but for the forearm's own turn, as far as balls tell a free one. */
static bool stands(const hik_arm_search *s, const hik_arm_cell *c) {
  hik_arm_cell middle = *c;
  hik_arm_search exact = *s;
  hik_arm_place p;
  exact.tolerance = 0;
  for (int i = 0; i < 3; i++) middle.half[i] = 0;
  hik_arm_place_hand(&exact, &middle, &p);
  return hik_arm_place_elbow(&exact, &middle, &p) && !p.open && !hik_arm_beyond(&exact, &p);
}

hik_arm_search hik_arm_begin(const hik_arm *arm, const hik_world *world, const double *give,
                             const double target[3], double tolerance, int32_t *near) {
  hik_arm_search s = {
      .arm = arm, .world = world, .give = give, .target = target, .near = near, .tolerance = tolerance};
  double off[3], far = 0, out = 0, thick = 0;
  const hik_tail *t = &arm->chain->tail;
  hik_sub3(target, arm->shoulder, off);
  s.reach = hik_norm(off);
  s.about = s.reach > 0 ? (t->hand + tolerance) / s.reach : 2;
  double cosine = sqrt(fmax(0, 1 - s.about * s.about));
  s.lean = s.about / (1 + cosine);
  hik_unit(off, s.start);
  hik_perpendicular(s.start, s.x);
  hik_cross(s.start, s.x, s.y);
  for (int b = 0; b < HIK_ARM_BONES; b++)
    for (int32_t k = 0; k < arm->bone[b].balls; k++) {
      thick = fmax(thick, arm->bone[b].radius[k]);
      if (b == HIK_ARM_HAND) out = fmax(out, fabs(arm->bone[b].along[k]));
    }
  far = t->upper + t->fore + thick;
  for (int32_t k = 0; k < hik_world_count(world); k++)
    if (hik_solid_distance(world, k, target) < out + thick + tolerance - give[k] ||
        hik_solid_distance(world, k, arm->shoulder) < far - give[k])
      near[s.nears++] = k;
  return s;
}

/* Whether the cell is closed, by an obstacle or (-1) by a limit; else how deep the deepest ball is at its middle. */
static bool closed_by(const hik_arm_search *s, hik_arm_cell *c, hik_arm_place *p, touch *found) {
  *found = (touch){-1, INFINITY, 0};
  hik_arm_place_hand(s, c, p);
  if (!hik_arm_place_elbow(s, c, p)) return true;
  *found = touches_again(s, p, c);
  if (found->obstacle >= 0) return true;
  if (!p->open && hik_arm_beyond(s, p)) return true;
  if (c->skipped < SKIPPED && found->deepest > 0) { /* its halves may well be closed by the same pair */
    c->skipped++;
    return false;
  }
  c->skipped = 0;
  *found = touches(s, p, c);
  return found->obstacle >= 0;
}

hik_arm_proof hik_arm_prove(const hik_arm *arm, const hik_world *world, const double *give,
                            const double target[3], double tolerance, int64_t budget, int32_t *near,
                            int64_t *used) {
  hik_arm_proof out = {.outcome = HIK_ARM_OPEN};
  hik_arm_cell waiting[WAITS];
  hik_arm_search s = hik_arm_begin(arm, world, give, target, tolerance, near);
  int32_t n = 0, grains = 0;
  for (int32_t face = 0; face < 6; face++)
    waiting[n++] = (hik_arm_cell){.face = face, .obstacle = -1, .half = {1, 1, 1}};
  while (n > 0) {
    hik_arm_cell *c = waiting + n - 1;
    hik_arm_place p;
    if (out.cells >= budget) return out;
    out.cells++;
    touch found;
    if (closed_by(&s, c, &p, &found)) {
      if (found.obstacle >= 0 && used) used[found.obstacle]++;
      n--;
      continue;
    }
    bool clear = !p.open && found.deepest < 0 && stands(&s, c),
         cut = !clear && n < WAITS && halve(&s, &p, c, c + 1);
    if (cut) {
      n++;
      continue;
    }
    if (!clear && c->skipped > 0) { /* before it is given up: all pairs */
      c->skipped = SKIPPED;
      continue;
    }
    if (clear || grains == 0) hik_copy3(p.wrist, out.wrist), hik_copy3(p.elbow, out.elbow);
    if (clear || ++grains > GRAINS) {
      out.outcome = clear ? HIK_ARM_CLEAR : HIK_ARM_GRAZED;
      return out;
    }
    n--;
  }
  out.outcome = grains ? HIK_ARM_GRAZED : HIK_ARM_BLOCKED;
  return out;
}
