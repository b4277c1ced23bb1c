#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cavs/distributed.h"
#include "cavs/parameters.h"
#include "support/uninitialised.h"
#include "train/rank_shares.h"

namespace cavs::inline v0_1 {

/// Adds the gradients of some parameters (a piece) over all ranks. A slice of the piece belongs to each rank. The rank
/// receives its slice of the sums of all subtrees (of the tree of StepSum), adds them, and sends the result to all
/// ranks. If each host has several ranks, the ranks of a host first add their sums, so that less is sent between hosts.
class PieceSum {
 public:
  using Range = RankShares::Range;
  struct Table {
    std::size_t parameter;     // number of the parameter
    std::int64_t rows, width;  // its shape
  };

  /// @param shares  Shares of the current step; must outlive this object, like `total`, which receives the sums.
  /// @param dense   Numbers of the dense parameters.
  /// @param adds_absent_rows  As in StepSum.
  PieceSum(Job& job, const RankShares& shares, Gradients& total, std::vector<std::size_t> dense,
           std::vector<Table> tables, bool adds_absent_rows);

  std::span<const std::size_t> dense() const { return dense_; }
  /// Begins a step.
  void begin() { parts_.clear(); }
  /// Copies the sum of the next subtree of this rank from `total`.
  void add_subtree();
  /// Writes the sum of the step to `total`, with ascending table_rows. All ranks must call it. @throws as Job does.
  void finish();

 private:
  /// Elements [begin, end) of the concatenated dense gradients, and the rows r of tables with r % modulus == residue.
  struct Slice {
    std::int64_t begin = 0, end = 0;
    std::int32_t modulus = 1, residue = 0;
  };
  /// A slice of the sum of some minibatches. `bytes`: dense elements, then for each table the row numbers and the rows.
  struct Part {
    Range range;  // the minibatches
    Slice slice;
    std::vector<std::int32_t> counts;  // [tables]: number of rows in the part
    UninitialisedVector<std::byte> bytes;
  };
  /// Ranks that exchange slices.
  struct Group {
    std::vector<int> ranks;  // the members
    int me = 0;              // position of this rank in `ranks`
    int size() const { return static_cast<int>(ranks.size()); }
  };

  static Slice slice_of(const Slice& whole, int member, int members);
  Slice owned_by(int rank) const;
  Group host_group() const;
  Group group_across_hosts() const;

  Part make_part(Range range, const Slice& slice, std::vector<std::int32_t> counts) const;
  static std::span<float> numbers(Part& part);
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
  /// Exchanges slices in a group, and returns this rank's slice of the sum over all its members.
  /// @param mine  [subtrees of this rank][members]: slices of `whole`.   @param subtrees  [members]: their subtrees.
  Part reduce(const Group& group, const Slice& whole, std::vector<std::vector<Part>> mine,
              const std::vector<std::vector<Range>>& subtrees, Range all) const;
  /// Returns the finished parts of all members of a group. @param owner  Returns the rank that owns part k of a member.
  std::vector<Part> gather(const Group& group, std::vector<Part> mine,
                           const std::function<int(int member, std::size_t k)>& owner) const;
  void check_counts(const Part& part, int sender) const;
  void check_rows(Part& part, int sender) const;
  void copy_to_total(std::vector<Part> parts);
  template <typename F>
  void for_dense(const Slice& slice, F f) const;

  Job& job_;
  const RankShares& shares_;
  Gradients& total_;
  const std::vector<std::size_t> dense_;
  const std::vector<Table> tables_;
  const bool adds_absent_rows_;
  Slice whole_;                           // the whole piece
  std::vector<std::vector<Part>> parts_;  // [subtrees of this rank so far][members of the first group]
};

}  // namespace cavs::inline v0_1
