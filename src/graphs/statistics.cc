#include <fmt/format.h>

#include <algorithm>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

GraphStatistics statistics(const GraphSet& graphs) {
  GraphStatistics s;
  s.samples = graphs.size();
  s.vertices = graphs.vertices();
  s.edges = static_cast<std::int64_t>(graphs.parents().size());
  std::int64_t depths = 0;
  for (std::int32_t i = 0; i < graphs.size(); ++i) {
    const std::int64_t begin = graphs.vertex_begin()[i], end = graphs.vertex_begin()[i + 1];
    s.smallest = i == 0 ? end - begin : std::min(s.smallest, end - begin);
    s.largest = std::max(s.largest, end - begin);
    const std::int32_t depth = *std::max_element(graphs.levels().begin() + begin, graphs.levels().begin() + end);
    s.max_depth = std::max(s.max_depth, depth);
    depths += depth;
  }
  for (std::int64_t v = 0; v < s.vertices; ++v) {
    const std::int64_t arity = graphs.child_begin()[v + 1] - graphs.child_begin()[v];
    s.max_arity = std::max(s.max_arity, arity);
    s.leaves += arity == 0 ? 1 : 0;
    s.roots += graphs.parent_begin()[v + 1] == graphs.parent_begin()[v] ? 1 : 0;
  }
  if (s.samples > 0) s.mean_depth = static_cast<double>(depths) / static_cast<double>(s.samples);
  if (s.vertices > s.leaves)
    s.mean_arity = static_cast<double>(graphs.edges()) / static_cast<double>(s.vertices - s.leaves);
  return s;
}

std::string to_string(const GraphStatistics& s) {
  return fmt::format(
      "samples  {}\nvertices {} (per sample: {} to {})\nedges    {}\nroots    {}\nleaves   {}\n"
      "depth    at most {}, mean {:.2f}\narity    at most {}, mean {:.2f}\n",
      s.samples, s.vertices, s.smallest, s.largest, s.edges, s.roots, s.leaves, s.max_depth, s.mean_depth, s.max_arity,
      s.mean_arity);
}

}  // namespace cavs::inline v0_1
