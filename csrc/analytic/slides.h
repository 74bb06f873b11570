/* slides.h: loops of six joints of which three or two slide, in any order. */
#pragma once
#include "analytic/pieper.h"

enum { HIK_SLIDES_MAX = 2 };

/* Whether three of the six joints slide. */
bool hik_slides_test(const hik_loop *loop);

/* Up to 2 postures, one for each way the three turns make the loop's rotation; *hidden: see pieper.h. */
int hik_slides_solve(const hik_loop *loop, hik_posture *out, bool *hidden);

/* Two of the six slide: places to start Newton's method from, at most HIK_SCAN_MAX, by scans of its turns. */
enum { HIK_SCAN_MAX = 192 };
int hik_slides_scan(const hik_loop *loop, double (*theta)[6]);
