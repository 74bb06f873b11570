"""Our own list of mutants: thresholds, guards and policies, most of which no test pinned when a reviewer looked.

Each is a name that says what would go wrong, the file, a text that stands once in it, and what stands there
instead. R-numbers are those of the reviews of November 2026.
"""

from __future__ import annotations

from pathlib import Path

from mutation.draw import Mutant

ROWS = (
    (
        "judge forgets limits",
        "csrc/term/judge.c",
        "out->met && hik_inside(p->model, q, 1e-12)",
        "out->met",
    ),
    (
        "judge lets NaN through",
        "csrc/term/judge.c",
        "if (HIK_UNLIKELY(!(out->error < INFINITY))) {",
        "if (out->error != out->error) {",
    ),
    (
        "late is not the time limit",
        "csrc/solve/drive/driver.c",
        "if (run->worker->late) return HIK_TIME_LIMIT;",
        "",
    ),
    (
        "descent: held column not taken from e",
        "csrc/solve/squares/descent.c",
        "    if (a) take_out(d, c, a);\n    for (size_t r = 0; r < (size_t)d->m; r++) d->b[r] -= d->j[r * n + (size_t)c] * d->d[c];",
        "    if (a) take_out(d, c, a);",
    ),
    (
        "no clip after the last step in lanes",
        "csrc/solve/lanes/serial.c",
        "*to = hik_clip(x, s->lower[k], s->upper[k]);",
        "*to = x;",
    ),
    (
        "farthest of several",
        "csrc/solve/squares/damped.c",
        "if (!(value < w->lowest)) return;",
        "if (value < w->lowest && w->lowest < 1e9) return;",
    ),
    (
        "stall measures the error, not what is above the floor",
        "csrc/solve/drive/pace.c",
        "double above = p->error > p->least ? p->error - p->least : 0;",
        "double above = p->error;",
    ),
    (
        "tree lanes: held column not taken from e",
        "csrc/simd/tree.inc.c",
        "-= (lane)((lane_mask)part & out);",
        "-= (lane)((lane_mask)part & out) * 0;",
    ),
    ("too near is no proof", "csrc/term/problem.c", " || span.farthest < g->inner - slack", ""),
    (
        "a lower level may worsen a higher one tenfold",
        "csrc/solve/drive/levels.c",
        "fmax(l->error[k], floor_error)",
        "10 * fmax(l->error[k], floor_error)",
    ),
    (
        "fabrik: gaps of sub-bases not passed on",
        "csrc/solve/points/fabrik_tree.c",
        "hik_axpy3(f->ends[*k].gap, sign, l->gap, f->ends[*k].gap);",
        ";",
    ),
    (
        "every restart begins where the first did",
        "csrc/solve/drive/driver.c",
        "hik_start(run, number += attempts, round.q);",
        "hik_start(run, number + attempts, round.q);",
    ),
    (
        "restarts draw what the first round drew",
        "csrc/solve/drive/driver.c",
        "make_round(t, i, number, &round, &v)",
        "make_round(t, i, 0, &round, &v)",
    ),
    (
        "whole turns are not taken back",
        "csrc/solve/drive/driver.c",
        "    hik_unwrap(call->problem, from, q);",
        "    ;",
    ),
    ("whole turns of quaternions", "csrc/solve/drive/starts.c", "return turns;", "return true;"),
    (
        "slides begin within pi metres",
        "csrc/solve/drive/starts.c",
        "m->step_kind[step] == HIK_SLIDE ? p->scale : HIK_PI",
        "HIK_PI",
    ),
    (
        "starts cut off",
        "csrc/solve/drive/auto.c",
        "starts < lanes->most ? (int32_t)starts : lanes->most",
        "starts < 2 ? (int32_t)starts : 2",
    ),
    (
        "polling twenty times rarer",
        "csrc/solve/drive/driver.c",
        "BUDGET = 20000",
        "BUDGET = 4000000",
    ),
    (
        "track: the nearer answer is not taken",
        "handik/solve/track.py",
        "other.converged & (~met[again] | (excess(again, other.q) < over[again]))",
        "other.converged",
    ),
    (
        "track: threshold of a jump",
        "handik/solve/track.py",
        "v > limit * (1 + 1e-9)",
        "v > 2 * limit",
    ),
    (
        "track: a closest pose is searched for again",
        "handik/solve/track.py",
        '(best["outcome"] != Outcome.UNREACHABLE) & ',
        "",
    ),
    (
        "sample: half of a half-open limit",
        "handik/model/core.py",
        "np.where(open_above, lower + 2 * wide, upper)",
        "np.where(open_above, lower + wide, upper)",
    ),
    (
        "sample: half of one open below",
        "handik/model/core.py",
        "open_below & ~open_above, upper - 2 * wide",
        "open_below & ~open_above, upper - wide",
    ),
    (
        "urdf: colors of shapes before those of the robot",
        "handik/files/read/urdf.py",
        "self.colors.get(name, self.inner_colors.get(name))",
        "self.inner_colors.get(name, self.colors.get(name))",
    ),
    (
        "task frame may be a reflection",
        "handik/spec/transforms.py",
        "np.diag([1.0, 1.0, np.linalg.det(left @ right)])",
        "np.eye(3)",
    ),
    ("margins: what touches", "handik/result/margins.py", "TOUCH = 1e-6", "TOUCH = 1e-3"),
    ("stream: not readable while it grows", "handik/solve/_stream.py", "self.file.flush()", "pass"),
    (
        "unwind: the first turn, not the nearest",
        "csrc/analytic/chain.c",
        "(first > 0 ? first : last < 0 ? last : 0)",
        "first",
    ),
    (
        "unwind: slack of limits",
        "csrc/analytic/chain.c",
        "slack = HIK_NEAR_LIMIT * unit",
        "slack = 1e-3 * unit",
    ),
    (
        "families: rank",
        "csrc/analytic/families.c",
        "size[k] > 1e-8 * size[0]",
        "size[k] > 1e-3 * size[0]",
    ),
    ("families are sure", "csrc/analytic/analytic.c", "if (a->families) *sure = false;", ""),
    (
        "postures: what is the same",
        "csrc/analytic/analytic.c",
        "if (d >= 1e-6) return false;",
        "if (d >= 1e-2) return false;",
    ),
    (
        "capsules: neighbours are not left out",
        "handik/problem/_constants.py",
        "if steps[a] != steps[b] and above[steps[a]] != steps[b] and above[steps[b]] != steps[a]",
        "if steps[a] != steps[b]",
    ),
    (
        "explain: not the worst pair",
        "handik/result/explain.py",
        "worst = int(np.argmin(rows))",
        "worst = 0",
    ),
    (
        "result: axes behind an ellipsis",
        "handik/result/result.py",
        "return (*key, *(slice(None),) * behind)",
        "return key",
    ),
    ("swing: how short of the back", "csrc/model/swing.h", "(HIK_PI - 1e-5)", "(HIK_PI - 1e-2)"),
    (
        "usable: quaternions of any length",
        "csrc/base/quat.h",
        "return n > 1e-200 && n < 1e200;",
        "return n > 1e-200;",
    ),
    (
        "part of a position: the bound forgets its tolerance of weights",
        "csrc/term/axes.c",
        "out->weight = fmin(out->weight, row_of(g, i)[3]);",
        "out->weight = fmax(out->weight, row_of(g, i)[3]);",
    ),
    (
        "weighed axes: those of the axis itself",
        "csrc/term/axes.c",
        "double a = w[(k + 1) % 3], b = w[(k + 2) % 3];",
        "double a = w[k], b = w[(k + 2) % 3];",
    ),
    (
        "levels: how little is progress",
        "csrc/solve/drive/levels.c",
        "crawl = 1e-6, soft_crawl = 1e-4",
        "crawl = 1e-2, soft_crawl = 1e-1",
    ),
    (
        "loop hinge: opposite axes pass",
        "csrc/term/pair.c",
        "hik_atan2(hik_norm(d), hik_dot(a, b));",
        "hik_atan2(hik_norm(d), fabs(hik_dot(a, b)));",
    ),
    (
        "restart: the farther answer is kept",
        "csrc/solve/drive/driver.c",
        "return hik_even_error(p, v) < hik_even_error(p, verdict);",
        "return hik_even_error(p, v) > hik_even_error(p, verdict);",
    ),
    (
        "tolerance of a position",
        "handik/problem/problem.py",
        "DEFAULT_TOLERANCE = 1e-4",
        "DEFAULT_TOLERANCE = 1e-3",
    ),
    ("inside: unit quaternions", "csrc/model/coordinates.c", "- 1) <= 1e-9)", "- 1) <= 1e-3)"),
    ("centre of mass: margin", "handik/problem/_support.py", "room[i] >= 0:", "room[i] > -0.05:"),
    (
        "solutions: nearest by the sum",
        "handik/closed/analytic.py",
        "gap = np.max(np.abs(rows - wanted[..., None, :]), axis=-1, initial=0.0)",
        "gap = np.sum(np.abs(rows - wanted[..., None, :]), axis=-1)",
    ),
    (
        "solutions: samples of a lock begin outside its limits",
        "handik/closed/_samples.py",
        "low = min(max(low, -np.pi), high - 2 * np.pi)",
        "low = -np.pi",
    ),
    (
        "arm angle: where a whole turn begins",
        "handik/closed/arm_angle.py",
        "2 * np.pi if start <= -np.pi else 0.0",
        "2 * np.pi if start < -np.pi else 0.0",
    ),
    (
        "capsule: its half balls are at its middle",
        "handik/files/read/_mjcf_body.py",
        "b * (0.4 * r * r + h * (2 * h + 3 * r) / 8)",
        "b * (0.4 * r * r)",
    ),
    (
        "simulate: work of pushes has the wrong sign",
        "handik/model/dynamics/simulate.py",
        "push -= self._ask(_INVERSE",
        "push += self._ask(_INVERSE",
    ),
    (
        "pushes pull",
        "csrc/simd/dynamics_lanes.h",
        "out[i] -= own[i], out",
        "out[i] += own[i], out",
    ),
    (
        "limits: offset of what follows a follower",
        "handik/model/_freeze.py",
        "offset += scale * master.mimic.offset",
        "offset += master.mimic.offset",
    ),
    (
        "model: offset of what follows a follower",
        "csrc/model/definition.c",
        "own[0] * up[1] + own[1]",
        "up[1] + own[1]",
    ),
    (
        "two: what touches",
        "csrc/analytic/subproblem.c",
        "#define TOUCH 1e-9",
        "#define TOUCH 1e-3",
    ),
    (
        "balls in lanes: where the series of a swing ends",
        "csrc/simd/tree_cone.h",
        "lane_mask wide = angle > 1e-4;",
        "lane_mask wide = angle > 1e-3;",
    ),
    (
        "shared coordinates: what counts as flat",
        "csrc/solve/points/shared.c",
        "static const double FLAT = 1e-14;",
        "static const double FLAT = 1e-13;",
    ),
    (
        "nearest: fewer than six turns are left to descents",
        "csrc/analytic/nearest.c",
        "(c->n < 6 && a->task",
        "(c->n < 0 && a->task",
    ),
)


def own(root: Path) -> list[Mutant]:
    """The list; a row whose text does not stand once in its file is named and left out."""
    out = []
    for name, file, old, new in ROWS:
        path = root / file
        text = path.read_text("utf-8") if path.is_file() else ""
        if text.count(old) == 1:
            out.append(Mutant(file, text.index(old), old, new, "own list", name))
        else:
            print(f"not found any more: {name}: {old!r} of {file}", flush=True)
    return out
