/* bounds.inc.c: bounds of the distance of a pair, in floats: most pairs need no more.

   Purpose   which postures a pair surely keeps apart in, or surely touches in
   Notes     Be x a point of the axis, y one of the other, v = x - y. |v| is never less than the distance; and along v the two are
             apart by |v| less what either reaches beyond its point, (v v - most of v (y' - y) - most of v (x - x')) / |v|, which is
             never more than it. That holds for any x and y: the nearer they are to the best, the nearer are the bounds to each
             other, so only rounding is left to be allowed for: about 25 roundings, of coordinates within the lengths at hand, hence
             four times the check's `thin`, 64 of them. What is told here is told on any width; the rest is left to doubles. */

#define NUMBER        thin
#define NUMBER_ONE    float
#define NUMBER_MASK   thin_mask
#define NUMBER_CHOOSE THIN_CHOOSE
#define NUMBER_MAX    THIN_MAX
#define NUMBER_MIN    THIN_MIN
#define NUMBER_SIZE   INT32_MAX
#define LITTLE        1e-15f
#define NAMED(name)   thin_##name
#include "scene/place.inc.c"

#define CANCELS 4e-6f

/* |v|^2, and the lower bound times |v|; rounded up and down. */
typedef struct bounds {
  thin square, least;
} bounds;

typedef struct thin_axis {
  thin p[3], u[3];
  float square, inverse; /* |u|^2, and 1 / it or 0 */
} thin_axis;

HIK_INLINE thin thin_all(float x) { return x - (thin){0}; }
HIK_INLINE thin thin_abs(thin x) { return THIN_MAX(x, -x); }
HIK_INLINE thin thin_dot(const thin *a, const thin *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

HIK_INLINE void take_thin(const hik_check *check, int32_t c, int r, thin_axis *out) {
  const float *line = check->line + 6 * HIK_GROUP * (size_t)c + r;
  for (int i = 0; i < 3; i++)
    out->p[i] = THIN_OF(line + HIK_GROUP * i), out->u[i] = THIN_OF(line + HIK_GROUP * (3 + i));
  const float *size = check->figure->size + HIK_SIZES * (size_t)c;
  out->square = size[1], out->inverse = size[2];
}

/* From v: what is left of |v|^2 when the axis goes on from s to the end that is farther back along v. */
HIK_INLINE void bound_by(const thin *v, const thin *u, thin s, bounds *out) {
  thin back = thin_dot(v, u);
  out->square = thin_dot(v, v);
  out->least = out->square + (THIN_MIN(back, thin_all(0)) - s * back);
}

/* The place on an axis that is nearest to the center of a ball, seen from there. */
HIK_INLINE thin from_ball(const thin_axis *c, const float *row, thin *v) {
  thin w[3];
  for (int i = 0; i < 3; i++) w[i] = row[9 + i] - c->p[i];
  thin s = thin_unit_clip(thin_dot(w, c->u) * c->inverse);
  for (int i = 0; i < 3; i++) v[i] = s * c->u[i] - w[i];
  return s;
}

HIK_INLINE void bound_ball(const thin_axis *c, const float *row, bounds *out) {
  thin v[3], s = from_ball(c, row, v);
  bound_by(v, c->u, s, out);
}

/* Two axes by their products alone. What these lose, where v is short beside w, is less than CANCELS of the squares that they are
   made of; what they lose at small angles the bounds say. */
typedef struct axes {
  thin w[3], b, e, f, s,
      t; /* start from start; products of c u and o u, c u and w, o u and w; the places of the two */
} axes;

HIK_INLINE void place_axes(const thin_axis *c, const thin_axis *o, axes *k) {
  const float a = c->square, d = o->square;
  for (int i = 0; i < 3; i++) k->w[i] = c->p[i] - o->p[i];
  k->b = thin_dot(c->u, o->u), k->e = thin_dot(c->u, k->w), k->f = thin_dot(o->u, k->w);
  thin det = a * d - k->b * k->b;
  k->s = thin_unit_clip((k->b * k->f - d * k->e) / THIN_CHOOSE(det > 1e-30f, det, thin_all(1)));
  k->t = thin_unit_clip((k->b * k->s + k->f) * o->inverse);
  k->s = thin_unit_clip((k->b * k->t - k->e) * c->inverse);
}

HIK_INLINE void bound_axes(const thin_axis *c, const thin_axis *o, bounds *out) {
  const thin none = thin_all(0);
  const float a = c->square, d = o->square;
  axes k;
  place_axes(c, o, &k);
  thin b = k.b, e = k.e, f = k.f, s = k.s, t = k.t, square = thin_dot(k.w, k.w);
  thin lost = (square + (a + d)) * CANCELS;
  thin back = e + s * a - t * b, ahead = b * s + f - t * d; /* v u, v d */
  square += s * (e + back) - t * (f + ahead);
  out->square = THIN_MAX(square, none) + lost;
  out->least = square - lost + (THIN_MIN(back, none) - s * back) + (t * ahead - THIN_MAX(ahead, none));
}

HIK_INLINE void take_obstacle(const float *row, thin_axis *o) {
  for (int i = 0; i < 3; i++) o->p[i] = thin_all(row[i]), o->u[i] = thin_all(row[3 + i]);
  o->square = row[6], o->inverse = row[7];
}

HIK_INLINE void bound_capsule(const thin_axis *c, const float *row, bounds *out) {
  thin_axis o;
  take_obstacle(row, &o);
  bound_axes(c, &o, out);
}

/* The place on an axis that is nearest to a box, seen from the box's point, and along the axis; in the box's frame. */
HIK_INLINE thin from_box(const thin_axis *c, const float *row, thin *v, thin *u) {
  thin p[3], h[3];
  thin_into_frame(c->p, c->u, row, p, u);
  for (int i = 0; i < 3; i++) h[i] = thin_all(row[12 + i]);
  thin s = thin_box_place(p, u, h);
  for (int i = 0; i < 3; i++) v[i] = thin_beyond(p[i] + s * u[i], h[i]);
  return s;
}

HIK_INLINE void bound_box(const thin_axis *c, const float *row, bounds *out) {
  thin u[3], v[3], s = from_box(c, row, v, u);
  bound_by(v, u, s, out);
}

/* What is asked of a pair whose axes touch at `less`, and count as near `far` [16] (NULL: 0) farther; more: the rounding allowed for. */
typedef struct told {
  float less, more;
  const float *far;
  uint32_t apart, near, clear,
      hit; /* a bit a lane: farther than far, within it, farther than 0, in contact; surely */
} told;

/* The lower bound is above the limit: least / |v| > limit, without a root. */
HIK_INLINE uint32_t is_above(const bounds *b, thin limit) {
  limit = THIN_MAX(limit, thin_all(0));
  return THIN_BITS((b->least > 0) & (b->least * b->least > limit * limit * b->square));
}

HIK_INLINE uint32_t is_below(const bounds *b, thin limit) {
  return THIN_BITS((limit > 0) & (b->square < limit * limit));
}

/* whole: all four, else `apart` alone. */
HIK_INLINE void tell(const bounds *b, bool whole, int r, told *out) {
  thin far = thin_all(0);
  if (out->far) far = THIN_OF(out->far + r);
  out->apart |= is_above(b, out->less + out->more + far) << r;
  if (!whole) return;
  out->hit |= is_below(b, thin_all(out->less - out->more)) << r;
  if (!out->far) return;
  out->near |= is_below(b, out->less - out->more + far) << r;
  out->clear |= is_above(b, thin_all(out->less + out->more)) << r;
}

HIK_INLINE float thin_more(const hik_check *check) { return 4 * check->thin; }

#define EACH_BOUND(bound)                                                                                    \
  for (int r = 0; r < check->count; r += THIN) {                                                             \
    take_thin(check, c, r, &axis);                                                                           \
    bound(&axis, row, &b);                                                                                   \
    tell(&b, whole, r, out);                                                                                 \
  }

HIK_INLINE void tell_obstacle(const hik_check *check, int32_t c, int32_t o, bool whole, told *out) {
  const float *row = check->world->thin_row + HIK_OBSTACLE * (size_t)o;
  thin_axis axis;
  bounds b;
  out->less = check->figure->size[HIK_SIZES * (size_t)c] + row[15], out->more = thin_more(check);
  switch (check->world->kind[o]) {
  case HIK_SHAPE_SPHERE: EACH_BOUND(bound_ball); break;
  case HIK_SHAPE_CAPSULE: EACH_BOUND(bound_capsule); break;
  case HIK_SHAPE_BOX: EACH_BOUND(bound_box); break;
  default: break;
  }
}

HIK_INLINE void tell_pair(const hik_check *check, int32_t pair, bool whole, told *out) {
  const hik_figure *f = check->figure;
  int32_t c = f->pair[2 * (size_t)pair], o = f->pair[2 * (size_t)pair + 1];
  out->less = (float)f->apart[pair], out->more = thin_more(check);
  for (int r = 0; r < check->count; r += THIN) {
    thin_axis one, two;
    bounds b;
    take_thin(check, c, r, &one);
    take_thin(check, o, r, &two);
    bound_axes(&one, &two, &b);
    tell(&b, whole, r, out);
  }
}

/* ---- the least of many ---- */

/* Bounds of a pair as numbers [16]. Those of a pair of which none is known leave nothing out. */
typedef struct kept_bounds {
  float square[HIK_GROUP], least[HIK_GROUP], less;
} kept_bounds;

/* Keeps the bounds, and lowers far [16] to the upper one: what is nearest cannot be beyond it. */
HIK_INLINE void keep_bounds(const bounds *b, float less, float more, int r, float *far, kept_bounds *out) {
  thin upper = thin_root(b->square) + (more - less);
  THIN_AT(out->square + r) = b->square, THIN_AT(out->least + r) = b->least;
  THIN_AT(far + r) = THIN_MIN(upper, THIN_OF(far + r));
}

#define EACH_KEPT(bound)                                                                                     \
  for (int r = 0; r < check->count; r += THIN) {                                                             \
    take_thin(check, c, r, &axis);                                                                           \
    bound(&axis, row, &b);                                                                                   \
    keep_bounds(&b, out->less, more, r, far, out);                                                           \
  }

static void bound_obstacle(const hik_check *check, int32_t c, int32_t o, float *far, kept_bounds *out) {
  const float *row = check->world->thin_row + HIK_OBSTACLE * (size_t)o, more = thin_more(check);
  thin_axis axis;
  bounds b;
  out->less = check->figure->size[HIK_SIZES * (size_t)c] + row[15];
  switch (check->world->kind[o]) {
  case HIK_SHAPE_SPHERE: EACH_KEPT(bound_ball); break;
  case HIK_SHAPE_CAPSULE: EACH_KEPT(bound_capsule); break;
  case HIK_SHAPE_BOX: EACH_KEPT(bound_box); break;
  default: memset(out->least, 0, sizeof out->least);
  }
}

static void bound_pair(const hik_check *check, int32_t pair, float *far, kept_bounds *out) {
  const hik_figure *f = check->figure;
  int32_t c = f->pair[2 * (size_t)pair], o = f->pair[2 * (size_t)pair + 1];
  out->less = (float)f->apart[pair];
  for (int r = 0; r < check->count; r += THIN) {
    thin_axis one, two;
    bounds b;
    take_thin(check, c, r, &one);
    take_thin(check, o, r, &two);
    bound_axes(&one, &two, &b);
    keep_bounds(&b, out->less, thin_more(check), r, far, out);
  }
}

/* Lanes in which it may be nearer than far [16]. */
HIK_INLINE uint32_t may_be_nearer(const hik_check *check, const kept_bounds *kept, const float *far) {
  const float less = kept->less + thin_more(check);
  uint32_t above = 0;
  for (int r = 0; r < check->count; r += THIN) {
    const bounds b = {THIN_OF(kept->square + r), THIN_OF(kept->least + r)};
    above |= is_above(&b, less + THIN_OF(far + r)) << r;
  }
  return ~above;
}

/* Lanes in which a pair may be nearer than far [16]. */
static uint32_t may_obstacle(const hik_check *check, int32_t c, int32_t o, const float *far) {
  told out = {.far = far};
  tell_obstacle(check, c, o, false, &out);
  return ~out.apart;
}

static uint32_t may_pair(const hik_check *check, int32_t pair, const float *far) {
  told out = {.far = far};
  tell_pair(check, pair, false, &out);
  return ~out.apart;
}

/* All that can be told of a contact. */
static void touch_obstacle(const hik_check *check, int32_t c, int32_t o, told *out) {
  tell_obstacle(check, c, o, true, out);
}

static void touch_pair(const hik_check *check, int32_t pair, told *out) { tell_pair(check, pair, true, out); }
