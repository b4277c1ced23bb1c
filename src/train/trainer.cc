#include "cavs/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "cavs/trained_model.h"
#include "compile/program.h"
#include "execute/session_access.h"
#include "support/check.h"
#include "support/process.h"
#include "train/batches.h"
#include "train/check_options.h"
#include "train/check_resume.h"
#include "train/moving_averages.h"
#include "train/pending_step.h"
#include "train/rank_facts.h"
#include "train/rank_sum.h"
#include "train/recorded_options.h"
#include "train/stop_training.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

SessionOptions with_seed(SessionOptions options, std::uint64_t seed) {
  options.seed = seed;
  return options;
}

}  // namespace

struct Trainer::Impl {
  /// @param make_batches  Called as make_batches(program, options) to make minibatches from memory or a stream.
  template <typename MakeBatches>
  Impl(const Model& m, TrainOptions o, MakeBatches make_batches)
      : options(checked(std::move(o))),
        model(m),
        // A step reports only the loss, so pushes need not be kept.
        program(compile(m, {.pushes = std::vector<std::string>(), .disabled_passes = options.disabled_passes})),
        batches(make_batches(program, options)),
        parameters(m.make_parameters()),
        gradients(*parameters),
        optimizer(options.optimizer, *parameters),
        session(program, parameters, with_seed(options.session, options.seed)),
        samples(batches->samples()) {
    if (options.accumulate > 1) sum = detail::SessionAccess::engine(session).make_sum(*parameters, gradients);
    if (job() != nullptr)
      ranks.emplace(*job(), optimizer.frozen(),
                    sum->adds_each() ? early_gradients(*program) : std::vector<std::size_t>(), gradients, *sum);
    if (options.ema > 0) averages.emplace(model.make_parameters(), options.ema);
    user_check(samples > 0, "the training data have no sample; expected at least one");
    user_check(
        std::ranges::any_of(program->types, [](const TypeProgram& type) { return !type.losses.empty(); }),
        "no vertex function of the model declares a loss, so there is nothing to train; declare one (Vertex::loss)");
  }

  /// A step of one minibatch that has begun.
  struct Begun {
    TrainStep step;
    BegunTraining training;
  };

  /// Returns the report of the step that begins at this sample, as far as it is known before the step runs.
  TrainStep step_at(std::int64_t sample) const {
    TrainStep step;
    step.samples = std::min(samples_per_step(options), samples - sample);
    step.learning_rate = optimizer.learning_rate();
    return step;
  }

  /// The job; null if this process is alone.
  Job* job() const { return options.job != nullptr && options.job->ranks() > 1 ? options.job.get() : nullptr; }

  /// The minibatches that this rank computes in the step at a sample.
  RankSum::Range own_minibatches(std::int64_t sample) const {
    const std::int64_t all = minibatches_at(sample);
    return job() == nullptr ? RankSum::Range{0, all} : share_of(all, job()->rank(), job()->ranks());
  }
  std::int64_t minibatches_at(std::int64_t sample) const {
    return std::min<std::int64_t>(options.accumulate, samples - sample);
  }

  /// This rank's next minibatch in the step, or its first minibatch of the next step; absent at the end of the epoch.
  std::optional<Batch> batch_after(std::int64_t sample, const TrainStep& step, std::int64_t number) {
    if (number + 1 < own_minibatches(sample).end) return batches->at(position.epoch, sample, number + 1);
    const std::int64_t after = sample + step.samples;
    if (after == samples) return {};
    const RankSum::Range next = own_minibatches(after);
    return next.size() > 0 ? std::optional(batches->at(position.epoch, after, next.begin)) : std::nullopt;
  }

  /// Runs a minibatch of the step forward.
  void evaluate_minibatch(std::int64_t number, TrainStep& step, std::optional<Run>& run) {
    const Batch batch = batches->at(position.epoch, position.sample, number);
    auto start = Clock::now();
    run.reset();  // frees the memory for the next run
    run = session.forward(*batch.graphs, batch.samples,
                          {.epoch = batch.dropout_epoch, .loss_divisor = static_cast<double>(step.samples)});
    step.forward_ms += milliseconds_since(start);
    if (const std::optional<Batch> next = batch_after(position.sample, step, number))
      session.prefetch(*next->graphs, next->samples, next->dropout_epoch);
    step.loss += run->loss();
    step.labels += run->labels();
  }

  /// Runs the backward pass of the minibatch that evaluate_minibatch() has run, and adds its gradients.
  void add_gradients(TrainStep& step, Run& run) {
    const auto start = Clock::now();
    run.backward(sum->next());
    sum->add();
    step.backward_ms += milliseconds_since(start);
  }

  /// Begins a step of one minibatch at this sample. @param follows  True if the previous step has not ended.
  Begun begin(std::int64_t sample, bool follows) {
    const TrainStep step = step_at(sample);
    const Batch batch = batches->at(position.epoch, sample, 0);
    std::optional<TrainingBatch> next;
    if (const std::optional<Batch> b = batch_after(sample, step, 0))
      next.emplace(TrainingBatch{*b->graphs, b->samples, b->dropout_epoch});
    return {step, detail::SessionAccess::begin_training(
                      session, {*batch.graphs, batch.samples, batch.dropout_epoch},
                      {.epoch = batch.dropout_epoch, .loss_divisor = static_cast<double>(step.samples)},
                      next ? &*next : nullptr, {gradients, optimizer, update_options()}, follows)};
  }

  /// Begins the step after the running step `now`.
  void begin_another(const Begun& now) {
    const std::int64_t after = position.sample + now.step.samples;
    if (!now.training.is_launched || averages || after == samples) return;
    try {
      begun = begin(after, true);
    } catch (...) {  // the next call of train() throws the error
      begun_error = std::current_exception();
    }
  }

  Run end(Begun now, TrainStep& step) {
    step = now.step;
    TrainedRun done =
        detail::SessionAccess::end_training(session, std::move(now.training), {gradients, optimizer, update_options()});
    step.loss = done.run.loss();
    step.labels = done.run.labels();
    if (!done.update.updated) stop(step.loss, std::move(done.run));
    step.gradient_norm = done.update.gradient_norm;
    step.forward_ms = done.seconds.forward * 1e3;
    step.backward_ms = done.seconds.backward * 1e3;
    step.update_ms = done.seconds.update * 1e3;
    return std::move(done.run);
  }

  /// Makes a step of one minibatch, which may have begun already.
  Run train(TrainStep& step, bool another) {
    if (begun_error) std::rethrow_exception(std::exchange(begun_error, nullptr));
    Begun now = begun ? std::move(*begun) : begin(position.sample, false);
    begun.reset();
    if (another) begin_another(now);
    try {
      return end(std::move(now), step);
    } catch (...) {
      begun.reset();
      begun_error = nullptr;
      throw;
    }
  }

  /// Runs all minibatches of a step. Keeps the last run.
  void add_minibatches(TrainStep& step, std::optional<Run>& run) {
    const std::int64_t count = minibatches_at(position.sample);
    sum->begin(count);
    for (std::int64_t m = 0; m < count; ++m) {
      evaluate_minibatch(m, step, run);
      add_gradients(step, *run);
    }
    if (!std::isfinite(step.loss)) stop(step.loss, run);
  }

  /// Runs the minibatches of this rank, then adds the gradients of all ranks.
  void add_minibatches_of_ranks(TrainStep& step, std::optional<Run>& run) {
    if (std::exchange(is_new_to_job, false))
      job()->expect_same("the first step",
                         training_facts(options, trained_by(), model, session, optimizer, position, *parameters));
    job()->guard([&] {
      ranks->begin(minibatches_at(position.sample));
      for (const RankSum::Range& subtree : ranks->subtrees()) {
        sum->begin(subtree.size());
        for (std::int64_t m = subtree.begin; m < subtree.end; ++m) {
          evaluate_minibatch(m, step, run);
          ranks->add_loss(run->loss(), run->labels());
          if (m == ranks->last()) break;
          add_gradients(step, *run);
        }
        if (subtree.end - 1 != ranks->last()) ranks->add_subtree();
      }
      if (!std::isfinite(step.loss)) stop(step.loss, run);
    });
    const RankSum::Losses all = ranks->meet(fmt::format("step {}", position.step + 1), [&](GradientProgress& progress) {
      if (ranks->last() < 0) return;
      detail::SessionAccess::engine_run(*run).report_to(progress);
      const auto start = Clock::now();
      run->backward(sum->next());
      step.backward_ms += milliseconds_since(start);
    });
    step.loss = all.loss;
    step.labels = all.labels;
    ranks->finish();
    sum->take_total();
    step.wait_ms = ranks->wait_ms();
    step.exchange_ms = ranks->exchange_ms();
  }

  double update(double loss, std::optional<Run>& run) {
    const UpdateResult result = run ? session.update(*run, gradients, optimizer, update_options())
                                    : session.update(gradients, optimizer, update_options());
    if (!result.updated) stop(loss, run);
    return result.gradient_norm;
  }

  UpdateOptions update_options() const { return {.clip_norm = options.clip_norm, .norm = options.gradient_norm}; }

  TrainStep step(bool another);
  bool is_ahead() const { return begun || begun_error || ready; }

  const RecordedOptions& trained_by() {
    if (bits.empty()) bits = cavs::trained_by(options, *batches);
    return bits;
  }

  /// Returns the averages. Before the first step they equal the parameters, whose values a caller may have set.
  MovingAverages& current_averages() {
    if (position.step == 0) averages->begin(*parameters);
    return *averages;
  }

  [[noreturn]] void stop(double loss, const std::optional<Run>& run) const {
    stop_training(options, position, loss, run, gradients, *parameters);
  }

  TrainOptions options;
  Model model;
  std::shared_ptr<const Program> program;
  std::unique_ptr<Batches> batches;
  std::shared_ptr<Parameters> parameters;
  Gradients gradients;
  std::optional<MovingAverages> averages;  // absent unless TrainOptions::ema is set
  Optimizer optimizer;
  Session session;
  std::unique_ptr<StepSum> sum;  // null unless a step has several minibatches (TrainOptions::accumulate)
  std::optional<RankSum> ranks;  // absent unless TrainOptions::job has several ranks
  bool is_new_to_job = true;     // true until this rank has compared its state with that of the other ranks
  std::int64_t samples;          // number of samples per epoch
  Checkpoint::Position position;
  std::optional<double> last_loss;  // TrainStep::loss of the last step
  TrainingRecord record;
  RecordedOptions bits;  // cache of trained_by()
  // The step after the last returned step, if it has begun. At most one of the three is set.
  std::optional<Begun> begun;      // the step is running
  std::exception_ptr begun_error;  // the step failed to begin
  std::optional<TrainStep> ready;  // the step has ended
  HomeProcess home;
  StepThread steps;  // last member, so that its thread ends first
};

Trainer::Trainer(const Model& model, const GraphSet& data, TrainOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options),
                                   [&](const auto& program, const auto& o) { return batches_of(program, data, o); })) {}
Trainer::Trainer(const Model& model, std::shared_ptr<SampleStream> stream, TrainOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options), [&](const auto& program, const TrainOptions& o) {
        return batches_of(program, std::move(stream), o);
      })) {}
Trainer::Trainer(const Model& model, const Dataset& data, TrainOptions options)
    : impl_(std::make_unique<Impl>(model, std::move(options), [&](const auto& program, const TrainOptions& o) {
        return data.stream != nullptr ? batches_of(program, data.stream, o) : batches_of(program, data.train, o);
      })) {
  impl_->record.data = data_record(data);
}

/// A forked process leaks the trainer: it does not have the trainer's threads, whose work may be half done.
Trainer::~Trainer() {
  if (!impl_->home.is_here()) static_cast<void>(impl_.release());
}

/// Waits until no step is running.
Trainer::Impl& Trainer::settled() const {
  impl_->steps.settle();
  if (impl_->begun || impl_->begun_error) impl_->ready = impl_->step(false);
  return *impl_;
}

const Checkpoint::Position& Trainer::position() const { return settled().position; }
std::int64_t Trainer::steps_per_epoch() const {
  const std::int64_t step = samples_per_step(impl_->options);
  return (impl_->samples + step - 1) / step;
}
Parameters& Trainer::parameters() { return *settled().parameters; }
std::shared_ptr<Parameters> Trainer::shared_parameters() const { return settled().parameters; }
Optimizer& Trainer::optimizer() { return settled().optimizer; }
const Program& Trainer::program() const { return *impl_->program; }
Session& Trainer::session() { return settled().session; }

std::shared_ptr<Parameters> Trainer::evaluated_parameters() {
  Impl& t = settled();
  return t.averages ? t.current_averages().parameters() : t.parameters;
}

TrainStep Trainer::step(bool another) {
  impl_->steps.settle();
  return impl_->step(another);
}

bool Trainer::is_ahead() const { return impl_->is_ahead(); }

PendingStep Trainer::start() {
  Impl& t = settled();
  return t.steps.start(std::packaged_task<TrainStep()>([&t] { return t.step(false); }), t.last_loss);
}

TrainStep Trainer::Impl::step(bool another) {
  Impl& t = *this;
  if (t.ready) return *std::exchange(t.ready, std::nullopt);
  TrainStep result;
  std::optional<Run> run;
  Clock::time_point start;
  if (!t.sum) {
    run = t.train(result, another);
    start = Clock::now();
  } else {
    result = t.step_at(t.position.sample);
    t.ranks ? t.add_minibatches_of_ranks(result, run) : t.add_minibatches(result, run);
    start = Clock::now();
    const auto update = [&] { result.gradient_norm = t.update(result.loss, run); };
    t.ranks ? t.job()->guard(update) : update();
  }
  result.loss_sum = result.loss * static_cast<double>(result.samples);
  if (t.averages && t.position.step == 0)
    t.averages->begin(*t.parameters);
  else if (t.averages)
    t.averages->follow(*t.parameters, detail::SessionAccess::engine(t.session));
  result.update_ms += milliseconds_since(start);
  if (run) result.statistics = run->statistics();
  t.position.sample += result.samples;
  ++t.position.step;
  if (t.position.sample == t.samples) {
    t.position.sample = 0;
    ++t.position.epoch;
  }
  t.last_loss = result.loss;
  return result;
}

const Model& Trainer::model() const { return impl_->model; }
const TrainOptions& Trainer::options() const { return impl_->options; }
const RecordedOptions& Trainer::trained_by() const { return settled().trained_by(); }
TrainingRecord& Trainer::record() { return settled().record; }

Checkpoint Trainer::checkpoint() const {
  Impl& t = settled();
  Checkpoint checkpoint;
  static_cast<TrainingRecord&>(checkpoint) = t.record;
  keep_options(t.trained_by(), kTrainedByKey, checkpoint);
  cavs::capture(*t.parameters, &t.optimizer, checkpoint);
  if (t.averages) checkpoint.averages = t.current_averages().capture();
  checkpoint.seed = t.options.seed;
  checkpoint.position = t.position;
  checkpoint.model = t.model.to_json();
  return checkpoint;
}

void Trainer::restore(const Checkpoint& checkpoint, bool strict) {
  settled();
  check_resume(checkpoint, impl_->model, impl_->options, impl_->samples, strict ? &impl_->trained_by() : nullptr);
  const auto averages = impl_->model.make_parameters();
  if (impl_->averages) restore_averages(checkpoint, *averages);
  cavs::restore(checkpoint, *impl_->parameters, &impl_->optimizer);
  if (impl_->averages) impl_->averages->begin(*averages);
  impl_->position = checkpoint.position;
  impl_->record.metrics = checkpoint.metrics;
  impl_->last_loss.reset();
  impl_->ready.reset();
  impl_->is_new_to_job = true;
}

}  // namespace cavs::inline v0_1
