/* pass_way.c: ways through boxes that come and go.

   Given     boxes with their neighbors; which are at the start, which at the goal.
   Returned  a way with fewest boxes that are not free.
   Notes     Costs of 0 and 1 in lists by cost, which are kept: parting a box takes the costs away from all that was reached
             through it, and these are found anew from what is next to them (Ramalingam and Reps' way with edges that go).
             Boxes from which free ones lead to the goal are marked once; a way ends where it meets one, so that what lies
             beyond is never looked at.
   Reference G. Ramalingam and T. Reps, An incremental algorithm for a generalization of the shortest-path problem, Journal of
             Algorithms 21, 1996. */
#include "access/pass_way.h"

enum { OFTEN = 4096 }; /* neighbors that are looked at from one look at the tick to the next */

void hik_way_begin(hik_ways *w) {
  for (int32_t k = 0; k < HIK_WAY_LISTS; k++) w->list[k] = -1;
  w->lowest = HIK_WAY_LISTS, w->losts = w->nodes = 0, w->last = -1;
}

int32_t hik_way_leads(const hik_ways *w, const hik_node *a, const hik_node *b, bool small) {
  if (!small && b->state == HIK_BOX_SMALL) return HIK_WAY_NOT;
  if (a->stage == b->stage || (w->closer && b->stage < a->stage)) return HIK_WAY_FREELY;
  int back = b->stage < a->stage;
  int32_t hold = a->hold[back] < b->hold[back] ? a->hold[back] : b->hold[back];
  if (hold == HIK_HOLD_NEVER) return HIK_WAY_NOT;
  if (hold == HIK_HOLD_ALWAYS) return HIK_WAY_FREELY;
  return a->open[back] || b->open[back] || small ? HIK_WAY_PERHAPS : HIK_WAY_NOT;
}

static bool gone(const hik_node *n) { return n->state == HIK_BOX_PARTED || n->state == HIK_BOX_STUCK; }

static int32_t list_of(int32_t cost) { return cost < HIK_WAY_LISTS ? cost : HIK_WAY_LISTS - 1; }

static void unlist(hik_ways *w, int32_t i) {
  hik_node *n = w->node + i;
  if (n->last >= 0)
    w->node[n->last].next = n->next;
  else
    w->list[list_of(n->cost)] = n->next;
  if (n->next >= 0) w->node[n->next].last = n->last;
  n->listed = 0;
}

static void enlist(hik_ways *w, int32_t i) {
  hik_node *n = w->node + i;
  int32_t list = list_of(n->cost), *first = w->list + list;
  n->last = -1, n->next = *first, n->listed = 1;
  if (*first >= 0) w->node[*first].last = i;
  *first = i;
  if (list < w->lowest) w->lowest = list;
}

/* Meet box i at a cost. */
static void meet(hik_ways *w, int32_t i, int32_t from, int32_t cost) {
  hik_node *n = w->node + i;
  if (n->cost <= cost) return;
  if (n->listed) unlist(w, i);
  n->cost = cost, n->from = from;
  enlist(w, i);
}

static void lose(hik_ways *w, int32_t i) {
  hik_node *n = w->node + i;
  if (n->listed) unlist(w, i);
  n->cost = INT32_MAX, n->from = -1;
  w->lost[w->losts++] = i;
}

void hik_way_part(hik_ways *w, int32_t i) {
  hik_node *parted = w->node + i;
  if (parted->listed) unlist(w, i);
  if (parted->cost == INT32_MAX) return;
  int32_t count = 0;
  w->stack[count++] = i;
  while (count) {
    int32_t at = w->stack[--count];
    const hik_node *n = w->node + at;
    w->work += n->nears;
    for (int32_t k = 0; k < n->nears; k++) {
      int32_t j = n->near[k];
      if (w->node[j].from != at || w->node[j].cost == INT32_MAX) continue;
      lose(w, j);
      w->stack[count++] = j;
    }
  }
  parted->cost = INT32_MAX;
}

/* Mark a box from which free ones lead to the goal; where a way has gone on from it, it ends there now. */
static void mark(hik_ways *w, int32_t i) {
  hik_node *n = w->node + i;
  n->home = 1;
  if (n->cost != INT32_MAX && !n->listed) enlist(w, i);
}

/* Mark the free boxes from which free ones lead to box i. */
static void spread(hik_ways *w, int32_t i) {
  int32_t count = 0;
  mark(w, i), w->stack[count++] = i;
  while (count) {
    const hik_node *n = w->node + w->stack[--count];
    for (int32_t k = 0; k < n->nears; k++) {
      hik_node *other = w->node + n->near[k];
      if (other->home || other->state != HIK_BOX_FREE || hik_way_leads(w, other, n, false) != HIK_WAY_FREELY)
        continue;
      mark(w, n->near[k]), w->stack[count++] = n->near[k];
    }
  }
}

static bool leads_home(const hik_ways *w, const hik_node *n) {
  if (n->goal) return true;
  for (int32_t k = 0; k < n->nears; k++) {
    const hik_node *other = w->node + n->near[k];
    if (other->home && hik_way_leads(w, n, other, false) == HIK_WAY_FREELY) return true;
  }
  return false;
}

void hik_way_add(hik_ways *w, int32_t i) {
  hik_node *n = w->node + i;
  if (i >= w->nodes) w->nodes = i + 1;
  if (gone(n)) return;
  w->lost[w->losts++] = i;
  if (!n->home && n->state == HIK_BOX_FREE && leads_home(w, n)) spread(w, i);
}

/* Forget all that is known of ways. */
static void forget(hik_ways *w) {
  int32_t nodes = w->nodes;
  hik_way_begin(w);
  for (int32_t i = 0; i < nodes; i++)
    w->node[i].cost = INT32_MAX, w->node[i].from = -1, w->node[i].listed = w->node[i].home = 0;
  for (int32_t i = 0; i < nodes; i++) hik_way_add(w, i);
}

static int32_t weight(const hik_node *n, int32_t lead) {
  return lead == HIK_WAY_PERHAPS || n->state != HIK_BOX_FREE;
}

/* The cost of a box from those about it that have one. */
static void recover(hik_ways *w, int32_t i, bool small) {
  const hik_node *n = w->node + i;
  if (gone(n)) return;
  if (n->start && (small || n->state != HIK_BOX_SMALL)) meet(w, i, -1, n->state != HIK_BOX_FREE);
  for (int32_t k = 0; k < n->nears; k++) {
    const hik_node *other = w->node + n->near[k];
    if (other->cost == INT32_MAX || other->listed || other->home) continue;
    int32_t lead = hik_way_leads(w, other, n, small);
    if (lead != HIK_WAY_NOT) meet(w, i, n->near[k], other->cost + weight(n, lead));
  }
}

static bool search(hik_ways *w, bool small) {
  for (int32_t k = 0; k < w->losts; k++)
    if (w->node[w->lost[k]].cost == INT32_MAX) recover(w, w->lost[k], small);
  w->losts = 0;
  for (int64_t asked = w->work; w->lowest < HIK_WAY_LISTS;) {
    if (w->work - asked >= OFTEN) {
      asked = w->work;
      hik_deal_look(w->deal);
      if (atomic_load(&w->deal->stop)) return false;
    }
    int32_t i = w->list[w->lowest];
    if (i < 0) {
      w->lowest++;
      continue;
    }
    const hik_node *n = w->node + i;
    w->last = i;
    if (n->goal || n->home) return true; /* it stays in its list */
    unlist(w, i);
    w->work += n->nears;
    for (int32_t k = 0; k < n->nears; k++) {
      const hik_node *next = w->node + n->near[k];
      int32_t lead = hik_way_leads(w, n, next, small);
      if (lead != HIK_WAY_NOT) meet(w, n->near[k], i, n->cost + weight(next, lead));
    }
  }
  return false;
}

bool hik_way_find(hik_ways *w) { return search(w, false); }

bool hik_way_any(hik_ways *w) {
  forget(w);
  return search(w, true);
}

bool hik_way_free(hik_ways *w) {
  int32_t head = 0, tail = 0;
  for (int32_t i = 0; i < w->nodes; i++) {
    hik_node *n = w->node + i;
    n->listed = 0; /* seen */
    if (n->start && n->state == HIK_BOX_FREE) n->listed = 1, n->from = -1, w->stack[tail++] = i;
  }
  bool found = false;
  while (head < tail && !found) {
    int32_t i = w->stack[head++];
    const hik_node *n = w->node + i;
    w->last = i, found = n->goal;
    for (int32_t k = 0; k < n->nears && !found; k++) {
      hik_node *next = w->node + n->near[k];
      if (next->state != HIK_BOX_FREE || next->listed || hik_way_leads(w, n, next, false) != HIK_WAY_FREELY)
        continue;
      next->listed = 1, next->from = i, w->stack[tail++] = n->near[k];
    }
  }
  if (found) return true;
  forget(w);
  return false;
}
