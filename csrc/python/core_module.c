/* core_module.c: module handik._core: state, types, tables, and the hooks the tests use. */
#define HIK_CORE_MODULE

#include "python/core.h"

/* ---- a counting allocator, so that tests can see leaks and make any allocation fail ---- */

static atomic_llong live_blocks, fail_in = -1;

static void *counted_alloc(void *context, size_t size) {
  (void)context;
  if (atomic_load_explicit(&fail_in, memory_order_relaxed) >= 0 && atomic_fetch_sub(&fail_in, 1) == 0)
    return NULL;
  void *memory = malloc(size);
  if (memory) atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
  return memory;
}

static void counted_free(void *context, void *memory, size_t size) {
  (void)context, (void)size;
  atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
  free(memory);
}

static PyObject *core_fail_allocation(PyObject *module, PyObject *n) {
  (void)module;
  long long count = PyLong_AsLongLong(n);
  if (count == -1 && PyErr_Occurred()) return NULL;
  atomic_store(&fail_in, count);
  Py_RETURN_NONE;
}

static PyObject *core_live_blocks(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  return PyLong_FromLongLong(atomic_load(&live_blocks));
}

/* ---- tables ---- */

static PyObject *params_of(const hik_entry *row) {
  PyObject *params = PyDict_New();
  for (int32_t k = 0; params && k < row->n_param; k++) {
    const hik_option *o = row->option ? row->option + k : NULL;
    PyObject *value = PyFloat_FromDouble(o ? o->preset : row->param_default[k]);
    if (!value || PyDict_SetItemString(params, o ? o->name : row->param_name[k], value) < 0) Py_CLEAR(params);
    Py_XDECREF(value);
  }
  return params;
}

/* Least and most of each option of a solver, and whether it is a whole number. */
static PyObject *ranges_of(const hik_entry *row) {
  PyObject *ranges = PyDict_New();
  for (int32_t k = 0; ranges && row->option && k < row->n_param; k++) {
    const hik_option *o = row->option + k;
    PyObject *range = Py_BuildValue("(ddN)", o->least, o->most, PyBool_FromLong(o->whole));
    if (!range || PyDict_SetItemString(ranges, o->name, range) < 0) Py_CLEAR(ranges);
    Py_XDECREF(range);
  }
  return ranges;
}

static PyObject *core_table(PyObject *module, PyObject *name) {
  static const char *const names[] = {"joints", "terms", "solvers", "outcomes", "methods"};
  (void)module;
  int which = 0;
  while (which < 5 && !(PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, names[which]) == 0))
    which++;
  if (which == 5) {
    PyErr_SetString(PyExc_ValueError, "table must be joints, terms, solvers, outcomes or methods");
    return NULL;
  }
  Py_ssize_t count = hik_count((hik_table)which);
  PyObject *rows = PyTuple_New(count);
  for (Py_ssize_t i = 0; rows && i < count; i++) {
    hik_entry row = hik_row((hik_table)which, (int32_t)i);
    PyObject *params = params_of(&row), *ranges = params ? ranges_of(&row) : NULL, *item = NULL;
    if (ranges)
      item = Py_BuildValue("(sssiOOO)", row.name, row.summary, row.reference ? row.reference : "",
                           (int)row.width, params, row.own ? Py_True : Py_False, ranges);
    Py_XDECREF(params);
    Py_XDECREF(ranges);
    if (!item || PyTuple_SetItem(rows, i, item) < 0) Py_CLEAR(rows);
  }
  return rows;
}

static PyObject *core_simd(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  return PyUnicode_FromString(hik_simd());
}

static PyObject *core_simd_select(PyObject *module, PyObject *name) {
  (void)module;
  if (!PyUnicode_Check(name)) {
    PyErr_SetString(PyExc_TypeError, "the instruction set must be named by a text");
    return NULL;
  }
  const char *text = core_name(name);
  return PyBool_FromLong(text && hik_simd_select(text));
}

/* ---- what stands above the core ---- */

bool core_bound(const core_state *state, const void *what) {
  if (!what)
    PyErr_SetString(state->internal_error, "the core was not handed what it calls: import handik first");
  return what;
}

static void put(PyObject **place, PyObject *with) {
  PyObject *old = *place;
  *place = Py_NewRef(with);
  Py_XDECREF(old);
}

/* What is made or called from here and is written in Python: given by the rooms above as they are imported. */
static PyObject *core_bind(PyObject *module, PyObject *args, PyObject *named) {
  core_state *state = PyModule_GetState(module);
  static char *names[] = {"Result", "Outcome", "Method", "solve_goal", "Solutions", "every_posture", NULL};
  PyObject *result = NULL, *outcomes = NULL, *methods = NULL, *solve = NULL, *solutions = NULL, *every = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, named, "|$OOOOOO:_bind", names, &result, &outcomes, &methods, &solve,
                                   &solutions, &every))
    return NULL;
  if (solutions &&
      !(PyType_Check(solutions) && PyType_IsSubtype((PyTypeObject *)solutions, state->postures_type))) {
    PyErr_SetString(PyExc_TypeError, "Solutions must be a class of Postures");
    return NULL;
  }
  if (result && outcomes && methods && !core_bind_result(state, result, outcomes, methods)) return NULL;
  if (solve) put(&state->solve_goal, solve);
  if (solutions) put((PyObject **)&state->solutions_type, solutions);
  if (every) put(&state->every_posture, every);
  Py_RETURN_NONE;
}

/* ---- the module ---- */

static PyObject *take(PyObject *from, const char *name) { return PyObject_GetAttrString(from, name); }

static bool take_exceptions(core_state *state) {
  PyObject *errors = PyImport_ImportModule("handik.errors");
  if (!errors) return false;
  state->argument_error = take(errors, "ArgumentError");
  state->model_error = take(errors, "ModelError");
  state->not_found_error = take(errors, "NotFoundError");
  state->unsupported_error = take(errors, "UnsupportedError");
  state->internal_error = take(errors, "InternalError");
  Py_DECREF(errors);
  return state->argument_error && state->model_error && state->not_found_error && state->unsupported_error &&
         state->internal_error;
}

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
  PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  if (type && PyModule_AddType(module, type) < 0) Py_CLEAR(type);
  return type;
}

static int core_exec(PyObject *module) {
  core_state *state = PyModule_GetState(module);
  if (PyArray_ImportNumPyAPI() < 0) return -1;
  hik_set_allocator(counted_alloc, counted_free, NULL);
  const char *wish = getenv("HANDIK_SIMD");
  if (wish && *wish && !hik_simd_select(wish)) {
    PyErr_Format(PyExc_ImportError,
                 "HANDIK_SIMD=%s: this processor or build does not have it (auto, base, avx2, avx512)", wish);
    return -1;
  }
  if (!take_exceptions(state)) return -1;
  state->model_type = add_type(module, &core_model_spec);
  state->problem_type = add_type(module, &core_problem_spec);
  state->plan_type = add_type(module, &core_plan_spec);
  state->analytic_type = add_type(module, &core_analytic_spec);
  state->solver_type = add_type(module, &core_solver_spec);
  state->postures_type = add_type(module, &core_postures_spec);
  state->grid_type = add_type(module, &core_grid_spec);
  if (!state->grid_type) return -1;
  state->q0_name = PyUnicode_InternFromString("q0");
  state->keep_name = PyUnicode_InternFromString("_keep");
  state->call_name = PyUnicode_InternFromString("_call");
  if (!state->keep_name || !state->call_name) return -1;
  if (!state->model_type || !state->problem_type || !state->plan_type || !state->analytic_type ||
      !state->solver_type || !state->postures_type || !state->q0_name)
    return -1;
  return PyModule_AddStringConstant(module, "__version__", hik_version());
}

static int core_traverse(PyObject *module, visitproc visit, void *arg) {
  core_state *state = PyModule_GetState(module);
  if (!state) return 0;
  Py_VISIT(state->argument_error);
  Py_VISIT(state->model_error);
  Py_VISIT(state->not_found_error);
  Py_VISIT(state->unsupported_error);
  Py_VISIT(state->internal_error);
  Py_VISIT(state->model_type);
  Py_VISIT(state->problem_type);
  Py_VISIT(state->plan_type);
  Py_VISIT(state->analytic_type);
  Py_VISIT(state->solver_type);
  Py_VISIT(state->result_type);
  Py_VISIT(state->result_members);
  Py_VISIT(state->outcomes);
  Py_VISIT(state->methods);
  Py_VISIT(state->solve_goal);
  Py_VISIT(state->postures_type);
  Py_VISIT(state->grid_type);
  Py_VISIT(state->every_posture);
  Py_VISIT(state->solutions_type);
  return 0;
}

static int core_clear(PyObject *module) {
  core_state *state = PyModule_GetState(module);
  if (!state) return 0;
  Py_CLEAR(state->argument_error);
  Py_CLEAR(state->model_error);
  Py_CLEAR(state->not_found_error);
  Py_CLEAR(state->unsupported_error);
  Py_CLEAR(state->internal_error);
  Py_CLEAR(state->model_type);
  Py_CLEAR(state->problem_type);
  Py_CLEAR(state->plan_type);
  Py_CLEAR(state->analytic_type);
  Py_CLEAR(state->solver_type);
  Py_CLEAR(state->result_type);
  Py_CLEAR(state->result_members);
  Py_CLEAR(state->outcomes);
  Py_CLEAR(state->methods);
  Py_CLEAR(state->q0_name);
  Py_CLEAR(state->keep_name);
  Py_CLEAR(state->call_name);
  Py_CLEAR(state->solve_goal);
  Py_CLEAR(state->postures_type);
  Py_CLEAR(state->grid_type);
  Py_CLEAR(state->every_posture);
  Py_CLEAR(state->solutions_type);
  return 0;
}

static void core_free(void *module) { core_clear(module); }

static PyMethodDef core_methods[] = {
    {"check_output", (PyCFunction)(void (*)(void))core_check_output, METH_FASTCALL,
     "check_output(out, shape, /)\n--\n\nThe array, if it can take an answer of this shape."},
    {"pose_columns", (PyCFunction)(void (*)(void))core_pose_columns, METH_FASTCALL,
     "pose_columns(transforms, name='pose', /)\n--\n\n(..., 4, 4) to (..., 7): x y z, quaternion w x y z. "
     "Rows that are "
     "not finite "
     "become NaN."},
    {"turn_columns", core_turn_columns, METH_O,
     "turn_columns(rotations, /)\n--\n\n(..., 3, 3) to (..., 4): w x y z."},
    {"skin", (PyCFunction)(void (*)(void))core_skin, METH_FASTCALL | METH_KEYWORDS,
     "skin(rest, bone, share, mix, T, /, *, threads=1, out=None)\n--\n\nVertices (..., n, 3) of bones at "
     "T (..., bones, 4, 4), "
     "each taken from rest."},
    {"_tapes", (PyCFunction)(void (*)(void))core_tapes, METH_FASTCALL,
     "_tapes(vertices, edges, ends, planes, girths, ways, /)\n--\n\nOf each cut: points, widths summed over "
     "the "
     "ways, least and most along the first two axes."},
    {"_edges_near", (PyCFunction)(void (*)(void))core_edges_near, METH_FASTCALL,
     "_edges_near(heights, edges, free, ends, levels, /)\n--\n\nEdges that may cross each level, and the "
     "rows of each."},
    {"_volume", (PyCFunction)(void (*)(void))core_volume, METH_FASTCALL,
     "_volume(vertices, faces, /)\n--\n\nSigned volume in closed triangles."},
    {"_normals", (PyCFunction)(void (*)(void))core_normals, METH_FASTCALL,
     "_normals(vertices, quads, /)\n--\n\nUnit normals at vertices, weighted by area."},
    {"_evened", (PyCFunction)(void (*)(void))core_evened, METH_FASTCALL,
     "_evened(vectors, open, beside, rounds, /)\n--\n\nVectors, the open ones half the mean of those "
     "beside them in each round."},
    {"_whole", (PyCFunction)(void (*)(void))core_whole, METH_FASTCALL,
     "_whole(vertices, below, weight, nodes, numbers, rows, heights, feet, limbs, /)\n--\n\nVertices (n, 3) "
     "of a "
     "body with its rings widened, its feet turned and its arms in place."},
    {"_next_to", (PyCFunction)(void (*)(void))core_next_to, METH_FASTCALL,
     "_next_to(points, cones, /)\n--\n\nThe round cone (a, b, radii) that each point lies next to, and its "
     "distance."},
    {"_heights_place", (PyCFunction)(void (*)(void))core_heights_place, METH_FASTCALL,
     "_heights_place(at, z, /)\n--\n\nThe level below each height, and the weights of numbers and slopes."},
    {"_path_search", (PyCFunction)(void (*)(void))core_path_search, METH_FASTCALL,
     "_path_search(world, figure, start, goals, seed, runs, budget, reach, tol, tries, threads, "
     "trees, keep, seconds, bound, /)\n--\n\nFound or not, vertices, groups, postures met: a run each."},
    {"_path_tighten", (PyCFunction)(void (*)(void))core_path_tighten, METH_FASTCALL,
     "_path_tighten(world, figure, q, rounds, tol, seconds, /)\n--\n\nVertices of a shorter path."},
    {"_path_inside", (PyCFunction)(void (*)(void))core_path_inside, METH_FASTCALL,
     "_path_inside(figure, q0, q1, /)\n--\n\nWhether edges keep to the limits of balls."},
    {"_path_kept", (PyCFunction)(void (*)(void))core_path_kept, METH_FASTCALL,
     "_path_kept(problem, targets, q, pieces, /)\n--\n\nHow far terms are off along edges."},
    {"_path_blends", (PyCFunction)(void (*)(void))core_path_blends, METH_FASTCALL,
     "_path_blends(world, figure, q, at, half, moves, tol, /)\n--\n\nHow long corners are rounded, and their "
     "vertices."},
    {"path_speed", (PyCFunction)(void (*)(void))core_path_speed, METH_FASTCALL | METH_KEYWORDS,
     "path_speed(length, push, pull, rest, cap, /)\n--\n\n(ds/dt)^2 at the ends of intervals, from rest to "
     "rest, as "
     "large as limits allow; that from which braking is possible; the largest d2s/dt2; that of the "
     "intervals."},
    {"_pass_decide", (PyCFunction)(void (*)(void))core_pass_decide, METH_FASTCALL,
     "_pass_decide(corner, wall, place, least, most, door=None, /)\n--\n\nOutcome, boxes, and the free boxes "
     "of a way."},
    {"_drive_find", (PyCFunction)(void (*)(void))core_drive_find, METH_FASTCALL,
     "_drive_find(parts, options, /)\n--\n\nOutcome, places looked at, and the rows of a drive."},
    {"_pass_clear", (PyCFunction)(void (*)(void))core_pass_clear, METH_FASTCALL,
     "_pass_clear(corner, wall, leaf, pose, /)\n--\n\nWhether straight motions are clear, proved."},
    {"_reach_chain", (PyCFunction)(void (*)(void))core_reach_chain, METH_FASTCALL,
     "_reach_chain(model, frame, whole, /)\n--\n\nThe way to a frame, compiled for proofs."},
    {"_reach_prove", (PyCFunction)(void (*)(void))core_reach_prove, METH_FASTCALL,
     "_reach_prove(chain, target, normal, far, q, budget, threads, /)\n--\n\nOutcome, cells, least distance "
     "met, q of it."},
    {"_reach_trace", (PyCFunction)(void (*)(void))core_reach_trace, METH_FASTCALL,
     "_reach_trace(chain, target, normal, far, budget, /)\n--\n\nOutcome of one proof, how each cell ended, "
     "normals."},
    {"_solid_distance", (PyCFunction)(void (*)(void))core_solid_distance, METH_FASTCALL,
     "_solid_distance(world, point, /)\n--\n\nSigned distances of points to obstacles; infinite to grids."},
    {"_arm_chain", (PyCFunction)(void (*)(void))core_arm_chain, METH_FASTCALL,
     "_arm_chain(model, frame, figure, /)\n--\n\nAn arm with its bodies, compiled."},
    {"_arm_prove", (PyCFunction)(void (*)(void))core_arm_prove, METH_FASTCALL,
     "_arm_prove(arm, world, give, target, tolerance, budget, /)\n--\n\nOutcome, cells, wrist and elbow of "
     "what "
     "is left, cells that each obstacle closed."},
    {"_hand_prove", (PyCFunction)(void (*)(void))core_hand_prove, METH_FASTCALL,
     "_hand_prove(world, give, ball, target, tolerance, budget, /)\n--\n\nOutcome, cells, a clear turn, "
     "cells "
     "that each obstacle closed."},
    {"_scene_world", (PyCFunction)(void (*)(void))core_scene_world, METH_FASTCALL,
     "_scene_world(kind, pose, size, corners, corner, grids, /)\n--\n\nObstacles, compiled."},
    {"_scene_figure", (PyCFunction)(void (*)(void))core_scene_figure, METH_FASTCALL,
     "_scene_figure(model, frame, ends, radius, pair, allowance, /)\n--\n\nCapsules on a model."},
    {"_scene_clear", (PyCFunction)(void (*)(void))core_scene_clear, METH_FASTCALL,
     "_scene_clear(world, figure, /)\n--\n\nWhat a term keeps a figure clear of."},
    {"_scene_free", (PyCFunction)(void (*)(void))core_scene_free, METH_FASTCALL,
     "_scene_free(world, figure, q, threads, out, /)\n--\n\nWhether nothing touches, a row of q each."},
    {"_scene_distance", (PyCFunction)(void (*)(void))core_scene_distance, METH_FASTCALL,
     "_scene_distance(world, figure, q, cutoff, details, threads, out, /)\n--\n\nLeast signed distances."},
    {"_scene_edges", (PyCFunction)(void (*)(void))core_scene_edges, METH_FASTCALL,
     "_scene_edges(world, figure, q0, q1, tol, threads, /)\n--\n\nOutcome, place of the witness, groups "
     "looked at."},
    {"_scene_overlaps", (PyCFunction)(void (*)(void))core_scene_overlaps, METH_FASTCALL,
     "_scene_overlaps(world, figure, q, /)\n--\n\nLeast signed distance of each pair in postures."},
    {"_scene_motions", (PyCFunction)(void (*)(void))core_scene_motions, METH_FASTCALL,
     "_scene_motions(figure, q0, q1, /)\n--\n\nMeters that a capsule or pair moves at most along edges."},
    {"_scene_draws", (PyCFunction)(void (*)(void))core_scene_draws, METH_FASTCALL,
     "_scene_draws(world, figure, seed, first, blocks, threads, /)\n--\n\nHow often each pair touches in 256 "
     "random postures a block."},
    {"subproblem", (PyCFunction)(void (*)(void))core_subproblem, METH_FASTCALL | METH_KEYWORDS,
     "subproblem(number, given, /, *, threads=1)\n--\n\nNumbers (n, width) to angles (n, 4, unknowns) padded "
     "with NaN, "
     "count (n,), "
     "exact (n,)."},
    {"stewart_lengths", (PyCFunction)(void (*)(void))core_stewart_lengths, METH_FASTCALL | METH_KEYWORDS,
     "stewart_lengths(base, platform, T, /, *, threads=1)\n--\n\nLengths (..., 6), Jacobian (..., 6, 6), "
     "singularity "
     "(...)."},
    {"stewart_newton", (PyCFunction)(void (*)(void))core_stewart_newton, METH_FASTCALL | METH_KEYWORDS,
     "stewart_newton(base, platform, lengths, T, most, /, *, threads=1)\n--\n\nT (..., 4, 4), converged, "
     "iterations, "
     "residual, "
     "singularity (...)."},
    {"stewart_postures", (PyCFunction)(void (*)(void))core_stewart_postures, METH_FASTCALL | METH_KEYWORDS,
     "stewart_postures(base, platform, lengths, /, *, threads=1)\n--\n\nT (..., 40, 4, 4) padded with NaN; "
     "real, finite, "
     "infinite, "
     "failed, runs (..., 5); paired, trace, residual (...)."},
    {"table", core_table, METH_O,
     "table(name, /)\n--\n\nRows (name, summary, reference, width, parameters, own) of joints, terms, "
     "solvers or "
     "outcomes."},
    {"simd", core_simd, METH_NOARGS, "simd()\n--\n\nThe instruction set the lane kernels use."},
    {"simd_select", core_simd_select, METH_O,
     "simd_select(name, /)\n--\n\nChoose it; False when it is not available."},
    {"_fail_allocation", core_fail_allocation, METH_O,
     "_fail_allocation(n, /)\n--\n\nThe allocation after the next n fails, once; -1: none does. For tests."},
    {"_bind", (PyCFunction)(void (*)(void))core_bind, METH_VARARGS | METH_KEYWORDS,
     "_bind(*, Result=None, Outcome=None, Method=None, solve_goal=None, Solutions=None, "
     "every_posture=None)\n--"
     "\n\nHand the core what it makes and calls."},
    {"_live_blocks", core_live_blocks, METH_NOARGS,
     "_live_blocks()\n--\n\nBlocks of the core not yet freed."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, core_exec},
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX >= 0x030c0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#if !defined(Py_LIMITED_API) && PY_VERSION_HEX >= 0x030d0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

PyModuleDef core_module = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "handik._core",
    .m_doc = "The C core of handik.",
    .m_size = sizeof(core_state),
    .m_methods = core_methods,
    .m_slots = core_slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&core_module); }
