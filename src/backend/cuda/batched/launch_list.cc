#include "backend/cuda/batched/launch_list.h"

#include <algorithm>

#include "backend/cuda/entries/operand_numbers.h"
#include "support/check.h"

namespace cavs::cuda {

const Instruction& LaunchLister::instruction_of(const ScriptEntry& entry) const {
  const Step& step = plan_->steps[entry.step];
  return program_.types[step.type].at(step.backward, step.stage)[entry.instruction];
}

/// @param rows  that its kernel is chosen for, of those that differ in the size of tiles
int LaunchLister::kernel_of(const ScriptEntry& entry, std::int64_t rows) const {
  const Step& step = plan_->steps[entry.step];
  const Instruction& instruction = instruction_of(entry);
  if (!instruction.is<RowGroup>() && script_->members[entry.members.begin].operands.count == 0)
    return BatchedKernels::kNone;  // a view
  const Code& code = tables_.at(step.type, step.backward, step.stage, entry.instruction);
  const auto* const product = members_of(instruction).front().as<Matmul>();
  const KernelsBySize kernels = kernels_.of(code, product != nullptr && product->transposed);
  if (product != nullptr) {
    std::int64_t units = 0, depth = 0;
    for (std::int32_t p = code.number; p < code.end; ++p)
      units += std::int64_t{tables_.panels[p].units} * tables_.panels[p].gates, depth += tables_.panels[p].k;
    const Panel& panel = tables_.panels[code.number];
    return code.operation == kGroup ? kernels[best_tile(costs_, rows, panel.units, panel.gates, depth, kMediumTile)]
                                    : kernels[best_tile(costs_, rows, units, 1, panel.k, kLargeTile)];
  }
  if (const auto* const gradient = instruction.as<WeightGradient>())
    return kernels[best_tile(costs_, instruction.in[0].width / gradient->matrix_rows,
                             instruction.in[1].width / gradient->matrix_rows, 1, rows * gradient->matrix_rows,
                             kLargeTile)];
  return kernels[kSmallTile];
}

void LaunchLister::list(const Plan& plan, const Script& script, LaunchList& launches) {
  plan_ = &plan, script_ = &script, list_ = &launches;
  launches.items.clear(), launches.stretches.clear();
  const auto step_of = [&](std::int32_t entry) -> const Step& { return plan.steps[script.entries[entry].step]; };
  for (std::int32_t begin = 0, end = 0; begin < script.update; begin = end) {
    if (begin == script.backward) begin_backward();
    const Step& step = step_of(begin);
    const auto is_alike = [&](const Step& other) {
      return other.type == step.type && other.backward == step.backward && other.stage == step.stage;
    };
    while (end < script.update && is_alike(step_of(end))) ++end;
    const cavs::Code& code = program_.types[step.type].at(step.backward, step.stage);
    const auto is_entropy = [](const Instruction& i) { return i.is<LinearCrossEntropy>(); };
    if (graphs_ && step.stage == Stage::kTask && std::ranges::none_of(code, is_entropy))
      add_stretch({begin, end}, static_cast<std::int32_t>(code.size()));
    else
      for (std::int32_t entry = begin; entry < end; ++entry) add(script.entries[entry]);
  }
  if (script.backward == script.update) begin_backward();
}

void LaunchLister::begin_backward() {
  list_->backward = list_->items.size();
  list_->backward_stretch = list_->stretches.size();
}

void LaunchLister::add(const ScriptEntry& entry) {
  const auto number = static_cast<int>(&entry - script_->entries.data());
  const Instruction& instruction = instruction_of(entry);
  const std::int32_t rows = entry.rows.end - entry.rows.begin;
  if (instruction.is<LinearCrossEntropy>())
    return add_entropies(program_.types[plan_->steps[entry.step].type], instruction, number, rows);
  const int kernel = kernel_of(entry, rows);
  const bool writes = rows > 0 || instruction.is<WeightGradient, SumRows>();  // a sum of no rows is zeros
  if (kernel != BatchedKernels::kNone && writes) list_->items.push_back({.kernel = kernel, .entry = number});
}

/// Tile after tile.
void LaunchLister::add_entropies(const TypeProgram& type, const Instruction& instruction, int entry,
                                 std::int32_t rows) {
  const auto& entropy = *instruction.as<LinearCrossEntropy>();
  const std::int32_t height = type.tensors[entropy.tile.id].max_rows;
  const std::int64_t classes = entropy.tile.width, depth = instruction.in[0].width;
  for (std::int32_t tile = 0; tile == 0 || tile * height < rows; ++tile) {
    const std::int64_t count = std::min(height, rows - tile * height);
    const auto launch = [&](int kernel) { list_->items.push_back({kernel, entry, tile}); };
    if (rows > 0) {
      launch(kernels_.logits[best_tile(costs_, count, classes, 1, depth, kLargeTile)]);
      launch(kTileEntropies);
      if (entropy.dx >= 0) launch(kernels_.dx[best_tile(costs_, count, depth, 1, classes, kLargeTile)]);
    }
    if (entropy.dw >= 0 || entropy.db >= 0)
      launch(kernels_.dw[best_tile(costs_, depth, classes, 1, count, kLargeTile)]);
  }
}

/// Of an instruction of each level, those of large levels weighing most: they take longest.
std::int64_t LaunchLister::rows_of_levels(Stretch entries, std::int32_t of_level, std::int32_t number) const {
  std::int64_t rows = 0, squares = 0;
  for (std::int32_t entry = entries.begin + number; entry < entries.end; entry += of_level) {
    const std::int64_t count = script_->entries[entry].rows.end - script_->entries[entry].rows.begin;
    rows += count, squares += count * count;
  }
  return rows == 0 ? 0 : (squares + rows - 1) / rows;
}

/// @param of_level  entries that each level has
void LaunchLister::add_stretch(Stretch entries, std::int32_t of_level) {
  CAVS_ASSERT((entries.end - entries.begin) % of_level == 0);
  for (std::int32_t begin = entries.begin; begin < entries.end; begin += kMostLevels * of_level) {
    const std::int32_t end = std::min(entries.end, begin + kMostLevels * of_level);
    Level level;  // views are the same in all of a plan
    for (std::int32_t k = 0; k < of_level; ++k)
      level.push_back(kernel_of(script_->entries[begin + k], rows_of_levels({begin, end}, of_level, k)));
    auto known = std::ranges::find(levels_, level);
    if (known == levels_.end()) known = levels_.insert(levels_.end(), std::move(level));
    const auto number = static_cast<int>(known - levels_.begin());
    const std::int32_t levels = ((end - begin) / of_level + kLevels - 1) / kLevels * kLevels;
    list_->stretches.push_back({begin, end});
    list_->items.push_back({.kernel = number, .entry = begin, .tile = 0, .levels = levels});
  }
}

}  // namespace cavs::cuda
