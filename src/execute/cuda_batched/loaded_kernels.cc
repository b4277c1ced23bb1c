#include "execute/cuda_batched/loaded_kernels.h"

#include <fmt/format.h>

namespace cavs::cuda {

LoadedKernels::LoadedKernels(const DeviceRef& device, const Program& program, const KernelTables& tables,
                             const KernelOptions& options)
    : processors_(device->properties().processors),
      threads_(kernel_threads(options)),
      device_(device),
      sources_(batched_kernels(program, tables, options)),
      compiler_(KernelCache::of_environment(), device->properties().driver_version) {
  const Cubin cubin = compiler_.compile(sources_.source, device->properties().compute,
                                        {std::begin(kNvrtcOptions), std::end(kNvrtcOptions)});
  resources_ = cubin.resources;
  const auto module = std::make_shared<const Module>(device, cubin.bytes.data());
  for (const BatchedKernels::Kernel& kernel : sources_.kernels) {
    kernels_.emplace_back();
    if (!kernel.name.empty()) kernels_.back().emplace(module, kernel.name.c_str(), kernel.shared_bytes);
  }
}

std::vector<std::string> LoadedKernels::describe() const {
  const DeviceProperties& gpu = device_->properties();
  std::vector<std::string> lines{
      fmt::format("{}, {}: {} processors", gpu.name, gpu.architecture(), gpu.processors),
      fmt::format("{} kernels of {} threads: at most {} registers per thread, {} bytes of stack, {} spilled",
                  kernels_.size(), threads_, resources_.registers, resources_.stack_bytes, resources_.spilled_bytes)};
  lines.push_back(compiler_.describe());
  return lines;
}

}  // namespace cavs::cuda
