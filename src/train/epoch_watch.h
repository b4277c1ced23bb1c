#pragma once

#include <map>
#include <string>
#include <vector>

#include "cavs/fit.h"

namespace cavs::inline v0_1 {

struct MetricColumn;

/// Makes the decisions of fit() from the development results of all epochs in `metrics`, also before a resume.
class EpochWatch {
 public:
  /// @throws UserError if the value that ranks epochs is not computed, if epochs must be compared without development
  /// data, or if a custom metric has the name of another metric.
  EpochWatch(const Model& model, const GraphSet& dev, const FitOptions& options, const Optimizer& optimizer,
             const std::map<std::string, std::vector<double>>& metrics);

  /// True if epochs must be compared but none has a value yet. Then call check().
  bool unchecked() const;
  /// @throws UserError if the evaluation, or the custom metric, does not have the value that ranks epochs.
  void check(const std::optional<Evaluation>& evaluation) const;

  /// True if the last recorded epoch is the best so far.
  bool is_best() const;
  /// True if patience has run out.
  bool is_over() const;
  /// Reduces the learning rate if the last recorded epoch completes a plateau.
  void reduce_rate(Optimizer& optimizer) const;

 private:
  std::span<const double> history() const;

  const FitOptions& options_;
  const std::map<std::string, std::vector<double>>& metrics_;
  const OwnMetric* own_;        // the custom metric that ranks epochs; null if `column_` ranks them
  const MetricColumn* column_;  // null if `own_` ranks epochs
  std::string name_;            // name of `own_` or `column_`
  bool lower_is_better_;
  bool compares_;  // true if an option needs epochs to be compared
};

}  // namespace cavs::inline v0_1
