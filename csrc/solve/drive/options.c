/* options.c: checks the options of a solver against their ranges. */
#include "solve/drive/options.h"

#include "base/error.h"

#include <math.h>

hik_status hik_check_option(const hik_option_range *range, int32_t at, const hik_options *o,
                            hik_error *error) {
  double x = o->param[at];
  if (!(x >= range->least && x <= range->most))
    return hik_fail(error, HIK_BAD_ARGUMENT, at, "%s must be %g to %g, got %g", range->name, range->least,
                    range->most, x);
  if (range->whole && x != floor(x))
    return hik_fail(error, HIK_BAD_ARGUMENT, at, "%s must be a whole number, got %g", range->name, x);
  return HIK_OK;
}

hik_status hik_check_options(const hik_option_range *range, int32_t first, int32_t count,
                             const hik_options *o, hik_error *error) {
  hik_status status = HIK_OK;
  for (int32_t k = 0; k < count && !status; k++) status = hik_check_option(range + k, first + k, o, error);
  return status;
}
