/* options.h: which values the options of a solver may have. */
#ifndef HIK_OPTIONS_H
#define HIK_OPTIONS_H
#include "handik/handik.h"

/* The range of one option of a solver. */
typedef struct hik_option_range {
  const char *name;
  double least, most;
  bool whole; /* a whole number */
} hik_option_range;

/* HIK_OK, or HIK_BAD_ARGUMENT with the sentence that names option number `at` as out of its range. */
hik_status hik_check_option(const hik_option_range *range, int32_t at, const hik_options *o,
                            hik_error *error);
/* The same for options first, first + 1, ...; the first that is out of its range is named. */
hik_status hik_check_options(const hik_option_range *range, int32_t first, int32_t count,
                             const hik_options *o, hik_error *error);
#endif
