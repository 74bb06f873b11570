// Coal's own signed distances in C++: nanoseconds of the processor a pair of a capsule with a ball, a capsule and a box, least of
// rounds. Argument: rounds.
//
// Built with what the wheels coal and cmeel-eigen bring (P: their folder cmeel.prefix):
//   g++ -std=c++17 -O3 -DNDEBUG -w -I$P/include -I$P/include/eigen3 benchmarks/coal_pairs.cpp -o coal_pairs
//     -L$P/lib -Wl,-rpath,$P/lib -lcoal
#include <coal/distance.h>
#include <coal/shape/geometric_shapes.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

static double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}

int main(int count, char **argument) {
  int rounds = count > 1 ? std::atoi(argument[1]) : 20;
  std::mt19937 draw(1);
  std::uniform_real_distribution<double> even(-0.6, 0.6);
  std::normal_distribution<double> normal;
  std::vector<coal::Transform3s> stands;
  for (int k = 0; k < 4096; k++) {
    Eigen::Quaterniond turn(normal(draw), normal(draw), normal(draw), normal(draw));
    stands.emplace_back(turn.normalized().toRotationMatrix(), Eigen::Vector3d(even(draw), even(draw), even(draw)));
  }
  coal::Capsule own(0.05, 0.4), capsule(0.05, 0.4);
  coal::Sphere ball(0.1);
  coal::Box box(0.2, 0.3, 0.4);
  const coal::ShapeBase *others[] = {&ball, &capsule, &box};
  const char *names[] = {"ball", "capsule", "box"};
  coal::DistanceRequest request;
  request.enable_signed_distance = true;
  coal::Transform3s still = coal::Transform3s::Identity();
  for (int k = 0; k < 3; k++) {
    double best = 1e300, sum = 0;
    for (int round = 0; round < rounds; round++) {
      double begin = now();
      for (const auto &stand : stands) {
        coal::DistanceResult result;
        sum += coal::distance(&own, stand, others[k], still, request, result);
      }
      double each = (now() - begin) / double(stands.size());
      best = each < best ? each : best;
    }
    std::printf("%s %.1f\n", names[k], best);
    if (!(sum == sum)) return 1;
  }
  return 0;
}
