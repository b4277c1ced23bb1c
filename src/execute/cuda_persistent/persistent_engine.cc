#include "execute/cuda_persistent/persistent_engine.h"

#include <sstream>

#include "execute/cuda_persistent/persistent_run.h"
#include "placement/placement_text.h"
#include "support/check.h"

namespace cavs::cuda {

namespace {

Precision checked(Precision precision) {
  user_check(precision != Precision::kTf32,
             "engine persistent multiplies in fp32 or bf16, found tf32; use engine batched");
  return precision;
}

}  // namespace

PersistentEngine::PersistentEngine(const EngineContext& context)
    : DeviceEngine(context, "persistent", true),
      kernels_(device(), program(), checked(options().precision)),
      progress_(device()) {
  progress_.reserve((std::int64_t{kernels_.processors()} + 1) * kCounterStride *
                    static_cast<std::int64_t>(sizeof(unsigned)));
}

std::unique_ptr<EngineRun> PersistentEngine::make_run() { return std::make_unique<PersistentRun>(*this); }

const WeightPlacement& PersistentEngine::placement() const { return kernels_[kernels_.chosen().value_or(0)].placement; }

std::vector<std::string> PersistentEngine::describe() const {
  std::vector<std::string> lines = kernels_.describe();
  std::istringstream placed(to_text(placement(), program()));
  for (std::string line; std::getline(placed, line);) lines.push_back(line);
  return lines;
}

}  // namespace cavs::cuda

namespace cavs::inline v0_1 {

extern const EngineDef kPersistentOnCuda;
const EngineDef kPersistentOnCuda{
    .doc = "one launch per minibatch, with the weights of the tasks in registers and shared memory",
    .keeps_states = false,
    .target = [](const Target&) { return cuda::kernel_target(); },
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<cuda::PersistentEngine>(context);
    }};

}  // namespace cavs::inline v0_1
