#include "execute/cuda_persistent/kernel_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/cuda/entries/kernel_tables.h"
#include "backend/cuda/persistent/kernel_target.h"
#include "support/bytes.h"
#include "support/check.h"

namespace cavs::cuda {
namespace {

constexpr int kMostShapes = 3;  // largest number of kernels to choose from

KeptWeights kept_weights(const KernelTables& tables, const KernelOptions& options) {
  KeptWeights kept;
  kept.shared_bytes = tables.shared_bytes(options);
  for (const TileShape& tile : tables.tiles) {
    if (tile.is_shared()) continue;
    const int gates = tables.panels[tile.panel].gates;
    for (const auto& units : tile.units) {
      const int columns = (units.end - units.begin) * gates;
      kept.columns += columns;
      kept.columns_per_warp = std::max(kept.columns_per_warp, (columns + options.warps - 1) / options.warps);
    }
  }
  return kept;
}

}  // namespace

LoadedKernel::LoadedKernel(const DeviceRef& device, const Program& program, WeightPlacement placed,
                           const KernelOptions& o, const Cubin& cubin)
    : placement(std::move(placed)),
      options(o),
      resources(cubin.resources),
      kept(kept_weights(kernel_tables(program, placement, options), options)),
      kernel(std::make_shared<Module>(device, cubin.bytes.data()), std::string(kKernelName).c_str(), kept.shared_bytes),
      sharer(program, processors()),
      writer(program, placement),
      packer(program, placement, options) {}

KernelSet::KernelSet(const DeviceRef& device, const Program& program, Precision precision)
    : device_(device),
      program_(program),
      compiler_(KernelCache::of_environment(), device->properties().driver_version),
      choice_(1) {
  for (const TypeProgram& type : program.types)
    user_check(type.push_gradients.empty(),
               "vertex function '{}' takes gradients of its pushes from the caller, which engine persistent does not "
               "support; use engine "
               "batched",
               type.function.name);
  made_of_ = fmt::format("choice on {} {}\n", device->properties().name, device->properties().architecture());
  for (const Shape& shape : shapes(precision)) kernels_.push_back(make(shape));
  choice_ = KernelChoice(size());
  if (size() == 1) return;
  if (const auto known = compiler_.cache().find_numbers(made_of_, 1); known && known->front() < size())
    choice_.choose(static_cast<int>(known->front()));
}

WeightPlacement KernelSet::place(const Shape& shape) const {
  return place_for_kernel(program_, device_->properties().architecture(), shape.processors, shape.options);
}

/// Returns the shapes of kernels to choose from. The first uses all processors. Each next one uses half as many with
/// twice the columns per warp, as long as all columns stay in registers.
std::vector<KernelSet::Shape> KernelSet::shapes(Precision precision) const {
  const DeviceProperties& gpu = device_->properties();
  Shape shape{gpu.processors, widest_options(program_, gpu, precision)};
  std::vector<Shape> all{shape};
  const auto columns_of = [&](const Shape& s) {
    return kept_weights(kernel_tables(program_, place(s), s.options), s.options).columns;
  };
  const std::int64_t columns = columns_of(shape);
  while (shape.processors > 1 && std::ssize(all) < kMostShapes) {
    shape.processors = (shape.processors + 1) / 2;
    if (columns == 0 || columns_of(shape) < columns) break;
    all.push_back(shape);
  }
  return all;
}

std::unique_ptr<LoadedKernel> KernelSet::make(Shape shape) {
  const DeviceProperties& gpu = device_->properties();
  for (;;) {
    WeightPlacement placement = place(shape);
    const KernelSource source = persistent_kernel_source(program_, placement, shape.options);
    const Cubin cubin = compiler_.compile(source, gpu.compute, {std::begin(kNvrtcOptions), std::end(kNvrtcOptions)});
    const auto fewer = options_with_fewer_weights(kernel_tables(program_, placement, shape.options), shape.options);
    if (!cubin.resources.is_lean() && fewer) {
      ++discarded_;
      shape.options = *fewer;
      continue;
    }
    made_of_ += fmt::format("{} processors\n{}", shape.processors, source.all());
    auto made = std::make_unique<LoadedKernel>(device_, program_, std::move(placement), shape.options, cubin);
    const int threads = kernel_threads(shape.options);
    user_check(
        made->kernel.blocks_per_processor(threads) >= 1,
        "{} has no room for a block of {} threads with {} registers each; please report this (docs/guide/gpu.md)",
        gpu.name, threads, made->resources.registers);
    return made;
  }
}

void KernelSet::add(int number, double milliseconds, double work) {
  if (!choice_.add(number, milliseconds, work)) return;
  const double chosen = *choice_.chosen();
  compiler_.cache().keep_numbers(made_of_, std::span(&chosen, 1));
}

std::vector<std::string> KernelSet::describe() const {
  const DeviceProperties& gpu = device_->properties();
  std::vector<std::string> lines{fmt::format("{}, {}: {} processors", gpu.name, gpu.architecture(), gpu.processors)};
  for (const auto& k : kernels_)
    lines.push_back(
        fmt::format("kernel of {} block{} of {} threads: {} columns per warp in registers, {} of weights per block in "
                    "shared memory; {} registers per thread, {} bytes of stack, {} spilled",
                    k->processors(), k->processors() == 1 ? "" : "s", kernel_threads(k->options),
                    k->kept.columns_per_warp, format_bytes(k->kept.shared_bytes), k->resources.registers,
                    k->resources.stack_bytes, k->resources.spilled_bytes));
  lines.push_back(compiler_.describe());
  if (discarded_ > 0) lines.back() += fmt::format("; {} discarded because of spills", discarded_);
  if (size() > 1)
    lines.push_back(choice_.chosen() ? fmt::format("the kernel of {} blocks is the fastest, as measured before",
                                                   kernels_[*choice_.chosen()]->processors())
                                     : "the fastest of them is chosen by the first minibatches");
  return lines;
}

}  // namespace cavs::cuda
