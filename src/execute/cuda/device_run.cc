#include "execute/cuda/device_run.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/cuda/entries/packed_script.h"
#include "execute/batched/profile.h"
#include "execute/cuda/optimizer_steps.h"
#include "update/optimizer_access.h"

namespace cavs::cuda {

DeviceRun::DeviceRun(DeviceEngine& engine)
    : engine_(engine),
      batch_(engine.device(), engine.program(), engine.uploads()),
      staged_steps_(engine.device()),
      steps_(engine.device()),
      sent_touched_(engine.device()),
      values_(engine.device(), engine.stream(), engine.values(), engine.arenas(), engine.keeps_halves()),
      result_(engine.device()),
      timer_(engine.device(), engine.timeline(), engine.options().profile) {
  const std::size_t parameters = std::max<std::size_t>(engine.program().parameters.size(), 1);
  steps_.reserve(static_cast<std::int64_t>(parameters * sizeof(ParameterStep)));
  staged_steps_.reserve(steps_.bytes());
  std::memset(staged_steps_.as<char>(), 0, static_cast<std::size_t>(steps_.bytes()));
  result_.reserve(sizeof(StepResult));
}

KernelArguments DeviceRun::begin(const PreparedBatch& batch, Directions directions, float loss_gradient,
                                 std::int32_t entries) {
  if (directions == Directions::kForward || directions == Directions::kStep) {
    launch_counts_.clear();
    timer_.clear();
  }
  KernelArguments arguments = engine_.arguments();
  arguments.parameters = engine_.parameters().values();
  if (directions != Directions::kForward) arguments.gradients = engine_.parameters().gradients();
  batch_.bring(stream(), batch, loss_gradient, entries);
  timer_.begin(stream());
  batch_.set(arguments);
  arguments.arena = values_.begin();
  arguments.halves = values_.halves(batch.plan);
  arguments.steps = steps_.as<ParameterStep>();
  return arguments;
}

void DeviceRun::begin_update(KernelArguments& arguments, const UpdateRequest& request) {
  detail::OptimizerAccess::check(request.optimizer, engine_.values(), request.gradients, nullptr);
  arguments.rule = rule_of(request.optimizer.options());
  arguments.clip_norm = static_cast<float>(request.options.clip_norm);
  std::ranges::copy(engine_.parameters().slots(request.optimizer), arguments.slots);
  const std::vector<ParameterStep> steps = steps_of(request.optimizer);
  const auto bytes = static_cast<std::int64_t>(steps.size() * sizeof(ParameterStep));
  std::memcpy(staged_steps_.as<char>(), steps.data(), static_cast<std::size_t>(bytes));
  stream().upload(steps_.at(), staged_steps_.as<char>(), bytes);
}

KernelArguments DeviceRun::begin_update(const UpdateRequest& request, float* gradients) {
  check_deferred(request, 0);
  timer_.begin(stream());
  KernelArguments arguments = engine_.arguments();
  arguments.parameters = engine_.parameters().values();
  arguments.gradients = gradients;
  arguments.steps = steps_.as<ParameterStep>();
  arguments.words = send_touched(request.gradients);
  begin_update(arguments, request);
  return arguments;
}

/// Sends words of a minibatch that has no losses and no entries, but lists the rows of tables that have a gradient.
const int* DeviceRun::send_touched(const Gradients& gradients) {
  const auto parameters = static_cast<std::int32_t>(gradients.size());
  touched_.assign(kHeaderWords + 2 * parameters, 0);
  touched_[kMagicWord] = kMagic;
  touched_[kTouchedWord] = kHeaderWords;
  for (std::int32_t p = 0; p < parameters; ++p) {
    const std::vector<std::int32_t>& rows = gradients.table_rows[p];
    touched_[kHeaderWords + 2 * p] = static_cast<std::int32_t>(std::ssize(touched_));
    touched_[kHeaderWords + 2 * p + 1] = static_cast<std::int32_t>(std::ssize(rows));
    touched_.insert(touched_.end(), rows.begin(), rows.end());
  }
  touched_[kSizeWord] = static_cast<std::int32_t>(std::ssize(touched_));
  const std::int64_t bytes = std::ssize(touched_) * static_cast<std::int64_t>(sizeof(std::int32_t));
  sent_touched_.reserve(bytes);
  stream().upload(sent_touched_.at(), touched_.data(), bytes);
  return sent_touched_.as<int>();
}

void DeviceRun::begin_without_update() {
  constexpr std::int64_t kWord = sizeof(std::int32_t);
  stream().clear(steps_.at(), steps_.bytes() / kWord * kWord);
}

void DeviceRun::end_launches(Directions directions) {
  has_loss_ = directions == Directions::kStep;
  ran_backward_ = directions != Directions::kForward;
  if (has_loss_) download_result();
  timer_.end(stream());
}

void DeviceRun::download_result() {
  stream().download(result_.as<StepResult>(), reinterpret_cast<DevicePointer>(engine_.arguments().result),
                    sizeof(StepResult));
}

/// Prepares the next minibatch, then waits for the pass.
void DeviceRun::wait() {
  engine_.finish_slack();
  timer_.wait();
}

void DeviceRun::mark_update_on_device(Optimizer& optimizer) {
  steps_before_ = optimizer.steps();
  engine_.parameters().mark_update_on_device(optimizer);
}

TrainedStep DeviceRun::end_step(const PreparedBatch& batch, const UpdateRequest& request) {
  const auto take_back = [&] { detail::OptimizerAccess::set_steps(request.optimizer, steps_before_); };
  try {
    wait();
  } catch (...) {
    take_back();
    throw;
  }
  const UpdateResult update = result_of(request);
  if (!update.updated) take_back();
  if (!update.updated && !is_overtaken()) engine_.parameters().mark_gradients_on_device(batch.plan, request.gradients);
  return {result_.as<StepResult>()->loss, update, {.forward = timer_.seconds()}};
}

UpdateResult DeviceRun::end_update(const UpdateRequest& request) {
  download_result();
  timer_.end(stream());
  wait();
  const UpdateResult update = result_of(request);
  if (update.updated) engine_.parameters().mark_update_on_device(request.optimizer);
  return update;
}

UpdateResult DeviceRun::result_of(const UpdateRequest& request) {
  const StepResult& result = *result_.as<StepResult>();
  const bool updated = result.updated != 0;
  return {updated && !request.wants_norm() ? std::numeric_limits<double>::quiet_NaN() : result.norm, updated};
}

/// Waits first, because a step may still be running.
void DeviceRun::release() {
  try {
    timer_.wait();
  } catch (const std::exception&) {  // the GPU has failed, which another call has already reported
  }
  values_.release();
}

double DeviceRun::loss_sum(const PreparedBatch& batch) const {
  return has_loss_ ? result_.as<StepResult>()->loss : sum_losses(engine_.program(), batch, values_.base(batch));
}

void DeviceRun::rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                     std::span<const std::int32_t> vertices, std::span<const float*> rows) {
  find_rows(engine_.program(), batch, kind, port, vertices, values_.base(batch), rows);
}

std::string DeviceRun::find_not_finite(const PreparedBatch& batch) const {
  return cavs::find_not_finite(engine_.program(), batch, values_.base(batch), ran_backward_);
}

void DeviceRun::count(const PreparedBatch& batch, RunStatistics& s) const {
  const PassTimes& times = timer_.times();
  s.launch_ms = times.launch;
  s.wait_ms = times.wait;
  s.gpu_ms = times.gpu;
  s.gpu_idle_ms = times.idle;
  s.launches = launch_counts_.launches;
  s.graph_launches = launch_counts_.graphs;
  s.graph_nodes = launch_counts_.nodes;
  if (engine_.options().profile) count_plan(engine_.program(), batch.plan, s);
}

}  // namespace cavs::cuda
