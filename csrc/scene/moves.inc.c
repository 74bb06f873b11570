/* moves.inc.c: how far capsules move within pieces of an edge or a curve, and which stay apart.

   Purpose   what is told of the ends of a piece by the places of the lanes beside
   Notes     See hik_beside and hik_growth. In floats: what is told here is told on any width. */

/* How far each capsule may move within the pieces of an edge, from how far it is from its places in the lanes beside: on the line to
   the place there, and off it by half of most of |x''| (hik_beside_of). x'' is the sum over pairs of joints of a turn about the upper one of what
   the lower one moves: at most 2 W S, W the turns and S the motion sum of the capsule. Both ends of the axis, so all of it.
   Of a curve W and S are the sums over its directions of how fast each is gone, and x'' has what joints move by as
   that changes too: the motion sums by its pace. */
HIK_INLINE thin curved(const hik_growth *growth, int32_t c, int r) {
  const hik_curving *curve = growth->curve;
  thin turns = (thin){0}, moves = (thin){0}, more = (thin){0};
  for (int32_t j = 0; j < growth->count; j++) {
    const float sum = (float)growth->sum[j][c] * (1 + 1e-6f), turn = (float)growth->turn[j][c] * (1 + 1e-6f);
    thin rate = THIN_OF(curve->rate[j] + r);
    turns += rate * turn, moves += rate * sum, more += THIN_OF(curve->pace[j] + r) * sum;
  }
  return (turns * moves + 0.5f * more) * (1 + 1e-6f);
}

/* The square of how far the ends of an axis are from their places in the lane `to` away, most of both. */
HIK_INLINE thin beside_square(const float *line, int to) {
  thin start = (thin){0}, end = (thin){0};
  for (int i = 0; i < 3; i++) {
    const float *p = line + HIK_GROUP * i, *u = p + 3 * HIK_GROUP;
    thin by = THIN_OF(p + to) - THIN_OF(p), more = by + (THIN_OF(u + to) - THIN_OF(u));
    start += by * by, end += more * more;
  }
  return THIN_MAX(start, end);
}

static void set_moved(const hik_check *check, const hik_growth *growth) {
  const hik_beside *beside = growth->beside;
  const thin none = (thin){0}, unknown = none + INFINITY;
  for (int32_t c = 0; c < check->figure->n_capsule; c++) {
    const float *line = check->line + 6 * HIK_GROUP * (size_t)c,
                steady = (float)(growth->turn[0][c] * growth->sum[0][c] * (1 + 1e-6));
    for (int r = 0; r < check->count; r += THIN) {
      thin next = THIN_OF(beside->most[0] + r), last = THIN_OF(beside->most[1] + r),
           bend = THIN_OF(beside->bend + r);
      thin after = next * next * beside_square(line + r, 1),
           before = last * last * beside_square(line + r, -1);
      after = THIN_CHOOSE(next > 0, after, none), before = THIN_CHOOSE(last > 0, before, none);
      thin bends = growth->curve ? curved(growth, c, r) : none + steady;
      thin off = bend * bends + THIN_MAX(next, last) * (2 * check->thin);
      off = THIN_CHOOSE(off < unknown, off, unknown); /* no number where nothing bounds how a place bends */
      THIN_AT(check->bent + HIK_GROUP * (size_t)c + r) = off;
      THIN_AT(check->moved + HIK_GROUP * (size_t)c + r) =
          thin_root(THIN_MAX(after, before)) * (1 + 1e-6f) + off;
    }
  }
}

/* ---- all along pieces ----

   Along v what is apart stays apart as long as what it moves along v is less: v x of the ends of the axis, where the lanes beside
   have them at the ends of the piece and where they are now, less how far the way may leave that line. Any v is as good, and that
   of the distance the best to begin with; motion along a wall is none towards it. */

/* The moves of an axis along v: of its start and of its end, to the later end of the piece and to the earlier one. */
typedef struct drift {
  thin start[2], end[2];
} drift;

HIK_INLINE void move_along(const hik_check *check, const hik_beside *by, int32_t c, const thin *v, int r,
                           drift *out) {
  const float *line = check->line + 6 * HIK_GROUP * (size_t)c + r;
  const thin none = thin_all(0);
  thin start[2] = {none, none}, turn[2] = {none, none};
  for (int i = 0; i < 3; i++) {
    const float *p = line + HIK_GROUP * i, *u = p + 3 * HIK_GROUP;
    start[0] += v[i] * (THIN_OF(p + 1) - THIN_OF(p)), start[1] += v[i] * (THIN_OF(p - 1) - THIN_OF(p));
    turn[0] += v[i] * (THIN_OF(u + 1) - THIN_OF(u)), turn[1] += v[i] * (THIN_OF(u - 1) - THIN_OF(u));
  }
  for (int k = 0; k < 2; k++) { /* what is in a lane that tells nothing may be no number */
    thin_mask on = THIN_OF(by->most[k] + r) > 0;
    start[k] = THIN_CHOOSE(on, start[k], none), turn[k] = THIN_CHOOSE(on, turn[k], none);
  }
  for (int k = 0; k < 2; k++) {
    thin next = THIN_OF(by->next[k] + r), last = THIN_OF(by->last[k] + r);
    out->start[k] = next * start[0] + last * start[1];
    out->end[k] = out->start[k] + (next * turn[0] + last * turn[1]);
  }
}

/* The least of a number, and that and either of two others. */
HIK_INLINE thin least_with(thin x, thin a, thin b) {
  thin more = THIN_MIN(a, b);
  return x + THIN_MIN(more, thin_all(0));
}

/* Lanes in which an axis stays farther than `limit` from what has no v y above `most`. */
HIK_INLINE uint32_t axis_stays(const hik_check *check, const hik_beside *by, int32_t c, const thin_axis *axis,
                               const thin *v, thin most, thin limit, int r) {
  drift way;
  move_along(check, by, c, v, r, &way);
  thin start = thin_dot(v, axis->p) - most, end = start + thin_dot(v, axis->u);
  start = least_with(start, way.start[0], way.start[1]), end = least_with(end, way.end[0], way.end[1]);
  const bounds b = {thin_dot(v, v), THIN_MIN(start, end)};
  return is_above(&b, limit);
}

/* The direction in which an axis is nearest to an obstacle, in the world; returns the most that v y is there. */
HIK_INLINE thin ball_most(const thin_axis *c, const float *row, thin *v) {
  from_ball(c, row, v);
  return v[0] * row[9] + v[1] * row[10] + v[2] * row[11];
}

HIK_INLINE thin box_most(const thin_axis *c, const float *row, thin *v) {
  thin own[3], u[3];
  from_box(c, row, own, u);
  for (int i = 0; i < 3; i++) v[i] = row[3 * i] * own[0] + row[3 * i + 1] * own[1] + row[3 * i + 2] * own[2];
  thin most = v[0] * row[9] + v[1] * row[10] + v[2] * row[11];
  for (int i = 0; i < 3; i++) most += thin_abs(own[i]) * row[12 + i];
  return most;
}

HIK_INLINE thin capsule_most(const thin_axis *c, const float *row, thin *v) {
  thin_axis o;
  axes k;
  take_obstacle(row, &o);
  place_axes(c, &o, &k);
  for (int i = 0; i < 3; i++) v[i] = k.w[i] + k.s * c->u[i] - k.t * o.u[i];
  return thin_dot(v, o.p) + THIN_MAX(thin_dot(v, o.u), thin_all(0));
}

#define EACH_STAY(most)                                                                                      \
  for (int r = 0; r < check->count; r += THIN) {                                                             \
    take_thin(check, c, r, &axis);                                                                           \
    thin above = most(&axis, row, v);                                                                        \
    stays |= axis_stays(check, by, c, &axis, v, above, less + THIN_OF(bent + r), r) << r;                    \
  }

/* Lanes in which capsule c stays apart from obstacle o all along the pieces, as far as is known. */
static uint32_t stays_apart(const hik_check *check, const hik_beside *by, int32_t c, int32_t o) {
  const float *row = check->world->thin_row + HIK_OBSTACLE * (size_t)o,
              *bent = check->bent + HIK_GROUP * (size_t)c;
  const float less = check->figure->size[HIK_SIZES * (size_t)c] + row[15] + thin_more(check);
  uint32_t stays = 0;
  thin_axis axis;
  thin v[3];
  switch (check->world->kind[o]) {
  case HIK_SHAPE_SPHERE: EACH_STAY(ball_most); break;
  case HIK_SHAPE_CAPSULE: EACH_STAY(capsule_most); break;
  case HIK_SHAPE_BOX: EACH_STAY(box_most); break;
  default: break;
  }
  return stays;
}

/* The same of two capsules; what both move along v is none. */
static uint32_t pair_stays_apart(const hik_check *check, const hik_beside *by, int32_t pair) {
  const hik_figure *f = check->figure;
  int32_t c = f->pair[2 * (size_t)pair], o = f->pair[2 * (size_t)pair + 1];
  const float less = (float)f->apart[pair] + thin_more(check);
  const float *bent = check->bent + HIK_GROUP * (size_t)c, *other = check->bent + HIK_GROUP * (size_t)o;
  uint32_t stays = 0;
  for (int r = 0; r < check->count; r += THIN) {
    thin_axis one, two;
    axes k;
    drift a, b;
    thin v[3];
    take_thin(check, c, r, &one), take_thin(check, o, r, &two);
    place_axes(&one, &two, &k);
    for (int i = 0; i < 3; i++) v[i] = k.w[i] + k.s * one.u[i] - k.t * two.u[i];
    move_along(check, by, c, v, r, &a), move_along(check, by, o, v, r, &b);
    thin start = thin_dot(v, k.w), end = start + thin_dot(v, one.u), back = thin_dot(v, two.u);
    thin x = least_with(start, a.start[0] - b.start[0], a.start[1] - b.start[1]);
    thin y = least_with(end, a.end[0] - b.start[0], a.end[1] - b.start[1]);
    thin z = least_with(start - back, a.start[0] - b.end[0], a.start[1] - b.end[1]);
    thin u = least_with(end - back, a.end[0] - b.end[0], a.end[1] - b.end[1]);
    x = THIN_MIN(x, y), z = THIN_MIN(z, u);
    const bounds all = {thin_dot(v, v), THIN_MIN(x, z)};
    stays |= is_above(&all, less + (THIN_OF(bent + r) + THIN_OF(other + r))) << r;
  }
  return stays;
}
