#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace cavs::cuda {

/// Chooses the fastest of several kernels that give bit-identical results, from times of launches that use the kernels
/// in turn (VPPS, section III-A1). Minibatches differ, so the times are divided by floating-point operations, and the
/// median of a kernel's launches counts. The class measures no time itself.
class KernelChoice {
 public:
  static constexpr int kTurn = 2;       // launches of a kernel before it is the next kernel's turn
  static constexpr int kLaunches = 10;  // measured launches per kernel, before the choice

  explicit KernelChoice(int kernels) : costs_(static_cast<std::size_t>(kernels)) {
    if (kernels == 1) chosen_ = 0;
  }
  /// Sets a choice that was made earlier, so that nothing is measured.
  void choose(int kernel) { chosen_ = kernel; }

  /// Returns the kernel for the next launch. It may be called before earlier launches are done.
  int next();
  /// Adds the time of a launch. @param work  its floating-point operations
  /// @return true if this launch has decided the choice
  bool add(int kernel, double milliseconds, double work);
  std::optional<int> chosen() const { return chosen_; }

 private:
  std::optional<int> chosen_;
  std::int64_t asked_ = 0;                  // calls of next() before the choice
  std::vector<std::vector<double>> costs_;  // [kernels][launches] milliseconds per operation
};

}  // namespace cavs::cuda
