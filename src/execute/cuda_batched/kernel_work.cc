#include "execute/cuda_batched/kernel_work.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "backend/cuda/entries/operand_numbers.h"

namespace cavs::cuda {
namespace {

constexpr double kFloat = sizeof(float), kHalf = sizeof(std::uint16_t);

// Constants of the prediction: microseconds between two launches of a graph, microseconds of overhead in a kernel, and
// fractions of the peaks that kernels reach.
constexpr double kBetween = 0.8, kInProduct = 1.3, kInOther = 1.0;
constexpr double kOfFlops = 0.64, kOfMemory = 0.78;
constexpr double kTf32Speed = 4, kBf16Speed = 7;  // speed of products relative to fp32

/// Returns how many floats `rows` rows of these operands have in memory.
double width_of(const TypeProgram& type, const std::vector<Operand>& operands, double rows) {
  double floats = 0;
  for (const Operand& o : operands)
    if (o.kind != StorageKind::kTensor || type.tensors[o.id].tile < 0) floats += o.width * (o.stride == 0 ? 1 : rows);
  return floats;
}

/// Returns the inputs of a member of a group, except values that earlier members keep in registers.
std::vector<Operand> inputs_from_memory(std::span<const Instruction> earlier, const Instruction& member) {
  std::vector<Operand> inputs = member.in;
  std::erase_if(inputs, [&](const Operand& x) {
    return std::ranges::any_of(earlier, [&](const Instruction& i) {
      return std::ranges::any_of(
          i.out, [&](const Operand& y) { return x.kind == y.kind && x.id == y.id && x.site == y.site; });
    });
  });
  return inputs;
}

}  // namespace

WorkCounter::WorkCounter(const Program& program, const Plan& plan, const DevicePeaks& peaks,
                         const BatchedKernels& kernels, Precision precision, KernelWorks& works)
    : program_(program),
      plan_(plan),
      peaks_(peaks),
      kernels_(kernels),
      works_(works),
      of_factors_(precision == Precision::kBf16 ? kHalf : kFloat),
      of_tensor_cores_(precision == Precision::kBf16   ? kBf16Speed
                       : precision == Precision::kTf32 ? kTf32Speed
                                                       : 1) {}

KernelKind kind_of(const BatchedKernels& kernels, int kernel) {
  if (kernel < kSharedKernels) return kernel == kTileEntropies ? KernelKind::kSoftmax : KernelKind::kUpdate;
  const auto is_of = [&](const KernelsBySize& sizes) { return std::ranges::find(sizes, kernel) != sizes.end(); };
  if (is_of(kernels.logits) || is_of(kernels.dx) || is_of(kernels.dw)) return KernelKind::kSoftmax;
  constexpr std::pair<Operation, KernelKind> kKinds[] = {{kWeightGradient, KernelKind::kWeightGradient},
                                                         {kSumRows, KernelKind::kSumRows},
                                                         {kLookupGradient, KernelKind::kLookupGradient}};
  for (const auto& [operation, kind] : kKinds)
    if (is_of(kernels.of_operation[operation])) return kind;
  if (kernels.kernels[static_cast<std::size_t>(kernel)].tile_rows > 0) return KernelKind::kProduct;
  const bool is_loop = std::ranges::find(kernels.of_loop, kernel) != kernels.of_loop.end() ||
                       std::ranges::any_of(kernels.of_group, is_of);
  return is_loop ? KernelKind::kLoop : KernelKind::kRows;
}

bool WorkCounter::is_read(std::int32_t parameter) {
  read_.resize(program_.parameters.size());
  return std::exchange(read_[parameter], 1) != 0;
}

/// Adds a product. @param weight  the parameter that is the right factor, which counts once per step; -1 if none is
void WorkCounter::add_product(Launch& launch, double rows, double columns, double depth, bool adds,
                              std::int32_t weight) {
  const double down = std::ceil(rows / launch.kernel->tile_rows);
  const double across = std::ceil(columns / launch.kernel->tile_columns);
  const double written = rows * columns * (adds ? 2 : 1);
  launch.tiles += down * across;
  launch.flops += 2 * rows * columns * depth;
  launch.tile_bytes += of_factors_ * depth * (rows * across + columns * down) + kFloat * written;
  launch.bytes += of_factors_ * depth * (rows + (weight >= 0 && is_read(weight) ? 0 : columns)) + kFloat * written;
}

void WorkCounter::add_factors(Launch& launch, const Instruction& i, const Matmul& product, double rows) {
  for (std::size_t k = 0; k < product.factors.size(); ++k) {
    const Factor& factor = product.factors[k];
    for (std::size_t p = 0; p < factor.outs.size(); ++p)
      add_product(launch, rows, i.out[factor.outs[p]].width, i.in[k].width, factor.add[p] != 0, factor.parameters[p]);
  }
}

void WorkCounter::add_tile(Launch& launch, const Step& step, const Instruction& i, const LinearCrossEntropy& entropy,
                           const LaunchItem& item, double rows) {
  const Tensor& logits = program_.types[step.type].tensors[entropy.tile.id];
  const double tile = std::min<double>(logits.max_rows, rows - double{1.0} * item.tile * logits.max_rows);
  const double words = logits.width, depth = i.in[0].width;
  const auto is_of = [&](const KernelsBySize& sizes) { return std::ranges::find(sizes, item.kernel) != sizes.end(); };
  if (is_of(kernels_.logits)) return add_product(launch, tile, words, depth, false, entropy.parameter);
  if (item.kernel == kTileEntropies) {
    launch.flops += 4 * tile * words;
    launch.tile_bytes += kFloat * tile * words * 2;
    launch.bytes += kFloat * tile * words * 2;
    return;
  }
  if (is_of(kernels_.dx)) return add_product(launch, tile, depth, words, false, entropy.parameter);
  if (entropy.dw >= 0) add_product(launch, depth, words, tile, item.tile > 0);
  if (entropy.db >= 0) {
    launch.flops += tile * words;
    launch.tile_bytes += kFloat * tile * words;
  }
}

void WorkCounter::add_rows(Launch& launch, const TypeProgram& type, std::span<const Instruction> earlier,
                           const Instruction& i, double rows) {
  const double bytes = kFloat * (width_of(type, inputs_from_memory(earlier, i), rows) +
                                 width_of(type, i.out, i.is<SumRows>() ? 1 : rows));
  launch.flops += i.flops_per_row * rows;
  launch.tile_bytes += bytes;
  launch.bytes += bytes;
}

void WorkCounter::add(const Script& script, const LaunchItem& item) {
  const ScriptEntry& entry = script.entries[static_cast<std::size_t>(item.entry)];
  const Step& step = plan_.steps[entry.step];
  const TypeProgram& type = program_.types[step.type];
  const Instruction& i = type.at(step.backward, step.stage)[entry.instruction];
  const double rows = entry.rows.end - entry.rows.begin;
  Launch launch{.kernel = &kernels_.kernels[static_cast<std::size_t>(item.kernel)]};
  if (const auto* const gradient = i.as<WeightGradient>()) {
    const std::int32_t m = gradient->matrix_rows;
    add_product(launch, i.in[0].width / m, i.in[1].width / m, rows * m, entry.adds);
  } else if (const auto* const entropy = i.as<LinearCrossEntropy>()) {
    const auto [first, end] = plan_.range(step, i.domain);
    add_tile(launch, step, i, *entropy, item, end - first);
  } else {
    const std::span<const Instruction> members = members_of(i);
    for (const Instruction& member : members) {
      const RowRange own = plan_.range(step, member.domain);
      const double count = member.domain == i.domain ? rows : own.end - own.begin;
      if (const auto* const product = member.as<Matmul>())
        add_factors(launch, member, *product, count);
      else
        add_rows(launch, type, members.first(static_cast<std::size_t>(&member - members.data())), member, count);
    }
  }
  end(launch, kind_of(kernels_, item.kernel));
}

/// Returns the bytes that the rounding of weights reads in fp32 and writes in bf16.
double WorkCounter::bytes_of_rounding() const {
  std::set<std::int32_t> rounded;
  for (const Weight& weight : program_.weights) rounded.insert(weight.parameters.begin(), weight.parameters.end());
  double numbers = 0;
  for (const std::int32_t p : rounded) numbers += static_cast<double>(program_.parameters[p].shape.size());
  return numbers * (kFloat + kHalf);
}

void WorkCounter::add(SharedKernel kernel, const ParameterStep* steps, int slots) {
  double numbers = 0, of_tables = 0;
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    const ParameterInfo& info = program_.parameters[p];
    const bool touched = info.table && (steps[p].flags & kTouchedRows) != 0;
    const double all =
        touched ? double{1.0} * plan_.touched[p].count * info.shape.dims[1] : static_cast<double>(info.shape.size());
    numbers += all;
    of_tables += info.table ? all : 0;
  }
  const double read = kernel == kSums ? numbers : kernel == kUpdateParameters ? numbers * (2 + slots) : 0;
  const double written = kernel == kUpdateParameters ? numbers * (1 + slots)
                         : kernel == kClearGradients ? of_tables
                                                     : 0;
  const double bytes = kernel == kRoundWeights ? bytes_of_rounding() : kFloat * (read + written);
  const double flops = kernel == kSums ? 2 * numbers : kernel == kUpdateParameters ? numbers * (2 + 5 * slots) : 0;
  end({.kernel = nullptr, .flops = flops, .tile_bytes = bytes, .bytes = bytes}, KernelKind::kUpdate);
}

void WorkCounter::end(const Launch& launch, KernelKind kind) {
  KernelWork& work = works_[static_cast<std::size_t>(kind)];
  const auto microseconds = [](double amount, double giga) { return giga > 0 ? amount / giga / 1e3 : 0; };
  const double busy = launch.tiles > 0 ? std::min(1.0, launch.tiles / std::max(1, peaks_.processors)) : 1;
  const double speed = launch.tiles > 0 ? of_tensor_cores_ : 1;
  const double slowest = std::max({microseconds(launch.flops, kOfFlops * busy * speed * peaks_.gflops),
                                   microseconds(launch.tile_bytes, peaks_.l2_gbytes),
                                   microseconds(launch.bytes, kOfMemory * peaks_.memory_gbytes)});
  work.launches += 1;
  work.flops += launch.flops;
  work.tile_bytes += launch.tile_bytes;
  work.bytes += launch.bytes;
  work.predicted_ms += (kBetween + (launch.tiles > 0 ? kInProduct : kInOther) + slowest) / 1e3;
}

}  // namespace cavs::cuda
