#include "execute/cuda_batched/loaded_program.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {
namespace {

/// The environment's CAVS_CUDA_LAUNCHES chooses, for measurements; else it is the fastest that the GPU has.
LaunchForm form_for(const Device& device, bool timed) {
  if (timed) return LaunchForm::kPlain;
  constexpr int kWaitsByItself = 90;     // the oldest architecture whose kernels do
  constexpr int kCapturesEarly = 12030;  // the oldest driver that captures launches which begin early
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

KernelOptions batched_options(Precision precision, bool callers) {
  return {.warps = kTileWarps, .weight_registers = 0, .precision = precision, .callers = callers};
}

LoadedProgram::LoadedProgram(const DeviceRef& device, const Program& program, const KernelOptions& options, bool timed)
    : options_(options),
      placement_(place_weights(program, gpu_target(device->properties().architecture(), 1, 1, 0), sizeof(float))),
      tables_(kernel_tables(program, placement_, options_)),
      kernels_(device, program, tables_, options_),
      launcher_(device, kernels_, form_for(*device, timed)),
      lister_(program, tables_, kernels_.kernels(), TileCosts{.processors = device->properties().processors},
              launcher_.form() >= LaunchForm::kGraphs) {}

}  // namespace cavs::cuda
