#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

/// Adds the gradients of the minibatches of a step in a fixed binary tree: tree(lo, hi) = tree(lo, mid) + tree(mid,
/// hi), with mid = lo + the largest power of two below hi - lo. So the sum does not depend on who computes which
/// minibatch. A row of a table that only one of two summands has is copied. Later steps of similar minibatches allocate
/// no memory.
class StepSum {
 public:
  virtual ~StepSum() = default;

  /// Begins a step, and drops an unfinished one.
  virtual void begin(std::int64_t minibatches) = 0;
  /// The object that the backward pass of the next minibatch must write to.
  virtual Gradients& next() = 0;
  /// Adds the gradients in next(). After the last minibatch, the total has the sum, with ascending table_rows.
  virtual void add() = 0;
  /// True if add_gradient() is supported.
  virtual bool adds_each() const { return false; }
  /// Adds one dense gradient of the last minibatch, as soon as it is complete in next(). Call before add(), which then
  /// leaves this gradient out. One thread at a time may call it; other threads may write other gradients meanwhile.
  virtual void add_gradient(std::size_t parameter) { static_cast<void>(parameter); }
  /// Call after writing a sum over further minibatches to the total on the host. Moves the sum to the memory where
  /// add() leaves sums, so that the update is bit-identical.
  virtual void take_total() {}
  /// True if +0 is added to a row that only one summand has (so that -0 becomes +0) instead of copying the row.
  virtual bool adds_absent_rows() const { return false; }
};

/// A StepSum in the host's memory.
class HostStepSum final : public StepSum {
 public:
  /// @param total  Receives the sums; must outlive this object.
  HostStepSum(const Parameters& parameters, Gradients& total);

  void begin(std::int64_t minibatches) override;
  Gradients& next() override { return added_ % 2 == 0 ? total_ : odd_; }
  /// Cost: linear in the dense parameters and the listed rows, on average once per minibatch.
  void add() override;
  bool adds_each() const override { return true; }
  void add_gradient(std::size_t parameter) override;

 private:
  /// The sum of two or more minibatches, for all parameters.
  struct Partial {
    explicit Partial(std::size_t parameters) : values(parameters), rows(parameters) {}
    std::vector<std::vector<float>> values;       // [parameters]: dense, or the listed rows of a table, contiguous
    std::vector<std::vector<std::int32_t>> rows;  // [parameters], ascending
  };
  struct Operand;

  void add_last(std::size_t parameter);
  void combine(std::int64_t added, std::size_t partials, Partial* to, std::size_t p);

  Gradients& total_;
  Gradients odd_;                             // gradients of minibatches 1, 3, 5 ...; total_ gets the others
  std::int64_t minibatches_ = 0, added_ = 0;  // of the step; of them added so far
  std::vector<char> is_added_;                // [parameters]: 1 after add_gradient() in this step
  std::vector<Partial> partials_;             // a stack, oldest sum first; elements from depth_ on are unused memory
  std::size_t depth_ = 0;
  std::vector<std::vector<std::int32_t>> rows_;   // [parameters]: rows of the sum that is being written to total_
  std::vector<std::vector<std::uint64_t>> bits_;  // [parameters]: one bit per row of a table, to sort row numbers
};

}  // namespace cavs::inline v0_1
