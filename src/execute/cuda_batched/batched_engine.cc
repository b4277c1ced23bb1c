#include "execute/cuda_batched/batched_engine.h"

#include <cmath>

#include "execute/cuda/device_sum.h"
#include "execute/cuda_batched/batched_run.h"

namespace cavs::cuda {

CudaBatchedEngine::CudaBatchedEngine(const EngineContext& context)
    : DeviceEngine(context, "batched", false),
      loaded_(device(), program(), batched_options(device()->properties(), options().precision),
              options().time_kernels),
      staged_pass_(device()),
      pass_event_(device()) {
  staged_pass_.reserve(sizeof(Pass));
}

/// Waits first, because averages may still be in progress.
CudaBatchedEngine::~CudaBatchedEngine() {
  try {
    stream().synchronise();
  } catch (const std::exception&) {  // the GPU has failed, which another call has already reported
  }
}

std::unique_ptr<EngineRun> CudaBatchedEngine::make_run() { return std::make_unique<CudaBatchedRun>(*this); }

void CudaBatchedEngine::begin_pass(const KernelArguments& arguments, const Stretch* next) {
  pass_event_.synchronise();  // the previous pass's arguments may still be in use by a copy
  Pass& pass = *staged_pass_.as<Pass>();
  pass = {.arguments = arguments, .next = next, .stretch = {0, 0}};
  stream().upload(loaded_.launcher().pass(), &pass, sizeof pass);
  stream().record(pass_event_);
}

void CudaBatchedEngine::round_weights(LaunchCounts& counts) {
  if (!keeps_halves() || rounded_ == parameters().changes()) return;
  rounded_ = parameters().changes();
  launch(kRoundWeights, counts);
}

UpdateResult CudaBatchedEngine::update(EngineRun& run, const UpdateRequest& request) {
  float* const gradients = parameters().find(request.gradients);
  if (gradients == nullptr || !std::isfinite(request.loss)) return DeviceEngine::update(run, request);
  return dynamic_cast<CudaBatchedRun&>(run).update(request, gradients);
}

std::unique_ptr<StepSum> CudaBatchedEngine::make_sum(const Parameters&, Gradients& total) {
  return std::make_unique<DeviceSum>(parameters(), total, [this](float* to, const float* from) {
    KernelArguments added = arguments();
    added.gradients = to;
    added.addend = from;
    begin_pass(added);
    launch(kAddGradients, of_no_run_);
  });
}

bool CudaBatchedEngine::average(Parameters& averages, float rate) {
  KernelArguments moved = arguments();
  moved.parameters = parameters().values();
  moved.averages = parameters().averages(averages);
  moved.average_rate = rate;
  begin_pass(moved);
  launch(kMoveAverages, of_no_run_);
  parameters().leave_averages(averages);
  return true;
}

}  // namespace cavs::cuda

namespace cavs::inline v0_1 {

extern const EngineDef kBatchedOnCuda;
const EngineDef kBatchedOnCuda{.doc = "one launch per instruction of a step; consecutive tasks form one graph",
                               .target = [](const Target&) { return cuda::batched_target(); },
                               .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
                                 return std::make_unique<cuda::CudaBatchedEngine>(context);
                               }};

}  // namespace cavs::inline v0_1
