#include "cuda/ptx/resources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <regex>

#include "backend/cuda/compile_kernel.h"
#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/persistent/kernel_target.h"
#include "cuda/ptx/nvrtc.h"

namespace cavs::cuda::ptx {
namespace {

/// Returns the processor time of this process in seconds.
double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Returns the bytes of static shared memory per block in the log of ptxas; 0 if the log has none.
int static_shared_bytes(const std::string& log) {
  std::smatch found;
  return std::regex_search(log, found, std::regex(R"((\d+) bytes smem)")) ? std::stoi(found[1]) : 0;
}

/// True if registers and shared memory hold all forward weights.
bool forward_fits(const Program& program, const WeightPlacement& placement) {
  return std::ranges::all_of(placement.weights, [&](const PlacedWeight& placed) {
    return program.weights[placed.weight].transposed || std::ranges::count(placed.memory, PlacedWeight::kStreamed) == 0;
  });
}

/// Returns the number of words per lane in a memory, on the processor that uses most.
int predicted_words(const WeightPlacement& placement, std::size_t memory) {
  std::int64_t most = 0;
  for (const auto& used : placement.used) most = std::max(most, used[memory]);
  const OnChipTarget& target = placement.target;
  return static_cast<int>(most / (std::int64_t{4} * target.lanes * target.warps));
}

}  // namespace

Resources resources_of(const Model& model, const std::string& architecture, KernelOptions options) {
  const auto gpus = known_gpus();
  const auto gpu = std::ranges::find(gpus, architecture, &DeviceProperties::architecture);
  const auto program = compile(model, {}, kernel_target());
  options.shared_words = most_shared_words(*program, options, gpu->shared_bytes);
  const WeightPlacement placement = place_for_kernel(*program, architecture, gpu->processors, options);
  Resources r;
  r.most_shared_bytes = gpu->shared_bytes;
  r.options = options;
  r.fits = fits(placement);
  r.forward_fits = forward_fits(*program, placement);
  r.predicted = predicted_words(placement, 0);
  r.predicted_shared = predicted_words(placement, 1);
  const KernelTables tables = kernel_tables(*program, placement, options);
  r.fewer = options_with_fewer_weights(tables, options);
  r.shared_bytes = tables.shared_bytes(options);
  std::map<std::pair<std::int32_t, std::int32_t>, int> columns;  // by panel of a weight
  for (const TileShape& tile : tables.tiles) {
    (tile.is_shared() ? r.shared : r.weights) += tile.words();
    r.columns = std::max(r.columns, columns[{tile.weight, tile.part}] += tile.columns());
  }
  const double start = processor_time();
  const KernelSource source = persistent_kernel_source(*program, placement, options);
  const double generated = processor_time();
  std::vector<std::string> all{std::begin(kNvrtcOptions), std::end(kNvrtcOptions)};
  all.emplace_back("--ptxas-options=-v");
  Compiled made = TestNvrtc::compile(source, architecture, all);
  r.generate_seconds = generated - start;
  r.nvrtc_seconds = processor_time() - generated;
  const KernelResources resources = resources_in(made.log);
  r.registers = resources.registers;
  r.stack = resources.stack_bytes;
  r.spills = resources.spilled_bytes;
  r.static_bytes = static_shared_bytes(made.log);
  r.cubin = std::move(made.cubin);
  return r;
}

Resources lean_resources_of(const Model& model, const std::string& architecture, KernelOptions options) {
  for (int thrown_away = 0;; ++thrown_away) {
    Resources r = resources_of(model, architecture, options);
    r.thrown_away = thrown_away;
    if (r.is_lean() || !r.fewer) return r;
    options = *r.fewer;
  }
}

void expect_fits(const Resources& r) {
  EXPECT_EQ(r.stack, 0);
  EXPECT_EQ(r.spills, 0);
  EXPECT_EQ(r.weights, r.predicted);
  EXPECT_EQ(r.shared, r.predicted_shared);
  EXPECT_LE(r.static_bytes + r.shared_bytes, r.most_shared_bytes);
  EXPECT_GT(r.registers, r.weights);
  EXPECT_LE(r.registers, 255);
}

}  // namespace cavs::cuda::ptx
