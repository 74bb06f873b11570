/* contact.c: see contact.h. */
#include "plan/contact.h"

enum { W = HIK_GROUP };

void hik_contacts_take(hik_contacts *c, hik_block *block, int32_t nv, int32_t obstacles) {
  c->nv = nv, c->obstacles = obstacles;
  c->near = HIK_TAKE(block, hik_near, HIK_CONTACTS);
  c->row = HIK_TAKE(block, double, (int64_t)HIK_CONTACTS *W *nv);
  c->inverse = HIK_TAKE(block, double, HIK_CONTACTS *W);
}

void hik_contacts_gather(hik_contacts *c, hik_check *check, double cutoff) {
  int32_t nv = c->nv, count = hik_check_near(check, cutoff, cutoff, c->near, HIK_CONTACTS);
  c->count = count < HIK_CONTACTS ? count : HIK_CONTACTS;
  for (int32_t i = 0; i < c->count; i++) {
    double *row = c->row + (size_t)i * W * (size_t)nv, *inverse = c->inverse + W * (size_t)i;
    hik_check_row(check, c->near + i, row);
    double square[W] = {0};
    for (int32_t k = 0; k < nv; k++)
      for (int l = 0; l < W; l++) square[l] += row[W * k + l] * row[W * k + l];
    for (int l = 0; l < W; l++) inverse[l] = square[l] > 1e-9 ? 1 / square[l] : 0;
  }
}

bool hik_contacts_bound(const hik_contacts *c, int32_t i, const double *want, double most,
                        const double *length, hik_bound *out) {
  const double *inverse = c->inverse + W * (size_t)i, *d = c->near[i].distance;
  bool may = false;
  out->row = i;
  for (int l = 0; l < W; l++) {
    double need = want[l] - d[l];
    out->need[l] = need > most ? most : need, out->force[l] = 0;
    may |= inverse[l] > 0 && (need > 0 || need * need * inverse[l] < length[l] * length[l]);
  }
  return may;
}

double hik_contacts_push(const hik_contacts *c, hik_bound *b, double *dq) {
  return hik_row_push(c->row + (size_t)b->row * W * (size_t)c->nv, c->inverse + W * (size_t)b->row, b->need,
                      b->force, dq, c->nv);
}
