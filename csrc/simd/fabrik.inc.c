/* fabrik.inc.c: one iteration of FABRIK, or of "follow the leader", of many chains of free links, for doubles or for floats.

   Included by table.inc.c once for each, which defines FABRIK_IN, the choice between them. `registers` are worked on side by
   side: each link waits for the one before it, and the others fill the wait. Numbers are written as REALs: a float times a
   double would be a double.

   What an iteration spends its time on is 1 / sqrt(square) for each link. The first guess is had from the exponent by a
   subtraction of whole numbers (within 6.5e-4 after the first step, whose constants are those of the least greatest
   error), the rest by products and sums: the same bytes everywhere, where the guesses that processors offer (rsqrtps,
   vrsqrt14pd) differ from maker to maker, and less than half the time of the processor's root and division. */

#ifndef REAL
#define REAL                FABRIK_IN(double, float)
#define LANE                FABRIK_IN(lane, thin)
#define MASK                FABRIK_IN(lane_mask, thin_mask)
#define WIDTH               FABRIK_IN(LANES, THIN) /* numbers in a register */
#define SEED                FABRIK_IN(0x5fe4000000000000, 0x5f200000)
#define NEWTON              FABRIK_IN(1, 0)
#define TINY                FABRIK_IN(1e-290, 1e-30f)
#define ROOT                FABRIK_IN(sqrt, sqrtf)
#define CHOOSE              FABRIK_IN(lane_choose, thin_choose)
#define ANY_BELOW(x, least) FABRIK_IN(LANE_BELOW, THIN_BELOW)(x, least)
#define FABRIK(what)        FABRIK_IN(fabrik_##what, single_##what)
#endif

/* length / sqrt(x) of normal x, to two units of the last place. */
HIK_INLINE void FABRIK(share)(REAL length, const LANE *x, LANE *out) {
  LANE y = (LANE)(SEED - ((MASK)*x >> 1));
  y = y * ((REAL)1.68191356 - (REAL)0.70395158 * *x * (y * y));
  for (int i = 0; i < NEWTON; i++) y = y * ((REAL)1.5 - (REAL)0.5 * *x * (y * y));
  LANE e = 1 - *x * (y * y), whole = length * y;
  *out = whole + whole * e * ((REAL)0.5 + (REAL)0.375 * e);
}

/* What a link moves by where points coincide: along the direction from b to a, which was the last one, or along x. */
static void __attribute__((noinline)) FABRIK(repeat)(int registers, REAL length, const LANE *a, const LANE *b,
                                                     REAL otherwise, LANE *move) {
  LANE share, size = (LANE){0};
  for (int c = 0; c < 3; c++) {
    move[c] = a[c * registers] - b[c * registers];
    size += move[c] * move[c];
  }
  const MASK none = size < TINY;
  size = CHOOSE(none, (LANE){0} + 1, size);
  FABRIK(share)(length, &size, &share);
  for (int c = 0; c < 3; c++)
    move[c] = CHOOSE(none, (LANE){0} + (c == 0 ? otherwise * length : 0), share * move[c]);
}

/* Moves a point to the distance `length` from `at`, along the line between them; `at` is left as the new point. */
HIK_INLINE void FABRIK(pull)(int registers, REAL length, const LANE *a, const LANE *b, REAL otherwise,
                             LANE *point, LANE *at) {
  LANE d[3] = {point[0] - at[0], point[registers] - at[1], point[2 * registers] - at[2]}, share;
  LANE square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  FABRIK(share)(length, &square, &share);
  for (int c = 0; c < 3; c++) d[c] = share * d[c];
  if (HIK_UNLIKELY(ANY_BELOW(square, TINY))) {
    const MASK near = square < TINY;
    LANE again[3];
    FABRIK(repeat)(registers, length, a, b, otherwise, again);
    for (int c = 0; c < 3; c++) d[c] = CHOOSE(near, again[c], d[c]);
  }
  for (int c = 0; c < 3; c++) point[c * registers] = at[c] = at[c] + d[c];
}

/* The stop rule of hik_fabrik_row, for the squares of the errors. */
HIK_INLINE void FABRIK(watch)(int registers, REAL tolerance, REAL share, REAL *rows) {
  REAL *square = rows + HIK_FABRIK_ERROR * registers * WIDTH;
  for (int k = 0; k < registers * WIDTH; k++) square[k] = ROOT(square[k]);
  for (int g = 0; g < registers; g++) {
    LANE *row = (LANE *)(void *)rows + g, error = row[HIK_FABRIK_ERROR * registers];
    LANE limit = row[HIK_FABRIK_LIMIT * registers], quiet = row[HIK_FABRIK_QUIET * registers] + 1;
    const MASK better = error < limit, done = error <= tolerance;
    quiet = (LANE)(~better & (MASK)quiet);
    row[HIK_FABRIK_LIMIT * registers] = CHOOSE(better, share * error, limit);
    row[HIK_FABRIK_QUIET * registers] = CHOOSE(done, (LANE){0} + HIK_FABRIK_DONE, quiet);
  }
}

/* `follows`: the pass from the tip goes on to the root, and the chain is carried back by what the root is off. */
HIK_INLINE void FABRIK(iterate)(const int registers, const bool follows, int32_t n, const REAL *length,
                                REAL tolerance, REAL share, REAL *points_, REAL *rows) {
  const size_t step = 3 * (size_t)registers;
  LANE *points = (LANE *)(void *)points_, *error = (LANE *)(void *)rows + HIK_FABRIK_ERROR * registers;
  const LANE *target = (const LANE *)(const void *)rows;
  LANE at[HIK_REGISTERS][3], root[3 * HIK_REGISTERS], *tip = points + (size_t)n * step;
  for (int g = 0; g < registers; g++)
    for (int c = 0; c < 3; c++) tip[c * registers + g] = at[g][c] = target[c * registers + g];
  /* tip to root: where the root itself would be put back at once it is not computed */
  const LANE *a = points, *b = target;
  for (size_t k = 0; k < step && follows; k++) root[k] = points[k];
  for (int32_t i = n - 1; i >= !follows; i--) {
    LANE *point = follows && i == 0 ? root : points + (size_t)i * step;
    for (int g = 0; g < registers; g++)
      FABRIK(pull)(registers, length[i], a + g, b + g, -1, point + g, at[g]);
    a = point, b = points + (size_t)(i + 1) * step;
  }
  for (size_t i = step; i < ((size_t)n + 1) * step && follows; i++)
    points[i] += points[i % step] - root[i % step];
  for (int g = 0; g < registers; g++)
    for (int c = 0; c < 3; c++) at[g][c] = (follows ? tip : points)[c * registers + g];
  /* root to tip; the last direction turned round */
  const LANE *from = b;
  b = a, a = from;
  for (int32_t i = 0; i < n && !follows; i++) {
    LANE *point = points + (size_t)(i + 1) * step;
    for (int g = 0; g < registers; g++) FABRIK(pull)(registers, length[i], a + g, b + g, 1, point + g, at[g]);
    a = point, b = point - step;
  }
  for (int g = 0; g < registers; g++) {
    LANE square = (LANE){0};
    for (int c = 0; c < 3; c++) {
      LANE d = at[g][c] - target[c * registers + g];
      square += d * d;
    }
    error[g] = square;
  }
  FABRIK(watch)(registers, tolerance, share, rows);
}
