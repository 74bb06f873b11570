/* plan.c: plans are made whole or not at all, never change, and are freed with their last holder.

   What solvers work out of the problem alone (a chain and its map of starts, a tree's lanes) does not hang on options: plans
   of one problem share it, each part by a count of its own. */
#include "solve/drive/plan.h"

#include "solve/drive/auto.h"

/* ---- what is shared ---- */

static void *hold(void *held) {
  if (held) atomic_fetch_add_explicit(&((hik_held *)held)->holders, 1, memory_order_relaxed);
  return held;
}

static void drop(void *held) {
  if (!held || atomic_fetch_sub_explicit(&((hik_held *)held)->holders, 1, memory_order_acq_rel) > 1) return;
  hik_release(((hik_held *)held)->also);
  hik_release(held);
}

static void take_shared(hik_plan *plan, const hik_plan *like) {
  for (int i = 0; like && i < 2; i++) {
    plan->part[i].serial = hold(like->part[i].serial);
    plan->part[i].tree = hold(like->part[i].tree);
  }
}

/* ---- making one ---- */

static hik_status ready(hik_plan *plan, hik_error *error) {
  const hik_solver_class *c = plan->solver;
  for (int i = 0; i < 2; i++) {
    hik_readied *part = plan->part + i;
    if (!part->problem) continue;
    hik_status status = c->accepts ? c->accepts(part->problem, &plan->options, c->name, error) : HIK_OK;
    if (status) return status;
    hik_straight_ready(c, part);
    hik_approach_ready(c, part);
    bool bad = false;
    if (c->frees) part->free = hik_free_map_create(part->problem, &plan->options, &bad);
    if (bad || (part->free && !c->ready(&part->free->plain)) || (c->ready && !c->ready(part)))
      return hik_fail_memory(error, sizeof *plan);
  }
  for (int i = 0; i < 2; i++)
    plan->scratch[i] = plan->part[i].problem && c->scratch_for ? c->scratch_for(plan->part + i) : 0;
  plan->least = hik_least_bytes(plan->problem);
  plan->stride = hik_thread_bytes(plan, NULL);
  if (plan->stride == SIZE_MAX)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the problem is too large for this solver");
  return HIK_OK;
}

hik_status hik_plan_create(int32_t solver, const hik_problem *problem, const hik_options *options,
                           const hik_plan *like, hik_plan **plan, hik_error *error) {
  *plan = NULL;
  if (solver < 0 || solver >= hik_solver_class_count)
    return hik_fail(error, HIK_NOT_FOUND, solver, "there is no solver %d", solver);
  if (like && like->problem != problem)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "plans share only what is worked out of one problem");
  hik_status status = hik_check_options(hik_solver_classes[solver], options, error);
  if (status) return status;
  hik_plan *p = hik_allocate(sizeof *p);
  if (!p) return hik_fail_memory(error, sizeof *p);
  atomic_init(&p->held.holders, 1);
  p->solver = hik_solver_classes[solver];
  p->problem = problem;
  p->options = *options;
  p->trace_rows = hik_trace_rows(problem, options);
  p->part[0] = (hik_readied){.problem = problem->n_stage ? problem->first : problem, .options = &p->options};
  p->part[1] = (hik_readied){.problem = problem->top, .options = &p->options};
  take_shared(p, like);
  status = ready(p, error);
  if (status)
    hik_plan_free(p);
  else
    *plan = p;
  return status;
}

hik_plan *hik_plan_hold(hik_plan *plan) { return hold(plan); }

void hik_plan_free(hik_plan *plan) {
  if (!plan || atomic_fetch_sub_explicit(&plan->held.holders, 1, memory_order_acq_rel) > 1) return;
  for (int i = 0; i < 2; i++) {
    hik_free_map *map = plan->part[i].free;
    if (map) drop(map->plain.serial), drop(map->plain.tree);
    hik_release(map);
    drop(plan->part[i].serial);
    drop(plan->part[i].tree);
  }
  hik_release(plan);
}

int32_t hik_plan_cloud(const hik_plan *plan) {
  return plan->solver->carries ? (int32_t)plan->options.param[0] : 0;
}

int64_t hik_trace_rows(const hik_problem *p, const hik_options *o) {
  int64_t stages = p->n_stage ? hik_levels_most(p, o->max_iter) + (p->top ? o->max_iter : 0) : 0;
  return 1 + (int64_t)o->max_iter + stages;
}

hik_status hik_solve(int32_t solver, const hik_problem *problem, const hik_options *options,
                     const hik_batch *batch, hik_error *error) {
  hik_plan *plan;
  hik_status status = hik_plan_create(solver, problem, options, NULL, &plan, error);
  if (!status) status = hik_plan_solve(plan, batch, error);
  hik_plan_free(plan);
  return status;
}
