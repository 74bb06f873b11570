/* Notes which basic blocks of the library ran: gcc's -fsanitize-coverage=trace-pc calls this at the head of each.
 * mutation/note.py reads the bytes after every Python test; a C program leaves them in the file that HANDIK_TRACE names. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))
enum { SIZE = 8 << 20 }; // the library's code has 2 MB

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
PUBLIC unsigned char handik_trace[SIZE];
PUBLIC void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void) {
  uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;
  if (at < SIZE) handik_trace[at] = 1;
}

__attribute__((destructor)) static void put(void) {
  const char *name = getenv("HANDIK_TRACE");
  FILE *out = name ? fopen(name, "wb") : NULL;
  if (!out) return;
  fwrite(handik_trace, 1, SIZE, out);
  fclose(out);
}
