#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cavs/distributed.h"
#include "cavs/parameters.h"
#include "execute/gradient_progress.h"
#include "train/piece_sum.h"
#include "train/rank_shares.h"
#include "update/step_sum.h"

namespace cavs::inline v0_1 {

/// Adds the gradients of a step whose minibatches several ranks have computed, in the tree of StepSum: the sums have
/// the bits of one rank. Dense gradients that a backward pass completes early are pieces, which a thread exchanges
/// while the last minibatch of this rank is in its backward pass. All other gradients are the last piece.
class RankSum {
 public:
  using Range = RankShares::Range;
  struct Losses {
    double loss = 0;
    std::int64_t labels = 0;
  };

  /// @param frozen  [parameters] whose gradients stay where they are
  /// @param early   dense parameters whose gradients may be complete before a backward pass ends, in that order, which
  ///                is the same on all ranks
  /// @param total   gets the sums, and outlives this
  /// @param own     adds the minibatches of each subtree of this rank to `total`, and outlives this
  RankSum(Job& job, std::span<const char> frozen, std::span<const std::size_t> early, Gradients& total, StepSum& own);

  void begin(std::int64_t minibatches);
  /// The subtrees of this rank, in order.
  std::span<const Range> subtrees() const { return shares_.subtrees[shares_.rank]; }
  /// Number of the last minibatch of this rank; -1 where it has none.
  std::int64_t last() const { return subtrees().empty() ? -1 : subtrees().back().end - 1; }
  /// The next minibatch of this rank.
  void add_loss(double loss, std::int64_t labels) { losses_.push_back({loss, labels}); }
  /// `total` has the sum of the next subtree, but not of the last one.
  void add_subtree();

  /// Runs the last backward pass of this rank, and meets the other ranks. Meanwhile a thread exchanges the pieces that
  /// are complete. All losses have been added.
  /// @param last_pass  writes own.next(), and counts in the progress; does nothing on a rank without minibatches
  /// @return sums in the order of minibatches
  /// @throws what last_pass throws, after the other ranks have been told; as Job does
  Losses meet(const std::string& where, const std::function<void(GradientProgress&)>& last_pass);
  /// After meet(): `total` gets the sum of the step, its table_rows ascending.
  void finish();
  /// Milliseconds of the last step, after the last backward pass of this rank: until all ranks had computed all losses,
  /// and for the rest of the exchange.
  double wait_ms() const { return wait_ms_; }
  double exchange_ms() const { return exchange_ms_; }

 private:
  Losses meet(const std::string& where);
  void exchange_early();

  Job& job_;
  StepSum& own_;
  RankShares shares_;
  GradientProgress progress_;
  std::vector<PieceSum> pieces_;  // the last one has the tables
  std::vector<Losses> losses_;    // of this rank's minibatches
  double wait_ms_ = 0, exchange_ms_ = 0;
};

}  // namespace cavs::inline v0_1
