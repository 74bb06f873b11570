/* version.c: the version, which setup.py passes from pyproject.toml. */
#include "base/base.h"

#ifndef HANDIK_VERSION
#define HANDIK_VERSION "unknown"
#endif

const char *hik_version(void) { return HANDIK_VERSION; }
