// The inner loop of Pinocchio in C++: microseconds of the processor a posture of rnea, crba and aba, then of the pose of
// the last frame, of the poses of all frames and of the last frame's Jacobian; medians of rounds.
// Arguments: a model saved with saveToText, postures, rounds.
//
// Built with what the wheels pin and cmeel-eigen bring (P: their folder cmeel.prefix); it takes some minutes:
//   g++ -std=c++17 -O3 -DNDEBUG -w -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -DBOOST_MPL_LIMIT_LIST_SIZE=30
//     -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
//     -DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION -I$P/include -I$P/include/eigen3 benchmarks/pinocchio_loop.cpp
//     -o pinocchio_loop -L$P/lib -Wl,-rpath,$P/lib -lpinocchio_default -lboost_serialization
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/serialization/archive.hpp>
#include <pinocchio/serialization/model.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

template <class Function>
static double microseconds(int postures, int rounds, Function function) {
  std::vector<double> times;
  for (int round = 0; round < rounds; round++) {
    std::clock_t start = std::clock();
    for (int i = 0; i < postures; i++) function(i);
    times.push_back(1e6 * (std::clock() - start) / CLOCKS_PER_SEC / postures);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int postures = std::atoi(argv[2]), rounds = std::atoi(argv[3]);
  pinocchio::Model model;
  pinocchio::serialization::loadFromText(model, argv[1]);
  pinocchio::Data data(model);
  std::srand(0);
  std::vector<Eigen::VectorXd> q, v, a;
  for (int i = 0; i < postures; i++) {
    q.push_back(pinocchio::integrate(model, pinocchio::neutral(model), Eigen::VectorXd::Random(model.nv)));
    v.push_back(Eigen::VectorXd::Random(model.nv));
    a.push_back(Eigen::VectorXd::Random(model.nv));
  }
  double check = 0;
  double rnea = microseconds(postures, rounds, [&](int i) { check += pinocchio::rnea(model, data, q[i], v[i], a[i])[0]; });
  double crba = microseconds(postures, rounds, [&](int i) { check += pinocchio::crba(model, data, q[i])(0, 0); });
  double aba = microseconds(postures, rounds, [&](int i) { check += pinocchio::aba(model, data, q[i], v[i], a[i])[0]; });
  const pinocchio::FrameIndex tip = model.frames.size() - 1;
  pinocchio::Data::Matrix6x jacobian = pinocchio::Data::Matrix6x::Zero(6, model.nv);
  double pose = microseconds(postures, rounds, [&](int i) {
    pinocchio::forwardKinematics(model, data, q[i]);
    check += pinocchio::updateFramePlacement(model, data, tip).translation()[0];
  });
  double frames = microseconds(postures, rounds, [&](int i) {
    pinocchio::framesForwardKinematics(model, data, q[i]);
    check += data.oMf[tip].translation()[0];
  });
  double columns = microseconds(postures, rounds, [&](int i) {
    pinocchio::computeFrameJacobian(model, data, q[i], tip, pinocchio::LOCAL_WORLD_ALIGNED, jacobian);
    check += jacobian(0, 0);
  });
  std::printf("%.4f %.4f %.4f %.4f %.4f %.4f %g\n", rnea, crba, aba, pose, frames, columns, check);
  return 0;
}
