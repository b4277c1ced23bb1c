#include "backend/cuda/batched/launch_list.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {

int LaunchLister::kernel_of(const ScriptEntry& entry) const {
  if (script_->members[entry.members.begin].operands.count == 0) return BatchedKernels::kNone;  // a view
  const Step& step = plan_->steps[entry.step];
  return kernels_.of(tables_.at(step.type, step.backward, step.stage, entry.instruction));
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
    const bool is_level = end - begin == static_cast<std::int32_t>(code.size());  // a graph of some would cost more
    if (graphs_ && step.stage == Stage::kTask && !is_level && std::ranges::none_of(code, is_entropy))
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
  const Step& step = plan_->steps[entry.step];
  const TypeProgram& type = program_.types[step.type];
  const Instruction& instruction = type.at(step.backward, step.stage)[entry.instruction];
  const std::int32_t rows = entry.rows.end - entry.rows.begin;
  if (const auto* const entropy = instruction.as<LinearCrossEntropy>())
    return add_entropies(type, *entropy, number, rows);
  const int kernel = kernel_of(entry);
  const bool writes = rows > 0 || instruction.is<WeightGradient, SumRows>();  // a sum of no rows is zeros
  if (kernel != BatchedKernels::kNone && writes) list_->items.push_back({.kernel = kernel, .entry = number});
}

/// Tile after tile.
void LaunchLister::add_entropies(const TypeProgram& type, const LinearCrossEntropy& entropy, int entry,
                                 std::int32_t rows) {
  const std::int32_t height = type.tensors[entropy.tile.id].max_rows;
  const bool has_gradients = entropy.dx >= 0 || entropy.dw >= 0 || entropy.db >= 0;
  for (std::int32_t tile = 0; tile == 0 || tile * height < rows; ++tile) {
    if (rows > 0)
      for (const SharedKernel kernel : {kTileLogits, kTileEntropies}) list_->items.push_back({kernel, entry, tile});
    if (has_gradients) list_->items.push_back({kTileGradients, entry, tile});
  }
}

/// @param of_level  entries that each level has
void LaunchLister::add_stretch(Stretch entries, std::int32_t of_level) {
  CAVS_ASSERT((entries.end - entries.begin) % of_level == 0);
  Level level;  // views are the same in all of a plan
  for (std::int32_t k = 0; k < of_level; ++k) level.push_back(kernel_of(script_->entries[entries.begin + k]));
  auto known = std::ranges::find(levels_, level);
  if (known == levels_.end()) known = levels_.insert(levels_.end(), std::move(level));
  const auto number = static_cast<int>(known - levels_.begin());
  for (std::int32_t begin = entries.begin; begin < entries.end; begin += kMostLevels * of_level) {
    const std::int32_t end = std::min(entries.end, begin + kMostLevels * of_level);
    const std::int32_t levels = ((end - begin) / of_level + kLevels - 1) / kLevels * kLevels;
    list_->stretches.push_back({begin, end});
    list_->items.push_back({.kernel = number, .entry = begin, .tile = 0, .levels = levels});
  }
}

}  // namespace cavs::cuda
