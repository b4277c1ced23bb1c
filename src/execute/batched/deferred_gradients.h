#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "plan/plan.h"
#include "tensor/rows.h"

namespace cavs::inline v0_1 {

/// One of the sums over rows that make a weight's gradient.
struct DeferredSum {
  std::int32_t parameter;
  const Step* step;
  const Instruction* instruction;
};

/// Gradients of weights that backward leaves to the update (switch `fuse_update`).
struct DeferredGradients {
  std::vector<DeferredSum> sums;  // of a parameter: in the order in which backward would add them
  std::vector<char> is_deferred;  // [parameters]
  std::vector<char> is_safe;      // [sums] that can't overflow
  std::uint64_t number = 0;       // Gradients::deferred_by

  /// A square of a gradient is made from so few rows without packing them first, which is faster than larger pieces.
  static constexpr std::int32_t kFewRows = 64;

  bool has(std::size_t parameter) const { return parameter < is_deferred.size() && is_deferred[parameter] != 0; }
};

/// Which gradients of weights a run can leave to the update. Where few rows are summed, writing a gradient and reading
/// it again takes longer than its products, unless it stays in the cache; the update makes it a few rows at a time,
/// which do. Of kSumBlock rows at most, as more pass over the gradient several times.
class GradientDeferral {
 public:
  /// @param least  numbers of a weight; a small part of it where few rows are summed
  GradientDeferral(const Program& program, std::int64_t least);
  /// None where none is wanted. Cost: linear in the plan's steps.
  void choose(const Plan& plan, bool wanted, DeferredGradients& deferred);

 private:
  using Sums = std::vector<const Instruction*>;
  const Sums& sums_of(const Step& step) const { return sums_[step.type][static_cast<int>(step.stage)]; }

  bool is_on_;
  std::int64_t least_;
  std::vector<std::array<Sums, 3>> sums_;  // [types][stage] of ∂F, of weights that only such sums are gradients of
  std::vector<std::int64_t> sizes_;        // [parameters]
  std::vector<std::int64_t> rows_;         // [parameters] that the plan sums
};

/// Whether no sum can overflow, whatever the order of its additions: an element is no larger than the number of rows
/// times the largest number of each operand. False as well where a number is not finite.
bool is_bounded(const ConstRows& x, const ConstRows& dy, std::int32_t rows);

}  // namespace cavs::inline v0_1
