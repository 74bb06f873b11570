/* registry.c: the term table, one line a kind. A new kind is a row here and its functions in a file of its family. */
#include "term/term.h"

extern const hik_term_class hik_term_position, hik_term_orientation, hik_term_pose, hik_term_axis,
    hik_term_level, hik_term_look_at, hik_term_distance, hik_term_loop, hik_term_loop_hinge,
    hik_term_loop_pose, hik_term_clearance, hik_term_centre_of_mass, hik_term_support, hik_term_rest,
    hik_term_change, hik_term_own, hik_term_position_axes, hik_term_orientation_axes, hik_term_obstacles;

const hik_term_class *const hik_term_classes[] = {
    &hik_term_position,  &hik_term_orientation,   &hik_term_pose,
    &hik_term_axis,      &hik_term_level,         &hik_term_look_at,
    &hik_term_distance,  &hik_term_loop,          &hik_term_loop_hinge,
    &hik_term_loop_pose, &hik_term_clearance,     &hik_term_centre_of_mass,
    &hik_term_support,   &hik_term_rest,          &hik_term_change,
    &hik_term_own,       &hik_term_position_axes, &hik_term_orientation_axes,
    &hik_term_obstacles,
};
const int32_t hik_term_class_count = HIK_COUNT_OF(hik_term_classes);
