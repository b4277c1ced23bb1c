#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "cavs/model.h"
#include "cavs/session.h"
#include "decode/growing_graphs.h"

// A model whose graphs grow while they are evaluated.

namespace cavs {

/// Returns a model with two vertex types: "source", with a matrix as state, and "taker", which reads the previous taker
/// and any number of sources.
inline Model attention_model() {
  Model m({.seed = 3});
  constexpr int kWidth = 4;
  const auto E = m.lookup("E", {10, kWidth});
  const auto W = m.parameter("W", {kWidth, kWidth}), K = m.parameter("K", {kWidth, 6});
  m.vertex_function("source", [&](Vertex& v) {
    const Value x = tanh(E(v.pull_index("word")) + v.gather(0, "h") * W);
    v.scatter("h", x);
    v.scatter("key", reshape(x * K, {3, 2}));
  });
  m.vertex_function("taker", [&](Vertex& v) {
    const Value keys = reshape(sum(v.children("key")), {6});
    const Value x = tanh(E(v.pull_index("word")) * W + v.gather(0, "h") + max(v.children("h")));
    v.scatter("h", x);
    v.scatter("key", reshape(keys * 0.5, {3, 2}));
    v.push("said", concat({x, keys}));
  });
  return m;
}

inline GraphSchema attending_schema() {
  return {.types = {"source", "taker"}, .index_ports = {"word"}, .float_ports = {}};
}

/// Returns a graph whose vertices 0 to 2 are sources and 3 to 5 are takers. 3 precedes 4; 3 and 5 are first.
inline InputGraph whole_graph() {
  return {.types = {0, 0, 0, 1, 1, 1},
          .child_offsets = {0, 0, 1, 2, 4, 7, 9},
          .children = {0, 1, -1, 2, 3, 0, 2, 1, 1},
          .index_pulls = {{4, 5, 6, 7, 8, 9}},
          .float_pulls = {},
          .float_present = {}};
}

inline std::vector<float> outputs_of_whole_graph(const Model& model, const std::shared_ptr<Parameters>& parameters,
                                                 const SessionOptions& options) {
  GraphSet graphs(attending_schema());
  graphs.add(whole_graph());
  const auto program = compile(model, {.training = false});
  const auto bound = bind_graphs(program, graphs);
  Session session(program, parameters, options);
  const std::int32_t sample = 0;
  return session.forward(*bound, {&sample, 1}).output("said");
}

/// Returns the sources of whole_graph() alone.
inline GraphSet sources() {
  GraphSet graphs(attending_schema());
  graphs.add({.types = {0, 0, 0},
              .child_offsets = {0, 0, 1, 2},
              .children = {0, 1},
              .index_pulls = {{4, 5, 6}},
              .float_pulls = {},
              .float_present = {}});
  return graphs;
}

/// One step, and the outputs of the vertices that it adds.
struct GrownStep {
  std::vector<std::int32_t> evaluated;
  std::vector<std::vector<float>> rows;

  GrownStep(GrowingGraphs& graphs, const NewVertices& vertices) : rows(vertices.size()) {
    evaluated = graphs.step(vertices, [&](std::int32_t k, std::span<const float> row) {
      EXPECT_TRUE(rows[k].empty());
      rows[k].assign(row.begin(), row.end());
    });
  }
};

/// Evaluates whole_graph() in steps, after its sources. @return the rows of port "said" for vertices 3, 5 and 4
inline std::vector<std::vector<float>> outputs_in_steps(GrowingGraphs& graphs) {
  const auto s = graphs.evaluate(sources(), std::vector<std::int32_t>{0, 1, 2});
  NewVertices vertices;
  vertices.add(7, std::vector<std::int32_t>{-1, s[2]});
  vertices.add(9, std::vector<std::int32_t>{s[1], s[1]});
  GrownStep first(graphs, vertices);
  vertices.clear();
  vertices.add(8, std::vector<std::int32_t>{first.evaluated[0], s[0], s[2]});
  first.rows.push_back(GrownStep(graphs, vertices).rows[0]);
  return first.rows;
}

}  // namespace cavs
