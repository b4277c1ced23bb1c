#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cavs::cuda {

/// Which of several kernels with the same bits is the fastest, from the times of launches that take them in turn (VPPS,
/// section III-A1). Minibatches differ, so a launch counts by its time for a floating-point operation, and a kernel by
/// the median of its launches. Pure: times are given.
class KernelChoice {
 public:
  static constexpr int kTurn = 2;       // launches of a kernel one after the other
  static constexpr int kLaunches = 10;  // of each, that decide

  explicit KernelChoice(int kernels) : costs_(static_cast<std::size_t>(kernels)) {
    if (kernels == 1) chosen_ = 0;
  }
  /// What was chosen before.
  void choose(int kernel) { chosen_ = kernel; }

  /// The kernel of the next launch. Launches may be asked for before those in front of them are done.
  int next();
  /// What a launch has taken. @return whether that has decided
  bool add(int kernel, double milliseconds, double work);
  std::optional<int> chosen() const { return chosen_; }

 private:
  std::optional<int> chosen_;
  std::int64_t asked_ = 0;
  std::vector<std::vector<double>> costs_;  // [kernels]
};

}  // namespace cavs::cuda
