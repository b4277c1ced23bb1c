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

/// Adds the gradients of a step whose minibatches several ranks have computed, in the tree of StepSum, so the sums are
/// bit-identical to those of a single rank. Gradients are exchanged in pieces. Dense gradients that a backward pass
/// completes early are pieces that a thread exchanges during the backward pass of this rank's last minibatch. All other
/// gradients are the last piece.
class RankSum {
 public:
  using Range = RankShares::Range;
  struct Losses {
    double loss = 0;
    std::int64_t labels = 0;
  };

  /// @param frozen  [parameters]: 1 for parameters whose gradients are not added, else 0
  /// @param early   Dense parameters whose gradients may be complete before a backward pass ends, in the order of
  /// completion; equal on all ranks
  /// @param total   Receives the sums; must outlive this object
  /// @param own     Adds the minibatches of each subtree of this rank to `total`; must outlive this object
  RankSum(Job& job, std::span<const char> frozen, std::span<const std::size_t> early, Gradients& total, StepSum& own);
  RankSum(const RankSum&) = delete;  // pieces refer to its shares
  RankSum& operator=(const RankSum&) = delete;

  void begin(std::int64_t minibatches);
  /// The subtrees of this rank, in order.
  std::span<const Range> subtrees() const { return shares_.subtrees[shares_.rank]; }
  /// Number of the last minibatch of this rank; -1 if it has none.
  std::int64_t last() const { return subtrees().empty() ? -1 : subtrees().back().end - 1; }
  /// Adds the loss and the number of labels of the next minibatch of this rank.
  void add_loss(double loss, std::int64_t labels) { losses_.push_back({loss, labels}); }
  /// Copies the sum of the next subtree of this rank from `total`. Not called for the last subtree.
  void add_subtree();

  /// Runs the last backward pass of this rank, and meets the other ranks. Meanwhile a thread exchanges the pieces that
  /// are complete. Call after adding all losses.
  /// @param last_pass  Writes to own.next(), and reports complete gradients; does nothing on a rank without minibatches
  /// @return the sums over all minibatches, added in their order
  /// @throws what last_pass throws, after reporting it to the other ranks, and as Job does
  Losses meet(const std::string& where, const std::function<void(GradientProgress&)>& last_pass);
  /// Writes the sum of the step to `total`, with ascending table_rows. Call after meet().
  void finish();
  /// Milliseconds of the last step after the last backward pass of this rank: wait_ms() until all ranks had computed
  /// all losses, then exchange_ms() for the rest of the exchange.
  double wait_ms() const { return wait_ms_; }
  double exchange_ms() const { return exchange_ms_; }

 private:
  Losses meet(const std::string& where);
  void exchange_early();

  Job& job_;
  StepSum& own_;
  RankShares shares_;
  GradientProgress progress_;
  std::vector<PieceSum> pieces_;  // early pieces, then the piece of all other gradients
  std::vector<Losses> losses_;    // [minibatches of this rank so far]
  double wait_ms_ = 0, exchange_ms_ = 0;
};

}  // namespace cavs::inline v0_1
