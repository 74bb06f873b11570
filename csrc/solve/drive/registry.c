/* registry.c: the solver table, one line each, the default first, and the tables as the public interface shows them. */
#include "model/joints.h"
#include "solve/drive/solver.h"

/* What to make of each of them. */
#define SOLVERS(OF)                                                                                          \
  OF(auto)                                                                                                   \
  OF(fabrik)                                                                                                 \
  OF(fabrik_fast)                                                                                            \
  OF(hybrid)                                                                                                 \
  OF(ccd) OF(ccd_fast) OF(ftl) OF(triangulation) OF(transpose) OF(pinv) OF(dls) OF(sdls) OF(newton)          \
      OF(gauss_newton) OF(lm) OF(gradient) OF(lbfgs) OF(lm_lanes) OF(annealing) OF(genetic) OF(memetic)      \
          OF(swarm) OF(particles)
#define DECLARED(name) extern const hik_solver_class hik_solver_##name;
#define LISTED(name)   &hik_solver_##name,
SOLVERS(DECLARED)
const hik_solver_class *const hik_solver_classes[] = {SOLVERS(LISTED)};
const int32_t hik_solver_class_count = HIK_COUNT_OF(hik_solver_classes);

typedef struct said {
  const char *name, *summary;
} said;

static const said outcomes[HIK_OUTCOME_COUNT] = {
    [HIK_INVALID] = {"invalid",
                     "the target is not usable: not finite, or without a direction where one is needed"},
    [HIK_CONVERGED] = {"converged",
                       "every term within its tolerance, q inside its limits, as the judge measured"},
    [HIK_UNREACHABLE] = {"unreachable", "target proved out of reach; the closest pose found is returned"},
    [HIK_STALLED] = {"stalled", "no progress, not within tolerance"},
    [HIK_MAX_ITER] = {"max_iter", "the iteration cap was met first"},
    [HIK_TIME_LIMIT] = {"time_limit", "the time limit was met first"},
    [HIK_DIVERGED] =
        {"diverged",
         "a number that is not finite was met; q is the nearest pose met before, if only the start"},
    [HIK_CANCELLED] = {"cancelled", "the call was interrupted before its turn or its end"},
    [HIK_LEAST_SQUARES] =
        {"least_squares",
         "not within tolerance, at a local least-squares minimum: no small move lowers the error"},
};

static const said methods[HIK_METHOD_COUNT] = {
    [HIK_BY_NONE] = {"none", "not answered"},
    [HIK_BY_ITERATION] = {"iteration", "the iteration that gives the solver its name"},
    [HIK_BY_CLOSED_FORM] = {"closed_form",
                            "a closed form, the nearest of all postures of an arm of up to six turns, or of "
                            "free balls whose target is out of reach"},
    [HIK_BY_CHAIN] = {"chain", "damped least squares on a serial chain, several starts or problems at once"},
    [HIK_BY_TREE] = {"tree", "damped least squares on a tree, several problems at once"},
    [HIK_BY_SECOND_ORDER] = {"second_order", "Newton's method for the nearest pose to a target out of reach"},
    [HIK_BY_DESCENT] = {"descent",
                        "damped least squares for any figure and terms, one problem after the other"},
};

int32_t hik_count(hik_table table) {
  switch (table) {
  case HIK_JOINTS: return HIK_JOINT_KINDS;
  case HIK_TERMS: return hik_term_class_count;
  case HIK_SOLVERS: return hik_solver_class_count;
  case HIK_OUTCOMES: return HIK_OUTCOME_COUNT;
  case HIK_METHODS: return HIK_METHOD_COUNT;
  }
  return 0;
}

static hik_entry say(const said *row) {
  return (hik_entry){.name = row->name, .summary = row->summary, .reference = ""};
}

hik_entry hik_row(hik_table table, int32_t i) {
  if (i < 0 || i >= hik_count(table)) return (hik_entry){0};
  switch (table) {
  case HIK_JOINTS:
    return (hik_entry){.name = hik_joint_classes[i].name,
                       .summary = hik_joint_classes[i].summary,
                       .reference = "",
                       .width = hik_joint_classes[i].nq};
  case HIK_TERMS: {
    const hik_term_class *c = hik_term_classes[i];
    return (hik_entry){c->name,       c->summary,       c->reference, c->width, c->n_param,
                       c->param_name, c->param_default, NULL,         false};
  }
  case HIK_SOLVERS: {
    const hik_solver_class *c = hik_solver_classes[i];
    return (hik_entry){c->name, c->summary, c->reference, c->max_iter, hik_option_count(c),
                       NULL,    NULL,       c->option,    c->own};
  }
  case HIK_OUTCOMES: return say(outcomes + i);
  case HIK_METHODS: return say(methods + i);
  }
  return (hik_entry){0};
}

int32_t hik_find(hik_table table, const char *name) {
  for (int32_t i = 0, n = hik_count(table); i < n; i++)
    if (strcmp(hik_row(table, i).name, name) == 0) return i;
  return -1;
}
