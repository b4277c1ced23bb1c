// Prints inputs, losses and gradients of the ready losses (cavs/losses.h), which losses_torch.py computes again.

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cavs/compile.h"
#include "cavs/graph.h"
#include "cavs/losses.h"
#include "cavs/session.h"

namespace {

using namespace cavs;

constexpr int kWidth = 5, kSamples = 12;

/// Between -1 and 1.
float number(int i) { return static_cast<float>((i * 7919 + 13) % 1000) / 500.0F - 1; }

/// A vertex a sample; x are the logits, target is 0 or 1, present too. Every fourth vertex has neither label nor
/// target.
GraphSet make_graphs() {
  GraphSet graphs({.types = {"f"},
                   .index_ports = {"label"},
                   .float_ports = {{"x", kWidth}, {"target", kWidth}, {"present", kWidth}, {"order", 1}}});
  for (int s = 0; s < kSamples; ++s) {
    const bool given = s % 4 != 3;
    InputGraph graph;
    graph.types = {0}, graph.child_offsets = {0, 0}, graph.index_pulls = {{given ? s % kWidth : -1}};
    graph.float_pulls.resize(4);
    for (int i = 0; i < kWidth; ++i) {
      graph.float_pulls[0].push_back(4 * number(s * kWidth + i));
      graph.float_pulls[1].push_back(given && (s + 2 * i) % 3 == 0 ? 1.0F : 0.0F);
      graph.float_pulls[2].push_back(given && (s + i) % 2 == 0 ? 1.0F : 0.0F);
    }
    graph.float_pulls[3] = {given ? (s % 2 == 0 ? 1.0F : -1.0F) : 0};
    const auto present = static_cast<std::uint8_t>(given ? 1 : 0);
    graph.float_present = {{1}, {present}, {present}, {present}};
    graphs.add(graph);
  }
  return graphs;
}

/// Losses by vertex, and the gradient of their sum by x.
nlohmann::json dump(const GraphSet& graphs, const std::function<Value(Vertex&, const Value& x)>& loss) {
  Model model;
  model.vertex_function("f", [&](Vertex& v) {
    const Value y = loss(v, v.pull("x", kWidth));
    v.push("loss", y), v.loss(y);
  });
  const auto program = compile(model, {.pull_gradients = true});
  const auto parameters = model.make_parameters();
  Session session(program, parameters);
  const auto bound = bind_graphs(program, graphs);
  std::vector<std::int32_t> samples;
  for (int s = 0; s < kSamples; ++s) samples.push_back(s);
  Run run = session.forward(*bound, samples, {.loss_divisor = 1});
  Gradients gradients(*parameters);
  run.backward(gradients);
  return {{"losses", run.output("loss")}, {"gradient", run.pull_gradient("x")}};
}

template <typename Values>
nlohmann::json list(const Values& values) {
  return nlohmann::json(std::vector(values.begin(), values.end()));
}

}  // namespace

int main() {
  const GraphSet graphs = make_graphs();
  const std::vector<float> weights{0.5F, 2, 1, 0, 1.5F};
  const auto first = [](const Value& row) { return sum_features(slice(row, 0, 1)); };
  nlohmann::json out{{"width", kWidth},
                     {"label", list(graphs.index_pulls(0))},
                     {"x", list(graphs.float_pulls(0))},
                     {"target", list(graphs.float_pulls(1))},
                     {"present", list(graphs.float_pulls(2))},
                     {"order", list(graphs.float_pulls(3))},
                     {"weights", weights}};
  const auto classes = [&](const CrossEntropyOptions& options) {
    return dump(graphs,
                [&](Vertex& v, const Value& x) { return softmax_cross_entropy(x, v.pull_index("label"), options); });
  };
  out["weighted"] = classes({.class_weights = weights});
  out["smoothed"] = classes({.label_smoothing = 0.1});
  out["weighted_smoothed"] = classes({.class_weights = weights, .label_smoothing = 0.2});
  out["binary"] =
      dump(graphs, [](Vertex& v, const Value& x) { return binary_cross_entropy(x, v.pull("target", kWidth), 2.5); });
  out["binary_of_present"] = dump(graphs, [](Vertex& v, const Value& x) {
    return binary_cross_entropy(x, v.pull("target", kWidth), v.pull("present", kWidth));
  });
  out["squared_of_present"] = dump(graphs, [](Vertex& v, const Value& x) {
    return mean_squared_error(x, v.pull("target", kWidth), v.pull("present", kWidth));
  });
  out["ranking"] = dump(graphs, [&](Vertex& v, const Value& x) {
    return margin_ranking(first(x), sum_features(slice(x, 1, 1)), first(v.pull("order", 1)), 0.5);
  });
  std::cout << out << "\n";
}
