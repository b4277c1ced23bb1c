#include "measure/ablation.h"

#include <algorithm>
#include <cmath>

#include "cavs/compile.h"
#include "measure/rounds.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr double kTolerance = 1e-5;

struct Contender : TimedStepper {
  StepFigures first = {};
  double tasks = 0;  // sum over the steps of an epoch
};

void warm_up(Contender& contender) {
  for (std::int64_t i = 0; i < contender.times.pieces(); ++i) {
    const StepFigures step = contender.stepper->step();
    if (i == 0) contender.first = step;
    contender.tasks += static_cast<double>(step.statistics.tasks);
  }
}

void check_same(const char* what, double found, double expected, const Variant& variant, const Variant& baseline) {
  if (std::abs(found - expected) <= kTolerance * std::abs(expected)) return;
  throw InternalError(
      fmt::format("'{}' changes the {} of the first step: {:.9g}, without it ('{}') {:.9g}; an optimisation must not "
                  "change results; please report this",
                  variant.name, what, found, baseline.name, expected));
}

}  // namespace

std::vector<Variant> ablation_variants(const TrainOptions& base) {
  const auto kept = [&](std::string_view pass) {
    return std::find(base.disabled_passes.begin(), base.disabled_passes.end(), pass) == base.disabled_passes.end();
  };
  TrainOptions baseline = base;
  baseline.session.streaming = Streaming::kOff;
  for (std::string_view pass : optional_passes())
    if (kept(pass)) baseline.disabled_passes.emplace_back(pass);
  std::vector<Variant> variants{{"baseline", baseline}};
  variants.push_back({"no batching", baseline});
  variants.back().options.session.policy = "serial";
  for (std::string_view pass : optional_passes()) {
    if (!kept(pass)) continue;
    variants.push_back({std::string(pass), baseline});
    std::erase(variants.back().options.disabled_passes, pass);
  }
  variants.push_back({"all, streaming", base});  // streaming only moves lazy work, so alone it has no effect
  variants.back().options.session.streaming = Streaming::kOn;
  variants.push_back({"all", base});
  return variants;
}

Ablation ablate(const Model& model, const GraphSet& data, const BenchmarkOptions& options,
                std::span<const Variant> variants) {
  std::vector<Contender> contenders;
  for (const Variant& variant : variants) {
    TrainOptions train = variant.options;
    if (variants.size() > 1) train.gradient_norm = true;  // the norms are compared below
    Contender contender{{make_stepper(model, data, options.training, train), WorkClock(train.session.threads),
                         RoundTimes(steps_of_epoch(data, train))}};
    warm_up(contender);
    contenders.push_back(std::move(contender));
    const StepFigures &found = contenders.back().first, &expected = contenders.front().first;
    check_same("loss", found.loss, expected.loss, variant, variants.front());
    check_same("norm of the gradient", found.gradient_norm, expected.gradient_norm, variant, variants.front());
  }
  Ablation result;
  result.rounds = run_rounds(options, static_cast<std::int64_t>(contenders.size()), [&] {
    for (Contender& contender : contenders) contender.run_epoch();
  });
  const double baseline_ms = contenders.front().times.best();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const RoundTimes& times = contenders[v].times;
    const auto steps = static_cast<double>(times.pieces());
    result.rows.push_back({.name = variants[v].name,
                           .step_ms = times.best() / steps,
                           .median_ms = times.median() / steps,
                           .samples_per_second = data.size() * 1e3 / times.best(),
                           .ratio = baseline_ms / times.best(),
                           .loss = contenders[v].first.loss,
                           .tasks = contenders[v].tasks / steps});
  }
  return result;
}

BarChart ablation_chart(const std::string& title, const std::vector<int>& sizes,
                        const std::vector<Ablation>& ablations) {
  BarChart chart{.title = title, .group_label = "hidden size", .reference = 1};
  BarChart::Panel& panel = chart.panels.emplace_back();
  panel.name = "speed";
  for (const AblationRow& row : ablations.front().rows) {
    chart.series.push_back(row.name);
    panel.values.emplace_back();
  }
  for (std::size_t i = 0; i < ablations.size(); ++i) {
    chart.groups.push_back(fmt::format("{}", sizes[i]));
    for (std::size_t v = 0; v < panel.values.size(); ++v) panel.values[v].push_back(ablations[i].rows[v].ratio);
  }
  return chart;
}

}  // namespace cavs::inline v0_1
