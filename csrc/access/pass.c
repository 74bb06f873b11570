/* pass.c: the tree of boxes of pass.h, and the ways through it.

   Given     walls, an outline, a start and a goal.
   Returned  a way of free boxes; or that there is none, even through all boxes that are not stuck: a proof.
   Notes     Boxes know their neighbors. A round finds the way with fewest mixed boxes (free ones cost nothing), halves each of
             them twice, and begins again. Boxes halved down to `least` are set aside; when every way leads through one of
             those the question is open. Boxes are exact in whole numbers, so that they cover the room without a gap. */
#include "access/pass.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { PARTED = 3, SMALL = 4 }; /* more states of a box */

typedef struct box {
  int32_t low[3], high[3], state, from, cost;
  int32_t *near, nears, room; /* neighbors that are not stuck */
  int32_t *wall, walls;       /* of a mixed one: those not parted from it */
  int32_t cut;                /* direction to halve */
  bool start, goal;
} box;

typedef struct tree {
  const hik_pass *in;
  hik_outline outline;
  box *box;
  int32_t *way, *later, *kept; /* room for `most` boxes each; for all walls */
  int32_t boxes, last;         /* last: the box where a way ended */
  double unit[3];
  bool starved;
} tree;

static double middle_of(const tree *t, const box *b, int k) {
  double at = 0.5 * ((double)b->low[k] + (double)b->high[k]) * t->unit[k];
  return k < 2 ? t->in->low[k] + at : at;
}

/* Whether the box holds a pose of a place: its point, and any of its headings. */
static bool holds(const tree *t, const box *b, const double place[4]) {
  for (int k = 0; k < 2; k++) {
    double at = (place[k] - t->in->low[k]) / t->unit[k];
    if (at < b->low[k] || at > b->high[k]) return false;
  }
  for (int turn = -1; turn <= 1; turn++) {
    double from = place[2] + (double)turn * HIK_PASS_WHOLE;
    if (from <= b->high[2] && from + place[3] >= b->low[2]) return true;
  }
  return false;
}

static void look_at(tree *t, box *b, const int32_t *which, int32_t n) {
  double middle[3], half[3];
  for (int k = 0; k < 3; k++) {
    middle[k] = middle_of(t, b, k);
    half[k] = 0.5 * (double)(b->high[k] - b->low[k]) * t->unit[k] * (1 + 1e-12);
  }
  hik_look look = hik_pass_look(&t->outline, t->in->wall, which, n, middle, half, t->kept);
  b->state = look.state, b->walls = look.kept;
  b->start = holds(t, b, t->in->start), b->goal = holds(t, b, t->in->goal);
  if (look.state != HIK_BOX_MIXED) return;
  b->cut = -1;
  for (int k = 0; k < 3; k++)
    if (b->high[k] - b->low[k] > 1 && (b->cut < 0 || look.share[k] > look.share[b->cut])) b->cut = k;
  if (b->cut < 0 || look.share[b->cut] < t->in->least) {
    b->state = SMALL;
    return;
  }
  b->wall = hik_allocate_raw((size_t)look.kept * sizeof *b->wall);
  if (!b->wall)
    t->starved = true;
  else
    memcpy(b->wall, t->kept, (size_t)look.kept * sizeof *b->wall);
}

/* Whether two boxes share a face. */
static bool touch(const box *a, const box *b) {
  int over = 0, beside = 0;
  for (int k = 0; k < 3; k++) {
    int32_t low = a->low[k] > b->low[k] ? a->low[k] : b->low[k],
            high = a->high[k] < b->high[k] ? a->high[k] : b->high[k];
    if (high > low)
      over++;
    else if (high == low || (k == 2 && ((a->low[2] == 0 && b->high[2] == HIK_PASS_WHOLE) ||
                                        (b->low[2] == 0 && a->high[2] == HIK_PASS_WHOLE))))
      beside++;
  }
  return over == 3 || (over == 2 && beside == 1);
}

static void add_near(tree *t, int32_t i, int32_t j) {
  box *b = t->box + i;
  if (b->nears == b->room) {
    int32_t room = b->room ? 2 * b->room : 8;
    int32_t *more = hik_allocate_raw((size_t)room * sizeof *more);
    if (!more) {
      t->starved = true;
      return;
    }
    if (b->nears) memcpy(more, b->near, (size_t)b->nears * sizeof *more);
    hik_release(b->near);
    b->near = more, b->room = room;
  }
  b->near[b->nears++] = j;
}

static void drop_near(box *b, int32_t j) {
  for (int32_t k = 0; k < b->nears; k++)
    if (b->near[k] == j) {
      b->near[k] = b->near[--b->nears];
      return;
    }
}

static void clear_box(box *b) {
  hik_release(b->near);
  hik_release(b->wall);
  b->near = b->wall = NULL;
  b->nears = b->room = b->walls = 0;
}

/* Halve a mixed box; its halves are the last two. */
static void halve(tree *t, int32_t i) {
  box *b = t->box + i;
  int32_t k = b->cut, middle = b->low[k] + (b->high[k] - b->low[k]) / 2, first = t->boxes;
  for (int32_t side = 0; side < 2; side++) {
    box *half = t->box + first + side;
    memset(half, 0, sizeof *half);
    memcpy(half->low, b->low, sizeof b->low);
    memcpy(half->high, b->high, sizeof b->high);
    *(side ? half->low + k : half->high + k) = middle;
    look_at(t, half, b->wall, b->walls);
  }
  t->boxes += 2;
  for (int32_t side = 0; side < 2; side++) {
    if (t->box[first + side].state == HIK_BOX_STUCK) continue;
    if (side && t->box[first].state != HIK_BOX_STUCK)
      add_near(t, first, first + 1), add_near(t, first + 1, first);
    for (int32_t n = 0; n < b->nears; n++)
      if (touch(t->box + first + side, t->box + b->near[n]))
        add_near(t, first + side, b->near[n]), add_near(t, b->near[n], first + side);
  }
  for (int32_t n = 0; n < b->nears; n++) drop_near(t->box + b->near[n], i);
  clear_box(b);
  b->state = PARTED;
}

/* Meet box j from i at a cost. */
static void meet(tree *t, int32_t i, int32_t j, int32_t cost, int32_t ends[2]) {
  box *b = t->box + j;
  int32_t there = cost + (b->state != HIK_BOX_FREE);
  if (b->cost >= 0 && b->cost <= there) return;
  b->cost = there, b->from = i;
  if (there == cost)
    t->way[ends[0]++] = j;
  else
    t->later[ends[1]++] = j;
}

/* The way with fewest boxes that are not free, by boxes that are not small unless `small`; its end in t->last. Each box is put on
   a list at most twice (once with each cost), and the lists hold 2 * most. */
static bool find_way(tree *t, bool small) {
  int32_t ends[2] = {0, 0};
  for (int32_t i = 0; i < t->boxes; i++) t->box[i].cost = -1;
  for (int32_t i = 0; i < t->boxes; i++) {
    const box *b = t->box + i;
    if (b->start && b->state != PARTED && b->state != HIK_BOX_STUCK && (small || b->state != SMALL))
      meet(t, -1, i, 0, ends);
  }
  for (int32_t cost = 0; ends[0] || ends[1]; cost++) {
    while (ends[0]) {
      int32_t i = t->way[--ends[0]];
      const box *b = t->box + i;
      if (b->cost != cost) continue;
      if (b->goal) {
        t->last = i;
        return true;
      }
      for (int32_t k = 0; k < b->nears; k++)
        if (small || t->box[b->near[k]].state != SMALL) meet(t, i, b->near[k], cost, ends);
    }
    int32_t *swap = t->way;
    t->way = t->later, t->later = swap;
    ends[0] = ends[1], ends[1] = 0;
  }
  return false;
}

/* Halve the mixed boxes of the way twice; how many there were. */
static int32_t refine(tree *t) {
  int32_t met = 0, n = 0;
  for (int32_t i = t->last; i >= 0; i = t->box[i].from)
    if (t->box[i].state == HIK_BOX_MIXED) t->way[n++] = i;
  for (int32_t k = 0; k < n && !t->starved; k++, met++) {
    if (t->boxes + 6 > t->in->most) return met + 1;
    int32_t first = t->boxes;
    halve(t, t->way[k]);
    for (int32_t side = 0; side < 2 && !t->starved; side++)
      if (t->box[first + side].state == HIK_BOX_MIXED) halve(t, first + side);
  }
  return met;
}

static bool keep_way(const tree *t, hik_passed *found) {
  int64_t n = 0;
  for (int32_t i = t->last; i >= 0; i = t->box[i].from) n++;
  found->steps = n, found->step = hik_allocate_raw((size_t)n * 6 * sizeof *found->step);
  if (!found->step) return false;
  for (int32_t i = t->last; i >= 0; i = t->box[i].from) {
    n--;
    memcpy(found->step + 6 * n, t->box[i].low, sizeof t->box[i].low);
    memcpy(found->step + 6 * n + 3, t->box[i].high, sizeof t->box[i].high);
  }
  return true;
}

static hik_status search(tree *t, hik_passed *found) {
  box *root = t->box;
  memset(root, 0, sizeof *root);
  for (int k = 0; k < 3; k++) root->high[k] = HIK_PASS_WHOLE;
  for (int64_t i = 0; i < t->in->walls; i++) t->later[i] = (int32_t)i;
  look_at(t, root, t->later, (int32_t)t->in->walls);
  t->boxes = 1;
  while (!t->starved) {
    if (!find_way(t, false)) {
      found->outcome = find_way(t, true) ? HIK_PASS_OPEN : HIK_PASS_NO;
      return HIK_OK;
    }
    int32_t before = t->boxes;
    if (!refine(t)) {
      found->outcome = HIK_PASS_YES;
      return keep_way(t, found) ? HIK_OK : HIK_NO_MEMORY;
    }
    if (t->boxes == before) {
      found->outcome = HIK_PASS_SPENT;
      return HIK_OK;
    }
  }
  return HIK_NO_MEMORY;
}

static void make_outline(hik_outline *o) {
  for (int64_t k = 0; k < o->n; k++) {
    const double *p = o->corner + 2 * k, *q = o->corner + 2 * ((k + 1) % o->n);
    double x = q[0] - p[0], y = q[1] - p[1], length = sqrt(x * x + y * y);
    o->normal[2 * k] = y / length, o->normal[2 * k + 1] = -x / length;
    o->out[k] = o->normal[2 * k] * p[0] + o->normal[2 * k + 1] * p[1];
    o->far[k] = sqrt(p[0] * p[0] + p[1] * p[1]);
    if (o->far[k] > o->reach) o->reach = o->far[k];
  }
}

hik_status hik_pass_decide(const hik_pass *in, hik_passed *found, hik_error *error) {
  *found = (hik_passed){0};
  if (in->corners < 3 || in->walls < 0 || in->walls > INT32_MAX || in->most < 8 || in->most > (1 << 28))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a room needs 3 corners or more and 8 to 2^28 boxes");
  tree t = {.in = in, .last = -1};
  for (int k = 0; k < 2; k++) t.unit[k] = (in->high[k] - in->low[k]) / HIK_PASS_WHOLE;
  t.unit[2] = 2 * HIK_PI / HIK_PASS_WHOLE;
  hik_block block = {0};
  void *memory = NULL;
  int64_t list = 2 * in->most + in->walls;
  for (int pass = 0; pass < 2; pass++) {
    t.box = HIK_TAKE(&block, box, in->most);
    t.way = HIK_TAKE(&block, int32_t, list);
    t.later = HIK_TAKE(&block, int32_t, list);
    t.kept = HIK_TAKE(&block, int32_t, in->walls + 1);
    HIK_TAKE_DOUBLES(&block, in->corners, &t.outline.out, &t.outline.far);
    HIK_TAKE_DOUBLES(&block, 2 * in->corners, &t.outline.normal, &t.outline.turned, &t.outline.faced);
    if (pass) break;
    if (block.bad || !(memory = hik_allocate_raw(block.size))) return hik_fail_memory(error, block.size);
    block = (hik_block){.base = memory};
  }
  t.outline.n = in->corners, t.outline.corner = in->corner;
  make_outline(&t.outline);
  hik_status status = search(&t, found);
  found->boxes = t.boxes;
  for (int32_t i = 0; i < t.boxes; i++) clear_box(t.box + i);
  hik_release(memory);
  return status < 0 ? hik_fail_memory(error, 0) : status;
}
