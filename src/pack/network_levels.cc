#include <algorithm>
#include <vector>

#include "pack/minibatch.h"

namespace cavs::inline v0_1 {
namespace {

/// The relation "type `parent` reads type `child`, directly or through others", at [child * types + parent].
class Reachability {
 public:
  explicit Reachability(std::size_t types) : types_(types), reads_(types * types, 0) {}

  void add(std::int32_t child, std::int32_t parent) { reads_[child * types_ + parent] = 1; }
  /// Makes the relation transitive, by Warshall's algorithm, since types are few.
  void close() {
    for (std::size_t via = 0; via < types_; ++via)
      for (std::size_t a = 0; a < types_; ++a)
        for (std::size_t b = 0; b < types_ && reads_[a * types_ + via] != 0; ++b)
          if (reads_[via * types_ + b] != 0) reads_[a * types_ + b] = 1;
  }
  bool operator()(std::size_t child, std::size_t parent) const { return reads_[child * types_ + parent] != 0; }

 private:
  std::size_t types_;
  std::vector<char> reads_;
};

/// Returns the rank of each type: larger than the ranks of types that feed it. Types that feed each other share a rank.
/// Other types have different ranks, so that all tasks of a type follow each other and its weights stay in the cache.
std::vector<std::int32_t> ranks_of(const Reachability& feeds, std::size_t types) {
  struct Place {
    std::size_t feeders, first;  // number of types that feed it and that it does not feed; first type of its rank
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  for (std::size_t t = 0; t < types; ++t) {
    places.push_back({0, t});
    for (std::size_t other = 0; other < types; ++other) {
      if (!feeds(other, t)) continue;
      if (feeds(t, other))
        places[t].first = std::min(places[t].first, other);
      else
        ++places[t].feeders;
    }
  }
  std::vector<Place> sorted = places;
  std::ranges::sort(sorted);
  std::vector<std::int32_t> ranks;
  for (const Place& place : places)
    ranks.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(sorted, place) - sorted.begin()));
  return ranks;
}

}  // namespace

void BoundGraphs::find_network_levels() {
  const std::size_t types = program_->types.size();
  const GraphSet& g = *graphs_;
  Reachability feeds(types);
  const auto each_child = [&](std::int64_t base, std::int64_t v, auto f) {
    for (std::int64_t k = g.child_begin()[v]; k < g.child_begin()[v + 1]; ++k)
      if (g.children()[k] >= 0) f(base + g.children()[k]);
  };
  for (std::int32_t s = 0; s < g.size(); ++s)
    for (std::int64_t base = g.vertex_begin()[s], v = base; v < g.vertex_begin()[s + 1]; ++v)
      each_child(base, v, [&](std::int64_t child) { feeds.add(types_[child], types_[v]); });
  feeds.close();
  one_task_.clear();
  for (std::size_t t = 0; t < types; ++t) one_task_.push_back(program_->types[t].is_static && !feeds(t, t) ? 1 : 0);

  const std::vector<std::int32_t> ranks = ranks_of(feeds, types);
  std::vector<std::int32_t> highest(types + 1, -1),
      order;  // highest: [ranks] largest level; order: vertices of the sample, children first
  levels_.assign(types_.size(), 0);
  for (std::int32_t s = 0; s < g.size(); ++s) {
    const std::int64_t base = g.vertex_begin()[s];
    order.resize(g.vertex_begin()[s + 1] - base);
    for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<std::int32_t>(v);
    std::ranges::stable_sort(order, {}, [&](std::int32_t v) { return g.levels()[base + v]; });
    for (const std::int32_t local : order) {
      const std::int64_t v = base + local;
      const std::int32_t rank = ranks[types_[v]];
      each_child(base, v, [&](std::int64_t child) {
        if (ranks[types_[child]] == rank) levels_[v] = std::max(levels_[v], levels_[child] + 1);
      });
      highest[rank] = std::max(highest[rank], levels_[v]);
    }
  }
  std::vector<std::int32_t> below(types + 1, 0);  // [ranks] number of levels that lower ranks have
  for (std::size_t r = 1; r <= types; ++r) below[r] = below[r - 1] + highest[r - 1] + 1;
  for (std::size_t v = 0; v < levels_.size(); ++v) levels_[v] += below[ranks[types_[v]]];
}

}  // namespace cavs::inline v0_1
