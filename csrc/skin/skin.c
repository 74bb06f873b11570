/* skin.c: vertices carried by bones.

   Purpose: the surface of a body in a posture, from the poses of its bones.
   Given: the mesh at rest; for each vertex some bones with shares and a mix; the poses that take each bone from rest.
   Returned: the vertices.
   Notes: the linear blend adds up what each bone would do, which loses volume at a bent or twisted joint; dual
     quaternions turn about a common screw, which bulges where arm and trunk part. `mix` is the share of the first. Of the
     two quaternions of a rotation each bone takes the one nearer to that of the vertex's first bone.
   Reference: L. Kavan, S. Collins, J. Zara, C. O'Sullivan, Geometric skinning with approximate dual quaternion blending,
     ACM Transactions on Graphics 27 (2008). */
#include "skin/skin.h"

#include "base/error.h"
#include "base/quat.h"

static const double SUM = 1e-6; /* what shares may miss 1 by */

static bool shares_sum(const double *share, int32_t count) {
  double sum = 0;
  for (int32_t k = 0; k < count; k++) {
    if (!(share[k] >= 0 && share[k] <= share[0])) return false;
    sum += share[k];
  }
  return fabs(sum - 1) <= SUM;
}

hik_status hik_skin_check(const hik_skin *skin, hik_error *error) {
  for (int64_t i = 0; i < skin->vertices; i++) {
    const int32_t *bone = skin->bone + i * skin->shares;
    for (int32_t k = 0; k < skin->shares; k++)
      if (bone[k] < 0 || bone[k] >= skin->bones)
        return hik_fail(error, HIK_BAD_ARGUMENT, -1, "vertex %lld: there is no bone %d, only %d",
                        (long long)i, (int)bone[k], (int)skin->bones);
    if (!shares_sum(skin->share + i * skin->shares, skin->shares))
      return hik_fail(error, HIK_BAD_ARGUMENT, -1,
                      "vertex %lld: its shares must be 0 or more, the largest first, and sum to 1",
                      (long long)i);
    if (!(skin->mix[i] >= 0 && skin->mix[i] <= 1))
      return hik_fail(error, HIK_BAD_ARGUMENT, -1, "vertex %lld: its mix is not between 0 and 1",
                      (long long)i);
  }
  return HIK_OK;
}

void hik_skin_bones(const double *poses, int32_t count, double *made) {
  for (int32_t b = 0; b < count; b++, poses += 7, made += HIK_SKIN_BONE) {
    double r[9];
    const double half[4] = {0, 0.5 * poses[0], 0.5 * poses[1], 0.5 * poses[2]};
    hik_quat_to_mat(poses + 3, r);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) made[4 * i + j] = r[3 * i + j];
      made[4 * i + 3] = poses[i];
    }
    memcpy(made + 12, poses + 3, 4 * sizeof *made);
    hik_quat_mul(half, poses + 3, made + 16);
  }
}

/* out += mix * (blended rows) v */
static void blend(const hik_skin *skin, const double *made, int64_t i, double mix, double out[3]) {
  const int32_t *bone = skin->bone + i * skin->shares;
  const double *share = skin->share + i * skin->shares, *v = skin->rest + 3 * i;
  double rows[12] = {0};
  for (int32_t k = 0; k < skin->shares && share[k] > 0; k++) {
    const double *m = made + HIK_SKIN_BONE * (int64_t)bone[k];
    for (int j = 0; j < 12; j++) rows[j] += share[k] * m[j];
  }
  for (int j = 0; j < 3; j++) {
    const double *r = rows + 4 * j;
    out[j] += mix * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2] + r[3]);
  }
}

/* out += mix * (blended screw) v */
static void screw(const hik_skin *skin, const double *made, int64_t i, double mix, double out[3]) {
  const int32_t *bone = skin->bone + i * skin->shares;
  const double *share = skin->share + i * skin->shares, *v = skin->rest + 3 * i;
  const double *first = made + HIK_SKIN_BONE * (int64_t)bone[0] + 12;
  double sum[8] = {0};
  for (int32_t k = 0; k < skin->shares && share[k] > 0; k++) {
    const double *d = made + HIK_SKIN_BONE * (int64_t)bone[k] + 12;
    double dot = first[0] * d[0] + first[1] * d[1] + first[2] * d[2] + first[3] * d[3];
    double s = dot < 0 ? -share[k] : share[k];
    for (int j = 0; j < 8; j++) sum[j] += s * d[j];
  }
  double n = 1 / sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]);
  double w = n * sum[0], x = n * sum[1], y = n * sum[2], z = n * sum[3];
  double ew = n * sum[4], ex = n * sum[5], ey = n * sum[6], ez = n * sum[7];
  double cx = y * v[2] - z * v[1] + w * v[0];
  double cy = z * v[0] - x * v[2] + w * v[1];
  double cz = x * v[1] - y * v[0] + w * v[2];
  double px = v[0] + 2 * (y * cz - z * cy) + 2 * (w * ex - ew * x + y * ez - z * ey);
  double py = v[1] + 2 * (z * cx - x * cz) + 2 * (w * ey - ew * y + z * ex - x * ez);
  double pz = v[2] + 2 * (x * cy - y * cx) + 2 * (w * ez - ew * z + x * ey - y * ex);
  out[0] += mix * px, out[1] += mix * py, out[2] += mix * pz;
}

void hik_skin_row(const hik_skin *skin, const double *made, double *out) {
  for (int64_t i = 0; i < skin->vertices; i++, out += 3) {
    double mix = skin->mix[i];
    out[0] = out[1] = out[2] = 0;
    if (mix > 0) blend(skin, made, i, mix, out);
    if (mix < 1) screw(skin, made, i, 1 - mix, out);
  }
}
