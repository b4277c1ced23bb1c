#include "train/metric_ports.h"

#include <algorithm>

#include "cavs/evaluator.h"
#include "ir/function.h"
#include "ir/op.h"
#include "support/check.h"
#include "support/suggest.h"
#include "train/port_names.h"

namespace cavs::inline v0_1 {
namespace {

bool has_loss(const Model& model) {
  return std::ranges::any_of(model.functions(), [](const Function& f) {
    return std::ranges::any_of(f.nodes, [](const Node& node) { return node.is(OpId::kLoss); });
  });
}

/// Returns "" if the model pushes `port` and, with `scalar`, one number per vertex to it; else a message.
std::string missing_push(const Model& model, std::string_view port, bool scalar) {
  std::vector<std::string_view> known;
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes) {
      if (!node.is(OpId::kPush)) continue;
      known.push_back(node.attribute_name());
      if (node.attribute_name() != port) continue;
      if (!scalar || node.shape.size() == 1) return {};
      return fmt::format("the push '{}' of the model is {}; expected one number per vertex", port,
                         to_string(node.shape));
    }
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return fmt::format("the model pushes no '{}' to compare; {}", port, suggest(port, known));
}

std::string missing_score(const GraphSchema& schema) {
  if (score_port(schema) >= 0) return {};
  std::vector<std::string> known;
  for (const auto& port : schema.float_ports) {
    if (port.name == kScore)
      return fmt::format("the float port '{}' of the data has {} numbers; expected 1", kScore, port.width);
    known.push_back(port.name);
  }
  return fmt::format("the data have no float port '{}' to compare with; {}", kScore, suggest(kScore, known));
}

std::string missing_label(const GraphSchema& schema) {
  if (std::ranges::find(schema.index_ports, "label") != schema.index_ports.end()) return {};
  return fmt::format("the data have no index port 'label' to compare with; {}", suggest("label", schema.index_ports));
}

}  // namespace

std::int64_t score_port(const GraphSchema& schema) {
  const auto found = std::ranges::find(schema.float_ports, GraphSchema::FloatPort{kScore, 1});
  return found == schema.float_ports.end() ? -1 : found - schema.float_ports.begin();
}

std::string missing_for(Metric metric, const Model& model, const GraphSchema& schema) {
  if (metric == Metric::kPerplexity)
    return has_loss(model) ? "" : "the model has no loss; declare one with Vertex::loss";
  const bool scores = metric == Metric::kCorrelation;
  const std::string push = missing_push(model, scores ? kScore : kLogits, scores);
  if (!push.empty()) return push;
  return scores ? missing_score(schema) : missing_label(schema);
}

void check_metric(Metric metric, const Model& model, const GraphSchema& schema) {
  const std::string missing = missing_for(metric, model, schema);
  user_check(missing.empty(), "metric '{}' cannot be computed: {}", metric_info(metric).title, missing);
}

}  // namespace cavs::inline v0_1
