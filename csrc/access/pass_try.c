/* pass_try.c: a motion threaded along a way of boxes that are not all free.

   Given     the tree of boxes as far as it is halved.
   Returned  poses with straight motions between them that are clear of all walls, or none.
   Notes     Boxes tell of a slot only when they are much finer than what it leaves an outline. One motion through it needs no
             boxes: in each box of the way that is not free the clearest pose nearby is taken, and the straight motions between
             these are proved clear; where one is not, the clearest pose near its middle goes between. A box where that fails is
             left out, and the next way is tried. */
#include "access/pass_try.h"

#include <string.h>

#include "access/pass_clearest.h"
#include "base/memory.h"

enum { DEEP = 8 };               /* how often a motion is parted between two poses */
static const double PULL = 0.01; /* meters that a pose may be moved, and as much as its box is large */

typedef struct thread {
  hik_pose_tree *tree;
  int32_t *cost, *from, *list[2], *near, *axes,
      *way; /* room for all boxes, the lists for twice as many; `near` for all walls */
  char *barred;
  double *pose; /* (rows, 3) */
  int64_t rows, room;
  bool starved;
} thread;

static bool is_free(const thread *t, int32_t i) { return t->tree->node[i].state == HIK_BOX_FREE; }

static bool is_open(const thread *t, int32_t i) {
  int8_t state = t->tree->node[i].state;
  return !t->barred[i] && (state == HIK_BOX_FREE || state == HIK_BOX_MIXED || state == HIK_BOX_SMALL);
}

/* The way with fewest boxes that are not free and, of those, with fewest boxes, in t->way; how many, 0: none is left. */
static int32_t find_way(thread *t) {
  const hik_pose_tree *tree = t->tree;
  int32_t count[2] = {0}, end = -1;
  for (int32_t i = 0; i < tree->boxes; i++) {
    t->cost[i] = INT32_MAX;
    if (!tree->node[i].start || !is_open(t, i)) continue;
    t->cost[i] = !is_free(t, i), t->from[i] = -1;
    t->list[t->cost[i]][count[t->cost[i]]++] = i;
  }
  for (int32_t cost = 0; end < 0 && (count[0] || count[1]); cost++) {
    int now = cost & 1;
    for (int32_t head = 0; head < count[now] && end < 0; head++) {
      int32_t i = t->list[now][head];
      const hik_node *n = tree->node + i;
      if (t->cost[i] != cost) continue;
      if (n->goal) end = i;
      for (int32_t k = 0; k < n->nears; k++) {
        int32_t j = n->near[k], more = cost + !is_free(t, j);
        if (!is_open(t, j) || t->cost[j] <= more) continue;
        t->cost[j] = more, t->from[j] = i;
        t->list[more & 1][count[more & 1]++] = j;
      }
    }
    count[now] = 0;
  }
  int32_t n = 0;
  for (int32_t i = end; i >= 0; i = t->from[i]) n++;
  for (int32_t i = end, k = n; i >= 0; i = t->from[i]) t->way[--k] = i;
  return n;
}

static bool add_row(thread *t, const double pose[3]) {
  if (t->rows == t->room) {
    int64_t room = 2 * t->room + 64;
    double *more = hik_allocate_raw((size_t)room * 3 * sizeof *more);
    if (!more) return !(t->starved = true);
    if (t->rows) memcpy(more, t->pose, (size_t)t->rows * 3 * sizeof *more);
    hik_release(t->pose);
    t->pose = more, t->room = room;
  }
  memcpy(t->pose + 3 * t->rows++, pose, 3 * sizeof *pose);
  return true;
}

/* The walls near a straight motion, in t->near. */
static int32_t near_motion(thread *t, const double pose[6]) {
  double at[2], x = 0.5 * (pose[3] - pose[0]), y = 0.5 * (pose[4] - pose[1]);
  at[0] = pose[0] + x, at[1] = pose[1] + y;
  return hik_pass_near(&t->tree->outline, &t->tree->walls, at, sqrt(x * x + y * y) + 1e-6, t->near);
}

static void clearest(thread *t, double pull, double pose[3]) {
  hik_pose_tree *tree = t->tree;
  int32_t n = hik_pass_near(&tree->outline, &tree->walls, pose, 2 * pull, t->near);
  hik_pass_clearest(&tree->outline, &tree->walls, t->near, n, NULL, pull, pose);
}

/* Go on from the last row to a pose. */
static bool go(thread *t, const double pose[3], int deep) {
  if (!hik_pass_goes_on(t->tree)) return false;
  double piece[6];
  memcpy(piece, t->pose + 3 * (t->rows - 1), 3 * sizeof *piece);
  memcpy(piece + 3, pose, 3 * sizeof *piece);
  int32_t n = near_motion(t, piece);
  hik_pose_tree *tree = t->tree;
  if (hik_pass_is_clear(&tree->outline, &tree->walls, t->near, n, piece, tree->kept, &tree->deal))
    return add_row(t, pose);
  if (!deep) return false;
  double between[3], way = 0;
  for (int k = 0; k < 3; k++) {
    double by = 0.5 * (piece[3 + k] - piece[k]) * (k == 2 ? tree->outline.reach : 1);
    between[k] = 0.5 * (piece[k] + piece[3 + k]), way += by * by;
  }
  double pull = PULL + sqrt(way);
  n = hik_pass_near(&tree->outline, &tree->walls, between, 2 * pull, t->near);
  hik_pass_axes(&tree->outline, &tree->walls, t->near, n, piece, t->axes);
  hik_pass_axes(&tree->outline, &tree->walls, t->near, n, pose, t->axes + n);
  hik_pass_clearest(&tree->outline, &tree->walls, t->near, n, t->axes, pull, between);
  return go(t, between, deep - 1) && go(t, pose, deep - 1);
}

/* A box of the way, in meters and radians. */
typedef struct step {
  double low[3], high[3];
  int32_t box;
  bool free;
} step;

/* The box is turned by whole turns to where it has most headings in common with the one before, NULL: not at all. */
static step step_of(const thread *t, int32_t i, const step *was) {
  const hik_pose_tree *tree = t->tree;
  const hik_pose_box *b = tree->box + i;
  step now = {.box = i, .free = is_free(t, i)};
  for (int k = 0; k < 3; k++) {
    double origin = k < 2 ? tree->in->low[k] : 0;
    now.low[k] = origin + b->low[k] * tree->unit[k], now.high[k] = origin + b->high[k] * tree->unit[k];
  }
  if (!was) return now;
  double turn = 2 * HIK_PI, whole = turn * floor((was->low[2] + 1e-9) / turn), most = -INFINITY, best = 0;
  for (int k = -1; k <= 1; k++) {
    double by = whole + k * turn, from = now.low[2] + by, to = now.high[2] + by;
    if (from < was->low[2]) from = was->low[2];
    if (to > was->high[2]) to = was->high[2];
    if (to - from > most) most = to - from, best = by;
  }
  now.low[2] += best, now.high[2] += best;
  return now;
}

/* Start or goal, of its headings one in the middle of those that the box holds. */
static void place(const thread *t, const double given[4], const step *in, double pose[3]) {
  double first = given[2] * t->tree->unit[2], wide = given[3] * t->tree->unit[2], turn = 2 * HIK_PI,
         most = -1;
  double by = turn * floor((in->low[2] - first) / turn);
  pose[0] = given[0], pose[1] = given[1], pose[2] = first;
  for (int k = -1; k <= 1; k++) {
    double from = first + by + k * turn, to = from + wide;
    if (from < in->low[2]) from = in->low[2];
    if (to > in->high[2]) to = in->high[2];
    if (to - from > most) most = to - from, pose[2] = 0.5 * (from + to);
  }
}

/* Into a free box: where it is next to another, over the middle of the face they share, else to its nearest pose. */
static bool go_into(thread *t, const step *was, const step *now) {
  double pose[3];
  const double *last = t->pose + 3 * (t->rows - 1);
  for (int k = 0; k < 3; k++) {
    double from = was->free && was->low[k] > now->low[k] ? was->low[k] : now->low[k];
    double to = was->free && was->high[k] < now->high[k] ? was->high[k] : now->high[k];
    pose[k] = was->free ? 0.5 * (from + to) : hik_clip(last[k], from, to);
  }
  return go(t, pose, was->free ? 0 : DEEP);
}

/* To the clearest pose near the middle of a box that is not free; out of a free one by its nearest pose. */
static bool go_through(thread *t, const step *was, const step *now) {
  double pose[3], last[3], half = 0;
  for (int k = 0; k < 3; k++) {
    double size = 0.5 * (now->high[k] - now->low[k]) * (k == 2 ? t->tree->outline.reach : 1);
    pose[k] = 0.5 * (now->low[k] + now->high[k]);
    if (size > half) half = size;
  }
  clearest(t, PULL + half, pose);
  for (int k = 0; k < 3; k++) last[k] = hik_clip(pose[k], was->low[k], was->high[k]);
  return (!was->free || go(t, last, 0)) && go(t, pose, DEEP);
}

/* Thread a motion along the way; the box where it fails, -1: none. */
static int32_t follow(thread *t, int32_t n) {
  const hik_pass *in = t->tree->in;
  step was = {.free = false}, now = step_of(t, t->way[0], NULL);
  double pose[3];
  t->rows = 0;
  place(t, in->start, &now, pose);
  if (!add_row(t, pose)) return now.box;
  for (int32_t k = 0; k < n; k++, was = now) {
    if (k) now = step_of(t, t->way[k], &was);
    if (!now.free) {
      if (!go_through(t, &was, &now)) return now.box;
    } else if (k && !go_into(t, &was, &now))
      return was.free ? now.box : was.box;
  }
  place(t, in->goal, &now, pose);
  return go(t, pose, DEEP) ? -1 : now.box;
}

bool hik_pass_try(hik_pose_tree *tree, int32_t ways, hik_passed *found) {
  thread t = {.tree = tree};
  hik_block block = {0};
  void *memory = NULL;
  for (int pass = 0; pass < 2; pass++) {
    HIK_TAKE_INTS(&block, tree->boxes, &t.cost, &t.from, &t.way);
    HIK_TAKE_INTS(&block, 2 * (int64_t)tree->boxes, t.list, t.list + 1);
    t.near = HIK_TAKE(&block, int32_t, tree->walls.still + 1);
    t.axes = HIK_TAKE(&block, int32_t, 2 * ((int64_t)tree->walls.still + 1));
    t.barred = HIK_TAKE(&block, char, tree->boxes);
    if (pass) break;
    if (block.bad || !(memory = hik_allocate_raw(block.size))) return false;
    block = (hik_block){.base = memory};
  }
  memset(t.barred, 0, (size_t)tree->boxes);
  bool done = false;
  for (int tried = 0; tried < ways && !done && !t.starved && hik_pass_goes_on(tree); tried++) {
    int32_t n = find_way(&t);
    if (!n) break;
    int32_t failed = follow(&t, n);
    done = failed < 0;
    if (!done) t.barred[failed] = 1;
  }
  hik_release(memory);
  if (done)
    found->pose = t.pose, found->poses = t.rows;
  else
    hik_release(t.pose);
  return done;
}
