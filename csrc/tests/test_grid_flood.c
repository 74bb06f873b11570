#include "check.h"
#include "grid_meshes.h"
#include "scene/grid_flood.h"

/* A grid of 3 x 1 x 1 cells; bricks as told; every fine node at distance d. */
typedef struct strip {
  hik_grid grid;
  int32_t brick[3];
  float fine[3 * HIK_GRID_BRICK];
  void *memory;
  hik_flood flood;
} strip;

static void begin(strip *s, const int32_t brick[3], float d) {
  memset(s, 0, sizeof *s);
  memcpy(s->brick, brick, sizeof s->brick);
  for (int i = 0; i < 3 * HIK_GRID_BRICK; i++) s->fine[i] = d;
  s->grid = (hik_grid){.cell = 1, .count = {3, 1, 1}, .brick = s->brick, .fine = s->fine};
  for (int i = 0; i < 3; i++) s->grid.bricks += brick[i] >= 0;
  hik_block block = {0};
  hik_flood_take(&block, &s->grid, &s->flood);
  s->memory = block.base = hik_allocate(block.size);
  block.size = 0;
  hik_flood_take(&block, &s->grid, &s->flood);
}

static int64_t reached(const strip *s, int brick) {
  int64_t n = 0;
  for (int i = 0; i < HIK_GRID_BRICK; i++) n += s->flood.reached[brick * HIK_GRID_BRICK + i];
  return n;
}

static void an_edge_is_crossed_where_the_distances_sum_to_more(void) {
  strip s;
  begin(&s, (int32_t[]){-1, 0, -1}, 0.5001f);
  while (hik_flood_run(&s.flood, 1)) continue;
  CHECK(reached(&s, 0) == HIK_GRID_BRICK && (s.flood.open[2] & 1));
  for (int32_t x = 0; x < 4; x++) CHECK(hik_flood_node(&s.flood, (int32_t[]){x, 1, 0}));
  hik_release(s.memory);
  begin(&s, (int32_t[]){-1, 0, -1}, 0.5f); /* just one: a triangle may meet the edge */
  while (hik_flood_run(&s.flood, 1)) continue;
  CHECK(reached(&s, 0) == 25 && !s.flood.open[2]); /* the side of the open cell alone */
  CHECK(hik_flood_node(&s.flood, (int32_t[]){1, 0, 0}) && !hik_flood_node(&s.flood, (int32_t[]){2, 0, 0}));
  hik_release(s.memory);
}

/* From brick to brick through one common node; back again through another. */
static void bricks_hand_over_what_they_share(void) {
  strip s;
  begin(&s, (int32_t[]){-1, 0, 1}, 0);
  for (int x = 0; x < 5; x++) s.fine[x] = 1, s.fine[HIK_GRID_BRICK + x] = 1;           /* y 0 z 0: there */
  for (int y = 0; y < 5; y++) s.fine[HIK_GRID_BRICK + 5 * y + 3] = 1;                  /* x 3: aside */
  for (int x = 0; x < 5; x++) s.fine[20 + x] = 1, s.fine[HIK_GRID_BRICK + 20 + x] = 1; /* y 4: back */
  s.fine[20] = s.fine[21] = 0;
  while (hik_flood_run(&s.flood, 100)) continue;
  CHECK(s.flood.reached[HIK_GRID_BRICK + 4] && s.flood.reached[HIK_GRID_BRICK + 13]);
  CHECK(s.flood.reached[22] && !s.flood.reached[21]);
  CHECK(reached(&s, 1) == 5 + 5 + 5 - 2);
  hik_release(s.memory);
}

static void it_goes_on_where_it_stopped(void) {
  strip s;
  int turns = 1;
  begin(&s, (int32_t[]){-1, -1, -1}, 0);
  for (; hik_flood_run(&s.flood, 1); turns++) CHECK(s.flood.turns == turns);
  CHECK(turns == 3 && (s.flood.open[0] & s.flood.open[1] & s.flood.open[2] & 1));
  hik_release(s.memory);
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(an_edge_is_crossed_where_the_distances_sum_to_more);
  RUN(bricks_hand_over_what_they_share);
  RUN(it_goes_on_where_it_stopped);
  CHECK_END();
}
