#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

struct Evaluation;

/// A measure of how good a model is, besides its loss. Each compares a push port of the model with a port of the data,
/// which have the names below. Asking for a metric whose ports are missing is an error.
enum class Metric : std::uint8_t {
  kAccuracy,     // the share of labels (index port "label") at which the push "logits" is largest; over all vertices,
                 // and over the roots
  kPerplexity,   // exp(mean loss per label); n where all of n words are equally probable; reads the loss alone
  kF1,           // of tags (index port "label", push "logits"): of tokens that are not O, and of whole entities
  kCorrelation,  // of the numbers of the push "score" with those of the float port "score", one number wide each
};

/// A number of an evaluation that a metric shows beside the loss.
struct MetricColumn {
  const char* name;   // in JSON and, behind "dev_", in Checkpoint::metrics
  const char* title;  // of a table
  double Evaluation::*value;
  bool share;        // shown in percent
  int decimals = 2;  // where it is not
  bool lower_is_better = false;
};

/// A metric for people, and the numbers of an evaluation that belong to it.
struct MetricInfo {
  const char* name;                       // of its last column
  const char* title;                      // for people
  std::span<const MetricColumn> columns;  // the last one tells which epoch is the best, where no other is named
};

const MetricInfo& metric_info(Metric metric);

/// The number that epochs are compared by: "loss", or a column of the metric. An empty name is the metric's last
/// column, or the loss where there is no metric; "mse" is mean_squared_error. @throws UserError for another name, with
/// the names that there are.
const MetricColumn& find_measure(std::string_view name, std::optional<Metric> metric);

}  // namespace v0_1
}  // namespace cavs
