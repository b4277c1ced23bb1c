#pragma once

#include <cstdint>
#include <vector>

#include "cavs/distributed.h"

namespace cavs::inline v0_1 {

/// Each rank's share of the minibatches of a step, as subtrees of the tree of StepSum.
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

  std::int64_t minibatches = 0;  // number of minibatches in the step
  int rank = 0, ranks = 1;
  int per_host = 1;                          // ranks per host that first add their sums; 1 if hosts do not matter
  std::vector<std::vector<Range>> subtrees;  // [ranks]: the subtrees that make up a rank's share, in order
};

/// Returns the minibatches of a rank. Shares differ in size by at most one; with few minibatches, some are empty.
inline RankShares::Range share_of(std::int64_t minibatches, int rank, int ranks) {
  return {minibatches * rank / ranks, minibatches * (rank + 1) / ranks};
}

/// The middle of a subtree (`mid` in StepSum).
std::int64_t middle(RankShares::Range of);

}  // namespace cavs::inline v0_1
