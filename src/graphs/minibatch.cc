#include "graphs/minibatch.h"

#include <limits>

#include "support/check.h"

namespace cavs {

void Minibatch::clear(const BoundGraphs& graphs) {
  bound = &graphs;
  samples.clear(), types.clear(), children.clear(), parents.clear();
  vertex_begin.assign(1, 0), child_begin.assign(1, 0), parent_begin.assign(1, 0);
  type_count.assign(graphs.program().types.size(), 0);
}

namespace {

/// Appends `from` shifted so that its first element continues at `base`.
void append_offsets(std::vector<std::int32_t>& to, std::span<const std::int64_t> from) {
  const auto base = to.back();
  const std::size_t old = to.size();
  to.resize(old + from.size() - 1);
  for (std::size_t i = 1; i < from.size(); ++i) to[old + i - 1] = base + static_cast<std::int32_t>(from[i] - from[0]);
}

void append_vertices(std::vector<std::int32_t>& to, std::span<const std::int32_t> from, std::int32_t base) {
  const std::size_t old = to.size();
  to.resize(old + from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[old + i] = from[i] < 0 ? -1 : from[i] + base;
}

}  // namespace

void Minibatch::add(std::int32_t sample) {
  const GraphSet& g = bound->graphs();
  user_check(sample >= 0 && sample < g.size(), "sample {} is not in the data set; expected 0 to {}", sample,
             g.size() - 1);
  const std::int64_t begin = g.vertex_begin[sample], end = g.vertex_begin[sample + 1];
  const auto count = static_cast<std::size_t>(end - begin);
  const std::int64_t slots = g.child_begin[end] - g.child_begin[begin];
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  user_check(vertices() + (end - begin) <= kMost && static_cast<std::int64_t>(children.size()) + slots <= kMost,
             "a minibatch of {} samples has more than {} vertices or edges; try a smaller --batch-size",
             samples.size() + 1, kMost);
  const std::int32_t base = vertices();
  samples.push_back(sample);
  const auto type = bound->types().subspan(begin, count);
  types.insert(types.end(), type.begin(), type.end());
  for (auto t : type) ++type_count[t];
  append_offsets(child_begin, {g.child_begin.data() + begin, count + 1});
  append_offsets(parent_begin, {g.parent_begin.data() + begin, count + 1});
  append_vertices(children, {g.children.data() + g.child_begin[begin], static_cast<std::size_t>(slots)}, base);
  append_vertices(
      parents,
      {g.parents.data() + g.parent_begin[begin], static_cast<std::size_t>(g.parent_begin[end] - g.parent_begin[begin])},
      base);
  vertex_begin.push_back(base + static_cast<std::int32_t>(count));
}

}  // namespace cavs
