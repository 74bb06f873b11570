/* test_options.c: options out of their range, or not whole, are named; every option of every solver has a range. */
#include "solve/drive/solver.h"

#include "check.h"

static const hik_solver_class made_up = {.name = "made_up",
                                         .option = {{"size", 4, 2, 9, true}, {"share", 0.5, 0, 1}}};

static bool refused(double size, double share, const char *words) {
  hik_options o = hik_options_default(0);
  hik_error error = {0};
  o.param[0] = size, o.param[1] = share;
  hik_status status = hik_check_options(&made_up, &o, &error);
  return words ? status == HIK_BAD_ARGUMENT && strstr(error.text, words) : status == HIK_OK;
}

static void test_ranges(void) {
  CHECK(hik_option_count(&made_up) == 2);
  CHECK(refused(2, 0, NULL) && refused(9, 1, NULL) && refused(4, 0.5, NULL));
  CHECK(refused(4.5, 0.5, "size of made_up must be a whole number from 2 to 9, got 4.5"));
  CHECK(refused(1, 0.5, "size of made_up must be a whole number from 2 to 9, got 1"));
  CHECK(refused(NAN, 0.5, "size of made_up must be a whole number from 2 to 9"));
  CHECK(refused(4, 1.5, "share of made_up must be 0 to 1, got 1.5"));
  CHECK(refused(4, NAN, "share of made_up must be 0 to 1"));
  CHECK(refused(10, 1.5, "size of made_up must be"));
}

/* The defaults pass; just outside of either end, and not a number, are refused with the option's name and place. */
static void test_every_option_of_every_solver(void) {
  for (int32_t i = 0; i < hik_solver_class_count; i++) {
    const hik_solver_class *c = hik_solver_classes[i];
    hik_options usual = hik_options_default(i);
    hik_error error = {0};
    CHECK(hik_check_options(c, &usual, &error) == HIK_OK);
    for (int32_t k = 0; k < hik_option_count(c); k++) {
      const hik_option *option = c->option + k;
      double step = option->whole ? 1 : 1e-3, least = option->least, most = option->most;
      const double bad[] = {least - step,
                            nextafter(least, -INFINITY),
                            nextafter(most, INFINITY),
                            most + step,
                            NAN,
                            INFINITY,
                            -INFINITY,
                            1e299};
      CHECK(isfinite(least) && isfinite(most) && least < most);
      CHECK(usual.param[k] == option->preset && option->preset >= least && option->preset <= most);
      for (int32_t j = 0; j < HIK_COUNT_OF(bad); j++) {
        hik_options o = usual;
        o.param[k] = bad[j];
        CHECK(hik_check_options(c, &o, &error) == HIK_BAD_ARGUMENT && error.index == k);
        CHECK(strncmp(error.text, option->name, strlen(option->name)) == 0 && strstr(error.text, c->name));
      }
      const double good[] = {least, most, least + 1 < most ? least + 1 : most};
      for (int32_t j = 0; j < HIK_COUNT_OF(good); j++) {
        hik_options o = usual;
        o.param[k] = good[j];
        CHECK(hik_check_options(c, &o, &error) == HIK_OK);
      }
      hik_options half = usual;
      half.param[k] = least + 0.5;
      if (option->whole) CHECK(hik_check_options(c, &half, &error) == HIK_BAD_ARGUMENT);
    }
    for (int32_t k = hik_option_count(c); k < HIK_MOST_OPTIONS; k++)
      CHECK(!c->option[k].name && usual.param[k] == 0);
  }
}

static void test_those_of_every_solver(void) {
  const struct {
    int32_t max_iter, retries, threads;
    double ftol, time_limit;
    const char *words;
  } bad[] = {{-1, 0, 1, 0, 1, "max_iter"},    {1000000001, 0, 1, 0, 1, "max_iter"},
             {9, -1, 1, 0, 1, "retries"},     {9, 0, -1, 0, 1, "threads"},
             {9, 0, 1, 1, 1, "ftol"},         {9, 0, 1, -1e-9, 1, "ftol"},
             {9, 0, 1, NAN, 1, "ftol"},       {9, 0, 1, 0, 0, "time_limit"},
             {9, 0, 1, 0, NAN, "time_limit"}, {9, 0, 1, 0, -1, "time_limit"}};
  hik_error error = {0};
  for (int32_t i = 0; i < HIK_COUNT_OF(bad); i++) {
    hik_options o = hik_options_default(0);
    o.max_iter = bad[i].max_iter, o.retries = bad[i].retries, o.threads = bad[i].threads;
    o.ftol = bad[i].ftol, o.time_limit = bad[i].time_limit;
    CHECK(hik_check_options(hik_solver_classes[0], &o, &error) == HIK_BAD_ARGUMENT);
    CHECK(strncmp(error.text, bad[i].words, strlen(bad[i].words)) == 0);
  }
  hik_options o = hik_options_default(0);
  o.max_iter = 1000000000, o.time_limit = INFINITY;
  CHECK(hik_check_options(hik_solver_classes[0], &o, &error) == HIK_OK);
  o.cookie = 0;
  CHECK(hik_check_options(hik_solver_classes[0], &o, &error) == HIK_BAD_ARGUMENT);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_ranges);
  RUN(test_every_option_of_every_solver);
  RUN(test_those_of_every_solver);
  CHECK_END();
}
