#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cavs/layers.h"
#include "helpers/edge_graphs.h"

/// Models and graphs of edges that have input, labels and targets.
namespace cavs {

inline constexpr std::int32_t kHidden = 6;

struct EdgeCase {
  std::string name;
  std::function<void(Model&, Vertex&)> declare;
};

inline Value words(Model& m, Vertex& v) { return m.lookup("E", {kWords, kHidden})(v.pull_index("word")); }

/// Functions over edges, with one feature each, and with all features together.
inline std::vector<EdgeCase> edge_cases() {
  return {
      {"features",
       [](Model& m, Vertex& v) {
         auto U = m.parameter("U", {kHidden, kHidden}), B = m.parameter("B", {kBondWidth, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden});
         auto message = v.children("h") * U + v.pull_edges("bond", kBondWidth) * B + R(v.pull_edge_index("relation"));
         auto h = tanh(words(m, v) + sum(relu(message)));
         v.scatter("h", h);
         v.push("h", h);
         v.loss(sum_features(square(h)));
       }},
      {"gates and attention",
       [](Model& m, Vertex& v) {
         auto U = m.parameter("U", {kHidden, kHidden}), B = m.parameter("B", {kBondWidth, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden}), E = m.lookup("E", {kWords, kHidden});
         auto h = v.children("h"), bond = v.pull_edges("bond", kBondWidth);
         auto weight = softmax_children(sum_features(R(v.pull_edge_index("relation")) * (h * U)));
         auto x = E(v.pull_index("word"));
         auto all = sum(h * weight) + max(sigmoid(bond * B) * h) + mean(h * sum_features(bond));
         auto out = tanh(x + all + sum(E(v.pull_edge_index("kind"))));  // one table for words and kinds
         v.scatter("h", out);
         v.push("h", out);
         v.loss(softmax_cross_entropy(slice(out, 0, kLabels), v.pull_index("label")));
       }},
      {"edges alone",
       [](Model& m, Vertex& v) {
         auto B = m.parameter("B", {kBondWidth, kHidden}), W = m.parameter("W", {kHidden, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden});
         auto bond = v.pull_edges("bond", kBondWidth);
         auto h = tanh(words(m, v) + sum(bond * B) + max(R(v.pull_edge_index("relation")) * W) +
                       concat({sum(bond), mean(slice(bond, 1, 2)), sum_features(max(bond))}) +
                       mean(R(v.pull_edge_index("kind"))) + mean(v.children("h")));
         v.scatter("h", h);
         v.push("h", h);
         v.loss(sum_features(h));
       }},
      {"children from slot 1",
       [](Model& m, Vertex& v) {
         auto B = m.parameter("B", {kBondWidth, kHidden});
         auto R = m.lookup("R", {kRelations, kHidden});
         auto edge = v.pull_edges("bond", kBondWidth, 1) * B + R(v.pull_edge_index("relation", 1));
         auto h = tanh(words(m, v) + v.gather(0, "h") * 0.5 + sum(v.children("h", 1) * edge));
         v.scatter("h", h);
         v.push("h", h);
         v.loss(sum_features(square(h)));
       }},
      {"labels of edges",
       [](Model& m, Vertex& v) {
         auto U = m.parameter("U", {kHidden, kHidden}), W = m.parameter("W", {kHidden, kRelations});
         auto b = m.parameter("b", {kRelations}, Initializer::uniform(1));
         auto children = v.children("h");
         auto h = tanh(words(m, v) +
                       sum(children * U + v.pull_edges("bond", kBondWidth) * m.parameter("B", {kBondWidth, kHidden})));
         v.scatter("h", h);
         v.push("h", h);
         auto logits = (children * U + h) * W + b;
         v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
         v.loss(softmax_cross_entropy(slice(h, 0, kLabels), v.pull_index("label")) * 0.5);
         v.push("right", sum(dot(hard_max(logits), one_hot(v.pull_edge_index("relation"), kRelations))));
       }},
      {"a vertex predicts its edges",
       [](Model& m, Vertex& v) {
         auto h = tanh(words(m, v) + sum(v.children("h")) * 0.5);
         v.scatter("h", h);
         auto logits = h * m.parameter("W", {kHidden, kRelations});
         v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
       }},
      {"targets of edges",
       [](Model& m, Vertex& v) {
         auto children = v.children("h");
         auto h = tanh(words(m, v) + sum(children) * 0.5);
         v.scatter("h", h);
         v.push("h", h);
         auto found = (children * h) * m.parameter("W", {kHidden, kBondWidth});
         v.loss(sum(mean_squared_error(found, v.pull_edges("bond", kBondWidth))));
         v.loss(sum(v.where_edge_present("kind", sum_features(abs(found)))));
       }},
      {"many classes",
       [](Model& m, Vertex& v) {
         auto children = v.children("h");
         auto h = tanh(words(m, v) + sum(children) * 0.5);
         v.scatter("h", h);
         auto logits = children * m.parameter("W", {kHidden, 300}) + m.parameter("b", {300});
         v.loss(sum(softmax_cross_entropy(logits, v.pull_edge_index("relation"))));
       }},
  };
}

inline Model edge_model(const EdgeCase& of, const std::vector<std::string>& types = {"vertex"}) {
  Model m({.seed = 5});
  for (const std::string& type : types) m.vertex_function(type, [&](Vertex& v) { of.declare(m, v); });
  return m;
}

inline GraphSet edge_graphs(std::int32_t count, std::int32_t types = 1) {
  GraphSet graphs(dressed_schema(types == 1 ? std::vector<std::string>{"vertex"} : std::vector<std::string>{"a", "b"}));
  for (std::int32_t i = 0; i < count; ++i)
    graphs.add(dressed(
        generate_dag({.vertices = 2 + 3 * i, .min_arity = 0, .max_arity = 4, .types = types, .absent = 0.15F}, 9, i),
        100 + static_cast<std::uint64_t>(i)));
  return with_edges(graphs, 3);
}

}  // namespace cavs
