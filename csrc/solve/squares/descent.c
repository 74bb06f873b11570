/* descent.c: see descent.h. */
#include "solve/squares/descent.h"

#include "base/dense.h"
#include "base/quat.h"
#include "base/rng.h"
#include "solve/drive/starts.h"

/* ---- singular values ---- */

typedef struct charged {
  hik_worker *worker;
  int64_t row; /* work of a row against the others */
} charged;

static bool charge_row(void *context) {
  const charged *c = context;
  return hik_poll(c->worker, c->row);
}

bool hik_descent_svd(hik_descent *d, int32_t m, int32_t n, double *a, double *u, double *s) {
  enum { PASSES = 30, LONG = 1 << 21 /* operations of a sweep that are milliseconds */ };
  int64_t sweep = (int64_t)m * m * n;
  charged c = {d->run->worker, 3 * (int64_t)m * n / HIK_WORK};
  if (sweep > LONG) return hik_svd_while(m, n, a, u, s, charge_row, &c);
  hik_descent_charge(d, m, n, PASSES * (int64_t)(m < n ? m : n));
  hik_svd(m, n, a, u, s);
  return true;
}

/* ---- columns ---- */

/* Gives every active step its first column; seen [nv] is -1 or the column of a coordinate. */
static int32_t number_columns(const hik_problem *p, int32_t *seen, int32_t *step_column) {
  const hik_model *m = p->model;
  int32_t n = 0;
  for (int32_t v = 0; v < m->nv; v++) seen[v] = -1;
  for (int32_t s = 0; s < m->n_step; s++) step_column[s] = -1;
  for (int32_t k = 0; k < p->n_active; k++) {
    int32_t s = p->active[k], v = m->step_v[s];
    if (!hik_step_free(m, s)) continue;
    if (seen[v] < 0) {
      seen[v] = n;
      n += m->step_kind[s] == HIK_BALL_STEP ? 3 : 1;
    }
    step_column[s] = seen[v];
  }
  for (int32_t k = 0; k < p->n_active && m->n_follow > 0; k++)
    if (hik_step_follows(m, p->active[k])) step_column[p->active[k]] = seen[m->step_v[p->active[k]]];
  return n;
}

/* An upper bound that needs no memory: coordinates of v above some goal, shared ones counted again. */
hik_descent_size hik_descent_sizes(const hik_problem *p) {
  hik_descent_size size = {.m = (uint64_t)p->rows, .n = 1};
  for (int32_t k = 0; k < p->n_active; k++)
    if (hik_step_free(p->model, p->active[k]))
      size.n += p->model->step_kind[p->active[k]] == HIK_BALL_STEP ? 3 : 1;
  size.least = size.m < size.n ? size.m : size.n;
  size.square = size.least * (size.least + 1);
  return size;
}

void hik_descent_lay_out(hik_descent *d, const hik_problem *p, hik_block *block) {
  hik_descent_size size = hik_descent_sizes(p);
  HIK_TAKE_INTS(block, p->model->n_step, &d->step_column);
  HIK_TAKE_INTS(block, size.n, &d->column_q, &d->column_part, &d->free);
  d->chart = HIK_TAKE(block, hik_chart, size.n);
  HIK_TAKE_DOUBLES(block, size.n, &d->lower, &d->upper, &d->unit, &d->g, &d->x, &d->d);
  HIK_TAKE_DOUBLES(block, size.m, &d->row_scale, &d->e, &d->b);
  HIK_TAKE_DOUBLES(block, size.m * size.n, &d->j, &d->jf);
  d->wanted = HIK_TAKE(block, hik_pose, p->n_goal);
  d->jac = HIK_TAKE(block, double, 6 * size.n);
  d->seen = HIK_TAKE(block, int32_t, (uint64_t)p->model->nv + size.n);
  d->mass = HIK_TAKE(block, double, 4 * (size_t)p->model->n_step);
  d->best_q = HIK_TAKE(block, double, p->model->nq);
}

/* Limits, units and places of the columns of step s. */
static void describe_columns(hik_descent *d, int32_t s) {
  const hik_model *m = d->p->model;
  int32_t c = d->step_column[s], q = m->step_q[s];
  bool ball = m->step_kind[s] == HIK_BALL_STEP;
  d->chart[c].cone = ball ? hik_step_cone(m, s) : NULL;
  d->charts = d->charts || d->chart[c].cone;
  for (int32_t k = 0; k < (ball ? 3 : 1); k++, c++) {
    d->column_q[c] = q;
    d->column_part[c] = ball ? k : HIK_NO_BALL;
    d->lower[c] = ball ? -INFINITY : m->lower[q];
    d->upper[c] = ball ? INFINITY : m->upper[q];
    d->unit[c] = m->step_kind[s] == HIK_SLIDE ? d->length : 1;
  }
}

static bool plain_goal(const hik_goal *g) {
  uint32_t caps = hik_goal_class(g)->caps;
  return caps == HIK_HAS_POSITION || caps == HIK_HAS_ORIENTATION ||
         caps == (HIK_HAS_POSITION | HIK_HAS_ORIENTATION);
}

void hik_descent_prepare(hik_descent *d, hik_run *run, bool chordal) {
  const hik_problem *p = run->problem;
  d->p = p;
  d->run = run;
  d->chordal = chordal;
  d->length = p->scale;
  d->m = p->rows;
  d->charts = false;
  d->n = number_columns(p, d->seen, d->step_column);
  /* a shared coordinate takes its unit from the joint it belongs to: described last */
  for (int32_t k = p->n_active; k-- > 0;)
    if (d->step_column[p->active[k]] >= 0 && !hik_step_follows(p->model, p->active[k]))
      describe_columns(d, p->active[k]);
  for (int32_t i = 0; i < p->n_goal; i++) {
    const hik_goal *g = p->goal + i;
    for (int32_t r = g->row; r < g->row + g->rows; r++)
      d->row_scale[r] = p->metric[r] ? g->term.weight / d->length : g->term.weight;
  }
}

void hik_descent_begin(hik_descent *d, const double *target, double *q) {
  d->target = target;
  d->q = q;
  d->error = d->best = INFINITY;
  if (!d->chordal) return;
  for (int32_t i = 0; i < d->p->n_goal; i++) {
    const hik_goal *g = d->p->goal + i;
    if (plain_goal(g)) hik_goal_class(g)->wanted(g, target + g->column, d->wanted[i].t, d->wanted[i].r);
  }
}

/* ---- residual and Jacobian ---- */

/* 2 sin(angle / 2) times the axis of `have` relative to `want`. */
static void chord(const double *have, const double *want, double *out) {
  double trace = 1, a[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    double h[3], w[3], c[3];
    hik_mat_column(have, k, h);
    hik_mat_column(want, k, w);
    hik_cross(w, h, c);
    hik_add3(a, c, a);
    trace += hik_dot(h, w);
  }
  if (trace > 1e-3) {
    hik_scale3(1 / sqrt(trace), a, out);
    return;
  }
  double relative[9], q[4];
  hik_mat_mult(have, want, relative);
  hik_quat_from_mat(relative, q);
  hik_scale3(q[0] < 0 ? -2 : 2, q + 1, out);
}

static void goal_residual(const hik_descent *d, int32_t i, double *out) {
  const hik_goal *g = d->p->goal + i;
  const hik_term_class *c = hik_goal_class(g);
  if (!d->chordal || !plain_goal(g)) {
    const hik_sight sight = {d->p->model, d->q, d->run->world};
    hik_goal_residual(g, d->target, &sight, out);
    return;
  }
  hik_pose frame;
  hik_goal_pose(g, d->run->world, &frame);
  if (c->caps & HIK_HAS_POSITION) {
    hik_sub3(frame.t, d->wanted[i].t, out);
    out += 3;
  }
  if (c->caps & HIK_HAS_ORIENTATION) chord(frame.r, d->wanted[i].r, out);
}

void hik_descent_residual(hik_descent *d) {
  const hik_problem *p = d->p;
  double sum = 0;
  hik_charge(d->run->worker, p->n_active + d->m);
  hik_list_poses(p->model, p->active, p->n_active, d->q, d->run->world);
  for (int32_t i = 0; i < p->n_goal; i++) goal_residual(d, i, d->e + p->goal[i].row);
  for (int32_t r = 0; r < d->m; r++) {
    d->e[r] *= d->row_scale[r];
    sum += d->e[r] * d->e[r];
  }
  d->error = sqrt(sum);
}

static void goal_jacobian(hik_descent *d, int32_t i, double *rows) {
  const hik_goal *g = d->p->goal + i;
  const hik_term_class *c = hik_goal_class(g);
  size_t n = (size_t)d->n;
  if (c->sight_jacobian) {
    const hik_sight sight = {d->p->model, d->q, d->run->world};
    const hik_columns columns = {d->n, d->seen, d->unit, d->jac, d->mass};
    memset(rows, 0, (size_t)g->rows * n * sizeof *rows);
    c->sight_jacobian(g, d->target + g->column, &sight, &columns, rows);
    return;
  }
  hik_pose frame;
  hik_goal_pose(g, d->run->world, &frame);
  bool plain = d->chordal && plain_goal(g), whole = plain && c->rows == 6;
  double *jac = whole ? rows : d->jac;
  memset(jac, 0, 6 * n * sizeof *jac);
  hik_point_jacobian(d->p->model, g->step, frame.t, d->q, d->run->world,
                     &(hik_column_map){d->step_column, d->unit}, jac, d->n);
  if (!plain)
    c->jacobian(g, d->target + g->column, &frame, jac, d->n, rows);
  else if (!whole)
    memcpy(rows, jac + (c->caps & HIK_HAS_POSITION ? 0 : 3 * n), 3 * n * sizeof *rows);
}

/* ---- balls with limits ---- */

void hik_descent_charts(hik_descent *d, const double *q) {
  if (!d->charts) return;
  for (int32_t k = 0; k < d->n; k++)
    if (d->column_part[k] == 0 && d->chart[k].cone) hik_chart_make(d->chart + k, q + d->column_q[k]);
}

/* Columns of rotation vectors to columns of the charts. */
static void to_charts(hik_descent *d) {
  size_t n = (size_t)d->n;
  for (size_t k = 0; k < n; k++) {
    if (d->column_part[k] != 0 || !d->chart[k].cone) continue;
    double turn[3][3];
    hik_chart_turns(d->chart + k, turn);
    for (size_t r = 0; r < (size_t)d->m; r++) {
      double *at = d->j + r * n + k, own[3] = {at[0], at[1], at[2]};
      for (int i = 0; i < 3; i++) at[i] = hik_dot(own, turn[i]);
    }
  }
}

void hik_descent_jacobian(hik_descent *d) {
  size_t n = (size_t)d->n;
  hik_descent_charge(d, d->m, d->n, 8);
  for (int32_t i = 0; i < d->p->n_goal; i++) goal_jacobian(d, i, d->j + (size_t)d->p->goal[i].row * n);
  if (d->charts) {
    hik_descent_charts(d, d->q);
    to_charts(d);
  }
  memset(d->g, 0, n * sizeof *d->g);
  for (size_t r = 0; r < (size_t)d->m; r++) {
    double *row = d->j + r * n, scale = d->row_scale[r], e = d->e[r];
    for (size_t k = 0; k < n; k++) {
      row[k] *= scale;
      d->g[k] += e * row[k];
    }
  }
}

bool hik_descent_met(const hik_descent *d) {
  const double slack = 1 + 1e-9;
  for (int32_t i = 0; i < d->p->n_goal; i++) {
    const hik_goal *g = d->p->goal + i;
    uint32_t caps = hik_goal_class(g)->caps;
    const double *e = d->e + g->row, *scale = d->row_scale + g->row;
    if (caps & HIK_HAS_POSITION) {
      if (!(hik_norm(e) <= g->term.position_tolerance * scale[0] * slack)) return false;
      e += 3, scale += 3;
    }
    /* chord <= angle, for rotations and for axes */
    if (caps & (HIK_HAS_ORIENTATION | HIK_HAS_AXIS) &&
        !(hik_norm(e) <= g->term.orientation_tolerance * scale[0] * slack))
      return false;
  }
  hik_verdict v;
  hik_judge_world(d->p, d->target, d->q, d->run->world, &v);
  return v.met;
}

/* ---- moving ---- */

void hik_descent_move(const hik_descent *d, const double *from, const double *x, double *to) {
  if (to != from) hik_copy_q(d->p->model, from, to);
  for (int32_t k = 0; k < d->n; k++) {
    int32_t q = d->column_q[k];
    if (d->column_part[k] == HIK_NO_BALL) {
      to[q] = hik_clip(from[q] + d->unit[k] * x[k], d->lower[k], d->upper[k]);
      continue;
    }
    const hik_chart *chart = d->chart + k;
    if (chart->cone) {
      const double *at = chart->x;
      double in[3];
      hik_chart_move(chart, x + k, in);
      bool moved = in[0] != at[0] || in[1] != at[1] || in[2] != at[2];
      hik_swing_clamp(chart->cone, in);
      if (moved) hik_swing_join(chart->cone, in, to + q);
      if (moved) hik_quat_normalize(to + q);
    } else {
      double turn[4];
      hik_quat_exp(x + k, turn);
      hik_quat_mul(from + q, turn, to + q);
      hik_quat_normalize(to + q);
    }
    k += 2;
  }
}

/* ---- limits as an active set ---- */

bool hik_descent_pushed_out(const hik_descent *d, int32_t k) {
  double down, up;
  hik_descent_room(d, d->q, k, &down, &up);
  return (down >= 0 && d->g[k] > 0) || (up <= 0 && d->g[k] < 0);
}

/* J of the first `count` free columns. */
static const double *gather(hik_descent *d, int32_t count) {
  size_t n = (size_t)d->n, f = (size_t)count;
  if (f == n) return d->j;
  for (size_t r = 0; r < (size_t)d->m; r++)
    for (size_t k = 0; k < f; k++) d->jf[r * f + k] = d->j[r * n + (size_t)d->free[k]];
  return d->jf;
}

/* Longest move of a free column; those of one ball count together. */
static double longest(const hik_descent *d, int32_t count) {
  double most = 0, square = 0;
  int32_t ball = -1;
  for (int32_t k = 0; k < count; k++) {
    int32_t c = d->free[k], part = d->column_part[c];
    double move = d->x[c];
    square = part != HIK_NO_BALL && c - part == ball ? square + move * move : move * move;
    ball = part != HIK_NO_BALL ? c - part : -1;
    most = fmax(most, square);
  }
  return sqrt(most);
}

/* Lower triangle of a -= c c' for column c of J. */
static void take_out(const hik_descent *d, int32_t column, double *a) {
  const double *c = d->j + column;
  size_t m = (size_t)d->m, n = (size_t)d->n;
  for (size_t r = 0; r < m; r++)
    for (size_t s = 0; s <= r; s++) a[r * m + s] -= c[r * n] * c[s * n];
}

/* Puts the columns that leave their room on its edge and takes them out, of `a` too if it is given; how many stay free. */
HIK_INLINE int32_t hold_crossing(hik_descent *d, int32_t count, double clamp, double *a) {
  size_t n = (size_t)d->n;
  double most = clamp > 0 ? longest(d, count) : 0, shrink = most > clamp ? clamp / most : 1;
  int32_t left = 0;
  for (int32_t k = 0; k < count; k++) {
    int32_t c = d->free[k];
    double x = d->x[c] * shrink, down, up;
    hik_descent_room(d, d->q, c, &down, &up);
    if (x >= down && x <= up) {
      d->d[c] = x;
      d->free[left++] = c;
      continue;
    }
    d->d[c] = x < down ? down : up;
    if (a) take_out(d, c, a);
    for (size_t r = 0; r < (size_t)d->m; r++) d->b[r] -= d->j[r * n + (size_t)c] * d->d[c];
  }
  return left;
}

/* Moves d->x of the first `count` free columns, by column, for d->b. False: there are none. */
typedef bool free_moves(hik_descent *d, int32_t count, void *context);

/* The step of hik_descent_step; `a`: J J' of which what is held is to be taken out, or NULL. */
HIK_INLINE bool step_inside(hik_descent *d, free_moves *moves, void *context, double clamp, double *a) {
  int32_t count = 0, left;
  for (int32_t k = 0; k < d->n; k++) {
    d->d[k] = 0;
    if (!hik_descent_pushed_out(d, k))
      d->free[count++] = k;
    else if (a)
      take_out(d, k, a);
  }
  for (int32_t r = 0; r < d->m; r++) d->b[r] = -d->e[r];
  for (int32_t pass = 1; count > 0; pass++, count = left) {
    if (!moves(d, count, context)) return false;
    left = hold_crossing(d, count, clamp, a);
    if (left == count || pass == HIK_ACTIVE_SET_PASSES) break;
  }
  return true;
}

typedef struct ruled {
  hik_rule *rule;
  void *context;
} ruled;

static bool moves_by_rule(hik_descent *d, int32_t count, void *context) {
  const ruled *by = context;
  hik_descent_charge(d, d->m, count, 4 + (d->m < count ? d->m : count));
  if (!by->rule(by->context, d->m, count, gather(d, count), d->b, d->x)) return false;
  for (int32_t k = count - 1; k >= 0 && count < d->n; k--) d->x[d->free[k]] = d->x[k]; /* places come first */
  return true;
}

bool hik_descent_step(hik_descent *d, hik_rule *rule, void *context, double clamp) {
  return step_inside(d, moves_by_rule, &(ruled){rule, context}, clamp, NULL);
}

/* x = J' a^-1 b for all columns; work: a, and memory for its factor and one column. */
static bool moves_by_square(hik_descent *d, int32_t count, void *work) {
  size_t m = (size_t)d->m, n = (size_t)d->n;
  double *a = work, *l = a + m * m, *y = l + m * m;
  (void)count;
  memcpy(l, a, m * m * sizeof *l);
  if (!hik_cholesky(d->m, l, 1e-15)) return false;
  memcpy(y, d->b, m * sizeof *y);
  hik_cholesky_solve(d->m, l, y);
  memset(d->x, 0, n * sizeof *d->x);
  for (size_t r = 0; r < m; r++)
    for (size_t k = 0; k < n; k++) d->x[k] += y[r] * d->j[r * n + k];
  return true;
}

bool hik_descent_damped_step(hik_descent *d, double damping, double clamp, double *work) {
  size_t m = (size_t)d->m;
  hik_descent_charge(d, d->m, d->n, 4 + d->m);
  hik_outer(d->m, d->n, d->j, work);
  for (size_t r = 0; r < m; r++) work[r * m + r] += damping;
  return step_inside(d, moves_by_square, work, clamp, work);
}

/* ---- best pose, nudge ---- */

void hik_descent_keep(hik_descent *d) {
  if (!(d->error < d->best)) return;
  d->best = d->error;
  hik_copy_q(d->p->model, d->q, d->best_q);
}

void hik_descent_restore(hik_descent *d) {
  if (d->best < INFINITY) hik_copy_q(d->p->model, d->best_q, d->q);
}

void hik_descent_nudge(hik_descent *d, int32_t round, double size) {
  hik_rng rng = hik_rng_start(d->run->options->seed, 0x6e75646765u + (uint64_t)round);
  hik_descent_charts(d, d->q);
  for (int32_t k = 0; k < d->n; k++) {
    double push = size * (2 * hik_rng_uniform(&rng) - 1), down, up;
    hik_descent_room(d, d->q, k, &down, &up);
    /* towards the inside where a limit is in the way */
    d->d[k] = push < down || push > up ? -push : push;
  }
  hik_descent_move(d, d->q, d->d, d->q);
}

/* ---- the loop's book-keeping ---- */

void hik_descent_place(hik_pace *pace) { hik_descent_residual(pace->work); }

bool hik_descent_look(hik_pace *pace) {
  const hik_descent *d = pace->work;
  const hik_problem *p = d->p;
  pace->error = d->error;
  /* what is combined is looked at where it stands, not where a step that was taken back led */
  if (pace->mix) hik_list_poses(p->model, p->active, p->n_active, d->q, d->run->world);
  return hik_descent_met(d);
}

void hik_descent_push(hik_pace *pace, int32_t round) {
  hik_descent_nudge(pace->work, round, 0.1 * (1 + round));
}

hik_pace hik_descent_pace(hik_descent *d, const hik_method *method, const double *target,
                          hik_answer *answer) {
  hik_descent_begin(d, target, answer->q);
  return hik_pace_of(method, d, d->run, target, answer, d->best_q);
}

void hik_descent_run(hik_descent *d, const hik_method *method, int32_t patience, bool polish,
                     const double *target, hik_answer *answer) {
  const double *param = d->run->options->param;
  hik_pace pace = hik_descent_pace(d, method, target, answer);
  pace.patience = patience, pace.polish = polish;
  pace.nudges = (int32_t)param[HIK_DESCENT_NUDGES], pace.starts = (int32_t)param[HIK_DESCENT_STARTS];
  hik_pace_run(&pace);
}
