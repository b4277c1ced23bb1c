#include "execute/cuda_batched/tile_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace cavs::cuda {
namespace {

/// Returns the key of the costs in the cache: the GPU, the precision, and the source text of tiles.
std::string made_of(const DeviceProperties& gpu, const KernelSource& source, Precision precision) {
  std::string text = fmt::format("costs of tiles on {} in {}\n", gpu.name, to_string(precision));
  for (const SourceFile& file : source.files)
    if (file.name.find("batched/device/") != std::string::npos || file.name.ends_with("tile_shape.h"))
      text += file.text;
  return text;
}

}  // namespace

TileTuner::TileTuner(const KernelCache& cache, const DeviceProperties& gpu, const KernelSource& source,
                     Precision precision)
    : cache_(cache),
      made_of_(made_of(gpu, source, precision)),
      predicted_(predicted_costs(precision, gpu.processors)),
      costs_(predicted_) {
  const auto known = cache.find_numbers(made_of_, 2 * kTileSizes);
  if (!known) return;
  std::copy_n(known->begin(), kTileSizes, costs_.clocks.begin());
  std::copy_n(known->begin() + kTileSizes, kTileSizes, costs_.start.begin());
  is_measured_ = true;
}

std::optional<TileSize> TileTuner::next() {
  if (begun_ == kSteps) return std::nullopt;
  return static_cast<TileSize>(begun_++ % kTileSizes);
}

bool TileTuner::end_step() {
  if (ended_ == kSteps || ++ended_ < kSteps) return false;
  costs_ = fit_.costs(predicted_);
  is_measured_ = true;
  std::vector<double> numbers(costs_.clocks.begin(), costs_.clocks.end());
  numbers.insert(numbers.end(), costs_.start.begin(), costs_.start.end());
  cache_.keep_numbers(made_of_, numbers);
  return true;
}

std::string TileTuner::describe() const {
  return is_measured_
             ? "sizes of tiles by costs measured on this GPU"
             : "sizes of tiles by predicted costs, until a run with time_kernels (the roofline of bench) measures them";
}

}  // namespace cavs::cuda
