#include "execute/cuda_batched/batched_engine.h"

#include <algorithm>
#include <cmath>

#include "execute/cuda/device_sum.h"
#include "execute/cuda_batched/batched_run.h"
#include "support/check.h"

namespace cavs::cuda {
namespace {

KernelOptions options_for(Precision precision) {
  return {.warps = kTileWarps, .weight_registers = 0, .precision = precision};
}

/// The environment's CAVS_CUDA_LAUNCHES chooses, for measurements; else it is the fastest that the GPU has.
LaunchForm form_for(const Device& device, const SessionOptions& options) {
  if (options.time_kernels) return LaunchForm::kPlain;
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

CudaBatchedEngine::CudaBatchedEngine(const EngineContext& context)
    : DeviceEngine(context, "batched", false),
      kernel_options_(options_for(options().precision)),
      placement_(place_weights(program(), gpu_target(device()->properties().architecture(), 1, 1, 0), sizeof(float))),
      tables_(kernel_tables(program(), placement_, kernel_options_)),
      kernels_(device(), program(), tables_, kernel_options_),
      launcher_(device(), kernels_, form_for(*device(), options())),
      lister_(program(), tables_, kernels_.kernels(), TileCosts{.processors = device()->properties().processors},
              launcher_.form() >= LaunchForm::kGraphs),
      staged_pass_(device()),
      pass_event_(device()) {
  staged_pass_.reserve(sizeof(Pass));
}

/// Averages may still be under way.
CudaBatchedEngine::~CudaBatchedEngine() {
  try {
    stream().synchronise();
  } catch (const std::exception&) {  // the GPU has failed, as somebody has been told
  }
}

std::unique_ptr<EngineRun> CudaBatchedEngine::make_run() { return std::make_unique<CudaBatchedRun>(*this); }

void CudaBatchedEngine::begin_pass(const KernelArguments& arguments, const Stretch* next) {
  pass_event_.synchronise();  // the pass before may still be on its way
  Pass& pass = *staged_pass_.as<Pass>();
  pass = {.arguments = arguments, .next = next, .stretch = {0, 0}};
  stream().upload(launcher_.pass(), &pass, sizeof pass);
  stream().record(pass_event_);
}

UpdateResult CudaBatchedEngine::update(EngineRun& run, const UpdateRequest& request) {
  float* const gradients = parameters().find(request.gradients);
  if (gradients == nullptr || !std::isfinite(request.loss)) return DeviceEngine::update(run, request);
  return dynamic_cast<CudaBatchedRun&>(run).update(request, gradients);
}

std::unique_ptr<StepSum> CudaBatchedEngine::make_sum(const Parameters&, Gradients& total) {
  return std::make_unique<DeviceSum>(parameters(), total, [this](float* to, const float* from) {
    KernelArguments added = arguments();
    added.gradients = to, added.addend = from;
    begin_pass(added);
    launch(kAddGradients, of_no_run_);
  });
}

bool CudaBatchedEngine::average(Parameters& averages, float rate) {
  KernelArguments moved = arguments();
  moved.parameters = parameters().values();
  moved.averages = parameters().averages(averages), moved.average_rate = rate;
  begin_pass(moved);
  launch(kMoveAverages, of_no_run_);
  parameters().leave_averages(averages);
  return true;
}

}  // namespace cavs::cuda

namespace cavs::inline v0_1 {

extern const EngineDef kBatchedOnCuda;
const EngineDef kBatchedOnCuda{
    .doc = "a launch per instruction of a step, those of tasks that follow each other as one graph",
    .target = [](const Target&) { return cuda::batched_target(); },
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<cuda::CudaBatchedEngine>(context);
    }};

}  // namespace cavs::inline v0_1
