#include "cuda/gpu/batched_check.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "cavs/trainer.h"
#include "cuda/gpu/check_cases.h"
#include "helpers/evaluate.h"

namespace cavs::cuda {
namespace {

using Json = nlohmann::json;

constexpr double kMostError = 1e-5;
constexpr const char* kForms[] = {"plain", "graphs", "early"};
const SessionOptions kOnGpu{.device = {DeviceKind::kCuda}, .engine = EngineKind::kBatched};

std::vector<std::string> models(bool small) { return small ? std::vector<std::string>{"tree-lstm"} : all_zoo_names(); }

/// Difference relative to the largest number.
double difference(std::span<const float> found, std::span<const float> expected) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double d = std::abs(double{found[i]} - double{expected[i]});
    most = std::isfinite(d) ? std::max(most, d) : INFINITY;
    largest = std::max(largest, std::abs(double{expected[i]}));
  }
  return largest == 0 ? most : most / largest;
}

double difference(const Result& found, const Result& expected) {
  double most = std::abs(found.loss - expected.loss) / std::abs(expected.loss);
  for (const auto& [port, values] : expected.outputs) most = std::max(most, difference(found.outputs.at(port), values));
  for (std::size_t p = 0; p < expected.gradients.size(); ++p)
    most = std::max(most, difference(found.gradients.values(p), expected.gradients.values(p)));
  return most;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) {
           return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
         });
}

bool same_bits(const Result& a, const Result& b) {
  bool same = a.loss == b.loss;
  for (const auto& [port, values] : a.outputs) same = same && same_bits(b.outputs.at(port), values);
  for (std::size_t p = 0; p < a.gradients.size(); ++p)
    same = same && same_bits(b.gradients.values(p), a.gradients.values(p));
  return same;
}

Json check_model(const std::string& name) {
  const ZooCase zoo = zoo_case(name, 5, 0.2);
  const Bench bench(zoo.model, zoo.graphs);
  const std::vector<std::int32_t> samples{3, 1, 4};
  std::vector<Result> found;
  for (const char* form : kForms) {
    setenv("CAVS_CUDA_LAUNCHES", form, 1);
    found.push_back(bench.run(samples, kOnGpu));
  }
  const double error = difference(found[0], bench.run(samples, {.engine = EngineKind::kReference}));
  const bool in_all_forms = same_bits(found[0], found[1]) && same_bits(found[0], found[2]);
  const Result one = bench.run(std::vector<std::int32_t>{3}, kOnGpu);
  bool alone = true;
  for (const auto& [port, values] : one.outputs)
    alone = alone && same_bits(values, std::span(found[0].outputs.at(port)).first(values.size()));
  return {{"case", name},
          {"error", error},
          {"same_bits_in_all_forms", in_all_forms},
          {"same_bits_alone", alone},
          {"right", error <= kMostError && in_all_forms && alone}};
}

struct TimedCase {
  TimedModel timed;
  int batch;
};

std::vector<TimedCase> timed_cases(bool small) {
  std::vector<TimedCase> all;
  for (const TimedModel& timed : timed_models(small))
    if (timed.precision == Precision::kFp32)
      for (const int batch : small ? std::vector{2} : std::vector{1, 16, 64}) all.push_back({timed, batch});
  return all;
}

/// A trainer on samples of this case.
struct TimedTraining {
  const GraphSet graphs;
  Trainer trainer;

  TimedTraining(const TimedCase& of, int steps)
      : graphs(of.timed.epoch(of.batch * steps)), trainer(of.timed.make(), graphs, options_of(of)) {}
  TimedTraining(const TimedTraining&) = delete;

  static TrainOptions options_of(const TimedCase& of) {
    TrainOptions options;
    options.batch_size = of.batch;
    options.session = kOnGpu;
    options.shuffle = false;
    options.optimizer = optimizer_defaults("sgd");
    return options;
  }
};

/// Times steps after one epoch that does not count, because its minibatches make the graphs.
Json time_steps(const TimedCase& of, const char* form) {
  constexpr int kSteps = 4, kEpochs = 5;
  setenv("CAVS_CUDA_LAUNCHES", form, 1);
  TimedTraining training(of, kSteps);
  std::vector<double> epochs;
  for (int epoch = 0; epoch <= kEpochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < kSteps; ++step) training.trainer.step();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    epochs.push_back(took.count() / kSteps);
  }
  epochs.erase(epochs.begin());
  std::ranges::sort(epochs);
  return {{"kernel", of.timed.name()}, {"batch", of.batch}, {"form", form}, {"step_us", epochs[epochs.size() / 2]}};
}

}  // namespace

void prepare_batched(bool small) {
  for (const std::string& name : models(small)) {
    const ZooCase zoo = zoo_case(name, 1, 0.2);
    const Bench bench(zoo.model, zoo.graphs);
    const Session session(bench.program, bench.parameters, kOnGpu);
    std::cerr << name << ", batched\n";
  }
  for (const TimedCase& of : timed_cases(small)) {
    if (of.batch != timed_cases(small).front().batch) continue;
    const TimedTraining training(of, 1);
    std::cerr << of.timed.name() << ", batched\n";
  }
}

Json check_batched(bool small) {
  Json all = Json::array();
  for (const std::string& name : models(small)) {
    all.push_back(check_model(name));
    std::cerr << all.back().dump() << '\n';
  }
  return all;
}

Json time_batched(bool small) {
  Json all = Json::array();
  for (const TimedCase& of : timed_cases(small))
    for (const char* form : kForms) {
      all.push_back(time_steps(of, form));
      std::cerr << all.back().dump() << '\n';
    }
  return all;
}

}  // namespace cavs::cuda
