#pragma once

#include <map>
#include <string>
#include <vector>

#include "cavs/fit.h"

namespace cavs::inline v0_1 {

struct MetricColumn;

/// Draws the conclusions of fit() from the development results of all epochs so far, which it finds in `metrics`, the
/// results of epochs before a resume included.
class EpochWatch {
 public:
  /// @throws UserError for a measure that is not computed, or if epochs are to be compared without development data;
  /// for own metrics of one name, or of the name of another measure.
  EpochWatch(const Model& model, const GraphSet& dev, const FitOptions& options, const Optimizer& optimizer,
             const std::map<std::string, std::vector<double>>& metrics);

  /// Whether the epochs have to be compared, and nothing is known of any so far: check() then says whether they can.
  bool unchecked() const;
  /// @throws UserError if an evaluation, or the own metric, lacks what epochs are compared by.
  void check(const std::optional<Evaluation>& evaluation) const;

  /// Whether the epoch that has just been recorded is the best so far.
  bool is_best() const;
  /// Whether patience is at its end.
  bool is_over() const;
  /// Reduces the learning rate if the epoch that has just been recorded completes a plateau.
  void reduce_rate(Optimizer& optimizer) const;

 private:
  std::span<const double> history() const;

  const FitOptions& options_;
  const std::map<std::string, std::vector<double>>& metrics_;
  const OwnMetric* own_;        // what epochs are compared by, or else `column_`
  const MetricColumn* column_;  // null with `own_`
  std::string name_;            // of either
  bool lower_is_better_;
  bool compares_;
};

}  // namespace cavs::inline v0_1
