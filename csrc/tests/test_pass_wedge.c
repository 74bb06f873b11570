/* test_pass_wedge.c: walls that together leave no room: a corridor, a corner, and drawn boxes, each called wedged looked at in
   drawn poses by clipping the walls at the outline. */
#include "access/pass_wedge.h"
#include "base/trig.h"
#include "check.h"

enum { CORNERS = 6, WALLS = 4 };

typedef struct shape {
  double corner[2 * CORNERS], normal[2 * CORNERS], out[CORNERS], far[CORNERS], turned[2 * CORNERS],
      faced[2 * CORNERS];
  hik_outline o;
} shape;

static void shape_make(shape *s, int64_t n, const double *corner) {
  s->o = (hik_outline){n, s->corner, s->normal, s->out, s->far, s->turned, s->faced, 0};
  for (int64_t k = 0; k < 2 * n; k++) s->corner[k] = corner[k];
  hik_pass_outline(&s->o);
}

static uint64_t state = 1;

static double drawn(double low, double high) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

/* Whether a wall touches the outline in a pose: what of it is inside all edges. */
static bool touches(const shape *s, const double pose[3], const double wall[4]) {
  double c, sn, from = 0, to = 1;
  hik_sincos(pose[2], &sn, &c);
  for (int64_t k = 0; k < s->o.n; k++) {
    double nx = c * s->normal[2 * k] - sn * s->normal[2 * k + 1],
           ny = sn * s->normal[2 * k] + c * s->normal[2 * k + 1];
    double a = s->out[k] - nx * (wall[0] - pose[0]) - ny * (wall[1] - pose[1]);
    double b = s->out[k] - nx * (wall[2] - pose[0]) - ny * (wall[3] - pose[1]);
    if (a < 0 && b < 0) return false;
    if (a < 0) from = fmax(from, a / (a - b));
    if (b < 0) to = fmin(to, a / (a - b));
  }
  return from <= to;
}

static const double CHAIR[8] = {-0.4, -0.3, 0.8, -0.3, 0.8, 0.3, -0.4, 0.3};

/* A corridor along x narrower than the outline is long, the outline across it: wherever it is in it. */
static void test_a_corridor(void) {
  shape s;
  shape_make(&s, 4, CHAIR);
  for (int wide = 0; wide < 2; wide++) {
    double gap = wide ? 1.21 : 1.19, wall[8] = {-3, 0, 3, 0, -3, gap, 3, gap};
    double middle[3] = {0, 0.4, HIK_PI / 2}, half[3] = {0.5, 0.15, 0.002};
    int32_t which[2] = {0, 1}, kept[2];
    hik_walls walls = {wall, NULL, 2};
    hik_look look = hik_pass_look(&s.o, &walls, which, 2, middle, half, kept);
    CHECK(look.state == (wide ? HIK_BOX_MIXED : HIK_BOX_STUCK));
    half[2] = 0.15; /* too much for the bound: halving the heading tells */
    look = hik_pass_look(&s.o, &walls, which, 2, middle, half, kept);
    CHECK(look.state == HIK_BOX_MIXED);
    CHECK(wide || look.wedge[2] > 0.005);
    CHECK(look.wedge[0] == 0 && look.wedge[1] == 0);
  }
}

/* Two outer walls and the end of an inner one. */
static void test_a_corner(void) {
  shape s;
  shape_make(&s, 4, CHAIR);
  double r = sqrt(0.5), wall[12] = {0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 3, 3}, middle[3],
         half[3] = {0.02, 0.02, 0.002};
  int32_t which[3] = {0, 1, 2}, kept[3];
  hik_walls walls = {wall, NULL, 3};
  for (int wide = 0; wide < 2; wide++) {
    /* across the corner at 135 degrees: its long edge stands 0.6 from the corner, and it is 0.6 wide */
    double inner = (wide ? 1.21 : 1.19) * r;
    wall[8] = wall[9] = inner;
    middle[0] = 0.6 * r + 0.3 * r - 0.2 * -r, middle[1] = 0.6 * r + 0.3 * r - 0.2 * r,
    middle[2] = 0.75 * HIK_PI;
    hik_look look = hik_pass_look(&s.o, &walls, which, 3, middle, half, kept);
    CHECK(look.state == (wide ? HIK_BOX_MIXED : HIK_BOX_STUCK));
  }
}

/* A corner beyond a line and a post inside the edge on the other side: each gives way a little, both together not. What the post
   loses by a turn and a shift along the edge at once is what decides: in the far corner of the box there is room. */
static void test_a_post_and_a_line(void) {
  shape s;
  const double house[6] = {-1, 0.3, 0, -0.3, 1, 0.3};
  shape_make(&s, 3, house);
  double wall[8] = {-2, -0.296, 2, -0.296, 0, 0.296, 0, 2}, middle[3] = {0, 0, 0};
  int32_t which[2] = {0, 1}, kept[2];
  hik_walls walls = {wall, NULL, 2};
  for (int wide = 0; wide < 2; wide++) {
    double half[3] = {wide ? 0.2 : 0.1, 0.004, 0.05};
    hik_look look = hik_pass_look(&s.o, &walls, which, 2, middle, half, kept);
    CHECK(look.state == (wide ? HIK_BOX_MIXED : HIK_BOX_STUCK));
    /* the walls are a line and a post: the height at which both are as far off tells */
    bool room = false;
    for (int k = 0; k <= 80; k++) {
      double pose[3] = {half[0], half[1] * (k / 40.0 - 1), half[2]};
      room |= !touches(&s, pose, wall) && !touches(&s, pose, wall + 4);
    }
    CHECK(room == (wide == 1));
  }
}

/* A wall that reaches a little into the outline, with its end or with a side: from all sides, one after the other. */
static void draw_wall(const shape *s, const double pose[3], int which, double wall[4]) {
  double sn, c, deep = drawn(-0.01, 0.08), a = pose[2] + 2 * HIK_PI / 3 * which + drawn(-0.6, 0.6), high = 0,
                x = 0, y = 0;
  if (drawn(0, 1) < 0.5) a = pose[2] + HIK_PI * which + drawn(-0.2, 0.2);
  hik_sincos(a, &sn, &c);
  for (int64_t k = 0; k < s->o.n; k++) {
    double cx, sx;
    hik_sincos(pose[2], &sx, &cx);
    double px = cx * s->corner[2 * k] - sx * s->corner[2 * k + 1],
           py = sx * s->corner[2 * k] + cx * s->corner[2 * k + 1];
    if (k == 0 || px * c + py * sn > high) high = px * c + py * sn, x = px, y = py;
  }
  x += pose[0] - deep * c, y += pose[1] - deep * sn;
  if (drawn(0, 1) < 0.5) { /* a side */
    double from = drawn(-2, 0), to = drawn(0, 2);
    wall[0] = x - from * sn, wall[1] = y + from * c, wall[2] = x - to * sn, wall[3] = y + to * c;
  } else { /* an end, beside the corner */
    double aside = drawn(-0.5, 0.5), tilt = drawn(-0.5, 0.5);
    x -= aside * sn, y += aside * c;
    wall[0] = x, wall[1] = y, wall[2] = x + c - tilt * sn, wall[3] = y + sn + tilt * c;
  }
}

/* Of drawn boxes that are called wedged no drawn pose is clear, however a leaf stands. */
static void test_no_pose_is_clear(void) {
  int64_t wedged = 0, clear = 0, open = 0;
  for (int trial = 0; trial < 60000; trial++) {
    shape s;
    double w = drawn(0.2, 0.5), taper = drawn(0.1, 0.8), feet = drawn(0.05, w), back = drawn(-0.8, -0.2);
    double corner[12] = {back, -w, taper, -w, 0.9, -feet, 0.9, feet, taper, w, back, w};
    shape_make(&s, 6, corner);
    double middle[3] = {drawn(-0.2, 0.2), drawn(-0.2, 0.2), drawn(0, 2 * HIK_PI)};
    double size = drawn(0, 1), half[3] = {drawn(0, 0.3) * size, drawn(0, 0.3) * size, drawn(0, 0.2) * size};
    double wall[4 * WALLS];
    hik_leaf leaf = {{0}, {{0}, 0, {0}}};
    for (int k = 0; k < WALLS; k++) draw_wall(&s, middle, k, wall + 4 * k);
    for (int k = 0; k < 4; k++) leaf.wall[k] = wall[4 * (WALLS - 1) + k];
    leaf.sway.pivot[0] = leaf.wall[0], leaf.sway.pivot[1] = leaf.wall[1];
    if (trial % 3) leaf.sway.turn = drawn(0, 0.05), leaf.sway.slide[0] = drawn(0, 0.02);
    hik_walls walls = {wall, &leaf, WALLS - 1};
    int32_t which[WALLS] = {0, 1, 2, 3}, kept[WALLS];
    hik_look look = hik_pass_look(&s.o, &walls, which, WALLS, middle, half, kept);
    if (look.state == HIK_BOX_FREE) continue;
    double share[3];
    if (!look.kept || !hik_pass_wedged(&s.o, &walls, kept, look.kept, middle, half, share)) {
      open++;
      continue;
    }
    wedged++;
    for (int m = 0; m < 200; m++) {
      double pose[3], sn, c, turn = drawn(-1, 1) * leaf.sway.turn, slide = drawn(-1, 1) * leaf.sway.slide[0];
      for (int k = 0; k < 3; k++)
        pose[k] = middle[k] + half[k] * (m < 8 ? ((m >> k) & 1 ? 1 : -1) : drawn(-1, 1));
      hik_sincos(turn, &sn, &c);
      for (int e = 0; e < 4; e += 2) {
        double x = leaf.wall[e] - leaf.sway.pivot[0], y = leaf.wall[e + 1] - leaf.sway.pivot[1];
        wall[4 * (WALLS - 1) + e] = leaf.sway.pivot[0] + c * x - sn * y + slide;
        wall[4 * (WALLS - 1) + e + 1] = leaf.sway.pivot[1] + sn * x + c * y;
      }
      bool touched = false;
      for (int k = 0; k < WALLS; k++) touched |= touches(&s, pose, wall + 4 * k);
      clear += !touched;
    }
  }
  CHECK(clear == 0);
  CHECK(wedged > 500 && open > 500);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_a_corridor);
  RUN(test_a_corner);
  RUN(test_a_post_and_a_line);
  RUN(test_no_pose_is_clear);
  CHECK_END();
}
