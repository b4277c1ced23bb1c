#include <algorithm>
#include <numeric>

#include "cavs/graph.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::vector<std::int64_t> begins(std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> begin{0};
  begin.reserve(sizes.size() + 1);
  const std::int64_t most = GraphLimits{}.vertices;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    user_check(0 < sizes[s] && sizes[s] <= most, "sizes has {} at position {}; expected 1 to {} vertices", sizes[s], s,
               most);
    begin.push_back(begin.back() + sizes[s]);
    user_check(begin.back() <= INT32_MAX, "sizes adds up to {} vertices at position {}; at most {} are allowed",
               begin.back(), s, INT32_MAX);
  }
  return begin;
}

/// Returns the number of the sample of each vertex.
std::vector<std::int32_t> samples_of(std::span<const std::int64_t> begin) {
  std::vector<std::int32_t> sample(static_cast<std::size_t>(begin.back()));
  for (std::size_t s = 0; s + 1 < begin.size(); ++s)
    std::fill(sample.begin() + begin[s], sample.begin() + begin[s + 1], static_cast<std::int32_t>(s));
  return sample;
}

void check_edge(const EdgeList& list, std::size_t e, const std::vector<std::int32_t>& sample) {
  const auto vertices = std::ssize(sample);
  for (const std::int64_t v : {list.child[e], list.parent[e]})
    user_check(0 <= v && v < vertices,
               "edge {} has vertex {}; expected 0 to {}; vertices are numbered across all samples", e, v, vertices - 1);
  const auto from = sample[list.child[e]], to = sample[list.parent[e]];
  user_check(from == to, "edge {} joins vertices {} and {} of samples {} and {}; expected vertices of one sample", e,
             list.child[e], list.parent[e], from, to);
}

}  // namespace

GroupedEdges group_edges(const EdgeList& list) {
  user_check(list.child.size() == list.parent.size(), "{} children and {} parents; expected one of each per edge",
             list.child.size(), list.parent.size());
  GroupedEdges grouped{.sample_begin = begins(list.sizes), .child_offsets = {}, .children = {}, .edges = {}};
  const std::vector<std::int32_t> sample = samples_of(grouped.sample_begin);
  std::vector<std::int64_t>& offsets = grouped.child_offsets;
  offsets.assign(sample.size() + 1, 0);
  for (std::size_t e = 0; e < list.child.size(); ++e) {
    check_edge(list, e, sample);
    ++offsets[list.parent[e] + 1];
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  grouped.children.resize(list.child.size());
  grouped.edges.resize(list.child.size());
  for (std::size_t e = 0; e < list.child.size(); ++e) {
    const std::int64_t slot = next[list.parent[e]]++;
    grouped.children[slot] = static_cast<std::int32_t>(list.child[e] - grouped.sample_begin[sample[list.child[e]]]);
    grouped.edges[slot] = static_cast<std::int64_t>(e);
  }
  return grouped;
}

}  // namespace cavs::inline v0_1
