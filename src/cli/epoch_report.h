#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "cavs/fit.h"
#include "cli/report.h"

namespace cavs::cli {

/// One line an epoch: on standard output, unless that is for JSON.
class EpochTable {
 public:
  EpochTable(Metric metric, bool to_stderr) : metric_(metric), out_(to_stderr ? stderr : stdout) {}

  void add(const EpochReport& report);

 private:
  Metric metric_;
  std::FILE* out_;
  bool begun_ = false;
};

Json to_json(const EpochReport& report, Metric metric);

/// The epoch with the best development data.
struct BestEpoch {
  std::int64_t epoch = 0;  // from 1
  std::string metric;      // its name in Checkpoint::metrics
  double value = 0;
  std::string text;  // for people
};
/// None without development data.
std::optional<BestEpoch> best_epoch(const Checkpoint& record, Metric metric);

}  // namespace cavs::cli
