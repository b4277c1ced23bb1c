#include "execute/cuda/device_engine.h"

#include <algorithm>

#include "backend/cuda/entries/kernel_options.h"
#include "execute/cuda/device_state_memory.h"
#include "support/check.h"

namespace cavs::cuda {

DeviceRef open_device(int index, std::string_view engine, bool is_cooperative) {
  DeviceRef device = Device::open(open_driver(), index);
  const DeviceProperties& found = device->properties();
  user_check(found.compute >= kOldestCompute && (found.is_cooperative || !is_cooperative),
             "{} has compute capability {}.{}{}; engine {} needs 8.0 or later (A100, RTX 30){}: use another GPU, as in "
             "cuda:1, or device cpu",
             found.name, found.compute / 10, found.compute % 10,
             found.is_cooperative || !is_cooperative ? "" : " and no cooperative launch", engine,
             is_cooperative ? " and cooperative launch (blocks that wait for each other)" : "");
  return device;
}

DeviceEngine::DeviceEngine(const EngineContext& context, std::string_view name, bool is_cooperative)
    : program_(context.program),
      values_(context.parameters),
      options_(context.options),
      device_(open_device(options_.device.index, name, is_cooperative)),
      squares_(device_),
      result_(device_),
      parameters_(device_, *program_, values_, parameter_offsets(*program_)),
      weights_(device_),
      uploads_(device_),
      updater_(values_) {
  squares_.reserve(std::max<std::int64_t>(square_blocks(*program_), 1) * static_cast<std::int64_t>(sizeof(double)));
  result_.reserve(sizeof(StepResult));
  if (options_.precision == Precision::kBf16 && !is_cooperative)
    weights_.reserve(std::max<std::int64_t>(parameter_offsets(*program_).back(), 1) *
                     std::int64_t{sizeof(std::uint16_t)});
}

DevicePeaks DeviceEngine::peaks() const {
  constexpr double kGiga = 1e6, kL2Bytes = 24;  // kHz per GHz; bytes from L2 per clock and processor (H100)
  const DeviceProperties& gpu = device_->properties();
  const int lanes = gpu.compute == kOldestCompute ? 64 : 128;  // fp32 multiply-adds per clock and processor
  const double clocks = gpu.processors * (gpu.clock_khz / kGiga);
  return {.processors = gpu.processors,
          .gflops = 2 * lanes * clocks,
          .l2_gbytes = kL2Bytes * clocks,
          .memory_gbytes = 2 * (gpu.memory_clock_khz / kGiga) * gpu.memory_bus_bits / 8};
}

bool DeviceEngine::set_slack(std::function<bool()> slice) {
  slack_ = std::move(slice);
  return true;
}

void DeviceEngine::finish_slack() {
  while (slack_ && slack_()) {
  }
  slack_ = nullptr;
}

std::unique_ptr<StateMemory> DeviceEngine::make_state_memory() {
  return std::make_unique<DeviceStateMemory>(device_, stream());
}

void DeviceEngine::share(const std::function<void(int worker, int workers)>& f) {
  if (team_ == nullptr) team_ = std::make_unique<Team>(options_.threads);
  team_->run([&](int worker) { f(worker, team_->size()); });
}

KernelArguments DeviceEngine::arguments() const {
  KernelArguments arguments{};
  arguments.squares = squares_.as<double>();
  arguments.result = result_.as<StepResult>();
  if (keeps_halves()) arguments.weight_halves = weights_.as<std::uint16_t>();
  return arguments;
}

}  // namespace cavs::cuda
