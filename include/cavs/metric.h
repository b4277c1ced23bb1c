#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

struct Evaluation;

/// A measure of a model's quality besides its loss. Each metric compares a push port of the model with a port of the
/// data, named below. Requesting a metric whose ports are missing is an error.
enum class Metric : std::uint8_t {
  kAccuracy,     // share of vertices whose label (index port "label") has the largest logit (push "logits"); for all
                 // vertices, and for roots
  kPerplexity,   // exp(mean loss per label); n if all of n words are equally probable; needs only the loss
  kF1,           // F1 of tags (index port "label", push "logits"): of tokens that are not O, and of whole entities
  kCorrelation,  // correlation of the push "score" with the float port "score", each of one number
};

/// A number of Evaluation that a metric shows besides the loss.
struct MetricColumn {
  const char* name;           // key in JSON; "dev_" + name is the key in Checkpoint::metrics
  const char* title;          // heading of a table's column
  double Evaluation::*value;  // the number
  bool share;                 // true if the number is shown in percent
  int decimals = 2;           // digits after the point, if the number is not shown in percent
  bool lower_is_better = false;
};

/// The texts of a metric, and its numbers in Evaluation.
struct MetricInfo {
  const char* name;                       // name of the metric, equal to that of the last column
  const char* title;                      // text for people
  std::span<const MetricColumn> columns;  // the last one ranks epochs by default
};

const MetricInfo& metric_info(Metric metric);

/// The number that ranks epochs: "loss", or a column of the metric. An empty name selects the metric's last column, or
/// the loss without a metric; "mse" is short for mean_squared_error. @throws UserError with the known names.
const MetricColumn& find_measure(std::string_view name, std::optional<Metric> metric);

}  // namespace v0_1
}  // namespace cavs
