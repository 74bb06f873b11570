/* stewart_postures.c: all poses of a Gough-Stewart platform with given leg lengths.

   Given:    the platform and six lengths.
   Returned: every real pose, polished, and a certificate.
   Outcomes: dependent equations are said; paths to infinity are counted, as special platforms (points that coincide, flat
             regular ones) have fewer than 40 postures; a path that fails twice is counted and starts a second run from
             other planes, as does every count below 40: there two runs must find the same.
   Notes:    a leg is one hyperplane in the space of the 17 quadrics (study_paths.h):
               (a.a + b.b - L^2) N + 4 y.y - 2 a . (N t) + 2 b . (N R't) - 2 sum a_i b_j N R_ij = 0,  N = x.x.
             Both point sets are centred and all lengths divided by one scale; of the six planes only the span matters.
             From 40 known points on six random complex planes (stewart_start.h) 40 paths run straight to the legs'
             planes. Trace test: when one plane moves parallel to itself, the sum over all 40 points of any affine
             coordinate is linear in the move, but for no part of them, so its second derivative must vanish.
   Reference: Husty (1996) and Wampler (1996), see study_paths.c; Ronga and Vust, "Stewart platforms without computer?",
             Real Analytic and Algebraic Geometry (1995) 197-212 (the number 40); Sommese, Verschelde and Wampler,
             "Symmetric functions applied to decomposing solution sets of polynomial systems", SIAM J. Numer. Anal. 40
             (2002) 2026-2046 (trace test); Dietmaier, "The Stewart-Gough platform of general geometry can have 40 real
             postures", Advances in Robot Kinematics (1998) 7-16. */
#include "analytic/stewart.h"
#include "analytic/stewart_start.h"
#include "base/quat.h"
#include "base/rng.h"

enum { MOST_RUNS = 3, POINTS = HIK_STUDY_POINTS };

#define TOLERANCE 1e-3
#define CAREFUL   1e-5
#define DISTINCT  1e-7
#define PAIRED    1e-6
#define TRACE     1e-6

struct hik_stewart_work {
  hik_study_work paths;
  hik_study_planes start, target;
  hik_study_point first[POINTS], last[POINTS];
  hik_study_end end[POINTS];
  int32_t partner[POINTS];
  hik_study_point known[POINTS]; /* the finite points of the best run so far */
  double base_centre[3], platform_centre[3], scale;
};

size_t hik_stewart_work_size(void) { return sizeof(hik_stewart_work); }

void hik_stewart_effort(const hik_stewart_work *work, int64_t *steps, int64_t *solves) {
  *steps = work->paths.steps, *solves = work->paths.solves;
}

static void centroid(double points[HIK_LEGS][3], double centre[3]) {
  for (int k = 0; k < 3; k++) {
    centre[k] = 0;
    for (int i = 0; i < HIK_LEGS; i++) centre[k] += points[i][k] / HIK_LEGS;
    for (int i = 0; i < HIK_LEGS; i++) points[i][k] -= centre[k];
  }
}

/* The plane of a leg with base point a, platform point b and length l. */
static void leg_plane(const double a[3], const double b[3], double l, double h[HIK_STUDY_QUADRICS]) {
  double k = hik_dot(a, a) + hik_dot(b, b) - l * l, m[9];
  for (int i = 0; i < 9; i++) m[i] = -2 * a[i / 3] * b[i % 3];
  h[0] = k + m[0] + m[4] + m[8], h[4] = k + m[0] - m[4] - m[8];
  h[7] = k - m[0] + m[4] - m[8], h[9] = k - m[0] - m[4] + m[8];
  h[1] = m[7] - m[5], h[2] = m[2] - m[6], h[3] = m[3] - m[1];
  h[5] = m[1] + m[3], h[6] = m[2] + m[6], h[8] = m[5] + m[7];
  h[10] = 4;
  for (int i = 0; i < 3; i++) h[11 + i] = 2 * (b[i] - a[i]), h[14 + i] = -2 * (a[i] + b[i]);
}

static bool target_planes(const hik_stewart *s, const double *lengths, hik_stewart_work *w) {
  hik_stewart c = *s;
  double sum = 0;
  centroid(c.base, w->base_centre), centroid(c.platform, w->platform_centre);
  for (int i = 0; i < HIK_LEGS; i++)
    sum += (hik_dot(c.base[i], c.base[i]) + hik_dot(c.platform[i], c.platform[i]) + lengths[i] * lengths[i]) /
           18;
  if (!(sum > 0 && sum < 1e300)) return false;
  w->scale = sqrt(sum);
  memset(&w->target, 0, sizeof w->target);
  for (int i = 0; i < HIK_LEGS; i++) {
    double a[3], b[3], h[HIK_STUDY_QUADRICS];
    hik_scale3(1 / w->scale, c.base[i], a), hik_scale3(1 / w->scale, c.platform[i], b);
    leg_plane(a, b, lengths[i] / w->scale, h);
    for (int k = 0; k < HIK_STUDY_QUADRICS; k++) w->target.re[k][i] = h[k];
  }
  return hik_study_orthonormal(&w->target);
}

/* The stored start; in later runs its six planes are mixed by a random unitary matrix: other paths, same points. */
static void load_start(hik_stewart_work *w, int run) {
  hik_study_planes *h = &w->start, mixed;
  memset(h, 0, sizeof *h);
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
    for (int i = 0; i < HIK_LEGS; i++)
      h->re[k][i] = start_planes_re[6 * k + i], h->im[k][i] = start_planes_im[6 * k + i];
  for (int p = 0; p < POINTS; p++)
    for (int i = 0; i < 8; i++)
      w->first[p].re[i] = start_points_re[8 * p + i], w->first[p].im[i] = start_points_im[8 * p + i];
  if (run == 0) return;
  hik_rng rng = hik_rng_start(20, (uint64_t)run);
  double re[6][6], im[6][6];
  for (int i = 0; i < 36; i++)
    re[i / 6][i % 6] = 2 * hik_rng_uniform(&rng) - 1, im[i / 6][i % 6] = 2 * hik_rng_uniform(&rng) - 1;
  memset(&mixed, 0, sizeof mixed);
  for (int k = 0; k < HIK_STUDY_QUADRICS; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        mixed.re[k][i] += re[i][j] * h->re[k][j] - im[i][j] * h->im[k][j];
        mixed.im[k][i] += re[i][j] * h->im[k][j] + im[i][j] * h->re[k][j];
      }
  *h = mixed;
  hik_study_orthonormal(h);
}

static void follow(hik_stewart_work *w, int p, double tolerance) {
  w->last[p] = w->first[p];
  w->end[p] = hik_study_follow(&w->paths, tolerance, &w->last[p]);
}

static bool doubled(const hik_stewart_work *w, int p) {
  for (int k = 0; k < POINTS; k++)
    if (k != p && w->end[k] == HIK_STUDY_FINITE &&
        hik_study_distance(&w->last[p], &w->last[k], false) < DISTINCT)
      return true;
  return false;
}

static void follow_all(hik_stewart_work *w) {
  bool again[POINTS];
  hik_study_between(&w->start, &w->target, &w->paths);
  for (int p = 0; p < POINTS; p++) follow(w, p, TOLERANCE);
  for (int p = 0; p < POINTS; p++)
    again[p] = w->end[p] == HIK_STUDY_FAILED || (w->end[p] == HIK_STUDY_FINITE && doubled(w, p));
  for (int p = 0; p < POINTS; p++)
    if (again[p]) follow(w, p, CAREFUL);
  for (int p = 0; p < POINTS; p++) /* of two on one point one counts: the other is lost */
    if (w->end[p] == HIK_STUDY_FINITE && doubled(w, p)) w->end[p] = HIK_STUDY_FAILED;
}

/* Finds the conjugate of every finite point; false when one has none. */
static bool pair_up(hik_stewart_work *w) {
  bool all = true;
  for (int p = 0; p < POINTS; p++) {
    w->partner[p] = -1;
    if (w->end[p] != HIK_STUDY_FINITE) continue;
    double best = PAIRED;
    for (int k = 0; k < POINTS; k++) {
      if (w->end[k] != HIK_STUDY_FINITE) continue;
      double far = hik_study_distance(&w->last[p], &w->last[k], true);
      if (far < best) best = far, w->partner[p] = k;
    }
    all = all && w->partner[p] >= 0;
  }
  for (int p = 0; p < POINTS; p++)
    if (w->partner[p] >= 0) all = all && w->partner[w->partner[p]] == p;
  return all;
}

/* Second derivatives of v / N, summed over the points, relative to the sum of their sizes. */
static double trace(hik_stewart_work *w) {
  double sum_re[HIK_STUDY_QUADRICS] = {0}, sum_im[HIK_STUDY_QUADRICS] = {0}, sizes[HIK_STUDY_QUADRICS] = {0};
  hik_study_work *s = &w->paths;
  memset(&s->change, 0, sizeof s->change);
  s->change.re[0][5] = s->change.re[4][5] = s->change.re[7][5] = s->change.re[9][5] = 1;
  s->here = w->target;
  for (int p = 0; p < POINTS; p++) {
    if (!hik_study_series(s, &w->last[p], 3)) return INFINITY;
    double nr[3], ni[3];
    for (int k = 0; k < 3; k++) {
      nr[k] = s->gr[k][0] + s->gr[k][4] + s->gr[k][7] + s->gr[k][9];
      ni[k] = s->gi[k][0] + s->gi[k][4] + s->gi[k][7] + s->gi[k][9];
    }
    double n = 1 / (nr[0] * nr[0] + ni[0] * ni[0]), pr = nr[0] * n, pi = -ni[0] * n;
    for (int m = 0; m < HIK_STUDY_QUADRICS; m++) {
      double vr[3], vi[3]; /* v / N to second order, by division of series */
      for (int k = 0; k < 3; k++) {
        double re = s->gr[k][m], im = s->gi[k][m];
        for (int j = 1; j <= k; j++) {
          re -= nr[j] * vr[k - j] - ni[j] * vi[k - j];
          im -= nr[j] * vi[k - j] + ni[j] * vr[k - j];
        }
        vr[k] = re * pr - im * pi, vi[k] = re * pi + im * pr;
      }
      sum_re[m] += vr[2], sum_im[m] += vi[2], sizes[m] += fabs(vr[2]) + fabs(vi[2]);
    }
  }
  double worst = 0;
  for (int m = 0; m < HIK_STUDY_QUADRICS; m++)
    if (sizes[m] > 0) worst = fmax(worst, (fabs(sum_re[m]) + fabs(sum_im[m])) / sizes[m]);
  return worst;
}

/* The rigid motion of a point that is its own conjugate. */
static void motion(const hik_stewart_work *w, const hik_study_point *z, hik_pose *pose) {
  double most = 0, re = 1, im = 0, q[4], y[4], n = 0;
  for (int i = 0; i < 4; i++) {
    double size = z->re[i] * z->re[i] + z->im[i] * z->im[i];
    if (size > most) most = size, re = z->re[i], im = -z->im[i];
  }
  for (int i = 0; i < 4; i++) {
    q[i] = z->re[i] * re - z->im[i] * im, y[i] = z->re[4 + i] * re - z->im[4 + i] * im;
    n += q[i] * q[i];
  }
  double s = 2 / n, t[3], back[3];
  hik_cross(q + 1, y + 1, t);
  for (int k = 0; k < 3; k++) t[k] = s * (t[k] + q[0] * y[1 + k] - y[0] * q[1 + k]) * w->scale;
  for (int i = 0; i < 4; i++) q[i] /= sqrt(n);
  hik_quat_to_mat(q, pose->r);
  hik_mat_vec(pose->r, w->platform_centre, back);
  for (int k = 0; k < 3; k++) pose->t[k] = t[k] + w->base_centre[k] - back[k];
}

/* Moves the pose onto the leg lengths, unless it is singular and Newton's method runs away. */
static double settle(const hik_stewart *s, const double *lengths, double scale, hik_pose *pose) {
  hik_pose near = *pose;
  double l[6], far = 0, gone = 0;
  hik_stewart_step step = hik_stewart_newton(s, lengths, 4, &near);
  for (int i = 0; i < 9; i++) gone = fmax(gone, fabs(near.r[i] - pose->r[i]));
  for (int i = 0; i < 3; i++) gone = fmax(gone, fabs(near.t[i] - pose->t[i]) / scale);
  hik_stewart_lengths(s, pose, l, NULL);
  for (int i = 0; i < HIK_LEGS; i++) far = fmax(far, fabs(l[i] - lengths[i]));
  if (!(gone < 1e-5 && step.residual <= far)) return far;
  *pose = near;
  return step.residual;
}

static void judge(hik_stewart_work *w, hik_stewart_found *found) {
  int32_t count[3] = {0, 0, 0};
  for (int p = 0; p < POINTS; p++) count[w->end[p]]++;
  found->finite = count[HIK_STUDY_FINITE], found->infinite = count[HIK_STUDY_INFINITE];
  found->failed = count[HIK_STUDY_FAILED];
  found->paired = pair_up(w);
  found->trace = found->finite == POINTS ? trace(w) : NAN;
}

static void collect(const hik_stewart *s, const double *lengths, hik_stewart_work *w,
                    hik_stewart_found *found) {
  found->count = 0, found->residual = 0;
  for (int p = 0; p < POINTS; p++) {
    if (w->end[p] != HIK_STUDY_FINITE || w->partner[p] != p) continue;
    hik_pose *pose = &found->pose[found->count++];
    motion(w, &w->last[p], pose);
    found->residual = fmax(found->residual, settle(s, lengths, w->scale, pose));
  }
}

/* Whether this run's finite points are those that the run before kept, one for one. */
static bool agrees(const hik_stewart_work *w, int32_t known) {
  int32_t count = 0;
  for (int p = 0; p < POINTS; p++) {
    if (w->end[p] != HIK_STUDY_FINITE) continue;
    double least = 1;
    for (int k = 0; k < known; k++) least = fmin(least, hik_study_distance(&w->last[p], &w->known[k], false));
    if (!(least < PAIRED)) return false;
    count++;
  }
  return count == known;
}

/* What a first run leaves to be asked: nothing where all 40 are finite and the trace vanishes. With fewer there is no
   trace, and a pair far away may be taken for infinite; it takes a second run, on other paths, to find the same. */
static bool vouched(hik_stewart_work *w, const hik_stewart_found *now, int32_t known) {
  if (now->failed > 0 || !now->paired) return false;
  if (now->finite == POINTS) return now->trace < TRACE;
  return agrees(w, known);
}

bool hik_stewart_postures(const hik_stewart *s, const double *lengths, hik_stewart_work *w,
                          hik_stewart_found *found) {
  int32_t known = -1;
  w->paths.steps = w->paths.solves = 0;
  memset(found, 0, sizeof *found);
  found->trace = NAN;
  if (!target_planes(s, lengths, w)) return false;
  for (int run = 0; run < MOST_RUNS; run++) {
    hik_stewart_found now = *found;
    load_start(w, run);
    follow_all(w);
    judge(w, &now);
    bool sure = vouched(w, &now, known);
    bool better =
        run == 0 || now.finite > found->finite || (now.finite == found->finite && now.failed < found->failed);
    if (better) {
      *found = now;
      collect(s, lengths, w, found);
      known = 0;
      for (int p = 0; p < POINTS; p++)
        if (w->end[p] == HIK_STUDY_FINITE) w->known[known++] = w->last[p];
    }
    found->runs = run + 1;
    found->complete = sure;
    if (sure) break;
  }
  return true;
}
