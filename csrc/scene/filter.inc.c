/* filter.inc.c: which pairs of a group have to be looked at, told in floats.

   Purpose   leave out what is surely farther than what counts
   Notes     Floats are off by 6e-8 of what they stand for, so all is grown by the check's `thin` (1e-6 of all lengths at hand):
             what is left out is left out on any width, what is not is looked at in doubles. Obstacles: a coordinate falls into
             one of some cells of each axis; a row of bits a cell says which obstacles begin at or before it, and which end at or
             after it. The rows of the six sides of a box, cut, hold the obstacles that it can meet. */

typedef int32_t bits_anywhere __attribute__((vector_size(4 * THIN), aligned(4), may_alias));

/* As many floats as a register has doubles, and two of these side by side: what is stored in halves is slow to load whole. */
typedef float half_thin __attribute__((vector_size(4 * LANES)));
typedef float half_anywhere __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
/* FOLDED(with, x): each lane with its partners, 1, 2, 4 .. lanes away. */
#define FOLD(with, x, ...) (x) = with(x, __builtin_shufflevector(x, x, __VA_ARGS__))
#if LANES == 8
#define JOINED(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define FOLDED(with, x)                                                                                      \
  FOLD(with, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);                                       \
  FOLD(with, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);                                       \
  FOLD(with, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);                                       \
  FOLD(with, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#elif LANES == 4
#define JOINED(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define FOLDED(with, x)                                                                                      \
  FOLD(with, x, 4, 5, 6, 7, 0, 1, 2, 3);                                                                     \
  FOLD(with, x, 2, 3, 0, 1, 6, 7, 4, 5);                                                                     \
  FOLD(with, x, 1, 0, 3, 2, 5, 4, 7, 6)
#else
#define JOINED(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3)
#define FOLDED(with, x)                                                                                      \
  FOLD(with, x, 2, 3, 0, 1);                                                                                 \
  FOLD(with, x, 1, 0, 3, 2)
#endif

HIK_INLINE thin lesser(thin x, thin y) { return THIN_CHOOSE(x < y, x, y); }
HIK_INLINE thin greater(thin x, thin y) { return THIN_CHOOSE(x > y, x, y); }

/* Of the midpoints of two axes: the square of their distance; [3][16]. */
HIK_INLINE thin middle_square(const float *a, const float *b, int r) {
  thin x = THIN_OF(a + r) - THIN_OF(b + r), y = THIN_OF(a + HIK_GROUP + r) - THIN_OF(b + HIK_GROUP + r);
  thin z = THIN_OF(a + 2 * HIK_GROUP + r) - THIN_OF(b + 2 * HIK_GROUP + r);
  return x * x + y * y + z * z;
}

/* The same to the center of a ball. */
HIK_INLINE thin ball_square(const float *a, const float *ball, int r) {
  thin x = THIN_OF(a + r) - ball[0], y = THIN_OF(a + HIK_GROUP + r) - ball[1],
       z = THIN_OF(a + 2 * HIK_GROUP + r) - ball[2];
  return x * x + y * y + z * z;
}

/* A bit a lane: those nearer than far (>= 0) [16] and reach, or reach alone where far is NULL. */
#define NEARER(name, square)                                                                                 \
  HIK_INLINE uint32_t name(const float *a, const float *b, float reach, const float *far) {                  \
    uint32_t bits = 0;                                                                                       \
    for (int r = 0; r < HIK_GROUP; r += THIN) {                                                              \
      thin limit = (thin){0} + reach;                                                                        \
      if (far) limit += THIN_OF(far + r);                                                                    \
      thin far_square = square(a, b, r), most = limit * limit;                                               \
      bits |= (uint32_t)THIN_UP_TO(far_square, most) << r;                                                   \
    }                                                                                                        \
    return bits;                                                                                             \
  }
NEARER(near_ball, ball_square)
NEARER(near_middle, middle_square)
#undef NEARER

HIK_INLINE const float *middle_of(const hik_check *check, int32_t c) {
  return check->middle + 3 * HIK_GROUP * (size_t)c;
}

/* Metres between the middles of a pair, or a capsule and an obstacle, less than which they are looked at. */
HIK_INLINE float reach_of(const hik_check *check, int32_t pair) {
  return check->figure->reach[pair] + check->thin;
}

HIK_INLINE float reach_to(const hik_check *check, int32_t c, int32_t o) {
  return check->figure->ball[c] + check->world->ball[4 * (size_t)o + 3] + check->thin;
}

HIK_INLINE int32_t cell_of(const hik_world *w, int i, float x) {
  float at = (x - w->low[i]) * w->scale[i];
  return !(at > 0) ? 0 : at >= (float)(w->cells - 1) ? w->cells - 1 : (int32_t)at;
}

/* The same of a register. */
HIK_INLINE bits_anywhere cells_at(const hik_world *w, int i, thin x) {
  thin at = (x - w->low[i]) * w->scale[i], last = (thin){0} + (float)(w->cells - 1);
  at = THIN_CHOOSE(at > 0, at, (thin){0});
  at = THIN_CHOOSE(at < last, at, last);
  return (bits_anywhere) __builtin_convertvector(at, thin_mask);
}

/* Rows of bits for a box: six. */
HIK_INLINE void rows_of(const hik_world *w, const int32_t *cell, const uint64_t **row) {
  for (int k = 0; k < 6; k++)
    row[k] = w->bits + ((size_t)k * (size_t)w->cells + (size_t)cell[k]) * (size_t)w->words;
}

/* cell [6]: of the greatest coordinates, against where obstacles begin; of the least, against where they end. */
HIK_INLINE void cells_of(const hik_world *w, const float *least, const float *most, int32_t *cell) {
  for (int i = 0; i < 3; i++) cell[i] = cell_of(w, i, most[i]), cell[3 + i] = cell_of(w, i, least[i]);
}

/* Least and greatest coordinates of capsule c in the lanes of `open`, grown by far [16]. */
HIK_INLINE void common_box(const hik_check *check, int32_t c, const float *far, uint32_t open, float *least,
                           float *most) {
  const float *box = check->box + 6 * HIK_GROUP * (size_t)c;
  static const int32_t bit[HIK_GROUP] = {1,       1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                         1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                         1 << 12, 1 << 13, 1 << 14, 1 << 15};
  for (int i = 0; i < 3; i++) {
    thin a = (thin){0} + INFINITY, b = (thin){0} - INFINITY;
    for (int r = 0; r < HIK_GROUP; r += THIN) {
      /* NaN, in lanes of no use, is neither less nor more */
      thin x = THIN_OF(box + HIK_GROUP * i + r) - THIN_OF(far + r);
      thin y = THIN_OF(box + HIK_GROUP * (3 + i) + r) + THIN_OF(far + r);
      thin_mask in = (*(const bits_anywhere *)(const void *)(bit + r) & (int32_t)open) != 0;
      a = THIN_CHOOSE(in & (x < a), x, a), b = THIN_CHOOSE(in & (y > b), y, b);
    }
    FOLDED(lesser, a);
    FOLDED(greater, b);
    least[i] = a[0] - check->thin, most[i] = b[0] + check->thin;
  }
}

/* The same of one lane. */
HIK_INLINE void box_of(const hik_check *check, int32_t c, const float *far, int l, float *least,
                       float *most) {
  const float *box = check->box + 6 * HIK_GROUP * (size_t)c + l;
  for (int i = 0; i < 3; i++) {
    least[i] = box[HIK_GROUP * i] - far[l] - check->thin;
    most[i] = box[HIK_GROUP * (3 + i)] + far[l] + check->thin;
  }
}

enum { FEW = 12 };
enum { FEW_OBSTACLES = 12 /* where a box by itself costs less than bits by cells */ };

/* Obstacles that lane after lane can meet, where the common box meets many: widely different postures. */
static void candidates_by_lane(const hik_check *check, int32_t c, const float *far, uint32_t open) {
  const hik_world *w = check->world;
  const float *box = check->box + 6 * HIK_GROUP * (size_t)c;
  uint64_t *to = check->candidate;
  int32_t cell[6][HIK_GROUP];
  for (int r = 0; r < check->count; r += THIN) {
    thin by = THIN_OF(far + r) + check->thin;
    for (int i = 0; i < 3; i++) {
      *(bits_anywhere *)(void *)(cell[i] + r) = cells_at(w, i, THIN_OF(box + HIK_GROUP * (3 + i) + r) + by);
      *(bits_anywhere *)(void *)(cell[3 + i] + r) = cells_at(w, i, THIN_OF(box + HIK_GROUP * i + r) - by);
    }
  }
  memset(to, 0, sizeof *to * (size_t)w->words);
  for (uint32_t left = open; left; left &= left - 1) {
    int l = __builtin_ctz(left);
    const uint64_t *row[6];
    int32_t at[6];
    for (int k = 0; k < 6; k++) at[k] = cell[k][l];
    rows_of(w, at, row);
    for (int32_t k = 0; k < w->words; k++)
      to[k] |= row[0][k] & row[1][k] & row[2][k] & row[3][k] & row[4][k] & row[5][k];
  }
}

/* The box of a capsule in lanes. */
typedef struct thin_box {
  thin least[3], most[3];
} thin_box;

/* Grown by far [16]. */
HIK_INLINE thin_box grown_box(const hik_check *check, int32_t c, const float *far, int r) {
  const float *own = check->box + 6 * HIK_GROUP * (size_t)c;
  thin by = THIN_OF(far + r) + check->thin;
  thin_box out;
  for (int i = 0; i < 3; i++) {
    out.least[i] = THIN_OF(own + HIK_GROUP * i + r) - by;
    out.most[i] = THIN_OF(own + HIK_GROUP * (3 + i) + r) + by;
  }
  return out;
}

/* A bit a lane: it meets the box of obstacle o. */
HIK_INLINE uint32_t meets(const hik_world *w, int32_t o, const thin_box *own) {
  const float *box = w->box + 6 * (size_t)o;
  thin beyond = own->least[0] - box[3];
  for (int i = 0; i < 3; i++) {
    thin over = own->least[i] - box[3 + i], under = box[i] - own->most[i];
    beyond = THIN_MAX(beyond, over);
    beyond = THIN_MAX(beyond, under);
  }
  return (uint32_t)THIN_UP_TO(beyond, (thin){0});
}

/* Lanes in which capsule c, grown by far [16], can meet obstacle o by their boxes. */
HIK_INLINE uint32_t near_box(const hik_check *check, int32_t c, int32_t o, const float *far) {
  uint32_t lanes = 0;
  for (int r = 0; r < check->count; r += THIN) {
    const thin_box own = grown_box(check, c, far, r);
    lanes |= meets(check->world, o, &own) << r;
  }
  return lanes;
}

/* The same of few obstacles, of all at once: lanes [FEW_OBSTACLES]; sets check->candidate to those with one in `open`. */
static void few_candidates(const hik_check *check, int32_t c, const float *far, uint32_t open,
                           uint32_t *lanes) {
  const hik_world *w = check->world;
  uint64_t some = 0;
  for (int32_t o = 0; o < w->n; o++) lanes[o] = 0;
  for (int r = 0; r < check->count; r += THIN) {
    const thin_box own = grown_box(check, c, far, r);
    for (int32_t o = 0; o < w->n; o++) lanes[o] |= meets(w, o, &own) << r;
  }
  for (int32_t o = 0; o < w->n; o++) some |= (uint64_t)((lanes[o] & open) != 0) << o;
  check->candidate[0] = some;
}

/* Sets check->candidate: the obstacles that capsule c, grown by far [16], can meet in a lane of `open`. */
static void find_candidates(const hik_check *check, int32_t c, const float *far, uint32_t open) {
  const hik_world *w = check->world;
  const uint64_t *row[6];
  float least[3], most[3];
  int32_t cell[6], count = 0;
  const bool one = (open & (open - 1)) == 0;
  if (one && open)
    box_of(check, c, far, __builtin_ctz(open), least, most);
  else
    common_box(check, c, far, open, least, most);
  cells_of(w, least, most, cell);
  rows_of(w, cell, row);
  for (int32_t k = 0; k < w->words; k++) {
    uint64_t bits = row[0][k] & row[1][k] & row[2][k] & row[3][k] & row[4][k] & row[5][k];
    check->candidate[k] = bits;
    count += __builtin_popcountll(bits);
  }
  if (count > FEW && !one) candidates_by_lane(check, c, far, open);
}

/* For each candidate o. */
#define EACH_CANDIDATE(check, o)                                                                             \
  for (int32_t word_ = 0; word_ < (check)->world->words; word_++)                                            \
    for (uint64_t bits_ = (check)->candidate[word_]; bits_; bits_ &= bits_ - 1)                              \
      for (int32_t o = 64 * word_ + __builtin_ctzll(bits_), once_ = 1; once_; once_ = 0)
