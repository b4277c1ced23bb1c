#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "cavs/evaluator.h"
#include "cavs/fit.h"
#include "cli/report.h"

namespace cavs::cli {

/// A table with one line per epoch.
class EpochTable {
 public:
  /// @param out  where to print; nullptr to print nothing
  EpochTable(Metric metric, std::FILE* out) : metric_(metric), out_(out) {}

  void add(const EpochReport& report);

 private:
  Metric metric_;
  std::FILE* out_;
  bool begun_ = false;
};

Json to_json(const EpochReport& report, Metric metric);

/// Returns the development results by epoch, including the epochs before a resume; empty if there are none.
std::vector<double> dev_history(const TrainingRecord& record, const MetricColumn& column);

/// Returns the title of a chart: "accuracy at the root", "perplexity".
std::string long_title(const MetricColumn& column);
/// Returns text for people: "71.25 % at the root", "perplexity 104.20".
std::string describe_result(const MetricColumn& column, double value);

}  // namespace cavs::cli
