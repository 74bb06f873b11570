/* options.h: which values the options of a call may have. */
#pragma once
#include "solve/drive/solver.h"

/* Number of options of its own that a solver has. */
int32_t hik_option_count(const hik_solver_class *solver);
/* Place of one of them, -1: the solver has none of that name. */
int32_t hik_option_place(const hik_solver_class *solver, const char *name);
/* The solver is asked for a single attempt of what was published. */
bool hik_as_published(const hik_solver_class *solver, const hik_options *options);
/* HIK_OK, or HIK_BAD_ARGUMENT with a sentence that names the first option that is out of its range: those of every solver,
   then the solver's own. The only place where options are compared with ranges; what one may be beside another, or beside
   the problem, is for the solver's `accepts`. */
hik_status hik_check_options(const hik_solver_class *solver, const hik_options *options, hik_error *error);
