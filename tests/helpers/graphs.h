#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cavs/graph.h"
#include "data/generators.h"

namespace cavs {

/// Number of word ids, number of label ids, and width of port "box".
inline constexpr std::int32_t kWords = 7, kLabels = 5, kBoxWidth = 4;

/// Returns a schema with index ports "word" and "label", and port "box" with four numbers per vertex.
inline GraphSchema dressed_schema(std::vector<std::string> types = {"vertex"}) {
  return {.types = std::move(types), .index_ports = {"word", "label"}, .float_ports = {{"box", kBoxWidth}}};
}

/// Pseudo-random numbers that are the same on every platform.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1DU;
  }
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(bound));
  }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }

 private:
  std::uint64_t state_;
};

/// Returns the graph with a word, a label and a box at every vertex. Each of these is absent at some vertices.
inline InputGraph dressed(InputGraph graph, std::uint64_t seed) {
  Numbers numbers(seed);
  const std::size_t count = graph.types.size();
  graph.index_pulls = {std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)};
  graph.float_pulls.assign(1, std::vector<float>(count * kBoxWidth));
  graph.float_present.assign(1, std::vector<std::uint8_t>(count));
  for (std::size_t v = 0; v < count; ++v) {
    graph.index_pulls[0][v] = numbers.below(3) == 0 ? -1 : numbers.below(kWords);
    graph.index_pulls[1][v] = numbers.below(3) == 0 ? -1 : numbers.below(kLabels);
    graph.float_present[0][v] = numbers.below(4) != 0;
    for (int i = 0; i < kBoxWidth; ++i)
      graph.float_pulls[0][v * kBoxWidth + i] = static_cast<float>(numbers.uniform(-1, 1));
  }
  return graph;
}

/// Returns a graph with these children of each vertex; -1 is an absent child.
inline InputGraph graph_of(const std::vector<std::vector<std::int32_t>>& children) {
  InputGraph graph;
  graph.child_offsets.push_back(0);
  for (const auto& slots : children) {
    graph.types.push_back(0);
    graph.children.insert(graph.children.end(), slots.begin(), slots.end());
    graph.child_offsets.push_back(std::ssize(graph.children));
  }
  return graph;
}

inline InputGraph chain(std::int32_t length) {
  std::vector<std::vector<std::int32_t>> children(length);
  for (std::int32_t v = 1; v < length; ++v) children[v] = {v - 1};
  return graph_of(children);
}

inline InputGraph star(std::int32_t leaves) {
  std::vector<std::vector<std::int32_t>> children(leaves + 1);
  for (std::int32_t v = 1; v <= leaves; ++v) children[0].push_back(v);
  return graph_of(children);
}

struct NamedGraphs {
  std::string name;
  GraphSet graphs;
};

inline GraphSet dressed_set(const std::vector<InputGraph>& graphs, std::uint64_t seed = 1) {
  GraphSet set(dressed_schema());
  for (const InputGraph& graph : graphs) set.add(dressed(graph, seed++));
  return set;
}

inline GraphSet random_dags(const RandomDagOptions& options, std::int32_t count, std::uint64_t seed) {
  std::vector<InputGraph> graphs;
  for (std::int32_t i = 0; i < count; ++i) graphs.push_back(generate_dag(options, seed, i));
  return dressed_set(graphs, seed);
}

/// Returns graphs whose shapes are hard for schedulers. Each entry is a data set with one vertex type and all ports.
inline std::vector<NamedGraphs> graph_zoo() {
  const InputGraph complete = generate_binary_tree(16, 8, 5, 1, 0);
  std::vector<std::vector<std::int32_t>> tree(complete.types.size());
  for (std::size_t v = 0; v < tree.size(); ++v)
    tree[v].assign(complete.children.begin() + complete.child_offsets[v],
                   complete.children.begin() + complete.child_offsets[v + 1]);
  std::vector<NamedGraphs> zoo;
  zoo.push_back({"one vertex", dressed_set({chain(1)})});
  zoo.push_back({"chains", dressed_set({chain(40), chain(7), chain(1)})});
  zoo.push_back({"stars", dressed_set({star(30), star(1)})});
  zoo.push_back({"complete tree", dressed_set({graph_of(tree)})});
  zoo.push_back({"several roots", dressed_set({graph_of({{}, {0}, {0}, {1, 2}, {}, {4}})})});
  zoo.push_back({"a child twice", dressed_set({graph_of({{}, {0, 0}, {1, 0, 1}})})});
  zoo.push_back({"absent children", dressed_set({graph_of({{-1, -1}, {-1, 0}, {1, -1, -1, 0}})})});
  zoo.push_back({"random DAGs", random_dags({.vertices = 25, .min_arity = 0, .max_arity = 4, .absent = 0.2F}, 5, 3)});
  return zoo;
}

/// Returns the numbers of all samples of a data set.
inline std::vector<std::int32_t> all_samples(const GraphSet& graphs) {
  std::vector<std::int32_t> samples(graphs.size());
  for (std::int32_t s = 0; s < graphs.size(); ++s) samples[s] = s;
  return samples;
}

}  // namespace cavs
