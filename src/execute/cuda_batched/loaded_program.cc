#include "execute/cuda_batched/loaded_program.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {
namespace {

/// Returns the form of launches: the fastest one that is supported. CAVS_CUDA_LAUNCHES in the environment sets another.
LaunchForm form_for(const Device& device, bool timed) {
  if (timed) return LaunchForm::kPlain;
  constexpr int kWaitsByItself = 90;     // the oldest architecture that supports griddepcontrol.wait
  constexpr int kCapturesEarly = 12030;  // the oldest driver that can capture launches of kEarly
  const std::string name = from_environment("CAVS_CUDA_LAUNCHES");
  const bool begins_early =
      device.properties().compute >= kWaitsByItself && device.properties().driver_version >= kCapturesEarly;
  const LaunchForm most = begins_early ? LaunchForm::kEarly : LaunchForm::kGraphs;
  if (name.empty()) return most;
  constexpr std::string_view kNames[] = {"waited", "plain", "graphs", "early"};
  const auto* const found = std::ranges::find(kNames, name);
  user_check(found != std::end(kNames), "CAVS_CUDA_LAUNCHES is '{}'; expected waited, plain, graphs or early", name);
  return std::min(static_cast<LaunchForm>(found - kNames), most);
}

}  // namespace

KernelOptions batched_options(const DeviceProperties& gpu, Precision precision, bool callers) {
  return {.warps = kTileWarps,
          .weight_registers = 0,
          .precision = precision,
          .most_shared_bytes = gpu.shared_bytes,
          .callers = callers};
}

LoadedProgram::LoadedProgram(const DeviceRef& device, const Program& program, const KernelOptions& options, bool timed)
    : options_(options),
      placement_(place_weights(program, gpu_target(device->properties().architecture(), 1, 1, 0), sizeof(float))),
      tables_(kernel_tables(program, placement_, options_)),
      kernels_(device, program, tables_, options_),
      launcher_(device, kernels_, form_for(*device, timed)),
      timed_(timed),
      tuner_(kernels_.cache(), device->properties(), kernels_.kernels().source, options.precision),
      lister_(program, tables_, kernels_.kernels(), tuner_.costs(), launcher_.form() >= LaunchForm::kGraphs) {}

std::vector<std::string> LoadedProgram::describe() const {
  std::vector<std::string> lines = kernels_.describe();
  lines.push_back(tuner_.describe());
  return lines;
}

void LoadedProgram::list(const Plan& plan, const Script& script, LaunchList& launches) {
  lister_.list(plan, script, launches, timed_ ? tuner_.next() : std::nullopt);
}

void LoadedProgram::take(const KernelTimes& times, KernelWorks& works) {
  times.take(works, tuner_.fit());
  if (tuner_.end_step()) lister_.set_costs(tuner_.costs());
}

}  // namespace cavs::cuda
