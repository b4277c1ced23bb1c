#include "measure/stepper.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

class TrainingStepper : public Stepper {
 public:
  TrainingStepper(const Model& model, const GraphSet& data, const TrainOptions& options)
      : trainer_(model, data, options) {}
  StepFigures step() override {
    const TrainStep step = trainer_.step(true);
    return {step.loss, step.gradient_norm, step.update_ms, step.statistics};
  }
  Session& session() override { return trainer_.session(); }
  const Program& program() const override { return trainer_.program(); }

 private:
  Trainer trainer_;
};

class InferenceStepper : public Stepper {
 public:
  InferenceStepper(const Model& model, const GraphSet& data, const TrainOptions& options)
      : program_(compile(
            model,
            {.training = false, .pushes = std::vector<std::string>(), .disabled_passes = options.disabled_passes})),
        bound_(bind_graphs(program_, data)),
        session_(program_, model.make_parameters(), options.session),
        samples_(data.size()),
        batch_size_(options.batch_size) {
    user_check(!samples_.empty(), "the data have no samples; expected at least one");
    std::iota(samples_.begin(), samples_.end(), 0);
  }
  StepFigures step() override {
    const Run run = session_.forward(*bound_, minibatch(next_));
    next_ = (next_ + batch_size_) < samples_.size() ? next_ + batch_size_ : 0;
    session_.prefetch(*bound_, minibatch(next_));
    return {run.loss(), 0, 0, run.statistics()};
  }
  Session& session() override { return session_; }
  const Program& program() const override { return *program_; }

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

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Model& model, const GraphSet& data, bool training, TrainOptions options) {
  options.shuffle = false;
  if (training) return std::make_unique<TrainingStepper>(model, data, options);
  return std::make_unique<InferenceStepper>(model, data, options);
}

void each_minibatch(const Stepper& stepper, const GraphSet& data, const TrainOptions& options,
                    const std::function<void(const inspect::ScheduledBatch&)>& f) {
  const std::shared_ptr<const Program> program(std::shared_ptr<void>(), &stepper.program());  // the stepper owns it
  const auto bound = bind_graphs(program, data);
  std::vector<std::int32_t> samples(data.size());
  std::iota(samples.begin(), samples.end(), 0);
  for (std::span<const std::int32_t> left = samples; !left.empty();) {
    const auto batch = left.first(std::min(left.size(), static_cast<std::size_t>(options.batch_size)));
    f({program, bound, batch, options.session.policy, options.session.learned.get()});
    left = left.subspan(batch.size());
  }
}

std::int64_t steps_of_epoch(const GraphSet& data, const TrainOptions& options) {
  return (data.size() + options.batch_size - 1) / options.batch_size;
}

}  // namespace cavs::inline v0_1
