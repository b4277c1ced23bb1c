#include "cli/inspect_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "inspect/table.h"
#include "measure/planned_epoch.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr std::array kPrecisions{std::pair{"fp32", 4}, std::pair{"bf16", 2}};

std::string constants_text(const GpuSpeed& s) {
  return fmt::format(
      "{} GHz and {} multiply-adds a clock and processor in fp32 (data sheet), {} in bf16 (not checked);\n"
      "a barrier {} us (not checked); estimates: reading {} clocks and {} bytes a clock, loops {} clocks, {} of the "
      "multiply-adds\n",
      s.ghz, s.fp32_multiply_adds, s.bf16_multiply_adds, s.barrier_us, s.read_clocks, s.read_bytes, s.loop_clocks,
      s.efficiency);
}

Json to_json(const LevelTime& t) {
  return {{"barriers_us", t.barriers}, {"reading_us", t.reading},     {"products_us", t.products},
          {"loops_us", t.loops},       {"streaming_us", t.streaming}, {"us", t.us()}};
}

LevelTime both(const GpuPrediction& p) {
  LevelTime sum = p.forward;
  sum.add(p.backward);
  return sum;
}

double epoch_ms(const GpuPrediction& p) { return p.step_us() * static_cast<double>(p.steps) / 1e3; }

}  // namespace

Predictions predict(const Options& options, const OnChipTarget& target, PlacementStrategy strategy, bool training) {
  const auto speed = std::ranges::find(gpu_speeds(), target.name, &GpuSpeed::target);
  CAVS_ASSERT(speed != gpu_speeds().end());
  const Dataset data = load_training_data(options);
  const Model model = find_model(options.model).make(model_config(options, data));
  const auto program =
      compile(model, {.training = training, .pushes = std::vector<std::string>(), .disabled_passes = options.disabled});
  Predictions all{.speed = *speed,
                  .by_precision = {},
                  .samples = data.train.size(),
                  .batch_size = options.batch_size,
                  .data = data_spec(options)};
  std::array placements{place_weights(*program, target, strategy, kPrecisions[0].second),
                        place_weights(*program, target, strategy, kPrecisions[1].second)};
  std::array predictors{GpuPredictor(*program, placements[0], *speed, kPrecisions[0].second),
                        GpuPredictor(*program, placements[1], *speed, kPrecisions[1].second)};
  each_plan_of_epoch(*program, data.train, options.batch_size, {}, 1, [&](const Plan& plan) {
    for (GpuPredictor& predictor : predictors) predictor.add(plan);
  });
  for (std::size_t i = 0; i < predictors.size(); ++i) all.by_precision[i] = predictors[i].mean();
  return all;
}

std::string to_text(const Predictions& predictions) {
  const GpuPrediction &fp32 = predictions.by_precision[0], &bf16 = predictions.by_precision[1];
  std::vector<std::vector<std::string>> rows{{"PREDICTED, microseconds", "      fp32", "      bf16"}};
  const auto line = [&](const char* name, auto value) {
    rows.push_back({name, fmt::format("{:>10.2f}", value(fp32)), fmt::format("{:>10.2f}", value(bf16))});
  };
  line("a level, mean", [](const GpuPrediction& p) { return p.levels > 0 ? both(p).us() / p.levels : 0; });
  line("a step", [](const GpuPrediction& p) { return p.step_us(); });
  line("  levels of F", [](const GpuPrediction& p) { return p.forward.us(); });
  line("  levels of ∂F", [](const GpuPrediction& p) { return p.backward.us(); });
  line("    barriers", [](const GpuPrediction& p) { return both(p).barriers; });
  line("    reading", [](const GpuPrediction& p) { return both(p).reading; });
  line("    products", [](const GpuPrediction& p) { return both(p).products; });
  line("    loops", [](const GpuPrediction& p) { return both(p).loops; });
  line("    streamed weights", [](const GpuPrediction& p) { return both(p).streaming; });
  line("  outside of the tasks", [](const GpuPrediction& p) { return p.outside; });
  line("  loading the weights", [](const GpuPrediction& p) { return p.loading; });
  line("  the update", [](const GpuPrediction& p) { return p.update; });
  line("an epoch, milliseconds", epoch_ms);
  line("samples a second",
       [&](const GpuPrediction& p) { return static_cast<double>(predictions.samples) * 1e3 / epoch_ms(p); });
  return fmt::format(
      "predicted times on {}, not measured: {} samples of {}, batch size {}: {} steps of {:.1f} levels of "
      "{:.1f} rows\n{}by a model of {}",
      predictions.speed.target, predictions.samples, predictions.data, predictions.batch_size, fp32.steps, fp32.levels,
      fp32.rows, align_columns(rows), constants_text(predictions.speed));
}

Json to_json(const Predictions& predictions) {
  const GpuSpeed& s = predictions.speed;
  Json json{{"measured", false},
            {"target", s.target},
            {"data", predictions.data},
            {"batch_size", predictions.batch_size},
            {"samples", predictions.samples},
            {"constants",
             {{"ghz", s.ghz},
              {"barrier_us", s.barrier_us},
              {"read_clocks", s.read_clocks},
              {"read_bytes_a_clock", s.read_bytes},
              {"fp32_multiply_adds_a_clock", s.fp32_multiply_adds},
              {"bf16_multiply_adds_a_clock", s.bf16_multiply_adds},
              {"efficiency", s.efficiency},
              {"loop_clocks", s.loop_clocks}}},
            {"estimates", {"read_clocks", "read_bytes_a_clock", "efficiency", "loop_clocks"}},
            {"not_checked", {"barrier_us", "bf16_multiply_adds_a_clock"}}};
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    const GpuPrediction& p = predictions.by_precision[i];
    json[kPrecisions[i].first] = {{"steps", p.steps},
                                  {"levels", p.levels},
                                  {"rows_a_level", p.rows},
                                  {"level_us", p.levels > 0 ? both(p).us() / p.levels : 0},
                                  {"forward", to_json(p.forward)},
                                  {"backward", to_json(p.backward)},
                                  {"outside_us", p.outside},
                                  {"loading_us", p.loading},
                                  {"update_us", p.update},
                                  {"step_us", p.step_us()},
                                  {"epoch_ms", epoch_ms(p)}};
  }
  return json;
}

}  // namespace cavs::cli
