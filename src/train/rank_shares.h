#pragma once

#include <cstdint>
#include <vector>

#include "cavs/distributed.h"

namespace cavs::inline v0_1 {

/// How the ranks share the minibatches of a step, in the tree of StepSum.
struct RankShares {
  /// Minibatches [begin, end) of the step.
  struct Range {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return end - begin; }
    bool operator==(const Range&) const = default;
  };

  RankShares() = default;
  RankShares(std::int64_t minibatches, const Job& job);
  /// The minibatches of a host.
  Range of_host(int host) const;

  std::int64_t minibatches = 0;
  int rank = 0, ranks = 1;
  int per_host = 1;                          // ranks of a host that add their sums first; 1: none do
  std::vector<std::vector<Range>> subtrees;  // [ranks], in order
};

/// The minibatches of a rank. The sizes of shares differ by one at most; shares are empty where there are fewer
/// minibatches than ranks.
inline RankShares::Range share_of(std::int64_t minibatches, int rank, int ranks) {
  return {minibatches * rank / ranks, minibatches * (rank + 1) / ranks};
}

/// The middle of a subtree: see StepSum.
std::int64_t middle(RankShares::Range of);

}  // namespace cavs::inline v0_1
