/* joints.c: the joint table. A joint kind is a row here: its coordinates and the steps it is compiled into. */
#include "model/joints.h"

const hik_joint_class hik_joint_classes[HIK_JOINT_KINDS] = {
    [HIK_FIXED] = {"fixed", "no motion", 0, 0, 0, {{0, 0}}},
    [HIK_REVOLUTE] = {"revolute", "turn about one axis", 1, 1, 1, {{HIK_TURN, HIK_AXIS_1}}},
    [HIK_PRISMATIC] = {"prismatic", "slide along one axis", 1, 1, 1, {{HIK_SLIDE, HIK_AXIS_1}}},
    [HIK_CYLINDRICAL] = {"cylindrical",
                         "turn about and slide along one axis",
                         2,
                         2,
                         2,
                         {{HIK_TURN, HIK_AXIS_1}, {HIK_SLIDE, HIK_AXIS_1}}},
    [HIK_UNIVERSAL] = {"universal",
                       "turn about one axis, then about a second one",
                       2,
                       2,
                       2,
                       {{HIK_TURN, HIK_AXIS_1}, {HIK_TURN, HIK_AXIS_2}}},
    [HIK_PLANAR] = {"planar",
                    "slide in a plane and turn about its normal",
                    3,
                    3,
                    3,
                    {{HIK_SLIDE, HIK_AXIS_2}, {HIK_SLIDE, HIK_AXIS_12}, {HIK_TURN, HIK_AXIS_1}}},
    [HIK_BALL] = {"ball", "any rotation", 4, 3, 1, {{HIK_BALL_STEP, 0}}},
    [HIK_FREE] =
        {"free",
         "any rigid motion",
         7,
         6,
         4,
         {{HIK_SLIDE, HIK_AXIS_X}, {HIK_SLIDE, HIK_AXIS_Y}, {HIK_SLIDE, HIK_AXIS_Z}, {HIK_BALL_STEP, 0}}},
};
