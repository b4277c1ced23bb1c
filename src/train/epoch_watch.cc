#include "train/epoch_watch.h"

#include <algorithm>
#include <cmath>

#include "cavs/best_epoch.h"
#include "support/check.h"
#include "train/metric_columns.h"
#include "train/metric_ports.h"

namespace cavs {
namespace {

using Decay = LearningRateSchedule::Decay;

/// Accuracy is the metric where none is asked for and it can be computed.
std::optional<Metric> metric_of(const Model& model, const GraphSet& dev, const FitOptions& options) {
  if (options.metric) return options.metric;
  const bool classified = missing_for(Metric::kAccuracy, model, dev.schema()).empty();
  return classified ? std::optional(Metric::kAccuracy) : std::nullopt;
}

}  // namespace

EpochWatch::EpochWatch(const Model& model, const GraphSet& dev, const FitOptions& options, const Optimizer& optimizer,
                       const Checkpoint& record)
    : options_(options),
      record_(record),
      column_(&find_measure(options.best_by, metric_of(model, dev, options))),
      compares_(!options.best_by.empty() || options.patience > 0 || !options.save_best.empty() ||
                optimizer.options().schedule.decay == Decay::kPlateau) {
  user_check(options.patience >= 0, "the patience is {} epochs; expected 0 (no early end) or more", options.patience);
  user_check(
      !compares_ || dev.size() > 0,
      "a metric that is named, early stopping, keeping the best epoch and reducing the learning rate on a plateau "
      "compare the epochs on development data, and there are none; give a development part");
}

bool EpochWatch::unchecked() const {
  return compares_ && std::ranges::all_of(history(), [](double value) { return std::isnan(value); });
}

void EpochWatch::check(const Evaluation& evaluation) const {
  user_check(evaluation.labels > 0,
             "the epochs cannot be compared: the development data have no labels; give a development part that has");
  user_check(!std::isnan(evaluation.*column_->value),
             "the epochs cannot be compared by {}: it cannot be computed of the development data; compare them by loss",
             column_->name);
}

std::span<const double> EpochWatch::history() const {
  const auto found = record_.metrics.find(std::string("dev_") + column_->name);
  return found == record_.metrics.end() ? std::span<const double>() : found->second;
}

bool EpochWatch::is_best() const {
  const auto best = best_epoch(history(), column_->least_is_best);
  return best && best->epoch == std::ssize(history());
}

bool EpochWatch::is_over() const {
  if (options_.patience == 0) return false;
  const auto best = best_epoch(history(), column_->least_is_best);
  return best && best->since >= options_.patience;
}

void EpochWatch::reduce_rate(Optimizer& optimizer) const {
  const LearningRateSchedule& schedule = optimizer.options().schedule;
  if (schedule.decay != Decay::kPlateau || !ends_plateau(history(), column_->least_is_best, schedule.patience)) return;
  optimizer.set_rate_factor(std::max(schedule.floor, optimizer.rate_factor() * schedule.rate));
}

}  // namespace cavs
