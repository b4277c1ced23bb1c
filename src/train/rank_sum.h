#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cavs/distributed.h"
#include "cavs/parameters.h"
#include "support/uninitialised.h"

namespace cavs::inline v0_1 {

/// Adds the gradients of a step whose minibatches several ranks have computed, in the tree of StepSum: the sums have
/// the bits of one rank. Every rank sends slices of its subtrees' sums to the slices' owners, owners add them, and send
/// their sums to all.
class RankSum {
 public:
  /// Minibatches [begin, end) of a step.
  struct Range {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
  };
  struct Losses {
    double loss = 0;
    std::int64_t labels = 0;
  };

  /// @param frozen            [parameters] whose gradients stay where they are
  /// @param total             gets the sums, and outlives this
  /// @param adds_absent_rows  see StepSum
  RankSum(Job& job, std::span<const char> frozen, Gradients& total, bool adds_absent_rows);

  void begin(std::int64_t minibatches);
  /// The subtrees of this rank, in order.
  std::span<const Range> subtrees() const { return roots_of_[job_.rank()]; }
  /// The next minibatch of this rank.
  void add_loss(double loss, std::int64_t labels) { losses_.push_back({loss, labels}); }
  /// `total` has the sum of the next subtree.
  void add_subtree();
  /// Meets the other ranks; then `total` has the sum of the step, its table_rows ascending. @return sums in the order
  /// of minibatches. @throws as Job does
  Losses meet(const std::string& where);
  /// Exchanges the gradients. After meet().
  void finish();

 private:
  /// The gradients of some minibatches, as far as one owner has them: dense numbers, then for each table numbers of
  /// rows and the rows.
  struct Part {
    Range range;
    std::vector<std::int32_t> counts;  // [tables] rows
    UninitialisedVector<std::byte> bytes;
  };
  struct Table {
    std::size_t parameter;
    std::int64_t rows, width;
  };

  std::size_t part_bytes(int owner, std::span<const std::int32_t> counts) const;
  Part make_part(int owner, Range range, std::vector<std::int32_t> counts) const;
  std::int64_t slice_begin(int owner) const;
  std::span<float> dense(const Part& part, int owner) const;
  std::span<std::int32_t> rows(const Part& part, int owner, std::size_t table) const;
  std::span<float> values(const Part& part, int owner, std::size_t table) const;
  std::byte* table_begin(const Part& part, int owner, std::size_t table) const;

  std::vector<Part> receive_parts();
  Part sum(std::vector<Part>::iterator& next, Range range) const;
  Part merge(Part a, const Part& b) const;
  void check_rows(const Part& part, int owner, int sender) const;
  void send_to_all(const Part& mine);
  void copy_to_total(const std::vector<Part>& of);
  template <typename F>
  void for_dense(std::int64_t begin, std::int64_t end, F f) const;

  Job& job_;
  Gradients& total_;
  const bool adds_absent_rows_;
  std::vector<std::size_t> dense_;  // parameters
  std::vector<Table> tables_;
  std::int64_t dense_size_ = 0;
  std::int64_t minibatches_ = 0;
  std::vector<std::vector<Range>> roots_of_;          // [ranks]
  std::vector<Losses> losses_;                        // of this rank's minibatches
  std::vector<std::vector<Part>> parts_;              // [subtrees][owners]
  std::vector<std::vector<std::int32_t>> counts_of_;  // [ranks] [subtrees][owners][tables]
};

/// The minibatches of a rank: shares differ by one at most, and are empty where there are fewer minibatches than ranks.
inline RankSum::Range share_of(std::int64_t minibatches, int rank, int ranks) {
  return {minibatches * rank / ranks, minibatches * (rank + 1) / ranks};
}

}  // namespace cavs::inline v0_1
