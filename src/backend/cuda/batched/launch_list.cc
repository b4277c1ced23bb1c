#include "backend/cuda/batched/launch_list.h"

#include <algorithm>
#include <bit>

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
  launches.items.clear(), launches.stretches.clear(), tasks_.clear();
  for (std::int32_t begin = 0, end = 0; begin < script.update; begin = end) {
    if (begin == script.backward) add_stretches(), begin_backward();
    const std::int32_t number = script.entries[begin].step;
    while (end < script.update && script.entries[end].step == number) ++end;
    const Step& step = plan.steps[number];
    const cavs::Code& code = program_.types[step.type].at(step.backward, step.stage);
    const auto is_entropy = [](const Instruction& i) { return i.is<LinearCrossEntropy>(); };
    if (graphs_ && step.stage == Stage::kTask && std::ranges::none_of(code, is_entropy)) {
      CAVS_ASSERT(end - begin == std::ssize(code));
      tasks_.push_back({step.type, {begin, end}});
      continue;
    }
    add_stretches();
    for (std::int32_t entry = begin; entry < end; ++entry) add(script.entries[entry]);
  }
  add_stretches();
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

/// The mean number of rows that an instruction has per level; large levels weigh most, since they take longest.
std::int64_t LaunchLister::rows_of_levels(Stretch entries, std::int32_t of_level, std::int32_t number) const {
  std::int64_t rows = 0, squares = 0;
  for (std::int32_t entry = entries.begin + number; entry < entries.end; entry += of_level) {
    const std::int64_t count = script_->entries[entry].rows.end - script_->entries[entry].rows.begin;
    rows += count, squares += count * count;
  }
  return rows == 0 ? 0 : (squares + rows - 1) / rows;
}

/// Makes stretches of the tasks that have none yet: of the first ones as many as a period fits, again and again. A task
/// alone would take longer as a graph.
void LaunchLister::add_stretches() {
  if (tasks_.size() == 1) {
    for (std::int32_t entry = tasks_[0].entries.begin; entry < tasks_[0].entries.end; ++entry)
      add(script_->entries[entry]);
    tasks_.clear();
  }
  for (std::span<const Task> left = tasks_; !left.empty();) {
    std::size_t period = 0, most = 0;
    for (std::size_t p = 1; p <= kMostTasks; ++p)
      if (const std::size_t length = repeats(left, p); length > most && (p == 1 || length >= 2 * p))
        period = p, most = length;
    for (std::size_t rest = most; rest > 0;) {
      const std::size_t length = std::min(rest, kMostLevels * period);
      add_stretch(left.first(length), std::min(period, length));
      left = left.subspan(length), rest -= length;
    }
  }
  tasks_.clear();
}

/// How many of these tasks, from the first on, have the type of the task that is `period` before them, if there is one.
std::size_t LaunchLister::repeats(std::span<const Task> tasks, std::size_t period) {
  std::size_t length = std::min(period, tasks.size());
  while (length < tasks.size() && tasks[length].type == tasks[length - period].type) ++length;
  return length;
}

/// @param period  tasks that each level has; the last level may lack some
void LaunchLister::add_stretch(std::span<const Task> tasks, std::size_t period) {
  const Stretch stretch{tasks.front().entries.begin, tasks.back().entries.end};
  const std::int32_t of_level = tasks[period - 1].entries.end - stretch.begin;
  level_.clear();  // views are the same in all of a plan
  for (std::int32_t k = 0; k < of_level; ++k)
    level_.push_back(kernel_of(script_->entries[stretch.begin + k], rows_of_levels(stretch, of_level, k)));
  auto known = std::ranges::find(levels_, level_);
  if (known == levels_.end()) known = levels_.insert(levels_.end(), level_);
  list_->stretches.push_back(stretch);
  list_->items.push_back({.kernel = static_cast<int>(known - levels_.begin()),
                          .entry = stretch.begin,
                          .tile = 0,
                          .levels = graph_levels((tasks.size() + period - 1) / period)});
}

/// Levels of the graph for a stretch of so many: at most a quarter more, so that few graphs are made.
int LaunchLister::graph_levels(std::size_t levels) {
  const std::size_t step = std::max(std::bit_floor(levels) / 4, std::size_t{1});
  return static_cast<int>((levels + step - 1) / step * step);
}

}  // namespace cavs::cuda
