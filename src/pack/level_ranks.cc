// Ranks of vertices in their levels, computed once per data set, so that sorting by level only adds numbers.

#include <algorithm>
#include <utility>

#include "pack/minibatch.h"

namespace cavs::inline v0_1 {

void BoundGraphs::rank_levels() {
  const auto all = levels();
  level_ranks_.resize(all.size());
  level_runs_.clear();
  run_begin_.assign(1, 0);
  std::vector<std::int32_t> count, seen;  // count: [levels] vertices of the sample so far; seen: levels of the sample
  for (std::int32_t s = 0; s < graphs_->size(); ++s) {
    seen.clear();
    for (std::int64_t v = graphs_->vertex_begin()[s]; v < graphs_->vertex_begin()[s + 1]; ++v) {
      const std::int32_t level = all[v];
      if (level >= std::ssize(count)) count.resize(level + 1, 0);
      level_ranks_[v] = count[level]++;
      if (level_ranks_[v] == 0) seen.push_back(level);
    }
    std::ranges::sort(seen);
    for (const std::int32_t level : seen) level_runs_.push_back({level, std::exchange(count[level], 0)});
    run_begin_.push_back(std::ssize(level_runs_));
  }
}

}  // namespace cavs::inline v0_1
