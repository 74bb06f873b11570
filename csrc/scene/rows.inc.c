/* rows.inc.c: how distances of a group grow by the coordinates, moves kept to such rows, and motions of an edge.

   Purpose   the functions of hik_scene_kernels that planners live on
   Notes     see group.inc.c, whose lanes these are. */

/* Adds to row what n . x grows by, x carried by a step: sign of the pair's side. */
static void row_of_point(const hik_check *check, int32_t step, const double (*x)[HIK_GROUP],
                         const double (*n)[HIK_GROUP], double sign, double *row) {
  const hik_model *m = check->figure->model;
  for (int32_t s = step; s >= 0; s = m->step_parent[s]) {
    const double *pose = check->pose + 12 * HIK_GROUP * (size_t)s, *follows = hik_step_follows(m, s);
    bool ball = m->step_kind[s] == HIK_BALL_STEP;
    double scale = ball || follows ? sign : sign * m->step_line[2 * (size_t)s];
    for (int r = 0; r < check->count; r += LANES) {
      lane lever[3], normal[3], moment[3];
      for (int i = 0; i < 3; i++) {
        normal[i] = LANE_OF(n[i] + r);
        lever[i] = LANE_OF(x[i] + r) - OF16(pose, 9 + i, r);
      }
      lane_cross(lever, normal, moment); /* n . (axis x lever) = axis . (lever x n) */
      const lane *by = m->step_kind[s] == HIK_SLIDE ? normal : moment;
      for (int k = ball ? 0 : 2, v = m->step_v[s]; k < 3; k++, v++) {
        lane rate =
            scale * (OF16(pose, k, r) * by[0] + OF16(pose, 3 + k, r) * by[1] + OF16(pose, 6 + k, r) * by[2]);
        if (!follows) {
          AT16(row, v, r) += rate;
          continue;
        }
        for (int l = 0; l < LANES; l++) {
          double quat[4], by_ball[3];
          for (int i = 0; i < 4; i++) quat[i] = check->q[HIK_GROUP * (m->step_q[s] + i) + r + l];
          hik_follow_rates(follows, quat, by_ball);
          for (int i = 0; i < 3; i++) row[HIK_GROUP * (v + i) + r + l] += by_ball[i] * rate[l];
        }
      }
    }
  }
}

static void row(const hik_check *check, const hik_near *near, double *out) {
  int32_t obstacles = check->world->n;
  memset(out, 0, sizeof(double) * HIK_GROUP * (size_t)check->figure->model->nv);
  row_of_point(check, check->figure->step[near->capsule], near->axis, near->normal, 1, out);
  if (near->other >= obstacles)
    row_of_point(check, check->figure->step[near->other - obstacles], near->other_axis, near->normal, -1,
                 out);
}

/* See hik_row_push. */
static double push(const double *row, const double *inverse, const double *need, double *force, double *dq,
                   int32_t nv) {
  enum { N = HIK_GROUP / LANES };
  lane by[N], most = lane_all(0), none = lane_all(0);
  uint32_t moves = 0;
  for (int i = 0; i < N; i++) by[i] = none;
  for (int32_t k = 0; k < nv; k++)
    for (int i = 0; i < N; i++) by[i] += OF16(row, k, i * LANES) * OF16(dq, k, i * LANES);
  for (int i = 0; i < N; i++) {
    lane before = OF16(force, 0, i * LANES), lacks = OF16(need, 0, i * LANES) - by[i],
         after = before + lacks * OF16(inverse, 0, i * LANES);
    after = lane_choose(after > 0, after, none);
    by[i] = after - before;
    AT16(force, 0, i * LANES) = after;
    lane far = lane_choose(after > 0, lane_abs(lacks), none);
    most = lane_choose(far > most, far, most);
    moves |= LANE_BITS(by[i] != 0);
  }
  double greatest = 0;
  for (int l = 0; l < LANES; l++) greatest = most[l] > greatest ? most[l] : greatest;
  if (!moves) return greatest; /* no lane: the same on every width */
  for (int32_t k = 0; k < nv; k++)
    for (int i = 0; i < N; i++) AT16(dq, k, i * LANES) += by[i] * OF16(row, k, i * LANES);
  return greatest;
}

/* sum [n] += motion times the levers that bits are for, eight each. */
static void motions(const double *lever, const uint64_t *some, int32_t n, double motion, double *sum) {
  for (int32_t word = 0; 64 * HIK_EIGHT * word < n; word++)
    for (uint64_t bits = some[word]; bits; bits &= bits - 1) {
      int32_t first = HIK_EIGHT * (64 * word + __builtin_ctzll(bits));
      double *to = sum + first;
      const double *by = lever + first;
      if (n - first >= HIK_EIGHT)
        for (int k = 0; k < HIK_EIGHT; k += LANES)
          LANE_AT(to + k) = LANE_OF(to + k) + motion * LANE_OF(by + k);
      else
        for (int32_t k = 0; k < n - first; k++) to[k] += motion * by[k];
    }
}
