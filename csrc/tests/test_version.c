/* test_version.c: base/version.c. */
#include "base/base.h"
#include "check.h"

static void test_the_version_is_passed_from_the_project_file(void) {
  const char *version = hik_version();
  CHECK(version != NULL && strcmp(version, "unknown") != 0);
  int dots = 0;
  for (const char *c = version; *c && *c != '+'; c++) dots += *c == '.';
  CHECK(version[0] >= '0' && version[0] <= '9' && dots == 2);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_the_version_is_passed_from_the_project_file);
  CHECK_END();
}
