/* bochs_init.c: the first and only process of a machine emulated by Bochs (tests/bochs.py): runs each line of /list, writes
   what it says to Bochs's port 0xe9, and switches the machine off. */
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *text) {
  for (; *text; text++) outb((unsigned char)*text, 0xe9);
}

static void run(char *line) {
  char text[4097], *words[8];
  int n = 0, ends[2], status = 0;
  for (char *w = strtok(line, " \n"); w && n < 7; w = strtok(NULL, " \n")) words[n++] = w;
  words[n] = NULL;
  if (n == 0 || pipe(ends)) return;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1), dup2(ends[1], 2);
    close(ends[0]), close(ends[1]);
    execv(words[0], words);
    _exit(127);
  }
  close(ends[1]);
  for (ssize_t got; (got = read(ends[0], text, sizeof text - 1)) > 0;) {
    text[got] = 0;
    say(text);
  }
  close(ends[0]);
  waitpid(child, &status, 0);
  snprintf(text, sizeof text, "=status %d %s\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), words[0]);
  say(text);
}

int main(void) {
  char line[512];
  if (iopl(3)) return 1;
  mount("none", "/dev", "devtmpfs", 0, "");
  FILE *list = fopen("/list", "r");
  while (list && fgets(line, sizeof line, list)) run(line);
  say("=end\n");
  for (const char *c = "Shutdown"; *c; c++) outb((unsigned char)*c, 0x8900);
  for (;;) pause();
}
