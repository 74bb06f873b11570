/* error.c: see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

hik_status hik_fail(hik_error *error, hik_status status, int32_t index, const char *format, ...) {
  if (error) {
    error->status = status;
    error->index = index;
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
  }
  return status;
}

hik_status hik_fail_memory(hik_error *error, size_t size) {
  return hik_fail(error, HIK_NO_MEMORY, -1, "no memory for %zu bytes", size);
}
