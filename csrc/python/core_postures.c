/* core_postures.c: type Postures, which holds what handik.Solutions shows, and the short way of Model.solutions.

   A second pose of the tip, without any wish, needs no Python: the closed form and where it came from are remembered by
   the model. Everything else, and the first call, takes the long way in handik/closed/analytic.py, which is also the only
   place that says what is wrong with an argument. */
#include "python/core.h"

#include <structmember.h>

/* ---- Postures ---- */

enum { P_Q, P_COUNT, P_EXACT, P_FREE, P_SURE, P_LOCKED, P_ORIGIN, PARTS };

typedef struct PosturesObject {
  PyObject_HEAD PyObject *part[PARTS];
} PosturesObject;

#define PART(name, k)                                                                                        \
  {name, T_OBJECT_EX, offsetof(PosturesObject, part) + (k) * (Py_ssize_t)sizeof(PyObject *), 0, NULL}

static PyMemberDef postures_members[] = {
    PART("_q", P_Q),       PART("_count", P_COUNT),   PART("_exact", P_EXACT),   PART("_free", P_FREE),
    PART("_sure", P_SURE), PART("_locked", P_LOCKED), PART("_origin", P_ORIGIN), {NULL, 0, 0, 0, NULL},
};

static int postures_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  for (int k = 0; k < PARTS; k++) Py_VISIT(((PosturesObject *)self)->part[k]);
  return 0;
}

static int postures_clear(PyObject *self) {
  for (int k = 0; k < PARTS; k++) Py_CLEAR(((PosturesObject *)self)->part[k]);
  return 0;
}

static void postures_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  postures_clear(self);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyType_Slot postures_slots[] = {
    {Py_tp_doc, "What `handik.Solutions` holds."},
    {Py_tp_dealloc, postures_dealloc},
    {Py_tp_traverse, postures_traverse},
    {Py_tp_clear, postures_clear},
    {Py_tp_members, postures_members},
    {0, NULL},
};

PyType_Spec core_postures_spec = {
    .name = "handik._core.Postures",
    .basicsize = sizeof(PosturesObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = postures_slots,
};

/* A Solutions of one pose without families; takes the reference of q. */
static PyObject *new_postures(core_state *state, PyObject *q, bool sure, PyObject *origin) {
  PyObject *made = NULL, *number = PyLong_FromSsize_t(PyArray_DIM((PyArrayObject *)q, 0));
  if (number && core_bound(state, state->solutions_type))
    made = PyType_GenericAlloc(state->solutions_type, 0);
  if (!made) {
    Py_DECREF(q);
    Py_XDECREF(number);
    return NULL;
  }
  PyObject **part = ((PosturesObject *)made)->part;
  part[P_Q] = q, part[P_COUNT] = number, part[P_SURE] = PyBool_FromLong(sure),
  part[P_ORIGIN] = Py_NewRef(origin);
  part[P_EXACT] = Py_NewRef(Py_None), part[P_FREE] = Py_NewRef(Py_None), part[P_LOCKED] = Py_NewRef(Py_None);
  return made;
}

/* ---- Model.solutions ---- */

PyObject *core_model_remember_solutions(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                                        Py_ssize_t nargs, PyObject *kwnames) {
  core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  if (nargs != 2 || kwnames || !PyObject_TypeCheck(args[0], state->analytic_type)) {
    PyErr_SetString(PyExc_TypeError, "_remember_solutions() takes an Analytic and an Origin");
    return NULL;
  }
  if (CORE_REMEMBER) {
    PyObject *old_analytic = self->analytic, *old_origin = self->origin;
    self->analytic = Py_NewRef(args[0]), self->origin = Py_NewRef(args[1]);
    Py_XDECREF(old_analytic);
    Py_XDECREF(old_origin);
  }
  Py_RETURN_NONE;
}

PyObject *core_model_solutions(PyObject *object, PyTypeObject *defining, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames) {
  core_state *state = PyType_GetModuleState(defining);
  ModelObject *self = (ModelObject *)object;
  Py_ssize_t named = kwnames ? PyTuple_Size(kwnames) : 0;
  if (self->analytic && nargs == 1 && named == 0) {
    const double *T = core_plain(args[0], 2, 4, 4);
    PyObject *analytic = Py_NewRef(self->analytic), *origin = Py_NewRef(self->origin);
    bool sure;
    PyObject *q = T && core_is_pose(T) ? core_analytic_postures(analytic, T, &sure) : NULL;
    PyObject *result = q ? new_postures(state, q, sure, origin) : NULL;
    Py_DECREF(analytic);
    Py_DECREF(origin);
    if (result || PyErr_Occurred()) return result; /* else the long way, which says what is wrong */
  }
  PyObject *positional = PyTuple_New(nargs + 1), *wishes = PyDict_New(), *result = NULL;
  bool good = positional && wishes && core_bound(state, state->every_posture);
  if (good) PyTuple_SetItem(positional, 0, Py_NewRef(object));
  for (Py_ssize_t k = 0; good && k < nargs; k++) PyTuple_SetItem(positional, k + 1, Py_NewRef(args[k]));
  for (Py_ssize_t k = 0; good && k < named; k++)
    good = PyDict_SetItem(wishes, PyTuple_GetItem(kwnames, k), args[nargs + k]) == 0;
  if (good) result = PyObject_Call(state->every_posture, positional, wishes);
  Py_XDECREF(positional);
  Py_XDECREF(wishes);
  return result;
}
