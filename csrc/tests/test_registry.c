/* test_registry.c: solve/drive/registry.c and term/registry.c: the tables as the public interface shows them. */
#include "solve/drive/solver.h"

#include "check.h"

static const hik_table tables[] = {HIK_JOINTS, HIK_TERMS, HIK_SOLVERS, HIK_OUTCOMES, HIK_METHODS};

static void test_every_row_is_found_by_its_name(void) {
  for (int t = 0; t < HIK_COUNT_OF(tables); t++) {
    CHECK(hik_count(tables[t]) > 0);
    for (int32_t i = 0; i < hik_count(tables[t]); i++) {
      hik_entry row = hik_row(tables[t], i);
      CHECK(row.name && row.name[0] && row.summary && row.summary[0] && row.reference);
      if (row.name) CHECK(hik_find(tables[t], row.name) == i); /* so no two rows share a name */
      CHECK((row.option != NULL) == (tables[t] == HIK_SOLVERS));
      for (int32_t k = 0; k < row.n_param; k++) {
        const char *name = row.option ? row.option[k].name : row.param_name[k];
        CHECK(name && name[0]);
      }
    }
  }
}

static void test_what_is_not_there_is_not_found(void) {
  for (int t = 0; t < HIK_COUNT_OF(tables); t++) {
    CHECK(hik_find(tables[t], "no such row") == -1 && hik_find(tables[t], "") == -1);
    CHECK(hik_row(tables[t], -1).name == NULL && hik_row(tables[t], hik_count(tables[t])).name == NULL);
  }
  CHECK(hik_count((hik_table)99) == 0 && hik_find((hik_table)99, "fabrik") == -1);
}

static void test_every_solver_can_run_and_has_its_source(void) {
  for (int32_t i = 0; i < hik_solver_class_count; i++) {
    const hik_solver_class *c = hik_solver_classes[i];
    hik_options o = hik_options_default(i);
    CHECK(c->one != NULL);
    CHECK(c->max_iter > 0 && o.max_iter == c->max_iter);
    CHECK(c->ftol >= 0 && c->ftol < 1 && o.ftol == c->ftol);
    CHECK(o.threads == 1 && o.retries == 0 && o.time_limit == INFINITY);
    CHECK(c->reference && c->reference[0]);
  }
  CHECK(hik_find(HIK_SOLVERS, "fabrik") >= 0 && hik_find(HIK_SOLVERS, "ccd") >= 0);
}

static void test_every_term_has_its_functions(void) {
  for (int32_t i = 0; i < hik_term_class_count; i++) {
    const hik_term_class *c = hik_term_classes[i];
    CHECK(c->width >= HIK_AS_AXES && c->rows >= HIK_AS_AXES && c->rows != 0);
    CHECK(c->rows <= HIK_MOST_ROWS &&
          (c->rows > 0 || c->rows == HIK_AS_AXES || c->caps & (HIK_IS_SOFT | HIK_IS_OWN)));
    CHECK(c->rows != HIK_AS_AXES || c->check); /* which sees to their number */
    bool frame = c->residual && c->jacobian && c->measure;
    bool sight = c->sight_residual && c->sight_jacobian && c->sight_measure;
    CHECK(frame != sight);
    bool fixes = c->caps & (HIK_HAS_POSITION | HIK_HAS_ORIENTATION | HIK_HAS_AXIS);
    CHECK(fixes ? c->wanted && frame : !c->wanted);
    bool pulls = c->caps & (HIK_PULLS_POINT | HIK_PULLS_AXIS | HIK_PULLS_FRAME);
    CHECK(pulls ? c->pulled && c->project && !fixes : !c->pulled && !c->project);
    hik_term t = hik_term_default(i);
    CHECK(t.kind == i && t.weight == 1 && t.frame == -1);
    CHECK(memcmp(t.param, c->param_default, sizeof t.param) == 0);
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_every_row_is_found_by_its_name);
  RUN(test_what_is_not_there_is_not_found);
  RUN(test_every_solver_can_run_and_has_its_source);
  RUN(test_every_term_has_its_functions);
  CHECK_END();
}
