/* dynamics.inc.c: the dynamics of a tree, several problems side by side in the lanes of a vector.

   Only + - * / sqrt and comparisons are used, and lanes never meet, so every width gives the same bytes.

   Purpose   inverse dynamics, mass matrix, forward dynamics, and the sums over bodies (centre of mass, momentum,
             energy) of a frozen tree.
   Given     hik_weighed: the model, its bodies with payloads added, motors, gravity and pushes; q, v, a or tau.
   Returned  tau, M, a or the sums, one row a problem.
   Notes     Everything is told in the moved frame of each step. Accelerations are those of points, not spatial ones:
             the field x -> A x with A = [alpha]x + [w]x[w]x is the acceleration of a body point against the origin, so
             that f = m a + A h and n = integral r x (A r) dm = vee(A S - (A S)^T) with the second moments S. This
             needs no linear velocity and fewer products than the usual I alpha + w x I w.
             A ball is three turns about x, y, z of one frame, eliminated one after another.
   Reference R. Featherstone, Rigid Body Dynamics Algorithms (2008), tables 5.1, 6.2, 7.1 and section 9.4;
             J. Luh, M. Walker, R. Paul, On-line computational scheme for mechanical manipulators (1980). */

#include "simd/dynamics_forward.inc.c"

#include "simd/dynamics_inverse.inc.c"

#include "simd/dynamics_mass.inc.c"

#include "simd/dynamics_state.inc.c"

_Static_assert(sizeof(moving) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the inverse dynamics");
_Static_assert(sizeof(composite) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the mass matrix");
_Static_assert(sizeof(articulated) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the forward dynamics");
_Static_assert(sizeof(carried) <= HIK_DYNAMICS_NODE * sizeof(lane), "node of the sums");
