// OMPL's RRT-Connect in C++, with coal's checks of postures in C++ or with checks of another's given by their addresses.
//
// benchmarks/_ompl_loop.py builds it: OMPL's headers and library from a folder given (Debian's libompl-dev), coal's from its
// wheel. Coal: a tree of the obstacles' boxes (its DynamicAABBTreeCollisionManager, made once), a capsule of the figure after the
// other against it, then the pairs of the figure whose boxes overlap; edges are points as far apart as OMPL is told. The poses of
// the links come from handik's kinematics.
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/shape/geometric_shapes.h>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <ctime>
#include <memory>
#include <vector>

namespace ob = ompl::base;

extern "C" {
typedef int (*posture_check)(void *, const double *);
typedef int (*edge_check)(void *, const double *, const double *);
typedef void (*poses_of)(void *, const double *, double *);
}

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static const double *numbers(const ob::State *s) {
  return s->as<ob::RealVectorStateSpace::StateType>()->values;
}

struct Figure {
  poses_of poses;
  void *whose;
  int frames;
  std::vector<int> frame;
  std::vector<coal::Transform3s> own;
  std::vector<std::unique_ptr<coal::CollisionObject>> bodies, solids;
  std::vector<std::pair<int, int>> pairs;
  std::vector<double> allowance, out;
  coal::DynamicAABBTreeCollisionManager manager;
};

struct Any : coal::CollisionCallBackBase {
  bool hit = false;
  coal::CollisionRequest request;
  bool collide(coal::CollisionObject *a, coal::CollisionObject *b) override {
    coal::CollisionResult result;
    return hit = hit || coal::collide(a, b, request, result);
  }
};

static coal::Transform3s placed(const double *pose) { // rotation by rows, x y z
  Eigen::Matrix3d turn;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) turn(i, j) = pose[3 * i + j];
  return {turn, Eigen::Vector3d(pose[9], pose[10], pose[11])};
}

extern "C" {
// ends [n][6], capsules along z of their pose own [n][12]; kind 1 a capsule (length, radius), 2 a box.
void *coal_make(poses_of poses, void *whose, int frames, int capsules, const int *frame, const double *own,
                const double *length, const double *radius, int pairs, const int *pair,
                const double *allowance, int solids, const int *kind, const double *pose,
                const double *size) {
  auto *f = new Figure{poses, whose, frames};
  f->out.resize(16 * size_t(frames));
  for (int k = 0; k < capsules; k++) {
    f->frame.push_back(frame[k]), f->own.push_back(placed(own + 12 * k));
    f->bodies.push_back(
        std::make_unique<coal::CollisionObject>(std::make_shared<coal::Capsule>(radius[k], length[k])));
  }
  for (int k = 0; k < pairs; k++)
    f->pairs.emplace_back(pair[2 * k], pair[2 * k + 1]), f->allowance.push_back(allowance[k]);
  for (int k = 0; k < solids; k++) {
    const double *s = size + 3 * k;
    std::shared_ptr<coal::CollisionGeometry> shape;
    if (kind[k] == 1)
      shape = std::make_shared<coal::Capsule>(s[1], s[0]);
    else
      shape = std::make_shared<coal::Box>(s[0], s[1], s[2]);
    f->solids.push_back(std::make_unique<coal::CollisionObject>(shape, placed(pose + 12 * k)));
    f->manager.registerObject(f->solids.back().get());
  }
  f->manager.setup();
  return f;
}

void coal_end(void *figure) { delete static_cast<Figure *>(figure); }

int coal_free(void *figure, const double *q) {
  auto *f = static_cast<Figure *>(figure);
  f->poses(f->whose, q, f->out.data());
  for (size_t k = 0; k < f->bodies.size(); k++) {
    const double *T = f->out.data() + 16 * size_t(f->frame[k]);
    Eigen::Matrix3d turn;
    turn << T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10];
    f->bodies[k]->setTransform(coal::Transform3s(turn, Eigen::Vector3d(T[3], T[7], T[11])) * f->own[k]);
    f->bodies[k]->computeAABB();
  }
  for (auto &body : f->bodies) {
    Any any;
    f->manager.collide(body.get(), &any);
    if (any.hit) return 0;
  }
  for (size_t k = 0; k < f->pairs.size(); k++) {
    auto *a = f->bodies[size_t(f->pairs[k].first)].get(), *b = f->bodies[size_t(f->pairs[k].second)].get();
    if (!a->getAABB().overlap(b->getAABB())) continue;
    coal::CollisionRequest request;
    coal::CollisionResult result;
    request.security_margin = -f->allowance[k];
    if (coal::collide(a, b, request, result)) return 0;
  }
  return 1;
}

// Seconds of the thread until RRT-Connect ends; negative: without a path. edge NULL: OMPL's own points, `step` apart.
double ompl_solve(int n, const double *lower, const double *upper, const double *start, const double *goal,
                  double seconds, double step, posture_check posture, edge_check edge, void *whose,
                  int *vertices) {
  ompl::msg::noOutputHandler();
  auto space = std::make_shared<ob::RealVectorStateSpace>(unsigned(n));
  ob::RealVectorBounds bounds{unsigned(n)};
  for (int k = 0; k < n; k++) bounds.setLow(unsigned(k), lower[k]), bounds.setHigh(unsigned(k), upper[k]);
  space->setBounds(bounds);
  auto about = std::make_shared<ob::SpaceInformation>(space);
  about->setStateValidityChecker([=](const ob::State *s) { return posture(whose, numbers(s)) != 0; });
  struct Edges : ob::MotionValidator {
    edge_check edge;
    void *whose;
    Edges(const ob::SpaceInformationPtr &si, edge_check e, void *w)
        : ob::MotionValidator(si), edge(e), whose(w) {}
    bool checkMotion(const ob::State *a, const ob::State *b) const override {
      return edge(whose, numbers(a), numbers(b)) != 0;
    }
    bool checkMotion(const ob::State *a, const ob::State *b,
                     std::pair<ob::State *, double> &) const override {
      return checkMotion(a, b);
    }
  };
  if (edge)
    about->setMotionValidator(std::make_shared<Edges>(about, edge, whose));
  else
    about->setStateValidityCheckingResolution(step / space->getMaximumExtent());
  about->setup();
  ob::ScopedState<ob::RealVectorStateSpace> from(space), to(space);
  for (int k = 0; k < n; k++) from[unsigned(k)] = start[k], to[unsigned(k)] = goal[k];
  auto problem = std::make_shared<ob::ProblemDefinition>(about);
  problem->setStartAndGoalStates(from, to);
  ompl::geometric::RRTConnect planner(about);
  planner.setProblemDefinition(problem);
  planner.setup();
  double begun = now();
  bool solved = bool(planner.ob::Planner::solve(seconds)) && problem->hasExactSolution();
  double spent = now() - begun;
  *vertices =
      solved ? int(problem->getSolutionPath()->as<ompl::geometric::PathGeometric>()->getStateCount()) : 0;
  return solved ? spent : -spent;
}
}
