/* check.h: CHECK, CHECK_NEAR, RUN, a name filter on argv, and a closing line "N passed, N failed". */
#pragma once
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHECK_SHOWN = 20 }; /* of a failing loop the first lines say enough */

/* How often a loop over draws is run. A sanitizer looks at the memory, not at the shares, and is slow; so is an
   emulator (CHECK_FEW), of which the bytes are compared besides. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(CHECK_FEW)
#define CHECK_REPEATS(whole, few) (few)
#else
#define CHECK_REPEATS(whole, few) (whole)
#endif

static int check_failures, check_passed_tests, check_failed_tests;
static const char *check_filter;

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      if (check_failures++ < CHECK_SHOWN) printf("%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition);      \
    }                                                                                                        \
  } while (0)

#define CHECK_NEAR(a, b, tolerance)                                                                          \
  do {                                                                                                       \
    double check_a = (a), check_b = (b);                                                                     \
    if (!(fabs(check_a - check_b) <= (tolerance))) {                                                         \
      if (check_failures++ < CHECK_SHOWN)                                                                    \
        printf("%s:%d: %s = %.17g, %s = %.17g\n", __FILE__, __LINE__, #a, check_a, #b, check_b);             \
    }                                                                                                        \
  } while (0)

#define RUN(test)                                                                                            \
  do {                                                                                                       \
    if (!check_filter || strstr(#test, check_filter)) {                                                      \
      int check_before = check_failures;                                                                     \
      test();                                                                                                \
      if (check_failures == check_before)                                                                    \
        check_passed_tests++;                                                                                \
      else                                                                                                   \
        check_failed_tests++, printf("FAILED %s\n", #test);                                                  \
    }                                                                                                        \
  } while (0)

#define CHECK_BEGIN(argc, argv) check_filter = (argc) > 1 ? (argv)[1] : NULL
#define CHECK_END()                                                                                          \
  return printf("%d passed, %d failed\n", check_passed_tests, check_failed_tests), check_failed_tests != 0
