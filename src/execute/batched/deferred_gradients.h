#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"
#include "tensor/rows.h"

namespace cavs::inline v0_1 {

/// One of the sums over rows that are added to make a weight's gradient.
struct DeferredSum {
  std::int32_t parameter;
  const Step* step;
  const Instruction* instruction;
};

/// Gradients of weights that the backward pass leaves to the update (switch `fuse_update`).
struct DeferredGradients {
  std::vector<DeferredSum> sums;  // those of one parameter are in the order in which backward() adds them
  std::vector<char> is_deferred;  // [parameters] true if the gradient is left to the update
  std::vector<char> is_safe;      // [sums] true if the sum cannot overflow
  std::uint64_t number = 0;       // number of the backward pass (Gradients::deferred_by)

  /// Up to this number of summed rows, square tiles of a gradient are computed without packing, which is faster.
  static constexpr std::int32_t kFewRows = 64;

  bool has(std::size_t parameter) const { return parameter < is_deferred.size() && is_deferred[parameter] != 0; }
};

/// Chooses the weight gradients that a run leaves to the update. If few rows are summed, writing a gradient and reading
/// it again takes longer than computing it, unless it stays in the cache. The update instead computes a few rows of the
/// gradient at a time, which stay in the cache. At most kSumBlock rows are summed, since more would need several passes
/// over the gradient.
class GradientDeferral {
 public:
  /// @param least  smallest size of a weight whose gradient is deferred (1/64 of it if few rows are summed)
  GradientDeferral(const Program& program, std::int64_t least);
  /// Chooses the gradients for a plan; none if `wanted` is false. Cost: linear in the plan's steps.
  void choose(const Plan& plan, bool wanted, DeferredGradients& deferred);

 private:
  using Sums = std::vector<const Instruction*>;
  const Sums& sums_of(const Step& step) const { return sums_[step.type][static_cast<int>(step.stage)]; }

  bool is_on_;
  std::int64_t least_;
  std::vector<std::array<Sums, 3>> sums_;  // [types][stages] instructions of ∂F whose sums can be deferred
  std::vector<std::int64_t> sizes_;        // [parameters] number of elements
  std::vector<std::int64_t> rows_;         // [parameters] number of rows that the current plan sums
};

/// True if no element of x^T dy can overflow in any order of additions, because it is at most the number of rows times
/// the largest numbers of x and dy. False if a number is not finite.
bool is_bounded(const ConstRows& x, const ConstRows& dy, std::int32_t rows);

}  // namespace cavs::inline v0_1
