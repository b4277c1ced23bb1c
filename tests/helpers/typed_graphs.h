#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cavs/graph.h"
#include "cavs/session.h"
#include "data/generators.h"
#include "helpers/finite_differences.h"
#include "helpers/graphs.h"
#include "pack/minibatch.h"

namespace cavs {

/// A program and graphs that fit it, all in one minibatch.
struct Packed {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const GraphSet> graphs;  // kept, because learned policies read the graphs later
  std::shared_ptr<const BoundGraphs> bound;
  Minibatch minibatch;

  Packed(std::shared_ptr<const Program> p, GraphSet set)
      : program(std::move(p)),
        graphs(std::make_shared<GraphSet>(std::move(set))),
        bound(bind_graphs(program, *graphs)),
        minibatch(packed(*bound, all_samples(*graphs))) {}
};

/// Returns the names of the types in graphs of generate_dag.
inline std::vector<std::string> numbered_types(int types) {
  std::vector<std::string> names;
  for (int t = 0; t < types; ++t) names.push_back("type" + std::to_string(t));
  return names;
}

/// Returns a model with a vertex function per name. Each function has any number of children, and no ports.
inline Model typed_model(const std::vector<std::string>& types) {
  Model m;
  for (const std::string& type : types)
    m.vertex_function(
        type, [&](Vertex& v) { v.scatter("h", tanh(sum(v.children("h")) + m.parameter("b of " + type, {2}))); });
  return m;
}

inline GraphSet typed_dags(const RandomDagOptions& options, int count, std::uint64_t seed) {
  GraphSet graphs({.types = numbered_types(options.types)});
  for (int i = 0; i < count; ++i) graphs.add(generate_dag(options, seed, i));
  return graphs;
}

/// Builds a typed graph vertex by vertex. Children come before their parents.
class TypedGraph {
 public:
  TypedGraph() { graph_.child_offsets.push_back(0); }
  std::int32_t add(std::int32_t type, const std::vector<std::int32_t>& children = {}) {
    graph_.types.push_back(type);
    graph_.children.insert(graph_.children.end(), children.begin(), children.end());
    graph_.child_offsets.push_back(std::ssize(graph_.children));
    return static_cast<std::int32_t>(graph_.types.size()) - 1;
  }
  /// Adds a vertex of type `output` over each vertex from `first` on, and one vertex of type `reduction` over these.
  std::int32_t add_outputs(std::int32_t first, std::int32_t output, std::int32_t reduction) {
    std::vector<std::int32_t> outputs;
    for (std::int32_t v = first, end = size(); v < end; ++v) outputs.push_back(add(output, {v}));
    return add(reduction, outputs);
  }
  /// Adds the tree of ED-Batch's figure 1(a), with four leaves, left-branching. Each leaf has the children `below`.
  std::int32_t add_figure_1a(std::int32_t inner, std::int32_t output, std::int32_t reduction,
                             const std::vector<std::int32_t>& below = {}) {
    const std::int32_t first = size();
    for (int leaf = 0; leaf < 4; ++leaf) add(inner, below);
    for (std::int32_t left = first, leaf = 1; leaf < 4; ++leaf) left = add(inner, {left, first + leaf});
    return add_outputs(first, output, reduction);
  }
  std::int32_t size() const { return static_cast<std::int32_t>(graph_.types.size()); }
  const InputGraph& graph() const { return graph_; }

 private:
  InputGraph graph_;
};

/// Adds a random binary tree. Leaves have type 0, inner vertices have type 1 + below(inner_types).
inline std::int32_t add_random_tree(TypedGraph& g, Numbers& numbers, std::int32_t leaves, std::int32_t inner_types) {
  if (leaves == 1) return g.add(0);
  const std::int32_t left = 1 + numbers.below(leaves - 1);
  const std::int32_t l = add_random_tree(g, numbers, left, inner_types);
  const std::int32_t r = add_random_tree(g, numbers, leaves - left, inner_types);
  return g.add(1 + numbers.below(inner_types), {l, r});
}

/// Returns trees with one or two types of inner vertices, an output over each vertex, and a sum over the outputs.
inline GraphSet output_trees(std::int32_t count, std::int32_t inner_types, std::uint64_t seed) {
  std::vector<std::string> names{"leaf", "inner"};
  if (inner_types == 2) names.emplace_back("other");
  names.emplace_back("output");
  names.emplace_back("reduction");
  GraphSet set({.types = names});
  Numbers numbers(seed);
  for (std::int32_t i = 0; i < count; ++i) {
    TypedGraph g;
    add_random_tree(g, numbers, 2 + numbers.below(30), inner_types);
    g.add_outputs(0, inner_types + 1, inner_types + 2);
    set.add(g.graph());
  }
  return set;
}

/// Returns word lattices as in Chinese NER. The state at a position is the sum of the cells of the arcs that end there:
/// the arc of a character from the previous position, and arcs of words from 2 to 4 positions before. Positions have
/// tags.
inline GraphSet random_lattices(std::int32_t count, std::uint64_t seed) {
  GraphSet set({.types = {"character", "word", "position", "tag"}});
  Numbers numbers(seed);
  for (std::int32_t i = 0; i < count; ++i) {
    TypedGraph g;
    std::vector<std::int32_t> position{g.add(2)};
    for (std::int32_t p = 1, length = 10 + numbers.below(60); p <= length; ++p) {
      std::vector<std::int32_t> arcs{g.add(0, {position[p - 1]})};
      const std::int32_t draw = numbers.below(100), span = draw < 86 ? 2 : draw < 97 ? 3 : 4;
      if (numbers.below(100) < 53 && p >= span) arcs.push_back(g.add(1, {position[p - span]}));
      position.push_back(g.add(2, arcs));
    }
    for (const std::int32_t p : position) g.add(3, {p});
    set.add(g.graph());
  }
  return set;
}

}  // namespace cavs
