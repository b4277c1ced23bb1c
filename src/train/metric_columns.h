#pragma once

#include <span>

#include "cavs/evaluator.h"
#include "cavs/trainer.h"

namespace cavs {

/// A number of an evaluation that a metric shows beside the loss.
struct MetricColumn {
  const char* name;   // in JSON and, behind "dev_", in Checkpoint::metrics
  const char* title;  // of a table
  double Evaluation::*value;
  bool share;        // shown in percent
  int decimals = 2;  // where it is not
};

struct MetricInfo {
  const char* name;                       // of its last column
  const char* title;                      // for people
  std::span<const MetricColumn> columns;  // the last one tells which epoch is the best
  bool lower_is_better;
};

const MetricInfo& metric_info(Metric metric);

}  // namespace cavs
