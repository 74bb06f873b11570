/* place.inc.c: places on an axis, written once for doubles and for floats.

   Purpose   the point of a segment that is nearest to a box
   Notes     Included with NUMBER, a register of numbers of type NUMBER_ONE, and what goes with it: NUMBER_MASK, NUMBER_CHOOSE, NUMBER_MAX,
             NUMBER_MIN, NUMBER_SIZE (all bits but the sign); LITTLE: nothing less is divided by; NAMED: which of the two it is. */

#define NUMBER_ALL(x) ((NUMBER_ONE)(x) - (NUMBER){0})

HIK_INLINE NUMBER NAMED(unit_clip)(NUMBER t) {
  NUMBER none = NUMBER_ALL(0), one = NUMBER_ALL(1), least = NUMBER_MAX(none, t);
  return NUMBER_MIN(one, least);
}

/* x less what of it is within -h .. h. */
HIK_INLINE NUMBER NAMED(beyond)(NUMBER x, NUMBER h) {
  NUMBER low = -h, least = NUMBER_MAX(low, x);
  return x - NUMBER_MIN(h, least);
}

/* Ends in the frame of a pose [12]. */
HIK_INLINE void NAMED(into_frame)(const NUMBER *p, const NUMBER *u, const NUMBER_ONE *pose, NUMBER *own_p,
                                  NUMBER *own_u) {
  NUMBER w[3];
  for (int i = 0; i < 3; i++) w[i] = p[i] - pose[9 + i];
  for (int i = 0; i < 3; i++) {
    own_p[i] = pose[i] * w[0] + pose[3 + i] * w[1] + pose[6 + i] * w[2];
    own_u[i] = pose[i] * u[0] + pose[3 + i] * u[1] + pose[6 + i] * u[2];
  }
}

/* f(t) = |x - clamp x|^2 is convex, and its slope piecewise linear with breaks where x passes a face: the root lies between the
   last break with a slope of 0 or less and the first above. Breaks that are not between the ends say nothing. */
HIK_INLINE NUMBER NAMED(box_place)(const NUMBER *p, const NUMBER *u, const NUMBER *h) {
  NUMBER low = NUMBER_ALL(0), high = NUMBER_ALL(1), g_low = NUMBER_ALL(0), g_high = NUMBER_ALL(0), inverse[3];
  for (int i = 0; i < 3; i++) {
    NUMBER_MASK some = (NUMBER)((NUMBER_MASK)u[i] & NUMBER_SIZE) > LITTLE;
    inverse[i] = NUMBER_CHOOSE(some, 1 / NUMBER_CHOOSE(some, u[i], NUMBER_ALL(1)), NUMBER_ALL(0));
    NUMBER x = p[i], z = p[i] + u[i];
    g_low += u[i] * NAMED(beyond)(x, h[i]);
    g_high += u[i] * NAMED(beyond)(z, h[i]);
  }
  NUMBER_MASK first = g_low >= 0, last = g_high <= 0;
  for (int k = 0; k < 6; k++) {
    int i = k / 2, a = i == 0 ? 1 : 0, b = i == 2 ? 1 : 2;
    NUMBER t = ((k % 2 ? h[i] : -h[i]) - p[i]) * inverse[i], x = p[a] + t * u[a], y = p[b] + t * u[b];
    /* on the face itself, whatever rounding says: nearly parallel, that would outweigh the others */
    NUMBER g = u[a] * NAMED(beyond)(x, h[a]) + u[b] * NAMED(beyond)(y, h[b]);
    NUMBER_MASK down = g <= 0, below = down & (t >= low) & (t < 1), over = ~down & (t <= high) & (t > 0);
    low = NUMBER_CHOOSE(below, t, low), g_low = NUMBER_CHOOSE(below, g, g_low);
    high = NUMBER_CHOOSE(over, t, high), g_high = NUMBER_CHOOSE(over, g, g_high);
  }
  NUMBER rise = g_high - g_low;
  NUMBER t = low - (high - low) * (g_low / NUMBER_CHOOSE(rise > 0, rise, NUMBER_ALL(1)));
  t = NUMBER_MAX(low, t);
  t = NUMBER_MIN(high, t);
  return NUMBER_CHOOSE(first, NUMBER_ALL(0), NUMBER_CHOOSE(last, NUMBER_ALL(1), t));
}

#undef NUMBER
#undef NUMBER_ONE
#undef NUMBER_ALL
#undef NUMBER_MASK
#undef NUMBER_CHOOSE
#undef NUMBER_MAX
#undef NUMBER_MIN
#undef NUMBER_SIZE
#undef LITTLE
#undef NAMED
