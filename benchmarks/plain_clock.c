/* plain_clock.c: the clock of the processor, in hertz, from a chain of additions that take a cycle each. */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

double plain_clock(void);

double plain_clock(void) {
  double best = 0;
  for (int round = 0; round < 20; round++) {
    struct timespec begin, end;
    long x = 0, count = 2000000;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (long i = 0; i < count; i++) {
      x++;
      __asm__ volatile("" : "+r"(x)); /* so that the additions are made, one after the other */
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double spent = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (count / spent > best) best = count / spent;
  }
  return best;
}
