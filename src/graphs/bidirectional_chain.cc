#include <numeric>

#include "cavs/data.h"
#include "graphs/graph_builders.h"
#include "support/check.h"

namespace cavs {
namespace {

enum Type : std::int32_t { kForward1, kBackward1, kForward2, kBackward2, kOutput, kTypes };

void check_chain(const InputGraph& chain) {
  const auto length = static_cast<std::int32_t>(chain.types.size());
  bool ordered = std::ssize(chain.children) == length - 1;
  for (std::int32_t v = 1; v < length && ordered; ++v)
    ordered = chain.children[v - 1] == v - 1 && chain.child_offsets[v] == v - 1;
  user_check(ordered, "a bidirectional model takes chains whose vertex v has the one child v - 1; found another graph");
}

}  // namespace

GraphSchema bidirectional_chain_schema() {
  return {.types = {"forward1", "backward1", "forward2", "backward2", "output"},
          .index_ports = {"word", "label"},
          .float_ports = {}};
}

/// Five vertices a token, type after type: two layers in each direction, the second above both of the first; the output
/// vertex above the second layer has the label (Huang et al., 2015, Figure 4, with two layers).
BuiltGraph build_bidirectional_chain(const InputGraph& chain) {
  check_chain(chain);
  const auto length = static_cast<std::int32_t>(chain.types.size());
  const std::vector<std::int32_t>&words = chain.index_pulls[0], &labels = chain.index_pulls[1];
  BuiltGraph built{.graph = {}, .outputs = std::vector<std::int32_t>(length)};
  InputGraph& graph = built.graph;
  graph.child_offsets.push_back(0);
  graph.index_pulls.assign(2, std::vector<std::int32_t>(static_cast<std::size_t>(kTypes) * length, -1));
  const auto at = [&](Type type, std::int32_t t) { return t < 0 || t >= length ? -1 : type * length + t; };
  for (const Type type : {kForward1, kBackward1, kForward2, kBackward2, kOutput})
    for (std::int32_t t = 0; t < length; ++t) {
      const bool backward = type == kBackward1 || type == kBackward2;
      if (type != kOutput) graph.children.push_back(at(type, backward ? t + 1 : t - 1));
      if (type == kForward2 || type == kBackward2)
        graph.children.insert(graph.children.end(), {at(kForward1, t), at(kBackward1, t)});
      if (type == kOutput) graph.children.insert(graph.children.end(), {at(kForward2, t), at(kBackward2, t)});
      if (type == kForward1 || type == kBackward1) graph.index_pulls[0][at(type, t)] = words[t];
      if (type == kOutput) graph.index_pulls[1][at(type, t)] = labels[t];
      graph.types.push_back(type);
      graph.child_offsets.push_back(static_cast<std::int32_t>(graph.children.size()));
    }
  std::iota(built.outputs.begin(), built.outputs.end(), at(kOutput, 0));
  return built;
}

}  // namespace cavs
