/* contact.h: what is near a group of postures, as rows that moves are kept to.
   hik_contacts_take hik_contacts_gather hik_contacts_push */
#pragma once
#include "base/memory.h"
#include "scene/scene.h"

enum { HIK_CONTACTS = 256 /* rows at most; of more the first are taken */ };

/* Pairs nearer than a cutoff in some lane, and how their distances grow by v. */
typedef struct hik_contacts {
  int32_t nv, obstacles, count;
  hik_near *near;  /* [HIK_CONTACTS] */
  double *row;     /* [HIK_CONTACTS][nv][HIK_GROUP] */
  double *inverse; /* [HIK_CONTACTS][HIK_GROUP] of the square of the row, 0 where nothing moves the pair */
} hik_contacts;

/* Its arrays from a block: see base/memory.h. */
void hik_contacts_take(hik_contacts *contacts, hik_block *block, int32_t nv, int32_t obstacles);

/* Of the group placed last. */
void hik_contacts_gather(hik_contacts *contacts, hik_check *check, double cutoff);

/* Whether row k is of an obstacle, not of two parts of the figure. */
HIK_INLINE bool hik_contacts_outside(const hik_contacts *c, int32_t k) {
  return c->near[k].other < c->obstacles;
}

/* Of row k, what dq [nv][HIK_GROUP] must move its distance by at least: to `want` [HIK_GROUP], by `most` metres at most; and the
   multipliers of Hildreth's method, which begin at 0. A row that dq cannot bring there is of no use in this step. */
typedef struct hik_bound {
  int32_t row;
  double need[HIK_GROUP], force[HIK_GROUP];
} hik_bound;
bool hik_contacts_bound(const hik_contacts *contacts, int32_t k, const double *want, double most,
                        const double *length, hik_bound *out);

/* One step of Hildreth's method: dq moved along the row to its bound, or back as far as the row has moved it. Returns the greatest
   move of a distance, metres. */
double hik_contacts_push(const hik_contacts *contacts, hik_bound *bound, double *dq);
