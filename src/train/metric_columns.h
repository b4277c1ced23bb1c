#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cavs/evaluator.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// A number of an evaluation that a metric shows beside the loss.
struct MetricColumn {
  const char* name;   // in JSON and, behind "dev_", in Checkpoint::metrics
  const char* title;  // of a table
  double Evaluation::*value;
  bool share;        // shown in percent
  int decimals = 2;  // where it is not
  bool least_is_best = false;
};

struct MetricInfo {
  const char* name;                       // of its last column
  const char* title;                      // for people
  std::span<const MetricColumn> columns;  // the last one tells which epoch is the best, where no other is named
};

const MetricInfo& metric_info(Metric metric);

/// What epochs are compared by: "loss", or a column of the metric. An empty name is the metric's last column, or the
/// loss where there is no metric; "mse" is mean_squared_error. @throws UserError naming those that there are.
const MetricColumn& find_measure(std::string_view name, std::optional<Metric> metric);

}  // namespace cavs::inline v0_1
