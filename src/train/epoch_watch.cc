#include "train/epoch_watch.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cavs/evaluator.h"
#include "support/check.h"
#include "train/metric_ports.h"

namespace cavs::inline v0_1 {
namespace {

using Decay = LearningRateSchedule::Decay;

/// The requested metric; by default accuracy, if it can be computed.
std::optional<Metric> metric_of(const Model& model, const GraphSet& dev, const FitOptions& options) {
  if (options.metric) return options.metric;
  const bool classified = missing_for(Metric::kAccuracy, model, dev.schema()).empty();
  return classified ? std::optional(Metric::kAccuracy) : std::nullopt;
}

/// Returns the custom metric that ranks epochs (FitOptions::best_by); null if another metric or the loss does.
const OwnMetric* find_own(const FitOptions& options, std::optional<Metric> metric) {
  const OwnMetric* found = nullptr;
  std::set<std::string, std::less<>> names{"loss"};
  for (const MetricColumn& column : metric_info(metric.value_or(Metric::kAccuracy)).columns) names.insert(column.name);
  for (const OwnMetric& own : options.own) {
    user_check(!own.name.empty() && own.compute, "a custom metric has no {}; expected a name and a function",
               own.name.empty() ? "name" : "function");
    user_check(names.insert(own.name).second, "the name of the custom metric '{}' is already in use; rename it",
               own.name);
    if (own.name == options.best_by) found = &own;
  }
  return found;
}

}  // namespace

EpochWatch::EpochWatch(const Model& model, const GraphSet& dev, const FitOptions& options, const Optimizer& optimizer,
                       const std::map<std::string, std::vector<double>>& metrics)
    : options_(options),
      metrics_(metrics),
      own_(find_own(options, metric_of(model, dev, options))),
      column_(own_ == nullptr ? &find_measure(options.best_by, metric_of(model, dev, options)) : nullptr),
      name_(own_ == nullptr ? column_->name : own_->name),
      lower_is_better_(own_ == nullptr ? column_->lower_is_better : own_->lower_is_better),
      compares_(!options.best_by.empty() || options.patience > 0 || !options.save_best.empty() ||
                optimizer.options().schedule.decay == Decay::kPlateau) {
  user_check(options.patience >= 0, "the patience is {} epochs; expected 0 (no early end) or more", options.patience);
  user_check(!compares_ || dev.size() > 0 || own_ != nullptr,
             "a named metric, early stopping, keeping the best epoch and reducing the learning rate on a plateau need "
             "development data, but there are none; give a development part");
}

bool EpochWatch::unchecked() const {
  return compares_ && std::ranges::all_of(history(), [](double value) { return std::isnan(value); });
}

void EpochWatch::check(const std::optional<Evaluation>& evaluation) const {
  user_check(own_ != nullptr || (evaluation && evaluation->labels > 0),
             "the epochs cannot be compared: the development data have no labels; give a development part with labels");
  const double value = own_ != nullptr ? own_->compute() : (*evaluation).*column_->value;
  user_check(
      !std::isnan(value),
      "the epochs cannot be compared by {}, which cannot be computed from the development data; compare them by loss",
      name_);
}

std::span<const double> EpochWatch::history() const {
  const auto found = metrics_.find("dev_" + name_);
  return found == metrics_.end() ? std::span<const double>() : found->second;
}

bool EpochWatch::is_best() const {
  const auto best = best_epoch(history(), lower_is_better_);
  return best && best->epoch == std::ssize(history());
}

bool EpochWatch::is_over() const {
  if (options_.patience == 0) return false;
  const auto best = best_epoch(history(), lower_is_better_);
  return best && best->since >= options_.patience;
}

void EpochWatch::reduce_rate(Optimizer& optimizer) const {
  const LearningRateSchedule& schedule = optimizer.options().schedule;
  if (schedule.decay != Decay::kPlateau || !ends_plateau(history(), lower_is_better_, schedule.patience)) return;
  optimizer.set_rate_factor(std::max(schedule.floor, optimizer.rate_factor() * schedule.rate));
}

}  // namespace cavs::inline v0_1
