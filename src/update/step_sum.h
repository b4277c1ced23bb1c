#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cavs/parameters.h"

namespace cavs::inline v0_1 {

/// Adds the gradients of the minibatches of a step by a fixed binary tree: minibatches [lo, hi) are
/// tree(lo, mid) + tree(mid, hi), mid = lo + the largest power of two below hi - lo. The bits depend on nothing else. A
/// table's row that one side lacks is copied. Steps of like minibatches allocate nothing after the first.
class StepSum {
 public:
  virtual ~StepSum() = default;

  /// Begins a step; forgets one that did not end.
  virtual void begin(std::int64_t minibatches) = 0;
  /// The gradients that the backward pass of the next minibatch must write.
  virtual Gradients& next() = 0;
  /// Adds the gradients that next() gave. After the last minibatch the total has the sum, its table_rows ascending.
  virtual void add() = 0;
  /// True if add_gradient() is there.
  virtual bool adds_each() const { return false; }
  /// Before add() of the last minibatch, which then leaves this dense gradient out: adds the gradient, which next() has
  /// already. One thread at a time; others may write other gradients.
  virtual void add_gradient(std::size_t parameter) { static_cast<void>(parameter); }
  /// Somebody has put the sum of further minibatches into the total, on the host: it goes where add() leaves sums, so
  /// that an update has the same bits.
  virtual void take_total() {}
  /// True if a row that one side lacks gets +0 added, so that -0 becomes +0, in place of being copied.
  virtual bool adds_absent_rows() const { return false; }
};

/// In the host's memory.
class HostStepSum final : public StepSum {
 public:
  /// `total` gets the sums. It must outlive this.
  HostStepSum(const Parameters& parameters, Gradients& total);

  void begin(std::int64_t minibatches) override;
  Gradients& next() override { return added_ % 2 == 0 ? total_ : odd_; }
  /// Cost: linear in the dense parameters and the listed rows, on average once per minibatch.
  void add() override;
  bool adds_each() const override { return true; }
  void add_gradient(std::size_t parameter) override;

 private:
  /// The sum of two or more minibatches.
  struct Partial {
    explicit Partial(std::size_t parameters) : values(parameters), rows(parameters) {}
    std::vector<std::vector<float>> values;       // [parameters] dense, or the rows of a table one after the other
    std::vector<std::vector<std::int32_t>> rows;  // [parameters], ascending
  };
  struct Operand;

  void add_last(std::size_t parameter);
  void combine(std::int64_t added, std::size_t partials, Partial* to, std::size_t p);

  Gradients& total_;
  Gradients odd_;  // of minibatches 1, 3, 5...
  std::int64_t minibatches_ = 0, added_ = 0;
  std::vector<char> is_added_;     // [parameters] by add_gradient()
  std::vector<Partial> partials_;  // a stack, the oldest minibatches first; those from depth_ on are free
  std::size_t depth_ = 0;
  std::vector<std::vector<std::int32_t>> rows_;   // of `total`, while they are listed
  std::vector<std::vector<std::uint64_t>> bits_;  // [parameters] one per row of a table, to sort rows
};

}  // namespace cavs::inline v0_1
