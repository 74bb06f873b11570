/* group.inc.c: a group of sixteen postures in lanes: placed, tested, measured.

   Purpose   the functions of hik_scene_kernels
   Notes     A register holds LANES of the sixteen; what is decided for the group is decided for all sixteen, so that it is the
             same on every width. Bounds leave out what cannot count by the check's slack, so they never change an answer. */
#include "scene/pairs.inc.c"

#include "scene/filter.inc.c" /* in the lanes of the pairs */

#include "scene/bounds.inc.c" /* the same */

#include "scene/moves.inc.c" /* the same */

enum { ALL = (1 << HIK_GROUP) - 1, LANE_ONES = (1 << LANES) - 1 };

#define THIN16(array, k, r) (*(half_anywhere *)(void *)((array) + HIK_GROUP * (size_t)(k) + (r)))

/* Hides that a pointer is to doubles of one array, 16 a number. */
#define AT16(array, k, r) (*(lane_anywhere *)(void *)((array) + HIK_GROUP * (size_t)(k) + (r)))
#define OF16(array, k, r) LANE_OF((array) + HIK_GROUP * (size_t)(k) + (r))

/* ---- placing ---- */

/* The coordinate of a turn or slide. */
HIK_INLINE lane step_value(const hik_model *m, int32_t s, const double *q, int r) {
  const double *line = m->step_line + 2 * (size_t)s, *row = hik_step_follows(m, s);
  if (!row) return line[0] * OF16(q, m->step_q[s], r) + line[1];
  lane quat[4];
  for (int i = 0; i < 4; i++) quat[i] = OF16(q, m->step_q[s] + i, r);
  return follow_value(row, quat);
}

HIK_INLINE void place_step(const hik_check *check, int32_t s, int r) {
  const hik_model *m = check->figure->model;
  const double *above = check->pose + 12 * HIK_GROUP * (size_t)m->step_parent[s];
  double *out = check->pose + 12 * HIK_GROUP * (size_t)s;
  bool ball = m->step_kind[s] == HIK_BALL_STEP;
  lane pose[12] = {{0}}, quat[4] = {{0}};
  for (int i = 0; i < 12 && m->step_parent[s] >= 0; i++) pose[i] = OF16(above, i, r);
  for (int i = 0; i < 4 && ball; i++) quat[i] = OF16(check->q, m->step_q[s] + i, r);
  move_step_to(m, s, ball ? lane_all(0) : step_value(m, s, check->q, r), quat, pose);
  for (int i = 0; i < 12; i++) AT16(out, i, r) = pose[i];
}

/* What the filters know of an axis. */
HIK_INLINE void place_thin(const hik_check *check, int32_t c, int i, int r, lane p, lane u) {
  float *box = check->box + 6 * HIK_GROUP * (size_t)c, *line = check->line + 6 * HIK_GROUP * (size_t)c;
  lane z = p + u, radius = lane_all(check->figure->radius[c]);
  lane_mask up = u > 0;
  THIN16(line, i, r) = __builtin_convertvector(p, half_thin);
  THIN16(line, 3 + i, r) = __builtin_convertvector(u, half_thin);
  THIN16(check->middle + 3 * HIK_GROUP * (size_t)c, i, r) = __builtin_convertvector(p + 0.5 * u, half_thin);
  THIN16(box, i, r) = __builtin_convertvector(lane_choose(up, p, z) - radius, half_thin);
  THIN16(box, 3 + i, r) = __builtin_convertvector(lane_choose(up, z, p) + radius, half_thin);
}

static void place(hik_check *check) {
  const hik_figure *f = check->figure;
  for (int32_t s = 0; s < f->model->n_step; s++)
    for (int r = 0; r < check->count; r += LANES) place_step(check, s, r);
  for (int32_t c = 0; c < f->n_capsule; c++) {
    const double *own = f->axis + 6 * (size_t)c;
    double *out = check->axis + 6 * HIK_GROUP * (size_t)c;
    const double *pose = check->pose + 12 * HIK_GROUP * (size_t)(f->step[c] < 0 ? 0 : f->step[c]);
    for (int r = 0; r < check->count; r += LANES)
      for (int i = 0; i < 3; i++) {
        lane p = lane_all(own[i]), u = lane_all(own[3 + i]);
        if (f->step[c] >= 0) {
          lane x = OF16(pose, 3 * i, r), y = OF16(pose, 3 * i + 1, r), z = OF16(pose, 3 * i + 2, r);
          p = OF16(pose, 9 + i, r) + (x * own[0] + y * own[1] + z * own[2]);
          u = x * own[3] + y * own[4] + z * own[5];
        }
        AT16(out, i, r) = p, AT16(out, 3 + i, r) = u;
        place_thin(check, c, i, r, p, u);
      }
  }
}

/* ---- pairs of the group ---- */

HIK_INLINE void take_axis(const hik_check *check, int32_t c, int r, axis_lanes *out) {
  const double *axis = check->axis + 6 * HIK_GROUP * (size_t)c;
  for (int i = 0; i < 3; i++) out->p[i] = OF16(axis, i, r), out->u[i] = OF16(axis, 3 + i, r);
  out->a = lane_all(check->figure->square[c]), out->ia = lane_all(check->figure->inverse[c]);
}

/* Signed distance of capsule c to obstacle o. */
HIK_INLINE void to_obstacle(const hik_check *check, int32_t c, int32_t o, int r, asked what,
                            pair_found *out) {
  const hik_world *w = check->world;
  const double *row = w->row + HIK_OBSTACLE * (size_t)o;
  axis_lanes axis, other;
  lane y[3];
  take_axis(check, c, r, &axis);
  double less = check->figure->radius[c];
  switch (w->kind[o]) {
  case HIK_SHAPE_SPHERE: to_point(&axis, row, what, out), less += row[3]; break;
  case HIK_SHAPE_CAPSULE:
    for (int i = 0; i < 3; i++) other.p[i] = lane_all(row[i]), other.u[i] = lane_all(row[3 + i]);
    other.a = lane_all(row[7]), other.ia = lane_all(row[8]);
    to_segment(&axis, &other, what, out, y);
    less += row[6];
    break;
  case HIK_SHAPE_BOX: /* a wire may be off the face by rounding alone, where its depth tells that it is inside */
    if (what == ASKED_TOUCHING && check->figure->radius[c] <= 1e3 * check->slack)
      to_box(&axis, row, ASKED_FAR, check->slack, out);
    else
      to_box(&axis, row, what, check->slack, out);
    break;
  case HIK_SHAPE_PLANE: to_plane(&axis, row, out); break;
  case HIK_SHAPE_GRID: to_grid(&axis, w->grid[o], row, out); break;
  default: {
    const prism k = {w->corner + HIK_CORNER * (size_t)w->first[o], w->corners[o], row[12]};
    to_prism(&axis, &k, row, out);
  }
  }
  out->d -= less;
}

/* Signed distance of a pair of capsules, what they may overlap taken as apart. */
HIK_INLINE void to_capsule(const hik_check *check, int32_t pair, int r, asked what, pair_found *out) {
  const int32_t *of = check->figure->pair + 2 * (size_t)pair;
  axis_lanes one, two;
  lane y[3];
  take_axis(check, of[0], r, &one);
  take_axis(check, of[1], r, &two);
  to_segment(&one, &two, what, out, y);
  out->d -= check->figure->apart[pair];
}

/* The same, each compiled once. */
static lane touching_obstacle(const hik_check *check, int32_t c, int32_t o, int r) {
  pair_found found;
  to_obstacle(check, c, o, r, ASKED_TOUCHING, &found);
  return found.d;
}

static lane far_obstacle(const hik_check *check, int32_t c, int32_t o, int r) {
  pair_found found;
  to_obstacle(check, c, o, r, ASKED_FAR, &found);
  return found.d;
}

static void where_obstacle(const hik_check *check, int32_t c, int32_t o, int r, pair_found *out) {
  to_obstacle(check, c, o, r, ASKED_WHERE, out);
}

static lane far_capsule(const hik_check *check, int32_t pair, int r) {
  pair_found found;
  to_capsule(check, pair, r, ASKED_FAR, &found);
  return found.d;
}

static void where_capsule(const hik_check *check, int32_t pair, int r, pair_found *out) {
  to_capsule(check, pair, r, ASKED_WHERE, out);
}

/* ---- in contact? ---- */

typedef struct touching {
  const hik_check *check;
  const hik_growth *growth;
  uint32_t near, hit, open;                /* open: lanes asked for */
  float weight[HIK_DIRECTIONS][HIK_GROUP]; /* of the growth, rounded up */
  float thin[HIK_GROUP];                   /* metres that count as near, of what is in hand, rounded up */
  bool stop;
} touching;

/* What the bounds of motion say of sum k, without the slack. */
HIK_INLINE thin bounded_growth(const touching *t, int32_t k, int r) {
  const hik_growth *growth = t->growth;
  thin far = (thin){0};
  for (int32_t j = 0; j < growth->count; j++) {
    thin by = THIN_OF(t->weight[j] + r), way = by * ((float)growth->sum[j][k] * (1 + 1e-6f));
    far += THIN_CHOOSE(by > 0, way, (thin){0}); /* no way is no way, whatever bounds it */
  }
  return far;
}

/* How near is near for sum k, where there is a growth. */
HIK_INLINE thin thin_growth(const touching *t, int32_t k, int r) {
  const hik_check *check = t->check;
  const hik_figure *f = check->figure;
  const float slack = (float)check->slack * (1 + 1e-6f);
  thin far = bounded_growth(t, k, r);
  if (t->growth->turn[0]) {
    const int32_t *of = f->pair + 2 * (size_t)(k - f->n_capsule);
    thin told = THIN_OF(check->moved + HIK_GROUP * (size_t)(k < f->n_capsule ? k : of[0]) + r);
    if (k >= f->n_capsule) told += THIN_OF(check->moved + HIK_GROUP * (size_t)of[1] + r);
    far = THIN_MIN(told, far); /* the bound where what is told is no number */
  }
  return far + slack;
}

HIK_INLINE void set_growth(touching *t, int32_t k) {
  for (int r = 0; t->growth && r < HIK_GROUP; r += THIN) /* without one: 0, as it was */
    THIN_AT(t->thin + r) = thin_growth(t, k, r);
}

/* near_middle with the growth of sum k. */
HIK_INLINE uint32_t near_grown(const touching *t, const float *one, const float *two, float reach,
                               int32_t k) {
  uint32_t bits = 0;
  for (int r = 0; r < HIK_GROUP; r += THIN) {
    thin limit = (thin){0} + reach + thin_growth(t, k, r);
    thin far_square = middle_square(one, two, r), most = limit * limit;
    bits |= (uint32_t)THIN_UP_TO(far_square, most) << r;
  }
  return bits;
}

/* The same, by what is told of both alone, where something is: no fewer, and sooner. */
HIK_INLINE uint32_t near_told(const touching *t, const float *one, const float *two, float reach, int32_t k) {
  const int32_t *of = t->check->figure->pair + 2 * (size_t)(k - t->check->figure->n_capsule);
  const float *moved = t->check->moved, slack = reach + (float)t->check->slack * (1 + 1e-6f);
  uint32_t bits = 0;
  for (int r = 0; r < HIK_GROUP; r += THIN) {
    thin limit =
        THIN_OF(moved + HIK_GROUP * (size_t)of[0] + r) + THIN_OF(moved + HIK_GROUP * (size_t)of[1] + r);
    limit = limit * (1 + 1e-6f) + slack; /* summed in another order */
    thin far_square = middle_square(one, two, r), most = limit * limit;
    bits |= (uint32_t)THIN_UP_TO(far_square, most) << r;
  }
  return bits;
}

/* The same in doubles. */
HIK_INLINE lane grown(const touching *t, int32_t k, int r) {
  const hik_growth *growth = t->growth;
  lane far = lane_all(0);
  if (!growth) return far;
  if (growth->turn[0])
    return __builtin_convertvector(*(const half_anywhere *)(const void *)(t->thin + r), lane);
  for (int32_t j = 0; j < growth->count; j++) {
    lane by = LANE_OF(growth->weight[j] + r);
    far += lane_choose(by > 0, by * growth->sum[j][k], lane_all(0));
  }
  return far + t->check->slack;
}

HIK_INLINE void note(touching *t, lane d, int32_t k, int r) {
  lane far = grown(t, k, r), none = lane_all(0); /* nothing is NaN here but lanes of no use */
  t->near |= (LANE_ONES & ~(uint32_t)LANE_LESS(far, d)) << r;
  t->hit |= (LANE_ONES & ~(uint32_t)LANE_LESS(none, d)) << r;
}

/* What is told of lanes `near`; returns those of them that doubles must tell. */
HIK_INLINE uint32_t note_told(touching *t, const told *by, uint32_t near) {
  t->hit |= by->hit & near, t->near |= (by->hit | by->near) & near;
  return near & ~(by->apart | by->hit | (by->near & by->clear));
}

/* What is within the growth, of lanes `near`, but stays apart all along the pieces is told to be apart; o -1: of a pair. */
HIK_INLINE void leave_out_staying(const touching *t, told *by, uint32_t near, int32_t c, int32_t o,
                                  int32_t pair) {
  if (!t->growth || !t->growth->curve || !(near &= ~(by->apart | by->hit))) return;
  near &= o < 0 ? pair_stays_apart(t->check, t->growth->beside, pair)
                : stays_apart(t->check, t->growth->beside, c, o);
  by->apart |= near, by->near &= ~near;
}

/* Lanes that can still change, of those that may be near: not hit, and not known to be near where they cannot hit. */
HIK_INLINE uint32_t asking(const touching *t, uint32_t near, uint32_t could_hit) {
  return t->open & ~t->hit & near & (~t->near | could_hit);
}

/* True: leave. */
HIK_INLINE bool settled(const touching *t) {
  return (t->stop && (t->hit & t->open)) || (t->hit & t->open) == t->open;
}

static bool touch_world(touching *t, int32_t c) {
  const hik_check *check = t->check;
  const bool few = check->world->n <= FEW_OBSTACLES;
  uint32_t lanes[FEW_OBSTACLES];
  if (few)
    few_candidates(check, c, t->thin, t->open & ~t->hit, lanes);
  else
    find_candidates(check, c, t->thin, t->open & ~t->hit);
  EACH_CANDIDATE(check, o) {
    const float *middle = middle_of(check, c), *ball = check->world->ball + 4 * (size_t)o,
                reach = reach_to(check, c, o);
    uint32_t near = (few ? lanes[o] : near_box(check, c, o, t->thin)) & t->open & ~t->hit;
    if (near) near &= near_ball(middle, ball, reach, t->growth ? t->thin : NULL);
    if (near && t->growth) near = asking(t, near, near_ball(middle, ball, reach, NULL));
    near &= t->open & ~t->hit;
    if (!near) continue;
    told by = {.far = t->growth ? t->thin : NULL};
    touch_obstacle(check, c, o, &by);
    leave_out_staying(t, &by, near, c, o, -1);
    uint32_t left = note_told(t, &by, near);
    for (int r = 0; r < HIK_GROUP && left >> r; r += LANES)
      if (left >> r & LANE_ONES) note(t, touching_obstacle(check, c, o, r), c, r);
    if (settled(t)) return true;
  }
  return false;
}

/* Capsules against each other; true: leave. */
static bool touch_itself(touching *t) {
  const hik_check *check = t->check;
  const hik_figure *f = check->figure;
  for (int32_t k = 0; k < f->n_pair; k++) {
    int32_t a = f->pair[2 * (size_t)k], b = f->pair[2 * (size_t)k + 1];
    const float *one = middle_of(check, a), *two = middle_of(check, b), reach = reach_of(check, k);
    const uint32_t open = t->open & ~t->hit;
    if (t->growth && t->growth->turn[0] && !(near_told(t, one, two, reach, f->n_capsule + k) & open))
      continue;
    uint32_t near =
        t->growth ? near_grown(t, one, two, reach, f->n_capsule + k) : near_middle(one, two, reach, NULL);
    if (!(near &= open)) continue;
    if (t->growth) near = asking(t, near, near_middle(one, two, reach, NULL));
    if (!near) continue;
    set_growth(t, f->n_capsule + k);
    told by = {.far = t->growth ? t->thin : NULL};
    touch_pair(check, k, &by);
    leave_out_staying(t, &by, near, a, -1, k);
    uint32_t left = note_told(t, &by, near);
    for (int r = 0; r < HIK_GROUP && left >> r; r += LANES)
      if (left >> r & LANE_ONES) note(t, far_capsule(check, k, r), f->n_capsule + k, r);
    if (settled(t)) return true;
  }
  return false;
}

static hik_touched touch(const hik_check *check, const hik_growth *growth, bool stop) {
  const hik_figure *f = check->figure;
  const uint32_t used = (1u << check->count) - 1;
  hik_growth alone;
  if (growth && growth->turn[0] &&
      (check->usable & used) != used) { /* places that are no numbers tell nothing */
    alone = *growth, alone.turn[0] = NULL, alone.curve = NULL;
    growth = &alone;
  }
  touching t = {.check = check, .growth = growth, .open = check->usable & used, .stop = stop};
  for (int32_t j = 0; growth && j < growth->count; j++)
    for (int l = 0; l < HIK_GROUP; l++) t.weight[j][l] = (float)(growth->weight[j][l] * (1 + 1e-6));
  bool done = t.open == 0;
  if (growth && growth->turn[0] && !done) set_moved(check, growth);
  for (int32_t k = 0; check->world->n > 0 && k < f->n_capsule && !done; k++) {
    set_growth(&t, f->order[k]);
    done = touch_world(&t, f->order[k]);
  }
  if (!done) touch_itself(&t);
  /* left early: what was not looked at is not free */
  uint32_t hit = t.hit & t.open, free = stop && hit ? 0 : t.open & ~t.near & ~t.hit;
  return (hik_touched){free, hit};
}

/* ---- how far? ---- */

/* The least distances so far. Who they are of: capsule << 32 | obstacle, or ~ the place of two capsules among the pairs. */
typedef struct least_of {
  double distance[HIK_GROUP];
  int64_t who[HIK_GROUP];
  float far[HIK_GROUP]; /* the distances or what they cannot be above, rounded up */
} least_of;

/* `far` of two registers, which are written as the one that is read. */
HIK_INLINE void thin_least(least_of *so, int r, lane a, lane b) {
  a += lane_abs(a) * 1e-6, b += lane_abs(b) * 1e-6;
  thin far = JOINED(__builtin_convertvector(a, half_thin), __builtin_convertvector(b, half_thin));
  THIN_AT(so->far + r) = THIN_MIN(far, THIN_OF(so->far + r));
}

HIK_INLINE lane keep_least(least_of *so, lane d, int64_t who, int r) {
  lane best = LANE_OF(so->distance + r);
  lane_mask less = d < best, them = (lane_mask){0} + who;
  best = lane_choose(less, d, best);
  LANE_AT(so->distance + r) = best;
  LANE_AT(so->who + r) = lane_choose(less, (lane)them, LANE_OF(so->who + r));
  return best;
}

/* Keeps what is less of d, by registers, of those with a lane in `near`. No branch asks whether anything is: it is as often
   as not, and who guesses wrong waits for the whole distance. */
HIK_INLINE void keep_near(least_of *so, const lane *d, uint32_t near, int64_t who) {
  for (int r = 0; r < HIK_GROUP && near >> r; r += THIN) {
    if (!(near >> r & ((1u << THIN) - 1))) continue;
    lane a = keep_least(so, d[r / LANES], who, r), b = keep_least(so, d[r / LANES + 1], who, r + LANES);
    thin_least(so, r, a, b);
  }
}

/* Pairs whose bounds are known, a capsule and an obstacle each, or two capsules: all bounds first, then what they leave. */
enum { TOGETHER = 64 };
typedef struct bounded {
  int32_t count, who[TOGETHER]; /* an obstacle, or the place of a pair */
  kept_bounds kept[TOGETHER];
} bounded;

/* c -1: two capsules. */
HIK_INLINE void least_of_bounded(const hik_check *check, int32_t c, uint32_t open, bounded *all,
                                 least_of *so) {
  for (int32_t k = 0; k < all->count; k++) {
    const int32_t who = all->who[k];
    uint32_t near = may_be_nearer(check, all->kept + k, so->far) & open;
    if (!near) continue;
    lane d[HIK_GROUP / LANES];
    for (int r = 0; r < HIK_GROUP; r += LANES)
      d[r / LANES] = !(near >> r & LANE_ONES) ? lane_all(INFINITY)
                     : c < 0                  ? far_capsule(check, who, r)
                                              : far_obstacle(check, c, who, r);
    keep_near(so, d, near, c < 0 ? ~(int64_t)who : (int64_t)c << 32 | who);
  }
  all->count = 0;
}

/* Obstacles in a row whose balls are near, after which no more balls are asked: where all are near, that is for nothing. Where they
   are spread, so many in a row are none by chance (the entries `crowd_batch` and `room_batch` of benchmarks/instructions.py count
   both: asked of all, the crowd takes 1.09 of it; 4 in a row, the room 1.55, and 8 1.04). */
enum { NEAR_IN_A_ROW = 16 };

static void least_of_world(const hik_check *check, int32_t c, uint32_t open, least_of *so, bounded *all) {
  int32_t in_a_row = 0;
  find_candidates(check, c, so->far, open);
  EACH_CANDIDATE(check, o) {
    if (in_a_row++ < NEAR_IN_A_ROW) {
      const float *ball = check->world->ball + 4 * (size_t)o, reach = reach_to(check, c, o);
      if (!(near_ball(middle_of(check, c), ball, reach, so->far) & open)) {
        in_a_row = 0;
        continue;
      }
    }
    bound_obstacle(check, c, o, so->far, all->kept + all->count);
    all->who[all->count++] = o;
    if (all->count == TOGETHER) least_of_bounded(check, c, open, all, so);
  }
  least_of_bounded(check, c, open, all, so);
}

/* Its own pairs first: they are cheap, and what they find leaves out much of the world. */
static void least_of_all(const hik_check *check, double cutoff, uint32_t open, least_of *so) {
  const hik_figure *f = check->figure;
  bounded all;
  all.count = 0;
  for (int l = 0; l < HIK_GROUP; l++) so->distance[l] = cutoff, so->who[l] = INT64_MIN, so->far[l] = INFINITY;
  for (int r = 0; r < HIK_GROUP; r += THIN) thin_least(so, r, lane_all(cutoff), lane_all(cutoff));
  for (int32_t k = 0; k < f->n_pair && open; k++) {
    int32_t a = f->pair[2 * (size_t)k], b = f->pair[2 * (size_t)k + 1];
    if (!(near_middle(middle_of(check, a), middle_of(check, b), reach_of(check, k), so->far) & open))
      continue;
    bound_pair(check, k, so->far, all.kept + all.count);
    all.who[all.count++] = k;
    if (all.count == TOGETHER) least_of_bounded(check, -1, open, &all, so);
  }
  least_of_bounded(check, -1, open, &all, so);
  for (int32_t c = 0; check->world->n > 0 && c < f->n_capsule && open; c++)
    least_of_world(check, c, open, so, &all);
}

/* Points and normals of the pair that lane l is least by, in all lanes of its register that are least by it; returns these. */
static uint32_t put_where(const hik_check *check, const least_of *so, int l, hik_least *out) {
  const hik_figure *f = check->figure;
  int64_t who = so->who[l];
  int32_t c = who < 0 ? f->pair[2 * (size_t)~who] : (int32_t)(who >> 32);
  double give = who < 0 ? f->give[~who] : 0, radius = f->radius[c];
  int first = l - l % LANES;
  uint32_t done = 0;
  pair_found found;
  if (who < 0)
    where_capsule(check, (int32_t)~who, first, &found);
  else
    where_obstacle(check, c, (int32_t)who, first, &found);
  for (int k = 0; k < LANES; k++) {
    if (so->who[first + k] != who) continue;
    done |= 1u << (first + k);
    out->capsule[first + k] = c;
    out->other[first + k] = who < 0 ? check->world->n + f->pair[2 * (size_t)~who + 1] : (int32_t)who;
    for (int i = 0; i < 3; i++) {
      double n = found.n[i][k], x = found.x[i][k];
      out->normal[i][first + k] = n, out->on[i][first + k] = x - radius * n;
      out->other_on[i][first + k] = x - (found.d[k] - give + radius) * n;
    }
  }
  return done;
}

static void distance(const hik_check *check, double cutoff, double *out) {
  least_of so;
  least_of_all(check, cutoff, check->usable & ((1u << check->count) - 1), &so);
  memcpy(out, so.distance, sizeof so.distance);
}

static void least(const hik_check *check, double cutoff, hik_least *out) {
  uint32_t open = check->usable & ((1u << check->count) - 1);
  least_of so;
  memset(out, 0, sizeof *out);
  least_of_all(check, cutoff, open, &so);
  for (int l = 0; l < HIK_GROUP; l++) out->distance[l] = so.distance[l], out->capsule[l] = out->other[l] = -1;
  for (uint32_t left = open; left;) {
    int l = __builtin_ctz(left);
    left &= ~(so.who[l] == INT64_MIN ? 1u << l : put_where(check, &so, l, out));
  }
}

/* ---- all that are near ---- */

typedef struct gathering {
  const double *cutoff;
  hik_near *out;
  int32_t most, count;
  float far[HIK_GROUP], own[HIK_GROUP]; /* the cutoffs, rounded up */
} gathering;

/* The pair in all lanes in use if it is within its cutoff in one of them; k: of two capsules, its place among the pairs. */
static void gather_pair(const hik_check *check, int32_t c, int32_t other, int32_t k, gathering *to) {
  hik_near found, *near = to->count < to->most ? to->out + to->count : &found;
  const hik_figure *f = check->figure;
  const bool world = k < 0;
  uint32_t in = 0;
  for (int r = 0; r < check->count; r += LANES) {
    pair_found pair;
    if (world)
      where_obstacle(check, c, other, r, &pair);
    else
      where_capsule(check, k, r, &pair);
    double apart = world ? f->radius[c] : f->apart[k];
    LANE_AT(near->distance + r) = pair.d;
    for (int i = 0; i < 3; i++) {
      LANE_AT(near->normal[i] + r) = pair.n[i], LANE_AT(near->axis[i] + r) = pair.x[i];
      LANE_AT(near->other_axis[i] + r) = pair.x[i] - (pair.d + apart) * pair.n[i];
    }
    in |= LANE_BITS(pair.d < to->cutoff[!world]) << r;
  }
  if (!(in & ((1u << check->count) - 1))) return;
  near->capsule = c, near->other = other;
  to->count++;
}

static int32_t near(const hik_check *check, const double cutoff[2], hik_near *out, int32_t most) {
  const hik_figure *f = check->figure;
  const hik_world *w = check->world;
  gathering to = {.cutoff = cutoff, .out = out, .most = most};
  const uint32_t lanes = (1u << check->count) - 1;
  const float within = (float)(hik_most(cutoff[0], 0) * (1 + 1e-6)),
              own = (float)(hik_most(cutoff[1], 0) * (1 + 1e-6));
  for (int l = 0; l < HIK_GROUP; l++) to.far[l] = within, to.own[l] = own;
  for (int32_t c = 0; w->n > 0 && c < f->n_capsule; c++) {
    find_candidates(check, c, to.far, lanes);
    EACH_CANDIDATE(check, o) {
      const float *ball = w->ball + 4 * (size_t)o, reach = reach_to(check, c, o) + within;
      if (near_ball(middle_of(check, c), ball, reach, NULL) & lanes &&
          may_obstacle(check, c, o, to.far) & lanes)
        gather_pair(check, c, o, -1, &to);
    }
  }
  for (int32_t k = 0; k < f->n_pair; k++) {
    int32_t a = f->pair[2 * (size_t)k], b = f->pair[2 * (size_t)k + 1];
    if (near_middle(middle_of(check, a), middle_of(check, b), reach_of(check, k) + own, NULL) & lanes &&
        may_pair(check, k, to.own) & lanes)
      gather_pair(check, a, w->n + b, k, &to);
  }
  return to.count;
}

/* Adds to touched [n_pair] in how many lanes each pair of capsules is nearer than `within`. */
static void count(const hik_check *check, double within, int64_t *touched) {
  const hik_figure *f = check->figure;
  uint32_t open = check->usable & ((1u << check->count) - 1);
  for (int32_t k = 0; k < f->n_pair; k++) {
    int32_t a = f->pair[2 * (size_t)k], b = f->pair[2 * (size_t)k + 1];
    float reach = reach_of(check, k) + (float)(within * (1 + 1e-6));
    uint32_t near = near_middle(middle_of(check, a), middle_of(check, b), reach, NULL) & open;
    for (int r = 0; r < HIK_GROUP && near >> r; r += LANES) {
      if (!(near >> r & LANE_ONES)) continue;
      touched[k] += __builtin_popcount(LANE_BITS(far_capsule(check, k, r) < within) << r & near);
    }
  }
}

/* Lowers nearest [n_pair], within or less, to the least distance of each pair in the group. */
static void overlaps(const hik_check *check, double within, double *nearest) {
  const hik_figure *f = check->figure;
  uint32_t open = check->usable & ((1u << check->count) - 1);
  for (int32_t k = 0; k < f->n_pair; k++) {
    int32_t a = f->pair[2 * (size_t)k], b = f->pair[2 * (size_t)k + 1];
    float reach = reach_of(check, k) + (float)(within * (1 + 1e-6));
    uint32_t near = near_middle(middle_of(check, a), middle_of(check, b), reach, NULL) & open;
    for (int r = 0; r < HIK_GROUP && near >> r; r += LANES) {
      if (!(near >> r & LANE_ONES)) continue;
      lane d = far_capsule(check, k, r);
      for (int l = 0; l < LANES; l++)
        if ((near >> (r + l) & 1) && d[l] < nearest[k]) nearest[k] = d[l];
    }
  }
}

#include "scene/rows.inc.c"

#define SCENE_KERNELS {near_points, place, touch, distance, least, near, count, overlaps, row, push, motions}
