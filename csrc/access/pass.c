/* pass.c: the trees of boxes of pass.h, one a stage of the door, and the ways through them.

   Given     walls, an outline, a start and a goal.
   Returned  a way of free boxes; or that there is none, even through all boxes that are not stuck: a proof.
   Notes     Boxes know their neighbors. A round finds the way with fewest mixed boxes (free ones cost nothing), halves each of
             them twice, and begins again. Boxes halved down to `least` are set aside; when every way leads through one of
             those the question is open. Boxes are exact in whole numbers, so that they cover the room without a gap.
             From stage to stage a way costs nothing where the hand surely holds the leaf in both boxes, and one where it
             perhaps does: then both are halved until it is known, or until HELD is reached. A leaf with a closer must be held
             or rest on the outline in every stage but the first; for a "no" that is not asked, since it takes time to fall. */
#include "access/pass_try.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Meters: a box whose places for the hand differ by less is not halved for it. */
static const double HELD = 0.01;
enum { WORK = 800 }; /* neighbors that may be looked at for ways, a box that is allowed */
/* A motion is tried at so many boxes, at twice as many and so on; along so many ways then, and in the end. */
enum { FIRST_TRY = 512, FEW = 8, MANY = 64 };

typedef hik_pose_box box;
typedef hik_pose_tree tree;

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

/* The direction that spoils most, -1: none by `least` meters. */
static int32_t worst(const box *b, const double share[3], double least) {
  int32_t cut = -1;
  for (int k = 0; k < 3; k++)
    if (b->high[k] - b->low[k] > 1 && (cut < 0 || share[k] > share[cut])) cut = k;
  return cut < 0 || share[cut] < least ? -1 : cut;
}

/* Whether the leaf, let go, rests on the outline before it is shut: never, perhaps, always (as of holds). */
static int32_t rests(tree *t, int32_t at, const double middle[3], const double half[3]) {
  int32_t leaves = (int32_t)t->in->door->leaves, found = HIK_HOLD_NEVER;
  for (int32_t stage = t->node[at].stage - 1; stage >= 0; stage--) {
    for (int32_t k = 0; k < leaves; k++) t->which[k] = t->walls.still + stage * leaves + k;
    hik_look look = hik_pass_look(&t->outline, &t->walls, t->which, leaves, middle, half, t->kept);
    if (look.state == HIK_BOX_STUCK) return HIK_HOLD_ALWAYS;
    if (look.state == HIK_BOX_MIXED) found = HIK_HOLD_PERHAPS;
  }
  return found;
}

/* Whether the hand holds the leaf in a box that is not stuck; a box in which a closer's leaf may fall is not free. */
static void look_at_hand(tree *t, int32_t i, const double middle[3], const double half[3]) {
  box *b = t->box + i;
  hik_node *n = t->node + i;
  double share[3];
  const hik_door *door = t->in->door;
  for (int back = 1; back >= 0; back--) { /* the last, to move it on, is what holds a closer's leaf */
    n->hold[back] =
        (int8_t)hik_pass_hold(door, n->stage, back ? -1 : 1, t->in->wall, t->in->walls, middle, half, share);
    b->part[back] = n->hold[back] == HIK_HOLD_PERHAPS ? worst(b, share, HELD) : -1;
    n->open[back] = b->part[back] >= 0;
  }
  if (!door->closer || n->stage == 0 || n->state != HIK_BOX_FREE || n->hold[0] == HIK_HOLD_ALWAYS) return;
  int32_t rest = rests(t, i, middle, half);
  if (rest == HIK_HOLD_ALWAYS) return;
  b->cut = b->part[0];
  if (rest == HIK_HOLD_PERHAPS && b->cut < 0) {
    share[0] = half[0], share[1] = half[1], share[2] = t->outline.reach * half[2];
    b->cut = worst(b, share, HELD);
  }
  n->state = b->cut < 0 ? HIK_BOX_SMALL : HIK_BOX_MIXED;
}

static void look_at(tree *t, int32_t i, const int32_t *which, int32_t walls) {
  box *b = t->box + i;
  hik_node *n = t->node + i;
  double middle[3], half[3];
  for (int k = 0; k < 3; k++) {
    middle[k] = middle_of(t, b, k);
    half[k] = 0.5 * (double)(b->high[k] - b->low[k]) * t->unit[k] * (1 + 1e-12);
  }
  hik_look look = hik_pass_look(&t->outline, &t->walls, which, walls, middle, half, t->kept);
  n->state = (int8_t)look.state, b->walls = look.kept;
  b->part[0] = b->part[1] = b->doubtful = -1;
  n->start = n->stage == 0 && holds(t, b, t->in->start);
  n->goal = holds(t, b, t->in->goal) && !(n->stage && t->in->door && t->in->door->shut);
  if (look.state == HIK_BOX_STUCK) return;
  if (t->in->door && look.state == HIK_BOX_FREE) look_at_hand(t, i, middle, half);
  if (look.state != HIK_BOX_MIXED) return;
  if (t->in->door) look_at_hand(t, i, middle, half); /* which leaves t->kept alone: the box is not free */
  b->cut = worst(b, look.wedge, t->in->least);
  if (b->cut < 0) b->cut = worst(b, look.share, t->in->least);
  if (b->cut < 0) {
    n->state = HIK_BOX_SMALL;
    return;
  }
  b->wall = hik_allocate_raw((size_t)look.kept * sizeof *b->wall);
  if (!b->wall)
    t->starved = true;
  else
    memcpy(b->wall, t->kept, (size_t)look.kept * sizeof *b->wall);
}

/* Whether two boxes share a face, or poses in stages that follow each other. */
static bool touch(const tree *t, int32_t i, int32_t j) {
  const box *a = t->box + i, *b = t->box + j;
  int over = 0, beside = 0, apart = abs(t->node[i].stage - t->node[j].stage);
  if (apart > 1) return false;
  for (int k = 0; k < 3; k++) {
    int32_t low = a->low[k] > b->low[k] ? a->low[k] : b->low[k],
            high = a->high[k] < b->high[k] ? a->high[k] : b->high[k];
    if (high > low)
      over++;
    else if (high == low || (k == 2 && ((a->low[2] == 0 && b->high[2] == HIK_PASS_WHOLE) ||
                                        (b->low[2] == 0 && a->high[2] == HIK_PASS_WHOLE))))
      beside++;
  }
  return over == 3 || (over == 2 && beside == 1 && !apart);
}

static void add_near(tree *t, int32_t i, int32_t j) {
  hik_node *n = t->node + i;
  if (n->nears == n->room) {
    int32_t room = n->room ? 2 * n->room : 8;
    int32_t *more = hik_allocate_raw((size_t)room * sizeof *more);
    if (!more) {
      t->starved = true;
      return;
    }
    if (n->nears) memcpy(more, n->near, (size_t)n->nears * sizeof *more);
    hik_release(n->near);
    n->near = more, n->room = room;
  }
  n->near[n->nears++] = j;
}

static void drop_near(hik_node *n, int32_t j) {
  for (int32_t k = 0; k < n->nears; k++)
    if (n->near[k] == j) {
      n->near[k] = n->near[--n->nears];
      return;
    }
}

static void clear_box(tree *t, int32_t i) {
  hik_release(t->node[i].near);
  hik_release(t->box[i].wall);
  t->node[i].near = t->box[i].wall = NULL;
  t->node[i].nears = t->node[i].room = t->box[i].walls = 0;
}

/* Halve a box; its halves are the last two. */
static void halve(tree *t, int32_t i, int32_t k) {
  const box *b = t->box + i;
  hik_node *n = t->node + i;
  int32_t middle = b->low[k] + (b->high[k] - b->low[k]) / 2, first = t->boxes;
  hik_way_part(&t->ways, i);
  for (int32_t side = 0; side < 2; side++) {
    box *half = t->box + first + side;
    memset(half, 0, sizeof *half);
    memcpy(half->low, b->low, sizeof b->low);
    memcpy(half->high, b->high, sizeof b->high);
    *(side ? half->low + k : half->high + k) = middle;
    t->node[first + side] = (hik_node){HIK_NODE_NEW, .stage = n->stage};
    look_at(t, first + side, b->wall, b->walls);
  }
  t->boxes += 2;
  for (int32_t side = 0; side < 2; side++) {
    if (t->node[first + side].state == HIK_BOX_STUCK) continue;
    if (side && t->node[first].state != HIK_BOX_STUCK)
      add_near(t, first, first + 1), add_near(t, first + 1, first);
    for (int32_t m = 0; m < n->nears; m++)
      if (touch(t, first + side, n->near[m]))
        add_near(t, first + side, n->near[m]), add_near(t, n->near[m], first + side);
  }
  for (int32_t m = 0; m < n->nears; m++) drop_near(t->node + n->near[m], i);
  clear_box(t, i);
  n->state = HIK_BOX_PARTED;
  for (int32_t side = 0; side < 2; side++) hik_way_add(&t->ways, first + side);
}

/* Mark the boxes of the way between which the leaf is perhaps moved, with the direction to halve. */
static void doubt(tree *t) {
  for (int32_t j = t->ways.last; j >= 0 && t->node[j].from >= 0; j = t->node[j].from) {
    int32_t i = t->node[j].from, back = t->node[j].stage < t->node[i].stage;
    if (t->node[i].stage == t->node[j].stage ||
        hik_way_leads(&t->ways, t->node + i, t->node + j, false) != HIK_WAY_PERHAPS)
      continue;
    if (t->box[i].part[back] >= 0) t->box[i].doubtful = t->box[i].part[back];
    if (t->box[j].part[back] >= 0) t->box[j].doubtful = t->box[j].part[back];
  }
}

/* Halve the mixed boxes of the way twice, and those of which the hand is not sure once; how many there were. */
static int32_t refine(tree *t) {
  int32_t met = 0, n = 0;
  if (t->in->door) doubt(t);
  for (int32_t i = t->ways.last; i >= 0; i = t->node[i].from)
    if (t->node[i].state == HIK_BOX_MIXED || t->box[i].doubtful >= 0) t->way[n++] = i;
  for (int32_t k = 0; k < n && hik_pass_goes_on(t); k++, met++) {
    if (t->boxes + 6 > t->in->most) return met + 1;
    int32_t first = t->boxes, i = t->way[k];
    halve(t, i, t->node[i].state == HIK_BOX_MIXED ? t->box[i].cut : t->box[i].doubtful);
    for (int32_t side = 0; side < 2 && !t->starved; side++)
      if (t->node[first + side].state == HIK_BOX_MIXED) halve(t, first + side, t->box[first + side].cut);
  }
  return met;
}

static bool keep_way(const tree *t, hik_passed *found) {
  int64_t n = 0;
  for (int32_t i = t->ways.last; i >= 0; i = t->node[i].from) n++;
  found->steps = n, found->step = hik_allocate_raw((size_t)n * 7 * sizeof *found->step);
  if (!found->step) return false;
  for (int32_t i = t->ways.last; i >= 0; i = t->node[i].from) {
    n--;
    memcpy(found->step + 7 * n, t->box[i].low, sizeof t->box[i].low);
    memcpy(found->step + 7 * n + 3, t->box[i].high, sizeof t->box[i].high);
    found->step[7 * n + 6] = t->node[i].stage;
  }
  return true;
}

/* One box a stage, of all poses. */
static void plant(tree *t) {
  int32_t stages = t->in->door ? (int32_t)t->in->door->stages : 1;
  int32_t leaves = t->in->door ? (int32_t)t->in->door->leaves : 0, still = t->walls.still;
  for (int32_t stage = 0; stage < stages; stage++) {
    box *root = t->box + stage;
    memset(root, 0, sizeof *root);
    t->node[stage] = (hik_node){HIK_NODE_NEW, .stage = (int16_t)stage};
    for (int k = 0; k < 3; k++) root->high[k] = HIK_PASS_WHOLE;
    for (int32_t i = 0; i < still; i++) t->way[i] = i;
    for (int32_t k = 0; k < leaves; k++) t->way[still + k] = still + stage * leaves + k;
    look_at(t, stage, t->way, still + leaves);
    if (stage) add_near(t, stage - 1, stage), add_near(t, stage, stage - 1);
  }
  t->boxes = stages;
  for (int32_t stage = 0; stage < stages; stage++) hik_way_add(&t->ways, stage);
}

/* The outcome where boxes tell no more. */
static hik_status end(tree *t, int32_t outcome, hik_passed *found) {
  bool tried = outcome != HIK_PASS_NO && !t->in->door && hik_pass_try(t, MANY, found);
  found->outcome = tried ? HIK_PASS_YES : outcome;
  return HIK_OK;
}

static hik_status search(tree *t, hik_passed *found) {
  int64_t next = FIRST_TRY;
  plant(t);
  while (hik_pass_goes_on(t)) {
    if (!hik_way_find(&t->ways)) return end(t, hik_way_any(&t->ways) ? HIK_PASS_OPEN : HIK_PASS_NO, found);
    if (t->boxes >= next && !t->in->door) {
      next = 2 * (int64_t)t->boxes;
      if (hik_pass_try(t, FEW, found)) {
        found->outcome = HIK_PASS_YES;
        return HIK_OK;
      }
    }
    int32_t before = t->boxes;
    if (!refine(t)) {
      if (!hik_way_free(&t->ways)) continue;
      found->outcome = HIK_PASS_YES;
      return keep_way(t, found) ? HIK_OK : HIK_NO_MEMORY;
    }
    if (t->boxes == before || t->ways.work > WORK * t->in->most) return end(t, HIK_PASS_SPENT, found);
  }
  return t->starved ? HIK_NO_MEMORY : HIK_INTERRUPTED;
}

/* What a status is called; of a call that was stopped nothing is kept, even where it had just ended. */
static hik_status told(const tree *t, hik_status status, hik_passed *found, hik_error *error) {
  if (!atomic_load(&t->deal.stop)) return status < 0 ? hik_fail_memory(error, 0) : status;
  hik_release(found->step);
  hik_release(found->pose);
  *found = (hik_passed){0};
  return hik_fail(error, HIK_INTERRUPTED, -1, "the call was cancelled");
}

static hik_status check(const hik_pass *in, hik_error *error) {
  const hik_door *door = in->door;
  int64_t stages = door ? door->stages : 1, leaves = door ? door->leaves : 0;
  if (door && (stages < 1 || stages > 4096 || leaves < 1 || leaves > 64 || door->grips < 1 ||
               door->hands < 0 || door->rows < 1 || door->columns < 1 || in->most < stages + 8))
    return hik_fail(
        error, HIK_BAD_ARGUMENT, -1,
        "a door needs 1 to 4096 stages and 8 boxes more, 1 to 64 edges of a leaf, a place for hands");
  if (in->corners < 3 || in->walls < 0 || in->walls > INT32_MAX - stages * leaves || in->most < 8 ||
      in->most > (1 << 28))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "a room needs 3 corners or more and 8 to 2^28 boxes");
  return HIK_OK;
}

hik_status hik_pass_decide(const hik_pass *in, hik_passed *found, hik_error *error) {
  *found = (hik_passed){0};
  hik_status good = check(in, error);
  if (good < 0) return good;
  const hik_door *door = in->door;
  int64_t leaves = door ? door->leaves : 0;
  tree t = {.in = in,
            .ways.closer = door && door->closer,
            .walls = {in->wall, door ? door->leaf : NULL, (int32_t)in->walls}};
  for (int k = 0; k < 2; k++) t.unit[k] = (in->high[k] - in->low[k]) / HIK_PASS_WHOLE;
  t.unit[2] = 2 * HIK_PI / HIK_PASS_WHOLE;
  hik_block block = {0};
  void *memory = NULL;
  int64_t list = in->most + in->walls + leaves;
  for (int pass = 0; pass < 2; pass++) {
    t.box = HIK_TAKE(&block, box, in->most);
    t.node = HIK_TAKE(&block, hik_node, in->most);
    t.ways.lost = HIK_TAKE(&block, int32_t, in->most);
    t.ways.stack = HIK_TAKE(&block, int32_t, in->most);
    t.way = HIK_TAKE(&block, int32_t, list);
    t.kept = HIK_TAKE(&block, int32_t, in->walls + leaves + 1);
    t.which = HIK_TAKE(&block, int32_t, leaves + 1);
    HIK_TAKE_DOUBLES(&block, in->corners, &t.outline.out, &t.outline.far);
    HIK_TAKE_DOUBLES(&block, 2 * in->corners, &t.outline.normal, &t.outline.turned, &t.outline.faced);
    if (pass) break;
    if (block.bad || !(memory = hik_allocate_raw(block.size))) return hik_fail_memory(error, block.size);
    block = (hik_block){.base = memory};
  }
  t.ways.node = t.node;
  hik_way_begin(&t.ways);
  hik_deal_begin(&t.deal, 1, 1, in->tick, in->tick_context);
  t.ways.deal = &t.deal;
  t.outline.n = in->corners, t.outline.corner = in->corner;
  hik_pass_outline(&t.outline);
  hik_status status = search(&t, found);
  found->boxes = t.boxes;
  for (int32_t i = 0; i < t.boxes; i++) clear_box(&t, i);
  hik_release(memory);
  return told(&t, status, found, error);
}
