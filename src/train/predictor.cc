#include <algorithm>
#include <cmath>
#include <numeric>

#include "cavs/trained_model.h"
#include "ir/function.h"
#include "ir/op.h"
#include "support/check.h"
#include "train/port_names.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the node whose value a vertex function pushes to `port`; nullptr if none does.
const Node* find_pushed(const Model& model, std::string_view port) {
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(OpId::kPush) && node.attribute_name() == port) return &f.nodes[node.in[0]];
  return nullptr;
}

std::vector<std::string> ports_of(const Model& model) {
  std::vector<std::string> ports;
  for (const char* port : {kLogits, kProbabilities})
    if (find_pushed(model, port) != nullptr) ports.emplace_back(port);
  if (const Node* score = find_pushed(model, kScore); score != nullptr && score->shape.size() == 1)
    ports.emplace_back(kScore);
  const bool predicts = !ports.empty() && ports.front() != kProbabilities;
  user_check(predicts, "the model pushes no '{}', so it predicts no classes; push them in a vertex function", kLogits);
  return ports;
}

std::vector<float> softmax_of(std::span<const float> logits) {
  const float most = *std::max_element(logits.begin(), logits.end());
  std::vector<double> powers;
  for (float x : logits) powers.push_back(std::exp(static_cast<double>(x) - most));
  const double sum = std::accumulate(powers.begin(), powers.end(), 0.0);
  std::vector<float> probabilities;
  probabilities.reserve(powers.size());
  for (double power : powers) probabilities.push_back(static_cast<float>(power / sum));
  return probabilities;
}

/// The rows of one push port for all evaluated vertices.
class PushedRows {
 public:
  PushedRows(const Run& run, const std::vector<std::string>& ports, const std::string& port) {
    if (std::ranges::find(ports, port) == ports.end()) return;
    width_ = static_cast<std::size_t>(run.width(port));
    rows_ = run.rows(port);
  }
  bool empty() const { return rows_.empty(); }
  /// The row of a vertex; empty if it pushes nothing, and for vertex -1.
  std::span<const float> at(std::int64_t vertex) const {
    if (empty() || vertex < 0 || rows_[vertex] == nullptr) return {};
    return {rows_[vertex], width_};
  }

 private:
  std::vector<const float*> rows_;
  std::size_t width_ = 0;
};

}  // namespace

Predictor::Predictor(const TrainedModel& model, const SessionOptions& options)
    : ports_(ports_of(model.model)),
      program_(compile(model.model, {.training = false, .pushes = ports_})),
      graph_builder_(graph_builder_for(model.graph_builder, &model.model, model.schema)),
      session_(program_, model.parameters, options) {
  const Node* const logits = find_pushed(model.model, kLogits);
  decides_ = logits != nullptr && logits->is(OpId::kHardMax);
}

void Predictor::check(const GraphSet& graphs) const {
  if (!graph_builder_) {
    bind_graphs(program_, graphs);
    return;
  }
  const GraphSet built = build_graphs(graphs, *graph_builder_);
  bind_graphs(program_, built);
}

std::vector<Prediction> Predictor::predict(const GraphSet& graphs) {
  if (graphs.size() == 0) return {};
  std::vector<std::int32_t> outputs;
  std::optional<GraphSet> built;
  if (graph_builder_) built = build_graphs(graphs, *graph_builder_, &outputs);
  const GraphSet& evaluated = built ? *built : graphs;
  const auto bound = bind_graphs(program_, evaluated);
  std::vector<std::int32_t> samples(graphs.size());
  std::iota(samples.begin(), samples.end(), 0);
  const Run run = session_.forward(*bound, samples);
  const PushedRows logits(run, ports_, kLogits), pushed(run, ports_, kProbabilities), scores(run, ports_, kScore);
  const auto probabilities_of = [&](std::int64_t at) {
    const auto given = pushed.at(at), row = logits.at(at);
    if (!given.empty()) return std::vector(given.begin(), given.end());
    return row.empty() || decides_ ? std::vector<float>() : softmax_of(row);
  };
  std::vector<Prediction> predictions(samples.size());
  for (std::int32_t s = 0; s < graphs.size(); ++s)
    for (std::int64_t v = graphs.vertex_begin()[s]; v < graphs.vertex_begin()[s + 1]; ++v) {
      Prediction& prediction = predictions[s];
      const auto local = static_cast<std::int32_t>(v - graphs.vertex_begin()[s]);
      const std::int32_t output = outputs.empty() ? local : outputs[v];
      const std::int64_t at = output < 0 ? -1 : evaluated.vertex_begin()[s] + output;
      const auto row = logits.at(at), score = scores.at(at);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      prediction.classes.push_back(row.empty() ? -1 : static_cast<std::int32_t>(best));
      prediction.probabilities.push_back(probabilities_of(at));
      if (!scores.empty()) prediction.scores.push_back(score.empty() ? 0 : score[0]);
      if (graphs.parent_begin()[v] == graphs.parent_begin()[v + 1])
        prediction.roots.push_back({local, prediction.probabilities.back()});
    }
  return predictions;
}

}  // namespace cavs::inline v0_1
