/* tree_plan.c: see tree_plan.h.

   Purpose   what the lanes need of a tree and its goals
   Given     a problem that fits
   Returned  hik_tree_plan: steps with their parents, movers, and which blocks of J there are
   Notes     A column has a cell for each block of three rows that it moves; J J' is summed over the columns that two blocks
             share. Memory is for every column moving every block. */
#include "solve/lanes/tree_plan.h"

#include "solve/drive/starts.h"
#include "term/project.h"

/* ---- what fits ---- */

/* Kinds without a wanted pose that the lanes know. */
static bool looks(const hik_goal *g) { return hik_goal_class(g)->project == hik_project_look_at; }
static bool levels(const hik_goal *g) { return hik_goal_class(g)->project == hik_project_level; }
static bool spans(const hik_goal *g) { return hik_goal_class(g)->project == hik_project_distance; }

static bool goal_fits(const hik_goal *g) {
  bool known = hik_goal_class(g)->wanted || looks(g) || levels(g) || spans(g);
  return known && !hik_goal_is_soft(g) && (g->step >= 0 || (spans(g) && g->other_step >= 0));
}

bool hik_tree_fits(const hik_problem *p) {
  const hik_model *m = p->model;
  int32_t least = 0; /* coordinates there are at least */
  if (p->n_goal == 0 || p->rows > HIK_TREE_ROWS || p->n_active > HIK_TREE_STEPS) return false;
  for (int32_t i = 0; i < p->n_goal; i++)
    if (!goal_fits(p->goal + i)) return false;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t s = p->active[k];
    if (hik_step_free(m, s) && m->joint_mimic[m->step_joint[s]] < 0)
      least += m->step_kind[s] == HIK_BALL_STEP ? 3 : 1;
  }
  return p->rows <= least;
}

/* ---- the plan ---- */

/* Three rows of a goal, or the one it has. */
typedef struct part {
  const hik_goal *goal;
  hik_tree_rows kind;
  int32_t own, row; /* row of the problem; row of the lanes, whose single ones come last */
  int32_t step[2];  /* that carry its ends, -1: none or the world */
  int32_t end;      /* the first step above both ends, which is none of the part's, -1: none */
} part;

/* All parts, whole blocks first. */
typedef struct parts {
  int32_t whole, rows, blocks, goals; /* parts of three rows, of one; goals that have a target */
  part part[HIK_TREE_ROWS];
} parts;

static hik_tree_rows kind_of(const hik_goal *g, int32_t row) {
  uint32_t caps = hik_goal_class(g)->caps;
  return looks(g)                              ? HIK_TREE_SIGHT
         : levels(g)                           ? HIK_TREE_ANGLE
         : spans(g)                            ? HIK_TREE_DISTANCE
         : row == 0 && caps & HIK_HAS_POSITION ? HIK_TREE_POINT
         : caps & HIK_HAS_AXIS                 ? HIK_TREE_AXIS
                                               : HIK_TREE_ROTATION;
}

/* The first step above both, -1: none. Parents have smaller numbers. */
static int32_t meeting(const hik_model *m, int32_t a, int32_t b) {
  while (a != b)
    if (a > b)
      a = m->step_parent[a];
    else
      b = m->step_parent[b];
  return a;
}

static void take_parts(const hik_problem *p, parts *out) {
  int32_t row = 0;
  *out = (parts){0, 0, 0, 0, {{0}}};
  for (int single = 0; single < 2; single++)
    for (const hik_goal *g = p->goal; g < p->goal + p->n_goal; g++) {
      if ((g->rows == 1) != single) continue;
      for (int32_t own = 0; own < g->rows; own += 3) {
        part *to = out->part + out->whole + out->rows;
        *to = (part){g, kind_of(g, own), g->row + own, row, {g->step, -1}, -1};
        if (spans(g)) to->step[1] = g->other_step, to->end = meeting(p->model, g->step, g->other_step);
        *(single ? &out->rows : &out->whole) += 1;
        row += single ? 1 : 3;
      }
      out->goals += !single;
    }
  out->blocks = (row + 2) / 3;
}

/* What stands where it stands whichever way it slides. */
static bool only_turns(hik_tree_rows kind) {
  return kind == HIK_TREE_ROTATION || kind == HIK_TREE_AXIS || kind == HIK_TREE_ANGLE;
}

/* Movers there are at most. */
static uint64_t most_movers(const hik_problem *p) {
  uint64_t n = hik_descent_sizes(p).n;
  for (int32_t k = 0; k < p->n_active; k++) n += hik_step_follows(p->model, p->active[k]) ? 3 : 0;
  return n;
}

static hik_tree_plan *lay_out(const hik_problem *p, const parts *of, hik_block *block) {
  hik_tree_plan *plan = HIK_TAKE(block, hik_tree_plan, 1), spare, *into = plan ? plan : &spare;
  hik_tree *t = &into->tree;
  uint64_t columns = hik_descent_sizes(p).n, steps = (uint64_t)p->n_active, movers = most_movers(p),
           blocks = (uint64_t)of->blocks, pairs = blocks * (blocks + 1) / 2;
  hik_descent_lay_out(&into->columns, p, block);
  HIK_TAKE_INTS(block, steps, &t->step, &t->parent, &t->slot, &t->cone, &t->follow);
  t->lead = HIK_TAKE(block, hik_tree_lead, steps);
  into->place = HIK_TAKE(block, hik_tree_place, steps);
  t->joint = HIK_TAKE(block, hik_tree_joint, steps);
  t->mover = HIK_TAKE(block, hik_tree_mover, movers);
  t->goal = HIK_TAKE(block, hik_tree_goal, of->goals);
  t->block = HIK_TAKE(block, hik_tree_block, of->whole);
  t->row = HIK_TAKE(block, hik_tree_row, of->rows);
  t->first_cell = HIK_TAKE(block, int32_t, columns);
  into->first_mover = HIK_TAKE(block, int32_t, steps + 1);
  t->pair = HIK_TAKE(block, hik_tree_pair, pairs);
  t->entry = HIK_TAKE(block, hik_tree_entry, (uint64_t)(of->whole + of->rows) * movers);
  HIK_TAKE_INTS(block, blocks * columns, &t->cell_block, &into->cell);
  t->product = HIK_TAKE(block, hik_tree_product, pairs * columns);
  return plan;
}

static int32_t place_in_list(const hik_problem *p, int32_t step) {
  for (int32_t k = 0; k < p->n_active; k++)
    if (p->active[k] == step) return k;
  return -1;
}

static int32_t numbers_of(hik_tree_kind kind) {
  return kind == HIK_TREE_LINE ? 1 : kind == HIK_TREE_BALL ? 4 : 3; /* (u, v, twist) */
}

static hik_tree_kind kind_of_ball(const hik_swing *room) {
  return !room ? HIK_TREE_BALL : room->corners > 0 || room->knots > 0 ? HIK_TREE_REACH : HIK_TREE_CONE;
}

/* The place of the coordinates of step s, of the ball that it follows, made when there is none yet. */
static const hik_tree_place *place_of(hik_tree_plan *plan, int32_t s) {
  const hik_model *m = plan->tree.model;
  if (hik_step_follows(m, s)) s = hik_step_leader(m, s);
  for (int32_t i = 0; i < plan->places; i++)
    if (plan->place[i].q == m->step_q[s]) return plan->place + i;
  hik_tree_place *to = plan->place + plan->places++;
  const hik_swing *cone = m->step_kind[s] == HIK_BALL_STEP ? hik_step_cone(m, s) : NULL;
  bool moves = plan->columns.step_column[s] >= 0;
  *to = (hik_tree_place){HIK_TREE_LINE, plan->tree.slots, m->step_q[s], moves ? cone : NULL, moves};
  if (m->step_kind[s] == HIK_BALL_STEP) to->kind = kind_of_ball(to->cone);
  plan->tree.slots += numbers_of(to->kind);
  return to;
}

static void take_joint(const hik_descent *d, const hik_tree_place *place, int32_t k, hik_tree *t) {
  int32_t c = d->step_column[t->step[k]];
  if (place->cone) t->cone[k] = t->joints;
  for (int32_t i = 0; i < t->joints; i++)
    if (t->joint[i].column == c) return; /* another joint shares the coordinate */
  t->joint[t->joints++] = (hik_tree_joint){.kind = place->kind,
                                           .slot = place->slot,
                                           .column = c,
                                           .step = k,
                                           .mover = t->movers,
                                           .lower = d->lower[c],
                                           .upper = d->upper[c],
                                           .unit = d->unit[c],
                                           .cone = place->cone,
                                           .room = place->cone ? t->rooms++ : -1};
}

static void take_movers(const hik_descent *d, int32_t k, hik_tree *t) {
  const hik_model *m = t->model;
  int32_t s = t->step[k], c = d->step_column[s];
  bool ball = m->step_kind[s] == HIK_BALL_STEP, slide = m->step_kind[s] == HIK_SLIDE;
  if (t->follow[k] >= 0) {
    for (int32_t part = 0; part < 3; part++)
      t->mover[t->movers++] = (hik_tree_mover){k, 2, c + part, 1, slide, part};
    return;
  }
  for (int32_t axis = ball ? 0 : 2; axis < 3; axis++, c++) {
    double scale = ball ? 1 : m->step_line[2 * (size_t)s] * d->unit[c];
    t->mover[t->movers++] = (hik_tree_mover){k, axis, c, scale, slide, -1};
  }
}

/* The ball whose swing step s follows, made when it is not there yet. */
static int32_t lead_of(hik_tree *t, int32_t s, int32_t slot) {
  for (int32_t i = 0; i < t->leads; i++)
    if (t->lead[i].slot == slot) return i;
  t->lead[t->leads] = (hik_tree_lead){-1, slot, hik_step_follows(t->model, s)};
  return t->leads++;
}

/* Which of the balls that others follow have limits: they come after these in the list. */
static void take_leads(hik_tree *t) {
  for (hik_tree_lead *l = t->lead; l < t->lead + t->leads; l++)
    for (const hik_tree_joint *j = t->joint; j < t->joint + t->joints; j++)
      if (j->slot == l->slot) l->room = j->room;
}

static void take_steps(hik_tree_plan *plan, const hik_problem *p) {
  hik_tree *t = &plan->tree;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t s = p->active[k], parent = p->model->step_parent[s];
    t->step[k] = s;
    plan->first_mover[k] = t->movers;
    t->parent[k] = parent < 0 ? -1 : place_in_list(p, parent);
    t->cone[k] = -1;
    const hik_tree_place *place = place_of(plan, s);
    t->slot[k] = place->slot;
    t->follow[k] = hik_step_follows(p->model, s) ? lead_of(t, s, place->slot) : -1;
    if (plan->columns.step_column[s] < 0) continue;
    if (t->follow[k] < 0) take_joint(&plan->columns, place, k, t);
    take_movers(&plan->columns, k, t);
  }
  plan->first_mover[t->count] = t->movers;
  take_leads(t);
}

static void take_goal(const hik_problem *p, const hik_goal *g, hik_tree_goal *to) {
  to->step = place_in_list(p, g->step);
  memcpy(to->place, &g->place, sizeof g->place);
  if (looks(g)) memcpy(to->eye, g->term.param + HIK_LOOK_EYE, sizeof to->eye);
  if (looks(g) || hik_goal_class(g)->caps & HIK_HAS_AXIS) hik_unit(g->term.param + HIK_AXIS, to->axis);
}

/* The square within which the goal may be met. */
static double near_of(const part *in) {
  const hik_term *t = &in->goal->term;
  bool length = in->kind == HIK_TREE_POINT || in->kind == HIK_TREE_DISTANCE;
  double tolerance = (1 + 1e-9) * (length ? t->position_tolerance : t->orientation_tolerance);
  return tolerance * tolerance;
}

/* Entries of a side of a part, from `at` on, those of its block from `first` on; where they end. Cells have as yet a number for
   every column and block. */
static int32_t take_side(const hik_problem *p, const part *in, int side, int32_t first, int32_t at,
                         hik_tree_plan *plan) {
  hik_tree *t = &plan->tree;
  int32_t end = place_in_list(p, in->end);
  for (int32_t k = place_in_list(p, in->step[side]); k != end && k >= 0; k = t->parent[k])
    for (int32_t i = plan->first_mover[k]; i < plan->first_mover[k + 1]; i++) {
      hik_tree_entry e = {i, t->mover[i].column * t->blocks + in->row / 3, false};
      if (t->mover[i].slide && only_turns(in->kind)) continue;
      for (int32_t before = first; before < at; before++) e.adds = e.adds || t->entry[before].cell == e.cell;
      t->entry[at++] = e;
    }
  return at;
}

/* The blocks of three rows, and how many entries they have. */
static int32_t take_blocks(const hik_problem *p, const parts *of, hik_tree_plan *plan) {
  int32_t goal = -1, at = 0;
  for (int32_t b = 0; b < of->whole; b++) {
    const part *in = of->part + b;
    if (b == 0 || in->goal != in[-1].goal) take_goal(p, in->goal, plan->tree.goal + ++goal);
    int32_t first = at;
    at = take_side(p, in, 0, first, first, plan);
    plan->tree.block[b] = (hik_tree_block){.kind = in->kind,
                                           .goal = goal,
                                           .scale = plan->columns.row_scale[in->own],
                                           .near = near_of(in),
                                           .first_entry = first,
                                           .last_entry = at};
  }
  return at;
}

static void take_ends(const hik_goal *g, hik_tree_row *to) {
  const double *x = g->term.param;
  if (to->kind == HIK_TREE_DISTANCE) {
    hik_pose_point(&g->place, x + HIK_PAIR_POINT, to->end[0]);
    hik_pose_point(&g->other_place, x + HIK_PAIR_OTHER_POINT, to->end[1]);
    to->aside[2] = 1;
    to->least = x[HIK_PAIR_LEAST], to->most = x[HIK_PAIR_MOST];
  } else {
    double axis[3] = {0, 0, 1};
    hik_unit(x + HIK_AXIS, axis);
    hik_mat_vec(g->place.r, axis, to->end[0]);
    hik_unit(x + HIK_LEVEL_DIRECTION, to->end[1]);
    hik_perpendicular(to->end[1], to->aside);
    to->least = to->most = x[HIK_LEVEL_ANGLE];
  }
}

/* The single rows, whose entries stand from `at` on; where they end. */
static int32_t take_rows(const hik_problem *p, const parts *of, int32_t at, hik_tree_plan *plan) {
  int32_t first = at; /* of the block */
  for (int32_t i = 0; i < of->rows; i++) {
    const part *in = of->part + of->whole + i;
    hik_tree_row *to = plan->tree.row + i;
    if (in->row % 3 == 0) first = at;
    *to = (hik_tree_row){.kind = in->kind,
                         .step = {place_in_list(p, in->step[0]), place_in_list(p, in->step[1])},
                         .scale = plan->columns.row_scale[in->own],
                         .near = near_of(in),
                         .row = in->row,
                         .first_entry = at};
    take_ends(in->goal, to);
    at = to->first_other = take_side(p, in, 0, first, at, plan);
    at = to->last_entry = take_side(p, in, 1, first, at, plan);
  }
  return at;
}

/* The cells there are, ordered by column and then by block, get their numbers. */
static void take_cells(int32_t entries, hik_tree_plan *plan) {
  hik_tree *t = &plan->tree;
  int32_t *number = plan->cell;
  for (int32_t i = 0; i < t->columns * t->blocks; i++) number[i] = -1;
  for (hik_tree_entry *e = t->entry; e < t->entry + entries; e++) number[e->cell] = 0;
  for (int32_t i = 0; i < t->columns * t->blocks; i++) {
    if (i % t->blocks == 0) t->first_cell[i / t->blocks] = t->cells;
    if (number[i] < 0) continue;
    t->cell_block[t->cells] = i % t->blocks;
    number[i] = t->cells++;
  }
  t->first_cell[t->columns] = t->cells;
  for (hik_tree_entry *e = t->entry; e < t->entry + entries; e++) e->cell = number[e->cell];
}

static void take_products(hik_tree_plan *plan) {
  hik_tree *t = &plan->tree;
  int32_t at = 0;
  for (int32_t i = 0; i < t->blocks; i++)
    for (int32_t k = 0; k <= i; k++) {
      hik_tree_pair *pair = t->pair + t->pairs++;
      *pair = (hik_tree_pair){i, k, at, at};
      for (int32_t c = 0; c < t->columns; c++) {
        hik_tree_product f = {plan->cell[c * t->blocks + i], plan->cell[c * t->blocks + k], c};
        if (f.a >= 0 && f.b >= 0) t->product[at++] = f;
      }
      pair->last = at;
    }
}

static void fill(hik_tree_plan *plan, const hik_problem *p, const parts *of) {
  hik_tree *t = &plan->tree;
  hik_descent *d = &plan->columns;
  hik_run none = {.problem = p};
  t->model = p->model;
  hik_descent_prepare(d, &none, true);
  d->run = NULL;
  t->count = p->n_active, t->columns = d->n, t->goals = of->goals;
  t->blocks = of->blocks, t->whole = of->whole, t->rows = of->rows;
  take_steps(plan, p);
  int32_t entries = take_blocks(p, of, plan);
  entries = take_rows(p, of, entries, plan);
  take_cells(entries, plan);
  take_products(plan);
}

static hik_tree_plan *create(const hik_problem *p) {
  parts of;
  take_parts(p, &of);
  hik_block block = {NULL, 0, false};
  lay_out(p, &of, &block);
  if (block.bad) return NULL;
  block.base = hik_allocate(block.size);
  if (!block.base) return NULL;
  block.size = 0;
  hik_tree_plan *plan = lay_out(p, &of, &block);
  atomic_init(&plan->held.holders, 1);
  fill(plan, p, &of);
  return plan;
}

bool hik_tree_ready(hik_readied *ready) {
  if (!ready->tree) ready->tree = create(ready->problem);
  return ready->tree != NULL;
}

/* ---- for the solver ---- */

void hik_tree_put(const hik_tree_plan *plan, const double *q, int32_t width, double *rows) {
  for (const hik_tree_place *p = plan->place; p < plan->place + plan->places; p++) {
    double split[3];
    const double *from = q + p->q;
    if (p->cone) hik_swing_split(p->cone, from, split), from = split;
    for (int32_t i = 0; i < numbers_of(p->kind); i++) rows[(size_t)(p->slot + i) * (size_t)width] = from[i];
  }
}

void hik_tree_get(const hik_tree_plan *plan, const double *rows, int32_t width, double *q) {
  for (const hik_tree_place *p = plan->place; p < plan->place + plan->places; p++) {
    double x[4];
    if (!p->moves) continue;
    for (int32_t i = 0; i < numbers_of(p->kind); i++) x[i] = rows[(size_t)(p->slot + i) * (size_t)width];
    if (p->cone)
      hik_swing_join(p->cone, x, q + p->q);
    else
      memcpy(q + p->q, x, (size_t)numbers_of(p->kind) * sizeof *q);
  }
}

void hik_tree_target(const hik_problem *p, const double *target, double *out) {
  for (const hik_goal *g = p->goal; g < p->goal + p->n_goal; g++) {
    if (g->rows == 1) continue; /* these have constants alone */
    memset(out, 0, 12 * sizeof *out);
    if (looks(g))
      hik_copy3(target + g->column, out + 9);
    else
      hik_goal_class(g)->wanted(g, target + g->column, out + 9, out);
    out += 12;
  }
}
