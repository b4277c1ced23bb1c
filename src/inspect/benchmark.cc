#include "inspect/benchmark.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>

namespace cavs {
namespace {

using Clock = std::chrono::steady_clock;

/// What one step did.
struct Step {
  double loss = 0, update_ms = 0;
  RunStatistics statistics;
};

/// Runs epochs step by step, in file order.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual Step step() = 0;
};

class TrainingStepper : public Stepper {
 public:
  TrainingStepper(const Model& model, const GraphSet& data, const TrainOptions& options)
      : trainer_(model, data, options) {}
  Step step() override {
    const TrainStep step = trainer_.step();
    return {step.loss, step.update_ms, step.statistics};
  }

 private:
  Trainer trainer_;
};

class InferenceStepper : public Stepper {
 public:
  InferenceStepper(const Model& model, const GraphSet& data, const TrainOptions& options)
      : program_(compile(model, {.training = false, .disabled_passes = options.disabled_passes})),
        bound_(bind_graphs(program_, data)),
        session_(program_, model.make_parameters(), options.session),
        samples_(data.size()),
        batch_size_(options.batch_size) {
    std::iota(samples_.begin(), samples_.end(), 0);
  }
  Step step() override {
    const Run run = session_.forward(*bound_, minibatch(next_));
    next_ = (next_ + batch_size_) < samples_.size() ? next_ + batch_size_ : 0;
    session_.prefetch(*bound_, minibatch(next_));
    return {run.loss(), 0, run.statistics()};
  }

 private:
  std::span<const std::int32_t> minibatch(std::size_t first) const {
    return std::span(samples_).subspan(first, std::min(batch_size_, samples_.size() - first));
  }

  std::shared_ptr<const Program> program_;
  std::shared_ptr<const BoundGraphs> bound_;
  Session session_;
  std::vector<std::int32_t> samples_;
  std::size_t batch_size_, next_ = 0;
};

std::unique_ptr<Stepper> make_stepper(const Model& model, const GraphSet& data, const BenchmarkOptions& options,
                                      bool profile) {
  TrainOptions used = options.train;
  used.shuffle = false;
  used.session.profile = profile;
  if (options.training) return std::make_unique<TrainingStepper>(model, data, used);
  return std::make_unique<InferenceStepper>(model, data, used);
}

/// One epoch in detail, after one that warms up; sums become means a step.
void measure_parts(Stepper& stepper, BenchmarkResult& r) {
  for (std::int64_t i = 0; i < r.steps; ++i) stepper.step();
  const auto share = [&](double& mean, auto value) {
    mean += static_cast<double>(value) / static_cast<double>(r.steps);
  };
  for (std::int64_t i = 0; i < r.steps; ++i) {
    const Step step = stepper.step();
    const RunStatistics& s = step.statistics;
    share(r.pack_ms, s.pack_ms), share(r.schedule_ms, s.schedule_ms), share(r.plan_ms, s.plan_ms);
    share(r.memory_ms, s.memory_ms), share(r.compute_ms, s.compute_ms), share(r.update_ms, step.update_ms);
    share(r.tasks, s.tasks), share(r.instructions, s.instructions);
    share(r.bytes_moved, s.bytes_moved), share(r.flops, s.flops);
  }
}

}  // namespace

BenchmarkResult benchmark(const Model& model, const GraphSet& data, const BenchmarkOptions& options) {
  BenchmarkResult r;
  const auto stepper = make_stepper(model, data, options, false);
  r.samples = data.size(), r.vertices = data.vertices();
  r.steps = (data.size() + options.train.batch_size - 1) / options.train.batch_size;
  for (std::int64_t i = 0; i < r.steps; ++i) {
    const Step step = stepper->step();
    if (i == 0) r.loss = step.loss;
  }
  const auto start = Clock::now();
  do {
    for (std::int64_t i = 0; i < r.steps; ++i) stepper->step();
    ++r.epochs;
    r.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  } while (options.epochs > 0 ? r.epochs < options.epochs : r.seconds < options.least_seconds);
  const auto epochs = static_cast<double>(r.epochs);
  r.samples_per_second = static_cast<double>(r.samples) * epochs / r.seconds;
  r.vertices_per_second = static_cast<double>(r.vertices) * epochs / r.seconds;
  r.step_ms = r.seconds * 1e3 / (static_cast<double>(r.steps) * epochs);
  measure_parts(*make_stepper(model, data, options, true), r);
  return r;
}

}  // namespace cavs
