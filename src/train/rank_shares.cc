#include "train/rank_shares.h"

#include <bit>

namespace cavs::inline v0_1 {
namespace {

/// Appends the largest subtrees of `tree` that are within `share`, in order.
void add_subtrees(RankShares::Range tree, RankShares::Range share, std::vector<RankShares::Range>& to) {
  if (share.end <= tree.begin || tree.end <= share.begin) return;
  if (share.begin <= tree.begin && tree.end <= share.end) return to.push_back(tree);
  add_subtrees({tree.begin, middle(tree)}, share, to);
  add_subtrees({middle(tree), tree.end}, share, to);
}

}  // namespace

std::int64_t middle(RankShares::Range of) {
  return of.begin + static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(of.size() - 1)));
}

RankShares::RankShares(std::int64_t of_step, const Job& job)
    : minibatches(of_step),
      rank(job.rank()),
      ranks(job.ranks()),
      per_host(job.ranks_per_host()),
      subtrees(job.ranks()) {
  for (int r = 0; r < ranks; ++r) add_subtrees({0, minibatches}, share_of(minibatches, r, ranks), subtrees[r]);
  // The minibatches of each host must be one subtree.
  for (int host = 0; per_host > 1 && host < ranks / per_host; ++host) {
    std::vector<Range> of_this;
    add_subtrees({0, minibatches}, of_host(host), of_this);
    if (of_this.size() != 1) per_host = 1;
  }
}

RankShares::Range RankShares::of_host(int host) const {
  return {share_of(minibatches, host * per_host, ranks).begin,
          share_of(minibatches, (host + 1) * per_host - 1, ranks).end};
}

}  // namespace cavs::inline v0_1
