/* test_options.c: options out of their range, or not whole, are named. */
#include "solve/drive/options.h"

#include "check.h"

static const hik_option_range range[2] = {{"size", 2, 9, true}, {"share", 0, 1, false}};

static bool refused(int32_t first, double size, double share, const char *words) {
  hik_options o = hik_options_default(0);
  hik_error error = {0};
  o.param[first] = size, o.param[first + 1] = share;
  hik_status status = hik_check_options(range, first, 2, &o, &error);
  return words ? status == HIK_BAD_ARGUMENT && strstr(error.text, words) : status == HIK_OK;
}

static void test_ranges(void) {
  for (int32_t first = 0; first < 14; first += 7) {
    CHECK(refused(first, 2, 0, NULL) && refused(first, 9, 1, NULL) && refused(first, 4, 0.5, NULL));
    CHECK(refused(first, 4.5, 0.5, "size must be a whole number, got 4.5"));
    CHECK(refused(first, 1, 0.5, "size must be 2 to 9, got 1"));
    CHECK(refused(first, NAN, 0.5, "size must be 2 to 9"));
    CHECK(refused(first, 4, 1.5, "share must be 0 to 1, got 1.5"));
    CHECK(refused(first, 10, 1.5, "size must be 2 to 9, got 10"));
  }
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_ranges);
  CHECK_END();
}
