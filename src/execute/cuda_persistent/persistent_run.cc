#include "execute/cuda_persistent/persistent_run.h"

#include "script/validate_script.h"

namespace cavs::cuda {
namespace {

double work_of(const Plan& plan, bool backward) {
  double flops = 0;
  for (const Step& step : plan.steps)
    if (backward || !step.backward) flops += step.flops;
  return flops;
}

}  // namespace

PersistentRun::PersistentRun(PersistentEngine& engine)
    : DeviceRun(engine), engine_(engine), begin_event_(engine.device()), end_event_(engine.device()) {}

/// Writes the script in slices, each of which takes about as long as the wait for a small level.
bool PersistentRun::prepare(const PreparedBatch& prepared, bool first) {
  constexpr std::size_t kSteps = 4;
  if (first) {
    plan_ = &batch().begin(prepared);
    kernel_ = engine_.kernels().next();
    engine_.kernels()[kernel_].sharer.share(prepared.minibatch, prepared.schedule, *plan_, shares_);
    engine_.kernels()[kernel_].writer.begin(*plan_, shares_, script_);
  }
  LoadedKernel& kernel = engine_.kernels()[kernel_];
  if (kernel.writer.advance(kSteps)) return true;
  if (engine_.options().check_scripts) check_script(engine_.program(), kernel.placement, *plan_, script_);
  loss_gradient_ = 1 / static_cast<float>(prepared.minibatch.samples.size());
  kernel.packer.pack(*plan_, script_, {loss_gradient_, engine_.options().seed, prepared.dropout_epoch},
                     batch().words());
  batch().send(prepared);
  return false;
}

KernelArguments PersistentRun::begin(const PreparedBatch& batch, Directions directions) {
  KernelArguments arguments =
      DeviceRun::begin(batch, directions, loss_gradient_,
                       directions == Directions::kForward ? script_.backward
                       : directions == Directions::kBoth  ? script_.update
                                                          : static_cast<std::int32_t>(script_.entries.size()));
  arguments.progress = engine_.progress().as<unsigned>();
  return arguments;
}

/// Launches the kernel, prepares the next minibatch, and waits for the kernel.
void PersistentRun::launch(const PreparedBatch& batch, Directions directions, KernelArguments arguments) {
  LoadedKernel& kernel = engine_.kernels()[kernel_];
  stream().clear(engine_.progress().at(), (std::int64_t{kernel.processors()} + 1) * kCounterStride *
                                              static_cast<std::int64_t>(sizeof(unsigned)));
  stream().record(begin_event_);
  kernel.kernel.launch_together(stream(), kernel.processors(), kernel_threads(kernel.options), arguments);
  ++launch_counts().launches;
  stream().record(end_event_);
  finish(directions);
  const bool whole = directions == (engine_.program().options.training ? Directions::kStep : Directions::kForward);
  if (whole && !engine_.kernels().chosen())
    engine_.kernels().add(kernel_, end_event_.milliseconds_since(begin_event_),
                          work_of(batch.plan, directions != Directions::kForward));
}

void PersistentRun::forward(const PreparedBatch& batch, float loss_gradient) {
  loss_gradient_ = loss_gradient;
  launch(batch, Directions::kForward, begin(batch, Directions::kForward));
}

/// Runs F again before ∂F, since values of the previous launch are not kept.
void PersistentRun::backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient>,
                             bool) {
  const KernelArguments arguments = begin(batch, Directions::kBoth);
  begin_without_update();
  launch(batch, Directions::kBoth, arguments);
  engine_.parameters().mark_gradients_on_device(batch.plan, gradients);
}

std::optional<TrainedStep> PersistentRun::train(const PreparedBatch& batch, float loss_gradient,
                                                const UpdateRequest& request) {
  loss_gradient_ = loss_gradient;
  KernelArguments arguments = begin(batch, Directions::kStep);
  begin_update(arguments, request);
  launch(batch, Directions::kStep, arguments);
  mark_update_on_device(request.optimizer);
  return end_step(batch, request);
}

}  // namespace cavs::cuda
