#include "cavs/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "compile/program.h"
#include "graphs/minibatch.h"
#include "support/check.h"
#include "train/shuffle.h"

namespace cavs {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

SessionOptions with_seed(SessionOptions options, std::uint64_t seed) {
  options.seed = seed;
  return options;
}

}  // namespace

struct Trainer::Impl {
  Impl(const Model& m, const GraphSet& data, TrainOptions o)
      : options(std::move(o)),
        model(m),
        // A step reports the loss alone, so what is only pushed need not be kept.
        program(compile(m, {.pushes = std::vector<std::string>(), .disabled_passes = options.disabled_passes})),
        bound(bind_graphs(program, data)),
        parameters(m.make_parameters()),
        gradients(*parameters),
        optimizer(options.optimizer, *parameters),
        norm(*parameters),
        session(program, parameters, with_seed(options.session, options.seed)),
        samples(data.size()) {
    user_check(samples > 0, "the training data have no sample; expected at least one");
    user_check(options.buckets >= 0 && (options.buckets == 0 || options.shuffle),
               "buckets is {} with shuffle {}; expected 0 (none) or more, and shuffled samples", options.buckets,
               options.shuffle ? "on" : "off");
    user_check(options.batch_size >= 1, "the batch size is {}; expected at least 1", options.batch_size);
    if (options.buckets > 0)
      for (std::int32_t s = 0; s < samples; ++s) sizes.push_back(data.vertex_begin[s + 1] - data.vertex_begin[s]);
    order_epoch(0);
  }

  void order_epoch(std::int64_t epoch) {
    ordered_epoch = epoch;
    order.resize(samples);
    if (options.buckets > 0)
      return bucketed_order(options.seed, epoch, {options.buckets, options.batch_size}, sizes, order);
    if (options.shuffle) return shuffled_order(options.seed, epoch, order);
    for (std::int32_t i = 0; i < samples; ++i) order[i] = i;
  }

  std::span<const std::int32_t> minibatch(std::int64_t first) const {
    const auto count = std::min<std::int64_t>(options.batch_size, samples - first);
    return std::span(order).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }

  /// Clipping and update, shared by the team.
  double update(double loss, Run& run) {
    session.parallel([&](int worker, int workers) { norm.share(worker, workers, gradients); });
    const double total = norm.total(gradients);
    if (!std::isfinite(loss) || !std::isfinite(total)) stop(loss, run);
    const float scale = clip_scale(total, options.clip_norm);
    ParameterRows& matrices = session.begin_update();
    session.parallel([&](int worker, int workers) {
      optimizer.step_share(worker, workers, *parameters, gradients, scale, &matrices);
    });
    optimizer.end_step(*parameters);
    session.end_update();
    return total;
  }

  [[noreturn]] void stop(double loss, Run& run) const {
    std::string where = run.find_not_finite();
    for (int p = 0; where.empty() && p < parameters->size(); ++p)
      if (!std::isfinite(norm.of(p, gradients)))
        where = fmt::format("the gradient of parameter '{}' is not finite", parameters->info(p).name);
    user_error(
        "training stopped in epoch {}, minibatch {} (step {}): the loss is {}; {}; the parameters are as before "
        "this step: lower --lr, or clip with --clip",
        position.epoch + 1, position.sample / options.batch_size + 1, position.step + 1,
        std::isnan(loss) ? std::numeric_limits<double>::quiet_NaN() : loss,  // the sign of a NaN is noise
        where.empty() ? "a gradient is not finite" : where);
  }

  TrainOptions options;
  Model model;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const BoundGraphs> bound;
  std::shared_ptr<Parameters> parameters;
  Gradients gradients;
  Optimizer optimizer;
  GradientNorm norm;
  Session session;
  std::int32_t samples;
  Checkpoint::Position position;
  std::int64_t ordered_epoch = -1;
  std::vector<std::int32_t> order;
  std::vector<std::int64_t> sizes;  // of the samples, where they are put into buckets
};

Trainer::Trainer(const Model& model, const GraphSet& data, TrainOptions options)
    : impl_(std::make_unique<Impl>(model, data, std::move(options))) {}
Trainer::~Trainer() = default;

const Checkpoint::Position& Trainer::position() const { return impl_->position; }
std::int64_t Trainer::steps_per_epoch() const {
  return (impl_->samples + impl_->options.batch_size - 1) / impl_->options.batch_size;
}
Parameters& Trainer::parameters() { return *impl_->parameters; }
Optimizer& Trainer::optimizer() { return impl_->optimizer; }
const Program& Trainer::program() const { return *impl_->program; }
Session& Trainer::session() { return impl_->session; }

TrainStep Trainer::step() {
  Impl& t = *impl_;
  if (t.ordered_epoch != t.position.epoch) t.order_epoch(t.position.epoch);
  const auto samples = t.minibatch(t.position.sample);
  const auto epoch = static_cast<std::uint32_t>(t.position.epoch);
  TrainStep result;
  auto start = Clock::now();
  Run run = t.session.forward(*t.bound, samples, epoch);
  result.forward_ms = milliseconds_since(start);
  const std::int64_t next = t.position.sample + static_cast<std::int64_t>(samples.size());
  if (next < t.samples) t.session.prefetch(*t.bound, t.minibatch(next), epoch);
  start = Clock::now();
  run.backward(t.gradients);
  result.backward_ms = milliseconds_since(start);
  result.samples = static_cast<std::int64_t>(samples.size());
  result.labels = run.labels();
  result.loss = run.loss();
  result.loss_sum = result.loss * static_cast<double>(result.samples);
  result.learning_rate = t.optimizer.learning_rate();
  start = Clock::now();
  result.gradient_norm = t.update(result.loss, run);
  result.update_ms = milliseconds_since(start);
  result.statistics = run.statistics();
  t.position.sample = next;
  ++t.position.step;
  if (t.position.sample == t.samples) t.position.sample = 0, ++t.position.epoch;
  return result;
}

void Trainer::capture(Checkpoint& checkpoint) const {
  cavs::capture(*impl_->parameters, &impl_->optimizer, checkpoint);
  checkpoint.seed = impl_->options.seed;
  checkpoint.position = impl_->position;
  checkpoint.model = impl_->model.to_json();
}

void Trainer::restore(const Checkpoint& checkpoint) {
  user_check(
      checkpoint.model == impl_->model.to_json(),
      "the checkpoint holds another model (or other sizes); resume with the model and the options it was trained "
      "with");
  user_check(checkpoint.seed == impl_->options.seed, "the checkpoint was trained with --seed {}, found --seed {}",
             checkpoint.seed, impl_->options.seed);
  user_check(
      checkpoint.position.sample >= 0 && checkpoint.position.sample < impl_->samples && checkpoint.position.epoch >= 0,
      "the checkpoint stands at sample {}, the training data have {}; resume with the same --data and --limit",
      checkpoint.position.sample, impl_->samples);
  cavs::restore(checkpoint, *impl_->parameters, &impl_->optimizer);
  impl_->position = checkpoint.position;
}

}  // namespace cavs
