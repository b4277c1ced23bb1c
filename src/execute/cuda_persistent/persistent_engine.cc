#include "execute/cuda_persistent/persistent_engine.h"

#include <algorithm>
#include <sstream>

#include "execute/cuda_persistent/persistent_run.h"
#include "placement/placement_text.h"
#include "support/check.h"

namespace cavs::cuda {
namespace {

DeviceRef open_device(int index) {
  DeviceRef device = Device::open(open_driver(), index);
  const DeviceProperties& found = device->properties();
  user_check(
      found.compute >= kOldestCompute && found.is_cooperative,
      "{} has compute capability {}.{}{}; engine persistent needs 8.0 or later (A100, RTX 30) and cooperative launch "
      "(blocks that wait for each other): take another GPU, as in cuda:1, or device cpu",
      found.name, found.compute / 10, found.compute % 10, found.is_cooperative ? "" : " and no cooperative launch");
  return device;
}

}  // namespace

PersistentEngine::PersistentEngine(const EngineContext& context)
    : program_(context.program),
      values_(context.parameters),
      options_(context.options),
      device_(open_device(options_.device.index)),
      kernels_(device_, *program_, options_.precision),
      progress_(device_),
      squares_(device_),
      result_(device_),
      parameters_(device_, *program_, values_, parameter_offsets(*program_)),
      uploads_(device_),
      updater_(values_) {
  progress_.reserve((std::int64_t{kernels_.processors()} + 1) * kCounterStride *
                    static_cast<std::int64_t>(sizeof(unsigned)));
  squares_.reserve(std::max<std::int64_t>(square_blocks(*program_), 1) * static_cast<std::int64_t>(sizeof(double)));
  result_.reserve(sizeof(StepResult));
}

std::unique_ptr<EngineRun> PersistentEngine::make_run() { return std::make_unique<PersistentRun>(*this); }

const WeightPlacement& PersistentEngine::placement() const { return kernels_[kernels_.chosen().value_or(0)].placement; }

std::vector<std::string> PersistentEngine::describe() const {
  std::vector<std::string> lines = kernels_.describe();
  std::istringstream placed(to_text(placement(), *program_));
  for (std::string line; std::getline(placed, line);) lines.push_back(line);
  return lines;
}

bool PersistentEngine::set_slack(std::function<bool()> slice) {
  slack_ = std::move(slice);
  return true;
}

void PersistentEngine::finish_slack() {
  while (slack_ && slack_()) {
  }
  slack_ = nullptr;
}

KernelArguments PersistentEngine::arguments() const {
  KernelArguments arguments{};
  arguments.progress = progress_.as<unsigned>(), arguments.squares = squares_.as<double>();
  arguments.result = result_.as<StepResult>();
  return arguments;
}

}  // namespace cavs::cuda

namespace cavs::inline v0_1 {

extern const EngineDef kPersistentOnCuda;
const EngineDef kPersistentOnCuda{
    .doc = "one launch per minibatch, with the weights of the tasks in registers and shared memory",
    .target = [](const Target&) { return cuda::persistent_target(); },
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<cuda::PersistentEngine>(context);
    }};

}  // namespace cavs::inline v0_1
