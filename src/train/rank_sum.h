#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cavs/distributed.h"
#include "cavs/parameters.h"
#include "support/uninitialised.h"

namespace cavs::inline v0_1 {

/// Adds the gradients of a step whose minibatches several ranks have computed, in the tree of StepSum: the sums have
/// the bits of one rank. Every rank sends slices of its subtrees' sums to the slices' owners, owners add them, and send
/// their sums to all. Where several ranks share each host, ranks of one host first add theirs, so that less goes
/// between hosts.
class RankSum {
 public:
  /// Minibatches [begin, end) of a step.
  struct Range {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
    bool operator==(const Range&) const = default;
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
  std::span<const Range> subtrees() const { return subtrees_of_[job_.rank()]; }
  /// The next minibatch of this rank.
  void add_loss(double loss, std::int64_t labels) { losses_.push_back({loss, labels}); }
  /// `total` has the sum of the next subtree.
  void add_subtree();
  /// Meets the other ranks. @return sums in the order of minibatches. @throws as Job does
  Losses meet(const std::string& where);
  /// After meet(): `total` gets the sum of the step, its table_rows ascending.
  void finish();

 private:
  /// Numbers [begin, end) of all dense gradients, and rows r of tables with r % modulus == residue.
  struct Slice {
    std::int64_t begin = 0, end = 0;
    std::int32_t modulus = 1, residue = 0;
  };
  /// A slice of the sum of some minibatches: dense numbers, then for each table numbers of rows and the rows.
  struct Part {
    Range range;
    Slice slice;
    std::vector<std::int32_t> counts;  // [tables] rows
    UninitialisedVector<std::byte> bytes;
  };
  struct Table {
    std::size_t parameter;
    std::int64_t rows, width;
  };
  /// Ranks that exchange slices, and the number of this one among them.
  struct Group {
    std::vector<int> ranks;
    int me = 0;
    int size() const { return static_cast<int>(ranks.size()); }
  };

  static Slice slice_of(const Slice& whole, int member, int members);
  Slice owned_by(int rank) const;
  Group host_group() const;
  Group group_across_hosts() const;
  Range share_of_host(int host) const;

  Part make_part(Range range, const Slice& slice, std::vector<std::int32_t> counts) const;
  static std::span<float> dense(Part& part);
  std::span<std::int32_t> rows(Part& part, std::size_t table) const;
  std::span<float> values(Part& part, std::size_t table) const;
  std::byte* table_begin(Part& part, std::size_t table) const;

  template <typename RowsOf, typename ValuesOf, typename CopyDense>
  std::vector<Part> cut(Range range, const Slice& whole, int members, RowsOf rows_of, ValuesOf values_of,
                        CopyDense copy_dense) const;
  std::vector<Part> split(Part whole, int members) const;
  Part sum(std::vector<Part>::iterator& next, Range range) const;
  Part merge(Part a, Part b) const;
  template <typename OutOf>
  void exchange(const Group& group, OutOf out_of, std::vector<std::vector<Part>>& in) const;
  static std::vector<Part> joined(std::vector<std::vector<Part>> of_members);
  /// @param mine      [subtrees of this member][members] slices of `whole`
  /// @param subtrees  of each member, in order. @return this member's slice of their sum
  Part reduce(const Group& group, const Slice& whole, std::vector<std::vector<Part>> mine,
              const std::vector<std::vector<Range>>& subtrees, Range all) const;
  /// @param owner  of part k of a member. @return the parts of all members
  std::vector<Part> gather(const Group& group, std::vector<Part> mine,
                           const std::function<int(int member, std::size_t k)>& owner) const;
  void check_counts(const Part& part, int sender) const;
  void check_rows(Part& part, int sender) const;
  void copy_to_total(std::vector<Part> parts);
  template <typename F>
  void for_dense(const Slice& slice, F f) const;

  Job& job_;
  Gradients& total_;
  const bool adds_absent_rows_;
  std::vector<std::size_t> dense_;  // parameters
  std::vector<Table> tables_;
  Slice whole_;
  std::int64_t minibatches_ = 0;
  int per_host_ = 1;                             // ranks of a host that add theirs first; 1: none do
  std::vector<std::vector<Range>> subtrees_of_;  // [ranks]
  std::vector<Losses> losses_;                   // of this rank's minibatches
  std::vector<std::vector<Part>> parts_;         // [its subtrees][members of the first group] slices
};

/// The minibatches of a rank: shares differ by one at most, and are empty where there are fewer minibatches than ranks.
inline RankSum::Range share_of(std::int64_t minibatches, int rank, int ranks) {
  return {minibatches * rank / ranks, minibatches * (rank + 1) / ranks};
}

}  // namespace cavs::inline v0_1
