#include "cuda/gpu/device_launcher.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace cavs::cuda {
namespace {

/// Copies of host buffers on the GPU. Buffers that are close to each other stay so.
class Mirror {
 public:
  Mirror(const DeviceRef& device, std::span<const LaunchBuffer> buffers) {
    for (const LaunchBuffer& b : buffers)
      if (b.bytes > 0) buffers_.push_back(b);
    std::ranges::sort(buffers_, {}, begin_of);
    for (const LaunchBuffer& b : buffers_) {
      if (regions_.empty() || begin_of(b) > regions_.back().end + kNear)
        regions_.push_back({begin_of(b), begin_of(b), nullptr});
      regions_.back().end = std::max(regions_.back().end, begin_of(b) + b.bytes);
    }
    for (Region& r : regions_) {
      r.memory = std::make_unique<DeviceMemory>(device);
      r.memory->reserve(static_cast<std::int64_t>(r.end - r.begin));
    }
  }

  /// The GPU's address for the host address `p`. nullptr stays nullptr.
  template <typename T>
  T* at(T* p) const {
    return p == nullptr ? nullptr : reinterpret_cast<T*>(address(reinterpret_cast<std::uintptr_t>(p)));
  }
  void upload(const Stream& stream) const {
    for (const LaunchBuffer& b : buffers_) stream.upload(address(begin_of(b)), b.data, size(b));
  }
  void upload(const Stream& stream, void* data, std::size_t bytes) const {
    stream.upload(address(reinterpret_cast<std::uintptr_t>(data)), data, static_cast<std::int64_t>(bytes));
  }
  void download(const Stream& stream) const {
    for (const LaunchBuffer& b : buffers_) stream.download(b.data, address(begin_of(b)), size(b));
  }

 private:
  static constexpr std::uintptr_t kNear = 256;  // largest gap in bytes between parts of one array
  struct Region {
    std::uintptr_t begin, end;
    std::unique_ptr<DeviceMemory> memory;
  };

  static std::uintptr_t begin_of(const LaunchBuffer& b) { return reinterpret_cast<std::uintptr_t>(b.data); }
  static std::int64_t size(const LaunchBuffer& b) { return static_cast<std::int64_t>(b.bytes); }
  DevicePointer address(std::uintptr_t p) const {
    for (const Region& r : regions_)
      if (r.begin <= p && p < r.end) return r.memory->at(static_cast<std::int64_t>(p - r.begin));
    throw std::runtime_error("a launch has a pointer to memory that is in none of its buffers");
  }

  std::vector<LaunchBuffer> buffers_;
  std::vector<Region> regions_;
};

const LaunchBuffer& find(std::span<const LaunchBuffer> buffers, const void* data) {
  const auto found = std::ranges::find(buffers, data, &LaunchBuffer::data);
  if (found == buffers.end()) throw std::runtime_error("a launch lacks one of its buffers");
  return *found;
}

}  // namespace

DeviceKernel::DeviceKernel(const DeviceRef& device, const Cubin& cubin, const PersistentStep& step)
    : device_(device),
      kernel_(std::make_shared<Module>(device, cubin.bytes.data()), std::string(kKernelName).c_str(),
              step.shared_bytes()) {}

std::vector<double> DeviceKernel::time(const LaunchShape& shape, const KernelArguments& arguments,
                                       std::span<const LaunchBuffer> buffers, int launches) const {
  const Mirror mirror(device_, buffers);
  const Stream stream(device_);
  KernelArguments there = arguments;
  there.arena = mirror.at(arguments.arena);
  there.parameters = mirror.at(arguments.parameters);
  there.gradients = mirror.at(arguments.gradients);
  for (float*& slot : there.slots) slot = mirror.at(slot);
  there.pulls = mirror.at(arguments.pulls);
  there.steps = mirror.at(arguments.steps);
  there.words = mirror.at(arguments.words);
  there.progress = mirror.at(arguments.progress);
  there.squares = mirror.at(arguments.squares);
  there.result = mirror.at(arguments.result);
  there.clocks = mirror.at(arguments.clocks);
  mirror.upload(stream);
  std::vector<const float*> pulls;
  if (arguments.pulls != nullptr) {
    const LaunchBuffer& ports = find(buffers, arguments.pulls);
    for (std::size_t p = 0; p < ports.bytes / sizeof(const float*); ++p)
      pulls.push_back(mirror.at(const_cast<float*>(arguments.pulls[p])));
    if (!pulls.empty())
      stream.upload(reinterpret_cast<DevicePointer>(there.pulls), pulls.data(), static_cast<std::int64_t>(ports.bytes));
  }
  const std::int64_t counters = static_cast<std::int64_t>(find(buffers, arguments.progress).bytes);
  std::vector<std::unique_ptr<Event>> events;
  for (int k = 0; k < 2 * launches; ++k) events.push_back(std::make_unique<Event>(device_));
  for (int k = 0; k < launches; ++k) {
    stream.clear(reinterpret_cast<DevicePointer>(there.progress), counters);
    stream.record(*events[2 * k]);
    kernel_.launch_together(stream, shape.blocks, shape.threads, there);
    stream.record(*events[2 * k + 1]);
  }
  stream.synchronise();
  std::vector<double> milliseconds;
  for (int k = 0; k < launches; ++k) milliseconds.push_back(events[2 * k + 1]->milliseconds_since(*events[2 * k]));
  const auto pointers = std::vector<const float*>(arguments.pulls, arguments.pulls + pulls.size());
  mirror.download(stream);
  stream.synchronise();
  std::ranges::copy(pointers, const_cast<const float**>(arguments.pulls));
  return milliseconds;
}

}  // namespace cavs::cuda
