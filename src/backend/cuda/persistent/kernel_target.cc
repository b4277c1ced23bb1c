#include "backend/cuda/persistent/kernel_target.h"

#include <algorithm>

namespace cavs::cuda {

std::span<const DeviceProperties> known_gpus() {
  static const DeviceProperties kGpus[] = {
      {.name = "A100", .compute = 80, .processors = 108, .max_threads = 1024, .shared_bytes = 163 << 10},
      {.name = "H100", .compute = 90, .processors = 132, .max_threads = 1024, .shared_bytes = 227 << 10}};
  return kGpus;
}

KernelOptions widest_options(const Program& program, const DeviceProperties& gpu, Precision precision) {
  constexpr int kMostWarps = 8, kWarpThreads = 32;
  KernelOptions options{.warps = std::clamp(gpu.max_threads / kWarpThreads, 1, kMostWarps), .precision = precision};
  options.shared_words = most_shared_words(program, options, gpu.shared_bytes);
  return options;
}

WeightPlacement place_for_kernel(const Program& program, const std::string& architecture, int processors,
                                 const KernelOptions& options) {
  const OnChipTarget target =
      gpu_target(architecture, processors, options.warps, options.weight_registers, options.shared_words);
  return place_weights(program, target, options.precision == Precision::kBf16 ? 2 : 4);
}

}  // namespace cavs::cuda
