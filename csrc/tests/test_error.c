/* test_error.c: base/error.c. */
#include "base/error.h"

#include "check.h"

static void test_fail_writes_the_sentence_and_returns_the_status(void) {
  hik_error error = {HIK_OK, -1, ""};
  CHECK(hik_fail(&error, HIK_BAD_MODEL, 3, "joint %d (%s): limits %g > %g", 3, "elbow", 1.0, 0.5) ==
        HIK_BAD_MODEL);
  CHECK(error.status == HIK_BAD_MODEL);
  CHECK(error.index == 3);
  CHECK(strcmp(error.text, "joint 3 (elbow): limits 1 > 0.5") == 0);
}

static void test_fail_without_a_place_to_write(void) {
  CHECK(hik_fail(NULL, HIK_NOT_FOUND, -1, "no frame named %s", "tip") == HIK_NOT_FOUND);
  CHECK(hik_fail_memory(NULL, 1) == HIK_NO_MEMORY);
}

static void test_a_long_sentence_is_cut_and_closed(void) {
  struct {
    hik_error error;
    char guard[8];
  } room;
  char name[2000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  memset(&room, '#', sizeof room);
  CHECK(hik_fail(&room.error, HIK_BAD_ARGUMENT, 0, "%s", name) == HIK_BAD_ARGUMENT);
  CHECK(strlen(room.error.text) == sizeof room.error.text - 1);
  CHECK(memcmp(room.guard, "########", 8) == 0);
}

static void test_the_last_failure_stands(void) {
  hik_error error = {HIK_OK, -1, ""};
  hik_fail(&error, HIK_BAD_ARGUMENT, 7, "first, and longer than the second");
  hik_fail(&error, HIK_UNSUPPORTED, -1, "second");
  CHECK(error.status == HIK_UNSUPPORTED && error.index == -1);
  CHECK(strcmp(error.text, "second") == 0);
}

static void test_memory_failure_tells_the_size(void) {
  hik_error error = {HIK_OK, 5, ""};
  CHECK(hik_fail_memory(&error, 123456789) == HIK_NO_MEMORY);
  CHECK(error.status == HIK_NO_MEMORY && error.index == -1);
  CHECK(strstr(error.text, "123456789 bytes") != NULL);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_fail_writes_the_sentence_and_returns_the_status);
  RUN(test_fail_without_a_place_to_write);
  RUN(test_a_long_sentence_is_cut_and_closed);
  RUN(test_the_last_failure_stands);
  RUN(test_memory_failure_tells_the_size);
  CHECK_END();
}
