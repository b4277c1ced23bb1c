#include <fmt/ranges.h>

#include <array>
#include <string>
#include <utility>

#include "cavs/graph.h"
#include "graphs/graph_builders.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

std::string describe(const GraphSchema& schema) {
  std::vector<std::string> ports = schema.index_ports;
  for (const auto& port : schema.float_ports) ports.push_back(port.name);
  for (const std::string& port : schema.edge_index_ports) ports.push_back(port + " (edges)");
  for (const auto& port : schema.edge_float_ports) ports.push_back(port.name + " (edges)");
  return fmt::format("types {} with {}", fmt::join(schema.types, ", "), fmt::join(ports, ", "));
}

}  // namespace

InputGraph sample_of(const GraphSet& set, std::int32_t sample) {
  user_check(0 <= sample && sample < set.size(), "sample {} of {}; expected a number from 0", sample, set.size());
  const std::int64_t begin = set.vertex_begin()[sample], end = set.vertex_begin()[sample + 1];
  const std::int64_t slots = set.child_begin()[begin];
  InputGraph graph;
  graph.types.assign(set.types().begin() + begin, set.types().begin() + end);
  graph.child_offsets.reserve(end - begin + 1);
  for (std::int64_t v = begin; v <= end; ++v)
    graph.child_offsets.push_back(static_cast<std::int32_t>(set.child_begin()[v] - slots));
  graph.children.assign(set.children().begin() + slots, set.children().begin() + set.child_begin()[end]);
  const auto copy = [](auto& copies, auto values, std::int64_t from, std::int64_t to) {
    copies.emplace_back(values.begin() + from, values.begin() + to);
  };
  const GraphSchema& schema = set.schema();
  const std::int64_t last = set.child_begin()[end];
  for (std::size_t p = 0; p < schema.index_ports.size(); ++p) copy(graph.index_pulls, set.index_pulls(p), begin, end);
  for (std::size_t p = 0; p < schema.float_ports.size(); ++p) {
    const std::int64_t width = schema.float_ports[p].width;
    copy(graph.float_pulls, set.float_pulls(p), begin * width, end * width);
    copy(graph.float_present, set.float_present(p), begin, end);
  }
  for (std::size_t p = 0; p < schema.edge_index_ports.size(); ++p)
    copy(graph.edge_index_pulls, set.edge_index_pulls(p), slots, last);
  for (std::size_t p = 0; p < schema.edge_float_ports.size(); ++p) {
    const std::int64_t width = schema.edge_float_ports[p].width;
    copy(graph.edge_float_pulls, set.edge_float_pulls(p), slots * width, last * width);
    copy(graph.edge_float_present, set.edge_float_present(p), slots, last);
  }
  return graph;
}

std::span<const GraphBuilder> all_graph_builders() {
  static const std::array kBuilders{
      GraphBuilder{"tree-with-outputs", "an output vertex over each vertex of a tree", tree_schema(),
                   tree_with_outputs_schema(), build_tree_with_outputs},
      GraphBuilder{"tree-of-two-types", "tree-with-outputs, with one of two types for each inner vertex", tree_schema(),
                   tree_of_two_types_schema(), build_tree_of_two_types},
      GraphBuilder{"thinking-tree",
                   "an output vertex over each vertex, and a chain of log2(words) steps over each inner vertex",
                   tree_schema(), thinking_tree_schema(), build_thinking_tree},
      GraphBuilder{"time-delay",
                   "the leaves of a tree, joined in neighbouring pairs until one vertex is left, and its class",
                   tree_schema(), tree_with_outputs_schema(), build_time_delay},
  };
  return kBuilders;
}

const GraphBuilder& find_graph_builder(std::string_view name) {
  std::vector<std::string_view> known;
  for (const GraphBuilder& builder : all_graph_builders()) {
    if (builder.name == name) return builder;
    known.push_back(builder.name);
  }
  user_error("unknown graph builder '{}'; {}", name, suggest(name, known));
}

std::optional<GraphBuilder> graph_builder_for(std::string_view name, const Model* model, const GraphSchema& source) {
  if (!name.empty()) return find_graph_builder(name);
  if (model != nullptr && model->is_network()) return network_builder(*model, source);
  return std::nullopt;
}

GraphSet build_graphs(GraphSet samples, const GraphBuilder& builder, std::vector<std::int32_t>* outputs) {
  const GraphSchema &source = builder.source, &target = builder.target;
  if (samples.schema() == target) return samples;
  user_check(samples.schema() == source,
             "the model builds its graphs ({}) from vertices of {}, but the data have vertices of {}; expected data "
             "that fit, or graphs of {}",
             builder.name, describe(source), describe(samples.schema()), describe(target));
  GraphSet built(target, samples.limits());
  for (std::int32_t s = 0; s < samples.size(); ++s) {
    const BuiltGraph sample = builder.build(sample_of(samples, s));
    built.add(sample.graph, fmt::format("{} of sample {}", builder.name, s));
    if (outputs != nullptr) outputs->insert(outputs->end(), sample.outputs.begin(), sample.outputs.end());
  }
  return built;
}

}  // namespace cavs::inline v0_1
