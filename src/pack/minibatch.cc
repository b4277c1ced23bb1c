#include "pack/minibatch.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace cavs::inline v0_1 {

namespace {

/// Appends `more` uninitialised values and returns the address of the first.
std::int32_t* extend(std::vector<std::int32_t>& values, std::int64_t more) {
  values.resize(values.size() + static_cast<std::size_t>(more));
  return values.data() + static_cast<std::int64_t>(values.size()) - more;
}

}  // namespace

void Minibatch::clear(const BoundGraphs& graphs, KeptRows rows) {
  bound = &graphs;
  kept = std::move(rows);
  samples.clear();
  types.clear();
  levels.clear();
  children.clear();
  vertex_begin.assign(1, 0);
  child_begin.assign(1, 0);
  type_count.assign(graphs.program().types.size(), 0);
  edges = 0;
  labels = 0;
  one_task = graphs.one_task();
}

void Minibatch::add(std::int32_t sample) {
  const GraphSet& g = bound->graphs();
  user_check(sample >= 0 && sample < g.size(), "sample {} is not in the data set; expected 0 to {}", sample,
             g.size() - 1);
  const std::int64_t begin = g.vertex_begin()[sample], end = g.vertex_begin()[sample + 1];
  const std::int64_t slots = g.child_begin()[end] - g.child_begin()[begin];
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  user_check(vertices() + (end - begin) <= kMax && static_cast<std::int64_t>(children.size()) + slots <= kMax,
             "a minibatch of {} samples has more than {} vertices or edges; try a smaller batch size",
             samples.size() + 1, kMax);
  samples.push_back(sample);
  labels += bound->labels(begin, end);
  const std::int64_t first_slot = g.child_begin()[begin];
  types.insert(types.end(), bound->types().begin() + begin, bound->types().begin() + end);
  const auto all_levels = bound->levels();
  levels.insert(levels.end(), all_levels.begin() + begin, all_levels.begin() + end);
  if (type_count.size() == 1)
    type_count[0] += static_cast<std::int32_t>(end - begin);
  else
    for (std::int64_t v = begin; v < end; ++v) ++type_count[bound->types()[v]];
  const std::int64_t shift = child_begin.back() - first_slot;
  std::transform(g.child_begin().begin() + begin + 1, g.child_begin().begin() + end + 1,
                 extend(child_begin, end - begin),
                 [=](std::int64_t slot) { return static_cast<std::int32_t>(slot + shift); });
  const std::int32_t base = vertices();
  std::transform(g.children().begin() + first_slot, g.children().begin() + first_slot + slots, extend(children, slots),
                 [=](std::int32_t child) { return child < 0 ? -1 : child + base; });
  edges += static_cast<std::int32_t>(g.parent_begin()[end] - g.parent_begin()[begin]);
  vertex_begin.push_back(base + static_cast<std::int32_t>(end - begin));
}

}  // namespace cavs::inline v0_1
