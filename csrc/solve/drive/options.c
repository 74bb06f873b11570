/* options.c: the options of a call: what they are when nothing is said, and which values they may have. */
#include <math.h>

#include "solve/drive/solver.h"

enum { COOKIE = 0x68696b6f };

int32_t hik_option_count(const hik_solver_class *solver) {
  int32_t n = 0;
  while (n < HIK_MOST_OPTIONS && solver->option[n].name) n++;
  return n;
}

int32_t hik_option_place(const hik_solver_class *solver, const char *name) {
  for (int32_t k = 0, n = hik_option_count(solver); k < n; k++)
    if (strcmp(solver->option[k].name, name) == 0) return k;
  return -1;
}

bool hik_as_published(const hik_solver_class *solver, const hik_options *options) {
  int32_t starts = hik_option_place(solver, "max_restarts");
  return !solver->own && starts >= 0 && options->param[starts] == 0;
}

hik_options hik_options_default(int32_t solver) {
  hik_options o;
  memset(&o, 0, sizeof o);
  o.cookie = COOKIE;
  o.threads = 1;
  o.time_limit = INFINITY;
  if (solver < 0 || solver >= hik_solver_class_count) return o;
  const hik_solver_class *c = hik_solver_classes[solver];
  o.max_iter = c->max_iter;
  o.ftol = c->ftol;
  for (int32_t k = 0, n = hik_option_count(c); k < n; k++) o.param[k] = c->option[k].preset;
  return o;
}

/* Those that every solver has. */
static hik_status check_common(const hik_options *o, hik_error *error) {
  if (o->cookie != COOKIE)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "the options were not made by hik_options_default");
  if (o->max_iter < 0 || o->max_iter > 1000000000)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "max_iter must be 0 to 1e9, got %d", o->max_iter);
  if (o->retries < 0)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "retries must be 0 or more, got %d", o->retries);
  if (o->threads < 0)
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "threads must be 0 (all cores) or more, got %d", o->threads);
  if (!(o->ftol >= 0 && o->ftol < 1))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "ftol must be at least 0 and below 1, got %g", o->ftol);
  if (!(o->time_limit > 0))
    return hik_fail(error, HIK_BAD_ARGUMENT, -1, "time_limit must be above 0 s, got %g", o->time_limit);
  return HIK_OK;
}

hik_status hik_check_options(const hik_solver_class *solver, const hik_options *options, hik_error *error) {
  hik_status status = check_common(options, error);
  for (int32_t k = 0, n = hik_option_count(solver); k < n && !status; k++) {
    const hik_option *option = solver->option + k;
    double x = options->param[k];
    if (!(x >= option->least && x <= option->most) || (option->whole && x != floor(x)))
      status =
          hik_fail(error, HIK_BAD_ARGUMENT, k, "%s of %s must be %s%g to %g, got %g", option->name,
                   solver->name, option->whole ? "a whole number from " : "", option->least, option->most, x);
  }
  return status;
}
