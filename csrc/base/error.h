/* error.h: a status and a sentence, never a print or an exit. */
#pragma once
#include "base/base.h"

/* Fills *error (which may be NULL) and returns the status, so that a check is one line. */
hik_status hik_fail(hik_error *error, hik_status status, int32_t index, const char *format, ...)
    HIK_PRINTF(4, 5);
hik_status hik_fail_memory(hik_error *error, size_t size);
