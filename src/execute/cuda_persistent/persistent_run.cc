#include "execute/cuda_persistent/persistent_run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>

#include "execute/batched/profile.h"
#include "execute/cuda/optimizer_steps.h"
#include "script/validate_script.h"
#include "support/check.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {
namespace {

constexpr std::int64_t kWord = sizeof(std::int32_t), kFloat = sizeof(float), kPointer = sizeof(const float*);
constexpr std::int64_t kLine = 256;  // bytes that parts of a buffer begin at multiples of

std::int64_t aligned(std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

double work_of(const Plan& plan, bool backward) {
  double flops = 0;
  for (const Step& step : plan.steps)
    if (backward || !step.backward) flops += step.flops;
  return flops;
}

}  // namespace

PersistentRun::PersistentRun(PersistentEngine& engine)
    : engine_(engine),
      pulls_(engine.program()),
      staged_(engine.device()),
      sent_(engine.device()),
      launch_staged_(engine.device()),
      steps_(engine.device()),
      run_pulls_(engine.device()),
      values_(engine.device(), engine.parameters().stream(), engine.values()),
      result_(engine.device()),
      sent_event_(engine.device()),
      begin_event_(engine.device()),
      end_event_(engine.device()),
      done_event_(engine.device()) {
  const auto steps = static_cast<std::int64_t>(engine.program().parameters.size() * sizeof(ParameterStep));
  steps_.reserve(std::max<std::int64_t>(steps, sizeof(ParameterStep)));
  launch_staged_.reserve(aligned(kHeaderWords * kWord) + steps);
  result_.reserve(sizeof(StepResult));
}

/// What was prepared and then dropped may still be on its way.
PersistentRun::~PersistentRun() {
  try {
    sent_event_.synchronise();
  } catch (const std::exception&) {  // the GPU has failed, as somebody has been told
  }
}

/// Slices are about as short as a wait of a small level.
bool PersistentRun::prepare(const PreparedBatch& batch, bool first) {
  constexpr std::size_t kSteps = 4;
  if (first) {
    sent_event_.synchronise();  // what was prepared and then dropped may still be on its way
    kernel_ = engine_.kernels().next();
    plan_ = &pulls_.collect(batch.minibatch, batch.plan);
    engine_.kernels()[kernel_].sharer.share(batch.minibatch, batch.schedule, *plan_, shares_);
    engine_.kernels()[kernel_].writer.begin(*plan_, shares_, script_);
  }
  LoadedKernel& kernel = engine_.kernels()[kernel_];
  if (kernel.writer.advance(kSteps)) return true;
  if (engine_.options().check_scripts) check_script(engine_.program(), kernel.placement, *plan_, script_);
  loss_gradient_ = 1 / static_cast<float>(batch.minibatch.samples.size());
  kernel.packer.pack(*plan_, script_, {loss_gradient_, engine_.options().seed, batch.dropout_epoch}, words_);
  send(batch);
  return false;
}

void PersistentRun::send(const PreparedBatch& batch) {
  const auto ports = static_cast<std::int64_t>(engine_.program().float_ports.size());
  ports_at_ = aligned(std::ssize(words_) * kWord);
  const std::int64_t rows_at = ports_at_ + aligned(ports * kPointer), bytes = rows_at + pulls_.floats() * kFloat;
  staged_.reserve(bytes), sent_.reserve(bytes);
  auto* const to = staged_.as<char>();
  std::memcpy(to, words_.data(), words_.size() * kWord);
  for (std::int64_t port = 0; port < ports; ++port) {
    const DevicePointer at = sent_.at(rows_at + pulls_.begin(static_cast<std::size_t>(port)) * kFloat);
    std::memcpy(to + ports_at_ + port * kPointer, &at, kPointer);
  }
  pulls_.copy(batch.minibatch, reinterpret_cast<float*>(to + rows_at));
  engine_.uploads().upload(sent_.at(), to, bytes);
  engine_.uploads().record(sent_event_);
}

/// All that a launch needs but for the optimiser's.
void PersistentRun::begin(const PreparedBatch& batch, Directions directions, KernelArguments& arguments) {
  const Stream& stream = engine_.parameters().stream();
  arguments.parameters = engine_.parameters().values();
  if (directions != Directions::kForward) arguments.gradients = engine_.parameters().gradients();
  stream.wait_for(sent_event_);
  send_run_pulls(batch);
  std::int32_t header[kHeaderWords];
  std::copy_n(words_.begin(), kHeaderWords, header);
  header[kLossGradientWord] = std::bit_cast<std::int32_t>(loss_gradient_);
  header[kEntryCountWord] = directions == Directions::kForward ? script_.backward
                            : directions == Directions::kBoth  ? script_.update
                                                               : static_cast<std::int32_t>(script_.entries.size());
  if (!std::equal(header, header + kHeaderWords, words_.begin())) {
    auto* const to = launch_staged_.as<std::int32_t>();
    std::copy_n(header, kHeaderWords, to), std::copy_n(header, kHeaderWords, words_.begin());
    stream.upload(sent_.at(), to, kHeaderWords * kWord);
  }
  arguments.arena = values_.begin();
  arguments.pulls = reinterpret_cast<const float* const*>(sent_.at(ports_at_));
  arguments.steps = steps_.as<ParameterStep>();
  arguments.words = sent_.as<int>();
}

/// Rows that the caller gives this run, of packed vertices.
void PersistentRun::send_run_pulls(const PreparedBatch& batch) {
  const std::vector<const float*>& pulls = batch.inputs.pulls;
  const auto& ports = engine_.program().float_ports;
  const std::int64_t vertices = batch.minibatch.vertices();
  std::int64_t floats = 0;
  for (std::size_t p = 0; p < ports.size(); ++p)
    if (pulls[p] != nullptr) floats += vertices * ports[p].width;
  if (floats == 0) return;
  const Stream& stream = engine_.parameters().stream();
  run_pulls_.reserve(floats * kFloat);
  std::int64_t at = 0;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (pulls[p] == nullptr) continue;
    const std::int64_t count = vertices * ports[p].width;
    const DevicePointer pointer = run_pulls_.at(at * kFloat);
    stream.upload(pointer, pulls[p], count * kFloat);
    stream.upload(sent_.at(ports_at_ + static_cast<std::int64_t>(p) * kPointer), &pointer, kPointer);
    at += count;
  }
}

void PersistentRun::send_steps(const Optimizer& optimizer) {
  const std::vector<ParameterStep> steps = steps_of(optimizer);
  const auto bytes = static_cast<std::int64_t>(steps.size() * sizeof(ParameterStep));
  auto* const to = launch_staged_.as<char>() + aligned(kHeaderWords * kWord);
  std::memcpy(to, steps.data(), static_cast<std::size_t>(bytes));
  engine_.parameters().stream().upload(steps_.at(), to, bytes);
}

/// Launches, prepares the next minibatch meanwhile, and waits.
void PersistentRun::launch(const PreparedBatch& batch, Directions directions, const KernelArguments& arguments) {
  const Stream& stream = engine_.parameters().stream();
  LoadedKernel& kernel = engine_.kernels()[kernel_];
  stream.clear(reinterpret_cast<DevicePointer>(arguments.progress),
               (std::int64_t{kernel.processors()} + 1) * kCounterStride * kWord);
  stream.record(begin_event_);
  kernel.kernel.launch(stream, kernel.processors(), kernel_threads(kernel.options), arguments);
  stream.record(end_event_);
  stream.download(result_.as<StepResult>(), reinterpret_cast<DevicePointer>(arguments.result), sizeof(StepResult));
  stream.record(done_event_);
  engine_.finish_slack();
  done_event_.synchronise();
  went_back_ = directions != Directions::kForward, has_loss_ = directions == Directions::kStep;
  const bool whole = directions == (engine_.program().options.training ? Directions::kStep : Directions::kForward);
  if (whole && !engine_.kernels().chosen())
    engine_.kernels().add(kernel_, end_event_.milliseconds_since(begin_event_), work_of(batch.plan, went_back_));
}

void PersistentRun::forward(const PreparedBatch& batch, float loss_gradient) {
  loss_gradient_ = loss_gradient;
  KernelArguments arguments = engine_.arguments();
  begin(batch, Directions::kForward, arguments);
  launch(batch, Directions::kForward, arguments);
}

double PersistentRun::loss_sum(const PreparedBatch& batch) const {
  return has_loss_ ? result_.as<StepResult>()->loss : sum_losses(engine_.program(), batch, values_.base(batch));
}

/// F once more, as a launch knows nothing of the one before.
void PersistentRun::backward(const PreparedBatch& batch, Gradients& gradients,
                             std::span<const Run::PushGradient> pushes, bool) {
  user_check(pushes.empty(), "engine persistent on a GPU takes no gradients of pushes; use device cpu");
  KernelArguments arguments = engine_.arguments();
  begin(batch, Directions::kBoth, arguments);
  engine_.parameters().stream().clear(steps_.at(), steps_.bytes() / kWord * kWord);  // no rows of tables are left out
  launch(batch, Directions::kBoth, arguments);
  engine_.parameters().leave_gradients(batch.plan, gradients);
}

std::optional<TrainedStep> PersistentRun::train(const PreparedBatch& batch, float loss_gradient,
                                                const UpdateRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  DeviceParameters& parameters = engine_.parameters();
  detail::OptimizerAccess::check(request.optimizer, engine_.values(), request.gradients, nullptr);
  loss_gradient_ = loss_gradient;
  KernelArguments arguments = engine_.arguments();
  arguments.rule = rule_of(request.optimizer.options());
  arguments.clip_norm = static_cast<float>(request.options.clip_norm);
  begin(batch, Directions::kStep, arguments);
  std::ranges::copy(parameters.slots(request.optimizer), arguments.slots);
  send_steps(request.optimizer);
  launch(batch, Directions::kStep, arguments);
  const StepResult& result = *result_.as<StepResult>();
  const bool updated = result.updated != 0;
  if (updated)
    parameters.leave_update(request.optimizer);
  else
    parameters.leave_gradients(batch.plan, request.gradients);  // so that they can be looked at
  const double norm = updated && !request.wants_norm() ? std::numeric_limits<double>::quiet_NaN() : result.norm;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return TrainedStep{result.loss, {norm, updated}, {.forward = seconds.count()}};
}

void PersistentRun::rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                         std::span<const std::int32_t> vertices, std::span<const float*> rows) {
  find_rows(engine_.program(), batch, kind, port, vertices, values_.base(batch), rows);
}

std::string PersistentRun::find_not_finite(const PreparedBatch& batch) const {
  return cavs::find_not_finite(engine_.program(), batch, values_.base(batch), went_back_);
}

void PersistentRun::count(const PreparedBatch& batch, RunStatistics& s) const {
  if (engine_.options().profile) count_plan(engine_.program(), batch.plan, s);
}

}  // namespace cavs::cuda
