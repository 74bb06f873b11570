/* test_pass_way.c: ways through boxes that are parted again and again, against a search from the beginning. */
#include "access/pass_way.h"
#include "base/memory.h"
#include "check.h"

enum { MOST = 4000, NEAR = 64 };

typedef struct world {
  hik_ways ways;
  hik_node node[MOST];
  int32_t near[MOST][NEAR], lost[MOST], stack[MOST];
  uint32_t seed;
} world;

static uint32_t draw(world *w, uint32_t n) {
  w->seed = w->seed * 1664525u + 1013904223u;
  return (w->seed >> 8) % n;
}

static void join(world *w, int32_t i, int32_t j) {
  if (w->node[i].nears == NEAR || w->node[j].nears == NEAR) return;
  w->near[i][w->node[i].nears++] = j, w->near[j][w->node[j].nears++] = i;
}

static void drop(world *w, int32_t i, int32_t j) {
  hik_node *n = w->node + i;
  for (int32_t k = 0; k < n->nears; k++)
    if (n->near[k] == j) {
      n->near[k] = n->near[--n->nears];
      return;
    }
}

static void make(world *w, int32_t i, bool parting) {
  static const int8_t drawn[8] = {HIK_BOX_FREE,  HIK_BOX_FREE,  HIK_BOX_FREE,  HIK_BOX_MIXED,
                                  HIK_BOX_MIXED, HIK_BOX_MIXED, HIK_BOX_SMALL, HIK_BOX_STUCK};
  w->node[i] = (hik_node){HIK_NODE_NEW, .near = w->near[i], .state = HIK_BOX_MIXED};
  if (parting) w->node[i].state = drawn[draw(w, 8)];
}

/* Least cost to the goal by Bellman and Ford; -1: none. */
static int32_t truth(const world *w, bool small) {
  static int32_t cost[MOST];
  int32_t n = w->ways.nodes, best = -1;
  for (int32_t i = 0; i < n; i++) {
    int8_t state = w->node[i].state;
    bool there = w->node[i].start && state != HIK_BOX_STUCK && state != HIK_BOX_PARTED &&
                 (small || state != HIK_BOX_SMALL);
    cost[i] = there ? state != HIK_BOX_FREE : INT32_MAX;
  }
  for (bool more = true; more;) {
    more = false;
    for (int32_t i = 0; i < n; i++)
      for (int32_t k = 0; k < w->node[i].nears && cost[i] < INT32_MAX; k++) {
        int32_t j = w->node[i].near[k], next = cost[i] + (w->node[j].state != HIK_BOX_FREE);
        if ((!small && w->node[j].state == HIK_BOX_SMALL) || next >= cost[j]) continue;
        cost[j] = next, more = true;
      }
  }
  for (int32_t i = 0; i < n; i++)
    if (w->node[i].goal && cost[i] < INT32_MAX && (best < 0 || cost[i] < best)) best = cost[i];
  return best;
}

/* Cost of the way that was found, which must be one. */
static int32_t cost_of(const world *w) {
  int32_t cost = 0, i = w->ways.last;
  for (; i >= 0; i = w->node[i].from) {
    const hik_node *n = w->node + i;
    CHECK(n->state != HIK_BOX_PARTED && n->state != HIK_BOX_STUCK && n->state != HIK_BOX_SMALL);
    cost += n->state != HIK_BOX_FREE;
    if (n->from < 0) CHECK(n->start);
    bool known = n->from < 0;
    for (int32_t k = 0; k < n->nears; k++) known |= n->near[k] == n->from;
    CHECK(known);
  }
  return cost;
}

static void part(world *w, int32_t i) {
  int32_t first = w->ways.nodes;
  hik_way_part(&w->ways, i);
  for (int32_t side = 0; side < 2; side++) {
    int32_t j = first + side;
    make(w, j, true);
    w->node[j].start = w->node[i].start && (w->node[i].start == side + 1 || draw(w, 2));
    w->node[j].goal = w->node[i].goal && (draw(w, 2) || side);
    if (w->node[j].state == HIK_BOX_STUCK) continue;
    for (int32_t k = 0; k < w->node[i].nears; k++)
      if (draw(w, 4)) join(w, j, w->node[i].near[k]);
    if (side && w->node[first].state != HIK_BOX_STUCK) join(w, first, j);
  }
  for (int32_t k = 0; k < w->node[i].nears; k++) drop(w, w->node[i].near[k], i);
  w->node[i].nears = 0, w->node[i].state = HIK_BOX_PARTED;
  for (int32_t side = 0; side < 2; side++) hik_way_add(&w->ways, first + side);
}

static void test_parted_again_and_again(void) {
  static world w;
  int32_t yes = 0, no = 0, free = 0;
  for (uint32_t run = 0; run < 120; run++) {
    w.seed = run;
    w.ways = (hik_ways){.node = w.node, .lost = w.lost, .stack = w.stack};
    hik_way_begin(&w.ways);
    int32_t side = 5;
    for (int32_t i = 0; i < side * side; i++) make(&w, i, false);
    for (int32_t i = 0; i < side * side; i++) {
      if (i % side) join(&w, i, i - 1);
      if (i >= side) join(&w, i, i - side);
    }
    w.node[0].start = 1, w.node[side * side - 1].goal = 1;
    for (int32_t i = 0; i < side * side; i++) hik_way_add(&w.ways, i);
    for (int32_t round = 0; round < 200 && w.ways.nodes < MOST - 200; round++) {
      int32_t best = truth(&w, false);
      bool found = hik_way_find(&w.ways);
      CHECK(found == (best >= 0));
      if (!found) break;
      CHECK(cost_of(&w) <= best); /* less where it ends at a box from which the rest is free */
      int32_t mixed = 0;
      for (int32_t i = w.ways.last, before; i >= 0; i = before) {
        before = w.node[i].from;
        if (w.node[i].state == HIK_BOX_MIXED) w.lost[MOST - 1 - mixed++] = i;
      }
      for (int32_t k = 0; k < mixed && k < 60; k++) part(&w, w.lost[MOST - 1 - k]);
      if (!mixed && hik_way_free(&w.ways)) {
        CHECK(best == 0 && w.node[w.ways.last].goal);
        free++;
        break;
      }
    }
    int32_t any = truth(&w, true);
    CHECK(hik_way_any(&w.ways) == (any >= 0));
    any >= 0 ? yes++ : no++;
  }
  CHECK(yes > 10 && no > 10 && free > 5);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_parted_again_and_again);
  CHECK_END();
}
